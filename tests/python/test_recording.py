# SPDX-License-Identifier: BSD-3-Clause
"""Reading recordings, sound and damaged: what is there is read, what is not is said, nothing is written beside them."""

import shutil
import sqlite3

import pytest
from small_recordings import MS, ROS1, S, START, imu_messages, write1, write2

from lidar_time_auditor import salvage
from lidar_time_auditor.audit import audit
from lidar_time_auditor.recording import Recording, Unreadable, begins_with_header, find_files


def test_headers_are_recognised_in_message_definitions():
    assert begins_with_header("# a comment\n\nstd_msgs/Header header\nfloat64 x\n")
    assert begins_with_header("uint8 KIND=1\nHeader header  # first\n")
    assert begins_with_header("string NAME = a#b\nstd_msgs/msg/Header h\n")
    assert not begins_with_header("float64 x\nstd_msgs/Header header\n")
    assert not begins_with_header("Headers header\n")
    assert not begins_with_header("")
    idl = "module a { module msg { struct X { std_msgs::msg::Header header; double x; }; }; };"
    assert begins_with_header(idl)
    assert not begins_with_header(idl.replace("std_msgs::msg::Header header; double x", "double x"))


def test_split_files_come_in_the_order_of_their_numbers(tmp_path):
    for number in (10, 2, 1):
        (tmp_path / f"drive_{number}.mcap").write_bytes(b"x")
    files, whole = find_files(tmp_path)
    assert [f.name for f in files] == ["drive_1.mcap", "drive_2.mcap", "drive_10.mcap"]
    assert not whole


@pytest.mark.parametrize("storage", ["mcap", "db3"])
def test_a_file_a_folder_and_a_split_recording_read_the_same(tmp_path, storage):
    messages = imu_messages(200)
    file = write2(tmp_path / "whole", messages, storage)
    assert audit(file).messages == audit(tmp_path / "whole").messages == 200
    (tmp_path / "split").mkdir()
    for half in (0, 1):
        part = write2(tmp_path / f"part{half}", messages[half * 100 : half * 100 + 100], storage)
        shutil.copy(part, tmp_path / "split" / f"drive_{half}.{storage}")
    split = audit(tmp_path / "split")
    assert split.messages == 200
    (stream,) = split.streams
    assert stream.report.stamps.backward == 0 and stream.report.gaps == 0


def test_a_ros1_bag_reads(tmp_path):
    result = audit(write1(tmp_path / "a.bag", imu_messages(50, ROS1)))
    assert result.messages == 50
    assert result.format == "ROS 1 bag"


@pytest.mark.parametrize("name", ["odd?name.db3", "odd#name.db3", "odd%41name.db3"])
def test_names_that_mean_something_in_an_uri_are_opened_as_they_are(tmp_path, name):
    file = write2(tmp_path / "a", imu_messages(20), "db3")
    odd = tmp_path / name
    shutil.copy(file, odd)
    before = sorted(p.name for p in tmp_path.iterdir())
    assert audit(odd).messages == 20
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_a_cut_mcap_is_read_to_the_cut(tmp_path):
    # rosbags closes a chunk above 1 MiB: several chunks are needed to keep some
    file = write2(tmp_path / "a", imu_messages(9000))
    data = file.read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(data[: int(len(data) * 0.6)])
    result = audit(cut)
    assert 4000 < result.messages < 9000
    assert any("ends inside a record" in p.text and p.offset for p in result.problems), result.problems
    assert result.exit_code == 1


