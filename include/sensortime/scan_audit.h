/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file scan_audit.h
 * When was each point of a scan measured, can it be deskewed with the IMU at hand, and is anything missing?
 *
 * Give scans and IMU stamps in recorded order, in any interleaving; take one report per scan, in order. A report is final
 * when the IMU has passed the scan's end, the first scans have shown what is usual, and the next scan (or the end of the
 * recording) has told whether this one lies at an edge. ::snt_scan_auditor_finish makes all that wait final.
 *
 * Loss signals are suspicions and stay apart from proof: `suspicion` says why a scan looks incomplete; `proof` is set
 * only by sequence numbers or column ids that the caller counted.
 */
#ifndef SENSORTIME_SCAN_AUDIT_H
#define SENSORTIME_SCAN_AUDIT_H

#include "base.h"
#include "cloud.h"
#include "finding.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One lidar's auditor. */
typedef struct snt_scan_auditor snt_scan_auditor;

/** In which order a cloud stores its points. */
enum {
    SNT_ORDER_UNKNOWN = 0, /**< none of these: the driver's own */
    SNT_ORDER_TIME = 1,    /**< times never decrease */
    SNT_ORDER_RING = 2,    /**< ring after ring, each in time */
    SNT_ORDER_AZIMUTH = 3, /**< round the vertical axis, not in time */
    SNT_ORDER_ECHO = 4,    /**< all first returns, then all second ones: time starts over once per return */
    SNT_ORDER_PACKET = 5   /**< pieces in time, the pieces out of order or overlapping */
};

/** Why a scan is suspected to miss packets. Bits of snt_scan_report.suspicion. */
enum {
    SNT_LOSS_POINT_COUNT = 1 << 0,    /**< far fewer points than usual */
    SNT_LOSS_DURATION = 1 << 1,       /**< unusually short or long */
    SNT_LOSS_TIME_GAP = 1 << 2,       /**< a hole between the sorted point times */
    SNT_LOSS_EMPTY_RINGS = 1 << 3,    /**< rings without points that usually have some */
    SNT_LOSS_HEADER_INTERVAL = 1 << 4 /**< the header came unusually late after the one before */
};

/** What proves a loss. Bits of snt_scan_report.proof. */
enum {
    SNT_PROOF_SEQUENCE = 1 << 0, /**< packet sequence numbers were missing */
    SNT_PROOF_COLUMNS = 1 << 1   /**< fewer columns than the sensor sends */
};

/** Properties of a report. Bits of snt_scan_report.flags. */
enum {
    SNT_SCAN_MONOTONIC = 1 << 0,     /**< point times never decrease in array order */
    SNT_SCAN_NO_TIME = 1 << 1,       /**< no usable point time: absent, constant or all invalid */
    SNT_SCAN_CONSTANT_TIME = 1 << 2, /**< two or more points, all of one time */
    SNT_SCAN_FIRST = 1 << 3,         /**< first of the recording: may be cut */
    SNT_SCAN_LAST = 1 << 4,          /**< last of the recording: may be cut */
    SNT_SCAN_BEFORE_IMU = 1 << 5,    /**< starts before the first IMU sample: at the edge, nobody's fault */
    SNT_SCAN_AFTER_IMU = 1 << 6, /**< ends up to 1 s after the last IMU sample of the recording: likewise */
    SNT_SCAN_IMU_BRACKETED = 1 << 7, /**< an IMU sample at or before the start and one at or after the end */
    SNT_SCAN_IMU_FORCED = 1 << 8,    /**< reported before the IMU had passed its end: too many scans waited */
    SNT_SCAN_IMU_CLOCK = 1 << 9,     /**< the IMU's times are of another clock: margins unknown */
    SNT_SCAN_IMU_RESET = 1 << 10,    /**< the IMU's stamps stepped back while it waited */
    SNT_SCAN_NO_IMU = 1 << 11,       /**< no IMU sample was ever given */
    SNT_SCAN_GAP_BOUND = 1 << 12,    /**< sorted gap is a lower bound: more points than scratch_points */
    SNT_SCAN_RINGS_UNTRACKED = 1 << 13, /**< ring numbers beyond max_rings */
    SNT_SCAN_EDGE = 1 << 14,            /**< any of first, last, before or after IMU: marked, not blamed */
    SNT_SCAN_WARMUP = 1 << 15,          /**< too few scans to know what is usual: suspicion was not judged */
    SNT_SCAN_UNSIGNED_WRAP = 1 << 16    /**< u32 nanoseconds from 2^31 on were read as negative */
};

