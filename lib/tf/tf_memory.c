/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of a buffer, and the one budget of samples that its edges share. */
#include "tf_internal.h"

_Static_assert(sizeof(snt_tf_transform) == 16 + 8 + 56 + 32, "frozen");
_Static_assert(sizeof(snt_tf_result) == 120, "frozen");
_Static_assert(sizeof(snt_tf_miss) == 192, "frozen");
_Static_assert(sizeof(snt_tf_twist_result) == 88, "frozen");
_Static_assert(sizeof(snt_tf_publisher) == 32, "frozen");
_Static_assert(sizeof(snt_tf_edge_info) == 344, "frozen");
_Static_assert(sizeof(snt_tf_buffer_info) == 104, "frozen");
_Static_assert(sizeof(snt_tf_cursor) == 128, "frozen");
_Static_assert(sizeof(tf_sample) == 64, "one cache line");
_Static_assert(offsetof(tf_edge, custom) == 64 && sizeof(tf_edge) % 64 == 0, "readers' line");

static const snt_tf_buffer_config tf_config_defaults = {
    .struct_size = sizeof(snt_tf_buffer_config),
    .max_frames = 256,
    .max_samples = 131072,
    .samples_per_edge = 1024,
    .max_name = 63,
    .max_authorities = 32,
    .keep_ns = 10 * SNT_NS_PER_S,
    .max_future_ns = 10 * SNT_NS_PER_S,
    .max_step_ns = 3600 * SNT_NS_PER_S,
    .interpolation = SNT_INTERPOLATE_LINEAR,
    .extrapolation = SNT_TF_EXTRAPOLATE_HOLD,
    .conflict = SNT_TF_CONFLICT_LAST,
};

void snt_tf_buffer_config_init(snt_tf_buffer_config *config, size_t size)
{
    snt__config_init(config, size, &tf_config_defaults, sizeof tf_config_defaults);
}

#define TF_DEFAULT_IF_ZERO(field) c->field = c->field ? c->field : tf_config_defaults.field

static snt_status tf_config_read(const snt_tf_buffer_config *given, snt_tf_buffer_config *c)
{
    *c = tf_config_defaults;
    const snt_status status =
        snt__config_read(c, sizeof *c, SNT_END_OF(snt_tf_buffer_config, notify_user), given);
    if (status < 0)
        return status;
    TF_DEFAULT_IF_ZERO(max_frames);
    TF_DEFAULT_IF_ZERO(max_samples);
    TF_DEFAULT_IF_ZERO(samples_per_edge);
    TF_DEFAULT_IF_ZERO(max_name);
    TF_DEFAULT_IF_ZERO(max_authorities);
    TF_DEFAULT_IF_ZERO(keep_ns);
    TF_DEFAULT_IF_ZERO(max_future_ns);
    TF_DEFAULT_IF_ZERO(max_step_ns);
    TF_DEFAULT_IF_ZERO(interpolation);
    TF_DEFAULT_IF_ZERO(extrapolation);
    TF_DEFAULT_IF_ZERO(conflict);
    if (c->max_frames < 2 || c->max_frames > TF_MAX_FRAMES || c->max_samples > 1u << 30 ||
        c->samples_per_edge > 1u << 30 || c->max_name > TF_NAME_LIMIT || c->max_authorities > 1u << 16)
        return SNT_ERR_RANGE;
    if (c->keep_ns < 0 || c->max_gap_ns < 0 || c->extrapolate_ns < 0 || c->max_future_ns < 0 ||
        c->max_step_ns < 0 || c->jump_back_ns < 0)
        return SNT_ERR_RANGE;
    if (c->interpolation > SNT_INTERPOLATE_SCREW || c->extrapolation > SNT_TF_EXTRAPOLATE_TWIST ||
        c->conflict > SNT_TF_CONFLICT_REFUSE || c->slash > SNT_TF_SLASH_REFUSE || c->flags > 7 || c->reserved)
        return SNT_ERR_RANGE;
    return SNT_OK;
}
#undef TF_DEFAULT_IF_ZERO

static uint32_t tf_buckets(uint32_t frames)
{
    return snt__pow2_at_least(frames);
}

static size_t tf_layout(const snt_tf_buffer_config *c, unsigned char *base, snt_tf_buffer *b)
{
    snt__slab slab = {base, 0};
    const uint32_t words = (c->max_name + 8) / 8;
    snt_tf_buffer unused;
    if (!b)
        b = &unused;
    snt__slab_take(&slab, 1, sizeof *b, SNT_CACHE_LINE);
    b->edges = snt__slab_take(&slab, c->max_frames, sizeof(tf_edge), SNT_CACHE_LINE);
    b->store.samples = snt__slab_take(&slab, c->max_samples, sizeof(tf_sample), SNT_CACHE_LINE);
    b->store.stamps = snt__slab_take(&slab, c->max_samples, sizeof(tf_word), SNT_CACHE_LINE);
    b->store.count = c->max_samples;
    b->names = snt__slab_take(&slab, (size_t)c->max_frames * words, sizeof(tf_word), SNT_CACHE_LINE);
    b->name_heads = snt__slab_take(&slab, tf_buckets(c->max_frames), sizeof(uint32_t), SNT_CACHE_LINE);
    b->name_next = snt__slab_take(&slab, c->max_frames, sizeof(uint32_t), SNT_CACHE_LINE);
    b->name_hash = snt__slab_take(&slab, c->max_frames, sizeof(uint32_t), SNT_CACHE_LINE);
    b->name_length = snt__slab_take(&slab, c->max_frames, sizeof(uint32_t), SNT_CACHE_LINE);
    b->extents = snt__slab_take(&slab, 2 * (size_t)c->max_frames + 2, sizeof(tf_extent), 8);
    b->authorities = snt__slab_take(&slab, c->max_authorities, TF_AUTHORITY_NAME, 8);
    return slab.used;
}

