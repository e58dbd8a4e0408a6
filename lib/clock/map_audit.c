/* SPDX-License-Identifier: BSD-3-Clause */
#include "map.h"

#include <float.h>
#include <math.h>

enum { AUDIT_ENOUGH = 1000 }; /* delays before their extremes are worth a proposal */

void snt__map_forget_audit(snt_clock_map *map)
{
    map->floor_lo = map->floor_hi = (double)INFINITY;
    map->ceil_lo = map->ceil_hi = -(double)INFINITY;
    map->round_trip_min = SNT_UNKNOWN;
    map->rate_lo = (double)INFINITY;
    map->rate_hi = -(double)INFINITY;
    map->wander_seen = map->wander_proven = 0;
    map->rate_count = 0;
    map->rate_stride = 1;
    map->last_proof = (snt_clock_proof){0};
}

void snt__map_note_delay(snt_clock_map *map, double delay_lo, double delay_hi)
{
    map->floor_lo = delay_lo < map->floor_lo ? delay_lo : map->floor_lo;
    map->floor_hi = delay_hi < map->floor_hi ? delay_hi : map->floor_hi;
    map->ceil_lo = delay_lo > map->ceil_lo ? delay_lo : map->ceil_lo;
    map->ceil_hi = delay_hi > map->ceil_hi ? delay_hi : map->ceil_hi;
}

/* Rate intervals at moments a second or more apart; the spacing doubles whenever the table is full. */
void snt__map_note_rate(snt_clock_map *map)
{
    const snt_clock_mapping *m = &map->now;
    if (m->y_max_ppb - m->y_min_ppb > map->rate / 2)
        return;
    map->rate_lo = fmin(map->rate_lo, m->y_min_ppb);
    map->rate_hi = fmax(map->rate_hi, m->y_max_ppb);
    const int64_t spacing = (int64_t)map->rate_stride * SNT_NS_PER_S;
    const uint32_t n = map->rate_count;
    if (n && m->device_anchor_ns - map->rates[n - 1].device < spacing)
        return;
    for (uint32_t i = 0; i < n; i++) {
        const double dt = (double)(m->device_anchor_ns - map->rates[i].device) * 1e-9;
        const double proven = fmax(m->y_min_ppb - map->rates[i].hi, map->rates[i].lo - m->y_max_ppb) / dt;
        map->wander_proven = fmax(map->wander_proven, proven);
        if (dt >= 30) /* long enough for the noise of two estimates not to look like wander */
            map->wander_seen = fmax(map->wander_seen, fabs(m->estimate_y_ppb - map->rates[i].estimate) / dt);
    }
    if (n == SNT__MAP_RATES) {
        for (uint32_t i = 0; i < SNT__MAP_RATES / 2; i++)
            map->rates[i] = map->rates[2 * i + 1];
        map->rate_count = SNT__MAP_RATES / 2;
        map->rate_stride *= 2;
    }
    map->rates[map->rate_count].device = m->device_anchor_ns;
    map->rates[map->rate_count].lo = m->y_min_ppb;
    map->rates[map->rate_count].hi = m->y_max_ppb;
    map->rates[map->rate_count++].estimate = m->estimate_y_ppb;
}

static int64_t audit_ns(double v)
{
    return fabs(v) < 1e18 ? (int64_t)v : SNT_UNKNOWN;
}

