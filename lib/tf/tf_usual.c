/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The usual insert: the next sample of an edge about which nothing is special. It makes every check and counts every number
 * that the long way (tf_insert.c) does, at the least cost: facts that cannot have changed since the long way last looked
 * are one comparison (tf_edge.usual_authority), and counts are read off the ring when somebody wants them (snt__tf_settle).
 * Whatever it does not know it leaves alone, and the long way decides.
 */
#include "tf_internal.h"

/* After the long way stored a sample: may the next one come by here? */
void snt__tf_note_usual(const snt_tf_buffer *b, tf_edge *edge)
{
    if (edge->info.publishers != 1 || edge->intervals != 16 || edge->quarantined)
        return;
    edge->usual_authority = edge->info.publisher[0].authority;
    edge->usual_parent = tf_frame_of(b, atomic_load_explicit(&edge->parent, memory_order_relaxed) - 1);
    edge->usual_from = atomic_load_explicit(&edge->ring.head, memory_order_relaxed);
    edge->usual_evicted = 0;
}

void snt__tf_settle(tf_edge *edge)
{
    snt_tf_edge_info *info = &edge->info;
    snt_tf_publisher *p = &info->publisher[0];
    const uint32_t stored = atomic_load_explicit(&edge->ring.head, memory_order_relaxed) - edge->usual_from;
    edge->usual_authority = TF_NOT_USUAL;
    info->accepted += stored;
    info->evicted += edge->usual_evicted;
    p->accepted += stored;
    if (stored && (p->last == SNT_UNKNOWN || tf_newest(edge) > p->last))
        p->last = tf_newest(edge);
}

/*
 * A pose that is stored as it is: all finite, of unit length to a rounding, the sign already the canonical one. Callers fill
 * it field by field, and a wide load right behind narrow stores would stall, hence volatile.
 */
#if TF_WIDE_COPIES
static inline bool tf_pack_plain(const snt_tf_transform *in, uint64_t *words)
{
    const volatile double *from = in->pose.q;
    const __m128d zero = _mm_setzero_pd();
    const __m128d xy = _mm_set_pd(from[1], from[0]), zw = _mm_set_pd(from[3], from[2]);
    from = in->pose.t;
    const __m128d t01 = _mm_set_pd(from[1], from[0]), t2 = _mm_set_sd(from[2]);
    const __m128d a = _mm_mul_pd(xy, xy), b = _mm_mul_pd(zw, zw);
    const __m128d sums = _mm_add_pd(_mm_unpacklo_pd(a, b), _mm_unpackhi_pd(a, b)); /* x²+y², z²+w² */
    const double off = (_mm_cvtsd_f64(sums) + _mm_cvtsd_f64(_mm_unpackhi_pd(sums, sums))) - 1;
    /* x − x is a NaN where x is none or infinite */
    const __m128d odd = _mm_cmpunord_pd(_mm_sub_pd(t01, t01), _mm_sub_pd(t2, t2));
    if (!(fabs(off) <= 0x1p-50) || !(_mm_cvtsd_f64(_mm_unpackhi_pd(zw, zw)) > 0) || _mm_movemask_pd(odd))
        return false;
    _mm_storeu_pd((double *)(void *)(words + 0), _mm_add_pd(xy, zero)); /* −0 and 0 are one pose */
    _mm_storeu_pd((double *)(void *)(words + 2), _mm_add_pd(zw, zero));
    _mm_storeu_pd((double *)(void *)(words + 4), _mm_add_pd(t01, zero));
    _mm_storeu_pd((double *)(void *)(words + 6),
                  _mm_unpacklo_pd(_mm_add_pd(t2, zero),
                                  _mm_castsi128_pd(_mm_cvtsi64_si128((long long)words[TF_META]))));
    return true;
}
#else
static inline bool tf_pack_plain(const snt_tf_transform *in, uint64_t *words)
{
    const volatile double *from = in->pose.q;
    const double q[4] = {from[0], from[1], from[2], from[3]};
    from = in->pose.t;
    const double t[3] = {from[0], from[1], from[2]};
    const double off = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]) - 1;
    if (!(fabs(off) <= 0x1p-50) || !(q[3] > 0) ||
        !snt__is_finite(fabs(t[0]) * 0.25 + (fabs(t[1]) * 0.25 + fabs(t[2]) * 0.25)))
        return false;
    for (int i = 0; i < 4; i++) {
        const double x = q[i] + 0.0; /* −0 and 0 are one pose */
        memcpy(words + i, &x, sizeof x);
    }
    for (int i = 0; i < 3; i++) {
        const double x = t[i] + 0.0;
        memcpy(words + 4 + i, &x, sizeof x);
    }
    return true;
}
#endif

