/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a deskew plan. */
#ifndef SNT_LIB_DESKEW_PLAN_H
#define SNT_LIB_DESKEW_PLAN_H

#include "../base/memory.h"
#include "../pose/pose_math.h"
#include "kernel.h"
#include "sensortime/deskew.h"

enum { SNT__DESKEW_SLOTS = 1024 }; /* and as many more as a kernel reads at once */

/* Longest scan: half of it fits int32 ns, with room for sentinels. */
#define SNT__DESKEW_SPAN_MAX INT64_C(4200000000)

/*
 * The exact motion from `begin` to the next piece: the moving frame (the body, or the IMU) turns at the constant rate w
 * about its own axes. Its origin goes p + v·s + a·s²/2 in fixed axes, or with `screw` follows the constant body velocity v.
 */
typedef struct snt__deskew_piece {
    snt_time begin;
    snt_pose pose; /* T_fixed_moving at `begin` */
    double v[3], w[3], a[3];
    uint32_t screw;
    uint32_t hole; /* bridges a gap that is too wide to be trusted */
} snt__deskew_piece;

/* Sizes of polynomial coefficients over all segments, for the bound of rounding. */
typedef struct snt__deskew_sizes {
    double b0, b; /* greatest |b_0|; greatest sum of |b_k|·h^k for k > 0 */
    double t0, t;
    double w;                      /* the same sum for W, k > 0 */
    double approximation_rotation; /* greatest error of (b, W) */
    double approximation_translation;
} snt__deskew_sizes;

struct snt_deskew {
    snt_allocator allocator;
    snt_deskew_config config;
    snt__deskew_kernel kernel;

    /* one scan */
    uint32_t ready;
    snt_deskew_scan scan;
    snt_time origin_ns; /* zero of int32 times */
    snt_time reference_ns;
    snt_time known_begin_ns, known_end_ns; /* of the motion; infinite for a twist */
    snt_time eval_begin_ns, eval_end_ns;   /* what segments cover, within the scan */
    snt_pose moving_sensor;                /* T_moving_sensor */
    snt_pose output_fixed;                 /* T_output_fixed */
    uint32_t piece_count;
    uint32_t knots;
    uint32_t holes;
    uint32_t flags;        /* SNT_DESKEW_PLAN_* */
    uint32_t interpolated; /* knots stand for a smooth motion: interpolation has an error */
    uint32_t from_rates;   /* integrated from rates */
    double max_speed, max_rate;
    double knot_spacing_s; /* greatest within reach */
    double
        sample_gap_s; /* greatest between the samples that the knots were interpolated from; 0 = knots are samples */
    double estimated_acceleration, estimated_angular_acceleration;
    snt__deskew_sizes sizes;

    snt__deskew_table table;
    snt__deskew_piece *pieces;
    snt__deskew_segment *segments;
    int32_t *begin;
    int32_t *mid;
    uint16_t *slot;
    snt__deskew_tile *tiles;
};

/* a − b in seconds; far apart it is merely far. */
static inline double snt__deskew_seconds(snt_time a, snt_time b)
{
    if ((b < 0 && a > INT64_MAX + b) || (b > 0 && a < INT64_MIN + b))
        return (double)a * 1e-9 - (double)b * 1e-9;
    return (double)(a - b) * 1e-9;
}

/* a − b, saturated. */
static inline int64_t snt__deskew_sub_sat(snt_time a, snt_time b)
{
    if (b < 0 && a > INT64_MAX + b)
        return INT64_MAX;
    if (b > 0 && a < INT64_MIN + b)
        return INT64_MIN;
    return a - b;
}

static inline int64_t snt__deskew_add_sat(snt_time a, snt_duration b)
{
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b)
        return INT64_MIN;
    return a + b;
}

/* motion.c: index of the piece that tells the pose at t, and T_fixed_moving from it. */
uint32_t snt__deskew_piece_at(const snt_deskew *plan, snt_time t);
void snt__deskew_piece_pose(const snt__deskew_piece *piece, snt_time t, snt_pose *out);
/* T_output_sensor at t, of the exact motion. */
void snt__deskew_pose_at(const snt_deskew *plan, snt_time t, snt_pose *out);

/* plan.c: check a scan and begin a plan; then, with the pieces in place, finish it. */
snt_status snt__deskew_plan_begin(snt_deskew *plan, const snt_deskew_scan *scan);
snt_status snt__deskew_plan_finish(snt_deskew *plan);

/* plan.c: with n poses at increasing times in the pieces, make them a motion and finish. */
snt_status snt__deskew_connect_knots(snt_deskew *plan, uint32_t n, bool screw);

/* segments.c: cut [eval_begin, eval_end] into polynomials. */
snt_status snt__deskew_build_segments(snt_deskew *plan);

/* Is t (int32, from the origin) inside a hole? Only asked where the plan has any. */
/* plan.c: a knot interval of the motion: its width, and whether it is a hole. */
void snt__deskew_note_gap(snt_deskew *plan, snt__deskew_piece *piece, snt_time next);

bool snt__deskew_in_hole(const snt_deskew *plan, snt_time t);

#endif
