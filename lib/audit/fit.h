/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Straight lines through (time, delay) pairs in bounded memory: by least squares (running moments), and along the lower
 * envelope (least delay of each of up to 64 blocks of time; delays only ever add, so the floor is the clocks' relation).
 */
#ifndef SNT_LIB_AUDIT_FIT_H
#define SNT_LIB_AUDIT_FIT_H

#include "../base/internal.h"

enum { SNT__FIT_BLOCKS = 64 };

typedef struct snt__fit {
    uint64_t count;
    int64_t x0, y0;                       /* the first pair: doubles hold distances to it only */
    double mean_x, mean_y, sxx, sxy, syy; /* x in seconds, y in ns */
    double max_x;
    int64_t block_width; /* [ns] */
    int64_t block_x[SNT__FIT_BLOCKS];
    int64_t block_y[SNT__FIT_BLOCKS]; /* INT64_MAX = empty */
} snt__fit;

typedef struct snt__fit_line {
    double offset_ns;   /* y in the middle of the span */
    double slope_ppb;   /* [ns/s]; NaN below the least span */
    double slope_error; /* standard error [ns/s]; NaN likewise */
    double residual_ns; /* standard deviation about the line; NaN below three pairs */
    double floor_ppb, floor_first_ppb, floor_second_ppb; /* NaN likewise */
    double floor_error_ns;
    double span_s;
    double std_ns;
} snt__fit_line;

void snt__fit_reset(snt__fit *fit);
void snt__fit_add(snt__fit *fit, int64_t x, int64_t y);
snt__fit_line snt__fit_solve(const snt__fit *fit, int64_t least_span_ns);

#endif
