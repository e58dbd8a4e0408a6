/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file message_filter.h
 * Holds a sample until its transform exists, and hands both out together.
 *
 * Give samples with ::snt_message_filter_add, take released ones with ::snt_message_filter_poll and what will never be
 * released, with the reason, from ::snt_message_filter_poll_drop. A token whose add was accepted (status >= 0) comes
 * back exactly once; `in = out + held + sum of dropped` holds after every call.
 *
 * A waiting sample hangs on the one edge that blocks it and the stamp it needs there, so a transform costs nothing to
 * samples it does not release. Three ways to learn that an edge grew: ::snt_message_filter_poll_edge from the buffer's
 * notify hook (tells the edge), the same call after an insert of one's own, or a plain poll (looks at each blocking
 * edge). Nothing blocks, nothing is called back.
 *
 * Four settings are often taken for one another; each answers its own question:
 * - capacity: how many samples may wait. About rate × delay of the transform; more keeps only older work alive.
 * - wait_timeout_ns: how long one may wait, in steady time. Tells "late" from "never published".
 * - tolerance_ns: which further stretch of time must be covered as well. Asks for more transforms; it does not make a
 *   wrong stamp acceptable.
 * - the buffer's keep_ns: how far back transforms are kept. If samples are TOO_OLD, look at clocks and delays first.
 *
 * A released sample has a transform; whether it is still fresh enough to be used is the consumer's decision: pass
 * `release.sample` to snt_admission_check.
 */
#ifndef SENSORTIME_MESSAGE_FILTER_H
#define SENSORTIME_MESSAGE_FILTER_H

#include "base.h"
#include "drop_reason.h"
#include "sample.h"
#include "tf_buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Samples that wait for transforms. */
typedef struct snt_message_filter snt_message_filter;

#define SNT_FILTER_MAX_TARGETS 16u

/** Which sample goes when `capacity` wait and one more comes that cannot be released at once. */
enum {
    SNT_OVERFLOW_OLDEST =
        0, /**< the one that waits longest; with delays above capacity × period all are lost */
    SNT_OVERFLOW_NEWEST = 1, /**< the new one */
    /**
     * The second longest waiting: the longest waiting is kept, being the next to be released, and the rest is kept
     * fresh. Also works with capacity 1.
     */
    SNT_OVERFLOW_KEEP_LONGEST = 2
};

/** Bits of snt_message_filter_config.flags. */
enum {
    SNT_FILTER_STRICT_FIFO = 1 << 0, /**< release in order of arrival: the younger wait behind the older */
    SNT_FILTER_REFUSE_ZERO =
        1 << 1, /**< a stamp of zero is an unfilled header: drop with SNT_DROP_ZERO_STAMP */
    SNT_FILTER_NOTIFIED =
        1 << 2 /**< every growing edge is told with poll_edge: poll need not look at edges */
};

/** Settings. Fill with ::snt_message_filter_config_init. */
typedef struct snt_message_filter_config {
    uint32_t struct_size; /**< sizeof(snt_message_filter_config) */
    uint32_t
        capacity; /**< samples that may wait, 1..2^20; default 10. See ::snt_message_filter_suggest_capacity */
    uint32_t undrained;   /**< released and dropped ones that may wait to be taken; 0 = capacity + 16 */
    uint32_t overflow;    /**< SNT_OVERFLOW_*; default OLDEST */
    uint32_t flags;       /**< SNT_FILTER_* */
    uint32_t max_targets; /**< most target frames at one time, 1..16; default 4 */
    snt_duration wait_timeout_ns; /**< longest wait in steady time; 0 (default) = wait for ever [ns] */
    snt_duration max_age_ns;      /**< oldest stamp that may wait, in stamp time; 0 (default) = any [ns] */
    snt_duration
        tolerance_ns; /**< also needed until t1 + this (positive) or from t0 + this (negative); default 0 [ns] */
    snt_epoch *epoch; /**< shared session; a reference is taken; NULL = none */
} snt_message_filter_config;

/** A sample whose transforms exist. 176 bytes, frozen. */
typedef struct snt_filter_release {
    snt_sample sample;   /**< as given */
    snt_frame source;    /**< its frame */
    snt_frame target;    /**< first target frame */
    snt_time capture_ns; /**< its t0 [ns, its clock] */
    snt_time release_ns; /**< steady time when its transforms were found; SNT_UNKNOWN = no time given [ns] */
    snt_time
        release_stamp_ns; /**< the clock of the stamps at the poll that took it; SNT_UNKNOWN = not given [ns] */
    snt_duration waited_ns; /**< steady time from add to release; SNT_UNKNOWN [ns] */
    snt_duration age_ns;    /**< release_stamp − capture; SNT_UNKNOWN [ns] */
    uint32_t targets;       /**< number of target frames */
    uint32_t results;       /**< results written: two per target */
    uint32_t session;       /**< session of the epoch; 0 = none kept */
    uint32_t more;          /**< released samples still waiting to be taken */
    uint32_t undrained;     /**< dropped ones waiting to be taken */
    uint32_t reserved;      /**< 0 */
} snt_filter_release;

