/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pose.h
 * Rigid poses and twists in double precision.
 *
 * Frames are written T_target_source: it takes coordinates given in `source` to coordinates in `target`, and chains
 * read T_map_base · T_base_lidar = T_map_lidar. Quaternions are x, y, z, w.
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

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_POSE_H */
