# SPDX-License-Identifier: BSD-3-Clause
"""The session that several handles share: a reboot, a reset or a seek ends it for all of them at once."""

import ctypes
from typing import Any

from . import _abi
from ._handle import Handle, u32
from ._library import lib
from .errors import check

START, DEVICE_BOOT, COUNTER_RESET = _abi.SNT_EPOCH_START, _abi.SNT_EPOCH_DEVICE_BOOT, _abi.SNT_EPOCH_COUNTER_RESET
HOST_STEP, REPLAY_SEEK = _abi.SNT_EPOCH_HOST_STEP, _abi.SNT_EPOCH_REPLAY_SEEK
SUSPEND, USER = _abi.SNT_EPOCH_SUSPEND, _abi.SNT_EPOCH_USER


class Epoch(Handle):
    """The current session. Give it as `epoch=` to buffers, filters, maps and matchers; they keep a reference of their own."""

    _destroy = lib.snt_epoch_unref

    def __init__(self) -> None:
        out = ctypes.POINTER(_abi.snt_epoch)()
        check(lib.snt_epoch_create(None, ctypes.byref(out)), "making an epoch")
        self._own(out)

    def share(self) -> "Epoch":
        """Another object for the same epoch, closed for itself."""
        other = type(self).__new__(type(self))
        other._own(lib.snt_epoch_ref(self.handle))
        return other

    def bump(self, reason: int = USER) -> int:
        """Begin the next session; its number. Everything that holds the epoch notices at its next call."""
        session: int = lib.snt_epoch_bump(self.handle, u32(reason, "reason"))
        return session

    @property
    def session(self) -> int:
        """Number of the current session, from 1."""
        session: int = lib.snt_epoch_session(self.handle)
        return session

    @property
    def reason(self) -> int:
        """Why it began: START, DEVICE_BOOT …"""
        reason: int = lib.snt_epoch_reason(self.handle)
        return reason

    def __repr__(self) -> str:
        return "<Epoch closed>" if self.closed else f"<Epoch session {self.session}>"


def pointer(epoch: Any) -> Any:
    """The epoch's handle, or a null pointer for None."""
    return None if epoch is None else epoch.handle
