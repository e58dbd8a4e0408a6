/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file message_view.h
 * Zero-copy views of serialized ROS messages: what a recording or a middleware hands out as raw bytes.
 *
 * Two encodings are read: ROS 1 (packed, little-endian) and CDR as ROS 2 writes it (a 4-byte encapsulation header, then
 * XCDR1 with either byte order). A view points into the caller's bytes, which must stay as they are while it is used.
 * Nothing is trusted: each length is compared with the bytes that are left before it is used, products are checked for
 * overflow, and nothing past the end is read. Numbers are not judged here: a NaN is handed on as it is.
 *
 * Trailing bytes: CDR may be padded by up to 3 bytes; anything more, and any rest in ROS 1, is refused
 * (SNT_ERR_FORMAT), because it shows that the bytes are of another type. ::snt_message_header_parse does not look at
 * what follows the header.
 *
 * Every parser returns SNT_ERR_TRUNCATED where the bytes end before the message does, SNT_ERR_FORMAT for bytes that are
 * no such message, SNT_ERR_UNSUPPORTED for encapsulations other than plain CDR (parameter lists, XCDR2), SNT_ERR_LAYOUT
 * where sizes contradict each other, and SNT_ERR_INVALID_ARG for null pointers or an unknown encoding. The byte offset
 * and the field are in ::snt_message_error. On failure the view is untouched.
 */
#ifndef SENSORTIME_MESSAGE_VIEW_H
#define SENSORTIME_MESSAGE_VIEW_H

#include "base.h"
#include "cloud.h"
#include "pose.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How the bytes were serialized. */
enum {
    SNT_ENCODING_ROS1 = 1, /**< ROS 1: packed, little-endian, no encapsulation header */
    SNT_ENCODING_CDR = 2   /**< ROS 2: 4-byte encapsulation header, then XCDR1 in the byte order it names */
};

/** Message types that have a view. */
enum {
    SNT_MESSAGE_UNKNOWN = 0,  /**< not in the table */
    SNT_MESSAGE_HEADERED = 1, /**< begins with a std_msgs/Header; only ::snt_message_header_parse applies */
    SNT_MESSAGE_POINTCLOUD2 = 2, /**< sensor_msgs/PointCloud2 */
    SNT_MESSAGE_LASERSCAN = 3,   /**< sensor_msgs/LaserScan */
    SNT_MESSAGE_IMU = 4,         /**< sensor_msgs/Imu */
    SNT_MESSAGE_TF = 5,          /**< tf2_msgs/TFMessage, tf/tfMessage */
    SNT_MESSAGE_LIVOX = 6,       /**< livox_ros_driver/CustomMsg, livox_ros_driver2/CustomMsg */
    SNT_MESSAGE_ODOMETRY = 7,    /**< nav_msgs/Odometry */
    SNT_MESSAGE_CLOCK = 8        /**< rosgraph_msgs/Clock */
};

/** Where and why a message was refused. */
typedef struct snt_message_error {
    const char *field;  /**< static text: the field that was being read, such as "fields[].name" */
    uint64_t offset;    /**< first byte of that field, from the start of the message [bytes] */
    uint64_t needed;    /**< what the field asks for [bytes]; UINT64_MAX = more than 64 bits hold */
    uint64_t available; /**< what is there from `offset` on [bytes] */
    uint32_t index;     /**< element of the sequence that was being read, from 0 */
    snt_status status;  /**< what the call returned */
} snt_message_error;

enum {
    SNT_HEADER_HAS_SEQUENCE = 1 << 0, /**< ROS 1: `sequence` is filled */
    SNT_HEADER_NSEC_OVERFLOW =
        1 << 1, /**< nanoseconds >= 10⁹ were carried into the seconds: a driver's rounding bug */
    SNT_HEADER_NEGATIVE_SECONDS = 1 << 2 /**< ROS 2: the signed seconds are negative */
};

/** std_msgs/Header. */
typedef struct snt_message_header {
    snt_time stamp_ns;   /**< [ns] on whatever clock the writer used; zero is a time */
    snt_text frame_id;   /**< inside the message */
    uint32_t sequence;   /**< ROS 1 `seq`; 0 where there is none */
    uint32_t flags;      /**< SNT_HEADER_* */
    uint32_t end_offset; /**< first byte behind the header, from the start of the message [bytes] */
    uint32_t reserved;   /**< 0 */
} snt_message_header;

