/* SPDX-License-Identifier: BSD-3-Clause */
#include "bomb.h"

static void stream_monitor(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_stream_monitor *monitor;
    BOMB_FOR_EACH_FAILURE(bomb, snt_stream_monitor_create(NULL, &bomb.allocator, &monitor) == SNT_OK,
                          snt_stream_monitor_destroy(monitor));
}

static void scan_auditor(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_scan_auditor *auditor;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.scratch_points = 1024;
    BOMB_FOR_EACH_FAILURE(bomb, snt_scan_auditor_create(&config, &bomb.allocator, &auditor) == SNT_OK,
                          snt_scan_auditor_destroy(auditor));
}

/* All is taken at create: feeding, judging and reporting make no further allocation. */
static void nothing_is_allocated_after_create(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_stream_monitor *monitor;
    snt_scan_auditor *auditor;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.scratch_points = 1024;
    BOMB_INIT(bomb);
    assert_status(snt_stream_monitor_create(NULL, &bomb.allocator, &monitor), SNT_OK);
    assert_status(snt_scan_auditor_create(&config, &bomb.allocator, &auditor), SNT_OK);
    const long made = bomb.allocations;
    static uint32_t times[3000];
    test_rng rng = {1};
    for (int i = 0; i < 300; i++) {
        const int64_t stamp = INT64_C(1700000000) * SNT_NS_PER_S + i * 100 * SNT_NS_PER_MS;
        const snt_stream_message m = {.stamp_ns = stamp - rng_int(&rng, 0, 900 * SNT_NS_PER_MS),
                                      .log_ns = stamp,
                                      .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG};
        assert_status(snt_stream_monitor_add(monitor, &m), SNT_OK);
        snt_cloud cloud;
        snt_cloud_init(&cloud);
        for (uint32_t k = 0; k < 3000; k++)
            times[k] = (uint32_t)rng_below(&rng, 100000000);
        cloud.count = i % 2 ? 3000 : 900;
        assert_status(snt_cloud_set_times(&cloud, times, 0, SNT_TYPE_U32, SNT_TIME_UNIT_NS,
                                          SNT_TIME_REF_RELATIVE, stamp, 0),
                      SNT_OK);
        const snt_scan_input input = {.header_ns = stamp, .receive_ns = stamp};
        assert_status(snt_scan_auditor_add_scan(auditor, &input, &cloud), SNT_OK);
        assert_status(snt_scan_auditor_add_imu(auditor, stamp), SNT_OK);
    }
    snt_finding findings[32];
    uint32_t count;
    snt_scan_report report;
    assert_status(snt_stream_monitor_findings(monitor, findings, 32, &count), SNT_OK);
    assert_status(snt_scan_auditor_finish(auditor), SNT_OK);
    while (snt_scan_auditor_next(auditor, &report) == SNT_OK)
        ;
    assert_status(snt_scan_auditor_findings(auditor, findings, 32, &count), SNT_OK);
    assert_int_equal(bomb.allocations, made);
    snt_stream_monitor_destroy(monitor);
    snt_scan_auditor_destroy(auditor);
    assert_int_equal(bomb.outstanding, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_monitor),
        cmocka_unit_test(scan_auditor),
        cmocka_unit_test(nothing_is_allocated_after_create),
    };
    return cmocka_run_group_tests_name("oom_audit", tests, NULL, NULL);
}
