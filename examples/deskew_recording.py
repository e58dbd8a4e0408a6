#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Deskew the point clouds of a recording: every point as if it had been measured at its header's time.

    python examples/deskew_recording.py RECORDING [--topic /points] [--imu /imu] [--motion tf|imu|auto] [--output FILE]

The motion comes from transforms, or from the IMU's gyroscope and the velocity of an odometry; with `auto`, from transforms
where they cover the scan. Messages are taken in the order they were recorded, as a node would get them, and a scan waits
half a second for its motion. Scans that stay without are left as they are, and named.

`--output` writes the whole recording again; no byte but those of moved coordinates differs. `--truth` (of a simulated
recording) also measures how far the points lie off the walls, before and after.
Exit status: 0 all scans were deskewed, 1 some were not, 2 something could not be read or written.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import deque
from ctypes import byref, string_at
from itertools import groupby
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
from compare_with_truth import wall_distances
from lidar_time_auditor.recording import ROS1, Recording, Unreadable
from lidar_time_auditor.units import counted

from sensortime import DeskewPlan, Layout, PointCloud, TransformBuffer, abi, detect_layout, lib, stamps
from sensortime.errors import SensorTimeError

WAIT_NS = 500_000_000  # a scan waits this long for its motion
RANGE_M = 10.0  # bounds are for points this far away
UNCOVERED = (abi.SNT_ERR_PAST, abi.SNT_ERR_FUTURE, abi.SNT_ERR_GAP, abi.SNT_ERR_NOT_CONNECTED, abi.SNT_ERR_NO_TIME)
LONGEST_NS = 500_000_000  # no scan takes longer: later points are outliers


def text(view: abi.snt_text) -> str:
    return string_at(view.data, view.size).decode(errors="replace") if view.size else ""


class Motion:
    """What the recording has told so far about how the robot moves."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.tf = TransformBuffer(samples_per_edge=4096)
        self.imu: deque = deque(maxlen=8192)  # (stamp, rates)
        self.velocities: deque = deque(maxlen=1024)  # (stamp, velocity of the body)
        self.imu_frame = self.body = ""
        self.guessed: set = set()  # frames that no transform tells the place of

    def take(self, topic: str, kind: int, encoding: int, raw: bytes) -> None:
        """A message of any kind. What is malformed, late or repeated is passed over: the auditor tells of it."""
        if kind == abi.SNT_MESSAGE_TF:
            try:
                self.tf.insert_message(raw, encoding, static=topic.endswith("tf_static"))
            except SensorTimeError:
                pass
        elif kind == abi.SNT_MESSAGE_IMU and topic == self.options.imu:
            view = abi.snt_imu_view()
            good = lib.snt_imu_view_parse(encoding, raw, len(raw), byref(view), None) == 0
            good = good and not view.flags & abi.SNT_IMU_NO_ANGULAR_VELOCITY and np.isfinite(view.angular_velocity[:]).all()
            # a stamp that is not newer is of another clock, or a repetition: no motion can be made of it
            if good and (not self.imu or view.header.stamp_ns > self.imu[-1][0]):
                self.imu.append((view.header.stamp_ns, view.angular_velocity[:]))
                self.imu_frame = text(view.header.frame_id)
        elif kind == abi.SNT_MESSAGE_ODOMETRY and self.options.odometry in (None, topic):
            view = abi.snt_odometry_view()
            if lib.snt_odometry_view_parse(encoding, raw, len(raw), byref(view), None) == 0:
                self.velocities.append((view.header.stamp_ns, view.twist.v[:]))
                self.body = text(view.child_frame_id)

    def plan(self, source: str, plan: DeskewPlan, scan: abi.snt_deskew_scan, frame: str) -> None:
        """Plan the scan of a lidar in `frame` from "tf" or "imu"."""
        options, middle = self.options, (scan.begin_ns + scan.end_ns) // 2
        scan.max_acceleration, scan.max_angular_acceleration = options.max_acceleration, options.max_angular_acceleration
        if source == "tf":
            with self.tf.path(options.fixed, frame) as path:
                plan.from_path(scan, path)
            return
        body = self.body or self.imu_frame
        scan.T_body_sensor.q[:], scan.T_body_sensor.t[:] = self._place(body, frame)
        scan.rate_error, scan.velocity_error = options.rate_error, options.velocity_error
        rates = np.array([r for _, r in self.imu]).reshape(-1, 3)
        turned = self._place(body, self.imu_frame)[0]
        plan.from_imu(scan, [s for s, _ in self.imu], rates, self._velocity(middle), turned)

    def _place(self, body: str, frame: str) -> Tuple[tuple, tuple]:
        try:
            at = self.tf.lookup(body, frame)
            return at.rotation, at.translation
        except SensorTimeError:
            if frame != body:
                self.guessed.add(frame)
            return (0, 0, 0, 1), (0, 0, 0)

    def _velocity(self, at_ns: int) -> Optional[List[float]]:
        """The nearest in time; None where the odometry is silent: then only the rotation is known."""
        near = min(self.velocities, key=lambda v: abs(v[0] - at_ns), default=None)
        return near[1] if near and abs(near[0] - at_ns) <= WAIT_NS else None


class NotCovered(Exception):
    """The motion is not known at so many of a scan's points."""

    def __init__(self, points: int):
        super().__init__(points)
        self.points = points


