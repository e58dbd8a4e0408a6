/* SPDX-License-Identifier: BSD-3-Clause */
#include "bomb.h"

/* Create fails cleanly, and nothing allocates afterwards. */
static void synchronizer(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_synchronizer *sync;
    snt_sync_config cfg;
    snt_epoch *epoch;
    snt_epoch_create(NULL, &epoch);
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.epoch = epoch;
    BOMB_FOR_EACH_FAILURE(bomb, snt_synchronizer_create(&cfg, &bomb.allocator, &sync) == SNT_OK,
                          snt_synchronizer_destroy(sync));
    BOMB_INIT(bomb);
    assert_status(snt_synchronizer_create(&cfg, &bomb.allocator, &sync), SNT_OK);
    const long after_create = bomb.allocations;
    snt_sync_set set;
    snt_sync_member members[2];
    snt_sync_drop drop;
    uint32_t count;
    for (int i = 0; i < 1000; i++) {
        snt_sample sample;
        snt_sample_init(&sample, i / 2 * 10 + i % 7, 0, 0);
        snt_synchronizer_add(sync, (uint32_t)i & 1, &sample, i);
        while (snt_synchronizer_poll(sync, i, i, &set, members, 2) == SNT_OK)
            ;
        while (snt_synchronizer_poll_drops(sync, &drop, 1, &count) == SNT_OK)
            ;
    }
    assert_int_equal(bomb.allocations, after_create);
    snt_synchronizer_destroy(sync);
    snt_epoch_unref(epoch);
}

static void message_cache(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_message_cache *cache;
    BOMB_FOR_EACH_FAILURE(bomb, snt_message_cache_create(NULL, &bomb.allocator, &cache) == SNT_OK,
                          snt_message_cache_destroy(cache));
    BOMB_INIT(bomb);
    assert_status(snt_message_cache_create(NULL, &bomb.allocator, &cache), SNT_OK);
    const long after_create = bomb.allocations;
    for (int i = 0; i < 1000; i++) {
        snt_sample sample;
        snt_sample_init(&sample, i, 0, 0);
        assert_status(snt_message_cache_add(cache, &sample, NULL, NULL), SNT_OK);
    }
    assert_int_equal(bomb.allocations, after_create);
    snt_message_cache_destroy(cache);
}

static void time_sequencer(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_time_sequencer *sequencer;
    BOMB_FOR_EACH_FAILURE(bomb, snt_time_sequencer_create(NULL, &bomb.allocator, &sequencer) == SNT_OK,
                          snt_time_sequencer_destroy(sequencer));
}

static void message_filter(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_tf_buffer *tf;
    snt_message_filter *filter;
    assert_status(snt_tf_buffer_create(NULL, NULL, &tf), SNT_OK);
    BOMB_FOR_EACH_FAILURE(bomb, snt_message_filter_create(tf, NULL, &bomb.allocator, &filter) == SNT_OK,
                          snt_message_filter_destroy(filter));
    BOMB_INIT(bomb);
    assert_status(snt_message_filter_create(tf, NULL, &bomb.allocator, &filter), SNT_OK);
    const long after_create = bomb.allocations;
    snt_message_filter_set_target_named(filter, "map");
    snt_filter_release release;
    snt_filter_drop drop;
    snt_tf_result results[8];
    for (int i = 0; i < 1000; i++) {
        snt_sample sample;
        snt_sample_init(&sample, i, 0, 0);
        assert_true(snt_message_filter_add_named(filter, &sample, i % 2 ? "map" : "base", i) >= 0);
        while (snt_message_filter_poll(filter, i, i, &release, results, 8) == SNT_OK)
            ;
        while (snt_message_filter_poll_drop(filter, &drop) == SNT_OK)
            ;
    }
    assert_int_equal(bomb.allocations, after_create);
    snt_message_filter_destroy(filter);
    snt_tf_buffer_destroy(tf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(synchronizer), cmocka_unit_test(message_cache),
                                       cmocka_unit_test(time_sequencer), cmocka_unit_test(message_filter)};
    return cmocka_run_group_tests_name("oom_sync", tests, NULL, NULL);
}
