# SPDX-License-Identifier: BSD-3-Clause
"""Times and clocks once through: what they answer, what they raise, what the exception carries."""

from fractions import Fraction

import numpy as np
import pytest

import sensortime as st
from sensortime import abi, admission, bounded, clock_sources, counters, errors
from sensortime import samples, stamps, timescales

MS, S = 1_000_000, 1_000_000_000
START = 1_700_000_000 * S

DEVICE, HOST = 70, 71


# ---- times ----


def test_the_examples_of_the_stamp_header():
    assert stamps.to_ros2(-1) == (-1, 999999999)
    assert stamps.duration_to_ros1(-250_000_000) == (-1, 750000000)
    assert stamps.duration_from_ros1(-1, 750000000) == -250_000_000
    assert stamps.format_duration(-250_000_000, 2) == "-0.25"
    assert stamps.from_parts(-1, 1_500_000_000) == 500_000_000
    assert stamps.from_timespec(*stamps.to_timespec(-5)) == -5
    assert stamps.to_timeval(1_999) == (0, 1) and stamps.from_timeval(0, 1) == 1000
    assert stamps.from_ntp(stamps.to_ntp(START), START) == START
    assert stamps.from_ptp(*stamps.to_ptp(START)) == START
    gps = stamps.convert_scale(START, stamps.UTC, stamps.GPS)
    week, tow = stamps.to_gps(gps)
    assert week < 1024 and stamps.from_gps(week, tow, gps) == gps
    with pytest.raises(errors.PrecisionError):
        stamps.from_seconds_f32(1.7e9)
    assert stamps.from_seconds_f32(0.25)[0] == 250 * MS
    assert stamps.scale(7, 1, 2, stamps.NEAREST) == 4 and stamps.scale(-7, 1, 2) == -4
    assert stamps.add_saturating(stamps.FUTURE, -1) == stamps.FUTURE
    assert stamps.mul_saturating(2**62, -4) == stamps.PAST and stamps.sub_saturating(0, stamps.FUTURE) == stamps.PAST
    assert stamps.scale_saturating(2**62, 4, 1) == stamps.FUTURE
    with pytest.raises(OverflowError):
        stamps.mul(2**62, 2)
    with pytest.raises(errors.RangeError):
        stamps.sub(stamps.FUTURE, 1)


def test_ticks_of_a_90_khz_counter_are_exact():
    tick = Fraction(10**9, 90_000)
    assert counters.ticks_to_ns(90_000, tick) == S
    assert counters.ns_to_ticks(counters.ticks_to_ns(12_345, tick), tick) == 12_345


def test_intervals_say_what_is_certain():
    a, b = st.Interval(0, 10), st.Interval.around(20, 5)
    assert b == (15, 25) and a.compare(b) == bounded.BEFORE and b.compare(a) == bounded.AFTER
    assert a.plus(b) == (15, 35) and b.minus(a) == (5, 25) and a | b == (0, 25)
    assert a.contains(10) and not a.contains(11)
    with pytest.raises(errors.ConflictError):
        a & b
    assert a & st.Interval(5, 15) == (5, 10)
    with pytest.raises(errors.RangeError):
        a.compare(st.Interval(3, 2))


def test_bounded_times_never_mix_clocks():
    now, then = st.BoundedTime(100, 5, domain=HOST), st.BoundedTime(40, 1, 2, domain=HOST, session=3)
    age = now - then
    assert (age.d, age.lo, age.hi) == (60, 53, 66)
    assert now.separation(then) == (53, 66) and now.compare(then) == bounded.AFTER
    assert (then + 60).t == 100 and then.add(60, 4).lo == 95
    with pytest.raises(errors.DomainError) as caught:
        now - st.BoundedTime(40, domain=DEVICE)
    assert (caught.value.domain_a, caught.value.domain_b) == (HOST, DEVICE)
    open_ended = st.BoundedTime(0, abi.SNT_UNKNOWN, 1, domain=HOST)
    assert open_ended.lo is None and open_ended.hi == 1 and (now - open_ended).hi is None
    assert open_ended.separation(now)[1] is None
    assert st.BoundedTime.of(now.struct) == now and hash(now) == hash(st.BoundedTime(100, 5, domain=HOST))
    now.struct.lo = 1000
    with pytest.raises(errors.RangeError):
        now.check()


