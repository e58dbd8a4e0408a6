/* SPDX-License-Identifier: BSD-3-Clause */
#include "wide.h"

/* Whether the magnitude must grow by one, so that the signed quotient is rounded as asked. */
static bool wide_rounds_up(uint64_t quotient, uint64_t rest, uint64_t den, bool negative, uint32_t rounding)
{
    if (rest == 0)
        return false;
    switch (rounding) {
    case SNT_ROUND_CEIL:
        return !negative;
    case SNT_ROUND_NEAREST: /* rest against den − rest, because 2·rest may not fit */
        return rest > den - rest || (rest == den - rest && (quotient & 1));
    case SNT_ROUND_ZERO:
        return false;
    default:
        return negative;
    }
}

snt_status snt__muldiv_i64(int64_t a, int64_t num, int64_t den, uint32_t rounding, int64_t *out,
                           int64_t *remainder)
{
    const bool negative = ((a < 0) != (num < 0)) != (den < 0);
    const uint64_t d = snt__abs_i64(den);
    const snt__u128 product = snt__mul_u64(snt__abs_i64(a), snt__abs_i64(num));
    if (product.hi >= d)
        return SNT_ERR_OVERFLOW;
    uint64_t rest;
    uint64_t quotient = snt__div_u128(product, d, &rest);
    const bool up = wide_rounds_up(quotient, rest, d, negative, rounding);
    if (quotient > (uint64_t)INT64_MAX + negative - up)
        return SNT_ERR_OVERFLOW;
    quotient += up;
    *out = negative ? (int64_t)(0 - quotient) : (int64_t)quotient;
    if (remainder) {
        const uint64_t size = up ? d - rest : rest;
        /* the sign of the product, turned round where the magnitude was rounded up */
        const bool product_negative = (a < 0) != (num < 0);
        *remainder = product_negative != up ? (int64_t)(0 - size) : (int64_t)size;
    }
    return SNT_OK;
}

int64_t snt__muldiv_i64_sat(int64_t a, int64_t num, int64_t den, uint32_t rounding)
{
    int64_t out;
    if (snt__muldiv_i64(a, num, den, rounding, &out, NULL) == SNT_OK)
        return out;
    return ((a < 0) != (num < 0)) != (den < 0) ? INT64_MIN : INT64_MAX;
}
