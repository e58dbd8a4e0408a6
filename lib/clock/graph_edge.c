/* SPDX-License-Identifier: BSD-3-Clause */
/* One edge of the clock graph, in both directions. */
#include "graph.h"

#include "../base/wide.h"
#include "../stamp/stamp.h"

#define GRAPH_SIDES ((uint32_t)SNT_TIME_BOUND_LO | (uint32_t)SNT_TIME_BOUND_HI)

/* The flags of a result: what both rest on, and those sides that both have. */
static uint32_t graph_flags(uint32_t before, uint32_t edge, const snt_bounded_time *x)
{
    uint32_t flags = (before | edge) & ~GRAPH_SIDES;
    flags |= x->lo != SNT_TIME_INFINITE_PAST ? (uint32_t)SNT_TIME_BOUND_LO : 0u;
    flags |= x->hi != SNT_TIME_INFINITE_FUTURE ? (uint32_t)SNT_TIME_BOUND_HI : 0u;
    return flags;
}

/* ---- facts ---- */

/* By how much the fact may be off at a time, rounded up: error + drift·|t − at|. */
static snt_duration graph_fact_error(const snt_clock_fact *fact, snt_time t)
{
    const snt_duration away = snt_time_sub_sat(t, fact->at_ns);
    const snt_duration size = away < 0 ? snt_time_sub_sat(0, away) : away;
    const snt_duration drifted = size == SNT_UNKNOWN && fact->drift_ppb
                                     ? SNT_UNKNOWN
                                     : snt__muldiv_i64_sat(size, fact->drift_ppb, 1000000000, SNT_ROUND_CEIL);
    return snt_time_add_sat(fact->error_ns, drifted);
}

/* The same seen from the other end, where only t ≈ u is known: |t − u| <= e(t) <= (e(u)) / (1 − drift). */
static snt_duration graph_fact_error_back(const snt_clock_fact *fact, snt_time u)
{
    const snt_duration error = graph_fact_error(fact, u);
    return error == SNT_UNKNOWN
               ? SNT_UNKNOWN
               : snt__muldiv_i64_sat(error, 1000000000, 1000000000 - fact->drift_ppb, SNT_ROUND_CEIL);
}

/* Whether every known moment of the interval lies in the fact's validity. */
static bool graph_fact_valid(const snt_clock_fact *fact, const snt_bounded_time *x)
{
    const snt_time first = x->lo == SNT_TIME_INFINITE_PAST ? x->t : x->lo;
    const snt_time last = x->hi == SNT_TIME_INFINITE_FUTURE ? x->t : x->hi;
    return first >= fact->valid_from && last <= fact->valid_until;
}

static snt_status graph_cross_fact(const snt_clock_fact *fact, bool forward, const snt_bounded_time *in,
                                   snt_bounded_time *out)
{
    snt_bounded_time x = *in;
    const snt_duration offset =
        forward ? fact->offset_ns : -fact->offset_ns; /* finite, so it has a negative */
    if (forward && !graph_fact_valid(fact, in))
        return SNT_ERR_EXPIRED;
    if (snt_time_add(in->t, offset, &x.t) < 0)
        return SNT_ERR_OVERFLOW;
    if (forward) {
        x.lo = snt__add_down(snt__sub_down(in->lo, graph_fact_error(fact, in->lo)), offset);
        x.hi = snt__add_up(snt__add_up(in->hi, graph_fact_error(fact, in->hi)), offset);
    } else {
        const snt_time lo = snt__add_down(in->lo, offset), hi = snt__add_up(in->hi, offset);
        x.lo = snt__sub_down(lo, graph_fact_error_back(fact, lo));
        x.hi = snt__add_up(hi, graph_fact_error_back(fact, hi));
        if (!graph_fact_valid(fact, &x))
            return SNT_ERR_EXPIRED;
    }
    *out = x;
    return SNT_OK;
}

/* ---- maps ---- */

static snt_status graph_ask(const snt__graph_edge *edge, bool forward, snt_time t, snt_bounded_time *out)
{
    if (edge->kind == SNT_EDGE_MAP)
        return forward ? snt_clock_map_to_host(edge->as.map, t, out)
                       : snt_clock_map_to_device(edge->as.map, t, out);
    return forward ? snt_clock_mapping_to_host(&edge->as.mapping, t, out)
                   : snt_clock_mapping_to_device(&edge->as.mapping, t, out);
}

/* Clocks run forward, so the images of the ends bound the images of all between. */
static snt_status graph_cross_map(const snt__graph_edge *edge, bool forward, const snt_bounded_time *in,
                                  snt_bounded_time *out)
{
    snt_bounded_time middle, first, last;
    snt_status status = graph_ask(edge, forward, in->t, &middle);
    if (status != SNT_OK)
        return status;
    first = last = middle;
    if (in->lo == SNT_TIME_INFINITE_PAST)
        first.lo = SNT_TIME_INFINITE_PAST;
    else if (in->lo != in->t)
        status = graph_ask(edge, forward, in->lo, &first);
    if (status != SNT_OK)
        return status;
    if (in->hi == SNT_TIME_INFINITE_FUTURE)
        last.hi = SNT_TIME_INFINITE_FUTURE;
    else if (in->hi != in->t)
        status = graph_ask(edge, forward, in->hi, &last);
    if (status != SNT_OK)
        return status;
    if (first.session != middle.session || last.session != middle.session)
        return SNT_ERR_SESSION; /* it restarted between two of the questions */
    if (forward && in->session && in->session != middle.session)
        return SNT_ERR_SESSION;
    snt_bounded_time x = middle;
    x.lo = first.lo < middle.t ? first.lo : middle.t;
    x.hi = last.hi > middle.t ? last.hi : middle.t;
    x.flags = middle.flags | first.flags | last.flags;
    *out = x;
    return SNT_OK;
}

snt_status snt__graph_cross(const snt__graph_version *version, const snt__graph_edge *edge, bool forward,
                            const snt_bounded_time *in, snt_bounded_time *out)
{
    snt_bounded_time x;
    snt_status status;
    uint32_t flags = 0;
    const uint32_t to = forward ? edge->to : edge->from;
    switch (edge->kind) {
    case SNT_EDGE_SCALE:
        status = snt_timescale_convert_bounded(&version->leap, in, to, &x);
        break;
    case SNT_EDGE_OFFSET:
    case SNT_EDGE_FACT:
        status = graph_cross_fact(&edge->as.fact, forward, in, &x);
        flags = SNT_TIME_DECLARED;
        if (edge->kind == SNT_EDGE_FACT)
            flags |= SNT_TIME_RESTORED;
        if (edge->as.fact.drift_ppb)
            flags |= SNT_TIME_ASSUMED_RATE;
        break;
    default:
        status = graph_cross_map(edge, forward, in, &x);
    }
    if (status != SNT_OK)
        return status;
    x.flags = graph_flags(in->flags | x.flags, flags, &x);
    x.domain = to;
    *out = x;
    return SNT_OK;
}

#undef GRAPH_SIDES
