/* SPDX-License-Identifier: BSD-3-Clause */
/* What an independent implementation of tf2's buffer has to answer: its test cases, written anew. */
#include "tf_world.h"

static const double half = 0.70710678118654752440;

/* ---- one edge (cache_unittest) ---- */

/* x at each stamp tells which sample is held there. */
static void assert_history(tf_world *w, const int64_t *stamps, const double *x, int n)
{
    const snt_tf_edge_info info = info_of(w, "b");
    assert_i64_equal(info.oldest, stamps[n - 1]);
    assert_i64_equal(info.newest, stamps[0]);
    for (int i = 0; i < n; i++) {
        assert_status(get_ns(w, "a", "b", stamps[i]), SNT_OK);
        assert_x(*w, x[i]);
    }
    /* no further sample lies between: halfway between neighbours is their mean */
    for (int i = 0; i + 1 < n; i++) {
        if (stamps[i] - stamps[i + 1] < 2)
            continue;
        const int64_t mid = (stamps[i] + stamps[i + 1]) / 2;
        const double s = (double)(mid - stamps[i + 1]) / (double)(stamps[i] - stamps[i + 1]);
        assert_status(get_ns(w, "a", "b", mid), SNT_OK);
        assert_x(*w, x[i + 1] + s * (x[i] - x[i + 1]));
    }
}

static void get_all_items_keeps_what_the_window_keeps(void **state)
{
    (void)state;
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.keep_ns = 10;
    tf_world w = world_with(&cfg);
    const int64_t order[] = {0, 10, 5, 3, 8, 8, 8};
    const double value[] = {100, 110, 105, 103, 1, 2, 3};
    for (int repeat = 0; repeat < 2; repeat++)
        for (int i = 0; i < 7; i++)
            assert_status(put_ns(&w, "a", "b", order[i], at_x(value[i])), SNT_OK);
    /* newest − oldest equal to the limit is kept; of three at 8 the last counts */
    assert_history(&w, (const int64_t[]){10, 8, 5, 3, 0}, (const double[]){110, 3, 105, 103, 100}, 5);
    assert_status(put_ns(&w, "a", "b", 15, at_x(115)), SNT_OK);
    assert_status(put_ns(&w, "a", "b", 0, at_x(7)), SNT_ERR_PAST);
    assert_status(put_ns(&w, "a", "b", 5, at_x(7)), SNT_OK);
    assert_history(&w, (const int64_t[]){15, 10, 8, 5}, (const double[]){115, 110, 3, 7}, 4);
    assert_status(get_ns(&w, "a", "b", 4), SNT_ERR_PAST);
    world_end(&w);
}

static void stamps_come_back_whatever_the_order_of_insertion(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int order = 0; order < 3; order++) {
        tf_world w = world();
        int64_t stamps[99];
        for (int i = 0; i < 99; i++)
            stamps[i] = order == 1 ? 99 - i : i + 1;
        for (int i = 98; order == 2 && i > 0; i--) {
            const int j = (int)rng_below(&rng, (uint64_t)i + 1);
            const int64_t swap = stamps[i];
            stamps[i] = stamps[j];
            stamps[j] = swap;
        }
        for (int i = 0; i < 99; i++)
            assert_status(put_ns(&w, "a", "b", stamps[i], at_x((double)stamps[i])), SNT_OK);
        for (int64_t t = 1; t <= 99; t++) {
            assert_status(get_ns(&w, "a", "b", t), SNT_OK);
            assert_true(w.r.pose.t[0] == (double)t);
        }
        assert_int_equal(info_of(&w, "b").samples, 99);
        world_end(&w);
    }
}

static void repeated_samples_are_one(void **state)
{
    (void)state;
    tf_world w = world();
    for (int i = 0; i < 99; i++)
        assert_status(put(&w, "a", "b", 1, 5), SNT_OK);
    assert_true(w.effect & SNT_TF_SAME);
    assert_int_equal(info_of(&w, "b").samples, 1);
    assert_int_equal(info_of(&w, "b").same, 98);
    assert_status(get(&w, "a", "b", 1), SNT_OK);
    assert_true(w.r.pose.q[3] == 1);
    snt_pose minus = at_x(5);
    minus.q[3] = -1; /* the same rotation */
    assert_status(put_ns(&w, "a", "b", S(1), minus), SNT_OK);
    assert_true(w.effect & SNT_TF_SAME);
    world_end(&w);
}

static void latest_follows_each_insert(void **state)
{
    (void)state;
    tf_world w = world();
    for (int i = 1; i < 50; i++) {
        assert_status(put(&w, "a", "b", i, i), SNT_OK);
        assert_status(latest(&w, "a", "b"), SNT_OK);
        assert_i64_equal(w.r.stamp, S(i));
        assert_x(w, i);
    }
    world_end(&w);
}

