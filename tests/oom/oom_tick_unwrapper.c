/* SPDX-License-Identifier: BSD-3-Clause */
#include "bomb.h"

static void tick_unwrapper(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_tick_unwrapper *u;
    BOMB_FOR_EACH_FAILURE(bomb, snt_tick_unwrapper_create(NULL, &bomb.allocator, &u) == SNT_OK,
                          snt_tick_unwrapper_destroy(u));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tick_unwrapper)};
    return cmocka_run_group_tests_name("oom_tick_unwrapper", tests, NULL, NULL);
}
