/* SPDX-License-Identifier: BSD-3-Clause */
/* Range, outliers and order of a column's values, scan by scan. */
#include "layout.h"

#include <math.h>
#include <stdlib.h>

#define MEASURE_OUTLIER_SHARE 0.05 /* more than this is no outlier but part of the scan */

const unsigned char *snt__scan_point(const snt__scan *scan, uint64_t i)
{
    const snt_pointcloud2_view *view = scan->view;
    i *= scan->step;
    if (!(view->flags & SNT_POINTCLOUD2_PADDED_ROWS))
        return view->data + i * view->point_step;
    return view->data + i / view->width * view->row_step + i % view->width * view->point_step;
}

double snt__column_value(const snt__scan *scan, const snt__column *column, uint32_t type, uint64_t i)
{
    const unsigned char *at = snt__scan_point(scan, i);
    double value = snt__element_f64(at + column->value.offset, type, scan->big_endian);
    if (column->nsec.type != SNT_TYPE_NONE)
        value += 1e-9 * snt__element_f64(at + column->nsec.offset, column->nsec.type, scan->big_endian);
    return value;
}

void snt__scan_values(const snt__scan *scan, snt_layout_field field, uint64_t first, uint64_t n, double *out)
{
    const int64_t stride = (int64_t)(scan->step * scan->view->point_step);
    if (!(scan->view->flags & SNT_POINTCLOUD2_PADDED_ROWS))
        snt__elements_f64(snt__scan_point(scan, first) + field.offset, stride, n, field.type,
                          scan->big_endian, out);
    else
        for (uint64_t i = 0; i < n; i++)
            out[i] = snt__element_f64(snt__scan_point(scan, first + i) + field.offset, field.type,
                                      scan->big_endian);
}

/* The same of a column, with the nanoseconds of a split time. */
static void measure_values(const snt__scan *scan, const snt__column *column, uint32_t type, uint64_t first,
                           uint64_t n, double *out)
{
    double nsec[SNT__LAYOUT_BLOCK];
    snt__scan_values(scan, (snt_layout_field){column->value.offset, type}, first, n, out);
    if (column->nsec.type == SNT_TYPE_NONE)
        return;
    snt__scan_values(scan, column->nsec, first, n, nsec);
    for (uint64_t i = 0; i < n; i++)
        out[i] += 1e-9 * nsec[i];
}

static int measure_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double snt__median(double *values, uint32_t count)
{
    if (!count)
        return 0;
    qsort(values, count, sizeof *values, measure_compare);
    return count % 2 ? values[count / 2] : values[count / 2 - 1] / 2 + values[count / 2] / 2;
}

/*
 * The core of a sorted sample: from its quartiles outwards as long as the next value is no farther than half of what is
 * already covered. A core of one value, and a handful of values, say nothing about the rest.
 */
static void measure_core(const double *sorted, uint32_t n, double *lo, double *hi)
{
    uint32_t a = n / 4, b = n - 1 - n / 4;
    for (bool grown = true; grown;) {
        grown = false;
        const double reach = (sorted[b] - sorted[a]) / 2;
        while (a > 0 && sorted[a] - sorted[a - 1] <= reach) {
            a--;
            grown = true;
        }
        while (b < n - 1 && sorted[b + 1] - sorted[b] <= reach) {
            b++;
            grown = true;
        }
    }
    if (n < 8 || sorted[a] == sorted[b]) {
        a = 0;
        b = n - 1;
    }
    *lo = sorted[a];
    *hi = sorted[b];
}

/* Evenly spread, but not in step with rows or columns: one value out of each of n equal parts. */
static uint32_t measure_sample(const snt__scan *scan, const snt__column *column, uint32_t type,
                               double *sample)
{
    const uint64_t n = scan->count < SNT__LAYOUT_SAMPLE ? scan->count : SNT__LAYOUT_SAMPLE;
    uint32_t kept = 0;
    uint32_t noise = 12345;
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t from = k * scan->count / n, to = (k + 1) * scan->count / n;
        noise = noise * 1664525u + 1013904223u;
        const double value = snt__column_value(scan, column, type, from + (noise >> 8) % (to - from));
        if (isfinite(value))
            sample[kept++] = value;
    }
    qsort(sample, kept, sizeof *sample, measure_compare);
    return kept;
}

/* Order within the scan; `half` is what a step back must exceed to be a restart. */
typedef struct measure_order {
    double previous, run_start, half;
    bool any;
} measure_order;

static void measure_step(measure_order *order, double value, snt__measure *m)
{
    if (!order->any) {
        order->any = true;
        order->run_start = value;
    } else {
        m->changes += value < order->previous || value > order->previous;
        m->jumps += value < order->previous;
        if (order->previous - value > order->half) {
            m->restarts++;
            order->run_start = value;
        }
    }
    if (value - order->run_start > m->max_run)
        m->max_run = value - order->run_start;
    order->previous = value;
}

/* What is kept, and what is an outlier. */
typedef struct measure_window {
    double from, to;
    bool is_signed; /* values that wrapped below zero are counted */
} measure_window;

