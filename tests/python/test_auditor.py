# SPDX-License-Identifier: BSD-3-Clause
"""lidar_time_auditor as a person runs it: the simulated faults are all found and no other, bad input is told plainly."""

import csv
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from small_recordings import MS, ROS2, S, START, cloud, header, imu, imu_messages, laserscan, write1, write2
from small_recordings import ROS1 as STORE1

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
from compare_with_truth import compare, load  # noqa: E402

FIELDS = [("x", 0, 7, 1), ("y", 4, 7, 1), ("z", 8, 7, 1), ("ring", 12, 4, 1), ("time", 14, 7, 1)]
POINT = np.dtype({"names": [f[0] for f in FIELDS], "formats": ["<f4"] * 3 + ["<u2", "<f4"],
                  "offsets": [f[1] for f in FIELDS], "itemsize": 18})  # fmt: skip
CLOUD = "sensor_msgs/msg/PointCloud2"
ARTICLE = (
    "scan_id header_timestamp minimum_point_time maximum_point_time scan_duration point_count timestamp_monotonicity "
    "negative_time_jump_count max_point_time_gap imu_start_margin imu_end_margin dropped_packet_flag"
).split()


def sweep(count=1600, first_s=0.0, rings=16):
    points = np.zeros(count, POINT)
    angle = np.arange(count) // rings / (count / rings) * 2 * np.pi
    points["x"], points["y"], points["z"] = 5 * np.cos(angle), 5 * np.sin(angle), 1
    points["ring"] = np.arange(count) % rings
    points["time"] = first_s + angle / (2 * np.pi) * 0.0999
    return points


def scans(count=20, topic="/points", delay=105 * MS, change=lambda k, points: points, **layout):
    out = []
    for k in range(count):
        points = change(k, sweep())
        message = cloud(ROS2, START + k * 100 * MS, points.tobytes(), FIELDS, 18, **layout)
        out.append((topic, CLOUD, START + k * 100 * MS + delay, message))
    return out


def imus(seconds=2.0):
    return imu_messages(int(seconds * 100) + 30, delay=MS)


def recorded(tmp_path, *groups, storage="mcap"):
    messages = sorted((m for g in groups for m in g), key=lambda m: m[2])
    return write2(tmp_path / "recording", messages, storage)


def codes(run, topic=None):
    return {r["code"] for r in run.records if r["record"] == "finding" and (topic is None or topic in r["topics"])}


# -- the simulated recording ------------------------------------------------------------------------------------------


def test_every_injected_fault_is_found_and_nothing_else(auditor, simulated):
    run = auditor(simulated, "--imu", "/imu")
    assert run.returncode == 1
    result = compare(*load(simulated / "truth.json", run.jsonl))
    assert len(result.matches) == 12
    assert [m.injected for m in result.matches if not m.ok] == []
    assert result.false_alarms == []


def test_the_comparison_notices_what_is_missed_and_what_is_made_up(auditor, simulated):
    truth, records = load(simulated / "truth.json", auditor(simulated).jsonl)
    without = [r for r in records if r.get("code") != "zero_stamp"]
    assert [m.fault["kind"] for m in compare(truth, without).matches if not m.ok] == ["zero_stamps"]
    scan = next(dict(r) for r in records if r["record"] == "scan" and r["topic"] == "/scan")
    scan["dropped_packet_flag"] = True
    assert compare(truth, records + [scan]).false_alarms


def test_a_clean_recording_has_no_finding(auditor, clean):
    run = auditor(clean)
    assert run.returncode == 0, run.stdout
    assert "nothing wrong was found" in run.stdout
    assert not [r for r in run.records if r["record"] == "finding" and r["severity"] != "note"]
    roles = {r["topic"]: r["layout"]["header_role"] for r in run.records if r["record"] == "scans" and r["layout"]}
    assert roles == {"/lidar/points": "scan start", "/rear/points": "scan start"}


