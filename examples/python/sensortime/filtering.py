# SPDX-License-Identifier: BSD-3-Clause
"""Hold samples until their transform is there, with Python objects as payloads."""

import ctypes
from typing import Any, Dict, Iterator, List, NamedTuple

from . import _abi
from ._handle import Handle, config, struct_dict, text_of
from ._library import lib
from .errors import check
from .transforms import Transform, TransformBuffer, _answer

UNKNOWN = _abi.SNT_UNKNOWN


class Release(NamedTuple):
    """A payload whose transforms are there: T_target_source at the start and the end of its acquisition."""

    payload: Any
    start: Transform
    end: Transform
    facts: _abi.snt_filter_release


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

    def __init__(self, buffer: TransformBuffer, target: str, domain: int = _abi.SNT_DOMAIN_UNIX, **options: Any):
        cfg = config(_abi.snt_message_filter_config, lib.snt_message_filter_config_init, options)
        out = ctypes.POINTER(_abi.snt_message_filter)()
        check(lib.snt_message_filter_create(buffer.handle, ctypes.byref(cfg), None, ctypes.byref(out)), "making a filter")
        self._own(out)
        self.buffer, self.domain = buffer, domain  # the handle needs its buffer
        check(lib.snt_message_filter_set_target_named(out, target.encode()), f"target '{target}'")
        self._payloads: Dict[int, Any] = {}
        self._next = 1

    def add(self, stamp_ns: int, frame: str, payload: Any, end_ns: int = UNKNOWN, now_ns: int = UNKNOWN) -> bool:
        """Give one sample (until `end_ns` for a scan); True if something is ready to be taken."""
        sample = _abi.snt_sample()
        lib.snt_sample_init(ctypes.byref(sample), stamp_ns, self.domain, self._next)
        if end_ns != UNKNOWN:
            sample.t1_ns = end_ns
        self._payloads[self._next] = payload
        status = lib.snt_message_filter_add_named(self.handle, ctypes.byref(sample), frame.encode(), now_ns)
        if status < 0:
            del self._payloads[self._next]
            check(status, f"a sample in '{frame}'")
        self._next += 1
        return status == _abi.SNT_OK

    def releases(self, now_ns: int = UNKNOWN, now_stamp_ns: int = UNKNOWN) -> Iterator[Release]:
        """Take the samples whose transforms are there, in ascending order."""
        results = (_abi.snt_tf_result * 32)()
        while True:
            out = _abi.snt_filter_release()
            status = lib.snt_message_filter_poll(self.handle, now_ns, now_stamp_ns, ctypes.byref(out), results, len(results))
            if check(status, "taking a sample") != _abi.SNT_OK:
                return
            pair: List[Transform] = [_answer(_abi.snt_tf_result.from_buffer_copy(results[i])) for i in (0, 1)]
            yield Release(self._payloads.pop(out.sample.token, None), pair[0], pair[1], out)

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

    def stats(self) -> dict:
        """Counters; what came in is out, held or dropped with a reason."""
        out = _abi.snt_filter_stats()
        check(lib.snt_message_filter_stats(self.handle, ctypes.byref(out)), "reading the counters")
        return struct_dict(out)
