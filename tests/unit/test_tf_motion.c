/* SPDX-License-Identifier: BSD-3-Clause */
/* Velocities, bounds, paths, gaps and reports of the transform buffer. */
#include "tf_world.h"

static const double pi = 3.14159265358979323846;

/* T(t) = start · exp(t·twist) at 100 Hz for two seconds */
static void drive(tf_world *w, const char *parent, const char *child, snt_pose start, snt_twist body)
{
    for (int i = 0; i <= 200; i++) {
        snt_pose step, p;
        snt_pose_exp(&body, i * 0.01, &step);
        snt_pose_compose(&start, &step, &p);
        assert_status(put_ns(w, parent, child, S(i * 0.01), p), SNT_OK);
    }
}

static void assert_twist(tf_world *w, const char *target, const char *source, double t, int64_t window,
                         uint32_t convention, const double *v, const double *omega)
{
    snt_tf_path *path;
    snt_tf_twist_result r;
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    q.t = S(t);
    assert_status(snt_tf_buffer_path(w->b, target, source, &path), SNT_OK);
    assert_status(snt_tf_path_twist(path, &q, window, convention, &r, &w->m), SNT_OK);
    for (int i = 0; i < 3; i++) {
        assert_near(r.twist.v[i], v[i], 2e-4);
        assert_near(r.twist.w[i], omega[i], 1e-9);
    }
    assert_int_equal(r.convention, convention);
    snt_tf_path_destroy(path);
}

static void velocities_are_right_for_a_turned_robot(void **state)
{
    (void)state;
    const double none[3] = {0, 0, 0}, spin[3] = {0, 0, 1};
    static const int64_t windows[] = {0, 100000000};
    for (int k = 0; k < 2; k++) {
        /* yaw 90°, forward at 1 m/s: +y in odom, +x in the body; tf2 says −x and +y (geometry#43) */
        tf_world w = world();
        drive(&w, "odom", "base", yawed(3, 4, pi / 2), (snt_twist){{1, 0, 0}, {0, 0, 0}});
        assert_twist(&w, "odom", "base", 1, windows[k], SNT_TF_TWIST_ORIGIN, (const double[]){0, 1, 0}, none);
        assert_twist(&w, "odom", "base", 1, windows[k], SNT_TF_TWIST_BODY, (const double[]){1, 0, 0}, none);
        assert_twist(&w, "odom", "base", 1.005, windows[k], SNT_TF_TWIST_ORIGIN, (const double[]){0, 1, 0},
                     none);
        /* odom as the robot sees it moves the other way */
        assert_twist(&w, "base", "odom", 1, windows[k], SNT_TF_TWIST_ORIGIN, (const double[]){-1, 0, 0},
                     none);
        world_end(&w);
        /* turning in place at x = 1: the origin stands, the point passing odom's origin moves at −y */
        w = world();
        drive(&w, "odom", "base", yawed(1, 0, 0), (snt_twist){{0, 0, 0}, {0, 0, 1}});
        assert_twist(&w, "odom", "base", 1, windows[k], SNT_TF_TWIST_ORIGIN, none, spin);
        assert_twist(&w, "odom", "base", 1, windows[k], SNT_TF_TWIST_SPATIAL, (const double[]){0, -1, 0},
                     spin);
        /* a point one metre ahead goes sideways: (0, 1, 0) in the body */
        put_static(&w, "base", "ahead", at_x(1));
        assert_twist(&w, "odom", "ahead", 1, windows[k], SNT_TF_TWIST_BODY, (const double[]){0, 1, 0}, spin);
        world_end(&w);
        /* a circle of radius 2 at 2 m/s, seen through a turned static mount and an identity map */
        w = world();
        drive(&w, "odom", "base", yawed(2, 0, pi / 2), (snt_twist){{2, 0, 0}, {0, 0, 1}});
        put_static(&w, "base", "rear", yawed(0, 0, pi));
        put_static(&w, "map", "odom", yawed(10, 10, 0));
        assert_twist(&w, "map", "rear", 1.005, windows[k], SNT_TF_TWIST_BODY, (const double[]){-2, 0, 0},
                     spin);
        assert_twist(&w, "odom", "rear", 1.005, windows[k], SNT_TF_TWIST_SPATIAL, none, spin);
        assert_twist(&w, "map", "rear", 1.005, windows[k], SNT_TF_TWIST_ORIGIN,
                     (const double[]){2 * cos(pi / 2 + 1.005), 2 * sin(pi / 2 + 1.005), 0}, spin);
        world_end(&w);
    }
}

