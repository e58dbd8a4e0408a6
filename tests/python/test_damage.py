# SPDX-License-Identifier: BSD-3-Clause
"""Whatever happens to a file, the audit ends with a result or a reason, never with a traceback."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_recordings import MS, ROS1, ROS2, START, cloud, imu_messages, laserscan, write1, write2

from lidar_time_auditor import export
from lidar_time_auditor.audit import audit
from lidar_time_auditor.pcd import read_pcd
from lidar_time_auditor.recording import Unreadable
from lidar_time_auditor.report_text import print_result

FIELDS = [("x", 0, 7, 1), ("y", 4, 7, 1), ("z", 8, 7, 1), ("ring", 12, 4, 1), ("time", 14, 7, 1)]
EXAMPLES = int(os.environ.get("SNT_EXAMPLES", "60"))


def some_messages(store):
    rng = np.random.default_rng(5)
    points = rng.integers(0, 255, 18 * 64, np.uint8).tobytes()
    messages = imu_messages(60, store)
    for k in range(12):
        t = START + k * 50 * MS
        messages.append(("/points", "sensor_msgs/msg/PointCloud2", t + 60 * MS, cloud(store, t, points, FIELDS, 18)))
        messages.append(("/scan", "sensor_msgs/msg/LaserScan", t + 20 * MS, laserscan(store, t, 20)))
    return sorted(messages, key=lambda m: m[2])


class Files(list):
    """Not to be printed in full with every failing example."""

    def __repr__(self):
        return "the sound files"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sound")
    made = [
        write2(folder / "a", some_messages(ROS2)),
        write2(folder / "b", some_messages(ROS2), compressed=True),
        write2(folder / "c", some_messages(ROS2), "db3"),
        write1(folder / "d.bag", some_messages(ROS1)),
    ]
    return Files((path.suffix, path.read_bytes()) for path in made)


def examine(path, folder):
    try:
        result = audit(path, keep_plots=True)
    except Unreadable as error:
        assert path.name in str(error)
        return
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        print_result(result, full=True, out=nowhere)
    export.write_csv(folder / "out.csv", [result])
    export.write_jsonl(folder / "out.jsonl", [result])
    assert result.exit_code in (0, 1, 2)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changed_and_cut_files(files, tmp_path, data):
    suffix, sound = files[data.draw(st.integers(0, len(files) - 1))]
    broken = bytearray(sound)
    for _ in range(data.draw(st.integers(0, 6))):
        at = data.draw(st.integers(0, len(broken) - 1))
        broken[at] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del broken[data.draw(st.integers(0, len(broken))) :]
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(broken)
    examine(path, tmp_path)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(payload=st.binary(max_size=300), kind=st.sampled_from(["PointCloud2", "LaserScan", "Imu", "NavSatFix"]))
def test_messages_of_junk(tmp_path_factory, payload, kind):
    folder = tmp_path_factory.mktemp("junk")
    name = f"sensor_msgs/msg/{kind}"
    messages = [("/junk", name, START + k * 10 * MS, b"\x00\x01\x00\x00" + payload) for k in range(3)]
    examine(write2(folder / "junk", messages + imu_messages(5)), folder)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(header=st.text(max_size=200), body=st.binary(max_size=100))
def test_pcd_files_of_junk(tmp_path, header, body):
    path = tmp_path / "junk.pcd"
    path.write_bytes(header.encode("utf-8", "surrogatepass") + b"\n" + body)
    examine(path, tmp_path)


def test_a_small_ascii_pcd(tmp_path):
    path = tmp_path / "a.pcd"
    path.write_text(
        "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z time\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 3\nHEIGHT 1\n"
        "POINTS 3\nDATA ascii\n1 2 3 0.00\n4 5 6 0.05\n7 8 9 0.09\n"
    )
    assert read_pcd(path)["time"].tolist() == pytest.approx([0, 0.05, 0.09])
    examine(path, tmp_path)
    path.write_text(path.read_text().replace("DATA ascii", "DATA binary_compressed"))
    with pytest.raises(Unreadable, match="binary_compressed"):
        read_pcd(path)
