/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock_kind.h"

#define CLOCK_KIND_S INT64_C(1000000000)

/* Dates at which clocks start that nobody has set, in seconds since 1970. */
static const int64_t clock_kind_defaults[] = {
    315532800, /* 1980-01-01 */
    315964800, /* 1980-01-06, start of GPS time */
    946684800, /* 2000-01-01 */
};

uint32_t snt_clock_kind_of(snt_time time)
{
    if (time == 0)
        return SNT_CLOCK_KIND_ZERO;
    if (time < 0)
        return SNT_CLOCK_KIND_NEGATIVE;
    if (time < SNT__CLOCK_SMALL_NS)
        return SNT_CLOCK_KIND_UPTIME;
    for (size_t i = 0; i < SNT_COUNT_OF(clock_kind_defaults); i++) {
        const int64_t since = time - clock_kind_defaults[i] * CLOCK_KIND_S;
        if (since >= 0 && since < SNT__CLOCK_SMALL_NS)
            return SNT_CLOCK_KIND_UNSET;
    }
    /* 2001-09-09 … 2100-01-01: the life of this software and of the recordings it is given */
    if (time >= 1000000000 * CLOCK_KIND_S && time < 4102444800 * CLOCK_KIND_S)
        return SNT_CLOCK_KIND_UNIX;
    return SNT_CLOCK_KIND_OTHER;
}

const char *snt_clock_kind_text(uint32_t kind)
{
    static const char *const texts[] = {"unknown", "zero",        "unix time",   "simulated time",
                                        "uptime",  "unset clock", "before 1970", "other"};
    return kind < SNT_COUNT_OF(texts) ? texts[kind] : "unknown";
}

bool snt__clock_comparable(snt_time stamp, snt_time log)
{
    const uint32_t kind = snt_clock_kind_of(stamp), other = snt_clock_kind_of(log);
    const uint64_t apart = snt__audit_abs(snt__audit_sub(log, stamp));
    const bool small = kind == SNT_CLOCK_KIND_UPTIME || kind == SNT_CLOCK_KIND_ZERO;
    const bool other_small = other == SNT_CLOCK_KIND_UPTIME || other == SNT_CLOCK_KIND_ZERO;
    if (small != other_small)
        return false;
    /* two clocks of uptime agree to a minute only if they are one clock */
    return apart < (small ? 60u * (uint64_t)CLOCK_KIND_S : (uint64_t)SNT__CLOCK_SMALL_NS);
}

int64_t snt__clock_tai_utc_s(snt_time utc)
{
    /* first second of each value since 1990, in unix seconds */
    static const struct {
        int64_t from, tai_utc;
    } table[] = {
        {1483228800, 37}, {1435708800, 36}, {1341100800, 35}, {1230768000, 34}, {1136073600, 33},
        {915148800, 32},  {867715200, 31},  {820454400, 30},  {773020800, 29},  {741484800, 28},
        {709948800, 27},  {662688000, 26},  {631152000, 25},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(table); i++)
        if (utc >= table[i].from * CLOCK_KIND_S)
            return table[i].tai_utc;
    return 25;
}

/* Is `difference` this constant, less a delay of up to a second (and 50 ms the other way for clocks that disagree)? */
static bool clock_kind_near(int64_t difference, int64_t constant_s)
{
    const int64_t late = snt__audit_sub(constant_s * CLOCK_KIND_S, difference);
    return late >= -50000000 && late < CLOCK_KIND_S;
}

uint32_t snt_time_scale_of(snt_duration difference, snt_time utc)
{
    const int64_t tai = snt__clock_tai_utc_s(utc), gps = tai - 19;
    if (clock_kind_near(difference, tai))
        return SNT_TIME_SCALE_TAI;
    if (clock_kind_near(difference, -tai))
        return SNT_TIME_SCALE_TAI_TWICE;
    if (clock_kind_near(difference, gps))
        return SNT_TIME_SCALE_GPS;
    if (clock_kind_near(difference, gps - 315964800))
        return SNT_TIME_SCALE_GPS_EPOCH;
    if (clock_kind_near(difference, -315964800)) /* the same, leap seconds already applied */
        return SNT_TIME_SCALE_GPS_EPOCH;
    if (clock_kind_near(difference, 2208988800))
        return SNT_TIME_SCALE_NTP_EPOCH;
    for (int64_t eras = 1; eras <= 3; eras++)
        if (clock_kind_near(difference, -eras * 619315200) || clock_kind_near(difference, eras * 619315200))
            return SNT_TIME_SCALE_GPS_ROLLOVER;
    for (int64_t quarters = -48; quarters <= 56; quarters++)
        if (quarters && clock_kind_near(difference, quarters * 900))
            return SNT_TIME_SCALE_ZONE;
    const int64_t stamp = difference > 0 && utc > INT64_MAX - difference ? INT64_MAX : utc + difference;
    const int64_t hour = 3600 * CLOCK_KIND_S;
    if (stamp >= 0 && stamp < hour && utc >= hour) {
        const int64_t late = (utc % hour - stamp + hour) % hour;
        if (late < CLOCK_KIND_S)
            return SNT_TIME_SCALE_HOUR;
    }
    return SNT_TIME_SCALE_NONE;
}

const char *snt_time_scale_text(uint32_t time_scale)
{
    static const char *const texts[] = {
        "none",
        "TAI (leap seconds not removed)",
        "TAI offset subtracted once too often",
        "GPS time (its leap seconds not removed)",
        "counted from 1980-01-06 (GPS epoch)",
        "off by eras of 1024 GPS weeks",
        "local time stamped as UTC",
        "counted from 1900 (NTP epoch)",
        "counted from the top of the hour",
    };
    return time_scale < SNT_COUNT_OF(texts) ? texts[time_scale] : "none";
}

#undef CLOCK_KIND_S