def test_samples_know_their_span():
    first, last = st.BoundedTime(100, 5, session=1), st.BoundedTime(200, 7, session=1)
    sweep = st.Sample.between(first, last, abi.SNT_EVENT_SWEEP, source=4)
    sweep.check()
    assert sweep.span == (93, 207) and sweep.moment(samples.MIDDLE).t == 150 and sweep.moment(samples.LAST).t == 200
    assert sweep.comparable(st.Sample(5, source=4, session=2)) is False, "another session of one source"
    assert sweep.comparable(st.Sample(5, source=5)) and not sweep.comparable(st.Sample(5, domain=HOST))
    with pytest.raises(TypeError, match="no 't2_ns'"):
        st.Sample(0, t2_ns=5)


def test_leap_seconds_are_what_the_list_says():
    table = st.LeapTable()
    assert table.offset_s(START)[0] == 37
    assert table.convert(START, timescales.UTC, timescales.TAI).t == START + 37 * S
    wide = table.convert_bounded(st.BoundedTime(START, 3), timescales.GPS)
    assert (wide.hi - wide.lo, wide.domain) == (6, abi.SNT_DOMAIN_GPS)
    leap = table.parse_rfc3339("2016-12-31T23:59:60.5Z", tai=True).t
    assert table.format_rfc3339_tai(leap, 1) == "2016-12-31T23:59:60.5Z"
    assert table.ptp_to_unix(START + 37 * S).t == START
    with pytest.raises(errors.ConflictError):
        table.ptp_to_unix(START, abi.SNT_PTP_TIMESCALE | abi.SNT_PTP_UTC_OFFSET_VALID, 36)
    mine = st.LeapTable("#@ 8000000000\n2272060800 10\n")
    assert mine.offset_s(START)[0] == 10
    with pytest.raises(errors.FormatError) as caught:
        st.LeapTable("#@ 8000000000\nno number\n")
    assert caught.value.line == 2


def test_a_gap_of_37_seconds_is_called_tai():
    finding = timescales.classify(START + 37 * S - 40 * MS, START)
    assert finding.kind == abi.SNT_LOOKS_TAI and not finding.comparable
    assert "TAI" in str(finding) and "TAI" in finding.name and finding.facts["residual"] == -40 * MS


# ---- clocks ----


def crossed(**options):
    clock = st.ClockMap(warm_observations=1, device_domain=DEVICE, host_domain=HOST, **options)
    clock.observe_cross(100 * S, 5 * S, 100 * S + 20)
    return clock


def test_a_clock_map_answers_with_bounds_and_proves_what_breaks():
    clock = crossed(rate_bound_ppb=20_000, wander_ppb_s=0)
    at = clock.to_host(5 * S)
    assert at.lo <= 100 * S and 100 * S + 20 <= at.hi and at.domain == HOST
    later = clock.to_host(65 * S)
    assert 1_200_000 <= later.hi - at.hi - 60 * S <= 1_200_001, "20 ppm over a minute"
    assert clock.to_device(100 * S).domain == DEVICE and clock.domains == (DEVICE, HOST)
    assert clock.duration(5 * S, 6 * S).lo_ns <= S <= clock.duration(5 * S, 6 * S).hi_ns
    times, statuses = clock.to_host_many([5 * S, 65 * S])
    assert statuses.tolist() == [0, 0]
    assert [st.BoundedTime.of(one) for one in times] == [at, later]
    assert clock.to_host(5 * S, smoothed=True).t == at.t and clock.to_host(5 * S, version=clock.version) == at
    with pytest.raises(errors.VersionError):
        clock.to_host(5 * S, version=9999)
    with pytest.raises(errors.ViolationError) as caught:
        clock.observe_cross(100 * S, 6 * S, 100 * S + 20)
    assert caught.value.struct.gap_ns == caught.value.gap_ns > 0.9 * S and "gap" in str(caught.value)
    assert clock.health()["state"] == abi.SNT_CLOCK_INVALID
    with pytest.raises(errors.InvalidStateError):
        clock.to_host(5 * S)
    assert clock.restart() == clock.session == 2 and clock.to_host(5 * S) is None
    assert clock.audit()["session"] == 2 and st.ClockMap.size() > 1000


