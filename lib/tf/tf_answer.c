/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer to a question on a chain that is known: at a time, at the latest common one, at each edge's latest. */
#include "tf_internal.h"

#define TF_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

/* The histories are of the current session, and which count of resets they belong to. */
snt_status snt__tf_guard(const snt_tf_buffer *constant, snt_frame target, snt_frame source, int64_t asked,
                         uint32_t *reset, snt_tf_miss *miss)
{
    snt_tf_buffer *b = (snt_tf_buffer *)(uintptr_t)constant;
    *reset = atomic_load_explicit(&b->reset_seq, memory_order_acquire);
    if (SNT_UNLIKELY(b->config.epoch && snt_epoch_session(b->config.epoch) != TF_GET(b->session)))
        return snt__tf_miss(b, target, source, SNT_TF_MISS_SESSION, SNT_ERR_SESSION, asked, miss);
    return SNT_OK;
}

bool snt__tf_reset_meanwhile(const snt_tf_buffer *constant, uint32_t reset)
{
    tf_fence_acquire();
    return (reset & 1) || TF_GET(((snt_tf_buffer *)(uintptr_t)constant)->reset_seq) != reset;
}

static void tf_fill(const tf_chain *chain, const snt_pose *pose, const tf_sum *sum, int64_t stamp,
                    uint32_t flags, snt_tf_result *result)
{
    if (!result)
        return;
    result->pose = *pose;
    result->stamp = stamp;
    result->pos_err = sum->pos_err;
    result->rot_err = sum->rot_err;
    result->extrapolated_ns = sum->extrapolated_ns;
    result->gap_ns = sum->gap_ns;
    result->age_ns = 0;
    result->flags = flags | sum->flags;
    if (chain->moving == 0)
        result->flags |= SNT_TF_ALL_STATIC | (chain->statics ? 0u : (uint32_t)SNT_TF_IDENTITY);
    if (tf_chain_traits(chain) & TF_TRAIT_MAY_JUMP)
        result->flags |= SNT_TF_MAY_JUMP;
    result->session = sum->session;
    result->moving_edges = chain->moving;
    result->reserved = 0;
}

/* Newest stamp of each edge; the least of them. `limiting` gets its index. */
snt_status snt__tf_common_time(const snt_tf_buffer *b, const tf_chain *chain, int64_t *t, uint32_t *limiting)
{
    *t = INT64_MAX;
    *limiting = 0;
    for (uint32_t i = 0; i < chain->moving; i++) {
        const tf_link *link = &chain->links[i];
        tf_edge *edge = tf_edge_at(b, link->slot);
        int64_t newest;
        uint32_t count;
        const tf_found found = tf_ends(&edge->ring, &b->store, NULL, &newest, &count);
        if (TF_GET(edge->generation) != link->generation)
            return SNT_ERR_NOT_FOUND;
        if (found != TF_AT)
            return found == TF_EMPTY ? SNT_EMPTY : SNT_BUSY;
        if (newest < *t) {
            *t = newest;
            *limiting = i;
        }
    }
    return SNT_OK;
}

/* The parents at t differ from today's. */
TF_NOINLINE snt_status snt__tf_at_old_tree(const snt_tf_buffer *b, const tf_chain *chain,
                                           const tf_options *options, int64_t t, uint32_t flags,
                                           snt_tf_result *result, snt_tf_miss *miss)
{
    tf_chain then;
    uint32_t reset;
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        snt_status status = snt__tf_guard(b, chain->target, chain->source, t, &reset, miss);
        if (status < 0)
            return status;
        status = snt__tf_resolve_at(b, chain->target, chain->source, t, &then);
        if (status == SNT_ERR_NOT_CONNECTED) { /* because an edge on the way says nothing about t? */
            const snt_status why = snt__tf_explain(b, chain, options, t, miss);
            if (why != SNT_OK)
                return why;
            if (then.incomplete && attempt < 8) /* what was missing may just have come */
                continue;
        }
        if (status != SNT_OK)
            return snt__tf_not_connected(b, &then, status, t, miss);
        snt_pose pose;
        tf_sum sum;
        const tf_outcome outcome = snt__tf_evaluate(b, &then, options, t, NULL, NULL, &pose, &sum);
        if (snt__tf_reset_meanwhile(b, reset))
            continue;
        if (outcome == TF_OK) {
            tf_fill(&then, &pose, &sum, t, flags, result);
            return SNT_OK;
        }
        if (outcome == TF_MISSING && (status = snt__tf_explain(b, &then, options, t, miss)) != SNT_OK)
            return status;
    }
    return snt__tf_miss(b, chain->target, chain->source, SNT_TF_MISS_BUSY, SNT_BUSY, t, miss);
}

