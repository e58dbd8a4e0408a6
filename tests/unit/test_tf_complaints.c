/* SPDX-License-Identifier: BSD-3-Clause */
/* What users of transform buffers hit, each as the tiny input that shows it and the right answer. G1 = ros/geometry2,
 * G2 = ros2/geometry2. */
#include "tf_world.h"

static snt_tf_buffer_config config(void)
{
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    return cfg;
}

static void g2_832_the_error_names_the_edge_that_is_on_the_path(void **state)
{
    (void)state;
    tf_world w = world();
    for (int i = 0; i <= 10; i++)
        assert_status(put(&w, "map", "odom", i, 0), SNT_OK);
    for (int i = 0; i <= 200; i++)
        assert_status(put(&w, "odom", "base", i / 10.0, 0), SNT_OK);
    assert_status(get(&w, "odom", "base", 20.1), SNT_ERR_FUTURE);
    assert_true(w.m.child == known(&w, "base") && w.m.parent == known(&w, "odom"));
    assert_i64_equal(w.m.newest, S(20));
    assert_i64_equal(w.m.missing_ns, S(0.1));
    assert_i64_equal(w.m.period_ns, S(0.1));
    assert_i64_equal(w.m.next_due, S(20.1));
    assert_int_equal(w.m.failing_edges, 1);
    assert_false(w.m.permanent);
    /* through map both fail: the longest wait is the one to know about */
    assert_status(get(&w, "map", "base", 20.1), SNT_ERR_FUTURE);
    assert_true(w.m.child == known(&w, "odom"));
    assert_int_equal(w.m.failing_edges, 2);
    world_end(&w);
}

static void g1_563_latest_without_a_common_time_names_both_edges(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "map", "odom", 9, 0);
    put(&w, "map", "odom", 10, 0);
    put(&w, "odom", "base", 19, 0);
    put(&w, "odom", "base", 20, 1);
    assert_status(latest(&w, "map", "base"), SNT_ERR_STALE);
    assert_int_equal(w.m.reason, SNT_TF_MISS_NO_COMMON_TIME);
    assert_true(w.m.child == known(&w, "odom") && w.m.other_child == known(&w, "base"));
    assert_i64_equal(w.m.newest, S(10));
    assert_i64_equal(w.m.other_oldest, S(19));
    assert_string_equal(why(&w),
                        "map->odom ends at 10.000000000 but odom->base begins at 19.000000000: no common "
                        "time; transient");
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    q.when = SNT_TF_LATEST_EACH;
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "map"), known(&w, "base"), &q, &w.r, &w.m), SNT_OK);
    assert_i64_equal(w.r.age_ns, S(10));
    assert_x(w, 1);
    world_end(&w);
}

static void g1_414_one_stamp_for_ever_is_one_sample(void **state)
{
    (void)state;
    tf_world w = world();
    snt_tf_buffer_info before, after;
    snt_tf_transform in = sample_ns(&w, "a", "b", S(1), at_x(0));
    for (int i = 0; i < 1000000; i++) {
        in.pose.t[0] = i;
        if (snt_tf_buffer_insert(w.b, &in, NULL) != SNT_OK)
            fail();
        if (i == 10)
            snt_tf_buffer_get_info(w.b, &before);
    }
    snt_tf_buffer_get_info(w.b, &after);
    assert_int_equal(before.samples_reserved, after.samples_reserved);
    assert_status(get(&w, "a", "b", 1), SNT_OK);
    assert_x(w, 999999);
    assert_int_equal(info_of(&w, "b").changed, 999999);
    put(&w, "a", "b", 2, 0);
    assert_status(get(&w, "a", "b", 1.5), SNT_OK);
    assert_x(w, 999999 / 2.0); /* tf2 interpolates from the first value, and jumps */
    world_end(&w);
}

static void g1_467_a_repeated_stamp_is_a_code_and_not_a_log(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "a", "b", 1, 5);
    assert_status(put(&w, "a", "b", 1, 5), SNT_OK);
    assert_int_equal(w.effect, SNT_TF_SAME);
    assert_status(put(&w, "a", "b", 1, 6), SNT_OK);
    assert_int_equal(w.effect, SNT_TF_CHANGED);
    world_end(&w);
    snt_tf_buffer_config cfg = config();
    cfg.flags = SNT_TF_STRICT_DUPLICATES; /* ROS 1 */
    w = world_with(&cfg);
    put(&w, "a", "b", 1, 5);
    assert_status(put(&w, "a", "b", 1, 5), SNT_OK);
    assert_status(put(&w, "a", "b", 1, 6), SNT_ERR_DUPLICATE);
    assert_status(get(&w, "a", "b", 1), SNT_OK);
    assert_x(w, 5);
    assert_int_equal(info_of(&w, "b").refused_duplicate, 1);
    world_end(&w);
}

