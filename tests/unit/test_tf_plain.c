/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transform buffer answers plain questions by a way of its own (lib/tf/tf_plain.c), which must give every bit that the
 * general way gives. A limit on the age that nothing exceeds sends a question the general way and changes nothing else, so
 * that the two can be held against each other: on random chains with constant and reversed edges, all sizes of arcs, holes,
 * jumps, late samples and settings; and while a writer appends, replaces, reparents and clears between the questions.
 */
#include "tf_world.h"

enum { MOST = 40 };

static test_rng rng;

static bool chance(double p)
{
    return rng_unit(&rng) < p;
}

static snt_pose random_step(double angle, double distance)
{
    snt_twist x;
    for (int i = 0; i < 3; i++) {
        x.w[i] = rng_normal(&rng) * angle;
        x.v[i] = rng_normal(&rng) * distance;
    }
    snt_pose p;
    snt_pose_exp(&x, 1, &p);
    return p;
}

static snt_pose exact_turn(double angle)
{
    snt_twist x = {{0.1, 0, 0}, {rng_normal(&rng), rng_normal(&rng), rng_normal(&rng)}};
    const double k = angle / sqrt(x.w[0] * x.w[0] + x.w[1] * x.w[1] + x.w[2] * x.w[2]);
    for (int i = 0; i < 3; i++)
        x.w[i] *= k;
    snt_pose p;
    snt_pose_exp(&x, 1, &p);
    return p;
}

/* Exact numbers, with zeros of both signs. */
static snt_pose along_axes(void)
{
    return chance(0.5) ? (snt_pose){{0, -0.0, 1, -0.0}, {-0.0, 0, 2}}
                       : (snt_pose){{0, 0, -0.0, 1}, {-0.0, -0.0, 0}};
}

/* ---- asking in every way ---- */

typedef struct answer {
    snt_status status;
    snt_tf_result r;
    snt_tf_miss m;
} answer;

static void blank(answer *a)
{
    memset(a, 0, sizeof *a);
    memset(&a->r, 0xa5, sizeof a->r);
}

static void assert_same(const answer *a, const answer *b)
{
    assert_status(a->status, b->status);
    assert_memory_equal(&a->r, &b->r, sizeof a->r); /* untouched by both where there is none */
    if (a->status < 0)
        assert_memory_equal(&a->m, &b->m, sizeof a->m);
}

static answer ask_generally(const snt_tf_path *path, uint32_t when, int64_t t)
{
    answer a;
    blank(&a);
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    q.when = when;
    q.t = t;
    q.now = INT64_MIN / 2; /* nothing is too old for that */
    q.max_age_ns = INT64_MAX;
    a.status = snt_tf_path_ask(path, &q, NULL, &a.r, &a.m);
    return a;
}

static uint64_t answers, misses, held;

static void compare_ways(const tf_world *w, const snt_tf_path *path, snt_frame target, snt_frame source,
                         snt_tf_cursor *cursor, int64_t t)
{
    const answer expected = ask_generally(path, SNT_TF_AT, t);
    *(expected.status == SNT_OK ? &answers : &misses) += 1;
    held += expected.status == SNT_OK && (expected.r.flags & SNT_TF_HELD);
    answer a;
    blank(&a);
    a.status = snt_tf_path_lookup(path, t, &a.r, &a.m);
    assert_same(&a, &expected);
    blank(&a);
    a.status = snt_tf_buffer_lookup(w->b, target, source, t, &a.r, &a.m);
    a.r.flags |= expected.r.flags & SNT_TF_STALE_PATH; /* who has no path has none that is stale */
    assert_same(&a, &expected);
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    q.t = t;
    for (int twice = 0; twice < 2; twice++) { /* the second time with the best of hints */
        blank(&a);
        a.status = snt_tf_path_ask(path, &q, cursor, &a.r, &a.m);
        assert_same(&a, &expected);
    }
    snt_pose pose;
    memset(&pose, 0xa5, sizeof pose);
    assert_status(snt_tf_path_lookup_many(path, NULL, cursor, &t, 0, 1, &pose, 0, NULL, NULL),
                  expected.status);
    assert_memory_equal(&pose, &expected.r.pose, sizeof pose);
}

