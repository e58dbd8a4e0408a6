#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time of a whole audit against the time rosbags takes to open the recording and iterate its raw messages.

audit_recording, audit_recording_db3: against AnyReader, the interface that reads all formats (it also parses the message
definitions). Target: at most 1.5 times the reader, that is a ratio of at least 0.67.
audit_recording_bare: against rosbag2.Reader, which only opens and iterates.
"""

import argparse
import gc
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "examples" / "python")]

NAMES = {
    "audit_recording": ("mcap", "any"),
    "audit_recording_db3": ("sqlite3", "any"),
    "audit_recording_bare": ("mcap", "bare"),
}


def seconds(call):
    gc.collect()
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def iterate_any(path):
    from rosbags.highlevel import AnyReader

    with AnyReader([path]) as reader:
        for _connection, _time, _raw in reader.messages():
            pass


def iterate_bare(path):
    from rosbags.rosbag2 import Reader

    with Reader(path) as reader:
        for _connection, _time, _raw in reader.messages():
            pass


def measure(folder, iterate, rounds):
    """Medians of the audit and of the reader alone, in turns [s]."""
    from lidar_time_auditor.audit import audit

    audit(folder)
    iterate(folder)
    pairs = [(seconds(lambda: audit(folder)), seconds(lambda: iterate(folder))) for _ in range(rounds)]
    return [statistics.median(p[i] for p in pairs) for i in (0, 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    work = Path(tempfile.mkdtemp())
    try:
        for name, (storage, peer) in NAMES.items():
            if only and name not in only:
                continue
            folder = work / storage
            if not folder.exists():
                simulate = [sys.executable, str(ROOT / "examples" / "simulate_recording.py"), str(folder)]
                subprocess.run([*simulate, "--storage", storage], check=True, capture_output=True)
            iterate = iterate_any if peer == "any" else iterate_bare
            ours, peer = measure(folder, iterate, 5 if options.quick else 15)
            print(f"{name}\t{ours * 1e3:.1f}\t{peer * 1e3:.1f}\t{peer / ours:.3f}\tms", flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
