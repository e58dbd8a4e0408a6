# SPDX-License-Identifier: BSD-3-Clause
"""Which way axes point: REP-103 and REP-105 as functions. Angles are radians; quaternions are x, y, z, w."""

import ctypes
from typing import Any, Callable, Sequence, Tuple

from . import _abi
from ._handle import u32, vector
from ._library import lib
from .errors import AmbiguousError, check

#: what `suspect_unit` can be asked about
QUANTITIES = {
    "angle": _abi.SNT_UNIT_ANGLE, "angular velocity": _abi.SNT_UNIT_ANGULAR_VELOCITY,
    "acceleration": _abi.SNT_UNIT_ACCELERATION, "length": _abi.SNT_UNIT_LENGTH,
    "magnetic field": _abi.SNT_UNIT_MAGNETIC_FIELD,
}  # fmt: skip
_VERDICTS = {
    _abi.SNT_UNIT_PLAUSIBLE: "", _abi.SNT_UNIT_DEGREES: "degrees", _abi.SNT_UNIT_G: "g",
    _abi.SNT_UNIT_MILLIMETRES: "millimetres", _abi.SNT_UNIT_GAUSS: "gauss", _abi.SNT_UNIT_MICROTESLA: "microtesla",
    _abi.SNT_UNIT_IMPLAUSIBLE: "implausible",
}  # fmt: skip


def _mapped(function: Callable[..., Any], values: Sequence[float], size: int) -> Tuple[float, ...]:
    out = (ctypes.c_double * size)()
    function(vector(values, size, "vector"), out)
    return tuple(out)


def enu_ned(xyz: Sequence[float]) -> Tuple[float, ...]:
    """A vector from ENU to NED axes, or back."""
    return _mapped(lib.snt_enu_ned_vector, xyz, 3)


def flu_frd(xyz: Sequence[float]) -> Tuple[float, ...]:
    """A vector from forward-left-up to forward-right-down, or back."""
    return _mapped(lib.snt_flu_frd_vector, xyz, 3)


def enu_ned_attitude(rotation: Sequence[float]) -> Tuple[float, ...]:
    """An attitude "FLU in ENU" from "FRD in NED", or back."""
    return _mapped(lib.snt_enu_ned_attitude, rotation, 4)


def heading_from_yaw(yaw: float) -> float:
    """Compass heading in [0, 2 pi) of an ENU yaw."""
    return float(lib.snt_heading_from_yaw(yaw))


def yaw_from_heading(heading: float) -> float:
    """ENU yaw in (−pi, pi] of a compass heading."""
    return float(lib.snt_yaw_from_heading(heading))


def wrap(angle: float) -> float:
    """The same angle in (−pi, pi]."""
    return float(lib.snt_angle_wrap(angle))


def from_rpy(roll: float, pitch: float, yaw: float) -> Tuple[float, ...]:
    """Quaternion of roll, pitch and yaw about fixed axes (REP-103)."""
    out = (ctypes.c_double * 4)()
    check(lib.snt_rotation_from_rpy(roll, pitch, yaw, out), "roll, pitch, yaw")
    return tuple(out)


def to_rpy(rotation: Sequence[float]) -> Tuple[float, ...]:
    """Roll, pitch and yaw; straight up or down, where only one sum is known, roll is given as 0."""
    out = (ctypes.c_double * 3)()
    status = lib.snt_rotation_to_rpy(vector(rotation, 4, "rotation"), out)
    if status != AmbiguousError.status:
        check(status, "rotation")
    return tuple(out)


def suspect_unit(quantity: str, magnitude: float) -> str:
    """What a typical largest magnitude looks like instead of the SI unit, such as "degrees"; "" if nothing speaks against it.

    `quantity` is one of QUANTITIES.
    """
    if quantity not in QUANTITIES:
        raise ValueError(f"no quantity '{quantity}'; known: {', '.join(QUANTITIES)}")
    out = ctypes.c_uint32()
    check(lib.snt_unit_check(u32(QUANTITIES[quantity]), magnitude, ctypes.byref(out)), quantity)
    return _VERDICTS.get(out.value, "implausible")
