/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of the tree's shape, sessions and settings. */
#include "tf_internal.h"

void snt__tf_structure_changed(snt_tf_buffer *b)
{
    atomic_fetch_add_explicit(&b->structure, 1, memory_order_acq_rel);
}

bool snt__tf_would_cycle(const snt_tf_buffer *b, uint32_t child, uint32_t parent)
{
    uint32_t at = parent + 1;
    for (uint32_t steps = 0; at && steps <= b->config.max_frames; steps++) {
        if (at - 1 == child)
            return true;
        at = atomic_load_explicit(&b->edges[at - 1].parent, memory_order_relaxed);
    }
    return at != 0;
}

void snt__tf_set_parent(snt_tf_buffer *b, uint32_t child, uint32_t parent_plus_one)
{
    tf_edge *edge = tf_edge_at(b, child);
    const uint32_t old = atomic_load_explicit(&edge->parent, memory_order_relaxed);
    if (old)
        b->edges[old - 1].children--;
    if (parent_plus_one)
        b->edges[parent_plus_one - 1].children++;
    atomic_store_explicit(&edge->parent, parent_plus_one, memory_order_release);
}

/* The last component of a name, so that r1/odom counts as odom. */
static bool tf_last_name_is(const snt_tf_buffer *b, uint32_t slot, const char *what)
{
    char name[TF_NAME_LIMIT + 1];
    snt__tf_name_copy(b, slot, name, sizeof name);
    const char *last = name;
    for (const char *p = name; *p; p++)
        if (*p == '/')
            last = p + 1;
    return strcmp(last, what) == 0;
}

static void tf_set_trait(tf_edge *edge, uint32_t trait, bool on)
{
    const uint32_t traits = atomic_load_explicit(&edge->traits, memory_order_relaxed);
    atomic_store_explicit(&edge->traits, on ? traits | trait : traits & ~trait, memory_order_relaxed);
}

/* REP-105: map→odom and earth→map are corrections and may jump. */
void snt__tf_apply_convention(snt_tf_buffer *b, uint32_t child)
{
    tf_edge *edge = tf_edge_at(b, child);
    if (edge->may_jump) {
        tf_set_trait(edge, TF_TRAIT_MAY_JUMP, edge->may_jump == 2);
        return;
    }
    const uint32_t parent = atomic_load_explicit(&edge->parent, memory_order_relaxed);
    if (b->config.flags & SNT_TF_NO_CONVENTIONS || !parent) {
        tf_set_trait(edge, TF_TRAIT_MAY_JUMP, false);
        return;
    }
    const bool correction = (tf_last_name_is(b, child, "odom") && tf_last_name_is(b, parent - 1, "map")) ||
                            (tf_last_name_is(b, child, "map") && tf_last_name_is(b, parent - 1, "earth"));
    tf_set_trait(edge, TF_TRAIT_MAY_JUMP, correction);
}

/* ---- clearing ---- */

static void tf_clear_edges(snt_tf_buffer *b)
{
    const uint32_t high = atomic_load_explicit(&b->high_water, memory_order_relaxed);
    for (uint32_t slot = 0; slot < high; slot++) {
        tf_edge *edge = tf_edge_at(b, slot);
        if (atomic_load_explicit(&edge->kind, memory_order_relaxed) != SNT_TF_DYNAMIC)
            continue;
        tf_lock(edge);
        snt__tf_drop_history(b, edge);
        edge->info.cleared++;
        tf_unlock(edge);
    }
}

