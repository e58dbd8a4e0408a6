/* SPDX-License-Identifier: BSD-3-Clause */
/* How close the map's bounds come to the best possible ones. */
#include "test.h"

#include "clock_oracle.h"
#include "clock_world.h"

static int64_t up(double v)
{
    return (int64_t)ceil(v);
}

static snt_clock_map *make(double wander, int64_t delay_max, uint32_t cap)
{
    snt_clock_map_config cfg;
    snt_clock_map_config_init(&cfg, sizeof cfg);
    cfg.wander_ppb_s = wander;
    cfg.warm_observations = 1;
    cfg.delay_max_ns = delay_max;
    cfg.max_vertices = cap;
    cfg.suspect_window = 0;
    snt_clock_map *map;
    assert_status(snt_clock_map_create(&cfg, NULL, &map), SNT_OK);
    return map;
}

/* 600 exchanges, asked 0..5 s ahead: the polygon is the closed form of all pairs to 2 ns, and never inside it. */
static void without_wander_the_set_equals_all_pairs(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 4; round++) {
        world_clock clock;
        world_clock_init(&clock, &rng, OSC_CONSTANT, 1e5, 0, 1e15);
        snt_clock_map *map = make(0, SNT_UNKNOWN, round % 2 ? 16 : 32);
        oracle_fact facts[600];
        double worst = 0;
        int n = 0;
        for (int i = 0; i < 600; i++) {
            const int64_t d = (int64_t)i * 1000000000 + rng_int(&rng, 0, 1000000);
            double rest;
            const int64_t T = world_host(&clock, d, &rest);
            const int64_t sent = T - up(500e3 + world_exp(&rng, 7e5)),
                          got = T + up(rest + 500e3 + world_exp(&rng, 7e5));
            assert_status(snt_clock_map_observe_exchange(map, 0, sent, d, d, got, NULL), SNT_OK);
            facts[n++] = (oracle_fact){(double)d * 1e-9, (double)(sent - d - (int64_t)1e15),
                                       (double)(got - d - (int64_t)1e15)};
            if (i % 60 == 59) {
                const int64_t ahead = d + rng_int(&rng, 0, 5000000000);
                double lo, hi;
                oracle_pairs(facts, n, 1e5, (double)ahead * 1e-9, &lo, &hi);
                snt_bounded_time t;
                assert_status(snt_clock_map_to_host(map, ahead, &t), SNT_OK);
                const double got_lo = (double)(t.lo - ahead - (int64_t)1e15),
                             got_hi = (double)(t.hi - ahead - (int64_t)1e15);
                assert_true(got_lo <= lo + 0.01 && got_hi >= hi - 0.01);
                worst = fmax(worst, fmax(lo - got_lo, got_hi - hi));
            }
        }
        printf("# without wander: at most %.3f ns outside the closed form (whole ns included)\n", worst);
        assert_true(worst <= 2);
        snt_clock_map_destroy(map);
    }
}

typedef struct width_case {
    const char *name;
    double wander, jitter;  /* ppb/s; ns, mean of the exponential */
    double period, two_way; /* of arrivals, of exchanges [s]; 0 = none */
    int64_t delay_max;      /* as declared */
    double span;            /* s */
    uint32_t cap;
    double limit;
    double stop; /* exchanges end here [s]; 0 = never */
} width_case;

