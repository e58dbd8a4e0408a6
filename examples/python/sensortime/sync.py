# SPDX-License-Identifier: BSD-3-Clause
"""What else was measured at that moment: sets of samples, with Python objects as payloads."""

import ctypes
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._handle import Handle, Tokens, config, i64, integers, set_field, size_of, struct_dict, text_of, u32
from ._library import lib
from .errors import check

UNKNOWN = _abi.SNT_UNKNOWN
APPROXIMATE, EXACT, EPSILON = _abi.SNT_SYNC_APPROXIMATE, _abi.SNT_SYNC_EXACT, _abi.SNT_SYNC_EPSILON
LATEST, EARLIEST = _abi.SNT_SYNC_LATEST, _abi.SNT_SYNC_EARLIEST
COMPAT = _abi.SNT_SYNC_COMPAT
#: dtypes of `Synchronizer.take_arrays`
SET_DTYPE, MEMBER_DTYPE = np.dtype(_abi.snt_sync_set), np.dtype(_abi.snt_sync_member)
_FIRST_TOKEN = 1 << 63  # of objects; below are the numbers that callers give in arrays


class Set(NamedTuple):
    """Samples that belong together. `members[i]` is the payload of input i, or None if it has none."""

    members: List[Any]
    stamps_ns: List[Optional[int]]
    separation_ns: int
    facts: _abi.snt_sync_set


class Drop(NamedTuple):
    """A payload that came back without a set, and why."""

    payload: Any
    input: int
    reason: str  # short name in lower case
    text: str
    facts: _abi.snt_sync_drop

    def __str__(self) -> str:
        """One line with the stamps and the partner."""
        return text_of(lib.snt_sync_drop_format, ctypes.byref(self.facts))


class Diagnosis:
    """Why no set comes; its numbers are in `facts`."""

    def __init__(self, struct: _abi.snt_sync_diagnosis):
        self.struct = struct

    @property
    def blocker(self) -> Optional[int]:
        """The input that the next set waits for, or None."""
        return None if self.struct.blocker == _abi.SNT_SYNC_NO_INPUT else int(self.struct.blocker)

    @property
    def facts(self) -> Dict[str, Any]:
        """never, empty, blocked_since_ns, suggested_slop_ns …"""
        return struct_dict(self.struct)

    def __str__(self) -> str:
        return text_of(lib.snt_sync_diagnosis_format, ctypes.byref(self.struct))


