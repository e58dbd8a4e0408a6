# SPDX-License-Identifier: BSD-3-Clause
"""What every object around an opaque handle shares, and the checks that ctypes does not make."""

import ctypes
import threading
from contextlib import contextmanager
from operator import index
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, Optional, Tuple, Type, TypeVar

import numpy as np

from . import _abi
from .errors import InvalidStateError, check

UNKNOWN: int = _abi.SNT_UNKNOWN
Self = TypeVar("Self", bound="Handle")
_lock = threading.RLock()  # guards the counts of users; __del__ may run while it is held, hence reentrant


class Handle:
    """Owns one handle of the library: a context manager that frees it once.

    Subclasses set `_destroy` to the library's destroy function and call `_own(pointer)`. Closing waits for whoever still
    uses the handle: objects made from it (a path of a buffer) and long calls that other threads are in.
    """

    _destroy: Callable[[Any], Any]
    _pointer: Any = None
    _leaving: Any = None  # closed, but still in use
    _users: int = 0
    _needs: Tuple["Handle", ...] = ()
    _config: Any = None  # what a config points to has to live as long as the handle

    def _own(self, pointer: Any, *needs: "Handle") -> None:
        for one in needs:
            one._enter()
        self._pointer, self._needs = pointer, needs

    def _enter(self) -> Any:
        """The handle, which is not freed before `_leave`."""
        with _lock:
            pointer = self.handle
            self._users += 1
        return pointer

    def _leave(self) -> None:
        with _lock:
            self._users -= 1
            pointer = self._leaving if self._users == 0 else None
            if pointer is None:
                return
            self._leaving = None
        self._free(pointer)

    def _free(self, pointer: Any) -> None:
        type(self)._destroy(pointer)
        needs, self._needs = self._needs, ()
        for one in needs:
            one._leave()

    @contextmanager
    def _alone(self) -> Iterator[Any]:
        """The handle, for a change that nobody else may watch."""
        with _lock:
            if self._users:
                raise InvalidStateError(f"{type(self).__name__} is in use by another thread")
            yield self.handle

    @property
    def handle(self) -> Any:
        """The library's handle. Raises InvalidStateError once closed, or once what it was made from is."""
        if self._pointer is None:
            raise InvalidStateError(f"{type(self).__name__} is closed")
        for one in self._needs:
            if one._pointer is None:
                raise InvalidStateError(f"{type(self).__name__}: its {type(one).__name__} is closed")
        return self._pointer

    @property
    def closed(self) -> bool:
        """Was it closed?"""
        return self._pointer is None

    def close(self) -> None:
        """Free the handle. Later calls raise; closing twice does nothing."""
        with _lock:
            pointer, self._pointer = self._pointer, None
            if pointer is None:
                return
            if self._users:
                self._leaving = pointer
                return
        self._free(pointer)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # the interpreter may be shutting down
            pass


class Tokens:
    """Numbers for payloads. Threads that feed one handle must not get the same."""

    def __init__(self, first: int):
        self._next, self._lock = first, threading.Lock()

    def take(self, count: int = 1) -> int:
        """The first of `count` numbers that nobody else gets."""
        with self._lock:
            first = self._next
            self._next = first + count
        return first


# ---- text ----


def text_of(function: Callable[..., int], *arguments: Any) -> str:
    """What one of the library's `…_format` functions says, however long; "" where it says nothing."""
    size = 512
    while True:
        room = ctypes.create_string_buffer(size)
        if function(*arguments, room, size) != _abi.SNT_ERR_BUFFER_TOO_SMALL or size > 1 << 24:
            return room.value.decode(errors="replace")
        size *= 4


