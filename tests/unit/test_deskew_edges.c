/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends that belong to an interval, holes beside the middle, guessed times to the digit, and every refusal by itself. */
#include "test.h"

#include "lib/base/internal.h"

#define MS SNT_NS_PER_MS

typedef struct fixture {
    snt_deskew *plan;
    snt_deskew_scan scan;
} fixture;

static int make(void **state)
{
    static fixture f;
    assert_status(snt_deskew_create(NULL, NULL, &f.plan), SNT_OK);
    snt_deskew_scan_init(&f.scan, sizeof f.scan);
    f.scan.end_ns = 100 * MS;
    *state = &f;
    return 0;
}

static int drop(void **state)
{
    snt_deskew_destroy(((fixture *)*state)->plan);
    return 0;
}

static snt_cloud cloud_of(float (*xyz)[3], const void *t, uint32_t type, uint64_t n)
{
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, n), SNT_OK);
    assert_status(snt_cloud_set_times(&cloud, t, 0, type, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 0, 0),
                  SNT_OK);
    return cloud;
}

/* Standing still is known at these times. */
static snt_status plan_knots(fixture *f, const snt_time *t, uint64_t n)
{
    static snt_pose poses[16];
    for (uint64_t i = 0; i < n; i++)
        poses[i] = (snt_pose){{0, 0, 0, 1}, {0.001 * (double)i, 0, 0}};
    return snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, n, 0);
}

enum { MAX_POINTS = 16 };

/* The times go in as int64, which is decoded one by one, and as int32, which the kernels convert. */
static void assert_flags(fixture *f, const snt_time *t, const uint8_t *expected, uint64_t n)
{
    for (int narrow = 0; narrow < 2; narrow++) {
        float xyz[MAX_POINTS][3];
        uint8_t flags[MAX_POINTS];
        int32_t t32[MAX_POINTS];
        for (uint64_t i = 0; i < n; i++) {
            xyz[i][0] = xyz[i][1] = xyz[i][2] = 1;
            t32[i] = (int32_t)t[i];
        }
        const snt_cloud cloud =
            cloud_of(xyz, narrow ? (const void *)t32 : t, narrow ? SNT_TYPE_I32 : SNT_TYPE_I64, n);
        snt_deskew_options options;
        snt_deskew_options_init(&options, sizeof options);
        options.point_flags = flags;
        assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, NULL), SNT_OK);
        for (uint64_t i = 0; i < n; i++)
            if (flags[i] != expected[i])
                fail_msg("time %" PRId64 ": flags 0x%x, not 0x%x", t[i], flags[i], expected[i]);
    }
}

static void assert_outcome(fixture *f, snt_time t, snt_status expected)
{
    float xyz[1][3] = {{1, 1, 1}};
    const snt_cloud cloud = cloud_of(xyz, &t, SNT_TYPE_I64, 1);
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), expected);
}

static void both_ends_belong_to_scan_and_motion(void **state)
{
    fixture *f = *state;
    static const snt_time knots[] = {20 * MS, 50 * MS, 80 * MS};
    static const snt_time t[] = {-1, 0, 20 * MS - 1, 20 * MS, 80 * MS, 80 * MS + 1, 100 * MS, 100 * MS + 1};
    enum { FAR = SNT_POINT_OUTSIDE | SNT_POINT_CLAMPED };
    static const uint8_t clamped[] = {SNT_POINT_OUTLIER, FAR, FAR, 0, 0, FAR, FAR, SNT_POINT_OUTLIER};
    assert_status(plan_knots(f, knots, 3), SNT_OK);
    assert_flags(f, t, clamped, SNT_COUNT_OF(t));

    f->scan.outside = SNT_DESKEW_FAIL;
    f->scan.outlier = SNT_DESKEW_FAIL;
    assert_status(plan_knots(f, knots, 3), SNT_OK);
    static const snt_status said[] = {SNT_ERR_PAST, SNT_ERR_PAST,   SNT_ERR_PAST,   SNT_OK,
                                      SNT_OK,       SNT_ERR_FUTURE, SNT_ERR_FUTURE, SNT_ERR_FUTURE};
    for (size_t i = 0; i < SNT_COUNT_OF(t); i++)
        assert_outcome(f, t[i], said[i]);
}

