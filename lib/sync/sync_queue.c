/* SPDX-License-Identifier: BSD-3-Clause */
/* Slots, queues and outcomes: everything that must not lose a token. */
#include "sync_internal.h"

_Static_assert(sizeof(snt__sync_slot) == 128, "two cache lines");
_Static_assert(sizeof(void *) != 8 || sizeof(snt__sync_lane) == 256, "an index is a shift");

static int64_t sync_clamp(int64_t key)
{
    return key == INT64_MAX ? INT64_MAX - 1 : key == INT64_MIN ? INT64_MIN + 1 : key;
}

int64_t snt__sync_key(const snt__sync_lane *lane, const snt_sample *sample)
{
    int64_t t = sample->t0_ns;
    if (lane->cfg.match == SNT_MATCH_END)
        t = sample->t1_ns;
    else if (lane->cfg.match != SNT_MATCH_START) /* rounded down, without overflow */
        t = sample->t0_ns + (int64_t)(((uint64_t)sample->t1_ns - (uint64_t)sample->t0_ns) / 2);
    return sync_clamp(snt__sync_plus(t, lane->cfg.offset_ns));
}

/* Mean distance of the stamps: of this block once it says more than the one before. */
int64_t snt__sync_period(const snt__sync_lane *lane)
{
    const uint32_t gaps = snt__sync_gaps(lane);
    if (gaps && (!lane->blocks || gaps > SNT__SYNC_BLOCK / 2))
        return snt__sync_sub(lane->newest, lane->block_start) / gaps;
    return lane->blocks ? lane->previous_period : SNT_UNKNOWN;
}

/* Half the range of the gaps. */
int64_t snt__sync_jitter(const snt__sync_lane *lane)
{
    const int64_t least = lane->block_min < lane->previous_min ? lane->block_min : lane->previous_min;
    const int64_t most = lane->block_max > lane->previous_max ? lane->block_max : lane->previous_max;
    return most >= least ? (most - least) / 2 : SNT_UNKNOWN;
}

void snt__sync_drop(snt_synchronizer *s, uint32_t index, uint32_t reason, uint32_t cause, uint32_t partner,
                    int64_t gap)
{
    snt__sync_slot *slot = &s->slots[index];
    slot->arrived = s->now != SNT_UNKNOWN && slot->arrived != SNT_UNKNOWN
                        ? snt__sync_sub(s->now, slot->arrived)
                        : SNT_UNKNOWN;
    if (slot->gap && (reason == SNT_DROP_SUPERSEDED || reason == SNT_DROP_NO_PARTNER ||
                      reason == SNT_DROP_OVERFLOW_OLDEST))
        reason = SNT_DROP_RETIRED; /* it served; gap says how often */
    else {
        slot->gap = gap;
        if (gap != SNT_UNKNOWN && (gap > SNT__SYNC_YEAR || gap < -SNT__SYNC_YEAR))
            cause = SNT_DROP_CLOCK_MISMATCH;
    }
    slot->tag = (uint16_t)(snt__sync_input(slot) | reason << 8);
    slot->sample.reserved = cause | (partner & 255u) << 8;
    s->dropped[reason]++;
    if (!slot->lent)
        snt__sync_queue_drop(s, index);
}

/* A ready set let go of the slot. */
void snt__sync_release(snt_synchronizer *s, uint32_t index)
{
    snt__sync_slot *slot = &s->slots[index];
    slot->lent--;
    if (!slot->lent && snt__sync_reason(slot))
        snt__sync_queue_drop(s, index);
}

void snt__sync_touch_any(snt_synchronizer *s, uint32_t input)
{
    snt__sync_lane *lane = &s->lanes[input];
    if (s->required >> input & 1) {
        snt__sync_touch(s, lane->rank);
        return;
    }
    if (lane->cur != lane->tail)
        s->full |= SNT__BIT(input);
    else if (s->full & SNT__BIT(input)) {
        s->full &= ~SNT__BIT(input);
        snt__sync_ran_empty(s, lane);
    }
}

