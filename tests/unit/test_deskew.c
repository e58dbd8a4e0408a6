/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans and what they make of points: closed forms, references, frames, policies, and bugs that others had. */
#include "se3_oracle.h"

#define MS SNT_NS_PER_MS

typedef struct fixture {
    snt_deskew *plan;
    snt_deskew_scan scan;
} fixture;

static int make(void **state)
{
    static fixture f;
    assert_status(snt_deskew_create(NULL, NULL, &f.plan), SNT_OK);
    *state = &f;
    return 0;
}

static int drop(void **state)
{
    snt_deskew_destroy(((fixture *)*state)->plan);
    return 0;
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

/* A cloud of n points x, y, z with int64 times in ns. */
static snt_cloud cloud_of(float (*xyz)[3], const snt_time *t, uint64_t n)
{
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, n), SNT_OK);
    assert_status(
        snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_I64, SNT_TIME_UNIT_NS, SNT_TIME_REF_ABSOLUTE, 0, 0),
        SNT_OK);
    return cloud;
}

static void one_point(snt_deskew *plan, float x, float y, float z, snt_time t, float out[3])
{
    float xyz[1][3] = {{x, y, z}};
    const snt_cloud cloud = cloud_of(xyz, &t, 1);
    snt_deskew_report report;
    assert_status(snt_deskew_apply(plan, &cloud, &cloud, &report), SNT_OK);
    memcpy(out, xyz, sizeof xyz);
}

static void assert_point(const float p[3], double x, double y, double z, double tolerance)
{
    assert_near((double)p[0], x, tolerance);
    assert_near((double)p[1], y, tolerance);
    assert_near((double)p[2], z, tolerance);
}

static void plan_twist(fixture *f, double vx, double vy, double vz, double wx, double wy, double wz)
{
    const snt_twist twist = {{vx, vy, vz}, {wx, wy, wz}};
    assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &twist), SNT_OK);
}

/* ---- closed forms ---- */

static void a_point_is_turned_by_yaw(void **state)
{
    fixture *f = *state;
    float p[3];
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    plan_twist(f, 0, 0, 0, 0, 0, 1);
    one_point(f->plan, 10, 0, 0, 100 * MS, p);
    assert_point(p, 9.95004165, 0.99833417, 0, 1e-6);
}

static void a_point_at_the_first_instant_is_moved_too(void **state)
{
    fixture *f = *state; /* FAST_LIO #371: a whole column at t == 0 stayed raw */
    float p[3];
    f->scan = scan_of(0, 100 * MS, SNT_REF_END);
    plan_twist(f, 0, 0, 0, 0, 0, 1);
    one_point(f->plan, 10, 0, 0, 0, p);
    assert_point(p, 9.95004165, -0.99833417, 0, 1e-6);
}

static void translation_is_not_forgotten(void **state)
{
    fixture *f = *state; /* LVI-SAM #27 */
    float p[3];
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    plan_twist(f, 20, 0, 0, 0, 0, 0);
    one_point(f->plan, 0, 5, 0, 100 * MS, p);
    assert_point(p, 2, 5, 0, 1e-6);
}

static void a_screw_advances_along_its_axis(void **state)
{
    fixture *f = *state;
    float p[3];
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    plan_twist(f, 0, 0, 3, 0, 0, 5);
    one_point(f->plan, 2, 1, 4, 60 * MS, p);
    const double a = 5 * 0.06;
    assert_point(p, 2 * cos(a) - sin(a), 2 * sin(a) + cos(a), 4 + 3 * 0.06, 1e-6);
}

static void an_arc_is_no_straight_line(void **state)
{
    fixture *f = *state;
    float p[3];
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    plan_twist(f, 10, 0, 0, 0, 0, 2);
    one_point(f->plan, 0, 0, 0, 100 * MS, p);
    assert_point(p, 0.993346654, 0.099667111, 0, 1e-6);
}

static void vanishing_rates_are_continuous(void **state)
{
    fixture *f = *state;
    float slow[3], none[3];
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    static const double rates[] = {1e-300, 1e-30, 1e-12, 1e-8};
    plan_twist(f, 20, 1, 0, 0, 0, 0);
    one_point(f->plan, 100, 50, 3, 90 * MS, none);
    for (size_t i = 0; i < 4; i++) {
        plan_twist(f, 20, 1, 0, 0, 0, rates[i]);
        one_point(f->plan, 100, 50, 3, 90 * MS, slow);
        assert_point(slow, (double)none[0], (double)none[1], (double)none[2], 1e-5);
    }
    plan_twist(f, 20, 1, 0, 0, 0, 1e-6);
    one_point(f->plan, 100, 50, 3, 90 * MS, slow);
    assert_point(slow, (double)none[0], (double)none[1] + 100 * 1e-6 * 0.09, (double)none[2], 2e-5);
}

/* ---- references and frames ---- */

static void the_reference_is_an_instant_of_ones_choice(void **state)
{
    fixture *f = *state;
    static const struct {
        uint32_t reference;
        snt_time at, expected;
    } cases[] = {{SNT_REF_START, 0, 1000},           {SNT_REF_MID, 0, 50 * MS + 1000},
                 {SNT_REF_END, 0, 100 * MS + 1000},  {SNT_REF_AT, 70 * MS, 70 * MS},
                 {SNT_REF_AT, -500 * MS, -500 * MS}, {SNT_REF_AT, 30000 * MS, 30000 * MS}};
    const snt_twist twist = {{3, -1, 0.5}, {0.3, 2, -1}};
    for (size_t i = 0; i < 6; i++) {
        f->scan = scan_of(1000, 100 * MS + 1000, cases[i].reference);
        f->scan.reference_ns = cases[i].at;
        assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &twist), SNT_OK);
        snt_deskew_info info;
        assert_status(snt_deskew_get_info(f->plan, &info), SNT_OK);
        assert_i64_equal(info.reference_ns, cases[i].expected);
        float p[3];
        const double in[3] = {4, -7, 2};
        long double expected[3];
        one_point(f->plan, 4, -7, 2, 20 * MS, p);
        const oracle_pose pose = oracle_exp(twist.v, twist.w, 1e-9L * (20 * MS - cases[i].expected));
        oracle_apply(&pose, in, expected);
        assert_true(oracle_distance(expected, p) < 1e-4);
    }
}

static void another_reference_is_the_same_cloud_moved_rigidly(void **state)
{
    fixture *f = *state;
    const snt_twist twist = {{3, -1, 0.5}, {0.3, 2, -1}};
    float a[3], b[3];
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &twist), SNT_OK);
    one_point(f->plan, 30, 20, 1, 35 * MS, a);
    f->scan.reference = SNT_REF_END;
    assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &twist), SNT_OK);
    one_point(f->plan, 30, 20, 1, 35 * MS, b);
    snt_pose start_end;
    snt_pose_exp(&twist, 0.1, &start_end);
    float moved[3];
    assert_status(snt_pose_apply_points_f32(&start_end, b, 0, moved, 0, 1), SNT_OK);
    assert_point(moved, (double)a[0], (double)a[1], (double)a[2], 2e-5);
}

