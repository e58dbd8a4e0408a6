/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

static void motion_read_f64(snt__wire *wire, const char *field, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = snt__wire_f64(wire, field);
}

/* A covariance, and whether its first element is the −1 by which sensor_msgs says "not measured". */
static snt_field motion_read_covariance(snt__wire *wire, const char *name, uint32_t *flags, uint32_t absent)
{
    snt__wire first = *wire;
    const snt_field field = snt__wire_field(wire, name, 9, SNT_TYPE_F64);
    if (!wire->error.status && snt__wire_f64(&first, name) == -1.0)
        *flags |= absent;
    return field;
}

snt_status snt_imu_view_parse(uint32_t encoding, const void *bytes, uint64_t size, snt_imu_view *view,
                              snt_message_error *error)
{
    if (!view)
        return SNT_ERR_INVALID_ARG;
    snt__wire wire;
    snt__wire_open(&wire, encoding, bytes, size);
    snt_imu_view parsed = {0};
    snt__wire_header(&wire, &parsed.header);
    motion_read_f64(&wire, "orientation", parsed.orientation, 4);
    parsed.orientation_covariance =
        motion_read_covariance(&wire, "orientation_covariance", &parsed.flags, SNT_IMU_NO_ORIENTATION);
    motion_read_f64(&wire, "angular_velocity", parsed.angular_velocity, 3);
    parsed.angular_velocity_covariance = motion_read_covariance(&wire, "angular_velocity_covariance",
                                                                &parsed.flags, SNT_IMU_NO_ANGULAR_VELOCITY);
    motion_read_f64(&wire, "linear_acceleration", parsed.linear_acceleration, 3);
    parsed.linear_acceleration_covariance = motion_read_covariance(
        &wire, "linear_acceleration_covariance", &parsed.flags, SNT_IMU_NO_LINEAR_ACCELERATION);
    const snt_status status = snt__wire_finish(&wire, error);
    if (!status)
        *view = parsed;
    return status;
}

static void motion_read_transform(snt__wire *wire, snt_transform_view *transform)
{
    snt__wire_header(wire, &transform->header);
    transform->child_frame_id = snt__wire_text(wire, "child_frame_id");
    motion_read_f64(wire, "transform.translation", transform->pose.t, 3);
    motion_read_f64(wire, "transform.rotation", transform->pose.q, 4);
}

snt_status snt_tf_message_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                     snt_tf_message_view *view, snt_message_error *error)
{
    if (!view)
        return SNT_ERR_INVALID_ARG;
    snt__wire wire;
    snt__wire_open(&wire, encoding, bytes, size);
    snt_tf_message_view parsed = {.message = bytes, .message_size = size, .encoding = encoding};
    parsed.count = parsed.remaining = snt__wire_u32(&wire, "transforms");
    parsed.position = wire.pos;
    for (uint32_t i = 0; i < parsed.count && !wire.error.status; i++) {
        snt_transform_view unused;
        wire.error.index = i;
        motion_read_transform(&wire, &unused);
    }
    const snt_status status = snt__wire_finish(&wire, error);
    if (!status)
        *view = parsed;
    return status;
}

snt_status snt_tf_message_next(snt_tf_message_view *view, snt_transform_view *transform)
{
    if (!view || !transform)
        return SNT_ERR_INVALID_ARG;
    if (!view->remaining)
        return SNT_EMPTY;
    snt__wire wire;
    const snt_status status = snt__wire_open(&wire, view->encoding, view->message, view->message_size);
    if (status)
        return status;
    wire.pos = view->position;
    snt_transform_view next;
    motion_read_transform(&wire, &next);
    if (wire.error.status)
        return wire.error.status;
    *transform = next;
    view->position = wire.pos;
    view->remaining--;
    return SNT_OK;
}

snt_status snt_odometry_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                   snt_odometry_view *view, snt_message_error *error)
{
    if (!view)
        return SNT_ERR_INVALID_ARG;
    snt__wire wire;
    snt__wire_open(&wire, encoding, bytes, size);
    snt_odometry_view parsed = {0};
    snt__wire_header(&wire, &parsed.header);
    parsed.child_frame_id = snt__wire_text(&wire, "child_frame_id");
    motion_read_f64(&wire, "pose.pose.position", parsed.pose.t, 3);
    motion_read_f64(&wire, "pose.pose.orientation", parsed.pose.q, 4);
    parsed.pose_covariance = snt__wire_field(&wire, "pose.covariance", 36, SNT_TYPE_F64);
    motion_read_f64(&wire, "twist.twist.linear", parsed.twist.v, 3);
    motion_read_f64(&wire, "twist.twist.angular", parsed.twist.w, 3);
    parsed.twist_covariance = snt__wire_field(&wire, "twist.covariance", 36, SNT_TYPE_F64);
    const snt_status status = snt__wire_finish(&wire, error);
    if (!status)
        *view = parsed;
    return status;
}

snt_status snt_clock_message_parse(uint32_t encoding, const void *bytes, uint64_t size, snt_time *clock_ns,
                                   snt_message_error *error)
{
    if (!clock_ns)
        return SNT_ERR_INVALID_ARG;
    snt__wire wire;
    snt__wire_open(&wire, encoding, bytes, size);
    uint32_t flags = 0;
    const snt_time parsed = snt__wire_time(&wire, "clock", &flags);
    const snt_status status = snt__wire_finish(&wire, error);
    if (!status)
        *clock_ns = parsed;
    return status;
}
