# SPDX-License-Identifier: BSD-3-Clause
"""From the library's verdicts on single streams to what a person should read: merged, weighed and in order."""

from typing import Any, Dict, List, Sequence

from sensortime import abi, qos
from sensortime.findings import NOTE, WARNING, Finding

from .device_time import DeviceTime
from .recording import CDR, Channel
from .result import Item, Result
from .streams import Stream, sent_on_change
from .units import S, clock_of_day, duration
from .words import phrase

RANGE_M = 10.0  # at which a time error is shown as a distance

# Steps and wrong meanings of stamps displace every point: they come before what only some messages suffer.
_DISPLACES = {
    "stamp_jump", "backward", "interleaved", "host_step", "clock_domain", "mixed_clocks", "time_scale", "imu_clock",
    "imu_backward", "header_role", "received_before_end", "period_early", "stamped_on_arrival", "frozen_stamp",
    "no_point_time", "duration", "late_constant", "delay_trend",
}  # fmt: skip
_OF_THE_IMU = {"imu_missing", "imu_hole", "imu_backward"}
_STEPS = {"stamp_jump", "backward", "interleaved"}
_MAPS = ("nav_msgs/msg/OccupancyGrid", "nav_msgs/OccupancyGrid")


def item_of(finding: Finding, topic: str, unix: bool) -> Item:
    text = phrase(finding, unix)
    return Item(topic, finding.name, finding.severity, finding.certainty, text, finding.remedy, finding.facts)


def judge(
    result: Result, channels: Dict[str, Channel], backwards: Dict[str, tuple], devices: Sequence[DeviceTime]
) -> None:
    """Fill `result.items` and `result.fine`."""
    unix = result.log_is_unix
    items: List[Item] = []
    scans_by_topic = {s.topic: s for s in result.scans}
    for stream in result.streams:
        found = [item_of(f, stream.name, unix) for f in stream.findings]
        items += _of_one_stream(found, stream, scans_by_topic.get(stream.topic), bool(result.scans), unix)
    for scans in result.scans:
        items += _of_scans(scans, unix)
    items += _recorded_backwards(backwards, channels, items)
    items += [item for device in devices for item in device.items()]
    items += _qos(channels)
    items += _silent_topics(result, channels)
    items = _hang_on_imu_step(items, result)
    items = _merge(items)
    for item in items:
        _add_distance(item, result)
    result.items = sorted(items, key=_weight)
    result.fine = _fine(result)


def judge_scans(result: Result) -> None:
    """The same for scans alone."""
    items = [item for scans in result.scans for item in _of_scans(scans, False)]
    result.items = sorted(items, key=_weight)


def _of_scans(scans: Any, unix: bool) -> List[Item]:
    own = scans.layout_items()
    said = {i.code for i in own}
    found = [item_of(f, scans.topic, unix) for f in scans.findings]
    for item in found:
        if item.code in ("suspect_loss", "packet_loss"):
            item.text += f": {scans.flagged_text()}"
        if item.code in ("no_point_time", "suspect_loss") and scans.is_sparse():
            item.severity = NOTE  # targets of a radar, tracked objects: their number changes by nature
    return own + [i for i in found if not said & _SAID_BY_LAYOUT.get(i.code, {i.code})]


# A finding about the layout says more than the scan auditor's about the same thing.
_SAID_BY_LAYOUT = {
    "no_point_time": {"ambiguous_point_time", "coarse_point_time", "per_packet_time"},
    "header_role": {"header_role"},
    "coarse_point_time": {"coarse_point_time"},
}

_DELAYS = {"late", "late_constant", "delay_trend", "delivery_jitter", "stamped_on_arrival"}