/* The whole answer at one time, on a chain that may turn out not to be the one of that time. */
snt_status snt__tf_at(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options, int64_t t,
                      const int64_t *each, snt_tf_cursor *cursor, uint32_t flags, snt_tf_result *result,
                      snt_tf_miss *miss)
{
    uint32_t reset;
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        snt_status status = snt__tf_guard(b, chain->target, chain->source, t, &reset, miss);
        if (status < 0)
            return status;
        snt_pose pose;
        tf_sum sum;
        const tf_outcome outcome = snt__tf_evaluate(b, chain, options, t, each, cursor, &pose, &sum);
        if (SNT_UNLIKELY(snt__tf_reset_meanwhile(b, reset)))
            continue;
        if (SNT_LIKELY(outcome == TF_OK)) {
            tf_fill(chain, &pose, &sum, t, flags, result);
            return SNT_OK;
        }
        /* Where some frame changed its parent, the chain of that time may lead elsewhere, past the edge that fails. */
        if (outcome == TF_CHANGED_TREE ||
            (outcome == TF_MISSING && !each && TF_GET(((snt_tf_buffer *)(uintptr_t)b)->mixed_edges)))
            return snt__tf_at_old_tree(b, chain, options, t, flags, result, miss);
        if (outcome == TF_MISSING && (status = snt__tf_explain(b, chain, options, t, miss)) != SNT_OK)
            return status;
    }
    return snt__tf_miss(b, chain->target, chain->source, SNT_TF_MISS_BUSY, SNT_BUSY, t, miss);
}

/* ---- latest ---- */

static void tf_no_common_time(const snt_tf_buffer *b, const tf_chain *chain, uint32_t limiting,
                              snt_tf_miss *miss)
{
    if (!miss)
        return;
    const tf_link *link = &chain->links[limiting];
    tf_edge *edge = tf_edge_at(b, link->slot);
    miss->other_child = miss->child;
    miss->other_parent = miss->parent;
    miss->other_oldest = miss->oldest;
    miss->other_newest = miss->newest;
    miss->status = SNT_ERR_STALE;
    miss->reason = SNT_TF_MISS_NO_COMMON_TIME;
    miss->child = (snt_frame)link->generation << 32 | (link->slot + 1);
    miss->parent = tf_frame_of(b, link->parent - 1);
    miss->asked = SNT_UNKNOWN;
    miss->permanent = 0;
    miss->answer_due = SNT_UNKNOWN;
    snt__tf_edge_range(b, edge, &miss->oldest, &miss->newest, &miss->samples);
    miss->period_ns = tf_period(edge);
    miss->next_due = miss->period_ns != SNT_UNKNOWN ? tf_plus(miss->newest, miss->period_ns) : SNT_UNKNOWN;
}

snt_status snt__tf_latest_common(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options,
                                 snt_tf_cursor *cursor, uint32_t flags, snt_tf_result *result,
                                 snt_tf_miss *miss)
{
    snt_tf_miss local;
    if (!miss)
        miss = &local;
    snt_status status = SNT_BUSY;
    int64_t before = INT64_MIN;
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        int64_t t;
        uint32_t limiting;
        status = snt__tf_common_time(b, chain, &t, &limiting);
        if (status == SNT_EMPTY) {
            uint32_t reset;
            status = snt__tf_guard(b, chain->target, chain->source, SNT_UNKNOWN, &reset, miss);
            if (status < 0)
                return status;
            status = snt__tf_explain(b, chain, options, INT64_MAX, miss);
            miss->asked = SNT_UNKNOWN;
            if (status != SNT_OK && miss->reason == SNT_TF_MISS_NO_DATA)
                return status;
            continue;
        }
        if (status == SNT_ERR_NOT_FOUND)
            return snt__tf_not_connected(b, chain, status, SNT_UNKNOWN, miss);
        if (status != SNT_OK)
            continue;
        status = snt__tf_at(b, chain, options, t, NULL, cursor, flags, result, miss);
        if (status != SNT_ERR_PAST && status != SNT_ERR_CLOCK_MISMATCH)
            return status;
        if (t == before) { /* it was not evicted between the two looks: the histories do not overlap */
            tf_no_common_time(b, chain, limiting, miss);
            return SNT_ERR_STALE;
        }
        before = t;
    }
    return snt__tf_miss(b, chain->target, chain->source, SNT_TF_MISS_BUSY, SNT_BUSY, SNT_UNKNOWN, miss);
}

