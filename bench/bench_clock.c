/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clock maps: cost of updates and queries, width of the bounds against the best possible, and the error of the estimate
 * against other estimators in the scenarios of tests/sim/clock_scenarios.h.
 */
#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>

#include "sensortime/sensortime.h"

#include "../tests/sim/clock_oracle.h"
#include "../tests/sim/clock_scenarios.h"
#include "peers/clock_peers.h"

/* ---- cost ---- */

typedef struct cost {
    snt_clock_map *map;
    snt_device_clock *device;
    int64_t d;
    _Atomic int64_t newest; /* the writer's */
    test_rng rng;
    uint64_t seen;
} cost;

static snt_clock_map *cost_map(double wander, uint32_t vertices)
{
    snt_clock_map_config cfg;
    snt_clock_map_config_init(&cfg, sizeof cfg);
    cfg.wander_ppb_s = wander;
    cfg.warm_observations = 1;
    if (vertices)
        cfg.max_vertices = vertices;
    snt_clock_map *map;
    if (snt_clock_map_create(&cfg, NULL, &map) != SNT_OK)
        exit(1);
    return map;
}

/* Arrivals that say nothing new, each followed by a query: what a 1 kHz stream costs between pings. */
static void redundant(void *context, int64_t calls)
{
    cost *c = context;
    for (int64_t i = 0; i < calls; i++) {
        snt_bounded_time t;
        c->d += 1000;
        snt_clock_map_observe_arrival(c->map, 0, c->d, c->d + 50000000 + (c->d & 0xffff), NULL);
        snt_clock_map_to_host(c->map, c->d, &t);
        c->seen += (uint64_t)t.hi;
    }
    bench_sink(c->seen);
}

/* Pulses a second apart: the set has grown and each cuts it. */
static void cutting(void *context, int64_t calls)
{
    cost *c = context;
    for (int64_t i = 0; i < calls; i++) {
        c->d += 1000000000;
        const int64_t e = (int64_t)(rng_next(&c->rng) % 2000) - 1000;
        c->seen +=
            (uint64_t)snt_clock_map_observe_cross(c->map, 0, c->d + e - 1000, c->d, c->d + e + 1000, NULL);
        if (c->d > INT64_C(1) << 60)
            c->d = 0;
    }
    bench_sink(c->seen);
}

/* Arrivals 10 ms apart without jitter, under wander: each cuts a little. */
static void cutting_packets(void *context, int64_t calls)
{
    cost *c = context;
    for (int64_t i = 0; i < calls; i++) {
        c->d += 10000000;
        c->seen += (uint64_t)snt_clock_map_observe_arrival(c->map, 0, c->d,
                                                           c->d + (int64_t)(rng_next(&c->rng) % 100), NULL);
    }
    bench_sink(c->seen);
}

static void query_ahead(void *context, int64_t calls)
{
    cost *c = context;
    uint64_t seen = 0;
    int64_t d = 0;
    for (int64_t i = 0; i < calls; i++) {
        if ((i & 1023) == 0)
            d = atomic_load_explicit(&c->newest, memory_order_relaxed) + 2000000;
        snt_bounded_time t;
        snt_clock_map_to_host(c->map, d + (i & 1023) * 1000, &t);
        seen += (uint64_t)t.t + t.flags;
    }
    bench_sink(seen);
}

static void query_back(void *context, int64_t calls)
{
    cost *c = context;
    uint64_t seen = 0;
    int64_t d = 0;
    for (int64_t i = 0; i < calls; i++) {
        if ((i & 1023) == 0)
            d = atomic_load_explicit(&c->newest, memory_order_relaxed) + 2000000;
        snt_bounded_time t;
        snt_clock_map_to_host(c->map, d - 2000000000 - (i & 1023) * 1000, &t);
        seen += (uint64_t)t.t + t.flags;
    }
    bench_sink(seen);
}

