# SPDX-License-Identifier: BSD-3-Clause
"""Does a message of a driver's own type carry the device's time, and does the header follow it?

Only types the library has no view for are looked at, and only a few messages of each. Fields are told by their names
("gps_week_milliseconds", "sensor_time_us"), so that their unit is known.
"""

import re
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from sensortime.findings import WARNING

from .result import Item
from .units import duration

MOST = 64  # messages of each topic
_LEAST = 5
_UNITS = (
    (re.compile(r"(nano_?sec(ond)?s?|nsecs?|_ns)$"), 1),
    (re.compile(r"(micro_?sec(ond)?s?|usecs?|_us)$"), 1_000),
    (re.compile(r"(milli_?sec(ond)?s?|msecs?|_ms)$"), 1_000_000),
)
_STEADY = 0.8  # share of steps that equal the usual one


def _unit(name: str) -> Optional[int]:
    for pattern, nanoseconds in _UNITS:
        if pattern.search(name.lower()):
            return nanoseconds
    return None


def _times(message: Any, prefix: str = "", depth: int = 0) -> Iterator[Tuple[str, int]]:
    """(name, value in ns) of fields that hold a time, but for the header's."""
    for name, value in vars(message).items():
        if name in ("header", "__msgtype__"):
            continue
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            unit = _unit(name)
            if unit:
                yield prefix + name, int(value) * unit
        elif hasattr(value, "sec") and hasattr(value, "nanosec"):
            yield prefix + name, int(value.sec) * 1_000_000_000 + int(value.nanosec)
        elif hasattr(value, "__dataclass_fields__") and depth < 2:
            yield from _times(value, f"{prefix}{name}.", depth + 1)


class DeviceTime:
    """Keeps the first messages of one topic, and compares their stamps at the end."""

    def __init__(self, topic: str, msgtype: str, definition: Any, ros1: bool):
        self.topic, self.msgtype, self.definition, self.ros1 = topic, msgtype, definition, ros1
        self.raws: List[bytes] = []

    def items(self) -> List[Item]:
        if len(self.raws) < _LEAST:
            return []
        try:
            messages = self._decode()
        except Exception:  # a definition rosbags cannot use: nothing can be said
            return []
        series: Dict[str, List[int]] = {}
        stamps: List[int] = []
        for message in messages:
            stamp = message.header.stamp
            stamps.append(int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec))
            for name, value in _times(message):
                series.setdefault(name, []).append(value)
        for name, values in series.items():
            found = self._judge(name, np.array(values), np.array(stamps))
            if found is not None:
                return [found]
        return []

    def _decode(self) -> List[Any]:
        from rosbags.typesys import Stores, get_types_from_idl, get_types_from_msg, get_typestore

        store = get_typestore(Stores.EMPTY)
        text = self.definition
        made = get_types_from_idl(text) if "module " in text and "struct " in text else get_types_from_msg(text, self.msgtype)
        store.register(made)
        read = store.deserialize_ros1 if self.ros1 else store.deserialize_cdr
        return [read(raw, self.msgtype) for raw in self.raws]

    def _judge(self, name: str, values: np.ndarray, stamps: np.ndarray) -> Optional[Item]:
        if values.size != stamps.size:
            return None
        device, header = np.diff(values), np.diff(stamps)
        usual = int(np.median(device))
        between = int(np.median(header))
        if usual <= 0 or between <= 0 or np.mean(device == usual) < _STEADY:
            return None
        ratio = usual / between
        if 0.8 < ratio < 1.25:
            return None
        text = (
            f"the device's own time ({name}) advances by {duration(usual)} from message to message, the header's stamps by "
            f"{duration(between)}: the headers are times of reception, and the real period is {ratio:.3g} times theirs"
        )
        facts = {"field": name, "device_step_ns": usual, "header_step_ns": between, "ratio": ratio, "value_ns": 0}
        return Item(self.topic, "device_time_differs", WARNING, 0.95, text, f"use {name} instead of the header", facts)
