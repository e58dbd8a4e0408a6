/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

#include <math.h>

_Static_assert(sizeof(snt_device_health) == 320, "frozen");

static const snt_device_clock_config device_defaults = {
    .struct_size = sizeof(snt_device_clock_config),
    .counter_bits = 64,
    .tick_num_ns = 1,
    .tick_den = 1,
    .locked_error_ns = SNT_UNKNOWN,
    .event = SNT_EVENT_INSTANT,
    .reset_confirm = 3,
    .auto_restart = 1,
    .device_quantum_ns = SNT_UNKNOWN,
};

void snt_device_clock_config_init(snt_device_clock_config *cfg, size_t size)
{
    snt_device_clock_config defaults = device_defaults;
    snt_clock_map_config map;
    snt_clock_map_config_init(&map, sizeof map);
    defaults.device_domain = map.device_domain;
    defaults.host_domain = map.host_domain;
    defaults.max_vertices = map.max_vertices;
    defaults.versions = map.versions;
    defaults.device_rounding = map.device_rounding;
    defaults.warm_observations = map.warm_observations;
    defaults.suspect_window = map.suspect_window;
    defaults.rate_bound_ppb = map.rate_bound_ppb;
    defaults.wander_ppb_s = map.wander_ppb_s;
    defaults.delay_min_ns = map.delay_min_ns;
    defaults.delay_max_ns = map.delay_max_ns;
    defaults.command_min_ns = map.command_min_ns;
    defaults.command_max_ns = map.command_max_ns;
    defaults.host_error_ns = map.host_error_ns;
    defaults.warm_span_ns = map.warm_span_ns;
    defaults.valid_width_ns = map.valid_width_ns;
    defaults.holdover_after_ns = map.holdover_after_ns;
    defaults.horizon_ns = map.horizon_ns;
    snt__config_init(cfg, size, &defaults, sizeof defaults);
}

static void device_map_config(const snt_device_clock_config *cfg, snt_clock_map_config *map)
{
    snt_clock_map_config_init(map, sizeof *map);
    map->device_domain = cfg->device_domain;
    map->host_domain = cfg->host_domain;
    map->max_vertices = cfg->max_vertices;
    map->versions = cfg->versions;
    map->device_rounding = cfg->device_rounding;
    map->warm_observations = cfg->warm_observations;
    map->suspect_window = cfg->suspect_window;
    map->rate_bound_ppb = cfg->rate_bound_ppb;
    map->wander_ppb_s = cfg->wander_ppb_s;
    map->delay_min_ns = cfg->delay_min_ns;
    map->delay_max_ns = cfg->delay_max_ns;
    map->command_min_ns = cfg->command_min_ns;
    map->command_max_ns = cfg->command_max_ns;
    map->device_quantum_ns = cfg->device_quantum_ns;
    map->host_error_ns = cfg->host_error_ns;
    map->warm_span_ns = cfg->warm_span_ns;
    map->valid_width_ns = cfg->valid_width_ns;
    map->holdover_after_ns = cfg->holdover_after_ns;
    map->horizon_ns = cfg->horizon_ns;
    map->epoch = cfg->epoch;
}

/*
 * How old a packet may be where nobody said. Well above the longest delay declared, so that a packet somewhat too late
 * reaches the map, which proves it with an amount, and so do replies and triggers, for which that limit does not hold.
 */
static int64_t device_default_latency(const snt_device_clock_config *cfg, int64_t period_ns)
{
    int64_t latency = 10 * SNT_NS_PER_S;
    if (cfg->delay_max_ns >= 0 && cfg->delay_max_ns < SNT_NS_PER_S && cfg->host_error_ns >= 0 &&
        cfg->host_error_ns < SNT_NS_PER_S) {
        const int64_t declared = 10 * (cfg->delay_max_ns + cfg->host_error_ns);
        latency = declared < SNT_NS_PER_S ? SNT_NS_PER_S : declared < latency ? declared : latency;
    }
    return latency < period_ns / 8 ? latency : period_ns / 8;
}

/* Read and complete a config: the counter's own resolution, and how old a packet may be. */
static snt_status device_read_config(const snt_device_clock_config *given, snt_device_clock_config *cfg,
                                     snt__unwrap *counter)
{
    snt_device_clock_config_init(cfg, sizeof *cfg);
    const snt_status status =
        snt__config_read(cfg, sizeof *cfg, SNT_END_OF(snt_device_clock_config, epoch), given);
    if (status < 0)
        return status;
    const snt_tick_unwrapper_config ticks = {.struct_size = sizeof ticks,
                                             .counter_bits = cfg->counter_bits,
                                             .modulus = cfg->counter_modulus,
                                             .tick_num_ns = cfg->tick_num_ns,
                                             .tick_den = cfg->tick_den,
                                             .reorder_ticks = cfg->reorder_ticks};
    if (snt__unwrap_init(counter, &ticks) < 0 || cfg->latency_ns < 0 || cfg->locked_error_ns < 0 ||
        !cfg->reset_confirm || cfg->auto_restart > 1 || cfg->event > SNT_EVENT_INPUTS || cfg->reserved)
        return SNT_ERR_INVALID_ARG;
    if (cfg->device_quantum_ns == SNT_UNKNOWN) {
        /* ticks cut off, and where they are no whole ns the reading in ns is cut off once more */
        const int64_t whole = (cfg->tick_num_ns - 1) / cfg->tick_den + 1;
        cfg->device_quantum_ns = whole + (cfg->tick_num_ns % cfg->tick_den != 0);
    }
    if (!cfg->latency_ns)
        cfg->latency_ns = device_default_latency(cfg, counter->period_ns);
    if (counter->period_ns != SNT_UNKNOWN && cfg->latency_ns >= counter->period_ns / 2)
        return SNT_ERR_INVALID_ARG;
    return SNT_OK;
}

