/* SPDX-License-Identifier: BSD-3-Clause */
#include "pose_math.h"

_Static_assert(sizeof(snt_pose) == 56, "frozen");
_Static_assert(sizeof(snt_twist) == 48, "frozen");

static const double pose_tolerance_default = 0.01; /* tf2's QUATERNION_NORMALIZATION_TOLERANCE */

void snt_pose_identity(snt_pose *out)
{
    if (out)
        *out = (snt_pose){{0, 0, 0, 1}, {0, 0, 0}};
}

static snt_status pose_check_quaternion(const double *q, double tolerance)
{
    if (!(tolerance >= 0) || !snt__is_finite(tolerance))
        return SNT_ERR_INVALID_ARG;
    if (tolerance == 0)
        tolerance = pose_tolerance_default;
    if (!snt__all_finite(q, 4))
        return SNT_ERR_NON_FINITE;
    const double off = snt__dot4(q, q) - 1;
    return off <= tolerance && off >= -tolerance ? SNT_OK : SNT_ERR_BAD_QUATERNION;
}

snt_status snt_pose_check(const snt_pose *pose, double tolerance)
{
    if (!pose)
        return SNT_ERR_INVALID_ARG;
    if (!snt__all_finite(pose->t, 3))
        return SNT_ERR_NON_FINITE;
    return pose_check_quaternion(pose->q, tolerance);
}

snt_status snt_quaternion_normalise(const double *q, double tolerance, double *out)
{
    if (!q || !out)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = pose_check_quaternion(q, tolerance);
    if (status < 0)
        return status;
    double unit[4] = {q[0], q[1], q[2], q[3]};
    snt__quat_renormalise(unit);
    if (!(snt__dot4(unit, unit) > 0.5)) /* tolerances of 1 and more let in what has no direction */
        return SNT_ERR_BAD_QUATERNION;
    snt__quat_canonical(unit);
    memcpy(out, unit, sizeof unit);
    return SNT_OK;
}

void snt_pose_compose(const snt_pose *a_b, const snt_pose *b_c, snt_pose *a_c)
{
    if (!a_b || !b_c || !a_c)
        return;
    snt_pose out;
    snt__pose_compose(a_b, b_c, &out);
    *a_c = out;
}

void snt_pose_inverse(const snt_pose *a_b, snt_pose *b_a)
{
    if (!a_b || !b_a)
        return;
    snt_pose out;
    snt__pose_inverse(a_b, &out);
    *b_a = out;
}

void snt_pose_between(const snt_pose *a_b, const snt_pose *a_c, snt_pose *b_c)
{
    if (!a_b || !a_c || !b_c)
        return;
    snt_pose out;
    snt__pose_between(a_b, a_c, &out);
    *b_c = out;
}

static snt_status pose_check_strides(const void *pose, const void *in, uint64_t *in_stride, const void *out,
                                     uint64_t *out_stride, uint64_t n, uint64_t size)
{
    if (*in_stride == 0)
        *in_stride = size;
    if (*out_stride == 0)
        *out_stride = size;
    if (!pose || (n && (!in || !out)) || *in_stride < size || *out_stride < size)
        return SNT_ERR_INVALID_ARG;
    return SNT_OK;
}

/* Coordinates are copied with memcpy: strides of packed records need not keep their alignment. */
static void pose_map_f64(const double *m, const double *t, const unsigned char *in, uint64_t in_stride,
                         unsigned char *out, uint64_t out_stride, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++, in += in_stride, out += out_stride) {
        double p[3], r[3];
        memcpy(p, in, sizeof p);
        for (int k = 0; k < 3; k++)
            r[k] = (m[3 * k] * p[0] + m[3 * k + 1] * p[1]) + (m[3 * k + 2] * p[2] + t[k]);
        memcpy(out, r, sizeof r);
    }
}

snt_status snt_pose_apply_points(const snt_pose *pose, const void *in, uint64_t in_stride, void *out,
                                 uint64_t out_stride, uint64_t n)
{
    const snt_status status =
        pose_check_strides(pose, in, &in_stride, out, &out_stride, n, 3 * sizeof(double));
    if (status < 0)
        return status;
    double m[9];
    snt_rotation_matrix(pose->q, m);
    pose_map_f64(m, pose->t, in, in_stride, out, out_stride, n);
    return SNT_OK;
}

snt_status snt_pose_rotate_vectors(const snt_pose *pose, const void *in, uint64_t in_stride, void *out,
                                   uint64_t out_stride, uint64_t n)
{
    const snt_status status =
        pose_check_strides(pose, in, &in_stride, out, &out_stride, n, 3 * sizeof(double));
    if (status < 0)
        return status;
    static const double zero[3] = {0, 0, 0};
    double m[9];
    snt_rotation_matrix(pose->q, m);
    pose_map_f64(m, zero, in, in_stride, out, out_stride, n);
    return SNT_OK;
}

