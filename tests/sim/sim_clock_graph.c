/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A robot's clocks, simulated with known truth: two devices with wandering oscillators, mapped by cross-stamps to a host's
 * steady clock, whose offset to UTC two daemons report now and then. Every conversion over the graph holds the truth, the
 * daemons are never said to contradict each other, pairs are as far apart as said, and what is admitted is fresh.
 * 3·10^5 queries by default, 10^7 with SNT_LONG=1.
 */
#include "test.h"

#include "clock_world.h"

#define S  SNT_NS_PER_S
#define MS SNT_NS_PER_MS

enum { DEVICES = 2, SPAN_S = 600, MAX_AGE_MS = 40 };

#define BOOT (INT64_C(5000) * S)              /* steady time at the world's start */
#define UTC  (INT64_C(1700000000) * S - BOOT) /* unix − steady at that moment */

typedef struct robot {
    test_rng rng;
    world_clock device[DEVICES];
    snt_clock_map *map[DEVICES];
    snt_clock_graph *graph;
    uint32_t daemon[2];
    int64_t utc_rate_ppb; /* of the wall clock against the steady one */
    snt_epoch *epoch;
} robot;

static long asked, admitted, refused;

/* Wall clock at a steady time, rounded down. */
static int64_t true_utc(const robot *r, int64_t steady)
{
    const int64_t drift = (steady - BOOT) / 1000 * r->utc_rate_ppb;
    return steady + UTC + (drift / 1000000 - (drift % 1000000 < 0));
}

static int64_t true_steady(const robot *r, int device, int64_t reading)
{
    double rest;
    return world_host(&r->device[device], reading, &rest);
}

static snt_bounded_time around(robot *r, uint32_t domain, int64_t truth, int64_t most)
{
    snt_bounded_time x;
    const int64_t before = rng_int(&r->rng, 0, most), after = rng_int(&r->rng, 0, most);
    const int64_t shift = rng_int(&r->rng, -before, after); /* the estimate is not the truth */
    assert_status(snt_bounded_time_init(truth + shift, before + shift + 1, after - shift + 1, domain, 0, &x),
                  SNT_OK);
    return x;
}

/* `truth` was rounded down, and so was what it was computed from. */
static void holds(const snt_bounded_time *x, int64_t truth, const char *what)
{
    asked++;
    if (x->lo > truth + 2 || x->hi < truth - 2 || x->t < x->lo || x->t > x->hi)
        fail_msg("%s: truth %" PRId64 " in [%" PRId64 ", %" PRId64 "]", what, truth, x->lo, x->hi);
}

static snt_bounded_time convert(const robot *r, const snt_bounded_time *in, uint32_t to)
{
    snt_bounded_time out;
    snt_clock_report report;
    const snt_status status = snt_clock_graph_convert(r->graph, in, to, &out, &report);
    if (status != SNT_OK) {
        char text[512];
        snt_clock_report_format(&report, text, sizeof text);
        fail_msg("%" PRIu32 " to %" PRIu32 ": %s", in->domain, to, text);
    }
    return out;
}

static snt_clock_fact daemon_says(robot *r, int64_t steady, int64_t error)
{
    return (snt_clock_fact){.from = SNT_DOMAIN_STEADY,
                            .to = SNT_DOMAIN_UNIX,
                            .at_ns = steady,
                            .offset_ns =
                                true_utc(r, steady) - steady + rng_int(&r->rng, 2 - error, error - 2),
                            .error_ns = error,
                            .drift_ppb = 60000,
                            .valid_from = steady - 100 * S,
                            .valid_until = steady + 200 * S};
}

static void start(robot *r)
{
    snt_clock_map_config cfg;
    assert_status(snt_epoch_create(NULL, &r->epoch), SNT_OK);
    assert_status(snt_clock_graph_create(NULL, NULL, &r->graph), SNT_OK);
    for (int i = 0; i < DEVICES; i++) {
        world_clock_init(&r->device[i], &r->rng, (int)rng_below(&r->rng, 5), 100000, 100, (double)BOOT);
        snt_clock_map_config_init(&cfg, sizeof cfg);
        cfg.device_domain = SNT_DOMAIN_USER + (uint32_t)i;
        cfg.epoch = i ? NULL : r->epoch;
        assert_status(snt_clock_map_create(&cfg, NULL, &r->map[i]), SNT_OK);
        assert_status(snt_clock_graph_add_map(r->graph, r->map[i], NULL), SNT_OK);
    }
    r->utc_rate_ppb = rng_int(&r->rng, -50000, 50000);
    for (int i = 0; i < 2; i++) {
        const snt_clock_fact fact = daemon_says(r, BOOT, i ? 2 * MS : 200000);
        assert_status(snt_clock_graph_add_fact(r->graph, &fact, &r->daemon[i]), SNT_OK);
    }
}

static void stop(robot *r)
{
    snt_clock_graph_destroy(r->graph);
    for (int i = 0; i < DEVICES; i++)
        snt_clock_map_destroy(r->map[i]);
    snt_epoch_unref(r->epoch);
}

static void observe(robot *r, int device, int64_t reading)
{
    const int64_t host = true_steady(r, device, reading);
    snt_clock_proof proof;
    assert_status(snt_clock_map_observe_cross(r->map[device], 0, host - rng_int(&r->rng, 0, 50000), reading,
                                              host + 1 + rng_int(&r->rng, 0, 50000), &proof),
                  SNT_OK);
}

