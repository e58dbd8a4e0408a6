/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Velocities from the samples themselves: each edge's motion at the time asked is that of its segment, and the chain's
 * body twist is the sum of the edges' twists carried to the source frame by the adjoint. Nothing is differenced twice.
 */
#include "tf_internal.h"

/* p⁻¹ carries a twist about the old body frame to one further along: Ad(p⁻¹)·x */
static void tf_twist_beyond(const snt_pose *p, snt_twist *x)
{
    snt_pose inverse;
    snt__pose_inverse(p, &inverse);
    snt_twist_transform(&inverse, x, x);
}

/* The segment to differentiate at t: around it, beginning at it, or at the newest sample ending there. */
static snt_status tf_twist_segment(const snt_tf_buffer *b, const tf_edge *edge, int64_t t, tf_span *span,
                                   uint32_t *reason)
{
    tf_found found = snt__tf_find(b, edge, t, span);
    if (found == TF_AT) {
        if (t < INT64_MAX && snt__tf_find(b, edge, t + 1, span) == TF_BETWEEN && span->t0 == t)
            found = TF_BETWEEN;
        else if (t > INT64_MIN && snt__tf_find(b, edge, t - 1, span) == TF_BETWEEN && span->t1 == t)
            found = TF_BETWEEN;
        if (found ==
            TF_AT) { /* neighbours one nanosecond away are samples too: nothing sensible to divide by */
            *reason = SNT_TF_MISS_ONE_SAMPLE;
            return SNT_ERR_FUTURE;
        }
    }
    *reason = SNT_TF_MISS_NONE;
    if (found != TF_BETWEEN)
        return SNT_BUSY; /* the caller explains, or asks again */
    if (((span->a[TF_META] ^ span->b[TF_META]) & TF_META_PARENT) ||
        (span->b[TF_META] & TF_META_DISCONTINUITY)) {
        *reason = SNT_TF_MISS_GAP;
        return SNT_ERR_GAP;
    }
    return SNT_OK;
}

/* Body twist and pose of one edge at t. */
static void tf_edge_twist(const tf_span *span, uint32_t interpolation, int64_t t, snt_pose *pose,
                          snt_twist *twist)
{
    snt_pose from, to;
    tf_words_pose(span->a, &from);
    tf_words_pose(span->b, &to);
    const double dt = (double)tf_minus(span->t1, span->t0) * 1e-9;
    const double s = (double)tf_minus(t, span->t0) / (double)tf_minus(span->t1, span->t0);
    if (interpolation == SNT_INTERPOLATE_SCREW) {
        snt_pose between;
        snt__pose_between(&from, &to, &between);
        snt_pose_log(&between, dt, twist);
        snt__pose_screw(&from, &to, s, pose);
        return;
    }
    double c[4], turn[4], d[3];
    snt__quat_conj(from.q, c);
    snt__quat_mul(c, to.q, turn);
    snt__rotation_log(turn, twist->w);
    snt__pose_lerp(&from, &to, s, pose);
    for (int i = 0; i < 3; i++) {
        twist->w[i] /= dt;
        d[i] = (to.t[i] - from.t[i]) / dt;
    }
    snt__quat_conj(pose->q, c);
    snt__quat_rotate(c, d, twist->v);
}

static snt_status tf_twist_fail(const snt_tf_buffer *b, const tf_chain *chain, uint32_t i, uint32_t reason,
                                snt_status status, int64_t t, const tf_span *span, snt_tf_miss *miss)
{
    snt__tf_miss(b, chain->target, chain->source, reason, status, t, miss);
    if (!miss)
        return status;
    const tf_link *link = &chain->links[i];
    miss->child = (snt_frame)link->generation << 32 | (link->slot + 1);
    miss->parent = tf_frame_of(b, link->parent - 1);
    miss->failing_edges = 1;
    snt__tf_edge_range(b, tf_edge_at(b, link->slot), &miss->oldest, &miss->newest, &miss->samples);
    if (reason == SNT_TF_MISS_GAP) {
        miss->oldest = span->t0;
        miss->newest = span->t1;
        miss->missing_ns = tf_minus(span->t1, span->t0);
        miss->permanent = 1;
    }
    return status;
}

