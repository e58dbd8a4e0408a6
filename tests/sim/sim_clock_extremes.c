/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the set is a line, a point or nothing but the rate's bounds: long silences, unbounded wander, exact stamps. */
#include "test.h"

#include "clock_world.h"

static snt_clock_map *make(int64_t rate, double wander)
{
    snt_clock_map_config cfg;
    snt_clock_map_config_init(&cfg, sizeof cfg);
    cfg.rate_bound_ppb = rate;
    cfg.wander_ppb_s = wander;
    cfg.warm_observations = 1;
    snt_clock_map *map;
    assert_status(snt_clock_map_create(&cfg, NULL, &map), SNT_OK);
    return map;
}

/* Without any bound on the wander, the best bound is the closed form over all single observations: the tightest of each,
 * aged by the rate bound (Olson's, and its mirror image). Ahead and back, in order and late. */
static void unbounded_wander_is_the_envelope_of_the_rate(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    enum { FACTS = 300 };
    for (int round = 0; round < 20; round++) {
        snt_clock_map *map = make(50000, -1);
        int64_t at[FACTS], lo[FACTS], hi[FACTS], d = 0;
        double y = 0;
        int64_t x = 0;
        for (int n = 0; n < FACTS; n++) {
            const int64_t step = rng_int(&rng, 1, 20000) * 1000000;
            d += step;
            y = rng_range(&rng, -49000, 49000); /* as restless as it likes */
            x += (int64_t)floor(y * 1e-9 * (double)step);
            at[n] = d;
            lo[n] = d + x - rng_int(&rng, 1, 3000000);
            hi[n] = d + x + rng_int(&rng, 1, 3000000);
            assert_status(snt_clock_map_observe_cross(map, 0, lo[n], d, hi[n], NULL), SNT_OK);
            const int64_t ask = d + (rng_below(&rng, 2) ? 0 : rng_int(&rng, 0, 100) * 1000000000);
            snt_bounded_time t;
            assert_status(snt_clock_map_to_host(map, ask, &t), SNT_OK);
            double best_lo = -1e30, best_hi = 1e30;
            for (int j = 0; j <= n; j++) {
                const double away = (double)(ask - at[j]);
                best_hi = fmin(best_hi, (double)(hi[j] - at[j]) + away * 50000e-9);
                best_lo = fmax(best_lo, (double)(lo[j] - at[j]) - away * 50000e-9);
            }
            assert_true((double)(t.hi - ask) >= best_hi - 0.01 && (double)(t.hi - ask) <= best_hi + 2);
            assert_true((double)(t.lo - ask) <= best_lo + 0.01 && (double)(t.lo - ask) >= best_lo - 2);
            /* a moment in the past, by this version alone: sound */
            const int64_t past = at[0] + rng_int(&rng, 0, (d - at[0]) / 1000) * 1000;
            assert_status(snt_clock_map_to_host(map, past, &t), SNT_OK);
            assert_true(t.hi - t.lo >= 0);
            for (int j = n; j >= 0; j--)
                if (at[j] == past)
                    assert_true(t.lo <= hi[j] && t.hi >= lo[j]);
        }
        snt_clock_map_destroy(map);
    }
}

/* A good oscillator (1 ppm, 20 ppb/s) heard from every few minutes: by then its rate may be anything within its bound. */
static void silences_longer_than_the_memory_of_the_rate(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    static world_clock clock;
    long asked = 0;
    for (int round = 0; round < 200; round++) {
        world_clock_init(&clock, &rng, OSC_WALK, 1000, 20, 1e15);
        snt_clock_map *map = make(1000, 20.5);
        double at = 0;
        for (;;) {
            at += rng_below(&rng, 3) ? rng_range(&rng, 0.1, 5) : rng_range(&rng, 40, 400);
            if (at > 2000)
                break;
            const int64_t d = (int64_t)(at * 1e9);
            double rest;
            int64_t T = world_host(&clock, d, &rest);
            assert_status(snt_clock_map_observe_cross(map, 0, T - rng_int(&rng, 0, 3000), d,
                                                      T + rng_int(&rng, 1, 3000), NULL),
                          SNT_OK);
            snt_clock_mapping m;
            assert_status(snt_clock_map_export(map, 0, &m), SNT_OK);
            assert_status(snt_clock_mapping_check(&m), SNT_OK);
            assert_true(m.y_min_ppb >= -1000.001 && m.y_max_ppb <= 1000.001);
            for (int i = 0; i < 20; i++) {
                const double other = fmax(0, fmin(2040, at + rng_range(&rng, -300, 300)));
                const int64_t ask = (int64_t)(other * 1e9);
                snt_bounded_time t;
                T = world_host(&clock, ask, &rest);
                assert_status(snt_clock_map_to_host(map, ask, &t), SNT_OK);
                assert_true(t.lo <= T + (rest > 0) && t.hi >= T);
                /* never more than the rate bound makes of the anchor's width */
                const double away = fabs((double)(ask - m.device_anchor_ns)) * 1e-9;
                assert_true((double)(t.hi - t.lo) <= m.x_max_ns - m.x_min_ns + 2 * 1000 * away + 4);
                asked++;
            }
        }
        snt_clock_map_destroy(map);
    }
    printf("# %ld queries\n", asked);
}

/* Host and device read at one instant, without any error: the set is a point, give or take the rounding guard. */
static void exact_stamps_leave_a_point_and_no_contradiction(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 30; round++) {
        const int64_t ppm = rng_int(&rng, -90, 90);
        const double wander = round % 3 == 0 ? 0 : round % 3 == 1 ? 1e-3 : 100;
        snt_clock_map *map = make(100000, wander);
        int64_t d = 0;
        snt_bounded_time t;
        for (int n = 0; n < 3000; n++) {
            d += rng_int(&rng, 1, 3000) * 1000000; /* whole ms: T is a whole number of ns */
            const int64_t T = INT64_C(1700000000000000000) + d + d / 1000000 * ppm;
            assert_status(snt_clock_map_observe_cross(map, 0, T, d, T, NULL), SNT_OK);
            assert_status(snt_clock_map_to_host(map, d, &t), SNT_OK);
            assert_true(t.lo <= T && T <= t.hi && t.hi - t.lo <= 3);
        }
        /* and the next reading a second later, from the rate alone */
        const int64_t next = d + 1000000000, T = INT64_C(1700000000000000000) + next + next / 1000000 * ppm;
        assert_status(snt_clock_map_to_host(map, next, &t), SNT_OK);
        assert_true(t.lo <= T && T <= t.hi);
        assert_true((double)(t.hi - t.lo) <= 6 + 8 * wander); /* the last step was up to 3 s long */
        snt_clock_map_destroy(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unbounded_wander_is_the_envelope_of_the_rate),
        cmocka_unit_test(silences_longer_than_the_memory_of_the_rate),
        cmocka_unit_test(exact_stamps_leave_a_point_and_no_contradiction),
    };
    return cmocka_run_group_tests_name("sim_clock_extremes", tests, NULL, NULL);
}
