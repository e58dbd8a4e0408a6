/* SPDX-License-Identifier: BSD-3-Clause */
/* A mapping from a file: whatever the bytes are, checking, asking and restoring it is safe, and answers are intervals. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sensortime/sensortime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ordered(const snt_bounded_time *t)
{
    if (t->lo > t->t || t->t > t->hi)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snt_clock_mapping m;
    memset(&m, 0, sizeof m);
    memcpy(&m, data, size < sizeof m ? size : sizeof m);
    if (snt_clock_mapping_check(&m) != SNT_OK)
        return 0;
    const int64_t around[] = {0,
                              1,
                              -1,
                              INT64_C(1000000000),
                              -INT64_C(1000000000),
                              INT64_C(1) << 50,
                              -(INT64_C(1) << 50),
                              INT64_MAX / 2,
                              INT64_MIN / 2};
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
        snt_bounded_time t;
        snt_clock_duration x;
        if (snt_clock_mapping_to_host(&m, around[i], &t) == SNT_OK)
            ordered(&t);
        if (snt_clock_mapping_to_device(&m, around[i], &t) == SNT_OK)
            ordered(&t);
        if (snt_clock_mapping_duration(&m, around[i], around[i] / 2, &x) == SNT_OK &&
            (x.lo_ns > x.duration_ns || x.duration_ns > x.hi_ns))
            abort();
    }
    snt_clock_map_config cfg;
    snt_clock_map_config_init(&cfg, sizeof cfg);
    cfg.device_domain = m.device_domain;
    cfg.host_domain = m.host_domain;
    cfg.rate_bound_ppb = 500000000;
    cfg.wander_ppb_s = -1;
    cfg.versions = 4;
    cfg.warm_observations = 1;
    snt_clock_map *map;
    if (snt_clock_map_create(&cfg, NULL, &map) != SNT_OK)
        return 0;
    if (snt_clock_map_restore(map, &m) == SNT_OK) {
        snt_bounded_time t;
        const int64_t d = m.evidence_ns + 1000;
        snt_clock_map_observe_arrival(map, 0, d, m.host_anchor_ns + (d - m.device_anchor_ns) / 2, NULL);
        if (snt_clock_map_to_host(map, d, &t) == SNT_OK)
            ordered(&t);
        if (snt_clock_map_export(map, 0, &m) == SNT_OK && m.vertex_count > SNT_CLOCK_MAPPING_VERTICES)
            abort();
    }
    snt_clock_map_destroy(map);
    return 0;
}
