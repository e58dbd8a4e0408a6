/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "lib/base/internal.h"

static const int64_t us = 1000, ms = 1000000, s = 1000000000;

/* A device with a 32-bit µs counter 30 ppm slow, 100 packets a second, 0.3 ms away. */
typedef struct rig {
    snt_device_clock *clock;
    int64_t host;  /* true host time [ns] */
    int64_t shown; /* what the host's clock is ahead of that (steps) */
    int64_t boot;  /* host time at which the counter was `first` */
    int64_t first; /* [ns] */
    double rate;   /* device ns per host ns, minus 1 */
    int64_t delay;
    uint32_t broken; /* session in which an assumption was broken: its bounds promise nothing */
    snt_status observed, stamped;
    snt_sample sample;
    snt_clock_proof proof;
} rig;

static snt_device_clock_config driver_config(void)
{
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.tick_num_ns = 1000;
    cfg.counter_bits = 32;
    return cfg;
}

static void rig_init(rig *r, const snt_device_clock_config *cfg)
{
    memset(r, 0, sizeof *r);
    assert_status(snt_device_clock_create(cfg, NULL, &r->clock), SNT_OK);
    r->host = 5000 * s;
    r->boot = r->host;
    r->first = 0;
    r->rate = -30e-6;
    r->delay = 300 * us;
}

static uint64_t rig_raw(const rig *r, int64_t host)
{
    const double since = (double)(host - r->boot);
    const int64_t ns = r->first + (host - r->boot) + (int64_t)floor(since * r->rate);
    return ((uint64_t)ns / 1000) & UINT32_MAX;
}

/* A packet, sent now and received after the delay, with the session the driver read before. */
static void rig_packet(rig *r)
{
    const uint32_t session = snt_device_clock_session(r->clock);
    const uint64_t raw = rig_raw(r, r->host);
    const int64_t receive = r->host + r->shown + r->delay;
    r->observed = snt_device_clock_observe_arrival(r->clock, session, raw, receive, &r->proof);
    r->stamped = snt_device_clock_stamp(r->clock, session, raw, receive, 0, &r->sample);
    if (r->stamped == SNT_OK && r->sample.session != r->broken) {
        const int64_t truth = r->host + r->shown;
        assert_true(!(r->sample.flags & SNT_TIME_BOUND_LO) || truth >= r->sample.t0_ns - r->sample.err_lo_ns);
        assert_true(!(r->sample.flags & SNT_TIME_BOUND_HI) || truth <= r->sample.t0_ns + r->sample.err_hi_ns);
        assert_true(r->sample.t0_ns <= receive);
    }
}

static snt_status rig_exchange(rig *r)
{
    const int64_t now = r->host + r->shown;
    return snt_device_clock_observe_exchange(r->clock, 0, now - 200 * us, rig_raw(r, r->host),
                                             rig_raw(r, r->host), now + 200 * us, &r->proof);
}

static void rig_run(rig *r, int packets)
{
    for (int i = 0; i < packets; i++) {
        r->host += 10 * ms;
        rig_packet(r);
        if (i % 50 == 25)
            rig_exchange(r);
    }
}

static snt_device_health rig_health(rig *r)
{
    snt_device_health h;
    assert_status(snt_device_clock_health(r->clock, r->host + r->shown, &h), SNT_OK);
    return h;
}

static void rig_free(rig *r)
{
    snt_device_clock_destroy(r->clock);
}

static void a_driver_gets_samples_with_everything_on_them(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.source = 7;
    cfg.event = SNT_EVENT_EXPOSURE_MID;
    rig r;
    rig_init(&r, &cfg);
    rig_packet(&r);
    assert_status(r.observed, SNT_OK);
    assert_status(r.stamped, SNT_PENDING); /* sick_scan #66: stamps before the lock jumped back afterwards */
    rig_run(&r, 100);
    assert_status(r.stamped, SNT_OK);
    assert_int_equal(r.sample.source, 7);
    assert_int_equal(r.sample.event, SNT_EVENT_EXPOSURE_MID);
    assert_int_equal(r.sample.session, 1);
    assert_int_equal(r.sample.domain, SNT_DOMAIN_STEADY);
    assert_int_equal(r.sample.receive_domain, SNT_DOMAIN_STEADY);
    assert_i64_equal(r.sample.receive_ns, r.host + r.delay);
    assert_i64_equal(r.sample.complete_ns, SNT_UNKNOWN);
    assert_true(r.sample.version > 0 && r.sample.sequence > 0);
    assert_int_equal(r.sample.flags & 3, SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI);
    assert_true(r.sample.err_lo_ns + r.sample.err_hi_ns < 500 * us);
    const uint64_t before = r.sample.sequence;
    rig_run(&r, 1);
    assert_int_equal(r.sample.sequence, before + 1);
    const snt_device_health h = rig_health(&r);
    assert_int_equal(h.map.state, SNT_CLOCK_VALID);
    assert_int_equal(h.map.reasons, 0);
    assert_int_equal(h.pending, 7);
    assert_true(h.map.growth_ppb > 0 && h.map.growth_ppb <= 100000);
    assert_true(h.map.undetectable_step_ns == h.map.width_ns && h.map.width_ns < 500 * us);
    rig_free(&r);
}

/* librealsense #11320, rosflight #89: the counter wraps every 71.58 minutes. */
static void a_rollover_keeps_the_session(void **state)
{
    (void)state;
    const snt_device_clock_config cfg = driver_config();
    rig r;
    rig_init(&r, &cfg);
    r.first = INT64_C(4294967296) * us - 500 * ms;
    rig_run(&r, 200);
    assert_status(r.observed, SNT_OK);
    assert_status(r.stamped, SNT_OK);
    assert_int_equal(r.sample.session, 1);
    const snt_device_health h = rig_health(&r);
    assert_int_equal(h.rollovers, 1);
    assert_int_equal(h.map.restarts, 0);
    assert_int_equal(h.violations, 0);
    /* the interval of a scan across the rollover */
    r.first += 0;
    snt_sample scan;
    const uint64_t end = rig_raw(&r, r.host + 5 * ms);
    assert_status(snt_device_clock_stamp_interval(r.clock, 0, rig_raw(&r, r.host + 2 * ms), end,
                                                  r.host + 6 * ms, 99, &scan),
                  SNT_OK);
    assert_true(llabs(scan.t1_ns - scan.t0_ns - 3 * ms) < 3 * us);
    assert_int_equal(scan.sequence, 99);
    rig_free(&r);
}