static void g1_43_a_clock_that_goes_back_starts_anew(void **state)
{
    (void)state;
    /* told by its owner */
    tf_world w = world();
    put(&w, "a", "b", 99, 0);
    put(&w, "a", "b", 100, 0);
    assert_status(put(&w, "a", "b", 1, 7), SNT_ERR_PAST);
    assert_status(snt_tf_buffer_reset(w.b, 2), SNT_OK);
    assert_status(put(&w, "a", "b", 1, 7), SNT_OK);
    assert_status(get(&w, "a", "b", 100), SNT_ERR_FUTURE);
    assert_status(get(&w, "a", "b", 1), SNT_OK);
    assert_int_equal(w.r.session, 2);
    world_end(&w);
    /* by the epoch */
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    snt_tf_buffer_config cfg = config();
    cfg.epoch = epoch;
    w = world_with(&cfg);
    put(&w, "a", "b", 100, 0);
    snt_epoch_bump(epoch, SNT_EPOCH_REPLAY_SEEK);
    assert_status(get(&w, "a", "b", 100), SNT_ERR_SESSION);
    assert_int_equal(w.m.reason, SNT_TF_MISS_SESSION);
    assert_status(put(&w, "a", "b", 1, 7), SNT_OK);
    assert_true(w.effect & SNT_TF_SESSION_NEW);
    assert_status(get(&w, "a", "b", 1), SNT_OK);
    assert_int_equal(w.r.session, 2);
    assert_status(snt_tf_buffer_reset(w.b, 5), SNT_ERR_INVALID_STATE);
    world_end(&w);
    snt_epoch_unref(epoch);
    /* by the jump itself, where that is asked for */
    cfg = config();
    cfg.jump_back_ns = S(20);
    w = world_with(&cfg);
    put(&w, "a", "b", 100, 0);
    put(&w, "c", "d", 100, 0);
    assert_status(put(&w, "a", "b", 85, 0), SNT_ERR_PAST);
    assert_status(put(&w, "a", "b", 1, 7), SNT_OK);
    assert_true(w.effect & SNT_TF_SESSION_NEW);
    assert_status(get(&w, "c", "d", 100), SNT_ERR_FUTURE); /* every edge: the clock is one */
    assert_int_equal(w.m.reason, SNT_TF_MISS_NO_DATA);
    assert_status(snt_tf_buffer_observe_clock(w.b, S(50)), SNT_OK);
    assert_status(snt_tf_buffer_observe_clock(w.b, S(40)), SNT_OK);
    assert_status(snt_tf_buffer_observe_clock(w.b, S(10)), SNT_ERR_RESET_SUSPECT);
    assert_status(get(&w, "a", "b", 1), SNT_ERR_FUTURE);
    world_end(&w);
}

static void g1_542_a_message_from_before_the_reset_cannot_block(void **state)
{
    (void)state;
    tf_world w = world();
    snt_tf_transform in = sample_ns(&w, "a", "b", S(100), at_x(0));
    in.session = 1;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    assert_status(snt_tf_buffer_reset(w.b, 2), SNT_OK);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_SESSION);
    in.session = 2;
    in.stamp = S(1);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    in.stamp = S(2);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    world_end(&w);
    /* without sessions the time of arrival tells: the clock says 1 s */
    w = world();
    in = sample_ns(&w, "a", "b", S(100), at_x(0));
    in.now = S(1);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_FUTURE);
    in.stamp = S(1);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    world_end(&w);
    /* sessions of a source count per edge where the buffer keeps none; late data cannot repopulate */
    w = world();
    in = sample_ns(&w, "a", "b", S(100), at_x(0));
    in.session = 7;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    in.session = 8;
    in.stamp = S(1);
    assert_status(snt_tf_buffer_insert(w.b, &in, &w.effect), SNT_OK);
    assert_true(w.effect & SNT_TF_SESSION_NEW);
    in.session = 7;
    in.stamp = S(101);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_SESSION);
    assert_int_equal(info_of(&w, "b").samples, 1);
    world_end(&w);
}

static void g2_150_clearing_dynamic_data_keeps_statics(void **state)
{
    (void)state;
    tf_world w = world();
    put_static(&w, "a", "b", at_x(1));
    put(&w, "b", "c", 5, 1);
    assert_status(snt_tf_buffer_clear_dynamic(w.b), SNT_OK);
    assert_status(get(&w, "a", "b", 77), SNT_OK);
    assert_status(get(&w, "a", "c", 5), SNT_ERR_FUTURE);
    assert_status(put(&w, "b", "c", 1, 1), SNT_OK);
    assert_status(get(&w, "a", "c", 1), SNT_OK);
    const snt_frame a = known(&w, "a"), b = known(&w, "b");
    assert_status(snt_tf_buffer_clear_all(w.b), SNT_OK);
    assert_status(snt_tf_buffer_lookup(w.b, a, b, 0, &w.r, &w.m), SNT_ERR_NOT_FOUND);
    assert_int_equal(w.m.reason, SNT_TF_MISS_UNKNOWN_FRAME);
    assert_true(known(&w, "a") == 0);
    snt_tf_buffer_info info;
    assert_status(snt_tf_buffer_get_info(w.b, &info), SNT_OK);
    assert_int_equal(info.frames, 0);
    assert_int_equal(info.samples_reserved, 0);
    assert_status(put(&w, "a", "b", 1, 1), SNT_OK);
    assert_true(known(&w, "a") != a); /* the old id stays unknown */
    world_end(&w);
}

