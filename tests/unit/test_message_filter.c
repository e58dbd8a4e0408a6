/* SPDX-License-Identifier: BSD-3-Clause */
/* The message filter on tf2's own test inputs and on what its users complained about. */
#include "test.h"

#define MS SNT_NS_PER_MS
#define S  SNT_NS_PER_S

typedef struct rig {
    snt_tf_buffer *tf;
    snt_message_filter *filter;
    snt_epoch *epoch;
} rig;

static rig make(snt_message_filter_config *cfg, const char *target)
{
    rig r = {0};
    snt_tf_buffer_config tf;
    snt_tf_buffer_config_init(&tf, sizeof tf);
    tf.epoch = cfg->epoch;
    assert_status(snt_tf_buffer_create(&tf, NULL, &r.tf), SNT_OK);
    assert_status(snt_message_filter_create(r.tf, cfg, NULL, &r.filter), SNT_OK);
    if (target)
        assert_status(snt_message_filter_set_target_named(r.filter, target), SNT_OK);
    return r;
}

static snt_message_filter_config config(void)
{
    snt_message_filter_config cfg;
    snt_message_filter_config_init(&cfg, sizeof cfg);
    return cfg;
}

static void done(rig *r)
{
    snt_message_filter_destroy(r->filter);
    snt_tf_buffer_destroy(r->tf);
}

static void books(const rig *r)
{
    snt_filter_stats stats;
    assert_status(snt_message_filter_check(r->filter), SNT_OK);
    snt_message_filter_stats(r->filter, &stats);
    uint64_t sum = stats.out + stats.held;
    for (int i = 0; i < SNT_DROP_COUNT; i++)
        sum += stats.dropped[i];
    assert_int_equal(sum, stats.in);
}

/* A transform whose x says when it holds, in seconds. */
static void tf_at(const rig *r, const char *parent, const char *child, snt_time t)
{
    snt_tf_transform x;
    snt_tf_transform_init(&x, 0, 0, t);
    x.pose.t[0] = (double)t * 1e-9;
    assert_status(snt_tf_buffer_insert_named(r->tf, parent, child, &x, NULL), SNT_OK);
}

static void tf_static(const rig *r, const char *parent, const char *child)
{
    snt_tf_transform x;
    snt_frame p, c;
    snt_tf_buffer_frame(r->tf, parent, &p);
    snt_tf_buffer_frame(r->tf, child, &c);
    snt_tf_transform_init(&x, p, c, 0);
    assert_status(snt_tf_buffer_insert_static(r->tf, &x, NULL), SNT_OK);
}

static snt_status put_span(const rig *r, const char *frame, snt_time t0, snt_time t1, uint64_t token,
                           snt_time now)
{
    snt_sample sample;
    snt_sample_init(&sample, t0, 0, token);
    sample.t1_ns = t1;
    const snt_status status = snt_message_filter_add_named(r->filter, &sample, frame, now);
    assert_true(status >= 0);
    books(r);
    return status;
}

static snt_status put(const rig *r, const char *frame, snt_time t, uint64_t token, snt_time now)
{
    return put_span(r, frame, t, t, token, now);
}

static snt_filter_release released;
static snt_tf_result results[2 * SNT_FILTER_MAX_TARGETS];

/* Token of the next released sample; -1 = none. */
static int64_t take(const rig *r, snt_time now)
{
    const snt_status status = snt_message_filter_poll(r->filter, now, SNT_UNKNOWN, &released, results, 32);
    books(r);
    return status == SNT_OK ? (int64_t)released.sample.token : -1;
}

static snt_filter_drop dropped;

/* Reason of the next dropped sample; 0 = none. */
static uint32_t take_drop(const rig *r)
{
    const snt_status status = snt_message_filter_poll_drop(r->filter, &dropped);
    books(r);
    return status == SNT_OK ? dropped.reason : 0;
}

/* test_tf2: noTransforms, noTransformsSameFrame, preexistingTransforms, postTransforms. */
static void releases_when_the_transform_is_there(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "frame1");
    assert_status(put(&r, "frame2", 1 * S, 1, SNT_UNKNOWN), SNT_PENDING);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    assert_status(put(&r, "frame1", 1 * S, 2, SNT_UNKNOWN), SNT_OK); /* its own frame: at once */
    assert_i64_equal(take(&r, SNT_UNKNOWN), 2);
    tf_at(&r, "frame1", "frame2", 1 * S);
    assert_i64_equal(take(&r, SNT_UNKNOWN), 1); /* found by a plain poll */
    assert_near(results[0].pose.t[0], 1.0, 1e-12);
    assert_i64_equal(results[0].stamp, 1 * S);
    assert_status(put(&r, "frame2", 1 * S, 3, SNT_UNKNOWN), SNT_OK); /* no round of polling in between */
    assert_i64_equal(take(&r, SNT_UNKNOWN), 3);
    done(&r);
}

