/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slow, obviously right answers to compare a clock map with.
 *
 * Without wander: bounds from all pairs of constraints, O(n²). With wander: the reachable set itself, every step with the
 * exact lens of what the rate can do (32 sides) and no limit on vertices.
 */
#ifndef SNT_SIM_CLOCK_ORACLE_H
#define SNT_SIM_CLOCK_ORACLE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- constant rate: T(d) = x + (1 + y)·d within [lo_j, hi_j] at each d_j ---- */

typedef struct oracle_fact {
    double d, lo, hi; /* s; ns − d in ns, i.e. the offset x the reading allows */
} oracle_fact;

static inline void oracle_pairs(const oracle_fact *f, int n, double rate, double d, double *lo, double *hi)
{
    double y_hi = rate, y_lo = -rate;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            const double dt = f[j].d - f[i].d;
            y_hi = fmin(y_hi, (f[j].hi - f[i].lo) / dt);
            y_lo = fmax(y_lo, (f[j].lo - f[i].hi) / dt);
        }
    *lo = -(double)INFINITY;
    *hi = (double)INFINITY;
    for (int j = 0; j < n; j++) { /* d is not before any fact */
        *hi = fmin(*hi, f[j].hi + y_hi * (d - f[j].d));
        *lo = fmax(*lo, f[j].lo + y_lo * (d - f[j].d));
    }
}

/* ---- wandering rate ---- */

enum { ORACLE_MAX = 200000, ORACLE_LENS = 32 };

typedef struct oracle_set {
    int n;
    double at; /* device seconds the set refers to */
    double *x, *y, *tx, *ty;
} oracle_set;

static inline void oracle_set_free(oracle_set *s)
{
    free(s->x);
    free(s->y);
    free(s->tx);
    free(s->ty);
}

static inline void oracle_set_begin(oracle_set *s, double at, double lo, double hi, double rate)
{
    s->x = malloc(ORACLE_MAX * sizeof(double));
    s->y = malloc(ORACLE_MAX * sizeof(double));
    s->tx = malloc(ORACLE_MAX * sizeof(double));
    s->ty = malloc(ORACLE_MAX * sizeof(double));
    s->at = at;
    s->n = 4;
    s->x[0] = s->x[3] = lo;
    s->x[1] = s->x[2] = hi;
    s->y[0] = s->y[1] = -rate;
    s->y[2] = s->y[3] = rate;
}

static inline void oracle_swap(oracle_set *s, int n)
{
    double *t = s->x;
    s->x = s->tx;
    s->tx = t;
    t = s->y;
    s->y = s->ty;
    s->ty = t;
    s->n = n;
}

/* keep a·x + b·y <= c */
static inline void oracle_clip(oracle_set *s, double a, double b, double c)
{
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        const int j = (i + 1) % s->n;
        const double fi = a * s->x[i] + b * s->y[i] - c, fj = a * s->x[j] + b * s->y[j] - c;
        if (fi <= 0) {
            s->tx[n] = s->x[i];
            s->ty[n++] = s->y[i];
        }
        if ((fi <= 0) != (fj <= 0)) {
            const double t = fi / (fi - fj);
            s->tx[n] = s->x[i] + (s->x[j] - s->x[i]) * t;
            s->ty[n++] = s->y[i] + (s->y[j] - s->y[i]) * t;
        }
    }
    oracle_swap(s, n);
}

/* Largest a·∫w + b·w(D) over |w'| <= k: k·∫|a·u + b| du for u in [0, D]. */
static inline double oracle_lens_support(double a, double b, double D, double k)
{
    const double zero = a != 0 ? -b / a : -1;
    if (zero <= 0 || zero >= D)
        return k * fabs(a * D * D / 2 + b * D);
    return k * (fabs(a) * (zero * zero / 2 + (D - zero) * (D - zero) / 2));
}