def _of_one_stream(items: List[Item], stream: Stream, scans: Any, has_scans: bool, unix: bool) -> List[Item]:
    """Leave out what only follows from something else in the same stream."""
    codes = {i.code for i in items}
    drop = set()
    step = _clock_step(items, stream, unix)
    if step is not None or codes & {"host_step"}:
        drop |= _DELAYS | {"future", "gap", "silent"}
    if "burst" in codes:
        drop |= {"late", "delivery_jitter", "gap"}
    if "delay_trend" in codes and any(i.code == "delay_trend" and i.severity > NOTE for i in items):
        drop |= {"late", "late_constant"}
    if "duplicate" in codes or "zero_stamp" in codes:
        bad = sum(i.facts["count"] for i in items if i.code in ("duplicate", "zero_stamp"))
        # a repeated or empty stamp leaves a hole where its own should be
        drop |= {"gap"} if any(i.code == "gap" and i.facts["hi"] <= bad for i in items) else set()
    if scans is not None and scans.explains_delay():
        drop |= {"late", "late_constant"}
    kept = [i for i in items if i.code not in drop]
    if stream.slew is not None:
        kept.append(_slewed(stream))
    for item in kept:
        if item.code == "gap" and item.severity == NOTE and (scans is not None or stream.feeds_scans and has_scans):
            item.severity = WARNING  # a scan or IMU sample that is not there cannot be made up
        if stream.on_change and item.code != "zero_stamp":
            item.severity = NOTE  # many nodes share such topics, and repeat old messages to late joiners
        if item.code == "future" and stream.is_transform and _is_constant(stream):
            _post_dated(item)
    return kept


def _slewed(stream: Stream) -> Item:
    f = stream.slew
    verb = "shorter" if f["total_ns"] < 0 else "longer"
    text = (
        f"stamps are slewed: {f['equal_steps']} of {f['steps']} steps are {duration(f['usual_step_ns'], 5)}, every "
        f"{f['every']}th is {verb} ({f['corrections']} corrections, {duration(f['total_ns'])} in all)"
    )
    remedy = "nothing: the clock is being disciplined; do not fit one drift over the whole recording"
    return Item(stream.name, "slewed_stamps", NOTE, 0.95, text, remedy, {"value_ns": f["total_ns"], **f})


