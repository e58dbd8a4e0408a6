# SPDX-License-Identifier: BSD-3-Clause
"""Random trees, streams and layouts against slow models and numpy. With SNT_SEED set they are the same each time."""


import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st_

import sensortime as st
from sensortime import bounded, poses

MS, S = 1_000_000, 1_000_000_000
START = 1_700_000_000 * S


# ---- transforms against a slow model ----


def unit(values):
    q = np.array(values, float)
    return q / np.linalg.norm(q)


def matrix(q, t):
    x, y, z, w = q
    out = np.eye(4)
    out[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    out[:3, 3] = t
    return out


def slerp(a, b, s):
    if np.dot(a, b) < 0:
        b = -b
    angle = np.arccos(np.clip(np.dot(a, b), -1, 1))
    if angle < 1e-9:
        return unit(a + s * (b - a))
    return (np.sin((1 - s) * angle) * a + np.sin(s * angle) * b) / np.sin(angle)


class SlowTree:
    """Every sample in a list; every question answered by looking through all of them."""

    def __init__(self):
        self.edges = {}

    def insert(self, parent, child, t, q, xyz):
        history = self.edges.setdefault(child, (parent, {}))[1]
        history[t] = (unit(q), np.array(xyz))

    def edge(self, child, t):
        parent, history = self.edges[child]
        stamps_ = sorted(history)
        if t < stamps_[0] or t > stamps_[-1]:
            return None
        before, after = max(s for s in stamps_ if s <= t), min(s for s in stamps_ if s >= t)
        (qa, ta), (qb, tb) = history[before], history[after]
        share = 0.0 if before == after else (t - before) / (after - before)
        return matrix(slerp(qa, qb, share), ta + share * (tb - ta))

    def to_root(self, frame, t):
        out = np.eye(4)
        while frame in self.edges:
            one = self.edge(frame, t)
            if one is None:
                return frame, None
            out, frame = one @ out, self.edges[frame][0]
        return frame, out


number = st_.floats(-100, 100)
quaternion = st_.tuples(*[st_.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)


@given(st_.data())
def test_lookups_are_those_of_a_slow_model(data):
    """A random tree of at most six frames; matrices multiplied along it."""
    names = ["map", "a", "b", "c", "d", "e"]
    parents = {child: names[data.draw(st_.integers(0, i))] for i, child in enumerate(names[1:])}
    fast, slow = st.TransformBuffer(keep_ns=10**12), SlowTree()
    for child, parent in parents.items():
        stamps_ = data.draw(st_.lists(st_.integers(0, 1000), min_size=1, max_size=5, unique=True))
        rows = [(*unit(data.draw(quaternion)), *data.draw(st_.tuples(number, number, number))) for _ in stamps_]
        assert not fast.insert_many(parent, child, stamps_, rows).any()
        for t, row in zip(stamps_, rows):
            slow.insert(parent, child, t, row[:4], row[4:])
    target, source = data.draw(st_.sampled_from(names)), data.draw(st_.sampled_from(names))
    asked = np.array(data.draw(st_.lists(st_.integers(-10, 1010), min_size=1, max_size=8)))
    found, statuses = fast.path(target, source).lookup_many(asked)
    matrices = poses.matrices(np.where(np.isnan(found), 0, found))
    for t, status, got in zip(asked.tolist(), statuses.tolist(), matrices):
        (_, up), (_, down) = slow.to_root(source, t), slow.to_root(target, t)
        chain = chain_of(parents, target, source)
        known = [slow.edge(child, t) is not None for child in chain]
        assert (status == 0) == all(known), (t, chain)
        assert fast.can(target, source, t) == (status == 0)
        if status == 0 and up is not None and down is not None:
            assert np.allclose(got, np.linalg.inv(down) @ up, atol=1e-9 * 600), (t, target, source)


def chain_of(parents, a, b):
    """Children of the edges between two frames."""

    def up(frame):
        out = [frame]
        while out[-1] in parents:
            out.append(parents[out[-1]])
        return out

    left, right = up(a), up(b)
    return [f for f in left if f not in right] + [f for f in right if f not in left]


# ---- queues ----


@given(
    st_.integers(2, 4),
    st_.sampled_from([st.sync.APPROXIMATE, st.sync.EXACT, st.sync.EPSILON, st.sync.LATEST, st.sync.EARLIEST]),
    st_.lists(st_.tuples(st_.integers(0, 3), st_.integers(0, 60)), max_size=60),
    st_.integers(1, 6),
)
def test_no_payload_is_lost_or_doubled(inputs, policy, stream, queue):
    sync = st.Synchronizer(inputs, policy=policy, max_separation_ns=8, queue=queue)
    given_, back = [], []
    for number_, (which, t) in enumerate(stream):
        which %= inputs
        sync.add(which, 10 * number_ + t, number_)
        given_.append(number_)
        for one in sync.sets():
            if policy != st.sync.LATEST:  # which lends its members, and gives them back as drops
                back += [m for m in one.members if m is not None]
            stamps_ = [s for s in one.stamps_ns if s is not None]
            assert max(stamps_) - min(stamps_) == one.separation_ns
        back += [one.payload for one in sync.drops()]
        counts = sync.stats()
        assert counts["in"] == counts["out"] + counts["held"] + sum(counts["dropped"])
        sync.check()
    sync.clear()
    back += [one.payload for one in sync.drops()]
    assert sorted(back) == given_ and not sync._payloads


@given(st_.lists(st_.tuples(st_.integers(0, 1), st_.integers(0, 100)), max_size=60), st_.integers(1, 5))
def test_a_filter_gives_every_payload_back_once(program, capacity):
    """Messages and transforms in any order."""
    buffer = st.TransformBuffer()
    waiting = st.MessageFilter(buffer, "odom", capacity=capacity)
    given_, back = [], []
    for kind, t in program:
        if kind:
            buffer.insert("odom", "base", t, (t, 0, 0))
        else:
            waiting.add(t, "base", len(given_))
            given_.append(len(given_))
        for one in waiting.releases():
            assert one.start.translation[0] == pytest.approx(one.facts.sample.t0_ns)
            back.append(one.payload)
        back += [one.payload for one in waiting.drops()]
        waiting.check()
    waiting.clear()
    back += [one.payload for one in waiting.drops()]
    assert sorted(back) == given_ and not waiting._payloads


@given(st_.lists(st_.integers(0, 50), max_size=60), st_.integers(1, 8), st_.integers(-5, 55), st_.integers(-5, 55))
def test_a_cache_is_a_sorted_list_that_forgets_its_oldest(stamps_, capacity, a, b):
    cache, kept = st.MessageCache(capacity=capacity), []
    for number_, t in enumerate(stamps_):
        out = cache.add(t, number_)
        kept.append((t, number_))
        kept.sort(key=lambda one: one[0])  # stable: equal stamps in order of arrival
        gone = None
        if len(kept) > capacity:
            gone = (t, number_) if all(t < one[0] for one in kept if one[1] != number_) else kept[0]
            kept.remove(gone)
        assert (None if out is None else (out.stamp_ns, out.payload)) == gone
    lo, hi = min(a, b), max(a, b)
    assert [(k.stamp_ns, k.payload) for k in cache.interval(lo, hi)] == [one for one in kept if lo <= one[0] <= hi]
    before = [one for one in kept if one[0] < a]
    assert (cache.before(a) or [None, None])[0] == (before[-1][0] if before else None)
    after = [one for one in kept if one[0] > a]
    assert (cache.after(a) or [None, None])[0] == (after[0][0] if after else None)


@given(st_.lists(st_.tuples(st_.integers(0, 100), st_.integers(0, 5)), max_size=50), st_.integers(0, 20))
def test_a_sequencer_never_goes_back(program, delay):
    sequencer, out, lost, now = st.TimeSequencer(delay_ns=delay, capacity=16), [], [], 0
    for number_, (t, step) in enumerate(program):
        now += step
        sequencer.add(t, number_)
        out += list(sequencer.ready(now))
        lost += list(sequencer.drops())
    out += list(sequencer.ready(bounded.FUTURE))
    lost += list(sequencer.drops())
    assert [one.stamp_ns for one in out] == sorted(one.stamp_ns for one in out)
    assert sorted([one.payload for one in out] + [one.payload for one in lost]) == list(range(len(program)))


# ---- deskew against numpy, on random layouts ----


@given(
    st_.integers(1, 200),
    st_.sampled_from(["<f4", "<f8"]),
    st_.integers(0, 24),
    st_.sampled_from(["forward", "backward", "strided", "axes"]),
    st_.sampled_from([("<f4", "s"), ("<f8", "s"), ("<u4", "ns"), ("<i8", "ns"), ("<u4", "us"), ("<f8", "ms")]),
    st_.tuples(*[st_.floats(-20, 20)] * 3),
    st_.tuples(*[st_.floats(-3, 3)] * 3),
    st_.sampled_from(["start", "middle", "end"]),
    st_.integers(0, 2**32),
)
def test_deskewing_is_that_of_numpy_on_any_layout(n, kind, padding, layout, time_kind, linear, angular, reference, seed):
    rng = np.random.default_rng(seed)
    world = rng.uniform(-50, 50, (n, 3)).astype(kind)
    step, (time_type, unit_) = 1 + padding, time_kind
    if layout == "axes":
        xyz = tuple(np.ascontiguousarray(world[:, k]) for k in range(3))
    else:
        base = np.full((n * (2 if layout == "strided" else 1), 3 + step), np.nan, kind)
        view = base[:: 2 if layout == "strided" else 1, 1:4]
        view = view[::-1] if layout == "backward" else view
        view[:] = world
        xyz = view
    ns = rng.integers(0, 100 * MS, n)
    scale = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}[unit_]
    stored = (ns / scale).astype(time_type)
    holder = np.zeros((n, 3), time_type)
    holder[:, 1] = stored
    cloud = st.Points(xyz, holder[:, 1], unit_, base_ns=START)
    seconds = cloud.times_ns(START) * 1e-9
    assert np.abs(seconds - stored.astype(float) * scale * 1e-9).max() <= 1e-9
    plan = st.DeskewPlan()
    scan = plan.scan(cloud, reference)
    plan.from_twist(scan, linear, angular)
    out = plan.apply(cloud)
    at = {"start": scan.begin_ns, "end": scan.end_ns, "middle": (scan.begin_ns + scan.end_ns) // 2}[reference]
    assert out.reference_ns == at
    expected = np.empty((n, 3))
    twist = st.Twist(linear, angular)
    for i in range(n):
        expected[i] = (screw(twist, seconds[i] - (at - START) * 1e-9) @ [*world[i].astype(float), 1.0])[:3]
    bound = out.error_bound(float(np.linalg.norm(world, axis=1).max()) + 1)
    assert np.abs(out.points - expected).max() <= bound + 1e-9, (np.abs(out.points - expected).max(), bound)
    if cloud.writable:
        untouched = None if layout == "axes" else base.copy()
        plan.apply_in_place(cloud)
        moved = np.stack(cloud._axes, 1) if layout == "axes" else cloud.array
        assert np.array_equal(moved, out.points)
        if untouched is not None:
            base[:: 2 if layout == "strided" else 1, 1:4] = untouched[:: 2 if layout == "strided" else 1, 1:4]
            assert np.array_equal(base, untouched, equal_nan=True), "bytes beside the coordinates changed"


def screw(twist, seconds):
    """4 × 4 of constant body velocity over `seconds`, by the matrix exponential's series."""
    v, w = np.array(twist.linear), np.array(twist.angular)
    m = np.zeros((4, 4))
    m[:3, :3] = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
    m[:3, 3] = v
    m *= seconds
    out, term = np.eye(4), np.eye(4)
    for k in range(1, 30):
        term = term @ m / k
        out += term
    return out


@given(st_.integers(0, 40), quaternion, st_.tuples(number, number, number), st_.sampled_from([np.float32, np.float64]))
def test_poses_move_points_as_matrices_do(n, q, t, kind):
    pose = st.Pose(unit(q), t)
    points = np.random.default_rng(n).uniform(-100, 100, (n, 3)).astype(kind)
    expected = points.astype(float) @ pose.matrix[:3, :3].T + pose.matrix[:3, 3]
    got = pose.apply(points)
    assert got.dtype == kind and np.allclose(got, expected, atol=1e-4 if kind == np.float32 else 1e-9)
    strided = np.zeros((n, 7), kind)
    strided[:, 2:5] = points
    pose.apply(strided[:, 2:5], out=strided[:, 2:5])
    assert np.array_equal(strided[:, 2:5], got) and not strided[:, [0, 1, 5, 6]].any()
    assert np.allclose((~pose).apply(got), points, atol=1e-3 if kind == np.float32 else 1e-9)