class Scan(NamedTuple):
    """What became of one scan."""

    number: int
    stamp_ns: int
    source: str  # "tf", "imu"; "" if the scan was left as it is
    why: str  # it was left
    points: int
    outside: int  # points that the motion does not cover
    bound_m: float
    rotation_only: bool
    walls: Optional[Tuple[float, float]]  # root mean square distances before and after [m]


def layout_of(messages: Iterator[Tuple[int, bytes]], encoding: int) -> Layout:
    """What the fields mean, from the scans at hand: (log time, message)."""
    clouds, arrived = [], []
    for log_ns, raw in messages:
        try:
            clouds.append(PointCloud.from_ros(raw, encoding))
            arrived.append(log_ns)
        except SensorTimeError:
            pass  # said when its turn comes
    return detect_layout(clouds, receive_ns=arrived)


class Lidar:
    """One topic of clouds."""

    def __init__(self, topic: str, motion: Motion, truth: Optional[dict]):
        self.topic, self.motion, self.truth = topic, motion, truth
        self.plan = DeskewPlan()
        self.layout: Optional[Layout] = None
        self.scans: List[Scan] = []

    def deskew(self, raw: bytearray, encoding: int, ahead: Iterator[Tuple[int, bytes]]) -> None:
        """Move the points in the message, or leave it. `ahead`: (log time, message) of this scan and the next ones."""
        stamp, points, outside, whys = 0, 0, 0, []
        try:
            cloud = PointCloud.from_ros(raw, encoding)
            stamp, points = cloud.stamp_ns, len(cloud)
            if self.layout is None:
                self.layout = layout_of(ahead, encoding)
            cloud.layout = self.layout
            scan = self.plan.scan(cloud.cloud, stamp, limit_ns=LONGEST_NS, outside=abi.SNT_DESKEW_EXTRAPOLATE)
            for source in self.motion.options.sources:
                try:
                    self.scans.append(self._try(source, cloud, scan))
                    return
                except NotCovered as error:
                    outside = max(outside, error.points)
                    whys.append(f"no {source} cover")
                except SensorTimeError as error:
                    empty = error.status == abi.SNT_ERR_NO_TIME
                    told = "nothing came" if empty else lib.snt_status_text(error.status).decode()
                    whys.append(f"no {source} cover: {told}" if error.status in UNCOVERED else f"{source}: {error}")
        except SensorTimeError as error:
            whys.append(str(error))
        why = "; ".join(whys)
        self.scans.append(Scan(len(self.scans), stamp, "", why, points, outside or points, float("nan"), False, None))

    def _try(self, source: str, cloud: PointCloud, scan: abi.snt_deskew_scan) -> Scan:
        """Move the points, or raise and leave them."""
        frame = text(cloud.view.header.frame_id)
        self.motion.plan(source, self.plan, scan, frame)
        tried = self.plan.apply(cloud).report
        if tried.clamped:  # farther than an extrapolation may reach
            raise NotCovered(tried.outside)
        before = self._off_walls(cloud, frame)
        done = self.plan.apply_in_place(cloud)
        after = self._off_walls(cloud, frame)
        walls = None if before is None or after is None else (before, after)
        return Scan(len(self.scans), cloud.stamp_ns, source, "", len(cloud), int(done.report.outside),
                    done.bound(RANGE_M).total_m, done.rotation_only, walls)  # fmt: skip

    def _off_walls(self, cloud: PointCloud, frame: str) -> Optional[float]:
        if self.truth is None:
            return None
        x, y, _z = cloud.xyz
        return float(np.sqrt(np.mean(wall_distances(self.truth, frame, cloud.stamp_ns, x, y) ** 2)))


