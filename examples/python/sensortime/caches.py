# SPDX-License-Identifier: BSD-3-Clause
"""Two small queues over time, with Python objects as payloads: what came last, and what comes next in order."""

import ctypes
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional

from . import _abi
from ._handle import Handle, Tokens, config, i64, struct_dict, u32
from ._library import lib
from .errors import check
from .samples import Sample

OPEN, CLOSED = _abi.SNT_CACHE_OPEN, _abi.SNT_CACHE_CLOSED


class Kept(NamedTuple):
    """A payload of a cache or sequencer."""

    stamp_ns: int
    payload: Any
    sample: Sample


class _Payloads:
    """Objects behind tokens."""

    def __init__(self) -> None:
        self._objects: Dict[int, Any] = {}
        self._tokens = Tokens(1)

    def sample(self, stamp_ns: int, domain: int, payload: Any, fields: Dict[str, Any]) -> Sample:
        token = self._tokens.take()
        made = Sample(stamp_ns, domain, token, **fields)
        made.struct.token = token
        self._objects[token] = payload
        return made

    def show(self, struct: _abi.snt_sample) -> Kept:
        return Kept(struct.t0_ns, self._objects.get(struct.token), Sample.of(struct))

    def take(self, struct: _abi.snt_sample) -> Kept:
        return Kept(struct.t0_ns, self._objects.pop(struct.token, None), Sample.of(struct))

    def forget(self, token: int) -> None:
        self._objects.pop(token, None)


