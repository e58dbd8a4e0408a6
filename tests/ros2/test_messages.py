# SPDX-License-Identifier: BSD-3-Clause
"""Clouds, IMU and transforms of a real ROS 2, as the bytes that came over the wire."""

import ctypes
import time

import numpy as np
import pytest
import scene
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import Imu, PointCloud2
from tf2_msgs.msg import TFMessage

import sensortime as st
from sensortime import abi, lib


class Drive:
    """What one drive brought: raw bytes, and what the transform buffer said when a scan came."""

    def __init__(self, listener):
        self.clouds, self.imus, self.tfs, self.static, self.early = [], [], [], [], []
        self.tf = st.TransformBuffer()
        node = listener.node
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        # [subscribe]
        node.create_subscription(PointCloud2, "/points", self.on_cloud, qos_profile_sensor_data, raw=True)
        node.create_subscription(Imu, "/imu", self.imus.append, qos_profile_sensor_data, raw=True)
        node.create_subscription(TFMessage, "/tf", self.on_tf, 100, raw=True)
        node.create_subscription(TFMessage, "/tf_static", self.on_static, latched, raw=True)
        # [subscribe]
        # the transforms before the drive must be there when it begins
        assert listener.until(lambda: self.static and node.count_publishers("/tf"), 20)
        listener.spin(0.5)
        listener.tell("drive")
        enough = scene.LAST_NS // scene.TF_NS + 5  # and five from before the drive
        listener.until(lambda: len(self.tfs) >= enough and len(self.clouds) >= scene.SCANS, 15)

    # [on_cloud]
    def on_cloud(self, raw):
        cloud = st.PointCloud.from_ros(raw)  # a view of the bytes: nothing is deserialized
        self.clouds.append((time.time_ns(), raw, cloud))
        try:
            self.tf.lookup("odom", "lidar", cloud.stamp_ns + scene.SWEEP_NS)
            self.early.append(None)
        except st.SensorTimeError as error:
            self.early.append(error)  # which edge, what is missing, when it is due

    def on_tf(self, raw):
        self.tfs.append(raw)
        assert self.tf.insert_message(raw) == 1
    # [on_cloud]

    def on_static(self, raw):
        self.static.append(raw)
        assert self.tf.insert_message(raw, static=True) == 1


@pytest.fixture(scope="module")
def drive(request, robot):
    import rclpy
    from conftest import Listener

    rclpy.init()
    listener = Listener()
    made = Drive(listener)
    yield made
    listener.executor.shutdown()
    listener.node.destroy_node()
    rclpy.shutdown()


def test_everything_that_was_sent_came(drive):
    # best effort may lose some under load, never most; /tf is reliable
    assert len(drive.tfs) == scene.LAST_NS // scene.TF_NS + 5
    assert scene.SCANS // 2 < len(drive.clouds) <= scene.SCANS
    assert len(drive.imus) > 50


def test_the_view_of_a_cloud_is_what_ros_reads(drive):
    for _, raw, cloud in drive.clouds:
        message = deserialize_message(raw, PointCloud2)
        assert cloud.stamp_ns == message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        assert (cloud.view.width, cloud.view.height) == (message.width, message.height)
        assert cloud.points.tobytes() == bytes(message.data)
        for seen, field in zip(cloud.fields(), message.fields):
            name = ctypes.string_at(seen.name.data, seen.name.size).decode()
            assert (name, seen.offset, seen.datatype, seen.count) == (field.name, field.offset, field.datatype, field.count)


def test_points_are_read_where_they_came(drive):
    _, raw, cloud = drive.clouds[0]
    begin = ctypes.cast(ctypes.c_char_p(raw), ctypes.c_void_p).value
    assert begin <= cloud.xyz[0].ctypes.data < begin + len(raw)


def test_the_layout_is_found_from_the_scans(drive):
    layout = st.detect_layout([c for *_, c in drive.clouds], receive_ns=[r for r, *_ in drive.clouds])
    assert layout.has_time and layout.time_name == "t" and layout.unit == "ns"
    assert layout.header_role == "scan start" and layout.ring_name == "ring"


def test_the_view_of_an_imu_is_what_ros_reads(drive):
    view, error = abi.snt_imu_view(), abi.snt_message_error()
    for raw in drive.imus:
        assert lib.snt_imu_view_parse(abi.SNT_ENCODING_CDR, raw, len(raw), ctypes.byref(view), ctypes.byref(error)) == 0
        message = deserialize_message(raw, Imu)
        assert view.header.stamp_ns == message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        assert view.angular_velocity[2] == message.angular_velocity.z == scene.TURN
        assert view.linear_acceleration[2] == message.linear_acceleration.z
        assert ctypes.string_at(view.header.frame_id.data, view.header.frame_id.size) == b"imu"


def test_a_scan_comes_before_its_transforms_and_the_refusal_says_when_they_are_due(drive):
    late = [e for e in drive.early if e is not None]
    assert len(late) > len(drive.early) // 2
    seen = 0
    for error in late:
        assert isinstance(error, (st.errors.FutureError, st.errors.NotFoundError, st.errors.NotConnectedError))
        if isinstance(error, st.errors.FutureError) and error.period_ns:
            seen += 1
            assert error.edge == "odom→base_link" and not error.permanent
            assert error.asked > error.newest and error.next_due > error.newest
            assert abs(error.period_ns - scene.TF_NS) < 2e6
    assert seen > 0


def test_transforms_answer_once_they_are_there(drive):
    start = drive.clouds[0][2].stamp_ns
    first = drive.tf.lookup("odom", "base_link", start)
    for _, _, cloud in drive.clouds:
        k = round((cloud.stamp_ns - start) / scene.SCAN_NS)
        answer = drive.tf.lookup("odom", "base_link", cloud.stamp_ns)
        yaw = 2 * np.arctan2(answer.rotation[2], answer.rotation[3])
        turned = yaw - 2 * np.arctan2(first.rotation[2], first.rotation[3])
        assert abs(np.remainder(turned - scene.TURN * k * scene.SCAN_NS * 1e-9 + np.pi, 2 * np.pi) - np.pi) < 1e-6


def test_points_deskewed_over_the_wire_lie_where_they_hit(drive):
    world, checked = scene.landmarks(), 0
    layout = st.detect_layout([c for *_, c in drive.clouds])
    for _, _, cloud in drive.clouds:
        cloud.layout = layout
        begin, end = cloud.stamp_ns, cloud.stamp_ns + scene.SWEEP_NS
        knots = np.arange(begin - 10_000_000, end + 10_000_000, 2_000_000)
        poses, statuses = drive.tf.path("odom", "lidar").lookup_many(knots)
        assert (statuses == 0).all()
        flat = st.deskew(cloud, poses=(knots, poses), reference="end")
        answer = drive.tf.lookup("odom", "lidar", end)

        def miss(points):
            xyz = np.stack([points[c].astype(np.float64) for c in "xyz"], axis=1)
            there = xyz @ answer.matrix[:3, :3].T + answer.matrix[:3, 3]
            return np.linalg.norm(there - world, axis=1).max()

        assert miss(cloud.points) > 0.5  # up to 0.1 s of driving and turning
        assert miss(flat.points) < 0.001
        checked += 1
    assert checked == len(drive.clouds)


def test_damaged_bytes_are_refused_with_their_place(drive):
    raw = drive.clouds[0][1]
    with pytest.raises(st.errors.TruncatedError) as caught:
        st.PointCloud.from_ros(raw[: len(raw) // 2])
    assert caught.value.offset < len(raw)
    with pytest.raises(st.SensorTimeError):
        st.TransformBuffer().insert_message(raw)
