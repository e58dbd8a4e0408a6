/* SPDX-License-Identifier: BSD-3-Clause */
/* The message filter's creation, counters and text. */
#include "filter_internal.h"

#include "../tf/tf_text.h"
#include "sync_text.h"

static const snt_message_filter_config filter_defaults = {.capacity = 10, .max_targets = 4};

void snt_message_filter_config_init(snt_message_filter_config *config, size_t size)
{
    snt__config_init(config, size, &filter_defaults, sizeof filter_defaults);
}

uint32_t snt_message_filter_suggest_capacity(snt_duration period, snt_duration delay, uint32_t margin)
{
    if (period < 1 || delay < 0)
        return 0;
    const int64_t n = delay / period + (delay % period != 0);
    const uint32_t most = 1u << 20;
    if (n >= most || margin >= most - (uint32_t)n)
        return most;
    return (uint32_t)n + margin ? (uint32_t)n + margin : 1;
}

static snt_status admin_read(const snt_message_filter_config *config, snt_message_filter_config *cfg)
{
    *cfg = filter_defaults;
    const snt_status status =
        snt__config_read(cfg, sizeof *cfg, SNT_END_OF(snt_message_filter_config, epoch), config);
    if (status < 0)
        return status;
    if (cfg->overflow > SNT_OVERFLOW_KEEP_LONGEST || cfg->flags > 7)
        return SNT_ERR_INVALID_ARG;
    if (cfg->capacity < 1 || cfg->capacity > 1u << 20 || cfg->undrained > 1u << 20 || cfg->max_targets < 1 ||
        cfg->max_targets > SNT_FILTER_MAX_TARGETS || cfg->wait_timeout_ns < 0 || cfg->max_age_ns < 0)
        return SNT_ERR_RANGE;
    return SNT_OK;
}

static snt_message_filter *admin_carve(snt__slab *slab, uint32_t slots, uint32_t targets, uint32_t table)
{
    snt_message_filter *f = snt__slab_take(slab, 1, sizeof *f, SNT_CACHE_LINE);
    snt__filter_slot *slot = snt__slab_take(slab, slots, sizeof *slot, SNT_CACHE_LINE);
    snt__filter_node *nodes = snt__slab_take(slab, (size_t)2 * slots, sizeof *nodes, SNT_CACHE_LINE);
    snt_tf_result *results =
        snt__slab_take(slab, (size_t)slots * 2 * targets, sizeof *results, SNT_CACHE_LINE);
    uint32_t *ready = snt__slab_take(slab, slots, sizeof *ready, SNT_CACHE_LINE);
    snt__filter_edge *edges = snt__slab_take(slab, (size_t)2 * slots, sizeof *edges, SNT_CACHE_LINE);
    uint32_t *buckets = snt__slab_take(slab, table, sizeof *buckets, SNT_CACHE_LINE);
    if (f) {
        f->slots = slot;
        f->nodes = nodes;
        f->results = results;
        f->ready = ready;
        f->edges = edges;
        f->table = buckets;
        f->table_mask = table - 1;
    }
    return f;
}

snt_status snt_message_filter_create(snt_tf_buffer *buffer, const snt_message_filter_config *config,
                                     const snt_allocator *allocator, snt_message_filter **out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_message_filter_config cfg;
    snt_allocator memory;
    if (!buffer)
        return SNT_ERR_INVALID_ARG;
    snt_status status = admin_read(config, &cfg);
    if (status >= 0)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    const uint32_t slots = cfg.capacity + 1 + (cfg.undrained ? cfg.undrained : cfg.capacity + 16);
    const uint32_t table = snt__pow2_at_least(4 * slots);
    snt__slab slab = {0};
    admin_carve(&slab, slots, cfg.max_targets, table);
    slab = (snt__slab){.base = snt__alloc(&memory, slab.used, SNT_CACHE_LINE)};
    if (!slab.base)
        return SNT_ERR_NO_MEMORY;
    snt_message_filter *f = admin_carve(&slab, slots, cfg.max_targets, table);
    if (snt__lock_init(&f->lock)) {
        snt__free(&memory, f);
        return SNT_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < slots; i++)
        f->slots[i].next = i + 1 < slots ? i + 1 : SNT__FILTER_NONE;
    for (uint32_t i = 0; i < table; i++)
        f->table[i] = SNT__FILTER_NONE;
    f->buffer = buffer;
    f->slot_count = slots;
    f->held_head = f->held_tail = SNT__FILTER_NONE;
    f->capacity = cfg.capacity;
    f->overflow = cfg.overflow;
    f->flags = cfg.flags;
    f->max_targets = cfg.max_targets;
    f->timeout = cfg.wait_timeout_ns;
    f->max_age = cfg.max_age_ns;
    f->tolerance = cfg.tolerance_ns;
    f->now = f->last_stamp = f->period = SNT_UNKNOWN;
    f->oldest_stamp = INT64_MAX;
    f->epoch = snt_epoch_ref(cfg.epoch);
    f->session = snt_epoch_session(cfg.epoch);
    f->allocator = memory;
    *out = f;
    return SNT_OK;
}