static void tf_reset_begin(snt_tf_buffer *b)
{
    atomic_store_explicit(&b->reset_seq, atomic_load_explicit(&b->reset_seq, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    tf_fence_release();
}

static void tf_reset_end(snt_tf_buffer *b)
{
    atomic_store_explicit(&b->reset_seq, atomic_load_explicit(&b->reset_seq, memory_order_relaxed) + 1,
                          memory_order_release);
}

void snt__tf_reset_locked(snt_tf_buffer *b, uint32_t session)
{
    tf_reset_begin(b);
    /* First: who writes to an edge after it was cleared must know that its session is over. */
    atomic_store_explicit(&b->session, session, memory_order_relaxed);
    tf_clear_edges(b);
    tf_reset_end(b);
    b->resets++;
}

snt_status snt_tf_buffer_clear_dynamic(snt_tf_buffer *buffer)
{
    if (!buffer)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&buffer->topology);
    tf_reset_begin(buffer);
    tf_clear_edges(buffer);
    tf_reset_end(buffer);
    snt__lock_release(&buffer->topology);
    return SNT_OK;
}

snt_status snt_tf_buffer_reset(snt_tf_buffer *buffer, uint32_t session)
{
    if (!buffer || !session)
        return SNT_ERR_INVALID_ARG;
    if (buffer->config.epoch)
        return SNT_ERR_INVALID_STATE;
    snt__lock_acquire(&buffer->topology);
    snt__tf_reset_locked(buffer, session);
    snt__lock_release(&buffer->topology);
    return SNT_OK;
}

snt_status snt_tf_buffer_observe_clock(snt_tf_buffer *buffer, snt_time now)
{
    if (!buffer || now == SNT_UNKNOWN)
        return SNT_ERR_INVALID_ARG;
    snt_status status = SNT_OK;
    snt__lock_acquire(&buffer->topology);
    const int64_t before = (int64_t)tf_word_get(&buffer->clock_now);
    const bool known = atomic_load_explicit(&buffer->clock_known, memory_order_relaxed);
    if (known && buffer->config.jump_back_ns && tf_minus(before, now) > buffer->config.jump_back_ns) {
        snt__tf_reset_locked(buffer, atomic_load_explicit(&buffer->session, memory_order_relaxed));
        status = SNT_ERR_RESET_SUSPECT;
    }
    tf_word_set(&buffer->clock_now, (uint64_t)now);
    atomic_store_explicit(&buffer->clock_known, 1, memory_order_release);
    snt__lock_release(&buffer->topology);
    return status;
}

/* ---- removing ---- */

/* Take an edge away; its frame stays, as a root. Edge and topology locks held. */
static void tf_cut(snt_tf_buffer *b, uint32_t slot)
{
    tf_edge *edge = tf_edge_at(b, slot);
    snt__tf_take_ring(b, edge);
    tf_rewrite_begin(&edge->ring);
    snt__tf_set_parent(b, slot, 0);
    atomic_store_explicit(&edge->kind, SNT_TF_NONE, memory_order_relaxed);
    tf_rewrite_end(&edge->ring);
}

/* Drop the samples of one edge up to the last that hangs on a parent: that parent's slot may be given to a new frame. */
static void tf_forget_parent(snt_tf_buffer *b, tf_edge *edge, uint32_t parent_plus_one)
{
    snt__tf_fold_late(b, edge, 0, NULL);
    const tf_ring *ring = &edge->ring;
    const uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    const uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    const uint32_t first = atomic_load_explicit(&ring->first, memory_order_relaxed);
    const uint32_t mask = atomic_load_explicit(&ring->mask, memory_order_relaxed);
    uint32_t keep_from = tail;
    for (uint32_t p = tail; p != head; p++)
        if ((tf_word_get(&b->store.samples[first + (p & mask)].w[TF_META]) & TF_META_PARENT) ==
            parent_plus_one)
            keep_from = p + 1;
    if (edge->quarantined && (edge->quarantine[TF_META] & TF_META_PARENT) == parent_plus_one)
        edge->quarantined = 0;
    if (keep_from == tail)
        return;
    const int64_t last = tf_stamp(&b->store, first + ((keep_from - 1) & mask));
    edge->floor = last > edge->floor ? last : edge->floor;
    tf_rewrite_begin(&edge->ring);
    atomic_store_explicit(&edge->ring.tail, keep_from, memory_order_relaxed);
    tf_rewrite_end(&edge->ring);
    edge->info.evicted += keep_from - tail;
}

static void tf_remove_locked(snt_tf_buffer *b, uint32_t slot)
{
    tf_edge *edge = tf_edge_at(b, slot);
    const uint32_t high = atomic_load_explicit(&b->high_water, memory_order_relaxed);
    if (edge->children || atomic_load_explicit(&b->mixed_edges, memory_order_relaxed)) {
        for (uint32_t i = 0; i < high; i++) {
            tf_edge *other = tf_edge_at(b, i);
            if (i == slot || atomic_load_explicit(&other->kind, memory_order_relaxed) == SNT_TF_NONE)
                continue;
            tf_lock(other);
            if (atomic_load_explicit(&other->parent, memory_order_relaxed) == slot + 1)
                tf_cut(b, i);
            else if (other->mixed && atomic_load_explicit(&other->ring.head, memory_order_relaxed) !=
                                         atomic_load_explicit(&other->ring.tail, memory_order_relaxed))
                tf_forget_parent(b, other, slot + 1);
            tf_unlock(other);
        }
    }
    tf_lock(edge);
    tf_cut(b, slot);
    b->retired_accepted += edge->info.accepted;
    const uint32_t generation = atomic_load_explicit(&edge->generation, memory_order_relaxed);
    atomic_store_explicit(&edge->generation, generation + 1, memory_order_release);
    snt__tf_frame_unlink(b, slot);
    memset(&edge->info, 0, sizeof edge->info);
    edge->conflict = edge->may_jump = edge->static_changes = 0;
    edge->jitter = 0;
    edge->delay_sum = 0;
    edge->owner = edge->last_publisher = 0;
    edge->delays = 0;
    edge->keep_ns = 0;
    atomic_store_explicit(&edge->domain, 0, memory_order_relaxed);
    atomic_store_explicit(&edge->traits, 0, memory_order_relaxed);
    tf_unlock(edge);
    snt__tf_structure_changed(b);
    edge->free_next = b->free_head;
    b->free_head = slot + 1;
    b->frames--;
}

snt_status snt_tf_buffer_remove_frame(snt_tf_buffer *buffer, snt_frame frame)
{
    if (!buffer)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&buffer->topology);
    snt_status status = SNT_ERR_NOT_FOUND;
    if (tf_frame_alive(buffer, frame)) {
        tf_remove_locked(buffer, tf_frame_slot(frame));
        status = SNT_OK;
    }
    snt__lock_release(&buffer->topology);
    return status;
}

