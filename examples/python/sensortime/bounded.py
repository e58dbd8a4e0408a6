# SPDX-License-Identifier: BSD-3-Clause
"""Times that say how wrong they may be: intervals, bounded times and their differences."""

import ctypes
from typing import Any, Callable, NamedTuple, Optional, Tuple

import numpy as np

from . import _abi
from ._handle import UNKNOWN, i64, integers, struct_dict, u32
from ._library import lib
from .errors import check

PAST, FUTURE = _abi.SNT_TIME_INFINITE_PAST, _abi.SNT_TIME_INFINITE_FUTURE
BEFORE, EQUAL, AFTER, OVERLAP = (
    _abi.SNT_ORDER_BEFORE, _abi.SNT_ORDER_EQUAL, _abi.SNT_ORDER_AFTER, _abi.SNT_ORDER_OVERLAP,
)  # fmt: skip
BOUND_LO, BOUND_HI = _abi.SNT_TIME_BOUND_LO, _abi.SNT_TIME_BOUND_HI

#: dtype of arrays of bounded times: the fields of snt_bounded_time (t, lo, hi, domain, session, version, flags)
BOUNDED_DTYPE = np.dtype(_abi.snt_bounded_time)


class Interval(NamedTuple):
    """Closed interval [lo, hi] in ns; PAST and FUTURE are open ends."""

    lo: int
    hi: int

    @property
    def struct(self) -> _abi.snt_interval:
        """As the C functions take it."""
        return _abi.snt_interval(i64(self.lo), i64(self.hi))

    @classmethod
    def around(cls, t: int, before: int = 0, after: Optional[int] = None) -> "Interval":
        """[t − before, t + after]; `after` is as `before` unless given, UNKNOWN leaves a side open."""
        out = _abi.snt_interval()
        after = before if after is None else after
        check(lib.snt_interval_around(i64(t), i64(before), i64(after), ctypes.byref(out)), f"interval around {t}")
        return cls(out.lo, out.hi)

    def _with(self, function: Callable[..., int], other: "Interval", doing: str) -> "Interval":
        out = _abi.snt_interval()
        a, b = self.struct, Interval(*other).struct
        check(function(ctypes.byref(a), ctypes.byref(b), ctypes.byref(out)), f"{doing} of {tuple(self)} and {tuple(other)}")
        return Interval(out.lo, out.hi)

    def plus(self, other: "Interval") -> "Interval":
        """All sums of a moment of each."""
        return self._with(lib.snt_interval_add, other, "sum")

    def minus(self, other: "Interval") -> "Interval":
        """All differences of a moment of each."""
        return self._with(lib.snt_interval_sub, other, "difference")

    def __and__(self, other: "Interval") -> "Interval":
        """What both contain. Raises ConflictError where they share nothing: one of them rests on a broken assumption."""
        return self._with(lib.snt_interval_intersect, other, "intersection")

    def __or__(self, other: "Interval") -> "Interval":
        """The smallest interval that contains both."""
        return self._with(lib.snt_interval_hull, other, "hull")

    def contains(self, t: int) -> bool:
        """Does the moment lie in it? (`in` asks for an end of the tuple.)"""
        one = self.struct
        return bool(lib.snt_interval_contains(ctypes.byref(one), i64(t)))

    def compare(self, other: "Interval") -> int:
        """BEFORE, EQUAL, AFTER or OVERLAP: what is certain of the order of a moment of each."""
        order = ctypes.c_int32()
        a, b = self.struct, Interval(*other).struct
        check(lib.snt_interval_compare(ctypes.byref(a), ctypes.byref(b), ctypes.byref(order)), "order")
        return order.value


class BoundedDuration(NamedTuple):
    """A difference: `d` is the estimate, the truth in [lo, hi]; None on a side that nobody knows."""

    d: int
    lo: Optional[int]
    hi: Optional[int]
    flags: int


