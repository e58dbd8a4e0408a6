/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broken assumptions: which steps are proven, how soon, and which cannot be. Between break and proof bounds promise
 * nothing; as long as nothing is broken, nothing is reported (sim_clock_coverage).
 */
#include "test.h"

#include "clock_scenarios.h"

enum { RUNS = 40 };

typedef struct outcome {
    int proven;
    double latency, worst; /* s after the step, until the proof: mean, greatest */
    int right_side;
    int right_amount; /* the gap named is of the step's size */
} outcome;

/* A step of the device's clock by `step` ns after `at` s: its readings are off by that much from then on. */
static outcome inject(const scenario *s, int64_t step, double at, double patience, test_rng *rng)
{
    static world w;
    outcome out = {0};
    for (int run = 0; run < RUNS; run++) {
        world_begin(&w, s, rng_next(rng));
        const double when = at + rng_range(rng, 0, 5);
        snt_clock_map_config cfg;
        scenario_config(s, &cfg);
        snt_clock_map *map;
        assert_status(snt_clock_map_create(&cfg, NULL, &map), SNT_OK);
        for (;;) {
            world_event e = world_next(&w);
            const double now = (double)e.device * 1e-9;
            if (now > when + patience)
                break;
            if (now > when)
                e.stamp += step;
            snt_clock_proof proof;
            const snt_status status = world_feed(map, &w, &e, &proof);
            if (status == SNT_ERR_VIOLATION) {
                assert_true(now > when); /* no false alarm */
                out.proven++;
                out.latency += (now - when) / RUNS;
                out.worst = fmax(out.worst, now - when);
                out.right_side += proof.side == (step > 0 ? SNT_PROOF_EARLY : SNT_PROOF_LATE);
                out.right_amount +=
                    proof.gap_ns <=
                    llabs(step) * 2; /* facts of both sides of it may have bent the rate meanwhile */
                break;
            }
            assert_status(status, SNT_OK);
        }
        snt_clock_map_destroy(map);
    }
    return out;
}

static const scenario *find(const char *letter)
{
    for (int i = 0; i < SCENARIOS; i++)
        if (strncmp(scenarios[i].name, letter, strlen(letter)) == 0 &&
            scenarios[i].name[strlen(letter)] == ' ')
            return &scenarios[i];
    return NULL;
}

/* Packets at 100 Hz and an exchange each 5 s: ahead is seen at the next packets, back at the next exchange or two. */
static void steps_are_proven_within_the_stated_time(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    static const int64_t steps[] = {200000, 1000000, 5000000, 50000000, 1000000000};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        for (int back = 0; back < 2; back++) {
            const outcome o = inject(find("B"), back ? -steps[i] : steps[i], 300, 400, &rng);
            printf("# step %+12" PRId64 " ns: %d of %d proven, after %.3f s on average, %.3f s at most\n",
                   back ? -steps[i] : steps[i], o.proven, RUNS, o.latency, o.worst);
            assert_int_equal(o.proven, RUNS);
            assert_int_equal(o.right_side, RUNS);
            assert_int_equal(o.right_amount, RUNS);
            if (!back)
                assert_true(o.worst < (steps[i] >= 5000000 ? 0.05 : 2)); /* a packet faster than the step */
            else if (steps[i] >= 5000000)
                assert_true(o.worst < 5.2); /* the next exchange */
        }
}

/* Only arrivals and an assumed delay of at most 20 ms: steps within that spread prove nothing, either way. */
static void what_lies_within_the_assumed_delay_is_never_proven(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    static const int64_t steps[] = {50000, 1000000, 5000000};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        for (int back = 0; back < 2; back++)
            assert_int_equal(inject(find("A"), back ? -steps[i] : steps[i], 120, 30, &rng).proven, 0);
    assert_int_equal(inject(find("A"), 50000000, 120, 30, &rng).proven, RUNS);
    assert_int_equal(inject(find("A"), -50000000, 120, 30, &rng).proven, RUNS);
}

/* The published figure is an upper limit of what can hide: a step above it is proven by the next cross-stamp. */
static void the_undetectable_step_is_what_it_says(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int run = 0; run < 400; run++) {
        snt_clock_map_config cfg;
        snt_clock_map_config_init(&cfg, sizeof cfg);
        cfg.warm_observations = 1;
        cfg.wander_ppb_s = 10;
        snt_clock_map *map;
        assert_status(snt_clock_map_create(&cfg, NULL, &map), SNT_OK);
        int64_t d = 0;
        for (int i = 0; i < 100; i++) {
            d += 100000000;
            const int64_t before = rng_int(&rng, 1, 20000), after = rng_int(&rng, 1, 20000);
            assert_status(snt_clock_map_observe_cross(map, 0, d - before, d, d + after, NULL), SNT_OK);
        }
        d += 100000000;
        snt_clock_health h;
        assert_status(snt_clock_map_health(map, d, &h), SNT_OK);
        const int64_t step = (h.undetectable_step_ns + 2) * (run % 2 ? 1 : -1);
        assert_status(snt_clock_map_observe_cross(map, 0, d, d + step, d, NULL), SNT_ERR_VIOLATION);
        snt_clock_map_destroy(map);
    }
}

/* A least delay that is not true, a rate or a wander beyond its bound: proven, and the wander that would explain it is
 * named no smaller than what the proof needs. */
static void lies_in_the_config_are_found(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    static world w;
    static const char *const what[] = {"least delay", "rate", "wander"};
    for (int lie = 0; lie < 3; lie++) {
        int proven = 0;
        for (int run = 0; run < 10; run++) {
            const scenario *s = find(lie == 2 ? "D2" : "B");
            world_begin(&w, s, rng_next(&rng));
            snt_clock_map_config cfg;
            scenario_config(s, &cfg);
            if (lie == 0)
                cfg.delay_min_ns = 900000; /* truly 0.5 ms */
            else if (lie == 1) {
                w.clock.y0 = 60000;
                cfg.rate_bound_ppb = 50000;
            } else
                cfg.wander_ppb_s = 5; /* truly 105 */
            snt_clock_map *map;
            assert_status(snt_clock_map_create(&cfg, NULL, &map), SNT_OK);
            for (;;) {
                const world_event e = world_next(&w);
                if (e.device > INT64_C(300000000000))
                    break;
                snt_clock_proof proof;
                if (world_feed(map, &w, &e, &proof) == SNT_ERR_VIOLATION) {
                    proven++;
                    snt_clock_audit a;
                    assert_status(snt_clock_map_audit(map, &a), SNT_OK);
                    assert_true(a.advice != 0);
                    break;
                }
            }
            snt_clock_map_destroy(map);
        }
        printf("# %s: %d of 10 proven\n", what[lie], proven);
        assert_int_equal(proven, 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_proven_within_the_stated_time),
        cmocka_unit_test(what_lies_within_the_assumed_delay_is_never_proven),
        cmocka_unit_test(the_undetectable_step_is_what_it_says),
        cmocka_unit_test(lies_in_the_config_are_found),
    };
    return cmocka_run_group_tests_name("sim_clock_violation", tests, NULL, NULL);
}
