/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#define S  SNT_NS_PER_S
#define MS SNT_NS_PER_MS

static snt_clock_source *simulated(const snt_clock_source_config *template)
{
    snt_clock_source_config cfg;
    snt_clock_source *source;
    snt_clock_source_config_init(&cfg, sizeof cfg);
    if (template)
        cfg = *template;
    cfg.kind = SNT_SOURCE_SIMULATED;
    assert_status(snt_clock_source_create(&cfg, NULL, &source), SNT_OK);
    return source;
}

static snt_time at(snt_clock_source *source, snt_time steady)
{
    snt_time now = -1;
    assert_status(snt_clock_source_at(source, steady, &now), SNT_OK);
    return now;
}

static uint32_t set(snt_clock_source *source, snt_time steady, snt_time time)
{
    uint32_t jump = 99;
    assert_status(snt_clock_source_set(source, steady, time, &jump), SNT_OK);
    return jump;
}

static void the_hosts_clocks_run(void **state)
{
    (void)state;
    snt_time before, system, after, again;
    assert_status(snt_clock_cross_now(&before, &system, &after), SNT_OK);
    assert_true(before <= after);
    assert_int_equal(snt_clock_kind(system), SNT_LOOKS_UNIX);
    assert_status(snt_clock_steady_now(&again), SNT_OK);
    assert_true(again >= after);
    struct timespec theirs;
    clock_gettime(CLOCK_REALTIME, &theirs);
    assert_true(llabs((int64_t)theirs.tv_sec * S + theirs.tv_nsec - system) < 60 * S);
    assert_status(snt_clock_system_now(NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_steady_now(NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_cross_now(NULL, &system, &after), SNT_ERR_INVALID_ARG);
    snt_clock_source *source;
    snt_time now;
    assert_status(snt_clock_source_create(NULL, NULL, &source), SNT_OK);
    assert_status(snt_clock_source_now(source, &now), SNT_OK);
    assert_int_equal(snt_clock_kind(now), SNT_LOOKS_UNIX);
    assert_status(snt_clock_source_at(source, 0, &now), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_source_set(source, 0, 0, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_source_pause(source, 0, 1), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_source_speed(source, 0, 1, 1), SNT_ERR_INVALID_ARG);
    snt_clock_source_destroy(source);
    snt_clock_source_config cfg;
    snt_clock_source_config_init(&cfg, sizeof cfg);
    cfg.kind = SNT_SOURCE_STEADY;
    assert_status(snt_clock_source_create(&cfg, NULL, &source), SNT_OK);
    assert_status(snt_clock_source_now(source, &now), SNT_OK);
    assert_true(now >= again && now - again < 60 * S);
    snt_clock_source_destroy(source);
}

static void there_is_no_simulated_time_before_the_first_message(void **state)
{
    (void)state;
    snt_clock_source *source = simulated(NULL);
    snt_time now = 7;
    assert_status(snt_clock_source_at(source, 100 * S, &now), SNT_PENDING);
    assert_status(snt_clock_source_now(source, &now), SNT_PENDING);
    assert_i64_equal(now, 7);
    snt_clock_source_state seen;
    assert_status(snt_clock_source_inspect(source, &seen), SNT_OK);
    assert_i64_equal(seen.set_time, SNT_UNKNOWN);
    assert_int_equal(seen.domain, SNT_DOMAIN_SIM);
    assert_int_equal(set(source, 100 * S, 0), SNT_JUMP_FIRST); /* zero is a time */
    assert_i64_equal(at(source, 100 * S), 0);
    assert_i64_equal(at(source, 101 * S), S);
    snt_clock_source_destroy(source);
}

static void pause_and_speed_leave_the_time_as_it_is(void **state)
{
    (void)state;
    snt_clock_source *source = simulated(NULL);
    set(source, 100 * S, 10 * S);
    assert_i64_equal(at(source, 102 * S), 12 * S);
    assert_status(snt_clock_source_pause(source, 103 * S, 1), SNT_OK);
    assert_i64_equal(at(source, 103 * S), 13 * S);
    assert_i64_equal(at(source, 900 * S), 13 * S);
    assert_status(snt_clock_source_pause(source, 1000 * S, 0), SNT_OK);
    assert_i64_equal(at(source, 1001 * S), 14 * S);
    assert_status(snt_clock_source_speed(source, 1001 * S, 10, 1), SNT_OK); /* spec 3: a simulation at 10x */
    assert_i64_equal(at(source, 1002 * S), 24 * S);
    assert_status(snt_clock_source_speed(source, 1002 * S, 1, 3), SNT_OK);
    assert_i64_equal(at(source, 1003 * S), 24 * S + S / 3);
    assert_status(snt_clock_source_speed(source, 0, 0, 1), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_source_speed(source, 0, 1, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_source_speed(source, SNT_TIME_INFINITE_PAST, 1, 1), SNT_ERR_RANGE);
    assert_status(snt_clock_source_pause(source, SNT_UNKNOWN, 1), SNT_ERR_RANGE);
    snt_clock_source_destroy(source);
    source = simulated(NULL); /* before the first message both are remembered */
    snt_time now;
    assert_status(snt_clock_source_pause(source, 0, 1), SNT_PENDING);
    assert_status(snt_clock_source_speed(source, 0, 2, 1), SNT_PENDING);
    set(source, 5 * S, 50 * S);
    assert_status(snt_clock_source_at(source, 9 * S, &now), SNT_OK);
    assert_i64_equal(now, 50 * S);
    assert_status(snt_clock_source_pause(source, 10 * S, 0), SNT_OK);
    assert_i64_equal(at(source, 11 * S), 52 * S);
    snt_clock_source_destroy(source);
}

static void a_seek_is_a_jump_and_a_new_session(void **state)
{
    (void)state;
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    snt_clock_source_config cfg;
    snt_clock_source_config_init(&cfg, sizeof cfg);
    cfg.epoch = epoch;
    snt_clock_source *source = simulated(&cfg);
    set(source, 0, 100 * S);
    assert_int_equal(set(source, S, 101 * S), SNT_JUMP_NONE);
    assert_int_equal(snt_epoch_session(epoch), 1);
    assert_int_equal(set(source, 2 * S, 100 * S), SNT_JUMP_BACK); /* the bag looped */
    assert_int_equal(snt_epoch_session(epoch), 2);
    assert_int_equal(snt_epoch_reason(epoch), SNT_EPOCH_REPLAY_SEEK);
    assert_i64_equal(at(source, 2 * S), 100 * S);
    assert_int_equal(set(source, 3 * S, 200 * S), SNT_JUMP_FORWARD); /* and was sought */
    assert_int_equal(snt_epoch_session(epoch), 3);
    assert_int_equal(set(source, 4 * S, 202 * S), SNT_JUMP_NONE); /* exactly the threshold is none */
    snt_clock_source_state seen;
    assert_status(snt_clock_source_inspect(source, &seen), SNT_OK);
    assert_true(seen.jumps_back == 1 && seen.jumps_forward == 1 && seen.sets == 5 && seen.session == 3);
    snt_clock_source_destroy(source);
    assert_int_equal(snt_epoch_session(epoch), 3);
    snt_epoch_unref(epoch);
}

static void late_clock_messages_make_time_wait_not_jump(void **state)
{
    (void)state;
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    snt_clock_source_config cfg;
    snt_clock_source_config_init(&cfg, sizeof cfg);
    cfg.epoch = epoch;
    snt_clock_source *source = simulated(&cfg);
    set(source, 0, 100 * S);
    assert_i64_equal(at(source, 15 * MS), 100 * S + 15 * MS);
    /* the message for 100.010 arrives 5 ms late: time ran ahead of it, and stands until it is caught up */
    assert_int_equal(set(source, 15 * MS, 100 * S + 10 * MS), SNT_JUMP_WAITING);
    assert_i64_equal(at(source, 16 * MS), 100 * S + 15 * MS);
    assert_i64_equal(at(source, 20 * MS), 100 * S + 15 * MS);
    assert_i64_equal(at(source, 21 * MS), 100 * S + 16 * MS);
    assert_i64_equal(at(source, 18 * MS),
                     100 * S + 16 * MS); /* a late reader of steady time sees no step back either */
    assert_int_equal(snt_epoch_session(epoch), 1);
    snt_clock_source_destroy(source);
    /* a tolerance for a source that itself goes back a little */
    cfg.jump_back_ns = 20 * MS;
    source = simulated(&cfg);
    set(source, 0, 100 * S);
    assert_int_equal(set(source, MS, 100 * S - 20 * MS), SNT_JUMP_WAITING);
    assert_int_equal(set(source, 2 * MS, 100 * S - 41 * MS), SNT_JUMP_BACK);
    snt_clock_source_destroy(source);
    snt_epoch_unref(epoch);
}

static void held_time_moves_only_when_told(void **state)
{
    (void)state;
    snt_clock_source_config cfg;
    snt_clock_source_config_init(&cfg, sizeof cfg);
    cfg.hold = 1;
    cfg.domain = 99;
    cfg.jump_forward_ns = SNT_UNKNOWN;
    snt_clock_source *source = simulated(&cfg);
    set(source, 0, 5);
    assert_i64_equal(at(source, 100 * S), 5);
    assert_int_equal(set(source, 101 * S, 1000 * S), SNT_JUMP_NONE);
    assert_i64_equal(at(source, 500 * S), 1000 * S);
    snt_clock_source_state seen;
    assert_status(snt_clock_source_inspect(source, &seen), SNT_OK);
    assert_int_equal(seen.domain, 99);
    snt_clock_source_destroy(source);
}

/* spec 2: a physical watchdog has to fire although the replay's clock stands still. */
static void a_deadline_passes_while_simulated_time_stands(void **state)
{
    (void)state;
    snt_clock_source *source = simulated(NULL);
    snt_deadline lease;
    snt_duration left;
    set(source, 1000 * S, 50 * S);
    assert_status(snt_deadline_start(&lease, 1000 * S, 200 * MS), SNT_OK);
    assert_status(snt_clock_source_pause(source, 1000 * S, 1), SNT_OK);
    const snt_time stamp_before = at(source, 1000 * S);
    snt_time steady = 1000 * S;
    int fired = 0;
    for (int i = 0; i < 30 && !fired;
         i++) { /* the loop of a controller at 100 Hz; simulated time does not move */
        steady += 10 * MS;
        assert_i64_equal(at(source, steady), stamp_before);
        fired = snt_deadline_check(&lease, steady, &left) == SNT_ERR_TIMEOUT;
    }
    assert_true(fired);
    assert_i64_equal(steady, 1000 * S + 200 * MS);
    assert_i64_equal(left, 0);
    /* had it been written on simulated time, it would have waited for ever */
    snt_deadline wrong;
    assert_status(snt_deadline_start(&wrong, stamp_before, 200 * MS), SNT_OK);
    assert_status(snt_deadline_check(&wrong, at(source, steady + 3600 * S), NULL), SNT_OK);
    /* a sign of life gives the whole span again */
    assert_status(snt_deadline_renew(&lease, steady), SNT_OK);
    assert_status(snt_deadline_check(&lease, steady + 199 * MS, &left), SNT_OK);
    assert_i64_equal(left, MS);
    assert_status(snt_deadline_check(&lease, steady + 300 * MS, &left), SNT_ERR_TIMEOUT);
    assert_i64_equal(left, -100 * MS);
    snt_clock_source_destroy(source);
}

static void deadlines_may_be_for_ever_and_refuse_nonsense(void **state)
{
    (void)state;
    snt_deadline d = {1, 2};
    snt_duration left;
    assert_status(snt_deadline_start(&d, 0, SNT_UNKNOWN), SNT_OK);
    assert_status(snt_deadline_check(&d, INT64_MAX - 1, &left), SNT_OK);
    assert_i64_equal(left, SNT_UNKNOWN);
    assert_status(snt_deadline_renew(&d, 5), SNT_OK);
    assert_i64_equal(d.due, SNT_TIME_INFINITE_FUTURE);
    assert_status(snt_deadline_start(&d, 7, 0), SNT_OK); /* due at once */
    assert_status(snt_deadline_check(&d, 7, &left), SNT_ERR_TIMEOUT);
    assert_status(snt_deadline_check(&d, 6, &left), SNT_OK);
    assert_status(snt_deadline_start(&d, SNT_TIME_INFINITE_PAST, 1), SNT_ERR_RANGE);
    assert_status(snt_deadline_start(&d, 0, -1), SNT_ERR_RANGE);
    assert_status(snt_deadline_start(&d, SNT_UNKNOWN, 1), SNT_ERR_RANGE);
    assert_status(snt_deadline_check(&d, SNT_UNKNOWN, &left), SNT_ERR_RANGE);
    assert_status(snt_deadline_start(NULL, 0, 1), SNT_ERR_INVALID_ARG);
    assert_status(snt_deadline_renew(NULL, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_deadline_check(NULL, 0, &left), SNT_ERR_INVALID_ARG);
}

static void odd_configs_and_overflows_are_refused(void **state)
{
    (void)state;
    snt_clock_source_config cfg;
    snt_clock_source *source = NULL;
    snt_time now = 3;
    snt_clock_source_config_init(&cfg, sizeof cfg);
    cfg.kind = 3;
    assert_status(snt_clock_source_create(&cfg, NULL, &source), SNT_ERR_INVALID_ARG);
    assert_null(source);
    snt_clock_source_config_init(&cfg, sizeof cfg);
    cfg.jump_back_ns = -1;
    assert_status(snt_clock_source_create(&cfg, NULL, &source), SNT_ERR_INVALID_ARG);
    snt_clock_source_config_init(&cfg, sizeof cfg);
    cfg.speed_den = 0;
    assert_status(snt_clock_source_create(&cfg, NULL, &source), SNT_ERR_INVALID_ARG);
    snt_clock_source_config_init(&cfg, sizeof cfg);
    cfg.jump_forward_ns = 0; /* the default */
    cfg.kind = SNT_SOURCE_SIMULATED;
    assert_status(snt_clock_source_create(&cfg, NULL, &source), SNT_OK);
    set(source, 0, 0);
    assert_int_equal(set(source, 0, S + 1), SNT_JUMP_FORWARD);
    snt_clock_source_destroy(source);
    assert_status(snt_clock_source_create(NULL, NULL, NULL), SNT_ERR_INVALID_ARG);
    source = simulated(NULL);
    set(source, INT64_MIN + 1, INT64_MAX - 10);
    assert_status(snt_clock_source_at(source, INT64_MAX - 1, &now), SNT_ERR_OVERFLOW);
    assert_status(snt_clock_source_set(source, INT64_MAX - 1, 5, NULL), SNT_ERR_OVERFLOW);
    assert_status(snt_clock_source_set(source, 0, SNT_UNKNOWN, NULL), SNT_ERR_RANGE);
    assert_status(snt_clock_source_at(source, SNT_UNKNOWN, &now), SNT_ERR_RANGE);
    assert_status(snt_clock_source_at(source, 0, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_source_inspect(source, NULL), SNT_ERR_INVALID_ARG);
    assert_i64_equal(now, 3);
    snt_clock_source_destroy(source);
    snt_clock_source_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hosts_clocks_run),
        cmocka_unit_test(there_is_no_simulated_time_before_the_first_message),
        cmocka_unit_test(pause_and_speed_leave_the_time_as_it_is),
        cmocka_unit_test(a_seek_is_a_jump_and_a_new_session),
        cmocka_unit_test(late_clock_messages_make_time_wait_not_jump),
        cmocka_unit_test(held_time_moves_only_when_told),
        cmocka_unit_test(a_deadline_passes_while_simulated_time_stands),
        cmocka_unit_test(deadlines_may_be_for_ever_and_refuse_nonsense),
        cmocka_unit_test(odd_configs_and_overflows_are_refused),
    };
    return cmocka_run_group_tests_name("clock_source", tests, NULL, NULL);
}
