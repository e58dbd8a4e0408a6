/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

static void sessions_count_up_and_remember_why(void **state)
{
    (void)state;
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    assert_int_equal(snt_epoch_session(epoch), 1);
    assert_int_equal(snt_epoch_reason(epoch), SNT_EPOCH_START);
    assert_int_equal(snt_epoch_bump(epoch, SNT_EPOCH_REPLAY_SEEK), 2);
    assert_int_equal(snt_epoch_session(epoch), 2);
    assert_int_equal(snt_epoch_reason(epoch), SNT_EPOCH_REPLAY_SEEK);
    snt_epoch_unref(epoch);
}

static void the_last_reference_frees(void **state)
{
    (void)state;
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    assert_ptr_equal(snt_epoch_ref(epoch), epoch);
    snt_epoch_unref(epoch);
    assert_int_equal(snt_epoch_session(epoch), 1); /* still there: a sanitizer would object */
    snt_epoch_unref(epoch);
}

static void null_is_no_session(void **state)
{
    (void)state;
    assert_int_equal(snt_epoch_session(NULL), 0);
    assert_int_equal(snt_epoch_bump(NULL, SNT_EPOCH_USER), 0);
    assert_null(snt_epoch_ref(NULL));
    snt_epoch_unref(NULL);
    assert_status(snt_epoch_create(NULL, NULL), SNT_ERR_INVALID_ARG);
    const snt_allocator half = {0};
    char somewhere;
    snt_epoch *epoch = (void *)&somewhere;
    assert_status(snt_epoch_create(&half, &epoch), SNT_ERR_INVALID_ARG);
    assert_null(epoch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_count_up_and_remember_why),
        cmocka_unit_test(the_last_reference_frees),
        cmocka_unit_test(null_is_no_session),
    };
    return cmocka_run_group_tests_name("epoch", tests, NULL, NULL);
}
