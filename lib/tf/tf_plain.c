/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The commonest question, fast: a chain of edges that each lie plainly around the time, joined by a straight line, with
 * nothing declared that a bound would have to be computed from. All edges are opened, then searched, then evaluated four
 * at a time, then checked, so that their loads and their arithmetic overlap. The operations and their order are those of
 * tf_evaluate.c, so the bits are too; whatever is not plain is left to it.
 */
#include "../base/cpu.h"
#include "tf_internal.h"

#if SNT_GNU && defined(__x86_64__) && !defined(SNT_TF_HALF_WORDS)

#include "tf_plain_math.h"

#define PLAIN_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

/* One edge while it is read. */
typedef struct plain_edge {
    const tf_sample *a; /* at or before the time; the same as b where the time is its stamp */
    double part;        /* of the way from a to b */
    const tf_sample *b;
    uint32_t seq, lowest, late;
} plain_edge;

/* What was seen on the way. */
typedef struct plain_sum {
    uint64_t gap;  /* the widest that was interpolated across; 0 = none was */
    uint32_t odd;  /* bits that must be 0 */
    uint32_t ends; /* edges whose newest sample it was */
} plain_sum;

/* ---- finding the samples ---- */

/* Where the mean rate, or the hint, was wrong: the position from `at` on, or one before the tail. */
__attribute__((noinline)) static uint32_t plain_search_from(const tf_store *store, uint32_t first,
                                                            uint32_t mask, uint32_t head, uint32_t tail,
                                                            int64_t t, uint32_t at)
{
    return tail + tf_search(store, first, mask, tail, head - tail, t, at - tail);
}

/* tf_guess, for a processor whose conversions saturate: how many steps back from the newest but one. */
static inline uint32_t plain_steps(tf_ring *ring, int64_t back)
{
    const __m128 slope = _mm_castsi128_ps(_mm_cvtsi32_si128((int)PLAIN_GET(ring->slope)));
    return (uint32_t)_mm_cvttss_si32(_mm_mul_ss(_mm_cvtsi64_ss(slope, back), slope));
}

/* The time is a sample's own. */
static inline void plain_exact(plain_edge *e, const tf_sample *sample, uint32_t position)
{
    e->lowest = position;
    e->a = e->b = sample;
    e->part = 0;
}

/* tf_merge_late: late samples that lie between the two of the ring, or replace the first. Each slot stays where it is. */
__attribute__((noinline)) static void plain_merge_late(const tf_store *store, tf_ring *ring, int64_t t,
                                                       plain_edge *e, int64_t *t0, int64_t *t1)
{
    const uint32_t n = e->late & TF_LATE_MASK;
    const uint32_t table =
        PLAIN_GET(ring->late_first) + (e->late >> TF_LATE_BITS) % TF_LATE_TABLES * TF_LATE_CAPACITY;
    uint32_t j = 0;
    while (j < n && tf_stamp(store, table + j) <= t)
        j++;
    const int64_t below = j ? tf_stamp(store, table + j - 1) : INT64_MIN;
    const int64_t above = j < n ? tf_stamp(store, table + j) : INT64_MAX;
    if (j && below >= *t0) {
        e->a = &store->samples[table + j - 1];
        *t0 = below;
    }
    if (j < n && above <= *t1) {
        e->b = &store->samples[table + j];
        *t1 = above;
    }
}

/* False where the edge is empty or a writer is at work. */
PLAIN_INLINE bool plain_open(const tf_store *store, tf_ring *ring, tf_look *look)
{
    return tf_open(ring, look) && tf_plausible(store, look->head - look->tail, look->first, look->mask);
}

