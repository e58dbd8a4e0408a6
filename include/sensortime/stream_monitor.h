/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stream_monitor.h
 * Watches the timing of one stream of messages: rate, jitter, gaps, delay, and what is wrong with its stamps.
 *
 * Feed every message in recorded order; ask for the report and the findings whenever you like. Memory is bounded and each
 * message costs O(1). Open one monitor per topic, and one per child frame for transforms: a topic that carries several
 * independent streams goes back and forth in time although none of them does.
 *
 * Times are compared only if they are of the same clock. The kinds of both clocks (unix, simulated, uptime…) are
 * recognised first (::snt_clock_kind); a stamp of 4 s against a log of 1.5e9 s is "not comparable", never a delay of 48
 * years.
 */
#ifndef SENSORTIME_STREAM_MONITOR_H
#define SENSORTIME_STREAM_MONITOR_H

#include "base.h"
#include "finding.h"
#include "stamp.h"
#include "timescale.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One stream's monitor. */
typedef struct snt_stream_monitor snt_stream_monitor;

/** Flags of one message: which of its fields were given. */
enum {
    SNT_STREAM_HAS_STAMP = 1 << 0,    /**< stamp_ns is set; without it only the log time is judged */
    SNT_STREAM_HAS_LOG = 1 << 1,      /**< log_ns is set */
    SNT_STREAM_HAS_SEQUENCE = 1 << 2, /**< sequence is set and grows by one with each message sent */
    SNT_STREAM_HAS_CONTENT = 1 << 3   /**< content is set */
};

/** One message. 48 bytes, frozen. */
typedef struct snt_stream_message {
    snt_time stamp_ns;   /**< the header's stamp [ns] */
    snt_time log_ns;     /**< when it was recorded or received [ns] */
    uint64_t size_bytes; /**< serialised size; 0 = not known */
    uint64_t sequence;   /**< number given by the sender */
    uint64_t content;    /**< hash of the payload without the header, to see frozen data */
    uint32_t flags;      /**< SNT_STREAM_HAS_* */
    uint32_t reserved;   /**< 0 */
} snt_stream_message;

/** Flags of a monitor. */
enum {
    SNT_STREAM_STATIC = 1 << 0,     /**< latched or static: no rate, no silence, old stamps are right */
    SNT_STREAM_EVENTUAL = 1 << 1,   /**< sent on change only: no rate, gaps or silence */
    SNT_STREAM_POST_DATED = 1 << 2, /**< stamps in the future are meant (transforms with a tolerance) */
    SNT_STREAM_CAN_REST = 1 << 3    /**< equal contents are normal (encoders at rest, status) */
};

/** How to watch. Zero is the default in every field but those that say otherwise. */
typedef struct snt_stream_monitor_config {
    uint32_t struct_size;             /**< sizeof(snt_stream_monitor_config) */
    uint32_t flags;                   /**< SNT_STREAM_STATIC, …; default 0 */
    snt_duration expected_period_ns;  /**< 0 = unknown: the median is the measure [ns] */
    uint32_t rate_tolerance_permille; /**< of the expected period, default 100 (diagnostic_updater) */
    uint32_t event_capacity;          /**< events kept until taken, default 64; 0 keeps none */
    double gap_note_factor;  /**< a step longer than this many median periods misses messages; default 1.75 */
    double gap_warn_factor;  /**< … is a warning; default 3 (bagx) */
    double gap_error_factor; /**< … is an error; default 5 (triage) */
    snt_duration gap_warn_floor_ns;  /**< and longer than this; default 50 ms [ns] */
    snt_duration gap_error_floor_ns; /**< and longer than this; default 0.5 s [ns] */
    snt_duration
        tiny_period_ns; /**< medians below this are bursts, only the floors count; default 100 µs [ns] */
    snt_duration delay_warn_ns;   /**< default 0.1 s (cartographer) [ns] */
    snt_duration delay_error_ns;  /**< default 0.5 s (cartographer) [ns] */
    snt_duration future_warn_ns;  /**< stamps ahead of the log by more than this; default 1 ms [ns] */
    snt_duration future_error_ns; /**< default 1 s (diagnostic_updater) [ns] */
    snt_duration
        step_floor_ns; /**< clock step looked for, with 100 median periods; nine tenths of it already count; default 1 s [ns] */
    snt_duration
        silence_ns; /**< silent when older than this and than 5 periods; default 1 s (autoware) [ns] */
    snt_duration
        frozen_ns; /**< frozen if unchanged for this long and 10 messages; default 2 s (triage) [ns] */
    snt_duration drift_span_ns;  /**< no trend below this span; default 10 s [ns] */
    uint32_t duplicate_permille; /**< repeated stamps are a finding from this share on; default 10 (doctor) */
    uint32_t stamp_domain;       /**< SNT_DOMAIN_* of stamps; 0 = recognise */
    uint32_t log_domain;         /**< SNT_DOMAIN_* of log times; 0 = recognise */
    uint32_t reserved;           /**< 0 */
} snt_stream_monitor_config;

