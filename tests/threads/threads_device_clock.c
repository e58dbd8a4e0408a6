/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver's receive thread, a ping thread, two stamping threads and one that reboots the device, all at once. */
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { PACKETS = 30000 };

static snt_device_clock *device;
static _Atomic int64_t now; /* host = device time, plus an hour for each session begun */
static _Atomic int done;
static _Atomic long total;

static int64_t host_of(uint32_t session, int64_t d)
{
    return d + (int64_t)session * INT64_C(3600000000000);
}

static void *receive(void *context)
{
    (void)context;
    for (int64_t n = 1; n <= PACKETS; n++) {
        const uint32_t session = snt_device_clock_session(device);
        const int64_t d = n * 1000000;
        atomic_store(&now, d);
        snt_device_clock_observe_arrival(device, session, (uint64_t)d, host_of(session, d) + 5000, NULL);
    }
    atomic_store(&done, 1);
    return NULL;
}

static void *ping(void *context)
{
    (void)context;
    while (!atomic_load(&done)) {
        const uint32_t session = snt_device_clock_session(device);
        const int64_t d = atomic_load(&now), t = host_of(session, d);
        snt_device_clock_observe_exchange(device, session, t - 4000, (uint64_t)d, (uint64_t)d, t + 4000,
                                          NULL);
    }
    return NULL;
}

static void *stamp(void *context)
{
    long stamped = 0, n = 0;
    (void)context;
    while (!atomic_load(&done)) {
        const uint32_t session = snt_device_clock_session(device);
        const int64_t d = atomic_load(&now) + ++n % 900; /* never the same twice in a row */
        snt_sample sample;
        if (snt_device_clock_stamp(device, session, (uint64_t)d, host_of(session, d) + 6000, 0, &sample) ==
            SNT_OK) {
            assert_int_equal(sample.session, session); /* an old session's packet never enters the new one */
            assert_true(llabs(sample.t0_ns - host_of(session, d)) < 1000000);
            stamped++;
        }
        snt_device_health h;
        assert_status(snt_device_clock_health(device, SNT_UNKNOWN, &h), SNT_OK);
        assert_int_equal(h.violations, 0);
    }
    printf("# %ld stamped\n", stamped);
    atomic_fetch_add(&total, stamped);
    return NULL;
}

static void *reboot(void *context)
{
    (void)context;
    while (!atomic_load(&done)) {
        const struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
        assert_status(snt_device_clock_notify(device, SNT_EPOCH_DEVICE_BOOT), SNT_OK);
    }
    return NULL;
}

static void all_calls_may_be_made_at_once(void **state)
{
    (void)state;
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.warm_observations = 2;
    cfg.reorder_ticks = 100000000;
    assert_status(snt_device_clock_create(&cfg, NULL, &device), SNT_OK);
    void *(*const work[])(void *) = {receive, ping, stamp, stamp, reboot};
    pthread_t threads[5];
    for (int i = 0; i < 5; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work[i], NULL), 0);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
    assert_true(total > 0);
    snt_device_clock_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_calls_may_be_made_at_once)};
    return cmocka_run_group_tests_name("threads_device_clock", tests, NULL, NULL);
}
