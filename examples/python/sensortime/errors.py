# SPDX-License-Identifier: BSD-3-Clause
"""One exception per failure status. Each carries its status and the facts the library gave about it."""

import ctypes
from builtins import OverflowError as _BuiltinOverflow
from builtins import TimeoutError as _BuiltinTimeout
from typing import Any, Dict, Mapping, Optional, Tuple, Type

from . import _abi
from ._library import lib


class SensorTimeError(Exception):
    """A call of the library failed.

    status: the SNT_ERR_* number; name: its constant's name; facts: what the call filled in about the failure (a
    mapping; empty where the status says everything), each an attribute too; struct: the library's own explanation, such
    as an snt_tf_miss or an snt_clock_proof, or None.
    """

    status: int = 0

    def __init__(
        self,
        doing: str = "",
        status: Optional[int] = None,
        facts: Optional[Mapping[str, Any]] = None,
        struct: Optional[ctypes.Structure] = None,
    ):
        self.status = type(self).status if status is None else status
        self.name: str = lib.snt_status_name(self.status).decode()
        self.facts: Dict[str, Any] = dict(facts or {})
        self.struct = struct
        self.doing = doing
        text = lib.snt_status_text(self.status).decode()
        if doing:
            text = f"{doing}: {text}"
        if self.facts:
            text += " (" + ", ".join(f"{k} {v}" for k, v in self.facts.items()) + ")"
        super().__init__(text)

    def __reduce__(self) -> Tuple[Any, ...]:
        """What goes to another process, or into a copy: the class, the text, the facts, and the struct as its bytes."""
        rest = {name: value for name, value in self.__dict__.items() if name != "struct"}
        kept = None if self.struct is None else (type(self.struct).__name__, bytes(self.struct))
        return _again, (type(self), self.args, rest, kept)

    def __getattr__(self, key: str) -> Any:
        """The facts are attributes too: `error.newest_ns`."""
        facts = self.__dict__.get("facts", {})
        if key in facts:
            return facts[key]
        raise AttributeError(key)


def _again(
    kind: Type[SensorTimeError], texts: Tuple[Any, ...], rest: Dict[str, Any], kept: Optional[Tuple[str, bytes]]
) -> SensorTimeError:
    """An error as it was."""
    error = kind()  # kind.__new__(kind) is refused by MemoryError
    error.args = texts
    error.__dict__.update(rest)
    struct = None if kept is None else getattr(_abi, kept[0], None)
    fits = struct is not None and kept is not None and ctypes.sizeof(struct) == len(kept[1])
    error.struct = struct.from_buffer_copy(kept[1]) if fits and struct is not None and kept is not None else None
    return error


# Names follow the status: SNT_ERR_NO_TIME -> NoTimeError. Some are also a built-in kind of error.


class InvalidArgError(SensorTimeError, ValueError):
    """An argument is null, of the wrong size or contradicts another (SNT_ERR_INVALID_ARG)."""

    status = _abi.SNT_ERR_INVALID_ARG


class NoMemoryError(SensorTimeError, MemoryError):
    """The allocator returned no memory (SNT_ERR_NO_MEMORY)."""

    status = _abi.SNT_ERR_NO_MEMORY


class OverflowError(SensorTimeError, _BuiltinOverflow):
    """The result does not fit its type (SNT_ERR_OVERFLOW)."""

    status = _abi.SNT_ERR_OVERFLOW


class RangeError(SensorTimeError, ValueError):
    """A value lies outside its declared range (SNT_ERR_RANGE)."""

    status = _abi.SNT_ERR_RANGE


class NonFiniteError(SensorTimeError, ValueError):
    """A number is nan or infinite (SNT_ERR_NON_FINITE)."""

    status = _abi.SNT_ERR_NON_FINITE


class DomainError(SensorTimeError):
    """The times belong to different clocks (SNT_ERR_DOMAIN)."""

    status = _abi.SNT_ERR_DOMAIN


class SessionError(SensorTimeError):
    """The data belongs to another session of its clock (SNT_ERR_SESSION)."""

    status = _abi.SNT_ERR_SESSION


class StaleError(SensorTimeError):
    """The data may be older than allowed (SNT_ERR_STALE)."""

    status = _abi.SNT_ERR_STALE


class FutureError(SensorTimeError):
    """The time lies after the newest data (SNT_ERR_FUTURE)."""

    status = _abi.SNT_ERR_FUTURE


class PastError(SensorTimeError):
    """The time lies before the oldest data (SNT_ERR_PAST)."""

    status = _abi.SNT_ERR_PAST


class AmbiguousError(SensorTimeError):
    """More than one reading of the data is possible (SNT_ERR_AMBIGUOUS)."""

    status = _abi.SNT_ERR_AMBIGUOUS


class DuplicateError(SensorTimeError):
    """The same time or item was given before (SNT_ERR_DUPLICATE)."""

    status = _abi.SNT_ERR_DUPLICATE


class BackwardError(SensorTimeError):
    """The time went backwards beyond the declared reorder window (SNT_ERR_BACKWARD)."""

    status = _abi.SNT_ERR_BACKWARD


