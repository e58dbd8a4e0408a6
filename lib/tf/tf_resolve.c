/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From two frames to the chain between them. Parents are read without a lock: a walk counts if no change of the tree was
 * completed meanwhile, which is also what keeps a slot from being given to another frame under the walk.
 */
#include "tf_internal.h"

typedef struct tf_climb {
    uint32_t slots[SNT_TF_MAX_DEPTH + 1];
    uint32_t parents[SNT_TF_MAX_DEPTH + 1]; /* slot + 1 each hangs on */
    uint32_t last;
    bool too_deep;
    bool incomplete; /* it ended at an edge that says nothing about the time */
    bool busy;
} tf_climb;

/* Up to the root, or to the frame in slot `stop`: true if it was met. */
static inline bool tf_climb_newest(const snt_tf_buffer *b, uint32_t slot, uint32_t stop, tf_climb *climb)
{
    tf_edge *edges = b->edges;
    uint32_t n = 0;
    climb->too_deep = climb->incomplete = climb->busy = false;
    climb->slots[0] = slot;
    while (slot != stop) {
        const uint32_t parent = atomic_load_explicit(&edges[slot].parent, memory_order_acquire);
        if (!parent || n == SNT_TF_MAX_DEPTH) {
            climb->parents[n] = parent;
            climb->last = n;
            climb->too_deep = parent != 0;
            return false;
        }
        climb->parents[n++] = parent;
        climb->slots[n] = slot = parent - 1;
    }
    climb->last = n;
    return true;
}

/* As the tree was at time t; where an edge says nothing about t the climb ends, or with `beyond` goes on after the newest
 * sample, should it be extrapolated. */
static void tf_climb_at(const snt_tf_buffer *b, uint32_t slot, int64_t t, bool beyond, tf_climb *climb)
{
    climb->last = 0;
    climb->too_deep = climb->incomplete = climb->busy = false;
    for (;;) {
        climb->slots[climb->last] = slot;
        climb->parents[climb->last] = 0;
        const tf_edge *edge = tf_edge_at(b, slot);
        uint32_t parent = atomic_load_explicit(&((tf_edge *)(uintptr_t)edge)->parent, memory_order_acquire);
        if (atomic_load_explicit(&((tf_edge *)(uintptr_t)edge)->kind, memory_order_relaxed) ==
            SNT_TF_DYNAMIC) {
            tf_span span;
            tf_found found = snt__tf_find(b, edge, t, &span);
            if (found == TF_FUTURE && beyond)
                found = snt__tf_find(b, edge, span.newest, &span);
            if (found != TF_AT && found != TF_BETWEEN) {
                climb->incomplete = true;
                climb->busy = found == TF_RETRY;
                return;
            }
            parent = (uint32_t)span.a[TF_META] & TF_META_PARENT;
        }
        climb->parents[climb->last] = parent;
        if (!parent)
            return;
        if (climb->last == SNT_TF_MAX_DEPTH) {
            climb->too_deep = true;
            return;
        }
        climb->last++;
        slot = parent - 1;
    }
}

/* A static edge's sample; read as what it is written as, for a copy would wait until wider stores are done. */
typedef union tf_fixed_words {
    uint64_t words[TF_SAMPLE_WORDS];
    snt_pose pose;
} tf_fixed_words;

static inline bool tf_read_fixed(tf_edge *edge, tf_fixed_words *out, uint32_t *seq)
{
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        *seq = atomic_load_explicit(&edge->ring.seq, memory_order_acquire);
        if (*seq & 1)
            continue;
        tf_copy(&(tf_store){NULL, &edge->fixed, 1}, 0, out->words);
        const uint32_t kind = atomic_load_explicit(&edge->kind, memory_order_relaxed);
        tf_fence_acquire();
        if (atomic_load_explicit(&edge->ring.seq, memory_order_relaxed) == *seq)
            return kind == SNT_TF_STATIC;
    }
    return false;
}

