/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <stdlib.h>

#include "message_bytes.h"

#include "lib/base/internal.h"

static void put(unsigned char *at, const void *value, size_t size, bool big_endian)
{
    for (size_t i = 0; i < size; i++)
        at[i] = ((const unsigned char *)value)[big_endian ? size - 1 - i : i];
}

/* A cloud with `n` times of a type at an odd address and stride, in either byte order. */
static unsigned char times_memory[4096];
static snt_cloud cloud_of(const double *values, size_t n, uint32_t type, uint32_t unit, uint32_t ref,
                          bool big_endian)
{
    unsigned char *at = times_memory + 1;
    const int64_t stride = 13;
    for (size_t i = 0; i < n; i++) {
        const double v = values[i];
        const float f = (float)v;
        const int64_t whole = fabs(v) < 9e18 ? (int64_t)v : 0;
        const uint64_t unsigned_whole = v >= 0 && v < 1.8e19 ? (uint64_t)v : 0;
        const void *source = type == SNT_TYPE_F64   ? (const void *)&v
                             : type == SNT_TYPE_F32 ? (const void *)&f
                             : type == SNT_TYPE_U64 ? (const void *)&unsigned_whole
                                                    : (const void *)&whole;
        put(at + (int64_t)i * stride, source, snt_type_size(type), big_endian);
    }
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    cloud.count = n;
    assert_status(snt_cloud_set_times(&cloud, at, stride, type, unit, ref, INT64_C(1700000000000000000), 0),
                  SNT_OK);
    if (big_endian)
        cloud.time.flags |= SNT_FIELD_BIG_ENDIAN;
    return cloud;
}

static void relative_times_of_every_type_unit_and_byte_order_decode_to_the_same_nanoseconds(void **state)
{
    (void)state;
    static const struct {
        uint32_t type, unit;
        double values[3];
        int64_t ns[3];
    } cases[] = {
        {SNT_TYPE_U32, SNT_TIME_UNIT_NS, {0, 99000001, 4294967295.0}, {0, 99000001, 4294967295}},
        {SNT_TYPE_U32, SNT_TIME_UNIT_US, {0, 99000, 4294967295.0}, {0, 99000000, 4294967295000}},
        {SNT_TYPE_U32, SNT_TIME_UNIT_100NS, {0, 990000, 1}, {0, 99000000, 100}},
        {SNT_TYPE_I32, SNT_TIME_UNIT_NS, {-100, 0, 2147483647}, {-100, 0, 2147483647}},
        {SNT_TYPE_I16, SNT_TIME_UNIT_MS, {-99, 0, 99}, {-99000000, 0, 99000000}},
        {SNT_TYPE_U16, SNT_TIME_UNIT_US, {0, 1, 65535}, {0, 1000, 65535000}},
        {SNT_TYPE_I8, SNT_TIME_UNIT_MS, {-128, 0, 127}, {-128000000, 0, 127000000}},
        {SNT_TYPE_U8, SNT_TIME_UNIT_MS, {0, 99, 255}, {0, 99000000, 255000000}},
        {SNT_TYPE_I64, SNT_TIME_UNIT_NS, {-5, 0, 4e9}, {-5, 0, 4000000000}},
        {SNT_TYPE_U64, SNT_TIME_UNIT_US, {5, 0, 4e9}, {5000, 0, 4000000000000}},
        {SNT_TYPE_F32, SNT_TIME_UNIT_S, {-0.1, 0, 0.5}, {-100000001, 0, 500000000}},
        {SNT_TYPE_F32, SNT_TIME_UNIT_MS, {99, 0, -0.5}, {99000000, 0, -500000}},
        {SNT_TYPE_F32, SNT_TIME_UNIT_US, {99000, 0, 0.25}, {99000000, 0, 250}},
        {SNT_TYPE_F64, SNT_TIME_UNIT_S, {-0.1, 0, 0.099000001}, {-100000000, 0, 99000001}},
        {SNT_TYPE_F64, SNT_TIME_UNIT_NS, {-0.4, 0.6, 99000001}, {0, 1, 99000001}},
    };
    const int64_t base = INT64_C(1700000000000000000);
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        for (int big_endian = 0; big_endian < 2; big_endian++) {
            const snt_cloud cloud =
                cloud_of(cases[i].values, 3, cases[i].type, cases[i].unit, SNT_TIME_REF_RELATIVE, big_endian);
            int64_t times[3];
            uint64_t invalid = 99;
            assert_status(snt_cloud_times(&cloud, 0, 3, 0, times, &invalid), SNT_OK);
            assert_int_equal(invalid, 0);
            for (size_t k = 0; k < 3; k++)
                assert_i64_equal(times[k] - base, cases[i].ns[k]);
            assert_status(snt_cloud_times(&cloud, 2, 1, base, times, NULL), SNT_OK);
            assert_i64_equal(times[0], cases[i].ns[2]);
        }
    }
}

