/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cloud.h
 * A view of points in the caller's memory: where each field lies and what its time means.
 */
#ifndef SENSORTIME_CLOUD_H
#define SENSORTIME_CLOUD_H

#include "base.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Element types; 1–8 are the numbers of sensor_msgs/PointField. */
enum {
    SNT_TYPE_NONE = 0, /**< the field is absent */
    SNT_TYPE_I8 = 1,
    SNT_TYPE_U8 = 2,
    SNT_TYPE_I16 = 3,
    SNT_TYPE_U16 = 4,
    SNT_TYPE_I32 = 5,
    SNT_TYPE_U32 = 6,
    SNT_TYPE_F32 = 7,
    SNT_TYPE_F64 = 8,
    SNT_TYPE_I64 = 9, /**< beyond PointField, for arrays of one's own */
    SNT_TYPE_U64 = 10
};

/** What a point's time field counts from. */
enum {
    SNT_TIME_REF_NONE = 0,       /**< no usable time */
    SNT_TIME_REF_ABSOLUTE = 1,   /**< from the epoch of the cloud's clock */
    SNT_TIME_REF_RELATIVE = 2,   /**< from snt_cloud.time_base_ns (the header, or what it stands for) */
    SNT_TIME_REF_NORMALISED = 3, /**< 0..1 over [time_base_ns, time_base_ns + time_span_ns] */
    SNT_TIME_REF_PACKET = 4      /**< from the start of each packet: unusable as a time in the scan */
};

/** Bytes of text inside the caller's memory: not NUL-terminated, not checked for UTF-8, hostile until shown. */
typedef struct snt_text {
    const char *data; /**< first byte; may be NULL when size is 0 */
    uint64_t size;    /**< [bytes], without any terminator */
} snt_text;

/** How one field lies in a point, as sensor_msgs/PointField says it. */
typedef struct snt_point_field {
    snt_text name;     /**< "x", "time", "ring", … */
    uint32_t offset;   /**< from the start of the point [bytes] */
    uint32_t datatype; /**< SNT_TYPE_* (1–8 in messages); others are carried but never read */
    uint32_t count;    /**< elements; 0 is taken as 1, which old drivers write */
    uint32_t reserved; /**< 0 */
} snt_point_field;

/** One field of every point: element i is at data + i·stride, with any alignment. */
typedef struct snt_field {
    int64_t stride; /**< from one point to the next [bytes]; may be negative or 0 */
    void *data;     /**< first element; written only by calls that say so */
    uint32_t type;  /**< SNT_TYPE_*; SNT_TYPE_NONE = absent */
    uint32_t flags; /**< SNT_FIELD_* */
} snt_field;

enum {
    SNT_FIELD_BIG_ENDIAN = 1 << 0, /**< elements are stored most significant byte first */
    SNT_FIELD_INDEX = 1 << 1 /**< nothing is stored: element i is the whole number i (rays of a LaserScan) */
};

/**
 * A cloud of `count` points. Fill it with one of the makers or by hand; zero is "absent" everywhere.
 *
 * The time of point i is value·time_unit_num/time_unit_den ns after its reference (SNT_TIME_REF_*). A split time adds
 * time_nsec nanoseconds to whole seconds in `time`.
 */
typedef struct snt_cloud {
    uint64_t count; /**< points */
    snt_field x;    /**< [m], F32 or F64, sensor frame */
    snt_field y;
    snt_field z;
    snt_field time;      /**< any integer or float type */
    snt_field time_nsec; /**< U32 or I32 [ns] where the time is split; else absent */
    snt_field ring;      /**< any type with whole values; else absent */
    uint32_t width;      /**< points per row; 0 = unorganised */
    uint32_t height;     /**< rows; 0 = unorganised */
    uint32_t time_ref;   /**< SNT_TIME_REF_* */
    uint32_t domain;     /**< clock of the absolute times */
    int64_t
        time_unit_num; /**< [ns] per count, numerator: 1 000 000 000 for seconds, 1 for ns, 100 for 0.1 µs */
    int64_t time_unit_den;     /**< denominator, >= 1 */
    snt_time time_base_ns;     /**< zero of relative and normalised times [ns, domain] */
    snt_duration time_span_ns; /**< length of 0..1 for normalised times [ns] */
    snt_duration
        time_quantum_ns; /**< declared grid of the device's times, to win back rounding; 0 = none [ns] */
} snt_cloud;

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_CLOUD_H */
