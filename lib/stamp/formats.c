/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of integers as messages, system calls and networks write times. No local time anywhere: all of these count UTC,
 * TAI or GPS seconds, and a time zone in between is a fault (rs_driver #29). */
#include "../base/internal.h"

#include "../base/wide.h"
#include "stamp.h"

#define FORMATS_NTP_TO_UNIX_S INT64_C(2208988800) /* 1900-01-01 to 1970-01-01 */
#define FORMATS_NTP_ERA_S     INT64_C(4294967296)
#define FORMATS_WEEK_S        INT64_C(604800)

snt_status snt_time_from_parts(int64_t sec, int64_t nsec, snt_time *out)
{
    int64_t rest, whole, product, sum;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    if (snt__add_overflows(sec, snt__floor_s(nsec, &rest), &whole))
        return SNT_ERR_OVERFLOW;
    if (whole < 0) { /* count down from the second above, so that the earliest representable times pass */
        whole++;
        rest -= SNT_NS_PER_S;
    }
    if (snt__muldiv_i64(whole, SNT_NS_PER_S, 1, SNT_ROUND_FLOOR, &product, NULL) < 0 ||
        snt__add_overflows(product, rest, &sum) || !snt__time_finite(sum))
        return SNT_ERR_OVERFLOW;
    *out = sum;
    return SNT_OK;
}

/* The strict forms: a fraction outside [0, limit) is a fault of the sender, not something to normalise in silence. */
static snt_status formats_from(int64_t sec, int64_t fraction, int64_t limit, int64_t unit, snt_time *out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    if (fraction < 0 || fraction >= limit)
        return SNT_ERR_RANGE;
    return snt_time_from_parts(sec, fraction * unit, out);
}

snt_status snt_time_from_ros1(uint32_t sec, uint32_t nsec, snt_time *out)
{
    return formats_from((int64_t)sec, (int64_t)nsec, SNT_NS_PER_S, 1, out);
}

snt_status snt_time_to_ros1(snt_time t, uint32_t *sec, uint32_t *nsec)
{
    int64_t rest;
    if (!sec || !nsec)
        return SNT_ERR_INVALID_ARG;
    const int64_t whole = snt__floor_s(t, &rest);
    if (whole < 0 || whole > (int64_t)UINT32_MAX)
        return SNT_ERR_RANGE;
    *sec = (uint32_t)whole;
    *nsec = (uint32_t)rest;
    return SNT_OK;
}

snt_status snt_duration_from_ros1(int32_t sec, int32_t nsec, snt_duration *out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    if (nsec <= -SNT_NS_PER_S || nsec >= SNT_NS_PER_S)
        return SNT_ERR_RANGE;
    return snt_time_from_parts((int64_t)sec, (int64_t)nsec, out);
}

snt_status snt_duration_to_ros1(snt_duration d, int32_t *sec, int32_t *nsec)
{
    int64_t rest;
    if (!sec || !nsec)
        return SNT_ERR_INVALID_ARG;
    const int64_t whole = snt__floor_s(d, &rest);
    if (whole < INT32_MIN || whole > INT32_MAX)
        return SNT_ERR_RANGE;
    *sec = (int32_t)whole;
    *nsec = (int32_t)rest;
    return SNT_OK;
}

snt_status snt_time_from_ros2(int32_t sec, uint32_t nanosec, snt_time *out)
{
    return formats_from((int64_t)sec, (int64_t)nanosec, SNT_NS_PER_S, 1, out);
}

snt_status snt_time_to_ros2(snt_time t, int32_t *sec, uint32_t *nanosec)
{
    int32_t fraction;
    if (!sec || !nanosec)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt_duration_to_ros1(t, sec, &fraction);
    if (status == SNT_OK)
        *nanosec = (uint32_t)fraction;
    return status;
}

snt_status snt_time_from_timespec(int64_t tv_sec, int64_t tv_nsec, snt_time *out)
{
    return formats_from(tv_sec, tv_nsec, SNT_NS_PER_S, 1, out);
}

snt_status snt_time_to_timespec(snt_time t, int64_t *tv_sec, int64_t *tv_nsec)
{
    if (!tv_sec || !tv_nsec)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(t))
        return SNT_ERR_RANGE;
    *tv_sec = snt__floor_s(t, tv_nsec);
    return SNT_OK;
}

snt_status snt_time_from_timeval(int64_t tv_sec, int64_t tv_usec, snt_time *out)
{
    return formats_from(tv_sec, tv_usec, 1000000, SNT_NS_PER_US, out);
}

snt_status snt_time_to_timeval(snt_time t, int64_t *tv_sec, int64_t *tv_usec)
{
    int64_t rest;
    if (!tv_sec || !tv_usec)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(t))
        return SNT_ERR_RANGE;
    *tv_sec = snt__floor_s(t, &rest);
    *tv_usec = rest / SNT_NS_PER_US;
    return SNT_OK;
}

