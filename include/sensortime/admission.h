/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file admission.h
 * May this observation be used now? A decision with its evidence.
 *
 * The procedure: (1) expected session, clock and mapping version; (2) a bound on both sides; (3) nothing that is certainly
 * from the future; (4) the oldest age that is possible must be within the limit. A separate limit bounds the uncertainty,
 * because an observation can be fresh and still too vaguely timed to be fused. An age interval that crosses zero is reported
 * and never clamped.
 *
 * Every decision leaves a record of all that went into it, so that it can be made again from the record alone.
 */
#ifndef SENSORTIME_ADMISSION_H
#define SENSORTIME_ADMISSION_H

#include "base.h"
#include "sample.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a consumer demands of an observation. */
typedef struct snt_admission_policy {
    uint32_t struct_size;   /**< sizeof this struct */
    uint32_t domain;        /**< clock the times must be on; default SNT_DOMAIN_UNIX */
    uint32_t session;       /**< session the source must be in; 0 = that of `epoch`, or any; default 0 */
    uint32_t least_version; /**< oldest mapping version still valid; 0 = any, the default */
    uint32_t
        forbidden_flags; /**< SNT_TIME_* bits none of which may be set, SNT_TIME_HOLDOVER for one; default 0 */
    uint32_t
        refused_events; /**< bit 1 << SNT_EVENT_x refuses event x; default transfer, receive and publish, which are
                                     later than the measurement */
    uint32_t age_of;    /**< SNT_AT_*: the moment of an interval whose age counts; default SNT_AT_FIRST */
    uint32_t reserved;  /**< 0 */
    int64_t max_age_ns; /**< oldest possible age allowed; SNT_UNKNOWN = any, the default [ns] */
    int64_t
        max_uncertainty_ns; /**< widest side of the age's bound allowed; SNT_UNKNOWN = any, the default [ns] */
    snt_epoch *epoch; /**< whose current session is expected where `session` is 0; read during the check only;
                                     NULL = none, the default */
} snt_admission_policy;

/** Why an observation was refused; bits, in the order of the procedure. */
enum {
    SNT_REFUSED_MALFORMED = 1 << 0, /**< the sample contradicts itself (SNT_ERR_RANGE) */
    SNT_REFUSED_DOMAIN = 1 << 1,    /**< another clock than expected, or than now's (SNT_ERR_DOMAIN) */
    SNT_REFUSED_SESSION = 1 << 2,   /**< another session than expected, or none (SNT_ERR_SESSION) */
    SNT_REFUSED_VERSION = 1 << 3,   /**< made by a mapping no longer valid (SNT_ERR_VERSION) */
    SNT_REFUSED_EVENT = 1 << 4,     /**< not a time of measurement (SNT_ERR_INCOMPATIBLE) */
    SNT_REFUSED_MAPPING = 1 << 5,   /**< the mapping gives no time now (SNT_ERR_INVALID_STATE, SNT_PENDING) */
    SNT_REFUSED_NO_BOUND = 1 << 6,  /**< a side of the bound is missing (SNT_ERR_UNCERTAIN) */
    SNT_REFUSED_ASSUMPTION = 1 << 7, /**< the bound rests on something forbidden (SNT_ERR_UNCERTAIN) */
    SNT_REFUSED_FUTURE =
        1 << 8, /**< certainly later than now: a broken clock or convention (SNT_ERR_FUTURE) */
    SNT_REFUSED_STALE = 1 << 9,        /**< certainly too old (SNT_ERR_STALE) */
    SNT_REFUSED_MAYBE_STALE = 1 << 10, /**< possibly too old (SNT_ERR_STALE) */
    SNT_REFUSED_UNCERTAIN = 1 << 11,   /**< the bound is wider than allowed (SNT_ERR_UNCERTAIN) */
    SNT_REFUSED_HORIZON = 1 << 12,     /**< beyond the mapping's horizon (SNT_ERR_HORIZON) */
    SNT_REFUSED_DUPLICATE = 1 << 13,   /**< the same reading came before (SNT_ERR_DUPLICATE) */
    SNT_REFUSED_BACKWARD = 1 << 14,    /**< the counter went backwards (SNT_ERR_BACKWARD) */
    SNT_REFUSED_AMBIGUOUS = 1 << 15,   /**< the counter has more than one reading (SNT_ERR_AMBIGUOUS) */
    SNT_REFUSED_RESET = 1 << 16,       /**< the device seems to have restarted (SNT_ERR_RESET_SUSPECT) */
    SNT_REFUSED_VIOLATION = 1 << 17, /**< an assumption of the mapping is proven wrong (SNT_ERR_VIOLATION) */
    SNT_REFUSED_OTHER = 1 << 18      /**< see the status */
};

