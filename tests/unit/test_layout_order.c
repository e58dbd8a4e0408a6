/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "synth_cloud.h"

#include "lib/base/internal.h"

/* spec 5 §6: ring-major {0, .1, .2, .01, .11, .21}; destaggered rows; order is no evidence of anything */
static void array_order_does_not_matter(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, SYNTH_XYZ "ring:u16 time:f32", 0, 1600);
    const uint32_t s = synth_add_scan(&c, synth_today);
    for (uint32_t i = 0; i < 1600; i++) {
        const uint32_t ring = i / 100, column = i % 100;
        synth_put(&c, s, i, "ring", 0, ring);
        synth_put(&c, s, i, "time", 0.001 * column, 0);
        synth_put(&c, s, i, "x", 10 * cos(0.0628 * column), 0);
        synth_put(&c, s, i, "y", 10 * sin(0.0628 * column), 0);
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(layout.time_ref, SNT_TIME_REF_RELATIVE);
    assert_true(SYNTH_HAS(report, NOT_MONOTONIC) && !SYNTH_HAS(report, PER_PACKET));
    assert_int_equal(report.negative_jumps, 15);
    assert_int_equal(report.restarts, 15);
    assert_near((double)report.span_ns, 99e6, 10);
    synth_free(&c);
    /* without ring field the directions say the same */
    synth_init(&c, SYNTH_XYZ "time:f32", 0, 1600);
    synth_add_scan(&c, synth_today);
    for (uint32_t i = 0; i < 1600; i++) {
        const uint32_t column = i % 100;
        synth_put(&c, 0, i, "time", 0.001 * column, 0);
        synth_put(&c, 0, i, "x", 10 * cos(0.0628 * column), 0);
        synth_put(&c, 0, i, "y", 10 * sin(0.0628 * column), 0);
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_false(SYNTH_HAS(report, PER_PACKET));
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
        synth_init(&c, with_ring ? SYNTH_XYZ "channel:u16 time_stamp:u32" : SYNTH_XYZ "time_stamp:u32", 0,
                   15000);
        synth_add_scan(&c, synth_today);
        synth_turn(&c, 0, 16);
        for (uint32_t i = 0; i < 15000; i++)
            synth_put(&c, 0, i, "time_stamp", 0, (int64_t)(i % 100) * 13195);
        assert_status(synth_detect(&c, 100000000, &layout, &report), SNT_ERR_NO_TIME);
        assert_true(SYNTH_HAS(report, PER_PACKET));
        assert_int_equal(layout.time_ref, SNT_TIME_REF_PACKET);
        assert_int_equal(layout.time.type, SNT_TYPE_NONE);
        assert_int_equal(report.restarts, 149);
        assert_i64_equal(report.packet_span_ns, 99 * 13195);
        assert_true(SYNTH_HAS(report, HINT_AZIMUTH));
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
        SYNTH_XYZ
        "intensity:u8 return_type:u8 channel:u16 azimuth:f32 elevation:f32 distance:f32 time_stamp:u32",
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
    assert_true(SYNTH_HAS(report, PER_PACKET));
    assert_int_equal(report.negative_jumps, 149);
    assert_int_equal(report.restarts, 149);
    assert_near((double)report.packet_span_ns, 1306368 - 2303,
                2303); /* the largest is 1 306 368, from 0 or 2303 */
    assert_true(SYNTH_HAS(report, HINT_AZIMUTH));
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
            synth_init(&c, SYNTH_XYZ "t:u32", 0, 1600);
            c.big_endian = really;
            synth_add_scan(&c, synth_today);
            synth_turn(&c, 0, 16);
            for (uint32_t i = 0; i < 1600; i++)
                synth_put(&c, 0, i, "t", 0, (int64_t)(i / 16) * 1000000);
            c.views[0].flags = declared ? (uint32_t)SNT_POINTCLOUD2_BIG_ENDIAN : 0;
            const snt_status status = synth_detect(&c, 0, &layout, &report);
            assert_true(SYNTH_HAS(report, BYTE_ORDER_CONTRADICTED) == (really != declared));
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
            assert_status(snt_cloud_times(&cloud, 1599, 1, synth_today, &t, NULL), SNT_OK);
            assert_i64_equal(t, 99000000);
            synth_free(&c);
        }
    }
}

