/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking samples up, releasing and dropping them. */
#include "filter_internal.h"

#include "sync_text.h"

_Static_assert(sizeof(snt_filter_release) == 176, "frozen");
_Static_assert(sizeof(snt_filter_drop) == 344, "frozen");
_Static_assert(sizeof(snt_filter_stats) == 272, "frozen");

static int64_t filter_sub(int64_t a, int64_t b)
{
    return b < 0 && a > INT64_MAX + b ? INT64_MAX : b > 0 && a < INT64_MIN + b ? INT64_MIN : a - b;
}

static int64_t filter_plus(int64_t a, int64_t b)
{
    return b > 0 && a > INT64_MAX - b ? INT64_MAX : b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

static snt_tf_result *filter_results(const snt_message_filter *f, uint32_t index)
{
    return f->results + (size_t)index * 2 * f->max_targets;
}

/* ------------------------------------------------------------------------------------------- lists and heap */

static void filter_hold(snt_message_filter *f, uint32_t index)
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

static void filter_let_go(snt_message_filter *f, uint32_t index)
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

static void filter_unready(snt_message_filter *f, uint32_t index)
{
    const uint32_t at = f->slots[index].heap_at, last = f->ready[--f->ready_count];
    if (last != index)
        filter_sift(f, at, last);
}

/* --------------------------------------------------------------------------------------------- outcomes */

static void filter_unwait(snt_message_filter *f, uint32_t index)
{
    snt__filter_unlink(f, 2 * index);
    snt__filter_unlink(f, 2 * index + 1);
}

static void filter_make_ready(snt_message_filter *f, uint32_t index)
{
    snt__filter_slot *slot = &f->slots[index];
    slot->state = SNT__FILTER_READY;
    slot->released = f->now;
    if (slot->added != SNT_UNKNOWN && f->now != SNT_UNKNOWN &&
        filter_sub(f->now, slot->added) > f->longest_wait)
        f->longest_wait = filter_sub(f->now, slot->added);
    filter_sift(f, f->ready_count++, index);
}

/* The sample leaves without transform. It is in no list and no heap any more. */
static void filter_drop(snt_message_filter *f, uint32_t index, uint32_t reason, uint32_t cause)
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

static void filter_drop_held(snt_message_filter *f, uint32_t index, uint32_t reason, uint32_t cause)
{
    if (f->slots[index].state == SNT__FILTER_WAITING) {
        filter_unwait(f, index);
        f->waiting--;
    } else
        filter_unready(f, index);
    filter_let_go(f, index);
    filter_drop(f, index, reason, cause);
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
        status = filter_ask(f, slot, target, filter_plus(sample->t1_ns, slot->tolerance), NULL);
    if (status == SNT_OK)
        status = filter_ask(f, slot, target, sample->t1_ns, &results[1]);
    if (status == SNT_OK && sample->t0_ns != sample->t1_ns)
        status = filter_ask(f, slot, target, sample->t0_ns, &results[0]);
    else if (status == SNT_OK)
        results[0] = results[1];
    if (status == SNT_OK && slot->tolerance < 0)
        status = filter_ask(f, slot, target, filter_plus(sample->t0_ns, slot->tolerance), NULL);
    return status;
}

/* What a miss means for good; 0 = waiting may help. */
static uint32_t filter_reason_of(const snt_tf_miss *miss)
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
static uint32_t filter_cause_of(const snt_tf_miss *miss)
{
    return miss->reason == SNT_TF_MISS_NOT_CONNECTED ? (uint32_t)SNT_DROP_NOT_CONNECTED
                                                     : filter_reason_of(miss);
}

static void filter_wait_for(snt_message_filter *f, uint32_t index)
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
static snt_status filter_look_up(snt_message_filter *f, uint32_t index)
{
    snt__filter_slot *slot = &f->slots[index];
    snt_tf_result *results = filter_results(f, index);
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
static void filter_settle(snt_message_filter *f, uint32_t index)
{
    const snt_status status = filter_look_up(f, index);
    if (status == SNT_OK) {
        f->waiting--;
        filter_make_ready(f, index);
        return;
    }
    const uint32_t reason = filter_reason_of(&f->slots[index].miss);
    if (!reason) {
        filter_wait_for(f, index);
        return;
    }
    f->waiting--;
    filter_let_go(f, index);
    filter_drop(f, index, reason, 0);
}

/* All whose need is met by `newest` on this edge. Collected first: one that stays blocked must not be seen twice. */
static void filter_wake(snt_message_filter *f, uint32_t edge, snt_time newest)
{
    const snt_frame child = f->edges[edge].child;
    uint32_t work = SNT__FILTER_NONE;
    do {
        const uint32_t node = f->edges[edge].root;
        if (f->nodes[node].need > newest)
            break;
        const uint32_t index = node / 2;
        filter_unwait(f, index);
        f->slots[index].work = work;
        work = index;
        edge = snt__filter_find_edge(f, child);
    } while (edge != SNT__FILTER_NONE);
    while (work != SNT__FILTER_NONE) {
        const uint32_t index = work;
        work = f->slots[index].work;
        filter_settle(f, index);
    }
}

/* Edge 0 holds those to be tried again. */
static void filter_retry(snt_message_filter *f)
{
    const uint32_t edge = snt__filter_find_edge(f, 0);
    if (edge != SNT__FILTER_NONE && f->target_count)
        filter_wake(f, edge, INT64_MAX);
}

static void filter_scan(snt_message_filter *f)
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
            filter_wake(f, i, newest);
    }
}

