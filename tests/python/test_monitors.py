# SPDX-License-Identifier: BSD-3-Clause
"""Stream monitor, scan auditor and QoS through the package."""

import numpy as np
import pytest
from small_recordings import MS, START, S

from sensortime import abi, errors, qos
from sensortime.scans import ScanAuditor, loss_reasons
from sensortime.streams import HAS_LOG, HAS_STAMP, MESSAGE_DTYPE, StreamMonitor


def test_the_articles_jitter_log():
    monitor = StreamMonitor()
    for seconds in (10.000, 10.100, 10.201, 10.300, 10.400, 10.650):
        monitor.add(round(seconds * S), round(seconds * S) + 5 * MS)
    report = monitor.report()
    assert report.stamps.median_ns == pytest.approx(100 * MS, rel=1 / 32)
    assert (report.missing_lo, report.missing_hi) == (1, 2)
    monitor.add(round(10.640 * S), round(10.66 * S))
    assert monitor.report().stamps.backward == 1
    assert "backward" in {f.name for f in monitor.findings()}


def test_batches_and_single_messages_say_the_same():
    rng = np.random.default_rng(3)
    messages = np.zeros(500, MESSAGE_DTYPE)
    messages["stamp_ns"] = START + np.arange(500) * 10 * MS
    messages["log_ns"] = messages["stamp_ns"] + rng.integers(MS, 3 * MS, 500)
    messages["flags"] = HAS_STAMP | HAS_LOG
    one, many = StreamMonitor(), StreamMonitor()
    for m in messages:
        one.add(int(m["stamp_ns"]), int(m["log_ns"]))
    many.add_many(messages)
    assert bytes(one.report()) == bytes(many.report())
    with pytest.raises(TypeError):
        many.add_many(messages[::2])
    with pytest.raises(TypeError):
        many.add_many(np.zeros(3))


def test_findings_say_what_it_means_and_what_to_do():
    monitor = StreamMonitor()
    for k in range(50):
        monitor.add(0 if k % 10 == 3 else START + k * 100 * MS, START + k * 100 * MS + 2 * MS)
    zero = [f for f in monitor.findings() if f.name == "zero_stamp"]
    assert len(zero) == 1
    assert zero[0].facts["count"] == 5
    assert zero[0].meaning and zero[0].remedy and "5" in str(zero[0])


def test_closed_handles_and_unknown_options_are_refused():
    with StreamMonitor() as monitor:
        monitor.add(START, START)
    with pytest.raises(errors.InvalidStateError):
        monitor.report()
    monitor.close()
    with pytest.raises(TypeError, match="no option"):
        StreamMonitor(no_such_option=1)


_kept = []


def sweep(rays, step_s, start_ns):
    """A cloud without coordinates, as one laser scan makes it."""
    times = np.arange(rays) * step_s
    cloud = abi.snt_cloud(count=rays, time_ref=abi.SNT_TIME_REF_RELATIVE, time_base_ns=start_ns)
    cloud.time_unit_num, cloud.time_unit_den = S, 1
    cloud.time.data, cloud.time.stride, cloud.time.type = times.ctypes.data, 8, abi.SNT_TYPE_F64
    _kept.append(times)  # the cloud holds its address
    return cloud


def test_laser_scans_and_their_imu():
    auditor = ScanAuditor()
    for k in range(40):
        auditor.add_imus([START + k * 50 * MS + i * 5 * MS for i in range(9)])
        assert auditor.add_imu(START + k * 50 * MS + 45 * MS)
        assert not auditor.add_imu(START + k * 50 * MS + 45 * MS), "a duplicate"
        start = START + k * 50 * MS
        auditor.add_scan(sweep(361, 1e-4, start), start, start + 40 * MS, 1000 + k)
    auditor.finish()
    reports = list(auditor.reports())
    assert [r.token for r in reports] == list(range(1000, 1040))
    assert reports[5].duration_ns == 36 * MS
    assert reports[5].imu_inside == 8  # 0, 5, …, 35 ms
    assert reports[5].flags & abi.SNT_SCAN_IMU_BRACKETED
    summary = auditor.summary()
    assert (summary.scans, summary.suspected, summary.imu_samples - summary.imu_duplicate) == (40, 0, 400)
    with pytest.raises(errors.InvalidStateError):
        auditor.add_scan(sweep(10, 1e-4, START), START)


def test_the_articles_qos_table():
    reliable = qos.Profile(reliability=abi.SNT_QOS_RELIABLE, durability=abi.SNT_QOS_VOLATILE, history=1, depth=5,
                           liveliness=abi.SNT_QOS_AUTOMATIC)  # fmt: skip
    sensor, latched = qos.Profile.preset("sensor_data"), qos.Profile.preset("latched_map")
    assert qos.check_profiles(reliable, sensor)
    assert qos.check_profiles(sensor, sensor)
    mismatch = qos.check_profiles(sensor, qos.Profile.preset("default"))
    assert not mismatch.compatible and mismatch.has(abi.SNT_QOS_RELIABILITY_MISMATCH)
    assert any("best effort" in reason for reason in mismatch.reasons)
    assert not qos.check_profiles(reliable, latched)
    late = qos.check_profiles(latched, reliable)
    assert late and late.has(abi.SNT_QOS_LATE_JOINER)
    assert "reliable" in str(latched)


def test_loss_reasons_are_words():
    assert loss_reasons(0) == []
    both = loss_reasons(abi.SNT_LOSS_POINT_COUNT | abi.SNT_LOSS_TIME_GAP)
    assert len(both) == 2 and all(both)
