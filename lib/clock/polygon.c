/* SPDX-License-Identifier: BSD-3-Clause */
#include "polygon.h"

#include <float.h>
#include <math.h>

enum { POLYGON_PARTS = 6 };
#define POLYGON_SHARE  0.015
#define POLYGON_BRIEF  0.002
#define POLYGON_ALIGN  30.0
#define POLYGON_MEMORY 50.0 /* s, where a side is open and the width says nothing */

static void polygon_extent(snt__polygon *p)
{
    double x0 = p->x[0], x1 = x0, y0 = p->y[0], y1 = y0;
    for (uint32_t i = 1; i < p->count; i++) {
        const double x = p->x[i], y = p->y[i];
        x0 = x < x0 ? x : x0;
        x1 = x > x1 ? x : x1;
        y0 = y < y0 ? y : y0;
        y1 = y > y1 ? y : y1;
    }
    p->x_min = x0;
    p->x_max = x1;
    p->y_min = y0;
    p->y_max = y1;
}

void snt__polygon_begin(snt__polygon *p, double rate, const double *lo, const double *hi)
{
    const double x0 = lo ? *lo : -SNT__POLYGON_FAR, x1 = hi ? *hi : SNT__POLYGON_FAR;
    p->open_lo = !lo;
    p->open_hi = !hi;
    p->count = 4;
    p->x[0] = p->x[3] = x0;
    p->x[1] = p->x[2] = x1;
    p->y[0] = p->y[1] = -rate;
    p->y[2] = p->y[3] = rate;
    polygon_extent(p);
}

double snt__polygon_guard(const snt__polygon *p, double seconds, double age)
{
    const double x0 = p->open_lo ? 0 : fabs(p->x_min), x1 = p->open_hi ? 0 : fabs(p->x_max);
    const double y = fabs(p->y_min) > fabs(p->y_max) ? fabs(p->y_min) : fabs(p->y_max);
    return 1e-5 + 0x1p-48 * (x0 > x1 ? x0 : x1) + 0x1p-50 * y * (seconds + age);
}

uint32_t snt__polygon_support(const snt__polygon *p, double at, bool largest)
{
    uint32_t best = 0;
    double value = p->x[0] + p->y[0] * at;
    for (uint32_t i = 1; i < p->count; i++) {
        const double v = p->x[i] + p->y[i] * at;
        if (largest ? v > value : v < value) {
            value = v;
            best = i;
        }
    }
    return best;
}

/* What is left of a sliver that rounding has flattened: a box around it, wider by more than the rounding. */
static void polygon_unflatten(snt__polygon *p, double x0, double x1, double y0, double y1)
{
    const double gx = 1e-5 + 0x1p-48 * (fabs(x0) + fabs(x1)), gy = 1e-6;
    p->count = 4;
    p->x[0] = p->x[3] = x0 - gx;
    p->x[1] = p->x[2] = x1 + gx;
    p->y[0] = p->y[1] = y0 - gy;
    p->y[2] = p->y[3] = y1 + gy;
}

/* Drop vertices at which the outline does not turn left: removing a dent or a straight point never shrinks the set. */
static void polygon_clean(snt__polygon *p)
{
    const double x0 = p->x[0], y0 = p->y[0], xm = p->x[p->count / 2], ym = p->y[p->count / 2];
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        while (n >= 2) {
            const double ax = p->x[n - 1] - p->x[n - 2], ay = p->y[n - 1] - p->y[n - 2];
            const double bx = p->x[i] - p->x[n - 1], by = p->y[i] - p->y[n - 1];
            if (ax * by - ay * bx > 0)
                break;
            n--;
        }
        if (n == 1 && p->x[0] == p->x[i] && p->y[0] == p->y[i])
            continue;
        p->x[n] = p->x[i];
        p->y[n++] = p->y[i];
    }
    /* the seam between the last and the first vertex */
    uint32_t first = 0;
    while (n - first > 3) {
        const uint32_t last = n - 1;
        double ax = p->x[last] - p->x[last - 1], ay = p->y[last] - p->y[last - 1];
        double bx = p->x[first] - p->x[last], by = p->y[first] - p->y[last];
        if (!(ax * by - ay * bx > 0)) {
            n--;
            continue;
        }
        ax = bx;
        ay = by;
        bx = p->x[first + 1] - p->x[first];
        by = p->y[first + 1] - p->y[first];
        if (ax * by - ay * bx > 0)
            break;
        first++;
    }
    if (first) {
        memmove(p->x, p->x + first, (n - first) * sizeof p->x[0]);
        memmove(p->y, p->y + first, (n - first) * sizeof p->y[0]);
    }
    p->count = n - first;
    if (p->count < 3)
        polygon_unflatten(p, x0 < xm ? x0 : xm, x0 < xm ? xm : x0, y0 < ym ? y0 : ym, y0 < ym ? ym : y0);
}

