/* SPDX-License-Identifier: BSD-3-Clause */
/* A binary heap by (stamp, arrival) over a pool of slots; dropped ones queue up in the same pool. */
#include "../base/internal.h"
#include "../base/lock.h"
#include "../base/memory.h"

#include "sensortime/message_cache.h"

_Static_assert(sizeof(snt_time_sequencer_drop) == 112, "frozen");
_Static_assert(sizeof(snt_time_sequencer_stats) == 224, "frozen");

typedef struct sequencer_slot {
    snt_sample sample;
    uint64_t order;
    snt_duration behind;
    uint32_t next, reason;
} sequencer_slot;

#define SEQUENCER_NONE 0xffffffffu

struct snt_time_sequencer {
    snt__lock lock;
    sequencer_slot *slots;
    uint32_t *heap;
    uint32_t capacity, waiting, free_head, drop_head, drop_tail, drop_count;
    uint32_t domain, adopt, session;
    snt_duration delay;
    snt_time last;
    uint64_t order, in, out, refused, dropped[SNT_DROP_COUNT];
    snt_epoch *epoch;
    snt_allocator allocator;
};

static const snt_time_sequencer_config sequencer_defaults = {.capacity = 128,
                                                             .delay_ns = 100 * SNT_NS_PER_MS};

void snt_time_sequencer_config_init(snt_time_sequencer_config *config, size_t size)
{
    snt__config_init(config, size, &sequencer_defaults, sizeof sequencer_defaults);
}

snt_status snt_time_sequencer_create(const snt_time_sequencer_config *config, const snt_allocator *allocator,
                                     snt_time_sequencer **out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_time_sequencer_config cfg = sequencer_defaults;
    snt_allocator memory;
    snt_status status =
        snt__config_read(&cfg, sizeof cfg, SNT_END_OF(snt_time_sequencer_config, epoch), config);
    if (status >= 0)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    if (cfg.reserved)
        return SNT_ERR_INVALID_ARG;
    if (cfg.capacity < 1 || cfg.capacity > 1u << 24 || cfg.delay_ns < 0)
        return SNT_ERR_RANGE;
    const uint32_t slots = 2 * cfg.capacity + 1; /* as many may lie dropped as may wait */
    snt__slab slab = {0};
    snt_time_sequencer *s = NULL;
    for (int pass = 0; pass < 2; pass++) {
        s = snt__slab_take(&slab, 1, sizeof *s, SNT_CACHE_LINE);
        sequencer_slot *pool = snt__slab_take(&slab, slots, sizeof *pool, SNT_CACHE_LINE);
        uint32_t *heap = snt__slab_take(&slab, cfg.capacity + 1, sizeof *heap, SNT_CACHE_LINE);
        if (pass) {
            s->slots = pool;
            s->heap = heap;
            break;
        }
        slab = (snt__slab){.base = snt__alloc(&memory, slab.used, SNT_CACHE_LINE)};
        if (!slab.base)
            return SNT_ERR_NO_MEMORY;
    }
    if (snt__lock_init(&s->lock)) {
        snt__free(&memory, s);
        return SNT_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < slots; i++)
        s->slots[i].next = i + 1 < slots ? i + 1 : SEQUENCER_NONE;
    s->capacity = cfg.capacity;
    s->delay = cfg.delay_ns;
    s->domain = cfg.domain;
    s->adopt = !cfg.domain;
    s->last = INT64_MIN;
    s->epoch = snt_epoch_ref(cfg.epoch);
    s->session = snt_epoch_session(cfg.epoch);
    s->allocator = memory;
    *out = s;
    return SNT_OK;
}

void snt_time_sequencer_destroy(snt_time_sequencer *s)
{
    if (!s)
        return;
    snt_epoch_unref(s->epoch);
    snt__lock_destroy(&s->lock);
    const snt_allocator memory = s->allocator;
    snt__free(&memory, s);
}

static bool sequencer_before(const snt_time_sequencer *s, uint32_t a, uint32_t b)
{
    const sequencer_slot *x = &s->slots[a], *y = &s->slots[b];
    return x->sample.t0_ns != y->sample.t0_ns ? x->sample.t0_ns < y->sample.t0_ns : x->order < y->order;
}

