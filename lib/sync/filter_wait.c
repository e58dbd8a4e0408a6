/* SPDX-License-Identifier: BSD-3-Clause */
/* Who hangs on which edge: a table of edges, each with a pairing heap by need stamp. */
#include "filter_internal.h"

static uint32_t wait_hash(const snt_message_filter *f, snt_frame child)
{
    return (uint32_t)((child * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & f->table_mask;
}

/* Index into edges, or NONE. */
uint32_t snt__filter_find_edge(const snt_message_filter *f, snt_frame child)
{
    for (uint32_t at = wait_hash(f, child);; at = (at + 1) & f->table_mask) {
        const uint32_t edge = f->table[at];
        if (edge == SNT__FILTER_NONE || f->edges[edge].child == child)
            return edge;
    }
}

static uint32_t wait_add_edge(snt_message_filter *f, snt_frame child)
{
    uint32_t at = wait_hash(f, child);
    while (f->table[at] != SNT__FILTER_NONE)
        at = (at + 1) & f->table_mask;
    const uint32_t edge = f->edge_count++;
    f->table[at] = edge;
    f->edges[edge] = (snt__filter_edge){child, SNT__FILTER_NONE, at};
    return edge;
}

/* Close the hole in the table by moving back what probing put behind it; then fill the hole in the array. */
static void wait_remove_edge(snt_message_filter *f, uint32_t edge)
{
    uint32_t hole = f->edges[edge].bucket, at = hole;
    for (;;) {
        at = (at + 1) & f->table_mask;
        const uint32_t other = f->table[at];
        if (other == SNT__FILTER_NONE)
            break;
        const uint32_t home = wait_hash(f, f->edges[other].child);
        if (((at - home) & f->table_mask) < ((at - hole) & f->table_mask))
            continue; /* it may not move before its home */
        f->table[hole] = other;
        f->edges[other].bucket = hole;
        hole = at;
    }
    f->table[hole] = SNT__FILTER_NONE;
    const uint32_t last = --f->edge_count;
    if (last != edge) {
        f->edges[edge] = f->edges[last];
        f->table[f->edges[edge].bucket] = edge;
    }
}

static uint32_t wait_meld(snt_message_filter *f, uint32_t a, uint32_t b)
{
    if (a == SNT__FILTER_NONE)
        return b;
    if (b == SNT__FILTER_NONE)
        return a;
    if (f->nodes[b].need < f->nodes[a].need) {
        const uint32_t swap = a;
        a = b;
        b = swap;
    }
    snt__filter_node *parent = &f->nodes[a], *child = &f->nodes[b];
    child->next = parent->first;
    if (parent->first != SNT__FILTER_NONE)
        f->nodes[parent->first].previous = b;
    child->previous = a;
    parent->first = b;
    return a;
}

/* Two passes: meld siblings pairwise, then all pairs into one. */
static uint32_t wait_meld_children(snt_message_filter *f, uint32_t first)
{
    uint32_t pairs = SNT__FILTER_NONE, root = SNT__FILTER_NONE;
    while (first != SNT__FILTER_NONE) {
        const uint32_t a = first, b = f->nodes[a].next;
        const uint32_t rest = b != SNT__FILTER_NONE ? f->nodes[b].next : SNT__FILTER_NONE;
        f->nodes[a].next = f->nodes[a].previous = SNT__FILTER_NONE;
        if (b != SNT__FILTER_NONE)
            f->nodes[b].next = f->nodes[b].previous = SNT__FILTER_NONE;
        const uint32_t pair = wait_meld(f, a, b);
        f->nodes[pair].next = pairs;
        pairs = pair;
        first = rest;
    }
    while (pairs != SNT__FILTER_NONE) {
        const uint32_t pair = pairs;
        pairs = f->nodes[pair].next;
        f->nodes[pair].next = f->nodes[pair].previous = SNT__FILTER_NONE;
        root = wait_meld(f, root, pair);
    }
    return root;
}

void snt__filter_link(snt_message_filter *f, uint32_t index, snt_frame child, snt_time need)
{
    snt__filter_node *node = &f->nodes[index];
    *node = (snt__filter_node){child, need, SNT__FILTER_NONE, SNT__FILTER_NONE, SNT__FILTER_NONE, 1};
    uint32_t edge = snt__filter_find_edge(f, child);
    if (edge == SNT__FILTER_NONE)
        edge = wait_add_edge(f, child);
    f->edges[edge].root = wait_meld(f, f->edges[edge].root, index);
}

void snt__filter_unlink(snt_message_filter *f, uint32_t index)
{
    snt__filter_node *node = &f->nodes[index];
    if (!node->linked)
        return;
    node->linked = 0;
    const uint32_t edge = snt__filter_find_edge(f, node->child);
    const uint32_t below = wait_meld_children(f, node->first);
    if (f->edges[edge].root == index)
        f->edges[edge].root = below;
    else {
        snt__filter_node *before = &f->nodes[node->previous];
        if (before->first == index)
            before->first = node->next;
        else
            before->next = node->next;
        if (node->next != SNT__FILTER_NONE)
            f->nodes[node->next].previous = node->previous;
        f->edges[edge].root = wait_meld(f, f->edges[edge].root, below);
    }
    if (f->edges[edge].root == SNT__FILTER_NONE)
        wait_remove_edge(f, edge);
}
