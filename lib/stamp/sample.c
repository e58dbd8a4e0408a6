/* SPDX-License-Identifier: BSD-3-Clause */
#include "../base/internal.h"

#include "sensortime/sample.h"

_Static_assert(sizeof(snt_interval) == 16, "frozen");
_Static_assert(sizeof(snt_bounded_time) == 40, "frozen");
_Static_assert(sizeof(snt_sample) == 96, "frozen");

void snt_sample_init(snt_sample *sample, snt_time t, uint32_t domain, uint64_t token)
{
    if (!sample)
        return;
    *sample = (snt_sample){.t0_ns = t,
                           .t1_ns = t,
                           .receive_ns = SNT_UNKNOWN,
                           .complete_ns = SNT_UNKNOWN,
                           .token = token,
                           .event = SNT_EVENT_INSTANT,
                           .domain = domain};
}
