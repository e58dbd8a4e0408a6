# SPDX-License-Identifier: BSD-3-Clause
"""Each object of the package once through: what it answers, what it raises, what the exception carries."""

import gc
import math
from fractions import Fraction

import numpy as np
import pytest

import sensortime as st
from sensortime import abi, admission, bounded, caches, clock_sources, conventions, counters, errors, filtering, poses
from sensortime import samples, stamps, timescales, transforms

MS, S = 1_000_000, 1_000_000_000
START = 1_700_000_000 * S

DEVICE, HOST, PHC = 70, 71, 72


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


# ---- queues ----


def test_a_cache_answers_by_stamp():
    cache = st.MessageCache(capacity=4)
    assert cache.latest is None
    assert cache.add_many([10, 20, 30, 40], "abcd") == []
    assert cache.add(50, "e").payload == "a", "what had to go comes back"
    assert [one.payload for one in cache.interval(20, 40)] == ["b", "c", "d"]
    assert [one.payload for one in cache.surrounding(25, 35)] == ["b", "c", "d"]
    assert cache.before(30).payload == "b" and cache.before(30, caches.CLOSED).payload == "c"
    assert cache.after(30).payload == "d" and cache.after(50) is None
    assert (cache.oldest.stamp_ns, cache.latest.payload, len(cache)) == (20, "e", 4)
    with pytest.raises(errors.DomainError):
        cache.add(60, "f", domain=HOST)
    big = st.MessageCache(capacity=500)
    big.add_many(range(400), range(400))
    assert [one.payload for one in big.interval(0, 399)] == list(range(400)), "more than the first room takes"
    big.clear()
    assert len(big) == 0 and not big._payloads._objects
    stats = cache.stats()
    assert stats["in"] == stats["held"] + stats["evicted"] + stats["reset"]


def test_a_sequencer_gives_back_in_order():
    sequencer = st.TimeSequencer(delay_ns=10)
    sequencer.add_many([30, 10, 20], "cab")
    assert [one.payload for one in sequencer.ready(30)] == ["a", "b"]
    sequencer.add(5, "late")
    assert [(one.payload, one.reason, one.behind_ns) for one in sequencer.drops()] == [("late", "late", 15)]
    sequencer.clear()
    assert [one.reason for one in sequencer.drops()] == ["cleared"] and not sequencer._payloads._objects
    assert sequencer.stats()["in"] == 4