static void audit_delays(const snt_clock_map *map, snt_clock_audit *a)
{
    const snt_clock_map_config *cfg = &map->cfg;
    const snt_clock_proof *proof = &map->last_proof;
    const bool delivered = proof->kind == SNT_OBSERVED_ARRIVAL || proof->kind == SNT_OBSERVED_EXCHANGE;
    const bool enough = map->arrivals >= AUDIT_ENOUGH;
    /* Whichever side it came to light on: a least delay declared too long presses the upper bound down too far. */
    if ((delivered || proof->kind == SNT_OBSERVED_TRIGGER) && cfg->delay_min_ns > 0) {
        a->advice |= SNT_ADVICE_DELAY_MIN_WIDER;
        a->advised_delay_min_ns = proof->gap_ns < cfg->delay_min_ns ? cfg->delay_min_ns - proof->gap_ns : 0;
    } else if (enough && a->delay_floor_lo_ns != SNT_UNKNOWN &&
               a->delay_floor_lo_ns > cfg->delay_min_ns + 1000) {
        a->advice |= SNT_ADVICE_DELAY_MIN_TIGHTER;
        a->advised_delay_min_ns = a->delay_floor_lo_ns;
    }
    if (delivered && proof->side == SNT_PROOF_LATE && cfg->delay_max_ns != SNT_UNKNOWN) {
        a->advice |= SNT_ADVICE_DELAY_MAX_WIDER;
        a->advised_delay_max_ns = cfg->delay_max_ns + proof->gap_ns;
    } else if (enough && a->delay_ceil_hi_ns != SNT_UNKNOWN) {
        const int64_t proposal = a->delay_ceil_hi_ns + a->delay_ceil_hi_ns / 4;
        if (proposal > 0 && proposal < cfg->delay_max_ns) {
            a->advice |= SNT_ADVICE_DELAY_MAX_TIGHTER;
            a->advised_delay_max_ns = proposal;
        }
    }
}

static void audit_rates(const snt_clock_map *map, snt_clock_audit *a)
{
    const snt_clock_proof *proof = &map->last_proof;
    const double largest = map->rate_count ? fmax(fabs(map->rate_lo), fabs(map->rate_hi)) : 0;
    if (proof->side && proof->rate_needed_ppb > map->rate) {
        a->advice |= SNT_ADVICE_RATE_WIDER;
        a->advised_rate_ppb = proof->rate_needed_ppb;
    } else if (map->rate_count && fabs(map->now.estimate_y_ppb) > 0.9 * map->rate) {
        a->advice |= SNT_ADVICE_RATE_WIDER;
        a->advised_rate_ppb = 1.25 * map->rate;
    } else if (map->rate_count >= 4 && 1.5 * largest < map->rate / 2) {
        a->advice |= SNT_ADVICE_RATE_TIGHTER;
        a->advised_rate_ppb = ceil(1.5 * largest) + 1;
    }
    if (map->wander < 0)
        return;
    if (proof->side && proof->wander_needed_ppb_s > map->wander) {
        a->advice |= SNT_ADVICE_WANDER_WIDER;
        a->advised_wander_ppb_s = proof->wander_needed_ppb_s;
    } else if (map->wander_proven > 0.8 * map->wander && map->wander > 0) {
        a->advice |= SNT_ADVICE_WANDER_WIDER;
        a->advised_wander_ppb_s = 2 * map->wander;
    } else if (map->rate_count >= 8 && 4 * map->wander_seen < map->wander) {
        a->advice |= SNT_ADVICE_WANDER_TIGHTER;
        a->advised_wander_ppb_s = 2 * map->wander_seen;
    }
}

snt_status snt_clock_map_audit(const snt_clock_map *map, snt_clock_audit *out)
{
    if (!map || !out)
        return SNT_ERR_INVALID_ARG;
    snt_clock_audit a = {.arrivals = map->arrivals,
                         .delay_floor_lo_ns = audit_ns(floor(map->floor_lo)),
                         .delay_floor_hi_ns = audit_ns(ceil(map->floor_hi)),
                         .delay_ceil_lo_ns = audit_ns(floor(map->ceil_lo)),
                         .delay_ceil_hi_ns = audit_ns(ceil(map->ceil_hi)),
                         .round_trip_min_ns = map->round_trip_min,
                         .rate_lo_ppb = map->rate_count ? map->rate_lo : -map->rate,
                         .rate_hi_ppb = map->rate_count ? map->rate_hi : map->rate,
                         .wander_seen_ppb_s = map->wander_seen,
                         .wander_proven_ppb_s = map->wander_proven,
                         .advised_delay_min_ns = SNT_UNKNOWN,
                         .advised_delay_max_ns = SNT_UNKNOWN,
                         .session = map->now.session};
    audit_delays(map, &a);
    audit_rates(map, &a);
    *out = a;
    return SNT_OK;
}
