/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices that start over soon after they started: the counter is set back by no more than a packet might be late. */
#include "device_rig.h"

typedef struct life {
    double uptime_s; /* how long the device ran before */
    int64_t first;   /* what its counter showed when it was first heard [ns] */
    int64_t down, period;
    int64_t delay_max; /* 0 = not declared */
    int pings;         /* 1 = an exchange a second */
    int stamp_late;    /* 1 = nothing is stamped before the restart */
} life;

/* Packets with 0.4 to 5.4 ms of delay; the bound of every sample after the restart is checked by rig_packet. */
static void live(const life *l, test_rng *g)
{
    snt_device_clock_config cfg = driver_config();
    cfg.delay_min_ns = 200 * us;
    cfg.command_min_ns = 100 * us;
    if (l->delay_max)
        cfg.delay_max_ns = l->delay_max;
    rig r;
    rig_init(&r, &cfg);
    r.first = l->first;
    const int before = (int)(l->uptime_s * (double)s / (double)l->period);
    int lost = 0, good = 0;
    for (int i = 0; i < before + 1500; i++) {
        r.host += l->period;
        if (i == before) {
            r.host += l->down;
            r.boot = r.host - 100 * ms; /* it needs that long to send its first packet */
            r.first = 0;
        }
        r.delay = 400 * us + rng_int(g, 0, 5 * ms);
        if (l->stamp_late && i < before) {
            assert_status(
                snt_device_clock_observe_arrival(r.clock, 0, rig_raw(&r, r.host), r.host + r.delay, NULL),
                SNT_OK);
            continue;
        }
        rig_packet(&r);
        if (i >= before) {
            lost += r.observed != SNT_OK;
            good += r.stamped == SNT_OK;
        } else {
            assert_status(r.observed, SNT_OK);
        }
        if (l->pings && i % (int)(s / l->period) == 25)
            rig_exchange(&r);
    }
    const snt_device_health h = rig_health(&r);
    if (lost > 10 || good < 1200 || h.map.restarts != 1 || h.map.state != SNT_CLOCK_VALID)
        fail_msg("up %.2f s, down %d ms, delay_max %d ms, pings %d: %d lost, %d good, %u restarts, %s",
                 l->uptime_s, (int)(l->down / ms), (int)(l->delay_max / ms), l->pings, lost, good,
                 h.map.restarts, snt_clock_state_name(h.map.state));
    assert_int_equal(snt_device_clock_session(r.clock), 2);
    rig_free(&r);
}

static void a_reboot_soon_after_the_boot_is_found_within_packets(void **state)
{
    (void)state;
    static const double uptimes[] = {0.5, 1, 3, 5, 9, 9.9, 12};
    static const int64_t downs[] = {0, 200, 2500};
    test_rng g = rng_from_env();
    for (size_t u = 0; u < SNT_COUNT_OF(uptimes); u++)
        for (size_t d = 0; d < SNT_COUNT_OF(downs); d++)
            for (int kind = 0; kind < 8; kind++) {
                const life l = {.uptime_s = uptimes[u],
                                .down = downs[d] * ms,
                                .period = 10 * ms,
                                .delay_max = kind & 1 ? 30 * ms : 0,
                                .pings = kind >> 1 & 1,
                                .stamp_late = kind >> 2};
                live(&l, &g);
            }
}

/* The counter has just rolled over when the device starts over: again it shows little less than before. */
static void a_reboot_right_after_a_rollover_is_found_within_packets(void **state)
{
    (void)state;
    static const double uptimes[] = {0.5, 1, 3, 5, 9, 9.9, 12};
    static const int64_t past[] = {300, 950, 5000, 9900, -300}; /* [ms]; the last starts over just before */
    const int64_t period = (INT64_C(1) << 32) * us;
    test_rng g = rng_from_env();
    for (size_t u = 0; u < SNT_COUNT_OF(uptimes); u++)
        for (size_t p = 0; p < SNT_COUNT_OF(past); p++)
            for (int kind = 0; kind < 4; kind++) {
                if (past[p] < 0 && !kind)
                    continue; /* set ahead, to where a link that became faster would have it: no bound suffers */
                const life l = {.uptime_s = uptimes[u],
                                .first = period + past[p] * ms - (int64_t)(uptimes[u] * (double)s),
                                .down = 200 * ms,
                                .period = 10 * ms,
                                .delay_max = kind & 1 ? 30 * ms : 0,
                                .pings = kind >> 1};
                live(&l, &g);
            }
}

