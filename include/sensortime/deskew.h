/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file deskew.h
 * Undo the motion inside a scan: each point, measured at its own time, as if all had been measured at one instant.
 *
 * A *plan* describes the motion during one scan. It is built from a constant twist, two poses, pose knots, an IMU buffer
 * or a path of a transform buffer, and rebuilt for every scan without allocation. *Applying* it moves points where they
 * are, whatever the layout of the cloud and the order of its points, and leaves every other byte alone. The plan knows
 * how wrong it can be: snt_deskew_get_bound() adds up approximation, rounding, the resolution of the time field, the clock
 * and the gaps between poses, in metres.
 *
 * What a point becomes depends on its own coordinates and time, never on its neighbours, its place in the cloud, how the
 * cloud is split over threads, or the processor: kernels with fused multiply-add give the same bits as one another, and
 * so do those without. Between these two classes results differ by less than 4·10⁻⁵ m at 200 m.
 *
 * The body moves, the sensor is fixed to it by T_body_sensor, and poses are T_fixed_body. The result of a point p
 * measured at t is T_fixed_sensor(reference)⁻¹ · T_fixed_sensor(t) · p, or with SNT_DESKEW_OUTPUT_FIXED
 * T_fixed_sensor(t) · p.
 */
#ifndef SENSORTIME_DESKEW_H
#define SENSORTIME_DESKEW_H

#include "base.h"
#include "cloud.h"
#include "imu_buffer.h"
#include "pose.h"
#include "sample.h"
#include "stamp.h"
#include "tf_buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A plan: the motion during one scan, ready to be applied. */
typedef struct snt_deskew snt_deskew;

/** Instruction sets. Those of one class (fused multiply-add or not) give the same bits. */
enum {
    SNT_KERNEL_AUTO = 0,       /**< the fastest this processor has */
    SNT_KERNEL_SCALAR = 1,     /**< plain C, not fused */
    SNT_KERNEL_SSE2 = 2,       /**< x86, not fused */
    SNT_KERNEL_SCALAR_FMA = 3, /**< C with fmaf(), fused */
    SNT_KERNEL_AVX2 = 4,       /**< x86 with AVX2 and FMA, fused */
    SNT_KERNEL_AVX512 = 5,     /**< x86 with AVX-512 F, DQ, BW and VL, fused */
    SNT_KERNEL_NEON = 6        /**< 64-bit ARM, fused */
};

/** The instant that all points are brought to. */
enum {
    SNT_REF_START = 0, /**< snt_deskew_scan.begin_ns */
    SNT_REF_MID = 1,   /**< halfway, rounded down */
    SNT_REF_END = 2,   /**< snt_deskew_scan.end_ns */
    SNT_REF_AT = 3     /**< snt_deskew_scan.reference_ns: the header, or any other time */
};

/** Which frame the points end in. */
enum {
    SNT_DESKEW_OUTPUT_SENSOR = 0, /**< the sensor as it stood at the reference time */
    SNT_DESKEW_OUTPUT_FIXED = 1   /**< the fixed frame of the poses */
};

/** What happens to a point whose motion or time is not known. */
enum {
    SNT_DESKEW_CLAMP = 0,       /**< use the nearest known pose */
    SNT_DESKEW_EXTRAPOLATE = 1, /**< go on with the last twist up to the limit, then clamp */
    SNT_DESKEW_KEEP = 2,        /**< leave the point as it is */
    SNT_DESKEW_DROP = 3,        /**< set its coordinates to NaN */
    SNT_DESKEW_FAIL = 4         /**< change no point at all and return an error */
};

/** What was said about a point; bits of the bytes at snt_deskew_options.point_flags. */
enum {
    SNT_POINT_OUTSIDE = 1 << 0, /**< within the scan, but the motion is not known at its time */
    SNT_POINT_OUTLIER = 1 << 1, /**< its time lies outside [begin, end] of the scan */
    SNT_POINT_INVALID_TIME =
        1 << 2, /**< its time is NaN, infinite, beyond int64, or has no entry in the table */
    SNT_POINT_NON_FINITE =
        1 << 3, /**< a coordinate is, or would become, NaN or beyond float: kept as it was */
    SNT_POINT_EXTRAPOLATED = 1 << 4, /**< moved with an extrapolated pose */
    SNT_POINT_CLAMPED = 1 << 5,      /**< moved with the nearest known pose */
    SNT_POINT_DROPPED = 1 << 6,      /**< set to NaN */
    SNT_POINT_FROM_AZIMUTH = 1 << 7  /**< its time was guessed from its direction */
};

