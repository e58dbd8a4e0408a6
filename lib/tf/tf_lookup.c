/* SPDX-License-Identifier: BSD-3-Clause */
/* The public questions. */
#include "tf_internal.h"

#define TF_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

static const snt_tf_question tf_question_defaults = {.struct_size = sizeof(snt_tf_question),
                                                     .now = SNT_UNKNOWN};

void snt_tf_question_init(snt_tf_question *question, size_t size)
{
    snt__config_init(question, size, &tf_question_defaults, sizeof tf_question_defaults);
}

void snt_tf_cursor_init(snt_tf_cursor *cursor)
{
    if (cursor)
        memset(cursor, 0, sizeof *cursor);
}

snt_status snt__tf_question_read(const snt_tf_question *given, snt_tf_question *out)
{
    *out = tf_question_defaults;
    out->when = SNT_TF_LATEST_COMMON;
    const snt_status status = snt__config_read(out, sizeof *out, SNT_END_OF(snt_tf_question, flags), given);
    if (status < 0)
        return status;
    if (out->when > SNT_TF_LATEST_EACH || out->err_ns < 0 || out->max_age_ns < 0 || out->max_gap_ns < 0 ||
        out->extrapolate_ns < 0 || out->interpolation > SNT_INTERPOLATE_SCREW ||
        out->extrapolation > SNT_TF_EXTRAPOLATE_TWIST || out->flags ||
        (out->max_age_ns && out->now == SNT_UNKNOWN))
        return SNT_ERR_INVALID_ARG;
    return SNT_OK;
}

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

static void tf_fill(const snt_tf_buffer *b, const tf_chain *chain, const snt_pose *pose, const tf_sum *sum,
                    int64_t stamp, uint32_t flags, snt_tf_result *result)
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
    if (chain->traits & TF_TRAIT_MAY_JUMP)
        result->flags |= SNT_TF_MAY_JUMP;
    result->session = TF_GET(((snt_tf_buffer *)(uintptr_t)b)->session);
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
#if SNT_GNU
__attribute__((noinline))
#endif
static snt_status
tf_at_old_tree(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options, int64_t t,
               uint32_t flags, snt_tf_result *result, snt_tf_miss *miss)
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
            tf_fill(b, &then, &pose, &sum, t, flags, result);
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
            tf_fill(b, chain, &pose, &sum, t, flags, result);
            return SNT_OK;
        }
        /* Where some frame changed its parent, the chain of that time may lead elsewhere, past the edge that fails. */
        if (outcome == TF_CHANGED_TREE ||
            (outcome == TF_MISSING && !each && TF_GET(((snt_tf_buffer *)(uintptr_t)b)->mixed_edges)))
            return tf_at_old_tree(b, chain, options, t, flags, result, miss);
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

static snt_status tf_latest_common(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options,
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

static snt_status tf_latest_each(const snt_tf_buffer *b, const tf_chain *chain, const tf_options *options,
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
        tf_fill(b, chain, &pose, &sum, least, flags, result);
        if (result && chain->moving)
            result->age_ns = tf_minus(most, least);
        return SNT_OK;
    }
    return snt__tf_miss(b, chain->target, chain->source, SNT_TF_MISS_BUSY, SNT_BUSY, SNT_UNKNOWN, miss);
}