static void extrapolation_ends_at_its_limit(void **state)
{
    fixture *f = *state;
    static const snt_time knots[] = {20 * MS, 50 * MS, 80 * MS};
    static const snt_time t[] = {15 * MS - 1, 15 * MS,     20 * MS - 1, 20 * MS,
                                 80 * MS,     80 * MS + 1, 85 * MS,     85 * MS + 1};
    enum { ON = SNT_POINT_OUTSIDE | SNT_POINT_EXTRAPOLATED, END = ON | SNT_POINT_CLAMPED };
    static const uint8_t expected[] = {END, ON, ON, 0, 0, ON, ON, END};
    f->scan.outside = SNT_DESKEW_EXTRAPOLATE;
    f->scan.extrapolation_ns = 5 * MS;
    assert_status(plan_knots(f, knots, 3), SNT_OK);
    assert_flags(f, t, expected, SNT_COUNT_OF(t));
    f->scan.extrapolation_ns = 0; /* a limit, too */
    assert_status(plan_knots(f, knots, 3), SNT_OK);
    assert_flags(f, t + 3, expected + 3, 2);
}

static void a_hole_is_where_it_is_and_not_in_the_mirror(void **state)
{
    fixture *f = *state;
    /* 40 ms without a pose from 10 ms on; the 20 ms before the end are just no hole */
    static const snt_time knots[] = {0, 10 * MS, 50 * MS, 60 * MS, 80 * MS, 100 * MS};
    static const snt_time t[] = {9 * MS, 11 * MS, 30 * MS, 49 * MS, 50 * MS, 51 * MS, 70 * MS, 89 * MS};
    enum { HOLE = SNT_POINT_OUTSIDE };
    static const uint8_t expected[] = {0, HOLE, HOLE, HOLE, 0, 0, 0, 0};
    f->scan.max_gap_ns = 20 * MS;
    snt_deskew_info info;
    assert_status(plan_knots(f, knots, 6), SNT_OK);
    assert_status(snt_deskew_get_info(f->plan, &info), SNT_OK);
    assert_int_equal(info.holes, 1);
    assert_flags(f, t, expected, SNT_COUNT_OF(t));
    f->scan.outside = SNT_DESKEW_FAIL;
    assert_status(plan_knots(f, knots, 6), SNT_OK);
    assert_outcome(f, 30 * MS, SNT_ERR_GAP);
    assert_outcome(f, 70 * MS, SNT_OK);
    f->scan.begin_ns = 50 * MS; /* where the hole ends */
    assert_status(plan_knots(f, knots, 6), SNT_OK);
    assert_status(snt_deskew_get_info(f->plan, &info), SNT_OK);
    assert_int_equal(info.holes, 0);
    f->scan.begin_ns = 0;
    f->scan.end_ns = 10 * MS; /* where it begins */
    assert_status(plan_knots(f, knots, 6), SNT_OK);
    assert_status(snt_deskew_get_info(f->plan, &info), SNT_OK);
    assert_int_equal(info.holes, 0);
}

