/* SPDX-License-Identifier: BSD-3-Clause */
/* What the reading of points and the conclusions from it share. */
#ifndef SNT_LIB_AUDIT_POINT_STATE_H
#define SNT_LIB_AUDIT_POINT_STATE_H

#include "point_pass.h"

/* Everything that runs along while the points are read once. */
typedef struct snt__pass_state {
    snt__point_room *room;
    const snt_cloud *cloud;
    const snt__point_wish *wish;
    snt_point_stats *out;
    int64_t base;     /* zero of relative times */
    int64_t previous; /* last usable time, valid if out->timed */
    snt__point_steps steps;
    uint64_t kept; /* times held in the room */
    bool keep;     /* the room holds them all */
    bool has_time, has_ring, unsigned_ns, relative;
    uint32_t last_ring;
    uint64_t ring_runs, untracked;
} snt__pass_state;

static inline bool snt__pass_usable(int64_t t)
{
    return t > -SNT__POINT_TIME_LIMIT && t < SNT__POINT_TIME_LIMIT;
}

/* First and only reading of every point. */
void snt__pass_read(snt__pass_state *p);

/* A second look at the times: where they are kept, or decoded once more. */
typedef void (*snt__pass_visit)(snt__pass_state *p, const int64_t *times, uint64_t count, void *context);
void snt__pass_again(snt__pass_state *p, snt__pass_visit visit, void *context);

#endif
