/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file synchronizer.h
 * What else was measured at that moment: groups the samples of up to 64 inputs into sets.
 *
 * Give samples with ::snt_synchronizer_add, take sets with ::snt_synchronizer_poll and everything that was in no set,
 * with the reason, from ::snt_synchronizer_poll_drops. A token whose add was accepted (status >= 0) comes back exactly
 * once; `in = out + held + sum of dropped` holds after every call. Tokens that nobody takes keep their place: when all
 * places are used, adds are refused with SNT_ERR_FULL and the token stays the caller's.
 *
 * What counts is the *matching time* of a sample: start, middle or end of its acquisition plus the input's offset.
 * Only SNT_SYNC_COMPAT works in order of arrival; everything else sorts each input by matching time, emits sets in
 * ascending order and never lets two sets cross.
 */
#ifndef SENSORTIME_SYNCHRONIZER_H
#define SENSORTIME_SYNCHRONIZER_H

#include "base.h"
#include "drop_reason.h"
#include "sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Inputs, sets and their queues. */
typedef struct snt_synchronizer snt_synchronizer;

#define SNT_SYNC_MAX_INPUTS 64u
/** "No input": no partner, no blocker, driver chosen by the library. */
#define SNT_SYNC_NO_INPUT 0xffffffffu

/** How sets are found. */
enum {
    /** The set of least width around its latest-starting member (ROS ApproximateTime), once no better one is possible. */
    SNT_SYNC_APPROXIMATE = 0,
    SNT_SYNC_EXACT = 1,   /**< equal matching times */
    SNT_SYNC_EPSILON = 2, /**< as soon as all are within max_separation: the nearest of those present */
    SNT_SYNC_LATEST = 3, /**< at every sample of the driver: the newest of the others, lent again and again */
    SNT_SYNC_EARLIEST =
        4 /**< as soon as all are within max_separation: the earliest of those present (SEAM) */
};

/** Bits of snt_sync_config.flags. */
enum {
    /**
     * APPROXIMATE and EPSILON as ROS 2's message_filters: arrival order, its tie and overflow rules, bit-identical sets
     * on x86-64 (the age penalty is applied with a 64-bit mantissa). What it loses silently is reported here.
     */
    SNT_SYNC_COMPAT = 1 << 0,
    SNT_SYNC_REQUIRE_CERTAIN = 1 << 1, /**< only sets whose separation is certainly within max_separation */
    SNT_SYNC_NO_LEARNING = 1 << 2,     /**< use declared minimum periods only, learn none */
    SNT_SYNC_REFUSE_ZERO =
        1 << 3, /**< a stamp of zero is an unfilled header: drop with SNT_DROP_ZERO_STAMP */
    SNT_SYNC_SINGLE_THREAD = 1 << 4 /**< the caller promises one thread at a time: take no lock */
};

/** What an input contributes. */
enum {
    SNT_ROLE_REQUIRED = 0, /**< every set has one, except partial sets after the deadline */
    SNT_ROLE_OPTIONAL = 1, /**< the nearest within max_separation of the reference, if there is one */
    SNT_ROLE_LATCHED = 2,  /**< the newest at or before the reference; lent to every set until a newer one */
    SNT_ROLE_INTERPOLATED = 3 /**< the pair around the reference and the weight between them; lent */
};

/** Which moment of [t0, t1] is matched. */
enum {
    SNT_MATCH_START = 0,  /**< t0 */
    SNT_MATCH_MIDDLE = 1, /**< rounded down */
    SNT_MATCH_END = 2,    /**< t1 */
    SNT_MATCH_OVERLAP =
        3 /**< ordered by the middle; separation is the gap between the intervals, 0 if they touch */
};

/** Bits of snt_sync_input_config.flags. */
enum {
    SNT_SYNC_MAY_LACK = 1 << 0,       /**< a LATCHED or INTERPOLATED input that a set need not have */
    SNT_SYNC_OFFSET_BRIDGES = 1 << 1, /**< offset_ns also takes `domain` to the synchronizer's domain */
    SNT_SYNC_DROP_NEWEST =
        1 << 2 /**< when full, refuse the new sample instead of dropping the oldest (not compat) */
};

