/* SPDX-License-Identifier: BSD-3-Clause */
/* The synchronizer's books and diagnoses. */
#include "sync_internal.h"

static uint64_t sync_count_in(const snt_synchronizer *s)
{
    uint64_t in = 0;
    for (uint32_t i = 0; i < s->inputs; i++)
        in += s->lanes[i].received;
    return in;
}

/* Counted, not kept: so the books are two independent sums. */
static uint64_t sync_count_held(const snt_synchronizer *s)
{
    uint64_t held = 0;
    for (uint32_t i = 0; i < s->inputs; i++)
        held += s->lanes[i].tail - s->lanes[i].head;
    for (uint32_t i = s->ready_head; i != s->ready_tail; i++) {
        const uint32_t *row = snt__sync_row(s, i);
        for (uint32_t k = 0; k < s->ready[i & s->ready_mask].count; k++)
            held += !s->slots[row[k]].lent;
    }
    return held;
}

snt_status snt_synchronizer_stats(snt_synchronizer *s, snt_sync_stats *stats)
{
    if (!s || !stats)
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, SNT_UNKNOWN);
    *stats = (snt_sync_stats){.in = sync_count_in(s),
                              .out = s->out + s->at_once * s->ranks,
                              .held = sync_count_held(s),
                              .sets = s->sets + s->full_sets,
                              .partial = s->partial,
                              .refused = s->refused,
                              .resets = s->resets};
    memcpy(stats->dropped, s->dropped, sizeof s->dropped);
    snt__sync_leave(s);
    return SNT_OK;
}

snt_status snt_synchronizer_check(snt_synchronizer *s)
{
    if (!s)
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    const uint64_t held = sync_count_held(s);
    bool clean = true;
    uint64_t pending = 0, free_slots = 0, drops = 0, sum = s->out + s->at_once * s->ranks + held;
    for (uint32_t i = s->free_head; i != SNT__SYNC_NONE && free_slots <= s->slot_count;
         i = s->slots[i].next) {
        free_slots++;
        clean &= s->slots[i].gap == 0 && s->slots[i].lent == 0;
    }
    for (uint32_t i = 0; i < s->slot_count; i++)
        pending += snt__sync_reason(&s->slots[i]) && s->slots[i].lent;
    for (uint32_t i = s->drop_head; i != s->drop_tail; i++)
        drops += snt__sync_reason(&s->slots[s->drops[i & s->drop_mask]]) != 0;
    for (uint32_t i = 0; i < SNT_DROP_COUNT; i++)
        sum += s->dropped[i];
    const bool good = clean && sum == sync_count_in(s) && drops == snt__sync_undrained(s) &&
                      free_slots + held + drops + pending == s->slot_count;
    snt__sync_leave(s);
    return good ? SNT_OK : SNT_ERR_VIOLATION;
}

/* The two diagnoses read under the lock too. */
static uint32_t sync_suggested_queue(const snt_synchronizer *s, const snt__sync_lane *lane)
{
    const int64_t newest = snt__sync_newest(s);
    int64_t slowest = 0, lag = 0;
    for (uint32_t r = 0; r < s->ranks; r++) {
        const snt__sync_lane *other = &s->lanes[s->input_of[r]];
        const int64_t period = snt__sync_period(other);
        if (period == SNT_UNKNOWN)
            return 0;
        const int64_t longest = snt__sync_plus(period, snt__sync_jitter(other));
        slowest = longest > slowest ? longest : slowest;
        const int64_t behind = snt__sync_sub(newest, other->newest);
        lag = behind > lag ? behind : lag;
    }
    const int64_t own = snt__sync_period(lane);
    if (own == SNT_UNKNOWN || own < 1)
        return 0;
    const int64_t n = snt__sync_plus(slowest, lag) / own + 3;
    return n < (1 << 20) ? (uint32_t)n : 1u << 20;
}

