# SPDX-License-Identifier: BSD-3-Clause
"""The report a person reads: findings first, most important on top, then what each topic and each lidar looks like."""

import sys
import textwrap
from typing import Any, List, TextIO

from sensortime import abi
from sensortime.scans import order_text

from .result import Item, Result
from .units import counted, duration, moment, ms

WIDTH = 112
_ROLE_TEXT = {
    abi.SNT_EVENT_SWEEP_START: "the start of the scan",
    abi.SNT_EVENT_SWEEP_MID: "the middle of the scan",
    abi.SNT_EVENT_SWEEP_END: "the end of the scan",
    abi.SNT_EVENT_RECEIVE: "the time of reception",
}


def _wrapped(text: str, first: str, rest: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False)


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text.endswith((".", "!", "?")) else text + "."


def finding_text(item: Item) -> str:
    """Where, what, how sure, what to do."""
    where = ", ".join(item.topics) if item.topics else item.topic
    parts = [f"{where}: " if where else "", f"{item.text} ({item.sure}). "]
    parts += [_sentence(c) + " " for c in item.consequences]
    if item.remedy:
        remedy = item.remedy[0].upper() + item.remedy[1:]
        parts.append("To do: " + _sentence(remedy))
    return "".join(parts).strip()


def _numbered(items: List[Item], out: TextIO) -> None:
    for number, item in enumerate(items, 1):
        label = f"{number:>2}. {item.severity_name.upper():<8}"
        print(_wrapped(finding_text(item), label, " " * len(label)), file=out)


def _head(result: Result, out: TextIO) -> None:
    print(f"{result.path}", file=out)
    if result.messages == 0:
        print("   no message could be read", file=out)
        return
    if result.first_log_ns is None:
        print(f"   {result.format}: a single scan without a time of recording", file=out)
        return
    span = (result.last_log_ns or 0) - (result.first_log_ns or 0)
    topics = len({s.topic for s in result.streams})
    text = (
        f"{result.format}, {counted(result.messages, 'message')} on {counted(topics, 'topic')} in {duration(span)}, recorded from "
        f"{moment(result.first_log_ns or 0, result.log_is_unix)} (log clock: {result.log_clock})"
    )
    print(_wrapped(text, "   ", "   "), file=out)


def _table(rows: List[List[str]], out: TextIO) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]
        print("   " + "  ".join(cells).rstrip(), file=out)


def _rate(value: float) -> str:
    return f"{value:.2f}" if value == value else "-"


def stream_row(stream: Any) -> List[str]:
    r = stream.report
    times = r.stamps if r.stamps.forward else r.log
    regular = times.forward > 0 and not stream.static and not stream.eventual
    some = times.forward > 0
    delay = r.delay.comparable and r.delay.count
    return [
        stream.name,
        str(r.messages),
        _rate(times.rate_hz) if regular else "-",
        f"{r.bandwidth_bps / 1e3:.1f}" if r.bandwidth_bps == r.bandwidth_bps else "-",
        ms(times.median_ns) if some else "-",
        ms(times.jitter_p95_ns) if some else "-",
        ms(times.max_ns) if some else "-",
        ms(r.delay.median_ns) if delay else "-",
        ms(r.delay.p95_ns) if delay else "-",
        ms(r.delay.max_ns) if delay else "-",
        "static" if stream.static else "on change" if stream.eventual else "",
    ]


def _streams(result: Result, full: bool, out: TextIO) -> None:
    streams = [s for s in result.streams if s.report is not None]
    shown = streams if full else streams[:40]
    if not shown:
        return
    print("\ntopics (of stamps where there are any, else of log times)", file=out)
    header = ["", "messages", "rate", "data", "period", "jitter", "longest", "delay", "delay", "delay", ""]
    units = ["", "", "[Hz]", "[kB/s]", "median[ms]", "p95[ms]", "[ms]", "median[ms]", "p95[ms]", "max[ms]", ""]
    _table([header, units] + [stream_row(s) for s in shown], out)
    if len(shown) < len(streams):
        print(f"   … and {len(streams) - len(shown)} more (--all)", file=out)


def _header_text(summary: Any) -> str:
    role = _ROLE_TEXT.get(summary.header_event)
    if summary.header_offset_median_ns == abi.SNT_UNKNOWN:
        return "there is no header stamp to compare with"
    offset = f"first point {duration(summary.header_offset_median_ns)} from the header"
    return f"header is {role} ({offset})" if role else f"what the header means is not known ({offset})"