static void the_extrinsic_moves_the_sensor_not_the_body(void **state)
{
    fixture *f = *state;
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    f->scan.T_body_sensor = (snt_pose){{0, 0, 0.70710678118654752, 0.70710678118654752}, {1, 2, 3}};
    const snt_twist twist = {{1, 0, 0}, {0, 0.5, 2}};
    assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &twist), SNT_OK);
    const oracle_pose body = oracle_exp(twist.v, twist.w, 0.08L), x = oracle_from(&f->scan.T_body_sensor);
    oracle_pose pose = oracle_inverse(&x);
    pose = oracle_compose(&pose, &body);
    pose = oracle_compose(&pose, &x);
    const double in[3] = {40, 3, -2};
    long double expected[3];
    float p[3];
    oracle_apply(&pose, in, expected);
    one_point(f->plan, 40, 3, -2, 80 * MS, p);
    assert_true(oracle_distance(expected, p) < 1e-5);
}

static void points_can_end_in_the_fixed_frame(void **state)
{
    fixture *f = *state;
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    f->scan.output = SNT_DESKEW_OUTPUT_FIXED;
    const snt_time t[2] = {0, 100 * MS};
    const snt_pose poses[2] = {{{0, 0, 0, 1}, {5, 6, 7}}, {{0, 0, 0, 1}, {6, 6, 7}}};
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 2, 0), SNT_OK);
    float p[3];
    one_point(f->plan, 1, 2, 3, 50 * MS, p);
    assert_point(p, 6.5, 8, 10, 2e-6);
}

static void reskew_undoes_deskew(void **state)
{
    fixture *f = *state;
    const snt_twist twist = {{8, -3, 1}, {1, -2, 9}};
    for (uint32_t reference = SNT_REF_START; reference <= SNT_REF_END; reference++) {
        f->scan = scan_of(0, 100 * MS, reference);
        f->scan.T_body_sensor = (snt_pose){{0.5, -0.5, 0.5, 0.5}, {1, -2, 0.3}};
        for (int i = 0; i <= 20; i++) {
            float p[3], back[3];
            f->scan.inverse = 0;
            assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &twist), SNT_OK);
            one_point(f->plan, 120, -90, 5, i * 5 * MS, p);
            f->scan.inverse = 1;
            assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &twist), SNT_OK);
            one_point(f->plan, p[0], p[1], p[2], i * 5 * MS, back);
            assert_point(back, 120, -90, 5, 6e-5);
        }
    }
}

static void an_identity_leaves_every_bit(void **state)
{
    fixture *f = *state;
    f->scan = scan_of(0, 100 * MS, SNT_REF_MID);
    f->scan.T_body_sensor = (snt_pose){{0.5, -0.5, 0.5, 0.5}, {1, -2, 0.3}};
    plan_twist(f, 0, 0, 0, 0, 0, 0);
    uint32_t bits[300][3], before[300][3];
    snt_time t[300];
    test_rng rng = rng_from_env();
    for (int i = 0; i < 300; i++) {
        t[i] = rng_int(&rng, 0, 100 * MS);
        for (int k = 0; k < 3; k++)
            bits[i][k] = (uint32_t)rng_next(&rng);
    }
    bits[7][0] = 0x80000000u; /* −0 */
    bits[8][1] = 0x7fa00001u; /* a signalling NaN with a payload */
    bits[9][2] = 0xff800000u;
    memcpy(before, bits, sizeof bits);
    const snt_cloud cloud = cloud_of((float(*)[3])(void *)bits, t, 300);
    snt_deskew_report report;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, &report), SNT_OK);
    assert_memory_equal(bits, before, sizeof bits);
    assert_true(report.flags & SNT_DESKEW_REPORT_IDENTITY);
    assert_int_equal(report.moved, 0);
}

/* ---- knots ---- */

static void knots_interpolate_as_their_closed_form_says(void **state)
{
    fixture *f = *state;
    test_rng rng = rng_from_env();
    snt_time t[6];
    snt_pose poses[6];
    for (int i = 0; i < 6; i++) {
        t[i] = i * 20 * MS + rng_int(&rng, 0, 5 * MS) - 2 * MS;
        double w[3];
        for (int k = 0; k < 3; k++) {
            w[k] = rng_range(&rng, -1, 1);
            poses[i].t[k] = rng_range(&rng, -1, 1);
        }
        snt_rotation_exp(w, poses[i].q);
    }
    for (uint32_t method = SNT_INTERPOLATE_LINEAR; method <= SNT_INTERPOLATE_SCREW; method++) {
        f->scan = scan_of(5 * MS, 95 * MS, SNT_REF_AT);
        f->scan.reference_ns = 41 * MS;
        assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 6, method), SNT_OK);
        for (int round = 0; round < 200; round++) {
            const snt_time at = rng_int(&rng, 5 * MS, 95 * MS);
            oracle_pose pose[2];
            const snt_time when[2] = {at, 41 * MS};
            for (int who = 0; who < 2; who++) {
                int k = 0;
                while (t[k + 1] <= when[who])
                    k++;
                const oracle_pose a = oracle_from(&poses[k]), b = oracle_from(&poses[k + 1]);
                const long double s = (long double)(when[who] - t[k]) / (t[k + 1] - t[k]);
                if (method == SNT_INTERPOLATE_LINEAR) {
                    const double zero[3] = {0, 0, 0};
                    oracle_pose between = oracle_inverse(&a);
                    between = oracle_compose(&between, &b);
                    double w[3];
                    oracle_log(&between, w);
                    const oracle_pose turn = oracle_exp(zero, w, s);
                    pose[who] = oracle_compose(&a, &turn);
                    for (int c = 0; c < 3; c++)
                        pose[who].t[c] = a.t[c] + s * (b.t[c] - a.t[c]);
                } else {
                    snt_pose between;
                    snt_twist twist;
                    snt_pose_between(&poses[k], &poses[k + 1], &between);
                    snt_pose_log(&between, 1, &twist);
                    const oracle_pose step = oracle_exp(twist.v, twist.w, s);
                    pose[who] = oracle_compose(&a, &step);
                }
            }
            oracle_pose relative = oracle_inverse(&pose[1]);
            relative = oracle_compose(&relative, &pose[0]);
            const double in[3] = {50, -20, 10};
            long double expected[3];
            float p[3];
            oracle_apply(&relative, in, expected);
            one_point(f->plan, 50, -20, 10, at, p);
            assert_true(oracle_distance(expected, p) < 3e-5);
        }
    }
}

