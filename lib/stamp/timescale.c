/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UTC, TAI, GPS. Around a step L from offset `old` to `new`, a unix clock is in one of these states:
 *   POSIX repeats the second after L: TAI in [L+old, L+new) reads t − old;
 *   Linux repeats the second before L: TAI in [L+old, L+new) reads t − new.
 * So a unix time in [L−1, L+1) may mean either offset, and so may a TAI time between L+old and L+new. Bounds take both.
 */
#include "../base/internal.h"

#include "stamp.h"

#define TIMESCALE_GPS_EPOCH_TAI ((SNT_GPS_EPOCH_UNIX_S + SNT_TAI_MINUS_GPS_S) * SNT_NS_PER_S)

/* The offsets that a time may stand under: the ordinary one, and the least and greatest where a leap second is near. */
typedef struct timescale_offsets {
    int64_t usual; /* [s] */
    int64_t least;
    int64_t greatest;
} timescale_offsets;

static timescale_offsets timescale_both(int64_t usual, int64_t other)
{
    return (timescale_offsets){usual, usual < other ? usual : other, usual < other ? other : usual};
}

/* Of a unix time. False before the first step. */
static bool timescale_unix_offsets(const snt_leap_table *table, snt_time t, timescale_offsets *out)
{
    int64_t rest;
    const int64_t s = snt__floor_s(t, &rest);
    const int32_t i = snt__leap_index(table, s);
    if (i < 0)
        return false;
    const snt_leap_step *step = &table->steps[i];
    const int64_t usual = step->tai_minus_utc;
    *out = timescale_both(usual, usual);
    if (i > 0 && s == step->unix_s)
        *out = timescale_both(usual, step[-1].tai_minus_utc);
    else if ((uint32_t)i + 1 < table->count && s == step[1].unix_s - 1)
        *out = timescale_both(usual, step[1].tai_minus_utc);
    return true;
}

/* Of a TAI time. False before the first step. */
static bool timescale_tai_offsets(const snt_leap_table *table, snt_time t, timescale_offsets *out)
{
    int64_t rest;
    const int64_t s = snt__floor_s(t, &rest);
    for (int32_t i = (int32_t)table->count - 1; i >= 0; i--) {
        const int64_t start = table->steps[i].unix_s, offset = table->steps[i].tai_minus_utc;
        const int64_t before = i > 0 ? table->steps[i - 1].tai_minus_utc : offset;
        const int64_t least = before < offset ? before : offset;
        const int64_t greatest = before < offset ? offset : before;
        if (s >= start + greatest) {
            *out = timescale_both(offset, offset);
            return true;
        }
        if (s >= start + least) { /* an inserted second counts as POSIX does: still under the old offset */
            *out = before < offset ? timescale_both(before, offset) : timescale_both(offset, before);
            return true;
        }
    }
    return false;
}

static bool timescale_known(uint32_t domain)
{
    return domain == SNT_DOMAIN_UNIX || domain == SNT_DOMAIN_TAI || domain == SNT_DOMAIN_GPS;
}

static uint32_t timescale_expiry(const snt_leap_table *table, snt_time unix_time)
{
    return unix_time >= table->expires ? SNT_TIME_LEAP_EXPIRED : 0;
}

snt_status snt_leap_table_offset(const snt_leap_table *given, snt_time unix_time, int32_t *offset_s,
                                 uint32_t *flags)
{
    timescale_offsets offsets;
    const snt_leap_table *table = snt__leap_table(given);
    if (!offset_s || !table)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(unix_time))
        return SNT_ERR_RANGE;
    if (!timescale_unix_offsets(table, unix_time, &offsets))
        return SNT_ERR_PAST;
    *offset_s = (int32_t)offsets.usual;
    if (flags)
        *flags = timescale_expiry(table, unix_time) |
                 (offsets.least != offsets.greatest ? (uint32_t)SNT_TIME_LEAP_AMBIGUOUS : 0u);
    return SNT_OK;
}

/* A finite time of `from` on TAI, and the reverse, by one of the offsets it may stand under. */
typedef struct timescale_images {
    snt_time usual;
    snt_time least;
    snt_time greatest;
    uint32_t flags;
} timescale_images;

