/* SPDX-License-Identifier: BSD-3-Clause */
#include "map.h"

#include <float.h>
#include <math.h>

/* Before the anchor: backwards the clock was ahead if it ran slowly. Past the point where the rate bound bites, go on
 * straight. `s` < 0. */
snt__offsets snt__mapping_offsets_past(const snt_clock_mapping *m, double s)
{
    const double k = m->wander_ppb_s, back = -s;
    const double reach_hi = k > 0 ? (m->rate_bound_ppb + m->y_min_ppb) / k : k < 0 ? 0 : DBL_MAX;
    const double reach_lo = k > 0 ? (m->rate_bound_ppb - m->y_max_ppb) / k : k < 0 ? 0 : DBL_MAX;
    const double at_hi = back < reach_hi ? back : reach_hi, at_lo = back < reach_lo ? back : reach_lo;
    double lo = DBL_MAX, hi = -DBL_MAX;
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        const double x = m->vertices[2 * i], y = m->vertices[2 * i + 1];
        const double h = x - y * at_hi, l = x - y * at_lo;
        hi = h > hi ? h : hi;
        lo = l < lo ? l : lo;
    }
    if (k > 0) {
        hi += k * at_hi * at_hi / 2;
        lo -= k * at_lo * at_lo / 2;
    }
    const double fastest = fabs(m->y_max_ppb) > fabs(m->y_min_ppb) ? fabs(m->y_max_ppb) : fabs(m->y_min_ppb);
    const double margin = 1e-3 + 0x1p-48 * fastest * back;
    snt__offsets o;
    o.hi = hi + m->rate_bound_ppb * (back - at_hi) + margin;
    o.lo = lo - m->rate_bound_ppb * (back - at_lo) - margin;
    o.t = m->estimate_x_ns + m->estimate_y_ppb * s;
    return o;
}

snt_status snt__mapping_to_host(const snt_clock_mapping *m, int64_t device_ns, snt_bounded_time *out)
{
    if (!m->vertex_count)
        return SNT_PENDING;
    if (device_ns >= SNT__MAP_TIME_LIMIT || device_ns <= -SNT__MAP_TIME_LIMIT)
        return SNT_ERR_OVERFLOW;
    const snt__offsets o = snt__mapping_offsets(m, (double)(device_ns - m->device_anchor_ns) * 1e-9);
    return snt__mapping_finish(m, device_ns, &o, out);
}

/* Readings at which the bound `which` (0 lower, 1 upper, 2 estimate) equals the host time: a contraction, since rates
 * differ from 1 by at most a half; then moved outward by what is left. */
static double mapping_solve(const snt_clock_mapping *m, double target, int which)
{
    double d = target, step = 0;
    for (int i = 0; i < 60; i++) {
        const snt__offsets o = snt__mapping_offsets(m, d * 1e-9);
        step = target - d - (which == 0 ? o.lo : which == 1 ? o.hi : o.t);
        d += step;
        if (fabs(step) < 1e-3)
            break;
    }
    const double rest = 2 * fabs(step) + 0x1p-50 * fabs(d);
    return which == 0 ? d + rest : which == 1 ? d - rest : d;
}

