/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storing a transform, the long way (the short one is in tf_usual.c). A sample of a known edge takes the edge's lock alone.
 * Whatever changes the tree's shape or needs room from the budget returns TF_NEED_TOPOLOGY there and runs again with the
 * topology lock held.
 */
#include "tf_internal.h"

typedef struct tf_job {
    snt_tf_buffer *b;
    const snt_tf_transform *in;
    uint32_t child, parent; /* slots */
    uint64_t words[TF_SAMPLE_WORDS];
    uint32_t effect;
    bool topology;
    int64_t now;
} tf_job;

void snt_tf_transform_init(snt_tf_transform *transform, snt_frame parent, snt_frame child, snt_time stamp)
{
    if (transform)
        *transform = (snt_tf_transform){.parent = parent,
                                        .child = child,
                                        .stamp = stamp,
                                        .pose = {{0, 0, 0, 1}, {0, 0, 0}},
                                        .err_ns = SNT_UNKNOWN,
                                        .now = SNT_UNKNOWN};
}

static float tf_float_up(int64_t x)
{
    const float f = (float)x;
    return (double)f < (double)x || (f < 9.2e18f && (int64_t)f < x) ? tf_float_of(tf_bits_of(f) + 1) : f;
}

/* Check the pose and pack it. */
snt_status snt__tf_pack(const snt_tf_transform *in, uint32_t parent, uint64_t *words)
{
    /* Callers fill the pose field by field: a wide load right behind these stores would stall, hence volatile, and
     * scalars from here on. */
    const volatile double *from = in->pose.q;
    double x = from[0], y = from[1], z = from[2], w = from[3];
    from = in->pose.t;
    const double t[3] = {from[0] + 0.0, from[1] + 0.0, from[2] + 0.0}; /* −0 and 0 are one pose */
    /* any NaN or infinity makes the sum one */
    if (SNT_UNLIKELY(!snt__is_finite((fabs(x) + fabs(y)) * 0.25 + (fabs(z) + fabs(w)) * 0.25) ||
                     !snt__is_finite(fabs(t[0]) * 0.25 + (fabs(t[1]) * 0.25 + fabs(t[2]) * 0.25))))
        return SNT_ERR_NON_FINITE;
    const double off = (x * x + y * y) + (z * z + w * w) - 1;
    if (SNT_UNLIKELY(!(off <= 0.01 && off >= -0.01)))
        return SNT_ERR_BAD_QUATERNION;
    double k = snt__quat_scale(off);
    if (w < 0 || (w == 0 && (z < 0 || (z == 0 && (y < 0 || (y == 0 && x < 0))))))
        k = -k;
    const double q[4] = {x * k + 0.0, y * k + 0.0, z * k + 0.0, w * k + 0.0};
    memcpy(words, q, sizeof q);
    memcpy(words + 4, t, sizeof t);
    uint32_t meta = parent + 1;
    uint32_t err = 0;
    if (in->flags & SNT_TF_DISCONTINUITY)
        meta |= TF_META_DISCONTINUITY;
    if (in->err_ns != SNT_UNKNOWN) {
        meta |= TF_META_ERR_KNOWN;
        err = tf_bits_of(tf_float_up(in->err_ns));
    }
    words[TF_META] = (uint64_t)err << 32 | meta;
    return SNT_OK;
}

static snt_status tf_check(const snt_tf_buffer *b, const snt_tf_transform *in)
{
    if (in->stamp == INT64_MIN || in->stamp == INT64_MAX || in->err_ns < 0 ||
        (in->flags & ~(uint32_t)(SNT_TF_DISCONTINUITY | SNT_TF_KNOWN_ONLY)))
        return SNT_ERR_INVALID_ARG;
    if (!tf_frame_alive(b, in->child) || !tf_frame_alive(b, in->parent))
        return SNT_ERR_NOT_FOUND;
    return in->child == in->parent ? SNT_ERR_CYCLE : SNT_OK;
}

/* ---- one edge, its lock held ---- */

