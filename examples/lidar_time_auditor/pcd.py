# SPDX-License-Identifier: BSD-3-Clause
"""A .pcd file is one scan without a header stamp."""

from pathlib import Path

import numpy as np

from .recording import Unreadable

_KINDS = {"F": "f", "U": "u", "I": "i"}
_LONGEST_HEADER = 1 << 16
_MOST_POINTS = 1 << 28


def read_pcd(path: Path) -> np.ndarray:
    """The points as a structured array. Raises Unreadable with the reason."""
    data = path.read_bytes()
    head, at = {}, 0
    while "DATA" not in head:
        end = data.find(b"\n", at, _LONGEST_HEADER)
        if end < 0:
            raise Unreadable(f"{path}, byte {at}: this is no PCD file, or its header is cut")
        words = data[at:end].decode("ascii", "replace").split()
        at = end + 1
        if words and not words[0].startswith("#"):
            head[words[0]] = words[1:]
    try:
        counts = [int(c) for c in head.get("COUNT", ["1"] * len(head["FIELDS"]))]
        formats = [
            f"<{_KINDS[kind]}{size}" if count == 1 else (f"<{_KINDS[kind]}{size}", (count,))
            for kind, size, count in zip(head["TYPE"], head["SIZE"], counts)
        ]
        dtype = np.dtype(list(zip(_unique(head["FIELDS"]), formats)))
        points = int(head["POINTS"][0] if "POINTS" in head else int(head["WIDTH"][0]) * int(head["HEIGHT"][0]))
        storage = head["DATA"][0]
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise Unreadable(f"{path}: the PCD header makes no sense ({error})") from None
    if not 0 <= points <= _MOST_POINTS:
        raise Unreadable(f"{path}: the PCD header claims {points} points")
    if storage == "binary":
        if len(data) - at < points * dtype.itemsize:
            raise Unreadable(
                f"{path}, byte {len(data)}: the file ends before its points do ({points * dtype.itemsize} bytes from byte {at})"
            )
        return np.frombuffer(data, dtype, points, at)
    if storage == "ascii":
        try:
            rows = [tuple(line.split()) for line in data[at:].decode().splitlines() if line.strip()]
            return np.array(rows[:points], dtype)
        except (ValueError, UnicodeDecodeError) as error:
            raise Unreadable(f"{path}, byte {at}: the points cannot be read ({error})") from None
    raise Unreadable(f"{path}: PCD data '{storage}' is not read; convert it to binary (pcl_convert_pcd_ascii_binary)")


def _unique(names):
    """numpy wants every field named once; padding is called "_" each time."""
    return [f"{name}{i}" if names.count(name) > 1 else name for i, name in enumerate(names)]
