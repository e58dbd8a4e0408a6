/* SPDX-License-Identifier: BSD-3-Clause */
/* Naming the clock behind a stamp. */
#include "test.h"

#include "lib/base/internal.h"

#define S   SNT_NS_PER_S
#define NOW (INT64_C(1733333333) * S) /* 2024-12-04T17:28:53Z */

typedef struct classify_case {
    const char *name;
    snt_time stamp, reference;
    uint32_t kind;
    uint32_t comparable;
    snt_duration residual;
} classify_case;

static void gaps_are_named_not_called_delay(void **state)
{
    (void)state;
    static const classify_case cases[] = {
        {"an ordinary delay", NOW - 20 * SNT_NS_PER_MS, NOW, SNT_LOOKS_SAME, 1, -20 * SNT_NS_PER_MS},
        {"a large one is still a delay", NOW - 5 * S, NOW, SNT_LOOKS_SAME, 1, -5 * S},
        {"ros2cli #184: 4.0 s against 1544818734.6 s", 4 * S, INT64_C(1544818734600000000),
         SNT_LOOKS_SIMULATED, 0, 0},
        {"spec 3: 12.5 s against 2026", INT64_C(12500000000), INT64_C(1789000000) * S, SNT_LOOKS_SIMULATED, 0,
         0},
        {"ouster-ros #53: constant +36.95 s", NOW + INT64_C(36950000000), NOW, SNT_LOOKS_TAI, 0,
         -50 * SNT_NS_PER_MS},
        {"rslidar_sdk #169: one lidar 37 s behind", NOW - 37 * S, NOW, SNT_LOOKS_UTC_FOR_TAI, 0, 0},
        {"GPS time as unix", NOW + 18 * S - 100 * SNT_NS_PER_MS, NOW, SNT_LOOKS_GPS, 0, -100 * SNT_NS_PER_MS},
        {"18 s behind", NOW - 18 * S, NOW, SNT_LOOKS_UTC_FOR_GPS, 0, 0},
        {"19 s ahead", NOW + 19 * S, NOW, SNT_LOOKS_TAI_FOR_GPS, 0, 0},
        {"19 s behind", NOW - 19 * S, NOW, SNT_LOOKS_GPS_FOR_TAI, 0, 0},
        {"20 s is none of them", NOW + 20 * S, NOW, SNT_LOOKS_SAME, 1, 20 * S},
        {"an unfilled header", 0, NOW, SNT_LOOKS_ZERO, 0, 0},
        {"rs_driver #29: mktime on UTC, 8 h off", NOW - 8 * 3600 * S, NOW, SNT_LOOKS_TIME_ZONE, 0, 0},
        {"Nepal", NOW + 20700 * S + SNT_NS_PER_MS, NOW, SNT_LOOKS_TIME_ZONE, 0, SNT_NS_PER_MS},
        {"gpsd 2021: 1024 weeks early", NOW - INT64_C(619315200) * S, NOW, SNT_LOOKS_GPS_ROLLOVER, 0, 0},
        {"apollo #8150: 1024 weeks off, 30 ms late", NOW - INT64_C(619315200) * S - 30 * SNT_NS_PER_MS, NOW,
         SNT_LOOKS_GPS_ROLLOVER, 0, -30 * SNT_NS_PER_MS},
        {"1024 weeks ahead", NOW + INT64_C(619315200) * S, NOW, SNT_LOOKS_GPS_ROLLOVER, 0, 0},
        {"a quarter of an hour", NOW - 900 * S, NOW, SNT_LOOKS_TIME_ZONE, 0, 0},
        {"beyond any time zone", NOW + 57 * 900 * S, NOW, SNT_LOOKS_SAME, 1, 57 * 900 * S},
        {"a date against a simulation that has just begun", NOW, 0, SNT_LOOKS_UNIX, 0, 0},
        {"seconds since the GPS epoch", NOW - (SNT_GPS_EPOCH_UNIX_S - 18) * S, NOW, SNT_LOOKS_GPS_EPOCH, 0,
         0},
        {"the same without leap seconds", NOW - SNT_GPS_EPOCH_UNIX_S * S, NOW, SNT_LOOKS_GPS_EPOCH, 0, 0},
        {"velodyne #462: µs since the hour", INT64_C(1733333333) % 3600 * S - 40 * SNT_NS_PER_MS, NOW,
         SNT_LOOKS_TOP_OF_HOUR, 0, -40 * SNT_NS_PER_MS},
        {"the hour just turned", INT64_C(3599999999000), INT64_C(1733335200) * S + 1000,
         SNT_LOOKS_TOP_OF_HOUR, 0, -2000},
        {"GPS time of week", (INT64_C(1733333333) - SNT_GPS_EPOCH_UNIX_S + 18) % 604800 * S, NOW,
         SNT_LOOKS_GPS_TOW, 0, 0},
        {"seapath/ansible #1000: a grandmaster in 1970", 3 * S, NOW, SNT_LOOKS_SIMULATED, 0, 0},
        {"Hesai General_ROS #13: 2020", (INT64_C(1577836800) + 4000) * S, NOW, SNT_LOOKS_UNSET_RTC, 0, 0},
        {"an RTC in 2000", (INT64_C(946684800) + 77) * S, NOW, SNT_LOOKS_UNSET_RTC, 0, 0},
        {"µs taken for ns", NOW / 1000, NOW, SNT_LOOKS_UNIT, 0, -333},
        {"ms taken for ns", NOW / 1000000, NOW, SNT_LOOKS_UNIT, 0, 0},
        {"seconds taken for ns", 1733333333, NOW, SNT_LOOKS_UNIT, 0, 0},
        {"librealsense #4505: 50 years ahead", NOW + INT64_C(1577880000) * S, NOW, SNT_LOOKS_FOREIGN, 0, 0},
        {"both simulated", 5 * S, 6 * S, SNT_LOOKS_SAME, 1, -S},
        {"a date against a simulation", NOW, 6 * S, SNT_LOOKS_UNIX, 0, 0},
        {"both before 1990, equal", 5, 5, SNT_LOOKS_SAME, 1, 0},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        const classify_case *c = &cases[i];
        snt_clock_finding f;
        char text[192];
        assert_status(snt_clock_classify(c->stamp, c->reference, SNT_UNKNOWN, 0, NULL, &f), SNT_OK);
        if (c->kind == SNT_LOOKS_UNIT) /* what the coarser unit dropped */
            assert_true(llabs(f.residual) <= f.factor && f.factor > 1);
        else if (f.residual != c->residual)
            fail_msg("%s: residual %" PRId64, c->name, f.residual);
        assert_true(f.factor == 1 || f.kind == SNT_LOOKS_UNIT);
        if (f.kind != c->kind || f.comparable != c->comparable)
            fail_msg("%s: kind %u, comparable %u", c->name, f.kind, f.comparable);
        assert_i64_equal(f.gap, c->stamp - c->reference);
        assert_status(snt_clock_finding_format(&f, text, sizeof text), SNT_OK);
        assert_non_null(strstr(text, snt_clock_kind_text(f.kind)));
    }
}

