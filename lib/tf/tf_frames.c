/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frame names: a chained hash whose readers take no lock. New names are linked at the head of their chain, so a reader
 * misses them or sees them whole; only unlinking can send a reader astray, and names_seq tells.
 */
#include "tf_internal.h"

static uint32_t tf_hash(const char *name, size_t length)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ length;
    while (length >= 8) {
        uint64_t w;
        memcpy(&w, name, 8);
        h = (h ^ w) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
        name += 8;
        length -= 8;
    }
    uint64_t w = 0;
    for (size_t i = 0; i < length; i++)
        w |= (uint64_t)(unsigned char)name[i] << (8 * i);
    h = (h ^ w) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

static uint64_t tf_name_word(const char *name, size_t length, uint32_t word)
{
    uint64_t w = 0;
    for (size_t i = 8 * (size_t)word; i < length && i < 8 * (size_t)word + 8; i++)
        w |= (uint64_t)(unsigned char)name[i] << (8 * (i % 8));
    return w;
}

static bool tf_name_equals(const snt_tf_buffer *b, uint32_t slot, const char *name, size_t length)
{
    if (atomic_load_explicit(&b->name_length[slot], memory_order_relaxed) != length)
        return false;
    const tf_word *words = &b->names[(size_t)slot * b->name_words];
    for (uint32_t i = 0; 8 * (size_t)i < length; i++)
        if (tf_word_get(&words[i]) != tf_name_word(name, length, i))
            return false;
    return true;
}

/* One walk along a chain; it ends even if names are unlinked under it. */
static snt_frame tf_name_probe(const snt_tf_buffer *b, const char *name, size_t length, uint32_t hash)
{
    uint32_t at = atomic_load_explicit(&b->name_heads[hash & (b->name_buckets - 1)], memory_order_acquire);
    for (uint32_t steps = 0; at && steps < b->config.max_frames; steps++) {
        const uint32_t slot = at - 1;
        if (atomic_load_explicit(&b->name_hash[slot], memory_order_relaxed) == hash &&
            tf_name_equals(b, slot, name, length))
            return tf_frame_of(b, slot);
        at = atomic_load_explicit(&b->name_next[slot], memory_order_acquire);
    }
    return 0;
}

static snt_frame tf_name_find(const snt_tf_buffer *b, const char *name, size_t length)
{
    const uint32_t hash = tf_hash(name, length);
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        const uint32_t seq = atomic_load_explicit(&b->names_seq, memory_order_acquire);
        const snt_frame frame = tf_name_probe(b, name, length, hash);
        tf_fence_acquire();
        if (!(seq & 1) && atomic_load_explicit(&b->names_seq, memory_order_relaxed) == seq)
            return frame;
    }
    /* Names were removed in every attempt: wait for the remover. */
    snt_tf_buffer *locked = (snt_tf_buffer *)(uintptr_t)b;
    snt__lock_acquire(&locked->topology);
    const snt_frame frame = tf_name_probe(b, name, length, hash);
    snt__lock_release(&locked->topology);
    return frame;
}

/* Under the topology lock: a slot for a name that is not there. */
static snt_frame tf_name_add(snt_tf_buffer *b, const char *name, size_t length)
{
    uint32_t slot;
    const uint32_t high = atomic_load_explicit(&b->high_water, memory_order_relaxed);
    if (b->free_head) {
        slot = b->free_head - 1;
        b->free_head = b->edges[slot].free_next;
    } else if (high < b->config.max_frames) {
        slot = high;
        atomic_store_explicit(&b->high_water, high + 1, memory_order_release);
    } else {
        return 0;
    }
    tf_edge *edge = tf_edge_at(b, slot);
    tf_word *words = &b->names[(size_t)slot * b->name_words];
    const uint32_t hash = tf_hash(name, length);
    tf_fence_release(); /* whoever sees the new bytes sees that the old name was unlinked */
    for (uint32_t i = 0; i < b->name_words; i++)
        tf_word_set(&words[i], tf_name_word(name, length, i));
    atomic_store_explicit(&b->name_length[slot], (uint32_t)length, memory_order_relaxed);
    atomic_store_explicit(&b->name_hash[slot], hash, memory_order_relaxed);
    const uint32_t generation = atomic_load_explicit(&edge->generation, memory_order_relaxed) + 1;
    atomic_store_explicit(&edge->generation, generation, memory_order_release);
    _Atomic uint32_t *head = &b->name_heads[hash & (b->name_buckets - 1)];
    atomic_store_explicit(&b->name_next[slot], atomic_load_explicit(head, memory_order_relaxed),
                          memory_order_release);
    atomic_store_explicit(head, slot + 1, memory_order_release);
    b->frames++;
    return (snt_frame)generation << 32 | (slot + 1);
}

