# SPDX-License-Identifier: BSD-3-Clause
"""Read a recording once and audit every topic in it."""

import gc
from ctypes import byref
from itertools import islice
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence

from sensortime import abi, lib
from sensortime._handle import text_of
from sensortime.clouds import PointCloud
from sensortime.errors import SensorTimeError

from . import advice, coverage
from .device_time import MOST, DeviceTime
from .motion import ImuFeed, Motion
from .pcd import read_pcd
from .recording import CDR, ROS1, Channel, Problem, Recording, Unreadable
from .result import Result
from .scans import ScanTopic
from .streams import Stream, Transforms, header_handler, log_only_handler, sent_on_change

_LOG_STEP = 100_000_000  # [ns] further back than threads of a recorder overtake each other
_STEP = 2048  # messages between two looks at the progress bar
_FORMATS = {".bag": "ROS 1 bag", ".db3": "rosbag2 sqlite", ".mcap": "MCAP"}
_SCANS = (abi.SNT_MESSAGE_POINTCLOUD2, abi.SNT_MESSAGE_LASERSCAN, abi.SNT_MESSAGE_LIVOX)


class _Topic:
    """Every connection of one topic feeds the same monitors."""

    def __init__(self, channel: Channel):
        self.channel = channel
        self.count = 0
        self.streams: Dict[bytes, Stream] = {}
        self.scans: Optional[ScanTopic] = None
        self.problems: Dict[tuple, Problem] = {}
        self.connections = 1