/* concurrentTransforms' single-threaded core: 30 messages of one stamp, one transform. */
static void one_transform_releases_all_of_its_stamp_in_order_of_arrival(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    cfg.capacity = 30;
    cfg.flags = SNT_FILTER_NOTIFIED;
    rig r = make(&cfg, "frame1");
    for (uint64_t i = 0; i < 30; i++)
        put(&r, "frame2", 1 * S, i, SNT_UNKNOWN);
    tf_at(&r, "frame1", "frame2", 1 * S);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1); /* nobody told */
    snt_frame child;
    snt_tf_buffer_frame(r.tf, "frame2", &child);
    assert_status(snt_message_filter_poll_edge(r.filter, child, 1 * S, SNT_UNKNOWN), SNT_OK);
    for (int64_t i = 0; i < 30; i++)
        assert_i64_equal(take(&r, SNT_UNKNOWN), i);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    done(&r);
}

static void several_targets_must_all_be_there(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, NULL);
    snt_frame targets[2];
    snt_tf_buffer_frame(r.tf, "frame1", &targets[0]);
    snt_tf_buffer_frame(r.tf, "frame2", &targets[1]);
    assert_status(snt_message_filter_set_targets(r.filter, targets, 2), SNT_OK);
    tf_at(&r, "frame1", "frame3", 1 * S);
    put(&r, "frame3", 1 * S, 1, SNT_UNKNOWN);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    tf_at(&r, "frame1", "frame2", 1 * S);
    assert_i64_equal(take(&r, SNT_UNKNOWN), 1);
    assert_int_equal(released.targets, 2);
    assert_int_equal(released.results, 4);
    assert_near(results[0].pose.t[0], 1.0, 1e-12); /* frame3 in frame1 */
    assert_near(results[2].pose.t[0], 0.0, 1e-12); /* frame3 in frame2: both at x = 1 */
    done(&r);
}

/* tolerance 0.2 s: tf @1, msg @1 -> 0; tf @1.22 -> 1. */
static void a_tolerance_asks_for_more_time_on_either_side(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    cfg.tolerance_ns = 200 * MS;
    rig r = make(&cfg, "frame1");
    tf_at(&r, "frame1", "frame2", 1 * S);
    put(&r, "frame2", 1 * S, 1, SNT_UNKNOWN);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    tf_at(&r, "frame1", "frame2", 1220 * MS);
    assert_i64_equal(take(&r, SNT_UNKNOWN), 1);
    assert_i64_equal(results[0].stamp, 1 * S); /* the transform is that of the stamp, not of the tolerance */
    put(&r, "frame2", 1100 * MS, 2, SNT_UNKNOWN);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    /* negative: a sweep that began 100 ms before its stamp. Data begins at 1 s, so 1.05 is too early for it. */
    snt_sample sample;
    snt_frame source;
    snt_tf_buffer_frame(r.tf, "frame2", &source);
    snt_sample_init(&sample, 1050 * MS, 0, 3);
    assert_status(snt_message_filter_add_tolerant(r.filter, &sample, source, -100 * MS, SNT_UNKNOWN), SNT_OK);
    assert_int_equal(take_drop(&r), SNT_DROP_TOO_OLD);
    assert_int_equal(dropped.sample.token, 3);
    assert_i64_equal(dropped.miss.asked, 950 * MS);
    assert_i64_equal(dropped.miss.oldest, 1000 * MS);
    sample.t0_ns = sample.t1_ns = 1100 * MS;
    sample.token = 4;
    assert_status(snt_message_filter_add_tolerant(r.filter, &sample, source, -100 * MS, SNT_UNKNOWN), SNT_OK);
    assert_i64_equal(take(&r, SNT_UNKNOWN), 4);
    done(&r);
}

/* A sweep needs its whole [t0, t1], and gets the transform at both. */
static void an_interval_waits_for_its_end(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "odom");
    tf_at(&r, "odom", "lidar", 1000 * MS);
    tf_at(&r, "odom", "lidar", 1050 * MS);
    put_span(&r, "lidar", 1000 * MS, 1100 * MS, 1, SNT_UNKNOWN);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    tf_at(&r, "odom", "lidar", 1100 * MS);
    assert_i64_equal(take(&r, SNT_UNKNOWN), 1);
    assert_near(results[0].pose.t[0], 1.0, 1e-9);
    assert_near(results[1].pose.t[0], 1.1, 1e-9);
    done(&r);
}

/* checkStampPrecisionLoss: one nanosecond beyond what a double of seconds can say. */
static void nanoseconds_are_kept(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "frame1");
    tf_at(&r, "frame1", "frame2", INT64_C(1000000000000000000));
    put(&r, "frame2", INT64_C(1000000000000000001), 1, SNT_UNKNOWN);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    tf_at(&r, "frame1", "frame2", INT64_C(1000000000000000001));
    assert_i64_equal(take(&r, SNT_UNKNOWN), 1);
    done(&r);
}

