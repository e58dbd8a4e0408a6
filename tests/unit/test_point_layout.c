/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "synth_cloud.h"

#include "lib/base/internal.h"

#define HAS(report, name) (((report).evidence & SNT_LAYOUT_EVIDENCE(name)) != 0)

static const int64_t today = INT64_C(1700000000000000000);

static snt_status detect(const synth_cloud *c, int64_t period, snt_point_layout *layout,
                         snt_layout_report *report)
{
    snt_layout_options options;
    snt_layout_options_init(&options, sizeof options);
    options.period_ns = period;
    bool known = false;
    for (uint32_t i = 0; i < c->scans; i++)
        known |= c->receive[i] != SNT_UNKNOWN;
    options.receive_ns = known ? c->receive : NULL;
    return snt_point_layout_detect(c->fields, c->field_count, c->views, c->scans, &options, layout, report);
}

/* Scans of `n` points whose times run from first to last against the header, 10 Hz. */
typedef struct scan_model {
    const char *spec;
    const char *time_field;
    int64_t unit_ns;
    bool absolute;
    double first_s, last_s;
    uint32_t step, scans;
} scan_model;

static const int64_t unit_ns_of[] = {0, 1000000000, 1000000, 1000, 100, 1};

static void put_time(const synth_cloud *c, uint32_t s, uint32_t i, const scan_model *m, int64_t stamp,
                     int64_t t_ns)
{
    const int64_t value_ns = m->absolute ? stamp + t_ns : t_ns;
    /* split: a double's product would lose the nanoseconds of today */
    const double real = m->unit_ns == 1 ? (double)value_ns
                                        : (double)(value_ns / m->unit_ns) +
                                              (double)(value_ns % m->unit_ns) / (double)m->unit_ns;
    synth_put(c, s, i, m->time_field, real, value_ns / m->unit_ns);
}

static void model_scans(synth_cloud *c, const scan_model *m, uint32_t points)
{
    synth_init(c, m->spec, m->step, points);
    for (uint32_t k = 0; k < m->scans; k++) {
        const int64_t stamp = today + k * INT64_C(100000000);
        const uint32_t s = synth_add_scan(c, stamp);
        synth_turn(c, s, 16);
        for (uint32_t i = 0; i < points; i++) {
            const double column = (double)(i / 16) / (double)((points - 1) / 16);
            put_time(c, s, i, m, stamp, (int64_t)((m->first_s + (m->last_s - m->first_s) * column) * 1e9));
        }
    }
}

#define XYZ "x:f32@0 y:f32@4 z:f32@8 "