/* LOAM: intensity = ring + scan_period·t */
static void a_time_in_the_intensity_is_only_hinted_at(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, SYNTH_XYZ "intensity:f32@16", 32, 1600);
    synth_add_scan(&c, synth_today);
    synth_turn(&c, 0, 16);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_false(SYNTH_HAS(report, HINT_INTENSITY_TIME));
    for (uint32_t i = 0; i < 1600; i++)
        synth_put(&c, 0, i, "intensity", i / 100 + 0.1 * (i % 100) / 100.0, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(SYNTH_HAS(report, HINT_INTENSITY_TIME));
    assert_int_equal(layout.time.type, SNT_TYPE_NONE);
    synth_free(&c);
}

static void names_that_are_no_rings_are_not_taken_for_rings(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, SYNTH_XYZ "ring:f32 line:u32 t:u32", 0, 1600);
    synth_add_scan(&c, synth_today);
    synth_turn(&c, 0, 16);
    for (uint32_t i = 0; i < 1600; i++) {
        synth_put(&c, 0, i, "ring", 0.5 * i, 0);
        synth_put(&c, 0, i, "line", 0, i * 1000); /* a million rings */
        synth_put(&c, 0, i, "t", 0, i * 60000);
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.ring_field, -1);
    assert_int_equal(layout.ring.type, SNT_TYPE_NONE);
    for (uint32_t i = 0; i < 1600; i++)
        synth_put(&c, 0, i, "ring", i % 32, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.ring_count, 32);
    assert_int_equal(layout.ring.type, SNT_TYPE_F32);
    synth_free(&c);
}

static void a_thinned_look_finds_the_same(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c, &(synth_model){SYNTH_XYZ "ring:u16 t:u32", "t", 1, false, 0, 0.1, 0, 2}, 16000);
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

/* A hint needs a whole turn, or fractions that rise along rings; anything less is none. */
static uint64_t hints_of(const char *spec, uint32_t n, double turn, double fraction)
{
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, spec, 0, n);
    synth_add_scan(&c, synth_today);
    for (uint32_t i = 0; i < n; i++) {
        const double azimuth = turn * i / n;
        synth_put(&c, 0, i, "x", 10 * cos(azimuth), 0);
        synth_put(&c, 0, i, "y", i % 9 == 0 ? (double)NAN : 10 * sin(azimuth), 0);
        synth_put(&c, 0, i, "intensity", i * 4 / n + fraction * (i % (n / 4)) / (n / 4), 0);
    }
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    synth_free(&c);
    return report.evidence & (SNT_LAYOUT_EVIDENCE(HINT_AZIMUTH) | SNT_LAYOUT_EVIDENCE(HINT_INTENSITY_TIME));
}

static void hints_need_whole_turns_and_rising_fractions(void **state)
{
    (void)state;
    const uint64_t azimuth = SNT_LAYOUT_EVIDENCE(HINT_AZIMUTH),
                   intensity = SNT_LAYOUT_EVIDENCE(HINT_INTENSITY_TIME);
    const char *first = "intensity:f32 x:f32 y:f32 z:f32";
    assert_true(hints_of(first, 400, 6.28, 0.1) == (azimuth | intensity));
    assert_true(hints_of(first, 400, -6.28, 0.1) == (azimuth | intensity));
    assert_true(hints_of(first, 400, 3.0, 0.1) == intensity);
    assert_true(hints_of(first, 400, 12.0, 0.1) == intensity);
    assert_true(hints_of(first, 400, 6.28, 0) == azimuth); /* whole intensities */
    assert_true(hints_of(first, 400, 6.28, 0.9) == azimuth);
    assert_true(hints_of(first, 400, 6.28, -0.1) == azimuth);
    assert_true(hints_of(first, 16, 6.28, 0.1) == (azimuth | intensity));
    assert_true(hints_of(first, 12, 6.28, 0.1) == 0);
    assert_true(hints_of("intensity:f32 x:f32 z:f32", 400, 6.28, 0) == 0); /* no y, no azimuth */
    assert_true(hints_of("intensity:f32 y:f32 z:f32", 400, 6.28, 0) == 0);
    assert_true(hints_of("x:f32 y:f32 intensity:u8", 400, 6.28, 0.1) == azimuth);
}

