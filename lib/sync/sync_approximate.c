/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ApproximateTime. The search walks the fronts: the earliest is hidden again and again, and the narrowest set seen is
 * the candidate. The pivot is the latest member of the first candidate; no set without it can come first, so once
 * everything left lies behind what the pivot allows, the candidate is final. Where a queue runs empty, the least time
 * its next sample can have stands in ("virtual" moves).
 *
 * Compat mode keeps two quirks: an overflow forgets the candidate and marks its lane, and while a marked lane is the end
 * of a set that set is refused (with equal stamps on the last lane: for ever). Fixed mode emits the candidate instead.
 */
#include "sync_emit.h"

#include "sync_scale.h"

typedef struct approx_bounds {
    uint32_t lo, hi;
    int64_t first, last;
} approx_bounds;

/* First of the minima, last of the maxima. */
SNT__SYNC_HOT approx_bounds approx_find(const int64_t *t, uint32_t n)
{
    approx_bounds b = {0, 0, 0, 0};
    if (n == 2) { /* the commonest case needs no loop */
        int64_t a = t[0], z = t[1];
        SNT__SYNC_HOLD(a); /* one load for both would wait until what was stored last has reached the cache */
        SNT__SYNC_HOLD(z);
        if (SNT_LIKELY(z >= a)) /* a branch: what follows need not wait for the comparison */
            return (approx_bounds){0, 1, a, z};
        return (approx_bounds){1, 0, z, a};
    }
    int64_t least = t[0], most = t[0];
    for (uint32_t i = 1; i < n; i++) {
        const bool less = t[i] < least, more = t[i] >= most;
        b.lo = less ? i : b.lo;
        least = less ? t[i] : least;
        b.hi = more ? i : b.hi;
        most = more ? t[i] : most;
    }
    b.first = least;
    b.last = most;
    return b;
}

SNT__SYNC_HOT void approx_hide(snt_synchronizer *s, uint32_t rank)
{
    const uint32_t input = s->input_of[rank];
    snt__sync_lane *lane = &s->lanes[input];
    s->hidden |= SNT__BIT(rank);
    if (++lane->cur != lane->tail)
        s->front[rank] = snt__sync_at(lane, lane->cur)->key;
    else {
        s->full &= ~SNT__BIT(input);
        snt__sync_ran_empty(s, lane);
    }
}

static void approx_unhide(snt_synchronizer *s)
{
    for (; s->hidden; s->hidden &= s->hidden - 1) {
        const uint32_t rank = snt__first_bit(s->hidden);
        snt__sync_lane *lane = snt__sync_ranked(s, rank);
        lane->cur = lane->head;
        snt__sync_touch(s, rank);
    }
}

static void approx_forget(snt_synchronizer *s)
{
    s->pivot = SNT_SYNC_NO_INPUT;
    approx_unhide(s);
}

void snt__sync_approx_restart(snt_synchronizer *s)
{
    approx_forget(s);
    snt__sync_approx_process(s);
}

/* The candidate is at the heads of all `n` lanes. */
SNT__SYNC_HOT void approx_publish(snt_synchronizer *s, uint32_t n, uint32_t flags)
{
    uint32_t *row = snt__sync_row(s, s->ready_tail);
    s->hidden = 0;
    s->pivot = SNT_SYNC_NO_INPUT;
    uint64_t empty = 0;
    for (uint32_t r = 0; r < n; r++) {
        const uint32_t input = s->input_of[r], head = s->lanes[input].head;
        snt__sync_lane *lane = &s->lanes[input];
        const snt__sync_entry *entry = snt__sync_at(lane, head);
        row[r] = entry->slot;
        lane->last_out = entry->key;
        lane->cur = lane->head = head + 1;
        if (head + 1 != lane->tail)
            s->front[r] = snt__sync_at(lane, head + 1)->key;
        else {
            empty |= SNT__BIT(input);
            snt__sync_ran_empty(s, lane);
        }
    }
    s->full = (s->full | s->required) & ~empty;
    snt__sync_close_full(s, n, flags);
}