static void g2_565_a_static_chain_has_no_stamp_to_be_stale(void **state)
{
    (void)state;
    tf_world w = world();
    put_static(&w, "a", "b", at_x(1));
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    q.when = SNT_TF_LATEST_COMMON;
    q.now = S(1000);
    q.max_age_ns = S(0.1);
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "a"), known(&w, "b"), &q, &w.r, &w.m), SNT_OK);
    assert_true(w.r.flags & SNT_TF_ALL_STATIC);
    assert_i64_equal(w.r.stamp, S(1000));
    world_end(&w);
}

static void zero_is_a_time(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "a", "b", 0, 5);
    put(&w, "a", "b", 1, 6);
    assert_status(get(&w, "a", "b", 0), SNT_OK);
    assert_x(w, 5);
    put(&w, "a", "c", -3, 7); /* and so are negative ones */
    assert_status(get(&w, "a", "c", -3), SNT_OK);
    assert_x(w, 7);
    world_end(&w);
}

static void g2_38_nanoseconds_survive(void **state)
{
    (void)state;
    tf_world w = world();
    const int64_t t = INT64_C(1700000000123456789);
    assert_status(put_ns(&w, "a", "b", t, at_x(5)), SNT_OK);
    assert_status(get_ns(&w, "a", "b", t), SNT_OK);
    assert_i64_equal(w.r.stamp, t);
    assert_status(get_ns(&w, "a", "b", t + 1), SNT_ERR_FUTURE);
    assert_i64_equal(w.m.missing_ns, 1);
    assert_status(get_ns(&w, "a", "b", t - 1), SNT_ERR_PAST);
    world_end(&w);
}

static void g1_350_past_is_permanent_and_future_is_not(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "a", "b", 5, 0);
    put(&w, "a", "b", 6, 0);
    assert_status(get(&w, "a", "b", 4), SNT_ERR_PAST);
    assert_true(w.m.permanent);
    assert_string_equal(why(&w),
                        "a->b: asked 4.000000000, oldest 5.000000000, 1.000000000 s too old; permanent");
    assert_status(get(&w, "a", "b", 7), SNT_ERR_FUTURE);
    assert_false(w.m.permanent);
    world_end(&w);
}

static void the_worked_example_of_the_late_scan(void **state)
{
    (void)state;
    tf_world w = world(); /* 50 Hz odometry, newest 100.000; a scan at 100.012 */
    for (int i = 0; i <= 200; i++)
        assert_status(put_ns(&w, "odom", "base_link", S(96) + i * S(0.02), at_x(i * 0.02)), SNT_OK);
    assert_status(get(&w, "odom", "base_link", 100.012), SNT_ERR_FUTURE);
    assert_i64_equal(w.m.newest, S(100));
    assert_i64_equal(w.m.missing_ns, S(0.012));
    assert_i64_equal(w.m.period_ns, S(0.02));
    assert_i64_equal(w.m.next_due, S(100.02));
    assert_i64_equal(w.m.answer_due, S(100.02));
    assert_string_equal(why(&w),
                        "odom->base_link: asked 100.012000000, newest 100.000000000, 0.012000000 s short; "
                        "next due 100.020000000 (50.0 Hz); transient");
    assert_status(put_ns(&w, "odom", "base_link", S(100.02), at_x(4.02)), SNT_OK);
    assert_status(get(&w, "odom", "base_link", 100.012), SNT_OK);
    assert_x(w, 4.012);
    /* a clock half a second ahead: covered only by the sample at 100.5 */
    assert_status(get(&w, "odom", "base_link", 100.5), SNT_ERR_FUTURE);
    assert_i64_equal(w.m.next_due, S(100.04));
    assert_i64_equal(w.m.answer_due, S(100.5));
    world_end(&w);
}

