/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The message filter's inside. A waiting sample hangs, by a need stamp, in the heap of the edge that blocks it; an
 * unconnected one in the heaps of both roots, whichever gets a parent first. Heaps are pairing heaps whose links lie in
 * the slots, so removal on timeout and overflow is cheap and memory is linear in the places.
 */
#ifndef SNT_LIB_FILTER_INTERNAL_H
#define SNT_LIB_FILTER_INTERNAL_H

#include "../base/internal.h"
#include "../base/lock.h"
#include "../base/memory.h"

#include "sensortime/message_filter.h"

#define SNT__FILTER_NONE 0xffffffffu

enum { SNT__FILTER_FREE, SNT__FILTER_WAITING, SNT__FILTER_READY, SNT__FILTER_DROPPED };

/* One place in an edge's heap. Node 2·slot + k is node k of the slot. */
typedef struct snt__filter_node {
    snt_frame child; /* the edge; meaningful while linked */
    snt_time need;
    uint32_t first, next, previous; /* pairing heap: first child, next sibling, previous sibling or parent */
    uint32_t linked;
} snt__filter_node;

typedef struct snt__filter_slot {
    snt_sample sample;
    uint64_t order;
    snt_frame source, target;
    int64_t added, tolerance, released, age;
    uint32_t state, reason, cause, session;
    uint32_t previous, next; /* held ones in order of arrival; free and dropped lists use next */
    uint32_t heap_at;        /* place in the ready heap */
    uint32_t work;           /* list of those to be looked up */
    snt_tf_miss miss;
} snt__filter_slot;

typedef struct snt__filter_edge {
    snt_frame child;
    uint32_t root;
    uint32_t bucket; /* where the table points to it */
} snt__filter_edge;

struct snt_message_filter {
    snt__lock lock;
    snt_tf_buffer *buffer;
    snt__filter_slot *slots;
    snt__filter_node *nodes;
    snt_tf_result *results; /* 2·max_targets per slot */
    uint32_t *ready;        /* heap of slots */
    snt__filter_edge *edges;
    uint32_t *table; /* hash of child -> edge */
    uint32_t table_mask, edge_count;
    uint32_t slot_count, free_head, drop_head, drop_tail, drop_count;
    uint32_t held_head, held_tail; /* arrival order */
    uint32_t waiting, ready_count, capacity;
    uint32_t overflow, flags, max_targets, target_count, session;
    snt_frame targets[SNT_FILTER_MAX_TARGETS];
    int64_t timeout, max_age, tolerance, now, oldest_stamp;
    uint64_t order, in, out, at_once, looked_up, refused;
    uint64_t dropped[SNT_DROP_COUNT];
    int64_t last_stamp, period, longest_wait;
    snt_epoch *epoch;
    snt_allocator allocator;
};

/* filter_wait.c */
uint32_t snt__filter_find_edge(const snt_message_filter *f, snt_frame child);
void snt__filter_link(snt_message_filter *f, uint32_t node, snt_frame child, snt_time need);
void snt__filter_unlink(snt_message_filter *f, uint32_t node);

/* filter_look_up.c */
snt_tf_result *snt__filter_results(const snt_message_filter *f, uint32_t index);
void snt__filter_hold(snt_message_filter *f, uint32_t index);
void snt__filter_let_go(snt_message_filter *f, uint32_t index);
void snt__filter_unready(snt_message_filter *f, uint32_t index);
void snt__filter_unwait(snt_message_filter *f, uint32_t index);
void snt__filter_make_ready(snt_message_filter *f, uint32_t index);
void snt__filter_drop(snt_message_filter *f, uint32_t index, uint32_t reason, uint32_t cause);
void snt__filter_drop_held(snt_message_filter *f, uint32_t index, uint32_t reason, uint32_t cause);
uint32_t snt__filter_reason_of(const snt_tf_miss *miss);
uint32_t snt__filter_cause_of(const snt_tf_miss *miss);
void snt__filter_wait_for(snt_message_filter *f, uint32_t index);
snt_status snt__filter_look_up(snt_message_filter *f, uint32_t index);
void snt__filter_settle(snt_message_filter *f, uint32_t index);
void snt__filter_wake(snt_message_filter *f, uint32_t edge, snt_time newest);
void snt__filter_retry(snt_message_filter *f);
void snt__filter_scan(snt_message_filter *f);

/* Saturating: an end of the range stands for "never" and "unknown". */
static inline int64_t snt__filter_sub(int64_t a, int64_t b)
{
    return b < 0 && a > INT64_MAX + b ? INT64_MAX : b > 0 && a < INT64_MIN + b ? INT64_MIN : a - b;
}

static inline int64_t snt__filter_plus(int64_t a, int64_t b)
{
    return b > 0 && a > INT64_MAX - b ? INT64_MAX : b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

#endif
