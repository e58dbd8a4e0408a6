/* SPDX-License-Identifier: BSD-3-Clause */
/* x86 with AVX-512: sixteen points at a time, the bits of fmaf(). */
#include "kernel.h"

#ifdef SNT__DESKEW_X86

#include <immintrin.h>

#include "kernel_names.inc"

#define K_512      "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma"
#define K_ISA      avx512
#define K_LANES    16
#define K_INLINE   K_FORCE_INLINE K_TARGET(K_512)
#define K_NOINLINE K_FORBID_INLINE K_TARGET(K_512)
#define K_ENTRY    K_TARGET(K_512)
#define VF         __m512
#define VI         __m512i

K_INLINE VF K(set1)(float v)
{
    return _mm512_set1_ps(v);
}
K_INLINE VI K(seti)(int32_t v)
{
    return _mm512_set1_epi32(v);
}
K_INLINE VF K(load)(const float *p)
{
    return _mm512_loadu_ps(p);
}
K_INLINE VI K(loadi)(const int32_t *p)
{
    return _mm512_loadu_si512(p);
}
K_INLINE void K(store)(float *p, VF v)
{
    _mm512_storeu_ps(p, v);
}
K_INLINE VF K(add)(VF a, VF b)
{
    return _mm512_add_ps(a, b);
}
K_INLINE VF K(sub)(VF a, VF b)
{
    return _mm512_sub_ps(a, b);
}
K_INLINE VF K(mul)(VF a, VF b)
{
    return _mm512_mul_ps(a, b);
}
K_INLINE VF K(madd)(VF a, VF b, VF c)
{
    return _mm512_fmadd_ps(a, b, c);
}
K_INLINE VF K(nmadd)(VF a, VF b, VF c)
{
    return _mm512_fnmadd_ps(a, b, c);
}
K_INLINE VI K(subi)(VI a, VI b)
{
    return _mm512_sub_epi32(a, b);
}
K_INLINE VF K(to_float)(VI v)
{
    return _mm512_cvtepi32_ps(v);
}
K_INLINE uint32_t K(inside)(VI t, int32_t begin, int32_t end)
{
    const VI span = K(seti)((int32_t)((uint32_t)end - (uint32_t)begin));
    return _mm512_cmplt_epu32_mask(_mm512_sub_epi32(t, K(seti)(begin)), span);
}
K_INLINE uint32_t K(equal)(VF a, VF b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}
K_INLINE VF K(select)(uint32_t mask, VF a, VF b)
{
    return _mm512_mask_mov_ps(b, (__mmask16)mask, a);
}