/** One input. Zero is the default of every field. */
typedef struct snt_sync_input_config {
    uint32_t role;              /**< SNT_ROLE_*, default REQUIRED */
    uint32_t match;             /**< SNT_MATCH_*, default START */
    uint32_t domain;            /**< clock of its stamps; 0 = the synchronizer's */
    uint32_t flags;             /**< SNT_SYNC_MAY_LACK … */
    snt_duration offset_ns;     /**< added to its stamps before matching [ns] */
    snt_duration offset_err_ns; /**< ± bound of the offset, >= 0 [ns] */
    snt_duration
        min_period_ns;       /**< its stamps are at least this far apart; 0 = learn (compat: no bound) [ns] */
    snt_duration max_gap_ns; /**< INTERPOLATED: widest pair to bridge; 0 = any [ns] */
    uint32_t queue;          /**< samples that may wait; 0 = snt_sync_config.queue */
    uint32_t reserved;       /**< 0 */
} snt_sync_input_config;

/** Settings. Fill with ::snt_synchronizer_config_init. */
typedef struct snt_sync_config {
    uint32_t struct_size;                /**< sizeof(snt_sync_config) */
    uint32_t policy;                     /**< SNT_SYNC_APPROXIMATE … */
    uint32_t flags;                      /**< SNT_SYNC_COMPAT … */
    uint32_t input_count;                /**< 1..64; at least one REQUIRED; default 2 */
    const snt_sync_input_config *inputs; /**< input_count of them; NULL = all defaults */
    uint32_t
        input_size; /**< sizeof(snt_sync_input_config) as the caller was compiled; 0 = its 56 bytes of release 1.0 */
    /**
     * Samples that may wait per input, 1..2^20; default 10. About (slowest period + how much later the latest input
     * arrives) / its own period; more does not repair a slow consumer, it only lets it fall further behind.
     */
    uint32_t queue;
    uint32_t ready; /**< sets that may wait to be polled before adds are refused; default 16 */
    uint32_t
        undrained;   /**< dropped tokens that may wait to be polled, beside the queues; 0 = as many as wait */
    uint32_t domain; /**< clock in which is matched; 0 = that of the first sample */
    uint32_t
        driver; /**< REQUIRED input whose matching time is the reference; SNT_SYNC_NO_INPUT (default) = the
                                   first; LATEST: the fastest that is not late */
    uint32_t min_members; /**< REQUIRED members a partial set needs; 0 (default) = all: no partial sets */
    uint32_t reserved;    /**< 0 */
    double age_penalty;   /**< APPROXIMATE: how much later sets must be narrower, 0..1000; default 0.1 */
    snt_duration
        max_separation_ns;    /**< widest set; EPSILON and EARLIEST need it; default SNT_UNKNOWN = any [ns] */
    snt_duration deadline_ns; /**< longest wait in steady time for a set to be completed; 0 = none [ns] */
    snt_duration
        optional_wait_ns; /**< how long a complete set waits for OPTIONAL inputs in steady time; default 0 */
    snt_duration max_age_ns; /**< drop what is older than this in stamp time; 0 = nothing [ns] */
    snt_duration
        jump_back_ns; /**< a stamp this far behind its input's newest is a new session; 0 = off [ns] */
    snt_epoch *epoch; /**< shared session; a reference is taken; NULL = none */
} snt_sync_config;

/** Whether a set's members were within max_separation of each other. */
enum {
    SNT_SYNC_NO = 0,       /**< certainly not (LATEST and partial sets only) */
    SNT_SYNC_POSSIBLE = 1, /**< the bounds allow it, or are unknown and the stamps say so */
    SNT_SYNC_CERTAIN = 2   /**< whatever the truth inside the bounds */
};

/** Bits of snt_sync_set.flags. */
enum {
    SNT_SYNC_PARTIAL = 1 << 0, /**< a REQUIRED input is missing */
    SNT_SYNC_FORCED = 1 << 1 /**< emitted at its deadline or by an overflow, not because it was proved best */
};

