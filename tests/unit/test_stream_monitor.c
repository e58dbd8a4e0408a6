/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <stdbool.h>

#define MS SNT_NS_PER_MS
#define S  SNT_NS_PER_S

/* A plausible date for logs and stamps of a synchronised robot. */
static const int64_t epoch = INT64_C(1700000000) * S;

typedef struct stream {
    snt_stream_monitor *monitor;
    snt_stream_report report;
    snt_finding findings[32];
    uint32_t count;
} stream;

static stream open_stream(const snt_stream_monitor_config *config)
{
    stream s = {.count = 0};
    assert_status(snt_stream_monitor_create(config, NULL, &s.monitor), SNT_OK);
    return s;
}

static void give(stream *s, int64_t stamp, int64_t log)
{
    const snt_stream_message m = {.stamp_ns = stamp,
                                  .log_ns = log,
                                  .size_bytes = 100,
                                  .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG};
    assert_status(snt_stream_monitor_add(s->monitor, &m), SNT_OK);
}

static void give_stamp(stream *s, int64_t stamp)
{
    const snt_stream_message m = {.stamp_ns = stamp, .flags = SNT_STREAM_HAS_STAMP};
    assert_status(snt_stream_monitor_add(s->monitor, &m), SNT_OK);
}

static void judge(stream *s)
{
    assert_status(snt_stream_monitor_report(s->monitor, &s->report), SNT_OK);
    assert_status(snt_stream_monitor_findings(s->monitor, s->findings, 32, &s->count), SNT_OK);
}

static const snt_finding *found(const stream *s, uint32_t code)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->findings[i].code == code)
            return &s->findings[i];
    return NULL;
}

static void expect(const stream *s, uint32_t code)
{
    if (!found(s, code))
        fail_msg("%s is not among the findings", snt_finding_name(code));
}

/* Nothing but these, ending with 0. */
static void expect_only(const stream *s, const uint32_t *codes)
{
    uint32_t n = 0;
    for (; codes[n]; n++)
        expect(s, codes[n]);
    for (uint32_t i = 0; i < s->count; i++) {
        bool listed = false;
        for (uint32_t j = 0; j < n; j++)
            listed |= codes[j] == s->findings[i].code;
        if (!listed)
            fail_msg("%s is found but was not expected", snt_finding_name(s->findings[i].code));
    }
}
#define EXPECT_ONLY(s, ...) expect_only(s, (const uint32_t[]){__VA_ARGS__, 0})

static void close_stream(stream *s)
{
    snt_stream_monitor_destroy(s->monitor);
}

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

/* Signature table: "topic delay is large and constant (e.g. 0.12 s)". */
static void a_large_constant_delay_is_named(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    test_rng rng = {7};
    for (int i = 0; i < 300; i++)
        give(&s, epoch + i * 100 * MS, epoch + i * 100 * MS + 120 * MS + rng_int(&rng, -MS, MS));
    judge(&s);
    EXPECT_ONLY(&s, SNT_FINDING_LATE_CONSTANT);
    assert_near((double)s.findings[0].value_ns, 120e6, 0.2e6);
    assert_int_equal(s.findings[0].severity, SNT_SEVERITY_WARNING);
    close_stream(&s);
}

/* Signature table: "topic delay negative". */
static void stamps_in_the_future_are_named(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 100; i++)
        give(&s, epoch + i * 100 * MS, epoch + i * 100 * MS - 20 * MS);
    judge(&s);
    EXPECT_ONLY(&s, SNT_FINDING_FUTURE);
    assert_i64_equal(s.findings[0].value_ns, 20 * MS);
    assert_int_equal(s.findings[0].severity, SNT_SEVERITY_WARNING);
    close_stream(&s);
    /* transforms are post-dated on purpose */
    snt_stream_monitor_config config;
    snt_stream_monitor_config_init(&config, sizeof config);
    config.flags = SNT_STREAM_POST_DATED;
    s = open_stream(&config);
    for (int i = 0; i < 100; i++)
        give(&s, epoch + i * 100 * MS, epoch + i * 100 * MS - 20 * MS);
    judge(&s);
    assert_int_equal(found(&s, SNT_FINDING_FUTURE)->severity, SNT_SEVERITY_NOTE);
    close_stream(&s);
}

