# SPDX-License-Identifier: BSD-3-Clause
"""CSV and JSON lines. Durations are seconds with nine decimals; absolute times also come as whole nanoseconds."""

import csv
import json
import math
from typing import Any, Dict, Iterable, Iterator, List, Tuple

from sensortime import abi
from sensortime._handle import struct_dict
from sensortime.scans import loss_reasons, order_text

from .result import Result
from .units import known, seconds

_ROLES = {
    abi.SNT_EVENT_SWEEP_START: "start",
    abi.SNT_EVENT_SWEEP_MID: "middle",
    abi.SNT_EVENT_SWEEP_END: "end",
    abi.SNT_EVENT_RECEIVE: "receive",
}


class Exact(str):
    """A number that is written as it stands."""


def _exact(ns: Any) -> Any:
    ns = known(ns)
    return None if ns is None else Exact(seconds(ns))


def scan_row(topic: str, report: abi.snt_scan_report) -> Dict[str, Any]:
    """One scan, under the names of the article first; what is not known is None."""
    points, flags = report.points, report.flags
    edge = bool(flags & abi.SNT_SCAN_EDGE)
    return {
        "topic": topic,
        "scan_id": report.scan_id,
        "header_timestamp": _exact(report.header_ns),
        "header_timestamp_ns": known(report.header_ns),
        "minimum_point_time": _exact(points.min_ns),
        "minimum_point_time_ns": known(points.min_ns),
        "maximum_point_time": _exact(points.max_ns),
        "maximum_point_time_ns": known(points.max_ns),
        "scan_duration": _exact(report.duration_ns),
        "point_count": points.points,
        "timestamp_monotonicity": bool(flags & abi.SNT_SCAN_MONOTONIC),
        "negative_time_jump_count": points.negative_jumps,
        "max_point_time_gap": _exact(points.max_gap_ns) if points.timed else None,
        "imu_start_margin": _exact(report.imu_start_margin_ns),
        "imu_end_margin": _exact(report.imu_end_margin_ns),
        "dropped_packet_flag": bool(report.suspicion or report.proof),
        "dropped_packet_reasons": loss_reasons(report.suspicion),
        "dropped_packet_proof": bool(report.proof),
        "lost_packets": report.lost_packets if report.proof else None,
        "edge_of_recording": edge,
        "valid_points": report.valid_points,
        "nan_time_count": points.nan_times + points.invalid_times,
        "point_order": order_text(points.order),
        "rings": points.rings,
        "rings_monotonic": points.rings_monotonic,
        "empty_rings": report.empty_rings,
        "min_point_time_diff": _exact(points.min_step_ns) if points.timed > 1 else None,
        "max_point_time_diff": _exact(points.max_step_ns) if points.timed > 1 else None,
        "large_gap_count": points.large_gaps,
        "sorted_time_gap": _exact(points.sorted_gap_ns) if points.timed > 1 else None,
        "sorted_time_gap_at_ns": known(points.sorted_gap_at_ns),
        "header_role": _ROLES.get(report.header_event, "unknown"),
        "header_to_scan_offset": _exact(report.header_offset_ns),
        "header_interval": _exact(report.header_interval_ns),
        "previous_scan_overlap": _exact(report.overlap_ns),
        "receive_time_ns": known(report.receive_ns),
        "receive_latency": _exact(report.latency_ns),
        "imu_samples_inside": report.imu_inside,
        "imu_start_nearest": _exact(report.imu_start_nearest_ns),
        "imu_end_nearest": _exact(report.imu_end_nearest_ns),
        "imu_arrival_margin": _exact(report.imu_arrival_margin_ns),
        "imu_largest_hole": _exact(report.imu_largest_hole_ns),
        "imu_bracketed": bool(flags & abi.SNT_SCAN_IMU_BRACKETED),
    }


def scan_rows(results: Iterable[Result]) -> Iterator[Dict[str, Any]]:
    for result in results:
        for scans in result.scans:
            for report in scans.reports:
                yield {"recording": result.path, **scan_row(scans.topic, report)}


def _plain(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(value) if isinstance(value, (list, tuple)) else value


def write_csv(path: str, results: List[Result]) -> int:
    """One line per scan; the number of lines."""
    names = ["recording", *scan_row("", abi.snt_scan_report())]
    count = 0
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for row in scan_rows(results):
            writer.writerow([_plain(row[name]) for name in names])
            count += 1
    return count


def _json(value: Any) -> str:
    if isinstance(value, Exact):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    return json.dumps(value, ensure_ascii=False, default=str)


def _line(row: Dict[str, Any]) -> str:
    return "{" + ", ".join(f"{json.dumps(k)}: {_json(v)}" for k, v in row.items()) + "}\n"


def _clean(value: Any) -> Any:
    """Not-a-number and "nobody knows" become null."""
    if isinstance(value, dict):
        return {k: _clean(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_clean(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return None if isinstance(value, int) and value == abi.SNT_UNKNOWN else value


def records(result: Result) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """Everything of one recording, as (kind, record)."""
    yield "recording", {
        "messages": result.messages,
        "first_log_ns": result.first_log_ns,
        "last_log_ns": result.last_log_ns,
        "log_clock": result.log_clock,
        "imu_topic": result.imu_topic or None,
    }
    for problem in result.problems:
        yield "problem", {"file": problem.file, "topic": problem.topic, "offset": problem.offset,
                          "message": problem.index, "text": problem.text, "count": problem.repeated}  # fmt: skip
    for item in result.items:
        yield "finding", {"topic": item.topic, "topics": item.topics or [item.topic], "code": item.code,
                          "severity": item.severity_name, "certainty": round(item.certainty, 4), "text": item.text,
                          "remedy": item.remedy, "consequences": item.consequences,
                          "facts": _clean(item.facts)}  # fmt: skip
    for stream in result.streams:
        if stream.report is not None:
            yield "stream", {"topic": stream.topic, "stream": stream.name, **_clean(struct_dict(stream.report))}
    for scans in result.scans:
        if scans.summary is not None:
            yield "scans", {"topic": scans.topic, "layout": scans.layout_facts(),
                            "transforms": scans.coverage and scans.coverage._asdict(), **_clean(struct_dict(scans.summary))}
        for report in scans.reports:
            yield "scan", scan_row(scans.topic, report)


def write_jsonl(path: str, results: List[Result]) -> None:
    """One JSON object per line; `record` says what it is."""
    with open(path, "w", encoding="utf-8") as file:
        for result in results:
            for kind, record in records(result):
                file.write(_line({"record": kind, "recording": result.path, **record}))
