/* SPDX-License-Identifier: BSD-3-Clause */
#include "scan_cloud.h"

static snt_scan_auditor *auditor;

static int open_auditor(void **state)
{
    (void)state;
    return snt_scan_auditor_create(NULL, NULL, &auditor);
}

static int close_auditor(void **state)
{
    (void)state;
    snt_scan_auditor_destroy(auditor);
    return 0;
}

static snt_point_stats pass(const snt_cloud *cloud, int64_t period)
{
    snt_point_stats stats;
    assert_status(snt_scan_auditor_points(auditor, cloud, period, &stats), SNT_OK);
    return stats;
}

/* Section 6 of the lidar article: ring by ring, time goes back once and nothing is wrong. */
static void ring_by_ring_is_no_error(void **state)
{
    (void)state;
    static const double times[] = {0.00, 0.10, 0.20, 0.01, 0.11, 0.21};
    static const uint16_t rings[] = {0, 0, 0, 1, 1, 1};
    snt_cloud c = cloud_of_times(times, 6, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 0);
    assert_status(snt_cloud_set_rings(&c, rings, 0, SNT_TYPE_U16), SNT_OK);
    const snt_point_stats s = pass(&c, 0);
    assert_false(s.flags & SNT_SCAN_MONOTONIC);
    assert_int_equal(s.negative_jumps, 1);
    assert_i64_equal(s.min_step_ns, -190 * MS);
    assert_i64_equal(s.max_gap_ns, 190 * MS);
    assert_int_equal(s.order, SNT_ORDER_RING);
    assert_int_equal(s.rings, 2);
    assert_int_equal(s.rings_monotonic, 2);
    assert_int_equal(s.ring_jumps, 0);
    assert_i64_equal(s.sorted_gap_ns, 90 * MS); /* 0.01 to 0.10, or 0.11 to 0.20 */
    assert_i64_equal(s.sorted_gap_at_ns, 10 * MS);
}

/* Section 6: time-major. */
static void a_cloud_in_order_is_monotonic(void **state)
{
    (void)state;
    static const double times[] = {0.00, 0.01, 0.02, 0.03, 0.04};
    const snt_cloud c =
        cloud_of_times(times, 5, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 10 * SNT_NS_PER_S);
    const snt_point_stats s = pass(&c, 0);
    assert_true(s.flags & SNT_SCAN_MONOTONIC);
    assert_int_equal(s.order, SNT_ORDER_TIME);
    assert_i64_equal(s.min_ns, 10 * SNT_NS_PER_S);
    assert_i64_equal(s.max_ns, 10 * SNT_NS_PER_S + 40 * MS);
    assert_i64_equal(s.min_step_ns, 10 * MS);
    assert_i64_equal(s.max_step_ns, 10 * MS);
    assert_int_equal(s.rings, 0);
}

/* ouster-ros #46: columns 1000, 900, 1100 ns; uint32(t - first) = 0, 4294967196, 100. */
static void a_wrapped_negative_time_is_read_as_negative(void **state)
{
    (void)state;
    static const uint32_t times[] = {0, 4294967196u, 100};
    const snt_cloud c = cloud_of_times(times, 3, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 1000);
    const snt_point_stats s = pass(&c, 0);
    assert_int_equal(s.wrapped_times, 1);
    assert_true(s.flags & SNT_SCAN_UNSIGNED_WRAP);
    assert_i64_equal(s.min_ns, 900);
    assert_i64_equal(s.max_ns, 1100);
    assert_int_equal(s.negative_jumps, 1);
    assert_i64_equal(s.min_step_ns, -100);
    assert_int_equal(s.negative_times, 1);
    /* if all are that long, none has wrapped */
    static const uint32_t far[] = {3000000000u, 3000000100u};
    const snt_cloud all = cloud_of_times(far, 2, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 0);
    const snt_point_stats t = pass(&all, 0);
    assert_int_equal(t.wrapped_times, 0);
    assert_i64_equal(t.min_ns, 3000000000);
    assert_i64_equal(t.max_ns, 3000000100);
    assert_i64_equal(t.sorted_gap_at_ns, 3000000000);
}

