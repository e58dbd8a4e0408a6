# SPDX-License-Identifier: BSD-3-Clause
"""A recording as a stream of raw messages: .bag, .db3, .mcap, rosbag2 folders and split bags.

rosbags reads what is sound. What it refuses (a file cut off by a killed recorder, a damaged chunk, a missing index) is
read again from the front by `salvage`, as far as it goes. Nothing is ever written beside a recording.
"""

import os
import re
import sqlite3
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from heapq import merge
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple
from urllib.parse import quote

import numpy as np

from sensortime import abi, lib

from . import salvage

SUFFIXES = (".bag", ".db3", ".mcap")
ROS1, CDR = abi.SNT_ENCODING_ROS1, abi.SNT_ENCODING_CDR


class Unreadable(Exception):
    """Nothing of a file can be read; the text says why and names the file."""


@dataclass
class Problem:
    """Something in a recording that could not be read; the rest was."""

    file: str
    text: str
    topic: str = ""
    offset: Optional[int] = None  # byte in the file, or in the message where `index` is set
    index: Optional[int] = None  # of the message in its topic, from 0
    log_ns: Optional[int] = None
    repeated: int = 1

    def __str__(self) -> str:
        where = self.file + (f", {self.topic}" if self.topic else "")
        if self.index is not None:
            where += f", message {self.index}"
        if self.offset is not None:
            where += f", byte {self.offset}"
        more = f" (and {self.repeated - 1} more like it)" if self.repeated > 1 else ""
        return f"{where}: {self.text}{more}"


@dataclass
class Channel:
    """One topic as one publisher wrote it."""

    topic: str
    msgtype: str
    encoding: int
    kind: int  # SNT_MESSAGE_*
    count: int = 0  # messages the file says it holds
    latched: bool = False
    definition: str = ""
    qos: list = field(default_factory=list)  # rosbags' Qos tuples that were offered


_HEADER_FIRST = re.compile(r"^(?:std_msgs/)?(?:msg/)?Header\s+\w+\s*(?:#.*)?$")
_IDL_MEMBER = re.compile(r"struct\s+\w+\s*\{\s*(?:@[^\n]*\n\s*)*([\w:]+)\s+\w+;")


def begins_with_header(definition: str) -> bool:
    """Does this message definition (ROS text or IDL) start with a std_msgs/Header?"""
    if "struct " in definition and "module " in definition:
        members = _IDL_MEMBER.findall(definition)
        return bool(members) and members[-1].endswith("std_msgs::msg::Header")
    for line in definition.splitlines():
        line = line.strip()
        if not line or line.startswith("#") or "=" in line.split("#")[0] and not line.startswith("="):
            continue
        return bool(_HEADER_FIRST.match(line))
    return False


def kind_of(msgtype: str, definition: str = "") -> int:
    """SNT_MESSAGE_* of a type; its definition helps where the library does not know the name."""
    name = msgtype.encode()
    kind = lib.snt_message_kind(name, len(name))
    if kind == abi.SNT_MESSAGE_UNKNOWN and definition and begins_with_header(definition):
        return abi.SNT_MESSAGE_HEADERED
    return kind


def make_channel(topic: str, msgtype: str, encoding: int, definition: str = "", **rest) -> Channel:
    return Channel(topic, msgtype, encoding, kind_of(msgtype, definition), definition=definition, **rest)


def find_files(path: Path) -> Tuple[List[Path], bool]:
    """Files of a recording, and whether rosbags can take the path as a whole (a folder with metadata)."""
    if not path.exists():
        raise Unreadable(f"{path}: no such file or folder")
    if path.is_dir():
        files = sorted((p for p in path.iterdir() if p.suffix in SUFFIXES), key=_split_order)
        if (path / "metadata.yaml").exists():
            return files, True
        if not files:
            raise Unreadable(f"{path}: holds no .bag, .db3 or .mcap file")
        return files, False
    if path.suffix not in SUFFIXES:
        raise Unreadable(f"{path}: not a recording this program reads (.bag, .db3, .mcap, .pcd, or a rosbag2 folder)")
    if path.stat().st_size == 0:
        raise Unreadable(f"{path}: the file is empty")
    return [path], False


