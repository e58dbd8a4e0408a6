# SPDX-License-Identifier: BSD-3-Clause
"""From a device's counter to host time with bounds: what a driver calls."""

import ctypes
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _abi
from ._handle import Handle, config, struct_dict
from ._library import lib
from .errors import check

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

    def observe(self, raw: int, receive_ns: int, session: int = 0) -> bool:
        """A packet stamped `raw` was received at `receive_ns`; False for a duplicate or one that came too late.

        Raises ResetSuspectError, ViolationError, AmbiguousError … where the observation cannot be used.
        """
        status = lib.snt_device_clock_observe_arrival(self.handle, session, raw, receive_ns, None)
        if status in (_abi.SNT_ERR_DUPLICATE, _abi.SNT_ERR_BACKWARD):
            return False
        check(status, f"observing {raw}")
        return True

    def stamp(self, raw: int, receive_ns: int = UNKNOWN, session: int = 0) -> Optional[Stamp]:
        """When the event stamped `raw` happened; None while the clock warms up."""
        sample = _abi.snt_sample()
        status = lib.snt_device_clock_stamp(self.handle, session, raw, receive_ns, 0, ctypes.byref(sample))
        return None if check(status, f"stamping {raw}") == _abi.SNT_PENDING else _stamp(sample)

    def stamp_many(self, raws: Any, receive_ns: int = UNKNOWN, session: int = 0) -> tuple:
        """(samples as a structured array with the fields of snt_sample, statuses) for many counters of one packet."""
        raws = np.ascontiguousarray(raws, np.uint64)
        samples = np.zeros(raws.size, np.dtype(_abi.snt_sample))
        statuses = np.zeros(raws.size, np.int32)
        first = samples.ctypes.data_as(ctypes.POINTER(_abi.snt_sample))
        lib.snt_device_clock_stamp_many(
            self.handle, session, raws.ctypes.data, raws.size, receive_ns, 0, first, statuses.ctypes.data
        )
        return samples, statuses

    def notify(self, event: int) -> None:
        """Something happened to a clock (SNT_EPOCH_*): stop answering until the next session."""
        check(lib.snt_device_clock_notify(self.handle, event), "telling an event")

    def restart(self, reason: int = _abi.SNT_EPOCH_DEVICE_BOOT) -> int:
        """Begin the next session after the clock became invalid (a reset, a violation, `notify`); its number."""
        session = ctypes.c_uint32()
        check(lib.snt_device_clock_restart(self.handle, reason, ctypes.byref(session)), "restarting")
        return session.value

    @property
    def session(self) -> int:
        """Number of the current session."""
        return lib.snt_device_clock_session(self.handle)

    def health(self, now_ns: int) -> dict:
        """State, width of the bound, age of the last observation."""
        out = _abi.snt_device_health()
        check(lib.snt_device_clock_health(self.handle, now_ns, ctypes.byref(out)), "reading the health")
        return struct_dict(out)
