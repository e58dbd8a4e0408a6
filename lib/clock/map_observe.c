/* SPDX-License-Identifier: BSD-3-Clause */
#include "map.h"

#include <math.h>

/* Cuts that gain less than this are left out: sound, and less work on quiet links [ns]. */
#define MAP_WORTHWHILE 0.1

/* What an observation says about the host time T of the exact reading `device`: lo <= T <= hi where known. */
typedef struct map_fact {
    int64_t device, host; /* host: the observation's own time, for the record */
    int64_t lo, hi;       /* SNT_TIME_INFINITE_* = open */
    uint32_t kind, flags;
    int64_t receive; /* of a packet whose delay is looked at; SNT_UNKNOWN = none */
    bool command;    /* a command's delay presses from below */
} map_fact;

static snt_status map_may_observe(snt_clock_map *map, uint32_t session)
{
    const uint32_t current = snt_epoch_session(map->epoch);
    if (SNT_UNLIKELY(current != map->now.session || (session && session != current))) {
        map->refused++;
        return SNT_ERR_SESSION;
    }
    if (SNT_UNLIKELY(map->now.state == SNT_CLOCK_INVALID)) {
        map->refused++;
        return SNT_ERR_INVALID_STATE;
    }
    return SNT_OK;
}

static bool map_time_ok(int64_t t)
{
    return t < SNT__MAP_TIME_LIMIT / 2 && t > -SNT__MAP_TIME_LIMIT / 2;
}

/* The facts of a broken assumption; the map stops answering. */
static snt_status map_violated(snt_clock_map *map, const map_fact *fact, int64_t base, const snt__offsets *o,
                               uint32_t side, double gap, snt_clock_proof *proof)
{
    const double since = (double)(fact->device - map->now.device_anchor_ns) * 1e-9;
    snt_clock_proof p = {.device_ns = fact->device,
                         .predicted = {SNT_TIME_INFINITE_PAST, SNT_TIME_INFINITE_FUTURE},
                         .observed = {fact->lo, fact->hi},
                         .gap_ns = (int64_t)fmin(ceil(gap), 4e18),
                         .age_ns = fact->device - map->now.device_anchor_ns,
                         .rate_needed_ppb = -1,
                         .wander_needed_ppb_s = -1,
                         .side = side,
                         .kind = fact->kind,
                         .session = map->now.session,
                         .version = map->now.version};
    if (o && !map->set.open_lo && fabs(o->lo) < 1e18)
        p.predicted.lo = base + (int64_t)floor(o->lo);
    if (o && !map->set.open_hi && fabs(o->hi) < 1e18)
        p.predicted.hi = base + (int64_t)ceil(o->hi);
    if (side != SNT_PROOF_IMPOSSIBLE && since > 0) {
        if (map->wander >= 0)
            p.wander_needed_ppb_s = map->wander + 2 * gap / (since * since);
        const double at = side == SNT_PROOF_EARLY ? -map->now.y_min_ppb : map->now.y_max_ppb;
        if (map->wander < 0 || at >= map->rate)
            p.rate_needed_ppb = map->rate + gap / since;
    }
    map->last_proof = p;
    map->refused++;
    if (proof)
        *proof = p;
    snt__map_set_state(map, SNT_CLOCK_INVALID, map->now.reasons | SNT_CLOCK_WHY_VIOLATION);
    return SNT_ERR_VIOLATION;
}

static void map_begin_set(snt_clock_map *map, const map_fact *fact)
{
    const bool has_lo = fact->lo != SNT_TIME_INFINITE_PAST, has_hi = fact->hi != SNT_TIME_INFINITE_FUTURE;
    const int64_t anchor = has_hi ? fact->hi : fact->lo;
    const double guard = 1e-5;
    const double lo = has_lo ? (double)(fact->lo - anchor) - guard : 0, hi = guard;
    snt__polygon_begin(&map->set, map->rate, has_lo ? &lo : NULL, has_hi ? &hi : NULL);
    map->has_set = true;
    map->now.device_anchor_ns = fact->device;
    map->now.host_anchor_ns = anchor;
    map->first_device = map->last_device = map->last_cut = map->batch_start = fact->device;
}

/* Clip the set by the fact. The set's own prediction for the moment is clipped to as well: the step makes a little more of
 * what the rate can have done than is possible. */
