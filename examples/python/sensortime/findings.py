# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts of the stream monitor and the scan auditor, in words."""

import ctypes
from typing import Any, Dict, List

from . import _abi
from ._handle import struct_dict, text_of
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
        return self.struct.code

    @property
    def name(self) -> str:
        """Short name in lower case, such as "clock_domain"."""
        return lib.snt_finding_name(self.struct.code).decode()[len("SNT_FINDING_") :].lower()

    @property
    def severity(self) -> int:
        """NOTE, WARNING or ERROR."""
        return self.struct.severity

    @property
    def certainty(self) -> float:
        """0..1; 1 = proven by the data given."""
        return self.struct.certainty

    @property
    def meaning(self) -> str:
        return lib.snt_finding_meaning(self.struct.code).decode()

    @property
    def remedy(self) -> str:
        return lib.snt_finding_remedy(self.struct.code).decode()

    @property
    def facts(self) -> Dict[str, Any]:
        """Every number of the finding; what they hold depends on the code."""
        return struct_dict(self.struct)

    def __str__(self) -> str:
        return text_of(lib.snt_finding_format, ctypes.byref(self.struct))

    def __repr__(self) -> str:
        return f"<Finding {self.name}: {self}>"


def collect(function: Any, handle: Any) -> List[Finding]:
    """All findings of a handle, given its `…_findings` function."""
    room = (_abi.snt_finding * _MOST)()
    count = ctypes.c_uint32()
    check(function(handle, room, _MOST, ctypes.byref(count)), "reading the findings")
    # each finding is copied out of the array: it must outlive it
    return [Finding(_abi.snt_finding.from_buffer_copy(room[i])) for i in range(count.value)]