/* T_target_source at t and its body twist, from the segments around t. */
static snt_status tf_chain_twist(const snt_tf_buffer *b, const tf_chain *chain, const snt_tf_question *q,
                                 int64_t t, snt_pose *pose, snt_tf_twist_result *result, snt_tf_miss *miss)
{
    snt_pose poses[TF_MAX_MOVING];
    snt_twist twists[TF_MAX_MOVING];
    const tf_options options = {.domain = q->domain, .extrapolation = SNT_TF_EXTRAPOLATE_NONE};
    int64_t from = INT64_MAX, to = INT64_MIN;
    for (uint32_t i = 0; i < chain->moving; i++) {
        const tf_link *link = &chain->links[i];
        tf_edge *edge = tf_edge_at(b, link->slot);
        tf_span span;
        uint32_t reason;
        snt_status status = tf_twist_segment(b, edge, t, &span, &reason);
        if (status == SNT_BUSY) {
            status = snt__tf_explain(b, chain, &options, t, miss);
            return status == SNT_OK ? SNT_BUSY : status;
        }
        if (status != SNT_OK)
            return tf_twist_fail(b, chain, i, reason, status, t, &span, miss);
        if (((uint32_t)span.a[TF_META] & TF_META_PARENT) != link->parent ||
            atomic_load_explicit(&edge->generation, memory_order_relaxed) != link->generation)
            return SNT_ERR_TREE_CHANGED;
        tf_settings set;
        snt__tf_edge_settings(b, edge, &set);
        if (tf_minus(span.t1, span.t0) > (q->max_gap_ns ? q->max_gap_ns : set.max_gap_ns))
            return tf_twist_fail(b, chain, i, SNT_TF_MISS_GAP, SNT_ERR_GAP, t, &span, miss);
        tf_edge_twist(&span, q->interpolation ? q->interpolation : set.interpolation, t, &poses[i],
                      &twists[i]);
        if (link->inverse) { /* E⁻¹ moves against E, seen from E's parent */
            snt_twist_transform(&poses[i], &twists[i], &twists[i]);
            for (int k = 0; k < 3; k++) {
                twists[i].v[k] = -twists[i].v[k];
                twists[i].w[k] = -twists[i].w[k];
            }
            snt__pose_inverse(&poses[i], &poses[i]);
        }
        from = span.t0 < from ? span.t0 : from;
        to = span.t1 > to ? span.t1 : to;
    }
    snt_twist sum = {{0, 0, 0}, {0, 0, 0}};
    snt_pose p = {{0, 0, 0, 1}, {0, 0, 0}};
    if (chain->has_fixed[0])
        p = chain->fixed[0];
    for (uint32_t i = 0; i < chain->moving; i++) {
        tf_twist_beyond(&poses[i], &sum);
        for (int k = 0; k < 3; k++) {
            sum.v[k] += twists[i].v[k];
            sum.w[k] += twists[i].w[k];
        }
        snt__pose_compose(&p, &poses[i], &p);
        if (chain->has_fixed[i + 1]) {
            tf_twist_beyond(&chain->fixed[i + 1], &sum);
            snt__pose_compose(&p, &chain->fixed[i + 1], &p);
        }
    }
    result->twist = sum;
    result->from = chain->moving ? from : t;
    result->to = chain->moving ? to : t;
    *pose = p;
    return SNT_OK;
}

/* The mean body twist between two times that the edges cover. */
static snt_status tf_mean_twist(const snt_tf_path *path, const tf_chain *chain, const snt_tf_question *q,
                                int64_t t, int64_t window, snt_pose *pose, snt_tf_twist_result *result,
                                snt_tf_miss *miss)
{
    const snt_tf_buffer *b = path->buffer;
    int64_t lo = tf_minus(t, window / 2), hi = tf_plus(t, window - window / 2);
    for (uint32_t i = 0; i < chain->moving; i++) {
        int64_t oldest, newest;
        uint32_t n;
        if (snt__tf_edge_range(b, tf_edge_at(b, chain->links[i].slot), &oldest, &newest, &n) != SNT_OK)
            continue;
        lo = oldest > lo ? oldest : lo;
        hi = newest < hi ? newest : hi;
    }
    snt_tf_question at = *q;
    at.when = SNT_TF_AT;
    at.extrapolation = SNT_TF_EXTRAPOLATE_NONE;
    at.extrapolate_ns = 0;
    snt_tf_result mid, first, last;
    at.t = t;
    snt_status status = snt_tf_path_ask(path, &at, NULL, &mid, miss);
    if (status != SNT_OK)
        return status;
    if (hi <= lo)
        return chain->moving
                   ? tf_twist_fail(b, chain, 0, SNT_TF_MISS_ONE_SAMPLE, SNT_ERR_FUTURE, t, NULL, miss)
                   : SNT_ERR_INVALID_ARG;
    at.t = lo;
    status = snt_tf_path_ask(path, &at, NULL, &first, miss);
    at.t = hi;
    if (status == SNT_OK)
        status = snt_tf_path_ask(path, &at, NULL, &last, miss);
    if (status != SNT_OK)
        return status;
    snt_pose between;
    snt__pose_between(&first.pose, &last.pose, &between);
    snt_pose_log(&between, (double)tf_minus(hi, lo) * 1e-9, &result->twist);
    result->from = lo;
    result->to = hi;
    *pose = mid.pose;
    return SNT_OK;
}

