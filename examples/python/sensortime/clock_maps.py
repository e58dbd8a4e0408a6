# SPDX-License-Identifier: BSD-3-Clause
"""When, on the host's clock, did a device's clock show a reading? With an interval that holds."""

import ctypes
from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np

from . import _abi
from ._handle import Handle, UNKNOWN, config, i64, integers, size_of, struct_dict, text_of, typed, u32
from ._library import lib
from .bounded import BOUNDED_DTYPE, BoundedTime
from .errors import check

VALID, HOLDOVER, INVALID = _abi.SNT_CLOCK_VALID, _abi.SNT_CLOCK_HOLDOVER, _abi.SNT_CLOCK_INVALID


class ClockDuration(NamedTuple):
    """Host time between two readings, with its bound [ns]."""

    duration_ns: int
    lo_ns: int
    hi_ns: int
    flags: int


def _duration(out: _abi.snt_clock_duration) -> ClockDuration:
    return ClockDuration(out.duration_ns, out.lo_ns, out.hi_ns, out.flags)


def state_name(state: int) -> str:
    """SNT_CLOCK_* in words, such as "VALID"."""
    name: bytes = lib.snt_clock_state_name(u32(state, "state"))
    return name.decode()


def proof_facts(proof: _abi.snt_clock_proof) -> Dict[str, Any]:
    """What an exception says of the proof that an assumption broke; nothing for a proof that was not filled."""
    if proof.kind == _abi.SNT_OBSERVED_NOTHING:
        return {}
    why = text_of(lib.snt_clock_proof_format, ctypes.byref(proof))
    return {"gap_ns": proof.gap_ns, "why": why}


def judged(status: int, proof: _abi.snt_clock_proof, doing: str) -> bool:
    """Raise for a refused observation, with its proof as `error.struct`."""
    if status < 0:
        filled = proof.kind != _abi.SNT_OBSERVED_NOTHING
        check(status, doing, proof_facts(proof), proof if filled else None)
    return True


def answered(status: int, out: _abi.snt_bounded_time, doing: str) -> Optional[BoundedTime]:
    """A time, or None while the clock warms up."""
    return BoundedTime.of(out) if status == _abi.SNT_OK or check(status, doing) == _abi.SNT_OK else None


class ClockMapping:
    """One version of a map as plain data, for logs and replay: `bytes(mapping)` and `ClockMapping(raw)`."""

    __slots__ = ("struct",)

    def __init__(self, raw: Any):
        """From the bytes of an snt_clock_mapping, checked: they may come from a file."""
        raw = bytes(raw)
        if len(raw) != ctypes.sizeof(_abi.snt_clock_mapping):
            raise ValueError(f"a mapping has {ctypes.sizeof(_abi.snt_clock_mapping)} bytes, not {len(raw)}")
        self.struct = _abi.snt_clock_mapping.from_buffer_copy(raw)
        self.check()

    def check(self) -> None:
        """Raise FormatError where this is no mapping."""
        check(lib.snt_clock_mapping_check(ctypes.byref(self.struct)), "clock mapping")

    def __bytes__(self) -> bytes:
        return bytes(self.struct)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClockMapping) and bytes(self) == bytes(other)

    def __hash__(self) -> int:
        return hash(bytes(self))

    @property
    def facts(self) -> Dict[str, Any]:
        """version, session, state, anchors, rates …"""
        return struct_dict(self.struct)

    def to_host(self, device_ns: int) -> Optional[BoundedTime]:
        """As ClockMap.to_host."""
        out = _abi.snt_bounded_time()
        status = lib.snt_clock_mapping_to_host(ctypes.byref(self.struct), i64(device_ns), ctypes.byref(out))
        return answered(status, out, f"host time of {device_ns}")

    def to_device(self, host_ns: int) -> Optional[BoundedTime]:
        """As ClockMap.to_device."""
        out = _abi.snt_bounded_time()
        status = lib.snt_clock_mapping_to_device(ctypes.byref(self.struct), i64(host_ns), ctypes.byref(out))
        return answered(status, out, f"device time of {host_ns}")

    def duration(self, from_ns: int, to_ns: int) -> Optional[ClockDuration]:
        """As ClockMap.duration."""
        out = _abi.snt_clock_duration()
        status = lib.snt_clock_mapping_duration(ctypes.byref(self.struct), i64(from_ns), i64(to_ns), ctypes.byref(out))
        return None if check(status, "duration") != _abi.SNT_OK else _duration(out)


