# SPDX-License-Identifier: BSD-3-Clause
"""A device clock through the package: the simulated truth lies in the bounds."""

import numpy as np
import pytest
from small_recordings import MS, START, S

from sensortime import abi, errors
from sensortime.clocks import DeviceClock


def arrivals(count, rate_ppm=20.0, seed=4):
    """(raw µs of a 32-bit counter, when it truly happened, when it arrived) every 10 ms."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        true = START + k * 10 * MS
        raw = int(123_456 + (true - START) * (1 + rate_ppm * 1e-6) / 1000) % (1 << 32)
        yield raw, true, true + MS + int(rng.gamma(2.0, 0.2 * MS))


def test_the_truth_lies_in_the_bounds():
    with DeviceClock(tick_num_ns=1000, counter_bits=32, host_domain=abi.SNT_DOMAIN_UNIX) as clock:
        assert clock.stamp(123_456, START + 2 * MS) is None, "it warms up first"
        judged = 0
        for raw, true, received in arrivals(600):
            assert clock.observe_arrival(raw, received)
            stamp = clock.stamp(raw, received)
            if stamp is None:
                continue
            judged += 1
            assert stamp.t_ns <= received
            assert (stamp.lo_ns is None or stamp.lo_ns <= true) and (stamp.hi_ns is None or true <= stamp.hi_ns)
        assert judged > 300
        raw, _true, received = list(arrivals(600))[-1]
        assert not clock.observe_arrival(raw, received), "a duplicate"
        assert clock.session == 1
        with pytest.raises(errors.InvalidStateError):
            clock.restart()  # admission has to stop first
        clock.notify(abi.SNT_EPOCH_DEVICE_BOOT)
        assert clock.restart() == clock.session == 2
        health = clock.health(START + 10 * S)
        assert clock.health()["map"]["observations"] == health["map"]["observations"], "as of the newest observation"
        assert health["duplicates"] == 1 and health["map"]["session"] == 2


def test_many_at_once_are_as_one_by_one():
    one = DeviceClock(tick_num_ns=1000, counter_bits=32)
    many = DeviceClock(tick_num_ns=1000, counter_bits=32)
    for raw, _true, received in arrivals(400):
        one.observe_arrival(raw, received)
        many.observe_arrival(raw, received)
    last, _true, received = list(arrivals(400))[-1]
    raws = last + 1 + np.arange(8)
    samples, statuses = many.stamp_many(raws, received + MS)
    for raw, sample, status in zip(raws.tolist(), samples, statuses):
        assert status == 0
        assert one.stamp(raw, received + MS).t_ns == sample["t0_ns"]


def test_a_counter_that_does_not_continue_is_suspected():
    clock = DeviceClock(tick_num_ns=1000, counter_bits=64)
    for raw, _true, received in arrivals(100):
        clock.observe_arrival(raw, received)
    with pytest.raises(errors.SensorTimeError):
        clock.observe_arrival(5_000_000_000, received + 10 * MS)