static inline int oracle_lens(double D, double k, double *x, double *y)
{
    double a[ORACLE_LENS], b[ORACLE_LENS], h[ORACLE_LENS];
    for (int i = 0; i < ORACLE_LENS;
         i++) { /* normals evenly spread over where the lens is round: b/a in [−D, 0] */
        const int half = ORACLE_LENS / 2;
        const double f = (double)(i % half) / (half - 1), sign = i < half ? 1 : -1;
        a[i] = sign;
        b[i] = -sign * D * (1 - f);
        h[i] = oracle_lens_support(a[i], b[i], D, k);
    }
    for (int i = 0; i < ORACLE_LENS; i++) {
        const int j = (i + 1) % ORACLE_LENS;
        const double det = a[i] * b[j] - a[j] * b[i];
        x[i] = (h[i] * b[j] - h[j] * b[i]) / det;
        y[i] = (a[i] * h[j] - a[j] * h[i]) / det;
    }
    return ORACLE_LENS;
}

static inline int oracle_lowest(const double *x, const double *y, int n)
{
    int low = 0;
    for (int i = 1; i < n; i++)
        if (y[i] < y[low] || (y[i] == y[low] && x[i] < x[low]))
            low = i;
    return low;
}

/* Minkowski sum with a convex polygon: both outlines merged by direction. */
static inline void oracle_add(oracle_set *s, const double *ex, const double *ey, int m)
{
    int i = oracle_lowest(s->x, s->y, s->n), j = oracle_lowest(ex, ey, m), n = 0;
    int gone_i = 0, gone_j = 0;
    while (gone_i < s->n || gone_j < m) {
        s->tx[n] = s->x[i] + ex[j];
        s->ty[n++] = s->y[i] + ey[j];
        const int i2 = (i + 1) % s->n, j2 = (j + 1) % m;
        const double ax = s->x[i2] - s->x[i], ay = s->y[i2] - s->y[i], bx = ex[j2] - ex[j],
                     by = ey[j2] - ey[j];
        const double cross = ax * by - ay * bx;
        if (gone_j >= m || (gone_i < s->n && cross >= 0)) {
            i = i2;
            gone_i++;
        } else {
            j = j2;
            gone_j++;
        }
    }
    /* points that hardly turn are dropped: the set shrinks by less than 1e-6 ns, so the comparison is to our harm */
    int kept = 0;
    for (int k = 0; k < n; k++) {
        if (kept >= 2) {
            const double ax = s->tx[kept - 1] - s->tx[kept - 2], ay = s->ty[kept - 1] - s->ty[kept - 2];
            const double bx = s->tx[k] - s->tx[kept - 1], by = s->ty[k] - s->ty[kept - 1];
            if (ax * by - ay * bx <= 1e-9 * (fabs(ay + by) + 1e-12)) {
                kept--;
            }
        }
        s->tx[kept] = s->tx[k];
        s->ty[kept++] = s->ty[k];
    }
    oracle_swap(s, kept);
}

static inline void oracle_step(oracle_set *s, double to, double wander, double rate)
{
    const double D = to - s->at;
    s->at = to;
    if (D <= 0)
        return;
    for (int i = 0; i < s->n; i++)
        s->x[i] += s->y[i] * D;
    double ex[ORACLE_LENS], ey[ORACLE_LENS];
    const int m = oracle_lens(D, wander, ex, ey);
    oracle_add(s, ex, ey, m);
    oracle_clip(s, 0, 1, rate);
    oracle_clip(s, 0, -1, rate);
}

static inline void oracle_extent(const oracle_set *s, double *lo, double *hi)
{
    *lo = (double)INFINITY;
    *hi = -(double)INFINITY;
    for (int i = 0; i < s->n; i++) {
        *lo = fmin(*lo, s->x[i]);
        *hi = fmax(*hi, s->x[i]);
    }
}

/* Extent `D` seconds on, without moving the set: the lens' own extent on top of the sheared corners. */
static inline void oracle_ahead(const oracle_set *s, double D, double wander, double *lo, double *hi)
{
    *lo = (double)INFINITY;
    *hi = -(double)INFINITY;
    for (int i = 0; i < s->n; i++) {
        *lo = fmin(*lo, s->x[i] + s->y[i] * D);
        *hi = fmax(*hi, s->x[i] + s->y[i] * D);
    }
    *lo -= wander * D * D / 2;
    *hi += wander * D * D / 2;
}

#endif
