# SPDX-License-Identifier: BSD-3-Clause
"""What a queue or matcher is given: when something was acquired, from when to when, and how sure that is."""

import ctypes
from typing import Any, Optional

from . import _abi
from ._handle import i64, set_field, u32, u64
from ._library import lib
from .bounded import BoundedTime, Interval
from .errors import check

FIRST, MIDDLE, LAST = _abi.SNT_AT_FIRST, _abi.SNT_AT_MIDDLE, _abi.SNT_AT_LAST


class Sample:
    """One acquisition: an instant, or an interval such as a sweep or an exposure. `struct` is the library's snt_sample."""

    __slots__ = ("struct",)

    def __init__(self, stamp_ns: int, domain: int = _abi.SNT_DOMAIN_UNIX, token: int = 0, **fields: Any):
        """`fields` are those of snt_sample (t1_ns, source, sequence, receive_ns, …)."""
        self.struct = _abi.snt_sample()
        lib.snt_sample_init(ctypes.byref(self.struct), i64(stamp_ns), u32(domain, "domain"), u64(token, "token"))
        known = {name for name, *_ in _abi.snt_sample._fields_}
        for name, value in fields.items():
            if name not in known:
                raise TypeError(f"a sample has no '{name}'")
            set_field(self.struct, name, value)

    @classmethod
    def of(cls, struct: _abi.snt_sample) -> "Sample":
        """Around an snt_sample."""
        made = cls.__new__(cls)
        made.struct = struct
        return made

    @classmethod
    def between(
        cls, first: BoundedTime, last: Optional[BoundedTime] = None, event: int = _abi.SNT_EVENT_UNSPECIFIED, **fields: Any
    ) -> "Sample":
        """From bounded times of its first and last moment (None: an instant)."""
        made = cls(first.t, first.domain, **fields)
        end = None if last is None else ctypes.byref(last.struct)
        status = lib.snt_sample_set_times(ctypes.byref(made.struct), ctypes.byref(first.struct), end, u32(event, "event"))
        check(status, "times of the sample")
        return made

    def check(self) -> None:
        """Raise RangeError where the fields contradict each other."""
        check(lib.snt_sample_check(ctypes.byref(self.struct)), "sample")

    def moment(self, at: int = FIRST) -> BoundedTime:
        """Its FIRST, MIDDLE or LAST moment."""
        out = _abi.snt_bounded_time()
        check(lib.snt_sample_moment(ctypes.byref(self.struct), u32(at, "at"), ctypes.byref(out)), "moment of the sample")
        return BoundedTime.of(out)

    @property
    def span(self) -> Interval:
        """When it was certainly taken; PAST or FUTURE where a bound is unknown."""
        out = _abi.snt_interval()
        check(lib.snt_sample_span(ctypes.byref(self.struct), ctypes.byref(out)), "span of the sample")
        return Interval(out.lo, out.hi)

    def comparable(self, other: "Sample") -> bool:
        """May their times be put together: one clock, and one session where they come from one source?"""
        status = lib.snt_sample_comparable(ctypes.byref(self.struct), ctypes.byref(other.struct))
        if status in (_abi.SNT_ERR_DOMAIN, _abi.SNT_ERR_SESSION):
            return False
        check(status, "comparing samples")
        return True

    def __repr__(self) -> str:
        s = self.struct
        return f"Sample({s.t0_ns}..{s.t1_ns} ns, domain {s.domain}, source {s.source}, session {s.session})"
