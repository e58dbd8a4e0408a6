/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exponential and logarithm of rotations and poses by series after halving: large angles are brought down by halving
 * (exactly, or by one square root) and the result is squared up again, so that no libm function is needed.
 */
#include "pose_math.h"

/* sum of c[k]·x^k */
static double pose_series(const double *c, int n, double x)
{
    double sum = c[n - 1];
    for (int i = n - 2; i >= 0; i--)
        sum = c[i] + x * sum;
    return sum;
}

/* sin √x/√x, cos √x, (1−cos √x)/x, (√x−sin √x)/√x³ share these: signed reciprocal factorials. */
static const double pose_sin_c[10] = {1.0,
                                      -1.0 / 6,
                                      1.0 / 120,
                                      -1.0 / 5040,
                                      1.0 / 362880,
                                      -1.0 / 39916800,
                                      1.0 / 6227020800.0,
                                      -1.0 / 1307674368000.0,
                                      1.0 / 355687428096000.0,
                                      -1.0 / 121645100408832000.0};
static const double pose_cos_c[10] = {1.0,
                                      -1.0 / 2,
                                      1.0 / 24,
                                      -1.0 / 720,
                                      1.0 / 40320,
                                      -1.0 / 3628800,
                                      1.0 / 479001600.0,
                                      -1.0 / 87178291200.0,
                                      1.0 / 20922789888000.0,
                                      -1.0 / 6402373705728000.0};

/* asin(s)/s as a series in s² < 0.04 */
static const double pose_asin_c[12] = {1.0,
                                       1.0 / 6,
                                       3.0 / 40,
                                       15.0 / 336,
                                       105.0 / 3456,
                                       945.0 / 42240,
                                       10395.0 / 599040,
                                       135135.0 / 9676800,
                                       2027025.0 / 175472640,
                                       34459425.0 / 3530096640.0,
                                       654729075.0 / 78033715200.0,
                                       13749310575.0 / 1880240947200.0};

/* (1 − (θ/2)cot(θ/2))/θ² as a series in θ² < 1: Bernoulli numbers over factorials */
static const double pose_cot_c[9] = {1.0 / 12,
                                     1.0 / 720,
                                     1.0 / 30240,
                                     1.0 / 1209600,
                                     1.0 / 47900160,
                                     691.0 / 1307674368000.0,
                                     1.0 / 74724249600.0,
                                     3617.0 / 10670622842880000.0,
                                     43867.0 / 5109094217170944000.0};

enum { POSE_MAX_HALVINGS = 1100 }; /* more than the exponents of a double */

void snt__rotation_exp(const double *w, double *q)
{
    double x = snt__dot3(w, w) / 4; /* square of the half angle */
    double scale = 0.5;
    int halvings = 0;
    if (!snt__is_finite(x)) {
        q[0] = q[1] = q[2] = q[3] = x - x; /* NaN */
        return;
    }
    for (; x > 0.7 && halvings < POSE_MAX_HALVINGS; halvings++) {
        x /= 4;
        scale /= 2;
    }
    const double s = scale * pose_series(pose_sin_c, 10, x);
    for (int i = 0; i < 3; i++)
        q[i] = s * w[i];
    q[3] = pose_series(pose_cos_c, 10, x);
    for (; halvings > 0; halvings--) {
        const double c = 2 * q[3];
        q[3] = c * q[3] - 1;
        for (int i = 0; i < 3; i++)
            q[i] *= c;
        snt__quat_renormalise(q);
    }
}

void snt__rotation_log(const double *q, double *w)
{
    double v[3] = {q[0], q[1], q[2]}, c = q[3];
    if (c < 0) {
        c = -c;
        for (int i = 0; i < 3; i++)
            v[i] = 0 - v[i];
    }
    double s2 = snt__dot3(v, v), scale = 2;
    for (int halvings = 0; s2 >= 0.04 && halvings < 8;
         halvings++) { /* the square root of a rotation halves its angle */
        const double half = snt__sqrt((1 + c) / 2);
        const double k = 1 / (2 * half);
        for (int i = 0; i < 3; i++)
            v[i] *= k;
        c = half;
        s2 = snt__dot3(v, v);
        scale *= 2;
    }
    const double k = scale * pose_series(pose_asin_c, 12, s2);
    for (int i = 0; i < 3; i++)
        w[i] = k * v[i];
}

