# SPDX-License-Identifier: BSD-3-Clause
"""Command line of lidar_time_auditor."""

import argparse
import os
import sys
from pathlib import Path
from typing import List, Optional

from .recording import Unreadable

DESCRIPTION = """\
What do the time stamps of a recording mean, and what is wrong with them?

Reads ROS 1 bags, rosbag2 (.db3, .mcap, folders, split bags). Prints what it found, most important first."""

EPILOG = """\
exit status: 0 nothing wrong, 1 something found, 2 something could not be read.
Suspicions are called suspicions; every finding says how sure it is and what to do."""


def parse(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="lidar_time_auditor", description=DESCRIPTION, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("recording", nargs="*", type=Path, help=".bag, .db3, .mcap or a rosbag2 folder")
    parser.add_argument("--topic", action="append", default=[], metavar="NAME", help="audit only this topic; repeatable")
    parser.add_argument("--imu", metavar="NAME", help="the IMU that scans are deskewed with (default: the fastest one)")
    parser.add_argument("--csv", metavar="FILE", help="write one line per scan")
    parser.add_argument("--jsonl", metavar="FILE", help="write everything, one JSON object per line")
    parser.add_argument("--report", metavar="FILE.html", help="write a self-contained page with plots")
    parser.add_argument("--all", action="store_true", help="also print the remarks and every topic in full")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    options = parser.parse_args(arguments)
    if not options.recording and not options.version:
        parser.error("name a recording: a .bag, .db3 or .mcap file, or a rosbag2 folder")
    return options


def main(arguments: Optional[List[str]] = None) -> int:
    try:
        status = run(parse(arguments))
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("lidar_time_auditor: stopped", file=sys.stderr)
        return 130


def run(options: argparse.Namespace) -> int:
    # loading the library can fail, and --help must work all the same
    try:
        import sensortime
    except ImportError as error:
        print(f"lidar_time_auditor: {error}", file=sys.stderr)
        return 2
    if options.version:
        print(f"lidar_time_auditor {sensortime.__version__} (libsensortime {sensortime.version()})")
        return 0

    from .audit import audit
    from .report_text import print_result

    status, results = 0, []
    for path in options.recording:
        try:
            result = audit(
                path, topics=options.topic, imu=options.imu, progress=not options.no_progress and sys.stderr.isatty(),
                keep_plots=bool(options.report),
            )  # fmt: skip
        except Unreadable as error:
            print(f"lidar_time_auditor: {error}", file=sys.stderr)
            status = 2
            continue
        except Exception as error:  # a fault of this program: the other files are still audited
            if os.environ.get("LIDAR_TIME_AUDITOR_DEBUG"):
                raise
            kind = type(error).__name__
            print(
                f"lidar_time_auditor: {path}: this program failed on it ({kind}: {error}). That is a defect: please report it "
                "with the output under LIDAR_TIME_AUDITOR_DEBUG=1", file=sys.stderr,
            )  # fmt: skip
            status = 2
            continue
        results.append(result)
        print_result(result, full=options.all)
        status = max(status, result.exit_code)
    return max(status, _export(options, results))


def _export(options: argparse.Namespace, results: list) -> int:
    """Write the files that were asked for; 2 if one cannot be written."""
    from . import export

    try:
        if options.csv:
            export.write_csv(options.csv, results)
        if options.jsonl:
            export.write_jsonl(options.jsonl, results)
        if options.report:
            from .report_html import write_html

            write_html(options.report, results)
    except OSError as error:
        print(f"lidar_time_auditor: {error.filename}: cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    return 0
