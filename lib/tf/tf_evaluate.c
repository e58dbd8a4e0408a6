/* SPDX-License-Identifier: BSD-3-Clause */
/* The pose of a chain at a time: one sample pair per moving edge, interpolated and multiplied up, with its bound. */
#include "tf_internal.h"

#include <math.h>

#if SNT_GNU
#define SNT_PREFETCH(p) __builtin_prefetch(p)
#else
#define SNT_PREFETCH(p) (void)(p)
#endif
#define TF_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

static double tf_word_double(const tf_word *w)
{
    const uint64_t bits = tf_word_get(w);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void snt__tf_edge_settings(const snt_tf_buffer *b, const tf_edge *constant, tf_settings *out)
{
    tf_edge *edge = (tf_edge *)(uintptr_t)constant;
    *out = b->settings;
    if (!(atomic_load_explicit(&edge->traits, memory_order_acquire) & TF_TRAIT_CUSTOM))
        return;
    out->keep_ns = (int64_t)tf_word_get(&edge->custom.keep_ns);
    out->max_gap_ns = (int64_t)tf_word_get(&edge->custom.max_gap_ns);
    out->extrapolate_ns = (int64_t)tf_word_get(&edge->custom.extrapolate_ns);
    out->max_accel = tf_word_double(&edge->custom.max_accel);
    out->max_angular_accel = tf_word_double(&edge->custom.max_angular_accel);
    out->interpolation = TF_GET(edge->custom.interpolation);
    out->extrapolation = TF_GET(edge->custom.extrapolation);
}

static tf_found tf_find_hinted(const snt_tf_buffer *b, const tf_edge *edge, int64_t t, bool hinted,
                               uint32_t hint, tf_span *span)
{
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        const tf_found found = tf_find(&edge->ring, &b->store, t, hinted, hint, span);
        if (SNT_LIKELY(found != TF_RETRY))
            return found;
    }
    return TF_RETRY;
}

tf_found snt__tf_find(const snt_tf_buffer *b, const tf_edge *edge, int64_t t, tf_span *span)
{
    return tf_find_hinted(b, edge, t, false, 0, span);
}

/* ---- the bound ---- */

typedef struct tf_error {
    double pos, rot;
    bool time_known, motion_known;
} tf_error;

/* How one edge's answer was made, for its bound. */
enum { TF_MADE_EXACT, TF_MADE_LINEAR, TF_MADE_SCREW, TF_MADE_HELD, TF_MADE_TWIST };

static double tf_meta_err(const uint64_t *words)
{
    return (double)tf_float_of((uint32_t)(words[TF_META] >> 32)) * 1e-9;
}

static double tf_angle(const double *a, const double *b)
{
    double c[4], r[4], w[3];
    snt__quat_conj(a, c);
    snt__quat_mul(c, b, r);
    snt__rotation_log(r, w);
    return snt__norm3(w);
}

/*
 * With |acceleration| <= A the speed anywhere near a segment of length dt is at most V = |Δp|/dt' + A(dt/2 + slack), where
 * dt' = dt − 2e is the shortest the segment can truly be, and a chord lies within A·dt²/8 of the curve. A stamp off by e
 * moves a point by at most e·V. Rotations alike, with a factor for axes that turn. A pose held for d is off by d·V, a twist
 * continued for d by the change of velocity.
 */
