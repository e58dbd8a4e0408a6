# SPDX-License-Identifier: BSD-3-Clause
"""Where things were: a buffer of stamped transforms that interpolates, and says why it cannot."""

import ctypes
import time
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._handle import Handle, config
from ._library import lib
from .clouds import CDR, message_facts
from .errors import check

UNKNOWN = _abi.SNT_UNKNOWN
_POLL_S = 0.002  # between two looks while waiting for a transform


class Transform(NamedTuple):
    """T_target_source: takes coordinates given in source to coordinates in target."""

    rotation: Tuple[float, float, float, float]  # x, y, z, w
    translation: Tuple[float, float, float]  # [m]
    stamp_ns: int
    result: _abi.snt_tf_result  # bounds, flags and all else

    @property
    def matrix(self) -> np.ndarray:
        """4 × 4."""
        out, q = np.eye(4), (ctypes.c_double * 4)(*self.rotation)
        rotation = (ctypes.c_double * 9)()
        lib.snt_rotation_matrix(q, rotation)
        out[:3, :3], out[:3, 3] = np.array(rotation).reshape(3, 3), self.translation
        return out


def _answer(result: _abi.snt_tf_result) -> Transform:
    return Transform(tuple(result.pose.q), tuple(result.pose.t), result.stamp, result)