/* queueSize: 20 of one stamp into a queue of 10 -> 10 dropped, then 10 delivered. */
static void a_full_queue_drops_by_policy_and_names_the_cause(void **state)
{
    (void)state;
    static const uint32_t reasons[] = {SNT_DROP_OVERFLOW_OLDEST, SNT_DROP_OVERFLOW_NEWEST,
                                       SNT_DROP_OVERFLOW_YOUNGER};
    for (uint32_t policy = SNT_OVERFLOW_OLDEST; policy <= SNT_OVERFLOW_KEEP_LONGEST; policy++) {
        snt_message_filter_config cfg = config();
        cfg.overflow = policy;
        rig r = make(&cfg, "map");
        tf_static(&r, "odom", "base_link"); /* turtlebot4 #392: the map -> odom edge is missing */
        for (uint64_t i = 0; i < 20; i++)
            put(&r, "base_link", 1 * S, i, SNT_UNKNOWN);
        for (uint64_t i = 0; i < 10; i++) {
            assert_int_equal(take_drop(&r), reasons[policy]);
            assert_int_equal(dropped.cause, SNT_DROP_NOT_CONNECTED);
            assert_int_equal(dropped.sample.token, policy == SNT_OVERFLOW_OLDEST   ? i
                                                   : policy == SNT_OVERFLOW_NEWEST ? i + 10
                                                                                   : i + 1);
            char text[1024];
            assert_status(snt_filter_drop_format(r.tf, &dropped, text, sizeof text), SNT_OK);
            assert_non_null(strstr(text, "no path leads"));
        }
        tf_at(&r, "map", "odom", 1 * S);
        int delivered = 0;
        while (take(&r, SNT_UNKNOWN) >= 0)
            delivered++;
        assert_int_equal(delivered, 10);
        done(&r);
    }
}

/* geometry2 #544: capacity 1 and transforms 60 ms late on a 20 Hz stream: tf2 loses every message. */
static void keeping_the_longest_waiting_survives_late_transforms(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    cfg.capacity = 1;
    cfg.overflow = SNT_OVERFLOW_KEEP_LONGEST;
    rig r = make(&cfg, "odom");
    tf_at(&r, "odom", "laser", -10 * MS);
    int64_t got[8];
    int n = 0;
    for (int ms = 0; ms <= 300; ms += 10) {
        if (ms % 50 == 0)
            put(&r, "laser", ms * MS, (uint64_t)ms, ms * MS);
        if (ms >= 60)
            tf_at(&r, "odom", "laser", (ms - 60) * MS);
        for (int64_t token; (token = take(&r, ms * MS)) >= 0;)
            got[n++] = token;
    }
    static const int64_t want[] = {0, 100, 200};
    assert_int_equal(n, 3);
    assert_memory_equal(got, want, sizeof want);
    while (take_drop(&r))
        assert_int_equal(dropped.reason, SNT_DROP_OVERFLOW_YOUNGER);
    done(&r);
}

/* nav2 #3352: tf data 0..4.9, message @5, timeout 0.1 s: not "older than the cache". */
static void a_timeout_says_how_much_is_missing_on_which_edge(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    cfg.wait_timeout_ns = 100 * MS;
    rig r = make(&cfg, "odom");
    for (int i = 0; i <= 49; i++)
        tf_at(&r, "odom", "base", i * 100 * MS);
    put(&r, "base", 5 * S, 1, 1000 * S);
    assert_i64_equal(take(&r, 1000 * S + 99 * MS), -1);
    assert_int_equal(take_drop(&r), 0);
    assert_i64_equal(take(&r, 1000 * S + 100 * MS), -1);
    assert_int_equal(take_drop(&r), SNT_DROP_TIMEOUT);
    assert_int_equal(dropped.cause, 0);
    assert_i64_equal(dropped.miss.missing_ns, 100 * MS);
    assert_i64_equal(dropped.waited_ns, 100 * MS);
    char text[1024];
    snt_filter_drop_format(r.tf, &dropped, text, sizeof text);
    assert_non_null(strstr(text, "odom"));
    assert_non_null(strstr(text, "base"));
    done(&r);
}

/* The article's table: how far ahead of the data a stamp may lie with a timeout of 30 ms, transforms every millisecond. */
static void a_stamp_ahead_is_released_within_the_timeout_or_not_at_all(void **state)
{
    (void)state;
    static const struct {
        int64_t skew_ms;
        bool released;
    } rows[] = {{5, true}, {20, true}, {30, true}, {50, false}, {250, false}, {1000, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snt_message_filter_config cfg = config();
        cfg.wait_timeout_ns = 30 * MS;
        rig r = make(&cfg, "odom");
        bool got = false;
        for (int64_t now = 100 * MS; now <= 1300 * MS; now += MS) {
            tf_at(&r, "odom", "base", now);
            if (now == 200 * MS)
                put(&r, "base", now + rows[i].skew_ms * MS, 1, now);
            got |= take(&r, now) == 1;
        }
        assert_int_equal(got, rows[i].released);
        assert_int_equal(take_drop(&r), rows[i].released ? 0 : SNT_DROP_TIMEOUT);
        done(&r);
    }
}

/* geometry2 #145: a timeout that is 0 by default must not mean "give up at once". */
static void by_default_a_sample_waits_for_ever(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "odom");
    tf_at(&r, "odom", "base", 0);
    assert_status(put(&r, "base", 1 * S, 1, 1000 * S), SNT_PENDING);
    assert_i64_equal(take(&r, 1000 * S + MS), -1);
    assert_i64_equal(take(&r, 9000 * S), -1);
    assert_int_equal(take_drop(&r), 0);
    tf_at(&r, "odom", "base", 1 * S);
    assert_i64_equal(take(&r, 9000 * S + MS), 1);
    done(&r);
}