def test_the_report_says_what_where_how_sure_and_what_to_do(auditor, simulated):
    text = auditor(simulated).stdout
    first = text[text.index(" 1. ") : text.index(" 2. ")]
    assert "/imu" in first and "1.000 s" in first and "sure)" in first and "To do:" in first
    assert re.search(r"/rear/points: the header is the LAST PACKET", text)
    for finding in re.findall(r"^ ?\d+\. (.*(?:\n {4,}.*)*)", text, re.M):
        assert "To do:" in finding and re.search(r"\((certain|0\.\d+ +sure)\)", " ".join(finding.split())), finding


# -- files that are written -------------------------------------------------------------------------------------------


def test_csv_and_jsonl_use_the_articles_names_and_exact_times(auditor, simulated):
    run = auditor(simulated)
    with open(run.csv, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    scans_ = [r for r in run.records if r["record"] == "scan"]
    assert len(rows) == len(scans_) == 298 + 300 + 600
    names = list(rows[0])
    assert [n for n in names if n in ARTICLE] == ARTICLE
    assert set(ARTICLE) <= set(scans_[0])
    for row, line in zip(rows, (t for t in open(run.jsonl, encoding="utf-8") if '"record": "scan",' in t)):
        for name in ("header_timestamp", "minimum_point_time", "maximum_point_time"):
            seconds, rest = row[name].split(".")
            assert len(rest) == 9 and int(seconds) * S + int(rest) == int(row[name + "_ns"])
            assert f'"{name}": {row[name]}' in line, "JSON keeps all nine decimals"
        assert re.fullmatch(r"-?\d+\.\d{9}", row["scan_duration"])
        assert row["timestamp_monotonicity"] in ("true", "false")
    assert all("NaN" not in line and "Infinity" not in line for line in open(run.jsonl, encoding="utf-8"))


def test_the_page_is_one_file_that_needs_nothing_else(auditor, simulated):
    run = auditor(simulated, "--report", auditor.folder / "report.html", outputs=False)
    page = run.html.read_text(encoding="utf-8")
    assert 50_000 < len(page) < 4_000_000
    assert not re.search(r"""(src|href)=["'](?!data:)""", page)
    assert page.count("data:image/png;base64,") >= 10
    assert "packets suspected lost" in page and "/lidar/points" in page


def test_a_place_that_cannot_be_written_is_told(auditor, clean):
    run = auditor(clean, "--topic", "/scan", "--csv", "/nowhere/at/all.csv", outputs=False)
    assert run.returncode == 2
    assert "/nowhere/at/all.csv" in run.stderr


# -- options ----------------------------------------------------------------------------------------------------------


def test_only_the_topics_asked_for(auditor, clean):
    run = auditor(clean, "--topic", "/scan")
    streams = {r["stream"] for r in run.records if r["record"] == "stream"}
    assert streams == {"/scan", "/imu"}, "the IMU is read for the margins"
    assert {r["topic"] for r in run.records if r["record"] == "scan"} == {"/scan"}


def test_a_topic_that_is_not_there_is_told_and_the_rest_audited(auditor, clean):
    run = auditor(clean, "--topic", "/scan", "--topic", "/velodyne")
    assert run.returncode == 2
    assert "/velodyne: no such topic" in run.stdout and "/scan" in run.stdout
    assert len([r for r in run.records if r["record"] == "scan"]) == 600


def test_one_bad_file_does_not_stop_the_others(auditor, clean, tmp_path):
    bad = tmp_path / "bad.bag"
    bad.write_bytes(b"this is no bag")
    run = auditor(bad, clean)
    assert run.returncode == 2
    assert "bad.bag" in run.stderr and "nothing wrong was found" in run.stdout


def test_help_and_version(auditor):
    assert "exit status" in auditor("--help", outputs=False).stdout
    assert re.match(r"lidar_time_auditor \d+\.\d+\.\d+", auditor("--version", outputs=False).stdout)
    assert auditor(outputs=False).returncode == 2


# -- what recordings can hold -----------------------------------------------------------------------------------------


def test_margins_are_those_of_the_article(auditor, tmp_path):
    run = auditor(recorded(tmp_path, scans(20), imus(2.2)))
    rows = [r for r in run.records if r["record"] == "scan"]
    middle = rows[10]
    assert middle["scan_duration"] == pytest.approx(0.0999 * 99 / 100, abs=1e-6)
    assert middle["imu_samples_inside"] == 10
    assert middle["imu_start_nearest"] == pytest.approx(0.0, abs=1e-9)
    assert 0 < middle["imu_end_nearest"] <= 0.01
    assert middle["header_role"] == "start" and middle["imu_bracketed"]
    assert not middle["dropped_packet_flag"]
    assert rows[0]["edge_of_recording"] and rows[-1]["edge_of_recording"] and not middle["edge_of_recording"]


def test_nan_times_are_counted(auditor, tmp_path):
    def spoil(k, points):
        points["time"][::7] = np.nan
        return points

    run = auditor(recorded(tmp_path, scans(12, change=spoil), imus()))
    assert "invalid_point_time" in codes(run, "/points")
    assert [r for r in run.records if r["record"] == "scan"][3]["nan_time_count"] == 229


def test_times_that_are_all_nan_or_zero_are_no_times(auditor, tmp_path):
    for value in (np.nan, 0.0):

        def spoil(k, points, value=value):
            points["time"] = value
            return points

        folder = tmp_path / f"all {value}"
        folder.mkdir()
        run = auditor(recorded(folder, scans(8, change=spoil)))
        assert "no_point_time" in codes(run, "/points")
        assert [r for r in run.records if r["record"] == "scan"][3]["minimum_point_time"] is None


def test_no_scan_one_scan_and_empty_scans(auditor, tmp_path):
    for count in (1, 2):
        folder = tmp_path / str(count)
        folder.mkdir()
        run = auditor(recorded(folder, scans(count), imus(0.3)))
        assert len([r for r in run.records if r["record"] == "scan"]) == count
    empty = scans(6, change=lambda k, points: points[: 0 if k % 2 else None])
    (tmp_path / "empty").mkdir()
    run = auditor(recorded(tmp_path / "empty", empty))
    assert [r["point_count"] for r in run.records if r["record"] == "scan"] == [1600, 0] * 3
    (tmp_path / "none").mkdir()
    run = auditor(recorded(tmp_path / "none", imus(0.5)))
    assert run.returncode == 0 and not [r for r in run.records if r["record"] == "scan"]


def test_malformed_messages_are_named_with_file_topic_and_offset(auditor, tmp_path):
    good = scans(15)
    raw = bytes(ROS2.serialize_cdr(good[0][3], CLOUD))
    bad = [("/points", CLOUD, START + k * 100 * MS + 150 * MS, raw[: len(raw) - 5000]) for k in (3, 4)]
    broken_imu = [("/imu", "sensor_msgs/msg/Imu", START + 555 * MS, b"\x00\x01\x00\x00\x01")]
    run = auditor(recorded(tmp_path, good, bad, imus(1.5), broken_imu))
    assert run.returncode == 1
    problems = {r["topic"]: r for r in run.records if r["record"] == "problem"}
    assert problems["/points"]["count"] == 2 and problems["/points"]["offset"] > 0
    assert problems["/imu"]["offset"] is not None
    assert "recording.mcap, /points, message" in " ".join(run.stdout.split())
    assert len([r for r in run.records if r["record"] == "scan"]) == 15, "the others are audited"


def test_padded_rows_and_big_endian_points_are_read(auditor, tmp_path):
    points = sweep(1600).reshape(16, 100)
    rows = np.zeros((16, 100 * 18 + 24), np.uint8)
    rows[:, : 100 * 18] = points.view(np.uint8).reshape(16, 1800)
    padded = [
        ("/padded", CLOUD, START + k * 100 * MS + 105 * MS,
         cloud(ROS2, START + k * 100 * MS, rows.tobytes(), FIELDS, 18, width=100, height=16, row_step=1824))
        for k in range(12)
    ]  # fmt: skip
    swapped = sweep().astype(POINT.newbyteorder(">"))
    big = scans(12, "/big", change=lambda k, p: swapped, big_endian=True)
    run = auditor(recorded(tmp_path, padded, big))
    for topic in ("/padded", "/big"):
        found = [r for r in run.records if r["record"] == "scan" and r["topic"] == topic]
        assert len(found) == 12
        assert found[5]["scan_duration"] == pytest.approx(0.0999 * 0.99, abs=1e-6)
        assert found[5]["rings"] == 16


def test_very_many_rings_are_no_trouble(auditor, tmp_path):
    fields = [("x", 0, 7, 1), ("y", 4, 7, 1), ("z", 8, 7, 1), ("ring", 12, 6, 1), ("time", 16, 7, 1)]
    dtype = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("ring", "<u4"), ("time", "<f4")])
    points = np.zeros(20_000, dtype)
    points["x"], points["time"] = 1, np.linspace(0, 0.0999, points.size)
    points["ring"] = np.linspace(0, 1_000_000, points.size)
    messages = [
        ("/points", CLOUD, START + k * 100 * MS + 110 * MS, cloud(ROS2, START + k * 100 * MS, points.tobytes(), fields, 20))
        for k in range(8)
    ]
    run = auditor(recorded(tmp_path, messages))
    assert len([r for r in run.records if r["record"] == "scan"]) == 8


