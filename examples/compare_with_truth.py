# SPDX-License-Identifier: BSD-3-Clause
"""Compare an audit's JSON lines, or deskewed points, with the truth of a simulated recording."""

import json
from pathlib import Path
from typing import Any, Dict, List, NamedTuple

import numpy as np

MS = 1_000_000


class Match(NamedTuple):
    """One injected fault, and what the audit said about it."""

    fault: Dict[str, Any]
    injected: str
    found: List[str]  # empty: missed

    @property
    def ok(self) -> bool:
        return bool(self.found)


class Comparison(NamedTuple):
    matches: List[Match]
    false_alarms: List[str]  # findings on things that are right

    @property
    def ok(self) -> bool:
        return all(m.ok for m in self.matches) and not self.false_alarms


def _near(value: Any, expected: float, tolerance: float) -> bool:
    return value is not None and abs(value - expected) <= tolerance


class _Audit:
    """The records of an audit, by what they are."""

    def __init__(self, records: List[Dict[str, Any]]):
        self.findings = [r for r in records if r["record"] == "finding" and r["severity"] != "note"]
        self.scans = [r for r in records if r["record"] == "scan"]
        self.used: set = set()

    def find(self, topic: str, codes: tuple, accept=lambda facts: True) -> List[str]:
        """Texts of the findings of one of `codes` on `topic` that `accept` their facts."""
        found = []
        for number, record in enumerate(self.findings):
            on = any(t == topic or t.startswith(topic + " ") for t in record["topics"])
            if on and record["code"] in codes:
                if accept(record["facts"]):
                    self.used.add(number)
                    found.append(record["text"])
        return found


def _lost_packets(audit: _Audit, fault: Dict[str, Any]) -> List[str]:
    for scan in audit.scans:
        at = scan["header_timestamp_ns"]
        if scan["topic"] == fault["topic"] and _near(at, fault["stamp_ns"], 10 * MS) and scan["dropped_packet_flag"]:
            audit.find(fault["topic"], ("suspect_loss", "packet_loss"))
            return [f"scan {scan['scan_id']} suspected ({', '.join(scan['dropped_packet_reasons'])})"]
    return []


_STEP_CODES = ("stamp_jump", "backward", "interleaved")


def find(audit: _Audit, fault: Dict[str, Any]) -> Match:
    """What the audit says about one injected fault."""
    kind, topic = fault["kind"], fault["topic"]
    if kind == "lost_packets":
        what = f"{topic}: scan {fault['scan']} lost {len(fault['packets'])} of 75 packets"
        return Match(fault, what, _lost_packets(audit, fault))
    if kind == "lost_scans":
        return Match(fault, f"{topic}: {fault['count']} whole scans lost",
                     audit.find(topic, ("gap",), lambda f: f["lo"] <= fault["count"] <= f["hi"]))  # fmt: skip
    if kind == "stamp_is_last_packet":
        first = fault["first_point_ns"]
        return Match(fault, f"{topic}: stamps are the last packet ({first / MS:.1f} ms to the first point)",
                     audit.find(topic, ("header_role",), lambda f: _near(f["header_to_first_ns"], first, MS)))  # fmt: skip
    if kind == "clock_step":
        step = fault["step_ns"]
        return Match(fault, f"{topic}: clock steps by {step / 1e9:.3f} s",
                     audit.find(topic, _STEP_CODES, lambda f: _near(abs(f["value_ns"]), abs(step), 50 * MS)))  # fmt: skip
    if kind == "gap":
        length = fault["length_ns"]
        return Match(fault, f"{topic}: no {fault['child']} for {length / MS:.0f} ms",
                     audit.find(f"{topic} ({fault['child']})", ("gap",), lambda f: _near(f["value_ns"], length, 50 * MS)))  # fmt: skip
    if kind == "zero_stamps":
        return Match(fault, f"{topic}: {fault['count']} stamps are zero",
                     audit.find(topic, ("zero_stamp",), lambda f: f["count"] == fault["count"]))  # fmt: skip
    if kind == "duplicate_stamps":
        return Match(fault, f"{topic}: {fault['count']} stamps repeat the one before",
                     audit.find(topic, ("duplicate",), lambda f: f["count"] == fault["count"]))  # fmt: skip
    if kind == "growing_delay":
        slope = fault["slope_s_per_s"]
        return Match(fault, f"{topic}: the delay grows by {1000 * slope:.0f} ms per second",
                     audit.find(topic, ("delay_trend", "late"), lambda f: 0.5 * slope < f["number"] / 1e9 < 1.2 * slope))  # fmt: skip
    if kind == "future_stamps":
        return Match(fault, f"{topic}: stamps {fault['ahead_ns'] / MS:.0f} ms ahead", audit.find(topic, ("future",)))
    if kind == "late_joiner":
        return Match(fault, f"{topic}: offered volatile, a late joiner never gets it", audit.find(topic, ("qos_late_joiner",)))
    return Match(fault, f"{topic}: {kind}", [])