snt_status snt_tf_buffer_clear_all(snt_tf_buffer *buffer)
{
    if (!buffer)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&buffer->topology);
    const uint32_t high = atomic_load_explicit(&buffer->high_water, memory_order_relaxed);
    tf_reset_begin(buffer);
    for (uint32_t slot = 0; slot < high; slot++) {
        tf_edge *edge = tf_edge_at(buffer, slot);
        tf_lock(edge);
        tf_cut(buffer, slot);
        tf_unlock(edge);
    }
    for (uint32_t slot = 0; slot < high; slot++)
        if (tf_frame_of(buffer, slot))
            tf_remove_locked(buffer, slot);
    tf_reset_end(buffer);
    snt__lock_release(&buffer->topology);
    return SNT_OK;
}

snt_status snt_tf_buffer_gc(snt_tf_buffer *buffer, snt_time older_than, uint64_t *removed)
{
    if (!buffer)
        return SNT_ERR_INVALID_ARG;
    uint64_t total = 0, pass;
    snt__lock_acquire(&buffer->topology);
    const uint32_t high = atomic_load_explicit(&buffer->high_water, memory_order_relaxed);
    do {
        pass = 0;
        for (uint32_t slot = 0; slot < high; slot++) {
            tf_edge *edge = tf_edge_at(buffer, slot);
            if (edge->children || atomic_load_explicit(&edge->kind, memory_order_relaxed) != SNT_TF_DYNAMIC)
                continue;
            tf_lock(edge);
            const bool dead = atomic_load_explicit(&edge->ring.head, memory_order_relaxed) ==
                                  atomic_load_explicit(&edge->ring.tail, memory_order_relaxed) ||
                              tf_newest(edge) < older_than;
            tf_unlock(edge);
            if (dead) {
                tf_remove_locked(buffer, slot);
                pass++;
            }
        }
        total += pass;
    } while (pass);
    snt__lock_release(&buffer->topology);
    if (removed)
        *removed = total;
    return SNT_OK;
}