static void map_cut(snt_clock_map *map, const map_fact *fact, double seconds, const snt__offsets *o,
                    double lo, double hi)
{
    snt__polygon *p = &map->set;
    snt_clock_mapping *m = &map->now;
    const double age = fabs((double)(fact->device - map->first_device)) * 1e-9;
    const double guard = snt__polygon_guard(p, fabs(seconds), age);
    const int64_t base = m->host_anchor_ns + (fact->device - m->device_anchor_ns);
    double at = 0, slack = guard;
    if (seconds > 0) {
        const bool open_lo = p->open_lo, open_hi = p->open_hi;
        snt__polygon_step(p, seconds, map->wander, map->rate, guard);
        hi = !open_hi && o->hi < hi ? o->hi : hi;
        lo = !open_lo && o->lo > lo ? o->lo : lo;
    } else if (seconds <
               0) { /* late news about an earlier moment: as far as the rate may have changed since */
        const bool coupled = map->wander >= 0 && map->wander * -seconds < 2 * map->rate;
        at = coupled ? seconds : 0;
        slack += coupled ? map->wander * seconds * seconds / 2 : map->rate * -seconds;
    }
    /* Neither clip can leave nothing, since the prediction meets the fact; if rounding says so, it is left out. */
    if (hi < (double)INFINITY)
        snt__polygon_clip(p, at, hi + slack, true);
    if (lo > -(double)INFINITY)
        snt__polygon_clip(p, at, lo - slack, false);
    if (!snt__polygon_reduce(p, map->cfg.max_vertices)) { /* never seen: a box is always possible */
        const double x0 = p->x_min, x1 = p->x_max;
        snt__polygon_begin(p, map->rate, p->open_lo ? NULL : &x0, p->open_hi ? NULL : &x1);
    }
    if (seconds >= 0) { /* keep x small: digits are where the data is */
        const double middle = p->open_lo ? p->x_max : p->open_hi ? p->x_min : (p->x_min + p->x_max) / 2;
        const int64_t shift = (int64_t)floor(middle + 0.5);
        snt__polygon_shift(p, -(double)shift);
        m->device_anchor_ns = fact->device;
        m->host_anchor_ns = base + shift;
    }
}

/* State after an accepted observation; true if it changed. */
static bool map_advance(snt_clock_map *map, double width)
{
    snt_clock_mapping *m = &map->now;
    if (m->state == SNT_CLOCK_VALID)
        return false;
    const snt_clock_map_config *cfg = &map->cfg;
    uint32_t why = 0;
    if (map->observations < cfg->warm_observations ||
        map->last_device - map->first_device < cfg->warm_span_ns)
        why |= SNT_CLOCK_WHY_FEW;
    const bool open = map->set.open_lo || map->set.open_hi;
    if (cfg->valid_width_ns != SNT_UNKNOWN && (open || !(width <= (double)cfg->valid_width_ns)))
        why |= SNT_CLOCK_WHY_WIDE;
    const uint32_t state = why ? SNT_CLOCK_WARMING : SNT_CLOCK_VALID;
    if (state == m->state && why == m->reasons)
        return false;
    m->state = state;
    m->reasons = why;
    return true;
}

