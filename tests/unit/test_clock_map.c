/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock_map_rig.h"

/* Arrivals alone bound a time from above only, and the answer says so. */
static void one_sided_bounds_are_said_to_be_one_sided(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    snt_clock_map *map = make(&cfg);
    snt_bounded_time t;
    assert_status(snt_clock_map_observe_arrival(map, 0, 0, 100 * s, NULL), SNT_OK);
    assert_status(snt_clock_map_to_host(map, 0, &t), SNT_OK);
    assert_i64_equal(t.lo, SNT_TIME_INFINITE_PAST);
    assert_true(t.hi >= 100 * s && t.hi <= 100 * s + 1);
    assert_int_equal(t.flags,
                     SNT_TIME_BOUND_HI | SNT_TIME_CAUSAL | SNT_TIME_ASSUMED_RATE | SNT_TIME_ASSUMED_WANDER);
    assert_int_equal(t.domain, SNT_DOMAIN_STEADY);
    snt_clock_health h;
    snt_clock_map_health(map, SNT_UNKNOWN, &h);
    assert_i64_equal(h.width_ns, SNT_UNKNOWN);
    assert_i64_equal(h.undetectable_step_ns, SNT_UNKNOWN);
    snt_clock_map_destroy(map);

    map = make(&cfg);
    assert_status(snt_clock_map_observe_trigger(map, 0, 0, 100 * s, NULL), SNT_OK);
    assert_status(snt_clock_map_to_host(map, 0, &t), SNT_OK);
    assert_i64_equal(t.hi, SNT_TIME_INFINITE_FUTURE);
    assert_true(t.lo <= 100 * s && t.lo >= 100 * s - 1);
    assert_int_equal(t.flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI), SNT_TIME_BOUND_LO);
    snt_clock_map_destroy(map);

    cfg.delay_max_ns = 20 * ms;
    map = make(&cfg);
    assert_status(snt_clock_map_observe_arrival(map, 0, 0, 100 * s, NULL), SNT_OK);
    assert_status(snt_clock_map_to_host(map, 0, &t), SNT_OK);
    assert_true(t.lo <= 100 * s - 20 * ms && t.lo >= 100 * s - 20 * ms - 1);
    assert_true(t.flags & SNT_TIME_ASSUMED_DELAY);
    snt_clock_map_destroy(map);
}

/* spec/2: a relative rate of at most 20 ppm adds at most 1.2 ms over 60 s. */
static void twenty_ppm_over_a_minute_is_1_2_ms(void **state)
{
    (void)state;
    for (int wandering = 0; wandering < 2; wandering++) {
        snt_clock_map_config cfg = defaults();
        cfg.rate_bound_ppb = 20000;
        cfg.wander_ppb_s = wandering ? -1 : 0;
        snt_clock_map *map = make(&cfg);
        snt_bounded_time at, later;
        assert_status(snt_clock_map_observe_cross(map, 0, 100 * s, 5 * s, 100 * s, NULL), SNT_OK);
        assert_status(snt_clock_map_to_host(map, 5 * s, &at), SNT_OK);
        assert_status(snt_clock_map_to_host(map, 65 * s, &later), SNT_OK);
        assert_i64_equal(later.t, 160 * s);
        assert_in_range(later.hi - at.hi - 60 * s, 1200000, 1200001);
        assert_in_range(at.lo - later.lo + 60 * s, 1200000, 1200001);
        assert_true(later.flags & SNT_TIME_HOLDOVER);
        assert_false(at.flags & SNT_TIME_HOLDOVER);
        snt_clock_map_destroy(map);
    }
}

/* spec/2: a frame arrives 10 ms after exposure and looks 80 ms old: the 70 ms are the clock, not latency. */
static void a_clock_difference_is_told_from_latency(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    snt_clock_map *map = make(&cfg);
    snt_bounded_time t;
    for (int64_t n = 0; n < 50;
         n++) { /* the camera's computer is 70 ms behind; a ping takes 0.2 ms each way */
        const int64_t exposure = 1000 * s + n * 33 * ms, device = exposure - 70 * ms;
        assert_status(snt_clock_map_observe_arrival(map, 0, device, exposure + 10 * ms, NULL), SNT_OK);
        const int64_t ping = exposure + ms;
        assert_status(snt_clock_map_observe_exchange(map, 0, ping, ping + 200000 - 70 * ms,
                                                     ping + 200000 - 70 * ms, ping + 400000, NULL),
                      SNT_OK);
        assert_status(snt_clock_map_to_host(map, device, &t), SNT_OK);
        const int64_t receive = exposure + 10 * ms;
        assert_i64_equal(receive - device, 80 * ms); /* what the node reported */
        assert_true(receive - t.hi <= 10 * ms && receive - t.lo >= 10 * ms);
        assert_true(t.hi - t.lo <= 410000);
        assert_true(llabs(receive - t.t - 10 * ms) <= 200000);
    }
    snt_clock_map_destroy(map);
}

