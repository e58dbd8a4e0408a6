/* SPDX-License-Identifier: BSD-3-Clause */
#include "bomb.h"

static void admission_log(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_admission_log *log;
    BOMB_FOR_EACH_FAILURE(bomb, snt_admission_log_create(100, &bomb.allocator, &log) == SNT_OK,
                          snt_admission_log_destroy(log));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(admission_log)};
    return cmocka_run_group_tests_name("oom_admission_log", tests, NULL, NULL);
}
