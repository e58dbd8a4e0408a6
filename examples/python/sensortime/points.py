# SPDX-License-Identifier: BSD-3-Clause
"""Points in arrays of one's own, without copying, and the exact times and rings of any cloud."""

import ctypes
from typing import Any, Optional, Tuple

import numpy as np

from . import _abi
from ._handle import i64, u32
from ._library import lib
from .clouds import DTYPES
from .errors import check


def stamps_of(cloud: _abi.snt_cloud, origin_ns: int = 0) -> "Tuple[np.ndarray[Any, Any], int]":
    """(exact time of each point less `origin_ns` as int64 [ns], how many have none: SNT_UNKNOWN)."""
    out, invalid = np.empty(cloud.count, np.int64), ctypes.c_uint64()
    status = lib.snt_cloud_times(
        ctypes.byref(cloud), 0, cloud.count, i64(origin_ns), out.ctypes.data, ctypes.byref(invalid)
    )
    check(status, "times of the points")
    return out, invalid.value


def rings_of(cloud: _abi.snt_cloud) -> "Tuple[np.ndarray[Any, Any], int]":
    """(ring of each point as uint32, how many have none: 2³² − 1). Raises NotFoundError without a ring field."""
    out, invalid = np.empty(cloud.count, np.uint32), ctypes.c_uint64()
    check(lib.snt_cloud_rings(ctypes.byref(cloud), 0, cloud.count, out.ctypes.data, ctypes.byref(invalid)), "rings")
    return out, invalid.value


def _type_of(array: "np.ndarray[Any, Any]", what: str) -> int:
    for number, code in DTYPES.items():
        if array.dtype == np.dtype(code) and lib.snt_type_size(number) == array.dtype.itemsize:
            return number
    raise TypeError(f"{what} must be of a native integer or float type, not {array.dtype}")


class Points:
    """Points in arrays of one's own, not copied: n × 3 coordinates (rows may be strided) or three arrays, and their times.

    The time of a point is `times · unit`: after `base_ns`; `absolute` since the epoch; or, with `span_ns`, `times` run from
    0 to 1 over that span.
    """

    UNITS = {
        "s": _abi.SNT_TIME_UNIT_S, "ms": _abi.SNT_TIME_UNIT_MS, "us": _abi.SNT_TIME_UNIT_US,
        "100ns": _abi.SNT_TIME_UNIT_100NS, "ns": _abi.SNT_TIME_UNIT_NS,
    }  # fmt: skip

    def __init__(
        self,
        xyz: Any,
        times: Any = None,
        unit: str = "s",
        base_ns: int = 0,
        absolute: bool = False,
        span_ns: Optional[int] = None,
        rings: Any = None,
        domain: int = _abi.SNT_DOMAIN_UNSPECIFIED,
    ):
        self._cloud = _abi.snt_cloud()
        lib.snt_cloud_init(ctypes.byref(self._cloud))
        self.array: Any = None
        self._axes = self._set_xyz(xyz)
        self._keep: Tuple[Any, ...] = ()  # what the cloud points to
        self.writable = all(one.flags.writeable for one in self._axes)
        if times is not None:
            self._set_times(times, unit, i64(base_ns), absolute, span_ns)
        if rings is not None:
            kept = self._column(rings, "rings")
            status = lib.snt_cloud_set_rings(
                ctypes.byref(self._cloud), kept.ctypes.data, kept.strides[0], _type_of(kept, "rings")
            )
            check(status, "rings")
            self._keep = (*self._keep, kept)
        self._cloud.domain = u32(domain, "domain")
        check(lib.snt_cloud_check(ctypes.byref(self._cloud)), "points")

    def _set_xyz(self, xyz: Any) -> "Tuple[np.ndarray[Any, Any], ...]":
        there = ctypes.byref(self._cloud)
        if isinstance(xyz, (tuple, list)) and len(xyz) == 3 and all(isinstance(a, np.ndarray) for a in xyz):
            axes = tuple(xyz)
            first = axes[0]
            if any(a.ndim != 1 or a.shape != first.shape or a.dtype != first.dtype for a in axes):
                raise ValueError("x, y and z must be one-dimensional, of one length and one type")
            if len({a.strides[0] for a in axes}) > 1 or (first.size > 1 and first.strides[0] == 0):
                raise ValueError("x, y and z must have the same stride")
            kind = _type_of(first, "coordinates")
            stride = first.strides[0] if first.size > 1 else first.dtype.itemsize
            status = lib.snt_cloud_set_xyz(there, *(a.ctypes.data for a in axes), stride, kind, first.size)
            check(status, f"coordinates of {first.dtype}")
            return axes
        array = np.asarray(xyz)
        if array.ndim != 2 or array.shape[1] != 3:
            raise ValueError(f"coordinates must be n × 3, not {' × '.join(map(str, array.shape))}")
        width = array.dtype.itemsize
        kind = _type_of(array, "coordinates")
        if len(array) and (array.strides[1] != width or (len(array) > 1 and abs(array.strides[0]) < 3 * width)):
            raise ValueError("x, y and z of a point must lie next to each other; give three arrays instead")
        stride = array.strides[0] if len(array) > 1 else 3 * width
        check(lib.snt_cloud_set_points(there, array.ctypes.data, stride, kind, len(array)), f"coordinates of {array.dtype}")
        self.array = array
        return (array,)

    def _column(self, values: Any, what: str) -> "np.ndarray[Any, Any]":
        array = np.asarray(values)
        if array.ndim != 1 or array.size != self._cloud.count:
            raise ValueError(f"{what} must be one for each of the {self._cloud.count} points, not {array.shape}")
        return np.ascontiguousarray(array) if array.size > 1 and array.strides[0] == 0 else array

    def _set_times(self, times: Any, unit: str, base_ns: int, absolute: bool, span_ns: Optional[int]) -> None:
        if unit not in self.UNITS:
            raise ValueError(f"no unit '{unit}'; known: {', '.join(self.UNITS)}")
        kept = self._column(times, "times")
        reference = _abi.SNT_TIME_REF_ABSOLUTE if absolute else _abi.SNT_TIME_REF_RELATIVE
        if span_ns is not None:
            reference = _abi.SNT_TIME_REF_NORMALISED
        status = lib.snt_cloud_set_times(
            ctypes.byref(self._cloud), kept.ctypes.data, kept.strides[0] if kept.size > 1 else kept.dtype.itemsize,
            _type_of(kept, "times"), self.UNITS[unit], reference, base_ns, i64(span_ns or 0),
        )  # fmt: skip
        check(status, "times")
        self._keep = (*self._keep, kept)

    @property
    def cloud(self) -> _abi.snt_cloud:
        """As the C functions take it; valid while these Points are."""
        return self._cloud

    def __len__(self) -> int:
        return int(self._cloud.count)

    def times_ns(self, origin_ns: int = 0) -> "np.ndarray[Any, Any]":
        """Exact time of each point less `origin_ns` [ns]; SNT_UNKNOWN where there is none."""
        return stamps_of(self._cloud, origin_ns)[0]

    def rings(self) -> "np.ndarray[Any, Any]":
        """Ring of each point."""
        return rings_of(self._cloud)[0]
