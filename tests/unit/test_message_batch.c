/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "sensortime/message_view.h"

#include <string.h>

/* Headers with frame "a": CDR little-endian of 1.000000002 s, and ROS 1 of the same with sequence 7. */
static const unsigned char cdr[] = {0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 'a', 0};
static const unsigned char ros1[] = {7, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 'a'};

static void every_message_gives_its_stamp(void **state)
{
    (void)state;
    unsigned char bytes[2 * sizeof cdr];
    memcpy(bytes, cdr, sizeof cdr);
    memcpy(bytes + sizeof cdr, cdr, sizeof cdr);
    bytes[sizeof cdr + 4] = 9;
    const uint64_t sizes[2] = {sizeof cdr, sizeof cdr};
    snt_time stamps[2] = {0};
    snt_status statuses[2] = {1, 1};
    assert_int_equal(
        snt_message_stamps(SNT_ENCODING_CDR, bytes, sizeof bytes, sizes, 2, stamps, NULL, statuses), SNT_OK);
    assert_int_equal(stamps[0], INT64_C(1000000002));
    assert_int_equal(stamps[1], INT64_C(9000000002));
    assert_int_equal(statuses[0], SNT_OK);
    assert_int_equal(statuses[1], SNT_OK);
}

static void ros1_gives_its_sequence_too(void **state)
{
    (void)state;
    const uint64_t size = sizeof ros1;
    snt_time stamp = 0;
    uint32_t sequence = 0;
    assert_int_equal(snt_message_stamps(SNT_ENCODING_ROS1, ros1, size, &size, 1, &stamp, &sequence, NULL),
                     SNT_OK);
    assert_int_equal(stamp, INT64_C(1000000002));
    assert_int_equal(sequence, 7);
}

static void a_refused_message_stops_nothing_and_is_left_untouched(void **state)
{
    (void)state;
    unsigned char bytes[5 + sizeof cdr];
    memcpy(bytes, cdr, 5);
    memcpy(bytes + 5, cdr, sizeof cdr);
    const uint64_t sizes[3] = {5, 0, sizeof cdr};
    snt_time stamps[3] = {-1, -2, -3};
    uint32_t sequences[3] = {11, 12, 13};
    snt_status statuses[3] = {0};
    assert_int_equal(
        snt_message_stamps(SNT_ENCODING_CDR, bytes, sizeof bytes, sizes, 3, stamps, sequences, statuses),
        SNT_ERR_TRUNCATED);
    assert_int_equal(stamps[0], -1);
    assert_int_equal(stamps[1], -2);
    assert_int_equal(stamps[2], INT64_C(1000000002));
    assert_int_equal(sequences[0], 11);
    assert_int_equal(sequences[2], 0);
    assert_int_equal(statuses[0], SNT_ERR_TRUNCATED);
    assert_int_equal(statuses[1], SNT_ERR_TRUNCATED);
    assert_int_equal(statuses[2], SNT_OK);
}

static void sizes_that_do_not_add_up_are_refused_before_anything_is_read(void **state)
{
    (void)state;
    snt_time stamps[2] = {-1, -1};
    const uint64_t less[2] = {4, 4};
    const uint64_t more[2] = {4, sizeof cdr};
    const uint64_t wrap[2] = {UINT64_MAX, sizeof cdr + 1};
    const uint64_t *const wrong[] = {less, more, wrap};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(
            snt_message_stamps(SNT_ENCODING_CDR, cdr, sizeof cdr, wrong[i], 2, stamps, NULL, NULL),
            SNT_ERR_LAYOUT);
    assert_int_equal(stamps[0], -1);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    const uint64_t size = sizeof cdr;
    snt_time stamp = -1;
    assert_int_equal(snt_message_stamps(9, cdr, size, &size, 1, &stamp, NULL, NULL), SNT_ERR_INVALID_ARG);
    assert_int_equal(snt_message_stamps(SNT_ENCODING_CDR, NULL, size, &size, 1, &stamp, NULL, NULL),
                     SNT_ERR_INVALID_ARG);
    assert_int_equal(snt_message_stamps(SNT_ENCODING_CDR, cdr, size, NULL, 1, &stamp, NULL, NULL),
                     SNT_ERR_INVALID_ARG);
    assert_int_equal(snt_message_stamps(SNT_ENCODING_CDR, cdr, size, &size, 1, NULL, NULL, NULL),
                     SNT_ERR_INVALID_ARG);
    assert_int_equal(snt_message_stamps(SNT_ENCODING_CDR, NULL, 0, NULL, 0, NULL, NULL, NULL), SNT_OK);
    assert_int_equal(stamp, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_gives_its_stamp),
        cmocka_unit_test(ros1_gives_its_sequence_too),
        cmocka_unit_test(a_refused_message_stops_nothing_and_is_left_untouched),
        cmocka_unit_test(sizes_that_do_not_add_up_are_refused_before_anything_is_read),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
