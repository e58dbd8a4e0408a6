# SPDX-License-Identifier: BSD-3-Clause
"""Random stamps, bounds, clocks and options against Python's own integers and fractions. With SNT_SEED they are the same."""

import ctypes
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st_

import sensortime as st
from sensortime import _handle, abi, bounded, counters, errors, lib, samples, stamps, timescales

MS, S = 1_000_000, 1_000_000_000
START = 1_700_000_000 * S

LEAST, MOST = -(2**63), 2**63 - 1
any64 = st_.integers(LEAST, MOST)
finite64 = st_.integers(LEAST + 1, MOST - 1)
small64 = st_.integers(-(2**33), 2**33)
times = st_.one_of(finite64, small64)
edges = st_.sampled_from([LEAST, LEAST + 1, -1, 0, 1, MOST - 1, MOST])
anything = st_.one_of(any64, edges)


def outcome(function, *arguments):
    """The value, or the class of what was raised."""
    try:
        return function(*arguments)
    except errors.SensorTimeError as error:
        return type(error)


def fits(value, *operands):
    """What checked arithmetic owes: RangeError for an infinite operand, OverflowError for no finite result."""
    if any(x in (LEAST, MOST) for x in operands):
        return errors.RangeError
    return value if LEAST < value < MOST else errors.OverflowError


def rounded(value, rounding):
    if rounding == stamps.FLOOR:
        return math.floor(value)
    if rounding == stamps.CEIL:
        return math.ceil(value)
    return round(value) if rounding == stamps.NEAREST else math.trunc(value)


# ---- stamps against integers and fractions ----


@given(anything, anything)
def test_sums_are_those_of_integers_or_refused(a, b):
    assert outcome(stamps.add, a, b) == fits(a + b, a, b)
    assert outcome(stamps.sub, a, b) == fits(a - b, a, b)
    assert outcome(stamps.mul, a, b) == fits(a * b, a)


@given(anything, any64, any64, st_.integers(0, 3))
def test_scaling_rounds_once(d, num, den, rounding):
    if den == 0:
        assert outcome(stamps.scale, d, num, den, rounding) is errors.InvalidArgError
        return
    assert outcome(stamps.scale, d, num, den, rounding) == fits(rounded(Fraction(d * num, den), rounding), d)


@given(finite64, finite64)
def test_saturating_sums_clamp(a, b):
    assert stamps.add_saturating(a, b) == max(LEAST, min(MOST, a + b))
    assert stamps.sub_saturating(a, b) == max(LEAST, min(MOST, a - b))
    assert stamps.mul_saturating(a, b) == max(LEAST, min(MOST, a * b))


@given(st_.integers(-(2**40), 2**40), st_.integers(1, 10**12), st_.integers(1, 10**9), st_.integers(0, 3))
def test_ticks_are_exact_fractions(ticks, num, den, rounding):
    tick = Fraction(num, den)
    assert outcome(counters.ticks_to_ns, ticks, tick, rounding) == fits(rounded(ticks * tick, rounding))
    assert outcome(counters.ns_to_ticks, ticks, tick, rounding) == rounded(ticks / tick, rounding) or (
        abs(ticks / tick) > MOST - 2
    )
    if tick >= 1 and abs(ticks * tick) < MOST - 2:
        assert counters.ns_to_ticks(counters.ticks_to_ns(ticks, tick), tick) == ticks


