/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The usual miss, told fast: some edges have no sample as new as the time asked, and all others cover it. Whoever waits for
 * the newest data asks thus again and again. The same facts as snt__tf_explain gives, gathered in one look; whatever is
 * less usual is left to it.
 */
#include "tf_internal.h"

#define TF_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

#if TF_WHOLE_WORDS
/* The edge with the longest wait; SNT_OK where another look is needed. */
static inline snt_status tf_short_worst(const snt_tf_buffer *b, const tf_chain *chain, int64_t t,
                                        uint32_t *worst, uint32_t *failing)
{
    const uint32_t domain = TF_GET(tf_edge_at(b, chain->links[0].slot)->domain);
    int64_t least = INT64_MAX;
    uint32_t odd = 0, n = 0, at = 0;
    for (uint32_t i = 0; i < chain->moving; i++) {
        const tf_link *link = &chain->links[i];
        tf_edge *edge = tf_edge_at(b, link->slot);
        const int64_t newest = tf_newest(edge); /* a hint, until the ring confirms it for the edge to blame */
        odd |= (TF_GET(edge->domain) ^ domain) | (TF_GET(edge->generation) ^ link->generation) |
               (TF_GET(edge->traits) & TF_TRAIT_CUSTOM);
        n += t > newest;
        at = newest < least ? i : at;
        least = newest < least ? newest : least;
    }
    *worst = at;
    *failing = n;
    return odd || t <= least || (uint64_t)t - (uint64_t)least > (uint64_t)TF_YEAR_NS ? SNT_OK
                                                                                     : SNT_ERR_FUTURE;
}

/* No edge that reaches t fails for another reason, which would be the better explanation. */
static bool tf_short_others_cover(const snt_tf_buffer *b, const tf_chain *chain, int64_t t)
{
    for (uint32_t i = 0; i < chain->moving; i++) {
        tf_edge *edge = tf_edge_at(b, chain->links[i].slot);
        int64_t oldest, newest;
        uint32_t count;
        if (t > tf_newest(edge))
            continue;
        if (tf_ends(&edge->ring, &b->store, &oldest, &newest, &count) != TF_AT || t < oldest || t > newest)
            return false;
    }
    return true;
}

static inline void tf_short_fill(const snt_tf_buffer *constant, const tf_chain *chain, uint32_t worst,
                                 int64_t t, int64_t oldest, int64_t newest, snt_tf_miss *miss)
{
    snt_tf_buffer *b = (snt_tf_buffer *)(uintptr_t)constant;
    const tf_link *link = &chain->links[worst];
    const tf_edge *edge = tf_edge_at(b, link->slot);
    const int64_t period = tf_period(edge), missing = t - newest;
    miss->status = SNT_ERR_FUTURE;
    miss->reason = SNT_TF_MISS_FUTURE;
    miss->target = chain->target;
    miss->source = chain->source;
    miss->child = (snt_frame)link->generation << 32 | (link->slot + 1);
    miss->parent = tf_frame_of(b, link->parent - 1);
    miss->asked = t;
    miss->oldest = oldest;
    miss->newest = newest;
    miss->missing_ns = missing;
    miss->period_ns = period;
    miss->next_due = miss->answer_due = SNT_UNKNOWN;
    if (period != SNT_UNKNOWN) {
        miss->next_due = miss->answer_due = tf_plus(newest, period);
        if (missing > period)
            miss->answer_due = tf_covered_from(newest, period, missing);
    }
    miss->other_child = miss->other_parent = 0;
    miss->other_oldest = miss->other_newest = SNT_UNKNOWN;
    miss->root_target = miss->root_source = 0;
    miss->permanent = 0;
    miss->domain = TF_GET(((tf_edge *)(uintptr_t)edge)->domain);
    miss->other_domain = 0;
    miss->session = TF_GET(b->session);
    for (unsigned i = 0; i < SNT_COUNT_OF(miss->reserved); i++)
        miss->reserved[i] = 0;
}

snt_status snt__tf_short(const snt_tf_buffer *constant, const tf_chain *chain, int64_t t, snt_tf_miss *miss)
{
    snt_tf_buffer *b = (snt_tf_buffer *)(uintptr_t)constant;
    uint32_t worst, failing, count;
    int64_t oldest, newest;
    const uint32_t reset = atomic_load_explicit(&b->reset_seq, memory_order_acquire);
    if (!chain->moving || b->settings.extrapolate_ns || b->settings.max_gap_ns != INT64_MAX ||
        TF_GET(b->mixed_edges) ||
        (b->config.epoch && snt_epoch_session(b->config.epoch) != TF_GET(b->session)))
        return SNT_OK;
    if (tf_short_worst(b, chain, t, &worst, &failing) == SNT_OK)
        return SNT_OK;
    const tf_edge *edge = tf_edge_at(b, chain->links[worst].slot);
    if (tf_ends(&edge->ring, &b->store, &oldest, &newest, &count) != TF_AT || t <= newest ||
        (failing < chain->moving && !tf_short_others_cover(b, chain, t)) || snt__tf_reset_meanwhile(b, reset))
        return SNT_OK;
    if (miss) {
        tf_short_fill(b, chain, worst, t, oldest, newest, miss);
        miss->failing_edges = failing;
        miss->samples = count + (TF_GET(((tf_edge *)(uintptr_t)edge)->ring.late) & TF_LATE_MASK);
    }
    return SNT_ERR_FUTURE;
}
#else
snt_status snt__tf_short(const snt_tf_buffer *b, const tf_chain *chain, int64_t t, snt_tf_miss *miss)
{
    (void)b, (void)chain, (void)t, (void)miss;
    return SNT_OK; /* newest stamps are not whole words here */
}
#endif

/* The edge that made a lookup fail will be the first to make the next one fail. */
void snt__tf_suspect(const snt_tf_path *constant, const tf_chain *chain)
{
    snt_tf_path *path = (snt_tf_path *)(uintptr_t)constant;
    int64_t least = INT64_MAX;
    uint32_t worst = 0;
    for (uint32_t i = 0; i < chain->moving; i++) {
        const int64_t newest = tf_newest(tf_edge_at(path->buffer, chain->links[i].slot));
        worst = newest < least ? i + 1 : worst;
        least = newest < least ? newest : least;
    }
    if (atomic_load_explicit(&path->suspect, memory_order_relaxed) != worst)
        atomic_store_explicit(&path->suspect, worst, memory_order_relaxed);
}

#undef TF_GET
