/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions, and settings that change while samples wait. */
#include "sync_internal.h"

void snt__sync_rematch(snt_synchronizer *s)
{
    if (s->policy == SNT_SYNC_APPROXIMATE) {
        if (s->flags & SNT_SYNC_COMPAT)
            snt__sync_approx_process(s);
        else
            snt__sync_approx_restart(s);
    } else if (s->policy == SNT_SYNC_EPSILON || s->policy == SNT_SYNC_EARLIEST)
        snt__sync_window_process(s);
}

/* From here on periods are learned from other stamps; what was learned holds until then. */
static void sync_learn_anew(snt__sync_lane *lane, int64_t newest)
{
    lane->bound = snt__sync_bound(lane);
    snt__sync_set_newest(lane, newest);
    snt__sync_new_block(lane, newest);
}

/* One input starts anew: nothing of it may meet what comes. */
static void sync_restart_lane(snt_synchronizer *s, uint32_t input, uint32_t reason)
{
    snt__sync_lane *lane = &s->lanes[input];
    snt__sync_drop_waiting(s, input, reason);
    lane->last_out = INT64_MIN;
    s->newest = snt__sync_newest(s);
    sync_learn_anew(lane, SNT_UNKNOWN);
}

static void sync_forget_search(snt_synchronizer *s)
{
    s->pivot = SNT_SYNC_NO_INPUT;
    for (; s->hidden; s->hidden &= s->hidden - 1) {
        const uint32_t rank = snt__first_bit(s->hidden);
        snt__sync_lane *lane = snt__sync_ranked(s, rank);
        lane->cur = lane->head;
        snt__sync_touch(s, rank);
    }
}

void snt__sync_restart(snt_synchronizer *s, uint32_t reason)
{
    sync_forget_search(s);
    s->overflowed = 0;
    for (uint32_t i = 0; i < s->inputs; i++)
        sync_restart_lane(s, i, reason);
    snt__sync_dissolve_ready(s, false, reason);
    s->newest = INT64_MIN;
    s->resets++;
}

void snt__sync_new_epoch(snt_synchronizer *s)
{
    const uint32_t session = snt_epoch_session(s->epoch);
    if (session == s->session)
        return;
    snt__sync_restart(s, SNT_DROP_RESET);
    s->session = session;
}

void snt__sync_new_lane_session(snt_synchronizer *s, uint32_t input, uint32_t session)
{
    if (s->lanes[input].session) {
        sync_forget_search(s);
        sync_restart_lane(s, input, SNT_DROP_RESET);
        s->resets++;
    }
    s->lanes[input].session = session;
}

void snt__sync_attached_add(snt_synchronizer *s, uint32_t input, uint32_t index)
{
    snt__sync_lane *lane = &s->lanes[input];
    if (!snt__sync_insert_sorted(s, lane, index))
        return;
    snt__sync_touch_any(s, input);
    snt__sync_attach(s);
    if (lane->tail - lane->head > lane->limit) {
        snt__sync_overflow(s, input);
        snt__sync_touch_any(s, input);
    }
}

snt_status snt_synchronizer_reset(snt_synchronizer *s)
{
    if (!s)
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, SNT_UNKNOWN);
    snt__sync_restart(s, SNT_DROP_RESET);
    snt__sync_leave(s);
    return SNT_OK;
}

snt_status snt_synchronizer_clear(snt_synchronizer *s)
{
    if (!s)
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, SNT_UNKNOWN);
    sync_forget_search(s);
    for (uint32_t i = 0; i < s->inputs; i++)
        snt__sync_drop_waiting(s, i, SNT_DROP_CLEARED);
    snt__sync_dissolve_ready(s, true, SNT_DROP_CLEARED);
    s->ready_head = s->ready_tail;
    snt__sync_leave(s);
    return SNT_OK;
}

snt_status snt_synchronizer_set_offset(snt_synchronizer *s, uint32_t input, snt_duration offset,
                                       snt_duration offset_err)
{
    if (!s || input >= s->inputs || offset_err < 0)
        return SNT_ERR_INVALID_ARG;
    if (s->flags & SNT_SYNC_COMPAT)
        return SNT_ERR_UNSUPPORTED;
    snt__sync_enter(s);
    snt__sync_begin(s, SNT_UNKNOWN);
    sync_forget_search(s);
    snt__sync_lane *lane = &s->lanes[input];
    lane->cfg.offset_ns = offset;
    lane->cfg.offset_err_ns = offset_err;
    snt__sync_set_plain(lane);
    if (offset_err > 0)
        snt__sync_be_careful(s);
    s->newest = snt__sync_newest(s);
    int64_t newest = SNT_UNKNOWN;
    for (uint32_t i = lane->head; i != lane->tail; i++) { /* all move alike, so their order stays */
        snt__sync_entry *entry = snt__sync_at(lane, i);
        entry->key = snt__sync_key(lane, &s->slots[entry->slot].sample);
        s->slots[entry->slot].key = entry->key;
        newest = entry->key;
    }
    sync_learn_anew(lane, newest);
    for (uint32_t late = 0; lane->head != lane->tail && snt__sync_at(lane, lane->head)->key < lane->last_out;
         late++)
        snt__sync_drop_front(s, lane, SNT_DROP_LATE, SNT_SYNC_NO_INPUT);
    snt__sync_touch_any(s, input);
    snt__sync_rematch(s);
    snt__sync_leave(s);
    return SNT_OK;
}

snt_status snt_synchronizer_set_max_separation(snt_synchronizer *s, snt_duration max_separation)
{
    if (!s || max_separation < 0)
        return SNT_ERR_INVALID_ARG;
    if (max_separation == SNT_UNKNOWN && (s->policy == SNT_SYNC_EPSILON || s->policy == SNT_SYNC_EARLIEST))
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, SNT_UNKNOWN);
    s->max_separation = max_separation;
    s->verdict = s->ranks < 2 || max_separation == SNT_UNKNOWN ? SNT_SYNC_CERTAIN : SNT_SYNC_POSSIBLE;
    sync_forget_search(s);
    snt__sync_rematch(s);
    snt__sync_leave(s);
    return SNT_OK;
}
