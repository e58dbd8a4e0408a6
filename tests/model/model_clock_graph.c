/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random graphs of clocks whose truth is known: no answer excludes the truth, no graph of true edges contradicts itself, the
 * answer is what a slow walk over all paths gives, and of a lie the report names the right edge.
 */
#include "test.h"

#include "lib/base/wide.h"

#if SNT_HAVE_INT128
__extension__ typedef __int128 wide;

enum { MOST_CLOCKS = 7, MOST_EDGES = 12 };

#define H0 (INT64_C(1700000000) * SNT_NS_PER_S)

typedef struct world {
    test_rng rng;
    int clocks, edges;
    int64_t offset[MOST_CLOCKS];
    int64_t rate[MOST_CLOCKS]; /* [ppb] */
    snt_clock_fact fact[MOST_EDGES];
    uint32_t id[MOST_EDGES];
    snt_clock_graph *graph;
} world;

static uint32_t domain_of(int clock)
{
    return SNT_DOMAIN_USER + 1 + (uint32_t)clock;
}

/* What a clock shows at a host time. */
static snt_time reading(const world *w, int clock, snt_time host)
{
    wide drift = (wide)(host - H0) * w->rate[clock];
    return host + w->offset[clock] + (int64_t)(drift / 1000000000 - (drift % 1000000000 < 0));
}

static void add_edge(world *w, int i, int a, int b)
{
    const snt_time host = H0 + rng_int(&w->rng, -100, 100) * SNT_NS_PER_S;
    const int64_t error = rng_int(&w->rng, 3, 2000000), lie = rng_int(&w->rng, -(error - 3), error - 3);
    const int64_t apart = w->rate[b] - w->rate[a];
    snt_clock_fact fact = {.from = domain_of(a),
                           .to = domain_of(b),
                           .at_ns = reading(w, a, host),
                           .offset_ns = reading(w, b, host) - reading(w, a, host) + lie,
                           .error_ns = error,
                           .drift_ppb = (apart < 0 ? -apart : apart) + 50 +
                                        rng_int(&w->rng, 0, 1000), /* second order in it */
                           .valid_from = SNT_TIME_INFINITE_PAST,
                           .valid_until = SNT_TIME_INFINITE_FUTURE};
    if (apart == 0)
        fact.drift_ppb = 0;
    if (rng_below(&w->rng, 12) == 0)
        fact.valid_until = fact.at_ns - 1; /* expired */
    w->fact[i] = fact;
    assert_status(snt_clock_graph_add_fact(w->graph, &fact, &w->id[i]), SNT_OK);
}

static void make_world(world *w)
{
    snt_clock_graph_config cfg;
    snt_clock_graph_config_init(&cfg, sizeof cfg);
    cfg.without_scales = 1;
    cfg.max_paths = 64;
    assert_status(snt_clock_graph_create(&cfg, NULL, &w->graph), SNT_OK);
    w->clocks = (int)rng_int(&w->rng, 2, MOST_CLOCKS);
    w->edges = (int)rng_int(&w->rng, 1, MOST_EDGES);
    const int64_t most = rng_below(&w->rng, 2) ? 0 : 100000;
    for (int i = 0; i < w->clocks; i++) {
        w->offset[i] = rng_int(&w->rng, -1000000, 1000000) * SNT_NS_PER_MS;
        w->rate[i] = rng_int(&w->rng, -most, most);
    }
    for (int i = 0; i < w->edges; i++) {
        const int a = (int)rng_below(&w->rng, (uint64_t)w->clocks);
        int b = (int)rng_below(&w->rng, (uint64_t)w->clocks - 1);
        b += b >= a;
        add_edge(w, i, a, b);
    }
}

/* Bounds of one fact, from its definition in real numbers, with nothing shared with the library. */
static wide up(wide n, wide d)
{
    return n / d + (n % d > 0);
}

static wide error_at(const snt_clock_fact *f, wide t)
{
    const wide away = t > f->at_ns ? t - f->at_ns : f->at_ns - t;
    return f->error_ns + up(away * f->drift_ppb, 1000000000);
}

static bool cross(const snt_clock_fact *f, bool forward, wide *lo, wide *hi)
{
    if (forward) {
        if (*lo < f->valid_from || *hi > f->valid_until)
            return false;
        const wide a = *lo - error_at(f, *lo), b = *hi + error_at(f, *hi);
        *lo = a + f->offset_ns;
        *hi = b + f->offset_ns;
        return true;
    }
    const wide u = *lo - f->offset_ns, v = *hi - f->offset_ns, rest = 1000000000 - f->drift_ppb;
    *lo = u - up(error_at(f, u) * 1000000000, rest);
    *hi = v + up(error_at(f, v) * 1000000000, rest);
    return *lo >= f->valid_from && *hi <= f->valid_until;
}

typedef struct walk {
    wide lo, hi;
    int open;  /* paths that answered */
    int paths; /* all */
} walk;

static void walk_all(const world *w, uint32_t at, uint32_t to, uint32_t seen, bool blocked, wide lo, wide hi,
                     walk *all)
{
    if (at == to) {
        all->paths++;
        if (blocked)
            return;
        all->open++;
        all->lo = all->open == 1 || lo > all->lo ? lo : all->lo;
        all->hi = all->open == 1 || hi < all->hi ? hi : all->hi;
        return;
    }
    for (int i = 0; i < w->edges; i++) {
        const snt_clock_fact *f = &w->fact[i];
        if (f->from != at && f->to != at)
            continue;
        const uint32_t next = f->from == at ? f->to : f->from;
        if (seen >> (next - SNT_DOMAIN_USER) & 1)
            continue;
        wide l = lo, h = hi;
        const bool open = blocked || cross(f, f->from == at, &l, &h);
        walk_all(w, next, to, seen | 1u << (next - SNT_DOMAIN_USER), !open || blocked, l, h, all);
    }
}