/* A static edge becomes part of the constant pose where the chain ends so far. */
TF_NOINLINE static snt_status tf_chain_add_fixed(tf_chain *chain, tf_edge *edge, uint32_t slot,
                                                 uint32_t generation, uint32_t parent, uint32_t inverse)
{
    tf_fixed_words is = {{0}}; /* set where it returns true, which not every compiler sees */
    uint32_t seq = 0;
    if (!tf_read_fixed(edge, &is, &seq) || ((uint32_t)is.words[TF_META] & TF_META_PARENT) != parent)
        return SNT_BUSY;
    chain->refs[chain->statics++] = (tf_static_ref){slot, generation, seq, 0};
    if (inverse)
        snt__pose_inverse(&is.pose, &is.pose);
    snt_pose *fixed = &chain->fixed[chain->moving];
    if (chain->has_fixed[chain->moving])
        snt__pose_compose(fixed, &is.pose, fixed);
    else
        *fixed = is.pose;
    chain->has_fixed[chain->moving] = 1;
    return SNT_OK;
}

static inline snt_status tf_chain_add(const snt_tf_buffer *b, tf_chain *chain, uint32_t slot, uint32_t parent,
                                      uint32_t inverse)
{
    tf_edge *edge = tf_edge_at(b, slot);
    const uint32_t i = chain->moving;
    const uint32_t traits = atomic_load_explicit(&edge->traits, memory_order_relaxed);
    atomic_store_explicit(&chain->traits, tf_chain_traits(chain) | traits, memory_order_relaxed);
    const uint32_t generation = atomic_load_explicit(&edge->generation, memory_order_relaxed);
    if (SNT_UNLIKELY(atomic_load_explicit(&edge->kind, memory_order_relaxed) == SNT_TF_STATIC))
        return tf_chain_add_fixed(chain, edge, slot, generation, parent, inverse);
    if (SNT_UNLIKELY(i == TF_MAX_MOVING))
        return SNT_ERR_RANGE;
    tf_link *link = &chain->links[i];
    chain->edges[i] = edge;
    chain->has_fixed[i + 1] = 0;
    chain->moving = i + 1;
    link->slot = slot;
    link->generation = generation;
    link->parent = parent;
    link->inverse = inverse;
    return SNT_OK;
}

/* Join two climbs at their lowest common frame. */
static snt_status tf_chain_join(const snt_tf_buffer *b, const tf_climb *target, const tf_climb *source,
                                tf_chain *chain)
{
    uint32_t i = source->last, j = target->last;
    chain->moving = chain->statics = 0;
    atomic_store_explicit(&chain->traits, 0, memory_order_relaxed);
    chain->incomplete = target->incomplete || source->incomplete;
    chain->has_fixed[0] = 0;
    chain->root_target = target->slots[j] + 1;
    chain->root_source = source->slots[i] + 1;
    if (target->too_deep || source->too_deep)
        return SNT_ERR_RANGE;
    if (chain->root_target != chain->root_source)
        return SNT_ERR_NOT_CONNECTED;
    while (i > 0 && j > 0 && source->slots[i - 1] == target->slots[j - 1]) {
        i--;
        j--;
    }
    for (uint32_t k = 0; k < j; k++) {
        const snt_status status = tf_chain_add(b, chain, target->slots[k], target->parents[k], 1);
        if (SNT_UNLIKELY(status != SNT_OK))
            return status;
    }
    while (i-- > 0) {
        const snt_status status = tf_chain_add(b, chain, source->slots[i], source->parents[i], 0);
        if (SNT_UNLIKELY(status != SNT_OK))
            return status;
    }
    return SNT_OK;
}