/* An array of Vector3d has a path of its own; records of the same numbers with a gap behind have not. */
static void packed_vectors_become_what_spaced_ones_become(void **state)
{
    fixture *f = *state;
    enum { N = 300 };
    static double packed[N][3], spaced[N][4], before[N][3], t[N];
    test_rng rng = rng_from_env();
    const snt_twist twist = {{2, 1, 0}, {0.1, -0.3, 2}};
    assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &twist), SNT_OK);
    for (int i = 0; i < N; i++) {
        t[i] = (double)i / N;
        for (int k = 0; k < 3; k++)
            packed[i][k] = spaced[i][k] = rng_range(&rng, -100, 100);
    }
    for (uint64_t n = 1; n <= N; n += n < 20 ? 1 : 93) {
        for (int bad = 0; bad < 2; bad++) {
            if (bad)
                packed[n / 2][1] = spaced[n / 2][1] = (double)NAN;
            memcpy(before, packed, sizeof before);
            snt_cloud a, b;
            snt_cloud_init(&a);
            snt_cloud_init(&b);
            assert_status(snt_cloud_set_points(&a, packed, 0, SNT_TYPE_F64, n), SNT_OK);
            assert_status(snt_cloud_set_points(&b, spaced, 32, SNT_TYPE_F64, n), SNT_OK);
            snt_cloud *clouds[2] = {&a, &b};
            for (int c = 0; c < 2; c++) {
                snt_deskew_report report;
                assert_status(snt_cloud_set_times(clouds[c], t, 0, SNT_TYPE_F64, SNT_TIME_UNIT_S,
                                                  SNT_TIME_REF_NORMALISED, 0, 100 * MS),
                              SNT_OK);
                assert_status(snt_deskew_apply(f->plan, clouds[c], clouds[c], &report), SNT_OK);
                assert_int_equal(report.moved, n - (uint64_t)bad);
            }
            for (uint64_t i = 0; i < N; i++)
                assert_memory_equal(packed[i], i < n ? spaced[i] : before[i], 24);
            if (bad)
                packed[n / 2][1] = spaced[n / 2][1] = 1;
        }
    }
}

/* ---- guessed times ---- */

static void guessed_times_are_exact_in_every_quarter(void **state)
{
    fixture *f = *state;
    enum { N = 720 };
    static float xyz[N][3], before[N][3];
    const snt_twist along = {{20, 0, 0}, {0, 0, 0}}; /* 2 m per turn */
    assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &along), SNT_OK);
    snt_deskew_times times;
    snt_deskew_times_init(&times, sizeof times);
    times.kind = SNT_DESKEW_TIMES_AZIMUTH;
    times.azimuth_start = 1;
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.times = &times;
    for (int turn = -1; turn <= 1; turn += 2) {
        times.direction = turn;
        for (int i = 0; i < N; i++) {
            const double angle = (i + 0.25) * (6.283185307179586 / N);
            const float p[3] = {(float)cos(angle), (float)sin(angle), 0.5f};
            memcpy(xyz[i], p, sizeof p);
        }
        memcpy(before, xyz, sizeof xyz);
        snt_cloud cloud;
        snt_cloud_init(&cloud);
        assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, N), SNT_OK);
        cloud.time_span_ns = 100 * MS;
        assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, NULL), SNT_OK);
        for (int i = 0; i < N; i++) {
            const double at = atan2((double)before[i][1], (double)before[i][0]);
            double part = turn * (at - 1) / 6.283185307179586;
            part -= floor(part);
            assert_near((double)xyz[i][0] - (double)before[i][0], 2 * part, 1e-6);
        }
        cloud.time_span_ns = 0;
        assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, NULL), SNT_ERR_LAYOUT);
        cloud.time_span_ns = 1;
        assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, NULL), SNT_OK);
        times.azimuth_start = (double)NAN;
        assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, NULL), SNT_ERR_NON_FINITE);
        times.azimuth_start = 1;
    }
}

static void a_guess_is_good_to_the_nanosecond(void **state)
{
    fixture *f = *state;
    snt_deskew_times times;
    snt_deskew_times_init(&times, sizeof times);
    times.kind = SNT_DESKEW_TIMES_AZIMUTH;
    for (int i = 0; i < 720; i++) {
        const double angle = (i + 0.25) * (6.283185307179586 / 720);
        float xyz[1][3] = {{(float)(30 * cos(angle)), (float)(30 * sin(angle)), 1}};
        snt_cloud cloud;
        snt_cloud_init(&cloud);
        assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 1), SNT_OK);
        cloud.time_span_ns = SNT_NS_PER_S;
        assert_status(snt_deskew_scan_from_cloud(&cloud, &times, 0, &f->scan, NULL), SNT_OK);
        double part = atan2((double)xyz[0][1], (double)xyz[0][0]) / 6.283185307179586;
        part -= floor(part);
        assert_near((double)f->scan.begin_ns, 1e9 * part, 2);
    }
}

