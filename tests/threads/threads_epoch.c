/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <pthread.h>

enum { BUMPS = 20000, THREADS = 3 };

static void *bump(void *epoch)
{
    for (int i = 0; i < BUMPS; i++)
        snt_epoch_bump(epoch, SNT_EPOCH_USER);
    snt_epoch_unref(epoch);
    return NULL;
}

static void *watch(void *epoch)
{
    uint32_t last = 0;
    for (int i = 0; i < BUMPS; i++) {
        const uint32_t now = snt_epoch_session(epoch);
        assert_true(now >= last);
        last = now;
    }
    snt_epoch_unref(epoch);
    return NULL;
}

static void no_bump_is_lost_and_sessions_never_go_back(void **state)
{
    (void)state;
    snt_epoch *epoch;
    pthread_t threads[2 * THREADS];
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    for (int i = 0; i < 2 * THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i % 2 ? bump : watch, snt_epoch_ref(epoch)), 0);
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(snt_epoch_session(epoch), 1 + THREADS * BUMPS);
    snt_epoch_unref(epoch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_bump_is_lost_and_sessions_never_go_back)};
    return cmocka_run_group_tests_name("threads_epoch", tests, NULL, NULL);
}
