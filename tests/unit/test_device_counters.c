/* SPDX-License-Identifier: BSD-3-Clause */
#include "device_rig.h"

/* librealsense #4505: one stamp 50 years ahead is a bad reading, not a new session. */
static void a_single_wild_reading_changes_nothing(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.counter_bits = 64;
    rig r;
    rig_init(&r, &cfg);
    r.first = 77 * s;
    rig_run(&r, 100);
    const uint32_t version = r.sample.version;
    const uint64_t wild = UINT64_C(1577836800000000);
    assert_status(snt_device_clock_observe_arrival(r.clock, 0, wild, r.host + ms, NULL),
                  SNT_ERR_RESET_SUSPECT);
    assert_status(snt_device_clock_stamp(r.clock, 0, wild, r.host + ms, 0, &r.sample), SNT_ERR_RESET_SUSPECT);
    assert_int_equal(r.sample.version, version);
    rig_run(&r, 1);
    assert_status(r.stamped, SNT_OK);
    for (int i = 0; i < 5;
         i++) { /* and so are several that do not fit each other: zeros of a lost packet (ouster-ros #350) */
        snt_device_clock_observe_arrival(r.clock, 0, i % 2 ? 0 : wild, r.host + ms + i, NULL);
        assert_int_equal(rig_health(&r).map.state, SNT_CLOCK_VALID);
    }
    rig_free(&r);
}

/* velodyne #462, #218; a top-of-hour counter is host time itself, cut to the hour. */
static void a_locked_counter_is_placed_by_the_host(void **state)
{
    (void)state;
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.counter_modulus = UINT64_C(3600000000);
    cfg.tick_num_ns = 1000;
    cfg.locked_error_ns = 5 * s;
    cfg.host_domain = SNT_DOMAIN_UNIX;
    cfg.warm_observations = 1;
    snt_device_clock *clock;
    snt_sample sample;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
    const int64_t two_pm = INT64_C(1453384800) * s;
    assert_status(snt_device_clock_observe_arrival(clock, 0, 3599999999u, two_pm + us, NULL), SNT_OK);
    assert_status(snt_device_clock_stamp(clock, 0, 3599999999u, two_pm + us, 0, &sample), SNT_OK);
    assert_true(llabs(sample.t0_ns - (two_pm - us)) <= 2 * us);
    snt_bounded_time t;
    assert_status(snt_clock_map_to_device(snt_device_clock_map(clock), two_pm, &t), SNT_OK);
    assert_true(llabs(t.t - two_pm) <= 3 * us); /* the reading itself is host time */
    assert_status(snt_device_clock_observe_arrival(clock, 0, 3600010000u, two_pm + ms, NULL), SNT_ERR_RANGE);
    assert_int_equal(sample.domain, SNT_DOMAIN_UNIX);
    snt_device_clock_destroy(clock);
    cfg.locked_error_ns = 1800 * s; /* the host may be half an hour off: no hour can be told */
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
    assert_status(snt_device_clock_observe_arrival(clock, 0, 5, two_pm, NULL), SNT_ERR_AMBIGUOUS);
    snt_device_clock_destroy(clock);
}

/* The GPS week: milliseconds since Sunday; the week number comes from the host. */
static void a_gps_week_is_placed_by_the_host(void **state)
{
    (void)state;
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.counter_modulus = UINT64_C(604800000);
    cfg.tick_num_ns = 1000000;
    cfg.locked_error_ns = 3600 * s;
    cfg.host_domain = SNT_DOMAIN_GPS;
    cfg.warm_observations = 1;
    snt_device_clock *clock;
    snt_bounded_time t;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
    const int64_t week = INT64_C(604800) * s,
                  now = 2048 * week + 123 * ms; /* week 2048: a 10-bit counter would say 0 */
    assert_status(snt_device_clock_observe_arrival(clock, 0, 604799999, now, NULL), SNT_OK);
    assert_status(snt_device_clock_observe_arrival(clock, 0, 120, now + ms, NULL), SNT_OK);
    assert_status(snt_clock_map_to_device(snt_device_clock_map(clock), now, &t), SNT_OK);
    assert_true(llabs(t.t - now) <= 5 * ms);
    snt_device_clock_destroy(clock);
}

