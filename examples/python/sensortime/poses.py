# SPDX-License-Identifier: BSD-3-Clause
"""Rigid poses and twists: the same bits on every machine. Points are transformed where they are or into another array."""

import ctypes
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._handle import numbers, u32, vector
from ._library import lib
from .errors import check

HOLD, NEAREST = _abi.SNT_INTERPOLATE_HOLD, _abi.SNT_INTERPOLATE_NEAREST
LINEAR, SCREW = _abi.SNT_INTERPOLATE_LINEAR, _abi.SNT_INTERPOLATE_SCREW


class Twist:
    """Linear [m/s] and angular [rad/s] velocity; `struct` is the library's snt_twist."""

    __slots__ = ("struct",)

    def __init__(self, linear: Sequence[float] = (0, 0, 0), angular: Sequence[float] = (0, 0, 0)):
        self.struct = _abi.snt_twist(vector(linear, 3, "linear"), vector(angular, 3, "angular"))

    @property
    def linear(self) -> Tuple[float, ...]:
        """[m/s]."""
        return tuple(self.struct.v)

    @property
    def angular(self) -> Tuple[float, ...]:
        """[rad/s]."""
        return tuple(self.struct.w)

    def rotated(self, rotation: Sequence[float]) -> "Twist":
        """In other axes; the reference point stays. `rotation` takes old axes to new ones (x, y, z, w)."""
        out = Twist()
        lib.snt_twist_rotate(vector(rotation, 4, "rotation"), ctypes.byref(self.struct), ctypes.byref(out.struct))
        return out

    def shifted(self, lever: Sequence[float]) -> "Twist":
        """Of another point of the same body, `lever` [m] away in the twist's axes."""
        out = Twist()
        lib.snt_twist_shift(ctypes.byref(self.struct), vector(lever, 3, "lever"), ctypes.byref(out.struct))
        return out

    def exp(self, seconds: float) -> "Pose":
        """T_start_end after moving for `seconds` with this body twist."""
        out = Pose()
        lib.snt_pose_exp(ctypes.byref(self.struct), float(seconds), ctypes.byref(out.struct))
        return out

    def __repr__(self) -> str:
        return f"Twist(linear={self.linear}, angular={self.angular})"