snt_status snt__tf_resolve(const snt_tf_buffer *b, snt_frame target, snt_frame source, tf_chain *chain)
{
    tf_climb from_target, from_source;
    snt_status status = SNT_BUSY;
    chain->target = target;
    chain->source = source;
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        const uint32_t structure = atomic_load_explicit(&b->structure, memory_order_acquire);
        if (!tf_frame_alive(b, target) || !tf_frame_alive(b, source))
            return SNT_ERR_NOT_FOUND;
        /* mostly one of them is above the other, and what is above both is nobody's concern */
        const uint32_t to = tf_frame_slot(target), from = tf_frame_slot(source);
        if (tf_climb_newest(b, from, to, &from_source))
            tf_climb_newest(b, to, to, &from_target);
        else if (tf_climb_newest(b, to, from, &from_target))
            tf_climb_newest(b, from, from, &from_source);
        status = tf_chain_join(b, &from_target, &from_source, chain);
        chain->structure = structure;
        tf_fence_acquire();
        if (atomic_load_explicit(&b->structure, memory_order_relaxed) == structure && status != SNT_BUSY)
            return status;
    }
    return SNT_BUSY;
}

/* Two climbs at one time meet at their lowest common frame, though an edge above it may say nothing about that time. */
static bool tf_meet(tf_climb *target, tf_climb *source)
{
    for (uint32_t i = 0; i <= source->last; i++) {
        for (uint32_t j = 0; j <= target->last; j++) {
            if (source->slots[i] == target->slots[j]) {
                source->last = i;
                target->last = j;
                source->too_deep = target->too_deep = false;
                return true;
            }
        }
    }
    return false;
}

snt_status snt__tf_resolve_at(const snt_tf_buffer *b, snt_frame target, snt_frame source, int64_t t,
                              tf_chain *chain)
{
    tf_climb from_target, from_source;
    snt_status status = SNT_BUSY;
    chain->target = target;
    chain->source = source;
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        const uint32_t structure = atomic_load_explicit(&b->structure, memory_order_acquire);
        if (!tf_frame_alive(b, target) || !tf_frame_alive(b, source))
            return SNT_ERR_NOT_FOUND;
        bool meet = false;
        for (int beyond = 0; beyond < 2 && !meet; beyond++) {
            tf_climb_at(b, tf_frame_slot(target), t, beyond, &from_target);
            tf_climb_at(b, tf_frame_slot(source), t, beyond, &from_source);
            meet = tf_meet(&from_target, &from_source);
        }
        if (!meet && (from_target.busy || from_source.busy))
            status = SNT_BUSY;
        else if (!meet && (from_target.too_deep || from_source.too_deep))
            status = SNT_ERR_CYCLE;
        else
            status = tf_chain_join(b, &from_target, &from_source, chain);
        chain->structure = structure;
        tf_fence_acquire();
        if (atomic_load_explicit(&b->structure, memory_order_relaxed) == structure && status != SNT_BUSY)
            return status;
    }
    return SNT_BUSY;
}

bool snt__tf_chain_current(const snt_tf_buffer *b, const tf_chain *chain)
{
    for (uint32_t i = 0; i < chain->statics; i++) {
        const tf_static_ref *ref = &chain->refs[i];
        tf_edge *edge = tf_edge_at(b, ref->slot);
        if (atomic_load_explicit(&edge->ring.seq, memory_order_acquire) != ref->seq ||
            atomic_load_explicit(&edge->generation, memory_order_relaxed) != ref->generation)
            return false;
    }
    for (uint32_t i = 0; i < chain->moving; i++) {
        const tf_link *link = &chain->links[i];
        tf_edge *edge = tf_edge_at(b, link->slot);
        if (atomic_load_explicit(&edge->generation, memory_order_acquire) != link->generation ||
            atomic_load_explicit(&edge->parent, memory_order_relaxed) != link->parent ||
            atomic_load_explicit(&edge->kind, memory_order_relaxed) != SNT_TF_DYNAMIC)
            return false;
    }
    return tf_frame_alive(b, chain->target) && tf_frame_alive(b, chain->source);
}