static void true_edges_never_exclude_the_truth(void **state)
{
    (void)state;
    world w = {.rng = rng_from_env()};
    long answered = 0, several = 0;
    for (long round = getenv("SNT_LONG") ? 2000000 : 20000; round; round--) {
        make_world(&w);
        const int from = (int)rng_below(&w.rng, (uint64_t)w.clocks),
                  to = (int)rng_below(&w.rng, (uint64_t)w.clocks);
        const snt_time host =
            H0 + rng_int(&w.rng, -600, 600) * SNT_NS_PER_S + rng_int(&w.rng, 0, SNT_NS_PER_S);
        const snt_time truth = reading(&w, from, host);
        const int64_t before = rng_int(&w.rng, 0, 1000000), after = rng_int(&w.rng, 0, 1000000);
        snt_bounded_time in, out;
        snt_clock_report report;
        assert_status(snt_bounded_time_init(truth + before - (before + after) / 2,
                                            before + (before + after) / 2, after + (before + after) / 2,
                                            domain_of(from), 0, &in),
                      SNT_OK);
        const snt_status status = snt_clock_graph_convert(w.graph, &in, domain_of(to), &out, &report);
        walk all = {0, 0, 0, 0};
        walk_all(&w, domain_of(from), domain_of(to), 1u << (domain_of(from) - SNT_DOMAIN_USER), false, in.lo,
                 in.hi, &all);
        if (status == SNT_ERR_CONFLICT)
            fail_msg("true edges were said to contradict each other");
        if (status == SNT_ERR_NOT_FOUND || from == to) {
            snt_clock_graph_destroy(w.graph);
            continue;
        }
        assert_status(status, all.open ? SNT_OK : all.paths ? SNT_ERR_EXPIRED : SNT_ERR_NOT_CONNECTED);
        if (!report.truncated)
            assert_int_equal(report.paths + report.blocked, all.paths);
        if (status == SNT_OK) {
            const snt_time goal = reading(&w, to, host);
            assert_true(out.lo <= goal && goal <= out.hi);
            assert_true(out.lo <= out.t && out.t <= out.hi);
            if (!report.truncated)
                assert_true(out.lo == (int64_t)all.lo && out.hi == (int64_t)all.hi);
            answered++;
            several += report.paths > 1;
        }
        assert_status(snt_clock_graph_check(w.graph, &in, NULL), SNT_OK);
        snt_clock_graph_destroy(w.graph);
    }
    assert_true(answered > 1000 && several > 300);
}

static void a_lie_is_traced_to_its_edge(void **state)
{
    (void)state;
    world w = {.rng = rng_from_env()};
    long conflicts = 0, traced = 0;
    for (long round = getenv("SNT_LONG") ? 500000 : 10000; round; round--) {
        make_world(&w);
        const int liar = (int)rng_below(&w.rng, (uint64_t)w.edges);
        snt_clock_fact lie = w.fact[liar];
        lie.offset_ns += 37 * SNT_NS_PER_S;
        assert_status(snt_clock_graph_update_fact(w.graph, w.id[liar], &lie), SNT_OK);
        const int from = (int)rng_below(&w.rng, (uint64_t)w.clocks);
        const snt_time truth = reading(&w, from, H0 + rng_int(&w.rng, -100, 100) * SNT_NS_PER_S);
        snt_bounded_time in;
        snt_clock_report report;
        assert_status(snt_bounded_time_init(truth, 100, 100, domain_of(from), 0, &in), SNT_OK);
        if (snt_clock_graph_check(w.graph, &in, &report) == SNT_ERR_CONFLICT) {
            bool named = false;
            for (uint32_t i = 0; i < report.a_count; i++)
                named |= report.a_edges[i] == w.id[liar];
            for (uint32_t i = 0; i < report.b_count; i++)
                named |= report.b_edges[i] == w.id[liar];
            assert_true(named);
            /* one path may cross the liar forward and the other backward */
            const bool twice = report.gap_ns > 40 * SNT_NS_PER_S;
            const int64_t most = (twice ? 74 : 37) * SNT_NS_PER_S;
            assert_true(report.gap_ns > most - SNT_NS_PER_S && report.gap_ns < most + 100 * SNT_NS_PER_MS);
            assert_int_equal(report.constant, twice ? SNT_LOOKS_SAME : SNT_LOOKS_TAI);
            conflicts++;
            traced += report.suspect_edge == w.id[liar];
        }
        snt_clock_graph_destroy(w.graph);
    }
    assert_true(conflicts > 300 && traced > 50);
    printf("# %ld contradictions found, %ld traced to one edge\n", conflicts, traced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(true_edges_never_exclude_the_truth),
        cmocka_unit_test(a_lie_is_traced_to_its_edge),
    };
    return cmocka_run_group_tests_name("model_clock_graph", tests, NULL, NULL);
}
#else
int main(void)
{
    puts("1..0 # SKIP no 128-bit integers here");
    return 0;
}
#endif
