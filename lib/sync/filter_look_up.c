/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a held sample hangs, what a look-up of its transforms gives, and who is woken when an edge grew. */
#include "filter_internal.h"

snt_tf_result *snt__filter_results(const snt_message_filter *f, uint32_t index)
{
    return f->results + (size_t)index * 2 * f->max_targets;
}

/* ------------------------------------------------------------------------------------------- lists and heap */

void snt__filter_hold(snt_message_filter *f, uint32_t index)
{
    snt__filter_slot *slot = &f->slots[index];
    slot->previous = f->held_tail;
    slot->next = SNT__FILTER_NONE;
    if (f->held_tail != SNT__FILTER_NONE)
        f->slots[f->held_tail].next = index;
    else
        f->held_head = index;
    f->held_tail = index;
}

void snt__filter_let_go(snt_message_filter *f, uint32_t index)
{
    const snt__filter_slot *slot = &f->slots[index];
    if (slot->previous != SNT__FILTER_NONE)
        f->slots[slot->previous].next = slot->next;
    else
        f->held_head = slot->next;
    if (slot->next != SNT__FILTER_NONE)
        f->slots[slot->next].previous = slot->previous;
    else
        f->held_tail = slot->previous;
}

static bool filter_earlier(const snt_message_filter *f, uint32_t a, uint32_t b)
{
    const snt__filter_slot *x = &f->slots[a], *y = &f->slots[b];
    if (!(f->flags & SNT_FILTER_STRICT_FIFO) && x->sample.t0_ns != y->sample.t0_ns)
        return x->sample.t0_ns < y->sample.t0_ns;
    return x->order < y->order;
}

static void filter_place(snt_message_filter *f, uint32_t at, uint32_t index)
{
    f->ready[at] = index;
    f->slots[index].heap_at = at;
}

