/* SPDX-License-Identifier: BSD-3-Clause */
/* Time fields to int32 ns, the first pass of every block. All versions give the same bits. */
#include "kernel.h"

#include "sensortime/cloud.h"

#define TIMES_MAX    2147483647.0
#define TIMES_BEYOND 0x1p63 /* no int64 of ns holds it */
#define TIMES_BIAS                                                                                           \
    6755399441055744.0 /* 1.5·2^52: adding it leaves the nearest integer in the low mantissa bits */

static inline int32_t deskew_times_from_real(double d)
{
    if (!(d > -TIMES_BEYOND && d < TIMES_BEYOND)) /* also NaN */
        return SNT__DESKEW_NO_TIME;
    d = d < -TIMES_MAX ? -TIMES_MAX : d;
    d = d > TIMES_MAX ? TIMES_MAX : d;
    d += TIMES_BIAS;
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    const uint32_t low = (uint32_t)bits;
    int32_t t;
    memcpy(&t, &low, sizeof t);
    return t;
}

static inline int32_t deskew_times_from_whole(const snt__deskew_clock *clock, uint32_t v)
{
    v = v < clock->low ? clock->low : v;
    v = v > clock->high ? clock->high : v;
    v += clock->add;
    int32_t t;
    memcpy(&t, &v, sizeof t);
    return t;
}

static inline int32_t deskew_times_one(const snt__deskew_clock *clock, const unsigned char *at)
{
    double f64;
    float f32;
    uint32_t u32;
    switch (clock->kind) {
    case SNT_TYPE_F64:
        memcpy(&f64, at, sizeof f64);
        return deskew_times_from_real((f64 - clock->origin) * clock->scale + clock->rest);
    case SNT_TYPE_F32:
        memcpy(&f32, at, sizeof f32);
        return deskew_times_from_real(((double)f32 - clock->origin) * clock->scale + clock->rest);
    case SNT_TYPE_I32:
        memcpy(&u32, at, sizeof u32);
        return deskew_times_from_whole(clock, u32 ^ 0x80000000u);
    default:
        memcpy(&u32, at, sizeof u32);
        return deskew_times_from_whole(clock, u32);
    }
}

static inline void deskew_times_widen(int32_t t, int32_t range[2])
{
    range[0] = t < range[0] ? t : range[0];
    range[1] = t > range[1] ? t : range[1];
}

static void deskew_times_rest(const snt__deskew_clock *clock, const unsigned char *at, ptrdiff_t stride,
                              size_t n, int32_t *t, int32_t range[2])
{
    for (size_t i = 0; i < n; i++, at += stride) {
        t[i] = deskew_times_one(clock, at);
        deskew_times_widen(t[i], range);
    }
}

void snt__deskew_times_plain(const snt__deskew_clock *clock, const unsigned char *at, ptrdiff_t stride,
                             size_t n, int32_t *t, int32_t range[2])
{
    const snt__deskew_clock local = *clock;
    range[0] = INT32_MAX;
    range[1] = INT32_MIN;
    deskew_times_rest(&local, at, stride, n, t, range);
}

void snt__deskew_narrow_plain(const unsigned char *in, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double value;
        memcpy(&value, in + 8 * i, sizeof value);
        out[i] = (float)value;
    }
}

void snt__deskew_add_plain(const unsigned char *in, const float *delta, unsigned char *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double value;
        memcpy(&value, in + 8 * i, sizeof value);
        value += (double)delta[i];
        memcpy(out + 8 * i, &value, sizeof value);
    }
}

#ifdef SNT__DESKEW_X86

#include <immintrin.h>

/* one loop, compiled with its constants for each use and kept apart, lest the short ones pay for the registers of the long */
#define TIMES_LOOP   static __attribute__((noinline))
#define TIMES_INLINE static inline __attribute__((always_inline))
#define TIMES_AVX2   __attribute__((target("avx2,fma")))
#define TIMES_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))

/*
 * Records are read where they lie: four values at a time enter a register one by one, which costs half of what it does to
 * line them up in memory first.
 */
static inline TIMES_AVX2 __m128i deskew_times_words(const unsigned char *at, ptrdiff_t stride)
{
    int32_t v[4];
    for (int i = 0; i < 4; i++)
        memcpy(&v[i], at + i * stride, 4);
    return _mm_insert_epi32(_mm_insert_epi32(_mm_insert_epi32(_mm_cvtsi32_si128(v[0]), v[1], 1), v[2], 2),
                            v[3], 3);
}

static inline TIMES_AVX2 __m256i deskew_times_words8(const unsigned char *at, ptrdiff_t stride)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(deskew_times_words(at, stride)),
                                   deskew_times_words(at + 4 * stride, stride), 1);
}

