# SPDX-License-Identifier: BSD-3-Clause
"""From a device's counter to host time with bounds: what a driver calls."""

import ctypes
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional, Tuple

import numpy as np

from . import _abi
from ._handle import Handle, config, i64, integers, struct_dict, typed, u32, u64
from ._library import lib
from .errors import check

if TYPE_CHECKING:
    from .admission import AdmissionPolicy, AdmissionRecord
    from .bounded import BoundedTime

UNKNOWN = _abi.SNT_UNKNOWN


class Stamp(NamedTuple):
    """When it happened on the host's clock; the truth lies in [lo, hi] if the declared assumptions hold."""

    t_ns: int
    lo_ns: Optional[int]  # None: no bound on this side
    hi_ns: Optional[int]
    sample: _abi.snt_sample


def _stamp(sample: _abi.snt_sample) -> Stamp:
    lo = sample.t0_ns - sample.err_lo_ns if sample.flags & _abi.SNT_TIME_BOUND_LO else None
    hi = sample.t1_ns + sample.err_hi_ns if sample.flags & _abi.SNT_TIME_BOUND_HI else None
    return Stamp(sample.t0_ns, lo, hi, sample)


class DeviceClock(Handle):
    """A device's counter mapped to host time. Options: snt_device_clock_config (tick_num_ns, counter_bits, …).

    Observe arrivals (or triggers, exchanges, PPS), then ask for stamps. A session is 0 for "the current one".
    """

    _destroy = lib.snt_device_clock_destroy

    def __init__(self, **options: Any):
        cfg = config(_abi.snt_device_clock_config, lib.snt_device_clock_config_init, options)
        out = ctypes.POINTER(_abi.snt_device_clock)()
        check(lib.snt_device_clock_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a device clock")
        self._own(out)

    def observe_arrival(self, raw: int, receive_ns: int, session: int = 0) -> bool:
        """A packet stamped `raw` was received at `receive_ns`; False for a duplicate or one that came too late.

        Raises ResetSuspectError, ViolationError, AmbiguousError … where the observation cannot be used.
        """
        proof = _abi.snt_clock_proof()
        status = lib.snt_device_clock_observe_arrival(
            self.handle, u32(session, "session"), u64(raw, "counter"), i64(receive_ns), ctypes.byref(proof)
        )
        return self._taken(status, proof, raw)

    @staticmethod
    def _taken(status: int, proof: _abi.snt_clock_proof, raw: int) -> bool:
        if status >= 0:
            return True
        if status in (_abi.SNT_ERR_DUPLICATE, _abi.SNT_ERR_BACKWARD):
            return False
        from .clock_maps import judged

        return judged(status, proof, f"observing {raw}")

    def observe_trigger(self, raw: int, command_ns: int, session: int = 0) -> bool:
        """A command issued at `command_ns` caused the event stamped `raw`; results as `observe_arrival`."""
        proof = _abi.snt_clock_proof()
        status = lib.snt_device_clock_observe_trigger(
            self.handle, u32(session, "session"), u64(raw, "counter"), i64(command_ns), ctypes.byref(proof)
        )
        return self._taken(status, proof, raw)

    def observe_exchange(self, send_ns: int, raw_receive: int, raw_send: int, receive_ns: int, session: int = 0) -> bool:
        """A request left at `send_ns`, was received and answered by the device, the reply came at `receive_ns`."""
        proof = _abi.snt_clock_proof()
        status = lib.snt_device_clock_observe_exchange(
            self.handle, u32(session, "session"), i64(send_ns), u64(raw_receive, "counter"), u64(raw_send, "counter"),
            i64(receive_ns), ctypes.byref(proof),
        )  # fmt: skip
        return self._taken(status, proof, raw_receive)

    def observe_cross(self, before_ns: int, raw: int, after_ns: int, session: int = 0) -> bool:
        """The counter was read between two readings of the host's clock."""
        proof = _abi.snt_clock_proof()
        status = lib.snt_device_clock_observe_cross(
            self.handle, u32(session, "session"), i64(before_ns), u64(raw, "counter"), i64(after_ns), ctypes.byref(proof)
        )
        return self._taken(status, proof, raw)

    def observe_pps(self, raw: int, second_ns: int, error_ns: int = 0, session: int = 0) -> bool:
        """The counter was latched at the pulse that marks `second_ns`."""
        proof = _abi.snt_clock_proof()
        status = lib.snt_device_clock_observe_pps(
            self.handle, u32(session, "session"), u64(raw, "counter"), i64(second_ns), i64(error_ns), ctypes.byref(proof)
        )
        return self._taken(status, proof, raw)

    def request(self, send_ns: int, session: int = 0) -> int:
        """Note that a request leaves; the id to send along and to give to `reply`."""
        out = ctypes.c_uint32()
        status = lib.snt_device_clock_request(self.handle, u32(session, "session"), i64(send_ns), ctypes.byref(out))
        check(status, "noting a request")
        return out.value

    def reply(self, request: int, raw_receive: int, raw_send: int, receive_ns: int, session: int = 0) -> bool:
        """The reply to a request. Raises StaleError for one that is not open."""
        proof = _abi.snt_clock_proof()
        status = lib.snt_device_clock_reply(
            self.handle, u32(session, "session"), u32(request, "request"), u64(raw_receive, "counter"),
            u64(raw_send, "counter"), i64(receive_ns), ctypes.byref(proof),
        )  # fmt: skip
        return self._taken(status, proof, raw_receive)

    def stamp_interval(
        self, raw_first: int, raw_last: int, receive_ns: int = UNKNOWN, session: int = 0, sequence: int = 0
    ) -> Optional[Stamp]:
        """As `stamp` for a scan or exposure from its first to its last moment; `t_ns` is the first."""
        sample = _abi.snt_sample()
        status = lib.snt_device_clock_stamp_interval(
            self.handle, u32(session, "session"), u64(raw_first, "counter"), u64(raw_last, "counter"), i64(receive_ns),
            u64(sequence, "sequence"), ctypes.byref(sample),
        )  # fmt: skip
        return None if check(status, f"stamping {raw_first}") == _abi.SNT_PENDING else _stamp(sample)

    def admit(
        self, raw: int, receive_ns: int, policy: "AdmissionPolicy", now: "BoundedTime", session: int = 0, sequence: int = 0
    ) -> "Tuple[Optional[Stamp], AdmissionRecord]":
        """Stamp and decide in one call: (the stamp or None, the record, false where refused)."""
        from .admission import AdmissionRecord

        sample, record = _abi.snt_sample(), _abi.snt_admission_record()
        status = lib.snt_device_clock_admit(
            self.handle, u32(session, "session"), u64(raw, "counter"), i64(receive_ns), u64(sequence, "sequence"),
            policy.pointer(), ctypes.byref(now.struct), ctypes.byref(sample), ctypes.byref(record),
        )  # fmt: skip
        if status < 0 and record.status != status:
            check(status, f"admitting {raw}")
        timed = not record.notes & _abi.SNT_NOTE_NO_TIME
        return (_stamp(sample) if timed else None), AdmissionRecord(record)

    def audit(self) -> Dict[str, Any]:
        """Declared assumptions against what was seen."""
        out = _abi.snt_clock_audit()
        check(lib.snt_device_clock_audit(self.handle, ctypes.byref(out)), "auditing")
        return struct_dict(out)

    def stamp(self, raw: int, receive_ns: int = UNKNOWN, session: int = 0) -> Optional[Stamp]:
        """When the event stamped `raw` happened; None while the clock warms up."""
        sample = _abi.snt_sample()
        status = lib.snt_device_clock_stamp(
            self.handle, u32(session, "session"), u64(raw, "counter"), i64(receive_ns), 0, ctypes.byref(sample)
        )
        return None if check(status, f"stamping {raw}") == _abi.SNT_PENDING else _stamp(sample)

    def stamp_many(
        self, raws: Any, receive_ns: int = UNKNOWN, session: int = 0
    ) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """(samples as a structured array with the fields of snt_sample, statuses) for many counters of one packet."""
        raws = integers(raws, np.uint64, "counters")
        samples = np.zeros(raws.size, np.dtype(_abi.snt_sample))
        statuses = np.zeros(raws.size, np.int32)
        handle = self._enter()
        try:
            lib.snt_device_clock_stamp_many(
                handle, u32(session, "session"), raws.ctypes.data, raws.size, i64(receive_ns), 0,
                typed(samples, _abi.snt_sample), statuses.ctypes.data,
            )  # fmt: skip
        finally:
            self._leave()
        return samples, statuses

    def notify(self, event: int) -> None:
        """Something happened to a clock (SNT_EPOCH_*): stop answering until the next session."""
        check(lib.snt_device_clock_notify(self.handle, u32(event, "event")), "telling an event")

    def restart(self, reason: int = _abi.SNT_EPOCH_DEVICE_BOOT) -> int:
        """Begin the next session after the clock became invalid (a reset, a violation, `notify`); its number."""
        session = ctypes.c_uint32()
        check(lib.snt_device_clock_restart(self.handle, u32(reason, "reason"), ctypes.byref(session)), "restarting")
        return session.value

    @property
    def session(self) -> int:
        """Number of the current session."""
        return int(lib.snt_device_clock_session(self.handle))

    def health(self, now_ns: int = UNKNOWN) -> Dict[str, Any]:
        """State, width of the bound, age of the last observation, judged at host time `now_ns`; UNKNOWN = at the newest."""
        out = _abi.snt_device_health()
        check(lib.snt_device_clock_health(self.handle, i64(now_ns), ctypes.byref(out)), "reading the health")
        return struct_dict(out)
