/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

/* A Livox point: u32 offset_time, f32 x, y, z, u8 reflectivity, tag, line. */
enum { LIVOX_POINT = 19, LIVOX_STRIDE_CDR = 20 };

snt_status snt_laserscan_view_parse(uint32_t encoding, const void *bytes, uint64_t size,
                                    snt_laserscan_view *view, snt_message_error *error)
{
    if (!view)
        return SNT_ERR_INVALID_ARG;
    snt__wire wire;
    snt__wire_open(&wire, encoding, bytes, size);
    snt_laserscan_view parsed = {0};
    snt__wire_header(&wire, &parsed.header);
    parsed.angle_min = snt__wire_f32(&wire, "angle_min");
    parsed.angle_max = snt__wire_f32(&wire, "angle_max");
    parsed.angle_increment = snt__wire_f32(&wire, "angle_increment");
    parsed.time_increment = snt__wire_f32(&wire, "time_increment");
    parsed.scan_time = snt__wire_f32(&wire, "scan_time");
    parsed.range_min = snt__wire_f32(&wire, "range_min");
    parsed.range_max = snt__wire_f32(&wire, "range_max");
    parsed.count = snt__wire_u32(&wire, "ranges");
    parsed.ranges = snt__wire_field(&wire, "ranges", parsed.count, SNT_TYPE_F32);
    parsed.intensity_count = snt__wire_u32(&wire, "intensities");
    parsed.intensities = snt__wire_field(&wire, "intensities", parsed.intensity_count, SNT_TYPE_F32);
    const snt_status status = snt__wire_finish(&wire, error);
    if (!status)
        *view = parsed;
    return status;
}

/* In CDR each point begins at a multiple of 4, and the last one has no padding behind it. */
static const unsigned char *livox_take_points(snt__wire *wire, uint64_t count)
{
    const char *name = "points";
    if (!wire->cdr || !count)
        return snt__wire_take(wire, name, count, LIVOX_POINT, 1);
    return snt__wire_take(wire, name, count * LIVOX_STRIDE_CDR - (LIVOX_STRIDE_CDR - LIVOX_POINT), 1, 4);
}

static void livox_set_fields(snt_livox_view *view, const unsigned char *points, int64_t stride,
                             bool big_endian)
{
    const size_t step = view->count ? 4 : 0; /* no points: no address behind the first byte */
    view->offset_time = snt__field_at(points, stride, SNT_TYPE_U32, big_endian);
    view->x = snt__field_at(points + step, stride, SNT_TYPE_F32, big_endian);
    view->y = snt__field_at(points + 2 * step, stride, SNT_TYPE_F32, big_endian);
    view->z = snt__field_at(points + 3 * step, stride, SNT_TYPE_F32, big_endian);
    view->reflectivity = snt__field_at(points + 4 * step, stride, SNT_TYPE_U8, big_endian);
    view->tag = snt__field_at(points + 4 * step + (step ? 1 : 0), stride, SNT_TYPE_U8, big_endian);
    view->line = snt__field_at(points + 4 * step + (step ? 2 : 0), stride, SNT_TYPE_U8, big_endian);
}

snt_status snt_livox_view_parse(uint32_t encoding, const void *bytes, uint64_t size, snt_livox_view *view,
                                snt_message_error *error)
{
    if (!view)
        return SNT_ERR_INVALID_ARG;
    snt__wire wire;
    snt__wire_open(&wire, encoding, bytes, size);
    snt_livox_view parsed = {0};
    snt__wire_header(&wire, &parsed.header);
    parsed.timebase_ns = snt__wire_u64(&wire, "timebase");
    parsed.point_num = snt__wire_u32(&wire, "point_num");
    parsed.lidar_id = snt__wire_u8(&wire, "lidar_id");
    snt__wire_take(&wire, "rsvd", 3, 1, 1);
    parsed.count = snt__wire_u32(&wire, "points");
    const unsigned char *points = livox_take_points(&wire, parsed.count);
    const snt_status status = snt__wire_finish(&wire, error);
    if (status)
        return status;
    if (parsed.point_num != parsed.count)
        parsed.flags |= SNT_LIVOX_COUNT_MISMATCH;
    livox_set_fields(&parsed, points, wire.cdr ? LIVOX_STRIDE_CDR : LIVOX_POINT, wire.big_endian);
    *view = parsed;
    return SNT_OK;
}