/** What else a record tells; bits. */
enum {
    SNT_NOTE_CROSSES_ZERO = 1 << 0, /**< the age may be negative or positive */
    SNT_NOTE_RAW_COUNTER = 1 << 1,  /**< raw_counter was recorded */
    SNT_NOTE_NO_TIME = 1 << 2       /**< the sample never got a time: its times and ages mean nothing */
};

/**
 * All that went into a decision and what came out. The same inputs give the same outcome: ::snt_admission_redo. 216 bytes,
 * frozen.
 */
typedef struct snt_admission_record {
    uint64_t raw_counter; /**< the device's counter as received; set it where there is one, with its note */
    uint64_t sequence;    /**< acquisition number at the source */
    uint64_t token;       /**< the caller's */
    int64_t t0_ns;        /**< first moment of acquisition [ns, domain] */
    int64_t t1_ns;        /**< last moment of acquisition [ns, domain] */
    int64_t err_lo_ns;    /**< how much earlier the truth may be [ns] */
    int64_t err_hi_ns;    /**< how much later the truth may be [ns] */
    int64_t receive_ns;   /**< when the host saw it; SNT_UNKNOWN = not recorded [ns, receive_domain] */
    int64_t now_ns;       /**< reference clock at the decision [ns, now_domain] */
    int64_t now_lo_ns;    /**< it was not earlier than this [ns] */
    int64_t now_hi_ns;    /**< nor later than this [ns] */
    int64_t max_age_ns;   /**< limit at the decision; SNT_UNKNOWN = none [ns] */
    int64_t max_uncertainty_ns; /**< limit at the decision; SNT_UNKNOWN = none [ns] */
    int64_t age_ns;             /**< estimate; negative = in the future [ns] */
    int64_t age_lo_ns;          /**< not younger than this; INT64_MIN = unknown [ns] */
    int64_t age_hi_ns;          /**< not older than this; SNT_UNKNOWN = unknown [ns] */
    int64_t uncertainty_ns;     /**< wider side of the age's bound; SNT_UNKNOWN = unknown [ns] */
    uint32_t source;            /**< sensor or topic */
    uint32_t event;             /**< SNT_EVENT_* */
    uint32_t domain;            /**< clock of the sample's times */
    uint32_t session;           /**< session of the source */
    uint32_t version;           /**< mapping version */
    uint32_t flags;             /**< SNT_TIME_* bits of the sample */
    uint32_t receive_domain;    /**< clock of receive_ns */
    uint32_t now_domain;        /**< clock of now */
    uint32_t now_flags;         /**< SNT_TIME_* bits of now */
    uint32_t expected_domain;   /**< demanded at the decision */
    uint32_t expected_session;  /**< demanded at the decision; 0 = any */
    uint32_t least_version;     /**< demanded at the decision */
    uint32_t forbidden_flags;   /**< demanded at the decision */
    uint32_t refused_events;    /**< demanded at the decision */
    uint32_t age_of;            /**< SNT_AT_*, demanded at the decision */
    uint32_t notes;             /**< SNT_NOTE_* bits */
    uint32_t reasons;           /**< SNT_REFUSED_* bits; 0 = admitted */
    int32_t status;             /**< what the check returned */
    uint64_t reserved;          /**< 0 */
} snt_admission_record;