snt_status snt__mapping_to_device(const snt_clock_mapping *m, int64_t host_ns, snt_bounded_time *out)
{
    if (host_ns >= SNT__MAP_TIME_LIMIT || host_ns <= -SNT__MAP_TIME_LIMIT || !m->vertex_count)
        return m->vertex_count ? SNT_ERR_OVERFLOW : SNT_PENDING;
    if (m->host_anchor_ns >= SNT__MAP_TIME_LIMIT || m->host_anchor_ns <= -SNT__MAP_TIME_LIMIT)
        return SNT_ERR_OVERFLOW;
    const double target = (double)(host_ns - m->host_anchor_ns);
    uint32_t flags = m->flags & ~(uint32_t)(SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI);
    double lo = 0, hi = 0, t = mapping_solve(m, target, 2);
    if (m->flags & SNT_TIME_BOUND_HI) { /* T(d) <= hi(d): the reading is at least where hi reaches the time */
        lo = mapping_solve(m, target, 1);
        flags |= SNT_TIME_BOUND_LO;
    }
    if (m->flags & SNT_TIME_BOUND_LO) {
        hi = mapping_solve(m, target, 0);
        flags |= SNT_TIME_BOUND_HI;
    }
    const double limit = 0x1p61;
    if (!(fabs(lo) < limit) || !(fabs(hi) < limit) || !(fabs(t) < limit) ||
        m->device_anchor_ns >= SNT__MAP_TIME_LIMIT || m->device_anchor_ns <= -SNT__MAP_TIME_LIMIT)
        return SNT_ERR_OVERFLOW;
    snt_bounded_time result = {.t = m->device_anchor_ns + snt__floor_i64(t + 0.5),
                               .lo = SNT_TIME_INFINITE_PAST,
                               .hi = SNT_TIME_INFINITE_FUTURE,
                               .domain = m->device_domain,
                               .session = m->session,
                               .version = m->version,
                               .flags = flags};
    /* a stamp shows up to `after` less, or `before` more, than the true reading */
    if (flags & SNT_TIME_BOUND_LO)
        result.lo = m->device_anchor_ns + snt__floor_i64(lo) - m->stamp_after_ns;
    if (flags & SNT_TIME_BOUND_HI)
        result.hi = m->device_anchor_ns + snt__ceil_i64(hi) + m->stamp_before_ns;
    if (result.t < result.lo)
        result.t = result.lo;
    if (result.t > result.hi)
        result.t = result.hi;
    const int64_t silence = result.t - m->evidence_ns;
    if (silence > m->holdover_after_ns) {
        if (silence > m->horizon_ns)
            return SNT_ERR_HORIZON;
        result.flags |= SNT_TIME_HOLDOVER;
    }
    *out = result;
    return SNT_OK;
}

snt_status snt__mapping_duration(const snt_clock_mapping *m, int64_t from, int64_t to,
                                 snt_clock_duration *out)
{
    const int64_t limit = SNT__MAP_TIME_LIMIT;
    if (!m->vertex_count)
        return SNT_PENDING;
    if (from >= limit || from <= -limit || to >= limit || to <= -limit)
        return SNT_ERR_OVERFLOW;
    const bool forward = to >= from;
    const int64_t first = forward ? from : to, last = forward ? to : from;
    const double a = (double)(first - m->device_anchor_ns) * 1e-9,
                 b = (double)(last - m->device_anchor_ns) * 1e-9;
    const double length = (double)(last - first) * 1e-9, k = m->wander_ppb_s, bound = m->rate_bound_ppb;
    double hi = bound * length, lo = -hi;
    if (k >= 0) { /* ∫ of y ± wander·|distance from the anchor| */
        const double away = a >= 0 ? (b * b - a * a) / 2 : b <= 0 ? (a * a - b * b) / 2 : (a * a + b * b) / 2;
        hi = fmin(hi, m->y_max_ppb * length + k * away);
        lo = fmax(lo, m->y_min_ppb * length - k * away);
    }
    if (!(hi < 0x1p60))
        return SNT_ERR_OVERFLOW;
    /* The two stamps bound it as well: tighter for short gaps far from the anchor. */
    snt_bounded_time ta, tb;
    snt_status status = snt__mapping_to_host(m, first, &ta);
    if (status == SNT_OK)
        status = snt__mapping_to_host(m, last, &tb);
    if (status != SNT_OK)
        return status;
    const double margin = 1e-3 + 0x1p-48 * fabs(hi);
    const int64_t slack = first == last ? 0 : m->stamp_before_ns + m->stamp_after_ns;
    int64_t longest = last - first + snt__ceil_i64(hi + margin) + slack;
    int64_t shortest = last - first + snt__floor_i64(lo - margin) - slack;
    if (first == last)
        longest = shortest = 0;
    const uint32_t both = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
    if ((ta.flags & tb.flags & both) == both && first != last) {
        longest = tb.hi - ta.lo < longest ? tb.hi - ta.lo : longest;
        shortest = tb.lo - ta.hi > shortest ? tb.lo - ta.hi : shortest;
    }
    int64_t best = last - first + snt__floor_i64(m->estimate_y_ppb * length + 0.5);
    best = best < shortest ? shortest : best > longest ? longest : best;
    out->duration_ns = forward ? best : -best;
    out->lo_ns = forward ? shortest : -longest;
    out->hi_ns = forward ? longest : -shortest;
    out->flags = (ta.flags | tb.flags | both | SNT_TIME_ASSUMED_RATE) &
                 ~(uint32_t)(SNT_TIME_CAUSAL * !(ta.flags & SNT_TIME_CAUSAL));
    out->session = m->session;
    return SNT_OK;
}

