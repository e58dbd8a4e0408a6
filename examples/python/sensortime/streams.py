# SPDX-License-Identifier: BSD-3-Clause
"""Watch the timing of one stream of messages."""

import ctypes
from typing import Any, Iterator, List, Optional

import numpy as np

from . import _abi
from ._handle import Handle, config, i64, size_of, typed, u64
from ._library import lib
from .errors import check
from .findings import Finding, collect

#: dtype of `StreamMonitor.add_many`: the fields of snt_stream_message
MESSAGE_DTYPE = np.dtype(_abi.snt_stream_message)

HAS_STAMP, HAS_LOG = _abi.SNT_STREAM_HAS_STAMP, _abi.SNT_STREAM_HAS_LOG
HAS_SEQUENCE, HAS_CONTENT = _abi.SNT_STREAM_HAS_SEQUENCE, _abi.SNT_STREAM_HAS_CONTENT
STATIC, EVENTUAL = _abi.SNT_STREAM_STATIC, _abi.SNT_STREAM_EVENTUAL
POST_DATED, CAN_REST = _abi.SNT_STREAM_POST_DATED, _abi.SNT_STREAM_CAN_REST


class StreamMonitor(Handle):
    """Rate, jitter, gaps, delay of one stream, and what is wrong with its stamps. Options are those of the config."""

    _destroy = lib.snt_stream_monitor_destroy

    def __init__(self, **options: Any):
        cfg = config(_abi.snt_stream_monitor_config, lib.snt_stream_monitor_config_init, options)
        out = ctypes.POINTER(_abi.snt_stream_monitor)()
        check(lib.snt_stream_monitor_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a monitor")
        self._own(out)

    def add(self, stamp_ns: Optional[int], log_ns: Optional[int] = None, size_bytes: int = 0) -> None:
        """Give the next message in recorded order; a time that is not known is None."""
        message = _abi.snt_stream_message(size_bytes=u64(size_bytes, "size"))
        if stamp_ns is not None:
            message.stamp_ns, message.flags = i64(stamp_ns), HAS_STAMP
        if log_ns is not None:
            message.log_ns = i64(log_ns)
            message.flags |= HAS_LOG
        check(lib.snt_stream_monitor_add(self.handle, ctypes.byref(message)), "adding a message")

    def add_many(self, messages: "np.ndarray[Any, Any]") -> None:
        """Give many messages at once: a contiguous array of MESSAGE_DTYPE."""
        array = isinstance(messages, np.ndarray)
        if not array or messages.dtype != MESSAGE_DTYPE or messages.ndim != 1 or not messages.flags.c_contiguous:
            raise TypeError("expected a contiguous array of MESSAGE_DTYPE")
        handle = self._enter()
        try:
            status = lib.snt_stream_monitor_add_many(handle, typed(messages, _abi.snt_stream_message), messages.size)
        finally:
            self._leave()
        check(status, "adding messages")

    def poll(self, now_ns: int) -> bool:
        """Is the stream alive at `now_ns` (clock of the log)?"""
        status = lib.snt_stream_monitor_poll(self.handle, i64(now_ns))
        if status == _abi.SNT_ERR_TIMEOUT:
            return False
        check(status, "polling")
        return True

    def finish(self) -> None:
        """The recording is over: what waits becomes final."""
        check(lib.snt_stream_monitor_finish(self.handle), "finishing")

    def reset(self) -> None:
        """Forget everything; the settings stay."""
        lib.snt_stream_monitor_reset(self.handle)

    @staticmethod
    def size(**options: Any) -> int:
        """Memory that a monitor of these options takes [bytes]."""
        cfg = config(_abi.snt_stream_monitor_config, lib.snt_stream_monitor_config_init, options)
        return size_of(lib.snt_stream_monitor_size, cfg, "size of a monitor")

    def report(self) -> _abi.snt_stream_report:
        """Everything known so far."""
        out = _abi.snt_stream_report()
        check(lib.snt_stream_monitor_report(self.handle, ctypes.byref(out)), "reading the report")
        return out

    def events(self) -> Iterator[_abi.snt_stream_event]:
        """Take the events kept since the last time."""
        while True:
            out = _abi.snt_stream_event()
            if check(lib.snt_stream_monitor_next_event(self.handle, ctypes.byref(out))) == _abi.SNT_EMPTY:
                return
            yield out

    def findings(self) -> List[Finding]:
        """The verdicts so far, errors first."""
        return collect(lib.snt_stream_monitor_findings, self)


def clock_kind(time_ns: int) -> str:
    """What a single time suggests it counts from, in words."""
    text: bytes = lib.snt_clock_kind_text(lib.snt_clock_kind(i64(time_ns)))
    return text.decode()
