/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "lib/pose/pose_math.h"

static snt_pose pose_random(test_rng *rng)
{
    snt_pose p;
    double n = 0;
    do {
        n = 0;
        for (int i = 0; i < 4; i++) {
            p.q[i] = rng_range(rng, -1, 1);
            n += p.q[i] * p.q[i];
        }
    } while (n > 1 || n < 0.01);
    for (int i = 0; i < 4; i++)
        p.q[i] /= sqrt(n);
    for (int i = 0; i < 3; i++)
        p.t[i] = rng_range(rng, -10, 10);
    return p;
}

static double angle_between(const double *a, const double *b)
{
    long double chord = 0, sum = 0;
    for (int i = 0; i < 4; i++) {
        chord += ((long double)a[i] - b[i]) * ((long double)a[i] - b[i]);
        sum += ((long double)a[i] + b[i]) * ((long double)a[i] + b[i]);
    }
    return (double)(4 * atan2l(sqrtl(chord < sum ? chord : sum), sqrtl(chord < sum ? sum : chord)));
}

static void assert_pose_near(const snt_pose *a, const snt_pose *b, double tolerance)
{
    assert_true(angle_between(a->q, b->q) <= tolerance);
    for (int i = 0; i < 3; i++)
        assert_near(a->t[i], b->t[i], tolerance);
}

static const double half = 0.70710678118654752440;

static void a_chain_of_poses_maps_points_like_its_product(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 1000; round++) {
        const snt_pose a = pose_random(&rng), b = pose_random(&rng);
        snt_pose ab, inverse, back;
        snt_pose_compose(&a, &b, &ab);
        double p[3] = {rng_range(&rng, -5, 5), rng_range(&rng, -5, 5), rng_range(&rng, -5, 5)}, q[3], r[3];
        assert_status(snt_pose_apply_points(&b, p, 0, q, 0, 1), SNT_OK);
        assert_status(snt_pose_apply_points(&a, q, 0, q, 0, 1), SNT_OK);
        assert_status(snt_pose_apply_points(&ab, p, 0, r, 0, 1), SNT_OK);
        for (int i = 0; i < 3; i++)
            assert_near(q[i], r[i], 1e-13);
        snt_pose_inverse(&ab, &inverse);
        snt_pose_inverse(&inverse, &back);
        assert_pose_near(&back, &ab, 1e-13);
        snt_pose_between(&a, &ab, &back);
        assert_pose_near(&back, &b, 1e-13);
        snt_pose_compose(&ab, &inverse, &ab); /* an output may be an input */
        const snt_pose identity = {{0, 0, 0, 1}, {0, 0, 0}};
        assert_pose_near(&ab, &identity, 1e-13);
    }
}

static void quarter_turn_left_takes_forward_to_left(void **state)
{
    (void)state;
    const snt_pose yaw90 = {{0, 0, half, half}, {10, 0, 1}};
    const double p[3] = {1, 0, 0};
    double out[3];
    assert_status(snt_pose_apply_points(&yaw90, p, 0, out, 0, 1), SNT_OK);
    assert_near(out[0], 10, 1e-15);
    assert_near(out[1], 1, 1e-15);
    assert_near(out[2], 1, 1e-15);
    assert_status(snt_pose_rotate_vectors(&yaw90, p, 0, out, 0, 1), SNT_OK);
    assert_near(out[0], 0, 1e-15);
    assert_near(out[1], 1, 1e-15);
}

static void points_of_records_keep_their_neighbours(void **state)
{
    (void)state;
    const snt_pose shift = {{0, 0, 0, 1}, {1, 2, 3}};
    unsigned char records[3 * 22 + 1];
    memset(records, 0xaa, sizeof records);
    for (int i = 0; i < 3; i++) {
        const float p[3] = {(float)i, 0, 0};
        memcpy(records + 1 + 22 * i, p, sizeof p); /* odd alignment on purpose */
    }
    assert_status(snt_pose_apply_points_f32(&shift, records + 1, 22, records + 1, 22, 3), SNT_OK);
    for (int i = 0; i < 3; i++) {
        float p[3];
        memcpy(p, records + 1 + 22 * i, sizeof p);
        assert_true(p[0] == (float)(i + 1) && p[1] == 2.0f && p[2] == 3.0f);
        for (int k = 12; k < 22; k++)
            assert_int_equal(records[1 + 22 * i + k], 0xaa);
    }
    assert_int_equal(records[0], 0xaa);
    assert_status(snt_pose_apply_points_f32(&shift, records, 11, records, 22, 1), SNT_ERR_INVALID_ARG);
    assert_status(snt_pose_apply_points(&shift, records, 23, records, 24, 1), SNT_ERR_INVALID_ARG);
    assert_status(snt_pose_apply_points(&shift, NULL, 0, records, 0, 1), SNT_ERR_INVALID_ARG);
    assert_status(snt_pose_apply_points(&shift, NULL, 0, NULL, 0, 0), SNT_OK);
}

