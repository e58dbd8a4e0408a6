/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans from an IMU and from a path of a transform buffer. */
#include "se3_oracle.h"

#define MS SNT_NS_PER_MS

static snt_deskew *make_plan(void)
{
    snt_deskew *plan;
    assert_status(snt_deskew_create(NULL, NULL, &plan), SNT_OK);
    return plan;
}

static snt_deskew_scan scan_of(snt_time begin, snt_time end, uint32_t reference)
{
    snt_deskew_scan scan;
    snt_deskew_scan_init(&scan, sizeof scan);
    scan.begin_ns = begin;
    scan.end_ns = end;
    scan.reference = reference;
    return scan;
}

static snt_imu_buffer *make_imu(const snt_pose *T_body_imu)
{
    snt_imu_buffer_config config;
    snt_imu_buffer_config_init(&config, sizeof config);
    if (T_body_imu)
        config.T_body_imu = *T_body_imu;
    snt_imu_buffer *imu;
    assert_status(snt_imu_buffer_create(&config, NULL, &imu), SNT_OK);
    return imu;
}

static void insert(snt_imu_buffer *imu, snt_time t, const double *w, const double *f)
{
    snt_imu_sample sample = {.stamp_ns = t};
    for (int k = 0; k < 3; k++) {
        sample.rate[k] = w[k];
        sample.acceleration[k] = f ? f[k] : 0;
    }
    sample.flags = f ? SNT_IMU_HAS_ACCELERATION : 0;
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_OK);
}

static snt_pose pose_at(const snt_deskew *plan, snt_time t)
{
    snt_pose pose;
    assert_status(snt_deskew_poses(plan, &t, 0, 1, &pose, 0, NULL), SNT_OK);
    return pose;
}

static void assert_pose(const snt_pose *pose, const oracle_pose *expected, double rotation,
                        double translation)
{
    double m[9];
    snt_rotation_matrix(pose->q, m);
    for (int i = 0; i < 3; i++) {
        assert_near(pose->t[i], (double)expected->t[i], translation);
        for (int j = 0; j < 3; j++)
            assert_near(m[3 * i + j], (double)expected->r[i][j], rotation);
    }
}

static const double none[3] = {0, 0, 0};

/* ---- IMU ---- */

static void a_constant_rate_is_integrated_exactly(void **state)
{
    (void)state;
    const snt_pose body_imu = {{0.5, 0.5, -0.5, 0.5}, {0.1, 0.2, 0.3}};
    const double w_imu[3] = {1, -2, 5}, bias[3] = {0.01, 0.02, -0.03};
    double measured[3], w_body[3];
    snt_imu_buffer *imu = make_imu(&body_imu);
    assert_status(snt_imu_buffer_set_bias(imu, bias, NULL), SNT_OK);
    for (int k = 0; k < 3; k++)
        measured[k] = w_imu[k] + bias[k];
    for (int i = -1; i <= 22; i++)
        insert(imu, i * 5 * MS + 1234567, measured, NULL);
    assert_status(snt_pose_rotate_vectors(&body_imu, w_imu, 0, w_body, 0, 1), SNT_OK);
    snt_deskew *plan = make_plan();
    snt_deskew_scan scan = scan_of(0, 100 * MS, SNT_REF_MID);
    scan.T_body_sensor = (snt_pose){{0, 0, 0.6, 0.8}, {2, -1, 0.5}};
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, NULL), SNT_OK);
    const oracle_pose x = oracle_from(&scan.T_body_sensor), back = oracle_inverse(&x);
    for (int i = 0; i <= 10; i++) {
        const oracle_pose turn = oracle_exp(none, w_body, 1e-9L * (i * 10 * MS - 50 * MS));
        oracle_pose expected = oracle_compose(&back, &turn);
        expected = oracle_compose(&expected, &x);
        const snt_pose pose = pose_at(plan, i * 10 * MS);
        assert_pose(&pose, &expected, 1e-12, 1e-11);
    }
    snt_deskew_info info;
    assert_status(snt_deskew_get_info(plan, &info), SNT_OK);
    assert_i64_equal(info.start_margin_ns, 5 * MS - 1234567);
    assert_int_equal(info.flags, SNT_DESKEW_PLAN_ROTATION_ONLY);
    snt_deskew_destroy(plan);
    snt_imu_buffer_destroy(imu);
}

