/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "lib/base/wide.h"

#define S SNT_NS_PER_S

static void checked_sums_are_exact_or_refused(void **state)
{
    (void)state;
    snt_time out = 77;
    assert_status(snt_time_add(INT64_MAX - 2, 1, &out), SNT_OK);
    assert_i64_equal(out, INT64_MAX - 1);
    out = 77;
    assert_status(snt_time_add(INT64_MAX - 2, 2, &out), SNT_ERR_OVERFLOW); /* INT64_MAX is an infinity */
    assert_status(snt_time_add(INT64_MAX - 2, 3, &out), SNT_ERR_OVERFLOW);
    assert_status(snt_time_add(INT64_MIN + 2, -2, &out), SNT_ERR_OVERFLOW);
    assert_status(snt_time_add(INT64_MAX, 0, &out), SNT_ERR_RANGE);
    assert_status(snt_time_add(0, SNT_UNKNOWN, &out), SNT_ERR_RANGE);
    assert_status(snt_time_add(0, 0, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_sub(0, INT64_MIN, &out), SNT_ERR_RANGE);
    assert_status(snt_time_sub(-2, INT64_MAX - 1, &out), SNT_ERR_OVERFLOW);
    assert_status(snt_time_sub(0, 0, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_sub(0, SNT_UNKNOWN, NULL), SNT_ERR_INVALID_ARG);
    assert_i64_equal(out, 77);
    assert_status(snt_time_sub(0, INT64_MAX - 1, &out), SNT_OK);
    assert_i64_equal(out, -(INT64_MAX - 1));
    /* rcl #204: a difference just past 32 bits of nanoseconds */
    assert_status(snt_time_sub(INT64_C(2147483649), 1, &out), SNT_OK);
    assert_i64_equal(out, INT64_C(2147483648));
}

static void products_go_through_128_bits(void **state)
{
    (void)state;
    snt_duration out = 5;
    /* ArduPilot #32302: milliseconds times 1000 overflow 32 bits after 71.58 minutes */
    assert_status(snt_duration_mul(5000000, 1000, &out), SNT_OK);
    assert_i64_equal(out, INT64_C(5000000000));
    assert_status(snt_duration_mul(INT64_C(1) << 62, 2, &out), SNT_ERR_OVERFLOW);
    assert_status(snt_duration_mul(INT64_C(1) << 62, -2, &out),
                  SNT_ERR_OVERFLOW); /* INT64_MIN: an infinity */
    assert_status(snt_duration_scale(1, 1, 0, SNT_ROUND_FLOOR, &out), SNT_ERR_INVALID_ARG);
    assert_status(snt_duration_scale(1, 1, 1, 4, &out), SNT_ERR_INVALID_ARG);
    assert_status(snt_duration_scale(SNT_UNKNOWN, 1, 2, SNT_ROUND_FLOOR, &out), SNT_ERR_RANGE);
    assert_i64_equal(out, INT64_C(5000000000));
    assert_status(snt_duration_scale(INT64_MAX - 1, INT64_MAX, INT64_MAX, SNT_ROUND_FLOOR, &out), SNT_OK);
    assert_i64_equal(out, INT64_MAX - 1);
}

static void scaling_rounds_once_in_each_of_four_ways(void **state)
{
    (void)state;
    static const struct {
        int64_t d, num, den, floor, ceil, nearest, zero;
    } cases[] = {
        {7, 1, 2, 3, 4, 4, 3},       {5, 1, 2, 2, 3, 2, 2},      {-7, 1, 2, -4, -3, -4, -3},
        {-5, 1, 2, -3, -2, -2, -2},  {7, -1, 2, -4, -3, -4, -3}, {7, 1, -2, -4, -3, -4, -3},
        {-7, -1, 2, 3, 4, 4, 3},     {10, 1, 3, 3, 4, 3, 3},     {11, 1, 3, 3, 4, 4, 3},
        {-11, 1, 3, -4, -3, -4, -3}, {6, 1, 3, 2, 2, 2, 2},      {0, 9, 7, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        const int64_t expected[] = {cases[i].floor, cases[i].ceil, cases[i].nearest, cases[i].zero};
        for (uint32_t rounding = 0; rounding < 4; rounding++) {
            snt_duration out = 99;
            assert_status(snt_duration_scale(cases[i].d, cases[i].num, cases[i].den, rounding, &out), SNT_OK);
            assert_i64_equal(out, expected[rounding]);
            assert_i64_equal(snt_duration_scale_sat(cases[i].d, cases[i].num, cases[i].den, rounding),
                             expected[rounding]);
        }
    }
}

static void saturating_forms_absorb_at_the_infinities(void **state)
{
    (void)state;
    assert_i64_equal(snt_time_add_sat(INT64_MAX - 1, 5), SNT_TIME_INFINITE_FUTURE);
    assert_i64_equal(snt_time_add_sat(INT64_MIN + 1, -5), SNT_TIME_INFINITE_PAST);
    assert_i64_equal(snt_time_add_sat(SNT_TIME_INFINITE_PAST, INT64_MAX), SNT_TIME_INFINITE_PAST);
    assert_i64_equal(snt_time_add_sat(SNT_TIME_INFINITE_FUTURE, -5), SNT_TIME_INFINITE_FUTURE);
    assert_i64_equal(snt_time_add_sat(3, INT64_MAX), SNT_TIME_INFINITE_FUTURE);
    assert_i64_equal(snt_time_sub_sat(3, INT64_MAX), SNT_TIME_INFINITE_PAST);
    assert_i64_equal(snt_time_sub_sat(3, INT64_MIN), SNT_TIME_INFINITE_FUTURE);
    assert_i64_equal(snt_time_sub_sat(-3, INT64_MAX - 1), SNT_TIME_INFINITE_PAST);
    assert_i64_equal(snt_time_sub_sat(7, 9), -2);
    assert_i64_equal(snt_duration_mul_sat(INT64_C(1) << 62, 2), INT64_MAX);
    assert_i64_equal(snt_duration_mul_sat(INT64_C(1) << 62, -4), INT64_MIN);
    assert_i64_equal(snt_duration_mul_sat(INT64_MAX, -1), INT64_MIN);
    assert_i64_equal(snt_duration_mul_sat(INT64_MAX, 0), 0);
    assert_i64_equal(snt_duration_scale_sat(-5, 1, 0, SNT_ROUND_FLOOR), INT64_MIN);
    assert_i64_equal(snt_duration_scale_sat(7, 1, 2, 99), 3);
}

static void tick_rates_are_exact_rationals(void **state)
{
    (void)state;
    snt_duration ns;
    int64_t rest, ticks;
    /* 90 kHz: one tick is 11111.1 ns; after an hour not a nanosecond is lost */
    assert_status(snt_ticks_to_ns(90000 * INT64_C(3600), 1000000000, 90000, SNT_ROUND_FLOOR, &ns, &rest),
                  SNT_OK);
    assert_i64_equal(ns, 3600 * S);
    assert_i64_equal(rest, 0);
    assert_status(snt_ticks_to_ns(1, 1000000000, 90000, SNT_ROUND_FLOOR, &ns, &rest), SNT_OK);
    assert_i64_equal(ns, 11111);
    assert_i64_equal(rest, 1000000000 - INT64_C(11111) * 90000);
    assert_status(snt_ticks_to_ns(-1, 1000000000, 90000, SNT_ROUND_FLOOR, &ns, &rest), SNT_OK);
    assert_i64_equal(ns, -11112);
    assert_i64_equal(rest, -1000000000 + INT64_C(11112) * 90000);
    assert_status(snt_ticks_to_ns(1, 1000000000, 90000, SNT_ROUND_CEIL, &ns, &rest), SNT_OK);
    assert_i64_equal(ns, 11112);
    assert_i64_equal(rest, 1000000000 - INT64_C(11112) * 90000);
    /* pypylon #772: a GigE camera at 125 MHz ticks every 8 ns */
    assert_status(snt_ticks_to_ns(125000000, 8, 1, SNT_ROUND_FLOOR, &ns, NULL), SNT_OK);
    assert_i64_equal(ns, S);
    /* 19.2 MHz, 32768 Hz, 30/1.001 frames per second */
    assert_status(snt_ticks_to_ns(192, 1000000000, 19200000, SNT_ROUND_FLOOR, &ns, NULL), SNT_OK);
    assert_i64_equal(ns, 10000);
    assert_status(snt_ticks_to_ns(32768, 1000000000, 32768, SNT_ROUND_FLOOR, &ns, NULL), SNT_OK);
    assert_i64_equal(ns, S);
    assert_status(snt_ticks_to_ns(30, INT64_C(1001000000000), 30000, SNT_ROUND_FLOOR, &ns, NULL), SNT_OK);
    assert_i64_equal(ns, 1001 * SNT_NS_PER_MS);
    /* back again: for ticks of a nanosecond or more, ceil undoes floor */
    test_rng rng = rng_from_env();
    for (int i = 0; i < 20000; i++) {
        const int64_t den = rng_int(&rng, 1, 1000000), num = rng_int(&rng, den, 1000000000000);
        const int64_t in = rng_int(&rng, -1000000, 1000000);
        assert_status(snt_ticks_to_ns(in, num, den, SNT_ROUND_FLOOR, &ns, NULL), SNT_OK);
        assert_status(snt_ns_to_ticks(ns, num, den, SNT_ROUND_CEIL, &ticks), SNT_OK);
        assert_i64_equal(ticks, in);
    }
    assert_status(snt_ticks_to_ns(INT64_MAX, 2, 1, SNT_ROUND_FLOOR, &ns, NULL), SNT_ERR_OVERFLOW);
    assert_status(snt_ticks_to_ns(INT64_MAX, 1, 1, SNT_ROUND_FLOOR, &ns, NULL), SNT_ERR_OVERFLOW);
    assert_status(snt_ticks_to_ns(1, 0, 1, SNT_ROUND_FLOOR, &ns, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_ticks_to_ns(1, 1, -1, SNT_ROUND_FLOOR, &ns, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_ns_to_ticks(SNT_UNKNOWN, 1, 1, SNT_ROUND_FLOOR, &ticks), SNT_ERR_RANGE);
    assert_status(snt_ns_to_ticks(1, 1, 1, SNT_ROUND_FLOOR, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_ns_to_ticks(1, 0, 1, SNT_ROUND_FLOOR, &ticks), SNT_ERR_INVALID_ARG);
    assert_status(snt_ns_to_ticks(1, 1, 0, SNT_ROUND_FLOOR, &ticks), SNT_ERR_INVALID_ARG);
    assert_status(snt_ns_to_ticks(1, -1, 1, SNT_ROUND_FLOOR, &ticks), SNT_ERR_INVALID_ARG);
    assert_status(snt_ns_to_ticks(1, 1, 1, 4, &ticks), SNT_ERR_INVALID_ARG);
    assert_status(snt_ns_to_ticks(-5, 2, 1, SNT_ROUND_ZERO, &ticks), SNT_OK);
    assert_i64_equal(ticks, -2);
}

static void counters_of_the_field_have_the_periods_their_makers_say(void **state)
{
    (void)state;
    snt_duration ns;
    assert_status(snt_ticks_to_ns(INT64_C(1) << 32, 1000, 1, SNT_ROUND_FLOOR, &ns, NULL), SNT_OK);
    assert_i64_equal(ns, INT64_C(4294967296000)); /* 2^32 µs = 4294.967296 s */
    assert_status(snt_ticks_to_ns(INT64_C(1) << 24, 1000000, 1, SNT_ROUND_FLOOR, &ns, NULL), SNT_OK);
    assert_i64_equal(ns / (36 * S), 466); /* 4.66 h */
    /* VectorNav #94: 12 999 000 000 ns are not 12 s */
    assert_status(snt_ticks_to_ns(INT64_C(12999000000), 1, 1, SNT_ROUND_FLOOR, &ns, NULL), SNT_OK);
    assert_i64_equal(ns, INT64_C(12999000000));
}

static void ros1_times_refuse_what_ros1_cannot_say(void **state)
{
    (void)state;
    snt_time t = 7;
    uint32_t sec = 1, nsec = 1;
    assert_status(snt_time_from_ros1(4294967295u, 999999999u, &t), SNT_OK);
    assert_i64_equal(t, INT64_C(4294967295999999999)); /* 2106-02-07T06:28:15.999999999 */
    assert_status(snt_time_to_ros1(t, &sec, &nsec), SNT_OK);
    assert_int_equal(sec, 4294967295u);
    assert_int_equal(nsec, 999999999);
    assert_status(snt_time_to_ros1(t + 1, &sec, &nsec), SNT_ERR_RANGE);
    assert_status(snt_time_to_ros1(-1, &sec, &nsec), SNT_ERR_RANGE);
    assert_status(snt_time_to_ros1(SNT_UNKNOWN, &sec, &nsec), SNT_ERR_RANGE);
    assert_int_equal(sec, 4294967295u);
    /* roscpp_core #48: 1030 s + 1000000000 ns is refused, and normalised only on request */
    assert_status(snt_time_from_ros1(1030, 1000000000u, &t), SNT_ERR_RANGE);
    assert_status(snt_time_from_parts(1030, 1000000000, &t), SNT_OK);
    assert_i64_equal(t, 1031 * S);
    assert_status(snt_time_from_ros1(0, 0, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_ros1(0, NULL, &nsec), SNT_ERR_INVALID_ARG);
}

static void ros1_durations_keep_their_sign(void **state)
{
    (void)state;
    snt_duration d;
    int32_t sec, nsec;
    /* roscpp_core #98: a negative count of nanoseconds has no negative fraction */
    assert_status(snt_duration_to_ros1(-250000000, &sec, &nsec), SNT_OK);
    assert_int_equal(sec, -1);
    assert_int_equal(nsec, 750000000);
    assert_status(snt_duration_from_ros1(-1, 750000000, &d), SNT_OK);
    assert_i64_equal(d, -250000000);
    assert_status(snt_duration_from_ros1(0, -250000000, &d),
                  SNT_OK); /* the other spelling some senders use */
    assert_i64_equal(d, -250000000);
    assert_status(snt_duration_from_ros1(0, -1000000000, &d), SNT_ERR_RANGE);
    assert_status(snt_duration_to_ros1(INT64_C(2147483648) * S, &sec, &nsec), SNT_ERR_RANGE);
    assert_status(snt_duration_to_ros1(INT64_C(-2147483648) * S, &sec, &nsec), SNT_OK);
    assert_int_equal(sec, INT32_MIN);
}

static void ros2_times_round_down_and_never_wrap(void **state)
{
    (void)state;
    snt_time t;
    int32_t sec = 0;
    uint32_t nanosec = 0;
    /* rclcpp #1188: −1 ns is (−1, 999999999), not (0, 4294967295) */
    assert_status(snt_time_to_ros2(-1, &sec, &nanosec), SNT_OK);
    assert_int_equal(sec, -1);
    assert_int_equal(nanosec, 999999999);
    assert_status(snt_time_from_ros2(-1, 999999999u, &t), SNT_OK);
    assert_i64_equal(t, -1);
    assert_status(snt_time_from_ros2(-1, 0, &t), SNT_OK); /* rclcpp #2507 */
    assert_i64_equal(t, -S);
    assert_status(snt_time_from_ros2(0, 4294967295u, &t), SNT_ERR_RANGE);
    /* bno08x #20: the whole count in the nanosecond field put stamps 4 s into the future */
    assert_status(snt_time_from_ros2(1700000000, 4000000000u, &t), SNT_ERR_RANGE);
    /* 2038-01-19T03:14:08 is an error, not 1901 (rcl_interfaces #85) */
    assert_status(snt_time_to_ros2(INT64_C(2147483647999999999), &sec, &nanosec), SNT_OK);
    assert_int_equal(sec, INT32_MAX);
    assert_int_equal(nanosec, 999999999);
    assert_status(snt_time_to_ros2(INT64_C(2147483648) * S, &sec, &nanosec), SNT_ERR_RANGE);
    assert_status(snt_time_to_ros2(SNT_TIME_INFINITE_FUTURE, &sec, &nanosec), SNT_ERR_RANGE);
    assert_status(snt_time_to_ros2(SNT_TIME_INFINITE_PAST, &sec, &nanosec), SNT_ERR_RANGE);
    assert_int_equal(sec, INT32_MAX);
    /* rclcpp #1584: the longest duration survives the round trip */
    assert_status(snt_time_from_ros2(INT32_MAX, 999999999u, &t), SNT_OK);
    assert_status(snt_time_to_ros2(t, &sec, &nanosec), SNT_OK);
    assert_int_equal(nanosec, 999999999);
    assert_status(snt_time_from_ros2(INT32_MIN, 0, &t), SNT_OK);
    assert_i64_equal(t, INT64_C(-2147483648) * S);
}

static void kernel_pairs_are_checked(void **state)
{
    (void)state;
    snt_time t;
    int64_t sec, part;
    assert_status(snt_time_from_timespec(-1, 999999999, &t), SNT_OK);
    assert_i64_equal(t, -1);
    /* micro_ros_arduino #438: a second or more of nanoseconds after a rollover */
    assert_status(snt_time_from_timespec(12, 1000000000, &t), SNT_ERR_RANGE);
    assert_status(snt_time_from_timespec(12, -1, &t), SNT_ERR_RANGE);
    assert_status(snt_time_from_timespec(INT64_MAX, 0, &t), SNT_ERR_OVERFLOW);
    assert_status(snt_time_from_timespec(INT64_C(9223372036), 854775806, &t), SNT_OK);
    assert_i64_equal(t, INT64_MAX - 1);
    assert_status(snt_time_from_timespec(INT64_C(9223372036), 854775807, &t), SNT_ERR_OVERFLOW);
    assert_status(snt_time_from_timespec(INT64_C(-9223372037), 145224193, &t), SNT_OK);
    assert_i64_equal(t, INT64_MIN + 1);
    assert_status(snt_time_from_timespec(INT64_C(-9223372037), 145224192, &t), SNT_ERR_OVERFLOW);
    assert_status(snt_time_to_timespec(INT64_MIN + 1, &sec, &part), SNT_OK);
    assert_i64_equal(sec, INT64_C(-9223372037));
    assert_i64_equal(part, 145224193);
    assert_status(snt_time_to_timespec(SNT_UNKNOWN, &sec, &part), SNT_ERR_RANGE);
    assert_status(snt_time_from_timeval(-1, 999999, &t), SNT_OK);
    assert_i64_equal(t, -1000);
    assert_status(snt_time_from_timeval(0, 1000000, &t), SNT_ERR_RANGE);
    assert_status(snt_time_to_timeval(-1, &sec, &part), SNT_OK);
    assert_i64_equal(sec, -1);
    assert_i64_equal(part, 999999);
    assert_status(snt_time_to_timeval(SNT_UNKNOWN, &sec, &part), SNT_ERR_RANGE);
    assert_status(snt_time_from_parts(INT64_MAX, INT64_MAX, &t), SNT_ERR_OVERFLOW);
    assert_status(snt_time_from_parts(INT64_MIN, INT64_MIN, &t), SNT_ERR_OVERFLOW);
    assert_status(snt_time_from_parts(-1, INT64_C(2000000001), &t), SNT_OK);
    assert_i64_equal(t, S + 1);
    /* micro_ros_platformio #130: epoch milliseconds need 64 bits */
    assert_status(snt_time_from_parts(0, INT64_C(1710757420825) * SNT_NS_PER_MS, &t), SNT_OK);
    assert_i64_equal(t, INT64_C(1710757420825000000));
}

static void every_output_is_needed_and_zero_is_a_time(void **state)
{
    (void)state;
    uint32_t u = 9;
    uint64_t w = 9;
    int32_t i = 9;
    int64_t x = 9;
    snt_time t;
    assert_status(snt_time_to_ros1(0, &u, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_duration_to_ros1(0, &i, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_duration_to_ros1(0, NULL, &i), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_ros2(0, &i, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_ros2(0, NULL, &u), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_timespec(0, &x, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_timespec(0, NULL, &x), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_timeval(0, &x, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_timeval(0, NULL, &x), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_ptp(0, &w, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_ptp(0, NULL, &u), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_gps(0, 0, &u, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_gps(0, 0, NULL, &x), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_to_gps(0, 11, &u, &x), SNT_ERR_INVALID_ARG);
    assert_true(u == 9 && w == 9 && i == 9 && x == 9);
    assert_status(snt_time_to_ros1(0, &u, &u), SNT_OK);
    assert_status(snt_time_to_ptp(0, &w, &u), SNT_OK);
    assert_status(snt_time_to_gps(0, 10, &u, &x), SNT_OK);
    assert_true(u == 0 && w == 0 && x == 0);
    assert_status(snt_duration_from_ros1(0, 1000000000, &t), SNT_ERR_RANGE);
    assert_status(snt_time_from_gps(1024, 0, 10, 0, &t), SNT_ERR_RANGE);
}

static void ntp_times_find_their_era(void **state)
{
    (void)state;
    snt_time t = 3;
    uint64_t ntp;
    const snt_time y2026 = INT64_C(1796000000) * S;
    /* the published unix epoch: 2208988800 s after 1900 */
    assert_status(snt_time_from_ntp(UINT64_C(2208988800) << 32, 0, &t), SNT_OK);
    assert_i64_equal(t, 0);
    /* era 1 starts at 2036-02-07T06:28:16: second 1 is in 2036, not in 1900 */
    assert_status(snt_time_from_ntp(UINT64_C(1) << 32, y2026, &t), SNT_OK);
    assert_i64_equal(t, INT64_C(2085978497) * S);
    assert_status(snt_time_from_ntp(UINT64_C(1) << 32, INT64_C(-315619200) * S, &t), SNT_OK); /* 1960: 1900 */
    assert_i64_equal(t, INT64_C(-2208988799) * S);
    assert_status(snt_time_from_ntp(UINT64_C(0xffffffff) << 32, INT64_C(2085978500) * S, &t), SNT_OK);
    assert_i64_equal(t, INT64_C(2085978495) * S);
    /* half a second is half a second */
    assert_status(snt_time_from_ntp(UINT64_C(0x80000000), INT64_C(2085978496) * S, &t), SNT_OK);
    assert_i64_equal(t, INT64_C(2085978496) * S + S / 2);
    t = 3;
    assert_status(snt_time_from_ntp(0, y2026, &t), SNT_ERR_NO_TIME);
    assert_status(snt_time_from_ntp(1, SNT_UNKNOWN, &t), SNT_ERR_RANGE);
    assert_i64_equal(t, 3);
    /* the era's first instant does not turn into "not known" */
    assert_status(snt_time_to_ntp(INT64_C(2085978496) * S, &ntp), SNT_OK);
    assert_true(ntp == 1);
    assert_status(snt_time_from_ntp(ntp, y2026, &t), SNT_OK);
    assert_i64_equal(t, INT64_C(2085978496) * S);
    assert_status(snt_time_to_ntp(SNT_UNKNOWN, &ntp), SNT_ERR_RANGE);
    /* every nanosecond survives there and back */
    test_rng rng = rng_from_env();
    for (int i = 0; i < 20000; i++) {
        const snt_time in = rng_int(&rng, INT64_MIN / 2, INT64_MAX / 2);
        const snt_time pivot =
            in + rng_int(&rng, -68 * INT64_C(365) * 86400 * S, 68 * INT64_C(365) * 86400 * S);
        assert_status(snt_time_to_ntp(in, &ntp), SNT_OK);
        assert_status(snt_time_from_ntp(ntp, pivot, &t), SNT_OK);
        assert_i64_equal(t, in);
    }
}

static void ptp_times_have_48_bits_of_seconds(void **state)
{
    (void)state;
    snt_time t = 3;
    uint64_t sec;
    uint32_t nsec;
    assert_status(snt_time_from_ptp(1700000037, 5, &t), SNT_OK);
    assert_i64_equal(t, INT64_C(1700000037) * S + 5);
    assert_status(snt_time_to_ptp(t, &sec, &nsec), SNT_OK);
    assert_true(sec == 1700000037 && nsec == 5);
    assert_status(snt_time_from_ptp(UINT64_C(1) << 48, 0, &t), SNT_ERR_RANGE);
    assert_status(snt_time_from_ptp((UINT64_C(1) << 48) - 1, 0, &t), SNT_ERR_OVERFLOW);
    assert_status(snt_time_from_ptp(0, 1000000000u, &t), SNT_ERR_RANGE);
    assert_status(snt_time_to_ptp(-1, &sec, &nsec), SNT_ERR_RANGE);
    assert_i64_equal(t, INT64_C(1700000037) * S + 5);
}

static void gps_weeks_find_their_rollover(void **state)
{
    (void)state;
    const int64_t week = INT64_C(604800) * S;
    snt_time t = 3;
    uint32_t number;
    int64_t tow;
    /* week 2048 began on 2019-04-07; receivers sent 0 (apollo #8150: an HDL-32E 1024 weeks off) */
    assert_status(snt_time_from_gps(0, 0, 10, 2050 * week, &t), SNT_OK);
    assert_i64_equal(t, 2048 * week);
    assert_status(snt_time_from_gps(1023, 5 * S, 10, 2050 * week, &t), SNT_OK);
    assert_i64_equal(t, 2047 * week + 5 * S);
    /* gpsd on 2021-10-23: week 2180 sent as 132, not 1024 weeks early */
    assert_status(snt_time_from_gps(132, 518400 * S, 10, 2190 * week, &t), SNT_OK);
    assert_i64_equal(t, 2180 * week + 518400 * S);
    /* the third rollover, 2038-11-21, needs a pivot, not an assumption */
    assert_status(snt_time_from_gps(0, 0, 10, 3070 * week, &t), SNT_OK);
    assert_i64_equal(t, 3072 * week);
    assert_status(snt_time_from_gps(2400, 1, 13, 2390 * week, &t), SNT_OK);
    assert_i64_equal(t, 2400 * week + 1);
    assert_status(snt_time_from_gps(2400, 1, 0, SNT_UNKNOWN, &t), SNT_OK);
    assert_i64_equal(t, 2400 * week + 1);
    t = 3;
    assert_status(snt_time_from_gps(2400, 0, 10, 2390 * week, &t), SNT_ERR_RANGE);
    assert_status(snt_time_from_gps(0, week, 10, 0, &t), SNT_ERR_RANGE);
    assert_status(snt_time_from_gps(0, -1, 10, 0, &t), SNT_ERR_RANGE);
    /* duro_gps_driver #14: milliseconds of week taken for seconds */
    assert_status(snt_time_from_gps(2100, INT64_C(345600000) * S, 0, 0, &t), SNT_ERR_RANGE);
    assert_status(snt_time_from_gps(0, 0, 12, 0, &t), SNT_ERR_INVALID_ARG);
    assert_status(snt_time_from_gps(0, 0, 10, SNT_UNKNOWN, &t), SNT_ERR_RANGE);
    assert_status(snt_time_from_gps(UINT32_MAX, 0, 0, 0, &t), SNT_ERR_OVERFLOW);
    assert_i64_equal(t, 3);
    assert_status(snt_time_to_gps(2180 * week + 7, 10, &number, &tow), SNT_OK);
    assert_int_equal(number, 132);
    assert_i64_equal(tow, 7);
    assert_status(snt_time_to_gps(2180 * week + 7, 0, &number, &tow), SNT_OK);
    assert_int_equal(number, 2180);
    assert_status(snt_time_to_gps(-1, 0, &number, &tow), SNT_ERR_RANGE);
}

static void double_seconds_admit_what_they_lose(void **state)
{
    (void)state;
    double seconds, error;
    snt_time t;
    snt_duration error_ns;
    /* spec 3: 12.25 s is exact */
    assert_status(snt_time_from_seconds(12.25, &t, &error_ns), SNT_OK);
    assert_i64_equal(t, INT64_C(12250000000));
    assert_i64_equal(error_ns, 1);
    assert_status(snt_time_to_seconds(t, &seconds, &error), SNT_OK);
    assert_true(seconds == 12.25);
    assert_status(snt_time_to_seconds(12 * S, &seconds, &error), SNT_OK);
    assert_true(error == 0);
    /* roscpp_core #48: the double below 1031 rounds to 1031 s and no nanoseconds */
    assert_status(snt_time_from_seconds(nextafter(1031.0, 0), &t, &error_ns), SNT_OK);
    assert_i64_equal(t, 1031 * S);
    assert_status(snt_time_from_seconds(-1e-20, &t, &error_ns), SNT_OK);
    assert_i64_equal(t, 0);
    assert_status(snt_time_from_seconds(-0.25, &t, &error_ns), SNT_OK);
    assert_i64_equal(t, -250000000);
    /* rclpy #293 and genpy #146: the error says that these digits may change */
    static const int64_t lossy[] = {INT64_C(1553575413247045598), INT64_C(10117469579),
                                    INT64_C(1718611149326892825)};
    for (size_t i = 0; i < SNT_COUNT_OF(lossy); i++) {
        assert_status(snt_time_to_seconds(lossy[i], &seconds, &error), SNT_OK);
        assert_status(snt_time_from_seconds(seconds, &t, &error_ns), SNT_OK);
        const int64_t off = t > lossy[i] ? t - lossy[i] : lossy[i] - t;
        assert_true(off <= error_ns);
        assert_true((double)off * 1e-9 <= error + 0.51e-9);
    }
    /* half of 238 ns at 1.7e9 s */
    assert_status(snt_time_from_seconds(1.7e9, &t, &error_ns), SNT_OK);
    assert_i64_equal(error_ns, 120);
    t = 4;
    assert_status(snt_time_from_seconds((double)NAN, &t, NULL), SNT_ERR_NON_FINITE);
    assert_status(snt_time_from_seconds((double)INFINITY, &t, NULL), SNT_ERR_NON_FINITE);
    assert_status(snt_time_from_seconds(9.3e9, &t, NULL), SNT_ERR_OVERFLOW);
    assert_status(snt_time_from_seconds(9223372036.9, &t, NULL), SNT_ERR_OVERFLOW);
    assert_status(snt_time_from_seconds(-9223372036.9, &t, NULL), SNT_ERR_OVERFLOW);
    assert_status(snt_time_from_seconds(1e300, &t, NULL), SNT_ERR_OVERFLOW);
    assert_status(snt_time_from_seconds(-1e300, &t, NULL), SNT_ERR_OVERFLOW);
    assert_status(snt_time_from_seconds(-9.3e9, &t, NULL), SNT_ERR_OVERFLOW);
    /* kinematic-icp #11: a double count of nanoseconds read as seconds is no time */
    assert_status(snt_time_from_seconds(1726578368464684544.0, &t, NULL), SNT_ERR_OVERFLOW);
    assert_i64_equal(t, 4);
    assert_status(snt_time_to_seconds(SNT_UNKNOWN, &seconds, NULL), SNT_ERR_RANGE);
}

static void the_error_of_double_seconds_holds(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int i = 0; i < 50000; i++) {
        const snt_time t = rng_int(&rng, INT64_MIN + 1, INT64_MAX - 1) >> rng_below(&rng, 63);
        double seconds, error;
        snt_time back;
        snt_duration error_ns;
        assert_status(snt_time_to_seconds(t, &seconds, &error), SNT_OK);
        /* whole seconds are exact in a double, and so is what is left of this one without them */
        const int64_t whole = t / S - (t % S < 0);
        const double off = fabs(seconds - (double)whole - (double)(t - whole * S) / 1e9);
        if (!(off <= error + 2.3e-16)) /* the division above rounds, too */
            fail_msg("%" PRId64 ": off by %g, said %g", t, off, error);
        if (snt_time_from_seconds(seconds, &back, &error_ns) == SNT_OK)
            assert_true((back > t ? (uint64_t)back - (uint64_t)t : (uint64_t)t - (uint64_t)back) <=
                        (uint64_t)error_ns);
    }
}

static void integer_ticks_do_not_drift_as_floats_do(void **state)
{
    (void)state;
    snt_time t = 0;
    double drifting = 0;
    for (int i = 0; i < 100; i++) { /* spec 3: a 10 Hz loop */
        assert_status(snt_time_add(t, 100 * SNT_NS_PER_MS, &t), SNT_OK);
        drifting += 0.1;
    }
    assert_i64_equal(t, 10 * S);
    assert_true(drifting != 10.0);
}

static void float_seconds_are_refused_where_they_are_too_coarse(void **state)
{
    (void)state;
    snt_time t = 9;
    snt_duration error_ns;
    /* FAST_LIO #431: absolute seconds in a float step by 128 s */
    assert_status(snt_time_from_seconds_f32(1.7e9f, 0, &t, &error_ns), SNT_ERR_PRECISION);
    assert_status(snt_time_from_seconds_f32(1.7e9f, 63 * S, &t, &error_ns), SNT_ERR_PRECISION);
    assert_i64_equal(t, 9);
    assert_status(snt_time_from_seconds_f32(1.7e9f, 64 * S, &t, &error_ns), SNT_OK);
    assert_true(error_ns > 64 * S && error_ns <= 64 * S + 1);
    /* point times within a scan are what floats are good for */
    assert_status(snt_time_from_seconds_f32(0.0999f, 10, &t, &error_ns), SNT_OK);
    assert_true(llabs(t - 99900000) <= error_ns && error_ns <= 5);
    assert_status(snt_time_from_seconds_f32(NAN, 0, &t, NULL), SNT_ERR_NON_FINITE);
    assert_status(snt_time_from_seconds_f32(1.0f, -1, &t, NULL), SNT_ERR_INVALID_ARG);
}

static void a_late_stamp_costs_what_the_articles_say(void **state)
{
    (void)state;
    snt_delay_error e;
    /* spec 1: L = 0.1 s at 0.5 m/s and 1 rad/s moves a wall point at 5 m by 0.5 m */
    assert_status(snt_stamp_delay_error(100 * SNT_NS_PER_MS, 0.5, 1.0, 5.0, &e), SNT_OK);
    assert_near(e.position_m, 0.05, 1e-12);
    assert_near(e.bearing_rad, 0.1, 1e-12);
    assert_near(e.rotation_m, 0.5, 1e-12);
    assert_near(e.point_m, 0.55, 1e-12);
    /* spec 1, question 1: 80 ms at 0.8 rad/s, 6 m: 0.38 m */
    assert_status(snt_stamp_delay_error(80 * SNT_NS_PER_MS, 0, 0.8, 6.0, &e), SNT_OK);
    assert_near(e.point_m, 0.384, 1e-12);
    /* spec 5: 5 ms at 100 deg/s, 10 m: 8.7 cm */
    assert_status(snt_stamp_delay_error(-5 * SNT_NS_PER_MS, 0, -1.7453292519943295, 10.0, &e), SNT_OK);
    assert_near(e.point_m, 0.0873, 5e-5);
    /* spec 3: 50 ms at 1 m/s: 5 cm */
    assert_status(snt_stamp_delay_error(50 * SNT_NS_PER_MS, -1.0, 0, 0, &e), SNT_OK);
    assert_near(e.position_m, 0.05, 1e-12);
    /* Olson 2010: 10 ms at 90 deg/s, 10 m: 15.7 cm */
    assert_status(snt_stamp_delay_error(10 * SNT_NS_PER_MS, 0, 1.5707963267948966, 10.0, &e), SNT_OK);
    assert_near(e.point_m, 0.157, 1e-4);
    e.point_m = 3;
    assert_status(snt_stamp_delay_error(1, (double)NAN, 0, 0, &e), SNT_ERR_NON_FINITE);
    assert_status(snt_stamp_delay_error(0, 0, (double)INFINITY, 0, &e), SNT_ERR_NON_FINITE);
    assert_status(snt_stamp_delay_error(1, 0, (double)NAN, 0, &e), SNT_ERR_NON_FINITE);
    assert_status(snt_stamp_delay_error(1, 0, 0, (double)NAN, &e), SNT_ERR_NON_FINITE);
    assert_status(snt_stamp_delay_error(1, 0, 0, (double)INFINITY, &e), SNT_ERR_NON_FINITE);
    assert_status(snt_stamp_delay_error(S, 1e308, 1e308, 1e308, &e), SNT_ERR_NON_FINITE);
    assert_status(snt_stamp_delay_error(1, 0, 0, -1, &e), SNT_ERR_RANGE);
    assert_status(snt_stamp_delay_error(SNT_UNKNOWN, 0, 0, 0, &e), SNT_ERR_RANGE);
    assert_status(snt_stamp_delay_error(1, 0, 0, 0, NULL), SNT_ERR_INVALID_ARG);
    assert_true(e.point_m == 3);
}

static void the_portable_wide_arithmetic_agrees_with_the_native_one(void **state)
{
    (void)state;
    int64_t out = 0;
    assert_status(snt__muldiv_i64(INT64_MIN, 1, 1, SNT_ROUND_FLOOR, &out, NULL), SNT_OK); /* the very ends */
    assert_i64_equal(out, INT64_MIN);
    assert_status(snt__muldiv_i64(INT64_MIN, -1, 1, SNT_ROUND_FLOOR, &out, NULL), SNT_ERR_OVERFLOW);
    assert_status(snt__muldiv_i64(INT64_MAX, 1, 1, SNT_ROUND_FLOOR, &out, NULL), SNT_OK);
    assert_i64_equal(out, INT64_MAX);
    assert_status(snt__muldiv_i64(INT64_MAX, 3, 3, SNT_ROUND_CEIL, &out, NULL), SNT_OK);
    assert_i64_equal(out, INT64_MAX);
    assert_i64_equal(snt__muldiv_i64_sat(INT64_MIN, -1, 1, SNT_ROUND_FLOOR), INT64_MAX);
    test_rng rng = rng_from_env();
    for (int i = 0; i < 20000; i++) {
        const uint64_t a = rng_next(&rng) >> rng_below(&rng, 64), b = rng_next(&rng) >> rng_below(&rng, 64);
        const snt__u128 native = snt__mul_u64(a, b), portable = snt__mul_u64_portable(a, b);
        assert_true(native.hi == portable.hi && native.lo == portable.lo);
        const uint64_t d = (rng_next(&rng) >> rng_below(&rng, 64)) | 1;
        const snt__u128 n = {native.hi % d, native.lo};
        uint64_t r1, r2;
        const uint64_t q1 = snt__div_u128(n, d, &r1), q2 = snt__div_u128_portable(n, d, &r2);
        assert_true(q1 == q2 && r1 == r2);
        const snt__u128 back = snt__add_u128(snt__mul_u64(q1, d), (snt__u128){0, r1});
        assert_int_equal(snt__cmp_u128(back, n), 0);
        assert_int_equal(snt__cmp_u128(snt__sub_u128(snt__add_u128(n, native), native), n), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checked_sums_are_exact_or_refused),
        cmocka_unit_test(products_go_through_128_bits),
        cmocka_unit_test(scaling_rounds_once_in_each_of_four_ways),
        cmocka_unit_test(saturating_forms_absorb_at_the_infinities),
        cmocka_unit_test(tick_rates_are_exact_rationals),
        cmocka_unit_test(counters_of_the_field_have_the_periods_their_makers_say),
        cmocka_unit_test(ros1_times_refuse_what_ros1_cannot_say),
        cmocka_unit_test(ros1_durations_keep_their_sign),
        cmocka_unit_test(ros2_times_round_down_and_never_wrap),
        cmocka_unit_test(kernel_pairs_are_checked),
        cmocka_unit_test(every_output_is_needed_and_zero_is_a_time),
        cmocka_unit_test(ntp_times_find_their_era),
        cmocka_unit_test(ptp_times_have_48_bits_of_seconds),
        cmocka_unit_test(gps_weeks_find_their_rollover),
        cmocka_unit_test(double_seconds_admit_what_they_lose),
        cmocka_unit_test(the_error_of_double_seconds_holds),
        cmocka_unit_test(integer_ticks_do_not_drift_as_floats_do),
        cmocka_unit_test(float_seconds_are_refused_where_they_are_too_coarse),
        cmocka_unit_test(a_late_stamp_costs_what_the_articles_say),
        cmocka_unit_test(the_portable_wide_arithmetic_agrees_with_the_native_one),
    };
    return cmocka_run_group_tests_name("stamp", tests, NULL, NULL);
}
