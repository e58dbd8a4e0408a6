/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "message_bytes.h"

#include "lib/base/internal.h"

static void array_of_structures_and_structure_of_arrays_are_taken_with_any_stride(void **state)
{
    (void)state;
    double aos[2][4] = {{1, 2, 3, 0}, {4, 5, 6, 0}};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, aos, sizeof aos[0], SNT_TYPE_F64, 2), SNT_OK);
    assert_int_equal(cloud.count, 2);
    assert_ptr_equal(cloud.x.data, &aos[0][0]);
    assert_ptr_equal(cloud.y.data, &aos[0][1]);
    assert_ptr_equal(cloud.z.data, &aos[0][2]);
    assert_i64_equal(cloud.y.stride, 32);
    float xs[3] = {0}, ys[3] = {0}, zs[3] = {0};
    assert_status(snt_cloud_set_xyz(&cloud, xs, ys, zs, 0, SNT_TYPE_F32, 3), SNT_OK);
    assert_i64_equal(cloud.x.stride, 4);
    assert_ptr_equal(cloud.y.data, ys);
    assert_status(snt_cloud_set_points(&cloud, aos, 0, SNT_TYPE_F64, 2), SNT_OK);
    assert_i64_equal(cloud.x.stride, 24);
    const snt_cloud before = cloud;
    assert_status(snt_cloud_set_points(&cloud, aos, 0, SNT_TYPE_U32, 2), SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_set_points(&cloud, NULL, 0, SNT_TYPE_F32, 2), SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_set_points(&cloud, aos, INT64_MAX, SNT_TYPE_F32, 2), SNT_ERR_OVERFLOW);
    assert_status(snt_cloud_set_points(&cloud, aos, INT64_MIN, SNT_TYPE_F32, 2), SNT_ERR_OVERFLOW);
    assert_status(snt_cloud_set_times(&cloud, aos, 0, 99, SNT_TIME_UNIT_S, SNT_TIME_REF_ABSOLUTE, 0, 0),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_set_times(&cloud, aos, 0, SNT_TYPE_F64, 99, SNT_TIME_REF_ABSOLUTE, 0, 0),
                  SNT_ERR_INVALID_ARG);
    assert_status(
        snt_cloud_set_times(&cloud, aos, 0, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_PACKET, 0, 0),
        SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_set_times(&cloud, aos, 0, SNT_TYPE_U32, 0, SNT_TIME_REF_NORMALISED, 0, 1),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_set_times(&cloud, aos, 0, SNT_TYPE_F64, 0, SNT_TIME_REF_NORMALISED, 0, -1),
                  SNT_ERR_INVALID_ARG);
    assert_memory_equal(&before, &cloud, sizeof cloud);
}

static void rings_are_whole_numbers_of_any_type(void **state)
{
    (void)state;
    const float rings[] = {0, 15, 2.5f, -1, NAN};
    float xyz[15] = {0};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    uint32_t out[5];
    uint64_t invalid;
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 5), SNT_OK);
    assert_status(snt_cloud_rings(&cloud, 0, 5, out, &invalid), SNT_ERR_NOT_FOUND);
    assert_status(snt_cloud_set_rings(&cloud, rings, 0, SNT_TYPE_F32), SNT_OK);
    assert_status(snt_cloud_rings(&cloud, 0, 5, out, &invalid), SNT_OK);
    assert_int_equal(out[1], 15);
    assert_int_equal(out[2], UINT32_MAX);
    out[1] = 77;
    assert_status(snt_cloud_rings(&cloud, 1, 1, out, &invalid), SNT_OK);
    assert_int_equal(out[0], 15);
    assert_int_equal(out[1], 77);
    cloud.ring.flags = SNT_FIELD_INDEX;
    assert_status(snt_cloud_rings(&cloud, 1, 1, out, &invalid), SNT_ERR_INVALID_ARG);
    cloud.ring.flags = 0;
    assert_status(snt_cloud_rings(&cloud, 0, 5, out, &invalid), SNT_OK);
    assert_int_equal(invalid, 3);
    const uint8_t bytes[] = {3, 255, 0, 1, 2};
    assert_status(snt_cloud_set_rings(&cloud, bytes, 0, SNT_TYPE_U8), SNT_OK);
    assert_status(snt_cloud_rings(&cloud, 1, 1, out, &invalid), SNT_OK);
    assert_int_equal(out[0], 255);
}

