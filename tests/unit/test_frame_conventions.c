/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

static const double pi = 3.14159265358979323846, half = 0.70710678118654752440;

static void enu_and_ned_are_each_others_inverse(void **state)
{
    (void)state;
    const double enu[3] = {3, 4, 5}; /* 3 m east, 4 m north, 5 m up */
    double ned[3], back[3];
    snt_enu_ned_vector(enu, ned);
    assert_true(ned[0] == 4 && ned[1] == 3 && ned[2] == -5);
    snt_enu_ned_vector(ned, back);
    assert_memory_equal(back, enu, sizeof enu);
    snt_flu_frd_vector(enu, back);
    assert_true(back[0] == 3 && back[1] == -4 && back[2] == -5);
}

static void heading_runs_the_other_way_from_north(void **state)
{
    (void)state;
    static const double yaw[] = {0, 90, 180, -90, 45}, heading[] = {90, 0, 270, 180, 45};
    for (int i = 0; i < 5; i++) {
        assert_near(snt_heading_from_yaw(yaw[i] * pi / 180), heading[i] * pi / 180, 1e-15);
        assert_near(cos(snt_yaw_from_heading(heading[i] * pi / 180)), cos(yaw[i] * pi / 180), 1e-15);
        assert_near(sin(snt_yaw_from_heading(heading[i] * pi / 180)), sin(yaw[i] * pi / 180), 1e-15);
    }
    test_rng rng = rng_from_env();
    for (int i = 0; i < 10000; i++) {
        const double h = snt_heading_from_yaw(rng_range(&rng, -100, 100));
        assert_true(h >= 0 && h < 2 * pi);
    }
    assert_true(snt_heading_from_yaw(nextafter(pi / 2, 10)) < 2 * pi);
    assert_true(isnan(snt_heading_from_yaw(INFINITY)) != 0);
    assert_near(snt_angle_wrap(3 * pi), pi, 1e-15);
    assert_near(snt_angle_wrap(-pi), pi, 0);
}

static void an_imu_that_points_north_in_ned_has_yaw_90_in_enu(void **state)
{
    (void)state;
    const double level_north[4] = {0, 0, 0, 1};
    double q[4], back[4];
    snt_enu_ned_attitude(level_north, q);
    assert_near(q[2], half, 1e-15);
    assert_near(q[3], half, 1e-15);
    snt_enu_ned_attitude(q, back);
    assert_near(back[3], 1, 1e-15);
    /* the same attitude maps the same body vector: 20° nose up, heading east */
    test_rng rng = rng_from_env();
    for (int i = 0; i < 100; i++) {
        double ned[4], enu[4];
        assert_status(snt_rotation_from_rpy(rng_range(&rng, -3, 3), rng_range(&rng, -1.5, 1.5),
                                            rng_range(&rng, -3, 3), ned),
                      SNT_OK);
        snt_enu_ned_attitude(ned, enu);
        double body[3] = {rng_unit(&rng), rng_unit(&rng), rng_unit(&rng)}, frd[3], in_ned[3], in_enu[3];
        snt_flu_frd_vector(body, frd);
        snt_pose a = {{ned[0], ned[1], ned[2], ned[3]}, {0, 0, 0}},
                 b = {{enu[0], enu[1], enu[2], enu[3]}, {0, 0, 0}};
        assert_status(snt_pose_rotate_vectors(&a, frd, 0, in_ned, 0, 1), SNT_OK);
        assert_status(snt_pose_rotate_vectors(&b, body, 0, in_enu, 0, 1), SNT_OK);
        snt_enu_ned_vector(in_ned, in_ned);
        for (int k = 0; k < 3; k++)
            assert_near(in_ned[k], in_enu[k], 1e-14);
    }
}

