# SPDX-License-Identifier: BSD-3-Clause
"""deskew_recording as a person runs it: walls become straight, nothing else changes, and what is not known stays as it is."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small_recordings import MS, ROS1, ROS2, START, cloud, imu_messages, write1, write2

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))
from compare_with_truth import wall_distances  # noqa: E402

from sensortime import DeskewPlan, PointCloud  # noqa: E402

CLOUD = "sensor_msgs/msg/PointCloud2"
FIELDS = [("x", 0, 7, 1), ("y", 4, 7, 1), ("z", 8, 7, 1), ("ring", 12, 4, 1), ("time", 14, 7, 1)]
POINT = np.dtype({"names": [f[0] for f in FIELDS], "formats": ["<f4"] * 3 + ["<u2", "<f4"],
                  "offsets": [f[1] for f in FIELDS], "itemsize": 18})  # fmt: skip
SUMMARY = re.compile(r"(\d+) scans? by (\w+): wall error RMS ([\d.]+) m → ([\d.]+) m, bound ([\d.]+) m")


def run(*arguments, expect=0):
    command = [sys.executable, str(EXAMPLES / "deskew_recording.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == expect, done.stdout[-2000:] + done.stderr
    return done.stdout


def summary(out):
    return [(int(n), by, *map(float, rest)) for n, by, *rest in SUMMARY.findall(out)]


def recorded(path):
    """(topic, log time, bytes) of every message."""
    from rosbags.rosbag2 import Reader

    with Reader(path) as reader:
        return [(c.topic, t, bytes(raw)) for c, t, raw in reader.messages()]


def scans(count=10, rotation=0.1):
    """A sensor that turns at `rotation` looks at fixed points; times after the header."""
    points = np.zeros(1600, POINT)
    times = np.arange(1600) * 0.0999 / 1600
    angle = 40 * times - rotation * times
    points["x"], points["y"], points["z"] = 10 * np.cos(angle), 10 * np.sin(angle), 1
    points["ring"], points["time"] = np.arange(1600) % 16, times
    return points, times, count


def walls_of(truth, messages, topic):
    """Root mean square distance of each scan's points from the walls."""
    out = []
    for t, _log, raw in messages:
        if t == topic:
            made = PointCloud.from_ros(raw)
            frame = {"/lidar/points": "lidar", "/rear/points": "rear"}[topic]
            off = wall_distances(truth, frame, made.stamp_ns, made.points["x"], made.points["y"])
            out.append(np.sqrt(np.mean(off**2)))
    return np.array(out)


def test_the_simulated_walls_become_straight_and_no_other_byte_changes(simulated, tmp_path):
    truth = json.loads((simulated / "truth.json").read_text())
    noise = truth["room"]["range_noise_m"]
    out = run(simulated, "--imu", "/imu", "--truth", simulated / "truth.json", "--output", tmp_path / "out.mcap", "--quiet")
    found = summary(out)
    assert [(n, by) for n, by, *_ in found] == [(292, "tf"), (6, "imu"), (294, "tf"), (6, "imu")]
    for _n, _by, before, after, bound in found:
        assert before > 0.15 and after < noise + bound and before / after > 15
    was, now = recorded(simulated), recorded(tmp_path / "out.mcap")
    for topic in ("/lidar/points", "/rear/points"):
        assert walls_of(truth, was, topic).min() > 0.12 and walls_of(truth, now, topic).max() < 0.012
    assert [(t, log) for t, log, _ in was] == [(t, log) for t, log, _ in now]
    for (topic, _log, a), (_t, _l, b) in zip(was, now):
        if topic not in ("/lidar/points", "/rear/points"):
            assert a == b
            continue
        a, b = bytearray(a), bytearray(b)
        assert a != b and len(a) == len(b)
        for raw in (a, b):  # without the coordinates they are the same
            view = PointCloud.from_ros(raw).points.view()
            view.flags.writeable = True
            view["x"] = view["y"] = view["z"] = 0
        assert a == b


def test_scans_without_imu_stay_as_they_are_and_are_those_the_audit_names(simulated, auditor, tmp_path):
    out = run(simulated, "--topic", "/lidar/points", "--imu", "/imu", "--motion", "imu", "--output", tmp_path / "out.mcap",
              expect=1)  # fmt: skip
    left = {int(n) for n in re.findall(r"^ +(\d+) .* left as it is \(no imu cover", out, re.M)}
    audited = [r for r in auditor(simulated, "--imu", "/imu").records if r["record"] == "scan" and r["topic"] == "/lidar/points"]
    behind = {i for i, r in enumerate(audited) if r["imu_arrival_margin"] < -0.1}
    # the clock steps just as the last whole scan arrives: all but its last 5 ms are covered, and the rest is counted
    assert left and left == behind - {177} and re.search(r"^ +177  \S+  imu     4800 +[1-9]\d* ", out, re.M)
    was, now = recorded(simulated), recorded(tmp_path / "out.mcap")
    same = [a == b for (t, _, a), (_, _, b) in zip(was, now) if t == "/lidar/points"]
    assert {i for i, equal in enumerate(same) if equal} == left
    assert "scans 178 to 297 left as recorded: no imu cover" in out


