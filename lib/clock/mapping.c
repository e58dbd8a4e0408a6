/* SPDX-License-Identifier: BSD-3-Clause */
#include "map.h"

#include <float.h>
#include <math.h>

/*
 * How far the bound may have moved `s` seconds away from the anchor beyond the straight line of rate y: the rate may
 * change by `wander` per second, but stays within its bound, which it reaches after (room = bound − y)/wander.
 */
static double mapping_drift(const snt_clock_mapping *m, double y, double s)
{
    const double k = m->wander_ppb_s, room = m->rate_bound_ppb - y;
    if (k >= 0 && k * s <= room)
        return k * s * s / 2;
    if (k <= 0 || room <= 0)
        return room > 0 ? room * s : 0;
    const double reach = room / k;
    return k * reach * reach / 2 + room * (s - reach);
}

snt__offsets snt__mapping_offsets(const snt_clock_mapping *m, double s)
{
    snt__offsets o;
    if (s >= 0) { /* one corner of the set is extreme for every later time: see docs/clocks.md */
        o.hi = m->x_max_ns + m->y_max_ppb * s + mapping_drift(m, m->y_max_ppb, s);
        o.lo = m->x_min_ns + m->y_min_ppb * s - mapping_drift(m, -m->y_min_ppb, s);
    } else {
        double lo = DBL_MAX, hi = -DBL_MAX;
        for (uint32_t i = 0; i < m->vertex_count; i++) {
            const double v = m->vertices[2 * i] + m->vertices[2 * i + 1] * s;
            lo = v < lo ? v : lo;
            hi = v > hi ? v : hi;
        }
        /* Backwards the clock was ahead if it ran slowly. Past the point where the rate bound bites, go on straight. */
        const double k = m->wander_ppb_s, back = -s;
        const double reach_hi = k > 0 ? (m->rate_bound_ppb + m->y_min_ppb) / k : k < 0 ? 0 : DBL_MAX;
        const double reach_lo = k > 0 ? (m->rate_bound_ppb - m->y_max_ppb) / k : k < 0 ? 0 : DBL_MAX;
        if (back > reach_hi) {
            double at = -DBL_MAX;
            for (uint32_t i = 0; i < m->vertex_count; i++)
                at = fmax(at, m->vertices[2 * i] - m->vertices[2 * i + 1] * reach_hi);
            hi = at + (k > 0 ? k * reach_hi * reach_hi / 2 : 0) + m->rate_bound_ppb * (back - reach_hi);
        } else if (k > 0) {
            hi += k * s * s / 2;
        }
        if (back > reach_lo) {
            double at = DBL_MAX;
            for (uint32_t i = 0; i < m->vertex_count; i++)
                at = fmin(at, m->vertices[2 * i] - m->vertices[2 * i + 1] * reach_lo);
            lo = at - (k > 0 ? k * reach_lo * reach_lo / 2 : 0) - m->rate_bound_ppb * (back - reach_lo);
        } else if (k > 0) {
            lo -= k * s * s / 2;
        }
        o.hi = hi;
        o.lo = lo;
    }
    const double margin =
        1e-3 + 0x1p-48 * fabs(m->y_max_ppb > -m->y_min_ppb ? m->y_max_ppb * s : m->y_min_ppb * s);
    o.hi += margin;
    o.lo -= margin;
    o.t = m->estimate_x_ns + m->estimate_y_ppb * s;
    return o;
}

/* Nearest integer below and above, without a library call. |v| < 2^63. */
static int64_t mapping_floor(double v)
{
    const int64_t i = (int64_t)v;
    return i - ((double)i > v);
}

static int64_t mapping_ceil(double v)
{
    const int64_t i = (int64_t)v;
    return i + ((double)i < v);
}

snt_status snt__mapping_answers(const snt_clock_mapping *m)
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

snt_status snt__mapping_to_host(const snt_clock_mapping *m, int64_t device_ns, snt_bounded_time *out)
{
    if (SNT_UNLIKELY(device_ns >= SNT__MAP_TIME_LIMIT || device_ns <= -SNT__MAP_TIME_LIMIT ||
                     !m->vertex_count))
        return m->vertex_count ? SNT_ERR_OVERFLOW : SNT_PENDING;
    const int64_t step = device_ns - m->device_anchor_ns;
    snt__offsets o = snt__mapping_offsets(m, (double)step * 1e-9);
    /* |anchor| < 2^62, |step| < 2^63: the sum may overflow */
    const int64_t anchor = m->host_anchor_ns;
    if (SNT_UNLIKELY(step >= 0 ? anchor > INT64_MAX - step : anchor < INT64_MIN - step))
        return SNT_ERR_OVERFLOW;
    const int64_t base = anchor + step;
    if (SNT_UNLIKELY(base >= SNT__MAP_TIME_LIMIT || base <= -SNT__MAP_TIME_LIMIT || !(fabs(o.lo) < 0x1p60) ||
                     !(fabs(o.hi) < 0x1p60)))
        return SNT_ERR_OVERFLOW;
    uint32_t flags = m->flags;
    const int64_t silence = device_ns - m->evidence_ns;
    if (silence > m->holdover_after_ns) {
        if (SNT_UNLIKELY(silence > m->horizon_ns))
            return SNT_ERR_HORIZON;
        flags |= SNT_TIME_HOLDOVER;
    }
    const int64_t lo =
        flags & SNT_TIME_BOUND_LO ? base + mapping_floor(o.lo) - m->stamp_before_ns : SNT_TIME_INFINITE_PAST;
    const int64_t hi =
        flags & SNT_TIME_BOUND_HI ? base + mapping_ceil(o.hi) + m->stamp_after_ns : SNT_TIME_INFINITE_FUTURE;
    int64_t t = base + mapping_floor(o.t + 0.5) + (m->stamp_after_ns - m->stamp_before_ns) / 2;
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
    snt_bounded_time result = {.t = m->device_anchor_ns + mapping_floor(t + 0.5),
                               .lo = SNT_TIME_INFINITE_PAST,
                               .hi = SNT_TIME_INFINITE_FUTURE,
                               .domain = m->device_domain,
                               .session = m->session,
                               .version = m->version,
                               .flags = flags};
    /* a stamp shows up to `after` less, or `before` more, than the true reading */
    if (flags & SNT_TIME_BOUND_LO)
        result.lo = m->device_anchor_ns + mapping_floor(lo) - m->stamp_after_ns;
    if (flags & SNT_TIME_BOUND_HI)
        result.hi = m->device_anchor_ns + mapping_ceil(hi) + m->stamp_before_ns;
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
    int64_t longest = last - first + mapping_ceil(hi + margin) + slack;
    int64_t shortest = last - first + mapping_floor(lo - margin) - slack;
    if (first == last)
        longest = shortest = 0;
    const uint32_t both = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
    if ((ta.flags & tb.flags & both) == both && first != last) {
        longest = tb.hi - ta.lo < longest ? tb.hi - ta.lo : longest;
        shortest = tb.lo - ta.hi > shortest ? tb.lo - ta.hi : shortest;
    }
    int64_t best = last - first + mapping_floor(m->estimate_y_ppb * length + 0.5);
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
    if (m->vertex_count &&
        (!(turned > 0) || m->y_min_ppb < -m->rate_bound_ppb || m->y_max_ppb > m->rate_bound_ppb))
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