def test_every_observation_of_a_map_can_be_made():
    clock = st.ClockMap(warm_observations=1)
    clock.observe_interval(0, (10 * S, 10 * S + 1000))
    clock.observe_arrival(S, 11 * S + 5000)
    clock.observe_trigger(2 * S, 12 * S - 5000)
    clock.observe_exchange(13 * S - 500, 3 * S, 3 * S + 100, 13 * S + 2000)
    clock.observe_pps(4 * S, 14 * S, 2000)
    request = clock.request(15 * S - 500)
    clock.reply(request, 5 * S, 5 * S, 15 * S + 2000)
    with pytest.raises(errors.StaleError):
        clock.reply(request, 5 * S, 5 * S, 15 * S + 2000)
    assert abs(clock.to_host(5 * S).t - 15 * S) < 3000 and clock.health()["observations"] >= 6
    clock.invalidate(abi.SNT_EPOCH_SUSPEND)
    assert clock.health()["reasons"] & abi.SNT_CLOCK_WHY_SUSPEND


def test_a_mapping_survives_bytes_and_answers_the_same():
    clock = crossed()
    again = st.ClockMapping(bytes(clock.export()))
    assert again == clock.export() and again.to_host(9 * S) == clock.to_host(9 * S)
    assert again.to_device(109 * S) == clock.to_device(109 * S)
    assert again.duration(5 * S, 9 * S) == clock.duration(5 * S, 9 * S)
    follower = st.ClockMap(warm_observations=1, device_domain=DEVICE, host_domain=HOST)
    follower.restore(again)
    assert follower.session and again.facts["session"] == 1
    damaged = bytearray(bytes(again))
    damaged[16:24] = b"\xff" * 8
    with pytest.raises(errors.FormatError):
        st.ClockMapping(damaged)
    with pytest.raises(ValueError, match="664"):
        st.ClockMapping(b"short")


def test_device_clocks_take_every_observation_and_decide():
    clock = st.DeviceClock(tick_num_ns=1000, counter_bits=32, host_domain=abi.SNT_DOMAIN_UNIX, warm_observations=1)
    base = 1_000_000
    assert clock.observe_cross(START, base, START + 2000)
    assert clock.observe_exchange(START + S - 800, base + 10**6, base + 10**6, START + S + 2000)
    assert clock.observe_trigger(base + 2 * 10**6, START + 2 * S - 4000)
    assert clock.observe_pps(base + 3 * 10**6, START + 3 * S, 3000)
    assert clock.reply(clock.request(START + 4 * S - 900), base + 4 * 10**6, base + 4 * 10**6, START + 4 * S + 2000)
    sweep = clock.stamp_interval(base + 5 * 10**6, base + 5 * 10**6 + 100_000, START + 6 * S)
    assert sweep.sample.t1_ns - sweep.sample.t0_ns == pytest.approx(100 * MS, rel=1e-3)
    policy = st.AdmissionPolicy(max_age_ns=S)
    stamp, record = clock.admit(base + 5 * 10**6 + 5, START + 6 * S, policy, st.BoundedTime(START + 5 * S + 900 * MS, 0))
    assert record and stamp.t_ns == pytest.approx(START + 5 * S, abs=10_000)
    _stamp, record = clock.admit(base + 5 * 10**6 + 9, START + 6 * S, policy, st.BoundedTime(START + 8 * S, 0))
    assert not record and record.reasons == ["STALE"]
    assert clock.audit()["session"] == clock.session
    graph = st.ClockGraph()
    graph.add_map(clock)
    clock.close()
    assert clock._leaving is not None, "closed, not freed"
    with pytest.raises(errors.InvalidStateError, match="closed"):
        clock.stamp(5)
    answer = graph.convert(st.BoundedTime(base * 1000, domain=abi.SNT_DOMAIN_USER), abi.SNT_DOMAIN_UNIX)
    assert answer.t == pytest.approx(START, abs=10_000), "the map lives as long as the graph"
    graph.close()
    assert clock._leaving is None


