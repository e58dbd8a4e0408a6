# SPDX-License-Identifier: BSD-3-Clause
"""Point clouds in serialized messages or numpy arrays, without copying, and what their fields mean."""

import ctypes
import sys
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._handle import i64, integers, text_of, u32
from ._library import lib
from .errors import check

ROS1, CDR = _abi.SNT_ENCODING_ROS1, _abi.SNT_ENCODING_CDR

DTYPES = {
    _abi.SNT_TYPE_I8: "i1", _abi.SNT_TYPE_U8: "u1", _abi.SNT_TYPE_I16: "i2", _abi.SNT_TYPE_U16: "u2",
    _abi.SNT_TYPE_I32: "i4", _abi.SNT_TYPE_U32: "u4", _abi.SNT_TYPE_F32: "f4", _abi.SNT_TYPE_F64: "f8",
    _abi.SNT_TYPE_I64: "i8", _abi.SNT_TYPE_U64: "u8",
}  # fmt: skip
_MOST_FIELDS = 256
_BIG_HOST = sys.byteorder == "big"


def field_array(field: _abi.snt_field, count: int) -> "Optional[np.ndarray[Any, Any]]":
    """A numpy view of one field of `count` points; None if it is absent. Valid while the points' memory is."""
    if field.type == _abi.SNT_TYPE_NONE or not field.data or count == 0:
        return None
    order = ">" if field.flags & _abi.SNT_FIELD_BIG_ENDIAN else "<"
    dtype = np.dtype(order + DTYPES[field.type])
    reach = field.stride * (count - 1)
    memory = (ctypes.c_char * (abs(reach) + dtype.itemsize)).from_address(field.data + min(0, reach))
    return np.ndarray((count,), dtype, memory, offset=max(0, -reach), strides=(field.stride,))


def relative_times_ns(cloud: _abi.snt_cloud) -> "Optional[np.ndarray[Any, Any]]":
    """Point times after the earliest usable one, as float64 [ns]; not-a-number where there is none."""
    values = field_array(cloud.time, cloud.count)
    if values is None or cloud.time_ref == _abi.SNT_TIME_REF_NONE:
        return None
    if values.dtype.kind == "f":
        finite = values[np.isfinite(values)]
        if finite.size == 0:
            return np.full(values.shape, np.nan)
        first = finite.min()
        out = values.astype(np.float64) - float(first)
    else:
        # exact in integers first: absolute nanoseconds do not fit a double
        out = (values.astype(values.dtype.newbyteorder("=")) - values.min()).astype(np.float64)
    scale = cloud.time_span_ns if cloud.time_ref == _abi.SNT_TIME_REF_NORMALISED else None
    out *= scale if scale is not None else cloud.time_unit_num / cloud.time_unit_den
    nanoseconds = field_array(cloud.time_nsec, cloud.count)
    if nanoseconds is not None:
        out += nanoseconds.astype(np.float64)
        out -= np.nanmin(out)
    return out


class Layout:
    """What the fields of a cloud mean, how sure that is, and why. `print` it."""

    def __init__(self, layout: _abi.snt_point_layout, report: _abi.snt_layout_report):
        self.struct, self.report = layout, report

    @property
    def status(self) -> int:
        """SNT_OK, or SNT_ERR_NO_TIME, SNT_ERR_AMBIGUOUS, SNT_ERR_PRECISION."""
        return int(self.report.status)

    @property
    def has_time(self) -> bool:
        """The points carry a usable time."""
        return bool(self.report.status == _abi.SNT_OK)

    @property
    def time_name(self) -> str:
        """Name of the time field."""
        name: bytes = self.report.time_name
        return name.decode(errors="replace")

    @property
    def ring_name(self) -> str:
        """Name of the ring field."""
        name: bytes = self.report.ring_name
        return name.decode(errors="replace")

    @property
    def unit(self) -> str:
        """Unit of the time field, such as "ms"."""
        name: bytes = lib.snt_time_unit_name(self.struct.time_unit)
        return name.decode()

    @property
    def header_role(self) -> str:
        """What the header stamp says about the scan, such as "scan start"."""
        name: bytes = lib.snt_header_role_name(self.struct.header_role)
        return name.decode()

    @property
    def evidence(self) -> List[str]:
        """Each piece of evidence in words."""
        bits = [b for b in range(_abi.SNT_LAYOUT_EVIDENCE_COUNT) if self.report.evidence >> b & 1]
        return [lib.snt_layout_evidence_text(b).decode() for b in bits]

    def shows(self, name: str) -> bool:
        """Is there this evidence? `name` is that of SNT_LAYOUT_EVIDENCE_BIT_*, in any case."""
        return bool(self.report.evidence >> getattr(_abi, "SNT_LAYOUT_EVIDENCE_BIT_" + name.upper()) & 1)

    def __str__(self) -> str:
        return text_of(lib.snt_point_layout_format, ctypes.byref(self.struct), ctypes.byref(self.report))