/* The analytic twist of chains with inverted edges against the difference of the poses themselves. */
static void twists_of_chains_agree_with_differences_of_poses(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 20; round++) {
        tf_world w = world();
        const char *names[] = {"a", "b", "c", "d"};
        for (int i = 0; i < 3; i++) {
            snt_twist body;
            for (int k = 0; k < 3; k++) {
                body.v[k] = rng_range(&rng, -2, 2);
                body.w[k] = rng_range(&rng, -1, 1);
            }
            drive(&w, "root", names[i],
                  yawed(rng_range(&rng, -3, 3), rng_range(&rng, -3, 3), rng_range(&rng, -3, 3)), body);
        }
        drive(&w, "c", "d", yawed(1, 1, 1), (snt_twist){{1, 2, 3}, {0.3, -0.2, 0.1}});
        put_static(&w, "d", "e", yawed(0.2, 0.1, -0.5));
        snt_tf_path *path;
        assert_status(snt_tf_buffer_path(w.b, "a", "e", &path), SNT_OK);
        const double t = rng_range(&rng, 0.1, 1.9);
        snt_tf_twist_result exact;
        snt_tf_question q;
        snt_tf_question_init(&q, sizeof q);
        q.t = S(t) / 10000000 * 10000000 + 5000000; /* mid segment */
        assert_status(snt_tf_path_twist(path, &q, 0, SNT_TF_TWIST_BODY, &exact, &w.m), SNT_OK);
        snt_tf_result lo, hi;
        const int64_t h = 100000;
        assert_status(snt_tf_path_lookup(path, q.t - h, &lo, &w.m), SNT_OK);
        assert_status(snt_tf_path_lookup(path, q.t + h, &hi, &w.m), SNT_OK);
        snt_pose between;
        snt_twist difference;
        snt_pose_between(&lo.pose, &hi.pose, &between);
        snt_pose_log(&between, 2e-9 * (double)h, &difference);
        for (int k = 0; k < 3; k++) {
            assert_near(exact.twist.v[k], difference.v[k], 1e-5);
            assert_near(exact.twist.w[k], difference.w[k], 1e-6);
        }
        snt_tf_path_destroy(path);
        world_end(&w);
    }
}

static void a_twist_across_a_correction_is_flagged(void **state)
{
    (void)state;
    tf_world w = world();
    drive(&w, "odom", "base_link", at_x(0), (snt_twist){{1, 0, 0}, {0, 0, 0}});
    for (int i = 0; i <= 20; i++) /* the localiser corrects by half a metre */
        put(&w, "map", "odom", i * 0.1, i < 10 ? 0 : 0.5);
    snt_tf_path *path;
    snt_tf_twist_result r;
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    q.t = S(0.95);
    assert_status(snt_tf_buffer_path(w.b, "map", "base_link", &path), SNT_OK);
    assert_status(snt_tf_path_twist(path, &q, 0, SNT_TF_TWIST_BODY, &r, &w.m), SNT_OK);
    assert_near(r.twist.v[0], 6, 1e-6); /* 1 m/s, and 5 m/s that nobody drove */
    assert_true(r.flags & SNT_TF_MAY_JUMP);
    assert_status(snt_tf_path_lookup(path, S(0.95), &w.r, &w.m), SNT_OK);
    assert_true(w.r.flags & SNT_TF_MAY_JUMP);
    snt_tf_path_destroy(path);
    assert_status(snt_tf_buffer_path(w.b, "odom", "base_link", &path), SNT_OK);
    assert_status(snt_tf_path_twist(path, &q, 0, SNT_TF_TWIST_BODY, &r, &w.m), SNT_OK);
    assert_int_equal(r.flags & SNT_TF_MAY_JUMP, 0);
    snt_tf_path_destroy(path);
    /* the convention can be overruled */
    snt_tf_edge_config e;
    snt_tf_edge_config_init(&e, sizeof e);
    e.may_jump = 1;
    assert_status(snt_tf_buffer_edge_configure(w.b, known(&w, "odom"), &e), SNT_OK);
    assert_int_equal(info_of(&w, "odom").may_jump, 0);
    assert_status(get(&w, "map", "base_link", 0.95), SNT_OK);
    assert_int_equal(w.r.flags & SNT_TF_MAY_JUMP, 0);
    world_end(&w);
    /* prefixed robots follow it too */
    w = world();
    put(&w, "r1/map", "r1/odom", 1, 0);
    assert_int_equal(info_of(&w, "r1/odom").may_jump, 1);
    world_end(&w);
}