static void tables_and_times_that_make_no_sense_are_refused(void **state)
{
    fixture *f = *state;
    const snt_twist twist = {{1, 0, 0}, {0, 0, 1}};
    assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &twist), SNT_OK);
    float xyz[2][3] = {{1, 1, 1}, {1, 1, 1}};
    const int32_t t[2] = {1, 2}, columns[2] = {0, 5};
    snt_cloud cloud = cloud_of(xyz, t, SNT_TYPE_I32, 2);
    cloud.width = 2;
    cloud.height = 1;
    snt_deskew_times times;
    snt_deskew_times_init(&times, sizeof times);
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.times = &times;
    const snt_status bad = SNT_ERR_INVALID_ARG;
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, NULL), bad); /* no table */
    times.columns = 2;
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, NULL), bad);
    times.column_ns = columns;
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, NULL), SNT_OK);
    times.rings = 2;
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, NULL), bad);
    times.rings = 0;
    times.kind = 7;
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, NULL), bad);
    times.kind = SNT_DESKEW_TIMES_TABLE;
    cloud.width = 0;
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, NULL), SNT_ERR_LAYOUT);
    cloud.width = 2;
    cloud.time_base_ns = INT64_MAX / 2 + 1;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_ERR_RANGE);
    cloud.time_base_ns = INT64_MIN / 2 - 1;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_ERR_RANGE);
    cloud.time_base_ns = 0;
    cloud.time_unit_num = 0;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_ERR_LAYOUT);
    cloud.time_unit_num = 1;
    cloud.time_unit_den = 0;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_ERR_LAYOUT);
}

/* ---- the interval of a cloud ---- */

static void an_interval_of_just_the_limit_is_taken_whole(void **state)
{
    fixture *f = *state;
    enum { N = 600 };
    static float xyz[N][3];
    static int32_t t[N];
    for (int i = 0; i < N; i++)
        t[i] = 500 * MS + (int32_t)((int64_t)i * 100 * MS / (N - 1));
    const snt_cloud cloud = cloud_of(xyz, t, SNT_TYPE_I32, N);
    uint64_t outliers = 9;
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 100 * MS, &f->scan, &outliers), SNT_OK);
    assert_i64_equal(f->scan.begin_ns, 500 * MS);
    assert_i64_equal(f->scan.end_ns, 600 * MS);
    assert_int_equal(outliers, 0);
    t[N - 1] += 1; /* one too far */
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 100 * MS, &f->scan, &outliers), SNT_OK);
    assert_true(f->scan.end_ns - f->scan.begin_ns <= 100 * MS);
    assert_int_equal(outliers, 1);
    static const int32_t wild[3] = {-900 * MS, 1500 * MS, 2000 * MS};
    for (int i = 0; i < 3; i++)
        t[7 * i] = wild[i];
    t[N - 1] = 600 * MS;
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 120 * MS, &f->scan, &outliers), SNT_OK);
    assert_i64_equal(f->scan.begin_ns, t[1]);
    assert_i64_equal(f->scan.end_ns, 600 * MS);
    assert_int_equal(outliers, 3);
    for (int32_t far = 1; far < 400; far += 7) { /* wherever the scan's ends lie between those of the bins */
        t[14] = (int32_t)(1500 * MS + far * MS / 3);
        assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, t[N - 1] - t[1], &f->scan, &outliers), SNT_OK);
        assert_i64_equal(f->scan.begin_ns, t[1]);
        assert_i64_equal(f->scan.end_ns, 600 * MS);
        assert_int_equal(outliers, 3);
    }
}

static void no_interval_is_found_in_what_is_none(void **state)
{
    fixture *f = *state;
    float xyz[2][3] = {{1, 1, 1}, {1, 1, 1}}, nothing[2] = {(float)NAN, (float)INFINITY};
    const int32_t t[2] = {1, 2};
    snt_cloud cloud = cloud_of(xyz, t, SNT_TYPE_I32, 2);
    assert_status(snt_deskew_scan_from_cloud(NULL, NULL, 0, &f->scan, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, NULL, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, -1, &f->scan, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_OK);
    assert_i64_equal(f->scan.end_ns, 2);
    cloud.y.type = 99;
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_ERR_LAYOUT);
    cloud = cloud_of(xyz, nothing, SNT_TYPE_F32, 2);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_ERR_NO_TIME);
    assert_i64_equal(f->scan.end_ns, 2); /* untouched */
}

