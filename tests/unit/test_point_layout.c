/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "synth_cloud.h"

#include "lib/base/internal.h"

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
            synth_scans(&c,
                        &(synth_model){SYNTH_XYZ "intensity:f32 time:f32", "time", synth_unit_ns[units[i]],
                                       false, 0, 0.099, 0, 1},
                        1600);
            assert_status(synth_detect(&c, period ? 100000000 : 0, &layout, &report), SNT_OK);
            assert_int_equal(layout.time_unit, units[i]);
            assert_near((double)report.span_ns, 99e6, 10);
            assert_true(SYNTH_HAS(report, UNIT_BY_PERIOD) == (period == 1));
            assert_true(SYNTH_HAS(report, UNIT_BY_SPAN) == (period == 0));
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
    synth_scans(&c, &(synth_model){SYNTH_XYZ "time:u32", "time", 100, false, 0, 0.099, 0, 1}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report),
                  SNT_ERR_AMBIGUOUS); /* 99 ms of 0.1 µs or 0.99 s of µs */
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
    assert_status(synth_detect(&c, 100000000, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_100NS);
    assert_status(synth_detect(&c, 1000000000, &layout, &report), SNT_OK);
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
    const char *spec = SYNTH_XYZ "intensity:f32@12 tag:u8@16 line:u8@17 timestamp:f64@18";
    synth_scans(&c, &(synth_model){spec, "timestamp", 1, true, 0, 0.0999, 26, 2}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_NS);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    assert_i64_equal(report.resolution_ns, 256);
    assert_string_equal(report.ring_name, "line");
    assert_non_null(strstr(report.producer, "Livox"));
    synth_free(&c);
    /* the same fields, "behaves like Ouster": relative nanoseconds. The magnitude decides, not the vendor. */
    synth_scans(&c, &(synth_model){spec, "timestamp", 1, false, 0, 0.0999, 26, 2}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
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
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:u32", "t", 1, false, 0, 0, 0, 3}, 160);
    assert_status(synth_detect(&c, 100000000, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(SYNTH_HAS(report, ALL_ZERO) && SYNTH_HAS(report, NAMED_FIELD) &&
                !SYNTH_HAS(report, NO_TIME_FIELD));
    assert_int_equal(layout.time.type, SNT_TYPE_NONE);
    assert_int_equal(layout.x.type, SNT_TYPE_F32); /* the rest of the layout is there */
    assert_string_equal(report.time_name, "t");
    synth_free(&c);
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:f32", "t", 1000000000, false, 5, 5, 0, 1}, 160);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(SYNTH_HAS(report, CONSTANT));
    synth_free(&c);
    synth_scans(&c, &(synth_model){SYNTH_XYZ "timestamp:f64", "timestamp", 1000000000, true, 0, 0, 0, 3},
                160);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    synth_free(&c);
    synth_scans(&c, &(synth_model){SYNTH_XYZ "intensity:f32", "t", 1, false, 0, 0, 0, 1}, 160);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(SYNTH_HAS(report, NO_TIME_FIELD));
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
    synth_scans(&c, &(synth_model){SYNTH_XYZ "time:f32", "time", 1000000000, true, 0, 0.1, 0, 1}, 160);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_PRECISION);
    assert_true(SYNTH_HAS(report, TOO_COARSE));
    assert_int_equal(layout.time.type, SNT_TYPE_NONE);
    synth_free(&c);
    /* An uptime of 3000 s in a float32 has steps of 244 µs: usable, and said. */
    synth_scans(&c, &(synth_model){SYNTH_XYZ "time:f32", "time", 1000000000, false, 3000, 3000.1, 0, 1},
                1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_true(SYNTH_HAS(report, COARSE) && SYNTH_HAS(report, OTHER_CLOCK));
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_UNRELATED);
    assert_near((double)report.resolution_ns, 244141, 1);
    synth_free(&c);
    /* 400 000 s: steps of 31 ms */
    synth_scans(&c, &(synth_model){SYNTH_XYZ "time:f32", "time", 1000000000, false, 400000, 400000.1, 0, 1},
                1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_PRECISION);
    synth_free(&c);
    /* the first packet absolute in a float32, the rest relative to the sweep's end */
    synth_scans(&c, &(synth_model){SYNTH_XYZ "time:f32", "time", 1000000000, false, -0.1, 0, 0, 1}, 1600);
    for (uint32_t i = 0; i < 16; i++)
        synth_put(&c, 0, i, "time", 1.7e9, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
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
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:u32", "t", 1, false, 0, 0.0999, 0, 1}, 1600);
    for (uint32_t i = 16; i < 32; i++)
        synth_put(&c, 0, i, "t", 0, 4294967196);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, UNSIGNED_UNDERFLOW));
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
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:u32", "t", 1, false, -0.05, 0.05, 0, 1}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
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
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 1}, 1600);
    synth_put(&c, 0, 800, "t", 0, 3604361924);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.outliers, 1);
    assert_int_equal(report.underflows, 0);
    assert_int_equal(layout.time.type, SNT_TYPE_U32);
    assert_near((double)report.span_ns, 1e8, 1);
    assert_true(SYNTH_HAS(report, OUTLIERS));
    synth_free(&c);
}

