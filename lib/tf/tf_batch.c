/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many times on one path. Times that fall between the same two samples of an edge share the search, the copy and the arc;
 * what is left per time is a division, a short series and a product, done for a run of times at once on arrays. The
 * operations and their order are those of a single lookup, so the bits are too. Whatever is not the plain case (methods,
 * jumps, reparenting, misses) is asked singly.
 */
#include "tf_internal.h"

enum { TF_BLOCK = 64 };

/* One edge between two samples. */
typedef struct tf_segment {
    int64_t t0, t1;
    double a[4], b[4]; /* quaternions on the shorter arc */
    double ta[3], dt[3];
    double e, den;
    int terms;
} tf_segment;

typedef struct tf_block {
    double q[4][TF_BLOCK], t[3][TF_BLOCK]; /* the product so far */
    double num[TF_BLOCK];                  /* t − t0 of the edge at hand */
    bool started;
} tf_block;

/* Times k0..k1−1 all lie in one segment: interpolate and multiply on. */
#if SNT_GNU
__attribute__((always_inline))
#endif
static inline void
tf_run_body(tf_block *restrict x, const tf_segment *restrict s, int k0, int k1, int terms, bool inverse,
            bool first)
{
    for (int k = k0; k < k1; k++) {
        const double f = x->num[k] / s->den, r = 1 - f;
        const double f2 = f * f, r2 = r * r;
        double pa = 1, pb = 1;
        for (int i = terms - 1; i >= 0; i--) {
            pa = 1 + (s->e * (snt__slerp_u[i] - snt__slerp_v[i] * r2)) * pa;
            pb = 1 + (s->e * (snt__slerp_u[i] - snt__slerp_v[i] * f2)) * pb;
        }
        const double wa = r * pa, wb = f * pb;
        double q[4], t[3];
        for (int i = 0; i < 4; i++)
            q[i] = wa * s->a[i] + wb * s->b[i];
        for (int i = 0; i < 3; i++)
            t[i] = s->ta[i] + f * s->dt[i];
        if (first) {
            for (int i = 0; i < 4; i++)
                x->q[i][k] = q[i];
            for (int i = 0; i < 3; i++)
                x->t[i][k] = t[i];
            continue;
        }
        const double p[4] = {x->q[0][k], x->q[1][k], x->q[2][k], x->q[3][k]};
        double product[4], moved[3];
        if (inverse) {
            for (int i = 0; i < 3; i++)
                q[i] = -q[i];
            snt__quat_mul(p, q, product);
            snt__quat_rotate(product, t, moved);
            for (int i = 0; i < 3; i++)
                x->t[i][k] = x->t[i][k] - moved[i];
        } else {
            snt__quat_rotate(p, t, moved);
            snt__quat_mul(p, q, product);
            for (int i = 0; i < 3; i++)
                x->t[i][k] = x->t[i][k] + moved[i];
        }
        for (int i = 0; i < 4; i++)
            x->q[i][k] = product[i];
    }
}

/* Constant numbers of terms and kinds of product let the compiler unroll and vectorise each. */
#if SNT_GNU
__attribute__((always_inline))
#endif
static inline void
tf_run_any(tf_block *restrict x, const tf_segment *restrict s, int k0, int k1, bool inverse)
{
    const bool first = !x->started && !inverse;
#define TF_RUN(n)                                                                                            \
    (first     ? tf_run_body(x, s, k0, k1, n, false, true)                                                   \
     : inverse ? tf_run_body(x, s, k0, k1, n, true, false)                                                   \
               : tf_run_body(x, s, k0, k1, n, false, false))
    switch (s->terms) {
    case 2:
        TF_RUN(2);
        break;
    case 4:
        TF_RUN(4);
        break;
    case 8:
        TF_RUN(8);
        break;
    default:
        TF_RUN(16);
    }
#undef TF_RUN
}

static void tf_run_base(tf_block *x, const tf_segment *s, int k0, int k1, bool inverse)
{
    tf_run_any(x, s, k0, k1, inverse);
}

#if SNT_GNU && defined(__x86_64__)
__attribute__((target("avx2"))) static void tf_run_avx2(tf_block *x, const tf_segment *s, int k0, int k1,
                                                        bool inverse)
{
    tf_run_any(x, s, k0, k1, inverse);
}
#endif

static void tf_run(tf_block *x, const tf_segment *s, int k0, int k1, bool inverse)
{
#if SNT_GNU && defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        tf_run_avx2(x, s, k0, k1, inverse);
        return;
    }