enum {
    SNT_POINTCLOUD2_BIG_ENDIAN =
        1 << 0,                     /**< is_bigendian: the points are stored most significant byte first */
    SNT_POINTCLOUD2_DENSE = 1 << 1, /**< is_dense: the writer says that no point is invalid */
    SNT_POINTCLOUD2_PADDED_ROWS = 1 << 2, /**< row_step > width·point_step and more than one row */
    SNT_POINTCLOUD2_ODD_ROW_STEP =
        1 << 3, /**< one row (or none), and row_step is not width·point_step: ignored */
    SNT_POINTCLOUD2_EXCESS_DATA = 1 << 4, /**< `data` is longer than its points need */
    SNT_POINTCLOUD2_ODD_FIELDS = 1 << 5   /**< a field has an unknown datatype or a count of 0 */
};

/** sensor_msgs/PointCloud2, with sizes, offsets and steps already checked against each other. */
typedef struct snt_pointcloud2_view {
    snt_message_header header;    /**< stamp and frame */
    const unsigned char *message; /**< the caller's bytes */
    const unsigned char *data;    /**< first byte of the first point */
    uint64_t message_size;        /**< [bytes] */
    uint64_t data_size;           /**< length of `data` [bytes] */
    uint64_t point_count;         /**< width·height */
    uint64_t fields_offset;       /**< first field description, from the start of the message [bytes] */
    uint32_t field_count;         /**< field descriptions; ::snt_pointcloud2_fields lists them */
    uint32_t width;               /**< points per row */
    uint32_t height;              /**< rows */
    uint32_t point_step;          /**< from one point to the next [bytes] */
    uint32_t row_step;            /**< from one row to the next [bytes], as written */
    uint32_t encoding;            /**< SNT_ENCODING_* */
    uint32_t flags;               /**< SNT_POINTCLOUD2_* */
    uint32_t reserved;            /**< 0 */
} snt_pointcloud2_view;

/** sensor_msgs/LaserScan. The stamp is that of the first ray. */
typedef struct snt_laserscan_view {
    snt_message_header header; /**< stamp and frame */
    uint64_t count;            /**< rays */
    uint64_t intensity_count;  /**< intensities; 0 or `count` in a sound message */
    snt_field ranges;          /**< [m], F32 */
    snt_field intensities;     /**< device units, F32 */
    float angle_min;           /**< first ray [rad] */
    float angle_max;           /**< last ray [rad] */
    float angle_increment;     /**< between rays [rad] */
    float time_increment;      /**< between rays [s]; 0 where the writer does not say */
    float scan_time;           /**< between scans [s]; 0 where the writer does not say */
    float range_min;           /**< [m] */
    float range_max;           /**< [m] */
    uint32_t reserved;         /**< 0 */
} snt_laserscan_view;

enum {
    SNT_IMU_NO_ORIENTATION = 1 << 0,        /**< orientation_covariance[0] is −1: there is no orientation */
    SNT_IMU_NO_ANGULAR_VELOCITY = 1 << 1,   /**< angular_velocity_covariance[0] is −1 */
    SNT_IMU_NO_LINEAR_ACCELERATION = 1 << 2 /**< linear_acceleration_covariance[0] is −1 */
};

/** sensor_msgs/Imu. */
typedef struct snt_imu_view {
    snt_message_header header;                /**< stamp and frame */
    double orientation[4];                    /**< x, y, z, w */
    double angular_velocity[3];               /**< [rad/s] */
    double linear_acceleration[3];            /**< [m/s²] */
    snt_field orientation_covariance;         /**< 9 × F64, row-major [rad²] */
    snt_field angular_velocity_covariance;    /**< 9 × F64 [rad²/s²] */
    snt_field linear_acceleration_covariance; /**< 9 × F64 [m²/s⁴] */
    uint32_t flags;                           /**< SNT_IMU_* */
    uint32_t reserved;                        /**< 0 */
} snt_imu_view;

/** geometry_msgs/TransformStamped: one element of a TFMessage. */
typedef struct snt_transform_view {
    snt_message_header header; /**< stamp and parent frame */
    snt_text child_frame_id;   /**< inside the message */
    snt_pose pose;             /**< T_parent_child, as written: not normalised, not checked */
} snt_transform_view;

