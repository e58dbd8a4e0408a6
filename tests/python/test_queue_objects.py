# SPDX-License-Identifier: BSD-3-Clause
"""Caches, sequencers, filters, synchronizers once through."""

import gc

import pytest

import sensortime as st
from sensortime import abi, caches, errors, filtering

MS, S = 1_000_000, 1_000_000_000
START = 1_700_000_000 * S

HOST = 71  # a clock of our own


# ---- queues ----


def test_a_cache_answers_by_stamp():
    cache = st.MessageCache(capacity=4)
    assert cache.latest is None
    assert cache.add_many([10, 20, 30, 40], "abcd") == []
    assert cache.add(50, "e").payload == "a", "what had to go comes back"
    assert [one.payload for one in cache.interval(20, 40)] == ["b", "c", "d"]
    assert [one.payload for one in cache.surrounding(25, 35)] == ["b", "c", "d"]
    assert cache.before(30).payload == "b" and cache.before(30, caches.CLOSED).payload == "c"
    assert cache.after(30).payload == "d" and cache.after(50) is None
    assert (cache.oldest.stamp_ns, cache.latest.payload, len(cache)) == (20, "e", 4)
    with pytest.raises(errors.DomainError):
        cache.add(60, "f", domain=HOST)
    big = st.MessageCache(capacity=500)
    big.add_many(range(400), range(400))
    assert [one.payload for one in big.interval(0, 399)] == list(range(400)), "more than the first room takes"
    big.clear()
    assert len(big) == 0 and not big._payloads._objects
    stats = cache.stats()
    assert stats["in"] == stats["held"] + stats["evicted"] + stats["reset"]


def test_a_sequencer_gives_back_in_order():
    sequencer = st.TimeSequencer(delay_ns=10)
    sequencer.add_many([30, 10, 20], "cab")
    assert [one.payload for one in sequencer.ready(30)] == ["a", "b"]
    sequencer.add(5, "late")
    assert [(one.payload, one.reason, one.behind_ns) for one in sequencer.drops()] == [("late", "late", 15)]
    sequencer.clear()
    assert [one.reason for one in sequencer.drops()] == ["cleared"] and not sequencer._payloads._objects
    assert sequencer.stats()["in"] == 4


def test_a_filter_waits_for_several_targets_and_is_told_of_edges():
    told = []
    buffer = st.TransformBuffer(notify=lambda child, newest: told.append((child, newest)))
    waiting = st.MessageFilter(buffer, ["odom", "map"], capacity=8)
    waiting.add_many([10, 20], "lidar", "ab")
    assert not list(waiting.releases()) and waiting.stats()["held"] == 2
    buffer.insert("map", "odom", 0, (0, 0, 0), static=True)
    for t in (0, 15):
        buffer.insert("odom", "lidar", t, (t, 0, 0))
    assert told == [("odom", abi.SNT_UNKNOWN), ("lidar", 0), ("lidar", 15)]
    with pytest.raises(errors.NotFoundError):
        waiting.poll_edge("typo", 15)
    assert "typo" not in buffer and waiting.poll_edge("lidar", 15)
    (one,) = waiting.releases()
    assert one.payload == "a" and len(one.transforms) == 4 and one.start.translation[0] == 10
    waiting.add(12, "lidar", "c", tolerance_ns=100)
    waiting.check()
    waiting.reset()
    assert {(one.payload, one.reason) for one in waiting.drops()} == {("b", "reset"), ("c", "reset")}
    waiting.set_targets("map")
    waiting.set_tolerance(20)
    waiting.add(12, "lidar", "d")
    assert not list(waiting.releases()), "now it is needed until 32"
    waiting.set_tolerance(0)
    assert [one.payload for one in waiting.releases()] == ["d"]
    assert filtering.suggest_capacity(S // 30 + 1, 200 * MS, 0) == 6
    with pytest.raises(ValueError):
        filtering.suggest_capacity(0, 5)


def test_a_synchronizer_says_who_blocks():
    sync = st.Synchronizer(2, max_separation_ns=10)
    sync.add(0, 100, "a", now_ns=0)
    diagnosis = sync.diagnose(5)
    assert diagnosis.blocker == 1 and "1" in str(diagnosis) and diagnosis.facts["never"] == 2
    sync.set_offset(1, -1000)
    sync.set_max_separation(20)
    sync.add(1, 1105, "b", token=77)
    sync.add(0, 200, "c")
    sync.add(1, 1205, "d")
    assert [one.members for one in sync.sets()][0] == ["a", "b"]
    assert sync.input_info(1)["received"] == 2
    sync.check()
    sync.reset()
    drops = list(sync.drops())
    assert {one.reason for one in drops} <= {"reset"} and all("reset" in str(one).lower() or str(one) for one in drops)
    assert st.Synchronizer.size(3) > st.Synchronizer.size(2)
    with pytest.raises(TypeError, match="no option 'rank'"):
        st.Synchronizer([{"rank": 1}, {}])


def test_payloads_do_not_outlive_their_queues():
    class Thing:
        alive = 0

        def __init__(self):
            Thing.alive += 1

        def __del__(self):
            Thing.alive -= 1

    cache, sequencer = st.MessageCache(capacity=2), st.TimeSequencer(delay_ns=0)
    cache.add_many(range(10), (Thing() for _ in range(10)))
    sequencer.add_many(range(10), (Thing() for _ in range(10)))
    list(sequencer.ready(100))
    gc.collect()
    assert Thing.alive == 2
    cache.clear()
    gc.collect()
    assert Thing.alive == 0
