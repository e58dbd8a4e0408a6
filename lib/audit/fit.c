/* SPDX-License-Identifier: BSD-3-Clause */
#include "fit.h"

#include "clock_pair.h"

#include <math.h>

void snt__fit_reset(snt__fit *fit)
{
    memset(fit, 0, sizeof *fit);
    fit->block_width = INT64_C(1) << 26; /* 67 ms */
    for (int i = 0; i < SNT__FIT_BLOCKS; i++)
        fit->block_y[i] = INT64_MAX;
}

/* Halve the number of blocks in use: each pair becomes one, with the lower of its two delays. */
static void fit_merge(snt__fit *fit)
{
    for (int i = 0; i < SNT__FIT_BLOCKS; i++) {
        int64_t x = 0, y = INT64_MAX;
        for (int j = 2 * i; j < 2 * i + 2 && j < SNT__FIT_BLOCKS; j++)
            if (fit->block_y[j] < y) {
                x = fit->block_x[j];
                y = fit->block_y[j];
            }
        fit->block_x[i] = x;
        fit->block_y[i] = y;
    }
    fit->block_width *= 2;
}

void snt__fit_add(snt__fit *fit, int64_t x, int64_t y)
{
    if (!fit->count) {
        fit->x0 = x;
        fit->y0 = y;
    }
    fit->count++;
    const int64_t since = snt_time_sub_sat(x, fit->x0);
    const double dx = 1e-9 * (double)since, dy = (double)snt_time_sub_sat(y, fit->y0);
    const double n = (double)fit->count, ex = dx - fit->mean_x, ey = dy - fit->mean_y;
    fit->mean_x += ex / n;
    fit->mean_y += ey / n;
    fit->sxx += ex * (dx - fit->mean_x);
    fit->sxy += ex * (dy - fit->mean_y);
    fit->syy += ey * (dy - fit->mean_y);
    if (dx > fit->max_x)
        fit->max_x = dx;
    if (since < 0 || since >= INT64_MAX / 4)
        return;
    while (since / fit->block_width >= SNT__FIT_BLOCKS)
        fit_merge(fit);
    const int64_t block = since / fit->block_width;
    if (y < fit->block_y[block]) {
        fit->block_x[block] = x;
        fit->block_y[block] = y;
    }
}

typedef struct fit_point {
    double x, y; /* [s], [ns] from the first pair */
} fit_point;

/* Blocks whose x lies in [from, to). */
static int fit_points(const snt__fit *fit, double from, double to, fit_point *out)
{
    int n = 0;
    for (int i = 0; i < SNT__FIT_BLOCKS; i++) {
        if (fit->block_y[i] == INT64_MAX)
            continue;
        const double x = 1e-9 * (double)(fit->block_x[i] - fit->x0);
        if (x >= from && x < to)
            out[n++] = (fit_point){x, (double)snt_time_sub_sat(fit->block_y[i], fit->y0)};
    }
    return n;
}

/*
 * Line below all points with the least sum of heights above it: the edge of the lower hull that spans the points' mean x.
 * Gives its slope, or NaN where there are not three blocks, and the largest height.
 */
static double fit_floor(const fit_point *points, int n, double *height)
{
    fit_point hull[SNT__FIT_BLOCKS];
    int size = 0;
    double mean = 0;
    *height = (double)NAN;
    if (n < 3)
        return NAN;
    for (int i = 0; i < n; i++) {
        const fit_point p = points[i];
        mean += p.x / n;
        while (size >= 2) {
            const fit_point a = hull[size - 2], b = hull[size - 1];
            if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0)
                break;
            size--;
        }
        hull[size++] = p;
    }
    int edge = 0;
    while (edge + 2 < size && hull[edge + 1].x < mean)
        edge++;
    const fit_point a = hull[edge], b = hull[edge + 1];
    if (!(b.x > a.x))
        return NAN;
    const double slope = (b.y - a.y) / (b.x - a.x);
    *height = 0;
    for (int i = 0; i < n; i++) {
        const double above = points[i].y - (a.y + slope * (points[i].x - a.x));
        if (above > *height)
            *height = above;
    }
    return slope;
}

snt__fit_line snt__fit_solve(const snt__fit *fit, int64_t least_span_ns)
{
    snt__fit_line line = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, NAN};
    if (!fit->count)
        return line;
    const double n = (double)fit->count, middle = 0.5 * fit->max_x;
    line.span_s = fit->max_x;
    line.offset_ns = (double)fit->y0 + fit->mean_y;
    if (fit->count >= 2)
        line.std_ns = sqrt(fit->syy > 0 ? fit->syy / (n - 1) : 0);
    if (fit->count < 3 || !(fit->sxx > 0))
        return line;
    const double slope = fit->sxy / fit->sxx;
    double rest = fit->syy - slope * fit->sxy;
    if (!(rest > 0))
        rest = 0;
    line.residual_ns = sqrt(rest / (n - 2));
    line.offset_ns += slope * (middle - fit->mean_x);
    if (line.span_s * 1e9 < (double)least_span_ns)
        return line;
    line.slope_ppb = slope;
    line.slope_error = line.residual_ns / sqrt(fit->sxx);
    fit_point points[SNT__FIT_BLOCKS];
    double ignored;
    line.floor_ppb = fit_floor(points, fit_points(fit, -1, INFINITY, points), &line.floor_error_ns);
    line.floor_first_ppb = fit_floor(points, fit_points(fit, -1, middle, points), &ignored);
    line.floor_second_ppb = fit_floor(points, fit_points(fit, middle, INFINITY, points), &ignored);
    return line;
}
