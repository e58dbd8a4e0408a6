/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

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
        /* where long double is no wider than double, the oracle itself is off by a step */
        const long double oracle = LDBL_MANT_DIG > 53 ? 0.0L : fabsl(exact) * (long double)DBL_EPSILON;
        if (fabsl((long double)t - exact) > 0.5001L + oracle)
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
        cmocka_unit_test(setting_times_again_forgets_what_was_set_before),
        cmocka_unit_test(a_declared_grid_wins_back_what_rounding_lost),
        cmocka_unit_test(negative_and_zero_strides_walk_backwards_and_stand_still),
        cmocka_unit_test(every_decoder_agrees_with_long_double),
    };
    return cmocka_run_group_tests_name("cloud_times", tests, NULL, NULL);
}
