/* SPDX-License-Identifier: BSD-3-Clause */
/* x86 with AVX2 and FMA: eight points at a time, the bits of fmaf(). */
#include "kernel.h"

#ifdef SNT__DESKEW_X86

#include <immintrin.h>

#include "kernel_names.inc"

#define K_ISA      avx2
#define K_LANES    8
#define K_INLINE   K_FORCE_INLINE K_TARGET("avx2,fma")
#define K_NOINLINE K_FORBID_INLINE K_TARGET("avx2,fma")
#define K_ENTRY    K_TARGET("avx2,fma")
#define VF         __m256
#define VI         __m256i

K_INLINE VF K(set1)(float v)
{
    return _mm256_set1_ps(v);
}
K_INLINE VI K(seti)(int32_t v)
{
    return _mm256_set1_epi32(v);
}
K_INLINE VF K(load)(const float *p)
{
    return _mm256_loadu_ps(p);
}
K_INLINE VI K(loadi)(const int32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}
K_INLINE void K(store)(float *p, VF v)
{
    _mm256_storeu_ps(p, v);
}
K_INLINE VF K(add)(VF a, VF b)
{
    return _mm256_add_ps(a, b);
}
K_INLINE VF K(sub)(VF a, VF b)
{
    return _mm256_sub_ps(a, b);
}
K_INLINE VF K(mul)(VF a, VF b)
{
    return _mm256_mul_ps(a, b);
}
K_INLINE VF K(madd)(VF a, VF b, VF c)
{
    return _mm256_fmadd_ps(a, b, c);
}
K_INLINE VF K(nmadd)(VF a, VF b, VF c)
{
    return _mm256_fnmadd_ps(a, b, c);
}
K_INLINE VI K(subi)(VI a, VI b)
{
    return _mm256_sub_epi32(a, b);
}
K_INLINE VF K(to_float)(VI v)
{
    return _mm256_cvtepi32_ps(v);
}
K_INLINE uint32_t K(inside)(VI t, int32_t begin, int32_t end)
{
    const VI from_begin = _mm256_sub_epi32(t, K(seti)(begin));
    const VI last = K(seti)((int32_t)((uint32_t)end - (uint32_t)begin - 1));
    const VI in = _mm256_cmpeq_epi32(_mm256_min_epu32(from_begin, last), from_begin);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(in));
}
K_INLINE uint32_t K(equal)(VF a, VF b)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ));
}
K_INLINE VF K(select)(uint32_t mask, VF a, VF b)
{
    const VI bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const VI full = _mm256_cmpeq_epi32(_mm256_and_si256(K(seti)((int32_t)mask), bit), bit);
    return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(full));
}

/* 4×4 in each half */
K_INLINE void K(transpose)(VF r[4])
{
    const VF a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpacklo_ps(r[2], r[3]);
    const VF c = _mm256_unpackhi_ps(r[0], r[1]), d = _mm256_unpackhi_ps(r[2], r[3]);
    r[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
    r[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
    r[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(c), _mm256_castps_pd(d)));
    r[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(c), _mm256_castps_pd(d)));
}
K_INLINE __m128 K(load4)(const unsigned char *p)
{
    return _mm_loadu_ps((const float *)(const void *)p);
}
K_INLINE void K(store4)(unsigned char *p, __m128 v)
{
    _mm_storeu_ps((float *)(void *)p, v);
}
K_INLINE void K(store3)(unsigned char *p, __m128 v)
{
    _mm_storel_pi((__m64 *)(void *)p, v);
    const int z = _mm_extract_ps(v, 2);
    memcpy(p + 8, &z, 4);
}
K_INLINE __m256 K(two_records)(const unsigned char *low, const unsigned char *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(K(load4)(low)), K(load4)(high), 1);
}
K_INLINE void K(take_apart)(const unsigned char *in, ptrdiff_t stride, __m256 r[4])
{
    const unsigned char *far = in + 4 * stride;
    r[0] = K(two_records)(in, far);
    r[1] = K(two_records)(in + stride, far + stride);
    r[2] = K(two_records)(in + 2 * stride, far + 2 * stride);
    r[3] = K(two_records)(in + 3 * stride, far + 3 * stride);
    K(transpose)(r);
}
K_INLINE void K(put_together)(unsigned char *out, ptrdiff_t stride, __m256 r[4])
{
    unsigned char *far = out + 4 * stride;
    K(transpose)(r);
    K(store4)(out, _mm256_castps256_ps128(r[0]));
    K(store4)(out + stride, _mm256_castps256_ps128(r[1]));
    K(store4)(out + 2 * stride, _mm256_castps256_ps128(r[2]));
    K(store4)(out + 3 * stride, _mm256_castps256_ps128(r[3]));
    K(store4)(far, _mm256_extractf128_ps(r[0], 1));
    K(store4)(far + stride, _mm256_extractf128_ps(r[1], 1));
    K(store4)(far + 2 * stride, _mm256_extractf128_ps(r[2], 1));
    K(store4)(far + 3 * stride, _mm256_extractf128_ps(r[3], 1));
}
K_INLINE void K(put_together_exactly)(unsigned char *out, ptrdiff_t stride, __m256 r[4])
{
    unsigned char *far = out + 4 * stride;
    K(transpose)(r);
    for (int i = 0; i < 4; i++) {
        K(store3)(out + i * stride, _mm256_castps256_ps128(r[i]));
        K(store3)(far + i * stride, _mm256_extractf128_ps(r[i], 1));
    }
}

/* The seven polynomials of one point side by side. */
K_INLINE VF K(row)(const snt__deskew_table *table, int32_t t)
{
    const uint32_t s = snt__deskew_find(table, t);
    const float(*row)[8] = table->segments[s].row;
    const VF u = K(set1)((float)(t - table->mid[s]));
    VF c = K(madd)(K(load)(row[3]), u, K(load)(row[2]));
    c = K(madd)(c, u, K(load)(row[1]));
    return K(madd)(c, u, K(load)(row[0]));
}
K_INLINE void K(rows)(const snt__deskew_table *table, const int32_t *t, VF c[7])
{
    VF low[4], high[4]; /* points 0–3 and 4–7 */
    for (int i = 0; i < 4; i++) {
        low[i] = K(row)(table, t[i]);
        high[i] = K(row)(table, t[i + 4]);
    }
    K(transpose)(low);
    K(transpose)(high);
    for (int k = 0; k < 4; k++)
        c[k] = _mm256_permute2f128_ps(low[k], high[k], 0x20);
    for (int k = 0; k < 3; k++)
        c[k + 4] = _mm256_permute2f128_ps(low[k], high[k], 0x31);
}

#include "kernel_template.inc"

#endif