static void translation_is_linear_and_rotation_slerp(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    tf_world w = world();
    for (int round = 0; round < 50; round++) {
        const int64_t base = 1000 * (round + 1);
        snt_pose a = at_x(rng_range(&rng, -5, 5)), b = a;
        double axis[3] = {rng_normal(&rng), rng_normal(&rng), rng_normal(&rng)}, q[4];
        snt_rotation_exp(axis, q);
        snt_pose turn = {{q[0], q[1], q[2], q[3]}, {0, 0, 0}};
        snt_pose_compose(&a, &turn, &b);
        for (int i = 0; i < 3; i++)
            b.t[i] = rng_range(&rng, -5, 5);
        assert_status(put_ns(&w, "p", "c", base, a), SNT_OK);
        assert_status(put_ns(&w, "p", "c", base + 100, b), SNT_OK);
        for (int i = 0; i <= 100; i++) {
            snt_pose expected;
            assert_status(get_ns(&w, "p", "c", base + i), SNT_OK);
            assert_status(snt_pose_interpolate(&a, &b, i / 100.0, SNT_INTERPOLATE_LINEAR, &expected), SNT_OK);
            double d = 0;
            for (int k = 0; k < 4; k++)
                d += w.r.pose.q[k] * expected.q[k];
            assert_near(fabs(d), 1, 1e-12);
            for (int k = 0; k < 3; k++)
                assert_near(w.r.pose.t[k], expected.t[k], 1e-12);
        }
    }
    world_end(&w);
}

static void between_two_parents_the_older_is_held(void **state)
{
    (void)state;
    tf_world w = world();
    assert_status(put_ns(&w, "r", "p4", 0, at_x(0)), SNT_OK);
    assert_status(put_ns(&w, "r", "p4", 2000, at_x(0)), SNT_OK);
    assert_status(put_ns(&w, "r", "p5", 0, at_x(100)), SNT_OK);
    assert_status(put_ns(&w, "r", "p5", 2000, at_x(100)), SNT_OK);
    assert_status(put_ns(&w, "p4", "c", 555, at_x(2)), SNT_OK);
    assert_status(put_ns(&w, "p5", "c", 655, at_x(3)), SNT_OK);
    assert_true(w.effect & SNT_TF_REPARENTED);
    for (int64_t t = 555; t < 655; t++) {
        assert_status(get_ns(&w, "r", "c", t), SNT_OK);
        assert_x(w, 2);
    }
    assert_true(w.r.flags & SNT_TF_HELD);
    assert_status(get_ns(&w, "r", "c", 655), SNT_OK);
    assert_x(w, 103);
    world_end(&w);
}

static void an_empty_or_single_edge_says_so(void **state)
{
    (void)state;
    tf_world w = world();
    assert_status(get(&w, "a", "b", 1), SNT_ERR_NOT_FOUND);
    assert_int_equal(snt_tf_miss_tf2_code(&w.m), 1);
    assert_status(put(&w, "a", "b", 2, 7), SNT_OK);
    assert_status(get(&w, "a", "b", 2), SNT_OK);
    assert_x(w, 7);
    assert_status(get(&w, "a", "b", 4), SNT_ERR_FUTURE);
    assert_int_equal(snt_tf_miss_tf2_code(&w.m), 9);
    assert_status(put(&w, "a", "b", 3, 8), SNT_OK);
    assert_status(get(&w, "a", "b", 1), SNT_ERR_PAST);
    assert_int_equal(snt_tf_miss_tf2_code(&w.m), 7);
    assert_true(w.m.permanent);
    assert_status(get(&w, "a", "b", 4), SNT_ERR_FUTURE);
    assert_int_equal(snt_tf_miss_tf2_code(&w.m), 8);
    assert_false(w.m.permanent);
    assert_status(snt_tf_buffer_clear_dynamic(w.b), SNT_OK);
    assert_status(get(&w, "a", "b", 2), SNT_ERR_FUTURE);
    assert_int_equal(w.m.reason, SNT_TF_MISS_NO_DATA);
    assert_int_equal(snt_tf_miss_tf2_code(&w.m), 9);
    assert_string_equal(why(&w), "a->b: no sample yet, or none since the history was cleared; transient");
    snt_time newest = 77;
    assert_status(snt_tf_buffer_newest(w.b, known(&w, "b"), &newest), SNT_EMPTY);
    assert_i64_equal(newest, 77);
    world_end(&w);
}

static void the_window_is_exact_to_the_nanosecond(void **state)
{
    (void)state;
    tf_world w = world();
    assert_status(put(&w, "a", "b", 12, 0), SNT_OK);
    assert_status(put(&w, "a", "b", 1, 0), SNT_ERR_PAST);
    assert_status(put_ns(&w, "a", "b", S(2) - 1, at_x(0)), SNT_ERR_PAST);
    assert_status(put_ns(&w, "a", "b", S(2), at_x(5)), SNT_OK);
    assert_status(get(&w, "a", "b", 2), SNT_OK);
    assert_x(w, 5);
    assert_int_equal(info_of(&w, "b").refused_past, 2);
    assert_int_equal(info_of(&w, "b").last_refusal, SNT_ERR_PAST);
    world_end(&w);
}

/* ---- static edges ---- */

static void the_last_static_holds_at_any_time(void **state)
{
    (void)state;
    tf_world w = world();
    assert_status(put_static(&w, "a", "b", at_x(1)), SNT_OK);
    assert_true(w.effect & SNT_TF_CREATED);
    assert_status(put_static(&w, "a", "b", at_x(2)), SNT_OK);
    assert_true(w.effect & SNT_TF_CHANGED);
    assert_status(put_static(&w, "a", "b", at_x(2)), SNT_OK);
    assert_true(w.effect & SNT_TF_SAME);
    const double times[] = {0, -5, 1e9};
    for (int i = 0; i < 3; i++) {
        assert_status(get(&w, "a", "b", times[i]), SNT_OK);
        assert_x(w, 2);
        assert_i64_equal(w.r.stamp, S(times[i]));
        assert_true(w.r.flags & SNT_TF_ALL_STATIC);
    }
    assert_status(latest(&w, "a", "b"), SNT_OK);
    assert_true(w.r.flags & SNT_TF_ALL_STATIC);
    assert_i64_equal(w.r.stamp, SNT_TIME_INFINITE_FUTURE);
    world_end(&w);
}