/* Drop the oldest entry of a lane whose search is not running (cur == head). */
void snt__sync_drop_front(snt_synchronizer *s, snt__sync_lane *lane, uint32_t reason, uint32_t partner)
{
    const snt__sync_entry *entry = snt__sync_at(lane, lane->head);
    int64_t gap = SNT_UNKNOWN;
    if (partner != SNT_SYNC_NO_INPUT) {
        const snt__sync_lane *other = &s->lanes[partner];
        if (other->head != other->tail)
            gap = snt__sync_sub(
                snt__sync_at(other, other->cur != other->tail ? other->cur : other->head)->key, entry->key);
        else if (other->newest != SNT_UNKNOWN)
            gap = snt__sync_sub(other->newest, entry->key);
    }
    snt__sync_drop(s, entry->slot, reason, 0, partner, gap);
    lane->head++;
    if (lane->cur - lane->head > lane->mask) /* cur was head */
        lane->cur = lane->head;
}

static uint32_t sync_blocker(const snt_synchronizer *s, uint32_t input)
{
    const uint64_t empty = s->required & ~s->full & ~SNT__BIT(input);
    return empty ? snt__first_bit(empty) : SNT_SYNC_NO_INPUT;
}

/* The lane holds one more than it may: drop its oldest, and say who it waited for. */
void snt__sync_overflow(snt_synchronizer *s, uint32_t input)
{
    snt__sync_lane *lane = &s->lanes[input];
    const snt__sync_entry *entry = snt__sync_at(lane, lane->head);
    const uint32_t partner = sync_blocker(s, input);
    int64_t gap = SNT_UNKNOWN;
    uint32_t cause = 0;
    if (partner != SNT_SYNC_NO_INPUT) {
        const snt__sync_lane *other = &s->lanes[partner];
        cause = SNT_DROP_NO_PARTNER;
        if (other->newest != SNT_UNKNOWN)
            gap = snt__sync_sub(other->newest, entry->key);
    }
    snt__sync_drop(s, entry->slot, SNT_DROP_OVERFLOW_OLDEST, cause, partner, gap);
    lane->head++;
    lane->cur = lane->head;
}

/* The rest of snt__sync_insert_sorted: late, full, or not the newest. */
bool snt__sync_insert_late(snt_synchronizer *s, snt__sync_lane *lane, uint32_t index)
{
    snt__sync_slot *slot = &s->slots[index];
    const int64_t key = slot->key;
    if (key < lane->last_out) {
        snt__sync_drop(s, index, SNT_DROP_LATE, 0, SNT_SYNC_NO_INPUT, snt__sync_sub(lane->last_out, key));
        return false;
    }
    if (lane->tail - lane->head >= lane->limit && (lane->cfg.flags & SNT_SYNC_DROP_NEWEST)) {
        snt__sync_drop(s, index, SNT_DROP_OVERFLOW_NEWEST, 0, sync_blocker(s, snt__sync_input(slot)),
                       SNT_UNKNOWN);
        return false;
    }
    uint32_t at = lane->tail++;
    while (at != lane->head && snt__sync_at(lane, at - 1)->key > key) {
        *snt__sync_at(lane, at) = *snt__sync_at(lane, at - 1);
        at--;
    }
    *snt__sync_at(lane, at) = (snt__sync_entry){key, index, 0};
    return true;
}

void snt__sync_drop_waiting(snt_synchronizer *s, uint32_t input, uint32_t reason)
{
    snt__sync_lane *lane = &s->lanes[input];
    for (; lane->head != lane->tail; lane->head++)
        snt__sync_drop(s, snt__sync_at(lane, lane->head)->slot, reason, 0, SNT_SYNC_NO_INPUT, SNT_UNKNOWN);
    lane->cur = lane->head;
    snt__sync_touch_any(s, input);
}

/* The fronts from rank lo to rank hi were too far apart: remember the nearest such miss of the two. */
void snt__sync_miss(snt_synchronizer *s, uint32_t lo, uint32_t hi)
{
    const int64_t width = snt__sync_sub(s->front[hi], s->front[lo]);
    snt__sync_lane *a = snt__sync_ranked(s, lo), *b = snt__sync_ranked(s, hi);
    if (width < a->miss) {
        a->miss = width;
        a->miss_key = s->front[lo];
        a->miss_partner_key = s->front[hi];
        a->miss_partner = (uint16_t)s->input_of[hi];
    }
    if (width < b->miss) {
        b->miss = width;
        b->miss_key = s->front[hi];
        b->miss_partner_key = s->front[lo];
        b->miss_partner = (uint16_t)s->input_of[lo];
    }
}