/* ---------------------------------------------------------------------------------- time, sessions, overflow */

/* It is to be given up: unless its transforms are there after all. */
static void filter_give_up(snt_message_filter *f, uint32_t index, uint32_t reason)
{
    filter_unwait(f, index);
    if (filter_look_up(f, index) == SNT_OK) {
        f->waiting--;
        filter_make_ready(f, index);
        return;
    }
    f->waiting--;
    filter_let_go(f, index);
    const uint32_t cause = filter_cause_of(&f->slots[index].miss);
    filter_drop(f, index, reason, cause);
}

static void filter_timeouts(snt_message_filter *f)
{
    for (uint32_t i = f->held_head, next; i != SNT__FILTER_NONE; i = next) {
        const snt__filter_slot *slot = &f->slots[i];
        next = slot->next;
        if (slot->added != SNT_UNKNOWN && filter_sub(f->now, slot->added) < f->timeout)
            return; /* those behind it came later */
        if (slot->state == SNT__FILTER_WAITING && slot->added != SNT_UNKNOWN)
            filter_give_up(f, i, SNT_DROP_TIMEOUT);
    }
}

static void filter_ages(snt_message_filter *f, snt_time now_stamp)
{
    if (filter_sub(now_stamp, f->oldest_stamp) <= f->max_age)
        return;
    f->oldest_stamp = INT64_MAX;
    for (uint32_t i = f->held_head, next; i != SNT__FILTER_NONE; i = next) {
        snt__filter_slot *slot = &f->slots[i];
        next = slot->next;
        const int64_t age = filter_sub(now_stamp, slot->sample.t0_ns);
        if (age > f->max_age) {
            slot->age = age;
            const bool waits = slot->state == SNT__FILTER_WAITING;
            filter_drop_held(f, i, SNT_DROP_EXPIRED, waits ? filter_cause_of(&slot->miss) : 0);
        } else if (slot->sample.t0_ns < f->oldest_stamp)
            f->oldest_stamp = slot->sample.t0_ns;
    }
}

static void filter_restart(snt_message_filter *f, uint32_t reason, bool all)
{
    for (uint32_t i = f->held_head, next; i != SNT__FILTER_NONE; i = next) {
        next = f->slots[i].next;
        if (all || f->slots[i].state == SNT__FILTER_WAITING)
            filter_drop_held(f, i, reason, 0);
    }
}

static void filter_enter(snt_message_filter *f, snt_time now)
{
    snt__lock_acquire(&f->lock);
    if (now != SNT_UNKNOWN && (f->now == SNT_UNKNOWN || now > f->now))
        f->now = now;
    if (!f->epoch)
        return;
    const uint32_t session = snt_epoch_session(f->epoch);
    if (session == f->session)
        return;
    filter_restart(f, SNT_DROP_RESET, false);
    f->session = session;
}

