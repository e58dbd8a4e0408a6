/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pose.h
 * Rigid poses and twists in double precision.
 *
 * Frames are written T_target_source: it takes coordinates given in `source` to coordinates in `target`, and chains
 * read T_map_base · T_base_lidar = T_map_lidar. Quaternions are x, y, z, w.
 *
 * Nothing here calls libm except through the exactly rounded square root: the same bits come out of the same input on
 * every machine with IEEE doubles, so a replay does not depend on the C library. Outputs may be the same object as an
 * input. Inputs are not checked unless the function says so: NaN in, NaN out.
 */
#ifndef SENSORTIME_POSE_H
#define SENSORTIME_POSE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Rigid transform: p_target = R(q)·p_source + t. 56 bytes, frozen. */
typedef struct snt_pose {
    double q[4]; /**< unit quaternion x, y, z, w */
    double t[3]; /**< translation [m] */
} snt_pose;

/** Velocity of a frame. Which frame it is expressed in is said by the function that gives or takes it. */
typedef struct snt_twist {
    double v[3]; /**< linear [m/s] */
    double w[3]; /**< angular [rad/s] */
} snt_twist;

/** How a pose between two samples is made. */
enum {
    SNT_INTERPOLATE_DEFAULT = 0, /**< what the edge or handle declares; else SNT_INTERPOLATE_LINEAR */
    SNT_INTERPOLATE_HOLD = 1,    /**< the older sample */
    SNT_INTERPOLATE_NEAREST = 2, /**< the nearer sample; halfway, the newer */
    SNT_INTERPOLATE_LINEAR = 3,  /**< SLERP on the shorter arc and a straight line */
    SNT_INTERPOLATE_SCREW = 4    /**< constant body twist; exact for constant velocity and turn rate */
};