static void tf_edge_error(const tf_settings *set, const tf_span *s, int made, int64_t t, double query_err,
                          tf_error *out)
{
    const bool known = (s->a[TF_META] & TF_META_ERR_KNOWN) && (s->b[TF_META] & TF_META_ERR_KNOWN);
    const double ea = tf_meta_err(s->a), eb = tf_meta_err(s->b);
    const double e = ea > eb ? ea : eb, all = e + query_err;
    const double dt = (double)tf_minus(s->t1, s->t0) * 1e-9, true_dt = dt - 2 * e;
    const double A = set->max_accel, B = set->max_angular_accel;
    out->time_known = known;
    out->motion_known = A > 0 && B > 0;
    if (!(true_dt > 0) || ((s->a[TF_META] ^ s->b[TF_META]) & TF_META_PARENT) ||
        (s->b[TF_META] & TF_META_DISCONTINUITY)) { /* no speed to tell */
        *out = (tf_error){0, 0, false, false};
        return;
    }
    snt_pose a, b;
    double d[3];
    tf_words_pose(s->a, &a);
    tf_words_pose(s->b, &b);
    for (int i = 0; i < 3; i++)
        d[i] = b.t[i] - a.t[i];
    const double before = t < s->t0 ? (double)tf_minus(s->t0, t) * 1e-9 : 0;
    const double beyond = t > s->t1 ? (double)tf_minus(t, s->t1) * 1e-9 : 0;
    const double v = snt__norm3(d) / true_dt, w = tf_angle(a.q, b.q) / true_dt;
    const double slack = dt / 2 + 2 * e + query_err + beyond + before;
    const double V = v + A * slack, W = w + B * slack;
    const double screw = W * V; /* what a screw motion's own acceleration can be */
    double pos = all * V, rot = all * W;
    if (made == TF_MADE_LINEAR || made == TF_MADE_SCREW) {
        pos += (A + (made == TF_MADE_SCREW ? screw : 0)) * dt * dt / 8;
        rot += B * dt * dt / 8 * (1 + W * dt);
    } else if (made == TF_MADE_HELD) {
        const int64_t from_a = tf_minus(t, s->t0), from_b = tf_minus(s->t1, t);
        const double held = beyond > 0 ? beyond : (double)(from_a > from_b ? from_a : from_b) * 1e-9;
        pos += held * V;
        rot += held * W;
    } else if (made == TF_MADE_TWIST) {
        const double grow = dt / 2 * beyond + beyond * beyond / 2, late = 2 * e / true_dt * beyond;
        pos += (A + screw) * grow + v * late;
        rot += B * grow * (1 + W * (dt + beyond)) + w * late;
    }
    out->pos = pos;
    out->rot = rot;
}

/* An exact hit rests on one sample; its speed comes from the segment that ends there, else the one that begins there. */
static bool tf_neighbour(const snt_tf_buffer *b, const tf_edge *edge, int64_t t, tf_span *span)
{
    if (t > INT64_MIN && snt__tf_find(b, edge, t - 1, span) == TF_BETWEEN && span->t1 == t)
        return true;
    return snt__tf_find(b, edge, t + 1, span) == TF_BETWEEN && span->t0 == t;
}

/* ---- one edge ---- */

typedef struct tf_ask {
    const snt_tf_buffer *b;
    const tf_options *options;
    tf_sum *sum;
    uint32_t index;   /* of the edge being made */
    uint32_t unknown; /* bits: some edge's stamps, some edge's motion */
    uint32_t errors;  /* how many entries of `error` are filled, from 0 on */
    tf_error *error;
} tf_ask;
enum { TF_UNKNOWN_TIME = 1, TF_UNKNOWN_MOTION = 2 };

/* Only chains with declared errors or limits pay for their bounds. */
static void tf_put_error(tf_ask *ask, const tf_error *error)
{
    while (ask->errors < ask->index)
        ask->error[ask->errors++] = (tf_error){0, 0, false, false};
    ask->error[ask->errors++] = *error;
    ask->unknown |= (error->time_known ? 0u : (uint32_t)TF_UNKNOWN_TIME) |
                    (error->motion_known ? 0u : (uint32_t)TF_UNKNOWN_MOTION);
}

static tf_outcome tf_find_outcome(const snt_tf_buffer *b, const tf_link *link, tf_found found)
{
    tf_edge *edge = tf_edge_at(b, link->slot);
    if (TF_GET(edge->generation) != link->generation || TF_GET(edge->kind) != SNT_TF_DYNAMIC)
        return TF_CHANGED_TREE;
    return found == TF_RETRY ? TF_INTERFERED : TF_MISSING;
}

