# SPDX-License-Identifier: BSD-3-Clause
"""Scans of a recording: clouds and laser scans, handed to the scan auditor of the library."""

from collections import OrderedDict
from ctypes import byref, string_at
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from sensortime import abi, lib
from sensortime.clouds import Layout, PointCloud, detect_layout, field_array, relative_times_ns
from sensortime.errors import check
from sensortime.findings import Finding
from sensortime.scans import ScanAuditor

from .layouts import layout_facts, layout_items, layout_text
from .result import Item
from .streams import BATCH, BadMessage, Handler

LAYOUT_SCANS = 10  # scans looked at before the layout is decided
LAYOUT_POINTS = 20_000  # of each
DRAIN = 16  # scans between two looks for finished reports
RAW_KEPT = 48  # scans whose bytes wait for their report, so that a flagged one can be drawn
LATE_NS = 100_000_000  # after its end a scan that is recorded later than this is late
SPARSE_POINTS = 256
LEAST_SCRATCH = 1 << 14
DRAWN = 3  # scans drawn of each lidar
_FIELD_LIMIT = 64  # flagged scans listed


@dataclass
class Drawn:
    """One scan for the report's plots."""

    title: str
    times_ms: np.ndarray
    rings: Optional[np.ndarray]
    limits: Tuple[float, float]