static void compare(const width_case *c, test_rng *rng)
{
    world_clock clock;
    world_clock_init(&clock, rng, OSC_SINE, 5e4, c->wander * 0.95, 1e15);
    snt_clock_map *map = make(c->wander, c->delay_max, c->cap);
    oracle_set set = {0};
    double ours = 0, best = 0, ours60 = 0, best60 = 0, next_two_way = c->two_way;
    int asked = 0;
    uint32_t most = 0;
    for (double at = 0.001; at < c->span; at += c->period) {
        const int64_t d = (int64_t)(at * 1e9);
        double rest;
        const int64_t T = world_host(&clock, d, &rest);
        const int64_t got = T + up(rest + (c->jitter > 0 ? world_exp(rng, c->jitter) : 0));
        double lo = -1e11, hi = (double)(got - d - (int64_t)1e15);
        const bool exchange = c->two_way > 0 && at >= next_two_way && (c->stop <= 0 || at < c->stop);
        if (exchange) {
            next_two_way += c->two_way;
            const int64_t sent = T - (c->jitter > 0 ? up(world_exp(rng, c->jitter)) : 1);
            lo = (double)(sent - d - (int64_t)1e15);
            assert_status(snt_clock_map_observe_exchange(map, 0, sent, d, d, got, NULL), SNT_OK);
        } else {
            assert_status(snt_clock_map_observe_arrival(map, 0, d, got, NULL), SNT_OK);
        }
        if (c->delay_max != SNT_UNKNOWN)
            lo = fmax(lo, hi - (double)c->delay_max);
        if (!set.n) {
            oracle_set_begin(&set, (double)d * 1e-9, lo, hi, 1e5);
        } else {
            oracle_step(&set, (double)d * 1e-9, c->wander, 1e5);
            oracle_clip(&set, 1, 0, hi);
            oracle_clip(&set, -1, 0, -lo);
        }
        assert_true(set.n >= 3 && set.n < ORACLE_MAX / 2);
        snt_bounded_time t;
        assert_status(snt_clock_map_to_host(map, d, &t), SNT_OK);
        if (at > c->span / 10 && (t.flags & SNT_TIME_BOUND_LO)) {
            double o_lo, o_hi;
            oracle_extent(&set, &o_lo, &o_hi);
            const double shift = (double)(d + (int64_t)1e15 - t.lo);
            const double slack = 2 + 2e-4 * (o_hi - o_lo); /* the reference's lens is an outer one, too */
            assert_true(-shift <= o_lo + slack && (double)(t.hi - d - (int64_t)1e15) >= o_hi - slack);
            ours += (double)(t.hi - t.lo);
            best += o_hi - o_lo;
            assert_status(snt_clock_map_to_host(map, d + INT64_C(60000000000), &t), SNT_OK);
            oracle_ahead(&set, 60, c->wander, &o_lo, &o_hi);
            ours60 += (double)(t.hi - t.lo);
            best60 += o_hi - o_lo;
            asked++;
        }
        snt_clock_health h;
        snt_clock_map_health(map, SNT_UNKNOWN, &h);
        most = h.vertices > most ? h.vertices : most;
    }
    assert_true(asked > 0 && most <= c->cap);
    printf("# %-34s cap %2u: %10.1f ns against %10.1f, ratio %.4f; in 60 s %.4f (reference: %d vertices)\n",
           c->name, c->cap, ours / asked, best / asked, ours / best, ours60 / best60, set.n);
    if (c->limit > 0) {
        assert_true(ours / best <= c->limit);
        assert_true(ours60 / best60 <= c->limit);
    }
    assert_true(ours / best >= 0.9999);
    oracle_set_free(&set);
    snt_clock_map_destroy(map);
}

static void with_wander_the_set_is_within_three_percent_of_the_reachable_one(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    static const width_case cases[] = {
        {"exchange each 5 s", 110, 7e5, 1, 5, SNT_UNKNOWN, 600, 32, 1.03, 0},
        {"exchange each second", 110, 7e5, 1, 1, SNT_UNKNOWN, 600, 32, 1.03, 0},
        {"arrivals 10 Hz, exchange each 5 s", 110, 7e5, 0.1, 5, SNT_UNKNOWN, 300, 32, 1.03, 0},
        {"arrivals 10 Hz, delay <= 20 ms", 110, 7e5, 0.1, 0, 20000000, 300, 32, 1.03, 0},
        {"no jitter, 10 Hz, delay <= 20 ms", 110, 0, 0.1, 0, 20000000, 300, 32, 1.03, 0},
        {"no jitter, 10 Hz, delay <= 1 ms", 110, 0, 0.1, 0, 1000000, 300, 32, 1.03, 0},
        {"no jitter, 10 Hz, delay <= 10 us", 110, 0, 0.1, 0, 10000, 300, 32, 1.03, 0},
        {"no jitter, 10 Hz, delay <= 200 ns", 110, 0, 0.1, 0, 200, 300, 32, 1.03, 0},
        {"no jitter, 10 Hz, exchanges end at 60 s", 110, 0, 0.1, 1, SNT_UNKNOWN, 300, 32, 1.03, 60},
        {"no jitter, 10 Hz, exchanges end at 60 s", 110, 0, 0.1, 1, SNT_UNKNOWN, 300, 24, 1.03, 60},
        {"no jitter, 10 Hz, exchanges end at 60 s", 110, 0, 0.1, 1, SNT_UNKNOWN, 300, 16, 1.05, 60},
        {"jitter, 10 Hz, exchanges end at 60 s", 110, 7e5, 0.1, 1, SNT_UNKNOWN, 300, 32, 1.03, 60},
        {"no jitter, 10 Hz, delay <= 1 ms", 110, 0, 0.1, 0, 1000000, 300, 24, 0, 0},
        {"no jitter, 10 Hz, delay <= 1 ms", 110, 0, 0.1, 0, 1000000, 300, 16, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        compare(&cases[i], &rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_wander_the_set_equals_all_pairs),
        cmocka_unit_test(with_wander_the_set_is_within_three_percent_of_the_reachable_one),
    };
    return cmocka_run_group_tests_name("sim_clock_width", tests, NULL, NULL);
}
