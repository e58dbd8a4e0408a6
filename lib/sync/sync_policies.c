/* SPDX-License-Identifier: BSD-3-Clause */
/* EXACT, EPSILON, EARLIEST and LATEST. Here cur == head in every lane. */
#include "sync_emit.h"

static void policy_pop(snt_synchronizer *s, snt__sync_lane *lane)
{
    lane->cur = ++lane->head;
    snt__sync_touch(s, lane->rank);
}

static void policy_emit_fronts(snt_synchronizer *s)
{
    uint32_t *row = snt__sync_row(s, s->ready_tail);
    for (uint32_t r = 0; r < s->ranks; r++) {
        snt__sync_lane *lane = snt__sync_ranked(s, r);
        row[r] = snt__sync_at(lane, lane->head)->slot;
        lane->last_out = s->front[r];
        policy_pop(s, lane);
    }
    snt__sync_close_full(s, s->ranks, 0);
}

static void policy_trim(snt_synchronizer *s, uint32_t input)
{
    snt__sync_lane *lane = &s->lanes[input];
    if (lane->tail - lane->head <= lane->limit)
        return;
    snt__sync_overflow(s, input);
    snt__sync_touch(s, lane->rank);
}

/* ------------------------------------------------------------------------------------------------ EXACT */

/* First entry with key >= t. */
static uint32_t exact_search(const snt__sync_lane *lane, int64_t t)
{
    uint32_t lo = lane->head, hi = lane->tail;
    while (lo != hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (snt__sync_at(lane, mid)->key < t)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static inline bool exact_has(const snt_synchronizer *s, uint32_t rank, int64_t t)
{
    const snt__sync_lane *lane = &s->lanes[s->input_of[rank]];
    if (lane->head == lane->tail || s->front[rank] > t)
        return false;
    if (s->front[rank] == t)
        return true;
    if (snt__sync_at(lane, lane->tail - 1)->key < t)
        return false;
    const uint32_t at = exact_search(lane, t);
    return at != lane->tail && snt__sync_at(lane, at)->key == t;
}

/* Drop what is older than t in a lane: with sets ascending it can be in none. */
static void exact_advance(snt_synchronizer *s, snt__sync_lane *lane, int64_t t, uint32_t partner)
{
    while (snt__sync_at(lane, lane->head)->key < t) {
        const int64_t key = snt__sync_at(lane, lane->head)->key, gap = snt__sync_sub(t, key);
        if (gap < lane->miss) {
            lane->miss = gap;
            lane->miss_key = key;
            lane->miss_partner_key = t;
            lane->miss_partner = (uint16_t)partner;
        }
        snt__sync_drop(s, snt__sync_at(lane, lane->head)->slot, SNT_DROP_NO_PARTNER, 0, partner, gap);
        lane->cur = ++lane->head;
    }
    snt__sync_touch(s, lane->rank);
}

void snt__sync_exact_add(snt_synchronizer *s, uint32_t input, uint32_t index)
{
    snt__sync_lane *lane = &s->lanes[input];
    const int64_t key = s->slots[index].key;
    if (key == lane->last_out) {
        snt__sync_drop(s, index, SNT_DROP_DUPLICATE, 0, SNT_SYNC_NO_INPUT, 0);
        return;
    }
    if (lane->head != lane->tail && snt__sync_at(lane, lane->tail - 1)->key >= key) {
        const uint32_t at = exact_search(lane, key);
        snt__sync_entry *same = snt__sync_at(lane, at);
        if (at != lane->tail && same->key == key) { /* the newer of two with one stamp counts */
            snt__sync_drop(s, same->slot, SNT_DROP_SUPERSEDED, SNT_DROP_DUPLICATE, SNT_SYNC_NO_INPUT, 0);
            same->slot = index;
            return;
        }
    }
    if (!snt__sync_insert_sorted(s, lane, index))
        return;
    snt__sync_touch(s, lane->rank);
    /* the lane that lacked the last stamp most likely lacks this one too: ask it first */
    if (s->absent != lane->rank && !exact_has(s, s->absent, key)) {
        policy_trim(s, input);
        return;
    }
    for (uint32_t r = 0; r < s->ranks; r++) {
        if (r != lane->rank && !exact_has(s, r, key)) {
            s->absent = r;
            policy_trim(s, input);
            return;
        }
    }
    for (uint32_t r = 0; r < s->ranks; r++)
        if (s->front[r] != key)
            exact_advance(s, snt__sync_ranked(s, r), key, input);
    policy_emit_fronts(s);
}

/* ------------------------------------------------------------------------------------------ EPSILON, EARLIEST */

static int64_t window_key(const snt__sync_lane *lane, uint32_t at)
{
    return snt__sync_at(lane, at)->key;
}

/* EPSILON: among what is here, move to the narrowest set by advancing the earliest front until the latest is reached. */
static void window_refine(snt_synchronizer *s, uint32_t hi)
{
    uint32_t at[SNT_SYNC_MAX_INPUTS], best[SNT_SYNC_MAX_INPUTS];
    int64_t t[SNT_SYNC_MAX_INPUTS], width = INT64_MAX;
    for (uint32_t r = 0; r < s->ranks; r++) {
        best[r] = at[r] = snt__sync_ranked(s, r)->head;
        t[r] = s->front[r];
    }
    for (;;) {
        uint32_t lo = 0, last = 0;
        for (uint32_t r = 1; r < s->ranks; r++) {
            lo = t[r] < t[lo] ? r : lo;
            last = t[r] >= t[last] ? r : last;
        }
        const int64_t now = snt__sync_sub(t[last], t[lo]);
        if (now < width) {
            width = now;
            memcpy(best, at, sizeof at[0] * s->ranks);
        }
        const snt__sync_lane *lane = snt__sync_ranked(s, lo);
        if (lo == hi || at[lo] + 1 == lane->tail)
            break;
        t[lo] = window_key(lane, ++at[lo]);
    }
    for (uint32_t r = 0; r < s->ranks; r++) {
        snt__sync_lane *lane = snt__sync_ranked(s, r);
        if (lane->head == best[r])
            continue;
        const int64_t kept = window_key(lane, best[r]);
        while (lane->head != best[r]) {
            const snt__sync_entry *entry = snt__sync_at(lane, lane->head);
            snt__sync_drop(s, entry->slot, SNT_DROP_SUPERSEDED, 0, s->input_of[r],
                           snt__sync_sub(kept, entry->key));
            lane->cur = ++lane->head;
        }
        snt__sync_touch(s, r);
    }
}

/* ROS 2's ApproximateEpsilonTime: everything within epsilon of the oldest goes, even what could still match. */
static void window_process_compat(snt_synchronizer *s)
{
    while (snt__sync_complete(s)) {
        uint32_t lo = 0, hi = 0;
        for (uint32_t r = 1; r < s->ranks; r++) {
            lo = s->front[r] < s->front[lo] ? r : lo;
            hi = s->front[r] >= s->front[hi] ? r : hi;
        }
        const int64_t limit = snt__sync_plus(s->front[lo], s->max_separation);
        if (s->front[hi] <= limit) {
            policy_emit_fronts(s);
            continue;
        }
        snt__sync_miss(s, lo, hi);
        for (uint32_t r = 0; r < s->ranks; r++) {
            if (s->front[r] <= limit) {
                snt__sync_drop_front(s, snt__sync_ranked(s, r), SNT_DROP_NO_PARTNER, s->input_of[hi]);
                snt__sync_touch(s, r);
            }
        }
    }
}

void snt__sync_window_process(snt_synchronizer *s)
{
    if (s->flags & SNT_SYNC_COMPAT) {
        window_process_compat(s);
        return;
    }
    while (snt__sync_complete(s)) {
        uint32_t lo = 0, hi = 0, slots[SNT_SYNC_MAX_INPUTS];
        for (uint32_t r = 0; r < s->ranks; r++) {
            lo = s->front[r] < s->front[lo] ? r : lo;
            hi = s->front[r] >= s->front[hi] ? r : hi;
        }
        snt__sync_separation separation = {.nominal = snt__sync_sub(s->front[hi], s->front[lo])};
        bool fits = separation.nominal <= s->max_separation;
        if (s->careful) {
            for (uint32_t r = 0; r < s->ranks; r++) {
                const snt__sync_lane *lane = snt__sync_ranked(s, r);
                slots[r] = snt__sync_at(lane, lane->head)->slot;
            }
            fits = snt__sync_acceptable(s, slots, s->ranks, &separation);
        }
        if (fits) {
            if (s->policy == SNT_SYNC_EPSILON && !s->careful)
                window_refine(s, hi);
            policy_emit_fronts(s);
            continue;
        }
        uint32_t victim = lo, reason = SNT_DROP_NO_PARTNER;
        if (separation.nominal <= s->max_separation) {
            victim = separation.widest;
            reason = SNT_DROP_UNCERTAIN;
        }
        snt__sync_miss(s, lo, hi);
        snt__sync_drop_front(s, snt__sync_ranked(s, victim), reason, s->input_of[victim == hi ? lo : hi]);
        snt__sync_touch(s, victim);
    }
}

void snt__sync_window_add(snt_synchronizer *s, uint32_t input, uint32_t index)
{
    snt__sync_lane *lane = &s->lanes[input];
    if (s->flags & SNT_SYNC_COMPAT)
        *snt__sync_at(lane, lane->tail++) = (snt__sync_entry){s->slots[index].key, index, 0};
    else if (!snt__sync_insert_sorted(s, lane, index))
        return;
    snt__sync_touch(s, lane->rank);
    if (snt__sync_complete(s))
        snt__sync_window_process(s);
    policy_trim(s, input);
}

/* --------------------------------------------------------------------------------------------------- LATEST */

static bool latest_keeps_pace(int64_t newest, const snt__sync_lane *lane)
{
    const int64_t period = snt__sync_period(lane);
    return period != SNT_UNKNOWN && snt__sync_sub(newest, lane->newest) <= snt__sync_plus(period, period);
}

/*
 * The REQUIRED input whose samples trigger: the declared one, else the fastest that still keeps its pace. It is changed
 * only for one that is faster by an eighth: with equal rates the choice would flip between the samples of a set and
 * nothing would ever be emitted.
 */
static uint32_t latest_driver(snt_synchronizer *s)
{
    if (s->driver != SNT_SYNC_NO_INPUT)
        return s->driver;
    const int64_t newest = snt__sync_newest(s);
    uint32_t driver = s->chosen;
    if (driver != SNT_SYNC_NO_INPUT && !latest_keeps_pace(newest, &s->lanes[driver]))
        driver = SNT_SYNC_NO_INPUT;
    for (uint32_t r = 0; r < s->ranks; r++) {
        const snt__sync_lane *lane = &s->lanes[s->input_of[r]];
        if (!latest_keeps_pace(newest, lane))
            continue;
        const int64_t current = driver == SNT_SYNC_NO_INPUT ? INT64_MAX : snt__sync_period(&s->lanes[driver]);
        if (snt__sync_period(lane) < current - current / 8)
            driver = s->input_of[r];
    }
    s->chosen = driver;
    return driver;
}

void snt__sync_latest_add(snt_synchronizer *s, uint32_t input, uint32_t index)
{
    snt__sync_lane *lane = &s->lanes[input];
    const int64_t key = s->slots[index].key;
    if (key < lane->last_out) { /* the one that was lent has expired meanwhile */
        snt__sync_drop(s, index, SNT_DROP_LATE, 0, SNT_SYNC_NO_INPUT, snt__sync_sub(lane->last_out, key));
        return;
    }
    if (lane->head != lane->tail) {
        const snt__sync_entry *held = snt__sync_at(lane, lane->head);
        if (key < held->key) {
            snt__sync_drop(s, index, SNT_DROP_LATE, 0, SNT_SYNC_NO_INPUT, snt__sync_sub(held->key, key));
            return;
        }
        snt__sync_drop(s, held->slot, SNT_DROP_SUPERSEDED, 0, input, snt__sync_sub(key, held->key));
        lane->cur = ++lane->head;
    }
    *snt__sync_at(lane, lane->tail++) = (snt__sync_entry){key, index, 0};
    snt__sync_touch(s, lane->rank);
    if (!snt__sync_complete(s) || latest_driver(s) != input)
        return;
    uint32_t *row = snt__sync_row(s, s->ready_tail);
    for (uint32_t r = 0; r < s->ranks; r++) {
        const snt__sync_lane *member = snt__sync_ranked(s, r);
        row[r] = snt__sync_at(member, member->head)->slot;
    }
    if (s->max_separation != SNT_UNKNOWN) {
        snt__sync_separation separation;
        if (!snt__sync_acceptable(s, row, s->ranks, &separation)) {
            uint32_t oldest = 0;
            for (uint32_t r = 1; r < s->ranks; r++)
                oldest = s->front[r] < s->front[oldest] ? r : oldest;
            snt__sync_miss(s, oldest, lane->rank);
            return;
        }
    }
    for (uint32_t r = 0; r < s->ranks; r++) {
        snt__sync_lane *member = snt__sync_ranked(s, r);
        member->last_out = s->front[r];
        s->slots[row[r]].lent++;
        s->slots[row[r]].gap++;
    }
    s->reference = input;
    s->reference_rank = lane->rank;
    snt__sync_close_full(s, s->ranks, 0);
}
