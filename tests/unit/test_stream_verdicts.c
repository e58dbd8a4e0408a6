/* SPDX-License-Identifier: BSD-3-Clause */
/* The signatures of timing faults, as the articles and the peers' bug reports describe them. */
#include "stream_feed.h"

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

/* At 200 Hz a clock that is set back by 1 s shows as a step of −0.995 s. */
static void a_step_of_exactly_the_floor_is_found_on_top_of_the_interval(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 2000; i++)
        give(&s, epoch + i * 5 * MS - (i >= 1000 ? S : 0), epoch + i * 5 * MS);
    judge(&s);
    expect(&s, SNT_FINDING_STAMP_JUMP);
    assert_i64_equal(s.report.stamp_jump_ns, -S);
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
    assert_null(found(&s, SNT_FINDING_GAP)); /* its period is that of the stamps that differ */
    assert_null(found(&s, SNT_FINDING_STAMPED_ON_ARRIVAL));
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

/* sick_scan_xd #512: 40 Hz by the device (23.9 … 26.9 ms), the host's stamps from 0.7 to 50 ms. */
static void the_hosts_jitter_is_told_from_the_devices(void **state)
{
    (void)state;
    stream host = open_stream(NULL), device = open_stream(NULL);
    test_rng rng = {512};
    int64_t t = epoch;
    for (int i = 0; i < 800; i++) {
        t += rng_int(&rng, 23946000, 26054000);
        give(&device, t, t + 30 * MS);
        give(&host, t + rng_int(&rng, -12 * MS, 12 * MS), t + 30 * MS);
    }
    judge(&device);
    assert_int_equal(device.count, 0);
    judge(&host);
    EXPECT_ONLY(&host, SNT_FINDING_JITTER);
    assert_int_equal(host.findings[0].severity, SNT_SEVERITY_NOTE);
    assert_near(host.report.stamps.rate_hz, 40, 0.2);
    close_stream(&device);
    close_stream(&host);
}

/* ouster-ros #541: stamped one period early, logged 3 ms after the end: two periods and three. */
static void a_stamp_one_period_early_shows_two_periods_of_delay(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 200; i++)
        give(&s, epoch + i * 50 * MS - 50 * MS, epoch + i * 50 * MS + 53 * MS);
    judge(&s);
    assert_i64_equal(s.report.delay.median_ns, 103 * MS);
    EXPECT_ONLY(&s, SNT_FINDING_LATE_CONSTANT);
    close_stream(&s);
}

/* A device that starts in the year 2000, as clocks do that nobody has set. */
static void a_clock_never_set_is_named(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    for (int i = 0; i < 50; i++)
        give(&s, INT64_C(946684800) * S + 12345678 + i * 100 * MS, epoch + i * 100 * MS);
    judge(&s);
    EXPECT_ONLY(&s, SNT_FINDING_UNSET_CLOCK);
    assert_int_equal(s.report.stamp_kind, SNT_LOOKS_UNSET_RTC);
    assert_int_equal(s.report.delay.comparable, 0);
    close_stream(&s);
}

/* One latched message says nothing about a constant delay. */
static void a_single_late_message_is_no_constant_delay(void **state)
{
    (void)state;
    stream s = open_stream(NULL);
    give(&s, epoch, epoch + 239 * MS);
    judge(&s);
    assert_null(found(&s, SNT_FINDING_LATE_CONSTANT));
    close_stream(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_constant_delay_is_named),
        cmocka_unit_test(stamps_in_the_future_are_named),
        cmocka_unit_test(one_time_reset_is_one_event),
        cmocka_unit_test(unfilled_headers_are_named_and_leave_the_rest_alone),
        cmocka_unit_test(silence_is_named_with_and_without_a_first_message),
        cmocka_unit_test(leap_seconds_are_a_time_scale_and_no_delay),
        cmocka_unit_test(simulated_stamps_in_a_unix_log_are_not_comparable),
        cmocka_unit_test(wall_and_sim_stamps_in_one_stream_are_told_apart),
        cmocka_unit_test(a_growing_delay_is_a_trend_with_its_slope),
        cmocka_unit_test(a_burst_is_no_sensor_gap),
        cmocka_unit_test(a_step_of_log_and_stamps_together_is_the_hosts_clock),
        cmocka_unit_test(a_step_of_the_stamps_alone_is_the_stamping_clock),
        cmocka_unit_test(a_step_of_exactly_the_floor_is_found_on_top_of_the_interval),
        cmocka_unit_test(frozen_stamps_and_contents_are_told_from_duplicates),
        cmocka_unit_test(missing_numbers_prove_a_loss),
        cmocka_unit_test(static_topics_are_exempt),
        cmocka_unit_test(pooled_transforms_go_back_and_single_children_do_not),
        cmocka_unit_test(stamps_taken_on_arrival_follow_the_log),
        cmocka_unit_test(the_hosts_jitter_is_told_from_the_devices),
        cmocka_unit_test(a_stamp_one_period_early_shows_two_periods_of_delay),
        cmocka_unit_test(a_clock_never_set_is_named),
        cmocka_unit_test(a_single_late_message_is_no_constant_delay),
    };
    return cmocka_run_group_tests_name("stream_verdicts", tests, NULL, NULL);
}
