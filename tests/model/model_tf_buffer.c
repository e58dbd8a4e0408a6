/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random operations on the transform buffer against a slow, obviously right model: one sorted array of samples per frame,
 * no ring, no overlay, no cache. Every lookup must give what the model gives, by ids, by a long-lived path, by a cursor
 * and in a batch; and OK exactly where the model has an answer. 10^6 steps, 10^7 with SNT_LONG.
 */
#include "tf_world.h"

enum { FRAMES = 10, CAPACITY = 4096, PATHS = 8 };

typedef struct slow_sample {
    int64_t stamp;
    int parent;
    snt_pose pose;
    bool jump;
} slow_sample;

typedef struct slow_edge {
    bool exists; /* the frame */
    uint32_t kind;
    int parent; /* newest; −1 = root */
    snt_pose fixed;
    int64_t floor; /* what was forgotten with a parent; nothing older is taken */
    int n;
    slow_sample samples[CAPACITY];
} slow_edge;

typedef struct model {
    tf_world w;
    test_rng rng;
    int64_t keep;
    bool bounded; /* rings so small that the buffer may know less than the model */
    snt_frame ids[FRAMES];
    slow_edge *edges;
    int64_t clock;
    snt_tf_path *paths[PATHS];
    int path_frames[PATHS][2];
    snt_frame path_ids[PATHS][2];
    uint64_t ok, refused;
} model;

/* ---- the model ---- */

static slow_edge *edge_of(model *m, int frame)
{
    return &m->edges[frame];
}

static bool would_cycle(model *m, int child, int parent)
{
    for (int at = parent; at >= 0; at = edge_of(m, at)->parent)
        if (at == child)
            return true;
    return false;
}

static int slow_find(const slow_edge *e, int64_t t)
{
    int i = e->n - 1;
    while (i >= 0 && e->samples[i].stamp > t)
        i--;
    return i;
}

static void slow_put(model *m, int child, slow_sample s)
{
    slow_edge *e = edge_of(m, child);
    int i = slow_find(e, s.stamp);
    if (i < 0 || e->samples[i].stamp != s.stamp) {
        i++;
        assert_true(e->n < CAPACITY);
        memmove(e->samples + i + 1, e->samples + i, (size_t)(e->n - i) * sizeof e->samples[0]);
        e->n++;
    }
    e->samples[i] = s;
    int drop = 0;
    while (drop < e->n && e->samples[drop].stamp < e->samples[e->n - 1].stamp - m->keep)
        drop++;
    memmove(e->samples, e->samples + drop, (size_t)(e->n - drop) * sizeof e->samples[0]);
    e->n -= drop;
}

/* Pose and parent of one edge at t. */
static bool slow_at(model *m, int child, int64_t t, int *parent, snt_pose *pose)
{
    const slow_edge *e = edge_of(m, child);
    if (e->kind == SNT_TF_STATIC) {
        *parent = e->parent;
        *pose = e->fixed;
        return true;
    }
    const int i = slow_find(e, t);
    if (e->kind != SNT_TF_DYNAMIC || i < 0 || (i == e->n - 1 && e->samples[i].stamp != t))
        return false;
    const slow_sample *a = &e->samples[i], *b = a + 1;
    *parent = a->parent;
    *pose = a->pose;
    if (a->stamp != t && a->parent == b->parent && !b->jump)
        assert_status(snt_pose_interpolate(&a->pose, &b->pose,
                                           (double)(t - a->stamp) / (double)(b->stamp - a->stamp), 0, pose),
                      SNT_OK);
    return true;
}

static int slow_climb(model *m, int frame, int64_t t, int *frames, snt_pose *poses)
{
    int n = 0;
    poses[0] = (snt_pose){{0, 0, 0, 1}, {0, 0, 0}};
    frames[0] = frame;
    for (int parent; n < FRAMES; n++) {
        snt_pose step;
        if (!slow_at(m, frames[n], t, &parent, &step) || parent < 0)
            break;
        snt_pose_compose(&step, &poses[n], &poses[n + 1]);
        frames[n + 1] = parent;
    }
    return n;
}

/* Late samples may give a moment parents in a circle, where several answers are as good as another. */
static bool in_circles(const int *frames, int n)
{
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < i; j++)
            if (frames[i] == frames[j])
                return true;
    return false;
}