/* Position `at` and the next one lie around t. */
PLAIN_INLINE void plain_between(const tf_store *store, tf_ring *ring, const tf_look *look, int64_t t,
                                uint32_t at, int64_t t0, int64_t t1, plain_edge *e, plain_sum *sum)
{
    const tf_sample *samples = store->samples + look->first;
    e->seq = look->seq;
    e->late = look->late;
    e->lowest = at;
    e->a = &samples[at & look->mask];
    e->b = &samples[(at + 1) & look->mask];
    if (SNT_UNLIKELY(look->late & TF_LATE_MASK)) {
        int64_t below = t0, above = t1; /* their address is given away: copies keep the others in registers */
        plain_merge_late(store, ring, t, e, &below, &above);
        t0 = below;
        t1 = above;
    }
    if (SNT_UNLIKELY(t0 == t)) {
        plain_exact(e, e->a, at);
        return;
    }
    const uint64_t gap = (uint64_t)t1 - (uint64_t)t0; /* beyond INT64_MAX it is refused later */
    sum->gap = gap > sum->gap ? gap : sum->gap;
    e->part = (double)(int64_t)((uint64_t)t - (uint64_t)t0) / (double)(int64_t)gap;
}

/* The time is not before the newest stamp there may be: whether it is that one. */
PLAIN_INLINE bool plain_find_end(const tf_store *store, tf_ring *ring, const tf_look *look, int64_t t,
                                 plain_edge *e, plain_sum *sum)
{
    const uint32_t last = look->head - 1;
    const uint32_t slot = look->first + (last & look->mask);
    int64_t stamp = tf_stamp(store, slot), none = INT64_MIN;
    if (t != stamp)
        return false;
    sum->ends++;
    e->seq = look->seq;
    e->late = look->late;
    plain_exact(e, &store->samples[slot], last);
    if (SNT_UNLIKELY(look->late & TF_LATE_MASK))
        plain_merge_late(store, ring, t, e, &stamp, &none);
    e->b = e->a;
    return true;
}

/*
 * The samples around t. False where the edge is empty or does not reach t, or a writer is at work. The newest stamp is
 * taken from beside the ring, where it may be that of a moment before or after the ring's: a hint that spares the reader
 * the line of memory which the writer wrote last.
 */
PLAIN_INLINE bool plain_find(const tf_store *store, tf_edge *edge, int64_t t, plain_edge *e, plain_sum *sum)
{
    tf_ring *ring = &edge->ring;
    tf_look look;
    if (SNT_UNLIKELY(!plain_open(store, ring, &look)))
        return false;
    const uint32_t mask = look.mask, last = look.head - 1;
    const int64_t newest = tf_newest(edge);
    if (t >= newest)
        return plain_find_end(store, ring, &look, t, e, sum);
    /* A guess outside is in the ring's memory nevertheless, but may hold a sample of another time or edge. */
    const uint32_t pairs = last - look.tail;
    const tf_word *stamps = store->stamps + look.first;
    uint32_t at = last - 1 - plain_steps(ring, (int64_t)((uint64_t)newest - (uint64_t)t));
    int64_t t0 = (int64_t)tf_word_get(&stamps[at & mask]),
            t1 = (int64_t)tf_word_get(&stamps[(at + 1) & mask]);
    if (SNT_UNLIKELY(t0 > t || t1 <= t ||
                     at - look.tail >=
                         pairs)) { /* samples come early or late: mostly it is the pair beside */
        at += t1 <= t ? 1 : UINT32_MAX;
        t0 = (int64_t)tf_word_get(&stamps[at & mask]);
        t1 = (int64_t)tf_word_get(&stamps[(at + 1) & mask]);
        if (t0 > t || t1 <= t || at - look.tail >= pairs) {
            at = plain_search_from(store, look.first, mask, look.head, look.tail, t, at);
            t0 = (int64_t)tf_word_get(&stamps[at & mask]);
            t1 = (int64_t)tf_word_get(&stamps[(at + 1) & mask]);
            if (t0 > t || t1 <= t ||
                at - look.tail >=
                    pairs) /* in the ring as it was seen it may be the newest sample, or beyond */
                return plain_find_end(store, ring, &look, t, e, sum);
        }
    }
    plain_between(store, ring, &look, t, at, t0, t1, e, sum);
    return true;
}