/* ---- refusals (buffer_core_test) ---- */

static void bad_transforms_are_refused_with_the_reason(void **state)
{
    (void)state;
    tf_world w = world();
    snt_tf_transform in;
    snt_tf_transform_init(&in, 0, 0, S(1));
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_NOT_FOUND); /* default-constructed */
    const snt_frame a = frame(&w, "a"), b = frame(&w, "b");
    snt_tf_transform_init(&in, a, b, S(1));
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    in.stamp = S(2);
    in.pose.q[3] = 0;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_BAD_QUATERNION);
    in.pose = at_x(NAN);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_NON_FINITE);
    in.pose = at_x(INFINITY);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_NON_FINITE);
    in.pose = at_x(0);
    in.pose.q[0] = NAN;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_NON_FINITE);
    in.pose = at_x(0);
    in.child = a;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_CYCLE); /* self */
    in.child = b;
    in.stamp = INT64_MAX;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_INVALID_ARG);
    in.stamp = S(2);
    in.err_ns = -1;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_INVALID_ARG);
    in.err_ns = SNT_UNKNOWN;
    in.flags = 128;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_buffer_insert(NULL, &in, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_buffer_insert(w.b, NULL, NULL), SNT_ERR_INVALID_ARG);
    const snt_tf_edge_info info = info_of(&w, "b");
    assert_int_equal(info.samples, 1);
    assert_int_equal(info.refused_value, 4);
    assert_int_equal(info.last_refusal, SNT_ERR_NON_FINITE);
    assert_i64_equal(info.last_refusal_stamp, S(2));
    world_end(&w);
}

static void names_follow_the_slash_policy(void **state)
{
    (void)state;
    tf_world w = world();
    snt_frame f, g;
    assert_status(snt_tf_buffer_frame(w.b, "", &f), SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_buffer_frame(w.b, "/", &f), SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_buffer_frame(w.b, "/a", &f), SNT_OK);
    assert_status(snt_tf_buffer_find(w.b, "a", &g), SNT_OK);
    assert_true(f == g);
    assert_status(snt_tf_buffer_find(w.b, "/a", &g), SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_buffer_find(w.b, "nobody", &g), SNT_ERR_NOT_FOUND);
    char long_name[80];
    memset(long_name, 'x', sizeof long_name);
    long_name[63] = 0;
    assert_status(snt_tf_buffer_frame(w.b, long_name, &f), SNT_OK);
    char back[64];
    assert_status(snt_tf_buffer_frame_name(w.b, f, back, sizeof back), SNT_OK);
    assert_string_equal(back, long_name);
    assert_status(snt_tf_buffer_frame_name(w.b, f, back, 63), SNT_ERR_BUFFER_TOO_SMALL);
    long_name[63] = 'x';
    long_name[64] = 0;
    assert_status(snt_tf_buffer_frame(w.b, long_name, &f), SNT_ERR_RANGE);
    assert_status(snt_tf_buffer_find(w.b, long_name, &f), SNT_ERR_NOT_FOUND);
    world_end(&w);
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.slash = SNT_TF_SLASH_KEEP;
    w = world_with(&cfg);
    assert_status(snt_tf_buffer_frame(w.b, "/a", &f), SNT_OK);
    assert_status(snt_tf_buffer_find(w.b, "a", &g), SNT_ERR_NOT_FOUND);
    world_end(&w);
    cfg.slash = SNT_TF_SLASH_REFUSE;
    w = world_with(&cfg);
    assert_status(snt_tf_buffer_frame(w.b, "/a", &f), SNT_ERR_INVALID_ARG);
    world_end(&w);
}

static void unit_quaternions_keep_their_bits_and_others_are_normalised(void **state)
{
    (void)state;
    tf_world w = world();
    const snt_pose odd = {{0.5, 0.5, 0.5, 0.5}, {0.1, 0.2, 0.3}};
    assert_status(put_ns(&w, "a", "b", 5, odd), SNT_OK);
    assert_status(get_ns(&w, "a", "b", 5), SNT_OK);
    assert_memory_equal(&w.r.pose, &odd, sizeof odd);
    snt_pose off = at_x(1);
    off.q[3] = sqrt(1.0099);
    assert_status(put_ns(&w, "a", "b", 6, off), SNT_OK);
    assert_status(get_ns(&w, "a", "b", 6), SNT_OK);
    assert_near(w.r.pose.q[3], 1, 1e-15);
    world_end(&w);
}

/* ---- trees (buffer_core_test configurations) ---- */

typedef struct tree_edge {
    const char *parent, *child;
    snt_pose pose;
} tree_edge;