static snt_status tf_check_stamp_ahead(tf_job *job, tf_edge *edge, bool empty)
{
    const snt_tf_buffer_config *c = &job->b->config;
    const int64_t stamp = job->in->stamp;
    const bool vouched = job->now != SNT_UNKNOWN && c->max_future_ns != SNT_UNKNOWN;
    if (vouched && stamp > tf_plus(job->now, c->max_future_ns))
        return SNT_ERR_FUTURE;
    if (vouched || empty || c->max_step_ns == SNT_UNKNOWN)
        return SNT_OK;
    if (tf_minus(stamp, tf_newest(edge)) <= c->max_step_ns) {
        if (edge->quarantined) { /* the history goes on without the sample that was far ahead */
            edge->quarantined = 0;
            edge->info.refused_future++;
        }
        return SNT_OK;
    }
    if (edge->quarantined && stamp > edge->quarantine_stamp &&
        tf_minus(stamp, edge->quarantine_stamp) <= c->max_step_ns)
        return SNT_OK; /* confirmed */
    if (edge->quarantined)
        edge->info.refused_future++;
    edge->quarantined = 1;
    edge->quarantine_stamp = stamp;
    memcpy(edge->quarantine, job->words, sizeof edge->quarantine);
    job->effect |= SNT_TF_QUARANTINED;
    return SNT_PENDING;
}

static snt_status tf_store_sample(tf_job *job, tf_edge *edge)
{
    snt_tf_buffer *b = job->b;
    const int64_t stamp = job->in->stamp;
    const bool empty = atomic_load_explicit(&edge->ring.head, memory_order_relaxed) ==
                       atomic_load_explicit(&edge->ring.tail, memory_order_relaxed);
    if (empty || stamp > tf_newest(edge)) {
        const snt_status status = tf_check_stamp_ahead(job, edge, empty);
        if (status != SNT_OK)
            return status;
        if (edge->quarantined) {
            edge->quarantined = 0;
            if (!empty)
                snt__tf_store_append(b, edge, edge->quarantine_stamp, edge->quarantine);
        }
        if (!empty)
            snt__tf_note_period(edge, (uint64_t)stamp - (uint64_t)tf_newest(edge));
        snt__tf_store_append(b, edge, stamp, job->words);
        job->effect |= SNT_TF_APPENDED;
        return SNT_OK;
    }
    return snt__tf_store_late(b, edge, stamp, job->words, job->topology, &job->effect);
}

/* Session and clock of the edge. */
static snt_status tf_check_source(tf_job *job, tf_edge *edge)
{
    const snt_tf_transform *in = job->in;
    if (in->domain) {
        const uint32_t domain = atomic_load_explicit(&edge->domain, memory_order_relaxed);
        if (domain && domain != in->domain)
            return SNT_ERR_DOMAIN;
        if (!domain) {
            atomic_store_explicit(&job->b->peculiar, 1, memory_order_relaxed);
            atomic_store_explicit(&edge->domain, in->domain, memory_order_relaxed);
        }
    }
    if (!in->session)
        return SNT_OK;
    const uint32_t buffer_session = atomic_load_explicit(&job->b->session, memory_order_relaxed);
    if (buffer_session)
        return in->session == buffer_session ? SNT_OK : SNT_ERR_SESSION;
    if (edge->info.session && (int32_t)(in->session - edge->info.session) < 0)
        return SNT_ERR_SESSION;
    if (edge->info.session && in->session != edge->info.session) {
        snt__tf_drop_history(job->b, edge);
        edge->info.cleared++;
        job->effect |= SNT_TF_SESSION_NEW;
    }
    edge->info.session = in->session;
    return SNT_OK;
}

