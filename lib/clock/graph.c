/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock graph's store: making it, changing it, reading a version of it. */
#include "graph.h"

#include "../stamp/stamp.h"

_Static_assert(sizeof(snt_clock_fact) == 64, "frozen");
_Static_assert(sizeof(snt_clock_edge) == 16, "frozen");
_Static_assert(sizeof(snt_clock_report) == 160, "frozen");

static snt_clock_graph_config graph_defaults(void)
{
    return (snt_clock_graph_config){
        .struct_size = sizeof(snt_clock_graph_config), .max_edges = 32, .max_paths = 16};
}

void snt_clock_graph_config_init(snt_clock_graph_config *cfg, size_t size)
{
    const snt_clock_graph_config defaults = graph_defaults();
    snt__config_init(cfg, size, &defaults, sizeof defaults);
}

static snt_clock_graph *graph_layout(snt__slab *slab, uint32_t max_edges)
{
    snt_clock_graph *graph = snt__slab_take(slab, 1, sizeof *graph, SNT_CACHE_LINE);
    _Atomic uint32_t *counters = snt__slab_take(slab, SNT__GRAPH_SLOTS + 1, sizeof *counters, SNT_CACHE_LINE);
    if (graph) {
        graph->current = counters;
        graph->readers = counters + 1;
    }
    for (int i = 0; i < SNT__GRAPH_SLOTS; i++) {
        snt__graph_edge *edges = snt__slab_take(slab, max_edges, sizeof *edges, SNT_CACHE_LINE);
        uint32_t *domains = snt__slab_take(slab, 2 * (size_t)max_edges, sizeof *domains, sizeof *domains);
        if (graph) {
            graph->versions[i].edges = edges;
            graph->versions[i].domains = domains;
        }
    }
    return graph;
}

static snt_status graph_connect_scales(snt_clock_graph *graph)
{
    const snt_status status = snt_clock_graph_add_scale(graph, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, NULL);
    return status < 0 ? status : snt_clock_graph_add_scale(graph, SNT_DOMAIN_TAI, SNT_DOMAIN_GPS, NULL);
}

/* The caller's config, checked; its leap table is never NULL. */
static snt_status graph_config(const snt_clock_graph_config *given, snt_clock_graph_config *out)
{
    *out = graph_defaults();
    const snt_status status =
        snt__config_read(out, sizeof *out, SNT_END_OF(snt_clock_graph_config, leap_table), given);
    if (status < 0)
        return status;
    out->leap_table = snt__leap_table(out->leap_table);
    if (out->max_edges < 1 || out->max_edges > SNT__GRAPH_MAX_EDGES || out->max_paths < 1 ||
        out->max_paths > 64 || out->without_scales > 1 || !out->leap_table)
        return SNT_ERR_INVALID_ARG;
    return !out->without_scales && out->max_edges < 2 ? SNT_ERR_FULL : SNT_OK;
}

snt_status snt_clock_graph_size(const snt_clock_graph_config *cfg, uint64_t *out)
{
    snt_clock_graph_config config;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = graph_config(cfg, &config);
    if (status < 0)
        return status;
    snt__slab slab = {0};
    graph_layout(&slab, config.max_edges);
    *out = slab.used;
    return SNT_OK;
}

snt_status snt_clock_graph_create(const snt_clock_graph_config *cfg, const snt_allocator *allocator,
                                  snt_clock_graph **out)
{
    snt_clock_graph_config config;
    snt_allocator memory;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_status status = graph_config(cfg, &config);
    if (status < 0)
        return status;
    status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    snt__slab slab = {0};
    graph_layout(&slab, config.max_edges);
    slab = (snt__slab){.base = snt__alloc(&memory, slab.used, SNT_CACHE_LINE)};
    if (!slab.base)
        return SNT_ERR_NO_MEMORY;
    snt_clock_graph *graph = graph_layout(&slab, config.max_edges);
    if (snt__lock_init(&graph->lock) != 0) {
        snt__free(&memory, graph);
        return SNT_ERR_NO_MEMORY;
    }
    graph->allocator = memory;
    graph->max_edges = config.max_edges;
    graph->max_paths = config.max_paths;
    atomic_init(graph->current, 0);
    for (int i = 0; i < SNT__GRAPH_SLOTS; i++)
        atomic_init(&graph->readers[i], 0);
    graph->versions[0].leap = *config.leap_table;
    graph->versions[0].next_id = 1;
    if (!config.without_scales)
        status = graph_connect_scales(graph);
    if (status < 0) {
        snt_clock_graph_destroy(graph);
        return status;
    }
    *out = graph;
    return SNT_OK;
}

