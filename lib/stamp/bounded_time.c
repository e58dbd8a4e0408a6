/* SPDX-License-Identifier: BSD-3-Clause */
#include "../base/internal.h"

#include "stamp.h"

_Static_assert(sizeof(snt_interval) == 16, "frozen");
_Static_assert(sizeof(snt_bounded_time) == 40, "frozen");
_Static_assert(sizeof(snt_bounded_duration) == 32, "frozen");
_Static_assert(sizeof(snt_delay_error) == 32, "frozen");

#define BOUNDED_SIDES ((uint32_t)SNT_TIME_BOUND_LO | (uint32_t)SNT_TIME_BOUND_HI)

static bool bounded_ok(const snt_bounded_time *x)
{
    return snt__time_finite(x->t) && x->lo <= x->t && x->t <= x->hi &&
           (x->lo == SNT_TIME_INFINITE_PAST) == !(x->flags & SNT_TIME_BOUND_LO) &&
           (x->hi == SNT_TIME_INFINITE_FUTURE) == !(x->flags & SNT_TIME_BOUND_HI);
}

/* The flags that agree with these ends: a side that left the range has no bound any more. */
static uint32_t bounded_flags(uint32_t flags, int64_t lo, int64_t hi)
{
    uint32_t lost = 0;
    if (lo == SNT_TIME_INFINITE_PAST)
        lost |= SNT_TIME_BOUND_LO;
    if (hi == SNT_TIME_INFINITE_FUTURE)
        lost |= SNT_TIME_BOUND_HI;
    return (flags & ~lost) | (flags & lost ? (uint32_t)SNT_TIME_SATURATED : 0u);
}

snt_status snt_bounded_time_init(snt_time t, snt_duration err_lo, snt_duration err_hi, uint32_t domain,
                                 uint32_t session, snt_bounded_time *out)
{
    snt_interval around;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt_interval_around(t, err_lo, err_hi, &around);
    if (status < 0)
        return status;
    uint32_t flags = SNT_TIME_DECLARED;
    flags |= err_lo != SNT_UNKNOWN ? (uint32_t)SNT_TIME_BOUND_LO : 0u;
    flags |= err_hi != SNT_UNKNOWN ? (uint32_t)SNT_TIME_BOUND_HI : 0u;
    *out = (snt_bounded_time){.t = t,
                              .lo = around.lo,
                              .hi = around.hi,
                              .domain = domain,
                              .session = session,
                              .flags = bounded_flags(flags, around.lo, around.hi)};
    return SNT_OK;
}

snt_status snt_bounded_time_check(const snt_bounded_time *time)
{
    if (!time)
        return SNT_ERR_INVALID_ARG;
    return bounded_ok(time) ? SNT_OK : SNT_ERR_RANGE;
}

snt_status snt_bounded_time_add(const snt_bounded_time *time, snt_duration d, snt_duration error,
                                snt_bounded_time *out)
{
    snt_interval step;
    if (!time || !out)
        return SNT_ERR_INVALID_ARG;
    if (!bounded_ok(time) || snt_interval_around(d, error, error, &step) < 0)
        return SNT_ERR_RANGE;
    snt_bounded_time moved = *time;
    if (snt_time_add(time->t, d, &moved.t) < 0)
        return SNT_ERR_OVERFLOW;
    moved.lo = snt__add_down(time->lo, step.lo);
    moved.hi = snt__add_up(time->hi, step.hi);
    if (error == SNT_UNKNOWN)
        moved.flags &= ~BOUNDED_SIDES;
    moved.flags = bounded_flags(moved.flags, moved.lo, moved.hi);
    *out = moved;
    return SNT_OK;
}

/* Whether two bounded times may be put together. */
static snt_status bounded_pair(const snt_bounded_time *a, const snt_bounded_time *b)
{
    if (!a || !b)
        return SNT_ERR_INVALID_ARG;
    if (!bounded_ok(a) || !bounded_ok(b))
        return SNT_ERR_RANGE;
    if (a->domain != b->domain)
        return SNT_ERR_DOMAIN;
    return a->session && b->session && a->session != b->session ? SNT_ERR_SESSION : SNT_OK;
}

snt_status snt_bounded_time_sub(const snt_bounded_time *a, const snt_bounded_time *b,
                                snt_bounded_duration *out)
{
    const snt_status status = out ? bounded_pair(a, b) : SNT_ERR_INVALID_ARG;
    if (status < 0)
        return status;
    snt_bounded_duration gap = {.flags = (a->flags | b->flags) & ~BOUNDED_SIDES};
    if (snt_time_sub(a->t, b->t, &gap.d) < 0)
        return SNT_ERR_OVERFLOW;
    gap.lo = snt__sub_down(a->lo, b->hi);
    gap.hi = snt__sub_up(a->hi, b->lo);
    uint32_t sides = 0;
    if ((a->flags & SNT_TIME_BOUND_LO) && (b->flags & SNT_TIME_BOUND_HI))
        sides |= SNT_TIME_BOUND_LO;
    else
        gap.lo = INT64_MIN; /* also where the other end was finite: an unknown end swallows it */
    if ((a->flags & SNT_TIME_BOUND_HI) && (b->flags & SNT_TIME_BOUND_LO))
        sides |= SNT_TIME_BOUND_HI;
    else
        gap.hi = INT64_MAX;
    gap.flags = bounded_flags(gap.flags | sides, gap.lo, gap.hi);
    *out = gap;
    return SNT_OK;
}

snt_status snt_bounded_time_compare(const snt_bounded_time *a, const snt_bounded_time *b, int32_t *order)
{
    const snt_status status = order ? bounded_pair(a, b) : SNT_ERR_INVALID_ARG;
    if (status < 0)
        return status;
    const snt_interval of_a = {a->lo, a->hi}, of_b = {b->lo, b->hi};
    return snt_interval_compare(&of_a, &of_b, order);
}

snt_status snt_bounded_time_separation(const snt_bounded_time *a, const snt_bounded_time *b,
                                       snt_duration *least, snt_duration *greatest)
{
    snt_bounded_duration gap;
    const snt_status status = snt_bounded_time_sub(a, b, &gap);
    if (status < 0)
        return status;
    const snt_duration other = gap.lo == INT64_MIN ? SNT_UNKNOWN : -gap.lo;
    if (least)
        *least = gap.lo > 0 ? gap.lo : gap.hi < 0 ? -gap.hi : 0; /* an upper end is never INT64_MIN */
    if (greatest)
        *greatest = gap.hi > other ? gap.hi : other;
    return SNT_OK;
}

#undef BOUNDED_SIDES