/* The slot that may be taken now, or NONE. */
static uint32_t filter_first(const snt_message_filter *f)
{
    if (!f->ready_count)
        return SNT__FILTER_NONE;
    const uint32_t index = f->ready[0];
    return (f->flags & SNT_FILTER_STRICT_FIFO) && index != f->held_head ? SNT__FILTER_NONE : index;
}

static snt_status filter_leave(snt_message_filter *f)
{
    const snt_status status = filter_first(f) != SNT__FILTER_NONE || f->drop_count ? SNT_OK : SNT_PENDING;
    snt__lock_release(&f->lock);
    return status;
}

/* One waits too many; `newest` is the last in the list that waits. */
static void filter_make_room(snt_message_filter *f, uint32_t newest)
{
    uint32_t victim = newest, reason = SNT_DROP_OVERFLOW_NEWEST;
    if (f->overflow != SNT_OVERFLOW_NEWEST) {
        uint32_t skip = f->overflow == SNT_OVERFLOW_KEEP_LONGEST;
        reason = skip ? SNT_DROP_OVERFLOW_YOUNGER : SNT_DROP_OVERFLOW_OLDEST;
        for (victim = f->held_head; victim != newest; victim = f->slots[victim].next)
            if (f->slots[victim].state == SNT__FILTER_WAITING && skip-- == 0)
                break;
    }
    filter_give_up(f, victim, reason);
}

/* -------------------------------------------------------------------------------------------------- adding */

static uint32_t filter_admit(const snt_message_filter *f, const snt_sample *sample, snt_frame source)
{
    if (!source)
        return SNT_DROP_EMPTY_FRAME;
    if (sample->t0_ns == 0 && (f->flags & SNT_FILTER_REFUSE_ZERO))
        return SNT_DROP_ZERO_STAMP;
    if (f->epoch && sample->session && (int32_t)(sample->session - f->session) < 0)
        return SNT_DROP_STRAGGLER;
    return 0;
}

static void filter_observe(snt_message_filter *f, snt_time t)
{
    if (f->last_stamp != SNT_UNKNOWN && t > f->last_stamp) {
        const int64_t gap = filter_sub(t, f->last_stamp);
        f->period = f->period == SNT_UNKNOWN ? gap : f->period + (gap - f->period) / 8;
    }
    if (f->last_stamp == SNT_UNKNOWN || t > f->last_stamp)
        f->last_stamp = t;
    if (t < f->oldest_stamp)
        f->oldest_stamp = t;
}

/* `refusal`: a reason that is known already, 0 = none. */
static snt_status filter_add(snt_message_filter *f, const snt_sample *sample, snt_frame source,
                             uint32_t refusal, int64_t tolerance, bool own_tolerance, snt_time now)
{
    filter_enter(f, now);
    const uint32_t index = f->free_head;
    if (index == SNT__FILTER_NONE) {
        f->refused++;
        snt__lock_release(&f->lock);
        return SNT_ERR_FULL;
    }
    snt__filter_slot *slot = &f->slots[index];
    f->free_head = slot->next;
    slot->sample = *sample;
    slot->order = f->order++;
    slot->source = source;
    slot->target = 0;
    slot->added = now;
    slot->tolerance = own_tolerance ? tolerance : f->tolerance;
    slot->age = SNT_UNKNOWN;
    slot->session = f->session;
    slot->miss.reason = 0;
    f->in++;
    if (!refusal)
        refusal = filter_admit(f, sample, source);
    if (refusal) {
        memset(&slot->miss, 0, sizeof slot->miss);
        filter_drop(f, index, refusal, 0);
        return filter_leave(f);
    }
    filter_observe(f, sample->t0_ns);
    const snt_status status = filter_look_up(f, index);
    const uint32_t reason = status == SNT_OK ? 0 : filter_reason_of(&slot->miss);
    if (reason) {
        filter_drop(f, index, reason, 0);
        return filter_leave(f);
    }
    filter_hold(f, index);
    if (status == SNT_OK) {
        f->at_once++;
        filter_make_ready(f, index);
    } else {
        slot->state = SNT__FILTER_WAITING;
        f->waiting++;
        filter_wait_for(f, index);
        if (f->waiting > f->capacity)
            filter_make_room(f, index);
    }
    return filter_leave(f);
}

