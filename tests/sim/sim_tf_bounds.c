/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pose bound against known motion: chains of edges that move smoothly with limits that are declared, sampled with
 * stamps that lie by up to their declared error, asked at times that do too, with every method of interpolation and
 * extrapolation. The truth must lie within the bound, every time. 10^6 trajectories with SNT_LONG, 10^5 without.
 */
#include "tf_world.h"

enum { LINKS = 3 };

/* p(t) = offset + Σ amplitude·sin(ωt + φ), and an attitude whose rotation vector about a fixed start moves alike */
typedef struct motion {
    double amplitude[6], omega[6], phase[6];
    snt_pose start;
    double max_accel, max_angular_accel;
} motion;

static motion motion_random(test_rng *rng)
{
    motion m;
    double axis[3] = {rng_normal(rng), rng_normal(rng), rng_normal(rng)};
    snt_rotation_exp(axis, m.start.q);
    double linear = 0, rate = 0, accel = 0;
    for (int i = 0; i < 6; i++) {
        m.amplitude[i] = rng_range(rng, 0, i < 3 ? 2 : 0.3);
        m.omega[i] = rng_range(rng, 0.1, 3);
        m.phase[i] = rng_range(rng, 0, 6.3);
        const double a = m.amplitude[i] * m.omega[i] * m.omega[i];
        if (i < 3) {
            linear += a * a;
        } else {
            rate += m.amplitude[i] * m.amplitude[i] * m.omega[i] * m.omega[i];
            accel += a * a;
        }
    }
    for (int i = 0; i < 3; i++)
        m.start.t[i] = rng_range(rng, -3, 3);
    m.max_accel = sqrt(linear) * 1.0001;
    /* angular velocity is J(r)·r' with |J| <= 1; its derivative is within |r''| + |r'|² of zero */
    m.max_angular_accel = (sqrt(accel) + rate) * 1.0001;
    return m;
}

static snt_pose motion_at(const motion *m, double t)
{
    snt_pose p = m->start;
    double r[3], q[4];
    for (int i = 0; i < 3; i++) {
        p.t[i] += m->amplitude[i] * sin(m->omega[i] * t + m->phase[i]);
        r[i] = m->amplitude[i + 3] * sin(m->omega[i + 3] * t + m->phase[i + 3]);
    }
    snt_rotation_exp(r, q);
    const snt_pose turn = {{q[0], q[1], q[2], q[3]}, {0, 0, 0}},
                   start = {{m->start.q[0], m->start.q[1], m->start.q[2], m->start.q[3]}, {0, 0, 0}};
    snt_pose whole;
    snt_pose_compose(&start, &turn, &whole);
    for (int i = 0; i < 4; i++)
        p.q[i] = whole.q[i];
    return p;
}

static double angle(const double *a, const double *b)
{
    double d = 0, s = 0;
    for (int i = 0; i < 4; i++) {
        d += (a[i] - b[i]) * (a[i] - b[i]);
        s += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 4 * atan2(sqrt(d < s ? d : s), sqrt(d < s ? s : d));
}

static uint64_t asked, bounded;
static double tightest_pos, tightest_rot;

static void trajectory(test_rng *rng)
{
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.max_frames = 8;
    cfg.max_samples = 64;
    cfg.samples_per_edge = 16;
    cfg.keep_ns = S(100);
    tf_world w = world_with(&cfg);
    const char *names[LINKS + 2] = {"f0", "f1", "f2", "f3", "tip"};
    motion m[LINKS];
    const double period = rng_range(rng, 0.01, 0.3),
                 err = rng_below(rng, 3) ? rng_range(rng, 0, period / 10) : 0;
    const uint32_t interpolation = 1 + (uint32_t)rng_below(rng, 4);
    snt_pose tip = motion_at(&(motion){.start = {{0, 0, 0, 1}, {0, 0, 0}}}, 0);
    for (int i = 0; i < 3; i++)
        tip.t[i] = rng_range(rng, -2, 2);
    for (int e = 0; e < LINKS; e++) {
        m[e] = motion_random(rng);
        for (int i = 0; i < 6; i++) {
            const double t = 10 + i * period, lie = rng_range(rng, -err, err);
            snt_tf_transform in = sample_ns(&w, names[e], names[e + 1], S(t + lie), motion_at(&m[e], t));
            in.err_ns = S(err) + 2;
            assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
        }
        snt_tf_edge_config c;
        snt_tf_edge_config_init(&c, sizeof c);
        c.max_accel = m[e].max_accel;
        c.max_angular_accel = m[e].max_angular_accel;
        c.interpolation = interpolation;
        c.extrapolation = rng_below(rng, 2) ? SNT_TF_EXTRAPOLATE_HOLD : SNT_TF_EXTRAPOLATE_TWIST;
        c.extrapolate_ns = S(period);
        assert_status(snt_tf_buffer_edge_configure(w.b, known(&w, names[e + 1]), &c), SNT_OK);
    }
    put_static(&w, "f3", "tip", tip);
    for (int k = 0; k < 3; k++) {
        const double t = rng_range(rng, 10 + period, 10 + 5.8 * period), lie = rng_range(rng, -err, err);
        snt_tf_question q;
        snt_tf_question_init(&q, sizeof q);
        q.t = S(t + lie);
        q.err_ns = S(err) + 2;
        const bool back = rng_below(rng, 2);
        asked++;
        if (snt_tf_buffer_ask(w.b, known(&w, back ? "tip" : "f0"), known(&w, back ? "f0" : "tip"), &q, &w.r,
                              &w.m) != SNT_OK)
            continue;
        if (!(w.r.flags & SNT_TF_BOUND_TIME) || !(w.r.flags & SNT_TF_BOUND_INTERPOLATION))
            continue;
        snt_pose truth = tip;
        for (int e = LINKS - 1; e >= 0; e--) {
            const snt_pose p = motion_at(&m[e], t);
            snt_pose_compose(&p, &truth, &truth);
        }
        if (back)
            snt_pose_inverse(&truth, &truth);
        double pos = 0;
        for (int i = 0; i < 3; i++)
            pos += (truth.t[i] - w.r.pose.t[i]) * (truth.t[i] - w.r.pose.t[i]);
        pos = sqrt(pos);
        const double rot = angle(truth.q, w.r.pose.q);
        bounded++;
        if (pos > w.r.pos_err || rot > w.r.rot_err)
            fail_msg("off by %g m of %g and %g rad of %g, method %u, flags %x", pos, w.r.pos_err, rot,
                     w.r.rot_err, interpolation, w.r.flags);
        tightest_pos = fmax(tightest_pos, pos / w.r.pos_err);
        tightest_rot = fmax(tightest_rot, rot / w.r.rot_err);
    }
    world_end(&w);
}

static void the_truth_lies_within_the_bound(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    const int n = getenv("SNT_LONG") ? 1000000 : 100000;
    for (int i = 0; i < n; i++)
        trajectory(&rng);
    printf("# %" PRIu64 " questions, %" PRIu64
           " with a bound; nearest to it %.3f (position) and %.3f (rotation)\n",
           asked, bounded, tightest_pos, tightest_rot);
    assert_true(bounded > asked / 2);
    assert_true(tightest_pos > 0.2 && tightest_rot > 0.2); /* it is a bound, not a shrug */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_truth_lies_within_the_bound)};
    return cmocka_run_group_tests_name("sim_tf_bounds", tests, NULL, NULL);
}