void snt_clock_graph_destroy(snt_clock_graph *graph)
{
    if (!graph)
        return;
    const snt_allocator memory = graph->allocator;
    snt__lock_destroy(&graph->lock);
    snt__free(&memory, graph);
}

/* ---- readers ---- */

const snt__graph_version *snt__graph_enter(const snt_clock_graph *graph, uint32_t *slot)
{
    for (int i = 0; i < SNT__GRAPH_ATTEMPTS; i++) {
        const uint32_t at = atomic_load(graph->current);
        atomic_fetch_add(&graph->readers[at], 1);
        if (atomic_load(graph->current) == at) {
            *slot = at;
            return &graph->versions[at];
        }
        atomic_fetch_sub(&graph->readers[at], 1);
    }
    return NULL;
}

void snt__graph_leave(const snt_clock_graph *graph, uint32_t slot)
{
    atomic_fetch_sub(&graph->readers[slot], 1);
}

uint32_t snt__graph_domain(const snt__graph_version *version, uint32_t domain)
{
    for (uint32_t i = 0; i < version->domain_count; i++)
        if (version->domains[i] == domain)
            return i;
    return UINT32_MAX;
}

/* ---- writers ---- */

/* A draft that starts as a copy of the current version. The lock is held from here to graph_end. */
static snt__graph_version *graph_begin(snt_clock_graph *graph, uint32_t *slot)
{
    snt__lock_acquire(&graph->lock);
    const uint32_t current = atomic_load(graph->current);
    for (uint32_t i = 0; i < SNT__GRAPH_SLOTS; i++) {
        if (i == current || atomic_load(&graph->readers[i]) != 0)
            continue;
        const snt__graph_version *from = &graph->versions[current];
        snt__graph_version *draft = &graph->versions[i];
        draft->count = from->count;
        draft->next_id = from->next_id;
        draft->leap = from->leap;
        memcpy(draft->edges, from->edges, from->count * sizeof *from->edges);
        *slot = i;
        return draft;
    }
    snt__lock_release(&graph->lock);
    return NULL;
}

/* List the domains anew and point the edges at them. */
static void graph_index(snt__graph_version *draft)
{
    draft->domain_count = 0;
    for (uint32_t i = 0; i < draft->count; i++) {
        const uint32_t ends[2] = {draft->edges[i].from, draft->edges[i].to};
        uint32_t indices[2];
        for (int k = 0; k < 2; k++) {
            indices[k] = snt__graph_domain(draft, ends[k]);
            if (indices[k] == UINT32_MAX) {
                indices[k] = draft->domain_count;
                draft->domains[draft->domain_count++] = ends[k];
            }
        }
        draft->edges[i].from_index = indices[0];
        draft->edges[i].to_index = indices[1];
    }
}

/* Publish the draft if all went well, and let the next writer in. */
static snt_status graph_end(snt_clock_graph *graph, uint32_t slot, snt_status status)
{
    if (status == SNT_OK) {
        graph_index(&graph->versions[slot]);
        atomic_store(graph->current, slot);
    }
    snt__lock_release(&graph->lock);
    return status;
}

static snt__graph_edge *graph_find(snt__graph_version *version, uint32_t id, uint32_t kind)
{
    for (uint32_t i = 0; i < version->count; i++)
        if (version->edges[i].id == id && (kind == 0 || version->edges[i].kind == kind))
            return &version->edges[i];
    return NULL;
}

