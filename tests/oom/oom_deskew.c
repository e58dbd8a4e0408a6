/* SPDX-License-Identifier: BSD-3-Clause */
#include "bomb.h"

static void deskew(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_deskew *plan;
    BOMB_FOR_EACH_FAILURE(bomb, snt_deskew_create(NULL, &bomb.allocator, &plan) == SNT_OK,
                          snt_deskew_destroy(plan));
}

static void imu_buffer(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_imu_buffer *imu;
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    snt_imu_buffer_config config;
    snt_imu_buffer_config_init(&config, sizeof config);
    config.epoch = epoch;
    BOMB_FOR_EACH_FAILURE(bomb, snt_imu_buffer_create(&config, &bomb.allocator, &imu) == SNT_OK,
                          snt_imu_buffer_destroy(imu));
    snt_epoch_unref(epoch);
}

/* Scan after scan: rebuilding and applying takes no memory. */
static void nothing_allocates_after_create(void **state)
{
    (void)state;
    test_bomb bomb;
    snt_deskew *plan;
    snt_imu_buffer *imu;
    BOMB_INIT(bomb);
    assert_status(snt_deskew_create(NULL, &bomb.allocator, &plan), SNT_OK);
    assert_status(snt_imu_buffer_create(NULL, &bomb.allocator, &imu), SNT_OK);
    const long before = bomb.allocations;
    for (int i = 0; i <= 100; i++) {
        const snt_imu_sample sample = {.stamp_ns = i * SNT_NS_PER_MS, .rate = {0, 0, 1}};
        assert_status(snt_imu_buffer_insert(imu, &sample), SNT_OK);
    }
    float xyz[300][3] = {{0}};
    double t[300];
    for (int i = 0; i < 300; i++)
        t[i] = i * 1e-4;
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 300), SNT_OK);
    assert_status(
        snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 0, 0),
        SNT_OK);
    const snt_twist twist = {{1, 2, 3}, {4, 5, 6}};
    for (int round = 0; round < 10; round++) {
        snt_deskew_scan scan;
        snt_deskew_scan_init(&scan, sizeof scan);
        assert_status(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &scan, NULL), SNT_OK);
        const snt_status status = round % 2 ? snt_deskew_plan_imu(plan, &scan, imu, NULL)
                                            : snt_deskew_plan_twist(plan, &scan, &twist);
        assert_status(status, SNT_OK);
        assert_status(snt_deskew_apply(plan, &cloud, &cloud, NULL), SNT_OK);
    }
    assert_int_equal(bomb.allocations, before);
    uint64_t size;
    assert_status(snt_deskew_size(NULL, &size), SNT_OK);
    assert_true(size > 0);
    snt_deskew_destroy(plan);
    snt_imu_buffer_destroy(imu);
    assert_int_equal(bomb.outstanding, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deskew), cmocka_unit_test(imu_buffer),
                                       cmocka_unit_test(nothing_allocates_after_create)};
    return cmocka_run_group_tests_name("oom_deskew", tests, NULL, NULL);
}
