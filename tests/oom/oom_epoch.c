/* SPDX-License-Identifier: BSD-3-Clause */
#include "bomb.h"

static void epoch(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_epoch *epoch;
    BOMB_FOR_EACH_FAILURE(bomb, snt_epoch_create(&bomb.allocator, &epoch) == SNT_OK, snt_epoch_unref(epoch));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(epoch)};
    return cmocka_run_group_tests_name("oom_epoch", tests, NULL, NULL);
}