snt_status snt_device_clock_create(const snt_device_clock_config *given, const snt_allocator *allocator,
                                   snt_device_clock **out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_device_clock_config cfg;
    snt__unwrap counter;
    snt_allocator memory;
    snt_status status = device_read_config(given, &cfg, &counter);
    if (status == SNT_OK)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    snt_clock_map_config map_cfg;
    device_map_config(&cfg, &map_cfg);
    snt_clock_map *map;
    status = snt_clock_map_create(&map_cfg, &memory, &map);
    if (status < 0)
        return status;
    snt_device_clock *clock = snt__alloc(&memory, sizeof *clock, SNT_CACHE_LINE);
    if (!clock || snt__lock_init(&clock->lock)) {
        snt__free(&memory, clock);
        snt_clock_map_destroy(map);
        return SNT_ERR_NO_MEMORY;
    }
    clock->allocator = memory;
    clock->cfg = cfg;
    clock->cfg.epoch = NULL; /* the map holds it */
    clock->map = map;
    clock->latency = cfg.latency_ns;
    clock->plain = clock->arrivals = clock->stamps = clock->fresh = counter;
    clock->restart_reason = SNT_EPOCH_USER;
    *out = clock;
    return SNT_OK;
}

void snt_device_clock_destroy(snt_device_clock *clock)
{
    if (!clock)
        return;
    const snt_allocator memory = clock->allocator;
    snt__lock_destroy(&clock->lock);
    snt_clock_map_destroy(clock->map);
    snt__free(&memory, clock);
}

uint32_t snt_device_clock_session(const snt_device_clock *clock)
{
    return clock ? snt_clock_map_session(clock->map) : 0;
}

const snt_clock_map *snt_device_clock_map(const snt_device_clock *clock)
{
    return clock ? clock->map : NULL;
}

void snt__device_restart(snt_device_clock *clock, uint32_t reason)
{
    snt__unwrap_restart(&clock->arrivals);
    snt__unwrap_restart(&clock->stamps);
    snt__unwrap_restart(&clock->fresh);
    clock->last.known = clock->fresh_last.known = false;
    clock->fresh_count = 0;
    clock->count.rollovers = 0;
    snt_clock_map_restart(clock->map, reason, NULL);
}

snt_status snt__device_enter(snt_device_clock *clock, uint32_t session, bool observing)
{
    snt__lock_acquire(&clock->lock);
    const uint32_t state = clock->map->now.state;
    const bool moved = snt_epoch_session(clock->map->epoch) != clock->map->now.session;
    if (observing && clock->cfg.auto_restart && (moved || state == SNT_CLOCK_INVALID))
        snt__device_restart(clock, moved ? snt_epoch_reason(clock->map->epoch) : clock->restart_reason);
    const uint32_t current = snt_epoch_session(clock->map->epoch);
    snt_status status = SNT_OK;
    if (current != clock->map->now.session || (session && session != current)) {
        clock->count.wrong_session++;
        status = SNT_ERR_SESSION;
    } else if (clock->map->now.state == SNT_CLOCK_INVALID) {
        clock->count.invalid++;
        status = SNT_ERR_INVALID_STATE;
    }
    if (status < 0)
        snt__lock_release(&clock->lock);
    return status;
}

void snt__device_leave(snt_device_clock *clock)
{
    snt__lock_release(&clock->lock);
}

snt_status snt_device_clock_notify(snt_device_clock *clock, uint32_t event)
{
    if (!clock || event > SNT_EPOCH_USER)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&clock->lock);
    const snt_status status = snt_clock_map_invalidate(clock->map, event);
    clock->restart_reason = event;
    snt__lock_release(&clock->lock);
    return status;
}

snt_status snt_device_clock_restart(snt_device_clock *clock, uint32_t reason, uint32_t *session)
{
    if (!clock || reason > SNT_EPOCH_USER)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&clock->lock);
    const uint32_t state = clock->map->now.state;
    const bool moved = snt_epoch_session(clock->map->epoch) != clock->map->now.session;
    const bool may = moved || state == SNT_CLOCK_INVALID || state == SNT_CLOCK_UNINIT;
    if (may) {
        snt__device_restart(clock, reason);
        if (session)
            *session = clock->map->now.session;
    }
    snt__lock_release(&clock->lock);
    return may ? SNT_OK : SNT_ERR_INVALID_STATE;
}

snt_status snt_device_clock_health(snt_device_clock *clock, snt_time now_ns, snt_device_health *out)
{
    if (!clock || !out)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&clock->lock);
    snt_device_health h = clock->count;
    int64_t device = SNT_UNKNOWN;
    if (now_ns != SNT_UNKNOWN) {
        snt_clock_mapping open = clock->map->now;
        open.horizon_ns = SNT_UNKNOWN;
        snt_bounded_time at;
        if (snt__mapping_to_device(&open, now_ns, &at) == SNT_OK)
            device = at.t;
    }
    snt_clock_map_health(clock->map, device, &h.map);
    h.last_reading_ns = clock->last.known ? clock->last.device : SNT_UNKNOWN;
    h.last_receive_ns = clock->last.known ? clock->last.host : SNT_UNKNOWN;
    snt__lock_release(&clock->lock);
    *out = h;
    return SNT_OK;
}

snt_status snt_device_clock_audit(snt_device_clock *clock, snt_clock_audit *out)
{
    if (!clock)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&clock->lock);
    const snt_status status = snt_clock_map_audit(clock->map, out);
    snt__lock_release(&clock->lock);
    return status;
}