static void contradicting_clouds_and_ranges_are_refused(void **state)
{
    (void)state;
    float xyz[6] = {0};
    double t[2] = {0};
    int64_t out[2] = {1, 1};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_check(&cloud), SNT_OK);
    assert_status(snt_cloud_check(NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 2), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 0, 2, 0, out, NULL), SNT_ERR_NO_TIME);
    assert_status(
        snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 0, 0),
        SNT_OK);
    assert_status(snt_cloud_times(&cloud, 1, 2, 0, out, NULL), SNT_ERR_RANGE);
    assert_status(snt_cloud_times(&cloud, UINT64_MAX, 2, 0, out, NULL), SNT_ERR_RANGE);
    assert_status(snt_cloud_times(&cloud, 2, 0, 0, NULL, NULL), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 0, 2, 0, NULL, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_times(&cloud, 0, 2, INT64_MIN, out, NULL), SNT_ERR_OVERFLOW);
    snt_cloud bad = cloud;
    bad.time_unit_den = 0;
    assert_status(snt_cloud_times(&bad, 0, 2, 0, out, NULL), SNT_ERR_INVALID_ARG);
    bad = cloud;
    bad.time.type = 77;
    assert_status(snt_cloud_check(&bad), SNT_ERR_INVALID_ARG);
    bad = cloud;
    bad.time.data = NULL;
    assert_status(snt_cloud_check(&bad), SNT_ERR_INVALID_ARG);
    bad = cloud;
    bad.count = UINT64_MAX;
    assert_status(snt_cloud_check(&bad), SNT_ERR_INVALID_ARG);
    bad.count = INT64_MAX;
    assert_status(snt_cloud_check(&bad), SNT_ERR_OVERFLOW);
    bad = cloud;
    bad.width = bad.height = 3;
    assert_status(snt_cloud_check(&bad), SNT_ERR_INVALID_ARG);
    bad.width = 2;
    bad.height = 2;
    assert_status(snt_cloud_check(&bad), SNT_ERR_INVALID_ARG);
    bad.height = 1;
    assert_status(snt_cloud_check(&bad), SNT_OK);
    bad.height = 0;
    bad.width = 77; /* unorganised: the other says nothing */
    assert_status(snt_cloud_check(&bad), SNT_OK);
    bad = cloud;
    bad.time_span_ns = -1;
    assert_status(snt_cloud_check(&bad), SNT_ERR_INVALID_ARG);
    bad = cloud;
    bad.time_quantum_ns = -1;
    assert_status(snt_cloud_check(&bad), SNT_ERR_INVALID_ARG);
    bad = cloud;
    bad.time_ref = SNT_TIME_REF_NONE;
    assert_status(snt_cloud_times(&bad, 0, 2, 0, out, NULL), SNT_ERR_NO_TIME);
    bad = cloud;
    bad.time.type = SNT_TYPE_NONE;
    assert_status(snt_cloud_times(&bad, 0, 2, 0, out, NULL), SNT_ERR_NO_TIME);
    bad = cloud;
    bad.x.type = SNT_TYPE_U32;
    assert_status(snt_cloud_check(&bad), SNT_ERR_INVALID_ARG);
    bad = cloud;
    bad.time_ref = SNT_TIME_REF_PACKET;
    assert_status(snt_cloud_times(&bad, 0, 2, 0, out, NULL), SNT_ERR_NO_TIME);
    assert_i64_equal(out[0], 1);
}

static void sizes_of_types_are_those_of_point_field_and_beyond(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 0, 0};
    for (uint32_t type = 0; type < SNT_COUNT_OF(sizes); type++)
        assert_int_equal(snt_type_size(type), sizes[type]);
    assert_int_equal(snt_type_size(UINT32_MAX), 0);
}

static const snt_point_layout velodyne = {.x = {0, SNT_TYPE_F32},
                                          .y = {4, SNT_TYPE_F32},
                                          .z = {8, SNT_TYPE_F32},
                                          .time = {18, SNT_TYPE_F32},
                                          .ring = {16, SNT_TYPE_U16},
                                          .time_ref = SNT_TIME_REF_RELATIVE,
                                          .time_unit = SNT_TIME_UNIT_S};

