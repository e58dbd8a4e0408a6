/* SPDX-License-Identifier: BSD-3-Clause */
#include "device_rig.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_gives_its_state_and_reasons),
        cmocka_unit_test(a_violation_names_side_and_amount),
        cmocka_unit_test(a_step_below_proof_is_suspected),
    };
    return cmocka_run_group_tests_name("device_faults", tests, NULL, NULL);
}
