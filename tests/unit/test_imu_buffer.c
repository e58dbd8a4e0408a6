/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#define MS SNT_NS_PER_MS

static snt_imu_sample sample_at(snt_time t, double wz)
{
    return (snt_imu_sample){.stamp_ns = t, .rate = {0, 0, wz}};
}

static void fill(snt_imu_buffer *imu, snt_time from, snt_time to, snt_duration step)
{
    for (snt_time t = from; t <= to; t += step) {
        const snt_imu_sample sample = sample_at(t, 1e-9 * (double)t);
        assert_status(snt_imu_buffer_insert(imu, &sample), SNT_OK);
    }
}

static snt_imu_buffer *make(uint32_t capacity)
{
    snt_imu_buffer_config config;
    snt_imu_buffer_config_init(&config, sizeof config);
    config.capacity = capacity;
    snt_imu_buffer *imu;
    assert_status(snt_imu_buffer_create(&config, NULL, &imu), SNT_OK);
    return imu;
}

static void margins_are_those_of_the_article(void **state)
{
    (void)state; /* scan 10.000–10.100, IMU 9.995–10.105, and one that ends at 10.080 */
    snt_imu_buffer *imu = make(100);
    snt_imu_margins m;
    assert_status(snt_imu_buffer_margins(imu, 10000 * MS, 10100 * MS, &m), SNT_EMPTY);
    assert_i64_equal(m.start_ns, SNT_UNKNOWN);
    fill(imu, 9995 * MS, 10080 * MS, 5 * MS);
    assert_status(snt_imu_buffer_margins(imu, 10000 * MS, 10100 * MS, &m), SNT_OK);
    assert_i64_equal(m.start_ns, 5 * MS);
    assert_i64_equal(m.end_ns, -20 * MS);
    assert_int_equal(m.inside, 17);
    assert_i64_equal(m.max_gap_ns, 5 * MS);
    fill(imu, 10085 * MS, 10105 * MS, 5 * MS);
    assert_status(snt_imu_buffer_margins(imu, 10000 * MS, 10100 * MS, &m), SNT_OK);
    assert_i64_equal(m.end_ns, 5 * MS);
    assert_int_equal(m.inside, 21);
    assert_int_equal(m.count, 23);
    assert_i64_equal(m.oldest_ns, 9995 * MS);
    assert_i64_equal(m.newest_ns, 10105 * MS);
    assert_status(snt_imu_buffer_margins(imu, 10, 5, &m), SNT_ERR_INVALID_ARG);
    snt_imu_buffer_destroy(imu);
}

static void a_gap_counts_where_it_reaches_into_the_interval(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make(100);
    fill(imu, 0, 10 * MS, 5 * MS);
    fill(imu, 50 * MS, 60 * MS, 5 * MS);
    snt_imu_margins m;
    assert_status(snt_imu_buffer_margins(imu, 20 * MS, 30 * MS, &m), SNT_OK);
    assert_i64_equal(m.max_gap_ns, 40 * MS);
    assert_int_equal(m.inside, 0);
    assert_status(snt_imu_buffer_margins(imu, 51 * MS, 59 * MS, &m), SNT_OK);
    assert_i64_equal(m.max_gap_ns, 5 * MS);
    assert_status(snt_imu_buffer_margins(imu, 0, 9 * MS, &m), SNT_OK);
    assert_i64_equal(m.max_gap_ns, 5 * MS);
    snt_imu_buffer_destroy(imu);
}

