/* SPDX-License-Identifier: BSD-3-Clause */
/* UTC, TAI, GPS, leap tables and RFC 3339. */
#include "test.h"

#include "lib/base/internal.h"

#define S              SNT_NS_PER_S
#define L2017          (INT64_C(1483228800) * S) /* 2017-01-01T00:00:00Z, before it 2016-12-31T23:59:60Z */
#define FOREIGN_DOMAIN 70u

/* ---- leap tables ---- */

static const char list[] = "#\tcomment\n"
                           "#$\t3960835200\n"
                           "#@\t3991593600\n"
                           "\n"
                           "2272060800      10      # 1 Jan 1972\n"
                           "2287785600\t11\t# 1 Jul 1972\r\n"
                           "2303683200 12";

static void the_builtin_table_knows_28_steps_and_when_it_ends(void **state)
{
    (void)state;
    snt_leap_table table;
    int32_t offset;
    uint32_t flags;
    snt_leap_table_init(&table);
    snt_leap_table_init(NULL);
    assert_int_equal(table.count, 28);
    for (uint32_t i = 0; i < table.count; i++) {
        assert_int_equal(table.steps[i].tai_minus_utc, 10 + (int32_t)i);
        assert_int_equal(table.steps[i].unix_s % 86400, 0);
        assert_true(i == 0 || table.steps[i].unix_s > table.steps[i - 1].unix_s);
    }
    assert_status(snt_leap_table_offset(NULL, INT64_C(1700000000) * S, &offset, &flags), SNT_OK);
    assert_int_equal(offset, 37);
    assert_int_equal(flags, 0);
    assert_status(snt_leap_table_offset(&table, table.expires - 1, &offset, &flags), SNT_OK);
    assert_int_equal(flags, 0);
    assert_status(snt_leap_table_offset(&table, table.expires, &offset, &flags), SNT_OK);
    assert_int_equal(offset, 37); /* linuxptp refuses here; we answer and say so */
    assert_int_equal(flags, SNT_TIME_LEAP_EXPIRED);
    assert_status(snt_leap_table_offset(NULL, INT64_C(63072000) * S, &offset, &flags), SNT_OK);
    assert_int_equal(offset, 10);
    assert_status(snt_leap_table_offset(NULL, INT64_C(63072000) * S - 1, &offset, &flags), SNT_ERR_PAST);
    assert_status(snt_leap_table_offset(NULL, SNT_UNKNOWN, &offset, &flags), SNT_ERR_RANGE);
    assert_status(snt_leap_table_offset(NULL, 0, NULL, &flags), SNT_ERR_INVALID_ARG);
    table.steps[0].unix_s = -1; /* made by hand, and no table */
    assert_status(snt_leap_table_offset(&table, 0, &offset, &flags), SNT_ERR_INVALID_ARG);
    snt_leap_table_init(&table);
    table.steps[27].unix_s = INT64_MAX / S;
    assert_status(snt_leap_table_offset(&table, 0, &offset, &flags), SNT_ERR_INVALID_ARG);
    snt_leap_table_init(&table);
    table.count = 65;
    assert_status(snt_leap_table_offset(&table, 0, &offset, &flags), SNT_ERR_INVALID_ARG);
}

static void a_list_is_read_with_its_dates(void **state)
{
    (void)state;
    snt_leap_table table;
    uint32_t line = 9;
    assert_status(snt_leap_table_parse(list, sizeof list - 1, &table, &line), SNT_OK);
    assert_int_equal(line, 0);
    assert_int_equal(table.count, 3);
    assert_i64_equal(table.updated, (INT64_C(3960835200) - INT64_C(2208988800)) * S);
    assert_i64_equal(table.expires, (INT64_C(3991593600) - INT64_C(2208988800)) * S);
    assert_i64_equal(table.steps[2].unix_s, 94694400);
    assert_int_equal(table.steps[2].tai_minus_utc, 12);
    assert_int_equal(table.hash_state, SNT_LEAP_HASH_ABSENT);
}

/* The digits of the published list of 2025 with its published checksum. */
static const char published[] = "#$ 3960835200\n#@ 3991593600\n"
                                "2272060800 10\n2287785600 11\n2303683200 12\n2335219200 13\n2366755200 "
                                "14\n2398291200 15\n2429913600 16\n"
                                "2461449600 17\n2492985600 18\n2524521600 19\n2571782400 20\n2603318400 "
                                "21\n2634854400 22\n2698012800 23\n"
                                "2776982400 24\n2840140800 25\n2871676800 26\n2918937600 27\n2950473600 "
                                "28\n2982009600 29\n3029443200 30\n"
                                "3076704000 31\n3124137600 32\n3345062400 33\n3439756800 34\n3550089600 "
                                "35\n3644697600 36\n3692217600 37\n"
                                "#h\t49db2447 571e5e1b 2f002a53 9c8da8e4 39b8e49e\n";

