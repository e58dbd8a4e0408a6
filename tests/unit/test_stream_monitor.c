/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream_feed.h"

static void a_clean_stream_has_no_findings(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 600; i++)
        give(&s, epoch + i * 100 * MS, epoch + i * 100 * MS + 5 * MS);
    judge(&s);
    assert_int_equal(s.count, 0);
    assert_i64_equal(s.report.stamps.median_ns, 100 * MS);
    assert_near(s.report.stamps.rate_hz, 10, 1e-9);
    assert_near(s.report.stamps.std_ns, 0, 1e-3);
    assert_i64_equal(s.report.delay.median_ns, 5 * MS);
    assert_i64_equal(s.report.delay.p95_ns, 5 * MS);
    assert_near(s.report.bandwidth_bps, 1000, 1e-9);
    assert_int_equal(s.report.stamp_kind, SNT_LOOKS_UNIX);
    assert_int_equal(s.report.delay.comparable, 1);
    assert_near(s.report.delay.drift_ppb, 0, 1e-6);
    close_stream(&s);
}

/* Worked example 2 of the article on sensor topics. */
static void the_jitter_log_of_the_article_loses_one_or_two_scans(void **state)
{
    (void)state;
    static const int64_t stamps[] = {10000, 10100, 10201, 10300, 10400, 10650};
    stream s = open_stream(NULL);
    for (int i = 0; i < 6; i++)
        give_stamp(&s, stamps[i] * MS);
    judge(&s);
    assert_int_equal(s.report.stamps.steps, 5);
    assert_i64_equal(s.report.stamps.median_ns, 100 * MS);
    assert_i64_equal(s.report.stamps.min_ns, 99 * MS);
    assert_i64_equal(s.report.stamps.max_ns, 250 * MS);
    assert_near(s.report.stamps.mean_ns, 130e6, 1e-6);
    assert_int_equal(s.report.gaps, 1);
    assert_int_equal(s.report.missing_lo, 1);
    assert_int_equal(s.report.missing_hi, 2);
    assert_i64_equal(s.report.longest_gap_ns, 250 * MS);
    assert_i64_equal(s.report.longest_gap_at_ns, 10400 * MS);
    EXPECT_ONLY(&s, SNT_FINDING_GAP);
    char text[512];
    snt_finding_format(&s.findings[0], text, sizeof text);
    assert_non_null(strstr(text, "messages missing: 1 to 2"));
    /* "If the next stamp were 10.640 … non-monotonic" */
    give_stamp(&s, 10640 * MS);
    judge(&s);
    assert_int_equal(s.report.stamps.backward, 1);
    assert_i64_equal(s.report.stamps.worst_back_ns, 10 * MS);
    EXPECT_ONLY(&s, SNT_FINDING_GAP, SNT_FINDING_BACKWARD);
    close_stream(&s);
}

/* Signature table: "rate drops, big gaps", graded by the limits of the peers. */
static void gaps_are_graded_and_located(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    int64_t t = epoch;
    for (int i = 0; i < 100; i++) {
        t += i == 30 ? 200 * MS : i == 50 ? 400 * MS : i == 70 ? 800 * MS : 100 * MS;
        give(&s, t, t + 2 * MS);
    }
    assert_status(snt_stream_monitor_finish(s.monitor), SNT_OK);
    judge(&s);
    assert_int_equal(s.report.gaps, 3);
    assert_int_equal(s.report.gaps_warning, 1);
    assert_int_equal(s.report.gaps_error, 1);
    assert_int_equal(s.report.missing_lo, 1 + 3 + 7);
    assert_int_equal(s.report.missing_hi, 1 + 3 + 7);
    static const struct {
        uint64_t index;
        uint32_t severity;
        uint64_t missing;
    } events[] = {{30, SNT_SEVERITY_NOTE, 1}, {50, SNT_SEVERITY_WARNING, 3}, {70, SNT_SEVERITY_ERROR, 7}};
    for (int i = 0; i < 3; i++) {
        snt_stream_event event;
        assert_status(snt_stream_monitor_next_event(s.monitor, &event), SNT_OK);
        assert_int_equal(event.index, events[i].index);
        assert_int_equal(event.severity, events[i].severity);
        assert_int_equal(event.missing_lo, events[i].missing);
        assert_int_equal(event.missing_hi, events[i].missing);
    }
    close_stream(&s);
}

/* diagnostics #92: two equal clock readings. */
static void equal_times_give_no_rate_and_no_division_by_zero(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    give(&s, epoch, epoch);
    give(&s, epoch, epoch);
    judge(&s);
    assert_true(isnan(s.report.stamps.rate_hz));
    assert_true(isnan(s.report.log.rate_hz));
    assert_true(isnan(s.report.bandwidth_bps));
    assert_i64_equal(s.report.stamps.median_ns, SNT_UNKNOWN);
    assert_int_equal(s.report.stamps.equal, 1);
    close_stream(&s);
    s = open_stream(NULL);
    judge(&s);
    assert_int_equal(s.report.messages, 0);
    assert_int_equal(s.count, 0);
    close_stream(&s);
}

