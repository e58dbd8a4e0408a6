# SPDX-License-Identifier: BSD-3-Clause
"""Serialized messages as plain values: headers, IMU, odometry, laser scans, transforms, /clock; many stamps at once."""

import ctypes
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._handle import typed, u32
from ._library import lib
from .clouds import CDR, ROS1, field_array, message_facts
from .errors import check
from .poses import Pose, Twist

#: kinds of messages that the library reads
KINDS = {n[len("SNT_MESSAGE_") :].lower(): v for n, v in vars(_abi).items() if n.startswith("SNT_MESSAGE_")}
_NAMES = {number: name for name, number in KINDS.items()}
TF_STAMP_DTYPE = np.dtype(_abi.snt_tf_stamp)
__all__ = [
    "CDR", "ROS1", "Header", "Imu", "KINDS", "LaserScan", "Odometry", "StampedTransform", "TF_STAMP_DTYPE", "clock", "header",
    "imu", "kind", "laserscan", "livox", "odometry", "stamps", "tf_stamps", "transforms",
]  # fmt: skip


class Header(NamedTuple):
    """std_msgs/Header."""

    stamp_ns: int
    frame_id: str
    sequence: Optional[int]  # ROS 1


class Imu(NamedTuple):
    """sensor_msgs/Imu; None where the message says that it has no estimate."""

    header: Header
    orientation: Optional[Tuple[float, ...]]
    angular_velocity: Optional[Tuple[float, ...]]
    linear_acceleration: Optional[Tuple[float, ...]]
    view: _abi.snt_imu_view


class Odometry(NamedTuple):
    """nav_msgs/Odometry: T_header_child and the twist in the child's axes."""

    header: Header
    child_frame_id: str
    pose: Pose
    twist: Twist
    view: _abi.snt_odometry_view


class StampedTransform(NamedTuple):
    """geometry_msgs/TransformStamped: T_parent_child."""

    stamp_ns: int
    parent: str
    child: str
    pose: Pose


def kind(type_name: str) -> str:
    """Which of KINDS a message type is: "pointcloud2", "imu", …; "headered" for others, "unknown" for those without header."""
    raw = type_name.encode()
    return _NAMES[lib.snt_message_kind(raw, len(raw))]


def _text(text: _abi.snt_text) -> str:
    return ctypes.string_at(text.data, text.size).decode(errors="replace") if text.size else ""


def _header(one: _abi.snt_message_header) -> Header:
    sequence = one.sequence if one.flags & _abi.SNT_HEADER_HAS_SEQUENCE else None
    return Header(one.stamp_ns, _text(one.frame_id), sequence)


def _parse(function: Callable[..., int], out: Any, raw: Any, encoding: int, what: str) -> Any:
    error = _abi.snt_message_error()
    status = function(u32(encoding, "encoding"), bytes_of(raw), len(raw), ctypes.byref(out), ctypes.byref(error))
    if status < 0:
        check(status, what, message_facts(error), error)
    return out


def bytes_of(raw: Any) -> Any:
    """Bytes as ctypes takes them; nothing is copied."""
    if isinstance(raw, bytes):
        return raw
    view = memoryview(raw)
    if not view.contiguous or view.itemsize != 1:
        raise TypeError("a message must be contiguous bytes")
    if view.readonly:
        return np.frombuffer(view, np.uint8).ctypes.data
    return (ctypes.c_char * view.nbytes).from_buffer(raw)


def header(raw: Any, encoding: int = CDR) -> Header:
    """The header at the start of any message that begins with one."""
    return _header(_parse(lib.snt_message_header_parse, _abi.snt_message_header(), raw, encoding, "header"))


def imu(raw: Any, encoding: int = CDR) -> Imu:
    """A sensor_msgs/Imu."""
    view = _parse(lib.snt_imu_view_parse, _abi.snt_imu_view(), raw, encoding, "Imu")

    def known(bit: int, values: Any) -> Optional[Tuple[float, ...]]:
        return None if view.flags & bit else tuple(values)

    return Imu(
        _header(view.header),
        known(_abi.SNT_IMU_NO_ORIENTATION, view.orientation),
        known(_abi.SNT_IMU_NO_ANGULAR_VELOCITY, view.angular_velocity),
        known(_abi.SNT_IMU_NO_LINEAR_ACCELERATION, view.linear_acceleration),
        view,
    )


def odometry(raw: Any, encoding: int = CDR) -> Odometry:
    """A nav_msgs/Odometry."""
    view = _parse(lib.snt_odometry_view_parse, _abi.snt_odometry_view(), raw, encoding, "Odometry")
    twist = Twist(view.twist.v, view.twist.w)
    return Odometry(_header(view.header), _text(view.child_frame_id), Pose(view.pose.q, view.pose.t), twist, view)


def clock(raw: Any, encoding: int = CDR) -> int:
    """A rosgraph_msgs/Clock [ns]."""
    return int(_parse(lib.snt_clock_message_parse, ctypes.c_int64(), raw, encoding, "Clock").value)