/* Add `edge`, whose kind, ends and contents are set. */
static snt_status graph_add(snt_clock_graph *graph, const snt__graph_edge *edge, uint32_t *id)
{
    uint32_t slot, number = 0;
    if (edge->from == SNT_DOMAIN_UNSPECIFIED || edge->to == SNT_DOMAIN_UNSPECIFIED)
        return SNT_ERR_INVALID_ARG;
    if (edge->from == edge->to)
        return SNT_ERR_CYCLE;
    snt__graph_version *draft = graph_begin(graph, &slot);
    if (!draft)
        return SNT_BUSY;
    snt_status status = SNT_ERR_FULL;
    if (draft->count < graph->max_edges && draft->next_id != UINT32_MAX) {
        number = draft->next_id++;
        draft->edges[draft->count] = *edge;
        draft->edges[draft->count++].id = number;
        status = SNT_OK;
    }
    status = graph_end(graph, slot, status);
    if (status == SNT_OK && id)
        *id = number;
    return status;
}

static bool graph_scale(uint32_t domain)
{
    return domain == SNT_DOMAIN_UNIX || domain == SNT_DOMAIN_TAI || domain == SNT_DOMAIN_GPS;
}

snt_status snt_clock_graph_add_scale(snt_clock_graph *graph, uint32_t from, uint32_t to, uint32_t *edge)
{
    const snt__graph_edge made = {.kind = SNT_EDGE_SCALE, .from = from, .to = to};
    if (!graph)
        return SNT_ERR_INVALID_ARG;
    if (!graph_scale(from) || !graph_scale(to))
        return SNT_ERR_DOMAIN;
    return graph_add(graph, &made, edge);
}

static snt_status graph_check_fact(const snt_clock_fact *fact)
{
    if (fact->reserved != 0 || fact->from == SNT_DOMAIN_UNSPECIFIED || fact->to == SNT_DOMAIN_UNSPECIFIED)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(fact->at_ns) || !snt__time_finite(fact->offset_ns) || fact->error_ns < 0 ||
        fact->error_ns == SNT_UNKNOWN || fact->drift_ppb < 0 || fact->drift_ppb > 500000000 ||
        fact->valid_from > fact->valid_until)
        return SNT_ERR_RANGE;
    return SNT_OK;
}

snt_status snt_clock_graph_add_fact(snt_clock_graph *graph, const snt_clock_fact *fact, uint32_t *edge)
{
    if (!graph || !fact)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = graph_check_fact(fact);
    if (status < 0)
        return status;
    const snt__graph_edge made = {
        .kind = SNT_EDGE_FACT, .from = fact->from, .to = fact->to, .as.fact = *fact};
    return graph_add(graph, &made, edge);
}

snt_status snt_clock_graph_add_offset(snt_clock_graph *graph, uint32_t from, uint32_t to, int64_t offset_ns,
                                      int64_t error_ns, uint32_t *edge)
{
    const snt_clock_fact fact = {.from = from,
                                 .to = to,
                                 .offset_ns = offset_ns,
                                 .error_ns = error_ns,
                                 .valid_from = SNT_TIME_INFINITE_PAST,
                                 .valid_until = SNT_TIME_INFINITE_FUTURE};
    if (!graph)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = graph_check_fact(&fact);
    if (status < 0)
        return status;
    const snt__graph_edge made = {.kind = SNT_EDGE_OFFSET, .from = from, .to = to, .as.fact = fact};
    return graph_add(graph, &made, edge);
}

snt_status snt_clock_graph_update_fact(snt_clock_graph *graph, uint32_t edge, const snt_clock_fact *fact)
{
    uint32_t slot;
    if (!graph || !fact)
        return SNT_ERR_INVALID_ARG;
    snt_status status = graph_check_fact(fact);
    if (status < 0)
        return status;
    snt__graph_version *draft = graph_begin(graph, &slot);
    if (!draft)
        return SNT_BUSY;
    snt__graph_edge *old = graph_find(draft, edge, SNT_EDGE_FACT);
    if (!old)
        status = SNT_ERR_NOT_FOUND;
    else if (old->from != fact->from || old->to != fact->to)
        status = SNT_ERR_DOMAIN;
    else
        old->as.fact = *fact;
    return graph_end(graph, slot, status);
}

