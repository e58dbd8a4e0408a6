# SPDX-License-Identifier: BSD-3-Clause
"""The last seconds of an IMU: how far it covers a scan, and the motion it tells deskewing."""

import ctypes
from typing import Any, Dict, NamedTuple, Optional, Sequence

import numpy as np

from . import _abi
from ._handle import Handle, UNKNOWN, config, i64, integers, numbers, set_field, struct_dict, typed, u32, vector
from ._library import lib
from .errors import check

#: dtype of IMU samples: the fields of snt_imu_sample (stamp_ns, rate, acceleration, flags)
SAMPLE_DTYPE = np.dtype(_abi.snt_imu_sample)


class Margins(NamedTuple):
    """How samples cover an interval [ns]; negative margins are not covered, None: there is no sample."""

    start_ns: Optional[int]
    end_ns: Optional[int]
    max_gap_ns: int
    oldest_ns: Optional[int]
    newest_ns: Optional[int]
    inside: int
    kept: int
    session: int


class ImuBuffer(Handle):
    """Recent samples in time order. Options: snt_imu_buffer_config (capacity, domain, reorder_ns, epoch).

    `rotation` (x, y, z, w) and `translation` [m] of T_body_imu say where the IMU sits.
    """

    _destroy = lib.snt_imu_buffer_destroy

    def __init__(
        self,
        rotation: Sequence[float] = (0, 0, 0, 1),
        translation: Sequence[float] = (0, 0, 0),
        **options: Any,
    ):
        cfg = config(_abi.snt_imu_buffer_config, lib.snt_imu_buffer_config_init, options)
        set_field(cfg.T_body_imu, "q", vector(rotation, 4, "rotation"))
        set_field(cfg.T_body_imu, "t", vector(translation, 3, "translation"))
        out = ctypes.POINTER(_abi.snt_imu_buffer)()
        check(lib.snt_imu_buffer_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making an IMU buffer")
        self._own(out)

    def insert(self, stamp_ns: int, rate: Sequence[float], acceleration: Optional[Sequence[float]] = None) -> None:
        """Add one sample: angular rates [rad/s], specific force [m/s²]. Raises DuplicateError, BackwardError …"""
        one = _abi.snt_imu_sample(i64(stamp_ns), vector(rate, 3, "rate"))
        if acceleration is not None:
            one.acceleration, one.flags = vector(acceleration, 3, "acceleration"), _abi.SNT_IMU_HAS_ACCELERATION
        check(lib.snt_imu_buffer_insert(self.handle, ctypes.byref(one)), f"IMU sample {stamp_ns}")

    def insert_many(self, stamps_ns: Any, rates: Any, accelerations: Any = None) -> "np.ndarray[Any, Any]":
        """Add many samples (rates and accelerations n × 3); the status of each. A refused one does not stop the others."""
        stamps = integers(stamps_ns)
        many = np.zeros(stamps.size, SAMPLE_DTYPE)
        many["stamp_ns"], many["rate"] = stamps, numbers(rates, 3, "rates", stamps.size)
        if accelerations is not None:
            many["acceleration"] = numbers(accelerations, 3, "accelerations", stamps.size)
            many["flags"] = _abi.SNT_IMU_HAS_ACCELERATION
        return self.insert_records(many)

    def insert_records(self, samples: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """Add a contiguous array of SAMPLE_DTYPE, which is not copied; the status of each."""
        if samples.dtype != SAMPLE_DTYPE or samples.ndim != 1 or not samples.flags.c_contiguous:
            raise TypeError("expected a contiguous array of SAMPLE_DTYPE")
        statuses = np.zeros(samples.size, np.int32)
        handle = self._enter()
        try:
            lib.snt_imu_buffer_insert_many(
                handle, typed(samples, _abi.snt_imu_sample), samples.size, statuses.ctypes.data
            )
        finally:
            self._leave()
        return statuses

    def set_bias(self, rate: Sequence[float] = (0, 0, 0), acceleration: Sequence[float] = (0, 0, 0)) -> None:
        """What the biases are believed to be; subtracted when samples are used."""
        status = lib.snt_imu_buffer_set_bias(self.handle, vector(rate, 3, "rate"), vector(acceleration, 3, "acceleration"))
        check(status, "bias")

    def margins(self, begin_ns: int, end_ns: int) -> Margins:
        """How far the samples cover [begin, end]."""
        out = _abi.snt_imu_margins()
        check(lib.snt_imu_buffer_margins(self.handle, i64(begin_ns), i64(end_ns), ctypes.byref(out)), "margins")
        start, end, oldest, newest = (
            None if v == UNKNOWN else v for v in (out.start_ns, out.end_ns, out.oldest_ns, out.newest_ns)
        )
        return Margins(start, end, out.max_gap_ns, oldest, newest, out.inside, out.count, out.session)

    def samples(
        self, begin_ns: int = _abi.SNT_TIME_INFINITE_PAST + 1, end_ns: int = _abi.SNT_TIME_INFINITE_FUTURE - 1
    ) -> "np.ndarray[Any, Any]":
        """Samples over [begin, end] and one beyond each end, as an array of SAMPLE_DTYPE."""
        begin, end, count, capacity = i64(begin_ns), i64(end_ns), ctypes.c_uint64(), 256
        handle = self._enter()
        try:
            while True:
                room = np.zeros(capacity, SAMPLE_DTYPE)
                status = lib.snt_imu_buffer_copy(
                    handle, begin, end, typed(room, _abi.snt_imu_sample), capacity, ctypes.byref(count)
                )
                if status != _abi.SNT_ERR_BUFFER_TOO_SMALL:
                    check(status, "copying samples")
                    return room[: count.value]
                capacity = count.value + 16  # others may add meanwhile
        finally:
            self._leave()

    def counters(self) -> Dict[str, Any]:
        """What was taken and refused."""
        out = _abi.snt_imu_counters()
        check(lib.snt_imu_buffer_counters(self.handle, ctypes.byref(out)), "reading the counters")
        return struct_dict(out)

    def clear(self) -> None:
        """Forget all samples."""
        lib.snt_imu_buffer_clear(self.handle)


def state(
    stamp_ns: int,
    rotation: Sequence[float] = (0, 0, 0, 1),
    translation: Sequence[float] = (0, 0, 0),
    velocity: Sequence[float] = (0, 0, 0),
    gravity: Sequence[float] = (0, 0, -9.80665),
    use_acceleration: bool = False,
) -> _abi.snt_imu_state:
    """Where the body was and how fast it went at one time, for DeskewPlan.from_imu_buffer."""
    out = _abi.snt_imu_state()
    out.stamp_ns, out.use_acceleration = i64(stamp_ns), u32(int(use_acceleration))
    out.T_fixed_body.q, out.T_fixed_body.t = vector(rotation, 4, "rotation"), vector(translation, 3, "translation")
    out.velocity, out.gravity = vector(velocity, 3, "velocity"), vector(gravity, 3, "gravity")
    return out
