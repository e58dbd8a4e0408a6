# SPDX-License-Identifier: BSD-3-Clause
"""Real public recordings through the synchronizer and the message filter: every message is accounted for."""

import bisect
import ctypes
from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag1 import Reader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from sensortime import abi, lib
from sensortime.sync import Synchronizer

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
MS = 1_000_000
UNKNOWN = abi.SNT_UNKNOWN


def recording(*parts):
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not at hand (../shared/data)")
    return path


def comma(name):
    seconds = np.load(recording("commaai+comma2k19", f"{name}.npy"))
    return np.round(seconds * 1e9).astype(np.int64)


def feed(sync, streams):
    """All streams merged by time, as they would arrive; payloads are (input, index). Returns sets and drops."""
    order = sorted((int(t), i, k) for i, stream in enumerate(streams) for k, t in enumerate(stream))
    sets, drops = [], []
    for t, i, k in order:
        if sync.add(i, t, (i, k)):
            sets += sync.sets()
            drops += sync.drops()
    return sets, drops


def test_every_camera_frame_gets_the_gyro_at_its_stamp():
    camera, gyro = comma("global_pose_frame_times"), comma("processed_log_IMU_gyro_t")
    assert camera.size == 1200 and gyro.size == 6256
    role = {"role": abi.SNT_ROLE_INTERPOLATED, "queue": 64}
    with Synchronizer([{}, role], domain=abi.SNT_DOMAIN_STEADY) as sync:
        sets, drops = feed(sync, [camera, gyro])
        stamps = gyro.tolist()
        for one in sets:
            (_, frame), pair = one.members[0], one.members[1]
            (_, before), (_, after), weight = pair
            right = bisect.bisect_right(stamps, camera[frame])
            assert stamps[before] <= camera[frame] <= stamps[after]
            assert (before, after) == (right - 1, right) or stamps[right - 1] == camera[frame]
            assert weight == pytest.approx((camera[frame] - stamps[before]) / max(1, stamps[after] - stamps[before]))
        inside = [k for k, t in enumerate(camera) if gyro[0] <= t <= gyro[-1]]
        assert sorted(s.members[0][1] for s in sets) == inside
        gone = [d for d in drops if d.input == 0]
        assert sorted(d.payload[1] for d in gone) == [k for k, t in enumerate(camera) if t < gyro[0]]
        assert {d.facts.reason for d in gone} == {abi.SNT_DROP_NO_PARTNER}
        assert lib.snt_synchronizer_check(sync.handle) == abi.SNT_OK


@pytest.mark.parametrize("flags", [0, abi.SNT_SYNC_COMPAT])
def test_camera_and_speed_are_matched_and_counted(flags):
    camera, speed = comma("global_pose_frame_times"), comma("processed_log_CAN_speed_t")
    with Synchronizer(2, domain=abi.SNT_DOMAIN_STEADY, flags=flags, max_separation_ns=20 * MS) as sync:
        sets, drops = feed(sync, [camera, speed])
        tokens = [m for s in sets for m in s.members] + [d.payload for d in drops]
        assert len(set(tokens)) == len(tokens)
        # one period of 12 ms: the nearest speed is at most 6 ms away, a little more where messages jitter
        assert len(sets) >= 1195
        assert max(s.separation_ns for s in sets) <= 12 * MS
        nearest = []
        for one in sets:
            frame, k = one.members[0][1], one.members[1][1]
            best = np.abs(speed - camera[frame]).min()
            nearest.append(abs(int(speed[k]) - int(camera[frame])) - int(best))
        assert np.mean(np.array(nearest) == 0) > 0.95  # narrow sets, not just any
        for a, b in zip(sets, sets[1:]):
            assert a.members[0] < b.members[0] and a.members[1] < b.members[1]  # never crossing
        assert lib.snt_synchronizer_check(sync.handle) == abi.SNT_OK
        held = 1200 + 4974 - len(tokens)
        assert 0 <= held <= 24


