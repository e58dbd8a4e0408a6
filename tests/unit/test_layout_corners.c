/* SPDX-License-Identifier: BSD-3-Clause */
/* Small, sparse, partial and contradictory clouds. */
#include "test.h"

#include "synth_cloud.h"

#include "lib/base/internal.h"

/* One scan with the given times in a field `t` of any type. */
static snt_status of_times(const char *type, const double *times, uint32_t n, int64_t period,
                           snt_point_layout *layout, snt_layout_report *report)
{
    char spec[64];
    synth_cloud c;
    snprintf(spec, sizeof spec, SYNTH_XYZ "intensity:f32 t:%s", type);
    synth_init(&c, spec, 0, n);
    synth_add_scan(&c, synth_today);
    for (uint32_t i = 0; i < n; i++)
        synth_put(&c, 0, i, "t", times[i], (int64_t)times[i]);
    const snt_status status = synth_detect(&c, period, layout, report);
    synth_free(&c);
    return status;
}

static void a_few_points_are_enough_and_one_is_none(void **state)
{
    (void)state;
    snt_point_layout layout;
    snt_layout_report report;
    assert_status(of_times("f32", (double[]){0, 0.05, 0.1}, 3, 0, &layout, &report), SNT_OK);
    assert_near((double)report.span_ns, 1e8, 10);
    assert_int_equal(report.outliers, 0);
    assert_status(of_times("f32", (double[]){0.1, 0}, 2, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.negative_jumps, 1);
    assert_status(of_times("f32", (double[]){0.1}, 1, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(SYNTH_HAS(report, CONSTANT));
    /* cartographer_ros #1550: the last point of the array is 1.27 µs earlier */
    assert_status(of_times("f64", (double[]){0, 0.1, 0.0999987}, 3, 0, &layout, &report), SNT_OK);
    assert_i64_equal(report.header_to_last_ns, 100000000);
    /* velodyne #392: end is the maximum, not the last */
    assert_status(of_times("f64", (double[]){0, 0.05, 0.11, 0.10}, 4, 0, &layout, &report), SNT_OK);
    assert_i64_equal(report.header_to_last_ns, 110000000);
    assert_int_equal(report.negative_jumps, 1);
}

static void spans_that_no_unit_explains_are_no_time(void **state)
{
    (void)state;
    snt_point_layout layout;
    snt_layout_report report;
    assert_status(of_times("f64", (double[]){0, 1e-5, 2e-5}, 3, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(SYNTH_HAS(report, IMPLAUSIBLE_SPAN));
    assert_int_equal(report.candidate_count, 0);
    assert_status(of_times("f64", (double[]){0, 1e13, 2e13}, 3, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(SYNTH_HAS(report, IMPLAUSIBLE_SPAN));
    /* 1.2 of something: 1.2 s or 1.2 ms */
    assert_status(of_times("f64", (double[]){0, 0.6, 1.2}, 3, 0, &layout, &report), SNT_ERR_AMBIGUOUS);
    assert_false(SYNTH_HAS(report, IMPLAUSIBLE_SPAN));
    assert_int_equal(report.candidate_count, 2);
    assert_int_equal(report.candidates[0].time_unit, SNT_TIME_UNIT_S);
    assert_int_equal(report.candidates[1].time_unit, SNT_TIME_UNIT_MS);
    assert_i64_equal(report.candidates[0].span_ns, 1200000000);
    assert_near(report.candidates[0].confidence, 1.0 / 3, 1e-9);
    assert_status(of_times("f64", (double[]){0, 0.6, 1.2}, 3, 1250000000, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_unit, SNT_TIME_UNIT_S);
    /* the very ends of what is taken for a scan: 1 ms and 1.5 s */
    assert_status(of_times("u32", (double[]){0, 500000, 1000000}, 3, 0, &layout, &report), SNT_ERR_AMBIGUOUS);
    assert_int_equal(report.candidates[0].time_unit, SNT_TIME_UNIT_US); /* 1 s; 0.1 s of 0.1 µs; 1 ms */
    assert_int_equal(report.candidate_count, 3);
    assert_int_equal(report.candidates[2].time_unit, SNT_TIME_UNIT_NS);
}

static void confidence_follows_the_evidence(void **state)
{
    (void)state;
    snt_point_layout layout;
    snt_layout_report report;
    double t[100];
    for (int i = 0; i < 100; i++)
        t[i] = 1000.0 * i; /* 99 ms of µs */
    assert_status(of_times("u32", t, 100, 0, &layout, &report), SNT_OK);
    assert_near(report.unit_confidence, 0.9, 1e-9);
    assert_near(report.reference_confidence, 0.93, 1e-9);
    assert_near(report.role_confidence, 0.75, 1e-9); /* zero-based by convention, and nobody known */
    assert_near(report.candidates[0].confidence, 0.9 * 0.93, 1e-9);
    assert_int_equal(report.candidates[0].header_role, SNT_HEADER_ROLE_START);
    assert_int_equal(report.candidates[0].field, 4);
    assert_status(of_times("u32", t, 100, 100000000, &layout, &report), SNT_OK);
    assert_near(report.unit_confidence, 0.93, 1e-9); /* a tenth of the period is possible too */
    for (int i = 0; i < 100; i++)
        t[i] = 0.001 * i;
    assert_status(of_times("f32", t, 100, 100000000, &layout, &report), SNT_OK);
    assert_near(report.unit_confidence, 0.97, 1e-9);
    assert_status(of_times("f32", t, 100, 1000000000, &layout, &report), SNT_OK);
    assert_near(report.unit_confidence, 0.8, 1e-9); /* a tenth of the period: parts of the scan are missing */
    assert_true(SYNTH_HAS(report, SHORT_SCANS));
    assert_status(of_times("f32", t, 100, 10000000, &layout, &report), SNT_OK);
    assert_near(report.unit_confidence, 0.54, 1e-9); /* ten periods long, yet nothing else is possible */
    for (int i = 0; i < 100; i++)
        t[i] = 0.00003 * i; /* 3 ms: possible, not usual */
    assert_status(of_times("f32", t, 100, 0, &layout, &report), SNT_OK);
    assert_near(report.unit_confidence, 0.75, 1e-9);
    /* start and end of so short a scan are 3 ms apart: the tolerance does not reach from one to the other */
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
}

static void the_headers_place_is_unknown_where_it_fits_nothing(void **state)
{
    (void)state;
    static const struct {
        double first, last;
        uint32_t role;
        double confidence;
    } cases[] = {
        {-0.03, 0.07, SNT_HEADER_ROLE_UNKNOWN, 0.2},
        {-0.045, 0.055, SNT_HEADER_ROLE_MIDDLE, 0.85},
        {0.02, 0.12, SNT_HEADER_ROLE_START, 0.5},
        {0.06, 0.16, SNT_HEADER_ROLE_UNRELATED, 0.8},
        {-0.2, -0.1, SNT_HEADER_ROLE_RECEIVE, 0.7},
        {-1.2, -1.1, SNT_HEADER_ROLE_UNRELATED, 0.8},
        {-0.0999, 0.00004, SNT_HEADER_ROLE_END, 0.95},
        {-0.0999, 0.00006, SNT_HEADER_ROLE_LAST_PACKET, 0.93},
        {-0.0999, 0.0031, SNT_HEADER_ROLE_UNKNOWN, 0.2},
        {-0.0999, 0.0029, SNT_HEADER_ROLE_LAST_PACKET, 0.93},
        {-0.1015, -0.0015, SNT_HEADER_ROLE_END, 0.95},
        {0.0019, 0.0999, SNT_HEADER_ROLE_START, 0.75},
        {-0.0015, 0.0985, SNT_HEADER_ROLE_START, 0.95},
        {-0.1025, -0.0025, SNT_HEADER_ROLE_RECEIVE, 0.7},
        {-0.0025, 0.0005, SNT_HEADER_ROLE_END, 0.95},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        double t[101];
        snt_point_layout layout;
        snt_layout_report report;
        for (int k = 0; k <= 100; k++)
            t[k] = cases[i].first + (cases[i].last - cases[i].first) * k / 100;
        assert_status(of_times("f64", t, 101, 0, &layout, &report), SNT_OK);
        if (layout.header_role != cases[i].role)
            fail_msg("%g … %g: %s", cases[i].first, cases[i].last, snt_header_role_name(layout.header_role));
        assert_near(report.role_confidence, cases[i].confidence, 1e-9);
        assert_true(SYNTH_HAS(report, NEGATIVE_TIMES) == (cases[i].first < 0));
        assert_int_equal(report.candidates[0].header_role, cases[i].role);
    }
}

static void a_second_sector_is_part_of_the_scan_and_no_outlier(void **state)
{
    (void)state;
    double t[1000];
    snt_point_layout layout;
    snt_layout_report report;
    /* returns only ahead and behind: nine tenths within 10 ms, the rest 80 ms later */
    for (int i = 0; i < 1000; i++)
        t[i] = i < 900 ? 1e-5 * i : 0.09 + 1e-4 * (i - 900);
    assert_status(of_times("f64", t, 1000, 100000000, &layout, &report), SNT_OK);
    assert_int_equal(report.outliers, 0);
    assert_near((double)report.span_ns, 99.9e6, 1);
    /* 45 of 1000 are rare enough to be a glitch if they are 3 s away */
    for (int i = 0; i < 1000; i++)
        t[i] = i < 955 ? 1e-4 * i : 3.0 + 1e-4 * i;
    assert_status(of_times("f64", t, 1000, 100000000, &layout, &report), SNT_OK);
    assert_int_equal(report.outliers, 45);
    assert_near((double)report.span_ns, 95.4e6, 1);
    assert_near((double)report.header_to_last_ns, 95.4e6, 1);
    /* and so are 30 before the scan */
    for (int i = 0; i < 1000; i++)
        t[i] = i < 30 ? -3.0 : 1e-4 * (i - 30);
    assert_status(of_times("f64", t, 1000, 100000000, &layout, &report), SNT_OK);
    assert_int_equal(report.outliers, 30);
    assert_i64_equal(report.header_to_first_ns, 0);
}

static void times_that_are_nearly_all_zero_still_span_what_the_rest_spans(void **state)
{
    (void)state;
    double t[1000] = {0};
    snt_point_layout layout;
    snt_layout_report report;
    for (int i = 970; i < 1000; i++)
        t[i] = 1e6 + 3.3e6 * (i - 970);
    assert_status(of_times("u32", t, 1000, 100000000, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, MANY_ZEROS));
    assert_int_equal(report.zeros, 970);
    assert_int_equal(report.outliers, 0);
    assert_near((double)report.span_ns, 96.7e6, 1);
}

static void rare_glitches_that_the_sample_missed_are_counted(void **state)
{
    (void)state;
    enum { N = 50000 };
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 1}, N);
    synth_put(&c, 0, 777, "t", 0, 1500000000);
    synth_put(&c, 0, 31234, "t", 0, 400000000);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.outliers, 2);
    assert_near((double)report.span_ns, 1e8, 1);
    synth_free(&c);
}

/* Hesai #115: one time for each packet. The span is right, the steps are coarse. */
static void packet_level_times_are_usable_and_said_to_be_coarse(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, SYNTH_XYZ "intensity:f32@12 ring:u16@16 timestamp:f64@18", 26, 16000);
    synth_add_scan(&c, synth_today);
    synth_turn(&c, 0, 16);
    for (uint32_t i = 0; i < 16000; i++)
        synth_put(&c, 0, i, "timestamp", 1.7e9 + 0.001 * (i / 160), 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, PACKET_STEPS));
    assert_false(SYNTH_HAS(report, PER_PACKET));
    assert_near((double)report.span_ns, 99e6, 500);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    synth_free(&c);
}

/* nebula PR 111: the points of an overflow block carry the time of the cloud before */
static void points_with_the_time_of_the_previous_cloud_are_counted(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:i32", "t", 1, false, 0, 0.1, 0, 2}, 1600);
    for (uint32_t i = 0; i < 32; i++)
        synth_put(&c, 1, i, "t", 0, -INT64_C(100000000) + i / 16 * 1000000);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.outliers, 32);
    assert_near((double)report.span_ns, 1e8, 2e6);
    assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
    synth_free(&c);
}

static void absolute_ring_major_clouds_restart_once_a_ring(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, SYNTH_XYZ "timestamp:f64", 0, 1600);
    synth_add_scan(&c, synth_today);
    for (uint32_t i = 0; i < 1600; i++) {
        const uint32_t column = i % 100;
        synth_put(&c, 0, i, "timestamp", 1.7e9 + 0.001 * column, 0);
        synth_put(&c, 0, i, "x", i % 7 ? 10 * cos(0.0628 * column) : (double)NAN,
                  0); /* holes are no directions */
        synth_put(&c, 0, i, "y", i % 5 ? 10 * sin(0.0628 * column) : (double)NAN, 0);
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.restarts, 15);
    assert_int_equal(report.negative_jumps, 15);
    assert_false(SYNTH_HAS(report, PER_PACKET));
    assert_false(SYNTH_HAS(report, PACKET_STEPS));
    synth_free(&c);
}

static void packets_are_seen_through_holes_and_without_directions(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    /* absolute microseconds within each packet's own second, a third of the points without return */
    for (int kind = 0; kind < 3; kind++) {
        synth_init(&c, kind == 2 ? "ring:u16 time_stamp:u32" : SYNTH_XYZ "ring:u16 time_stamp:u32", 0, 15000);
        synth_add_scan(&c, synth_today);
        synth_turn(&c, 0, 16);
        for (uint32_t i = 0; i < 15000; i++) {
            synth_put(&c, 0, i, "time_stamp", 0, 5000 + i % 100 * 13);
            if (i % 3 == 0) {
                synth_put(&c, 0, i, "x", kind ? 0 : (double)NAN, 0);
                synth_put(&c, 0, i, "y", kind ? 0 : (double)NAN, 0);
            }
        }
        assert_status(synth_detect(&c, 100000000, &layout, &report), SNT_ERR_NO_TIME);
        assert_true(SYNTH_HAS(report, PER_PACKET));
        assert_int_equal(report.candidates[0].time_unit, SNT_TIME_UNIT_US);
        assert_int_equal(report.candidate_count, 1);
        assert_i64_equal(report.packet_span_ns, 99 * 13 * 1000);
        assert_int_equal(report.restarts, 149);
        synth_free(&c);
    }
    /* a second, sound time field wins */
    synth_init(&c, SYNTH_XYZ "time_stamp:u32 time:f32", 0, 15000);
    synth_add_scan(&c, synth_today);
    synth_turn(&c, 0, 16);
    for (uint32_t i = 0; i < 15000; i++) {
        synth_put(&c, 0, i, "time_stamp", 0, i % 100 * 13195);
        synth_put(&c, 0, i, "time", i * 0.1 / 15000, 0);
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_string_equal(report.time_name, "time");
    assert_int_equal(report.time_field, 4);
    assert_false(SYNTH_HAS(report, MIXED_TYPES));
    synth_free(&c);
}

static void padded_rows_are_walked_row_by_row(void **state)
{
    (void)state;
    enum { ROWS = 16, COLUMNS = 100, STEP = 20, ROW = STEP * COLUMNS + 24 };
    unsigned char *data = malloc(ROWS * ROW);
    memset(data, 0xff, ROWS * ROW); /* the padding is NaN and 2³²−1 */
    synth_cloud c;
    synth_init(&c, SYNTH_XYZ "ring:u32 t:u32", STEP, 0);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        const uint32_t ring = i / COLUMNS, t = i % COLUMNS * 1000000;
        unsigned char *at = data + ring * ROW + i % COLUMNS * STEP;
        const float xyz[3] = {1, 2, 3};
        memcpy(at, xyz, 12);
        memcpy(at + 12, &ring, 4);
        memcpy(at + 16, &t, 4);
    }
    snt_pointcloud2_view view;
    snt_point_layout layout;
    snt_layout_report report;
    assert_status(snt_pointcloud2_view_init(c.fields, c.field_count, data, ROWS * ROW, COLUMNS, ROWS, STEP,
                                            ROW, synth_today, 0, &view, NULL),
                  SNT_OK);
    assert_status(snt_point_layout_detect(c.fields, c.field_count, &view, 1, NULL, &layout, &report), SNT_OK);
    assert_int_equal(report.points, ROWS * COLUMNS);
    assert_i64_equal(report.span_ns, 99000000);
    assert_int_equal(report.ring_count, 16);
    assert_int_equal(report.outliers, 0);
    free(data);
}

/* Every name that drivers use, in any case */
static void names_of_times_and_rings_are_known(void **state)
{
    (void)state;
    static const char *const times[] = {
        "t",           "time",        "timestamp", "time_stamp",     "timeStamp", "ts",
        "time_offset", "offset_time", "offset_ns", "time_offset_ns", "stamps",    "start_offset_ns",
        "TIME",        "stamp",       "gps_time",  "point_time",     "rel_time",  "offset_time_ns"};
    static const char *const rings[] = {"ring",         "channel", "line",    "line_index", "laser_id",
                                        "laser_number", "layer",   "scan_id", "row"};
    for (size_t i = 0; i < SNT_COUNT_OF(times); i++) {
        char spec[96];
        synth_cloud c;
        snt_point_layout layout;
        snt_layout_report report;
        const char *ring = rings[i % SNT_COUNT_OF(rings)];
        snprintf(spec, sizeof spec, "%s:u16 %s:u32 x:f64 y:f64 z:f64", ring, times[i]);
        synth_init(&c, spec, 0, 1600);
        synth_add_scan(&c, synth_today);
        for (uint32_t k = 0; k < 1600; k++) {
            synth_put(&c, 0, k, times[i], 0, k * 60000);
            synth_put(&c, 0, k, ring, 0, k % 2);
        }
        assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
        assert_int_equal(layout.time_unit, SNT_TIME_UNIT_NS);
        assert_string_equal(report.time_name, times[i]);
        assert_string_equal(report.ring_name, ring);
        assert_int_equal(report.time_field, 1);
        assert_int_equal(report.ring_field, 0);
        assert_int_equal(report.ring_count, 2);
        assert_near(report.ring_confidence, 0.95, 1e-9);
        assert_int_equal(layout.x.type, SNT_TYPE_F64);
        const char *ending = strrchr(times[i], '_');
        assert_true(SYNTH_HAS(report, UNIT_BY_NAME) == (ending && strcmp(ending, "_ns") == 0));
        synth_free(&c);
    }
}

static void fields_of_several_elements_or_odd_types_are_not_used(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, "x:u32 y:f32 z:f32 time:u32@12 ring:u16 timebase_low:u32 pad:u32 offset_time:u32", 40,
               100);
    synth_add_scan(&c, synth_today);
    for (uint32_t i = 0; i < 100; i++) {
        synth_put(&c, 0, i, "time", 0, i * 1000000);
        synth_put(&c, 0, i, "ring", 0, 0);
        synth_put(&c, 0, i, "offset_time", 0, i * 1000000);
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_string_equal(report.time_name, "time");
    assert_int_equal(layout.x.type, SNT_TYPE_NONE); /* u32 is no coordinate */
    assert_int_equal(layout.y.type, SNT_TYPE_F32);
    assert_near(report.ring_confidence, 0.5, 1e-9);  /* one ring says little */
    assert_false(SYNTH_HAS(report, BASE_IN_POINTS)); /* only half a base */
    assert_true(SYNTH_HAS(report, MIXED_TYPES));
    c.fields[3].count = 2;
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_string_equal(report.time_name, "offset_time");
    assert_false(SYNTH_HAS(report, MIXED_TYPES));
    c.fields[7].datatype = 77;
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(SYNTH_HAS(report, NO_TIME_FIELD));
    synth_free(&c);
}

static void receptions_are_a_vote_of_those_that_are_known(void **state)
{
    (void)state;
    static const struct {
        int64_t delay[4]; /* after the header [ns]; SNT_UNKNOWN = not known */
        snt_status status;
        bool late;
    } cases[] = {
        {{SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, 3000000}, SNT_ERR_AMBIGUOUS, true},
        {{SNT_UNKNOWN, 3000000, 3000000, 110000000}, SNT_ERR_AMBIGUOUS, true},
        {{3000000, 3000000, 110000000, 110000000}, SNT_OK, false}, /* half of them: a burst of the log */
        {{-37000000000, -37000000000, -37000000000, -37000000000}, SNT_OK, false}, /* another clock */
        {{99000000, 99000000, 99000000, 99000000}, SNT_OK, false},                 /* within the tolerance */
        {{97000000, 97000000, 97000000, 97000000}, SNT_ERR_AMBIGUOUS, true},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        synth_cloud c;
        snt_point_layout layout;
        snt_layout_report report;
        synth_scans(&c, &(synth_model){SYNTH_XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 4}, 1600);
        for (uint32_t s = 0; s < 4; s++)
            if (cases[i].delay[s] != SNT_UNKNOWN)
                c.receive[s] = c.views[s].header.stamp_ns + cases[i].delay[s];
        assert_status(synth_detect(&c, 0, &layout, &report), cases[i].status);
        assert_true(SYNTH_HAS(report, POINTS_AFTER_RECEIVE) == cases[i].late);
        assert_int_equal(report.candidate_count, cases[i].late ? 2 : 1);
        synth_free(&c);
    }
    /* absolute times know where they are, whenever they arrive */
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:f64", "t", 1000000000, true, 0, 0.1, 0, 4}, 1600);
    for (uint32_t s = 0; s < 4; s++)
        c.receive[s] = c.views[s].header.stamp_ns + 3000000;
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, POINTS_AFTER_RECEIVE));
    assert_near(report.role_confidence, 0.95, 1e-9);
    synth_free(&c);
}

