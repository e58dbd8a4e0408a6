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
        const snt_status status = snt__tf_check_age(b, chain, q, miss);
        if (status < 0)
            return status;
    }
    if (!result && !o && q->when == SNT_TF_AT && snt__tf_plainly_covered(b, chain, q->t))
        return SNT_OK;
    if (q->when == SNT_TF_AT)
        return snt__tf_at(b, chain, o, q->t, NULL, cursor, flags, result, miss);
    if (q->when == SNT_TF_LATEST_COMMON)
        return snt__tf_latest_common(b, chain, o, cursor, flags, result, miss);
    return snt__tf_latest_each(b, chain, o, flags, result, miss);
}

/* No chain today; but was there one at the time asked, before some frame changed its parent? */
static snt_status tf_unconnected(const snt_tf_buffer *b, const tf_chain *chain, snt_status status,
                                 const snt_tf_question *q, snt_tf_result *result, snt_tf_miss *miss)
{
    const int64_t asked = q->when == SNT_TF_AT ? q->t : SNT_UNKNOWN;
    if (status == SNT_ERR_NOT_CONNECTED && q->when == SNT_TF_AT &&
        TF_GET(((snt_tf_buffer *)(uintptr_t)b)->mixed_edges)) {
        const tf_options options = tf_options_of(q);
        const snt_status then = snt__tf_at_old_tree(b, chain, &options, q->t, 0, result, NULL);
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
                                     bool latest, snt_tf_result *result, snt_tf_miss *miss,
                                     snt_status *status)
{
    tf_chain chain;
    *status = SNT_OK;
    if (SNT_UNLIKELY(!b->plain || snt__tf_resolve(b, target, source, &chain) != SNT_OK))
        return false;
    if (!chain.moving) {
        *status = snt__tf_all_static(b, &chain, latest ? SNT_TIME_INFINITE_FUTURE : t, 0, result);
        return true;
    }
    if (SNT_LIKELY(b->plain(b, &chain, t, latest, NULL, 0, result)))
        return true;
    if (!latest && chain.moving)
        *status = snt__tf_short(b, &chain, t, miss);
    return *status != SNT_OK;
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
    snt_status status;
    if (SNT_LIKELY(tf_buffer_plainly(buffer, target, source, t, false, result, miss, &status)))
        return status;
    return tf_buffer_slowly(buffer, target, source, t, SNT_TF_AT, result, miss);
}

snt_status snt_tf_buffer_lookup_latest(const snt_tf_buffer *buffer, snt_frame target, snt_frame source,
                                       snt_tf_result *result, snt_tf_miss *miss)
{
    if (!buffer || !result)
        return SNT_ERR_INVALID_ARG;
    snt_status status;
    if (SNT_LIKELY(tf_buffer_plainly(buffer, target, source, 0, true, result, miss, &status)))
        return status;
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
    if (SNT_UNLIKELY(tf_suspect_short(path, t)) &&
        snt__tf_short(path->buffer, &path->chain, t, miss) != SNT_OK)
        return SNT_ERR_FUTURE;
    const snt_tf_question q = {.when = SNT_TF_AT, .t = t, .now = SNT_UNKNOWN};
    return tf_path_question(path, &q, NULL, NULL, miss);
}

#undef TF_GET