/** How to audit. Fill with snt_scan_auditor_config_init; zero is the default only where said. */
typedef struct snt_scan_auditor_config {
    uint32_t struct_size;    /**< sizeof(snt_scan_auditor_config) */
    uint32_t flags;          /**< SNT_SCAN_AUDIT_*; default 0 */
    uint32_t imu_capacity;   /**< IMU stamps kept, default 4096 */
    uint32_t scan_capacity;  /**< scans that may wait for their IMU, default 64 */
    uint32_t max_rings;      /**< rings kept track of, numbered 0…max_rings-1, default 1024 */
    uint32_t scratch_points; /**< points whose sorted gap is exact, default 262 144 (8 bytes each, twice) */
    uint32_t warmup_scans;   /**< scans that show what is usual before any is judged, default 5 */
    uint32_t reserved;       /**< 0 */
    snt_duration period_ns;  /**< expected from scan to scan; 0 = learn from headers [ns] */
    snt_duration
        large_gap_ns; /**< adjacent steps counted as large; 0 = 5 % of the usual duration, >= 5 ms [ns] */
    snt_duration min_duration_ns; /**< shortest believable scan; default 1 ms [ns] */
    snt_duration max_duration_ns; /**< longest believable scan; default 1.5 s [ns] */
    snt_duration imu_hole_ns;     /**< a hole in the IMU worth a finding; default 50 ms (cartographer) [ns] */
    snt_duration imu_reset_ns;    /**< a step back of the IMU that starts over; default 200 ms [ns] */
    double count_factor;          /**< suspicious below this share of the usual point count; default 0.7 */
    double duration_factor;       /**< suspicious if this share away from the usual duration; default 0.2 */
    double gap_factor;      /**< suspicious above this many usual sorted gaps (and large_gap); default 5 */
    double interval_factor; /**< suspicious above this many usual header intervals; default 1.5 */
} snt_scan_auditor_config;

enum {
    SNT_SCAN_AUDIT_LIVE = 1 << 0,  /**< do not wait for the next scan: SNT_SCAN_LAST is never set */
    SNT_SCAN_AUDIT_NO_IMU = 1 << 1 /**< no IMU will come: do not wait for it */
};

