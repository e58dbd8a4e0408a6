/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inline pose arithmetic for the rooms that need it in a loop. Every operation is an IEEE add, multiply, divide or
 * square root in a fixed order, so results are the same bits everywhere (i387 excess precision apart).
 */
#ifndef SNT_LIB_POSE_MATH_H
#define SNT_LIB_POSE_MATH_H

#include "../base/internal.h"
#include "sensortime/pose.h"

#include <math.h>
#if SNT_GNU && defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Square root without an errno call where the compiler cannot be told so by flags. */
static inline double snt__sqrt(double x)
{
#if SNT_GNU && defined(__SSE2__)
    return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x)));
#else
    return sqrt(x);
#endif
}

/* By the exponent's bits, which no compiler flag can optimise away. */
static inline bool snt__is_finite(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

static inline bool snt__all_finite(const double *x, size_t n)
{
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        ok &= snt__is_finite(x[i]);
    return ok;
}

static inline double snt__dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double snt__norm3(const double *a)
{
    return snt__sqrt(snt__dot3(a, a));
}

static inline void snt__cross(const double *a, const double *b, double *out)
{
    const double x = a[1] * b[2] - a[2] * b[1];
    const double y = a[2] * b[0] - a[0] * b[2];
    const double z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline double snt__dot4(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

static inline void snt__quat_mul(const double *a, const double *b, double *out)
{
    const double x = (a[3] * b[0] + a[0] * b[3]) + (a[1] * b[2] - a[2] * b[1]);
    const double y = (a[3] * b[1] + a[1] * b[3]) + (a[2] * b[0] - a[0] * b[2]);
    const double z = (a[3] * b[2] + a[2] * b[3]) + (a[0] * b[1] - a[1] * b[0]);
    const double w = (a[3] * b[3] - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2]);
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
}

static inline void snt__quat_conj(const double *a, double *out)
{
    out[0] = -a[0];
    out[1] = -a[1];
    out[2] = -a[2];
    out[3] = a[3];
}

/* R(q)·v = v + 2w(u×v) + 2u×(u×v) */
static inline void snt__quat_rotate(const double *q, const double *v, double *out)
{
    const double tx = 2 * (q[1] * v[2] - q[2] * v[1]);
    const double ty = 2 * (q[2] * v[0] - q[0] * v[2]);
    const double tz = 2 * (q[0] * v[1] - q[1] * v[0]);
    const double x = (v[0] + q[3] * tx) + (q[1] * tz - q[2] * ty);
    const double y = (v[1] + q[3] * ty) + (q[2] * tx - q[0] * tz);
    const double z = (v[2] + q[3] * tz) + (q[0] * ty - q[1] * tx);
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline void snt__pose_compose(const snt_pose *a, const snt_pose *b, snt_pose *out)
{
    double t[3];
    snt__quat_rotate(a->q, b->t, t);
    for (int i = 0; i < 3; i++)
        out->t[i] = a->t[i] + t[i];
    snt__quat_mul(a->q, b->q, out->q);
}

static inline void snt__pose_inverse(const snt_pose *a, snt_pose *out)
{
    double q[4], t[3];
    snt__quat_conj(a->q, q);
    snt__quat_rotate(q, a->t, t);
    for (int i = 0; i < 3; i++)
        out->t[i] = -t[i];
    memcpy(out->q, q, sizeof q);
}

/* a⁻¹·b */
static inline void snt__pose_between(const snt_pose *a, const snt_pose *b, snt_pose *out)
{
    double q[4], d[3];
    snt__quat_conj(a->q, q);
    for (int i = 0; i < 3; i++)
        d[i] = b->t[i] - a->t[i];
    snt__quat_rotate(q, d, out->t);
    snt__quat_mul(q, b->q, out->q);
}

/* What brings a quaternion of squared length 1 + off to length one; exactly 1 where off is rounding. */
static inline double snt__quat_scale(double off)
{
    if (fabs(off) <= 0x1p-50)
        return 1;
    /* 1/sqrt(1 + off): three terms of its series are exact to a rounding where off is small */
    return fabs(off) < 1e-5 ? 1 - off * (0.5 - 0.375 * off) : 1 / snt__sqrt(1 + off);
}

/* Numerical drift of long products; a unit quaternion within rounding stays as it is. */
static inline void snt__quat_renormalise(double *q)
{
    const double k = snt__quat_scale(snt__dot4(q, q) - 1);
    for (int i = 0; i < 4; i++)
        q[i] *= k;
}

/* The sign with w >= 0, so that equal rotations have equal bits. */
static inline void snt__quat_canonical(double *q)
{
    if (q[3] < 0 || (q[3] == 0 && (q[2] < 0 || (q[2] == 0 && (q[1] < 0 || (q[1] == 0 && q[0] < 0))))))
        for (int i = 0; i < 4; i++)
            q[i] = 0 - q[i];
}

/*
 * SLERP weights: sin((1−s)θ)/sin θ and sin(sθ)/sin θ as series in e = 1 − cos θ,
 *     sin(sθ)/sin θ = s·(1 + e(1−s²)/3·(1 + e(4−s²)/10·(1 + e(9−s²)/21·(…)))),
 * with 2, 4, 8 or 16 terms for e up to 4e-6, 6e-4, 0.03, 0.3 (rotations of 0.3°, 4°, 28°, 91°): no libm, error below 1e-15.
 */
static const double snt__slerp_u[16] = {1.0 / 3,   2.0 / 5,   3.0 / 7,   4.0 / 9,   5.0 / 11,  6.0 / 13,
                                        7.0 / 15,  8.0 / 17,  9.0 / 19,  10.0 / 21, 11.0 / 23, 12.0 / 25,
                                        13.0 / 27, 14.0 / 29, 15.0 / 31, 16.0 / 33};
static const double snt__slerp_v[16] = {1.0 / 3,   1.0 / 10,  1.0 / 21,  1.0 / 36,  1.0 / 55,  1.0 / 78,
                                        1.0 / 105, 1.0 / 136, 1.0 / 171, 1.0 / 210, 1.0 / 253, 1.0 / 300,
                                        1.0 / 351, 1.0 / 406, 1.0 / 465, 1.0 / 528};

static inline int snt__slerp_terms(double e)
{
    return e < 4e-6 ? 2 : e < 6e-4 ? 4 : e < 0.03 ? 8 : 16;
}

#if SNT_GNU && defined(__SSE2__)
/* One step of the series from behind, both weights at once. */
static inline __m128d snt__slerp_step(__m128d ee, __m128d t2, __m128d p, int i)
{
    const __m128d c = _mm_sub_pd(_mm_set1_pd(snt__slerp_u[i]), _mm_mul_pd(_mm_set1_pd(snt__slerp_v[i]), t2));
    return _mm_add_pd(_mm_set1_pd(1), _mm_mul_pd(_mm_mul_pd(ee, c), p));
}
#endif

static inline void snt__slerp_weights(double e, double s, double *wa, double *wb)
{
    const double r = 1 - s;
    const int n = snt__slerp_terms(e);
#if SNT_GNU && defined(__SSE2__)
    const __m128d t = _mm_set_pd(s, r), ee = _mm_set1_pd(e);
    const __m128d t2 = _mm_mul_pd(t, t);
    __m128d p = _mm_set1_pd(1);
    for (int i = n - 1; i >= 4; i--)
        p = snt__slerp_step(ee, t2, p, i);
    if (n > 2) {
        p = snt__slerp_step(ee, t2, p, 3);
        p = snt__slerp_step(ee, t2, p, 2);
    }
    p = snt__slerp_step(ee, t2, p, 1);
    p = snt__slerp_step(ee, t2, p, 0);
    p = _mm_mul_pd(t, p);
    *wa = _mm_cvtsd_f64(p);
    *wb = _mm_cvtsd_f64(_mm_unpackhi_pd(p, p));
#else
    const double s2 = s * s, r2 = r * r;
    double pa = 1, pb = 1;
    for (int i = n - 1; i >= 0; i--) {
        pa = 1 + (e * (snt__slerp_u[i] - snt__slerp_v[i] * r2)) * pa;
        pb = 1 + (e * (snt__slerp_u[i] - snt__slerp_v[i] * s2)) * pb;
    }
    *wa = r * pa;
    *wb = s * pb;
#endif
}

/* Between arcs of more than 91° the middle rotation halves the arc: still no libm. */
static inline void snt__slerp_wide(const double *a, const double *b, double s, double *out)
{
    double m[4], wa, wb;
    for (int i = 0; i < 4; i++)
        m[i] = a[i] + b[i];
    const double k = 1 / snt__sqrt(snt__dot4(m, m));
    for (int i = 0; i < 4; i++)
        m[i] *= k;
    const bool upper = s > 0.5;
    const double *from = upper ? m : a, *to = upper ? b : m;
    double d2 = 0;
    for (int i = 0; i < 4; i++)
        d2 += (from[i] - to[i]) * (from[i] - to[i]);
    snt__slerp_weights(d2 / 2, upper ? 2 * s - 1 : 2 * s, &wa, &wb);
    for (int i = 0; i < 4; i++)
        out[i] = wa * from[i] + wb * to[i];
}

/* Shorter arc from a to b; s in [0, 1], and a little beyond. */
static inline void snt__slerp(const double *a, const double *b, double s, double *out)
{
    double c[4];
    const double sign = snt__dot4(a, b) < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        c[i] = sign * b[i];
    double d[4];
    for (int i = 0; i < 4; i++)
        d[i] = a[i] - c[i];
    const double e = snt__dot4(d, d) / 2; /* |a − b|²/2 keeps the digits that 1 − a·b loses */
    if (SNT_UNLIKELY(!(e < 0.3))) {
        snt__slerp_wide(a, c, s, out);
        return;
    }
    double wa, wb;
    snt__slerp_weights(e, s, &wa, &wb);
    for (int i = 0; i < 4; i++)
        out[i] = wa * a[i] + wb * c[i];
}

static inline void snt__pose_lerp(const snt_pose *a, const snt_pose *b, double s, snt_pose *out)
{
    double q[4];
    snt__slerp(a->q, b->q, s, q);
    for (int i = 0; i < 3; i++)
        out->t[i] = a->t[i] + s * (b->t[i] - a->t[i]);
    memcpy(out->q, q, sizeof q);
}

/* pose.c: the maps between poses and twists, for one second. */
void snt__rotation_exp(const double *w, double *q);
void snt__rotation_log(const double *q, double *w);
void snt__pose_exp(const double *v, const double *w, snt_pose *out);
void snt__pose_log(const snt_pose *pose, double *v, double *w);
void snt__pose_screw(const snt_pose *a, const snt_pose *b, double s, snt_pose *out);

#endif