/** A sample that will not be released. 344 bytes, frozen. */
typedef struct snt_filter_drop {
    snt_sample sample;      /**< as given */
    snt_frame source;       /**< its frame; 0 = it had none */
    snt_frame target;       /**< the target frame that failed; 0 = none */
    snt_duration waited_ns; /**< steady time it was held; SNT_UNKNOWN where no time was given [ns] */
    snt_duration age_ns;    /**< EXPIRED: its age [ns]; else SNT_UNKNOWN */
    uint32_t reason;        /**< SNT_DROP_* */
    uint32_t
        cause; /**< root cause behind an overflow, timeout or expiry, SNT_DROP_*; 0 = data was merely late */
    uint32_t session;   /**< session of the epoch it waited in; 0 = none kept */
    uint32_t reserved;  /**< 0 */
    snt_tf_miss miss;   /**< which edge failed and by how much; miss.reason 0 = nothing was looked up */
    uint64_t reserved2; /**< 0 */
} snt_filter_drop;

/** Counters since create. 272 bytes, frozen. */
typedef struct snt_filter_stats {
    uint64_t in;                      /**< accepted tokens */
    uint64_t out;                     /**< released and taken */
    uint64_t held;                    /**< waiting, or released and not yet taken */
    uint64_t waiting;                 /**< of these, waiting for a transform */
    uint64_t at_once;                 /**< released without waiting */
    uint64_t looked_up;               /**< times a sample was tried */
    uint64_t refused;                 /**< adds refused with SNT_ERR_FULL */
    uint32_t blocking_edges;          /**< edges that samples hang on now */
    uint32_t suggested_capacity;      /**< from the observed rate and waits; 0 = not known yet */
    snt_duration period_ns;           /**< smoothed distance of stamps; SNT_UNKNOWN before the second [ns] */
    snt_duration longest_wait_ns;     /**< longest wait of a released sample [ns] */
    uint64_t dropped[SNT_DROP_COUNT]; /**< by reason */
} snt_filter_stats;