/* Point-LIO #15, LIMO-Velo #14: -0.0999 … 0. */
static void times_that_end_at_the_header_are_kept(void **state)
{
    (void)state;
    static const float times[] = {-0.0999f, -0.05f, 0.0f};
    const snt_cloud c =
        cloud_of_times(times, 3, SNT_TYPE_F32, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 100 * SNT_NS_PER_S);
    const snt_point_stats s = pass(&c, 100 * MS);
    assert_i64_equal(s.min_ns, 100 * SNT_NS_PER_S - 99900000);
    assert_i64_equal(s.max_ns, 100 * SNT_NS_PER_S);
    assert_int_equal(s.negative_times, 2);
    assert_int_equal(s.zero_times, 1);
    assert_near(s.unit_factor, 1, 0);
}

/* FAST_LIO #55/#91: the period decides which unit is meant. */
static void the_period_decides_the_unit(void **state)
{
    (void)state;
    static const struct {
        float last;
        uint32_t unit;
        double factor;
    } rows[] = {
        {0.0997f, SNT_TIME_UNIT_S, 1},  {99700, SNT_TIME_UNIT_S, 1e-6},  {99700, SNT_TIME_UNIT_US, 1},
        {99.7f, SNT_TIME_UNIT_S, 1e-3}, {99.7f, SNT_TIME_UNIT_MS, 1},    {99.7e6f, SNT_TIME_UNIT_US, 1e-3},
        {2.5f, SNT_TIME_UNIT_S, 0}, /* no unit makes 100 ms of it */
        {99700, SNT_TIME_UNIT_NS, 1e3}, {997000, SNT_TIME_UNIT_US, 0.1}, {0.0997f, SNT_TIME_UNIT_NS, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows - 1; i++) {
        const float times[] = {0, rows[i].last / 2, rows[i].last};
        const snt_cloud c = cloud_of_times(times, 3, SNT_TYPE_F32, rows[i].unit, SNT_TIME_REF_RELATIVE, 0);
        assert_near(pass(&c, 100 * MS).unit_factor, rows[i].factor, rows[i].factor * 1e-9);
    }
    /* HDMapping #472: seconds stored as nanoseconds leave no spread at all */
    const float lost[] = {0, 0.05f, 0.0997f};
    const snt_cloud c = cloud_of_times(lost, 3, SNT_TYPE_F32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 0);
    assert_true(pass(&c, 100 * MS).flags & SNT_SCAN_CONSTANT_TIME);
}

/* kinematic-icp #12/#13: absolute nanoseconds in doubles are 256 ns apart. */
static void the_step_of_the_type_is_reported(void **state)
{
    (void)state;
    static const double livox[] = {1726578368464684544.0, 1726578368514684544.0, 1726578368564684544.0};
    const snt_cloud c = cloud_of_times(livox, 3, SNT_TYPE_F64, SNT_TIME_UNIT_NS, SNT_TIME_REF_ABSOLUTE, 0);
    assert_i64_equal(pass(&c, 0).quantum_ns, 256);
    assert_i64_equal(pass(&c, 0).max_ns - pass(&c, 0).min_ns, 100 * MS);
    static const double seconds[] = {1700000000.0, 1700000000.05};
    const snt_cloud d = cloud_of_times(seconds, 2, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_ABSOLUTE, 0);
    assert_i64_equal(pass(&d, 0).quantum_ns, 239); /* 2^-22 s */
    static const float relative[] = {0, 0.0997f};
    const snt_cloud e = cloud_of_times(relative, 2, SNT_TYPE_F32, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 5);
    assert_i64_equal(pass(&e, 0).quantum_ns, 8); /* 2^-27 s */
    static const uint32_t whole[] = {0, 99700};
    const snt_cloud f = cloud_of_times(whole, 2, SNT_TYPE_U32, SNT_TIME_UNIT_US, SNT_TIME_REF_RELATIVE, 5);
    assert_i64_equal(pass(&f, 0).quantum_ns, 1000);
}

/* velodyne #392: 0, .05, .11, .10. */
static void the_scans_end_is_its_latest_point(void **state)
{
    (void)state;
    static const double times[] = {0, 0.05, 0.11, 0.10};
    const snt_cloud c = cloud_of_times(times, 4, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 0);
    const snt_point_stats s = pass(&c, 0);
    assert_i64_equal(s.max_ns, 110 * MS);
    assert_int_equal(s.negative_jumps, 1);
    assert_i64_equal(s.min_step_ns, -10 * MS);
}

/* ouster-ros #331: all zero. kiss-icp PR #500: all equal. */
static void a_constant_time_is_no_time(void **state)
{
    (void)state;
    static const uint32_t zero[] = {0, 0, 0, 0}, five[] = {5, 5, 5};
    const snt_cloud c = cloud_of_times(zero, 4, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 7);
    const snt_point_stats s = pass(&c, 100 * MS);
    assert_true(s.flags & SNT_SCAN_NO_TIME);
    assert_true(s.flags & SNT_SCAN_CONSTANT_TIME);
    assert_int_equal(s.zero_times, 4);
    assert_int_equal(s.equal_steps, 3);
    const snt_cloud d = cloud_of_times(five, 3, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 7);
    assert_true(pass(&d, 100 * MS).flags & SNT_SCAN_CONSTANT_TIME);
}

/* nebula PR #111: the block left over carries times of the cloud before. */
static void points_of_another_scan_are_counted(void **state)
{
    (void)state;
    float times[1000];
    for (int i = 0; i < 1000; i++)
        times[i] = 0.0001f * (float)i;
    for (int i = 0; i < 10; i++)
        times[i] = -0.09f - 0.0001f * (float)i;
    snt_cloud c = cloud_of_times(times, 1000, SNT_TYPE_F32, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 0);
    snt_point_stats s = pass(&c, 100 * MS);
    assert_int_equal(s.negative_times, 10);
    assert_int_equal(s.beyond_period, 10);
    for (int i = 0; i < 10; i++)
        times[i] = 0.2f;
    s = pass(&c, 100 * MS);
    assert_int_equal(s.negative_times, 0);
    assert_int_equal(s.beyond_period, 10);
}

/* vbr-devkit #7: one glitch of 3.6 s in a scan of 0.1 s. */
static void one_outlier_does_not_hide_the_span(void **state)
{
    (void)state;
    uint32_t times[2000];
    for (uint32_t i = 0; i < 2000; i++)
        times[i] = i * 50000;
    times[700] = 2000000000;
    const snt_cloud c = cloud_of_times(times, 2000, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 0);
    const snt_point_stats s = pass(&c, 100 * MS);
    assert_int_equal(s.beyond_period, 1);
    assert_i64_equal(s.max_ns, 2000000000);
    assert_true(s.robust_span_ns >= 99 * MS && s.robust_span_ns <= 101 * MS);
}

static void nan_and_infinite_times_are_left_out_and_counted(void **state)
{
    (void)state;
    static const float times[] = {NAN, 0.0f, INFINITY, 0.01f, -INFINITY, 0.02f, NAN};
    static const uint8_t rings[] = {3, 1, 3, 1, 3, 1, 3};
    snt_cloud c = cloud_of_times(times, 7, SNT_TYPE_F32, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 0);
    assert_status(snt_cloud_set_rings(&c, rings, 0, SNT_TYPE_U8), SNT_OK);
    const snt_point_stats s = pass(&c, 0);
    assert_int_equal(s.points, 7);
    assert_int_equal(s.timed, 3);
    assert_int_equal(s.nan_times, 2);
    assert_int_equal(s.invalid_times, 2);
    assert_true(s.flags & SNT_SCAN_MONOTONIC);
    assert_i64_equal(s.sorted_gap_ns, 10 * MS);
    assert_int_equal(s.rings, 1);
    static const float none[] = {NAN, NAN};
    const snt_cloud d = cloud_of_times(none, 2, SNT_TYPE_F32, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 0);
    const snt_point_stats t = pass(&d, 0);
    assert_int_equal(t.timed, 0);
    assert_true(t.flags & SNT_SCAN_NO_TIME);
    assert_i64_equal(t.min_ns, SNT_UNKNOWN);
}

static void none_and_one_point_work(void **state)
{
    (void)state;
    snt_cloud c;
    snt_cloud_init(&c);
    snt_point_stats s = pass(&c, 0);
    assert_int_equal(s.points, 0);
    assert_true(s.flags & SNT_SCAN_NO_TIME);
    static const uint32_t one[] = {42};
    c = cloud_of_times(one, 1, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 100);
    s = pass(&c, 0);
    assert_i64_equal(s.min_ns, 142);
    assert_i64_equal(s.max_ns, 142);
    assert_true(s.flags & SNT_SCAN_MONOTONIC);
    assert_false(s.flags & SNT_SCAN_CONSTANT_TIME);
    assert_i64_equal(s.sorted_gap_ns, 0);
    assert_i64_equal(s.max_gap_ns, 0);
}

static void a_million_rings_work(void **state)
{
    (void)state;
    enum { N = 1000000 };
    uint32_t *values = malloc(N * sizeof *values);
    assert_non_null(values);
    for (uint32_t i = 0; i < N; i++)
        values[i] = i;
    snt_cloud c = cloud_of_times(values, N, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 0);
    assert_status(snt_cloud_set_rings(&c, values, 0, SNT_TYPE_U32), SNT_OK);
    snt_point_stats s = pass(&c, 0);
    assert_int_equal(s.rings, 1024);
    assert_true(s.flags & SNT_SCAN_RINGS_UNTRACKED);
    assert_i64_equal(s.sorted_gap_ns, 1);
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.max_rings = 1 << 20;
    snt_scan_auditor *big;
    assert_status(snt_scan_auditor_create(&config, NULL, &big), SNT_OK);
    assert_status(snt_scan_auditor_points(big, &c, 0, &s), SNT_OK);
    assert_int_equal(s.rings, N);
    assert_int_equal(s.rings_monotonic, N);
    assert_false(s.flags & SNT_SCAN_RINGS_UNTRACKED);
    snt_scan_auditor_destroy(big);
    free(values);
}

static void coordinates_without_return_are_counted(void **state)
{
    (void)state;
    test_point points[64];
    fill_points(points, 4, 16, 100 * MS, false);
    points[3].y = NAN;
    points[9].z = -INFINITY;
    points[10].x = points[10].y = points[10].z = 0;
    const snt_cloud c = cloud_of_points(points, 64, 0);
    const snt_point_stats s = pass(&c, 0);
    assert_int_equal(s.nonfinite_points, 2);
    assert_int_equal(s.zero_points, 1);
    assert_int_equal(s.timed, 64);
}

static void the_orders_are_told_apart(void **state)
{
    (void)state;
    enum { RINGS = 16, COLUMNS = 360, N = RINGS * COLUMNS };
    static test_point points[2 * N];
    fill_points(points, RINGS, COLUMNS, 100 * MS, false);
    snt_cloud c = cloud_of_points(points, N, 0);
    assert_int_equal(pass(&c, 100 * MS).order, SNT_ORDER_TIME);
    fill_points(points, RINGS, COLUMNS, 100 * MS, true);
    snt_point_stats s = pass(&c, 100 * MS);
    assert_int_equal(s.order, SNT_ORDER_RING);
    assert_int_equal(s.negative_jumps, RINGS - 1);
    assert_int_equal(s.rings_monotonic, RINGS);
    /* a destaggered row starts in its middle: each ring turns over once */
    for (uint32_t r = 0; r < RINGS; r++) {
        static test_point row[COLUMNS];
        memcpy(row, points + r * COLUMNS, sizeof row);
        for (uint32_t i = 0; i < COLUMNS; i++)
            points[r * COLUMNS + i] = row[(i + COLUMNS - 10) % COLUMNS];
    }
    s = pass(&c, 100 * MS);
    assert_int_equal(s.order, SNT_ORDER_RING);
    assert_int_equal(s.ring_jumps, RINGS);
    /* dual return, echo after echo */
    fill_points(points, RINGS, COLUMNS, 100 * MS, false);
    memcpy(points + N, points, N * sizeof *points);
    c = cloud_of_points(points, 2 * N, 0);
    s = pass(&c, 100 * MS);
    assert_int_equal(s.order, SNT_ORDER_ECHO);
    assert_int_equal(s.negative_jumps, 1);
    /* one packet of 48 points before the one it should follow: no second echo */
    static test_point late[48];
    c = cloud_of_points(points, N, 0);
    c.x.type = c.y.type = c.z.type = SNT_TYPE_NONE;
    memcpy(late, points + 480, sizeof late);
    memmove(points + 480, points + 528, sizeof late);
    memcpy(points + 528, late, sizeof late);
    s = pass(&c, 100 * MS);
    assert_int_equal(s.negative_jumps, 1);
    assert_int_equal(s.order, SNT_ORDER_PACKET);
    /* rings longer than any piece the pass works on */
    fill_points(points, 2, N, 100 * MS, true);
    c = cloud_of_points(points, 2 * N, 0);
    assert_int_equal(pass(&c, 100 * MS).order, SNT_ORDER_RING);
    /* times that count from each packet: azimuth is even, time saws */
    fill_points(points, 1, 2 * N, 100 * MS, false);
    for (uint32_t i = 0; i < 2 * N; i++)
        points[i].t = (i % 100) * 13000;
    s = pass(&c, 100 * MS);
    assert_int_equal(s.order, SNT_ORDER_AZIMUTH);
    /* without coordinates that tell */
    c.x.type = c.y.type = c.z.type = SNT_TYPE_NONE;
    assert_int_equal(pass(&c, 100 * MS).order, SNT_ORDER_PACKET);
    test_rng rng = {1};
    for (uint32_t i = 0; i < 2 * N; i++)
        points[i].t = (uint32_t)rng_below(&rng, 100000000);
    assert_int_equal(pass(&c, 100 * MS).order, SNT_ORDER_UNKNOWN);
}

/* velodyne_vlp16 pcd of the recordings: 150 pieces, each from its packet's start. */
static void times_from_each_packet_are_no_scan_times(void **state)
{
    (void)state;
    static uint32_t times[15000];
    for (uint32_t i = 0; i < 15000; i++)
        times[i] = i % 100 * 13000;
    snt_cloud c = cloud_of_times(times, 15000, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 0);
    c.time_ref = SNT_TIME_REF_PACKET;
    const snt_point_stats s = pass(&c, 0);
    assert_int_equal(s.negative_jumps, 149);
    assert_true(s.flags & SNT_SCAN_NO_TIME);
    assert_int_equal(s.order, SNT_ORDER_PACKET);
}

static void large_gaps_are_counted_in_either_direction(void **state)
{
    (void)state;
    /* default limit without history: 5 ms */
    static const int32_t times[] = {0, 5000000, 10000001, 5000000, 0, 20000000};
    const snt_cloud c = cloud_of_times(times, 6, SNT_TYPE_I32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 0);
    const snt_point_stats s = pass(&c, 0);
    assert_int_equal(s.large_gaps, 3); /* 5 000 001, -5 000 001 and 20 000 000 */
    assert_int_equal(s.negative_jumps, 2);
    assert_i64_equal(s.max_gap_ns, 20 * MS);
}

static void wild_times_do_not_overflow(void **state)
{
    (void)state;
    static const int64_t times[] = {INT64_MIN, INT64_MAX, 0, INT64_MIN + 1, INT64_MAX - 1, 5};
    const snt_cloud c = cloud_of_times(times, 6, SNT_TYPE_I64, SNT_TIME_UNIT_NS, SNT_TIME_REF_ABSOLUTE, 0);
    const snt_point_stats s = pass(&c, 0);
    assert_int_equal(s.timed, 2);
    assert_int_equal(s.invalid_times, 4);
    const snt_cloud d =
        cloud_of_times(times, 6, SNT_TYPE_I64, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, INT64_MAX - 7);
    assert_int_equal(pass(&d, 0).timed, 0);
}

static void more_points_than_scratch_give_a_bound_and_say_so(void **state)
{
    (void)state;
    enum { N = 40000 };
    static uint32_t times[N];
    for (uint32_t i = 0; i < N; i++)
        times[i] = (uint32_t)((uint64_t)i * 7919 % N) * 10;
    const snt_cloud c = cloud_of_times(times, N, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 0);
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.scratch_points = 1000;
    snt_scan_auditor *small;
    assert_status(snt_scan_auditor_create(&config, NULL, &small), SNT_OK);
    snt_point_stats bound;
    assert_status(snt_scan_auditor_points(small, &c, 0, &bound), SNT_OK);
    const snt_point_stats exact = pass(&c, 0);
    assert_false(exact.flags & SNT_SCAN_GAP_BOUND);
    assert_i64_equal(exact.sorted_gap_ns, 10);
    assert_true(bound.flags & SNT_SCAN_GAP_BOUND);
    assert_true(bound.sorted_gap_ns <= 10);
    bound.flags &= ~(uint32_t)SNT_SCAN_GAP_BOUND;
    bound.sorted_gap_ns = exact.sorted_gap_ns;
    bound.sorted_gap_at_ns = exact.sorted_gap_at_ns;
    assert_memory_equal(&bound, &exact, sizeof exact);
    snt_scan_auditor_destroy(small);
}

static void rays_of_a_laser_scan_are_points(void **state)
{
    (void)state;
    /* ros2_ouster_drivers #127: n = 1024, time_increment 97.66 us */
    snt_cloud c;
    snt_cloud_init(&c);
    c.count = 1024;
    c.time = (snt_field){.type = SNT_TYPE_U32, .flags = SNT_FIELD_INDEX};
    c.time_ref = SNT_TIME_REF_RELATIVE;
    c.time_unit_num = 97660;
    c.time_unit_den = 1;
    c.time_base_ns = 1000;
    const snt_point_stats s = pass(&c, 100 * MS);
    assert_true(s.flags & SNT_SCAN_MONOTONIC);
    assert_i64_equal(s.min_ns, 1000);
    assert_i64_equal(s.max_ns, 1000 + 1023 * 97660);
    assert_i64_equal(s.sorted_gap_ns, 97660);
    assert_i64_equal(s.quantum_ns, 1); /* computed, not stored: a ray's length is no coarse type */
    assert_int_equal(s.order, SNT_ORDER_TIME);
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    snt_cloud c;
    snt_cloud_init(&c);
    c.count = 3;
    c.time.type = SNT_TYPE_U32; /* no data */
    c.time_ref = SNT_TIME_REF_RELATIVE;
    c.time_unit_num = c.time_unit_den = 1;
    snt_point_stats stats, before;
    memset(&stats, 0x3c, sizeof stats);
    before = stats;
    assert_status(snt_scan_auditor_points(auditor, &c, 0, &stats), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_points(auditor, NULL, 0, &stats), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_points(NULL, &c, 0, &stats), SNT_ERR_INVALID_ARG);
    assert_memory_equal(&stats, &before, sizeof stats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_by_ring_is_no_error),
        cmocka_unit_test(a_cloud_in_order_is_monotonic),
        cmocka_unit_test(a_wrapped_negative_time_is_read_as_negative),
        cmocka_unit_test(times_that_end_at_the_header_are_kept),
        cmocka_unit_test(the_period_decides_the_unit),
        cmocka_unit_test(the_step_of_the_type_is_reported),
        cmocka_unit_test(the_scans_end_is_its_latest_point),
        cmocka_unit_test(a_constant_time_is_no_time),
        cmocka_unit_test(points_of_another_scan_are_counted),
        cmocka_unit_test(one_outlier_does_not_hide_the_span),
        cmocka_unit_test(nan_and_infinite_times_are_left_out_and_counted),
        cmocka_unit_test(none_and_one_point_work),
        cmocka_unit_test(a_million_rings_work),
        cmocka_unit_test(coordinates_without_return_are_counted),
        cmocka_unit_test(the_orders_are_told_apart),
        cmocka_unit_test(times_from_each_packet_are_no_scan_times),
        cmocka_unit_test(large_gaps_are_counted_in_either_direction),
        cmocka_unit_test(wild_times_do_not_overflow),
        cmocka_unit_test(more_points_than_scratch_give_a_bound_and_say_so),
        cmocka_unit_test(rays_of_a_laser_scan_are_points),
        cmocka_unit_test(contradictions_are_refused),
    };
    return cmocka_run_group_tests_name("point_pass", tests, open_auditor, close_auditor);
}