/* The difference clock: over a second, two stamps of ±1 ms each say ±2 ms; the rate says ±0.1 µs. */
static void durations_are_tighter_than_two_stamps(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    cfg.wander_ppb_s = 0;
    snt_clock_map *map = make(&cfg);
    for (int64_t n = 0; n < 100; n++)
        assert_status(snt_clock_map_observe_exchange(map, 0, n * s - ms, n * s, n * s, n * s + ms, NULL),
                      SNT_OK);
    snt_clock_duration x, back;
    snt_bounded_time a, b;
    assert_status(snt_clock_map_duration(map, 100 * s, 101 * s, &x), SNT_OK);
    assert_status(snt_clock_map_to_host(map, 100 * s, &a), SNT_OK);
    assert_status(snt_clock_map_to_host(map, 101 * s, &b), SNT_OK);
    assert_true(b.hi - a.lo - s >= 2 * ms);
    assert_true(x.lo_ns <= s && x.hi_ns >= s && x.hi_ns - x.lo_ns <= 2 * 2 * ms / 99 + 4);
    assert_i64_equal(x.duration_ns, s);
    assert_status(snt_clock_map_duration(map, 101 * s, 100 * s, &back), SNT_OK);
    assert_i64_equal(back.lo_ns, -x.hi_ns);
    assert_i64_equal(back.hi_ns, -x.lo_ns);
    assert_status(snt_clock_map_duration(map, 7 * s, 7 * s, &x), SNT_OK);
    assert_true(x.lo_ns == 0 && x.hi_ns == 0 && x.duration_ns == 0);
    snt_clock_map_destroy(map);
}

/* ∫ y over the interval, y within its range at the anchor and wandering away from it: before, across and after. */
static void durations_are_as_tight_as_the_rate_allows(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    cfg.wander_ppb_s = 30;
    snt_clock_map *map = make(&cfg);
    for (int64_t n = 0; n <= 100; n++)
        assert_status(
            snt_clock_map_observe_exchange(map, 0, n * s - 20 * ms, n * s, n * s, n * s + 20 * ms, NULL),
            SNT_OK);
    snt_clock_mapping m;
    assert_status(snt_clock_map_export(map, 0, &m), SNT_OK);
    for (int64_t from = 40; from < 160; from += 7) {
        const int64_t first = from * s, last = first + 5 * s;
        snt_clock_duration x;
        assert_status(snt_clock_map_duration(map, first, last, &x), SNT_OK);
        const double a = (double)(first - m.device_anchor_ns) * 1e-9, b = a + 5;
        const double away = a >= 0 || b <= 0 ? fabs(b * b - a * a) / 2 : (a * a + b * b) / 2;
        const double hi = fmin(m.y_max_ppb * 5 + 30 * away, 100000 * 5),
                     lo = fmax(m.y_min_ppb * 5 - 30 * away, -100000 * 5);
        assert_true(fabs((double)(x.hi_ns - 5 * s) - hi) <= 2);
        assert_true(fabs((double)(x.lo_ns - 5 * s) - lo) <= 2);
        assert_true(x.lo_ns <= x.duration_ns && x.duration_ns <= x.hi_ns);
    }
    snt_clock_map_destroy(map);
}

