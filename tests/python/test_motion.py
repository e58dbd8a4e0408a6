# SPDX-License-Identifier: BSD-3-Clause
"""Transforms and deskewing through the package, against motion that is known."""

import concurrent.futures
import copy
import multiprocessing
import pickle
import threading
import time
import warnings

import numpy as np
import pytest
from small_recordings import MS, ROS2, START, S, cloud, header

import sensortime
from sensortime import DeskewPlan, PointCloud, TransformBuffer, abi, deskew, errors

FIELDS = [("x", 0, 7, 1), ("y", 4, 7, 1), ("z", 8, 7, 1), ("ring", 12, 4, 1), ("time", 14, 7, 1)]
POINT = np.dtype({"names": [f[0] for f in FIELDS], "formats": ["<f4"] * 3 + ["<u2", "<f4"],
                  "offsets": [f[1] for f in FIELDS], "itemsize": 18})  # fmt: skip
TURN, SPEED = 1.0, 2.0  # [rad/s, m/s]


def yaw(angle):
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def measured(world, times):
    """What a sensor sees that turns at TURN and drives at SPEED along its own x, starting at the origin."""
    out = np.empty_like(world)
    for i, (point, t) in enumerate(zip(world, times)):
        angle = TURN * t
        radius = SPEED / TURN
        place = np.array([radius * np.sin(angle), radius * (1 - np.cos(angle)), 0])
        out[i] = yaw(angle).T @ (point - place)
    return out


@pytest.fixture
def scene():
    rng = np.random.default_rng(2)
    world = rng.uniform(-20, 20, (600, 3))
    times = np.linspace(0, 0.0999, 600)
    points = np.zeros(600, POINT)
    seen = measured(world, times)
    points["x"], points["y"], points["z"] = seen.T
    points["ring"], points["time"] = np.arange(600) % 16, times
    raw = bytes(ROS2.serialize_cdr(cloud(ROS2, START, points.tobytes(), FIELDS, 18), "sensor_msgs/msg/PointCloud2"))
    return world, points, PointCloud.from_ros(raw)


def error_of(result, world):
    return np.abs(np.array(result.xyz).T - world).max()


def test_a_twist_puts_every_point_where_it_is(scene):
    world, points, seen = scene
    result = deskew(seen, twist=((SPEED, 0, 0), (0, 0, TURN)), reference="start")
    assert np.abs(np.array(seen.xyz).T - world).max() > 1.0, "the scan is bent before"
    assert error_of(result, world) < 1e-4
    assert np.array_equal(result.points["ring"], points["ring"]), "all other bytes are kept"
    assert result.reference_ns == START
    assert np.array_equal(seen.points["x"], points["x"]), "the message is left alone"


def test_the_error_bound_holds(scene):
    world, _points, seen = scene
    result = deskew(seen, twist=((SPEED, 0, 0), (0, 0, TURN)), clock_bound_ns=1 * MS)
    assert error_of(result, world) < result.error_bound(35.0) < 1.0
    assert result.bound(35.0).clock_m > 0.9 * 1e-3 * TURN * 35


def test_poses_of_an_odometry(scene):
    world, _points, seen = scene
    t = np.arange(-5, 20) * 0.01
    angle, radius = TURN * t, SPEED / TURN
    poses = np.zeros((t.size, 7))
    poses[:, 2], poses[:, 3] = np.sin(angle / 2), np.cos(angle / 2)
    poses[:, 4], poses[:, 5] = radius * np.sin(angle), radius * (1 - np.cos(angle))
    result = deskew(seen, poses=(START + (t * S).astype(np.int64), poses))
    assert error_of(result, world) < 2e-4


def test_a_gyroscope_takes_the_turn_out(scene):
    _world, _points, seen = scene
    stamps = START + np.arange(-50, 200) * MS
    rates = np.zeros((stamps.size, 3))
    rates[:, 2] = TURN
    by_imu = deskew(seen, imu=(stamps, rates))
    by_twist = deskew(seen, twist=((0, 0, 0), (0, 0, TURN)))
    assert np.allclose(np.array(by_imu.xyz), np.array(by_twist.xyz), atol=1e-4)


