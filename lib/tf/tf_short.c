/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The usual miss, told fast: some edges have no sample as new as the time asked, and all others cover it. Whoever waits for
 * the newest data asks thus again and again. The same facts as snt__tf_explain gives, gathered in one look; whatever is
 * less usual is left to it.
 */
#include "tf_internal.h"

#define TF_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

#if SNT_GNU
#define TF_SHORT_INLINE static inline __attribute__((always_inline))
#define TF_SHORT_APART  static __attribute__((noinline))
#else
#define TF_SHORT_INLINE static inline
#define TF_SHORT_APART  static
#endif

#if TF_WHOLE_WORDS
/* No edge has settings of its own, or another clock than the rest. */
TF_SHORT_APART bool tf_short_alike(const tf_chain *chain)
{
    uint32_t odd = 0;
    for (uint32_t i = 0; i < chain->moving; i++)
        odd |= (TF_GET(chain->edges[i]->domain) ^ TF_GET(chain->edges[0]->domain)) |
               (TF_GET(chain->edges[i]->traits) & TF_TRAIT_CUSTOM);
    return !odd;
}

/* How many edges are short; 0 where one that is not fails for another reason, which would be the better explanation. */
TF_SHORT_APART uint32_t tf_short_beside_others(const snt_tf_buffer *b, const tf_chain *chain, int64_t t)
{
    uint32_t failing = 0;
    for (uint32_t i = 0; i < chain->moving; i++) {
        const tf_edge *edge = chain->edges[i];
        int64_t oldest, newest;
        uint32_t count;
        if (t > tf_newest(edge))
            failing++;
        else if (tf_ends(&edge->ring, &b->store, &oldest, &newest, &count) != TF_AT || t < oldest ||
                 t > newest)
            return 0;
    }
    return failing;
}

TF_SHORT_INLINE void tf_short_fill(snt_tf_buffer *b, const tf_chain *chain, uint32_t worst, int64_t t,
                                   int64_t oldest, int64_t newest, snt_tf_miss *miss)
{
    const tf_link *link = &chain->links[worst];
    tf_edge *edge = chain->edges[worst];
    const int64_t period = tf_period(edge), missing = t - newest;
    miss->status = SNT_ERR_FUTURE;
    miss->reason = SNT_TF_MISS_FUTURE;
    miss->target = chain->target;
    miss->source = chain->source;
    miss->child = (snt_frame)link->generation << 32 | (link->slot + 1);
    const uint32_t above = TF_GET(b->edges[link->parent - 1].generation);
    miss->parent = SNT_LIKELY(above & 1) ? (snt_frame)above << 32 | link->parent : 0;
    miss->asked = t;
    miss->oldest = oldest;
    miss->newest = newest;
    miss->missing_ns = missing;
    miss->period_ns = period;
    int64_t next = SNT_UNKNOWN, answer = SNT_UNKNOWN;
    if (SNT_LIKELY(period != SNT_UNKNOWN)) {
        next = answer = newest > INT64_MAX - period ? INT64_MAX : newest + period;
        if (missing > period) /* the second next is often enough, and costs no division */
            answer = missing - period <= period && next <= INT64_MAX - period
                         ? next + period
                         : tf_covered_from(newest, period, missing);
    }
    miss->next_due = next;
    miss->answer_due = answer;
    miss->other_child = 0;
    miss->other_parent = 0;
    miss->other_oldest = SNT_UNKNOWN;
    miss->other_newest = SNT_UNKNOWN;
    miss->root_target = 0;
    miss->root_source = 0;
    miss->permanent = 0;
    miss->domain = TF_GET(edge->domain);
    miss->other_domain = 0;
    miss->session = TF_GET(b->session);
    memset(miss->reserved, 0, sizeof miss->reserved);
}

