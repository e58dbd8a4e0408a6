/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file point_layout.h
 * What the fields of a point cloud mean: which one is the time, in what unit, counted from where; what the header stamp
 * says about the scan; which field is the ring. And the clouds that follow from it.
 *
 * ::snt_point_layout_detect decides from names, types and offsets (a table of known producers), from the values of one
 * or more scans, and from their header stamps. Values overrule names; names and the table only break ties. What cannot
 * be told apart is SNT_ERR_AMBIGUOUS with both readings in the report, and the layout then has no time field: a reading
 * is never picked silently. Set the layout's fields by hand to choose one.
 */
#ifndef SENSORTIME_POINT_LAYOUT_H
#define SENSORTIME_POINT_LAYOUT_H

#include "base.h"
#include "cloud.h"
#include "message_view.h"
#include "stamp.h"
#include "timescale.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a cloud's header stamp says about its scan. */
enum {
    SNT_HEADER_ROLE_UNKNOWN = 0,     /**< no evidence */
    SNT_HEADER_ROLE_START = 1,       /**< first point */
    SNT_HEADER_ROLE_MIDDLE = 2,      /**< middle of the scan */
    SNT_HEADER_ROLE_END = 3,         /**< last point */
    SNT_HEADER_ROLE_LAST_PACKET = 4, /**< start of the last packet: a few points are later */
    SNT_HEADER_ROLE_RECEIVE = 5,     /**< after the scan: reception or publication */
    SNT_HEADER_ROLE_UNRELATED = 6    /**< another clock, or a scan other than the one in the message */
};

/**
 * Evidence of a detection: X(name, bit, text).
 */
#define SNT_LAYOUT_EVIDENCE_MAP(X)                                                                           \
    X(KNOWN_PRODUCER, 0, "names, types and offsets are those of a known producer")                           \
    X(NAMED_FIELD, 1, "a field has the name of a time")                                                      \
    X(UNIT_BY_NAME, 2, "the name says the unit")                                                             \
    X(UNIT_BY_SPAN, 3, "only this unit makes the scan plausibly long")                                       \
    X(UNIT_BY_PERIOD, 4, "this unit fits the scan period")                                                   \
    X(UNIT_BY_MAGNITUDE, 5, "the magnitude of absolute times says the unit")                                 \
    X(SCANS_AGREE, 6, "several scans agree")                                                                 \
    X(ABSOLUTE_NEAR_HEADER, 7, "the values lie near the header stamp")                                       \
    X(VALUES_FOLLOW_HEADER, 8, "from scan to scan the values advance as the header does")                    \
    X(VALUES_RESTART, 9, "every scan's values begin anew")                                                   \
    X(NEGATIVE_TIMES, 10, "times before the header")                                                         \
    X(SPLIT_TIME, 11, "seconds and nanoseconds are two fields")                                              \
    X(BASE_IN_POINTS, 12, "the zero of the times is stored in each point")                                   \
    X(OUTLIERS, 13, "some times lie far outside the scan")                                                   \
    X(INVALID_VALUES, 14, "some times are NaN, infinite or out of range")                                    \
    X(UNSIGNED_UNDERFLOW, 15, "unsigned times wrapped below zero: they are read as signed")                  \
    X(MANY_ZEROS, 16, "many times are exactly zero: clamped or unfilled")                                    \
    X(ALL_ZERO, 17, "all times are zero")                                                                    \
    X(CONSTANT, 18, "all times are equal")                                                                   \
    X(NO_TIME_FIELD, 19, "no field has the name of a time")                                                  \
    X(TOO_COARSE, 20, "the type cannot hold absolute times to a millisecond")                                \
    X(COARSE, 21, "the steps of the type are wider than 10 µs")                                              \
    X(PER_PACKET, 22, "times restart many times within the scan while the azimuth goes on: per packet")      \
    X(NOT_MONOTONIC, 23, "array order is not time order")                                                    \
    X(UNIT_CONTRADICTED, 24, "the unit that the name or the producer says gives an implausible scan")        \
    X(BYTE_ORDER_CONTRADICTED, 25, "coordinates are plausible only in the other byte order")                 \
    X(POINTS_AFTER_RECEIVE, 26, "with the header as scan start, points would lie after their reception")     \
    X(HEADER_UNSTEADY, 27, "the header's place in the scan changes from scan to scan: a host's stamp")       \
    X(HEADER_PERIOD_EARLY, 28, "the header is one scan period before the first point")                       \
    X(OTHER_CLOCK, 29, "header and points are on different clocks: see `clock`")                             \
    X(IMPLAUSIBLE_SPAN, 30, "no unit makes the scan plausibly long")                                         \
    X(ROLE_BY_PRODUCER, 31, "the header's role is what the known producer writes")                           \
    X(ROLE_NOT_AS_PRODUCER, 32, "the header's role is not what the known producer writes by default")        \
    X(HINT_INTENSITY_TIME, 33, "the fraction of the intensity may be the time (LOAM); it is not used")       \
    X(HINT_AZIMUTH, 34, "the azimuth goes round once: a time could be derived from it; it is not used")      \
    X(EMPTY_SCANS, 35, "some scans have no points")                                                          \
    X(SHORT_SCANS, 36, "scans are much shorter than the scan period: parts are missing")                     \
    X(PACKET_STEPS, 37, "few distinct times: one for each packet or column")                                 \
    X(MIXED_TYPES, 38, "two time fields agree with each other")                                              \
    X(HEADER_SMALL, 39, "the header is near zero (simulation), so that it cannot tell absolute from relative")