class Audit:
    """One pass over a recording. `handlers[i]` takes the messages of channel i."""

    def __init__(self, recording: Recording, wanted: Sequence[str], imu: Optional[str], keep_plots: bool):
        self.recording, self.wanted, self.keep_plots = recording, wanted, keep_plots
        self.topics: Dict[str, _Topic] = {}
        self.handlers: List[Any] = []
        self.imu_asked = imu
        self.imu_topic = imu or ""
        self.motion = Motion()
        self.first_log: Optional[int] = None
        self.last_log: Optional[int] = None
        self.messages = 0
        self.lidars: List[ScanTopic] = []
        self.backwards: Dict[str, tuple] = {}  # topic -> how the log goes back in recorded order
        self.devices: List[DeviceTime] = []  # topics of drivers' own types
        self.transforms: List[Transforms] = []
        self.feeds: List[ImuFeed] = []  # called before each scan

    # -- a handler for each channel -----------------------------------------------------------------------------

    def add_channels(self) -> None:
        """Make handlers for channels that have none yet."""
        channels = self.recording.channels
        if not self.imu_topic:
            imus = [c for c in channels if c.kind == abi.SNT_MESSAGE_IMU]
            if imus:
                self.imu_topic = max(imus, key=lambda c: c.count).topic
        for channel in channels[len(self.handlers) :]:
            self.handlers.append(self._handler(channel))

    def _handler(self, channel: Channel):
        name = channel.topic
        if self.wanted and name not in self.wanted and name != self.imu_topic:
            return _ignore
        topic = self.topics.get(name)
        if topic is None:
            topic = self.topics[name] = _Topic(channel)
        else:
            topic.connections += 1
            topic.channel.qos = topic.channel.qos + [q for q in channel.qos if q not in topic.channel.qos]
        static = is_static(channel)

        def bad(log_ns: int, error: abi.snt_message_error, index: Optional[int] = None) -> None:
            self._bad_message(topic, log_ns, error, index)

        kind, encoding = channel.kind, channel.encoding
        if kind == abi.SNT_MESSAGE_TF:
            transforms = Transforms(name, encoding, bad, static, topic.streams)
            self.transforms.append(transforms)
            return transforms.handler()
        # two types on one topic are two streams
        same = kind == topic.channel.kind
        key, shown = (b"", name) if same else (channel.msgtype.encode(), f"{name} ({channel.msgtype})")
        stream = topic.streams.get(key)
        if stream is None:
            stream = topic.streams[key] = Stream(shown, name, static, self.keep_plots, sent_on_change(channel.msgtype))
        if kind in _SCANS:
            if topic.scans is None or not same:
                topic.scans = ScanTopic(channel, stream, lambda: self.imu_topic, self.keep_plots, self.feeds)
                self.lidars.append(topic.scans)
            return topic.scans.handler(encoding, bad)
        if kind == abi.SNT_MESSAGE_IMU:
            stream.feeds_scans = name == self.imu_topic
            if stream.feeds_scans:
                self.feeds.append(ImuFeed(stream, encoding, self.lidars))
            return header_handler(stream, kind, encoding, bad, look=self.motion.look_at_imu(encoding))
        if kind == abi.SNT_MESSAGE_ODOMETRY:
            return header_handler(stream, kind, encoding, bad, look=self.motion.look_at_odometry(encoding))
        if kind == abi.SNT_MESSAGE_HEADERED:
            one_sender = encoding == ROS1 and sum(c.topic == name for c in self.recording.channels) == 1
            return header_handler(stream, kind, encoding, bad, one_sender, self._watch_device(channel))
        return log_only_handler(stream)

    def _watch_device(self, channel: Channel):
        """Types that only their own definition describes may carry the device's time."""
        name = channel.msgtype.encode()
        if not channel.definition or lib.snt_message_kind(name, len(name)) != abi.SNT_MESSAGE_UNKNOWN:
            return None
        device = DeviceTime(channel.topic, channel.msgtype, channel.definition, channel.encoding == ROS1)
        self.devices.append(device)

        def look(messages: List[bytes]) -> None:
            if not device.raws:
                device.raws = messages[:MOST]

        return look

    def _bad_message(
        self, topic: _Topic, log_ns: int, error: abi.snt_message_error, index: Optional[int]
    ) -> None:
        """Count it; the first of its kind is shown in full."""
        key = (error.field, error.status)
        known = topic.problems.get(key)
        if known is not None:
            known.repeated += 1
            return
        why = text_of(lib.snt_message_error_format, byref(error))
        if index is None:
            index = sum(len(s.logs) + s.count for s in topic.streams.values())
        topic.problems[key] = Problem(
            str(self.recording.path), why, topic.channel.topic,
            offset=error.offset, index=index, log_ns=log_ns,
        )  # fmt: skip

    # -- the pass -----------------------------------------------------------------------------------------------

    def run(self, messages: Iterable, bar: Any = None) -> None:
        """`messages` as of Recording.messages(): (connection or number of the channel, log time, bytes)."""
        self.add_channels()
        messages = iter(messages)
        take = self._take_in_file_order if self.recording.in_file_order else self._take
        while True:
            count = take(islice(messages, _STEP))
            if count == 0:
                break
            self.messages += count
            if bar is not None:
                bar.update(count)

    def _take(self, messages: Iterable) -> int:
        handlers = {id(c): h for c, h in zip(self.recording.connections, self.handlers)}
        count, log_ns = 0, 0
        for connection, log_ns, raw in messages:
            handlers[id(connection)](log_ns, raw)
            if self.first_log is None:
                self.first_log = log_ns
            count += 1
        if count:
            self.last_log = log_ns if self.last_log is None else max(self.last_log, log_ns)
        return count

    def _take_in_file_order(self, messages: Iterable) -> int:
        handlers, channels = self.handlers, self.recording.channels
        count = 0
        for number, log_ns, raw in messages:
            if len(handlers) < len(channels):
                self.add_channels()
            handlers[number](log_ns, raw)
            self.first_log = log_ns if self.first_log is None else min(self.first_log, log_ns)
            self.last_log = log_ns if self.last_log is None else max(self.last_log, log_ns)
            count += 1
        return count

    def finish(self) -> Result:
        recording = self.recording
        for scans in self.lidars:
            for feed in self.feeds:
                feed(scans)
            scans.finish()
        for transforms in self.transforms:
            transforms.flush()
        result = Result(str(recording.path), format_name(recording), self.messages, self.first_log, self.last_log)
        end = self.last_log or 0
        for topic in self.topics.values():
            for stream in topic.streams.values():
                stream.finish(end)
                result.streams.append(stream)
            recording.problems.extend(topic.problems.values())
        result.streams.sort(key=lambda s: s.name)
        for scans in self.lidars:
            scans.coverage = coverage.of_scans(scans, result.streams)
        result.scans = sorted((s for s in self.lidars if s.summary is not None), key=lambda s: s.topic)
        result.imu_topic = self.imu_topic if self.imu_topic in self.topics else ""
        result.problems, result.notes = recording.problems, recording.notes
        result.turn_rate, result.speed = self.motion.turn_rate, self.motion.speed
        present = {c.topic for c in recording.channels}
        asked = list(self.wanted) + ([self.imu_asked] if self.imu_asked else [])
        result.not_found = [t for t in dict.fromkeys(asked) if t not in present]
        if self.messages:
            kind = lib.snt_clock_kind(self.first_log)
            result.log_clock = lib.snt_clock_kind_text(kind).decode()
            result.log_is_unix = kind == abi.SNT_LOOKS_UNIX
        advice.judge(result, {name: topic.channel for name, topic in self.topics.items()}, self.backwards, self.devices)
        return result


