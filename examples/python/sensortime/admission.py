# SPDX-License-Identifier: BSD-3-Clause
"""May this observation be used now? A decision with its evidence."""

import ctypes
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Union

from . import _abi
from ._handle import Handle, UNKNOWN, config, i32, i64, struct_dict, text_of, u32, u64
from ._library import lib
from .bounded import BoundedTime
from .epochs import Epoch
from .errors import check
from .samples import Sample

_REASONS = [v for n, v in vars(_abi).items() if n.startswith("SNT_REFUSED_")]


class AdmissionRecord:
    """All that went into a decision and what came out. True where the observation was admitted; `print` it."""

    __slots__ = ("struct",)

    def __init__(self, struct: _abi.snt_admission_record):
        self.struct = struct

    def __bool__(self) -> bool:
        return bool(self.struct.status == _abi.SNT_OK)

    @property
    def status(self) -> int:
        """SNT_OK, or why it was refused."""
        return int(self.struct.status)

    @property
    def reasons(self) -> List[str]:
        """All reasons, such as ["MAYBE_STALE"]."""
        bits = sorted(bit for bit in _REASONS if self.struct.reasons & bit)
        return [lib.snt_admission_reason_name(bit).decode() for bit in bits]

    @property
    def facts(self) -> Dict[str, Any]:
        """age_ns, age_hi_ns, uncertainty_ns, limits …"""
        return struct_dict(self.struct)

    def __str__(self) -> str:
        return text_of(lib.snt_admission_format_text, ctypes.byref(self.struct))

    def to_json(self) -> str:
        """One JSON object on one line."""
        return text_of(lib.snt_admission_format_json, ctypes.byref(self.struct))

    def to_csv(self) -> str:
        """One line of CSV with the columns of `csv_header`."""
        return text_of(lib.snt_admission_format_csv, ctypes.byref(self.struct))

    def redo(self) -> "AdmissionRecord":
        """The decision made again from the record alone."""
        out = _abi.snt_admission_record()
        check(lib.snt_admission_redo(ctypes.byref(self.struct), ctypes.byref(out)), "deciding again")
        return AdmissionRecord(out)

    def demand(self) -> "AdmissionRecord":
        """Itself, or the exception of its status (StaleError, SessionError …) with the record as `struct`."""
        check(self.status, str(self), {}, self.struct)
        return self


def csv_header() -> str:
    """Names of the columns of AdmissionRecord.to_csv."""
    return text_of(lib.snt_admission_format_csv_header)


class AdmissionPolicy:
    """What a consumer demands. Options: snt_admission_policy (domain, max_age_ns, max_uncertainty_ns, session, …)."""

    def __init__(self, epoch: Optional[Epoch] = None, **options: Any):
        self.struct = config(_abi.snt_admission_policy, lib.snt_admission_policy_init, options)
        self.epoch = epoch

    def pointer(self) -> Any:
        """As the C functions take it."""
        if self.epoch is not None:
            self.struct.epoch = self.epoch.handle
        return ctypes.byref(self.struct)

    def check(self, sample: Sample, now: BoundedTime) -> AdmissionRecord:
        """Decide on one observation. A refusal is an answer (a record that is false), not an exception."""
        out = _abi.snt_admission_record()
        status = lib.snt_admission_check(
            self.pointer(), ctypes.byref(sample.struct), ctypes.byref(now.struct), ctypes.byref(out)
        )
        if status < 0 and out.status != status:  # no record: the arguments were unusable
            check(status, "admission")
        return AdmissionRecord(out)


def refuse(status: int, sample: Sample, now: Optional[BoundedTime] = None) -> AdmissionRecord:
    """Record the refusal of an observation that never got a time; `status` is what the clock said."""
    out = _abi.snt_admission_record()
    when = None if now is None else ctypes.byref(now.struct)
    check(lib.snt_admission_refuse(i32(status, "status"), ctypes.byref(sample.struct), when, ctypes.byref(out)), "refusing")
    return AdmissionRecord(out)


class Separation(NamedTuple):
    """How far apart two acquisitions are [ns]; `greatest_ns` is None where a bound is missing."""

    close_enough: bool
    estimate_ns: int
    least_ns: int
    greatest_ns: Optional[int]
    status: int


def pair(a: Sample, b: Sample, limit_ns: int = UNKNOWN) -> Separation:
    """Are two acquisitions close enough to be used as one, for certain? Raises IncompatibleError, DomainError …"""
    out = _abi.snt_pair_separation()
    status = lib.snt_admission_pair(ctypes.byref(a.struct), ctypes.byref(b.struct), i64(limit_ns), ctypes.byref(out))
    if status not in (_abi.SNT_OK, _abi.SNT_ERR_UNCERTAIN, _abi.SNT_ERR_GAP):
        check(status, "pair")
    most = None if out.greatest_ns == UNKNOWN else out.greatest_ns
    return Separation(status == _abi.SNT_OK, out.estimate_ns, out.least_ns, most, status)


class AdmissionLog(Handle):
    """The last records. Iterate over it, oldest first."""

    _destroy = lib.snt_admission_log_destroy

    def __init__(self, capacity: int = 1024):
        out = ctypes.POINTER(_abi.snt_admission_log)()
        check(lib.snt_admission_log_create(u32(capacity, "capacity"), None, ctypes.byref(out)), "making a log")
        self._own(out)

    @staticmethod
    def size(capacity: int) -> int:
        """Memory that a log takes [bytes]."""
        out = ctypes.c_uint64()
        check(lib.snt_admission_log_size(u32(capacity, "capacity"), ctypes.byref(out)), "size of a log")
        return out.value

    def push(self, record: AdmissionRecord) -> None:
        """Keep a record; the oldest gives way."""
        check(lib.snt_admission_log_push(self.handle, ctypes.byref(record.struct)), "keeping a record")

    def counts(self) -> Dict[str, int]:
        """first, end, admitted, refused."""
        out = _abi.snt_admission_counts()
        check(lib.snt_admission_log_counts(self.handle, ctypes.byref(out)), "counting")
        return struct_dict(out)

    def __len__(self) -> int:
        counts = self.counts()
        return counts["end"] - counts["first"]

    def _get(self, function: Callable[..., int], *arguments: Union[int, Any]) -> AdmissionRecord:
        out = _abi.snt_admission_record()
        check(function(self.handle, *arguments, ctypes.byref(out)), "finding a record")
        return AdmissionRecord(out)

    def get(self, number: int) -> AdmissionRecord:
        """A record by its number. Raises NotFoundError (a LookupError)."""
        return self._get(lib.snt_admission_log_get, u64(number))

    def find(self, source: int, session: int, sequence: int) -> AdmissionRecord:
        """The newest record of an acquisition. Raises NotFoundError."""
        return self._get(lib.snt_admission_log_find, u32(source), u32(session), u64(sequence))

    def __iter__(self) -> Iterator[AdmissionRecord]:
        counts = self.counts()
        for number in range(counts["first"], counts["end"]):
            yield self.get(number)
