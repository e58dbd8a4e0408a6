/* SPDX-License-Identifier: BSD-3-Clause */
/* The inner loops over times, written so that compilers turn them into vectors; with AVX2 where the machine has it. */
#include "point_pass.h"

#if SNT_GNU && defined(__x86_64__)
#define STEPS_AVX2   1
#define STEPS_INLINE static inline __attribute__((always_inline))
#else
#define STEPS_AVX2   0
#define STEPS_INLINE static inline
#endif

STEPS_INLINE void steps_extremes_body(const int64_t *times, uint64_t count, int64_t *min, int64_t *max)
{
    int64_t low = times[0], high = times[0];
    for (uint64_t i = 1; i < count; i++) {
        low = times[i] < low ? times[i] : low;
        high = times[i] > high ? times[i] : high;
    }
    *min = low;
    *max = high;
}

STEPS_INLINE void steps_add_body(const int64_t *times, uint64_t count, uint64_t large,
                                 snt__point_steps *steps)
{
    int64_t min_step = steps->min_step, max_step = steps->max_step;
    int64_t back = 0, equal = 0, many = 0;
    const int64_t limit = (int64_t)large;
    for (uint64_t i = 1; i < count; i++) {
        const int64_t step = times[i] - times[i - 1];
        min_step = step < min_step ? step : min_step;
        max_step = step > max_step ? step : max_step;
        back += step < 0;
        equal += step == 0;
        many += (step > limit) | (step < -limit);
    }
    steps->min_step = min_step;
    steps->max_step = max_step;
    steps->back += (uint64_t)back;
    steps->equal += (uint64_t)equal;
    steps->large += (uint64_t)many;
}

STEPS_INLINE void steps_count_body(const int64_t *times, uint64_t count, snt__point_counts *c)
{
    const int64_t base = c->base, low = c->low, high = c->high, half = c->half;
    int64_t zero = 0, negative = 0, beyond = 0, restarts = 0;
    for (uint64_t i = 0; i < count; i++) {
        const int64_t t = times[i];
        zero += t == base;
        negative += t < base;
        beyond += (t < low) | (t > high);
    }
    for (uint64_t i = 1; i < count; i++)
        restarts += times[i - 1] - times[i] > half;
    c->zero += (uint64_t)zero;
    c->negative += (uint64_t)negative;
    c->beyond += (uint64_t)beyond;
    c->restarts += (uint64_t)restarts;
}

#if STEPS_AVX2
__attribute__((target("avx2"))) static void steps_extremes_avx2(const int64_t *times, uint64_t count,
                                                                int64_t *min, int64_t *max)
{
    steps_extremes_body(times, count, min, max);
}

__attribute__((target("avx2"))) static void steps_add_avx2(const int64_t *times, uint64_t count,
                                                           uint64_t large, snt__point_steps *steps)
{
    steps_add_body(times, count, large, steps);
}

__attribute__((target("avx2"))) static void steps_count_avx2(const int64_t *times, uint64_t count,
                                                             snt__point_counts *counts)
{
    steps_count_body(times, count, counts);
}
#endif

void snt__point_extremes(const int64_t *times, uint64_t count, int64_t *min, int64_t *max)
{
#if STEPS_AVX2
    if (__builtin_cpu_supports("avx2")) {
        steps_extremes_avx2(times, count, min, max);
        return;
    }
#endif
    steps_extremes_body(times, count, min, max);
}

void snt__point_steps_add(const int64_t *times, uint64_t count, uint64_t large, snt__point_steps *steps)
{
#if STEPS_AVX2
    if (__builtin_cpu_supports("avx2")) {
        steps_add_avx2(times, count, large, steps);
        return;
    }
#endif
    steps_add_body(times, count, large, steps);
}

void snt__point_counts_add(const int64_t *times, uint64_t count, snt__point_counts *counts)
{
#if STEPS_AVX2
    if (__builtin_cpu_supports("avx2")) {
        steps_count_avx2(times, count, counts);
        return;
    }
#endif
    steps_count_body(times, count, counts);
}

#undef STEPS_AVX2
#undef STEPS_INLINE