/* Signature table: "stamps jump back or repeat"; phidgets_drivers #17/#26: dt 4 ms, one reset of -192 ms. */
static void one_time_reset_is_one_event(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    int64_t stamp = epoch;
    for (int i = 0; i < 500; i++) {
        stamp += i == 250 ? -192 * MS : 4 * MS;
        give(&s, stamp, epoch + i * 4 * MS + 300 * MS);
    }
    judge(&s);
    assert_int_equal(s.report.stamps.backward, 1);
    assert_i64_equal(s.report.stamps.worst_back_ns, 192 * MS);
    const snt_finding *back = found(&s, SNT_FINDING_BACKWARD);
    assert_non_null(back);
    assert_int_equal(back->count, 1);
    assert_int_equal(back->first_index, 250);
    assert_int_equal(s.report.gaps, 0);
    snt_stream_event event;
    assert_status(snt_stream_monitor_next_event(s.monitor, &event), SNT_OK);
    assert_int_equal(event.code, SNT_FINDING_BACKWARD);
    assert_i64_equal(event.step_ns, -192 * MS);
    assert_status(snt_stream_monitor_next_event(s.monitor, &event), SNT_EMPTY);
    close_stream(&s);
}

/* Signature table: "stamp zero". */
static void unfilled_headers_are_named_and_leave_the_rest_alone(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 100; i++)
        give(&s, i % 10 == 3 ? 0 : epoch + i * 100 * MS, epoch + i * 100 * MS);
    judge(&s);
    assert_int_equal(s.report.zero_stamps, 10);
    assert_int_equal(s.report.stamps.backward, 0);
    const snt_finding *zero = found(&s, SNT_FINDING_ZERO_STAMP);
    assert_non_null(zero);
    assert_near(zero->certainty, 1, 0);
    assert_int_equal(zero->first_index, 3);
    assert_null(found(&s, SNT_FINDING_MIXED_CLOCKS));
    close_stream(&s);
    /* a simulation that starts at zero is no unfilled header */
    s = open_stream(NULL);
    for (int i = 0; i < 50; i++)
        give(&s, i * 10 * MS, i * 10 * MS);
    judge(&s);
    assert_int_equal(found(&s, SNT_FINDING_ZERO_STAMP)->severity, SNT_SEVERITY_NOTE);
    close_stream(&s);
}

/* Signature table: "no messages at all, no error". */
static void silence_is_named_with_and_without_a_first_message(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    assert_status(snt_stream_monitor_poll(s.monitor, epoch), SNT_OK);
    assert_status(snt_stream_monitor_poll(s.monitor, epoch + S), SNT_OK);
    assert_status(snt_stream_monitor_poll(s.monitor, epoch + S + 1), SNT_ERR_TIMEOUT);
    judge(&s);
    EXPECT_ONLY(&s, SNT_FINDING_NO_MESSAGES);
    char text[512];
    snt_finding_format(&s.findings[0], text, sizeof text);
    assert_non_null(strstr(text, "ros2 topic info -v"));
    for (int i = 0; i < 20; i++)
        give(&s, epoch + 2 * S + i * 300 * MS, epoch + 2 * S + i * 300 * MS);
    const int64_t last = epoch + 2 * S + 19 * 300 * MS;
    assert_status(snt_stream_monitor_poll(s.monitor, last + 1400 * MS), SNT_OK); /* under five periods */
    judge(&s);
    assert_int_equal(s.count, 0);
    assert_status(snt_stream_monitor_poll(s.monitor, last + 1501 * MS), SNT_ERR_TIMEOUT);
    judge(&s);
    EXPECT_ONLY(&s, SNT_FINDING_SILENT);
    assert_i64_equal(s.findings[0].value_ns, 1501 * MS);
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

/* ouster-ros #53, ouster-sdk #204, rs_driver #75: stamp - log = +36.95 s, or -37 s and a bit. */
static void leap_seconds_are_a_time_scale_and_no_delay(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        stream s = open_stream(NULL);
        for (int i = 0; i < 200; i++)
            give(&s, epoch + i * 100 * MS + (sign > 0 ? 36950 : -37050) * MS, epoch + i * 100 * MS);
        judge(&s);
        EXPECT_ONLY(&s, SNT_FINDING_TIME_SCALE);
        assert_int_equal(s.report.delay.clock_kind, sign > 0 ? SNT_LOOKS_TAI : SNT_LOOKS_UTC_FOR_TAI);
        close_stream(&s);
    }
}