def messages(recording: Recording, motion: Motion, lidars: Dict[str, Lidar]) -> Iterator[Tuple[Any, int, bytes]]:
    """Every message in recorded order, clouds deskewed. Each is held back until what it waits for has come."""
    channels = {id(c): ch for c, ch in zip(recording.connections, recording.channels)}
    held: deque = deque()

    def release() -> Tuple[Any, int, bytes]:
        connection, log_ns, raw = held[0]
        lidar = lidars.get(connection.topic)
        if lidar is not None:
            raw = bytearray(raw)
            same = ((t, m) for c, t, m in held if c is connection)
            lidar.deskew(raw, channels[id(connection)].encoding, same)
        held.popleft()
        return connection, log_ns, bytes(raw)

    for connection, log_ns, raw in recording.messages():
        while held and held[0][1] < log_ns - WAIT_NS:
            yield release()
        channel = channels[id(connection)]
        motion.take(channel.topic, channel.kind, channel.encoding, raw)
        held.append((connection, log_ns, raw))
    while held:
        yield release()


def write(recording: Recording, stream: Iterator[Tuple[Any, int, bytes]], path: Path) -> None:
    """All messages, into one .mcap file (one .bag from ROS 1)."""
    from rosbags.rosbag1 import Writer as Writer1
    from rosbags.rosbag2 import StoragePlugin, Writer

    if path.exists():
        raise Unreadable(f"{path}: exists already")
    ros1 = any(c.encoding == ROS1 for c in recording.channels)
    if path.suffix != (".bag" if ros1 else ".mcap"):
        raise Unreadable(f"{path}: the output of this recording is to end in {'.bag' if ros1 else '.mcap'}")
    with tempfile.TemporaryDirectory(dir=path.parent) as room:
        made = Path(room) / path.stem
        file = made if ros1 else made / f"{path.stem}.mcap"
        with Writer1(made) if ros1 else Writer(made, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
            known = {}
            for c in recording.connections:
                more: Dict[str, Any]
                if ros1:
                    more = {"md5sum": c.digest, "callerid": c.ext.callerid, "latching": c.ext.latching}
                else:
                    # the hash of the type would go into a metadata.yaml, which a lone file has not
                    more = {"rihs01": c.digest or "unknown", "offered_qos_profiles": c.ext.offered_qos_profiles}
                known[id(c)] = writer.add_connection(c.topic, c.msgtype, msgdef=c.msgdef.data, **more)
            for connection, log_ns, raw in stream:
                writer.write(known[id(connection)], log_ns, raw)
        os.replace(file, path)


def rms(values: List[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def show(lidar: Lidar, every: bool) -> None:
    """One line for each scan if `every`, then a summary."""
    scans, at = lidar.scans, f"at {RANGE_M:.0f} m"
    if every:
        print(f"{lidar.topic}\n  scan  reference time                   by   points  outside  bound {at}  off the walls")
        for s in scans:
            walls = f"{s.walls[0]:.3f} → {s.walls[1]:.3f} m" if s.walls else ""
            alone = "rotation only  " if s.rotation_only else ""
            told = f"{s.bound_m:11.4f} m  {alone}{walls}" if s.source else f"left as it is ({s.why})"
            when = stamps.format_rfc3339(s.stamp_ns)
            print(f"  {s.number:4}  {when}  {s.source or '-':3}  {s.points:7}  {s.outside:7}  {told}".rstrip())
    print(f"{lidar.topic}: {sum(bool(s.source) for s in scans)} of {counted(len(scans), 'scan')} deskewed")
    for source in ("tf", "imu"):
        moved = [s for s in scans if s.source == source]
        if moved:
            walls = [s.walls for s in moved if s.walls]
            before, after = (rms([w[i] for w in walls]) for i in (0, 1)) if walls else (0, 0)
            shown = f"wall error RMS {before:.3f} m → {after:.3f} m, " if walls else ""
            print(f"  {counted(len(moved), 'scan')} by {source}: {shown}bound {max(s.bound_m for s in moved):.4f} m {at}")
            alone = sum(s.rotation_only for s in moved)
            if alone:
                print(f"  {counted(alone, 'scan')} without a velocity: the bound does not count how far the body drove")
    for why, run in groupby(scans, key=lambda s: s.why):
        numbers = [s.number for s in run]
        if why:
            which = f"scan {numbers[0]}" if len(numbers) == 1 else f"scans {numbers[0]} to {numbers[-1]}"
            print(f"  {which} left as recorded: {why}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("recording", type=Path, help=".bag, .db3, .mcap or a rosbag2 folder")
    add("--topic", action="append", default=[], metavar="NAME", help="deskew only these clouds; repeatable")
    add("--motion", choices=("auto", "tf", "imu"), default="auto", help="where the motion comes from")
    add("--imu", metavar="NAME", help="IMU topic (default: the one with most messages)")
    add("--odometry", metavar="NAME", help="odometry whose velocity goes with the IMU (default: all)")
    add("--fixed", default="odom", metavar="FRAME", help="frame in which the robot moves smoothly (default odom)")
    add("--rate-error", type=float, default=0.01, metavar="RAD_S", help="of the gyroscope, for the bound")
    add("--velocity-error", type=float, default=0.05, metavar="M_S", help="of the odometry, for the bound")
    add("--max-acceleration", type=float, default=2.0, metavar="M_S2", help="of the robot, for the bound")
    add("--max-angular-acceleration", type=float, default=2.0, metavar="RAD_S2", help="likewise")
    add("--output", type=Path, metavar="FILE", help="write the recording with deskewed clouds")
    add("--truth", type=Path, metavar="FILE", help="truth.json of a simulated recording")
    add("--quiet", action="store_true", help="no line for each scan")
    options = parser.parse_args()
    options.sources = ("tf", "imu") if options.motion == "auto" else (options.motion,)
    return options


def run(options: argparse.Namespace) -> int:
    truth = json.loads(options.truth.read_text()) if options.truth else None
    with Recording(options.recording) as recording:
        recording.open()
        imus = [c for c in recording.channels if c.kind == abi.SNT_MESSAGE_IMU]
        if imus and not options.imu:
            options.imu = max(imus, key=lambda c: c.count).topic
        motion = Motion(options)
        clouds = [c.topic for c in recording.channels if c.kind == abi.SNT_MESSAGE_POINTCLOUD2]
        lidars = {t: Lidar(t, motion, truth) for t in options.topic or clouds}
        if not lidars or set(lidars) - set(clouds):
            raise Unreadable(f"{options.recording}: no point clouds on {', '.join(set(lidars) - set(clouds)) or 'any topic'}")
        stream = messages(recording, motion, lidars)
        if options.output:
            write(recording, stream, options.output)
        else:
            deque(stream, maxlen=0)
    for lidar in lidars.values():
        show(lidar, not options.quiet)
    for frame in sorted(motion.guessed):
        print(f"note: no transform tells where {frame} sits; taken to be where the body is")
    return int(any(not s.source for lidar in lidars.values() for s in lidar.scans))


def main() -> int:
    try:
        return run(parse())
    except Exception as error:  # rosbags raises many kinds
        if os.environ.get("SENSORTIME_DEBUG"):
            raise
        print(f"deskew_recording: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