class Pose:
    """T_target_source: takes coordinates in source to coordinates in target. Quaternions are x, y, z, w.

    `a @ b` chains, `~a` inverts, `a.apply(points)` moves points.
    """

    __slots__ = ("struct",)

    def __init__(self, rotation: Sequence[float] = (0, 0, 0, 1), translation: Sequence[float] = (0, 0, 0)):
        self.struct = _abi.snt_pose(vector(rotation, 4, "rotation"), vector(translation, 3, "translation"))

    @classmethod
    def identity(cls) -> "Pose":
        """Where everything stays."""
        out = cls()
        lib.snt_pose_identity(ctypes.byref(out.struct))
        return out

    @classmethod
    def of(cls, struct: _abi.snt_pose) -> "Pose":
        """Around an snt_pose."""
        made = cls.__new__(cls)
        made.struct = struct
        return made

    @classmethod
    def from_matrix(cls, matrix: Any) -> "Pose":
        """From 4 × 4 or 3 × 3. Raises RangeError where the rotation is mirrored, scaled or sheared."""
        m = np.asarray(matrix, np.float64)
        if m.shape not in ((4, 4), (3, 3)):
            raise ValueError(f"expected 4 × 4 or 3 × 3, not {m.shape}")
        q = (ctypes.c_double * 4)()
        check(lib.snt_rotation_from_matrix(vector(m[:3, :3].ravel().tolist(), 9, "matrix"), q), "rotation matrix")
        return cls(tuple(q), m[:3, 3].tolist() if m.shape == (4, 4) else (0, 0, 0))

    @classmethod
    def link_from_optical(cls) -> "Pose":
        """T_link_optical of a camera: z forward, x right, y down to x forward, y left, z up."""
        out = cls()
        lib.snt_pose_link_from_optical(ctypes.byref(out.struct))
        return out

    @property
    def rotation(self) -> Tuple[float, ...]:
        """x, y, z, w."""
        return tuple(self.struct.q)

    @property
    def translation(self) -> Tuple[float, ...]:
        """[m]."""
        return tuple(self.struct.t)

    @property
    def matrix(self) -> "np.ndarray[Any, Any]":
        """4 × 4."""
        out, m = np.eye(4), (ctypes.c_double * 9)()
        lib.snt_rotation_matrix(self.struct.q, m)
        out[:3, :3], out[:3, 3] = np.array(m).reshape(3, 3), self.translation
        return out

    def check(self, tolerance: float = 0.0) -> None:
        """Raise NonFiniteError or BadQuaternionError where this is no pose; 0 = tf2's tolerance."""
        check(lib.snt_pose_check(ctypes.byref(self.struct), tolerance), "pose")

    def __matmul__(self, other: "Pose") -> "Pose":
        out = Pose()
        lib.snt_pose_compose(ctypes.byref(self.struct), ctypes.byref(other.struct), ctypes.byref(out.struct))
        return out

    def __invert__(self) -> "Pose":
        out = Pose()
        lib.snt_pose_inverse(ctypes.byref(self.struct), ctypes.byref(out.struct))
        return out

    def between(self, other: "Pose") -> "Pose":
        """`~self @ other`: the motion from this pose to the other, seen from this one."""
        out = Pose()
        lib.snt_pose_between(ctypes.byref(self.struct), ctypes.byref(other.struct), ctypes.byref(out.struct))
        return out

    def interpolate(self, other: "Pose", share: float, method: int = LINEAR) -> "Pose":
        """`share` of the way to `other`."""
        out = Pose()
        status = lib.snt_pose_interpolate(
            ctypes.byref(self.struct), ctypes.byref(other.struct), share, u32(method, "method"), ctypes.byref(out.struct)
        )
        check(status, "interpolating")
        return out

    def log(self, seconds: float) -> Twist:
        """The constant body twist that gets here from the identity in `seconds`."""
        if not seconds:
            raise ValueError("seconds must not be 0")
        out = Twist()
        lib.snt_pose_log(ctypes.byref(self.struct), float(seconds), ctypes.byref(out.struct))
        return out

    def transform(self, twist: Twist) -> Twist:
        """A twist about source's origin in source axes, seen about target's origin in target axes (the adjoint)."""
        out = Twist()
        lib.snt_twist_transform(ctypes.byref(self.struct), ctypes.byref(twist.struct), ctypes.byref(out.struct))
        return out

    def _map(self, function: Any, points: Any, out: Any, what: str) -> Any:
        points = np.asarray(points)
        if points.ndim != 2 or points.shape[1] != 3 or points.dtype.kind not in "fiu":
            raise ValueError(f"{what} must be n × 3 numbers, not {points.dtype} {' × '.join(map(str, points.shape))}")
        if points.dtype not in (np.float32, np.float64) or not points.dtype.isnative:
            points = points.astype(np.float64)
        width, rows = points.dtype.itemsize, len(points)
        if rows == 0:
            return np.empty((0, 3), points.dtype) if out is None else out
        if points.strides[1] != width or points.strides[0] < 3 * width:
            points = np.ascontiguousarray(points)
        if out is None:
            out = np.empty((points.shape[0], 3), points.dtype)
        elif not isinstance(out, np.ndarray) or out.shape != points.shape or out.dtype != points.dtype:
            raise ValueError(f"out must be like the {what}: {points.dtype} {' × '.join(map(str, points.shape))}")
        elif not out.flags.writeable or out.strides[1] != width or out.strides[0] < 3 * width:
            raise ValueError("out must be writeable with packed rows")
        elif np.shares_memory(points, out) and points.ctypes.data != out.ctypes.data:
            points = points.copy()
        status = function(
            ctypes.byref(self.struct), points.ctypes.data, points.strides[0], out.ctypes.data, out.strides[0], len(points)
        )
        check(status, what)
        return out

    def apply(self, points: Any, out: Optional[Any] = None) -> Any:
        """Points n × 3 (float32 or float64, rows may be strided) in target coordinates; `out=points` moves them in place."""
        single = np.asarray(points).dtype == np.float32
        return self._map(lib.snt_pose_apply_points_f32 if single else lib.snt_pose_apply_points, points, out, "points")

    def rotate(self, vectors: Any, out: Optional[Any] = None) -> Any:
        """Free vectors n × 3 (velocities, normals) in target axes, in float64."""
        if np.asarray(vectors).dtype == np.float32:
            vectors = np.asarray(vectors, np.float64)
        return self._map(lib.snt_pose_rotate_vectors, vectors, out, "vectors")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pose) and bytes(self.struct) == bytes(other.struct)

    def __hash__(self) -> int:
        return hash(bytes(self.struct))

    def __repr__(self) -> str:
        return f"Pose(rotation={self.rotation}, translation={self.translation})"


def normalised(rotation: Sequence[float], tolerance: float = 0.0) -> Tuple[float, ...]:
    """A nearly unit quaternion at unit length with w >= 0. Raises BadQuaternionError."""
    out = (ctypes.c_double * 4)()
    check(lib.snt_quaternion_normalise(vector(rotation, 4, "rotation"), tolerance, out), "quaternion")
    return tuple(out)


def rotation_exp(rotation_vector: Sequence[float]) -> Tuple[float, ...]:
    """Quaternion of axis times angle [rad]."""
    out = (ctypes.c_double * 4)()
    lib.snt_rotation_exp(vector(rotation_vector, 3, "rotation vector"), out)
    return tuple(out)


def rotation_log(rotation: Sequence[float]) -> Tuple[float, ...]:
    """Axis times angle [rad] of a quaternion, of length 0..pi."""
    out = (ctypes.c_double * 3)()
    lib.snt_rotation_log(vector(rotation, 4, "rotation"), out)
    return tuple(out)


def matrices(poses: Any) -> "np.ndarray[Any, Any]":
    """n × 4 × 4 of poses n × 7 (x, y, z, w of the rotation, then x, y, z)."""
    rows = numbers(poses, 7, "poses")
    out = np.empty((len(rows), 4, 4))
    first = out.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    check(lib.snt_deskew_matrices(rows.ctypes.data, 56, len(rows), first), "matrices")
    return out