void snt__sync_approx_publish(snt_synchronizer *s, uint32_t flags)
{
    approx_publish(s, s->ranks, flags);
}

/* What lies before the cursor can be in no set any more. Apart, so that the search keeps its registers. */
static SNT__SYNC_COLD void approx_supersede(snt_synchronizer *s, snt__sync_lane *lane)
{
    const uint32_t cur = lane->cur;
    uint32_t head = lane->head;
    for (; head != cur; head++)
        snt__sync_supersede(s, snt__sync_at(lane, head)->slot);
    lane->head = head;
}

/* The fronts become the candidate: what was hidden before them can be in no set any more. */
SNT__SYNC_HOT void approx_take(snt_synchronizer *s, int64_t start, int64_t end)
{
    for (uint64_t bits = s->hidden; bits; bits &= bits - 1)
        approx_supersede(s, snt__sync_ranked(s, snt__first_bit(bits)));
    s->hidden = 0;
    s->start = start;
    s->end = end;
}

/*
 * After a take. Lane `lo` has the start, and as long as what follows there is later, yet earlier than every other front
 * (the pivot is one, unless it is `lo` itself, which ends the search), each next one makes a narrower candidate with the
 * same end: fast inputs beside slow ones come here.
 */
SNT__SYNC_HOT void approx_stride(snt_synchronizer *s, uint32_t lo, uint32_t n)
{
    snt__sync_lane *lane = &s->lanes[s->input_of[lo]];
    SNT__SYNC_HOLD(lane);
    uint32_t at = lane->cur;
    if (at + 1 == lane->tail || snt__sync_at(lane, at + 1)->key >= s->pivot_key)
        return;
    int64_t limit = s->pivot_key;
    for (uint32_t r = 0; r < n; r++)
        limit = r != lo && s->front[r] < limit ? s->front[r] : limit;
    for (; at + 1 != lane->tail; at++) {
        const int64_t next = snt__sync_at(lane, at + 1)->key;
        if (next <= s->start || next >= limit)
            break;
        snt__sync_supersede(s, snt__sync_at(lane, at)->slot);
        s->start = next;
    }
    lane->head = lane->cur = at;
}

static int64_t approx_scale(const snt_synchronizer *s, int64_t x)
{
    return snt__sync_scale(x, s->scale_mantissa, s->scale_shift);
}

SNT__SYNC_HOT bool approx_scaled_at_least(const snt_synchronizer *s, int64_t a, int64_t b)
{
    if (a >= 0 ? a >= b : b > a) /* the factor is >= 1: no product needed */
        return a >= 0;
    if (a >= 0 && s->scale_shift == 52 && a < b - a) /* the factor is below 2 */
        return false;
    return approx_scale(s, a) >= b;
}

/* Is `last` later than the candidate's end by enough, scaled, to outweigh what `t` is later than its start? */
SNT__SYNC_HOT bool approx_outweighs(const snt_synchronizer *s, int64_t last, int64_t t)
{
    if (last == s->end) /* the commonest case: nothing to scale */
        return t <= s->start;
    return approx_scaled_at_least(s, snt__sync_sub(last, s->end), snt__sync_sub(t, s->start));
}

/* The least stamp that the lane's front has, or that its next sample can have. */
static inline int64_t approx_least(const snt_synchronizer *s, const snt__sync_lane *lane, uint32_t at)
{
    if (at != lane->tail)
        return snt__sync_at(lane, at)->key;
    const int64_t next = snt__sync_plus(snt__sync_at(lane, lane->tail - 1)->key, snt__sync_bound(lane));
    return next > s->pivot_key ? next : s->pivot_key;
}

enum { APPROX_WAIT, APPROX_PUBLISH, APPROX_MOVE };

