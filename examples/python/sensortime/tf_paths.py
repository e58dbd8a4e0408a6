# SPDX-License-Identifier: BSD-3-Clause
"""The way between two frames, kept for many questions."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

import numpy as np

from . import _abi
from ._handle import Handle, c_text, i64, integers, u32
from ._library import lib
from .errors import check
from .poses import Twist
from .tf_answers import BODY, Transform, TwistAnswer, answer, question

if TYPE_CHECKING:
    from .transforms import TransformBuffer


class TransformPath(Handle):
    """The way from one frame to another. Holds its buffer."""

    _destroy = lib.snt_tf_path_destroy

    def __init__(self, buffer: TransformBuffer, target: str, source: str):
        self.buffer = buffer
        out = ctypes.POINTER(_abi.snt_tf_path)()
        status = lib.snt_tf_buffer_path(
            buffer.handle, c_text(target, "frame"), c_text(source, "frame"), ctypes.byref(out)
        )
        check(status, f"path {target} ← {source}")
        self._own(out, buffer)

    def _result(self, status: int, result: _abi.snt_tf_result, miss: _abi.snt_tf_miss) -> Transform:
        if status != _abi.SNT_OK:
            raise self.buffer._refusal(status, miss)
        return answer(result)

    def lookup(self, stamp_ns: Optional[int] = None) -> Transform:
        """As TransformBuffer.lookup, without waiting; None = the newest common time."""
        result, miss = _abi.snt_tf_result(), _abi.snt_tf_miss()
        into, why = ctypes.byref(result), ctypes.byref(miss)
        if stamp_ns is None:
            status = lib.snt_tf_path_lookup_latest(self.handle, into, why)
        else:
            status = lib.snt_tf_path_lookup(self.handle, i64(stamp_ns), into, why)
        return self._result(status, result, miss)

    def ask(self, stamp_ns: Optional[int] = None, **options: Any) -> Transform:
        """As TransformBuffer.ask."""
        asked, result, miss = question(stamp_ns, **options), _abi.snt_tf_result(), _abi.snt_tf_miss()
        status = lib.snt_tf_path_ask(
            self.handle, ctypes.byref(asked), None, ctypes.byref(result), ctypes.byref(miss)
        )
        return self._result(status, result, miss)

    def can(self, stamp_ns: int) -> bool:
        """Would `lookup` answer?"""
        return bool(lib.snt_tf_path_can(self.handle, i64(stamp_ns), None) == _abi.SNT_OK)

    def lookup_many(self, stamps_ns: Any, **options: Any) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """Poses (n × 7: x, y, z, w of the rotation, then x, y, z) and statuses for many times; NaN where there is none.

        `options` as of `ask`.
        """
        stamps = integers(stamps_ns)
        poses = np.full((stamps.size, 7), np.nan)
        statuses = np.zeros(stamps.size, np.int32)
        asked, cursor = ctypes.byref(question(0, **options)) if options else None, _abi.snt_tf_cursor()
        lib.snt_tf_cursor_init(ctypes.byref(cursor))
        handle = self._enter()
        try:
            status = lib.snt_tf_path_lookup_many(
                handle, asked, ctypes.byref(cursor), stamps.ctypes.data, 8, stamps.size, poses.ctypes.data, 56,
                statuses.ctypes.data, None,
            )  # fmt: skip
        finally:
            self._leave()
        if status in (_abi.SNT_ERR_INVALID_ARG, _abi.SNT_ERR_INVALID_STATE):
            check(status, "looking up many")
        return poses, statuses

    def twist(self, stamp_ns: Optional[int] = None, window_ns: int = 0, convention: int = BODY) -> TwistAnswer:
        """Velocity of source relative to target: at a time, or the mean over a window around it. ORIGIN, BODY or SPATIAL."""
        asked, out, miss = question(stamp_ns), _abi.snt_tf_twist_result(), _abi.snt_tf_miss()
        status = lib.snt_tf_path_twist(
            self.handle, ctypes.byref(asked), i64(window_ns), u32(convention, "convention"), ctypes.byref(out),
            ctypes.byref(miss),
        )  # fmt: skip
        if status != _abi.SNT_OK:
            raise self.buffer._refusal(status, miss)
        return TwistAnswer(Twist(out.twist.v, out.twist.w), out.stamp, getattr(out, "from"), out.to, out.flags)

    @property
    def edges(self) -> List[str]:
        """Children of the moving edges on the path, from target to source."""
        count, room = ctypes.c_uint64(), (ctypes.c_uint64 * _abi.SNT_TF_MAX_DEPTH)()
        check(lib.snt_tf_path_edges(self.handle, room, len(room), ctypes.byref(count)), "edges of the path")
        return [self.buffer.name(one) for one in room[: count.value]]

    @property
    def fresh(self) -> bool:
        """Is the path as it was resolved? Otherwise `refresh` pays; a stale path still answers rightly."""
        status = lib.snt_tf_path_check(self.handle)
        if status in (_abi.SNT_ERR_TREE_CHANGED, _abi.SNT_ERR_NOT_CONNECTED):
            return False
        check(status, "path")
        return True

    def refresh(self) -> None:
        """Resolve the chain anew after the tree changed."""
        with self._alone() as handle:
            check(lib.snt_tf_path_refresh(handle), "resolving the path")
