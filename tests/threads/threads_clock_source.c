/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <pthread.h>

enum { ROUNDS = 20000, READERS = 3 };

static snt_clock_source *source;

static void *read_on(void *unused)
{
    (void)unused;
    snt_time last = 0;
    for (int i = 0; i < ROUNDS; i++) {
        snt_time now;
        if (snt_clock_source_at(source, i * INT64_C(1000), &now) != SNT_OK)
            continue;
        assert_true(now >= last); /* whatever the writer does, as long as it does not jump */
        last = now;
    }
    return NULL;
}

static void *tell(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        snt_clock_source_set(source, i * INT64_C(1000), i * INT64_C(1000), NULL);
        if (i % 16 == 0)
            snt_clock_source_pause(source, i * INT64_C(1000), i % 32 == 0);
        if (i % 64 == 0)
            snt_clock_source_speed(source, i * INT64_C(1000), 1 + i % 3, 2);
    }
    return NULL;
}

static void time_never_goes_back_under_concurrent_sets(void **state)
{
    (void)state;
    snt_clock_source_config cfg;
    pthread_t threads[READERS + 1];
    snt_clock_source_config_init(&cfg, sizeof cfg);
    cfg.kind = SNT_SOURCE_SIMULATED;
    cfg.jump_forward_ns = SNT_UNKNOWN;
    assert_status(snt_clock_source_create(&cfg, NULL, &source), SNT_OK);
    for (int i = 0; i <= READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i ? read_on : tell, NULL), 0);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    snt_clock_source_state seen;
    assert_status(snt_clock_source_inspect(source, &seen), SNT_OK);
    assert_true(seen.sets == ROUNDS && seen.jumps_back == 0 && seen.jumps_forward == 0);
    snt_clock_source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(time_never_goes_back_under_concurrent_sets)};
    return cmocka_run_group_tests_name("threads_clock_source", tests, NULL, NULL);
}