static bool filter_sane(const snt_sample *sample)
{
    return sample && sample->t1_ns >= sample->t0_ns;
}

snt_status snt_message_filter_add(snt_message_filter *f, const snt_sample *sample, snt_frame source,
                                  snt_time now)
{
    return f && filter_sane(sample) ? filter_add(f, sample, source, 0, 0, false, now) : SNT_ERR_INVALID_ARG;
}

snt_status snt_message_filter_add_tolerant(snt_message_filter *f, const snt_sample *sample, snt_frame source,
                                           snt_duration tolerance, snt_time now)
{
    return f && filter_sane(sample) ? filter_add(f, sample, source, 0, tolerance, true, now)
                                    : SNT_ERR_INVALID_ARG;
}

snt_status snt_message_filter_add_named(snt_message_filter *f, const snt_sample *sample, const char *source,
                                        snt_time now)
{
    if (!f || !filter_sane(sample) || !source)
        return SNT_ERR_INVALID_ARG;
    snt_frame frame = 0;
    uint32_t refusal = 0;
    if (source[0] && snt_tf_buffer_frame(f->buffer, source, &frame) < 0)
        refusal = source[0] == '/' && !source[1] ? SNT_DROP_EMPTY_FRAME : SNT_DROP_NO_FRAME;
    return filter_add(f, sample, frame, refusal, 0, false, now);
}

/* ------------------------------------------------------------------------------------------------- polling */

snt_status snt_message_filter_poll_edge(snt_message_filter *f, snt_frame child, snt_time newest, snt_time now)
{
    if (!f || !child)
        return SNT_ERR_INVALID_ARG;
    filter_enter(f, now);
    const uint32_t edge = snt__filter_find_edge(f, child);
    if (edge != SNT__FILTER_NONE)
        filter_wake(f, edge, newest);
    return filter_leave(f);
}

static void filter_take(snt_message_filter *f, uint32_t index, snt_time now_stamp,
                        snt_filter_release *release, snt_tf_result *results)
{
    snt__filter_slot *slot = &f->slots[index];
    filter_unready(f, index);
    filter_let_go(f, index);
    memcpy(results, filter_results(f, index), sizeof *results * 2 * f->target_count);
    *release = (snt_filter_release){
        .sample = slot->sample,
        .source = slot->source,
        .target = slot->target,
        .capture_ns = slot->sample.t0_ns,
        .release_ns = slot->released,
        .release_stamp_ns = now_stamp,
        .waited_ns = slot->released != SNT_UNKNOWN && slot->added != SNT_UNKNOWN
                         ? filter_sub(slot->released, slot->added)
                         : SNT_UNKNOWN,
        .age_ns = now_stamp != SNT_UNKNOWN ? filter_sub(now_stamp, slot->sample.t0_ns) : SNT_UNKNOWN,
        .targets = f->target_count,
        .results = 2 * f->target_count,
        .session = slot->session,
        .more = f->ready_count,
        .undrained = f->drop_count};
    slot->state = SNT__FILTER_FREE;
    slot->next = f->free_head;
    f->free_head = index;
    f->out++;
}

snt_status snt_message_filter_poll(snt_message_filter *f, snt_time now, snt_time now_stamp,
                                   snt_filter_release *release, snt_tf_result *results, uint32_t capacity)
{
    if (!f || !release || !results)
        return SNT_ERR_INVALID_ARG;
    filter_enter(f, now);
    if (capacity < 2 * f->target_count) {
        snt__lock_release(&f->lock);
        return SNT_ERR_BUFFER_TOO_SMALL;
    }
    if (f->waiting) {
        if (!(f->flags & SNT_FILTER_NOTIFIED))
            filter_scan(f);
        filter_retry(f);
        if (f->timeout > 0 && now != SNT_UNKNOWN)
            filter_timeouts(f);
    }
    if (f->max_age > 0 && now_stamp != SNT_UNKNOWN && f->held_head != SNT__FILTER_NONE)
        filter_ages(f, now_stamp);
    const uint32_t index = filter_first(f);
    if (index != SNT__FILTER_NONE)
        filter_take(f, index, now_stamp, release, results);
    snt__lock_release(&f->lock);
    return index != SNT__FILTER_NONE ? SNT_OK : SNT_EMPTY;
}