/* Beyond the newest sample. */
static tf_outcome tf_extrapolate(tf_ask *ask, const tf_link *link, const tf_settings *set, int64_t t,
                                 int64_t newest, tf_span *span, snt_pose *pose, int *made)
{
    const snt_tf_buffer *b = ask->b;
    const tf_edge *edge = tf_edge_at(b, link->slot);
    const int64_t beyond = tf_minus(t, newest);
    if (set->extrapolate_ns <= 0 || set->extrapolation <= SNT_TF_EXTRAPOLATE_NONE ||
        beyond > set->extrapolate_ns)
        return TF_MISSING;
    const tf_found pair = snt__tf_find(b, edge, newest - 1, span);
    const bool whole = pair == TF_BETWEEN && span->t1 == newest &&
                       !((span->a[TF_META] ^ span->b[TF_META]) & TF_META_PARENT) &&
                       !(span->b[TF_META] & TF_META_DISCONTINUITY);
    if (whole && set->extrapolation == SNT_TF_EXTRAPOLATE_TWIST) {
        snt_pose from, to;
        tf_words_pose(span->a, &from);
        tf_words_pose(span->b, &to);
        snt__pose_screw(&from, &to, (double)tf_minus(t, span->t0) / (double)tf_minus(span->t1, span->t0),
                        pose);
        *made = TF_MADE_TWIST;
    } else {
        if (!whole) {
            if (snt__tf_find(b, edge, newest, span) != TF_AT)
                return TF_INTERFERED;
            memcpy(span->b, span->a, sizeof span->b);
            span->t1 = span->t0;
        }
        tf_words_pose(span->b, pose);
        *made = TF_MADE_HELD;
        ask->sum->flags |= SNT_TF_HELD;
    }
    if (((uint32_t)span->b[TF_META] & TF_META_PARENT) != link->parent)
        return TF_CHANGED_TREE;
    ask->sum->flags |= SNT_TF_EXTRAPOLATED;
    if (beyond > ask->sum->extrapolated_ns)
        ask->sum->extrapolated_ns = beyond;
    return TF_OK;
}

/* Between two samples, where they may not be joined or not by a straight line and the common options. */
static tf_outcome tf_between(tf_ask *ask, const tf_settings *set, int64_t t, const tf_span *span,
                             snt_pose *pose, int *made)
{
    const int64_t gap = tf_minus(span->t1, span->t0);
    const bool reparents = (span->a[TF_META] ^ span->b[TF_META]) & TF_META_PARENT;
    *made = TF_MADE_HELD;
    if (SNT_LIKELY(!reparents && !(span->b[TF_META] & TF_META_DISCONTINUITY) && gap <= set->max_gap_ns &&
                   set->interpolation == SNT_INTERPOLATE_LINEAR)) {
        const double part = (double)tf_minus(t, span->t0) / (double)gap;
        snt__slerp(span->ad, span->bd, part, pose->q);
        for (int i = 0; i < 3; i++)
            pose->t[i] = span->ad[4 + i] + part * (span->bd[4 + i] - span->ad[4 + i]);
        ask->sum->flags |= SNT_TF_INTERPOLATED;
        if (gap > ask->sum->gap_ns)
            ask->sum->gap_ns = gap;
        *made = TF_MADE_LINEAR;
        return TF_OK;
    }
    tf_words_pose(span->a, pose);
    if (reparents || (span->b[TF_META] & TF_META_DISCONTINUITY)) {
        if (reparents && (ask->b->config.flags & SNT_TF_REPARENT_IS_GAP))
            return TF_MISSING;
        ask->sum->flags |= SNT_TF_HELD;
        return TF_OK;
    }
    if (gap > set->max_gap_ns)
        return TF_MISSING;
    if (gap > ask->sum->gap_ns)
        ask->sum->gap_ns = gap;
    snt_pose to;
    tf_words_pose(span->b, &to);
    const double s = (double)tf_minus(t, span->t0) / (double)gap;
    if (set->interpolation == SNT_INTERPOLATE_HOLD || set->interpolation == SNT_INTERPOLATE_NEAREST) {
        ask->sum->flags |= SNT_TF_HELD;
        if (set->interpolation == SNT_INTERPOLATE_NEAREST && tf_minus(t, span->t0) >= tf_minus(span->t1, t))
            *pose = to;
        return TF_OK;
    }
    ask->sum->flags |= SNT_TF_INTERPOLATED;
    snt__pose_screw(pose, &to, s, pose);
    *made = TF_MADE_SCREW;
    return TF_OK;
}

static void tf_note_error(tf_ask *ask, const tf_link *link, const tf_settings *set, tf_span *span, int made,
                          int64_t t)
{
    const double query_err = ask->options ? (double)ask->options->err_ns * 1e-9 : 0;
    const bool known = span->a[TF_META] & TF_META_ERR_KNOWN;
    if (SNT_LIKELY(!known && !(set->max_accel > 0) &&
                   query_err == 0)) { /* nothing declared: nothing claimed */
        ask->unknown |= made == TF_MADE_EXACT ? TF_UNKNOWN_TIME : TF_UNKNOWN_TIME | TF_UNKNOWN_MOTION;
        return;
    }
    tf_error error = {0, 0, known, true};
    if (made != TF_MADE_EXACT || tf_meta_err(span->a) + query_err > 0) {
        if (made == TF_MADE_EXACT && !tf_neighbour(ask->b, tf_edge_at(ask->b, link->slot), t, span))
            error.time_known = error.motion_known = false;
        else
            tf_edge_error(set, span, made, t, query_err, &error);
    }
    tf_put_error(ask, &error);
}