static void measure_value(double value, const measure_window *window, measure_order *order, snt__measure *m)
{
    if (!isfinite(value)) {
        m->invalid++;
        return;
    }
    m->valid++;
    m->zeros += value == 0;
    m->min = value < m->min ? value : m->min;
    m->max = value > m->max ? value : m->max;
    if (value < window->from || value > window->to) {
        m->outliers++;
        return;
    }
    m->lo = value < m->lo ? value : m->lo;
    m->hi = value > m->hi ? value : m->hi;
    m->wrapped += window->is_signed && value < 0;
    measure_step(order, value, m);
}

/* [lo, hi] becomes the exact range of all values that are no outliers. */
static void measure_all(const snt__scan *scan, const snt__column *column, uint32_t type, double lo, double hi,
                        snt__measure *m)
{
    const double margin = (hi - lo) / 2;
    const measure_window window = {lo - margin, hi + margin, type == SNT_TYPE_I32};
    measure_order order = {.half = margin};
    double values[SNT__LAYOUT_BLOCK];
    m->lo = m->min = (double)INFINITY;
    m->hi = m->max = -(double)INFINITY;
    for (uint64_t first = 0; first < scan->count; first += SNT__LAYOUT_BLOCK) {
        const uint64_t left = scan->count - first, n = left < SNT__LAYOUT_BLOCK ? left : SNT__LAYOUT_BLOCK;
        measure_values(scan, column, type, first, n, values);
        for (uint64_t i = 0; i < n; i++)
            measure_value(values[i], &window, &order, m);
    }
}

static void measure_scan(const snt__scan *scan, const snt__column *column, uint32_t type, snt__measure *m)
{
    double sample[SNT__LAYOUT_SAMPLE];
    const uint32_t n = measure_sample(scan, column, type, sample);
    *m = (snt__measure){0};
    if (!n) {
        m->invalid = scan->count;
        return;
    }
    double lo, hi;
    measure_core(sample, n, &lo, &hi);
    measure_all(scan, column, type, lo, hi, m);
    if ((double)m->outliers > MEASURE_OUTLIER_SHARE * (double)m->valid + 1) { /* too many to be a glitch */
        const double min = m->min, max = m->max;
        *m = (snt__measure){0};
        measure_all(scan, column, type, min, max, m);
    }
}

/* Unsigned values beyond 2^31 are negative ones that wrapped if that makes the scan shorter or heals outliers. */
static bool measure_is_wrapped(const snt__scan *scan, const snt__column *column, const snt__measure *as_u32)
{
    snt__measure as_i32;
    if (column->value.type != SNT_TYPE_U32 || column->nsec.type != SNT_TYPE_NONE || as_u32->max < 0x1p31)
        return false;
    measure_scan(scan, column, SNT_TYPE_I32, &as_i32);
    if (!as_i32.wrapped)
        return false;
    if (as_i32.outliers != as_u32->outliers)
        return as_i32.outliers < as_u32->outliers;
    return as_i32.hi - as_i32.lo < (as_u32->hi - as_u32->lo) / 2;
}

static snt_duration measure_period(const snt__series *series)
{
    double steps[SNT__LAYOUT_SCANS];
    uint32_t n = 0;
    for (uint32_t i = 1; i < series->count; i++) {
        const double step = (double)series->stamp[i] - (double)series->stamp[i - 1];
        if (step > 0 && step < 1e11)
            steps[n++] = step;
    }
    return n ? (snt_duration)snt__median(steps, n) : SNT_UNKNOWN;
}

static void measure_summarise(snt__series *series)
{
    double values[SNT__LAYOUT_SCANS];
    for (int k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < series->count; i++) {
            const snt__measure *m = &series->scan[i];
            values[i] = k == 0 ? m->lo : k == 1 ? m->hi : m->hi - m->lo;
        }
        *(k == 0 ? &series->lo : k == 1 ? &series->hi : &series->span) = snt__median(values, series->count);
    }
}

void snt__series_measure(const snt__scan *scans, uint32_t scan_count, const snt__column *column,
                         const snt_layout_options *options, snt__series *series)
{
    *series = (snt__series){.type = column->value.type, .period_ns = SNT_UNKNOWN};
    for (int pass = 0; pass < 2; pass++) {
        bool wrapped = false;
        series->count = 0;
        for (uint32_t i = 0; i < scan_count; i++) {
            snt__measure *m = &series->scan[series->count];
            measure_scan(&scans[i], column, series->type, m);
            if (!m->valid)
                continue;
            wrapped |= series->type == SNT_TYPE_U32 && measure_is_wrapped(&scans[i], column, m);
            series->stamp[series->count] = scans[i].view->header.stamp_ns;
            series->receive[series->count] = options->receive_ns ? options->receive_ns[i] : SNT_UNKNOWN;
            series->count++;
        }
        if (!wrapped)
            break;
        series->type = SNT_TYPE_I32;
    }
    measure_summarise(series);
    series->period_ns = options->period_ns ? options->period_ns : measure_period(series);
}

#undef MEASURE_OUTLIER_SHARE