void snt__pose_exp(const double *v, const double *w, snt_pose *out)
{
    double x = snt__dot3(w, w), scale = 1;
    int halvings = 0;
    for (; x > 1 && halvings < POSE_MAX_HALVINGS && snt__is_finite(x); halvings++) {
        x /= 4;
        scale /= 2;
    }
    const double b = -pose_series(pose_cos_c + 1, 9, x); /* (1 − cos θ)/θ² */
    const double c = -pose_series(pose_sin_c + 1, 9, x); /* (θ − sin θ)/θ³ */
    double vs[3], ws[3], wv[3], wwv[3];
    for (int i = 0; i < 3; i++) {
        vs[i] = scale * v[i];
        ws[i] = scale * w[i];
    }
    snt__cross(ws, vs, wv);
    snt__cross(ws, wv, wwv);
    snt_pose p;
    snt__rotation_exp(ws, p.q);
    for (int i = 0; i < 3; i++)
        p.t[i] = vs[i] + (b * wv[i] + c * wwv[i]);
    for (; halvings > 0; halvings--) {
        const snt_pose half = p;
        snt__pose_compose(&half, &half, &p);
        snt__quat_renormalise(p.q);
    }
    *out = p;
}

void snt__pose_log(const snt_pose *pose, double *v, double *w)
{
    double r[3], wt[3], wwt[3];
    snt__rotation_log(pose->q, r);
    const double x = snt__dot3(r, r);
    double d;
    if (x < 1) {
        d = pose_series(pose_cot_c, 9, x);
    } else { /* (θ/2)·cot(θ/2) from the quaternion itself: cot of the half angle is w/|v| */
        const double cot = fabs(pose->q[3]) / snt__norm3(pose->q);
        d = (1 - snt__sqrt(x) / 2 * cot) / x;
    }
    snt__cross(r, pose->t, wt);
    snt__cross(r, wt, wwt);
    for (int i = 0; i < 3; i++)
        v[i] = pose->t[i] + (d * wwt[i] - wt[i] / 2);
    memcpy(w, r, sizeof r);
}

void snt__pose_screw(const snt_pose *a, const snt_pose *b, double s, snt_pose *out)
{
    snt_pose between, part;
    double v[3], w[3];
    snt__pose_between(a, b, &between);
    snt__pose_log(&between, v, w);
    for (int i = 0; i < 3; i++) {
        v[i] *= s;
        w[i] *= s;
    }
    snt__pose_exp(v, w, &part);
    snt__pose_compose(a, &part, &between);
    *out = between;
}

void snt_rotation_exp(const double *rotation, double *q)
{
    if (rotation && q)
        snt__rotation_exp(rotation, q);
}

void snt_rotation_log(const double *q, double *rotation)
{
    if (q && rotation)
        snt__rotation_log(q, rotation);
}

void snt_pose_exp(const snt_twist *twist, double seconds, snt_pose *out)
{
    if (!twist || !out)
        return;
    double v[3], w[3];
    for (int i = 0; i < 3; i++) {
        v[i] = twist->v[i] * seconds;
        w[i] = twist->w[i] * seconds;
    }
    snt__pose_exp(v, w, out);
}

void snt_pose_log(const snt_pose *start_end, double seconds, snt_twist *twist)
{
    if (!start_end || !twist)
        return;
    double v[3], w[3];
    snt__pose_log(start_end, v, w);
    for (int i = 0; i < 3; i++) {
        twist->v[i] = v[i] / seconds;
        twist->w[i] = w[i] / seconds;
    }
}
