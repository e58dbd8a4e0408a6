/* SPDX-License-Identifier: BSD-3-Clause */
/* What queues ask of a sample: an interval that does not run backwards, and no known error below zero. */
#ifndef SNT_LIB_SAMPLE_SANE_H
#define SNT_LIB_SAMPLE_SANE_H

#include "../base/internal.h"

#include "sensortime/sample.h"

/* An error counts only where its flag says that it is known. */
static inline bool snt__sample_sane(const snt_sample *sample)
{
    if (SNT_LIKELY((sample->t1_ns >= sample->t0_ns) & ((sample->err_lo_ns | sample->err_hi_ns) >= 0)))
        return true;
    return sample->t1_ns >= sample->t0_ns &&
           (!(sample->flags & SNT_TIME_BOUND_LO) || sample->err_lo_ns >= 0) &&
           (!(sample->flags & SNT_TIME_BOUND_HI) || sample->err_hi_ns >= 0);
}

#endif