static void half_a_pair_is_no_split_time_and_first_fields_count_too(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c, "sec:u32 x:f32 y:f32 z:f32", 0, 100);
    synth_add_scan(&c, synth_today);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(SYNTH_HAS(report, NO_TIME_FIELD));
    synth_free(&c);
    synth_init(&c, "nsec:u32 x:f32 y:f32 z:f32", 0, 100);
    synth_add_scan(&c, synth_today);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_ERR_NO_TIME);
    assert_true(SYNTH_HAS(report, NO_TIME_FIELD));
    synth_free(&c);
    for (int order = 0; order < 2; order++) {
        synth_init(&c, order ? "sec:u32 nsec:u32 x:f32" : "nsec:u32 sec:u32 x:f32", 0, 100);
        synth_add_scan(&c, synth_today);
        for (uint32_t i = 0; i < 100; i++) {
            synth_put(&c, 0, i, "sec", 0, synth_today / 1000000000);
            synth_put(&c, 0, i, "nsec", 0, i * 1000000);
        }
        assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
        assert_true(SYNTH_HAS(report, SPLIT_TIME));
        assert_int_equal(layout.header_role, SNT_HEADER_ROLE_START);
        synth_free(&c);
        synth_init(&c,
                   order ? "timebase_low:u32 timebase_high:u32 t:u32 x:f32"
                         : "timebase_high:u32 timebase_low:u32 t:u32 x:f32",
                   0, 100);
        synth_add_scan(&c, synth_today);
        for (uint32_t i = 0; i < 100; i++)
            synth_put(&c, 0, i, "t", 0, i * 1000000);
        assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
        assert_true(SYNTH_HAS(report, BASE_IN_POINTS));
        assert_int_equal(layout.time_base_low.offset, order ? 0 : 4);
        synth_free(&c);
    }
    /* halves that are not of 32 bits are no base */
    synth_init(&c, "timebase_low:u16 timebase_high:u32 t:u32 x:f32", 0, 100);
    synth_add_scan(&c, synth_today);
    for (uint32_t i = 0; i < 100; i++)
        synth_put(&c, 0, i, "t", 0, i * 1000000);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_false(SYNTH_HAS(report, BASE_IN_POINTS));
    synth_free(&c);
}

static void more_time_fields_than_are_looked_at_do_no_harm(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_init(&c,
               "t:u32 time:u32 timestamp:u32 time_stamp:u32 time_offset:u32 offset_time:u32 ts:u32 stamp:u32 "
               "stamps:u32 time_ns:u32 sec:u32 nsec:u32",
               0, 100);
    synth_add_scan(&c, synth_today);
    for (uint32_t i = 0; i < 100; i++)
        synth_put(&c, 0, i, "stamp", 0, i * 1000000);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_string_equal(report.time_name, "stamp");
    synth_free(&c);
}

static void a_ring_must_be_one_in_every_scan(void **state)
{
    (void)state;
    synth_cloud c;
    snt_point_layout layout;
    snt_layout_report report;
    synth_scans(&c, &(synth_model){SYNTH_XYZ "ring:f32 t:u32", "t", 1, false, 0, 0.1, 0, 2}, 1600);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.ring_count, 16);
    assert_near(report.ring_confidence, 0.75, 1e-9); /* a float says less */
    synth_put(&c, 1, 1599, "ring", 3.5, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.ring_field, -1);
    synth_put(&c, 1, 1599, "ring", 4095, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.ring_count, 17);
    synth_put(&c, 1, 1599, "ring", 4096, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.ring_field, -1);
    synth_put(&c, 1, 1599, "ring", -1, 0);
    assert_status(synth_detect(&c, 0, &layout, &report), SNT_OK);
    assert_int_equal(report.ring_field, -1);
    synth_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_order_does_not_matter),
        cmocka_unit_test(times_that_restart_in_every_packet_are_no_scan_times),
        cmocka_unit_test(the_nebula_pcd_is_relative_to_packets),
        cmocka_unit_test(a_wrong_byte_order_is_noticed_and_can_be_overruled),
        cmocka_unit_test(a_time_in_the_intensity_is_only_hinted_at),
        cmocka_unit_test(names_that_are_no_rings_are_not_taken_for_rings),
        cmocka_unit_test(a_thinned_look_finds_the_same),
        cmocka_unit_test(hints_need_whole_turns_and_rising_fractions),
        cmocka_unit_test(half_a_pair_is_no_split_time_and_first_fields_count_too),
        cmocka_unit_test(more_time_fields_than_are_looked_at_do_no_harm),
        cmocka_unit_test(a_ring_must_be_one_in_every_scan),
    };
    return cmocka_run_group_tests_name("layout_order", tests, NULL, NULL);
}
