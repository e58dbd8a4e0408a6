/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <stdlib.h>

#include "message_bytes.h"

#include "lib/base/internal.h"

typedef struct encoded {
    const unsigned char *bytes;
    size_t size;
    uint32_t encoding;
} encoded;

/* The same message in its three encodings. */
#define ALL_OF(name)                                                                                         \
    {                                                                                                        \
        {bytes_##name##_ros1, sizeof bytes_##name##_ros1, SNT_ENCODING_ROS1},                                \
            {bytes_##name##_cdr_le, sizeof bytes_##name##_cdr_le, SNT_ENCODING_CDR},                         \
            {bytes_##name##_cdr_be, sizeof bytes_##name##_cdr_be, SNT_ENCODING_CDR},                         \
    }

static snt_status parse_any(uint32_t kind, uint32_t encoding, const void *bytes, uint64_t size,
                            snt_message_error *error)
{
    snt_pointcloud2_view cloud;
    snt_laserscan_view scan;
    snt_imu_view imu;
    snt_tf_message_view tf;
    snt_livox_view livox;
    snt_odometry_view odometry;
    snt_time t;
    switch (kind) {
    case SNT_MESSAGE_POINTCLOUD2:
        return snt_pointcloud2_view_parse(encoding, bytes, size, &cloud, error);
    case SNT_MESSAGE_LASERSCAN:
        return snt_laserscan_view_parse(encoding, bytes, size, &scan, error);
    case SNT_MESSAGE_IMU:
        return snt_imu_view_parse(encoding, bytes, size, &imu, error);
    case SNT_MESSAGE_TF:
        return snt_tf_message_view_parse(encoding, bytes, size, &tf, error);
    case SNT_MESSAGE_LIVOX:
        return snt_livox_view_parse(encoding, bytes, size, &livox, error);
    case SNT_MESSAGE_ODOMETRY:
        return snt_odometry_view_parse(encoding, bytes, size, &odometry, error);
    default:
        return snt_clock_message_parse(encoding, bytes, size, &t, error);
    }
}

static const struct {
    uint32_t kind;
    encoded messages[3];
} every_message[] = {
    {SNT_MESSAGE_POINTCLOUD2, ALL_OF(cloud)}, {SNT_MESSAGE_LASERSCAN, ALL_OF(scan)},
    {SNT_MESSAGE_IMU, ALL_OF(imu)},           {SNT_MESSAGE_TF, ALL_OF(tf)},
    {SNT_MESSAGE_LIVOX, ALL_OF(livox)},       {SNT_MESSAGE_ODOMETRY, ALL_OF(odom)},
    {SNT_MESSAGE_CLOCK, ALL_OF(clock)},
};

static void every_message_cut_anywhere_is_refused_at_an_offset_inside_it(void **state)
{
    (void)state;
    for (size_t k = 0; k < SNT_COUNT_OF(every_message); k++) {
        for (size_t e = 0; e < 3; e++) {
            const encoded *m = &every_message[k].messages[e];
            for (size_t size = 0; size < m->size; size++) {
                unsigned char *cut =
                    malloc(size ? size : 1); /* exact, so that a sanitizer sees a read behind it */
                memcpy(cut, m->bytes, size);
                snt_message_error error = {0};
                const snt_status status = parse_any(every_message[k].kind, m->encoding, cut, size, &error);
                /* A PointCloud2 in CDR loses nothing but padding only if it had any; these have none. */
                assert_status(status, SNT_ERR_TRUNCATED);
                assert_status(error.status, SNT_ERR_TRUNCATED);
                assert_true(error.offset <= size + 7);
                assert_true(error.needed > error.available);
                assert_non_null(error.field);
                free(cut);
            }
        }
    }
}

static void bytes_behind_the_message_are_refused_except_cdr_padding(void **state)
{
    (void)state;
    for (size_t k = 0; k < SNT_COUNT_OF(every_message); k++) {
        for (size_t e = 0; e < 3; e++) {
            const encoded *m = &every_message[k].messages[e];
            unsigned char longer[2048] = {0};
            memcpy(longer, m->bytes, m->size);
            for (size_t extra = 0; extra < 6; extra++) {
                const size_t allowed = m->encoding == SNT_ENCODING_CDR ? 3 : 0;
                snt_message_error error = {0};
                assert_status(parse_any(every_message[k].kind, m->encoding, longer, m->size + extra, &error),
                              extra <= allowed ? SNT_OK : SNT_ERR_FORMAT);
            }
        }
    }
}

static void a_refusal_leaves_the_view_untouched_and_names_the_field(void **state)
{
    (void)state;
    snt_laserscan_view view;
    memset(&view, 0xa5, sizeof view);
    snt_laserscan_view before = view;
    snt_message_error error;
    assert_status(snt_laserscan_view_parse(SNT_ENCODING_ROS1, bytes_scan_ros1, sizeof bytes_scan_ros1 - 2,
                                           &view, &error),
                  SNT_ERR_TRUNCATED);
    assert_memory_equal(&view, &before, sizeof view);
    assert_string_equal(error.field, "intensities");
    assert_int_equal(error.offset, sizeof bytes_scan_ros1 - 4);
    assert_int_equal(error.needed, 4);
    assert_int_equal(error.available, 2);
    char line[192], small[8] = "before";
    assert_status(snt_message_error_format(&error, line, sizeof line), SNT_OK);
    assert_non_null(strstr(line, "intensities"));
    assert_non_null(strstr(line, "needs 4 bytes, 2 left"));
    assert_status(snt_message_error_format(&error, small, sizeof small), SNT_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(strlen(small), sizeof small - 1);
    assert_memory_equal(small, line, sizeof small - 1);
    assert_status(snt_message_error_format(&error, line, strlen(line) + 1), SNT_OK);
    assert_status(snt_message_error_format(&error, line, strlen(line)), SNT_ERR_BUFFER_TOO_SMALL);
    assert_status(snt_message_error_format(NULL, line, sizeof line), SNT_ERR_INVALID_ARG);
}

static void other_encapsulations_are_refused_by_name(void **state)
{
    (void)state;
    unsigned char bytes[sizeof bytes_clock_cdr_le];
    memcpy(bytes, bytes_clock_cdr_le, sizeof bytes);
    static const struct {
        unsigned char id[2];
        snt_status status;
    } cases[] = {{{0, 2}, SNT_ERR_UNSUPPORTED}, {{0, 3}, SNT_ERR_UNSUPPORTED},  {{0, 6}, SNT_ERR_UNSUPPORTED},
                 {{0, 7}, SNT_ERR_UNSUPPORTED}, {{0, 11}, SNT_ERR_UNSUPPORTED}, {{0, 4}, SNT_ERR_FORMAT},
                 {{1, 0}, SNT_ERR_FORMAT},      {{0xff, 0xff}, SNT_ERR_FORMAT}};
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        memcpy(bytes, cases[i].id, 2);
        snt_time t = 77;
        assert_status(snt_clock_message_parse(SNT_ENCODING_CDR, bytes, sizeof bytes, &t, NULL),
                      cases[i].status);
        assert_i64_equal(t, 77);
    }
    snt_message_error error = {0};
    snt_time t;
    assert_status(snt_clock_message_parse(SNT_ENCODING_CDR, bytes, 3, &t, &error), SNT_ERR_TRUNCATED);
    assert_string_equal(error.field, "encapsulation");
    assert_int_equal(error.offset, 0);
    assert_int_equal(error.needed, 4);
    assert_int_equal(error.available, 3);
}

static void hostile_lengths_are_refused_without_a_multiplication_that_wraps(void **state)
{
    (void)state;
    unsigned char bytes[sizeof bytes_scan_ros1];
    memcpy(bytes, bytes_scan_ros1, sizeof bytes);
    const size_t ranges = sizeof bytes - 4 - 4 - 16 - 4; /* the length in front of the four ranges */
    memset(bytes + ranges, 0xff, 4);
    snt_laserscan_view scan;
    snt_message_error error;
    assert_status(snt_laserscan_view_parse(SNT_ENCODING_ROS1, bytes, sizeof bytes, &scan, &error),
                  SNT_ERR_TRUNCATED);
    assert_true(error.needed == UINT64_C(0xffffffff) * 4);
    memset(bytes + 12, 0xff, 4); /* frame_id */
    assert_status(snt_laserscan_view_parse(SNT_ENCODING_ROS1, bytes, sizeof bytes, &scan, &error),
                  SNT_ERR_TRUNCATED);
    assert_string_equal(error.field, "header.frame_id");
    const unsigned char many[] = {0xff, 0xff, 0xff, 0xff};
    snt_tf_message_view tf;
    assert_status(snt_tf_message_view_parse(SNT_ENCODING_ROS1, many, 4, &tf, &error), SNT_ERR_TRUNCATED);
    snt_pointcloud2_view cloud;
    assert_status(snt_pointcloud2_view_parse(SNT_ENCODING_ROS1, NULL, 10, &cloud, &error),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_pointcloud2_view_parse(3, many, 4, &cloud, &error), SNT_ERR_INVALID_ARG);
    assert_status(snt_pointcloud2_view_parse(SNT_ENCODING_ROS1, NULL, 0, &cloud, NULL), SNT_ERR_TRUNCATED);
}

static const snt_point_field xyz_fields[] = {
    {{"x", 1}, 0, SNT_TYPE_F32, 1, 0}, {{"y", 1}, 4, SNT_TYPE_F32, 1, 0}, {{"z", 1}, 8, SNT_TYPE_F32, 1, 0}};

static snt_status layout(uint64_t data, uint32_t width, uint32_t height, uint32_t step, uint32_t row,
                         uint32_t *flags)
{
    static unsigned char bytes[4096];
    snt_pointcloud2_view view = {0};
    snt_message_error error;
    const snt_status status =
        snt_pointcloud2_view_init(xyz_fields, 3, bytes, data, width, height, step, row, 0, 0, &view, &error);
    *flags = view.flags;
    return status;
}

/* realsense PR 1667, zed 258 */
static void contradicting_row_steps_are_refused_and_padded_rows_honoured(void **state)
{
    (void)state;
    uint32_t flags;
    assert_status(layout(96, 3, 2, 16, 96, &flags), SNT_ERR_LAYOUT);
    assert_status(layout(96, 3, 2, 16, 48, &flags), SNT_OK);
    assert_int_equal(flags, 0);
    assert_status(layout(128, 3, 2, 16, 64, &flags), SNT_OK);
    assert_int_equal(flags, SNT_POINTCLOUD2_PADDED_ROWS);
    assert_status(layout(112, 3, 2, 16, 64, &flags), SNT_OK); /* the last row without its padding */
    assert_status(layout(111, 3, 2, 16, 64, &flags), SNT_ERR_LAYOUT);
    assert_status(layout(128, 3, 2, 16, 40, &flags), SNT_ERR_LAYOUT);
    assert_status(layout(96, 6, 1, 16, 7, &flags), SNT_OK); /* one row: its step is never used */
    assert_int_equal(flags, SNT_POINTCLOUD2_ODD_ROW_STEP);
    assert_status(layout(100, 6, 1, 16, 96, &flags), SNT_OK);
    assert_int_equal(flags, SNT_POINTCLOUD2_EXCESS_DATA);
    assert_status(layout(0, 0, 0, 0, 0, &flags), SNT_OK);
    assert_int_equal(flags, 0);
    assert_status(layout(96, 6, 1, 0, 96, &flags), SNT_ERR_LAYOUT);
    assert_status(layout(96, 6, 1, 8, 48, &flags), SNT_ERR_LAYOUT); /* z ends behind the point */
    assert_status(layout(4096, UINT32_MAX, UINT32_MAX, 16, UINT32_MAX, &flags), SNT_ERR_LAYOUT);
    assert_status(layout(4096, UINT32_MAX, UINT32_MAX, 1, UINT32_MAX, &flags), SNT_ERR_LAYOUT);
}

static void a_field_that_ends_behind_the_point_is_refused_with_its_index(void **state)
{
    (void)state;
    snt_point_field fields[] = {
        {{"x", 1}, 0, SNT_TYPE_F32, 1, 0}, {{"v", 1}, 4, SNT_TYPE_F32, 3, 0}, {{"odd", 3}, 4, 99, 1, 0}};
    unsigned char data[32] = {0};
    snt_pointcloud2_view view;
    snt_message_error error;
    assert_status(snt_pointcloud2_view_init(fields, 3, data, 32, 2, 1, 16, 0, 0, 0, &view, &error), SNT_OK);
    assert_int_equal(view.flags, SNT_POINTCLOUD2_ODD_FIELDS);
    fields[1].count = 4; /* PointField.count > 1 */
    assert_status(snt_pointcloud2_view_init(fields, 3, data, 32, 2, 1, 16, 0, 0, 0, &view, &error),
                  SNT_ERR_LAYOUT);
    assert_int_equal(error.index, 1);
    assert_int_equal(error.needed, 20);
    fields[1].count = UINT32_MAX;
    fields[1].offset = UINT32_MAX;
    fields[1].datatype = SNT_TYPE_F64;
    assert_status(snt_pointcloud2_view_init(fields, 3, data, 32, 2, 1, 16, 0, 0, 0, &view, &error),
                  SNT_ERR_LAYOUT);
    assert_true(error.needed == UINT64_C(0xffffffff) * 9);
}

static void every_parser_refuses_a_missing_output(void **state)
{
    (void)state;
    const uint32_t e = SNT_ENCODING_ROS1;
    assert_status(snt_pointcloud2_view_parse(e, bytes_cloud_ros1, sizeof bytes_cloud_ros1, NULL, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_laserscan_view_parse(e, bytes_scan_ros1, sizeof bytes_scan_ros1, NULL, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_imu_view_parse(e, bytes_imu_ros1, sizeof bytes_imu_ros1, NULL, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_message_view_parse(e, bytes_tf_ros1, sizeof bytes_tf_ros1, NULL, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_livox_view_parse(e, bytes_livox_ros1, sizeof bytes_livox_ros1, NULL, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_odometry_view_parse(e, bytes_odom_ros1, sizeof bytes_odom_ros1, NULL, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_message_parse(e, bytes_clock_ros1, sizeof bytes_clock_ros1, NULL, NULL),
                  SNT_ERR_INVALID_ARG);
    snt_tf_message_view tf;
    snt_transform_view transform;
    assert_status(snt_tf_message_view_parse(e, bytes_tf_ros1, sizeof bytes_tf_ros1, &tf, NULL), SNT_OK);
    assert_status(snt_tf_message_next(&tf, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_tf_message_next(NULL, &transform), SNT_ERR_INVALID_ARG);
    snt_pointcloud2_view cloud;
    snt_point_field fields[8];
    uint32_t count = 7;
    assert_status(snt_pointcloud2_view_parse(e, bytes_cloud_ros1, sizeof bytes_cloud_ros1, &cloud, NULL),
                  SNT_OK);
    assert_status(snt_pointcloud2_fields(NULL, fields, 8, &count), SNT_ERR_INVALID_ARG);
    assert_status(snt_pointcloud2_fields(&cloud, fields, 8, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_pointcloud2_fields(&cloud, NULL, 8, &count), SNT_ERR_INVALID_ARG);
    assert_int_equal(count, 7);
    assert_status(snt_pointcloud2_fields(&cloud, NULL, 0, &count), SNT_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(count, 0);
    cloud.message = NULL;
    assert_status(snt_pointcloud2_fields(&cloud, fields, 8, &count), SNT_ERR_INVALID_ARG);
}

/* Where the sizes lie in the ROS 1 message: six descriptions with names of 1, 1, 1, 9, 4 and 4 letters */
static void a_refusal_gives_the_byte_of_the_size_that_is_wrong(void **state)
{
    (void)state;
    enum {
        FIELDS = 4 + 8 + 4 + 8 + 4 + 4 + 4,
        STEP = FIELDS + 6 * 13 + 20 + 1,
        ROW = STEP + 4,
        DATA = ROW + 8
    };
    static const struct {
        size_t at;
        unsigned char value;
        const char *field;
        uint64_t offset, needed, available;
        uint32_t index;
    } cases[] = {
        {STEP, 0, "point_step", STEP, 1, sizeof bytes_cloud_ros1 - STEP, 0},
        {STEP, 23, "data", DATA, 69, 66, 0},
        {STEP, 21, "fields[]", FIELDS + 4 * 14 + 8 + 17, 22, 21, 5},
        {FIELDS + 5, 19, "fields[]", FIELDS, 23, 22, 0},
        {FIELDS + 14 + 5, 19, "fields[]", FIELDS + 14, 23, 22, 1},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        unsigned char bytes[sizeof bytes_cloud_ros1];
        memcpy(bytes, bytes_cloud_ros1, sizeof bytes);
        bytes[cases[i].at] = cases[i].value;
        snt_pointcloud2_view view;
        snt_message_error error = {0};
        assert_status(snt_pointcloud2_view_parse(SNT_ENCODING_ROS1, bytes, sizeof bytes, &view, &error),
                      SNT_ERR_LAYOUT);
        assert_string_equal(error.field, cases[i].field);
        assert_int_equal(error.offset, cases[i].offset);
        assert_int_equal(error.needed, cases[i].needed);
        assert_int_equal(error.available, cases[i].available);
        assert_int_equal(error.index, cases[i].index);
    }
    unsigned char bytes[sizeof bytes_cloud_ros1];
    memcpy(bytes, bytes_cloud_ros1, sizeof bytes);
    bytes[FIELDS - 12] = 3; /* three rows of one, while a row is said to be 21 bytes long */
    bytes[FIELDS - 8] = 1;
    bytes[ROW] = 21;
    snt_pointcloud2_view view;
    snt_message_error error = {0};
    assert_status(snt_pointcloud2_view_parse(SNT_ENCODING_ROS1, bytes, sizeof bytes, &view, &error),
                  SNT_ERR_LAYOUT);
    assert_string_equal(error.field, "row_step");
    assert_int_equal(error.offset, ROW);
    assert_int_equal(error.needed, 22);
    bytes[ROW] = 22;
    assert_status(snt_pointcloud2_view_parse(SNT_ENCODING_ROS1, bytes, sizeof bytes, &view, &error), SNT_OK);
}

static void layouts_given_by_hand_are_checked_alike(void **state)
{
    (void)state;
    unsigned char data[16] = {0};
    snt_pointcloud2_view view;
    snt_message_error error = {0};
    /* each type in the last bytes of a point, and one byte too far; a count of 0 is one element */
    static const uint32_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    for (uint32_t type = 1; type <= 8; type++) {
        snt_point_field field = {{"f", 1}, 16 - sizes[type], type, 0, 0};
        assert_status(snt_pointcloud2_view_init(&field, 1, data, 16, 1, 1, 16, 0, 0, 0, &view, &error),
                      SNT_OK);
        assert_int_equal(view.flags, SNT_POINTCLOUD2_ODD_FIELDS);
        assert_int_equal(view.row_step, 16);
        field.offset++;
        field.count = 1;
        assert_status(snt_pointcloud2_view_init(&field, 1, data, 16, 1, 1, 16, 0, 0, 0, &view, &error),
                      SNT_ERR_LAYOUT);
        assert_int_equal(error.index, 0);
        assert_int_equal(error.offset, 0);
    }
    assert_status(snt_pointcloud2_view_init(NULL, 1, data, 16, 1, 1, 16, 0, 0, 0, &view, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_pointcloud2_view_init(NULL, 0, NULL, 16, 1, 1, 16, 0, 0, 0, &view, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_pointcloud2_view_init(NULL, 0, data, 16, 1, 1, 16, 0, 0, 2, &view, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_pointcloud2_view_init(NULL, 0, data, 16, 1, 1, 16, 0, 0, 0, NULL, NULL),
                  SNT_ERR_INVALID_ARG);
    /* rows that no row_step can say */
    assert_status(snt_pointcloud2_view_init(NULL, 0, data, 16, UINT32_MAX, 2, 16, 0, 0, 0, &view, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_pointcloud2_view_init(NULL, 0, data, 16, UINT32_MAX, 1, 16, 0, 0, 0, &view, NULL),
                  SNT_ERR_LAYOUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_cut_anywhere_is_refused_at_an_offset_inside_it),
        cmocka_unit_test(bytes_behind_the_message_are_refused_except_cdr_padding),
        cmocka_unit_test(a_refusal_leaves_the_view_untouched_and_names_the_field),
        cmocka_unit_test(other_encapsulations_are_refused_by_name),
        cmocka_unit_test(hostile_lengths_are_refused_without_a_multiplication_that_wraps),
        cmocka_unit_test(contradicting_row_steps_are_refused_and_padded_rows_honoured),
        cmocka_unit_test(a_field_that_ends_behind_the_point_is_refused_with_its_index),
        cmocka_unit_test(every_parser_refuses_a_missing_output),
        cmocka_unit_test(a_refusal_gives_the_byte_of_the_size_that_is_wrong),
        cmocka_unit_test(layouts_given_by_hand_are_checked_alike),
    };
    return cmocka_run_group_tests_name("message_refusal", tests, NULL, NULL);
}
