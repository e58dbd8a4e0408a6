/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of clock maps share. */
#ifndef SNT_TEST_CLOCK_MAP_RIG_H
#define SNT_TEST_CLOCK_MAP_RIG_H

#include "test.h"

#include "lib/base/internal.h"

static const int64_t ms = 1000000, s = 1000000000;

static inline snt_clock_map_config defaults(void)
{
    snt_clock_map_config cfg;
    snt_clock_map_config_init(&cfg, sizeof cfg);
    cfg.warm_observations = 1;
    return cfg;
}

static inline snt_clock_map *make(const snt_clock_map_config *cfg)
{
    snt_clock_map *map;
    assert_status(snt_clock_map_create(cfg, NULL, &map), SNT_OK);
    return map;
}

static inline uint32_t state_at(const snt_clock_map *map, int64_t device)
{
    snt_clock_health h;
    assert_status(snt_clock_map_health(map, device, &h), SNT_OK);
    return h.state;
}

static inline uint32_t reasons(const snt_clock_map *map)
{
    snt_clock_health h;
    assert_status(snt_clock_map_health(map, SNT_UNKNOWN, &h), SNT_OK);
    return h.reasons;
}

#endif