static void finer_knots_of_the_same_motion_change_nothing(void **state)
{
    fixture *f = *state;
    const snt_twist twist = {{5, 1, -2}, {1, 3, -4}};
    float coarse[3], fine[3];
    for (int n = 2; n <= 4; n += 2) {
        snt_time t[5];
        snt_pose poses[5];
        for (int i = 0; i <= n; i++) {
            t[i] = i * 100 * MS / n;
            snt_pose_exp(&twist, 1e-9 * (double)t[i], &poses[i]);
        }
        f->scan = scan_of(0, 100 * MS, SNT_REF_END);
        assert_status(
            snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, (uint64_t)n + 1, SNT_INTERPOLATE_SCREW),
            SNT_OK);
        one_point(f->plan, 60, 60, 2, 33 * MS, n == 2 ? coarse : fine);
    }
    assert_point(fine, (double)coarse[0], (double)coarse[1], (double)coarse[2], 3e-5);
}

static void motions_chain_to_the_right(void **state)
{
    fixture *f = *state; /* Autoware's CPU path multiplied to the left: (0.5, 0, 0) */
    const snt_twist turn = {{0, 0, 0}, {0, 0, 1}}, go = {{10, 0, 0}, {0, 0, 0}};
    snt_pose poses[3], step;
    snt_pose_identity(&poses[0]);
    snt_pose_exp(&turn, 0.05, &poses[1]);
    snt_pose_exp(&go, 0.05, &step);
    snt_pose_compose(&poses[1], &step, &poses[2]);
    const snt_time t[3] = {0, 50 * MS, 100 * MS};
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 3, 0), SNT_OK);
    float p[3];
    one_point(f->plan, 0, 0, 0, 100 * MS, p);
    assert_point(p, 0.49937513, 0.02498958, 0, 1e-6);
}

static void bad_knots_are_refused(void **state)
{
    fixture *f = *state;
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    snt_time t[3] = {0, 50 * MS, 100 * MS};
    snt_pose poses[3];
    for (int i = 0; i < 3; i++)
        snt_pose_identity(&poses[i]);
    t[2] = t[1];
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 3, 0), SNT_ERR_DUPLICATE);
    t[2] = 40 * MS;
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 3, 0), SNT_ERR_BACKWARD);
    t[2] = 100 * MS;
    poses[1].q[3] = 2;
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 3, 0), SNT_ERR_BAD_QUATERNION);
    poses[1].q[3] = (double)NAN;
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 3, 0), SNT_ERR_NON_FINITE);
    poses[1].q[3] = 1;
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 3, SNT_INTERPOLATE_HOLD),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 0, 0), SNT_ERR_INVALID_ARG);
    snt_deskew_info info;
    assert_status(snt_deskew_get_info(f->plan, &info), SNT_ERR_INVALID_STATE);
    f->scan = scan_of(200 * MS, 300 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 3, 0), SNT_ERR_FUTURE);
    f->scan = scan_of(-200 * MS, -100 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 3, 0), SNT_ERR_PAST);
    f->scan = scan_of(0, 4201 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 3, 0), SNT_ERR_RANGE);
}

static void a_plan_too_fine_for_its_segments_says_so(void **state)
{
    (void)state;
    snt_deskew_config config;
    snt_deskew_config_init(&config, sizeof config);
    config.max_segments = 4;
    snt_deskew *plan;
    assert_status(snt_deskew_create(&config, NULL, &plan), SNT_OK);
    snt_deskew_scan scan = scan_of(0, 100 * MS, SNT_REF_START);
    const snt_twist fast = {{0, 0, 0}, {0, 0, 30}}, slow = {{1, 0, 0}, {0, 0, 0.1}};
    assert_status(snt_deskew_plan_twist(plan, &scan, &fast), SNT_ERR_FULL);
    assert_status(snt_deskew_plan_twist(plan, &scan, &slow), SNT_OK);
    const snt_twist absurd = {{0, 0, 0}, {0, 0, 1e200}};
    assert_status(snt_deskew_plan_twist(plan, &scan, &absurd), SNT_ERR_FULL);
    const snt_twist nan = {{0, 0, 0}, {0, 0, (double)NAN}};
    assert_status(snt_deskew_plan_twist(plan, &scan, &nan), SNT_ERR_NON_FINITE);
    snt_deskew_destroy(plan);
}

/* ---- times ---- */

static void equal_times_move_nothing_and_are_reported(void **state)
{
    fixture *f = *state; /* kiss-icp PR #500: 0/0, abort */
    float xyz[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    const float before[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    const snt_time t[3] = {5, 5, 5};
    const snt_cloud cloud = cloud_of(xyz, t, 3);
    f->scan = scan_of(0, 0, SNT_REF_END);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_OK);
    plan_twist(f, 0, 0, 0, 0, 0, 1);
    snt_deskew_report report;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, &report), SNT_OK);
    assert_memory_equal(xyz, before, sizeof xyz);
    assert_true(report.flags & SNT_DESKEW_REPORT_NO_SPREAD);
}

static void zero_times_are_a_time_and_reported_as_without_spread(void **state)
{
    fixture *f = *state; /* ouster-ros #331 */
    float xyz[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {1, 0, 0}};
    float before[4][3];
    memcpy(before, xyz, sizeof xyz);
    const uint32_t t[4] = {0, 0, 0, 0};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 4), SNT_OK);
    assert_status(snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE,
                                      1234567891, 0),
                  SNT_OK);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_OK);
    assert_i64_equal(f->scan.begin_ns, 1234567891); /* lidar_undistortion #2: all nine digits */
    f->scan.reference = SNT_REF_START;
    plan_twist(f, 0, 0, 0, 0, 0, 1);
    snt_deskew_report report;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, &report), SNT_OK);
    assert_memory_equal(xyz, before, sizeof xyz);
    assert_true(report.flags & SNT_DESKEW_REPORT_NO_SPREAD);
    assert_i64_equal(report.reference_ns, 1234567891);
}

static void negative_times_count_back_from_the_header(void **state)
{
    fixture *f = *state; /* kiss-icp #94, FAST_LIO_ROS2 #56: negative times aborted */
    float xyz[3][3] = {{10, 0, 0}, {10, 0, 0}, {10, 0, 0}};
    const float t[3] = {-0.1f, -0.05f, 0};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 3), SNT_OK);
    assert_status(snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F32, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE,
                                      100100 * MS, 0),
                  SNT_OK);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_OK);
    assert_near((double)f->scan.begin_ns, 100e9, 2);
    assert_i64_equal(f->scan.end_ns, 100100 * MS);
    f->scan.reference = SNT_REF_END;
    plan_twist(f, 0, 0, 0, 0, 0, 1);
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_OK);
    assert_point(xyz[0], 9.95004165, -0.99833417, 0, 2e-6);
    assert_point(xyz[1], 10 * cos(0.05), -10 * sin(0.05), 0, 2e-6);
    assert_point(xyz[2], 10, 0, 0, 1e-7);
}

