/* SPDX-License-Identifier: BSD-3-Clause */
/* Which clock a time may be of, seen from its size alone. */
#ifndef SNT_LIB_AUDIT_CLOCK_KIND_H
#define SNT_LIB_AUDIT_CLOCK_KIND_H

#include "../base/internal.h"

#include "sensortime/stream_monitor.h"

/* Differences beyond this are never a delay: about four months. */
#define SNT__CLOCK_SMALL_NS (INT64_C(10000000) * SNT_NS_PER_S)

/* Can the two be subtracted? Small times of two boots differ by more than any delay. */
bool snt__clock_comparable(snt_time stamp, snt_time log);

/* TAI − UTC [s] at a unix time, from the published table; the last value holds on. */
int64_t snt__clock_tai_utc_s(snt_time utc);

/* a − b, held to the int64 range. */
static inline int64_t snt__audit_sub(int64_t a, int64_t b)
{
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
        return b < 0 ? INT64_MAX : INT64_MIN;
    return a - b;
}

static inline uint64_t snt__audit_abs(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

#endif
