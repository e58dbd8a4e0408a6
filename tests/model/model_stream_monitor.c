/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The monitor against a model that keeps every message in a list, sorts, and goes over it as often as it likes. Streams are
 * random: period, jitter, delay, drift, losses, repeats, steps back, zeros, bursts.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "test.h"

#define MS SNT_NS_PER_MS
#define S  SNT_NS_PER_S

enum { MOST = 4000 };

typedef struct model {
    snt_stream_message messages[MOST];
    int count;
} model;

static model the;

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void make_stream(test_rng *rng)
{
    const int64_t period = rng_int(rng, 2 * MS, 200 * MS), jitter = period * rng_int(rng, 0, 30) / 100;
    const int64_t delay = rng_int(rng, -20 * MS, 150 * MS), spread = rng_int(rng, 0, 30 * MS);
    const double drift = rng_below(rng, 2) ? rng_range(rng, -1e-4, 1e-4) : 0;
    const uint64_t faults = rng_below(rng, 3) ? 1 + rng_below(rng, 60) : 0;
    int64_t ideal = INT64_C(1700000000) * S, held = 0;
    uint64_t sequence = 5;
    the.count = (int)rng_int(rng, 0, MOST);
    if (rng_below(rng, 3) == 0)
        the.count = (int)rng_int(rng, 0, 40);
    const int64_t start = ideal;
    for (int i = 0; i < the.count; i++) {
        snt_stream_message *m = &the.messages[i];
        const uint64_t fault = faults && rng_below(rng, 1000) < faults ? 1 + rng_below(rng, 5) : 0;
        ideal += period;
        sequence++;
        if (fault == 1) {
            const int64_t lost = rng_int(rng, 1, 9);
            ideal += lost * period;
            sequence += (uint64_t)lost;
        }
        int64_t stamp = ideal + rng_int(rng, -jitter, jitter);
        if (fault == 2)
            stamp = 0;
        if (fault == 3 && i)
            stamp = the.messages[i - 1].stamp_ns;
        if (fault == 4)
            stamp -= rng_int(rng, 1, 900 * MS);
        if (fault == 5)
            held = rng_int(rng, 2, 12);
        int64_t log = ideal + delay + (int64_t)(drift * (double)(ideal - start)) + rng_int(rng, 0, spread);
        if (held && i) {
            held--;
            log = the.messages[i - 1].log_ns + rng_int(rng, 0, 1000);
        }
        *m = (snt_stream_message){.stamp_ns = stamp,
                                  .log_ns = log,
                                  .size_bytes = rng_below(rng, 5000),
                                  .sequence = sequence,
                                  .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG};
    }
}

static int64_t at_rank(const int64_t *sorted, int n, double q)
{
    int rank = (int)ceil(q * n);
    rank = rank < 1 ? 1 : rank > n ? n : rank;
    return sorted[rank - 1];
}

static void within(int64_t got, int64_t truth, double share, double extra)
{
    if (fabs((double)got - (double)truth) > share * fabs((double)truth) + extra)
        fail_msg("%" PRId64 " is not within %g of %" PRId64, got, share, truth);
}

static void check_steps(const snt_interval_stats *s, const int64_t *times, int n)
{
    static int64_t steps[MOST];
    int forward = 0;
    uint64_t equal = 0, backward = 0;
    int64_t worst = 0;
    long double sum = 0;
    for (int i = 1; i < n; i++) {
        const int64_t step = times[i] - times[i - 1];
        equal += step == 0;
        backward += step < 0;
        if (-step > worst)
            worst = -step;
        if (step > 0) {
            steps[forward++] = step;
            sum += step;
        }
    }
    assert_int_equal(s->steps, n ? n - 1 : 0);
    assert_int_equal(s->forward, forward);
    assert_int_equal(s->equal, equal);
    assert_int_equal(s->backward, backward);
    assert_i64_equal(s->worst_back_ns, worst);
    if (!forward) {
        assert_i64_equal(s->median_ns, SNT_UNKNOWN);
        return;
    }
    const double mean = (double)(sum / forward);
    long double square = 0;
    for (int i = 0; i < forward; i++)
        square += ((long double)steps[i] - sum / forward) * ((long double)steps[i] - sum / forward);
    qsort(steps, (size_t)forward, sizeof *steps, ascending);
    const double exact = forward <= 64 ? 0 : 1.0 / 32;
    assert_i64_equal(s->min_ns, steps[0]);
    assert_i64_equal(s->max_ns, steps[forward - 1]);
    assert_near(s->mean_ns, mean, 1e-9 * mean);
    if (forward > 1)
        assert_near(s->std_ns, (double)sqrtl(square / (forward - 1)), 1e-6 * mean);
    within(s->median_ns, steps[forward / 2], exact, exact * 1024);
    within(s->p05_ns, at_rank(steps, forward, 0.05), exact, exact * 1024);
    within(s->p95_ns, at_rank(steps, forward, 0.95), exact, exact * 1024);
    assert_near(s->rate_hz, (double)(1e9L * (forward + (long double)equal) / sum), 1e-6 * s->rate_hz);
    /* the width about the reported median that holds 95 % */
    static int64_t away[MOST];
    for (int i = 0; i < forward; i++)
        away[i] = steps[i] > s->median_ns ? steps[i] - s->median_ns : s->median_ns - steps[i];
    qsort(away, (size_t)forward, sizeof *away, ascending);
    const int64_t width = at_rank(away, forward, 0.95);
    const double slack = exact * 2 * ((double)s->median_ns + (double)width + 1024) + 1;
    assert_near((double)s->jitter_p95_ns, (double)width, slack);
}

