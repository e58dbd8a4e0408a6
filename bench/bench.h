/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every benchmark shares. A program measures named cases and prints one line for each:
 *
 *     name<TAB>ours<TAB>peer<TAB>ratio<TAB>unit
 *
 * Ratio > 1 means ours is better. Ours and the peer are timed in alternating batches, so that a clock that drifts
 * between runs drifts for both; figures are medians over the batches, the spread goes to stderr.
 *
 *     int main(int argc, char **argv)
 *     {
 *         bench_begin(argc, argv);
 *         if (bench_wanted("clock_query"))
 *             bench_report("clock_query", bench_compare(&ctx, ours, peer, calls));
 *         return 0;
 *     }
 *
 * Usable from C and C++.
 */
#ifndef SNT_BENCH_H
#define SNT_BENCH_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_BATCHES = 15, BENCH_BATCHES_QUICK = 5 };

typedef struct bench_result {
    double ours, peer;               /* medians [ns per call]; peer = NaN where there is none */
    double ours_spread, peer_spread; /* median absolute deviation, relative */
} bench_result;

/* Does `calls` calls of what is measured. */
typedef void (*bench_fn)(void *context, int64_t calls);

static const char *bench_only;
static int bench_quick;

static inline void bench_begin(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            bench_quick = 1;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            bench_only = argv[++i];
    }
}

static inline int bench_wanted(const char *name)
{
    if (!bench_only)
        return 1;
    const size_t length = strlen(name);
    for (const char *at = bench_only; (at = strstr(at, name)); at += length)
        if ((at == bench_only || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
            return 1;
    return 0;
}

static inline double bench_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static volatile uint64_t bench_sink_;

/* Keeps a result alive, so that the compiler cannot drop the work that made it. */
static inline void bench_sink(uint64_t value)
{
    bench_sink_ = value;
}

static int bench_less_(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double bench_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, bench_less_);
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

static inline double bench_spread_(const double *values, int n, double median)
{
    double deviations[BENCH_BATCHES];
    for (int i = 0; i < n; i++)
        deviations[i] = fabs(values[i] - median);
    return bench_median(deviations, n) / median;
}

/* Times `ours` and, where it is not NULL, `peer`, in alternating batches of `calls` calls after one warm-up each. */
static inline bench_result bench_compare(void *context, bench_fn ours, bench_fn peer, int64_t calls)
{
    double times[2][BENCH_BATCHES];
    const int batches = bench_quick ? BENCH_BATCHES_QUICK : BENCH_BATCHES;
    const bench_fn what[2] = {ours, peer};
    for (int batch = -1; batch < batches; batch++)
        for (int who = 0; who < 2; who++) {
            if (!what[who])
                continue;
            const double start = bench_now_ns();
            what[who](context, calls);
            if (batch >= 0)
                times[who][batch] = (bench_now_ns() - start) / (double)calls;
        }
    bench_result result;
    result.ours = bench_median(times[0], batches);
    result.ours_spread = bench_spread_(times[0], batches, result.ours);
    result.peer = peer ? bench_median(times[1], batches) : (double)NAN;
    result.peer_spread = peer ? bench_spread_(times[1], batches, result.peer) : 0;
    return result;
}

static inline void bench_print_(const char *name, double ours, double peer, double ratio, const char *unit)
{
    if (isnan(peer) && isnan(ratio))
        printf("%s\t%.4g\t-\t-\t%s\n", name, ours, unit);
    else if (isnan(peer))
        printf("%s\t%.4g\t-\t%.4g\t%s\n", name, ours, ratio, unit);
    else
        printf("%s\t%.4g\t%.4g\t%.4g\t%s\n", name, ours, peer, ratio, unit);
    fflush(stdout);
}

/* Times as they are. */
static inline void bench_report(const char *name, bench_result r)
{
    fprintf(stderr, "# %s: spread ±%.1f %% / ±%.1f %%\n", name, 100 * r.ours_spread, 100 * r.peer_spread);
    bench_print_(name, r.ours, r.peer, r.peer / r.ours, "ns");
}

/* Times turned into rates: `items` are done by each call; unit "Mpt/s" and the like. */
static inline void bench_report_rate(const char *name, bench_result r, double items, const char *unit)
{
    fprintf(stderr, "# %s: spread ±%.1f %% / ±%.1f %%\n", name, 100 * r.ours_spread, 100 * r.peer_spread);
    bench_print_(name, 1e3 * items / r.ours, 1e3 * items / r.peer, r.peer / r.ours, unit);
}

/* A quantity that is not a time. */
static inline void bench_report_value(const char *name, double ours, double peer, double ratio,
                                      const char *unit)
{
    bench_print_(name, ours, peer, ratio, unit);
}

/* A fixed loop of dependent integer operations: what one nanosecond of this machine is worth right now. */
static inline double bench_calibration_ns(void)
{
    uint64_t x = 88172645463325252u;
    const double start = bench_now_ns();
    for (int i = 0; i < 1000000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    bench_sink(x);
    return (bench_now_ns() - start) / 1e6;
}

#endif
