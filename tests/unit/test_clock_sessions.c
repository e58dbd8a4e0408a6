/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock_map_rig.h"

/* usage: nobody gets a time from a map that knows nothing, and warming is not failing */
static void warming_gives_no_time(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    cfg.warm_observations = 3;
    cfg.warm_span_ns = 20 * ms;
    snt_clock_map *map = make(&cfg);
    snt_bounded_time t = {.t = 77};
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_UNINIT);
    assert_status(snt_clock_map_to_host(map, 0, &t), SNT_PENDING);
    for (int64_t d = 0; d < 20 * ms; d += 5 * ms) {
        assert_status(snt_clock_map_observe_arrival(map, 0, d, 100 * s + d + ms, NULL), SNT_OK);
        assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_WARMING);
        assert_int_equal(reasons(map), SNT_CLOCK_WHY_FEW);
        assert_status(snt_clock_map_to_host(map, 0, &t), SNT_PENDING);
    }
    assert_i64_equal(t.t, 77);
    assert_status(snt_clock_map_observe_arrival(map, 0, 20 * ms, 100 * s + 21 * ms, NULL), SNT_OK);
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_VALID);
    assert_status(snt_clock_map_to_host(map, 20 * ms, &t), SNT_OK);
    snt_clock_map_destroy(map);
}

static void a_demanded_width_must_be_reached_on_both_sides(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    cfg.valid_width_ns = 2 * ms;
    snt_clock_map *map = make(&cfg);
    assert_status(snt_clock_map_observe_arrival(map, 0, 0, 100 * s, NULL), SNT_OK);
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_WARMING);
    assert_status(snt_clock_map_observe_exchange(map, 0, 100 * s - 5 * ms, ms, ms, 100 * s + ms, NULL),
                  SNT_OK);
    assert_int_equal(reasons(map), SNT_CLOCK_WHY_WIDE);
    assert_status(snt_clock_map_observe_exchange(map, 0, 100 * s, ms, ms, 100 * s + ms, NULL), SNT_OK);
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_VALID);
    snt_clock_map_destroy(map);
}

/* spec/2: stop admitting, clear, rebuild, warm, release: in this order and no other. */
static void the_order_of_recovery_is_enforced(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    cfg.warm_observations = 2;
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    cfg.epoch = epoch;
    snt_clock_map *map = make(&cfg);
    snt_bounded_time t;
    uint32_t session = 0;
    for (int64_t n = 0; n < 3; n++)
        assert_status(snt_clock_map_observe_arrival(map, 1, n * ms, 100 * s + n * ms, NULL), SNT_OK);
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_VALID);
    assert_status(snt_clock_map_restart(map, SNT_EPOCH_DEVICE_BOOT, &session), SNT_ERR_INVALID_STATE);
    assert_status(snt_clock_map_invalidate(map, SNT_EPOCH_DEVICE_BOOT), SNT_OK);
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_INVALID);
    assert_int_equal(reasons(map) & SNT_CLOCK_WHY_DEVICE_BOOT, SNT_CLOCK_WHY_DEVICE_BOOT);
    assert_int_equal(snt_epoch_session(epoch), 1); /* dependants can still clear what belongs to it */
    assert_status(snt_clock_map_to_host(map, 0, &t), SNT_ERR_INVALID_STATE);
    assert_status(snt_clock_map_restart(map, SNT_EPOCH_DEVICE_BOOT, &session), SNT_OK);
    assert_int_equal(session, 2);
    assert_int_equal(snt_epoch_session(epoch), 2);
    assert_int_equal(snt_epoch_reason(epoch), SNT_EPOCH_DEVICE_BOOT);
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_REINITIALIZING);
    assert_status(snt_clock_map_restart(map, SNT_EPOCH_DEVICE_BOOT, NULL), SNT_ERR_INVALID_STATE);
    assert_status(snt_clock_map_to_host(map, 0, &t), SNT_PENDING);
    /* in flight when the device went down */
    assert_status(snt_clock_map_observe_arrival(map, 1, 3 * ms, 100 * s + 3 * ms, NULL), SNT_ERR_SESSION);
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_REINITIALIZING);
    assert_status(snt_clock_map_observe_arrival(map, 2, 0, 130 * s, NULL), SNT_OK);
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_WARMING);
    assert_status(snt_clock_map_observe_arrival(map, 2, ms, 130 * s + ms, NULL), SNT_OK);
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_VALID);
    assert_status(snt_clock_map_to_host(map, 0, &t), SNT_OK);
    assert_int_equal(t.session, 2);
    snt_clock_map_destroy(map);
    snt_epoch_unref(epoch);
}