static void a_twist_says_what_it_lacks(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "a", "b", 1, 0);
    snt_tf_path *path;
    snt_tf_twist_result r;
    assert_status(snt_tf_buffer_path(w.b, "a", "b", &path), SNT_OK);
    assert_status(snt_tf_path_twist(path, NULL, 0, 0, &r, &w.m), SNT_ERR_FUTURE);
    assert_int_equal(w.m.reason, SNT_TF_MISS_ONE_SAMPLE);
    assert_string_equal(why(&w), "a->b: a velocity needs two samples; transient");
    snt_tf_transform in = sample_ns(&w, "a", "b", S(2), at_x(5));
    in.flags = SNT_TF_DISCONTINUITY;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    assert_status(snt_tf_path_twist(path, NULL, 0, 0, &r, &w.m), SNT_ERR_GAP);
    put(&w, "a", "b", 3, 6);
    assert_status(snt_tf_path_twist(path, NULL, 0, 0, &r, &w.m), SNT_OK);
    assert_near(r.twist.v[0], 1, 1e-12);
    assert_i64_equal(r.from, S(2));
    assert_i64_equal(r.to, S(3));
    assert_i64_equal(r.stamp, S(3));
    assert_status(snt_tf_path_twist(path, NULL, -1, 0, &r, &w.m), SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_path_twist(path, NULL, 0, 3, &r, &w.m), SNT_ERR_INVALID_ARG);
    snt_tf_path_destroy(path);
    world_end(&w);
}

static void gaps_and_jumps_are_not_bridged(void **state)
{
    (void)state;
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.max_gap_ns = S(0.5);
    tf_world w = world_with(&cfg);
    put(&w, "a", "b", 1, 0);
    put(&w, "a", "b", 1.5, 1);
    put(&w, "a", "b", 2.5, 2);
    assert_status(get(&w, "a", "b", 1.25), SNT_OK);
    assert_i64_equal(w.r.gap_ns, S(0.5));
    assert_status(get(&w, "a", "b", 2), SNT_ERR_GAP);
    assert_i64_equal(w.m.missing_ns, S(1));
    assert_string_equal(why(&w),
                        "a->b: asked 2.000000000 lies in a gap of 1.000000000 s between 1.500000000 and "
                        "2.500000000; permanent");
    assert_status(get(&w, "a", "b", 2.5), SNT_OK); /* samples themselves are fine */
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    q.t = S(2);
    q.max_gap_ns = S(2);
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "a"), known(&w, "b"), &q, &w.r, &w.m), SNT_OK);
    assert_x(w, 1.5);
    snt_tf_transform in = sample_ns(&w, "a", "b", S(2.7), at_x(50));
    in.flags = SNT_TF_DISCONTINUITY;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    assert_status(get(&w, "a", "b", 2.69), SNT_OK);
    assert_x(w, 2);
    assert_true(w.r.flags & SNT_TF_HELD);
    assert_status(get(&w, "a", "b", 2.7), SNT_OK);
    assert_x(w, 50);
    world_end(&w);
    cfg.flags = SNT_TF_REPARENT_IS_GAP;
    w = world_with(&cfg);
    put(&w, "r", "a", 1, 0);
    put(&w, "r", "a", 1.4, 0);
    put(&w, "r", "b", 1, 0);
    put(&w, "a", "c", 1.1, 0);
    put(&w, "r", "c", 1.3, 0);
    assert_status(get(&w, "r", "c", 1.2), SNT_ERR_GAP);
    assert_status(get(&w, "r", "c", 1.1), SNT_OK);
    world_end(&w);
}