/* An edge that declares its clock, and a sample that declares another: no stamp will ever fit. */
static void a_sample_of_another_declared_clock_is_dropped_as_such(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "odom");
    snt_tf_transform x;
    snt_sample sample;
    snt_frame odom, base;
    snt_tf_buffer_frame(r.tf, "odom", &odom);
    snt_tf_buffer_frame(r.tf, "base", &base);
    for (int k = 1; k <= 2; k++) {
        snt_tf_transform_init(&x, odom, base, k * S);
        x.domain = SNT_DOMAIN_UNIX;
        assert_status(snt_tf_buffer_insert(r.tf, &x, NULL), SNT_OK);
    }
    snt_sample_init(&sample, 1500 * MS, SNT_DOMAIN_STEADY, 1);
    assert_status(snt_message_filter_add(r.filter, &sample, base, SNT_UNKNOWN), SNT_OK);
    books(&r);
    assert_int_equal(take_drop(&r), SNT_DROP_WRONG_DOMAIN);
    assert_int_equal(dropped.miss.domain, SNT_DOMAIN_UNIX);
    snt_sample_init(&sample, 1500 * MS, SNT_DOMAIN_UNIX, 2);
    assert_status(snt_message_filter_add(r.filter, &sample, base, SNT_UNKNOWN), SNT_OK);
    assert_i64_equal(take(&r, SNT_UNKNOWN), 2);
    done(&r);
}

/* outTheBackFailure, ouster-sdk #280: two different faults with one name in tf2. */
static void too_old_and_another_clock_are_told_apart(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "frame1");
    tf_at(&r, "frame1", "frame2", INT64_C(1628000000) * S);
    assert_status(put(&r, "frame2", INT64_C(1627999999) * S, 1, SNT_UNKNOWN), SNT_OK);
    assert_int_equal(take_drop(&r), SNT_DROP_TOO_OLD);
    assert_i64_equal(dropped.miss.missing_ns, 1 * S);
    put(&r, "frame2", INT64_C(2128260000000), 2, SNT_UNKNOWN); /* the sensor's uptime */
    assert_int_equal(take_drop(&r), SNT_DROP_CLOCK_MISMATCH);
    done(&r);
}

/* robotics #127, #1716: emptyFrameIDFailure and zero stamps. */
static void what_cannot_be_looked_up_is_dropped_with_its_reason(void **state)
{
    (void)state;
    for (int refuse = 0; refuse < 2; refuse++) {
        snt_message_filter_config cfg = config();
        cfg.flags = refuse ? SNT_FILTER_REFUSE_ZERO : 0;
        rig r = make(&cfg, "frame1");
        tf_static(&r, "frame1", "frame2");
        put(&r, "", 1 * S, 1, SNT_UNKNOWN);
        assert_int_equal(take_drop(&r), SNT_DROP_EMPTY_FRAME);
        put(&r, "/", 1 * S, 1, SNT_UNKNOWN);
        assert_int_equal(take_drop(&r), SNT_DROP_EMPTY_FRAME);
        put(&r, "frame2", 0, 2, SNT_UNKNOWN); /* zero is a time, unless refused */
        assert_i64_equal(take(&r, SNT_UNKNOWN), refuse ? -1 : 2);
        assert_int_equal(take_drop(&r), refuse ? SNT_DROP_ZERO_STAMP : 0);
        char name[300];
        memset(name, 'x', sizeof name);
        name[299] = 0;
        put(&r, name, 1 * S, 3, SNT_UNKNOWN);
        assert_int_equal(take_drop(&r), SNT_DROP_NO_FRAME);
        done(&r);
    }
}

/* RUN of tf2: stamps 1..6 become ready together and come out 1, 6, 5, 4, 3, 2. */
static void releases_ascend_by_stamp(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "odom");
    static const int order[] = {4, 1, 6, 3, 2, 5};
    for (int i = 0; i < 6; i++)
        put(&r, "base", order[i] * S, (uint64_t)order[i], SNT_UNKNOWN);
    tf_at(&r, "odom", "base", 1 * S);
    tf_at(&r, "odom", "base", 7 * S);
    for (int i = 1; i <= 6; i++)
        assert_i64_equal(take(&r, SNT_UNKNOWN), i);
    done(&r);
}

static void strict_fifo_holds_the_younger_behind_the_older(void **state)
{
    (void)state;
    for (int fifo = 0; fifo < 2; fifo++) {
        snt_message_filter_config cfg = config();
        cfg.flags = fifo ? SNT_FILTER_STRICT_FIFO : 0;
        cfg.wait_timeout_ns = 1 * S;
        rig r = make(&cfg, "odom");
        tf_at(&r, "odom", "a", 10 * S);
        put(&r, "a", 11 * S, 1, 100 * S); /* waits */
        put(&r, "odom", 5 * S, 2, 100 * S);
        assert_i64_equal(take(&r, 100 * S), fifo ? -1 : 2);
        put(&r, "odom", 4 * S, 3, 100 * S);
        assert_i64_equal(take(&r, 101 * S), fifo ? 2 : 3); /* 1 timed out and gave way */
        assert_i64_equal(take(&r, 101 * S), fifo ? 3 : -1);
        assert_int_equal(take_drop(&r), SNT_DROP_TIMEOUT);
        done(&r);
    }
}

