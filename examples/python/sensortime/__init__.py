# SPDX-License-Identifier: BSD-3-Clause
"""Time of sensor samples: stamps, layouts, audits and QoS, on the C library libsensortime.

Times are integers in nanoseconds. Durations that are given in seconds say so in their name. Failures are exceptions of
`sensortime.errors`, one class per status, each carrying the facts the library gave.

The whole C interface is in `sensortime.abi` (structs, constants) and `sensortime.lib` (functions with their prototypes).
"""

from . import _abi as abi
from . import errors, qos, stamps
from ._library import lib
from ._library import path as library_path
from .clocks import DeviceClock
from .clouds import Layout, PointCloud, detect_layout
from .deskewing import Deskewed, DeskewPlan, deskew
from .errors import SensorTimeError
from .filtering import MessageFilter
from .findings import Finding
from .scans import ScanAuditor
from .streams import StreamMonitor
from .sync import Synchronizer
from .transforms import Transform, TransformBuffer, TransformPath


def version() -> str:
    """Version of the loaded library."""
    return lib.snt_version_string().decode()


__version__ = abi.SNT_VERSION_STRING
__all__ = [
    "DeskewPlan", "Deskewed", "DeviceClock", "Finding", "Layout", "MessageFilter", "PointCloud", "ScanAuditor", "SensorTimeError", "StreamMonitor",
    "Synchronizer", "Transform", "TransformBuffer", "TransformPath", "abi", "deskew", "detect_layout", "errors", "lib",
    "library_path", "qos", "stamps", "version",
]  # fmt: skip