static void every_method_of_interpolation_is_available(void **state)
{
    (void)state;
    tf_world w = world();
    const snt_pose a = yawed(0, 0, 0), b = yawed(2, 1, 1.5);
    put_ns(&w, "a", "b", S(1), a);
    put_ns(&w, "a", "b", S(2), b);
    for (uint32_t method = SNT_INTERPOLATE_HOLD; method <= SNT_INTERPOLATE_SCREW; method++) {
        snt_tf_question q;
        snt_tf_question_init(&q, sizeof q);
        q.interpolation = method;
        for (int i = 0; i <= 4; i++) {
            snt_pose expected;
            q.t = S(1 + i / 4.0);
            assert_status(snt_tf_buffer_ask(w.b, known(&w, "a"), known(&w, "b"), &q, &w.r, &w.m), SNT_OK);
            assert_status(snt_pose_interpolate(&a, &b, i / 4.0, method, &expected), SNT_OK);
            assert_near(w.r.pose.t[0], expected.t[0], 1e-12);
            assert_near(w.r.pose.t[1], expected.t[1], 1e-12);
            assert_near(w.r.pose.q[2], expected.q[2], 1e-12);
        }
    }
    world_end(&w);
}

static void paths_survive_what_happens_elsewhere(void **state)
{
    (void)state;
    tf_world w = world();
    snt_tf_path *path;
    assert_status(snt_tf_buffer_path(w.b, "map", "lidar", &path), SNT_OK); /* nothing is there yet */
    assert_status(snt_tf_path_check(path), SNT_ERR_NOT_CONNECTED);
    assert_status(snt_tf_path_lookup(path, S(1), &w.r, &w.m), SNT_ERR_NOT_CONNECTED);
    assert_true(w.m.root_target == known(&w, "map") && w.m.root_source == known(&w, "lidar"));
    assert_string_equal(why(&w),
                        "map and lidar are in different trees, under the roots map and lidar; transient");
    put(&w, "map", "odom", 1, 1);
    put(&w, "odom", "base", 1, 2);
    assert_status(snt_tf_path_lookup(path, S(1), &w.r, &w.m), SNT_ERR_NOT_CONNECTED);
    put_static(&w, "base", "lidar", at_x(4));
    assert_status(snt_tf_path_lookup(path, S(1), &w.r, &w.m), SNT_OK);
    assert_x(w, 7);
    assert_status(snt_tf_path_lookup(path, S(1), &w.r, &w.m), SNT_OK); /* now resolved */
    assert_int_equal(w.r.flags & SNT_TF_STALE_PATH, 0);
    assert_status(snt_tf_path_check(path), SNT_OK);
    snt_frame edges[4];
    uint64_t n;
    assert_status(snt_tf_path_edges(path, edges, 4, &n), SNT_OK);
    assert_int_equal(n, 2);
    assert_true(edges[0] == known(&w, "odom") && edges[1] == known(&w, "base"));
    assert_status(snt_tf_path_edges(path, edges, 1, &n), SNT_ERR_BUFFER_TOO_SMALL);
    for (int i = 0; i < 50; i++) { /* others come and go */
        put_static(&w, "base", "tool", at_x(i));
        put(&w, "map", "person", i, 0);
        snt_tf_buffer_remove_frame(w.b, known(&w, i % 2 ? "tool" : "person"));
        assert_status(snt_tf_path_lookup(path, S(1), &w.r, &w.m), SNT_OK);
        assert_x(w, 7);
        assert_int_equal(w.r.flags & SNT_TF_STALE_PATH, 0);
    }
    put_static(&w, "base", "lidar", at_x(5)); /* recalibrated */
    assert_status(snt_tf_path_lookup(path, S(1), &w.r, &w.m), SNT_OK);
    assert_x(w, 8);
    assert_true(w.r.flags & SNT_TF_STALE_PATH);
    assert_status(snt_tf_path_check(path), SNT_ERR_TREE_CHANGED);
    assert_status(snt_tf_path_refresh(path), SNT_OK);
    assert_status(snt_tf_path_lookup(path, S(1), &w.r, &w.m), SNT_OK);
    assert_int_equal(w.r.flags & SNT_TF_STALE_PATH, 0);
    assert_x(w, 8);
    /* a frame of the path is removed, and its slot given to another */
    snt_tf_buffer_remove_frame(w.b, known(&w, "base"));
    assert_status(snt_tf_path_lookup(path, S(1), &w.r, &w.m), SNT_ERR_NOT_CONNECTED);
    put(&w, "odom", "impostor", 1, 100);
    assert_status(snt_tf_path_lookup(path, S(1), &w.r, &w.m), SNT_ERR_NOT_CONNECTED);
    snt_tf_buffer_remove_frame(w.b, known(&w, "lidar"));
    assert_status(snt_tf_path_lookup(path, S(1), &w.r, &w.m), SNT_ERR_NOT_FOUND);
    assert_true(w.m.source == 0 && w.m.target != 0);
    assert_string_equal(why(&w), "unknown frame: source; transient");
    snt_tf_path_destroy(path);
    world_end(&w);
}

