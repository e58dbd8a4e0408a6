/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking sets and drops. */
#include "sync_emit.h"

static void poll_weigh(snt_sync_member *before, snt_sync_member *after, int64_t reference)
{
    before->flags |= SNT_MEMBER_BEFORE;
    after->flags |= SNT_MEMBER_AFTER;
    const int64_t whole = snt__sync_sub(after->key_ns, before->key_ns);
    const int64_t part = snt__sync_sub(reference, before->key_ns);
    before->weight_num = after->weight_num = whole > 0 ? part : 0;
    before->weight_den = after->weight_den = whole > 0 ? whole : 1;
}

/* Where bounds, intervals or attached inputs have a say in how far the members are apart. */
static SNT__SYNC_COLD void poll_measure(const snt_synchronizer *s, const snt__sync_ready *ready,
                                        const uint32_t *row, snt_sync_member *members, snt_sync_set *set)
{
    uint32_t matched[2 * SNT_SYNC_MAX_INPUTS], m = 0;
    snt__sync_separation separation;
    for (uint32_t i = 0; i < ready->count; i++) {
        const uint32_t role = s->lanes[members[i].input].cfg.role;
        if (role <= SNT_ROLE_OPTIONAL)
            matched[m++] = row[i];
        else if (role == SNT_ROLE_INTERPOLATED && i && members[i - 1].input == members[i].input)
            poll_weigh(&members[i - 1], &members[i], ready->reference);
    }
    snt__sync_separate(s, matched, m, &separation);
    set->start_ns = separation.start;
    set->end_ns = separation.end;
    set->separation_ns = separation.nominal;
    set->separation_lo_ns = separation.lo;
    set->separation_hi_ns = separation.hi;
    set->verdict = separation.verdict;
}

static void poll_hand_out(snt_synchronizer *s, snt_sync_set *set, snt_sync_member *members)
{
    const uint32_t at = s->ready_head++;
    const snt__sync_ready *ready = &s->ready[at & s->ready_mask];
    const uint32_t *row = snt__sync_row(s, at), count = ready->count;
    int64_t start = INT64_MAX, end = INT64_MIN;
    uint32_t lent = 0,
             free_head = s->free_head; /* what is let go of stays readable: places are only linked */
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = row[i];
        snt__sync_slot *slot = &s->slots[index];
        snt__sync_fill(&members[i], &slot->sample, slot->key, snt__sync_input(slot),
                       slot->lent ? SNT_MEMBER_LENT : 0u);
        start = slot->key < start ? slot->key : start;
        end = slot->key > end ? slot->key : end;
        if (SNT_UNLIKELY(slot->lent)) {
            snt__sync_release(s, index); /* into the drop list, if anywhere */
            lent++;
        } else {
            slot->next = free_head;
            free_head = index;
        }
    }
    s->free_head = free_head;
    s->out += count - lent;
    set->number = s->polled++ + s->at_once;
    snt__sync_facts(s, set, count, start, end);
    set->reference_ns = ready->reference;
    set->decided_ns = ready->decided;
    set->present = ready->present;
    set->missing = ready->missing;
    set->flags = ready->flags;
    set->session = ready->session;
    set->more = s->ready_open - s->ready_head;
    set->undrained = snt__sync_undrained(s);
    if (SNT_UNLIKELY(s->careful | (s->attached != 0)))
        poll_measure(s, ready, row, members, set);
}

snt_status snt__sync_take(snt_synchronizer *s, snt_sync_set *set, snt_sync_member *members)
{
    while (s->ready_head != s->ready_open) {
        if (SNT_UNLIKELY(!s->ready[s->ready_head & s->ready_mask].count)) {
            s->ready_head++; /* dissolved */
            continue;
        }
        poll_hand_out(s, set, members);
        return SNT_OK;
    }
    return SNT_EMPTY;
}

snt_status snt_synchronizer_poll(snt_synchronizer *s, snt_time now, snt_time now_stamp, snt_sync_set *set,
                                 snt_sync_member *members, uint32_t capacity)
{
    if (!s || !set || !members)
        return SNT_ERR_INVALID_ARG;
    if (capacity < s->width)
        return SNT_ERR_BUFFER_TOO_SMALL;
    snt__sync_enter(s);
    snt__sync_begin(s, now);
    if (SNT_UNLIKELY(s->timed))
        snt__sync_expire(s, now_stamp);
    const snt_status status = snt__sync_take(s, set, members);
    snt__sync_leave(s);
    return status;
}

snt_status snt_synchronizer_poll_drops(snt_synchronizer *s, snt_sync_drop *drops, uint32_t capacity,
                                       uint32_t *count)
{
    if (!s || !count || (capacity && !drops))
        return SNT_ERR_INVALID_ARG;
    snt__sync_enter(s);
    snt__sync_begin(s, SNT_UNKNOWN);
    uint32_t n = 0;
    for (; n < capacity && s->drop_head != s->drop_tail; n++) {
        const uint32_t index = s->drops[s->drop_head++ & s->drop_mask];
        const snt__sync_slot *slot = &s->slots[index];
        const uint32_t notes = slot->sample.reserved, partner = notes >> 8;
        const bool retired = snt__sync_reason(slot) == SNT_DROP_RETIRED;
        snt_sync_drop *drop = &drops[n];
        drop->sample = slot->sample;
        drop->sample.reserved = 0;
        drop->key_ns = slot->key;
        drop->waited_ns = slot->arrived;
        drop->gap_ns = retired ? SNT_UNKNOWN : slot->gap;
        drop->input = snt__sync_input(slot);
        drop->reason = snt__sync_reason(slot);
        drop->cause = notes & 255;
        drop->partner = partner == 255 ? SNT_SYNC_NO_INPUT : partner;
        drop->uses = retired ? (uint32_t)slot->gap : 0;
        drop->reserved = 0;
        s->slots[index].gap = 0;
        s->slots[index].next = s->free_head;
        s->free_head = index;
    }
    snt__sync_leave(s);
    *count = n;
    return n ? SNT_OK : SNT_EMPTY;
}