def transforms(raw: Any, encoding: int = CDR) -> Iterator[StampedTransform]:
    """The transforms of a TFMessage."""
    view = _parse(lib.snt_tf_message_view_parse, _abi.snt_tf_message_view(), raw, encoding, "TFMessage")
    keep, one = raw, _abi.snt_transform_view()
    while check(lib.snt_tf_message_next(ctypes.byref(view), ctypes.byref(one)), "TFMessage") == _abi.SNT_OK:
        parent, child = _text(one.header.frame_id), _text(one.child_frame_id)
        yield StampedTransform(one.header.stamp_ns, parent, child, Pose(one.pose.q, one.pose.t))
    del keep


class LaserScan:
    """A sensor_msgs/LaserScan, viewed in its bytes."""

    def __init__(self, raw: Any, encoding: int = CDR):
        self._raw = bytes_of(raw)
        self._keep = raw
        self.view = _abi.snt_laserscan_view()
        _parse(lib.snt_laserscan_view_parse, self.view, raw, encoding, "LaserScan")
        self.header = _header(self.view.header)

    def __len__(self) -> int:
        return int(self.view.count)

    @property
    def ranges(self) -> "np.ndarray[Any, Any]":
        """Distances [m]: a view of the message."""
        out = field_array(self.view.ranges, len(self))
        return np.zeros(0, np.float32) if out is None else out

    @property
    def intensities(self) -> "Optional[np.ndarray[Any, Any]]":
        """A view of the message, or None."""
        return field_array(self.view.intensities, self.view.intensity_count)

    @property
    def cloud(self) -> _abi.snt_cloud:
        """Times of the rays as a cloud for the C functions; it has no coordinates (`project` makes them)."""
        out = _abi.snt_cloud()
        check(lib.snt_cloud_from_laserscan(ctypes.byref(self.view), ctypes.byref(out)), "LaserScan")
        return out

    def project(self, first: int = 0, count: Optional[int] = None) -> "np.ndarray[Any, Any]":
        """x, y, z of the rays, n × 3 float32; not-a-number where a range is not valid."""
        count = len(self) - first if count is None else count
        out = np.empty((max(count, 0), 3), np.float32)
        check(lib.snt_laserscan_project(ctypes.byref(self.view), first, count, out.ctypes.data, 12), "projecting")
        return out


def laserscan(raw: Any, encoding: int = CDR) -> LaserScan:
    """A sensor_msgs/LaserScan."""
    return LaserScan(raw, encoding)


class Livox:
    """A livox CustomMsg, viewed in its bytes."""

    def __init__(self, raw: Any, encoding: int = CDR):
        self._keep = raw
        self.view = _abi.snt_livox_view()
        _parse(lib.snt_livox_view_parse, self.view, raw, encoding, "CustomMsg")
        self.header = _header(self.view.header)

    def __len__(self) -> int:
        return int(self.view.count)

    @property
    def cloud(self) -> _abi.snt_cloud:
        """As the C functions take it."""
        out = _abi.snt_cloud()
        check(lib.snt_cloud_from_livox(ctypes.byref(self.view), ctypes.byref(out)), "CustomMsg")
        return out

    @property
    def fields(self) -> "Dict[str, Optional[np.ndarray[Any, Any]]]":
        """offset_time, x, y, z, reflectivity, tag and line: views of the message."""
        names = ("offset_time", "x", "y", "z", "reflectivity", "tag", "line")
        return {name: field_array(getattr(self.view, name), len(self)) for name in names}


def livox(raw: Any, encoding: int = CDR) -> Livox:
    """A livox CustomMsg."""
    return Livox(raw, encoding)


def _packed(messages: Sequence[Any]) -> "Tuple[bytes, np.ndarray[Any, Any]]":
    return b"".join(messages), np.array([len(one) for one in messages], np.uint64)


def stamps(
    type_name: str, messages: Sequence[Any], encoding: int = CDR
) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """(header stamps [ns], sequence numbers, statuses) of many messages of one type, in one call."""
    raw, sizes = _packed(messages)
    which = KINDS[kind(type_name)]
    times, sequences = np.zeros(sizes.size, np.int64), np.zeros(sizes.size, np.uint32)
    statuses = np.zeros(sizes.size, np.int32)
    status = lib.snt_message_stamps(
        which, u32(encoding, "encoding"), raw, len(raw), sizes.ctypes.data, sizes.size, times.ctypes.data,
        sequences.ctypes.data, statuses.ctypes.data,
    )  # fmt: skip
    if status == _abi.SNT_ERR_INVALID_ARG:
        check(status, f"stamps of {type_name}")
    return times, sequences, statuses


def tf_stamps(
    messages: Sequence[Any], encoding: int = CDR
) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """(all transforms' stamps as an array of TF_STAMP_DTYPE, statuses of the messages) of many TFMessages, in one call."""
    raw, sizes = _packed(messages)
    statuses, written = np.zeros(sizes.size, np.int32), ctypes.c_uint64()
    capacity = len(raw) // 60 + 1  # no transform is shorter: header, two names, seven doubles
    room = np.zeros(capacity, TF_STAMP_DTYPE)
    status = lib.snt_tf_message_stamps(
        u32(encoding, "encoding"), raw, len(raw), sizes.ctypes.data, sizes.size, typed(room, _abi.snt_tf_stamp), capacity,
        ctypes.byref(written), statuses.ctypes.data,
    )  # fmt: skip
    if status in (_abi.SNT_ERR_INVALID_ARG, _abi.SNT_ERR_BUFFER_TOO_SMALL):
        check(status, "stamps of transforms")
    return room[: written.value], statuses