enum {
#define SNT_X(name, bit, text) SNT_LAYOUT_EVIDENCE_BIT_##name = bit,
    SNT_LAYOUT_EVIDENCE_MAP(SNT_X)
#undef SNT_X
        SNT_LAYOUT_EVIDENCE_COUNT
};

/** The bit of one kind of evidence in snt_layout_report.evidence: `SNT_LAYOUT_EVIDENCE(OUTLIERS)`. */
#define SNT_LAYOUT_EVIDENCE(name) (UINT64_C(1) << SNT_LAYOUT_EVIDENCE_BIT_##name)

/** Where one field lies in a point. */
typedef struct snt_layout_field {
    uint32_t offset; /**< from the start of the point [bytes] */
    uint32_t type;   /**< SNT_TYPE_*; SNT_TYPE_NONE = absent */
} snt_layout_field;

/** What the fields of a cloud mean. 104 bytes, frozen. May be filled or changed by hand. */
typedef struct snt_point_layout {
    snt_layout_field x;         /**< [m] */
    snt_layout_field y;         /**< [m] */
    snt_layout_field z;         /**< [m] */
    snt_layout_field time;      /**< absent where there is no usable time */
    snt_layout_field time_nsec; /**< nanoseconds of a split time */
    snt_layout_field
        time_base_low; /**< U32: low half of the zero of relative times [ns], same in all points */
    snt_layout_field time_base_high; /**< U32: high half */
    snt_layout_field ring;           /**< laser number */
    uint32_t time_ref;    /**< SNT_TIME_REF_*; relative times count from the header (or the stored base) */
    uint32_t time_unit;   /**< SNT_TIME_UNIT_* */
    uint32_t header_role; /**< SNT_HEADER_ROLE_* */
    uint32_t flags;       /**< SNT_LAYOUT_* */
    uint32_t domain;      /**< clock of the times, SNT_DOMAIN_*; unspecified where nobody can tell */
    uint32_t reserved;    /**< 0 */
    snt_duration
        time_shift_ns; /**< added to the header to give the zero of relative times; 0 by convention [ns] */
    snt_duration time_quantum_ns; /**< grid of the device's times; 0 = none [ns] */
} snt_point_layout;

enum {
    SNT_LAYOUT_SWAP = 1 << 0 /**< the points are in the byte order that the message does not declare */
};

/** One reading of the time field. */
typedef struct snt_layout_candidate {
    uint32_t field;       /**< index of the time field in the list that was given */
    uint32_t time_unit;   /**< SNT_TIME_UNIT_* */
    uint32_t time_ref;    /**< SNT_TIME_REF_* */
    uint32_t header_role; /**< SNT_HEADER_ROLE_* */
    snt_duration span_ns; /**< scan duration in this reading [ns] */
    double confidence;    /**< 0..1 */
} snt_layout_candidate;

enum { SNT_LAYOUT_CANDIDATES = 4 };