/* Rates are vectors of the moving axes: adding angles (LIO-SAM's Euler sums) is something else. */
static void rates_are_integrated_on_the_sphere_not_as_angles(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make_imu(NULL);
    const double first[3] = {0, 0, 8}, second[3] = {8, 0, 0};
    insert(imu, 0, first, NULL);
    insert(imu, 50 * MS - 1, first, NULL);
    insert(imu, 50 * MS, second, NULL);
    insert(imu, 100 * MS, second, NULL);
    snt_deskew *plan = make_plan();
    const snt_deskew_scan scan = scan_of(0, 100 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, NULL), SNT_OK);
    const oracle_pose a = oracle_exp(none, first, 0.05L), b = oracle_exp(none, second, 0.05L);
    const oracle_pose expected = oracle_compose(&a, &b);
    const snt_pose pose = pose_at(plan, 100 * MS);
    assert_pose(&pose, &expected, 1e-7, 1e-12);
    snt_deskew_destroy(plan);
    snt_imu_buffer_destroy(imu);
}

/* Rates that change: second order in the sample interval, and within the declared bound. */
static void changing_rates_stay_within_the_declared_bound(void **state)
{
    (void)state;
    double error[2];
    for (int round = 0; round < 2; round++) {
        const snt_duration step = round ? 5 * MS : 10 * MS;
        snt_imu_buffer *imu = make_imu(NULL);
        for (snt_time t = 0; t <= 100 * MS; t += step) {
            const double s = 1e-9 * (double)t, w[3] = {2 * sin(20 * s), 3 * cos(15 * s), 1 + 4 * s};
            insert(imu, t, w, NULL);
        }
        snt_deskew *plan = make_plan();
        snt_deskew_scan scan = scan_of(0, 100 * MS, SNT_REF_START);
        scan.max_angular_acceleration = 40 + 45 + 4;
        assert_status(snt_deskew_plan_imu(plan, &scan, imu, NULL), SNT_OK);
        oracle_pose truth = oracle_identity();
        for (int i = 0; i < 10000; i++) {
            const double s = (i + 0.5) * 1e-5, w[3] = {2 * sin(20 * s), 3 * cos(15 * s), 1 + 4 * s};
            const oracle_pose turn = oracle_exp(none, w, 1e-5L);
            truth = oracle_compose(&truth, &turn);
        }
        const snt_pose pose = pose_at(plan, 100 * MS);
        const oracle_pose got = oracle_from(&pose);
        oracle_pose off = oracle_inverse(&truth);
        off = oracle_compose(&off, &got);
        double w[3];
        oracle_log(&off, w);
        error[round] = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        snt_deskew_bound bound;
        assert_status(snt_deskew_get_bound(plan, NULL, 1, &bound), SNT_OK);
        assert_true(error[round] <= bound.interpolation_m);
        snt_deskew_destroy(plan);
        snt_imu_buffer_destroy(imu);
    }
    assert_true(error[0] > 3 * error[1] && error[0] < 1e-3);
}

/* Free fall, a known velocity and acceleration: p = v·t + a·t²/2 in the fixed frame. */
static void velocity_and_acceleration_give_positions(void **state)
{
    (void)state;
    const double lift[3] = {2, 0, 9.81}; /* what an IMU feels that accelerates by 2 m/s² along x */
    snt_imu_buffer *imu = make_imu(NULL);
    for (int i = 0; i <= 20; i++)
        insert(imu, i * 5 * MS, none, lift);
    snt_deskew *plan = make_plan();
    snt_deskew_scan scan = scan_of(0, 100 * MS, SNT_REF_START);
    scan.output = SNT_DESKEW_OUTPUT_FIXED;
    snt_imu_state start = {.stamp_ns = 40 * MS,
                           .T_fixed_body = {{0, 0, 0, 1}, {7, 8, 9}},
                           .velocity = {5, 1, 0},
                           .gravity = {0, 0, -9.81},
                           .use_acceleration = 1};
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, &start), SNT_OK);
    for (int i = 0; i <= 10; i++) {
        const double s = i * 0.01 - 0.04;
        const snt_pose pose = pose_at(plan, i * 10 * MS);
        assert_near(pose.t[0], 7 + 5 * s + s * s, 1e-12);
        assert_near(pose.t[1], 8 + s, 1e-12);
        assert_near(pose.t[2], 9, 1e-12);
    }
    start.use_acceleration = 0;
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, &start), SNT_OK);
    const snt_pose pose = pose_at(plan, 100 * MS);
    assert_near(pose.t[0], 7 + 5 * 0.06, 1e-12);
    snt_deskew_destroy(plan);
    snt_imu_buffer_destroy(imu);
}

