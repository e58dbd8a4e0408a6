/* SPDX-License-Identifier: BSD-3-Clause */
#include "map.h"

#include <math.h>

_Static_assert(sizeof(snt_clock_duration) == 32, "frozen");
_Static_assert(sizeof(snt_clock_proof) == 88, "frozen");
_Static_assert(sizeof(snt_clock_health) == 120, "frozen");
_Static_assert(sizeof(snt_clock_audit) == 128, "frozen");

static const snt_clock_map_config map_defaults = {
    .struct_size = sizeof(snt_clock_map_config),
    .device_domain = SNT_DOMAIN_USER,
    .host_domain = SNT_DOMAIN_STEADY,
    .max_vertices = 24,
    .versions = 64,
    .device_rounding = SNT_STAMP_FLOOR,
    .warm_observations = 8,
    .suspect_window = 128,
    .rate_bound_ppb = 100000,
    .wander_ppb_s = 200,
    .delay_max_ns = SNT_UNKNOWN,
    .command_max_ns = SNT_UNKNOWN,
    .valid_width_ns = SNT_UNKNOWN,
    .holdover_after_ns = 2 * SNT_NS_PER_S,
    .horizon_ns = SNT_UNKNOWN,
};

void snt_clock_map_config_init(snt_clock_map_config *cfg, size_t size)
{
    snt__config_init(cfg, size, &map_defaults, sizeof map_defaults);
}

/* A declared delay range: 0 <= min <= max, and small enough to subtract from any time. */
static bool map_delays_ok(int64_t least, int64_t most)
{
    const int64_t limit = SNT__MAP_TIME_LIMIT / 4;
    return least >= 0 && least < limit && most >= least && (most == SNT_UNKNOWN || most < limit);
}

static snt_status map_read_config(const snt_clock_map_config *given, snt_clock_map_config *cfg)
{
    *cfg = map_defaults;
    const snt_status status =
        snt__config_read(cfg, sizeof *cfg, SNT_END_OF(snt_clock_map_config, epoch), given);
    if (status < 0)
        return status;
    if (!isfinite(cfg->wander_ppb_s))
        return SNT_ERR_NON_FINITE;
    if (cfg->max_vertices < 8 || cfg->max_vertices > SNT_CLOCK_MAPPING_VERTICES || cfg->versions < 4 ||
        cfg->versions > 65536 || cfg->device_rounding > SNT_STAMP_NEAREST || cfg->rate_bound_ppb < 1 ||
        cfg->rate_bound_ppb > 500000000 || cfg->wander_ppb_s > 1e12 ||
        !map_delays_ok(cfg->delay_min_ns, cfg->delay_max_ns) ||
        !map_delays_ok(cfg->command_min_ns, cfg->command_max_ns) || cfg->device_quantum_ns < 0 ||
        cfg->device_quantum_ns > SNT_NS_PER_S || cfg->host_error_ns < 0 ||
        cfg->host_error_ns > 3600 * SNT_NS_PER_S || cfg->warm_span_ns < 0 || cfg->valid_width_ns < 0 ||
        cfg->holdover_after_ns < 0 || cfg->horizon_ns < 0)
        return SNT_ERR_INVALID_ARG;
    cfg->versions = snt__pow2_at_least(cfg->versions);
    return SNT_OK;
}

static size_t map_layout(snt_clock_map *map, const snt_clock_map_config *cfg, unsigned char *base)
{
    snt__slab slab = {base, 0};
    snt__slab_take(&slab, 1, sizeof(snt_clock_map), SNT_CACHE_LINE);
    snt__map_slot *slots = snt__slab_take(&slab, cfg->versions, sizeof(snt__map_slot), SNT_CACHE_LINE);
    if (map)
        map->slots = slots;
    return slab.used;
}

snt_status snt_clock_map_size(const snt_clock_map_config *given, uint64_t *out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    snt_clock_map_config cfg;
    const snt_status status = map_read_config(given, &cfg);
    if (status == SNT_OK)
        *out = map_layout(NULL, &cfg, NULL);
    return status;
}

