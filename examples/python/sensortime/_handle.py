# SPDX-License-Identifier: BSD-3-Clause
"""What every object around an opaque handle shares."""

import ctypes
from typing import Any, Callable

from .errors import InvalidStateError  # type: ignore[attr-defined]


class Handle:
    """Owns one handle of the library: a context manager that frees it once.

    Subclasses set `_destroy` to the library's destroy function and call `_own(pointer)`.
    """

    _destroy: Callable[[Any], None]
    _pointer: Any = None

    def _own(self, pointer: Any) -> None:
        self._pointer = pointer

    @property
    def handle(self) -> Any:
        """The library's handle. Raises InvalidStateError once closed."""
        if self._pointer is None:
            raise InvalidStateError(f"{type(self).__name__} is closed")
        return self._pointer

    def close(self) -> None:
        """Free the handle. Later calls raise; closing twice does nothing."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            type(self)._destroy(pointer)

    def __enter__(self):
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # the interpreter may be shutting down
            pass


_TEXT = 8192  # more than any text of the library needs [bytes]


def text_of(function: Callable, *arguments: Any) -> str:
    """What one of the library's `…_format` functions says; "" where it says nothing."""
    room = ctypes.create_string_buffer(_TEXT)
    function(*arguments, room, _TEXT)
    return room.value.decode(errors="replace")


def struct_dict(struct: ctypes.Structure) -> dict:
    """A struct's fields as a dictionary of Python values; reserved fields are left out."""
    out = {}
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


def config(struct_type: Any, init: Callable, values: dict) -> Any:
    """A config struct with its defaults, then the caller's keyword values."""
    cfg = struct_type()
    init(ctypes.byref(cfg), ctypes.sizeof(cfg))
    known = {name for name, *_ in struct_type._fields_}
    for name, value in values.items():
        if name not in known or name == "struct_size":
            raise TypeError(f"{struct_type.__name__} has no option '{name}'")
        setattr(cfg, name, value)
    return cfg