static void the_checksum_of_the_published_list_is_checked(void **state)
{
    (void)state;
    snt_leap_table table, builtin;
    uint32_t line;
    assert_status(snt_leap_table_parse(published, sizeof published - 1, &table, &line), SNT_OK);
    assert_int_equal(table.hash_state, SNT_LEAP_HASH_GOOD);
    snt_leap_table_init(&builtin);
    assert_int_equal(table.count, builtin.count);
    assert_memory_equal(table.steps, builtin.steps, sizeof builtin.steps);
    char damaged[sizeof published];
    memcpy(damaged, published, sizeof published);
    char *date = strstr(damaged, "3960835200");
    date[9] = '1';
    table.count = 7;
    assert_status(snt_leap_table_parse(damaged, sizeof damaged - 1, &table, &line), SNT_ERR_CONFLICT);
    assert_int_equal(line, 31);
    assert_int_equal(table.count, 7);
}

/* A publisher that drops leading zeros of a word and writes capitals. */
static void a_checksum_may_lack_leading_zeros(void **state)
{
    (void)state;
    static const char text[] =
        "#$ 3960835207\n#@ 3991593600\n2272060800 10\n#h B5AD987A 1FFE31 1190B96D AF6DC60E 6539BA2\n";
    snt_leap_table table;
    assert_status(snt_leap_table_parse(text, sizeof text - 1, &table, NULL), SNT_OK);
    assert_int_equal(table.hash_state, SNT_LEAP_HASH_GOOD);
}

static void a_hostile_list_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        snt_status status;
        uint32_t line;
    } cases[] = {
        {"", SNT_ERR_FORMAT, 0},
        {"#@ 3991593600\n", SNT_ERR_FORMAT, 0},
        {"2272060800 10\n", SNT_ERR_FORMAT, 0}, /* no expiry: nobody would know when to stop believing it */
        {"#@ 3991593600\n2272060800 ten\n", SNT_ERR_FORMAT, 2},
        {"#@ 3991593600\n2272060800\n", SNT_ERR_FORMAT, 2},
        {"#@ 3991593600\n2272060800 10 11\n", SNT_ERR_FORMAT, 2},
        {"#@ 3991593600\n2272060800 10x\n", SNT_ERR_FORMAT, 2},
        {"#@ 3991593600\n-2272060800 10\n", SNT_ERR_FORMAT, 2},
        {"#@ 3991593600\n2272060800 10\n2272060800 11\n", SNT_ERR_FORMAT, 3},
        {"#@ 3991593600\n2287785600 10\n2272060800 11\n", SNT_ERR_FORMAT, 3},
        {"#@ 3991593600\n2272060800 10\n2287785600 12\n", SNT_ERR_FORMAT, 3},
        {"#@ 3991593600\n2272060800 10\n2287785600 10\n", SNT_ERR_FORMAT, 3},
        {"#@ 3991593600\n2272060801 10\n", SNT_ERR_FORMAT, 2},
        {"#@ 3991593600\n2272060800 4000000000\n", SNT_ERR_RANGE, 2},
        {"#@ 3991593600\n2272060800000000000000 10\n", SNT_ERR_RANGE, 2},
        {"#@ 86400\n2272060800 10\n", SNT_ERR_RANGE, 1},
        {"#@ 999999999999\n2272060800 10\n", SNT_ERR_RANGE, 1},
        {"#@ 3991593600\n#@ 3991593600\n", SNT_ERR_FORMAT, 2},
        {"#@\n", SNT_ERR_FORMAT, 1},
        {"#$ x\n", SNT_ERR_FORMAT, 1},
        {"#h 1 2 3 4\n", SNT_ERR_FORMAT, 1},
        {"#h 1 2 3 4 123456789\n", SNT_ERR_FORMAT, 1},
        {"#h 1 2 3 4 5 6\n", SNT_ERR_FORMAT, 1},
        {"#h 1 2 3 4 5\n#h 1 2 3 4 5\n", SNT_ERR_FORMAT, 2},
        {"#@ 3991593600\n2272060800 10\n#h 0 0 0 0 0\n", SNT_ERR_CONFLICT, 3},
        {"<html>404</html>\n", SNT_ERR_FORMAT, 1},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        snt_leap_table table = {.count = 7};
        uint32_t line = 99;
        const snt_status status = snt_leap_table_parse(cases[i].text, strlen(cases[i].text), &table, &line);
        if (status != cases[i].status || line != cases[i].line)
            fail_msg("case %zu: %s at line %u", i, snt_status_name(status), line);
        assert_int_equal(table.count, 7);
    }
    snt_leap_table table;
    assert_status(snt_leap_table_parse("#@ 3991593600\n22720\0"
                                       "60800 10\n",
                                       33, &table, NULL),
                  SNT_ERR_FORMAT);
    assert_status(snt_leap_table_parse(NULL, 0, &table, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_leap_table_parse("", 0, NULL, NULL), SNT_ERR_INVALID_ARG);
}

static void more_steps_than_fit_are_refused(void **state)
{
    (void)state;
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "#@ 8000000000\n");
    for (int i = 0; i <= SNT_LEAP_CAPACITY; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%lld %d\n", 2272060800LL + 15811200LL * i,
                                 10 + i);
    snt_leap_table table;
    uint32_t line;
    assert_status(snt_leap_table_parse(text, used, &table, &line), SNT_ERR_FULL);
    assert_int_equal(line, SNT_LEAP_CAPACITY + 2);
}

/* ---- scales ---- */

static snt_time convert(snt_time t, uint32_t from, uint32_t to, uint32_t flags_expected)
{
    snt_time out;
    uint32_t flags;
    assert_status(snt_timescale_convert(NULL, t, from, to, &out, &flags), SNT_OK);
    assert_int_equal(flags, flags_expected);
    return out;
}