/* ros2cli #184/#515, rosbag2 #2023: stamp 4.0 s, log 1544818734.6. */
static void simulated_stamps_in_a_unix_log_are_not_comparable(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 20; i++)
        give(&s, 4 * S + i * 100 * MS, INT64_C(1544818734600) * MS + i * 137 * MS);
    judge(&s);
    assert_int_equal(s.report.delay.comparable, 0);
    assert_int_equal(s.report.delay.count, 0);
    assert_int_equal(s.report.delay.incomparable, 20);
    assert_i64_equal(s.report.delay.median_ns, SNT_UNKNOWN);
    assert_int_equal(s.report.stamp_kind, SNT_LOOKS_SIMULATED);
    assert_int_equal(s.report.log_kind, SNT_LOOKS_UNIX);
    expect(&s, SNT_FINDING_CLOCK_DOMAIN);
    assert_null(found(&s, SNT_FINDING_LATE_CONSTANT));
    char text[512];
    snt_finding_format(found(&s, SNT_FINDING_CLOCK_DOMAIN), text, sizeof text);
    assert_non_null(strstr(text, "stamps: simulated time or time since boot, log: unix time"));
    close_stream(&s);
    /* the same with an uptime in odd nanoseconds (ouster: 291.16 s) */
    s = open_stream(NULL);
    for (int i = 0; i < 20; i++)
        give(&s, 291160123457 + i * INT64_C(99700011), INT64_C(1723828414) * S + i * 100 * MS);
    judge(&s);
    assert_int_equal(s.report.stamp_kind, SNT_LOOKS_UPTIME);
    assert_int_equal(s.report.delay.comparable, 0);
    close_stream(&s);
}

/* "Mixing wall time and sim time gives stamps that differ by decades." */
static void wall_and_sim_stamps_in_one_stream_are_told_apart(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 60; i++)
        give(&s, i % 3 == 2 ? 12 * S + i * 100 * MS : epoch + i * 100 * MS, epoch + i * 100 * MS);
    judge(&s);
    expect(&s, SNT_FINDING_MIXED_CLOCKS);
    assert_int_equal(s.report.stamps.backward, 0);
    assert_int_equal(found(&s, SNT_FINDING_MIXED_CLOCKS)->count, 20);
    assert_int_equal(found(&s, SNT_FINDING_MIXED_CLOCKS)->first_index, 2);
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

/* PlotJuggler #344: the delay grows from 0.5 s to 4 s. */
static void a_growing_delay_is_a_trend_with_its_slope(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    test_rng rng = {3};
    for (int i = 0; i < 700; i++)
        give(&s, epoch + i * 100 * MS,
             epoch + i * 100 * MS + 500 * MS + i * 5 * MS + rng_int(&rng, 0, 10 * MS));
    judge(&s);
    expect(&s, SNT_FINDING_DELAY_TREND);
    /* 5 ms per 105 ms of log time */
    assert_near(s.report.delay.drift_ppb, 5e6 / 0.105, 2e4);
    assert_near(s.report.delay.floor_ppb, 5e6 / 0.105, 2e5);
    assert_true(s.report.delay.drift_error_ppb > 0 && s.report.delay.drift_error_ppb < 2e4);
    assert_null(found(&s, SNT_FINDING_LATE_CONSTANT));
    assert_non_null(found(&s, SNT_FINDING_LATE));
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

/* rms_…_movement_off / tilt_laser: the log comes in bursts, the stamps are even. */
static void a_burst_is_no_sensor_gap(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 100; i++) {
        const int64_t stamp = epoch + i * 100 * MS;
        const bool held = i >= 50 && i < 57;
        give(&s, stamp, held ? epoch + 56 * 100 * MS + 10 * MS + (i - 50) * 100000 : stamp + 10 * MS);
    }
    judge(&s);
    assert_int_equal(s.report.gaps, 0);
    assert_int_equal(s.report.bursts, 1);
    assert_int_equal(s.report.burst_messages, 6);
    assert_i64_equal(s.report.longest_hold_ns, 700 * MS);
    const snt_finding *burst = found(&s, SNT_FINDING_BURST);
    assert_non_null(burst);
    assert_int_equal(burst->first_index, 50);
    assert_null(found(&s, SNT_FINDING_GAP));
    close_stream(&s);
}