snt_status snt__tf_frame_make(snt_tf_buffer *b, const char *name, size_t length, snt_frame *frame)
{
    snt_frame found = tf_name_find(b, name, length);
    if (!found) {
        snt__lock_acquire(&b->topology);
        found = tf_name_probe(b, name, length, tf_hash(name, length));
        if (!found)
            found = tf_name_add(b, name, length);
        snt__lock_release(&b->topology);
    }
    if (!found)
        return SNT_ERR_FULL;
    *frame = found;
    return SNT_OK;
}

/* Under the topology lock. The slot itself is freed by the caller. */
void snt__tf_frame_unlink(snt_tf_buffer *b, uint32_t slot)
{
    const uint32_t seq = atomic_load_explicit(&b->names_seq, memory_order_relaxed);
    atomic_store_explicit(&b->names_seq, seq + 1, memory_order_relaxed);
    tf_fence_release();
    const uint32_t hash = atomic_load_explicit(&b->name_hash[slot], memory_order_relaxed);
    _Atomic uint32_t *link = &b->name_heads[hash & (b->name_buckets - 1)];
    for (uint32_t at; (at = atomic_load_explicit(link, memory_order_relaxed)) != 0;
         link = &b->name_next[at - 1]) {
        if (at - 1 == slot) {
            atomic_store_explicit(link, atomic_load_explicit(&b->name_next[slot], memory_order_relaxed),
                                  memory_order_relaxed);
            break;
        }
    }
    atomic_store_explicit(&b->names_seq, seq + 2, memory_order_release);
}

uint32_t snt__tf_name_copy(const snt_tf_buffer *b, uint32_t slot, char *out, uint32_t capacity)
{
    const uint32_t length = atomic_load_explicit(&b->name_length[slot], memory_order_relaxed);
    const tf_word *words = &b->names[(size_t)slot * b->name_words];
    uint32_t n = 0;
    for (; n < length && n + 1 < capacity; n++)
        out[n] = (char)(unsigned char)(tf_word_get(&words[n / 8]) >> (8 * (n % 8)));
    if (capacity)
        out[n] = 0;
    return length;
}

/* A name as the slash policy has it. Length 0 = none. */
static snt_status tf_name_check(const snt_tf_buffer *b, const char **name, size_t *length, bool inserting)
{
    if (**name == '/' && b->config.slash != SNT_TF_SLASH_KEEP) {
        if (!inserting || b->config.slash == SNT_TF_SLASH_REFUSE)
            return SNT_ERR_INVALID_ARG;
        ++*name;
    }
    *length = 0;
    while (*length <= b->config.max_name && (*name)[*length])
        ++*length;
    if (*length == 0)
        return SNT_ERR_INVALID_ARG;
    return *length > b->config.max_name ? SNT_ERR_RANGE : SNT_OK;
}

snt_status snt_tf_buffer_frame(snt_tf_buffer *buffer, const char *name, snt_frame *frame)
{
    if (!buffer || !name || !frame)
        return SNT_ERR_INVALID_ARG;
    size_t length;
    const snt_status status = tf_name_check(buffer, &name, &length, true);
    return status < 0 ? status : snt__tf_frame_make(buffer, name, length, frame);
}