/** A set. 112 bytes, frozen. */
typedef struct snt_sync_set {
    uint64_t number;               /**< 0, 1, 2, … */
    snt_time reference_ns;         /**< matching time of the driver's member [ns, domain] */
    snt_time start_ns;             /**< earliest matching time of the REQUIRED and OPTIONAL members */
    snt_time end_ns;               /**< latest one */
    snt_duration separation_ns;    /**< widest distance between two of these by their stamps [ns] */
    snt_duration separation_lo_ns; /**< certainly at least this, unknown bounds taken as zero [ns] */
    snt_duration
        separation_hi_ns;  /**< certainly at most this; SNT_UNKNOWN where a member has no bound [ns] */
    snt_time decided_ns;   /**< steady time of the call that decided it; SNT_UNKNOWN = not given */
    uint64_t present;      /**< bit i: input i has a member */
    uint64_t missing;      /**< bit i: input i has none though it has a place in the set */
    uint32_t member_count; /**< entries written to `members` */
    uint32_t verdict;      /**< SNT_SYNC_NO, POSSIBLE, CERTAIN */
    uint32_t flags;        /**< SNT_SYNC_PARTIAL … */
    uint32_t session;      /**< session of the epoch; 0 = none kept */
    uint32_t domain;       /**< clock of the times above */
    uint32_t more;         /**< sets still ready: poll on while it is not 0 */
    uint32_t undrained;    /**< dropped tokens waiting to be polled */
    uint32_t reserved;     /**< 0 */
} snt_sync_set;

/** Bits of snt_sync_member.flags. */
enum {
    SNT_MEMBER_LENT = 1 << 0,   /**< the token stays in the synchronizer; it comes back as SNT_DROP_RETIRED */
    SNT_MEMBER_BEFORE = 1 << 1, /**< INTERPOLATED: at or before the reference */
    SNT_MEMBER_AFTER = 1 << 2   /**< INTERPOLATED: at or after the reference */
};

/** A member of a set, in order of inputs; an INTERPOLATED input has two. 128 bytes, frozen. */
typedef struct snt_sync_member {
    snt_sample sample;  /**< as given */
    snt_time key_ns;    /**< its matching time [ns, domain of the synchronizer] */
    int64_t weight_num; /**< value at the reference = before + (after − before)·weight_num/weight_den */
    int64_t weight_den; /**< >= 1; distance of the pair [ns] */
    uint32_t input;     /**< index of the input */
    uint32_t flags;     /**< SNT_MEMBER_* */
} snt_sync_member;

/** A token that came back without a set. 144 bytes, frozen. */
typedef struct snt_sync_drop {
    snt_sample sample;      /**< as given */
    snt_time key_ns;        /**< its matching time */
    snt_duration waited_ns; /**< steady time it was held; SNT_UNKNOWN where no time was given [ns] */
    snt_duration
        gap_ns; /**< matching time of the nearest partner known − its own; SNT_UNKNOWN = no partner [ns] */
    uint32_t input;  /**< index of the input */
    uint32_t reason; /**< SNT_DROP_* */
    uint32_t cause; /**< what is behind it, SNT_DROP_* (an overflow by CLOCK_MISMATCH …); 0 = nothing more */
    uint32_t partner;  /**< input that was missing or too far; SNT_SYNC_NO_INPUT = none */
    uint32_t uses;     /**< RETIRED: sets it was lent to */
    uint32_t reserved; /**< 0 */
} snt_sync_drop;

/** Counters since create. 256 bytes, frozen. */
typedef struct snt_sync_stats {
    uint64_t in;                      /**< accepted tokens */
    uint64_t out;                     /**< tokens taken with sets (lent ones count when they retire) */
    uint64_t held;                    /**< waiting, or in sets that nobody took yet */
    uint64_t sets;                    /**< sets decided */
    uint64_t partial;                 /**< of these, partial */
    uint64_t refused;                 /**< adds refused with SNT_ERR_FULL */
    uint64_t resets;                  /**< sessions that ended while this handle watched */
    uint64_t reserved;                /**< 0 */
    uint64_t dropped[SNT_DROP_COUNT]; /**< by reason */
} snt_sync_stats;

