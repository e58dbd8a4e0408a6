/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The usual miss is told by a short way (lib/tf/tf_short.c), any other by a long one. A question that names the interpolation
 * which is the default anyway has the same answer but must go the long way: the two explanations must have the same bytes,
 * however the edges lie about the time asked.
 */
#include "tf_world.h"

enum { EDGES = 5 };

typedef struct chain {
    test_rng rng;
    tf_world w;
    snt_frame f[EDGES + 1];
    int64_t clock[EDGES], period[EDGES];
    uint32_t domain[EDGES];
    snt_tf_path *path;
    uint64_t reasons[16], answers;
} chain;

static void chain_begin(chain *c)
{
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.samples_per_edge = 32;
    cfg.max_samples = 4096;
    cfg.keep_ns = rng_below(&c->rng, 2) ? 1000 : SNT_NS_PER_S;
    cfg.max_step_ns = SNT_UNKNOWN;
    cfg.max_gap_ns = rng_below(&c->rng, 4) ? 0 : 60;
    cfg.extrapolate_ns = rng_below(&c->rng, 4) ? 0 : 20;
    c->w = world_with(&cfg);
    const bool domains = rng_below(&c->rng, 3) == 0, mixed = rng_below(&c->rng, 6) == 0;
    for (int i = 0; i <= EDGES; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%d", i);
        c->f[i] = frame(&c->w, name);
    }
    for (int i = 0; i < EDGES; i++) {
        c->clock[i] = 1000000 + rng_int(&c->rng, 0, 50);
        c->period[i] = rng_int(&c->rng, 1, 60);
        c->domain[i] = !domains ? 0 : mixed ? (uint32_t)rng_below(&c->rng, 3) : 2;
    }
    if (rng_below(&c->rng, 6) == 0) {
        snt_tf_edge_config edge;
        snt_tf_edge_config_init(&edge, sizeof edge);
        edge.extrapolate_ns = 10;
        assert_status(snt_tf_buffer_edge_configure(c->w.b, c->f[1 + rng_below(&c->rng, EDGES)], &edge),
                      SNT_OK);
    }
    assert_status(snt_tf_path_create(c->w.b, c->f[0], c->f[EDGES], &c->path), SNT_OK);
}

static void chain_end(chain *c)
{
    snt_tf_path_destroy(c->path);
    world_end(&c->w);
}

static void insert_some(chain *c)
{
    int e = (int)rng_below(&c->rng, EDGES);
    for (int i = 0; i < EDGES && rng_below(&c->rng, 10); i++) /* mostly one that lags behind */
        e = c->clock[i] < c->clock[e] ? i : e;
    for (int n = (int)rng_below(&c->rng, 8); n > 0; n--) {
        snt_tf_transform in;
        c->clock[e] += c->period[e];
        snt_tf_transform_init(&in, c->f[e], c->f[e + 1], c->clock[e]);
        in.domain = c->domain[e];
        if (rng_below(&c->rng, 20) == 0)
            in.stamp -= c->period[e] / 2 + c->period[e] * rng_int(&c->rng, 0, 6);
        if (rng_below(&c->rng, 200) == 0)
            in.parent = c->f[rng_below(&c->rng, (uint64_t)e + 1)];
        (void)snt_tf_buffer_insert(c->w.b, &in, NULL);
    }
    if (rng_below(&c->rng, 400) == 0)
        assert_status(snt_tf_buffer_clear_dynamic(c->w.b), SNT_OK);
    if (rng_below(&c->rng, 400) == 0)
        (void)snt_tf_buffer_convert(c->w.b, c->f[1 + rng_below(&c->rng, EDGES)],
                                    (uint32_t)rng_below(&c->rng, 3));
    if (rng_below(&c->rng, 20) == 0)
        (void)snt_tf_path_refresh(c->path);
}

static void ask(chain *c)
{
    static const int64_t far[] = {INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_C(31557600001000000), 0};
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    q.interpolation = SNT_INTERPOLATE_LINEAR;
    q.t = c->clock[rng_below(&c->rng, EDGES)] + rng_int(&c->rng, -80, 80);
    if (rng_below(&c->rng, 50) == 0)
        q.t = far[rng_below(&c->rng, 5)];
    snt_tf_result r[4];
    snt_tf_miss miss[4];
    memset(miss, 0x55, sizeof miss);
    const snt_status status = snt_tf_path_ask(c->path, &q, NULL, &r[0], &miss[0]);
    assert_status(snt_tf_path_lookup(c->path, q.t, &r[1], &miss[1]), status);
    assert_status(snt_tf_path_lookup(c->path, q.t, &r[2], &miss[2]), status); /* knows where to look first */
    assert_status(snt_tf_buffer_lookup(c->w.b, c->f[0], c->f[EDGES], q.t, &r[3], &miss[3]), status);
    assert_status(snt_tf_path_lookup(c->path, q.t, &r[2], NULL), status);
    assert_status(snt_tf_path_can(c->path, q.t, NULL), status);
    if (status == SNT_OK) {
        c->answers++;
        return;
    }
    for (int i = 1; i < 4; i++)
        assert_memory_equal(&miss[0], &miss[i], sizeof miss[0]);
    assert_status(miss[0].status, status);
    c->reasons[miss[0].reason]++;
}

static void short_and_long_explanations_are_the_same(void **state)
{
    (void)state;
    chain c = {.rng = rng_from_env()};
    for (int world = 0; world < (getenv("SNT_LONG") ? 20000 : 1600); world++) {
        chain_begin(&c);
        for (int i = 0; i < 400; i++) {
            insert_some(&c);
            ask(&c);
        }
        chain_end(&c);
    }
    static const uint32_t seen[] = {SNT_TF_MISS_NOT_CONNECTED, SNT_TF_MISS_NO_DATA, SNT_TF_MISS_PAST,
                                    SNT_TF_MISS_FUTURE,        SNT_TF_MISS_GAP,     SNT_TF_MISS_CLOCK,
                                    SNT_TF_MISS_DOMAIN};
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        assert_true(c.reasons[seen[i]] > 20);
    assert_true(c.answers > 1000 && c.reasons[SNT_TF_MISS_FUTURE] > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_and_long_explanations_are_the_same)};
    return cmocka_run_group_tests_name("model_tf_miss", tests, NULL, NULL);
}
