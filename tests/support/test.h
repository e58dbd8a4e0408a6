/* SPDX-License-Identifier: BSD-3-Clause */
/* cmocka with what it needs in front of it, and asserts that print times and doubles. */
#ifndef SNT_TEST_H
#define SNT_TEST_H

#include <inttypes.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sensortime/sensortime.h"

#include "rng.h"

/* A program compiled with -Ofast takes no number for NaN or infinite; what the library gave is judged by its bits. */
#if defined(__FAST_MATH__)
static inline uint64_t test_magnitude(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & INT64_MAX;
}
#undef isnan
#undef isinf
#undef isfinite
#define isnan(x)    (test_magnitude(x) > UINT64_C(0x7ff0000000000000))
#define isinf(x)    (test_magnitude(x) == UINT64_C(0x7ff0000000000000))
#define isfinite(x) (test_magnitude(x) < UINT64_C(0x7ff0000000000000))
#endif

/* int64 values, printed in decimal */
#define assert_i64_equal(actual, expected)                                                                   \
    do {                                                                                                     \
        const int64_t a_ = (actual), e_ = (expected);                                                        \
        if (a_ != e_)                                                                                        \
            fail_msg("%s: %" PRId64 ", expected %" PRId64, #actual, a_, e_);                                 \
    } while (0)

#define assert_status(actual, expected)                                                                      \
    do {                                                                                                     \
        const snt_status a_ = (actual), e_ = (expected);                                                     \
        if (a_ != e_)                                                                                        \
            fail_msg("%s: %s, expected %s", #actual, snt_status_name(a_), snt_status_name(e_));              \
    } while (0)

#define assert_near(actual, expected, tolerance)                                                             \
    do {                                                                                                     \
        const double a_ = (actual), e_ = (expected), t_ = (tolerance);                                       \
        if (isnan(a_) || !(fabs(a_ - e_) <= t_))                                                             \
            fail_msg("%s: %.17g, expected %.17g ± %g", #actual, a_, e_, t_);                                 \
    } while (0)

#endif