static void scans_that_differ_do_not_agree(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, SYNTH_XYZ "t:u32", 0, 400);
    for (uint32_t k = 0; k < 4; k++) {
        synth_add_scan(&c, synth_today + k * INT64_C(100000000));
        for (uint32_t i = 0; i < 400; i++)
            synth_put(&c, k, i, "t", 0, i * (k == 3 ? 150000 : 240000));
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_false(SYNTH_HAS(report, SCANS_AGREE)); /* one of four is shorter */
    c.scans = 3;
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, SCANS_AGREE));
    assert_i64_equal(report.period_ns, 100000000);
    c.scans = 4;
    c.views[1].point_count = c.views[1].width = 0;
    c.views[2].header.stamp_ns = c.views[0].header.stamp_ns; /* and a stamp that stands still */
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_true(SYNTH_HAS(report, EMPTY_SCANS));
    assert_int_equal(report.scans_used, 3);
    assert_i64_equal(report.period_ns, 300000000); /* the only step that is one */
    synth_free(&c);
}

/* An Ouster in a simulation that has just begun: the table says relative where the header cannot */
static void a_known_producer_breaks_the_tie_of_a_small_header(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(
        &c,
        "x:f32@0 y:f32@4 z:f32@8 intensity:f32@16 t:u32@20 reflectivity:u16@24 ring:u16@26 ambient:u16@28 "
        "range:u32@32",
        48, 1600);
    synth_add_scan(&c, 50000000);
    for (uint32_t i = 0; i < 1600; i++)
        synth_put(&c, 0, i, "t", 0, i / 16 * 1000000);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_RELATIVE);
    assert_true(SYNTH_HAS(report, HEADER_SMALL));
    assert_near(report.reference_confidence, 0.8, 1e-9);
    assert_near(report.unit_confidence, 0.98, 1e-9);
    assert_near(report.role_confidence, 0.9, 1e-9); /* 0.75, and the driver writes it so */
    assert_int_equal(report.producer_role, SNT_HEADER_ROLE_START);
    synth_free(&c);
}