static void compare_latest(const tf_world *w, const snt_tf_path *path, snt_frame target, snt_frame source,
                           snt_tf_cursor *cursor)
{
    const answer expected = ask_generally(path, SNT_TF_LATEST_COMMON, 0);
    if (expected.status == SNT_OK && (expected.r.flags & SNT_TF_ALL_STATIC))
        return; /* its stamp is `now`, which the others do not give */
    answer a;
    blank(&a);
    a.status = snt_tf_path_lookup_latest(path, &a.r, &a.m);
    assert_same(&a, &expected);
    blank(&a);
    a.status = snt_tf_path_ask(path, NULL, cursor, &a.r, &a.m);
    assert_same(&a, &expected);
    blank(&a);
    a.status = snt_tf_buffer_lookup_latest(w->b, target, source, &a.r, &a.m);
    a.r.flags |= expected.r.flags & SNT_TF_STALE_PATH; /* who has no path has none that is stale */
    assert_same(&a, &expected);
}

/* ---- random chains ---- */

typedef struct chain {
    tf_world w;
    int depth, peak; /* frames up to the peak hang on the next one, those after it on the one before */
    snt_frame f[MOST + 1];
    int64_t end;
    int64_t stamps[64]; /* some that samples have */
    int n;
    bool known_errors;
    bool axes, wide;
    uint32_t domain;
} chain;

static snt_tf_transform edge_sample(chain *c, int i, int64_t t)
{
    snt_tf_transform in;
    if (i < c->peak)
        snt_tf_transform_init(&in, c->f[i + 1], c->f[i], t);
    else
        snt_tf_transform_init(&in, c->f[i], c->f[i + 1], t);
    return in;
}

static void fill_edge(chain *c, int i)
{
    static const double angles[] = {0, 1e-6, 1e-3, 2e-2, 0.1, 0.3, 1.5};
    snt_tf_transform in = edge_sample(c, i, 0);
    in.pose = c->axes ? along_axes() : random_step(1, 3);
    in.domain = chance(0.05) ? SNT_DOMAIN_USER : c->domain;
    if (chance(0.2)) {
        assert_status(snt_tf_buffer_insert_static(c->w.b, &in, NULL), SNT_OK);
        return;
    }
    if (chance(0.02)) {
        snt_tf_edge_config e;
        snt_tf_edge_config_init(&e, sizeof e);
        e.interpolation = SNT_INTERPOLATE_HOLD + (uint32_t)rng_below(&rng, 4);
        e.max_gap_ns = chance(0.5) ? rng_int(&rng, 1, S(0.4)) : 0;
        e.may_jump = (uint32_t)rng_below(&rng, 3);
        e.max_accel = chance(0.5) ? 1 : 0;
        e.max_angular_accel = chance(0.5) ? 1 : 0;
        assert_status(snt_tf_buffer_edge_configure(c->w.b, in.child, &e), SNT_OK);
    }
    /* some just short of where the series for an arc takes more terms */
    static const double edges[] = {5.65e-3, 6.92e-2, 0.49, 1.58};
    const bool exact = chance(0.3);
    const double turn = edges[rng_below(&rng, sizeof edges / sizeof edges[0] - !c->wide)];
    const uint64_t sizes = sizeof angles / sizeof angles[0] - !c->wide;
    const double angle = angles[rng_below(&rng, sizes)];
    const int64_t period = rng_int(&rng, 1, S(0.3));
    const int count = 2 + (int)rng_below(&rng, 60);
    const bool errors = c->known_errors && chance(0.5), lates = chance(0.1);
    for (int k = 0; k < count; k++) {
        snt_pose step = exact ? exact_turn(turn * rng_range(&rng, 0.98, 1)) : random_step(angle, 0.1);
        if (c->axes)
            in.pose = along_axes();
        else
            snt_pose_compose(&in.pose, &step, &in.pose);
        in.err_ns = errors ? 100 : SNT_UNKNOWN;
        in.flags = chance(0.005) ? SNT_TF_DISCONTINUITY : 0;
        assert_status(snt_tf_buffer_insert(c->w.b, &in, NULL), SNT_OK);
        if (lates && k > 2 && chance(0.1)) {
            snt_tf_transform late = in;
            late.stamp -= rng_int(&rng, 0, period / 2);
            late.pose = random_step(1, 1);
            assert_true(snt_tf_buffer_insert(c->w.b, &late, NULL) >= 0);
        }
        if (c->n < 64)
            c->stamps[c->n++] = in.stamp;
        in.stamp += chance(0.05) ? 3 * period : period - (period > 8 ? rng_int(&rng, 0, period / 8) : 0);
    }
    c->end = in.stamp > c->end ? in.stamp : c->end;
}

