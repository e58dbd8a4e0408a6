# SPDX-License-Identifier: BSD-3-Clause
"""A robot as a process of its own: lidar, IMU, transforms that come late, and a simulator's /clock. Knows nothing of the
library under test. Says "ready" once, and stays until its standard input is closed."""

import array
import sys
import threading
import time

import numpy as np
import rclpy
import scene
from geometry_msgs.msg import TransformStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, PointCloud2, PointField
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage


def set_time(stamp, ns):
    stamp.sec, stamp.nanosec = divmod(ns, 10**9)


def cloud(start_ns, k):
    message = PointCloud2()
    message.header.frame_id = "lidar"
    set_time(message.header.stamp, start_ns + k * scene.SCAN_NS)
    types = (PointField.FLOAT32,) * 3 + (PointField.UINT32, PointField.UINT16)
    for name, offset, kind in zip(("x", "y", "z", "t", "ring"), (0, 4, 8, 12, 16), types):
        message.fields.append(PointField(name=name, offset=offset, datatype=kind, count=1))
    message.height, message.width = 1, scene.POINTS
    message.point_step, message.row_step = 18, 18 * scene.POINTS
    message.is_dense = True
    message.data = array.array("B", scene.points(k).tobytes())
    return message


def transform(parent, child, ns, x=0.0, y=0.0, yaw=0.0):
    out = TransformStamped()
    out.header.frame_id, out.child_frame_id = parent, child
    set_time(out.header.stamp, ns)
    out.transform.translation.x, out.transform.translation.y = float(x), float(y)
    out.transform.rotation.z, out.transform.rotation.w = float(np.sin(yaw / 2)), float(np.cos(yaw / 2))
    return TFMessage(transforms=[out])


def drive(publishers):
    """Publishes everything when it is due; the transforms late."""
    start = time.time_ns() + 100_000_000
    due = [(k * scene.SCAN_NS + scene.SWEEP_NS + 5_000_000, "points", k) for k in range(scene.SCANS)]
    due += [(i * scene.IMU_NS, "imu", i) for i in range(-10, scene.LAST_NS // scene.IMU_NS)]
    due += [(i * scene.TF_NS + scene.TF_LATE_NS, "tf", i) for i in range(-5, scene.LAST_NS // scene.TF_NS)]
    for when, what, i in sorted(due):
        time.sleep(max(0.0, (start + when - time.time_ns()) * 1e-9))
        if what == "points":
            publishers["points"].publish(cloud(start, i))
        elif what == "imu":
            message = Imu()
            message.header.frame_id = "imu"
            set_time(message.header.stamp, start + i * scene.IMU_NS)
            message.angular_velocity.z = scene.TURN
            message.linear_acceleration.z = 9.81
            publishers["imu"].publish(message)
        else:
            x, y, yaw = scene.robot(i * scene.TF_NS * 1e-9)
            publishers["tf"].publish(transform("odom", "base_link", start + i * scene.TF_NS, x, y, yaw))


def simulate(publisher):
    """/clock: runs, is paused without a word, runs on, is reset."""
    def run(first, last):
        for ns in range(first, last + 1, scene.CLOCK_STEP_NS):
            message = Clock()
            set_time(message.clock, ns)
            publisher.publish(message)
            time.sleep(scene.CLOCK_STEP_NS * 1e-9)

    run(*scene.CLOCK_RUN)
    time.sleep(scene.CLOCK_PAUSE_S)
    run(*scene.CLOCK_RUN_ON)
    run(*scene.CLOCK_RESET)


def main():
    rclpy.init()
    node = rclpy.create_node("robot")
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publishers = {
        "points": node.create_publisher(PointCloud2, "/points", qos_profile_sensor_data),
        "imu": node.create_publisher(Imu, "/imu", qos_profile_sensor_data),
        "tf": node.create_publisher(TFMessage, "/tf", 100),
        "tf_static": node.create_publisher(TFMessage, "/tf_static", latched),
        "map": node.create_publisher(Header, "/map", latched),
        "map_volatile": node.create_publisher(Header, "/map_volatile", 1),
        "clock": node.create_publisher(Clock, "/clock", 10),
    }
    # once, before anybody listens
    publishers["tf_static"].publish(transform("base_link", "lidar", 0, x=scene.MOUNT))
    for name in ("map", "map_volatile"):
        publishers[name].publish(Header(frame_id="the only one"))

    threads = []

    def on_command(message):
        work = {"drive": lambda: drive(publishers), "clock": lambda: simulate(publishers["clock"])}[message.frame_id]
        threads.append(threading.Thread(target=work, daemon=True))
        threads[-1].start()

    node.create_subscription(Header, "/command", on_command, 10)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    spinner = threading.Thread(target=executor.spin, daemon=True)
    spinner.start()
    print("ready", flush=True)
    sys.stdin.read()
    executor.shutdown()
    spinner.join(5)
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