static void bad_numbers_are_told_apart(void **state)
{
    (void)state;
    snt_pose p = {{0, 0, 0, 1}, {0, 0, 0}};
    assert_status(snt_pose_check(&p, 0), SNT_OK);
    p.t[1] = INFINITY; /* tf2 takes an infinite translation */
    assert_status(snt_pose_check(&p, 0), SNT_ERR_NON_FINITE);
    p.t[1] = 0;
    p.q[0] = NAN;
    assert_status(snt_pose_check(&p, 0), SNT_ERR_NON_FINITE);
    p.q[0] = 0;
    p.q[3] = 0;
    assert_status(snt_pose_check(&p, 0), SNT_ERR_BAD_QUATERNION);
    p.q[3] = sqrt(1.0099);
    assert_status(snt_pose_check(&p, 0), SNT_OK);
    p.q[3] = sqrt(1.0101);
    assert_status(snt_pose_check(&p, 0), SNT_ERR_BAD_QUATERNION);
    assert_status(snt_pose_check(&p, 0.1), SNT_OK);
    assert_status(snt_pose_check(&p, -1), SNT_ERR_INVALID_ARG);
    assert_status(snt_pose_check(NULL, 0), SNT_ERR_INVALID_ARG);
    double out[4] = {7, 7, 7, 7};
    const double long_one[4] = {0, 0, 0, 1.2}, none[4] = {0, 0, 0, 0};
    assert_status(snt_quaternion_normalise(long_one, 0, out), SNT_ERR_BAD_QUATERNION);
    assert_status(snt_quaternion_normalise(none, 5, out), SNT_ERR_BAD_QUATERNION);
    assert_true(out[0] == 7);
    const double unit[4] = {0.5, -0.5, 0.5, -0.5};
    assert_status(snt_quaternion_normalise(unit, 0, out), SNT_OK);
    assert_true(out[0] == -0.5 && out[1] == 0.5 && out[2] == -0.5 && out[3] == 0.5);
}

static void exponential_and_logarithm_agree_with_long_double(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 20000; round++) {
        double axis[3], n = 0;
        for (int i = 0; i < 3; i++) {
            axis[i] = rng_normal(&rng);
            n += axis[i] * axis[i];
        }
        const double angle = round % 2 ? rng_range(&rng, 0, 3.1415926) : exp(rng_range(&rng, -40, 1.1));
        double w[3], q[4], back[3];
        for (int i = 0; i < 3; i++)
            w[i] = axis[i] / sqrt(n) * angle;
        const long double a =
            sqrtl((long double)w[0] * w[0] + (long double)w[1] * w[1] + (long double)w[2] * w[2]);
        snt_rotation_exp(w, q);
        const long double k = sinl(a / 2) / a;
        for (int i = 0; i < 3; i++)
            assert_near(q[i], (double)(k * w[i]), 1e-15);
        assert_near(q[3], (double)cosl(a / 2), 1e-15);
        snt_rotation_log(q, back);
        for (int i = 0; i < 3; i++)
            assert_near(back[i], w[i], 4e-15 * angle + 1e-300);
        for (int i = 0; i < 4; i++)
            q[i] = -q[i];
        snt_rotation_log(q, back);
        for (int i = 0; i < 3; i++)
            assert_near(back[i], w[i], 4e-15 * angle + 1e-300);
    }
    const double many[3] = {0, 0, 1000};
    double q[4];
    snt_rotation_exp(many, q);
    assert_near(q[2], sin(500), 1e-12);
    assert_near(q[3], cos(500), 1e-12);
    const double half_turn[4] = {0, 0, 1, 0};
    double w[3];
    snt_rotation_log(half_turn, w);
    assert_near(w[2], 3.14159265358979323846, 1e-15);
    const double nan3[3] = {NAN, 0, 0};
    snt_rotation_exp(nan3, q);
    assert_true(isnan(q[3]));
}