/* A body drives a metre while a gyroscope reports nothing: a bound of 0 m must not go without saying. */
static void a_bound_without_velocity_says_that_it_is_of_the_rotation_only(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make_imu(NULL);
    for (int i = 0; i <= 20; i++)
        insert(imu, i * 5 * MS, none, NULL);
    snt_deskew *plan = make_plan();
    snt_deskew_scan scan = scan_of(0, 100 * MS, SNT_REF_START);
    const snt_imu_state start = {.T_fixed_body = {{0, 0, 0, 1}, {0, 0, 0}}, .velocity = {10, 0, 0}};
    snt_deskew_info info;
    snt_deskew_bound bound;
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, NULL), SNT_OK);
    assert_status(snt_deskew_get_info(plan, &info), SNT_OK);
    assert_status(snt_deskew_get_bound(plan, NULL, 10, &bound), SNT_OK);
    assert_true(bound.total_m < 0.5); /* the truth is 1 m */
    assert_true(info.flags & SNT_DESKEW_PLAN_ROTATION_ONLY);
    assert_true(bound.flags & SNT_DESKEW_BOUND_ROTATION_ONLY);
    scan.velocity_error = 10; /* declared: the bound holds, and still says what it rests on */
    scan.clock_bound_ns = MS; /* in which it goes another centimetre */
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, NULL), SNT_OK);
    assert_status(snt_deskew_get_bound(plan, NULL, 10, &bound), SNT_OK);
    assert_true(bound.total_m >= 1.01 && bound.total_m < 1.011);
    assert_true(bound.flags & SNT_DESKEW_BOUND_ROTATION_ONLY);
    scan.velocity_error = 0;
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, &start),
                  SNT_OK); /* the same plan, now with a velocity */
    assert_status(snt_deskew_get_info(plan, &info), SNT_OK);
    assert_status(snt_deskew_get_bound(plan, NULL, 10, &bound), SNT_OK);
    assert_false(info.flags & SNT_DESKEW_PLAN_ROTATION_ONLY);
    assert_false(bound.flags & SNT_DESKEW_BOUND_ROTATION_ONLY);
    snt_deskew_destroy(plan);
    snt_imu_buffer_destroy(imu);
}

/* On a turntable the IMU off the axis feels the centripetal force; the body's origin must stay where it is. */
static void an_imu_off_the_axis_does_not_move_the_body(void **state)
{
    (void)state;
    const snt_pose body_imu = {{0, 0, 0, 1}, {0.5, 0, 0}};
    const double w[3] = {0, 0, 4}, f[3] = {-16 * 0.5, 0, 9.81};
    snt_imu_buffer *imu = make_imu(&body_imu);
    for (int i = 0; i <= 100; i++)
        insert(imu, i * MS, w, f);
    snt_deskew *plan = make_plan();
    snt_deskew_scan scan = scan_of(0, 100 * MS, SNT_REF_START);
    scan.output = SNT_DESKEW_OUTPUT_FIXED;
    const snt_imu_state start = {
        .T_fixed_body = {{0, 0, 0, 1}, {0, 0, 0}}, .gravity = {0, 0, -9.81}, .use_acceleration = 1};
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, &start), SNT_OK);
    const snt_pose pose = pose_at(plan, 100 * MS);
    for (int k = 0; k < 3; k++)
        assert_near(pose.t[k], 0, 3e-6);
    assert_near(2 * asin(pose.q[2]), 0.4, 1e-12);
    snt_deskew_destroy(plan);
    snt_imu_buffer_destroy(imu);
}

