/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stamps, the clock graph and admission. Peer for text: the C library's calendar.
 */
#include "bench.h"

#include "sensortime/sensortime.h"

#define T0 INT64_C(1700000000000000000)

static volatile int64_t rate_num = 1000000000,
                        rate_den = 90000; /* as configured, not known to the compiler */

static void ticks_ours(void *context, int64_t calls)
{
    int64_t ns, sum = 0;
    const int64_t num = rate_num, den = rate_den;
    (void)context;
    for (int64_t i = 0; i < calls; i++) { /* 90 kHz since 1970: the product needs more than 64 bits */
        snt_ticks_to_ns(INT64_C(153000000000000) + i, num, den, SNT_ROUND_FLOOR, &ns, NULL);
        sum += ns;
    }
    bench_sink((uint64_t)sum);
}

static void print_ours(void *context, int64_t calls)
{
    char text[SNT_RFC3339_SIZE];
    uint64_t sum = 0;
    (void)context;
    for (int64_t i = 0; i < calls; i++) {
        snt_time_format_rfc3339(T0 + i * INT64_C(1000000007), 9, 0, text, sizeof text);
        sum += (uint64_t)text[28];
    }
    bench_sink(sum);
}

static void print_peer(void *context, int64_t calls)
{
    char text[SNT_RFC3339_SIZE];
    uint64_t sum = 0;
    (void)context;
    for (int64_t i = 0; i < calls; i++) {
        const int64_t t = T0 + i * INT64_C(1000000007);
        const time_t seconds = (time_t)(t / 1000000000);
        struct tm parts;
        gmtime_r(&seconds, &parts);
        const size_t used = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
        snprintf(text + used, sizeof text - used, ".%09dZ", (int)(t % 1000000000));
        sum += (uint64_t)text[28];
    }
    bench_sink(sum);
}

static const char text[] = "2023-11-14T22:13:20.123456789Z";

static void parse_ours(void *context, int64_t calls)
{
    uint64_t sum = 0;
    snt_time t = 0;
    (void)context;
    for (int64_t i = 0; i < calls; i++) {
        snt_time_parse_rfc3339(text, sizeof text - 1, NULL, &t, NULL);
        sum += (uint64_t)t;
    }
    bench_sink(sum);
}

static void parse_peer(void *context, int64_t calls)
{
    uint64_t sum = 0;
    (void)context;
    for (int64_t i = 0; i < calls; i++) {
        struct tm parts = {0};
        const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
        sum += (uint64_t)timegm(&parts) * UINT64_C(1000000000) + (rest ? strtoul(rest + 1, NULL, 10) : 0);
    }
    bench_sink(sum);
}

/* Device to TAI over three edges: a fixed offset, a daemon's fact, the leap seconds. */
static void convert_ours(void *graph, int64_t calls)
{
    uint64_t sum = 0;
    snt_bounded_time in, out;
    snt_bounded_time_init(T0, 1000, 1000, 70, 0, &in);
    for (int64_t i = 0; i < calls; i++) {
        in.t = T0 + i;
        in.lo = in.t - 1000;
        in.hi = in.t + 1000;
        if (snt_clock_graph_convert(graph, &in, SNT_DOMAIN_TAI, &out, NULL) == SNT_OK)
            sum += (uint64_t)out.t;
    }
    bench_sink(sum);
}

static void admit_ours(void *context, int64_t calls)
{
    uint64_t sum = 0;
    snt_sample sample;
    snt_bounded_time now;
    snt_admission_policy policy;
    snt_admission_record record;
    (void)context;
    snt_admission_policy_init(&policy, sizeof policy);
    policy.max_age_ns = 40 * SNT_NS_PER_MS;
    snt_sample_init(&sample, T0, SNT_DOMAIN_UNIX, 0);
    sample.flags = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
    for (int64_t i = 0; i < calls; i++) {
        snt_bounded_time_init(T0 + i, 1000, 1000, SNT_DOMAIN_UNIX, 0, &now);
        sum += (uint64_t)snt_admission_check(&policy, &sample, &now, &record) + (uint64_t)record.age_hi_ns;
    }
    bench_sink(sum);
}

static void graph_case(int64_t calls)
{
    snt_clock_graph *graph;
    if (snt_clock_graph_create(NULL, NULL, &graph) != SNT_OK)
        return;
    const snt_clock_fact fact = {.from = 71,
                                 .to = SNT_DOMAIN_UNIX,
                                 .at_ns = T0,
                                 .offset_ns = 1234567,
                                 .error_ns = 500000,
                                 .drift_ppb = 20000,
                                 .valid_from = SNT_TIME_INFINITE_PAST,
                                 .valid_until = SNT_TIME_INFINITE_FUTURE};
    snt_clock_graph_add_offset(graph, 70, 71, 0, 100, NULL);
    snt_clock_graph_add_fact(graph, &fact, NULL);
    bench_report("graph_convert", bench_compare(graph, convert_ours, NULL, calls));
    snt_clock_graph_destroy(graph);
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    const int64_t calls = bench_quick ? 20000 : 200000;
    if (bench_wanted("stamp_ticks"))
        bench_report("stamp_ticks", bench_compare(NULL, ticks_ours, NULL, calls));
    if (bench_wanted("stamp_print"))
        bench_report("stamp_print", bench_compare(NULL, print_ours, print_peer, calls));
    if (bench_wanted("stamp_parse"))
        bench_report("stamp_parse", bench_compare(NULL, parse_ours, parse_peer, calls));
    if (bench_wanted("graph_convert"))
        graph_case(calls);
    if (bench_wanted("admission_check"))
        bench_report("admission_check", bench_compare(NULL, admit_ours, NULL, calls));
    return 0;
}
