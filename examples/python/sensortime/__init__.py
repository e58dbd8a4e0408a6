# SPDX-License-Identifier: BSD-3-Clause
"""Time of sensor samples: when they were measured, where the robot was then, what belongs together, clouds without motion.

Times are integers in nanoseconds. Durations that are given in seconds say so in their name. Failures are exceptions of
`sensortime.errors`, one class per status, each carrying the facts the library gave.

The whole C interface is in `sensortime.abi` (structs, constants) and `sensortime.lib` (functions with their prototypes).
"""

from . import _abi as abi
from . import (
    admission, bounded, caches, clock_graphs, clock_maps, clock_sources, conventions, counters, deskewing, epochs, errors,
    filtering, imu, messages, points, poses, qos, samples, stamps, timescales, transforms,
)  # fmt: skip
from ._library import lib
from ._library import path as library_path
from .admission import AdmissionLog, AdmissionPolicy, AdmissionRecord
from .bounded import BoundedDuration, BoundedTime, Interval
from .caches import MessageCache, TimeSequencer
from .clock_graphs import ClockGraph
from .clock_maps import ClockMap, ClockMapping
from .clock_sources import ClockSource, Deadline
from .clocks import DeviceClock
from .clouds import Layout, PointCloud, detect_layout
from .counters import TickUnwrapper
from .deskewing import Deskewed, DeskewPlan, Laser, PointTimes, deskew
from .epochs import Epoch
from .errors import SensorTimeError
from .filtering import MessageFilter
from .findings import Finding
from .imu import ImuBuffer
from .points import Points
from .poses import Pose, Twist
from .samples import Sample
from .scans import ScanAuditor
from .streams import StreamMonitor
from .sync import Synchronizer
from .timescales import LeapTable
from .transforms import Transform, TransformBuffer, TransformPath


def version() -> str:
    """Version of the loaded library."""
    text: bytes = lib.snt_version_string()
    return text.decode()


def version_number() -> int:
    """The same as major·10000 + minor·100 + patch."""
    return int(lib.snt_version_number())


__version__: str = abi.SNT_VERSION_STRING
__all__ = [
    "AdmissionLog", "AdmissionPolicy", "AdmissionRecord", "BoundedDuration", "BoundedTime", "ClockGraph", "ClockMap",
    "ClockMapping", "ClockSource", "Deadline", "DeskewPlan", "Deskewed", "DeviceClock", "Epoch", "Finding", "ImuBuffer",
    "Interval", "Laser", "Layout", "LeapTable", "MessageCache", "MessageFilter", "PointCloud", "PointTimes", "Points", "Pose",
    "Sample", "ScanAuditor", "SensorTimeError", "StreamMonitor", "Synchronizer", "TickUnwrapper", "TimeSequencer",
    "Transform", "TransformBuffer", "TransformPath", "Twist", "abi", "admission", "bounded", "caches", "clock_graphs",
    "clock_maps", "clock_sources", "conventions", "counters", "deskew", "deskewing", "detect_layout", "epochs", "errors",
    "filtering", "imu", "lib", "library_path", "messages", "points", "poses", "qos", "samples", "stamps", "timescales", "transforms",
    "version", "version_number",
]  # fmt: skip