static chain chain_make(void)
{
    chain c = {.depth = 1 + (int)rng_below(&rng, chance(0.05) ? MOST : 12)};
    snt_tf_buffer_config config;
    snt_tf_buffer_config_init(&config, sizeof config);
    config.max_samples = 4096;
    config.samples_per_edge = 32; /* rings go round */
    config.max_gap_ns = chance(0.2) ? rng_int(&rng, S(0.01), S(0.5)) : 0;
    config.extrapolate_ns = chance(0.2) ? S(0.05) : 0;
    config.keep_ns = S(1000);
    if (chance(0.1))
        config.interpolation = SNT_INTERPOLATE_NEAREST;
    c.w = world_with(&config);
    c.peak = chance(0.4) ? 0 : (int)rng_below(&rng, (uint64_t)c.depth + 1);
    c.known_errors = chance(0.1);
    const bool corrected = chance(0.3); /* its first edge may jump, by name */
    c.axes = chance(0.2);
    c.wide = chance(0.2);
    c.domain = chance(0.2) ? SNT_DOMAIN_TAI : 0;
    for (int i = 0; i <= c.depth; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%d", i);
        c.f[i] = frame(&c.w, i < 2 && corrected ? (i == 0 ? "map" : "odom") : name);
    }
    for (int i = 0; i < c.depth; i++)
        fill_edge(&c, i);
    return c;
}

static void every_way_of_asking_gives_the_same_bits(void **state)
{
    (void)state;
    rng = rng_from_env();
    answers = misses = held = 0;
    for (int round = 0; round < 400; round++) {
        chain c = chain_make();
        snt_tf_path *path;
        snt_tf_cursor cursor;
        snt_tf_cursor_init(&cursor);
        assert_status(snt_tf_path_create(c.w.b, c.f[0], c.f[c.depth], &path), SNT_OK);
        for (int k = 0; k < 40; k++) {
            int64_t t = rng_int(&rng, -c.end / 50, c.end + c.end / 50 + 1);
            if (c.n && chance(0.3))
                t = c.stamps[rng_below(&rng, (uint64_t)c.n)] + rng_int(&rng, -1, 1);
            if (chance(0.05))
                memset(&cursor, (int)rng_below(&rng, 256), sizeof cursor); /* any bytes will do */
            compare_ways(&c.w, path, c.f[0], c.f[c.depth], &cursor, t);
        }
        compare_latest(&c.w, path, c.f[0], c.f[c.depth], &cursor);
        snt_tf_path_destroy(path);
        world_end(&c.w);
    }
    assert_true(answers > 1000 && misses > 1000);
}

/* ---- beside a writer ---- */

enum { EDGES = 6 };

typedef struct fleet {
    tf_world w;
    snt_frame f[EDGES + 1], other;
    snt_pose pose[EDGES];
    int64_t next[EDGES], period[EDGES];
    bool away; /* the fourth frame hangs on another one */
} fleet;

