/* SPDX-License-Identifier: BSD-3-Clause */
/* Every view on the same hostile bytes. First byte: encoding (even = ROS 1, odd = CDR). */
#include <stdlib.h>

#include "sensortime/sensortime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned sink;

/* Touch what a view promises to be there. */
static void touch(const void *memory, uint64_t size)
{
    const unsigned char *bytes = memory;
    if (size) {
        sink += bytes[0];
        sink += bytes[size - 1];
    }
}

static void touch_field(const snt_field *field, uint64_t count, uint64_t size)
{
    if (count)
        touch((const unsigned char *)field->data + (int64_t)(count - 1) * field->stride, size);
}

static void check_cloud(uint32_t encoding, const uint8_t *data, size_t size)
{
    snt_pointcloud2_view cloud;
    snt_message_error error;
    const snt_status status = snt_pointcloud2_view_parse(encoding, data, size, &cloud, &error);
    if (status) {
        if (error.status != status || !error.field)
            abort();
        return;
    }
    touch(cloud.data, cloud.data_size);
    touch(cloud.header.frame_id.data, cloud.header.frame_id.size);
    snt_point_field fields[16];
    uint32_t count;
    if (snt_pointcloud2_fields(&cloud, fields, 16, &count) < 0 && cloud.field_count <= 16)
        abort();
    for (uint32_t i = 0; i < count; i++)
        touch(fields[i].name.data, fields[i].name.size);
    if (cloud.point_count) { /* the last byte of the last point */
        const uint64_t row = cloud.height > 1 ? cloud.row_step : 0;
        touch(cloud.data + (cloud.height - 1) * row + (uint64_t)(cloud.width - 1) * cloud.point_step,
              cloud.point_step);
    }
}

static void check_tf(uint32_t encoding, const uint8_t *data, size_t size)
{
    snt_tf_message_view tf;
    if (snt_tf_message_view_parse(encoding, data, size, &tf, NULL))
        return;
    snt_transform_view transform;
    uint32_t n = 0;
    while (snt_tf_message_next(&tf, &transform) == SNT_OK) {
        touch(transform.child_frame_id.data, transform.child_frame_id.size);
        n++;
    }
    if (n != tf.count)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    const uint32_t encoding = data[0] % 2 ? SNT_ENCODING_CDR : SNT_ENCODING_ROS1;
    data++;
    size--;
    snt_message_header header;
    if (!snt_message_header_parse(encoding, data, size, &header, NULL))
        touch(header.frame_id.data, header.frame_id.size);
    check_cloud(encoding, data, size);
    check_tf(encoding, data, size);
    snt_laserscan_view scan;
    if (!snt_laserscan_view_parse(encoding, data, size, &scan, NULL)) {
        touch_field(&scan.ranges, scan.count, 4);
        touch_field(&scan.intensities, scan.intensity_count, 4);
    }
    snt_livox_view livox;
    if (!snt_livox_view_parse(encoding, data, size, &livox, NULL)) {
        touch_field(&livox.offset_time, livox.count, 19);
        touch_field(&livox.line, livox.count, 1);
    }
    snt_imu_view imu;
    if (!snt_imu_view_parse(encoding, data, size, &imu, NULL))
        touch_field(&imu.linear_acceleration_covariance, 9, 8);
    snt_odometry_view odometry;
    if (!snt_odometry_view_parse(encoding, data, size, &odometry, NULL))
        touch_field(&odometry.twist_covariance, 36, 8);
    snt_time t;
    snt_clock_message_parse(encoding, data, size, &t, NULL);
    sink += snt_message_kind((const char *)data, size);
    return 0;
}
