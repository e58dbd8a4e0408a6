# SPDX-License-Identifier: BSD-3-Clause
"""What the Python package costs: calls for many against numpy written for the same, and what a single call takes.

    python_deskew_131072         a cloud of 131 072 points by one twist, against Rodrigues' formula in numpy (Mpt/s)
    python_tf_lookup_many_1000   1000 lookups on a path of two moving edges, against searchsorted and SLERP in numpy
    python_tf_insert_many_1000   1000 transforms in one call, against one call each
    python_clock_to_host_many    10 000 readings through a clock map, against one call each
    python_imu_insert_many       10 000 samples in one call, against one call each
    python_sync_add_many         a stream of two inputs matched in batches, against one call for each message
    python_call_lookup           one lookup, with its objects (no peer)
    python_call_add              one stamps.add: the least that a call takes (no peer)

Both sides give the same answers (checked). Lines as bench/run.sh wants them; latencies are for one element [ns].
"""

import argparse
import statistics
import sys
import time

try:
    import numpy as np
except ImportError:
    print("# bench_python.py: numpy is missing; its rows are left out", file=sys.stderr)
    sys.exit(0)

import sensortime as st

S, MS = 1_000_000_000, 1_000_000
START = 1_700_000_000 * S


def medians(ours, peer, batches, calls):
    """Median processor seconds of one call, ours and the peer's alternating."""
    times = ([], [])
    for batch in range(-1, batches):
        for which, what in enumerate((ours, peer)):
            if what is None:
                continue
            start = time.process_time()
            for _ in range(calls):
                what()
            if batch >= 0:
                times[which].append((time.process_time() - start) / calls)
    return statistics.median(times[0]), statistics.median(times[1]) if peer else None


# ---- deskew ----


def deskew_case():
    count = 131_072
    rng = np.random.default_rng(1)
    xyz = rng.uniform(-50, 50, (count, 3)).astype(np.float32)
    seconds = np.linspace(0, 0.1, count).astype(np.float32)
    linear, angular = np.array([2.0, 0.1, 0.0]), np.array([0.05, -0.02, 0.8])
    cloud, plan, out = st.Points(xyz, seconds, base_ns=START), st.DeskewPlan(), np.empty_like(xyz)

    def ours():
        plan.from_twist(plan.scan(cloud), linear, angular)
        plan.apply(cloud, out=out)
        return out

    rate = np.linalg.norm(angular)
    axis = angular / rate
    along, across = axis * (axis @ linear), np.cross(axis, linear) / rate

    def peer():
        """exp of the twist for every point: p' = R(θ)·p + V(θ)·v."""
        t = seconds.astype(np.float64)[:, None]
        angle = rate * t
        c, s = np.cos(angle), np.sin(angle)
        p = xyz.astype(np.float64)
        turned = c * p + s * np.cross(axis, p) + (1 - c) * (p @ axis)[:, None] * axis
        moved = along * t + s / rate * (linear - along) + (1 - c) * across
        return (turned + moved).astype(np.float32)

    assert np.abs(ours() - peer()).max() < 2e-5
    return ours, peer, count, "Mpt/s"


# ---- transforms ----


def slerp(a, b, share):
    dot = np.einsum("ij,ij->i", a, b)
    b = np.where(dot[:, None] < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(dot), -1, 1))
    small = angle < 1e-6
    sine = np.where(small, 1, np.sin(angle))
    left = np.where(small, 1 - share, np.sin((1 - share) * angle) / sine)
    right = np.where(small, share, np.sin(share * angle) / sine)
    return left[:, None] * a + right[:, None] * b


def product(a, b):
    ax, ay, az, aw = a.T
    bx, by, bz, bw = b.T
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz,
        ],
        1,
    )  # fmt: skip


def rotate(q, v):
    u, w = q[:, :3], q[:, 3:]
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def histories():
    """Two moving edges at 100 and 50 Hz."""
    for period in (10 * MS, 20 * MS):
        stamps = START + np.arange(0, 4 * S, period)
        t = (stamps - START) * 1e-9
        poses = np.zeros((t.size, 7))
        poses[:, 2], poses[:, 3] = np.sin(0.2 * t), np.cos(0.2 * t)
        poses[:, 4], poses[:, 5] = t, np.sin(t)
        yield stamps, poses


