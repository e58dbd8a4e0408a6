# SPDX-License-Identifier: BSD-3-Clause
"""What a lookup gives, and what it can be asked beyond a time."""

import ctypes
from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np

from . import _abi
from ._handle import config, i64, struct_dict
from ._library import lib
from .poses import Pose, Twist

UNKNOWN = _abi.SNT_UNKNOWN


class Transform(NamedTuple):
    """T_target_source: takes coordinates given in source to coordinates in target."""

    rotation: Tuple[float, float, float, float]  # x, y, z, w
    translation: Tuple[float, float, float]  # [m]
    stamp_ns: int
    result: _abi.snt_tf_result  # bounds, flags and all else

    @property
    def pose(self) -> Pose:
        """To chain, invert and apply to points."""
        return Pose(self.rotation, self.translation)

    @property
    def matrix(self) -> "np.ndarray[Any, Any]":
        """4 × 4."""
        return self.pose.matrix

    @property
    def facts(self) -> Dict[str, Any]:
        """pos_err, rot_err, extrapolated_ns, gap_ns, age_ns, flags …"""
        return struct_dict(self.result)


class TwistAnswer(NamedTuple):
    """Velocity of source relative to target."""

    twist: Twist
    stamp_ns: int
    from_ns: int
    to_ns: int
    flags: int  # SNT_TF_MAY_JUMP …


#: conventions of `TransformPath.twist`: in which frame and about which point
ORIGIN, BODY, SPATIAL = _abi.SNT_TF_TWIST_ORIGIN, _abi.SNT_TF_TWIST_BODY, _abi.SNT_TF_TWIST_SPATIAL
KINDS = {_abi.SNT_TF_NONE: "none", _abi.SNT_TF_DYNAMIC: "dynamic", _abi.SNT_TF_STATIC: "static"}


def tf2_code(miss: _abi.snt_tf_miss) -> int:
    """What tf2's TF2Error would be for a refusal."""
    return int(lib.snt_tf_miss_tf2_code(ctypes.byref(miss)))


def question(stamp_ns: Optional[int] = None, **options: Any) -> Any:
    """What to ask of a buffer or path beyond a time: fields of snt_tf_question (max_age_ns, now, interpolation, …)."""
    asked = config(_abi.snt_tf_question, lib.snt_tf_question_init, options)
    if stamp_ns is not None:
        asked.when, asked.t = _abi.SNT_TF_AT, i64(stamp_ns)
    elif "when" not in options:
        asked.when = _abi.SNT_TF_LATEST_COMMON
    return asked


def answer(result: _abi.snt_tf_result) -> Transform:
    return Transform(tuple(result.pose.q), tuple(result.pose.t), result.stamp, result)