static void explanations_are_text_only_on_request_and_never_overflow(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "a", "b", 5, 0);
    get(&w, "a", "b", 7);
    char small[20];
    memset(small, 'x', sizeof small);
    assert_status(snt_tf_miss_format(w.b, &w.m, small, 0), SNT_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(small[0], 'x');
    assert_status(snt_tf_miss_format(w.b, &w.m, small, sizeof small - 1), SNT_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(strlen(small), sizeof small - 2);
    assert_int_equal(small[sizeof small - 1], 'x');
    assert_status(snt_tf_miss_format(w.b, &w.m, w.text, sizeof w.text), SNT_OK);
    assert_memory_equal(w.text, small, strlen(small));
    assert_status(snt_tf_miss_format(w.b, &w.m, w.text, strlen(w.text) + 1), SNT_OK);
    assert_status(snt_tf_miss_format(w.b, &w.m, w.text, strlen(w.text)), SNT_ERR_BUFFER_TOO_SMALL);
    assert_status(snt_tf_miss_format(w.b, &w.m, NULL, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_miss_format(w.b, NULL, w.text, sizeof w.text), SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_miss_format(NULL, &w.m, w.text, sizeof w.text), SNT_ERR_INVALID_ARG);
    const snt_tf_miss none = {0};
    assert_status(snt_tf_miss_format(w.b, &none, w.text, sizeof w.text), SNT_OK);
    assert_string_equal(w.text, "");
    assert_status(snt_tf_buffer_lookup(w.b, known(&w, "a"), known(&w, "b"), S(7), &w.r, NULL),
                  SNT_ERR_FUTURE);
    snt_tf_buffer_remove_frame(w.b, known(&w, "a"));
    assert_true(strncmp(why(&w), "?->b", 4) == 0); /* b lost its edge but not its name */
    world_end(&w);
}

static void notify_hook(void *user, snt_frame child, snt_time newest)
{
    tf_world *w = user;
    w->r.stamp = newest;
    w->m.child = child;
    /* no lock is held: the hook may do all that its thread may do (G2#979, G2#982) */
    snt_tf_result r;
    (void)snt_tf_buffer_lookup_latest(w->b, child, child, &r, NULL);
    if (newest == S(1)) {
        snt_tf_transform in;
        snt_tf_transform_init(&in, child, 0, S(9));
        assert_status(snt_tf_buffer_frame(w->b, "from_the_hook", &in.child), SNT_OK);
        assert_status(snt_tf_buffer_insert(w->b, &in, NULL), SNT_OK);
    }
}

static void g2_979_the_hook_is_called_without_a_lock(void **state)
{
    (void)state;
    static tf_world w;
    snt_tf_buffer_config cfg = config();
    cfg.notify = notify_hook;
    cfg.notify_user = &w;
    w = world_with(&cfg);
    assert_status(put(&w, "a", "b", 1, 0), SNT_OK);
    assert_true(known(&w, "from_the_hook") != 0);
    assert_status(put(&w, "a", "b", 2, 0), SNT_OK);
    assert_true(w.m.child == known(&w, "b"));
    assert_i64_equal(w.r.stamp, S(2));
    w.m.child = 0;
    assert_status(put(&w, "a", "b", 2, 0), SNT_OK); /* nothing grew */
    assert_true(w.m.child == 0);
    assert_status(put_static(&w, "a", "s", at_x(0)), SNT_OK);
    assert_i64_equal(w.r.stamp, SNT_TIME_INFINITE_FUTURE);
    world_end(&w);
}

static void g1_211_a_million_short_lived_frames_fit_a_small_table(void **state)
{
    (void)state;
    snt_tf_buffer_config cfg = config();
    cfg.max_frames = 16;
    cfg.max_samples = 256;
    cfg.samples_per_edge = 16;
    tf_world w = world_with(&cfg);
    const snt_frame map = frame(&w, "map");
    snt_frame first = 0;
    for (int i = 1; i <= 1000000; i++) {
        char name[24];
        snprintf(name, sizeof name, "obj_%d", i);
        snt_tf_transform in;
        snt_frame f;
        if (snt_tf_buffer_frame(w.b, name, &f) != SNT_OK)
            fail();
        snt_tf_transform_init(&in, map, f, S(i));
        if (snt_tf_buffer_insert(w.b, &in, NULL) != SNT_OK)
            fail();
        if (i == 1)
            first = f;
        if (i % 8 == 0) {
            uint64_t gone;
            assert_status(snt_tf_buffer_gc(w.b, S(i), &gone), SNT_OK);
            assert_int_equal(gone, i == 8 ? 7 : 8);
        }
    }
    assert_status(snt_tf_buffer_lookup(w.b, map, first, S(1), &w.r, &w.m), SNT_ERR_NOT_FOUND);
    assert_true(w.m.source == 0 && w.m.target == map);
    snt_tf_buffer_info info;
    snt_tf_buffer_get_info(w.b, &info);
    assert_int_equal(info.frames, 2); /* map and the newest object */
    assert_int_equal(info.inserted, 1000000);
    world_end(&w);
}

static void a_full_table_or_budget_is_said_and_nothing_breaks(void **state)
{
    (void)state;
    snt_tf_buffer_config cfg = config();
    cfg.max_frames = 3;
    cfg.max_samples = 16;
    cfg.samples_per_edge = 16;
    tf_world w = world_with(&cfg);
    assert_status(put(&w, "a", "b", 1, 0), SNT_OK);
    snt_frame f;
    assert_status(snt_tf_buffer_frame(w.b, "c", &f), SNT_OK);
    assert_status(snt_tf_buffer_frame(w.b, "d", &f), SNT_ERR_FULL);
    assert_status(put(&w, "b", "c", 1, 0), SNT_ERR_FULL); /* the budget is one ring */
    assert_status(get(&w, "a", "c", 1), SNT_ERR_NOT_CONNECTED);
    for (int i = 0; i < 100; i++)
        assert_status(put(&w, "a", "b", 2 + i * 0.01, i), SNT_OK);
    assert_int_equal(info_of(&w, "b").samples, 16);
    assert_status(put(&w, "a", "b", 2.5, 0), SNT_ERR_PAST); /* evicted by count */
    for (int i = 0; i < 16; i++)                            /* replacing works without room for an overlay */
        assert_status(put(&w, "a", "b", 2.84 + i * 0.01, -i), SNT_OK);
    assert_status(get(&w, "a", "b", 2.95), SNT_OK);
    assert_x(w, -11);
    assert_status(snt_tf_buffer_remove_frame(w.b, known(&w, "b")), SNT_OK);
    assert_status(put(&w, "a", "c", 1, 0), SNT_OK); /* its ring went back to the budget */
    world_end(&w);
}

static void moveit_627_two_publishers_are_named(void **state)
{
    (void)state;
    tf_world w = world();
    uint32_t ekf, wheel;
    assert_status(snt_tf_buffer_authority(w.b, "ekf", &ekf), SNT_OK);
    assert_status(snt_tf_buffer_authority(w.b, "wheel", &wheel), SNT_OK);
    uint32_t again;
    assert_status(snt_tf_buffer_authority(w.b, "ekf", &again), SNT_OK);
    assert_int_equal(ekf, again);
    for (int i = 0; i < 20; i++) {
        snt_tf_transform in = sample_ns(&w, "map", "odom", S(i * 0.05), at_x(i % 2));
        in.authority = i % 2 ? wheel : ekf;
        assert_status(snt_tf_buffer_insert(w.b, &in, &w.effect), SNT_OK);
        assert_true(((w.effect & SNT_TF_CONFLICTED) != 0) == (i > 0));
    }
    const snt_tf_edge_info info = info_of(&w, "odom");
    assert_int_equal(info.publishers, 2);
    assert_int_equal(info.publisher[0].authority, ekf);
    assert_int_equal(info.publisher[1].accepted, 10);
    assert_int_equal(info.conflicts, 19);
    world_end(&w);
    /* and may be kept out */
    static const uint32_t policies[] = {SNT_TF_CONFLICT_FIRST, SNT_TF_CONFLICT_PRIORITY,
                                        SNT_TF_CONFLICT_REFUSE};
    for (int k = 0; k < 3; k++) {
        snt_tf_buffer_config cfg = config();
        cfg.conflict = policies[k];
        w = world_with(&cfg);
        snt_tf_transform in = sample_ns(&w, "map", "odom", S(1), at_x(1));
        in.authority = 1;
        assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
        in.stamp = S(2);
        in.authority = 2;
        assert_status(snt_tf_buffer_insert(w.b, &in, NULL),
                      policies[k] == SNT_TF_CONFLICT_PRIORITY ? SNT_OK : SNT_ERR_CONFLICT);
        in.stamp = S(3);
        in.authority = 1;
        assert_status(snt_tf_buffer_insert(w.b, &in, NULL),
                      policies[k] == SNT_TF_CONFLICT_PRIORITY ? SNT_ERR_CONFLICT : SNT_OK);
        in.stamp = S(20); /* the owner was silent for longer than the window */
        in.authority = policies[k] == SNT_TF_CONFLICT_PRIORITY ? 1 : 2;
        assert_status(snt_tf_buffer_insert(w.b, &in, NULL),
                      policies[k] == SNT_TF_CONFLICT_REFUSE ? SNT_ERR_CONFLICT : SNT_OK);
        world_end(&w);
    }
}

static void a_cycle_is_refused_when_it_would_close(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "a", "b", 1, 0);
    put(&w, "b", "c", 1, 0);
    assert_status(put(&w, "c", "a", 1, 0), SNT_ERR_CYCLE);
    assert_status(put(&w, "b", "a", 1, 0), SNT_ERR_CYCLE);
    assert_status(put_static(&w, "c", "a", at_x(0)), SNT_ERR_CYCLE);
    assert_status(get(&w, "a", "c", 1), SNT_OK);
    assert_int_equal(info_of(&w, "a").kind, SNT_TF_NONE);
    /* turning the edge round one after the other is no cycle */
    assert_status(snt_tf_buffer_convert(w.b, known(&w, "b"), SNT_TF_NONE), SNT_OK);
    assert_status(put(&w, "b", "a", 2, 0), SNT_OK);
    world_end(&w);
}

static void a_cycle_of_old_parents_is_found_at_lookup(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "a", "b", 10, 0);                       /* b hangs on a from 10 on */
    put(&w, "r", "a", 9, 0);                        /* a hangs on r … */
    assert_status(put(&w, "b", "a", 3, 0), SNT_OK); /* … but hung on b at 3: late data changes no tree */
    assert_status(put(&w, "a", "b", 2, 0), SNT_OK);
    assert_status(put(&w, "a", "b", 3, 0), SNT_OK);
    assert_status(get(&w, "r", "b", 3), SNT_ERR_CYCLE);
    assert_int_equal(w.m.reason, SNT_TF_MISS_CYCLE);
    assert_status(get(&w, "a", "b", 10), SNT_OK);
    world_end(&w);
}