snt_status snt_tf_buffer_frame_scoped(snt_tf_buffer *buffer, const char *prefix, const char *name,
                                      snt_frame *frame)
{
    if (!buffer || !prefix || !name || !frame)
        return SNT_ERR_INVALID_ARG;
    if (!*prefix)
        return snt_tf_buffer_frame(buffer, name, frame);
    size_t scope, length;
    snt_status status = tf_name_check(buffer, &prefix, &scope, true);
    if (status >= 0)
        status = tf_name_check(buffer, &name, &length, true);
    if (status < 0)
        return status;
    if (scope + 1 + length > buffer->config.max_name)
        return SNT_ERR_RANGE;
    char joined[TF_NAME_LIMIT + 1];
    memcpy(joined, prefix, scope);
    joined[scope] = '/';
    memcpy(joined + scope + 1, name, length);
    return snt__tf_frame_make(buffer, joined, scope + 1 + length, frame);
}

snt_status snt_tf_buffer_find(const snt_tf_buffer *buffer, const char *name, snt_frame *frame)
{
    if (!buffer || !name || !frame)
        return SNT_ERR_INVALID_ARG;
    size_t length;
    const snt_status status = tf_name_check(buffer, &name, &length, false);
    if (status < 0)
        return status == SNT_ERR_RANGE ? SNT_ERR_NOT_FOUND : status;
    const snt_frame found = tf_name_find(buffer, name, length);
    if (!found)
        return SNT_ERR_NOT_FOUND;
    *frame = found;
    return SNT_OK;
}

snt_status snt_tf_buffer_frame_name(const snt_tf_buffer *buffer, snt_frame frame, char *text,
                                    uint64_t capacity)
{
    if (!buffer || !text)
        return SNT_ERR_INVALID_ARG;
    if (!tf_frame_alive(buffer, frame))
        return SNT_ERR_NOT_FOUND;
    char name[TF_NAME_LIMIT + 1];
    const uint32_t length = snt__tf_name_copy(buffer, tf_frame_slot(frame), name, sizeof name);
    tf_fence_acquire();
    if (!tf_frame_alive(buffer, frame))
        return SNT_ERR_NOT_FOUND;
    if (length + 1 > capacity)
        return SNT_ERR_BUFFER_TOO_SMALL;
    memcpy(text, name, length + 1);
    return SNT_OK;
}

snt_status snt_tf_buffer_frames(snt_tf_buffer *buffer, snt_frame *frames, uint64_t capacity, uint64_t *count)
{
    if (!buffer || !count || (!frames && capacity))
        return SNT_ERR_INVALID_ARG;
    uint64_t n = 0;
    const uint32_t high = atomic_load_explicit(&buffer->high_water, memory_order_acquire);
    for (uint32_t slot = 0; slot < high; slot++) {
        const snt_frame frame = tf_frame_of(buffer, slot);
        if (frame && n++ < capacity)
            frames[n - 1] = frame;
    }
    *count = n;
    return n > capacity && capacity ? SNT_ERR_BUFFER_TOO_SMALL : SNT_OK;
}

snt_status snt_tf_buffer_authority(snt_tf_buffer *buffer, const char *name, uint32_t *authority)
{
    if (!buffer || !name || !authority || !*name)
        return SNT_ERR_INVALID_ARG;
    size_t length = 0;
    while (length < TF_AUTHORITY_NAME && name[length])
        length++;
    if (length == TF_AUTHORITY_NAME)
        return SNT_ERR_RANGE;
    snt_status status = SNT_OK;
    snt__lock_acquire(&buffer->topology);
    uint32_t i = 0;
    while (i < buffer->authority_count && strcmp(buffer->authorities[i], name) != 0)
        i++;
    if (i == buffer->authority_count) {
        if (i < buffer->config.max_authorities) {
            memcpy(buffer->authorities[i], name, length + 1);
            buffer->authority_count++;
        } else {
            status = SNT_ERR_FULL;
        }
    }
    snt__lock_release(&buffer->topology);
    if (status == SNT_OK)
        *authority = i + 1;
    return status;
}