/** tf2_msgs/TFMessage, wholly checked; ::snt_tf_message_next walks it. */
typedef struct snt_tf_message_view {
    const unsigned char *message; /**< the caller's bytes */
    uint64_t message_size;        /**< [bytes] */
    uint64_t position;            /**< next transform, from the start of the message [bytes] */
    uint32_t remaining;           /**< transforms not yet taken */
    uint32_t count;               /**< transforms in all */
    uint32_t encoding;            /**< SNT_ENCODING_* */
    uint32_t reserved;            /**< 0 */
} snt_tf_message_view;

enum {
    SNT_LIVOX_COUNT_MISMATCH = 1 << 0 /**< `point_num` differs from the number of points that are there */
};

/** livox_ros_driver(2)/CustomMsg. Element i of each field belongs to point i. */
typedef struct snt_livox_view {
    snt_message_header header; /**< stamp and frame */
    uint64_t timebase_ns;      /**< device time of the first point [ns] */
    uint64_t count;            /**< points that are there */
    snt_field offset_time;     /**< U32 [ns] since timebase */
    snt_field x;               /**< F32 [m] */
    snt_field y;               /**< F32 [m] */
    snt_field z;               /**< F32 [m] */
    snt_field reflectivity;    /**< U8 */
    snt_field tag;             /**< U8 */
    snt_field line;            /**< U8: laser number */
    uint32_t point_num;        /**< what the message says */
    uint32_t lidar_id;         /**< device handle */
    uint32_t flags;            /**< SNT_LIVOX_* */
    uint32_t reserved;         /**< 0 */
} snt_livox_view;

/** nav_msgs/Odometry. */
typedef struct snt_odometry_view {
    snt_message_header header;  /**< stamp and parent frame */
    snt_text child_frame_id;    /**< frame of the twist */
    snt_pose pose;              /**< child in parent, as written */
    snt_twist twist;            /**< in the child frame */
    snt_field pose_covariance;  /**< 36 × F64, row-major */
    snt_field twist_covariance; /**< 36 × F64, row-major */
} snt_odometry_view;

/**
 * The kind of a message, by its type name in ROS 1 ("sensor_msgs/PointCloud2"), ROS 2 ("sensor_msgs/msg/PointCloud2")
 * or DDS form ("sensor_msgs::msg::dds_::PointCloud2_").
 *
 * @param type_name type; not NUL-terminated
 * @param size      length of `type_name` [bytes]
 * @return SNT_MESSAGE_*; SNT_MESSAGE_UNKNOWN for NULL and for every type that is not in the table. Linear in the table.
 * @thread P  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_message_kind(const char *type_name, uint64_t size);

/**
 * Read the std_msgs/Header at the start of any message that begins with one.
 *
 * @param      encoding SNT_ENCODING_*
 * @param      bytes    serialized message
 * @param      size     length of `bytes`
 * @param[out] header   stamp, frame and sequence
 * @param[out] error    filled on failure; NULL = not wanted
 * @retval SNT_OK, SNT_ERR_TRUNCATED, SNT_ERR_FORMAT, SNT_ERR_UNSUPPORTED, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_header_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                            snt_message_header *header, snt_message_error *error);

/**
 * Read the header stamps of many messages at once: for languages in which each call is dear. The messages lie one after
 * the other. One that is refused leaves its stamp and sequence untouched and stops nothing.
 *
 * Kinds with a view of their own are checked as a whole, as by that view's parser. Of all others only the header is looked
 * at, so that the beginnings of the messages suffice.
 *
 * @param      kind      SNT_MESSAGE_* of all of them, but for SNT_MESSAGE_TF and SNT_MESSAGE_CLOCK
 * @param      encoding  SNT_ENCODING_*
 * @param      bytes     the messages, packed
 * @param      size      length of `bytes`
 * @param      sizes     length of each message; they add up to `size` [bytes]
 * @param      count     messages
 * @param[out] stamps    header stamp of each [ns]
 * @param[out] sequences ROS 1 `seq` of each, 0 in CDR; NULL = not wanted
 * @param[out] statuses  what the parser says of each; NULL = not wanted
 * @retval SNT_OK all were read
 * @retval SNT_ERR_INVALID_ARG null pointer, an unknown encoding or a kind without a header: nothing was read
 * @retval SNT_ERR_LAYOUT `sizes` do not add up to `size`, nothing was read; or the first refusal, as the others below
 * @retval SNT_ERR_TRUNCATED, SNT_ERR_FORMAT, SNT_ERR_UNSUPPORTED the first refusal; the others were read
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_stamps(uint32_t kind, uint32_t encoding, const void *bytes, uint64_t size,
                                      const uint64_t *sizes, uint64_t count, snt_time *stamps,
                                      uint32_t *sequences, snt_status *statuses);

/** One transform among many messages. 32 bytes, frozen. */
typedef struct snt_tf_stamp {
    snt_time stamp_ns;     /**< header stamp [ns] */
    uint64_t child_hash;   /**< equal for equal child frames (64-bit FNV-1a of the name) */
    uint64_t child_offset; /**< where its name begins, from the start of all bytes [bytes] */
    uint32_t child_size;   /**< length of the name [bytes] */
    uint32_t message;      /**< number of the message, from 0 */
} snt_tf_stamp;

