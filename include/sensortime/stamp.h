/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stamp.h
 * Times, durations and intervals in whole nanoseconds.
 *
 * A time is an int64 count of nanoseconds on some clock; which clock is said by a domain id (sample.h). Doubles never
 * hold an absolute time. The two ends of the int64 range are the infinities of the saturating forms.
 */
#ifndef SENSORTIME_STAMP_H
#define SENSORTIME_STAMP_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t snt_time;     /**< [ns] since the epoch of its domain */
typedef int64_t snt_duration; /**< [ns] */

#define SNT_TIME_INFINITE_PAST   INT64_MIN
#define SNT_TIME_INFINITE_FUTURE INT64_MAX
/** A duration or bound that nobody knows. Never a number to calculate with. */
#define SNT_UNKNOWN INT64_MAX

#define SNT_NS_PER_US INT64_C(1000)
#define SNT_NS_PER_MS INT64_C(1000000)
#define SNT_NS_PER_S  INT64_C(1000000000)

/** Closed interval of times [lo, hi], lo <= hi. */
typedef struct snt_interval {
    snt_time lo; /**< [ns] */
    snt_time hi; /**< [ns] */
} snt_interval;

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_STAMP_H */