def test_a_gyroscope_alone_takes_the_turn_out_of_ros1_bags_too(tmp_path):
    points, times, count = scans()
    raws = points.tobytes()
    lidar = [("/points", CLOUD, START + k * 100 * MS + 105 * MS, cloud(ROS1, START + k * 100 * MS, raws, FIELDS, 18))
             for k in range(count)]  # fmt: skip
    bag = write1(tmp_path / "drive.bag", sorted(imu_messages(130, ROS1) + lidar, key=lambda m: m[2]))
    out = run(bag, "--output", tmp_path / "out.bag")
    assert "10 of 10 scans deskewed" in out and "lidar sits" in out, "a guessed mount is said"
    assert "10 scans without a velocity: the bound does not count" in out
    from rosbags.rosbag1 import Reader

    with Reader(tmp_path / "out.bag") as reader:
        moved = [ROS1.deserialize_ros1(raw, CLOUD) for c, _, raw in reader.messages() if c.topic == "/points"]
    assert len(moved) == count
    got = np.frombuffer(bytes(moved[5].data), POINT)
    assert np.hypot(got["x"] - 10 * np.cos(40 * times), got["y"] - 10 * np.sin(40 * times)).max() < 1e-4
    assert np.hypot(points["x"] - 10 * np.cos(40 * times), points["y"] - 10 * np.sin(40 * times)).max() > 0.09


def test_a_scan_that_the_imu_covers_in_part_stays_as_it_is(tmp_path):
    points, times, _count = scans()
    lidar = [("/points", CLOUD, START + k * 100 * MS + 105 * MS, cloud(ROS2, START + k * 100 * MS, points.tobytes(), FIELDS, 18))
             for k in range(8)]  # fmt: skip
    # the last sample at 530 ms; motion is continued for 20 ms, not for the 70 that scan 5 would take
    path = write2(tmp_path / "drive", sorted(imu_messages(54) + lidar, key=lambda m: m[2]))
    out = run(path, "--output", tmp_path / "out.mcap", expect=1)
    assert "5 of 8 scans deskewed" in out
    (outside,) = re.findall(r"^ +5 .* 1600 +(\d+)  left as it is \(.*no imu cover\)", out, re.M)
    assert int(outside) == np.sum(times > 0.03)
    same = [a == b for (t, _, a), (_, _, b) in zip(recorded(tmp_path / "drive"), recorded(tmp_path / "out.mcap")) if t == "/points"]
    assert same == [False] * 5 + [True] * 3


def test_what_cannot_be_deskewed_is_said_and_copied(tmp_path):
    points, _times, _count = scans()
    lidar = [("/points", CLOUD, START + k * 100 * MS + 105 * MS, cloud(ROS2, START + k * 100 * MS, points.tobytes(), FIELDS, 18))
             for k in range(5)]  # fmt: skip
    lidar[2] = (*lidar[2][:3], bytes(ROS2.serialize_cdr(lidar[2][3], CLOUD))[:-400])
    path = write2(tmp_path / "drive", lidar)
    out = run(path, "--output", tmp_path / "out.mcap", expect=1)
    assert "0 of 5 scans deskewed" in out and "scans 0 to 1 left" in out
    assert "no tf cover" in out and "no imu cover: nothing came" in out
    assert re.search(r"scan 2 left as recorded: PointCloud2: .*offset \d+", out)
    assert recorded(tmp_path / "out.mcap") == recorded(tmp_path / "drive")
    run(path, "--output", tmp_path / "out.mcap", expect=2)  # never over something
    run(path, "--topic", "/nothing", expect=2)
    run(tmp_path / "none.mcap", expect=2)


def test_only_a_bytearray_is_moved_in_place():
    points, times, _count = scans()
    raw = bytes(ROS2.serialize_cdr(cloud(ROS2, START, points.tobytes(), FIELDS, 18), CLOUD))
    plan = DeskewPlan()
    fixed, ours = PointCloud.from_ros(raw), PointCloud.from_ros(bytearray(raw))
    scan = plan.scan(ours.cloud, limit_ns=50 * MS)
    assert scan.end_ns - scan.begin_ns <= 50 * MS
    plan.from_twist(plan.scan(ours.cloud), (0, 0, 0), (0, 0, 0.1))
    with pytest.raises(ValueError, match="bytearray"):
        plan.apply_in_place(fixed)
    copy = plan.apply(fixed).points
    assert np.array_equal(plan.apply_in_place(ours).points, copy) and np.array_equal(ours.points, copy)


def test_the_velocity_of_the_body_and_the_mount_of_the_imu_are_used():
    points, times, _count = scans(rotation=0.0)
    world = np.stack([points["x"], points["y"], points["z"]], 1).astype(np.float64)
    points["x"] -= (2 * times).astype(np.float32)
    made = PointCloud.from_numpy(points, START)
    plan = DeskewPlan()
    stamps = START + np.arange(-5, 120) * MS
    plan.from_imu(plan.scan(made.cloud), stamps, np.zeros((125, 3)), velocity=(2, 0, 0))
    assert np.abs(np.array(plan.apply(made).xyz).T - world).max() < 1e-5
    rates = np.tile([1.0, 0, 0], (125, 1))  # about an axis that points up: the IMU lies on its side
    up = (0, -np.sqrt(0.5), 0, np.sqrt(0.5))
    plan.from_imu(plan.scan(made.cloud), stamps, rates, rotation=up)
    twisted = DeskewPlan()
    twisted.from_twist(twisted.scan(made.cloud), (0, 0, 0), (0, 0, 1))
    assert np.allclose(np.array(plan.apply(made).xyz), np.array(twisted.apply(made).xyz), atol=1e-5)