static snt_status timescale_shift(timescale_images *images, int64_t usual, int64_t least, int64_t greatest)
{
    if (snt_time_add(images->usual, usual, &images->usual) < 0)
        return SNT_ERR_OVERFLOW;
    images->least = snt__add_down(images->least, least);
    images->greatest = snt__add_up(images->greatest, greatest);
    return SNT_OK;
}

/* All readings on scale `to` that one finite instant on scale `from` may have. */
static snt_status timescale_map(const snt_leap_table *table, snt_time t, uint32_t from, uint32_t to,
                                timescale_images *out)
{
    timescale_images images = {t, t, t, 0};
    timescale_offsets offsets;
    snt_status status = SNT_OK;
    if (from == SNT_DOMAIN_UNIX && to != SNT_DOMAIN_UNIX) {
        if (!timescale_unix_offsets(table, t, &offsets))
            return SNT_ERR_PAST;
        images.flags = timescale_expiry(table, t);
        status = timescale_shift(&images, offsets.usual * SNT_NS_PER_S, offsets.least * SNT_NS_PER_S,
                                 offsets.greatest * SNT_NS_PER_S);
    } else if (from == SNT_DOMAIN_GPS && to != SNT_DOMAIN_GPS) {
        status = timescale_shift(&images, TIMESCALE_GPS_EPOCH_TAI, TIMESCALE_GPS_EPOCH_TAI,
                                 TIMESCALE_GPS_EPOCH_TAI);
    }
    if (status < 0)
        return status;
    /* now on TAI, unless nothing is to be done */
    if (to == SNT_DOMAIN_UNIX && from != SNT_DOMAIN_UNIX) {
        if (!timescale_tai_offsets(table, images.usual, &offsets))
            return SNT_ERR_PAST;
        status = timescale_shift(&images, -offsets.usual * SNT_NS_PER_S, -offsets.greatest * SNT_NS_PER_S,
                                 -offsets.least * SNT_NS_PER_S);
        if (status < 0)
            return status;
        images.flags = timescale_expiry(table, images.usual);
    } else if (to == SNT_DOMAIN_GPS && from != SNT_DOMAIN_GPS) {
        status = timescale_shift(&images, -TIMESCALE_GPS_EPOCH_TAI, -TIMESCALE_GPS_EPOCH_TAI,
                                 -TIMESCALE_GPS_EPOCH_TAI);
    }
    if (status == SNT_OK && images.least != images.greatest)
        images.flags |= SNT_TIME_LEAP_AMBIGUOUS;
    *out = images;
    return status;
}

snt_status snt_timescale_convert(const snt_leap_table *given, snt_time t, uint32_t from, uint32_t to,
                                 snt_time *out, uint32_t *flags)
{
    timescale_images images;
    const snt_leap_table *table = snt__leap_table(given);
    if (!out || !table)
        return SNT_ERR_INVALID_ARG;
    if (!timescale_known(from) || !timescale_known(to))
        return SNT_ERR_DOMAIN;
    if (!snt__time_finite(t))
        return SNT_ERR_RANGE;
    const snt_status status = timescale_map(table, t, from, to, &images);
    if (status < 0)
        return status;
    *out = images.usual;
    if (flags)
        *flags = images.flags;
    return SNT_OK;
}

/* Widen [lo, hi] by the images of one instant. */
static snt_status timescale_cover(const snt_leap_table *table, snt_time t, uint32_t from, uint32_t to,
                                  snt_interval *hull, uint32_t *flags)
{
    timescale_images images;
    const snt_status status = timescale_map(table, t, from, to, &images);
    if (status < 0)
        return status;
    if (images.least < hull->lo)
        hull->lo = images.least;
    if (images.greatest > hull->hi)
        hull->hi = images.greatest;
    *flags |= images.flags;
    return SNT_OK;
}

/*
 * Images of [lo, hi]. On each piece between places where the offsets change, the image moves with the instant, so that the
 * extremes lie at the ends and on either side of those places.
 */