static tf_outcome tf_edge_pose(tf_ask *ask, const tf_link *link, int64_t t, bool hinted, uint32_t *hint,
                               snt_pose *pose)
{
    const snt_tf_buffer *b = ask->b;
    tf_edge *edge = tf_edge_at(b, link->slot);
    tf_span span;
    const tf_found found = tf_find_hinted(b, edge, t, hinted, *hint, &span);
    const uint32_t traits = TF_GET(edge->traits);
    const uint32_t domain = TF_GET(edge->domain);
    if (TF_GET(edge->generation) != link->generation)
        return TF_CHANGED_TREE;
    if (domain) {
        if (ask->sum->domain && ask->sum->domain != domain)
            return TF_MISSING;
        ask->sum->domain = domain;
    }
    if (found == TF_RETRY || found == TF_EMPTY || found == TF_PAST)
        return tf_find_outcome(b, link, found);
    const tf_settings *set = &b->settings;
    tf_settings own;
    if (SNT_UNLIKELY((traits & TF_TRAIT_CUSTOM) || ask->options)) {
        snt__tf_edge_settings(b, edge, &own);
        const tf_options *o = ask->options;
        if (o) {
            own.max_gap_ns = o->max_gap_ns ? o->max_gap_ns : own.max_gap_ns;
            own.extrapolate_ns = o->extrapolate_ns ? o->extrapolate_ns : own.extrapolate_ns;
            own.interpolation = o->interpolation ? o->interpolation : own.interpolation;
            own.extrapolation = o->extrapolation ? o->extrapolation : own.extrapolation;
        }
        set = &own;
    }
    int made = TF_MADE_EXACT;
    if (found == TF_FUTURE) {
        const tf_outcome outcome = tf_extrapolate(ask, link, set, t, span.newest, &span, pose, &made);
        if (outcome != TF_OK)
            return outcome;
    } else {
        *hint = span.position;
        if (((uint32_t)span.a[TF_META] & TF_META_PARENT) != link->parent)
            return TF_CHANGED_TREE;
        if (found == TF_AT) {
            tf_words_pose(span.a, pose);
        } else {
            const tf_outcome outcome = tf_between(ask, set, t, &span, pose, &made);
            if (outcome != TF_OK)
                return outcome;
        }
    }
    tf_note_error(ask, link, set, &span, made, t);
    return TF_OK;
}

/* ---- the chain ---- */

/* p = p · E or p · E⁻¹ */
static void tf_times_edge(snt_pose *p, const snt_pose *e, bool inverse)
{
    if (!inverse) {
        snt__pose_compose(p, e, p);
        return;
    }
    double q[4], t[3];
    snt__quat_conj(e->q, q);
    snt__quat_mul(p->q, q, p->q);
    snt__quat_rotate(p->q, e->t, t);
    for (int i = 0; i < 3; i++)
        p->t[i] -= t[i];
}

/* From the source's end: each edge adds its own error and turns all that lies beyond it. */
static void tf_sum_errors(const tf_chain *chain, const snt_pose *poses, const tf_error *errors, tf_sum *sum)
{
    snt_pose beyond = {{0, 0, 0, 1}, {0, 0, 0}};
    double pos = 0, rot = 0;
    for (uint32_t i = chain->moving; i-- > 0;) {
        if (chain->has_fixed[i + 1])
            snt__pose_compose(&chain->fixed[i + 1], &beyond, &beyond);
        double lever = snt__norm3(beyond.t);
        snt_pose factor = poses[i];
        if (chain->links[i].inverse)
            snt__pose_inverse(&factor, &factor);
        snt__pose_compose(&factor, &beyond, &beyond);
        if (chain->links[i].inverse)
            lever = snt__norm3(beyond.t);
        pos += errors[i].pos + errors[i].rot * (lever + pos);
        rot += errors[i].rot;
    }
    /* outward: what rounding of the poses themselves can do is far below this; sums beyond doubles bound nothing */
    sum->pos_err = pos * (1 + 1e-9) + 1e-12 * (1 + snt__norm3(beyond.t));
    if (!(sum->pos_err >= 0))
        sum->pos_err = (double)INFINITY;
    sum->rot_err = rot * (1 + 1e-9) + 1e-12;
}

