/* SPDX-License-Identifier: BSD-3-Clause */
#include "../base/internal.h"

#include "stamp.h"

/* Both given and proper, and something to write to. */
static snt_status interval_check(const snt_interval *a, const snt_interval *b, const void *out)
{
    if (!a || !b || !out)
        return SNT_ERR_INVALID_ARG;
    return a->lo > a->hi || b->lo > b->hi ? SNT_ERR_RANGE : SNT_OK;
}

snt_status snt_interval_around(snt_time t, snt_duration before, snt_duration after, snt_interval *out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(t) || before < 0 || after < 0)
        return SNT_ERR_RANGE;
    *out = (snt_interval){snt__sub_down(t, before), snt__add_up(t, after)};
    return SNT_OK;
}

snt_status snt_interval_add(const snt_interval *a, const snt_interval *b, snt_interval *out)
{
    const snt_status status = interval_check(a, b, out);
    if (status == SNT_OK)
        *out = (snt_interval){snt__add_down(a->lo, b->lo), snt__add_up(a->hi, b->hi)};
    return status;
}

snt_status snt_interval_sub(const snt_interval *a, const snt_interval *b, snt_interval *out)
{
    const snt_status status = interval_check(a, b, out);
    if (status == SNT_OK)
        *out = (snt_interval){snt__sub_down(a->lo, b->hi), snt__sub_up(a->hi, b->lo)};
    return status;
}

snt_status snt_interval_intersect(const snt_interval *a, const snt_interval *b, snt_interval *out)
{
    const snt_status status = interval_check(a, b, out);
    if (status < 0)
        return status;
    const snt_interval both = {a->lo > b->lo ? a->lo : b->lo, a->hi < b->hi ? a->hi : b->hi};
    if (both.lo > both.hi)
        return SNT_ERR_CONFLICT;
    *out = both;
    return SNT_OK;
}

snt_status snt_interval_hull(const snt_interval *a, const snt_interval *b, snt_interval *out)
{
    const snt_status status = interval_check(a, b, out);
    if (status == SNT_OK)
        *out = (snt_interval){a->lo < b->lo ? a->lo : b->lo, a->hi > b->hi ? a->hi : b->hi};
    return status;
}

int32_t snt_interval_contains(const snt_interval *interval, snt_time t)
{
    return interval && interval->lo <= t && t <= interval->hi;
}

snt_status snt_interval_compare(const snt_interval *a, const snt_interval *b, int32_t *order)
{
    const snt_status status = interval_check(a, b, order);
    if (status < 0)
        return status;
    if (a->hi < b->lo)
        *order = SNT_ORDER_BEFORE;
    else if (a->lo > b->hi)
        *order = SNT_ORDER_AFTER;
    else
        *order = a->lo == a->hi && b->lo == b->hi ? SNT_ORDER_EQUAL : SNT_ORDER_OVERLAP;
    return SNT_OK;
}