/* Point-LIO #15, LIMO-Velo #14, kiss-icp #94 */
static void times_from_minus_a_tenth_to_zero_mean_that_the_header_is_the_end(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    for (uint32_t scans = 1; scans <= 4; scans += 3) {
        model_scans(&c, &(scan_model){XYZ "t:f32", "t", 1000000000, false, -0.1, 0, 0, scans}, 1600);
        assert_status(detect(&c, 0, &layout, &report), SNT_OK);
        assert_int_equal(layout.time_unit, SNT_TIME_UNIT_S);
        assert_int_equal(layout.time_ref, SNT_TIME_REF_RELATIVE);
        assert_int_equal(layout.header_role, SNT_HEADER_ROLE_END);
        assert_true(HAS(report, NEGATIVE_TIMES));
        assert_true(report.role_confidence > 0.9 && report.unit_confidence >= 0.9);
        assert_true(HAS(report, SCANS_AGREE) == (scans > 1));
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
    model_scans(&c,
                &(scan_model){XYZ "intensity:f32@12 ring:u16@16 time:f32@18", "time", 1000000000, false,
                              -0.10086, 0.00054, 22, 1},
                1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_LAST_PACKET);
    assert_near((double)report.header_to_first_ns, -100860000, 100);
    assert_near((double)report.header_to_last_ns, 540000, 100);
    assert_int_equal(report.ring_count, 16);
    assert_string_equal(report.ring_name, "ring");
    assert_non_null(strstr(report.producer, "Velodyne"));
    assert_true(HAS(report, ROLE_BY_PRODUCER));
    synth_free(&c);
}

/* rslidar_sdk #10 */
static void absolute_times_that_end_at_the_header_are_told_from_those_that_begin_there(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    scan_model m = {
        XYZ "intensity:f32@12 ring:u16@16 timestamp:f64@18", "timestamp", 1000000000, true, -0.1, 0, 26, 3};
    model_scans(&c, &m, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_END);
    assert_non_null(strstr(report.producer, "RoboSense"));
    assert_int_equal(report.producer_count, 2); /* Hesai lays its points out alike */
    assert_true(HAS(report, ABSOLUTE_NEAR_HEADER) && HAS(report, UNIT_BY_MAGNITUDE));
    assert_near((double)report.resolution_ns, 239, 1);
    snt_cloud cloud;
    int64_t t;
    assert_status(snt_cloud_from_pointcloud2(&c.views[0], &layout, &cloud), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 0, 1, today, &t, NULL), SNT_OK);
    assert_near((double)t, -100000000, 239);
    synth_free(&c);
    m.first_s = 0;
    m.last_s = 0.1;
    model_scans(&c, &m, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    assert_non_null(strstr(report.producer, "Hesai"));
    synth_free(&c);
    m.first_s = -0.05;
    m.last_s = 0.05;
    model_scans(&c, &m, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_MIDDLE);
    assert_true(HAS(report, ROLE_NOT_AS_PRODUCER));
    synth_free(&c);
    m.first_s = -0.13; /* stamped on reception, 30 ms after the last point */
    m.last_s = -0.03;
    model_scans(&c, &m, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_RECEIVE);
    assert_near((double)report.header_to_last_ns, -30e6, 1000);
    synth_free(&c);
}

/* FAST_LIO #55, #132, #91: the same scan in three units */
static void spans_decide_between_seconds_milliseconds_and_microseconds(void **state)
{
    (void)state;
    static const uint32_t units[] = {SNT_TIME_UNIT_S, SNT_TIME_UNIT_MS, SNT_TIME_UNIT_US};
    for (size_t i = 0; i < 3; i++) {
        for (int period = 0; period < 2; period++) {
            synth_cloud c;
            snt_point_layout layout;
            snt_layout_report report;
            model_scans(&c,
                        &(scan_model){XYZ "intensity:f32 time:f32", "time", unit_ns_of[units[i]], false, 0,
                                      0.099, 0, 1},
                        1600);
            assert_status(detect(&c, period ? 100000000 : 0, &layout, &report), SNT_OK);
            assert_int_equal(layout.time_unit, units[i]);
            assert_near((double)report.span_ns, 99e6, 10);
            assert_true(HAS(report, UNIT_BY_PERIOD) == (period == 1));
            assert_true(HAS(report, UNIT_BY_SPAN) == (period == 0));
            synth_free(&c);
        }
    }
}

static void a_tenth_of_a_microsecond_needs_the_period(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    model_scans(&c, &(scan_model){XYZ "time:u32", "time", 100, false, 0, 0.099, 0, 1}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_AMBIGUOUS); /* 99 ms of 0.1 µs or 0.99 s of µs */
    assert_int_equal(layout.time.type, SNT_TYPE_NONE);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_NONE);
    assert_int_equal(report.candidate_count, 2);
    assert_int_equal(report.status, SNT_ERR_AMBIGUOUS);
    bool us = false, tenth = false;
    for (uint32_t i = 0; i < report.candidate_count; i++) {
        us |= report.candidates[i].time_unit == SNT_TIME_UNIT_US;
        tenth |= report.candidates[i].time_unit == SNT_TIME_UNIT_100NS;
    }
    assert_true(us && tenth);
    assert_status(detect(&c, 100000000, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_100NS);
    assert_status(detect(&c, 1000000000, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_US);
    synth_free(&c);
}

/* kinematic-icp #12, DLIO #5, fast_LIMO #12 */
static void livox_doubles_are_absolute_nanoseconds(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    const char *spec = XYZ "intensity:f32@12 tag:u8@16 line:u8@17 timestamp:f64@18";
    model_scans(&c, &(scan_model){spec, "timestamp", 1, true, 0, 0.0999, 26, 2}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_NS);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    assert_i64_equal(report.resolution_ns, 256);
    assert_string_equal(report.ring_name, "line");
    assert_non_null(strstr(report.producer, "Livox"));
    synth_free(&c);
    /* the same fields, "behaves like Ouster": relative nanoseconds. The magnitude decides, not the vendor. */
    model_scans(&c, &(scan_model){spec, "timestamp", 1, false, 0, 0.0999, 26, 2}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_NS);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_RELATIVE);
    synth_free(&c);
}

/* kiss-icp PR 500, ouster-ros #331, HesaiLidar #66, audit 15 */
static void constant_and_zero_times_are_no_times(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    model_scans(&c, &(scan_model){XYZ "t:u32", "t", 1, false, 0, 0, 0, 3}, 160);
    assert_status(detect(&c, 100000000, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(HAS(report, ALL_ZERO) && HAS(report, NAMED_FIELD) && !HAS(report, NO_TIME_FIELD));
    assert_int_equal(layout.time.type, SNT_TYPE_NONE);
    assert_int_equal(layout.x.type, SNT_TYPE_F32); /* the rest of the layout is there */
    assert_string_equal(report.time_name, "t");
    synth_free(&c);
    model_scans(&c, &(scan_model){XYZ "t:f32", "t", 1000000000, false, 5, 5, 0, 1}, 160);
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(HAS(report, CONSTANT));
    synth_free(&c);
    model_scans(&c, &(scan_model){XYZ "timestamp:f64", "timestamp", 1000000000, true, 0, 0, 0, 3}, 160);
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    synth_free(&c);
    model_scans(&c, &(scan_model){XYZ "intensity:f32", "t", 1, false, 0, 0, 0, 1}, 160);
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(HAS(report, NO_TIME_FIELD));
    assert_int_equal(report.time_field, -1);
    synth_free(&c);
}

/* Leishen C16: float32(1.7e9 + 0.05) is 1.7e9 */
static void absolute_seconds_in_a_float_have_lost_their_precision(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    model_scans(&c, &(scan_model){XYZ "time:f32", "time", 1000000000, true, 0, 0.1, 0, 1}, 160);
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_PRECISION);
    assert_true(HAS(report, TOO_COARSE));
    assert_int_equal(layout.time.type, SNT_TYPE_NONE);
    synth_free(&c);
    /* An uptime of 3000 s in a float32 has steps of 244 µs: usable, and said. */
    model_scans(&c, &(scan_model){XYZ "time:f32", "time", 1000000000, false, 3000, 3000.1, 0, 1}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_true(HAS(report, COARSE) && HAS(report, OTHER_CLOCK));
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_UNRELATED);
    assert_near((double)report.resolution_ns, 244141, 1);
    synth_free(&c);
    /* 400 000 s: steps of 31 ms */
    model_scans(&c, &(scan_model){XYZ "time:f32", "time", 1000000000, false, 400000, 400000.1, 0, 1}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_PRECISION);
    synth_free(&c);
    /* the first packet absolute in a float32, the rest relative to the sweep's end */
    model_scans(&c, &(scan_model){XYZ "time:f32", "time", 1000000000, false, -0.1, 0, 0, 1}, 1600);
    for (uint32_t i = 0; i < 16; i++)
        synth_put(&c, 0, i, "time", 1.7e9, 0);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.outliers, 16);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_END);
    synth_free(&c);
}