def _ignore(_log_ns: int, _raw: bytes) -> None:
    """A topic that was not asked for."""


def is_static(channel: Channel) -> bool:
    """Latched: sent once and kept for those who come later. Old stamps are right there."""
    if channel.latched or channel.topic.rstrip("/").endswith("tf_static"):
        return True
    return bool(channel.qos) and all(q.durability.name == "TRANSIENT_LOCAL" for q in channel.qos)


def format_name(recording: Recording) -> str:
    name = _FORMATS.get(recording.files[0].suffix, "recording") if recording.files else "rosbag2"
    if len(recording.files) > 1:
        name += f" in {len(recording.files)} files"
    if recording.damaged:
        return name + " (damaged: read from the front)"
    return name + (" (read in recorded order: its log goes back)" if recording.in_file_order else "")


def _bar(total: int, wanted: bool, name: str):
    if not wanted:
        return None
    from tqdm import tqdm

    return tqdm(total=total or None, unit=" messages", desc=name, leave=False, delay=1.0, unit_scale=True)


def audit(
    path: Path,
    topics: Sequence[str] = (),
    imu: Optional[str] = None,
    progress: bool = False,
    keep_plots: bool = False,
) -> Result:
    """Audit one recording. Raises Unreadable if nothing of it can be read."""
    collecting = gc.isenabled()
    gc.disable()  # nothing here makes cycles, and the collector would walk every message kept
    try:
        if Path(path).suffix == ".pcd":
            return _audit_file(Path(path), keep_plots)
        return _audit(Path(path), topics, imu, progress, keep_plots)
    except OSError as error:
        raise Unreadable(f"{error.filename or path}: {error.strerror or error}") from error
    finally:
        if collecting:
            gc.enable()


def _audit_file(path: Path, keep_plots: bool) -> Result:
    """A .pcd: a single scan, of which only the points can be judged."""
    points = read_pcd(path)
    scans = ScanTopic(Channel(path.name, "PCD file", CDR, abi.SNT_MESSAGE_POINTCLOUD2), None, str, keep_plots)
    try:
        scans.add_alone(PointCloud.from_numpy(points))
    except (SensorTimeError, TypeError) as error:
        raise Unreadable(f"{path}: {error}") from error
    scans.finish()
    result = Result(str(path), "PCD file", messages=1, scans=[scans])
    advice.judge_scans(result)
    return result


def _audit(path: Path, topics: Sequence[str], imu: Optional[str], progress: bool, keep_plots: bool) -> Result:
    with Recording(path) as recording:
        one = Audit(recording, topics, imu, keep_plots)
        bar = None
        try:
            recording.open()
            bar = _bar(recording.message_count, progress, path.name)
            one.backwards = recording.recorded_backwards()
            if max((step for _count, step in one.backwards.values()), default=0) > _LOG_STEP:
                # what happened shows only in the order in which it was recorded
                recording.use_file_order()
                one.run(recording.messages_in_file_order(), bar)
            else:
                one.run(recording.messages(), bar)
            _compare_counts(recording, one.messages)
        except (PermissionError, FileNotFoundError):
            raise
        except Exception as error:  # rosbags and the codecs below it raise many kinds (a false size: MemoryError, a false place: OSError)
            if _ours(error):
                raise
            recording.salvage(error)
            one = Audit(recording, topics, imu, keep_plots)
            one.run(recording.messages_in_file_order(), bar)
            if one.messages == 0:
                first = recording.problems[-1] if recording.problems else ""
                raise Unreadable(f"{path}: nothing can be read: {first}") from error
        finally:
            if bar is not None:
                bar.close()
        return one.finish()


def _compare_counts(recording: Recording, read: int) -> None:
    """A damaged chunk can end early without an error."""
    if read < recording.message_count:
        lost = recording.message_count - read
        text = f"{lost} of {recording.message_count} messages that its table of contents lists cannot be read: it is damaged"
        recording.problems.append(Problem(str(recording.path), text))


def _ours(error: BaseException) -> bool:
    """A fault of this program must not pass as a damaged file."""
    here = str(Path(__file__).parent)
    trace, last = error.__traceback__, ""
    while trace is not None:
        last = trace.tb_frame.f_code.co_filename
        trace = trace.tb_next
    return last.startswith(here) or "sensortime" in Path(last).parts