static void points_move_as_the_poses_say(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt_imu_buffer *imu = make_imu(NULL);
    for (int i = -1; i <= 101; i++) {
        const double w[3] = {sin(i * 0.1), 2 * cos(i * 0.2), 3}, f[3] = {3, -1, 9.5 + sin(i * 0.3)};
        insert(imu, i * MS, w, f);
    }
    snt_deskew *plan = make_plan();
    snt_deskew_scan scan = scan_of(0, 100 * MS, SNT_REF_END);
    scan.T_body_sensor = (snt_pose){{0, 0, 0.6, 0.8}, {0.2, -1, 0.5}};
    const snt_imu_state start = {.stamp_ns = 0,
                                 .T_fixed_body = {{0, 0, 0, 1}, {100, 0, 0}},
                                 .velocity = {10, 2, 0},
                                 .gravity = {0, 0, -9.81},
                                 .use_acceleration = 1};
    for (uint32_t inverse = 0; inverse < 2; inverse++) {
        scan.inverse = inverse;
        assert_status(snt_deskew_plan_imu(plan, &scan, imu, &start), SNT_OK);
        for (int i = 0; i < 500; i++) {
            float p[3];
            double wide[3];
            for (int k = 0; k < 3; k++)
                wide[k] = (double)(p[k] = (float)rng_range(&rng, -60, 60));
            const snt_time t = rng_int(&rng, 0, 100 * MS);
            snt_cloud cloud;
            snt_cloud_init(&cloud);
            assert_status(snt_cloud_set_points(&cloud, p, 0, SNT_TYPE_F32, 1), SNT_OK);
            assert_status(snt_cloud_set_times(&cloud, &t, 0, SNT_TYPE_I64, SNT_TIME_UNIT_NS,
                                              SNT_TIME_REF_ABSOLUTE, 0, 0),
                          SNT_OK);
            assert_status(snt_deskew_apply(plan, &cloud, &cloud, NULL), SNT_OK);
            const snt_pose pose = pose_at(plan, t);
            double expected[3];
            snt_deskew_bound bound;
            assert_status(snt_pose_apply_points(&pose, wide, 0, expected, 0, 1), SNT_OK);
            assert_status(snt_deskew_get_bound(plan, NULL, 104, &bound), SNT_OK);
            for (int k = 0; k < 3; k++)
                assert_near((double)p[k], expected[k], bound.approximation_m + bound.rounding_m);
        }
    }
    snt_deskew_destroy(plan);
    snt_imu_buffer_destroy(imu);
}

static void imu_plans_refuse_what_they_cannot_know(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make_imu(NULL);
    snt_deskew *plan = make_plan();
    snt_deskew_scan scan = scan_of(0, 100 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, NULL), SNT_ERR_NO_TIME);
    const double w[3] = {0, 0, 1};
    for (int i = 0; i <= 10; i++)
        insert(imu, i * 5 * MS, w, NULL);
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, NULL), SNT_OK);
    snt_deskew_info info;
    assert_status(snt_deskew_get_info(plan, &info), SNT_OK);
    assert_true(info.flags & SNT_DESKEW_PLAN_PARTIAL);
    assert_i64_equal(info.end_margin_ns, -50 * MS);
    scan.domain = SNT_DOMAIN_STEADY;
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, NULL), SNT_ERR_DOMAIN);
    scan.domain = 0;
    snt_imu_state start = {.T_fixed_body = {{0, 0, 0, 1}, {0, 0, 0}}, .use_acceleration = 1};
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, &start), SNT_ERR_UNSUPPORTED);
    start.use_acceleration = 0;
    start.stamp_ns = 100 * MS;
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, &start), SNT_ERR_FUTURE);
    start.stamp_ns = -100 * MS;
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, &start), SNT_ERR_PAST);
    start.velocity[0] = (double)NAN;
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, &start), SNT_ERR_NON_FINITE);
    assert_status(snt_deskew_plan_imu(plan, &scan, NULL, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_deskew_get_info(plan, &info), SNT_ERR_INVALID_STATE);
    scan = scan_of(500 * MS, 600 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, NULL), SNT_ERR_FUTURE);
    scan = scan_of(-500 * MS, -400 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_imu(plan, &scan, imu, NULL), SNT_ERR_PAST);
    snt_deskew_destroy(plan);
    snt_imu_buffer_destroy(imu);
}

/* ---- transform path ---- */

