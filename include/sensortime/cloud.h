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
    SNT_TYPE_I8 = 1,   /**< signed integer of 8 bits */
    SNT_TYPE_U8 = 2,   /**< unsigned integer of 8 bits */
    SNT_TYPE_I16 = 3,  /**< signed integer of 16 bits */
    SNT_TYPE_U16 = 4,  /**< unsigned integer of 16 bits */
    SNT_TYPE_I32 = 5,  /**< signed integer of 32 bits */
    SNT_TYPE_U32 = 6,  /**< unsigned integer of 32 bits */
    SNT_TYPE_F32 = 7,  /**< float of 32 bits */
    SNT_TYPE_F64 = 8,  /**< float of 64 bits */
    SNT_TYPE_I64 = 9,  /**< beyond PointField, for arrays of one's own */
    SNT_TYPE_U64 = 10  /**< unsigned integer of 64 bits */
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

/** Units of time fields. */
enum {
    SNT_TIME_UNIT_UNKNOWN = 0, /**< nobody said */
    SNT_TIME_UNIT_S = 1,       /**< seconds */
    SNT_TIME_UNIT_MS = 2,      /**< milliseconds */
    SNT_TIME_UNIT_US = 3,      /**< microseconds */
    SNT_TIME_UNIT_100NS = 4,   /**< a tenth of a microsecond */
    SNT_TIME_UNIT_NS = 5       /**< nanoseconds */
};

/** One field of every point: element i is at data + i·stride, with any alignment. */
typedef struct snt_field {
    int64_t stride; /**< from one point to the next [bytes]; may be negative or 0 */
    void *data;     /**< first element; written only by calls that say so */
    uint32_t type;  /**< SNT_TYPE_*; SNT_TYPE_NONE = absent */
    uint32_t flags; /**< SNT_FIELD_* */
} snt_field;

