# SPDX-License-Identifier: BSD-3-Clause
"""Leap seconds, UTC, TAI and GPS time, and which clock an odd stamp comes from."""

import ctypes
from pathlib import Path
from typing import Any, NamedTuple, Optional, Tuple, Union

from . import _abi
from ._handle import UNKNOWN, i32, i64, struct_dict, text_of, u32
from ._library import lib
from .bounded import BoundedTime
from .errors import check

UTC, TAI, GPS = _abi.SNT_DOMAIN_UNIX, _abi.SNT_DOMAIN_TAI, _abi.SNT_DOMAIN_GPS
LEAP_EXPIRED, LEAP_AMBIGUOUS = _abi.SNT_TIME_LEAP_EXPIRED, _abi.SNT_TIME_LEAP_AMBIGUOUS


class Flagged(NamedTuple):
    """A time and the SNT_TIME_* bits that go with it."""

    t: int
    flags: int


class LeapTable:
    """TAI − UTC since 1972: the built-in table, or one read from a leap-seconds.list."""

    __slots__ = ("struct",)

    def __init__(self, text: Union[None, str, bytes] = None):
        """`text` of a leap-seconds.list; None = the built-in table. Raises FormatError … with `line`."""
        self.struct = _abi.snt_leap_table()
        if text is None:
            lib.snt_leap_table_init(ctypes.byref(self.struct))
            return
        raw = text.encode() if isinstance(text, str) else text
        line = ctypes.c_uint32()
        status = lib.snt_leap_table_parse(raw, len(raw), ctypes.byref(self.struct), ctypes.byref(line))
        check(status, "leap-seconds.list", {"line": line.value})

    @classmethod
    def load(cls, path: Union[str, Path]) -> "LeapTable":
        """From a file."""
        return cls(Path(path).read_bytes())

    @property
    def expires_ns(self) -> int:
        """Nobody vouches for it from here on [ns, unix]."""
        return int(self.struct.expires)

    def offset_s(self, unix_ns: int) -> Tuple[int, int]:
        """(TAI − UTC [s], flags) at a unix time."""
        out, flags = ctypes.c_int32(), ctypes.c_uint32()
        status = lib.snt_leap_table_offset(
            ctypes.byref(self.struct), i64(unix_ns), ctypes.byref(out), ctypes.byref(flags)
        )
        check(status, f"TAI − UTC at {unix_ns}")
        return out.value, flags.value

    def convert(self, t: int, source: int, target: int) -> Flagged:
        """Between UTC, TAI and GPS."""
        out, flags = ctypes.c_int64(), ctypes.c_uint32()
        status = lib.snt_timescale_convert(
            ctypes.byref(self.struct), i64(t), u32(source, "source"), u32(target, "target"),
            ctypes.byref(out), ctypes.byref(flags),
        )  # fmt: skip
        check(status, f"time scale of {t}")
        return Flagged(out.value, flags.value)

    def convert_bounded(self, time: BoundedTime, target: int) -> BoundedTime:
        """The same for a bounded time: its bound holds whichever way the clock treated a leap second."""
        out = _abi.snt_bounded_time()
        status = lib.snt_timescale_convert_bounded(
            ctypes.byref(self.struct), ctypes.byref(time.struct), u32(target, "target"), ctypes.byref(out)
        )
        check(status, "time scale")
        return BoundedTime.of(out)

    def ptp_to_unix(self, ptp_ns: int, flags: int = _abi.SNT_PTP_TIMESCALE, utc_offset_s: int = 0) -> Flagged:
        """A PTP time with what the grandmaster announced (SNT_PTP_* bits, currentUtcOffset)."""
        out, about = ctypes.c_int64(), ctypes.c_uint32()
        status = lib.snt_timescale_ptp_to_unix(
            ctypes.byref(self.struct), i64(ptp_ns), u32(flags, "flags"), i32(utc_offset_s, "offset"),
            ctypes.byref(out), ctypes.byref(about),
        )  # fmt: skip
        check(status, "PTP time")
        return Flagged(out.value, about.value)

    def parse_rfc3339(self, text: str, tai: bool = False) -> Flagged:
        """RFC 3339 text to ns of unix time, or of TAI, in which leap seconds are seconds like any other."""
        raw, out, flags = text.encode(), ctypes.c_int64(), ctypes.c_uint32()
        parse = lib.snt_time_parse_rfc3339_tai if tai else lib.snt_time_parse_rfc3339
        status = parse(raw, len(raw), ctypes.byref(self.struct), ctypes.byref(out), ctypes.byref(flags))
        check(status, f"'{text}'")
        return Flagged(out.value, flags.value)

    def format_rfc3339_tai(self, tai_ns: int, digits: int = 9) -> str:
        """A TAI time as UTC text, with second 60 in a leap second."""
        room, flags = ctypes.create_string_buffer(_abi.SNT_RFC3339_SIZE), ctypes.c_uint32()
        status = lib.snt_time_format_rfc3339_tai(
            i64(tai_ns), ctypes.byref(self.struct), u32(digits, "digits"), room, len(room), ctypes.byref(flags)
        )
        check(status, "RFC 3339")
        return room.value.decode()


class ClockFinding:
    """What the gap between a stamp and a reference is made of. `print` it; `facts` has the numbers."""

    def __init__(self, struct: _abi.snt_clock_finding):
        self.struct = struct

    @property
    def kind(self) -> int:
        """SNT_LOOKS_*."""
        return int(self.struct.kind)

    @property
    def comparable(self) -> bool:
        """Is the gap a time between two readings of one clock?"""
        return bool(self.struct.comparable)

    @property
    def name(self) -> str:
        """The kind in words."""
        text: bytes = lib.snt_clock_kind_text(self.struct.kind)
        return text.decode()

    @property
    def facts(self) -> Any:
        """gap, constant, residual, factor …"""
        return struct_dict(self.struct)

    def __str__(self) -> str:
        return text_of(lib.snt_clock_finding_format, ctypes.byref(self.struct))


def classify(
    stamp_ns: int,
    reference_ns: int,
    uptime_ns: int = UNKNOWN,
    tolerance_ns: int = 0,
    table: Optional[LeapTable] = None,
) -> ClockFinding:
    """Name the clock behind a stamp by holding it against a reference, such as the time at which a log received it.

    `tolerance_ns`: how far from a named constant still counts, delay and jitter; 0 = 500 ms.
    """
    out = _abi.snt_clock_finding()
    leaps = None if table is None else ctypes.byref(table.struct)
    status = lib.snt_clock_classify(
        i64(stamp_ns), i64(reference_ns), i64(uptime_ns), i64(tolerance_ns), leaps, ctypes.byref(out)
    )
    check(status, "naming the clock")
    return ClockFinding(out)