/*
 * Where each edge's samples should lie, asked for from memory before the first of them is needed: the edges' cache misses
 * then overlap. A hint only; the reads that follow check everything. True if an edge seems not to reach t.
 */
static bool tf_prefetch(const snt_tf_buffer *b, const tf_chain *chain, int64_t t, uint32_t *hints)
{
    bool short_of = false;
    for (uint32_t i = 0; i < chain->moving; i++) {
        tf_ring *ring = &tf_edge_at(b, chain->links[i].slot)->ring;
        const uint32_t head = TF_GET(ring->head), tail = TF_GET(ring->tail), n = head - tail;
        const uint32_t first = TF_GET(ring->first), mask = TF_GET(ring->mask);
        hints[i] = tail;
        if (n < 2 || !tf_plausible(&b->store, n, first, mask))
            continue;
        const int64_t newest = tf_stamp(&b->store, first + ((head - 1) & mask));
        if (t >= newest) {
            hints[i] = head - 1;
            short_of |= t > newest;
            continue;
        }
        hints[i] = tail + tf_guess(ring, newest, t, n);
        const uint32_t slot = first + (hints[i] & mask);
        SNT_PREFETCH(&b->store.stamps[slot]);
        SNT_PREFETCH(&b->store.samples[slot]);
        SNT_PREFETCH(&b->store.samples[slot] + 1);
    }
    return short_of;
}

tf_outcome snt__tf_evaluate(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options,
                            int64_t t, const int64_t *each, snt_tf_cursor *cursor, snt_pose *pose,
                            tf_sum *sum)
{
    snt_pose poses[TF_MAX_MOVING];
    tf_error errors[TF_MAX_MOVING];
    tf_ask ask = {.b = b, .options = options, .sum = sum, .error = errors};
    *sum = (tf_sum){.domain = options ? options->domain : 0,
                    .session = TF_GET(((snt_tf_buffer *)(uintptr_t)b)->session)};
    uint32_t hints[TF_MAX_MOVING];
    const bool prefetched = !cursor && !each;
    if (prefetched && tf_prefetch(b, chain, t, hints) && !options && !b->settings.extrapolate_ns &&
        !(tf_chain_traits(chain) & TF_TRAIT_CUSTOM))
        return TF_MISSING; /* whoever explains it looks again, and closer */
    for (uint32_t i = 0; i < chain->moving; i++) {
        const bool remembered = cursor && i < SNT_COUNT_OF(cursor->hint);
        if (!prefetched)
            hints[i] = remembered ? cursor->hint[i] : 0;
        ask.index = i;
        const tf_outcome outcome = tf_edge_pose(&ask, &chain->links[i], each ? each[i] : t,
                                                prefetched || remembered, &hints[i], &poses[i]);
        if (outcome != TF_OK)
            return outcome;
        if (remembered)
            cursor->hint[i] = hints[i];
    }
    snt_pose p = {{0, 0, 0, 1}, {0, 0, 0}};
    bool started = chain->has_fixed[0];
    if (started)
        p = chain->fixed[0];
    for (uint32_t i = 0; i < chain->moving; i++) {
        if (!started && !chain->links[i].inverse)
            p = poses[i];
        else
            tf_times_edge(&p, &poses[i], chain->links[i].inverse);
        started = true;
        if (chain->has_fixed[i + 1])
            snt__pose_compose(&p, &chain->fixed[i + 1], &p);
    }
    snt__quat_canonical(p.q);
    *pose = p;
    if (!(ask.unknown & TF_UNKNOWN_TIME))
        sum->flags |= SNT_TF_BOUND_TIME;
    if (!(ask.unknown & TF_UNKNOWN_MOTION))
        sum->flags |= SNT_TF_BOUND_INTERPOLATION;
    while (ask.errors && ask.errors < chain->moving)
        errors[ask.errors++] = (tf_error){0, 0, false, false};
    if (ask.errors)
        tf_sum_errors(chain, poses, errors, sum);
    return TF_OK;
}

#undef TF_GET
#undef SNT_PREFETCH
