/* SPDX-License-Identifier: BSD-3-Clause */
#include "bomb.h"

static void create_survives_every_failing_allocation(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_tf_buffer *b = NULL;
    BOMB_FOR_EACH_FAILURE(bomb, snt_tf_buffer_create(NULL, &bomb.allocator, &b) == SNT_OK,
                          snt_tf_buffer_destroy(b));
}

static void paths_survive_and_nothing_else_allocates(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_tf_buffer *b;
    snt_tf_path *path;
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.max_frames = 8;
    cfg.max_samples = 512;
    cfg.samples_per_edge = 16;
    BOMB_INIT(bomb);
    assert_status(snt_tf_buffer_create(&cfg, &bomb.allocator, &b), SNT_OK);
    bomb.fail_at = bomb.allocations + 1;
    assert_status(snt_tf_buffer_path(b, "a", "b", &path), SNT_ERR_NO_MEMORY);
    assert_null(path);
    assert_status(snt_tf_buffer_path(b, "a", "b", &path), SNT_OK);
    const long before = bomb.allocations;
    snt_frame a, c;
    assert_status(snt_tf_buffer_find(b, "a", &a), SNT_OK);
    assert_status(snt_tf_buffer_find(b, "b", &c), SNT_OK);
    for (int i = 0; i < 1000; i++) { /* appends, replacements, late samples, lookups, dumps, removals */
        snt_tf_transform in;
        snt_tf_result r;
        snt_tf_miss miss;
        char text[256];
        snt_tf_transform_init(&in, a, c, 1000 + i * 10 - (i % 3) * 17);
        in.pose.t[0] = i;
        (void)snt_tf_buffer_insert(b, &in, NULL);
        (void)snt_tf_path_lookup(path, 1000 + i * 10, &r, &miss);
        (void)snt_tf_miss_format(b, &miss, text, sizeof text);
        (void)snt_tf_buffer_dump_json(b, text, sizeof text);
        if (i % 100 == 99) {
            assert_status(snt_tf_buffer_remove_frame(b, c), SNT_OK);
            assert_status(snt_tf_buffer_frame(b, "b", &c), SNT_OK);
            (void)snt_tf_path_refresh(path);
        }
    }
    assert_int_equal(bomb.allocations, before);
    snt_tf_path_destroy(path);
    snt_tf_buffer_destroy(b);
    assert_int_equal(bomb.outstanding, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_survives_every_failing_allocation),
        cmocka_unit_test(paths_survive_and_nothing_else_allocates),
    };
    return cmocka_run_group_tests_name("oom_tf_buffer", tests, NULL, NULL);
}