/* `structure`: the tree's version at which the chain was found good. */
TF_SHORT_INLINE snt_status tf_short(const snt_tf_buffer *constant, const tf_chain *chain, uint32_t structure,
                                    int64_t t, snt_tf_miss *miss)
{
    snt_tf_buffer *b = (snt_tf_buffer *)(uintptr_t)constant;
    const uint32_t reset = atomic_load_explicit(&b->reset_seq, memory_order_acquire);
    if (SNT_UNLIKELY(TF_GET(b->mixed_edges) || b->settings.extrapolate_ns ||
                     b->settings.max_gap_ns != INT64_MAX ||
                     (b->config.epoch && snt_epoch_session(b->config.epoch) != TF_GET(b->session))))
        return SNT_OK;
    /* The longest wait. Newest stamps are hints, until the ring confirms that of the edge to blame. */
    const uint32_t moving = chain->moving;
    int64_t least = INT64_MAX, most = INT64_MIN;
    uint32_t failing = moving, worst = 0;
    for (uint32_t i = 0; i < moving; i++) {
        const int64_t newest = tf_newest(chain->edges[i]);
        worst = newest < least ? i : worst;
        least = newest < least ? newest : least;
        most = newest > most ? newest : most;
    }
    if (SNT_UNLIKELY(least >= t || (uint64_t)t - (uint64_t)least > (uint64_t)TF_YEAR_NS))
        return SNT_OK;
    const tf_edge *edge = chain->edges[worst];
    int64_t oldest, newest;
    uint32_t count;
    if (SNT_UNLIKELY(tf_ends(&edge->ring, &b->store, &oldest, &newest, &count) != TF_AT || t <= newest))
        return SNT_OK;
    const uint32_t late = TF_GET(((tf_edge *)(uintptr_t)edge)->ring.late) & TF_LATE_MASK;
    if (SNT_UNLIKELY(TF_GET(b->peculiar) && !tf_short_alike(chain)))
        return SNT_OK;
    if (SNT_UNLIKELY(most >= t) && !(failing = tf_short_beside_others(b, chain, t)))
        return SNT_OK;
    tf_fence_acquire();
    if (SNT_UNLIKELY((reset & 1) || TF_GET(b->reset_seq) != reset || TF_GET(b->structure) != structure))
        return SNT_OK;
    if (miss) {
        tf_short_fill(b, chain, worst, t, oldest, newest, miss);
        miss->failing_edges = failing;
        miss->samples = count + late;
    }
    return SNT_ERR_FUTURE;
}

snt_status snt__tf_short(const snt_tf_buffer *b, const tf_chain *chain, int64_t t, snt_tf_miss *miss)
{
    const uint32_t structure =
        atomic_load_explicit(&((snt_tf_buffer *)(uintptr_t)b)->structure, memory_order_acquire);
    for (uint32_t i = 0; i < chain->moving; i++)
        if (TF_GET(chain->edges[i]->generation) != chain->links[i].generation)
            return SNT_OK;
    return tf_short(b, chain, structure, t, miss);
}

snt_status snt__tf_path_short(const snt_tf_path *path, int64_t t, snt_tf_result *result, snt_tf_miss *miss)
{
    const uint32_t structure = TF_GET(((snt_tf_path *)(uintptr_t)path)->verified);
    const snt_status status = tf_short(path->buffer, &path->chain, structure, t, miss);
    return SNT_LIKELY(status != SNT_OK) ? status : snt__tf_path_lookup_on(path, t, result, miss);
}
#else
/* newest stamps are not whole words here */
snt_status snt__tf_short(const snt_tf_buffer *b, const tf_chain *chain, int64_t t, snt_tf_miss *miss)
{
    (void)b, (void)chain, (void)t, (void)miss;
    return SNT_OK;
}

snt_status snt__tf_path_short(const snt_tf_path *path, int64_t t, snt_tf_result *result, snt_tf_miss *miss)
{
    return snt__tf_path_lookup_on(path, t, result, miss);
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

#undef TF_SHORT_INLINE
#undef TF_SHORT_APART
#undef TF_GET
