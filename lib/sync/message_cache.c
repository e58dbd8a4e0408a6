/* SPDX-License-Identifier: BSD-3-Clause */
/* A sorted ring: appends are O(1), a late sample moves those after it. */
#include "../base/internal.h"
#include "../base/lock.h"
#include "../base/memory.h"

#include "sensortime/message_cache.h"

_Static_assert(sizeof(snt_message_cache_stats) == 48, "frozen");

struct snt_message_cache {
    snt__lock lock;
    snt_sample *ring;
    uint32_t mask, capacity;
    uint32_t head, tail;
    uint32_t domain, adopt, session;
    uint64_t in, evicted, reset, refused, late;
    snt_epoch *epoch;
    snt_allocator allocator;
};

static const snt_message_cache_config cache_defaults = {.capacity = 128};

void snt_message_cache_config_init(snt_message_cache_config *config, size_t size)
{
    snt__config_init(config, size, &cache_defaults, sizeof cache_defaults);
}

snt_status snt_message_cache_create(const snt_message_cache_config *config, const snt_allocator *allocator,
                                    snt_message_cache **out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_message_cache_config cfg = cache_defaults;
    snt_allocator memory;
    snt_status status =
        snt__config_read(&cfg, sizeof cfg, SNT_END_OF(snt_message_cache_config, epoch), config);
    if (status >= 0)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    if (cfg.reserved)
        return SNT_ERR_INVALID_ARG;
    if (cfg.capacity < 1 || cfg.capacity > 1u << 24)
        return SNT_ERR_RANGE;
    const uint32_t room = snt__pow2_at_least(cfg.capacity + 1);
    snt__slab slab = {0};
    snt__slab_take(&slab, 1, sizeof(snt_message_cache), SNT_CACHE_LINE);
    snt__slab_take(&slab, room, sizeof(snt_sample), SNT_CACHE_LINE);
    slab = (snt__slab){.base = snt__alloc(&memory, slab.used, SNT_CACHE_LINE)};
    snt_message_cache *cache = slab.base ? snt__slab_take(&slab, 1, sizeof *cache, SNT_CACHE_LINE) : NULL;
    if (!cache)
        return SNT_ERR_NO_MEMORY;
    cache->ring = snt__slab_take(&slab, room, sizeof(snt_sample), SNT_CACHE_LINE);
    if (snt__lock_init(&cache->lock)) {
        snt__free(&memory, cache);
        return SNT_ERR_NO_MEMORY;
    }
    cache->mask = room - 1;
    cache->capacity = cfg.capacity;
    cache->domain = cfg.domain;
    cache->adopt = !cfg.domain;
    cache->epoch = snt_epoch_ref(cfg.epoch);
    cache->session = snt_epoch_session(cfg.epoch);
    cache->allocator = memory;
    *out = cache;
    return SNT_OK;
}

void snt_message_cache_destroy(snt_message_cache *cache)
{
    if (!cache)
        return;
    snt_epoch_unref(cache->epoch);
    snt__lock_destroy(&cache->lock);
    const snt_allocator memory = cache->allocator;
    snt__free(&memory, cache);
}

static snt_sample *cache_at(const snt_message_cache *cache, uint32_t i)
{
    return &cache->ring[i & cache->mask];
}

static void cache_enter(snt_message_cache *cache)
{
    snt__lock_acquire(&cache->lock);
    const uint32_t session = snt_epoch_session(cache->epoch);
    if (session == cache->session)
        return;
    cache->reset += cache->tail - cache->head;
    cache->head = cache->tail;
    cache->session = session;
}

