// SPDX-License-Identifier: BSD-3-Clause
// What the talker does and the listener may check against: one drive of twelve seconds, given in closed form.
//
// Times are nanoseconds after the start of the drive unless they say "device". The lidar stamps with a clock of its own
// that booted 4000 s before and is 500 ppm fast; everything else is stamped by the host.
#ifndef SCENARIO_H
#define SCENARIO_H

#include <cmath>
#include <cstdint>

namespace scenario
{

constexpr int64_t ms = 1000000;
constexpr int64_t period = 100 * ms; // of scans (device clock) and images (host clock)
constexpr int scans = 120, images = 120, points = 1000;

/* ---- the lidar's clock ---- */

constexpr int64_t device_boot = 4000000 * ms;
constexpr int64_t rate_ppm = 500;

inline int64_t host_of_device(int64_t device)
{
    return static_cast<int64_t>(static_cast<double>(device - device_boot) / (1 + rate_ppm * 1e-6));
}

inline int64_t device_of_host(int64_t host)
{
    return device_boot + host + host * rate_ppm / 1000000;
}

inline int64_t scan_begin_device(int k)
{
    return device_boot + k * period;
}

constexpr int64_t point_step_ns = 99000; // the last of 1000 points is 98.901 ms after the header
constexpr int64_t sweep = (points - 1) * point_step_ns;

/* ---- transforms: 50 Hz, 60 ms late, and none at all for 0.9 s ---- */

constexpr int64_t tf_period = 20 * ms, tf_delay = 60 * ms;
constexpr int tf_samples = 620;
constexpr int64_t silence_begin = 5050 * ms, silence_end = 5950 * ms;

inline bool silent(int64_t t)
{
    return t > silence_begin && t < silence_end;
}

/** Scans that overlap the silence: 50 to 59, by a margin of 40 ms. */
inline bool in_silence(int k)
{
    return k >= 50 && k <= 59;
}

/* ---- images: exposed in the middle of a scan, one in seven lost ---- */

inline int64_t image_time(int j)
{
    return j * period + 53 * ms;
}

inline bool image_lost(int j)
{
    return j % 7 == 3;
}

/* ---- the second lidar: stamped by the host, and never well ---- */

constexpr int unmounted = 10; // its frame has no transform

/* ---- how the robot drives, and what it sees ---- */

constexpr double speed = 1.0, turn = 0.5; // [m/s, rad/s]

struct planar {
    double x, y, yaw;
};

inline planar robot(double seconds)
{
    const double yaw = turn * seconds;
    return {speed / turn * std::sin(yaw), speed / turn * (1 - std::cos(yaw)), yaw};
}

constexpr double mount_x = 0.4, mount_z = 1.2; // the lidar on the robot

struct spot {
    double x, y, z;
};

/** What ray i hits, in the world. */
inline spot landmark(int i)
{
    const double angle = 2 * 3.14159265358979323846 * i / points;
    return {12 * std::cos(angle), 12 * std::sin(angle), 0.002 * i};
}

/** A place in the world as the lidar sees it from the robot's pose. */
inline spot seen_from(const planar &pose, const spot &world)
{
    const double dx = world.x - pose.x, dy = world.y - pose.y;
    const double c = std::cos(pose.yaw), s = std::sin(pose.yaw);
    return {c * dx + s * dy - mount_x, -s * dx + c * dy, world.z - mount_z};
}

} // namespace scenario

#endif
