# SPDX-License-Identifier: BSD-3-Clause
"""Wrong types, wrong sizes, closed handles, other threads: an exception that says what is wrong, never a crash."""

import gc
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st_

import sensortime as st
from sensortime import abi, errors, messages, stamps
from sensortime._handle import Handle

POINT = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("t", "<f4")])


def everything(folder=None):
    """One of each handle, and calls that use it."""
    buffer = st.TransformBuffer()
    buffer.insert("a", "b", 0, (0, 0, 0))
    plan, points = st.DeskewPlan(), st.Points(np.zeros((2, 3)), np.array([0.0, 0.1]))
    scan = plan.scan(points)
    plan.from_twist(scan, (1, 0, 0))
    sample = st.Sample(5)
    yield buffer, [
        lambda: buffer.lookup("a", "b", 0), lambda: buffer.insert("a", "b", 1, (0, 0, 0)), lambda: buffer.frames,
        lambda: buffer.insert_many("a", "b", [1], np.zeros((1, 7))), lambda: buffer.to_dot(), lambda: buffer.lint(),
        lambda: buffer.path("a", "b"), lambda: "a" in buffer,
    ]  # fmt: skip
    path = st.TransformBuffer()
    way = path.path("a", "b")
    yield way, [lambda: way.lookup(0), lambda: way.lookup_many([0]), lambda: way.refresh(), lambda: way.edges]
    waiting = st.MessageFilter(st.TransformBuffer(), "a")
    yield waiting, [lambda: waiting.add(0, "b", 1), lambda: list(waiting.releases()), lambda: list(waiting.drops())]
    sync = st.Synchronizer(2)
    yield sync, [lambda: sync.add(0, 0, 1), lambda: list(sync.sets()), lambda: sync.add_many([0], [1], [2])]
    cache = st.MessageCache()
    yield cache, [lambda: cache.add(0, 1), lambda: cache.latest, lambda: cache.interval(0, 1), lambda: len(cache)]
    sequencer = st.TimeSequencer()
    yield sequencer, [lambda: sequencer.add(0, 1), lambda: list(sequencer.ready(5))]
    clock = st.ClockMap()
    yield clock, [lambda: clock.observe_arrival(0, 5), lambda: clock.to_host(0), lambda: clock.to_host_many([0])]
    device = st.DeviceClock()
    yield device, [lambda: device.observe_arrival(0, 5), lambda: device.stamp(0), lambda: device.stamp_many([0])]
    graph = st.ClockGraph()
    yield graph, [lambda: graph.convert(st.BoundedTime(0), 3), lambda: graph.edges, lambda: graph.add_offset(70, 71, 5)]
    source = st.ClockSource()
    yield source, [lambda: source.now(), lambda: source.inspect()]
    counter = st.TickUnwrapper()
    yield counter, [lambda: counter.accept(5), lambda: counter.restart(), lambda: counter.period_ns]
    log = st.AdmissionLog()
    record = st.AdmissionPolicy().check(sample, st.BoundedTime(5))
    yield log, [lambda: log.push(record), lambda: list(log), lambda: log.get(0)]
    imu = st.ImuBuffer()
    yield imu, [
        lambda: imu.insert(0, (0, 0, 0)), lambda: imu.insert_many([1], [[0, 0, 0]]), lambda: imu.samples(),
        lambda: imu.clear(), lambda: plan.from_imu_buffer(scan, imu),
    ]  # fmt: skip
    yield plan, [lambda: plan.apply(points), lambda: plan.info, lambda: plan.poses([0]), lambda: plan.from_twist(scan, (0, 0, 0))]
    epoch = st.Epoch()
    yield epoch, [lambda: epoch.bump(), lambda: epoch.session, lambda: st.MessageCache(epoch=epoch)]
    auditor = st.ScanAuditor()
    yield auditor, [lambda: auditor.add_imu(0), lambda: auditor.findings(), lambda: list(auditor.reports())]
    monitor = st.StreamMonitor()
    yield monitor, [lambda: monitor.add(5), lambda: monitor.report(), lambda: monitor.findings()]


def test_a_closed_handle_says_so_and_closing_twice_is_nothing():
    seen = set()
    for handle, calls in everything():
        seen.add(type(handle))
        handle.close()
        handle.close()
        assert handle.closed
        for number, call in enumerate(calls):
            with pytest.raises(errors.InvalidStateError, match="closed"):
                call()
                pytest.fail(f"{type(handle).__name__} call {number} worked on a closed handle")
    made = {c for c in Handle.__subclasses__()}
    assert seen == made, made ^ seen