/**
 * Read the stamps of all transforms of many TFMessages that lie one after the other. A message that is refused stops
 * nothing.
 *
 * @param      encoding SNT_ENCODING_*
 * @param      bytes    the messages, packed
 * @param      size     length of `bytes`
 * @param      sizes    length of each message; they add up to `size` [bytes]
 * @param      count    messages
 * @param[out] out      the transforms in order
 * @param      capacity room in `out`; size / 72 always suffices, since no transform is shorter
 * @param[out] written  transforms written
 * @param[out] statuses what ::snt_tf_message_view_parse says of each message; NULL = not wanted
 * @retval SNT_OK all were read
 * @retval SNT_ERR_BUFFER_TOO_SMALL `out` is full: the first `capacity` were written
 * @retval SNT_ERR_INVALID_ARG null pointer or an unknown encoding: nothing was read
 * @retval SNT_ERR_LAYOUT `sizes` do not add up to `size`: nothing was read
 * @retval SNT_ERR_TRUNCATED, SNT_ERR_FORMAT, SNT_ERR_UNSUPPORTED the first refusal; the others were read
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_message_stamps(uint32_t encoding, const void *bytes, uint64_t size,
                                         const uint64_t *sizes, uint64_t count, snt_tf_stamp *out,
                                         uint64_t capacity, uint64_t *written, snt_status *statuses);

/**
 * View a sensor_msgs/PointCloud2.
 *
 * Refuses (SNT_ERR_LAYOUT) a field that ends behind point_step, a point_step of 0 with points, rows shorter than their
 * points, and `data` shorter than its rows; a last row without its padding is accepted. Linear in the fields.
 *
 * @param      encoding SNT_ENCODING_*
 * @param      bytes    serialized message
 * @param      size     length of `bytes`
 * @param[out] view     the view
 * @param[out] error    filled on failure; NULL = not wanted
 * @retval SNT_OK, SNT_ERR_LAYOUT, SNT_ERR_TRUNCATED, SNT_ERR_FORMAT, SNT_ERR_UNSUPPORTED, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_pointcloud2_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                              snt_pointcloud2_view *view, snt_message_error *error);

/**
 * View a point cloud whose message is already taken apart (a ROS callback, a .pcd file), with the same checks of its
 * layout. `fields` are only checked; hand them to ::snt_point_layout_detect yourself. In the error, `offset` counts
 * from the start of `data`.
 *
 * @param      fields      field descriptions
 * @param      field_count number of `fields`
 * @param      data        first point
 * @param      data_size   length of `data` [bytes]
 * @param      width       points per row
 * @param      height      rows
 * @param      point_step  from one point to the next [bytes]
 * @param      row_step    from one row to the next [bytes]; 0 = width·point_step
 * @param      stamp_ns    header stamp [ns]
 * @param      big_endian  1 = the points are stored most significant byte first
 * @param[out] view        the view; its `message` is NULL and ::snt_pointcloud2_fields does not apply
 * @param[out] error       filled on failure; NULL = not wanted
 * @retval SNT_OK, SNT_ERR_LAYOUT, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_pointcloud2_view_init(const snt_point_field *fields, uint32_t field_count,
                                             const void *data, uint64_t data_size, uint32_t width,
                                             uint32_t height, uint32_t point_step, uint32_t row_step,
                                             snt_time stamp_ns, uint32_t big_endian,
                                             snt_pointcloud2_view *view, snt_message_error *error);

/**
 * List the fields of a PointCloud2. Linear in the fields.
 *
 * @param      view     a view
 * @param[out] fields   room for `capacity` fields; their names lie in the message
 * @param      capacity room in `fields`; 0 with NULL `fields` only counts
 * @param[out] count    fields written
 * @retval SNT_OK
 * @retval SNT_ERR_BUFFER_TOO_SMALL more fields than `capacity`: the first `capacity` were written
 * @retval SNT_ERR_INVALID_ARG null pointer, or a view that was not made from a message
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_pointcloud2_fields(const snt_pointcloud2_view *view, snt_point_field *fields,
                                          uint32_t capacity, uint32_t *count);

/**
 * View a sensor_msgs/LaserScan.
 *
 * @param      encoding SNT_ENCODING_*
 * @param      bytes    serialized message
 * @param      size     length of `bytes`
 * @param[out] view     the view
 * @param[out] error    filled on failure; NULL = not wanted
 * @retval SNT_OK, SNT_ERR_TRUNCATED, SNT_ERR_FORMAT, SNT_ERR_UNSUPPORTED, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_laserscan_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                            snt_laserscan_view *view, snt_message_error *error);

/**
 * View a sensor_msgs/Imu.
 *
 * @param      encoding SNT_ENCODING_*
 * @param      bytes    serialized message
 * @param      size     length of `bytes`
 * @param[out] view     the view
 * @param[out] error    filled on failure; NULL = not wanted
 * @retval SNT_OK, SNT_ERR_TRUNCATED, SNT_ERR_FORMAT, SNT_ERR_UNSUPPORTED, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_imu_view_parse(uint32_t encoding, const void *bytes, uint64_t size, snt_imu_view *view,
                                      snt_message_error *error);

/**
 * View a tf2_msgs/TFMessage (or tf/tfMessage). All transforms are checked here, so that a walk cannot fail half-way.
 * Linear in the transforms.
 *
 * @param      encoding SNT_ENCODING_*
 * @param      bytes    serialized message
 * @param      size     length of `bytes`
 * @param[out] view     the view, standing before the first transform
 * @param[out] error    filled on failure; NULL = not wanted
 * @retval SNT_OK, SNT_ERR_TRUNCATED, SNT_ERR_FORMAT, SNT_ERR_UNSUPPORTED, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_message_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                             snt_tf_message_view *view, snt_message_error *error);

/**
 * Take the next transform. A copy of a fresh view walks from the start again.
 *
 * @param      view      a view; moves on by one
 * @param[out] transform parent, child, stamp and pose
 * @retval SNT_OK
 * @retval SNT_EMPTY all were taken; `transform` is untouched
 * @retval SNT_ERR_INVALID_ARG null pointer
 * @retval SNT_ERR_TRUNCATED, SNT_ERR_FORMAT the bytes were changed since they were parsed
 * @thread H  @alloc never  @since 1.0
 */