static snt_status map_apply(snt_clock_map *map, const map_fact *fact, snt_clock_proof *proof)
{
    snt_clock_mapping *m = &map->now;
    const bool has_lo = fact->lo != SNT_TIME_INFINITE_PAST, has_hi = fact->hi != SNT_TIME_INFINITE_FUTURE;
    if (SNT_UNLIKELY(!map_time_ok(fact->device) || (has_lo && !map_time_ok(fact->lo)) ||
                     (has_hi && !map_time_ok(fact->hi))))
        return SNT_ERR_OVERFLOW;
    if (SNT_UNLIKELY(has_lo && has_hi && fact->lo > fact->hi))
        return map_violated(map, fact, 0, NULL, SNT_PROOF_IMPOSSIBLE, (double)(fact->lo - fact->hi), proof);
    bool changed = false;
    if (SNT_UNLIKELY(!map->has_set)) {
        map_begin_set(map, fact);
        changed = true;
    } else if (SNT_UNLIKELY(m->horizon_ns != SNT_UNKNOWN &&
                            fact->device - map->last_device > m->horizon_ns)) {
        map->refused++;
        snt__map_set_state(map, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_HORIZON);
        return SNT_ERR_HORIZON;
    }
    const int64_t step = fact->device - m->device_anchor_ns;
    const double seconds = (double)step * 1e-9;
    const int64_t base = m->host_anchor_ns + step;
    if (SNT_UNLIKELY(!map_time_ok(base)))
        return SNT_ERR_OVERFLOW;
    snt__offsets o = {0};
    if (!changed) {
        o = snt__mapping_offsets(m, seconds);
        const double u = has_hi ? (double)(fact->hi - base) : 0, l = has_lo ? (double)(fact->lo - base) : 0;
        if (SNT_UNLIKELY(has_hi && !map->set.open_lo && u < o.lo))
            return map_violated(map, fact, base, &o, SNT_PROOF_EARLY, o.lo - u, proof);
        if (SNT_UNLIKELY(has_lo && !map->set.open_hi && l > o.hi))
            return map_violated(map, fact, base, &o, SNT_PROOF_LATE, l - o.hi, proof);
        const bool cut_hi = has_hi && (map->set.open_hi || u < o.hi - MAP_WORTHWHILE);
        const bool cut_lo = has_lo && (map->set.open_lo || l > o.lo + MAP_WORTHWHILE);
        if (cut_lo || cut_hi) {
            map_cut(map, fact, seconds, &o, cut_lo ? l : -(double)INFINITY, cut_hi ? u : (double)INFINITY);
            changed = true;
            map->cuts++;
            map->last_cut = fact->device;
        }
        if (fact->command)
            snt__map_note_command(map, fact->device, o.t - l);
        if (fact->receive != SNT_UNKNOWN) {
            const double r = (double)(fact->receive - base);
            const double least = (double)map->cfg.delay_min_ns;
            snt__map_note_delay(map, map->set.open_hi ? least : fmax(r - o.hi, least),
                                map->set.open_lo ? (double)INFINITY : r - o.lo);
            if (has_hi) {
                changed |= snt__map_note_excess(map, fact->device, u - o.t);
            }
        }
    }
    map->observations++;
    map->arrivals += fact->receive != SNT_UNKNOWN;
    map->commands += fact->command;
    map->exact += fact->receive == SNT_UNKNOWN && !fact->command;
    if (fact->device > map->last_device)
        map->last_device = fact->device;
    map->last_host = fact->host;
    m->evidence_ns = map->last_device;
    changed |= map_advance(map, changed ? map->set.x_max - map->set.x_min : o.hi - o.lo);
    if (SNT_LIKELY(!changed && fact->device < map->refresh_at)) {
        snt__map_note_evidence(map);
        return SNT_OK;
    }
    m->flags |= fact->flags | SNT_TIME_ASSUMED_RATE | (map->wander >= 0 ? SNT_TIME_ASSUMED_WANDER : 0) |
                (map->cfg.device_quantum_ns || map->cfg.host_error_ns ? SNT_TIME_ASSUMED_QUANTUM : 0) |
                (map->set.open_lo ? 0 : SNT_TIME_BOUND_LO) | (map->set.open_hi ? 0 : SNT_TIME_BOUND_HI);
    snt__map_estimate(map);
    snt__map_note_rate(map);
    snt__map_publish(map);
    return SNT_OK;
}

/* T(event) in [lo, hi] of an event stamped `device`, as a fact about the exact reading. */
static map_fact map_fact_of(const snt_clock_map *map, uint32_t kind, int64_t device, int64_t host)
{
    (void)map;
    return (map_fact){.device = device,
                      .host = host,
                      .lo = SNT_TIME_INFINITE_PAST,
                      .hi = SNT_TIME_INFINITE_FUTURE,
                      .kind = kind,
                      .receive = SNT_UNKNOWN};
}

static void map_not_after(const snt_clock_map *map, map_fact *fact, int64_t t)
{
    const int64_t hi = t + map->cfg.host_error_ns + map->stamp_before;
    fact->hi = hi < fact->hi ? hi : fact->hi;
}

static void map_not_before(const snt_clock_map *map, map_fact *fact, int64_t t)
{
    const int64_t lo = t - map->cfg.host_error_ns - map->stamp_after;
    fact->lo = lo > fact->lo ? lo : fact->lo;
}

/* A packet left the device at the fact's reading and arrived at `receive`. */
static void map_arrived(const snt_clock_map *map, map_fact *fact, int64_t receive)
{
    const snt_clock_map_config *cfg = &map->cfg;
    map_not_after(map, fact, receive - cfg->delay_min_ns);
    fact->flags |= SNT_TIME_CAUSAL | (cfg->delay_min_ns ? SNT_TIME_ASSUMED_DELAY : 0);
    if (cfg->delay_max_ns != SNT_UNKNOWN) {
        map_not_before(map, fact, receive - cfg->delay_max_ns);
        fact->flags |= SNT_TIME_ASSUMED_DELAY;
    }
    fact->receive = receive;
}

