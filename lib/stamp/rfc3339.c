/* SPDX-License-Identifier: BSD-3-Clause */
/* RFC 3339 text. Parsing works on bytes with a length and trusts none of them; no locale, no time zone database. */
#include "stamp.h"

#include "../base/print.h"

#define RFC_DAY_S INT64_C(86400)

typedef struct rfc_cursor {
    const char *at;
    const char *end;
} rfc_cursor;

/* What the text says, as UTC. A leap second is second 60 of the minute that `unix_s` is second 59 of. */
typedef struct rfc_instant {
    int64_t unix_s;
    int64_t nsec;
    bool leap;
    bool rounded;
} rfc_instant;

/* Exactly `count` digits. */
static bool rfc_digits(rfc_cursor *c, int count, int32_t *out)
{
    int32_t value = 0;
    if (c->end - c->at < count)
        return false;
    for (; count; count--, c->at++) {
        if (*c->at < '0' || *c->at > '9')
            return false;
        value = value * 10 + (*c->at - '0');
    }
    *out = value;
    return true;
}

/* One character, of either case if it is a letter given in lower case. */
static bool rfc_take(rfc_cursor *c, char lower)
{
    if (c->at == c->end || (*c->at | 0x20) != lower)
        return false;
    c->at++;
    return true;
}

static bool rfc_take_exact(rfc_cursor *c, char wanted)
{
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

/* ".digits", at least one; nine count, a later one that is not zero is noted. */
static bool rfc_fraction(rfc_cursor *c, rfc_instant *out)
{
    int64_t unit = SNT_NS_PER_S / 10;
    out->nsec = 0;
    out->rounded = false;
    if (!rfc_take_exact(c, '.'))
        return true;
    const char *start = c->at;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++, unit /= 10) {
        out->nsec += (*c->at - '0') * unit;
        if (unit == 0 && *c->at != '0')
            out->rounded = true;
    }
    return c->at > start;
}

/* "Z" or "+hh:mm". The sign belongs to both parts: −00:30 is half an hour behind. */
static snt_status rfc_offset(rfc_cursor *c, int64_t *seconds)
{
    int32_t hours, minutes;
    *seconds = 0;
    if (rfc_take(c, 'z'))
        return SNT_OK;
    const bool negative = rfc_take_exact(c, '-');
    if ((!negative && !rfc_take_exact(c, '+')) || !rfc_digits(c, 2, &hours) || !rfc_take_exact(c, ':') ||
        !rfc_digits(c, 2, &minutes))
        return SNT_ERR_FORMAT;
    if (hours > 23 || minutes > 59)
        return SNT_ERR_RANGE;
    *seconds = (hours * 60 + minutes) * (negative ? INT64_C(-60) : INT64_C(60));
    return SNT_OK;
}

static int32_t rfc_month_days(int32_t year, int32_t month)
{
    return (int32_t)(month == 12
                         ? 31
                         : snt__days_from_civil(year, month + 1, 1) - snt__days_from_civil(year, month, 1));
}

/* Whether second 60 exists after this second 59. */
static snt_status rfc_leap_exists(const snt_leap_table *table, int64_t unix_s)
{
    const int64_t next = unix_s + 1;
    if (next % RFC_DAY_S != 0)
        return SNT_ERR_RANGE; /* only ever at the end of a UTC day */
    const int32_t i = snt__leap_index(table, next);
    if (i > 0 && table->steps[i].unix_s == next &&
        table->steps[i].tai_minus_utc > table->steps[i - 1].tai_minus_utc)
        return SNT_OK;
    if (next > INT64_MAX / SNT_NS_PER_S)
        return SNT_ERR_OVERFLOW;
    return next > 0 && next * SNT_NS_PER_S >= table->expires ? SNT_ERR_EXPIRED : SNT_ERR_RANGE;
}

static snt_status rfc_parse(const char *text, size_t length, const snt_leap_table *table, rfc_instant *out)
{
    rfc_cursor c = {text, text + length};
    int32_t year, month, day, hour, minute, second;
    int64_t offset;
    if (!rfc_digits(&c, 4, &year) || !rfc_take_exact(&c, '-') || !rfc_digits(&c, 2, &month) ||
        !rfc_take_exact(&c, '-') || !rfc_digits(&c, 2, &day) ||
        (!rfc_take(&c, 't') && !rfc_take_exact(&c, ' ')) || !rfc_digits(&c, 2, &hour) ||
        !rfc_take_exact(&c, ':') || !rfc_digits(&c, 2, &minute) || !rfc_take_exact(&c, ':') ||
        !rfc_digits(&c, 2, &second) || !rfc_fraction(&c, out))
        return SNT_ERR_FORMAT;
    const snt_status status = rfc_offset(&c, &offset);
    if (status < 0)
        return status;
    if (c.at != c.end)
        return SNT_ERR_FORMAT;
    if (month < 1 || month > 12 || day < 1 || day > rfc_month_days(year, month) || hour > 23 || minute > 59 ||
        second > 60)
        return SNT_ERR_RANGE;
    out->leap = second == 60;
    out->unix_s = snt__days_from_civil(year, month, day) * RFC_DAY_S + hour * 3600 + minute * 60 +
                  (out->leap ? 59 : second) - offset;
    return out->leap ? rfc_leap_exists(table, out->unix_s) : SNT_OK;
}

