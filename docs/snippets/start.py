# SPDX-License-Identifier: BSD-3-Clause
"""The Python program of docs/start.md."""
# [all]
import numpy as np
import sensortime as st

# a scan of 0.1 s: 1000 points of a wall 5 m ahead, each with its time after the header
points = np.zeros(1000, [("x", "f4"), ("y", "f4"), ("z", "f4"), ("t", "u4")])
points["t"] = np.arange(1000) * 100_000
drive, points["y"] = 2.0 * points["t"] * 1e-9, np.linspace(-1, 1, 1000)
points["x"] = 5.0 - drive  # the robot drives towards it at 2 m/s

cloud = st.PointCloud.from_numpy(points, stamp_ns=1_700_000_000_000_000_000)
print(cloud.layout)  # which field is the time, its unit, what the header means

out = st.deskew(cloud, twist=((2, 0, 0), (0, 0, 0)), reference="start")
print(f"wall at {points['x'].min():.3f} … {points['x'].max():.3f} m before, "
      f"{out.xyz[0].min():.3f} … {out.xyz[0].max():.3f} m after; wrong by at most {out.error_bound(10) * 1e6:.1f} µm")  # fmt: skip
# [all]
