/* SPDX-License-Identifier: BSD-3-Clause */
/* The unwrapper as a plain value, so that a device clock can hold two of them in its slab. */
#ifndef SNT_LIB_CLOCK_UNWRAP_H
#define SNT_LIB_CLOCK_UNWRAP_H

#include "../base/internal.h"
#include "../base/wide.h"

#include "sensortime/tick_unwrapper.h"

enum { SNT__UNWRAP_REMEMBERED = 8 };

typedef struct snt__unwrap {
    uint64_t modulus; /* 0 = 2^64: never wraps */
    int64_t num;
    int64_t den;
    uint64_t reorder;
    int64_t period_ns;
    int64_t newest;
    int64_t recent[SNT__UNWRAP_REMEMBERED]; /* accepted last, in no order */
    uint32_t recent_count;
    uint32_t recent_next;
} snt__unwrap;

snt_status snt__unwrap_init(snt__unwrap *u, const snt_tick_unwrapper_config *cfg);
snt_status snt__unwrap_peek(const snt__unwrap *u, uint64_t raw, const snt_interval *predicted,
                            snt_tick_reading *out);
void snt__unwrap_commit(snt__unwrap *u, const snt_tick_reading *reading);
void snt__unwrap_restart(snt__unwrap *u);

/* floor(value·num/den); false when the result leaves int64. num, den > 0. */
static inline bool snt__scale_floor(int64_t value, int64_t num, int64_t den, int64_t *out)
{
    return snt__muldiv_i64(value, num, den, SNT_ROUND_FLOOR, out, NULL) == SNT_OK;
}

#endif