/* ros_comm #2336: log and stamps of all topics step by -2.0 s at the same instant. */
static void a_step_of_log_and_stamps_together_is_the_hosts_clock(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 200; i++) {
        const int64_t t = epoch + i * 50 * MS - (i >= 120 ? 2 * S : 0);
        give(&s, t, t + 4 * MS);
    }
    judge(&s);
    EXPECT_ONLY(&s, SNT_FINDING_HOST_STEP);
    assert_int_equal(s.report.host_steps, 1);
    assert_i64_equal(s.report.host_step_ns, -2 * S);
    assert_i64_equal(s.report.host_step_at_ns, epoch + 119 * 50 * MS + 4 * MS);
    close_stream(&s);
    /* forward it is a gap for certain only if numbers are missing */
    for (int numbered = 0; numbered < 2; numbered++) {
        s = open_stream(NULL);
        for (int i = 0; i < 400; i++) {
            const int64_t t = epoch + i * 10 * MS + (i >= 120 ? 20 * S : 0);
            const snt_stream_message m = {.stamp_ns = t,
                                          .log_ns = t + 4 * MS,
                                          .sequence = (uint64_t)i,
                                          .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG |
                                                   (numbered ? (uint32_t)SNT_STREAM_HAS_SEQUENCE : 0)};
            assert_status(snt_stream_monitor_add(s.monitor, &m), SNT_OK);
        }
        judge(&s);
        EXPECT_ONLY(&s, numbered ? SNT_FINDING_HOST_STEP : SNT_FINDING_GAP);
        close_stream(&s);
    }
}

/* A device whose clock is set while the host's goes on. */
static void a_step_of_the_stamps_alone_is_the_stamping_clock(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 200; i++)
        give(&s, epoch + i * 50 * MS + (i >= 100 ? 90 * S : 0) - 100 * S, epoch + i * 50 * MS);
    judge(&s);
    expect(&s, SNT_FINDING_STAMP_JUMP);
    assert_i64_equal(s.report.stamp_jump_ns, 90 * S);
    assert_int_equal(s.report.gaps, 0);
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