/**
 * Intervals between successive times of one clock. 112 bytes, frozen. "Within 1/32" means that or 32 ns, whichever is
 * more; SNT_UNKNOWN and NaN mean "none seen".
 */
typedef struct snt_interval_stats {
    uint64_t steps;             /**< steps seen, of any sign */
    uint64_t forward;           /**< steps > 0: the statistics below are over these */
    uint64_t equal;             /**< steps of 0 */
    uint64_t backward;          /**< steps < 0, in the order given */
    snt_duration worst_back_ns; /**< longest step back, as a positive number; 0 = none [ns] */
    snt_duration min_ns;        /**< shortest, exact [ns] */
    snt_duration max_ns;        /**< longest, exact [ns] */
    snt_duration median_ns;     /**< exact up to 64 steps, then within 1/32 [ns] */
    snt_duration p05_ns;        /**< 5 % are shorter, within 1/32 [ns] */
    snt_duration p95_ns;        /**< 5 % are longer, within 1/32 [ns] */
    snt_duration jitter_p95_ns; /**< 95 % lie within this of the median; within 1/32 of the interval [ns] */
    double mean_ns;             /**< [ns] */
    double std_ns;              /**< sample standard deviation [ns] */
    double rate_hz; /**< steps not backward per second moved forward; NaN where there is none [Hz] */
} snt_interval_stats;

/** Delay = log − stamp, where both are of one clock. 160 bytes, frozen. */
typedef struct snt_delay_stats {
    uint64_t count;         /**< messages compared */
    uint64_t incomparable;  /**< messages whose two times are of different clocks */
    snt_duration min_ns;    /**< exact; this and all below SNT_UNKNOWN or NaN with count 0 [ns] */
    snt_duration max_ns;    /**< exact [ns] */
    snt_duration median_ns; /**< within 1/32 of its distance to the first delay [ns] */
    snt_duration p05_ns;    /**< likewise [ns] */
    snt_duration p95_ns;    /**< likewise [ns] */
    double mean_ns;         /**< [ns] */
    double std_ns;          /**< [ns] */
    double span_s;          /**< from the first to the last log time compared [s] */
    double
        offset_ns; /**< b of log = (1 + drift)·stamp + b at the middle of the span, by least squares [ns] */
    double drift_ppb;       /**< slope of the delay, least squares; NaN below drift_span_ns [ns/s] */
    double drift_error_ppb; /**< its standard error; NaN likewise [ns/s] */
    double jitter_ns; /**< ε: standard deviation about that line; NaN with fewer than 3 messages [ns] */
    double floor_ppb; /**< slope of the lower envelope: delays only ever add. NaN likewise [ns/s] */
    double floor_first_ppb;  /**< … over the first half of the span, to show bends [ns/s] */
    double floor_second_ppb; /**< … over the second half [ns/s] */
    double floor_error_ns;   /**< largest height of a block's least delay over that envelope [ns] */
    uint64_t future;         /**< stamps ahead of the log by more than future_warn_ns */
    uint32_t comparable;     /**< 1 = same clock, 0 = not (or nothing to compare) */
    uint32_t clock_kind;     /**< SNT_LOOKS_*: what the gap really is; SNT_LOOKS_SAME = a delay */
} snt_delay_stats;