snt_status snt_tf_buffer_size(const snt_tf_buffer_config *config, uint64_t *bytes)
{
    if (!bytes)
        return SNT_ERR_INVALID_ARG;
    snt_tf_buffer_config c;
    const snt_status status = tf_config_read(config, &c);
    if (status < 0)
        return status;
    const size_t size = tf_layout(&c, NULL, NULL);
    if (size > PTRDIFF_MAX)
        return SNT_ERR_OVERFLOW;
    *bytes = size;
    return SNT_OK;
}

snt_status snt_tf_buffer_create(const snt_tf_buffer_config *config, const snt_allocator *allocator,
                                snt_tf_buffer **out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_allocator memory;
    snt_tf_buffer_config c;
    snt_status status = snt__allocator_resolve(allocator, &memory);
    if (status >= 0)
        status = tf_config_read(config, &c);
    if (status < 0)
        return status;
    const size_t size = tf_layout(&c, NULL, NULL);
    unsigned char *base = snt__alloc(&memory, size, SNT_CACHE_LINE);
    if (!base)
        return SNT_ERR_NO_MEMORY;
    snt_tf_buffer *b = (snt_tf_buffer *)(void *)base;
    tf_layout(&c, base, b);
    if (snt__lock_init(&b->topology)) {
        snt__free(&memory, base);
        return SNT_ERR_NO_MEMORY;
    }
    b->memory = memory;
    b->bytes = size;
    b->config = c;
    b->name_words = (c.max_name + 8) / 8;
    b->name_buckets = tf_buckets(c.max_frames);
    b->settings = (tf_settings){.keep_ns = c.keep_ns,
                                .max_gap_ns = c.max_gap_ns ? c.max_gap_ns : INT64_MAX,
                                .extrapolate_ns = c.extrapolate_ns,
                                .interpolation = c.interpolation,
                                .extrapolation = c.extrapolation};
    b->plain = snt__tf_plain_choose(b);
    b->extents[0] = (tf_extent){0, c.max_samples};
    b->extent_count = 1;
    snt_epoch_ref(c.epoch);
    atomic_init(&b->session, snt_epoch_session(c.epoch));
    atomic_init(&b->structure, 1);
    for (uint32_t i = 0; i < c.max_frames; i++) {
        atomic_init(&b->edges[i].ring.mask, UINT32_MAX);
        tf_word_set(&b->edges[i].newest, (uint64_t)INT64_MAX);
        b->edges[i].floor = INT64_MIN;
        b->edges[i].usual_authority = TF_NOT_USUAL;
    }
    *out = b;
    return SNT_OK;
}

void snt_tf_buffer_destroy(snt_tf_buffer *buffer)
{
    if (!buffer)
        return;
    snt__lock_destroy(&buffer->topology);
    snt_epoch_unref(buffer->config.epoch);
    const snt_allocator memory = buffer->memory;
    snt__free(&memory, buffer);
}

/* First fit: edges come and go seldom, and a free list of a few entries stays sorted and joined. */
uint32_t snt__tf_extent_take(snt_tf_buffer *b, uint32_t count)
{
    for (uint32_t i = 0; i < b->extent_count; i++) {
        tf_extent *e = &b->extents[i];
        if (e->count < count)
            continue;
        const uint32_t first = e->first;
        e->first += count;
        e->count -= count;
        if (!e->count)
            memmove(e, e + 1, (--b->extent_count - i) * sizeof *e);
        b->samples_reserved += count;
        return first;
    }
    return UINT32_MAX;
}

void snt__tf_extent_give(snt_tf_buffer *b, uint32_t first, uint32_t count)
{
    uint32_t i = 0;
    while (i < b->extent_count && b->extents[i].first < first)
        i++;
    tf_extent *e = &b->extents[i];
    const bool joins_left = i > 0 && e[-1].first + e[-1].count == first;
    const bool joins_right = i < b->extent_count && first + count == e->first;
    b->samples_reserved -= count;
    if (joins_left && joins_right) {
        e[-1].count += count + e->count;
        memmove(e, e + 1, (--b->extent_count - i) * sizeof *e);
    } else if (joins_left) {
        e[-1].count += count;
    } else if (joins_right) {
        e->first = first;
        e->count += count;
    } else {
        memmove(e + 1, e, (b->extent_count++ - i) * sizeof *e);
        *e = (tf_extent){first, count};
    }
}
