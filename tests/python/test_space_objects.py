# SPDX-License-Identifier: BSD-3-Clause
"""Poses, transforms, IMU and deskewing once through."""

import math

import numpy as np
import pytest

import sensortime as st
from sensortime import abi, conventions, errors, poses
from sensortime import transforms

MS, S = 1_000_000, 1_000_000_000
START = 1_700_000_000 * S

HOST = 71  # a clock of our own


# ---- space ----


def test_poses_chain_and_move_points_in_place():
    turn = st.Pose(conventions.from_rpy(0, 0, math.pi / 2), (1, 0, 0))
    assert np.allclose((turn @ ~turn).matrix, np.eye(4), atol=1e-15) and st.Pose.identity().matrix.trace() == 4
    assert np.allclose(st.Pose.from_matrix(turn.matrix).matrix, turn.matrix)
    with pytest.raises(errors.RangeError):
        st.Pose.from_matrix(np.diag([1, 1, -1]))
    points = np.array([[1.0, 0, 0], [0, 2, 0]])
    assert np.allclose(turn.apply(points), [[1, 1, 0], [-1, 0, 0]])
    wide = np.zeros((2, 5), np.float32)
    wide[:, 1:4] = points
    turn.apply(wide[:, 1:4], out=wide[:, 1:4])
    assert np.allclose(wide[:, 1:4], [[1, 1, 0], [-1, 0, 0]], atol=1e-6) and not wide[:, [0, 4]].any()
    assert np.allclose(turn.rotate(points), [[0, 1, 0], [-2, 0, 0]])
    rows = np.arange(18.0).reshape(6, 3)
    expected = turn.apply(rows[:5].copy())
    assert np.array_equal(turn.apply(rows[:5], out=rows[1:]), expected), "though both overlap"
    moved = st.Twist((1, 0, 0), (0, 0, 1)).exp(0.5)
    back = moved.log(0.5)
    assert np.allclose(back.linear, (1, 0, 0)) and np.allclose(back.angular, (0, 0, 1))
    assert st.Pose().between(moved) == moved or np.allclose(st.Pose().between(moved).matrix, moved.matrix)
    assert np.allclose(st.Pose().interpolate(moved, 0.5, poses.SCREW).log(0.25).linear, (1, 0, 0))
    assert np.allclose(turn.transform(back).angular, (0, 0, 1))
    assert np.allclose(back.shifted((0, 2, 0)).linear, (-1, 0, 0))
    assert np.allclose(back.rotated(turn.rotation).linear, (0, 1, 0))
    assert np.allclose(poses.rotation_exp(poses.rotation_log(turn.rotation)), turn.rotation)
    assert poses.normalised((0, 0, 0, 1.001)) == (0, 0, 0, 1)
    with pytest.raises(errors.BadQuaternionError):
        st.Pose((0, 0, 0, 2)).check()
    rows = np.array([[*turn.rotation, *turn.translation]])
    assert np.allclose(poses.matrices(rows)[0], turn.matrix)


def test_axes_follow_rep_103():
    assert conventions.enu_ned((1, 2, 3)) == (2, 1, -3) and conventions.flu_frd((1, 2, 3)) == (1, -2, -3)
    assert conventions.heading_from_yaw(0) == pytest.approx(math.pi / 2)
    assert conventions.yaw_from_heading(0) == pytest.approx(math.pi / 2)
    assert conventions.wrap(3 * math.pi) == pytest.approx(math.pi)
    assert conventions.to_rpy(conventions.from_rpy(0.1, -0.2, 0.3)) == pytest.approx((0.1, -0.2, 0.3))
    assert conventions.to_rpy(conventions.from_rpy(0, math.pi / 2, 0.3))[0] == 0
    q = conventions.from_rpy(0.1, 0.2, 0.3)
    assert np.allclose(conventions.enu_ned_attitude(conventions.enu_ned_attitude(q)), q)
    assert st.Pose.link_from_optical().apply([[0.0, 0, 1]]).tolist() == [[1, 0, 0]]
    assert conventions.suspect_unit("angular velocity", 90.0) == "degrees"
    assert conventions.suspect_unit("acceleration", 1.0) == "g" and conventions.suspect_unit("acceleration", 9.8) == ""