static void scales_differ_by_the_published_seconds(void **state)
{
    (void)state;
    const snt_time t = INT64_C(1700000000) * S + 5;
    assert_i64_equal(convert(t, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, 0), t + 37 * S);
    assert_i64_equal(convert(t + 37 * S, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, 0), t);
    assert_i64_equal(convert(t, SNT_DOMAIN_UNIX, SNT_DOMAIN_GPS, 0), t + (18 - SNT_GPS_EPOCH_UNIX_S) * S);
    assert_i64_equal(convert(0, SNT_DOMAIN_GPS, SNT_DOMAIN_UNIX, 0), SNT_GPS_EPOCH_UNIX_S * S);
    assert_i64_equal(convert(0, SNT_DOMAIN_GPS, SNT_DOMAIN_TAI, 0), (SNT_GPS_EPOCH_UNIX_S + 19) * S);
    assert_i64_equal(convert(5, SNT_DOMAIN_TAI, SNT_DOMAIN_TAI, 0), 5);
    /* one day per step of the table, a day before and after, there and back */
    snt_leap_table table;
    snt_leap_table_init(&table);
    for (uint32_t i = 1; i < table.count; i++)
        for (int day = -1; day <= 1; day += 2) {
            const snt_time at = (table.steps[i].unix_s + day * 86400) * S;
            const snt_time tai = convert(at, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, 0);
            assert_i64_equal(tai - at, (table.steps[i].tai_minus_utc - (day < 0)) * S);
            assert_i64_equal(convert(tai, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, 0), at);
        }
    snt_time out = 3;
    assert_status(snt_timescale_convert(NULL, 0, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, &out, NULL), SNT_ERR_PAST);
    assert_status(snt_timescale_convert(NULL, 0, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, &out, NULL), SNT_ERR_PAST);
    assert_status(snt_timescale_convert(NULL, 0, SNT_DOMAIN_STEADY, SNT_DOMAIN_UNIX, &out, NULL),
                  SNT_ERR_DOMAIN);
    assert_status(snt_timescale_convert(NULL, 0, SNT_DOMAIN_TAI, FOREIGN_DOMAIN, &out, NULL), SNT_ERR_DOMAIN);
    assert_status(snt_timescale_convert(NULL, SNT_UNKNOWN, SNT_DOMAIN_TAI, SNT_DOMAIN_GPS, &out, NULL),
                  SNT_ERR_RANGE);
    assert_status(snt_timescale_convert(NULL, INT64_MAX - 1, SNT_DOMAIN_GPS, SNT_DOMAIN_TAI, &out, NULL),
                  SNT_ERR_OVERFLOW);
    assert_status(snt_timescale_convert(NULL, 0, SNT_DOMAIN_TAI, SNT_DOMAIN_GPS, NULL, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_i64_equal(out, 3);
    assert_i64_equal(convert(INT64_C(1800000000) * S, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, SNT_TIME_LEAP_EXPIRED),
                     INT64_C(1800000037) * S);
}

static void the_seconds_around_a_leap_second_are_flagged(void **state)
{
    (void)state;
    const uint32_t doubtful = SNT_TIME_LEAP_AMBIGUOUS;
    assert_i64_equal(convert(L2017 - S - 1, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, 0), L2017 + 35 * S - 1);
    assert_i64_equal(convert(L2017 - S, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, doubtful), L2017 + 35 * S);
    assert_i64_equal(convert(L2017 - 1, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, doubtful), L2017 + 36 * S - 1);
    assert_i64_equal(convert(L2017, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, doubtful), L2017 + 37 * S);
    assert_i64_equal(convert(L2017 + S - 1, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, doubtful), L2017 + 38 * S - 1);
    assert_i64_equal(convert(L2017 + S, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, 0), L2017 + 38 * S);
    /* on TAI the inserted second is unmistakable: POSIX counts it as the next day's first */
    assert_i64_equal(convert(L2017 + 36 * S - 1, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, 0), L2017 - 1);
    assert_i64_equal(convert(L2017 + 36 * S, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, doubtful), L2017);
    assert_i64_equal(convert(L2017 + 37 * S - 1, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, doubtful), L2017 + S - 1);
    assert_i64_equal(convert(L2017 + 37 * S, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, 0), L2017);
}

static snt_bounded_time convert_bounded(snt_time lo, snt_time t, snt_time hi, uint32_t from, uint32_t to)
{
    snt_bounded_time x;
    assert_status(snt_bounded_time_init(t, t - lo, hi - t, from, 4, &x), SNT_OK);
    assert_status(snt_timescale_convert_bounded(NULL, &x, to, &x), SNT_OK);
    assert_status(snt_bounded_time_check(&x), SNT_OK);
    assert_int_equal(x.domain, to);
    assert_int_equal(x.session, 4);
    return x;
}

static void bounds_cover_both_ways_of_counting_a_leap_second(void **state)
{
    (void)state;
    /* away from a leap second: only shifted */
    snt_bounded_time x = convert_bounded(INT64_C(1700000000) * S - 5, INT64_C(1700000000) * S,
                                         INT64_C(1700000000) * S + 7, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI);
    assert_i64_equal(x.lo, INT64_C(1700000037) * S - 5);
    assert_i64_equal(x.hi, INT64_C(1700000037) * S + 7);
    /* Linux reads 23:59:59.5 twice: TAI may be one second later */
    x = convert_bounded(L2017 - S / 2, L2017 - S / 2, L2017 - S / 2, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI);
    assert_i64_equal(x.lo, L2017 + 36 * S - S / 2);
    assert_i64_equal(x.hi, L2017 + 37 * S - S / 2);
    assert_true(x.flags & SNT_TIME_LEAP_AMBIGUOUS);
    /* POSIX reads 00:00:00.5 twice: TAI may be one second earlier */
    x = convert_bounded(L2017 + S / 2, L2017 + S / 2, L2017 + S / 2, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI);
    assert_i64_equal(x.lo, L2017 + 36 * S + S / 2);
    assert_i64_equal(x.hi, L2017 + 37 * S + S / 2);
    /* an interval over the whole of it, in both directions */
    x = convert_bounded(L2017 - 5 * S, L2017, L2017 + 5 * S, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI);
    assert_i64_equal(x.lo, L2017 + 31 * S);
    assert_i64_equal(x.hi, L2017 + 42 * S);
    x = convert_bounded(L2017 + 31 * S, L2017 + 36 * S, L2017 + 42 * S, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX);
    assert_i64_equal(x.lo, L2017 - 5 * S);
    assert_i64_equal(x.hi, L2017 + 5 * S);
    /* ends just after the inserted second: POSIX had already shown 00:00:00.999999999 */
    x = convert_bounded(L2017 + 36 * S - 10, L2017 + 36 * S - 1, L2017 + 37 * S + 5, SNT_DOMAIN_TAI,
                        SNT_DOMAIN_UNIX);
    assert_i64_equal(x.hi, L2017 + S - 1);
    assert_i64_equal(x.lo, L2017 - S); /* and Linux had gone back to 23:59:59 */
    /* an open side stays open */
    snt_bounded_time open;
    assert_status(snt_bounded_time_init(L2017 + 100 * S, SNT_UNKNOWN, 5, SNT_DOMAIN_GPS, 0, &open), SNT_OK);
    open.t = open.hi = L2017 - SNT_GPS_EPOCH_UNIX_S * S + 100 * S;
    assert_status(snt_timescale_convert_bounded(NULL, &open, SNT_DOMAIN_UNIX, &x), SNT_OK);
    assert_i64_equal(x.lo, SNT_TIME_INFINITE_PAST);
    assert_i64_equal(x.hi, L2017 + 82 * S);
    open.domain = FOREIGN_DOMAIN;
    assert_status(snt_timescale_convert_bounded(NULL, &open, SNT_DOMAIN_UNIX, &x), SNT_ERR_DOMAIN);
    assert_status(snt_timescale_convert_bounded(NULL, &open, FOREIGN_DOMAIN, &x), SNT_ERR_DOMAIN);
    assert_status(snt_timescale_convert_bounded(NULL, NULL, FOREIGN_DOMAIN, &x), SNT_ERR_INVALID_ARG);
    assert_status(snt_timescale_convert_bounded(NULL, &open, SNT_DOMAIN_UNIX, NULL), SNT_ERR_INVALID_ARG);
    open.domain = SNT_DOMAIN_UNIX;
    open.hi = open.t - 1;
    assert_status(snt_timescale_convert_bounded(NULL, &open, SNT_DOMAIN_TAI, &x), SNT_ERR_RANGE);
    assert_status(snt_timescale_convert_bounded(NULL, &open, SNT_DOMAIN_UNIX, &x), SNT_ERR_RANGE);
    assert_status(snt_bounded_time_init(L2017, SNT_UNKNOWN, SNT_UNKNOWN, SNT_DOMAIN_UNIX, 0, &open), SNT_OK);
    assert_status(snt_timescale_convert_bounded(NULL, &open, SNT_DOMAIN_TAI, &x), SNT_OK);
    assert_true(x.lo == SNT_TIME_INFINITE_PAST && x.hi == SNT_TIME_INFINITE_FUTURE);
    assert_int_equal(x.flags, SNT_TIME_DECLARED | SNT_TIME_LEAP_AMBIGUOUS);
    x = convert_bounded(INT64_C(1700000000) * S, INT64_C(1700000000) * S, INT64_C(1700000000) * S,
                        SNT_DOMAIN_UNIX, SNT_DOMAIN_GPS);
    assert_int_equal(x.flags, SNT_TIME_DECLARED | SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI);
}

/* A slow model of both kinds of clock: every reading they show within a TAI interval lies in the converted one. */
static void no_clock_shows_a_reading_outside_the_bound(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int i = 0; i < 2000; i++) {
        const snt_time lo = L2017 + 36 * S + rng_int(&rng, -4 * S, 4 * S), hi = lo + rng_int(&rng, 0, 3 * S);
        const snt_bounded_time x = convert_bounded(lo, lo, hi, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX);
        for (int k = 0; k < 20; k++) {
            const snt_time tai = rng_int(&rng, lo, hi);
            const snt_time posix = tai < L2017 + 37 * S ? tai - 36 * S : tai - 37 * S;
            const snt_time linux = tai < L2017 + 36 * S ? tai - 36 * S : tai - 37 * S;
            assert_true(x.lo <= posix && posix <= x.hi);
            assert_true(x.lo <= linux && linux <= x.hi);
            for (int which = 0; which < 2;
                 which++) { /* and back: the truth is in what their reading converts to */
                const snt_time reading = which ? posix : linux;
                const snt_bounded_time back =
                    convert_bounded(reading, reading, reading, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI);
                assert_true(back.lo <= tai && tai <= back.hi);
            }
        }
    }
}

static void a_table_with_a_removed_second_is_obeyed(void **state)
{
    (void)state;
    static const char text[] =
        "#@ 8000000000\n2272060800 10\n2287785600 9\n"; /* 1972-06-30T23:59:59Z did not exist */
    snt_leap_table table;
    snt_time out;
    uint32_t flags;
    assert_status(snt_leap_table_parse(text, sizeof text - 1, &table, NULL), SNT_OK);
    const snt_time at = INT64_C(78796800) * S;
    assert_status(snt_timescale_convert(&table, at + 9 * S, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, &out, &flags),
                  SNT_OK);
    assert_i64_equal(out, at);
    assert_status(snt_timescale_convert(&table, at + 8 * S, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, &out, &flags),
                  SNT_OK);
    assert_i64_equal(out, at - 2 * S);
    assert_status(snt_time_parse_rfc3339("1972-06-30T23:59:60Z", 20, &table, &out, NULL), SNT_ERR_RANGE);
    char made[SNT_RFC3339_SIZE];
    assert_status(snt_time_format_rfc3339_tai(at + 9 * S, &table, 0, made, sizeof made, NULL), SNT_OK);
    assert_string_equal(made, "1972-07-01T00:00:00Z");
    assert_status(snt_time_format_rfc3339_tai(at + 9 * S - 1, &table, 0, made, sizeof made, NULL), SNT_OK);
    assert_string_equal(made, "1972-06-30T23:59:58Z");
}

static void ptp_is_tai_only_if_the_grandmaster_says_so(void **state)
{
    (void)state;
    const snt_time tai = INT64_C(1700000037) * S;
    const uint32_t both = SNT_PTP_TIMESCALE | SNT_PTP_UTC_OFFSET_VALID;
    snt_time out = 3;
    uint32_t flags;
    assert_status(snt_timescale_ptp_to_unix(NULL, tai, 0, 37, &out, &flags), SNT_ERR_DOMAIN);
    assert_status(snt_timescale_ptp_to_unix(NULL, tai, both, 36, &out, &flags), SNT_ERR_CONFLICT);
    assert_status(snt_timescale_ptp_to_unix(NULL, tai, both, 0, &out, &flags), SNT_ERR_CONFLICT);
    assert_status(snt_timescale_ptp_to_unix(NULL, tai, both, 37, NULL, &flags), SNT_ERR_INVALID_ARG);
    assert_status(snt_timescale_ptp_to_unix(NULL, 0, both, 37, &out, &flags),
                  SNT_ERR_PAST); /* a grandmaster in 1970 */
    assert_status(snt_timescale_ptp_to_unix(NULL, SNT_UNKNOWN, both, 37, &out, &flags), SNT_ERR_RANGE);
    assert_i64_equal(out, 3);
    assert_status(snt_timescale_ptp_to_unix(NULL, tai, both, 37, &out, &flags), SNT_OK);
    assert_i64_equal(out, INT64_C(1700000000) * S);
    assert_int_equal(flags, 0);
    assert_status(snt_timescale_ptp_to_unix(NULL, tai, SNT_PTP_TIMESCALE, 99, &out, &flags), SNT_OK);
    assert_i64_equal(out, INT64_C(1700000000) * S);
    /* after the table's expiry the announcement is the better witness */
    assert_status(snt_timescale_ptp_to_unix(NULL, INT64_C(1900000038) * S, both, 38, &out, &flags), SNT_OK);
    assert_i64_equal(out, INT64_C(1900000000) * S);
    assert_int_equal(flags, SNT_TIME_DECLARED);
}

/* ---- RFC 3339 ---- */

static void text_becomes_the_right_nanosecond(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        snt_time t;
        uint32_t flags;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0, 0},
        {"1970-01-01t00:00:00z", 0, 0},
        {"1970-01-01 00:00:00Z", 0, 0},
        {"1970-01-01T00:00:00.000000001Z", 1, 0},
        {"1969-12-31T23:59:59.999999999Z", -1, 0},
        {"1969-12-31T23:59:59.9Z", -100000000,
         0}, /* zeek #186: the fraction of a negative time counts upward */
        {"1985-04-12T23:20:50.52Z", INT64_C(482196050520000000), 0},
        {"1996-12-19T16:39:57-08:00", INT64_C(851042397) * S, 0},
        {"1990-12-31T23:59:60Z", INT64_C(662688000) * S, SNT_TIME_LEAP_AMBIGUOUS},
        {"1990-12-31T15:59:60-08:00", INT64_C(662688000) * S, SNT_TIME_LEAP_AMBIGUOUS},
        {"2016-12-31T23:59:60.25Z", L2017 + S / 4, SNT_TIME_LEAP_AMBIGUOUS},
        {"2017-01-01T05:29:60+05:30", L2017, SNT_TIME_LEAP_AMBIGUOUS},
        {"1937-01-01T12:00:27.87+00:20", INT64_C(-1041337172130000000), 0},
        {"1970-01-01T00:00:00-00:30", 1800 * S, 0}, /* time-rs #478: the sign counts without hours */
        {"1970-01-01T00:00:00-00:00", 0, 0},
        {"1970-01-01T00:00:00+23:59", -86340 * S, 0},
        {"2000-02-29T00:00:00Z", INT64_C(951782400) * S, 0},
        {"1970-01-01T00:00:00.0000000019Z", 1, SNT_TIME_ROUNDED},
        {"1969-12-31T23:59:59.0000000009Z", -S, SNT_TIME_ROUNDED}, /* towards the past */
        {"1970-01-01T00:00:00.1234567890000000000000000000000000000000000000Z", 123456789, 0},
        {"2262-04-11T23:47:16.854775806Z", INT64_MAX - 1, 0},
        {"1677-09-21T00:12:43.145224193Z", INT64_MIN + 1, 0},
        {"2038-01-19T03:14:08Z", INT64_C(2147483648) * S, 0},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        snt_time t = 77;
        uint32_t flags = 77;
        const snt_status status =
            snt_time_parse_rfc3339(cases[i].text, strlen(cases[i].text), NULL, &t, &flags);
        if (status != SNT_OK || t != cases[i].t || flags != cases[i].flags)
            fail_msg("%s: %s %" PRId64 " flags %u", cases[i].text, snt_status_name(status), t, flags);
    }
}

