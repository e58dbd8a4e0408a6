/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference: one point at a time, once with fmaf() and once without. Runs anywhere. */
#include "kernel.h"

#include <math.h>

#define K_SCALAR_COMMON                                                                                      \
    K_INLINE float K(set1)(float v)                                                                          \
    {                                                                                                        \
        return v;                                                                                            \
    }                                                                                                        \
    K_INLINE int32_t K(seti)(int32_t v)                                                                      \
    {                                                                                                        \
        return v;                                                                                            \
    }                                                                                                        \
    K_INLINE float K(load)(const float *p)                                                                   \
    {                                                                                                        \
        return *p;                                                                                           \
    }                                                                                                        \
    K_INLINE int32_t K(loadi)(const int32_t *p)                                                              \
    {                                                                                                        \
        return *p;                                                                                           \
    }                                                                                                        \
    K_INLINE void K(store)(float *p, float v)                                                                \
    {                                                                                                        \
        memcpy(p, &v, sizeof v);                                                                             \
    }                                                                                                        \
    K_INLINE float K(add)(float a, float b)                                                                  \
    {                                                                                                        \
        return a + b;                                                                                        \
    }                                                                                                        \
    K_INLINE float K(sub)(float a, float b)                                                                  \
    {                                                                                                        \
        return a - b;                                                                                        \
    }                                                                                                        \
    K_INLINE float K(mul)(float a, float b)                                                                  \
    {                                                                                                        \
        return a * b;                                                                                        \
    }                                                                                                        \
    K_INLINE int32_t K(subi)(int32_t a, int32_t b)                                                           \
    {                                                                                                        \
        return (int32_t)((uint32_t)a - (uint32_t)b);                                                         \
    }                                                                                                        \
    K_INLINE float K(to_float)(int32_t v)                                                                    \
    {                                                                                                        \
        return (float)v;                                                                                     \
    }                                                                                                        \
    K_INLINE uint32_t K(inside)(int32_t t, int32_t begin, int32_t end)                                       \
    {                                                                                                        \
        return begin <= t && t < end;                                                                        \
    }                                                                                                        \
    K_INLINE uint32_t K(equal)(float a, float b)                                                             \
    {                                                                                                        \
        return a == b;                                                                                       \
    }                                                                                                        \
    K_INLINE float K(select)(uint32_t mask, float a, float b)                                                \
    {                                                                                                        \
        return mask ? a : b;                                                                                 \
    }

#include "kernel_names.inc"

#define K_ISA      scalar
#define K_LANES    1
#define K_INLINE   K_FORCE_INLINE
#define K_NOINLINE K_FORBID_INLINE
#define K_ENTRY
#define VF float
#define VI int32_t
K_SCALAR_COMMON
K_INLINE float K(madd)(float a, float b, float c)
{
    return a * b + c;
}
K_INLINE float K(nmadd)(float a, float b, float c)
{
    return c - a * b;
}
#include "kernel_template.inc"

#include "kernel_names.inc"

#define K_ISA      scalar_fma
#define K_LANES    1
#define K_INLINE   K_FORCE_INLINE
#define K_NOINLINE K_FORBID_INLINE
#define K_ENTRY
#define VF float
#define VI int32_t
K_SCALAR_COMMON
K_INLINE float K(madd)(float a, float b, float c)
{
    return fmaf(a, b, c);
}
K_INLINE float K(nmadd)(float a, float b, float c)
{
    return fmaf(-a, b, c);
}
#include "kernel_template.inc"

#undef K_SCALAR_COMMON