static void resolution_of_the_stamps_widens_the_bound(void **state)
{
    (void)state;
    snt_bounded_time t;
    snt_clock_map_config cfg = defaults();
    cfg.device_quantum_ns = ms; /* whole milliseconds, cut off */
    cfg.host_error_ns = 1000;
    snt_clock_map *map = make(&cfg);
    assert_status(snt_clock_map_observe_cross(map, 0, 100 * s, 5 * ms, 100 * s, NULL), SNT_OK);
    assert_status(snt_clock_map_to_host(map, 5 * ms, &t), SNT_OK);
    /* T(reading) is up to 1 ms before the cross-stamp; the next event with this stamp up to 1 ms after that */
    assert_in_range(100 * s - t.lo, ms + 1000, ms + 1000 + 102);
    assert_in_range(t.hi - 100 * s, ms + 1000, ms + 1000 + 102);
    assert_true(t.flags & SNT_TIME_ASSUMED_QUANTUM);
    snt_clock_map_destroy(map);
    cfg.device_rounding = SNT_STAMP_NEAREST;
    map = make(&cfg);
    assert_status(snt_clock_map_observe_cross(map, 0, 100 * s, 5 * ms, 100 * s, NULL), SNT_OK);
    assert_status(snt_clock_map_to_host(map, 5 * ms, &t), SNT_OK);
    assert_in_range(100 * s - t.lo, ms + 1000, ms + 1000 + 102);
    assert_in_range(t.hi - 100 * s, ms + 1000, ms + 1000 + 102);
    snt_clock_map_destroy(map);
}

static void late_news_cuts_as_well(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    snt_clock_map *map = make(&cfg);
    snt_bounded_time before, after;
    assert_status(snt_clock_map_observe_cross(map, 0, 100 * s, 0, 100 * s + ms, NULL), SNT_OK);
    assert_status(snt_clock_map_observe_cross(map, 0, 101 * s, s, 101 * s + ms, NULL), SNT_OK);
    assert_status(snt_clock_map_to_host(map, s, &before), SNT_OK);
    /* reordered: half a second old, but precise to 1 µs */
    assert_status(snt_clock_map_observe_cross(map, 0, 100 * s + 500 * ms + 300000, 500 * ms,
                                              100 * s + 500 * ms + 301000, NULL),
                  SNT_OK);
    assert_status(snt_clock_map_to_host(map, s, &after), SNT_OK);
    assert_true(after.hi - after.lo < 150000 && before.hi - before.lo >= ms);
    assert_true(after.lo <= 101 * s + 300500 && after.hi >= 101 * s + 300500);
    snt_clock_map_destroy(map);
}

static void smoothing_uses_what_came_later(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    cfg.wander_ppb_s = 100;
    snt_clock_map *map = make(&cfg);
    snt_bounded_time at_once, later, smooth;
    for (int64_t n = 0; n < 60; n++) {
        const int64_t d = n * s, t = 500 * s + d;
        assert_status(
            snt_clock_map_observe_cross(map, 0, t - 1000 - n % 7 * 50, d, t + 1000 + n % 5 * 50, NULL),
            SNT_OK);
        if (n == 30)
            assert_status(snt_clock_map_to_host(map, d + 500 * ms, &at_once), SNT_OK);
    }
    const int64_t d = 30 * s + 500 * ms;
    assert_status(snt_clock_map_to_host(map, d, &later), SNT_OK);
    assert_status(snt_clock_map_to_host_smoothed(map, d, &smooth), SNT_OK);
    assert_true(smooth.lo <= 500 * s + d && smooth.hi >= 500 * s + d);
    assert_true(smooth.hi - smooth.lo < at_once.hi - at_once.lo);
    assert_true(smooth.hi - smooth.lo < later.hi - later.lo);
    snt_clock_map_destroy(map);
}

static void conversion_backward_inverts_forward(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    cfg.rate_bound_ppb = 20000000; /* an RC oscillator: 2 % */
    snt_clock_map *map = make(&cfg);
    for (int64_t n = 0; n < 30; n++) {
        const int64_t d = n * s, t = 9000 * s + d + d / 100;
        assert_status(snt_clock_map_observe_cross(map, 0, t - 5000, d, t + 5000, NULL), SNT_OK);
    }
    for (int64_t d = -20 * s; d < 80 * s; d += 1234567890) {
        snt_bounded_time t, back;
        assert_status(snt_clock_map_to_host(map, d, &t), SNT_OK);
        assert_status(snt_clock_map_to_device(map, t.t, &back), SNT_OK);
        assert_true(llabs(back.t - d) <= 2);
        assert_true(back.lo <= d && d <= back.hi);
        assert_int_equal(back.domain, SNT_DOMAIN_USER);
        /* the reading at a bound is the extreme reading */
        assert_status(snt_clock_map_to_device(map, t.hi, &back), SNT_OK);
        assert_true(back.lo <= d && back.lo >= d - 3);
        assert_status(snt_clock_map_to_device(map, t.lo, &back), SNT_OK);
        assert_true(back.hi >= d && back.hi <= d + 3);
    }
    snt_clock_map_destroy(map);
}

