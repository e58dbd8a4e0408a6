/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <stdlib.h>

#include "message_bytes.h"

#include "lib/base/internal.h"

typedef struct encoded {
    const unsigned char *bytes;
    size_t size;
    uint32_t encoding;
} encoded;

/* The same message in its three encodings. */
#define ALL_OF(name)                                                                                         \
    {                                                                                                        \
        {bytes_##name##_ros1, sizeof bytes_##name##_ros1, SNT_ENCODING_ROS1},                                \
            {bytes_##name##_cdr_le, sizeof bytes_##name##_cdr_le, SNT_ENCODING_CDR},                         \
            {bytes_##name##_cdr_be, sizeof bytes_##name##_cdr_be, SNT_ENCODING_CDR},                         \
    }

static void assert_text(snt_text text, const char *expected)
{
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.data, expected, text.size);
}

static double f64_at(const snt_field *field, int64_t i)
{
    const unsigned char *at = (const unsigned char *)field->data + i * field->stride;
    const size_t size = field->type == SNT_TYPE_F64 ? 8 : 4;
    uint64_t bits = 0;
    for (size_t b = 0; b < size; b++)
        bits = bits << 8 | at[field->flags & SNT_FIELD_BIG_ENDIAN ? b : size - 1 - b];
    if (size == 8) {
        double value;
        memcpy(&value, &bits, 8);
        return value;
    }
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, 4);
    return (double)value;
}

static void a_point_cloud_is_viewed_in_every_encoding(void **state)
{
    (void)state;
    const encoded all[] = ALL_OF(cloud);
    for (size_t i = 0; i < 3; i++) {
        snt_pointcloud2_view view;
        assert_status(snt_pointcloud2_view_parse(all[i].encoding, all[i].bytes, all[i].size, &view, NULL),
                      SNT_OK);
        assert_i64_equal(view.header.stamp_ns, INT64_C(100100000001));
        assert_text(view.header.frame_id, "velodyne");
        assert_int_equal(view.header.sequence, i == 0 ? 7 : 0);
        assert_int_equal(view.width, 3);
        assert_int_equal(view.height, 1);
        assert_int_equal(view.point_count, 3);
        assert_int_equal(view.point_step, 22);
        assert_int_equal(view.row_step, 66);
        assert_int_equal(view.data_size, 66);
        assert_int_equal(view.flags, SNT_POINTCLOUD2_DENSE);
        static const unsigned char two[4] = {0, 0, 0,
                                             0x40}; /* 2.0f: the points are little-endian on every host */
        assert_memory_equal(view.data + 22, two, 4);
        snt_point_field fields[8];
        uint32_t count = 0;
        assert_status(snt_pointcloud2_fields(&view, fields, 8, &count), SNT_OK);
        assert_int_equal(count, 6);
        assert_text(fields[4].name, "ring");
        assert_int_equal(fields[4].offset, 16);
        assert_int_equal(fields[4].datatype, SNT_TYPE_U16);
        assert_text(fields[5].name, "time");
        assert_int_equal(fields[5].offset, 18);
        assert_int_equal(fields[5].count, 1);
        assert_status(snt_pointcloud2_fields(&view, fields, 2, &count), SNT_ERR_BUFFER_TOO_SMALL);
        assert_int_equal(count, 2);
    }
}

static void a_laser_scan_is_viewed_in_every_encoding(void **state)
{
    (void)state;
    const encoded all[] = ALL_OF(scan);
    for (size_t i = 0; i < 3; i++) {
        snt_laserscan_view view;
        assert_status(snt_laserscan_view_parse(all[i].encoding, all[i].bytes, all[i].size, &view, NULL),
                      SNT_OK);
        assert_i64_equal(view.header.stamp_ns, INT64_C(5000000006));
        assert_int_equal(view.count, 4);
        assert_int_equal(view.intensity_count, 1);
        assert_near((double)view.angle_min, -1.5, 0);
        assert_near((double)view.time_increment, 1e-3, 1e-10);
        assert_near((double)view.scan_time, 0.1, 1e-8);
        assert_near((double)view.range_max, 30, 0);
        assert_near(f64_at(&view.ranges, 3), 4, 0);
        assert_near(f64_at(&view.intensities, 0), 9, 0);
    }
}

static void an_imu_is_viewed_in_every_encoding(void **state)
{
    (void)state;
    const encoded all[] = ALL_OF(imu);
    for (size_t i = 0; i < 3; i++) {
        snt_imu_view view;
        assert_status(snt_imu_view_parse(all[i].encoding, all[i].bytes, all[i].size, &view, NULL), SNT_OK);
        assert_i64_equal(view.header.stamp_ns, INT64_C(1999999999));
        assert_near(view.orientation[3], 0.9, 0);
        assert_near(view.angular_velocity[2], 3, 0);
        assert_near(view.linear_acceleration[0], 4, 0);
        assert_int_equal(view.flags, SNT_IMU_NO_ORIENTATION);
        assert_near(f64_at(&view.orientation_covariance, 0), -1, 0);
        assert_near(f64_at(&view.angular_velocity_covariance, 8), 18, 0);
        assert_near(f64_at(&view.linear_acceleration_covariance, 1), 21, 0);
    }
}

static void transforms_are_walked_in_every_encoding(void **state)
{
    (void)state;
    const encoded all[] = ALL_OF(tf);
    for (size_t i = 0; i < 3; i++) {
        snt_tf_message_view view;
        assert_status(snt_tf_message_view_parse(all[i].encoding, all[i].bytes, all[i].size, &view, NULL),
                      SNT_OK);
        assert_int_equal(view.count, 2);
        snt_transform_view tf;
        assert_status(snt_tf_message_next(&view, &tf), SNT_OK);
        assert_text(tf.header.frame_id, "odom");
        assert_text(tf.child_frame_id, "base_link");
        assert_i64_equal(tf.header.stamp_ns, INT64_C(10000000020));
        assert_near(tf.pose.t[2], 3, 0);
        assert_near(tf.pose.q[3], 1, 0);
        assert_status(snt_tf_message_next(&view, &tf), SNT_OK);
        assert_text(tf.child_frame_id, "a");
        assert_near(tf.pose.t[0], -1, 0);
        assert_near(tf.pose.q[0], 1, 0);
        assert_status(snt_tf_message_next(&view, &tf), SNT_EMPTY);
        assert_text(tf.child_frame_id, "a");
    }
}

static void a_livox_cloud_is_viewed_in_every_encoding(void **state)
{
    (void)state;
    const encoded all[] = ALL_OF(livox);
    for (size_t i = 0; i < 3; i++) {
        snt_livox_view view;
        assert_status(snt_livox_view_parse(all[i].encoding, all[i].bytes, all[i].size, &view, NULL), SNT_OK);
        assert_true(view.timebase_ns == UINT64_C(1700000000123456789));
        assert_int_equal(view.count, 3);
        assert_int_equal(view.point_num, 3);
        assert_int_equal(view.lidar_id, 5);
        assert_int_equal(view.flags, 0);
        assert_int_equal(view.x.stride, i == 0 ? 19 : 20);
        assert_near(f64_at(&view.x, 1), 4, 0);
        assert_near(f64_at(&view.y, 1), 5, 0);
        assert_near(f64_at(&view.z, 2), 9, 0);
        assert_int_equal(((const unsigned char *)view.line.data)[2 * view.line.stride], 3);
        assert_int_equal(((const unsigned char *)view.tag.data)[2 * view.tag.stride], 11);
        assert_int_equal(((const unsigned char *)view.reflectivity.data)[2 * view.reflectivity.stride], 10);
        const unsigned char *t = (const unsigned char *)view.offset_time.data + view.offset_time.stride;
        assert_int_equal(i == 2 ? t[2] << 8 | t[3] : t[1] << 8 | t[0], 5000);
    }
}

static void odometry_is_viewed_in_every_encoding(void **state)
{
    (void)state;
    const encoded all[] = ALL_OF(odom);
    for (size_t i = 0; i < 3; i++) {
        snt_odometry_view view;
        assert_status(snt_odometry_view_parse(all[i].encoding, all[i].bytes, all[i].size, &view, NULL),
                      SNT_OK);
        assert_text(view.header.frame_id, "map");
        assert_text(view.child_frame_id, "base");
        assert_near(view.pose.t[1], 2, 0);
        assert_near(view.pose.q[2], 1, 0);
        assert_near(view.twist.v[0], 4, 0);
        assert_near(view.twist.w[2], 9, 0);
        assert_near(f64_at(&view.pose_covariance, 35), 35, 0);
        assert_near(f64_at(&view.twist_covariance, 35), 135, 0);
    }
}

static void a_clock_is_read_in_every_encoding(void **state)
{
    (void)state;
    const encoded all[] = ALL_OF(clock);
    for (size_t i = 0; i < 3; i++) {
        snt_time t;
        assert_status(snt_clock_message_parse(all[i].encoding, all[i].bytes, all[i].size, &t, NULL), SNT_OK);
        assert_i64_equal(t, INT64_C(4000000005));
    }
}

static void headers_carry_their_oddities(void **state)
{
    (void)state;
    /* ROS 2, seconds -1, nanoseconds 10^9: a driver that rounded up */
    const unsigned char negative[] = {0,    1,    0,    0, 0xff, 0xff, 0xff, 0xff, 0x00,
                                      0xca, 0x9a, 0x3b, 1, 0,    0,    0,    0};
    snt_message_header header;
    assert_status(snt_message_header_parse(SNT_ENCODING_CDR, negative, sizeof negative, &header, NULL),
                  SNT_OK);
    assert_i64_equal(header.stamp_ns, 0);
    assert_int_equal(header.flags, SNT_HEADER_NSEC_OVERFLOW | SNT_HEADER_NEGATIVE_SECONDS);
    assert_int_equal(header.frame_id.size, 0);
    assert_int_equal(header.end_offset, sizeof negative);
    /* ROS 1 counts unsigned seconds: 4 000 000 000 s is the year 2096 */
    const unsigned char late[] = {1, 0, 0, 0, 0x00, 0x28, 0x6b, 0xee, 0, 0, 0, 0, 0, 0, 0, 0, 9, 9};
    assert_status(snt_message_header_parse(SNT_ENCODING_ROS1, late, sizeof late, &header, NULL), SNT_OK);
    assert_i64_equal(header.stamp_ns, INT64_C(4000000000) * SNT_NS_PER_S);
    assert_int_equal(header.sequence, 1);
    assert_int_equal(header.end_offset, 16);
    assert_status(snt_message_header_parse(SNT_ENCODING_ROS1, late, 12, &header, NULL), SNT_ERR_TRUNCATED);
    assert_status(snt_message_header_parse(SNT_ENCODING_ROS1, late, 12, NULL, NULL), SNT_ERR_INVALID_ARG);
}

static void messages_of_nothing_are_sound(void **state)
{
    (void)state;
    /* header, then zeroes: no frame; no points, rays or transforms */
    unsigned char zeros[80] = {0, 1, 0, 0};
    snt_livox_view livox;
    memset(&livox, 0xa5, sizeof livox);
    assert_status(snt_livox_view_parse(SNT_ENCODING_CDR, zeros, 4 + 12 + 4 + 8 + 4 + 4 + 4, &livox, NULL),
                  SNT_OK);
    assert_int_equal(livox.count, 0);
    assert_true(livox.timebase_ns == 0);
    assert_ptr_equal(livox.y.data, livox.x.data);
    assert_ptr_equal(livox.tag.data, livox.x.data);
    assert_ptr_equal(livox.line.data, livox.x.data);
    snt_laserscan_view scan;
    memset(&scan, 0xa5, sizeof scan);
    assert_status(snt_laserscan_view_parse(SNT_ENCODING_CDR, zeros, 4 + 12 + 7 * 4 + 8, &scan, NULL), SNT_OK);
    assert_int_equal(scan.count, 0);
    assert_int_equal(scan.reserved, 0);
    snt_tf_message_view tf;
    snt_transform_view transform;
    assert_status(snt_tf_message_view_parse(SNT_ENCODING_CDR, zeros, 8, &tf, NULL), SNT_OK);
    assert_status(snt_tf_message_next(&tf, &transform), SNT_EMPTY);
    snt_pointcloud2_view cloud;
    assert_status(
        snt_pointcloud2_view_parse(SNT_ENCODING_CDR, zeros, 4 + 12 + 12 + 4 + 8 + 4 + 1, &cloud, NULL),
        SNT_OK);
    assert_int_equal(cloud.point_count, 0);
    assert_int_equal(cloud.field_count, 0);
}

/* The smallest text there is, with and without what CDR puts behind it */
static void a_terminator_belongs_to_cdr_only(void **state)
{
    (void)state;
    const unsigned char cdr[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 'a', 'b'};
    snt_message_header header;
    assert_status(snt_message_header_parse(SNT_ENCODING_CDR, cdr, sizeof cdr, &header, NULL), SNT_OK);
    assert_text(header.frame_id, "ab"); /* a writer that left it out is understood */
    const unsigned char ros1[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 'a', 0};
    assert_status(snt_message_header_parse(SNT_ENCODING_ROS1, ros1, sizeof ros1, &header, NULL), SNT_OK);
    assert_int_equal(header.frame_id.size, 2);
    const unsigned char empty[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    assert_status(snt_message_header_parse(SNT_ENCODING_CDR, empty, sizeof empty, &header, NULL), SNT_OK);
    assert_int_equal(header.frame_id.size, 0);
}

static uint32_t kind(const char *name)
{
    return snt_message_kind(name, strlen(name));
}

static void types_are_known_by_their_ros1_ros2_and_dds_names(void **state)
{
    (void)state;
    assert_int_equal(kind("sensor_msgs/PointCloud2"), SNT_MESSAGE_POINTCLOUD2);
    assert_int_equal(kind("sensor_msgs/msg/PointCloud2"), SNT_MESSAGE_POINTCLOUD2);
    assert_int_equal(kind("sensor_msgs::msg::dds_::PointCloud2_"), SNT_MESSAGE_POINTCLOUD2);
    assert_int_equal(kind("sensor_msgs/msg/LaserScan"), SNT_MESSAGE_LASERSCAN);
    assert_int_equal(kind("sensor_msgs/Imu"), SNT_MESSAGE_IMU);
    assert_int_equal(kind("tf/tfMessage"), SNT_MESSAGE_TF);
    assert_int_equal(kind("tf2_msgs/msg/TFMessage"), SNT_MESSAGE_TF);
    assert_int_equal(kind("livox_ros_driver/CustomMsg"), SNT_MESSAGE_LIVOX);
    assert_int_equal(kind("livox_ros_driver2/msg/CustomMsg"), SNT_MESSAGE_LIVOX);
    assert_int_equal(kind("nav_msgs/Odometry"), SNT_MESSAGE_ODOMETRY);
    assert_int_equal(kind("rosgraph_msgs/msg/Clock"), SNT_MESSAGE_CLOCK);
    assert_int_equal(kind("sensor_msgs/msg/Image"), SNT_MESSAGE_HEADERED);
    assert_int_equal(kind("velodyne_msgs/VelodyneScan"), SNT_MESSAGE_HEADERED);
    assert_int_equal(kind("std_msgs/String"), SNT_MESSAGE_UNKNOWN);
    assert_int_equal(kind("sensor_msgs/PointCloud"), SNT_MESSAGE_HEADERED);
    assert_int_equal(kind("sensor_msgs/PointCloud22"), SNT_MESSAGE_UNKNOWN);
    assert_int_equal(kind("sensor_msgs/msg/"), SNT_MESSAGE_UNKNOWN);
    assert_int_equal(kind("sensor_msgs::msg::dds_::"), SNT_MESSAGE_UNKNOWN);
    assert_int_equal(kind("sensor_msgs"), SNT_MESSAGE_UNKNOWN);
    assert_int_equal(kind("sensor_msgs::msg::dds_::Imu"), SNT_MESSAGE_UNKNOWN);
    assert_int_equal(kind(""), SNT_MESSAGE_UNKNOWN);
    assert_int_equal(snt_message_kind(NULL, 5), SNT_MESSAGE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_cloud_is_viewed_in_every_encoding),
        cmocka_unit_test(a_laser_scan_is_viewed_in_every_encoding),
        cmocka_unit_test(an_imu_is_viewed_in_every_encoding),
        cmocka_unit_test(transforms_are_walked_in_every_encoding),
        cmocka_unit_test(a_livox_cloud_is_viewed_in_every_encoding),
        cmocka_unit_test(odometry_is_viewed_in_every_encoding),
        cmocka_unit_test(a_clock_is_read_in_every_encoding),
        cmocka_unit_test(headers_carry_their_oddities),
        cmocka_unit_test(messages_of_nothing_are_sound),
        cmocka_unit_test(a_terminator_belongs_to_cdr_only),
        cmocka_unit_test(types_are_known_by_their_ros1_ros2_and_dds_names),
    };
    return cmocka_run_group_tests_name("message_view", tests, NULL, NULL);
}