__attribute__((noinline)) PLAIN_AVX2 static bool plain_find_far(const tf_store *store, tf_edge *edge,
                                                                int64_t t, plain_edge *e, plain_sum *sum)
{
    return plain_find(store, edge, t, e, sum);
}

/* The same where times advance: between the samples of the last time, or the next two. */
PLAIN_INLINE bool plain_find_near(const tf_store *store, tf_edge *edge, int64_t t, uint32_t at, plain_edge *e,
                                  plain_sum *sum)
{
    tf_ring *ring = &edge->ring;
    tf_look look;
    if (SNT_UNLIKELY(!plain_open(store, ring, &look)))
        return false;
    const uint32_t mask = look.mask, tail = look.tail, pairs = look.head - 1 - tail;
    const tf_word *stamps = store->stamps + look.first;
    at += (int64_t)tf_word_get(&stamps[(at + 1) & mask]) <= t;
    const int64_t t0 = (int64_t)tf_word_get(&stamps[at & mask]);
    const int64_t t1 = (int64_t)tf_word_get(&stamps[(at + 1) & mask]);
    if (SNT_UNLIKELY(t0 > t || t1 <= t || at - tail >= pairs))
        return plain_find_far(store, edge, t, e, sum);
    plain_between(store, ring, &look, t, at, t0, t1, e, sum);
    return true;
}

__attribute__((noinline)) PLAIN_AVX2 static bool plain_find_all(const snt_tf_buffer *b, const tf_chain *chain,
                                                                int64_t t, plain_edge *edges, plain_sum *out)
{
    const tf_store store = b->store;
    plain_sum sum = {0, 0, 0};
    for (uint32_t i = 0; i < chain->moving; i++)
        if (!plain_find(&store, chain->edges[i], t, &edges[i], &sum))
            return false;
    *out = sum;
    return true;
}

__attribute__((noinline)) PLAIN_AVX2 static bool plain_find_all_near(const snt_tf_buffer *b,
                                                                     const tf_chain *chain, int64_t t,
                                                                     const snt_tf_cursor *cursor,
                                                                     plain_edge *edges, plain_sum *out)
{
    const tf_store store = b->store;
    plain_sum sum = {0, 0, 0};
    for (uint32_t i = 0; i < chain->moving; i++)
        if (!plain_find_near(&store, chain->edges[i], t, cursor->hint[i], &edges[i], &sum))
            return false;
    *out = sum;
    return true;
}

/* ---- evaluating them ---- */

