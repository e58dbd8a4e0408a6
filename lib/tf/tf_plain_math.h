/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of tf_plain.c with AVX2: what pose_math.h does, operation for operation and in the same order, so that
 * every bit is the same. A pose is a register of the quaternion and one of the translation.
 */
#ifndef SNT_LIB_TF_PLAIN_MATH_H
#define SNT_LIB_TF_PLAIN_MATH_H

#include "tf_internal.h"

#include <immintrin.h>

#define PLAIN_AVX2   __attribute__((target("avx2")))
#define PLAIN_INLINE __attribute__((target("avx2"), always_inline)) static inline

/* ---- four edges at a time ---- */

/* The two halves of a sample, by loads whose words are whole; behind the translation a zero, not the sample's last word. */
#if defined(TF_TSAN)
PLAIN_INLINE __m256d plain_load_turn(const tf_sample *sample)
{
    return _mm256_castsi256_pd(
        _mm256_set_epi64x((long long)tf_word_get(&sample->w[3]), (long long)tf_word_get(&sample->w[2]),
                          (long long)tf_word_get(&sample->w[1]), (long long)tf_word_get(&sample->w[0])));
}
PLAIN_INLINE __m256d plain_load_shift(const tf_sample *sample)
{
    return _mm256_castsi256_pd(_mm256_set_epi64x(0, (long long)tf_word_get(&sample->w[6]),
                                                 (long long)tf_word_get(&sample->w[5]),
                                                 (long long)tf_word_get(&sample->w[4])));
}
#else
PLAIN_INLINE __m256d plain_load_turn(const tf_sample *sample)
{
    __m256d q;
    __asm__ volatile("vmovapd %1, %0" : "=x"(q) : "m"(*(const __m256d *)(const void *)&sample->w[0]));
    return q;
}
PLAIN_INLINE __m256d plain_load_shift(const tf_sample *sample)
{
    const __m256i three = _mm256_set_epi64x(0, -1, -1, -1);
    __m256d t;
    __asm__ volatile("vmaskmovpd %1, %2, %0"
                     : "=x"(t)
                     : "m"(*(const __m256d *)(const void *)&sample->w[4]), "x"(three));
    return t;
}
#endif

PLAIN_INLINE __m256d plain_each(const __m256d x, int lane)
{
    switch (lane) {
    case 0:
        return _mm256_permute4x64_pd(x, 0x00);
    case 1:
        return _mm256_permute4x64_pd(x, 0x55);
    case 2:
        return _mm256_permute4x64_pd(x, 0xaa);
    default:
        return _mm256_permute4x64_pd(x, 0xff);
    }
}

/* snt__dot4 of four with themselves. */
PLAIN_INLINE __m256d plain_dots(const __m256d *x)
{
    const __m256d p0 = _mm256_mul_pd(x[0], x[0]), p1 = _mm256_mul_pd(x[1], x[1]);
    const __m256d p2 = _mm256_mul_pd(x[2], x[2]), p3 = _mm256_mul_pd(x[3], x[3]);
    const __m256d p01 = _mm256_add_pd(_mm256_unpacklo_pd(p0, p1), _mm256_unpackhi_pd(p0, p1));
    const __m256d p23 = _mm256_add_pd(_mm256_unpacklo_pd(p2, p3), _mm256_unpackhi_pd(p2, p3));
    return _mm256_add_pd(_mm256_permute2f128_pd(p01, p23, 0x20), _mm256_permute2f128_pd(p01, p23, 0x31));
}

/* Terms `from`−1 down to `to` of both weights' series. */
PLAIN_INLINE void plain_terms(__m256d e, __m256d r2, __m256d f2, int from, int to, __m256d *pa, __m256d *pb)
{
    const __m256d one = _mm256_set1_pd(1);
    for (int i = from - 1; i >= to; i--) {
        const __m256d u = _mm256_set1_pd(snt__slerp_u[i]), v = _mm256_set1_pd(snt__slerp_v[i]);
        const __m256d ca = _mm256_mul_pd(e, _mm256_sub_pd(u, _mm256_mul_pd(v, r2)));
        const __m256d cb = _mm256_mul_pd(e, _mm256_sub_pd(u, _mm256_mul_pd(v, f2)));
        *pa = _mm256_add_pd(one, _mm256_mul_pd(ca, *pa));
        *pb = _mm256_add_pd(one, _mm256_mul_pd(cb, *pb));
    }
}