/** Settings that a plan keeps for life. */
typedef struct snt_deskew_config {
    uint32_t struct_size;  /**< sizeof(snt_deskew_config) */
    uint32_t max_segments; /**< pieces the motion can be cut into; 1..32768, default 1024 (272 bytes each) */
    uint32_t max_knots;    /**< poses or IMU samples in reach of one scan; 2..65536, default 2048 */
    uint32_t kernel;       /**< SNT_KERNEL_*; default the fastest */
    double tolerance_m; /**< greatest approximation error, proven, at `range_m`; > 0, default 1·10⁻⁶ [m] */
    double range_m;     /**< distance the tolerance is for; > 0, default 200 [m] */
} snt_deskew_config;

/** One scan: its interval and what to make of it. */
typedef struct snt_deskew_scan {
    uint32_t struct_size;  /**< sizeof(snt_deskew_scan) */
    uint32_t reference;    /**< SNT_REF_*; default SNT_REF_START */
    uint32_t output;       /**< SNT_DESKEW_OUTPUT_*; default the sensor frame */
    uint32_t domain;       /**< clock of all times here; must be that of the cloud and of the motion */
    snt_time begin_ns;     /**< earliest point [ns]; ::snt_deskew_scan_from_cloud finds it */
    snt_time end_ns;       /**< latest point, >= begin, at most 4.2 s later [ns] */
    snt_time reference_ns; /**< for SNT_REF_AT [ns] */
    snt_duration
        clock_bound_ns; /**< how wrong the point times may be against the motion's clock, default 0 [ns] */
    snt_duration
        max_gap_ns; /**< knots farther apart leave a hole that counts as outside; default 250 ms; 0 = no limit [ns] */
    snt_duration extrapolation_ns; /**< limit of SNT_DESKEW_EXTRAPOLATE, default 20 ms [ns] */
    uint32_t outside;      /**< points within the scan without known motion: SNT_DESKEW_*, default clamp */
    uint32_t outlier;      /**< points outside [begin, end]: SNT_DESKEW_* except extrapolate, default keep */
    uint32_t invalid_time; /**< points without a time: keep (default), drop or fail */
    uint32_t
        inverse; /**< 1 = re-skew: from the reference back to where the sensor stood at each point's time */
    double
        max_acceleration; /**< declared bound of the sensor's acceleration, for the error bound; 0 = not declared [m/s²] */
    double max_angular_acceleration; /**< declared bound of angular acceleration; 0 = not declared [rad/s²] */
    double
        rate_error; /**< declared bound of the error of angular rates or twists (bias, noise); default 0 [rad/s] */
    double velocity_error; /**< declared bound of the error of velocities; default 0 [m/s] */
    snt_pose
        T_body_sensor; /**< where the sensor sits on the body; default identity (all zero means that too) */
} snt_deskew_scan;

/** Where an IMU started from, to integrate positions; without it only rotation is known. 144 bytes, frozen. */
typedef struct snt_imu_state {
    snt_time stamp_ns;     /**< when this state held [ns] */
    snt_pose T_fixed_body; /**< pose of the body */
    double velocity[3];    /**< of the body's origin, in fixed axes [m/s] */
    double gravity[3];     /**< acceleration of free fall in fixed axes, such as (0, 0, −9.81) [m/s²] */
    uint32_t use_acceleration; /**< 1 = integrate accelerations too, 0 = constant velocity */
    uint32_t reserved[7];      /**< 0 */
} snt_imu_state;

