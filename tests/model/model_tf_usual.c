/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The short way into the ring against the long one. Two buffers are told the same, random and often hostile. To one of them
 * the edge's statistics are asked for before each insert, after which an insert has to go the long way. Every status and
 * effect, every statistic, every answer and explanation must have the same bytes.
 */
#include "tf_world.h"

enum { FRAMES = 6, LONG_RUN = 40 };

typedef struct twins {
    test_rng rng;
    snt_tf_buffer *b[2]; /* usual, long */
    snt_frame ids[FRAMES];
    int parent[FRAMES];
    int64_t newest[FRAMES];
    uint32_t authority[FRAMES], domain[FRAMES];
    int64_t clock;
    uint64_t stored, refused, effects;
    uint64_t notified[2];
} twins;

/* Stamps near the ends of the range wrap around; so they do on both sides. */
static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void count_notify(void *user, snt_frame child, snt_time newest)
{
    *(uint64_t *)user = *(uint64_t *)user * 31 + child * 7 + (uint64_t)newest;
}

static void twins_begin(twins *w, uint32_t kind)
{
    for (int i = 0; i < 2; i++) {
        snt_tf_buffer_config cfg;
        snt_tf_buffer_config_init(&cfg, sizeof cfg);
        cfg.max_frames = FRAMES + 2;
        cfg.samples_per_edge = kind & 1 ? 16 : 256;
        cfg.max_samples = 8192;
        cfg.keep_ns = kind & 2 ? 3000 : 100000;
        cfg.max_step_ns = kind & 4 ? 50000 : SNT_UNKNOWN;
        cfg.max_future_ns = kind & 8 ? 400 : SNT_UNKNOWN;
        cfg.jump_back_ns = kind & 16 ? 20000 : 0;
        cfg.conflict = kind & 32 ? SNT_TF_CONFLICT_FIRST : SNT_TF_CONFLICT_LAST;
        cfg.flags = kind & 64 ? SNT_TF_STRICT_DUPLICATES : 0;
        if (kind & 128) {
            cfg.notify = count_notify;
            cfg.notify_user = &w->notified[i];
        }
        assert_status(snt_tf_buffer_create(&cfg, NULL, &w->b[i]), SNT_OK);
    }
    for (int f = 0; f < FRAMES; f++)
        w->parent[f] = f > 0 ? (int)rng_below(&w->rng, (uint64_t)f) : -1;
    w->clock = rng_below(&w->rng, 8) ? 1000000 : INT64_MIN + 5000;
}

static void twins_end(twins *w)
{
    for (int i = 0; i < 2; i++)
        snt_tf_buffer_destroy(w->b[i]);
}

static void make_frames(twins *w)
{
    for (int f = 0; f < FRAMES; f++) {
        char name[8];
        snt_frame other;
        snprintf(name, sizeof name, "f%d", f);
        assert_status(snt_tf_buffer_frame(w->b[0], name, &w->ids[f]), SNT_OK);
        assert_status(snt_tf_buffer_frame(w->b[1], name, &other), SNT_OK);
        assert_true(other == w->ids[f]);
    }
}

static double odd_number(twins *w)
{
    switch (rng_below(&w->rng, 8)) {
    case 0:
        return (double)NAN;
    case 1:
        return (double)INFINITY;
    case 2:
        return -(double)INFINITY;
    case 3:
        return -0.0;
    case 4:
        return 1.7e308;
    case 5:
        return -1.7e308;
    case 6:
        return 5e-324;
    default:
        return 0;
    }
}

static void some_pose(twins *w, snt_pose *p)
{
    const double turn[3] = {rng_range(&w->rng, -3, 3), rng_range(&w->rng, -1, 1), rng_range(&w->rng, -1, 1)};
    snt_rotation_exp(turn, p->q);
    if (rng_below(&w->rng, 4)) /* as most poses are: the sign is fixed already */
        for (int i = 0; p->q[3] < 0 && i < 4; i++)
            p->q[i] = -p->q[i];
    for (int i = 0; i < 3; i++)
        p->t[i] = rng_range(&w->rng, -50, 50);
    if (rng_below(&w->rng, 10) == 0)
        p->t[rng_below(&w->rng, 3)] = odd_number(w);
    if (rng_below(&w->rng, 20) == 0)
        p->q[rng_below(&w->rng, 4)] = odd_number(w);
    if (rng_below(&w->rng, 10) == 0) {
        const double scale = 1 + rng_range(&w->rng, -1, 1) * pow(10, -(double)rng_below(&w->rng, 17));
        for (int i = 0; i < 4; i++)
            p->q[i] *= scale;
    }
    if (rng_below(&w->rng, 10) == 0) {
        for (int i = 0; i < 4; i++)
            p->q[i] = rng_below(&w->rng, 2) ? 0.0 : -0.0;
        p->q[rng_below(&w->rng, 4)] = rng_below(&w->rng, 2) ? 1 : -1;
    }
}