static void poses_and_twists_convert_both_ways(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 20000; round++) {
        snt_twist xi, back;
        const double size = round % 3 ? 1 : exp(rng_range(&rng, -30, 0));
        for (int i = 0; i < 3; i++) {
            xi.v[i] = rng_range(&rng, -5, 5);
            xi.w[i] = size * rng_range(&rng, -1.8, 1.8);
        }
        snt_pose whole, half_pose, twice;
        snt_pose_exp(&xi, 1, &whole);
        snt_pose_exp(&xi, 0.5, &half_pose);
        snt_pose_compose(&half_pose, &half_pose, &twice);
        assert_pose_near(&whole, &twice, 1e-14);
        if (sqrt(snt__dot3(xi.w, xi.w)) > 3.1)
            continue;
        snt_pose_log(&whole, 2, &back);
        for (int i = 0; i < 3; i++) {
            assert_near(back.v[i] * 2, xi.v[i], 2e-13);
            assert_near(back.w[i] * 2, xi.w[i], 1e-14);
        }
    }
    /* closed form: a quarter circle of radius 2 to the left ends at (2, 2) facing left */
    const snt_twist circle = {{3.14159265358979323846, 0, 0}, {0, 0, 1.57079632679489661923}};
    snt_pose end;
    snt_pose_exp(&circle, 1, &end);
    assert_near(end.t[0], 2, 1e-15);
    assert_near(end.t[1], 2, 1e-15);
    assert_near(end.q[2], half, 1e-15);
    const snt_twist spin = {{0, 0, 0}, {0, 0, 700}};
    snt_pose_exp(&spin, 1, &end);
    assert_near(end.q[2], sin(350), 1e-12);
}

static void slerp_agrees_with_long_double_on_every_arc(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    double worst = 0;
    for (int round = 0; round < 40000; round++) {
        const snt_pose a = pose_random(&rng);
        double axis[3] = {rng_normal(&rng), rng_normal(&rng), rng_normal(&rng)}, w[3], turn[4];
        const double n = snt__norm3(axis);
        const double angle = round % 2 ? rng_range(&rng, 0, 3.1415) : exp(rng_range(&rng, -20, 1.1));
        for (int i = 0; i < 3; i++)
            w[i] = axis[i] / n * angle;
        snt_rotation_exp(w, turn);
        snt_pose b = a, out;
        snt__quat_mul(a.q, turn, b.q);
        if (round % 4 == 0)
            for (int i = 0; i < 4; i++)
                b.q[i] = -b.q[i];
        const double s = round % 8 == 0 ? 0.5 : rng_unit(&rng);
        assert_status(snt_pose_interpolate(&a, &b, s, SNT_INTERPOLATE_LINEAR, &out), SNT_OK);
        assert_near(snt__dot4(out.q, out.q), 1, 1e-14);
        long double d = 0;
        for (int i = 0; i < 4; i++)
            d += (long double)a.q[i] * b.q[i];
        const long double sign = d < 0 ? -1 : 1;
        long double chord = 0, sum = 0;
        for (int i = 0; i < 4; i++) {
            chord += (a.q[i] - sign * b.q[i]) * (a.q[i] - sign * b.q[i]);
            sum += (a.q[i] + sign * b.q[i]) * (a.q[i] + sign * b.q[i]);
        }
        const long double theta = 2 * atan2l(sqrtl(chord), sqrtl(sum));
        double expected[4];
        for (int i = 0; i < 4; i++)
            expected[i] = theta < 1e-12L
                              ? a.q[i]
                              : (double)((sinl((1 - s) * theta) * a.q[i] + sinl(s * theta) * sign * b.q[i]) /
                                         sinl(theta));
        const double error = angle_between(expected, out.q);
        worst = error > worst ? error : worst;
    }
    printf("# worst slerp error %.3g rad\n", worst);
    assert_true(worst < 5e-15);
}

static void screw_interpolation_is_exact_for_constant_twist(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 2000; round++) {
        const snt_pose a = pose_random(&rng);
        const snt_twist xi = {
            {rng_range(&rng, -5, 5), rng_range(&rng, -5, 5), rng_range(&rng, -5, 5)},
            {rng_range(&rng, -1.5, 1.5), rng_range(&rng, -1.5, 1.5), rng_range(&rng, -1.5, 1.5)}};
        const double s = rng_unit(&rng);
        snt_pose whole, part, b, expected, out;
        snt_pose_exp(&xi, 1, &whole);
        snt_pose_exp(&xi, s, &part);
        snt_pose_compose(&a, &whole, &b);
        snt_pose_compose(&a, &part, &expected);
        assert_status(snt_pose_interpolate(&a, &b, s, SNT_INTERPOLATE_SCREW, &out), SNT_OK);
        assert_pose_near(&out, &expected, 1e-13);
    }
}