static bool tf_usual_session(snt_tf_buffer *b, const tf_edge *edge, uint32_t session)
{
    const uint32_t buffers = atomic_load_explicit(&b->session, memory_order_relaxed);
    return session == (buffers ? buffers : edge->info.session);
}

/* The edge's lock is held. False: nothing was done. */
static inline bool tf_usual_locked(snt_tf_buffer *b, tf_edge *edge, const snt_tf_transform *in, int64_t now,
                                   const uint64_t *words)
{
    const int64_t stamp = in->stamp, newest = tf_newest(edge);
    const uint64_t step = (uint64_t)stamp - (uint64_t)newest;
    const uint32_t head = atomic_load_explicit(&edge->ring.head, memory_order_relaxed);
    if (SNT_UNLIKELY(edge->usual_authority != in->authority || edge->usual_parent != in->parent ||
                     atomic_load_explicit(&edge->generation, memory_order_relaxed) !=
                         tf_frame_generation(in->child) ||
                     stamp <= newest || !(head & TF_SETTLE_EVERY)))
        return false;
    if (SNT_UNLIKELY((in->domain | in->session) != 0)) {
        if ((in->domain && in->domain != atomic_load_explicit(&edge->domain, memory_order_relaxed)) ||
            (in->session && !tf_usual_session(b, edge, in->session)))
            return false;
    }
    if (now == SNT_UNKNOWN || b->config.max_future_ns == SNT_UNKNOWN
            ? step > (uint64_t)b->config.max_step_ns
            : stamp > tf_plus(now, b->config.max_future_ns))
        return false;
    tf_note_steady(edge, (double)(int64_t)(step > INT64_MAX ? INT64_MAX : step));
    edge->usual_evicted += tf_store_next(b, edge, head, stamp, words);
    if (in->now != SNT_UNKNOWN)
        snt__tf_note_delay(edge, tf_minus(in->now, stamp));
    return true;
}

static inline bool tf_insert_usual(snt_tf_buffer *b, const snt_tf_transform *in, int64_t now)
{
    const uint32_t child = tf_frame_slot(in->child);
    uint64_t words[TF_SAMPLE_WORDS];
    if (SNT_UNLIKELY(child >= b->config.max_frames || in->stamp == INT64_MAX || in->err_ns < 0 ||
                     (in->flags & ~(uint32_t)(SNT_TF_DISCONTINUITY | SNT_TF_KNOWN_ONLY))))
        return false;
    if (SNT_UNLIKELY(b->config.epoch && snt_epoch_session(b->config.epoch) !=
                                            atomic_load_explicit(&b->session, memory_order_relaxed)))
        return false;
    words[TF_META] = (uint32_t)in->parent;
    if ((SNT_UNLIKELY(in->flags || in->err_ns != SNT_UNKNOWN) || SNT_UNLIKELY(!tf_pack_plain(in, words))) &&
        SNT_UNLIKELY(snt__tf_pack(in, tf_frame_slot(in->parent), words) < 0))
        return false;
    tf_edge *edge = tf_edge_at(b, child);
    tf_lock_only(edge);
    const bool done = tf_usual_locked(b, edge, in, now, words);
    tf_unlock(edge);
    return done;
}

void snt__tf_notify(const snt_tf_buffer *b, snt_frame child)
{
    snt_time newest;
    if (b->config.notify && snt_tf_buffer_newest(b, child, &newest) == SNT_OK)
        b->config.notify(b->config.notify_user, child, newest);
}

snt_status snt_tf_buffer_insert(snt_tf_buffer *buffer, const snt_tf_transform *transform, uint32_t *effect)
{
    if (!buffer || !transform)
        return SNT_ERR_INVALID_ARG;
    int64_t now = transform->now;
    if (now == SNT_UNKNOWN && atomic_load_explicit(&buffer->clock_known, memory_order_acquire))
        now = (int64_t)tf_word_get(&buffer->clock_now);
    if (SNT_UNLIKELY(!tf_insert_usual(buffer, transform, now)))
        return snt__tf_insert_long(buffer, transform, now, effect);
    if (effect)
        *effect = SNT_TF_APPENDED;
    if (SNT_UNLIKELY(buffer->config.notify != NULL))
        snt__tf_notify(buffer, transform->child);
    return SNT_OK;
}