/* Somebody else bumped the epoch (a bag was sought): the map notices at the next call and adopts the session. */
static void a_session_begun_elsewhere_is_noticed(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    cfg.epoch = epoch;
    snt_clock_map *map = make(&cfg);
    snt_bounded_time t;
    uint32_t session, id;
    assert_status(snt_clock_map_observe_arrival(map, 0, 0, 100 * s, NULL), SNT_OK);
    assert_status(snt_clock_map_to_host(map, 0, &t), SNT_OK);
    snt_epoch_bump(epoch, SNT_EPOCH_REPLAY_SEEK);
    assert_status(snt_clock_map_to_host(map, 0, &t), SNT_ERR_SESSION);
    assert_status(snt_clock_map_observe_arrival(map, 0, ms, 100 * s + ms, NULL), SNT_ERR_SESSION);
    assert_status(snt_clock_map_request(map, 0, 0, &id), SNT_ERR_SESSION);
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_INVALID);
    assert_int_equal(reasons(map) & SNT_CLOCK_WHY_REPLAY_SEEK, SNT_CLOCK_WHY_REPLAY_SEEK);
    assert_status(snt_clock_map_restart(map, SNT_EPOCH_REPLAY_SEEK, &session), SNT_OK);
    assert_int_equal(session, 2);
    assert_int_equal(snt_epoch_session(epoch), 2);
    snt_clock_map_destroy(map);
    snt_epoch_unref(epoch);
}

static void every_event_has_its_reason(void **state)
{
    (void)state;
    static const uint32_t why[] = {0,
                                   SNT_CLOCK_WHY_DEVICE_BOOT,
                                   SNT_CLOCK_WHY_COUNTER_RESET,
                                   SNT_CLOCK_WHY_HOST_STEP,
                                   SNT_CLOCK_WHY_REPLAY_SEEK,
                                   SNT_CLOCK_WHY_SUSPEND,
                                   SNT_CLOCK_WHY_USER};
    const snt_clock_map_config cfg = defaults();
    for (uint32_t event = 0; event < SNT_COUNT_OF(why); event++) {
        snt_clock_map *map = make(&cfg);
        assert_status(snt_clock_map_invalidate(map, event), SNT_OK);
        assert_int_equal(reasons(map), why[event]);
        assert_status(snt_clock_map_restart(map, event, NULL), SNT_OK);
        assert_int_equal(reasons(map), why[event]);
        assert_status(snt_clock_map_invalidate(map, 7), SNT_ERR_INVALID_ARG);
        assert_status(snt_clock_map_restart(map, 7, NULL), SNT_ERR_INVALID_ARG);
        snt_clock_map_destroy(map);
    }
}

static void silence_is_holdover_and_then_the_horizon(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    cfg.holdover_after_ns = s;
    cfg.horizon_ns = 60 * s;
    snt_clock_map *map = make(&cfg);
    snt_bounded_time t;
    assert_status(snt_clock_map_observe_cross(map, 0, 100 * s, 0, 100 * s + 1000, NULL), SNT_OK);
    assert_status(snt_clock_map_to_host(map, s, &t), SNT_OK);
    assert_false(t.flags & SNT_TIME_HOLDOVER);
    assert_int_equal(state_at(map, s), SNT_CLOCK_VALID);
    assert_status(snt_clock_map_to_host(map, s + 2 * ms, &t), SNT_OK);
    assert_true(t.flags & SNT_TIME_HOLDOVER);
    assert_int_equal(state_at(map, s + 1), SNT_CLOCK_HOLDOVER);
    assert_status(snt_clock_map_to_host(map, 61 * s, &t), SNT_ERR_HORIZON);
    assert_int_equal(state_at(map, 61 * s), SNT_CLOCK_INVALID);
    assert_status(snt_clock_map_observe_arrival(map, 0, 59 * s, 160 * s, NULL),
                  SNT_OK); /* still vouched for */
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_VALID);
    assert_status(snt_clock_map_to_host(map, 59 * s, &t), SNT_OK);
    assert_false(t.flags & SNT_TIME_HOLDOVER);
    assert_status(snt_clock_map_observe_arrival(map, 0, 120 * s, 221 * s, NULL), SNT_ERR_HORIZON);
    assert_int_equal(state_at(map, SNT_UNKNOWN), SNT_CLOCK_INVALID);
    assert_int_equal(reasons(map), SNT_CLOCK_WHY_HORIZON);
    snt_clock_map_destroy(map);
}

