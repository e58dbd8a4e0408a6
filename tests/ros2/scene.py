# SPDX-License-Identifier: BSD-3-Clause
"""What the robot drives and sees, in closed form: known to the talker and to the checks, not to the library."""

import numpy as np

SCAN_NS, SCANS, POINTS = 100_000_000, 15, 600
POINT_NS = 165_000
SWEEP_NS = (POINTS - 1) * POINT_NS
IMU_NS = 10_000_000
TF_NS, TF_LATE_NS = 20_000_000, 80_000_000
LAST_NS = SCANS * SCAN_NS + 200_000_000
TURN, SPEED, MOUNT = 0.8, 1.5, 0.3  # [rad/s, m/s, m]

DTYPE = np.dtype(
    {"names": ["x", "y", "z", "t", "ring"], "formats": ["<f4", "<f4", "<f4", "<u4", "<u2"],
     "offsets": [0, 4, 8, 12, 16], "itemsize": 18}
)  # fmt: skip

CLOCK_STEP_NS = 20_000_000
CLOCK_RUN = (10_000_000_000, 11_000_000_000)
CLOCK_PAUSE_S = 1.2
CLOCK_RUN_ON = (11_020_000_000, 11_500_000_000)
CLOCK_RESET = (3_000_000_000, 3_300_000_000)


def robot(seconds):
    """x, y, yaw in odom of a robot that drives in a circle."""
    yaw = TURN * seconds
    return SPEED / TURN * np.sin(yaw), SPEED / TURN * (1 - np.cos(yaw)), yaw


def landmarks():
    """What ray i hits, in odom."""
    angle = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)
    return np.stack([9 * np.cos(angle), 9 * np.sin(angle), 0.5 + angle / 10], axis=1)


def points(k):
    """Scan k: where the lidar saw the landmarks, each at its own time."""
    out = np.zeros(POINTS, DTYPE)
    out["t"] = np.arange(POINTS) * POINT_NS
    out["ring"] = np.arange(POINTS) % 16
    x, y, yaw = robot((k * SCAN_NS + out["t"].astype(np.int64)) * 1e-9)
    world = landmarks()
    dx, dy = world[:, 0] - x, world[:, 1] - y
    out["x"] = np.cos(yaw) * dx + np.sin(yaw) * dy - MOUNT
    out["y"] = -np.sin(yaw) * dx + np.cos(yaw) * dy
    out["z"] = world[:, 2]
    return out
