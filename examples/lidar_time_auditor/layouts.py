# SPDX-License-Identifier: BSD-3-Clause
"""What a cloud's fields mean, in the report's words."""

from ctypes import byref, string_at
from typing import Any, Dict, List

from sensortime import abi, lib
from sensortime._handle import text_of
from sensortime.clouds import Layout
from sensortime.findings import ERROR, NOTE, WARNING

from .result import Item
from .units import duration, known

_REFERENCES = {
    abi.SNT_TIME_REF_ABSOLUTE: "absolute",
    abi.SNT_TIME_REF_RELATIVE: "relative to the header",
    abi.SNT_TIME_REF_NORMALISED: "0..1 over the scan",
    abi.SNT_TIME_REF_PACKET: "relative to each packet",
}
_TYPES = {v: n[len("SNT_TYPE_") :].lower() for n, v in vars(abi).items() if n.startswith("SNT_TYPE_")}
_SURE_ENOUGH = 0.6


def layout_text(layout: Layout) -> List[str]:
    """Field, type, unit, reference, role of the header, and how sure each is: a line for each."""
    return [line for line in str(layout).splitlines() if line and not line.startswith(("- ", "scan:"))]


def layout_facts(layout: Layout) -> Dict[str, Any]:
    """For the JSON lines."""
    report, struct = layout.report, layout.struct
    return {
        "status": lib.snt_status_name(report.status).decode(),
        "time_field": layout.time_name or None,
        "time_type": _TYPES.get(struct.time.type) if struct.time.type else None,
        "time_unit": layout.unit,
        "time_reference": _REFERENCES.get(struct.time_ref, "none"),
        "header_role": layout.header_role,
        "ring_field": layout.ring_name or None,
        "unit_confidence": report.unit_confidence,
        "reference_confidence": report.reference_confidence,
        "role_confidence": report.role_confidence,
        "header_to_first_ns": known(report.header_to_first_ns),
        "header_to_last_ns": known(report.header_to_last_ns),
        "producer": string_at(report.producer).decode() if report.producer else None,
        "evidence": layout.evidence,
    }


def _role_item(layout: Layout, topic: str) -> List[Item]:
    """The header is not the first point: the commonest reason for smeared turns."""
    role, report = layout.struct.header_role, layout.report
    first, last = known(report.header_to_first_ns), known(report.header_to_last_ns)
    late = (abi.SNT_HEADER_ROLE_MIDDLE, abi.SNT_HEADER_ROLE_END, abi.SNT_HEADER_ROLE_LAST_PACKET, abi.SNT_HEADER_ROLE_RECEIVE)
    if role not in late or report.role_confidence < _SURE_ENOUGH or first is None or last is None:
        return []
    text = (
        f"the header is the {layout.header_role.upper()} of the scan: point times run from {duration(first)} to "
        f"{duration(last)} around it"
    )
    remedy = f"if your SLAM expects the first point, subtract {duration(-first, 4)} from the header, or let it use each point's time"
    facts = {"value_ns": -first, "header_to_first_ns": first, "header_to_last_ns": last, "role": layout.header_role}
    return [Item(topic, "header_role", WARNING, report.role_confidence, text, remedy, facts)]


def layout_items(layout: Layout, topic: str, _summary: Any) -> List[Item]:
    """Findings about the layout itself."""
    items = _role_item(layout, topic)
    report = layout.report
    if layout.status == abi.SNT_ERR_AMBIGUOUS:
        readings = []
        for i in range(report.candidate_count):
            one = report.candidates[i]
            unit = lib.snt_time_unit_name(one.time_unit).decode()
            readings.append(f"{unit}, {_REFERENCES.get(one.time_ref, 'unknown')} ({one.confidence:.2f})")
        text = f"the time field '{layout.time_name}' can be read in more than one way: " + "; ".join(readings)
        items.append(Item(topic, "ambiguous_point_time", ERROR, 1.0, text, "find out from the driver which one is meant"))
    elif layout.status == abi.SNT_ERR_PRECISION:
        text = f"the time field '{layout.time_name}' holds absolute times in a type too coarse for them"
        items.append(Item(topic, "coarse_point_time", ERROR, 1.0, text, "publish times relative to the header, or as float64"))
    elif layout.shows("per_packet"):
        text = f"the time field '{layout.time_name}' starts over with every packet ({duration(report.packet_span_ns)}): it is no time in the scan"
        items.append(Item(topic, "per_packet_time", ERROR, 1.0, text, "add the packets' stamps in the driver"))
    if layout.shows("other_clock"):
        seen = text_of(lib.snt_clock_finding_format, byref(report.clock))
        text = f"header and points are on different clocks: {seen}"
        items.append(Item(topic, "time_scale", ERROR, 0.95, text, "set the UTC offset of the sensor or of PTP, or map its clock"))
    for name, severity, remedy in _EVIDENCE:
        if layout.shows(name):
            bit = getattr(abi, "SNT_LAYOUT_EVIDENCE_BIT_" + name.upper())
            items.append(Item(topic, name, severity, 0.9, lib.snt_layout_evidence_text(bit).decode(), remedy))
    return items


_EVIDENCE = (
    ("unit_contradicted", WARNING, "check the driver: the unit that gives a plausible scan was used"),
    ("byte_order_contradicted", WARNING, "correct is_bigendian in the driver"),
    ("hint_intensity_time", NOTE, "if it is, let the driver publish a field of its own"),
)
