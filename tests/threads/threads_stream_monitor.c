/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <pthread.h>

enum { MESSAGES = 20000, WRITERS = 3 };

/* Each writer's messages carry one stamp rate; together they are a stream of three publishers. */
static void *write_messages(void *monitor)
{
    for (int i = 0; i < MESSAGES; i++) {
        const snt_stream_message m = {.stamp_ns = INT64_C(1700000000000000000) + i * SNT_NS_PER_MS,
                                      .log_ns = INT64_C(1700000000000000000) + i * SNT_NS_PER_MS + 1000,
                                      .size_bytes = 10,
                                      .sequence = (uint64_t)i,
                                      .content = (uint64_t)i,
                                      .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG |
                                               SNT_STREAM_HAS_SEQUENCE | SNT_STREAM_HAS_CONTENT};
        assert_status(snt_stream_monitor_add(monitor, &m), SNT_OK);
    }
    return NULL;
}

static void *read_all(void *monitor)
{
    uint64_t last = 0;
    for (int i = 0; i < 2000; i++) {
        snt_stream_report report;
        snt_stream_event event;
        snt_finding findings[32];
        uint32_t count;
        assert_status(snt_stream_monitor_report(monitor, &report), SNT_OK);
        assert_true(report.messages >= last); /* a report is of one moment */
        assert_int_equal(report.bytes, 10 * report.messages);
        assert_int_equal(report.stamps.steps,
                         report.stamps.forward + report.stamps.equal + report.stamps.backward);
        assert_int_equal(report.delay.count, report.messages);
        last = report.messages;
        assert_status(snt_stream_monitor_findings(monitor, findings, 32, &count), SNT_OK);
        snt_stream_monitor_poll(monitor, INT64_C(1700000000000000000));
        while (snt_stream_monitor_next_event(monitor, &event) == SNT_OK)
            ;
    }
    return NULL;
}

static void writers_and_readers_share_a_monitor(void **state)
{
    (void)state;
    snt_stream_monitor *monitor;
    pthread_t threads[WRITERS + 2];
    assert_status(snt_stream_monitor_create(NULL, NULL, &monitor), SNT_OK);
    for (int i = 0; i < WRITERS + 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < WRITERS ? write_messages : read_all, monitor),
                         0);
    for (int i = 0; i < WRITERS + 2; i++)
        pthread_join(threads[i], NULL);
    snt_stream_report report;
    assert_status(snt_stream_monitor_report(monitor, &report), SNT_OK);
    assert_int_equal(report.messages, WRITERS * MESSAGES);
    assert_int_equal(report.stamps.steps, WRITERS * MESSAGES - 1);
    snt_stream_monitor_destroy(monitor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writers_and_readers_share_a_monitor)};
    return cmocka_run_group_tests_name("threads_stream_monitor", tests, NULL, NULL);
}
