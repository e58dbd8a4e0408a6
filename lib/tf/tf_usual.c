/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The usual insert: the next sample of an edge about which nothing is special. It makes every check and counts every number
 * that the long way (tf_insert.c) does, at the least cost: facts that cannot have changed since the long way last looked
 * are one comparison (tf_edge.usual_authority), and counts are read off the ring when somebody wants them (snt__tf_settle).
 * Whatever it does not know it leaves alone, and the long way decides.
 */
#include "tf_internal.h"

#if SNT_GNU
#define TF_INTO_CALLER static inline __attribute__((always_inline))
#define TF_APART       static __attribute__((noinline))
#else
#define TF_INTO_CALLER static inline
#define TF_APART       static
#endif

/* After the long way stored a sample: may the next one come by here? */
void snt__tf_note_usual(const snt_tf_buffer *b, tf_edge *edge)
{
    if (edge->info.publishers != 1 || edge->intervals != 16 || edge->quarantined)
        return;
    edge->usual_authority = edge->info.publisher[0].authority;
    edge->usual_parent = tf_frame_of(b, atomic_load_explicit(&edge->parent, memory_order_relaxed) - 1);
    edge->usual_child = tf_frame_of(b, (uint32_t)(edge - b->edges));
    edge->usual_head = atomic_load_explicit(&edge->ring.head, memory_order_relaxed);
    edge->usual_tail = atomic_load_explicit(&edge->ring.tail, memory_order_relaxed);
}

void snt__tf_settle(tf_edge *edge)
{
    snt_tf_edge_info *info = &edge->info;
    snt_tf_publisher *p = &info->publisher[0];
    const uint32_t stored = atomic_load_explicit(&edge->ring.head, memory_order_relaxed) - edge->usual_head;
    const uint32_t evicted = atomic_load_explicit(&edge->ring.tail, memory_order_relaxed) - edge->usual_tail;
    edge->usual_authority = TF_NOT_USUAL;
    info->accepted += stored;
    info->evicted += evicted;
    p->accepted += stored;
    if (stored && (p->last == SNT_UNKNOWN || tf_newest(edge) > p->last))
        p->last = tf_newest(edge);
}

/*
 * A pose that is stored as it is, but for its sign: all finite, of unit length to a rounding, w not 0. Callers fill it field
 * by field, and a wide load right behind narrow stores would stall, hence volatile.
 */
#if TF_WIDE_COPIES
static inline __m128d tf_pair(const double *from)
{
    __m128d pair;
    __asm__("movsd %1, %0\n\tmovhpd %2, %0" : "=&x"(pair) : "m"(from[0]), "m"(from[1]));
    return pair;
}

TF_INTO_CALLER bool tf_pack_plain(const snt_tf_transform *in, uint64_t meta, tf_packed *out)
{
    const double *q = in->pose.q, *t = in->pose.t;
    const __m128d xy = tf_pair(q), zw = tf_pair(q + 2), t01 = tf_pair(t), t2 = _mm_load_sd(t + 2);
    const __m128d zero = _mm_setzero_pd();
    const __m128d a = _mm_mul_pd(xy, xy), b = _mm_mul_pd(zw, zw);
    /* x − x is 0, or a NaN where x is none or infinite, and then so is the sum */
    const __m128d odd = _mm_add_pd(_mm_sub_pd(t01, t01), _mm_sub_pd(t2, t2));
    const __m128d sums = /* x² + y², z² + w² */
        _mm_add_pd(_mm_add_pd(_mm_unpacklo_pd(a, b), _mm_unpackhi_pd(a, b)), odd);
    const double off = (_mm_cvtsd_f64(sums) + _mm_cvtsd_f64(_mm_unpackhi_pd(sums, sums))) - 1;
    const __m128d w = _mm_unpackhi_pd(zw, zw), turn = _mm_and_pd(w, _mm_set1_pd(-0.0));
    if (SNT_UNLIKELY(!(fabs(off) <= 0x1p-50) || _mm_comieq_sd(w, zero)))
        return false;
    /* the sign with w > 0; −0 and 0 are one pose */
    out->v[0] = _mm_castpd_si128(_mm_add_pd(_mm_xor_pd(xy, turn), zero));
    out->v[1] = _mm_castpd_si128(_mm_add_pd(_mm_xor_pd(zw, turn), zero));
    out->v[2] = _mm_castpd_si128(_mm_add_pd(t01, zero));
    out->v[3] =
        _mm_unpacklo_epi64(_mm_castpd_si128(_mm_add_pd(t2, zero)), _mm_cvtsi64_si128((long long)meta));
    return true;
}
#else
TF_INTO_CALLER bool tf_pack_plain(const snt_tf_transform *in, uint64_t meta, tf_packed *out)
{
    const volatile double *from = in->pose.q;
    const double q[4] = {from[0], from[1], from[2], from[3]};
    from = in->pose.t;
    const double t[3] = {from[0], from[1], from[2]};
    const double off = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]) - 1;
    if (!(fabs(off) <= 0x1p-50) || q[3] == 0 ||
        !snt__is_finite(fabs(t[0]) * 0.25 + (fabs(t[1]) * 0.25 + fabs(t[2]) * 0.25)))
        return false;
    for (int i = 0; i < 4; i++) {
        const double x = (q[3] < 0 ? -q[i] : q[i]) + 0.0; /* the sign with w > 0; −0 and 0 are one pose */
        memcpy(out->v + i, &x, sizeof x);
    }
    for (int i = 0; i < 3; i++) {
        const double x = t[i] + 0.0;
        memcpy(out->v + 4 + i, &x, sizeof x);
    }
    out->v[TF_META] = meta;
    return true;
}
#endif