static inline TIMES_AVX2 __m128d deskew_times_two(const unsigned char *at, ptrdiff_t stride)
{
    const __m128d low = _mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)(const void *)at));
    return _mm_loadh_pd(low, (const double *)(const void *)(at + stride));
}

static inline TIMES_AVX2 __m256d deskew_times_doubles(const unsigned char *at, ptrdiff_t stride)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(deskew_times_two(at, stride)),
                                deskew_times_two(at + 2 * stride, stride), 1);
}

/*
 * What int32 does not hold becomes INT32_MIN, and so does a NaN. A block with one such time is done again with care, which
 * tells them apart (all bits set are a NaN, too).
 */
static inline TIMES_AVX2 __m128i deskew_times_real4(const snt__deskew_clock *clock, __m256d v, bool careful)
{
    __m256d d = _mm256_mul_pd(_mm256_sub_pd(v, _mm256_set1_pd(clock->origin)), _mm256_set1_pd(clock->scale));
    d = _mm256_add_pd(d, _mm256_set1_pd(clock->rest));
    if (careful) {
        const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), d);
        const __m256d bad = _mm256_cmp_pd(size, _mm256_set1_pd(TIMES_BEYOND), _CMP_NLT_UQ);
        d = _mm256_max_pd(_mm256_set1_pd(-TIMES_MAX), d);
        d = _mm256_or_pd(_mm256_min_pd(_mm256_set1_pd(TIMES_MAX), d), bad);
    }
    return _mm256_cvtpd_epi32(d);
}

static inline TIMES_AVX2 __m256i deskew_times_8(const snt__deskew_clock *clock, const unsigned char *at,
                                                ptrdiff_t stride, bool careful)
{
    if (clock->kind == SNT_TYPE_F64) {
        const bool packed = stride == 8;
        const double *f64 = (const double *)(const void *)at;
        const __m256d a = packed ? _mm256_loadu_pd(f64) : deskew_times_doubles(at, stride);
        const __m256d b = packed ? _mm256_loadu_pd(f64 + 4) : deskew_times_doubles(at + 4 * stride, stride);
        return _mm256_inserti128_si256(_mm256_castsi128_si256(deskew_times_real4(clock, a, careful)),
                                       deskew_times_real4(clock, b, careful), 1);
    }
    __m256i v =
        stride == 4 ? _mm256_loadu_si256((const __m256i *)(const void *)at) : deskew_times_words8(at, stride);
    if (clock->kind == SNT_TYPE_F32) {
        const __m256 f32 = _mm256_castsi256_ps(v);
        const __m256d a = _mm256_cvtps_pd(_mm256_castps256_ps128(f32));
        const __m256d b = _mm256_cvtps_pd(_mm256_extractf128_ps(f32, 1));
        return _mm256_inserti128_si256(_mm256_castsi128_si256(deskew_times_real4(clock, a, careful)),
                                       deskew_times_real4(clock, b, careful), 1);
    }
    if (clock->kind == SNT_TYPE_I32)
        v = _mm256_xor_si256(v, _mm256_set1_epi32(INT32_MIN));
    v = _mm256_max_epu32(v, _mm256_set1_epi32((int32_t)clock->low));
    v = _mm256_min_epu32(v, _mm256_set1_epi32((int32_t)clock->high));
    return _mm256_add_epi32(v, _mm256_set1_epi32((int32_t)clock->add));
}

TIMES_INLINE TIMES_AVX2 void deskew_times_run_avx2(const snt__deskew_clock *clock, const unsigned char *at,
                                                   ptrdiff_t stride, size_t n, int32_t *t, int32_t range[2],
                                                   bool careful)
{
    const snt__deskew_clock local = *clock;
    __m256i low = _mm256_set1_epi32(INT32_MAX), high = _mm256_set1_epi32(INT32_MIN);
    size_t i = 0;
    for (; i + 8 <= n; i += 8, at += 8 * stride) {
        const __m256i v = deskew_times_8(&local, at, stride, careful);
        _mm256_storeu_si256((__m256i *)(void *)(t + i), v);
        low = _mm256_min_epi32(low, v);
        high = _mm256_max_epi32(high, v);
    }
    int32_t lows[8], highs[8];
    _mm256_storeu_si256((__m256i *)(void *)lows, low);
    _mm256_storeu_si256((__m256i *)(void *)highs, high);
    range[0] = lows[0];
    range[1] = highs[0];
    for (int k = 1; k < 8; k++) {
        range[0] = lows[k] < range[0] ? lows[k] : range[0];
        range[1] = highs[k] > range[1] ? highs[k] : range[1];
    }
    deskew_times_rest(&local, at, stride, n - i, t + i, range);
}