static void decode_one(double value, uint32_t type, uint32_t unit, int64_t quantum, int64_t *ns,
                       uint64_t *invalid)
{
    snt_cloud cloud = cloud_of(&value, 1, type, unit, SNT_TIME_REF_ABSOLUTE, false);
    cloud.time_quantum_ns = quantum;
    assert_status(snt_cloud_times(&cloud, 0, 1, 0, ns, invalid), SNT_OK);
}

/* DLIO odom.cc:648 multiplies by a float literal and lands 48.08 s early; kinematic-icp #12 */
static void absolute_doubles_keep_every_bit_that_they_have(void **state)
{
    (void)state;
    int64_t ns;
    uint64_t invalid;
    decode_one(1.7e18, SNT_TYPE_F64, SNT_TIME_UNIT_NS, 0, &ns, &invalid);
    assert_i64_equal(ns, INT64_C(1700000000000000000));
    decode_one(1726578368464684544.0, SNT_TYPE_F64, SNT_TIME_UNIT_NS, 0, &ns, &invalid);
    assert_i64_equal(ns, INT64_C(1726578368464684544));
    /* 1700000000.1 as a double is 1700000000.099999904632568359375 */
    decode_one(1700000000.1, SNT_TYPE_F64, SNT_TIME_UNIT_S, 0, &ns, &invalid);
    assert_i64_equal(ns, INT64_C(1700000000099999905));
    decode_one(1700000000.1, SNT_TYPE_F64, SNT_TIME_UNIT_S, 1000, &ns,
               &invalid); /* the device counts microseconds */
    assert_i64_equal(ns, INT64_C(1700000000100000000));
    decode_one(-1.5, SNT_TYPE_F64, SNT_TIME_UNIT_S, 0, &ns, &invalid);
    assert_i64_equal(ns, -1500000000);
    decode_one(1700000000100000.0, SNT_TYPE_F64, SNT_TIME_UNIT_US, 0, &ns, &invalid);
    assert_i64_equal(ns, INT64_C(1700000000100000000));
    assert_int_equal(invalid, 0);
}

