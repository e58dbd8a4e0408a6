/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulated device behind a device clock, for its tests. */
#ifndef SNT_TEST_DEVICE_RIG_H
#define SNT_TEST_DEVICE_RIG_H

#include "test.h"

#include "lib/base/internal.h"

static const int64_t us = 1000, ms = 1000000, s = 1000000000;

/* A device with a 32-bit µs counter 30 ppm slow, 100 packets a second, 0.3 ms away. */
typedef struct rig {
    snt_device_clock *clock;
    int64_t host;  /* true host time [ns] */
    int64_t shown; /* what the host's clock is ahead of that (steps) */
    int64_t boot;  /* host time at which the counter was `first` */
    int64_t first; /* [ns] */
    double rate;   /* device ns per host ns, minus 1 */
    int64_t delay;
    uint32_t broken; /* session in which an assumption was broken: its bounds promise nothing */
    snt_status observed, stamped;
    snt_sample sample;
    snt_clock_proof proof;
} rig;

static inline snt_device_clock_config driver_config(void)
{
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.tick_num_ns = 1000;
    cfg.counter_bits = 32;
    return cfg;
}

static inline void rig_init(rig *r, const snt_device_clock_config *cfg)
{
    memset(r, 0, sizeof *r);
    assert_status(snt_device_clock_create(cfg, NULL, &r->clock), SNT_OK);
    r->host = 5000 * s;
    r->boot = r->host;
    r->first = 0;
    r->rate = -30e-6;
    r->delay = 300 * us;
}

static inline uint64_t rig_raw(const rig *r, int64_t host)
{
    const double since = (double)(host - r->boot);
    const int64_t ns = r->first + (host - r->boot) + (int64_t)floor(since * r->rate);
    return ((uint64_t)ns / 1000) & UINT32_MAX;
}

/* A packet, sent now and received after the delay, with the session the driver read before. */
static inline void rig_packet(rig *r)
{
    const uint32_t session = snt_device_clock_session(r->clock);
    const uint64_t raw = rig_raw(r, r->host);
    const int64_t receive = r->host + r->shown + r->delay;
    r->observed = snt_device_clock_observe_arrival(r->clock, session, raw, receive, &r->proof);
    r->stamped = snt_device_clock_stamp(r->clock, session, raw, receive, 0, &r->sample);
    if (r->stamped == SNT_OK && r->sample.session != r->broken) {
        const int64_t truth = r->host + r->shown;
        assert_true(!(r->sample.flags & SNT_TIME_BOUND_LO) || truth >= r->sample.t0_ns - r->sample.err_lo_ns);
        assert_true(!(r->sample.flags & SNT_TIME_BOUND_HI) || truth <= r->sample.t0_ns + r->sample.err_hi_ns);
        assert_true(r->sample.t0_ns <= receive);
    }
}

static inline snt_status rig_exchange(rig *r)
{
    const int64_t now = r->host + r->shown;
    return snt_device_clock_observe_exchange(r->clock, 0, now - 200 * us, rig_raw(r, r->host),
                                             rig_raw(r, r->host), now + 200 * us, &r->proof);
}

static inline void rig_run(rig *r, int packets)
{
    for (int i = 0; i < packets; i++) {
        r->host += 10 * ms;
        rig_packet(r);
        if (i % 50 == 25)
            rig_exchange(r);
    }
}

static inline snt_device_health rig_health(rig *r)
{
    snt_device_health h;
    assert_status(snt_device_clock_health(r->clock, r->host + r->shown, &h), SNT_OK);
    return h;
}

static inline void rig_free(rig *r)
{
    snt_device_clock_destroy(r->clock);
}

#endif