def test_a_gyroscope_without_velocity_gives_no_silent_bound(scene):
    world, _points, seen = scene
    stamps = START + np.arange(-50, 200) * MS
    imu = stamps, np.tile([0, 0, TURN], (stamps.size, 1))
    alone = deskew(seen, imu=imu)
    assert alone.rotation_only and alone.plan.rotation_only
    with pytest.warns(UserWarning, match="nothing of the translation"):
        assert alone.error_bound(35.0) < error_of(alone, world)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert alone.bound(35.0).flags & abi.SNT_DESKEW_BOUND_ROTATION_ONLY
        both = deskew(seen, imu=imu, velocity=(SPEED, 0, 0), max_acceleration=SPEED * TURN)
        assert not both.rotation_only
        both.error_bound(35.0)
        twisted = deskew(seen, twist=((SPEED, 0, 0), (0, 0, TURN)))
        assert not twisted.rotation_only and twisted.error_bound(35.0) > error_of(twisted, world)
    assert error_of(both, world) < 0.02 < 0.1 < error_of(alone, world)
    with pytest.raises(TypeError, match="velocity goes with imu"):
        deskew(seen, twist=((0, 0, 0), (0, 0, TURN)), velocity=(SPEED, 0, 0))


def test_motion_that_does_not_reach_the_scan_is_refused(scene):
    _world, _points, seen = scene
    late = START + 500 * MS + np.arange(10) * MS
    with pytest.raises(errors.SensorTimeError):
        deskew(seen, imu=(late, np.zeros((10, 3))), outside=4)
    with pytest.raises(TypeError, match="exactly one"):
        deskew(seen)
    with pytest.raises(ValueError):
        deskew(seen, imu=(late, np.zeros((9, 3))))
    plan = DeskewPlan()
    with pytest.raises(errors.SensorTimeError):
        plan.apply(seen)  # nothing was planned


def moving():
    tf = TransformBuffer()
    for k in range(50):
        tf.insert("odom", "base_link", START + k * 20 * MS, (0.02 * k, 0, 0), (0, 0, np.sin(0.01 * k), np.cos(0.01 * k)))
    tf.insert("base_link", "lidar", START, (0, 0, 1.5), static=True)
    return tf


def test_a_lookup_interpolates_and_chains():
    tf = moving()
    at = tf.lookup("odom", "lidar", START + 110 * MS)
    assert at.translation == pytest.approx((0.11, 0, 1.5))
    assert at.rotation == pytest.approx((0, 0, np.sin(0.055), np.cos(0.055)), abs=1e-6)
    assert at.matrix[:3, 3] == pytest.approx((0.11, 0, 1.5))
    assert at.matrix[:3, :3] == pytest.approx(yaw(0.11), abs=1e-6)
    assert tf.lookup("odom", "base_link").stamp_ns == START + 980 * MS
    assert tf.can("odom", "lidar", START + 500 * MS) and not tf.can("odom", "lidar", START + 2 * S)


def test_the_articles_lookup_that_fails_says_which_edge_and_when_the_next_is_due():
    tf = TransformBuffer()
    for k in range(11):
        tf.insert("odom", "base_link", START + (k - 10) * 20 * MS, (0, 0, 0))
    with pytest.raises(errors.FutureError) as caught:
        tf.lookup("odom", "base_link", START + 12 * MS)
    error = caught.value
    assert (error.edge, error.newest, error.next_due) == ("odom→base_link", START, START + 20 * MS)
    assert error.missing_ns == 12 * MS and not error.permanent
    with pytest.raises(errors.PastError):
        tf.lookup("odom", "base_link", START - 10 * S)
    with pytest.raises(errors.NotFoundError):
        tf.lookup("odom", "nowhere", START)


def test_asking_for_names_that_nobody_inserted_makes_no_frames():
    tf = TransformBuffer()
    tf.insert("odom", "lidar", START, (1, 2, 3))
    for k in range(300):  # more than the buffer has room for
        for ask in (
            lambda: tf.lookup("odom", f"typo{k}", START), lambda: tf.lookup(f"typo{k}", "lidar"),
            lambda: tf.ask("odom", f"typo{k}", START), lambda: tf.lookup_fixed("odom", START, "lidar", START, f"typo{k}"),
        ):  # fmt: skip
            with pytest.raises(errors.NotFoundError, match=f"'typo{k}'") as caught:
                ask()
            assert caught.value.frame == f"typo{k}" and not caught.value.permanent
        assert not tf.can("odom", f"typo{k}", START)
    assert sorted(tf.frames) == ["lidar", "odom"]
    tf.insert("odom", "camera", START, (0, 0, 0))


