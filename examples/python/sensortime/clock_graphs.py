# SPDX-License-Identifier: BSD-3-Clause
"""A time on any clock, from any clock it is connected to."""

import ctypes
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _abi
from ._handle import Handle, config, i64, size_of, struct_dict, text_of, typed, u32
from ._library import lib
from .bounded import FUTURE, PAST, BoundedTime, checked_array
from .clock_maps import ClockMap, ClockMapping
from .clocks import DeviceClock
from .errors import check
from .timescales import LeapTable

KINDS = {
    _abi.SNT_EDGE_SCALE: "scale", _abi.SNT_EDGE_OFFSET: "offset", _abi.SNT_EDGE_FACT: "fact", _abi.SNT_EDGE_MAP: "map",
    _abi.SNT_EDGE_MAPPING: "mapping",
}  # fmt: skip


class Edge(NamedTuple):
    """What connects two clocks."""

    number: int
    kind: str  # "scale", "offset", "fact", "map", "mapping"
    source: int
    target: int


class ClockReport:
    """How an answer came about, or which edges contradict each other. `print` it; `facts` has the numbers."""

    def __init__(self, struct: _abi.snt_clock_report):
        self.struct = struct

    @property
    def facts(self) -> Dict[str, Any]:
        """paths, blocked, gap_ns, a_edges, b_edges …"""
        facts = struct_dict(self.struct)
        facts["a_edges"], facts["b_edges"] = facts["a_edges"][: facts["a_count"]], facts["b_edges"][: facts["b_count"]]
        return facts

    def __str__(self) -> str:
        return text_of(lib.snt_clock_report_format, ctypes.byref(self.struct))