def _is_constant(stream: Stream) -> bool:
    delay = stream.report.delay
    return delay.p95_ns - delay.p05_ns < max(2_000_000, abs(delay.median_ns) // 20)


def _post_dated(item: Item) -> None:
    """Transforms sent again and again with a stamp that will be right until the next one."""
    item.severity = NOTE
    item.text += ": a constant amount, so it is post-dated on purpose (as a static publisher of ROS 1 does)"
    item.remedy = "nothing for a transform that never changes; for one that moves, stamp it when it was measured"


def _clock_step(items: List[Item], stream: Stream, unix: bool) -> Any:
    """One jump back of stamps while messages keep coming is a clock that was set: say by how much."""
    for item in items:
        if item.code == "stamp_jump":
            step = item.facts["value_ns"]
            item.remedy = f"cut the recording there, or correct {stream.name} by {-step / S:+.3f} s from there on"
            return item
        if item.code == "backward" and item.facts["count"] == 1 and stream.backward is not None:
            event = stream.backward
            period = stream.report.stamps.median_ns
            step = event.step_ns - period
            if abs(event.other_ns - period) > max(period, -step // 2) or stream.report.messages - event.index < 3:
                continue  # the log jumped too, or nothing shows that the new time stays
            item.code, item.facts["value_ns"] = "stamp_jump", step
            item.facts["first_log_ns"], item.facts["first_index"] = event.log_ns, event.index
            where = clock_of_day(event.log_ns, unix)
            item.text = f"stamps step back by {-step / S:.3f} s at {where} while messages keep coming: its clock was set"
            item.remedy = f"cut the recording there, or correct {stream.name} by {-step / S:+.3f} s from there on"
            return item
    return None


def _weight(item: Item):
    displaces = item.code in _DISPLACES
    return (-item.severity, not displaces, -item.certainty, item.topic)


def _recorded_backwards(backwards: Dict[str, tuple], channels: Dict[str, Channel], said: List[Item]) -> List[Item]:
    """Messages that were stored after younger ones of their topic."""
    items = []
    known = {i.topic for i in said if i.code in ("recorded_backward", "host_step")}
    for topic, (count, step) in backwards.items():
        if topic in channels and topic not in known:
            code = abi.SNT_FINDING_RECORDED_BACKWARD
            finding = Finding(abi.snt_finding(code=code, severity=WARNING, certainty=1.0, count=count, value_ns=step))
            text = f"the log's times go back {count} times in recorded order, by up to {duration(step)}"
            items.append(Item(topic, "recorded_backward", WARNING, 1.0, text, finding.remedy, finding.facts))
    return items


def _profile(offered: Any) -> qos.Profile:
    def ns(time: Any) -> int:
        value = time.sec * 1_000_000_000 + time.nsec
        # rmw writes "for ever" as 9223372036 s
        return abi.SNT_QOS_INFINITE if value <= 0 or time.sec >= 9_223_372_036 else value

    return qos.Profile(
        history=offered.history.value, depth=max(0, offered.depth), reliability=offered.reliability.value,
        durability=offered.durability.value, liveliness=offered.liveliness.value, deadline_ns=ns(offered.deadline),
        lifespan_ns=ns(offered.lifespan), lease_ns=ns(offered.liveliness_lease_duration),
    )  # fmt: skip


def _qos(channels: Dict[str, Channel]) -> List[Item]:
    """What the offered profiles do to subscribers that use the usual presets."""
    items, best_effort = [], []
    default = qos.Profile.preset("default")
    for topic, channel in sorted(channels.items()):
        for offered in channel.qos:
            profile = _profile(offered)
            wanted = None
            if topic.rstrip("/").endswith("tf_static"):
                wanted = "static_tf"
            elif channel.msgtype in _MAPS and channel.count <= 2:
                wanted = "latched_map"
            if wanted:
                verdict = qos.check_profiles(profile, qos.Profile.preset(wanted))
                if verdict.has(abi.SNT_QOS_DURABILITY_MISMATCH):
                    text = (
                        f"published {channel.count} time{'s' if channel.count != 1 else ''} and offered as {profile}: "
                        "a node that starts later never gets it, and a subscription that asks for the last one "
                        "(transient local, as REP 2003 says for maps) does not connect"
                    )
                    items.append(
                        Item(topic, "qos_late_joiner", WARNING, 1.0, text, "publish it as reliable, transient local")
                    )
            if qos.check_profiles(profile, default).has(abi.SNT_QOS_RELIABILITY_MISMATCH):
                best_effort.append(topic)
                break
    if best_effort:
        items.append(
            Item("", "qos_best_effort", NOTE, 1.0,
                 "offered as best effort: a subscription with the default profile (reliable) connects to none of them",
                 "subscribe with the sensor data profile", topics=best_effort)
        )  # fmt: skip
    return items


# One cause in the host, the recorder or the driver shows on many topics: it is said once.
_SHARED = {"host_step", "burst", "late", "stamped_on_arrival", "sequence_loss", "clock_domain", "time_scale", "silent"}


def _silent_topics(result: Result, channels: Dict[str, Channel]) -> List[Item]:
    """Subscribed by the recorder, but nothing came: the publisher was absent, or the QoS profiles did not match."""
    heard = {s.topic for s in result.streams if s.report is not None}
    code = abi.SNT_FINDING_NO_MESSAGES
    items = []
    for topic, channel in sorted(channels.items()):
        if topic in heard or channel.encoding != CDR or sent_on_change(channel.msgtype) or is_ros_internal(topic):
            continue
        sensor = channel.kind not in (abi.SNT_MESSAGE_UNKNOWN, abi.SNT_MESSAGE_CLOCK)
        offered = f" (offered as {_profile(channel.qos[0])})" if channel.qos else ""
        text = f"no message was recorded although the recorder subscribed{offered}: the publisher was absent, or the profiles differ"
        finding = Finding(abi.snt_finding(code=code))
        items.append(Item(topic, "no_messages", WARNING if sensor else NOTE, 0.9, text, finding.remedy, finding.facts))
    return items


def is_ros_internal(topic: str) -> bool:
    """Topics of the middleware itself, which are quiet as a rule."""
    return topic in ("/rosout", "/parameter_events", "/events/write_split") or topic.endswith("/transition_event")


def _merge(items: List[Item]) -> List[Item]:
    """Join equal findings of several topics; all remarks of one kind, and what has one cause."""
    out: List[Item] = []
    groups: Dict[tuple, List[Item]] = {}
    for item in items:
        if item.topics or item.severity > NOTE and item.code not in _SHARED:
            out.append(item)
        else:
            groups.setdefault((item.code, item.severity, item.facts.get("lo") if item.code == "time_scale" else 0), []).append(item)
    for group in groups.values():
        worst = max(group, key=lambda i: (i.certainty, abs(i.facts.get("value_ns", 0))))
        if len(group) > 1:
            worst.topics = sorted({i.topic for i in group})
            worst.text = f"on {len(worst.topics)} topics, at worst on {worst.topic}: {worst.text}"
        out.append(worst)
    return out


def _hang_on_imu_step(items: List[Item], result: Result) -> List[Item]:
    """What scans suffer from a step of the IMU's clock is said with the step, not again for each lidar."""
    causes = [i for i in items if i.topic == result.imu_topic and i.code in _STEPS]
    lidars = {s.topic for s in result.scans}
    effects = [i for i in items if i.topic in lidars and i.code in _OF_THE_IMU]
    if not causes or not effects:
        return items
    cause = min(causes, key=_weight)
    cause.consequences.append(
        f"Scans of {', '.join(sorted({i.topic for i in effects}))} find no IMU there, and are deskewed with the motion of "
        "another moment after it"
    )
    return [i for i in items if i not in effects]


# What a finding's value shifts in time, for the distance a point is then misplaced.
_SHIFTS = {"stamp_jump", "host_step", "backward", "late_constant", "future", "stamped_on_arrival", "header_role",
           "received_before_end", "period_early", "late", "delay_trend"}  # fmt: skip


def _add_distance(item: Item, result: Result) -> None:
    """v·dt + r·ω·dt with the motion of this recording."""
    shift = abs(item.facts.get("value_ns", 0))
    if item.code not in _SHIFTS or item.severity < WARNING and item.code != "header_role":
        return
    if shift in (0, abi.SNT_UNKNOWN) or shift > 60_000_000_000 or result.turn_rate is None and result.speed is None:
        return
    seconds, turn, speed = shift / 1e9, result.turn_rate or 0.0, result.speed or 0.0
    # a turn of more than half a circle is as wrong as can be
    error = speed * seconds + RANGE_M * min(turn * seconds, 2.0)
    if error < 0.01:
        return
    moved = [f"{turn:.2f} rad/s"] if result.turn_rate is not None else []
    moved += [f"{speed:.2f} m/s"] if result.speed is not None else []
    text = f"With the motion seen here ({', '.join(moved)}) that misplaces a point at {RANGE_M:.0f} m by up to {error:.2f} m"
    item.consequences.insert(0, text)
    item.facts["error_at_10_m"] = error


def _fine(result: Result) -> List[str]:
    """What was looked at and is right."""
    bad = {i.code for i in result.items if i.severity > NOTE}
    fine = []
    if not bad & {"gap", "rate", "silent", "no_messages"}:
        fine.append("rates and gaps")
    if not bad & {"zero_stamp", "duplicate", "backward", "frozen_stamp", "interleaved", "stamp_jump"}:
        fine.append("order of stamps")
    if not bad & {"late", "late_constant", "delay_trend", "future", "time_scale", "clock_domain"}:
        fine.append("delays and clocks")
    if any(s.summary.imu_samples for s in result.scans) and not bad & _OF_THE_IMU:
        fine.append("IMU coverage of the scans")
    if result.scans and not bad & {"suspect_loss", "packet_loss"}:
        fine.append("no sign of lost packets")
    quiet = [s.topic for s in result.streams if not any(i.topic == s.name and i.severity >= WARNING for i in result.items)]
    if len(set(quiet)) == len({s.topic for s in result.streams}):
        return fine
    if quiet:
        fine.append("topics without a finding: " + ", ".join(sorted(set(quiet))[:12]))
    return fine

