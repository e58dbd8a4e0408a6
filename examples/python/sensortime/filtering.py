# SPDX-License-Identifier: BSD-3-Clause
"""Hold samples until their transform is there, with Python objects as payloads."""

import ctypes
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Union

from . import _abi
from ._handle import Handle, Tokens, c_text, config, i64, struct_dict, text_of, u32
from ._library import lib
from .errors import check
from .transforms import Transform, TransformBuffer, answer

UNKNOWN = _abi.SNT_UNKNOWN


class Release(NamedTuple):
    """A payload whose transforms are there: T_target_source at the start and the end of its acquisition."""

    payload: Any
    start: Transform
    end: Transform
    facts: _abi.snt_filter_release
    transforms: List[Transform]  # start and end for each target


class FilterDrop(NamedTuple):
    """A payload that came back without a transform, and why."""

    payload: Any
    reason: str  # short name in lower case
    text: str  # with the edge that failed
    facts: _abi.snt_filter_drop


class MessageFilter(Handle):
    """Waits for transforms of `buffer` to `target`. Options: snt_message_filter_config (capacity, wait_timeout_ns, …).

    Every payload given comes back exactly once, from `releases` or from `drops`.
    """

    _destroy = lib.snt_message_filter_destroy

    def __init__(
        self,
        buffer: TransformBuffer,
        target: Union[str, Sequence[str]],
        domain: int = _abi.SNT_DOMAIN_UNIX,
        **options: Any,
    ):
        """`target`: one frame's name or several; every sample must be transformable to all."""
        cfg = config(_abi.snt_message_filter_config, lib.snt_message_filter_config_init, options)
        out = ctypes.POINTER(_abi.snt_message_filter)()
        check(lib.snt_message_filter_create(buffer.handle, ctypes.byref(cfg), None, ctypes.byref(out)), "making a filter")
        self._own(out, buffer)
        self.buffer, self.domain = buffer, u32(domain, "domain")
        self.set_targets(target)
        self._payloads: Dict[int, Any] = {}
        self._tokens = Tokens(1)

    def set_targets(self, target: Union[str, Sequence[str]]) -> None:
        """Into which frames samples must be transformable; what is held is looked up anew."""
        if isinstance(target, str):
            check(lib.snt_message_filter_set_target_named(self.handle, c_text(target, "target")), f"target '{target}'")
            return
        frames = (ctypes.c_uint64 * len(target))(*[self.buffer._frame(one) for one in target])
        check(lib.snt_message_filter_set_targets(self.handle, frames, len(frames)), f"targets {list(target)}")

    def set_tolerance(self, tolerance_ns: int) -> None:
        """Of samples to come and of all that is held."""
        check(lib.snt_message_filter_set_tolerance(self.handle, i64(tolerance_ns)), "tolerance")

    def add(
        self,
        stamp_ns: int,
        frame: str,
        payload: Any,
        end_ns: int = UNKNOWN,
        now_ns: int = UNKNOWN,
        tolerance_ns: Optional[int] = None,
    ) -> bool:
        """Give one sample (until `end_ns` for a scan); True if something is ready to be taken.

        `tolerance_ns`: its own instead of the filter's.
        """
        sample, now = _abi.snt_sample(), i64(now_ns)
        token = self._tokens.take()
        lib.snt_sample_init(ctypes.byref(sample), i64(stamp_ns), self.domain, token)
        if end_ns != UNKNOWN:
            sample.t1_ns = i64(end_ns)
        handle, raw = self.handle, c_text(frame, "frame")
        self._payloads[token] = payload
        if tolerance_ns is None:
            status = lib.snt_message_filter_add_named(handle, ctypes.byref(sample), raw, now)
        else:
            number = self.buffer._frame(frame) if frame else 0
            status = lib.snt_message_filter_add_tolerant(handle, ctypes.byref(sample), number, i64(tolerance_ns), now)
        if status < 0:
            del self._payloads[token]
            check(status, f"a sample in '{frame}'")
        return bool(status == _abi.SNT_OK)

    def add_many(
        self, stamps_ns: Iterable[int], frame: str, payloads: Iterable[Any], now_ns: int = UNKNOWN
    ) -> bool:
        """Give many samples of one frame; True if something is ready to be taken."""
        handle, now, ready = self.handle, i64(now_ns), False
        number = self.buffer._frame(frame) if frame else 0
        sample, kept = _abi.snt_sample(), self._payloads
        where = ctypes.byref(sample)
        for stamp, payload in zip(stamps_ns, payloads):
            token = self._tokens.take()
            lib.snt_sample_init(where, i64(stamp), self.domain, token)
            kept[token] = payload
            status = lib.snt_message_filter_add(handle, where, number, now)
            if status < 0:
                del kept[token]
                check(status, f"a sample in '{frame}'")
            ready |= status == _abi.SNT_OK
        return ready

    def poll_edge(self, child: str, newest_ns: int = UNKNOWN, now_ns: int = UNKNOWN) -> bool:
        """An edge grew (what TransformBuffer's `notify` tells); True if something is ready to be taken."""
        status = lib.snt_message_filter_poll_edge(self.handle, self.buffer._known(child), i64(newest_ns), i64(now_ns))
        return check(status, f"edge of {child}") == _abi.SNT_OK

    def releases(self, now_ns: int = UNKNOWN, now_stamp_ns: int = UNKNOWN) -> Iterator[Release]:
        """Take the samples whose transforms are there, in ascending order."""
        results = (_abi.snt_tf_result * (2 * _abi.SNT_FILTER_MAX_TARGETS))()
        now, stamp = i64(now_ns), i64(now_stamp_ns)
        while True:
            out = _abi.snt_filter_release()
            status = lib.snt_message_filter_poll(self.handle, now, stamp, ctypes.byref(out), results, len(results))
            if check(status, "taking a sample") != _abi.SNT_OK:
                return
            found = [answer(_abi.snt_tf_result.from_buffer_copy(results[i])) for i in range(max(2, out.results))]
            yield Release(self._payloads.pop(out.sample.token, None), found[0], found[1], out, found)

    def drops(self) -> Iterator[FilterDrop]:
        """Take what came back without a transform."""
        while True:
            out = _abi.snt_filter_drop()
            if check(lib.snt_message_filter_poll_drop(self.handle, ctypes.byref(out)), "taking a drop") != _abi.SNT_OK:
                return
            name = lib.snt_drop_reason_name(out.reason).decode().replace("SNT_DROP_", "").lower()
            text = text_of(lib.snt_filter_drop_format, self.buffer.handle, ctypes.byref(out))
            yield FilterDrop(self._payloads.pop(out.sample.token, None), name, text, out)

    def clear(self) -> None:
        """Drop everything, so that every payload can be taken back."""
        check(lib.snt_message_filter_clear(self.handle), "clearing")

    def reset(self) -> None:
        """Begin a new session by hand: what waits is dropped as "reset"."""
        check(lib.snt_message_filter_reset(self.handle), "resetting")

    def check(self) -> None:
        """Count everything anew and compare with the counters: for tests."""
        check(lib.snt_message_filter_check(self.handle), "self-test")

    def stats(self) -> Dict[str, Any]:
        """Counters; what came in is out, held or dropped with a reason."""
        out = _abi.snt_filter_stats()
        check(lib.snt_message_filter_stats(self.handle, ctypes.byref(out)), "reading the counters")
        return struct_dict(out)


def suggest_capacity(period_ns: int, delay_ns: int, margin: int = 2) -> int:
    """How many samples wait if transforms come `delay_ns` late: 30 Hz and 0.2 s give 6 plus margin."""
    capacity = int(lib.snt_message_filter_suggest_capacity(i64(period_ns), i64(delay_ns), u32(margin, "margin")))
    if not capacity:
        raise ValueError(f"no capacity for a period of {period_ns} ns and a delay of {delay_ns} ns")
    return capacity