TIMES_LOOP TIMES_AVX2 void deskew_times_packed_avx2(const snt__deskew_clock *clock, const unsigned char *at,
                                                    size_t n, int32_t *t, int32_t range[2])
{
    if (clock->kind == SNT_TYPE_F64)
        deskew_times_run_avx2(clock, at, 8, n, t, range, false);
    else
        deskew_times_run_avx2(clock, at, 4, n, t, range, false);
}

TIMES_LOOP TIMES_AVX2 void deskew_times_strided_avx2(const snt__deskew_clock *clock, const unsigned char *at,
                                                     ptrdiff_t stride, size_t n, int32_t *t, int32_t range[2])
{
    deskew_times_run_avx2(clock, at, stride, n, t, range, false);
}

TIMES_LOOP TIMES_AVX2 void deskew_times_careful_avx2(const snt__deskew_clock *clock, const unsigned char *at,
                                                     ptrdiff_t stride, size_t n, int32_t *t, int32_t range[2])
{
    deskew_times_run_avx2(clock, at, stride, n, t, range, true);
}

TIMES_AVX2 void snt__deskew_times_avx2(const snt__deskew_clock *clock, const unsigned char *at,
                                       ptrdiff_t stride, size_t n, int32_t *t, int32_t range[2])
{
    if (stride == (clock->kind == SNT_TYPE_F64 ? 8 : 4))
        deskew_times_packed_avx2(clock, at, n, t, range);
    else
        deskew_times_strided_avx2(clock, at, stride, n, t, range);
    if (SNT_UNLIKELY(range[0] == INT32_MIN))
        deskew_times_careful_avx2(clock, at, stride, n, t, range);
}

TIMES_AVX2 void snt__deskew_narrow_avx2(const unsigned char *in, float *out, size_t n)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        _mm_storeu_ps(out + i, _mm256_cvtpd_ps(_mm256_loadu_pd((const double *)(const void *)(in + 8 * i))));
    snt__deskew_narrow_plain(in + 8 * i, out + i, n - i);
}

TIMES_AVX2 void snt__deskew_add_avx2(const unsigned char *in, const float *delta, unsigned char *out,
                                     size_t n)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const __m256d value = _mm256_loadu_pd((const double *)(const void *)(in + 8 * i));
        const __m256d more = _mm256_cvtps_pd(_mm_loadu_ps(delta + i));
        _mm256_storeu_pd((double *)(void *)(out + 8 * i), _mm256_add_pd(value, more));
    }
    snt__deskew_add_plain(in + 8 * i, delta + i, out + 8 * i, n - i);
}

static inline TIMES_AVX512 __m256i deskew_times_real8(const snt__deskew_clock *clock, __m512d v, bool careful)
{
    __m512d d = _mm512_mul_pd(_mm512_sub_pd(v, _mm512_set1_pd(clock->origin)), _mm512_set1_pd(clock->scale));
    d = _mm512_add_pd(d, _mm512_set1_pd(clock->rest));
    if (!careful)
        return _mm512_cvtpd_epi32(d);
    const __mmask8 good = _mm512_cmp_pd_mask(_mm512_abs_pd(d), _mm512_set1_pd(TIMES_BEYOND), _CMP_LT_OQ);
    d = _mm512_max_pd(_mm512_set1_pd(-TIMES_MAX), d);
    d = _mm512_min_pd(_mm512_set1_pd(TIMES_MAX), d);
    return _mm512_mask_cvtpd_epi32(_mm256_set1_epi32(SNT__DESKEW_NO_TIME), good, d);
}

static inline TIMES_AVX512 __m512d deskew_times_doubles8(const unsigned char *at, ptrdiff_t stride)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(deskew_times_doubles(at, stride)),
                              deskew_times_doubles(at + 4 * stride, stride), 1);
}