def compare(truth: Dict[str, Any], records: List[Dict[str, Any]]) -> Comparison:
    """Every fault must be found; nothing may be said about topics that are right, or scans that are whole."""
    audit = _Audit(records)
    matches = [find(audit, fault) for fault in truth["faults"]]
    stamps = {(f["topic"], f["stamp_ns"]) for f in truth["faults"] if f["kind"] == "lost_packets"}
    around = [(f["topic"], f["after_ns"]) for f in truth["faults"] if f["kind"] == "lost_scans"]
    false = []
    for number, record in enumerate(audit.findings):
        clean = all(t.split(" (")[0] in truth["clean_topics"] for t in record["topics"] if t)
        if number not in audit.used and clean:
            false.append(f"{', '.join(record['topics'])}: {record['text']}")
    for scan in audit.scans:
        if not scan["dropped_packet_flag"]:
            continue
        at = scan["header_timestamp_ns"]
        meant = any(t == scan["topic"] and _near(at, stamp, 10 * MS) for t, stamp in stamps)
        # the scan after a hole comes late: its header interval says so
        after = any(t == scan["topic"] and 0 < at - stamp < 350 * MS for t, stamp in around)
        if not meant and not after:
            false.append(f"{scan['topic']}: scan {scan['scan_id']} is whole but suspected ({scan['dropped_packet_reasons']})")
    return Comparison(matches, false)


def load(truth: Path, audit: Path):
    records = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]
    return json.loads(truth.read_text()), records


def wall_distances(truth: Dict[str, Any], frame: str, stamp_ns: int, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How far points given in a sensor's frame at `stamp_ns` lie off the hall's walls [m]."""
    room = truth["room"]
    ahead, left, _up, turned = room["mounts"][frame]
    heading = room["turn_rad_s"] * (stamp_ns - truth["start_ns"]) / 1e9
    radius = room["speed_m_s"] / room["turn_rad_s"]
    robot = complex(radius * np.sin(heading), radius * (1 - np.cos(heading)))
    sensor = np.exp(1j * turned) * (np.asarray(x, np.float64) + 1j * np.asarray(y, np.float64)) + complex(ahead, left)
    place = robot + np.exp(1j * heading) * sensor
    return np.abs(np.maximum(np.abs(place.real), np.abs(place.imag)) - room["half_side_m"])


def report(truth: Path, audit: Path) -> int:
    """Print both sides; 0 if they agree."""
    result = compare(*load(truth, audit))
    for match in result.matches:
        print(f"  {'found ' if match.ok else 'MISSED'}  put in: {match.injected}")
        for text in match.found[:1]:
            print(f"          found:  {text}")
    for text in result.false_alarms:
        print(f"  FALSE ALARM     {text}")
    found = sum(m.ok for m in result.matches)
    print(f"  {found} of {len(result.matches)} faults found, {len(result.false_alarms)} false alarms")
    return 0 if result.ok else 1
