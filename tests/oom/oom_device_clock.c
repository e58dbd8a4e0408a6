/* SPDX-License-Identifier: BSD-3-Clause */
#include "bomb.h"

static void device_clock(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_device_clock *clock;
    BOMB_FOR_EACH_FAILURE(bomb, snt_device_clock_create(NULL, &bomb.allocator, &clock) == SNT_OK,
                          snt_device_clock_destroy(clock));
}

static void feeding_stamping_and_restarting_do_not_allocate(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_device_clock *clock;
    BOMB_INIT(bomb);
    assert_status(snt_device_clock_create(NULL, &bomb.allocator, &clock), SNT_OK);
    const long made = bomb.allocations;
    snt_sample sample;
    for (int64_t n = 0; n < 300; n++) {
        if (n % 100 == 99)
            snt_device_clock_notify(clock, SNT_EPOCH_DEVICE_BOOT);
        snt_device_clock_observe_arrival(clock, 0, (uint64_t)(n * 1000000), n * 1000000 + 50, NULL);
        snt_device_clock_stamp(clock, 0, (uint64_t)(n * 1000000), n * 1000000 + 50, 0, &sample);
    }
    assert_int_equal(snt_device_clock_session(clock), 4);
    assert_int_equal(bomb.allocations, made);
    snt_device_clock_destroy(clock);
    assert_int_equal(bomb.outstanding, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(device_clock),
                                       cmocka_unit_test(feeding_stamping_and_restarting_do_not_allocate)};
    return cmocka_run_group_tests_name("oom_device_clock", tests, NULL, NULL);
}