def test_laser_scans_count_as_scans(auditor, tmp_path):
    messages = [("/scan", "sensor_msgs/msg/LaserScan", START + k * 50 * MS + 15 * MS, laserscan(ROS2, START + k * 50 * MS))
                for k in range(20)]  # fmt: skip
    messages[7] = (*messages[7][:3], laserscan(ROS2, START + 350 * MS, time_increment=float("nan")))
    run = auditor(recorded(tmp_path, messages, imus(1.0)))
    rows = [r for r in run.records if r["record"] == "scan"]
    assert len(rows) == 19
    assert rows[3]["scan_duration"] == pytest.approx(0.0099, abs=1e-7) and rows[3]["point_count"] == 100
    assert any("time_increment" in r["text"] for r in run.records if r["record"] == "problem")


def test_unknown_types_and_types_without_a_header_are_judged_by_the_log(auditor, tmp_path):
    text = ROS2.types["std_msgs/msg/String"]
    words = [("/words", "std_msgs/msg/String", START + k * 100 * MS, text("a")) for k in range(30)]
    run = auditor(recorded(tmp_path, words))
    (stream,) = [r for r in run.records if r["record"] == "stream"]
    assert stream["messages"] == 30 and stream["stamps"]["steps"] == 0 and stream["log"]["steps"] == 29
    assert run.returncode == 0


