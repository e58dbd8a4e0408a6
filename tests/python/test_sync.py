# SPDX-License-Identifier: BSD-3-Clause
"""The synchronizer with Python payloads: nothing is lost, nothing comes back twice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_recordings import MS, START

from sensortime import abi, errors
from sensortime.sync import APPROXIMATE, EPSILON, EXACT, Synchronizer


def test_equal_stamps_make_a_set():
    with Synchronizer(2, policy=EXACT) as sync:
        for k in range(5):
            sync.add(0, START + k * 100 * MS, f"cloud {k}")
            sync.add(1, START + k * 100 * MS, f"image {k}")
        sets = list(sync.sets())
        assert [s.members for s in sets] == [[f"cloud {k}", f"image {k}"] for k in range(5)]
        assert [s.separation_ns for s in sets] == [0] * 5
        assert sets[2].stamps_ns == [START + 200 * MS] * 2
        assert list(sync.drops()) == []


def test_a_set_can_be_taken_by_the_add_that_completes_it():
    with Synchronizer(2, policy=EXACT, queue=2) as sync:
        assert sync.add_poll(0, START, "cloud") is None
        found = sync.add_poll(1, START, "image")
        assert found.members == ["cloud", "image"] and found.facts.more == 0
        assert list(sync.sets()) == [] and sync.stats()["held"] == 0
        for k in range(1, 4):
            assert sync.add_poll(0, START + k, k) is None
        assert [d.payload for d in sync.drops()] == [1]
        with pytest.raises(errors.InvalidArgError):
            sync.add_poll(7, START, None)


def test_drops_say_why():
    with Synchronizer(2, policy=EPSILON, max_separation_ns=5 * MS, queue=2) as sync:
        for k in range(4):
            sync.add(0, START + k * 100 * MS, k)
        drops = list(sync.drops())
        assert drops and all(d.reason and d.text for d in drops)
        assert [d.payload for d in drops] == list(range(len(drops)))


def test_bad_arguments_are_refused():
    with Synchronizer(2) as sync:
        with pytest.raises(errors.InvalidArgError):
            sync.add(7, START, None)
        with pytest.raises(ValueError):
            sync.add_many([0, 1], [START], [1, 2])
    with pytest.raises(errors.SensorTimeError):
        Synchronizer(2, policy=EPSILON)  # needs max_separation_ns


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 400)), max_size=60))
def test_every_payload_comes_back_exactly_once(samples):
    with Synchronizer(3, policy=APPROXIMATE, queue=4) as sync:
        given_, back = [], []
        for number, (source, step) in enumerate(samples):
            payload = object()
            try:
                sync.add(source, START + step * MS, payload)
            except errors.FullError:
                continue
            given_.append(payload)
            if number % 3 == 0:
                back += [m for s in sync.sets() for m in s.members if m is not None]
                back += [d.payload for d in sync.drops()]
            stats = sync.stats()
            assert stats["in"] == stats["out"] + stats["held"] + sum(stats["dropped"])
        sync.clear()
        back += [m for s in sync.sets() for m in s.members if m is not None]
        back += [d.payload for d in sync.drops()]
        assert sorted(map(id, back)) == sorted(map(id, given_))
        assert not sync._payloads


def test_many_at_once_are_as_one_by_one():
    inputs, stamps = [k % 2 for k in range(40)], [START + (k // 2) * 50 * MS + (k % 2) * MS for k in range(40)]
    one, many = Synchronizer(2, ready=64), Synchronizer(2, ready=64)
    for k in range(40):
        one.add(inputs[k], stamps[k], k + 1)
    assert many.add_many(inputs, stamps, range(1, 41)) == 40
    assert [s.members for s in one.sets()] == [s.members for s in many.sets()]


def test_many_objects_come_back_as_themselves_beside_numbers():
    objects = [object() for _ in range(4)]
    stamps = [START, START, START + 50 * MS, START + 50 * MS]
    with Synchronizer(2, policy=EXACT) as sync:
        assert sync.add_many([0, 1, 0, 1], stamps, objects) == 4
        later = np.array(stamps) + 100 * MS
        assert sync.add_many([0, 1, 0, 1], later, np.arange(1, 5)) == 4
        sets = [s.members for s in sync.sets()]
        assert sets == [objects[:2], objects[2:], [1, 2], [3, 4]]
        assert not sync._payloads
        with pytest.raises(ValueError):
            sync.add_many([0], [START + 1000 * MS], np.array([-1]))


def test_what_many_could_not_take_stays_with_the_caller():
    objects = [object() for _ in range(12)]
    stamps = [START + k // 2 * 50 * MS for k in range(12)]
    with Synchronizer(2, policy=EXACT, ready=2) as sync:
        taken = sync.add_many([0, 1] * 6, stamps, objects)
        assert taken == 4 and len(sync._payloads) == 4
        back = [m for s in sync.sets() for m in s.members]
        assert back == objects[:4]
        assert sync.add_many([0, 1] * 2, stamps[4:8], objects[4:8]) == 4
        assert [m for s in sync.sets() for m in s.members] == objects[4:8]


def test_sets_as_arrays_are_the_sets_one_by_one():
    rng = np.random.default_rng(8)
    inputs = rng.integers(0, 3, 3000).astype(np.uint32)
    stamps = START + np.sort(rng.integers(0, 3000 * 10 * MS, 3000))
    numbers = np.arange(3000)
    one, many = (Synchronizer(3, max_separation_ns=40 * MS) for _ in range(2))
    expected, sets, members, done = [], [], [], [0, 0]
    while done[1] < 3000:
        for k, sync in enumerate((one, many)):
            rest = slice(done[k], done[k] + 100)
            done[k] += sync.add_many(inputs[rest], stamps[rest], numbers[rest])
        expected += [(s.members, s.stamps_ns, s.separation_ns) for s in one.sets()]
        for most in (3, 4096):
            a, b = many.take_arrays(most=most)
            sets.append(a)
            members.append(b)
        lost = [[(d.payload, d.reason) for d in sync.drops()] for sync in (one, many)]
        assert lost[0] == lost[1]
    sets, members = np.concatenate(sets), np.concatenate(members)
    assert len(sets) == len(expected) > 100 and members.size == sets["member_count"].sum() == 3 * len(sets)
    rows = members.reshape(-1, 3)
    assert rows["sample"]["token"].tolist() == [e[0] for e in expected]
    assert rows["sample"]["t0_ns"].tolist() == [e[1] for e in expected]
    assert sets["separation_ns"].tolist() == [e[2] for e in expected]
    many.add(0, START, object())
    with pytest.raises(TypeError, match="objects"):
        many.take_arrays()


def test_interpolated_inputs_fill_arrays_too():
    sync = Synchronizer([{}, {"role": abi.SNT_ROLE_INTERPOLATED}], max_separation_ns=20 * MS)
    for k in range(20):
        sync.add_many([1], [START + k * 10 * MS], np.array([1000 + k]))
        if k % 2:
            sync.add_many([0], [START + k * 10 * MS - 3 * MS], np.array([k]))
    sets, members = sync.take_arrays(most=64)
    assert members.size == sets["member_count"].sum()