class PointCloud:
    """One serialized sensor_msgs/PointCloud2. Arrays are views of the message's bytes."""

    def __init__(self, raw: Any, view: _abi.snt_pointcloud2_view, writable: bool = False):
        self._raw: Any = raw  # the views point into it
        self.view = view
        self.writable = writable  # may the points be moved where they are?
        self._layout: Optional[Layout] = None
        self._array: Any = None  # what from_numpy was given, and the descriptions made of it
        self._names: Any = None
        self._fields: Any = None

    @classmethod
    def from_ros(cls, raw: Union[bytes, bytearray], encoding: int = CDR) -> "PointCloud":
        """From the message's bytes. Raises FormatError, TruncatedError or LayoutError with byte offset and field.

        The points of a bytearray can be moved where they are (`DeskewPlan.apply_in_place`).
        """
        view, error = _abi.snt_pointcloud2_view(), _abi.snt_message_error()
        writable = isinstance(raw, bytearray)
        memory = (ctypes.c_char * len(raw)).from_buffer(raw) if writable else raw
        if not isinstance(raw, (bytes, bytearray)):
            raise TypeError(f"a message is bytes or a bytearray, not {type(raw).__name__}")
        status = lib.snt_pointcloud2_view_parse(
            u32(encoding, "encoding"), memory, len(raw), ctypes.byref(view), ctypes.byref(error)
        )
        if status < 0:
            check(status, "PointCloud2", message_facts(error), error)
        return cls(memory, view, writable)

    @classmethod
    def from_numpy(cls, points: "np.ndarray[Any, Any]", stamp_ns: int = 0) -> "PointCloud":
        """From a structured array whose field names are those of the cloud ("x", "time", "ring", …).

        Not copied, unless it is a slice with a step.
        """
        if not isinstance(points, np.ndarray) or points.dtype.names is None or points.ndim != 1:
            raise TypeError("expected a one-dimensional structured array")
        codes = {np.dtype(code): number for number, code in DTYPES.items() if number <= _abi.SNT_TYPE_F64}
        described: Any = points.dtype.fields
        names, fields, big = [], [], set()
        for name in points.dtype.names:
            kind, offset = described[name][:2]
            base, count = (kind.subdtype[0], int(np.prod(kind.subdtype[1]))) if kind.subdtype else (kind, 1)
            number = codes.get(base.newbyteorder("="))
            if number is None:
                raise TypeError(f"field '{name}' has a type that PointCloud2 does not know: {base}")
            if base.itemsize > 1:
                big.add(base.newbyteorder("=") != base)
            text = name.encode()
            names.append(ctypes.create_string_buffer(text))  # keeps the text alive
            shown = _abi.snt_text(ctypes.addressof(names[-1]), len(text))
            fields.append(_abi.snt_point_field(shown, offset, number, count))
        if len(big) > 1:
            raise TypeError("fields of both byte orders")
        room = (_abi.snt_point_field * len(fields))(*fields)
        points = np.ascontiguousarray(points)
        view, error = _abi.snt_pointcloud2_view(), _abi.snt_message_error()
        status = lib.snt_pointcloud2_view_init(
            room, len(fields), points.ctypes.data, points.nbytes, points.size, 1,
            points.dtype.itemsize, 0, i64(stamp_ns), int(_BIG_HOST ^ big.issuperset({True})), ctypes.byref(view), ctypes.byref(error),
        )  # fmt: skip
        if status < 0:
            check(status, "points", message_facts(error), error)
        made = cls(b"", view)
        made._array, made._names, made._fields = points, names, room
        return made

    @property
    def stamp_ns(self) -> int:
        """Header stamp."""
        return int(self.view.header.stamp_ns)

    def __len__(self) -> int:
        return int(self.view.point_count)

    @property
    def layout(self) -> Layout:
        """Meaning of the fields, found from this one cloud unless set; several scans tell more (`detect_layout`)."""
        if self._layout is None:
            self._layout = detect_layout([self])
        return self._layout

    @layout.setter
    def layout(self, layout: Layout) -> None:
        self._layout = layout

    @property
    def cloud(self) -> _abi.snt_cloud:
        """The cloud as the C functions take it."""
        out = _abi.snt_cloud()
        check(
            lib.snt_cloud_from_pointcloud2(ctypes.byref(self.view), ctypes.byref(self.layout.struct), ctypes.byref(out)),
            "PointCloud2",
        )
        return out

    def fields(self) -> Any:
        """The message's field descriptions, as a ctypes array."""
        if self._fields is not None:
            return self._fields
        count = ctypes.c_uint32()
        room = (_abi.snt_point_field * min(self.view.field_count, _MOST_FIELDS))()
        status = lib.snt_pointcloud2_fields(ctypes.byref(self.view), room, len(room), ctypes.byref(count))
        if status != _abi.SNT_ERR_BUFFER_TOO_SMALL:
            check(status, "listing the fields")
        return room

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The points' fields as a numpy dtype."""
        order = ">" if self.view.flags & _abi.SNT_POINTCLOUD2_BIG_ENDIAN else "<"
        names: List[str] = []
        formats: List[Any] = []
        offsets: List[int] = []
        for field in self.fields():
            name = ctypes.string_at(field.name.data, field.name.size).decode(errors="replace")
            if field.datatype not in DTYPES or not name or name in names:
                continue  # padding
            one = order + DTYPES[field.datatype]
            names.append(name)
            formats.append(one if field.count <= 1 else (one, (field.count,)))
            offsets.append(field.offset)
        return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": self.view.point_step})

    @property
    def points(self) -> "np.ndarray[Any, Any]":
        """All fields as a structured array: a view of the message."""
        size = self.view.point_step * len(self)
        memory = (ctypes.c_char * size).from_address(self.view.data) if size else b""
        out = np.frombuffer(memory, self.dtype, len(self)) if size else np.empty(0, self.dtype)
        out.flags.writeable = False
        return out

    @property
    def xyz(self) -> "List[np.ndarray[Any, Any]]":
        """x, y and z [m]."""
        cloud = self.cloud
        return [field_array(f, cloud.count) for f in (cloud.x, cloud.y, cloud.z)]  # type: ignore[misc]

    @property
    def rings(self) -> "Optional[np.ndarray[Any, Any]]":
        """Laser numbers, or None."""
        cloud = self.cloud
        return field_array(cloud.ring, cloud.count)

    @property
    def times_ns(self) -> "Optional[np.ndarray[Any, Any]]":
        """Time of each point after the earliest one [ns], or None."""
        return relative_times_ns(self.cloud)

    def row(self, number: int) -> _abi.snt_cloud:
        """One row of an organised cloud, as the C functions take it."""
        out, layout = _abi.snt_cloud(), ctypes.byref(self.layout.struct)
        status = lib.snt_cloud_from_pointcloud2_row(ctypes.byref(self.view), layout, u32(number, "row"), ctypes.byref(out))
        check(status, f"row {number}")
        return out