SNT_API snt_status snt_tf_message_next(snt_tf_message_view *view, snt_transform_view *transform);

/**
 * View a Livox CustomMsg, version 1 or 2 (they are laid out alike).
 *
 * @param      encoding SNT_ENCODING_*
 * @param      bytes    serialized message
 * @param      size     length of `bytes`
 * @param[out] view     the view
 * @param[out] error    filled on failure; NULL = not wanted
 * @retval SNT_OK, SNT_ERR_TRUNCATED, SNT_ERR_FORMAT, SNT_ERR_UNSUPPORTED, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_livox_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                        snt_livox_view *view, snt_message_error *error);

/**
 * View a nav_msgs/Odometry.
 *
 * @param      encoding SNT_ENCODING_*
 * @param      bytes    serialized message
 * @param      size     length of `bytes`
 * @param[out] view     the view
 * @param[out] error    filled on failure; NULL = not wanted
 * @retval SNT_OK, SNT_ERR_TRUNCATED, SNT_ERR_FORMAT, SNT_ERR_UNSUPPORTED, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_odometry_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                           snt_odometry_view *view, snt_message_error *error);

/**
 * Read a rosgraph_msgs/Clock.
 *
 * @param      encoding SNT_ENCODING_*
 * @param      bytes    serialized message
 * @param      size     length of `bytes`
 * @param[out] clock_ns simulated or replayed time [ns]
 * @param[out] error    filled on failure; NULL = not wanted
 * @retval SNT_OK, SNT_ERR_TRUNCATED, SNT_ERR_FORMAT, SNT_ERR_UNSUPPORTED, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_message_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                           snt_time *clock_ns, snt_message_error *error);

/**
 * Say in one English line where and why a message was refused.
 *
 * @param      error what a parser filled
 * @param[out] text  cut to fit and always terminated
 * @param      size  of `text`, 192 is enough [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a pointer is NULL), SNT_ERR_BUFFER_TOO_SMALL (cut)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_message_error_format(const snt_message_error *error, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_MESSAGE_VIEW_H */