static void the_unit_is_the_fields_not_a_guess(void **state)
{
    fixture *f = *state; /* FAST_LIO #55, #132: seconds, milliseconds and microseconds of the same scan */
    static const struct {
        uint32_t unit;
        float last;
    } cases[] = {{SNT_TIME_UNIT_S, 0.099f}, {SNT_TIME_UNIT_MS, 99}, {SNT_TIME_UNIT_US, 99000}};
    for (size_t i = 0; i < 3; i++) {
        float xyz[2][3] = {{10, 0, 0}, {10, 0, 0}};
        const float t[2] = {0, cases[i].last};
        snt_cloud cloud;
        snt_cloud_init(&cloud);
        assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 2), SNT_OK);
        assert_status(
            snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F32, cases[i].unit, SNT_TIME_REF_RELATIVE, 0, 0),
            SNT_OK);
        assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_OK);
        assert_near((double)f->scan.end_ns, 99e6, 4);
        f->scan.reference = SNT_REF_START;
        plan_twist(f, 0, 0, 0, 0, 0, 1);
        assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_OK);
        assert_point(xyz[1], 10 * cos(0.099), 10 * sin(0.099), 0, 2e-6);
    }
}

static void absolute_nanoseconds_in_a_double_keep_their_second(void **state)
{
    fixture *f = *state; /* DLIO: 1.7e18·1e-9f is 48 s early */
    float xyz[1][3] = {{10, 0, 0}};
    const double t[1] = {1.7e18};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 1), SNT_OK);
    assert_status(
        snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F64, SNT_TIME_UNIT_NS, SNT_TIME_REF_ABSOLUTE, 0, 0),
        SNT_OK);
    f->scan = scan_of(INT64_C(1700000000000000000) - 100 * MS, INT64_C(1700000000000000000), SNT_REF_START);
    plan_twist(f, 0, 0, 0, 0, 0, 1);
    snt_deskew_report report;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, &report), SNT_OK);
    assert_i64_equal(report.end_ns, INT64_C(1700000000000000000));
    assert_point(xyz[0], 9.95004165, 0.99833417, 0, 2e-6);
}

static void absolute_seconds_in_float32_are_refused(void **state)
{
    fixture *f = *state; /* Leishen C16: float32(1.7e9 + 0.05) == 1.7e9 */
    float xyz[2][3] = {{1, 0, 0}, {2, 0, 0}};
    const float t[2] = {1.7e9f, 1.7e9f};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 2), SNT_OK);
    assert_status(
        snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F32, SNT_TIME_UNIT_S, SNT_TIME_REF_ABSOLUTE, 0, 0),
        SNT_OK);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_ERR_PRECISION);
    f->scan = scan_of(INT64_C(1700000000000000000), INT64_C(1700000000100000000), SNT_REF_START);
    plan_twist(f, 0, 0, 0, 0, 0, 1);
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_ERR_PRECISION);
}

static void time_steps_back_do_not_wrap(void **state)
{
    fixture *f = *state; /* ouster-ros #46: 4294.967 s; dimos PR #3103 */
    float xyz[2][3] = {{10, 0, 0}, {10, 0, 0}};
    const snt_time t[2] = {1000000, 700000};
    const snt_cloud cloud = cloud_of(xyz, t, 2);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_OK);
    assert_i64_equal(f->scan.begin_ns, 700000);
    assert_i64_equal(f->scan.end_ns, 1000000);
    plan_twist(f, 0, 0, 0, 0, 0, 1);
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.audit = 1;
    snt_deskew_report report;
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, &report), SNT_OK);
    assert_int_equal(report.negative_jumps, 1);
    assert_i64_equal(report.max_gap_ns, 300000);
}

static void the_end_is_the_latest_time_not_the_last_points(void **state)
{
    fixture *f = *state; /* LIO-SAM took points.back(); cartographer_ros #1550 died of it */
    static const snt_time rings[5] = {0, 100 * MS, 0, 100 * MS, 20 * MS};
    static const snt_time close[3] = {0, 100 * MS, 99998700};
    float xyz[5][3] = {{0}};
    snt_cloud cloud = cloud_of(xyz, rings, 5);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_OK);
    assert_i64_equal(f->scan.end_ns, 100 * MS);
    cloud = cloud_of(xyz, close, 3);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_OK);
    assert_i64_equal(f->scan.end_ns, 100 * MS);
}

static void ring_major_order_gives_what_sorted_order_gives(void **state)
{
    fixture *f = *state; /* the article, section 6; pyboreas left unsorted clouds as they were */
    const snt_time t[6] = {0, 100 * MS, 200 * MS, 10 * MS, 110 * MS, 210 * MS};
    float rings[6][3], sorted[6][3];
    static const int order[6] = {0, 3, 1, 4, 2, 5};
    snt_time sorted_t[6];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            rings[i][k] = (float)(10 * i + k);
    for (int i = 0; i < 6; i++) {
        memcpy(sorted[i], rings[order[i]], sizeof sorted[i]);
        sorted_t[i] = t[order[i]];
    }
    f->scan = scan_of(0, 210 * MS, SNT_REF_START);
    plan_twist(f, 1, 2, 3, 0.5, -0.7, 1);
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.audit = 1;
    snt_deskew_report a, b;
    const snt_cloud first = cloud_of(rings, t, 6), second = cloud_of(sorted, sorted_t, 6);
    assert_status(snt_deskew_apply_with(f->plan, &first, &first, &options, &a), SNT_OK);
    assert_status(snt_deskew_apply_with(f->plan, &second, &second, &options, &b), SNT_OK);
    assert_int_equal(a.negative_jumps, 1);
    assert_int_equal(b.negative_jumps, 0);
    for (int i = 0; i < 6; i++)
        assert_memory_equal(sorted[i], rings[order[i]], sizeof sorted[i]);
}

