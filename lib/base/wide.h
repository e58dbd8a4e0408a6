/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 128-bit arithmetic for exact rates and bounds, with and without __int128. Every operation exists in a portable form
 * (…_portable), which is what compilers without __int128 use and what tests compare the native form with.
 */
#ifndef SNT_LIB_WIDE_H
#define SNT_LIB_WIDE_H

#include "internal.h"

#include "sensortime/stamp.h"

#if defined(__SIZEOF_INT128__) && SNT_GNU && !defined(SNT_NO_INT128)
#define SNT_HAVE_INT128 1
__extension__ typedef unsigned __int128 snt__native128;
#else
#define SNT_HAVE_INT128 0
#endif

typedef struct snt__u128 {
    uint64_t hi;
    uint64_t lo;
} snt__u128;

/* |a|, also for INT64_MIN */
static inline uint64_t snt__abs_i64(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

static inline snt__u128 snt__mul_u64_portable(uint64_t a, uint64_t b)
{
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t low = al * bl, mid1 = ah * bl, mid2 = al * bh;
    const uint64_t mid = (low >> 32) + (uint32_t)mid1 + (uint32_t)mid2;
    return (snt__u128){ah * bh + (mid1 >> 32) + (mid2 >> 32) + (mid >> 32), (mid << 32) | (uint32_t)low};
}

static inline snt__u128 snt__mul_u64(uint64_t a, uint64_t b)
{
#if SNT_HAVE_INT128
    const snt__native128 product = (snt__native128)a * b;
    return (snt__u128){(uint64_t)(product >> 64), (uint64_t)product};
#else
    return snt__mul_u64_portable(a, b);
#endif
}

/* a + b; what carries out of 128 bits is lost */
static inline snt__u128 snt__add_u128(snt__u128 a, snt__u128 b)
{
    const uint64_t lo = a.lo + b.lo;
    return (snt__u128){a.hi + b.hi + (lo < a.lo), lo};
}

/* a − b, modulo 2^128 */
static inline snt__u128 snt__sub_u128(snt__u128 a, snt__u128 b)
{
    return (snt__u128){a.hi - b.hi - (a.lo < b.lo), a.lo - b.lo};
}

/* −1, 0, 1 */
static inline int snt__cmp_u128(snt__u128 a, snt__u128 b)
{
    if (a.hi != b.hi)
        return a.hi < b.hi ? -1 : 1;
    return (a.lo > b.lo) - (a.lo < b.lo);
}

/* n / d for n.hi < d (the quotient fits 64 bits), by long division bit by bit */
static inline uint64_t snt__div_u128_portable(snt__u128 n, uint64_t d, uint64_t *remainder)
{
    uint64_t rest = n.hi, quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        const uint64_t carry = rest >> 63;
        rest = (rest << 1) | ((n.lo >> bit) & 1);
        if (carry || rest >= d) {
            rest -= d;
            quotient |= UINT64_C(1) << bit;
        }
    }
    *remainder = rest;
    return quotient;
}

/* n / d for n.hi < d */
static inline uint64_t snt__div_u128(snt__u128 n, uint64_t d, uint64_t *remainder)
{
    if (n.hi == 0) { /* the usual case by far, and a fast one everywhere */
        *remainder = n.lo % d;
        return n.lo / d;
    }
#if SNT_HAVE_INT128
    /* one division: the remainder is below 2^64, so its low word is all of it */
    const uint64_t quotient = (uint64_t)((((snt__native128)n.hi << 64) | n.lo) / d);
    *remainder = n.lo - quotient * d;
    return quotient;
#else
    return snt__div_u128_portable(n, d, remainder);
#endif
}

/*
 * a·num/den with one rounding. den is not 0; `rounding` is one of SNT_ROUND_*. `remainder` (may be NULL) receives
 * a·num − out·den, whose magnitude is below |den|; it always fits int64 for |den| <= 2^63 − 1. SNT_ERR_OVERFLOW if the
 * result does not fit int64.
 */
snt_status snt__muldiv_i64(int64_t a, int64_t num, int64_t den, uint32_t rounding, int64_t *out,
                           int64_t *remainder);

/* The same, clamped to INT64_MIN and INT64_MAX. */
int64_t snt__muldiv_i64_sat(int64_t a, int64_t num, int64_t den, uint32_t rounding);

#endif