typedef struct tree {
    snt_tf_buffer *buffer;
    snt_tf_path *path;
} tree;

static tree make_tree(void)
{
    tree t;
    assert_status(snt_tf_buffer_create(NULL, NULL, &t.buffer), SNT_OK);
    t.path = NULL;
    return t;
}

static void insert_tf(tree *t, const char *parent, const char *child, snt_time stamp, const snt_pose *pose)
{
    snt_tf_transform transform;
    snt_tf_transform_init(&transform, 0, 0, stamp);
    transform.pose = *pose;
    assert_status(snt_tf_buffer_insert_named(t->buffer, parent, child, &transform, NULL), SNT_OK);
}

static void free_tree(tree *t)
{
    snt_tf_path_destroy(t->path);
    snt_tf_buffer_destroy(t->buffer);
}

static const snt_twist driving = {{8, 0, 0}, {0, 0, 1.5}};

/* odom → base every 10 ms from `from` to `to`, base → lidar never changing */
static tree driving_tree(snt_time from, snt_time to)
{
    tree t = make_tree();
    for (snt_time stamp = from; stamp <= to; stamp += 10 * MS) {
        snt_pose pose;
        snt_pose_exp(&driving, 1e-9 * (double)stamp, &pose);
        insert_tf(&t, "odom", "base", stamp, &pose);
    }
    assert_status(snt_tf_buffer_path(t.buffer, "odom", "base", &t.path), SNT_OK);
    return t;
}

static void a_path_tells_the_motion(void **state)
{
    (void)state;
    tree t = driving_tree(-20 * MS, 130 * MS);
    snt_deskew *plan = make_plan();
    snt_deskew_scan scan = scan_of(3 * MS, 103 * MS, SNT_REF_END);
    scan.T_body_sensor = (snt_pose){{0, 0, 0.6, 0.8}, {1, 0, 0.5}};
    assert_status(snt_deskew_plan_path(plan, &scan, t.path, 0, 0), SNT_OK);
    const oracle_pose x = oracle_from(&scan.T_body_sensor), back = oracle_inverse(&x);
    for (int i = 0; i <= 20; i++) {
        const snt_time at = scan.begin_ns + i * 5 * MS;
        const oracle_pose go = oracle_exp(driving.v, driving.w, 1e-9L * (at - scan.end_ns));
        oracle_pose expected = oracle_compose(&back, &go);
        expected = oracle_compose(&expected, &x);
        const snt_pose pose = pose_at(plan, at);
        assert_pose(&pose, &expected, 1e-4,
                    4e-4); /* chords of 10 ms: 8 m/s · 1.5 rad/s · (5 ms)²/2 and their directions */
    }
    snt_deskew_info info;
    assert_status(snt_deskew_get_info(plan, &info), SNT_OK);
    assert_int_equal(info.flags, 0);
    scan.reference = SNT_REF_AT;
    scan.reference_ns = -15 * MS;
    assert_status(snt_deskew_plan_path(plan, &scan, t.path, 5 * MS, SNT_INTERPOLATE_SCREW), SNT_OK);
    assert_status(snt_deskew_get_info(plan, &info), SNT_OK);
    assert_int_equal(info.flags, 0);
    snt_deskew_destroy(plan);
    free_tree(&t);
}

/* Knots every 2 ms cannot know more than samples every 10 ms: a·Δ²/8 for the point and for the reference. */
static void a_paths_bound_rests_on_its_samples(void **state)
{
    (void)state;
    tree t = driving_tree(-20 * MS, 130 * MS);
    snt_deskew *plan = make_plan();
    snt_deskew_scan scan = scan_of(3 * MS, 103 * MS, SNT_REF_END);
    scan.max_acceleration = 12;
    scan.max_angular_acceleration = 2;
    snt_deskew_bound bound;
    assert_status(snt_deskew_plan_path(plan, &scan, t.path, 0, 0), SNT_OK);
    assert_status(snt_deskew_get_bound(plan, NULL, 10, &bound), SNT_OK);
    assert_near(bound.interpolation_m, (12 + 10 * 2) * 0.010 * 0.010 / 4, 1e-9);
    snt_deskew_destroy(plan);
    free_tree(&t);
}