/* The poses of `m` <= 4 edges. What lanes beyond hold is never looked at. */
PLAIN_INLINE void plain_poses(const plain_edge *e, const tf_link *links, int m, __m256d (*poses)[2],
                              plain_sum *sum)
{
    const __m256d minus = _mm256_set1_pd(-0.0);
    __m256d aq[4], bq[4], d[4], o[4];
    uint32_t meta_a = 0, meta_b = 0;
#pragma GCC unroll 4
    for (int i = 0; i < m; i++) {
        aq[i] = plain_load_turn(e[i].a);
        bq[i] = plain_load_turn(e[i].b);
        meta_a |= (uint32_t)tf_word_get(&e[i].a->w[TF_META]) ^ links[i].parent;
        meta_b |= (uint32_t)tf_word_get(&e[i].b->w[TF_META]) ^ links[i].parent;
    }
    sum->odd |=
        (meta_a & (TF_META_PARENT | TF_META_ERR_KNOWN)) | (meta_b & (TF_META_PARENT | TF_META_DISCONTINUITY));
    for (int i = m; i < 4; i++) {
        aq[i] = aq[0];
        bq[i] = bq[0];
    }
    const __m256d f = _mm256_set_pd(e[m > 3 ? 3 : 0].part, e[m > 2 ? 2 : 0].part, e[m > 1].part, e[0].part);
    /* the shorter of the arcs to b and to −b: where they are nearly equal they are too long for this */
    for (int i = 0; i < 4; i++) {
        d[i] = _mm256_sub_pd(aq[i], bq[i]);
        o[i] = _mm256_add_pd(aq[i], bq[i]);
    }
    const __m256d same = plain_dots(d), other = plain_dots(o);
    const __m256d sign = _mm256_and_pd(minus, _mm256_cmp_pd(other, same, _CMP_LT_OQ));
    const __m256d arc = _mm256_mul_pd(_mm256_set1_pd(0.5), _mm256_min_pd(same, other));
    sum->odd |= (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(arc, _mm256_set1_pd(0.3), _CMP_NLT_UQ));
    __m256d wa, wb;
    plain_weights(arc, f, &wa, &wb);
    wb = _mm256_xor_pd(wb, sign);
#pragma GCC unroll 4
    for (int i = 0; i < m; i++) {
        poses[i][0] =
            _mm256_add_pd(_mm256_mul_pd(plain_each(wa, i), aq[i]), _mm256_mul_pd(plain_each(wb, i), bq[i]));
        const __m256d from = plain_load_shift(e[i].a), to = plain_load_shift(e[i].b);
        poses[i][1] = _mm256_add_pd(from, _mm256_mul_pd(plain_each(f, i), _mm256_sub_pd(to, from)));
    }
}

/* All edges' poses and the constant ones between them. */
PLAIN_INLINE plain_pose plain_product(const tf_chain *chain, const __m256d (*poses)[2])
{
    const tf_link *link = chain->links, *const end = link + chain->moving;
    const uint8_t *has_fixed = chain->has_fixed;
    const snt_pose *fixed = chain->fixed;
    plain_pose p;
    if (*has_fixed || link->inverse) {
        p = *has_fixed ? plain_fixed(fixed) : (plain_pose){_mm256_set_pd(1, 0, 0, 0), _mm256_setzero_pd()};
        plain_times(&p, link->inverse, poses[0][0], poses[0][1]);
    } else {
        p = (plain_pose){poses[0][0], poses[0][1]};
    }
    for (;;) {
        fixed++;
        if (*++has_fixed) {
            const plain_pose f = plain_fixed(fixed);
            plain_times(&p, false, f.q, f.t);
        }
        if (++link == end)
            return p;
        poses++;
        plain_times(&p, link->inverse, (*poses)[0], (*poses)[1]);
    }
}

/* ---- the question ---- */

static bool plain_one_domain(const snt_tf_buffer *b, const tf_chain *chain)
{
    uint32_t domain = 0;
    for (uint32_t i = 0; i < chain->moving; i++) {
        const uint32_t own = PLAIN_GET(tf_edge_at(b, chain->links[i].slot)->domain);
        if (own && domain && own != domain)
            return false;
        domain = own ? own : domain;
    }
    return true;
}

/* The latest common time, to be confirmed by the look at it: some edge must end there. */
static inline int64_t plain_common(const tf_chain *chain)
{
    int64_t t = INT64_MAX;
    for (uint32_t i = 0; i < chain->moving; i++) {
        const int64_t newest = tf_newest(chain->edges[i]);
        t = newest < t ? newest : t;
    }
    return t;
}

/* Whether what was read of all edges was theirs, and nothing speaks against what was made of it. */
static inline bool plain_holds(const snt_tf_buffer *b, const tf_chain *chain, const plain_edge *edges,
                               const plain_sum *sum)
{
    uint32_t odd = sum->odd, domains = 0, traits = 0;
    const tf_link *link = chain->links;
    tf_fence_acquire();
    for (uint32_t i = 0; i < chain->moving; i++, link++, edges++) {
        tf_edge *edge = chain->edges[i];
        const tf_look look = {.seq = edges->seq, .late = edges->late};
        odd |= tf_moved(&edge->ring, &look, edges->lowest) | (PLAIN_GET(edge->generation) ^ link->generation);
        traits |= PLAIN_GET(edge->traits);
        domains |= PLAIN_GET(edge->domain);
    }
    odd |= traits & TF_TRAIT_CUSTOM;
    return !odd && sum->gap <= (uint64_t)b->settings.max_gap_ns &&
           (SNT_LIKELY(!domains) || plain_one_domain(b, chain));
}