void snt__map_forget(snt_clock_map *map)
{
    map->has_set = false;
    map->observations = map->cuts = map->refused = 0;
    map->first_device = map->last_device = map->last_host = map->last_cut = 0;
    map->arrivals = map->commands = map->exact = 0;
    map->mean_excess = map->mean_interval = map->batch_excess = 0;
    map->command_excess = map->command_interval = 0;
    map->last_command = 0;
    map->batch_fill = 0;
    map->batch_size = 1;
    map->refresh_at = INT64_MAX;
    map->window_fill = map->windows = 0;
    map->window_floor = map->worst_floor = map->suspicion = 0;
    memset(map->requests, 0, sizeof map->requests);
    snt__map_forget_audit(map);
    const snt_clock_map_config *cfg = &map->cfg;
    map->now = (snt_clock_mapping){.wander_ppb_s = map->wander,
                                   .rate_bound_ppb = map->rate,
                                   .stamp_before_ns = map->stamp_before,
                                   .stamp_after_ns = map->stamp_after,
                                   .holdover_after_ns = cfg->holdover_after_ns,
                                   .horizon_ns = cfg->horizon_ns,
                                   .session = snt_epoch_session(map->epoch),
                                   .device_domain = cfg->device_domain,
                                   .host_domain = cfg->host_domain};
}

/* Where an event lies around its stamp, in host time: the quantum stretched by the fastest rate, rounded up. */
static void map_quantum(snt_clock_map *map)
{
    const int64_t q = map->cfg.device_quantum_ns;
    const bool nearest = map->cfg.device_rounding == SNT_STAMP_NEAREST;
    const double stretched = (double)q * (1 + map->rate * 1e-9);
    map->stamp_before = q && nearest ? (int64_t)ceil(stretched / 2) : 0;
    map->stamp_after = q ? (int64_t)ceil(nearest ? stretched / 2 : stretched) : 0;
}

snt_status snt_clock_map_create(const snt_clock_map_config *given, const snt_allocator *allocator,
                                snt_clock_map **out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_clock_map_config cfg;
    snt_allocator memory;
    snt_status status = map_read_config(given, &cfg);
    if (status == SNT_OK)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    unsigned char *slab = snt__alloc(&memory, map_layout(NULL, &cfg, NULL), SNT_CACHE_LINE);
    if (!slab)
        return SNT_ERR_NO_MEMORY;
    snt_clock_map *map = (snt_clock_map *)(void *)slab;
    map_layout(map, &cfg, slab);
    if (cfg.epoch) {
        map->epoch = snt_epoch_ref(cfg.epoch);
    } else {
        status = snt_epoch_create(&memory, &map->epoch);
        if (status < 0) {
            snt__free(&memory, slab);
            return status;
        }
    }
    map->allocator = memory;
    map->cfg = cfg;
    map->slot_count = cfg.versions;
    map->device_domain = cfg.device_domain;
    map->host_domain = cfg.host_domain;
    map->wander = cfg.wander_ppb_s;
    map->rate = (double)cfg.rate_bound_ppb;
    map->next_request = 1;
    map_quantum(map);
    for (uint32_t i = 0; i < cfg.versions; i++) {
        for (size_t w = 0; w < SNT__MAP_WORDS; w++)
            atomic_init(&map->slots[i].words[w], 0);
        atomic_init(&map->slots[i].evidence, 0);
    }
    atomic_init(&map->head, 0);
    snt__map_forget(map);
    snt__map_set_state(map, SNT_CLOCK_UNINIT, 0);
    *out = map;
    return SNT_OK;
}

void snt_clock_map_destroy(snt_clock_map *map)
{
    if (!map)
        return;
    const snt_allocator memory = map->allocator;
    snt_epoch_unref(map->epoch);
    snt__free(&memory, map);
}