snt_status snt__tf_latest_each(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options,
                               uint32_t flags, snt_tf_result *result, snt_tf_miss *miss)
{
    int64_t each[TF_MAX_MOVING];
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        int64_t least = INT64_MAX, most = INT64_MIN;
        uint32_t i = 0;
        for (; i < chain->moving; i++) {
            const tf_link *link = &chain->links[i];
            if (snt_tf_buffer_newest(b, (snt_frame)link->generation << 32 | (link->slot + 1), &each[i]) !=
                SNT_OK)
                break;
            least = each[i] < least ? each[i] : least;
            most = each[i] > most ? each[i] : most;
        }
        if (i < chain->moving) {
            const snt_status why = snt__tf_explain(b, chain, options, INT64_MAX, miss);
            if (why == SNT_ERR_FUTURE)
                return why;
            continue;
        }
        uint32_t reset;
        snt_status status = snt__tf_guard(b, chain->target, chain->source, SNT_UNKNOWN, &reset, miss);
        if (status < 0)
            return status;
        snt_pose pose;
        tf_sum sum;
        const tf_outcome outcome = snt__tf_evaluate(b, chain, options, least, each, NULL, &pose, &sum);
        if (snt__tf_reset_meanwhile(b, reset) || outcome == TF_INTERFERED || outcome == TF_MISSING) {
            if (sum.domain && outcome == TF_MISSING &&
                (status = snt__tf_explain(b, chain, options, least, miss)) == SNT_ERR_DOMAIN)
                return status;
            continue;
        }
        if (outcome == TF_CHANGED_TREE) /* it changes right now: the caller resolves it anew */
            return SNT_ERR_TREE_CHANGED;
        tf_fill(chain, &pose, &sum, least, flags, result);
        if (result && chain->moving)
            result->age_ns = tf_minus(most, least);
        return SNT_OK;
    }
    return snt__tf_miss(b, chain->target, chain->source, SNT_TF_MISS_BUSY, SNT_BUSY, SNT_UNKNOWN, miss);
}

/* Every edge plainly covers t: there is an answer, and nobody wants to see it. False: find out the long way. */
bool snt__tf_plainly_covered(const snt_tf_buffer *b, const tf_chain *chain, int64_t t)
{
    uint32_t reset, domain = 0;
    if ((tf_chain_traits(chain) & TF_TRAIT_CUSTOM) || b->settings.max_gap_ns != INT64_MAX ||
        TF_GET(((snt_tf_buffer *)(uintptr_t)b)->mixed_edges) ||
        snt__tf_guard(b, chain->target, chain->source, t, &reset, NULL) < 0)
        return false;
    for (uint32_t i = 0; i < chain->moving; i++) {
        const tf_link *link = &chain->links[i];
        tf_edge *edge = tf_edge_at(b, link->slot);
        int64_t oldest, newest;
        uint32_t count;
        const uint32_t own = TF_GET(edge->domain);
        if (tf_ends(&edge->ring, &b->store, &oldest, &newest, &count) != TF_AT || t < oldest || t > newest ||
            TF_GET(edge->generation) != link->generation || TF_GET(edge->parent) != link->parent ||
            (own && domain && own != domain))
            return false;
        domain = own ? own : domain;
    }
    return !snt__tf_reset_meanwhile(b, reset);
}

/* ---- age ---- */

snt_status snt__tf_check_age(const snt_tf_buffer *b, const tf_chain *chain, const snt_tf_question *q,
                             snt_tf_miss *miss)
{
    int64_t worst = 0;
    uint32_t stale = 0;
    for (uint32_t i = 0; i < chain->moving; i++) {
        const tf_link *link = &chain->links[i];
        const snt_frame child = (snt_frame)link->generation << 32 | (link->slot + 1);
        int64_t newest;
        if (snt_tf_buffer_newest(b, child, &newest) != SNT_OK)
            continue;
        const int64_t over = tf_minus(tf_minus(q->now, newest), q->max_age_ns);
        if (over <= 0)
            continue;
        stale++;
        if (over <= worst)
            continue;
        worst = over;
        snt__tf_miss(b, chain->target, chain->source, SNT_TF_MISS_STALE, SNT_ERR_STALE,
                     q->when == SNT_TF_AT ? q->t : SNT_UNKNOWN, miss);
        if (!miss)
            continue;
        tf_edge *edge = tf_edge_at(b, link->slot);
        miss->child = child;
        miss->parent = tf_frame_of(b, link->parent - 1);
        miss->missing_ns = over;
        snt__tf_edge_range(b, edge, &miss->oldest, &miss->newest, &miss->samples);
        miss->domain = TF_GET(edge->domain);
        miss->period_ns = tf_period(edge);
        miss->next_due = miss->period_ns != SNT_UNKNOWN ? tf_plus(newest, miss->period_ns) : SNT_UNKNOWN;
    }
    if (stale && miss)
        miss->failing_edges = stale;
    return stale ? SNT_ERR_STALE : SNT_OK;
}

/* Nothing moves between the two frames: the answer holds at any time. */
snt_status snt__tf_all_static(const snt_tf_buffer *b, const tf_chain *chain, int64_t stamp, uint32_t flags,
                              snt_tf_result *result)
{
    snt_pose pose = {{0, 0, 0, 1}, {0, 0, 0}};
    if (chain->has_fixed[0])
        pose = chain->fixed[0];
    snt__quat_canonical(pose.q);
    const tf_sum sum = {.flags = SNT_TF_BOUND_TIME | SNT_TF_BOUND_INTERPOLATION,
                        .session = TF_GET(((snt_tf_buffer *)(uintptr_t)b)->session)};
    tf_fill(chain, &pose, &sum, stamp, flags, result);
    return SNT_OK;
}

#undef TF_GET