static void geometry_103_a_refusal_is_a_status_and_is_remembered(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "a", "b", 1, 0);
    snt_pose none = at_x(0);
    none.q[3] = 0;
    assert_status(put_ns(&w, "a", "b", S(2), none), SNT_ERR_BAD_QUATERNION);
    assert_int_equal(info_of(&w, "b").last_refusal, SNT_ERR_BAD_QUATERNION);
    assert_i64_equal(info_of(&w, "b").last_refusal_stamp, S(2));
    world_end(&w);
}

static void navigation2_6320_a_dead_publisher_is_stale(void **state)
{
    (void)state;
    tf_world w = world();
    for (int i = 0; i <= 100; i++)
        put(&w, "odom", "base", i * 0.02, 0);
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    q.when = SNT_TF_LATEST_EACH;
    q.now = S(32);
    q.max_age_ns = S(0.5);
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "odom"), known(&w, "base"), &q, &w.r, &w.m),
                  SNT_ERR_STALE);
    assert_true(w.m.child == known(&w, "base"));
    assert_i64_equal(w.m.missing_ns, S(29.5));
    assert_i64_equal(w.m.newest, S(2));
    assert_string_equal(why(&w),
                        "odom->base: newest 2.000000000 is older than allowed by 29.500000000 s; next due "
                        "2.020000000 (50.0 Hz); transient");
    q.when = SNT_TF_LATEST_COMMON;
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "odom"), known(&w, "base"), &q, &w.r, &w.m),
                  SNT_ERR_STALE);
    q.now = S(2.3);
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "odom"), known(&w, "base"), &q, &w.r, &w.m), SNT_OK);
    q.now = SNT_UNKNOWN; /* an age needs a now */
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "odom"), known(&w, "base"), &q, &w.r, &w.m),
                  SNT_ERR_INVALID_ARG);
    world_end(&w);
}