/** What a built plan is. 128 bytes, frozen. */
typedef struct snt_deskew_info {
    snt_time reference_ns;     /**< the instant points are brought to [ns] */
    snt_time begin_ns;         /**< of the scan [ns] */
    snt_time end_ns;           /**< of the scan [ns] */
    snt_time covered_begin_ns; /**< first moment within the scan whose motion is known [ns] */
    snt_time covered_end_ns;   /**< last moment within the scan whose motion is known [ns] */
    snt_duration
        start_margin_ns; /**< begin − oldest knot: negative where the beginning is not covered; SNT_UNKNOWN for a twist [ns] */
    snt_duration
        end_margin_ns; /**< newest knot − end: negative where the end is not covered; SNT_UNKNOWN for a twist [ns] */
    double max_speed;     /**< of the sensor's origin, within the plan [m/s] */
    double max_rate;      /**< of turning [rad/s] */
    uint32_t segments;    /**< pieces the motion was cut into */
    uint32_t knots;       /**< poses or samples used */
    uint32_t holes;       /**< gaps between knots wider than max_gap_ns */
    uint32_t kernel;      /**< SNT_KERNEL_* in use */
    uint32_t fused;       /**< numeric class: 1 with fused multiply-add */
    uint32_t flags;       /**< SNT_DESKEW_PLAN_* */
    uint32_t domain;      /**< clock of the times */
    uint32_t reserved[7]; /**< 0 */
} snt_deskew_info;

/** Bits of snt_deskew_info.flags. */
enum {
    SNT_DESKEW_PLAN_IDENTITY = 1 << 0, /**< nothing moves: clouds keep every bit */
    SNT_DESKEW_PLAN_PARTIAL = 1 << 1,  /**< the motion does not cover the whole scan, or has holes */
    SNT_DESKEW_PLAN_REFERENCE_OUTSIDE =
        1 << 2, /**< the reference time is not covered: its pose is the nearest or an extrapolated one */
    SNT_DESKEW_PLAN_ROTATION_ONLY =
        1 << 3 /**< nothing is known of the translation: the body's origin is taken to stay */
};

/**
 * The error bound of deskewed points, part by part. 80 bytes, frozen.
 *
 * With SNT_DESKEW_BOUND_ROTATION_ONLY in `flags`, `total_m` does not count how far the body drove.
 */
typedef struct snt_deskew_bound {
    double total_m;         /**< sum of the parts [m] */
    double approximation_m; /**< polynomials against the exact motion model: proven [m] */
    double rounding_m;   /**< single precision, from the first coefficient to the stored result: proven [m] */
    double resolution_m; /**< of the time field: half a step of floats, one count of integers [m] */
    double clock_m;      /**< from clock_bound_ns [m] */
    double interpolation_m; /**< between knots, from declared accelerations or, flagged, from the knots [m] */
    double motion_m;        /**< from rate_error and velocity_error over the time to the reference [m] */
    double resolution_ns;   /**< of the time field [ns] */
    uint32_t flags;         /**< SNT_DESKEW_BOUND_* */
    uint32_t reserved[3];   /**< 0 */
} snt_deskew_bound;

/** Bits of snt_deskew_bound.flags: what the bound rests on. */
enum {
    SNT_DESKEW_BOUND_DECLARED = 1 << 0, /**< interpolation_m uses the declared accelerations */
    SNT_DESKEW_BOUND_ESTIMATED =
        1 << 1, /**< interpolation_m uses differences of neighbouring knots: no proof */
    SNT_DESKEW_BOUND_CONSTANT =
        1 << 2, /**< interpolation_m is 0 because constant motion was taken for granted */
    SNT_DESKEW_BOUND_QUANTUM = 1 << 3, /**< times were put back on the declared grid */
    SNT_DESKEW_BOUND_PARTIAL =
        1 << 4, /**< does not hold for points flagged OUTSIDE, OUTLIER or INVALID_TIME */
    SNT_DESKEW_BOUND_ROTATION_ONLY =
        1 << 5 /**< nothing is known of the translation: holds for bodies no faster than velocity_error */
};

/** How points of a cloud without time field get their times. */
enum {
    SNT_DESKEW_TIMES_TABLE = 1,  /**< column_ns[column] + ring_ns[ring] after the cloud's time base */
    SNT_DESKEW_TIMES_AZIMUTH = 2 /**< from the direction of each point: a guess, flagged at every point */
};