def c_text(text: str, what: str = "name") -> bytes:
    """Text for the library. NUL would end it early and so is refused."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{what} {text!r} holds a NUL")
    return text.encode()


# ---- numbers: ctypes cuts integers that do not fit without a word ----


def _integer(value: Any, what: str) -> int:
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {type(value).__name__}") from None


def i64(value: Any, what: str = "time [ns]") -> int:
    """A number that fits int64."""
    number = _integer(value, what)
    if not -(1 << 63) <= number < 1 << 63:
        raise OverflowError(f"{what} {number} does not fit 64 bits")
    return number


def u64(value: Any, what: str = "number") -> int:
    """A number that fits uint64."""
    number = _integer(value, what)
    if not 0 <= number < 1 << 64:
        raise OverflowError(f"{what} {number} does not fit 64 bits without sign")
    return number


def u32(value: Any, what: str = "number") -> int:
    """A number that fits uint32."""
    number = _integer(value, what)
    if not 0 <= number < 1 << 32:
        raise OverflowError(f"{what} {number} does not fit 32 bits without sign")
    return number


def i32(value: Any, what: str = "number") -> int:
    """A number that fits int32."""
    number = _integer(value, what)
    if not -(1 << 31) <= number < 1 << 31:
        raise OverflowError(f"{what} {number} does not fit 32 bits")
    return number


# ---- arrays ----


def integers(values: Any, dtype: Any = np.int64, what: str = "stamps [ns]") -> "np.ndarray[Any, Any]":
    """Whole numbers as a contiguous array; not copied if it is one. Floats are refused: they cannot hold a stamp."""
    array = np.asarray(values)
    wanted = np.dtype(dtype)
    if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        array = np.array(values, object)  # numpy makes floats of no numbers, and of int64 mixed with uint64
    if array.dtype.kind == "O":
        try:
            array = np.array([index(one) for one in array.ravel()], wanted).reshape(array.shape)
        except TypeError:
            kinds = {type(one).__name__ for one in array.ravel() if not hasattr(one, "__index__")}
            raise TypeError(f"{what} must be integers, not {', '.join(sorted(kinds))}") from None
        except OverflowError:
            raise OverflowError(f"{what}: not all fit {wanted}") from None
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} must be integers, not {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"{what} must be one-dimensional, not {array.ndim}-dimensional")
    if array.size and not np.can_cast(array.dtype, wanted):
        limits = np.iinfo(wanted)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise OverflowError(f"{what}: not all fit {wanted}")
    return np.ascontiguousarray(array, wanted)


def numbers(values: Any, columns: int, what: str, rows: Optional[int] = None) -> "np.ndarray[Any, Any]":
    """n × columns doubles, contiguous; not copied if they are so."""
    array = np.asarray(values)
    if array.size == 0:
        array = np.zeros((0, columns))
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{what} must be numbers, not {array.dtype}")
    if array.ndim != 2 or array.shape[1] != columns or (rows is not None and array.shape[0] != rows):
        expected = f"{'n' if rows is None else rows} × {columns}"
        raise ValueError(f"{what} must be {expected}, not {' × '.join(map(str, array.shape))}")
    return np.ascontiguousarray(array, np.float64)


def vector(values: Any, size: int, what: str) -> Any:
    """`size` doubles as a ctypes array."""
    if len(values) != size:
        raise ValueError(f"{what} needs {size} numbers, not {len(values)}")
    return (ctypes.c_double * size)(*values)


def typed(array: "np.ndarray[Any, Any]", struct: Any) -> Any:
    """A structured array as a pointer to the struct of its records."""
    return array.ctypes.data_as(ctypes.POINTER(struct))


# ---- structs ----


def struct_dict(struct: ctypes.Structure) -> Dict[str, Any]:
    """A struct's fields as a dictionary of Python values; reserved fields are left out."""
    out: Dict[str, Any] = {}
    for name, *_rest in struct._fields_:
        if name.startswith("reserved") or name == "struct_size":
            continue
        value = getattr(struct, name)
        if isinstance(value, ctypes.Structure):
            value = struct_dict(value)
        elif isinstance(value, ctypes.Array):
            value = [struct_dict(v) if isinstance(v, ctypes.Structure) else v for v in value]
        out[name] = value
    return out


def set_field(struct: ctypes.Structure, name: str, value: Any) -> None:
    """Set a field and see that it holds what was given."""
    kept = getattr(value, "struct", value)  # our objects around structs
    if isinstance(kept, np.generic):
        kept = kept.item()
    if isinstance(getattr(struct, name), ctypes.Array) and not isinstance(kept, ctypes.Array):
        getattr(struct, name)[:] = list(kept)
        return
    try:
        setattr(struct, name, kept)
    except TypeError:
        raise TypeError(f"{name} cannot be set to {value!r}") from None
    if isinstance(kept, int) and getattr(struct, name) != kept:
        raise OverflowError(f"{name}: {value} does not fit")


def config(struct_type: Any, init: Callable[..., Any], values: Dict[str, Any]) -> Any:
    """A config struct with its defaults, then the caller's keyword values. An `epoch` is an Epoch."""
    cfg = struct_type()
    init(ctypes.byref(cfg), ctypes.sizeof(cfg))
    known = {name for name, *_ in struct_type._fields_}
    for name, value in values.items():
        if name not in known or name == "struct_size" or name.startswith("reserved"):
            raise TypeError(f"{struct_type.__name__} has no option '{name}'")
        set_field(cfg, name, value.handle if isinstance(value, Handle) else value)
    return cfg


def size_of(function: Callable[..., int], cfg: Any, doing: str) -> int:
    """What one of the `…_size` functions says a handle will take [bytes]."""
    out = ctypes.c_uint64()
    check(function(None if cfg is None else ctypes.byref(cfg), ctypes.byref(out)), doing)
    return out.value