static void a_wild_time_is_an_outlier_not_the_end_of_the_scan(void **state)
{
    fixture *f = *state; /* vbr-devkit #7: t = 3604361924 ns in a 0.1 s scan */
    enum { N = 1000 };
    static float xyz[N][3];
    static uint32_t t[N];
    for (int i = 0; i < N; i++) {
        t[i] = (uint32_t)(i * 100000);
        xyz[i][0] = 10;
    }
    t[500] = 3604361924u;
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, N), SNT_OK);
    assert_status(
        snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 77, 0),
        SNT_OK);
    uint64_t outliers;
    f->scan = scan_of(0, 0, SNT_REF_START);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 150 * MS, &f->scan, &outliers), SNT_OK);
    assert_int_equal(outliers, 1);
    assert_i64_equal(f->scan.begin_ns, 77);
    assert_i64_equal(f->scan.end_ns, 77 + 99900000);
    uint8_t flags[N];
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.point_flags = flags;
    snt_deskew_report report;
    for (uint32_t policy = SNT_DESKEW_CLAMP; policy <= SNT_DESKEW_FAIL; policy++) {
        for (int i = 0; i < N; i++)
            xyz[i][0] = 10, xyz[i][1] = xyz[i][2] = 0;
        f->scan.outlier = policy;
        const snt_twist yaw = {{0, 0, 0}, {0, 0, 1}};
        if (policy == SNT_DESKEW_EXTRAPOLATE) {
            assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &yaw), SNT_ERR_INVALID_ARG);
            continue;
        }
        assert_status(snt_deskew_plan_twist(f->plan, &f->scan, &yaw), SNT_OK);
        if (policy == SNT_DESKEW_FAIL) {
            assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, &report), SNT_ERR_FUTURE);
            for (int i = 0; i < N; i++)
                assert_true(xyz[i][0] == 10 && xyz[i][1] == 0);
            continue;
        }
        assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, &report), SNT_OK);
        assert_int_equal(report.outlier, 1);
        assert_true(flags[500] & SNT_POINT_OUTLIER);
        assert_false(flags[499]);
        assert_i64_equal(report.end_ns - report.begin_ns, 99900000);
        assert_point(xyz[999], 10 * cos(0.0999), 10 * sin(0.0999), 0, 2e-6);
        if (policy == SNT_DESKEW_CLAMP)
            assert_memory_equal(xyz[500], xyz[999], 12);
        else if (policy == SNT_DESKEW_KEEP)
            assert_point(xyz[500], 10, 0, 0, 0);
        else
            assert_true(isnan(xyz[500][0]) && isnan(xyz[500][1]) && isnan(xyz[500][2]));
    }
}

static void wilder_times_still_leave_the_scan(void **state)
{
    fixture *f = *state;
    enum { N = 400 };
    static float xyz[N][3];
    snt_time t[N];
    for (int i = 0; i < N; i++)
        t[i] = INT64_C(1700000000000000000) + i * 250000;
    for (int i = 0; i < 40; i++)
        t[i * 10] = i % 2 ? 0 : INT64_MAX - 2 - i;
    const snt_cloud cloud = cloud_of(xyz, t, N);
    uint64_t outliers;
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 150 * MS, &f->scan, &outliers), SNT_OK);
    assert_int_equal(outliers, 40);
    assert_i64_equal(f->scan.begin_ns, INT64_C(1700000000000000000) + 250000);
    assert_i64_equal(f->scan.end_ns, INT64_C(1700000000000000000) + 399 * 250000);
}

static void clouds_without_usable_time_are_refused(void **state)
{
    fixture *f = *state;
    float xyz[1][3] = {{1, 2, 3}};
    snt_time t = 0;
    snt_cloud cloud = cloud_of(xyz, &t, 1);
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    plan_twist(f, 1, 0, 0, 0, 0, 0);
    cloud.time_ref = SNT_TIME_REF_PACKET;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_ERR_NO_TIME);
    cloud.time_ref = SNT_TIME_REF_ABSOLUTE;
    cloud.domain = SNT_DOMAIN_GPS;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_ERR_DOMAIN);
    cloud.domain = 0;
    cloud.time = (snt_field){0};
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_ERR_NO_TIME);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_ERR_NO_TIME);
    cloud.x.type = SNT_TYPE_I32;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_ERR_LAYOUT);
    assert_point(xyz[0], 1, 2, 3, 0);
}

static void invalid_times_are_kept_dropped_or_refused(void **state)
{
    fixture *f = *state;
    const double t[3] = {0.01, (double)NAN, (double)INFINITY};
    for (uint32_t policy = SNT_DESKEW_KEEP; policy <= SNT_DESKEW_FAIL; policy++) {
        float xyz[3][3] = {{10, 0, 0}, {10, 0, 0}, {10, 0, 0}};
        uint8_t flags[3];
        snt_cloud cloud;
        snt_cloud_init(&cloud);
        assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 3), SNT_OK);
        assert_status(
            snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 0, 0),
            SNT_OK);
        f->scan = scan_of(0, 100 * MS, SNT_REF_START);
        f->scan.invalid_time = policy;
        plan_twist(f, 0, 0, 0, 0, 0, 1);
        snt_deskew_options options;
        snt_deskew_options_init(&options, sizeof options);
        options.point_flags = flags;
        snt_deskew_report report;
        const snt_status status = snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, &report);
        if (policy == SNT_DESKEW_FAIL) {
            assert_status(status, SNT_ERR_NON_FINITE);
            assert_point(xyz[0], 10, 0, 0, 0);
            continue;
        }
        assert_status(status, SNT_OK);
        assert_int_equal(report.invalid_time, 2);
        assert_int_equal(report.outlier, 0);
        assert_true(flags[1] & SNT_POINT_INVALID_TIME);
        assert_true(isnan(xyz[1][0]) == (policy == SNT_DESKEW_DROP));
        assert_point(xyz[0], 10 * cos(0.01), 10 * sin(0.01), 0, 1e-6);
    }
}

/* ---- coverage ---- */

static void an_imu_that_ends_early_is_told_per_point(void **state)
{
    fixture *f = *state; /* the article, section 9: scan 10.000–10.100, motion 9.995–10.080 */
    enum { N = 1001 };
    static float xyz[N][3];
    static snt_time t[N];
    uint8_t flags[N];
    const snt_time knots[2] = {9995 * MS, 10080 * MS};
    snt_pose poses[2];
    const snt_twist yaw = {{0, 0, 0}, {0, 0, 1}};
    snt_pose_identity(&poses[0]);
    snt_pose_exp(&yaw, 0.085, &poses[1]);
    for (uint32_t policy = SNT_DESKEW_CLAMP; policy <= SNT_DESKEW_FAIL; policy++) {
        for (int i = 0; i < N; i++) {
            t[i] = 10000 * MS + i * 100000;
            xyz[i][0] = 10, xyz[i][1] = xyz[i][2] = 0;
        }
        f->scan = scan_of(10000 * MS, 10100 * MS, SNT_REF_START);
        f->scan.outside = policy;
        f->scan.extrapolation_ns = 10 * MS;
        assert_status(
            snt_deskew_plan_two_poses(f->plan, &f->scan, knots[0], &poses[0], knots[1], &poses[1], 0),
            SNT_OK);
        snt_deskew_info info;
        assert_status(snt_deskew_get_info(f->plan, &info), SNT_OK);
        assert_i64_equal(info.start_margin_ns, 5 * MS);
        assert_i64_equal(info.end_margin_ns, -20 * MS);
        assert_true(info.flags & SNT_DESKEW_PLAN_PARTIAL);
        const snt_cloud cloud = cloud_of(xyz, t, N);
        snt_deskew_options options;
        snt_deskew_options_init(&options, sizeof options);
        options.point_flags = flags;
        snt_deskew_report report;
        const snt_status status = snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, &report);
        if (policy == SNT_DESKEW_FAIL) {
            assert_status(status, SNT_ERR_FUTURE);
            assert_point(xyz[500], 10, 0, 0, 0);
            continue;
        }
        assert_status(status, SNT_OK);
        assert_i64_equal(report.end_margin_ns, -20 * MS);
        assert_int_equal(report.outside, 200);
        for (int i = 0; i < N; i++) {
            assert_int_equal((flags[i] & SNT_POINT_OUTSIDE) != 0, i > 800);
            double angle = 1e-4 * (i > 800 && policy == SNT_DESKEW_CLAMP ? 800 : i);
            if (i > 900 && policy == SNT_DESKEW_EXTRAPOLATE)
                angle = 0.09;
            if (i > 800 && policy == SNT_DESKEW_KEEP)
                assert_point(xyz[i], 10, 0, 0, 0);
            else if (i > 800 && policy == SNT_DESKEW_DROP)
                assert_true(isnan(xyz[i][0]) && (flags[i] & SNT_POINT_DROPPED));
            else
                assert_point(xyz[i], 10 * cos(angle), 10 * sin(angle), 0, 3e-6);
        }
        assert_int_equal((flags[850] & SNT_POINT_EXTRAPOLATED) != 0, policy == SNT_DESKEW_EXTRAPOLATE);
        assert_int_equal((flags[950] & SNT_POINT_CLAMPED) != 0, policy <= SNT_DESKEW_EXTRAPOLATE);
    }
}