def test_a_lookup_waits_for_a_frame_that_is_not_there_yet():
    tf = TransformBuffer()
    tf.insert("odom", "lidar", START, (1, 2, 3))
    timer = threading.Timer(0.05, tf.insert, ("lidar", "camera", START, (1, 0, 0)))
    timer.start()
    try:
        assert tf.lookup("odom", "camera", START, timeout=5.0).translation == (2.0, 2.0, 3.0)
    finally:
        timer.join()
    with pytest.raises(errors.NotFoundError):
        tf.lookup("odom", "nowhere", START, timeout=0.03)


@pytest.mark.parametrize("timeout", [float("nan"), -1, -0.001, float("-inf")])
def test_a_timeout_that_is_no_span_is_refused(timeout):
    tf = TransformBuffer()
    tf.insert("odom", "lidar", START, (1, 2, 3))
    for source, stamp in (("lidar", START), ("lidar", START + S), ("nowhere", START)):
        with pytest.raises(ValueError, match="timeout"):
            tf.lookup("odom", source, stamp, timeout=timeout)
    assert tf.lookup("odom", "lidar", START, timeout=float("inf")).translation == (1.0, 2.0, 3.0)


def fail_elsewhere(stamp):
    tf = TransformBuffer()
    tf.insert("a", "b", 0, (0, 0, 0))
    return tf.lookup("a", "b", stamp)


def test_a_refusal_comes_out_of_another_process_as_it_was():
    with pytest.raises(errors.FutureError) as here:
        fail_elsewhere(10)
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(errors.FutureError) as caught:
            pool.submit(fail_elsewhere, 10).result(60)
    assert str(caught.value) == str(here.value) and caught.value.facts == here.value.facts
    assert caught.value.edge == "a→b" and bytes(caught.value.struct) == bytes(here.value.struct)


@pytest.mark.parametrize("kind", errors.SensorTimeError.__subclasses__(), ids=lambda kind: kind.__name__)
def test_every_error_is_copied_whole(kind):
    plain = kind("doing", facts={"edge": "a→b"})
    told = kind("doing", None, {"missing_ns": 5}, sensortime._abi.snt_tf_miss(asked=7, missing_ns=5))
    for error in (plain, told, kind()):
        for again in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
            assert type(again) is kind and str(again) == str(error) and again.args == error.args
            assert (again.status, again.name, again.facts, again.doing) == (error.status, error.name, error.facts, error.doing)
            assert again is not error and type(again.struct) is type(error.struct)
    assert copy.deepcopy(told).struct.asked == 7 and pickle.loads(pickle.dumps(told)).missing_ns == 5


def test_waiting_helps_when_the_transform_comes():
    tf = TransformBuffer()
    for k in range(11):
        tf.insert("odom", "base_link", START + (k - 10) * 20 * MS, (0, 0, 0))
    later = threading.Timer(0.05, tf.insert, ("odom", "base_link", START + 20 * MS, (1, 0, 0)))
    later.start()
    try:
        assert tf.lookup("odom", "base_link", START + 10 * MS, timeout=5.0).translation[0] == pytest.approx(0.5)
    finally:
        later.join()
    began = time.monotonic()
    with pytest.raises(errors.FutureError):
        tf.lookup("odom", "base_link", START + S, timeout=0.05)
    assert 0.04 < time.monotonic() - began < 3


def test_many_lookups_on_one_path():
    tf = moving()
    stamps = START + np.arange(0, 1200, 7) * MS
    with tf.path("odom", "lidar") as path:
        poses, statuses = path.lookup_many(stamps)
        good = statuses == 0
        assert 130 < good.sum() < stamps.size and np.isnan(poses[~good]).all()
        one = path.lookup(int(stamps[5]))
    assert poses[5] == pytest.approx([*one.rotation, *one.translation])
    assert poses[good][:, 4] == pytest.approx((stamps[good] - START) / 1e9)


def test_serialized_messages_and_dumps():
    kinds = ROS2.types
    value = kinds["geometry_msgs/msg/Transform"](
        kinds["geometry_msgs/msg/Vector3"](1.0, 2.0, 3.0), kinds["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0)
    )
    sent = [kinds["geometry_msgs/msg/TransformStamped"](header(ROS2, START, "map"), name, value) for name in ("a", "b")]
    raw = bytes(ROS2.serialize_cdr(kinds["tf2_msgs/msg/TFMessage"](sent), "tf2_msgs/msg/TFMessage"))
    tf = TransformBuffer()
    assert tf.insert_message(raw, static=True) == 2
    assert tf.lookup("map", "b", START).translation == (1.0, 2.0, 3.0)
    assert "map" in tf.to_dot() and '"b"' in tf.to_json()
    with pytest.raises(errors.SensorTimeError):
        tf.insert_message(raw[:40])
