# SPDX-License-Identifier: BSD-3-Clause
"""What the cloud would look like had it been measured at one instant."""

import ctypes
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._handle import Handle, config
from ._library import lib
from .clouds import PointCloud
from .errors import check
from .transforms import TransformPath

REFERENCES = {"start": _abi.SNT_REF_START, "middle": _abi.SNT_REF_MID, "end": _abi.SNT_REF_END}
_REACH_NS = 1_000_000_000  # IMU samples this far around the scan are used


class Deskewed:
    """The result: the cloud's records with their coordinates moved, and what is known about the error."""

    def __init__(self, plan: "DeskewPlan", cloud: _abi.snt_cloud, points: np.ndarray, report: _abi.snt_deskew_report):
        self.plan, self._cloud, self.points, self.report = plan, cloud, points, report

    @property
    def xyz(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """x, y and z [m]."""
        return self.points["x"], self.points["y"], self.points["z"]

    @property
    def reference_ns(self) -> int:
        """Stamp of the result."""
        return self.report.reference_ns

    def error_bound(self, range_m: float) -> float:
        """How far a point at `range_m` can be from where exact motion would put it [m]; `bound` has the parts."""
        return self.bound(range_m).total_m

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

    def scan(
        self, cloud: _abi.snt_cloud, reference: Any = "start", limit_ns: int = 0, **options: Any
    ) -> _abi.snt_deskew_scan:
        """The scan's interval from its points. `reference`: "start", "middle", "end" or a time [ns].

        `limit_ns`: no scan is longer, wilder times are outliers; 0 = take all.
        """
        scan = config(_abi.snt_deskew_scan, lib.snt_deskew_scan_init, options)
        if isinstance(reference, str):
            scan.reference = REFERENCES[reference]
        else:
            scan.reference, scan.reference_ns = _abi.SNT_REF_AT, int(reference)
        check(lib.snt_deskew_scan_from_cloud(ctypes.byref(cloud), None, limit_ns, ctypes.byref(scan), None), "times of the scan")
        return scan

    def from_twist(self, scan: _abi.snt_deskew_scan, linear: Sequence[float], angular: Sequence[float]) -> None:
        """Constant velocity of the body in its own axes [m/s, rad/s]."""
        twist = _abi.snt_twist()
        twist.v[:], twist.w[:] = list(linear), list(angular)
        check(lib.snt_deskew_plan_twist(self.handle, ctypes.byref(scan), ctypes.byref(twist)), "planning from a twist")

    def from_poses(
        self, scan: _abi.snt_deskew_scan, stamps_ns: Any, poses: Any, method: int = _abi.SNT_INTERPOLATE_LINEAR
    ) -> None:
        """Poses of the body in a fixed frame: n × 7, x, y, z, w of the rotation, then x, y, z [m]."""
        stamps, poses = np.ascontiguousarray(stamps_ns, np.int64), np.ascontiguousarray(poses, np.float64)
        if poses.shape != (stamps.size, 7):
            raise ValueError("expected one pose of 7 numbers for each stamp")
        status = lib.snt_deskew_plan_knots(
            self.handle, ctypes.byref(scan), stamps.ctypes.data, 8, poses.ctypes.data, 56, stamps.size, method
        )
        check(status, "planning from poses")

    def from_path(
        self, scan: _abi.snt_deskew_scan, path: TransformPath, spacing_ns: int = 0, method: int = _abi.SNT_INTERPOLATE_LINEAR
    ) -> None:
        """Lookups of a path T_fixed_sensor every `spacing_ns` (0 = 2 ms), in one batch."""
        status = lib.snt_deskew_plan_path(self.handle, ctypes.byref(scan), path.handle, spacing_ns, method)
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
        stamps, rates = np.asarray(stamps_ns, np.int64), np.asarray(rates, np.float64)
        if rates.shape != (stamps.size, 3):
            raise ValueError("expected one rate of 3 numbers for each stamp")
        near = (stamps >= scan.begin_ns - _REACH_NS) & (stamps <= scan.end_ns + _REACH_NS)
        cfg = config(_abi.snt_imu_buffer_config, lib.snt_imu_buffer_config_init, {"domain": scan.domain})
        cfg.capacity = max(16, int(near.sum()))
        cfg.T_body_imu.q[:] = list(rotation)
        state = None
        if velocity is not None:
            state = _abi.snt_imu_state()
            state.stamp_ns, state.T_fixed_body.q[3] = (scan.begin_ns + scan.end_ns) // 2, 1.0
            state.velocity[:] = list(velocity)
        buffer = ctypes.POINTER(_abi.snt_imu_buffer)()
        check(lib.snt_imu_buffer_create(ctypes.byref(cfg), None, ctypes.byref(buffer)), "making an IMU buffer")
        try:
            sample = _abi.snt_imu_sample()
            for stamp, rate in zip(stamps[near].tolist(), rates[near].tolist()):
                sample.stamp_ns, sample.rate[:] = stamp, rate
                check(lib.snt_imu_buffer_insert(buffer, ctypes.byref(sample)), "adding an IMU sample")
            known = None if state is None else ctypes.byref(state)
            check(lib.snt_deskew_plan_imu(self.handle, ctypes.byref(scan), buffer, known), "planning from the IMU")
        finally:
            lib.snt_imu_buffer_destroy(buffer)

    def apply(self, cloud: PointCloud) -> Deskewed:
        """A copy of the cloud's records with the points where they would have been at the reference time."""
        source = cloud.cloud
        report = _abi.snt_deskew_report()
        out = np.empty(len(cloud), cloud.dtype)
        status = lib.snt_deskew_apply_copy(
            self.handle, ctypes.byref(source), cloud.view.data, out.ctypes.data, cloud.view.point_step, None,
            ctypes.byref(report),
        )  # fmt: skip
        check(status, "deskewing")
        return Deskewed(self, source, out, report)

    def apply_in_place(self, cloud: PointCloud) -> Deskewed:
        """Move the points of a message in a bytearray where they are; no other byte changes."""
        if not cloud.writable:
            raise ValueError("the cloud's bytes are not ours to write: make it from a bytearray")
        source = cloud.cloud
        report = _abi.snt_deskew_report()
        there = ctypes.byref(source)
        check(lib.snt_deskew_apply(self.handle, there, there, ctypes.byref(report)), "deskewing")
        return Deskewed(self, source, cloud.points, report)


def deskew(
    cloud: PointCloud,
    twist: Optional[Tuple[Sequence[float], Sequence[float]]] = None,
    imu: Optional[Tuple[Any, Any]] = None,
    poses: Optional[Tuple[Any, Any]] = None,
    reference: Any = "start",
    **scan_options: Any,
) -> Deskewed:
    """Deskew one cloud with one of: `twist` (linear, angular), `imu` (stamps [ns], rates n × 3), `poses` (stamps, n × 7)."""
    if sum(x is not None for x in (twist, imu, poses)) != 1:
        raise TypeError("give exactly one of twist, imu and poses")
    plan = DeskewPlan()
    scan = plan.scan(cloud.cloud, reference, **scan_options)
    if twist is not None:
        plan.from_twist(scan, *twist)
    elif imu is not None:
        plan.from_imu(scan, *imu)
    elif poses is not None:
        plan.from_poses(scan, *poses)
    return plan.apply(cloud)