static void a_reboot_begins_a_new_session_in_the_right_order(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    cfg.epoch = epoch;
    rig r;
    rig_init(&r, &cfg);
    r.first = 1000 * s;
    rig_run(&r, 300);
    const uint64_t in_flight = rig_raw(&r, r.host + 5 * ms);
    r.boot = r.host += 5 * s; /* the device restarts: its counter begins at 0 */
    r.first = 0;
    uint32_t states[16];
    snt_status seen[16];
    for (int i = 0; i < 16; i++) {
        rig_run(&r, 1);
        states[i] = rig_health(&r).map.state;
        seen[i] = r.observed;
    }
    /* three readings that fit only each other, and nothing is stamped meanwhile */
    assert_status(seen[0], SNT_ERR_RESET_SUSPECT);
    assert_status(seen[2], SNT_ERR_RESET_SUSPECT);
    assert_int_equal(states[2], SNT_CLOCK_INVALID);
    assert_status(seen[3], SNT_ERR_SESSION); /* read before the restart: could be either session's */
    assert_int_equal(states[3], SNT_CLOCK_REINITIALIZING);
    assert_status(seen[4], SNT_OK);
    assert_int_equal(states[4], SNT_CLOCK_WARMING);
    assert_int_equal(states[12], SNT_CLOCK_VALID);
    assert_int_equal(snt_epoch_session(epoch), 2);
    assert_int_equal(snt_epoch_reason(epoch), SNT_EPOCH_COUNTER_RESET);
    assert_int_equal(r.sample.session, 2);
    /* a packet of the old session, delivered late */
    snt_sample sample = {.t0_ns = 42};
    assert_status(snt_device_clock_observe_arrival(r.clock, 1, in_flight, r.host, NULL), SNT_ERR_SESSION);
    assert_status(snt_device_clock_stamp(r.clock, 1, in_flight, r.host, 0, &sample), SNT_ERR_SESSION);
    assert_status(snt_device_clock_stamp(r.clock, 0, in_flight, r.host, 0, &sample), SNT_ERR_RESET_SUSPECT);
    assert_i64_equal(sample.t0_ns, 42);
    rig_run(&r, 20);
    assert_status(r.stamped, SNT_OK);
    rig_free(&r);
    snt_epoch_unref(epoch);
}

/* librealsense #4505: one stamp 50 years ahead is a bad reading, not a new session. */
static void a_single_wild_reading_changes_nothing(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.counter_bits = 64;
    rig r;
    rig_init(&r, &cfg);
    r.first = 77 * s;
    rig_run(&r, 100);
    const uint32_t version = r.sample.version;
    const uint64_t wild = UINT64_C(1577836800000000);
    assert_status(snt_device_clock_observe_arrival(r.clock, 0, wild, r.host + ms, NULL),
                  SNT_ERR_RESET_SUSPECT);
    assert_status(snt_device_clock_stamp(r.clock, 0, wild, r.host + ms, 0, &r.sample), SNT_ERR_RESET_SUSPECT);
    assert_int_equal(r.sample.version, version);
    rig_run(&r, 1);
    assert_status(r.stamped, SNT_OK);
    for (int i = 0; i < 5;
         i++) { /* and so are several that do not fit each other: zeros of a lost packet (ouster-ros #350) */
        snt_device_clock_observe_arrival(r.clock, 0, i % 2 ? 0 : wild, r.host + ms + i, NULL);
        assert_int_equal(rig_health(&r).map.state, SNT_CLOCK_VALID);
    }
    rig_free(&r);
}

/* velodyne #462, #218; a top-of-hour counter is host time itself, cut to the hour. */
static void a_locked_counter_is_placed_by_the_host(void **state)
{
    (void)state;
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.counter_modulus = UINT64_C(3600000000);
    cfg.tick_num_ns = 1000;
    cfg.locked_error_ns = 5 * s;
    cfg.host_domain = SNT_DOMAIN_UNIX;
    cfg.warm_observations = 1;
    snt_device_clock *clock;
    snt_sample sample;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
    const int64_t two_pm = INT64_C(1453384800) * s;
    assert_status(snt_device_clock_observe_arrival(clock, 0, 3599999999u, two_pm + us, NULL), SNT_OK);
    assert_status(snt_device_clock_stamp(clock, 0, 3599999999u, two_pm + us, 0, &sample), SNT_OK);
    assert_true(llabs(sample.t0_ns - (two_pm - us)) <= 2 * us);
    snt_bounded_time t;
    assert_status(snt_clock_map_to_device(snt_device_clock_map(clock), two_pm, &t), SNT_OK);
    assert_true(llabs(t.t - two_pm) <= 3 * us); /* the reading itself is host time */
    assert_status(snt_device_clock_observe_arrival(clock, 0, 3600010000u, two_pm + ms, NULL), SNT_ERR_RANGE);
    assert_int_equal(sample.domain, SNT_DOMAIN_UNIX);
    snt_device_clock_destroy(clock);
    cfg.locked_error_ns = 1800 * s; /* the host may be half an hour off: no hour can be told */
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
    assert_status(snt_device_clock_observe_arrival(clock, 0, 5, two_pm, NULL), SNT_ERR_AMBIGUOUS);
    snt_device_clock_destroy(clock);
}

