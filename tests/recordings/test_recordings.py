# SPDX-License-Identifier: BSD-3-Clause
"""Real public recordings: the audit says what opening each file by hand has shown. Skipped where they are not at hand."""

from pathlib import Path

import numpy as np
import pytest

from lidar_time_auditor.audit import audit
from lidar_time_auditor.pcd import read_pcd
from sensortime import abi
from sensortime.clouds import PointCloud

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
MS = 1_000_000


def recording(*parts):
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not at hand (../shared/data)")
    return path


def audited(*parts):
    result = audit(recording(*parts))
    result.by_name = {s.name: s for s in result.streams}
    result.scans_of = {s.topic: s for s in result.scans}
    return result


def codes(result, topic):
    return {i.code for i in result.items if topic in (i.topics or [i.topic])}


def item(result, code, topic):
    return next(i for i in result.items if i.code == code and topic in (i.topics or [i.topic]))


def test_robot_localization_test1():
    result = audited("cra-ros-pkg+robot_localization", "test1.bag")
    assert result.log_is_unix
    counts = {n: s.report.messages for n, s in result.by_name.items()}
    assert counts == {"/imu/data": 11865, "/husky_velocity_controller/odom": 3952, "/fix": 989}
    imu = result.by_name["/imu/data"].report
    assert (imu.last_log_ns - imu.first_log_ns) / 1e9 == pytest.approx(395, abs=1)
    assert imu.stamps.median_ns == pytest.approx(33.320 * MS, rel=1 / 32)
    # every 101st step is shorter: the stamps are slewed
    slew = item(result, "slewed_stamps", "/imu/data")
    assert slew.facts["equal_steps"] == pytest.approx(11746, abs=2)
    assert slew.facts["usual_step_ns"] == pytest.approx(33.320 * MS, abs=2000)
    assert slew.facts["corrections"] == pytest.approx(118, abs=2)
    assert slew.facts["total_ns"] == pytest.approx(-20.1 * MS, abs=0.2 * MS)
    assert slew.facts["every"] == 101
    # the delay sinks, and not in a line
    assert imu.delay.max_ns == pytest.approx(36.3 * MS, abs=0.1 * MS)
    assert imu.delay.min_ns == pytest.approx(20.7 * MS, abs=0.1 * MS)
    assert imu.delay.drift_ppb < -20_000
    assert abs(imu.delay.floor_first_ppb - imu.delay.floor_second_ppb) > 5_000
    assert "delay_trend" in codes(result, "/imu/data")


def test_tilt_laser():
    result = audited("facontidavide+PlotJuggler", "tilt_laser.bag")
    scan = result.by_name["/scan"].report
    assert scan.messages == 178
    assert 88 * MS <= scan.stamps.min_ns and scan.stamps.max_ns <= 109 * MS
    assert scan.longest_hold_ns == pytest.approx(683 * MS, abs=1 * MS)
    assert "burst" in codes(result, "/scan")
    assert "gap" not in codes(result, "/scan"), "a burst of the log is no gap of the sensor"
    scans = result.scans_of["/scan"]
    assert scans.summary.points_median == 1078
    assert scans.summary.duration_median_ns == pytest.approx(1077 * 17.4e3, rel=0.05)
    imu = result.by_name["/imu_data"].report
    assert imu.messages == 356 and imu.stamps.rate_hz == pytest.approx(20, abs=0.1)
    frames = [s for s in result.streams if s.topic == "/tf"]
    assert sum(s.report.messages for s in frames) == 711
    assert [s.report.stamps.backward for s in frames] == [0] * len(frames)
    assert not {"backward", "interleaved"} & {i.code for i in result.items}
    assert min(s.report.delay.min_ns for s in frames) == pytest.approx(-81.1 * MS, abs=0.2 * MS)
    assert any("future" in codes(result, s.name) for s in frames)


