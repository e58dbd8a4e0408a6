/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One writer that cuts and restarts as fast as it can, readers that check every answer against the known truth. With only
 * four versions kept the readers are lapped often; what they accept must still be whole: a torn mixture of two versions
 * would put the truth outside or give a version that disagrees with its session.
 */
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { READERS = 3, ROUNDS = 60000 };

static snt_clock_map *map;
static _Atomic int64_t newest;
static _Atomic int done;

/* Session n runs `n` hours ahead: an answer mixed of two sessions is off by an hour. */
static int64_t truth(uint32_t session, int64_t d)
{
    return d + d / 40000 + (int64_t)session * INT64_C(3600000000000);
}

static void *write_map(void *context)
{
    (void)context;
    test_rng rng = {7};
    uint32_t session = 1;
    for (int64_t n = 1; n <= ROUNDS; n++) {
        const int64_t d = n * 10000000, t = truth(session, d);
        if (n % 4096 == 0) {
            assert_status(snt_clock_map_invalidate(map, SNT_EPOCH_USER), SNT_OK);
            assert_status(snt_clock_map_restart(map, SNT_EPOCH_USER, &session), SNT_OK);
            continue;
        }
        const int64_t before = rng_int(&rng, 1, 2000), after = rng_int(&rng, 1, 2000);
        assert_status(snt_clock_map_observe_cross(map, 0, t - before, d, t + after, NULL), SNT_OK);
        atomic_store_explicit(&newest, d, memory_order_release);
    }
    atomic_store(&done, 1);
    return NULL;
}

static void *read_map(void *context)
{
    long answers = 0, busy = 0;
    test_rng rng = {(uint64_t)(uintptr_t)context};
    while (!atomic_load(&done)) {
        const int64_t d =
            atomic_load_explicit(&newest, memory_order_acquire) + rng_int(&rng, -50000000, 50000000);
        snt_bounded_time t, back;
        const snt_status status = snt_clock_map_to_host(map, d, &t);
        if (status == SNT_OK) {
            const int64_t want = truth(t.session, d);
            assert_true(t.lo <= want + 1 && t.hi >= want - 1 && t.lo <= t.t && t.t <= t.hi);
            assert_true(t.hi - t.lo < 200000000);
            answers++;
            if (snt_clock_map_to_host_at(map, t.version, d, &back) == SNT_OK) {
                assert_int_equal(back.version, t.version);
                assert_i64_equal(back.lo, t.lo); /* immutable */
                assert_i64_equal(back.hi, t.hi);
            }
        } else {
            assert_true(status == SNT_BUSY || status == SNT_PENDING || status == SNT_ERR_SESSION ||
                        status == SNT_ERR_INVALID_STATE);
            busy += status == SNT_BUSY;
        }
        snt_clock_mapping m;
        if (snt_clock_map_export(map, 0, &m) == SNT_OK && m.state == SNT_CLOCK_VALID)
            assert_status(snt_clock_mapping_check(&m), SNT_OK);
    }
    printf("# %ld answers, %ld times busy\n", answers, busy);
    assert_true(answers > 0);
    return NULL;
}

static void readers_never_see_a_torn_version(void **state)
{
    (void)state;
    snt_clock_map_config cfg;
    snt_clock_map_config_init(&cfg, sizeof cfg);
    cfg.warm_observations = 1;
    cfg.versions = 4;
    assert_status(snt_clock_map_create(&cfg, NULL, &map), SNT_OK);
    pthread_t writer, readers[READERS];
    for (uintptr_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_map, (void *)(i + 1)), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_map, NULL), 0);
    pthread_join(writer, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    snt_clock_map_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(readers_never_see_a_torn_version)};
    return cmocka_run_group_tests_name("threads_clock_map", tests, NULL, NULL);
}