/* Every edge plainly covers t: there is an answer, and nobody wants to see it. False: find out the long way. */
static bool tf_plainly_covered(const snt_tf_buffer *b, const tf_chain *chain, int64_t t)
{
    uint32_t reset, domain = 0;
    if ((chain->traits & TF_TRAIT_CUSTOM) || b->settings.max_gap_ns != INT64_MAX ||
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

/* ---- any question ---- */

static snt_status tf_check_age(const snt_tf_buffer *b, const tf_chain *chain, const snt_tf_question *q,
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
    const tf_sum sum = {.flags = SNT_TF_BOUND_TIME | SNT_TF_BOUND_INTERPOLATION};
    tf_fill(b, chain, &pose, &sum, stamp, flags, result);
    return SNT_OK;
}

static tf_options tf_options_of(const snt_tf_question *q)
{
    return (tf_options){.err_ns = q->err_ns,
                        .max_gap_ns = q->max_gap_ns,
                        .extrapolate_ns = q->extrapolate_ns,
                        .interpolation = q->interpolation,
                        .extrapolation = q->extrapolation,
                        .domain = q->domain};
}

static snt_status tf_question(const snt_tf_buffer *b, const tf_chain *chain, const snt_tf_question *q,
                              snt_tf_cursor *cursor, uint32_t flags, snt_tf_result *result, snt_tf_miss *miss)
{
    if (chain->moving == 0)
        return snt__tf_all_static(b, chain,
                                  q->when == SNT_TF_AT    ? q->t
                                  : q->now != SNT_UNKNOWN ? q->now
                                                          : SNT_TIME_INFINITE_FUTURE,
                                  flags, result);
    const tf_options options = tf_options_of(q);
    const bool plain = !(q->err_ns || q->max_gap_ns || q->extrapolate_ns || q->interpolation ||
                         q->extrapolation || q->domain);
    const tf_options *o = plain ? NULL : &options;
    if (plain && result && b->plain && q->when != SNT_TF_LATEST_EACH && !q->max_age_ns &&
        b->plain(b, chain, q->t, q->when == SNT_TF_LATEST_COMMON, cursor, flags, result))
        return SNT_OK;
    if (q->max_age_ns) {
        const snt_status status = tf_check_age(b, chain, q, miss);
        if (status < 0)
            return status;
    }
    if (!result && !o && q->when == SNT_TF_AT && tf_plainly_covered(b, chain, q->t))
        return SNT_OK;
    if (q->when == SNT_TF_AT)
        return snt__tf_at(b, chain, o, q->t, NULL, cursor, flags, result, miss);
    if (q->when == SNT_TF_LATEST_COMMON)
        return tf_latest_common(b, chain, o, cursor, flags, result, miss);
    return tf_latest_each(b, chain, o, flags, result, miss);
}

/* No chain today; but was there one at the time asked, before some frame changed its parent? */
static snt_status tf_unconnected(const snt_tf_buffer *b, const tf_chain *chain, snt_status status,
                                 const snt_tf_question *q, snt_tf_result *result, snt_tf_miss *miss)
{
    const int64_t asked = q->when == SNT_TF_AT ? q->t : SNT_UNKNOWN;
    if (status == SNT_ERR_NOT_CONNECTED && q->when == SNT_TF_AT &&
        TF_GET(((snt_tf_buffer *)(uintptr_t)b)->mixed_edges)) {
        const tf_options options = tf_options_of(q);
        const snt_status then = tf_at_old_tree(b, chain, &options, q->t, 0, result, NULL);
        if (then == SNT_OK)
            return then;
    }
    return snt__tf_not_connected(b, chain, status, asked, miss);
}

static snt_status tf_buffer_question(const snt_tf_buffer *b, snt_frame target, snt_frame source,
                                     const snt_tf_question *q, snt_tf_result *result, snt_tf_miss *miss)
{
    tf_chain chain;
    snt_status status = SNT_BUSY;
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        status = snt__tf_resolve(b, target, source, &chain);
        if (status != SNT_OK)
            return tf_unconnected(b, &chain, status, q, result, miss);
        status = tf_question(b, &chain, q, NULL, 0, result, miss);
        if (status != SNT_ERR_TREE_CHANGED)
            return status;
    }
    return snt__tf_miss(b, target, source, SNT_TF_MISS_BUSY, SNT_BUSY, q->t, miss);
}

static snt_status tf_path_question(const snt_tf_path *path, const snt_tf_question *q, snt_tf_cursor *cursor,
                                   snt_tf_result *result, snt_tf_miss *miss)
{
    tf_chain scratch;
    uint32_t flags;
    snt_status status;
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        const tf_chain *chain = snt__tf_path_chain(path, &scratch, &flags, &status);
        if (!chain)
            return tf_unconnected(path->buffer, &scratch, status, q, result, miss);
        status = tf_question(path->buffer, chain, q, cursor, flags, result, miss);
        if (status != SNT_ERR_TREE_CHANGED)
            return status;
    }
    return snt__tf_miss(path->buffer, path->target, path->source, SNT_TF_MISS_BUSY, SNT_BUSY, q->t, miss);
}

