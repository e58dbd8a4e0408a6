# SPDX-License-Identifier: BSD-3-Clause
"""What the cloud would look like had it been measured at one instant."""

import ctypes
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _abi
from ._handle import Handle, config, i64, integers, numbers, size_of, struct_dict, u32, u64
from ._library import lib
from .clouds import PointCloud
from .errors import check
from .imu import ImuBuffer, state
from .points import Points
from .poses import LINEAR, Pose, Twist
from .transforms import TransformPath

REFERENCES = {"start": _abi.SNT_REF_START, "middle": _abi.SNT_REF_MID, "end": _abi.SNT_REF_END}
_REACH_NS = 1_000_000_000  # IMU samples this far around the scan are used


class PointTimes:
    """Times of points that carry none; give it as `times=` to `scan` and `apply`."""

    def __init__(self, struct: _abi.snt_deskew_times, *keep: Any):
        self.struct, self._keep = struct, keep

    @staticmethod
    def _fresh() -> _abi.snt_deskew_times:
        out = _abi.snt_deskew_times()
        lib.snt_deskew_times_init(ctypes.byref(out), ctypes.sizeof(out))
        return out

    @classmethod
    def table(cls, column_ns: Any = None, ring_ns: Any = None, column_major: bool = False) -> "PointTimes":
        """The sum of a column's and a ring's time after the cloud's time base [ns]."""
        out, keep = cls._fresh(), []
        out.kind, out.column_major = _abi.SNT_DESKEW_TIMES_TABLE, int(column_major)
        for name, size, values in (("column_ns", "columns", column_ns), ("ring_ns", "rings", ring_ns)):
            if values is not None:
                array = integers(values, np.int32, name)
                keep.append(array)
                setattr(out, name, array.ctypes.data)
                setattr(out, size, array.size)
        return cls(out, *keep)

    @classmethod
    def azimuth(cls, start: float = 0.0, clockwise: bool = False) -> "PointTimes":
        """Guessed from the direction of each point: the first ray looked to `start` [rad]."""
        out = cls._fresh()
        out.kind, out.azimuth_start, out.direction = _abi.SNT_DESKEW_TIMES_AZIMUTH, start, -1 if clockwise else 1
        return cls(out)


class Deskewed:
    """The result: the points moved, and what is known about the error.

    `points` are the cloud's records, or n × 3 coordinates for `Points`. `flags`: SNT_POINT_* for each point if asked for.
    """

    def __init__(
        self,
        plan: "DeskewPlan",
        cloud: _abi.snt_cloud,
        points: "np.ndarray[Any, Any]",
        report: _abi.snt_deskew_report,
        flags: "Optional[np.ndarray[Any, Any]]" = None,
        source: Any = None,
    ):
        self.plan, self._cloud, self.points, self.report, self.flags = plan, cloud, points, report, flags
        self._source = source  # the cloud points into it

    @property
    def xyz(self) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """x, y and z [m]."""
        if self.points.dtype.names is None:
            return self.points[:, 0], self.points[:, 1], self.points[:, 2]
        return self.points["x"], self.points["y"], self.points["z"]

    @property
    def facts(self) -> Dict[str, Any]:
        """The report: points, moved, outside, margins …"""
        return struct_dict(self.report)

    @property
    def reference_ns(self) -> int:
        """Stamp of the result."""
        return int(self.report.reference_ns)

    def error_bound(self, range_m: float) -> float:
        """How far a point at `range_m` can be from where exact motion would put it [m]; `bound` has the parts.

        A UserWarning where the plan is `rotation_only`: how far the body drove is then not counted.
        """
        bound = self.bound(range_m)
        if bound.flags & _abi.SNT_DESKEW_BOUND_ROTATION_ONLY:
            warnings.warn(
                "the plan knows nothing of the translation: the bound holds only for a body that is nowhere faster than"
                " velocity_error (give the velocity, or use bound())",
                stacklevel=2,
            )
        return float(bound.total_m)

    @property
    def rotation_only(self) -> bool:
        """Nothing is known of the translation: the points are still wrong by the way the body drove."""
        return self.plan.rotation_only

    def bound(self, range_m: float) -> _abi.snt_deskew_bound:
        """The parts of the error bound."""
        out = _abi.snt_deskew_bound()
        status = lib.snt_deskew_get_bound(self.plan.handle, ctypes.byref(self._cloud), range_m, ctypes.byref(out))
        check(status, "error bound")
        return out