static snt_status timescale_interval(const snt_leap_table *table, const snt_interval *in, uint32_t from,
                                     uint32_t to, snt_interval *out, uint32_t *flags)
{
    snt_interval hull = {INT64_MAX, INT64_MIN};
    snt_status status = SNT_OK;
    if (snt__time_finite(in->lo))
        status = timescale_cover(table, in->lo, from, to, &hull, flags);
    if (status == SNT_OK && snt__time_finite(in->hi))
        status = timescale_cover(table, in->hi, from, to, &hull, flags);
    for (uint32_t i = table->count - 1; i >= 1 && status == SNT_OK; i--) {
        int64_t around = table->steps[i].unix_s * SNT_NS_PER_S;
        if (from != SNT_DOMAIN_UNIX)
            around += table->steps[i].tai_minus_utc * SNT_NS_PER_S;
        if (from == SNT_DOMAIN_GPS)
            around -= TIMESCALE_GPS_EPOCH_TAI;
        if (around + SNT_NS_PER_S < in->lo)
            break; /* and all before it; a recent time looks at one step only */
        for (int64_t k = -1; k <= 1 && status == SNT_OK; k++) {
            const snt_time place = around + k * SNT_NS_PER_S;
            if (place <= in->lo || place > in->hi)
                continue;
            status = timescale_cover(table, place, from, to, &hull, flags);
            if (status == SNT_OK && place - 1 >= in->lo)
                status = timescale_cover(table, place - 1, from, to, &hull, flags);
        }
    }
    if (status < 0)
        return status;
    *out = (snt_interval){in->lo == SNT_TIME_INFINITE_PAST ? SNT_TIME_INFINITE_PAST : hull.lo,
                          in->hi == SNT_TIME_INFINITE_FUTURE ? SNT_TIME_INFINITE_FUTURE : hull.hi};
    return SNT_OK;
}

snt_status snt_timescale_convert_bounded(const snt_leap_table *given, const snt_bounded_time *in, uint32_t to,
                                         snt_bounded_time *out)
{
    const snt_leap_table *table = snt__leap_table(given);
    if (!in || !out || !table)
        return SNT_ERR_INVALID_ARG;
    snt_status status = snt_bounded_time_check(in);
    if (status < 0)
        return status;
    const uint32_t from = in->domain;
    snt_bounded_time result = *in;
    result.domain = to;
    if (from != to || !timescale_known(from)) {
        uint32_t flags = 0, more = 0;
        snt_interval bounds = {in->lo, in->hi};
        status = snt_timescale_convert(table, in->t, from, to, &result.t, &flags);
        if (status == SNT_OK)
            status = timescale_interval(table, &bounds, from, to, &bounds, &more);
        if (status < 0)
            return status;
        result.lo = bounds.lo;
        result.hi = bounds.hi;
        result.flags |= flags | more;
    }
    *out = result;
    return SNT_OK;
}

snt_status snt_timescale_ptp_to_unix(const snt_leap_table *given, snt_time ptp, uint32_t ptp_flags,
                                     int32_t utc_offset, snt_time *out, uint32_t *flags)
{
    snt_time unix_time;
    uint32_t found = 0;
    if (!(ptp_flags & SNT_PTP_TIMESCALE))
        return out ? SNT_ERR_DOMAIN : SNT_ERR_INVALID_ARG;
    const snt_leap_table *table = snt__leap_table(given);
    snt_status status =
        snt_timescale_convert(table, ptp, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, &unix_time, &found);
    if (!out || !table)
        return SNT_ERR_INVALID_ARG;
    if (status < 0)
        return status;
    if (ptp_flags & SNT_PTP_UTC_OFFSET_VALID) {
        snt_time announced;
        status = snt_time_sub(ptp, (int64_t)utc_offset * SNT_NS_PER_S, &announced);
        if (status < 0)
            return status;
        if (found & SNT_TIME_LEAP_EXPIRED) { /* the grandmaster knows better than an old table */
            unix_time = announced;
            found = SNT_TIME_DECLARED;
        } else if (announced != unix_time && !(found & SNT_TIME_LEAP_AMBIGUOUS)) {
            return SNT_ERR_CONFLICT;
        }
    }
    *out = unix_time;
    if (flags)
        *flags = found;
    return SNT_OK;
}

#undef TIMESCALE_GPS_EPOCH_TAI