/* Settings may have changed since the chain was resolved. */
static uint32_t tf_traits_now(const snt_tf_buffer *b, const tf_chain *chain)
{
    uint32_t traits = 0;
    for (uint32_t i = 0; i < chain->statics; i++)
        traits |= atomic_load_explicit(&tf_edge_at(b, chain->refs[i].slot)->traits, memory_order_relaxed);
    for (uint32_t i = 0; i < chain->moving; i++)
        traits |= atomic_load_explicit(&chain->edges[i]->traits, memory_order_relaxed);
    return traits;
}

/* ---- paths ---- */

/* The first success is published once; readers of a ready chain never see it change. */
static void tf_path_publish(snt_tf_path *path, const tf_chain *chain)
{
    uint32_t open = TF_PATH_OPEN;
    if (!atomic_compare_exchange_strong_explicit(&path->state, &open, TF_PATH_RESOLVING, memory_order_acquire,
                                                 memory_order_relaxed))
        return;
    path->chain = *chain;
    atomic_store_explicit(&path->verified, chain->structure, memory_order_relaxed);
    atomic_store_explicit(&path->state, TF_PATH_READY, memory_order_release);
}

static bool tf_path_good(snt_tf_path *path)
{
    const uint32_t structure = atomic_load_explicit(&path->buffer->structure, memory_order_acquire);
    if (SNT_LIKELY(atomic_load_explicit(&path->verified, memory_order_relaxed) == structure))
        return true;
    if (!snt__tf_chain_current(path->buffer, &path->chain))
        return false;
    atomic_store_explicit(&path->chain.traits, tf_traits_now(path->buffer, &path->chain),
                          memory_order_relaxed);
    atomic_store_explicit(&path->verified, structure, memory_order_relaxed);
    return true;
}

const tf_chain *snt__tf_path_chain(const snt_tf_path *constant, tf_chain *scratch, uint32_t *flags,
                                   snt_status *status)
{
    snt_tf_path *path = (snt_tf_path *)(uintptr_t)constant;
    *flags = 0;
    *status = SNT_OK;
    const bool ready = atomic_load_explicit(&path->state, memory_order_acquire) == TF_PATH_READY;
    if (SNT_LIKELY(ready) && tf_path_good(path))
        return &path->chain;
    *status = snt__tf_resolve(path->buffer, path->target, path->source, scratch);
    if (*status != SNT_OK)
        return NULL;
    if (ready)
        *flags = SNT_TF_STALE_PATH;
    else
        tf_path_publish(path, scratch);
    return scratch;
}

snt_status snt_tf_path_create(snt_tf_buffer *buffer, snt_frame target, snt_frame source, snt_tf_path **path)
{
    if (!path)
        return SNT_ERR_INVALID_ARG;
    *path = NULL;
    if (!buffer || !target || !source)
        return SNT_ERR_INVALID_ARG;
    snt_tf_path *made = snt__alloc(&buffer->memory, sizeof *made, SNT_CACHE_LINE);
    if (!made)
        return SNT_ERR_NO_MEMORY;
    made->buffer = buffer;
    made->target = target;
    made->source = source;
    atomic_init(&made->state, TF_PATH_OPEN);
    atomic_init(&made->verified, 0);
    atomic_init(&made->suspect, 0);
    snt_tf_path_refresh(made);
    *path = made;
    return SNT_OK;
}

snt_status snt_tf_buffer_path(snt_tf_buffer *buffer, const char *target, const char *source,
                              snt_tf_path **path)
{
    if (!path)
        return SNT_ERR_INVALID_ARG;
    *path = NULL;
    snt_frame to, from;
    snt_status status = snt_tf_buffer_frame(buffer, target, &to);
    if (status >= 0)
        status = snt_tf_buffer_frame(buffer, source, &from);
    return status < 0 ? status : snt_tf_path_create(buffer, to, from, path);
}

void snt_tf_path_destroy(snt_tf_path *path)
{
    if (!path)
        return;
    const snt_allocator memory = path->buffer->memory;
    snt__free(&memory, path);
}