static void few_or_missing_coordinates_do_not_accuse_the_byte_order(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= 4; n++) {
        synth_cloud c;
        snt_point_layout layout;
        snt_layout_report report;
        synth_init(&c, SYNTH_XYZ "t:u32", 0, n);
        c.big_endian = true;
        synth_add_scan(&c, synth_today);
        for (uint32_t i = 0; i < n; i++) {
            synth_put(&c, 0, i, "x", 5 + 0.3 * i, 0);
            synth_put(&c, 0, i, "y", -7.1, 0);
            synth_put(&c, 0, i, "z", 0.9, 0);
        }
        c.views[0].flags = 0;
        synth_detect(&c, 0, &layout, &report);
        assert_true(SYNTH_HAS(report, BYTE_ORDER_CONTRADICTED) == (n == 4)); /* twelve numbers are enough */
        synth_free(&c);
    }
}

static void more_scans_than_are_used_do_no_harm(void **state)
{
    (void)state;
    enum { SCANS = 70 };
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c, &(synth_model){SYNTH_XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 1}, 160);
    snt_pointcloud2_view *views = calloc(SCANS, sizeof *views);
    for (int i = 0; i < SCANS; i++) {
        views[i] = c.views[0];
        views[i].header.stamp_ns += i * INT64_C(100000000);
    }
    assert_status(snt_point_layout_detect(c.fields, c.field_count, views, SCANS, NULL, &layout, &report),
                  SNT_OK);
    assert_int_equal(report.scans_used, 64);
    assert_i64_equal(report.period_ns, 100000000);
    assert_true(SYNTH_HAS(report, VALUES_RESTART));
    assert_near(report.reference_confidence, 0.98, 1e-9);
    free(views);
    synth_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_points_are_enough_and_one_is_none),
        cmocka_unit_test(spans_that_no_unit_explains_are_no_time),
        cmocka_unit_test(confidence_follows_the_evidence),
        cmocka_unit_test(the_headers_place_is_unknown_where_it_fits_nothing),
        cmocka_unit_test(a_second_sector_is_part_of_the_scan_and_no_outlier),
        cmocka_unit_test(times_that_are_nearly_all_zero_still_span_what_the_rest_spans),
        cmocka_unit_test(rare_glitches_that_the_sample_missed_are_counted),
        cmocka_unit_test(packet_level_times_are_usable_and_said_to_be_coarse),
        cmocka_unit_test(points_with_the_time_of_the_previous_cloud_are_counted),
        cmocka_unit_test(absolute_ring_major_clouds_restart_once_a_ring),
        cmocka_unit_test(packets_are_seen_through_holes_and_without_directions),
        cmocka_unit_test(padded_rows_are_walked_row_by_row),
        cmocka_unit_test(names_of_times_and_rings_are_known),
        cmocka_unit_test(fields_of_several_elements_or_odd_types_are_not_used),
        cmocka_unit_test(receptions_are_a_vote_of_those_that_are_known),
        cmocka_unit_test(scans_that_differ_do_not_agree),
        cmocka_unit_test(a_known_producer_breaks_the_tie_of_a_small_header),
        cmocka_unit_test(few_or_missing_coordinates_do_not_accuse_the_byte_order),
        cmocka_unit_test(more_scans_than_are_used_do_no_harm),
    };
    return cmocka_run_group_tests_name("layout_corners", tests, NULL, NULL);
}