def test_scans_with_the_header_at_the_end(auditor, tmp_path):
    # Point-LIO #15: time runs −0.0999 … 0
    run = auditor(recorded(tmp_path, scans(20, change=lambda k, p: sweep(first_s=-0.0989), delay=6 * MS), imus(2.2)))
    (found,) = [r for r in run.records if r["record"] == "finding" and r["code"] == "header_role"]
    assert found["facts"]["header_to_first_ns"] == pytest.approx(-98.9 * MS, abs=0.2 * MS)
    assert "subtract 98.9" in found["remedy"]


def test_stamps_of_another_clock_are_no_delay(auditor, tmp_path):
    # ros2cli #184: stamp 4.0 s, log 1544818734.6 s
    simulated = [("/odom", "sensor_msgs/msg/Imu", START + k * 20 * MS, imu(ROS2, 4 * S + k * 20 * MS)) for k in range(100)]
    # ouster-ros #53: stamps are TAI
    tai = [("/tai", "sensor_msgs/msg/Imu", START + k * 20 * MS, imu(ROS2, START + 37 * S + k * 20 * MS - 5 * MS)) for k in range(100)]
    run = auditor(recorded(tmp_path, simulated, tai))
    assert "clock_domain" in codes(run, "/odom") and not codes(run, "/odom") & {"late", "late_constant", "future"}
    assert "time_scale" in codes(run, "/tai") and not codes(run, "/tai") & {"future"}
    assert "TAI" in run.stdout