static bool slow_lookup(model *m, int target, int source, int64_t t, snt_pose *out, bool *circle)
{
    int up_s[FRAMES + 2], up_t[FRAMES + 2];
    snt_pose pose_s[FRAMES + 2], pose_t[FRAMES + 2];
    const int ns = slow_climb(m, source, t, up_s, pose_s), nt = slow_climb(m, target, t, up_t, pose_t);
    *circle = in_circles(up_s, ns) || in_circles(up_t, nt);
    for (int i = 0; i <= ns; i++) {
        for (int j = 0; j <= nt; j++) {
            if (up_s[i] != up_t[j])
                continue;
            snt_pose_between(&pose_t[j], &pose_s[i], out);
            return true;
        }
    }
    return false;
}

/* ---- operations ---- */

static int pick(model *m)
{
    return (int)rng_below(&m->rng, FRAMES);
}

static void need_frame(model *m, int f)
{
    char name[16];
    snprintf(name, sizeof name, "f%d", f);
    assert_status(snt_tf_buffer_frame(m->w.b, name, &m->ids[f]), SNT_OK);
    edge_of(m, f)->exists = true;
}

static snt_pose some_pose(model *m)
{
    snt_pose p;
    const double w[3] = {rng_range(&m->rng, -1, 1), rng_range(&m->rng, -1, 1), rng_range(&m->rng, -3, 3)};
    snt_rotation_exp(w, p.q);
    if (p.q[3] < 0)
        for (int i = 0; i < 4; i++)
            p.q[i] = -p.q[i];
    for (int i = 0; i < 3; i++)
        p.t[i] = rng_range(&m->rng, -5, 5);
    return p;
}

static void do_insert(model *m)
{
    const int child = pick(m);
    slow_edge *e = edge_of(m, child);
    int parent = e->parent >= 0 && rng_below(&m->rng, 50) ? e->parent : pick(m);
    if (e->kind == SNT_TF_STATIC || parent == child)
        return;
    need_frame(m, child);
    need_frame(m, parent);
    slow_sample s = {m->clock, parent, some_pose(m), rng_below(&m->rng, 100) == 0};
    const uint64_t how = rng_below(&m->rng, 10);
    if (how == 0 && e->n)
        s.stamp = e->samples[rng_below(&m->rng, (uint64_t)e->n)].stamp; /* replaces */
    else if (how <= 2)
        s.stamp -= rng_int(&m->rng, 0, m->keep + 50); /* late */
    else
        m->clock += rng_int(&m->rng, 0, 40);
    const bool empty = e->n == 0, late = !empty && s.stamp < e->samples[e->n - 1].stamp;
    const bool cycle = !late && e->parent != parent && would_cycle(m, child, parent);
    const bool old =
        !empty && (s.stamp < e->samples[e->n - 1].stamp - m->keep || (late && s.stamp <= e->floor));
    snt_tf_transform in;
    snt_tf_transform_init(&in, m->ids[parent], m->ids[child], s.stamp);
    in.pose = s.pose;
    in.flags = s.jump ? SNT_TF_DISCONTINUITY : 0;
    const snt_status status = snt_tf_buffer_insert(m->w.b, &in, NULL);
    if (cycle) {
        assert_status(status, SNT_ERR_CYCLE);
        return;
    }
    if (old) {
        assert_status(status, SNT_ERR_PAST);
        return;
    }
    if (m->bounded && status == SNT_ERR_PAST)
        return;
    assert_status(status, SNT_OK);
    e->kind = SNT_TF_DYNAMIC;
    if (!late)
        e->parent = parent;
    slow_put(m, child, s);
}

static void do_static(model *m)
{
    const int child = pick(m), parent = pick(m);
    slow_edge *e = edge_of(m, child);
    need_frame(m, child);
    need_frame(m, parent);
    snt_tf_transform in;
    snt_tf_transform_init(&in, m->ids[parent], m->ids[child], 0);
    in.pose = some_pose(m);
    const snt_status status = snt_tf_buffer_insert_static(m->w.b, &in, NULL);
    if (parent == child ||
        (e->kind != SNT_TF_DYNAMIC && e->parent != parent && would_cycle(m, child, parent))) {
        assert_status(status, SNT_ERR_CYCLE);
    } else if (e->kind == SNT_TF_DYNAMIC) {
        assert_status(status, SNT_ERR_CONFLICT);
    } else {
        assert_status(status, SNT_OK);
        e->kind = SNT_TF_STATIC;
        e->parent = parent;
        e->fixed = in.pose;
    }
}

static void cut(slow_edge *e)
{
    e->kind = SNT_TF_NONE;
    e->parent = -1;
    e->n = 0;
    e->floor = INT64_MIN;
}

