# SPDX-License-Identifier: BSD-3-Clause
"""Timing of the streams of a recording: one monitor per topic, and one per child frame of /tf."""

import re
from ctypes import POINTER, byref, c_uint64
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from sensortime import abi, lib
from sensortime.findings import Finding
from sensortime.streams import HAS_LOG, HAS_SEQUENCE, HAS_STAMP, MESSAGE_DTYPE, STATIC, EVENTUAL, StreamMonitor

from .slew import slewed

BATCH = 1 << 14  # messages handed to the monitor at once
TF_BATCH = 1 << 12
TF_DTYPE = np.dtype(abi.snt_tf_stamp)
_SHORTEST_TRANSFORM = 72  # [bytes]
HEAD = 1024  # bytes of a message that hold its header, a long frame name included


class Stream:
    """The times of one stream, collected and handed to its monitor in batches."""

    def __init__(self, name: str, topic: str, static: bool, keep_curve: bool, eventual: bool = False):
        self.name, self.topic, self.static, self.eventual = name, topic, static, eventual
        self.on_change = eventual  # by its type, whatever its intervals look like
        self.is_transform = False
        self.stamps: List[int] = []
        self.logs: List[int] = []
        self.sizes: List[int] = []
        self.heads: List[bytes] = []  # beginnings of messages whose stamps are read in batches
        self.before_flush: Optional[Callable[[], None]] = None
        self.read_heads: Optional[Callable[[np.ndarray], tuple]] = None
        self.monitor: Optional[StreamMonitor] = None
        self.count = 0
        self.feeds_scans = False  # an IMU that scans are deskewed with
        self.slew: Any = None  # facts of stamps that a clock discipline corrects in steps
        self.backward: Any = None  # event of the largest step back
        self.report: Any = None
        self.findings: List[Finding] = []
        self.curve = Curve() if keep_curve else None

    def flush(self) -> None:
        """Give what was collected to the monitor."""
        n = len(self.logs)
        if n == 0:
            return
        if self.before_flush is not None:
            self.before_flush()
        messages = np.zeros(n, MESSAGE_DTYPE)
        messages["log_ns"] = self.logs
        messages["size_bytes"] = self.sizes
        messages["flags"] = HAS_LOG
        if self.read_heads is not None:
            messages = self.read_heads(messages)
        elif self.stamps:
            messages["stamp_ns"] = self.stamps
            messages["flags"] |= HAS_STAMP
        for collected in (self.stamps, self.logs, self.sizes, self.heads):
            collected.clear()  # type: ignore[attr-defined]
        if messages.size:
            self.watch(messages)

    def watch(self, messages: np.ndarray) -> None:
        """The next messages, in recorded order."""
        stamped = bool(messages["flags"][0] & HAS_STAMP)
        times = messages["stamp_ns"] if stamped else messages["log_ns"]
        if self.monitor is None:
            self.slew = slewed(times) if stamped else None
            self.eventual = not self.static and (self.eventual or _is_irregular(times, stamped))
            self.monitor = StreamMonitor(flags=(STATIC if self.static else 0) | (EVENTUAL if self.eventual else 0))
        self.monitor.add_many(messages)
        if self.curve is not None:
            self.curve.add(times, messages["log_ns"])
        self.count += messages.size

    def finish(self, end_ns: int) -> None:
        """The recording is over at `end_ns` (log clock)."""
        self.flush()
        if self.monitor is None:
            return
        if not self.static and not self.eventual:
            self.monitor.poll(end_ns)
        self.report = self.monitor.report()
        if self.report.stamps.backward:
            steps_back = [e for e in self.monitor.events() if e.step_ns < 0]
            self.backward = min(steps_back, key=lambda e: e.step_ns, default=None)
        self.findings = self.monitor.findings()
        self.monitor.close()


class Curve:
    """Stamps and log times of a whole stream, for a plot."""

    def __init__(self) -> None:
        self.stamps: List[np.ndarray] = []
        self.logs: List[np.ndarray] = []

    def add(self, stamps: np.ndarray, logs: np.ndarray) -> None:
        self.stamps.append(stamps.copy())
        self.logs.append(logs.copy())

    def arrays(self):
        return np.concatenate(self.stamps), np.concatenate(self.logs)


