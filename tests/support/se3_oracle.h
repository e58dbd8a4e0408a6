/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rigid motion in long double, made independently of the library: exponentials by scaling and squaring of matrix power
 * series, no quaternion anywhere.
 */
#ifndef SNT_TEST_SE3_ORACLE_H
#define SNT_TEST_SE3_ORACLE_H

#include "test.h"

typedef struct oracle_pose {
    long double r[3][3], t[3];
} oracle_pose;

static inline oracle_pose oracle_identity(void)
{
    oracle_pose p = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    return p;
}

static inline oracle_pose oracle_compose(const oracle_pose *a, const oracle_pose *b)
{
    oracle_pose p;
    for (int i = 0; i < 3; i++) {
        p.t[i] = a->t[i];
        for (int j = 0; j < 3; j++) {
            p.r[i][j] = 0;
            p.t[i] += a->r[i][j] * b->t[j];
            for (int k = 0; k < 3; k++)
                p.r[i][j] += a->r[i][k] * b->r[k][j];
        }
    }
    return p;
}

static inline oracle_pose oracle_inverse(const oracle_pose *a)
{
    oracle_pose p;
    for (int i = 0; i < 3; i++) {
        p.t[i] = 0;
        for (int j = 0; j < 3; j++) {
            p.r[i][j] = a->r[j][i];
            p.t[i] -= a->r[j][i] * a->t[j];
        }
    }
    return p;
}

/* exp of the 4×4 twist matrix times s */
static inline oracle_pose oracle_exp(const double *v, const double *w, long double s)
{
    long double m[4][4] = {{0, -(long double)w[2], (long double)w[1], (long double)v[0]},
                           {(long double)w[2], 0, -(long double)w[0], (long double)v[1]},
                           {-(long double)w[1], (long double)w[0], 0, (long double)v[2]},
                           {0, 0, 0, 0}};
    int halvings = 0;
    long double size = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            m[i][j] *= s;
            size += fabsl(m[i][j]);
        }
    for (; size > 0.01L && halvings < 60; halvings++)
        size /= 2;
    const long double scale = ldexpl(1, -halvings);
    long double sum[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    long double term[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int n = 1; n <= 12; n++) {
        long double next[4][4] = {{0}};
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                for (int k = 0; k < 4; k++)
                    next[i][j] += term[i][k] * m[k][j] * scale;
                next[i][j] /= n;
            }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                term[i][j] = next[i][j];
                sum[i][j] += next[i][j];
            }
    }
    oracle_pose p;
    for (int i = 0; i < 3; i++) {
        p.t[i] = sum[i][3];
        for (int j = 0; j < 3; j++)
            p.r[i][j] = sum[i][j];
    }
    for (; halvings; halvings--)
        p = oracle_compose(&p, &p);
    return p;
}

static inline oracle_pose oracle_from(const snt_pose *pose)
{
    oracle_pose p;
    const long double x = (long double)pose->q[0], y = (long double)pose->q[1], z = (long double)pose->q[2],
                      w = (long double)pose->q[3];
    const long double n = x * x + y * y + z * z + w * w;
    const long double r[3][3] = {
        {1 - 2 * (y * y + z * z) / n, 2 * (x * y - z * w) / n, 2 * (x * z + y * w) / n},
        {2 * (x * y + z * w) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - x * w) / n},
        {2 * (x * z - y * w) / n, 2 * (y * z + x * w) / n, 1 - 2 * (x * x + y * y) / n}};
    memcpy(p.r, r, sizeof r);
    for (int i = 0; i < 3; i++)
        p.t[i] = (long double)pose->t[i];
    return p;
}

static inline void oracle_apply(const oracle_pose *a, const double *in, long double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a->t[i] + a->r[i][0] * (long double)in[0] + a->r[i][1] * (long double)in[1] +
                 a->r[i][2] * (long double)in[2];
}

/* Rotation vector of a rotation by less than pi, for SLERP and screws of the oracle's own. */
static inline void oracle_log(const oracle_pose *a, double *w)
{
    const long double v[3] = {a->r[2][1] - a->r[1][2], a->r[0][2] - a->r[2][0], a->r[1][0] - a->r[0][1]};
    const long double sine = sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
    const long double cosine = (a->r[0][0] + a->r[1][1] + a->r[2][2] - 1) / 2;
    const long double angle = atan2l(sine, cosine);
    for (int i = 0; i < 3; i++)
        w[i] = (double)(sine > 0 ? v[i] / (2 * sine) * angle : 0);
}

static inline double oracle_distance(const long double *a, const float *b)
{
    long double d = 0;
    for (int i = 0; i < 3; i++)
        d += (a[i] - (long double)b[i]) * (a[i] - (long double)b[i]);
    return (double)sqrtl(d);
}

#endif
