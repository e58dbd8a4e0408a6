# SPDX-License-Identifier: BSD-3-Clause
"""Times as integers in nanoseconds: conversions that never lose a digit silently, and what a wrong stamp costs."""

import ctypes
from typing import Any, Callable, NamedTuple, Tuple

from . import _abi
from ._handle import i32, i64, u32, u64
from ._library import lib
from .errors import check

UNKNOWN = _abi.SNT_UNKNOWN
UTC, TAI, GPS = _abi.SNT_DOMAIN_UNIX, _abi.SNT_DOMAIN_TAI, _abi.SNT_DOMAIN_GPS


def _time(function: Callable[..., int], doing: str, *arguments: Any) -> int:
    out = ctypes.c_int64()
    check(function(*arguments, ctypes.byref(out)), doing)
    return out.value


def from_ros1(sec: int, nsec: int) -> int:
    """ROS 1 (u32, u32) to ns."""
    return _time(lib.snt_time_from_ros1, "ROS 1 time", u32(sec, "sec"), u32(nsec, "nsec"))


def from_ros2(sec: int, nanosec: int) -> int:
    """ROS 2 (i32, u32) to ns."""
    return _time(lib.snt_time_from_ros2, "ROS 2 time", i32(sec, "sec"), u32(nanosec, "nanosec"))


def to_ros1(t: int) -> Tuple[int, int]:
    """ns to ROS 1 (sec, nsec)."""
    sec, nsec = ctypes.c_uint32(), ctypes.c_uint32()
    check(lib.snt_time_to_ros1(i64(t), ctypes.byref(sec), ctypes.byref(nsec)), "ROS 1 time")
    return sec.value, nsec.value


def to_ros2(t: int) -> Tuple[int, int]:
    """ns to ROS 2 (sec, nanosec)."""
    sec, nanosec = ctypes.c_int32(), ctypes.c_uint32()
    check(lib.snt_time_to_ros2(i64(t), ctypes.byref(sec), ctypes.byref(nanosec)), "ROS 2 time")
    return sec.value, nanosec.value


def from_ntp(ntp: int, pivot: int) -> int:
    """NTP 32.32 to ns since 1970; `pivot` [ns] is near the truth and chooses the era."""
    return _time(lib.snt_time_from_ntp, "NTP time", u64(ntp, "ntp"), i64(pivot, "pivot"))


def from_ptp(seconds: int, nanoseconds: int) -> int:
    """PTP 48.32 to ns of its own time scale (TAI)."""
    return _time(lib.snt_time_from_ptp, "PTP time", u64(seconds, "seconds"), u32(nanoseconds, "nanoseconds"))


def from_gps(week: int, tow_ns: int, pivot: int, week_bits: int = 10) -> int:
    """GPS week and time of week to ns of GPS time; `pivot` [ns] chooses the rollover."""
    return _time(lib.snt_time_from_gps, "GPS time", u32(week, "week"), i64(tow_ns), u32(week_bits), i64(pivot))


def from_seconds(seconds: float) -> Tuple[int, int]:
    """Seconds in a double to (ns, largest error of that double [ns])."""
    out, error = ctypes.c_int64(), ctypes.c_int64()
    check(lib.snt_time_from_seconds(seconds, ctypes.byref(out), ctypes.byref(error)), "seconds")
    return out.value, error.value


def to_seconds(t: int) -> Tuple[float, float]:
    """ns to (seconds in a double, its error [s])."""
    out, error = ctypes.c_double(), ctypes.c_double()
    check(lib.snt_time_to_seconds(i64(t), ctypes.byref(out), ctypes.byref(error)), "seconds")
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
    check(lib.snt_time_format_rfc3339(i64(t), u32(digits, "digits"), i32(offset_minutes, "offset"), room, len(room)), "RFC 3339")
    return room.value.decode()


def convert_scale(t: int, source: int, target: int) -> int:
    """Between UTC, TAI and GPS with the built-in leap-second table."""
    out, flags = ctypes.c_int64(), ctypes.c_uint32()
    check(lib.snt_timescale_convert(None, i64(t), u32(source), u32(target), ctypes.byref(out), ctypes.byref(flags)), "time scale")
    return out.value


# ---- arithmetic: exact, or an exception; the saturating forms clamp to PAST and FUTURE, which absorb ----

PAST, FUTURE = _abi.SNT_TIME_INFINITE_PAST, _abi.SNT_TIME_INFINITE_FUTURE
FLOOR, CEIL, NEAREST, ZERO = (
    _abi.SNT_ROUND_FLOOR, _abi.SNT_ROUND_CEIL, _abi.SNT_ROUND_NEAREST, _abi.SNT_ROUND_ZERO,
)  # fmt: skip


def _sum(function: Callable[..., int], sign: str, a: int, b: int) -> int:
    out = ctypes.c_int64()
    status = function(a, b, ctypes.byref(out))
    if status < 0:
        check(status, f"{a} {sign} {b}")
    return out.value


def add(t: int, d: int) -> int:
    """t + d. Raises OverflowError, and RangeError for an infinite operand."""
    return _sum(lib.snt_time_add, "+", i64(t), i64(d))


def sub(t: int, d: int) -> int:
    """t − d; of two times of one clock, their difference."""
    return _sum(lib.snt_time_sub, "−", i64(t), i64(d))


def mul(d: int, n: int) -> int:
    """d · n."""
    return _sum(lib.snt_duration_mul, "·", i64(d), i64(n))


