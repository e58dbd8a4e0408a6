/* SPDX-License-Identifier: BSD-3-Clause */
/* The built-in leap seconds, and reading newer ones from the text of a leap-seconds.list. */
#include "../base/internal.h"

#include "stamp.h"

_Static_assert(sizeof(snt_leap_step) == 16, "frozen");
_Static_assert(sizeof(snt_leap_table) == 1048, "frozen");

#define LEAP_NTP_TO_UNIX_S INT64_C(2208988800)
#define LEAP_DAY_S         INT64_C(86400)
#define LEAP_END_S         (INT64_MAX / SNT_NS_PER_S - LEAP_DAY_S) /* later dates leave the range with an offset */

/* TAI − UTC as IERS has published it since 1972; vouched for up to 2026-12-28 (list of 2026-01-06). */
static const snt_leap_table leap_builtin = {
    .updated = INT64_C(1767698058) * SNT_NS_PER_S,
    .expires = INT64_C(1798416000) * SNT_NS_PER_S,
    .count = 28,
    .hash_state = SNT_LEAP_HASH_ABSENT,
    .steps = {{63072000, 10, 0},   {78796800, 11, 0},   {94694400, 12, 0},   {126230400, 13, 0},
              {157766400, 14, 0},  {189302400, 15, 0},  {220924800, 16, 0},  {252460800, 17, 0},
              {283996800, 18, 0},  {315532800, 19, 0},  {362793600, 20, 0},  {394329600, 21, 0},
              {425865600, 22, 0},  {489024000, 23, 0},  {567993600, 24, 0},  {631152000, 25, 0},
              {662688000, 26, 0},  {709948800, 27, 0},  {741484800, 28, 0},  {773020800, 29, 0},
              {820454400, 30, 0},  {867715200, 31, 0},  {915148800, 32, 0},  {1136073600, 33, 0},
              {1230768000, 34, 0}, {1341100800, 35, 0}, {1435708800, 36, 0}, {1483228800, 37, 0}}};

void snt_leap_table_init(snt_leap_table *table)
{
    if (table)
        *table = leap_builtin;
}

const snt_leap_table *snt__leap_table(const snt_leap_table *table)
{
    if (!table)
        return &leap_builtin;
    if (table->count < 1 || table->count > SNT_LEAP_CAPACITY)
        return NULL;
    /* the steps ascend, so that the ends tell whether all of them can be written in ns */
    const int64_t first = table->steps[0].unix_s, last = table->steps[table->count - 1].unix_s;
    return first >= 0 && last < LEAP_END_S ? table : NULL;
}

int32_t snt__leap_index(const snt_leap_table *table, int64_t unix_s)
{
    int32_t i = (int32_t)table->count - 1; /* from the end: stamps are recent */
    while (i >= 0 && unix_s < table->steps[i].unix_s)
        i--;
    return i;
}

/* ---- reading the text ---- */

typedef struct leap_reader {
    const char *at;  /* within the line */
    const char *end; /* of the line */
    snt_leap_table table;
    snt__sha1 sha;
    uint32_t digest[5];
    uint32_t digest_line; /* 0: none */
    bool updated_seen;
    bool expires_seen;
} leap_reader;

static bool leap_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void leap_skip_space(leap_reader *r)
{
    while (r->at < r->end && leap_is_space(*r->at))
        r->at++;
}

/* A decimal number of 1 to 12 digits that ends at a space, a comment or the line's end; its digits go into the hash. */
static snt_status leap_number(leap_reader *r, int64_t *out)
{
    leap_skip_space(r);
    const char *start = r->at;
    int64_t value = 0;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        if (r->at - start == 12)
            return SNT_ERR_RANGE;
        value = value * 10 + (*r->at++ - '0');
    }
    if (r->at == start || (r->at < r->end && !leap_is_space(*r->at) && *r->at != '#'))
        return SNT_ERR_FORMAT;
    snt__sha1_add(&r->sha, start, (size_t)(r->at - start));
    *out = value;
    return SNT_OK;
}

/* An NTP second as a time; it must be one that int64 ns can hold. */
static snt_status leap_seconds(leap_reader *r, int64_t *unix_s)
{
    int64_t ntp;
    const snt_status status = leap_number(r, &ntp);
    if (status < 0)
        return status;
    if (ntp - LEAP_NTP_TO_UNIX_S < 0 || ntp - LEAP_NTP_TO_UNIX_S >= LEAP_END_S)
        return SNT_ERR_RANGE;
    *unix_s = ntp - LEAP_NTP_TO_UNIX_S;
    return SNT_OK;
}

