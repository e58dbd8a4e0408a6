/* SPDX-License-Identifier: BSD-3-Clause */
#include "bomb.h"

static void clock_map(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_clock_map *map;
    BOMB_FOR_EACH_FAILURE(bomb, snt_clock_map_create(NULL, &bomb.allocator, &map) == SNT_OK,
                          snt_clock_map_destroy(map));
}

/* Nothing allocates after create: a bomb that fails everything from now on is never asked. */
static void feeding_and_asking_do_not_allocate(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_clock_map *map;
    BOMB_INIT(bomb);
    assert_status(snt_clock_map_create(NULL, &bomb.allocator, &map), SNT_OK);
    const long made = bomb.allocations;
    snt_bounded_time t;
    snt_clock_mapping m;
    for (int64_t n = 0; n < 200; n++) {
        assert_status(snt_clock_map_observe_cross(map, 0, n * 1000000, n * 1000000, n * 1000000 + 50, NULL),
                      SNT_OK);
        snt_clock_map_to_host(map, n * 1000000, &t);
    }
    assert_status(snt_clock_map_export(map, 0, &m), SNT_OK);
    assert_status(snt_clock_map_invalidate(map, SNT_EPOCH_USER), SNT_OK);
    assert_status(snt_clock_map_restart(map, SNT_EPOCH_USER, NULL), SNT_OK);
    assert_status(snt_clock_map_restore(map, &m), SNT_OK);
    assert_int_equal(bomb.allocations, made);
    snt_clock_map_destroy(map);
    assert_int_equal(bomb.outstanding, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clock_map),
                                       cmocka_unit_test(feeding_and_asking_do_not_allocate)};
    return cmocka_run_group_tests_name("oom_clock_map", tests, NULL, NULL);
}
