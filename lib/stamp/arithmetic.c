/* SPDX-License-Identifier: BSD-3-Clause */
#include "../base/internal.h"

#include "../base/wide.h"
#include "stamp.h"

snt_status snt_time_add(snt_time t, snt_duration d, snt_time *out)
{
    int64_t sum;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(t) || !snt__time_finite(d))
        return SNT_ERR_RANGE;
    if (snt__add_overflows(t, d, &sum) || !snt__time_finite(sum))
        return SNT_ERR_OVERFLOW;
    *out = sum;
    return SNT_OK;
}

snt_status snt_time_sub(snt_time t, snt_duration d, snt_time *out)
{
    int64_t difference;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(t) || !snt__time_finite(d))
        return SNT_ERR_RANGE;
    if (snt__sub_overflows(t, d, &difference) || !snt__time_finite(difference))
        return SNT_ERR_OVERFLOW;
    *out = difference;
    return SNT_OK;
}

snt_status snt_duration_mul(snt_duration d, int64_t n, snt_duration *out)
{
    return snt_duration_scale(d, n, 1, SNT_ROUND_FLOOR, out);
}

snt_status snt_duration_scale(snt_duration d, int64_t num, int64_t den, uint32_t rounding, snt_duration *out)
{
    int64_t scaled;
    if (!out || den == 0 || rounding > SNT_ROUND_ZERO)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(d))
        return SNT_ERR_RANGE;
    const snt_status status = snt__muldiv_i64(d, num, den, rounding, &scaled, NULL);
    if (status < 0)
        return status;
    if (!snt__time_finite(scaled))
        return SNT_ERR_OVERFLOW;
    *out = scaled;
    return SNT_OK;
}

snt_time snt_time_add_sat(snt_time t, snt_duration d)
{
    int64_t sum;
    if (!snt__time_finite(t))
        return t;
    if (!snt__time_finite(d))
        return d;
    if (snt__add_overflows(t, d, &sum))
        return t < 0 ? SNT_TIME_INFINITE_PAST : SNT_TIME_INFINITE_FUTURE;
    return sum;
}

snt_time snt_time_sub_sat(snt_time t, snt_duration d)
{
    int64_t difference;
    if (!snt__time_finite(t))
        return t;
    if (!snt__time_finite(d))
        return d < 0 ? SNT_TIME_INFINITE_FUTURE : SNT_TIME_INFINITE_PAST;
    if (snt__sub_overflows(t, d, &difference))
        return t < 0 ? SNT_TIME_INFINITE_PAST : SNT_TIME_INFINITE_FUTURE;
    return difference;
}

snt_duration snt_duration_mul_sat(snt_duration d, int64_t n)
{
    return snt_duration_scale_sat(d, n, 1, SNT_ROUND_FLOOR);
}

snt_duration snt_duration_scale_sat(snt_duration d, int64_t num, int64_t den, uint32_t rounding)
{
    if (d == 0 || num == 0)
        return 0;
    if (den == 0 || !snt__time_finite(d)) {
        const bool negative = ((d < 0) != (num < 0)) != (den < 0);
        return negative ? INT64_MIN : INT64_MAX;
    }
    return snt__muldiv_i64_sat(d, num, den, rounding > SNT_ROUND_ZERO ? SNT_ROUND_FLOOR : rounding);
}

snt_status snt_ticks_to_ns(int64_t ticks, int64_t num, int64_t den, uint32_t rounding, snt_duration *out,
                           int64_t *remainder)
{
    int64_t ns, rest;
    if (!out || num <= 0 || den <= 0 || rounding > SNT_ROUND_ZERO)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt__muldiv_i64(ticks, num, den, rounding, &ns, &rest);
    if (status < 0)
        return status;
    if (!snt__time_finite(ns))
        return SNT_ERR_OVERFLOW;
    *out = ns;
    if (remainder)
        *remainder = rest;
    return SNT_OK;
}

snt_status snt_ns_to_ticks(snt_duration ns, int64_t num, int64_t den, uint32_t rounding, int64_t *ticks)
{
    if (!ticks || num <= 0 || den <= 0 || rounding > SNT_ROUND_ZERO)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(ns))
        return SNT_ERR_RANGE;
    return snt__muldiv_i64(ns, den, num, rounding, ticks, NULL);
}