/* Packets overtaken by up to 300 ms, one by one and in bursts of six, slow and fast: late, and no restart. */
static void packets_that_were_overtaken_are_no_restart(void **state)
{
    (void)state;
    test_rng g = rng_from_env();
    for (int kind = 0; kind < 8; kind++) {
        snt_device_clock_config cfg = driver_config();
        cfg.delay_min_ns = 200 * us;
        cfg.reset_confirm = kind & 4 ? 1 : 3;
        if (kind & 2)
            cfg.delay_max_ns = 400 * ms;
        rig r;
        rig_init(&r, &cfg);
        unsigned late = 0;
        rig_run(&r, 100);
        for (int i = 0; i < 2000; i++) {
            r.host += 10 * ms;
            rig_packet(&r);
            assert_status(r.observed, SNT_OK);
            if (i % 7)
                continue;
            const int burst = kind & 1 ? 6 : 1;
            const int64_t age = 60 * ms + 10 * ms * rng_int(&g, 0, 24) + rng_int(&g, 0, 2 * ms);
            for (int n = 0; n < burst; n++) { /* sent 10 ms apart, received 1 ms apart, none seen before */
                const uint64_t raw = rig_raw(&r, r.host - age + n * 10 * ms + 3 * ms);
                const int64_t receive = r.host + r.delay + (n + 1) * ms;
                assert_status(snt_device_clock_observe_arrival(r.clock, 0, raw, receive, NULL),
                              SNT_ERR_BACKWARD);
                snt_sample sample;
                assert_status(snt_device_clock_stamp(r.clock, 0, raw, receive, 0, &sample), SNT_ERR_BACKWARD);
                late++;
            }
        }
        const snt_device_health h = rig_health(&r);
        assert_int_equal(h.map.restarts, 0);
        assert_int_equal(h.map.state, SNT_CLOCK_VALID);
        assert_int_equal(h.violations, 0);
        assert_int_equal(h.backward, 2 * late);
        rig_free(&r);
    }
}

/* What was refused as an observation gets no time either, even where it would be the first to be stamped. */
static void a_refused_reading_is_not_stamped(void **state)
{
    (void)state;
    const snt_device_clock_config cfg = driver_config();
    rig r;
    rig_init(&r, &cfg);
    for (int i = 0; i < 500; i++) {
        r.host += 10 * ms;
        assert_status(
            snt_device_clock_observe_arrival(r.clock, 0, rig_raw(&r, r.host), r.host + r.delay, NULL),
            SNT_OK);
    }
    assert_int_equal(rig_health(&r).map.state, SNT_CLOCK_VALID);
    r.boot = r.host;
    for (int i = 0; i < 3; i++) {
        r.host += 10 * ms;
        const uint64_t raw = rig_raw(&r, r.host);
        assert_status(snt_device_clock_observe_arrival(r.clock, 0, raw, r.host + r.delay, NULL),
                      SNT_ERR_BACKWARD);
        snt_sample sample = {.t0_ns = 1};
        assert_status(snt_device_clock_stamp(r.clock, 0, raw, r.host + r.delay, 0, &sample),
                      i < 2 ? SNT_ERR_BACKWARD : SNT_ERR_INVALID_STATE);
        assert_i64_equal(sample.t0_ns, 1);
    }
    const snt_device_health h = rig_health(&r);
    assert_int_equal(h.map.reasons, SNT_CLOCK_WHY_COUNTER_RESET);
    assert_int_equal(h.backward, 5);
    rig_free(&r);
}

/* Unless told otherwise, a packet may be ten times as old as declared, but at least 1 s and at most 10 s. */
static void how_old_a_packet_may_be_follows_from_the_longest_delay(void **state)
{
    (void)state;
    static const struct {
        int64_t delay_max, host_error, latency, most;
    } rows[] = {
        {SNT_UNKNOWN, 0, 0, 10000}, {30, 0, 0, 1000},    {200, 0, 0, 2000},   {200, 100, 0, 3000},
        {999, 0, 0, 9990},          {5000, 0, 0, 10000}, {30, 0, 4000, 4000}, {SNT_UNKNOWN, 0, 50, 50},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(rows); i++)
        for (int beyond = 0; beyond < 2; beyond++) {
            snt_device_clock_config cfg = driver_config();
            cfg.delay_max_ns = rows[i].delay_max == SNT_UNKNOWN ? SNT_UNKNOWN : rows[i].delay_max * ms;
            cfg.host_error_ns = rows[i].host_error * ms;
            cfg.latency_ns = rows[i].latency * ms;
            rig r;
            rig_init(&r, &cfg);
            const uint64_t newest = UINT64_C(1000000000);
            assert_status(snt_device_clock_observe_arrival(r.clock, 0, newest, r.host, NULL), SNT_OK);
            const int64_t back =
                rows[i].most * 1000 + (beyond ? 5000 : -5000); /* [us]; the rate is not exact */
            assert_status(snt_device_clock_observe_arrival(r.clock, 0, newest - (uint64_t)back, r.host, NULL),
                          beyond ? SNT_ERR_RESET_SUSPECT : SNT_ERR_BACKWARD);
            rig_free(&r);
        }
    snt_device_clock *clock; /* nonsense is refused as before, not computed with */
    snt_device_clock_config cfg = driver_config();
    cfg.delay_max_ns = INT64_MIN;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_ERR_INVALID_ARG);
    cfg = driver_config();
    cfg.delay_max_ns = 1;
    cfg.host_error_ns = INT64_MIN;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_ERR_INVALID_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reboot_soon_after_the_boot_is_found_within_packets),
        cmocka_unit_test(a_reboot_right_after_a_rollover_is_found_within_packets),
        cmocka_unit_test(packets_that_were_overtaken_are_no_restart),
        cmocka_unit_test(a_refused_reading_is_not_stamped),
        cmocka_unit_test(how_old_a_packet_may_be_follows_from_the_longest_delay),
    };
    return cmocka_run_group_tests_name("device_restarts", tests, NULL, NULL);
}