/* velodyne XYZIRT, 22 bytes: an unaligned f32 at 18; Point-LIO #15: header 100.1, times −0.1 … 0 */
static void a_message_and_its_layout_make_a_cloud(void **state)
{
    (void)state;
    const struct {
        const void *bytes;
        size_t size;
    } all[] = {{bytes_cloud_cdr_le, sizeof bytes_cloud_cdr_le},
               {bytes_cloud_cdr_be, sizeof bytes_cloud_cdr_be}};
    for (size_t i = 0; i < 2; i++) {
        snt_pointcloud2_view view;
        snt_cloud cloud;
        assert_status(snt_pointcloud2_view_parse(SNT_ENCODING_CDR, all[i].bytes, all[i].size, &view, NULL),
                      SNT_OK);
        assert_status(snt_cloud_from_pointcloud2(&view, &velodyne, &cloud), SNT_OK);
        assert_int_equal(cloud.count, 3);
        int64_t times[3];
        assert_status(snt_cloud_times(&cloud, 0, 3, 0, times, NULL), SNT_OK);
        assert_i64_equal(times[0], INT64_C(100100000001) - 100000001); /* −0.1f is −0.100000001 */
        assert_i64_equal(times[2], INT64_C(100100000001));
        uint32_t rings[3];
        assert_status(snt_cloud_rings(&cloud, 0, 3, rings, NULL), SNT_OK);
        assert_int_equal(rings[2], 2);
        float y;
        memcpy(&y, (const unsigned char *)cloud.y.data + cloud.y.stride, 4);
        assert_near((double)y, 3, 0);
        snt_point_layout bad = velodyne;
        bad.time.offset = 19;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_ERR_LAYOUT);
        bad = velodyne;
        bad.time_unit = 77;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_ERR_INVALID_ARG);
        bad = velodyne;
        bad.time.offset = UINT32_MAX;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_ERR_LAYOUT);
        bad = velodyne;
        bad.time_shift_ns = INT64_MAX;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_ERR_OVERFLOW);
        bad.time_shift_ns = -100100000001 - 5;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_OK);
        assert_i64_equal(cloud.time_base_ns, -5);
        bad.time_shift_ns = 7;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_OK);
        assert_i64_equal(cloud.time_base_ns, INT64_C(100100000008));
        bad.time_shift_ns = -7;
        view.header.stamp_ns = INT64_MIN + 6;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_ERR_OVERFLOW);
        view.header.stamp_ns = INT64_C(100100000001);
        bad = velodyne;
        bad.time_ref = SNT_TIME_REF_NORMALISED;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_ERR_INVALID_ARG);
        bad.time_ref = SNT_TIME_REF_PACKET;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_OK);
        bad.time_ref = SNT_TIME_REF_PACKET + 1;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_ERR_INVALID_ARG);
        bad = velodyne;
        bad.x.offset = 19;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_ERR_LAYOUT);
        bad = velodyne;
        bad.time.type = SNT_TYPE_NONE;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_OK);
        assert_int_equal(cloud.time_ref, SNT_TIME_REF_NONE);
        bad = velodyne;
        bad.time_ref = SNT_TIME_REF_NONE;
        assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_OK);
        assert_status(snt_cloud_times(&cloud, 0, 3, 0, times, NULL), SNT_ERR_NO_TIME);
    }
}

static void padded_rows_are_taken_one_by_one(void **state)
{
    (void)state;
    unsigned char data[112] = {0};
    for (uint32_t row = 0; row < 2; row++)
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t t = 10 * row + i;
            memcpy(data + 64 * row + 16 * i + 12, &t, 4);
        }
    snt_pointcloud2_view view;
    assert_status(snt_pointcloud2_view_init(NULL, 0, data, 112, 3, 2, 16, 64, 500, 0, &view, NULL), SNT_OK);
    const snt_point_layout layout = {
        .time = {12, SNT_TYPE_U32}, .time_ref = SNT_TIME_REF_RELATIVE, .time_unit = SNT_TIME_UNIT_NS};
    snt_cloud cloud;
    assert_status(snt_cloud_from_pointcloud2(&view, &layout, &cloud), SNT_ERR_UNSUPPORTED);
    assert_status(snt_cloud_from_pointcloud2_row(&view, &layout, 2, &cloud), SNT_ERR_RANGE);
    assert_status(snt_cloud_from_pointcloud2_row(&view, &layout, 1, &cloud), SNT_OK);
    int64_t times[3];
    assert_status(snt_cloud_times(&cloud, 0, 3, 0, times, NULL), SNT_OK);
    assert_i64_equal(times[2], 512);
    assert_status(snt_pointcloud2_view_init(NULL, 0, NULL, 0, 0, 2, 16, 64, 500, 0, &view, NULL), SNT_OK);
    assert_status(snt_cloud_from_pointcloud2_row(&view, &layout, 1, &cloud), SNT_OK);
    assert_int_equal(cloud.count, 0);
}