/* bagx: log 1,2,4,3,5 has one step back; sorting hides it. */
static void a_step_back_in_recorded_order_is_seen(void **state)
{
    (void)state;
    static const int order[] = {1, 2, 4, 3, 5};
    stream s = open_stream(NULL);
    for (int i = 0; i < 5; i++) {
        const snt_stream_message m = {.log_ns = epoch + order[i] * S, .flags = SNT_STREAM_HAS_LOG};
        assert_status(snt_stream_monitor_add(s.monitor, &m), SNT_OK);
    }
    judge(&s);
    assert_int_equal(s.report.log.backward, 1);
    EXPECT_ONLY(&s, SNT_FINDING_RECORDED_BACKWARD);
    assert_int_equal(found(&s, SNT_FINDING_RECORDED_BACKWARD)->count, 1);
    close_stream(&s);
}

/* triage: more than half of the log stamps equal, median interval 0. */
static void mostly_equal_log_times_fall_back_to_the_floor(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    int64_t log = epoch;
    for (int i = 0; i < 90; i++) {
        const snt_stream_message m = {.log_ns = log, .flags = SNT_STREAM_HAS_LOG};
        assert_status(snt_stream_monitor_add(s.monitor, &m), SNT_OK);
        if (i % 3 == 2)
            log += i % 9 == 2 ? 30 * MS : 10 * MS; /* three at once; 30 ms are below the floor of 50 ms */
    }
    judge(&s);
    assert_int_equal(s.report.gaps, 0);
    assert_int_equal(s.report.log.equal, 60);
    assert_near(s.report.log.rate_hz, 89 / 0.490, 0.01);
    close_stream(&s);
}

/* Spans below ten seconds make parts per million meaningless. */
static void no_drift_is_given_over_a_short_span(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 100; i++)
        give(&s, epoch + i * 100 * MS, epoch + i * (100 * MS + 1000));
    judge(&s);
    assert_true(isnan(s.report.delay.drift_ppb) && isnan(s.report.delay.floor_ppb));
    give(&s, epoch + 100 * 100 * MS, epoch + 100 * (100 * MS + 1000));
    judge(&s);
    assert_near(s.report.delay.drift_ppb, 1e4, 1);
    close_stream(&s);
}

/* sick_scan_xd #512: host stamps 0.665…50.32 ms apart, mean 25.001 ms; nothing is missing. */
static void a_late_stamp_made_up_by_the_next_is_no_gap(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    test_rng rng = {11};
    for (int i = 0; i < 400; i++) {
        const int64_t late = i % 40 == 20 ? 24300000 : rng_int(&rng, -MS, MS);
        give(&s, epoch + i * 25 * MS + late, epoch + i * 25 * MS + 30 * MS);
    }
    judge(&s);
    assert_int_equal(s.report.gaps, 0);
    assert_near(s.report.stamps.rate_hz, 40, 0.05);
    assert_true(s.report.stamps.max_ns > 48 * MS && s.report.stamps.min_ns < 2 * MS);
    close_stream(&s);
}

/* tier4/timestamp_analyzer: nanoseconds survive. */
static void nanoseconds_are_kept(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    give(&s, INT64_C(1718611149326892825), INT64_C(1718611149326892826));
    judge(&s);
    assert_i64_equal(s.report.first_stamp_ns, INT64_C(1718611149326892825));
    assert_i64_equal(s.report.delay.min_ns, 1);
    close_stream(&s);
}

static void a_declared_rate_is_checked(void **state)
{
    (void)state;
    snt_stream_monitor_config config;
    snt_stream_monitor_config_init(&config, sizeof config);
    config.expected_period_ns = 100 * MS;
    for (int period = 80; period <= 120; period += 5) {
        stream s = open_stream(&config);
        for (int i = 0; i < 100; i++)
            give(&s, epoch + i * period * MS, epoch + i * period * MS);
        judge(&s);
        const bool off = period < 91 || period > 111; /* 10 % of the rate */
        assert_int_equal(found(&s, SNT_FINDING_RATE) != NULL, off);
        close_stream(&s);
    }
}

