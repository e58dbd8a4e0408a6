/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The promise itself: whenever the assumptions hold, the truth lies in [lo, hi], in every scenario, for present, future
 * and past readings, durations, conversion backward, old versions and smoothed answers; and no violation is reported.
 * 3·10^6 queries by default, 3·10^7 with SNT_LONG=1.
 */
#include "test.h"

#include "clock_scenarios.h"

static long asked, outside;

/* T lies between `whole` and `whole + 1`. */
static void check(const snt_bounded_time *t, int64_t whole, double rest, const char *what, const scenario *s)
{
    asked++;
    const bool low =
        t->flags & SNT_TIME_BOUND_LO && (whole < t->lo && !(whole == t->lo - 1 && rest > 0.999999));
    const bool high = t->flags & SNT_TIME_BOUND_HI && (whole > t->hi || (whole == t->hi && rest > 1e-6));
    if (low || high || t->t < t->lo || t->t > t->hi) {
        outside++;
        printf("# %s: %s outside: truth %" PRId64 " + %.6f, [%" PRId64 ", %" PRId64 "]\n", s->name, what,
               whole, rest, t->lo, t->hi);
    }
}

static void run(const scenario *s, uint64_t seed, double span, uint32_t cap)
{
    static world w;
    world_begin(&w, s, seed);
    test_rng rng = {seed ^ 0x5eed};
    snt_clock_map_config cfg;
    scenario_config(s, &cfg);
    cfg.max_vertices = cap;
    snt_clock_map *map;
    assert_status(snt_clock_map_create(&cfg, NULL, &map), SNT_OK);
    const int64_t q = s->quantum > 1 ? s->quantum : 1;
    for (;;) {
        const world_event e = world_next(&w);
        if ((double)e.device > span * 1e9)
            break;
        snt_clock_proof proof;
        const snt_status status = world_feed(map, &w, &e, &proof);
        if (status != SNT_OK) {
            char text[256];
            snt_clock_proof_format(&proof, text, sizeof text);
            fail_msg("%s, seed %" PRIu64 ": %s: %s", s->name, seed, snt_status_name(status), text);
        }
        snt_bounded_time t;
        double rest;
        int64_t whole = world_host(&w.clock, e.device, &rest);
        assert_status(snt_clock_map_to_host(map, e.stamp, &t), SNT_OK);
        check(&t, whole, rest, "now", s);
        /* another event, up to a minute ahead (rarely far) or 100 s back */
        const double reach = rng_below(&rng, 8) ? 1 : 60;
        const int64_t d =
            e.device + (int64_t)(rng_range(&rng, -100, 100) * (rng_below(&rng, 2) ? 1e8 : 1e6) * reach);
        const int64_t other = d < 0 ? 0 : d;
        const int64_t stamp = other - other % q;
        whole = world_host(&w.clock, other, &rest);
        switch (rng_below(&rng, 5)) {
        case 0:
        case 1:
            assert_status(snt_clock_map_to_host(map, stamp, &t), SNT_OK);
            check(&t, whole, rest, "elsewhere", s);
            break;
        case 2: {
            snt_bounded_time back;
            assert_status(snt_clock_map_to_device(map, whole, &back), SNT_OK);
            asked++;
            if ((back.flags & SNT_TIME_BOUND_LO && stamp < back.lo - 1) ||
                (back.flags & SNT_TIME_BOUND_HI && stamp > back.hi + 1)) {
                outside++;
                printf("# %s: backward: %" PRId64 " not in [%" PRId64 ", %" PRId64 "]\n", s->name, stamp,
                       back.lo, back.hi);
            }
            break;
        }
        case 3: {
            snt_clock_duration x;
            double rest0;
            const int64_t whole0 = world_host(&w.clock, e.device, &rest0);
            assert_status(snt_clock_map_duration(map, e.stamp, stamp, &x), SNT_OK);
            const double truth = (double)(whole - whole0) + (rest - rest0);
            asked++;
            if (truth < (double)x.lo_ns - 1e-3 || truth > (double)x.hi_ns + 1e-3) {
                if (stamp != e.stamp) { /* two events in one tick have no length */
                    outside++;
                    printf("# %s: duration %.3f not in [%" PRId64 ", %" PRId64 "]\n", s->name, truth, x.lo_ns,
                           x.hi_ns);
                }
            }
            break;
        }
        default:
            if (rng_below(&rng, 4) == 0) {
                assert_status(snt_clock_map_to_host_smoothed(map, stamp, &t), SNT_OK);
                check(&t, whole, rest, "smoothed", s);
            } else {
                const uint32_t back = (uint32_t)rng_below(&rng, 60), newest = snt_clock_map_version(map);
                if (newest > back + 3 && snt_clock_map_to_host_at(map, newest - back, stamp, &t) == SNT_OK)
                    check(&t, whole, rest, "version", s);
            }
        }
    }
    snt_clock_map_destroy(map);
}

static void truth_is_inside_whenever_the_assumptions_hold(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    const long wanted = getenv("SNT_LONG") ? 30000000 : 3000000;
    static const uint32_t caps[] = {32, 24, 16, 12, 8};
    for (int round = 0; asked < wanted; round++)
        for (int i = 0; i < SCENARIOS; i++)
            run(&scenarios[i], rng_next(&rng), scenarios[i].period > 0 ? 150 : 600, caps[round % 5]);
    printf("# %ld queries, %ld outside\n", asked, outside);
    assert_int_equal(outside, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(truth_is_inside_whenever_the_assumptions_hold)};
    return cmocka_run_group_tests_name("sim_clock_coverage", tests, NULL, NULL);
}