/* GC-SLAM's converter: timebase_low, timebase_high, time_offset */
static void the_zero_of_times_may_be_stored_in_the_points(void **state)
{
    (void)state;
    const uint64_t base = UINT64_C(1700000000123456789);
    uint32_t points[2][3];
    for (uint32_t i = 0; i < 2; i++) {
        points[i][0] = (uint32_t)base;
        points[i][1] = (uint32_t)(base >> 32);
        points[i][2] = 1000 * i;
    }
    snt_pointcloud2_view view;
    assert_status(snt_pointcloud2_view_init(NULL, 0, points, sizeof points, 2, 1, 12, 0, 500, 0, &view, NULL),
                  SNT_OK);
    const snt_point_layout layout = {.time = {8, SNT_TYPE_U32},
                                     .time_base_low = {0, SNT_TYPE_U32},
                                     .time_base_high = {4, SNT_TYPE_U32},
                                     .time_ref = SNT_TIME_REF_RELATIVE,
                                     .time_unit = SNT_TIME_UNIT_NS};
    snt_cloud cloud;
    assert_status(snt_cloud_from_pointcloud2(&view, &layout, &cloud), SNT_OK);
    assert_i64_equal(cloud.time_base_ns, INT64_C(1700000000123456789));
    int64_t times[2];
    assert_status(snt_cloud_times(&cloud, 0, 2, 0, times, NULL), SNT_OK);
    assert_i64_equal(times[1], INT64_C(1700000000123457789));
    snt_point_layout bad = layout;
    bad.time_base_low.type = SNT_TYPE_F32;
    assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_ERR_INVALID_ARG);
    bad = layout;
    bad.time_base_high.type = SNT_TYPE_U16;
    assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_ERR_INVALID_ARG);
    bad = layout;
    bad.time_base_high.offset = 9;
    assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_ERR_LAYOUT);
    bad = layout;
    bad.time_base_high.type = SNT_TYPE_NONE; /* a base of 32 bits */
    assert_status(snt_cloud_from_pointcloud2(&view, &bad, &cloud), SNT_OK);
    assert_i64_equal(cloud.time_base_ns, (int64_t)(uint32_t)base);
    points[0][1] = UINT32_MAX;
    assert_status(snt_cloud_from_pointcloud2(&view, &layout, &cloud), SNT_ERR_OVERFLOW);
}

static void a_livox_message_makes_a_cloud_on_the_device_clock(void **state)
{
    (void)state;
    snt_livox_view view;
    assert_status(
        snt_livox_view_parse(SNT_ENCODING_CDR, bytes_livox_cdr_be, sizeof bytes_livox_cdr_be, &view, NULL),
        SNT_OK);
    snt_cloud cloud;
    assert_status(snt_cloud_from_livox(&view, &cloud), SNT_OK);
    int64_t times[3];
    assert_status(snt_cloud_times(&cloud, 0, 3, cloud.time_base_ns, times, NULL), SNT_OK);
    assert_i64_equal(times[1], 5000);
    assert_i64_equal(times[2], INT64_C(4294967295));
    view.timebase_ns = UINT64_MAX;
    assert_status(snt_cloud_from_livox(&view, &cloud), SNT_ERR_OVERFLOW);
}