class MessageCache(Handle):
    """The last samples, ordered by stamp. Options: snt_message_cache_config (capacity, epoch, …)."""

    _destroy = lib.snt_message_cache_destroy

    def __init__(self, domain: int = _abi.SNT_DOMAIN_UNIX, **options: Any):
        cfg = config(_abi.snt_message_cache_config, lib.snt_message_cache_config_init, options)
        cfg.domain = u32(domain, "domain")
        out = ctypes.POINTER(_abi.snt_message_cache)()
        check(lib.snt_message_cache_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a cache")
        self._own(out)
        self.domain, self._payloads = domain, _Payloads()
        self._resets, self._follows = 0, options.get("epoch") is not None

    def add(self, stamp_ns: int, payload: Any, **fields: Any) -> Optional[Kept]:
        """Remember a payload; what a full cache gave up for it, or None. `fields`: of snt_sample."""
        sample = self._payloads.sample(stamp_ns, fields.pop("domain", self.domain), payload, fields)
        evicted, has = _abi.snt_sample(), ctypes.c_uint32()
        status = lib.snt_message_cache_add(
            self.handle, ctypes.byref(sample.struct), ctypes.byref(evicted), ctypes.byref(has)
        )
        if status < 0:
            self._payloads.forget(sample.struct.token)
            check(status, f"remembering {stamp_ns}")
        if self._follows:
            self._follow()
        return self._payloads.take(evicted) if has.value else None

    def add_many(self, stamps_ns: Iterable[int], payloads: Iterable[Any]) -> List[Kept]:
        """Remember many; what was given up for them."""
        given_up = (self.add(stamp, payload) for stamp, payload in zip(stamps_ns, payloads))
        return [one for one in given_up if one is not None]

    def _follow(self) -> None:
        """Let go of the payloads that a new session or `clear` dropped."""
        resets = self.stats()["reset"]
        if resets != self._resets:
            self._resets = resets
            tokens = {one.token for one in self._all()}
            for token in [t for t in self._payloads._objects if t not in tokens]:
                self._payloads.forget(token)

    def _many(self, function: Callable[..., int], lo: int, hi: int) -> List[_abi.snt_sample]:
        count, capacity = ctypes.c_uint32(), 64
        while True:
            room = (_abi.snt_sample * capacity)()
            status = function(self.handle, i64(lo), i64(hi), room, capacity, ctypes.byref(count))
            if status != _abi.SNT_ERR_BUFFER_TOO_SMALL:
                check(status, f"samples in [{lo}, {hi}]")
                return [_abi.snt_sample.from_buffer_copy(one) for one in room[: count.value]]
            capacity = count.value + 16

    def _all(self) -> List[_abi.snt_sample]:
        return self._many(lib.snt_message_cache_interval, _abi.SNT_TIME_INFINITE_PAST, _abi.SNT_TIME_INFINITE_FUTURE)

    def interval(self, lo_ns: int, hi_ns: int) -> List[Kept]:
        """All with lo <= stamp <= hi, ascending."""
        return [self._payloads.show(one) for one in self._many(lib.snt_message_cache_interval, lo_ns, hi_ns)]

    def surrounding(self, lo_ns: int, hi_ns: int) -> List[Kept]:
        """From the last at or before lo to the first at or after hi: what interpolation needs."""
        return [self._payloads.show(one) for one in self._many(lib.snt_message_cache_surrounding, lo_ns, hi_ns)]

    def _one(self, function: Callable[..., int], *arguments: int) -> Optional[Kept]:
        out = _abi.snt_sample()
        if check(function(self.handle, *arguments, ctypes.byref(out)), "asking the cache") == _abi.SNT_EMPTY:
            return None
        return self._payloads.show(out)

    def before(self, t_ns: int, boundary: int = OPEN) -> Optional[Kept]:
        """The newest before `t_ns`; CLOSED: or at it."""
        return self._one(lib.snt_message_cache_before, i64(t_ns), u32(boundary, "boundary"))

    def after(self, t_ns: int, boundary: int = OPEN) -> Optional[Kept]:
        """The oldest after `t_ns`; CLOSED: or at it."""
        return self._one(lib.snt_message_cache_after, i64(t_ns), u32(boundary, "boundary"))

    @property
    def latest(self) -> Optional[Kept]:
        """With the greatest stamp."""
        return self._one(lib.snt_message_cache_latest)

    @property
    def oldest(self) -> Optional[Kept]:
        """With the least stamp."""
        return self._one(lib.snt_message_cache_oldest)

    def clear(self) -> None:
        """Forget everything."""
        check(lib.snt_message_cache_clear(self.handle), "clearing")
        self._follow()

    def stats(self) -> Dict[str, Any]:
        """Counters; `in` = `held` + `evicted` + `reset`."""
        out = _abi.snt_message_cache_stats()
        check(lib.snt_message_cache_get_stats(self.handle, ctypes.byref(out)), "reading the counters")
        return struct_dict(out)

    def __len__(self) -> int:
        return int(self.stats()["held"])

    def __iter__(self) -> Iterator[Kept]:
        return iter([self._payloads.show(one) for one in self._all()])


class SequencerDrop(NamedTuple):
    """A payload that will not be sequenced, and why."""

    payload: Any
    stamp_ns: int
    reason: str
    behind_ns: int


class TimeSequencer(Handle):
    """Gives payloads back in order of their stamps, each after a declared delay. Options: snt_time_sequencer_config.

    Every payload comes back exactly once: from `ready` or from `drops`.
    """

    _destroy = lib.snt_time_sequencer_destroy

    def __init__(self, domain: int = _abi.SNT_DOMAIN_UNIX, **options: Any):
        cfg = config(_abi.snt_time_sequencer_config, lib.snt_time_sequencer_config_init, options)
        cfg.domain = u32(domain, "domain")
        out = ctypes.POINTER(_abi.snt_time_sequencer)()
        check(lib.snt_time_sequencer_create(ctypes.byref(cfg), None, ctypes.byref(out)), "making a sequencer")
        self._own(out)
        self.domain, self._payloads = domain, _Payloads()

    def add(self, stamp_ns: int, payload: Any, **fields: Any) -> None:
        """Give one; a late one comes back from `drops`. Raises FullError while untaken drops fill all room."""
        sample = self._payloads.sample(stamp_ns, fields.pop("domain", self.domain), payload, fields)
        status = lib.snt_time_sequencer_add(self.handle, ctypes.byref(sample.struct))
        if status < 0:
            self._payloads.forget(sample.struct.token)
            check(status, f"sequencing {stamp_ns}")

    def add_many(self, stamps_ns: Iterable[int], payloads: Iterable[Any]) -> None:
        """Give many."""
        for stamp, payload in zip(stamps_ns, payloads):
            self.add(stamp, payload)

    def ready(self, now_ns: int) -> Iterator[Kept]:
        """Take those whose delay is over at `now_ns`, ascending."""
        now = i64(now_ns)
        while True:
            out = _abi.snt_sample()
            if check(lib.snt_time_sequencer_poll(self.handle, now, ctypes.byref(out)), "taking one") != _abi.SNT_OK:
                return
            yield self._payloads.take(out)

    def drops(self) -> Iterator[SequencerDrop]:
        """Take what will not be sequenced."""
        while True:
            out = _abi.snt_time_sequencer_drop()
            if check(lib.snt_time_sequencer_poll_drop(self.handle, ctypes.byref(out)), "taking a drop") != _abi.SNT_OK:
                return
            name = lib.snt_drop_reason_name(out.reason).decode().replace("SNT_DROP_", "").lower()
            kept = self._payloads.take(out.sample)
            yield SequencerDrop(kept.payload, kept.stamp_ns, name, out.behind_ns)

    def clear(self) -> None:
        """Drop everything, so that every payload can be taken back."""
        check(lib.snt_time_sequencer_clear(self.handle), "clearing")

    def stats(self) -> Dict[str, Any]:
        """Counters; `in` = `out` + `held` + the sum of `dropped`."""
        out = _abi.snt_time_sequencer_stats()
        check(lib.snt_time_sequencer_get_stats(self.handle, ctypes.byref(out)), "reading the counters")
        return struct_dict(out)