static void text_that_is_no_time_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        snt_status status;
    } cases[] = {
        {"", SNT_ERR_FORMAT},
        {"1970-01-01", SNT_ERR_FORMAT},
        {"1970-01-01T00:00:00", SNT_ERR_FORMAT}, /* no offset: local time of nobody */
        {"1970-01-01T00:00Z", SNT_ERR_FORMAT},
        {"1970-01-01T00:00:00.Z", SNT_ERR_FORMAT}, /* humantime PR 75 */
        {"1970-01-01T00:00:00,5Z", SNT_ERR_FORMAT},
        {"1970-01-01T00:00:00Z ", SNT_ERR_FORMAT},
        {" 1970-01-01T00:00:00Z", SNT_ERR_FORMAT},
        {"70-01-01T00:00:00Z", SNT_ERR_FORMAT},
        {"+1970-01-01T00:00:00Z", SNT_ERR_FORMAT},
        {"-001-01-01T00:00:00Z", SNT_ERR_FORMAT},
        {"1970/01/01T00:00:00Z", SNT_ERR_FORMAT},
        {"1970-01-01T00:00:00+0100", SNT_ERR_FORMAT},
        {"1970-01-01T00:00:00+1:00", SNT_ERR_FORMAT},
        {"1970-01-01T00:00:00+24:00", SNT_ERR_RANGE},
        {"1970-01-01T00:00:00+00:60", SNT_ERR_RANGE},
        {"1970-00-01T00:00:00Z", SNT_ERR_RANGE},
        {"1970-13-01T00:00:00Z", SNT_ERR_RANGE},
        {"1970-04-31T00:00:00Z", SNT_ERR_RANGE},
        {"1970-04-00T00:00:00Z", SNT_ERR_RANGE},
        {"1900-02-29T00:00:00Z", SNT_ERR_RANGE},
        {"2023-02-29T00:00:00Z", SNT_ERR_RANGE},
        {"1970-01-01T24:00:00Z", SNT_ERR_RANGE},
        {"1970-01-01T00:60:00Z", SNT_ERR_RANGE},
        {"1970-01-01T00:00:61Z", SNT_ERR_RANGE},
        {"2016-12-31T12:00:60Z", SNT_ERR_RANGE}, /* humantime PR 75: second 60 just anywhere */
        {"2016-12-31T23:59:60+01:00", SNT_ERR_RANGE},
        {"2015-12-31T23:59:60Z", SNT_ERR_RANGE}, /* a midnight without a leap second */
        {"1971-12-31T23:59:60Z", SNT_ERR_RANGE}, /* the table's first step is no leap second */
        {"2028-12-31T23:59:60Z", SNT_ERR_EXPIRED},
        {"9999-12-31T23:59:60Z", SNT_ERR_OVERFLOW},
        {"2262-04-11T23:47:16.854775807Z", SNT_ERR_OVERFLOW},
        {"1677-09-21T00:12:43.145224192Z", SNT_ERR_OVERFLOW},
        {"0000-01-01T00:00:00Z", SNT_ERR_OVERFLOW},
        {"9999-12-31T23:59:59Z", SNT_ERR_OVERFLOW},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        snt_time t = 77;
        uint32_t flags = 77;
        const snt_status status =
            snt_time_parse_rfc3339(cases[i].text, strlen(cases[i].text), NULL, &t, &flags);
        if (status != cases[i].status || t != 77 || flags != 77)
            fail_msg("%s: %s", cases[i].text, snt_status_name(status));
    }
    snt_time t;
    assert_status(snt_time_parse_rfc3339(NULL, 0, NULL, &t, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_parse_rfc3339("1970-01-01T00:00:00Z", 19, NULL, &t, NULL), SNT_ERR_FORMAT);
}

