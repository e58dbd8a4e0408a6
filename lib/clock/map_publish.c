/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Versions for concurrent readers. Version v lives in slot v modulo their number, so the ring of past versions is also what makes
 * publishing safe: a reader copies a slot, then looks at the head again. If it has moved by less than slots − 1, the
 * writer cannot have touched that slot meanwhile. All words are atomics, so even a copy that is thrown away is no data
 * race. The order is the one verified for the transform buffer: fence(release) before the words, head after them;
 * words, fence(acquire), head again on the reader's side.
 */
#include "map.h"

enum { MAP_READ_ATTEMPTS = 8 };

static uint32_t map_evidence_units(const snt_clock_mapping *m)
{
    const int64_t ahead = m->evidence_ns - m->device_anchor_ns;
    return ahead <= 0 ? 0 : ahead >> 20 > UINT32_MAX ? UINT32_MAX : (uint32_t)(ahead >> 20);
}

void snt__map_publish(snt_clock_map *map)
{
    const uint32_t version = atomic_load_explicit(&map->head, memory_order_relaxed) + 1;
    snt__map_slot *slot = &map->slots[version & (map->slot_count - 1)];
    snt_clock_mapping *m = &map->now;
    m->version = version;
    m->vertex_count = map->has_set ? map->set.count : 0;
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        m->vertices[2 * i] = map->set.x[i];
        m->vertices[2 * i + 1] = map->set.y[i];
    }
    const size_t used = offsetof(snt_clock_mapping, vertices) + m->vertex_count * 2 * sizeof(double);
    const unsigned char *bytes = (const unsigned char *)m;
    atomic_thread_fence(memory_order_release);
    for (size_t i = 0; i < used / sizeof(snt__map_word); i++) {
        snt__map_word word;
        memcpy(&word, bytes + i * sizeof word, sizeof word);
        atomic_store_explicit(&slot->words[i], word, memory_order_relaxed);
    }
    atomic_store_explicit(&slot->evidence, map_evidence_units(m), memory_order_relaxed);
    atomic_store_explicit(&map->head, version, memory_order_release);
}

void snt__map_note_evidence(snt_clock_map *map)
{
    const uint32_t version = atomic_load_explicit(&map->head, memory_order_relaxed);
    snt__map_slot *slot = &map->slots[version & (map->slot_count - 1)];
    atomic_store_explicit(&slot->evidence, map_evidence_units(&map->now), memory_order_relaxed);
}

static inline void map_load(const snt__map_slot *slot, snt_clock_mapping *out, size_t from, size_t to)
{
    unsigned char *bytes = (unsigned char *)out;
    for (size_t i = from; i < to; i++) {
        const snt__map_word word = atomic_load_explicit(&slot->words[i], memory_order_relaxed);
        memcpy(bytes + i * sizeof word, &word, sizeof word);
    }
}

/* True if the writer cannot have begun to overwrite `version` before everything loaded so far. */
static bool map_intact(const snt_clock_map *map, uint32_t version)
{
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&map->head, memory_order_relaxed) - version <= map->slot_count - 2;
}

static void map_load_evidence(const snt__map_slot *slot, snt_clock_mapping *out)
{
    const int64_t ahead = (int64_t)atomic_load_explicit(&slot->evidence, memory_order_relaxed) << 20;
    out->evidence_ns = ahead > 0 ? out->device_anchor_ns + ahead : out->evidence_ns;
}

static snt_status map_read_head(const snt_clock_map *map, int64_t device_ns, snt_clock_mapping *out)
{
    for (int attempt = 0; attempt < MAP_READ_ATTEMPTS; attempt++) {
        const uint32_t version = atomic_load_explicit(&map->head, memory_order_acquire);
        const snt__map_slot *slot = &map->slots[version & (map->slot_count - 1)];
        map_load(slot, out, 0, SNT__MAP_HEAD_WORDS / 2); /* in two, which compilers unroll */
        map_load(slot, out, SNT__MAP_HEAD_WORDS / 2, SNT__MAP_HEAD_WORDS);
        map_load_evidence(slot, out);
        if (device_ns < out->device_anchor_ns)
            map_load(slot, out, SNT__MAP_HEAD_WORDS, SNT__MAP_WORDS);
        if (SNT_LIKELY(map_intact(map, version)))
            return SNT_OK;
    }
    return SNT_BUSY;
}

snt_status snt__map_read_all(const snt_clock_map *map, uint32_t wanted, snt_clock_mapping *out)
{
    for (int attempt = 0; attempt < MAP_READ_ATTEMPTS; attempt++) {
        const uint32_t head = atomic_load_explicit(&map->head, memory_order_acquire);
        const uint32_t version = wanted ? wanted : head;
        if (!version || head - version > map->slot_count - 2) /* a future one is far behind, modulo 2^32 */
            return SNT_ERR_VERSION;
        const snt__map_slot *slot = &map->slots[version & (map->slot_count - 1)];
        map_load(slot, out, 0, SNT__MAP_WORDS);
        map_load_evidence(slot, out);
        if (map_intact(map, version)) {
            const size_t used = out->vertex_count <= SNT_CLOCK_MAPPING_VERTICES ? out->vertex_count : 0;
            memset(out->vertices + 2 * used, 0, (SNT_CLOCK_MAPPING_VERTICES - used) * 2 * sizeof(double));
            return out->version == version ? SNT_OK : SNT_ERR_VERSION;
        }
    }
    return wanted ? SNT_ERR_VERSION : SNT_BUSY;
}