static void sequencer_push(snt_time_sequencer *s, uint32_t index)
{
    uint32_t at = s->waiting++;
    while (at && sequencer_before(s, index, s->heap[(at - 1) / 2])) {
        s->heap[at] = s->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->heap[at] = index;
}

static uint32_t sequencer_pop(snt_time_sequencer *s)
{
    const uint32_t first = s->heap[0], last = s->heap[--s->waiting];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < s->waiting; at = child) {
        if (child + 1 < s->waiting && sequencer_before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!sequencer_before(s, s->heap[child], last))
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return first;
}

static void sequencer_drop(snt_time_sequencer *s, uint32_t index, uint32_t reason, snt_duration behind)
{
    s->slots[index].reason = reason;
    s->slots[index].behind = behind;
    s->slots[index].next = SEQUENCER_NONE;
    s->dropped[reason]++;
    if (s->drop_count++)
        s->slots[s->drop_tail].next = index;
    else
        s->drop_head = index;
    s->drop_tail = index;
}

static void sequencer_restart(snt_time_sequencer *s, uint32_t reason)
{
    while (s->waiting)
        sequencer_drop(s, sequencer_pop(s), reason, 0);
    s->last = INT64_MIN;
}

static void sequencer_enter(snt_time_sequencer *s)
{
    snt__lock_acquire(&s->lock);
    const uint32_t session = snt_epoch_session(s->epoch);
    if (session == s->session)
        return;
    sequencer_restart(s, SNT_DROP_RESET);
    s->session = session;
}

static snt_duration sequencer_sub(snt_time a, snt_time b)
{
    return b < 0 && a > INT64_MAX + b ? INT64_MAX : b > 0 && a < INT64_MIN + b ? INT64_MIN : a - b;
}

static void sequencer_take_in(snt_time_sequencer *s, uint32_t index)
{
    const snt_sample *sample = &s->slots[index].sample;
    if (s->adopt) {
        s->domain = sample->domain;
        s->adopt = 0;
    }
    if (sample->domain != s->domain)
        sequencer_drop(s, index, SNT_DROP_WRONG_DOMAIN, 0);
    else if (s->epoch && sample->session && (int32_t)(sample->session - s->session) < 0)
        sequencer_drop(s, index, SNT_DROP_STRAGGLER, 0);
    else if (sample->t0_ns < s->last)
        sequencer_drop(s, index, SNT_DROP_LATE, sequencer_sub(s->last, sample->t0_ns));
    else {
        sequencer_push(s, index);
        if (s->waiting > s->capacity)
            sequencer_drop(s, sequencer_pop(s), SNT_DROP_OVERFLOW_OLDEST, 0);
    }
}

snt_status snt_time_sequencer_add(snt_time_sequencer *s, const snt_sample *sample)
{
    if (!s || !sample || sample->t1_ns < sample->t0_ns)
        return SNT_ERR_INVALID_ARG;
    sequencer_enter(s);
    const uint32_t index = s->free_head;
    const bool room = index != SEQUENCER_NONE;
    if (room) {
        s->free_head = s->slots[index].next;
        s->slots[index].sample = *sample;
        s->slots[index].order = s->order++;
        s->in++;
        sequencer_take_in(s, index);
    } else
        s->refused++;
    snt__lock_release(&s->lock);
    return room ? SNT_OK : SNT_ERR_FULL;
}

snt_status snt_time_sequencer_poll(snt_time_sequencer *s, snt_time now_stamp_ns, snt_sample *sample)
{
    if (!s || !sample)
        return SNT_ERR_INVALID_ARG;
    sequencer_enter(s);
    snt_status status = SNT_EMPTY;
    if (s->waiting) {
        const snt_time t = s->slots[s->heap[0]].sample.t0_ns;
        if (now_stamp_ns == SNT_TIME_INFINITE_FUTURE || sequencer_sub(now_stamp_ns, t) >= s->delay) {
            const uint32_t index = sequencer_pop(s);
            *sample = s->slots[index].sample;
            s->last = t;
            s->out++;
            s->slots[index].next = s->free_head;
            s->free_head = index;
            status = SNT_OK;
        } else
            status = SNT_PENDING;
    }
    snt__lock_release(&s->lock);
    return status;
}

snt_status snt_time_sequencer_poll_drop(snt_time_sequencer *s, snt_time_sequencer_drop *drop)
{
    if (!s || !drop)
        return SNT_ERR_INVALID_ARG;
    sequencer_enter(s);
    const bool any = s->drop_count != 0;
    if (any) {
        const uint32_t index = s->drop_head;
        sequencer_slot *slot = &s->slots[index];
        *drop = (snt_time_sequencer_drop){
            .sample = slot->sample, .behind_ns = slot->behind, .reason = slot->reason};
        s->drop_head = slot->next;
        s->drop_count--;
        slot->next = s->free_head;
        s->free_head = index;
    }
    snt__lock_release(&s->lock);
    return any ? SNT_OK : SNT_EMPTY;
}

snt_status snt_time_sequencer_clear(snt_time_sequencer *s)
{
    if (!s)
        return SNT_ERR_INVALID_ARG;
    sequencer_enter(s);
    sequencer_restart(s, SNT_DROP_CLEARED);
    snt__lock_release(&s->lock);
    return SNT_OK;
}

snt_status snt_time_sequencer_get_stats(snt_time_sequencer *s, snt_time_sequencer_stats *stats)
{
    if (!s || !stats)
        return SNT_ERR_INVALID_ARG;
    sequencer_enter(s);
    *stats =
        (snt_time_sequencer_stats){.in = s->in, .out = s->out, .held = s->waiting, .refused = s->refused};
    memcpy(stats->dropped, s->dropped, sizeof s->dropped);
    snt__lock_release(&s->lock);
    return SNT_OK;
}