snt_status snt_clock_map_to_device(const snt_clock_map *map, snt_time host_ns, snt_bounded_time *out)
{
    if (!map || !out)
        return SNT_ERR_INVALID_ARG;
    snt_clock_mapping m;
    const snt_status status = snt__map_head(map, INT64_MIN, &m);
    return status == SNT_OK ? snt__mapping_to_device(&m, host_ns, out) : status;
}

snt_status snt_clock_map_duration(const snt_clock_map *map, int64_t from_ns, int64_t to_ns,
                                  snt_clock_duration *out)
{
    if (!map || !out)
        return SNT_ERR_INVALID_ARG;
    snt_clock_mapping m;
    const snt_status status = snt__map_head(map, from_ns < to_ns ? from_ns : to_ns, &m);
    return status == SNT_OK ? snt__mapping_duration(&m, from_ns, to_ns, out) : status;
}

snt_status snt_clock_map_to_host_at(const snt_clock_map *map, uint32_t version, int64_t device_ns,
                                    snt_bounded_time *out)
{
    if (!map || !out || !version)
        return SNT_ERR_INVALID_ARG;
    snt_clock_mapping m;
    snt_status status = snt__map_read_all(map, version, &m);
    if (status == SNT_OK)
        status = snt__mapping_answers(&m);
    return status == SNT_OK ? snt__mapping_to_host(&m, device_ns, out) : status;
}

snt_status snt_clock_map_export(const snt_clock_map *map, uint32_t version, snt_clock_mapping *out)
{
    if (!map || !out)
        return SNT_ERR_INVALID_ARG;
    snt_clock_mapping m;
    const snt_status status = snt__map_read_all(map, version, &m);
    if (status == SNT_OK)
        *out = m;
    return status;
}

snt_status snt_clock_map_to_host_smoothed(const snt_clock_map *map, int64_t device_ns, snt_bounded_time *out)
{
    if (!map || !out)
        return SNT_ERR_INVALID_ARG;
    snt_clock_mapping m;
    snt_status status = snt__map_head(map, INT64_MIN, &m);
    snt_bounded_time best;
    if (status == SNT_OK)
        status = snt__mapping_to_host(&m, device_ns, &best);
    if (status != SNT_OK)
        return status;
    /* Backwards from every version after the reading; forwards from the first one before it, which ends the walk. */
    const uint32_t session = m.session;
    int64_t anchor = m.device_anchor_ns;
    for (uint32_t version = m.version - 1; version && anchor > device_ns; version--) {
        if (snt__map_read_all(map, version, &m) != SNT_OK || m.session != session || !m.vertex_count)
            break;
        anchor = m.device_anchor_ns;
        snt_bounded_time t;
        if (m.horizon_ns != SNT_UNKNOWN)
            m.horizon_ns = SNT_UNKNOWN; /* the newest version has vouched for this time */
        if (snt__mapping_to_host(&m, device_ns, &t) != SNT_OK)
            continue;
        best.lo = t.lo > best.lo ? t.lo : best.lo;
        best.hi = t.hi < best.hi ? t.hi : best.hi;
        best.flags |= t.flags & ~(uint32_t)SNT_TIME_HOLDOVER;
    }
    best.t = best.t < best.lo ? best.lo : best.t > best.hi ? best.hi : best.t;
    *out = best;
    return SNT_OK;
}

uint32_t snt_clock_map_session(const snt_clock_map *map)
{
    return map ? snt_epoch_session(map->epoch) : 0;
}

uint32_t snt_clock_map_version(const snt_clock_map *map)
{
    return map ? atomic_load_explicit(&map->head, memory_order_acquire) : 0;
}

snt_status snt_clock_map_domains(const snt_clock_map *map, uint32_t *device_domain, uint32_t *host_domain)
{
    if (!map)
        return SNT_ERR_INVALID_ARG;
    if (device_domain)
        *device_domain = map->device_domain;
    if (host_domain)
        *host_domain = map->host_domain;
    return SNT_OK;
}