def test_clocks_form_a_graph_and_contradictions_are_named():
    graph = st.ClockGraph()
    assert [(e.kind, e.source, e.target) for e in graph.edges] == [("scale", 1, 3), ("scale", 3, 4)]
    clock = crossed()
    graph.add_map(clock)
    edge = graph.add_fact(HOST, abi.SNT_DOMAIN_UNIX, 0, START, 1000, drift_ppb=10)
    answer, report = graph.explain(st.BoundedTime(5 * S, 0, domain=DEVICE), abi.SNT_DOMAIN_TAI)
    assert answer.lo <= START + 137 * S <= answer.hi and report.facts["paths"] == 1
    many, statuses = graph.convert_many(clock.to_host_many([5 * S, 6 * S])[0], abi.SNT_DOMAIN_TAI)
    assert statuses.tolist() == [0, 0] and st.BoundedTime.of(many[0]).domain == abi.SNT_DOMAIN_TAI
    assert st.BoundedTime.of(many[0]) == graph.convert(clock.to_host(5 * S), abi.SNT_DOMAIN_TAI)
    stamps_ns = START + np.arange(3) * S
    utc, statuses = graph.convert_many(bounded.times_array(stamps_ns, stamps.UTC), stamps.GPS)
    assert utc["t"].tolist() == [stamps.convert_scale(int(t), stamps.UTC, stamps.GPS) for t in stamps_ns]
    graph.check(st.BoundedTime(5 * S, 0, domain=DEVICE))
    wrong = graph.add_offset(HOST, abi.SNT_DOMAIN_TAI, START, 0)
    with pytest.raises(errors.ConflictError) as caught:
        graph.convert(st.BoundedTime(100 * S, 0, domain=HOST), abi.SNT_DOMAIN_TAI)
    facts = st.clock_graphs.ClockReport(caught.value.struct).facts
    assert facts["constant"] == abi.SNT_LOOKS_TAI or facts["gap_ns"] >= 36 * S
    assert "why" in caught.value.facts and wrong in facts["a_edges"] + facts["b_edges"]
    graph.remove(wrong)
    graph.update_fact(edge, HOST, abi.SNT_DOMAIN_UNIX, 0, START + S, 1000)
    assert graph.convert(st.BoundedTime(0, 0, domain=HOST), abi.SNT_DOMAIN_UNIX).t == START + S
    with pytest.raises(errors.NotFoundError):
        graph.convert(st.BoundedTime(0, 0, domain=99), HOST)
    graph.set_leap_table(st.LeapTable("#@ 8000000000\n2272060800 10\n"))
    assert graph.convert(st.BoundedTime(START, 0), abi.SNT_DOMAIN_TAI).t == START + 10 * S
    graph.set_leap_table(None)
    replay = st.ClockGraph(without_scales=1)
    number = replay.add_mapping(clock.export())
    replay.update_mapping(number, clock.export())
    assert replay.convert(st.BoundedTime(5 * S, 0, domain=DEVICE), HOST) == graph.convert(
        st.BoundedTime(5 * S, 0, domain=DEVICE), HOST
    )
    graph.add_scale(abi.SNT_DOMAIN_UNIX, abi.SNT_DOMAIN_GPS)
    assert st.ClockGraph.size(max_edges=4) < st.ClockGraph.size()


def test_simulated_time_pauses_and_jumps():
    epoch = st.Epoch()
    source = st.ClockSource(clock_sources.SIMULATED, epoch=epoch)
    assert source.now() is None
    assert source.set(10 * S, 0) == clock_sources.JUMP_FIRST and source.now(S) == 11 * S
    source.pause(2 * S)
    assert source.now(5 * S) == 12 * S
    source.resume(5 * S)
    source.set_speed(Fraction(1, 2), 5 * S)
    assert source.now(7 * S) == 13 * S
    before = epoch.session
    assert source.set(1 * S, 8 * S) == clock_sources.JUMP_BACK
    assert epoch.session == before + 1 and epoch.reason == abi.SNT_EPOCH_REPLAY_SEEK
    assert source.inspect()["jumps_back"] == 1
    deadline = st.Deadline(S, 8 * S)
    assert deadline.left_ns(8 * S + 1) == S - 1 and deadline.left_ns(10 * S) == -S
    deadline.renew(10 * S)
    assert deadline.due_ns == 11 * S
    cross = clock_sources.cross_now()
    assert cross.steady_before <= clock_sources.steady_now() and cross.system <= clock_sources.system_now() + S
    assert st.ClockSource().now() > 1_600_000_000 * S