/* tf2: with setTargetFrames 1 -> 2 waiting messages hang until the queue overflows. */
static void changed_targets_and_tolerance_look_up_what_waits(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "nowhere");
    tf_at(&r, "map", "base", 1 * S);
    tf_at(&r, "map", "base", 2 * S);
    put(&r, "base", 1500 * MS, 1, SNT_UNKNOWN);
    put(&r, "base", 2100 * MS, 2, SNT_UNKNOWN);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    assert_status(snt_message_filter_set_target_named(r.filter, "map"), SNT_OK);
    books(&r);
    assert_i64_equal(take(&r, SNT_UNKNOWN), 1);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    put(&r, "base", 1900 * MS, 3, SNT_UNKNOWN); /* ready, not taken */
    assert_status(snt_message_filter_set_tolerance(r.filter, 200 * MS), SNT_OK);
    books(&r);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1); /* now 3 needs 2.1 s as well */
    tf_at(&r, "map", "base", 2300 * MS);
    assert_i64_equal(take(&r, SNT_UNKNOWN), 3);
    assert_i64_equal(take(&r, SNT_UNKNOWN), 2);
    done(&r);
}

/* RUN of tf2: a message of 100.05 waits, the clock jumps to 0, and at t=101 of the second run it is released. */
static void an_old_session_is_dropped_and_its_stragglers_refused(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    snt_epoch_create(NULL, &cfg.epoch);
    rig r = make(&cfg, "odom");
    tf_at(&r, "odom", "base", 100 * S);
    put(&r, "base", 100050 * MS, 1, SNT_UNKNOWN);
    snt_epoch_bump(cfg.epoch, SNT_EPOCH_REPLAY_SEEK);
    for (int i = 0; i <= 102; i++) {
        tf_at(&r, "odom", "base", i * S);
        assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    }
    assert_int_equal(take_drop(&r), SNT_DROP_RESET);
    assert_int_equal(dropped.session, 1);
    snt_sample old;
    snt_frame base;
    snt_tf_buffer_frame(r.tf, "base", &base);
    snt_sample_init(&old, 101 * S, 0, 2);
    old.session = 1;
    assert_status(snt_message_filter_add(r.filter, &old, base, SNT_UNKNOWN), SNT_OK);
    assert_int_equal(take_drop(&r), SNT_DROP_STRAGGLER);
    done(&r);
    snt_epoch_unref(cfg.epoch);
}

/* ros/geometry2 #35: the cache moves on before the consumer looks. It has the transform already. */
static void the_transform_comes_with_the_sample(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "odom");
    tf_at(&r, "odom", "base", 0);
    put(&r, "base", 0, 1, SNT_UNKNOWN);
    for (int i = 1; i <= 40; i++)
        tf_at(&r, "odom", "base", i * S); /* 10 s are kept */
    snt_frame odom, base;
    snt_tf_buffer_frame(r.tf, "odom", &odom);
    snt_tf_buffer_frame(r.tf, "base", &base);
    assert_status(snt_tf_buffer_can(r.tf, odom, base, 0, NULL), SNT_ERR_PAST);
    assert_i64_equal(take(&r, SNT_UNKNOWN), 1);
    assert_near(results[0].pose.t[0], 0.0, 1e-12);
    assert_int_equal(released.target, odom);
    assert_int_equal(released.source, base);
    done(&r);
}

/* The article's proposed check: delayed transforms with unchanged stamps, and a separate test of freshness. */
static void freshness_is_the_consumers_decision_in_one_call(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "odom");
    snt_admission_policy policy;
    snt_admission_policy_init(&policy, sizeof policy);
    policy.domain = SNT_DOMAIN_UNIX;
    policy.max_age_ns = 100 * MS;
    tf_at(&r, "odom", "base", 1 * S);
    snt_sample sample;
    snt_frame base;
    snt_tf_buffer_frame(r.tf, "base", &base);
    static const int64_t delays[] = {50, 200}; /* ms until the transform comes */
    for (int i = 0; i < 2; i++) {
        const snt_time capture = (2 + i) * S;
        snt_sample_init(&sample, capture, SNT_DOMAIN_UNIX, (uint64_t)i);
        sample.flags = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
        snt_message_filter_add(r.filter, &sample, base, 500 * S);
        tf_at(&r, "odom", "base", capture + 1);
        const snt_time now = capture + delays[i] * MS;
        assert_status(snt_message_filter_poll(r.filter, 500 * S + delays[i] * MS, now, &released, results, 2),
                      SNT_OK);
        assert_i64_equal(released.capture_ns, capture); /* waiting did not restamp it */
        assert_i64_equal(released.release_stamp_ns, now);
        assert_i64_equal(released.age_ns, delays[i] * MS);
        assert_i64_equal(released.waited_ns, delays[i] * MS);
        const snt_bounded_time at = {.t = now,
                                     .lo = now,
                                     .hi = now,
                                     .domain = SNT_DOMAIN_UNIX,
                                     .flags = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI};
        snt_admission_record record;
        assert_status(snt_admission_check(&policy, &released.sample, &at, &record),
                      i ? SNT_ERR_STALE : SNT_OK);
    }
    done(&r);
}