/* urg_stamped #64 / hokuyo: scans read through three callbacks: the same reading again is no sample. */
static void duplicates_and_stragglers_are_named(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.reorder_ticks = 50000;
    rig r;
    rig_init(&r, &cfg);
    rig_run(&r, 100);
    const uint64_t raw = rig_raw(&r, r.host);
    const uint32_t version = snt_clock_map_version(snt_device_clock_map(r.clock));
    snt_sample sample = {.t0_ns = 1};
    assert_status(snt_device_clock_observe_arrival(r.clock, 0, raw, r.host + ms, NULL), SNT_ERR_DUPLICATE);
    assert_status(snt_device_clock_stamp(r.clock, 0, raw, r.host + ms, 0, &sample), SNT_ERR_DUPLICATE);
    assert_i64_equal(sample.t0_ns, 1);
    assert_int_equal(snt_clock_map_version(snt_device_clock_map(r.clock)), version);
    /* overtaken by 35 ms: inside the window; by 200 ms: not */
    assert_status(snt_device_clock_stamp(r.clock, 0, rig_raw(&r, r.host - 35 * ms), r.host + ms, 0, &sample),
                  SNT_OK);
    assert_true(llabs(sample.t0_ns - (r.host - 35 * ms)) < ms);
    assert_status(snt_device_clock_stamp(r.clock, 0, rig_raw(&r, r.host - 205 * ms), r.host + ms, 0, &sample),
                  SNT_ERR_BACKWARD);
    const snt_device_health h = rig_health(&r);
    assert_int_equal(h.duplicates, 2);
    assert_int_equal(h.backward, 1);
    rig_free(&r);
}

/* realsense #10068: stamps up to 40 ms in the future */
static void a_sample_from_the_future_is_refused(void **state)
{
    (void)state;
    const snt_device_clock_config cfg = driver_config();
    rig r;
    rig_init(&r, &cfg);
    rig_run(&r, 100);
    snt_sample sample;
    assert_status(snt_device_clock_stamp(r.clock, 0, rig_raw(&r, r.host + 40 * ms), r.host, 0, &sample),
                  SNT_ERR_FUTURE);
    assert_status(
        snt_device_clock_stamp(r.clock, 0, rig_raw(&r, r.host + ms / 10), r.host + ms / 10, 0, &sample),
        SNT_OK);
    assert_true(sample.t0_ns + sample.err_hi_ns <= r.host + ms / 10);
    rig_free(&r);
}

static void a_gap_of_half_the_period_is_no_gap_for_a_map_that_knows_the_rate(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.tick_num_ns = 1; /* 32-bit nanoseconds: wraps every 4.3 s */
    cfg.counter_bits = 32;
    rig r;
    rig_init(&r, &cfg);
    for (int i = 0; i < 400; i++) {
        r.host += 10 * ms;
        const uint64_t raw = (uint64_t)(r.host - r.boot) & UINT32_MAX;
        assert_status(snt_device_clock_observe_arrival(r.clock, 0, raw, r.host + r.delay, NULL), SNT_OK);
    }
    r.host += 3000 * s; /* 698 rollovers unseen: the rate bound leaves ±0.3 s */
    const uint64_t raw = (uint64_t)(r.host - r.boot) & UINT32_MAX;
    snt_sample sample;
    assert_status(snt_device_clock_stamp(r.clock, 0, raw, r.host + r.delay, 0, &sample), SNT_OK);
    assert_true(sample.flags & SNT_TIME_HOLDOVER);
    assert_true(llabs(sample.t0_ns - r.host) <= 400 * ms);
    rig_free(&r);
}