/* ---- kinds and settings ---- */

snt_status snt_tf_buffer_convert(snt_tf_buffer *buffer, snt_frame child, uint32_t kind)
{
    if (!buffer || kind > SNT_TF_STATIC)
        return SNT_ERR_INVALID_ARG;
    snt_tf_buffer *b = buffer;
    snt_status status = SNT_OK;
    snt__lock_acquire(&b->topology);
    if (!tf_frame_alive(b, child)) {
        snt__lock_release(&b->topology);
        return SNT_ERR_NOT_FOUND;
    }
    const uint32_t slot = tf_frame_slot(child);
    tf_edge *edge = tf_edge_at(b, slot);
    tf_lock(edge);
    const uint32_t was = atomic_load_explicit(&edge->kind, memory_order_relaxed);
    tf_span span = {0};
    const bool has_data =
        was == SNT_TF_DYNAMIC && atomic_load_explicit(&edge->ring.head, memory_order_relaxed) !=
                                     atomic_load_explicit(&edge->ring.tail, memory_order_relaxed);
    if (was == SNT_TF_NONE && kind != SNT_TF_NONE) {
        status = SNT_ERR_INVALID_STATE;
    } else if (kind == SNT_TF_NONE) {
        tf_cut(b, slot);
    } else if (kind == SNT_TF_DYNAMIC && was == SNT_TF_STATIC) {
        tf_rewrite_begin(&edge->ring);
        atomic_store_explicit(&edge->kind, SNT_TF_DYNAMIC, memory_order_relaxed);
        tf_rewrite_end(&edge->ring);
    } else if (kind == SNT_TF_STATIC && was == SNT_TF_DYNAMIC) {
        if (!has_data || tf_find(&edge->ring, &b->store, tf_newest(edge), false, 0, &span) != TF_AT) {
            status = SNT_ERR_INVALID_STATE;
        } else {
            snt__tf_take_ring(b, edge);
            tf_rewrite_begin(&edge->ring);
            span.a[TF_META] &= TF_META_PARENT;
            for (int i = 0; i < TF_SAMPLE_WORDS; i++)
                tf_word_set(&edge->fixed.w[i], span.a[i]);
            atomic_store_explicit(&edge->kind, SNT_TF_STATIC, memory_order_relaxed);
            tf_rewrite_end(&edge->ring);
        }
    }
    tf_unlock(edge);
    if (status == SNT_OK && kind != was)
        snt__tf_structure_changed(b);
    snt__lock_release(&b->topology);
    return status;
}

snt_status snt_tf_buffer_reserve(snt_tf_buffer *buffer, snt_frame child, uint32_t samples)
{
    if (!buffer || !samples || samples > 1u << 30)
        return SNT_ERR_INVALID_ARG;
    snt_status status = SNT_OK;
    snt__lock_acquire(&buffer->topology);
    if (tf_frame_alive(buffer, child)) {
        tf_edge *edge = tf_edge_at(buffer, tf_frame_slot(child));
        tf_lock(edge);
        const uint32_t wanted = snt__pow2_at_least(samples < 2 ? 2 : samples);
        if (edge->has_ring)
            status = atomic_load_explicit(&edge->ring.mask, memory_order_relaxed) + 1 == wanted
                         ? SNT_OK
                         : SNT_ERR_CONFLICT;
        else if (!snt__tf_give_ring(buffer, edge, samples))
            status = SNT_ERR_FULL;
        tf_unlock(edge);
    } else {
        status = SNT_ERR_NOT_FOUND;
    }
    snt__lock_release(&buffer->topology);
    return status;
}

