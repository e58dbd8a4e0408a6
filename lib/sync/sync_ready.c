/* SPDX-License-Identifier: BSD-3-Clause */
/* Decided sets: members of the other roles are attached in order, deadlines and ages are looked at. */
#include "sync_internal.h"

enum { READY_TAKE, READY_LACK, READY_WAIT, READY_IMPOSSIBLE };

static uint32_t ready_count_bits(uint64_t bits)
{
    uint32_t n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

void snt__sync_close(snt_synchronizer *s, uint32_t count, uint64_t present, uint32_t flags)
{
    const uint32_t *row = snt__sync_row(s, s->ready_tail);
    const uint64_t before = present & (SNT__BIT(s->reference) - 1);
    const uint32_t at = present >> s->reference & 1
                            ? present == s->required ? s->lanes[s->reference].rank : ready_count_bits(before)
                            : 0;
    const uint64_t missing = s->required & ~present;
    flags |= missing ? SNT_SYNC_PARTIAL : 0;
    s->ready[s->ready_tail & s->ready_mask] = (snt__sync_ready){
        .decided = s->now,
        .reference = s->slots[row[at]].key,
        .present = present,
        .missing = missing,
        .count = count,
        .flags = flags,
        .session = s->session,
    };
    s->ready_tail++;
    s->sets++;
    s->partial += missing != 0;
    if (!s->attached)
        s->ready_open = s->ready_tail;
    else
        snt__sync_attach(s);
}

/* A decided set that will not be delivered: its members go back one by one. An emptied row is skipped by poll. */
static void ready_dissolve(snt_synchronizer *s, uint32_t index, uint32_t reason, uint32_t partner)
{
    snt__sync_ready *ready = &s->ready[index & s->ready_mask];
    const uint32_t *row = snt__sync_row(s, index);
    for (uint32_t i = 0; i < ready->count; i++) {
        if (s->slots[row[i]].lent)
            snt__sync_release(s, row[i]);
        else
            snt__sync_drop(s, row[i], reason, 0, partner, SNT_UNKNOWN);
    }
    s->partial -= ready->missing != 0 && (ready->flags & SNT_SYNC_PARTIAL);
    ready->count = 0;
    s->sets--;
}

/* Last entry with key <= t, or tail when there is none. */
static uint32_t ready_at_or_before(const snt__sync_lane *lane, int64_t t)
{
    uint32_t lo = lane->head, hi = lane->tail;
    while (lo != hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (snt__sync_at(lane, mid)->key <= t)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo == lane->head ? lane->tail : lo - 1;
}

static void ready_drop_before(snt_synchronizer *s, uint32_t input, uint32_t at, uint32_t reason)
{
    snt__sync_lane *lane = &s->lanes[input];
    while (lane->head != at) {
        snt__sync_drop(s, snt__sync_at(lane, lane->head)->slot, reason, 0, s->reference, SNT_UNKNOWN);
        lane->head++;
    }
    lane->cur = lane->head;
    snt__sync_touch_any(s, input);
}

static bool ready_waited(const snt_synchronizer *s, const snt__sync_ready *ready, int64_t limit)
{
    if (s->now == SNT_UNKNOWN || ready->decided == SNT_UNKNOWN)
        return limit == 0;
    return snt__sync_sub(s->now, ready->decided) >= limit;
}

/* What an attached input can give to the set; `first` and `second` are ring positions of what it gives. */
static int ready_look(const snt_synchronizer *s, const snt__sync_ready *ready, uint32_t input,
                      uint32_t *first, uint32_t *second)
{
    const snt__sync_lane *lane = &s->lanes[input];
    const int64_t t = ready->reference;
    const bool may_lack = lane->cfg.role == SNT_ROLE_OPTIONAL || (lane->cfg.flags & SNT_SYNC_MAY_LACK);
    const bool patient = may_lack && !ready_waited(s, ready, s->optional_wait);
    const uint32_t before = ready_at_or_before(lane, t);
    const bool any = lane->head != lane->tail, has_before = before != lane->tail;
    const uint32_t after = !any ? lane->tail : has_before ? before + 1 : lane->head;
    *first = before;
    *second = after;
    if (lane->cfg.role == SNT_ROLE_LATCHED) {
        if (has_before)
            return READY_TAKE;
        return may_lack ? READY_LACK : any ? READY_IMPOSSIBLE : READY_WAIT;
    }
    const bool has_after =
        any && (after != lane->tail || (has_before && snt__sync_at(lane, before)->key == t));
    if (!has_after && (patient || (!may_lack && lane->cfg.role == SNT_ROLE_INTERPOLATED)))
        return READY_WAIT;
    if (lane->cfg.role == SNT_ROLE_INTERPOLATED) {
        if (!has_after || !has_before)
            return may_lack ? READY_LACK : READY_IMPOSSIBLE;
        if (snt__sync_at(lane, before)->key == t)
            *second = before;
        const int64_t gap = snt__sync_sub(snt__sync_at(lane, *second)->key, snt__sync_at(lane, before)->key);
        if (lane->cfg.max_gap_ns > 0 && gap > lane->cfg.max_gap_ns)
            return may_lack ? READY_LACK : READY_IMPOSSIBLE;
        return READY_TAKE;
    }
    if (!any)
        return READY_LACK;
    if (!has_before)
        *first = after;
    else if (after != lane->tail && snt__sync_sub(snt__sync_at(lane, after)->key, t) <
                                        snt__sync_sub(t, snt__sync_at(lane, before)->key))
        *first = after; /* nearer; at equal distance the earlier one */
    return READY_TAKE;
}

static void ready_lend(snt_synchronizer *s, snt__sync_lane *lane, uint32_t index)
{
    s->slots[index].lent++;
    s->slots[index].gap++;
    lane->in_sets++;
}

/* Take what the look found into the row at `n`; returns the new length. */
static uint32_t ready_take(snt_synchronizer *s, snt__sync_ready *ready, uint32_t input, uint32_t first,
                           uint32_t second, uint32_t *row, uint32_t n, uint32_t *matched,
                           uint32_t *matched_count)
{
    snt__sync_lane *lane = &s->lanes[input];
    const snt__sync_entry one = *snt__sync_at(lane, first);
    if (lane->cfg.role == SNT_ROLE_OPTIONAL) {
        snt__sync_separation separation;
        matched[*matched_count] = one.slot;
        if (s->max_separation != SNT_UNKNOWN &&
            !snt__sync_acceptable(s, matched, *matched_count + 1, &separation)) {
            const int64_t d = snt__sync_sub(one.key, ready->reference);
            if (d < 0) /* too early now: too early for all that follow */
                ready_drop_before(s, input, first + 1, SNT_DROP_NO_PARTNER);
            ready->missing |= SNT__BIT(input);
            return n;
        }
        ++*matched_count;
        ready_drop_before(s, input, first, SNT_DROP_SUPERSEDED);
        lane->cur = ++lane->head;
        lane->in_sets++;
        row[n++] = one.slot;
    } else {
        ready_drop_before(s, input, first, SNT_DROP_SUPERSEDED);
        ready_lend(s, lane, one.slot);
        row[n++] = one.slot;
        if (lane->cfg.role == SNT_ROLE_INTERPOLATED) {
            const uint32_t other = snt__sync_at(lane, second)->slot;
            ready_lend(s, lane, other);
            row[n++] = other;
        }
    }
    lane->last_out = one.key;
    snt__sync_touch_any(s, input);
    ready->present |= SNT__BIT(input);
    return n;
}

/* False when the first undelivered set must still wait. */
static bool ready_attach_one(snt_synchronizer *s)
{
    snt__sync_ready *ready = &s->ready[s->ready_open & s->ready_mask];
    uint32_t *row = snt__sync_row(s, s->ready_open);
    uint32_t first[SNT_SYNC_MAX_INPUTS], second[SNT_SYNC_MAX_INPUTS];
    uint64_t take = 0;
    if (!ready->count) { /* dissolved while it waited */
        s->ready_open++;
        return true;
    }
    const bool forced = s->deadline > 0 && ready_waited(s, ready, s->deadline);
    for (uint64_t bits = s->attached; bits; bits &= bits - 1) {
        const uint32_t i = snt__first_bit(bits);
        int look = ready_look(s, ready, i, &first[i], &second[i]);
        if (look == READY_WAIT && !forced)
            return false;
        if (look == READY_TAKE) {
            take |= SNT__BIT(i);
            continue;
        }
        ready->missing |= SNT__BIT(i);
        if (look == READY_LACK)
            continue;
        if (!s->min_members) {
            ready_dissolve(s, s->ready_open, look == READY_WAIT ? SNT_DROP_TIMEOUT : SNT_DROP_NO_PARTNER, i);
            s->ready_open++;
            return true;
        }
        s->partial += !(ready->flags & SNT_SYNC_PARTIAL);
        ready->flags |= SNT_SYNC_PARTIAL | (look == READY_WAIT ? (uint32_t)SNT_SYNC_FORCED : 0u);
    }
    uint32_t old[SNT_SYNC_MAX_INPUTS], matched[2 * SNT_SYNC_MAX_INPUTS], n = 0, m = 0, count = ready->count;
    memcpy(old, row, sizeof *old * count);
    memcpy(matched, row, sizeof *old * count);
    const uint64_t members = ready->present;
    for (uint32_t i = 0, k = 0; i < s->inputs; i++) {
        if (members >> i & 1)
            row[n++] = old[k++];
        else if (take >> i & 1) {
            m = count;
            n = ready_take(s, ready, i, first[i], second[i], row, n, matched, &m);
            count = m;
        }
    }
    ready->count = n;
    s->ready_open++;
    return true;
}

void snt__sync_attach(snt_synchronizer *s)
{
    while (s->ready_open != s->ready_tail && ready_attach_one(s))
        ;
}

/* ------------------------------------------------------------------------------------------ deadlines, ages */

/* The rank whose head waited longest enough and is earliest by stamp; ranks if there is none. */
static uint32_t ready_overdue(snt_synchronizer *s)
{
    uint32_t found = s->ranks;
    int64_t key = 0;
    for (uint32_t r = 0; r < s->ranks; r++) {
        const snt__sync_lane *lane = snt__sync_ranked(s, r);
        if (lane->head == lane->tail)
            continue;
        const snt__sync_entry *entry = snt__sync_at(lane, lane->head);
        const int64_t arrived = s->slots[entry->slot].arrived;
        if (arrived == SNT_UNKNOWN || snt__sync_sub(s->now, arrived) < s->deadline)
            continue;
        if (found == s->ranks || entry->key < key) {
            found = r;
            key = entry->key;
        }
    }
    return found;
}

static void ready_give_up_on(snt_synchronizer *s, uint32_t anchor)
{
    const int64_t t = snt__sync_at(snt__sync_ranked(s, anchor), snt__sync_ranked(s, anchor)->head)->key;
    const int64_t reach = s->policy == SNT_SYNC_EXACT        ? t
                          : s->max_separation == SNT_UNKNOWN ? INT64_MAX
                                                             : snt__sync_plus(t, s->max_separation);
    uint32_t at[SNT_SYNC_MAX_INPUTS], slots[SNT_SYNC_MAX_INPUTS], count = 0;
    uint64_t present = 0;
    for (uint32_t r = 0; r < s->ranks; r++) {
        const snt__sync_lane *lane = snt__sync_ranked(s, r);
        uint32_t i = lane->head;
        while (i != lane->tail && snt__sync_at(lane, i)->key < t)
            i++;
        at[r] = i;
        if (i != lane->tail && snt__sync_at(lane, i)->key <= reach) {
            present |= SNT__BIT(s->input_of[r]);
            slots[count++] = snt__sync_at(lane, i)->slot;
        }
    }
    const uint64_t lacking = s->required & ~present;
    const uint32_t least = s->min_members ? s->min_members : s->ranks;
    snt__sync_separation separation;
    if (count < least || (count > 1 && s->max_separation != SNT_UNKNOWN &&
                          !snt__sync_acceptable(s, slots, count, &separation))) {
        snt__sync_drop_front(s, snt__sync_ranked(s, anchor), SNT_DROP_TIMEOUT,
                             lacking ? snt__first_bit(lacking) : SNT_SYNC_NO_INPUT);
        snt__sync_touch(s, anchor);
        return;
    }
    uint32_t *row = snt__sync_row(s, s->ready_tail), n = 0;
    for (uint32_t r = 0; r < s->ranks; r++) {
        const uint32_t input = s->input_of[r];
        if (!(present >> input & 1))
            continue;
        snt__sync_lane *lane = &s->lanes[input];
        ready_drop_before(s, input, at[r], SNT_DROP_SUPERSEDED);
        const uint32_t slot = row[n++] = snt__sync_at(lane, lane->head)->slot;
        if (s->slots[slot].gap) { /* LATEST lent it before: lent once more, it retires with this set */
            s->slots[slot].lent++;
            s->slots[slot].gap++;
            snt__sync_drop(s, slot, SNT_DROP_SUPERSEDED, 0, SNT_SYNC_NO_INPUT, SNT_UNKNOWN);
        }
        lane->last_out = snt__sync_at(lane, lane->head)->key;
        lane->in_sets++;
        lane->cur = ++lane->head;
        snt__sync_touch(s, r);
    }
    snt__sync_close(s, n, present, SNT_SYNC_FORCED);
}

static void ready_deadlines(snt_synchronizer *s)
{
    while (s->ready_tail - s->ready_head < s->ready_limit) {
        const uint32_t anchor = ready_overdue(s);
        if (anchor == s->ranks)
            return;
        if (s->policy == SNT_SYNC_APPROXIMATE && s->pivot != SNT_SYNC_NO_INPUT) {
            for (uint64_t bits = s->hidden; bits; bits &= bits - 1) {
                const uint32_t r = snt__first_bit(bits);
                snt__sync_ranked(s, r)->cur = snt__sync_ranked(s, r)->head;
                snt__sync_touch(s, r);
            }
            snt__sync_approx_publish(s, SNT_SYNC_FORCED);
        } else
            ready_give_up_on(s, anchor);
        snt__sync_rematch(s);
    }
}

static void ready_ages(snt_synchronizer *s, snt_time now)
{
    bool changed = false;
    for (uint32_t i = 0; i < s->inputs; i++) {
        snt__sync_lane *lane = &s->lanes[i];
        if (lane->cfg.role == SNT_ROLE_LATCHED)
            continue;
        for (; lane->head != lane->tail; lane->head++) {
            const snt__sync_entry *entry = snt__sync_at(lane, lane->head);
            if (snt__sync_sub(now, entry->key) <= s->max_age)
                break;
            if (!changed && s->policy == SNT_SYNC_APPROXIMATE && s->pivot != SNT_SYNC_NO_INPUT) {
                s->pivot = SNT_SYNC_NO_INPUT;
                for (; s->hidden; s->hidden &= s->hidden - 1) {
                    const uint32_t r = snt__first_bit(s->hidden);
                    snt__sync_ranked(s, r)->cur = snt__sync_ranked(s, r)->head;
                    snt__sync_touch(s, r);
                }
            }
            changed = true;
            snt__sync_drop(s, entry->slot, SNT_DROP_EXPIRED, 0, SNT_SYNC_NO_INPUT, SNT_UNKNOWN);
        }
        if (!(s->required >> i & 1) || !(s->hidden >> lane->rank & 1))
            lane->cur = lane->head;
        snt__sync_touch_any(s, i);
    }
    for (uint32_t i = s->ready_head; i != s->ready_tail; i++) {
        const snt__sync_ready *ready = &s->ready[i & s->ready_mask];
        if (ready->count && snt__sync_sub(now, ready->reference) > s->max_age)
            ready_dissolve(s, i, SNT_DROP_EXPIRED, SNT_SYNC_NO_INPUT);
    }
    if (changed)
        snt__sync_rematch(s);
}

void snt__sync_expire(snt_synchronizer *s, snt_time now_stamp)
{
    if (s->max_age > 0 && now_stamp != SNT_UNKNOWN)
        ready_ages(s, now_stamp);
    if (s->deadline > 0 && s->now != SNT_UNKNOWN)
        ready_deadlines(s);
    if (s->attached)
        snt__sync_attach(s);
}

void snt__sync_dissolve_ready(snt_synchronizer *s, bool all, uint32_t reason)
{
    for (uint32_t i = all ? s->ready_head : s->ready_open; i != s->ready_tail; i++)
        if (s->ready[i & s->ready_mask].count)
            ready_dissolve(s, i, reason, SNT_SYNC_NO_INPUT);
    s->ready_open = s->ready_tail;
}
