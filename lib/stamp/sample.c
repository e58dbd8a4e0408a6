/* SPDX-License-Identifier: BSD-3-Clause */
#include "../base/internal.h"

#include "stamp.h"

_Static_assert(sizeof(snt_sample) == 96, "frozen");

void snt_sample_init(snt_sample *sample, snt_time t, uint32_t domain, uint64_t token)
{
    if (!sample)
        return;
    *sample = (snt_sample){.t0_ns = t,
                           .t1_ns = t,
                           .receive_ns = SNT_UNKNOWN,
                           .complete_ns = SNT_UNKNOWN,
                           .token = token,
                           .event = SNT_EVENT_INSTANT,
                           .domain = domain};
}

/* Events with a first and a last moment; the others are points. */
static bool sample_may_span(uint32_t event)
{
    return event == SNT_EVENT_UNSPECIFIED || event == SNT_EVENT_EXPOSURE || event == SNT_EVENT_SWEEP ||
           event == SNT_EVENT_INPUTS;
}

static bool sample_ok(const snt_sample *s)
{
    return snt__time_finite(s->t0_ns) && snt__time_finite(s->t1_ns) && s->t0_ns <= s->t1_ns &&
           s->event <= SNT_EVENT_INPUTS && (s->t0_ns == s->t1_ns || sample_may_span(s->event)) &&
           (!(s->flags & SNT_TIME_BOUND_LO) || s->err_lo_ns >= 0) &&
           (!(s->flags & SNT_TIME_BOUND_HI) || s->err_hi_ns >= 0);
}

snt_status snt_sample_check(const snt_sample *sample)
{
    if (!sample)
        return SNT_ERR_INVALID_ARG;
    return sample_ok(sample) ? SNT_OK : SNT_ERR_RANGE;
}

static snt_duration sample_larger(snt_duration a, snt_duration b)
{
    return a > b ? a : b;
}

snt_status snt_sample_set_times(snt_sample *sample, const snt_bounded_time *first,
                                const snt_bounded_time *last, uint32_t event)
{
    int32_t order;
    if (!sample || !first)
        return SNT_ERR_INVALID_ARG;
    if (!last)
        last = first;
    const snt_status status =
        snt_bounded_time_compare(first, last, &order); /* checks both and their clocks */
    if (status < 0)
        return status;
    if (last->t < first->t || event > SNT_EVENT_INPUTS || (last->t > first->t && !sample_may_span(event)))
        return SNT_ERR_RANGE;
    snt_sample made = *sample;
    made.t0_ns = first->t;
    made.t1_ns = last->t;
    made.event = event;
    made.domain = first->domain;
    made.session = first->session ? first->session : last->session;
    made.version = first->version > last->version ? first->version : last->version;
    made.flags = first->flags | last->flags;
    if (!(first->flags & last->flags & SNT_TIME_BOUND_LO))
        made.flags &= ~(uint32_t)SNT_TIME_BOUND_LO;
    if (!(first->flags & last->flags & SNT_TIME_BOUND_HI))
        made.flags &= ~(uint32_t)SNT_TIME_BOUND_HI;
    made.err_lo_ns = made.err_hi_ns = 0;
    if (made.flags & SNT_TIME_BOUND_LO)
        made.err_lo_ns =
            sample_larger(snt_time_sub_sat(first->t, first->lo), snt_time_sub_sat(last->t, last->lo));
    if (made.flags & SNT_TIME_BOUND_HI)
        made.err_hi_ns =
            sample_larger(snt_time_sub_sat(first->hi, first->t), snt_time_sub_sat(last->hi, last->t));
    *sample = made;
    return SNT_OK;
}

snt_status snt_sample_moment(const snt_sample *sample, uint32_t at, snt_bounded_time *out)
{
    if (!sample || !out || at > SNT_AT_LAST)
        return SNT_ERR_INVALID_ARG;
    if (!sample_ok(sample))
        return SNT_ERR_RANGE;
    snt_time t = at == SNT_AT_LAST ? sample->t1_ns : sample->t0_ns;
    if (at == SNT_AT_MIDDLE) /* the distance as unsigned: it may exceed int64 */
        t += (int64_t)(((uint64_t)sample->t1_ns - (uint64_t)sample->t0_ns) / 2);
    const snt_duration before = sample->flags & SNT_TIME_BOUND_LO ? sample->err_lo_ns : SNT_UNKNOWN;
    const snt_duration after = sample->flags & SNT_TIME_BOUND_HI ? sample->err_hi_ns : SNT_UNKNOWN;
    snt_bounded_time made;
    const snt_status status = snt_bounded_time_init(t, before, after, sample->domain, sample->session, &made);
    if (status < 0)
        return status;
    const uint32_t sides = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
    made.flags = (sample->flags & ~sides) | (made.flags & (sides | SNT_TIME_SATURATED));
    made.version = sample->version;
    *out = made;
    return SNT_OK;
}

snt_status snt_sample_span(const snt_sample *sample, snt_interval *out)
{
    snt_bounded_time first, last;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    snt_status status = snt_sample_moment(sample, SNT_AT_FIRST, &first);
    if (status == SNT_OK)
        status = snt_sample_moment(sample, SNT_AT_LAST, &last);
    if (status == SNT_OK)
        *out = (snt_interval){first.lo, last.hi};
    return status;
}

snt_status snt_sample_comparable(const snt_sample *a, const snt_sample *b)
{
    if (!a || !b)
        return SNT_ERR_INVALID_ARG;
    if (a->domain != b->domain)
        return SNT_ERR_DOMAIN;
    return a->source == b->source && a->session && b->session && a->session != b->session ? SNT_ERR_SESSION
                                                                                          : SNT_OK;
}
