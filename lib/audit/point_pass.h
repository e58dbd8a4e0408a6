/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass over a cloud's points: all that their times, rings and order say, in memory lent by the auditor. */
#ifndef SNT_LIB_AUDIT_POINT_PASS_H
#define SNT_LIB_AUDIT_POINT_PASS_H

#include "../base/memory.h"

#include "sensortime/scan_audit.h"

enum { SNT__POINT_CHUNK = 512, SNT__GAP_BUCKET_BITS = 13, SNT__GAP_BUCKETS = 1 << SNT__GAP_BUCKET_BITS };

/* Times closer to the ends of int64 than this count as invalid, so that differences cannot overflow. */
#define SNT__POINT_TIME_LIMIT (INT64_C(1) << 62)

typedef struct snt__ring_state {
    int64_t last;     /* time of the latest point of this scan */
    uint32_t scan;    /* pass that last saw the ring */
    uint32_t points;  /* in that pass */
    uint32_t jumps;   /* steps back in that pass, held to 32 bits */
    uint32_t present; /* scans in which it had points; kept by the auditor */
} snt__ring_state;

/* Least and greatest of what fell into it, as distances from the earliest time. */
typedef struct snt__gap_bucket {
    uint64_t lo, hi, count;
} snt__gap_bucket;

/* Room for exact largest gaps and quantiles. */
typedef struct snt__gap_room {
    int64_t *times; /* scratch_points of them: the scan's usable times */
    int64_t *other; /* as many */
    uint64_t capacity;
    uint32_t used; /* buckets in use */
    uint32_t reserved;
    snt__gap_bucket buckets[SNT__GAP_BUCKETS];
} snt__gap_room;

typedef struct snt__point_room {
    snt__gap_room gap;
    snt__ring_state *rings;
    uint32_t max_rings;
    uint32_t pass; /* number of the present pass, to see which ring states are of it */
    int64_t chunk[SNT__POINT_CHUNK];
} snt__point_room;

typedef struct snt__point_wish {
    int64_t period_ns; /* 0 = not known */
    int64_t large_gap_ns;
    int64_t min_duration_ns, max_duration_ns; /* what is believable */
} snt__point_wish;

/* The whole pass. The cloud has been checked. */
void snt__point_pass(snt__point_room *room, const snt_cloud *cloud, const snt__point_wish *wish,
                     snt_point_stats *out);

/* --- point_steps.c --- */

typedef struct snt__point_steps {
    int64_t min, max;           /* of the times */
    int64_t min_step, max_step; /* of their differences; from the caller's start value */
    uint64_t back, equal, large;
} snt__point_steps;

/* How many times lie where, and how often they start over. */
typedef struct snt__point_counts {
    int64_t base;      /* zero of relative times */
    int64_t low, high; /* one period about the median */
    int64_t half;      /* a step back longer than this starts over */
    uint64_t zero, negative, beyond, restarts;
} snt__point_counts;

void snt__point_counts_add(const int64_t *times, uint64_t count, snt__point_counts *counts);
/* Extremes of count >= 1 times. */
void snt__point_extremes(const int64_t *times, uint64_t count, int64_t *min, int64_t *max);
/* Differences between neighbours of times[0..count-1]; adds to `steps`, leaves min and max alone. */
void snt__point_steps_add(const int64_t *times, uint64_t count, uint64_t large, snt__point_steps *steps);

/* --- sorted_gap.c --- */

typedef struct snt__gap_result {
    int64_t gap, at; /* longest distance between neighbours in ascending order, and the time it begins */
    int64_t low, median, high; /* quantiles 0.1 %, 50 %, 99.9 %, off by less than a bucket (span/4096) */
} snt__gap_result;

void snt__gap_begin(snt__gap_room *room, int64_t min, int64_t max, uint32_t *shift);
void snt__gap_add(snt__gap_room *room, int64_t min, uint32_t shift, const int64_t *times, uint64_t count);
/* True where the gap is exact; false: it may be longer, by less than a bucket, and the times must be sorted. */
bool snt__gap_end(const snt__gap_room *room, int64_t min, uint32_t shift, uint64_t count,
                  snt__gap_result *out);
/* The exact gap of room->times[0..count-1], which are sorted on the way. O(count). */
void snt__gap_sort(snt__gap_room *room, int64_t min, int64_t max, uint64_t count, snt__gap_result *out);

#endif
