/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room share. */
#ifndef SNT_LIB_STAMP_H
#define SNT_LIB_STAMP_H

#include "../base/internal.h"

#include "sensortime/timescale.h"

/* Finite: no infinity, no SNT_UNKNOWN. */
static inline bool snt__time_finite(snt_time t)
{
    return t != SNT_TIME_INFINITE_PAST && t != SNT_TIME_INFINITE_FUTURE;
}

/* Whole seconds rounded down, and the rest in [0, 1e9). */
static inline int64_t snt__floor_s(snt_time t, int64_t *nsec)
{
    int64_t s = t / SNT_NS_PER_S, ns = t % SNT_NS_PER_S;
    if (ns < 0) {
        ns += SNT_NS_PER_S;
        s--;
    }
    *nsec = ns;
    return s;
}

/* a + b and a - b modulo 2^64, and whether that is not the true result. */
static inline bool snt__add_overflows(int64_t a, int64_t b, int64_t *sum)
{
    *sum = (int64_t)((uint64_t)a + (uint64_t)b);
    return ((a ^ *sum) & (b ^ *sum)) < 0;
}

static inline bool snt__sub_overflows(int64_t a, int64_t b, int64_t *difference)
{
    *difference = (int64_t)((uint64_t)a - (uint64_t)b);
    return ((a ^ b) & (a ^ *difference)) < 0;
}

/*
 * Sums and differences for bounds: outward, an infinite end stays infinite and a finite one never turns into the wrong
 * infinity. Differences are no sums with -b: that would make the finite INT64_MIN + 1 an infinity.
 */
static inline snt_time snt__bound_down(bool overflowed, snt_time a, snt_time result)
{
    if (overflowed)
        return a < 0 ? SNT_TIME_INFINITE_PAST : INT64_MAX - 1;
    return result == INT64_MAX ? INT64_MAX - 1 : result;
}

static inline snt_time snt__bound_up(bool overflowed, snt_time a, snt_time result)
{
    if (overflowed)
        return a < 0 ? INT64_MIN + 1 : SNT_TIME_INFINITE_FUTURE;
    return result == INT64_MIN ? INT64_MIN + 1 : result;
}

static inline snt_time snt__add_down(snt_time a, snt_time b)
{
    int64_t sum;
    if (a == SNT_TIME_INFINITE_PAST || b == SNT_TIME_INFINITE_PAST)
        return SNT_TIME_INFINITE_PAST;
    const bool overflowed = snt__add_overflows(a, b, &sum);
    return snt__bound_down(overflowed, a, sum);
}

static inline snt_time snt__add_up(snt_time a, snt_time b)
{
    int64_t sum;
    if (a == SNT_TIME_INFINITE_FUTURE || b == SNT_TIME_INFINITE_FUTURE)
        return SNT_TIME_INFINITE_FUTURE;
    const bool overflowed = snt__add_overflows(a, b, &sum);
    return snt__bound_up(overflowed, a, sum);
}

/* a - b with b an upper end */
static inline snt_time snt__sub_down(snt_time a, snt_time b)
{
    int64_t difference;
    if (a == SNT_TIME_INFINITE_PAST || b == SNT_TIME_INFINITE_FUTURE)
        return SNT_TIME_INFINITE_PAST;
    const bool overflowed = snt__sub_overflows(a, b, &difference);
    return snt__bound_down(overflowed, a, difference);
}

/* a - b with b a lower end */
static inline snt_time snt__sub_up(snt_time a, snt_time b)
{
    int64_t difference;
    if (a == SNT_TIME_INFINITE_FUTURE || b == SNT_TIME_INFINITE_PAST)
        return SNT_TIME_INFINITE_FUTURE;
    const bool overflowed = snt__sub_overflows(a, b, &difference);
    return snt__bound_up(overflowed, a, difference);
}

/* Days since 1970-01-01 of a proleptic Gregorian date, years 0..9999. */
int64_t snt__days_from_civil(int32_t year, int32_t month, int32_t day);

/* The inverse, for |days| < 10^7. */
void snt__civil_from_days(int64_t days, int32_t *year, int32_t *month, int32_t *day);

/* The table asked for: the built-in one for NULL; NULL if the given one is no table. */
const snt_leap_table *snt__leap_table(const snt_leap_table *table);

/* Index of the step in force at a unix second, or −1 before the first. */
int32_t snt__leap_index(const snt_leap_table *table, int64_t unix_s);

/* SHA-1 of a few hundred bytes, for the checksum line of leap-seconds.list only. */
typedef struct snt__sha1 {
    uint32_t state[5];
    uint32_t used;  /* bytes in block */
    uint64_t total; /* bytes seen */
    unsigned char block[64];
} snt__sha1;

void snt__sha1_begin(snt__sha1 *sha);
void snt__sha1_add(snt__sha1 *sha, const char *bytes, size_t count);
void snt__sha1_end(snt__sha1 *sha, uint32_t digest[5]);

#endif