static void times_that_are_none_come_out_unknown_and_are_counted(void **state)
{
    (void)state;
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300, -1e19};
    for (uint32_t unit = SNT_TIME_UNIT_S; unit <= SNT_TIME_UNIT_NS; unit++) {
        for (size_t i = 0; i < SNT_COUNT_OF(bad); i++) {
            int64_t ns = 5;
            uint64_t invalid = 0;
            decode_one(bad[i], SNT_TYPE_F64, unit, 0, &ns, &invalid);
            assert_i64_equal(ns, SNT_UNKNOWN);
            assert_int_equal(invalid, 1);
        }
    }
    const float floats[] = {0.1f, NAN, INFINITY, 3e38f};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    cloud.count = 4;
    assert_status(
        snt_cloud_set_times(&cloud, floats, 0, SNT_TYPE_F32, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, 7, 0),
        SNT_OK);
    int64_t times[4];
    uint64_t invalid;
    assert_status(snt_cloud_times(&cloud, 0, 4, 0, times, &invalid), SNT_OK);
    assert_i64_equal(times[0], 100000008);
    for (int i = 1; i < 4; i++)
        assert_i64_equal(times[i], SNT_UNKNOWN);
    assert_int_equal(invalid, 3);
    const uint64_t huge[] = {UINT64_MAX, (uint64_t)INT64_MAX + 1};
    cloud.count = 2;
    assert_status(
        snt_cloud_set_times(&cloud, huge, 0, SNT_TYPE_U64, SNT_TIME_UNIT_NS, SNT_TIME_REF_ABSOLUTE, 0, 0),
        SNT_OK);
    assert_status(snt_cloud_times(&cloud, 0, 2, 0, times, &invalid), SNT_OK);
    assert_int_equal(invalid, 2);
    /* a base so late that the sum leaves int64 */
    const uint32_t u32[] = {0, 4000000000u};
    assert_status(snt_cloud_set_times(&cloud, u32, 0, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE,
                                      INT64_MAX - 10, 0),
                  SNT_OK);
    assert_status(snt_cloud_times(&cloud, 0, 2, 0, times, &invalid), SNT_OK);
    assert_i64_equal(times[0], INT64_MAX - 10);
    assert_i64_equal(times[1], SNT_UNKNOWN);
}

static void normalised_times_span_the_given_duration(void **state)
{
    (void)state;
    const double times_in[] = {0, 0.5, 1.0, -0.1};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    cloud.count = 4;
    assert_status(snt_cloud_set_times(&cloud, times_in, 0, SNT_TYPE_F64, SNT_TIME_UNIT_UNKNOWN,
                                      SNT_TIME_REF_NORMALISED, 1000, 100000000),
                  SNT_OK);
    int64_t times[4];
    assert_status(snt_cloud_times(&cloud, 0, 4, 0, times, NULL), SNT_OK);
    assert_i64_equal(times[0], 1000);
    assert_i64_equal(times[1], 50001000);
    assert_i64_equal(times[2], 100001000);
    assert_i64_equal(times[3], -9999000);
}

/* Hesai SDK XYZICRTT, SICK lidar_sec + lidar_nsec */
static void a_split_time_adds_nanoseconds_to_seconds(void **state)
{
    (void)state;
    const struct {
        uint32_t sec, nsec;
    } points[] = {{1700000000, 999999999}, {1700000001, 5}};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    cloud.count = 2;
    assert_status(snt_cloud_set_times(&cloud, &points[0].sec, sizeof points[0], SNT_TYPE_U32, SNT_TIME_UNIT_S,
                                      SNT_TIME_REF_ABSOLUTE, 0, 0),
                  SNT_OK);
    cloud.time_nsec = (snt_field){sizeof points[0], (void *)(uintptr_t)&points[0].nsec, SNT_TYPE_U32, 0};
    int64_t times[2];
    assert_status(snt_cloud_times(&cloud, 0, 2, 0, times, NULL), SNT_OK);
    assert_i64_equal(times[0], INT64_C(1700000000999999999));
    assert_i64_equal(times[1], INT64_C(1700000001000000005));
}

static void a_rational_unit_is_scaled_without_losing_digits(void **state)
{
    (void)state;
    const uint64_t ticks[] = {UINT64_C(1) << 62, 3, 1000000007};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    cloud.count = 3;
    assert_status(
        snt_cloud_set_times(&cloud, ticks, 0, SNT_TYPE_U64, SNT_TIME_UNIT_NS, SNT_TIME_REF_ABSOLUTE, 0, 0),
        SNT_OK);
    cloud.time_unit_num = 125; /* 1/24 of a µs would be 125/3 ns */
    cloud.time_unit_den = 3;
    int64_t times[3];
    uint64_t invalid;
    assert_status(snt_cloud_times(&cloud, 0, 3, 0, times, &invalid), SNT_OK);
    assert_i64_equal(times[0], SNT_UNKNOWN);
    assert_int_equal(invalid, 1);
    assert_i64_equal(times[1], 125);
    assert_i64_equal(times[2], INT64_C(41666666958)); /* 1000000007·125/3 = 41666666958.33 */
    cloud.time_unit_num = -1;
    cloud.time_unit_den = 1024;
    assert_status(snt_cloud_times(&cloud, 0, 3, 0, times, NULL), SNT_OK);
    assert_i64_equal(times[0], -(INT64_C(1) << 52));
}

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