static void check_delay(const snt_delay_stats *d, int64_t future_limit)
{
    static int64_t delays[MOST], sorted[MOST];
    static long double x[MOST];
    int n = 0;
    uint64_t future = 0;
    for (int i = 0; i < the.count; i++) {
        const snt_stream_message *m = &the.messages[i];
        if (m->stamp_ns == 0)
            continue;
        x[n] = (long double)(m->log_ns - the.messages[0].log_ns);
        delays[n] = sorted[n] = m->log_ns - m->stamp_ns;
        future += delays[n] < -future_limit;
        n++;
    }
    assert_int_equal(d->count, n);
    assert_int_equal(d->incomparable, 0);
    assert_int_equal(d->future, future);
    if (!n)
        return;
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    assert_i64_equal(d->min_ns, sorted[0]);
    assert_i64_equal(d->max_ns, sorted[n - 1]);
    const double from[3] = {0.05, 0.5, 0.95};
    const int64_t got[3] = {d->p05_ns, d->median_ns, d->p95_ns};
    for (int i = 0; i < 3; i++) {
        const int64_t truth = at_rank(sorted, n, from[i]);
        assert_near((double)got[i], (double)truth, fabs((double)(truth - delays[0])) / 32 + 33);
    }
    long double mx = 0, my = 0, sxx = 0, sxy = 0, syy = 0;
    for (int i = 0; i < n; i++) {
        mx += x[i] / n;
        my += (long double)delays[i] / n;
    }
    for (int i = 0; i < n; i++) {
        sxx += (x[i] - mx) * (x[i] - mx);
        sxy += (x[i] - mx) * ((long double)delays[i] - my);
        syy += ((long double)delays[i] - my) * ((long double)delays[i] - my);
    }
    assert_near(d->mean_ns, (double)my, 1);
    if (n < 3 || d->span_s < 10) {
        assert_true(isnan(d->drift_ppb));
        return;
    }
    const long double slope = sxy / sxx, rest = (syy - slope * sxy) / (n - 2);
    assert_near(d->drift_ppb, (double)(slope * 1e9L), 1e-6 * fabs((double)(slope * 1e9L)) + 1e-3);
    assert_near(d->jitter_ns, (double)sqrtl(rest), 1e-5 * (double)sqrtl(rest) + 1e-2);
    assert_near(d->drift_error_ppb, (double)(sqrtl(rest / sxx) * 1e9L), 1e-4 * d->drift_error_ppb + 1e-4);
}

/* Gaps with a declared period, by looking at each step with its neighbour after it. */
static void check_gaps(const snt_stream_report *r, int64_t period, bool numbered)
{
    uint64_t gaps = 0, lo_sum = 0, hi_sum = 0, jumps = 0;
    int previous = -1;
    static struct {
        int64_t stamp, log;
        uint64_t sequence;
    } steps[MOST];
    int n = 0;
    for (int i = 0; i < the.count; i++) {
        if (the.messages[i].stamp_ns == 0)
            continue;
        if (previous >= 0) {
            steps[n].stamp = the.messages[i].stamp_ns - the.messages[previous].stamp_ns;
            /* the log's step is from the message before, whatever its stamp */
            steps[n].log = the.messages[i].log_ns - the.messages[i - 1].log_ns;
            steps[n++].sequence = the.messages[i].sequence - the.messages[i - 1].sequence;
        }
        previous = i;
    }
    for (int i = 0; i < n; i++) {
        const double step = (double)steps[i].stamp, p = (double)period;
        const double least = 0.9 * fmax(100 * p, 1e9);
        jumps += steps[i].log >= 0 && fabs(step - (double)steps[i].log) > least && fabs(step) > least;
        if (step <= 1.75 * p)
            continue;
        int64_t next = i + 1 < n ? steps[i + 1].stamp : 0;
        double lo, hi;
        if (numbered) {
            lo = hi = (double)(steps[i].sequence - 1);
            if (lo == 0)
                continue;
        } else {
            const int64_t prev = i ? steps[i - 1].stamp : 0;
            const bool early = prev > 0 && (double)prev<p, late = next> 0 && (double)next < p;
            const double extra = early + late;
            const double ratio = (step + (early ? (double)prev : 0) + (late ? (double)next : 0)) / p;
            lo = fmax(0, floor(ratio + 0.25) - 1 - extra);
            hi = fmax(lo, ceil(ratio - 0.25) - 1 - extra);
            if (extra > 0 && lo == 0)
                continue;
        }
        gaps++;
        lo_sum += (uint64_t)lo;
        hi_sum += (uint64_t)hi;
    }
    if (jumps) /* such steps are no gaps; the streams made here hardly ever have any */
        return;
    assert_int_equal(r->gaps, gaps);
    assert_int_equal(r->missing_lo, lo_sum);
    assert_int_equal(r->missing_hi, hi_sum);
}

