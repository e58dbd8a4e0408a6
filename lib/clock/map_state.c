/* SPDX-License-Identifier: BSD-3-Clause */
#include "map.h"

#include "../base/print.h"

#include <math.h>

uint32_t snt__clock_why(uint32_t epoch_reason)
{
    static const uint32_t why[] = {
        [SNT_EPOCH_START] = 0,
        [SNT_EPOCH_DEVICE_BOOT] = SNT_CLOCK_WHY_DEVICE_BOOT,
        [SNT_EPOCH_COUNTER_RESET] = SNT_CLOCK_WHY_COUNTER_RESET,
        [SNT_EPOCH_HOST_STEP] = SNT_CLOCK_WHY_HOST_STEP,
        [SNT_EPOCH_REPLAY_SEEK] = SNT_CLOCK_WHY_REPLAY_SEEK,
        [SNT_EPOCH_SUSPEND] = SNT_CLOCK_WHY_SUSPEND,
        [SNT_EPOCH_USER] = SNT_CLOCK_WHY_USER,
    };
    return epoch_reason < SNT_COUNT_OF(why) ? why[epoch_reason] : SNT_CLOCK_WHY_USER;
}

void snt__map_set_state(snt_clock_map *map, uint32_t state, uint32_t reasons)
{
    map->now.state = state;
    map->now.reasons = reasons;
    snt__map_publish(map);
}

snt_status snt_clock_map_invalidate(snt_clock_map *map, uint32_t reason)
{
    if (!map || reason > SNT_EPOCH_USER)
        return SNT_ERR_INVALID_ARG;
    const uint32_t before = map->now.state == SNT_CLOCK_INVALID ? map->now.reasons : 0;
    snt__map_set_state(map, SNT_CLOCK_INVALID, before | snt__clock_why(reason));
    return SNT_OK;
}

snt_status snt_clock_map_restart(snt_clock_map *map, uint32_t reason, uint32_t *session)
{
    if (!map || reason > SNT_EPOCH_USER)
        return SNT_ERR_INVALID_ARG;
    const bool moved = snt_epoch_session(map->epoch) != map->now.session;
    const uint32_t state = map->now.state;
    if (!moved && state != SNT_CLOCK_INVALID && state != SNT_CLOCK_UNINIT)
        return SNT_ERR_INVALID_STATE;
    if (!moved) /* first the session, so that no reader takes the new mapping for the old one's */
        snt_epoch_bump(map->epoch, reason);
    snt__map_forget(map);
    map->restarts++;
    snt__map_set_state(map, SNT_CLOCK_REINITIALIZING, snt__clock_why(reason));
    if (session)
        *session = map->now.session;
    return SNT_OK;
}

snt_status snt_clock_map_restore(snt_clock_map *map, const snt_clock_mapping *mapping)
{
    if (!map || !mapping)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt_clock_mapping_check(mapping);
    if (status < 0)
        return status;
    if (map->now.state != SNT_CLOCK_UNINIT && map->now.state != SNT_CLOCK_REINITIALIZING)
        return SNT_ERR_INVALID_STATE;
    if (mapping->device_domain != map->device_domain || mapping->host_domain != map->host_domain)
        return SNT_ERR_DOMAIN;
    if (!mapping->vertex_count)
        return SNT_ERR_UNCERTAIN;
    if (mapping->rate_bound_ppb > map->rate || (map->wander >= 0 && mapping->wander_ppb_s > map->wander) ||
        (map->wander >= 0 && mapping->wander_ppb_s < 0))
        return SNT_ERR_CONFLICT;
    snt__map_forget(map);
    snt_clock_mapping *m = &map->now;
    m->device_anchor_ns = mapping->device_anchor_ns;
    m->host_anchor_ns = mapping->host_anchor_ns;
    m->evidence_ns = mapping->evidence_ns;
    m->flags = mapping->flags | SNT_TIME_RESTORED;
    snt__polygon *p = &map->set;
    p->count = mapping->vertex_count;
    for (uint32_t i = 0; i < p->count; i++) {
        p->x[i] = mapping->vertices[2 * i];
        p->y[i] = mapping->vertices[2 * i + 1];
    }
    p->open_lo = !(mapping->flags & SNT_TIME_BOUND_LO);
    p->open_hi = !(mapping->flags & SNT_TIME_BOUND_HI);
    if (!snt__polygon_reduce(p, map->cfg.max_vertices))
        return SNT_ERR_FORMAT;
    map->has_set = true;
    map->first_device = map->last_device = map->last_cut = map->batch_start = mapping->evidence_ns;
    map->last_host = mapping->host_anchor_ns;
    map->exact = 1;
    snt__map_estimate(map);
    snt__map_set_state(map, SNT_CLOCK_WARMING, SNT_CLOCK_WHY_RESTORED | SNT_CLOCK_WHY_FEW);
    return SNT_OK;
}

