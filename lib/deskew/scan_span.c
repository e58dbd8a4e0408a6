/* SPDX-License-Identifier: BSD-3-Clause */
/* The interval of a cloud's times, also where a few of them are wild. */
#include "apply.h"

enum { SPAN_BINS = 256, SPAN_PART = 8, SPAN_BLOCK = SNT__DESKEW_BLOCK };

/* Reads all times of a cloud, block by block, as absolute ns; SNT_UNKNOWN where there is none. */
typedef struct span_reader {
    const snt_cloud *cloud;
    snt__deskew_job job; /* only for tables and azimuths */
    snt_deskew clockwork;
    bool by_job;
} span_reader;

static snt_status span_open(span_reader *reader, const snt_cloud *cloud, const snt_deskew_times *times)
{
    *reader = (span_reader){.cloud = cloud};
    if (!times) {
        if (cloud->time.type == SNT_TYPE_F32 && cloud->time_ref == SNT_TIME_REF_ABSOLUTE && cloud->count) {
            snt_time first; /* seconds since 1970 in float32: one count is minutes */
            const snt_status status = snt_cloud_times(cloud, 0, 1, 0, &first, NULL);
            if (status < 0)
                return status;
            if (first != SNT_UNKNOWN && fabs((double)first) * 0x1p-24 > 1e6)
                return SNT_ERR_PRECISION;
        }
        return SNT_OK;
    }
    reader->by_job = true;
    reader->clockwork.origin_ns = cloud->time_base_ns;
    reader->clockwork.scan.domain = cloud->domain;
    reader->job = (snt__deskew_job){.plan = &reader->clockwork, .in = cloud};
    snt_status status = snt__deskew_times_take(times, &reader->job.times);
    reader->job.options.times = times;
    if (status >= 0)
        status = snt__deskew_coordinates_prepare(&reader->job, cloud);
    if (status >= 0)
        status = snt__deskew_times_prepare(&reader->job);
    return status;
}

static snt_status span_read(const span_reader *reader, uint64_t first, size_t n, snt_time *t)
{
    if (!reader->by_job)
        return snt_cloud_times(reader->cloud, first, n, 0, t, NULL);
    int32_t near[SPAN_BLOCK], range[2];
    snt__deskew_times_read(&reader->job, first, n, near, range);
    for (size_t i = 0; i < n; i++)
        t[i] = near[i] == SNT__DESKEW_NO_TIME ? SNT_UNKNOWN
                                              : snt__deskew_add_sat(reader->clockwork.origin_ns, near[i]);
    return SNT_OK;
}

/* What is counted in one pass: the least and greatest time within [low, high], how many, and where. */
typedef struct span_count {
    snt_time low, high;
    uint64_t width; /* of a bin; 0 = no bins */
    snt_time least, greatest;
    uint64_t inside;
    uint64_t bin[SPAN_BINS];
} span_count;

static snt_status span_pass(const span_reader *reader, snt_time low, snt_time high, uint64_t width,
                            span_count *c)
{
    *c = (span_count){
        .low = low, .high = high, .width = width, .least = SNT_TIME_INFINITE_FUTURE, .greatest = INT64_MIN};
    const uint64_t count = reader->cloud->count;
    for (uint64_t i = 0; i < count; i += SPAN_BLOCK) {
        snt_time t[SPAN_BLOCK];
        const size_t n = count - i < SPAN_BLOCK ? (size_t)(count - i) : SPAN_BLOCK;
        const snt_status status = span_read(reader, i, n, t);
        if (status < 0)
            return status;
        for (size_t k = 0; k < n; k++) {
            if (t[k] == SNT_UNKNOWN || t[k] < low || t[k] > high)
                continue;
            c->inside++;
            c->least = t[k] < c->least ? t[k] : c->least;
            c->greatest = t[k] > c->greatest ? t[k] : c->greatest;
            if (width)
                c->bin[((uint64_t)t[k] - (uint64_t)low) / width]++;
        }
    }
    return SNT_OK;
}

/* First of `run` neighbouring bins that hold most. */
static uint32_t span_fullest(const span_count *c, uint32_t run)
{
    uint64_t sum = 0, most = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < SPAN_BINS; i++) {
        sum += c->bin[i];
        if (i >= run)
            sum -= c->bin[i - run];
        if (sum > most) {
            most = sum;
            best = i + 1 >= run ? i + 1 - run : 0;
        }
    }
    return best;
}

/* Of a stretch that is a little longer than `limit`: the part from its first time on, or that to its last, which has more. */
static snt_status span_trim(const span_reader *reader, snt_duration limit, span_count *c)
{
    const snt_time first = c->least, last = c->greatest;
    if ((uint64_t)last - (uint64_t)first <= (uint64_t)limit)
        return SNT_OK;
    span_count ending;
    snt_status status = span_pass(reader, first, first + limit, 0, c);
    if (status >= 0)
        status = span_pass(reader, last - limit, last, 0, &ending);
    if (status >= 0 && ending.inside > c->inside)
        *c = ending;
    return status;
}

/*
 * Close in on the most populated stretch of `limit`, 128 times closer with each pass. Bins of an eighth of it are fine
 * enough: nine of them hold it wherever it begins.
 */
static snt_status span_zoom(const span_reader *reader, snt_duration limit, span_count *c)
{
    const uint64_t part = (uint64_t)limit / SPAN_PART + 1;
    for (;;) {
        const uint64_t span = (uint64_t)c->greatest - (uint64_t)c->least;
        uint64_t width = span / SPAN_BINS + 1;
        const bool fine = width <= part;
        width = fine ? part : width;
        const uint32_t run = fine ? SPAN_PART + 1 : 2;
        const snt_time low = c->least, high = c->greatest;
        snt_status status = span_pass(reader, low, high, width, c);
        if (status < 0)
            return status;
        const uint64_t before = span_fullest(c, run) * width;
        const snt_time from = (snt_time)((uint64_t)low + before);
        const snt_time end =
            span - before < run * width ? high : (snt_time)((uint64_t)from + run * width - 1);
        status = span_pass(reader, from, end, 0, c);
        if (status < 0 || fine)
            return status < 0 ? status : span_trim(reader, limit, c);
        if ((uint64_t)c->greatest - (uint64_t)c->least <= (uint64_t)limit)
            return SNT_OK;
    }
}

snt_status snt_deskew_scan_from_cloud(const snt_cloud *cloud, const snt_deskew_times *times,
                                      snt_duration limit_ns, snt_deskew_scan *scan, uint64_t *outliers)
{
    if (!cloud || !scan || limit_ns < 0)
        return SNT_ERR_INVALID_ARG;
    if (snt_cloud_check(cloud) < 0)
        return SNT_ERR_LAYOUT;
    span_reader reader;
    span_count c;
    snt_status status = span_open(&reader, cloud, times);
    if (status >= 0)
        status = span_pass(&reader, INT64_MIN, INT64_MAX, 0, &c);
    if (status < 0)
        return status;
    if (!c.inside)
        return SNT_ERR_NO_TIME;
    if (limit_ns && (uint64_t)c.greatest - (uint64_t)c.least > (uint64_t)limit_ns)
        status = span_zoom(&reader, limit_ns, &c);
    if (status < 0)
        return status;
    scan->begin_ns = c.least;
    scan->end_ns = c.greatest;
    scan->domain = cloud->domain;
    if (outliers)
        *outliers = cloud->count - c.inside;
    return SNT_OK;
}