class ScanTopic:
    """One lidar: its layout is found from the first scans, then every scan goes to the auditor."""

    def __init__(self, channel: Any, stream: Any, imu_topic: Callable[[], str], keep_plots: bool, feeds: Sequence = ()):
        self.topic, self.msgtype, self.kind = channel.topic, channel.msgtype, channel.kind
        self.stream = stream
        self.feeds = feeds  # to be called before each scan
        self._which_imu = imu_topic  # asked when the first scan is there: a damaged file has no table of contents
        self.imu_topic = ""
        self.imu_seen = 0  # how far the feed has come
        self.auditor: Optional[ScanAuditor] = None
        self.layout: Optional[Layout] = None
        self.reports: List[abi.snt_scan_report] = []
        self.summary: Any = None
        self.coverage: Any = None  # by transforms
        self.findings: List[Finding] = []
        self.drawn: List[Drawn] = []
        self._raw: Optional["OrderedDict[int, tuple]"] = OrderedDict() if keep_plots else None
        self._early: Optional[List[tuple]] = [] if self.kind == abi.SNT_MESSAGE_POINTCLOUD2 else None
        self._early_scans = 0
        self._index = 0
        self._cloud, self._input = abi.snt_cloud(), abi.snt_scan_input()
        self._bad: BadMessage = lambda *_: None
        self._imu = lib.snt_scan_auditor_add_imu_many
        self._handle: Any = None
        self._points = 0  # of the largest scan before the auditor was made

    # -- IMU ----------------------------------------------------------------------------------------------------

    def add_imu(self, address: int, count: int) -> None:
        """IMU stamps [ns] that came since the last scan; they are only there during the call."""
        if self._early is not None:
            self._early.append((string_at(address, 8 * count),))
            return
        if self._handle is None:
            self._start()
        self._imu(self._handle, address, 8, count)

    def _start(self) -> None:
        self.imu_topic = self._which_imu()
        self.auditor = ScanAuditor(
            flags=0 if self.imu_topic else abi.SNT_SCAN_AUDIT_NO_IMU,
            # gaps are exact up to so many points; scans of one lidar are about alike
            scratch_points=max(LEAST_SCRATCH, 2 * self._points),
        )
        self._handle = self.auditor.handle

    # -- messages -----------------------------------------------------------------------------------------------

    def handler(self, encoding: int, bad: BadMessage) -> Handler:
        self._bad = bad
        kinds: Dict[int, Tuple[Any, Any, Callable]] = {
            abi.SNT_MESSAGE_POINTCLOUD2: (abi.snt_pointcloud2_view, lib.snt_pointcloud2_view_parse, self._take_cloud),
            abi.SNT_MESSAGE_LASERSCAN: (abi.snt_laserscan_view, lib.snt_laserscan_view_parse, self._take_laserscan),
            abi.SNT_MESSAGE_LIVOX: (abi.snt_livox_view, lib.snt_livox_view_parse, self._take_livox),
        }
        view_type, parse, take = kinds[self.kind]
        view, error = view_type(), abi.snt_message_error()
        into, why, header = byref(view), byref(error), view.header
        stream, feeds = self.stream, self.feeds
        clouds = self.kind == abi.SNT_MESSAGE_POINTCLOUD2
        stamps, logs, sizes = stream.stamps, stream.logs, stream.sizes

        def handle(log_ns: int, raw: bytes) -> None:
            if parse(encoding, raw, len(raw), into, why):
                bad(log_ns, error)
                return
            stamps.append(header.stamp_ns)
            logs.append(log_ns)
            sizes.append(len(raw))
            if len(logs) >= BATCH:
                stream.flush()
            if self._handle is None:
                self._points = max(self._points, view.point_count if clouds else view.count)
            for feed in feeds:
                feed(self)
            take(view, log_ns, raw)

        return handle

    def add_alone(self, cloud: PointCloud) -> None:
        """One scan without a header or a time of recording: a file."""
        self._early, self.layout, self._points = None, cloud.layout, len(cloud)
        status = lib.snt_cloud_from_pointcloud2(byref(cloud.view), byref(self.layout.struct), byref(self._cloud))
        check(status, self.topic)
        self._add(abi.SNT_UNKNOWN, abi.SNT_UNKNOWN, cloud)

    def _take_cloud(self, view: Any, log_ns: int, raw: bytes) -> None:
        if self._early is None:
            self._add_cloud(view, log_ns, raw)
            return
        copy = abi.snt_pointcloud2_view.from_buffer_copy(view)
        self._early.append((copy, log_ns, raw))
        self._early_scans += 1
        if self._early_scans >= LAYOUT_SCANS:
            self._decide_layout()

    def _decide_layout(self) -> None:
        """Find the layout, then replay what came before it was known, in its order."""
        early, self._early = self._early or [], None
        scans = [e for e in early if len(e) == 3]
        usable = [s for s in scans if s[0].point_step == scans[0][0].point_step]
        clouds = [PointCloud(raw, view) for view, _log, raw in usable]
        if clouds:
            self.layout = detect_layout(clouds, receive_ns=[log for _v, log, _r in usable], max_points=LAYOUT_POINTS)
        for event in early:
            if len(event) == 1:
                kept = np.frombuffer(event[0], np.int64)
                self.add_imu(kept.ctypes.data, kept.size)
            else:
                self._add_cloud(*event)

    def _add_cloud(self, view: Any, log_ns: int, raw: bytes) -> None:
        assert self.layout is not None
        status = lib.snt_cloud_from_pointcloud2(byref(view), byref(self.layout.struct), byref(self._cloud))
        if status == abi.SNT_ERR_UNSUPPORTED:  # padded rows
            view, raw = without_padding(view)
            status = lib.snt_cloud_from_pointcloud2(byref(view), byref(self.layout.struct), byref(self._cloud))
        if status:
            self._refuse(status, "fields[]", log_ns)
            return
        self._add(view.header.stamp_ns, log_ns, raw)

    def _take_livox(self, view: Any, log_ns: int, raw: bytes) -> None:
        status = lib.snt_cloud_from_livox(byref(view), byref(self._cloud))
        if status:
            self._refuse(status, "timebase", log_ns)
            return
        self._add(view.header.stamp_ns, log_ns, raw)

    def _add(self, stamp_ns: int, log_ns: int, raw: Any) -> None:
        one = self._input
        one.header_ns, one.receive_ns, one.token = stamp_ns, log_ns, self._index
        if self._handle is None:
            self._start()
        status = lib.snt_scan_auditor_add_scan(self._handle, byref(one), byref(self._cloud))
        if status:
            self._refuse(status, "points", log_ns)
            return
        if self._raw is not None:
            kept = abi.snt_cloud.from_buffer_copy(self._cloud)
            self._raw[self._index] = (raw, kept)
            if len(self._raw) > RAW_KEPT:
                self._raw.popitem(last=False)
        self._index += 1
        if not self._index % DRAIN:
            self._drain()

    def _take_laserscan(self, view: Any, log_ns: int, raw: bytes) -> None:
        status = lib.snt_cloud_from_laserscan(byref(view), byref(self._cloud))
        if status:
            self._refuse(status, "time_increment", log_ns)
            return
        period = view.scan_time
        self._input.period_ns = int(period * 1e9) if 0 < period < 1000 else 0
        self._add(view.header.stamp_ns, log_ns, raw)

    def _refuse(self, status: int, field: str, log_ns: int) -> None:
        name = field.encode()
        error = abi.snt_message_error(status=status)
        self._kept_name = abi._c.create_string_buffer(name)  # the struct holds its address
        error.field = abi._c.addressof(self._kept_name)
        self._bad(log_ns, error)

    # -- reports ------------------------------------------------------------------------------------------------

    def _drain(self) -> None:
        assert self.auditor is not None
        for report in self.auditor.reports():
            self.reports.append(report)
            if self._raw is not None:
                kept = self._raw.pop(report.token, None)
                flagged = bool(report.suspicion or report.proof)
                if kept and (flagged and len(self.drawn) < DRAWN or not self.drawn and not report.flags & abi.SNT_SCAN_EDGE):
                    self._draw(report, kept[1], flagged)

    def _draw(self, report: abi.snt_scan_report, cloud: abi.snt_cloud, flagged: bool) -> None:
        times = relative_times_ns(cloud)
        if times is None or times.size == 0:
            return
        rings = field_array(cloud.ring, cloud.count)
        limits = (-0.02 * report.duration_ns / 1e6, 1.02 * report.duration_ns / 1e6)
        what = ", packets suspected lost" if flagged else ""
        self.drawn.append(
            Drawn(f"{self.topic}, scan {report.scan_id}{what}", times / 1e6, None if rings is None else rings.copy(), limits)
        )

    def finish(self) -> None:
        if self._early is not None:
            self._decide_layout()
        if self._index and self.auditor is not None:
            self.auditor.finish()
            self._drain()
            self.summary = self.auditor.summary()
            self.findings = self.auditor.findings()
        if self._raw is not None:
            self._raw.clear()
        if self.auditor is not None:
            self.auditor.close()

    def explains_delay(self) -> bool:
        """A scan stamped at its start is recorded a scan later: that is no delay of its stamps."""
        s = self.summary
        if s is None or not s.timed or s.latency_median_ns == abi.SNT_UNKNOWN:
            return False
        return 0 <= s.latency_median_ns < LATE_NS

    def is_sparse(self) -> bool:
        """So few points that they are objects rather than a sweep."""
        return self.summary.points_median < SPARSE_POINTS

    # -- words --------------------------------------------------------------------------------------------------

    def flagged_text(self) -> str:
        """Which scans: "57, 203, 204"."""
        flagged = [str(r.scan_id) for r in self.reports if r.suspicion or r.proof]
        more = f" and {len(flagged) - _FIELD_LIMIT} more" if len(flagged) > _FIELD_LIMIT else ""
        return f"scan{'s' if len(flagged) > 1 else ''} {', '.join(flagged[:_FIELD_LIMIT])}{more}"

    def layout_text(self) -> List[str]:
        return layout_text(self.layout) if self.layout is not None else []

    def layout_facts(self) -> Optional[dict]:
        return layout_facts(self.layout) if self.layout is not None else None

    def layout_items(self) -> List[Item]:
        return layout_items(self.layout, self.topic, self.summary) if self.layout is not None else []


def without_padding(view: abi.snt_pointcloud2_view) -> Tuple[abi.snt_pointcloud2_view, bytes]:
    """A copy of a cloud with padded rows whose rows follow each other."""
    row = view.width * view.point_step
    size = (view.height - 1) * view.row_step + row
    memory = np.frombuffer((abi._c.c_char * size).from_address(view.data), np.uint8)
    rows = np.lib.stride_tricks.as_strided(memory, (view.height, row), (view.row_step, 1))
    packed = np.ascontiguousarray(rows).tobytes()
    out = abi.snt_pointcloud2_view.from_buffer_copy(view)
    address = abi._c.cast(abi._c.c_char_p(packed), abi._c.c_void_p).value
    out.data, out.row_step, out.data_size = address, row, len(packed)
    out.flags &= ~abi.SNT_POINTCLOUD2_PADDED_ROWS
    return out, packed