snt_status snt_clock_map_health(const snt_clock_map *map, int64_t device_ns, snt_clock_health *out)
{
    if (!map || !out)
        return SNT_ERR_INVALID_ARG;
    const snt_clock_mapping *m = &map->now;
    snt_clock_health h = {.state = m->state,
                          .reasons = m->reasons,
                          .session = m->session,
                          .version = m->version,
                          .restarts = map->restarts,
                          .vertices = m->vertex_count,
                          .observations = map->observations,
                          .cuts = map->cuts,
                          .refused = map->refused,
                          .last_device_ns = SNT_UNKNOWN,
                          .last_host_ns = SNT_UNKNOWN,
                          .width_ns = SNT_UNKNOWN,
                          .undetectable_step_ns = SNT_UNKNOWN,
                          .growth_ppb = map->rate,
                          .rate_lo_ppb = -map->rate,
                          .rate_hi_ppb = map->rate,
                          .suspicion_ns = map->suspicion};
    if (map->suspicion > 0)
        h.reasons |= SNT_CLOCK_WHY_SUSPECT;
    if (map->has_set) {
        h.last_device_ns = map->last_device;
        h.last_host_ns = map->last_host;
        const int64_t at = device_ns == SNT_UNKNOWN ? map->last_device : device_ns;
        const int64_t limit = SNT__MAP_TIME_LIMIT;
        if (at > -limit && at < limit && at - map->last_device > m->holdover_after_ns &&
            h.state == SNT_CLOCK_VALID) {
            const bool past = at - map->last_device > m->horizon_ns;
            h.state = past ? SNT_CLOCK_INVALID : SNT_CLOCK_HOLDOVER;
            h.reasons |= past ? SNT_CLOCK_WHY_HORIZON : SNT_CLOCK_WHY_SILENT;
        }
        snt_clock_mapping open = *m;
        open.horizon_ns = SNT_UNKNOWN;
        snt_bounded_time t;
        const uint32_t both = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
        if (snt__mapping_to_host(&open, at, &t) == SNT_OK && (t.flags & both) == both) {
            h.width_ns = t.hi - t.lo;
            h.undetectable_step_ns = h.width_ns;
        }
        const double ahead = at > m->device_anchor_ns ? (double)(at - m->device_anchor_ns) * 1e-9 : 0;
        const double more = map->wander < 0 ? (double)INFINITY : map->wander * ahead;
        h.rate_ppb = m->estimate_y_ppb;
        h.rate_lo_ppb = fmax(-map->rate, m->y_min_ppb - more);
        h.rate_hi_ppb = fmin(map->rate, m->y_max_ppb + more);
        h.growth_ppb = (h.rate_hi_ppb - h.rate_lo_ppb) / 2;
    }
    if (map->epoch && snt_epoch_session(map->epoch) != m->session && h.state != SNT_CLOCK_INVALID) {
        h.state = SNT_CLOCK_INVALID;
        h.reasons |= snt__clock_why(snt_epoch_reason(map->epoch));
    }
    *out = h;
    return SNT_OK;
}

const char *snt_clock_state_name(uint32_t state)
{
    static const char *const names[] = {"UNINIT",   "WARMING", "VALID",
                                        "HOLDOVER", "INVALID", "REINITIALIZING"};
    return state < SNT_COUNT_OF(names) ? names[state] : "UNKNOWN";
}

snt_status snt_clock_proof_format(const snt_clock_proof *proof, char *text, size_t size)
{
    static const char *const kinds[] = {"observation", "arrival", "trigger", "exchange",
                                        "cross-stamp", "PPS",     "interval"};
    static const char *const sides[] = {"contradicts nothing", "is earlier than possible",
                                        "is later than possible", "contradicts itself"};
    if (!proof || !text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);
    snt__print_string(&out, "session ");
    snt__print_unsigned(&out, proof->session);
    snt__print_string(&out, ": ");
    snt__print_string(&out, proof->kind < SNT_COUNT_OF(kinds) ? kinds[proof->kind] : kinds[0]);
    snt__print_string(&out, " of device time ");
    snt__print_integer(&out, proof->device_ns);
    snt__print_string(&out, " ns ");
    snt__print_string(&out, proof->side < SNT_COUNT_OF(sides) ? sides[proof->side] : sides[0]);
    snt__print_string(&out, " by ");
    snt__print_integer(&out, proof->gap_ns);
    snt__print_string(&out, " ns, ");
    snt__print_integer(&out, proof->age_ns);
    snt__print_string(&out, " ns after the last change");
    if (proof->wander_needed_ppb_s >= 0) {
        snt__print_string(&out, "; a wander of ");
        snt__print_significant(&out, proof->wander_needed_ppb_s, 3);
        snt__print_string(&out, " ppb/s would explain it");
    }
    return snt__print_end(&out);
}