def lookup_case():
    edges = list(histories())
    buffer = st.TransformBuffer()
    for (stamps, poses), (parent, child) in zip(edges, (("map", "odom"), ("odom", "base"))):
        assert not buffer.insert_many(parent, child, stamps, poses).any()
    path = buffer.path("map", "base")
    asked = np.sort(np.random.default_rng(2).integers(START, START + 3 * S, 1000))

    def one(stamps, poses):
        after = np.clip(np.searchsorted(stamps, asked, "right"), 1, stamps.size - 1)
        before = after - 1
        share = (asked - stamps[before]) / (stamps[after] - stamps[before])
        a, b = poses[before], poses[after]
        return slerp(a[:, :4], b[:, :4], share), a[:, 4:] + share[:, None] * (b[:, 4:] - a[:, 4:])

    def peer():
        (q1, t1), (q2, t2) = (one(*edge) for edge in edges)
        return np.concatenate([product(q1, q2), rotate(q1, t2) + t1], axis=1)

    def ours():
        return path.lookup_many(asked)[0]

    mine, theirs = ours(), peer()
    theirs[:, :4] *= np.where(np.einsum("ij,ij->i", mine[:, :4], theirs[:, :4]) < 0, -1, 1)[:, None]
    assert np.allclose(mine, theirs, atol=1e-9)
    return ours, peer, asked.size, "ns"


def insert_case():
    stamps = START + np.arange(1000) * MS
    poses = np.zeros((1000, 7))
    poses[:, 3] = 1
    many, each = st.TransformBuffer(), st.TransformBuffer()
    rows = [(int(t), tuple(p[4:]), tuple(p[:4])) for t, p in zip(stamps, poses)]

    def ours():
        many.clear()
        return many.insert_many("odom", "base", stamps, poses)

    def peer():
        each.clear()
        for t, place, turn in rows:
            each.insert("odom", "base", t, place, turn)

    return ours, peer, 1000, "ns"


# ---- clocks, IMU, matching ----


def clock_case():
    clock = st.ClockMap(warm_observations=1)
    for k in range(100):
        clock.observe_arrival(k * 10 * MS, START + k * 10 * MS + MS)
    readings = np.arange(10_000) * 100_000
    listed = readings.tolist()
    assert clock.to_host_many(readings)[0]["t"].tolist() == [clock.to_host(r).t for r in listed]
    return lambda: clock.to_host_many(readings), lambda: [clock.to_host(r) for r in listed], 10_000, "ns"


def imu_case():
    stamps, rates = START + np.arange(10_000) * MS, np.random.default_rng(3).normal(size=(10_000, 3))
    many, each = st.ImuBuffer(capacity=16_384), st.ImuBuffer(capacity=16_384)
    rows = list(zip(stamps.tolist(), rates.tolist()))

    def ours():
        many.clear()
        many.insert_many(stamps, rates)

    def peer():
        each.clear()
        for t, rate in rows:
            each.insert(t, rate)

    return ours, peer, 10_000, "ns"


def sync_case():
    count = 2000
    inputs = np.tile(np.array([0, 1], np.uint32), count // 2)
    stamps = START + np.repeat(np.arange(count // 2) * 100 * MS, 2) + np.tile([0, 3 * MS], count // 2)
    tokens = np.arange(count)
    rows = list(zip(inputs.tolist(), stamps.tolist(), tokens.tolist()))

    def ours():
        sync, sets = st.Synchronizer(2, max_separation_ns=20 * MS), 0
        done = 0
        while done < count:
            done += sync.add_many(inputs[done : done + 200], stamps[done : done + 200], tokens[done : done + 200])
            sets += len(sync.take_arrays()[0])
        return sets

    def peer():
        sync, sets = st.Synchronizer(2, max_separation_ns=20 * MS), 0
        for which, t, token in rows:
            if sync.add(which, t, token):
                sets += sum(1 for _ in sync.sets())
        return sets

    assert ours() == peer() > count // 2 - 3
    return ours, peer, count, "ns"


def call_lookup_case():
    buffer = st.TransformBuffer()
    for (stamps, poses), (parent, child) in zip(histories(), (("map", "odom"), ("odom", "base"))):
        buffer.insert_many(parent, child, stamps, poses)
    path, t = buffer.path("map", "base"), START + S + 5
    return lambda: path.lookup(t), None, 1, "ns"


def call_add_case():
    return lambda: st.stamps.add(START, 5), None, 1, "ns"


CASES = {
    "python_deskew_131072": (deskew_case, 3), "python_tf_lookup_many_1000": (lookup_case, 20),
    "python_tf_insert_many_1000": (insert_case, 3), "python_clock_to_host_many": (clock_case, 1),
    "python_imu_insert_many": (imu_case, 1), "python_sync_add_many": (sync_case, 1),
    "python_call_lookup": (call_lookup_case, 2000), "python_call_add": (call_add_case, 5000),
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for name, (make, calls) in CASES.items():
        if options.only and name not in options.only.split(","):
            continue
        ours, peer, elements, unit = make()
        mine, theirs = medians(ours, peer, 5 if options.quick else 15, calls)
        if unit == "Mpt/s":
            row = (1e-6 * elements / mine, 1e-6 * elements / theirs, theirs / mine)
        else:
            row = (1e9 * mine / elements, 1e9 * theirs / elements if theirs else None, theirs / mine if theirs else None)
        print(name, *("-" if v is None else f"{v:.4g}" for v in row), unit, sep="\t", flush=True)


if __name__ == "__main__":
    main()