static void a_leap_second_does_not_sort_before_the_second_it_follows(void **state)
{
    (void)state;
    snt_time before, leap, leap_tai, after_tai;
    /* time-rs #404 */
    assert_status(snt_time_parse_rfc3339("2016-12-31T23:59:59.999999999Z", 30, NULL, &before, NULL), SNT_OK);
    assert_status(snt_time_parse_rfc3339("2016-12-31T23:59:60.0Z", 22, NULL, &leap, NULL), SNT_OK);
    assert_true(leap > before);
    /* and on TAI all three are a second apart */
    assert_status(snt_time_parse_rfc3339_tai("2016-12-31T23:59:60Z", 20, NULL, &leap_tai, NULL), SNT_OK);
    assert_status(snt_time_parse_rfc3339_tai("2017-01-01T00:00:00Z", 20, NULL, &after_tai, NULL), SNT_OK);
    assert_i64_equal(leap_tai, L2017 + 36 * S);
    assert_i64_equal(after_tai, L2017 + 37 * S);
    assert_status(snt_time_parse_rfc3339_tai("1970-01-01T00:00:00Z", 20, NULL, &leap_tai, NULL),
                  SNT_ERR_PAST);
    assert_status(snt_time_parse_rfc3339_tai("2016-12-31T23:59:61Z", 20, NULL, &leap_tai, NULL),
                  SNT_ERR_RANGE);
}