/* The GPS week: milliseconds since Sunday; the week number comes from the host. */
static void a_gps_week_is_placed_by_the_host(void **state)
{
    (void)state;
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.counter_modulus = UINT64_C(604800000);
    cfg.tick_num_ns = 1000000;
    cfg.locked_error_ns = 3600 * s;
    cfg.host_domain = SNT_DOMAIN_GPS;
    cfg.warm_observations = 1;
    snt_device_clock *clock;
    snt_bounded_time t;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
    const int64_t week = INT64_C(604800) * s,
                  now = 2048 * week + 123 * ms; /* week 2048: a 10-bit counter would say 0 */
    assert_status(snt_device_clock_observe_arrival(clock, 0, 604799999, now, NULL), SNT_OK);
    assert_status(snt_device_clock_observe_arrival(clock, 0, 120, now + ms, NULL), SNT_OK);
    assert_status(snt_clock_map_to_device(snt_device_clock_map(clock), now, &t), SNT_OK);
    assert_true(llabs(t.t - now) <= 5 * ms);
    snt_device_clock_destroy(clock);
}

/* urg_stamped #64 / hokuyo: scans read through three callbacks: the same reading again is no sample. */
static void duplicates_and_stragglers_are_named(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.reorder_ticks = 50000;
    rig r;
    rig_init(&r, &cfg);
    rig_run(&r, 100);
    const uint64_t raw = rig_raw(&r, r.host);
    const uint32_t version = snt_clock_map_version(snt_device_clock_map(r.clock));
    snt_sample sample = {.t0_ns = 1};
    assert_status(snt_device_clock_observe_arrival(r.clock, 0, raw, r.host + ms, NULL), SNT_ERR_DUPLICATE);
    assert_status(snt_device_clock_stamp(r.clock, 0, raw, r.host + ms, 0, &sample), SNT_ERR_DUPLICATE);
    assert_i64_equal(sample.t0_ns, 1);
    assert_int_equal(snt_clock_map_version(snt_device_clock_map(r.clock)), version);
    /* overtaken by 35 ms: inside the window; by 200 ms: not */
    assert_status(snt_device_clock_stamp(r.clock, 0, rig_raw(&r, r.host - 35 * ms), r.host + ms, 0, &sample),
                  SNT_OK);
    assert_true(llabs(sample.t0_ns - (r.host - 35 * ms)) < ms);
    assert_status(snt_device_clock_stamp(r.clock, 0, rig_raw(&r, r.host - 205 * ms), r.host + ms, 0, &sample),
                  SNT_ERR_BACKWARD);
    const snt_device_health h = rig_health(&r);
    assert_int_equal(h.duplicates, 2);
    assert_int_equal(h.backward, 1);
    rig_free(&r);
}

