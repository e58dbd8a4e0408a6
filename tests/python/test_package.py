# SPDX-License-Identifier: BSD-3-Clause
"""The package's objects: exceptions, handles, times, clouds as numpy arrays."""

import ctypes
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_recordings import MS, ROS1, ROS2, START, S, cloud

from sensortime import abi, errors, lib, stamps
from sensortime.clouds import CDR, PointCloud
from sensortime.clouds import ROS1 as ENCODING_ROS1
from sensortime.clouds import detect_layout


def test_every_failure_status_has_an_exception_that_says_what_the_library_says():
    statuses = {n: v for n, v in vars(abi).items() if n.startswith("SNT_ERR_")}
    assert len(statuses) > 30
    for name, status in statuses.items():
        with pytest.raises(errors.SensorTimeError) as caught:
            errors.check(status, "doing", {"newest_ns": 5})
        error = caught.value
        assert (error.status, error.name, error.newest_ns) == (status, name, 5)
        assert lib.snt_status_text(status).decode() in str(error) and "doing" in str(error)
    assert issubclass(errors.InvalidArgError, ValueError)
    assert issubclass(errors.NotFoundError, LookupError)
    assert issubclass(errors.TimeoutError, TimeoutError)
    assert errors.check(abi.SNT_PENDING) == abi.SNT_PENDING
    with pytest.raises(errors.SensorTimeError):
        errors.check(-9999)
    with pytest.raises(AttributeError):
        errors.FutureError().no_such_fact


def test_a_missing_library_names_what_was_tried():
    environment = {**os.environ, "SENSORTIME_LIBRARY": "/nowhere/libsensortime.so", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", "import sensortime"], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 1
    assert "ImportError" in run.stderr and "/nowhere/libsensortime.so" in run.stderr


def test_a_misspelt_field_of_a_struct_is_an_error():
    with pytest.raises(AttributeError):
        abi.snt_sample().t0 = 1


@given(st.integers(0, 2**31 - 1), st.integers(0, S - 1))
def test_ros_times_survive_the_round_trip(sec, nsec):
    assert stamps.from_ros2(sec, nsec) == stamps.from_ros1(sec, nsec) == sec * S + nsec
    assert stamps.to_ros2(sec * S + nsec) == stamps.to_ros1(sec * S + nsec) == (sec, nsec)


@given(st.integers(-(2**60), 2**60))
def test_rfc3339_survives_the_round_trip(t):
    assert stamps.parse_rfc3339(stamps.format_rfc3339(t)) == t


def test_doubles_say_how_far_off_they_are():
    assert stamps.from_seconds(1718611149.326892825)[1] >= 119  # half a step of the double
    t, error = stamps.from_seconds(0.25)
    assert (t, error) == (250 * MS, 0) or error < 2
    value, error = stamps.to_seconds(1718611149326892825)
    assert abs(value - 1718611149.326892825) <= 3e-7 and error > 0


def test_time_scales_differ_by_the_leap_seconds():
    assert stamps.convert_scale(START, stamps.UTC, stamps.TAI) == START + 37 * S


def test_the_articles_delays_cost_what_they_say():
    late = stamps.delay_error(100 * MS, 0.5, 1.0, 5.0)
    assert late.position_m == pytest.approx(0.05) and late.rotation_m == pytest.approx(0.5)
    assert math.degrees(late.bearing_rad) == pytest.approx(5.73, abs=0.01)
    assert stamps.delay_error(80 * MS, 0, 0.8, 6).point_m == pytest.approx(0.384)
    assert stamps.delay_error(5 * MS, 0, 1.745, 10).point_m == pytest.approx(0.087, abs=1e-3)
    with pytest.raises(errors.NonFiniteError):
        stamps.delay_error(1, math.nan, 0, 1)


FIELDS = [("x", 0, 7, 1), ("y", 4, 7, 1), ("z", 8, 7, 1), ("intensity", 12, 7, 1), ("ring", 16, 4, 1), ("time", 18, 7, 1)]
POINT = np.dtype({"names": [f[0] for f in FIELDS], "formats": ["<f4"] * 4 + ["<u2", "<f4"],
                  "offsets": [f[1] for f in FIELDS], "itemsize": 22})  # fmt: skip


def velodyne_points(scan=0, count=1600):
    points = np.zeros(count, POINT)
    column = np.arange(count) // 16
    points["x"], points["y"] = np.cos(column / 16), np.sin(column / 16)
    points["ring"] = np.arange(count) % 16
    points["time"] = column / (count / 16) * 0.1
    return points


@pytest.mark.parametrize("store, encoding", [(ROS2, CDR), (ROS1, ENCODING_ROS1)])
def test_clouds_are_seen_as_arrays_without_copying(store, encoding):
    points = velodyne_points()
    message = cloud(store, START, points.tobytes(), FIELDS, 22)
    kind = "sensor_msgs/msg/PointCloud2"
    raw = bytes(store.serialize_cdr(message, kind) if store is ROS2 else store.serialize_ros1(message, kind))
    one = PointCloud.from_ros(raw, encoding)
    assert (len(one), one.stamp_ns) == (1600, START)
    x, y, _z = one.xyz
    assert np.array_equal(x, points["x"]) and np.array_equal(y, points["y"])
    assert np.array_equal(one.rings, points["ring"])
    assert np.allclose(one.times_ns, points["time"] * 1e9, atol=20)
    address = ctypes.cast(ctypes.c_char_p(raw), ctypes.c_void_p).value
    assert address <= x.ctypes.data < address + len(raw), "the array points into the message"
    assert (one.layout.time_name, one.layout.ring_name, one.layout.unit) == ("time", "ring", "s")


def test_big_endian_points_are_read_as_such():
    points = velodyne_points()
    swapped = points.astype(points.dtype.newbyteorder(">"))
    raw = bytes(ROS2.serialize_cdr(cloud(ROS2, START, swapped.tobytes(), FIELDS, 22, True), "sensor_msgs/msg/PointCloud2"))
    one = PointCloud.from_ros(raw)
    assert np.array_equal(one.xyz[0], points["x"])
    assert np.allclose(one.times_ns, points["time"] * 1e9, atol=20)


def test_several_scans_tell_the_layout_better_than_one():
    scans = []
    for scan in range(5):
        raw = ROS2.serialize_cdr(
            cloud(ROS2, START + scan * 100 * MS, velodyne_points().tobytes(), FIELDS, 22), "sensor_msgs/msg/PointCloud2"
        )
        scans.append(PointCloud.from_ros(bytes(raw)))
    layout = detect_layout(scans, receive_ns=[s.stamp_ns + 103 * MS for s in scans])
    assert layout.has_time and layout.shows("scans_agree")
    assert layout.struct.header_role == abi.SNT_HEADER_ROLE_START
    assert layout.report.unit_confidence > 0.9
    assert "time" in str(layout)


@given(st.binary(max_size=400))
def test_hostile_bytes_are_refused_with_an_offset(junk):
    with pytest.raises(errors.SensorTimeError) as caught:
        PointCloud.from_ros(junk)
    assert 0 <= caught.value.offset <= len(junk)


@given(st.data())
def test_a_cut_message_is_refused_wherever_it_is_cut(data):
    message = cloud(ROS2, START, velodyne_points(count=32).tobytes(), FIELDS, 22)
    raw = bytes(ROS2.serialize_cdr(message, "sensor_msgs/msg/PointCloud2"))
    cut = data.draw(st.integers(0, len(raw) - 8))
    with pytest.raises(errors.SensorTimeError):
        PointCloud.from_ros(raw[:cut])
