# SPDX-License-Identifier: BSD-3-Clause
"""Where things were: a buffer of stamped transforms that interpolates, and says why it cannot."""

import ctypes
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._handle import (
    Handle, c_text, config, i64, integers, numbers, set_field, size_of, struct_dict, text_of, typed, u32, vector,
)  # fmt: skip
from ._library import lib
from .clouds import CDR
from .errors import NotFoundError, check
from .tf_answers import BODY, KINDS, ORIGIN, SPATIAL, Transform, TwistAnswer, answer, question, tf2_code
from .tf_paths import TransformPath

UNKNOWN = _abi.SNT_UNKNOWN
__all__ = [
    "BODY", "KINDS", "ORIGIN", "SPATIAL", "Transform", "TransformBuffer", "TransformPath", "TwistAnswer", "UNKNOWN", "answer",
    "question", "tf2_code",
]  # fmt: skip
_NUMBERS = {name: number for number, name in KINDS.items()}
_POLL_S = 0.01  # between two looks, should a transform come from elsewhere than this object


class TransformBuffer(Handle):
    """Frames and how they move. Options are those of snt_tf_buffer_config (keep_ns, max_samples, epoch, …).

    `notify(child, newest_ns)` is called after an insert made an edge grow, in the inserting thread.
    """

    _destroy = lib.snt_tf_buffer_destroy

    def __init__(self, notify: Optional[Callable[[str, int], Any]] = None, **options: Any):
        cfg = config(_abi.snt_tf_buffer_config, lib.snt_tf_buffer_config_init, options)
        if notify is not None:
            told = notify

            def tell(_user: Any, child: int, newest_ns: int) -> None:
                told(self.name(child), newest_ns)

            cfg.notify = type(cfg.notify)(tell)
            self._config = cfg.notify  # the function has to live as long as the handle
        out = ctypes.POINTER(_abi.snt_tf_buffer)()
        check(lib.snt_tf_buffer_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a transform buffer")
        self._own(out)
        self._frames: Dict[str, int] = {}
        self._grown, self._waiting = threading.Condition(), 0

    def _wake(self) -> None:
        """Something was inserted: those who wait in `lookup` look again."""
        if self._waiting:
            with self._grown:
                self._grown.notify_all()

    def _wait(self, seconds: float) -> None:
        with self._grown:
            self._waiting += 1
            self._grown.wait(seconds)
            self._waiting -= 1

    def _frame(self, name: str) -> int:
        """Number of a frame, made if it is new."""
        number = self._frames.get(name)
        if number is None:
            out = ctypes.c_uint64()
            raw = c_text(name, "frame")
            check(lib.snt_tf_buffer_frame(self.handle, raw, ctypes.byref(out)), f"frame '{name}'")
            number = self._frames[name] = out.value
        return number

    def _seen(self, name: str) -> int:
        """Number of a frame that exists, 0 if there is none: to ask about a name does not make it."""
        number = self._frames.get(name)
        if number is None:
            out = ctypes.c_uint64()
            status = lib.snt_tf_buffer_find(self.handle, c_text(name, "frame"), ctypes.byref(out))
            if status == _abi.SNT_ERR_NOT_FOUND:
                return 0
            check(status, f"frame '{name}'")
            number = self._frames[name] = out.value
        return number

    def _all_seen(self, *names: str) -> List[int]:
        """Numbers of frames that exist. Raises NotFoundError with the name of the first that does not as `frame`."""
        numbers = [self._seen(name) for name in names]
        for name, number in zip(names, numbers):
            if not number:
                raise NotFoundError(f"frame '{name}'", facts={"frame": name, "permanent": False})
        return numbers

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
        **more: Any,
    ) -> None:
        """Add T_parent_child: where `child` was in `parent` at `stamp_ns`. Rotations are x, y, z, w.

        `more`: err_ns, now, domain, session, authority (a name or a number), flags of snt_tf_transform.
        """
        one = _abi.snt_tf_transform()
        lib.snt_tf_transform_init(ctypes.byref(one), self._frame(parent), self._frame(child), i64(stamp_ns))
        one.pose.q, one.pose.t = vector(rotation, 4, "rotation"), vector(translation, 3, "translation")
        for name, value in more.items():
            if name not in ("err_ns", "now", "domain", "session", "authority", "flags"):
                raise TypeError(f"a transform has no '{name}'")
            set_field(one, name, self.authority(value) if name == "authority" and isinstance(value, str) else value)
        insert = lib.snt_tf_buffer_insert_static if static else lib.snt_tf_buffer_insert
        status = insert(self.handle, ctypes.byref(one), None)
        if status < 0:  # text is made only where it is needed
            check(status, f"transform {parent} → {child}")
        self._wake()

    def insert_known(
        self, parent: str, child: str, stamp_ns: int, translation: Sequence[float], rotation: Sequence[float] = (0, 0, 0, 1)
    ) -> None:
        """As `insert`, but a name that nobody used before is refused (NotFoundError) instead of making a frame."""
        one = _abi.snt_tf_transform()
        lib.snt_tf_transform_init(ctypes.byref(one), 0, 0, i64(stamp_ns))
        one.pose.q, one.pose.t = vector(rotation, 4, "rotation"), vector(translation, 3, "translation")
        one.flags = _abi.SNT_TF_KNOWN_ONLY
        status = lib.snt_tf_buffer_insert_named(self.handle, c_text(parent), c_text(child), ctypes.byref(one), None)
        check(status, f"transform {parent} → {child}")

    def insert_many(self, parent: str, child: str, stamps_ns: Any, poses: Any) -> "np.ndarray[Any, Any]":
        """Add T_parent_child at many times; the status of each, 0 or more where it was taken.

        `poses` is n × 7 as `TransformPath.lookup_many` gives it: x, y, z, w of the rotation, then x, y, z. One that is refused
        (no number, too old, in conflict) does not keep the others out.
        """
        stamps = integers(stamps_ns)
        given = numbers(poses, 7, "poses", stamps.size)
        first = _abi.snt_tf_transform()
        lib.snt_tf_transform_init(ctypes.byref(first), self._frame(parent), self._frame(child), 0)
        rows = np.empty(stamps.size, np.dtype(_abi.snt_tf_transform))
        rows[:] = np.frombuffer(bytes(first), rows.dtype)
        rows["stamp"], rows["pose"]["q"], rows["pose"]["t"] = stamps, given[:, :4], given[:, 4:]
        statuses = np.zeros(stamps.size, np.int32)
        handle = self._enter()
        try:
            lib.snt_tf_buffer_insert_many(
                handle, typed(rows, _abi.snt_tf_transform), stamps.size, statuses.ctypes.data
            )
        finally:
            self._leave()
        self._wake()
        return statuses

    def insert_message(self, raw: Union[bytes, bytearray], encoding: int = CDR, static: bool = False) -> int:
        """Add every transform of a serialized TFMessage; how many there were."""
        from .messages import transforms

        count = 0
        for one in transforms(raw, encoding):
            self.insert(one.parent, one.child, one.stamp_ns, one.pose.translation, one.pose.rotation, static)
            count += 1
        return count

    def lookup(
        self, target: str, source: str, stamp_ns: Optional[int] = None, timeout: float = 0.0
    ) -> Transform:
        """T_target_source at `stamp_ns`, or the newest common time if None.

        Waits up to `timeout` seconds for transforms that may still come (inserted by another thread). Raises FutureError,
        PastError, NotConnectedError … with the facts: `edge`, `asked`, `oldest`, `newest`, `next_due`, `missing_ns`; and
        NotFoundError for a name that no transform named yet, with it as `frame`. Asking makes no frames.
        """
        if not timeout >= 0:  # nor nan, which no deadline would ever end
            raise ValueError(f"a timeout is 0 or more seconds, not {timeout!r}")
        deadline, when = time.monotonic() + timeout, None if stamp_ns is None else i64(stamp_ns)
        result, miss = _abi.snt_tf_result(), _abi.snt_tf_miss()
        into, why = ctypes.byref(result), ctypes.byref(miss)
        while True:
            a, b = self._seen(target), self._seen(source)
            if not (a and b):
                if time.monotonic() >= deadline:
                    self._all_seen(target, source)  # says which one, unless it came just now
                self._wait(min(_POLL_S, max(0.0, deadline - time.monotonic())))
                continue
            if when is None:
                status = lib.snt_tf_buffer_lookup_latest(self.handle, a, b, into, why)
            else:
                status = lib.snt_tf_buffer_lookup(self.handle, a, b, when, into, why)
            if status == _abi.SNT_OK:
                return answer(result)
            if miss.permanent or time.monotonic() >= deadline:
                raise self._refusal(status, miss)
            self._wait(min(_POLL_S, max(0.0, deadline - time.monotonic())))

    def _refusal(self, status: int, miss: _abi.snt_tf_miss) -> Exception:
        try:
            check(status, self.explain(miss), self._facts(miss), miss)
        except Exception as error:
            return error
        return TimeoutError(self.explain(miss))  # a positive status: writers never paused

    def ask(self, target: str, source: str, stamp_ns: Optional[int] = None, **options: Any) -> Transform:
        """As `lookup`, without waiting, with fields of snt_tf_question (max_age_ns with now, interpolation, err_ns, …)."""
        asked, result, miss = question(stamp_ns, **options), _abi.snt_tf_result(), _abi.snt_tf_miss()
        a, b = self._all_seen(target, source)
        status = lib.snt_tf_buffer_ask(
            self.handle, a, b, ctypes.byref(asked), ctypes.byref(result), ctypes.byref(miss)
        )
        if status != _abi.SNT_OK:
            raise self._refusal(status, miss)
        return answer(result)

    def lookup_fixed(self, target: str, target_ns: int, source: str, source_ns: int, fixed: str) -> Transform:
        """Where something seen in `source` at one time is in `target` at another, through a frame that did not move."""
        result, miss = _abi.snt_tf_result(), _abi.snt_tf_miss()
        a, b, c = self._all_seen(target, source, fixed)
        status = lib.snt_tf_buffer_lookup_fixed(
            self.handle, a, i64(target_ns), b, i64(source_ns), c, ctypes.byref(result), ctypes.byref(miss)
        )
        if status != _abi.SNT_OK:
            raise self._refusal(status, miss)
        return answer(result)

    def can(self, target: str, source: str, stamp_ns: int) -> bool:
        """Would `lookup` answer?"""
        a, b = self._seen(target), self._seen(source)
        return bool(a and b and lib.snt_tf_buffer_can(self.handle, a, b, i64(stamp_ns), None) == _abi.SNT_OK)

    def explain(self, miss: _abi.snt_tf_miss) -> str:
        """A refusal in words."""
        return text_of(lib.snt_tf_miss_format, self.handle, ctypes.byref(miss))

    def _facts(self, miss: _abi.snt_tf_miss) -> Dict[str, Any]:
        facts = {"edge": f"{self.name(miss.parent)}→{self.name(miss.child)}", "permanent": bool(miss.permanent)}
        for key in ("asked", "oldest", "newest", "next_due", "answer_due", "missing_ns", "period_ns"):
            value = getattr(miss, key)
            facts[key] = None if value == UNKNOWN else value
        return facts

    def path(self, target: str, source: str) -> "TransformPath":
        """The way between two frames, kept for many questions. They need not exist yet: a path makes them."""
        return TransformPath(self, target, source)

    # ---- frames and edges; an edge is named by its child ----

    @staticmethod
    def size(**options: Any) -> int:
        """Memory that a buffer of these options takes [bytes]."""
        cfg = config(_abi.snt_tf_buffer_config, lib.snt_tf_buffer_config_init, options)
        return size_of(lib.snt_tf_buffer_size, cfg, "size of a transform buffer")

    def _known(self, name: str) -> int:
        """Number of a frame that exists. Raises NotFoundError."""
        out = ctypes.c_uint64()
        check(lib.snt_tf_buffer_find(self.handle, c_text(name, "frame"), ctypes.byref(out)), f"frame '{name}'")
        return out.value

    def __contains__(self, name: str) -> bool:
        out = ctypes.c_uint64()
        return bool(lib.snt_tf_buffer_find(self.handle, c_text(name, "frame"), ctypes.byref(out)) == _abi.SNT_OK)

    def scoped(self, prefix: str, name: str) -> str:
        """`prefix/name`, made if new: the frames of one robot among several."""
        out = ctypes.c_uint64()
        status = lib.snt_tf_buffer_frame_scoped(self.handle, c_text(prefix), c_text(name), ctypes.byref(out))
        check(status, f"frame '{prefix}/{name}'")
        return self.name(out.value)

    @property
    def frames(self) -> List[str]:
        """Names of all frames, in no special order."""
        count, capacity = ctypes.c_uint64(), 256
        while True:
            room = (ctypes.c_uint64 * capacity)()
            status = lib.snt_tf_buffer_frames(self.handle, room, capacity, ctypes.byref(count))
            if status != _abi.SNT_ERR_BUFFER_TOO_SMALL:
                check(status, "listing the frames")
                return [self.name(one) for one in room[: count.value]]
            capacity = count.value + 16

    def parent(self, child: str) -> Optional[str]:
        """A frame's newest parent; None for a root."""
        out = ctypes.c_uint64()
        check(lib.snt_tf_buffer_parent(self.handle, self._known(child), ctypes.byref(out)), f"parent of {child}")
        return self.name(out.value) if out.value else None

    def root(self, frame: str) -> str:
        """The frame at the top of its tree."""
        out = ctypes.c_uint64()
        check(lib.snt_tf_buffer_root(self.handle, self._known(frame), ctypes.byref(out)), f"root of {frame}")
        return self.name(out.value)

    def newest(self, child: str) -> Optional[int]:
        """Stamp of an edge's newest sample; None without one; SNT_TIME_INFINITE_FUTURE for a static edge."""
        out = ctypes.c_int64()
        status = lib.snt_tf_buffer_newest(self.handle, self._known(child), ctypes.byref(out))
        return None if check(status, f"newest of {child}") != _abi.SNT_OK else out.value

    def authority(self, name: str) -> int:
        """Number of a publisher, for `insert(authority=…)`."""
        out = ctypes.c_uint32()
        check(lib.snt_tf_buffer_authority(self.handle, c_text(name, "publisher"), ctypes.byref(out)), f"publisher '{name}'")
        return out.value

    def configure_edge(self, child: str, **options: Any) -> None:
        """Settings of one edge: those of snt_tf_edge_config (interpolation, keep_ns, max_accel, …)."""
        cfg = config(_abi.snt_tf_edge_config, lib.snt_tf_edge_config_init, options)
        check(lib.snt_tf_buffer_edge_configure(self.handle, self._frame(child), ctypes.byref(cfg)), f"edge of {child}")

    def reserve(self, child: str, samples: int) -> None:
        """Give an edge its ring ahead of its first sample."""
        check(lib.snt_tf_buffer_reserve(self.handle, self._frame(child), u32(samples, "samples")), f"edge of {child}")

    def convert(self, child: str, kind: str) -> None:
        """Make an edge "dynamic" or "static", or cut the frame off ("none")."""
        if kind not in _NUMBERS:
            raise ValueError(f"no kind '{kind}'; known: {', '.join(_NUMBERS)}")
        check(lib.snt_tf_buffer_convert(self.handle, self._known(child), _NUMBERS[kind]), f"edge of {child}")

    def edge(self, child: str) -> Dict[str, Any]:
        """What an edge is and how it fares; `kind` and `parent` are names."""
        out = _abi.snt_tf_edge_info()
        check(lib.snt_tf_buffer_edge_info(self.handle, self._known(child), ctypes.byref(out)), f"edge of {child}")
        facts = struct_dict(out)
        facts["kind"], facts["child"] = KINDS.get(out.kind, "none"), child
        facts["parent"] = self.name(out.parent)
        facts["publisher"] = facts["publisher"][: min(out.publishers, 4)]
        return facts

    def info(self) -> Dict[str, Any]:
        """Totals."""
        out = _abi.snt_tf_buffer_info()
        check(lib.snt_tf_buffer_get_info(self.handle, ctypes.byref(out)), "totals")
        return struct_dict(out)

    @property
    def structure_version(self) -> int:
        """Grows whenever the tree's shape or a static pose changes."""
        return int(lib.snt_tf_buffer_structure_version(self.handle))

    def lint(self, max_speed: float = 0.0) -> List[str]:
        """What breaks REP-105 or the tree, in words."""
        count, capacity = ctypes.c_uint64(), 64
        handle = self._enter()
        try:
            while True:
                room = (_abi.snt_tf_finding * capacity)()
                status = lib.snt_tf_buffer_lint(handle, max_speed, room, capacity, ctypes.byref(count))
                if status != _abi.SNT_ERR_BUFFER_TOO_SMALL:
                    break
                capacity = count.value + 16
            check(status, "looking for faults")
            found = room[: count.value]
            return [text_of(lib.snt_tf_finding_format, handle, ctypes.byref(one)) for one in found]
        finally:
            self._leave()

    # ---- sessions and forgetting ----

    def clear(self, static: bool = False) -> None:
        """Drop the samples of all moving edges; with `static` everything, frames too."""
        if static:
            self._frames.clear()
            check(lib.snt_tf_buffer_clear_all(self.handle), "clearing")
        else:
            check(lib.snt_tf_buffer_clear_dynamic(self.handle), "clearing")

    def reset(self, session: int) -> None:
        """Begin a session by hand (a buffer with an epoch does so by itself)."""
        check(lib.snt_tf_buffer_reset(self.handle, u32(session, "session")), f"session {session}")

    def observe_clock(self, now_ns: int) -> bool:
        """Tell the time; False if it went back so far that moving edges were dropped."""
        status = lib.snt_tf_buffer_observe_clock(self.handle, i64(now_ns))
        if status == _abi.SNT_ERR_RESET_SUSPECT:
            return False
        check(status, "observing the clock")
        return True

    def remove_frame(self, name: str) -> None:
        """Remove a frame with its edge; frames below it become roots."""
        number = self._known(name)
        self._frames.pop(name, None)
        check(lib.snt_tf_buffer_remove_frame(self.handle, number), f"frame '{name}'")

    def collect_garbage(self, older_than_ns: int) -> int:
        """Remove childless frames whose edge has no sample as new as this; how many."""
        out = ctypes.c_uint64()
        check(lib.snt_tf_buffer_gc(self.handle, i64(older_than_ns), ctypes.byref(out)), "removing frames")
        self._frames.clear()
        return out.value

    def _dump(self, function: Callable[..., int]) -> str:
        handle, size = self._enter(), 0
        try:
            while True:
                text = ctypes.create_string_buffer(size + 1)
                needed = function(handle, text, size + 1)
                if needed <= size:
                    return text.value.decode(errors="replace")
                size = needed + 256  # the tree may grow meanwhile
        finally:
            self._leave()

    def to_dot(self) -> str:
        """The tree for graphviz."""
        return self._dump(lib.snt_tf_buffer_dump_dot)

    def to_json(self) -> str:
        """The tree with its rates and ages."""
        return self._dump(lib.snt_tf_buffer_dump_json)