static void the_vertex_cap_is_never_exceeded(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (uint32_t cap = 8; cap <= SNT_CLOCK_MAPPING_VERTICES; cap += 3) {
        snt_clock_map_config cfg = defaults();
        cfg.max_vertices = cap;
        cfg.wander_ppb_s = rng_range(&rng, 0, 500);
        cfg.delay_max_ns = rng_below(&rng, 2) ? 20 * ms : SNT_UNKNOWN;
        snt_clock_map *map = make(&cfg);
        int64_t d = 0;
        uint32_t most = 0;
        for (int n = 0; n < 3000; n++) {
            d += rng_int(&rng, 1, 50 * ms);
            const int64_t early = rng_below(&rng, 10) ? 0 : rng_int(&rng, 0, 100 * ms);
            const int64_t at = d - early, t = 7 * s + at + at / 50000;
            snt_status status = SNT_OK;
            switch (rng_below(&rng, 3)) {
            case 0:
                status = snt_clock_map_observe_arrival(map, 0, at, t + rng_int(&rng, 0, 2 * ms), NULL);
                break;
            case 1:
                status = snt_clock_map_observe_trigger(map, 0, at, t - rng_int(&rng, 0, 2 * ms), NULL);
                break;
            default:
                status = snt_clock_map_observe_cross(map, 0, t - rng_int(&rng, 0, 500), at,
                                                     t + rng_int(&rng, 1, 500), NULL);
            }
            assert_status(status, SNT_OK);
            snt_clock_mapping m;
            assert_status(snt_clock_map_export(map, 0, &m), SNT_OK);
            assert_true(m.vertex_count <= cap);
            assert_status(snt_clock_mapping_check(&m), SNT_OK);
            most = m.vertex_count > most ? m.vertex_count : most;
        }
        assert_true(most == cap || cap > 16); /* the cap was felt */
        snt_clock_map_destroy(map);
    }
}

static void many_readings_are_answered_one_by_one(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    cfg.horizon_ns = 60 * s;
    snt_clock_map *map = make(&cfg);
    snt_bounded_time out[3], alone;
    snt_status statuses[3] = {1, 1, 1};
    const int64_t readings[3] = {6 * s, 100 * s, 7 * s}; /* the second is beyond the horizon */
    assert_status(snt_clock_map_to_host_many(map, readings, 3, out, statuses), SNT_PENDING);
    assert_true(statuses[0] == SNT_PENDING && statuses[2] == SNT_PENDING);
    assert_status(snt_clock_map_observe_cross(map, 0, 100 * s, 5 * s, 100 * s + 20, NULL), SNT_OK);
    memset(out, 0x5a, sizeof out);
    const snt_bounded_time untouched = out[1];
    assert_status(snt_clock_map_to_host_many(map, readings, 3, out, statuses), SNT_ERR_HORIZON);
    for (int i = 0; i < 3; i++) {
        assert_status(snt_clock_map_to_host(map, readings[i], &alone), statuses[i]);
        assert_memory_equal(&out[i], i == 1 ? &untouched : &alone, sizeof alone);
    }
    assert_status(statuses[1], SNT_ERR_HORIZON);
    assert_status(snt_clock_map_to_host_many(map, readings, 1, out, NULL), SNT_OK);
    assert_status(snt_clock_map_to_host_many(map, NULL, 0, NULL, NULL), SNT_OK);
    assert_status(snt_clock_map_to_host_many(map, NULL, 1, out, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_map_to_host_many(map, readings, 1, NULL, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_map_to_host_many(NULL, readings, 1, out, NULL), SNT_ERR_INVALID_ARG);
    snt_clock_map_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sided_bounds_are_said_to_be_one_sided),
        cmocka_unit_test(twenty_ppm_over_a_minute_is_1_2_ms),
        cmocka_unit_test(a_clock_difference_is_told_from_latency),
        cmocka_unit_test(durations_are_tighter_than_two_stamps),
        cmocka_unit_test(durations_are_as_tight_as_the_rate_allows),
        cmocka_unit_test(resolution_of_the_stamps_widens_the_bound),
        cmocka_unit_test(late_news_cuts_as_well),
        cmocka_unit_test(smoothing_uses_what_came_later),
        cmocka_unit_test(conversion_backward_inverts_forward),
        cmocka_unit_test(the_vertex_cap_is_never_exceeded),
        cmocka_unit_test(many_readings_are_answered_one_by_one),
    };
    return cmocka_run_group_tests_name("clock_map", tests, NULL, NULL);
}