/*
 * Add the zonotope of a level segment ±(level, 0) and `parts` slanted ones ±(slant·(2i + 1), rise): both outlines, merged by
 * the direction of their edges. An outline that starts at its lowest, leftmost vertex has its edges in order of direction.
 */
static void polygon_add_lens(snt__polygon *p, double level, double slant, double rise, uint32_t parts)
{
    double ex[2 * POLYGON_PARTS + 2], ey[2 * POLYGON_PARTS + 2], x[SNT__POLYGON_ROOM], y[SNT__POLYGON_ROOM];
    const uint32_t half = parts + 1;
    double zx = -level, zy = 0;
    ex[0] = 2 * level;
    ey[0] = 0;
    for (uint32_t k = 1; k <= parts; k++) { /* flattest first */
        const double v = slant * (double)(2 * (parts - k) + 1);
        ex[k] = 2 * v;
        ey[k] = 2 * rise;
        zx -= v;
        zy -= rise;
    }
    for (uint32_t k = 0; k < half; k++) {
        ex[half + k] = -ex[k];
        ey[half + k] = -ey[k];
    }
    uint32_t at = 0;
    for (uint32_t i = 1; i < p->count; i++)
        if (p->y[i] < p->y[at] || (p->y[i] == p->y[at] && p->x[i] < p->x[at]))
            at = i;
    uint32_t n = 0, done = 0, k = 0;
    const uint32_t count = p->count;
    uint32_t next = at + 1 == count ? 0 : at + 1;
    double fx = p->x[next] - p->x[at], fy = p->y[next] - p->y[at];
    while (done < count || k < 2 * half) {
        x[n] = p->x[at] + zx;
        y[n++] = p->y[at] + zy;
        if (k == 2 * half || (done < count && fx * ey[k] - fy * ex[k] >= 0)) {
            at = next;
            done++;
            next = at + 1 == count ? 0 : at + 1;
            fx = p->x[next] - p->x[at];
            fy = p->y[next] - p->y[at];
        } else {
            zx += ex[k];
            zy += ey[k];
            k++;
        }
    }
    memcpy(p->x, x, n * sizeof x[0]);
    memcpy(p->y, y, n * sizeof y[0]);
    p->count = n;
}

/* Clip y to ±rate. The rates never leave it altogether: the truth is inside. */
static void polygon_clip_rate(snt__polygon *p, double rate)
{
    double x[SNT__POLYGON_ROOM], y[SNT__POLYGON_ROOM];
    for (int side = 0; side < 2; side++) {
        const double limit = side ? -rate : rate;
        uint32_t n = 0;
        for (uint32_t i = 0; i < p->count; i++) {
            const uint32_t j = i + 1 == p->count ? 0 : i + 1;
            const bool in = side ? p->y[i] >= limit : p->y[i] <= limit;
            const bool next_in = side ? p->y[j] >= limit : p->y[j] <= limit;
            if (in) {
                x[n] = p->x[i];
                y[n++] = p->y[i];
            }
            if (in != next_in) {
                x[n] = p->x[i] + (p->x[j] - p->x[i]) * ((limit - p->y[i]) / (p->y[j] - p->y[i]));
                y[n++] = limit;
            }
        }
        memcpy(p->x, x, n * sizeof x[0]);
        memcpy(p->y, y, n * sizeof y[0]);
        p->count = n;
    }
}

/* A side without bound stays straight and far away whatever the step did to its two vertices. */
static void polygon_restore_open(snt__polygon *p)
{
    if (!p->open_lo && !p->open_hi)
        return;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->open_lo && p->x[i] < -SNT__POLYGON_FAR / 2)
            p->x[i] = -SNT__POLYGON_FAR;
        if (p->open_hi && p->x[i] > SNT__POLYGON_FAR / 2)
            p->x[i] = SNT__POLYGON_FAR;
    }
}

static void polygon_box(snt__polygon *p, double x_min, double x_max, double rate)
{
    const bool open_lo = p->open_lo, open_hi = p->open_hi;
    snt__polygon_begin(p, rate, open_lo ? NULL : &x_min, open_hi ? NULL : &x_max);
}