static void a_path_follows_a_reparented_frame_in_time(void **state)
{
    (void)state;
    tf_world w = world(); /* a box is carried from shelf to shelf */
    for (int t = 0; t <= 10; t++) {
        put(&w, "world", "shelf", t, 100);
        put(&w, "world", "robot", t, t);
    }
    put(&w, "shelf", "box", 1, 1);
    put(&w, "shelf", "box", 3, 1);
    put(&w, "robot", "box", 4, 0.5);
    put(&w, "robot", "box", 6, 0.5);
    snt_tf_path *path;
    assert_status(snt_tf_buffer_path(w.b, "world", "box", &path), SNT_OK);
    static const double times[] = {1, 2, 3.5, 4, 5}, x[] = {101, 101, 101, 4.5, 5.5};
    for (int i = 0; i < 5; i++) {
        assert_status(snt_tf_path_lookup(path, S(times[i]), &w.r, &w.m), SNT_OK);
        assert_x(w, x[i]);
        assert_status(get(&w, "world", "box", times[i]), SNT_OK);
        assert_x(w, x[i]);
    }
    snt_tf_path_destroy(path);
    /* old parents may be removed: what hung on them is forgotten */
    assert_status(snt_tf_buffer_remove_frame(w.b, known(&w, "shelf")), SNT_OK);
    assert_status(get(&w, "world", "box", 2), SNT_ERR_PAST);
    assert_status(get(&w, "world", "box", 5), SNT_OK);
    world_end(&w);
}

static void bounds_follow_from_what_is_declared(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "a", "b", 1, 0);
    put(&w, "a", "b", 2, 10);
    assert_status(get(&w, "a", "b", 1.5), SNT_OK); /* nothing declared: no bound is claimed */
    assert_int_equal(w.r.flags & (SNT_TF_BOUND_TIME | SNT_TF_BOUND_INTERPOLATION), 0);
    assert_true(w.r.pos_err == 0 && w.r.rot_err == 0);
    world_end(&w);

    w = world();
    for (int i = 1; i <= 2; i++) {
        snt_tf_transform in = sample_ns(&w, "a", "b", S(i), at_x(10 * i));
        in.err_ns = 1000000;
        assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    }
    assert_status(get(&w, "a", "b", 1.5), SNT_OK); /* ±1 ms at 10 m/s */
    assert_int_equal(w.r.flags & (SNT_TF_BOUND_TIME | SNT_TF_BOUND_INTERPOLATION), SNT_TF_BOUND_TIME);
    assert_near(w.r.pos_err, 0.010 * 1 / 0.998, 1e-8);
    snt_tf_edge_config e;
    snt_tf_edge_config_init(&e, sizeof e);
    e.max_accel = 2;
    e.max_angular_accel = 1;
    assert_status(snt_tf_buffer_edge_configure(w.b, known(&w, "b"), &e), SNT_OK);
    assert_status(get(&w, "a", "b", 1.5), SNT_OK); /* and 2 m/s² · (1 s)²/8 between samples */
    assert_int_equal(w.r.flags & (SNT_TF_BOUND_TIME | SNT_TF_BOUND_INTERPOLATION),
                     SNT_TF_BOUND_TIME | SNT_TF_BOUND_INTERPOLATION);
    assert_true(w.r.pos_err > 0.26 && w.r.pos_err < 0.265);
    assert_near(w.r.rot_err, 1 / 8.0 * (1 + 0.502) + 0.001 * 0.502, 1e-6);
    /* a lever arm of 4 m turns the rotation into position */
    put_static(&w, "b", "tip", at_x(4));
    const double pos = w.r.pos_err, rot = w.r.rot_err;
    assert_status(get(&w, "a", "tip", 1.5), SNT_OK);
    assert_near(w.r.pos_err, pos + 4 * rot, 1e-6);
    assert_status(get(&w, "tip", "a", 1.5), SNT_OK); /* seen from the tip a is 19 m away from b */
    assert_near(w.r.pos_err, pos + 15 * rot, 1e-6);
    snt_tf_question q; /* an uncertain question adds its own */
    snt_tf_question_init(&q, sizeof q);
    q.t = S(1.5);
    q.err_ns = 1000000;
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "a"), known(&w, "b"), &q, &w.r, &w.m), SNT_OK);
    assert_true(w.r.pos_err > pos + 0.0100 && w.r.pos_err < pos + 0.012);
    world_end(&w);

    w = world(); /* static chains are exact */
    put_static(&w, "a", "b", at_x(1));
    assert_status(get(&w, "a", "b", 1), SNT_OK);
    assert_true((w.r.flags & SNT_TF_BOUND_TIME) && (w.r.flags & SNT_TF_BOUND_INTERPOLATION) &&
                w.r.pos_err == 0);
    world_end(&w);
}