/* All ordered pairs of frames, by walking the edges in long-hand. */
static bool tree_expected(const tree_edge *edges, int n, const char *target, const char *source,
                          snt_pose *out)
{
    snt_pose up_source = {{0, 0, 0, 1}, {0, 0, 0}}, up_target = up_source;
    const char *names[2] = {source, target};
    snt_pose *poses[2] = {&up_source, &up_target};
    for (int side = 0; side < 2; side++) {
        for (bool moved = true; moved;) {
            moved = false;
            for (int i = 0; i < n && !moved; i++) {
                if (strcmp(edges[i].child, names[side]) == 0) {
                    snt_pose_compose(&edges[i].pose, poses[side], poses[side]);
                    names[side] = edges[i].parent;
                    moved = true;
                }
            }
        }
    }
    snt_pose inverse;
    snt_pose_inverse(&up_target, &inverse);
    snt_pose_compose(&inverse, &up_source, out);
    return strcmp(names[0], names[1]) == 0;
}

static void assert_tree(const tree_edge *edges, int n, bool statics)
{
    static const double spacings[] = {1, 0.001, 0.1}, times[] = {1, 10};
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 2; j++) {
            tf_world w = world();
            for (int i = 0; i < n; i++) {
                if (statics && i % 2) {
                    assert_status(put_static(&w, edges[i].parent, edges[i].child, edges[i].pose), SNT_OK);
                    continue;
                }
                assert_status(
                    put_ns(&w, edges[i].parent, edges[i].child, S(times[j] - spacings[k]), edges[i].pose),
                    SNT_OK);
                assert_status(
                    put_ns(&w, edges[i].parent, edges[i].child, S(times[j] + spacings[k]), edges[i].pose),
                    SNT_OK);
            }
            for (int a = 0; a < 2 * n; a++) {
                for (int c = 0; c < 2 * n; c++) {
                    const char *target = a % 2 ? edges[a / 2].child : edges[a / 2].parent;
                    const char *source = c % 2 ? edges[c / 2].child : edges[c / 2].parent;
                    snt_pose expected;
                    const bool connected = tree_expected(edges, n, target, source, &expected);
                    const snt_status status = get(&w, target, source, times[j]);
                    assert_status(
                        snt_tf_buffer_can(w.b, known(&w, target), known(&w, source), S(times[j]), NULL),
                        status);
                    if (!connected) {
                        assert_status(status, SNT_ERR_NOT_CONNECTED);
                        continue;
                    }
                    assert_status(status, SNT_OK);
                    assert_i64_equal(w.r.stamp, S(times[j]));
                    double d = 0;
                    for (int i = 0; i < 4; i++)
                        d += w.r.pose.q[i] * expected.q[i];
                    assert_near(fabs(d), 1, 1e-12);
                    for (int i = 0; i < 3; i++)
                        assert_near(w.r.pose.t[i], expected.t[i], 1e-12);
                    assert_status(latest(&w, target, source), SNT_OK);
                    assert_near(w.r.pose.t[1], expected.t[1], 1e-12);
                }
            }
            world_end(&w);
        }
    }
}

static void trees_answer_between_all_pairs_of_frames(void **state)
{
    (void)state;
    const snt_pose p = {{0, 0, half, half}, {1, 2, 0}}, q = {{half, 0, 0, half}, {0, -1, 3}};
    const tree_edge one[] = {{"a", "b", p}};
    const tree_edge line[] = {{"a", "b", p}, {"b", "c", q}, {"c", "d", p}};
    const tree_edge vee[] = {{"a", "b", p}, {"b", "c", q}, {"a", "d", p}, {"d", "e", q}};
    const tree_edge why_tree[] = {{"a", "b", p}, {"b", "c", q}, {"b", "d", p}};
    const tree_edge two[] = {{"a", "b", p}, {"b", "c", q}, {"x", "y", p}, {"y", "z", q}};
    /* compound_xfm: root→a, root→b→c→d */
    const snt_pose c1 = {{half, 0, 0, half}, {0, 1, 2}}, c2 = {{0.5, 0.5, 0.5, 0.5}, {-1, 0, 1}};
    const tree_edge compound[] = {{"root", "a", p}, {"root", "b", q}, {"b", "c", c1}, {"c", "d", c2}};
    for (int statics = 0; statics < 2; statics++) {
        assert_tree(one, 1, statics);
        assert_tree(line, 3, statics);
        assert_tree(vee, 4, statics);
        assert_tree(why_tree, 3, statics);
        assert_tree(two, 4, statics);
        assert_tree(compound, 4, statics);
    }
}

