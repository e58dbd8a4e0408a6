/* SPDX-License-Identifier: BSD-3-Clause */
#include "bomb.h"

static void clock_source(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_clock_source_config cfg;
    snt_clock_source *source;
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    snt_clock_source_config_init(&cfg, sizeof cfg);
    cfg.kind = SNT_SOURCE_SIMULATED;
    cfg.epoch = epoch;
    BOMB_FOR_EACH_FAILURE(bomb, snt_clock_source_create(&cfg, &bomb.allocator, &source) == SNT_OK,
                          snt_clock_source_destroy(source));
    snt_epoch_unref(epoch); /* the last reference, or the sanitizer finds the leak */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clock_source)};
    return cmocka_run_group_tests_name("oom_clock_source", tests, NULL, NULL);
}