def message_facts(error: _abi.snt_message_error) -> Dict[str, Any]:
    """Where and why a message was refused."""
    return {"offset": error.offset, "why": text_of(lib.snt_message_error_format, ctypes.byref(error))}


def detect_layout(
    clouds: Sequence[PointCloud], period_ns: int = 0, receive_ns: Optional[Sequence[int]] = None, max_points: int = 0
) -> Layout:
    """What the fields of consecutive scans of one lidar mean. `receive_ns`: when each was received, if known."""
    if not clouds:
        raise ValueError("give at least one cloud")
    fields = clouds[0].fields()
    views = (_abi.snt_pointcloud2_view * len(clouds))(*[c.view for c in clouds])
    options = _abi.snt_layout_options()
    lib.snt_layout_options_init(ctypes.byref(options), ctypes.sizeof(options))
    options.period_ns, options.max_points_per_scan = i64(period_ns), u32(max_points, "max_points")
    if receive_ns is not None:
        times = integers(receive_ns)
        if times.size != len(clouds):
            raise ValueError(f"{times.size} times of reception for {len(clouds)} clouds")
        options.receive_ns = times.ctypes.data
    layout, report = _abi.snt_point_layout(), _abi.snt_layout_report()
    status = lib.snt_point_layout_detect(
        fields, len(fields), views, len(clouds), ctypes.byref(options), ctypes.byref(layout), ctypes.byref(report)
    )
    if status == _abi.SNT_ERR_INVALID_ARG:
        check(status, "finding the layout")
    return Layout(layout, report)
