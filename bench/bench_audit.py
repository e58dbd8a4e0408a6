# SPDX-License-Identifier: BSD-3-Clause
"""audit_points: one pass over a 131 072-point cloud of 48-byte points against the equivalent numpy expressions.

Both give the same numbers (checked): extremes, steps back, equal and large steps, largest step, largest sorted gap and
where it begins, steps back within rings, rings, points without return. Lines as bench/run.sh wants them.
"""

import argparse
import ctypes
import statistics
import sys
import time

try:
    import numpy as np
except ImportError:
    print("# bench_audit.py: numpy is missing; audit_points is left out", file=sys.stderr)
    sys.exit(0)

from sensortime import _abi
from sensortime._library import lib

RINGS, COLUMNS, LIMIT_NS = 128, 1024, 5_000_000
POINT = np.dtype(
    {
        "names": ["x", "y", "z", "t", "ring"],
        "formats": ["<f4", "<f4", "<f4", "<u4", "<u2"],
        "offsets": [0, 4, 8, 20, 26],
        "itemsize": 48,
    }
)


def make_cloud(order):
    """Ring by ring as a driver destaggers it, or column by column."""
    ring, column = np.meshgrid(np.arange(RINGS), np.arange(COLUMNS), indexing="ij")
    if order == "time_major":
        ring, column = ring.T, column.T
    ring, column = ring.ravel(), column.ravel()
    points = np.zeros(ring.size, POINT)
    angle = 2 * np.pi * column / COLUMNS
    points["x"], points["y"], points["z"] = 20 * np.cos(angle), 20 * np.sin(angle), 0.1 * ring
    points["t"], points["ring"] = column * 97656, ring
    return points


def with_numpy(points):
    """What one would write: every expression is a pass of its own."""
    t = points["t"].astype(np.int64)
    ring = points["ring"]
    step = np.diff(t)
    size = np.abs(step)
    ascending = np.sort(t)
    gaps = np.diff(ascending)
    at = int(np.argmax(gaps))
    by_ring = np.argsort(ring, kind="stable")
    sorted_ring = ring[by_ring]
    ring_step = np.diff(t[by_ring])
    x, y, z = points["x"], points["y"], points["z"]
    return {
        "min_ns": int(t.min()),
        "max_ns": int(t.max()),
        "negative_jumps": int(np.count_nonzero(step < 0)),
        "equal_steps": int(np.count_nonzero(step == 0)),
        "large_gaps": int(np.count_nonzero(size > LIMIT_NS)),
        "max_gap_ns": int(size.max()),
        "sorted_gap_ns": int(gaps[at]),
        "sorted_gap_at_ns": int(ascending[at]),
        "ring_jumps": int(np.count_nonzero((ring_step < 0) & (sorted_ring[1:] == sorted_ring[:-1]))),
        "rings": int(np.count_nonzero(np.bincount(ring))),
        "nonfinite_points": int(np.count_nonzero(~(np.isfinite(x) & np.isfinite(y) & np.isfinite(z)))),
        "zero_points": int(np.count_nonzero((x == 0) & (y == 0) & (z == 0))),
    }


class Ours:
    """The same through the C library."""

    def __init__(self, points):
        self.auditor = ctypes.POINTER(_abi.snt_scan_auditor)()
        assert lib.snt_scan_auditor_create(None, None, ctypes.byref(self.auditor)) == 0
        self.cloud, self.stats = _abi.snt_cloud(), _abi.snt_point_stats()
        self.keep = points
        base, stride, n = points.ctypes.data, POINT.itemsize, points.size
        lib.snt_cloud_init(self.cloud)
        lib.snt_cloud_set_points(self.cloud, base, stride, _abi.SNT_TYPE_F32, n)
        lib.snt_cloud_set_times(
            self.cloud, base + POINT.fields["t"][1], stride, _abi.SNT_TYPE_U32, _abi.SNT_TIME_UNIT_NS,
            _abi.SNT_TIME_REF_RELATIVE, 0, 0,
        )  # fmt: skip
        lib.snt_cloud_set_rings(self.cloud, base + POINT.fields["ring"][1], stride, _abi.SNT_TYPE_U16)

    def __call__(self):
        status = lib.snt_scan_auditor_points(self.auditor, self.cloud, 100_000_000, self.stats)
        assert status == 0
        return self.stats

    def close(self):
        lib.snt_scan_auditor_destroy(self.auditor)


def batches(call, peer, count, calls):
    """Median seconds of one call, ours and the peer's alternating."""
    times = ([], [])
    for batch in range(-1, count):
        for which, what in enumerate((call, peer)):
            start = time.perf_counter()
            for _ in range(calls):
                what()
            if batch >= 0:
                times[which].append((time.perf_counter() - start) / calls)
    return statistics.median(times[0]), statistics.median(times[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for name, order in (("audit_points", "ring_major"), ("audit_points_numpy_time_major", "time_major")):
        if options.only and name not in options.only.split(","):
            continue
        points = make_cloud(order)
        ours = Ours(points)
        stats = ours()
        for field, value in with_numpy(points).items():
            got = getattr(stats, field)
            assert got == value, f"{field}: {got}, numpy says {value}"
        mine, theirs = batches(ours, lambda: with_numpy(points), 5 if options.quick else 15, 5)
        rate = 1e-6 * points.size
        print(f"{name}\t{rate / mine:.4g}\t{rate / theirs:.4g}\t{theirs / mine:.4g}\tMpt/s", flush=True)
        ours.close()


if __name__ == "__main__":
    main()
