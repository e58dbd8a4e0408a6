/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "synth_cloud.h"

#include "lib/base/internal.h"

/* Point-LIO #15, LIMO-Velo #14, kiss-icp #94 */
static void times_from_minus_a_tenth_to_zero_mean_that_the_header_is_the_end(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    for (uint32_t scans = 1; scans <= 4; scans += 3) {
        synth_scans(&c, &(synth_model){SYNTH_XYZ "t:f32", "t", 1000000000, false, -0.1, 0, 0, scans}, 1600);
        assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
        assert_int_equal(layout.time_unit, SNT_TIME_UNIT_S);
        assert_int_equal(layout.time_ref, SNT_TIME_REF_RELATIVE);
        assert_int_equal(layout.header_role, SNT_HEADER_ROLE_END);
        assert_true(SYNTH_HAS(report, NEGATIVE_TIMES));
        assert_true(report.role_confidence > 0.9 && report.unit_confidence >= 0.9);
        assert_true(SYNTH_HAS(report, SCANS_AGREE) == (scans > 1));
        assert_i64_equal(report.period_ns, scans > 1 ? 100000000 : SNT_UNKNOWN);
        synth_free(&c);
    }
}

/* velodyne #363, FAST_LIO #91 */
static void a_small_positive_tail_means_that_the_header_is_the_last_packet(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c,
                &(synth_model){SYNTH_XYZ "intensity:f32@12 ring:u16@16 time:f32@18", "time", 1000000000,
                               false, -0.10086, 0.00054, 22, 1},
                1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_LAST_PACKET);
    assert_near((double)report.header_to_first_ns, -100860000, 100);
    assert_near((double)report.header_to_last_ns, 540000, 100);
    assert_int_equal(report.ring_count, 16);
    assert_string_equal(report.ring_name, "ring");
    assert_non_null(strstr(report.producer, "Velodyne"));
    assert_true(SYNTH_HAS(report, ROLE_BY_PRODUCER));
    synth_free(&c);
}

/* rslidar_sdk #10 */
static void absolute_times_that_end_at_the_header_are_told_from_those_that_begin_there(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_model m = {SYNTH_XYZ "intensity:f32@12 ring:u16@16 timestamp:f64@18",
                     "timestamp",
                     1000000000,
                     true,
                     -0.1,
                     0,
                     26,
                     3};
    synth_scans(&c, &m, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_END);
    assert_non_null(strstr(report.producer, "RoboSense"));
    assert_int_equal(report.producer_count, 2); /* Hesai lays its points out alike */
    assert_true(SYNTH_HAS(report, ABSOLUTE_NEAR_HEADER) && SYNTH_HAS(report, UNIT_BY_MAGNITUDE));
    assert_near((double)report.resolution_ns, 239, 1);
    snt_cloud cloud;
    int64_t t;
    assert_status(snt_cloud_from_pointcloud2(&c.views[0], &layout, &cloud), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 0, 1, synth_today, &t, NULL), SNT_OK);
    assert_near((double)t, -100000000, 239);
    synth_free(&c);
    m.first_s = 0;
    m.last_s = 0.1;
    synth_scans(&c, &m, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    assert_non_null(strstr(report.producer, "Hesai"));
    synth_free(&c);
    m.first_s = -0.05;
    m.last_s = 0.05;
    synth_scans(&c, &m, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_MIDDLE);
    assert_true(SYNTH_HAS(report, ROLE_NOT_AS_PRODUCER));
    synth_free(&c);
    m.first_s = -0.13; /* stamped on reception, 30 ms after the last point */
    m.last_s = -0.03;
    synth_scans(&c, &m, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_RECEIVE);
    assert_near((double)report.header_to_last_ns, -30e6, 1000);
    synth_free(&c);
}

/* A simulation that has just begun: header 0.05 s, times 0 … 0.1 s. Absolute or relative? */
static void a_header_near_zero_cannot_tell_absolute_from_relative(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, SYNTH_XYZ "time:f64", 0, 1600);
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t s = synth_add_scan(&c, 50000000 + k * INT64_C(100000000));
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "time", 0.1 * i / 1599, 0);
    }
    c.scans = 1;
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_AMBIGUOUS);
    assert_true(SYNTH_HAS(report, HEADER_SMALL));
    assert_int_equal(report.candidate_count, 2);
    assert_int_not_equal(report.candidates[0].time_ref, report.candidates[1].time_ref);
    c.scans = 3; /* the values begin anew with every scan while the header goes on */
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_RELATIVE);
    assert_true(SYNTH_HAS(report, VALUES_RESTART));
    for (uint32_t s = 0; s < 3; s++)
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "time", 0.05 + 0.1 * s + 0.1 * i / 1599, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    assert_true(SYNTH_HAS(report, VALUES_FOLLOW_HEADER));
    synth_free(&c);
}