static void what_waits_too_long_by_its_stamp_expires(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    cfg.max_age_ns = 100 * MS;
    rig r = make(&cfg, "odom");
    put(&r, "base", 1000 * MS, 1, SNT_UNKNOWN);
    put(&r, "base", 1050 * MS, 2, SNT_UNKNOWN);
    put(&r, "odom", 1000 * MS, 3, SNT_UNKNOWN); /* released, and nobody took it in time */
    assert_status(snt_message_filter_poll(r.filter, SNT_UNKNOWN, 1101 * MS, &released, results, 2),
                  SNT_EMPTY);
    assert_int_equal(take_drop(&r), SNT_DROP_EXPIRED);
    assert_int_equal(dropped.sample.token, 1);
    assert_int_equal(dropped.cause, SNT_DROP_NOT_CONNECTED);
    assert_i64_equal(dropped.age_ns, 101 * MS);
    assert_int_equal(take_drop(&r), SNT_DROP_EXPIRED);
    assert_int_equal(dropped.sample.token, 3);
    assert_int_equal(take_drop(&r), 0);
    done(&r);
}

/* geometry2 #366: 12 000 messages in a frame never known. Memory is fixed and an unrelated transform looks up nothing. */
static void an_unknown_frame_costs_unrelated_transforms_nothing(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "map");
    tf_at(&r, "map", "odom", 0);
    for (int i = 0; i < 12000; i++) {
        snt_sample sample;
        snt_frame ghost;
        snt_tf_buffer_frame(r.tf, "ghost", &ghost);
        snt_sample_init(&sample, i * 50 * MS, 0, (uint64_t)i);
        assert_true(snt_message_filter_add(r.filter, &sample, ghost, i * 50 * MS) >= 0);
        while (snt_message_filter_poll_drop(r.filter, &dropped) == SNT_OK)
            assert_int_equal(dropped.cause, SNT_DROP_NOT_CONNECTED);
    }
    books(&r);
    snt_filter_stats before, after;
    snt_message_filter_stats(r.filter, &before);
    assert_int_equal(before.waiting, 10);
    assert_int_equal(before.blocking_edges, 2); /* either root may get a parent */
    snt_frame odom;
    snt_tf_buffer_frame(r.tf, "odom", &odom);
    for (int i = 1; i < 1000; i++) {
        tf_at(&r, "map", "odom", i * MS);
        snt_message_filter_poll_edge(r.filter, odom, i * MS, SNT_UNKNOWN);
    }
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    snt_message_filter_stats(r.filter, &after);
    assert_int_equal(after.looked_up, before.looked_up);
    done(&r);
}

/* A chain of five moving edges: the sample moves from one blocking edge to the next, once each. */
static void a_sample_hangs_on_one_edge_at_a_time(void **state)
{
    (void)state;
    static const char *const frames[] = {"f0", "f1", "f2", "f3", "f4", "f5"};
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "f0");
    for (int i = 0; i < 5; i++)
        tf_at(&r, frames[i], frames[i + 1], 1 * S);
    put(&r, "f5", 2 * S, 1, SNT_UNKNOWN);
    snt_filter_stats stats;
    for (int i = 0; i < 5; i++) {
        assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
        snt_message_filter_stats(r.filter, &stats);
        assert_int_equal(stats.blocking_edges, 1);
        tf_at(&r, frames[i], frames[i + 1], 2 * S);
    }
    assert_i64_equal(take(&r, SNT_UNKNOWN), 1);
    snt_message_filter_stats(r.filter, &stats);
    assert_in_range(stats.looked_up, 2, 6);
    done(&r);
}

static void who_hangs_on_a_removed_frame_is_told(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "odom");
    snt_frame base;
    tf_at(&r, "odom", "base", 1 * S);
    put(&r, "base", 2 * S, 1, SNT_UNKNOWN);
    snt_tf_buffer_frame(r.tf, "base", &base);
    assert_status(snt_tf_buffer_remove_frame(r.tf, base), SNT_OK);
    assert_i64_equal(take(&r, SNT_UNKNOWN), -1);
    assert_int_equal(take_drop(&r), SNT_DROP_NO_FRAME);
    done(&r);
}