/**
 * The identity pose.
 *
 * @param[out] out q = (0, 0, 0, 1), t = 0; NULL does nothing
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_pose_identity(snt_pose *out);

/**
 * Whether the numbers are a pose: all finite and a quaternion of unit length.
 *
 * @param pose      what to check
 * @param tolerance largest |norm² − 1| that passes; 0 means 0.01, tf2's limit
 * @retval SNT_OK, SNT_ERR_NON_FINITE, SNT_ERR_BAD_QUATERNION, SNT_ERR_INVALID_ARG (NULL, negative tolerance)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_pose_check(const snt_pose *pose, double tolerance);

/**
 * Bring a nearly unit quaternion to unit length with w >= 0. One that is unit already keeps its bits but for the sign.
 *
 * @param      q         x, y, z, w
 * @param      tolerance largest |norm² − 1| that passes; 0 means 0.01
 * @param[out] out       the unit quaternion, untouched on failure
 * @retval SNT_OK, SNT_ERR_NON_FINITE, SNT_ERR_BAD_QUATERNION, SNT_ERR_INVALID_ARG
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_quaternion_normalise(const double *q, double tolerance, double *out);

/**
 * T_a_c = T_a_b · T_b_c.
 *
 * @param      a_b left factor
 * @param      b_c right factor
 * @param[out] a_c the product
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_pose_compose(const snt_pose *a_b, const snt_pose *b_c, snt_pose *a_c);

/**
 * T_b_a from T_a_b.
 *
 * @param      a_b a pose
 * @param[out] b_a its inverse
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_pose_inverse(const snt_pose *a_b, snt_pose *b_a);

/**
 * T_b_c = T_a_b⁻¹ · T_a_c: the motion from one pose to another, seen from the first.
 *
 * @param      a_b the first pose
 * @param      a_c the second pose
 * @param[out] b_c the second seen from the first
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_pose_between(const snt_pose *a_b, const snt_pose *a_c, snt_pose *b_c);

/**
 * Take points to another frame: out = R·in + t. In place is allowed when pointers and strides are equal.
 *
 * @param      pose       T_target_source
 * @param      in         first x of `n` points x, y, z in source coordinates [m]
 * @param      in_stride  bytes from point to point; 0 = 24
 * @param[out] out        first x of the results in target coordinates [m]
 * @param      out_stride bytes from point to point; 0 = 24
 * @param      n          number of points; O(n)
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL with n > 0, or a stride below 24)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_pose_apply_points(const snt_pose *pose, const void *in, uint64_t in_stride, void *out,
                                         uint64_t out_stride, uint64_t n);

/**
 * As snt_pose_apply_points for float coordinates (strides default to 12); computed in double, rounded once.
 *
 * @param      pose       T_target_source
 * @param      in         first x of `n` float points
 * @param      in_stride  bytes from point to point; 0 = 12
 * @param[out] out        first x of the results
 * @param      out_stride bytes from point to point; 0 = 12
 * @param      n          number of points; O(n)
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL with n > 0, or a stride below 12)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_pose_apply_points_f32(const snt_pose *pose, const void *in, uint64_t in_stride,
                                             void *out, uint64_t out_stride, uint64_t n);

/**
 * Rotate free vectors (velocities, normals, accelerations): out = R·in, without the translation.
 *
 * @param      pose       T_target_source
 * @param      in         first x of `n` vectors x, y, z in source axes
 * @param      in_stride  bytes from vector to vector; 0 = 24
 * @param[out] out        the same vectors in target axes
 * @param      out_stride bytes from vector to vector; 0 = 24
 * @param      n          number of vectors; O(n)
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL with n > 0, or a stride below 24)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_pose_rotate_vectors(const snt_pose *pose, const void *in, uint64_t in_stride,
                                           void *out, uint64_t out_stride, uint64_t n);

/**
 * The pose at fraction `s` of the way from `a` to `b`. Both ends are met exactly.
 *
 * @param      a      pose at s = 0
 * @param      b      pose at s = 1
 * @param      s      fraction; beyond [0, 1] LINEAR and SCREW extrapolate, the others take an end
 * @param      method SNT_INTERPOLATE_*; the default is LINEAR
 * @param[out] out    the pose, untouched on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL, unknown method), SNT_ERR_NON_FINITE (`s`)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_pose_interpolate(const snt_pose *a, const snt_pose *b, double s, uint32_t method,
                                        snt_pose *out);

/**
 * Rotation by a vector: exponential map of SO(3).
 *
 * @param      rotation axis times angle [rad]
 * @param[out] q        unit quaternion x, y, z, w
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_rotation_exp(const double *rotation, double *q);

/**
 * The rotation vector of a quaternion, of length 0..pi: logarithm of SO(3).
 *
 * @param      q        unit quaternion x, y, z, w; q and −q give the same
 * @param[out] rotation axis times angle [rad]
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_rotation_log(const double *q, double *rotation);

/**
 * The pose reached by moving for `seconds` with a constant body twist: exponential map of SE(3).
 *
 * @param      twist   velocity in the moving frame's own axes
 * @param      seconds how long
 * @param[out] out     T_start_end
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_pose_exp(const snt_twist *twist, double seconds, snt_pose *out);

/**
 * The constant body twist that reaches a pose in `seconds`: logarithm of SE(3), turning by at most pi.
 *
 * @param      start_end T_start_end
 * @param      seconds   how long; not 0
 * @param[out] twist     velocity in the moving frame's own axes
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_pose_log(const snt_pose *start_end, double seconds, snt_twist *twist);

/**
 * The adjoint: a twist about `source`'s origin in source axes, seen about `target`'s origin in target axes
 * (w' = R·w, v' = R·v + t × w'). It takes a body twist to the spatial one.
 *
 * @param      target_source T_target_source
 * @param      in            twist in source
 * @param[out] out           the same motion in target
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_twist_transform(const snt_pose *target_source, const snt_twist *in, snt_twist *out);

/**
 * Express a twist in other axes without moving its reference point: v' = R·v, w' = R·w.
 *
 * @param      q   rotation from the old axes to the new ones
 * @param      in  twist in old axes
 * @param[out] out twist in new axes
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_twist_rotate(const double *q, const snt_twist *in, snt_twist *out);

/**
 * The twist of another point of the same rigid body: v' = v + w × r.
 *
 * @param      in    twist of the old point
 * @param      r     from the old to the new point, in the twist's axes [m]
 * @param[out] out   twist of the new point
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_twist_shift(const snt_twist *in, const double *r, snt_twist *out);

/**
 * Rotation matrix of a unit quaternion.
 *
 * @param      q unit quaternion x, y, z, w
 * @param[out] m nine numbers, row by row
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_rotation_matrix(const double *q, double *m);

/**
 * Unit quaternion of a rotation matrix.
 *
 * @param      m nine numbers, row by row: orthonormal, determinant +1, within 1e-6
 * @param[out] q unit quaternion with w >= 0, untouched on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NON_FINITE, SNT_ERR_RANGE (mirrored, scaled or sheared)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_rotation_from_matrix(const double *m, double *q);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_POSE_H */