snt_status snt_pose_apply_points_f32(const snt_pose *pose, const void *in, uint64_t in_stride, void *out,
                                     uint64_t out_stride, uint64_t n)
{
    const snt_status status =
        pose_check_strides(pose, in, &in_stride, out, &out_stride, n, 3 * sizeof(float));
    if (status < 0)
        return status;
    double m[9];
    snt_rotation_matrix(pose->q, m);
    const double *t = pose->t;
    const unsigned char *from = in;
    unsigned char *to = out;
    for (uint64_t i = 0; i < n; i++, from += in_stride, to += out_stride) {
        float p[3], r[3];
        memcpy(p, from, sizeof p);
        for (int k = 0; k < 3; k++)
            r[k] = (float)((m[3 * k] * (double)p[0] + m[3 * k + 1] * (double)p[1]) +
                           (m[3 * k + 2] * (double)p[2] + t[k]));
        memcpy(to, r, sizeof r);
    }
    return SNT_OK;
}

snt_status snt_pose_interpolate(const snt_pose *a, const snt_pose *b, double s, uint32_t method,
                                snt_pose *out)
{
    if (!a || !b || !out || method > SNT_INTERPOLATE_SCREW)
        return SNT_ERR_INVALID_ARG;
    if (!snt__is_finite(s))
        return SNT_ERR_NON_FINITE;
    snt_pose result;
    if (s == 0 || (method == SNT_INTERPOLATE_HOLD && s < 1) ||
        (method == SNT_INTERPOLATE_NEAREST && s < 0.5)) {
        result = *a;
    } else if (s == 1 || method == SNT_INTERPOLATE_HOLD || method == SNT_INTERPOLATE_NEAREST) {
        result = *b;
    } else if (method == SNT_INTERPOLATE_SCREW) {
        snt__pose_screw(a, b, s, &result);
    } else if (s > 0 && s < 1) {
        snt__pose_lerp(a, b, s, &result);
    } else { /* the series holds between the ends only */
        snt_pose between;
        double w[3], q[4];
        snt__pose_between(a, b, &between);
        snt__rotation_log(between.q, w);
        for (int i = 0; i < 3; i++) {
            w[i] *= s;
            result.t[i] = a->t[i] + s * (b->t[i] - a->t[i]);
        }
        snt__rotation_exp(w, q);
        snt__quat_mul(a->q, q, result.q);
    }
    *out = result;
    return SNT_OK;
}

void snt_twist_transform(const snt_pose *target_source, const snt_twist *in, snt_twist *out)
{
    if (!target_source || !in || !out)
        return;
    snt_twist r;
    double lever[3];
    snt__quat_rotate(target_source->q, in->w, r.w);
    snt__quat_rotate(target_source->q, in->v, r.v);
    snt__cross(target_source->t, r.w, lever);
    for (int i = 0; i < 3; i++)
        r.v[i] += lever[i];
    *out = r;
}

void snt_twist_rotate(const double *q, const snt_twist *in, snt_twist *out)
{
    if (!q || !in || !out)
        return;
    snt_twist r;
    snt__quat_rotate(q, in->v, r.v);
    snt__quat_rotate(q, in->w, r.w);
    *out = r;
}

void snt_twist_shift(const snt_twist *in, const double *r, snt_twist *out)
{
    if (!in || !r || !out)
        return;
    snt_twist moved = *in;
    double lever[3];
    snt__cross(in->w, r, lever);
    for (int i = 0; i < 3; i++)
        moved.v[i] += lever[i];
    *out = moved;
}

void snt_rotation_matrix(const double *q, double *m)
{
    if (!q || !m)
        return;
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                         2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                         2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(m, r, sizeof r);
}

snt_status snt_rotation_from_matrix(const double *m, double *q)
{
    if (!m || !q)
        return SNT_ERR_INVALID_ARG;
    if (!snt__all_finite(m, 9))
        return SNT_ERR_NON_FINITE;
    double off = 0, cross[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double d = snt__dot3(m + 3 * i, m + 3 * j) - (i == j ? 1 : 0);
            off = fabs(d) > off ? fabs(d) : off;
        }
    }
    snt__cross(m, m + 3, cross);
    if (!(off <= 1e-6) || !(snt__dot3(cross, m + 6) > 0))
        return SNT_ERR_RANGE;
    /* The largest of the four squares is the one to take the root of. */
    const double d[4] = {1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8],
                         1 + m[0] + m[4] + m[8]};
    int k = 3;
    for (int i = 0; i < 3; i++)
        if (d[i] > d[k])
            k = i;
    const double xy = m[1] + m[3], xz = m[2] + m[6], yz = m[5] + m[7];
    const double wx = m[7] - m[5], wy = m[2] - m[6], wz = m[3] - m[1];
    const double rows[4][4] = {
        {d[0], xy, xz, wx}, {xy, d[1], yz, wy}, {xz, yz, d[2], wz}, {wx, wy, wz, d[3]}};
    double unit[4];
    const double scale = 1 / snt__sqrt(snt__dot4(rows[k], rows[k]));
    for (int i = 0; i < 4; i++)
        unit[i] = rows[k][i] * scale;
    snt__quat_canonical(unit);
    memcpy(q, unit, sizeof unit);
    return SNT_OK;
}