/** Everything known about the stream. 632 bytes, frozen. */
typedef struct snt_stream_report {
    uint64_t messages; /**< given */
    uint64_t bytes;    /**< sum of sizes */
    snt_time
        first_stamp_ns;     /**< of the first message with a stamp other than zero; SNT_UNKNOWN = none [ns] */
    snt_time last_stamp_ns; /**< of the last such; SNT_UNKNOWN = none [ns] */
    snt_time first_log_ns;  /**< SNT_UNKNOWN = none [ns] */
    snt_time last_log_ns;   /**< SNT_UNKNOWN = none [ns] */
    snt_interval_stats stamps; /**< intervals of stamps other than zero */
    snt_interval_stats log;    /**< intervals of log times */
    snt_delay_stats delay;     /**< log − stamp */
    double bandwidth_bps; /**< bytes per second of log time after the first message; NaN without span [B/s] */
    snt_duration
        period_ns;        /**< measure of gaps: expected or median period; SNT_UNKNOWN = not known yet [ns] */
    uint64_t zero_stamps; /**< messages stamped 0 */
    uint64_t frozen_stamps;       /**< messages in runs of one stamp that count as frozen */
    uint64_t frozen_contents;     /**< messages in runs of one content that count as frozen */
    uint64_t gaps;                /**< steps that miss messages (gap_note_factor) */
    uint64_t gaps_warning;        /**< of these, longer than the warning limit */
    uint64_t gaps_error;          /**< of these, longer than the error limit */
    uint64_t missing_lo;          /**< messages missing in all gaps, at least */
    uint64_t missing_hi;          /**< messages missing in all gaps, at most */
    snt_duration longest_gap_ns;  /**< 0 = none [ns] */
    snt_time longest_gap_at_ns;   /**< stamp before it; SNT_UNKNOWN = none [ns] */
    uint64_t bursts;              /**< times delivery stopped while stamps went on evenly */
    uint64_t burst_messages;      /**< messages that then came at once */
    snt_duration longest_hold_ns; /**< longest such stop of delivery [ns] */
    uint64_t host_steps;          /**< steps of log and stamps together */
    snt_duration host_step_ns;    /**< largest such step, signed [ns] */
    snt_time host_step_at_ns;     /**< log time before it; SNT_UNKNOWN = none [ns] */
    uint64_t stamp_jumps;         /**< steps of the stamps alone */
    snt_duration stamp_jump_ns;   /**< largest such step, signed [ns] */
    uint64_t lost;                /**< messages missing by their sequence numbers */
    uint64_t reordered;           /**< sequence numbers that went back or repeated */
    uint64_t events_dropped;      /**< events not taken in time */
    uint32_t
        stamp_kind; /**< SNT_LOOKS_* that most have: SNT_LOOKS_UNIX, _SIMULATED (in steps of 0.1 ms or more), _UPTIME… */
    uint32_t
        log_kind; /**< SNT_LOOKS_* that most have: SNT_LOOKS_UNIX, _SIMULATED (in steps of 0.1 ms or more), _UPTIME… */
    uint32_t mixed_kinds; /**< 1 = stamps of two kinds were seen */
    uint32_t silent;      /**< 1 = the last poll found it silent */
} snt_stream_report;

/** Something that happened at one message. 64 bytes, frozen. */
typedef struct snt_stream_event {
    uint64_t index;        /**< 0-based index of the message */
    snt_time stamp_ns;     /**< its stamp; SNT_UNKNOWN = none [ns] */
    snt_time log_ns;       /**< its log time; SNT_UNKNOWN = none [ns] */
    snt_duration step_ns;  /**< step of the stamp (or log) from the message before [ns] */
    snt_duration other_ns; /**< step of the log, for the same pair; SNT_UNKNOWN = none [ns] */
    uint64_t missing_lo;   /**< messages missing at least (gaps, sequence) */
    uint64_t missing_hi;   /**< messages missing at most */
    uint32_t code;         /**< SNT_FINDING_* */
    uint32_t severity;     /**< SNT_SEVERITY_* */
} snt_stream_event;

