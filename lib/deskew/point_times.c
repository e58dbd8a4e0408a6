/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of points as int32 ns from the plan's origin, wherever they come from. */
#include "apply.h"

#include "../base/wide.h"

static bool point_times_host_is_little(void)
{
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return low == 1;
}

/*
 * (value − origin)·scale + rest with a whole `origin` near the plan's origin: the difference of two near doubles is
 * exact, and so is `rest`, computed in integers.
 */
static bool point_times_real(const snt_cloud *cloud, int64_t shift, snt__deskew_clock *clock)
{
    if (cloud->time_ref == SNT_TIME_REF_NORMALISED) {
        clock->origin = 0;
        clock->scale = (double)cloud->time_span_ns;
        clock->rest = (double)shift;
        return shift > -SNT_NS_PER_S * 1000000 && shift < SNT_NS_PER_S * 1000000;
    }
    const int64_t num = cloud->time_unit_num, den = cloud->time_unit_den;
    int64_t units, exact, rest;
    if (num <= 0 || snt__muldiv_i64(-shift, den, num, SNT_ROUND_NEAREST, &units, NULL) < 0)
        return false;
    /* what a double can hold: the origin must not be rounded itself */
    const double origin = (double)units;
    if (!(origin > -0x1p62 && origin < 0x1p62))
        return false;
    units = (int64_t)origin;
    if (snt__muldiv_i64(units, num, den, SNT_ROUND_FLOOR, &exact, &rest) < 0)
        return false;
    clock->origin = origin;
    clock->scale = (double)num / (double)den;
    const int64_t near = snt__deskew_add_sat(exact, shift);
    clock->rest = (double)near + (double)rest / (double)den;
    return near > -SNT_NS_PER_S * 1000000 && near < SNT_NS_PER_S * 1000000;
}

static bool point_times_whole(const snt_cloud *cloud, int64_t shift, snt__deskew_clock *clock)
{
    if (cloud->time_unit_num != 1 || cloud->time_unit_den != 1 || cloud->time_ref == SNT_TIME_REF_NORMALISED)
        return false;
    if (clock->kind == SNT_TYPE_I32)
        shift = snt__deskew_sub_sat(shift, INT64_C(1) << 31); /* as if unsigned with a bias */
    if (shift < -(INT64_C(1) << 33) || shift > INT64_C(1) << 33)
        return false;
    const int64_t low = -(int64_t)INT32_MAX - shift, high = (int64_t)INT32_MAX - shift;
    if (low > UINT32_MAX || high < 0)
        return false;
    clock->low = low < 0 ? 0 : (uint32_t)low;
    clock->high = high > UINT32_MAX ? UINT32_MAX : (uint32_t)high;
    clock->add = (uint32_t)(uint64_t)shift;
    return true;
}

/* Float32 cannot hold seconds since 1970 (one count is 128 s): an error, not "no motion". */
static bool point_times_lose_precision(const snt_cloud *cloud, snt_time origin)
{
    if (cloud->time.type != SNT_TYPE_F32 || cloud->time_ref != SNT_TIME_REF_ABSOLUTE)
        return false;
    return fabs((double)origin) * 0x1p-24 > 1e6; /* half a count above a millisecond */
}

static snt_status point_times_prepare_table(snt__deskew_job *job)
{
    const snt_deskew_times *times = &job->times;
    const snt_cloud *cloud = job->in;
    if (times->kind == SNT_DESKEW_TIMES_AZIMUTH) {
        if (!snt__is_finite(times->azimuth_start))
            return SNT_ERR_NON_FINITE;
        if (cloud->time_span_ns <= 0)
            return SNT_ERR_LAYOUT;
        job->time_source = SNT__DESKEW_FROM_AZIMUTH;
        job->report.flags |= SNT_DESKEW_REPORT_FROM_AZIMUTH;
        return SNT_OK;
    }
    if (times->kind != SNT_DESKEW_TIMES_TABLE || (times->columns && !times->column_ns) ||
        (times->rings && !times->ring_ns) || (!times->column_ns && !times->ring_ns))
        return SNT_ERR_INVALID_ARG;
    const uint32_t side = times->column_major ? cloud->height : cloud->width;
    const bool by_index = times->column_ns || cloud->ring.type == SNT_TYPE_NONE;
    if (by_index && !side)
        return SNT_ERR_LAYOUT;
    job->time_source = SNT__DESKEW_FROM_TABLE;
    job->report.flags |= SNT_DESKEW_REPORT_FROM_TABLE;
    return SNT_OK;
}