def test_an_epoch_ends_the_session_of_all():
    epoch = st.Epoch()
    buffer, cache = st.TransformBuffer(epoch=epoch), st.MessageCache(epoch=epoch)
    buffer.insert("a", "b", 5, (1, 2, 3))
    cache.add(5, "old")
    assert epoch.bump(st.epochs.REPLAY_SEEK) == 2 and epoch.reason == st.epochs.REPLAY_SEEK
    other = epoch.share()
    epoch.close()
    assert other.session == 2
    cache.add(6, "new")
    assert [one.payload for one in cache] == ["new"] and len(cache._payloads._objects) == 1
    with pytest.raises(errors.SensorTimeError):
        buffer.lookup("a", "b", 5)


def test_unwrapping_never_guesses():
    counter = st.TickUnwrapper("u32_us")
    assert counter.period_ns == (2**32) * 1000
    assert counter.accept(2**32 - 1).flags & abi.SNT_TICK_FIRST
    assert counter.peek(1).step_ns == 2000
    assert counter.accept(1).flags & abi.SNT_TICK_WRAPPED
    with pytest.raises(errors.DuplicateError):
        counter.accept(1)
    with pytest.raises(errors.AmbiguousError):
        counter.accept(5, (0, 10**17))
    with pytest.raises(errors.RangeError):
        counter.accept(2**32)
    counter.restart()
    assert counter.accept(7).ticks == 7
    assert st.TickUnwrapper().period_ns is None
    with pytest.raises(ValueError, match="gps_week_ms"):
        st.TickUnwrapper("sundial")


def test_admission_leaves_a_record_that_can_be_judged_again():
    """A 28 ms old observation with a bound of ±15 ms may be 43 ms old."""
    policy = st.AdmissionPolicy(max_age_ns=40 * MS)
    first = st.BoundedTime(START - 28 * MS, 15 * MS)
    sample = st.Sample.between(first, source=3, sequence=9)
    record = policy.check(sample, st.BoundedTime(START, 0))
    assert not record and record.reasons == ["MAYBE_STALE"] and record.facts["age_hi_ns"] == 43 * MS
    assert "possibly stale" in str(record) and '"MAYBE_STALE"' in record.to_json()
    assert len(record.to_csv().split(",")) == len(admission.csv_header().split(","))
    assert bytes(record.redo().struct) == bytes(record.struct)
    with pytest.raises(errors.StaleError) as caught:
        record.demand()
    assert caught.value.struct.age_ns == 28 * MS
    fresh = st.AdmissionPolicy(max_age_ns=50 * MS).check(sample, st.BoundedTime(START, 0))
    assert fresh and fresh.demand() is fresh and fresh.reasons == []
    log = st.AdmissionLog(2)
    for one in (record, fresh, admission.refuse(abi.SNT_PENDING, sample)):
        log.push(one)
    assert len(log) == 2 and log.counts()["end"] == 3 and [bool(one) for one in log] == [True, False]
    assert not log.find(3, sample.struct.session, 9) and log.get(1)
    with pytest.raises(LookupError):
        log.get(0)
    apart = admission.pair(sample, st.Sample.between(st.BoundedTime(START, MS)), 50 * MS)
    assert apart.close_enough and apart.greatest_ns == 44 * MS
    assert admission.pair(sample, st.Sample.between(st.BoundedTime(START, MS)), 20 * MS).status == abi.SNT_ERR_UNCERTAIN
    epoch = st.Epoch()
    epoch.bump()
    refused = st.AdmissionPolicy(epoch, max_age_ns=S).check(sample, st.BoundedTime(START, 0))
    assert "SESSION" in refused.reasons and st.AdmissionLog.size(10) > 2000