static void setting_times_again_forgets_what_was_set_before(void **state)
{
    (void)state;
    const double t[2] = {0, 1};
    const float f[2] = {0, 0.5f};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    cloud.count = 2;
    cloud.time_nsec = (snt_field){4, (void *)(uintptr_t)t, SNT_TYPE_U32, 0};
    assert_status(
        snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F64, SNT_TIME_UNIT_MS, SNT_TIME_REF_ABSOLUTE, 99, 77),
        SNT_OK);
    assert_int_equal(cloud.time_nsec.type, SNT_TYPE_NONE);
    assert_i64_equal(cloud.time_nsec.stride, 0);
    assert_i64_equal(cloud.time_base_ns, 0);
    assert_i64_equal(cloud.time_span_ns, 0);
    assert_i64_equal(cloud.time_unit_num, 1000000);
    assert_status(snt_cloud_set_times(&cloud, f, 0, SNT_TYPE_F32, 0, SNT_TIME_REF_NORMALISED, 99, 0), SNT_OK);
    int64_t out[3] = {5, 5, 5};
    assert_status(snt_cloud_times(&cloud, 0, 2, 0, out, NULL),
                  SNT_OK); /* a scan of no length: all at its base */
    assert_i64_equal(out[1], 99);
    assert_i64_equal(out[2], 5); /* nothing behind the last one is written */
    assert_status(snt_cloud_set_times(&cloud, f, 0, SNT_TYPE_F32, 0, SNT_TIME_REF_NORMALISED, 99, 1000),
                  SNT_OK);
    assert_i64_equal(cloud.time_unit_num, 1);
    assert_status(snt_cloud_times(&cloud, 1, 1, 0, out, NULL), SNT_OK);
    assert_i64_equal(out[0], 599);
    assert_status(
        snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F64, SNT_TIME_UNIT_NS + 1, SNT_TIME_REF_ABSOLUTE, 0, 0),
        SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_F64, 0, SNT_TIME_REF_ABSOLUTE, 0, 0),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_set_times(NULL, t, 0, SNT_TYPE_F64, 1, SNT_TIME_REF_ABSOLUTE, 0, 0),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_set_rings(NULL, t, 0, SNT_TYPE_F64), SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_set_xyz(NULL, out, out, out, 0, SNT_TYPE_F64, 1), SNT_ERR_INVALID_ARG);
    assert_status(snt_cloud_set_points(NULL, out, 0, SNT_TYPE_F64, 1), SNT_ERR_INVALID_ARG);
    snt_cloud_init(NULL);
}

static void a_declared_grid_wins_back_what_rounding_lost(void **state)
{
    (void)state;
    static const int64_t cases[][2] = {{1499, 1000},   {1500, 1000},   {1501, 2000},   {0, 0},
                                       {999, 1000},    {-1499, -1000}, {-1501, -2000}, {-999, -1000},
                                       {-3000, -3000}, {2000, 2000}};
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        int64_t t[2] = {cases[i][0], 0};
        snt_cloud cloud;
        snt_cloud_init(&cloud);
        cloud.count = 1;
        assert_status(
            snt_cloud_set_times(&cloud, t, 0, SNT_TYPE_I64, SNT_TIME_UNIT_NS, SNT_TIME_REF_ABSOLUTE, 0, 0),
            SNT_OK);
        cloud.time_quantum_ns = 1000;
        int64_t out;
        assert_status(snt_cloud_times(&cloud, 0, 1, 0, &out, NULL), SNT_OK);
        assert_i64_equal(out, cases[i][1]);
    }
}