class ResetSuspectError(SensorTimeError):
    """The counter does not continue; the device may have restarted (SNT_ERR_RESET_SUSPECT)."""

    status = _abi.SNT_ERR_RESET_SUSPECT


class NotFoundError(SensorTimeError, LookupError):
    """No such item (SNT_ERR_NOT_FOUND)."""

    status = _abi.SNT_ERR_NOT_FOUND


class NotConnectedError(SensorTimeError, LookupError):
    """No path leads from one to the other (SNT_ERR_NOT_CONNECTED)."""

    status = _abi.SNT_ERR_NOT_CONNECTED


class CycleError(SensorTimeError):
    """The edge would close a cycle (SNT_ERR_CYCLE)."""

    status = _abi.SNT_ERR_CYCLE


class ConflictError(SensorTimeError):
    """Contradicts what is already there (SNT_ERR_CONFLICT)."""

    status = _abi.SNT_ERR_CONFLICT


class FullError(SensorTimeError):
    """The declared capacity is used up (SNT_ERR_FULL)."""

    status = _abi.SNT_ERR_FULL


class FormatError(SensorTimeError, ValueError):
    """Malformed text or bytes (SNT_ERR_FORMAT)."""

    status = _abi.SNT_ERR_FORMAT


class TruncatedError(SensorTimeError, ValueError):
    """The bytes end before the message does (SNT_ERR_TRUNCATED)."""

    status = _abi.SNT_ERR_TRUNCATED


class UnsupportedError(SensorTimeError):
    """Valid, but not supported here (SNT_ERR_UNSUPPORTED)."""

    status = _abi.SNT_ERR_UNSUPPORTED


class PrecisionError(SensorTimeError):
    """The type is too coarse to hold this time (SNT_ERR_PRECISION)."""

    status = _abi.SNT_ERR_PRECISION


class NoTimeError(SensorTimeError):
    """There is no usable time in the data (SNT_ERR_NO_TIME)."""

    status = _abi.SNT_ERR_NO_TIME


class ExpiredError(SensorTimeError):
    """The table or validity interval has expired (SNT_ERR_EXPIRED)."""

    status = _abi.SNT_ERR_EXPIRED


class InvalidStateError(SensorTimeError):
    """The handle is not in a state that can answer (SNT_ERR_INVALID_STATE)."""

    status = _abi.SNT_ERR_INVALID_STATE


class ViolationError(SensorTimeError):
    """The observation contradicts the declared assumptions (SNT_ERR_VIOLATION)."""

    status = _abi.SNT_ERR_VIOLATION


class UncertainError(SensorTimeError):
    """The error bound is missing or wider than allowed (SNT_ERR_UNCERTAIN)."""

    status = _abi.SNT_ERR_UNCERTAIN


class VersionError(SensorTimeError):
    """That version is unknown or no longer kept (SNT_ERR_VERSION)."""

    status = _abi.SNT_ERR_VERSION


class GapError(SensorTimeError):
    """The hole in the data is too wide to bridge (SNT_ERR_GAP)."""

    status = _abi.SNT_ERR_GAP


class BadQuaternionError(SensorTimeError):
    """The quaternion is not of unit length (SNT_ERR_BAD_QUATERNION)."""

    status = _abi.SNT_ERR_BAD_QUATERNION


class LayoutError(SensorTimeError, ValueError):
    """Sizes, offsets and counts contradict each other (SNT_ERR_LAYOUT)."""

    status = _abi.SNT_ERR_LAYOUT


class BufferTooSmallError(SensorTimeError):
    """The output buffer is too small (SNT_ERR_BUFFER_TOO_SMALL)."""

    status = _abi.SNT_ERR_BUFFER_TOO_SMALL


class TreeChangedError(SensorTimeError):
    """The tree changed since the path was resolved (SNT_ERR_TREE_CHANGED)."""

    status = _abi.SNT_ERR_TREE_CHANGED


class TimeoutError(SensorTimeError, _BuiltinTimeout):
    """The declared waiting time is over (SNT_ERR_TIMEOUT)."""

    status = _abi.SNT_ERR_TIMEOUT


class ClockMismatchError(SensorTimeError):
    """The times lie years apart: two different clocks (SNT_ERR_CLOCK_MISMATCH)."""

    status = _abi.SNT_ERR_CLOCK_MISMATCH


class IncompatibleError(SensorTimeError):
    """Offer and request do not match (SNT_ERR_INCOMPATIBLE)."""

    status = _abi.SNT_ERR_INCOMPATIBLE


class HorizonError(SensorTimeError):
    """Beyond the horizon up to which the bound is vouched for (SNT_ERR_HORIZON)."""

    status = _abi.SNT_ERR_HORIZON


_by_status: Dict[int, Type[SensorTimeError]] = {one.status: one for one in SensorTimeError.__subclasses__()}
__all__ = ["SensorTimeError", "check"] + sorted(one.__name__ for one in _by_status.values())


def check(
    status: int,
    doing: str = "",
    facts: Optional[Mapping[str, Any]] = None,
    struct: Optional[ctypes.Structure] = None,
) -> int:
    """Raise for a failure; return the status otherwise (0, or positive "nothing to give yet")."""
    if status < 0:
        raise _by_status.get(status, SensorTimeError)(doing, status, facts, struct)
    return status