static void coverage_ends_exactly_where_the_paths_does(void **state)
{
    (void)state;
    tree t = driving_tree(20 * MS, 80 * MS);
    snt_deskew *plan = make_plan();
    const snt_deskew_scan scan = scan_of(3 * MS, 103 * MS, SNT_REF_MID);
    assert_status(snt_deskew_plan_path(plan, &scan, t.path, 0, 0), SNT_OK);
    snt_deskew_info info;
    assert_status(snt_deskew_get_info(plan, &info), SNT_OK);
    assert_i64_equal(info.covered_begin_ns, 20 * MS);
    assert_i64_equal(info.covered_end_ns, 80 * MS);
    assert_i64_equal(info.start_margin_ns, -17 * MS);
    assert_i64_equal(info.end_margin_ns, -23 * MS);
    assert_int_equal(info.holes, 0);
    const snt_time at[4] = {19999999, 20 * MS, 80 * MS, 80000001};
    snt_pose poses[4];
    uint8_t flags[4];
    assert_status(snt_deskew_poses(plan, at, 0, 4, poses, 0, flags), SNT_OK);
    assert_true(flags[0] && !flags[1] && !flags[2] && flags[3]);
    snt_deskew_destroy(plan);
    free_tree(&t);
}

static void silence_within_the_scan_is_a_hole(void **state)
{
    (void)state;
    tree t = driving_tree(0, 30 * MS);
    for (snt_time stamp = 70 * MS; stamp <= 120 * MS; stamp += 10 * MS) {
        snt_pose pose;
        snt_pose_exp(&driving, 1e-9 * (double)stamp, &pose);
        insert_tf(&t, "odom", "base", stamp, &pose);
    }
    snt_deskew *plan = make_plan();
    snt_deskew_scan scan = scan_of(0, 100 * MS, SNT_REF_START);
    scan.max_gap_ns = 20 * MS;
    assert_status(snt_deskew_plan_path(plan, &scan, t.path, MS, 0), SNT_OK);
    const snt_time at[3] = {20 * MS, 50 * MS, 80 * MS};
    snt_pose poses[3];
    uint8_t flags[3];
    assert_status(snt_deskew_poses(plan, at, 0, 3, poses, 0, flags), SNT_OK);
    assert_true(!flags[0] && flags[1] == SNT_POINT_OUTSIDE && !flags[2]);
    snt_deskew_destroy(plan);
    free_tree(&t);
}

static void a_silent_path_says_why(void **state)
{
    (void)state;
    tree t = driving_tree(0, 50 * MS);
    snt_deskew *plan = make_plan();
    snt_deskew_scan scan = scan_of(200 * MS, 300 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_path(plan, &scan, t.path, 0, 0), SNT_ERR_FUTURE);
    scan = scan_of(-300 * MS, -200 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_path(plan, &scan, t.path, 0, 0), SNT_ERR_PAST);
    scan = scan_of(0, 50 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_path(plan, &scan, t.path, 10, 0), SNT_ERR_FULL);
    assert_status(snt_deskew_plan_path(plan, &scan, NULL, 0, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_deskew_plan_path(plan, &scan, t.path, -1, 0), SNT_ERR_INVALID_ARG);
    snt_deskew_destroy(plan);
    free_tree(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_rate_is_integrated_exactly),
        cmocka_unit_test(rates_are_integrated_on_the_sphere_not_as_angles),
        cmocka_unit_test(changing_rates_stay_within_the_declared_bound),
        cmocka_unit_test(velocity_and_acceleration_give_positions),
        cmocka_unit_test(a_bound_without_velocity_says_that_it_is_of_the_rotation_only),
        cmocka_unit_test(an_imu_off_the_axis_does_not_move_the_body),
        cmocka_unit_test(points_move_as_the_poses_say),
        cmocka_unit_test(imu_plans_refuse_what_they_cannot_know),
        cmocka_unit_test(a_path_tells_the_motion),
        cmocka_unit_test(a_paths_bound_rests_on_its_samples),
        cmocka_unit_test(coverage_ends_exactly_where_the_paths_does),
        cmocka_unit_test(silence_within_the_scan_is_a_hole),
        cmocka_unit_test(a_silent_path_says_why),
    };
    return cmocka_run_group_tests_name("deskew_sources", tests, NULL, NULL);
}