static const char *dump(tf_world *w, uint64_t (*what)(snt_tf_buffer *, char *, uint64_t), char *text,
                        uint64_t capacity)
{
    const uint64_t length = what(w->b, NULL, 0);
    assert_true(length + 1 <= capacity);
    assert_int_equal(what(w->b, text, capacity), length);
    assert_int_equal(strlen(text), length);
    return text;
}

/* The shape of JSON: strings closed, brackets paired. A full parse is made where python or jq is at hand. */
static void assert_json(const char *text)
{
    char open[64];
    int depth = 0;
    for (const char *p = text; *p; p++) {
        if (*p == '"') {
            for (p++; *p && *p != '"'; p++) {
                assert_true((unsigned char)*p >= 0x20);
                p += *p == '\\';
            }
            assert_true(*p == '"');
        } else if (*p == '{' || *p == '[') {
            open[depth++] = *p;
            assert_true(depth < 64);
        } else if (*p == '}' || *p == ']') {
            assert_true(depth > 0 && open[--depth] == (*p == '}' ? '{' : '['));
        }
    }
    assert_int_equal(depth, 0);
}

static void run_parser(const char *probe, const char *command, const char *text)
{
    if (system(probe) != 0) {
        printf("# not at hand, skipped: %s\n", command);
        return;
    }
    FILE *pipe = popen(command, "w");
    assert_non_null(pipe);
    fputs(text, pipe);
    assert_int_equal(pclose(pipe), 0);
}