/* Blocking edges that come and go, many more than the table has places, so that they collide: none is lost. */
static void many_edges_come_and_go(void **state)
{
    (void)state;
    enum { EDGES = 600, HANGING = 100 };
    test_rng rng = rng_from_env();
    snt_tf_buffer_config tf;
    snt_message_filter_config cfg = config();
    rig r = {0};
    snt_tf_buffer_config_init(&tf, sizeof tf);
    tf.max_frames = 1024;
    tf.samples_per_edge = 8;
    assert_status(snt_tf_buffer_create(&tf, NULL, &r.tf), SNT_OK);
    cfg.capacity = HANGING;
    cfg.undrained = 1;
    cfg.flags = SNT_FILTER_NOTIFIED;
    assert_status(snt_message_filter_create(r.tf, &cfg, NULL, &r.filter), SNT_OK);
    snt_message_filter_set_target_named(r.filter, "odom");
    snt_frame odom, frames[EDGES];
    snt_time stamps[EDGES] = {0};
    snt_tf_buffer_frame(r.tf, "odom", &odom);
    for (int i = 0; i < EDGES; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        snt_tf_buffer_frame(r.tf, name, &frames[i]);
        tf_at(&r, "odom", name, 0);
    }
    bool waits[EDGES] = {false};
    int hanging = 0;
    for (int step = 0; step < 6000; step++) {
        int i = (int)rng_below(&rng, EDGES);
        while (hanging == HANGING && !waits[i])
            i = (int)rng_below(&rng, EDGES);
        hanging += waits[i] ? -1 : 1;
        if (!waits[i]) {
            snt_sample sample;
            snt_sample_init(&sample, stamps[i] + 1, 0, (uint64_t)i);
            assert_status(snt_message_filter_add(r.filter, &sample, frames[i], SNT_UNKNOWN), SNT_PENDING);
        } else {
            snt_tf_transform x;
            snt_tf_transform_init(&x, odom, frames[i], ++stamps[i]);
            assert_status(snt_tf_buffer_insert(r.tf, &x, NULL), SNT_OK);
            assert_status(snt_message_filter_poll_edge(r.filter, frames[i], stamps[i], SNT_UNKNOWN), SNT_OK);
            assert_status(snt_message_filter_poll(r.filter, SNT_UNKNOWN, SNT_UNKNOWN, &released, results, 2),
                          SNT_OK);
            assert_int_equal(released.sample.token, i);
        }
        waits[i] = !waits[i];
        if (step % 64 == 0)
            books(&r);
    }
    done(&r);
}

/* geometry2 #827: ready while registering, over and over: nothing is left behind. */
static void nothing_is_left_hanging(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "odom");
    snt_frame base, odom;
    snt_tf_buffer_frame(r.tf, "base", &base);
    snt_tf_buffer_frame(r.tf, "odom", &odom);
    for (int i = 1; i <= 20000; i++) {
        snt_sample sample;
        snt_tf_transform x;
        snt_sample_init(&sample, i * MS, 0, (uint64_t)i);
        snt_message_filter_add(r.filter, &sample, base, SNT_UNKNOWN);
        snt_tf_transform_init(&x, odom, base, i * MS);
        snt_tf_buffer_insert(r.tf, &x, NULL);
        snt_message_filter_poll_edge(r.filter, base, i * MS, SNT_UNKNOWN);
        assert_status(snt_message_filter_poll(r.filter, SNT_UNKNOWN, SNT_UNKNOWN, &released, results, 2),
                      SNT_OK);
        assert_int_equal(released.sample.token, i);
    }
    snt_filter_stats stats;
    snt_message_filter_stats(r.filter, &stats);
    assert_int_equal(stats.held, 0);
    assert_int_equal(stats.blocking_edges, 0);
    books(&r);
    done(&r);
}

/* 30 Hz delayed by 0.2 s: about six new messages arrive during that delay. */
static void the_suggested_capacity_is_rate_times_delay_and_a_margin(void **state)
{
    (void)state;
    assert_int_equal(snt_message_filter_suggest_capacity(S / 30, 200 * MS, 0),
                     7); /* 33.333333 ms: 6.00000006 */
    assert_int_equal(snt_message_filter_suggest_capacity(33333334, 200 * MS, 0), 6);
    assert_int_equal(snt_message_filter_suggest_capacity(33333334, 200 * MS, 4), 10);
    assert_int_equal(snt_message_filter_suggest_capacity(1, 0, 0), 1);
    assert_int_equal(snt_message_filter_suggest_capacity(0, 1, 0), 0);
    assert_int_equal(snt_message_filter_suggest_capacity(1, -1, 0), 0);
    assert_int_equal(snt_message_filter_suggest_capacity(1, INT64_MAX, 5), 1 << 20);
    /* and from what was seen: 30 Hz, transforms 200 ms late */
    snt_message_filter_config cfg = config();
    cfg.capacity = 20;
    rig r = make(&cfg, "odom");
    tf_at(&r, "odom", "base", -1);
    for (int i = 0; i < 60; i++) {
        put(&r, "base", i * 33333334, (uint64_t)i, i * 33333334);
        if (i * 33333334 > 200 * MS)
            tf_at(&r, "odom", "base", i * 33333334 - 200 * MS);
        while (take(&r, i * 33333334) >= 0)
            ;
    }
    snt_filter_stats stats;
    snt_message_filter_stats(r.filter, &stats);
    assert_in_range(stats.suggested_capacity, 8, 9); /* 6 or 7, and 2 */
    done(&r);
}