def test_a_buffer_tells_all_about_its_tree():
    buffer = st.TransformBuffer(keep_ns=S)
    buffer.insert("map", "odom", 0, (0, 0, 0), static=True)
    buffer.insert("odom", "base", 0, (0, 0, 0), authority="wheel", domain=HOST)
    buffer.insert("odom", "base", 100 * MS, (1, 0, 0), authority="wheel")
    assert set(buffer.frames) == {"map", "odom", "base"} and "odom" in buffer and "moon" not in buffer
    assert buffer.parent("base") == "odom" and buffer.parent("map") is None and buffer.root("base") == "map"
    assert buffer.newest("base") == 100 * MS and buffer.newest("odom") == abi.SNT_TIME_INFINITE_FUTURE
    edge = buffer.edge("base")
    assert (edge["kind"], edge["parent"], edge["samples"], edge["publishers"]) == ("dynamic", "odom", 2, 1)
    path = buffer.path("map", "base")
    assert path.edges == ["base"] and path.fresh and path.can(50 * MS) and not path.can(S)
    assert path.lookup(50 * MS).translation[0] == 0.5 and path.lookup().stamp_ns == 100 * MS
    assert path.ask(50 * MS, interpolation=poses.NEAREST).translation[0] == 1
    assert buffer.ask("map", "base", 50 * MS, interpolation=poses.HOLD).translation[0] == 0
    with pytest.raises(errors.StaleError):
        buffer.ask("map", "base", 50 * MS, now=10 * S, max_age_ns=S)
    twist = path.twist(50 * MS, convention=transforms.ORIGIN)
    assert twist.twist.linear[0] == pytest.approx(10)
    seen = buffer.lookup_fixed("base", 100 * MS, "base", 0, "map")
    assert seen.translation[0] == -1 and np.allclose(seen.pose.apply([[0.0, 0, 0]]), [[-1, 0, 0]])
    version = buffer.structure_version
    buffer.insert_known("base", "odom2", 0, (0, 0, 0)) if "odom2" in buffer else None
    with pytest.raises(errors.NotFoundError):
        buffer.insert_known("base", "nobody", 0, (0, 0, 0))
    buffer.insert("base", "lidar", 0, (0, 0, 1), static=True)
    assert buffer.structure_version > version
    path.refresh()
    with pytest.raises(errors.FutureError) as caught:
        path.lookup(S)
    assert caught.value.struct.reason == abi.SNT_TF_MISS_FUTURE and transforms.tf2_code(caught.value.struct) > 0
    assert caught.value.newest == 100 * MS and caught.value.edge == "odom→base"
    buffer.configure_edge("base", max_accel=5.0, interpolation=poses.LINEAR)
    buffer.reserve("arm", 64)
    assert buffer.scoped("r1", "base") == "r1/base"
    buffer.convert("base", "static")
    assert buffer.edge("base")["kind"] == "static" and buffer.lint() is not None
    buffer.remove_frame("lidar")
    assert "lidar" not in buffer
    assert buffer.observe_clock(5) and buffer.info()["frames"] >= 4
    buffer.reset(3)
    assert buffer.collect_garbage(10 * S) >= 0
    buffer.clear()
    buffer.insert("map", "odom", 0, (6, 0, 0), static=True)
    buffer.clear(static=True)
    assert buffer.frames == [] and st.TransformBuffer.size(max_samples=1000) < st.TransformBuffer.size()
    buffer.insert("map", "odom", 0, (7, 0, 0))
    assert buffer.lookup("map", "odom", 0).translation[0] == 7, "names are not taken for the frames of before"


def test_an_explanation_is_as_long_as_its_names():
    buffer = st.TransformBuffer(max_name=255)
    names = [letter * 255 for letter in "abcd"]
    buffer.insert(names[0], names[1], 0, (0, 0, 0))
    buffer.insert(names[2], names[3], 0, (0, 0, 0))
    with pytest.raises(errors.NotConnectedError) as caught:
        buffer.lookup(names[1], names[3], 0)
    text = buffer.explain(caught.value.struct)
    assert len(text) > 512 and names[1] in text and names[3] in text and text in str(caught.value)


def test_an_imu_buffer_covers_a_scan():
    """Scan 10.000–10.100, IMU 9.995–10.080: the end is not covered by 20 ms."""
    buffer = st.ImuBuffer(capacity=100)
    assert buffer.margins(0, 1).start_ns is None
    times = np.arange(9995, 10081, 5) * MS
    assert not buffer.insert_many(times, np.zeros((times.size, 3))).any()
    margins = buffer.margins(10000 * MS, 10100 * MS)
    assert (margins.start_ns, margins.end_ns, margins.inside) == (5 * MS, -20 * MS, 17)
    with pytest.raises(errors.DuplicateError):
        buffer.insert(10000 * MS, (0, 0, 0))
    buffer.insert(10085 * MS, (0, 0, 1), (0, 0, 9.81))
    statuses = buffer.insert_many([10090 * MS, 10090 * MS], [[0, 0, np.nan], [0, 0, 2]], [[0, 0, 9], [0, 0, 9]])
    assert statuses.tolist() == [abi.SNT_ERR_NON_FINITE, 0]
    assert buffer.samples()["rate"][-1, 2] == 2 and buffer.samples(10000 * MS, 10000 * MS)["stamp_ns"].size == 1
    buffer.set_bias((0, 0, 0.1))
    assert buffer.counters()["non_finite"] == 1
    buffer.clear()
    assert buffer.samples().size == 0