/* 4×4 in each quarter */
K_INLINE void K(transpose)(VF r[4])
{
    const VF a = _mm512_unpacklo_ps(r[0], r[1]), b = _mm512_unpacklo_ps(r[2], r[3]);
    const VF c = _mm512_unpackhi_ps(r[0], r[1]), d = _mm512_unpackhi_ps(r[2], r[3]);
    r[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
    r[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
    r[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(c), _mm512_castps_pd(d)));
    r[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(c), _mm512_castps_pd(d)));
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
/* Halves first: inserting quarter after quarter takes longer. */
K_INLINE VF K(four_records)(const unsigned char *p, ptrdiff_t apart)
{
    const __m256 low = K(two_records)(p, p + apart), high = K(two_records)(p + 2 * apart, p + 3 * apart);
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
K_INLINE void K(take_apart)(const unsigned char *in, ptrdiff_t stride, VF r[4])
{
    for (int i = 0; i < 4; i++)
        r[i] = K(four_records)(in + i * stride, 4 * stride);
    K(transpose)(r);
}
K_INLINE void K(put_together)(unsigned char *out, ptrdiff_t stride, VF r[4])
{
    K(transpose)(r);
    for (int i = 0; i < 4; i++, out += stride) {
        K(store4)(out, _mm512_castps512_ps128(r[i]));
        K(store4)(out + 4 * stride, _mm512_extractf32x4_ps(r[i], 1));
        K(store4)(out + 8 * stride, _mm512_extractf32x4_ps(r[i], 2));
        K(store4)(out + 12 * stride, _mm512_extractf32x4_ps(r[i], 3));
    }
}
K_INLINE void K(put_together_exactly)(unsigned char *out, ptrdiff_t stride, VF r[4])
{
    K(transpose)(r);
    for (int i = 0; i < 4; i++, out += stride) {
        K(store3)(out, _mm512_castps512_ps128(r[i]));
        K(store3)(out + 4 * stride, _mm512_extractf32x4_ps(r[i], 1));
        K(store3)(out + 8 * stride, _mm512_extractf32x4_ps(r[i], 2));
        K(store3)(out + 12 * stride, _mm512_extractf32x4_ps(r[i], 3));
    }
}
#define K_PIPELINED

/* Two points' segments and times; the seven polynomials of each side by side in a half. */
K_INLINE VF K(two_rows)(const float *a, const float *b)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(a)), _mm256_loadu_ps(b), 1);
}
K_INLINE VF K(row)(const snt__deskew_table *table, int32_t ta, int32_t tb)
{
    const uint32_t sa = snt__deskew_find(table, ta), sb = snt__deskew_find(table, tb);
    const float(*a)[8] = table->segments[sa].row;
    const float(*b)[8] = table->segments[sb].row;
    const __m256 ua = _mm256_set1_ps((float)(ta - table->mid[sa]));
    const __m256 ub = _mm256_set1_ps((float)(tb - table->mid[sb]));
    const VF u = _mm512_insertf32x8(_mm512_castps256_ps512(ua), ub, 1);
    VF c = K(madd)(K(two_rows)(a[3], b[3]), u, K(two_rows)(a[2], b[2]));
    c = K(madd)(c, u, K(two_rows)(a[1], b[1]));
    return K(madd)(c, u, K(two_rows)(a[0], b[0]));
}
K_INLINE void K(rows)(const snt__deskew_table *table, const int32_t *t, VF c[7])
{
    const VI lower = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    const VI upper = _mm512_setr_epi32(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
    VF low[4], high[4]; /* points 0–3 with 8–11, 4–7 with 12–15 */
    for (int i = 0; i < 4; i++) {
        low[i] = K(row)(table, t[i], t[i + 8]);
        high[i] = K(row)(table, t[i + 4], t[i + 12]);
    }
    K(transpose)(low);
    K(transpose)(high);
    for (int k = 0; k < 4; k++)
        c[k] = _mm512_permutex2var_ps(low[k], lower, high[k]);
    for (int k = 0; k < 3; k++)
        c[k + 4] = _mm512_permutex2var_ps(low[k], upper, high[k]);
}

/* Each lane looks up its own segment in registers: the order of points within a window of the plan costs nothing. */
K_INLINE VF K(pick)(const float *row, VI s)
{
    return _mm512_permutexvar_ps(s, _mm512_load_ps(row));
}
K_INLINE VF K(pick_of_two)(const float *row, VI s)
{
    const float *next = row + sizeof(snt__deskew_tile) / sizeof *row;
    return _mm512_permutex2var_ps(_mm512_load_ps(row), s, _mm512_load_ps(next));
}
K_INLINE VI K(picki)(const int32_t *row, VI s)
{
    const int32_t *next = row + sizeof(snt__deskew_tile) / sizeof *row;
    return _mm512_permutex2var_epi32(_mm512_load_si512(row), s, _mm512_load_si512(next));
}

/* First segment of each slot, counted from a tile: where all slots lie within a window and their segments in two tiles. */
K_INLINE bool K(locate)(const snt__deskew_table *table, uint32_t window, VI slot, uint32_t *tile, VI *s)
{
    const VI near = K(subi)(slot, K(seti)((int32_t)window));
    if (_mm512_cmplt_epu32_mask(near, K(seti)(SNT__DESKEW_WINDOW)) != 0xffff)
        return false;
    *tile = table->slot[window] / SNT__DESKEW_TILE;
    const VI words = _mm512_permutexvar_epi16(near, _mm512_loadu_si512(table->slot + window));
    *s = K(subi)(_mm512_and_si512(words, K(seti)(0xffff)), K(seti)((int32_t)*tile * SNT__DESKEW_TILE));
    /* one less than there are: a slot's later segment may be meant */
    return _mm512_cmplt_epu32_mask(*s, K(seti)(2 * SNT__DESKEW_TILE - 1)) == 0xffff;
}

/* `window`: first slot of an earlier group nearby. False where the group does not lie within two neighbouring tiles. */
K_INLINE bool K(tiled)(const snt__deskew_table *table, uint32_t *window, VI t, VF c[7])
{
    const VI slot =
        _mm512_srl_epi32(K(subi)(t, K(seti)(table->begin[0])), _mm_cvtsi32_si128((int)table->shift));
    uint32_t first;
    VI s;
    if (!K(locate)(table, *window, slot, &first, &s)) {
        *window = _mm512_reduce_min_epu32(slot);
        if (!K(locate)(table, *window, slot, &first, &s))
            return false;
    }
    const snt__deskew_tile *tile = table->tiles + first;
    const __mmask16 later = _mm512_cmpge_epi32_mask(t, K(picki)(tile->next, s));
    s = _mm512_mask_add_epi32(s, later, s, K(seti)(1));
    const VF u = K(to_float)(K(subi)(t, K(picki)(tile->mid, s)));
    if (_mm512_cmplt_epu32_mask(s, K(seti)(SNT__DESKEW_TILE)) == 0xffff) {
        for (int k = 0; k < 7; k++) {
            c[k] = K(madd)(K(pick)(tile->coefficient[3][k], s), u, K(pick)(tile->coefficient[2][k], s));
            c[k] = K(madd)(c[k], u, K(pick)(tile->coefficient[1][k], s));
            c[k] = K(madd)(c[k], u, K(pick)(tile->coefficient[0][k], s));
        }
        return true;
    }
    for (int k = 0; k < 7; k++) {
        c[k] = K(madd)(K(pick_of_two)(tile->coefficient[3][k], s), u,
                       K(pick_of_two)(tile->coefficient[2][k], s));
        c[k] = K(madd)(c[k], u, K(pick_of_two)(tile->coefficient[1][k], s));
        c[k] = K(madd)(c[k], u, K(pick_of_two)(tile->coefficient[0][k], s));
    }
    return true;
}
#define K_TILED

#include "kernel_template.inc"

#undef K_512

#endif