snt_status snt_message_filter_poll_drop(snt_message_filter *f, snt_filter_drop *drop)
{
    if (!f || !drop)
        return SNT_ERR_INVALID_ARG;
    filter_enter(f, SNT_UNKNOWN);
    const uint32_t index = f->drop_head;
    const bool any = f->drop_count != 0;
    if (any) {
        snt__filter_slot *slot = &f->slots[index];
        *drop = (snt_filter_drop){.sample = slot->sample,
                                  .source = slot->source,
                                  .target = slot->target,
                                  .waited_ns = slot->released != SNT_UNKNOWN && slot->added != SNT_UNKNOWN
                                                   ? filter_sub(slot->released, slot->added)
                                                   : SNT_UNKNOWN,
                                  .age_ns = slot->age,
                                  .reason = slot->reason,
                                  .cause = slot->cause,
                                  .session = slot->session,
                                  .miss = slot->miss};
        f->drop_head = slot->next;
        f->drop_count--;
        slot->state = SNT__FILTER_FREE;
        slot->next = f->free_head;
        f->free_head = index;
    }
    snt__lock_release(&f->lock);
    return any ? SNT_OK : SNT_EMPTY;
}

/* ------------------------------------------------------------------------------------------------ settings */

/* Held ones are looked up with the new settings, released ones too: they would carry the old frames. */
static void filter_look_up_all(snt_message_filter *f)
{
    for (uint32_t i = f->held_head, next; i != SNT__FILTER_NONE; i = next) {
        next = f->slots[i].next;
        if (f->slots[i].state == SNT__FILTER_READY) {
            filter_unready(f, i);
            f->slots[i].state = SNT__FILTER_WAITING;
            f->waiting++;
        } else
            filter_unwait(f, i);
        filter_settle(f, i);
    }
    for (uint32_t newest = f->held_tail; f->waiting > f->capacity;) {
        if (f->slots[newest].state == SNT__FILTER_WAITING)
            filter_make_room(f, newest);
        else /* ready, or just made to go */
            newest = f->slots[newest].previous;
    }
}

snt_status snt_message_filter_set_targets(snt_message_filter *f, const snt_frame *targets, uint32_t count)
{
    if (!f || !targets || !count)
        return SNT_ERR_INVALID_ARG;
    if (count > f->max_targets)
        return SNT_ERR_RANGE;
    for (uint32_t i = 0; i < count; i++)
        if (!targets[i])
            return SNT_ERR_INVALID_ARG;
    filter_enter(f, SNT_UNKNOWN);
    memcpy(f->targets, targets, sizeof *targets * count);
    f->target_count = count;
    filter_look_up_all(f);
    snt__lock_release(&f->lock);
    return SNT_OK;
}

snt_status snt_message_filter_set_target_named(snt_message_filter *f, const char *target)
{
    if (!f || !target)
        return SNT_ERR_INVALID_ARG;
    snt_frame frame;
    const snt_status status = snt_tf_buffer_frame(f->buffer, target, &frame);
    return status < 0 ? status : snt_message_filter_set_targets(f, &frame, 1);
}

snt_status snt_message_filter_set_tolerance(snt_message_filter *f, snt_duration tolerance)
{
    if (!f)
        return SNT_ERR_INVALID_ARG;
    filter_enter(f, SNT_UNKNOWN);
    f->tolerance = tolerance;
    for (uint32_t i = f->held_head; i != SNT__FILTER_NONE; i = f->slots[i].next)
        f->slots[i].tolerance = tolerance;
    filter_look_up_all(f);
    snt__lock_release(&f->lock);
    return SNT_OK;
}

snt_status snt_message_filter_clear(snt_message_filter *f)
{
    if (!f)
        return SNT_ERR_INVALID_ARG;
    filter_enter(f, SNT_UNKNOWN);
    filter_restart(f, SNT_DROP_CLEARED, true);
    snt__lock_release(&f->lock);
    return SNT_OK;
}

snt_status snt_message_filter_reset(snt_message_filter *f)
{
    if (!f)
        return SNT_ERR_INVALID_ARG;
    filter_enter(f, SNT_UNKNOWN);
    filter_restart(f, SNT_DROP_RESET, false);
    snt__lock_release(&f->lock);
    return SNT_OK;
}