snt_status snt__deskew_times_prepare(snt__deskew_job *job)
{
    const snt_cloud *cloud = job->in;
    const snt_time origin = job->plan->origin_ns;
    if (cloud->domain != job->plan->scan.domain)
        return SNT_ERR_DOMAIN;
    if (job->options.times)
        return point_times_prepare_table(job);
    if (cloud->time.type == SNT_TYPE_NONE || cloud->time_ref == SNT_TIME_REF_NONE ||
        cloud->time_ref == SNT_TIME_REF_PACKET)
        return SNT_ERR_NO_TIME;
    if (cloud->time_unit_den < 1 || cloud->time_unit_num < 1)
        return SNT_ERR_LAYOUT;
    if (point_times_lose_precision(cloud, origin))
        return SNT_ERR_PRECISION;
    job->clock = (snt__deskew_clock){.kind = cloud->time.type};
    job->time_source = SNT__DESKEW_FROM_ANY;
    const snt_time base = cloud->time_ref == SNT_TIME_REF_ABSOLUTE ? 0 : cloud->time_base_ns;
    if (base < INT64_MIN / 2 || base > INT64_MAX / 2)
        return SNT_ERR_RANGE;
    if (!point_times_host_is_little() || cloud->time.flags || cloud->time_quantum_ns > 1 ||
        cloud->time_nsec.type != SNT_TYPE_NONE)
        return SNT_OK;
    const int64_t shift = base - origin;
    bool plain = false;
    if (cloud->time.type == SNT_TYPE_F32 || cloud->time.type == SNT_TYPE_F64)
        plain = point_times_real(cloud, shift, &job->clock);
    else if (cloud->time.type == SNT_TYPE_U32 || cloud->time.type == SNT_TYPE_I32)
        plain = point_times_whole(cloud, shift, &job->clock);
    if (plain)
        job->time_source = SNT__DESKEW_FROM_FIELD;
    return SNT_OK;
}

static int32_t point_times_saturate(int64_t t)
{
    return t > INT32_MAX ? INT32_MAX : t < -INT32_MAX ? -INT32_MAX : (int32_t)t;
}

static void point_times_read_field(const snt__deskew_job *job, uint64_t first, size_t n, int32_t *t,
                                   int32_t range[2])
{
    const snt_field *field = &job->in->time;
    const unsigned char *at = (const unsigned char *)field->data + (int64_t)first * field->stride;
    job->plan->kernel.times(&job->clock, at, (ptrdiff_t)field->stride, n, t, range);
}

static void point_times_read_any(const snt__deskew_job *job, uint64_t first, size_t n, int32_t *t)
{
    snt_time wide[SNT__DESKEW_BLOCK];
    if (snt_cloud_times(job->in, first, n, job->plan->origin_ns, wide, NULL) < 0) {
        for (size_t i = 0; i < n; i++)
            t[i] = SNT__DESKEW_NO_TIME;
        return;
    }
    for (size_t i = 0; i < n; i++)
        t[i] = wide[i] == SNT_UNKNOWN ? SNT__DESKEW_NO_TIME : point_times_saturate(wide[i]);
}