/* ouster-ros #46, dimos PR 3103: uint32(t − first) with an earlier second column */
static void unsigned_times_that_wrapped_below_zero_are_read_as_signed(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    model_scans(&c, &(scan_model){XYZ "t:u32", "t", 1, false, 0, 0.0999, 0, 1}, 1600);
    for (uint32_t i = 16; i < 32; i++)
        synth_put(&c, 0, i, "t", 0, 4294967196);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(HAS(report, UNSIGNED_UNDERFLOW));
    assert_int_equal(report.underflows, 16);
    assert_int_equal(report.outliers, 0);
    assert_int_equal(layout.time.type, SNT_TYPE_I32);
    assert_near((double)report.span_ns, 99900100, 1);
    snt_cloud cloud;
    int64_t t[2];
    assert_status(snt_cloud_from_pointcloud2(&c.views[0], &layout, &cloud), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 15, 2, cloud.time_base_ns, t, NULL), SNT_OK);
    assert_i64_equal(t[0], 0);
    assert_i64_equal(t[1], -100);
    synth_free(&c);
    /* half of the scan wrapped: base taken from the middle */
    model_scans(&c, &(scan_model){XYZ "t:u32", "t", 1, false, -0.05, 0.05, 0, 1}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time.type, SNT_TYPE_I32);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_MIDDLE);
    synth_free(&c);
}

/* vbr-devkit #7 */
static void a_glitch_of_seconds_does_not_stretch_the_scan(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    model_scans(&c, &(scan_model){XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 1}, 1600);
    synth_put(&c, 0, 800, "t", 0, 3604361924);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.outliers, 1);
    assert_int_equal(report.underflows, 0);
    assert_int_equal(layout.time.type, SNT_TYPE_U32);
    assert_near((double)report.span_ns, 1e8, 1);
    assert_true(HAS(report, OUTLIERS));
    synth_free(&c);
}

static void clamped_times_are_said_to_be_many_zeros(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    model_scans(&c, &(scan_model){XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 1}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_false(HAS(report, MANY_ZEROS));
    for (uint32_t i = 0; i < 320; i++)
        synth_put(&c, 0, i, "t", 0, 0);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(HAS(report, MANY_ZEROS));
    assert_int_equal(report.zeros, 320);
    synth_free(&c);
}

static void nan_times_are_counted_and_do_not_decide(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    model_scans(&c, &(scan_model){XYZ "t:f32", "t", 1000000000, false, 0, 0.1, 0, 2}, 1600);
    for (uint32_t i = 0; i < 1600; i += 2)
        synth_put(&c, 0, i, "t", i % 4 ? (double)NAN : (double)INFINITY, 0);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.invalid, 800);
    assert_true(HAS(report, INVALID_VALUES));
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "t", (double)NAN, 0);
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    synth_free(&c);
}

