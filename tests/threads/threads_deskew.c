/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that share one plan and split one cloud, bytes apart; and an IMU fed by one thread and read by others. */
#include "test.h"

#include <pthread.h>

#define MS SNT_NS_PER_MS

enum { POINTS = 40000, STEP = 22, THREADS = 4, SAMPLES = 20000 };

typedef struct job {
    const snt_deskew *plan;
    const snt_cloud *cloud, *out;
    const unsigned char *from;
    unsigned char *to;
    uint64_t first, count;
    snt_deskew_report report;
    snt_status status;
} job;

static void *move_range(void *user)
{
    job *j = user;
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.first = j->first;
    options.count = j->count;
    if (j->from)
        j->status = snt_deskew_apply_copy(j->plan, j->cloud, j->from, j->to, STEP, &options, &j->report);
    else
        j->status = snt_deskew_apply_with(j->plan, j->cloud, j->out, &options, &j->report);
    return NULL;
}

static void ranges_in_threads_give_the_bits_of_one_call(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    static unsigned char in[POINTS * STEP], want[POINTS * STEP], got[POINTS * STEP];
    for (int i = 0; i < POINTS; i++) {
        const float t = (float)rng_range(&rng, 0, 0.1);
        for (int k = 0; k < 3; k++) {
            const float c = (float)rng_range(&rng, -80, 80);
            memcpy(in + i * STEP + 10 + 4 * k, &c, 4); /* xyz at the very end of the record */
        }
        memcpy(in + i * STEP, &t, 4);
    }
    snt_deskew *plan;
    snt_deskew_scan scan;
    assert_status(snt_deskew_create(NULL, NULL, &plan), SNT_OK);
    snt_deskew_scan_init(&scan, sizeof scan);
    scan.end_ns = 100 * MS + 10;
    const snt_twist twist = {{10, 2, 0}, {0.5, 0, 3}};
    assert_status(snt_deskew_plan_twist(plan, &scan, &twist), SNT_OK);
    for (int copy = 0; copy < 2; copy++) {
        snt_cloud cloud, whole;
        snt_cloud_init(&cloud);
        memcpy(want, in, sizeof in);
        memcpy(got, in, sizeof in);
        unsigned char *data = copy ? in : got;
        assert_status(snt_cloud_set_points(&cloud, data + 10, STEP, SNT_TYPE_F32, POINTS), SNT_OK);
        assert_status(snt_cloud_set_times(&cloud, data, STEP, SNT_TYPE_F32, SNT_TIME_UNIT_S,
                                          SNT_TIME_REF_RELATIVE, 0, 0),
                      SNT_OK);
        whole = cloud;
        whole.x.data = want + 10, whole.y.data = want + 14, whole.z.data = want + 18, whole.time.data = want;
        snt_deskew_report one;
        assert_status(snt_deskew_apply(plan, &whole, &whole, &one), SNT_OK);
        job jobs[THREADS];
        pthread_t threads[THREADS];
        uint64_t first = 0;
        for (int i = 0; i < THREADS; i++) {
            const uint64_t last = i + 1 == THREADS ? POINTS : (uint64_t)(i + 1) * POINTS / THREADS - 3;
            jobs[i] =
                (job){.plan = plan, .cloud = &cloud, .out = &cloud, .first = first, .count = last - first};
            if (copy) {
                jobs[i].from = in;
                jobs[i].to = got;
            }
            first = last;
            assert_int_equal(pthread_create(&threads[i], NULL, move_range, &jobs[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            assert_status(jobs[i].status, SNT_OK);
            if (i)
                assert_status(snt_deskew_report_merge(&jobs[0].report, &jobs[i].report), SNT_OK);
        }
        assert_memory_equal(got, want, sizeof got);
        assert_memory_equal(&jobs[0].report, &one, sizeof one);
    }
    snt_deskew_destroy(plan);
}

static void *feed(void *user)
{
    for (int i = 0; i < SAMPLES; i++) {
        const snt_imu_sample sample = {.stamp_ns = i * MS, .rate = {0, 0, 1}};
        snt_imu_buffer_insert(user, &sample);
    }
    return NULL;
}

static void *watch(void *user)
{
    snt_deskew *plan;
    if (snt_deskew_create(NULL, NULL, &plan) != SNT_OK)
        return NULL;
    void *good = user;
    for (int i = 0; i < 2000 && good; i++) {
        snt_imu_margins m;
        if (snt_imu_buffer_margins(user, 0, 1, &m) != SNT_OK)
            continue;
        snt_deskew_scan scan;
        snt_deskew_scan_init(&scan, sizeof scan);
        scan.end_ns = m.newest_ns;
        scan.begin_ns = m.newest_ns - 50 * MS;
        const snt_status status = snt_deskew_plan_imu(plan, &scan, user, NULL);
        if (status == SNT_ERR_PAST) /* this thread slept while the whole ring was written anew */
            continue;
        snt_deskew_info info;
        if (status != SNT_OK || snt_deskew_get_info(plan, &info) != SNT_OK || info.max_rate < 0.999 ||
            info.max_rate > 1.001)
            good = NULL;
    }
    snt_deskew_destroy(plan);
    return good;
}

static void an_imu_is_read_while_it_is_fed(void **state)
{
    (void)state;
    snt_imu_buffer *imu;
    pthread_t threads[3];
    assert_status(snt_imu_buffer_create(NULL, NULL, &imu), SNT_OK);
    for (int i = -60; i < 0; i++) {
        const snt_imu_sample sample = {.stamp_ns = i * MS, .rate = {0, 0, 1}};
        assert_status(snt_imu_buffer_insert(imu, &sample), SNT_OK);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i ? watch : feed, imu), 0);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_true(i == 0 || result == imu);
    }
    snt_imu_counters c;
    assert_status(snt_imu_buffer_counters(imu, &c), SNT_OK);
    assert_int_equal(c.inserted, SAMPLES + 60);
    snt_imu_buffer_destroy(imu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_in_threads_give_the_bits_of_one_call),
                                       cmocka_unit_test(an_imu_is_read_while_it_is_fed)};
    return cmocka_run_group_tests_name("threads_deskew", tests, NULL, NULL);
}