static void point_times_read_table(const snt__deskew_job *job, uint64_t first, size_t n, int32_t *t)
{
    const snt_deskew_times *times = &job->times;
    const snt_cloud *cloud = job->in;
    const uint32_t side = times->column_major ? cloud->height : cloud->width;
    const bool has_ring = cloud->ring.type != SNT_TYPE_NONE;
    const int64_t shift = snt__deskew_sub_sat(cloud->time_base_ns, job->plan->origin_ns);
    uint32_t rings[SNT__DESKEW_BLOCK];
    if (has_ring && snt_cloud_rings(cloud, first, n, rings, NULL) < 0)
        for (size_t i = 0; i < n; i++)
            rings[i] = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        const uint64_t index = first + i;
        const uint64_t major = side ? index / side : 0, minor = side ? index % side : 0;
        const uint64_t column = times->column_major ? major : minor;
        const uint64_t ring = has_ring ? rings[i] : times->column_major ? minor : major;
        if ((times->column_ns && column >= times->columns) || (times->ring_ns && ring >= times->rings)) {
            t[i] = SNT__DESKEW_NO_TIME;
            continue;
        }
        const int64_t later = (times->column_ns ? (int64_t)times->column_ns[column] : 0) +
                              (times->ring_ns ? (int64_t)times->ring_ns[ring] : 0);
        t[i] = point_times_saturate(snt__deskew_add_sat(shift, later));
    }
}

/* atan of 0..1 by halving the angle twice and a short series: no libm, so the same bits everywhere; off by 1e-11. */
static double point_times_atan(double z)
{
    for (int i = 0; i < 2; i++)
        z = z / (1 + snt__sqrt(1 + z * z));
    const double x = z * z;
    const double series =
        1 - x * (1.0 / 3 - x * (1.0 / 5 - x * (1.0 / 7 - x * (1.0 / 9 - x * (1.0 / 11 - x / 13)))));
    return 4 * z * series;
}

static double point_times_atan2(double y, double x)
{
    const double pi = 3.14159265358979323846;
    const double a = fabs(x), b = fabs(y);
    if (a == 0 && b == 0)
        return 0;
    double angle = a >= b ? point_times_atan(b / a) : pi / 2 - point_times_atan(a / b);
    if (x < 0)
        angle = pi - angle;
    return y < 0 ? -angle : angle;
}

static void point_times_read_azimuth(const snt__deskew_job *job, uint64_t first, size_t n, int32_t *t)
{
    const double turn = 6.28318530717958647693, span = (double)job->in->time_span_ns;
    const double direction = job->times.direction < 0 ? -1 : 1;
    const int64_t shift = snt__deskew_sub_sat(job->in->time_base_ns, job->plan->origin_ns);
    for (size_t i = 0; i < n; i++) {
        const double x = snt__deskew_coordinate(&job->axis[0], first + i);
        const double y = snt__deskew_coordinate(&job->axis[1], first + i);
        if (!snt__is_finite(x) || !snt__is_finite(y)) {
            t[i] = SNT__DESKEW_NO_TIME;
            continue;
        }
        double part = direction * (point_times_atan2(y, x) - job->times.azimuth_start) / turn;
        part -= floor(part);
        t[i] = point_times_saturate(snt__deskew_add_sat(shift, (int64_t)(part * span)));
    }
}

void snt__deskew_times_read(const snt__deskew_job *job, uint64_t first, size_t n, int32_t *t,
                            int32_t range[2])
{
    if (job->time_source == SNT__DESKEW_FROM_FIELD) {
        point_times_read_field(job, first, n, t, range);
        return;
    }
    if (job->time_source == SNT__DESKEW_FROM_ANY)
        point_times_read_any(job, first, n, t);
    else if (job->time_source == SNT__DESKEW_FROM_TABLE)
        point_times_read_table(job, first, n, t);
    else
        point_times_read_azimuth(job, first, n, t);
    range[0] = INT32_MAX;
    range[1] = INT32_MIN;
    for (size_t i = 0; i < n; i++) {
        range[0] = t[i] < range[0] ? t[i] : range[0];
        range[1] = t[i] > range[1] ? t[i] : range[1];
    }
}