static inline int approx_judge(const snt_synchronizer *s, int64_t first, int64_t last)
{
    const int64_t later = snt__sync_sub(last, s->end);
    if (approx_scaled_at_least(s, later, snt__sync_sub(s->pivot_key, s->start)))
        return APPROX_PUBLISH;
    return approx_scaled_at_least(s, later, snt__sync_sub(first, s->start)) ? APPROX_MOVE : APPROX_WAIT;
}

/* Moves on through what is there and what may come at the earliest. */
static SNT__SYNC_COLD int approx_virtual_moves(const snt_synchronizer *s)
{
    int64_t t[SNT_SYNC_MAX_INPUTS];
    uint32_t at[SNT_SYNC_MAX_INPUTS];
    for (uint32_t r = 0; r < s->ranks; r++) {
        const snt__sync_lane *lane = &s->lanes[s->input_of[r]];
        at[r] = lane->cur;
        t[r] = approx_least(s, lane, lane->cur);
    }
    for (;;) {
        const approx_bounds b = approx_find(t, s->ranks);
        const int verdict = approx_judge(s, t[b.lo], t[b.hi]);
        if (verdict != APPROX_MOVE)
            return verdict;
        const snt__sync_lane *lane = &s->lanes[s->input_of[b.lo]];
        if (at[b.lo] == lane->tail) /* cannot happen for sane bounds; never loop */
            return APPROX_WAIT;
        t[b.lo] = approx_least(s, lane, ++at[b.lo]);
    }
}

/* Could samples that have not arrived make a better set? Publishes and returns true if not. */
SNT__SYNC_HOT bool approx_virtual(snt_synchronizer *s, uint32_t n)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t r = 0; r < n; r++) {
        const snt__sync_lane *lane = &s->lanes[s->input_of[r]];
        const int64_t t = approx_least(s, lane, lane->cur);
        first = t < first ? t : first;
        last = t > last ? t : last;
    }
    int verdict = approx_judge(s, first, last); /* mostly decided without a move */
    if (verdict == APPROX_MOVE)
        verdict = approx_virtual_moves(s);
    if (verdict == APPROX_PUBLISH)
        approx_publish(s, n, 0);
    return verdict == APPROX_PUBLISH;
}

static bool approx_certain(snt_synchronizer *s, snt__sync_separation *separation)
{
    uint32_t slots[SNT_SYNC_MAX_INPUTS];
    for (uint32_t r = 0; r < s->ranks; r++) {
        const snt__sync_lane *lane = snt__sync_ranked(s, r);
        slots[r] = snt__sync_at(lane, lane->cur)->slot;
    }
    return snt__sync_acceptable(s, slots, s->ranks, separation);
}

/* No candidate yet: may the fronts be one? If not, the sample that stands in the way is dropped. */
static bool approx_refuse(snt_synchronizer *s, approx_bounds b)
{
    uint32_t victim = b.lo, reason = SNT_DROP_NO_PARTNER;
    if (s->flags & SNT_SYNC_COMPAT) {
        const bool wide = snt__sync_sub(s->front[b.hi], s->front[b.lo]) > s->max_separation;
        if (!wide && !(s->overflowed & SNT__BIT(b.hi)))
            return false;
    } else if (!s->careful) {
        if (snt__sync_sub(s->front[b.hi], s->front[b.lo]) <= s->max_separation)
            return false;
    } else {
        snt__sync_separation separation;
        if (approx_certain(s, &separation))
            return false;
        if (separation.nominal <= s->max_separation) {
            victim = separation.widest;
            reason = SNT_DROP_UNCERTAIN;
        }
    }
    snt__sync_miss(s, b.lo, b.hi);
    snt__sync_drop_front(s, snt__sync_ranked(s, victim), reason, s->input_of[victim == b.hi ? b.lo : b.hi]);
    snt__sync_touch(s, victim);
    return true;
}