/* Ouster uptime, GPS week, TAI: the header is unix */
static void absolute_times_on_other_clocks_are_named(void **state)
{
    (void)state;
    static const struct {
        double shift_s;
        uint32_t kind;
    } cases[] = {{37, SNT_LOOKS_TAI},
                 {0, SNT_LOOKS_SAME},
                 {18, SNT_LOOKS_GPS},
                 {-315964782, SNT_LOOKS_GPS_EPOCH},
                 {-1699999000, SNT_LOOKS_SIMULATED}};
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        synth_cloud c;
        snt_point_layout layout;
        snt_layout_report report;
        synth_scans(&c,
                    &(synth_model){SYNTH_XYZ "timestamp:f64", "timestamp", 1000000000, true, cases[i].shift_s,
                                   cases[i].shift_s + 0.1, 0, 3},
                    1600);
        assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
        assert_int_equal(report.clock.kind, cases[i].kind);
        assert_int_equal(layout.header_role, i != 1 ? SNT_HEADER_ROLE_UNRELATED : SNT_HEADER_ROLE_START);
        assert_true(SYNTH_HAS(report, OTHER_CLOCK) == (i != 1));
        synth_free(&c);
    }
}

/* velodyne #218: microseconds of the hour. 1 200 000 000 of them are 20 minutes, and were seconds in 2008. */
static void microseconds_of_the_hour_are_not_taken_for_seconds_of_a_year(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, SYNTH_XYZ "intensity:f32 time:u32", 0, 1600);
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t s = synth_add_scan(&c, synth_today + k * INT64_C(100000000));
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "time", 0, 1200000000 + k * 100000 + i * 62);
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_US);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_true(SYNTH_HAS(report, VALUES_FOLLOW_HEADER) && SYNTH_HAS(report, OTHER_CLOCK));
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_UNRELATED);
    c.scans = 1; /* one scan alone: the clock can only be supposed */
    assert_status(synth_detect(&c, 100000000, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_true(report.reference_confidence < 0.7);
    c.scans = 3;
    synth_free(&c);
}

/* ouster-ros #541: the stamp is one scan early */
static void a_header_one_period_early_is_named(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(
        &c, &(synth_model){SYNTH_XYZ "timestamp:f64", "timestamp", 1000000000, true, 0.1, 0.199, 0, 4}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, HEADER_PERIOD_EARLY));
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_UNRELATED);
    synth_free(&c);
}

/* ros2_ouster #127: times from the scan's start, the header is its reception */
static void points_after_their_reception_leave_two_readings(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 4}, 1600);
    for (uint32_t s = 0; s < 4; s++)
        c.receive[s] = c.views[s].header.stamp_ns + 3000000;
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_AMBIGUOUS);
    assert_true(SYNTH_HAS(report, POINTS_AFTER_RECEIVE));
    assert_int_equal(report.candidates[0].header_role, SNT_HEADER_ROLE_END);
    assert_int_equal(report.candidates[1].header_role, SNT_HEADER_ROLE_START);
    for (uint32_t s = 0; s < 4; s++)
        c.receive[s] = c.views[s].header.stamp_ns + 103000000;
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    synth_free(&c);
}

static void a_header_that_wanders_in_its_scan_is_a_hosts_stamp(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    static const int64_t jitter_ms[] = {0, 25, 3, 40, 12, 33, 7, 18};
    synth_init(&c, SYNTH_XYZ "timestamp:f64", 0, 1600);
    for (uint32_t k = 0; k < 8; k++) {
        const int64_t start = synth_today + k * INT64_C(100000000);
        const uint32_t s = synth_add_scan(&c, start + 100000000 + jitter_ms[k] * 1000000);
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "timestamp",
                      (double)(start / 1000000000) + (double)(start % 1000000000) * 1e-9 + 1e-4 * i / 1.6, 0);
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, HEADER_UNSTEADY));
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_RECEIVE);
    synth_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_from_minus_a_tenth_to_zero_mean_that_the_header_is_the_end),
        cmocka_unit_test(a_small_positive_tail_means_that_the_header_is_the_last_packet),
        cmocka_unit_test(absolute_times_that_end_at_the_header_are_told_from_those_that_begin_there),
        cmocka_unit_test(a_header_near_zero_cannot_tell_absolute_from_relative),
        cmocka_unit_test(absolute_times_on_other_clocks_are_named),
        cmocka_unit_test(microseconds_of_the_hour_are_not_taken_for_seconds_of_a_year),
        cmocka_unit_test(a_header_one_period_early_is_named),
        cmocka_unit_test(points_after_their_reception_leave_two_readings),
        cmocka_unit_test(a_header_that_wanders_in_its_scan_is_a_hosts_stamp),
    };
    return cmocka_run_group_tests_name("layout_role", tests, NULL, NULL);
}