static void tf_express(const snt_pose *pose, uint32_t convention, snt_twist *twist)
{
    if (convention == SNT_TF_TWIST_ORIGIN)
        snt_twist_rotate(pose->q, twist, twist);
    else if (convention == SNT_TF_TWIST_SPATIAL)
        snt_twist_transform(pose, twist, twist);
}

snt_status snt_tf_path_twist(const snt_tf_path *path, const snt_tf_question *question, snt_duration window_ns,
                             uint32_t convention, snt_tf_twist_result *result, snt_tf_miss *miss)
{
    if (!path || !result || window_ns < 0 || convention > SNT_TF_TWIST_SPATIAL)
        return SNT_ERR_INVALID_ARG;
    snt_tf_question q;
    snt_status status = snt__tf_question_read(question, &q);
    if (status < 0)
        return status;
    if (q.when == SNT_TF_LATEST_EACH)
        return SNT_ERR_INVALID_ARG;
    const snt_tf_buffer *b = path->buffer;
    tf_chain scratch;
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        uint32_t flags, reset, limiting;
        const tf_chain *chain = snt__tf_path_chain(path, &scratch, &flags, &status);
        const int64_t asked = q.when == SNT_TF_AT ? q.t : SNT_UNKNOWN;
        if (!chain)
            return snt__tf_not_connected(b, &scratch, status, asked, miss);
        snt_tf_twist_result r = {.convention = convention, .flags = flags, .moving_edges = chain->moving};
        if (tf_chain_traits(chain) & TF_TRAIT_MAY_JUMP)
            r.flags |= SNT_TF_MAY_JUMP;
        if (!chain->moving) {
            r.flags |= SNT_TF_ALL_STATIC | (chain->statics ? 0u : (uint32_t)SNT_TF_IDENTITY);
            r.stamp = r.from = r.to = q.when == SNT_TF_AT ? q.t : SNT_TIME_INFINITE_FUTURE;
            *result = r;
            return SNT_OK;
        }
        status = snt__tf_guard(b, path->target, path->source, asked, &reset, miss);
        if (status < 0)
            return status;
        int64_t t = q.t;
        if (q.when == SNT_TF_LATEST_COMMON) { /* one lookup finds the time, or says why there is none */
            snt_tf_result latest;
            status = snt_tf_path_ask(path, &q, NULL, &latest, miss);
            if (status != SNT_OK)
                return status;
            if (snt__tf_common_time(b, chain, &t, &limiting) != SNT_OK)
                continue;
            t = latest.stamp;
        }
        r.stamp = t;
        snt_pose pose;
        status = window_ns ? tf_mean_twist(path, chain, &q, t, window_ns, &pose, &r, miss)
                           : tf_chain_twist(b, chain, &q, t, &pose, &r, miss);
        if (status == SNT_ERR_TREE_CHANGED) { /* the parents at t are others */
            status = snt__tf_resolve_at(b, path->target, path->source, t, &scratch);
            if (status != SNT_OK)
                return snt__tf_not_connected(b, &scratch, status, asked, miss);
            status = tf_chain_twist(b, &scratch, &q, t, &pose, &r, miss);
        }
        if (status == SNT_BUSY || status == SNT_ERR_TREE_CHANGED ||
            atomic_load_explicit(&((snt_tf_buffer *)(uintptr_t)b)->reset_seq, memory_order_acquire) != reset)
            continue;
        if (status != SNT_OK)
            return status;
        tf_express(&pose, convention, &r.twist);
        *result = r;
        return SNT_OK;
    }
    return snt__tf_miss(b, path->target, path->source, SNT_TF_MISS_BUSY, SNT_BUSY, q.t, miss);
}