static bool has_zero_or_host_step(void)
{
    for (int i = 1; i < the.count; i++) {
        if (the.messages[i].stamp_ns == 0 || the.messages[i - 1].stamp_ns == 0)
            return true;
        if (the.messages[i].log_ns < the.messages[i - 1].log_ns)
            return true;
    }
    return false;
}

static void the_monitor_agrees_with_a_list_of_all_messages(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    const int rounds = getenv("SNT_LONG") ? 20000 : 400;
    for (int round = 0; round < rounds; round++) {
        make_stream(&rng);
        const bool declared = rng_below(&rng, 2), numbered = declared && rng_below(&rng, 2);
        snt_stream_monitor_config config;
        snt_stream_monitor_config_init(&config, sizeof config);
        const int64_t period = rng_int(&rng, 5 * MS, 100 * MS);
        config.expected_period_ns = declared ? period : 0;
        snt_stream_monitor *monitor;
        snt_stream_report report, again;
        assert_status(snt_stream_monitor_create(&config, NULL, &monitor), SNT_OK);
        static int64_t stamps[MOST], logs[MOST];
        int stamped = 0;
        uint64_t zero = 0, bytes = 0;
        for (int i = 0; i < the.count; i++) {
            snt_stream_message *m = &the.messages[i];
            m->flags |= numbered ? (uint32_t)SNT_STREAM_HAS_SEQUENCE : 0;
            zero += m->stamp_ns == 0;
            if (m->stamp_ns)
                stamps[stamped++] = m->stamp_ns;
            logs[i] = m->log_ns;
            bytes += m->size_bytes;
            assert_status(snt_stream_monitor_add(monitor, m), SNT_OK);
            if (rng_below(&rng, 500) == 0) /* asking changes nothing */
                assert_status(snt_stream_monitor_report(monitor, &report), SNT_OK);
        }
        assert_status(snt_stream_monitor_report(monitor, &report), SNT_OK);
        assert_int_equal(report.messages, the.count);
        assert_int_equal(report.bytes, bytes);
        assert_int_equal(report.zero_stamps, zero);
        check_steps(&report.stamps, stamps, stamped);
        check_steps(&report.log, logs, the.count);
        check_delay(&report.delay, config.future_warn_ns);
        if (declared && !has_zero_or_host_step())
            check_gaps(&report, period, numbered);
        /* the same in one call, and settled */
        snt_stream_monitor_reset(monitor);
        assert_status(snt_stream_monitor_add_many(monitor, the.messages, (uint64_t)the.count), SNT_OK);
        assert_status(snt_stream_monitor_finish(monitor), SNT_OK);
        assert_status(snt_stream_monitor_report(monitor, &again), SNT_OK);
        again.events_dropped = report.events_dropped;
        assert_memory_equal(&again, &report, sizeof report);
        snt_stream_monitor_destroy(monitor);
    }
}

/* The lower envelope finds the clocks' drift under one-sided delays, where least squares is pulled by the queue. */
static void the_floor_gives_the_drift_under_growing_queues(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 40; round++) {
        const double drift = rng_range(&rng, -5e-5, 5e-5);
        snt_stream_monitor *monitor;
        assert_status(snt_stream_monitor_create(NULL, NULL, &monitor), SNT_OK);
        for (int i = 0; i < 20000; i++) {
            const int64_t stamp = INT64_C(1700000000) * S + i * 10 * MS;
            /* queueing grows over the recording, but now and then a message passes at once */
            const double queue = rng_below(&rng, 20) ? -log(1 - rng_unit(&rng)) * (2e6 + 500.0 * i) : 0;
            const snt_stream_message m = {.stamp_ns = stamp,
                                          .log_ns =
                                              stamp + 20 * MS + (int64_t)(drift * i * 10e6) + (int64_t)queue,
                                          .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG};
            assert_status(snt_stream_monitor_add(monitor, &m), SNT_OK);
        }
        snt_stream_report r;
        assert_status(snt_stream_monitor_report(monitor, &r), SNT_OK);
        assert_near(r.delay.floor_ppb, drift * 1e9, 100);
        assert_near(r.delay.floor_first_ppb, drift * 1e9, 300);
        assert_near(r.delay.floor_second_ppb, drift * 1e9, 300);
        assert_true(fabs(r.delay.drift_ppb - drift * 1e9) > 5000); /* what least squares makes of it */
        snt_stream_monitor_destroy(monitor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_monitor_agrees_with_a_list_of_all_messages),
        cmocka_unit_test(the_floor_gives_the_drift_under_growing_queues),
    };
    return cmocka_run_group_tests_name("model_stream_monitor", tests, NULL, NULL);
}
