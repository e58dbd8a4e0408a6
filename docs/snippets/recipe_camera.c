/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * docs/recipes.md, "my camera clock drifts": 30 frames a second, stamped by the camera's own clock in 125 MHz ticks, 60 ppm
 * fast. Nothing can be asked of the camera; frames take 12 ms and more to arrive.
 */
#include "snippet.h"

static const int64_t ms = 1000000;

static uint64_t counter(snt_time host)
{
    const snt_time up = host - 300 * SNT_NS_PER_S;
    return (uint64_t)(up + up / 1000000 * 60) / 8;
}

int main(void)
{
    snt_stream_monitor *m;
    need(snt_stream_monitor_create(NULL, NULL, &m));
    snt_device_clock *clk;
    /* [create] */
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.tick_num_ns = 8;                    /* 125 MHz, as GigE cameras have */
    cfg.event = SNT_EVENT_EXPOSURE;         /* what the times of its samples mean */
    cfg.delay_min_ns = 12 * SNT_NS_PER_MS;  /* readout and transfer never took less */
    cfg.delay_max_ns = 200 * SNT_NS_PER_MS; /* later frames are dropped: the only lower bound */
    need(snt_device_clock_create(&cfg, NULL, &clk));
    /* [create] */
    double raw = 0, mapped = 0;
    for (int n = 0; n < 30 * 120; n++) {
        const snt_time opened = 1000 * SNT_NS_PER_S + n * (SNT_NS_PER_S / 30), closed = opened + 8 * ms;
        const snt_time received = closed + 12 * ms + n * 7919 % 97 * 100000;
        const uint64_t first = counter(opened), last = counter(closed);
        static snt_time offset; /* set once, at the first frame, as drivers do */
        offset = n ? offset : received - (snt_time)last * 8;
        const snt_time stamped = (snt_time)first * 8 + offset;
        const snt_stream_message message = {
            .stamp_ns = stamped, .log_ns = received, .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG};
        need(snt_stream_monitor_add(m, &message));
        snt_sample image;
        /* [stamp] */
        const uint32_t session = snt_device_clock_session(clk); /* before receiving */
        snt_device_clock_observe_arrival(clk, session, last, received, NULL);
        if (snt_device_clock_stamp_interval(clk, session, first, last, received, 0, &image) != SNT_OK)
            continue; /* image.t0_ns … image.t1_ns is the exposure on the host's clock */
        /* [stamp] */
        raw = (double)(stamped - opened);
        mapped = (double)(image.t0_ns - opened);
    }
    snt_finding f[32];
    uint32_t count;
    char line[1024];
    need(snt_stream_monitor_findings(m, f, 32, &count));
    for (uint32_t i = 0; i < count; i++)
        if (f[i].code == SNT_FINDING_DELAY_TREND && snt_finding_format(&f[i], line, sizeof line) == SNT_OK)
            puts(line);
    snt_device_health health;
    need(snt_device_clock_health(clk, SNT_UNKNOWN, &health));
    printf("after two minutes: offset fixed once %.2f ms off, mapped %.2f ms off\n", 1e-6 * raw,
           1e-6 * mapped);
    printf("rate: %.1f ppm, certainly between %.1f and %.1f\n", 1e-3 * health.map.rate_ppb,
           1e-3 * health.map.rate_lo_ppb, 1e-3 * health.map.rate_hi_ppb);
    expect(fabs(mapped) < 1e6 && fabs(raw) > 5e6);
    snt_device_clock_destroy(clk);
    snt_stream_monitor_destroy(m);
    return 0;
}