static void past_versions_answer_as_they_did_and_then_are_gone(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    cfg.versions = 8;
    snt_clock_map *map = make(&cfg);
    snt_bounded_time then[64], t;
    uint32_t first = 0, last = 0;
    for (int64_t n = 0; n < 40; n++) {
        assert_status(
            snt_clock_map_observe_exchange(map, 0, n * s - ms + n * 10000, n * s, n * s, n * s + ms, NULL),
            SNT_OK);
        assert_status(snt_clock_map_to_host(map, 500 * ms, &t), SNT_OK);
        if (!first)
            first = t.version;
        last = t.version;
        then[last] = t;
    }
    assert_true(last > first + 20);
    for (uint32_t version = first; version <= last; version++) {
        const snt_status status = snt_clock_map_to_host_at(map, version, 500 * ms, &t);
        if (version + 6 < last) {
            assert_status(status, SNT_ERR_VERSION);
        } else {
            assert_status(status, SNT_OK);
            assert_i64_equal(t.lo, then[version].lo);
            assert_i64_equal(t.hi, then[version].hi);
            assert_i64_equal(t.t, then[version].t);
            assert_int_equal(t.version, version);
        }
    }
    assert_status(snt_clock_map_to_host_at(map, last + 1, 0, &t), SNT_ERR_VERSION);
    assert_status(snt_clock_map_to_host_at(map, 0, 0, &t), SNT_ERR_INVALID_ARG);
    snt_clock_map_destroy(map);
}

static void an_exported_mapping_answers_the_same(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    cfg.device_quantum_ns = 1000;
    snt_clock_map *map = make(&cfg);
    snt_clock_mapping m;
    for (int64_t n = 0; n < 20; n++)
        assert_status(snt_clock_map_observe_exchange(map, 0, 50 * s + n * s - ms + n * 777, n * s, n * s + 10,
                                                     50 * s + n * s + ms - n * 333, NULL),
                      SNT_OK);
    assert_status(snt_clock_map_export(map, 0, &m), SNT_OK);
    assert_status(snt_clock_mapping_check(&m), SNT_OK);
    for (int64_t d = -5 * s; d < 100 * s; d += 777 * ms) {
        snt_bounded_time a, b;
        assert_status(snt_clock_map_to_host(map, d, &a), SNT_OK);
        assert_status(snt_clock_mapping_to_host(&m, d, &b), SNT_OK);
        assert_memory_equal(&a, &b, sizeof a);
        assert_status(snt_clock_map_to_device(map, 50 * s + d, &a), SNT_OK);
        assert_status(snt_clock_mapping_to_device(&m, 50 * s + d, &b), SNT_OK);
        assert_memory_equal(&a, &b, sizeof a);
        snt_clock_duration x, y;
        assert_status(snt_clock_map_duration(map, d, 3 * s, &x), SNT_OK);
        assert_status(snt_clock_mapping_duration(&m, d, 3 * s, &y), SNT_OK);
        assert_memory_equal(&x, &y, sizeof x);
    }
    /* restored: the same bounds, marked as such, warming until confirmed */
    cfg.warm_observations = 2;
    snt_clock_map *copy = make(&cfg);
    snt_bounded_time a, b;
    assert_status(snt_clock_map_restore(copy, &m), SNT_OK);
    assert_int_equal(state_at(copy, SNT_UNKNOWN), SNT_CLOCK_WARMING);
    assert_status(snt_clock_map_to_host(copy, 20 * s, &b), SNT_PENDING);
    for (int64_t n = 20; n < 22; n++)
        assert_status(snt_clock_map_observe_arrival(copy, 0, n * s, 60 * s + n * s, NULL), SNT_OK);
    assert_status(snt_clock_map_to_host(map, 22 * s, &a), SNT_OK);
    assert_status(snt_clock_map_to_host(copy, 22 * s, &b), SNT_OK);
    assert_i64_equal(a.lo, b.lo);
    assert_i64_equal(a.hi, b.hi);
    assert_true(b.flags & SNT_TIME_RESTORED);
    assert_status(snt_clock_map_restore(copy, &m), SNT_ERR_INVALID_STATE);
    snt_clock_map_destroy(copy);
    cfg.rate_bound_ppb = 10; /* would claim more than the mapping's evidence supports */
    copy = make(&cfg);
    assert_status(snt_clock_map_restore(copy, &m), SNT_ERR_CONFLICT);
    snt_clock_map_destroy(copy);
    cfg = defaults();
    cfg.device_domain = 99;
    copy = make(&cfg);
    assert_status(snt_clock_map_restore(copy, &m), SNT_ERR_DOMAIN);
    snt_clock_map_destroy(copy);
    snt_clock_map_destroy(map);
}