/* Both chains write the child "b" at equal stamps with different parents: the last write wins. */
static void ring_45_wants_the_last_write_at_an_equal_stamp(void **state)
{
    (void)state;
    const snt_pose link = {{0, 0, sin(0.392699081698724154808), cos(0.392699081698724154808)},
                           {half - 1, half, 0}};
    tf_world w = world();
    const char *first[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    const char *second[] = {"a", "h", "g", "f", "e", "d", "c", "b"};
    snt_pose inverse;
    snt_pose_inverse(&link, &inverse);
    for (int i = 1; i < 8; i++)
        for (int t = 0; t < 2; t++)
            assert_status(put_ns(&w, first[i - 1], first[i], S(t), link), SNT_OK);
    /* now the other way round the ring; each step hangs a frame of the old chain elsewhere */
    for (int i = 1; i < 8; i++)
        for (int t = 0; t < 2; t++)
            (void)put_ns(&w, second[i - 1], second[i], S(t), inverse);
    for (int i = 1; i < 8; i++) { /* chains of 1..7 links of 45 degrees in the tree as it is now */
        assert_status(get(&w, "a", second[i], 0.5), SNT_OK);
        const double yaw = -0.78539816339744830962 * i;
        assert_near(fabs(w.r.pose.q[2]), fabs(sin(yaw / 2)), 1e-12);
        assert_status(get(&w, "a", second[i], 1), SNT_OK);
        assert_near(fabs(w.r.pose.q[2]), fabs(sin(yaw / 2)), 1e-12);
    }
    world_end(&w);
}

/* ---- times ---- */

static void a_helix_is_followed_at_half_steps(void **state)
{
    (void)state;
    tf_world w = world();
    const double step = 0.05;
    for (int i = 0; i <= 100; i++) {
        const double t = i * step;
        snt_pose p = yawed(sin(t), cos(t), t);
        assert_status(put_ns(&w, "b", "c", S(t), (snt_pose){{0, 0, 0, 1}, {0, 0, t}}), SNT_OK);
        assert_status(put_ns(&w, "a", "b", S(t), p), SNT_OK);
        assert_status(put_ns(&w, "a", "d", S(t) + S(step) / 2, p), SNT_OK);
    }
    for (int i = 1; i < 100; i++) {
        const double t = i * step + step / 2;
        assert_status(get(&w, "a", "c", t), SNT_OK);
        assert_near(w.r.pose.t[0], (sin(t - step / 2) + sin(t + step / 2)) / 2, 1e-12);
        assert_near(w.r.pose.t[2], t, 1e-9);
        /* between two times through the fixed frame a */
        assert_status(snt_tf_buffer_lookup_fixed(w.b, known(&w, "b"), S(t - step / 2), known(&w, "d"), S(t),
                                                 known(&w, "a"), &w.r, &w.m),
                      SNT_OK);
        assert_near(w.r.pose.t[0], 0, 2e-5); /* d at t is where b was half a step before */
        assert_near(w.r.pose.t[1], 0, 2e-5);
        assert_near(w.r.pose.q[3], 1, 2e-5);
        assert_i64_equal(w.r.stamp, S(t - step / 2));
    }
    world_end(&w);
}

static void an_edge_above_the_common_ancestor_does_not_matter(void **state)
{
    (void)state;
    tf_world w = world();
    assert_status(put(&w, "map", "root", 1000, 5), SNT_OK); /* far from the time asked */
    assert_status(put(&w, "root", "l", 1, 1), SNT_OK);
    assert_status(put(&w, "root", "l", 2, 1), SNT_OK);
    assert_status(put(&w, "root", "r", 1, 2), SNT_OK);
    assert_status(put(&w, "root", "r", 2, 2), SNT_OK);
    assert_status(get(&w, "l", "r", 1.5), SNT_OK);
    assert_x(w, 1);
    assert_int_equal(w.r.moving_edges, 2);
    world_end(&w);
}

static void latest_common_is_the_least_of_the_newest(void **state)
{
    (void)state;
    tf_world w = world();
    assert_status(put_ns(&w, "a", "b", 1000, at_x(1)), SNT_OK);
    assert_status(put_ns(&w, "a", "b", 2000, at_x(2)), SNT_OK);
    assert_status(put_ns(&w, "b", "c", 500, at_x(0)), SNT_OK);
    assert_status(put_ns(&w, "b", "c", 1000, at_x(0)), SNT_OK);
    assert_status(latest(&w, "a", "c"), SNT_OK);
    assert_i64_equal(w.r.stamp, 1000);
    assert_status(put_ns(&w, "b", "c", 3000, at_x(0)), SNT_OK);
    assert_status(latest(&w, "a", "c"), SNT_OK);
    assert_i64_equal(w.r.stamp, 2000);
    assert_status(put_ns(&w, "a", "d", 2500, at_x(0)), SNT_OK);
    assert_status(put_ns(&w, "a", "d", 3000, at_x(0)), SNT_OK);
    assert_status(latest(&w, "d", "a"), SNT_OK);
    assert_i64_equal(w.r.stamp, 3000);
    /* each at its own newest, and how far apart these are */
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    q.when = SNT_TF_LATEST_EACH;
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "a"), known(&w, "c"), &q, &w.r, &w.m), SNT_OK);
    assert_i64_equal(w.r.stamp, 2000);
    assert_i64_equal(w.r.age_ns, 1000);
    assert_x(w, 2);
    world_end(&w);
}

/* samples 10..19 on both edges of a V; times before, inside and after; a fixed frame on either side */
static void can_and_lookup_agree_over_the_matrix_of_times(void **state)
{
    (void)state;
    tf_world w = world();
    for (int t = 10; t < 20; t++) {
        assert_status(put(&w, "parent", "child", t, t), SNT_OK);
        assert_status(put(&w, "parent", "other", t, -t), SNT_OK);
    }
    const double times[] = {0, 5, 15, 25};
    for (int i = 0; i < 4; i++) {
        const bool ok = times[i] > 9 && times[i] < 20;
        assert_true((get(&w, "child", "other", times[i]) == SNT_OK) == ok);
        assert_status(get(&w, "child", "child", times[i]), SNT_OK);
        assert_true(w.r.flags & SNT_TF_IDENTITY);
        for (int j = 0; j < 4; j++) {
            const bool both = ok && times[j] > 9 && times[j] < 20;
            const snt_frame c = known(&w, "child"), o = known(&w, "other"), p = known(&w, "parent");
            assert_true((snt_tf_buffer_lookup_fixed(w.b, c, S(times[i]), o, S(times[j]), p, &w.r, &w.m) ==
                         SNT_OK) == both);
            /* target = fixed: the target's time is irrelevant */
            assert_true((snt_tf_buffer_lookup_fixed(w.b, p, S(times[i]), o, S(times[j]), p, &w.r, &w.m) ==
                         SNT_OK) == (times[j] > 9 && times[j] < 20));
            assert_true((snt_tf_buffer_lookup_fixed(w.b, c, S(times[i]), p, S(times[j]), p, &w.r, &w.m) ==
                         SNT_OK) == ok);
        }
    }
    world_end(&w);
}

