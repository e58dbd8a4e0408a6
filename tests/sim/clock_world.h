/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device, its oscillator and the way to the host, with the truth known: host time of reading d is start + d + x(d),
 * x the integral of the rate deviation. Oscillators, delays and events after clock_mapping §5 (room docs/clocks.md).
 */
#ifndef SNT_SIM_CLOCK_WORLD_H
#define SNT_SIM_CLOCK_WORLD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../support/rng.h"

/* ---- oscillators: y(d) in ppb, d in seconds; |y'| <= wander ---- */

enum { OSC_CONSTANT, OSC_SINE, OSC_RAMP, OSC_WARMUP, OSC_WALK };
enum { OSC_KNOTS = 2048 }; /* one per second */

typedef struct world_clock {
    int kind;
    double y0, wander, start; /* ppb, ppb/s, host ns at d = 0 (whole) */
    double amplitude, period;
    double y[OSC_KNOTS], x[OSC_KNOTS];
} world_clock;

static inline void world_clock_init(world_clock *c, test_rng *rng, int kind, double rate_limit, double wander,
                                    double start)
{
    memset(c, 0, sizeof *c);
    c->kind = kind;
    c->wander = wander;
    c->start = start;
    c->y0 = rng_range(rng, -0.8, 0.8) * rate_limit;
    c->period = 600;
    c->amplitude = wander * c->period / 6.283185307179586; /* 10 ppm for 105 ppb/s */
    if (kind == OSC_WALK) {
        c->y[0] = c->y0;
        for (int i = 1; i < OSC_KNOTS; i++) {
            double slope = rng_range(rng, -1, 1) * wander;
            if (fabs(c->y[i - 1] + slope) > 0.95 * rate_limit)
                slope = -slope;
            c->y[i] = c->y[i - 1] + slope;
            c->x[i] = c->x[i - 1] + (c->y[i] + c->y[i - 1]) / 2;
        }
    }
}

/* x(d) [ns] */
static inline double world_offset(const world_clock *c, double d)
{
    const double w = 6.283185307179586 / c->period;
    switch (c->kind) {
    case OSC_SINE:
        return c->y0 * d + c->amplitude / w * (1 - cos(w * d));
    case OSC_RAMP: /* for a minute, after half a minute */
        if (d <= 30)
            return c->y0 * d;
        if (d <= 90)
            return c->y0 * d + c->wander * (d - 30) * (d - 30) / 2;
        return c->y0 * d + c->wander * 1800 + c->wander * 60 * (d - 90);
    case OSC_WARMUP: { /* tau 120 s */
        const double a = c->wander * 120;
        return c->y0 * d + a * 120 * (1 - exp(-d / 120));
    }
    case OSC_WALK: {
        int i = (int)d;
        i = i < 0 ? 0 : i > OSC_KNOTS - 2 ? OSC_KNOTS - 2 : i;
        const double f = d - i, slope = c->y[i + 1] - c->y[i];
        return c->x[i] + c->y[i] * f + slope * f * f / 2;
    }
    default:
        return c->y0 * d;
    }
}

/* Host time of a reading, as whole nanoseconds below and the rest in [0, 1). */
static inline int64_t world_host(const world_clock *c, int64_t device_ns, double *rest)
{
    const double x = world_offset(c, (double)device_ns * 1e-9), whole = floor(x);
    *rest = x - whole;
    return (int64_t)c->start + device_ns + (int64_t)whole;
}

/* ---- delays [ns] ---- */

enum { WAY_ETHERNET, WAY_FTDI, WAY_USB_FRAMES, WAY_WIFI, WAY_BIMODAL, WAY_RISING, WAY_STEADY };

typedef struct world_way {
    int kind;
    double floor;     /* the least delay */
    double last_host; /* head of line: nothing overtakes */
    double outage_end;
} world_way;

static inline double world_exp(test_rng *rng, double mean)
{
    return -mean * log(1 - rng_unit(rng));
}

/* When a packet that leaves at `host` (ns since the world's start, as a double) arrives. */
static inline double world_arrival(world_way *w, test_rng *rng, double host)
{
    double at = host + w->floor;
    switch (w->kind) {
    case WAY_FTDI: { /* buffered for 16 ms from a grid of its own */
        const double grid = 16e6;
        at = ceil((host + 3.3e6) / grid) * grid - 3.3e6 + w->floor + world_exp(rng, 0.1e6);
        break;
    }
    case WAY_USB_FRAMES:
        at = ceil(host / 1e6) * 1e6 + w->floor + world_exp(rng, 0.02e6);
        break;
    case WAY_WIFI:
        at += fmin(4e6 * exp(1.2 * rng_normal(rng)) * 0.5, 248.5e6);
        if (rng_unit(rng) < 1e-4)
            w->outage_end = host + 2e9;
        at = fmax(at, w->outage_end);
        break;
    case WAY_BIMODAL:
        at += rng_unit(rng) < 0.7 ? world_exp(rng, 0.05e6) : 3e6 + world_exp(rng, 0.2e6);
        break;
    case WAY_RISING: /* a queue that fills over ten minutes */
        at += host / 600e9 * 5e6 + world_exp(rng, 0.3e6);
        break;
    case WAY_STEADY:
        break;
    default:
        at += world_exp(rng, 0.7e6);
    }
    w->last_host = fmax(w->last_host, at);
    return w->last_host;
}

#endif
