# SPDX-License-Identifier: BSD-3-Clause
"""One exception per failure status. Each carries its status and the facts the library gave about it."""

from typing import Any, Dict, Optional, Type

from . import _abi
from ._library import lib


class SensorTimeError(Exception):
    """A call of the library failed.

    status: the SNT_ERR_* number; name: its constant's name; facts: what the call filled in about the failure (a
    mapping; empty where the status says everything).
    """

    status: int = 0

    def __init__(
        self, doing: str = "", status: Optional[int] = None, facts: Optional[Dict[str, Any]] = None
    ):
        self.status = type(self).status if status is None else status
        self.name = lib.snt_status_name(self.status).decode()
        self.facts = dict(facts or {})
        self.doing = doing
        text = lib.snt_status_text(self.status).decode()
        if doing:
            text = f"{doing}: {text}"
        if self.facts:
            text += " (" + ", ".join(f"{k} {v}" for k, v in self.facts.items()) + ")"
        super().__init__(text)

    def __getattr__(self, key: str) -> Any:
        """The facts are attributes too: `error.newest_ns`."""
        facts = self.__dict__.get("facts", {})
        if key in facts:
            return facts[key]
        raise AttributeError(key)


# Names follow the status: SNT_ERR_NO_TIME -> NoTimeError. Some are also a built-in kind of error.
_KINDS = {
    "SNT_ERR_INVALID_ARG": ValueError,
    "SNT_ERR_NO_MEMORY": MemoryError,
    "SNT_ERR_OVERFLOW": OverflowError,
    "SNT_ERR_RANGE": ValueError,
    "SNT_ERR_NON_FINITE": ValueError,
    "SNT_ERR_NOT_FOUND": LookupError,
    "SNT_ERR_NOT_CONNECTED": LookupError,
    "SNT_ERR_FORMAT": ValueError,
    "SNT_ERR_TRUNCATED": ValueError,
    "SNT_ERR_LAYOUT": ValueError,
    "SNT_ERR_TIMEOUT": TimeoutError,
}

_by_status: Dict[int, Type[SensorTimeError]] = {}


def _make_classes() -> Dict[str, Type[SensorTimeError]]:
    made = {}
    for constant, status in vars(_abi).items():
        if not constant.startswith("SNT_ERR_"):
            continue
        name = "".join(word.capitalize() for word in constant[len("SNT_ERR_") :].split("_")) + "Error"
        bases = (SensorTimeError, _KINDS[constant]) if constant in _KINDS else (SensorTimeError,)
        doc = lib.snt_status_text(status).decode().capitalize() + f" ({constant})."
        made[name] = type(name, bases, {"status": status, "__doc__": doc, "__module__": __name__})
        _by_status[status] = made[name]
    return made


globals().update(_make_classes())
__all__ = ["SensorTimeError", "check"] + [c.__name__ for c in _by_status.values()]


def check(status: int, doing: str = "", facts: Optional[Dict[str, Any]] = None) -> int:
    """Raise for a failure; return the status otherwise (0, or positive "nothing to give yet")."""
    if status < 0:
        raise _by_status.get(status, SensorTimeError)(doing, status, facts)
    return status