void snt__polygon_step(snt__polygon *p, double seconds, double wander, double rate, double guard)
{
    polygon_extent(p);
    if (wander < 0 || wander * seconds >= 2 * rate) { /* nothing is left of what the rate was */
        double up, down;
        if (wander < 0) {
            up = down = rate * seconds;
        } else {
            const double t_up = (rate - p->y_max) / wander, t_down = (rate + p->y_min) / wander;
            up = p->y_max * t_up + wander * t_up * t_up / 2 + rate * (seconds - t_up);
            down = -p->y_min * t_down + wander * t_down * t_down / 2 + rate * (seconds - t_down);
        }
        polygon_box(p, p->x_min - down - guard, p->x_max + up + guard, rate);
        return;
    }
    for (uint32_t i = 0; i < p->count; i++)
        p->x[i] += p->y[i] * seconds;
    /*
     * What the rate may have done in the step is a lens. m equal parts of the step make it the sum of m slanted segments
     * and a level one of wander·seconds²/4m; the excess over the lens is that level one, so m grows with the share of
     * the set's memory the step takes.
     */
    const double drift = wander * seconds;
    const double memory =
        p->open_lo || p->open_hi || drift <= 0 ? POLYGON_MEMORY : sqrt(2 * (p->x_max - p->x_min) / wander);
    if (seconds <
        POLYGON_BRIEF * memory) { /* the box around the lens: wider by little, and no edges to drop again */
        polygon_add_lens(p, drift * seconds / 2 + guard, 0, drift, drift > 0);
    } else {
        const double share = seconds / (POLYGON_SHARE * memory);
        const uint32_t parts = share >= POLYGON_PARTS ? POLYGON_PARTS : share > 1 ? (uint32_t)share + 1 : 1;
        const double m = parts;
        polygon_add_lens(p, drift * seconds / (4 * m) + guard, drift * seconds / (2 * m * m), drift / m,
                         parts);
    }
    if (p->y_max + drift > rate || p->y_min - drift < -rate)
        polygon_clip_rate(p, rate);
    polygon_restore_open(p);
}

bool snt__polygon_clip(snt__polygon *p, double at, double limit, bool upper)
{
    double x[SNT__POLYGON_ROOM], y[SNT__POLYGON_ROOM], outside[SNT__POLYGON_ROOM];
    uint32_t n = 0, kept = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const double f = p->x[i] + p->y[i] * at - limit;
        outside[i] = upper ? f : -f;
        kept += outside[i] <= 0;
    }
    if (!kept)
        return false;
    if (kept == p->count)
        return true;
    for (uint32_t i = 0; i < p->count; i++) {
        const uint32_t j = i + 1 == p->count ? 0 : i + 1;
        const bool in = outside[i] <= 0, next_in = outside[j] <= 0;
        if (in) {
            x[n] = p->x[i];
            y[n++] = p->y[i];
        }
        if (in != next_in) {
            y[n] = p->y[i] + (p->y[j] - p->y[i]) * (outside[i] / (outside[i] - outside[j]));
            x[n] = limit - y[n] * at;
            n++;
        }
    }
    bool far_lo = false, far_hi = false;
    for (uint32_t i = 0; i < n; i++) {
        far_lo |= x[i] <= -SNT__POLYGON_FAR / 2;
        far_hi |= x[i] >= SNT__POLYGON_FAR / 2;
    }
    memcpy(p->x, x, n * sizeof x[0]);
    memcpy(p->y, y, n * sizeof y[0]);
    p->count = n;
    p->open_lo = p->open_lo && far_lo;
    p->open_hi = p->open_hi && far_hi;
    return true;
}

void snt__polygon_shift(snt__polygon *p, double shift)
{
    for (uint32_t i = 0; i < p->count; i++)
        p->x[i] += shift;
    polygon_restore_open(p);
    polygon_extent(p);
}

/*
 * What dropping edge B→C costs: its neighbours are extended to their meeting point P. The cost is the distance of P
 * from the edge as a share of the set's width across it, so that it means the same however sheared or flat the set is.
 * Where P lies beyond the extent of the set, by that share of the extent and many times dearer: the corners of a sliver
 * are acute, a small distance across moves them far along it, and they are what every later query starts from.
 */
typedef struct polygon_frame {
    double x0, x1, y0, y1;        /* extent, which is what queries see */
    double dear_x, dear_y;        /* what a ns and a ppb beyond it cost */
    double slope, span_x, span_y; /* the set is about span_x wide and span_y high once sheared by −slope */
} polygon_frame;