static void uptime_is_recognised_where_the_host_tells_its_own(void **state)
{
    (void)state;
    snt_clock_finding f;
    assert_status(snt_clock_classify(86400 * S, NOW, 86400 * S + 3 * SNT_NS_PER_MS, 0, NULL, &f), SNT_OK);
    assert_int_equal(f.kind, SNT_LOOKS_UPTIME);
    assert_i64_equal(f.residual, -3 * SNT_NS_PER_MS);
    assert_status(snt_clock_classify(86400 * S, NOW, 90000 * S, 0, NULL, &f), SNT_OK);
    assert_int_equal(f.kind, SNT_LOOKS_SIMULATED);
}

static void offsets_of_their_time_are_used(void **state)
{
    (void)state;
    snt_clock_finding f;
    const snt_time in2014 = INT64_C(1400000000) * S; /* TAI − UTC was 35 s, GPS − UTC 16 s */
    assert_status(snt_clock_classify(in2014 + 35 * S, in2014, SNT_UNKNOWN, 0, NULL, &f), SNT_OK);
    assert_int_equal(f.kind, SNT_LOOKS_TAI);
    assert_status(snt_clock_classify(in2014 + 16 * S, in2014, SNT_UNKNOWN, 0, NULL, &f), SNT_OK);
    assert_int_equal(f.kind, SNT_LOOKS_GPS);
    assert_status(snt_clock_classify(in2014 + 37 * S, in2014, SNT_UNKNOWN, 0, NULL, &f), SNT_OK);
    assert_int_equal(f.kind, SNT_LOOKS_SAME);
    assert_status(snt_clock_classify(in2014 + 37 * S, in2014, SNT_UNKNOWN, 3 * S, NULL, &f), SNT_OK);
    assert_int_equal(f.kind, SNT_LOOKS_TAI);
}