/**
 * Fill a config with the defaults.
 *
 * @param[out] config what to fill; NULL does nothing
 * @param      size   sizeof(snt_stream_monitor_config) of the caller [bytes]
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_stream_monitor_config_init(snt_stream_monitor_config *config, size_t size);

/**
 * Memory a monitor takes: about 60 KB.
 *
 * @param      config how to watch; NULL = defaults
 * @param[out] bytes  the size
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_stream_monitor_size(const snt_stream_monitor_config *config, uint64_t *bytes);

/**
 * Make a monitor.
 *
 * @param      config    how to watch; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the monitor; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a factor or duration is negative or not finite, or size), SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_stream_monitor_create(const snt_stream_monitor_config *config,
                                             const snt_allocator *allocator, snt_stream_monitor **out);

/**
 * Free a monitor.
 *
 * @param monitor a monitor, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_stream_monitor_destroy(snt_stream_monitor *monitor);

/**
 * Forget everything seen; the config stays.
 *
 * @param monitor a monitor; NULL does nothing
 * @thread L  @alloc never  @since 1.0
 */
SNT_API void snt_stream_monitor_reset(snt_stream_monitor *monitor);

/**
 * Give the next message, in recorded or received order.
 *
 * @param monitor a monitor
 * @param message the message
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG null, or neither stamp nor log time given
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_stream_monitor_add(snt_stream_monitor *monitor, const snt_stream_message *message);

/**
 * Give many messages at once: the same as adding them one by one.
 *
 * @param monitor  a monitor
 * @param messages array of messages
 * @param count    how many
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (null, or a message without any time: those before it were taken)
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_stream_monitor_add_many(snt_stream_monitor *monitor,
                                               const snt_stream_message *messages, uint64_t count);

/**
 * Is the stream alive? Ask now and then, and at the end of a recording. The first poll of a monitor without messages starts
 * its waiting time.
 *
 * @param monitor a monitor
 * @param now     current log time [ns, clock of the log]
 * @retval SNT_OK          alive, static, or still within its waiting time
 * @retval SNT_ERR_TIMEOUT no message at all, or none for longer than silence_ns and five periods
 * @retval SNT_ERR_INVALID_ARG null
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_stream_monitor_poll(snt_stream_monitor *monitor, snt_time now);

/**
 * No more messages for now: judge the steps that still wait, so that all events are out. Reports and findings count these
 * anyway. More messages may follow.
 *
 * @param monitor a monitor
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (null)
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_stream_monitor_finish(snt_stream_monitor *monitor);

/**
 * Everything known so far.
 *
 * @param      monitor a monitor
 * @param[out] out     the report
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (null)
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_stream_monitor_report(snt_stream_monitor *monitor, snt_stream_report *out);

/**
 * Take the oldest event not taken yet. When the ring is full the oldest is dropped and counted. The first steps are
 * judged when 8 of them are known (or at the end), a long step when the next one has come; so events come late, but in
 * order.
 *
 * @param      monitor a monitor
 * @param[out] out     the event
 * @retval SNT_OK, SNT_EMPTY, SNT_ERR_INVALID_ARG (null)
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_stream_monitor_next_event(snt_stream_monitor *monitor, snt_stream_event *out);

/**
 * The verdicts on what was seen so far, errors first.
 *
 * @param      monitor  a monitor
 * @param[out] out      receives up to `capacity` findings; may be NULL if `capacity` is 0
 * @param      capacity room in `out`; 32 always suffice
 * @param[out] count    how many there are
 * @retval SNT_OK
 * @retval SNT_ERR_BUFFER_TOO_SMALL `out` is full, `count` says how many there are
 * @retval SNT_ERR_INVALID_ARG null
 * @thread L  @alloc never  @since 1.0
 */
SNT_API snt_status snt_stream_monitor_findings(snt_stream_monitor *monitor, snt_finding *out,
                                               uint32_t capacity, uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_STREAM_MONITOR_H */