static void interpolation_meets_its_ends_and_knows_its_methods(void **state)
{
    (void)state;
    const snt_pose a = {{0, 0, 0, 1}, {0, 0, 0}}, b = {{0, 0, half, half}, {2, 0, 0}};
    snt_pose out;
    for (uint32_t method = SNT_INTERPOLATE_DEFAULT; method <= SNT_INTERPOLATE_SCREW; method++) {
        assert_status(snt_pose_interpolate(&a, &b, 0, method, &out), SNT_OK);
        assert_memory_equal(&out, &a, sizeof a);
        assert_status(snt_pose_interpolate(&a, &b, 1, method, &out), SNT_OK);
        assert_memory_equal(&out, &b, sizeof b);
    }
    assert_status(snt_pose_interpolate(&a, &b, 0.75, SNT_INTERPOLATE_HOLD, &out), SNT_OK);
    assert_true(out.t[0] == 0);
    assert_status(snt_pose_interpolate(&a, &b, 0.25, SNT_INTERPOLATE_NEAREST, &out), SNT_OK);
    assert_true(out.t[0] == 0);
    assert_status(snt_pose_interpolate(&a, &b, 0.5, SNT_INTERPOLATE_NEAREST, &out), SNT_OK);
    assert_true(out.t[0] == 2);
    assert_status(snt_pose_interpolate(&a, &b, 2, SNT_INTERPOLATE_LINEAR, &out), SNT_OK);
    assert_near(out.t[0], 4, 1e-15);
    assert_near(fabs(out.q[2]), 1, 1e-15); /* twice a quarter turn */
    assert_status(snt_pose_interpolate(&a, &b, -1, SNT_INTERPOLATE_LINEAR, &out), SNT_OK);
    assert_near(out.q[2], -half, 1e-15);
    assert_status(snt_pose_interpolate(&a, &b, 0.5, 5, &out), SNT_ERR_INVALID_ARG);
    assert_status(snt_pose_interpolate(&a, &b, NAN, 0, &out), SNT_ERR_NON_FINITE);
    assert_status(snt_pose_interpolate(NULL, &b, 0, 0, &out), SNT_ERR_INVALID_ARG);
}

static void twists_change_frame_axes_and_point(void **state)
{
    (void)state;
    /* base at (1, 0) facing left (+y) and driving forward at 1 m/s while turning left at 1 rad/s */
    const snt_pose odom_base = {{0, 0, half, half}, {1, 0, 0}};
    const snt_twist body = {{1, 0, 0}, {0, 0, 1}};
    snt_twist spatial, mixed, point;
    snt_twist_transform(&odom_base, &body, &spatial);
    assert_near(spatial.v[0], 0, 1e-15);
    assert_near(spatial.v[1], 0, 1e-15); /* the centre of the circle is odom's origin: it does not move */
    assert_near(spatial.w[2], 1, 1e-15);
    snt_twist_rotate(odom_base.q, &body, &mixed);
    assert_near(mixed.v[0], 0, 1e-15);
    assert_near(mixed.v[1], 1, 1e-15);
    const double lever[3] = {1, 0, 0};
    snt_twist_shift(&body, lever, &point);
    assert_near(point.v[0], 1, 1e-15);
    assert_near(point.v[1], 1, 1e-15);
}

static void matrices_convert_and_reflections_are_refused(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 1000; round++) {
        snt_pose p = pose_random(&rng);
        if (round < 4) { /* half turns: w = 0 */
            memset(p.q, 0, sizeof p.q);
            p.q[round] = 1;
        }
        double m[9], q[4];
        snt_rotation_matrix(p.q, m);
        assert_status(snt_rotation_from_matrix(m, q), SNT_OK);
        assert_true(angle_between(p.q, q) < 1e-14);
        assert_true(q[3] >= 0);
    }
    const double mirrored[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, scaled[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    double q[4];
    assert_status(snt_rotation_from_matrix(mirrored, q), SNT_ERR_RANGE);
    assert_status(snt_rotation_from_matrix(scaled, q), SNT_ERR_RANGE);
    const double bad[9] = {NAN};
    assert_status(snt_rotation_from_matrix(bad, q), SNT_ERR_NON_FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_poses_maps_points_like_its_product),
        cmocka_unit_test(quarter_turn_left_takes_forward_to_left),
        cmocka_unit_test(points_of_records_keep_their_neighbours),
        cmocka_unit_test(bad_numbers_are_told_apart),
        cmocka_unit_test(exponential_and_logarithm_agree_with_long_double),
        cmocka_unit_test(poses_and_twists_convert_both_ways),
        cmocka_unit_test(slerp_agrees_with_long_double_on_every_arc),
        cmocka_unit_test(screw_interpolation_is_exact_for_constant_twist),
        cmocka_unit_test(interpolation_meets_its_ends_and_knows_its_methods),
        cmocka_unit_test(twists_change_frame_axes_and_point),
        cmocka_unit_test(matrices_convert_and_reflections_are_refused),
    };
    return cmocka_run_group_tests_name("pose", tests, NULL, NULL);
}
