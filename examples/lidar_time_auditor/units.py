# SPDX-License-Identifier: BSD-3-Clause
"""Nanoseconds as people read them."""

from datetime import datetime, timedelta, timezone
from typing import Optional

from sensortime import abi

S = 1_000_000_000
UNKNOWN = abi.SNT_UNKNOWN


def known(ns: int) -> Optional[int]:
    """None instead of "nobody knows"."""
    return None if ns == UNKNOWN else ns


def seconds(ns: int) -> str:
    """Exact seconds with nine decimals."""
    whole, rest = divmod(abs(ns), S)
    return f"{'-' if ns < 0 else ''}{whole}.{rest:09d}"


def duration(ns: Optional[int], digits: int = 3) -> str:
    """A duration with the unit that suits it: "12.5 ms"."""
    if ns is None or ns == UNKNOWN:
        return "unknown"
    size = abs(ns)
    for unit, per in (("s", S), ("ms", 1_000_000), ("µs", 1_000)):
        if size >= per or (unit == "µs" and size > 0):
            value = ns / per
            decimals = max(0, digits - len(str(int(abs(value)))))
            return f"{value:.{decimals}f} {unit}"
    return "0 s"


def counted(n: int, thing: str) -> str:
    """ "1 scan", "2 scans"."""
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def ms(ns: Optional[int]) -> str:
    """A number for a column headed [ms]."""
    return "-" if ns is None or ns == UNKNOWN else f"{ns / 1e6:.2f}"


def moment(ns: int, unix: bool) -> str:
    """A time on the log's clock: date and time in UTC where it is unix time."""
    if not unix:
        return f"{seconds(ns)[:-6]} s"
    try:
        at = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=ns // 1000)
    except OverflowError:
        return f"{seconds(ns)} s"
    return at.strftime("%Y-%m-%d %H:%M:%S.") + f"{ns // 1_000_000 % 1000:03d} UTC"


def clock_of_day(ns: int, unix: bool) -> str:
    """Short form for a moment within the recording."""
    return moment(ns, unix)[11:-4] if unix else moment(ns, unix)