/* ---- refusals, one by one ---- */

static void refuse_scan(fixture *f, const snt_deskew_scan *bad, snt_status expected)
{
    const snt_twist twist = {{1, 0, 0}, {0, 0, 1}};
    assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &twist), SNT_OK);
    assert_status(snt_deskew_plan_twist(f->plan, bad, &twist), expected);
    snt_deskew_info info;
    assert_status(snt_deskew_get_info(f->plan, &info), SNT_ERR_INVALID_STATE);
}

#define REFUSE(change, expected)                                                                             \
    do {                                                                                                     \
        snt_deskew_scan bad = f->scan;                                                                       \
        bad.change;                                                                                          \
        refuse_scan(f, &bad, expected);                                                                      \
    } while (0)

static void each_wrong_setting_of_a_scan_is_refused(void **state)
{
    fixture *f = *state;
    REFUSE(reference = 99, SNT_ERR_INVALID_ARG);
    REFUSE(output = 9, SNT_ERR_INVALID_ARG);
    REFUSE(inverse = 2, SNT_ERR_INVALID_ARG);
    REFUSE(outside = SNT_DESKEW_FAIL + 1, SNT_ERR_INVALID_ARG);
    REFUSE(outlier = SNT_DESKEW_FAIL + 1, SNT_ERR_INVALID_ARG);
    REFUSE(outlier = SNT_DESKEW_EXTRAPOLATE, SNT_ERR_INVALID_ARG);
    REFUSE(invalid_time = SNT_DESKEW_FAIL + 1, SNT_ERR_INVALID_ARG);
    REFUSE(invalid_time = SNT_DESKEW_CLAMP, SNT_ERR_INVALID_ARG);
    REFUSE(end_ns = -1, SNT_ERR_INVALID_ARG);
    REFUSE(clock_bound_ns = -1, SNT_ERR_INVALID_ARG);
    REFUSE(max_gap_ns = -1, SNT_ERR_INVALID_ARG);
    REFUSE(extrapolation_ns = -1, SNT_ERR_INVALID_ARG);
    REFUSE(max_acceleration = -1, SNT_ERR_INVALID_ARG);
    REFUSE(max_angular_acceleration = -1, SNT_ERR_INVALID_ARG);
    REFUSE(rate_error = -1, SNT_ERR_INVALID_ARG);
    REFUSE(velocity_error = -1, SNT_ERR_INVALID_ARG);
    REFUSE(end_ns = 5 * SNT_NS_PER_S, SNT_ERR_RANGE);
    f->scan.reference = SNT_REF_AT;
    REFUSE(reference_ns = 1000000002 * SNT_NS_PER_S, SNT_ERR_RANGE);
}

