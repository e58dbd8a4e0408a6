#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write a ROS 2 recording of a simulated robot whose time stamps are wrong in known ways, and the truth beside it.

    python examples/simulate_recording.py OUT_FOLDER [--seconds 30] [--storage mcap|sqlite3] [--clean]
    python examples/simulate_recording.py --compare OUT_FOLDER/truth.json AUDIT.jsonl

A robot drives a circle in a square hall with two spinning lidars, a planar scanner, an IMU, odometry and tf. `--clean`
injects no fault. The recording is a rosbag2 folder; the same seed gives the same bytes.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

MS = 1_000_000
S = 1_000_000_000
START_NS = 1_700_000_000 * S  # 2023-11-14T22:13:20Z
LEAST_SECONDS = 24  # the faults are spread over this much

RINGS = 16
COLUMNS = 300
COLUMNS_PER_PACKET = 4
SCAN_NS = 100 * MS
RING_NS = 2_304  # one laser after the other
POINT = np.dtype(
    {
        "names": ["x", "y", "z", "intensity", "ring", "time"],
        "formats": ["<f4", "<f4", "<f4", "<f4", "<u2", "<f4"],
        "offsets": [0, 4, 8, 12, 16, 18],
        "itemsize": 22,
    }
)
HALL = 12.0  # half the side of the hall [m]
SPEED, TURN = 1.0, 0.5  # of the robot [m/s, rad/s]
RANGE_NOISE = 0.01  # of the lidars, one sigma [m]
MOUNTS = {  # where the sensors sit on the robot: x, y, z, heading [m, rad]
    "lidar": (0.3, 0.0, 0.5, 0.0),
    "rear": (-0.4, 0.1, 0.5, np.pi),
    "imu": (0.0, 0.0, 0.5, 0.0),
    "scanner": (0.0, 0.0, 0.5, 0.0),
}


def pose_at(t):
    """x, y, heading of the robot t seconds after the start."""
    heading = TURN * t
    radius = SPEED / TURN
    return radius * np.sin(heading), radius * (1 - np.cos(heading)), heading


def sensor_at(frame, t):
    """x, y, heading of a sensor t seconds after the start."""
    x, y, heading = pose_at(t)
    ahead, left, _up, turned = MOUNTS[frame]
    c, s = np.cos(heading), np.sin(heading)
    return x + c * ahead - s * left, y + s * ahead + c * left, heading + turned


def hall_ranges(x, y, direction, elevation):
    """Distance along each ray to the four walls [m]."""
    c, s = np.cos(direction), np.sin(direction)
    with np.errstate(divide="ignore"):
        to_x = np.where(c > 0, (HALL - x) / c, (-HALL - x) / c)
        to_y = np.where(s > 0, (HALL - y) / s, (-HALL - y) / s)
    return np.minimum(np.abs(to_x), np.abs(to_y)) / np.cos(elevation)


