/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * docs/recipes.md, "my driver stamps on arrival": an IMU at 100 Hz on a busy bus. Its packets carry the device's
 * 32-bit microseconds, which the driver does not use.
 */
#include "snippet.h"

static const int64_t us = 1000, ms = 1000000;

static uint64_t counter(snt_time host) /* 30 ppm fast, started at some other time */
{
    const snt_time up = host - 70000 * SNT_NS_PER_S;
    return (uint64_t)((up + up / 1000000 * 30) / 1000) & UINT32_MAX;
}

static snt_time arrival(snt_time measured) /* 0.4 ms at least, up to 5 ms when the bus is busy */
{
    const int64_t busy = measured / (10 * ms) * 7919 % 101;
    return measured + 400 * us + busy * busy * us * 46 / 100;
}

static void print_findings(snt_stream_monitor *m)
{
    snt_finding f[32];
    uint32_t count;
    char line[1024];
    need(snt_stream_monitor_findings(m, f, 32, &count));
    for (uint32_t i = 0; i < count; i++)
        if (f[i].code == SNT_FINDING_STAMPED_ON_ARRIVAL &&
            snt_finding_format(&f[i], line, sizeof line) == SNT_OK)
            puts(line);
}

int main(void)
{
    snt_stream_monitor *m;
    need(snt_stream_monitor_create(NULL, NULL, &m));
    snt_device_clock *clk;
    /* [create] */
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.tick_num_ns = 1000; /* the counter in the packets: microseconds, 32 bits */
    cfg.counter_bits = 32;
    cfg.delay_min_ns = 400000;   /* no packet was ever faster */
    cfg.command_min_ns = 400000; /* no ping either */
    need(snt_device_clock_create(&cfg, NULL, &clk));
    /* [create] */
    int64_t worst_arrival = 0, worst_mapped = 0, widest = 0;
    for (int n = 0; n < 3000; n++) {
        const snt_time measured = 80000 * SNT_NS_PER_S + n * 10 * ms, received = arrival(measured);
        const snt_stream_message message = {.stamp_ns = received,
                                            .log_ns = received + 100 * us,
                                            .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG};
        need(snt_stream_monitor_add(m, &message)); /* what the driver publishes */
        if (n % 100 == 50) {
            const uint64_t at = counter(measured + 500 * us);
            const uint32_t asked_in = snt_device_clock_session(clk);
            need(snt_device_clock_observe_exchange(clk, asked_in, measured, at, at, measured + 950 * us,
                                                   NULL));
        }
        const uint64_t ticks = counter(measured);
        snt_sample sample;
        /* [stamp] */
        const uint32_t session = snt_device_clock_session(clk); /* before receiving */
        snt_device_clock_observe_arrival(clk, session, ticks, received, NULL);
        if (snt_device_clock_stamp(clk, session, ticks, received, 0, &sample) != SNT_OK)
            continue; /* warming up */
        /* sample.t0_ns is when it was measured, from -err_lo_ns to +err_hi_ns */
        /* [stamp] */
        if (n < 200)
            continue;
        const int64_t error = llabs(sample.t0_ns - measured);
        expect(error <= sample.err_lo_ns + sample.err_hi_ns);
        worst_arrival = received - measured > worst_arrival ? received - measured : worst_arrival;
        worst_mapped = error > worst_mapped ? error : worst_mapped;
        widest = sample.err_lo_ns + sample.err_hi_ns > widest ? sample.err_lo_ns + sample.err_hi_ns : widest;
    }
    print_findings(m);
    printf("stamped on arrival: up to %.1f ms late\n", 1e-6 * (double)worst_arrival);
    printf("stamped by the device clock: within %.0f us, promised %.0f us\n", 1e-3 * (double)worst_mapped,
           1e-3 * (double)widest);
    expect(worst_mapped * 20 < worst_arrival);
    snt_device_clock_destroy(clk);
    snt_stream_monitor_destroy(m);
    return 0;
}