static void roll_pitch_yaw_are_about_fixed_axes(void **state)
{
    (void)state;
    double q[4], rpy[3];
    assert_status(snt_rotation_from_rpy(0, 0, pi / 2, q), SNT_OK);
    const snt_pose left = {{q[0], q[1], q[2], q[3]}, {0, 0, 0}};
    double v[3] = {1, 0, 0};
    assert_status(snt_pose_rotate_vectors(&left, v, 0, v, 0, 1), SNT_OK);
    assert_near(v[1], 1, 1e-15); /* positive yaw turns left */
    assert_status(snt_rotation_from_rpy(0, 0.3, 0, q), SNT_OK);
    const snt_pose down = {{q[0], q[1], q[2], q[3]}, {0, 0, 0}};
    double nose[3] = {1, 0, 0};
    assert_status(snt_pose_rotate_vectors(&down, nose, 0, nose, 0, 1), SNT_OK);
    assert_true(nose[2] < 0); /* positive pitch takes the nose down */
    test_rng rng = rng_from_env();
    for (int i = 0; i < 1000; i++) {
        const double r = rng_range(&rng, -3.14, 3.14), p = rng_range(&rng, -1.57, 1.57),
                     y = rng_range(&rng, -3.14, 3.14);
        assert_status(snt_rotation_from_rpy(r, p, y, q), SNT_OK);
        assert_status(snt_rotation_to_rpy(q, rpy), SNT_OK);
        assert_near(rpy[0], r, 1e-9);
        assert_near(rpy[1], p, 1e-9);
        assert_near(rpy[2], y, 1e-9);
    }
    for (int sign = -1; sign <= 1; sign += 2) { /* nose straight down and up */
        double again[4], d = 0;
        assert_status(snt_rotation_from_rpy(0.4, sign * pi / 2, 1.1, q), SNT_OK);
        assert_status(snt_rotation_to_rpy(q, rpy), SNT_ERR_AMBIGUOUS);
        assert_status(snt_rotation_from_rpy(rpy[0], rpy[1], rpy[2], again), SNT_OK);
        for (int i = 0; i < 4; i++)
            d += q[i] * again[i];
        assert_near(fabs(d), 1, 1e-12);
    }
    assert_status(snt_rotation_from_rpy(NAN, 0, 0, q), SNT_ERR_NON_FINITE);
    const double none[4] = {0, 0, 0, 0};
    assert_status(snt_rotation_to_rpy(none, rpy), SNT_ERR_BAD_QUATERNION);
}

static void the_optical_axes_are_those_of_the_camera(void **state)
{
    (void)state;
    snt_pose link_optical;
    snt_pose_link_from_optical(&link_optical);
    const double z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
    double out[3];
    snt_pose_rotate_vectors(&link_optical, z, 0, out, 0, 1);
    assert_true(out[0] == 1 && out[1] == 0 && out[2] == 0); /* optical forward is the link's x */
    snt_pose_rotate_vectors(&link_optical, x, 0, out, 0, 1);
    assert_true(out[0] == 0 && out[1] == -1 && out[2] == 0); /* optical right is minus the link's left */
}

static void other_units_are_suspected(void **state)
{
    (void)state;
    static const struct {
        uint32_t quantity;
        double magnitude;
        uint32_t verdict;
    } cases[] = {
        {SNT_UNIT_ANGLE, 3.1, SNT_UNIT_PLAUSIBLE},
        {SNT_UNIT_ANGLE, 180, SNT_UNIT_DEGREES},
        {SNT_UNIT_ANGULAR_VELOCITY, 2, SNT_UNIT_PLAUSIBLE},
        {SNT_UNIT_ANGULAR_VELOCITY, 90, SNT_UNIT_DEGREES},
        {SNT_UNIT_ACCELERATION, 9.81, SNT_UNIT_PLAUSIBLE},
        {SNT_UNIT_ACCELERATION, 1.0, SNT_UNIT_G},
        {SNT_UNIT_ACCELERATION, 0, SNT_UNIT_IMPLAUSIBLE},
        {SNT_UNIT_LENGTH, 120, SNT_UNIT_PLAUSIBLE},
        {SNT_UNIT_LENGTH, 30000, SNT_UNIT_MILLIMETRES},
        {SNT_UNIT_MAGNETIC_FIELD, 48e-6, SNT_UNIT_PLAUSIBLE},
        {SNT_UNIT_MAGNETIC_FIELD, 0.48, SNT_UNIT_GAUSS},
        {SNT_UNIT_MAGNETIC_FIELD, 48, SNT_UNIT_MICROTESLA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t verdict = 99;
        assert_status(snt_unit_check(cases[i].quantity, cases[i].magnitude, &verdict), SNT_OK);
        assert_int_equal(verdict, cases[i].verdict);
    }
    uint32_t verdict = 99;
    assert_status(snt_unit_check(0, 1, &verdict), SNT_ERR_INVALID_ARG);
    assert_status(snt_unit_check(SNT_UNIT_ANGLE, NAN, &verdict), SNT_ERR_NON_FINITE);
    assert_status(snt_unit_check(SNT_UNIT_ANGLE, -1, &verdict), SNT_ERR_RANGE);
    assert_int_equal(verdict, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enu_and_ned_are_each_others_inverse),
        cmocka_unit_test(heading_runs_the_other_way_from_north),
        cmocka_unit_test(an_imu_that_points_north_in_ned_has_yaw_90_in_enu),
        cmocka_unit_test(roll_pitch_yaw_are_about_fixed_axes),
        cmocka_unit_test(the_optical_axes_are_those_of_the_camera),
        cmocka_unit_test(other_units_are_suspected),
    };
    return cmocka_run_group_tests_name("frame_conventions", tests, NULL, NULL);
}