static bool tf_usual_session(snt_tf_buffer *b, const tf_edge *edge, uint32_t session)
{
    const uint32_t buffers = atomic_load_explicit(&b->session, memory_order_relaxed);
    return session == (buffers ? buffers : edge->info.session);
}

/*
 * TF_STORED; TF_RARE: it may be, by the version that can call others; TF_UNUSUAL: let the long way decide. In the last two
 * cases nothing was done. The version that is `plain` calls nobody, so it has no registers to save: stores to the stack
 * would have to drain before the next lock is taken.
 */
typedef enum tf_usual { TF_STORED, TF_RARE, TF_UNUSUAL } tf_usual;

/* The edge's lock is held. */
TF_INTO_CALLER tf_usual tf_usual_locked(snt_tf_buffer *b, tf_edge *edge, const snt_tf_transform *in,
                                        int64_t now, const tf_packed *sample, bool plain)
{
    const int64_t stamp = in->stamp, newest = tf_newest(edge);
    const uint64_t step = (uint64_t)stamp - (uint64_t)newest;
    if (SNT_UNLIKELY(edge->usual_authority != in->authority || edge->usual_parent != in->parent ||
                     edge->usual_child != in->child || stamp <= newest || step > TF_LONGEST_STEP))
        return TF_UNUSUAL;
    if (SNT_UNLIKELY((in->domain | in->session) != 0) &&
        ((in->domain && in->domain != atomic_load_explicit(&edge->domain, memory_order_relaxed)) ||
         (in->session && !tf_usual_session(b, edge, in->session))))
        return TF_UNUSUAL;
    if (now == SNT_UNKNOWN || b->config.max_future_ns == SNT_UNKNOWN
            ? step > (uint64_t)b->config.max_step_ns
            : stamp > tf_plus(now, b->config.max_future_ns))
        return TF_UNUSUAL;
    if (plain && SNT_UNLIKELY(atomic_load_explicit(&edge->ring.late, memory_order_relaxed) & TF_LATE_MASK))
        return TF_RARE;
    tf_note_steady(edge, step);
    const uint32_t head = tf_store_next(b, edge, stamp, sample, !plain);
    if (SNT_UNLIKELY(!(head & TF_SETTLE_EVERY)))
        edge->usual_authority = TF_USUAL_ENOUGH;
    if (in->now != SNT_UNKNOWN)
        tf_note_delay(edge, tf_minus(in->now, stamp));
    return TF_STORED;
}

TF_INTO_CALLER tf_usual tf_insert_usual(snt_tf_buffer *b, const snt_tf_transform *in, int64_t now, bool plain)
{
    const uint32_t child = tf_frame_slot(in->child);
    if (SNT_UNLIKELY(child >= b->config.max_frames || in->stamp == INT64_MAX))
        return TF_UNUSUAL;
    tf_packed sample;
    if (plain) {
        if (SNT_UNLIKELY(in->flags || in->err_ns != SNT_UNKNOWN || b->config.epoch) ||
            !tf_pack_plain(in, (uint32_t)in->parent, &sample))
            return TF_RARE;
    } else {
        uint64_t words[TF_SAMPLE_WORDS];
        if (in->err_ns < 0 || (in->flags & ~(uint32_t)(SNT_TF_DISCONTINUITY | SNT_TF_KNOWN_ONLY)) ||
            (b->config.epoch &&
             snt_epoch_session(b->config.epoch) != atomic_load_explicit(&b->session, memory_order_relaxed)) ||
            snt__tf_pack(in, tf_frame_slot(in->parent), words) < 0)
            return TF_UNUSUAL;
        sample = tf_packed_of(words);
    }
    tf_edge *edge = tf_edge_at(b, child);
    if (!plain)
        tf_lock_only(edge);
    else if (SNT_UNLIKELY(atomic_exchange_explicit(&edge->lock, 1, memory_order_acquire)))
        return TF_RARE;
    const tf_usual done = tf_usual_locked(b, edge, in, now, &sample, plain);
    tf_unlock(edge);
    return done;
}

void snt__tf_notify(const snt_tf_buffer *b, snt_frame child)
{
    snt_time newest;
    if (b->config.notify && snt_tf_buffer_newest(b, child, &newest) == SNT_OK)
        b->config.notify(b->config.notify_user, child, newest);
}

TF_APART snt_status tf_usual_notify(const snt_tf_buffer *b, snt_frame child)
{
    snt__tf_notify(b, child);
    return SNT_OK;
}

TF_APART snt_status tf_insert_rare(snt_tf_buffer *b, const snt_tf_transform *in, int64_t now,
                                   uint32_t *effect)
{
    if (tf_insert_usual(b, in, now, false) != TF_STORED)
        return snt__tf_insert_long(b, in, now, effect);
    if (effect)
        *effect = SNT_TF_APPENDED;
    return tf_usual_notify(b, in->child);
}

snt_status snt_tf_buffer_insert(snt_tf_buffer *buffer, const snt_tf_transform *transform, uint32_t *effect)
{
    if (!buffer || !transform)
        return SNT_ERR_INVALID_ARG;
    int64_t now = transform->now;
    if (now == SNT_UNKNOWN && atomic_load_explicit(&buffer->clock_known, memory_order_acquire))
        now = (int64_t)tf_word_get(&buffer->clock_now);
    const tf_usual done = tf_insert_usual(buffer, transform, now, true);
    if (SNT_UNLIKELY(done != TF_STORED))
        return done == TF_RARE ? tf_insert_rare(buffer, transform, now, effect)
                               : snt__tf_insert_long(buffer, transform, now, effect);
    if (effect)
        *effect = SNT_TF_APPENDED;
    return SNT_UNLIKELY(buffer->config.notify != NULL) ? tf_usual_notify(buffer, transform->child) : SNT_OK;
}

#undef TF_INTO_CALLER
#undef TF_APART