/* HDMapping #472: LAS gps_time in seconds, stored as ts_ns */
static void a_name_that_the_values_contradict_is_ambiguous(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    model_scans(&c, &(scan_model){XYZ "ts_ns:f64", "ts_ns", 1000000000, false, 0, 0.1, 0, 1}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_AMBIGUOUS);
    assert_true(HAS(report, UNIT_CONTRADICTED));
    assert_int_equal(report.candidate_count, 2);
    assert_int_equal(report.candidates[0].time_unit, SNT_TIME_UNIT_S);
    assert_int_equal(report.candidates[1].time_unit, SNT_TIME_UNIT_NS);
    synth_free(&c);
    model_scans(&c, &(scan_model){XYZ "ts_ns:f64", "ts_ns", 1000000000, true, 0, 0.1, 0, 1}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_AMBIGUOUS);
    synth_free(&c);
    model_scans(&c, &(scan_model){XYZ "offset_ns:i32", "offset_ns", 1, false, 0, 0.1, 0, 1}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(HAS(report, UNIT_BY_NAME));
    synth_free(&c);
}

/* A simulation that has just begun: header 0.05 s, times 0 … 0.1 s. Absolute or relative? */
static void a_header_near_zero_cannot_tell_absolute_from_relative(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, XYZ "time:f64", 0, 1600);
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t s = synth_add_scan(&c, 50000000 + k * INT64_C(100000000));
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "time", 0.1 * i / 1599, 0);
    }
    c.scans = 1;
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_AMBIGUOUS);
    assert_true(HAS(report, HEADER_SMALL));
    assert_int_equal(report.candidate_count, 2);
    assert_int_not_equal(report.candidates[0].time_ref, report.candidates[1].time_ref);
    c.scans = 3; /* the values begin anew with every scan while the header goes on */
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_RELATIVE);
    assert_true(HAS(report, VALUES_RESTART));
    for (uint32_t s = 0; s < 3; s++)
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "time", 0.05 + 0.1 * s + 0.1 * i / 1599, 0);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    assert_true(HAS(report, VALUES_FOLLOW_HEADER));
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
        model_scans(&c,
                    &(scan_model){XYZ "timestamp:f64", "timestamp", 1000000000, true, cases[i].shift_s,
                                  cases[i].shift_s + 0.1, 0, 3},
                    1600);
        assert_status(detect(&c, 0, &layout, &report), SNT_OK);
        assert_int_equal(report.clock.kind, cases[i].kind);
        assert_int_equal(layout.header_role, i != 1 ? SNT_HEADER_ROLE_UNRELATED : SNT_HEADER_ROLE_START);
        assert_true(HAS(report, OTHER_CLOCK) == (i != 1));
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
    synth_init(&c, XYZ "intensity:f32 time:u32", 0, 1600);
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t s = synth_add_scan(&c, today + k * INT64_C(100000000));
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "time", 0, 1200000000 + k * 100000 + i * 62);
    }
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_US);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_true(HAS(report, VALUES_FOLLOW_HEADER) && HAS(report, OTHER_CLOCK));
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_UNRELATED);
    c.scans = 1; /* one scan alone: the clock can only be supposed */
    assert_status(detect(&c, 100000000, &layout, &report), SNT_OK);
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
    model_scans(&c, &(scan_model){XYZ "timestamp:f64", "timestamp", 1000000000, true, 0.1, 0.199, 0, 4},
                1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(HAS(report, HEADER_PERIOD_EARLY));
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
    model_scans(&c, &(scan_model){XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 4}, 1600);
    for (uint32_t s = 0; s < 4; s++)
        c.receive[s] = c.views[s].header.stamp_ns + 3000000;
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_AMBIGUOUS);
    assert_true(HAS(report, POINTS_AFTER_RECEIVE));
    assert_int_equal(report.candidates[0].header_role, SNT_HEADER_ROLE_END);
    assert_int_equal(report.candidates[1].header_role, SNT_HEADER_ROLE_START);
    for (uint32_t s = 0; s < 4; s++)
        c.receive[s] = c.views[s].header.stamp_ns + 103000000;
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
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
    synth_init(&c, XYZ "timestamp:f64", 0, 1600);
    for (uint32_t k = 0; k < 8; k++) {
        const int64_t start = today + k * INT64_C(100000000);
        const uint32_t s = synth_add_scan(&c, start + 100000000 + jitter_ms[k] * 1000000);
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "timestamp",
                      (double)(start / 1000000000) + (double)(start % 1000000000) * 1e-9 + 1e-4 * i / 1.6, 0);
    }
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(HAS(report, HEADER_UNSTEADY));
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_RECEIVE);
    synth_free(&c);
}

/* spec 5 §6: ring-major {0, .1, .2, .01, .11, .21}; destaggered rows; order is no evidence of anything */
static void array_order_does_not_matter(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, XYZ "ring:u16 time:f32", 0, 1600);
    const uint32_t s = synth_add_scan(&c, today);
    for (uint32_t i = 0; i < 1600; i++) {
        const uint32_t ring = i / 100, column = i % 100;
        synth_put(&c, s, i, "ring", 0, ring);
        synth_put(&c, s, i, "time", 0.001 * column, 0);
        synth_put(&c, s, i, "x", 10 * cos(0.0628 * column), 0);
        synth_put(&c, s, i, "y", 10 * sin(0.0628 * column), 0);
    }
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_RELATIVE);
    assert_true(HAS(report, NOT_MONOTONIC) && !HAS(report, PER_PACKET));
    assert_int_equal(report.negative_jumps, 15);
    assert_int_equal(report.restarts, 15);
    assert_near((double)report.span_ns, 99e6, 10);
    synth_free(&c);
    /* without ring field the directions say the same */
    synth_init(&c, XYZ "time:f32", 0, 1600);
    synth_add_scan(&c, today);
    for (uint32_t i = 0; i < 1600; i++) {
        const uint32_t column = i % 100;
        synth_put(&c, 0, i, "time", 0.001 * column, 0);
        synth_put(&c, 0, i, "x", 10 * cos(0.0628 * column), 0);
        synth_put(&c, 0, i, "y", 10 * sin(0.0628 * column), 0);
    }
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_false(HAS(report, PER_PACKET));
    synth_free(&c);
}