SNT__SYNC_HOT void approx_search(snt_synchronizer *s, const uint32_t n)
{
    while (snt__sync_complete(s)) {
        const approx_bounds b = approx_find(s->front, n);
        const int64_t first = b.first, last = b.last;
        if (SNT_UNLIKELY(s->overflowed))
            s->overflowed &= SNT__BIT(b.hi);
        if (s->pivot == SNT_SYNC_NO_INPUT) {
            if (approx_refuse(s, b))
                continue;
            approx_take(s, first, last);
            s->pivot = b.hi;
            s->pivot_key = last;
            if (!s->careful || (s->flags & SNT_SYNC_COMPAT))
                approx_stride(s, b.lo, n);
        } else if (!approx_outweighs(s, last, first)) {
            snt__sync_separation separation;
            if (!s->careful || (s->flags & SNT_SYNC_COMPAT)) {
                approx_take(s, first, last);
                approx_stride(s, b.lo, n);
            } else if (approx_certain(s, &separation))
                approx_take(s, first, last);
        }
        approx_hide(s, b.lo);
        if (b.lo == s->pivot || approx_outweighs(s, last, s->pivot_key))
            approx_publish(s, n, 0);
        else if (!snt__sync_complete(s) && !approx_virtual(s, n))
            return;
    }
}

void snt__sync_approx_process(snt_synchronizer *s)
{
    if (s->ranks == 2) /* the commonest case, without loops */
        approx_search(s, 2);
    else
        approx_search(s, s->ranks);
}

/* The rest of adding in compat mode, apart so that a sample that only queues up pays nothing for it. */
static void approx_compat_go_on(snt_synchronizer *s, uint32_t input, bool complete)
{
    snt__sync_lane *lane = &s->lanes[input];
    if (complete)
        snt__sync_approx_process(s);
    if (lane->tail - lane->head <= lane->limit)
        return;
    approx_unhide(s);
    snt__sync_overflow(s, input);
    snt__sync_touch(s, lane->rank);
    s->overflowed |= SNT__BIT(lane->rank);
    if (s->pivot != SNT_SYNC_NO_INPUT) {
        s->pivot = SNT_SYNC_NO_INPUT;
        snt__sync_approx_process(s);
    }
}

void snt__sync_approx_add_compat(snt_synchronizer *s, uint32_t input, uint32_t index)
{
    snt__sync_lane *lane = &s->lanes[input];
    const uint32_t tail = lane->tail;
    const int64_t key = s->slots[index].key;
    snt__sync_entry *entry = snt__sync_at(lane, tail);
    entry->key = key;
    entry->slot = index;
    lane->tail = tail + 1;
    bool complete = false;
    if (lane->cur == tail) {
        s->front[lane->rank] = key;
        s->full |= SNT__BIT(input);
        complete = snt__sync_complete(s);
    }
    if (complete || tail + 1 - lane->head > lane->limit)
        approx_compat_go_on(s, input, complete);
}

void snt__sync_approx_add(snt_synchronizer *s, uint32_t input, uint32_t index)
{
    snt__sync_lane *lane = &s->lanes[input];
    const int64_t key = s->slots[index].key;
    const bool was_empty = lane->cur == lane->tail;
    /* An older sample that lands before the candidate's member or the cursor makes the search wrong: search anew. */
    const bool behind = s->pivot != SNT_SYNC_NO_INPUT && lane->head != lane->tail &&
                        snt__sync_at(lane, lane->cur != lane->head ? lane->cur - 1 : lane->head)->key > key;
    if (!snt__sync_insert_sorted(s, lane, index))
        return;
    if (behind)
        approx_forget(s);
    snt__sync_touch(s, lane->rank);
    if (was_empty || s->pivot == SNT_SYNC_NO_INPUT)
        snt__sync_approx_process(s);
    if (lane->tail - lane->head <= lane->limit)
        return;
    if (s->pivot != SNT_SYNC_NO_INPUT) {
        approx_unhide(s);
        snt__sync_approx_publish(s, SNT_SYNC_FORCED);
        snt__sync_approx_process(s);
    } else {
        snt__sync_overflow(s, input);
        snt__sync_touch(s, lane->rank);
    }
}