class TransformBuffer(Handle):
    """Frames and how they move. Options are those of snt_tf_buffer_config (keep_ns, max_samples, …)."""

    _destroy = lib.snt_tf_buffer_destroy

    def __init__(self, **options: Any):
        cfg = config(_abi.snt_tf_buffer_config, lib.snt_tf_buffer_config_init, options)
        out = ctypes.POINTER(_abi.snt_tf_buffer)()
        check(lib.snt_tf_buffer_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a transform buffer")
        self._own(out)
        self._frames: Dict[str, int] = {}

    def _frame(self, name: str) -> int:
        """Number of a frame, made if it is new."""
        number = self._frames.get(name)
        if number is None:
            out = ctypes.c_uint64()
            check(lib.snt_tf_buffer_frame(self.handle, name.encode(), ctypes.byref(out)), f"frame '{name}'")
            number = self._frames[name] = out.value
        return number

    def name(self, frame: int) -> str:
        """Name of a frame's number; "" for none."""
        text = ctypes.create_string_buffer(256)
        status = lib.snt_tf_buffer_frame_name(self.handle, frame, text, len(text)) if frame else -1
        return text.value.decode(errors="replace") if status == 0 else ""

    def insert(
        self,
        parent: str,
        child: str,
        stamp_ns: int,
        translation: Sequence[float],
        rotation: Sequence[float] = (0, 0, 0, 1),
        static: bool = False,
    ) -> None:
        """Add T_parent_child: where `child` was in `parent` at `stamp_ns`. Rotations are x, y, z, w."""
        one = _abi.snt_tf_transform()
        lib.snt_tf_transform_init(ctypes.byref(one), self._frame(parent), self._frame(child), stamp_ns)
        one.pose.q[:], one.pose.t[:] = list(rotation), list(translation)
        insert = lib.snt_tf_buffer_insert_static if static else lib.snt_tf_buffer_insert
        check(insert(self.handle, ctypes.byref(one), None), f"transform {parent} → {child}")

    def insert_many(self, parent: str, child: str, stamps_ns: Any, poses: Any) -> np.ndarray:
        """Add T_parent_child at many times; the status of each, 0 or more where it was taken.

        `poses` is n × 7 as `TransformPath.lookup_many` gives it: x, y, z, w of the rotation, then x, y, z. One that is refused
        (no number, too old, in conflict) does not keep the others out.
        """
        stamps = np.ascontiguousarray(stamps_ns, np.int64)
        poses = np.asarray(poses, np.float64)
        if stamps.ndim != 1 or poses.shape != (stamps.size, 7):
            raise ValueError("stamps must be n numbers and poses n × 7")
        first = _abi.snt_tf_transform()
        lib.snt_tf_transform_init(ctypes.byref(first), self._frame(parent), self._frame(child), 0)
        many = (_abi.snt_tf_transform * stamps.size)()
        if stamps.size:
            rows = np.frombuffer(many, np.dtype(_abi.snt_tf_transform))
            rows[:] = np.frombuffer(first, rows.dtype)
            rows["stamp"], rows["pose"]["q"], rows["pose"]["t"] = stamps, poses[:, :4], poses[:, 4:]
        insert, handle = lib.snt_tf_buffer_insert, self.handle
        return np.fromiter((insert(handle, ctypes.byref(one), None) for one in many), np.int32, stamps.size)

    def insert_message(self, raw: bytes, encoding: int = CDR, static: bool = False) -> int:
        """Add every transform of a serialized TFMessage; how many there were."""
        view, one = _abi.snt_tf_message_view(), _abi.snt_transform_view()
        error = _abi.snt_message_error()
        status = lib.snt_tf_message_view_parse(encoding, raw, len(raw), ctypes.byref(view), ctypes.byref(error))
        if status < 0:
            check(status, "TFMessage", message_facts(error))
        count = view.count
        while lib.snt_tf_message_next(ctypes.byref(view), ctypes.byref(one)) == _abi.SNT_OK:
            parent, child = (
                ctypes.string_at(t.data, t.size).decode(errors="replace") for t in (one.header.frame_id, one.child_frame_id)
            )
            self.insert(parent, child, one.header.stamp_ns, one.pose.t[:], one.pose.q[:], static)
        return count

    def lookup(
        self, target: str, source: str, stamp_ns: Optional[int] = None, timeout: float = 0.0
    ) -> Transform:
        """T_target_source at `stamp_ns`, or the newest common time if None.

        Waits up to `timeout` seconds for transforms that may still come (inserted by another thread). Raises FutureError,
        PastError, NotConnectedError … with the facts: `edge`, `asked`, `oldest`, `newest`, `next_due`, `missing_ns`.
        """
        deadline = time.monotonic() + timeout
        result, miss = _abi.snt_tf_result(), _abi.snt_tf_miss()
        a, b = self._frame(target), self._frame(source)
        into, why = ctypes.byref(result), ctypes.byref(miss)
        while True:
            if stamp_ns is None:
                status = lib.snt_tf_buffer_lookup_latest(self.handle, a, b, into, why)
            else:
                status = lib.snt_tf_buffer_lookup(self.handle, a, b, stamp_ns, into, why)
            if status == _abi.SNT_OK:
                return _answer(result)
            if miss.permanent or time.monotonic() >= deadline:
                check(status, self.explain(miss), self._facts(miss))
                raise TimeoutError(self.explain(miss))  # a positive status: writers never paused
            time.sleep(_POLL_S)

    def can(self, target: str, source: str, stamp_ns: int) -> bool:
        """Would `lookup` answer?"""
        return lib.snt_tf_buffer_can(self.handle, self._frame(target), self._frame(source), stamp_ns, None) == _abi.SNT_OK

    def explain(self, miss: _abi.snt_tf_miss) -> str:
        """A refusal in words."""
        size = 1024
        text = ctypes.create_string_buffer(size)
        lib.snt_tf_miss_format(self.handle, ctypes.byref(miss), text, size)
        return text.value.decode(errors="replace")

    def _facts(self, miss: _abi.snt_tf_miss) -> dict:
        facts = {"edge": f"{self.name(miss.parent)}→{self.name(miss.child)}", "permanent": bool(miss.permanent)}
        for key in ("asked", "oldest", "newest", "next_due", "answer_due", "missing_ns", "period_ns"):
            value = getattr(miss, key)
            facts[key] = None if value == UNKNOWN else value
        return facts

    def path(self, target: str, source: str) -> "TransformPath":
        """The way between two frames, kept for many questions."""
        return TransformPath(self, target, source)

    def _dump(self, function: Any) -> str:
        size = function(self.handle, None, 0)
        text = ctypes.create_string_buffer(size + 1)
        function(self.handle, text, size + 1)
        return text.value.decode(errors="replace")

    def to_dot(self) -> str:
        """The tree for graphviz."""
        return self._dump(lib.snt_tf_buffer_dump_dot)

    def to_json(self) -> str:
        """The tree with its rates and ages."""
        return self._dump(lib.snt_tf_buffer_dump_json)


class TransformPath(Handle):
    """The way from one frame to another. Holds its buffer."""

    _destroy = lib.snt_tf_path_destroy

    def __init__(self, buffer: TransformBuffer, target: str, source: str):
        self.buffer = buffer
        out = ctypes.POINTER(_abi.snt_tf_path)()
        status = lib.snt_tf_path_create(
            buffer.handle, buffer._frame(target), buffer._frame(source), ctypes.byref(out)
        )
        check(status, f"path {target} ← {source}")
        self._own(out)

    def lookup(self, stamp_ns: int) -> Transform:
        """As TransformBuffer.lookup, without waiting."""
        result, miss = _abi.snt_tf_result(), _abi.snt_tf_miss()
        status = lib.snt_tf_path_lookup(self.handle, stamp_ns, ctypes.byref(result), ctypes.byref(miss))
        if status != _abi.SNT_OK:
            check(status, self.buffer.explain(miss), self.buffer._facts(miss))
            raise TimeoutError(self.buffer.explain(miss))
        return _answer(result)

    def lookup_many(self, stamps_ns: Any) -> Tuple[np.ndarray, np.ndarray]:
        """Poses (n × 7: x, y, z, w of the rotation, then x, y, z) and statuses for many times; NaN where there is none."""
        stamps = np.ascontiguousarray(stamps_ns, np.int64)
        poses = np.full((stamps.size, 7), np.nan)
        statuses = np.zeros(stamps.size, np.int32)
        status = lib.snt_tf_path_lookup_many(
            self.handle, None, None, stamps.ctypes.data, 8, stamps.size, poses.ctypes.data, 56, statuses.ctypes.data, None
        )
        if status in (_abi.SNT_ERR_INVALID_ARG, _abi.SNT_ERR_INVALID_STATE):
            check(status, "looking up many")
        return poses, statuses