static snt_status tf_insert_locked(tf_job *job, tf_edge *edge)
{
    const snt_tf_transform *in = job->in;
    snt_tf_buffer *b = job->b;
    if (atomic_load_explicit(&edge->generation, memory_order_relaxed) != tf_frame_generation(in->child))
        return SNT_ERR_NOT_FOUND;
    const uint32_t kind = atomic_load_explicit(&edge->kind, memory_order_relaxed);
    if (kind == SNT_TF_STATIC)
        return snt__tf_refuse(edge, in, SNT_ERR_CONFLICT);
    const uint32_t parent = atomic_load_explicit(&edge->parent, memory_order_relaxed);
    const bool jumps_back = b->config.jump_back_ns && kind == SNT_TF_DYNAMIC &&
                            atomic_load_explicit(&edge->ring.head, memory_order_relaxed) !=
                                atomic_load_explicit(&edge->ring.tail, memory_order_relaxed) &&
                            tf_minus(tf_newest(edge), in->stamp) > b->config.jump_back_ns;
    if (!job->topology &&
        (kind != SNT_TF_DYNAMIC || parent != job->parent + 1 || !edge->has_ring || jumps_back))
        return TF_NEED_TOPOLOGY;
    snt_status status = snt__tf_pack(in, job->parent, job->words);
    if (status < 0)
        return snt__tf_refuse(edge, in, status);
    status = tf_check_source(job, edge);
    if (status < 0)
        return snt__tf_refuse(edge, in, status);
    const bool moves_parent = parent != job->parent + 1;
    const bool empty = atomic_load_explicit(&edge->ring.head, memory_order_relaxed) ==
                       atomic_load_explicit(&edge->ring.tail, memory_order_relaxed);
    const bool late = !empty && in->stamp < tf_newest(edge); /* late data changes history, not the tree */
    if (moves_parent && !late && snt__tf_would_cycle(b, job->child, job->parent))
        return snt__tf_refuse(edge, in, SNT_ERR_CYCLE);
    uint32_t publisher;
    const uint64_t conflicts = edge->info.conflicts;
    const uint8_t owner = edge->owner;
    status = snt__tf_claim(b, edge, in, &job->effect, &publisher);
    if (status < 0)
        return snt__tf_refuse(edge, in, status);
    if (!edge->has_ring && !snt__tf_give_ring(b, edge, b->config.samples_per_edge))
        return snt__tf_refuse(edge, in, SNT_ERR_FULL);
    if (kind != SNT_TF_DYNAMIC) {
        atomic_store_explicit(&edge->kind, SNT_TF_DYNAMIC, memory_order_release);
        job->effect |= SNT_TF_CREATED;
    }
    status = tf_store_sample(job, edge);
    if (status == TF_NEED_TOPOLOGY) { /* it will be claimed again */
        edge->info.conflicts = conflicts;
        edge->owner = owner;
        return status;
    }
    if (status != SNT_OK && kind != SNT_TF_DYNAMIC) {
        atomic_store_explicit(&edge->kind, kind, memory_order_release);
        job->effect = 0;
    }
    if (status < 0)
        return snt__tf_refuse(edge, in, status);
    if (moves_parent && status == SNT_OK) {
        if (parent && !edge->mixed) {
            edge->mixed = 1;
            atomic_fetch_add_explicit(&b->mixed_edges, 1, memory_order_relaxed);
        }
        if (!late) {
            snt__tf_set_parent(b, job->child, job->parent + 1);
            edge->info.reparented += parent != 0;
            job->effect |= parent ? SNT_TF_REPARENTED : 0u;
        }
        if (!(edge->may_jump))
            snt__tf_apply_convention(b, job->child);
        snt__tf_structure_changed(b);
    } else if (job->effect & SNT_TF_CREATED) {
        snt__tf_structure_changed(b);
    }
    if (status == SNT_OK) {
        snt__tf_note_stored(edge, in, job->effect, publisher);
        snt__tf_note_usual(b, edge);
    }
    return status;
}

/* The buffer's own session follows its epoch; a clock that goes back begins one too. Topology lock held. */
static void tf_follow_session(tf_job *job)
{
    snt_tf_buffer *b = job->b;
    const uint32_t session = snt_epoch_session(b->config.epoch);
    if (b->config.epoch && session != atomic_load_explicit(&b->session, memory_order_relaxed)) {
        snt__tf_reset_locked(b, session);
        job->effect |= SNT_TF_SESSION_NEW;
    }
    tf_edge *edge = tf_edge_at(b, job->child);
    if (!b->config.jump_back_ns || atomic_load_explicit(&edge->kind, memory_order_relaxed) != SNT_TF_DYNAMIC)
        return;
    tf_lock(edge);
    const bool back =
        atomic_load_explicit(&edge->ring.head, memory_order_relaxed) !=
            atomic_load_explicit(&edge->ring.tail, memory_order_relaxed) &&
        tf_minus(tf_newest(edge), job->in->stamp) > b->config.jump_back_ns &&
        (!job->in->session || job->in->session == atomic_load_explicit(&b->session, memory_order_relaxed));
    tf_unlock(edge);
    if (back) {
        snt__tf_reset_locked(b, atomic_load_explicit(&b->session, memory_order_relaxed));
        job->effect |= SNT_TF_SESSION_NEW;
    }
}

