# SPDX-License-Identifier: BSD-3-Clause
"""Read damaged recordings from the front: no index, no footer, bad chunks skipped.

Every reader yields (source, log time [ns], raw bytes) in the order of the file and calls `problem(file, offset, text)`
for what it had to skip.
"""

import bz2
import os
import sqlite3
import struct
from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Tuple
from urllib.parse import quote


class Source(NamedTuple):
    key: int
    topic: str
    msgtype: str
    definition: str


Message = Tuple[Source, int, bytes]
Report = Callable[[Path, int, str], None]


def read(path: Path, problem: Report) -> Iterator[Message]:
    reader = {".mcap": _read_mcap, ".bag": _read_bag, ".db3": _read_db3}[path.suffix]
    try:
        yield from reader(path, problem)
    except OSError as error:
        problem(path, 0, f"cannot be read: {error.strerror or error}")


def _decompressed(name: str, data: bytes) -> Tuple[bytes, bool]:
    """What can be unpacked of a compressed chunk, and whether that was all of it."""
    if name in ("", "none"):
        return data, True
    if name == "bz2":
        machine = bz2.BZ2Decompressor()
    elif name == "lz4":
        from lz4.frame import LZ4FrameDecompressor

        machine = LZ4FrameDecompressor()
    elif name == "zstd":
        try:
            from compression.zstd import ZstdDecompressor
        except ImportError:
            from backports.zstd import ZstdDecompressor
        machine = ZstdDecompressor()
    else:
        return b"", False
    out = []
    try:
        # in pieces, so that what comes before the damage is kept
        for start in range(0, len(data), 65536):
            if machine.eof:
                break
            out.append(machine.decompress(data[start : start + 65536]))
    except Exception:  # each library has its own; all mean damaged data
        return b"".join(out), False
    return b"".join(out), bool(machine.eof)


# -- MCAP -----------------------------------------------------------------------------------------------------------

_MCAP_MAGIC = b"\x89MCAP0\r\n"
_LARGEST_RECORD = 1 << 32


def _text(data: bytes, at: int) -> Tuple[bytes, int]:
    (size,) = struct.unpack_from("<I", data, at)
    if at + 4 + size > len(data):
        raise struct.error("text is longer than its record")
    return data[at + 4 : at + 4 + size], at + 4 + size


class _Mcap:
    def __init__(self, path: Path, problem: Report):
        self.path, self.problem = path, problem
        self.schemas, self.sources = {}, {}

    def record(self, op: int, data: bytes, at: int) -> Iterator[Message]:
        try:
            if op == 0x03:
                (number,) = struct.unpack_from("<H", data)
                name, at_encoding = _text(data, 2)
                _encoding, at_data = _text(data, at_encoding)
                self.schemas[number] = (name.decode(), _text(data, at_data)[0].decode(errors="replace"))
            elif op == 0x04:
                number, schema = struct.unpack_from("<HH", data)
                msgtype, definition = self.schemas.get(schema, ("", ""))
                self.sources[number] = Source(number, _text(data, 4)[0].decode(), msgtype, definition)
            elif op == 0x05:
                number, _sequence, log_ns, _publish_ns = struct.unpack_from("<HIQQ", data)
                if number in self.sources and log_ns < 1 << 63:
                    yield self.sources[number], log_ns, data[22:]
                else:
                    self.problem(self.path, at, "a message of no known channel was skipped")
        except (struct.error, UnicodeDecodeError):
            self.problem(self.path, at, f"a malformed record (op {op}) was skipped")

    def chunk(self, data: bytes, at: int, whole: bool) -> Iterator[Message]:
        try:
            name, start = _text(data, 28)
            packed = data[start + 8 :]
            records, complete = _decompressed(name.decode(errors="replace"), packed)
        except struct.error:
            self.problem(self.path, at, "a chunk without a header was skipped")
            return
        position = 0
        while position + 9 <= len(records):
            op, size = records[position], int.from_bytes(records[position + 1 : position + 9], "little")
            if position + 9 + size > len(records):
                complete = False
                break
            yield from self.record(op, records[position + 9 : position + 9 + size], at)
            position += 9 + size
        if not complete and whole:
            self.problem(self.path, at, "a chunk is damaged: what comes before the damage was read, the rest skipped")


def _read_mcap(path: Path, problem: Report) -> Iterator[Message]:
    reader = _Mcap(path, problem)
    with path.open("rb") as file:
        length = os.fstat(file.fileno()).st_size
        if file.read(8) != _MCAP_MAGIC:
            problem(path, 0, "this is no MCAP file: it does not begin as one")
            return
        while True:
            at = file.tell()
            head = file.read(9)
            if head[:1] in (b"\x0f", b"\x02") or head == b"":
                if head == b"":
                    problem(path, at, "the file ends without an end marker: the recorder was killed or the copy cut short")
                return
            size = int.from_bytes(head[1:], "little")
            if len(head) < 9 or size > _LARGEST_RECORD or head[0] > 0x0F:
                problem(path, at, "no record begins here: the rest of the file was not read")
                return
            data = file.read(min(size, length))  # a false size must not ask for memory
            whole = len(data) == size
            if head[0] == 0x06:
                yield from reader.chunk(data, at, whole)
            elif whole:
                yield from reader.record(head[0], data, at)
            if not whole:
                problem(path, at, f"the file ends inside a record ({len(data)} of {size} bytes)")
                return


