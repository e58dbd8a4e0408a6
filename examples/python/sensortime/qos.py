# SPDX-License-Identifier: BSD-3-Clause
"""Will a publisher and a subscription connect, and if not, why?"""

import ctypes
from typing import List

from . import _abi
from ._handle import set_field, text_of, u32
from ._library import lib
from .errors import check

PRESETS = {
    name[len("SNT_QOS_PRESET_") :].lower(): value
    for name, value in vars(_abi).items()
    if name.startswith("SNT_QOS_PRESET_") and name != "SNT_QOS_PRESET_COUNT"
}


class Profile:
    """One end's QoS. Numbers of the policies are those of rmw."""

    def __init__(self, **fields: int):
        known = {name for name, *_ in _abi.snt_qos_profile._fields_}
        for name in fields:
            if name not in known:
                raise TypeError(f"a QoS profile has no '{name}'")
        self.struct = _abi.snt_qos_profile()
        for name, value in fields.items():
            set_field(self.struct, name, value)

    @classmethod
    def preset(cls, name: str) -> "Profile":
        """One of PRESETS, such as "sensor_data" or "latched_map"."""
        if name not in PRESETS:
            raise ValueError(f"no preset '{name}'; known: {', '.join(PRESETS)}")
        profile = cls()
        check(lib.snt_qos_preset(PRESETS[name], ctypes.byref(profile.struct)), f"preset {name}")
        return profile

    def __str__(self) -> str:
        return text_of(lib.snt_qos_profile_format, ctypes.byref(self.struct))


class Verdict:
    """Why two ends connect or do not. True where they connect for certain."""

    def __init__(self, status: int, struct: _abi.snt_qos_verdict):
        self.status, self.struct = status, struct

    def __bool__(self) -> bool:
        return self.status == _abi.SNT_OK

    @property
    def compatible(self) -> bool:
        """They will connect."""
        return self.status == _abi.SNT_OK

    @property
    def undecided(self) -> bool:
        """It depends on a setting that is not known here."""
        return self.status == _abi.SNT_ERR_AMBIGUOUS

    @property
    def reasons(self) -> List[str]:
        """One line for each reason, the ones that prevent the connection first."""
        return text_of(lib.snt_qos_verdict_format, ctypes.byref(self.struct)).splitlines()

    def has(self, reason: int) -> bool:
        """Is the SNT_QOS_* reason bit set?"""
        return bool((self.struct.errors | self.struct.undecided | self.struct.warnings) & reason)


def preset_use(name: str) -> str:
    """What a preset is for."""
    text: bytes = lib.snt_qos_preset_use(PRESETS[name])
    return text.decode()


def reason_text(reason: int) -> str:
    """One SNT_QOS_* reason in words."""
    text: bytes = lib.snt_qos_reason_text(u32(reason, "reason"))
    return text.decode()


def check_profiles(offered: Profile, requested: Profile) -> Verdict:
    """Apply the request/offer rules of DDS."""
    out = _abi.snt_qos_verdict()
    status = lib.snt_qos_check(ctypes.byref(offered.struct), ctypes.byref(requested.struct), ctypes.byref(out))
    if status not in (_abi.SNT_OK, _abi.SNT_ERR_INCOMPATIBLE, _abi.SNT_ERR_AMBIGUOUS):
        check(status, "comparing QoS profiles")
    return Verdict(status, out)