static void do_remove(model *m)
{
    const int f = pick(m);
    const snt_status status = snt_tf_buffer_remove_frame(m->w.b, m->ids[f]);
    assert_status(status, edge_of(m, f)->exists ? SNT_OK : SNT_ERR_NOT_FOUND);
    if (status != SNT_OK)
        return;
    cut(edge_of(m, f));
    edge_of(m, f)->exists = false;
    for (int i = 0; i < FRAMES; i++) {
        slow_edge *e = edge_of(m, i);
        if (e->parent == f) {
            cut(e);
            continue;
        }
        int last = -1;
        for (int k = 0; k < e->n; k++)
            if (e->samples[k].parent == f)
                last = k;
        if (last >= 0 && e->samples[last].stamp > e->floor)
            e->floor = e->samples[last].stamp;
        memmove(e->samples, &e->samples[last + 1], (size_t)(e->n - last - 1) * sizeof e->samples[0]);
        e->n -= last + 1;
    }
}

static void do_change(model *m)
{
    const int f = pick(m);
    slow_edge *e = edge_of(m, f);
    switch (rng_below(&m->rng, 8)) {
    case 0:
        assert_status(snt_tf_buffer_clear_dynamic(m->w.b), SNT_OK);
        for (int i = 0; i < FRAMES; i++)
            edge_of(m, i)->n = 0, edge_of(m, i)->floor = INT64_MIN;
        break;
    case 1:
        assert_status(snt_tf_buffer_reset(m->w.b, 1 + (uint32_t)rng_below(&m->rng, 5)), SNT_OK);
        for (int i = 0; i < FRAMES; i++)
            edge_of(m, i)->n = 0, edge_of(m, i)->floor = INT64_MIN;
        break;
    case 2:
        assert_status(snt_tf_buffer_convert(m->w.b, m->ids[f], SNT_TF_NONE),
                      e->exists ? SNT_OK : SNT_ERR_NOT_FOUND);
        cut(e);
        break;
    case 3:
        if (e->kind == SNT_TF_STATIC) {
            assert_status(snt_tf_buffer_convert(m->w.b, m->ids[f], SNT_TF_DYNAMIC), SNT_OK);
            e->kind = SNT_TF_DYNAMIC;
        } else if (e->kind == SNT_TF_DYNAMIC && e->n) {
            assert_status(snt_tf_buffer_convert(m->w.b, m->ids[f], SNT_TF_STATIC), SNT_OK);
            e->fixed = e->samples[e->n - 1].pose;
            e->parent = e->samples[e->n - 1].parent;
            e->kind = SNT_TF_STATIC;
            e->n = 0;
            e->floor = INT64_MIN;
        }
        break;
    default:
        do_remove(m);
    }
}

static void compare(model *m, snt_status status, bool ok, const snt_pose *got, const snt_pose *expected)
{
    if (m->bounded && ok && status != SNT_OK)
        return; /* evicted by count: the model remembers more */
    if ((status == SNT_OK) != ok)
        fail_msg("%s, model says %s", snt_status_name(status), ok ? "there is an answer" : "there is none");
    if (!ok) {
        m->refused++;
        return;
    }
    m->ok++;
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += got->q[i] * expected->q[i];
    assert_near(fabs(dot), 1, 1e-9);
    for (int i = 0; i < 3; i++)
        assert_near(got->t[i], expected->t[i], 1e-8);
}