/** What one pass over a cloud's points says about their times. 208 bytes, frozen. */
typedef struct snt_point_stats {
    uint64_t points;             /**< in the cloud */
    uint64_t timed;              /**< with a usable time */
    uint64_t nan_times;          /**< NaN times */
    uint64_t invalid_times;      /**< infinite, or more than 146 years from zero */
    uint64_t nonfinite_points;   /**< x, y or z NaN or infinite */
    uint64_t zero_points;        /**< x, y and z exactly 0: no return */
    uint64_t zero_times;         /**< times whose stored value is 0 */
    uint64_t negative_times;     /**< relative times below 0 */
    uint64_t beyond_period;      /**< times more than one period away from the scan's median time */
    uint64_t wrapped_times;      /**< u32 values from 2^31 on, read as negative */
    uint64_t negative_jumps;     /**< steps back in array order */
    uint64_t equal_steps;        /**< steps of 0 in array order */
    uint64_t large_gaps;         /**< steps, of either sign, longer than the large-gap limit */
    snt_time min_ns;             /**< earliest, absolute; SNT_UNKNOWN if none [ns] */
    snt_time max_ns;             /**< latest; SNT_UNKNOWN if none [ns] */
    snt_duration min_step_ns;    /**< smallest step in array order, signed [ns] */
    snt_duration max_step_ns;    /**< largest step in array order, signed [ns] */
    snt_duration max_gap_ns;     /**< largest magnitude of a step in array order [ns] */
    snt_duration sorted_gap_ns;  /**< largest gap between times in ascending order, exact [ns] */
    snt_time sorted_gap_at_ns;   /**< time at which that gap begins; SNT_UNKNOWN if none [ns] */
    snt_duration robust_span_ns; /**< from the 0.1 % to the 99.9 % quantile of times [ns] */
    uint64_t ring_jumps;         /**< steps back within a ring */
    uint32_t rings;              /**< rings with points */
    uint32_t rings_monotonic;    /**< of these, with times that never decrease */
    uint32_t order;              /**< SNT_ORDER_* */
    uint32_t flags;              /**< SNT_SCAN_* bits that concern points */
    snt_duration quantum_ns; /**< step of the time's type at its largest value: 256 for ns in a double [ns] */
    double
        unit_factor; /**< believable if the declared unit were this many times larger; 1 = fine; 0 = never */
} snt_point_stats;

/** One scan as the caller has it. 72 bytes, frozen. */
typedef struct snt_scan_input {
    snt_time header_ns;        /**< header stamp; SNT_UNKNOWN = none [ns] */
    snt_time receive_ns;       /**< received or recorded; SNT_UNKNOWN = not known [ns] */
    uint64_t token;            /**< the caller's; comes back in the report */
    uint64_t lost_packets;     /**< packets missing by sequence number, with HAS_SEQUENCE */
    uint64_t columns;          /**< columns present, with HAS_COLUMNS */
    uint64_t columns_expected; /**< columns a whole scan has, with HAS_COLUMNS */
    uint64_t valid_points; /**< points with a return, with HAS_VALID_POINTS: for clouds without coordinates */
    snt_duration period_ns; /**< from scan to scan (scan_time of a LaserScan); 0 = not known [ns] */
    uint32_t flags;         /**< SNT_SCAN_INPUT_* */
    uint32_t reserved;      /**< 0 */
} snt_scan_input;

/** Which fields of an input are set. */
enum {
    SNT_SCAN_INPUT_HAS_SEQUENCE = 1 << 0,    /**< lost_packets is counted from sequence numbers */
    SNT_SCAN_INPUT_HAS_COLUMNS = 1 << 1,     /**< columns and columns_expected are set */
    SNT_SCAN_INPUT_HAS_VALID_POINTS = 1 << 2 /**< valid_points is set */
};

/**
 * One scan audited. 424 bytes, frozen. Durations that are not known are SNT_UNKNOWN.
 *
 * The article's fields: scan_id, header_ns = header_timestamp, points.min_ns and max_ns = minimum and
 * maximum_point_time, duration_ns = scan_duration, points.points = point_count, SNT_SCAN_MONOTONIC =
 * timestamp_monotonicity, points.negative_jumps = negative_time_jump_count, points.max_gap_ns = max_point_time_gap,
 * imu_start_margin_ns and imu_end_margin_ns, suspicion != 0 = dropped_packet_flag.
 */