static void clamped_times_are_said_to_be_many_zeros(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 1}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_false(SYNTH_HAS(report, MANY_ZEROS));
    for (uint32_t i = 0; i < 320; i++)
        synth_put(&c, 0, i, "t", 0, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, MANY_ZEROS));
    assert_int_equal(report.zeros, 320);
    synth_free(&c);
}

static void nan_times_are_counted_and_do_not_decide(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:f32", "t", 1000000000, false, 0, 0.1, 0, 2}, 1600);
    for (uint32_t i = 0; i < 1600; i += 2)
        synth_put(&c, 0, i, "t", i % 4 ? (double)NAN : (double)INFINITY, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.invalid, 800);
    assert_true(SYNTH_HAS(report, INVALID_VALUES));
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "t", (double)NAN, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    synth_free(&c);
}

/* HDMapping #472: LAS gps_time in seconds, stored as ts_ns */
static void a_name_that_the_values_contradict_is_ambiguous(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c, &(synth_model){SYNTH_XYZ "ts_ns:f64", "ts_ns", 1000000000, false, 0, 0.1, 0, 1}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_AMBIGUOUS);
    assert_true(SYNTH_HAS(report, UNIT_CONTRADICTED));
    assert_int_equal(report.candidate_count, 2);
    assert_int_equal(report.candidates[0].time_unit, SNT_TIME_UNIT_S);
    assert_int_equal(report.candidates[1].time_unit, SNT_TIME_UNIT_NS);
    synth_free(&c);
    synth_scans(&c, &(synth_model){SYNTH_XYZ "ts_ns:f64", "ts_ns", 1000000000, true, 0, 0.1, 0, 1}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_AMBIGUOUS);
    synth_free(&c);
    synth_scans(&c, &(synth_model){SYNTH_XYZ "offset_ns:i32", "offset_ns", 1, false, 0, 0.1, 0, 1}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, UNIT_BY_NAME));
    synth_free(&c);
}

static void split_seconds_and_nanoseconds_make_one_time(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, SYNTH_XYZ "intensity:u8 confidence:u8 ring:u16 timeSecond:u64 timeNanosecond:u32", 0,
               1600);
    for (uint32_t k = 0; k < 2; k++) {
        const int64_t start = synth_today + 950000000 + k * INT64_C(100000000);
        const uint32_t s = synth_add_scan(&c, start);
        synth_turn(&c, s, 16);
        for (uint32_t i = 0; i < 1600; i++) {
            const int64_t t = start + (int64_t)(i / 16) * 1000000;
            synth_put(&c, s, i, "timeSecond", 0, t / 1000000000);
            synth_put(&c, s, i, "timeNanosecond", 0, t % 1000000000);
        }
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, SPLIT_TIME));
    assert_int_equal(layout.time_ref, SNT_TIME_REF_ABSOLUTE);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    assert_non_null(strstr(report.producer, "Hesai"));
    snt_cloud cloud;
    int64_t t;
    assert_status(snt_cloud_from_pointcloud2(&c.views[0], &layout, &cloud), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 1599, 1, synth_today, &t, NULL), SNT_OK);
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
               SYNTH_XYZ
               "i:f32@12 range:f32@16 azimuth:f32@20 elevation:f32@24 t:u32@28 ts:f32@32 lidar_sec:u32@36 "
               "lidar_nsec:u32@40 ring:i8@44 layer:i8@45 echo:i8@46 reflector:i8@47",
               48, 1600);
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t s = synth_add_scan(&c, synth_today + k * INT64_C(50000000));
        synth_turn(&c, s, 16);
        for (uint32_t i = 0; i < 1600; i++) {
            const int64_t t = (int64_t)(i % 800 / 16) * 1000000; /* echo after echo */
            synth_put(&c, s, i, "t", 0, t);
            synth_put(&c, s, i, "ts", (double)t * 1e-9, 0);
            synth_put(&c, s, i, "lidar_sec", 0, 500);
            synth_put(&c, s, i, "lidar_nsec", 0, 100000000 + k * 50000000 + t);
        }
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_string_equal(report.time_name, "t");
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_NS);
    assert_true(SYNTH_HAS(report, MIXED_TYPES));
    assert_non_null(strstr(report.producer, "SICK"));
    /* t unfilled: the next best is used */
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < 1600; i++)
            synth_put(&c, s, i, "t", 0, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_string_equal(report.time_name, "ts");
    synth_free(&c);
}

