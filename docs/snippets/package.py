# SPDX-License-Identifier: BSD-3-Clause
"""docs/python.md: a cloud from bytes, deskewed by a gyroscope and a speed; a lookup and its refusal."""
import struct

import numpy as np

HEADER_NS, POINTS = 1_700_000_000_000_000_000, 1000


def serialized_cloud() -> bytes:
    """A sensor_msgs/PointCloud2 in CDR, as a subscription with raw=True hands it out."""
    out = bytearray(b"\0\1\0\0")

    def put(form, *values):
        size = struct.calcsize(form)
        out.extend(b"\0" * (-(len(out) - 4) % min(size, 4)))
        out.extend(struct.pack("<" + form, *values))

    def text(value):
        put("I", len(value) + 1)
        out.extend(value.encode() + b"\0")

    points = np.zeros(POINTS, [("x", "f4"), ("y", "f4"), ("z", "f4"), ("t", "u4")])
    points["x"], points["t"] = 5.0, np.arange(POINTS) * 100_000
    put("i", HEADER_NS // 10**9)
    put("I", HEADER_NS % 10**9)
    text("lidar")
    for value in (1, POINTS, 4):
        put("I", value)
    for i, name in enumerate("xyzt"):
        text(name)
        put("I", 4 * i)
        put("B", 6 if name == "t" else 7)
        put("I", 1)
    put("B", 0)
    for value in (16, 16 * POINTS, 16 * POINTS):
        put("I", value)
    out.extend(points.tobytes() + b"\1")
    return bytes(out)


raw = serialized_cloud()
stamps_ns = HEADER_NS + np.arange(-10, 31) * 5_000_000  # a gyroscope at 200 Hz, turning at 0.5 rad/s
rates = np.tile([0.0, 0.0, 0.5], (stamps_ns.size, 1))
stamp_ns, qz, qw = HEADER_NS, 0.0, 1.0

# [cloud]
import sensortime as st

cloud = st.PointCloud.from_ros(raw)  # raw bytes of a sensor_msgs/PointCloud2
print(cloud.layout)  # which field is the time, its unit, what the header means, and why
out = st.deskew(cloud, imu=(stamps_ns, rates), velocity=(2, 0, 0), reference="end")
x, y, z = out.xyz
print(f"{out.error_bound(range_m=100):.1e} m at 100 m")
# [cloud]

# [lookup]
tf = st.TransformBuffer()
tf.insert("odom", "lidar", stamp_ns, (4, 2, 0), (0, 0, qz, qw))
try:
    pose = tf.lookup("odom", "lidar", stamp_ns + 12_000_000)
except st.errors.FutureError as error:
    print(error.edge, error.asked - error.newest, "ns short")
# [lookup]
assert len(x) == POINTS and abs(y[0] + 5 * np.sin(0.05) - 0.2 * np.sin(0.025)) < 1e-3, y[0]