#endif
    tf_run_base(x, s, k0, k1, inverse);
}

static void tf_block_times_fixed(tf_block *x, const snt_pose *fixed, int n)
{
    for (int k = 0; k < n; k++) {
        const double p[4] = {x->q[0][k], x->q[1][k], x->q[2][k], x->q[3][k]};
        double product[4], moved[3];
        snt__quat_rotate(p, fixed->t, moved);
        snt__quat_mul(p, fixed->q, product);
        for (int i = 0; i < 3; i++)
            x->t[i][k] = x->t[i][k] + moved[i];
        for (int i = 0; i < 4; i++)
            x->q[i][k] = product[i];
    }
}

static void tf_block_start(tf_block *x, const snt_pose *fixed, int n)
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 4; i++)
            x->q[i][k] = fixed->q[i];
        for (int i = 0; i < 3; i++)
            x->t[i][k] = fixed->t[i];
    }
}

/* The samples around t as a segment, if it is the plain case. */
static bool tf_segment_at(const snt_tf_buffer *b, const tf_link *link, int64_t t, uint32_t *hint,
                          tf_segment *s)
{
    tf_edge *edge = tf_edge_at(b, link->slot);
    tf_span span;
    const tf_found found = tf_find(&edge->ring, &b->store, t, true, *hint, &span);
    if (found != TF_AT && found != TF_BETWEEN)
        return false;
    if (atomic_load_explicit(&edge->generation, memory_order_relaxed) != link->generation ||
        ((uint32_t)span.a[TF_META] & TF_META_PARENT) != link->parent)
        return false;
    *hint = span.position;
    if (found == TF_AT) { /* a run of one, from the sample to itself */
        memcpy(span.b, span.a, sizeof span.b);
        span.t1 = span.t0 = t;
    } else if (((span.a[TF_META] ^ span.b[TF_META]) & TF_META_PARENT) ||
               (span.b[TF_META] & TF_META_DISCONTINUITY) ||
               tf_minus(span.t1, span.t0) > b->settings.max_gap_ns) {
        return false;
    }
    snt_pose a, c;
    tf_words_pose(span.a, &a);
    tf_words_pose(span.b, &c);
    const double sign = snt__dot4(a.q, c.q) < 0 ? -1 : 1;
    double d[4];
    for (int i = 0; i < 4; i++) {
        s->a[i] = a.q[i];
        s->b[i] = sign * c.q[i];
        d[i] = s->a[i] - s->b[i];
    }
    for (int i = 0; i < 3; i++) {
        s->ta[i] = a.t[i];
        s->dt[i] = c.t[i] - a.t[i];
    }
    s->e = snt__dot4(d, d) / 2;
    s->terms = snt__slerp_terms(s->e);
    s->t0 = span.t0;
    s->t1 = span.t1;
    s->den = found == TF_AT ? 1 : (double)tf_minus(span.t1, span.t0);
    return s->e < 0.3;
}

/* All times of a block by the plain case; false where one of them is not. */
static bool tf_block_lookup(const snt_tf_buffer *b, const tf_chain *chain, snt_tf_cursor *cursor,
                            const int64_t *times, int n, tf_block *x)
{
    static const snt_pose identity = {{0, 0, 0, 1}, {0, 0, 0}};
    x->started = chain->has_fixed[0];
    if (x->started || chain->links[0].inverse) {
        tf_block_start(x, x->started ? &chain->fixed[0] : &identity, n);
        x->started = true;
    }
    for (uint32_t i = 0; i < chain->moving; i++) {
        const tf_link *link = &chain->links[i];
        uint32_t unused = 0, *hint = i < SNT_COUNT_OF(cursor->hint) ? &cursor->hint[i] : &unused;
        for (int k = 0; k < n;) {
            tf_segment s;
            if (!tf_segment_at(b, link, times[k], hint, &s))
                return false;
            int to = k;
            do {
                x->num[to] = (double)(times[to] - s.t0);
                to++;
            } while (to < n && times[to] > s.t0 && times[to] < s.t1);
            tf_run(x, &s, k, to, link->inverse);
            k = to;
        }
        x->started = true;
        if (chain->has_fixed[i + 1])
            tf_block_times_fixed(x, &chain->fixed[i + 1], n);
    }
    return true;
}