static void one_bad_future_stamp_does_not_poison_the_edge(void **state)
{
    (void)state;
    tf_world w = world();
    for (int i = 1; i <= 5; i++)
        put(&w, "a", "b", i, i);
    assert_status(put(&w, "a", "b", 2e9, 0), SNT_PENDING);
    assert_int_equal(w.effect, SNT_TF_QUARANTINED);
    assert_status(put(&w, "a", "b", 6, 6), SNT_OK);
    assert_int_equal(info_of(&w, "b").refused_future, 1);
    assert_status(get(&w, "a", "b", 5.5), SNT_OK);
    assert_status(get(&w, "a", "b", 2e9), SNT_ERR_CLOCK_MISMATCH);
    /* a real pause of hours: the second sample confirms the first */
    assert_status(put(&w, "a", "b", 9000, 1), SNT_PENDING);
    assert_status(put(&w, "a", "b", 9000.02, 2), SNT_OK);
    assert_status(get(&w, "a", "b", 9000.01), SNT_OK);
    assert_x(w, 1.5);
    /* where a clock vouches for it there is nothing to confirm */
    snt_tf_transform in = sample_ns(&w, "a", "b", S(2e9), at_x(0));
    in.now = S(2e9);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    in.stamp = S(2e9 + 11);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_FUTURE);
    world_end(&w);
}

static void ouster_245_many_times_on_one_path(void **state)
{
    (void)state;
    tf_world w = world();
    for (int i = 0; i <= 20; i++) {
        put_ns(&w, "map", "odom", S(i * 0.1), yawed(i, 0, 0.1 * i));
        put_ns(&w, "odom", "base", S(i * 0.1), yawed(0, i, -0.05 * i));
    }
    put_static(&w, "base", "lidar", yawed(1, 2, 3));
    snt_tf_path *path;
    assert_status(snt_tf_buffer_path(w.b, "map", "lidar", &path), SNT_OK);
    enum { N = 1024 };
    static struct {
        int64_t t;
        uint32_t other;
    } in[N];
    static struct {
        snt_pose pose;
        double other;
    } out[N];
    static snt_status status[N];
    for (int i = 0; i < N; i++) {
        in[i].t = (i * INT64_C(7919) % N) * S(2.2) / N; /* any order; the last part lies in the future */
        out[i].other = i;
        out[i].pose.t[0] = 1e9;
    }
    uint64_t answered;
    assert_status(snt_tf_path_lookup_many(path, NULL, NULL, &in[0].t, sizeof in[0], N, &out[0].pose,
                                          sizeof out[0], status, &answered),
                  SNT_ERR_FUTURE);
    uint64_t good = 0;
    for (int i = 0; i < N; i++) {
        const snt_status one = snt_tf_path_lookup(path, in[i].t, &w.r, NULL);
        assert_status(status[i], one);
        assert_true(out[i].other == i);
        if (one == SNT_OK)
            assert_memory_equal(&out[i].pose, &w.r.pose, sizeof w.r.pose);
        else
            assert_true(out[i].pose.t[0] == 1e9);
        good += one == SNT_OK;
    }
    assert_int_equal(answered, good);
    assert_true(good > 900 && good < N);
    assert_status(snt_tf_path_lookup_many(path, NULL, NULL, in, 4, 1, out, 0, NULL, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_path_lookup_many(path, NULL, NULL, NULL, 0, 0, NULL, 0, NULL, NULL), SNT_OK);
    snt_tf_path_destroy(path);
    world_end(&w);
}

static void g1_32_robots_share_a_buffer_by_prefix(void **state)
{
    (void)state;
    tf_world w = world();
    snt_frame r1, r2, plain;
    assert_status(snt_tf_buffer_frame_scoped(w.b, "r1", "base", &r1), SNT_OK);
    assert_status(snt_tf_buffer_frame_scoped(w.b, "/r2", "/base", &r2), SNT_OK);
    assert_status(snt_tf_buffer_frame_scoped(w.b, "", "map", &plain), SNT_OK);
    assert_true(r1 == known(&w, "r1/base") && r2 == known(&w, "r2/base") && plain == known(&w, "map"));
    char prefix[64];
    memset(prefix, 'p', 63);
    prefix[63] = 0;
    assert_status(snt_tf_buffer_frame_scoped(w.b, prefix, "base", &r1), SNT_ERR_RANGE);
    world_end(&w);
}

static void autoware_5385_unknown_names_cost_one_probe(void **state)
{
    (void)state;
    tf_world w = world();
    frame(&w, "base");
    frame(&w, "lidar");
    snt_tf_transform in;
    snt_tf_transform_init(&in, 0, 0, S(1));
    in.flags = SNT_TF_KNOWN_ONLY;
    assert_status(snt_tf_buffer_insert_named(w.b, "base", "noise", &in, NULL), SNT_ERR_NOT_FOUND);
    assert_status(snt_tf_buffer_insert_named(w.b, "/base", "/lidar", &in, NULL), SNT_OK);
    assert_true(known(&w, "noise") == 0);
    in.flags = 0;
    assert_status(snt_tf_buffer_insert_named(w.b, "base", "noise", &in, NULL), SNT_OK);
    assert_true(known(&w, "noise") != 0);
    world_end(&w);
}

static void mola_198_how_late_transforms_arrive_is_known(void **state)
{
    (void)state;
    tf_world w = world();
    for (int i = 0; i < 100; i++) {
        snt_tf_transform in = sample_ns(&w, "a", "b", S(i * 0.01), at_x(i));
        in.now = in.stamp + S(0.1) + (i == 50 ? S(0.4) : 0);
        assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    }
    const snt_tf_edge_info info = info_of(&w, "b");
    assert_i64_equal(info.delay_max_ns, S(0.5));
    assert_near((double)info.delay_mean_ns, 0.104e9, 1e6);
    assert_i64_equal(info.period_ns, S(0.01));
    assert_i64_equal(info.jitter_ns, 0);
    world_end(&w);
}

static void hdl_123_a_post_dated_edge_is_not_needed(void **state)
{
    (void)state;
    tf_world w = world();
    for (int i = 0; i <= 10; i++)
        put(&w, "map", "odom", i * 0.1, i);
    snt_tf_edge_config e;
    snt_tf_edge_config_init(&e, sizeof e);
    e.extrapolate_ns = S(0.2);
    assert_status(snt_tf_buffer_edge_configure(w.b, known(&w, "odom"), &e), SNT_OK);
    assert_status(get(&w, "map", "odom", 1.19), SNT_OK);
    assert_x(w, 10);
    assert_true((w.r.flags & SNT_TF_EXTRAPOLATED) && (w.r.flags & SNT_TF_HELD));
    assert_i64_equal(w.r.extrapolated_ns, S(0.19));
    assert_status(get(&w, "map", "odom", 1.21), SNT_ERR_FUTURE);
    e.extrapolation = SNT_TF_EXTRAPOLATE_TWIST;
    assert_status(snt_tf_buffer_edge_configure(w.b, known(&w, "odom"), &e), SNT_OK);
    assert_status(get(&w, "map", "odom", 1.15), SNT_OK);
    assert_x(w, 11.5);
    assert_false(w.r.flags & SNT_TF_HELD);
    snt_tf_question q; /* the call may forbid it */
    snt_tf_question_init(&q, sizeof q);
    q.t = S(1.15);
    q.extrapolation = SNT_TF_EXTRAPOLATE_NONE;
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "map"), known(&w, "odom"), &q, &w.r, &w.m),
                  SNT_ERR_FUTURE);
    world_end(&w);
}

