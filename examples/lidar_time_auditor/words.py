# SPDX-License-Identifier: BSD-3-Clause
"""The library's verdicts in the report's words: what was seen first, with numbers a person can use."""

from typing import Any, Callable, Dict

from sensortime.findings import Finding

from .units import S, UNKNOWN, clock_of_day, duration

Facts = Dict[str, Any]


def _at(facts: Facts, unix: bool) -> str:
    """ " at 22:13:38.000" of the first message concerned."""
    log, stamp = facts["first_log_ns"], facts["first_stamp_ns"]
    moment = log if log != UNKNOWN else stamp
    return "" if moment == UNKNOWN else f" at {clock_of_day(moment, unix)}"


def _of(facts: Facts, what: str = "messages") -> str:
    return f"{facts['count']} of {facts['total']} {what}"


def _range(lo: int, hi: int) -> str:
    return str(lo) if lo == hi else f"{lo} to {hi}"


def _gap(f: Facts, unix: bool) -> str:
    holes = "1 hole" if f["count"] == 1 else f"{f['count']} holes"
    missing = _range(f["lo"], f["hi"])
    is_are = "message is" if f["hi"] == 1 else "messages are"
    return (
        f"{missing} {is_are} missing in {holes}, the longest {duration(f['value_ns'])} where {duration(f['reference_ns'])} is "
        f"usual; the first{_at(f, unix)}"
    )


def _backward(f: Facts, unix: bool) -> str:
    times = "once" if f["count"] == 1 else f"{f['count']} times"
    return f"stamps jump back {times}, by up to {duration(f['value_ns'])}; first{_at(f, unix)}"


def _zero(f: Facts, unix: bool) -> str:
    return f"the stamps of {_of(f)} are zero: nobody filled the header; first{_at(f, unix)} (message {f['first_index']})"


def _duplicate(f: Facts, unix: bool) -> str:
    return f"{f['count']} of {f['total']} stamps repeat the one before; first{_at(f, unix)} (message {f['first_index']})"


def _future(f: Facts, _unix: bool) -> str:
    return (
        f"{_of(f)} are stamped later than they were recorded, by up to {duration(f['value_ns'])} "
        f"(median {duration(-f['reference_ns'])})"
    )


def _late_constant(f: Facts, _unix: bool) -> str:
    return (
        f"stamps are a constant {duration(f['value_ns'])} older than the recording (scatter {duration(f['reference_ns'])}): "
        "stamped on arrival, or the clocks of two machines differ"
    )


def _late(f: Facts, _unix: bool) -> str:
    return f"messages come late and unevenly: {duration(f['value_ns'])} in the median, 95 % below {duration(f['reference_ns'])}"


def _trend(f: Facts, _unix: bool) -> str:
    slope = f["number"] / 1e6  # ns/s to ms/s
    verb = "grows" if slope > 0 else "shrinks"
    what = "a backlog, or two clocks that drift apart" if abs(slope) > 1e-3 else "two clocks that drift apart"
    size = f"{abs(slope):.1f} ms" if abs(slope) >= 1 else f"{1000 * abs(slope):.1f} µs"
    error = f["number_error"] / abs(f["number"]) * 100 if f["number"] else 0.0
    return (
        f"the delay {verb} by {size} per second (± {error:.0f} %), {duration(abs(f['value_ns']))} over "
        f"{duration(f['reference_ns'])}: {what}"
    )


def _burst(f: Facts, unix: bool) -> str:
    return (
        f"delivery stopped for up to {duration(f['value_ns'])} and then up to {f['hi']} messages came at once, while their stamps "
        f"stay {duration(f['reference_ns'])} apart: not a gap of the sensor; first{_at(f, unix)}"
    )


def _silent(f: Facts, _unix: bool) -> str:
    return f"messages stop {duration(f['value_ns'])} before the recording ends (every {duration(f['reference_ns'])} until then)"


def _host_step(f: Facts, unix: bool) -> str:
    return f"recording times and stamps step together by {duration(f['value_ns'], 4)}{_at(f, unix)}: the host's clock was set"


def _stamp_jump(f: Facts, unix: bool) -> str:
    step = f["value_ns"]
    where = "back" if step < 0 else "ahead"
    return f"stamps step {where} by {abs(step) / S:.3f} s{_at(f, unix)} while messages keep coming: the stamping clock was set"


def _suspect(f: Facts, _unix: bool) -> str:
    return f"{_of(f, 'scans')} may have lost packets (suspicion, not proof)"


def _imu_missing(f: Facts, unix: bool) -> str:
    return f"the IMU does not reach over {_of(f, 'scans')}: up to {duration(abs(f['value_ns']))} are uncovered; first{_at(f, unix)}"


def _imu_hole(f: Facts, unix: bool) -> str:
    return f"{_of(f, 'scans')} have a hole in the IMU, up to {duration(f['value_ns'])}; first{_at(f, unix)}"


def _sequence(f: Facts, unix: bool) -> str:
    return f"{_range(f['lo'], f['hi'])} messages are missing by their sequence numbers (proof); first{_at(f, unix)}"


_PHRASES: Dict[str, Callable[[Facts, bool], str]] = {
    "gap": _gap,
    "backward": _backward,
    "zero_stamp": _zero,
    "duplicate": _duplicate,
    "future": _future,
    "late_constant": _late_constant,
    "late": _late,
    "delay_trend": _trend,
    "burst": _burst,
    "silent": _silent,
    "host_step": _host_step,
    "stamp_jump": _stamp_jump,
    "suspect_loss": _suspect,
    "imu_missing": _imu_missing,
    "imu_hole": _imu_hole,
    "sequence_loss": _sequence,
}


def phrase(finding: Finding, unix: bool) -> str:
    """What was seen, with numbers; without certainty and remedy, which the report adds."""
    special = _PHRASES.get(finding.name)
    if special is not None:
        return special(finding.facts, unix)
    # The library's own line, without what the report says elsewhere: severity, certainty, remedy.
    text = str(finding)
    remedy = text.find(" What to do:")
    if remedy >= 0:
        text = text[:remedy]
    end = text.rstrip(".").rfind(". ")
    text = text[:end] if end > 0 else text
    severity, colon, rest = text.partition(": ")
    return rest if colon else severity
