# SPDX-License-Identifier: BSD-3-Clause
"""Small recordings for tests, written with rosbags."""

import numpy as np
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

S = 1_000_000_000
MS = 1_000_000
START = 1_700_000_000 * S
ROS2 = get_typestore(Stores.ROS2_JAZZY)
ROS1 = get_typestore(Stores.ROS1_NOETIC)


def header(store, stamp_ns, frame="lidar"):
    sec, nanosec = divmod(int(stamp_ns), S)
    time = store.types["builtin_interfaces/msg/Time"](sec, nanosec)
    if store is ROS1:
        return store.types["std_msgs/msg/Header"](0, time, frame)
    return store.types["std_msgs/msg/Header"](time, frame)


def imu(store, stamp_ns):
    kinds = store.types
    zero = kinds["geometry_msgs/msg/Vector3"](0.0, 0.0, 0.1)
    turn = kinds["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0)
    nothing = np.zeros(9)
    return kinds["sensor_msgs/msg/Imu"](header(store, stamp_ns, "imu"), turn, nothing, zero, nothing, zero, nothing)


def cloud(store, stamp_ns, points, fields, point_step, big_endian=False, width=None, height=1, row_step=None):
    """`fields`: (name, offset, datatype, count); `points`: the bytes."""
    field = store.types["sensor_msgs/msg/PointField"]
    data = np.frombuffer(bytes(points), np.uint8)
    width = len(data) // point_step if width is None else width
    row_step = point_step * width if row_step is None else row_step
    return store.types["sensor_msgs/msg/PointCloud2"](
        header(store, stamp_ns), height, width, [field(*f) for f in fields], big_endian, point_step, row_step, data, True
    )


def laserscan(store, stamp_ns, rays=100, time_increment=1e-4, scan_time=0.05):
    ranges = np.ones(rays, np.float32)
    return store.types["sensor_msgs/msg/LaserScan"](
        header(store, stamp_ns), 0.0, 1.0, 0.01, time_increment, scan_time, 0.1, 30.0, ranges, np.zeros(0, np.float32)
    )


def write2(folder, messages, storage="mcap", compressed=False):
    """`messages`: (topic, type, log time, message or raw bytes). The path of the storage file."""
    plugin = {"mcap": StoragePlugin.MCAP, "db3": StoragePlugin.SQLITE3}[storage]
    made = Writer(folder, version=9, storage_plugin=plugin)
    if compressed:
        made.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with made as writer:
        known = {}
        for topic, kind, log_ns, message in messages:
            if topic not in known:
                known[topic] = writer.add_connection(topic, kind, typestore=ROS2)
            raw = message if isinstance(message, bytes) else ROS2.serialize_cdr(message, kind)
            writer.write(known[topic], int(log_ns), raw)
    return folder / f"{folder.name}.{storage}"


def write1(path, messages):
    """A ROS 1 bag."""
    with Writer1(path) as writer:
        known = {}
        for topic, kind, log_ns, message in messages:
            if topic not in known:
                known[topic] = writer.add_connection(topic, kind, typestore=ROS1)
            raw = message if isinstance(message, bytes) else ROS1.serialize_ros1(message, kind)
            writer.write(known[topic], int(log_ns), raw)
    return path


def imu_messages(count=200, store=ROS2, topic="/imu", delay=2 * MS):
    return [
        (topic, "sensor_msgs/msg/Imu", START + k * 10 * MS + delay, imu(store, START + k * 10 * MS)) for k in range(count)
    ]
