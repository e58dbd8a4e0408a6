/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorded behaviour of ROS 2's ApproximateTime: compat mode must emit the same sets at the same events. */
#include "sync_support.h"

enum { MAX_EVENTS = 4096 };

static int64_t next(char **at)
{
    return strtoll(*at, at, 10);
}

static void run_case(char *line, int number, bool at_once)
{
    static int64_t input[MAX_EVENTS], t[MAX_EVENTS];
    static unsigned char seen[MAX_EVENTS];
    char *at = line;
    snt_sync_input_config inputs[SNT_SYNC_MAX_INPUTS] = {{0}};
    snt_sync_config cfg;
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.flags = SNT_SYNC_COMPAT;
    cfg.inputs = inputs;
    cfg.input_count = (uint32_t)next(&at);
    cfg.queue = (uint32_t)next(&at);
    cfg.age_penalty = strtod(at, &at);
    const int64_t interval = next(&at);
    if (interval >= 0)
        cfg.max_separation_ns = interval;
    for (uint32_t i = 0; i < cfg.input_count; i++)
        inputs[i].min_period_ns = next(&at);
    const int64_t base = next(&at), events = next(&at);
    assert_in_range(events, 1, MAX_EVENTS);
    for (int64_t i = 0; i < events; i++) {
        input[i] = next(&at);
        t[i] = base + next(&at);
    }
    int64_t sets = next(&at);
    int64_t due = sets ? next(&at) : -1;
    memset(seen, 0, sizeof seen);
    snt_synchronizer *sync;
    assert_status(snt_synchronizer_create(&cfg, NULL, &sync), SNT_OK);
    for (int64_t i = 0; i < events; i++) {
        sync_drain got;
        snt_sync_drop drop;
        bool more;
        if (at_once) {
            assert_true(sync_put_take(sync, (uint32_t)input[i], t[i], (uint64_t)i, &got, &more) >= 0);
        } else {
            assert_true(sync_put(sync, (uint32_t)input[i], t[i], (uint64_t)i) >= 0);
            more = sync_take(sync, &got);
        }
        for (; more; more = sync_take(sync, &got)) {
            if (due != i)
                fail_msg("case %d: a set at event %d, expected at %d", number, (int)i, (int)due);
            for (uint32_t k = 0; k < cfg.input_count; k++) {
                const int64_t id = next(&at);
                if (got.members[k].sample.token != (uint64_t)id)
                    fail_msg("case %d event %d input %u: id %d, expected %d", number, (int)i, k,
                             (int)got.members[k].sample.token, (int)id);
                assert_int_equal(seen[id]++, 0);
            }
            due = --sets ? next(&at) : -1;
        }
        if (due == i)
            fail_msg("case %d: no set at event %d", number, (int)i);
        while (sync_take_drop(sync, &drop))
            assert_int_equal(seen[drop.sample.token]++, 0);
    }
    assert_i64_equal(sets, 0);
    assert_status(snt_synchronizer_clear(sync), SNT_OK);
    snt_sync_drop drop;
    while (sync_take_drop(sync, &drop))
        assert_int_equal(seen[drop.sample.token]++, 0);
    for (int64_t i = 0; i < events; i++)
        assert_int_equal(seen[i], 1); /* each token exactly once, in a set or with a reason */
    snt_synchronizer_destroy(sync);
}

static void run_cases(bool at_once)
{
    static char line[1 << 16];
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/model/approximate_time.txt", getenv("SNT_SOURCE_ROOT"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int cases = 0;
    while (fgets(line, sizeof line, file))
        if (line[0] != '#')
            run_case(line, cases++, at_once);
    fclose(file);
    assert_int_equal(cases, 200);
}

static void compat_equals_ros_event_by_event(void **state)
{
    (void)state;
    run_cases(false);
}

static void adding_and_polling_at_once_equals_ros_too(void **state)
{
    (void)state;
    run_cases(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compat_equals_ros_event_by_event),
        cmocka_unit_test(adding_and_polling_at_once_equals_ros_too),
    };
    return cmocka_run_group_tests_name("model_approximate_golden", tests, NULL, NULL);
}