static void a_reset_forgets_everything(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    snt_stream_report fresh;
    assert_status(snt_stream_monitor_report(s.monitor, &fresh), SNT_OK);
    for (int i = 0; i < 100; i++)
        give(&s, epoch + i * i * MS, epoch - i * MS);
    snt_stream_monitor_reset(s.monitor);
    judge(&s);
    assert_memory_equal(&s.report, &fresh, sizeof fresh);
    assert_int_equal(s.count, 0);
    snt_stream_event event;
    assert_status(snt_stream_monitor_next_event(s.monitor, &event), SNT_EMPTY);
    close_stream(&s);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    snt_stream_monitor *monitor = (void *)8;
    snt_stream_monitor_config config;
    snt_stream_monitor_config_init(&config, sizeof config);
    config.gap_warn_factor = NAN;
    assert_status(snt_stream_monitor_create(&config, NULL, &monitor), SNT_ERR_INVALID_ARG);
    assert_null(monitor);
    uint64_t bytes = 7;
    assert_status(snt_stream_monitor_size(&config, &bytes), SNT_ERR_INVALID_ARG);
    assert_int_equal(bytes, 7);
    snt_stream_monitor_config_init(&config, sizeof config);
    config.delay_warn_ns = -1;
    assert_status(snt_stream_monitor_create(&config, NULL, &monitor), SNT_ERR_INVALID_ARG);
    assert_status(snt_stream_monitor_create(NULL, NULL, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_stream_monitor_create(NULL, NULL, &monitor), SNT_OK);
    assert_status(snt_stream_monitor_size(NULL, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_stream_monitor_size(NULL, &bytes), SNT_OK);
    assert_in_range(bytes, 40000, 80000);
    const snt_stream_message none = {.stamp_ns = 1};
    assert_status(snt_stream_monitor_add(monitor, &none), SNT_ERR_INVALID_ARG);
    assert_status(snt_stream_monitor_add(monitor, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_stream_monitor_add(NULL, &none), SNT_ERR_INVALID_ARG);
    assert_status(snt_stream_monitor_add_many(monitor, NULL, 1), SNT_ERR_INVALID_ARG);
    assert_status(snt_stream_monitor_add_many(monitor, NULL, 0), SNT_OK);
    assert_status(snt_stream_monitor_poll(NULL, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_stream_monitor_report(monitor, NULL), SNT_ERR_INVALID_ARG);
    uint32_t count = 7;
    assert_status(snt_stream_monitor_findings(monitor, NULL, 3, &count), SNT_ERR_INVALID_ARG);
    assert_int_equal(count, 7);
    snt_stream_monitor_destroy(monitor);
    snt_stream_monitor_destroy(NULL);
    snt_stream_monitor_reset(NULL);
}

static void extreme_times_do_not_overflow(void **state)
{
    (void)state;
    static const int64_t wild[] = {INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN + 1, INT64_MAX - 1, INT64_MIN};
    stream s = open_stream(NULL);
    for (int round = 0; round < 40; round++)
        give(&s, wild[round % 8], wild[(round * 5 + round / 8) % 8]);
    snt_stream_monitor_poll(s.monitor, INT64_MAX);
    snt_stream_monitor_poll(s.monitor, INT64_MIN);
    judge(&s);
    char text[600];
    for (uint32_t i = 0; i < s.count; i++)
        assert_status(snt_finding_format(&s.findings[i], text, sizeof text), SNT_OK);
    close_stream(&s);
}

static void every_finding_has_its_own_words(void **state)
{
    (void)state;
    static const uint32_t codes[] = {
#define SNT_X(name, number, severity, meaning, remedy) name,
        SNT_FINDING_MAP(SNT_X)
#undef SNT_X
    };
    const size_t n = sizeof codes / sizeof *codes;
    for (size_t i = 0; i < n; i++) {
        assert_true(strlen(snt_finding_meaning(codes[i])) > 10);
        assert_true(strlen(snt_finding_remedy(codes[i])) > 5);
        assert_in_range(snt_finding_severity(codes[i]), SNT_SEVERITY_NOTE, SNT_SEVERITY_ERROR);
        for (size_t j = 0; j < i; j++)
            assert_true(codes[i] != codes[j] &&
                        strcmp(snt_finding_meaning(codes[i]), snt_finding_meaning(codes[j])) != 0);
        const snt_finding f = {.code = codes[i], .severity = snt_finding_severity(codes[i]), .certainty = 1};
        char text[600];
        assert_status(snt_finding_format(&f, text, sizeof text), SNT_OK);
        assert_true(strlen(text) >= 40);
        assert_non_null(strstr(text, snt_finding_remedy(codes[i])));
    }
    assert_string_equal(snt_finding_name(0), "SNT_FINDING_NONE");
    assert_string_equal(snt_finding_meaning(9999), "");
    assert_int_equal(snt_finding_severity(9999), 0);
    char none[4];
    assert_status(snt_finding_format(NULL, none, sizeof none), SNT_ERR_INVALID_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_stream_has_no_findings),
        cmocka_unit_test(the_jitter_log_of_the_article_loses_one_or_two_scans),
        cmocka_unit_test(gaps_are_graded_and_located),
        cmocka_unit_test(equal_times_give_no_rate_and_no_division_by_zero),
        cmocka_unit_test(a_step_back_in_recorded_order_is_seen),
        cmocka_unit_test(mostly_equal_log_times_fall_back_to_the_floor),
        cmocka_unit_test(no_drift_is_given_over_a_short_span),
        cmocka_unit_test(a_late_stamp_made_up_by_the_next_is_no_gap),
        cmocka_unit_test(nanoseconds_are_kept),
        cmocka_unit_test(a_declared_rate_is_checked),
        cmocka_unit_test(a_reset_forgets_everything),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(extreme_times_do_not_overflow),
        cmocka_unit_test(every_finding_has_its_own_words),
    };
    return cmocka_run_group_tests_name("stream_monitor", tests, NULL, NULL);
}