class ClockMap(Handle):
    """A map from one device's clock to the host's. Options: snt_clock_map_config (rate_bound_ppb, delay_max_ns, …).

    Observations raise ViolationError, with the proof, where an assumption broke: the map is INVALID from then on and must be
    restarted. Answers are None while the map warms up. `session` is 0 for "the current one".
    """

    _destroy = lib.snt_clock_map_destroy

    def __init__(self, **options: Any):
        cfg = config(_abi.snt_clock_map_config, lib.snt_clock_map_config_init, options)
        out = ctypes.POINTER(_abi.snt_clock_map)()
        check(lib.snt_clock_map_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a clock map")
        self._own(out)

    @staticmethod
    def size(**options: Any) -> int:
        """Memory that a map of these options takes [bytes]."""
        cfg = config(_abi.snt_clock_map_config, lib.snt_clock_map_config_init, options)
        return size_of(lib.snt_clock_map_size, cfg, "size of a clock map")

    # ---- observations ----

    def observe_arrival(self, device_ns: int, receive_ns: int, session: int = 0) -> None:
        """A packet stamped `device_ns` was received at `receive_ns`."""
        proof = _abi.snt_clock_proof()
        status = lib.snt_clock_map_observe_arrival(
            self.handle, u32(session, "session"), i64(device_ns), i64(receive_ns), ctypes.byref(proof)
        )
        judged(status, proof, f"arrival of {device_ns}")

    def observe_trigger(self, device_ns: int, command_ns: int, session: int = 0) -> None:
        """A command issued at `command_ns` caused the event stamped `device_ns`."""
        proof = _abi.snt_clock_proof()
        status = lib.snt_clock_map_observe_trigger(
            self.handle, u32(session, "session"), i64(device_ns), i64(command_ns), ctypes.byref(proof)
        )
        judged(status, proof, f"trigger of {device_ns}")

    def observe_exchange(
        self, send_ns: int, device_receive_ns: int, device_send_ns: int, receive_ns: int, session: int = 0
    ) -> None:
        """A request left at `send_ns`, the device got it and answered, the reply came at `receive_ns`."""
        proof = _abi.snt_clock_proof()
        status = lib.snt_clock_map_observe_exchange(
            self.handle, u32(session, "session"), i64(send_ns), i64(device_receive_ns), i64(device_send_ns),
            i64(receive_ns), ctypes.byref(proof),
        )  # fmt: skip
        judged(status, proof, f"exchange at {send_ns}")

    def observe_cross(self, before_ns: int, device_ns: int, after_ns: int, session: int = 0) -> None:
        """The device's clock was read between two readings of the host's."""
        proof = _abi.snt_clock_proof()
        status = lib.snt_clock_map_observe_cross(
            self.handle, u32(session, "session"), i64(before_ns), i64(device_ns), i64(after_ns), ctypes.byref(proof)
        )
        judged(status, proof, f"cross-stamp of {device_ns}")

    def observe_pps(self, device_ns: int, second_ns: int, error_ns: int = 0, session: int = 0) -> None:
        """The device latched `device_ns` at the pulse that marks `second_ns`."""
        proof = _abi.snt_clock_proof()
        status = lib.snt_clock_map_observe_pps(
            self.handle, u32(session, "session"), i64(device_ns), i64(second_ns), i64(error_ns), ctypes.byref(proof)
        )
        judged(status, proof, f"pulse at {device_ns}")

    def observe_interval(self, device_ns: int, host: Tuple[int, int], flags: int = 0, session: int = 0) -> None:
        """Any other fact: `device_ns` was shown within `host` = (lo, hi)."""
        proof, interval = _abi.snt_clock_proof(), _abi.snt_interval(i64(host[0]), i64(host[1]))
        status = lib.snt_clock_map_observe_interval(
            self.handle, u32(session, "session"), i64(device_ns), ctypes.byref(interval), u32(flags, "flags"),
            ctypes.byref(proof),
        )  # fmt: skip
        judged(status, proof, f"interval of {device_ns}")

    def request(self, send_ns: int, session: int = 0) -> int:
        """Note that a request leaves; the id to send along and to give to `reply`."""
        out = ctypes.c_uint32()
        status = lib.snt_clock_map_request(self.handle, u32(session, "session"), i64(send_ns), ctypes.byref(out))
        check(status, "noting a request")
        return out.value

    def reply(self, request: int, device_receive_ns: int, device_send_ns: int, receive_ns: int, session: int = 0) -> None:
        """The reply to a request. Raises StaleError for one that is not open."""
        proof = _abi.snt_clock_proof()
        status = lib.snt_clock_map_reply(
            self.handle, u32(session, "session"), u32(request, "request"), i64(device_receive_ns), i64(device_send_ns),
            i64(receive_ns), ctypes.byref(proof),
        )  # fmt: skip
        judged(status, proof, f"reply to request {request}")

    # ---- answers ----

    def to_host(self, device_ns: int, version: Optional[int] = None, smoothed: bool = False) -> Optional[BoundedTime]:
        """Host time of a reading; None while the map warms up.

        `version`: by what was believed then (VersionError where it is no longer kept). `smoothed`: by all that was observed
        since, too.
        """
        out, reading = _abi.snt_bounded_time(), i64(device_ns)
        if smoothed:
            status = lib.snt_clock_map_to_host_smoothed(self.handle, reading, ctypes.byref(out))
        elif version is not None:
            status = lib.snt_clock_map_to_host_at(self.handle, u32(version, "version"), reading, ctypes.byref(out))
        else:
            status = lib.snt_clock_map_to_host(self.handle, reading, ctypes.byref(out))
        return answered(status, out, f"host time of {device_ns}")

    def to_host_many(self, device_ns: Any) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """(host times as an array of BOUNDED_DTYPE, statuses) of many readings; zero where a status is not 0."""
        readings = integers(device_ns, what="readings [ns]")
        out, statuses = np.zeros(readings.size, BOUNDED_DTYPE), np.zeros(readings.size, np.int32)
        handle = self._enter()
        try:
            status = lib.snt_clock_map_to_host_many(
                handle, readings.ctypes.data, readings.size, typed(out, _abi.snt_bounded_time), statuses.ctypes.data
            )
        finally:
            self._leave()
        if not readings.size:
            check(status, "host times")
        return out, statuses

    def to_device(self, host_ns: int) -> Optional[BoundedTime]:
        """What the device's clock showed at a host time."""
        out = _abi.snt_bounded_time()
        status = lib.snt_clock_map_to_device(self.handle, i64(host_ns), ctypes.byref(out))
        return answered(status, out, f"device time of {host_ns}")

    def duration(self, from_ns: int, to_ns: int) -> Optional[ClockDuration]:
        """Host time between two readings: tighter than two stamps."""
        out = _abi.snt_clock_duration()
        status = lib.snt_clock_map_duration(self.handle, i64(from_ns), i64(to_ns), ctypes.byref(out))
        return None if check(status, "duration") != _abi.SNT_OK else _duration(out)

    # ---- state ----

    def export(self, version: int = 0) -> ClockMapping:
        """A version as plain data; 0 = the newest."""
        made = ClockMapping.__new__(ClockMapping)
        made.struct = _abi.snt_clock_mapping()
        check(lib.snt_clock_map_export(self.handle, u32(version, "version"), ctypes.byref(made.struct)), "exporting")
        return made

    def restore(self, mapping: ClockMapping) -> None:
        """Continue an exported mapping in a new map."""
        check(lib.snt_clock_map_restore(self.handle, ctypes.byref(mapping.struct)), "restoring a mapping")

    def invalidate(self, reason: int = _abi.SNT_EPOCH_USER) -> None:
        """Stop answering: something happened to a clock (SNT_EPOCH_*)."""
        check(lib.snt_clock_map_invalidate(self.handle, u32(reason, "reason")), "invalidating")

    def restart(self, reason: int = _abi.SNT_EPOCH_USER) -> int:
        """Begin the next session after the map became invalid; its number."""
        out = ctypes.c_uint32()
        check(lib.snt_clock_map_restart(self.handle, u32(reason, "reason"), ctypes.byref(out)), "restarting")
        return out.value

    @property
    def session(self) -> int:
        """Number of the current session."""
        return int(lib.snt_clock_map_session(self.handle))

    @property
    def version(self) -> int:
        """Number of the newest version."""
        return int(lib.snt_clock_map_version(self.handle))

    @property
    def domains(self) -> Tuple[int, int]:
        """(device's, host's)."""
        device, host = ctypes.c_uint32(), ctypes.c_uint32()
        check(lib.snt_clock_map_domains(self.handle, ctypes.byref(device), ctypes.byref(host)), "domains")
        return device.value, host.value

    def health(self, device_ns: int = UNKNOWN) -> Dict[str, Any]:
        """State, width and growth of the bound at a reading."""
        out = _abi.snt_clock_health()
        check(lib.snt_clock_map_health(self.handle, i64(device_ns), ctypes.byref(out)), "reading the health")
        return struct_dict(out)

    def audit(self) -> Dict[str, Any]:
        """Declared assumptions against what was seen."""
        out = _abi.snt_clock_audit()
        check(lib.snt_clock_map_audit(self.handle, ctypes.byref(out)), "auditing")
        return struct_dict(out)