/** One input, as seen so far. 128 bytes, frozen. */
typedef struct snt_sync_input_info {
    uint64_t received;          /**< samples accepted into the queue or dropped from it */
    uint64_t in_sets;           /**< times a sample of it was in a set */
    snt_time newest_ns;         /**< newest matching time; SNT_UNKNOWN = none yet */
    snt_time oldest_waiting_ns; /**< oldest matching time that waits; SNT_UNKNOWN = none */
    snt_duration
        waiting_since_ns;   /**< steady time its oldest has waited; SNT_UNKNOWN = none or no time given */
    snt_duration period_ns; /**< mean distance of its last 9..24 stamps; SNT_UNKNOWN before the second [ns] */
    snt_duration jitter_ns; /**< half the range of its last gaps [ns]; SNT_UNKNOWN likewise */
    snt_duration min_period_ns; /**< the lower bound in use: declared, or learned; 0 = none [ns] */
    snt_duration
        nearest_miss_ns;  /**< narrowest set with it that was refused as too wide; SNT_UNKNOWN = none [ns] */
    snt_time miss_key_ns; /**< its matching time in that set */
    snt_time miss_partner_ns; /**< the farthest member's */
    uint32_t miss_partner;    /**< input of the farthest member; SNT_SYNC_NO_INPUT = none */
    uint32_t waiting;         /**< samples in its queue */
    uint32_t suggested_queue; /**< from the observed periods; 0 = not known yet */
    uint32_t backward;        /**< stamps that were older than the one before */
    uint64_t reserved[3];     /**< 0 */
} snt_sync_input_info;

/** What keeps the next set from coming. 64 bytes, frozen. */
typedef struct snt_sync_diagnosis {
    uint64_t never;   /**< bit i: input i never got a sample */
    uint64_t empty;   /**< bit i: input i has nothing waiting and the next set needs it */
    uint32_t blocker; /**< the one that has been empty longest; SNT_SYNC_NO_INPUT = nobody blocks */
    uint32_t ready;   /**< sets waiting to be polled */
    snt_duration blocked_since_ns; /**< steady time since the blocker ran empty; SNT_UNKNOWN = unknown [ns] */
    snt_duration oldest_age_ns; /**< newest matching time of all − oldest waiting; SNT_UNKNOWN = none [ns] */
    snt_duration
        suggested_slop_ns; /**< max_separation that free-running inputs of these rates need; SNT_UNKNOWN [ns] */
    uint32_t undrained;    /**< dropped tokens waiting to be polled */
    uint32_t reserved;     /**< 0 */
    uint64_t reserved2;    /**< 0 */
} snt_sync_diagnosis;