def test_radar_bursts_lose_nothing():
    """10 100 stamps, 3937 of them repeated: equal stamps are kept apart by their order."""
    radar, camera = comma("processed_log_CAN_radar_t"), comma("global_pose_frame_times")
    with Synchronizer(
        2, domain=abi.SNT_DOMAIN_STEADY, policy=abi.SNT_SYNC_EARLIEST, max_separation_ns=10 * MS, queue=256
    ) as sync:
        sets, drops = feed(sync, [radar, camera])
        tokens = [m for s in sets for m in s.members] + [d.payload for d in drops]
        assert len(set(tokens)) == len(tokens)
        assert len(sets) >= 1000
        assert all(s.separation_ns <= 10 * MS for s in sets)
        assert 0 <= radar.size + camera.size - len(tokens) <= 512


TF = "tf/msg/tfMessage"


def nanoseconds(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


def test_every_scan_of_a_bursty_log_is_released_with_its_transform_or_explained():
    path = recording("facontidavide+PlotJuggler", "tilt_laser.bag")
    store = get_typestore(Stores.ROS1_NOETIC)
    store.register(get_types_from_msg("geometry_msgs/TransformStamped[] transforms", TF))
    buffer, filt = ctypes.POINTER(abi.snt_tf_buffer)(), ctypes.POINTER(abi.snt_message_filter)()
    assert lib.snt_tf_buffer_create(None, None, ctypes.byref(buffer)) == 0
    cfg = abi.snt_message_filter_config()
    lib.snt_message_filter_config_init(ctypes.byref(cfg), ctypes.sizeof(cfg))
    cfg.capacity = 20  # bursts of 683 ms at 10 Hz, and a margin
    cfg.wait_timeout_ns = 2000 * MS
    assert lib.snt_message_filter_create(buffer, ctypes.byref(cfg), None, ctypes.byref(filt)) == 0
    released, dropped, scans, frames, target = [], [], {}, set(), None
    release, results, drop = abi.snt_filter_release(), (abi.snt_tf_result * 2)(), abi.snt_filter_drop()

    def drain(now):
        while lib.snt_message_filter_poll(filt, now, UNKNOWN, ctypes.byref(release), results, 2) == 0:
            released.append((release.sample.token, release.capture_ns, results[0].stamp, release.waited_ns))
        while lib.snt_message_filter_poll_drop(filt, ctypes.byref(drop)) == 0:
            dropped.append((drop.sample.token, drop.reason))
        assert lib.snt_message_filter_check(filt) == 0

    with Reader(path) as reader:
        for connection, log, raw in reader.messages():
            if connection.topic not in ("/tf", "/scan"):
                continue
            message = store.deserialize_ros1(raw, connection.msgtype)
            if connection.topic == "/tf":
                for t in message.transforms:
                    x = abi.snt_tf_transform()
                    lib.snt_tf_transform_init(ctypes.byref(x), 0, 0, nanoseconds(t.header.stamp))
                    q, p = t.transform.rotation, t.transform.translation
                    x.pose.q[:] = [q.x, q.y, q.z, q.w]
                    x.pose.t[:] = [p.x, p.y, p.z]
                    parent, child = t.header.frame_id.encode(), t.child_frame_id.encode()
                    frames.add((t.header.frame_id.strip("/"), t.child_frame_id.strip("/")))
                    status = lib.snt_tf_buffer_insert_named(buffer, parent, child, ctypes.byref(x), None)
                    assert status >= 0 or status in (abi.SNT_ERR_PAST, abi.SNT_ERR_DUPLICATE)
                    if target is None:  # the first parent: the root of this tree, the laser hangs below it
                        target = parent
                        assert lib.snt_message_filter_set_target_named(filt, target) == 0
            else:
                sample = abi.snt_sample()
                start = nanoseconds(message.header.stamp)
                lib.snt_sample_init(ctypes.byref(sample), start, 0, len(scans))
                sample.t1_ns = start + round(float(message.time_increment) * 1e9) * (len(message.ranges) - 1)
                scans[len(scans)] = start
                frame = message.header.frame_id.encode()
                assert lib.snt_message_filter_add_named(filt, ctypes.byref(sample), frame, log) >= 0
            drain(log)
    lib.snt_message_filter_clear(filt)
    drain(UNKNOWN)
    assert len(scans) == 178
    assert sorted([t for t, *_ in released] + [t for t, _ in dropped]) == sorted(scans)  # each exactly once
    assert len(released) >= 170, (dropped, sorted(frames))
    assert all(capture == stamp == scans[token] for token, capture, stamp, _ in released)
    lib.snt_message_filter_destroy(filt)
    lib.snt_tf_buffer_destroy(buffer)