static void g1_98_nothing_is_extrapolated_unasked(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "a", "b", 1, 1);
    put(&w, "a", "b", 2, 2);
    assert_status(get(&w, "a", "b", 2.000000001), SNT_ERR_FUTURE);
    snt_tf_question q; /* the call may allow it */
    snt_tf_question_init(&q, sizeof q);
    q.t = S(2.5);
    q.extrapolate_ns = S(0.5);
    q.extrapolation = SNT_TF_EXTRAPOLATE_TWIST;
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "a"), known(&w, "b"), &q, &w.r, &w.m), SNT_OK);
    assert_x(w, 2.5);
    world_end(&w);
}

static void slam_toolbox_478_a_stamp_near_zero_is_years_away(void **state)
{
    (void)state;
    tf_world w = world();
    put_ns(&w, "odom", "base", INT64_C(1700000000000000000), at_x(0));
    put_ns(&w, "odom", "base", INT64_C(1700000000020000000), at_x(0));
    assert_status(get(&w, "odom", "base", 0.05), SNT_ERR_CLOCK_MISMATCH);
    assert_int_equal(w.m.reason, SNT_TF_MISS_CLOCK);
    assert_true(w.m.permanent);
    assert_string_equal(why(&w),
                        "odom->base: asked 0.050000000, oldest 1700000000.000000000, 1699999999.950000000 s "
                        "apart: stamps of two different clocks; permanent");
    world_end(&w);
}

static void the_window_does_not_wait_for_the_next_insert(void **state)
{
    (void)state;
    tf_world w = world(); /* tf2 interpolates across 99 s here, until some later insert */
    put(&w, "a", "b", 1, 0);
    put(&w, "a", "b", 100, 99);
    assert_status(get(&w, "a", "b", 50), SNT_ERR_PAST);
    assert_int_equal(info_of(&w, "b").samples, 1);
    world_end(&w);
}

