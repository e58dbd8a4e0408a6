/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers for tests: splitmix64, seeded from SNT_SEED or the time, and the seed always printed. */
#ifndef SNT_TEST_RNG_H
#define SNT_TEST_RNG_H

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct test_rng {
    uint64_t state;
} test_rng;

static inline uint64_t rng_next(test_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0..n-1, n > 0 */
static inline uint64_t rng_below(test_rng *rng, uint64_t n)
{
    return rng_next(rng) % n;
}

/* lo..hi inclusive */
static inline int64_t rng_int(test_rng *rng, int64_t lo, int64_t hi)
{
    return (int64_t)((uint64_t)lo + rng_below(rng, (uint64_t)hi - (uint64_t)lo + 1));
}

/* [0, 1) */
static inline double rng_unit(test_rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

static inline double rng_range(test_rng *rng, double lo, double hi)
{
    return lo + (hi - lo) * rng_unit(rng);
}

static inline double rng_normal(test_rng *rng)
{
    const double u = 1.0 - rng_unit(rng);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * rng_unit(rng));
}

static inline test_rng rng_from_env(void)
{
    const char *text = getenv("SNT_SEED");
    const uint64_t seed = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL);
    printf("# SNT_SEED=%" PRIu64 "\n", seed);
    fflush(stdout); /* a crash must not take the seed with it */
    return (test_rng){seed};
}

#endif