/**
 * Fill a policy with its defaults, which ask for a bound on the unix clock and nothing else. Set at least max_age_ns.
 *
 * @param[out] policy policy to fill
 * @param      size   sizeof *policy as the caller was compiled
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_admission_policy_init(snt_admission_policy *policy, size_t size);

/**
 * Decide on one observation. All reasons are collected; the status is that of the first step that failed.
 *
 * @param      policy what is demanded; NULL = defaults
 * @param      sample the observation
 * @param      now    the reference clock's time, with its own bound [ns, domain of the policy]
 * @param[out] record the evidence, filled whenever the arguments were usable, also on refusal; NULL if not wanted
 * @retval SNT_OK                admitted
 * @retval SNT_ERR_INVALID_ARG   a pointer is NULL or the policy is none; no record
 * @retval SNT_ERR_RANGE         the sample contradicts itself, or `now` is no bounded time (then no record)
 * @retval SNT_ERR_DOMAIN        the sample, or now, is on another clock
 * @retval SNT_ERR_SESSION       another session
 * @retval SNT_ERR_VERSION       a mapping version no longer valid
 * @retval SNT_ERR_INCOMPATIBLE  not a time of measurement
 * @retval SNT_ERR_UNCERTAIN     no bound, one resting on a forbidden assumption, or one too wide
 * @retval SNT_ERR_FUTURE        certainly later than now
 * @retval SNT_ERR_STALE         certainly or possibly older than allowed
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_check(const snt_admission_policy *policy, const snt_sample *sample,
                                       const snt_bounded_time *now, snt_admission_record *record);

/**
 * Record the refusal of an observation that never got a time, because its counter or mapping gave none.
 *
 * @param      status what the unwrapper or mapping returned: a failure or SNT_PENDING
 * @param      sample what is known of the observation; its times are taken to mean nothing
 * @param      now    the reference clock's time; NULL = not known
 * @param[out] record the evidence, with SNT_NOTE_NO_TIME
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (sample or record is NULL, or the status is no refusal)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_refuse(snt_status status, const snt_sample *sample,
                                        const snt_bounded_time *now, snt_admission_record *record);

/**
 * Make the decision of a record again, from its inputs alone.
 *
 * @param      record a record
 * @param[out] again  the same record with ages, reasons and status computed anew; may be `record`
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_FORMAT (its fields are none that a check can have written)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_redo(const snt_admission_record *record, snt_admission_record *again);

/** Room for any text that the format functions below write, with its NUL. */
#define SNT_ADMISSION_TEXT_SIZE 2048

/**
 * One line for people: the outcome, why, and by how much.
 *
 * @param      record a record
 * @param[out] text   such as "refused, possibly stale: age 0.028000000 s, between 0.013000000 and 0.043000000 s; at most
 *                    0.040000000 s"; without newline, cut to fit and always terminated
 * @param      size   of `text`; SNT_ADMISSION_TEXT_SIZE is enough [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_BUFFER_TOO_SMALL (cut)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_format_text(const snt_admission_record *record, char *text, size_t size);

/**
 * The names of the columns of ::snt_admission_format_csv.
 *
 * @param[out] text without newline, cut to fit and always terminated
 * @param      size of `text`; SNT_ADMISSION_TEXT_SIZE is enough [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_BUFFER_TOO_SMALL (cut)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_format_csv_header(char *text, size_t size);

/**
 * A record as a line of CSV: every field as an integer, status and reasons as names as well. SNT_UNKNOWN is
 * written as an empty field.
 *
 * @param      record a record
 * @param[out] text   without newline, cut to fit and always terminated
 * @param      size   of `text`; SNT_ADMISSION_TEXT_SIZE is enough [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_BUFFER_TOO_SMALL (cut)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_format_csv(const snt_admission_record *record, char *text, size_t size);

/**
 * A record as one JSON object on one line. Integers beyond 2⁵³ are written as they are: read them with a parser that keeps
 * 64 bits. SNT_UNKNOWN is written as null.
 *
 * @param      record a record
 * @param[out] text   without newline, cut to fit and always terminated
 * @param      size   of `text`; SNT_ADMISSION_TEXT_SIZE is enough [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_BUFFER_TOO_SMALL (cut)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_format_json(const snt_admission_record *record, char *text, size_t size);

/**
 * A reason's name.
 *
 * @param reason one SNT_REFUSED_* bit
 * @return static text such as "MAYBE_STALE"; "ADMITTED" for 0, "UNKNOWN" for what is no single reason
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_admission_reason_name(uint32_t reason);

/* ---- pairs ---- */

