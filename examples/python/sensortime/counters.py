# SPDX-License-Identifier: BSD-3-Clause
"""From a device's wrapping counter to a count that does not wrap."""

import ctypes
from fractions import Fraction
from typing import Any, Callable, NamedTuple, Optional, Tuple, Union

from . import _abi
from ._handle import Handle, UNKNOWN, config, i64, set_field, u64
from ._library import lib
from .errors import check

#: presets of TickUnwrapper by name, such as "u32_us" or "gps_week_ms"
PRESETS = {n[len("SNT_TICKS_") :].lower(): v for n, v in vars(_abi).items() if n.startswith("SNT_TICKS_")}
FLOOR, CEIL, NEAREST, ZERO = (
    _abi.SNT_ROUND_FLOOR, _abi.SNT_ROUND_CEIL, _abi.SNT_ROUND_NEAREST, _abi.SNT_ROUND_ZERO,
)  # fmt: skip


class Reading(NamedTuple):
    """An unwrapped reading."""

    ticks: int
    device_ns: int
    step_ns: int
    flags: int  # SNT_TICK_*


class TickUnwrapper(Handle):
    """Options: snt_tick_unwrapper_config (counter_bits, tick_num_ns, …), or a preset's name and options to change it."""

    _destroy = lib.snt_tick_unwrapper_destroy

    def __init__(self, preset: Optional[str] = None, **options: Any):
        cfg = config(_abi.snt_tick_unwrapper_config, lib.snt_tick_unwrapper_config_init, options)
        if preset is not None:
            if preset not in PRESETS:
                raise ValueError(f"no preset '{preset}'; known: {', '.join(PRESETS)}")
            check(
                lib.snt_tick_unwrapper_config_preset(ctypes.byref(cfg), ctypes.sizeof(cfg), PRESETS[preset]),
                f"preset {preset}",
            )
            for name, value in options.items():
                set_field(cfg, name, value)
        out = ctypes.POINTER(_abi.snt_tick_unwrapper)()
        check(lib.snt_tick_unwrapper_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making an unwrapper")
        self._own(out)

    def _ask(self, function: Callable[..., int], raw: int, predicted: Optional[Tuple[int, int]]) -> Reading:
        out, interval = _abi.snt_tick_reading(), None
        if predicted is not None:
            interval = ctypes.byref(_abi.snt_interval(i64(predicted[0]), i64(predicted[1])))
        check(function(self.handle, u64(raw, "counter"), interval, ctypes.byref(out)), f"counter {raw}")
        return Reading(out.ticks, out.device_ns, out.step_ns, out.flags)

    def accept(self, raw: int, predicted: Optional[Tuple[int, int]] = None) -> Reading:
        """Unwrap a reading and remember it. `predicted`: interval its device time must lie in [ns].

        Raises AmbiguousError, ResetSuspectError, DuplicateError, BackwardError; a refused reading changes nothing.
        """
        return self._ask(lib.snt_tick_unwrapper_accept, raw, predicted)

    def peek(self, raw: int, predicted: Optional[Tuple[int, int]] = None) -> Reading:
        """What `accept` would answer."""
        return self._ask(lib.snt_tick_unwrapper_peek, raw, predicted)

    def restart(self) -> None:
        """Forget all readings: another session began."""
        lib.snt_tick_unwrapper_restart(self.handle)

    @property
    def period_ns(self) -> Optional[int]:
        """After how long the counter wraps; None = never."""
        out = ctypes.c_int64()
        check(lib.snt_tick_unwrapper_period(self.handle, ctypes.byref(out)), "period")
        return None if out.value == UNKNOWN else out.value


def _rate(tick_ns: Union[int, Fraction]) -> Tuple[int, int]:
    exact = Fraction(tick_ns)
    return i64(exact.numerator, "tick"), i64(exact.denominator, "tick")


def ticks_to_ns(ticks: int, tick_ns: Union[int, Fraction], rounding: int = FLOOR) -> int:
    """Ticks of `tick_ns` each (a Fraction is exact) as ns."""
    out, rest = ctypes.c_int64(), ctypes.c_int64()
    num, den = _rate(tick_ns)
    check(lib.snt_ticks_to_ns(i64(ticks, "ticks"), num, den, rounding, ctypes.byref(out), ctypes.byref(rest)), "ticks")
    return out.value


def ns_to_ticks(ns: int, tick_ns: Union[int, Fraction], rounding: int = CEIL) -> int:
    """Nanoseconds as ticks; CEIL undoes the FLOOR of `ticks_to_ns`."""
    out = ctypes.c_int64()
    num, den = _rate(tick_ns)
    check(lib.snt_ns_to_ticks(i64(ns), num, den, rounding, ctypes.byref(out)), "ticks")
    return out.value