static void times_are_written_with_the_digits_asked_for(void **state)
{
    (void)state;
    char text[SNT_RFC3339_SIZE] = "untouched";
    static const struct {
        snt_time t;
        uint32_t digits;
        int32_t offset;
        const char *text;
    } cases[] = {
        {0, 0, 0, "1970-01-01T00:00:00Z"},
        {1, 9, 0, "1970-01-01T00:00:00.000000001Z"},
        {-1, 9, 0, "1969-12-31T23:59:59.999999999Z"},
        {-1, 3, 0, "1969-12-31T23:59:59.999Z"},
        {5000000, 3, 0, "1970-01-01T00:00:00.005Z"},            /* rcutils printed .500 */
        {INT64_C(59966000000), 1, 0, "1970-01-01T00:00:59.9Z"}, /* iso8601 #47: not :60 */
        {INT64_C(851042397) * S, 0, -480, "1996-12-19T16:39:57-08:00"},
        {1800 * S, 0, -30, "1970-01-01T00:00:00-00:30"},
        {0, 0, 330, "1970-01-01T05:30:00+05:30"},
        {INT64_C(951782400) * S, 0, 0, "2000-02-29T00:00:00Z"},
        {INT64_C(951868799) * S, 0, 0, "2000-02-29T23:59:59Z"},
        {INT64_C(1709164800) * S, 0, 0, "2024-02-29T00:00:00Z"},
        {INT64_C(1735603200) * S, 0, 0, "2024-12-31T00:00:00Z"},
        {INT64_MAX - 1, 9, 0, "2262-04-11T23:47:16.854775806Z"},
        {INT64_MIN + 1, 9, 0, "1677-09-21T00:12:43.145224193Z"},
        {INT64_MIN + 1, 9, -1439, "1677-09-20T00:13:43.145224193-23:59"},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        assert_status(
            snt_time_format_rfc3339(cases[i].t, cases[i].digits, cases[i].offset, text, sizeof text), SNT_OK);
        assert_string_equal(text, cases[i].text);
        assert_status(snt_time_format_rfc3339(cases[i].t, cases[i].digits, cases[i].offset, text,
                                              strlen(cases[i].text)),
                      SNT_ERR_BUFFER_TOO_SMALL);
        assert_int_equal(strlen(text), strlen(cases[i].text) - 1); /* cut, and terminated */
        assert_memory_equal(text, cases[i].text, strlen(text));
    }
    assert_status(snt_time_format_rfc3339(0, 10, 0, text, sizeof text), SNT_ERR_RANGE);
    assert_status(snt_time_format_rfc3339(0, 0, 1440, text, sizeof text), SNT_ERR_RANGE);
    assert_status(snt_time_format_rfc3339(SNT_UNKNOWN, 0, 0, text, sizeof text), SNT_ERR_RANGE);
    assert_status(snt_time_format_rfc3339(0, 0, 0, NULL, 0), SNT_ERR_INVALID_ARG);
}

