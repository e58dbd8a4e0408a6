/* SPDX-License-Identifier: BSD-3-Clause */
/* Clouds over messages. */
#include "element.h"

#include <math.h>

#include "sensortime/point_layout.h"
#include "sensortime/sample.h"

_Static_assert(SNT_END_OF(snt_point_layout, time_quantum_ns) == 104 && sizeof(snt_point_layout) == 104,
               "frozen");

static bool maker_big_endian(const snt_pointcloud2_view *view, const snt_point_layout *layout)
{
    const bool declared = view->flags & SNT_POINTCLOUD2_BIG_ENDIAN;
    return layout->flags & SNT_LAYOUT_SWAP ? !declared : declared;
}

/* False where the field does not lie inside the point. */
static bool maker_field(const snt_pointcloud2_view *view, snt_layout_field at, const unsigned char *row,
                        bool big_endian, snt_field *out)
{
    *out = (snt_field){0};
    if (at.type == SNT_TYPE_NONE)
        return true;
    const uint32_t size = snt_type_size(at.type);
    if (!size || (view->point_count && (uint64_t)at.offset + size > view->point_step))
        return false;
    *out = (snt_field){.stride = view->point_step,
                       .data = view->point_count ? (void *)(uintptr_t)(row + at.offset) : NULL,
                       .type = at.type,
                       .flags = big_endian ? (uint32_t)SNT_FIELD_BIG_ENDIAN : 0};
    return true;
}

/* Zero of relative times: the stored base of the first point, or the header with its shift. */
static snt_status maker_base(const snt_pointcloud2_view *view, const snt_point_layout *layout,
                             bool big_endian, snt_time *base)
{
    if (layout->time_base_low.type == SNT_TYPE_NONE) {
        const int64_t stamp = view->header.stamp_ns, shift = layout->time_shift_ns;
        if ((shift > 0 && stamp > INT64_MAX - shift) || (shift < 0 && stamp < INT64_MIN - shift))
            return SNT_ERR_OVERFLOW;
        *base = stamp + shift;
        return SNT_OK;
    }
    snt_field low, high;
    if (!maker_field(view, layout->time_base_low, view->data, big_endian, &low) ||
        !maker_field(view, layout->time_base_high, view->data, big_endian, &high))
        return SNT_ERR_LAYOUT;
    if (low.type != SNT_TYPE_U32 || (high.type != SNT_TYPE_U32 && high.type != SNT_TYPE_NONE))
        return SNT_ERR_INVALID_ARG;
    uint64_t value = 0;
    if (view->point_count) {
        value = snt__element_bits(low.data, 4, big_endian);
        if (high.type == SNT_TYPE_U32)
            value |= snt__element_bits(high.data, 4, big_endian) << 32;
    }
    if (value > INT64_MAX)
        return SNT_ERR_OVERFLOW;
    *base = (int64_t)value;
    return SNT_OK;
}

static snt_status maker_time(const snt_pointcloud2_view *view, const snt_point_layout *layout,
                             snt_cloud *cloud, bool big_endian)
{
    cloud->domain = layout->domain;
    if (layout->time.type == SNT_TYPE_NONE || layout->time_ref == SNT_TIME_REF_NONE)
        return SNT_OK;
    cloud->time_unit_num = snt__unit_ns(layout->time_unit);
    if (!cloud->time_unit_num || layout->time_ref == SNT_TIME_REF_NORMALISED ||
        layout->time_ref > SNT_TIME_REF_PACKET)
        return SNT_ERR_INVALID_ARG;
    cloud->time_ref = layout->time_ref;
    cloud->time_quantum_ns = layout->time_quantum_ns;
    if (layout->time_ref == SNT_TIME_REF_ABSOLUTE)
        return SNT_OK;
    return maker_base(view, layout, big_endian, &cloud->time_base_ns);
}

static snt_status maker_make(const snt_pointcloud2_view *view, const snt_point_layout *layout,
                             const unsigned char *row, uint64_t count, snt_cloud *cloud)
{
    const bool big_endian = maker_big_endian(view, layout);
    snt_cloud made;
    snt_cloud_init(&made);
    made.count = count;
    const bool has_time = layout->time_ref != SNT_TIME_REF_NONE;
    const struct {
        snt_layout_field at;
        snt_field *field;
    } fields[] = {
        {layout->x, &made.x},       {layout->y, &made.y},
        {layout->z, &made.z},       {has_time ? layout->time : (snt_layout_field){0}, &made.time},
        {layout->ring, &made.ring}, {has_time ? layout->time_nsec : (snt_layout_field){0}, &made.time_nsec}};
    for (size_t i = 0; i < SNT_COUNT_OF(fields); i++)
        if (!maker_field(view, fields[i].at, row, big_endian, fields[i].field))
            return SNT_ERR_LAYOUT;
    snt_status status = maker_time(view, layout, &made, big_endian);
    if (!status)
        status = snt_cloud_check(&made);
    if (!status)
        *cloud = made;
    return status;
}