static void bytes_that_are_no_mapping_are_refused(void **state)
{
    (void)state;
    snt_clock_map_config cfg = defaults();
    snt_clock_map *map = make(&cfg);
    snt_clock_mapping good, m;
    for (int64_t n = 0; n < 20; n++)
        assert_status(snt_clock_map_observe_exchange(map, 0, n * s - ms, n * s, n * s, n * s + ms, NULL),
                      SNT_OK);
    assert_status(snt_clock_map_export(map, 0, &good), SNT_OK);
    m = good, m.vertices[3] = (double)NAN;
    assert_status(snt_clock_mapping_check(&m), SNT_ERR_FORMAT);
    m = good, m.x_max_ns = (double)INFINITY;
    assert_status(snt_clock_mapping_check(&m), SNT_ERR_FORMAT);
    m = good, m.vertex_count = 33;
    assert_status(snt_clock_mapping_check(&m), SNT_ERR_FORMAT);
    m = good, m.vertex_count = 2;
    assert_status(snt_clock_mapping_check(&m), SNT_ERR_FORMAT);
    m = good, m.host_anchor_ns = INT64_MAX;
    assert_status(snt_clock_mapping_check(&m), SNT_ERR_FORMAT);
    m = good;
    for (uint32_t i = 0; i < m.vertex_count; i++) { /* clockwise */
        m.vertices[2 * i] = good.vertices[2 * (m.vertex_count - 1 - i)];
        m.vertices[2 * i + 1] = good.vertices[2 * (m.vertex_count - 1 - i) + 1];
    }
    assert_status(snt_clock_mapping_check(&m), SNT_ERR_FORMAT);
    memset(&m, 0, sizeof m);
    assert_status(snt_clock_mapping_check(&m), SNT_ERR_FORMAT);
    assert_status(snt_clock_mapping_check(NULL), SNT_ERR_INVALID_ARG);
    snt_clock_map_destroy(map);
}

/* Every observe call refuses another session, and what it is asked in a broken one. */
static void every_observation_asks_for_its_session(void **state)
{
    (void)state;
    const snt_clock_map_config cfg = defaults();
    snt_clock_map *map = make(&cfg);
    const snt_interval fine = {0, 10};
    uint32_t id;
    assert_status(snt_clock_map_request(map, 1, 0, &id), SNT_OK);
    assert_int_equal(id, 1);
    for (int broken = 0; broken < 2; broken++) {
        const uint32_t session = broken ? 1 : 2;
        const snt_status want = broken ? SNT_ERR_INVALID_STATE : SNT_ERR_SESSION;
        if (broken)
            assert_status(snt_clock_map_invalidate(map, SNT_EPOCH_USER), SNT_OK);
        assert_status(snt_clock_map_observe_arrival(map, session, 0, 0, NULL), want);
        assert_status(snt_clock_map_observe_trigger(map, session, 0, 0, NULL), want);
        assert_status(snt_clock_map_observe_exchange(map, session, 0, 0, 0, 0, NULL), want);
        assert_status(snt_clock_map_observe_cross(map, session, 0, 0, 0, NULL), want);
        assert_status(snt_clock_map_observe_pps(map, session, 0, 0, 0, NULL), want);
        assert_status(snt_clock_map_observe_interval(map, session, 0, &fine, 0, NULL), want);
        assert_status(snt_clock_map_reply(map, session, id, 0, 0, 0, NULL), want);
    }
    snt_clock_health h;
    assert_status(snt_clock_map_health(map, SNT_UNKNOWN, &h), SNT_OK);
    assert_int_equal(h.refused, 14);
    assert_int_equal(h.observations, 0);
    snt_clock_map_destroy(map);
}

