/* SPDX-License-Identifier: BSD-3-Clause */
/* What every room may use besides the public headers. Internal names start with snt__. */
#ifndef SNT_LIB_INTERNAL_H
#define SNT_LIB_INTERNAL_H

#include "fp_strict.h"

/* Extensions of gcc and clang are used only behind this, and always with another way; -DSNT_PORTABLE tests the other. */
#if defined(__GNUC__) && !defined(SNT_PORTABLE)
#define SNT_GNU 1
#else
#define SNT_GNU 0
#endif

/* clock_gettime under -std=c11; here, because it has to precede every system header, in an amalgamation as well */
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE) && !defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sensortime/base.h"

#define SNT_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Offset just behind a field: sizes of public structs are checked with this, so that padding cannot hide one. */
#define SNT_END_OF(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

#if SNT_GNU
#define SNT_LIKELY(x)   __builtin_expect(!!(x), 1)
#define SNT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define SNT_LIKELY(x)   (x)
#define SNT_UNLIKELY(x) (x)
#endif

/* 0, 1, 2, … -> 1, 2, 4, …: smallest power of two >= n, for n <= 2^31. */
static inline uint32_t snt__pow2_at_least(uint32_t n)
{
    uint32_t p = 1;
    while (p < n)
        p <<= 1;
    return p;
}

/* Outcome `i` of a call on many: into `statuses`, where wanted, and into `first` where all before it were good. */
static inline void snt__keep_outcome(snt_status outcome, uint64_t i, snt_status *statuses, snt_status *first)
{
    if (statuses)
        statuses[i] = outcome;
    if (*first == SNT_OK)
        *first = outcome;
}

/*
 * Copy a caller's config over `dst`, which holds the defaults. `src` starts with its uint32_t struct_size. A caller
 * built against an older header has a shorter struct: the rest keeps its defaults. One built against a newer header has
 * a longer one: accepted only if what we do not know is zero. `v1_size` is SNT_END_OF the last field of release 1.0: it
 * never changes. NULL src leaves the defaults.
 */
snt_status snt__config_read(void *dst, size_t dst_size, size_t v1_size, const void *src);

/* Body of every …_config_init: the defaults, cut to the caller's size, with struct_size set to it. */
void snt__config_init(void *dst, size_t dst_size, const void *defaults, size_t defaults_size);

#endif
