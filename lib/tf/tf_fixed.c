/* SPDX-License-Identifier: BSD-3-Clause */
/* Two times through a fixed frame, from one state of the tree. */
#include "tf_internal.h"

#include <math.h>

/* What of an edge's past may have changed: everything but appending and eviction. */
static void tf_revisions(const snt_tf_buffer *b, const tf_chain *chain, uint32_t (*out)[2])
{
    for (uint32_t i = 0; i < chain->moving; i++) {
        tf_edge *edge = tf_edge_at(b, chain->links[i].slot);
        out[i][0] = atomic_load_explicit(&edge->ring.seq, memory_order_acquire);
        out[i][1] = atomic_load_explicit(&edge->ring.late, memory_order_acquire);
    }
}

typedef struct tf_half {
    tf_chain chain;
    uint32_t revisions[TF_MAX_MOVING][2];
    snt_tf_result result;
} tf_half;

static snt_status tf_half_begin(const snt_tf_buffer *b, snt_frame target, snt_frame source, tf_half *half,
                                int64_t asked, snt_tf_miss *miss)
{
    const snt_status status = snt__tf_resolve(b, target, source, &half->chain);
    if (status != SNT_OK)
        return snt__tf_not_connected(b, &half->chain, status, asked, miss);
    tf_revisions(b, &half->chain, half->revisions);
    return SNT_OK;
}

static snt_status tf_half_answer(const snt_tf_buffer *b, tf_half *half, int64_t t, snt_tf_miss *miss)
{
    return half->chain.moving ? snt__tf_at(b, &half->chain, NULL, t, NULL, NULL, 0, &half->result, miss)
                              : snt__tf_all_static(b, &half->chain, t, 0, &half->result);
}

static bool tf_half_unchanged(const snt_tf_buffer *b, const tf_half *half)
{
    uint32_t now[TF_MAX_MOVING][2];
    tf_revisions(b, &half->chain, now);
    return memcmp(now, half->revisions, half->chain.moving * sizeof now[0]) == 0;
}

snt_status snt_tf_buffer_lookup_fixed(const snt_tf_buffer *buffer, snt_frame target, snt_time t_target,
                                      snt_frame source, snt_time t_source, snt_frame fixed,
                                      snt_tf_result *result, snt_tf_miss *miss)
{
    if (!buffer || !result)
        return SNT_ERR_INVALID_ARG;
    snt_tf_buffer *b = (snt_tf_buffer *)(uintptr_t)buffer;
    tf_half to, from;
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        uint32_t reset;
        const uint32_t structure = atomic_load_explicit(&b->structure, memory_order_acquire);
        snt_status status = snt__tf_guard(b, target, source, t_target, &reset, miss);
        if (status >= 0)
            status = tf_half_begin(b, target, fixed, &to, t_target, miss);
        if (status == SNT_OK)
            status = tf_half_begin(b, fixed, source, &from, t_source, miss);
        if (status == SNT_OK)
            status = tf_half_answer(b, &to, t_target, miss);
        if (status == SNT_OK)
            status = tf_half_answer(b, &from, t_source, miss);
        if (status != SNT_OK)
            return status;
        if (snt__tf_reset_meanwhile(b, reset) || !tf_half_unchanged(b, &to) || !tf_half_unchanged(b, &from) ||
            atomic_load_explicit(&b->structure, memory_order_acquire) != structure)
            continue;
        const snt_tf_result *x = &to.result, *y = &from.result;
        snt_tf_result r = *x;
        snt__pose_compose(&x->pose, &y->pose, &r.pose);
        snt__quat_canonical(r.pose.q);
        const uint32_t both =
            SNT_TF_BOUND_TIME | SNT_TF_BOUND_INTERPOLATION | SNT_TF_ALL_STATIC | SNT_TF_IDENTITY;
        r.flags = (x->flags & y->flags & both) | ((x->flags | y->flags) & ~both);
        r.gap_ns = x->gap_ns > y->gap_ns ? x->gap_ns : y->gap_ns;
        r.extrapolated_ns = x->extrapolated_ns > y->extrapolated_ns ? x->extrapolated_ns : y->extrapolated_ns;
        r.rot_err = x->rot_err + y->rot_err;
        r.pos_err = x->pos_err + y->pos_err + x->rot_err * (snt__norm3(y->pose.t) + y->pos_err);
        if (!(r.pos_err >= 0)) /* a product beyond doubles bounds nothing */
            r.pos_err = (double)INFINITY;
        r.moving_edges = x->moving_edges + y->moving_edges;
        *result = r;
        return SNT_OK;
    }
    return snt__tf_miss(b, target, source, SNT_TF_MISS_BUSY, SNT_BUSY, t_target, miss);
}
