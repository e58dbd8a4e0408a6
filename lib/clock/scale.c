/* SPDX-License-Identifier: BSD-3-Clause */
#include "unwrap.h"

/* 64×64→128 by halves: no __int128 on 32-bit targets or MSVC. */
static void scale_mul(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
    const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    const uint64_t middle = (p00 >> 32) + (p01 & UINT32_MAX) + (p10 & UINT32_MAX);
    *low = (middle << 32) | (p00 & UINT32_MAX);
    *high = p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}

/* (high:low)/den for high < den: schoolbook, one bit at a time. Only where the product needs more than 64 bits. */
static uint64_t scale_div(uint64_t high, uint64_t low, uint64_t den, uint64_t *remainder)
{
    uint64_t quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        const uint64_t carry = high >> 63;
        high = (high << 1) | ((low >> bit) & 1);
        quotient <<= 1;
        if (carry || high >= den) {
            high -= den;
            quotient |= 1;
        }
    }
    *remainder = high;
    return quotient;
}

bool snt__scale_floor(int64_t value, int64_t num, int64_t den, int64_t *out)
{
    const bool negative = value < 0;
    const uint64_t magnitude = negative ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
    uint64_t high, low, quotient, remainder;
    scale_mul(magnitude, (uint64_t)num, &high, &low);
    if (high >= (uint64_t)den)
        return false;
    if (high == 0) {
        quotient = low / (uint64_t)den;
        remainder = low % (uint64_t)den;
    } else {
        quotient = scale_div(high, low, (uint64_t)den, &remainder);
    }
    if (negative && remainder) {
        if (quotient == UINT64_MAX)
            return false;
        quotient++;
    }
    if (quotient > (uint64_t)INT64_MAX + (negative ? 1u : 0u))
        return false;
    *out = negative ? (int64_t)((uint64_t)0 - quotient) : (int64_t)quotient;
    return true;
}