typedef struct snt_scan_report {
    uint64_t scan_id;                 /**< 0-based, in order of adding */
    uint64_t token;                   /**< the caller's */
    snt_time header_ns;               /**< header stamp [ns] */
    snt_time receive_ns;              /**< received or recorded [ns] */
    snt_duration duration_ns;         /**< latest − earliest point time [ns] */
    snt_duration header_interval_ns;  /**< from the header before; SNT_UNKNOWN for the first [ns] */
    snt_duration header_offset_ns;    /**< earliest point − header: 0 = header is the start [ns] */
    snt_duration latency_ns;          /**< receive − latest point: buffering and transport [ns] */
    snt_duration overlap_ns;          /**< end of the scan before − start of this one; > 0 overlaps [ns] */
    snt_duration imu_start_margin_ns; /**< start − earliest IMU stamp in the buffer; < 0 = uncovered [ns] */
    snt_duration imu_end_margin_ns;   /**< latest IMU stamp in the buffer − end; < 0 = uncovered [ns] */
    snt_duration imu_start_nearest_ns; /**< start − last IMU stamp at or before it [ns] */
    snt_duration imu_end_nearest_ns;   /**< first IMU stamp at or after the end − end [ns] */
    snt_duration
        imu_arrival_margin_ns; /**< latest IMU stamp − end when the scan was given: < 0 = had to wait [ns] */
    snt_duration imu_largest_hole_ns; /**< longest time without IMU inside the scan, brackets included [ns] */
    uint64_t imu_inside;              /**< IMU stamps within [start, end] */
    uint64_t valid_points;            /**< points with finite, non-zero coordinates */
    uint64_t empty_rings;             /**< rings without points that usually have some */
    uint64_t lost_packets;            /**< proven, by sequence number or column */
    uint32_t suspicion;               /**< SNT_LOSS_* bits */
    uint32_t proof;                   /**< SNT_PROOF_* bits */
    uint32_t flags;                   /**< SNT_SCAN_* bits */
    uint32_t header_event;            /**< SNT_EVENT_SWEEP_START, _MID, _END, SNT_EVENT_RECEIVE or 0 */
    snt_duration usual_duration_ns;   /**< median it was judged by; SNT_UNKNOWN in warm-up [ns] */
    snt_duration usual_gap_ns;        /**< median sorted gap it was judged by [ns] */
    snt_duration usual_interval_ns;   /**< median header interval it was judged by [ns] */
    uint64_t usual_points;            /**< median of valid points it was judged by; 0 in warm-up */
    snt_duration large_gap_limit_ns;  /**< steps longer than this were counted as large [ns] */
    snt_time imu_hole_at_ns;          /**< stamp before the largest hole; SNT_UNKNOWN = none [ns] */
    snt_point_stats points;           /**< what the points say */
} snt_scan_report;