static void fleet_append(fleet *x, int i, bool again)
{
    snt_tf_transform in;
    snt_tf_transform_init(&in, x->away && i == 3 ? x->other : x->f[i], x->f[i + 1],
                          x->next[i] - (again ? x->period[i] : 0));
    if (again && in.stamp <= 0)
        return;
    const snt_pose step = random_step(again ? 0.5 : 0.01, 0.1);
    snt_pose_compose(&x->pose[i], &step, &x->pose[i]);
    in.pose = x->pose[i];
    assert_true(snt_tf_buffer_insert(x->w.b, &in, NULL) >= 0);
    if (!again)
        x->next[i] += x->period[i];
}

static void fleet_change(fleet *x, int64_t now)
{
    for (int i = 0; i < EDGES; i++)
        while (x->next[i] <= now)
            fleet_append(x, i, false);
    const int i = (int)rng_below(&rng, EDGES);
    if (chance(0.02))
        fleet_append(x, i, true); /* the newest, replaced */
    if (chance(0.01)) {           /* late */
        snt_tf_transform in;
        snt_tf_transform_init(&in, x->away && i == 3 ? x->other : x->f[i], x->f[i + 1],
                              now - rng_int(&rng, 0, S(0.2)));
        in.pose = random_step(0.5, 0.5);
        (void)snt_tf_buffer_insert(x->w.b, &in, NULL);
    }
    if (chance(0.005))
        x->away = !x->away;
    if (chance(0.002))
        assert_status(snt_tf_buffer_clear_dynamic(x->w.b), SNT_OK);
}

static void cursors_and_paths_follow_a_writer_that_appends_replaces_reparents_and_clears(void **state)
{
    (void)state;
    rng = rng_from_env();
    answers = misses = held = 0;
    snt_tf_buffer_config config;
    snt_tf_buffer_config_init(&config, sizeof config);
    config.samples_per_edge = 64;
    fleet x = {.w = world_with(&config)};
    x.other = frame(&x.w, "other");
    for (int i = 0; i <= EDGES; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%d", i);
        x.f[i] = frame(&x.w, name);
    }
    snt_tf_transform in; /* where the fourth goes to is another part of the same tree */
    snt_tf_transform_init(&in, x.f[1], x.other, 0);
    in.pose = random_step(1, 1);
    assert_status(snt_tf_buffer_insert_static(x.w.b, &in, NULL), SNT_OK);
    for (int i = 0; i < EDGES; i++) {
        x.pose[i] = random_step(1, 1);
        x.period[i] = rng_int(&rng, S(0.002), S(0.02));
    }
    snt_tf_path *path;
    snt_tf_cursor cursor;
    snt_tf_cursor_init(&cursor);
    fleet_change(&x, S(0.1));
    assert_status(snt_tf_path_create(x.w.b, x.f[0], x.f[EDGES], &path), SNT_OK);
    int64_t t = S(0.05), now = S(0.1);
    for (int k = 0; k < 20000; k++) {
        now += rng_int(&rng, 0, S(0.002));
        fleet_change(&x, now);
        t += rng_int(&rng, 0, S(0.002));
        if (t > now || chance(0.01))
            t = now - rng_int(&rng, 0, S(0.3));
        if (chance(0.3)) /* hints a lap ahead: the same slots, which may hold what was cleared */
            for (int i = 0; i < EDGES; i++)
                cursor.hint[i] += 64;
        compare_ways(&x.w, path, x.f[0], x.f[EDGES], &cursor, t);
        if (k % 8 == 0)
            compare_latest(&x.w, path, x.f[0], x.f[EDGES], &cursor);
        if (chance(0.002))
            (void)snt_tf_path_refresh(path);
    }
    assert_true(answers > 2000 && held > 20);
    snt_tf_path_destroy(path);
    world_end(&x.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_of_asking_gives_the_same_bits),
        cmocka_unit_test(cursors_and_paths_follow_a_writer_that_appends_replaces_reparents_and_clears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
