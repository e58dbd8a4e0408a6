/* SPDX-License-Identifier: BSD-3-Clause */
/* Small helpers for pairs of times that may be of different clocks. */
#ifndef SNT_LIB_AUDIT_CLOCK_PAIR_H
#define SNT_LIB_AUDIT_CLOCK_PAIR_H

#include "../base/internal.h"

#include "sensortime/timescale.h"

/* Small times count from some start, a boot or a simulation's; the others are dates. */
static inline bool snt__clock_small(uint32_t kind)
{
    return kind == SNT_LOOKS_SIMULATED || kind == SNT_LOOKS_ZERO;
}

static inline uint64_t snt__audit_abs(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

/*
 * Can the two be subtracted? Dates that lie months apart are of two clocks; so are small times a minute apart, for two
 * clocks since boot agree that well only if they are one clock.
 */
static inline bool snt__clock_comparable(snt_time a, snt_time b)
{
    const bool small = snt__clock_small(snt_clock_kind(a));
    if (small != snt__clock_small(snt_clock_kind(b)))
        return false;
    const uint64_t limit = (small ? UINT64_C(60) : UINT64_C(10000000)) * (uint64_t)SNT_NS_PER_S;
    return snt__audit_abs(snt_time_sub_sat(a, b)) < limit;
}

#endif