/*
 * Seconds known modulo `period`, as the value nearest to `pivot`: in [pivot − period/2, pivot + period/2). The distance
 * is taken modulo the period first, so nothing overflows for pivots of any int64 time in seconds.
 */
static int64_t formats_nearest(int64_t value, int64_t pivot, int64_t period)
{
    int64_t ahead = (value - pivot) % period;
    if (ahead < 0)
        ahead += period;
    return pivot + (ahead >= period - period / 2 ? ahead - period : ahead);
}

snt_status snt_time_from_ntp(uint64_t ntp, snt_time pivot, snt_time *out)
{
    int64_t rest;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    if (ntp == 0)
        return SNT_ERR_NO_TIME;
    if (!snt__time_finite(pivot))
        return SNT_ERR_RANGE;
    const int64_t around = snt__floor_s(pivot, &rest) + FORMATS_NTP_TO_UNIX_S;
    const int64_t seconds = formats_nearest((int64_t)(ntp >> 32), around, FORMATS_NTP_ERA_S);
    const uint64_t nsec = ((ntp & UINT32_MAX) * (uint64_t)SNT_NS_PER_S) >> 32;
    return snt_time_from_parts(seconds - FORMATS_NTP_TO_UNIX_S, (int64_t)nsec, out);
}

snt_status snt_time_to_ntp(snt_time t, uint64_t *ntp)
{
    int64_t rest;
    if (!ntp)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(t))
        return SNT_ERR_RANGE;
    const uint64_t seconds = (uint64_t)(snt__floor_s(t, &rest) + FORMATS_NTP_TO_UNIX_S) & UINT32_MAX;
    /* up, because the way back goes down: 2^-32 s is less than 1 ns, so the same nanosecond comes out */
    const uint64_t fraction = (((uint64_t)rest << 32) + SNT_NS_PER_S - 1) / (uint64_t)SNT_NS_PER_S;
    const uint64_t stamp = (seconds << 32) | fraction;
    *ntp = stamp ? stamp : 1;
    return SNT_OK;
}

snt_status snt_time_from_ptp(uint64_t seconds, uint32_t nanoseconds, snt_time *out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    if (seconds >> 48 || nanoseconds >= SNT_NS_PER_S)
        return SNT_ERR_RANGE;
    return snt_time_from_parts((int64_t)seconds, (int64_t)nanoseconds, out);
}

snt_status snt_time_to_ptp(snt_time t, uint64_t *seconds, uint32_t *nanoseconds)
{
    int64_t rest;
    if (!seconds || !nanoseconds)
        return SNT_ERR_INVALID_ARG;
    if (t < 0 || !snt__time_finite(t))
        return SNT_ERR_RANGE;
    *seconds = (uint64_t)snt__floor_s(t, &rest);
    *nanoseconds = (uint32_t)rest;
    return SNT_OK;
}

snt_status snt_time_from_gps(uint32_t week, int64_t tow_ns, uint32_t week_bits, snt_time pivot, snt_time *out)
{
    int64_t full = (int64_t)week, rest;
    if (!out || (week_bits != 0 && week_bits != 10 && week_bits != 13))
        return SNT_ERR_INVALID_ARG;
    if (tow_ns < 0 || tow_ns >= FORMATS_WEEK_S * SNT_NS_PER_S)
        return SNT_ERR_RANGE;
    if (week_bits) {
        const int64_t weeks = INT64_C(1) << week_bits;
        if (full >= weeks || !snt__time_finite(pivot))
            return SNT_ERR_RANGE;
        const int64_t tow_s = snt__floor_s(tow_ns, &rest);
        const int64_t around = snt__floor_s(pivot, &rest);
        full = (formats_nearest(full * FORMATS_WEEK_S + tow_s, around, weeks * FORMATS_WEEK_S) - tow_s) /
               FORMATS_WEEK_S;
    }
    return snt_time_from_parts(full * FORMATS_WEEK_S, tow_ns, out);
}

snt_status snt_time_to_gps(snt_time t, uint32_t week_bits, uint32_t *week, int64_t *tow_ns)
{
    if (!week || !tow_ns || (week_bits != 0 && week_bits != 10 && week_bits != 13))
        return SNT_ERR_INVALID_ARG;
    if (t < 0 || !snt__time_finite(t))
        return SNT_ERR_RANGE;
    const int64_t period = FORMATS_WEEK_S * SNT_NS_PER_S;
    const uint32_t full = (uint32_t)(t / period);
    *week = week_bits ? full & ((1u << week_bits) - 1) : full;
    *tow_ns = t % period;
    return SNT_OK;
}

#undef FORMATS_NTP_TO_UNIX_S
#undef FORMATS_NTP_ERA_S
#undef FORMATS_WEEK_S