static void frozen_stamps_and_contents_are_told_from_duplicates(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 100; i++) {
        const snt_stream_message m = {.stamp_ns = epoch + (i < 50 ? i : 50) * 100 * MS,
                                      .log_ns = epoch + i * 100 * MS,
                                      .content = i < 20 ? 5 : (uint64_t)(100 + i),
                                      .flags =
                                          SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG | SNT_STREAM_HAS_CONTENT};
        assert_status(snt_stream_monitor_add(s.monitor, &m), SNT_OK);
    }
    judge(&s);
    assert_int_equal(s.report.frozen_stamps, 50);
    assert_int_equal(s.report.frozen_contents, 0); /* 20 messages, but only 1.9 s */
    expect(&s, SNT_FINDING_FROZEN_STAMP);
    assert_null(found(&s, SNT_FINDING_DUPLICATE));
    close_stream(&s);
    s = open_stream(NULL);
    for (int i = 0; i < 100; i++) {
        const snt_stream_message m = {.stamp_ns = epoch + i * 100 * MS,
                                      .log_ns = epoch + i * 100 * MS,
                                      .content = i >= 30 && i < 60 ? 5 : (uint64_t)(100 + i),
                                      .flags =
                                          SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG | SNT_STREAM_HAS_CONTENT};
        assert_status(snt_stream_monitor_add(s.monitor, &m), SNT_OK);
    }
    judge(&s);
    assert_int_equal(s.report.frozen_contents, 30);
    EXPECT_ONLY(&s, SNT_FINDING_FROZEN_CONTENT);
    close_stream(&s);
    s = open_stream(NULL); /* the radar of rms_…: most stamps come in pairs and more */
    for (int i = 0; i < 140; i++)
        give(&s, epoch + i / 4 * 100 * MS, epoch + i * 25 * MS + 80 * MS);
    judge(&s);
    expect(&s, SNT_FINDING_DUPLICATE);
    assert_int_equal(found(&s, SNT_FINDING_DUPLICATE)->count, 105);
    assert_null(found(&s, SNT_FINDING_FROZEN_STAMP));
    close_stream(&s);
}

static void missing_numbers_prove_a_loss(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0, n = 0; i < 100; i++, n++) {
        if (i == 40)
            n += 3;
        const snt_stream_message m = {.stamp_ns = epoch + n * 100 * MS,
                                      .log_ns = epoch + n * 100 * MS,
                                      .sequence = (uint64_t)n,
                                      .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG |
                                               SNT_STREAM_HAS_SEQUENCE};
        assert_status(snt_stream_monitor_add(s.monitor, &m), SNT_OK);
    }
    judge(&s);
    EXPECT_ONLY(&s, SNT_FINDING_SEQUENCE_LOSS, SNT_FINDING_GAP);
    assert_int_equal(s.report.lost, 3);
    assert_int_equal(s.report.missing_lo, 3);
    assert_int_equal(s.report.missing_hi, 3);
    assert_near(found(&s, SNT_FINDING_SEQUENCE_LOSS)->certainty, 1, 0);
    close_stream(&s);
}

static void static_topics_are_exempt(void **state)
{
    (void)state;
    snt_stream_monitor_config config;
    snt_stream_monitor_config_init(&config, sizeof config);
    config.flags = SNT_STREAM_STATIC;
    stream s = open_stream(&config);
    give(&s, epoch, epoch + 3 * S);
    give(&s, epoch, epoch + 3 * S);
    give(&s, epoch + 50 * S, epoch + 90 * S);
    assert_status(snt_stream_monitor_poll(s.monitor, epoch + 900 * S), SNT_OK);
    judge(&s);
    assert_int_equal(s.count, 0);
    close_stream(&s);
}

/* foxglove example-lz4: a tree of frames goes back and forth when pooled and never when judged per child. */
static void pooled_transforms_go_back_and_single_children_do_not(void **state)
{
    (void)state;
    stream pooled = open_stream(NULL), child[2] = {open_stream(NULL), open_stream(NULL)};
    for (int i = 0; i < 200; i++)
        for (int k = 0; k < 2; k++) {
            const int64_t stamp = epoch + i * 20 * MS - k * 7 * MS, log = epoch + i * 20 * MS + k * MS;
            give(&pooled, stamp, log);
            give(&child[k], stamp, log);
        }
    judge(&pooled);
    expect(&pooled, SNT_FINDING_INTERLEAVED);
    for (int k = 0; k < 2; k++) {
        judge(&child[k]);
        assert_int_equal(child[k].report.stamps.backward, 0);
        assert_int_equal(child[k].count, 0);
        close_stream(&child[k]);
    }
    close_stream(&pooled);
}