static void negative_and_zero_strides_walk_backwards_and_stand_still(void **state)
{
    (void)state;
    const uint32_t t[4] = {1, 2, 3, 4};
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    cloud.count = 4;
    assert_status(
        snt_cloud_set_times(&cloud, &t[3], -4, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, 0, 0),
        SNT_OK);
    int64_t out[4];
    assert_status(snt_cloud_times(&cloud, 0, 4, 0, out, NULL), SNT_OK);
    assert_i64_equal(out[0], 4);
    assert_i64_equal(out[3], 1);
    cloud.time.stride = 0; /* by hand only */
    assert_status(snt_cloud_times(&cloud, 0, 4, 0, out, NULL), SNT_OK);
    assert_i64_equal(out[3], 4);
    cloud.time.stride = INT64_MIN;
    assert_status(snt_cloud_times(&cloud, 0, 4, 0, out, NULL), SNT_ERR_OVERFLOW);
    cloud.time.stride = INT64_MAX / 4;
    assert_status(snt_cloud_check(&cloud), SNT_OK);
    cloud.time.stride = INT64_MAX / 4 + 1;
    assert_status(snt_cloud_check(&cloud), SNT_ERR_OVERFLOW);
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

/* Random values against long double */
static void every_decoder_agrees_with_long_double(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    static const uint32_t types[] = {SNT_TYPE_F32, SNT_TYPE_F64, SNT_TYPE_U32, SNT_TYPE_I32};
    for (int round = 0; round < 20000; round++) {
        const uint32_t type = types[rng_below(&rng, 4)], unit = 1 + (uint32_t)rng_below(&rng, 5);
        static const long double units[] = {0, 1e9L, 1e6L, 1e3L, 100, 1};
        double v = ldexp(rng_range(&rng, -1, 1), (int)rng_int(&rng, -20, 30));
        if (type == SNT_TYPE_U32)
            v = floor(fabs(v));
        else if (type == SNT_TYPE_I32)
            v = floor(v);
        const snt_cloud cloud = cloud_of(&v, 1, type, unit, SNT_TIME_REF_ABSOLUTE, rng_below(&rng, 2));
        const long double exact =
            (type == SNT_TYPE_F32 ? (long double)(float)v : (long double)v) * units[unit];
        int64_t t;
        assert_status(snt_cloud_times(&cloud, 0, 1, 0, &t, NULL), SNT_OK);
        if (fabsl((long double)t - exact) > 0.5001L)
            fail_msg("type %u unit %u value %.17g: %" PRId64, type, unit, v, t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relative_times_of_every_type_unit_and_byte_order_decode_to_the_same_nanoseconds),
        cmocka_unit_test(absolute_doubles_keep_every_bit_that_they_have),
        cmocka_unit_test(times_that_are_none_come_out_unknown_and_are_counted),
        cmocka_unit_test(normalised_times_span_the_given_duration),
        cmocka_unit_test(a_split_time_adds_nanoseconds_to_seconds),
        cmocka_unit_test(a_rational_unit_is_scaled_without_losing_digits),
        cmocka_unit_test(array_of_structures_and_structure_of_arrays_are_taken_with_any_stride),
        cmocka_unit_test(rings_are_whole_numbers_of_any_type),
        cmocka_unit_test(contradicting_clouds_and_ranges_are_refused),
        cmocka_unit_test(sizes_of_types_are_those_of_point_field_and_beyond),
        cmocka_unit_test(setting_times_again_forgets_what_was_set_before),
        cmocka_unit_test(a_declared_grid_wins_back_what_rounding_lost),
        cmocka_unit_test(negative_and_zero_strides_walk_backwards_and_stand_still),
        cmocka_unit_test(a_message_and_its_layout_make_a_cloud),
        cmocka_unit_test(padded_rows_are_taken_one_by_one),
        cmocka_unit_test(the_zero_of_times_may_be_stored_in_the_points),
        cmocka_unit_test(a_livox_message_makes_a_cloud_on_the_device_clock),
        cmocka_unit_test(rays_of_a_laser_scan_have_times),
        cmocka_unit_test(every_decoder_agrees_with_long_double),
    };
    return cmocka_run_group_tests_name("cloud", tests, NULL, NULL);
}
