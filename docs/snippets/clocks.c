/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/clocks.md: a driver with a 32-bit microsecond counter. The device here is 40 ppm fast. */
#include "snippet.h"

typedef struct packet {
    uint64_t ticks, sequence;
} packet;

static int64_t now_ns = 5000 * SNT_NS_PER_S;

static uint64_t counter(int64_t host)
{
    return (uint64_t)((host - 4000 * SNT_NS_PER_S) / 1000 * 1000040 / 1000000) & UINT32_MAX;
}

static packet receive(snt_time *host_ns) /* every 10 ms, 0.4 ms on the way and now and then more */
{
    static uint64_t sequence;
    now_ns += 10 * SNT_NS_PER_MS;
    const packet p = {counter(now_ns), ++sequence};
    *host_ns = now_ns + 400000 + (int64_t)(sequence * 7919 % 13) * 100000;
    return p;
}

int main(void)
{
    int shown = 0;
    snt_device_clock *clk;
    /* [create] */
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.tick_num_ns = 1000; /* 1 tick = 1 µs */
    cfg.counter_bits = 32;
    cfg.rate_bound_ppb = 100000; /* a crystal: ±100 ppm */
    cfg.wander_ppb_s = 100;      /* how fast its rate can change */
    need(snt_device_clock_create(&cfg, NULL, &clk));
    /* [create] */

    for (int n = 0; n < 1000; n++) {
        if (n % 200 == 100) {
            uint32_t request;
            /* [ping] */
            need(snt_device_clock_request(clk, 0, now_ns, &request)); /* its id goes along with the ping */
            const uint64_t ticks = counter(now_ns + 300000);          /* what the device answers */
            const snt_time back_ns = now_ns + 800000;
            need(snt_device_clock_reply(clk, 0, request, ticks, ticks, back_ns, NULL));
            /* [ping] */
        }
        snt_time host_ns;
        /* [packet] */
        const uint32_t session = snt_device_clock_session(clk); /* before receiving */
        const packet p = receive(&host_ns);
        snt_device_clock_observe_arrival(clk, session, p.ticks, host_ns, NULL);
        snt_sample sample;
        const snt_status status = snt_device_clock_stamp(clk, session, p.ticks, host_ns, p.sequence, &sample);
        if (status != SNT_OK) /* SNT_PENDING while warming up: no time is better than a wrong one */
            continue;
        /* [packet] */
        const int64_t error = sample.t0_ns - now_ns;
        expect(error >= -sample.err_hi_ns && error <= sample.err_lo_ns);
        if ((n == 50 || n == 999) && ++shown)
            printf("after %4.1f s: off by %5.1f us, bound -%.0f … +%.0f us\n", n * 0.01, 1e-3 * (double)error,
                   sample.flags & SNT_TIME_BOUND_LO ? 1e-3 * (double)sample.err_lo_ns : (double)INFINITY,
                   1e-3 * (double)sample.err_hi_ns);
    }
    expect(shown == 2);
    snt_device_clock_destroy(clk);
    return 0;
}
