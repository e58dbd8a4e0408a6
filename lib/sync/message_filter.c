/* SPDX-License-Identifier: BSD-3-Clause */
/* What users call: adding, taking what came of it, settings; time-outs, ages, sessions and overflow on the way. */
#include "filter_internal.h"
#include "sample_sane.h"

#include "sync_text.h"

_Static_assert(sizeof(snt_filter_release) == 176, "frozen");
_Static_assert(sizeof(snt_filter_drop) == 344, "frozen");
_Static_assert(sizeof(snt_filter_stats) == 272, "frozen");

/* ---------------------------------------------------------------------------------- time, sessions, overflow */

/* It is to be given up: unless its transforms are there after all. */
static void filter_give_up(snt_message_filter *f, uint32_t index, uint32_t reason)
{
    snt__filter_unwait(f, index);
    if (snt__filter_look_up(f, index) == SNT_OK) {
        f->waiting--;
        snt__filter_make_ready(f, index);
        return;
    }
    f->waiting--;
    snt__filter_let_go(f, index);
    const uint32_t cause = snt__filter_cause_of(&f->slots[index].miss);
    snt__filter_drop(f, index, reason, cause);
}

static void filter_timeouts(snt_message_filter *f)
{
    for (uint32_t i = f->held_head, next; i != SNT__FILTER_NONE; i = next) {
        const snt__filter_slot *slot = &f->slots[i];
        next = slot->next;
        if (slot->added != SNT_UNKNOWN && snt__filter_sub(f->now, slot->added) < f->timeout)
            return; /* those behind it came later */
        if (slot->state == SNT__FILTER_WAITING && slot->added != SNT_UNKNOWN)
            filter_give_up(f, i, SNT_DROP_TIMEOUT);
    }
}

static void filter_ages(snt_message_filter *f, snt_time now_stamp)
{
    if (snt__filter_sub(now_stamp, f->oldest_stamp) <= f->max_age)
        return;
    f->oldest_stamp = INT64_MAX;
    for (uint32_t i = f->held_head, next; i != SNT__FILTER_NONE; i = next) {
        snt__filter_slot *slot = &f->slots[i];
        next = slot->next;
        const int64_t age = snt__filter_sub(now_stamp, slot->sample.t0_ns);
        if (age > f->max_age) {
            slot->age = age;
            const bool waits = slot->state == SNT__FILTER_WAITING;
            snt__filter_drop_held(f, i, SNT_DROP_EXPIRED, waits ? snt__filter_cause_of(&slot->miss) : 0);
        } else if (slot->sample.t0_ns < f->oldest_stamp)
            f->oldest_stamp = slot->sample.t0_ns;
    }
}

static void filter_restart(snt_message_filter *f, uint32_t reason, bool all)
{
    for (uint32_t i = f->held_head, next; i != SNT__FILTER_NONE; i = next) {
        next = f->slots[i].next;
        if (all || f->slots[i].state == SNT__FILTER_WAITING)
            snt__filter_drop_held(f, i, reason, 0);
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
        const int64_t gap = snt__filter_sub(t, f->last_stamp);
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
        snt__filter_drop(f, index, refusal, 0);
        return filter_leave(f);
    }
    filter_observe(f, sample->t0_ns);
    const snt_status status = snt__filter_look_up(f, index);
    const uint32_t reason = status == SNT_OK ? 0 : snt__filter_reason_of(&slot->miss);
    if (reason) {
        snt__filter_drop(f, index, reason, 0);
        return filter_leave(f);
    }
    snt__filter_hold(f, index);
    if (status == SNT_OK) {
        f->at_once++;
        snt__filter_make_ready(f, index);
    } else {
        slot->state = SNT__FILTER_WAITING;
        f->waiting++;
        snt__filter_wait_for(f, index);
        if (f->waiting > f->capacity)
            filter_make_room(f, index);
    }
    return filter_leave(f);
}

static bool filter_sane(const snt_sample *sample)
{
    return sample && snt__sample_sane(sample);
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
        snt__filter_wake(f, edge, newest);
    return filter_leave(f);
}

static void filter_take(snt_message_filter *f, uint32_t index, snt_time now_stamp,
                        snt_filter_release *release, snt_tf_result *results)
{
    snt__filter_slot *slot = &f->slots[index];
    snt__filter_unready(f, index);
    snt__filter_let_go(f, index);
    memcpy(results, snt__filter_results(f, index), sizeof *results * 2 * f->target_count);
    *release = (snt_filter_release){
        .sample = slot->sample,
        .source = slot->source,
        .target = slot->target,
        .capture_ns = slot->sample.t0_ns,
        .release_ns = slot->released,
        .release_stamp_ns = now_stamp,
        .waited_ns = slot->released != SNT_UNKNOWN && slot->added != SNT_UNKNOWN
                         ? snt__filter_sub(slot->released, slot->added)
                         : SNT_UNKNOWN,
        .age_ns = now_stamp != SNT_UNKNOWN ? snt__filter_sub(now_stamp, slot->sample.t0_ns) : SNT_UNKNOWN,
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
            snt__filter_scan(f);
        snt__filter_retry(f);
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
                                                   ? snt__filter_sub(slot->released, slot->added)
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
            snt__filter_unready(f, i);
            f->slots[i].state = SNT__FILTER_WAITING;
            f->waiting++;
        } else
            snt__filter_unwait(f, i);
        snt__filter_settle(f, i);
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