/* PX4 #28519: slow exchanges at the start froze the gains: 40 ms off for minutes. Here they merely do not cut. */
static void slow_exchanges_at_the_start_do_no_harm(void **state)
{
    (void)state;
    const snt_device_clock_config cfg = driver_config();
    rig r;
    rig_init(&r, &cfg);
    for (int i = 0; i < 20; i++) { /* 80 ms there, nothing back */
        r.host += 10 * ms;
        assert_status(snt_device_clock_observe_exchange(r.clock, 0, r.host - 80 * ms, rig_raw(&r, r.host),
                                                        rig_raw(&r, r.host), r.host + 100 * us, NULL),
                      SNT_OK);
    }
    rig_run(&r, 30); /* one quick one is among them */
    assert_status(r.stamped, SNT_OK);
    assert_true(llabs(r.sample.t0_ns - r.host) < 300 * us);
    assert_true(r.sample.err_lo_ns + r.sample.err_hi_ns < 600 * us);
    rig_free(&r);
}

/* Xsens #52: 0.0015 s/s, and batches of a 16 ms FTDI timer (rosserial #383): a bound, not a cap. */
static void a_clock_of_1500_ppm_in_batches_is_no_fault(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.rate_bound_ppb = 2000000;
    rig r;
    rig_init(&r, &cfg);
    r.rate = 1.5e-3;
    for (int i = 0; i < 8000; i++) { /* 400 Hz, six or seven at once */
        r.host += 2500 * us;
        r.delay = 16 * ms - r.host % (16 * ms) + 100 * us;
        rig_packet(&r);
        assert_status(r.observed, SNT_OK);
        if (i % 400 == 200)
            assert_status(rig_exchange(&r), SNT_OK);
    }
    const snt_device_health h = rig_health(&r);
    assert_int_equal(h.violations, 0);
    assert_true(h.map.rate_lo_ppb < -1.497e6 && h.map.rate_hi_ppb > -1.498e6); /* 1/1.0015 − 1 */
    assert_true(llabs(r.sample.t0_ns - r.host) < 300 * us);
    rig_free(&r);
}

/* livox_ros2_driver #8: the IMU's time went back by 947.6 s when its synchronisation changed. */
static void a_rewind_is_a_session_of_its_own(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.tick_num_ns = 1;
    cfg.counter_bits = 64;
    rig r;
    rig_init(&r, &cfg);
    uint64_t base = UINT64_C(2000000000000);
    for (int i = 0; i < 100; i++) {
        r.host += 5 * ms;
        base += 5000000;
        assert_status(snt_device_clock_observe_arrival(r.clock, 0, base, r.host + r.delay, NULL), SNT_OK);
    }
    base -= UINT64_C(947600000000);
    snt_status seen[5];
    for (int i = 0; i < 5; i++) {
        r.host += 5 * ms;
        base += 5000000;
        seen[i] = snt_device_clock_observe_arrival(r.clock, 0, base, r.host + r.delay, NULL);
    }
    assert_status(seen[0], SNT_ERR_RESET_SUSPECT);
    assert_status(seen[2], SNT_ERR_RESET_SUSPECT);
    assert_status(seen[3], SNT_OK);
    assert_int_equal(snt_device_clock_session(r.clock), 2);
    rig_free(&r);
}

/* ouster-ros #311: SYNC_PULSE_IN counts 0..4 s, then starts over: each time a session, and never a stamp across it. */
static void a_counter_that_keeps_starting_over_never_stamps_across(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.tick_num_ns = 1;
    cfg.counter_bits = 64;
    cfg.latency_ns = 500 * ms;
    rig r;
    rig_init(&r, &cfg);
    uint32_t restarts = 0;
    for (int i = 0; i < 5000; i++) {
        r.host += 10 * ms;
        const uint64_t raw = 1000 + (uint64_t)(r.host - r.boot) % UINT64_C(4000000000);
        snt_device_clock_observe_arrival(r.clock, 0, raw, r.host + r.delay, NULL);
        snt_sample sample;
        if (snt_device_clock_stamp(r.clock, 0, raw, r.host + r.delay, 0, &sample) == SNT_OK) {
            assert_true(llabs(sample.t0_ns - r.host) < ms);
            restarts = sample.session - 1;
        }
    }
    assert_in_range(restarts, 11, 13); /* 50 s of it */
    rig_free(&r);
}

