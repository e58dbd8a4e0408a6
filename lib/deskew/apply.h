/* SPDX-License-Identifier: BSD-3-Clause */
/* One application of a plan to a range of points, block by block. */
#ifndef SNT_LIB_DESKEW_APPLY_H
#define SNT_LIB_DESKEW_APPLY_H

#include "plan.h"

typedef struct snt__deskew_axis {
    const unsigned char *in; /* first element of the cloud */
    unsigned char *out;
    ptrdiff_t in_stride, out_stride;
    bool in_double, out_double, in_swapped, out_swapped;
} snt__deskew_axis;

/* How the coordinates lie, from fastest to most general. */
enum {
    SNT__DESKEW_SHAPE_SOA = 0,     /* three float arrays, packed and aligned */
    SNT__DESKEW_SHAPE_AOS = 1,     /* three floats side by side in records */
    SNT__DESKEW_SHAPE_VECTORS = 2, /* three doubles side by side and nothing else */
    SNT__DESKEW_SHAPE_ANY = 3
};

/* Where times come from. */
enum {
    SNT__DESKEW_FROM_FIELD = 0, /* a plain field the kernels convert */
    SNT__DESKEW_FROM_ANY = 1,   /* any other field, by snt_cloud_times */
    SNT__DESKEW_FROM_TABLE = 2,
    SNT__DESKEW_FROM_AZIMUTH = 3
};

typedef struct snt__deskew_job {
    const snt_deskew *plan;
    const snt_cloud *in;
    snt__deskew_axis axis[3];
    uint32_t shape;
    uint32_t aos_flags;
    uint32_t block; /* points at a time, a multiple of 64 */
    uint32_t time_source;
    snt__deskew_clock clock;
    snt_deskew_times times;
    snt_deskew_options options;
    const unsigned char *copy_from; /* whole records to copy, or NULL */
    unsigned char *copy_to;
    size_t copy_step;
    /* int32 ns from the plan's origin, all inclusive */
    int32_t scan_low, scan_high;   /* the scan */
    int32_t known_low, known_high; /* motion known, within the scan */
    int32_t eval_low, eval_high;   /* what segments cover */
    snt_deskew_report report;
    int32_t low, high;   /* of the points within the scan so far; low > high = none */
    int32_t first, last; /* valid times in array order; SNT__DESKEW_NO_TIME = none yet */
} snt__deskew_job;

/* What the policies make of a block that is not entirely calm. Indices within the block. */
typedef struct snt__deskew_verdict {
    uint8_t flags[SNT__DESKEW_BLOCK];
    uint8_t keep[SNT__DESKEW_BLOCK], drop[SNT__DESKEW_BLOCK];
    uint32_t keep_count, drop_count;
    snt_status fails; /* a policy says so */
} snt__deskew_verdict;

/* apply.c: a caller's times with defaults. */
snt_status snt__deskew_times_take(const snt_deskew_times *given, snt_deskew_times *out);

/* point_times.c: choose how times are read, and read a block: t and its least and greatest. */
snt_status snt__deskew_times_prepare(snt__deskew_job *job);
void snt__deskew_times_read(const snt__deskew_job *job, uint64_t first, size_t n, int32_t *t,
                            int32_t range[2]);

/* coordinates.c: choose how coordinates are moved; move, save, restore or drop points of a block. */
snt_status snt__deskew_coordinates_prepare(snt__deskew_job *job, const snt_cloud *out);
void snt__deskew_coordinates_move(const snt__deskew_job *job, uint64_t first, size_t n, bool last,
                                  const int32_t *t, uint64_t moved[SNT__DESKEW_WORDS]);
void snt__deskew_coordinates_load(const snt__deskew_axis *axis, uint64_t i, unsigned char value[8]);
void snt__deskew_coordinates_restore(const snt__deskew_axis *axis, uint64_t i, const unsigned char value[8]);
void snt__deskew_coordinates_drop(const snt__deskew_axis *axis, uint64_t i);
double snt__deskew_coordinate(const snt__deskew_axis *axis, uint64_t i);

/* judge.c: apply the policies to a block's times; t is changed to what the kernel may use. */
void snt__deskew_judge(const snt__deskew_job *job, int32_t *t, size_t n, snt__deskew_verdict *verdict);

#endif
