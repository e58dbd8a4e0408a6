/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file frame_conventions.h
 * Which way axes point: REP-103 and REP-105 as functions.
 *
 * ROS speaks ENU (x east, y north, z up) and body frames with x forward, y left, z up; aerospace and marine sensors speak
 * NED (x north, y east, z down) and bodies with x forward, y right, z down (FRD); cameras have z forward, x right, y
 * down. Angles are radians, right-handed, about the named axis. Functions that need a sine or arc tangent use libm.
 */
#ifndef SENSORTIME_FRAME_CONVENTIONS_H
#define SENSORTIME_FRAME_CONVENTIONS_H

#include "pose.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A vector from ENU to NED axes or back, the map being its own inverse: (x, y, z) to (y, x, −z).
 *
 * @param      in  vector in the one [any unit]
 * @param[out] out vector in the other; may be `in`
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_enu_ned_vector(const double *in, double *out);

/**
 * A vector from body axes forward-left-up to forward-right-down or back: (x, y, z) to (x, −y, −z).
 *
 * @param      in  vector in the one [any unit]
 * @param[out] out vector in the other; may be `in`
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_flu_frd_vector(const double *in, double *out);

/**
 * An attitude "FLU body in ENU" from "FRD body in NED" or back: what an aerospace IMU reports, as ROS wants it.
 *
 * @param      in  unit quaternion x, y, z, w of the one
 * @param[out] out unit quaternion of the other; may be `in`
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_enu_ned_attitude(const double *in, double *out);

/**
 * Compass heading, clockwise from north, of an ENU yaw, counter-clockwise from east: pi/2 − yaw.
 *
 * @param yaw ENU yaw [rad]
 * @return heading in [0, 2 pi) [rad]; NaN for what is not finite
 * @thread P  @alloc never  @since 1.0
 */
SNT_API double snt_heading_from_yaw(double yaw);

/**
 * ENU yaw of a compass heading.
 *
 * @param heading clockwise from north [rad]
 * @return yaw in (−pi, pi] [rad]; NaN for what is not finite
 * @thread P  @alloc never  @since 1.0
 */
SNT_API double snt_yaw_from_heading(double heading);

/**
 * The same angle in (−pi, pi].
 *
 * @param angle any angle [rad]
 * @return the angle [rad]; NaN for what is not finite
 * @thread P  @alloc never  @since 1.0
 */
SNT_API double snt_angle_wrap(double angle);

/**
 * Rotation by roll about x, pitch about y and yaw about z, about fixed axes in this order (REP-103): Rz·Ry·Rx.
 *
 * @param      roll  about x [rad]
 * @param      pitch about y; positive takes the nose down, since y points left [rad]
 * @param      yaw   about z; positive turns left [rad]
 * @param[out] q     unit quaternion x, y, z, w
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NON_FINITE
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_rotation_from_rpy(double roll, double pitch, double yaw, double *q);

/**
 * Roll, pitch and yaw of a rotation.
 *
 * @param      q   unit quaternion x, y, z, w
 * @param[out] rpy roll in (−pi, pi], pitch in [−pi/2, pi/2], yaw in (−pi, pi] [rad]
 * @retval SNT_OK
 * @retval SNT_ERR_AMBIGUOUS nose straight up or down: only roll − yaw or their sum is known; roll is given as 0
 * @retval SNT_ERR_INVALID_ARG, SNT_ERR_NON_FINITE, SNT_ERR_BAD_QUATERNION
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_rotation_to_rpy(const double *q, double *rpy);

/**
 * T_link_optical: the rotation from a camera's optical axes (z forward, x right, y down) to its link's (x forward, y
 * left, z up).
 *
 * @param[out] pose quaternion (−0.5, 0.5, −0.5, 0.5), no translation
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_pose_link_from_optical(snt_pose *pose);

/** What a number is supposed to be, for snt_unit_check. */
enum {
    SNT_UNIT_ANGLE = 1,            /**< an angle [rad] */
    SNT_UNIT_ANGULAR_VELOCITY = 2, /**< a turn rate [rad/s] */
    SNT_UNIT_ACCELERATION = 3,     /**< the norm of an accelerometer at rest [m/s²] */
    SNT_UNIT_LENGTH = 4,           /**< the range of a terrestrial sensor or the size of a robot [m] */
    SNT_UNIT_MAGNETIC_FIELD = 5    /**< the norm of a magnetometer [T] */
};

/** What snt_unit_check suspects. */
enum {
    SNT_UNIT_PLAUSIBLE = 0,   /**< nothing speaks against the SI unit */
    SNT_UNIT_DEGREES = 1,     /**< looks like degrees or degrees per second */
    SNT_UNIT_G = 2,           /**< looks like multiples of standard gravity */
    SNT_UNIT_MILLIMETRES = 3, /**< looks like millimetres */
    SNT_UNIT_GAUSS = 4,       /**< looks like gauss */
    SNT_UNIT_MICROTESLA = 5,  /**< looks like microtesla */
    SNT_UNIT_IMPLAUSIBLE = 6  /**< no unit known here explains it */
};

/**
 * Whether a typical largest magnitude fits the SI unit REP-103 asks for, or betrays another. A suspicion, no proof.
 *
 * @param      quantity  SNT_UNIT_ANGLE and the like
 * @param      magnitude largest absolute value seen over a while (acceleration, field: the mean norm) [SI]
 * @param[out] verdict   SNT_UNIT_PLAUSIBLE or what it looks like
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NON_FINITE, SNT_ERR_RANGE (negative)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_unit_check(uint32_t quantity, double magnitude, uint32_t *verdict);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_FRAME_CONVENTIONS_H */