static void filter_sift(snt_message_filter *f, uint32_t at, uint32_t index)
{
    while (at && filter_earlier(f, index, f->ready[(at - 1) / 2])) {
        filter_place(f, at, f->ready[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (uint32_t child; (child = 2 * at + 1) < f->ready_count; at = child) {
        if (child + 1 < f->ready_count && filter_earlier(f, f->ready[child + 1], f->ready[child]))
            child++;
        if (!filter_earlier(f, f->ready[child], index))
            break;
        filter_place(f, at, f->ready[child]);
    }
    filter_place(f, at, index);
}

void snt__filter_unready(snt_message_filter *f, uint32_t index)
{
    const uint32_t at = f->slots[index].heap_at, last = f->ready[--f->ready_count];
    if (last != index)
        filter_sift(f, at, last);
}

/* --------------------------------------------------------------------------------------------- outcomes */

void snt__filter_unwait(snt_message_filter *f, uint32_t index)
{
    snt__filter_unlink(f, 2 * index);
    snt__filter_unlink(f, 2 * index + 1);
}

void snt__filter_make_ready(snt_message_filter *f, uint32_t index)
{
    snt__filter_slot *slot = &f->slots[index];
    slot->state = SNT__FILTER_READY;
    slot->released = f->now;
    if (slot->added != SNT_UNKNOWN && f->now != SNT_UNKNOWN &&
        snt__filter_sub(f->now, slot->added) > f->longest_wait)
        f->longest_wait = snt__filter_sub(f->now, slot->added);
    filter_sift(f, f->ready_count++, index);
}

/* The sample leaves without transform. It is in no list and no heap any more. */
void snt__filter_drop(snt_message_filter *f, uint32_t index, uint32_t reason, uint32_t cause)
{
    snt__filter_slot *slot = &f->slots[index];
    slot->state = SNT__FILTER_DROPPED;
    slot->reason = reason;
    slot->cause = cause;
    slot->next = SNT__FILTER_NONE;
    f->dropped[reason]++;
    if (f->drop_count++)
        f->slots[f->drop_tail].next = index;
    else
        f->drop_head = index;
    f->drop_tail = index;
    slot->released = f->now;
}

void snt__filter_drop_held(snt_message_filter *f, uint32_t index, uint32_t reason, uint32_t cause)
{
    if (f->slots[index].state == SNT__FILTER_WAITING) {
        snt__filter_unwait(f, index);
        f->waiting--;
    } else
        snt__filter_unready(f, index);
    snt__filter_let_go(f, index);
    snt__filter_drop(f, index, reason, cause);
}

/* ---------------------------------------------------------------------------------------------- looking up */

static snt_status filter_ask(const snt_message_filter *f, snt__filter_slot *slot, snt_frame target,
                             snt_time t, snt_tf_result *result)
{
    snt_tf_question question;
    snt_tf_question_init(&question, sizeof question);
    question.when = SNT_TF_AT;
    question.t = t;
    question.domain = slot->sample.domain;
    const uint32_t both = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
    if ((slot->sample.flags & both) == both)
        question.err_ns =
            slot->sample.err_lo_ns > slot->sample.err_hi_ns ? slot->sample.err_lo_ns : slot->sample.err_hi_ns;
    snt_status status = SNT_BUSY;
    for (int attempt = 0; attempt < 4 && status == SNT_BUSY; attempt++)
        status = snt_tf_buffer_ask(f->buffer, target, slot->source, &question, result, &slot->miss);
    return status;
}

/* One target: the latest time first, since it is what is usually missing. */
static snt_status filter_try_target(const snt_message_filter *f, snt__filter_slot *slot, snt_frame target,
                                    snt_tf_result *results)
{
    const snt_sample *sample = &slot->sample;
    snt_status status = SNT_OK;
    if (slot->tolerance > 0)
        status = filter_ask(f, slot, target, snt__filter_plus(sample->t1_ns, slot->tolerance), NULL);
    if (status == SNT_OK)
        status = filter_ask(f, slot, target, sample->t1_ns, &results[1]);
    if (status == SNT_OK && sample->t0_ns != sample->t1_ns)
        status = filter_ask(f, slot, target, sample->t0_ns, &results[0]);
    else if (status == SNT_OK)
        results[0] = results[1];
    if (status == SNT_OK && slot->tolerance < 0)
        status = filter_ask(f, slot, target, snt__filter_plus(sample->t0_ns, slot->tolerance), NULL);
    return status;
}

/* What a miss means for good; 0 = waiting may help. */
uint32_t snt__filter_reason_of(const snt_tf_miss *miss)
{
    switch (miss->reason) {
    case SNT_TF_MISS_UNKNOWN_FRAME:
        return SNT_DROP_NO_FRAME;
    case SNT_TF_MISS_PAST:
        return SNT_DROP_TOO_OLD;
    case SNT_TF_MISS_CLOCK:
        return SNT_DROP_CLOCK_MISMATCH;
    case SNT_TF_MISS_DOMAIN:
        return SNT_DROP_WRONG_DOMAIN;
    case SNT_TF_MISS_CYCLE:
    case SNT_TF_MISS_DEPTH:
        return SNT_DROP_NOT_CONNECTED;
    default:
        return miss->permanent ? SNT_DROP_TOO_OLD : 0;
    }
}

/* The root cause behind an overflow, a timeout or an expiry. */
uint32_t snt__filter_cause_of(const snt_tf_miss *miss)
{
    return miss->reason == SNT_TF_MISS_NOT_CONNECTED ? (uint32_t)SNT_DROP_NOT_CONNECTED
                                                     : snt__filter_reason_of(miss);
}

void snt__filter_wait_for(snt_message_filter *f, uint32_t index)
{
    const snt_tf_miss *miss = &f->slots[index].miss;
    switch (miss->reason) {
    case SNT_TF_MISS_NOT_CONNECTED: /* whichever root gets a parent */
        snt__filter_link(f, 2 * index, miss->root_source, INT64_MIN);
        if (miss->root_target != miss->root_source)
            snt__filter_link(f, 2 * index + 1, miss->root_target, INT64_MIN);
        break;
    case SNT_TF_MISS_FUTURE:
    case SNT_TF_MISS_NO_DATA:
        snt__filter_link(f, 2 * index, miss->child, miss->asked);
        break;
    case SNT_TF_MISS_BUSY:
    case SNT_TF_MISS_NONE: /* no target yet, or try again at the next call */
        snt__filter_link(f, 2 * index, 0, INT64_MIN);
        break;
    default: /* a gap, another session: the edge's next sample may change it */
        snt__filter_link(f, 2 * index, miss->child,
                         miss->newest == SNT_UNKNOWN || miss->newest == INT64_MAX ? INT64_MIN
                                                                                  : miss->newest + 1);
    }
}

/* SNT_OK: all results are there. Else the slot's miss says why not. */
snt_status snt__filter_look_up(snt_message_filter *f, uint32_t index)
{
    snt__filter_slot *slot = &f->slots[index];
    snt_tf_result *results = snt__filter_results(f, index);
    slot->miss.reason = SNT_TF_MISS_NONE;
    if (!f->target_count)
        return SNT_PENDING;
    f->looked_up++;
    for (uint32_t k = 0; k < f->target_count; k++) {
        const snt_status status = filter_try_target(f, slot, f->targets[k], results + (size_t)2 * k);
        if (status != SNT_OK) {
            slot->target = f->targets[k];
            if (status == SNT_BUSY)
                slot->miss.reason = SNT_TF_MISS_BUSY;
            return status;
        }
    }
    slot->target = f->targets[0];
    slot->miss.reason = SNT_TF_MISS_NONE;
    return SNT_OK;
}

/* A waiting sample whose edge grew, or whose settings changed; its nodes are unlinked. */
void snt__filter_settle(snt_message_filter *f, uint32_t index)
{
    const snt_status status = snt__filter_look_up(f, index);
    if (status == SNT_OK) {
        f->waiting--;
        snt__filter_make_ready(f, index);
        return;
    }
    const uint32_t reason = snt__filter_reason_of(&f->slots[index].miss);
    if (!reason) {
        snt__filter_wait_for(f, index);
        return;
    }
    f->waiting--;
    snt__filter_let_go(f, index);
    snt__filter_drop(f, index, reason, 0);
}

/* All whose need is met by `newest` on this edge. Collected first: one that stays blocked must not be seen twice. */
void snt__filter_wake(snt_message_filter *f, uint32_t edge, snt_time newest)
{
    const snt_frame child = f->edges[edge].child;
    uint32_t work = SNT__FILTER_NONE;
    do {
        const uint32_t node = f->edges[edge].root;
        if (f->nodes[node].need > newest)
            break;
        const uint32_t index = node / 2;
        snt__filter_unwait(f, index);
        f->slots[index].work = work;
        work = index;
        edge = snt__filter_find_edge(f, child);
    } while (edge != SNT__FILTER_NONE);
    while (work != SNT__FILTER_NONE) {
        const uint32_t index = work;
        work = f->slots[index].work;
        snt__filter_settle(f, index);
    }
}

/* Edge 0 holds those to be tried again. */
void snt__filter_retry(snt_message_filter *f)
{
    const uint32_t edge = snt__filter_find_edge(f, 0);
    if (edge != SNT__FILTER_NONE && f->target_count)
        snt__filter_wake(f, edge, INT64_MAX);
}

void snt__filter_scan(snt_message_filter *f)
{
    for (uint32_t i = f->edge_count; i-- > 0;) {
        if (i >= f->edge_count) /* edges vanished meanwhile */
            continue;
        const snt__filter_edge *edge = &f->edges[i];
        if (!edge->child)
            continue;
        snt_time newest = INT64_MAX;
        const snt_status status = snt_tf_buffer_newest(f->buffer, edge->child, &newest);
        /* a removed frame never comes back: those who hang there learn it now */
        if ((status == SNT_OK && f->nodes[edge->root].need <= newest) || status == SNT_ERR_NOT_FOUND)
            snt__filter_wake(f, i, newest);
    }
}