static snt_status tf_insert_with_topology(tf_job *job)
{
    snt_tf_buffer *b = job->b;
    tf_edge *edge = tf_edge_at(b, job->child);
    job->topology = true;
    job->effect = 0;
    snt__lock_acquire(&b->topology);
    snt_status status = tf_frame_alive(b, job->in->parent) ? SNT_OK : SNT_ERR_NOT_FOUND;
    if (status == SNT_OK) {
        uint64_t unused[TF_SAMPLE_WORDS];
        if (snt__tf_pack(job->in, job->parent, unused) >= 0) /* what is refused anyway resets nothing */
            tf_follow_session(job);
        tf_lock(edge);
        status = tf_insert_locked(job, edge);
        tf_unlock(edge);
    }
    snt__lock_release(&b->topology);
    return status;
}

snt_status snt__tf_insert_long(snt_tf_buffer *b, const snt_tf_transform *transform, int64_t now,
                               uint32_t *effect)
{
    snt_status status = tf_check(b, transform);
    if (status < 0) {
        atomic_fetch_add_explicit(&b->refused, 1, memory_order_relaxed);
        return status;
    }
    tf_job job;
    job.b = b;
    job.in = transform;
    job.child = tf_frame_slot(transform->child);
    job.parent = tf_frame_slot(transform->parent);
    job.effect = 0;
    job.topology = false;
    job.now = now;
    if (SNT_UNLIKELY(b->config.epoch && snt_epoch_session(b->config.epoch) !=
                                            atomic_load_explicit(&b->session, memory_order_relaxed))) {
        status = TF_NEED_TOPOLOGY;
    } else {
        tf_edge *edge = tf_edge_at(b, job.child);
        tf_lock(edge);
        status = tf_insert_locked(&job, edge);
        tf_unlock(edge);
    }
    if (SNT_UNLIKELY(status == TF_NEED_TOPOLOGY))
        status = tf_insert_with_topology(&job);
    if (effect)
        *effect = job.effect;
    if (status == SNT_OK && !(job.effect & SNT_TF_SAME))
        snt__tf_notify(b, transform->child);
    return status;
}

snt_status snt_tf_buffer_insert_many(snt_tf_buffer *buffer, const snt_tf_transform *transforms,
                                     uint64_t count, snt_status *statuses)
{
    snt_status first = SNT_OK;
    if (!buffer || (count && !transforms))
        return SNT_ERR_INVALID_ARG;
    for (uint64_t i = 0; i < count; i++) {
        const snt_status status = snt_tf_buffer_insert(buffer, &transforms[i], NULL);
        snt__keep_outcome(status, i, statuses, &first);
    }
    return first;
}