/**
 * Defaults: two required inputs, APPROXIMATE in fixed mode, queue 10, no limits.
 *
 * @param[out] config what to fill
 * @param      size   sizeof *config of the caller
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_synchronizer_config_init(snt_sync_config *config, size_t size);

/**
 * Bytes that ::snt_synchronizer_create will take from the allocator.
 *
 * @param      config settings; NULL = defaults
 * @param[out] bytes  the size
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE, SNT_ERR_DOMAIN
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_size(const snt_sync_config *config, uint64_t *bytes);

/**
 * Make a synchronizer. Inputs are fixed from here on.
 *
 * @param      config    settings; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the handle; NULL on failure
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG settings contradict each other (compat with deadlines, EPSILON without max_separation …)
 * @retval SNT_ERR_RANGE       a number lies outside its range
 * @retval SNT_ERR_DOMAIN      an input's clock is not the synchronizer's and nothing bridges them
 * @retval SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_synchronizer_create(const snt_sync_config *config, const snt_allocator *allocator,
                                           snt_synchronizer **out);

/**
 * Free the handle. Tokens still in it are not reported: call ::snt_synchronizer_clear and drain first where they matter.
 *
 * @param sync a handle, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_synchronizer_destroy(snt_synchronizer *sync);

/**
 * Give one sample. Amortised O(inputs) for APPROXIMATE, O(log queue) per input for EXACT.
 *
 * @param sync   a handle
 * @param input  0..input_count−1
 * @param sample the sample; t0 <= t1, errors >= 0 where they are known
 * @param now_ns steady time, for deadlines and waiting times; SNT_UNKNOWN where these are not wanted [ns]
 * @retval SNT_OK              taken, and a set or a drop is ready to be polled
 * @retval SNT_PENDING         taken, nothing to poll
 * @retval SNT_ERR_INVALID_ARG NULL, no such input, t1 < t0 or a negative known error: not taken
 * @retval SNT_ERR_FULL        too much waits to be polled: not taken
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_add(snt_synchronizer *sync, uint32_t input, const snt_sample *sample,
                                        snt_time now_ns);

/**
 * Give one sample and take the next set if there is one: ::snt_synchronizer_add followed by ::snt_synchronizer_poll (without
 * its look at ages) under one lock, with each member copied once. The cheapest way to feed from a callback.
 *
 * @param      sync     a handle
 * @param      input    0..input_count−1
 * @param      sample   the sample; t0 <= t1, errors >= 0 where they are known
 * @param      now_ns   steady time, for deadlines and waiting times; SNT_UNKNOWN where these are not wanted [ns]
 * @param[out] set      the set; untouched unless SNT_OK. Poll on while `more` is not 0, take drops while `undrained` is not
 * @param[out] members  its members in order of inputs
 * @param      capacity entries in `members`
 * @retval SNT_OK                   taken, and a set was written
 * @retval SNT_EMPTY                taken, no set is ready, but dropped tokens are: ::snt_synchronizer_poll_drops
 * @retval SNT_PENDING              taken, nothing to take
 * @retval SNT_ERR_INVALID_ARG      NULL, no such input, t1 < t0 or a negative known error: not taken
 * @retval SNT_ERR_BUFFER_TOO_SMALL `capacity` < ::snt_synchronizer_max_members: not taken
 * @retval SNT_ERR_FULL             too much waits to be polled: not taken, and no set either
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_add_poll(snt_synchronizer *sync, uint32_t input, const snt_sample *sample,
                                             snt_time now_ns, snt_sync_set *set, snt_sync_member *members,
                                             uint32_t capacity);

/**
 * Give many instants at once, as ::snt_synchronizer_add would one by one under a single lock.
 *
 * @param      sync    a handle
 * @param      inputs  index of the input of each
 * @param      t_ns    its stamp [ns, domain]
 * @param      tokens  its token
 * @param      count   how many
 * @param      domain  clock of all stamps
 * @param      now_ns  steady time, or SNT_UNKNOWN [ns]
 * @param[out] added   how many were taken, from the front; may be NULL
 * @retval SNT_OK, SNT_PENDING as ::snt_synchronizer_add, all taken
 * @retval SNT_ERR_FULL        stopped: drain and go on with the rest
 * @retval SNT_ERR_INVALID_ARG NULL, or no such input at index `*added`
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_add_many(snt_synchronizer *sync, const uint32_t *inputs,
                                             const snt_time *t_ns, const uint64_t *tokens, uint64_t count,
                                             uint32_t domain, snt_time now_ns, uint64_t *added);

/**
 * Largest number of members a set can have: one per input, two per INTERPOLATED one.
 *
 * @param sync a handle
 * @return members; 0 for NULL
 * @thread P  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_synchronizer_max_members(const snt_synchronizer *sync);

/**
 * Take the next set, after looking at deadlines and ages.
 *
 * @param      sync         a handle
 * @param      now_ns       steady time; SNT_UNKNOWN = look at no deadline [ns]
 * @param      now_stamp_ns time of the matching clock; SNT_UNKNOWN = look at no age [ns, domain]
 * @param[out] set          the set
 * @param[out] members      its members in order of inputs
 * @param      capacity     entries in `members`
 * @retval SNT_OK
 * @retval SNT_EMPTY                no set is ready
 * @retval SNT_ERR_BUFFER_TOO_SMALL `capacity` < ::snt_synchronizer_max_members; nothing was taken
 * @retval SNT_ERR_INVALID_ARG      NULL
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_poll(snt_synchronizer *sync, snt_time now_ns, snt_time now_stamp_ns,
                                         snt_sync_set *set, snt_sync_member *members, uint32_t capacity);

/**
 * Take what came back without a set, oldest decision first.
 *
 * @param      sync     a handle
 * @param[out] drops    up to `capacity` of them
 * @param      capacity entries in `drops`
 * @param[out] count    how many were written
 * @retval SNT_OK, SNT_EMPTY, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_poll_drops(snt_synchronizer *sync, snt_sync_drop *drops,
                                               uint32_t capacity, uint32_t *count);

/**
 * Begin a new session by hand: everything that waits is dropped with SNT_DROP_RESET. Complete sets stay.
 *
 * @param sync a handle
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_reset(snt_synchronizer *sync);

/**
 * Drop everything, complete sets too, with SNT_DROP_CLEARED, so that every token can be taken before destroy.
 *
 * @param sync a handle
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_clear(snt_synchronizer *sync);

/**
 * Change an input's offset; what waits on it is matched anew. O(waiting).
 *
 * @param sync          a handle, not SNT_SYNC_COMPAT
 * @param input         index of the input
 * @param offset_ns     added to its stamps [ns]
 * @param offset_err_ns ± bound of the offset, >= 0 [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_UNSUPPORTED in compat mode
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_set_offset(snt_synchronizer *sync, uint32_t input, snt_duration offset_ns,
                                               snt_duration offset_err_ns);

/**
 * Change the widest separation; what waits is matched anew.
 *
 * @param sync              a handle
 * @param max_separation_ns >= 0, or SNT_UNKNOWN = any (not for EPSILON and EARLIEST) [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_set_max_separation(snt_synchronizer *sync,
                                                       snt_duration max_separation_ns);

/**
 * The counters.
 *
 * @param      sync  a handle
 * @param[out] stats the counters
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_stats(snt_synchronizer *sync, snt_sync_stats *stats);

/**
 * One input's view: queue age, period, nearest miss, suggested queue. O(inputs).
 *
 * @param      sync   a handle
 * @param      input  index of the input
 * @param      now_ns steady time, or SNT_UNKNOWN [ns]
 * @param[out] info   the facts
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_input_info(snt_synchronizer *sync, uint32_t input, snt_time now_ns,
                                               snt_sync_input_info *info);

/**
 * Who blocks the next set and since when. O(inputs), whatever waits.
 *
 * @param      sync      a handle
 * @param      now_ns    steady time, or SNT_UNKNOWN [ns]
 * @param[out] diagnosis the facts
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_diagnose(snt_synchronizer *sync, snt_time now_ns,
                                             snt_sync_diagnosis *diagnosis);

/**
 * Count everything anew and compare with the counters: a self-test for test suites. O(all places).
 *
 * @param sync a handle
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @retval SNT_ERR_VIOLATION the library lost or doubled a token
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_synchronizer_check(snt_synchronizer *sync);

/**
 * One line of text about a dropped token.
 *
 * @param      drop what was polled
 * @param[out] text the line, cut to fit and always terminated
 * @param      size room in `text` [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL)
 * @retval SNT_ERR_BUFFER_TOO_SMALL the line was cut
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_sync_drop_format(const snt_sync_drop *drop, char *text, size_t size);

/**
 * One line of text about a diagnosis.
 *
 * @param      diagnosis what was diagnosed
 * @param[out] text      the line, cut to fit and always terminated
 * @param      size      room in `text` [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL)
 * @retval SNT_ERR_BUFFER_TOO_SMALL the line was cut
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_sync_diagnosis_format(const snt_sync_diagnosis *diagnosis, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_SYNCHRONIZER_H */