static inline TIMES_AVX512 __m512i deskew_times_join(__m256i low, __m256i high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

static inline TIMES_AVX512 __m512i deskew_times_16(const snt__deskew_clock *clock, const unsigned char *at,
                                                   ptrdiff_t stride, bool careful)
{
    if (clock->kind == SNT_TYPE_F64) {
        const bool packed = stride == 8;
        const __m512d a = packed ? _mm512_loadu_pd(at) : deskew_times_doubles8(at, stride);
        const __m512d b = packed ? _mm512_loadu_pd(at + 64) : deskew_times_doubles8(at + 8 * stride, stride);
        return deskew_times_join(deskew_times_real8(clock, a, careful),
                                 deskew_times_real8(clock, b, careful));
    }
    const bool packed = stride == 4;
    if (clock->kind == SNT_TYPE_F32) {
        const __m256i *near = (const __m256i *)(const void *)at;
        const __m256i a = packed ? _mm256_loadu_si256(near) : deskew_times_words8(at, stride);
        const __m256i b =
            packed ? _mm256_loadu_si256(near + 1) : deskew_times_words8(at + 8 * stride, stride);
        return deskew_times_join(deskew_times_real8(clock, _mm512_cvtps_pd(_mm256_castsi256_ps(a)), careful),
                                 deskew_times_real8(clock, _mm512_cvtps_pd(_mm256_castsi256_ps(b)), careful));
    }
    __m512i v = packed ? _mm512_loadu_si512(at)
                       : deskew_times_join(deskew_times_words8(at, stride),
                                           deskew_times_words8(at + 8 * stride, stride));
    if (clock->kind == SNT_TYPE_I32)
        v = _mm512_xor_si512(v, _mm512_set1_epi32(INT32_MIN));
    v = _mm512_max_epu32(v, _mm512_set1_epi32((int32_t)clock->low));
    v = _mm512_min_epu32(v, _mm512_set1_epi32((int32_t)clock->high));
    return _mm512_add_epi32(v, _mm512_set1_epi32((int32_t)clock->add));
}

TIMES_INLINE TIMES_AVX512 void deskew_times_run_avx512(const snt__deskew_clock *clock,
                                                       const unsigned char *at, ptrdiff_t stride, size_t n,
                                                       int32_t *t, int32_t range[2], bool careful)
{
    const snt__deskew_clock local = *clock;
    __m512i low = _mm512_set1_epi32(INT32_MAX), high = _mm512_set1_epi32(INT32_MIN);
    size_t i = 0;
    for (; i + 16 <= n; i += 16, at += 16 * stride) {
        const __m512i v = deskew_times_16(&local, at, stride, careful);
        _mm512_storeu_si512(t + i, v);
        low = _mm512_min_epi32(low, v);
        high = _mm512_max_epi32(high, v);
    }
    range[0] = _mm512_reduce_min_epi32(low);
    range[1] = _mm512_reduce_max_epi32(high);
    deskew_times_rest(&local, at, stride, n - i, t + i, range);
}

TIMES_LOOP TIMES_AVX512 void deskew_times_packed_avx512(const snt__deskew_clock *clock,
                                                        const unsigned char *at, size_t n, int32_t *t,
                                                        int32_t range[2])
{
    if (clock->kind == SNT_TYPE_F64)
        deskew_times_run_avx512(clock, at, 8, n, t, range, false);
    else
        deskew_times_run_avx512(clock, at, 4, n, t, range, false);
}

TIMES_LOOP TIMES_AVX512 void deskew_times_strided_avx512(const snt__deskew_clock *clock,
                                                         const unsigned char *at, ptrdiff_t stride, size_t n,
                                                         int32_t *t, int32_t range[2])
{
    deskew_times_run_avx512(clock, at, stride, n, t, range, false);
}

TIMES_LOOP TIMES_AVX512 void deskew_times_careful_avx512(const snt__deskew_clock *clock,
                                                         const unsigned char *at, ptrdiff_t stride, size_t n,
                                                         int32_t *t, int32_t range[2])
{
    deskew_times_run_avx512(clock, at, stride, n, t, range, true);
}

TIMES_AVX512 void snt__deskew_times_avx512(const snt__deskew_clock *clock, const unsigned char *at,
                                           ptrdiff_t stride, size_t n, int32_t *t, int32_t range[2])
{
    if (stride == (clock->kind == SNT_TYPE_F64 ? 8 : 4))
        deskew_times_packed_avx512(clock, at, n, t, range);
    else
        deskew_times_strided_avx512(clock, at, stride, n, t, range);
    if (SNT_UNLIKELY(range[0] == INT32_MIN))
        deskew_times_careful_avx512(clock, at, stride, n, t, range);
}

TIMES_AVX512 void snt__deskew_narrow_avx512(const unsigned char *in, float *out, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, _mm512_cvtpd_ps(_mm512_loadu_pd(in + 8 * i)));
    snt__deskew_narrow_plain(in + 8 * i, out + i, n - i);
}

TIMES_AVX512 void snt__deskew_add_avx512(const unsigned char *in, const float *delta, unsigned char *out,
                                         size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m512d more = _mm512_cvtps_pd(_mm256_loadu_ps(delta + i));
        _mm512_storeu_pd(out + 8 * i, _mm512_add_pd(_mm512_loadu_pd(in + 8 * i), more));
    }
    snt__deskew_add_plain(in + 8 * i, delta + i, out + 8 * i, n - i);
}

#undef TIMES_LOOP
#undef TIMES_INLINE
#undef TIMES_AVX2
#undef TIMES_AVX512
#endif

#undef TIMES_MAX
#undef TIMES_BEYOND
#undef TIMES_BIAS