static snt_status leap_line_end(leap_reader *r)
{
    leap_skip_space(r);
    return r->at == r->end || *r->at == '#' ? SNT_OK : SNT_ERR_FORMAT;
}

/* "#$ seconds" and "#@ seconds" */
static snt_status leap_special(leap_reader *r, bool *seen, snt_time *out)
{
    int64_t unix_s;
    if (*seen)
        return SNT_ERR_FORMAT;
    snt_status status = leap_seconds(r, &unix_s);
    if (status == SNT_OK)
        status = leap_line_end(r);
    if (status < 0)
        return status;
    *seen = true;
    *out = unix_s * SNT_NS_PER_S;
    return SNT_OK;
}

static int leap_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "#h" and five words of up to eight hex digits; publishers drop leading zeros of a word */
static snt_status leap_hash(leap_reader *r, uint32_t line)
{
    if (r->digest_line)
        return SNT_ERR_FORMAT;
    for (unsigned word = 0; word < 5; word++) {
        uint32_t value = 0;
        int digits = 0;
        leap_skip_space(r);
        for (; r->at < r->end && leap_hex(*r->at) >= 0; r->at++, digits++) {
            if (digits == 8)
                return SNT_ERR_FORMAT;
            value = value << 4 | (uint32_t)leap_hex(*r->at);
        }
        if (digits == 0)
            return SNT_ERR_FORMAT;
        r->digest[word] = value;
    }
    r->digest_line = line;
    return leap_line_end(r);
}

/* "seconds offset # comment" */
static snt_status leap_step(leap_reader *r)
{
    int64_t unix_s, offset;
    snt_status status = leap_seconds(r, &unix_s);
    if (status == SNT_OK)
        status = leap_number(r, &offset);
    if (status == SNT_OK)
        status = leap_line_end(r);
    if (status < 0)
        return status;
    if (offset > 1000) /* TAI − UTC grows by less than a second a year */
        return SNT_ERR_RANGE;
    if (unix_s % LEAP_DAY_S != 0)
        return SNT_ERR_FORMAT;
    snt_leap_table *table = &r->table;
    if (table->count == SNT_LEAP_CAPACITY)
        return SNT_ERR_FULL;
    if (table->count) {
        const snt_leap_step *last = &table->steps[table->count - 1];
        const int64_t change = offset - last->tai_minus_utc;
        /* a day apart at least, and one second more or less: anything else is no leap second */
        if (unix_s <= last->unix_s || (change != 1 && change != -1))
            return SNT_ERR_FORMAT;
    }
    table->steps[table->count++] = (snt_leap_step){unix_s, (int32_t)offset, 0};
    return SNT_OK;
}

static snt_status leap_line(leap_reader *r, uint32_t line)
{
    leap_skip_space(r);
    if (r->at == r->end)
        return SNT_OK;
    if (*r->at != '#')
        return leap_step(r);
    r->at++;
    if (r->at == r->end)
        return SNT_OK;
    switch (*r->at++) {
    case '$':
        return leap_special(r, &r->updated_seen, &r->table.updated);
    case '@':
        return leap_special(r, &r->expires_seen, &r->table.expires);
    case 'h':
        return leap_hash(r, line);
    default:
        return SNT_OK; /* a comment, or a special line we do not know */
    }
}

snt_status snt_leap_table_parse(const char *text, size_t length, snt_leap_table *table, uint32_t *line)
{
    uint32_t number = 0;
    if (line)
        *line = 0;
    if (!text || !table)
        return SNT_ERR_INVALID_ARG;
    leap_reader r = {.table = {.updated = SNT_UNKNOWN}};
    snt__sha1_begin(&r.sha);
    const char *const end = text + length;
    for (const char *next = text; next < end;) {
        const char *const start = next;
        const char *newline = memchr(start, '\n', (size_t)(end - start));
        r.at = start;
        r.end = newline ? newline : end;
        next = newline ? newline + 1 : end;
        if (number < UINT32_MAX)
            number++;
        const snt_status status = leap_line(&r, number);
        if (status < 0) {
            if (line)
                *line = number;
            return status;
        }
    }
    if (!r.table.count || !r.expires_seen)
        return SNT_ERR_FORMAT;
    if (r.digest_line) {
        uint32_t digest[5];
        snt__sha1_end(&r.sha, digest);
        if (memcmp(digest, r.digest, sizeof digest) != 0) {
            if (line)
                *line = r.digest_line;
            return SNT_ERR_CONFLICT;
        }
        r.table.hash_state = SNT_LEAP_HASH_GOOD;
    }
    *table = r.table;
    return SNT_OK;
}

#undef LEAP_NTP_TO_UNIX_S
#undef LEAP_DAY_S
#undef LEAP_END_S