/** Times of points that carry none. */
typedef struct snt_deskew_times {
    uint32_t struct_size;     /**< sizeof(snt_deskew_times) */
    uint32_t kind;            /**< SNT_DESKEW_TIMES_* */
    const int32_t *column_ns; /**< TABLE: for each column [ns]; NULL = 0 */
    const int32_t *ring_ns;   /**< TABLE: for each ring [ns]; NULL = 0 */
    uint32_t
        columns; /**< entries of column_ns; a point's column is index % width (index / height if column-major) */
    uint32_t rings;        /**< entries of ring_ns; a point's ring is its ring field, else its row */
    uint32_t column_major; /**< 1 = consecutive points go down a column */
    int32_t direction;     /**< AZIMUTH: +1 counter-clockwise seen from above (default), −1 clockwise */
    double
        azimuth_start; /**< AZIMUTH: direction of the first ray [rad]; the turn takes the cloud's time_span_ns */
} snt_deskew_times;

/** Details of an application; NULL where options are taken means: all points, no flags, no audit. */
typedef struct snt_deskew_options {
    uint32_t struct_size; /**< sizeof(snt_deskew_options) */
    uint32_t audit;       /**< 1 = also count jumps, duplicates and gaps of the times */
    uint64_t first;       /**< first point of the range; default 0 */
    uint64_t count;       /**< points of the range; UINT64_MAX (default) = to the end */
    uint8_t *point_flags; /**< one byte for each point of the whole cloud, SNT_POINT_*; NULL = not wanted */
    const snt_deskew_times *times; /**< for clouds without time field; else NULL */
} snt_deskew_options;

/** What happened to a range of points. 168 bytes, frozen. ::snt_deskew_report_merge joins neighbouring ranges. */
typedef struct snt_deskew_report {
    snt_time reference_ns; /**< stamp of the result [ns] */
    snt_time begin_ns;     /**< earliest time within the scan; SNT_UNKNOWN if there is none [ns] */
    snt_time end_ns;       /**< latest time within the scan; SNT_UNKNOWN if there is none [ns] */
    snt_time
        first_ns; /**< first valid time in array order, saturated 2.1 s from the scan; SNT_UNKNOWN = none [ns] */
    snt_time last_ns; /**< last valid time in array order, likewise [ns] */
    snt_duration
        start_margin_ns; /**< begin_ns − oldest knot; SNT_UNKNOWN for a twist or without points [ns] */
    snt_duration end_margin_ns; /**< newest knot − end_ns; SNT_UNKNOWN for a twist or without points [ns] */
    snt_duration max_gap_ns;    /**< audit: greatest difference of neighbours in the array [ns] */
    uint64_t points;            /**< points looked at */
    uint64_t moved;             /**< points whose coordinates were computed anew */
    uint64_t outside;           /**< flagged SNT_POINT_OUTSIDE */
    uint64_t outlier;           /**< flagged SNT_POINT_OUTLIER */
    uint64_t invalid_time;      /**< flagged SNT_POINT_INVALID_TIME */
    uint64_t non_finite;        /**< flagged SNT_POINT_NON_FINITE */
    uint64_t extrapolated;      /**< flagged SNT_POINT_EXTRAPOLATED */
    uint64_t clamped;           /**< flagged SNT_POINT_CLAMPED */
    uint64_t dropped;           /**< flagged SNT_POINT_DROPPED */
    uint64_t negative_jumps;    /**< audit: neighbours in the array whose time goes back; 0 = monotonic */
    uint64_t equal_times;       /**< audit: neighbours in the array with the same time */
    uint32_t flags;             /**< SNT_DESKEW_REPORT_* */
    uint32_t domain;            /**< clock of the times */
    uint64_t reserved;          /**< 0 */
} snt_deskew_report;

/** Bits of snt_deskew_report.flags. */
enum {
    SNT_DESKEW_REPORT_IDENTITY = 1 << 0,     /**< the plan moves nothing: no coordinate was written */
    SNT_DESKEW_REPORT_NO_SPREAD = 1 << 1,    /**< all valid times are equal: is the time field filled? */
    SNT_DESKEW_REPORT_FROM_TABLE = 1 << 2,   /**< times came from a table */
    SNT_DESKEW_REPORT_FROM_AZIMUTH = 1 << 3, /**< times were guessed from directions */
    SNT_DESKEW_REPORT_AUDITED = 1 << 4       /**< the audit's fields are filled */
};