def test_a_closed_handle_says_so_in_another_thread_too():
    for handle, calls in everything():
        handle.close()
        caught = []

        def use(calls=calls, caught=caught):
            for call in calls:
                try:
                    call()
                except errors.InvalidStateError as error:
                    caught.append(error)

        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        assert len(caught) == len(calls), type(handle).__name__


def test_what_was_made_from_a_handle_keeps_it_alive_but_refuses():
    buffer = st.TransformBuffer()
    buffer.insert("a", "b", 0, (0, 0, 0))
    path, waiting = buffer.path("a", "b"), st.MessageFilter(buffer, "a")
    waiting.add(5, "b", "x")
    buffer.close()
    for call in (lambda: path.lookup(0), lambda: waiting.add(0, "b", 1), lambda: list(waiting.releases())):
        with pytest.raises(errors.InvalidStateError, match="its TransformBuffer is closed"):
            call()
    del buffer
    gc.collect()
    path.close()
    waiting.close()  # the last one frees the buffer


@pytest.mark.parametrize("order", ["buffer first", "path first"])
def test_garbage_collection_in_any_order_frees_once(order):
    code = (
        "import sensortime as st\n"
        "for _ in range(200):\n"
        "    b = st.TransformBuffer(); b.insert('a', 'b', 0, (0, 0, 0)); p = b.path('a', 'b'); f = st.MessageFilter(b, 'a')\n"
        f"    {'del b, p, f' if order == 'buffer first' else 'del p, f, b'}\n"
        "    g = st.ClockGraph(); m = st.ClockMap(); g.add_map(m); m.close(); del g\n"
        "print('whole')\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, "whole"), run.stderr


def test_closing_waits_for_long_calls_of_other_threads():
    """Without that, the plan would be freed under the thread that applies it."""
    points = st.Points(np.random.default_rng(0).uniform(-9, 9, (200_000, 3)), np.linspace(0, 0.1, 200_000))
    for _ in range(10):
        plan = st.DeskewPlan()
        plan.from_twist(plan.scan(points), (1, 0, 0), (0, 0, 1))
        seen = []

        def apply(plan=plan, seen=seen):
            try:
                while True:
                    plan.apply(points)
                    seen.append("applied")
            except Exception as error:  # noqa: BLE001
                seen.append(str(error))

        threads = [threading.Thread(target=apply) for _ in range(2)]
        for one in threads:
            one.start()
        while not seen:
            time.sleep(1e-4)
        plan.close()
        for one in threads:
            one.join()
        assert sum("closed" in one for one in seen) == 2


def test_a_plan_is_not_changed_under_those_who_apply_it():
    points = st.Points(np.zeros((100_000, 3)), np.linspace(0, 0.1, 100_000))
    plan = st.DeskewPlan()
    scan = plan.scan(points)
    plan.from_twist(scan, (1, 0, 0))
    refused, stop = [], threading.Event()

    def change():
        while not stop.is_set():
            try:
                plan.from_twist(scan, (1, 0, 0))
            except errors.InvalidStateError as error:
                refused.append(str(error))

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(50):
            out = plan.apply(points)
            assert out.points[-1, 0] == pytest.approx(0.1, abs=1e-5)
    finally:
        stop.set()
        thread.join()
    assert all("in use by another thread" in one for one in refused)


def test_planning_waits_for_nobody_and_says_so():
    points, plan = st.Points(np.zeros((2, 3)), np.array([0.0, 0.1])), st.DeskewPlan()
    scan = plan.scan(points)
    plan.from_twist(scan, (1, 0, 0))
    plan._enter()  # what a long call of another thread does
    with pytest.raises(errors.InvalidStateError, match="in use by another thread"):
        plan.from_twist(scan, (2, 0, 0))
    plan._leave()
    plan.from_twist(scan, (2, 0, 0))


def test_threads_may_share_what_is_fed_from_callbacks():
    buffer, sync, matched = st.TransformBuffer(), st.Synchronizer(2, queue=100), []
    waiting, failures = st.MessageFilter(buffer, "odom", capacity=1000), []
    back = []

    def work(which):
        try:
            for k in range(300):
                buffer.insert("odom", f"s{which}", k, (k, 0, 0))
                buffer.insert_many("odom", f"m{which}", [k, k + 1], np.tile([0.0, 0, 0, 1, 0, 0, 0], (2, 1)))
                waiting.add(k, f"s{which}", (which, k))
                back.extend(one.payload for one in waiting.releases())
                sync.add(which % 2, k, (which, k))
                sync.add_many([0, 1], [k, k], [(which, k, 0), (which, k, 1)])
                matched.extend(m for one in sync.sets() for m in one.members)
                matched.extend(one.payload for one in sync.drops())
                buffer.to_json()
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    slice_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns as often as they can
    try:
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    finally:
        sys.setswitchinterval(slice_s)
    assert not failures, failures
    back += [one.payload for one in waiting.releases()] + [one.payload for one in waiting.drops()]
    assert sorted(back) == sorted((n, k) for n in range(4) for k in range(300))
    sync.clear()
    matched += [one.payload for one in sync.drops()]
    given_ = [(n, k) for n in range(4) for k in range(300)] + [(n, k, m) for n in range(4) for k in range(300) for m in (0, 1)]
    assert sorted(matched) == sorted(given_) and not sync._payloads and not waiting._payloads


# ---- arguments ----

WRONG_STAMPS = [
    ([0.5, 1.5], TypeError, "integers, not float"), (np.array([1.0, 2.0]), TypeError, "integers, not float64"), (np.zeros((2, 2), np.int64), ValueError, "one-dimensional"),
    (["a", "b"], TypeError, "integers"), ([2**63, 5], OverflowError, "fit int64"), ([None, 1], TypeError, "integer"),
    ([2**70, 1], OverflowError, "not all fit"), (np.array([1 + 2j, 3]), TypeError, "complex"),
    (np.array(["2020-01-01"] * 2, "M8[s]"), TypeError, "datetime"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "kind", "text"), WRONG_STAMPS)
def test_stamps_that_are_none_are_refused_everywhere(wrong, kind, text):
    buffer = st.TransformBuffer()
    buffer.insert("a", "b", 0, (0, 0, 0))
    plan = st.DeskewPlan()
    calls = [
        lambda: buffer.path("a", "b").lookup_many(wrong), lambda: buffer.insert_many("a", "b", wrong, np.zeros((2, 7))),
        lambda: st.ImuBuffer().insert_many(wrong, np.zeros((2, 3))), lambda: st.ClockMap().to_host_many(wrong),
        lambda: st.Synchronizer(2).add_many([0, 1], wrong, "ab"), lambda: plan.poses(wrong),
        lambda: st.ScanAuditor().add_imus(wrong),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(kind, match=text):
            call()


@pytest.mark.parametrize("wrong", [2**63, -(2**63) - 1, 2**200])
def test_numbers_that_do_not_fit_are_not_cut(wrong):
    buffer = st.TransformBuffer()
    calls = [
        lambda: stamps.add(wrong, 0), lambda: buffer.insert("a", "b", wrong, (0, 0, 0)), lambda: st.BoundedTime(wrong),
        lambda: buffer.lookup("a", "b", wrong), lambda: st.Synchronizer(2).add(0, wrong, 1), lambda: st.Sample(wrong),
        lambda: st.MessageCache().add(wrong, 1), lambda: st.ClockMap().to_host(wrong), lambda: st.Interval(wrong, 0) & (0, 0),
        lambda: st.DeviceClock().observe_arrival(1, wrong), lambda: st.Points(np.zeros((1, 3)), [0.0], base_ns=wrong),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(OverflowError, match="fit"):
            call()
    for call in (lambda: st.DeviceClock().observe_arrival(-1, 0), lambda: st.Epoch().bump(2**32), lambda: stamps.to_gps(5, -1)):
        with pytest.raises(OverflowError, match="without sign"):
            call()


@pytest.mark.parametrize("wrong", [1.5, "5", None, [1]])
def test_a_stamp_is_a_whole_number(wrong):
    for call in (
        lambda: stamps.add(wrong, 0), lambda: st.BoundedTime(wrong), lambda: st.Sample(wrong),
        lambda: st.TransformBuffer().insert("a", "b", wrong, (0, 0, 0)), lambda: st.TickUnwrapper().accept(wrong),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="whole number"):
            call()


def test_numpy_integers_are_whole_numbers():
    assert stamps.add(np.int64(5), np.uint8(6)) == 11
    buffer = st.TransformBuffer()
    buffer.insert("a", "b", np.int64(5), np.zeros(3))
    assert buffer.lookup("a", "b", np.int32(5)).stamp_ns == 5


def test_arrays_of_the_wrong_shape_say_which_shape():
    buffer, imu = st.TransformBuffer(), st.ImuBuffer()
    cases = [
        (lambda: buffer.insert_many("a", "b", [1, 2], np.zeros((2, 6))), r"2 × 7, not 2 × 6"),
        (lambda: buffer.insert_many("a", "b", [1, 2], np.zeros((3, 7))), r"2 × 7, not 3 × 7"),
        (lambda: imu.insert_many([1], np.zeros(3)), r"1 × 3, not 3"),
        (lambda: imu.insert(1, (0, 0)), "3 numbers, not 2"),
        (lambda: st.Pose((0, 0, 1)), "4 numbers, not 3"),
        (lambda: st.Points(np.zeros((5, 2))), "n × 3, not 5 × 2"),
        (lambda: st.Points(np.zeros((5, 3)), np.zeros(4)), "5 points"),
        (lambda: st.Points(np.zeros((5, 3)), rings=np.zeros(6, int)), "5 points"),
        (lambda: st.Points(np.zeros((3, 5)).T[:, :3].T), "n × 3|next to each other"),
        (lambda: st.Points(np.zeros((5, 3), order="F")), "next to each other"),
        (lambda: st.Points(np.broadcast_to(np.zeros(3), (5, 3))), "next to each other"),
        (lambda: st.Points((np.zeros(5), np.zeros(5), np.zeros(6))), "one length"),
        (lambda: st.Points((np.zeros(10)[::2], np.zeros(5), np.zeros(5))), "same stride"),
        (lambda: st.Pose().apply(np.zeros((4, 2))), "n × 3"),
        (lambda: st.Pose().apply(np.zeros((4, 3)), out=np.zeros((4, 3), np.float32)), "out must be like"),
        (lambda: st.Synchronizer(2).add_many([0], [1, 2], "ab"), "differ in length"),
        (lambda: st.Laser(np.zeros((2, 2)), 0), "one-dimensional"),
        (lambda: st.Points(np.zeros((5, 3)), np.zeros(5), unit="fortnight"), "fortnight"),
        (lambda: st.PointCloud.from_numpy(np.zeros(5, POINT).reshape(5, 1)), "one-dimensional"),
    ]  # fmt: skip
    for call, text in cases:
        with pytest.raises((ValueError, TypeError), match=text):
            call()


def test_types_that_are_no_coordinates_are_refused():
    for kind in (np.complex128, np.bool_, object, ">f4", np.float16):
        with pytest.raises(TypeError, match="coordinates"):
            st.Points(np.zeros((5, 3), kind))
    for kind in (np.int32, np.uint8):
        with pytest.raises(errors.InvalidArgError, match="coordinates of"):
            st.Points(np.zeros((5, 3), kind))
    with pytest.raises(TypeError, match="MESSAGE_DTYPE"):
        st.StreamMonitor().add_many(np.zeros(5))
    with pytest.raises(TypeError, match="BOUNDED_DTYPE"):
        st.ClockGraph().convert_many(np.zeros(5, np.int64), 3)
    with pytest.raises(TypeError, match="SAMPLE_DTYPE"):
        st.ImuBuffer().insert_records(np.zeros(4, st.imu.SAMPLE_DTYPE)[::2])


def test_read_only_points_are_read_but_not_written():
    xyz = np.ones((4, 3))
    xyz.flags.writeable = False
    points = st.Points(xyz, np.array([0.0, 0.1, 0.2, 0.3]))
    plan = st.DeskewPlan()
    plan.from_twist(plan.scan(points), (1, 0, 0))
    assert plan.apply(points).points[3, 0] == pytest.approx(1.3)
    with pytest.raises(ValueError, match="not ours to write"):
        plan.apply_in_place(points)
    with pytest.raises(ValueError, match="writeable"):
        plan.apply(points, out=xyz)
    with pytest.raises(ValueError, match="writeable"):
        st.Pose().apply(np.ones((4, 3)), out=xyz)
    with pytest.raises(ValueError, match="out must be 4 × 3"):
        plan.apply(points, out=np.zeros((5, 3)))
    with pytest.raises(ValueError, match="contiguous"):
        plan.apply(points, out=np.zeros((4, 6))[:, ::2])
    assert (xyz == 1).all()


def test_not_a_number_is_refused_or_kept_as_it_was():
    nan = float("nan")
    buffer = st.TransformBuffer()
    with pytest.raises(errors.NonFiniteError):
        buffer.insert("a", "b", 0, (nan, 0, 0))
    assert (buffer.insert_many("a", "b", [0], [[0, 0, 0, 1, nan, 0, 0]]) == abi.SNT_ERR_NON_FINITE).all()
    with pytest.raises(errors.NonFiniteError):
        st.Pose((0, 0, 0, nan)).check()
    with pytest.raises(errors.NonFiniteError):
        st.ImuBuffer().insert(0, (nan, 0, 0))
    plan = st.DeskewPlan()
    points = st.Points(np.array([[nan, 0, 0], [1, 0, 0], [2, 0, 0]]), np.array([0.0, nan, 0.1]))
    scan = plan.scan(points)
    with pytest.raises(errors.NonFiniteError):
        plan.from_twist(scan, (nan, 0, 0))
    with pytest.raises(errors.InvalidStateError):
        plan.apply(points)
    plan.from_twist(scan, (1, 0, 0))
    out = plan.apply(points, flags=True)
    assert np.isnan(out.points[0, 0]) and out.points[1, 0] == 1 and out.points[2, 0] == pytest.approx(2.1)
    assert out.flags[0] & abi.SNT_POINT_NON_FINITE and out.flags[1] & abi.SNT_POINT_INVALID_TIME
    with pytest.raises(errors.NoTimeError):
        plan.scan(st.Points(np.zeros((2, 3)), np.array([nan, nan])))


def test_names_hold_no_nul_and_options_are_known():
    buffer = st.TransformBuffer()
    for call in (lambda: buffer.insert("a\0b", "c", 0, (0, 0, 0)), lambda: st.MessageFilter(buffer, "a\0")):
        with pytest.raises(ValueError, match="NUL"):
            call()
    with pytest.raises(TypeError, match="must be a str"):
        buffer.insert(b"a", "c", 0, (0, 0, 0))
    for make in (st.TransformBuffer, st.ClockMap, st.DeskewPlan, st.MessageCache, st.StreamMonitor, st.ImuBuffer):
        with pytest.raises(TypeError, match="no option 'colour'"):
            make(colour=5)
        with pytest.raises(TypeError, match="no option 'struct_size'"):
            make(struct_size=5)
    with pytest.raises(ValueError, match="no reference 'noon'"):
        st.DeskewPlan.scan(st.Points(np.zeros((1, 3)), [0.0]), "noon")


def test_a_range_beyond_the_cloud_is_refused():
    plan, points = st.DeskewPlan(), st.Points(np.zeros((4, 3)), np.linspace(0, 0.1, 4))
    plan.from_twist(plan.scan(points), (1, 0, 0))
    for first, count in ((5, None), (0, 5), (2**63, None), (3, 2**63)):
        with pytest.raises(errors.InvalidArgError):
            plan.apply(points, first=first, count=count)
    with pytest.raises(OverflowError):
        plan.apply(points, first=-1)
    with pytest.raises((ValueError, errors.SensorTimeError)):
        plan.rows(0, 0, 2**40)


@given(st_.binary(max_size=300), st_.sampled_from([messages.CDR, messages.ROS1, 77]))
def test_bytes_that_are_no_message_are_refused(raw, encoding):
    readers = [
        messages.header, messages.imu, messages.odometry, messages.clock, messages.laserscan, messages.livox,
        lambda r, e: list(messages.transforms(r, e)), st.PointCloud.from_ros,
    ]  # fmt: skip
    for reader in readers:
        for kind in (bytes, bytearray):
            try:
                reader(kind(raw), encoding)
            except errors.SensorTimeError as error:
                assert str(error)
    for function in (lambda: messages.stamps("sensor_msgs/msg/Imu", [raw, raw], encoding), lambda: messages.tf_stamps([raw], encoding)):
        try:
            function()
        except errors.SensorTimeError:
            assert encoding == 77


@given(st_.binary(max_size=700))
def test_bytes_that_are_no_mapping_or_leap_list_are_refused(raw):
    with pytest.raises(ValueError):
        st.ClockMapping(raw)
    with pytest.raises(errors.SensorTimeError):
        st.LeapTable(raw)


def test_messages_are_bytes():
    for wrong in ("text", 5, [1, 2], np.zeros(5)):
        with pytest.raises(TypeError):
            st.PointCloud.from_ros(wrong)
        with pytest.raises(TypeError):
            messages.header(wrong)


def test_nothing_is_left_when_making_fails():
    with pytest.raises(errors.RangeError):
        st.TransformBuffer(max_frames=2**31)
    with pytest.raises(errors.SensorTimeError):
        st.ClockMap(rate_bound_ppb=-5)
    with pytest.raises(errors.SensorTimeError):
        st.AdmissionLog(0)
    gc.collect()
