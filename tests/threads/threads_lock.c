/* SPDX-License-Identifier: BSD-3-Clause */
/* The short lock: nobody else is inside, and whoever slept is woken. A lost wake-up would hang this test. */
#include "test.h"

#include "lib/base/lock.h"

#include <pthread.h>
#include <sched.h>

enum { WORKERS = 4 };

typedef struct shared {
    snt__lock lock;
    int rounds;
    uint64_t counter; /* no atomic: the lock is all that keeps it right */
    int inside;
} shared;

static void *work(void *argument)
{
    shared *all = argument;
    for (int i = 0; i < all->rounds; i++) {
        snt__lock_acquire(&all->lock);
        const int found = all->inside++;
        if (i % 16 == 0)
            sched_yield(); /* so that the others find it held, and sleep */
        all->counter += found == 0;
        all->inside--;
        snt__lock_release(&all->lock);
    }
    return NULL;
}

static void one_is_inside_and_all_who_wait_are_woken(void **state)
{
    (void)state;
    shared all = {.rounds = getenv("SNT_LONG") ? 2000000 : 20000};
    pthread_t threads[WORKERS];
    assert_int_equal(snt__lock_init(&all.lock), 0);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &all), 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    assert_i64_equal((int64_t)all.counter, (int64_t)WORKERS * all.rounds);
    assert_int_equal(all.inside, 0);
    snt__lock_destroy(&all.lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_is_inside_and_all_who_wait_are_woken)};
    return cmocka_run_group_tests_name("threads_lock", tests, NULL, NULL);
}