snt_status snt_tf_buffer_ask(const snt_tf_buffer *buffer, snt_frame target, snt_frame source,
                             const snt_tf_question *question, snt_tf_result *result, snt_tf_miss *miss)
{
    if (!buffer)
        return SNT_ERR_INVALID_ARG;
    snt_tf_question q;
    const snt_status status = snt__tf_question_read(question, &q);
    return status < 0 ? status : tf_buffer_question(buffer, target, source, &q, result, miss);
}

/* The tree as it is now, and a plain question. */
static inline bool tf_buffer_plainly(const snt_tf_buffer *b, snt_frame target, snt_frame source, int64_t t,
                                     bool latest, snt_tf_result *result)
{
    tf_chain chain;
    return SNT_LIKELY(b->plain) && snt__tf_resolve(b, target, source, &chain) == SNT_OK &&
           b->plain(b, &chain, t, latest, NULL, 0, result);
}

TF_NOINLINE static snt_status tf_buffer_slowly(const snt_tf_buffer *b, snt_frame target, snt_frame source,
                                               int64_t t, uint32_t when, snt_tf_result *result,
                                               snt_tf_miss *miss)
{
    const snt_tf_question q = {.when = when, .t = t, .now = SNT_UNKNOWN};
    return tf_buffer_question(b, target, source, &q, result, miss);
}

snt_status snt_tf_buffer_lookup(const snt_tf_buffer *buffer, snt_frame target, snt_frame source, snt_time t,
                                snt_tf_result *result, snt_tf_miss *miss)
{
    if (!buffer || !result)
        return SNT_ERR_INVALID_ARG;
    if (SNT_LIKELY(tf_buffer_plainly(buffer, target, source, t, false, result)))
        return SNT_OK;
    return tf_buffer_slowly(buffer, target, source, t, SNT_TF_AT, result, miss);
}

snt_status snt_tf_buffer_lookup_latest(const snt_tf_buffer *buffer, snt_frame target, snt_frame source,
                                       snt_tf_result *result, snt_tf_miss *miss)
{
    if (!buffer || !result)
        return SNT_ERR_INVALID_ARG;
    if (SNT_LIKELY(tf_buffer_plainly(buffer, target, source, 0, true, result)))
        return SNT_OK;
    return tf_buffer_slowly(buffer, target, source, 0, SNT_TF_LATEST_COMMON, result, miss);
}

snt_status snt_tf_buffer_can(const snt_tf_buffer *buffer, snt_frame target, snt_frame source, snt_time t,
                             snt_tf_miss *miss)
{
    if (!buffer)
        return SNT_ERR_INVALID_ARG;
    const snt_tf_question q = {.when = SNT_TF_AT, .t = t, .now = SNT_UNKNOWN};
    return tf_buffer_question(buffer, target, source, &q, NULL, miss);
}

/* The path's chain where it is known to be today's without a closer look. */
static inline const tf_chain *tf_path_now(const snt_tf_path *constant)
{
    snt_tf_path *path = (snt_tf_path *)(uintptr_t)constant;
    if (SNT_UNLIKELY(atomic_load_explicit(&path->state, memory_order_acquire) != TF_PATH_READY))
        return NULL;
    const uint32_t structure = atomic_load_explicit(&path->buffer->structure, memory_order_acquire);
    return SNT_LIKELY(TF_GET(path->verified) == structure) ? &path->chain : NULL;
}

