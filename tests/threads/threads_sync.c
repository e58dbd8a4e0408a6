/* SPDX-License-Identifier: BSD-3-Clause */
/* Class L handles fed from several threads, and the lost wake-up of geometry2 #966. */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { FEEDERS = 3, MESSAGES = 4000 };

typedef struct shared {
    snt_synchronizer *sync;
    _Atomic int feeding;
    _Atomic uint64_t given;
    _Atomic uint64_t in_sets;
    uint64_t dropped;
} shared;

typedef struct feeder {
    shared *all;
    uint32_t input;
} feeder;

static void *feed(void *argument)
{
    const feeder *me = argument;
    for (int i = 0; i < MESSAGES;) {
        snt_sample sample;
        snt_sample_init(&sample, i * 100 + (int64_t)me->input, 0, (uint64_t)i);
        snt_sync_set set;
        snt_sync_member members[FEEDERS];
        const bool takes = i % 2 != 0; /* now and then with the set that it completes */
        const snt_status status = takes
                                      ? snt_synchronizer_add_poll(me->all->sync, me->input, &sample,
                                                                  SNT_UNKNOWN, &set, members, FEEDERS)
                                      : snt_synchronizer_add(me->all->sync, me->input, &sample, SNT_UNKNOWN);
        if (status >= 0) {
            if (takes && status == SNT_OK)
                atomic_fetch_add(&me->all->in_sets, set.member_count);
            atomic_fetch_add(&me->all->given, 1);
            i++;
        } else
            sched_yield(); /* full: let the drain have the lock */
    }
    atomic_fetch_sub(&me->all->feeding, 1);
    return NULL;
}

static void drain(shared *all)
{
    snt_sync_set set;
    snt_sync_member members[FEEDERS];
    snt_sync_drop drops[64];
    uint32_t count;
    while (snt_synchronizer_poll(all->sync, SNT_UNKNOWN, SNT_UNKNOWN, &set, members, FEEDERS) == SNT_OK)
        all->in_sets += set.member_count;
    while (snt_synchronizer_poll_drops(all->sync, drops, 64, &count) == SNT_OK)
        all->dropped += count;
}

static void several_threads_lose_and_double_nothing(void **state)
{
    (void)state;
    for (uint32_t policy = SNT_SYNC_APPROXIMATE; policy <= SNT_SYNC_EARLIEST; policy++) {
        shared all = {.feeding = FEEDERS};
        snt_sync_config cfg;
        snt_synchronizer_config_init(&cfg, sizeof cfg);
        cfg.policy = policy;
        cfg.input_count = FEEDERS;
        cfg.max_separation_ns = 50;
        cfg.queue = 100;
        assert_status(snt_synchronizer_create(&cfg, NULL, &all.sync), SNT_OK);
        pthread_t threads[FEEDERS];
        feeder feeders[FEEDERS];
        for (uint32_t i = 0; i < FEEDERS; i++) {
            feeders[i] = (feeder){&all, i};
            assert_int_equal(pthread_create(&threads[i], NULL, feed, &feeders[i]), 0);
        }
        while (atomic_load(&all.feeding)) {
            snt_sync_diagnosis diagnosis;
            drain(&all);
            if (all.in_sets % 64 == 0)
                assert_status(snt_synchronizer_check(all.sync), SNT_OK);
            assert_status(snt_synchronizer_diagnose(all.sync, SNT_UNKNOWN, &diagnosis), SNT_OK);
        }
        for (uint32_t i = 0; i < FEEDERS; i++)
            pthread_join(threads[i], NULL);
        snt_synchronizer_clear(all.sync);
        drain(&all);
        if (policy == SNT_SYNC_LATEST) /* lent: each token comes back by its retirement */
            assert_int_equal(all.dropped, all.given);
        else
            assert_int_equal(all.in_sets + all.dropped, all.given);
        assert_int_equal(all.given, FEEDERS * MESSAGES);
        snt_synchronizer_destroy(all.sync);
    }
}

typedef struct race {
    snt_tf_buffer *tf;
    snt_message_filter *filter;
    snt_frame odom, base;
    pthread_barrier_t barrier;
    int rounds;
} race;

static void told(void *user, snt_frame child, snt_time newest)
{
    race *r = user;
    if (r->filter)
        snt_message_filter_poll_edge(r->filter, child, newest, SNT_UNKNOWN);
}

static void *transforms(void *argument)
{
    race *r = argument;
    for (int i = 1; i <= r->rounds; i++) {
        snt_tf_transform x;
        snt_tf_transform_init(&x, r->odom, r->base, i * 1000);
        pthread_barrier_wait(&r->barrier);
        snt_tf_buffer_insert(r->tf, &x, NULL);
        pthread_barrier_wait(&r->barrier);
    }
    return NULL;
}

/* Thread A adds @i, thread B brings the transform @i at the same moment: exactly one release every round. */
static void no_wake_up_is_lost(void **state)
{
    (void)state;
    race r = {.rounds = getenv("SNT_LONG") ? 1000000 : 20000};
    snt_tf_buffer_config tf;
    snt_message_filter_config cfg;
    snt_tf_buffer_config_init(&tf, sizeof tf);
    tf.notify = told;
    tf.notify_user = &r;
    assert_status(snt_tf_buffer_create(&tf, NULL, &r.tf), SNT_OK);
    snt_message_filter_config_init(&cfg, sizeof cfg);
    cfg.flags = SNT_FILTER_NOTIFIED; /* told, never looked for */
    assert_status(snt_message_filter_create(r.tf, &cfg, NULL, &r.filter), SNT_OK);
    snt_message_filter_set_target_named(r.filter, "odom");
    snt_tf_buffer_frame(r.tf, "odom", &r.odom);
    snt_tf_buffer_frame(r.tf, "base", &r.base);
    assert_int_equal(pthread_barrier_init(&r.barrier, NULL, 2), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, transforms, &r), 0);
    for (int i = 1; i <= r.rounds; i++) {
        snt_sample sample;
        snt_filter_release release;
        snt_tf_result results[2];
        snt_sample_init(&sample, i * 1000, 0, (uint64_t)i);
        pthread_barrier_wait(&r.barrier);
        assert_true(snt_message_filter_add(r.filter, &sample, r.base, SNT_UNKNOWN) >= 0);
        pthread_barrier_wait(&r.barrier);
        assert_status(snt_message_filter_poll(r.filter, SNT_UNKNOWN, SNT_UNKNOWN, &release, results, 2),
                      SNT_OK);
        assert_int_equal(release.sample.token, i);
        assert_status(snt_message_filter_poll(r.filter, SNT_UNKNOWN, SNT_UNKNOWN, &release, results, 2),
                      SNT_EMPTY);
    }
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&r.barrier);
    snt_message_filter_destroy(r.filter);
    snt_tf_buffer_destroy(r.tf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(several_threads_lose_and_double_nothing),
                                       cmocka_unit_test(no_wake_up_is_lost)};
    return cmocka_run_group_tests_name("threads_sync", tests, NULL, NULL);
}
