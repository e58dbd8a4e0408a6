/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <pthread.h>

enum { RECORDS = 20000, WRITERS = 2, READERS = 2, CAPACITY = 64 };

static snt_admission_log *ring;

static void *write_records(void *unused)
{
    (void)unused;
    for (uint64_t i = 1; i <= RECORDS; i++) { /* every field that is read carries the same number */
        snt_admission_record record = {.raw_counter = i, .sequence = i, .token = i, .t0_ns = (int64_t)i};
        snt_admission_log_push(ring, &record);
    }
    return NULL;
}

static void *read_records(void *unused)
{
    (void)unused;
    for (int i = 0; i < RECORDS; i++) {
        snt_admission_counts counts;
        snt_admission_record r;
        assert_status(snt_admission_log_counts(ring, &counts), SNT_OK);
        assert_true(counts.end - counts.first <= CAPACITY);
        if (counts.end > counts.first && snt_admission_log_get(ring, counts.end - 1, &r) == SNT_OK)
            assert_true(r.raw_counter == r.sequence && r.sequence == r.token && (uint64_t)r.t0_ns == r.token);
        if (i % 64 == 0)
            snt_admission_log_find(ring, 0, 0, (uint64_t)i, &r);
    }
    return NULL;
}

static void no_record_is_lost_or_torn(void **state)
{
    (void)state;
    pthread_t threads[WRITERS + READERS];
    assert_status(snt_admission_log_create(CAPACITY, NULL, &ring), SNT_OK);
    for (int i = 0; i < WRITERS + READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < WRITERS ? write_records : read_records, NULL),
                         0);
    for (int i = 0; i < WRITERS + READERS; i++)
        pthread_join(threads[i], NULL);
    snt_admission_counts counts;
    assert_status(snt_admission_log_counts(ring, &counts), SNT_OK);
    assert_int_equal(counts.end, WRITERS * RECORDS);
    assert_int_equal(counts.admitted, WRITERS * RECORDS);
    snt_admission_log_destroy(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_record_is_lost_or_torn)};
    return cmocka_run_group_tests_name("threads_admission_log", tests, NULL, NULL);
}