void snt_message_filter_destroy(snt_message_filter *f)
{
    if (!f)
        return;
    snt_epoch_unref(f->epoch);
    snt__lock_destroy(&f->lock);
    const snt_allocator memory = f->allocator;
    snt__free(&memory, f);
}

snt_status snt_message_filter_stats(snt_message_filter *f, snt_filter_stats *stats)
{
    if (!f || !stats)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&f->lock);
    *stats = (snt_filter_stats){.in = f->in,
                                .out = f->out,
                                .held = (uint64_t)f->waiting + f->ready_count,
                                .waiting = f->waiting,
                                .at_once = f->at_once,
                                .looked_up = f->looked_up,
                                .refused = f->refused,
                                .blocking_edges = f->edge_count,
                                .period_ns = f->period,
                                .longest_wait_ns = f->longest_wait};
    if (f->period != SNT_UNKNOWN && f->period > 0)
        stats->suggested_capacity = snt_message_filter_suggest_capacity(f->period, f->longest_wait, 2);
    memcpy(stats->dropped, f->dropped, sizeof f->dropped);
    snt__lock_release(&f->lock);
    return SNT_OK;
}

snt_status snt_message_filter_check(snt_message_filter *f)
{
    if (!f)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&f->lock);
    uint32_t count[4] = {0}, held = 0, lost = 0;
    uint64_t sum = f->out;
    for (uint32_t i = 0; i < f->slot_count; i++)
        count[f->slots[i].state & 3]++;
    for (uint32_t i = f->held_head; i != SNT__FILTER_NONE && held <= f->slot_count; i = f->slots[i].next) {
        held++;
        /* whoever waits hangs somewhere, and its edge is in the table */
        const snt__filter_node *node = &f->nodes[2 * i];
        if (f->slots[i].state == SNT__FILTER_WAITING)
            lost += !node->linked || snt__filter_find_edge(f, node->child) == SNT__FILTER_NONE;
    }
    for (uint32_t i = 0; i < SNT_DROP_COUNT; i++)
        sum += f->dropped[i];
    const bool good = !lost && count[SNT__FILTER_WAITING] == f->waiting &&
                      count[SNT__FILTER_READY] == f->ready_count && held == f->waiting + f->ready_count &&
                      count[SNT__FILTER_DROPPED] == f->drop_count && f->in == sum + held;
    snt__lock_release(&f->lock);
    return good ? SNT_OK : SNT_ERR_VIOLATION;
}

snt_status snt_filter_drop_format(const snt_tf_buffer *buffer, const snt_filter_drop *drop, char *text,
                                  size_t size)
{
    if (!buffer || !drop || !text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);
    snt__print_string(&out, "token ");
    snt__print_unsigned(&out, drop->sample.token);
    snt__print_string(&out, ", ");
    snt__print_time(&out, drop->sample.t0_ns);
    snt__print_drop(&out, drop->reason, drop->cause);
    snt__print_known(&out, "; waited ", drop->waited_ns);
    snt__print_known(&out, "; age ", drop->age_ns);
    if (drop->miss.reason) {
        snt__print_string(&out, "; ");
        snt__tf_print_miss(&out, buffer, &drop->miss);
    }
    return snt__print_end(&out);
}
