# SPDX-License-Identifier: BSD-3-Clause
"""Find and load the shared library, once.

Short calls keep the GIL: letting go of it would take longer than most of them, and no two Python threads are ever in one
handle at a time. Calls over many points, messages or stamps let go of it; `_handle.Handle` keeps their handle alive.
"""

import ctypes
import ctypes.util
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterator, Tuple

from . import _abi

_NAMES = {"darwin": "libsensortime.1.dylib", "win32": "sensortime.dll"}


def _candidates() -> Iterator[Tuple[str, str]]:
    """(path or name, where it comes from), best first."""
    name = _NAMES.get(sys.platform, "libsensortime.so.1")
    chosen = os.environ.get("SENSORTIME_LIBRARY")
    if chosen:
        # An explicit choice is never silently replaced by another copy.
        yield chosen, "SENSORTIME_LIBRARY"
        return
    package = Path(__file__).resolve().parent
    for bundled in (package / name, package / "libsensortime.so"):
        if bundled.exists():
            yield str(bundled), "inside the package"
    if len(package.parents) > 2:
        built = package.parents[2] / "build" / "release" / name
        if built.exists():
            yield str(built), "this checkout's build/release"
    yield name, "the system's library path"
    found = ctypes.util.find_library("sensortime")
    if found:
        yield found, "the system's library path"


# What may take longer than a few microseconds: the GIL is let go meanwhile.
LONG = frozenset(
    """
    snt_clock_graph_convert_many snt_clock_map_to_host_many snt_cloud_rings snt_cloud_times snt_deskew_apply
    snt_deskew_apply_copy snt_deskew_apply_with snt_deskew_laser snt_deskew_matrices snt_deskew_poses snt_deskew_rows snt_deskew_scan_from_cloud
    snt_device_clock_stamp_many snt_imu_buffer_copy snt_imu_buffer_insert_many snt_laserscan_project snt_leap_table_parse
    snt_livox_view_parse snt_message_stamps snt_point_layout_detect snt_pose_apply_points snt_pose_apply_points_f32
    snt_pose_rotate_vectors snt_scan_auditor_add_imu_many snt_scan_auditor_add_scan snt_scan_auditor_findings
    snt_scan_auditor_points snt_stream_monitor_add_many snt_synchronizer_add_many snt_tf_buffer_dump_dot
    snt_tf_buffer_dump_json snt_tf_buffer_gc snt_tf_buffer_insert_many snt_tf_buffer_lint snt_tf_message_stamps
    snt_tf_path_lookup_many
    """.split()
)


def _bind(released: ctypes.CDLL, held: ctypes.PyDLL, path: str) -> SimpleNamespace:
    bound, missing = SimpleNamespace(), []
    for name, (restype, argtypes) in _abi.PROTOTYPES.items():
        try:
            function = getattr(released if name in LONG else held, name)
        except AttributeError:
            missing.append(name)
            continue
        function.restype, function.argtypes = restype, argtypes
        setattr(bound, name, function)
    if missing:
        shown = ", ".join(missing[:4]) + (", …" if len(missing) > 4 else "")
        raise ImportError(
            f"{path} is older than this package (version {_abi.SNT_VERSION_STRING}): it lacks {shown}. "
            "Build it again (ninja -C build/release) or point SENSORTIME_LIBRARY at a newer one."
        )
    return bound


def _load() -> Tuple[SimpleNamespace, str]:
    tried = []
    for path, origin in _candidates():
        try:
            bound = _bind(ctypes.CDLL(path), ctypes.PyDLL(path), path)
        except OSError as error:
            tried.append(f"  {path} ({origin}): {error}")
            continue
        major = bound.snt_version_number() // 10000
        if major != _abi.SNT_VERSION_MAJOR:
            raise ImportError(
                f"{path} has version {bound.snt_version_string().decode()}, "
                f"this package speaks {_abi.SNT_VERSION_STRING}"
            )
        return bound, path
    raise ImportError(
        "libsensortime was not found. Build it (meson setup build/release && ninja -C build/release) or set "
        "SENSORTIME_LIBRARY to the shared library's path. Tried:\n" + "\n".join(tried)
    )


lib: Any
lib, path = _load()