/** How a layout was found. 416 bytes with 64-bit pointers, frozen. */
typedef struct snt_layout_report {
    snt_status status;         /**< what the call returned */
    uint32_t candidate_count;  /**< readings in `candidates`, best first */
    uint64_t evidence;         /**< SNT_LAYOUT_EVIDENCE bits */
    const char *producer;      /**< static text: known producer; NULL = not in the table */
    const char *producer_note; /**< static text: what to know about it; NULL = nothing */
    uint32_t
        producer_count; /**< rows of the table that fit; more than one = the same layout has several makers */
    uint32_t producer_role;          /**< SNT_HEADER_ROLE_* that the table expects */
    int32_t time_field;              /**< index of the time field; −1 = none */
    int32_t ring_field;              /**< index of the ring field; −1 = none */
    uint32_t scans_used;             /**< scans with points */
    uint32_t ring_count;             /**< distinct rings in the sample; 0 = none or not whole numbers */
    double unit_confidence;          /**< 0..1 */
    double reference_confidence;     /**< absolute or relative, 0..1 */
    double role_confidence;          /**< header role, 0..1 */
    double ring_confidence;          /**< 0..1 */
    snt_duration span_ns;            /**< median scan duration without outliers [ns]; SNT_UNKNOWN = none */
    snt_duration period_ns;          /**< scan period, given or from the headers [ns]; SNT_UNKNOWN = none */
    snt_duration header_to_first_ns; /**< median of first point − header [ns]; SNT_UNKNOWN = not comparable */
    snt_duration header_to_last_ns; /**< median of last point − header [ns]; SNT_UNKNOWN = not comparable */
    snt_duration
        packet_span_ns;         /**< longest run of rising times where they restart per packet [ns]; else 0 */
    snt_duration resolution_ns; /**< step of the type at these values, at least 1 [ns] */
    snt_clock_finding clock;    /**< first point against header where times are absolute; else all zero */
    uint64_t points;            /**< points looked at, in all scans */
    uint64_t invalid;           /**< NaN, infinite, out of range */
    uint64_t zeros;             /**< exactly zero */
    uint64_t outliers;          /**< more than half a scan outside the scan */
    uint64_t underflows;        /**< unsigned values that wrapped below zero */
    uint64_t negative_jumps;    /**< steps back in array order */
    uint64_t restarts;          /**< steps back by more than half of the span */
    char time_name[24];         /**< name of the time field, cut, NUL-terminated */
    char ring_name[24];         /**< name of the ring field, cut, NUL-terminated */
    snt_layout_candidate candidates[SNT_LAYOUT_CANDIDATES]; /**< readings, best first */
} snt_layout_report;

/** What else is known to the caller. Zero is "unknown" everywhere. */
typedef struct snt_layout_options {
    uint32_t struct_size; /**< sizeof(snt_layout_options) */
    uint32_t byte_order;  /**< 0 = as the message declares, 1 = little-endian, 2 = big-endian */
    snt_duration
        period_ns; /**< scan period [ns]; 0 = take it from the headers where there are enough scans */
    const snt_time *receive_ns;   /**< reception of each scan on the header's clock [ns]; NULL = unknown */
    uint32_t max_points_per_scan; /**< look at no more of a scan than this many points, evenly; 0 = all */
    uint32_t reserved;            /**< 0 */
} snt_layout_options;