static void many_readings_of_a_packet_are_stamped_under_one_lock(void **state)
{
    (void)state;
    const snt_device_clock_config cfg = driver_config();
    rig r;
    rig_init(&r, &cfg);
    uint64_t raw[5];
    snt_sample samples[5];
    snt_status statuses[5];
    memset(samples, 0, sizeof samples);
    for (int i = 0; i < 5; i++)
        raw[i] = rig_raw(&r, r.host + i * ms);
    assert_status(snt_device_clock_stamp_many(r.clock, 0, raw, 5, r.host + 5 * ms, 0, samples, statuses),
                  SNT_PENDING);
    assert_status(statuses[4], SNT_PENDING);
    rig_run(&r, 100);
    for (int i = 0; i < 5; i++)
        raw[i] = rig_raw(&r, r.host + (i + 1) * ms);
    raw[3] = raw[2];
    assert_status(snt_device_clock_stamp_many(r.clock, 0, raw, 5, r.host + 6 * ms, 1000, samples, statuses),
                  SNT_ERR_DUPLICATE);
    assert_status(statuses[3], SNT_ERR_DUPLICATE);
    assert_i64_equal(samples[3].t0_ns, 0);
    assert_status(statuses[4], SNT_OK);
    assert_int_equal(samples[4].sequence, 1004);
    assert_true(llabs(samples[4].t0_ns - samples[0].t0_ns - 4 * ms) < 3 * us);
    assert_status(snt_device_clock_stamp_many(r.clock, 9, raw, 5, r.host, 0, samples, statuses),
                  SNT_ERR_SESSION);
    assert_status(statuses[0], SNT_ERR_SESSION);
    assert_status(snt_device_clock_stamp_many(r.clock, 0, NULL, 5, r.host, 0, samples, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_device_clock_stamp_many(r.clock, 0, NULL, 0, r.host, 0, NULL, NULL), SNT_OK);
    rig_free(&r);
}

static void replies_are_matched_by_their_id(void **state)
{
    (void)state;
    const snt_device_clock_config cfg = driver_config();
    rig r;
    rig_init(&r, &cfg);
    rig_run(&r, 10);
    uint32_t old, id;
    const uint64_t raw = rig_raw(&r, r.host);
    assert_status(snt_device_clock_request(r.clock, 0, r.host - 100 * us, &old), SNT_OK);
    assert_status(snt_device_clock_request(r.clock, 0, r.host - 100 * us, &id), SNT_OK);
    assert_status(snt_device_clock_reply(r.clock, 0, id, raw, raw, r.host + 100 * us, NULL), SNT_OK);
    assert_status(snt_device_clock_reply(r.clock, 0, id, raw, raw, r.host + 100 * us, NULL), SNT_ERR_STALE);
    assert_status(snt_device_clock_reply(r.clock, 0, 0, raw, raw, r.host + 100 * us, NULL), SNT_ERR_STALE);
    /* a request of the session before the restart is not answered in the new one */
    assert_status(snt_device_clock_notify(r.clock, SNT_EPOCH_DEVICE_BOOT), SNT_OK);
    rig_run(&r, 10);
    assert_status(snt_device_clock_reply(r.clock, 0, old, raw, raw, r.host, NULL), SNT_ERR_STALE);
    rig_free(&r);
}

static void without_auto_restart_the_application_decides(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.auto_restart = 0;
    rig r;
    rig_init(&r, &cfg);
    rig_run(&r, 100);
    uint32_t session = 0;
    assert_status(snt_device_clock_restart(r.clock, SNT_EPOCH_USER, &session), SNT_ERR_INVALID_STATE);
    assert_status(snt_device_clock_notify(r.clock, SNT_EPOCH_SUSPEND), SNT_OK);
    rig_run(&r, 10);
    assert_status(r.observed, SNT_ERR_INVALID_STATE);
    assert_status(r.stamped, SNT_ERR_INVALID_STATE);
    assert_int_equal(rig_health(&r).map.reasons, SNT_CLOCK_WHY_SUSPEND);
    assert_status(snt_device_clock_restart(r.clock, SNT_EPOCH_SUSPEND, &session), SNT_OK);
    assert_int_equal(session, 2);
    rig_run(&r, 20);
    assert_status(r.stamped, SNT_OK);
    assert_true(rig_health(&r).invalid == 20);
    rig_free(&r);
}

/* realsense #10068: stamps up to 40 ms in the future */
static void a_sample_from_the_future_is_refused(void **state)
{
    (void)state;
    const snt_device_clock_config cfg = driver_config();
    rig r;
    rig_init(&r, &cfg);
    rig_run(&r, 100);
    snt_sample sample;
    assert_status(snt_device_clock_stamp(r.clock, 0, rig_raw(&r, r.host + 40 * ms), r.host, 0, &sample),
                  SNT_ERR_FUTURE);
    assert_status(
        snt_device_clock_stamp(r.clock, 0, rig_raw(&r, r.host + ms / 10), r.host + ms / 10, 0, &sample),
        SNT_OK);
    assert_true(sample.t0_ns + sample.err_hi_ns <= r.host + ms / 10);
    rig_free(&r);
}

static void a_gap_of_half_the_period_is_no_gap_for_a_map_that_knows_the_rate(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.tick_num_ns = 1; /* 32-bit nanoseconds: wraps every 4.3 s */
    cfg.counter_bits = 32;
    rig r;
    rig_init(&r, &cfg);
    for (int i = 0; i < 400; i++) {
        r.host += 10 * ms;
        const uint64_t raw = (uint64_t)(r.host - r.boot) & UINT32_MAX;
        assert_status(snt_device_clock_observe_arrival(r.clock, 0, raw, r.host + r.delay, NULL), SNT_OK);
    }
    r.host += 3000 * s; /* 698 rollovers unseen: the rate bound leaves ±0.3 s */
    const uint64_t raw = (uint64_t)(r.host - r.boot) & UINT32_MAX;
    snt_sample sample;
    assert_status(snt_device_clock_stamp(r.clock, 0, raw, r.host + r.delay, 0, &sample), SNT_OK);
    assert_true(sample.flags & SNT_TIME_HOLDOVER);
    assert_true(llabs(sample.t0_ns - r.host) <= 400 * ms);
    rig_free(&r);
}

/* ---- the matrix of timing faults: each with the state and reasons it must produce ---- */

typedef struct fault {
    const char *name;
    void (*inject)(rig *r);
    int packets;         /* after the fault */
    uint32_t state, why; /* then; why: bits that must be set (health or epoch) */
    uint32_t restarts;
    uint32_t violations; /* at least */
} fault;

static void fault_none(rig *r)
{
    (void)r;
}
static void fault_device_ahead(rig *r) /* its clock jumps 50 ms ahead */
{
    r->first += 50 * ms;
}
static void fault_device_back(rig *r)
{
    r->first -= 50 * ms;
}
static void fault_small_step_back(rig *r) /* proven by the next exchange only */
{
    r->first -= 2 * ms;
}
static void fault_drift(rig *r) /* from −30 ppm to 2 %: beyond the declared rate */
{
    r->first += (r->host - r->boot) + (int64_t)((double)(r->host - r->boot) * r->rate);
    r->boot = r->host;
    r->rate = 0.02;
}
static void fault_jitter(rig *r) /* slow packets are no fault */
{
    for (int i = 0; i < 50; i++) {
        r->delay = 300 * us + (i * 7919 % 23) * ms;
        rig_run(r, 1);
    }
    r->delay = 300 * us;
}
static void fault_host_step(rig *r) /* NTP sets the clock by half a second: mobius #119, MultiSense #76 */
{
    r->shown += 500 * ms;
}
static void fault_host_step_back(rig *r)
{
    r->shown -= 500 * ms;
}
static void fault_host_hour(rig *r)
{
    r->shown += 3600 * s;
}
static void fault_reboot(rig *r)
{
    r->boot = r->host;
    r->first = 0;
}
static void fault_told_reboot(rig *r)
{
    fault_reboot(r);
    assert_status(snt_device_clock_notify(r->clock, SNT_EPOCH_DEVICE_BOOT), SNT_OK);
}
static void fault_wrap(rig *r)
{
    const int64_t now = (int64_t)(((uint64_t)1 << 32) - rig_raw(r, r->host)) * us;
    for (int64_t gone = 0; gone < now - 50 * ms;
         gone += 1000 * s) /* a packet every 1000 s up to the rollover */
    {
        r->host += now - gone < 1000 * s ? now - gone : 1000 * s;
        rig_packet(r);
    }
    r->host -= 0;
}
static void fault_silence(rig *r)
{
    r->host += 60 * s;
}
static void fault_seek(rig *r)
{
    assert_status(snt_device_clock_notify(r->clock, SNT_EPOCH_REPLAY_SEEK), SNT_OK);
    r->host -= 2 * s;
}
static void fault_suspend(rig *r)
{
    assert_status(snt_device_clock_notify(r->clock, SNT_EPOCH_SUSPEND), SNT_OK);
    r->host += 300 * s;
}
static void fault_duplicates(rig *r)
{
    for (int i = 0; i < 20; i++) {
        r->host += ms;
        rig_packet(r);
        rig_packet(r);
        assert_status(r->stamped, SNT_ERR_DUPLICATE);
        assert_status(r->observed, SNT_ERR_DUPLICATE);
    }
}
static void fault_reordering(rig *r)
{
    for (int i = 0; i < 20; i++) {
        r->host += 20 * ms;
        rig_packet(r);
        r->host -= 10 * ms;
        r->delay += 10 * ms;
        rig_packet(r);
        assert_status(r->observed, SNT_OK);
        assert_status(r->stamped, SNT_OK);
        r->delay -= 10 * ms;
        r->host += 10 * ms;
    }
}
static void fault_paused(
    rig *r) /* simulated time stands still while packets keep coming: no time passes, none is claimed */
{
    for (int i = 0; i < 20; i++)
        rig_packet(r);
    assert_status(r->stamped, SNT_ERR_DUPLICATE);
}
static void fault_stalled(rig *r) /* the counter stands while the host's clock goes on */
{
    const uint64_t raw = rig_raw(r, r->host);
    for (int i = 0; i < 500; i++) {
        r->host += 100 * ms;
        const snt_status status =
            snt_device_clock_observe_arrival(r->clock, 0, raw, r->host + r->delay, NULL);
        assert_true(status == SNT_ERR_DUPLICATE || status == SNT_ERR_RESET_SUSPECT);
    }
    r->host += 0;
}

static void each_fault_gives_its_state_and_reasons(void **state)
{
    (void)state;
    static const fault faults[] = {
        {"nothing", fault_none, 10, SNT_CLOCK_VALID, 0, 0, 0},
        {"device 50 ms ahead", fault_device_ahead, 1, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_VIOLATION, 0, 1},
        {"device 50 ms ahead, recovered", fault_device_ahead, 30, SNT_CLOCK_VALID, 0, 1, 1},
        {"device 50 ms back", fault_device_back, 30, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_VIOLATION, 0, 1},
        {"device 50 ms back, recovered", fault_device_back, 60, SNT_CLOCK_VALID, 0, 1, 1},
        {"device 2 ms back", fault_small_step_back, 26, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_VIOLATION, 0, 1},
        {"rate beyond its bound", fault_drift, 30, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_VIOLATION, 0, 1},
        {"jitter", fault_jitter, 10, SNT_CLOCK_VALID, 0, 0, 0},
        {"host half a second ahead", fault_host_step, 30, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_VIOLATION, 0, 1},
        {"host half a second back", fault_host_step_back, 1, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_VIOLATION, 0,
         1},
        {"host an hour ahead", fault_host_hour, 3, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_HOST_STEP, 0, 0},
        {"host an hour ahead, recovered", fault_host_hour, 60, SNT_CLOCK_VALID, 0, 1, 0},
        {"reboot", fault_reboot, 3, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_COUNTER_RESET, 0, 0},
        {"reboot, recovered", fault_reboot, 60, SNT_CLOCK_VALID, 0, 1, 0},
        {"reboot, told", fault_told_reboot, 0, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_DEVICE_BOOT, 0, 0},
        {"reboot, told, recovering", fault_told_reboot, 1, SNT_CLOCK_REINITIALIZING,
         SNT_CLOCK_WHY_DEVICE_BOOT, 1, 0},
        {"reboot, told, warming", fault_told_reboot, 3, SNT_CLOCK_WARMING, SNT_CLOCK_WHY_FEW, 1, 0},
        {"reboot, told, recovered", fault_told_reboot, 60, SNT_CLOCK_VALID, 0, 1, 0},
        {"rollover", fault_wrap, 10, SNT_CLOCK_VALID, 0, 0, 0},
        {"silence of a minute", fault_silence, 0, SNT_CLOCK_HOLDOVER, SNT_CLOCK_WHY_SILENT, 0, 0},
        {"silence of a minute, over", fault_silence, 1, SNT_CLOCK_VALID, 0, 0, 0},
        {"replay sought", fault_seek, 0, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_REPLAY_SEEK, 0, 0},
        {"replay sought, recovered", fault_seek, 60, SNT_CLOCK_VALID, 0, 1, 0},
        {"host suspended", fault_suspend, 0, SNT_CLOCK_INVALID, SNT_CLOCK_WHY_SUSPEND, 0, 0},
        {"host suspended, recovered", fault_suspend, 60, SNT_CLOCK_VALID, 0, 1, 0},
        {"duplicates", fault_duplicates, 1, SNT_CLOCK_VALID, 0, 0, 0},
        {"reordering", fault_reordering, 1, SNT_CLOCK_VALID, 0, 0, 0},
        {"paused simulated clock", fault_paused, 0, SNT_CLOCK_VALID, 0, 0, 0},
        {"stalled counter", fault_stalled, 0, SNT_CLOCK_HOLDOVER, SNT_CLOCK_WHY_SILENT, 0, 0},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(faults); i++) {
        const fault *f = &faults[i];
        snt_device_clock_config cfg = driver_config();
        cfg.reorder_ticks = 50000;
        rig r;
        rig_init(&r, &cfg);
        r.first = 1000 * s;
        rig_run(&r, 600);
        assert_int_equal(rig_health(&r).map.state, SNT_CLOCK_VALID);
        r.broken = 1;
        f->inject(&r);
        for (int n = 0; n < f->packets; n++) { /* as rig_run, but it ends where the mapping breaks */
            rig_run(&r, 1);
            if (n % 50 == 25)
                rig_exchange(&r);
            if (f->state == SNT_CLOCK_INVALID && rig_health(&r).map.state == SNT_CLOCK_INVALID)
                break;
        }
        const snt_device_health h = rig_health(&r);
        if (h.map.state != f->state || (h.map.reasons & f->why) != f->why || (!f->why && h.map.reasons) ||
            h.map.restarts != f->restarts || h.violations < f->violations || (!f->violations && h.violations))
            fail_msg("%s: state %s, reasons %#x, %u restarts, %u violations", f->name,
                     snt_clock_state_name(h.map.state), h.map.reasons, h.map.restarts,
                     (unsigned)h.violations);
        if (f->state == SNT_CLOCK_INVALID) /* nothing is admitted */
            assert_status(
                snt_device_clock_stamp(r.clock, 0, rig_raw(&r, r.host + ms), r.host + 2 * ms, 0, &r.sample),
                SNT_ERR_INVALID_STATE);
        if (h.violations) {
            assert_true(h.proof.side == SNT_PROOF_EARLY || h.proof.side == SNT_PROOF_LATE);
            assert_true(h.proof.gap_ns > 0);
        }
        rig_free(&r);
    }
}

static void a_violation_names_side_and_amount(void **state)
{
    (void)state;
    const snt_device_clock_config cfg = driver_config();
    rig r;
    rig_init(&r, &cfg);
    rig_run(&r, 600);
    r.broken = 1;
    fault_device_ahead(&r);
    rig_run(&r, 1);
    assert_status(r.observed, SNT_ERR_VIOLATION); /* the very next packet */
    assert_int_equal(r.proof.side, SNT_PROOF_EARLY);
    assert_true(r.proof.gap_ns > 49 * ms && r.proof.gap_ns < 50 * ms);
    rig_run(&r, 30);
    r.broken = 2;
    fault_small_step_back(&r);
    snt_status status = SNT_OK;
    for (int i = 0; i < 5 && status == SNT_OK; i++) {
        r.host += 10 * ms;
        rig_packet(&r);
        assert_status(r.observed, SNT_OK); /* later than usual is no proof … */
        status = rig_exchange(&r);         /* … but a request that arrives before it was sent is */
    }
    assert_status(status, SNT_ERR_VIOLATION);
    assert_int_equal(r.proof.side, SNT_PROOF_LATE);
    assert_true(r.proof.gap_ns > ms && r.proof.gap_ns < 2 * ms);
    rig_free(&r);
}

/* A step smaller than any bound: arrivals only, nothing to prove it by; the floor of the delays rises. */
static void a_step_below_proof_is_suspected(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.wander_ppb_s = 0;
    rig r;
    rig_init(&r, &cfg);
    for (int i = 0; i < 1500; i++) {
        r.host += 10 * ms;
        r.delay = 300 * us + (i * 7919 % 97) * 10 * us;
        rig_packet(&r);
        assert_int_equal(rig_health(&r).map.reasons & SNT_CLOCK_WHY_SUSPECT, 0);
    }
    r.first -= 5 * ms;
    int until = 0;
    for (; until < 400 && !(rig_health(&r).map.reasons & SNT_CLOCK_WHY_SUSPECT); until++) {
        r.host += 10 * ms;
        r.delay = 300 * us + (until * 7919 % 97) * 10 * us;
        const uint64_t raw = rig_raw(&r, r.host);
        assert_status(snt_device_clock_observe_arrival(r.clock, 0, raw, r.host + r.delay, NULL), SNT_OK);
    }
    assert_true(until < 2 * 128 + 1);
    const snt_device_health h = rig_health(&r);
    assert_int_equal(h.map.state, SNT_CLOCK_VALID); /* a suspicion, not a proof */
    assert_true(h.map.suspicion_ns > 4 * ms && h.map.suspicion_ns < 6 * ms);
    rig_free(&r);
}

static void the_audit_proposes_what_the_run_supports(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.tick_num_ns = 1;
    cfg.counter_bits = 64;
    cfg.wander_ppb_s = 100;
    cfg.delay_max_ns = 500 * ms;
    snt_device_clock *clock;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
    for (int64_t i = 0; i < 12000;
         i++) { /* two minutes; +20 ppm; delays 2..4 ms; a cross-stamp of ±1 µs every 0.1 s */
        const int64_t d = i * 10 * ms, t = 100 * s + d + d / 50000;
        assert_status(
            snt_device_clock_observe_arrival(clock, 0, (uint64_t)d, t + 2 * ms + i * 7919 % 2001 * us, NULL),
            SNT_OK);
        if (i % 10 == 0)
            assert_status(snt_device_clock_observe_cross(clock, 0, t - us, (uint64_t)d, t + us, NULL),
                          SNT_OK);
    }
    snt_clock_audit a;
    assert_status(snt_device_clock_audit(clock, &a), SNT_OK);
    assert_true(a.delay_floor_lo_ns > 2 * ms - 20 * us && a.delay_floor_lo_ns <= 2 * ms);
    assert_true(a.delay_floor_hi_ns >= 2 * ms && a.delay_floor_hi_ns < 2 * ms + 20 * us);
    assert_true(a.delay_ceil_lo_ns > 4 * ms - 20 * us && a.delay_ceil_lo_ns <= 4 * ms);
    assert_true(a.rate_lo_ppb < 20000 && a.rate_hi_ppb > 20000 && a.rate_hi_ppb - a.rate_lo_ppb < 50000);
    const uint32_t expected =
        SNT_ADVICE_DELAY_MIN_TIGHTER | SNT_ADVICE_DELAY_MAX_TIGHTER | SNT_ADVICE_WANDER_TIGHTER;
    assert_int_equal(a.advice & expected, expected);
    assert_i64_equal(a.advised_delay_min_ns, a.delay_floor_lo_ns);
    assert_true(a.advised_delay_max_ns > 4 * ms && a.advised_delay_max_ns < 6 * ms);
    assert_true(a.wander_proven_ppb_s < 100 && a.advised_wander_ppb_s < 100);
    /* broken: a packet faster than declared possible */
    snt_device_clock_destroy(clock);
    cfg.delay_min_ns = 3 * ms;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
    snt_status status = SNT_OK;
    for (int64_t i = 0; i < 100 && status == SNT_OK; i++) {
        const int64_t d = i * 10 * ms, t = 100 * s + d;
        status = snt_device_clock_observe_cross(clock, 0, t - us, (uint64_t)d, t + us, NULL);
        if (status == SNT_OK)
            status = snt_device_clock_observe_arrival(clock, 0, (uint64_t)d + 1, t + 2 * ms, NULL);
    }
    assert_status(status, SNT_ERR_VIOLATION);
    assert_status(snt_device_clock_audit(clock, &a), SNT_OK);
    assert_true(a.advice & SNT_ADVICE_DELAY_MIN_WIDER);
    assert_true(a.advised_delay_min_ns > 2 * ms - 10 * us && a.advised_delay_min_ns < 2 * ms + 10 * us);
    snt_device_clock_destroy(clock);
}

/* PX4 #28519: slow exchanges at the start froze the gains: 40 ms off for minutes. Here they merely do not cut. */
static void slow_exchanges_at_the_start_do_no_harm(void **state)
{
    (void)state;
    const snt_device_clock_config cfg = driver_config();
    rig r;
    rig_init(&r, &cfg);
    for (int i = 0; i < 20; i++) { /* 80 ms there, nothing back */
        r.host += 10 * ms;
        assert_status(snt_device_clock_observe_exchange(r.clock, 0, r.host - 80 * ms, rig_raw(&r, r.host),
                                                        rig_raw(&r, r.host), r.host + 100 * us, NULL),
                      SNT_OK);
    }
    rig_run(&r, 30); /* one quick one is among them */
    assert_status(r.stamped, SNT_OK);
    assert_true(llabs(r.sample.t0_ns - r.host) < 300 * us);
    assert_true(r.sample.err_lo_ns + r.sample.err_hi_ns < 600 * us);
    rig_free(&r);
}

/* Xsens #52: 0.0015 s/s, and batches of a 16 ms FTDI timer (rosserial #383): a bound, not a cap. */
static void a_clock_of_1500_ppm_in_batches_is_no_fault(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.rate_bound_ppb = 2000000;
    rig r;
    rig_init(&r, &cfg);
    r.rate = 1.5e-3;
    for (int i = 0; i < 8000; i++) { /* 400 Hz, six or seven at once */
        r.host += 2500 * us;
        r.delay = 16 * ms - r.host % (16 * ms) + 100 * us;
        rig_packet(&r);
        assert_status(r.observed, SNT_OK);
        if (i % 400 == 200)
            assert_status(rig_exchange(&r), SNT_OK);
    }
    const snt_device_health h = rig_health(&r);
    assert_int_equal(h.violations, 0);
    assert_true(h.map.rate_lo_ppb < -1.497e6 && h.map.rate_hi_ppb > -1.498e6); /* 1/1.0015 − 1 */
    assert_true(llabs(r.sample.t0_ns - r.host) < 300 * us);
    rig_free(&r);
}

/* livox_ros2_driver #8: the IMU's time went back by 947.6 s when its synchronisation changed. */
static void a_rewind_is_a_session_of_its_own(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.tick_num_ns = 1;
    cfg.counter_bits = 64;
    rig r;
    rig_init(&r, &cfg);
    uint64_t base = UINT64_C(2000000000000);
    for (int i = 0; i < 100; i++) {
        r.host += 5 * ms;
        base += 5000000;
        assert_status(snt_device_clock_observe_arrival(r.clock, 0, base, r.host + r.delay, NULL), SNT_OK);
    }
    base -= UINT64_C(947600000000);
    snt_status seen[5];
    for (int i = 0; i < 5; i++) {
        r.host += 5 * ms;
        base += 5000000;
        seen[i] = snt_device_clock_observe_arrival(r.clock, 0, base, r.host + r.delay, NULL);
    }
    assert_status(seen[0], SNT_ERR_RESET_SUSPECT);
    assert_status(seen[2], SNT_ERR_RESET_SUSPECT);
    assert_status(seen[3], SNT_OK);
    assert_int_equal(snt_device_clock_session(r.clock), 2);
    rig_free(&r);
}

/* ouster-ros #311: SYNC_PULSE_IN counts 0..4 s, then starts over: each time a session, and never a stamp across it. */
static void a_counter_that_keeps_starting_over_never_stamps_across(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.tick_num_ns = 1;
    cfg.counter_bits = 64;
    cfg.latency_ns = 500 * ms;
    rig r;
    rig_init(&r, &cfg);
    uint32_t restarts = 0;
    for (int i = 0; i < 5000; i++) {
        r.host += 10 * ms;
        const uint64_t raw = 1000 + (uint64_t)(r.host - r.boot) % UINT64_C(4000000000);
        snt_device_clock_observe_arrival(r.clock, 0, raw, r.host + r.delay, NULL);
        snt_sample sample;
        if (snt_device_clock_stamp(r.clock, 0, raw, r.host + r.delay, 0, &sample) == SNT_OK) {
            assert_true(llabs(sample.t0_ns - r.host) < ms);
            restarts = sample.session - 1;
        }
    }
    assert_in_range(restarts, 11, 13); /* 50 s of it */
    rig_free(&r);
}

/* The evidence of each decision, also of readings that never got a time; spec/2's numbers: 28 ± 15 ms against 40 ms. */
static void admission_leaves_its_evidence(void **state)
{
    (void)state;
    snt_device_clock_config cfg = driver_config();
    cfg.source = 5;
    rig r;
    rig_init(&r, &cfg);
    snt_admission_policy policy;
    snt_admission_policy_init(&policy, sizeof policy);
    policy.domain = SNT_DOMAIN_STEADY;
    policy.max_age_ns = 40 * ms;
    snt_admission_record record;
    snt_sample sample;
    snt_bounded_time now = {r.host + ms,
                            r.host + ms,
                            r.host + ms,
                            SNT_DOMAIN_STEADY,
                            0,
                            0,
                            SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI};
    const uint64_t first = rig_raw(&r, r.host);
    assert_status(snt_device_clock_admit(r.clock, 0, first, r.host + ms, 3, &policy, &now, &sample, &record),
                  SNT_PENDING);
    assert_int_equal(record.notes, SNT_NOTE_RAW_COUNTER | SNT_NOTE_NO_TIME);
    assert_int_equal(record.raw_counter, first);
    assert_int_equal(record.sequence, 3);
    rig_run(&r, 100);
    r.host += 5 * ms;
    const uint64_t raw = rig_raw(&r, r.host);
    now.t = r.host + 28 * ms;
    now.lo = now.t - 100 * us;
    now.hi = now.t + 100 * us;
    assert_status(snt_device_clock_admit(r.clock, 1, raw, r.host + ms, 0, &policy, &now, &sample, &record),
                  SNT_OK);
    assert_int_equal(record.reasons, 0);
    assert_int_equal(record.expected_session, 1);
    assert_int_equal(record.raw_counter, raw);
    assert_int_equal(record.version, sample.version);
    assert_int_equal(record.source, 5);
    now.lo = now.t - 15 * ms;
    now.hi = now.t + 15 * ms; /* may be 43 ms old */
    assert_status(
        snt_device_clock_admit(r.clock, 1, raw + 1, r.host + ms, 0, &policy, &now, &sample, &record),
        SNT_ERR_STALE);
    assert_int_equal(record.reasons, SNT_REFUSED_MAYBE_STALE);
    assert_true(record.age_hi_ns > 42 * ms && record.age_hi_ns < 44 * ms);
    snt_admission_record again;
    assert_status(snt_admission_redo(&record, &again), SNT_OK);
    assert_memory_equal(&record, &again, sizeof record);
    assert_status(
        snt_device_clock_admit(r.clock, 1, raw + 1, r.host + ms, 0, &policy, &now, &sample, &record),
        SNT_ERR_DUPLICATE);
    assert_int_equal(record.reasons, SNT_REFUSED_DUPLICATE);
    assert_status(
        snt_device_clock_admit(r.clock, 7, raw + 2, r.host + ms, 0, &policy, &now, &sample, &record),
        SNT_ERR_SESSION);
    assert_status(snt_device_clock_admit(r.clock, 0, raw, r.host, 0, &policy, NULL, &sample, &record),
                  SNT_ERR_INVALID_ARG);
    rig_free(&r);
}

static void contradictory_configs_are_refused(void **state)
{
    (void)state;
    snt_device_clock *clock = (void *)&clock;
    snt_device_clock_config cfg = driver_config();
    cfg.tick_den = 0;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_ERR_INVALID_ARG);
    assert_null(clock);
    cfg = driver_config(), cfg.latency_ns = 3000 * s; /* older than the counter remembers */
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_ERR_INVALID_ARG);
    cfg = driver_config(), cfg.reset_confirm = 0;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_ERR_INVALID_ARG);
    cfg = driver_config(), cfg.auto_restart = 2;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_ERR_INVALID_ARG);
    cfg = driver_config(), cfg.max_vertices = 3;
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_ERR_INVALID_ARG);
    assert_status(snt_device_clock_create(NULL, NULL, NULL), SNT_ERR_INVALID_ARG);
    snt_device_clock_destroy(NULL);
    assert_int_equal(snt_device_clock_session(NULL), 0);
    assert_null(snt_device_clock_map(NULL));
    snt_sample sample;
    assert_status(snt_device_clock_stamp(NULL, 0, 0, 0, 0, &sample), SNT_ERR_INVALID_ARG);
    assert_status(snt_device_clock_notify(NULL, 0), SNT_ERR_INVALID_ARG);
    cfg = driver_config();
    assert_status(snt_device_clock_create(&cfg, NULL, &clock), SNT_OK);
    assert_status(snt_device_clock_observe_arrival(clock, 0, 0, SNT_UNKNOWN, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_device_clock_observe_arrival(clock, 0, UINT64_C(1) << 32, 0, NULL), SNT_ERR_RANGE);
    assert_status(snt_device_clock_observe_arrival(clock, 0, 5, INT64_MIN, NULL), SNT_ERR_OVERFLOW);
    snt_device_clock_destroy(clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_gets_samples_with_everything_on_them),
        cmocka_unit_test(a_rollover_keeps_the_session),
        cmocka_unit_test(a_reboot_begins_a_new_session_in_the_right_order),
        cmocka_unit_test(a_single_wild_reading_changes_nothing),
        cmocka_unit_test(a_locked_counter_is_placed_by_the_host),
        cmocka_unit_test(a_gps_week_is_placed_by_the_host),
        cmocka_unit_test(duplicates_and_stragglers_are_named),
        cmocka_unit_test(many_readings_of_a_packet_are_stamped_under_one_lock),
        cmocka_unit_test(replies_are_matched_by_their_id),
        cmocka_unit_test(without_auto_restart_the_application_decides),
        cmocka_unit_test(a_sample_from_the_future_is_refused),
        cmocka_unit_test(a_gap_of_half_the_period_is_no_gap_for_a_map_that_knows_the_rate),
        cmocka_unit_test(each_fault_gives_its_state_and_reasons),
        cmocka_unit_test(a_violation_names_side_and_amount),
        cmocka_unit_test(a_step_below_proof_is_suspected),
        cmocka_unit_test(the_audit_proposes_what_the_run_supports),
        cmocka_unit_test(slow_exchanges_at_the_start_do_no_harm),
        cmocka_unit_test(a_clock_of_1500_ppm_in_batches_is_no_fault),
        cmocka_unit_test(a_rewind_is_a_session_of_its_own),
        cmocka_unit_test(a_counter_that_keeps_starting_over_never_stamps_across),
        cmocka_unit_test(admission_leaves_its_evidence),
        cmocka_unit_test(contradictory_configs_are_refused),
    };
    return cmocka_run_group_tests_name("device_clock", tests, NULL, NULL);
}