static void query_device(void *context, int64_t calls)
{
    cost *c = context;
    uint64_t seen = 0;
    int64_t d = 0;
    for (int64_t i = 0; i < calls; i++) {
        if ((i & 1023) == 0)
            d = atomic_load_explicit(&c->newest, memory_order_relaxed) + 2000000;
        snt_bounded_time t;
        snt_clock_map_to_device(c->map, d + (i & 1023) * 1000, &t);
        seen += (uint64_t)t.t + t.flags;
    }
    bench_sink(seen);
}

static void device_stamp(void *context, int64_t calls)
{
    cost *c = context;
    for (int64_t i = 0; i < calls; i++) {
        snt_sample sample;
        c->d += 1000000;
        snt_device_clock_observe_arrival(c->device, 0, (uint64_t)c->d, c->d + 500000 + (c->d & 0xffff), NULL);
        c->seen += (uint64_t)snt_device_clock_stamp(c->device, 0, (uint64_t)c->d, c->d + 600000, 0, &sample);
    }
    bench_sink(c->seen);
}

static _Atomic int writer_stop;

static void *writer(void *context)
{
    cost *c = context;
    int64_t d = c->d;
    while (!atomic_load(&writer_stop)) { /* 1000 versions a second */
        snt_clock_map_observe_cross(c->map, 0, d - 900, d, d + 900, NULL);
        d += 1000000;
        atomic_store_explicit(&c->newest, d, memory_order_relaxed);
        const struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void costs(void)
{
    cost c = {.rng = {1}};
    const int64_t calls = bench_quick ? 200000 : 1000000;
    if (bench_wanted("clock_update")) {
        c.map = cost_map(200, 0);
        for (int i = 0; i < 100; i++)
            cutting(&c, 1);
        bench_report("clock_update", bench_compare(&c, redundant, NULL, calls));
        snt_clock_map_destroy(c.map);
    }
    if (bench_wanted("clock_cut")) {
        c = (cost){.map = cost_map(110, 0), .rng = {1}};
        bench_report("clock_cut", bench_compare(&c, cutting, NULL, calls / 20));
        snt_clock_map_destroy(c.map);
    }
    if (bench_wanted("clock_cut_packets")) {
        c = (cost){.map = cost_map(110, 0), .rng = {1}};
        for (int i = 0; i < 60; i++)
            cutting(&c, 1);
        bench_report("clock_cut_packets", bench_compare(&c, cutting_packets, NULL, calls / 20));
        snt_clock_map_destroy(c.map);
    }
    const char *names[] = {"clock_query", "clock_query_past", "clock_query_backward"};
    const bench_fn queries[] = {query_ahead, query_back, query_device};
    for (int i = 0; i < 3; i++) {
        if (!bench_wanted(names[i]))
            continue;
        c = (cost){.map = cost_map(110, 0), .rng = {1}};
        cutting(&c, 1000);
        pthread_t thread;
        atomic_store(&c.newest, c.d);
        atomic_store(&writer_stop, 0);
        if (pthread_create(&thread, NULL, writer, &c))
            exit(1);
        bench_report(names[i], bench_compare(&c, queries[i], NULL, calls));
        atomic_store(&writer_stop, 1);
        pthread_join(thread, NULL);
        snt_clock_map_destroy(c.map);
    }
    if (bench_wanted("clock_device_stamp")) {
        snt_device_clock_config cfg;
        snt_device_clock_config_init(&cfg, sizeof cfg);
        c = (cost){.rng = {1}};
        if (snt_device_clock_create(&cfg, NULL, &c.device) != SNT_OK)
            exit(1);
        bench_report("clock_device_stamp", bench_compare(&c, device_stamp, NULL, calls / 4));
        snt_device_clock_destroy(c.device);
    }
}

/* ---- width: reachable set (32-sided lens, no limit on vertices) against ours ---- */

static double width_ratio(double wander, double jitter, double period, double exchange, double stop,
                          int64_t delay_max, uint64_t seed)
{
    test_rng rng = {seed};
    static world_clock clock;
    world_clock_init(&clock, &rng, OSC_SINE, 5e4, wander * 0.95, 1e15);
    snt_clock_map_config cfg;
    snt_clock_map_config_init(&cfg, sizeof cfg);
    cfg.wander_ppb_s = wander;
    cfg.warm_observations = 1;
    cfg.delay_max_ns = delay_max;
    snt_clock_map *map;
    if (snt_clock_map_create(&cfg, NULL, &map) != SNT_OK)
        exit(1);
    oracle_set set = {0};
    double ours = 0, best = 0, next = exchange;
    for (double at = 0.001; at < 300; at += period) {
        const int64_t d = (int64_t)(at * 1e9);
        double rest;
        const int64_t T = world_host(&clock, d, &rest);
        const int64_t got = T + (int64_t)ceil(rest + (jitter > 0 ? world_exp(&rng, jitter) : 0));
        double lo = -1e11, hi = (double)(got - d - (int64_t)1e15);
        if (exchange > 0 && at >= next && at < stop) {
            next += exchange;
            const int64_t sent = T - (jitter > 0 ? (int64_t)ceil(world_exp(&rng, jitter)) : 1);
            lo = (double)(sent - d - (int64_t)1e15);
            snt_clock_map_observe_exchange(map, 0, sent, d, d, got, NULL);
        } else {
            snt_clock_map_observe_arrival(map, 0, d, got, NULL);
        }
        if (delay_max != SNT_UNKNOWN)
            lo = fmax(lo, hi - (double)delay_max);
        if (!set.n) {
            oracle_set_begin(&set, at, lo, hi, 1e5);
        } else {
            oracle_step(&set, (double)d * 1e-9, wander, 1e5);
            oracle_clip(&set, 1, 0, hi);
            oracle_clip(&set, -1, 0, -lo);
        }
        snt_bounded_time t;
        if (at > 30 && snt_clock_map_to_host(map, d, &t) == SNT_OK && (t.flags & SNT_TIME_BOUND_LO)) {
            double o_lo, o_hi;
            oracle_extent(&set, &o_lo, &o_hi);
            ours += (double)(t.hi - t.lo);
            best += o_hi - o_lo;
        }
    }
    oracle_set_free(&set);
    snt_clock_map_destroy(map);
    return best / ours;
}

static void widths(void)
{
    if (!bench_wanted("clock_width_vs_optimum"))
        return;
    const double ratios[] = {
        width_ratio(110, 7e5, 1, 5, 1e9, SNT_UNKNOWN, 1),   width_ratio(110, 7e5, 1, 1, 1e9, SNT_UNKNOWN, 2),
        width_ratio(110, 7e5, 0.1, 5, 1e9, SNT_UNKNOWN, 3), width_ratio(110, 7e5, 0.1, 0, 0, 20000000, 4),
        width_ratio(110, 0, 0.1, 0, 0, 1000000, 5),         width_ratio(110, 0, 0.1, 0, 0, 10000, 6),
        width_ratio(110, 0, 0.1, 1, 60, SNT_UNKNOWN, 7), /* exchanges end after a minute, packets go on */
    };
    double worst = 1;
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        fprintf(stderr, "# width case %zu: optimum/ours %.4f\n", i, ratios[i]);
        worst = fmin(worst, ratios[i]);
    }
    bench_report_value("clock_width_vs_optimum", 1 / worst, 1, worst, "ratio");
}

/* ---- error of the estimate ---- */

enum { PEERS = 5 };
static const char *const peer_names[PEERS] = {"Olson", "hull", "Kalman", "LSQ15", "min-RTT"};

static peer_hull hull;

static void score(const scenario *s, uint64_t seed, double *sums, double *ours, long *n)
{
    static world w;
    world_begin(&w, s, seed);
    snt_clock_map_config cfg;
    scenario_config(s, &cfg);
    snt_clock_map *map;
    if (snt_clock_map_create(&cfg, NULL, &map) != SNT_OK)
        exit(1);
    peer_passive passive = {.rate = 1e-4};
    peer_kalman kalman = {.sigma = 2e6, .wander = 2e3};
    peer_lsq lsq = {0};
    peer_rtt rtt = {0};
    hull.n = 0;
    test_rng rng = {seed ^ 0xabc};
    const int64_t start = (int64_t)1e15;
    const double half = s->quantum > 1 ? (double)s->quantum / 2 : 0;
    for (;;) {
        const world_event e = world_next(&w);
        if (e.device > INT64_C(600000000000))
            break;
        if (world_feed(map, &w, &e, NULL) != SNT_OK)
            exit(1);
        const double d = (double)e.stamp, least = (double)s->delay_min;
        const double r = (double)(e.received - start) - (e.kind == SNT_OBSERVED_PPS ? 0 : least);
        if (e.kind != SNT_OBSERVED_EXCHANGE || s->period <= 0) {
            peer_passive_add(&passive, d, r);
            peer_hull_add(&hull, d, r);
            peer_kalman_add(&kalman, d, r);
            peer_lsq_add(&lsq, d, r);
        }
        if (e.kind == SNT_OBSERVED_EXCHANGE)
            peer_rtt_add(&rtt, (double)(e.sent - start), d, (double)(e.received - start));
        if (e.device < INT64_C(30000000000))
            continue;
        const double gap = s->period > 0 ? s->period : s->exchange > 0 ? s->exchange : s->pps;
        const int64_t at = e.device + (int64_t)(rng_unit(&rng) * gap * 1e9), stamp = world_cut(&w, at);
        double rest;
        const int64_t whole = world_host(&w.clock, at, &rest);
        snt_bounded_time t;
        if (snt_clock_map_to_host(map, stamp, &t) != SNT_OK)
            exit(1);
        const double truth = (double)(whole - start - stamp) + rest, q = (double)stamp;
        const double mine = (double)(t.t - start - stamp) - truth;
        const double errors[PEERS] = {
            peer_passive_at(&passive, q) + half - truth, peer_hull_at(&hull, q) + half - truth,
            peer_kalman_at(&kalman, q) + half - truth, peer_lsq_at(&lsq, q) + half - truth,
            rtt.n ? peer_rtt_at(&rtt) + half - truth : (double)NAN};
        *ours += mine * mine;
        for (int i = 0; i < PEERS; i++)
            sums[i] += errors[i] * errors[i];
        ++*n;
    }
    snt_clock_map_destroy(map);
}

static void errors_of_estimates(void)
{
    if (!bench_wanted("clock_rms_vs_best_peer"))
        return;
    double worst = 1e9;
    for (int i = 0; i < SCENARIOS; i++) {
        double sums[PEERS] = {0}, ours = 0;
        long n = 0;
        for (uint64_t seed = 1; seed <= (bench_quick ? 2u : 8u); seed++)
            score(&scenarios[i], seed * 7919, sums, &ours, &n);
        double best = 1e18;
        ours = sqrt(ours / (double)n);
        fprintf(stderr, "# %-42s ours %11.1f ns", scenarios[i].name, ours);
        for (int p = 0; p < PEERS; p++) {
            const double rms = sqrt(sums[p] / (double)n);
            if (!isnan(rms))
                best = fmin(best, rms);
            fprintf(stderr, "  %s %.1f", peer_names[p], rms);
        }
        fprintf(stderr, "  ratio %.3f\n", best / ours);
        worst = fmin(worst, best / ours);
    }
    bench_report_value("clock_rms_vs_best_peer", 1 / worst, 1, worst, "ratio");
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    if (bench_wanted("clock_calibration"))
        bench_report_value("clock_calibration", bench_calibration_ns(), (double)NAN, (double)NAN, "ns");
    costs();
    widths();
    errors_of_estimates();
    return 0;
}
