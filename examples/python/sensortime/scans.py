# SPDX-License-Identifier: BSD-3-Clause
"""Audit the point times of a lidar's scans."""

import ctypes
from typing import Any, Iterator, List, Optional

from . import _abi
from ._handle import Handle, config, i64, integers, size_of, text_of, u32, u64
from ._library import lib
from .errors import check
from .findings import Finding, collect

UNKNOWN = _abi.SNT_UNKNOWN


class ScanAuditor(Handle):
    """Give scans and IMU stamps in recorded order, take one report per scan. Options are those of the config."""

    _destroy = lib.snt_scan_auditor_destroy

    def __init__(self, **options: Any):
        cfg = config(_abi.snt_scan_auditor_config, lib.snt_scan_auditor_config_init, options)
        out = ctypes.POINTER(_abi.snt_scan_auditor)()
        check(lib.snt_scan_auditor_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a scan auditor")
        self._own(out)

    def add_scan(
        self, cloud: _abi.snt_cloud, header_ns: int, receive_ns: int = UNKNOWN, token: int = 0, **more: int
    ) -> None:
        """Give the next scan with its points; `more` are fields of snt_scan_input."""
        scan = _abi.snt_scan_input(header_ns=i64(header_ns), receive_ns=i64(receive_ns), token=u64(token), **more)
        handle = self._enter()
        try:
            status = lib.snt_scan_auditor_add_scan(handle, ctypes.byref(scan), ctypes.byref(cloud))
        finally:
            self._leave()
        check(status, "adding a scan")

    def add_imu(self, stamp_ns: int) -> bool:
        """Give the next IMU stamp; False if it was a duplicate or too old to keep."""
        status = lib.snt_scan_auditor_add_imu(self.handle, i64(stamp_ns))
        if status in (_abi.SNT_ERR_DUPLICATE, _abi.SNT_ERR_PAST):
            return False
        check(status, "adding an IMU stamp")
        return True

    def add_imus(self, stamps_ns: Any) -> None:
        """Give many IMU stamps in recorded order; duplicates and late ones are counted."""
        stamps = integers(stamps_ns)
        handle = self._enter()
        try:
            status = lib.snt_scan_auditor_add_imu_many(handle, stamps.ctypes.data, stamps.itemsize, stamps.size)
        finally:
            self._leave()
        check(status, "adding IMU stamps")

    def finish(self) -> None:
        """The recording is over: what waits becomes final."""
        check(lib.snt_scan_auditor_finish(self.handle), "finishing")

    def reset(self) -> None:
        """Forget everything; the settings stay."""
        lib.snt_scan_auditor_reset(self.handle)

    @staticmethod
    def size(**options: Any) -> int:
        """Memory that an auditor of these options takes [bytes]."""
        cfg = config(_abi.snt_scan_auditor_config, lib.snt_scan_auditor_config_init, options)
        return size_of(lib.snt_scan_auditor_size, cfg, "size of a scan auditor")

    def reports(self) -> Iterator[_abi.snt_scan_report]:
        """Take the reports that are final, in order of the scans."""
        take = lib.snt_scan_auditor_next
        while True:
            out = _abi.snt_scan_report()
            if check(take(self.handle, ctypes.byref(out))) != _abi.SNT_OK:
                return
            yield out

    def summary(self) -> _abi.snt_scan_summary:
        """All final scans together."""
        out = _abi.snt_scan_summary()
        check(lib.snt_scan_auditor_summary(self.handle, ctypes.byref(out)), "summing up")
        return out

    def findings(self) -> List[Finding]:
        """The verdicts on the final scans, errors first."""
        return collect(lib.snt_scan_auditor_findings, self)

    def points(self, cloud: _abi.snt_cloud, period_ns: Optional[int] = None) -> _abi.snt_point_stats:
        """Only the pass over one cloud's points, without any history."""
        out = _abi.snt_point_stats()
        period, handle = i64(period_ns or 0), self._enter()
        try:
            status = lib.snt_scan_auditor_points(handle, ctypes.byref(cloud), period, ctypes.byref(out))
        finally:
            self._leave()
        check(status, "looking at the points")
        return out


def order_text(order: int) -> str:
    """SNT_ORDER_* in words."""
    text: bytes = lib.snt_order_text(u32(order, "order"))
    return text.decode()


def loss_reasons(suspicion: int) -> List[str]:
    """SNT_LOSS_* bits in words."""
    return [reason.strip() for reason in text_of(lib.snt_loss_format, u32(suspicion)).split(",")] if suspicion else []
