# SPDX-License-Identifier: BSD-3-Clause
"""Times as integers in nanoseconds: conversions that never lose a digit silently, and what a wrong stamp costs."""

import ctypes
from typing import NamedTuple, Tuple

from . import _abi
from ._library import lib
from .errors import check

UNKNOWN = _abi.SNT_UNKNOWN
UTC, TAI, GPS = _abi.SNT_DOMAIN_UNIX, _abi.SNT_DOMAIN_TAI, _abi.SNT_DOMAIN_GPS


def _time(function, doing: str, *arguments) -> int:
    out = ctypes.c_int64()
    check(function(*arguments, ctypes.byref(out)), doing)
    return out.value


def from_ros1(sec: int, nsec: int) -> int:
    """ROS 1 (u32, u32) to ns."""
    return _time(lib.snt_time_from_ros1, "ROS 1 time", sec, nsec)


def from_ros2(sec: int, nanosec: int) -> int:
    """ROS 2 (i32, u32) to ns."""
    return _time(lib.snt_time_from_ros2, "ROS 2 time", sec, nanosec)


def to_ros1(t: int) -> Tuple[int, int]:
    """ns to ROS 1 (sec, nsec)."""
    sec, nsec = ctypes.c_uint32(), ctypes.c_uint32()
    check(lib.snt_time_to_ros1(t, ctypes.byref(sec), ctypes.byref(nsec)), "ROS 1 time")
    return sec.value, nsec.value


def to_ros2(t: int) -> Tuple[int, int]:
    """ns to ROS 2 (sec, nanosec)."""
    sec, nanosec = ctypes.c_int32(), ctypes.c_uint32()
    check(lib.snt_time_to_ros2(t, ctypes.byref(sec), ctypes.byref(nanosec)), "ROS 2 time")
    return sec.value, nanosec.value


def from_ntp(ntp: int, pivot: int) -> int:
    """NTP 32.32 to ns since 1970; `pivot` [ns] is near the truth and chooses the era."""
    return _time(lib.snt_time_from_ntp, "NTP time", ntp, pivot)


def from_ptp(seconds: int, nanoseconds: int) -> int:
    """PTP 48.32 to ns of its own time scale (TAI)."""
    return _time(lib.snt_time_from_ptp, "PTP time", seconds, nanoseconds)


def from_gps(week: int, tow_ns: int, pivot: int, week_bits: int = 10) -> int:
    """GPS week and time of week to ns of GPS time; `pivot` [ns] chooses the rollover."""
    return _time(lib.snt_time_from_gps, "GPS time", week, tow_ns, week_bits, pivot)


def from_seconds(seconds: float) -> Tuple[int, int]:
    """Seconds in a double to (ns, largest error of that double [ns])."""
    out, error = ctypes.c_int64(), ctypes.c_int64()
    check(lib.snt_time_from_seconds(seconds, ctypes.byref(out), ctypes.byref(error)), "seconds")
    return out.value, error.value


def to_seconds(t: int) -> Tuple[float, float]:
    """ns to (seconds in a double, its error [s])."""
    out, error = ctypes.c_double(), ctypes.c_double()
    check(lib.snt_time_to_seconds(t, ctypes.byref(out), ctypes.byref(error)), "seconds")
    return out.value, error.value


def parse_rfc3339(text: str) -> int:
    """ "2023-11-14T22:13:20.123456789Z" to ns since 1970."""
    raw, out, flags = text.encode(), ctypes.c_int64(), ctypes.c_uint32()
    status = lib.snt_time_parse_rfc3339(raw, len(raw), None, ctypes.byref(out), ctypes.byref(flags))
    check(status, f"'{text}'")
    return out.value


def format_rfc3339(t: int, digits: int = 9, offset_minutes: int = 0) -> str:
    """ns since 1970 to text with 0 to 9 digits of the second."""
    room = ctypes.create_string_buffer(64)
    check(lib.snt_time_format_rfc3339(t, digits, offset_minutes, room, len(room)), "RFC 3339")
    return room.value.decode()


def convert_scale(t: int, source: int, target: int) -> int:
    """Between UTC, TAI and GPS with the built-in leap-second table."""
    out, flags = ctypes.c_int64(), ctypes.c_uint32()
    check(lib.snt_timescale_convert(None, t, source, target, ctypes.byref(out), ctypes.byref(flags)), "time scale")
    return out.value


class DelayError(NamedTuple):
    """Where a stamp that is wrong by a delay puts the measurement."""

    position_m: float  # v·L
    bearing_rad: float  # ω·L
    rotation_m: float  # r·ω·L
    point_m: float  # v·L + r·ω·L


def delay_error(delay_ns: int, speed: float, turn: float, range_m: float) -> DelayError:
    """First-order error of a stamp wrong by `delay_ns` at `speed` [m/s] and `turn` [rad/s], for a point at `range_m`."""
    out = _abi.snt_delay_error()
    check(lib.snt_stamp_delay_error(delay_ns, speed, turn, range_m, ctypes.byref(out)), "delay error")
    return DelayError(out.position_m, out.bearing_rad, out.rotation_m, out.point_m)