class Synchronizer(Handle):
    """Groups samples of `inputs` inputs. Options are those of snt_sync_config (policy, max_separation_ns, queue, …).

    Every payload given comes back exactly once: in a set, or with one reason from `drops`. (Samples of latched and
    interpolated inputs are lent to sets and come back as drops when they retire.)
    """

    _destroy = lib.snt_synchronizer_destroy

    def __init__(self, inputs: Any = 2, domain: int = _abi.SNT_DOMAIN_UNIX, **options: Any):
        """`inputs`: how many, or a list of dictionaries with the fields of snt_sync_input_config for each."""
        cfg = self._configured(inputs, domain, options)
        out = ctypes.POINTER(_abi.snt_synchronizer)()
        check(lib.snt_synchronizer_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a synchronizer")
        self._own(out)
        self.inputs, self.domain = int(cfg.input_count), domain
        self._payloads: Dict[int, Any] = {}
        self._tokens = Tokens(_FIRST_TOKEN)
        self._room = _abi.snt_sync_member * int(lib.snt_synchronizer_max_members(out))  # for the members of one set

    @staticmethod
    def _configured(inputs: Any, domain: int, options: Dict[str, Any]) -> Any:
        each: Sequence[Dict[str, Any]] = [{}] * inputs if isinstance(inputs, int) else list(inputs)
        array = (_abi.snt_sync_input_config * len(each))()
        known = {name for name, *_ in _abi.snt_sync_input_config._fields_}
        for one, values in zip(array, each):
            for name, value in values.items():
                if name not in known:
                    raise TypeError(f"an input has no option '{name}'")
                set_field(one, name, value)
        cfg = config(_abi.snt_sync_config, lib.snt_synchronizer_config_init, options)
        cfg.input_count, cfg.inputs, cfg.domain = len(each), array, u32(domain, "domain")
        return cfg

    @classmethod
    def size(cls, inputs: Any = 2, domain: int = _abi.SNT_DOMAIN_UNIX, **options: Any) -> int:
        """Memory that a synchronizer of these options takes [bytes]."""
        return size_of(lib.snt_synchronizer_size, cls._configured(inputs, domain, options), "size of a synchronizer")

    def add(self, input: int, stamp_ns: int, payload: Any, now_ns: int = UNKNOWN, **fields: Any) -> bool:
        """Give one sample; True if a set or a drop is ready to be taken. Raises FullError if too much waits.

        `fields` are those of snt_sample: t1_ns for a scan or exposure, err_lo_ns, err_hi_ns and flags, session, domain …
        """
        sample = _abi.snt_sample()
        token, handle = self._tokens.take(), self.handle
        lib.snt_sample_init(ctypes.byref(sample), i64(stamp_ns), self.domain, token)
        for name, value in fields.items():
            set_field(sample, name, value)
        sample.token = token
        which, now = u32(input, "input"), i64(now_ns)
        self._payloads[token] = payload  # before the call: another thread may take the set at once
        status = lib.snt_synchronizer_add(handle, which, ctypes.byref(sample), now)
        if status < 0:
            del self._payloads[token]
            check(status, f"input {input}")
        return bool(status == _abi.SNT_OK)

    def add_poll(self, input: int, stamp_ns: int, payload: Any, now_ns: int = UNKNOWN) -> Optional[Set]:
        """Give one instant and take the next set, if there is one: cheaper than `add`, then `sets`.

        Take what else is ready with `sets` while `facts.more` is not 0, and drops with `drops` now and then.
        """
        sample, found, room = _abi.snt_sample(), _abi.snt_sync_set(), self._room()
        token, handle = self._tokens.take(), self.handle
        lib.snt_sample_init(ctypes.byref(sample), i64(stamp_ns), self.domain, token)
        which, now = u32(input, "input"), i64(now_ns)
        self._payloads[token] = payload
        status = lib.snt_synchronizer_add_poll(
            handle, which, ctypes.byref(sample), now, ctypes.byref(found), room, len(room)
        )
        if status < 0:
            del self._payloads[token]
            check(status, f"input {input}")
        return self._set(found, room) if status == _abi.SNT_OK else None

    def add_many(self, inputs: Any, stamps_ns: Any, payloads: Any, now_ns: int = UNKNOWN) -> int:
        """Give many instants at once; how many were taken, from the front (fewer: take sets and drops, go on).

        `payloads` are any objects. An array of integers (numpy, each below 2**63) costs less: the numbers travel as tokens
        and come back as payloads.
        """
        inputs = integers(inputs, np.uint32, "inputs")
        stamps = integers(stamps_ns)
        first, numbers = 0, isinstance(payloads, np.ndarray) and payloads.dtype.kind in "iu"
        if numbers:
            if payloads.size and not 0 <= int(payloads.min()) <= int(payloads.max()) < _FIRST_TOKEN:
                raise ValueError("numbers that travel as tokens must be below 2**63")
            tokens = np.ascontiguousarray(payloads, np.uint64)
        else:
            payloads = list(payloads)
            first = self._tokens.take(len(payloads))
            tokens = np.arange(len(payloads), dtype=np.uint64) + np.uint64(first)
        if not inputs.size == stamps.size == tokens.size:
            raise ValueError("inputs, stamps and payloads differ in length")
        if not numbers:  # before the call: another thread may take their sets at once
            self._payloads.update(zip(range(first, first + len(payloads)), payloads))
        added = ctypes.c_uint64()
        try:
            handle, now = self._enter(), i64(now_ns)
            try:
                status = lib.snt_synchronizer_add_many(
                    handle, inputs.ctypes.data, stamps.ctypes.data, tokens.ctypes.data, inputs.size, self.domain, now,
                    ctypes.byref(added),
                )  # fmt: skip
            finally:
                self._leave()
        finally:
            for token in range(first + added.value, first + len(payloads) if not numbers else 0):
                del self._payloads[token]
        if status != _abi.SNT_ERR_FULL:
            check(status, "adding samples")
        return added.value

    def _payload(self, token: int, keep: bool = False) -> Any:
        if keep:
            return self._payloads.get(token, token)
        return self._payloads.pop(token, token)

    def _set(self, found: _abi.snt_sync_set, room: Any) -> Set:
        members: List[Any] = [None] * self.inputs
        stamps: List[Optional[int]] = [None] * self.inputs
        for one in room[: found.member_count]:
            payload = self._payload(one.sample.token, bool(one.flags & _abi.SNT_MEMBER_LENT))
            if one.flags & (_abi.SNT_MEMBER_BEFORE | _abi.SNT_MEMBER_AFTER):
                # the pair around the reference, with the weight of the second
                before = members[one.input]
                share = one.weight_num / one.weight_den
                members[one.input] = (payload, None, share) if before is None else (before[0], payload, share)
            else:
                members[one.input] = payload
            stamps[one.input] = one.sample.t0_ns
        return Set(members, stamps, found.separation_ns, found)

    def sets(self, now_ns: int = UNKNOWN, now_stamp_ns: int = UNKNOWN) -> Iterator[Set]:
        """Take the sets that are ready."""
        now, stamp, room = i64(now_ns), i64(now_stamp_ns), self._room()
        while True:
            found = _abi.snt_sync_set()
            status = lib.snt_synchronizer_poll(self.handle, now, stamp, ctypes.byref(found), room, len(room))
            if check(status, "taking a set") == _abi.SNT_EMPTY:
                return
            yield self._set(found, room)

    def take_arrays(
        self, now_ns: int = UNKNOWN, now_stamp_ns: int = UNKNOWN, most: int = 4096
    ) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """Take up to `most` sets at once, where payloads are numbers: (sets, members) with the fields of the C structs.

        The members of all sets follow one another; a set has `member_count` of them. `members["sample"]["token"]` are the
        numbers that `add_many` was given. Raises TypeError while objects wait, which only `sets` can hand out.
        """
        if self._payloads:
            raise TypeError("payloads are objects: take them with sets()")
        now, stamp, room = i64(now_ns), i64(now_stamp_ns), self._room()
        per_set = len(room)
        sets, members = np.empty(min(u32(most, "most"), 64), SET_DTYPE), np.empty(64 * per_set, MEMBER_DTYPE)
        poll, handle = lib.snt_synchronizer_poll, self.handle
        found = _abi.snt_sync_set()
        where, source = ctypes.byref(found), ctypes.addressof(room)
        into_sets, into_members = sets.ctypes.data, members.ctypes.data
        width, length = ctypes.sizeof(found), MEMBER_DTYPE.itemsize
        count = filled = 0
        while count < most and poll(handle, now, stamp, where, room, per_set) == _abi.SNT_OK:
            here = found.member_count
            if count == sets.size:
                sets, members = np.resize(sets, 4 * count), np.resize(members, 4 * count * per_set)
                into_sets, into_members = sets.ctypes.data, members.ctypes.data
            ctypes.memmove(into_sets + count * width, where, width)
            ctypes.memmove(into_members + filled * length, source, here * length)
            count, filled = count + 1, filled + here
        return sets[:count], members[:filled]

    def drops(self) -> Iterator[Drop]:
        """Take what came back without a set."""
        room, count = (_abi.snt_sync_drop * 64)(), ctypes.c_uint32()
        while True:
            status = lib.snt_synchronizer_poll_drops(self.handle, room, len(room), ctypes.byref(count))
            if check(status, "taking drops") == _abi.SNT_EMPTY or count.value == 0:
                return
            for one in room[: count.value]:
                copy = _abi.snt_sync_drop.from_buffer_copy(one)
                name = lib.snt_drop_reason_name(one.reason).decode().replace("SNT_DROP_", "").lower()
                text = lib.snt_drop_reason_text(one.reason).decode()
                yield Drop(self._payload(one.sample.token), one.input, name, text, copy)

    def clear(self) -> None:
        """Drop everything, so that every payload can be taken back."""
        check(lib.snt_synchronizer_clear(self.handle), "clearing")

    def reset(self) -> None:
        """Begin a new session by hand: what waits is dropped as "reset"."""
        check(lib.snt_synchronizer_reset(self.handle), "resetting")

    def set_offset(self, input: int, offset_ns: int, error_ns: int = 0) -> None:
        """Added to an input's stamps; what waits on it is matched anew."""
        status = lib.snt_synchronizer_set_offset(self.handle, u32(input, "input"), i64(offset_ns), i64(error_ns))
        check(status, f"offset of input {input}")

    def set_max_separation(self, max_separation_ns: int) -> None:
        """How far apart the members of a set may be; what waits is matched anew."""
        check(lib.snt_synchronizer_set_max_separation(self.handle, i64(max_separation_ns)), "separation")

    def diagnose(self, now_ns: int = UNKNOWN) -> Diagnosis:
        """Who blocks the next set and since when. `print` it."""
        out = _abi.snt_sync_diagnosis()
        check(lib.snt_synchronizer_diagnose(self.handle, i64(now_ns), ctypes.byref(out)), "diagnosing")
        return Diagnosis(out)

    def input_info(self, input: int, now_ns: int = UNKNOWN) -> Dict[str, Any]:
        """One input's view: ages, period, nearest miss, suggested queue."""
        out = _abi.snt_sync_input_info()
        status = lib.snt_synchronizer_input_info(self.handle, u32(input, "input"), i64(now_ns), ctypes.byref(out))
        check(status, f"input {input}")
        return struct_dict(out)

    def check(self) -> None:
        """Count everything anew and compare with the counters: for tests."""
        check(lib.snt_synchronizer_check(self.handle), "self-test")

    def stats(self) -> Dict[str, Any]:
        """Counters; `in` = `out` + `held` + the sum of `dropped`."""
        out = _abi.snt_sync_stats()
        check(lib.snt_synchronizer_stats(self.handle, ctypes.byref(out)), "reading the counters")
        return struct_dict(out)