static void two_times_compose_through_the_fixed_frame(void **state)
{
    (void)state;
    tf_world w = world();
    for (int t = 0; t <= 10; t++)
        assert_status(put_ns(&w, "odom", "base", S(t), yawed(t, 0, 0.1 * t)), SNT_OK);
    assert_status(put_static(&w, "base", "lidar", at_x(0.5)), SNT_OK);
    snt_pose a, b, expected;
    assert_status(get(&w, "base", "odom", 8.25), SNT_OK);
    a = w.r.pose;
    assert_status(get(&w, "odom", "lidar", 2.5), SNT_OK);
    b = w.r.pose;
    snt_pose_compose(&a, &b, &expected);
    assert_status(snt_tf_buffer_lookup_fixed(w.b, known(&w, "base"), S(8.25), known(&w, "lidar"), S(2.5),
                                             known(&w, "odom"), &w.r, &w.m),
                  SNT_OK);
    for (int i = 0; i < 3; i++)
        assert_near(w.r.pose.t[i], expected.t[i], 1e-12);
    assert_near(fabs(w.r.pose.q[2]), fabs(expected.q[2]), 1e-12);
    assert_int_equal(w.r.moving_edges, 2);
    assert_status(snt_tf_buffer_lookup_fixed(w.b, known(&w, "base"), S(8), known(&w, "lidar"), S(11),
                                             known(&w, "odom"), &w.r, &w.m),
                  SNT_ERR_FUTURE);
    assert_i64_equal(w.m.asked, S(11));
    world_end(&w);
}

static void waiting_ends_exactly_when_the_time_is_covered(void **state)
{
    (void)state;
    tf_world w = world(); /* waitForNewTransform: @10 with samples 1..10 */
    for (int t = 1; t <= 10; t++) {
        assert_status(put(&w, "a", "b", t, t), SNT_OK);
        assert_status(get(&w, "a", "b", 10), t == 10 ? SNT_OK : SNT_ERR_FUTURE);
    }
    world_end(&w);
    w = world(); /* waitForOldTransform: @1 with samples 10..1 */
    for (int t = 10; t >= 1; t--) {
        assert_status(put(&w, "a", "b", t, t), SNT_OK);
        assert_status(get(&w, "a", "b", 1), t == 1 ? SNT_OK : SNT_ERR_PAST);
    }
    world_end(&w);
}