@given(finite64)
def test_every_format_gives_back_what_it_was_given(t):
    assert stamps.from_timespec(*stamps.to_timespec(t)) == t
    sec, usec = stamps.to_timeval(t)
    assert sec * 10**6 + usec == t // 1000
    assert stamps.from_ntp(stamps.to_ntp(t), t) == t
    text = stamps.format_duration(t)
    assert Fraction(text) * S == t
    assert stamps.from_parts(t // S, t % S) == t
    if t >= 0:
        assert stamps.from_ptp(*stamps.to_ptp(t)) == t
        for bits in (10, 13):
            assert stamps.from_gps(*stamps.to_gps(t, bits), t, bits) == t
    in_ros1, in_ros2 = 0 <= t // S < 2**32, -(2**31) <= t // S < 2**31
    assert outcome(stamps.to_ros1, t) == ((t // S, t % S) if in_ros1 else errors.RangeError)
    assert outcome(stamps.to_ros2, t) == ((t // S, t % S) if in_ros2 else errors.RangeError)
    if in_ros2:
        assert stamps.duration_from_ros1(*stamps.duration_to_ros1(t)) == t


@given(finite64)
def test_seconds_are_as_wrong_as_they_say(t):
    seconds, error = stamps.to_seconds(t)
    assert abs(Fraction(seconds) - Fraction(t, S)) <= Fraction(error)
    back, off = stamps.from_seconds(float(Fraction(t, S))) if abs(t) < MOST - 1024 else (t, 0)
    assert abs(back - t) <= off


@given(st_.integers(63072000 * S + 30 * S, 4_000_000_000 * S), st_.sampled_from([stamps.TAI, stamps.GPS]))
def test_time_scales_come_back(t, scale):
    there, flags = st.LeapTable().convert(t, stamps.UTC, scale)
    again = st.LeapTable().convert(there, scale, stamps.UTC)
    assert again.t == t or (flags | again.flags) & timescales.LEAP_AMBIGUOUS
    assert (there - t) % S == 0 and stamps.convert_scale(t, stamps.UTC, scale) == there


@given(finite64, st_.integers(0, 9), st_.integers(-1439, 1439))
def test_text_never_says_a_later_moment(t, digits, offset):
    text = outcome(stamps.format_rfc3339, t, digits, offset)
    if text is errors.OverflowError:
        assert abs(t) > MOST - 10**5 * S
        return
    step = 10 ** (9 - digits)
    back = t // step * step
    assert outcome(stamps.parse_rfc3339, text) == (back if back > LEAST else errors.OverflowError)


# ---- bounds ----

intervals = st_.tuples(any64, any64).map(sorted).map(lambda pair: st.Interval(*pair))


@given(intervals, intervals, st_.data())
def test_intervals_contain_what_could_be(a, b, data):
    x = data.draw(st_.integers(a.lo, a.hi))
    y = data.draw(st_.integers(b.lo, b.hi))
    total, difference = a.plus(b), a.minus(b)
    assert total.lo <= max(LEAST, min(MOST, x + y)) <= total.hi
    assert difference.lo <= max(LEAST, min(MOST, x - y)) <= difference.hi
    hull = a | b
    assert hull.contains(x) and hull.contains(y)
    order = a.compare(b)
    if order in (bounded.BEFORE, bounded.AFTER):
        assert (x < y) == (order == bounded.BEFORE) and x != y
    if order == bounded.EQUAL:
        assert x == y
    meeting = outcome(lambda: a & b)
    lo, hi = max(a.lo, b.lo), min(a.hi, b.hi)
    assert meeting == ((lo, hi) if lo <= hi else errors.ConflictError)


errors64 = st_.one_of(st_.integers(0, 2**40), st_.just(MOST))


@given(times, times, errors64, errors64, errors64, st_.data())
def test_differences_of_bounded_times_contain_the_truth(a, b, la, lb, hb, data):
    first, second = st.BoundedTime(a, la), st.BoundedTime(b, lb, hb)

    def truth(one):
        lo, hi = one.struct.lo, one.struct.hi
        return data.draw(st_.integers(lo, hi))

    x, y = truth(first), truth(second)
    found = outcome(lambda: first - second)
    if isinstance(found, type):
        assert found is errors.OverflowError and not LEAST < a - b < MOST
        return
    assert found.d == a - b
    assert found.lo is None or found.lo <= x - y
    assert found.hi is None or x - y <= found.hi
    least, most = first.separation(second)
    assert least <= abs(x - y) and (most is None or abs(x - y) <= most)


@given(st_.lists(times, max_size=20), errors64, errors64, st_.integers(0, 9))
def test_many_bounded_times_are_as_one_by_one(stamps_, lo, hi, session):
    many = bounded.times_array(stamps_, 70, lo, hi, session)
    assert [st.BoundedTime.of(one) for one in many] == [st.BoundedTime(t, lo, hi, 70, session) for t in stamps_]


@given(st_.integers(0, 2**62), st_.integers(0, 10**12), errors64, errors64)
def test_a_sample_spans_its_bounds(t0, length, lo, hi):
    sample = st.Sample.between(st.BoundedTime(t0, lo, hi), st.BoundedTime(t0 + length, lo, hi))
    sample.check()
    span = sample.span
    assert span.contains(t0) and span.contains(t0 + length)
    assert span.lo <= (t0 - lo if lo != MOST else LEAST) and span.hi >= min(MOST, t0 + length + hi if hi != MOST else MOST)
    assert sample.moment(samples.MIDDLE).t == t0 + length // 2


# ---- clocks ----


@given(
    st_.integers(-90_000, 90_000),
    st_.integers(-(10**15), 10**15),
    st_.lists(st_.tuples(st_.integers(1, 300 * MS), st_.integers(0, 20 * MS)), min_size=1, max_size=40),
    st_.integers(0, 2**32),
)
def test_the_truth_never_leaves_the_bounds_of_a_map(rate_ppb, offset, steps, seed):
    """A clock with a constant rate error is seen through arrivals with random delays, and asked at random readings."""
    clock = st.ClockMap(warm_observations=1, wander_ppb_s=0, delay_max_ns=20 * MS)

    def host(device):
        return Fraction(device) * (1 + Fraction(rate_ppb, 10**9)) + offset

    device = 0
    for step, delay in steps:
        device += step
        arrived = host(device) + delay
        # the host's stamp is a whole number: round such that the delay stays within what was declared
        clock.observe_arrival(device, math.floor(arrived) if delay == 20 * MS else math.ceil(arrived))
    readings = np.random.default_rng(seed).integers(-S, device + 60 * S, 16)
    answers, statuses = clock.to_host_many(readings)
    assert not statuses.any()
    for reading, answer in zip(readings.tolist(), answers):
        assert int(answer["lo"]) <= host(reading) <= int(answer["hi"]), (reading, answer)
        one = clock.to_host(reading)
        assert (one.t, one.struct.lo, one.struct.hi) == (answer["t"], answer["lo"], answer["hi"])
        back = clock.to_device(one.t)
        assert back.struct.lo - 1 <= reading <= back.struct.hi + 1
    mapping = st.ClockMapping(bytes(clock.export()))
    assert mapping.to_host(int(readings[0])).struct.t == answers[0]["t"]


@given(st_.lists(st_.tuples(st_.integers(70, 75), st_.integers(70, 75), small64, st_.integers(0, 1000)), max_size=12), small64)
def test_conversion_along_consistent_offsets_finds_the_truth(links, t):
    """Every clock has a true offset; edges tell it within their error. Then no path contradicts another."""
    graph, true = st.ClockGraph(without_scales=1), {n: (n - 70) * 10**9 for n in range(70, 76)}
    joined = {n: {n} for n in true}
    for a, b, noise, error in links:
        if a == b:
            continue
        graph.add_offset(a, b, true[b] - true[a] + noise % (2 * error + 1) - error, error)
        together = joined[a] | joined[b]
        for n in together:
            joined[n] = together
    for target in true:
        found = outcome(graph.convert, st.BoundedTime(true[70] + t, 0, domain=70), target)
        if target == 70 or (target in joined[70]):
            if isinstance(found, type):
                assert found is errors.NotFoundError and len(joined[70]) == 1
            else:
                assert found.lo <= true[target] + t <= found.hi
        else:
            assert found in (errors.NotConnectedError, errors.NotFoundError)


@given(st_.integers(8, 32), st_.lists(st_.integers(1, 2**62), min_size=1, max_size=30), st_.integers(0, 2**40))
def test_a_wrapping_counter_is_followed(bits, steps, start):
    modulus = 1 << bits
    counter, ticks = st.TickUnwrapper(counter_bits=bits), start
    first = counter.accept(ticks % modulus)
    for step in steps:
        ticks += step % (modulus // 2 - 1) + 1
        reading = counter.accept(ticks % modulus)
        assert reading.ticks - first.ticks == ticks - start


# ---- configs ----


def configs():
    """(struct, init) of everything that starts with its size."""
    for name, (_restype, argtypes) in sorted(abi.PROTOTYPES.items()):
        if name.endswith("_init") and len(argtypes) == 2 and argtypes[1] is ctypes.c_size_t:
            yield argtypes[0]._type_, getattr(lib, name)


LIMITS = {
    ctypes.c_uint8: (0, 2**8 - 1), ctypes.c_int32: (-(2**31), 2**31 - 1), ctypes.c_uint32: (0, 2**32 - 1),
    ctypes.c_int64: (LEAST, MOST), ctypes.c_uint64: (0, 2**64 - 1),
}  # fmt: skip


@given(st_.data())
def test_every_option_holds_what_was_set_or_says_that_it_does_not_fit(data):
    struct, init = data.draw(st_.sampled_from(list(configs())))
    fields = [
        (n, t) for n, t in struct._fields_ if n != "struct_size" and not n.startswith("reserved")
        and (t in LIMITS or t is ctypes.c_double)
    ]  # fmt: skip
    assume(fields)
    name, kind = data.draw(st_.sampled_from(fields))
    if kind is ctypes.c_double:
        value = data.draw(st_.floats(allow_nan=False))
        assert getattr(_handle.config(struct, init, {name: value}), name) == value
        return
    lo, hi = LIMITS[kind]
    value = data.draw(st_.integers(lo, hi))
    assert getattr(_handle.config(struct, init, {name: value}), name) == value
    assert getattr(_handle.config(struct, init, {name: np.int64(value)} if LEAST <= value <= MOST else {name: value}), name) == value
    for wrong in (lo - 1, hi + 1, 2**70):
        with pytest.raises(OverflowError, match=name):
            _handle.config(struct, init, {name: wrong})
    for wrong in ("five", None, 1.5):
        with pytest.raises(TypeError, match=name):
            _handle.config(struct, init, {name: wrong})
    with pytest.raises(TypeError, match="no option"):
        _handle.config(struct, init, {name + "_": value})