class DeskewPlan(Handle):
    """The motion during a scan, ready to be applied. Use it again scan after scan. Options: snt_deskew_config."""

    _destroy = lib.snt_deskew_destroy

    def __init__(self, **options: Any):
        cfg = config(_abi.snt_deskew_config, lib.snt_deskew_config_init, options)
        out = ctypes.POINTER(_abi.snt_deskew)()
        check(lib.snt_deskew_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a deskew plan")
        self._own(out)

    @staticmethod
    def size(**options: Any) -> int:
        """Memory that a plan of these options takes [bytes]."""
        return size_of(lib.snt_deskew_size, config(_abi.snt_deskew_config, lib.snt_deskew_config_init, options), "size of a plan")

    @staticmethod
    def scan(
        cloud: Any, reference: Any = "start", limit_ns: int = 0, times: Optional[PointTimes] = None, **options: Any
    ) -> _abi.snt_deskew_scan:
        """The scan's interval from its points. `reference`: "start", "middle", "end" or a time [ns].

        `cloud`: a PointCloud, Points or snt_cloud. `limit_ns`: no scan is longer, wilder times are outliers; 0 = take all.
        `options`: fields of snt_deskew_scan (outside, clock_bound_ns, T_body_sensor, …).
        """
        scan: _abi.snt_deskew_scan = scan_settings(reference, **options)
        struct = cloud if isinstance(cloud, _abi.snt_cloud) else cloud.cloud
        table = None if times is None else ctypes.byref(times.struct)
        status = lib.snt_deskew_scan_from_cloud(
            ctypes.byref(struct), table, i64(limit_ns, "limit"), ctypes.byref(scan), None
        )
        check(status, "times of the scan")
        return scan

    def from_twist(
        self, scan: _abi.snt_deskew_scan, linear: Union[Twist, Sequence[float]], angular: Sequence[float] = (0, 0, 0)
    ) -> None:
        """Constant velocity of the body in its own axes [m/s, rad/s]."""
        twist = linear if isinstance(linear, Twist) else Twist(linear, angular)
        with self._alone() as handle:
            status = lib.snt_deskew_plan_twist(handle, ctypes.byref(scan), ctypes.byref(twist.struct))
        check(status, "planning from a twist")

    def from_two_poses(
        self, scan: _abi.snt_deskew_scan, a_ns: int, a: Pose, b_ns: int, b: Pose, method: int = LINEAR
    ) -> None:
        """Poses of the body at two times."""
        with self._alone() as handle:
            status = lib.snt_deskew_plan_two_poses(
                handle, ctypes.byref(scan), i64(a_ns), ctypes.byref(a.struct), i64(b_ns), ctypes.byref(b.struct),
                u32(method, "method"),
            )  # fmt: skip
        check(status, "planning from two poses")

    def from_poses(
        self, scan: _abi.snt_deskew_scan, stamps_ns: Any, poses: Any, method: int = _abi.SNT_INTERPOLATE_LINEAR
    ) -> None:
        """Poses of the body in a fixed frame: n × 7, x, y, z, w of the rotation, then x, y, z [m]."""
        stamps = integers(stamps_ns)
        poses = numbers(poses, 7, "poses", stamps.size)
        with self._alone() as handle:
            status = lib.snt_deskew_plan_knots(
                handle, ctypes.byref(scan), stamps.ctypes.data, 8, poses.ctypes.data, 56, stamps.size, u32(method)
            )
        check(status, "planning from poses")

    def from_path(
        self, scan: _abi.snt_deskew_scan, path: TransformPath, spacing_ns: int = 0, method: int = _abi.SNT_INTERPOLATE_LINEAR
    ) -> None:
        """Lookups of a path T_fixed_sensor every `spacing_ns` (0 = 2 ms), in one batch."""
        with self._alone() as handle:
            status = lib.snt_deskew_plan_path(handle, ctypes.byref(scan), path.handle, i64(spacing_ns), u32(method))
        check(status, "planning from transforms")

    def from_imu(
        self,
        scan: _abi.snt_deskew_scan,
        stamps_ns: Any,
        rates: Any,
        velocity: Optional[Sequence[float]] = None,
        rotation: Sequence[float] = (0, 0, 0, 1),
    ) -> None:
        """Angular rates of a gyroscope, n × 3 [rad/s]: rotation only, unless the body's `velocity` is known.

        `velocity` is that of the body amid the scan, in its own axes [m/s]. `rotation`: x, y, z, w of T_body_imu.
        """
        stamps = integers(stamps_ns)
        rates = numbers(rates, 3, "rates", stamps.size)
        near = (stamps >= scan.begin_ns - _REACH_NS) & (stamps <= scan.end_ns + _REACH_NS)
        known = None
        if velocity is not None:
            known = state((scan.begin_ns + scan.end_ns) // 2, velocity=velocity)
        capacity = max(16, int(near.sum()))
        with ImuBuffer(rotation, domain=scan.domain, capacity=capacity) as buffer:
            for stamp, status in zip(stamps[near].tolist(), buffer.insert_many(stamps[near], rates[near]).tolist()):
                check(status, f"IMU sample {stamp}")
            self.from_imu_buffer(scan, buffer, known)

    def from_imu_buffer(
        self, scan: _abi.snt_deskew_scan, buffer: ImuBuffer, known: Optional[_abi.snt_imu_state] = None
    ) -> None:
        """The motion that an ImuBuffer tells; `known` is where the body was at one time (`imu.state`), for positions.

        Without it the plan is `rotation_only`.
        """
        at = None if known is None else ctypes.byref(known)
        with self._alone() as handle:
            status = lib.snt_deskew_plan_imu(handle, ctypes.byref(scan), buffer.handle, at)
        check(status, "planning from the IMU")

    # ---- application ----

    def apply(
        self,
        cloud: Union[PointCloud, Points],
        out: "Optional[np.ndarray[Any, Any]]" = None,
        flags: bool = False,
        audit: bool = False,
        times: Optional[PointTimes] = None,
        first: int = 0,
        count: Optional[int] = None,
    ) -> Deskewed:
        """The points where they would have been at the reference time, in new memory or in `out`.

        A PointCloud gives a copy of its records; Points give n × 3 coordinates. `flags`: SNT_POINT_* for each point.
        """
        options, marks = _options(len(cloud), flags, audit, times, first, count)
        report, source = _abi.snt_deskew_report(), cloud.cloud
        if isinstance(cloud, PointCloud):
            target = _room(out, (len(cloud),), cloud.dtype)
            call: Tuple[Any, ...] = (cloud.view.data, target.ctypes.data, cloud.view.point_step)
            function = lib.snt_deskew_apply_copy
            if first or count is not None:
                target[...] = cloud.points
        else:
            kind = cloud.array.dtype if cloud.array is not None else cloud._axes[0].dtype
            target = _room(out, (len(cloud), 3), kind)
            if first or count is not None:
                target[...] = cloud.array if cloud.array is not None else np.stack(cloud._axes, 1)
            into = Points(target)
            call, function = (ctypes.byref(into.cloud),), lib.snt_deskew_apply_with
        handle = self._enter()
        try:
            status = function(handle, ctypes.byref(source), *call, ctypes.byref(options), ctypes.byref(report))
        finally:
            self._leave()
        check(status, "deskewing", {}, report)
        return Deskewed(self, source, target, report, marks, cloud)

    def apply_in_place(self, cloud: Union[PointCloud, Points]) -> Deskewed:
        """Move the points of a message in a bytearray, or of writeable arrays, where they are; no other byte changes."""
        if not cloud.writable:
            raise ValueError("the cloud's bytes are not ours to write: make it from a bytearray or a writeable array")
        source, report = cloud.cloud, _abi.snt_deskew_report()
        there, handle = ctypes.byref(source), self._enter()
        try:
            status = lib.snt_deskew_apply(handle, there, there, ctypes.byref(report))
        finally:
            self._leave()
        check(status, "deskewing", {}, report)
        if isinstance(cloud, PointCloud):
            return Deskewed(self, source, cloud.points, report, None, cloud)
        points = cloud.array if cloud.array is not None else np.stack(cloud._axes, 1)
        return Deskewed(self, source, points, report, None, cloud)

    def laser(self, laser: "Laser", flags: bool = False) -> Deskewed:
        """Deskewed points of a 2-D scan, n × 3 float32; not-a-number where a range is not valid."""
        out, report = np.empty((laser.ranges.size, 3), np.float32), _abi.snt_deskew_report()
        marks = np.zeros(laser.ranges.size, np.uint8) if flags else None
        handle = self._enter()
        try:
            status = lib.snt_deskew_laser(
                handle, ctypes.byref(laser.struct), out.ctypes.data, 12, None if marks is None else marks.ctypes.data,
                ctypes.byref(report),
            )  # fmt: skip
        finally:
            self._leave()
        check(status, "deskewing", {}, report)
        return Deskewed(self, _abi.snt_cloud(), out, report, marks, laser)

    # ---- what was planned ----

    @property
    def rotation_only(self) -> bool:
        """The motion came from an IMU without a velocity: nothing is known of the translation."""
        return bool(self.info["flags"] & _abi.SNT_DESKEW_PLAN_ROTATION_ONLY)

    @property
    def info(self) -> Dict[str, Any]:
        """Margins, segments, speeds, kernel …"""
        out = _abi.snt_deskew_info()
        check(lib.snt_deskew_get_info(self.handle, ctypes.byref(out)), "plan")
        return struct_dict(out)

    def poses(self, stamps_ns: Any) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """(poses n × 7 that take a point measured then to the output frame, SNT_POINT_* flags) at any times."""
        stamps = integers(stamps_ns)
        poses, flags = np.empty((stamps.size, 7)), np.zeros(stamps.size, np.uint8)
        handle = self._enter()
        try:
            status = lib.snt_deskew_poses(
                handle, stamps.ctypes.data, 8, stamps.size, poses.ctypes.data, 56, flags.ctypes.data
            )
        finally:
            self._leave()
        check(status, "poses")
        return poses, flags

    def rows(self, first_ns: int, readout_ns: int, rows: int) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """(poses rows × 7, flags) of a rolling shutter's rows; `first_ns` is the middle of row 0's exposure."""
        if u64(rows, "rows") > 1 << 24:
            raise ValueError("more than 2²⁴ rows")
        poses, flags = np.empty((rows, 7)), np.zeros(rows, np.uint8)
        handle = self._enter()
        try:
            status = lib.snt_deskew_rows(
                handle, i64(first_ns), i64(readout_ns), rows, poses.ctypes.data, 56, flags.ctypes.data
            )
        finally:
            self._leave()
        check(status, "poses of the rows")
        return poses, flags


def scan_settings(reference: Any = "start", **options: Any) -> Any:
    """A scan's settings; begin_ns and end_ns are to be set, or found by DeskewPlan.scan or Laser.scan."""
    scan = config(_abi.snt_deskew_scan, lib.snt_deskew_scan_init, options)
    if isinstance(reference, str):
        if reference not in REFERENCES:
            raise ValueError(f"no reference '{reference}'; known: {', '.join(REFERENCES)}, or a time [ns]")
        scan.reference = REFERENCES[reference]
    else:
        scan.reference, scan.reference_ns = _abi.SNT_REF_AT, i64(reference, "reference [ns]")
    return scan


def _options(
    total: int, flags: bool, audit: bool, times: Optional[PointTimes], first: int, count: Optional[int]
) -> "Tuple[_abi.snt_deskew_options, Optional[np.ndarray[Any, Any]]]":
    out, marks = _abi.snt_deskew_options(), np.zeros(total, np.uint8) if flags else None
    lib.snt_deskew_options_init(ctypes.byref(out), ctypes.sizeof(out))
    out.audit, out.first = int(audit), u64(first, "first")
    if count is not None:
        out.count = u64(count, "count")
    if marks is not None:
        out.point_flags = marks.ctypes.data
    if times is not None:
        out.times = ctypes.pointer(times.struct)
    return out, marks


def _room(out: "Optional[np.ndarray[Any, Any]]", shape: Tuple[int, ...], dtype: Any) -> "np.ndarray[Any, Any]":
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype:
        raise ValueError(f"out must be {' × '.join(map(str, shape))} of {dtype}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError("out must be contiguous and writeable")
    return out


def merge_reports(left: _abi.snt_deskew_report, right: _abi.snt_deskew_report) -> _abi.snt_deskew_report:
    """One report of two neighbouring ranges, the left one first."""
    out = _abi.snt_deskew_report.from_buffer_copy(left)
    check(lib.snt_deskew_report_merge(ctypes.byref(out), ctypes.byref(right)), "joining reports")
    return out


class Laser:
    """A 2-D scan: rays at equal angles and equal times. Options: snt_laser_scan (angle_min, time_increment_s, …)."""

    def __init__(self, ranges: Any, stamp_ns: int, **options: Any):
        array = np.asarray(ranges)
        if array.ndim != 1 or array.dtype.kind not in "fiu":
            raise ValueError("ranges must be one-dimensional numbers")
        self.ranges = np.ascontiguousarray(array, np.float32)
        self.struct = config(_abi.snt_laser_scan, lib.snt_laser_scan_init, options)
        self.struct.ranges, self.struct.count = self.ranges.ctypes.data, self.ranges.size
        self.struct.stamp_ns = i64(stamp_ns)

    def scan(self, reference: Any = "start", **options: Any) -> _abi.snt_deskew_scan:
        """First and last ray, and what to make of them."""
        out: _abi.snt_deskew_scan = scan_settings(reference, **options)
        check(lib.snt_deskew_scan_from_laser(ctypes.byref(self.struct), ctypes.byref(out)), "times of the scan")
        return out


class Kernel(NamedTuple):
    """An instruction set that plans can use."""

    number: int
    name: str
    available: bool


def kernels() -> List[Kernel]:
    """All instruction sets, and which run here."""
    numbers_ = sorted(v for n, v in vars(_abi).items() if n.startswith("SNT_KERNEL_"))
    return [
        Kernel(n, lib.snt_deskew_kernel_name(n).decode(), bool(lib.snt_deskew_kernel_available(n))) for n in numbers_
    ]


def deskew(
    cloud: Union[PointCloud, Points],
    twist: Optional[Tuple[Sequence[float], Sequence[float]]] = None,
    imu: Optional[Tuple[Any, Any]] = None,
    poses: Optional[Tuple[Any, Any]] = None,
    reference: Any = "start",
    velocity: Optional[Sequence[float]] = None,
    **scan_options: Any,
) -> Deskewed:
    """Deskew one cloud with one of: `twist` (linear, angular), `imu` (stamps [ns], rates n × 3), `poses` (stamps, n × 7).

    `velocity`, with `imu`: of the body amid the scan, in its own axes [m/s]. Without it the result is `rotation_only`.
    """
    if sum(x is not None for x in (twist, imu, poses)) != 1:
        raise TypeError("give exactly one of twist, imu and poses")
    if velocity is not None and imu is None:
        raise TypeError("velocity goes with imu: a twist and poses have one of their own")
    plan = DeskewPlan()
    scan = plan.scan(cloud, reference, **scan_options)
    if twist is not None:
        plan.from_twist(scan, *twist)
    elif imu is not None:
        plan.from_imu(scan, *imu, velocity=velocity)
    elif poses is not None:
        plan.from_poses(scan, *poses)
    return plan.apply(cloud)