class BoundedTime:
    """A time on one clock with the interval that holds the truth. `struct` is the library's.

    Subtracting gives a BoundedDuration; times of different clocks or sessions raise DomainError and SessionError.
    """

    __slots__ = ("struct",)

    def __init__(
        self,
        t: int,
        err_lo: int = 0,
        err_hi: Optional[int] = None,
        domain: int = _abi.SNT_DOMAIN_UNIX,
        session: int = 0,
    ):
        """`err_lo`, `err_hi`: how much earlier and later the truth may be [ns]; UNKNOWN = nobody knows."""
        self.struct = _abi.snt_bounded_time()
        err_hi = err_lo if err_hi is None else err_hi
        status = lib.snt_bounded_time_init(
            i64(t), i64(err_lo), i64(err_hi), u32(domain, "domain"), u32(session, "session"), ctypes.byref(self.struct)
        )
        check(status, f"bounded time {t}")

    @classmethod
    def of(cls, struct: Any) -> "BoundedTime":
        """Around an snt_bounded_time, or a record of an array of BOUNDED_DTYPE."""
        made = cls.__new__(cls)
        if isinstance(struct, _abi.snt_bounded_time):
            made.struct = struct
        else:
            made.struct = _abi.snt_bounded_time.from_buffer_copy(np.asarray(struct, BOUNDED_DTYPE).tobytes())
        return made

    @property
    def t(self) -> int:
        """Best estimate [ns]."""
        return int(self.struct.t)

    @property
    def lo(self) -> Optional[int]:
        """Not earlier than this [ns]; None: nobody knows."""
        return self.struct.lo if self.struct.flags & BOUND_LO else None

    @property
    def hi(self) -> Optional[int]:
        """Not later than this [ns]; None: nobody knows."""
        return self.struct.hi if self.struct.flags & BOUND_HI else None

    @property
    def domain(self) -> int:
        """Its clock."""
        return int(self.struct.domain)

    @property
    def session(self) -> int:
        """Session of its source; 0 = none kept."""
        return int(self.struct.session)

    @property
    def flags(self) -> int:
        """SNT_TIME_* bits: what the bound rests on."""
        return int(self.struct.flags)

    @property
    def interval(self) -> Interval:
        """[lo, hi] with PAST and FUTURE for open ends."""
        return Interval(self.struct.lo, self.struct.hi)

    def check(self) -> None:
        """Raise RangeError where the fields contradict each other."""
        check(lib.snt_bounded_time_check(ctypes.byref(self.struct)), "bounded time")

    def add(self, duration: int, error: int = 0) -> "BoundedTime":
        """Moved by a duration known within ± `error` [ns]."""
        out = _abi.snt_bounded_time()
        status = lib.snt_bounded_time_add(ctypes.byref(self.struct), i64(duration), i64(error), ctypes.byref(out))
        check(status, f"adding {duration}")
        return BoundedTime.of(out)

    def __add__(self, duration: int) -> "BoundedTime":
        return self.add(duration)

    def __sub__(self, other: "BoundedTime") -> BoundedDuration:
        out = _abi.snt_bounded_duration()
        status = lib.snt_bounded_time_sub(ctypes.byref(self.struct), ctypes.byref(other.struct), ctypes.byref(out))
        check(status, "difference", {"domain_a": self.domain, "domain_b": other.domain})
        lo = out.lo if out.flags & BOUND_LO else None
        hi = out.hi if out.flags & BOUND_HI else None
        return BoundedDuration(out.d, lo, hi, out.flags)

    def compare(self, other: "BoundedTime") -> int:
        """BEFORE, EQUAL, AFTER or OVERLAP."""
        order = ctypes.c_int32()
        status = lib.snt_bounded_time_compare(ctypes.byref(self.struct), ctypes.byref(other.struct), ctypes.byref(order))
        check(status, "order")
        return order.value

    def separation(self, other: "BoundedTime") -> Tuple[int, Optional[int]]:
        """(least, greatest) distance of the two events [ns]; the greatest is None where a bound is missing."""
        least, most = ctypes.c_int64(), ctypes.c_int64()
        status = lib.snt_bounded_time_separation(
            ctypes.byref(self.struct), ctypes.byref(other.struct), ctypes.byref(least), ctypes.byref(most)
        )
        check(status, "separation")
        return least.value, None if most.value == UNKNOWN else most.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundedTime) and bytes(self.struct) == bytes(other.struct)

    def __hash__(self) -> int:
        return hash(bytes(self.struct))

    def __repr__(self) -> str:
        facts = struct_dict(self.struct)
        return f"BoundedTime(t={facts['t']}, lo={self.lo}, hi={self.hi}, domain={facts['domain']}, session={facts['session']})"


def times_array(
    stamps_ns: Any, domain: int = _abi.SNT_DOMAIN_UNIX, err_lo: int = 0, err_hi: Optional[int] = None, session: int = 0
) -> "np.ndarray[Any, Any]":
    """Many stamps of one clock with one error, as ClockGraph.convert_many takes them; errors as of BoundedTime."""
    stamps, one = integers(stamps_ns), BoundedTime(0, err_lo, err_hi, domain, session).struct
    out = np.empty(stamps.size, BOUNDED_DTYPE)
    out[:] = np.frombuffer(bytes(one), BOUNDED_DTYPE)
    out["t"] = stamps
    lo, hi = -one.lo if one.flags & BOUND_LO else 0, one.hi if one.flags & BOUND_HI else 0
    if one.flags & BOUND_LO:
        out["lo"] = stamps - lo
    if one.flags & BOUND_HI:
        out["hi"] = stamps + hi
    for k in np.flatnonzero((stamps <= PAST + lo) | (stamps >= FUTURE - hi)):  # near the ends of the range, one by one
        far = BoundedTime(int(stamps[k]), err_lo, err_hi, domain, session)
        out[k] = np.frombuffer(bytes(far.struct), BOUNDED_DTYPE)[0]
    return out


def checked_array(times: Any) -> "np.ndarray[Any, Any]":
    """A contiguous array of BOUNDED_DTYPE."""
    if not isinstance(times, np.ndarray) or times.dtype != BOUNDED_DTYPE or times.ndim != 1:
        raise TypeError("expected a one-dimensional array of BOUNDED_DTYPE")
    return np.ascontiguousarray(times)