static void dumps_parse_whatever_the_names(void **state)
{
    (void)state;
    static char text[65536];
    tf_world w = world();
    uint32_t ekf;
    assert_status(snt_tf_buffer_authority(w.b, "ekf \"one\"", &ekf), SNT_OK);
    for (int i = 0; i < 10; i++) {
        snt_tf_transform in = sample_ns(&w, "map", "odom", S(i), at_x(i));
        in.authority = ekf;
        snt_tf_buffer_insert(w.b, &in, NULL);
    }
    put_static(&w, "odom", "quote\"back\\slash", at_x(0));
    put_static(&w, "odom", "line\nbreak\ttab", at_x(0));
    put_static(&w, "odom", "caf\xc3\xa9 \xff\xc0\x80", at_x(0)); /* good and bad UTF-8 */
    frame(&w, "lonely");
    const char *json = dump(&w, snt_tf_buffer_dump_json, text, sizeof text);
    assert_json(json);
    assert_non_null(
        strstr(json, "\"frame\":\"odom\",\"parent\":\"map\",\"kind\":\"dynamic\",\"may_jump\":true"));
    assert_non_null(strstr(json, "\"newest_ns\":\"9000000000\""));
    assert_non_null(strstr(json, "ekf \\\"one\\\""));
    assert_non_null(strstr(json, "\xef\xbf\xbd"));
    run_parser("command -v python3 >/dev/null 2>&1",
               "python3 -c 'import json,sys; d=json.loads(sys.stdin.buffer.read().decode(\"utf-8\")); "
               "assert len(d[\"frames\"])==6'",
               json);
    const char *dot = dump(&w, snt_tf_buffer_dump_dot, text, sizeof text);
    assert_non_null(strstr(dot, "\"map\" -> \"odom\" [label=\"dynamic"));
    assert_non_null(strstr(dot, "style=dashed"));
    run_parser("command -v dot >/dev/null 2>&1", "dot -Tcanon >/dev/null", dot);
    char small[10] = "xxxxxxxxx";
    const uint64_t whole = snt_tf_buffer_dump_json(w.b, small, 5);
    assert_true(whole > 100 && strlen(small) == 4 && small[5] == 'x');
    world_end(&w);
}

static uint64_t lint(tf_world *w, uint32_t code, snt_tf_finding *found)
{
    snt_tf_finding all[16];
    uint64_t n, hits = 0;
    assert_status(snt_tf_buffer_lint(w->b, 0, all, 16, &n), SNT_OK);
    for (uint64_t i = 0; i < n; i++) {
        if (all[i].code == code) {
            *found = all[i];
            hits++;
        }
    }
    return hits;
}

static void the_lint_finds_what_breaks_rep_105(void **state)
{
    (void)state;
    snt_tf_finding f;
    char line[256];
    tf_world w = world(); /* a healthy tree */
    for (int i = 0; i <= 100; i++) {
        put(&w, "map", "odom", i * 0.1, i * 0.001);
        put(&w, "odom", "base_link", i * 0.1, i * 0.1);
    }
    put_static(&w, "base_link", "lidar", at_x(1));
    uint64_t n = 99;
    assert_status(snt_tf_buffer_lint(w.b, 0, NULL, 0, &n), SNT_OK);
    assert_int_equal(n, 0);
    put(&w, "odom", "base_link", 10.1, 50); /* the odometry jumps */
    assert_int_equal(lint(&w, SNT_TF_LINT_ODOM_JUMPS, &f), 1);
    assert_near(f.value, 400, 1e-6);
    assert_i64_equal(f.stamp, S(10.1));
    put_static(&w, "base_link", "lidar", at_x(2));
    assert_int_equal(lint(&w, SNT_TF_LINT_STATIC_MOVES, &f), 1);
    snt_tf_transform in = sample_ns(&w, "map", "odom", S(10.2), at_x(0));
    in.authority = 1;
    uint32_t amcl;
    assert_status(snt_tf_buffer_authority(w.b, "amcl", &amcl), SNT_OK);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    assert_int_equal(lint(&w, SNT_TF_LINT_PUBLISHERS, &f), 1);
    assert_status(snt_tf_finding_format(w.b, &f, line, sizeof line), SNT_OK);
    assert_string_equal(line, "map->odom: 2 publishers, among them unnamed and amcl; one must stop");
    for (int i = 0; i < 20; i++)
        put(&w, "base_link", "camera", i * 0.1, 3);
    assert_int_equal(lint(&w, SNT_TF_LINT_STATIC_WANTED, &f), 1);
    assert_true(f.child == known(&w, "camera"));
    put(&w, "other", "island", 1, 0);
    assert_int_equal(lint(&w, SNT_TF_LINT_ROOTS, &f), 1);
    put(&w, "base_link", "camera", -100, 0);
    assert_int_equal(lint(&w, SNT_TF_LINT_REFUSED, &f), 1);
    for (uint32_t code = 1; code <= SNT_TF_LINT_REFUSED; code++) {
        f.code = code;
        assert_status(snt_tf_finding_format(w.b, &f, line, sizeof line), SNT_OK);
        assert_true(strlen(line) > 5);
        assert_status(snt_tf_finding_format(w.b, &f, line, 5), SNT_ERR_BUFFER_TOO_SMALL);
        assert_int_equal(strlen(line), 4);
    }
    world_end(&w);
    w = world();
    put(&w, "odom", "map", 1, 0); /* upside down */
    put(&w, "base_link", "odom", 1, 0);
    assert_int_equal(lint(&w, SNT_TF_LINT_ORDER, &f), 2);
    world_end(&w);
}