snt_status snt_cloud_from_pointcloud2(const snt_pointcloud2_view *view, const snt_point_layout *layout,
                                      snt_cloud *cloud)
{
    if (!view || !layout || !cloud)
        return SNT_ERR_INVALID_ARG;
    if (view->flags & SNT_POINTCLOUD2_PADDED_ROWS)
        return SNT_ERR_UNSUPPORTED;
    const snt_status status = maker_make(view, layout, view->data, view->point_count, cloud);
    if (!status && view->height > 1) {
        cloud->width = view->width;
        cloud->height = view->height;
    }
    return status;
}

snt_status snt_cloud_from_pointcloud2_row(const snt_pointcloud2_view *view, const snt_point_layout *layout,
                                          uint32_t row, snt_cloud *cloud)
{
    if (!view || !layout || !cloud)
        return SNT_ERR_INVALID_ARG;
    if (row >= view->height)
        return SNT_ERR_RANGE;
    const unsigned char *at = view->data;
    if (view->point_count)
        at += (uint64_t)row * view->row_step;
    return maker_make(view, layout, at, view->width, cloud);
}

snt_status snt_cloud_from_livox(const snt_livox_view *view, snt_cloud *cloud)
{
    if (!view || !cloud)
        return SNT_ERR_INVALID_ARG;
    if (view->timebase_ns > INT64_MAX)
        return SNT_ERR_OVERFLOW;
    snt_cloud_init(cloud);
    cloud->count = view->count;
    cloud->x = view->x;
    cloud->y = view->y;
    cloud->z = view->z;
    cloud->time = view->offset_time;
    cloud->ring = view->line;
    cloud->time_ref = SNT_TIME_REF_RELATIVE;
    cloud->time_base_ns = (int64_t)view->timebase_ns;
    return SNT_OK;
}

snt_status snt_cloud_from_laserscan(const snt_laserscan_view *view, snt_cloud *cloud)
{
    if (!view || !cloud)
        return SNT_ERR_INVALID_ARG;
    const double increment = (double)view->time_increment;
    if (!isfinite(increment))
        return SNT_ERR_NON_FINITE;
    if (fabs(increment) > 1.0)
        return SNT_ERR_RANGE;
    snt_cloud_init(cloud);
    cloud->count = view->count;
    cloud->time_base_ns = view->header.stamp_ns;
    if (increment == 0)
        return SNT_OK;
    /* The increment in 2⁻³² ns: below 2^62, and half a unit of it is still a tenth of a nanosecond after 10⁹ rays. */
    cloud->time = (snt_field){.type = SNT_TYPE_U32, .flags = SNT_FIELD_INDEX};
    cloud->time_ref = SNT_TIME_REF_RELATIVE;
    cloud->time_unit_num = (int64_t)(increment * 1e9 * 0x1p32 + (increment < 0 ? -0.5 : 0.5));
    cloud->time_unit_den = INT64_C(1) << 32;
    return SNT_OK;
}

snt_status snt_laserscan_project(const snt_laserscan_view *view, uint64_t first, uint64_t count, void *xyz,
                                 int64_t stride)
{
    if (!stride)
        stride = 12;
    if (!view || (!xyz && count) || stride < 12)
        return SNT_ERR_INVALID_ARG;
    if (first > view->count || count > view->count - first)
        return SNT_ERR_RANGE;
    const bool big_endian = view->ranges.flags & SNT_FIELD_BIG_ENDIAN;
    const unsigned char *in = view->ranges.data;
    unsigned char *out = xyz;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t ray = first + i;
        const double r = snt__element_f64(in + (int64_t)ray * view->ranges.stride, SNT_TYPE_F32, big_endian);
        const double angle = (double)view->angle_min + (double)ray * (double)view->angle_increment;
        const bool ok = isfinite(r) && r >= (double)view->range_min && r <= (double)view->range_max;
        const float point[3] = {ok ? (float)(r * cos(angle)) : NAN, ok ? (float)(r * sin(angle)) : NAN,
                                ok ? 0.0f : NAN};
        memcpy(out + (int64_t)i * stride, point, sizeof point);
    }
    return SNT_OK;
}