static void odd_arguments_are_refused_or_survived(void **state)
{
    (void)state;
    snt_clock_finding f = {.gap = 5};
    assert_status(snt_clock_classify(SNT_UNKNOWN, NOW, SNT_UNKNOWN, 0, NULL, &f), SNT_ERR_RANGE);
    assert_status(snt_clock_classify(NOW, SNT_TIME_INFINITE_PAST, SNT_UNKNOWN, 0, NULL, &f), SNT_ERR_RANGE);
    assert_status(snt_clock_classify(NOW, NOW, SNT_UNKNOWN, -1, NULL, &f), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_classify(NOW, NOW, SNT_UNKNOWN, 0, NULL, NULL), SNT_ERR_INVALID_ARG);
    assert_i64_equal(f.gap, 5);
    assert_status(snt_clock_finding_format(NULL, (char[8]){0}, 8), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_finding_format(&f, NULL, 0), SNT_ERR_INVALID_ARG);
    test_rng rng = rng_from_env();
    for (int i = 0; i < 20000; i++) { /* a sanitizer watches */
        const snt_time a = rng_int(&rng, INT64_MIN + 1, INT64_MAX - 1) >> rng_below(&rng, 63);
        const snt_time b = rng_int(&rng, INT64_MIN + 1, INT64_MAX - 1) >> rng_below(&rng, 63);
        char text[192];
        assert_status(
            snt_clock_classify(a, b, (snt_time)rng_next(&rng), (snt_duration)(rng_next(&rng) >> 1), NULL, &f),
            SNT_OK);
        assert_true(f.kind <= SNT_LOOKS_FOREIGN);
        assert_status(snt_clock_finding_format(&f, text, sizeof text), SNT_OK);
    }
}

static void a_clock_alone_suggests_what_it_is(void **state)
{
    (void)state;
    assert_int_equal(snt_clock_kind(0), SNT_LOOKS_ZERO);
    assert_int_equal(snt_clock_kind(5 * S), SNT_LOOKS_SIMULATED);
    assert_int_equal(snt_clock_kind(NOW), SNT_LOOKS_UNIX);
    assert_int_equal(snt_clock_kind((INT64_C(946684800) + 77) * S), SNT_LOOKS_UNSET_RTC);
    assert_int_equal(snt_clock_kind((INT64_C(1483228800) + 77) * S),
                     SNT_LOOKS_UNIX); /* recordings of 2017 exist */
    assert_int_equal(snt_clock_kind(-5), SNT_LOOKS_FOREIGN);
    assert_int_equal(snt_clock_kind(SNT_UNKNOWN), SNT_LOOKS_FOREIGN);
    assert_string_equal(snt_clock_kind_text(99), "unknown kind of clock");
    assert_string_equal(snt_clock_kind_text(SNT_LOOKS_FOREIGN + 1), "unknown kind of clock");
}

static void a_finding_reads_as_a_sentence(void **state)
{
    (void)state;
    snt_clock_finding f;
    char text[192] = "x";
    assert_status(snt_clock_classify(NOW + INT64_C(36950000000), NOW, SNT_UNKNOWN, 0, NULL, &f), SNT_OK);
    assert_status(snt_clock_finding_format(&f, text, sizeof text), SNT_OK);
    assert_string_equal(text, "TAI labelled as UTC: gap 36.950000000 s = 37.000000000 s and -0.050000000 s");
    f.kind = SNT_LOOKS_SIMULATED;
    f.residual = 0;
    assert_status(snt_clock_finding_format(&f, text, sizeof text), SNT_OK);
    assert_string_equal(text, "simulated time or time since boot: the gap of 36.950000000 s is no delay");
    f.kind = SNT_LOOKS_TAI;
    f.residual = -50 * SNT_NS_PER_MS;
    char small[8] = "x";
    assert_status(snt_clock_finding_format(&f, small, sizeof small), SNT_ERR_BUFFER_TOO_SMALL);
    assert_string_equal(small, "TAI lab");
    f.gap = f.constant = f.residual = INT64_MIN; /* the longest there is */
    f.kind = SNT_LOOKS_GPS_ROLLOVER;
    assert_status(snt_clock_finding_format(&f, text, sizeof text), SNT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_named_not_called_delay),
        cmocka_unit_test(uptime_is_recognised_where_the_host_tells_its_own),
        cmocka_unit_test(offsets_of_their_time_are_used),
        cmocka_unit_test(odd_arguments_are_refused_or_survived),
        cmocka_unit_test(a_clock_alone_suggests_what_it_is),
        cmocka_unit_test(a_finding_reads_as_a_sentence),
    };
    return cmocka_run_group_tests_name("classify", tests, NULL, NULL);
}
