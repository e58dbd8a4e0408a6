/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing a set to the caller. Polls do it from the rows of ready sets; while ::snt_synchronizer_add_poll runs, the first
 * set that is decided goes out at once if nothing waits before it: that is what polling would have given.
 */
#ifndef SNT_LIB_SYNC_EMIT_H
#define SNT_LIB_SYNC_EMIT_H

#include "sync_internal.h"

static inline void snt__sync_fill(snt_sync_member *out, const snt_sample *sample, int64_t key, uint32_t input,
                                  uint32_t flags)
{
    out->sample = *sample;
    out->key_ns = key;
    out->weight_num = 0;
    out->weight_den = 1;
    out->input = input;
    out->flags = flags;
}

/* A set of REQUIRED members without bounds: how far they are apart follows from their keys. */
SNT__SYNC_HOT void snt__sync_facts(snt_synchronizer *s, snt_sync_set *set, uint32_t count, int64_t start,
                                   int64_t end)
{
    const int64_t nominal = snt__sync_sub(end, start);
    set->start_ns = start;
    set->end_ns = end;
    set->separation_ns = nominal;
    set->separation_lo_ns = nominal;
    set->separation_hi_ns = count < 2 ? 0 : SNT_UNKNOWN;
    set->member_count = count;
    set->verdict = s->max_separation == SNT_UNKNOWN || count < 2 ? SNT_SYNC_CERTAIN
                   : nominal <= s->max_separation                ? SNT_SYNC_POSSIBLE
                                                                 : SNT_SYNC_NO;
    set->domain = s->domain;
    set->reserved = 0;
}

/* A set with all REQUIRED inputs that goes out as it is decided. `more` and `undrained` are as of now. */
SNT__SYNC_HOT void snt__sync_facts_now(snt_synchronizer *s, snt_sync_set *set, uint32_t count, int64_t start,
                                       int64_t end, int64_t reference, uint32_t flags)
{
    const int64_t nominal =
        start == end ? 0 : snt__sync_sub(end, start); /* a compiler may know that they are */
    const bool wide = nominal > 0 && s->max_separation != SNT_UNKNOWN && nominal > s->max_separation;
    /* in the order of the fields: see snt__sync_lane */
    set->number = s->polled + s->at_once;
    set->reference_ns = reference;
    set->start_ns = start;
    set->end_ns = end;
    set->separation_ns = nominal;
    set->separation_lo_ns = nominal;
    set->separation_hi_ns = count < 2 ? 0 : SNT_UNKNOWN;
    set->decided_ns = s->now;
    set->present = s->required;
    set->missing = 0;
    set->member_count = count;
    set->verdict = wide ? (uint32_t)SNT_SYNC_NO : s->verdict;
    set->flags = flags;
    set->session = s->session;
    set->domain = s->domain;
    set->more = 0;
    set->undrained = snt__sync_undrained(s);
    set->reserved = 0;
    s->full_sets++;
    s->at_once++;
}

/* The row of a set with all REQUIRED inputs, none of them lent, to the caller; their places become free. */
SNT__SYNC_HOT void snt__sync_emit(snt_synchronizer *s, const uint32_t *row, uint32_t count, uint32_t flags)
{
    snt_sync_member *members = s->sink_members;
    int64_t start = INT64_MAX, end = INT64_MIN;
    uint32_t free_head = s->free_head;
    for (uint32_t r = 0; r < count; r++) {
        const uint32_t index = row[r];
        snt__sync_slot *slot = &s->slots[index];
        const int64_t key = slot->key;
        snt__sync_fill(&members[r], &slot->sample, key, snt__sync_input(slot), 0);
        start = key < start ? key : start;
        end = key > end ? key : end;
        slot->next = free_head;
        free_head = index;
    }
    s->free_head = free_head;
    snt__sync_facts_now(s, s->sink, count, start, end, s->slots[row[s->reference_rank]].key, flags);
    s->sink = NULL;
}

/* A set with all REQUIRED inputs is in the row of snt__sync_row(s, s->ready_tail). */
SNT__SYNC_HOT void snt__sync_close_full(snt_synchronizer *s, uint32_t count, uint32_t flags)
{
    const uint32_t *row = snt__sync_row(s, s->ready_tail);
    if (s->sink && s->direct && s->ready_head == s->ready_tail) {
        snt__sync_emit(s, row, count, flags);
        return;
    }
    snt__sync_ready *ready = &s->ready[s->ready_tail & s->ready_mask];
    ready->decided = s->now;
    ready->reference = s->slots[row[s->reference_rank]].key;
    ready->present = s->required;
    ready->missing = 0;
    ready->count = count;
    ready->flags = flags;
    ready->session = s->session;
    s->ready_tail++;
    s->full_sets++;
    if (!s->attached)
        s->ready_open = s->ready_tail;
    else
        snt__sync_attach(s);
}

#endif
