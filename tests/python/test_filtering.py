# SPDX-License-Identifier: BSD-3-Clause
"""The message filter with Python payloads: released once with its transform, or explained once."""

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