/* First position with t0 >= t (or > t). */
static uint32_t cache_search(const snt_message_cache *cache, snt_time t, bool after)
{
    uint32_t lo = cache->head, hi = cache->tail;
    while (lo != hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        const snt_time x = cache_at(cache, mid)->t0_ns;
        if (x < t || (after && x == t))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static snt_status cache_admit(snt_message_cache *cache, const snt_sample *sample)
{
    if (cache->adopt) {
        cache->domain = sample->domain;
        cache->adopt = 0;
    }
    if (sample->domain != cache->domain)
        return SNT_ERR_DOMAIN;
    if (cache->epoch && sample->session && (int32_t)(sample->session - cache->session) < 0)
        return SNT_ERR_SESSION;
    return SNT_OK;
}

static void cache_insert(snt_message_cache *cache, const snt_sample *sample)
{
    uint32_t at = cache->tail++;
    while (at != cache->head && cache_at(cache, at - 1)->t0_ns > sample->t0_ns) {
        *cache_at(cache, at) = *cache_at(cache, at - 1);
        at--;
    }
    cache->late += at + 1 != cache->tail;
    *cache_at(cache, at) = *sample;
    cache->in++;
}

snt_status snt_message_cache_add(snt_message_cache *cache, const snt_sample *sample, snt_sample *evicted,
                                 uint32_t *has_evicted)
{
    if (!cache || !sample || sample->t1_ns < sample->t0_ns)
        return SNT_ERR_INVALID_ARG;
    cache_enter(cache);
    const snt_status status = cache_admit(cache, sample);
    bool pushed = false;
    snt_sample gone = {0};
    if (status < 0)
        cache->refused++;
    else {
        cache_insert(cache, sample);
        if (cache->tail - cache->head > cache->capacity) {
            gone = *cache_at(cache, cache->head++);
            cache->evicted++;
            pushed = true;
        }
    }
    snt__lock_release(&cache->lock);
    if (has_evicted && status >= 0)
        *has_evicted = pushed;
    if (pushed && evicted)
        *evicted = gone;
    return status;
}

static snt_status cache_give(snt_message_cache *cache, uint32_t first, uint32_t end, snt_sample *samples,
                             uint32_t capacity, uint32_t *count)
{
    const uint32_t n = end - first, fits = n < capacity ? n : capacity;
    for (uint32_t i = 0; i < fits; i++)
        samples[i] = *cache_at(cache, first + i);
    snt__lock_release(&cache->lock);
    *count = n;
    return !n ? SNT_EMPTY : fits < n ? SNT_ERR_BUFFER_TOO_SMALL : SNT_OK;
}

snt_status snt_message_cache_interval(snt_message_cache *cache, snt_time lo, snt_time hi, snt_sample *samples,
                                      uint32_t capacity, uint32_t *count)
{
    if (!cache || !count || (capacity && !samples))
        return SNT_ERR_INVALID_ARG;
    cache_enter(cache);
    const uint32_t first = cache_search(cache, lo, false);
    const uint32_t end = hi < lo ? first : cache_search(cache, hi, true);
    return cache_give(cache, first, end, samples, capacity, count);
}

snt_status snt_message_cache_surrounding(snt_message_cache *cache, snt_time lo, snt_time hi,
                                         snt_sample *samples, uint32_t capacity, uint32_t *count)
{
    if (!cache || !count || (capacity && !samples))
        return SNT_ERR_INVALID_ARG;
    cache_enter(cache);
    uint32_t first = cache_search(cache, lo, true);
    first -= first != cache->head;
    uint32_t end = cache_search(cache, hi, false);
    end += end != cache->tail;
    if (hi < lo || end - cache->head < first - cache->head)
        end = first;
    return cache_give(cache, first, end, samples, capacity, count);
}

static snt_status cache_one(snt_message_cache *cache, bool any, uint32_t at, snt_sample *sample)
{
    if (any)
        *sample = *cache_at(cache, at);
    snt__lock_release(&cache->lock);
    return any ? SNT_OK : SNT_EMPTY;
}

snt_status snt_message_cache_before(snt_message_cache *cache, snt_time t, uint32_t boundary,
                                    snt_sample *sample)
{
    if (!cache || !sample || boundary > SNT_CACHE_CLOSED)
        return SNT_ERR_INVALID_ARG;
    cache_enter(cache);
    const uint32_t at = cache_search(cache, t, boundary == SNT_CACHE_CLOSED);
    return cache_one(cache, at != cache->head, at - 1, sample);
}

snt_status snt_message_cache_after(snt_message_cache *cache, snt_time t, uint32_t boundary,
                                   snt_sample *sample)
{
    if (!cache || !sample || boundary > SNT_CACHE_CLOSED)
        return SNT_ERR_INVALID_ARG;
    cache_enter(cache);
    const uint32_t at = cache_search(cache, t, boundary == SNT_CACHE_OPEN);
    return cache_one(cache, at != cache->tail, at, sample);
}

snt_status snt_message_cache_latest(snt_message_cache *cache, snt_sample *sample)
{
    if (!cache || !sample)
        return SNT_ERR_INVALID_ARG;
    cache_enter(cache);
    return cache_one(cache, cache->head != cache->tail, cache->tail - 1, sample);
}

snt_status snt_message_cache_oldest(snt_message_cache *cache, snt_sample *sample)
{
    if (!cache || !sample)
        return SNT_ERR_INVALID_ARG;
    cache_enter(cache);
    return cache_one(cache, cache->head != cache->tail, cache->head, sample);
}

snt_status snt_message_cache_clear(snt_message_cache *cache)
{
    if (!cache)
        return SNT_ERR_INVALID_ARG;
    cache_enter(cache);
    cache->reset += cache->tail - cache->head;
    cache->head = cache->tail;
    snt__lock_release(&cache->lock);
    return SNT_OK;
}

snt_status snt_message_cache_get_stats(snt_message_cache *cache, snt_message_cache_stats *stats)
{
    if (!cache || !stats)
        return SNT_ERR_INVALID_ARG;
    cache_enter(cache);
    *stats = (snt_message_cache_stats){.in = cache->in,
                                       .held = cache->tail - cache->head,
                                       .evicted = cache->evicted,
                                       .reset = cache->reset,
                                       .refused = cache->refused,
                                       .late = cache->late};
    snt__lock_release(&cache->lock);
    return SNT_OK;
}
