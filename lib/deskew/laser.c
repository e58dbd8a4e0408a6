/* SPDX-License-Identifier: BSD-3-Clause */
/* 2-D scans: rays at equal angles and times, where the index is the time by definition of the message. */
#include "apply.h"

#include "../base/wide.h"

static const snt_laser_scan laser_defaults = {.struct_size = sizeof(snt_laser_scan)};

void snt_laser_scan_init(snt_laser_scan *laser, size_t size)
{
    snt__config_init(laser, size, &laser_defaults, sizeof laser_defaults);
}

static snt_status laser_take(const snt_laser_scan *given, snt_laser_scan *laser)
{
    if (!given)
        return SNT_ERR_INVALID_ARG;
    *laser = laser_defaults;
    const snt_status status =
        snt__config_read(laser, sizeof *laser, SNT_END_OF(snt_laser_scan, range_max), given);
    if (status < 0)
        return status;
    if (laser->count && !laser->ranges)
        return SNT_ERR_INVALID_ARG;
    const double numbers[5] = {laser->time_increment_s, laser->angle_min, laser->angle_increment,
                               laser->range_min, laser->range_max};
    if (!snt__all_finite(numbers, 5))
        return SNT_ERR_NON_FINITE;
    /* the last ray within years of the first */
    if (laser->count > UINT32_MAX || fabs(laser->time_increment_s) * (double)laser->count > 1e8)
        return SNT_ERR_OVERFLOW;
    return SNT_OK;
}

/* Rays are counted from the first: n rays take n − 1 increments, and one ray none. */
static snt_status laser_time(const snt_laser_scan *laser, uint64_t ray, snt_time *out)
{
    const double later = laser->time_increment_s * 1e9 * (double)ray;
    return snt_time_add(laser->stamp_ns, (int64_t)(later < 0 ? later - 0.5 : later + 0.5), out);
}

snt_status snt_deskew_scan_from_laser(const snt_laser_scan *given, snt_deskew_scan *scan)
{
    snt_laser_scan laser;
    snt_time last;
    if (!scan)
        return SNT_ERR_INVALID_ARG;
    snt_status status = laser_take(given, &laser);
    if (status < 0)
        return status;
    if (!laser.count)
        return SNT_ERR_NO_TIME;
    status = laser_time(&laser, laser.count - 1, &last);
    if (status < 0)
        return status;
    scan->begin_ns = last < laser.stamp_ns ? last : laser.stamp_ns;
    scan->end_ns = last < laser.stamp_ns ? laser.stamp_ns : last;
    scan->domain = laser.domain;
    return SNT_OK;
}

/* cos and sin of any angle, from the half-angle quaternion: no libm, the same bits everywhere. */
static void laser_direction(double angle, double *x, double *y)
{
    const double axis[3] = {0, 0, angle};
    double q[4];
    snt__rotation_exp(axis, q);
    *x = q[3] * q[3] - q[2] * q[2];
    *y = 2 * q[3] * q[2];
}

static void laser_block(const snt_laser_scan *laser, uint64_t first, size_t n, float *xyz, snt_time *t)
{
    for (size_t i = 0; i < n; i++, xyz += 3) {
        const uint64_t ray = first + i;
        const double range = (double)laser->ranges[ray];
        const bool ok = range >= laser->range_min && (laser->range_max <= 0 || range <= laser->range_max) &&
                        snt__is_finite(range);
        double x = (double)NAN, y = (double)NAN;
        if (ok) {
            laser_direction(laser->angle_min + laser->angle_increment * (double)ray, &x, &y);
            x *= range;
            y *= range;
        }
        xyz[0] = (float)x;
        xyz[1] = (float)y;
        xyz[2] = ok ? 0.0f : (float)NAN;
        if (laser_time(laser, ray, &t[i]) < 0)
            t[i] = SNT_UNKNOWN - 1;
    }
}

static snt_status laser_apply(const snt_deskew *plan, const snt_laser_scan *laser, uint64_t first, size_t n,
                              unsigned char *out, uint64_t stride, uint8_t *flags, snt_deskew_report *report)
{
    float xyz[SNT__DESKEW_BLOCK][3];
    snt_time t[SNT__DESKEW_BLOCK];
    laser_block(laser, first, n, xyz[0], t);
    snt_cloud cloud, moved;
    snt_cloud_init(&cloud);
    snt_status status = snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, n);
    moved = cloud;
    if (status >= 0)
        status =
            snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_I64, SNT_TIME_UNIT_NS, SNT_TIME_REF_ABSOLUTE, 0, 0);
    if (status >= 0)
        status =
            snt_cloud_set_points(&moved, out ? out + first * stride : out, (int64_t)stride, SNT_TYPE_F32, n);
    if (status < 0)
        return status;
    cloud.domain = laser->domain;
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.point_flags = flags ? flags + first : NULL;
    return snt_deskew_apply_with(plan, &cloud, &moved, &options, report);
}

/* With a failing policy nothing may be written: judge all rays first. */
static snt_status laser_rehearse(const snt_deskew *plan, const snt_laser_scan *laser)
{
    const snt_deskew_scan *scan = &plan->scan;
    if (scan->outside != SNT_DESKEW_FAIL && scan->outlier != SNT_DESKEW_FAIL)
        return SNT_OK;
    for (uint64_t i = 0; i < laser->count; i++) {
        snt_time t;
        if (laser_time(laser, i, &t) < 0)
            return SNT_ERR_OVERFLOW;
        if (t < scan->begin_ns || t > scan->end_ns) {
            if (scan->outlier == SNT_DESKEW_FAIL)
                return t < scan->begin_ns ? SNT_ERR_PAST : SNT_ERR_FUTURE;
            continue;
        }
        if (scan->outside != SNT_DESKEW_FAIL)
            continue;
        if (t < plan->known_begin_ns || t > plan->known_end_ns)
            return t < plan->known_begin_ns ? SNT_ERR_PAST : SNT_ERR_FUTURE;
        if (plan->holes && snt__deskew_in_hole(plan, t))
            return SNT_ERR_GAP;
    }
    return SNT_OK;
}

snt_status snt_deskew_laser(const snt_deskew *plan, const snt_laser_scan *given, void *xyz, uint64_t stride,
                            uint8_t *flags, snt_deskew_report *report)
{
    snt_laser_scan laser;
    if (!plan || (stride && stride < 12) || stride > INT32_MAX)
        return SNT_ERR_INVALID_ARG;
    snt_status status = laser_take(given, &laser);
    if (status < 0)
        return status;
    if (laser.count && !xyz)
        return SNT_ERR_INVALID_ARG;
    if (!plan->ready)
        return SNT_ERR_INVALID_STATE;
    if (laser.domain != plan->scan.domain)
        return SNT_ERR_DOMAIN;
    status = laser_rehearse(plan, &laser);
    if (status < 0)
        return status;
    stride = stride ? stride : 12;
    snt_deskew_report sum, part;
    status = laser_apply(plan, &laser, 0, 0, xyz, stride, flags, &sum);
    for (uint64_t i = 0; i < laser.count && status >= 0; i += SNT__DESKEW_BLOCK) {
        const uint64_t left = laser.count - i;
        const size_t n = left < SNT__DESKEW_BLOCK ? (size_t)left : SNT__DESKEW_BLOCK;
        status = laser_apply(plan, &laser, i, n, xyz, stride, flags, &part);
        if (status >= 0)
            status = snt_deskew_report_merge(&sum, &part);
    }
    if (status >= 0 && report)
        *report = sum;
    return status;
}