static void undrained_results_are_kept_and_further_adds_refused(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    cfg.undrained = 5;
    cfg.capacity = 2;
    rig r = make(&cfg, "odom");
    snt_sample sample;
    snt_frame odom;
    snt_tf_buffer_frame(r.tf, "odom", &odom);
    uint64_t given = 0;
    for (;; given++) {
        snt_sample_init(&sample, (snt_time)given, 0, given);
        if (snt_message_filter_add(r.filter, &sample, odom, SNT_UNKNOWN) == SNT_ERR_FULL)
            break;
    }
    assert_int_equal(given, 8);
    for (uint64_t i = 0; i < given; i++)
        assert_i64_equal(take(&r, SNT_UNKNOWN), (int64_t)i);
    put(&r, "base", 1, 1, SNT_UNKNOWN);
    put(&r, "odom", 1, 2, SNT_UNKNOWN);
    assert_status(snt_message_filter_clear(r.filter), SNT_OK);
    assert_int_equal(take_drop(&r), SNT_DROP_CLEARED);
    assert_int_equal(take_drop(&r), SNT_DROP_CLEARED);
    assert_int_equal(take_drop(&r), 0);
    done(&r);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    snt_message_filter_config cfg = config();
    rig r = make(&cfg, "odom");
    snt_message_filter *filter = (snt_message_filter *)1;
    assert_status(snt_message_filter_create(NULL, &cfg, NULL, &filter), SNT_ERR_INVALID_ARG);
    assert_null(filter);
    cfg.capacity = 0;
    assert_status(snt_message_filter_create(r.tf, &cfg, NULL, &filter), SNT_ERR_RANGE);
    cfg = config();
    cfg.overflow = 3;
    assert_status(snt_message_filter_create(r.tf, &cfg, NULL, &filter), SNT_ERR_INVALID_ARG);
    cfg = config();
    cfg.max_targets = 17;
    assert_status(snt_message_filter_create(r.tf, &cfg, NULL, &filter), SNT_ERR_RANGE);
    snt_frame many[5] = {1, 1, 1, 1, 1};
    assert_status(snt_message_filter_set_targets(r.filter, many, 5), SNT_ERR_RANGE);
    assert_status(snt_message_filter_set_targets(r.filter, many, 0), SNT_ERR_INVALID_ARG);
    many[0] = 0;
    assert_status(snt_message_filter_set_targets(r.filter, many, 1), SNT_ERR_INVALID_ARG);
    snt_sample sample;
    snt_sample_init(&sample, 1, 0, 0);
    sample.t1_ns = 0;
    assert_status(snt_message_filter_add(r.filter, &sample, many[1], 0), SNT_ERR_INVALID_ARG);
    sample.t1_ns = 1;
    sample.err_lo_ns = -1;
    sample.flags = SNT_TIME_BOUND_LO;
    assert_status(snt_message_filter_add(r.filter, &sample, many[1], 0), SNT_ERR_INVALID_ARG);
    sample.err_lo_ns = 0;
    sample.err_hi_ns = -1;
    sample.flags |= SNT_TIME_BOUND_HI;
    assert_status(snt_message_filter_add(r.filter, &sample, many[1], 0), SNT_ERR_INVALID_ARG);
    sample.flags = 0;
    sample.t1_ns = 0;
    assert_status(snt_message_filter_add(r.filter, NULL, many[1], 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_message_filter_poll(r.filter, 0, 0, &released, results, 1), SNT_ERR_BUFFER_TOO_SMALL);
    assert_status(snt_message_filter_poll_edge(r.filter, 0, 0, 0), SNT_ERR_INVALID_ARG);
    done(&r);
    snt_message_filter_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_when_the_transform_is_there),
        cmocka_unit_test(one_transform_releases_all_of_its_stamp_in_order_of_arrival),
        cmocka_unit_test(several_targets_must_all_be_there),
        cmocka_unit_test(a_tolerance_asks_for_more_time_on_either_side),
        cmocka_unit_test(an_interval_waits_for_its_end),
        cmocka_unit_test(nanoseconds_are_kept),
        cmocka_unit_test(a_full_queue_drops_by_policy_and_names_the_cause),
        cmocka_unit_test(keeping_the_longest_waiting_survives_late_transforms),
        cmocka_unit_test(a_timeout_says_how_much_is_missing_on_which_edge),
        cmocka_unit_test(a_stamp_ahead_is_released_within_the_timeout_or_not_at_all),
        cmocka_unit_test(by_default_a_sample_waits_for_ever),
        cmocka_unit_test(a_sample_of_another_declared_clock_is_dropped_as_such),
        cmocka_unit_test(too_old_and_another_clock_are_told_apart),
        cmocka_unit_test(what_cannot_be_looked_up_is_dropped_with_its_reason),
        cmocka_unit_test(releases_ascend_by_stamp),
        cmocka_unit_test(strict_fifo_holds_the_younger_behind_the_older),
        cmocka_unit_test(changed_targets_and_tolerance_look_up_what_waits),
        cmocka_unit_test(an_old_session_is_dropped_and_its_stragglers_refused),
        cmocka_unit_test(the_transform_comes_with_the_sample),
        cmocka_unit_test(freshness_is_the_consumers_decision_in_one_call),
        cmocka_unit_test(what_waits_too_long_by_its_stamp_expires),
        cmocka_unit_test(an_unknown_frame_costs_unrelated_transforms_nothing),
        cmocka_unit_test(a_sample_hangs_on_one_edge_at_a_time),
        cmocka_unit_test(who_hangs_on_a_removed_frame_is_told),
        cmocka_unit_test(many_edges_come_and_go),
        cmocka_unit_test(nothing_is_left_hanging),
        cmocka_unit_test(the_suggested_capacity_is_rate_times_delay_and_a_margin),
        cmocka_unit_test(undrained_results_are_kept_and_further_adds_refused),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests_name("message_filter", tests, NULL, NULL);
}