/* snt__slerp_weights: each edge with as many terms as it would have alone. */
PLAIN_INLINE void plain_weights(__m256d e, __m256d f, __m256d *wa, __m256d *wb)
{
    const __m256d one = _mm256_set1_pd(1), r = _mm256_sub_pd(one, f);
    const __m256d r2 = _mm256_mul_pd(r, r), f2 = _mm256_mul_pd(f, f);
    const __m256d four = _mm256_cmp_pd(e, _mm256_set1_pd(4e-6), _CMP_GE_OQ);
    __m256d pa = one, pb = one;
    if (_mm256_movemask_pd(four)) {
        const __m256d eight = _mm256_cmp_pd(e, _mm256_set1_pd(6e-4), _CMP_GE_OQ);
        if (_mm256_movemask_pd(eight)) {
            const __m256d sixteen = _mm256_cmp_pd(e, _mm256_set1_pd(0.03), _CMP_GE_OQ);
            if (_mm256_movemask_pd(sixteen)) {
                plain_terms(e, r2, f2, 16, 8, &pa, &pb);
                pa = _mm256_blendv_pd(one, pa, sixteen);
                pb = _mm256_blendv_pd(one, pb, sixteen);
            }
            plain_terms(e, r2, f2, 8, 4, &pa, &pb);
            pa = _mm256_blendv_pd(one, pa, eight);
            pb = _mm256_blendv_pd(one, pb, eight);
        }
        plain_terms(e, r2, f2, 4, 2, &pa, &pb);
        pa = _mm256_blendv_pd(one, pa, four);
        pb = _mm256_blendv_pd(one, pb, four);
    }
    plain_terms(e, r2, f2, 2, 0, &pa, &pb);
    *wa = _mm256_mul_pd(r, pa);
    *wb = _mm256_mul_pd(f, pb);
}

/* ---- products ---- */

#define PLAIN_TURN(x, a, b, c, d) _mm256_permute4x64_pd(x, (a) | (b) << 2 | (c) << 4 | (d) << 6)

/* snt__quat_mul */
PLAIN_INLINE __m256d plain_mul(__m256d a, __m256d b)
{
    const __m256d last = _mm256_set_pd(-0.0, 0, 0, 0), others = _mm256_set_pd(0, -0.0, -0.0, -0.0);
    const __m256d wb = _mm256_mul_pd(PLAIN_TURN(a, 3, 3, 3, 3), b);
    const __m256d aw = _mm256_mul_pd(PLAIN_TURN(a, 0, 1, 2, 0), PLAIN_TURN(b, 3, 3, 3, 0));
    const __m256d c = _mm256_mul_pd(PLAIN_TURN(a, 1, 2, 0, 1), PLAIN_TURN(b, 2, 0, 1, 1));
    const __m256d d = _mm256_mul_pd(PLAIN_TURN(a, 2, 0, 1, 2), PLAIN_TURN(b, 1, 2, 0, 2));
    const __m256d first = _mm256_add_pd(wb, _mm256_xor_pd(aw, last));
    const __m256d second = _mm256_add_pd(c, _mm256_xor_pd(d, others));
    return _mm256_add_pd(first, _mm256_xor_pd(second, last));
}

PLAIN_INLINE __m256d plain_cross(__m256d a, __m256d b)
{
    return _mm256_sub_pd(_mm256_mul_pd(PLAIN_TURN(a, 1, 2, 0, 1), PLAIN_TURN(b, 2, 0, 1, 1)),
                         _mm256_mul_pd(PLAIN_TURN(a, 2, 0, 1, 2), PLAIN_TURN(b, 1, 2, 0, 2)));
}

/* snt__quat_rotate */
PLAIN_INLINE __m256d plain_rotate(__m256d q, __m256d v)
{
    const __m256d half = plain_cross(q, v), t = _mm256_add_pd(half, half);
    return _mm256_add_pd(_mm256_add_pd(v, _mm256_mul_pd(PLAIN_TURN(q, 3, 3, 3, 3), t)), plain_cross(q, t));
}

typedef struct plain_pose {
    __m256d q, t;
} plain_pose;

PLAIN_INLINE plain_pose plain_fixed(const snt_pose *fixed)
{
    const __m256i three = _mm256_set_epi64x(0, -1, -1, -1);
    return (plain_pose){_mm256_loadu_pd(fixed->q), _mm256_maskload_pd(fixed->t, three)};
}

PLAIN_INLINE void plain_times(plain_pose *p, bool inverse, __m256d q, __m256d t)
{
    const __m256d conjugate = _mm256_set_pd(0, -0.0, -0.0, -0.0);
    if (inverse) {
        p->q = plain_mul(p->q, _mm256_xor_pd(q, conjugate));
        p->t = _mm256_sub_pd(p->t, plain_rotate(p->q, t));
    } else {
        p->t = _mm256_add_pd(p->t, plain_rotate(p->q, t));
        p->q = plain_mul(p->q, q);
    }
}

/* The pose with the quaternion's sign as snt__quat_canonical has it. */
PLAIN_INLINE void plain_store(const plain_pose *p, snt_pose *out)
{
    const __m256d zero = _mm256_setzero_pd();
    const __m256d w = PLAIN_TURN(p->q, 3, 3, 3, 3);
    const __m256d other = _mm256_sub_pd(zero, p->q);
    const __m256d q = _mm256_blendv_pd(p->q, other, _mm256_cmp_pd(w, zero, _CMP_LT_OQ));
    _mm256_storeu_pd(out->q, q);
    _mm_storeu_pd(out->t, _mm256_castpd256_pd128(p->t));
    _mm_store_sd(out->t + 2, _mm256_extractf128_pd(p->t, 1));
    if (SNT_UNLIKELY(_mm256_movemask_pd(_mm256_cmp_pd(w, zero, _CMP_EQ_OQ))))
        snt__quat_canonical(out->q);
}

#endif