static void a_kind_changes_only_when_told(void **state)
{
    (void)state;
    tf_world w = world();
    put(&w, "a", "b", 1, 5);
    assert_status(put_static(&w, "a", "b", at_x(9)), SNT_ERR_CONFLICT);
    assert_status(get(&w, "a", "b", 1), SNT_OK);
    assert_x(w, 5);
    assert_status(snt_tf_buffer_convert(w.b, known(&w, "b"), SNT_TF_STATIC), SNT_OK);
    assert_status(get(&w, "a", "b", 77), SNT_OK);
    assert_x(w, 5);
    assert_status(put(&w, "a", "b", 2, 6), SNT_ERR_CONFLICT);
    assert_int_equal(info_of(&w, "b").refused_structure, 2);
    assert_status(snt_tf_buffer_convert(w.b, known(&w, "b"), SNT_TF_DYNAMIC), SNT_OK);
    assert_status(get(&w, "a", "b", 1), SNT_ERR_FUTURE);
    assert_status(put(&w, "a", "b", 2, 6), SNT_OK);
    assert_status(snt_tf_buffer_convert(w.b, known(&w, "a"), SNT_TF_STATIC), SNT_ERR_INVALID_STATE);
    /* a child first seen as a parent may become static */
    put(&w, "parent", "leaf", 1, 0);
    assert_status(put_static(&w, "root", "parent", at_x(3)), SNT_OK);
    assert_status(get(&w, "root", "leaf", 1), SNT_OK);
    assert_x(w, 3);
    world_end(&w);
}

static void clocks_are_not_mixed(void **state)
{
    (void)state;
    tf_world w = world();
    snt_tf_transform in = sample_ns(&w, "map", "odom", S(1), at_x(0));
    in.domain = SNT_DOMAIN_UNIX;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    in.domain = SNT_DOMAIN_STEADY;
    in.stamp = S(2);
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_ERR_DOMAIN);
    in = sample_ns(&w, "odom", "base", S(1), at_x(0));
    in.domain = SNT_DOMAIN_STEADY;
    assert_status(snt_tf_buffer_insert(w.b, &in, NULL), SNT_OK);
    assert_status(get(&w, "map", "base", 1), SNT_ERR_DOMAIN);
    assert_int_equal(w.m.domain + w.m.other_domain, SNT_DOMAIN_STEADY + SNT_DOMAIN_UNIX);
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    q.t = S(1);
    q.domain = SNT_DOMAIN_UNIX;
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "map"), known(&w, "odom"), &q, &w.r, &w.m), SNT_OK);
    q.domain = SNT_DOMAIN_SIM;
    assert_status(snt_tf_buffer_ask(w.b, known(&w, "map"), known(&w, "odom"), &q, &w.r, &w.m),
                  SNT_ERR_DOMAIN);
    assert_string_equal(why(&w), "map->odom: stamped by clock 1, not 5; permanent");
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g2_832_the_error_names_the_edge_that_is_on_the_path),
        cmocka_unit_test(g1_563_latest_without_a_common_time_names_both_edges),
        cmocka_unit_test(g1_414_one_stamp_for_ever_is_one_sample),
        cmocka_unit_test(g1_467_a_repeated_stamp_is_a_code_and_not_a_log),
        cmocka_unit_test(g1_43_a_clock_that_goes_back_starts_anew),
        cmocka_unit_test(g1_542_a_message_from_before_the_reset_cannot_block),
        cmocka_unit_test(g2_150_clearing_dynamic_data_keeps_statics),
        cmocka_unit_test(g2_565_a_static_chain_has_no_stamp_to_be_stale),
        cmocka_unit_test(zero_is_a_time),
        cmocka_unit_test(g2_38_nanoseconds_survive),
        cmocka_unit_test(g1_350_past_is_permanent_and_future_is_not),
        cmocka_unit_test(the_worked_example_of_the_late_scan),
        cmocka_unit_test(explanations_are_text_only_on_request_and_never_overflow),
        cmocka_unit_test(g2_979_the_hook_is_called_without_a_lock),
        cmocka_unit_test(g1_211_a_million_short_lived_frames_fit_a_small_table),
        cmocka_unit_test(a_full_table_or_budget_is_said_and_nothing_breaks),
        cmocka_unit_test(moveit_627_two_publishers_are_named),
        cmocka_unit_test(a_cycle_is_refused_when_it_would_close),
        cmocka_unit_test(a_cycle_of_old_parents_is_found_at_lookup),
        cmocka_unit_test(geometry_103_a_refusal_is_a_status_and_is_remembered),
        cmocka_unit_test(navigation2_6320_a_dead_publisher_is_stale),
        cmocka_unit_test(one_bad_future_stamp_does_not_poison_the_edge),
        cmocka_unit_test(ouster_245_many_times_on_one_path),
        cmocka_unit_test(g1_32_robots_share_a_buffer_by_prefix),
        cmocka_unit_test(autoware_5385_unknown_names_cost_one_probe),
        cmocka_unit_test(mola_198_how_late_transforms_arrive_is_known),
        cmocka_unit_test(hdl_123_a_post_dated_edge_is_not_needed),
        cmocka_unit_test(g1_98_nothing_is_extrapolated_unasked),
        cmocka_unit_test(slam_toolbox_478_a_stamp_near_zero_is_years_away),
        cmocka_unit_test(the_window_does_not_wait_for_the_next_insert),
        cmocka_unit_test(a_kind_changes_only_when_told),
        cmocka_unit_test(clocks_are_not_mixed),
    };
    return cmocka_run_group_tests_name("tf_complaints", tests, NULL, NULL);
}