static void late_samples_find_their_place(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make(64);
    test_rng rng = rng_from_env();
    int order[60];
    for (int i = 0; i < 60; i++)
        order[i] = i;
    for (int i = 59; i > 0; i--) { /* shuffled by up to six places */
        const int j = i - (int)rng_below(&rng, i < 6 ? (uint64_t)i + 1 : 6), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (int i = 0; i < 60; i++) {
        const snt_imu_sample sample = sample_at(order[i] * MS, order[i]);
        assert_status(snt_imu_buffer_insert(imu, &sample), SNT_OK);
    }
    snt_imu_sample out[64];
    uint64_t n;
    assert_status(snt_imu_buffer_copy(imu, 0, 1000 * MS, out, 64, &n), SNT_OK);
    assert_int_equal(n, 60);
    for (int i = 0; i < 60; i++)
        assert_true(out[i].stamp_ns == i * MS && out[i].rate[2] == i);
    snt_imu_buffer_destroy(imu);
}

static void what_cannot_be_taken_is_refused_and_counted(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make(4);
    fill(imu, 0, 500 * MS, 100 * MS); /* the last four stay */
    snt_imu_sample sample = sample_at(500 * MS, 9);
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_ERR_DUPLICATE);
    sample.stamp_ns = 399 * MS;
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_ERR_BACKWARD);
    sample.stamp_ns = 450 * MS;
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_OK);
    sample.stamp_ns = 600 * MS;
    sample.rate[1] = (double)NAN;
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_ERR_NON_FINITE);
    sample.rate[1] = 0;
    sample.acceleration[0] = (double)INFINITY; /* no measurement: not looked at */
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_OK);
    sample.stamp_ns = 700 * MS;
    sample.flags = SNT_IMU_HAS_ACCELERATION;
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_ERR_NON_FINITE);
    sample.flags = 8;
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_ERR_INVALID_ARG);
    snt_imu_counters c;
    assert_status(snt_imu_buffer_counters(imu, &c), SNT_OK);
    assert_int_equal(c.inserted, 8);
    assert_int_equal(c.late, 1);
    assert_int_equal(c.duplicate, 1);
    assert_int_equal(c.backward, 1);
    assert_int_equal(c.non_finite, 2);
    assert_int_equal(c.evicted, 4);
    snt_imu_margins m;
    assert_status(snt_imu_buffer_margins(imu, 0, 1, &m), SNT_OK);
    assert_int_equal(m.count, 4);
    assert_i64_equal(m.oldest_ns, 400 * MS);
    snt_imu_buffer_destroy(imu);
}

static void the_oldest_place_of_a_full_buffer_is_no_place(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make(4);
    fill(imu, 0, 30 * MS, 10 * MS);
    snt_imu_sample sample = sample_at(-5 * MS, 0);
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_ERR_BACKWARD);
    sample.stamp_ns = 5 * MS;
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_OK);
    snt_imu_sample out[4];
    uint64_t n;
    assert_status(snt_imu_buffer_copy(imu, 0, 100 * MS, out, 4, &n), SNT_OK);
    assert_true(n == 4 && out[0].stamp_ns == 5 * MS && out[1].stamp_ns == 10 * MS &&
                out[3].stamp_ns == 30 * MS);
    snt_imu_buffer_destroy(imu);
}