static void a_base_in_the_points_is_found(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, SYNTH_XYZ "ring:u8 tag:u8 timebase_low:u32 timebase_high:u32 time_offset:u32", 0, 1600);
    synth_add_scan(&c, synth_today);
    synth_turn(&c, 0, 4);
    for (uint32_t i = 0; i < 1600; i++) {
        synth_put(&c, 0, i, "timebase_low", 0, synth_today & 0xffffffff);
        synth_put(&c, 0, i, "timebase_high", 0, synth_today >> 32);
        synth_put(&c, 0, i, "time_offset", 0, i * INT64_C(62500));
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, BASE_IN_POINTS));
    snt_cloud cloud;
    int64_t t;
    assert_status(snt_cloud_from_pointcloud2(&c.views[0], &layout, &cloud), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 1, 1, 0, &t, NULL), SNT_OK);
    assert_i64_equal(t, synth_today + 62500);
    synth_free(&c);
}

/* kiss-icp #209: 20 Hz scans thinned to 10 Hz; Unitree: 64 ms every 67 ms */
static void short_scans_are_told_from_wrong_units(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c, &(synth_model){SYNTH_XYZ "time:f32", "time", 1000000000, false, 0, 0.045, 0, 5}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_S);
    assert_true(SYNTH_HAS(report, SHORT_SCANS));
    synth_free(&c);
    synth_scans(&c, &(synth_model){SYNTH_XYZ "time:f32", "time", 1000000000, false, 0, 0.0955, 0, 5}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_false(SYNTH_HAS(report, SHORT_SCANS));
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
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 2}, 160);
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
    assert_true(SYNTH_HAS(report, EMPTY_SCANS));
    assert_status(snt_point_layout_detect(NULL, 0, c.views, 1, NULL, &layout, NULL), SNT_ERR_NO_TIME);
    synth_free(&c);
}

static void a_detection_is_told_in_words(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    char text[4096], small[20] = "as was";
    synth_scans(&c, &(synth_model){SYNTH_XYZ "ring:u16 t:u32", "t", 1, false, 0, 0.1, 0, 2}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_status(snt_point_layout_format(&layout, &report, text, sizeof text), SNT_OK);
    assert_non_null(strstr(text, "time: 't' u32 @14, ns"));
    assert_non_null(strstr(text, "header: scan start"));
    assert_non_null(strstr(text, "scan: 0.100000 s, period 0.100000 s"));
    assert_non_null(strstr(text, "ring: 'ring' u16 @12, 16 distinct"));
    assert_status(snt_point_layout_format(&layout, &report, small, sizeof small), SNT_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(strlen(small), sizeof small - 1);
    assert_memory_equal(small, text, sizeof small - 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(split_seconds_and_nanoseconds_make_one_time),
        cmocka_unit_test(of_several_time_fields_the_exact_relative_one_is_used),
        cmocka_unit_test(a_base_in_the_points_is_found),
        cmocka_unit_test(short_scans_are_told_from_wrong_units),
        cmocka_unit_test(bad_arguments_leave_the_results_untouched),
        cmocka_unit_test(a_detection_is_told_in_words),
    };
    return cmocka_run_group_tests_name("point_layout", tests, NULL, NULL);
}