def _coverage_text(coverage: Any) -> str:
    if coverage.never:
        text = f"{counted(coverage.never, 'scan')} of {coverage.scans} never get a transform"
        return f"transforms: {text}; the others wait up to {duration(coverage.wait_ns)} (for {coverage.child})"
    if coverage.wait_ns == 0:
        return "transforms: they are there before each scan"
    return (
        f"transforms: a queue of {coverage.queue} and a timeout of {duration(coverage.wait_ns)} would have saved all scans "
        f"(the longest wait is for {coverage.child})"
    )


def scans_text(scans: Any) -> List[str]:
    """What one lidar's scans look like, a line for each matter."""
    s = scans.summary
    lines = scans.layout_text()
    if s.timed:
        if not any(line.startswith("header:") for line in lines):
            lines.append(_header_text(s))
        rings = f", {s.rings_max} rings" if s.rings_max else ""
        lines.append(
            f"{counted(s.scans, 'scan')} of {s.points_median} points{rings}, {duration(s.duration_median_ns)} long, every "
            f"{duration(s.interval_median_ns)}; stored {order_text(s.order)}, {100 * s.monotonic_ratio:.1f} % in time order"
        )
        lines.append(
            f"largest gap between points: {duration(s.sorted_gap_max_ns)} in time order (scan {s.sorted_gap_scan}), "
            f"{duration(s.point_gap_max_ns)} between neighbours"
        )
    else:
        lines.append(f"{counted(s.scans, 'scan')} of {s.points_median} points without usable point times")
    if s.latency_median_ns != abi.SNT_UNKNOWN:
        kind = "constant" if s.latency_constant else "varying"
        lines.append(
            f"recorded {duration(s.latency_median_ns)} after the scan's end (median; {kind}, "
            f"{duration(s.latency_min_ns)} to {duration(s.latency_max_ns)})"
        )
    if s.header_drift_ppb == s.header_drift_ppb and s.latency_median_ns != abi.SNT_UNKNOWN:
        lines.append(
            f"log against header: offset {duration(round(s.header_offset_b_ns))}, drift {s.header_drift_ppb / 1e3:+.2f} ± "
            f"{s.header_drift_error_ppb / 1e3:.2f} ppm, jitter {duration(round(s.header_jitter_ns))}"
        )
    if s.imu_samples and s.timed:
        lines.append(
            f"IMU {scans.imu_topic}: {s.imu_inside_median} samples per scan, {counted(s.uncovered, 'scan')} not covered, nearest sample "
            f"at most {duration(s.imu_start_nearest_max_ns)} before and {duration(s.imu_end_nearest_max_ns)} after"
        )
    elif s.timed:
        lines.append("no IMU in the recording: margins are not known")
    if scans.coverage is not None:
        lines.append(_coverage_text(scans.coverage))
    if s.suspected or s.proven:
        lines.append(f"packet loss suspected in {counted(s.suspected, 'scan')}, proven in {s.proven}: {scans.flagged_text()}")
    if s.edge:
        lines.append(f"{counted(s.edge, 'scan')} at the recording's edges: marked, not blamed")
    return lines


def print_result(result: Result, full: bool = False, out: TextIO = sys.stdout) -> None:
    _head(result, out)
    for problem in result.problems:
        print(_wrapped(str(problem), " !  ", "    "), file=out)
    for topic in result.not_found:
        there = ", ".join(sorted({s.topic for s in result.streams})) or "none"
        print(_wrapped(f"{topic}: no such topic in {result.path}; there are: {there}", " !  ", "    "), file=out)
    print(file=out)
    if result.findings:
        _numbered(result.findings, out)
    elif result.messages:
        print("nothing wrong was found", file=out)
    if result.fine:
        print(_wrapped(", ".join(result.fine), "fine: ", "      "), file=out)
    if result.remarks:
        print("\nworth knowing", file=out)
        for item in result.remarks if full else result.remarks[:8]:
            print(_wrapped(finding_text(item), " -  ", "    "), file=out)
        if not full and len(result.remarks) > 8:
            print(f"    … and {len(result.remarks) - 8} more (--all)", file=out)
    for note in result.notes:
        print(_wrapped(note, " -  ", "    "), file=out)
    for scans in result.scans:
        if scans.summary is not None:
            print(f"\n{scans.topic} ({scans.msgtype})", file=out)
            for line in scans_text(scans):
                print(_wrapped(line, "   ", "     "), file=out)
    _streams(result, full, out)
    print(file=out)