static snt_sample acquired(const robot *r, const snt_bounded_time *at, int device)
{
    snt_sample sample;
    snt_sample_init(&sample, 0, 0, 0);
    assert_status(snt_sample_set_times(&sample, at, NULL, SNT_EVENT_INSTANT), SNT_OK);
    sample.source = (uint32_t)device;
    (void)r;
    return sample;
}

static void ask(robot *r, int64_t reading)
{
    const int device = (int)rng_below(&r->rng, DEVICES), other = !device;
    const uint32_t domain = SNT_DOMAIN_USER + (uint32_t)device;
    const int64_t host = true_steady(r, device, reading);
    const snt_bounded_time in = around(r, domain, reading, rng_below(&r->rng, 2) ? 100000 : 0);
    const snt_bounded_time steady = convert(r, &in, SNT_DOMAIN_STEADY);
    holds(&steady, host, "to steady");
    const snt_bounded_time tai = convert(r, &in, SNT_DOMAIN_TAI);
    holds(&tai, true_utc(r, host) + 37 * S, "to TAI");
    const snt_bounded_time gps =
        around(r, SNT_DOMAIN_GPS, true_utc(r, host) + (18 - SNT_GPS_EPOCH_UNIX_S) * S, 1000);
    const snt_bounded_time back = convert(r, &gps, domain);
    holds(&back, reading, "from GPS");
    /* device to device, over two maps: the same host moment on the other's counter, found by bisection */
    const snt_bounded_time across = convert(r, &in, SNT_DOMAIN_USER + (uint32_t)other);
    int64_t low = reading - S, high = reading + S;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (true_steady(r, other, middle) <= host)
            low = middle;
        else
            high = middle;
    }
    holds(&across, low, "device to device");
    /* a pair of the two, some milliseconds apart */
    const int64_t later = reading + rng_int(&r->rng, 0, 30 * MS), later_host = true_steady(r, other, later);
    const snt_bounded_time in_b = around(r, SNT_DOMAIN_USER + (uint32_t)other, later, 0);
    const snt_bounded_time b_time = convert(r, &in_b, SNT_DOMAIN_STEADY);
    const snt_sample a = acquired(r, &steady, device), b = acquired(r, &b_time, other);
    snt_pair_separation pair;
    const snt_status together = snt_admission_pair(&a, &b, 10 * MS, &pair);
    const int64_t apart = llabs(later_host - host);
    assert_true(pair.least_ns <= apart + 3 && apart - 3 <= pair.greatest_ns);
    assert_true(together != SNT_OK || apart <= 10 * MS + 3);
    assert_true(together != SNT_ERR_GAP || apart >= 10 * MS - 3);
    /* and may it be used now? */
    const int64_t now_host = host + rng_int(&r->rng, -MS, 80 * MS);
    const snt_bounded_time now = around(r, SNT_DOMAIN_STEADY, now_host, 2 * MS);
    snt_admission_policy policy;
    snt_admission_record record;
    snt_admission_policy_init(&policy, sizeof policy);
    policy.domain = SNT_DOMAIN_STEADY;
    policy.max_age_ns = MAX_AGE_MS * MS;
    const snt_status fresh = snt_admission_check(&policy, &a, &now, &record);
    assert_true(record.age_lo_ns <= now_host - host + 3 && now_host - host - 3 <= record.age_hi_ns);
    assert_true(fresh != SNT_OK || now_host - host <= MAX_AGE_MS * MS + 3);
    assert_true(fresh != SNT_ERR_FUTURE || now_host <= host + 3);
    assert_true(!(record.reasons & SNT_REFUSED_STALE) || now_host - host >= MAX_AGE_MS * MS - 3);
    admitted += fresh == SNT_OK;
    refused += fresh != SNT_OK;
}

static void every_answer_of_a_robots_clocks_holds_the_truth(void **state)
{
    (void)state;
    robot r = {.rng = rng_from_env()};
    const long runs = getenv("SNT_LONG") ? 500 : 15;
    for (long run = 0; run < runs; run++) {
        start(&r);
        for (int64_t half = 0; half < 2 * SPAN_S; half++) {
            const int64_t reading = half * S / 2;
            for (int i = 0; i < DEVICES; i++)
                if (half < 20 || rng_below(&r.rng, 8)) /* some are missed */
                    observe(&r, i, reading + rng_int(&r.rng, 0, 10 * MS));
            if (half % 32 == 31)
                for (int i = 0; i < 2; i++) {
                    const snt_clock_fact fact =
                        daemon_says(&r, true_steady(&r, 0, reading), i ? 2 * MS : 200000);
                    assert_status(snt_clock_graph_update_fact(r.graph, r.daemon[i], &fact), SNT_OK);
                }
            if (half >= 20)
                for (int i = 0; i < 4; i++)
                    ask(&r, reading + rng_int(&r.rng, -20 * S / 10, S));
        }
        const snt_bounded_time at = around(&r, SNT_DOMAIN_USER, SPAN_S * S, 0);
        assert_status(snt_clock_graph_check(r.graph, &at, NULL), SNT_OK);
        stop(&r);
    }
    printf("# %ld conversions, %ld admitted, %ld refused\n", asked, admitted, refused);
    assert_true(asked > 250000 && admitted > asked / 20 && refused > asked / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_answer_of_a_robots_clocks_holds_the_truth)};
    return cmocka_run_group_tests_name("sim_clock_graph", tests, NULL, NULL);
}