static void tai_is_written_with_second_sixty(void **state)
{
    (void)state;
    char text[SNT_RFC3339_SIZE];
    uint32_t flags;
    static const struct {
        snt_time tai;
        const char *text;
    } cases[] = {
        {L2017 + 36 * S - 1, "2016-12-31T23:59:59.9Z"},    {L2017 + 36 * S, "2016-12-31T23:59:60.0Z"},
        {L2017 + 37 * S - 1, "2016-12-31T23:59:60.9Z"},    {L2017 + 37 * S, "2017-01-01T00:00:00.0Z"},
        {INT64_C(63072010) * S, "1972-01-01T00:00:00.0Z"},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        assert_status(snt_time_format_rfc3339_tai(cases[i].tai, NULL, 1, text, sizeof text, &flags), SNT_OK);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(flags, 0);
    }
    assert_status(snt_time_format_rfc3339_tai(INT64_C(63072010) * S - 1, NULL, 1, text, sizeof text, &flags),
                  SNT_ERR_PAST);
    assert_status(snt_time_format_rfc3339_tai(INT64_C(1900000000) * S, NULL, 1, text, sizeof text, &flags),
                  SNT_OK);
    assert_int_equal(flags, SNT_TIME_LEAP_EXPIRED);
    assert_status(snt_time_format_rfc3339_tai(0, NULL, 10, text, sizeof text, &flags), SNT_ERR_RANGE);
    assert_status(snt_time_format_rfc3339_tai(0, NULL, 1, NULL, sizeof text, &flags), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_format_rfc3339_tai(L2017, NULL, 9, text, sizeof text, &flags), SNT_OK);
    assert_string_equal(text, "2016-12-31T23:59:24.000000000Z");
}