static void knots_and_poses_are_asked_for(void **state)
{
    fixture *f = *state;
    const snt_time t[2] = {0, 100 * MS};
    const snt_pose poses[2] = {{{0, 0, 0, 1}, {0, 0, 0}}, {{0, 0, 0, 1}, {1, 0, 0}}};
    const snt_twist twist = {{1, 0, 0}, {0, 0, 0}};
    snt_deskew *plan = f->plan;
    const snt_deskew_scan *scan = &f->scan;
    const snt_status bad = SNT_ERR_INVALID_ARG;
    assert_status(snt_deskew_plan_knots(plan, scan, NULL, 0, poses, 0, 2, 0), bad);
    assert_status(snt_deskew_plan_knots(plan, scan, t, 0, NULL, 0, 2, 0), bad);
    assert_status(snt_deskew_plan_knots(plan, scan, t, 0, poses, 0, 0, 0), bad);
    assert_status(snt_deskew_plan_knots(plan, scan, t, 4, poses, 0, 2, 0), bad);
    assert_status(snt_deskew_plan_knots(plan, scan, t, 0, poses, 48, 2, 0), bad);
    assert_status(snt_deskew_plan_knots(plan, scan, t, 0, poses, 0, 2, 77), bad);
    assert_status(snt_deskew_plan_knots(NULL, scan, t, 0, poses, 0, 2, 0), bad);
    assert_status(snt_deskew_plan_knots(plan, NULL, t, 0, poses, 0, 2, 0), bad);
    assert_status(snt_deskew_plan_two_poses(plan, scan, 0, NULL, 100 * MS, &poses[1], 0), bad);
    assert_status(snt_deskew_plan_two_poses(plan, scan, 0, &poses[0], 100 * MS, NULL, 0), bad);
    assert_status(snt_deskew_plan_two_poses(plan, scan, 0, &poses[0], 100 * MS, &poses[1], 0), SNT_OK);
    assert_status(snt_deskew_plan_twist(plan, NULL, &twist), bad);
    assert_status(snt_deskew_plan_twist(NULL, scan, &twist), bad);
    assert_status(snt_deskew_plan_twist(plan, scan, NULL), bad);
    snt_deskew_info info;
    assert_status(snt_deskew_get_info(NULL, &info), bad);
    assert_status(snt_deskew_get_info(plan, NULL), bad);
}

#define REFUSE_CONFIG(change)                                                                                \
    do {                                                                                                     \
        snt_deskew_config config;                                                                            \
        snt_deskew_config_init(&config, sizeof config);                                                      \
        config.change;                                                                                       \
        assert_status(snt_deskew_size(&config, &size), SNT_ERR_RANGE);                                       \
        assert_status(snt_deskew_create(&config, NULL, &plan), SNT_ERR_RANGE);                               \
        assert_null(plan);                                                                                   \
    } while (0)

static void each_wrong_setting_of_a_plan_is_refused(void **state)
{
    (void)state;
    uint64_t size = 0;
    snt_deskew *plan;
    REFUSE_CONFIG(max_segments = 0);
    REFUSE_CONFIG(max_segments = 32769);
    REFUSE_CONFIG(max_knots = 1);
    REFUSE_CONFIG(max_knots = 65537);
    REFUSE_CONFIG(tolerance_m = 0);
    REFUSE_CONFIG(tolerance_m = (double)INFINITY);
    REFUSE_CONFIG(range_m = 0);
    REFUSE_CONFIG(range_m = (double)NAN);
    assert_int_equal(size, 0);
    assert_status(snt_deskew_size(NULL, NULL), SNT_ERR_INVALID_ARG);
    snt_deskew_config least;
    snt_deskew_config_init(&least, sizeof least);
    least.max_segments = 1;
    least.max_knots = 2;
    assert_status(snt_deskew_create(&least, NULL, &plan), SNT_OK);
    snt_deskew_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_ends_belong_to_scan_and_motion, make, drop),
        cmocka_unit_test_setup_teardown(extrapolation_ends_at_its_limit, make, drop),
        cmocka_unit_test_setup_teardown(a_hole_is_where_it_is_and_not_in_the_mirror, make, drop),
        cmocka_unit_test_setup_teardown(packed_vectors_become_what_spaced_ones_become, make, drop),
        cmocka_unit_test_setup_teardown(guessed_times_are_exact_in_every_quarter, make, drop),
        cmocka_unit_test_setup_teardown(a_guess_is_good_to_the_nanosecond, make, drop),
        cmocka_unit_test_setup_teardown(tables_and_times_that_make_no_sense_are_refused, make, drop),
        cmocka_unit_test_setup_teardown(an_interval_of_just_the_limit_is_taken_whole, make, drop),
        cmocka_unit_test_setup_teardown(no_interval_is_found_in_what_is_none, make, drop),
        cmocka_unit_test_setup_teardown(each_wrong_setting_of_a_scan_is_refused, make, drop),
        cmocka_unit_test_setup_teardown(knots_and_poses_are_asked_for, make, drop),
        cmocka_unit_test(each_wrong_setting_of_a_plan_is_refused),
    };
    return cmocka_run_group_tests_name("deskew_edges", tests, NULL, NULL);
}