/* A command left the host at `send` and took effect at the fact's reading. */
static void map_commanded(const snt_clock_map *map, map_fact *fact, int64_t send)
{
    const snt_clock_map_config *cfg = &map->cfg;
    map_not_before(map, fact, send + cfg->command_min_ns);
    fact->command = true;
    fact->flags |= SNT_TIME_CAUSAL | (cfg->command_min_ns ? SNT_TIME_ASSUMED_DELAY : 0);
    if (cfg->command_max_ns != SNT_UNKNOWN) {
        map_not_after(map, fact, send + cfg->command_max_ns);
        fact->flags |= SNT_TIME_ASSUMED_DELAY;
    }
}

snt_status snt_clock_map_observe_arrival(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                         snt_time receive_ns, snt_clock_proof *proof)
{
    if (!map)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = map_may_observe(map, session);
    if (status != SNT_OK)
        return status;
    if (!map_time_ok(receive_ns))
        return SNT_ERR_OVERFLOW;
    map_fact fact = map_fact_of(map, SNT_OBSERVED_ARRIVAL, device_ns, receive_ns);
    map_arrived(map, &fact, receive_ns);
    return map_apply(map, &fact, proof);
}

snt_status snt_clock_map_observe_trigger(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                         snt_time command_ns, snt_clock_proof *proof)
{
    if (!map)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = map_may_observe(map, session);
    if (status != SNT_OK)
        return status;
    if (!map_time_ok(command_ns))
        return SNT_ERR_OVERFLOW;
    map_fact fact = map_fact_of(map, SNT_OBSERVED_TRIGGER, device_ns, command_ns);
    map_commanded(map, &fact, command_ns);
    return map_apply(map, &fact, proof);
}

snt_status snt_clock_map_observe_exchange(snt_clock_map *map, uint32_t session, snt_time send_ns,
                                          int64_t device_receive_ns, int64_t device_send_ns,
                                          snt_time receive_ns, snt_clock_proof *proof)
{
    if (!map || device_send_ns < device_receive_ns || receive_ns < send_ns)
        return SNT_ERR_INVALID_ARG;
    snt_status status = map_may_observe(map, session);
    if (status != SNT_OK)
        return status;
    if (!map_time_ok(send_ns) || !map_time_ok(receive_ns) || !map_time_ok(device_receive_ns) ||
        !map_time_ok(device_send_ns))
        return SNT_ERR_OVERFLOW;
    map_fact asked = map_fact_of(map, SNT_OBSERVED_EXCHANGE, device_receive_ns, send_ns);
    map_commanded(map, &asked, send_ns);
    if (device_receive_ns == device_send_ns) {
        map_arrived(map, &asked, receive_ns);
        asked.host = receive_ns;
        status = map_apply(map, &asked, proof);
    } else {
        status = map_apply(map, &asked, proof);
        if (status == SNT_OK) {
            map_fact answered = map_fact_of(map, SNT_OBSERVED_EXCHANGE, device_send_ns, receive_ns);
            map_arrived(map, &answered, receive_ns);
            status = map_apply(map, &answered, proof);
        }
    }
    if (status != SNT_OK)
        return status;
    const int64_t trip = receive_ns - send_ns - (device_send_ns - device_receive_ns);
    map->round_trip_min = trip < map->round_trip_min ? trip : map->round_trip_min;
    return SNT_OK;
}

snt_status snt_clock_map_request(snt_clock_map *map, uint32_t session, snt_time send_ns, uint32_t *request)
{
    if (!map || !request)
        return SNT_ERR_INVALID_ARG;
    const uint32_t current = snt_epoch_session(map->epoch);
    if (current != map->now.session || (session && session != current))
        return SNT_ERR_SESSION;
    const uint32_t id = map->next_request;
    map->next_request = id == UINT32_MAX ? 1 : id + 1;
    map->requests[id % SNT__MAP_REQUESTS].id = id;
    map->requests[id % SNT__MAP_REQUESTS].send = send_ns;
    *request = id;
    return SNT_OK;
}

snt_status snt_clock_map_reply(snt_clock_map *map, uint32_t session, uint32_t request,
                               int64_t device_receive_ns, int64_t device_send_ns, snt_time receive_ns,
                               snt_clock_proof *proof)
{
    if (!map)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = map_may_observe(map, session);
    if (status != SNT_OK)
        return status;
    const uint32_t at = request % SNT__MAP_REQUESTS;
    if (!request || map->requests[at].id != request) {
        map->refused++;
        return SNT_ERR_STALE;
    }
    map->requests[at].id = 0;
    return snt_clock_map_observe_exchange(map, session, map->requests[at].send, device_receive_ns,
                                          device_send_ns, receive_ns, proof);
}