class Simulation:
    """Makes the messages of one recording and remembers every fault it puts in."""

    def __init__(self, seconds, seed, faulty):
        from rosbags.typesys import Stores, get_typestore

        self.store = get_typestore(Stores.ROS2_JAZZY)
        self.types = self.store.types
        self.seconds = seconds
        self.faulty = faulty
        self.rng = np.random.default_rng(seed)
        self.messages = []  # (log time, topic, bytes)
        self.topics = {}  # topic -> (type, QoS preset)
        self.faults = []

    # -- pieces of messages -------------------------------------------------------------------------------------

    def _type(self, name):
        return self.types[name]

    def _header(self, stamp_ns, frame):
        sec, nanosec = divmod(int(stamp_ns), S)
        stamp = self._type("builtin_interfaces/msg/Time")(sec, nanosec)
        return self._type("std_msgs/msg/Header")(stamp, frame)

    def _vector(self, x, y, z):
        return self._type("geometry_msgs/msg/Vector3")(float(x), float(y), float(z))

    def _yaw(self, heading):
        return self._type("geometry_msgs/msg/Quaternion")(0.0, 0.0, np.sin(heading / 2), np.cos(heading / 2))

    def topic(self, name, msgtype, qos="sensor_data"):
        self.topics[name] = (msgtype, qos)

    def put(self, topic, log_ns, message):
        raw = self.store.serialize_cdr(message, self.topics[topic][0])
        self.messages.append((int(log_ns), topic, bytes(raw)))

    def fault(self, kind, topic, **facts):
        self.faults.append({"kind": kind, "topic": topic, **facts})

    def latency(self, least, spread):
        """One-sided: nothing arrives before it was sent [ns]."""
        return int(least + self.rng.gamma(2.0, spread / 2))

    # -- sensors ------------------------------------------------------------------------------------------------

    def lidar(self, topic, frame, stamps_last_packet, lost):
        """A spinning lidar. `lost`: scan number -> packets that never arrive."""
        self.topic(topic, "sensor_msgs/msg/PointCloud2")
        field = self._type("sensor_msgs/msg/PointField")
        numbers = {"<f4": 7, "<u2": 4}
        fields = [
            field(n, POINT.fields[n][1], numbers[POINT.fields[n][0].str], 1)
            for n in POINT.names
        ]
        elevation = np.deg2rad(np.linspace(-15, 15, RINGS))
        column, ring = np.divmod(np.arange(COLUMNS * RINGS), RINGS)
        offset_ns = column * (SCAN_NS // COLUMNS) + ring * RING_NS
        azimuth = -2 * np.pi * column / COLUMNS
        packet = column // COLUMNS_PER_PACKET
        first_of_last = offset_ns[packet == packet.max()].min()
        count = int(self.seconds * S // SCAN_NS)
        for scan in range(count):
            start = START_NS + scan * SCAN_NS + int(self.rng.normal(0, 20_000))
            # every point is seen from where the lidar is at that moment: this is what bends scans
            x, y, heading = sensor_at(frame, (start - START_NS + offset_ns) / S)
            distance = hall_ranges(x, y, heading + azimuth, elevation[ring])
            distance = distance + self.rng.normal(0, RANGE_NOISE, distance.size)
            cloud = np.zeros(offset_ns.size, POINT)
            cloud["x"] = distance * np.cos(elevation[ring]) * np.cos(azimuth)
            cloud["y"] = distance * np.cos(elevation[ring]) * np.sin(azimuth)
            cloud["z"] = distance * np.sin(elevation[ring])
            cloud["intensity"] = 100 * np.exp(-distance / 20)
            cloud["ring"] = ring
            zero = first_of_last if stamps_last_packet else 0
            cloud["time"] = (offset_ns - zero) / S
            cloud = cloud[~np.isin(packet, lost.get(scan, []))]
            if scan in lost and not lost[scan]:
                continue  # the whole scan is lost
            message = self._type("sensor_msgs/msg/PointCloud2")(
                self._header(start + zero, frame), 1, cloud.size, fields, False,
                POINT.itemsize, POINT.itemsize * cloud.size, cloud.view(np.uint8), True,
            )  # fmt: skip
            self.put(topic, start + SCAN_NS + self.latency(3 * MS, 2 * MS), message)

    def scanner(self, topic):
        """A planar scanner, 20 Hz: stamps are the first ray. Nothing is wrong with it."""
        self.topic(topic, "sensor_msgs/msg/LaserScan")
        rays, period = 360, 50 * MS
        increment = 40 * MS // rays
        angle = np.linspace(-np.pi / 2, np.pi / 2, rays)
        for k in range(int(self.seconds * S // period)):
            stamp = START_NS + k * period + int(self.rng.normal(0, 30_000))
            x, y, heading = pose_at((stamp - START_NS + increment * np.arange(rays)) / S)
            ranges = hall_ranges(x, y, heading + angle, 0.0).astype(np.float32)
            message = self._type("sensor_msgs/msg/LaserScan")(
                self._header(stamp, "scanner"), float(angle[0]), float(angle[-1]), float(angle[1] - angle[0]),
                increment / S, period / S, 0.1, 40.0, ranges, np.zeros(0, np.float32),
            )  # fmt: skip
            self.put(topic, stamp + 40 * MS + self.latency(2 * MS, 1 * MS), message)

    def imu(self, topic, step_at_ns, step_ns):
        """200 Hz. Its clock steps by `step_ns` at `step_at_ns` and stays there."""
        self.topic(topic, "sensor_msgs/msg/Imu")
        covariance = np.zeros(9)
        for k in range(int(self.seconds * 200)):
            true = START_NS + k * 5 * MS
            stamp = true + (step_ns if true >= step_at_ns else 0)
            heading = TURN * (true - START_NS) / S
            message = self._type("sensor_msgs/msg/Imu")(
                self._header(stamp, "imu"), self._yaw(heading), covariance,
                self._vector(0, 0, TURN + self.rng.normal(0, 0.002)), covariance,
                self._vector(0, SPEED * TURN, 9.81), covariance,
            )  # fmt: skip
            self.put(topic, true + self.latency(1 * MS, MS // 2), message)

    def transforms(self, topic, gap):
        """odom→base at 50 Hz (without the samples in `gap`) and base→arm at 30 Hz on one topic, as tf does."""
        self.topic(topic, "tf2_msgs/msg/TFMessage", "default")
        made = self._type("geometry_msgs/msg/TransformStamped")
        transform = self._type("geometry_msgs/msg/Transform")
        array = self._type("tf2_msgs/msg/TFMessage")
        for parent, child, period, hole in (
            ("odom", "base_link", 20 * MS, gap),
            ("base_link", "arm", 33_333_333, None),
        ):
            for k in range(int(self.seconds * S // period)):
                stamp = START_NS + k * period
                if hole and hole[0] < stamp < hole[1]:
                    continue
                x, y, heading = pose_at((stamp - START_NS) / S)
                value = transform(self._vector(x, y, 0), self._yaw(heading))
                message = array([made(self._header(stamp, parent), child, value)])
                # the arm is sent later than the base: stamps on /tf as a whole go back, per child they do not
                late = 1 * MS if child == "base_link" else 15 * MS
                self.put(topic, stamp + self.latency(late, MS), message)

    def static_transforms(self, topic):
        self.topic(topic, "tf2_msgs/msg/TFMessage", "latched")
        made = self._type("geometry_msgs/msg/TransformStamped")
        transform = self._type("geometry_msgs/msg/Transform")
        sent = [
            made(self._header(START_NS, "base_link"), child, transform(self._vector(x, y, z), self._yaw(heading)))
            for child, (x, y, z, heading) in MOUNTS.items()
        ]
        self.put(topic, START_NS + 2 * MS, self._type("tf2_msgs/msg/TFMessage")(sent))

    def fix(self, topic, zeros):
        """A receiver at 5 Hz that leaves the stamp of the messages in `zeros` unfilled."""
        self.topic(topic, "sensor_msgs/msg/NavSatFix")
        status = self._type("sensor_msgs/msg/NavSatStatus")(0, 1)
        for k in range(int(self.seconds * 5)):
            true = START_NS + k * 200 * MS
            stamp = 0 if k in zeros else true
            message = self._type("sensor_msgs/msg/NavSatFix")(
                self._header(stamp, "gnss"), status, 48.0, 11.0, 500.0, np.zeros(9), 0
            )
            self.put(topic, true + self.latency(30 * MS, 5 * MS), message)

    def joints(self, topic, repeated):
        """50 Hz; the samples in `repeated` carry the stamp of the one before."""
        self.topic(topic, "sensor_msgs/msg/JointState")
        empty = np.zeros(0)
        stamp = START_NS
        for k in range(int(self.seconds * 50)):
            true = START_NS + k * 20 * MS
            if k not in repeated:
                stamp = true
            position = np.array([0.01 * k])
            message = self._type("sensor_msgs/msg/JointState")(
                self._header(stamp, ""), ["wheel"], position, empty, empty
            )
            self.put(topic, true + self.latency(2 * MS, MS), message)

    def odometry(self, topic, backlog_from_ns, backlog_s_per_s):
        """50 Hz; from `backlog_from_ns` on the recorder falls behind a little more with every message."""
        self.topic(topic, "nav_msgs/msg/Odometry")
        typed = self._type
        covariance = np.zeros(36)
        for k in range(int(self.seconds * 50)):
            stamp = START_NS + k * 20 * MS
            x, y, heading = pose_at((stamp - START_NS) / S)
            pose = typed("geometry_msgs/msg/Pose")(typed("geometry_msgs/msg/Point")(x, y, 0.0), self._yaw(heading))
            twist = typed("geometry_msgs/msg/Twist")(self._vector(SPEED, 0, 0), self._vector(0, 0, TURN))
            message = typed("nav_msgs/msg/Odometry")(
                self._header(stamp, "odom"), "base_link",
                typed("geometry_msgs/msg/PoseWithCovariance")(pose, covariance),
                typed("geometry_msgs/msg/TwistWithCovariance")(twist, covariance),
            )  # fmt: skip
            behind = max(0, stamp - backlog_from_ns) * backlog_s_per_s
            self.put(topic, stamp + behind + self.latency(3 * MS, MS), message)

    def camera(self, topic, ahead_ns):
        """15 Hz, from a computer whose clock is ahead."""
        self.topic(topic, "sensor_msgs/msg/CompressedImage")
        typed = self._type("sensor_msgs/msg/CompressedImage")
        pictures = self.rng.integers(0, 256, (int(self.seconds * 15), 64), np.uint8)
        for k in range(int(self.seconds * 15)):
            true = START_NS + k * S // 15
            message = typed(self._header(true + ahead_ns, "camera"), "jpeg", pictures[k])
            self.put(topic, true + self.latency(25 * MS, 3 * MS), message)

    def map(self, topic, latched):
        self.topic(topic, "nav_msgs/msg/OccupancyGrid", "latched" if latched else "volatile_map")
        typed = self._type
        pose = typed("geometry_msgs/msg/Pose")(typed("geometry_msgs/msg/Point")(-HALL, -HALL, 0.0), self._yaw(0.0))
        sec, nanosec = divmod(START_NS, S)
        stamp = typed("builtin_interfaces/msg/Time")(sec, nanosec)
        info = typed("nav_msgs/msg/MapMetaData")(stamp, 0.5, 48, 48, pose)
        cells = np.zeros(48 * 48, np.int8)
        self.put(topic, START_NS + 5 * MS, typed("nav_msgs/msg/OccupancyGrid")(self._header(START_NS, "map"), info, cells))

    # -- the whole recording ------------------------------------------------------------------------------------

    def run(self):
        bad = self.faulty
        lost = {57: list(range(30, 38)), 103: list(range(10, 20)), 104: list(range(60, 66))} if bad else {}
        whole = [150, 151] if bad else []
        self.lidar("/lidar/points", "lidar", False, {**lost, **{s: [] for s in whole}})
        self.lidar("/rear/points", "rear", bad, {})
        self.scanner("/scan")
        step_at = START_NS + 18 * S
        self.imu("/imu", step_at, -1 * S if bad else 0)
        hole = (START_NS + 9 * S, START_NS + 9 * S + 600 * MS)
        self.transforms("/tf", hole if bad else None)
        self.static_transforms("/tf_static")
        self.fix("/fix", {20, 21, 60} if bad else set())
        repeated = {k for k in range(400, 480) if k % 2} if bad else set()
        self.joints("/joint_states", repeated)
        self.odometry("/odom", START_NS + 8 * S, 0.03 if bad else 0.0)
        self.camera("/camera/image/compressed", 250 * MS if bad else 0)
        self.map("/map", not bad)
        if bad:
            for scan in sorted(lost):
                self.fault("lost_packets", "/lidar/points", scan=scan, packets=lost[scan],
                           stamp_ns=START_NS + scan * SCAN_NS)  # fmt: skip
            self.fault("lost_scans", "/lidar/points", scans=whole, after_ns=START_NS + 149 * SCAN_NS, count=2)
            span = (COLUMNS // COLUMNS_PER_PACKET - 1) * COLUMNS_PER_PACKET * (SCAN_NS // COLUMNS)
            self.fault("stamp_is_last_packet", "/rear/points", first_point_ns=-span)
            self.fault("clock_step", "/imu", at_ns=step_at, step_ns=-1 * S)
            self.fault("gap", "/tf", child="base_link", after_ns=hole[0], length_ns=hole[1] - hole[0])
            self.fault("zero_stamps", "/fix", count=3)
            self.fault("duplicate_stamps", "/joint_states", count=len(repeated))
            self.fault("growing_delay", "/odom", from_ns=START_NS + 8 * S, slope_s_per_s=0.03)
            self.fault("future_stamps", "/camera/image/compressed", ahead_ns=250 * MS)
            self.fault("late_joiner", "/map")
        self.messages.sort(key=lambda m: m[0])

    def truth(self):
        return {
            "start_ns": START_NS,
            "seconds": self.seconds,
            "messages": len(self.messages),
            "clean_topics": sorted(set(self.topics) - {f["topic"] for f in self.faults}),
            "faults": self.faults,
            "room": {"half_side_m": HALL, "speed_m_s": SPEED, "turn_rad_s": TURN, "range_noise_m": RANGE_NOISE,
                     "mounts": MOUNTS},
        }

    def write(self, folder, storage):
        from rosbags.interfaces import (
            Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime,
        )  # fmt: skip
        from rosbags.rosbag2 import StoragePlugin, Writer

        forever = QosTime(9223372036, 854775807)

        def qos(depth, reliability, durability):
            return Qos(QosHistory.KEEP_LAST, depth, reliability, durability, forever, forever,
                       QosLiveliness.AUTOMATIC, forever, False)  # fmt: skip

        presets = {
            "sensor_data": qos(5, QosReliability.BEST_EFFORT, QosDurability.VOLATILE),
            "default": qos(10, QosReliability.RELIABLE, QosDurability.VOLATILE),
            "latched": qos(1, QosReliability.RELIABLE, QosDurability.TRANSIENT_LOCAL),
            "volatile_map": qos(1, QosReliability.RELIABLE, QosDurability.VOLATILE),
        }
        plugin = {"mcap": StoragePlugin.MCAP, "sqlite3": StoragePlugin.SQLITE3}[storage]
        with Writer(folder, version=9, storage_plugin=plugin) as writer:
            connections = {
                name: writer.add_connection(
                    name, msgtype, typestore=self.store, offered_qos_profiles=[presets[preset]]
                )
                for name, (msgtype, preset) in self.topics.items()
            }
            for log_ns, topic, raw in self.messages:
                writer.write(connections[topic], log_ns, raw)
        (folder / "truth.json").write_text(json.dumps(self.truth(), indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="rosbag2 folder to make (must not exist)")
    parser.add_argument("--seconds", type=float, default=30.0, help="length of the recording (default 30)")
    parser.add_argument("--seed", type=int, default=1, help="of the noise (default 1)")
    parser.add_argument("--storage", choices=("mcap", "sqlite3"), default="mcap")
    parser.add_argument("--clean", action="store_true", help="inject no fault")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("TRUTH", "AUDIT"),
                        help="show what was injected next to what an audit's --jsonl found")  # fmt: skip
    options = parser.parse_args()
    if options.compare:
        from compare_with_truth import report

        sys.exit(report(*options.compare))
    if options.folder is None:
        parser.error("name a folder to write")
    if not options.clean and options.seconds < LEAST_SECONDS:
        parser.error(f"the faults need at least {LEAST_SECONDS} s")
    if options.folder.exists():
        parser.error(f"{options.folder} exists already")
    simulation = Simulation(options.seconds, options.seed, not options.clean)
    simulation.run()
    simulation.write(options.folder, options.storage)
    print(f"wrote {options.folder}: {len(simulation.messages)} messages, {len(simulation.faults)} faults")


if __name__ == "__main__":
    main()