/**
 * Defaults: capacity 10, oldest goes first, no timeout, no tolerance.
 *
 * @param[out] config what to fill
 * @param      size   sizeof *config of the caller
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_message_filter_config_init(snt_message_filter_config *config, size_t size);

/**
 * How many samples wait if transforms arrive `delay_ns` late: delay / period rounded up, plus a margin for bursts. 30 Hz
 * and 0.2 s give 6 plus margin.
 *
 * @param period_ns distance of samples, > 0 [ns]
 * @param delay_ns  delay of the transform behind the sample, >= 0 [ns]
 * @param margin    samples on top
 * @return capacity, at least 1, at most 2^20; 0 if an argument is out of range
 * @thread P  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_message_filter_suggest_capacity(snt_duration period_ns, snt_duration delay_ns,
                                                     uint32_t margin);

/**
 * Make a filter over a buffer. It has no target yet: until ::snt_message_filter_set_targets samples wait.
 *
 * @param      buffer    the transforms; it must outlive the filter
 * @param      config    settings; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the filter; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE, SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_message_filter_create(snt_tf_buffer *buffer, const snt_message_filter_config *config,
                                             const snt_allocator *allocator, snt_message_filter **out);

/**
 * Free a filter; clear and drain it first where tokens matter.
 *
 * @param filter a filter, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_message_filter_destroy(snt_message_filter *filter);

/**
 * The frames into which every sample must be transformable. What is held is looked up anew. O(held).
 *
 * @param filter  a filter
 * @param targets frames; they need not be connected yet
 * @param count   1..max_targets
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE (more than max_targets)
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_set_targets(snt_message_filter *filter, const snt_frame *targets,
                                                  uint32_t count);

/**
 * As ::snt_message_filter_set_targets with one frame by name, made if new.
 *
 * @param filter a filter
 * @param target name of the frame
 * @return as snt_tf_buffer_frame
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_set_target_named(snt_message_filter *filter, const char *target);

/**
 * The tolerance of samples to come and of all that is held, which is looked up anew. O(held).
 *
 * @param filter       a filter
 * @param tolerance_ns positive: also needed until t1 + this; negative: from t0 + this [ns]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_set_tolerance(snt_message_filter *filter, snt_duration tolerance_ns);

/**
 * Give one sample. If its transforms exist it is released at once.
 *
 * @param filter a filter
 * @param sample the sample; its transforms must cover [t0, t1]
 * @param source its frame; 0 = it names none, dropped with SNT_DROP_EMPTY_FRAME
 * @param now_ns steady time; SNT_UNKNOWN = no timeout for this one [ns]
 * @retval SNT_OK              taken, and something is ready to be polled
 * @retval SNT_PENDING         taken, it waits
 * @retval SNT_ERR_INVALID_ARG NULL, t1 < t0 or a negative known error: not taken
 * @retval SNT_ERR_FULL        too much waits to be polled: not taken
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_add(snt_message_filter *filter, const snt_sample *sample,
                                          snt_frame source, snt_time now_ns);

/**
 * As ::snt_message_filter_add with its own tolerance instead of the filter's.
 *
 * @param filter       a filter
 * @param sample       the sample
 * @param source       its frame; 0 = none
 * @param tolerance_ns as in the settings [ns]
 * @param now_ns       steady time or SNT_UNKNOWN [ns]
 * @return as snt_message_filter_add
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_add_tolerant(snt_message_filter *filter, const snt_sample *sample,
                                                   snt_frame source, snt_duration tolerance_ns,
                                                   snt_time now_ns);

/**
 * As ::snt_message_filter_add with the frame by name. An empty name is dropped with SNT_DROP_EMPTY_FRAME, one that the
 * buffer has no room for with SNT_DROP_NO_FRAME.
 *
 * @param filter a filter
 * @param sample the sample
 * @param source name of its frame, as in the message's header
 * @param now_ns steady time or SNT_UNKNOWN [ns]
 * @return as snt_message_filter_add
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_add_named(snt_message_filter *filter, const snt_sample *sample,
                                                const char *source, snt_time now_ns);

/**
 * An edge grew. Costs one look-up in a table if nothing hangs on it. Meant for the buffer's notify hook, and safe there.
 *
 * @param filter    a filter
 * @param child     the edge
 * @param newest_ns its newest stamp; SNT_UNKNOWN = a static edge, or simply look [ns]
 * @param now_ns    steady time or SNT_UNKNOWN [ns]
 * @retval SNT_OK      something is ready to be polled
 * @retval SNT_PENDING nothing to poll
 * @retval SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_poll_edge(snt_message_filter *filter, snt_frame child,
                                                snt_time newest_ns, snt_time now_ns);

/**
 * Look at blocking edges, timeouts and ages, then take the released sample with the least stamp (ties by arrival; with
 * SNT_FILTER_STRICT_FIFO the one that came first).
 *
 * @param      filter       a filter
 * @param      now_ns       steady time; SNT_UNKNOWN = look at no timeout [ns]
 * @param      now_stamp_ns clock of the stamps; SNT_UNKNOWN = look at no age [ns]
 * @param[out] release      the sample
 * @param[out] results      two per target: T_target_source at t0 and at t1
 * @param      capacity     entries in `results`, at least twice the number of targets
 * @retval SNT_OK
 * @retval SNT_EMPTY                nothing is ready
 * @retval SNT_ERR_BUFFER_TOO_SMALL `capacity` is too small; nothing was taken
 * @retval SNT_ERR_INVALID_ARG      NULL
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_poll(snt_message_filter *filter, snt_time now_ns, snt_time now_stamp_ns,
                                           snt_filter_release *release, snt_tf_result *results,
                                           uint32_t capacity);

/**
 * Take one dropped sample, oldest decision first.
 *
 * @param      filter a filter
 * @param[out] drop   the sample and why
 * @retval SNT_OK, SNT_EMPTY, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_poll_drop(snt_message_filter *filter, snt_filter_drop *drop);

/**
 * Drop all that is held with SNT_DROP_CLEARED, so that every token can be taken.
 *
 * @param filter a filter
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_clear(snt_message_filter *filter);

/**
 * Begin a new session by hand: what waits is dropped with SNT_DROP_RESET. Released samples stay.
 *
 * @param filter a filter
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_reset(snt_message_filter *filter);

/**
 * The counters.
 *
 * @param      filter a filter
 * @param[out] stats  the counters
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_stats(snt_message_filter *filter, snt_filter_stats *stats);

/**
 * Count everything anew and compare with the counters: a self-test for test suites. O(all places).
 *
 * @param filter a filter
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @retval SNT_ERR_VIOLATION the library lost or doubled a token
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_filter_check(snt_message_filter *filter);

/**
 * One line of text about a dropped sample, with the edge by name.
 *
 * @param      buffer the filter's buffer
 * @param      drop   what was polled
 * @param[out] text   the line, cut to fit and always terminated
 * @param      size   room in `text` [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL)
 * @retval SNT_ERR_BUFFER_TOO_SMALL the line was cut
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_filter_drop_format(const snt_tf_buffer *buffer, const snt_filter_drop *drop,
                                          char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_MESSAGE_FILTER_H */