static void insert(twins *w, const snt_tf_transform *in)
{
    snt_tf_edge_info info;
    uint32_t effect[2] = {77, 77};
    (void)snt_tf_buffer_edge_info(w->b[1], in->child, &info);
    const snt_status a = snt_tf_buffer_insert(w->b[0], in, &effect[0]);
    const snt_status b = snt_tf_buffer_insert(w->b[1], in, &effect[1]);
    assert_status(a, b);
    assert_int_equal(effect[0], effect[1]);
    w->stored += a == SNT_OK;
    w->refused += a < 0;
    w->effects |= effect[0];
}

static void special(twins *w, snt_tf_transform *in)
{
    static const int64_t edges[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX, 0};
    static const snt_frame nobody[] = {0, UINT64_MAX, 1, UINT64_C(0xffffffff00000001), UINT64_C(1) << 32};
    switch (rng_below(&w->rng, 14)) {
    case 0:
        in->stamp = edges[rng_below(&w->rng, 5)];
        break;
    case 1:
        in->parent = nobody[rng_below(&w->rng, 5)];
        break;
    case 2:
        in->child = nobody[rng_below(&w->rng, 5)];
        break;
    case 3:
        in->parent = in->child;
        break;
    case 4:
        in->parent = w->ids[rng_below(&w->rng, FRAMES)];
        break;
    case 5:
        in->authority = (uint32_t)rng_below(&w->rng, 4);
        break;
    case 6:
        in->domain = (uint32_t)rng_below(&w->rng, 3);
        break;
    case 7:
        in->session = (uint32_t)rng_below(&w->rng, 3);
        break;
    case 8:
        in->flags = (uint32_t)rng_below(&w->rng, 5);
        break;
    case 9:
        in->err_ns = rng_below(&w->rng, 3) ? rng_int(&w->rng, 0, 1000) : -1;
        break;
    case 10:
        in->now = plus(in->stamp, rng_int(&w->rng, -2000, 2000));
        break;
    case 11:
        in->stamp = plus(in->stamp, rng_int(&w->rng, 0, 200000)); /* ahead of all that follow */
        break;
    case 12:
        in->child ^= UINT64_C(1) << 33; /* the slot of one, the generation of another */
        break;
    default:
        in->parent ^= UINT64_C(1) << 33;
    }
}

/* One edge, many times: mostly regular, as the short way likes it. */
static void run_of_inserts(twins *w)
{
    const int f = 1 + (int)rng_below(&w->rng, FRAMES - 1), n = (int)rng_below(&w->rng, LONG_RUN);
    const int64_t period = rng_int(&w->rng, 1, 60);
    const bool with_now = rng_below(&w->rng, 3) == 0;
    for (int i = 0; i < n; i++) {
        snt_tf_transform in;
        w->clock = plus(w->clock, period + (rng_below(&w->rng, 4) ? 0 : rng_int(&w->rng, 0, period)));
        if (rng_below(&w->rng, 60) == 0)
            w->clock = plus(w->clock, rng_int(&w->rng, 0, 120000)); /* a pause */
        if (rng_below(&w->rng, 400) == 0)
            w->clock = plus(w->clock, -rng_int(&w->rng, 0, 60000));
        snt_tf_transform_init(&in, w->ids[w->parent[f]], w->ids[f], w->clock);
        some_pose(w, &in.pose);
        in.authority = w->authority[f];
        in.domain = w->domain[f];
        if (with_now)
            in.now = plus(in.stamp, rng_int(&w->rng, -600, 600));
        if (rng_below(&w->rng, 25) == 0)
            in.stamp = plus(in.stamp, -rng_int(&w->rng, 0, 4 * period)); /* late, or again */
        if (rng_below(&w->rng, 12) == 0)
            special(w, &in);
        insert(w, &in);
    }
}