/* One field at a time out of range, and the mapping is none. */
static void every_field_of_a_mapping_is_checked(void **state)
{
    (void)state;
    const snt_clock_map_config cfg = defaults();
    snt_clock_map *map = make(&cfg);
    snt_clock_mapping good;
    for (int64_t n = 0; n < 20; n++)
        assert_status(snt_clock_map_observe_exchange(map, 0, n * s - ms, n * s, n * s, n * s + ms, NULL),
                      SNT_OK);
    assert_status(snt_clock_map_export(map, 0, &good), SNT_OK);
    assert_status(snt_clock_mapping_check(&good), SNT_OK);
#define NUMBER(field, value)                                                                                 \
    {                                                                                                        \
        offsetof(snt_clock_mapping, field), 8,                                                               \
        {                                                                                                    \
            .d = (value)                                                                                     \
        }                                                                                                    \
    }
#define TIME(field, value)                                                                                   \
    {                                                                                                        \
        offsetof(snt_clock_mapping, field), 8,                                                               \
        {                                                                                                    \
            .i = (value)                                                                                     \
        }                                                                                                    \
    }
#define WORD(field, value)                                                                                   \
    {                                                                                                        \
        offsetof(snt_clock_mapping, field), 4,                                                               \
        {                                                                                                    \
            .u = (value)                                                                                     \
        }                                                                                                    \
    }
    const struct {
        size_t at, size;
        union {
            double d;
            int64_t i;
            uint32_t u;
        } value;
    } bad[] = {
        NUMBER(x_min_ns, 1e16),
        NUMBER(x_min_ns, good.x_max_ns),
        NUMBER(x_max_ns, good.x_min_ns),
        NUMBER(y_min_ppb, good.y_max_ppb),
        NUMBER(y_max_ppb, good.y_min_ppb),
        NUMBER(y_min_ppb, -good.rate_bound_ppb - 1),
        NUMBER(y_max_ppb, good.rate_bound_ppb + 1),
        NUMBER(estimate_x_ns, good.x_min_ns - 2),
        NUMBER(estimate_x_ns, good.x_max_ns + 2),
        NUMBER(estimate_y_ppb, good.y_min_ppb - 1),
        NUMBER(estimate_y_ppb, good.y_max_ppb + 1),
        NUMBER(wander_ppb_s, (double)NAN),
        NUMBER(rate_bound_ppb, 0.5),
        NUMBER(rate_bound_ppb, 6e8),
        NUMBER(rate_bound_ppb, (double)NAN),
        NUMBER(vertices[0], (double)NAN),
        NUMBER(vertices[0], good.x_max_ns + 1),
        NUMBER(vertices[0], good.x_min_ns - 1),
        NUMBER(vertices[1], good.y_max_ppb + 1),
        NUMBER(vertices[1], good.y_min_ppb - 1),
        TIME(device_anchor_ns, INT64_MAX),
        TIME(device_anchor_ns, INT64_MIN),
        TIME(host_anchor_ns, INT64_MAX),
        TIME(host_anchor_ns, INT64_MIN),
        TIME(evidence_ns, INT64_MAX),
        TIME(evidence_ns, INT64_MIN),
        TIME(stamp_before_ns, -1),
        TIME(stamp_before_ns, 11 * s),
        TIME(stamp_after_ns, -1),
        TIME(stamp_after_ns, 11 * s),
        TIME(holdover_after_ns, -1),
        TIME(horizon_ns, -1),
        WORD(state, 6),
        WORD(vertex_count, 1),
        WORD(vertex_count, SNT_CLOCK_MAPPING_VERTICES + 1),
    };
    for (size_t i = 0; i < SNT_COUNT_OF(bad); i++) {
        snt_clock_mapping m = good;
        memcpy((unsigned char *)&m + bad[i].at, &bad[i].value, bad[i].size);
        if (snt_clock_mapping_check(&m) != SNT_ERR_FORMAT)
            fail_msg("number %zu was taken", i);
    }
    snt_bounded_time t;
    snt_clock_duration x;
    assert_status(snt_clock_mapping_to_host(NULL, 0, &t), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_mapping_to_host(&good, 0, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_mapping_to_device(NULL, 0, &t), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_mapping_to_device(&good, 0, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_mapping_duration(NULL, 0, 0, &x), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_mapping_duration(&good, 0, 0, NULL), SNT_ERR_INVALID_ARG);
    snt_clock_map_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warming_gives_no_time),
        cmocka_unit_test(a_demanded_width_must_be_reached_on_both_sides),
        cmocka_unit_test(the_order_of_recovery_is_enforced),
        cmocka_unit_test(a_session_begun_elsewhere_is_noticed),
        cmocka_unit_test(every_event_has_its_reason),
        cmocka_unit_test(silence_is_holdover_and_then_the_horizon),
        cmocka_unit_test(past_versions_answer_as_they_did_and_then_are_gone),
        cmocka_unit_test(an_exported_mapping_answers_the_same),
        cmocka_unit_test(bytes_that_are_no_mapping_are_refused),
        cmocka_unit_test(every_observation_asks_for_its_session),
        cmocka_unit_test(every_field_of_a_mapping_is_checked),
    };
    return cmocka_run_group_tests_name("clock_sessions", tests, NULL, NULL);
}