static void a_hole_between_knots_is_not_taken_for_standstill(void **state)
{
    fixture *f = *state; /* Autoware: a twist gap above 0.1 s means zero motion */
    const snt_time t[4] = {0, 10 * MS, 390 * MS, 400 * MS};
    snt_pose poses[4];
    for (int i = 0; i < 4; i++) {
        snt_pose_identity(&poses[i]);
        poses[i].t[0] = 1e-8 * (double)t[i];
    }
    float xyz[3][3] = {{0}};
    const snt_time when[3] = {5 * MS, 200 * MS, 395 * MS};
    const snt_cloud cloud = cloud_of(xyz, when, 3);
    uint8_t flags[3];
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.point_flags = flags;
    f->scan = scan_of(0, 400 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 4, 0), SNT_OK);
    snt_deskew_report report;
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, &report), SNT_OK);
    assert_int_equal(report.outside, 1);
    assert_false(flags[0]);
    assert_true(flags[1] & SNT_POINT_OUTSIDE);
    assert_false(flags[2]);
    assert_point(xyz[1], 2, 0, 0, 1e-5);
    f->scan.outside = SNT_DESKEW_FAIL;
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 4, 0), SNT_OK);
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_ERR_GAP);
    f->scan.max_gap_ns = 0;
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 4, 0), SNT_OK);
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_OK);
}

static void seconds_count_not_fractions_of_a_scan(void **state)
{
    fixture *f = *state; /* kiss-icp #209: half a scan at the same rate turns half as far */
    float xyz[2][3] = {{10, 0, 0}, {10, 0, 0}};
    const double t[2] = {0, 1};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 2), SNT_OK);
    assert_status(snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F64, 0, SNT_TIME_REF_NORMALISED, 0, 50 * MS),
                  SNT_OK);
    assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &f->scan, NULL), SNT_OK);
    assert_i64_equal(f->scan.end_ns, 50 * MS);
    plan_twist(f, 0, 0, 0, 0, 0, 1);
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_OK);
    assert_point(xyz[1], 10 * cos(0.05), 10 * sin(0.05), 0, 1e-6);
}

static void a_point_is_moved_exactly_once(void **state)
{
    fixture *f = *state; /* FAST_LIO moved the first point once per older IMU sample */
    const snt_time t[4] = {0, 5 * MS, 10 * MS, 15 * MS};
    snt_pose poses[4];
    const snt_twist twist = {{1, 0, 0}, {0, 0, 2}};
    for (int i = 0; i < 4; i++)
        snt_pose_exp(&twist, 1e-9 * (double)t[i], &poses[i]);
    f->scan = scan_of(0, 15 * MS, SNT_REF_START);
    assert_status(snt_deskew_plan_knots(f->plan, &f->scan, t, 0, poses, 0, 4, SNT_INTERPOLATE_SCREW), SNT_OK);
    float once[3];
    one_point(f->plan, 10, 0, 0, 12 * MS, once);
    const oracle_pose pose = oracle_exp(twist.v, twist.w, 0.012L);
    const double in[3] = {10, 0, 0};
    long double expected[3];
    oracle_apply(&pose, in, expected);
    assert_true(oracle_distance(expected, once) < 2e-6);
}

/* ---- queries ---- */

static void poses_at_any_time_agree_with_the_points(void **state)
{
    fixture *f = *state;
    f->scan = scan_of(0, 100 * MS, SNT_REF_MID);
    f->scan.T_body_sensor = (snt_pose){{0.5, -0.5, 0.5, 0.5}, {1, -2, 0.3}};
    plan_twist(f, 3, 2, 1, 0.5, 1.5, -2);
    const snt_time t[3] = {0, 33333333, 100 * MS};
    snt_pose poses[3];
    double m[48];
    uint8_t flags[3];
    assert_status(snt_deskew_poses(f->plan, t, 0, 3, poses, 0, flags), SNT_OK);
    assert_status(snt_deskew_matrices(poses, 0, 3, m), SNT_OK);
    for (int i = 0; i < 3; i++) {
        float p[3];
        one_point(f->plan, 7, 8, 9, t[i], p);
        const double *a = m + 16 * i;
        assert_point(p, 7 * a[0] + 8 * a[1] + 9 * a[2] + a[3], 7 * a[4] + 8 * a[5] + 9 * a[6] + a[7],
                     7 * a[8] + 8 * a[9] + 9 * a[10] + a[11], 3e-6);
        assert_int_equal(flags[i], 0);
        assert_true(a[15] == 1 && a[12] == 0);
    }
    const snt_time late = 200 * MS;
    assert_status(snt_deskew_poses(f->plan, &late, 0, 1, poses, 0, flags), SNT_OK);
    assert_int_equal(flags[0], SNT_POINT_OUTLIER); /* a constant twist is known for ever */
}

static void rows_of_a_shutter_have_poses_of_their_own(void **state)
{
    fixture *f = *state;
    f->scan = scan_of(0, 33 * MS, SNT_REF_START);
    plan_twist(f, 0, 0, 0, 0, 0, 1);
    snt_pose rows[480], one;
    assert_status(snt_deskew_rows(f->plan, 0, 30 * MS, 480, rows, 0, NULL), SNT_OK);
    assert_near(2 * asin(rows[479].q[2]), 0.030, 1e-12);
    assert_near(2 * asin(rows[160].q[2]), 1e-9 * 10020877, 1e-9);
    assert_status(snt_deskew_rows(f->plan, 5 * MS, 30 * MS, 1, &one, 0, NULL), SNT_OK);
    assert_near(2 * asin(one.q[2]), 0.005, 1e-12);
    assert_status(snt_deskew_rows(f->plan, INT64_MAX - 5, 30 * MS, 2, rows, 0, NULL), SNT_ERR_OVERFLOW);
}

