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
    assert_int_equal(snt_message_stamps(SNT_MESSAGE_HEADERED, SNT_ENCODING_CDR, bytes, sizeof bytes, sizes, 2,
                                        stamps, NULL, statuses),
                     SNT_OK);
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
    assert_int_equal(snt_message_stamps(SNT_MESSAGE_HEADERED, SNT_ENCODING_ROS1, ros1, size, &size, 1, &stamp,
                                        &sequence, NULL),
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
    assert_int_equal(snt_message_stamps(SNT_MESSAGE_HEADERED, SNT_ENCODING_CDR, bytes, sizeof bytes, sizes, 3,
                                        stamps, sequences, statuses),
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
        assert_int_equal(snt_message_stamps(SNT_MESSAGE_HEADERED, SNT_ENCODING_CDR, cdr, sizeof cdr, wrong[i],
                                            2, stamps, NULL, NULL),
                         SNT_ERR_LAYOUT);
    assert_int_equal(stamps[0], -1);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    const uint64_t size = sizeof cdr;
    snt_time stamp = -1;
    assert_int_equal(snt_message_stamps(SNT_MESSAGE_HEADERED, 9, cdr, size, &size, 1, &stamp, NULL, NULL),
                     SNT_ERR_INVALID_ARG);
    assert_int_equal(
        snt_message_stamps(SNT_MESSAGE_HEADERED, SNT_ENCODING_CDR, NULL, size, &size, 1, &stamp, NULL, NULL),
        SNT_ERR_INVALID_ARG);
    assert_int_equal(
        snt_message_stamps(SNT_MESSAGE_HEADERED, SNT_ENCODING_CDR, cdr, size, NULL, 1, &stamp, NULL, NULL),
        SNT_ERR_INVALID_ARG);
    assert_int_equal(
        snt_message_stamps(SNT_MESSAGE_HEADERED, SNT_ENCODING_CDR, cdr, size, &size, 1, NULL, NULL, NULL),
        SNT_ERR_INVALID_ARG);
    assert_int_equal(
        snt_message_stamps(SNT_MESSAGE_HEADERED, SNT_ENCODING_CDR, NULL, 0, NULL, 0, NULL, NULL, NULL),
        SNT_OK);
    assert_int_equal(stamp, -1);
}

static void kinds_with_a_view_are_checked_as_a_whole(void **state)
{
    (void)state;
    const uint64_t size = sizeof cdr;
    snt_time stamp = -1;
    /* a header alone is a whole std_msgs/Header, but no IMU message */
    assert_int_equal(
        snt_message_stamps(SNT_MESSAGE_IMU, SNT_ENCODING_CDR, cdr, size, &size, 1, &stamp, NULL, NULL),
        SNT_ERR_TRUNCATED);
    assert_int_equal(
        snt_message_stamps(SNT_MESSAGE_ODOMETRY, SNT_ENCODING_CDR, cdr, size, &size, 1, &stamp, NULL, NULL),
        SNT_ERR_TRUNCATED);
    assert_int_equal(stamp, -1);
    assert_int_equal(
        snt_message_stamps(SNT_MESSAGE_TF, SNT_ENCODING_CDR, cdr, size, &size, 1, &stamp, NULL, NULL),
        SNT_ERR_INVALID_ARG);
    /* the shortest whole one: 4, then 8 + 4 + 1 padded to 16, then 37 doubles */
    unsigned char imu[4 + 16 + 37 * 8] = {0, 1, 0, 0, 3};
    const uint64_t whole = sizeof imu;
    imu[4 + 8] = 1;
    assert_int_equal(
        snt_message_stamps(SNT_MESSAGE_IMU, SNT_ENCODING_CDR, imu, whole, &whole, 1, &stamp, NULL, NULL),
        SNT_OK);
    assert_int_equal(stamp, 3 * SNT_NS_PER_S);
}

/* ROS 1 TFMessage with `n` transforms from "m" to "b", then "c", …, at 1 s, 2 s, … */
static uint64_t make_tf(unsigned char *out, uint32_t n)
{
    unsigned char *at = out;
    memset(out, 0, 4 + n * (size_t)82);
    at[0] = (unsigned char)n;
    at += 4;
    for (uint32_t i = 0; i < n; i++) {
        at[4] = (unsigned char)(i + 1); /* seconds */
        at[12] = 1;
        at[16] = 'm';
        at[17] = 1;
        at[21] = (unsigned char)('b' + i);
        at += 22 + 56;
    }
    return (uint64_t)(at - out);
}

static void transforms_of_many_messages_come_in_order(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    uint64_t sizes[3];
    sizes[0] = make_tf(bytes, 2);
    sizes[1] = 3; /* cut */
    memset(bytes + sizes[0], 0, 3);
    sizes[2] = make_tf(bytes + sizes[0] + 3, 1);
    const uint64_t size = sizes[0] + 3 + sizes[2];
    snt_tf_stamp out[8];
    snt_status statuses[3] = {1, 1, 1};
    uint64_t written = 0;
    assert_int_equal(
        snt_tf_message_stamps(SNT_ENCODING_ROS1, bytes, size, sizes, 3, out, 8, &written, statuses),
        SNT_ERR_TRUNCATED);
    assert_int_equal(written, 3);
    assert_int_equal(statuses[0], SNT_OK);
    assert_int_equal(statuses[1], SNT_ERR_TRUNCATED);
    assert_int_equal(statuses[2], SNT_OK);
    assert_int_equal(out[0].stamp_ns, SNT_NS_PER_S);
    assert_int_equal(out[1].stamp_ns, 2 * SNT_NS_PER_S);
    assert_int_equal(out[2].message, 2);
    assert_int_equal(out[1].child_size, 1);
    assert_int_equal(bytes[out[1].child_offset], 'c');
    assert_true(out[0].child_hash == out[2].child_hash);
    assert_true(out[0].child_hash != out[1].child_hash);

    assert_int_equal(snt_tf_message_stamps(SNT_ENCODING_ROS1, bytes, size, sizes, 3, out, 1, &written, NULL),
                     SNT_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(written, 1);
    assert_int_equal(
        snt_tf_message_stamps(SNT_ENCODING_ROS1, bytes, size + 1, sizes, 3, out, 8, &written, NULL),
        SNT_ERR_LAYOUT);
    assert_int_equal(snt_tf_message_stamps(SNT_ENCODING_ROS1, bytes, size, sizes, 3, out, 8, NULL, NULL),
                     SNT_ERR_INVALID_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_gives_its_stamp),
        cmocka_unit_test(ros1_gives_its_sequence_too),
        cmocka_unit_test(a_refused_message_stops_nothing_and_is_left_untouched),
        cmocka_unit_test(sizes_that_do_not_add_up_are_refused_before_anything_is_read),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(kinds_with_a_view_are_checked_as_a_whole),
        cmocka_unit_test(transforms_of_many_messages_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