snt_status snt_tf_path_refresh(snt_tf_path *path)
{
    if (!path)
        return SNT_ERR_INVALID_ARG;
    atomic_store_explicit(&path->state, TF_PATH_OPEN, memory_order_relaxed);
    atomic_store_explicit(&path->suspect, 0, memory_order_relaxed);
    const snt_status status = snt__tf_resolve(path->buffer, path->target, path->source, &path->chain);
    if (status == SNT_OK) {
        atomic_store_explicit(&path->verified, path->chain.structure, memory_order_relaxed);
        atomic_store_explicit(&path->state, TF_PATH_READY, memory_order_release);
    }
    return status;
}

snt_status snt_tf_path_check(const snt_tf_path *path)
{
    if (!path)
        return SNT_ERR_INVALID_ARG;
    snt_tf_path *p = (snt_tf_path *)(uintptr_t)path;
    if (atomic_load_explicit(&p->state, memory_order_acquire) != TF_PATH_READY)
        return SNT_ERR_NOT_CONNECTED;
    return tf_path_good(p) ? SNT_OK : SNT_ERR_TREE_CHANGED;
}

snt_status snt_tf_path_edges(const snt_tf_path *path, snt_frame *children, uint64_t capacity, uint64_t *count)
{
    if (!path || !count || (!children && capacity))
        return SNT_ERR_INVALID_ARG;
    tf_chain scratch;
    uint32_t flags;
    snt_status status;
    const tf_chain *chain = snt__tf_path_chain(path, &scratch, &flags, &status);
    if (!chain)
        return status;
    for (uint32_t i = 0; i < chain->moving && i < capacity; i++)
        children[i] = (snt_frame)chain->links[i].generation << 32 | (chain->links[i].slot + 1);
    *count = chain->moving;
    return chain->moving > capacity && capacity ? SNT_ERR_BUFFER_TOO_SMALL : SNT_OK;
}

snt_status snt_tf_buffer_parent(const snt_tf_buffer *buffer, snt_frame child, snt_frame *parent)
{
    if (!buffer || !parent)
        return SNT_ERR_INVALID_ARG;
    if (!tf_frame_alive(buffer, child))
        return SNT_ERR_NOT_FOUND;
    const uint32_t at =
        atomic_load_explicit(&tf_edge_at(buffer, tf_frame_slot(child))->parent, memory_order_acquire);
    const snt_frame found = at ? tf_frame_of(buffer, at - 1) : 0;
    if (!tf_frame_alive(buffer, child))
        return SNT_ERR_NOT_FOUND;
    *parent = found;
    return SNT_OK;
}

snt_status snt_tf_buffer_root(const snt_tf_buffer *buffer, snt_frame frame, snt_frame *root)
{
    if (!buffer || !root)
        return SNT_ERR_INVALID_ARG;
    for (int attempt = 0; attempt < TF_ATTEMPTS; attempt++) {
        const uint32_t structure = atomic_load_explicit(&buffer->structure, memory_order_acquire);
        if (!tf_frame_alive(buffer, frame))
            return SNT_ERR_NOT_FOUND;
        uint32_t at = tf_frame_slot(frame) + 1, up = at;
        for (uint32_t steps = 0; up && steps <= buffer->config.max_frames; steps++) {
            at = up;
            up = atomic_load_explicit(&buffer->edges[at - 1].parent, memory_order_acquire);
        }
        const snt_frame found = tf_frame_of(buffer, at - 1);
        tf_fence_acquire();
        if (!up && found && atomic_load_explicit(&buffer->structure, memory_order_relaxed) == structure) {
            *root = found;
            return SNT_OK;
        }
    }
    return SNT_BUSY;
}

uint32_t snt_tf_buffer_structure_version(const snt_tf_buffer *buffer)
{
    return buffer
               ? atomic_load_explicit(&((snt_tf_buffer *)(uintptr_t)buffer)->structure, memory_order_acquire)
               : 0;
}