static void both(const twins *w, int what, snt_frame f, uint32_t number)
{
    snt_status status[2];
    for (int i = 0; i < 2; i++) {
        snt_tf_buffer *b = w->b[i];
        snt_tf_edge_config config;
        snt_tf_edge_config_init(&config, sizeof config);
        config.keep_ns = number * 500;
        status[i] = what == 0   ? snt_tf_buffer_clear_dynamic(b)
                    : what == 1 ? snt_tf_buffer_remove_frame(b, f)
                    : what == 2 ? snt_tf_buffer_convert(b, f, number % 3)
                    : what == 3 ? snt_tf_buffer_reset(b, 1 + number % 3)
                    : what == 4 ? snt_tf_buffer_edge_configure(b, f, &config)
                    : what == 5 ? snt_tf_buffer_reserve(b, f, number)
                    : what == 6 ? snt_tf_buffer_observe_clock(b, plus(w->clock, number))
                                : snt_tf_buffer_gc(b, plus(w->clock, -20000), NULL);
    }
    assert_status(status[0], status[1]);
}

static void compare(twins *w)
{
    for (int f = 0; f < FRAMES; f++) {
        snt_tf_edge_info info[2];
        memset(info, 0, sizeof info);
        assert_status(snt_tf_buffer_edge_info(w->b[0], w->ids[f], &info[0]),
                      snt_tf_buffer_edge_info(w->b[1], w->ids[f], &info[1]));
        assert_memory_equal(&info[0], &info[1], sizeof info[0]);
    }
    snt_tf_buffer_info total[2];
    for (int i = 0; i < 2; i++)
        assert_status(snt_tf_buffer_get_info(w->b[i], &total[i]), SNT_OK);
    assert_memory_equal(&total[0], &total[1], sizeof total[0]);
    assert_true(w->notified[0] == w->notified[1]);
}

static void ask(twins *w)
{
    const snt_frame target = w->ids[rng_below(&w->rng, FRAMES)], source = w->ids[rng_below(&w->rng, FRAMES)];
    const int64_t t = plus(w->clock, -rng_int(&w->rng, -100, rng_below(&w->rng, 2) ? 200 : 5000));
    snt_tf_result r[2];
    snt_tf_miss miss[2];
    memset(r, 0, sizeof r);
    memset(miss, 0, sizeof miss);
    const snt_status a = snt_tf_buffer_lookup(w->b[0], target, source, t, &r[0], &miss[0]);
    assert_status(a, snt_tf_buffer_lookup(w->b[1], target, source, t, &r[1], &miss[1]));
    assert_memory_equal(&r[0], &r[1], sizeof r[0]);
    assert_memory_equal(&miss[0], &miss[1], sizeof miss[0]);
    assert_status(snt_tf_buffer_lookup_latest(w->b[0], target, source, &r[0], NULL),
                  snt_tf_buffer_lookup_latest(w->b[1], target, source, &r[1], NULL));
    assert_memory_equal(&r[0], &r[1], sizeof r[0]);
}

static void the_short_way_does_what_the_long_one_does(void **state)
{
    (void)state;
    twins w = {.rng = rng_from_env()};
    const int worlds = getenv("SNT_LONG") ? 16384 : 1024;
    for (int world = 0; world < worlds; world++) {
        w.notified[0] = w.notified[1] = 0;
        twins_begin(&w, (uint32_t)rng_below(&w.rng, 256));
        make_frames(&w);
        for (int i = 0; i < 200; i++) {
            run_of_inserts(&w);
            const uint64_t what = rng_below(&w.rng, 100);
            if (what < 50)
                ask(&w);
            if (what < 8)
                both(&w, (int)what, w.ids[rng_below(&w.rng, FRAMES)], (uint32_t)rng_below(&w.rng, 50));
            if (what < 14)
                make_frames(&w);
            if (what > 93)
                compare(&w);
            const int f = (int)rng_below(&w.rng, FRAMES);
            if (what == 70)
                w.authority[f] = (uint32_t)rng_below(&w.rng, 3);
            if (what == 71)
                w.domain[f] = (uint32_t)rng_below(&w.rng, 3);
            if (what == 72 && f > 0)
                w.parent[f] = (int)rng_below(&w.rng, (uint64_t)f);
        }
        compare(&w);
        twins_end(&w);
    }
    printf("# %" PRIu64 " stored, %" PRIu64 " refused\n", w.stored, w.refused);
    assert_true(w.stored > 100000 && w.refused > 10000);
    const uint64_t all = SNT_TF_APPENDED | SNT_TF_LATE | SNT_TF_SAME | SNT_TF_CHANGED | SNT_TF_REPARENTED |
                         SNT_TF_QUARANTINED | SNT_TF_SESSION_NEW | SNT_TF_CONFLICTED | SNT_TF_CREATED;
    assert_true((w.effects & all) == all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_short_way_does_what_the_long_one_does)};
    return cmocka_run_group_tests_name("model_tf_usual", tests, NULL, NULL);
}