/** How far apart two acquisitions are. 40 bytes, frozen. */
typedef struct snt_pair_separation {
    int64_t estimate_ns; /**< between the stamped moments; for intervals between their middles [ns] */
    int64_t least_ns;    /**< not closer than this [ns] */
    int64_t
        greatest_ns; /**< |ta − tb| + ua + ub, over whole intervals where given; SNT_UNKNOWN = unknown [ns] */
    int64_t limit_ns; /**< as asked; SNT_UNKNOWN = none [ns] */
    int32_t status;   /**< what the call returned */
    uint32_t flags;   /**< SNT_TIME_* bits of both */
} snt_pair_separation;

/**
 * Whether two acquisitions are close enough together to be used as one, for certain. Each may be fresh and the pair still
 * badly aligned.
 *
 * Only like is compared with like: two whole acquisitions (instants, exposures, sweeps or model inputs given with both ends),
 * or the same moment of two of the same kind. An exposure's midpoint against a scan's start is refused; give the intervals.
 *
 * @param      a        an acquisition
 * @param      b        another
 * @param      limit_ns greatest separation allowed; SNT_UNKNOWN = any [ns]
 * @param[out] out      the facts; filled unless the arguments were unusable or not comparable; NULL if not wanted
 * @retval SNT_OK                close enough, for certain
 * @retval SNT_ERR_UNCERTAIN     may be too far apart, or a bound is missing
 * @retval SNT_ERR_GAP           too far apart, for certain
 * @retval SNT_ERR_INCOMPATIBLE  their events are not interchangeable, or are no times of measurement
 * @retval SNT_ERR_DOMAIN        different clocks
 * @retval SNT_ERR_SESSION       different sessions of one source
 * @retval SNT_ERR_RANGE         a sample contradicts itself, or limit_ns < 0
 * @retval SNT_ERR_INVALID_ARG   a or b is NULL
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_pair(const snt_sample *a, const snt_sample *b, int64_t limit_ns,
                                      snt_pair_separation *out);

/* ---- the last decisions ---- */

/** A ring of the last records. */
typedef struct snt_admission_log snt_admission_log;

/**
 * Memory a ring will take.
 *
 * @param      capacity records kept, 1..2²⁰
 * @param[out] out      [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL, or capacity out of range)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_log_size(uint32_t capacity, uint64_t *out);

/**
 * Make a ring.
 *
 * @param      capacity  records kept, 1..2²⁰
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the ring; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (capacity out of range), SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_admission_log_create(uint32_t capacity, const snt_allocator *allocator,
                                            snt_admission_log **out);

/**
 * Free a ring. No thread may still use it.
 *
 * @param log a ring, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_admission_log_destroy(snt_admission_log *log);

/**
 * Keep a record; the oldest gives way when the ring is full.
 *
 * @param log    a ring
 * @param record a record
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL)
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_log_push(snt_admission_log *log, const snt_admission_record *record);

/** What a ring holds. 32 bytes, frozen. */
typedef struct snt_admission_counts {
    uint64_t first; /**< number of the oldest record kept; records are numbered from 0 in the order pushed */
    uint64_t end;   /**< number after the newest: how many were ever pushed */
    uint64_t admitted; /**< of all ever pushed */
    uint64_t refused;  /**< of all ever pushed */
} snt_admission_counts;

/**
 * How many records there are and were.
 *
 * @param      log a ring
 * @param[out] out counts
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL)
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_log_counts(snt_admission_log *log, snt_admission_counts *out);

/**
 * A record by its number.
 *
 * @param      log    a ring
 * @param      number from `first` up to before `end`
 * @param[out] out    a copy
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_NOT_FOUND (given up by now, or not pushed yet)
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_log_get(snt_admission_log *log, uint64_t number, snt_admission_record *out);

/**
 * The newest record of an acquisition. A time stamp alone is a poor key around resets, hence source, session and sequence.
 * O(capacity).
 *
 * @param      log      a ring
 * @param      source   sensor or topic
 * @param      session  its session
 * @param      sequence acquisition number
 * @param[out] out      a copy
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_NOT_FOUND
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_admission_log_find(snt_admission_log *log, uint32_t source, uint32_t session,
                                          uint64_t sequence, snt_admission_record *out);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_ADMISSION_H */