/* The shape of the Velodyne .pcd of a driver that stamps within packets: 150 runs of 0 … 1.306 ms */
static void times_that_restart_in_every_packet_are_no_scan_times(void **state)
{
    (void)state;
    for (int with_ring = 0; with_ring < 2; with_ring++) {
        synth_cloud c;
        snt_point_layout layout;
        snt_layout_report report;
        synth_init(&c, with_ring ? XYZ "channel:u16 time_stamp:u32" : XYZ "time_stamp:u32", 0, 15000);
        synth_add_scan(&c, today);
        synth_turn(&c, 0, 16);
        for (uint32_t i = 0; i < 15000; i++)
            synth_put(&c, 0, i, "time_stamp", 0, (int64_t)(i % 100) * 13195);
        assert_status(detect(&c, 100000000, &layout, &report), SNT_ERR_NO_TIME);
        assert_true(HAS(report, PER_PACKET));
        assert_int_equal(layout.time_ref, SNT_TIME_REF_PACKET);
        assert_int_equal(layout.time.type, SNT_TYPE_NONE);
        assert_int_equal(report.restarts, 149);
        assert_i64_equal(report.packet_span_ns, 99 * 13195);
        assert_true(HAS(report, HINT_AZIMUTH));
        assert_int_equal(report.candidates[0].time_ref, SNT_TIME_REF_PACKET);
        assert_int_equal(report.candidates[0].time_unit, SNT_TIME_UNIT_NS);
        synth_free(&c);
    }
}

/* The real file, where it is there */
static void the_nebula_pcd_is_relative_to_packets(void **state)
{
    (void)state;
    const char *root = getenv("SNT_SOURCE_ROOT");
    char path[1024];
    snprintf(path, sizeof path, "%s/../shared/data/tier4+nebula/velodyne_vlp16_1673400472138016708.pcd",
             root ? root : ".");
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("# skipped: %s is not there\n", path);
        return;
    }
    unsigned char *bytes = malloc(1 << 20);
    const size_t size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    size_t start = 0;
    while (start + 12 < size && memcmp(bytes + start, "DATA binary\n", 12) != 0)
        start++;
    start += 12;
    synth_cloud c;
    synth_init(
        &c,
        XYZ "intensity:u8 return_type:u8 channel:u16 azimuth:f32 elevation:f32 distance:f32 time_stamp:u32",
        0, 0);
    assert_int_equal(c.step, 32);
    snt_pointcloud2_view view;
    assert_status(snt_pointcloud2_view_init(c.fields, c.field_count, bytes + start, size - start, 14831, 1,
                                            32, 0, INT64_C(1673400472138016708), 0, &view, NULL),
                  SNT_OK);
    snt_point_layout layout;
    snt_layout_report report;
    assert_status(snt_point_layout_detect(c.fields, c.field_count, &view, 1, NULL, &layout, &report),
                  SNT_ERR_NO_TIME);
    assert_true(HAS(report, PER_PACKET));
    assert_int_equal(report.negative_jumps, 149);
    assert_int_equal(report.restarts, 149);
    assert_near((double)report.packet_span_ns, 1306368 - 2303,
                2303); /* the largest is 1 306 368, from 0 or 2303 */
    assert_true(HAS(report, HINT_AZIMUTH));
    assert_non_null(strstr(report.producer, "Nebula"));
    assert_int_equal(report.ring_count, 15);
    free(bytes);
}

/* UnitySensors #212 says big-endian and writes little-endian; Blickfeld is big-endian and says so */
static void a_wrong_byte_order_is_noticed_and_can_be_overruled(void **state)
{
    (void)state;
    for (int really = 0; really < 2; really++) {
        for (int declared = 0; declared < 2; declared++) {
            synth_cloud c;
            snt_point_layout layout;
            snt_layout_report report;
            synth_init(&c, XYZ "t:u32", 0, 1600);
            c.big_endian = really;
            synth_add_scan(&c, today);
            synth_turn(&c, 0, 16);
            for (uint32_t i = 0; i < 1600; i++)
                synth_put(&c, 0, i, "t", 0, (int64_t)(i / 16) * 1000000);
            c.views[0].flags = declared ? (uint32_t)SNT_POINTCLOUD2_BIG_ENDIAN : 0;
            const snt_status status = detect(&c, 0, &layout, &report);
            assert_true(HAS(report, BYTE_ORDER_CONTRADICTED) == (really != declared));
            assert_status(status, really == declared ? SNT_OK : SNT_ERR_AMBIGUOUS);
            snt_layout_options options;
            snt_layout_options_init(&options, sizeof options);
            options.byte_order = really ? 2 : 1;
            assert_status(
                snt_point_layout_detect(c.fields, c.field_count, c.views, 1, &options, &layout, &report),
                SNT_OK);
            assert_int_equal(layout.flags, really != declared ? SNT_LAYOUT_SWAP : 0);
            snt_cloud cloud;
            int64_t t;
            assert_status(snt_cloud_from_pointcloud2(&c.views[0], &layout, &cloud), SNT_OK);
            assert_status(snt_cloud_times(&cloud, 1599, 1, today, &t, NULL), SNT_OK);
            assert_i64_equal(t, 99000000);
            synth_free(&c);
        }
    }
}

static void split_seconds_and_nanoseconds_make_one_time(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, XYZ "intensity:u8 confidence:u8 ring:u16 timeSecond:u64 timeNanosecond:u32", 0, 1600);
    for (uint32_t k = 0; k < 2; k++) {
        const int64_t start = today + 950000000 + k * INT64_C(100000000);
        const uint32_t s = synth_add_scan(&c, start);
        synth_turn(&c, s, 16);
        for (uint32_t i = 0; i < 1600; i++) {
            const int64_t t = start + (int64_t)(i / 16) * 1000000;
            synth_put(&c, s, i, "timeSecond", 0, t / 1000000000);
            synth_put(&c, s, i, "timeNanosecond", 0, t % 1000000000);
        }
    }
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(HAS(report, SPLIT_TIME));
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    assert_non_null(strstr(report.producer, "Hesai"));
    snt_cloud cloud;
    int64_t t;
    assert_status(snt_cloud_from_pointcloud2(&c.views[0], &layout, &cloud), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 1599, 1, today, &t, NULL), SNT_OK);
    assert_i64_equal(t, 1049000000);
    synth_free(&c);
}