@pytest.mark.parametrize("compressed", [False, True])
def test_a_damaged_chunk_costs_only_itself(tmp_path, compressed):
    file = write2(tmp_path / "a", imu_messages(9000), compressed=compressed)
    data = bytearray(file.read_bytes())
    # inside the second of three chunks
    at = data.index(b"\x06", len(data) // 3) + 2000 if compressed else len(data) // 2
    data[at : at + 40] = b"\xff" * 40
    broken = tmp_path / "broken.mcap"
    broken.write_bytes(data)
    result = audit(broken)
    assert 2000 < result.messages < 9000
    assert result.problems
    last = max(s.report.last_log_ns for s in result.streams)
    assert last == START + 8999 * 10 * MS + 2 * MS, "what comes after the damage was read too"


def test_a_cut_bag_without_an_index_is_read_to_the_cut(tmp_path):
    file = write1(tmp_path / "a.bag", imu_messages(9000, ROS1))
    data = file.read_bytes()
    cut = tmp_path / "cut.bag"
    cut.write_bytes(data[: int(len(data) * 0.6)])
    result = audit(cut)
    assert 1000 < result.messages < 9000
    assert any(p.offset is not None for p in result.problems)


def test_a_cut_sqlite_file_is_read_to_the_cut(tmp_path):
    file = write2(tmp_path / "a", imu_messages(5000), "db3")
    data = file.read_bytes()
    cut = tmp_path / "cut.db3"
    cut.write_bytes(data[: int(len(data) * 0.5)])
    try:
        result = audit(cut)
    except Unreadable as error:  # the index of topics may lie behind the cut
        assert str(cut) in str(error)
    else:
        assert result.problems and result.messages < 5000


@pytest.mark.parametrize("suffix", [".bag", ".db3", ".mcap"])
@pytest.mark.parametrize("content", [b"", b"\x00" * 100, b"hello, I am a text file\n" * 50])
def test_foreign_and_empty_files_are_named_and_refused(tmp_path, suffix, content):
    file = tmp_path / f"foreign{suffix}"
    file.write_bytes(content)
    with pytest.raises(Unreadable, match="foreign"):
        audit(file)


def test_other_suffixes_and_missing_files_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(Unreadable, match="a.txt"):
        audit(tmp_path / "a.txt")
    with pytest.raises(Unreadable, match="no such file"):
        audit(tmp_path / "absent.bag")
    with pytest.raises(Unreadable, match="holds no"):
        audit(tmp_path)


def test_messages_left_in_a_wal_are_told_and_nothing_is_written_beside(tmp_path):
    file = write2(tmp_path / "a", imu_messages(100), "db3")
    folder = tmp_path / "killed"
    folder.mkdir()
    copy = folder / "drive.db3"
    shutil.copy(file, copy)
    database = sqlite3.connect(copy)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA wal_autocheckpoint=0")
    database.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES (1, ?, x'00')", (START + 100 * S,))
    database.commit()
    left = folder / "left"
    left.mkdir()
    for name in ("drive.db3", "drive.db3-wal"):  # as a killed recorder leaves them
        shutil.copy(folder / name, left / name)
    database.close()
    before = {p.name: p.stat().st_mtime_ns for p in left.iterdir()}
    result = audit(left / "drive.db3")
    assert {p.name: p.stat().st_mtime_ns for p in left.iterdir()} == before
    assert result.messages == 100
    assert any("never merged" in str(p) and "drive.db3-wal" in str(p) for p in result.problems)


def test_the_recorded_order_of_a_db3_is_seen_although_the_reader_sorts(tmp_path):
    messages = imu_messages(50)
    messages[20], messages[21] = messages[21], messages[20]
    file = write2(tmp_path / "a", messages, "db3")
    with Recording(file) as recording:
        recording.open()
        assert recording.recorded_backwards() == {"/imu": (1, 10_000_000)}


def test_salvage_reads_what_rosbags_reads(tmp_path):
    for file in (
        write2(tmp_path / "a", imu_messages(300)),
        write2(tmp_path / "b", imu_messages(300), "db3"),
        write1(tmp_path / "c.bag", imu_messages(300, ROS1)),
    ):
        problems = []
        salvaged = [(s.topic, log, raw) for s, log, raw in salvage.read(file, lambda *p: problems.append(p))]
        with Recording(file) as recording:
            recording.open()
            read = [(c.topic, log, bytes(raw)) for c, log, raw in recording.messages()]
        assert salvaged == read
        assert problems == []