enum {
    /** Elements are stored most significant byte first. The makers of arrays below set it on hosts that do so. */
    SNT_FIELD_BIG_ENDIAN = 1 << 0,
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

/**
 * Size of one element.
 *
 * @param type SNT_TYPE_*
 * @return [bytes]; 0 for SNT_TYPE_NONE and for numbers that are no type
 * @thread P  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_type_size(uint32_t type);

/**
 * An empty cloud: no points, every field absent.
 *
 * @param[out] cloud what to fill; NULL does nothing
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_cloud_init(snt_cloud *cloud);

/**
 * Set the coordinates from three arrays (structure of arrays), and with them the number of points.
 *
 * @param[in,out] cloud  changed on success only
 * @param         x      first x [m]
 * @param         y      first y [m]
 * @param         z      first z [m]
 * @param         stride from one element to the next [bytes]; 0 = packed
 * @param         type   SNT_TYPE_F32 or SNT_TYPE_F64
 * @param         count  points
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG null pointer with points, or another type
 * @retval SNT_ERR_OVERFLOW count·stride does not fit 63 bits
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_cloud_set_xyz(snt_cloud *cloud, void *x, void *y, void *z, int64_t stride,
                                     uint32_t type, uint64_t count);

/**
 * Set the coordinates from one array of x, y, z triples (array of structures), such as `Eigen::Vector3d`.
 *
 * @param[in,out] cloud  changed on success only
 * @param         xyz    x of the first point; y and z follow it [m]
 * @param         stride from one point to the next [bytes]; 0 = three elements
 * @param         type   SNT_TYPE_F32 or SNT_TYPE_F64
 * @param         count  points
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG null pointer with points, or another type
 * @retval SNT_ERR_OVERFLOW count·stride does not fit 63 bits
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_cloud_set_points(snt_cloud *cloud, void *xyz, int64_t stride, uint32_t type,
                                        uint64_t count);

/**
 * Set the times of the points. Call it after the coordinates: there must be one time for each point.
 *
 * @param[in,out] cloud    changed on success only
 * @param         times    first time
 * @param         stride   from one time to the next [bytes]; 0 = packed
 * @param         type     any SNT_TYPE_* but SNT_TYPE_NONE
 * @param         unit     SNT_TIME_UNIT_*; ignored for normalised times
 * @param         time_ref SNT_TIME_REF_ABSOLUTE, _RELATIVE or _NORMALISED (normalised needs a float type)
 * @param         base_ns  zero of relative and normalised times [ns]; ignored for absolute ones
 * @param         span_ns  length of 0..1 for normalised times, >= 0 [ns]; ignored otherwise
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG null pointer with points, or an unknown type, unit or reference
 * @retval SNT_ERR_OVERFLOW count·stride does not fit 63 bits
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_cloud_set_times(snt_cloud *cloud, const void *times, int64_t stride, uint32_t type,
                                       uint32_t unit, uint32_t time_ref, snt_time base_ns,
                                       snt_duration span_ns);

/**
 * Set the rings (laser numbers) of the points.
 *
 * @param[in,out] cloud  changed on success only
 * @param         rings  first ring
 * @param         stride from one ring to the next [bytes]; 0 = packed
 * @param         type   any SNT_TYPE_* but SNT_TYPE_NONE
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG null pointer with points, or an unknown type
 * @retval SNT_ERR_OVERFLOW count·stride does not fit 63 bits
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_cloud_set_rings(snt_cloud *cloud, const void *rings, int64_t stride, uint32_t type);

/**
 * Look for contradictions in a cloud that was filled by hand: unknown types, a field without data, a time unit of
 * n/0, more rows·columns than points.
 *
 * @param cloud a cloud
 * @retval SNT_OK
 * @retval SNT_ERR_INVALID_ARG a contradiction, or NULL
 * @retval SNT_ERR_OVERFLOW count·stride does not fit 63 bits
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_cloud_check(const snt_cloud *cloud);

/**
 * Decode the times of a range of points, whatever their type, unit, byte order and alignment.
 *
 * Times that cannot be read (NaN, infinite, outside int64) come out as SNT_UNKNOWN and are counted. Floats are rounded
 * to the nearest nanosecond, or to the nearest multiple of `time_quantum_ns` where the cloud declares one. Linear in
 * `count`.
 *
 * @param      cloud     a cloud
 * @param      first     first point
 * @param      count     points
 * @param      origin_ns subtracted from every time: 0 gives times of the cloud's clock, cloud->time_base_ns gives
 *                       offsets from the base [ns]
 * @param[out] times     `count` times [ns]
 * @param[out] invalid   how many of them are SNT_UNKNOWN; NULL = not wanted
 * @retval SNT_OK
 * @retval SNT_ERR_NO_TIME the cloud has no time field, or its times count from each packet
 * @retval SNT_ERR_RANGE `first + count` lies behind the last point
 * @retval SNT_ERR_OVERFLOW base − origin does not fit 64 bits
 * @retval SNT_ERR_INVALID_ARG null pointer, or a contradiction in the cloud
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_cloud_times(const snt_cloud *cloud, uint64_t first, uint64_t count, snt_time origin_ns,
                                   snt_time *times, uint64_t *invalid);

/**
 * Decode the rings of a range of points. Values that are no whole number in 0..2³²−2 come out as UINT32_MAX and are
 * counted. Linear in `count`.
 *
 * @param      cloud   a cloud
 * @param      first   first point
 * @param      count   points
 * @param[out] rings   `count` rings
 * @param[out] invalid how many of them are UINT32_MAX; NULL = not wanted
 * @retval SNT_OK
 * @retval SNT_ERR_NOT_FOUND the cloud has no ring field
 * @retval SNT_ERR_RANGE `first + count` lies behind the last point
 * @retval SNT_ERR_INVALID_ARG null pointer, or a contradiction in the cloud
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_cloud_rings(const snt_cloud *cloud, uint64_t first, uint64_t count, uint32_t *rings,
                                   uint64_t *invalid);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_CLOUD_H */