/* SICK with all fields: t and ts say the same, lidar_sec/lidar_nsec are another clock; t is exact */
static void of_several_time_fields_the_exact_relative_one_is_used(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c,
               XYZ
               "i:f32@12 range:f32@16 azimuth:f32@20 elevation:f32@24 t:u32@28 ts:f32@32 lidar_sec:u32@36 "
               "lidar_nsec:u32@40 ring:i8@44 layer:i8@45 echo:i8@46 reflector:i8@47",
               48, 1600);
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t s = synth_add_scan(&c, today + k * INT64_C(50000000));
        synth_turn(&c, s, 16);
        for (uint32_t i = 0; i < 1600; i++) {
            const int64_t t = (int64_t)(i % 800 / 16) * 1000000; /* echo after echo */
            synth_put(&c, s, i, "t", 0, t);
            synth_put(&c, s, i, "ts", (double)t * 1e-9, 0);
            synth_put(&c, s, i, "lidar_sec", 0, 500);
            synth_put(&c, s, i, "lidar_nsec", 0, 100000000 + k * 50000000 + t);
        }
    }
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_string_equal(report.time_name, "t");
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_NS);
    assert_true(HAS(report, MIXED_TYPES));
    assert_non_null(strstr(report.producer, "SICK"));
    /* t unfilled: the next best is used */
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "t", 0, 0);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_string_equal(report.time_name, "ts");
    synth_free(&c);
}

static void a_base_in_the_points_is_found(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, XYZ "ring:u8 tag:u8 timebase_low:u32 timebase_high:u32 time_offset:u32", 0, 1600);
    synth_add_scan(&c, today);
    synth_turn(&c, 0, 4);
    for (uint32_t i = 0; i < 1600; i++) {
        synth_put(&c, 0, i, "timebase_low", 0, today & 0xffffffff);
        synth_put(&c, 0, i, "timebase_high", 0, today >> 32);
        synth_put(&c, 0, i, "time_offset", 0, i * INT64_C(62500));
    }
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(HAS(report, BASE_IN_POINTS));
    snt_cloud cloud;
    int64_t t;
    assert_status(snt_cloud_from_pointcloud2(&c.views[0], &layout, &cloud), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 1, 1, 0, &t, NULL), SNT_OK);
    assert_i64_equal(t, today + 62500);
    synth_free(&c);
}

/* LOAM: intensity = ring + scan_period·t */
static void a_time_in_the_intensity_is_only_hinted_at(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, XYZ "intensity:f32@16", 32, 1600);
    synth_add_scan(&c, today);
    synth_turn(&c, 0, 16);
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_false(HAS(report, HINT_INTENSITY_TIME));
    for (uint32_t i = 0; i < 1600; i++)
        synth_put(&c, 0, i, "intensity", i / 100 + 0.1 * (i % 100) / 100.0, 0);
    assert_status(detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(HAS(report, HINT_INTENSITY_TIME));
    assert_int_equal(layout.time.type, SNT_TYPE_NONE);
    synth_free(&c);
}

static void names_that_are_no_rings_are_not_taken_for_rings(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, XYZ "ring:f32 line:u32 t:u32", 0, 1600);
    synth_add_scan(&c, today);
    synth_turn(&c, 0, 16);
    for (uint32_t i = 0; i < 1600; i++) {
        synth_put(&c, 0, i, "ring", 0.5 * i, 0);
        synth_put(&c, 0, i, "line", 0, i * 1000); /* a million rings */
        synth_put(&c, 0, i, "t", 0, i * 60000);
    }
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.ring_field, -1);
    assert_int_equal(layout.ring.type, SNT_TYPE_NONE);
    for (uint32_t i = 0; i < 1600; i++)
        synth_put(&c, 0, i, "ring", i % 32, 0);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.ring_count, 32);
    assert_int_equal(layout.ring.type, SNT_TYPE_F32);
    synth_free(&c);
}

