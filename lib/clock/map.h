/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a clock map, shared by the files map_*.c and mapping.c. */
#ifndef SNT_LIB_CLOCK_MAP_H
#define SNT_LIB_CLOCK_MAP_H

#include "../base/internal.h"
#include "../base/memory.h"
#include "polygon.h"

#include <math.h>
#include <stdatomic.h>

#include "sensortime/clock_map.h"

/* Times this large leave room to subtract any two without overflow. */
#define SNT__MAP_TIME_LIMIT (INT64_C(1) << 62)

/* ---- mapping.c: arithmetic on one version ---- */

/* Bounds and estimate as offsets from host_anchor + (device − device_anchor). Needs the vertices only for past < 0. */
typedef struct snt__offsets {
    double lo, hi, t;
} snt__offsets;

snt__offsets snt__mapping_offsets_past(const snt_clock_mapping *m, double seconds);

/*
 * How far the bound may have moved `s` >= 0 seconds after the anchor beyond the straight line of rate y: the rate may
 * change by `wander` per second, but stays within its bound, which it reaches after (room = bound − y)/wander.
 */
static inline double snt__mapping_drift(double wander, double room, double s)
{
    if (SNT_LIKELY(wander >= 0 && wander * s <= room))
        return wander * s * s / 2;
    if (wander <= 0 || room <= 0)
        return room > 0 ? room * s : 0;
    const double reach = room / wander;
    return wander * reach * reach / 2 + room * (s - reach);
}

static inline snt__offsets snt__mapping_offsets_ahead(const snt_clock_mapping *m, double s)
{
    /* One corner of the set is extreme for every later time: see docs/clocks.md. Rounding errors go outward. */
    const double up = m->y_max_ppb * s, down = m->y_min_ppb * s;
    const double margin = 1e-3 + 0x1p-48 * (up - down + (up > 0 ? up : -up));
    snt__offsets o;
    o.hi =
        m->x_max_ns + up + snt__mapping_drift(m->wander_ppb_s, m->rate_bound_ppb - m->y_max_ppb, s) + margin;
    o.lo = m->x_min_ns + down - snt__mapping_drift(m->wander_ppb_s, m->rate_bound_ppb + m->y_min_ppb, s) -
           margin;
    o.t = m->estimate_x_ns + m->estimate_y_ppb * s;
    return o;
}

static inline snt__offsets snt__mapping_offsets(const snt_clock_mapping *m, double s)
{
    return SNT_LIKELY(s >= 0) ? snt__mapping_offsets_ahead(m, s) : snt__mapping_offsets_past(m, s);
}

/* Nearest integer below and above, without a library call. |v| < 2^63. */
static inline int64_t snt__floor_i64(double v)
{
    const int64_t i = (int64_t)v;
    return i - ((double)i > v);
}

static inline int64_t snt__ceil_i64(double v)
{
    const int64_t i = (int64_t)v;
    return i + ((double)i < v);
}

static inline snt_status snt__mapping_answers(const snt_clock_mapping *m)
{
    switch (m->state) {
    case SNT_CLOCK_VALID:
    case SNT_CLOCK_HOLDOVER:
        return SNT_OK;
    case SNT_CLOCK_INVALID:
        return SNT_ERR_INVALID_STATE;
    default:
        return SNT_PENDING;
    }
}

/* Bounds rounded outward, flags, horizon: the offsets at `device_ns` (below the limit) as a time. */
static inline snt_status snt__mapping_finish(const snt_clock_mapping *m, int64_t device_ns,
                                             const snt__offsets *o, snt_bounded_time *out)
{
    const int64_t step = device_ns - m->device_anchor_ns;
    /* |anchor| < 2^62, |step| < 2^63: the sum may overflow */
    const int64_t anchor = m->host_anchor_ns;
    if (SNT_UNLIKELY(step >= 0 ? anchor > INT64_MAX - step : anchor < INT64_MIN - step))
        return SNT_ERR_OVERFLOW;
    const int64_t base = anchor + step;
    if (SNT_UNLIKELY(base >= SNT__MAP_TIME_LIMIT || base <= -SNT__MAP_TIME_LIMIT || !(fabs(o->lo) < 0x1p60) ||
                     !(fabs(o->hi) < 0x1p60)))
        return SNT_ERR_OVERFLOW;
    uint32_t flags = m->flags;
    const int64_t silence = device_ns - m->evidence_ns;
    if (silence > m->holdover_after_ns) {
        if (SNT_UNLIKELY(silence > m->horizon_ns))
            return SNT_ERR_HORIZON;
        flags |= SNT_TIME_HOLDOVER;
    }
    const int64_t lo = flags & SNT_TIME_BOUND_LO ? base + snt__floor_i64(o->lo) - m->stamp_before_ns
                                                 : SNT_TIME_INFINITE_PAST;
    const int64_t hi = flags & SNT_TIME_BOUND_HI ? base + snt__ceil_i64(o->hi) + m->stamp_after_ns
                                                 : SNT_TIME_INFINITE_FUTURE;
    int64_t t = base + snt__floor_i64(o->t + 0.5) + (m->stamp_after_ns - m->stamp_before_ns) / 2;
    t = t < lo ? lo : t;
    t = t > hi ? hi : t;
    out->t = t;
    out->lo = lo;
    out->hi = hi;
    out->domain = m->host_domain;
    out->session = m->session;
    out->version = m->version;
    out->flags = flags;
    return SNT_OK;
}