def scale(d: int, num: int, den: int, rounding: int = FLOOR) -> int:
    """d · num / den, rounded once (FLOOR, CEIL, NEAREST with halves to even, ZERO)."""
    doing = f"{d} · {num} / {den}"
    return _time(lib.snt_duration_scale, doing, i64(d), i64(num), i64(den), u32(rounding, "rounding"))


def add_saturating(t: int, d: int) -> int:
    """t + d, clamped."""
    return int(lib.snt_time_add_sat(i64(t), i64(d)))


def sub_saturating(t: int, d: int) -> int:
    """t − d, clamped."""
    return int(lib.snt_time_sub_sat(i64(t), i64(d)))


def mul_saturating(d: int, n: int) -> int:
    """d · n, clamped."""
    return int(lib.snt_duration_mul_sat(i64(d), i64(n)))


def scale_saturating(d: int, num: int, den: int, rounding: int = FLOOR) -> int:
    """d · num / den, rounded once and clamped."""
    return int(lib.snt_duration_scale_sat(i64(d), i64(num), i64(den), u32(rounding, "rounding")))


# ---- more formats ----


def from_parts(sec: int, nsec: int) -> int:
    """Seconds and nanoseconds of any size and sign, normalised."""
    return _time(lib.snt_time_from_parts, "time", i64(sec, "sec"), i64(nsec, "nsec"))


def from_timespec(sec: int, nsec: int) -> int:
    """The fields of a struct timespec."""
    return _time(lib.snt_time_from_timespec, "timespec", i64(sec, "sec"), i64(nsec, "nsec"))


def from_timeval(sec: int, usec: int) -> int:
    """The fields of a struct timeval."""
    return _time(lib.snt_time_from_timeval, "timeval", i64(sec, "sec"), i64(usec, "usec"))


def duration_from_ros1(sec: int, nsec: int) -> int:
    """ros::Duration."""
    return _time(lib.snt_duration_from_ros1, "ROS 1 duration", i32(sec, "sec"), i32(nsec, "nsec"))


def _pair(function: Callable[..., int], doing: str, first: Any, second: Any, *arguments: int) -> Tuple[int, int]:
    check(function(*arguments, ctypes.byref(first), ctypes.byref(second)), doing)
    return first.value, second.value


def to_timespec(t: int) -> Tuple[int, int]:
    """(sec, nsec)."""
    return _pair(lib.snt_time_to_timespec, "timespec", ctypes.c_int64(), ctypes.c_int64(), i64(t))


def to_timeval(t: int) -> Tuple[int, int]:
    """(sec, usec), rounded down."""
    return _pair(lib.snt_time_to_timeval, "timeval", ctypes.c_int64(), ctypes.c_int64(), i64(t))


def duration_to_ros1(d: int) -> Tuple[int, int]:
    """ros::Duration with a fraction that is never negative."""
    return _pair(lib.snt_duration_to_ros1, "ROS 1 duration", ctypes.c_int32(), ctypes.c_int32(), i64(d))


def to_ntp(t: int) -> int:
    """NTP 32.32; the era is lost."""
    out = ctypes.c_uint64()
    check(lib.snt_time_to_ntp(i64(t), ctypes.byref(out)), "NTP time")
    return out.value


def to_ptp(t: int) -> Tuple[int, int]:
    """(seconds, nanoseconds) of TAI."""
    return _pair(lib.snt_time_to_ptp, "PTP time", ctypes.c_uint64(), ctypes.c_uint32(), i64(t))


def to_gps(t: int, week_bits: int = 10) -> Tuple[int, int]:
    """(week, time of week [ns]) of GPS time."""
    return _pair(lib.snt_time_to_gps, "GPS time", ctypes.c_uint32(), ctypes.c_int64(), i64(t), u32(week_bits))


def from_seconds_f32(seconds: float, max_error_ns: int = 0) -> Tuple[int, int]:
    """Single-precision seconds to (ns, error [ns]). Raises PrecisionError where a float is too coarse (0: above 1 ms)."""
    out, error = ctypes.c_int64(), ctypes.c_int64()
    check(lib.snt_time_from_seconds_f32(seconds, i64(max_error_ns), ctypes.byref(out), ctypes.byref(error)), "seconds")
    return out.value, error.value


def format_duration(d: int, digits: int = 9) -> str:
    """Seconds as exact decimals, such as "-0.25"."""
    room = ctypes.create_string_buffer(_abi.SNT_DURATION_SIZE)
    check(lib.snt_duration_format(i64(d), u32(digits, "digits"), room, len(room)), "duration")
    return room.value.decode()


class DelayError(NamedTuple):
    """Where a stamp that is wrong by a delay puts the measurement."""

    position_m: float  # v·L
    bearing_rad: float  # ω·L
    rotation_m: float  # r·ω·L
    point_m: float  # v·L + r·ω·L


def delay_error(delay_ns: int, speed: float, turn: float, range_m: float) -> DelayError:
    """First-order error of a stamp wrong by `delay_ns` at `speed` [m/s] and `turn` [rad/s], for a point at `range_m`."""
    out = _abi.snt_delay_error()
    check(lib.snt_stamp_delay_error(i64(delay_ns), speed, turn, range_m, ctypes.byref(out)), "delay error")
    return DelayError(out.position_m, out.bearing_rad, out.rotation_m, out.point_m)