/**
 * Fill `options` with defaults.
 *
 * @param[out] options what to fill; NULL does nothing
 * @param      size    sizeof *options
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_layout_options_init(snt_layout_options *options, size_t size);

/**
 * Find out what the fields of a cloud mean.
 *
 * Give one scan, or better several consecutive ones (up to a dozen is plenty): with several, the scan period is known,
 * absolute and relative times are told apart by how they follow the header, and a header that moves within its scan is
 * seen. `layout` and `report` are filled for every status but SNT_ERR_INVALID_ARG. Linear in the points.
 *
 * @param      fields      field descriptions, as ::snt_pointcloud2_fields lists them; the same for all scans
 * @param      field_count number of `fields`
 * @param      scans       one or more scans; all with the point_step of the first
 * @param      scan_count  number of `scans`, >= 1; the first 64 are used
 * @param      options     what else is known; NULL = nothing
 * @param[out] layout      the meaning; without time field unless the call succeeded
 * @param[out] report      evidence and confidence; NULL = not wanted
 * @retval SNT_OK the time field, its unit and reference are decided
 * @retval SNT_ERR_NO_TIME no time field, or its values are all equal, or count from each packet (time_ref says so)
 * @retval SNT_ERR_AMBIGUOUS several readings are possible: see the candidates
 * @retval SNT_ERR_PRECISION the times are absolute in a type too coarse to hold them
 * @retval SNT_ERR_INVALID_ARG null pointer, no scan, scans of different point_step, bad options
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_point_layout_detect(const snt_point_field *fields, uint32_t field_count,
                                           const snt_pointcloud2_view *scans, uint32_t scan_count,
                                           const snt_layout_options *options, snt_point_layout *layout,
                                           snt_layout_report *report);

/**
 * Say in English what was found, how sure it is and why: one line per statement.
 *
 * @param      layout what a detection filled
 * @param      report what the same detection filled
 * @param[out] text   cut to fit and always terminated
 * @param      size   of `text`, 4096 is enough [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL), SNT_ERR_BUFFER_TOO_SMALL (cut)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_point_layout_format(const snt_point_layout *layout, const snt_layout_report *report,
                                           char *text, size_t size);

/**
 * Text of one evidence bit.
 *
 * @param bit 0 … SNT_LAYOUT_EVIDENCE_COUNT − 1
 * @return static text; NULL for other numbers
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_layout_evidence_text(uint32_t bit);

/**
 * Name of a time unit.
 *
 * @param unit SNT_TIME_UNIT_*
 * @return static text such as "ms"; "unknown" for other numbers
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_time_unit_name(uint32_t unit);

/**
 * Name of a header role.
 *
 * @param role SNT_HEADER_ROLE_*
 * @return static text such as "scan start"; "unknown" for other numbers
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_header_role_name(uint32_t role);

/**
 * A cloud over the points of a PointCloud2. No byte is copied.
 *
 * Relative times get the base header + time_shift_ns, or the base stored in the first point. Where the layout has no
 * time, the cloud has none.
 *
 * @param      view   the message
 * @param      layout meaning of its fields
 * @param[out] cloud  the cloud
 * @retval SNT_OK
 * @retval SNT_ERR_UNSUPPORTED the rows are padded (SNT_POINTCLOUD2_PADDED_ROWS): points have no single stride. Take
 *                             row after row with ::snt_cloud_from_pointcloud2_row
 * @retval SNT_ERR_LAYOUT a field of the layout ends behind point_step
 * @retval SNT_ERR_OVERFLOW the header plus time_shift_ns, or the stored base, does not fit 63 bits
 * @retval SNT_ERR_INVALID_ARG null pointer, or a contradiction in the layout
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_cloud_from_pointcloud2(const snt_pointcloud2_view *view,
                                              const snt_point_layout *layout, snt_cloud *cloud);

/**
 * A cloud over one row of a PointCloud2, padded or not.
 *
 * @param      view   the message
 * @param      layout meaning of its fields
 * @param      row    row, from 0
 * @param[out] cloud  the cloud
 * @retval SNT_OK, SNT_ERR_LAYOUT, SNT_ERR_OVERFLOW, SNT_ERR_INVALID_ARG as ::snt_cloud_from_pointcloud2
 * @retval SNT_ERR_RANGE there is no such row
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_cloud_from_pointcloud2_row(const snt_pointcloud2_view *view,
                                                  const snt_point_layout *layout, uint32_t row,
                                                  snt_cloud *cloud);

/**
 * A cloud over a Livox CustomMsg: times are nanoseconds after `timebase`, rings are laser lines.
 *
 * @param      view  the message
 * @param[out] cloud the cloud; its times are on the device's clock, which need not be that of the header
 * @retval SNT_OK
 * @retval SNT_ERR_OVERFLOW timebase does not fit 63 bits
 * @retval SNT_ERR_INVALID_ARG null pointer
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_cloud_from_livox(const snt_livox_view *view, snt_cloud *cloud);

/**
 * The times of a LaserScan's rays as a cloud without coordinates: ray i is i·time_increment after the header. For the
 * coordinates see ::snt_laserscan_project, then ::snt_cloud_set_points.
 *
 * @param      view  the message
 * @param[out] cloud the cloud; without time where time_increment is 0
 * @retval SNT_OK
 * @retval SNT_ERR_NON_FINITE time_increment is NaN or infinite
 * @retval SNT_ERR_RANGE time_increment is beyond ±1 s
 * @retval SNT_ERR_INVALID_ARG null pointer
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_cloud_from_laserscan(const snt_laserscan_view *view, snt_cloud *cloud);

/**
 * Coordinates of a range of rays: x = r·cos(a), y = r·sin(a), z = 0 with a = angle_min + i·angle_increment. Ranges that
 * are NaN, infinite or outside [range_min, range_max] give NaN. Linear in `count`.
 *
 * @param      view   the message
 * @param      first  first ray
 * @param      count  rays
 * @param[out] xyz    F32 triples, sensor frame [m]
 * @param      stride from one triple to the next, >= 12 [bytes]; 0 = 12
 * @retval SNT_OK
 * @retval SNT_ERR_RANGE `first + count` lies behind the last ray
 * @retval SNT_ERR_INVALID_ARG null pointer, or a stride below 12
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_laserscan_project(const snt_laserscan_view *view, uint64_t first, uint64_t count,
                                         void *xyz, int64_t stride);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_POINT_LAYOUT_H */
