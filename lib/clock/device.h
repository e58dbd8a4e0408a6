/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a device clock, shared by device_*.c. */
#ifndef SNT_LIB_CLOCK_DEVICE_H
#define SNT_LIB_CLOCK_DEVICE_H

#include "../base/lock.h"
#include "map.h"
#include "unwrap.h"

#include "sensortime/device_clock.h"

/* A device reading and the host time it goes with, to predict the next from. */
typedef struct snt__device_pair {
    bool known;
    int64_t device, host;
} snt__device_pair;

struct snt_device_clock {
    snt_allocator allocator;
    snt__lock lock;
    snt_device_clock_config cfg;
    snt_clock_map *map;
    int64_t latency;

    snt__unwrap plain;    /* the counter, nothing remembered: for readings that may repeat */
    snt__unwrap arrivals; /* duplicates among observations … */
    snt__unwrap stamps;   /* … and among samples are two matters */
    snt__device_pair last;

    snt__unwrap fresh; /* readings that fit only each other: the next session, perhaps */
    snt__device_pair fresh_first, fresh_last;
    uint64_t fresh_raw; /* the last of them, as sent */
    uint32_t fresh_count;
    uint32_t restart_reason;

    uint64_t sequence;
    snt_device_health count; /* its counters and proof; the rest is filled on request */
};

/* Take the lock and find out whether `session` is current; begins the next session where that is due. SNT_OK: locked. */
snt_status snt__device_enter(snt_device_clock *clock, uint32_t session, bool observing);
void snt__device_leave(snt_device_clock *clock);
void snt__device_restart(snt_device_clock *clock, uint32_t reason);

/* Unwrap `raw`, seen by the host at about `host` (SNT_UNKNOWN: not known). Counts refusals, remembers nothing. */
snt_status snt__device_resolve(snt_device_clock *clock, const snt__unwrap *u, uint64_t raw, int64_t host,
                               snt_tick_reading *out);
/* The counter did not continue; believes in a restart after enough readings that continue each other. */
void snt__device_suspect(snt_device_clock *clock, uint64_t raw, int64_t host, snt_status status);
/* Did observing refuse this very reading just now? Then it may be of a session to come. */
bool snt__device_suspected(const snt_device_clock *clock, uint64_t raw);
/* Remember an accepted reading as the newest. */
void snt__device_accepted(snt_device_clock *clock, int64_t device, int64_t host);

#endif