def _counts_up(sequences: np.ndarray) -> bool:
    """Sequence numbers that mostly grow by one are the sender's; constant or odd ones say nothing."""
    return sequences.size >= 3 and bool(np.mean(np.diff(sequences.astype(np.int64)) == 1) > 0.9)


def _is_irregular(times: np.ndarray, stamped: bool) -> bool:
    """Sent on change rather than at a rate: no rate can be expected of it."""
    steps = np.diff(times)
    steps = steps[steps > 0]
    if steps.size < 8:
        return True
    median = np.median(steps)
    # without stamps nothing but the record tells: commands come and go, sensors do not
    least = 0.5 if stamped else 0.9
    return bool(np.mean(np.abs(steps - median) <= 0.5 * median) < least)


# Sent when there is something to say, whatever their intervals look like.
_ON_CHANGE = re.compile(
    r"/(Log|DiagnosticArray|ParameterEvent|Parameter\w*|Config\w*|Joy|String|Bool|Empty|Marker\w*|Path|\w*Goal\w*|"
    r"GoalStatus\w*|PoseWithCovarianceStamped|TransitionEvent|Twist|Ackermann\w*|Metadata|PolygonStamped)$"
)


def sent_on_change(msgtype: str) -> bool:
    """Logs, parameters, goals: nobody expects a rate of them."""
    return bool(_ON_CHANGE.search(msgtype))


Handler = Callable[[int, bytes], None]
#: log time, what was wrong, and the number of the message where it is not the newest of its topic
BadMessage = Callable[..., None]


def header_handler(
    stream: Stream,
    kind: int,
    encoding: int,
    bad: BadMessage,
    sequences: bool = False,
    look: Optional[Callable[[List[bytes]], None]] = None,
) -> Handler:
    """Any message that begins with a Header. Stamps are read a batch at a time: a call per message would be dearer.

    `look` is shown the messages of each batch before they are forgotten.
    """
    heads, logs, sizes = stream.heads, stream.logs, stream.sizes
    counted: Optional[bool] = None if sequences else False
    # those without a view of their own are judged by their header alone
    kept = HEAD if kind in (abi.SNT_MESSAGE_HEADERED, abi.SNT_MESSAGE_UNKNOWN) else None

    def read_heads(messages: np.ndarray) -> np.ndarray:
        nonlocal counted
        stamps, numbers, statuses = read_stamps(kind, encoding, heads)
        messages["stamp_ns"] = stamps
        messages["flags"] |= HAS_STAMP
        if counted is None:
            counted = _counts_up(numbers)
        if counted:
            messages["sequence"] = numbers
            messages["flags"] |= HAS_SEQUENCE
        refused = np.flatnonzero(statuses)
        for i in refused.tolist():
            explain(kind, encoding, heads[i], logs[i], bad, stream.count + i)
        if look is not None:
            look(heads)
        return messages if refused.size == 0 else messages[statuses == 0]

    def handle(log_ns: int, raw: bytes) -> None:
        heads.append(raw[:kept])
        logs.append(log_ns)
        sizes.append(len(raw))
        if len(logs) >= BATCH:
            stream.flush()

    stream.read_heads = read_heads
    return handle


def read_stamps(kind: int, encoding: int, messages: List[bytes]):
    """Stamps, sequence numbers and statuses of many messages."""
    n = len(messages)
    packed = b"".join(messages)
    lengths = np.fromiter(map(len, messages), np.uint64, n)
    stamps, numbers, statuses = np.zeros(n, np.int64), np.zeros(n, np.uint32), np.zeros(n, np.int32)
    lib.snt_message_stamps(
        kind, encoding, packed, len(packed), lengths.ctypes.data, n, stamps.ctypes.data, numbers.ctypes.data,
        statuses.ctypes.data,
    )  # fmt: skip
    return stamps, numbers, statuses