/** All scans together: the article's results table. 328 bytes, frozen. Medians are within 1/32. */
typedef struct snt_scan_summary {
    uint64_t scans;                        /**< reports made final */
    uint64_t waiting;                      /**< scans not final yet */
    uint64_t timed;                        /**< scans with usable point times */
    uint64_t monotonic;                    /**< scans in time order */
    uint64_t suspected;                    /**< scans with a suspicion */
    uint64_t proven;                       /**< scans with a proven loss */
    uint64_t lost_packets;                 /**< packets proven lost */
    uint64_t edge;                         /**< scans at the recording's edges */
    uint64_t uncovered;                    /**< scans not at an edge that the IMU does not bracket */
    uint64_t reports_dropped;              /**< reports not taken before their place was needed */
    uint64_t imu_samples;                  /**< IMU stamps given */
    uint64_t imu_backward;                 /**< IMU stamps that stepped back */
    uint64_t imu_duplicate;                /**< IMU stamps that repeat */
    snt_duration imu_worst_back_ns;        /**< longest step back [ns] */
    uint64_t points_median;                /**< points per scan */
    snt_duration duration_median_ns;       /**< scan duration; SNT_UNKNOWN = none [ns] */
    snt_duration interval_median_ns;       /**< header interval; SNT_UNKNOWN = none [ns] */
    snt_duration imu_start_nearest_max_ns; /**< over scans not at an edge; SNT_UNKNOWN = none [ns] */
    snt_duration imu_end_nearest_max_ns;   /**< likewise [ns] */
    uint64_t imu_inside_median;            /**< IMU stamps per scan */
    snt_duration imu_hole_max_ns;          /**< longest hole inside a scan [ns] */
    snt_duration point_gap_max_ns;         /**< largest step between neighbours, any scan [ns] */
    snt_duration sorted_gap_max_ns;        /**< largest sorted gap, any scan [ns] */
    uint64_t sorted_gap_scan;              /**< scan_id of that */
    snt_duration overlap_max_ns;           /**< largest overlap with the scan before; may be < 0 [ns] */
    snt_duration header_offset_median_ns;  /**< first point − header; SNT_UNKNOWN = none [ns] */
    double header_offset_std_ns;           /**< its standard deviation [ns] */
    snt_duration latency_min_ns;           /**< receive − scan end; SNT_UNKNOWN = not known [ns] */
    snt_duration latency_median_ns;        /**< likewise [ns] */
    snt_duration latency_max_ns;           /**< likewise [ns] */
    double latency_std_ns;                 /**< likewise [ns] */
    uint32_t latency_constant;             /**< 1 = standard deviation below 5 ms or 10 % of the period */
    uint32_t header_event;                 /**< what the header means in most scans, as in the report */
    double header_offset_b_ns; /**< b of receive = (1 + drift)·header + b, in the middle of the span [ns] */
    double header_drift_ppb;   /**< drift of it, least squares; NaN below 10 s [ns/s] */
    double header_drift_error_ppb; /**< its standard error; NaN likewise [ns/s] */
    double header_jitter_ns;       /**< ε: standard deviation about that line [ns] */
    uint32_t order;                /**< SNT_ORDER_* of most scans */
    uint32_t rings_max;            /**< most rings in a scan */
    double monotonic_ratio;        /**< of the timed scans; NaN without any */
    double suspected_ratio;        /**< of the scans; NaN without any */
    double unit_factor;      /**< snt_point_stats.unit_factor of most scans; 1 = the unit is believable */
    snt_duration quantum_ns; /**< coarsest step of the time's type [ns] */
} snt_scan_summary;

/**
 * Fill a config with the defaults.
 *
 * @param[out] config what to fill; NULL does nothing
 * @param      size   sizeof(snt_scan_auditor_config) of the caller [bytes]
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_scan_auditor_config_init(snt_scan_auditor_config *config, size_t size);

/**
 * Memory an auditor takes: about 4.6 MB with the defaults, nearly all of it scratch_points.
 *
 * @param      config how to audit; NULL = defaults
 * @param[out] bytes  the size
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_scan_auditor_size(const snt_scan_auditor_config *config, uint64_t *bytes);

/**
 * Make an auditor.
 *
 * @param      config    how to audit; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the auditor; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (negative or not finite, or size), SNT_ERR_RANGE (a capacity is 0 or above 2^24),
 * SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_scan_auditor_create(const snt_scan_auditor_config *config,
                                           const snt_allocator *allocator, snt_scan_auditor **out);

/**
 * Free an auditor.
 *
 * @param auditor an auditor, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_scan_auditor_destroy(snt_scan_auditor *auditor);

/**
 * Forget everything seen; the config stays.
 *
 * @param auditor an auditor; NULL does nothing
 * @thread H  @alloc never  @since 1.0
 */
SNT_API void snt_scan_auditor_reset(snt_scan_auditor *auditor);