/* Most questions are plain ones on a path that is good. */
static inline bool tf_path_plainly(const snt_tf_path *path, int64_t t, bool latest, snt_tf_cursor *cursor,
                                   snt_tf_result *result)
{
    const tf_chain *chain = tf_path_now(path);
    const snt_tf_buffer *b = path->buffer;
    return SNT_LIKELY(chain && b->plain) && b->plain(b, chain, t, latest, cursor, 0, result);
}

TF_NOINLINE static snt_status tf_path_slowly(const snt_tf_path *path, const snt_tf_question *question,
                                             snt_tf_cursor *cursor, snt_tf_result *result, snt_tf_miss *miss)
{
    snt_tf_question q;
    const snt_status status = snt__tf_question_read(question, &q);
    return status < 0 ? status : tf_path_question(path, &q, cursor, result, miss);
}

snt_status snt_tf_path_ask(const snt_tf_path *path, const snt_tf_question *question, snt_tf_cursor *cursor,
                           snt_tf_result *result, snt_tf_miss *miss)
{
    if (!path)
        return SNT_ERR_INVALID_ARG;
    const snt_tf_question *q = question;
    if (q && result && q->struct_size == sizeof *q && q->when == SNT_TF_AT &&
        !(q->err_ns | q->max_age_ns | q->max_gap_ns | q->extrapolate_ns) &&
        !(q->interpolation | q->extrapolation | q->domain | q->flags) &&
        tf_path_plainly(path, q->t, false, cursor, result))
        return SNT_OK;
    return tf_path_slowly(path, question, cursor, result, miss);
}

TF_NOINLINE static snt_status tf_path_lookup_slowly(const snt_tf_path *path, int64_t t, uint32_t when,
                                                    snt_tf_result *result, snt_tf_miss *miss)
{
    tf_chain scratch;
    uint32_t flags;
    snt_status status;
    const tf_chain *chain = snt__tf_path_chain(path, &scratch, &flags, &status);
    if (when == SNT_TF_AT && !flags && chain && chain->moving) { /* the plain way was tried */
        status = snt__tf_at(path->buffer, chain, NULL, t, NULL, NULL, flags, result, miss);
        if (status == SNT_ERR_FUTURE)
            snt__tf_suspect(path, chain);
        return status;
    }
    const snt_tf_question q = {.when = when, .t = t, .now = SNT_UNKNOWN};
    return tf_path_question(path, &q, NULL, result, miss);
}

snt_status snt__tf_path_lookup_on(const snt_tf_path *path, int64_t t, snt_tf_result *result,
                                  snt_tf_miss *miss)
{
    return tf_path_lookup_slowly(path, t, SNT_TF_AT, result, miss);
}

snt_status snt_tf_path_lookup(const snt_tf_path *path, snt_time t, snt_tf_result *result, snt_tf_miss *miss)
{
    if (!path || !result)
        return SNT_ERR_INVALID_ARG;
    if (SNT_UNLIKELY(tf_suspect_short(path, t)))
        return snt__tf_path_short(path, t, result, miss);
    if (SNT_LIKELY(tf_path_plainly(path, t, false, NULL, result)))
        return SNT_OK;
    return tf_path_lookup_slowly(path, t, SNT_TF_AT, result, miss);
}

snt_status snt_tf_path_lookup_latest(const snt_tf_path *path, snt_tf_result *result, snt_tf_miss *miss)
{
    if (!path || !result)
        return SNT_ERR_INVALID_ARG;
    if (SNT_LIKELY(tf_path_plainly(path, 0, true, NULL, result)))
        return SNT_OK;
    return tf_path_lookup_slowly(path, 0, SNT_TF_LATEST_COMMON, result, miss);
}

snt_status snt_tf_path_can(const snt_tf_path *path, snt_time t, snt_tf_miss *miss)
{
    if (!path)
        return SNT_ERR_INVALID_ARG;
    const snt_tf_question q = {.when = SNT_TF_AT, .t = t, .now = SNT_UNKNOWN};
    return tf_path_question(path, &q, NULL, NULL, miss);
}

#undef TF_GET
