# SPDX-License-Identifier: BSD-3-Clause
"""IMU and odometry: their stamps, and how fast the robot turned and drove in this recording."""

from ctypes import addressof, byref, c_int32, c_int64, c_uint64
from math import hypot, isfinite
from typing import Any, Callable, List, Optional, Sequence

from sensortime import abi, lib

from .streams import BATCH, Stream

_EVERY = 8  # every eighth message shows how fast the robot moved


def near_largest(values: List[float]) -> Optional[float]:
    """99 % lie below it; single wild samples do not count."""
    finite = sorted(v for v in values if isfinite(v))
    return finite[int(0.99 * (len(finite) - 1))] if finite else None


class Motion:
    """Looks at some of the messages of each batch."""

    def __init__(self) -> None:
        self._rates: List[float] = []
        self._speeds: List[float] = []

    @property
    def turn_rate(self) -> Optional[float]:
        """[rad/s]"""
        return near_largest(self._rates)

    @property
    def speed(self) -> Optional[float]:
        """[m/s]"""
        return near_largest(self._speeds)

    def look_at_imu(self, encoding: int) -> Callable[[List[bytes]], None]:
        view = abi.snt_imu_view()
        into, parse = byref(view), lib.snt_imu_view_parse

        def look(messages: List[bytes]) -> None:
            for raw in messages[::_EVERY]:
                if parse(encoding, raw, len(raw), into, None) == 0 and not view.flags & abi.SNT_IMU_NO_ANGULAR_VELOCITY:
                    self._rates.append(hypot(*view.angular_velocity))

        return look

    def look_at_odometry(self, encoding: int) -> Callable[[List[bytes]], None]:
        view = abi.snt_odometry_view()
        into, parse = byref(view), lib.snt_odometry_view_parse

        def look(messages: List[bytes]) -> None:
            for raw in messages[::_EVERY]:
                if parse(encoding, raw, len(raw), into, None) == 0:
                    self._speeds.append(hypot(*view.twist.v))

        return look


class ImuFeed:
    """Hands each lidar the IMU stamps that came since its last scan, so that it sees both in recorded order."""

    def __init__(self, stream: Stream, encoding: int, lidars: Sequence):
        self._heads, self._encoding, self._lidars = stream.heads, encoding, lidars
        self._stamps = (c_int64 * BATCH)()
        self._sizes = (c_uint64 * BATCH)()
        self._statuses = (c_int32 * BATCH)()
        self._address = addressof(self._stamps)
        self._read = 0  # of the messages collected
        self._good = 0  # stamps they gave
        stream.before_flush = self._flushing

    def __call__(self, lidar: Any) -> None:
        """Give `lidar` what it has not seen yet."""
        if self._read < len(self._heads):
            self._read_new()
        seen = lidar.imu_seen
        if seen < self._good:
            lidar.add_imu(self._address + 8 * seen, self._good - seen)
            lidar.imu_seen = self._good

    def _read_new(self) -> None:
        new = self._heads[self._read :]
        count, at = len(new), self._good
        self._read += count
        packed = b"".join(new)
        self._sizes[:count] = list(map(len, new))
        status = lib.snt_message_stamps(
            abi.SNT_MESSAGE_IMU, self._encoding, packed, len(packed), self._sizes, count, self._address + 8 * at, None,
            self._statuses,
        )  # fmt: skip
        if status == 0:
            self._good += count
            return
        for i in range(count):  # close the places of refused messages
            if self._statuses[i] == 0:
                self._stamps[self._good] = self._stamps[at + i]
                self._good += 1

    def _flushing(self) -> None:
        """The messages are about to be forgotten."""
        for lidar in self._lidars:
            self(lidar)
            lidar.imu_seen = 0
        self._read = self._good = 0