static void a_copy_reaches_over_both_ends_of_the_interval(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make(64);
    fill(imu, 0, 100 * MS, 10 * MS);
    snt_imu_sample out[64];
    uint64_t n;
    assert_status(snt_imu_buffer_copy(imu, 25 * MS, 45 * MS, out, 64, &n), SNT_OK);
    assert_true(n == 4 && out[0].stamp_ns == 20 * MS && out[3].stamp_ns == 50 * MS);
    assert_status(snt_imu_buffer_copy(imu, 30 * MS, 40 * MS, out, 64, &n), SNT_OK);
    assert_true(n == 2 && out[0].stamp_ns == 30 * MS && out[1].stamp_ns == 40 * MS);
    assert_status(snt_imu_buffer_copy(imu, 0, 100 * MS, NULL, 0, &n), SNT_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(n, 11);
    snt_imu_buffer_clear(imu);
    assert_status(snt_imu_buffer_copy(imu, 0, 100 * MS, out, 64, &n), SNT_EMPTY);
    snt_imu_buffer_destroy(imu);
}

static void a_new_session_forgets_the_old_samples(void **state)
{
    (void)state;
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    snt_imu_buffer_config config;
    snt_imu_buffer_config_init(&config, sizeof config);
    config.epoch = epoch;
    snt_imu_buffer *imu;
    assert_status(snt_imu_buffer_create(&config, NULL, &imu), SNT_OK);
    fill(imu, 1000 * MS, 1100 * MS, 10 * MS);
    snt_epoch_bump(epoch, SNT_EPOCH_REPLAY_SEEK);
    snt_imu_margins m;
    assert_status(snt_imu_buffer_margins(imu, 1000 * MS, 1100 * MS, &m), SNT_EMPTY);
    assert_int_equal(m.session, 2);
    fill(imu, 0, 50 * MS, 10 * MS); /* time starts over: not late, new */
    assert_status(snt_imu_buffer_margins(imu, 0, 50 * MS, &m), SNT_OK);
    assert_int_equal(m.count, 6);
    snt_imu_counters counters;
    assert_status(snt_imu_buffer_counters(imu, &counters), SNT_OK);
    assert_int_equal(counters.resets, 1);
    snt_imu_buffer_destroy(imu);
    snt_epoch_unref(epoch);
}

static void configs_and_biases_are_checked(void **state)
{
    (void)state;
    snt_imu_buffer *imu;
    snt_imu_buffer_config config;
    snt_imu_buffer_config_init(&config, sizeof config);
    config.capacity = 1;
    assert_status(snt_imu_buffer_create(&config, NULL, &imu), SNT_ERR_INVALID_ARG);
    assert_null(imu);
    snt_imu_buffer_config_init(&config, sizeof config);
    const snt_pose identity = {{0, 0, 0, 1}, {0, 0, 0}};
    assert_memory_equal(&config.T_body_imu, &identity, sizeof identity);
    config.T_body_imu.q[3] = 3;
    assert_status(snt_imu_buffer_create(&config, NULL, &imu), SNT_ERR_BAD_QUATERNION);
    config.T_body_imu.q[3] = 1.01; /* norm² 2 % too long: more than rounding */
    assert_status(snt_imu_buffer_create(&config, NULL, &imu), SNT_ERR_BAD_QUATERNION);
    imu = make(4);
    const double nan[3] = {0, (double)NAN, 0}, fine[3] = {0.1, 0.2, 0.3};
    assert_status(snt_imu_buffer_set_bias(imu, nan, NULL), SNT_ERR_NON_FINITE);
    assert_status(snt_imu_buffer_set_bias(imu, fine, fine), SNT_OK);
    assert_status(snt_imu_buffer_set_bias(imu, NULL, NULL), SNT_OK);
    assert_status(snt_imu_buffer_set_bias(NULL, NULL, NULL), SNT_ERR_INVALID_ARG);
    snt_imu_buffer_destroy(imu);
    snt_imu_buffer_destroy(NULL);
}

static void of_many_samples_the_bad_ones_do_not_keep_the_others_out(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make(16);
    snt_imu_sample many[5] = {sample_at(0, 1), sample_at(10, 2), sample_at(10, 3), sample_at(20, (double)NAN),
                              sample_at(5, 4)};
    snt_status statuses[5];
    assert_status(snt_imu_buffer_insert_many(imu, many, 5, statuses), SNT_ERR_DUPLICATE);
    const snt_status expected[5] = {SNT_OK, SNT_OK, SNT_ERR_DUPLICATE, SNT_ERR_NON_FINITE, SNT_OK};
    assert_memory_equal(statuses, expected, sizeof expected);
    snt_imu_sample out[16];
    uint64_t n;
    assert_status(snt_imu_buffer_copy(imu, 0, 100, out, 16, &n), SNT_OK);
    assert_true(n == 3 && out[1].stamp_ns == 5 && out[1].rate[2] == 4);
    many[0].flags = 8;
    assert_status(snt_imu_buffer_insert_many(imu, many, 1, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_imu_buffer_insert_many(imu, NULL, 0, NULL), SNT_OK);
    assert_status(snt_imu_buffer_insert_many(imu, NULL, 1, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_imu_buffer_insert_many(NULL, many, 1, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_imu_buffer_insert(imu, NULL), SNT_ERR_INVALID_ARG);
    snt_imu_buffer_destroy(imu);
}

static void the_first_sample_has_no_double_either(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make(8);
    fill(imu, 10 * MS, 30 * MS, 10 * MS);
    snt_imu_sample again = sample_at(10 * MS, 5);
    assert_status(snt_imu_buffer_insert(imu, &again), SNT_ERR_DUPLICATE);
    snt_imu_counters counters;
    assert_status(snt_imu_buffer_counters(imu, &counters), SNT_OK);
    assert_int_equal(counters.duplicate, 1);
    assert_int_equal(counters.inserted, 3);
    assert_int_equal(counters.resets, 0);
    snt_imu_buffer_clear(imu);
    snt_imu_buffer_clear(imu);
    assert_status(snt_imu_buffer_counters(imu, &counters), SNT_OK);
    assert_int_equal(counters.resets, 2);
    snt_imu_buffer_destroy(imu);
}

static void the_reorder_window_ends_where_it_is_said_to(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make(8); /* 100 ms */
    fill(imu, 500 * MS, 500 * MS, MS);
    snt_imu_sample sample = sample_at(400 * MS, 0);
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_OK);
    sample.stamp_ns = 400 * MS - 1;
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_ERR_BACKWARD);
    snt_imu_buffer_destroy(imu);
}

static void intervals_end_at_samples(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make(16);
    fill(imu, 10 * MS, 30 * MS, 10 * MS);
    fill(imu, 90 * MS, 90 * MS, MS);
    snt_imu_margins m;
    assert_status(snt_imu_buffer_margins(imu, 10 * MS, 30 * MS, &m), SNT_OK);
    assert_int_equal(m.inside, 3);
    assert_i64_equal(m.max_gap_ns, 10 * MS); /* the long one only begins at the end */
    assert_status(snt_imu_buffer_margins(imu, 10 * MS, 30 * MS + 1, &m), SNT_OK);
    assert_i64_equal(m.max_gap_ns, 60 * MS);
    assert_status(snt_imu_buffer_margins(imu, INT64_MIN, INT64_MIN, &m), SNT_OK);
    assert_int_equal(m.inside, 0);
    assert_status(snt_imu_buffer_margins(imu, INT64_MIN, 30 * MS, &m), SNT_OK);
    assert_int_equal(m.inside, 3);
    uint64_t n = 0;
    snt_imu_sample out[16];
    assert_status(snt_imu_buffer_copy(imu, 20 * MS, 30 * MS, out, 16, &n), SNT_OK);
    assert_int_equal(n, 2); /* both ends are samples: none beyond */
    assert_status(snt_imu_buffer_copy(imu, 20 * MS, 30 * MS + 1, out, 16, &n), SNT_OK);
    assert_int_equal(n, 3);
    assert_status(snt_imu_buffer_copy(imu, 20 * MS, 20 * MS, out, 16, &n), SNT_OK);
    assert_int_equal(n, 1);
    assert_i64_equal(out[0].stamp_ns, 20 * MS);
    assert_status(snt_imu_buffer_copy(imu, INT64_MIN, INT64_MIN, out, 16, &n), SNT_OK);
    assert_int_equal(n, 1); /* the first at or after the end */
    snt_imu_buffer_destroy(imu);
}

static void each_argument_is_asked_for(void **state)
{
    (void)state;
    snt_imu_buffer *imu = make(8);
    fill(imu, 10 * MS, 30 * MS, 10 * MS);
    snt_imu_margins m;
    snt_imu_sample out[8];
    uint64_t n = 0;
    const snt_status bad = SNT_ERR_INVALID_ARG;
    assert_status(snt_imu_buffer_margins(NULL, 0, 1, &m), bad);
    assert_status(snt_imu_buffer_margins(imu, 0, 1, NULL), bad);
    assert_status(snt_imu_buffer_copy(NULL, 0, 1, out, 8, &n), bad);
    assert_status(snt_imu_buffer_copy(imu, 0, 1, out, 8, NULL), bad);
    assert_status(snt_imu_buffer_copy(imu, 0, 1, NULL, 8, &n), bad);
    assert_status(snt_imu_buffer_copy(imu, 2, 1, out, 8, &n), bad);
    assert_status(snt_imu_buffer_counters(imu, NULL), bad);
    assert_status(snt_imu_buffer_counters(NULL, &(snt_imu_counters){0}), bad);
    snt_imu_buffer_destroy(imu);
}

static void the_least_and_the_greatest_settings_are_taken(void **state)
{
    (void)state;
    snt_imu_buffer_config config;
    snt_imu_buffer *imu;
    snt_imu_buffer_config_init(&config, sizeof config);
    config.capacity = 1;
    assert_status(snt_imu_buffer_create(&config, NULL, &imu), SNT_ERR_INVALID_ARG);
    config.capacity = (UINT32_C(1) << 24) + 1;
    assert_status(snt_imu_buffer_create(&config, NULL, &imu), SNT_ERR_INVALID_ARG);
    config.capacity = 2;
    config.reorder_ns = -1;
    assert_status(snt_imu_buffer_create(&config, NULL, &imu), SNT_ERR_INVALID_ARG);
    config.reorder_ns = 0;
    assert_status(snt_imu_buffer_create(&config, NULL, &imu), SNT_OK);
    snt_imu_sample sample = sample_at(7, 0);
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_OK);
    sample.stamp_ns = 6;
    assert_status(snt_imu_buffer_insert(imu, &sample), SNT_ERR_BACKWARD);
    snt_imu_buffer_destroy(imu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_are_those_of_the_article),
        cmocka_unit_test(a_gap_counts_where_it_reaches_into_the_interval),
        cmocka_unit_test(late_samples_find_their_place),
        cmocka_unit_test(what_cannot_be_taken_is_refused_and_counted),
        cmocka_unit_test(the_oldest_place_of_a_full_buffer_is_no_place),
        cmocka_unit_test(a_copy_reaches_over_both_ends_of_the_interval),
        cmocka_unit_test(a_new_session_forgets_the_old_samples),
        cmocka_unit_test(configs_and_biases_are_checked),
        cmocka_unit_test(the_first_sample_has_no_double_either),
        cmocka_unit_test(the_reorder_window_ends_where_it_is_said_to),
        cmocka_unit_test(intervals_end_at_samples),
        cmocka_unit_test(each_argument_is_asked_for),
        cmocka_unit_test(the_least_and_the_greatest_settings_are_taken),
        cmocka_unit_test(of_many_samples_the_bad_ones_do_not_keep_the_others_out),
    };
    return cmocka_run_group_tests_name("imu_buffer", tests, NULL, NULL);
}