def test_sick_rms_movement_off():
    result = audited("SICKAG+sick_scan_xd", "rms_1xxx_lms_1xx_movement_off.bag")
    scan = result.by_name["/sick_lms_1xx/scan"].report
    assert scan.messages == 89
    assert scan.stamps.mean_ns == pytest.approx(20.04 * MS, abs=0.1 * MS)
    assert scan.stamps.max_ns - scan.stamps.min_ns < 1 * MS
    assert scan.delay.min_ns == pytest.approx(23.9 * MS, abs=0.1 * MS)
    assert scan.delay.max_ns == pytest.approx(71.1 * MS, abs=0.1 * MS)
    assert "delivery_jitter" in codes(result, "/sick_lms_1xx/scan")
    scans = result.scans_of["/sick_lms_1xx/scan"]
    assert scans.summary.points_median == 541
    assert scans.summary.duration_median_ns == pytest.approx(540 * 27.8e3, rel=0.05)
    (frame,) = [s for s in result.streams if s.topic == "/tf"]
    assert -99.9 * MS < frame.report.delay.min_ns and frame.report.delay.max_ns < -99.3 * MS
    assert "post-dated" in item(result, "future", frame.name).text
    radar = result.by_name["/cloud_radar_rawtarget"].report
    assert (radar.messages, radar.stamps.equal) == (139, 121)
    assert "duplicate" in codes(result, "/cloud_radar_rawtarget")


def test_rosbag2_in_wal_mode_is_left_alone():
    path = recording("facontidavide+PlotJuggler", "rosbag2_test_0.db3")
    assert path.read_bytes()[18:20] == b"\x02\x02", "write-ahead mode"
    before = {p.name: (p.stat().st_size, p.stat().st_mtime_ns) for p in path.parent.iterdir()}
    result = audit(path)
    assert {p.name: (p.stat().st_size, p.stat().st_mtime_ns) for p in path.parent.iterdir()} == before
    streams = [s.report for s in result.streams if s.report is not None]
    assert [r.messages for r in streams] == [1565] * 3
    for report in streams:
        assert report.stamps.mean_ns == pytest.approx(40.003 * MS, abs=0.01 * MS)
        assert report.stamps.std_ns < 0.3 * MS
    assert min(r.delay.min_ns for r in streams) == pytest.approx(0.16 * MS, abs=0.01 * MS)
    assert max(r.delay.max_ns for r in streams) == pytest.approx(41 * MS, abs=0.1 * MS)
    assert result.findings == [] and result.exit_code == 0


def test_lz4_turtles():
    result = audited("foxglove+rosbag", "example-lz4.bag")
    frames = [s for s in result.streams if s.topic == "/tf"]
    assert sum(s.report.messages for s in frames) == 2688
    assert [s.report.stamps.backward for s in frames] == [0, 0]
    assert not any(codes(result, s.name) & {"backward", "interleaved", "stamp_jump"} for s in frames)


def test_novatel_header_stamps_are_times_of_reception():
    result = audited("novatel+novatel_oem7_driver", "ins1.bag")
    found = item(result, "device_time_differs", "/novatel/oem7/insstdev")
    # GPS milliseconds in the message advance by whole seconds while the headers are 6 ms apart
    assert found.facts["device_step_ns"] == 1000 * MS
    assert found.facts["field"] == "nov_header.gps_week_milliseconds"
    assert found.facts["ratio"] > 29
    assert "reception" in found.text


def test_velodyne_times_are_relative_to_each_packet():
    path = recording("tier4+nebula", "velodyne_vlp16_1673400472138016708.pcd")
    points = read_pcd(path)
    assert points.size == 14831
    steps = np.diff(points["time_stamp"].astype(np.int64))
    assert (steps < 0).sum() == 149
    layout = PointCloud.from_numpy(points).layout
    assert layout.status == abi.SNT_ERR_NO_TIME
    assert layout.struct.time_ref == abi.SNT_TIME_REF_PACKET and layout.shows("per_packet")
    assert layout.report.packet_span_ns == pytest.approx(1_306_368, rel=0.01)
    assert layout.report.restarts == 149
    result = audit(path)
    assert "per_packet_time" in {i.code for i in result.items}
    assert result.exit_code == 1


@pytest.mark.parametrize("name", ["hesai_xt32m_packets.db3", "hesai_pandar40p_packets.db3", "velodyne_vlp16_packets.db3"])
def test_raw_packet_recordings_are_read(name):
    result = audited("tier4+nebula", name)
    (stream,) = [s for s in result.streams if s.report is not None]
    assert stream.report.messages == 4 and stream.report.stamps.steps == 3


def test_ouster_packets_without_a_header_are_judged_by_the_log():
    result = audited("ouster-lidar+ouster-sdk", "tests__bags__512x10_raw.bag")
    lidar = result.by_name["/os_node0/lidar_packets"].report
    assert lidar.messages == 32 and lidar.stamps.steps == 0 and lidar.log.steps == 31
