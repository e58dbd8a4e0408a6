/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph as its readers see it: an immutable version. Writers prepare the next one in a spare slot and publish it by
 * storing its number; a reader counts itself in at a slot and then looks whether the slot is still the current one, so a
 * writer that finds a slot neither current nor occupied may overwrite it. Both sides use sequentially consistent operations
 * there: a reader that counted itself in after the writer looked must see that the slot is no longer current.
 */
#ifndef SNT_LIB_CLOCK_GRAPH_H
#define SNT_LIB_CLOCK_GRAPH_H

#include "../base/internal.h"

#include <stdatomic.h>

#include "../base/lock.h"
#include "../base/memory.h"

#include "sensortime/clock_graph.h"

enum { SNT__GRAPH_SLOTS = 4, SNT__GRAPH_ATTEMPTS = 64, SNT__GRAPH_MAX_EDGES = 256 };

typedef struct snt__graph_edge {
    uint32_t id;
    uint32_t kind; /* SNT_EDGE_* */
    uint32_t from; /* domains */
    uint32_t to;
    uint32_t from_index; /* of the domains in the version's list */
    uint32_t to_index;
    union {
        snt_clock_fact fact; /* OFFSET as well: without drift and always valid */
        const snt_clock_map *map;
        snt_clock_mapping mapping;
    } as;
} snt__graph_edge;

typedef struct snt__graph_version {
    uint32_t count;
    uint32_t domain_count;
    uint32_t next_id;
    snt_leap_table leap;
    snt__graph_edge *edges; /* max_edges */
    uint32_t *domains;      /* 2·max_edges */
} snt__graph_version;

struct snt_clock_graph {
    snt_allocator allocator;
    uint32_t max_edges;
    uint32_t max_paths;
    snt__lock lock; /* writers only */
    _Atomic uint32_t *current;
    _Atomic uint32_t *readers; /* SNT__GRAPH_SLOTS of them */
    snt__graph_version versions[SNT__GRAPH_SLOTS];
};

/* The current version, held until ::snt__graph_leave; NULL if writers replaced it in every attempt. */
const snt__graph_version *snt__graph_enter(const snt_clock_graph *graph, uint32_t *slot);
void snt__graph_leave(const snt_clock_graph *graph, uint32_t slot);

/* Index of a domain, or UINT32_MAX. */
uint32_t snt__graph_domain(const snt__graph_version *version, uint32_t domain);

/* A time across one edge, forward (from → to) or back. */
snt_status snt__graph_cross(const snt__graph_version *version, const snt__graph_edge *edge, bool forward,
                            const snt_bounded_time *in, snt_bounded_time *out);

/* All simple paths between two domains, fewest edges first. */
typedef struct snt__graph_path {
    uint32_t count;
    uint16_t edges[SNT_CLOCK_GRAPH_HOPS]; /* indices into the version */
} snt__graph_path;

typedef struct snt__graph_paths {
    uint32_t count;
    bool truncated;
    snt__graph_path list[64];
} snt__graph_paths;

void snt__graph_search(const snt__graph_version *version, uint32_t from_index, uint32_t to_index,
                       uint32_t max_paths, snt__graph_paths *out);

#endif