def test_a_filter_waits_for_several_targets_and_is_told_of_edges():
    told = []
    buffer = st.TransformBuffer(notify=lambda child, newest: told.append((child, newest)))
    waiting = st.MessageFilter(buffer, ["odom", "map"], capacity=8)
    waiting.add_many([10, 20], "lidar", "ab")
    assert not list(waiting.releases()) and waiting.stats()["held"] == 2
    buffer.insert("map", "odom", 0, (0, 0, 0), static=True)
    for t in (0, 15):
        buffer.insert("odom", "lidar", t, (t, 0, 0))
    assert told == [("odom", abi.SNT_UNKNOWN), ("lidar", 0), ("lidar", 15)]
    assert waiting.poll_edge("lidar", 15)
    (one,) = waiting.releases()
    assert one.payload == "a" and len(one.transforms) == 4 and one.start.translation[0] == 10
    waiting.add(12, "lidar", "c", tolerance_ns=100)
    waiting.check()
    waiting.reset()
    assert {(one.payload, one.reason) for one in waiting.drops()} == {("b", "reset"), ("c", "reset")}
    waiting.set_targets("map")
    waiting.set_tolerance(20)
    waiting.add(12, "lidar", "d")
    assert not list(waiting.releases()), "now it is needed until 32"
    waiting.set_tolerance(0)
    assert [one.payload for one in waiting.releases()] == ["d"]
    assert filtering.suggest_capacity(S // 30 + 1, 200 * MS, 0) == 6
    with pytest.raises(ValueError):
        filtering.suggest_capacity(0, 5)


def test_a_synchronizer_says_who_blocks():
    sync = st.Synchronizer(2, max_separation_ns=10)
    sync.add(0, 100, "a", now_ns=0)
    diagnosis = sync.diagnose(5)
    assert diagnosis.blocker == 1 and "1" in str(diagnosis) and diagnosis.facts["never"] == 2
    sync.set_offset(1, -1000)
    sync.set_max_separation(20)
    sync.add(1, 1105, "b", token=77)
    sync.add(0, 200, "c")
    sync.add(1, 1205, "d")
    assert [one.members for one in sync.sets()][0] == ["a", "b"]
    assert sync.input_info(1)["received"] == 2
    sync.check()
    sync.reset()
    drops = list(sync.drops())
    assert {one.reason for one in drops} <= {"reset"} and all("reset" in str(one).lower() or str(one) for one in drops)
    assert st.Synchronizer.size(3) > st.Synchronizer.size(2)
    with pytest.raises(TypeError, match="no option 'rank'"):
        st.Synchronizer([{"rank": 1}, {}])


# ---- space ----


def test_poses_chain_and_move_points_in_place():
    turn = st.Pose(conventions.from_rpy(0, 0, math.pi / 2), (1, 0, 0))
    assert np.allclose((turn @ ~turn).matrix, np.eye(4), atol=1e-15) and st.Pose.identity().matrix.trace() == 4
    assert np.allclose(st.Pose.from_matrix(turn.matrix).matrix, turn.matrix)
    with pytest.raises(errors.RangeError):
        st.Pose.from_matrix(np.diag([1, 1, -1]))
    points = np.array([[1.0, 0, 0], [0, 2, 0]])
    assert np.allclose(turn.apply(points), [[1, 1, 0], [-1, 0, 0]])
    wide = np.zeros((2, 5), np.float32)
    wide[:, 1:4] = points
    turn.apply(wide[:, 1:4], out=wide[:, 1:4])
    assert np.allclose(wide[:, 1:4], [[1, 1, 0], [-1, 0, 0]], atol=1e-6) and not wide[:, [0, 4]].any()
    assert np.allclose(turn.rotate(points), [[0, 1, 0], [-2, 0, 0]])
    rows = np.arange(18.0).reshape(6, 3)
    expected = turn.apply(rows[:5].copy())
    assert np.array_equal(turn.apply(rows[:5], out=rows[1:]), expected), "though both overlap"
    moved = st.Twist((1, 0, 0), (0, 0, 1)).exp(0.5)
    back = moved.log(0.5)
    assert np.allclose(back.linear, (1, 0, 0)) and np.allclose(back.angular, (0, 0, 1))
    assert st.Pose().between(moved) == moved or np.allclose(st.Pose().between(moved).matrix, moved.matrix)
    assert np.allclose(st.Pose().interpolate(moved, 0.5, poses.SCREW).log(0.25).linear, (1, 0, 0))
    assert np.allclose(turn.transform(back).angular, (0, 0, 1))
    assert np.allclose(back.shifted((0, 2, 0)).linear, (-1, 0, 0))
    assert np.allclose(back.rotated(turn.rotation).linear, (0, 1, 0))
    assert np.allclose(poses.rotation_exp(poses.rotation_log(turn.rotation)), turn.rotation)
    assert poses.normalised((0, 0, 0, 1.001)) == (0, 0, 0, 1)
    with pytest.raises(errors.BadQuaternionError):
        st.Pose((0, 0, 0, 2)).check()
    rows = np.array([[*turn.rotation, *turn.translation]])
    assert np.allclose(poses.matrices(rows)[0], turn.matrix)


def test_axes_follow_rep_103():
    assert conventions.enu_ned((1, 2, 3)) == (2, 1, -3) and conventions.flu_frd((1, 2, 3)) == (1, -2, -3)
    assert conventions.heading_from_yaw(0) == pytest.approx(math.pi / 2)
    assert conventions.yaw_from_heading(0) == pytest.approx(math.pi / 2)
    assert conventions.wrap(3 * math.pi) == pytest.approx(math.pi)
    assert conventions.to_rpy(conventions.from_rpy(0.1, -0.2, 0.3)) == pytest.approx((0.1, -0.2, 0.3))
    assert conventions.to_rpy(conventions.from_rpy(0, math.pi / 2, 0.3))[0] == 0
    q = conventions.from_rpy(0.1, 0.2, 0.3)
    assert np.allclose(conventions.enu_ned_attitude(conventions.enu_ned_attitude(q)), q)
    assert st.Pose.link_from_optical().apply([[0.0, 0, 1]]).tolist() == [[1, 0, 0]]
    assert conventions.suspect_unit("angular velocity", 90.0) == "degrees"
    assert conventions.suspect_unit("acceleration", 1.0) == "g" and conventions.suspect_unit("acceleration", 9.8) == ""


def test_a_buffer_tells_all_about_its_tree():
    buffer = st.TransformBuffer(keep_ns=S)
    buffer.insert("map", "odom", 0, (0, 0, 0), static=True)
    buffer.insert("odom", "base", 0, (0, 0, 0), authority="wheel", domain=HOST)
    buffer.insert("odom", "base", 100 * MS, (1, 0, 0), authority="wheel")
    assert set(buffer.frames) == {"map", "odom", "base"} and "odom" in buffer and "moon" not in buffer
    assert buffer.parent("base") == "odom" and buffer.parent("map") is None and buffer.root("base") == "map"
    assert buffer.newest("base") == 100 * MS and buffer.newest("odom") == abi.SNT_TIME_INFINITE_FUTURE
    edge = buffer.edge("base")
    assert (edge["kind"], edge["parent"], edge["samples"], edge["publishers"]) == ("dynamic", "odom", 2, 1)
    path = buffer.path("map", "base")
    assert path.edges == ["base"] and path.fresh and path.can(50 * MS) and not path.can(S)
    assert path.lookup(50 * MS).translation[0] == 0.5 and path.lookup().stamp_ns == 100 * MS
    assert path.ask(50 * MS, interpolation=poses.NEAREST).translation[0] == 1
    assert buffer.ask("map", "base", 50 * MS, interpolation=poses.HOLD).translation[0] == 0
    with pytest.raises(errors.StaleError):
        buffer.ask("map", "base", 50 * MS, now=10 * S, max_age_ns=S)
    twist = path.twist(50 * MS, convention=transforms.ORIGIN)
    assert twist.twist.linear[0] == pytest.approx(10)
    seen = buffer.lookup_fixed("base", 100 * MS, "base", 0, "map")
    assert seen.translation[0] == -1 and np.allclose(seen.pose.apply([[0.0, 0, 0]]), [[-1, 0, 0]])
    version = buffer.structure_version
    buffer.insert_known("base", "odom2", 0, (0, 0, 0)) if "odom2" in buffer else None
    with pytest.raises(errors.NotFoundError):
        buffer.insert_known("base", "nobody", 0, (0, 0, 0))
    buffer.insert("base", "lidar", 0, (0, 0, 1), static=True)
    assert buffer.structure_version > version
    path.refresh()
    with pytest.raises(errors.FutureError) as caught:
        path.lookup(S)
    assert caught.value.struct.reason == abi.SNT_TF_MISS_FUTURE and transforms.tf2_code(caught.value.struct) > 0
    assert caught.value.newest == 100 * MS and caught.value.edge == "odom→base"
    buffer.configure_edge("base", max_accel=5.0, interpolation=poses.LINEAR)
    buffer.reserve("arm", 64)
    assert buffer.scoped("r1", "base") == "r1/base"
    buffer.convert("base", "static")
    assert buffer.edge("base")["kind"] == "static" and buffer.lint() is not None
    buffer.remove_frame("lidar")
    assert "lidar" not in buffer
    assert buffer.observe_clock(5) and buffer.info()["frames"] >= 4
    buffer.reset(3)
    assert buffer.collect_garbage(10 * S) >= 0
    buffer.clear()
    buffer.insert("map", "odom", 0, (6, 0, 0), static=True)
    buffer.clear(static=True)
    assert buffer.frames == [] and st.TransformBuffer.size(max_samples=1000) < st.TransformBuffer.size()
    buffer.insert("map", "odom", 0, (7, 0, 0))
    assert buffer.lookup("map", "odom", 0).translation[0] == 7, "names are not taken for the frames of before"


def test_an_explanation_is_as_long_as_its_names():
    buffer = st.TransformBuffer(max_name=255)
    names = [letter * 255 for letter in "abcd"]
    buffer.insert(names[0], names[1], 0, (0, 0, 0))
    buffer.insert(names[2], names[3], 0, (0, 0, 0))
    with pytest.raises(errors.NotConnectedError) as caught:
        buffer.lookup(names[1], names[3], 0)
    text = buffer.explain(caught.value.struct)
    assert len(text) > 512 and names[1] in text and names[3] in text and text in str(caught.value)


def test_an_imu_buffer_covers_a_scan():
    """Scan 10.000–10.100, IMU 9.995–10.080: the end is not covered by 20 ms."""
    buffer = st.ImuBuffer(capacity=100)
    assert buffer.margins(0, 1).start_ns is None
    times = np.arange(9995, 10081, 5) * MS
    assert not buffer.insert_many(times, np.zeros((times.size, 3))).any()
    margins = buffer.margins(10000 * MS, 10100 * MS)
    assert (margins.start_ns, margins.end_ns, margins.inside) == (5 * MS, -20 * MS, 17)
    with pytest.raises(errors.DuplicateError):
        buffer.insert(10000 * MS, (0, 0, 0))
    buffer.insert(10085 * MS, (0, 0, 1), (0, 0, 9.81))
    statuses = buffer.insert_many([10090 * MS, 10090 * MS], [[0, 0, np.nan], [0, 0, 2]], [[0, 0, 9], [0, 0, 9]])
    assert statuses.tolist() == [abi.SNT_ERR_NON_FINITE, 0]
    assert buffer.samples()["rate"][-1, 2] == 2 and buffer.samples(10000 * MS, 10000 * MS)["stamp_ns"].size == 1
    buffer.set_bias((0, 0, 0.1))
    assert buffer.counters()["non_finite"] == 1
    buffer.clear()
    assert buffer.samples().size == 0


def test_a_plan_shows_what_it_does(tmp_path):
    rng = np.random.default_rng(5)
    xyz, times = rng.uniform(-20, 20, (500, 3)), np.linspace(0, 0.1, 500)
    cloud = st.Points(xyz, times, base_ns=START, rings=np.arange(500) % 4)
    assert cloud.times_ns(START)[-1] == 100 * MS and cloud.rings()[5] == 1
    plan = st.DeskewPlan()
    scan = plan.scan(cloud, "end")
    plan.from_two_poses(scan, START, st.Pose(), START + 100 * MS, st.Pose((0, 0, 0, 1), (1, 0, 0)))
    out = plan.apply(cloud, flags=True, audit=True)
    assert np.allclose(out.points[:, 0], xyz[:, 0] + times / 0.1 - 1) and not out.flags.any()
    assert out.facts["moved"] >= 499 and plan.info["segments"] >= 1 and out.reference_ns == START + 100 * MS
    half = plan.apply(cloud, first=0, count=250)
    rest = plan.apply(cloud, first=250)
    assert np.array_equal(half.points[:250], out.points[:250]) and np.array_equal(half.points[250:], xyz[250:])
    both = st.deskewing.merge_reports(half.report, rest.report)
    assert both.points == 500
    poses_, flags = plan.poses([START, START + 50 * MS])
    assert poses_[:, 4].tolist() == pytest.approx([-1, -0.5]) and not flags.any()
    rows, _ = plan.rows(START, 100 * MS, 3)
    assert rows[:, 4].tolist() == pytest.approx([-1, -0.5, 0])
    into = np.empty_like(xyz)
    assert plan.apply(cloud, out=into).points is into
    kept = xyz.copy()
    plan.apply_in_place(cloud)
    assert np.array_equal(xyz, out.points) and not np.array_equal(xyz, kept)
    axes = st.Points(tuple(kept[:, k].copy() for k in range(3)), times, base_ns=START)
    assert np.array_equal(plan.apply(axes).points, out.points)
    assert {k.name for k in st.deskewing.kernels() if k.available} >= {"scalar"} and st.DeskewPlan.size() > 1000
    buffer = st.ImuBuffer()
    buffer.insert_many(START + np.arange(-2, 13) * 10 * MS, np.tile([0.0, 0, 1], (15, 1)))
    plan.from_imu_buffer(scan, buffer, st.imu.state(START, velocity=(1, 0, 0)))
    assert plan.info["max_speed"] == pytest.approx(1, rel=0.1)


def test_points_without_times_take_them_from_a_table_or_their_direction():
    angle = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    xyz = np.stack([10 * np.cos(angle), 10 * np.sin(angle), np.zeros(360)], 1)
    cloud = st.Points(xyz)
    cloud.cloud.width, cloud.cloud.height, cloud.cloud.time_base_ns = 360, 1, START
    cloud.cloud.time_span_ns = 100 * MS
    plan = st.DeskewPlan()
    table = st.PointTimes.table(column_ns=np.arange(360) * (100 * MS // 360))
    scan = plan.scan(cloud, "start", times=table)
    plan.from_twist(scan, (10, 0, 0))
    out = plan.apply(cloud, times=table, flags=True)
    assert out.points[359, 0] == pytest.approx(xyz[359, 0] + 10 * 0.1 * 359 / 360, abs=1e-5)
    guess = st.PointTimes.azimuth()
    plan.from_twist(plan.scan(cloud, "start", times=guess), (10, 0, 0))
    out = plan.apply(cloud, times=guess, flags=True)
    assert (out.flags & abi.SNT_POINT_FROM_AZIMUTH).all()
    assert out.points[180, 0] == pytest.approx(xyz[180, 0] + 0.5, abs=0.01)
    with pytest.raises(errors.NoTimeError):
        plan.apply(cloud)


def test_a_2d_scan_is_deskewed():
    laser = st.Laser([1.0, 2.0, np.inf, 4.0], START, time_increment_s=0.01, angle_increment=math.pi / 2, range_max=10.0)
    plan = st.DeskewPlan()
    scan = laser.scan("start")
    assert (scan.begin_ns, scan.end_ns) == (START, START + 30 * MS)
    plan.from_twist(scan, st.Twist((1, 0, 0)))
    out = plan.laser(laser, flags=True)
    assert np.allclose(out.points[[0, 1, 3]], [[1, 0, 0], [0.01, 2, 0], [0.03, -4, 0]], atol=1e-5)
    assert np.isnan(out.points[2]).all()


def test_payloads_do_not_outlive_their_queues():
    class Thing:
        alive = 0

        def __init__(self):
            Thing.alive += 1

        def __del__(self):
            Thing.alive -= 1

    cache, sequencer = st.MessageCache(capacity=2), st.TimeSequencer(delay_ns=0)
    cache.add_many(range(10), (Thing() for _ in range(10)))
    sequencer.add_many(range(10), (Thing() for _ in range(10)))
    list(sequencer.ready(100))
    gc.collect()
    assert Thing.alive == 2
    cache.clear()
    gc.collect()
    assert Thing.alive == 0
