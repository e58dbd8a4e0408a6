/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far the members of a set are apart. A member occupies [a, b]: its matching time, or the whole interval where
 * overlap counts. Its truth lies in [a − e_lo, b + e_hi]. Two members are apart by the gap between them.
 */
#include "sync_internal.h"

typedef struct sync_extent {
    int64_t a, b, e_lo, e_hi;
    bool lo_known, hi_known;
} sync_extent;

static sync_extent sync_extent_of(const snt_synchronizer *s, const snt__sync_slot *slot)
{
    const snt_sync_input_config *cfg = &s->lanes[snt__sync_input(slot)].cfg;
    const snt_sample *sample = &slot->sample;
    sync_extent x = {.a = slot->key, .b = slot->key};
    if (cfg->match == SNT_MATCH_OVERLAP) {
        x.a = snt__sync_plus(sample->t0_ns, cfg->offset_ns);
        x.b = snt__sync_plus(sample->t1_ns, cfg->offset_ns);
    }
    x.lo_known = (sample->flags & SNT_TIME_BOUND_LO) != 0;
    x.hi_known = (sample->flags & SNT_TIME_BOUND_HI) != 0;
    x.e_lo = snt__sync_plus(x.lo_known ? sample->err_lo_ns : 0, cfg->offset_err_ns);
    x.e_hi = snt__sync_plus(x.hi_known ? sample->err_hi_ns : 0, cfg->offset_err_ns);
    return x;
}

void snt__sync_separate(const snt_synchronizer *s, const uint32_t *slots, uint32_t count,
                        snt__sync_separation *out)
{
    *out = (snt__sync_separation){.start = INT64_MAX, .end = INT64_MIN};
    int64_t last_a = INT64_MIN, first_b = INT64_MAX, last_a_lo = INT64_MIN, first_b_hi = INT64_MAX;
    /* two largest a + e_hi and two smallest b − e_lo: the widest pair must be of two members */
    int64_t top[2] = {INT64_MIN, INT64_MIN}, low[2] = {INT64_MAX, INT64_MAX};
    uint32_t top_at = 0, low_at = 0;
    int64_t widest = -1;
    bool known = true;
    for (uint32_t i = 0; i < count; i++) {
        const snt__sync_slot *slot = &s->slots[slots[i]];
        const sync_extent x = sync_extent_of(s, slot);
        out->start = slot->key < out->start ? slot->key : out->start;
        out->end = slot->key > out->end ? slot->key : out->end;
        last_a = x.a > last_a ? x.a : last_a;
        first_b = x.b < first_b ? x.b : first_b;
        const int64_t a_lo = snt__sync_sub(x.a, x.e_lo), b_hi = snt__sync_plus(x.b, x.e_hi);
        last_a_lo = a_lo > last_a_lo ? a_lo : last_a_lo;
        first_b_hi = b_hi < first_b_hi ? b_hi : first_b_hi;
        const int64_t a_hi = snt__sync_plus(x.a, x.e_hi), b_lo = snt__sync_sub(x.b, x.e_lo);
        if (a_hi > top[0]) {
            top[1] = top[0];
            top[0] = a_hi;
            top_at = i;
        } else if (a_hi > top[1])
            top[1] = a_hi;
        if (b_lo < low[0]) {
            low[1] = low[0];
            low[0] = b_lo;
            low_at = i;
        } else if (b_lo < low[1])
            low[1] = b_lo;
        known = known && x.lo_known && x.hi_known;
        const int64_t width = !x.lo_known || !x.hi_known ? INT64_MAX : snt__sync_plus(x.e_lo, x.e_hi);
        if (width > widest) {
            widest = width;
            out->widest = i;
        }
    }
    const int64_t nominal = snt__sync_sub(last_a, first_b), lo = snt__sync_sub(last_a_lo, first_b_hi);
    int64_t hi = 0;
    if (count > 1 && top_at != low_at)
        hi = snt__sync_sub(top[0], low[0]);
    else if (count > 1) {
        const int64_t p = snt__sync_sub(top[0], low[1]), q = snt__sync_sub(top[1], low[0]);
        hi = p > q ? p : q;
    }
    out->nominal = count > 1 && nominal > 0 ? nominal : 0;
    out->lo = count > 1 && lo > 0 ? lo : 0;
    out->hi = count < 2 ? 0 : !known ? SNT_UNKNOWN : hi > 0 ? hi : 0;
    if (s->max_separation == SNT_UNKNOWN || out->hi <= s->max_separation)
        out->verdict = SNT_SYNC_CERTAIN;
    else
        out->verdict = out->lo <= s->max_separation ? SNT_SYNC_POSSIBLE : SNT_SYNC_NO;
}

bool snt__sync_acceptable(const snt_synchronizer *s, const uint32_t *slots, uint32_t count,
                          snt__sync_separation *out)
{
    snt__sync_separate(s, slots, count, out);
    return out->verdict >= (s->flags & SNT_SYNC_REQUIRE_CERTAIN ? SNT_SYNC_CERTAIN : SNT_SYNC_POSSIBLE);
}