static void of_many_transforms_the_bad_ones_do_not_keep_the_others_out(void **state)
{
    (void)state;
    tf_world w = world();
    snt_frame a, b;
    assert_status(snt_tf_buffer_frame(w.b, "a", &a), SNT_OK);
    assert_status(snt_tf_buffer_frame(w.b, "b", &b), SNT_OK);
    snt_tf_transform many[4];
    for (int i = 0; i < 4; i++) {
        snt_tf_transform_init(&many[i], a, b, 10 * (i + 1));
        many[i].pose = at_x(i);
    }
    many[1].pose.t[2] = (double)NAN;
    many[2].parent = b;
    snt_status statuses[4];
    assert_status(snt_tf_buffer_insert_many(w.b, many, 4, statuses), SNT_ERR_NON_FINITE);
    const snt_status expected[4] = {SNT_OK, SNT_ERR_NON_FINITE, SNT_ERR_CYCLE, SNT_OK};
    assert_memory_equal(statuses, expected, sizeof expected);
    assert_history(&w, (const int64_t[]){40, 10}, (const double[]){3, 0}, 2);
    assert_status(snt_tf_buffer_insert_many(w.b, many, 1, NULL), SNT_OK);
    assert_status(snt_tf_buffer_insert_many(w.b, NULL, 0, NULL), SNT_OK);
    assert_status(snt_tf_buffer_insert_many(w.b, NULL, 1, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_buffer_insert_many(NULL, many, 1, NULL), SNT_ERR_INVALID_ARG);
    world_end(&w);
}

/* ---- statistics of long runs, which take a short way in ---- */

static tf_world world_of_64(void)
{
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.samples_per_edge = 64;
    cfg.max_samples = 1024;
    return world_with(&cfg);
}

static void every_sample_is_counted_once(void **state)
{
    (void)state;
    tf_world w = world_of_64();
    for (int i = 0; i < 100; i++)
        assert_status(put(&w, "map", "odom", 10 + i * 0.1, i), SNT_OK);
    snt_tf_edge_info info = info_of(&w, "odom");
    assert_int_equal(info.accepted, 100);
    assert_int_equal(info.samples, 64);
    assert_int_equal(info.evicted, 36);
    assert_int_equal(info.publisher[0].accepted, 100);
    assert_i64_equal(info.publisher[0].last, S(19.9));
    assert_i64_equal(info.newest, S(19.9));
    assert_i64_equal(info.oldest, S(13.6));
    /* late ones take the slots of the samples before them, one after the other */
    for (int i = 0; i < 5; i++)
        assert_status(put(&w, "map", "odom", 15.03 + i * 0.1, i), SNT_OK);
    for (int i = 100; i < 200; i++) {
        assert_status(put(&w, "map", "odom", 10 + i * 0.1, i), SNT_OK);
        info = info_of(&w, "odom");
        assert_int_equal(info.accepted - info.evicted, info.samples);
    }
    assert_int_equal(info.late, 5);
    assert_int_equal(info.samples, 64);
    for (int i = 0; i < 5; i++)
        assert_status(put(&w, "map", "odom", 25.03 + i * 0.1, i), SNT_OK);
    for (int i = 200; i < 300; i++)
        assert_status(put(&w, "map", "odom", 10 + i * 0.1, i), SNT_OK);
    info = info_of(&w, "odom");
    assert_int_equal(info.accepted, 310);
    assert_int_equal(info.evicted, 310 - 64);
    world_end(&w);
}

static void what_was_given_up_is_not_bridged_though_the_window_grows(void **state)
{
    (void)state;
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.keep_ns = S(1);
    tf_world w = world_with(&cfg);
    for (int i = 0; i < 50; i++)
        assert_status(put(&w, "map", "odom", 10 + i * 0.1, i), SNT_OK);
    assert_i64_equal(info_of(&w, "odom").oldest, S(13.9));
    snt_tf_edge_config edge;
    snt_tf_edge_config_init(&edge, sizeof edge);
    edge.keep_ns = S(10);
    assert_status(snt_tf_buffer_edge_configure(w.b, known(&w, "odom"), &edge), SNT_OK);
    assert_status(put(&w, "map", "odom", 12.05, 0), SNT_ERR_PAST);
    assert_status(put(&w, "map", "odom", 13.8, 0), SNT_ERR_PAST);
    assert_status(put(&w, "map", "odom", 13.85, 0), SNT_OK);
    world_end(&w);
}

static void rate_and_jitter_follow_the_newest_samples(void **state)
{
    (void)state;
    tf_world w = world_of_64();
    double t = 10;
    for (int i = 0; i < 200; i++, t += i & 1 ? 0.018 : 0.022)
        assert_status(put(&w, "map", "odom", t, i), SNT_OK);
    snt_tf_edge_info info = info_of(&w, "odom");
    assert_near((double)info.period_ns, 20e6, 0.2e6);
    assert_near((double)info.jitter_ns, 2e6, 0.1e6);
    /* a pause of a minute is no new rate */
    const double before = (double)info.period_ns;
    assert_status(put(&w, "map", "odom", t += 60, 0), SNT_OK);
    assert_near((double)info_of(&w, "odom").period_ns, before * (1 + 3.0 / 16), 2);
    /* another rate is */
    for (int i = 0; i < 150; i++)
        assert_status(put(&w, "map", "odom", t += 0.1, i), SNT_OK);
    info = info_of(&w, "odom");
    assert_near((double)info.period_ns, 100e6, 0.1e6);
    assert_near((double)info.jitter_ns, 0, 0.1e6);
    world_end(&w);
}

static void delays_are_averaged_over_all_that_had_one(void **state)
{
    (void)state;
    tf_world w = world_of_64();
    for (int i = 0; i < 100; i++) {
        snt_tf_transform in = sample_ns(&w, "map", "odom", S(10) + i * S(0.1), at_x(i));
        in.now = i < 50 ? SNT_UNKNOWN : in.stamp + S(0.001) * (i - 50);
        assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    }
    const snt_tf_edge_info info = info_of(&w, "odom");
    assert_i64_equal(info.delay_mean_ns, S(0.0245));
    assert_i64_equal(info.delay_max_ns, S(0.049));
    world_end(&w);
}

/* ---- found by reading ---- */

static void put_x(snt_tf_buffer *b, snt_frame parent, snt_frame child, snt_time stamp, double x)
{
    snt_tf_transform in;
    snt_tf_transform_init(&in, parent, child, stamp);
    in.now = stamp;
    in.pose.t[0] = x;
    assert_status(snt_tf_buffer_insert(b, &in, NULL), SNT_OK);
}

/* One sample is left of many, and their mean rate guesses far beyond it. */
static void what_was_evicted_is_never_an_answer(void **state)
{
    (void)state;
    snt_tf_buffer *b;
    snt_frame parent, child;
    snt_tf_path *path;
    snt_tf_result r;
    for (int by_reset = 0; by_reset < 2; by_reset++) {
        const snt_time wall = 1700000000000000000, month = 30 * 86400000000000;
        const snt_time start = by_reset ? 0 : wall - month, then = start + month / 2;
        assert_status(snt_tf_buffer_create(NULL, NULL, &b), SNT_OK);
        assert_status(snt_tf_buffer_frame(b, "a", &parent), SNT_OK);
        assert_status(snt_tf_buffer_frame(b, "b", &child), SNT_OK);
        for (int i = 1; i <= 100; i++)
            put_x(b, parent, child, start + i * SNT_NS_PER_MS, i);
        if (by_reset)
            assert_status(snt_tf_buffer_reset(b, 2), SNT_OK);
        put_x(b, parent, child, wall, 1000);
        assert_status(snt_tf_path_create(b, parent, child, &path), SNT_OK);
        const snt_status status = snt_tf_path_lookup(path, then, &r, NULL);
        assert_true(status == SNT_ERR_PAST || status == SNT_ERR_CLOCK_MISMATCH);
        assert_status(snt_tf_buffer_lookup(b, parent, child, then, &r, NULL), status);
        snt_tf_path_destroy(path);
        snt_tf_buffer_destroy(b);
    }
}

static void a_path_follows_settings_that_change(void **state)
{
    (void)state;
    snt_tf_buffer *b;
    snt_frame parent, child;
    snt_tf_path *path;
    snt_tf_result r;
    snt_tf_edge_config edge;
    assert_status(snt_tf_buffer_create(NULL, NULL, &b), SNT_OK);
    assert_status(snt_tf_buffer_frame(b, "a", &parent), SNT_OK);
    assert_status(snt_tf_buffer_frame(b, "b", &child), SNT_OK);
    for (int i = 1; i <= 40; i++)
        put_x(b, parent, child, i * 10 * SNT_NS_PER_MS, i);
    assert_status(snt_tf_path_create(b, parent, child, &path), SNT_OK);
    assert_status(snt_tf_path_lookup(path, 105 * SNT_NS_PER_MS, &r, NULL), SNT_OK);
    snt_tf_edge_config_init(&edge, sizeof edge);
    edge.extrapolate_ns = SNT_NS_PER_S;
    edge.extrapolation = SNT_TF_EXTRAPOLATE_HOLD;
    edge.interpolation = SNT_INTERPOLATE_HOLD;
    edge.may_jump = 2;
    assert_status(snt_tf_buffer_edge_configure(b, child, &edge), SNT_OK);
    assert_status(snt_tf_path_check(path), SNT_OK);
    const snt_time t = 105 * SNT_NS_PER_MS, beyond = 405 * SNT_NS_PER_MS;
    snt_pose pose;
    assert_status(snt_tf_path_lookup(path, beyond, &r, NULL), SNT_OK);
    assert_status(snt_tf_path_can(path, beyond, NULL), SNT_OK);
    assert_status(snt_tf_path_lookup_latest(path, &r, NULL), SNT_OK);
    assert_true(r.flags & SNT_TF_MAY_JUMP);
    assert_status(snt_tf_path_lookup_many(path, NULL, NULL, &t, 0, 1, &pose, 0, NULL, NULL), SNT_OK);
    assert_true(pose.t[0] == 10);
    edge.max_gap_ns = 5 * SNT_NS_PER_MS;
    edge.interpolation = 0;
    assert_status(snt_tf_buffer_edge_configure(b, child, &edge), SNT_OK);
    assert_status(snt_tf_path_lookup_many(path, NULL, NULL, &t, 0, 1, &pose, 0, NULL, NULL), SNT_ERR_GAP);
    assert_status(snt_tf_path_can(path, t, NULL), SNT_ERR_GAP);
    assert_status(snt_tf_path_lookup(path, t, &r, NULL), SNT_ERR_GAP);
    snt_tf_path_destroy(path);
    snt_tf_buffer_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(get_all_items_keeps_what_the_window_keeps),
        cmocka_unit_test(stamps_come_back_whatever_the_order_of_insertion),
        cmocka_unit_test(repeated_samples_are_one),
        cmocka_unit_test(latest_follows_each_insert),
        cmocka_unit_test(translation_is_linear_and_rotation_slerp),
        cmocka_unit_test(between_two_parents_the_older_is_held),
        cmocka_unit_test(an_empty_or_single_edge_says_so),
        cmocka_unit_test(the_window_is_exact_to_the_nanosecond),
        cmocka_unit_test(the_last_static_holds_at_any_time),
        cmocka_unit_test(bad_transforms_are_refused_with_the_reason),
        cmocka_unit_test(names_follow_the_slash_policy),
        cmocka_unit_test(unit_quaternions_keep_their_bits_and_others_are_normalised),
        cmocka_unit_test(trees_answer_between_all_pairs_of_frames),
        cmocka_unit_test(ring_45_wants_the_last_write_at_an_equal_stamp),
        cmocka_unit_test(a_helix_is_followed_at_half_steps),
        cmocka_unit_test(an_edge_above_the_common_ancestor_does_not_matter),
        cmocka_unit_test(latest_common_is_the_least_of_the_newest),
        cmocka_unit_test(can_and_lookup_agree_over_the_matrix_of_times),
        cmocka_unit_test(two_times_compose_through_the_fixed_frame),
        cmocka_unit_test(waiting_ends_exactly_when_the_time_is_covered),
        cmocka_unit_test(of_many_transforms_the_bad_ones_do_not_keep_the_others_out),
        cmocka_unit_test(every_sample_is_counted_once),
        cmocka_unit_test(what_was_given_up_is_not_bridged_though_the_window_grows),
        cmocka_unit_test(rate_and_jitter_follow_the_newest_samples),
        cmocka_unit_test(delays_are_averaged_over_all_that_had_one),
        cmocka_unit_test(what_was_evicted_is_never_an_answer),
        cmocka_unit_test(a_path_follows_settings_that_change),
    };
    return cmocka_run_group_tests_name("tf_buffer", tests, NULL, NULL);
}