snt_status snt_time_parse_rfc3339(const char *text, size_t length, const snt_leap_table *given, snt_time *out,
                                  uint32_t *flags)
{
    rfc_instant instant;
    const snt_leap_table *table = snt__leap_table(given);
    if (!text || !out || !table)
        return SNT_ERR_INVALID_ARG;
    snt_status status = rfc_parse(text, length, table, &instant);
    if (status == SNT_OK)
        status = snt_time_from_parts(instant.unix_s + instant.leap, instant.nsec, out);
    if (status == SNT_OK && flags)
        *flags = (instant.rounded ? (uint32_t)SNT_TIME_ROUNDED : 0u) |
                 (instant.leap ? (uint32_t)SNT_TIME_LEAP_AMBIGUOUS : 0u);
    return status;
}

snt_status snt_time_parse_rfc3339_tai(const char *text, size_t length, const snt_leap_table *given,
                                      snt_time *out, uint32_t *flags)
{
    rfc_instant instant;
    snt_time unix_time;
    const snt_leap_table *table = snt__leap_table(given);
    if (!text || !out || !table)
        return SNT_ERR_INVALID_ARG;
    snt_status status = rfc_parse(text, length, table, &instant);
    if (status == SNT_OK)
        status = snt_time_from_parts(instant.unix_s, instant.nsec, &unix_time);
    if (status < 0)
        return status;
    const int32_t i = snt__leap_index(table, instant.unix_s);
    if (i < 0)
        return SNT_ERR_PAST;
    const int64_t shift = (int64_t)table->steps[i].tai_minus_utc + instant.leap;
    status = snt_time_add(unix_time, shift * SNT_NS_PER_S, out);
    if (status == SNT_OK && flags)
        *flags = (instant.rounded ? (uint32_t)SNT_TIME_ROUNDED : 0u) |
                 (unix_time >= table->expires ? (uint32_t)SNT_TIME_LEAP_EXPIRED : 0u);
    return status;
}

/* ---- writing ---- */

static void rfc_put(snt__printer *out, int32_t value, int digits, char then)
{
    snt__print_padded(out, (uint32_t)value, digits);
    snt__print_char(out, then);
}

/* `leap`: write second 60 for what `unix_s` says is second 59. */
static snt_status rfc_format(int64_t unix_s, int64_t nsec, bool leap, uint32_t digits, int32_t offset_minutes,
                             char *text, size_t size)
{
    int32_t year, month, day;
    const int64_t local = unix_s + offset_minutes * INT64_C(60);
    const int64_t days = local / RFC_DAY_S - (local % RFC_DAY_S < 0);
    const int32_t second = (int32_t)(local - days * RFC_DAY_S);
    snt__civil_from_days(days, &year, &month, &day);
    snt__printer out = snt__print_begin(text, size);
    rfc_put(&out, year, 4, '-');
    rfc_put(&out, month, 2, '-');
    rfc_put(&out, day, 2, 'T');
    rfc_put(&out, second / 3600, 2, ':');
    rfc_put(&out, second / 60 % 60, 2, ':');
    snt__print_padded(&out, (uint32_t)(second % 60 + leap), 2);
    if (digits) {
        int64_t unit = 1;
        for (uint32_t i = digits; i < 9; i++)
            unit *= 10;
        snt__print_char(&out, '.');
        snt__print_padded(&out, (uint64_t)(nsec / unit), (int)digits);
    }
    if (offset_minutes) {
        const int32_t minutes = offset_minutes < 0 ? -offset_minutes : offset_minutes;
        snt__print_char(&out, offset_minutes < 0 ? '-' : '+');
        rfc_put(&out, minutes / 60, 2, ':');
        snt__print_padded(&out, (uint32_t)(minutes % 60), 2);
    } else {
        snt__print_char(&out, 'Z');
    }
    return snt__print_end(&out);
}

snt_status snt_time_format_rfc3339(snt_time t, uint32_t digits, int32_t offset_minutes, char *text,
                                   size_t size)
{
    int64_t nsec;
    if (!text)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(t) || digits > 9 || offset_minutes < -1439 || offset_minutes > 1439)
        return SNT_ERR_RANGE;
    const int64_t unix_s = snt__floor_s(t, &nsec);
    return rfc_format(unix_s, nsec, false, digits, offset_minutes, text, size);
}

snt_status snt_time_format_rfc3339_tai(snt_time t, const snt_leap_table *given, uint32_t digits, char *text,
                                       size_t size, uint32_t *flags)
{
    int64_t nsec;
    const snt_leap_table *table = snt__leap_table(given);
    if (!text || !table)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(t) || digits > 9)
        return SNT_ERR_RANGE;
    const int64_t tai_s = snt__floor_s(t, &nsec);
    /* the last step whose leap second, if it inserted one, has begun */
    int32_t i = (int32_t)table->count - 1;
    int64_t before = 0;
    for (; i >= 0; i--) {
        before = table->steps[i > 0 ? i - 1 : 0].tai_minus_utc;
        if (before > table->steps[i].tai_minus_utc)
            before = table->steps[i].tai_minus_utc;
        if (tai_s >= table->steps[i].unix_s + before)
            break;
    }
    if (i < 0)
        return SNT_ERR_PAST;
    const int64_t offset = table->steps[i].tai_minus_utc;
    const bool leap = tai_s < table->steps[i].unix_s + offset;
    const int64_t unix_s = leap ? table->steps[i].unix_s - 1 : tai_s - offset;
    const snt_status status = rfc_format(unix_s, nsec, leap, digits, 0, text, size);
    if (status == SNT_OK && flags)
        *flags = unix_s >= table->expires / SNT_NS_PER_S ? (uint32_t)SNT_TIME_LEAP_EXPIRED : 0u;
    return status;
}

#undef RFC_DAY_S