static void durations_are_written_without_floating_point(void **state)
{
    (void)state;
    static const struct {
        snt_duration d;
        uint32_t digits;
        const char *text;
    } cases[] = {
        {INT64_C(49100000000), 9, "49.100000000"}, /* roscpp_core #92 printed 49.1000000000 */
        {INT64_C(49100000000), 1, "49.1"},
        {INT64_C(49199999999), 1, "49.1"},
        {0, 0, "0"},
        {0, 3, "0.000"},
        {1, 9, "0.000000001"},
        {-1, 9, "-0.000000001"},
        {-1, 3, "-0.001"}, /* towards minus infinity */
        {-250000000, 2, "-0.25"},
        {5000000, 3, "0.005"},
        {999999999, 0, "0"},
        {-1, 0, "-1"},
        {INT64_MAX - 1, 9, "9223372036.854775806"},
        {INT64_MIN + 1, 9, "-9223372036.854775807"},
        {INT64_MIN + 1, 0, "-9223372037"},
    };
    char text[SNT_DURATION_SIZE];
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        assert_status(snt_duration_format(cases[i].d, cases[i].digits, text, sizeof text), SNT_OK);
        assert_string_equal(text, cases[i].text);
        assert_status(snt_duration_format(cases[i].d, cases[i].digits, text, strlen(cases[i].text)),
                      SNT_ERR_BUFFER_TOO_SMALL);
        assert_int_equal(strlen(text), strlen(cases[i].text) - 1); /* cut, and terminated */
        assert_memory_equal(text, cases[i].text, strlen(text));
    }
    assert_status(snt_duration_format(SNT_UNKNOWN, 9, text, sizeof text), SNT_ERR_RANGE);
    assert_status(snt_duration_format(0, 10, text, sizeof text), SNT_ERR_RANGE);
    assert_status(snt_duration_format(0, 1, NULL, 0), SNT_ERR_INVALID_ARG);
}

/* Against the C library's calendar, which was written by others. */
static void the_calendar_agrees_with_the_c_library(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int i = 0; i < 20000; i++) {
        const snt_time t = rng_int(&rng, INT64_MIN + 1, INT64_MAX - 1);
        char ours[SNT_RFC3339_SIZE], theirs[64];
        const time_t seconds = (time_t)(t / S - (t % S < 0));
        struct tm parts;
        assert_non_null(gmtime_r(&seconds, &parts));
        strftime(theirs, sizeof theirs, "%Y-%m-%dT%H:%M:%SZ", &parts);
        assert_status(snt_time_format_rfc3339(t, 0, 0, ours, sizeof ours), SNT_OK);
        assert_string_equal(ours, theirs);
        snt_time back;
        const int32_t offset = (int32_t)rng_int(&rng, -1439, 1439);
        assert_status(snt_time_format_rfc3339(t, 9, offset, ours, sizeof ours), SNT_OK);
        assert_status(snt_time_parse_rfc3339(ours, strlen(ours), NULL, &back, NULL), SNT_OK);
        assert_i64_equal(back, t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_builtin_table_knows_28_steps_and_when_it_ends),
        cmocka_unit_test(a_list_is_read_with_its_dates),
        cmocka_unit_test(the_checksum_of_the_published_list_is_checked),
        cmocka_unit_test(a_checksum_may_lack_leading_zeros),
        cmocka_unit_test(a_hostile_list_is_refused_with_its_line),
        cmocka_unit_test(more_steps_than_fit_are_refused),
        cmocka_unit_test(scales_differ_by_the_published_seconds),
        cmocka_unit_test(the_seconds_around_a_leap_second_are_flagged),
        cmocka_unit_test(bounds_cover_both_ways_of_counting_a_leap_second),
        cmocka_unit_test(no_clock_shows_a_reading_outside_the_bound),
        cmocka_unit_test(a_table_with_a_removed_second_is_obeyed),
        cmocka_unit_test(ptp_is_tai_only_if_the_grandmaster_says_so),
        cmocka_unit_test(text_becomes_the_right_nanosecond),
        cmocka_unit_test(text_that_is_no_time_is_refused),
        cmocka_unit_test(a_leap_second_does_not_sort_before_the_second_it_follows),
        cmocka_unit_test(times_are_written_with_the_digits_asked_for),
        cmocka_unit_test(tai_is_written_with_second_sixty),
        cmocka_unit_test(durations_are_written_without_floating_point),
        cmocka_unit_test(the_calendar_agrees_with_the_c_library),
    };
    return cmocka_run_group_tests_name("timescale", tests, NULL, NULL);
}