snt_status snt_clock_mapping_check(const snt_clock_mapping *m)
{
    if (!m)
        return SNT_ERR_INVALID_ARG;
    const int64_t limit = SNT__MAP_TIME_LIMIT;
    const double *const numbers = &m->x_min_ns;
    for (int i = 0; i < 8; i++) /* x_min … rate_bound, in the order of the struct */
        if (!(fabs(numbers[i]) <= 1e15))
            return SNT_ERR_FORMAT;
    if (m->vertex_count > SNT_CLOCK_MAPPING_VERTICES || (m->vertex_count && m->vertex_count < 3) ||
        m->state > SNT_CLOCK_REINITIALIZING || !(m->rate_bound_ppb >= 1 && m->rate_bound_ppb <= 5e8) ||
        m->device_anchor_ns >= limit || m->device_anchor_ns <= -limit || m->host_anchor_ns >= limit ||
        m->host_anchor_ns <= -limit || m->evidence_ns >= limit || m->evidence_ns <= -limit ||
        m->stamp_before_ns < 0 || m->stamp_before_ns > SNT_NS_PER_S * 10 || m->stamp_after_ns < 0 ||
        m->stamp_after_ns > SNT_NS_PER_S * 10 || m->holdover_after_ns < 0 || m->horizon_ns < 0)
        return SNT_ERR_FORMAT;
    const double *v = m->vertices;
    double turned = 0;
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        const double x = v[2 * i], y = v[2 * i + 1];
        if (!(x >= m->x_min_ns && x <= m->x_max_ns && y >= m->y_min_ppb && y <= m->y_max_ppb))
            return SNT_ERR_FORMAT;
        const uint32_t j = (i + 1) % m->vertex_count, k = (i + 2) % m->vertex_count;
        const double ax = v[2 * j] - x, ay = v[2 * j + 1] - y;
        const double bx = v[2 * k] - v[2 * j], by = v[2 * k + 1] - v[2 * j + 1];
        const double cross = ax * by - ay * bx;
        if (cross < -1e-9 * (fabs(ax * by) + fabs(ay * bx)))
            return SNT_ERR_FORMAT;
        turned += cross;
    }
    const double tolerance = 1e-3; /* rounding may leave a rate that much beyond its bound */
    if (m->vertex_count &&
        (!(turned > 0) || m->y_min_ppb < -m->rate_bound_ppb - tolerance ||
         m->y_max_ppb > m->rate_bound_ppb + tolerance || m->estimate_x_ns < m->x_min_ns - 1 ||
         m->estimate_x_ns > m->x_max_ns + 1 || m->estimate_y_ppb < m->y_min_ppb - tolerance ||
         m->estimate_y_ppb > m->y_max_ppb + tolerance))
        return SNT_ERR_FORMAT;
    return SNT_OK;
}

snt_status snt_clock_mapping_to_host(const snt_clock_mapping *mapping, int64_t device_ns,
                                     snt_bounded_time *out)
{
    if (!mapping || !out)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt__mapping_answers(mapping);
    return status == SNT_OK ? snt__mapping_to_host(mapping, device_ns, out) : status;
}

snt_status snt_clock_mapping_to_device(const snt_clock_mapping *mapping, snt_time host_ns,
                                       snt_bounded_time *out)
{
    if (!mapping || !out)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt__mapping_answers(mapping);
    return status == SNT_OK ? snt__mapping_to_device(mapping, host_ns, out) : status;
}

snt_status snt_clock_mapping_duration(const snt_clock_mapping *mapping, int64_t from_ns, int64_t to_ns,
                                      snt_clock_duration *out)
{
    if (!mapping || !out)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt__mapping_answers(mapping);
    return status == SNT_OK ? snt__mapping_duration(mapping, from_ns, to_ns, out) : status;
}