static bool tf_batch_plain(const snt_tf_buffer *b, const snt_tf_question *q, const tf_chain *chain)
{
    return chain && chain->moving && !(tf_chain_traits(chain) & TF_TRAIT_CUSTOM) &&
           b->settings.interpolation == SNT_INTERPOLATE_LINEAR && !b->settings.extrapolate_ns && !q->err_ns &&
           !q->max_age_ns && !q->max_gap_ns && !q->extrapolate_ns && !q->interpolation && !q->extrapolation &&
           !q->domain;
}

/* Domains of the edges must agree; a single lookup finds out and says so. */
static bool tf_one_domain(const snt_tf_buffer *b, const tf_chain *chain)
{
    uint32_t domain = 0;
    for (uint32_t i = 0; i < chain->moving; i++) {
        const uint32_t own =
            atomic_load_explicit(&tf_edge_at(b, chain->links[i].slot)->domain, memory_order_relaxed);
        if (own && domain && own != domain)
            return false;
        domain = own ? own : domain;
    }
    return true;
}

static bool tf_block_try(const snt_tf_path *path, const snt_tf_question *q, snt_tf_cursor *cursor,
                         const int64_t *times, int n, tf_block *x)
{
    const snt_tf_buffer *b = path->buffer;
    tf_chain scratch;
    uint32_t flags, reset;
    snt_status status;
    const tf_chain *chain = snt__tf_path_chain(path, &scratch, &flags, &status);
    if (!tf_batch_plain(b, q, chain) || !tf_one_domain(b, chain) ||
        snt__tf_guard(b, path->target, path->source, times[0], &reset, NULL) < 0 || (reset & 1))
        return false;
    if (!tf_block_lookup(b, chain, cursor, times, n, x))
        return false;
    tf_fence_acquire();
    return atomic_load_explicit(&((snt_tf_buffer *)(uintptr_t)b)->reset_seq, memory_order_relaxed) == reset;
}

static void tf_block_store(const tf_block *x, int k, unsigned char *out)
{
    snt_pose pose = {{x->q[0][k], x->q[1][k], x->q[2][k], x->q[3][k]}, {x->t[0][k], x->t[1][k], x->t[2][k]}};
    snt__quat_canonical(pose.q);
    memcpy(out, &pose, sizeof pose);
}

snt_status snt_tf_path_lookup_many(const snt_tf_path *path, const snt_tf_question *question,
                                   snt_tf_cursor *cursor, const void *stamps, uint64_t stamp_stride,
                                   uint64_t n, void *poses, uint64_t pose_stride, snt_status *statuses,
                                   uint64_t *answered)
{
    stamp_stride = stamp_stride ? stamp_stride : sizeof(int64_t);
    pose_stride = pose_stride ? pose_stride : sizeof(snt_pose);
    if (!path || (n && (!stamps || !poses)) || stamp_stride < sizeof(int64_t) ||
        pose_stride < sizeof(snt_pose))
        return SNT_ERR_INVALID_ARG;
    snt_tf_question q;
    snt_status status = snt__tf_question_read(question, &q);
    if (status < 0)
        return status;
    snt_tf_cursor own;
    if (!cursor) {
        snt_tf_cursor_init(&own);
        cursor = &own;
    }
    q.when = SNT_TF_AT;
    uint64_t good = 0;
    snt_status first = SNT_OK;
    const unsigned char *in = stamps;
    unsigned char *out = poses;
    for (uint64_t done = 0; done < n;) {
        int64_t times[TF_BLOCK];
        tf_block x;
        const int m = (int)(n - done < TF_BLOCK ? n - done : TF_BLOCK);
        for (int k = 0; k < m; k++, in += stamp_stride)
            memcpy(&times[k], in, sizeof times[k]);
        const bool plain = tf_block_try(path, &q, cursor, times, m, &x);
        for (int k = 0; k < m; k++, out += pose_stride) {
            status = SNT_OK;
            if (plain) {
                tf_block_store(&x, k, out);
            } else {
                snt_tf_result result;
                q.t = times[k];
                status = snt_tf_path_ask(path, &q, cursor, &result, NULL);
                if (status == SNT_OK)
                    memcpy(out, &result.pose, sizeof result.pose);
            }
            good += status == SNT_OK;
            first = first == SNT_OK ? status : first;
            if (statuses)
                statuses[done + (uint64_t)k] = status;
        }
        done += (uint64_t)m;
    }
    if (answered)
        *answered = good;
    return first;
}
