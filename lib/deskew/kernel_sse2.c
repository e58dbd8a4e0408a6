/* SPDX-License-Identifier: BSD-3-Clause */
/* x86 without fused multiply-add: four points at a time, the bits of the plain scalar kernel. */
#include "kernel.h"

#ifdef SNT__DESKEW_X86

#include <emmintrin.h>

#include "kernel_names.inc"

#define K_ISA      sse2
#define K_LANES    4
#define K_INLINE   K_FORCE_INLINE K_TARGET("sse2")
#define K_NOINLINE K_FORBID_INLINE K_TARGET("sse2")
#define K_ENTRY    K_TARGET("sse2")
#define VF         __m128
#define VI         __m128i

K_INLINE VF K(set1)(float v)
{
    return _mm_set1_ps(v);
}
K_INLINE VI K(seti)(int32_t v)
{
    return _mm_set1_epi32(v);
}
K_INLINE VF K(load)(const float *p)
{
    return _mm_loadu_ps(p);
}
K_INLINE VI K(loadi)(const int32_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}
K_INLINE void K(store)(float *p, VF v)
{
    _mm_storeu_ps(p, v);
}
K_INLINE VF K(add)(VF a, VF b)
{
    return _mm_add_ps(a, b);
}
K_INLINE VF K(sub)(VF a, VF b)
{
    return _mm_sub_ps(a, b);
}
K_INLINE VF K(mul)(VF a, VF b)
{
    return _mm_mul_ps(a, b);
}
K_INLINE VF K(madd)(VF a, VF b, VF c)
{
    return _mm_add_ps(_mm_mul_ps(a, b), c);
}
K_INLINE VF K(nmadd)(VF a, VF b, VF c)
{
    return _mm_sub_ps(c, _mm_mul_ps(a, b));
}
K_INLINE VI K(subi)(VI a, VI b)
{
    return _mm_sub_epi32(a, b);
}
K_INLINE VF K(to_float)(VI v)
{
    return _mm_cvtepi32_ps(v);
}
K_INLINE uint32_t K(inside)(VI t, int32_t begin, int32_t end)
{
    const VI out = _mm_or_si128(_mm_cmpgt_epi32(K(seti)(begin), t), _mm_cmpgt_epi32(t, K(seti)(end - 1)));
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(out)) ^ 0xfu;
}
K_INLINE uint32_t K(equal)(VF a, VF b)
{
    return (uint32_t)_mm_movemask_ps(_mm_cmpeq_ps(a, b));
}
K_INLINE VF K(select)(uint32_t mask, VF a, VF b)
{
    const VI bit = _mm_setr_epi32(1, 2, 4, 8);
    const VF full = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(K(seti)((int32_t)mask), bit), bit));
    return _mm_or_ps(_mm_and_ps(full, a), _mm_andnot_ps(full, b));
}
K_INLINE void K(transpose)(VF r[4])
{
    const VF a = _mm_unpacklo_ps(r[0], r[1]), b = _mm_unpacklo_ps(r[2], r[3]);
    const VF c = _mm_unpackhi_ps(r[0], r[1]), d = _mm_unpackhi_ps(r[2], r[3]);
    r[0] = _mm_movelh_ps(a, b);
    r[1] = _mm_movehl_ps(b, a);
    r[2] = _mm_movelh_ps(c, d);
    r[3] = _mm_movehl_ps(d, c);
}
K_INLINE void K(take_apart)(const unsigned char *in, ptrdiff_t stride, VF r[4])
{
    for (int i = 0; i < 4; i++)
        r[i] = _mm_loadu_ps((const float *)(const void *)(in + i * stride));
    K(transpose)(r);
}
K_INLINE void K(put_together)(unsigned char *out, ptrdiff_t stride, VF r[4])
{
    K(transpose)(r);
    for (int i = 0; i < 4; i++)
        _mm_storeu_ps((float *)(void *)(out + i * stride), r[i]);
}
K_INLINE void K(put_together_exactly)(unsigned char *out, ptrdiff_t stride, VF r[4])
{
    K(transpose)(r);
    for (int i = 0; i < 4; i++, out += stride) {
        _mm_storel_pi((__m64 *)(void *)out, r[i]);
        _mm_store_ss((float *)(void *)(out + 8), _mm_movehl_ps(r[i], r[i]));
    }
}
K_INLINE void K(rows)(const snt__deskew_table *table, const int32_t *t, VF c[7])
{
    VF low[4], high[4];
    for (int i = 0; i < 4; i++) {
        const uint32_t s = snt__deskew_find(table, t[i]);
        const float(*row)[8] = table->segments[s].row;
        const VF u = K(set1)((float)(t[i] - table->mid[s]));
        low[i] = K(madd)(K(load)(row[3]), u, K(load)(row[2]));
        low[i] = K(madd)(low[i], u, K(load)(row[1]));
        low[i] = K(madd)(low[i], u, K(load)(row[0]));
        high[i] = K(madd)(K(load)(row[3] + 4), u, K(load)(row[2] + 4));
        high[i] = K(madd)(high[i], u, K(load)(row[1] + 4));
        high[i] = K(madd)(high[i], u, K(load)(row[0] + 4));
    }
    K(transpose)(low);
    K(transpose)(high);
    for (int k = 0; k < 4; k++)
        c[k] = low[k];
    for (int k = 4; k < 7; k++)
        c[k] = high[k - 4];
}

#include "kernel_template.inc"

#endif
