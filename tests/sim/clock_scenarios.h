/* SPDX-License-Identifier: BSD-3-Clause */
/* The situations clocks are judged in: the same for coverage (tests) and accuracy (benchmark). */
#ifndef SNT_SIM_CLOCK_SCENARIOS_H
#define SNT_SIM_CLOCK_SCENARIOS_H

#include "sensortime/clock_map.h"

#include "clock_world.h"

typedef struct scenario {
    const char *name;
    int oscillator, way, command_way;
    double wander;        /* of the oscillator, ppb/s; declared 5 % above */
    double period;        /* of arrivals [s]; 0 = none */
    double exchange, pps; /* periods [s]; 0 = none */
    double floor;         /* least delay each way, truly [ns] */
    int64_t delay_min;    /* as declared, both ways */
    int64_t delay_max;    /* as declared; SNT_UNKNOWN */
    int64_t quantum;      /* of device stamps [ns] */
    int64_t pps_error;    /* [ns] */
} scenario;

static const scenario scenarios[] = {
    {"A  arrivals 100 Hz, delay <= 20 ms", OSC_CONSTANT, WAY_ETHERNET, WAY_ETHERNET, 0, 0.01, 0, 0, 5e5,
     500000, 20000000, 0, 0},
    {"A1 arrivals only, no promise", OSC_CONSTANT, WAY_ETHERNET, WAY_ETHERNET, 0, 0.01, 0, 0, 5e5, 0,
     SNT_UNKNOWN, 0, 0},
    {"B  arrivals, exchange each 5 s", OSC_CONSTANT, WAY_ETHERNET, WAY_ETHERNET, 0, 0.01, 5, 0, 5e5, 500000,
     SNT_UNKNOWN, 0, 0},
    {"B0 same, least delay unknown", OSC_CONSTANT, WAY_ETHERNET, WAY_ETHERNET, 0, 0.01, 5, 0, 5e5, 0,
     SNT_UNKNOWN, 0, 0},
    {"C  exchange 10 Hz only", OSC_CONSTANT, WAY_ETHERNET, WAY_ETHERNET, 0, 0, 0.1, 0, 5e5, 500000,
     SNT_UNKNOWN, 0, 0},
    {"D  as B, 10 ppm sine", OSC_SINE, WAY_ETHERNET, WAY_ETHERNET, 105, 0.01, 5, 0, 5e5, 500000, SNT_UNKNOWN,
     0, 0},
    {"D2 as D, exchange 1 Hz", OSC_SINE, WAY_ETHERNET, WAY_ETHERNET, 105, 0.01, 1, 0, 5e5, 500000,
     SNT_UNKNOWN, 0, 0},
    {"D3 as D2, ramp 0.1 ppm/s", OSC_RAMP, WAY_ETHERNET, WAY_ETHERNET, 100, 0.01, 1, 0, 5e5, 500000,
     SNT_UNKNOWN, 0, 0},
    {"D4 as D2, warming up 15 ppm", OSC_WARMUP, WAY_ETHERNET, WAY_ETHERNET, 125, 0.01, 1, 0, 5e5, 500000,
     SNT_UNKNOWN, 0, 0},
    {"D5 as D2, random walk", OSC_WALK, WAY_ETHERNET, WAY_ETHERNET, 20, 0.01, 1, 0, 5e5, 500000, SNT_UNKNOWN,
     0, 0},
    {"E  PPS 1 Hz within 1 us, sine", OSC_SINE, WAY_ETHERNET, WAY_ETHERNET, 105, 0, 0, 1, 5e5, 0, SNT_UNKNOWN,
     0, 1000},
    {"F  FTDI 16 ms batches, exchange 1 Hz", OSC_CONSTANT, WAY_FTDI, WAY_ETHERNET, 0, 0.01, 1, 0, 5e5, 500000,
     SNT_UNKNOWN, 0, 0},
    {"F2 USB frames, 1 us ticks, exchange 1 Hz", OSC_WALK, WAY_USB_FRAMES, WAY_ETHERNET, 20, 0.01, 1, 0, 1e5,
     100000, SNT_UNKNOWN, 1000, 0},
    {"G  wifi, exchange 1 Hz", OSC_CONSTANT, WAY_WIFI, WAY_WIFI, 0, 0.01, 1, 0, 1.5e6, 1500000, SNT_UNKNOWN,
     0, 0},
    {"H  two modes 3 ms apart, exchange 1 Hz", OSC_SINE, WAY_BIMODAL, WAY_BIMODAL, 105, 0.01, 1, 0, 3e5,
     300000, SNT_UNKNOWN, 0, 0},
    {"I  queue rising 5 ms, exchange 1 Hz", OSC_CONSTANT, WAY_RISING, WAY_ETHERNET, 0, 0.01, 1, 0, 3e5,
     300000, SNT_UNKNOWN, 0, 0},
    {"J  1 ms ticks, exchange 1 Hz", OSC_CONSTANT, WAY_ETHERNET, WAY_ETHERNET, 0, 0.025, 1, 0, 5e5, 500000,
     SNT_UNKNOWN, 1000000, 0},
};

enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

/* One event of a run: either a packet or an exchange or a pulse. Times are whole ns, rounded so that no bound breaks. */
typedef struct world_event {
    int kind;               /* SNT_OBSERVED_* */
    int64_t stamp;          /* what the device says */
    int64_t device;         /* when it truly was, in device time (the stamp is this, cut to the quantum) */
    int64_t sent, received; /* host */
} world_event;

typedef struct world {
    const scenario *s;
    test_rng rng;
    world_clock clock;
    world_way way, back;
    double next_arrival, next_exchange, next_pps;
} world;

static inline void world_begin(world *w, const scenario *s, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->s = s;
    w->rng = (test_rng){seed};
    world_clock_init(&w->clock, &w->rng, s->oscillator, 1e5, s->wander, 1e15);
    w->way.kind = s->way;
    w->back.kind = s->command_way;
    w->way.floor = w->back.floor = s->floor;
    w->next_arrival = s->period > 0 ? 0.001 : 1e18;
    w->next_exchange = s->exchange > 0 ? 0.0137 : 1e18;
    w->next_pps = s->pps > 0 ? 0 : 1e18;
}

static inline int64_t world_cut(const world *w, int64_t device)
{
    const int64_t q = w->s->quantum;
    return q > 1 ? device - ((device % q) + q) % q : device;
}

/* Device reading at which the host's clock shows `host` (whole ns): fixed point on a function close to identity. */
static inline int64_t world_device_at(const world_clock *c, int64_t host)
{
    int64_t d = host - (int64_t)c->start;
    for (int i = 0; i < 8; i++) {
        double rest;
        d -= world_host(c, d, &rest) - host;
    }
    return d;
}

static inline world_event world_next(world *w)
{
    world_event e = {0};
    double rest;
    const int64_t start = (int64_t)w->clock.start;
    if (w->next_pps <= w->next_arrival && w->next_pps <= w->next_exchange) {
        const int64_t host = start + (int64_t)llround(w->next_pps) * 1000000000; /* the true second … */
        const int64_t edge = host + rng_int(&w->rng, -w->s->pps_error, w->s->pps_error);
        e.kind = SNT_OBSERVED_PPS;
        e.device = world_device_at(&w->clock, edge);
        const int64_t at = world_host(&w->clock, e.device, &rest);
        e.sent = e.received = at + (rest > 0) - host > w->s->pps_error || host - at > w->s->pps_error
                                  ? at
                                  : host; /* … and its label */
        w->next_pps += w->s->pps;
    } else if (w->next_exchange <= w->next_arrival) {
        const double when = w->next_exchange * 1e9;
        const double reach = world_arrival(&w->back, &w->rng, when);
        e.kind = SNT_OBSERVED_EXCHANGE;
        e.device = world_device_at(&w->clock, start + (int64_t)ceil(reach));
        const int64_t at = world_host(&w->clock, e.device, &rest);
        e.sent = at - (int64_t)ceil(reach - when);
        const double host = (double)(at - start) + rest;
        e.received = start + (int64_t)ceil(world_arrival(&w->way, &w->rng, host));
        w->next_exchange += w->s->exchange;
    } else {
        e.kind = SNT_OBSERVED_ARRIVAL;
        e.device = (int64_t)(w->next_arrival * 1e9);
        const int64_t at = world_host(&w->clock, e.device, &rest);
        e.received = start + (int64_t)ceil(world_arrival(&w->way, &w->rng, (double)(at - start) + rest));
        w->next_arrival += w->s->period * rng_range(&w->rng, 0.9, 1.1);
    }
    e.stamp = world_cut(w, e.device);
    return e;
}

static inline void scenario_config(const scenario *s, snt_clock_map_config *cfg)
{
    snt_clock_map_config_init(cfg, sizeof *cfg);
    cfg->wander_ppb_s = s->wander * 1.05;
    cfg->delay_min_ns = cfg->command_min_ns = s->delay_min;
    cfg->delay_max_ns = s->delay_max;
    cfg->device_quantum_ns = s->quantum;
    cfg->warm_observations = 1;
}

static inline snt_status world_feed(snt_clock_map *map, const world *w, const world_event *e,
                                    snt_clock_proof *proof)
{
    switch (e->kind) {
    case SNT_OBSERVED_ARRIVAL:
        return snt_clock_map_observe_arrival(map, 0, e->stamp, e->received, proof);
    case SNT_OBSERVED_EXCHANGE:
        return snt_clock_map_observe_exchange(map, 0, e->sent, e->stamp, e->stamp, e->received, proof);
    default:
        return snt_clock_map_observe_pps(map, 0, e->stamp, e->sent, w->s->pps_error, proof);
    }
}

#endif