/* A sloppy oscillator (2 %) and a short counter: the rate bound alone cannot count rollovers over 100 s, the learned rate can. */
static void the_map_counts_rollovers_the_rate_bound_cannot(void **state)
{
    (void)state;
    for (int learned = 0; learned < 2; learned++) {
        snt_device_clock_config cfg;
        snt_device_clock_config_init(&cfg, sizeof cfg);
        cfg.counter_bits = 32; /* ns: 4.3 s */
        cfg.rate_bound_ppb = 20000000;
        cfg.wander_ppb_s = 0;
        snt_device_clock *clock;
        assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
        int64_t t = 1000 * s, d = 0;
        for (int n = 0; n < 100; n++) { /* 1 % slow */
            t += 1010 * ms;
            d += s;
            const uint64_t raw = (uint64_t)d & UINT32_MAX;
            const snt_status status =
                learned ? snt_device_clock_observe_exchange(clock, 0, t - us, raw, raw, t + us, NULL)
                        : snt_device_clock_observe_arrival(clock, 0, raw, t + us, NULL);
            assert_status(status, SNT_OK);
        }
        t += 101 * s;
        d += 100 * s;
        snt_sample sample;
        const snt_status status =
            snt_device_clock_stamp(clock, 0, (uint64_t)d & UINT32_MAX, t + us, 0, &sample);
        if (learned) {
            assert_status(status, SNT_OK);
            assert_true(llabs(sample.t0_ns - t) < 20 * us);
        } else {
            assert_status(status, SNT_ERR_AMBIGUOUS); /* arrivals bound one side only */
        }
        snt_device_clock_destroy(clock);
    }
}

/* After a gap that hides rollovers nothing can be told; believed after three readings, then a session of its own. */
static void a_gap_that_hides_rollovers_ends_the_session(void **state)
{
    (void)state;
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.counter_bits = 32;
    cfg.rate_bound_ppb = 20000000;
    snt_device_clock *clock;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
    int64_t t = 1000 * s;
    for (int n = 0; n < 20; n++, t += 10 * ms)
        assert_status(snt_device_clock_observe_arrival(clock, 0, (uint64_t)t & UINT32_MAX, t + us, NULL),
                      SNT_OK);
    t += 1000 * s;
    snt_device_health h;
    for (int n = 0; n < 3; n++, t += 10 * ms) {
        assert_status(snt_device_clock_observe_arrival(clock, 0, (uint64_t)t & UINT32_MAX, t + us, NULL),
                      SNT_ERR_AMBIGUOUS);
        assert_status(snt_device_clock_health(clock, SNT_UNKNOWN, &h), SNT_OK);
        assert_int_equal(h.map.state, n < 2 ? SNT_CLOCK_VALID : SNT_CLOCK_INVALID);
    }
    assert_int_equal(h.map.reasons, SNT_CLOCK_WHY_AMBIGUOUS);
    assert_int_equal(h.ambiguous, 3);
    assert_int_equal(h.reset_suspects + h.out_of_range + h.duplicates + h.backward, 0);
    assert_status(snt_device_clock_observe_arrival(clock, 0, (uint64_t)t & UINT32_MAX, t + us, NULL), SNT_OK);
    assert_int_equal(snt_device_clock_session(clock), 2);
    snt_device_clock_destroy(clock);
}