static const snt_tf_edge_config tf_edge_config_defaults = {.struct_size = sizeof(snt_tf_edge_config)};

void snt_tf_edge_config_init(snt_tf_edge_config *config, size_t size)
{
    snt__config_init(config, size, &tf_edge_config_defaults, sizeof tf_edge_config_defaults);
}

static uint64_t tf_double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

snt_status snt_tf_buffer_edge_configure(snt_tf_buffer *buffer, snt_frame child,
                                        const snt_tf_edge_config *config)
{
    if (!buffer)
        return SNT_ERR_INVALID_ARG;
    snt_tf_edge_config c = tf_edge_config_defaults;
    snt_status status = snt__config_read(&c, sizeof c, SNT_END_OF(snt_tf_edge_config, reserved), config);
    if (status < 0)
        return status;
    if (!snt__is_finite(c.max_accel) || !snt__is_finite(c.max_angular_accel))
        return SNT_ERR_NON_FINITE;
    if (c.keep_ns < 0 || c.max_gap_ns < 0 || c.extrapolate_ns < 0 || c.max_accel < 0 ||
        c.max_angular_accel < 0 || c.interpolation > SNT_INTERPOLATE_SCREW ||
        c.extrapolation > SNT_TF_EXTRAPOLATE_TWIST || c.conflict > SNT_TF_CONFLICT_REFUSE || c.may_jump > 2)
        return SNT_ERR_RANGE;
    snt__lock_acquire(&buffer->topology);
    if (!tf_frame_alive(buffer, child)) {
        snt__lock_release(&buffer->topology);
        return SNT_ERR_NOT_FOUND;
    }
    const uint32_t slot = tf_frame_slot(child);
    tf_edge *edge = tf_edge_at(buffer, slot);
    const tf_settings *d = &buffer->settings;
    tf_lock(edge);
    const int64_t keep = c.keep_ns ? c.keep_ns : d->keep_ns;
    tf_word_set(&edge->custom.keep_ns, (uint64_t)keep);
    tf_word_set(&edge->custom.max_gap_ns, (uint64_t)(c.max_gap_ns ? c.max_gap_ns : d->max_gap_ns));
    tf_word_set(&edge->custom.extrapolate_ns,
                (uint64_t)(c.extrapolate_ns ? c.extrapolate_ns : d->extrapolate_ns));
    tf_word_set(&edge->custom.max_accel, tf_double_bits(c.max_accel));
    tf_word_set(&edge->custom.max_angular_accel, tf_double_bits(c.max_angular_accel));
    atomic_store_explicit(&edge->custom.interpolation, c.interpolation ? c.interpolation : d->interpolation,
                          memory_order_relaxed);
    atomic_store_explicit(&edge->custom.extrapolation, c.extrapolation ? c.extrapolation : d->extrapolation,
                          memory_order_relaxed);
    atomic_store_explicit(&buffer->peculiar, 1, memory_order_relaxed);
    edge->conflict = c.conflict;
    edge->may_jump = c.may_jump;
    edge->keep_ns = keep;
    snt__tf_apply_convention(buffer, slot);
    tf_set_trait(edge, TF_TRAIT_LIMITS, c.max_accel > 0 && c.max_angular_accel > 0);
    const uint32_t traits = atomic_load_explicit(&edge->traits, memory_order_relaxed);
    atomic_store_explicit(&edge->traits, traits | TF_TRAIT_CUSTOM, memory_order_release);
    if (edge->has_ring && atomic_load_explicit(&edge->ring.head, memory_order_relaxed) !=
                              atomic_load_explicit(&edge->ring.tail, memory_order_relaxed))
        snt__tf_prune(buffer, edge);
    tf_unlock(edge);
    snt__tf_structure_changed(buffer); /* paths look at the settings again */
    snt__lock_release(&buffer->topology);
    return SNT_OK;
}
