# SPDX-License-Identifier: BSD-3-Clause
"""Find and load the shared library, once."""

import ctypes
import ctypes.util
import os
import sys
from pathlib import Path
from typing import Iterator, Tuple

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


def _bind(library: ctypes.CDLL, path: str) -> None:
    missing = []
    for name, (restype, argtypes) in _abi.PROTOTYPES.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            missing.append(name)
            continue
        function.restype, function.argtypes = restype, argtypes
    if missing:
        shown = ", ".join(missing[:4]) + (", …" if len(missing) > 4 else "")
        raise ImportError(
            f"{path} is older than this package (version {_abi.SNT_VERSION_STRING}): it lacks {shown}. "
            "Build it again (ninja -C build/release) or point SENSORTIME_LIBRARY at a newer one."
        )


def _load() -> Tuple[ctypes.CDLL, str]:
    tried = []
    for path, origin in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            tried.append(f"  {path} ({origin}): {error}")
            continue
        _bind(library, path)
        major = library.snt_version_number() // 10000
        if major != _abi.SNT_VERSION_MAJOR:
            raise ImportError(
                f"{path} has version {library.snt_version_string().decode()}, "
                f"this package speaks {_abi.SNT_VERSION_STRING}"
            )
        return library, path
    raise ImportError(
        "libsensortime was not found. Build it (meson setup build/release && ninja -C build/release) or set "
        "SENSORTIME_LIBRARY to the shared library's path. Tried:\n" + "\n".join(tried)
    )


lib, path = _load()