snt_status snt_synchronizer_input_info(snt_synchronizer *s, uint32_t input, snt_time now,
                                       snt_sync_input_info *info)
{
    if (!s || !info || input >= s->inputs)
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, now);
    const snt__sync_lane *lane = &s->lanes[input];
    const bool any = lane->head != lane->tail;
    const snt__sync_entry *oldest = snt__sync_at(lane, lane->head);
    const int64_t arrived = any ? s->slots[oldest->slot].arrived : SNT_UNKNOWN;
    *info = (snt_sync_input_info){
        .received = lane->received,
        .in_sets = lane->in_sets + (s->required >> input & 1 ? s->full_sets : 0),
        .newest_ns = lane->newest,
        .oldest_waiting_ns = any ? oldest->key : SNT_UNKNOWN,
        .waiting_since_ns =
            arrived != SNT_UNKNOWN && s->now != SNT_UNKNOWN ? snt__sync_sub(s->now, arrived) : SNT_UNKNOWN,
        .period_ns = snt__sync_period(lane),
        .jitter_ns = snt__sync_jitter(lane),
        .min_period_ns = snt__sync_bound(lane),
        .nearest_miss_ns = lane->miss,
        .miss_key_ns = lane->miss == SNT_UNKNOWN ? SNT_UNKNOWN : lane->miss_key,
        .miss_partner_ns = lane->miss == SNT_UNKNOWN ? SNT_UNKNOWN : lane->miss_partner_key,
        .miss_partner = lane->miss == SNT_UNKNOWN ? SNT_SYNC_NO_INPUT : lane->miss_partner,
        .waiting = lane->tail - lane->head,
        .suggested_queue = sync_suggested_queue(s, lane),
        .backward = lane->backward};
    snt__sync_leave(s);
    return SNT_OK;
}

/*
 * Free-running inputs: beside the slowest, whose every sample wants partners, the nearest sample of another lies within
 * half its period, so two others are apart by at most the sum of their half periods.
 */
static int64_t sync_suggested_slop(const snt_synchronizer *s)
{
    int64_t longest[3] = {0, 0, 0}, jitter = 0;
    for (uint32_t r = 0; r < s->ranks; r++) {
        const snt__sync_lane *lane = &s->lanes[s->input_of[r]];
        int64_t p = snt__sync_period(lane);
        if (p == SNT_UNKNOWN)
            return SNT_UNKNOWN;
        for (uint32_t k = 0; k < 3; k++) {
            if (p > longest[k]) {
                const int64_t old = longest[k];
                longest[k] = p;
                p = old;
            }
        }
        jitter = snt__sync_jitter(lane) > jitter ? snt__sync_jitter(lane) : jitter;
    }
    return s->ranks < 2 ? 0 : snt__sync_plus(longest[1] / 2 + longest[2] / 2, jitter);
}

snt_status snt_synchronizer_diagnose(snt_synchronizer *s, snt_time now, snt_sync_diagnosis *diagnosis)
{
    if (!s || !diagnosis)
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, now);
    snt_sync_diagnosis d = {.blocker = SNT_SYNC_NO_INPUT,
                            .ready = s->ready_open - s->ready_head,
                            .blocked_since_ns = SNT_UNKNOWN,
                            .oldest_age_ns = SNT_UNKNOWN,
                            .suggested_slop_ns = sync_suggested_slop(s),
                            .undrained = snt__sync_undrained(s)};
    int64_t oldest = INT64_MAX;
    for (uint32_t i = 0; i < s->inputs; i++) {
        const snt__sync_lane *lane = &s->lanes[i];
        const bool wanted = lane->cfg.role != SNT_ROLE_OPTIONAL && !(lane->cfg.flags & SNT_SYNC_MAY_LACK);
        d.never |= lane->received ? 0 : SNT__BIT(i);
        if (lane->head != lane->tail) {
            const int64_t key = snt__sync_at(lane, lane->head)->key;
            if (lane->cfg.role != SNT_ROLE_LATCHED)
                oldest = key < oldest ? key : oldest;
            continue;
        }
        if (!wanted)
            continue;
        d.empty |= SNT__BIT(i);
        if (d.blocker == SNT_SYNC_NO_INPUT || lane->empty_since < s->lanes[d.blocker].empty_since)
            d.blocker = i;
    }
    if (d.blocker != SNT_SYNC_NO_INPUT && s->lanes[d.blocker].empty_since != INT64_MIN)
        d.blocked_since_ns = s->lanes[d.blocker].empty_since;
    if (oldest != INT64_MAX)
        d.oldest_age_ns = snt__sync_sub(snt__sync_newest(s), oldest);
    *diagnosis = d;
    snt__sync_leave(s);
    return SNT_OK;
}