static double polygon_cost(const snt__polygon *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                           const polygon_frame *frame, double *out_x, double *out_y)
{
    const double ax = p->x[b] - p->x[a], ay = p->y[b] - p->y[a];
    const double ex = p->x[c] - p->x[b], ey = p->y[c] - p->y[b];
    const double dx = p->x[d] - p->x[c], dy = p->y[d] - p->y[c];
    const double den = ax * dy - ay * dx, den_error = 0x1p-50 * (fabs(ax * dy) + fabs(ay * dx));
    const double num = ex * dy - ey * dx, num_error = 0x1p-50 * (fabs(ex * dy) + fabs(ey * dx));
    const double t = (num + num_error) / (den - den_error); /* outward: beyond the true meeting point */
    *out_x = p->x[b] + t * ax;
    *out_y = p->y[b] + t * ay;
    const double area = t * (ax * ey - ay * ex);
    double cost =
        fabs(area) / (fabs(ey) * frame->span_x + fabs(ex - frame->slope * ey) * frame->span_y + DBL_MIN);
    const double left = frame->x0 - *out_x, right = *out_x - frame->x1, below = frame->y0 - *out_y,
                 above = *out_y - frame->y1;
    const double over_x = (left > right ? left : right) * frame->dear_x;
    const double over_y = (below > above ? below : above) * frame->dear_y;
    const double over = over_x > over_y ? over_x : over_y;
    cost = over > cost ? over : cost;
    return den > 16 * den_error && t >= 0 ? cost : DBL_MAX; /* else they do not meet on this side */
}

static polygon_frame polygon_frame_of(const snt__polygon *p)
{
    uint32_t high = 0, low = 0;
    for (uint32_t i = 1; i < p->count; i++) {
        high = p->y[i] > p->y[high] ? i : high;
        low = p->y[i] < p->y[low] ? i : low;
    }
    polygon_frame f = {.x0 = DBL_MAX, .x1 = -DBL_MAX, .y0 = p->y[low], .y1 = p->y[high]};
    f.span_y = f.y1 - f.y0;
    f.slope = f.span_y > 0 ? (p->x[high] - p->x[low]) / f.span_y : 0;
    double s0 = DBL_MAX, s1 = -DBL_MAX;
    for (uint32_t i = 0; i < p->count; i++) {
        const double s = p->x[i] - f.slope * p->y[i];
        if (fabs(p->x[i]) > SNT__POLYGON_FAR / 2)
            continue;
        s0 = s < s0 ? s : s0;
        s1 = s > s1 ? s : s1;
        f.x0 = p->x[i] < f.x0 ? p->x[i] : f.x0;
        f.x1 = p->x[i] > f.x1 ? p->x[i] : f.x1;
    }
    f.span_x = s1 > s0 ? s1 - s0 : 0;
    f.dear_x = POLYGON_ALIGN / (f.x1 - f.x0 + DBL_MIN);
    f.dear_y = POLYGON_ALIGN / (f.y1 - f.y0 + DBL_MIN);
    return f;
}

bool snt__polygon_reduce(snt__polygon *p, uint32_t cap)
{
    polygon_clean(p);
    const uint32_t n = p->count;
    if (n > cap) {
        const polygon_frame frame = polygon_frame_of(p);
        double cost[SNT__POLYGON_ROOM], px[SNT__POLYGON_ROOM], py[SNT__POLYGON_ROOM];
        unsigned char prev[SNT__POLYGON_ROOM], next[SNT__POLYGON_ROOM];
        for (uint32_t i = 0; i < n; i++) {
            prev[i] = (unsigned char)(i ? i - 1 : n - 1);
            next[i] = (unsigned char)(i + 1 < n ? i + 1 : 0);
        }
        for (uint32_t i = 0; i < n; i++)
            cost[i] = polygon_cost(p, prev[i], i, next[i], next[next[i]], &frame, &px[i], &py[i]);
        for (uint32_t left = n; left > cap; left--) {
            uint32_t b = 0;
            for (uint32_t i = 1; i < n; i++)
                b = cost[i] < cost[b] ? i : b;
            if (cost[b] >= DBL_MAX)
                return false;
            const uint32_t c = next[b]; /* edge b→c becomes the point P: b moves there, c goes */
            p->x[b] = px[b];
            p->y[b] = py[b];
            cost[c] = DBL_MAX;
            next[b] = next[c];
            prev[next[b]] = (unsigned char)b;
            p->y[c] = (double)NAN; /* marks it as gone */
            for (uint32_t k = 0, i = prev[prev[b]]; k < 4; k++, i = next[i])
                cost[i] = polygon_cost(p, prev[i], i, next[i], next[next[i]], &frame, &px[i], &py[i]);
        }
        uint32_t kept = 0;
        for (uint32_t i = 0; i < n; i++) {
            p->x[kept] = p->x[i];
            p->y[kept] = p->y[i];
            kept += p->y[i] == p->y[i];
        }
        p->count = kept;
    }
    polygon_extent(p);
    return true;
}
