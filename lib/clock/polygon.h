/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The set of (x, y) a clock can still have: x [ns] how far the host time at the anchor is from the anchor's host time,
 * y [ppb = ns/s] how much faster than nominal host time passes per device second. A convex polygon, counter-clockwise,
 * that always contains the truth: every step that rounds or simplifies moves edges outward.
 *
 * Stepping by D seconds shears by D, adds what the rate may have wandered meanwhile (a parallelogram around the exact
 * lens of |w'| <= wander), and clips the rate. An observation clips x. What this needs of floating point and why the
 * reduction is by whole half-planes is derived in docs/clocks.md.
 */
#ifndef SNT_LIB_CLOCK_POLYGON_H
#define SNT_LIB_CLOCK_POLYGON_H

#include "../base/internal.h"

enum { SNT__POLYGON_MAX = 32, SNT__POLYGON_ROOM = SNT__POLYGON_MAX + 24 };

/* Stands for "no bound on this side": far beyond any delay, near enough not to eat digits (2^-53 of it is 1e-4 ns). */
#define SNT__POLYGON_FAR 1e12

typedef struct snt__polygon {
    uint32_t count;
    bool open_lo; /* nothing bounds x from below: two vertices at −FAR stand for it */
    bool open_hi;
    double x_min, x_max, y_min, y_max; /* kept with every cut */
    double x[SNT__POLYGON_ROOM];
    double y[SNT__POLYGON_ROOM];
} snt__polygon;

/* All rates within ±rate; x in [lo, hi] where known. */
void snt__polygon_begin(snt__polygon *p, double rate, const double *lo, const double *hi);

/* The set `seconds` > 0 later. wander < 0: unbounded. `guard` widens x by the rounding errors. */
void snt__polygon_step(snt__polygon *p, double seconds, double wander, double rate, double guard);

/* Keep x + y·at <= limit (upper) or >= limit. False if nothing is left; the polygon is then void. */
bool snt__polygon_clip(snt__polygon *p, double at, double limit, bool upper);

/* Move the origin by `shift` in x. */
void snt__polygon_shift(snt__polygon *p, double shift);

/* Drop half-planes until at most `cap` >= 6 vertices are left; refresh the extent. False: it could not be done. */
bool snt__polygon_reduce(snt__polygon *p, uint32_t cap);

/* Vertex with the largest (or least) x + y·at. */
uint32_t snt__polygon_support(const snt__polygon *p, double at, bool largest);

/* Rounding errors of one step and its clips [ns]; `age` [s] is how long the oldest edge may have lived. */
double snt__polygon_guard(const snt__polygon *p, double seconds, double age);

#endif