/* novatel ins1.bag: header stamps are host receive times. */
static void stamps_taken_on_arrival_follow_the_log(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    test_rng rng = {5};
    for (int i = 0; i < 400; i++) {
        const int64_t arrival = epoch + i * 10 * MS + rng_int(&rng, 0, 3 * MS);
        give(&s, arrival, arrival + 50000 + rng_int(&rng, 0, 20000));
    }
    judge(&s);
    expect(&s, SNT_FINDING_STAMPED_ON_ARRIVAL);
    close_stream(&s);
    s = open_stream(NULL); /* stamped by the device, delivered unevenly */
    for (int i = 0; i < 400; i++)
        give(&s, epoch + i * 10 * MS, epoch + i * 10 * MS + rng_int(&rng, 0, 9 * MS));
    judge(&s);
    EXPECT_ONLY(&s, SNT_FINDING_DELIVERY_JITTER);
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
    assert_int_equal(snt_stream_monitor_size(&config), 0);
    snt_stream_monitor_config_init(&config, sizeof config);
    config.delay_warn_ns = -1;
    assert_status(snt_stream_monitor_create(&config, NULL, &monitor), SNT_ERR_INVALID_ARG);
    assert_status(snt_stream_monitor_create(NULL, NULL, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_stream_monitor_create(NULL, NULL, &monitor), SNT_OK);
    assert_in_range(snt_stream_monitor_size(NULL), 40000, 80000);
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
        assert_true(snt_finding_format(&s.findings[i], text, sizeof text) > 0);
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
        assert_in_range(snt_finding_format(&f, text, sizeof text), 40, sizeof text - 1);
        assert_non_null(strstr(text, snt_finding_remedy(codes[i])));
    }
    assert_string_equal(snt_finding_name(0), "SNT_FINDING_NONE");
    assert_string_equal(snt_finding_meaning(9999), "");
    assert_int_equal(snt_finding_severity(9999), 0);
    assert_int_equal(snt_finding_format(NULL, NULL, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_stream_has_no_findings),
        cmocka_unit_test(the_jitter_log_of_the_article_loses_one_or_two_scans),
        cmocka_unit_test(a_large_constant_delay_is_named),
        cmocka_unit_test(stamps_in_the_future_are_named),
        cmocka_unit_test(one_time_reset_is_one_event),
        cmocka_unit_test(unfilled_headers_are_named_and_leave_the_rest_alone),
        cmocka_unit_test(silence_is_named_with_and_without_a_first_message),
        cmocka_unit_test(gaps_are_graded_and_located),
        cmocka_unit_test(leap_seconds_are_a_time_scale_and_no_delay),
        cmocka_unit_test(simulated_stamps_in_a_unix_log_are_not_comparable),
        cmocka_unit_test(wall_and_sim_stamps_in_one_stream_are_told_apart),
        cmocka_unit_test(equal_times_give_no_rate_and_no_division_by_zero),
        cmocka_unit_test(a_step_back_in_recorded_order_is_seen),
        cmocka_unit_test(mostly_equal_log_times_fall_back_to_the_floor),
        cmocka_unit_test(a_growing_delay_is_a_trend_with_its_slope),
        cmocka_unit_test(no_drift_is_given_over_a_short_span),
        cmocka_unit_test(a_burst_is_no_sensor_gap),
        cmocka_unit_test(a_step_of_log_and_stamps_together_is_the_hosts_clock),
        cmocka_unit_test(a_step_of_the_stamps_alone_is_the_stamping_clock),
        cmocka_unit_test(a_late_stamp_made_up_by_the_next_is_no_gap),
        cmocka_unit_test(nanoseconds_are_kept),
        cmocka_unit_test(frozen_stamps_and_contents_are_told_from_duplicates),
        cmocka_unit_test(missing_numbers_prove_a_loss),
        cmocka_unit_test(static_topics_are_exempt),
        cmocka_unit_test(pooled_transforms_go_back_and_single_children_do_not),
        cmocka_unit_test(stamps_taken_on_arrival_follow_the_log),
        cmocka_unit_test(a_declared_rate_is_checked),
        cmocka_unit_test(a_reset_forgets_everything),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(extreme_times_do_not_overflow),
        cmocka_unit_test(every_finding_has_its_own_words),
    };
    return cmocka_run_group_tests_name("stream_monitor", tests, NULL, NULL);
}
