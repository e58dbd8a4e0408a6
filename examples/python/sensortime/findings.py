# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts of the stream monitor and the scan auditor, in words."""

import ctypes
from typing import Any, Callable, Dict, List

from . import _abi
from ._handle import Handle, struct_dict, text_of, u32
from ._library import lib
from .errors import check

NOTE, WARNING, ERROR = _abi.SNT_SEVERITY_NOTE, _abi.SNT_SEVERITY_WARNING, _abi.SNT_SEVERITY_ERROR
SEVERITY_NAMES = {NOTE: "note", WARNING: "warning", ERROR: "error"}
_MOST = 64


class Finding:
    """One verdict: what it is, how sure, and what to do. Its numbers are in `facts`."""

    def __init__(self, struct: _abi.snt_finding):
        self.struct = struct

    @property
    def code(self) -> int:
        """SNT_FINDING_*."""
        return int(self.struct.code)

    @property
    def name(self) -> str:
        """Short name in lower case, such as "clock_domain"."""
        name: bytes = lib.snt_finding_name(self.struct.code)
        return name.decode()[len("SNT_FINDING_") :].lower()

    @property
    def severity(self) -> int:
        """NOTE, WARNING or ERROR."""
        return int(self.struct.severity)

    @property
    def certainty(self) -> float:
        """0..1; 1 = proven by the data given."""
        return float(self.struct.certainty)

    @property
    def meaning(self) -> str:
        """What it means, in a sentence."""
        text: bytes = lib.snt_finding_meaning(self.struct.code)
        return text.decode()

    @property
    def remedy(self) -> str:
        """What to do about it."""
        text: bytes = lib.snt_finding_remedy(self.struct.code)
        return text.decode()

    @property
    def facts(self) -> Dict[str, Any]:
        """Every number of the finding; what they hold depends on the code."""
        return struct_dict(self.struct)

    def __str__(self) -> str:
        return text_of(lib.snt_finding_format, ctypes.byref(self.struct))

    def __repr__(self) -> str:
        return f"<Finding {self.name}: {self}>"


def usual_severity(code: int) -> int:
    """NOTE, WARNING or ERROR: how bad SNT_FINDING_* is as a rule."""
    return int(lib.snt_finding_severity(u32(code, "code")))


def collect(function: Callable[..., int], owner: Handle) -> List[Finding]:
    """All findings of a handle, given its `…_findings` function."""
    room = (_abi.snt_finding * _MOST)()
    count = ctypes.c_uint32()
    pointer = owner._enter()
    try:
        status = function(pointer, room, _MOST, ctypes.byref(count))
    finally:
        owner._leave()
    check(status, "reading the findings")
    # each finding is copied out of the array: it must outlive it
    return [Finding(_abi.snt_finding.from_buffer_copy(room[i])) for i in range(count.value)]