static void refusals_are_counted_by_kind(void **state)
{
    (void)state;
    const snt_device_clock_config cfg = driver_config();
    rig r;
    rig_init(&r, &cfg);
    r.first = 2000 * s;
    rig_run(&r, 100);
    const uint64_t raw = rig_raw(&r, r.host);
    snt_sample sample;
    assert_status(snt_device_clock_stamp(r.clock, 0, UINT64_C(1) << 32, r.host, 0, &sample), SNT_ERR_RANGE);
    assert_status(snt_device_clock_stamp(r.clock, 0, raw + 100000000, r.host, 0, &sample),
                  SNT_ERR_RESET_SUSPECT);
    assert_status(snt_device_clock_stamp(r.clock, 0, raw + 1, INT64_MAX - 1, 0, &sample), SNT_ERR_OVERFLOW);
    assert_status(snt_device_clock_stamp(r.clock, 0, raw + 1, INT64_MIN, 0, &sample), SNT_ERR_OVERFLOW);
    assert_status(snt_device_clock_stamp(r.clock, 3, raw + 1, r.host, 0, &sample), SNT_ERR_SESSION);
    /* without a receive time rollovers are told by continuity, and the sample says so */
    assert_status(snt_device_clock_stamp(r.clock, 0, raw + 2, SNT_UNKNOWN, 0, &sample), SNT_OK);
    assert_i64_equal(sample.receive_ns, SNT_UNKNOWN);
    assert_true(llabs(sample.t0_ns - r.host) < ms);
    const snt_device_health h = rig_health(&r);
    assert_int_equal(h.out_of_range, 1);
    assert_int_equal(h.reset_suspects, 1);
    assert_int_equal(h.wrong_session, 1);
    assert_int_equal(h.ambiguous + h.duplicates + h.backward + h.invalid, 0);
    rig_free(&r);
}

/* A locked counter with another zero: GPS time in a UTC host's day. */
static void a_locked_counter_may_have_another_zero(void **state)
{
    (void)state;
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.counter_modulus = UINT64_C(604800000);
    cfg.tick_num_ns = 1000000;
    cfg.locked_error_ns = 60 * s;
    cfg.locked_offset_ns = INT64_C(315964800) * s - 18 * s; /* unix − GPS */
    cfg.host_domain = SNT_DOMAIN_UNIX;
    cfg.warm_observations = 1;
    snt_device_clock *clock;
    snt_bounded_time t;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
    const int64_t gps = INT64_C(2230) * 604800 * s + 5000 * ms, host = gps + cfg.locked_offset_ns;
    assert_status(snt_device_clock_observe_arrival(clock, 0, 5000, host + ms, NULL), SNT_OK);
    assert_status(snt_clock_map_to_device(snt_device_clock_map(clock), host, &t), SNT_OK);
    assert_true(llabs(t.t - gps) <= 3 * ms);
    snt_device_clock_destroy(clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_wild_reading_changes_nothing),
        cmocka_unit_test(a_locked_counter_is_placed_by_the_host),
        cmocka_unit_test(a_gps_week_is_placed_by_the_host),
        cmocka_unit_test(duplicates_and_stragglers_are_named),
        cmocka_unit_test(a_sample_from_the_future_is_refused),
        cmocka_unit_test(a_gap_of_half_the_period_is_no_gap_for_a_map_that_knows_the_rate),
        cmocka_unit_test(slow_exchanges_at_the_start_do_no_harm),
        cmocka_unit_test(a_clock_of_1500_ppm_in_batches_is_no_fault),
        cmocka_unit_test(a_rewind_is_a_session_of_its_own),
        cmocka_unit_test(a_counter_that_keeps_starting_over_never_stamps_across),
        cmocka_unit_test(the_map_counts_rollovers_the_rate_bound_cannot),
        cmocka_unit_test(a_gap_that_hides_rollovers_ends_the_session),
        cmocka_unit_test(refusals_are_counted_by_kind),
        cmocka_unit_test(a_locked_counter_may_have_another_zero),
    };
    return cmocka_run_group_tests_name("device_counters", tests, NULL, NULL);
}
