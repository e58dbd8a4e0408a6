# SPDX-License-Identifier: BSD-3-Clause
"""Where "now" comes from: the system's clocks, or a simulated one that can stand still, run faster and jump."""

import ctypes
from fractions import Fraction
from typing import Any, Callable, Dict, NamedTuple, Optional, Union

from . import _abi
from ._handle import Handle, UNKNOWN, config, i64, struct_dict
from ._library import lib
from .errors import TimeoutError, check

SYSTEM, STEADY, SIMULATED = _abi.SNT_SOURCE_SYSTEM, _abi.SNT_SOURCE_STEADY, _abi.SNT_SOURCE_SIMULATED
JUMP_NONE, JUMP_FIRST, JUMP_FORWARD = _abi.SNT_JUMP_NONE, _abi.SNT_JUMP_FIRST, _abi.SNT_JUMP_FORWARD
JUMP_BACK, JUMP_WAITING = _abi.SNT_JUMP_BACK, _abi.SNT_JUMP_WAITING


def _read(function: Callable[..., int], doing: str) -> int:
    out = ctypes.c_int64()
    check(function(ctypes.byref(out)), doing)
    return out.value


def system_now() -> int:
    """The wall clock [ns, unix]. It may step: for ages, never for timeouts."""
    return _read(lib.snt_clock_system_now, "wall clock")


def steady_now() -> int:
    """The monotonic clock [ns, steady]."""
    return _read(lib.snt_clock_steady_now, "steady clock")


class Cross(NamedTuple):
    """The wall clock, read between two readings of the steady one [ns]."""

    steady_before: int
    system: int
    steady_after: int


def cross_now() -> Cross:
    """Both clocks of one moment, as ClockMap.observe_cross takes it."""
    a, b, c = ctypes.c_int64(), ctypes.c_int64(), ctypes.c_int64()
    check(lib.snt_clock_cross_now(ctypes.byref(a), ctypes.byref(b), ctypes.byref(c)), "both clocks")
    return Cross(a.value, b.value, c.value)


class ClockSource(Handle):
    """A source of stamp time. Options: snt_clock_source_config (kind, jump_forward_ns, epoch, …).

    A simulated source has no time (None) before it was first `set`. `steady_ns` is when something was so; None = now.
    """

    _destroy = lib.snt_clock_source_destroy

    def __init__(self, kind: int = SYSTEM, **options: Any):
        cfg = config(_abi.snt_clock_source_config, lib.snt_clock_source_config_init, {"kind": kind, **options})
        out = ctypes.POINTER(_abi.snt_clock_source)()
        check(lib.snt_clock_source_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a clock source")
        self._own(out)

    @staticmethod
    def _steady(steady_ns: Optional[int]) -> int:
        return steady_now() if steady_ns is None else i64(steady_ns, "steady time [ns]")

    def now(self, steady_ns: Optional[int] = None) -> Optional[int]:
        """The source's time [ns]; at `steady_ns`, for a simulated one, without reading a clock."""
        out = ctypes.c_int64()
        if steady_ns is None:
            status = lib.snt_clock_source_now(self.handle, ctypes.byref(out))
        else:
            status = lib.snt_clock_source_at(self.handle, self._steady(steady_ns), ctypes.byref(out))
        return None if check(status, "time of the source") == _abi.SNT_PENDING else out.value

    def set(self, time_ns: int, steady_ns: Optional[int] = None) -> int:
        """Tell a simulated source the time, as a /clock message does; JUMP_*."""
        jump = ctypes.c_uint32()
        status = lib.snt_clock_source_set(self.handle, self._steady(steady_ns), i64(time_ns), ctypes.byref(jump))
        check(status, f"setting the time to {time_ns}")
        return jump.value

    def pause(self, steady_ns: Optional[int] = None) -> None:
        """Make simulated time stand."""
        check(lib.snt_clock_source_pause(self.handle, self._steady(steady_ns), 1), "pausing")

    def resume(self, steady_ns: Optional[int] = None) -> None:
        """Let it run again from where it stood."""
        check(lib.snt_clock_source_pause(self.handle, self._steady(steady_ns), 0), "resuming")

    def set_speed(self, speed: Union[int, Fraction], steady_ns: Optional[int] = None) -> None:
        """Simulated seconds per second, as an exact fraction."""
        exact = Fraction(speed)
        status = lib.snt_clock_source_speed(
            self.handle, self._steady(steady_ns), i64(exact.numerator, "speed"), i64(exact.denominator, "speed")
        )
        check(status, f"speed {speed}")

    def inspect(self) -> Dict[str, Any]:
        """Last set, jumps, paused, session …"""
        out = _abi.snt_clock_source_state()
        check(lib.snt_clock_source_inspect(self.handle, ctypes.byref(out)), "reading the state")
        return struct_dict(out)


class Deadline:
    """A moment on steady time by which something has to have happened; it also comes while simulated time stands."""

    __slots__ = ("struct",)

    def __init__(self, span_ns: int = UNKNOWN, steady_ns: Optional[int] = None):
        """`span_ns` from now; UNKNOWN = never."""
        self.struct = _abi.snt_deadline()
        now = steady_now() if steady_ns is None else i64(steady_ns)
        check(lib.snt_deadline_start(ctypes.byref(self.struct), now, i64(span_ns)), "deadline")

    @property
    def due_ns(self) -> int:
        """When [ns, steady]."""
        return int(self.struct.due)

    def renew(self, steady_ns: Optional[int] = None) -> None:
        """It happened: the span begins anew."""
        now = steady_now() if steady_ns is None else i64(steady_ns)
        check(lib.snt_deadline_renew(ctypes.byref(self.struct), now), "renewing a deadline")

    def left_ns(self, steady_ns: Optional[int] = None) -> int:
        """Time that is left; negative once it has passed."""
        now = steady_now() if steady_ns is None else i64(steady_ns)
        left = ctypes.c_int64()
        status = lib.snt_deadline_check(ctypes.byref(self.struct), now, ctypes.byref(left))
        if status != TimeoutError.status:
            check(status, "deadline")
        return left.value