def test_a_step_of_the_hosts_clock_is_said_once(auditor, tmp_path):
    # ros_comm #2336: log and stamps of all topics step −2 s at the same instant
    groups = []
    for topic, period in (("/a", 10), ("/b", 20), ("/c", 50)):
        for k in range(6000 // period):
            t = START + k * period * MS
            t -= 2 * S if t > START + 3 * S else 0
            groups.append((topic, "sensor_msgs/msg/Imu", t + 2 * MS, imu(ROS2, t)))
    # a ROS 1 bag keeps the order of its index, by log time; an MCAP in one chunk is sorted too
    by_file = [(t, k, log, imu(STORE1, log - 2 * MS)) for t, k, log, _m in groups]
    run = auditor(write1(tmp_path / "host.bag", by_file))
    (step,) = [r for r in run.records if r["record"] == "finding" and r["code"] == "host_step"]
    assert step["topics"] == ["/a", "/b", "/c"]
    assert step["facts"]["value_ns"] == pytest.approx(-2 * S, abs=60 * MS)
    assert "recorded order" in run.stdout
    assert not codes(run) & {"stamp_jump", "backward", "interleaved", "recorded_backward"}


def test_a_late_joiner_never_gets_a_volatile_map(auditor, simulated):
    run = auditor(simulated, "--topic", "/map")
    assert codes(run, "/map") == {"qos_late_joiner"}


def test_header_is_imported_for_messages(auditor, tmp_path):
    """A driver's own type that begins with a Header is judged by its stamps."""
    stamped = ROS2.types["geometry_msgs/msg/PointStamped"]
    point = ROS2.types["geometry_msgs/msg/Point"]
    messages = [
        ("/p", "geometry_msgs/msg/PointStamped", START + k * 20 * MS + MS, stamped(header(ROS2, START + k * 20 * MS), point(0.0, 0.0, 0.0)))
        for k in range(50)
    ]
    run = auditor(recorded(tmp_path, messages))
    (stream,) = [r for r in run.records if r["record"] == "stream"]
    assert stream["stamps"]["steps"] == 49 and stream["delay"]["median_ns"] == pytest.approx(MS, rel=0.05)
    assert json.dumps(stream)


def test_how_long_a_scan_waits_for_its_transform(auditor, tmp_path):
    kinds = ROS2.types
    identity = kinds["geometry_msgs/msg/Transform"](
        kinds["geometry_msgs/msg/Vector3"](0.0, 0.0, 0.0), kinds["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0)
    )

    def sent(stamp):
        one = kinds["geometry_msgs/msg/TransformStamped"](header(ROS2, stamp, "odom"), "base_link", identity)
        return kinds["tf2_msgs/msg/TFMessage"]([one])

    # transforms every 20 ms arrive 170 ms after their stamp, scans 105 ms after theirs
    transforms = [("/tf", "tf2_msgs/msg/TFMessage", START + k * 20 * MS + 170 * MS, sent(START + k * 20 * MS))
                  for k in range(-10, 130)]  # fmt: skip
    run = auditor(recorded(tmp_path, scans(20), transforms))
    (found,) = [r for r in run.records if r["record"] == "scans"]
    assert found["transforms"] == {
        "scans": 20, "never": 0, "wait_ns": 65 * MS, "queue": 1, "child": "/tf (base_link)"
    }  # fmt: skip
    assert "a queue of 1 and a timeout of 65.0 ms would have saved all scans" in " ".join(run.stdout.split())


def test_topics_that_stayed_silent_are_told(auditor, tmp_path):
    from rosbags.rosbag2 import StoragePlugin, Writer

    with Writer(tmp_path / "silent", version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
        for topic, kind in (("/points", CLOUD), ("/rosout", "rcl_interfaces/msg/Log"), ("/imu", "sensor_msgs/msg/Imu")):
            connection = writer.add_connection(topic, kind, typestore=ROS2)
        for _topic, kind, log_ns, message in imu_messages(50):
            writer.write(connection, log_ns, ROS2.serialize_cdr(message, kind))
    run = auditor(tmp_path / "silent")
    assert codes(run, "/points") == {"no_messages"} and run.returncode == 1
    assert not codes(run, "/rosout")


def test_a_defect_of_the_program_is_no_traceback(tmp_path, monkeypatch, capsys):
    from lidar_time_auditor import audit, cli

    def fail(*_args, **_more):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(audit, "audit", fail)
    assert cli.main([str(tmp_path / "a.mcap")]) == 2
    assert "ZeroDivisionError: a defect" in capsys.readouterr().err
    monkeypatch.setenv("LIDAR_TIME_AUDITOR_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        cli.main([str(tmp_path / "a.mcap")])