/** A 2-D scan: rays at equal angles and equal times. */
typedef struct snt_laser_scan {
    uint32_t struct_size;    /**< sizeof(snt_laser_scan) */
    uint32_t domain;         /**< clock of stamp_ns */
    const float *ranges;     /**< `count` distances [m] */
    uint64_t count;          /**< rays; 0 and 1 are allowed */
    snt_time stamp_ns;       /**< time of the first ray [ns] */
    double time_increment_s; /**< between rays [s]; may be negative */
    double angle_min;        /**< of the first ray, counter-clockwise from x [rad] */
    double angle_increment;  /**< between rays [rad] */
    double range_min;        /**< shorter ranges are invalid [m] */
    double range_max;        /**< longer ranges are invalid; 0 = no limit [m] */
} snt_laser_scan;

/**
 * Whether a kernel can run here.
 *
 * @param kernel SNT_KERNEL_*
 * @return 1 if this build and this processor have it, else 0
 * @thread P  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_deskew_kernel_available(uint32_t kernel);

/**
 * A kernel's name.
 *
 * @param kernel SNT_KERNEL_*
 * @return static text such as "avx2"; "unknown" for a number that is none
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_deskew_kernel_name(uint32_t kernel);

/**
 * Fill a config with the defaults.
 *
 * @param[out] config what to fill
 * @param      size   sizeof(snt_deskew_config)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_deskew_config_init(snt_deskew_config *config, size_t size);

/**
 * Fill a scan with the defaults: [0, 0], sensor frame at the start, no extrinsic, policies clamp, keep, keep.
 *
 * @param[out] scan what to fill
 * @param      size sizeof(snt_deskew_scan)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_deskew_scan_init(snt_deskew_scan *scan, size_t size);

/**
 * Fill options with the defaults: all points, no flags, no audit.
 *
 * @param[out] options what to fill
 * @param      size    sizeof(snt_deskew_options)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_deskew_options_init(snt_deskew_options *options, size_t size);

/**
 * Fill times with the defaults: a table, counter-clockwise.
 *
 * @param[out] times what to fill
 * @param      size  sizeof(snt_deskew_times)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_deskew_times_init(snt_deskew_times *times, size_t size);

/**
 * Fill a 2-D scan with the defaults: no rays, no limits.
 *
 * @param[out] laser what to fill
 * @param      size  sizeof(snt_laser_scan)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_laser_scan_init(snt_laser_scan *laser, size_t size);

/**
 * Memory a plan of these settings takes.
 *
 * @param      config settings; NULL = defaults
 * @param[out] size   bytes
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_size(const snt_deskew_config *config, uint64_t *size);

/**
 * Make a plan without motion; it can be applied only after one of the snt_deskew_plan_… calls.
 *
 * @param      config    settings; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the plan; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (struct_size), SNT_ERR_RANGE (a setting outside its range), SNT_ERR_UNSUPPORTED (the
 *         kernel does not run here), SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_deskew_create(const snt_deskew_config *config, const snt_allocator *allocator,
                                     snt_deskew **out);

/**
 * Free a plan.
 *
 * @param plan a plan no thread uses any more, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_deskew_destroy(snt_deskew *plan);

/**
 * Find the interval of a cloud's times and set begin, end and domain of `scan`; the rest of it stays. With a limit, the
 * interval is the most populated one of that length, so that a few wild times do not stretch the scan. O(n).
 *
 * @param         cloud    points with times
 * @param         times    times for clouds without time field; else NULL
 * @param         limit_ns longest plausible scan; 0 = take all [ns]
 * @param[in,out] scan     gets begin_ns, end_ns, domain; untouched on failure
 * @param[out]    outliers points outside the interval or without a valid time; may be NULL
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_LAYOUT, SNT_ERR_NO_TIME (no time field, or no valid time in it),
 *         SNT_ERR_PRECISION (float32 cannot hold absolute seconds), SNT_ERR_RANGE
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_scan_from_cloud(const snt_cloud *cloud, const snt_deskew_times *times,
                                              snt_duration limit_ns, snt_deskew_scan *scan,
                                              uint64_t *outliers);

/**
 * Plan from a constant twist. The fixed frame is the body as it stood at the reference time.
 *
 * On failure this and the other snt_deskew_plan_… calls leave a plan that refuses to be applied. O(segments).
 *
 * @param plan  a plan
 * @param scan  the scan
 * @param twist velocity of the body in its own axes
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG  NULL, unknown enumerator, struct_size, end before begin, negative bound
 * @retval SNT_ERR_NON_FINITE, SNT_ERR_BAD_QUATERNION a number is no number, or a pose no pose
 * @retval SNT_ERR_RANGE the scan is longer than 4.2 s, or the reference farther away than 10⁹ s
 * @retval SNT_ERR_FULL  the tolerance needs more than max_segments
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_plan_twist(snt_deskew *plan, const snt_deskew_scan *scan,
                                         const snt_twist *twist);

/**
 * Plan from the poses at two times: between them, and beyond them only as the outside policy says.
 *
 * @param plan   a plan
 * @param scan   the scan
 * @param a_ns   time of the first pose [ns, the scan's domain]
 * @param a      T_fixed_body at that time
 * @param b_ns   time of the second pose, later [ns]
 * @param b      T_fixed_body at that time
 * @param method SNT_INTERPOLATE_LINEAR (also the default) or SNT_INTERPOLATE_SCREW
 * @return as snt_deskew_plan_knots
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_plan_two_poses(snt_deskew *plan, const snt_deskew_scan *scan, snt_time a_ns,
                                             const snt_pose *a, snt_time b_ns, const snt_pose *b,
                                             uint32_t method);

/**
 * Plan from poses at increasing times. Only those around the scan count against max_knots. O(n + segments).
 *
 * @param plan         a plan
 * @param scan         the scan
 * @param stamps       first of `count` times, strictly increasing [ns, the scan's domain]
 * @param stamp_stride bytes from one to the next; 0 = 8
 * @param poses        first of `count` T_fixed_body
 * @param pose_stride  bytes from one to the next; 0 = 56
 * @param count        knots, at least 1
 * @param method       SNT_INTERPOLATE_LINEAR (also the default) or SNT_INTERPOLATE_SCREW
 * @retval SNT_OK
 * @retval SNT_ERR_BACKWARD, SNT_ERR_DUPLICATE the times do not increase
 * @retval SNT_ERR_PAST   the scan lies before the oldest knot, beyond what the outside policy allows
 * @retval SNT_ERR_FUTURE the scan lies after the newest knot, likewise
 * @retval SNT_ERR_INVALID_ARG, SNT_ERR_NON_FINITE, SNT_ERR_BAD_QUATERNION, SNT_ERR_RANGE, SNT_ERR_FULL as for a twist
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_plan_knots(snt_deskew *plan, const snt_deskew_scan *scan, const void *stamps,
                                         uint64_t stamp_stride, const void *poses, uint64_t pose_stride,
                                         uint64_t count, uint32_t method);

/**
 * Plan from an IMU: rates integrated on SO(3), and positions from `state`.
 *
 * Between two samples the rate is their mean: exact for constant rates, else part of interpolation_m. Without a state the
 * fixed frame is the IMU's body as it stood at the reference time and nothing but rotation is known: a body that drives
 * leaves its whole way in the points, no bound counts it, and SNT_DESKEW_PLAN_ROTATION_ONLY and
 * SNT_DESKEW_BOUND_ROTATION_ONLY say so. Declare its greatest speed as velocity_error to have it counted.
 *
 * @param plan  a plan
 * @param scan  the scan
 * @param imu   samples; T_body_imu and biases are the buffer's
 * @param state pose and velocity at some time in reach of the samples; NULL = rotation only, flagged
 * @retval SNT_OK
 * @retval SNT_ERR_DOMAIN the buffer's clock is another
 * @retval SNT_ERR_PAST, SNT_ERR_FUTURE the samples do not reach into the scan, beyond what the outside policy allows, or the
 *         state lies farther than extrapolation_ns outside the samples
 * @retval SNT_ERR_NO_TIME the buffer is empty
 * @retval SNT_ERR_UNSUPPORTED use_acceleration, and a sample has none
 * @retval SNT_ERR_INVALID_ARG, SNT_ERR_NON_FINITE, SNT_ERR_BAD_QUATERNION, SNT_ERR_RANGE, SNT_ERR_FULL as for a twist
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_plan_imu(snt_deskew *plan, const snt_deskew_scan *scan, snt_imu_buffer *imu,
                                       const snt_imu_state *state);

/**
 * Plan from a path of a transform buffer: T_fixed_body over the scan and at the reference, asked for in one batch.
 *
 * Where the path does not answer at the beginning or end, the plan's coverage ends exactly where the path's does; where it
 * is silent in between, points are outside, to within a spacing. max_gap_ns of the scan is the gap the path may bridge.
 *
 * @param plan       a plan
 * @param scan       the scan; its domain is that of the question, 0 = unchecked
 * @param path       T_fixed_body, or T_fixed_sensor with an identity T_body_sensor
 * @param spacing_ns between lookups; 0 = 2 ms [ns]
 * @param method     SNT_INTERPOLATE_LINEAR (also the default) or SNT_INTERPOLATE_SCREW between lookups
 * @retval SNT_OK
 * @retval SNT_ERR_FULL the scan needs more than max_knots − 4 lookups, or more segments than there are
 * @return else what the path says of the first time, where it answers none; and as for a twist
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_plan_path(snt_deskew *plan, const snt_deskew_scan *scan,
                                        const snt_tf_path *path, snt_duration spacing_ns, uint32_t method);

/**
 * What was built.
 *
 * @param      plan a plan
 * @param[out] out  the facts
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_INVALID_STATE (no motion was planned)
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_get_info(const snt_deskew *plan, snt_deskew_info *out);

/**
 * How wrong a deskewed point may be, at a distance.
 *
 * @param      plan    a plan
 * @param      cloud   whose time field the resolution is taken from; NULL = exact nanoseconds
 * @param      range_m distance of the point from the sensor [m], >= 0
 * @param[out] out     the bound, part by part
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NON_FINITE, SNT_ERR_INVALID_STATE
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_get_bound(const snt_deskew *plan, const snt_cloud *cloud, double range_m,
                                        snt_deskew_bound *out);

/**
 * Move all points. With out == in (or equal fields) in place; else only the coordinates are written to `out`, whose other
 * bytes stay as they are. Any number of threads may apply one plan at the same time.
 *
 * @param      plan   a plan
 * @param      in     the cloud; its records must not be written by others meanwhile
 * @param      out    where the coordinates go: the same count; coordinate types may differ from `in`; no partial overlap
 * @param[out] report what happened; may be NULL
 * @return as snt_deskew_apply_with
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_apply(const snt_deskew *plan, const snt_cloud *in, const snt_cloud *out,
                                    snt_deskew_report *report);

/**
 * Move a range of points, with flags, audit, or times from elsewhere. Ranges that do not overlap may be moved by
 * different threads; the result has the same bits as one call. O(points).
 *
 * @param      plan    a plan
 * @param      in      the whole cloud
 * @param      out     where the coordinates go; may be `in`
 * @param      options the range and more; NULL = all points
 * @param[out] report  what happened to the range; may be NULL
 * @retval SNT_OK
 * @retval SNT_ERR_NO_TIME   the cloud has no usable time and no times were given
 * @retval SNT_ERR_DOMAIN    the cloud's clock is not the plan's
 * @retval SNT_ERR_LAYOUT    a coordinate is absent or no float, a stride is 0, counts differ, or a unit is not positive
 * @retval SNT_ERR_PRECISION float32 cannot hold absolute times
 * @retval SNT_ERR_PAST, SNT_ERR_FUTURE, SNT_ERR_GAP, SNT_ERR_NON_FINITE a policy is SNT_DESKEW_FAIL and a point within the
 *         range calls for it (no time: NON_FINITE); nothing was written
 * @retval SNT_ERR_INVALID_STATE no motion was planned
 * @retval SNT_ERR_INVALID_ARG   NULL, range beyond the cloud, struct_size
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_apply_with(const snt_deskew *plan, const snt_cloud *in, const snt_cloud *out,
                                         const snt_deskew_options *options, snt_deskew_report *report);

/**
 * Copy whole records and move their points, in one pass over memory: out of place without a copy beforehand.
 *
 * @param      plan        a plan
 * @param      cloud       fields inside `records`, all with stride `step`
 * @param      records     first byte of the first record
 * @param[out] out_records first byte of the copy; must not overlap `records`
 * @param      step        bytes of a record
 * @param      options     the range and more; NULL = all points
 * @param[out] report      what happened to the range; may be NULL
 * @retval SNT_ERR_LAYOUT a field does not lie within the record, or has another stride; else as snt_deskew_apply_with
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_apply_copy(const snt_deskew *plan, const snt_cloud *cloud, const void *records,
                                         void *out_records, uint64_t step, const snt_deskew_options *options,
                                         snt_deskew_report *report);

/**
 * Join the reports of two neighbouring ranges: `left` becomes the report of both.
 *
 * @param[in,out] left  report of the earlier range
 * @param         right report of the range that follows it
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_report_merge(snt_deskew_report *left, const snt_deskew_report *right);

/**
 * Poses at arbitrary times, in double precision: what takes a point measured then to the output frame. For kernels of
 * one's own, per-column poses, projected images. O(n log knots).
 *
 * @param      plan         a plan
 * @param      stamps       first of `count` times [ns, the scan's domain]
 * @param      stamp_stride bytes from one to the next; 0 = 8
 * @param      count        times, in any order
 * @param[out] poses        first of `count` poses T_output_sensor (its inverse if the plan is)
 * @param      pose_stride  bytes from one to the next; 0 = 56
 * @param[out] flags        `count` bytes of SNT_POINT_OUTSIDE, OUTLIER, EXTRAPOLATED, CLAMPED; may be NULL
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_INVALID_STATE
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_poses(const snt_deskew *plan, const void *stamps, uint64_t stamp_stride,
                                    uint64_t count, void *poses, uint64_t pose_stride, uint8_t *flags);

/**
 * Poses of the rows of a rolling shutter, or of any equally spaced events: row i is at first + readout·i/(rows − 1).
 *
 * @param      plan        a plan
 * @param      first_ns    time of row 0: the middle of its exposure [ns]
 * @param      readout_ns  from row 0 to the last row; may be negative [ns]
 * @param      rows        rows; 1 is allowed
 * @param[out] poses       first of `rows` poses T_output_sensor
 * @param      pose_stride bytes from one to the next; 0 = 56
 * @param[out] flags       `rows` bytes of SNT_POINT_*; may be NULL
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_OVERFLOW, SNT_ERR_INVALID_STATE
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_rows(const snt_deskew *plan, snt_time first_ns, snt_duration readout_ns,
                                   uint64_t rows, void *poses, uint64_t pose_stride, uint8_t *flags);

/**
 * Poses as 4×4 matrices, row by row, in double precision.
 *
 * @param      poses       first of `count` poses, such as snt_deskew_poses gave
 * @param      pose_stride bytes from one to the next; 0 = 56
 * @param      count       how many
 * @param[out] matrices    first of `count` times 16 doubles
 * @retval SNT_OK, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_matrices(const void *poses, uint64_t pose_stride, uint64_t count,
                                       double *matrices);

/**
 * First and last moment of a 2-D scan: the last ray is count − 1 increments after the first.
 *
 * @param         laser the scan
 * @param[in,out] scan  gets begin_ns, end_ns, domain; untouched on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NON_FINITE, SNT_ERR_OVERFLOW, SNT_ERR_NO_TIME (no rays)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_scan_from_laser(const snt_laser_scan *laser, snt_deskew_scan *scan);

/**
 * Deskewed points of a 2-D scan, one for each ray: NaN where the range is not valid. O(count).
 *
 * @param      plan   a plan
 * @param      laser  the scan
 * @param[out] xyz    first of `count` points x, y, z [m]
 * @param      stride bytes from one to the next, at least 12; 0 = 12
 * @param[out] flags  `count` bytes of SNT_POINT_*; may be NULL
 * @param[out] report what happened; may be NULL
 * @retval SNT_ERR_NON_FINITE an angle or increment is no number; SNT_ERR_OVERFLOW; else as snt_deskew_apply_with
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_deskew_laser(const snt_deskew *plan, const snt_laser_scan *laser, void *xyz,
                                    uint64_t stride, uint8_t *flags, snt_deskew_report *report);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_DESKEW_H */