snt_status snt__mapping_to_host(const snt_clock_mapping *m, int64_t device_ns, snt_bounded_time *out);
snt_status snt__mapping_to_device(const snt_clock_mapping *m, int64_t host_ns, snt_bounded_time *out);
snt_status snt__mapping_duration(const snt_clock_mapping *m, int64_t from, int64_t to,
                                 snt_clock_duration *out);

/* ---- map_publish.c: versions for concurrent readers ---- */

#if defined(ATOMIC_LLONG_LOCK_FREE) && ATOMIC_LLONG_LOCK_FREE == 2
typedef uint64_t snt__map_word;
#else
typedef uint32_t snt__map_word; /* 64-bit atomics would be library calls or locks */
#endif

enum {
    SNT__MAP_WORDS = sizeof(snt_clock_mapping) / sizeof(snt__map_word),
    SNT__MAP_HEAD_WORDS = offsetof(snt_clock_mapping, vertices) / sizeof(snt__map_word)
};
_Static_assert(sizeof(snt_clock_mapping) == 664 && sizeof(snt_clock_mapping) % sizeof(snt__map_word) == 0,
               "frozen");

typedef struct snt__map_slot {
    _Atomic snt__map_word words[SNT__MAP_WORDS];
    _Atomic uint32_t evidence; /* newest observation − device_anchor, in units of 2^20 ns, rounded down */
} snt__map_slot;

enum { SNT__MAP_REQUESTS = 16, SNT__MAP_RATES = 16 };

struct snt_clock_map {
    /* read by everybody */
    snt_allocator allocator;
    snt_epoch *epoch;
    snt__map_slot *slots;
    uint32_t slot_count; /* a power of two */
    uint32_t device_domain;
    uint32_t host_domain;
    _Atomic uint32_t head; /* newest version; its slot is head modulo slot_count */

    /* the writer's */
    snt_clock_map_config cfg;
    double wander, rate;
    int64_t stamp_before, stamp_after; /* an event lies in [stamp − before, stamp + after] of device time */
    snt__polygon set;
    snt_clock_mapping now; /* what the newest version says; vertices excepted */
    uint32_t restarts;
    bool has_set;

    /* this session's evidence */
    uint64_t observations, cuts, refused;
    int64_t first_device, last_device, last_host, last_cut;
    uint64_t arrivals, commands, exact;      /* by the side they press on; for the estimate */
    double mean_excess, mean_interval;       /* of arrivals above the estimate [ns]; between them [s] */
    double command_excess, command_interval; /* the same for commands, below the estimate */
    int64_t last_command;
    double batch_excess; /* the same, summed over the batch that is being filled */
    int64_t batch_start;
    uint32_t batch_fill, batch_size;
    int64_t refresh_at; /* device time when the estimate is worth redoing */

    /* suspicion: floors of windows of arrivals */
    double window_floor, worst_floor, suspicion;
    uint32_t window_fill, windows;

    /* audit */
    double floor_lo, floor_hi, ceil_lo, ceil_hi; /* of delays [ns] */
    int64_t round_trip_min;
    double rate_lo, rate_hi;
    double wander_seen, wander_proven;
    struct {
        int64_t device;
        double lo, hi, estimate;
    } rates[SNT__MAP_RATES]; /* rate intervals at spaced moments */
    uint32_t rate_count, rate_stride;
    snt_clock_proof last_proof;

    struct {
        uint32_t id;
        int64_t send;
    } requests[SNT__MAP_REQUESTS];
    uint32_t next_request;
};

/* Make `map->now` with the set's vertices the next version. */
void snt__map_publish(snt_clock_map *map);
/* Tell the newest version's readers of `now.evidence_ns`. */
void snt__map_note_evidence(snt_clock_map *map);
/* The newest version, if it may answer; without vertices where `device_ns` >= its anchor. */
snt_status snt__map_head(const snt_clock_map *map, int64_t device_ns, snt_clock_mapping *m);
snt_status snt__map_read_all(const snt_clock_map *map, uint32_t version, snt_clock_mapping *out);

/* ---- map_state.c ---- */
void snt__map_set_state(snt_clock_map *map, uint32_t state, uint32_t reasons);
uint32_t snt__clock_why(uint32_t epoch_reason);

/* ---- map.c ---- */
void snt__map_forget(snt_clock_map *map);

/* ---- map_estimate.c ---- */
/* Choose the point of the set that stands for it; the set must not be empty. */
void snt__map_estimate(snt_clock_map *map);
/* A packet stamped `device` whose delay beyond the least is `excess` by the estimate; true when suspicion changed. */
bool snt__map_note_excess(snt_clock_map *map, int64_t device, double excess);
/* A command that took effect at `device`, `excess` later than the least it takes by the estimate. */
void snt__map_note_command(snt_clock_map *map, int64_t device, double excess);

/* ---- map_audit.c ---- */
void snt__map_note_delay(snt_clock_map *map, double delay_lo, double delay_hi);
void snt__map_note_rate(snt_clock_map *map);
void snt__map_forget_audit(snt_clock_map *map);

#endif