snt_status snt__map_head(const snt_clock_map *map, int64_t device_ns, snt_clock_mapping *m)
{
    const snt_status status = map_read_head(map, device_ns, m);
    if (SNT_UNLIKELY(status != SNT_OK))
        return status;
    if (SNT_UNLIKELY(m->session != snt_epoch_session(map->epoch)))
        return SNT_ERR_SESSION;
    return snt__mapping_answers(m);
}

/* Eight bytes of a version, as bits. */
static inline uint64_t map_get(const snt__map_slot *slot, size_t offset)
{
    uint64_t bits;
    snt__map_word words[sizeof bits / sizeof(snt__map_word)];
    for (size_t i = 0; i < SNT_COUNT_OF(words); i++)
        words[i] = atomic_load_explicit(&slot->words[offset / sizeof words[0] + i], memory_order_relaxed);
    memcpy(&bits, words, sizeof bits);
    return bits;
}

#define MAP_GET(slot, m, field)                                                                              \
    do {                                                                                                     \
        const uint64_t bits_ = map_get(slot, offsetof(snt_clock_mapping, field));                            \
        memcpy(&(m).field, &bits_, sizeof bits_);                                                            \
    } while (0)
#define MAP_GET_PAIR(slot, m, first, second)                                                                 \
    do {                                                                                                     \
        const uint64_t bits_ = map_get(slot, offsetof(snt_clock_mapping, first));                            \
        uint32_t pair_[2];                                                                                   \
        memcpy(pair_, &bits_, sizeof pair_);                                                                 \
        (m).first = pair_[0];                                                                                \
        (m).second = pair_[1];                                                                               \
    } while (0)

/* The hot path: a reading after the anchor needs no vertices, and nothing of the version but what is used here. */
snt_status snt_clock_map_to_host(const snt_clock_map *map, int64_t device_ns, snt_bounded_time *out)
{
    if (!map || !out)
        return SNT_ERR_INVALID_ARG;
    snt_clock_mapping m;
    const uint32_t version = atomic_load_explicit(&map->head, memory_order_acquire);
    const snt__map_slot *slot = &map->slots[version & (map->slot_count - 1)];
    MAP_GET(slot, m, device_anchor_ns);
    MAP_GET(slot, m, host_anchor_ns);
    MAP_GET(slot, m, x_min_ns);
    MAP_GET(slot, m, x_max_ns);
    MAP_GET(slot, m, y_min_ppb);
    MAP_GET(slot, m, y_max_ppb);
    MAP_GET(slot, m, estimate_x_ns);
    MAP_GET(slot, m, estimate_y_ppb);
    MAP_GET(slot, m, wander_ppb_s);
    MAP_GET(slot, m, rate_bound_ppb);
    MAP_GET(slot, m, stamp_before_ns);
    MAP_GET(slot, m, stamp_after_ns);
    MAP_GET(slot, m, evidence_ns);
    MAP_GET(slot, m, holdover_after_ns);
    MAP_GET(slot, m, horizon_ns);
    MAP_GET_PAIR(slot, m, version, session);
    MAP_GET_PAIR(slot, m, state, reasons);
    MAP_GET_PAIR(slot, m, flags, device_domain);
    MAP_GET_PAIR(slot, m, host_domain, vertex_count);
    map_load_evidence(slot, &m);
    if (SNT_LIKELY(map_intact(map, version) && m.session == snt_epoch_session(map->epoch) &&
                   m.state == SNT_CLOCK_VALID && device_ns >= m.device_anchor_ns &&
                   device_ns < SNT__MAP_TIME_LIMIT)) {
        const snt__offsets o =
            snt__mapping_offsets_ahead(&m, (double)(device_ns - m.device_anchor_ns) * 1e-9);
        return snt__mapping_finish(&m, device_ns, &o, out);
    }
    snt_clock_mapping whole;
    const snt_status status = snt__map_head(map, device_ns, &whole);
    return status == SNT_OK ? snt__mapping_to_host(&whole, device_ns, out) : status;
}

snt_status snt_clock_map_to_host_many(const snt_clock_map *map, const int64_t *device_ns, uint64_t count,
                                      snt_bounded_time *out, snt_status *statuses)
{
    snt_status first = SNT_OK;
    if (!map || (count && (!device_ns || !out)))
        return SNT_ERR_INVALID_ARG;
    for (uint64_t i = 0; i < count; i++) {
        const snt_status status = snt_clock_map_to_host(map, device_ns[i], &out[i]);
        snt__keep_outcome(status, i, statuses, &first);
    }
    return first;
}

#undef MAP_GET
#undef MAP_GET_PAIR