PLAIN_AVX2 static bool plain_avx2(const snt_tf_buffer *constant, const tf_chain *chain, int64_t t,
                                  bool latest, snt_tf_cursor *cursor, uint32_t flags, snt_tf_result *result)
{
    snt_tf_buffer *b = (snt_tf_buffer *)(uintptr_t)constant;
    const uint32_t n = chain->moving;
    const uint32_t reset = atomic_load_explicit(&b->reset_seq, memory_order_acquire);
    plain_edge edges[TF_MAX_MOVING];
    __m256d poses[TF_MAX_MOVING][2];
    plain_sum sum;
    if (!n || (reset & 1) || (b->config.epoch && snt_epoch_session(b->config.epoch) != PLAIN_GET(b->session)))
        return false;
    const uint32_t session = PLAIN_GET(b->session); /* before the checks: a reset between gives neither */
    if (latest)
        t = plain_common(chain);
    if (!(cursor && n <= SNT_COUNT_OF(cursor->hint) ? plain_find_all_near(b, chain, t, cursor, edges, &sum)
                                                    : plain_find_all(b, chain, t, edges, &sum)))
        return false;
    for (uint32_t i = 0; i < n; i += 4) {
        switch (n - i) {
        case 1:
            plain_poses(&edges[i], &chain->links[i], 1, &poses[i], &sum);
            break;
        case 2:
            plain_poses(&edges[i], &chain->links[i], 2, &poses[i], &sum);
            break;
        case 3:
            plain_poses(&edges[i], &chain->links[i], 3, &poses[i], &sum);
            break;
        default:
            plain_poses(&edges[i], &chain->links[i], 4, &poses[i], &sum);
        }
    }
    /* looked at before the product is made: its latency then overlaps with the next call's search */
    if (!plain_holds(b, chain, edges, &sum) || (latest && !sum.ends))
        return false;
    if (cursor)
        for (uint32_t i = 0; i < n && i < SNT_COUNT_OF(cursor->hint); i++)
            cursor->hint[i] = edges[i].lowest;
    const plain_pose p = plain_product(chain, (const __m256d(*)[2])poses);
    if (PLAIN_GET(b->reset_seq) != reset)
        return false;
    plain_store(&p, &result->pose);
    result->stamp = t;
    result->pos_err = 0;
    result->rot_err = 0;
    result->extrapolated_ns = 0;
    result->gap_ns = (int64_t)sum.gap;
    result->age_ns = 0;
    result->flags = flags | (sum.gap ? SNT_TF_INTERPOLATED : SNT_TF_BOUND_INTERPOLATION) |
                    (tf_chain_traits(chain) & TF_TRAIT_MAY_JUMP ? (uint32_t)SNT_TF_MAY_JUMP : 0u);
    result->session = session;
    result->moving_edges = n;
    result->reserved = 0;
    return true;
}

tf_plain_fn *snt__tf_plain_choose(const snt_tf_buffer *b)
{
    return b->settings.interpolation == SNT_INTERPOLATE_LINEAR && (snt__cpu_features() & SNT_CPU_AVX2_FMA)
               ? plain_avx2
               : NULL;
}

#undef PLAIN_GET
#undef PLAIN_AVX2
#undef PLAIN_INLINE
#undef PLAIN_TURN
#else

tf_plain_fn *snt__tf_plain_choose(const snt_tf_buffer *b)
{
    (void)b;
    return NULL;
}

#endif
