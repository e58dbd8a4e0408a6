/* SPDX-License-Identifier: BSD-3-Clause */
/* Simple paths between two clocks, fewest edges first. Graphs of clocks are small and nearly trees. */
#include "graph.h"

enum { GRAPH_FAR = 255, GRAPH_STEPS = 4096, GRAPH_DOMAINS = 2 * SNT__GRAPH_MAX_EDGES };

typedef struct graph_walk {
    const snt__graph_version *version;
    snt__graph_paths *out;
    uint32_t to;
    uint32_t max_paths;
    uint32_t length; /* of the paths looked for in this round */
    uint32_t steps;  /* left */
    bool deeper;     /* a longer path may exist */
    uint32_t depth;
    uint32_t nodes[SNT_CLOCK_GRAPH_HOPS + 1];
    uint16_t edges[SNT_CLOCK_GRAPH_HOPS];
    uint8_t distance[GRAPH_DOMAINS]; /* edges from there to the goal */
} graph_walk;

/* Breadth first from the goal: what cannot be reached in time is not tried. */
static void graph_distances(graph_walk *walk)
{
    const snt__graph_version *version = walk->version;
    memset(walk->distance, GRAPH_FAR, version->domain_count);
    walk->distance[walk->to] = 0;
    bool changed = true;
    for (uint8_t round = 0; changed && round < SNT_CLOCK_GRAPH_HOPS; round++) {
        changed = false;
        for (uint32_t i = 0; i < version->count; i++) {
            const uint32_t a = version->edges[i].from_index, b = version->edges[i].to_index;
            if (walk->distance[a] == round && walk->distance[b] == GRAPH_FAR) {
                walk->distance[b] = (uint8_t)(round + 1);
                changed = true;
            } else if (walk->distance[b] == round && walk->distance[a] == GRAPH_FAR) {
                walk->distance[a] = (uint8_t)(round + 1);
                changed = true;
            }
        }
    }
}

static bool graph_visited(const graph_walk *walk, uint32_t node)
{
    for (uint32_t i = 0; i <= walk->depth; i++)
        if (walk->nodes[i] == node)
            return true;
    return false;
}

static void graph_found(graph_walk *walk)
{
    snt__graph_paths *out = walk->out;
    if (out->count == walk->max_paths) {
        out->truncated = true;
        return;
    }
    snt__graph_path *path = &out->list[out->count++];
    path->count = walk->depth;
    memcpy(path->edges, walk->edges, walk->depth * sizeof *path->edges);
}

/* The node across an edge, or UINT32_MAX if the edge does not touch `node`. */
static uint32_t graph_across(const snt__graph_edge *edge, uint32_t node)
{
    if (edge->from_index == node)
        return edge->to_index;
    return edge->to_index == node ? edge->from_index : UINT32_MAX;
}

/* Recursion is at most SNT_CLOCK_GRAPH_HOPS deep. */
static void graph_extend(graph_walk *walk)
{
    const uint32_t node = walk->nodes[walk->depth];
    if (node == walk->to) {
        if (walk->depth == walk->length)
            graph_found(walk);
        return;
    }
    if (walk->out->truncated || walk->steps == 0) {
        walk->out->truncated = true;
        return;
    }
    walk->steps--;
    for (uint32_t i = 0; i < walk->version->count; i++) {
        const uint32_t next = graph_across(&walk->version->edges[i], node);
        if (next == UINT32_MAX || walk->distance[next] == GRAPH_FAR || graph_visited(walk, next))
            continue;
        if (walk->depth + 1 + walk->distance[next] > walk->length) {
            walk->deeper = true;
            continue;
        }
        walk->edges[walk->depth] = (uint16_t)i;
        walk->nodes[++walk->depth] = next;
        graph_extend(walk);
        walk->depth--;
    }
}

void snt__graph_search(const snt__graph_version *version, uint32_t from_index, uint32_t to_index,
                       uint32_t max_paths, snt__graph_paths *out)
{
    graph_walk walk;
    walk.version = version;
    walk.out = out;
    walk.to = to_index;
    walk.max_paths = max_paths;
    walk.steps = GRAPH_STEPS;
    walk.nodes[0] = from_index;
    out->count = 0;
    out->truncated = false;
    graph_distances(&walk);
    if (walk.distance[from_index] == GRAPH_FAR)
        return;
    for (walk.length = walk.distance[from_index]; walk.length <= SNT_CLOCK_GRAPH_HOPS; walk.length++) {
        walk.depth = 0;
        walk.deeper = false;
        graph_extend(&walk);
        if (!walk.deeper || out->truncated)
            return;
    }
    out->truncated = true; /* a path of more hops may exist */
}