_PARSERS = {
    abi.SNT_MESSAGE_IMU: (lib.snt_imu_view_parse, abi.snt_imu_view),
    abi.SNT_MESSAGE_ODOMETRY: (lib.snt_odometry_view_parse, abi.snt_odometry_view),
    abi.SNT_MESSAGE_TF: (lib.snt_tf_message_view_parse, abi.snt_tf_message_view),
}


def explain(kind: int, encoding: int, raw: bytes, log_ns: int, bad: BadMessage, index: int) -> None:
    """Parse a message that a batch refused once more, to learn where it breaks."""
    parse, view_type = _PARSERS.get(kind, (lib.snt_message_header_parse, abi.snt_message_header))
    error = abi.snt_message_error()
    if parse(encoding, raw, len(raw), byref(view_type()), byref(error)):
        bad(log_ns, error, index)


def log_only_handler(stream: Stream) -> Handler:
    """A message without a stamp: only when it was recorded can be judged."""
    logs, sizes = stream.logs, stream.sizes

    def handle(log_ns: int, raw: bytes) -> None:
        logs.append(log_ns)
        sizes.append(len(raw))
        if len(logs) >= BATCH:
            stream.flush()

    return handle


class Transforms:
    """/tf: each child frame is a stream of its own."""

    def __init__(self, topic: str, encoding: int, bad: BadMessage, static: bool, streams: Dict[bytes, Stream]):
        self.topic, self.encoding, self.bad, self.static = topic, encoding, bad, static
        self.streams = streams  # by the child's name
        self.by_hash: Dict[int, Stream] = {}
        self.raws: List[bytes] = []
        self.logs: List[int] = []
        self.count = 0

    def handler(self) -> Handler:
        raws, logs = self.raws, self.logs

        def handle(log_ns: int, raw: bytes) -> None:
            raws.append(raw)
            logs.append(log_ns)
            if len(logs) >= TF_BATCH:
                self.flush()

        return handle

    def flush(self) -> None:
        """Read what was collected and share it out."""
        n = len(self.raws)
        if n == 0:
            return
        packed = b"".join(self.raws)
        lengths = np.fromiter(map(len, self.raws), np.uint64, n)
        statuses = np.zeros(n, np.int32)
        found = np.empty(len(packed) // _SHORTEST_TRANSFORM + 1, TF_DTYPE)
        written = c_uint64()
        lib.snt_tf_message_stamps(
            self.encoding, packed, len(packed), lengths.ctypes.data, n,
            found.ctypes.data_as(POINTER(abi.snt_tf_stamp)), found.size, byref(written), statuses.ctypes.data,
        )  # fmt: skip
        for i in np.flatnonzero(statuses).tolist():
            explain(abi.SNT_MESSAGE_TF, self.encoding, self.raws[i], self.logs[i], self.bad, self.count + i)
        self._share_out(found[: written.value], packed, lengths)
        self.count += n
        self.raws.clear()
        self.logs.clear()

    def _share_out(self, found: np.ndarray, packed: bytes, lengths: np.ndarray) -> None:
        logs = np.array(self.logs, np.int64)
        hashes, first = np.unique(found["child_hash"], return_index=True)
        for number, at in zip(hashes.tolist(), first.tolist()):
            stream = self.by_hash.get(number)
            if stream is None:
                start, size = int(found["child_offset"][at]), int(found["child_size"][at])
                stream = self.by_hash[number] = self._stream(packed[start : start + size])
            mine = found[found["child_hash"] == number]
            messages = np.zeros(mine.size, MESSAGE_DTYPE)
            messages["stamp_ns"] = mine["stamp_ns"]
            messages["log_ns"] = logs[mine["message"]]
            messages["size_bytes"] = lengths[mine["message"]]
            messages["flags"] = HAS_STAMP | HAS_LOG
            stream.watch(messages)

    def _stream(self, name: bytes) -> Stream:
        stream = self.streams.get(name)
        if stream is None:
            shown = f"{self.topic} ({name.decode(errors='replace')})"
            # kept in any case: scans are held against it
            stream = self.streams[name] = Stream(shown, self.topic, self.static, True)
            stream.is_transform = True
        return stream