/**
 * Give the next scan with its points. They are read during the call only: O(points), exact sorted gap included.
 *
 * @param auditor an auditor
 * @param input   header, time of reception and what proves losses
 * @param cloud   the points; their times absolute, or relative to time_base_ns. The rays of a LaserScan are points, too
 * @retval SNT_OK               (points without usable time are reported with SNT_SCAN_NO_TIME)
 * @retval SNT_ERR_INVALID_ARG  null, or a contradiction in the cloud (::snt_cloud_check)
 * @retval SNT_ERR_OVERFLOW     a field's stride times the count does not fit 63 bits
 * @retval SNT_ERR_INVALID_STATE finished: reset first
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_scan_auditor_add_scan(snt_scan_auditor *auditor, const snt_scan_input *input,
                                             const snt_cloud *cloud);

/**
 * Give the next IMU stamp, in recorded order. Slightly late ones are sorted in; a large step back starts over.
 *
 * @param auditor an auditor
 * @param stamp   IMU header stamp [ns]
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG  null
 * @retval SNT_ERR_DUPLICATE    the stamp is there already (counted, not kept)
 * @retval SNT_ERR_PAST         older than all that is kept (counted, not kept)
 * @retval SNT_ERR_INVALID_STATE finished: reset first
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_scan_auditor_add_imu(snt_scan_auditor *auditor, snt_time stamp);

/**
 * Give many IMU stamps at once: the same as adding them one by one; duplicates and late ones are counted, no failure.
 *
 * @param auditor an auditor
 * @param stamps  first stamp [ns]; each may have any alignment
 * @param stride  from one stamp to the next [bytes]
 * @param count   how many
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (null), SNT_ERR_INVALID_STATE (finished: reset first)
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_scan_auditor_add_imu_many(snt_scan_auditor *auditor, const void *stamps,
                                                 int64_t stride, uint64_t count);

/**
 * The recording is over: what waits becomes final, scans at the edges are marked.
 *
 * @param auditor an auditor
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (null)
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_scan_auditor_finish(snt_scan_auditor *auditor);

/**
 * Take the next final report, in order of the scans.
 *
 * @param      auditor an auditor
 * @param[out] out     the report
 * @retval SNT_OK
 * @retval SNT_PENDING scans wait for IMU, warm-up or the next scan
 * @retval SNT_EMPTY   no scan waits
 * @retval SNT_ERR_INVALID_ARG null
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_scan_auditor_next(snt_scan_auditor *auditor, snt_scan_report *out);

/**
 * All final scans together.
 *
 * @param      auditor an auditor
 * @param[out] out     the summary
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (null)
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_scan_auditor_summary(const snt_scan_auditor *auditor, snt_scan_summary *out);

/**
 * The verdicts on the final scans, errors first.
 *
 * @param      auditor  an auditor
 * @param[out] out      receives up to `capacity` findings; may be NULL if `capacity` is 0
 * @param      capacity room in `out`; 32 always suffice
 * @param[out] count    how many there are
 * @retval SNT_OK
 * @retval SNT_ERR_BUFFER_TOO_SMALL `out` is full, `count` says how many there are
 * @retval SNT_ERR_INVALID_ARG null
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_scan_auditor_findings(const snt_scan_auditor *auditor, snt_finding *out,
                                             uint32_t capacity, uint32_t *count);

/**
 * Only the pass over the points, without any history: O(points).
 *
 * @param      auditor   lends its scratch memory; its history is not touched
 * @param      cloud     the points
 * @param      period_ns expected from scan to scan; 0 = not known [ns]
 * @param[out] out       what the points say
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_OVERFLOW as ::snt_scan_auditor_add_scan
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_scan_auditor_points(snt_scan_auditor *auditor, const snt_cloud *cloud,
                                           snt_duration period_ns, snt_point_stats *out);

/**
 * The order in words.
 *
 * @param order SNT_ORDER_*
 * @return static text such as "ring by ring"
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_order_text(uint32_t order);

/**
 * The reasons of a suspicion in words: "point count, time gap".
 *
 * @param      suspicion SNT_LOSS_* bits
 * @param[out] text      receives the text, cut to fit and always terminated
 * @param      size      room in `text` [bytes]
 * @retval SNT_OK
 * @retval SNT_ERR_BUFFER_TOO_SMALL the text was cut
 * @retval SNT_ERR_INVALID_ARG a null pointer
@thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_loss_format(uint32_t suspicion, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_SCAN_AUDIT_H */
