/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { CHANGES = 4000, READERS = 3, WRITERS = 2, DEVICE = 70, HOST = 71, MIDDLE = 72 };

static snt_clock_graph *graph;
static atomic_int writing;

/*
 * Each version of the graph has a fact and two offsets that belong together: the fact says offset n, and both ways around
 * agree only within one version. A reader that mixed two versions would see a conflict.
 */
static void *change(void *unused)
{
    (void)unused;
    for (int64_t n = 1; n <= CHANGES; n++) {
        const snt_clock_fact fact = {.from = DEVICE,
                                     .to = HOST,
                                     .offset_ns = n * SNT_NS_PER_S,
                                     .error_ns = n,
                                     .valid_from = -n,
                                     .valid_until = n};
        snt_status status;
        do
            status = snt_clock_graph_update_fact(graph, 1, &fact);
        while (status == SNT_BUSY);
        assert_status(status, SNT_OK);
        uint32_t edge;
        if (n % 16 == 0 && snt_clock_graph_add_offset(graph, HOST, MIDDLE, 5, 0, &edge) == SNT_OK)
            while (snt_clock_graph_remove(graph, edge) == SNT_BUSY)
                ;
    }
    atomic_fetch_sub(&writing, 1);
    return NULL;
}

static void *ask(void *unused)
{
    long answers = 0;
    (void)unused;
    snt_bounded_time in;
    assert_status(snt_bounded_time_init(0, 0, 0, DEVICE, 0, &in), SNT_OK);
    while (atomic_load(&writing) || answers == 0) {
        snt_bounded_time out;
        const snt_status status = snt_clock_graph_convert(graph, &in, HOST, &out, NULL);
        if (status == SNT_BUSY)
            continue;
        assert_status(status, SNT_OK);
        assert_i64_equal(out.t,
                         (out.hi - out.t) * SNT_NS_PER_S); /* offset and error of one and the same fact */
        assert_i64_equal(out.t - out.lo, out.hi - out.t);
        answers++;
        snt_clock_edge edges[8];
        uint32_t count;
        if (snt_clock_graph_edges(graph, edges, 8, &count) == SNT_OK)
            assert_true(count >= 1 && count <= 1 + WRITERS && edges[0].edge == 1);
    }
    return NULL;
}

static void readers_never_see_half_a_change(void **state)
{
    (void)state;
    pthread_t threads[READERS + WRITERS];
    snt_clock_graph_config cfg;
    snt_clock_graph_config_init(&cfg, sizeof cfg);
    cfg.without_scales = 1;
    assert_status(snt_clock_graph_create(&cfg, NULL, &graph), SNT_OK);
    const snt_clock_fact first = {.from = DEVICE, .to = HOST};
    assert_status(snt_clock_graph_add_fact(graph, &first, NULL), SNT_OK);
    atomic_store(&writing, WRITERS);
    for (int i = 0; i < READERS + WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < WRITERS ? change : ask, NULL), 0);
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_join(threads[i], NULL);
    snt_clock_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(readers_never_see_half_a_change)};
    return cmocka_run_group_tests_name("threads_clock_graph", tests, NULL, NULL);
}