def _split_order(path: Path):
    """drive_2 before drive_10."""
    return [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", path.name)]


class Recording:
    """Open with `with`. `channels` may grow while `messages()` runs (salvaged files have no table of contents)."""

    def __init__(self, path: Path):
        self.path = Path(path)
        self.problems: List[Problem] = []
        self.notes: List[str] = []
        self.channels: List[Channel] = []
        self.message_count = 0
        self.in_file_order = False  # read from the front, without rosbags
        self.damaged = False
        self._readers: list = []
        self._known: dict = {}  # channels as rosbags saw them
        self.connections: list = []  # of rosbags, one for each channel
        self._stack = ExitStack()
        self.files, self._whole = find_files(self.path)
        for file in self.files:
            _note_unmerged_wal(file, self.problems)

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stack.close()

    def open(self) -> None:
        """Open with rosbags; afterwards `channels` and `message_count` are known. Raises whatever it raises."""
        from rosbags.rosbag1 import Reader as Reader1
        from rosbags.rosbag2 import Reader as Reader2

        for path in [self.path] if self._whole else self.files:
            one = path.suffix == ".bag" and path.is_file()
            reader = Reader1(path) if one else Reader2(self._uri_safe(path))
            reader.open()
            self._stack.callback(reader.close)
            self._readers.append(reader)
            for c in reader.connections:
                self.connections.append(c)
                extra = c.ext
                qos = [] if one else list(extra.offered_qos_profiles)
                latched = bool(extra.latching) if one else False
                self.channels.append(
                    make_channel(c.topic, c.msgtype, ROS1 if one else CDR, c.msgdef.data,
                                 count=c.msgcount, qos=qos, latched=latched)
                )  # fmt: skip
            self.message_count += reader.message_count

    def _uri_safe(self, path: Path) -> Path:
        """sqlite is given an URI: a name with ? # or % is reached through a link elsewhere."""
        if path.suffix != ".db3" or not set(str(path.resolve())) & set("?#%"):
            return path
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        link = Path(folder) / "recording.db3"
        link.symlink_to(path.resolve())
        return link

    def messages(self) -> Iterator[Tuple[Any, int, bytes]]:
        """(connection of rosbags, log time [ns], raw bytes) in the order of log times; see `connections`."""
        streams = [reader.messages(reader.connections) for reader in self._readers]
        return streams[0] if len(streams) == 1 else merge(*streams, key=lambda m: m[1])

    def salvage(self, why: Exception) -> None:
        """Give rosbags up after it raised `why`, and prepare to read the files from the front."""
        self.use_file_order()
        self.damaged = True
        reason = str(why) or type(why).__name__
        name = str(self.path)
        if not any(name in p.file for p in self.problems):
            self.problems.append(Problem(name, f"{reason.rstrip('.')}; read from the front as far as it goes"))

    def use_file_order(self) -> None:
        """Give rosbags up, and prepare to read the files from the front."""
        self._stack.close()
        self.in_file_order = True
        self._known = {(c.topic, c.msgtype): c for c in self.channels}
        self._readers.clear()
        self.connections.clear()
        self.channels = []

    def messages_in_file_order(self) -> Iterator[Tuple[int, int, bytes]]:
        """(number of the channel, log time [ns], raw bytes) as they lie in the file, skipping what is damaged."""
        numbers = {}
        for file in self.files:
            for source, log_ns, raw in salvage.read(file, self._add_problem):
                number = numbers.get((file, source.key))
                if number is None:
                    number = numbers[file, source.key] = len(self.channels)
                    encoding = ROS1 if file.suffix == ".bag" else CDR
                    known = self._known.get((source.topic, source.msgtype))
                    made = make_channel(source.topic, source.msgtype, encoding, source.definition)
                    self.channels.append(known or made)
                yield number, log_ns, raw

    def _add_problem(self, file: Path, offset: int, text: str) -> None:
        self.problems.append(Problem(str(file), text, offset=offset))

    def recorded_backwards(self) -> Dict[str, Tuple[int, int]]:
        """topic -> (times the log goes back in recorded order, largest step [ns]): rosbags sorts, and so hides it."""
        found: Dict[str, Tuple[int, int]] = {}
        for reader in self._readers:
            for number, index in getattr(reader, "indexes", {}).items():
                times = np.array([e.time for e in index], np.int64)
                places = np.array([(e.chunk_pos << 32) + e.offset for e in index], np.int64)
                if np.all(np.diff(places) > 0):
                    continue
                steps = np.diff(times[np.argsort(places, kind="stable")])
                back = steps[steps < 0]
                if back.size:
                    topic = next(c.topic for c in reader.connections if c.id == number)
                    found[topic] = (int(back.size), int(-back.min()))
        for file in self.files:
            if file.suffix != ".db3":
                continue
            try:
                with _open_sqlite(file) as database:
                    if _in_order(database):
                        continue
                    rows = database.execute(
                        "SELECT t.name, COUNT(*), MIN(m.step) FROM (SELECT topic_id, timestamp - LAG(timestamp) OVER "
                        "(PARTITION BY topic_id ORDER BY id) AS step FROM messages) m JOIN topics t "
                        "ON t.id = m.topic_id WHERE m.step < 0 GROUP BY t.name"
                    ).fetchall()
            except (sqlite3.Error, UnicodeDecodeError):
                continue  # a damaged file is reported where it is read
            for topic, count, step in rows:
                before = found.get(topic, (0, 0))
                found[topic] = (before[0] + count, max(before[1], -step))
        return found


def _in_order(database: sqlite3.Connection) -> bool:
    """Was every message stored after all older ones? The index of times answers without touching the messages."""
    # one long text instead of a row for each: four times as fast
    query = "SELECT group_concat(id) FROM (SELECT id FROM messages ORDER BY timestamp, id)"
    (text,) = database.execute(query).fetchone()
    if not text:
        return True
    ids = np.fromstring(text, np.int64, sep=",")
    return bool((np.diff(ids) > 0).all())


class _open_sqlite:
    """Read-only, without locks and without files beside the database."""

    def __init__(self, path: Path):
        self.connection = sqlite3.connect(f"file:{quote(str(path.resolve()))}?immutable=1&mode=ro", uri=True)

        self.connection.text_factory = lambda raw: raw.decode(errors="replace")

    def __enter__(self):
        return self.connection

    def __exit__(self, *_exc):
        self.connection.close()


def _note_unmerged_wal(path: Path, problems: List[Problem]) -> None:
    wal = path.with_name(path.name + "-wal")
    try:
        size = os.stat(wal).st_size
    except OSError:
        return
    if size:
        problems.append(
            Problem(
                str(wal),
                f"{size} bytes of messages were never merged into {path.name} (the recorder was killed) and are not read; "
                "copy both files elsewhere and merge the copy: sqlite3 COPY.db3 'PRAGMA wal_checkpoint(TRUNCATE)'",
            )
        )