snt_status snt_clock_graph_add_map(snt_clock_graph *graph, const snt_clock_map *map, uint32_t *edge)
{
    snt__graph_edge made = {.kind = SNT_EDGE_MAP, .as.map = map};
    if (!graph || !map)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt_clock_map_domains(map, &made.from, &made.to);
    return status < 0 ? status : graph_add(graph, &made, edge);
}

snt_status snt_clock_graph_add_mapping(snt_clock_graph *graph, const snt_clock_mapping *mapping,
                                       uint32_t *edge)
{
    if (!graph || !mapping)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt_clock_mapping_check(mapping);
    if (status < 0)
        return status;
    const snt__graph_edge made = {.kind = SNT_EDGE_MAPPING,
                                  .from = mapping->device_domain,
                                  .to = mapping->host_domain,
                                  .as.mapping = *mapping};
    return graph_add(graph, &made, edge);
}

snt_status snt_clock_graph_update_mapping(snt_clock_graph *graph, uint32_t edge,
                                          const snt_clock_mapping *mapping)
{
    uint32_t slot;
    if (!graph || !mapping)
        return SNT_ERR_INVALID_ARG;
    snt_status status = snt_clock_mapping_check(mapping);
    if (status < 0)
        return status;
    snt__graph_version *draft = graph_begin(graph, &slot);
    if (!draft)
        return SNT_BUSY;
    snt__graph_edge *old = graph_find(draft, edge, SNT_EDGE_MAPPING);
    if (!old)
        status = SNT_ERR_NOT_FOUND;
    else if (old->from != mapping->device_domain || old->to != mapping->host_domain)
        status = SNT_ERR_DOMAIN;
    else
        old->as.mapping = *mapping;
    return graph_end(graph, slot, status);
}

snt_status snt_clock_graph_set_leap_table(snt_clock_graph *graph, const snt_leap_table *table)
{
    uint32_t slot;
    const snt_leap_table *leap = snt__leap_table(table);
    if (!graph || !leap)
        return SNT_ERR_INVALID_ARG;
    snt__graph_version *draft = graph_begin(graph, &slot);
    if (!draft)
        return SNT_BUSY;
    draft->leap = *leap;
    return graph_end(graph, slot, SNT_OK);
}

snt_status snt_clock_graph_remove(snt_clock_graph *graph, uint32_t edge)
{
    uint32_t slot;
    if (!graph)
        return SNT_ERR_INVALID_ARG;
    snt__graph_version *draft = graph_begin(graph, &slot);
    if (!draft)
        return SNT_BUSY;
    snt__graph_edge *old = graph_find(draft, edge, 0);
    if (!old)
        return graph_end(graph, slot, SNT_ERR_NOT_FOUND);
    snt__graph_edge *end = draft->edges + draft->count--;
    memmove(old, old + 1, (size_t)(end - (old + 1)) * sizeof *old);
    return graph_end(graph, slot, SNT_OK);
}

snt_status snt_clock_graph_edges(const snt_clock_graph *graph, snt_clock_edge *edges, uint32_t capacity,
                                 uint32_t *count)
{
    uint32_t slot;
    if (!graph || !count || (capacity && !edges))
        return SNT_ERR_INVALID_ARG;
    const snt__graph_version *version = snt__graph_enter(graph, &slot);
    if (!version)
        return SNT_BUSY;
    for (uint32_t i = 0; i < version->count && i < capacity; i++) {
        const snt__graph_edge *edge = &version->edges[i];
        edges[i] = (snt_clock_edge){edge->id, edge->kind, edge->from, edge->to};
    }
    *count = version->count;
    snt__graph_leave(graph, slot);
    return SNT_OK;
}
