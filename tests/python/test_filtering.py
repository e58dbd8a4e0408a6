# SPDX-License-Identifier: BSD-3-Clause
"""The message filter with Python payloads: released once with its transform, or explained once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_recordings import MS, START

from sensortime import TransformBuffer, errors
from sensortime.filtering import MessageFilter


def buffer_until(ms):
    tf = TransformBuffer()
    for k in range(0, ms + 1, 20):
        tf.insert("odom", "base", START + k * MS, (k / 1000, 0, 0))
    tf.insert("base", "lidar", START, (0, 0, 1), static=True)
    return tf


def test_a_scan_waits_for_its_transform_and_leaves_with_it():
    tf = buffer_until(100)
    waiting = MessageFilter(tf, "odom")
    waiting.add(START + 50 * MS, "lidar", "early")
    waiting.add(START + 112 * MS, "lidar", "late")
    assert [(r.payload, r.start.translation) for r in waiting.releases()] == [("early", pytest.approx((0.05, 0, 1)))]
    assert list(waiting.releases()) == [] and list(waiting.drops()) == []
    tf.insert("odom", "base", START + 120 * MS, (0.12, 0, 0))
    (late,) = waiting.releases()
    assert late.payload == "late" and late.start.translation == pytest.approx((0.112, 0, 1))


def test_a_drop_names_the_edge():
    tf = buffer_until(100)
    waiting = MessageFilter(tf, "odom", capacity=1)
    waiting.add(START + 200 * MS, "lidar", "first")
    waiting.add(START + 210 * MS, "lidar", "second")
    (drop,) = waiting.drops()
    assert drop.payload == "first" and drop.reason and "base" in drop.text
    with pytest.raises(errors.SensorTimeError):
        MessageFilter(tf, "odom", capacity=0)


@given(st.lists(st.integers(-300, 400), max_size=40))
def test_every_payload_comes_back_exactly_once(stamps):
    tf = buffer_until(100)
    given_, back = [], []
    with MessageFilter(tf, "odom", capacity=4) as waiting:
        for stamp in stamps:
            payload = object()
            try:
                waiting.add(START + stamp * MS, "lidar", payload)
            except errors.FullError:
                continue
            given_.append(payload)
            back += [r.payload for r in waiting.releases()]
            back += [d.payload for d in waiting.drops()]
        waiting.clear()
        back += [r.payload for r in waiting.releases()]
        back += [d.payload for d in waiting.drops()]
        assert sorted(map(id, back)) == sorted(map(id, given_))
        assert not waiting._payloads


def test_many_transforms_are_as_one_by_one():
    stamps = START + np.arange(50) * 20 * MS
    poses = np.zeros((50, 7))
    poses[:, 2], poses[:, 3] = np.sin(np.arange(50) * 0.01), np.cos(np.arange(50) * 0.01)
    poses[:, 4:] = np.arange(150).reshape(50, 3)
    with TransformBuffer() as one, TransformBuffer() as many:
        for stamp, pose in zip(stamps, poses):
            one.insert("odom", "base", int(stamp), pose[4:], pose[:4])
        assert (many.insert_many("odom", "base", stamps, poses) >= 0).all()
        asked = stamps[:-1] + 7 * MS
        expected, _ = one.path("odom", "base").lookup_many(asked)
        found, statuses = many.path("odom", "base").lookup_many(asked)
        assert (statuses >= 0).all() and (found == expected).all()


def test_a_bad_transform_among_many_keeps_no_other_out():
    poses = np.tile([0.0, 0, 0, 1, 1, 2, 3], (3, 1))
    poses[1, 0] = np.nan
    with TransformBuffer() as tf:
        statuses = tf.insert_many("odom", "base", [START, START + MS, START + 2 * MS], poses)
        assert (statuses >= 0).tolist() == [True, False, True]
        assert tf.lookup("odom", "base", START + MS).translation == (1, 2, 3)
        assert tf.insert_many("odom", "base", [], np.empty((0, 7))).size == 0
        with pytest.raises(ValueError):
            tf.insert_many("odom", "base", [START], [[0, 0, 0]])