snt_status snt_tf_buffer_insert_static(snt_tf_buffer *buffer, const snt_tf_transform *transform,
                                       uint32_t *effect)
{
    if (!buffer || !transform)
        return SNT_ERR_INVALID_ARG;
    snt_tf_buffer *b = buffer;
    const uint32_t child = tf_frame_slot(transform->child), parent = tf_frame_slot(transform->parent);
    uint64_t words[TF_SAMPLE_WORDS], old[TF_SAMPLE_WORDS];
    uint32_t done = 0;
    if ((transform->flags & ~(uint32_t)(SNT_TF_DISCONTINUITY | SNT_TF_KNOWN_ONLY)) || transform->err_ns < 0)
        return SNT_ERR_INVALID_ARG;
    if (!tf_frame_alive(b, transform->child) || !tf_frame_alive(b, transform->parent))
        return SNT_ERR_NOT_FOUND;
    if (child == parent)
        return SNT_ERR_CYCLE;
    tf_edge *edge = tf_edge_at(b, child);
    tf_job job = {.b = b, .in = transform, .child = child, .parent = parent, .now = SNT_UNKNOWN};
    snt__lock_acquire(&b->topology);
    tf_lock(edge);
    snt_status status = SNT_OK;
    const uint32_t kind = atomic_load_explicit(&edge->kind, memory_order_relaxed);
    const uint32_t old_parent = atomic_load_explicit(&edge->parent, memory_order_relaxed);
    uint32_t publisher = 0;
    if (!tf_frame_alive(b, transform->child) || !tf_frame_alive(b, transform->parent)) {
        status = SNT_ERR_NOT_FOUND;
    } else if (kind == SNT_TF_DYNAMIC) {
        status = snt__tf_refuse(edge, transform, SNT_ERR_CONFLICT);
    } else if ((status = snt__tf_pack(transform, parent, words)) < 0) {
        snt__tf_refuse(edge, transform, status);
    } else if (old_parent != parent + 1 && snt__tf_would_cycle(b, child, parent)) {
        status = snt__tf_refuse(edge, transform, SNT_ERR_CYCLE);
    } else if ((status = snt__tf_claim(b, edge, transform, &job.effect, &publisher)) < 0) {
        snt__tf_refuse(edge, transform, status);
    }
    if (status == SNT_OK) {
        words[TF_META] &= TF_META_PARENT;
        for (int i = 0; i < TF_SAMPLE_WORDS; i++)
            old[i] = tf_word_get(&edge->fixed.w[i]);
        if (kind == SNT_TF_STATIC && memcmp(old, words, sizeof old) == 0) {
            done = SNT_TF_SAME;
        } else {
            done = kind == SNT_TF_STATIC ? SNT_TF_CHANGED : SNT_TF_CREATED;
            tf_rewrite_begin(&edge->ring);
            for (int i = 0; i < TF_SAMPLE_WORDS; i++)
                tf_word_set(&edge->fixed.w[i], words[i]);
            if (old_parent != parent + 1) {
                snt__tf_set_parent(b, child, parent + 1);
                done |= old_parent ? SNT_TF_REPARENTED : 0u;
                edge->info.reparented += old_parent != 0;
            }
            atomic_store_explicit(&edge->kind, SNT_TF_STATIC, memory_order_relaxed);
            tf_rewrite_end(&edge->ring);
            edge->static_changes += kind == SNT_TF_STATIC;
            if (!edge->may_jump)
                snt__tf_apply_convention(b, child);
            snt__tf_structure_changed(b);
        }
        job.effect |= done;
        snt__tf_note_stored(edge, transform, job.effect, publisher);
    }
    tf_unlock(edge);
    snt__lock_release(&b->topology);
    if (effect)
        *effect = status == SNT_OK ? job.effect : 0;
    if (status == SNT_OK && b->config.notify && !(done & SNT_TF_SAME))
        b->config.notify(b->config.notify_user, transform->child, SNT_TIME_INFINITE_FUTURE);
    return status;
}

snt_status snt_tf_buffer_insert_named(snt_tf_buffer *buffer, const char *parent, const char *child,
                                      const snt_tf_transform *transform, uint32_t *effect)
{
    if (!buffer || !parent || !child || !transform)
        return SNT_ERR_INVALID_ARG;
    snt_tf_transform named = *transform;
    const bool known_only = transform->flags & SNT_TF_KNOWN_ONLY;
    const bool strip = buffer->config.slash == SNT_TF_SLASH_STRIP;
    snt_status status = known_only
                            ? snt_tf_buffer_find(buffer, child + (strip && *child == '/'), &named.child)
                            : snt_tf_buffer_frame(buffer, child, &named.child);
    if (status >= 0)
        status = known_only ? snt_tf_buffer_find(buffer, parent + (strip && *parent == '/'), &named.parent)
                            : snt_tf_buffer_frame(buffer, parent, &named.parent);
    return status < 0 ? status : snt_tf_buffer_insert(buffer, &named, effect);
}