def test_a_plan_shows_what_it_does(tmp_path):
    rng = np.random.default_rng(5)
    xyz, times = rng.uniform(-20, 20, (500, 3)), np.linspace(0, 0.1, 500)
    cloud = st.Points(xyz, times, base_ns=START, rings=np.arange(500) % 4)
    assert cloud.times_ns(START)[-1] == 100 * MS and cloud.rings()[5] == 1
    plan = st.DeskewPlan()
    scan = plan.scan(cloud, "end")
    plan.from_two_poses(scan, START, st.Pose(), START + 100 * MS, st.Pose((0, 0, 0, 1), (1, 0, 0)))
    out = plan.apply(cloud, flags=True, audit=True)
    assert np.allclose(out.points[:, 0], xyz[:, 0] + times / 0.1 - 1) and not out.flags.any()
    assert out.facts["moved"] >= 499 and plan.info["segments"] >= 1 and out.reference_ns == START + 100 * MS
    half = plan.apply(cloud, first=0, count=250)
    rest = plan.apply(cloud, first=250)
    assert np.array_equal(half.points[:250], out.points[:250]) and np.array_equal(half.points[250:], xyz[250:])
    both = st.deskewing.merge_reports(half.report, rest.report)
    assert both.points == 500
    poses_, flags = plan.poses([START, START + 50 * MS])
    assert poses_[:, 4].tolist() == pytest.approx([-1, -0.5]) and not flags.any()
    rows, _ = plan.rows(START, 100 * MS, 3)
    assert rows[:, 4].tolist() == pytest.approx([-1, -0.5, 0])
    into = np.empty_like(xyz)
    assert plan.apply(cloud, out=into).points is into
    kept = xyz.copy()
    plan.apply_in_place(cloud)
    assert np.array_equal(xyz, out.points) and not np.array_equal(xyz, kept)
    axes = st.Points(tuple(kept[:, k].copy() for k in range(3)), times, base_ns=START)
    assert np.array_equal(plan.apply(axes).points, out.points)
    assert {k.name for k in st.deskewing.kernels() if k.available} >= {"scalar"} and st.DeskewPlan.size() > 1000
    buffer = st.ImuBuffer()
    buffer.insert_many(START + np.arange(-2, 13) * 10 * MS, np.tile([0.0, 0, 1], (15, 1)))
    plan.from_imu_buffer(scan, buffer, st.imu.state(START, velocity=(1, 0, 0)))
    assert plan.info["max_speed"] == pytest.approx(1, rel=0.1)


def test_points_without_times_take_them_from_a_table_or_their_direction():
    angle = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    xyz = np.stack([10 * np.cos(angle), 10 * np.sin(angle), np.zeros(360)], 1)
    cloud = st.Points(xyz)
    cloud.cloud.width, cloud.cloud.height, cloud.cloud.time_base_ns = 360, 1, START
    cloud.cloud.time_span_ns = 100 * MS
    plan = st.DeskewPlan()
    table = st.PointTimes.table(column_ns=np.arange(360) * (100 * MS // 360))
    scan = plan.scan(cloud, "start", times=table)
    plan.from_twist(scan, (10, 0, 0))
    out = plan.apply(cloud, times=table, flags=True)
    assert out.points[359, 0] == pytest.approx(xyz[359, 0] + 10 * 0.1 * 359 / 360, abs=1e-5)
    guess = st.PointTimes.azimuth()
    plan.from_twist(plan.scan(cloud, "start", times=guess), (10, 0, 0))
    out = plan.apply(cloud, times=guess, flags=True)
    assert (out.flags & abi.SNT_POINT_FROM_AZIMUTH).all()
    assert out.points[180, 0] == pytest.approx(xyz[180, 0] + 0.5, abs=0.01)
    with pytest.raises(errors.NoTimeError):
        plan.apply(cloud)


def test_a_2d_scan_is_deskewed():
    laser = st.Laser([1.0, 2.0, np.inf, 4.0], START, time_increment_s=0.01, angle_increment=math.pi / 2, range_max=10.0)
    plan = st.DeskewPlan()
    scan = laser.scan("start")
    assert (scan.begin_ns, scan.end_ns) == (START, START + 30 * MS)
    plan.from_twist(scan, st.Twist((1, 0, 0)))
    out = plan.laser(laser, flags=True)
    assert np.allclose(out.points[[0, 1, 3]], [[1, 0, 0], [0.01, 2, 0], [0.03, -4, 0]], atol=1e-5)
    assert np.isnan(out.points[2]).all()
