/* SPDX-License-Identifier: BSD-3-Clause */
#include "bomb.h"

static void clock_graph(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_clock_graph *graph;
    BOMB_FOR_EACH_FAILURE(bomb, snt_clock_graph_create(NULL, &bomb.allocator, &graph) == SNT_OK,
                          snt_clock_graph_destroy(graph));
}

static void nothing_is_allocated_after_create(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_clock_graph *graph;
    BOMB_INIT(bomb);
    assert_status(snt_clock_graph_create(NULL, &bomb.allocator, &graph), SNT_OK);
    const long made = bomb.allocations;
    for (uint32_t i = 0; i < 30; i++)
        assert_status(snt_clock_graph_add_offset(graph, 64 + i, 65 + i, 1, 1, NULL), SNT_OK);
    snt_bounded_time x;
    assert_status(snt_bounded_time_init(0, 1, 1, 64, 0, &x), SNT_OK);
    assert_status(snt_clock_graph_convert(graph, &x, 70, &x, NULL), SNT_OK);
    assert_int_equal(bomb.allocations, made);
    snt_clock_graph_destroy(graph);
    assert_int_equal(bomb.outstanding, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clock_graph),
                                       cmocka_unit_test(nothing_is_allocated_after_create)};
    return cmocka_run_group_tests_name("oom_clock_graph", tests, NULL, NULL);
}