/* laser_geometry #6: three rays 10 ms apart end 20 ms after the stamp, not 30 */
static void rays_of_a_laser_scan_have_times(void **state)
{
    (void)state;
    const float ranges[] = {2, 0.1f, NAN};
    snt_laserscan_view view = {
        .count = 3, .time_increment = 0.01f, .angle_min = 1.5707964f, .range_min = 0.5f, .range_max = 10};
    view.header.stamp_ns = 1000;
    view.ranges = (snt_field){4, (void *)(uintptr_t)ranges, SNT_TYPE_F32, 0};
    snt_cloud cloud;
    assert_status(snt_cloud_from_laserscan(&view, &cloud), SNT_OK);
    int64_t times[3];
    assert_status(snt_cloud_times(&cloud, 0, 3, 1000, times, NULL), SNT_OK);
    assert_i64_equal(times[0], 0);
    assert_i64_equal(times[2], 20000000); /* 2·0.01f = 0.0199999996 s */
    float xyz[3][3];
    assert_status(snt_laserscan_project(&view, 0, 3, xyz, 0), SNT_OK);
    assert_near((double)xyz[0][0], 0, 1e-6);
    assert_near((double)xyz[0][1], 2, 1e-6);
    assert_true(isnan(xyz[1][0]) && isnan(xyz[2][1])); /* below range_min; NaN */
    xyz[0][0] = xyz[1][0] = 77;
    view.angle_increment = -1.5707964f;
    view.range_min = 0.1f;
    assert_status(snt_laserscan_project(&view, 1, 1, xyz, 0), SNT_OK); /* the second ray: straight on */
    assert_near((double)xyz[0][0], (double)0.1f, 1e-6);
    assert_near((double)xyz[0][2], 0, 0);
    assert_near((double)xyz[1][0], 77, 0);
    view.range_max = 0.1f;
    assert_status(snt_laserscan_project(&view, 1, 1, xyz, 0), SNT_OK);
    assert_near((double)xyz[0][0], (double)0.1f, 1e-6);
    assert_status(snt_laserscan_project(&view, 3, 0, xyz, 0), SNT_OK);
    assert_status(snt_laserscan_project(&view, 4, 0, xyz, 0), SNT_ERR_RANGE);
    assert_status(snt_laserscan_project(NULL, 0, 0, xyz, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_laserscan_project(&view, 2, 2, xyz, 0), SNT_ERR_RANGE);
    assert_status(snt_laserscan_project(&view, 0, 3, xyz, 8), SNT_ERR_INVALID_ARG);
    /* a scan of one beam (laser_geometry divides by n − 1) */
    view.count = 1;
    view.angle_min = 0;
    view.range_max = 10;
    assert_status(snt_laserscan_project(&view, 0, 1, xyz, 0), SNT_OK);
    assert_near((double)xyz[0][0], 2, 0);
    assert_near((double)xyz[0][1], 0, 0);
    assert_status(snt_cloud_from_laserscan(&view, &cloud), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 0, 1, 0, times, NULL), SNT_OK);
    assert_i64_equal(times[0], 1000);
    view.count = 3;
    /* ros_gz writes 0: there is no time then */
    view.time_increment = 0;
    assert_status(snt_cloud_from_laserscan(&view, &cloud), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 0, 3, 0, times, NULL), SNT_ERR_NO_TIME);
    view.time_increment = NAN;
    assert_status(snt_cloud_from_laserscan(&view, &cloud), SNT_ERR_NON_FINITE);
    view.time_increment = 2;
    assert_status(snt_cloud_from_laserscan(&view, &cloud), SNT_ERR_RANGE);
    view.time_increment = -1e-3f;
    view.count = 4000000000;
    assert_status(snt_cloud_from_laserscan(&view, &cloud), SNT_OK);
    assert_status(snt_cloud_times(&cloud, 3999999999, 1, 0, times, NULL), SNT_OK);
    assert_near((double)times[0], -(double)1e-3f * 3999999999.0 * 1e9,
                1024); /* a double's step there: 512 ns */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_of_structures_and_structure_of_arrays_are_taken_with_any_stride),
        cmocka_unit_test(rings_are_whole_numbers_of_any_type),
        cmocka_unit_test(contradicting_clouds_and_ranges_are_refused),
        cmocka_unit_test(sizes_of_types_are_those_of_point_field_and_beyond),
        cmocka_unit_test(a_message_and_its_layout_make_a_cloud),
        cmocka_unit_test(padded_rows_are_taken_one_by_one),
        cmocka_unit_test(the_zero_of_times_may_be_stored_in_the_points),
        cmocka_unit_test(a_livox_message_makes_a_cloud_on_the_device_clock),
        cmocka_unit_test(rays_of_a_laser_scan_have_times),
    };
    return cmocka_run_group_tests_name("cloud", tests, NULL, NULL);
}