class ClockGraph(Handle):
    """Clocks and what connects them. Options: snt_clock_graph_config (max_edges, …); `leap_table`: a LeapTable."""

    _destroy = lib.snt_clock_graph_destroy

    def __init__(self, leap_table: Optional[LeapTable] = None, **options: Any):
        cfg = self._configured(leap_table, options)
        out = ctypes.POINTER(_abi.snt_clock_graph)()
        check(lib.snt_clock_graph_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a clock graph")
        self._maps: Dict[int, Handle] = {}  # a map has to outlive its edge
        self._own(out)

    @staticmethod
    def _configured(leap_table: Optional[LeapTable], options: Dict[str, Any]) -> Any:
        cfg = config(_abi.snt_clock_graph_config, lib.snt_clock_graph_config_init, options)
        if leap_table is not None:
            cfg.leap_table = ctypes.pointer(leap_table.struct)
        return cfg

    @classmethod
    def size(cls, **options: Any) -> int:
        """Memory that a graph of these options takes [bytes]."""
        return size_of(lib.snt_clock_graph_size, cls._configured(None, options), "size of a clock graph")

    def _free(self, pointer: Any) -> None:
        super()._free(pointer)
        maps, self._maps = self._maps, {}
        for one in maps.values():
            one._leave()

    # ---- edges ----

    def add_scale(self, source: int, target: int) -> int:
        """Connect two of unix, TAI and GPS by the leap table; the edge's number."""
        edge = ctypes.c_uint32()
        status = lib.snt_clock_graph_add_scale(self.handle, u32(source), u32(target), ctypes.byref(edge))
        check(status, f"scale {source} → {target}")
        return edge.value

    def add_offset(self, source: int, target: int, offset_ns: int, error_ns: int = 0) -> int:
        """target = source + offset ± error, for ever; the edge's number."""
        edge = ctypes.c_uint32()
        status = lib.snt_clock_graph_add_offset(
            self.handle, u32(source), u32(target), i64(offset_ns), i64(error_ns), ctypes.byref(edge)
        )
        check(status, f"offset {source} → {target}")
        return edge.value

    @staticmethod
    def _fact(
        source: int, target: int, at_ns: int, offset_ns: int, error_ns: int, drift_ppb: int, valid: Tuple[int, int]
    ) -> _abi.snt_clock_fact:
        fact = _abi.snt_clock_fact()
        setattr(fact, "from", u32(source))
        fact.to, fact.at_ns, fact.offset_ns = u32(target), i64(at_ns), i64(offset_ns)
        fact.error_ns, fact.drift_ppb = i64(error_ns), i64(drift_ppb)
        fact.valid_from, fact.valid_until = i64(valid[0]), i64(valid[1])
        return fact

    def add_fact(
        self, source: int, target: int, at_ns: int, offset_ns: int, error_ns: int, drift_ppb: int = 0,
        valid: Tuple[int, int] = (PAST, FUTURE),
    ) -> int:  # fmt: skip
        """What somebody vouches for: at `at_ns`, target = source + offset ± error, drifting by at most `drift_ppb`."""
        edge, fact = ctypes.c_uint32(), self._fact(source, target, at_ns, offset_ns, error_ns, drift_ppb, valid)
        check(lib.snt_clock_graph_add_fact(self.handle, ctypes.byref(fact), ctypes.byref(edge)), "adding a fact")
        return edge.value

    def update_fact(
        self, edge: int, source: int, target: int, at_ns: int, offset_ns: int, error_ns: int, drift_ppb: int = 0,
        valid: Tuple[int, int] = (PAST, FUTURE),
    ) -> None:  # fmt: skip
        """Replace a fact by a newer one of the same two clocks."""
        fact = self._fact(source, target, at_ns, offset_ns, error_ns, drift_ppb, valid)
        check(lib.snt_clock_graph_update_fact(self.handle, u32(edge), ctypes.byref(fact)), f"edge {edge}")

    def add_map(self, clock: Union[ClockMap, DeviceClock]) -> int:
        """Connect a device's clock and the host's by their map, asked anew each time. The map is kept alive."""
        edge = ctypes.c_uint32()
        pointer = clock._enter()
        try:
            if isinstance(clock, DeviceClock):
                pointer = lib.snt_device_clock_map(pointer)
            check(lib.snt_clock_graph_add_map(self.handle, pointer, ctypes.byref(edge)), "adding a map")
        except BaseException:
            clock._leave()
            raise
        self._maps[edge.value] = clock
        return edge.value

    def add_mapping(self, mapping: ClockMapping) -> int:
        """Connect two clocks by an exported mapping, which is copied."""
        edge = ctypes.c_uint32()
        status = lib.snt_clock_graph_add_mapping(self.handle, ctypes.byref(mapping.struct), ctypes.byref(edge))
        check(status, "adding a mapping")
        return edge.value

    def update_mapping(self, edge: int, mapping: ClockMapping) -> None:
        """Replace an exported mapping by another of the same two clocks."""
        check(lib.snt_clock_graph_update_mapping(self.handle, u32(edge), ctypes.byref(mapping.struct)), f"edge {edge}")

    def set_leap_table(self, table: Optional[LeapTable]) -> None:
        """Replace the leap table; None = built-in."""
        pointer = None if table is None else ctypes.byref(table.struct)
        check(lib.snt_clock_graph_set_leap_table(self.handle, pointer), "setting the leap table")

    def remove(self, edge: int) -> None:
        """Take an edge out."""
        with self._alone() as handle:  # nobody may be asking the edge's map
            check(lib.snt_clock_graph_remove(handle, u32(edge)), f"edge {edge}")
        kept = self._maps.pop(edge, None)
        if kept is not None:
            kept._leave()

    @property
    def edges(self) -> List[Edge]:
        """All edges, in the order they were added."""
        count, room = ctypes.c_uint32(), (_abi.snt_clock_edge * 256)()
        check(lib.snt_clock_graph_edges(self.handle, room, len(room), ctypes.byref(count)), "listing the edges")
        return [Edge(one.edge, KINDS.get(one.kind, "?"), getattr(one, "from"), one.to) for one in room[: count.value]]

    # ---- conversion ----

    def convert(self, time: BoundedTime, target: int) -> BoundedTime:
        """A bounded time on another clock. Raises ConflictError, NotConnectedError … with the report as `struct`."""
        return self.explain(time, target)[0]

    def explain(self, time: BoundedTime, target: int) -> Tuple[BoundedTime, ClockReport]:
        """As `convert`, and how it came about."""
        out, report = _abi.snt_bounded_time(), _abi.snt_clock_report()
        status = lib.snt_clock_graph_convert(
            self.handle, ctypes.byref(time.struct), u32(target, "clock"), ctypes.byref(out), ctypes.byref(report)
        )
        about = ClockReport(report)
        if status != _abi.SNT_OK:
            check(status, f"time on clock {target}", {"why": str(about)}, report)
            raise TimeoutError("the graph changed in every attempt")
        return BoundedTime.of(out), about

    def convert_many(self, times: "np.ndarray[Any, Any]", target: int) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """(times, statuses) of an array of BOUNDED_DTYPE; those refused are as they were."""
        out = checked_array(times).copy()
        statuses = np.zeros(out.size, np.int32)
        handle, first = self._enter(), typed(out, _abi.snt_bounded_time)
        try:
            lib.snt_clock_graph_convert_many(handle, first, out.size, u32(target, "clock"), first, statuses.ctypes.data)
        finally:
            self._leave()
        return out, statuses

    def check(self, at: BoundedTime) -> ClockReport:
        """Does all that is connected to a clock agree? Raises ConflictError with the report where it does not."""
        report = _abi.snt_clock_report()
        status = lib.snt_clock_graph_check(self.handle, ctypes.byref(at.struct), ctypes.byref(report))
        about = ClockReport(report)
        check(status, "clocks", {"why": str(about)} if status == _abi.SNT_ERR_CONFLICT else {}, report)
        return about