static void one_beam_is_a_scan(void **state)
{
    fixture *f = *state; /* laser_geometry: 0·∞ for a single ray; #6: the end was one increment late */
    const float one[1] = {2}, three[3] = {2, (float)NAN, 40};
    snt_laser_scan laser;
    snt_laser_scan_init(&laser, sizeof laser);
    laser.ranges = one;
    laser.count = 1;
    laser.time_increment_s = 0.01;
    f->scan = scan_of(0, 0, SNT_REF_START);
    assert_status(snt_deskew_scan_from_laser(&laser, &f->scan), SNT_OK);
    plan_twist(f, 1, 0, 0, 0, 0, 1);
    float p[3][3];
    assert_status(snt_deskew_laser(f->plan, &laser, p, 0, NULL, NULL), SNT_OK);
    assert_point(p[0], 2, 0, 0, 0);
    laser.ranges = three;
    laser.count = 3;
    laser.angle_increment = 0.5;
    laser.range_max = 30;
    assert_status(snt_deskew_scan_from_laser(&laser, &f->scan), SNT_OK);
    assert_i64_equal(f->scan.end_ns, 20 * MS);
    laser.range_max = 0;
    plan_twist(f, 0, 0, 0, 0, 0, 1);
    snt_deskew_report report;
    assert_status(snt_deskew_laser(f->plan, &laser, p, 0, NULL, &report), SNT_OK);
    assert_true(isnan(p[1][0]));
    assert_point(p[2], 40 * cos(1.02), 40 * sin(1.02), 0, 1e-5);
    assert_int_equal(report.non_finite, 1);
    laser.count = 0;
    assert_status(snt_deskew_scan_from_laser(&laser, &f->scan), SNT_ERR_NO_TIME);
    assert_status(snt_deskew_laser(f->plan, &laser, NULL, 0, NULL, &report), SNT_OK);
}

static void times_can_come_from_a_table_of_rings_and_columns(void **state)
{
    fixture *f = *state; /* ouster-ros #350: destaggered pixels carry their own times */
    enum { H = 2, W = 4 };
    float xyz[H * W][3];
    for (int i = 0; i < H * W; i++)
        xyz[i][0] = xyz[i][1] = xyz[i][2] = 0;
    const int32_t columns[W] = {0, 10000000, 20000000, 30000000}, rings[H] = {0, 1000000};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, H * W), SNT_OK);
    cloud.width = W;
    cloud.height = H;
    cloud.time_base_ns = 500;
    snt_deskew_times times;
    snt_deskew_times_init(&times, sizeof times);
    times.column_ns = columns;
    times.columns = W;
    times.ring_ns = rings;
    times.rings = H;
    assert_status(snt_deskew_scan_from_cloud(&cloud, &times, 0, &f->scan, NULL), SNT_OK);
    assert_i64_equal(f->scan.begin_ns, 500);
    assert_i64_equal(f->scan.end_ns, 31000500);
    f->scan.reference = SNT_REF_START;
    plan_twist(f, 1000, 0, 0, 0, 0, 0);
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.times = &times;
    snt_deskew_report report;
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, &report), SNT_OK);
    assert_true(report.flags & SNT_DESKEW_REPORT_FROM_TABLE);
    for (int row = 0; row < H; row++)
        for (int column = 0; column < W; column++)
            assert_near((double)xyz[row * W + column][0], 10 * column + row, 1e-5);
    times.columns = 3; /* a column without entry has no time */
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, &report), SNT_OK);
    assert_int_equal(report.invalid_time, 2);
}

static void times_guessed_from_directions_are_flagged(void **state)
{
    fixture *f = *state;
    float xyz[4][3] = {{10, 0, 0}, {0, 10, 1}, {-10, 0, 2}, {0, -10, 3}};
    uint8_t flags[4];
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 4), SNT_OK);
    cloud.time_span_ns = 100 * MS;
    snt_deskew_times times;
    snt_deskew_times_init(&times, sizeof times);
    times.kind = SNT_DESKEW_TIMES_AZIMUTH;
    f->scan = scan_of(0, 100 * MS, SNT_REF_START);
    plan_twist(f, 0, 0, 100, 0, 0, 0);
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.times = &times;
    options.point_flags = flags;
    snt_deskew_report report;
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, &report), SNT_OK);
    assert_true(report.flags & SNT_DESKEW_REPORT_FROM_AZIMUTH);
    for (int i = 0; i < 4; i++) {
        assert_near((double)xyz[i][2], i + 2.5 * i, 1e-5);
        assert_true(flags[i] & SNT_POINT_FROM_AZIMUTH);
    }
    times.direction = -1;
    times.azimuth_start = -1.5707963267948966;
    for (int i = 0; i < 4; i++)
        xyz[i][2] = 0;
    assert_status(snt_deskew_apply_with(f->plan, &cloud, &cloud, &options, &report), SNT_OK);
    assert_near((double)xyz[0][2], 7.5, 1e-5); /* clockwise from −y: −x, y, x */
    assert_near((double)xyz[2][2], 2.5, 1e-5);
}

/* ---- the bound ---- */

static void the_bound_adds_up_what_is_known(void **state)
{
    fixture *f = *state;
    snt_deskew_bound b;
    f->scan = scan_of(INT64_C(1700000000000000000), INT64_C(1700000000100000000), SNT_REF_MID);
    f->scan.clock_bound_ns = 5 * MS;
    plan_twist(f, 0, 0, 0, 0, 0, 1.7453292519943295);
    assert_status(snt_deskew_get_bound(f->plan, NULL, 10, &b), SNT_OK);
    assert_near(b.clock_m, 0.0873, 1e-4); /* the article: 5 ms at 100°/s and 10 m are 8.7 cm */
    assert_true(b.approximation_m <= 1e-6 && b.rounding_m < 1e-5 && b.resolution_m == 0);
    assert_near(b.total_m, b.approximation_m + b.rounding_m + b.clock_m, 1e-12);
    f->scan.clock_bound_ns = 0;
    plan_twist(f, 20, 0, 0, 0, 0, 10);
    float xyz[1][3];
    const double t = 1.7e9;
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 1), SNT_OK);
    assert_status(
        snt_cloud_set_times(&cloud, &t, 0, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_ABSOLUTE, 0, 0),
        SNT_OK);
    assert_status(snt_deskew_get_bound(f->plan, &cloud, 200, &b), SNT_OK);
    assert_near(b.resolution_ns, 119.7, 0.1);
    assert_near(b.resolution_m, 2.4e-4, 1e-5);
    cloud.time_quantum_ns = 1000;
    assert_status(snt_deskew_get_bound(f->plan, &cloud, 200, &b), SNT_OK);
    assert_true(b.flags & SNT_DESKEW_BOUND_QUANTUM);
    assert_true(b.resolution_m == 0);
    f->scan.max_angular_acceleration = 8;
    plan_twist(f, 20, 0, 0, 0, 0, 10);
    assert_status(snt_deskew_get_bound(f->plan, NULL, 10, &b), SNT_OK);
    assert_near(b.interpolation_m, 10 * 8 * 0.05 * 0.05 / 2, 1e-9);
    assert_true(b.flags & SNT_DESKEW_BOUND_DECLARED);
    assert_status(snt_deskew_get_bound(f->plan, NULL, (double)NAN, &b), SNT_ERR_NON_FINITE);
    assert_status(snt_deskew_get_bound(f->plan, NULL, -1, &b), SNT_ERR_INVALID_ARG);
}