/* kiss-icp #209: 20 Hz scans thinned to 10 Hz; Unitree: 64 ms every 67 ms */
static void short_scans_are_told_from_wrong_units(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    model_scans(&c, &(scan_model){XYZ "time:f32", "time", 1000000000, false, 0, 0.045, 0, 5}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_S);
    assert_true(HAS(report, SHORT_SCANS));
    synth_free(&c);
    model_scans(&c, &(scan_model){XYZ "time:f32", "time", 1000000000, false, 0, 0.0955, 0, 5}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_false(HAS(report, SHORT_SCANS));
    synth_free(&c);
}

static void bad_arguments_leave_the_results_untouched(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout, before;
    snt_layout_report report;
    memset(&layout, 0x5a, sizeof layout);
    before = layout;
    model_scans(&c, &(scan_model){XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 2}, 160);
    assert_status(snt_point_layout_detect(c.fields, c.field_count, c.views, 0, NULL, &layout, &report),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_point_layout_detect(NULL, 1, c.views, 1, NULL, &layout, &report), SNT_ERR_INVALID_ARG);
    assert_status(snt_point_layout_detect(c.fields, c.field_count, NULL, 1, NULL, &layout, &report),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_point_layout_detect(c.fields, c.field_count, c.views, 1, NULL, NULL, &report),
                  SNT_ERR_INVALID_ARG);
    c.fields[3].offset = 13; /* ends behind the point */
    assert_status(snt_point_layout_detect(c.fields, c.field_count, c.views, 1, NULL, &layout, &report),
                  SNT_ERR_INVALID_ARG);
    c.fields[3].offset = 12;
    c.views[1].point_step = 8;
    assert_status(snt_point_layout_detect(c.fields, c.field_count, c.views, 2, NULL, &layout, &report),
                  SNT_ERR_INVALID_ARG);
    snt_layout_options options;
    snt_layout_options_init(&options, sizeof options);
    options.byte_order = 3;
    assert_status(snt_point_layout_detect(c.fields, c.field_count, c.views, 1, &options, &layout, &report),
                  SNT_ERR_INVALID_ARG);
    assert_memory_equal(&layout, &before, sizeof layout);
    c.views[0].point_count = c.views[0].width = 0; /* no points at all */
    assert_status(snt_point_layout_detect(c.fields, c.field_count, c.views, 1, NULL, &layout, &report),
                  SNT_ERR_NO_TIME);
    assert_true(HAS(report, EMPTY_SCANS));
    assert_status(snt_point_layout_detect(NULL, 0, c.views, 1, NULL, &layout, NULL), SNT_ERR_NO_TIME);
    synth_free(&c);
}

static void a_thinned_look_finds_the_same(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    model_scans(&c, &(scan_model){XYZ "ring:u16 t:u32", "t", 1, false, 0, 0.1, 0, 2}, 16000);
    snt_layout_options options;
    snt_layout_options_init(&options, sizeof options);
    options.max_points_per_scan = 1000;
    assert_status(snt_point_layout_detect(c.fields, c.field_count, c.views, 2, &options, &layout, &report),
                  SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_NS);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    assert_true(report.points <= 2000);
    synth_free(&c);
}

static void a_detection_is_told_in_words(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    char text[4096], small[20] = "as was";
    model_scans(&c, &(scan_model){XYZ "ring:u16 t:u32", "t", 1, false, 0, 0.1, 0, 2}, 1600);
    assert_status(detect(&c, 0, &layout, &report), SNT_OK);
    assert_status(snt_point_layout_format(&layout, &report, text, sizeof text), SNT_OK);
    assert_non_null(strstr(text, "time: 't' u32 @14, ns"));
    assert_non_null(strstr(text, "header: scan start"));
    assert_non_null(strstr(text, "scan: 0.100000 s, period 0.100000 s"));
    assert_non_null(strstr(text, "ring: 'ring' u16 @12, 16 distinct"));
    assert_status(snt_point_layout_format(&layout, &report, small, sizeof small), SNT_ERR_BUFFER_TOO_SMALL);
    assert_string_equal(small, "as was");
    assert_status(snt_point_layout_format(&layout, NULL, text, sizeof text), SNT_ERR_INVALID_ARG);
    report.evidence = UINT64_MAX; /* the longest text there can be */
    report.status = SNT_ERR_AMBIGUOUS;
    report.candidate_count = 4;
    assert_status(snt_point_layout_format(&layout, &report, text, sizeof text), SNT_OK);
    for (uint32_t bit = 0; bit < SNT_LAYOUT_EVIDENCE_COUNT; bit++)
        assert_non_null(snt_layout_evidence_text(bit));
    assert_null(snt_layout_evidence_text(SNT_LAYOUT_EVIDENCE_COUNT));
    assert_string_equal(snt_time_unit_name(SNT_TIME_UNIT_MS), "ms");
    assert_string_equal(snt_time_unit_name(99), "unknown");
    assert_string_equal(snt_header_role_name(SNT_HEADER_ROLE_END), "scan end");
    assert_string_equal(snt_header_role_name(99), "unknown");
    synth_free(&c);
}

typedef struct row {
    const char *name, *fields;
    uint32_t step, unit, ref, role;
} row;

#define X(name, fields, step, unit, reference, role, note)                                                   \
    {name, fields, step, SNT_TIME_UNIT_##unit, SNT_TIME_REF_##reference, SNT_HEADER_ROLE_##role},
static const row rows[] = {
#include "lib/cloud/producers.inc"
};
#undef X

static const char *row_time_field(const synth_cloud *c)
{
    static const char *const names[] = {
        "t",         "time",        "timestamp",      "time_stamp",      "offset_time",
        "offset_ns", "time_offset", "time_offset_ns", "start_offset_ns", "stamps"};
    for (size_t i = 0; i < SNT_COUNT_OF(names); i++)
        if (synth_find(c, names[i]))
            return names[i];
    return NULL;
}

static void row_fill(synth_cloud *c, const row *r, uint32_t s, int64_t stamp)
{
    const double first = r->role == SNT_HEADER_ROLE_END           ? -0.0995
                         : r->role == SNT_HEADER_ROLE_LAST_PACKET ? -0.0989
                         : r->role == SNT_HEADER_ROLE_MIDDLE      ? -0.0497
                                                                  : 0.0;
    const scan_model m = {
        r->fields, row_time_field(c), unit_ns_of[r->unit], r->ref == SNT_TIME_REF_ABSOLUTE, 0, 0, r->step, 1};
    for (uint32_t i = 0; i < c->points; i++) {
        const int64_t t = (int64_t)((first + 0.0995 * (i / 16) / (double)((c->points - 1) / 16)) * 1e9);
        if (m.time_field)
            put_time(c, s, i, &m, stamp, t);
        synth_put(c, s, i, "ts", (double)t * 1e-9, 0);
        synth_put(c, s, i, "lidar_sec", 0, stamp / 1000000000);
        synth_put(c, s, i, "timeSecond", 0, (stamp + t) / 1000000000);
        synth_put(c, s, i, "lidar_nsec", 0, (stamp + t) % 1000000000);
        synth_put(c, s, i, "timeNanosecond", 0, (stamp + t) % 1000000000);
        synth_put(c, s, i, "timebase_low", 0, stamp & 0xffffffff);
        synth_put(c, s, i, "timebase_high", 0, stamp >> 32);
    }
}

static void every_known_producer_is_detected(void **state)
{
    (void)state;
    for (size_t k = 0; k < SNT_COUNT_OF(rows); k++) {
        const row *r = &rows[k];
        synth_cloud c;
        synth_init(&c, r->fields, r->step, 1600);
        for (uint32_t s = 0; s < 4; s++) {
            const int64_t stamp = today + s * INT64_C(100000000);
            assert_int_equal(synth_add_scan(&c, stamp), s);
            synth_turn(&c, s, 16);
            row_fill(&c, r, s, stamp);
        }
        snt_point_layout layout;
        snt_layout_report report;
        const snt_status status = detect(&c, 0, &layout, &report);
        if (status != (r->ref == SNT_TIME_REF_NONE ? SNT_ERR_NO_TIME : SNT_OK) || !report.producer ||
            strcmp(report.producer, r->name) != 0 || layout.time_ref != r->ref || layout.time_unit != r->unit)
            fail_msg("%s: %s, taken for %s, %s, reference %u", r->name, snt_status_name(status),
                     report.producer ? report.producer : "nobody", snt_time_unit_name(layout.time_unit),
                     layout.time_ref);
        if (r->ref != SNT_TIME_REF_NONE && r->role != SNT_HEADER_ROLE_UNKNOWN)
            if (layout.header_role != r->role || report.role_confidence < 0.85)
                fail_msg("%s: header %s (%.2f)", r->name, snt_header_role_name(layout.header_role),
                         report.role_confidence);
        synth_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_from_minus_a_tenth_to_zero_mean_that_the_header_is_the_end),
        cmocka_unit_test(a_small_positive_tail_means_that_the_header_is_the_last_packet),
        cmocka_unit_test(absolute_times_that_end_at_the_header_are_told_from_those_that_begin_there),
        cmocka_unit_test(spans_decide_between_seconds_milliseconds_and_microseconds),
        cmocka_unit_test(a_tenth_of_a_microsecond_needs_the_period),
        cmocka_unit_test(livox_doubles_are_absolute_nanoseconds),
        cmocka_unit_test(constant_and_zero_times_are_no_times),
        cmocka_unit_test(absolute_seconds_in_a_float_have_lost_their_precision),
        cmocka_unit_test(unsigned_times_that_wrapped_below_zero_are_read_as_signed),
        cmocka_unit_test(a_glitch_of_seconds_does_not_stretch_the_scan),
        cmocka_unit_test(clamped_times_are_said_to_be_many_zeros),
        cmocka_unit_test(nan_times_are_counted_and_do_not_decide),
        cmocka_unit_test(a_name_that_the_values_contradict_is_ambiguous),
        cmocka_unit_test(a_header_near_zero_cannot_tell_absolute_from_relative),
        cmocka_unit_test(absolute_times_on_other_clocks_are_named),
        cmocka_unit_test(microseconds_of_the_hour_are_not_taken_for_seconds_of_a_year),
        cmocka_unit_test(a_header_one_period_early_is_named),
        cmocka_unit_test(points_after_their_reception_leave_two_readings),
        cmocka_unit_test(a_header_that_wanders_in_its_scan_is_a_hosts_stamp),
        cmocka_unit_test(array_order_does_not_matter),
        cmocka_unit_test(times_that_restart_in_every_packet_are_no_scan_times),
        cmocka_unit_test(the_nebula_pcd_is_relative_to_packets),
        cmocka_unit_test(a_wrong_byte_order_is_noticed_and_can_be_overruled),
        cmocka_unit_test(split_seconds_and_nanoseconds_make_one_time),
        cmocka_unit_test(of_several_time_fields_the_exact_relative_one_is_used),
        cmocka_unit_test(a_base_in_the_points_is_found),
        cmocka_unit_test(a_time_in_the_intensity_is_only_hinted_at),
        cmocka_unit_test(names_that_are_no_rings_are_not_taken_for_rings),
        cmocka_unit_test(short_scans_are_told_from_wrong_units),
        cmocka_unit_test(bad_arguments_leave_the_results_untouched),
        cmocka_unit_test(a_thinned_look_finds_the_same),
        cmocka_unit_test(a_detection_is_told_in_words),
        cmocka_unit_test(every_known_producer_is_detected),
    };
    return cmocka_run_group_tests_name("point_layout", tests, NULL, NULL);
}
