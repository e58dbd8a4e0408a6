/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trunc(x·f) as an x87 long double computes it: the exact product rounded to a 64-bit mantissa (nearest, ties to even),
 * then cut towards zero. f = mantissa·2^−shift is the double 1.0 + age_penalty. Integers only, so every machine agrees.
 */
#ifndef SNT_LIB_SYNC_SCALE_H
#define SNT_LIB_SYNC_SCALE_H

#include "../base/internal.h"

typedef struct snt__sync_wide {
    uint64_t hi, lo;
} snt__sync_wide;

static inline snt__sync_wide snt__sync_multiply(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__) && SNT_GNU
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;
    return (snt__sync_wide){(uint64_t)(product >> 64), (uint64_t)product};
#else
    const uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    const uint64_t low = a0 * b0, m1 = a1 * b0 + (low >> 32), m2 = a0 * b1 + (m1 & 0xffffffffu);
    return (snt__sync_wide){a1 * b1 + (m1 >> 32) + (m2 >> 32), (m2 << 32) | (low & 0xffffffffu)};
#endif
}

/* shift in 1..63; f >= 1, below 2^11 so that shift >= 42 */
static inline int64_t snt__sync_scale(int64_t x, uint64_t mantissa, uint32_t shift)
{
    const bool negative = x < 0;
    snt__sync_wide p = snt__sync_multiply(negative ? 0u - (uint64_t)x : (uint64_t)x, mantissa);
    if (p.hi) {
        uint32_t extra = 64; /* bits beyond a 64-bit mantissa */
        for (uint64_t top = p.hi; !(top >> 63); top <<= 1)
            extra--;
        const uint64_t unit = extra < 64 ? UINT64_C(1) << extra : 0; /* 0: one unit is bit 64 */
        const uint64_t half = UINT64_C(1) << (extra - 1), rest = p.lo & (unit - 1);
        const bool odd = extra < 64 ? (p.lo >> extra & 1) != 0 : (p.hi & 1) != 0;
        p.lo -= rest;
        if (rest > half || (rest == half && odd)) {
            const uint64_t before = p.lo;
            p.lo += unit;
            if (extra == 64 || p.lo < before)
                p.hi++;
        }
    }
    const uint64_t high = p.hi >> shift;
    const uint64_t magnitude = (p.hi << (64 - shift)) | (p.lo >> shift);
    if (high || magnitude > (uint64_t)INT64_MAX)
        return negative ? INT64_MIN : INT64_MAX;
    return negative ? -(int64_t)magnitude : (int64_t)magnitude;
}

#endif