static void do_lookup(model *m)
{
    const int p = (int)rng_below(&m->rng, PATHS);
    const int target = m->path_frames[p][0], source = m->path_frames[p][1];
    const int64_t t = m->clock - rng_int(&m->rng, -20, m->keep + 40);
    snt_pose expected;
    const bool known_frames = edge_of(m, target)->exists && edge_of(m, source)->exists;
    bool circle = false;
    const bool ok = known_frames && slow_lookup(m, target, source, t, &expected, &circle);
    snt_tf_result r;
    snt_tf_miss miss;
    snt_status status = snt_tf_buffer_lookup(m->w.b, m->ids[target], m->ids[source], t, &r, &miss);
    if (!circle)
        compare(m, status, ok, &r.pose, &expected);
    if (status < 0) {
        assert_status(miss.status, status);
        assert_true(miss.reason != SNT_TF_MISS_NONE && miss.reason != SNT_TF_MISS_BUSY);
        assert_status(snt_tf_miss_format(m->w.b, &miss, m->w.text, sizeof m->w.text), SNT_OK);
        assert_true(strlen(m->w.text) > 10);
    }
    assert_status(snt_tf_buffer_can(m->w.b, m->ids[target], m->ids[source], t, NULL), status);
    if (m->path_ids[p][0] == m->ids[target] && m->path_ids[p][1] == m->ids[source] && known_frames) {
        static snt_tf_cursor cursor; /* any bytes will do */
        snt_tf_result again;
        snt_pose many = {{0, 0, 0, 0}, {0, 0, 0}};
        assert_status(snt_tf_path_lookup(m->paths[p], t, &again, &miss), status);
        assert_status(snt_tf_path_lookup_many(m->paths[p], NULL, &cursor, &t, 0, 1, &many, 0, NULL, NULL),
                      status);
        if (status == SNT_OK) {
            assert_memory_equal(&again.pose, &r.pose, sizeof r.pose);
            assert_memory_equal(&many, &r.pose, sizeof many);
        }
        if (rng_below(&m->rng, 200) == 0)
            (void)snt_tf_path_refresh(m->paths[p]);
    } else if (rng_below(&m->rng, 20) == 0) { /* a new path, for the frames there are now */
        snt_tf_path_destroy(m->paths[p]);
        m->path_frames[p][0] = pick(m);
        m->path_frames[p][1] = pick(m);
        for (int i = 0; i < 2; i++) {
            need_frame(m, m->path_frames[p][i]);
            m->path_ids[p][i] = m->ids[m->path_frames[p][i]];
        }
        assert_status(snt_tf_path_create(m->w.b, m->path_ids[p][0], m->path_ids[p][1], &m->paths[p]), SNT_OK);
    }
}

static void check_edge(model *m)
{
    const int f = pick(m);
    const slow_edge *e = edge_of(m, f);
    snt_time newest = 0;
    const snt_status status = snt_tf_buffer_newest(m->w.b, m->ids[f], &newest);
    if (!e->exists) {
        assert_status(status, SNT_ERR_NOT_FOUND);
    } else if (e->kind == SNT_TF_STATIC) {
        assert_i64_equal(newest, SNT_TIME_INFINITE_FUTURE);
    } else if (!e->n) {
        assert_status(status, SNT_EMPTY);
    } else {
        assert_i64_equal(newest, e->samples[e->n - 1].stamp);
        snt_tf_edge_info info;
        assert_status(snt_tf_buffer_edge_info(m->w.b, m->ids[f], &info), SNT_OK);
        if (!m->bounded)
            assert_i64_equal(info.oldest, e->samples[0].stamp);
    }
}

static void run(bool bounded, uint64_t steps)
{
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.keep_ns = 1000;
    cfg.max_frames = FRAMES;
    cfg.samples_per_edge = bounded ? 8 : CAPACITY;
    cfg.max_samples = bounded ? 8 * FRAMES + 128 : 16 * CAPACITY;
    model m = {
        .w = world_with(&cfg), .rng = rng_from_env(), .keep = 1000, .bounded = bounded, .clock = 100000};
    m.edges = calloc(FRAMES, sizeof *m.edges);
    assert_non_null(m.edges);
    for (int i = 0; i < FRAMES; i++)
        cut(&m.edges[i]);
    for (uint64_t i = 0; i < steps; i++) {
        const uint64_t what = rng_below(&m.rng, 1000);
        if (what < 550)
            do_insert(&m);
        else if (what < 560)
            do_static(&m);
        else if (what < 563)
            do_change(&m);
        else if (what < 600)
            check_edge(&m);
        else
            do_lookup(&m);
    }
    printf("# %" PRIu64 " lookups answered, %" PRIu64 " refused\n", m.ok, m.refused);
    assert_true(m.ok > steps / 100 && m.refused > steps / 100);
    for (int i = 0; i < PATHS; i++)
        snt_tf_path_destroy(m.paths[i]);
    free(m.edges);
    world_end(&m.w);
}

static uint64_t steps_wanted(void)
{
    return getenv("SNT_LONG") ? 10000000 : 1000000;
}

static void large_rings_answer_exactly_as_the_model(void **state)
{
    (void)state;
    run(false, steps_wanted());
}

static void small_rings_answer_as_the_model_or_say_too_old(void **state)
{
    (void)state;
    run(true, steps_wanted());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_rings_answer_exactly_as_the_model),
        cmocka_unit_test(small_rings_answer_as_the_model_or_say_too_old),
    };
    return cmocka_run_group_tests_name("model_tf_buffer", tests, NULL, NULL);
}