static void settings_out_of_range_are_refused(void **state)
{
    (void)state;
    snt_tf_buffer_config cfg;
    snt_tf_buffer *b = (void *)&cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.max_frames = 1;
    assert_status(snt_tf_buffer_create(&cfg, NULL, &b), SNT_ERR_RANGE);
    assert_null(b);
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.keep_ns = -1;
    assert_status(snt_tf_buffer_create(&cfg, NULL, &b), SNT_ERR_RANGE);
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.interpolation = 9;
    assert_status(snt_tf_buffer_create(&cfg, NULL, &b), SNT_ERR_RANGE);
    cfg.struct_size = 8;
    assert_status(snt_tf_buffer_create(&cfg, NULL, &b), SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_buffer_create(NULL, NULL, NULL), SNT_ERR_INVALID_ARG);
    uint64_t bytes, more;
    assert_status(snt_tf_buffer_size(NULL, &bytes), SNT_OK);
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.max_samples *= 2;
    assert_status(snt_tf_buffer_size(&cfg, &more), SNT_OK);
    assert_int_equal(more - bytes, 131072 * 72);
    tf_world w = world();
    put(&w, "a", "b", 1, 0);
    snt_tf_edge_config e;
    snt_tf_edge_config_init(&e, sizeof e);
    e.max_accel = NAN;
    assert_status(snt_tf_buffer_edge_configure(w.b, known(&w, "b"), &e), SNT_ERR_NON_FINITE);
    e.max_accel = -1;
    assert_status(snt_tf_buffer_edge_configure(w.b, known(&w, "b"), &e), SNT_ERR_RANGE);
    e.max_accel = 0;
    e.keep_ns = S(1);
    assert_status(snt_tf_buffer_edge_configure(w.b, known(&w, "b"), &e), SNT_OK);
    put(&w, "a", "b", 2, 0);
    put(&w, "a", "b", 2.5, 0);
    assert_status(get(&w, "a", "b", 1), SNT_ERR_PAST);
    assert_status(snt_tf_buffer_edge_configure(w.b, 0, &e), SNT_ERR_NOT_FOUND);
    assert_status(snt_tf_buffer_reserve(w.b, known(&w, "a"), 100), SNT_OK);
    assert_status(snt_tf_buffer_reserve(w.b, known(&w, "a"), 128), SNT_OK);
    assert_status(snt_tf_buffer_reserve(w.b, known(&w, "a"), 300), SNT_ERR_CONFLICT);
    assert_int_equal(info_of(&w, "a").capacity, 128);
    snt_frame root;
    assert_status(snt_tf_buffer_root(w.b, known(&w, "b"), &root), SNT_OK);
    assert_true(root == known(&w, "a"));
    snt_frame parent;
    assert_status(snt_tf_buffer_parent(w.b, known(&w, "a"), &parent), SNT_OK);
    assert_true(parent == 0);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_right_for_a_turned_robot),
        cmocka_unit_test(twists_of_chains_agree_with_differences_of_poses),
        cmocka_unit_test(a_twist_across_a_correction_is_flagged),
        cmocka_unit_test(a_twist_says_what_it_lacks),
        cmocka_unit_test(gaps_and_jumps_are_not_bridged),
        cmocka_unit_test(every_method_of_interpolation_is_available),
        cmocka_unit_test(paths_survive_what_happens_elsewhere),
        cmocka_unit_test(a_path_follows_a_reparented_frame_in_time),
        cmocka_unit_test(bounds_follow_from_what_is_declared),
        cmocka_unit_test(dumps_parse_whatever_the_names),
        cmocka_unit_test(the_lint_finds_what_breaks_rep_105),
        cmocka_unit_test(settings_out_of_range_are_refused),
    };
    return cmocka_run_group_tests_name("tf_motion", tests, NULL, NULL);
}
