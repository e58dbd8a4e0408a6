/* SPDX-License-Identifier: BSD-3-Clause */
#include "../base/internal.h"

#include "sensortime/message_view.h"

_Static_assert(sizeof(snt_tf_stamp) == 32, "frozen");

/* The sizes are the caller's: they are believed only if they add up, without wrapping, to what is there. */
static bool batch_adds_up(const uint64_t *sizes, uint64_t count, uint64_t size)
{
    uint64_t left = size;
    for (uint64_t i = 0; i < count; i++) {
        if (sizes[i] > left)
            return false;
        left -= sizes[i];
    }
    return left == 0;
}

static bool batch_is_known(uint32_t encoding)
{
    return encoding == SNT_ENCODING_ROS1 || encoding == SNT_ENCODING_CDR;
}

/* The header of one message, checked as far as its kind can be. */
static snt_status batch_header(uint32_t kind, uint32_t encoding, const void *bytes, uint64_t size,
                               snt_message_header *header)
{
    union {
        snt_pointcloud2_view cloud;
        snt_laserscan_view scan;
        snt_imu_view imu;
        snt_livox_view livox;
        snt_odometry_view odometry;
    } view;
    snt_status status;

    switch (kind) {
    case SNT_MESSAGE_POINTCLOUD2:
        status = snt_pointcloud2_view_parse(encoding, bytes, size, &view.cloud, NULL);
        if (status == SNT_OK)
            *header = view.cloud.header;
        return status;
    case SNT_MESSAGE_LASERSCAN:
        status = snt_laserscan_view_parse(encoding, bytes, size, &view.scan, NULL);
        if (status == SNT_OK)
            *header = view.scan.header;
        return status;
    case SNT_MESSAGE_IMU:
        status = snt_imu_view_parse(encoding, bytes, size, &view.imu, NULL);
        if (status == SNT_OK)
            *header = view.imu.header;
        return status;
    case SNT_MESSAGE_LIVOX:
        status = snt_livox_view_parse(encoding, bytes, size, &view.livox, NULL);
        if (status == SNT_OK)
            *header = view.livox.header;
        return status;
    case SNT_MESSAGE_ODOMETRY:
        status = snt_odometry_view_parse(encoding, bytes, size, &view.odometry, NULL);
        if (status == SNT_OK)
            *header = view.odometry.header;
        return status;
    default:
        return snt_message_header_parse(encoding, bytes, size, header, NULL);
    }
}

snt_status snt_message_stamps(uint32_t kind, uint32_t encoding, const void *bytes, uint64_t size,
                              const uint64_t *sizes, uint64_t count, snt_time *stamps, uint32_t *sequences,
                              snt_status *statuses)
{
    if (!batch_is_known(encoding) || kind == SNT_MESSAGE_TF || kind == SNT_MESSAGE_CLOCK)
        return SNT_ERR_INVALID_ARG;
    if (count && (!bytes || !sizes || !stamps))
        return SNT_ERR_INVALID_ARG;
    if (!batch_adds_up(sizes, count, size))
        return SNT_ERR_LAYOUT;

    const unsigned char *at = bytes;
    snt_status first = SNT_OK;
    for (uint64_t i = 0; i < count; i++) {
        snt_message_header header;
        const snt_status status = batch_header(kind, encoding, at, sizes[i], &header);
        if (status == SNT_OK) {
            stamps[i] = header.stamp_ns;
            if (sequences)
                sequences[i] = header.sequence;
        } else if (first == SNT_OK) {
            first = status;
        }
        if (statuses)
            statuses[i] = status;
        at += sizes[i];
    }
    return first;
}

static uint64_t batch_hash(const char *text, uint64_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint64_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}

snt_status snt_tf_message_stamps(uint32_t encoding, const void *bytes, uint64_t size, const uint64_t *sizes,
                                 uint64_t count, snt_tf_stamp *out, uint64_t capacity, uint64_t *written,
                                 snt_status *statuses)
{
    if (!batch_is_known(encoding) || !written || (count && (!bytes || !sizes)) || (capacity && !out))
        return SNT_ERR_INVALID_ARG;
    if (count > UINT32_MAX)
        return SNT_ERR_INVALID_ARG;
    if (!batch_adds_up(sizes, count, size))
        return SNT_ERR_LAYOUT;

    const unsigned char *at = bytes;
    snt_status first = SNT_OK;
    uint64_t n = 0;
    for (uint64_t i = 0; i < count; i++) {
        snt_tf_message_view view;
        snt_transform_view one;
        const snt_status status = snt_tf_message_view_parse(encoding, at, sizes[i], &view, NULL);
        if (statuses)
            statuses[i] = status;
        if (status != SNT_OK && first == SNT_OK)
            first = status;
        while (status == SNT_OK && snt_tf_message_next(&view, &one) == SNT_OK) {
            if (n == capacity) {
                *written = n;
                return SNT_ERR_BUFFER_TOO_SMALL;
            }
            const char *name = one.child_frame_id.data;
            const uint64_t length = one.child_frame_id.size;
            out[n++] = (snt_tf_stamp){
                .stamp_ns = one.header.stamp_ns,
                .child_hash = batch_hash(name, length),
                .child_offset =
                    length ? (uint64_t)((const unsigned char *)name - (const unsigned char *)bytes) : 0,
                .child_size = (uint32_t)length,
                .message = (uint32_t)i,
            };
        }
        at += sizes[i];
    }
    *written = n;
    return first;
}