# -- ROS 1 bags -----------------------------------------------------------------------------------------------------


def _fields(header: bytes) -> dict:
    out, at = {}, 0
    while at + 4 <= len(header):
        size = int.from_bytes(header[at : at + 4], "little")
        name, separator, value = header[at + 4 : at + 4 + size].partition(b"=")
        if not separator:
            break
        out[name] = value
        at += 4 + size
    return out


def _bag_records(data: bytes) -> Iterator[Tuple[dict, bytes]]:
    """Records in a chunk; ends silently where they do."""
    at = 0
    while at + 4 <= len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        header = data[at + 4 : at + 4 + size]
        at += 4 + size
        length = int.from_bytes(data[at : at + 4], "little")
        body = data[at + 4 : at + 4 + length]
        if len(header) < size or at + 4 > len(data) or len(body) < length:
            return
        at += 4 + length
        yield _fields(header), body


class _Bag:
    def __init__(self, path: Path, problem: Report):
        self.path, self.problem, self.sources = path, problem, {}

    def record(self, header: dict, body: bytes, at: int) -> Iterator[Message]:
        number = int.from_bytes(header.get(b"conn", b""), "little")
        if header.get(b"op") == b"\x07" and number not in self.sources:
            inner = _fields(body)
            self.sources[number] = Source(
                number,
                header.get(b"topic", b"?").decode(errors="replace"),
                inner.get(b"type", b"").decode(errors="replace"),
                inner.get(b"message_definition", b"").decode(errors="replace"),
            )
        elif header.get(b"op") == b"\x02":
            if number in self.sources and len(header.get(b"time", b"")) == 8:
                seconds, nanoseconds = struct.unpack("<II", header[b"time"])
                yield self.sources[number], seconds * 1_000_000_000 + nanoseconds, body
            else:
                self.problem(self.path, at, "a message of no known connection was skipped")


def _read_bag(path: Path, problem: Report) -> Iterator[Message]:
    reader = _Bag(path, problem)
    with path.open("rb") as file:
        whole = os.fstat(file.fileno()).st_size
        if not file.readline(64).startswith(b"#ROSBAG V2.0"):
            problem(path, 0, "this is no ROS 1 bag (version 2.0): it does not begin as one")
            return
        while True:
            at = file.tell()
            size = file.read(4)
            if size == b"":
                return
            header = file.read(min(int.from_bytes(size, "little"), 1 << 20))
            fields = _fields(header)
            length = int.from_bytes(file.read(4), "little")
            if b"op" not in fields:
                problem(path, at, "no record begins here: the rest of the file was not read")
                return
            body = file.read(min(length, whole))  # a false size must not ask for memory
            if fields[b"op"] == b"\x05":
                name = fields.get(b"compression", b"none").decode(errors="replace")
                records, complete = _decompressed(name, body)
                for inner, data in _bag_records(records):
                    yield from reader.record(inner, data, at)
                if not complete and len(body) == length:
                    problem(path, at, "a chunk is damaged: what comes before the damage was read, the rest skipped")
            elif len(body) == length:
                yield from reader.record(fields, body, at)
            if len(body) < length:
                problem(path, at, f"the file ends inside a record ({len(body)} of {length} bytes)")
                return


# -- rosbag2 sqlite -------------------------------------------------------------------------------------------------


def _read_db3(path: Path, problem: Report) -> Iterator[Message]:
    try:
        database = sqlite3.connect(f"file:{quote(str(path.resolve()))}?immutable=1&mode=ro", uri=True)
    except sqlite3.Error as error:
        problem(path, 0, f"sqlite cannot open it: {error}")
        return
    database.text_factory = lambda raw: raw.decode(errors="replace")
    count = 0
    try:
        rows = database.execute("SELECT id, name, type FROM topics").fetchall()
        sources = {row[0]: Source(row[0], str(row[1]), str(row[2]), "") for row in rows}
        for number, log_ns, data in database.execute("SELECT topic_id, timestamp, data FROM messages ORDER BY id"):
            if number in sources and isinstance(log_ns, int) and isinstance(data, bytes):
                yield sources[number], log_ns, data
                count += 1
    except (sqlite3.Error, UnicodeDecodeError) as error:  # damage can be in the names sqlite quotes
        problem(path, 0, f"sqlite stops after {count} messages: {error}")
    finally:
        database.close()
