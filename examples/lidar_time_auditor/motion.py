# SPDX-License-Identifier: BSD-3-Clause
"""IMU and odometry: their stamps, and how fast the robot turned and drove in this recording."""

from ctypes import byref
from math import hypot, isfinite
from typing import Callable, List, Optional, Sequence

from sensortime import abi, lib

from .streams import Stream, read_stamps

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
    """Hands the IMU stamps that came since the last scan to the lidars, so that each sees them in recorded order."""

    def __init__(self, stream: Stream, encoding: int, lidars: Sequence):
        self._heads, self._encoding, self._lidars = stream.heads, encoding, lidars
        self._fed = 0
        stream.before_flush = self._flushing

    def __call__(self) -> None:
        count = len(self._heads)
        if count == self._fed:
            return
        stamps, _numbers, statuses = read_stamps(abi.SNT_MESSAGE_IMU, self._encoding, self._heads[self._fed :])
        good = stamps[statuses == 0]
        self._fed = count
        for lidar in self._lidars:
            lidar.add_imu(good)

    def _flushing(self) -> None:
        self()
        self._fed = 0