static void a_declared_grid_wins_back_what_double_seconds_lost(void **state)
{
    fixture *f = *state;
    enum { N = 2000 };
    static float xyz[N][3], exact[N][3];
    static double t[N];
    static snt_time truth[N];
    const snt_time base = INT64_C(1700000000000000000);
    test_rng rng = rng_from_env();
    for (int i = 0; i < N; i++) {
        truth[i] = base + rng_int(&rng, 0, 100000) * 1000;
        t[i] = (double)(truth[i] / SNT_NS_PER_S) + 1e-9 * (double)(truth[i] % SNT_NS_PER_S);
        for (int k = 0; k < 3; k++)
            xyz[i][k] = exact[i][k] = (float)rng_range(&rng, -115, 115);
    }
    f->scan = scan_of(base, base + 100 * MS, SNT_REF_MID);
    plan_twist(f, 20, 0, 0, 0, 0, 10);
    snt_cloud cloud = cloud_of(exact, truth, N);
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_OK);
    cloud = cloud_of(xyz, truth, N);
    assert_status(
        snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_ABSOLUTE, 0, 0),
        SNT_OK);
    cloud.time_quantum_ns = 1000;
    assert_status(snt_deskew_apply(f->plan, &cloud, &cloud, NULL), SNT_OK);
    assert_memory_equal(xyz, exact, sizeof xyz);
}

static void configs_are_checked(void **state)
{
    (void)state;
    snt_deskew *plan = (snt_deskew *)(uintptr_t)1;
    snt_deskew_config config;
    snt_deskew_config_init(&config, sizeof config);
    config.max_segments = 0;
    assert_status(snt_deskew_create(&config, NULL, &plan), SNT_ERR_RANGE);
    assert_null(plan);
    snt_deskew_config_init(&config, sizeof config);
    config.tolerance_m = (double)NAN;
    assert_status(snt_deskew_create(&config, NULL, &plan), SNT_ERR_RANGE);
    snt_deskew_config_init(&config, sizeof config);
    config.kernel = 99;
    assert_status(snt_deskew_create(&config, NULL, &plan), SNT_ERR_UNSUPPORTED);
    assert_status(snt_deskew_create(NULL, NULL, NULL), SNT_ERR_INVALID_ARG);
    uint64_t size;
    assert_status(snt_deskew_size(NULL, &size), SNT_OK);
    assert_true(size > 1024 * 128);
    snt_deskew_destroy(NULL);
    assert_string_equal(snt_deskew_kernel_name(SNT_KERNEL_AVX2), "avx2");
    assert_string_equal(snt_deskew_kernel_name(77), "unknown");
    assert_true(snt_deskew_kernel_available(SNT_KERNEL_SCALAR) && !snt_deskew_kernel_available(77));
}

static void a_plan_without_motion_is_not_applied(void **state)
{
    (void)state;
    snt_deskew *plan;
    float xyz[1][3] = {{1, 2, 3}};
    const snt_time t = 0;
    const snt_cloud cloud = cloud_of(xyz, &t, 1);
    snt_pose pose;
    snt_deskew_bound bound;
    assert_status(snt_deskew_create(NULL, NULL, &plan), SNT_OK);
    assert_status(snt_deskew_apply(plan, &cloud, &cloud, NULL), SNT_ERR_INVALID_STATE);
    assert_status(snt_deskew_poses(plan, &t, 0, 1, &pose, 0, NULL), SNT_ERR_INVALID_STATE);
    assert_status(snt_deskew_get_bound(plan, NULL, 1, &bound), SNT_ERR_INVALID_STATE);
    assert_status(snt_deskew_apply(NULL, &cloud, &cloud, NULL), SNT_ERR_INVALID_ARG);
    snt_deskew_destroy(plan);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, make, drop)
    const struct CMUnitTest tests[] = {
        T(a_point_is_turned_by_yaw),
        T(a_point_at_the_first_instant_is_moved_too),
        T(translation_is_not_forgotten),
        T(a_screw_advances_along_its_axis),
        T(an_arc_is_no_straight_line),
        T(vanishing_rates_are_continuous),
        T(the_reference_is_an_instant_of_ones_choice),
        T(another_reference_is_the_same_cloud_moved_rigidly),
        T(the_extrinsic_moves_the_sensor_not_the_body),
        T(points_can_end_in_the_fixed_frame),
        T(reskew_undoes_deskew),
        T(an_identity_leaves_every_bit),
        T(knots_interpolate_as_their_closed_form_says),
        T(finer_knots_of_the_same_motion_change_nothing),
        T(motions_chain_to_the_right),
        T(bad_knots_are_refused),
        T(a_plan_too_fine_for_its_segments_says_so),
        T(equal_times_move_nothing_and_are_reported),
        T(zero_times_are_a_time_and_reported_as_without_spread),
        T(negative_times_count_back_from_the_header),
        T(the_unit_is_the_fields_not_a_guess),
        T(absolute_nanoseconds_in_a_double_keep_their_second),
        T(absolute_seconds_in_float32_are_refused),
        T(time_steps_back_do_not_wrap),
        T(the_end_is_the_latest_time_not_the_last_points),
        T(ring_major_order_gives_what_sorted_order_gives),
        T(a_wild_time_is_an_outlier_not_the_end_of_the_scan),
        T(wilder_times_still_leave_the_scan),
        T(clouds_without_usable_time_are_refused),
        T(invalid_times_are_kept_dropped_or_refused),
        T(an_imu_that_ends_early_is_told_per_point),
        T(a_hole_between_knots_is_not_taken_for_standstill),
        T(seconds_count_not_fractions_of_a_scan),
        T(a_point_is_moved_exactly_once),
        T(poses_at_any_time_agree_with_the_points),
        T(rows_of_a_shutter_have_poses_of_their_own),
        T(one_beam_is_a_scan),
        T(times_can_come_from_a_table_of_rings_and_columns),
        T(times_guessed_from_directions_are_flagged),
        T(the_bound_adds_up_what_is_known),
        T(a_declared_grid_wins_back_what_double_seconds_lost),
        T(configs_are_checked),
        T(a_plan_without_motion_is_not_applied),
    };
    return cmocka_run_group_tests_name("deskew", tests, NULL, NULL);
}