snt_status snt_clock_map_observe_interval(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                          const snt_interval *host, uint32_t flags, snt_clock_proof *proof)
{
    if (!map || !host || host->lo > host->hi)
        return SNT_ERR_INVALID_ARG;
    const bool has_lo = host->lo != SNT_TIME_INFINITE_PAST, has_hi = host->hi != SNT_TIME_INFINITE_FUTURE;
    if (!has_lo && !has_hi)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = map_may_observe(map, session);
    if (status != SNT_OK)
        return status;
    if ((has_lo && !map_time_ok(host->lo)) || (has_hi && !map_time_ok(host->hi)))
        return SNT_ERR_OVERFLOW;
    map_fact fact = map_fact_of(map, SNT_OBSERVED_INTERVAL, device_ns, has_hi ? host->hi : host->lo);
    fact.flags = flags & ~(uint32_t)(SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI);
    if (has_lo)
        map_not_before(map, &fact, host->lo);
    if (has_hi)
        map_not_after(map, &fact, host->hi);
    return map_apply(map, &fact, proof);
}

snt_status snt_clock_map_observe_cross(snt_clock_map *map, uint32_t session, snt_time before_ns,
                                       int64_t device_ns, snt_time after_ns, snt_clock_proof *proof)
{
    if (!map || after_ns < before_ns)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = map_may_observe(map, session);
    if (status != SNT_OK)
        return status;
    if (!map_time_ok(before_ns) || !map_time_ok(after_ns))
        return SNT_ERR_OVERFLOW;
    map_fact fact = map_fact_of(map, SNT_OBSERVED_CROSS, device_ns, after_ns);
    fact.flags = SNT_TIME_CAUSAL;
    map_not_before(map, &fact, before_ns);
    map_not_after(map, &fact, after_ns);
    return map_apply(map, &fact, proof);
}

/* A whole number of seconds to add to the fact so that it fits the set; 0 if none or if the fact fits as it is. */
static int64_t map_other_second(const snt_clock_map *map, const map_fact *fact)
{
    if (!map->has_set || map->set.open_lo || map->set.open_hi || !map_time_ok(fact->device) ||
        !map_time_ok(fact->lo))
        return 0;
    const int64_t step = fact->device - map->now.device_anchor_ns, base = map->now.host_anchor_ns + step;
    const snt__offsets o = snt__mapping_offsets(&map->now, (double)step * 1e-9);
    const double lo = (double)(fact->lo - base), hi = (double)(fact->hi - base);
    if (hi >= o.lo && lo <= o.hi)
        return 0;
    const double seconds = hi < o.lo ? ceil((o.lo - hi) / 1e9) : -ceil((lo - o.hi) / 1e9);
    const bool fits = hi + seconds * 1e9 >= o.lo && lo + seconds * 1e9 <= o.hi;
    return fits && fabs(seconds) < 1e9 ? (int64_t)seconds * SNT_NS_PER_S : 0;
}

snt_status snt_clock_map_observe_pps(snt_clock_map *map, uint32_t session, int64_t device_ns,
                                     snt_time second_ns, int64_t error_ns, snt_clock_proof *proof)
{
    if (!map || error_ns < 0 || error_ns > SNT_NS_PER_S / 2)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = map_may_observe(map, session);
    if (status != SNT_OK)
        return status;
    if (!map_time_ok(second_ns))
        return SNT_ERR_OVERFLOW;
    map_fact fact = map_fact_of(map, SNT_OBSERVED_PPS, device_ns, second_ns);
    fact.flags = SNT_TIME_DECLARED;
    map_not_before(map, &fact, second_ns - error_ns);
    map_not_after(map, &fact, second_ns + error_ns);
    const int64_t other = map_other_second(map, &fact);
    if (other) { /* the pulse is right and its label is not */
        map->refused++;
        if (proof)
            *proof = (snt_clock_proof){.device_ns = device_ns,
                                       .predicted = {fact.lo + other, fact.hi + other},
                                       .observed = {fact.lo, fact.hi},
                                       .gap_ns = other < 0 ? -other : other,
                                       .age_ns = device_ns - map->now.device_anchor_ns,
                                       .rate_needed_ppb = -1,
                                       .wander_needed_ppb_s = -1,
                                       .side = other > 0 ? SNT_PROOF_EARLY : SNT_PROOF_LATE,
                                       .kind = SNT_OBSERVED_PPS,
                                       .session = map->now.session,
                                       .version = map->now.version};
        return SNT_ERR_AMBIGUOUS;
    }
    return map_apply(map, &fact, proof);
}
