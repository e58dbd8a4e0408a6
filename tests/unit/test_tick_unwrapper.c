/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "lib/clock/unwrap.h"

static snt_tick_unwrapper *make(uint32_t preset, uint64_t reorder)
{
    snt_tick_unwrapper_config cfg;
    snt_tick_unwrapper *u;
    assert_status(snt_tick_unwrapper_config_preset(&cfg, sizeof cfg, preset), SNT_OK);
    cfg.reorder_ticks = reorder;
    assert_status(snt_tick_unwrapper_create(&cfg, NULL, &u), SNT_OK);
    return u;
}

static snt_status accept(snt_tick_unwrapper *u, uint64_t raw, snt_tick_reading *out)
{
    return snt_tick_unwrapper_accept(u, raw, NULL, out);
}

static void scaling_equals_long_division(void **state)
{
    (void)state;
    static const struct {
        int64_t value, num, den, want;
        int ok;
    } cases[] = {
        {90000, 1000000000, 90000, 1000000000, 1}, /* 90 kHz */
        {1, 1000000000, 90000, 11111, 1},
        {-1, 1000000000, 90000, -11112, 1},
        {125000000, 8, 1, 1000000000, 1}, /* 125 MHz: Basler's 8 ns (pypylon #772) */
        {19200000, 1000000000, 19200000, 1000000000, 1},
        {32768, 1000000000, 32768, 1000000000, 1},
        {1, 1000000000, 32768, 30517, 1},
        {1001, 1000, 1001, 1000, 1},
        {INT64_MAX, 1000, 1000, INT64_MAX, 1},
        {INT64_MIN, 1000, 1000, INT64_MIN, 1},
        {INT64_MAX, 2, 1, 0, 0},
        {INT64_MIN, 2, 1, 0, 0},
        {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, 1},
        {5000000, 1000, 1, INT64_C(5000000000), 1}, /* ArduPilot #32302: 32 bits gave 705 032 704 */
        {0, 7, 3, 0, 1},
        {INT64_MIN, INT64_MAX, INT64_MAX, INT64_MIN, 1},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        int64_t got = 12345;
        assert_int_equal(snt__scale_floor(cases[i].value, cases[i].num, cases[i].den, &got), cases[i].ok);
        assert_i64_equal(got, cases[i].ok ? cases[i].want : 12345);
    }
#if defined(__SIZEOF_INT128__)
    __extension__ typedef __int128 wide;
    test_rng rng = rng_from_env();
    for (int i = 0; i < 200000; i++) {
        const int64_t value = (int64_t)(rng_next(&rng) >> rng_below(&rng, 63));
        const int64_t num = (int64_t)(rng_next(&rng) >> (1 + rng_below(&rng, 62))) | 1;
        const int64_t den = (int64_t)(rng_next(&rng) >> (1 + rng_below(&rng, 62))) | 1;
        const int64_t signed_value = rng_below(&rng, 2) ? value : -value;
        const wide product = (wide)signed_value * num;
        wide want = product / den;
        if (product % den < 0)
            want--;
        int64_t got = 0;
        const bool fits = want >= INT64_MIN && want <= INT64_MAX;
        assert_int_equal(snt__scale_floor(signed_value, num, den, &got), fits);
        if (fits)
            assert_i64_equal(got, (int64_t)want);
    }
#endif
}

/* librealsense #11320, rosflight #89: 4294967295 -> 0 is one microsecond, not a glitch. */
static void a_rollover_is_one_tick(void **state)
{
    (void)state;
    snt_tick_unwrapper *u = make(SNT_TICKS_U32_US, 0);
    snt_tick_reading r;
    assert_status(accept(u, UINT32_MAX, &r), SNT_OK);
    assert_int_equal(r.flags, SNT_TICK_FIRST);
    assert_status(accept(u, 0, &r), SNT_OK);
    assert_i64_equal(r.ticks, INT64_C(4294967296));
    assert_i64_equal(r.step_ns, 1000);
    assert_int_equal(r.flags, SNT_TICK_WRAPPED);
    snt_tick_unwrapper_destroy(u);
}

/* rosserial #502: 32-bit milliseconds wrap after 49.7 days. */
static void every_preset_has_its_period(void **state)
{
    (void)state;
    static const int64_t periods[] = {SNT_UNKNOWN,
                                      INT64_C(4294967296000),
                                      INT64_C(4294967296),
                                      INT64_C(4294967296000000),
                                      INT64_C(16777216000000),
                                      INT64_C(3600000000000),
                                      INT64_C(604800000000000),
                                      INT64_C(1000000000)};
    for (uint32_t preset = 0; preset < SNT_COUNT_OF(periods); preset++) {
        snt_tick_unwrapper *u = make(preset, 0);
        int64_t period;
        assert_status(snt_tick_unwrapper_period(u, &period), SNT_OK);
        assert_i64_equal(period, periods[preset]);
        snt_tick_reading r;
        if (periods[preset] != SNT_UNKNOWN) { /* walks through two rollovers in steps of 2/5 of the period */
            int64_t ns;
            snt_tick_unwrapper_config cfg;
            snt_tick_unwrapper_config_preset(&cfg, sizeof cfg, preset);
            const uint64_t modulus = cfg.modulus ? cfg.modulus : UINT64_C(1) << cfg.counter_bits;
            for (uint64_t ticks = 0; ticks < 3 * modulus; ticks += modulus * 2 / 5) {
                assert_status(accept(u, ticks % modulus, &r), SNT_OK);
                assert_true(snt__scale_floor((int64_t)ticks, cfg.tick_num_ns, cfg.tick_den, &ns));
                assert_i64_equal(r.device_ns, ns);
            }
            assert_status(accept(u, modulus, &r), SNT_ERR_RANGE);
        }
        snt_tick_unwrapper_destroy(u);
    }
    snt_tick_unwrapper_config cfg;
    assert_status(snt_tick_unwrapper_config_preset(&cfg, sizeof cfg, 8), SNT_ERR_INVALID_ARG);
    assert_status(snt_tick_unwrapper_config_preset(&cfg, 4, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_tick_unwrapper_config_preset(NULL, sizeof cfg, 0), SNT_ERR_INVALID_ARG);
}

/* sick_scan's unwrapping took ticks 1000, 999 for a rollover: +4294.967 s. ouster-ros #46: 100 ns, then 60 ns became
 * 4 294 967 256 ns. */
static void a_small_step_back_is_no_rollover(void **state)
{
    (void)state;
    snt_tick_unwrapper *u = make(SNT_TICKS_U32_US, 10);
    snt_tick_reading r;
    assert_status(accept(u, 1000, &r), SNT_OK);
    assert_status(accept(u, 999, &r), SNT_OK);
    assert_i64_equal(r.step_ns, -1000);
    assert_int_equal(r.flags, SNT_TICK_REORDERED);
    assert_status(accept(u, 1001, &r), SNT_OK);
    assert_i64_equal(r.step_ns, 1000); /* counted from the newest */
    snt_tick_unwrapper_destroy(u);

    u = make(SNT_TICKS_U32_NS, 100);
    assert_status(accept(u, 100, &r), SNT_OK);
    assert_status(accept(u, 60, &r), SNT_OK);
    assert_i64_equal(r.step_ns, -40);
    snt_tick_unwrapper_destroy(u);
}

static void a_step_back_across_the_rollover_is_seen_as_one(void **state)
{
    (void)state;
    snt_tick_unwrapper *u = make(SNT_TICKS_U32_US, 10);
    snt_tick_reading r;
    assert_status(accept(u, UINT32_MAX, &r), SNT_OK);
    assert_status(accept(u, 3, &r), SNT_OK);
    assert_status(accept(u, UINT32_MAX - 2, &r), SNT_OK);
    assert_i64_equal(r.ticks, INT64_C(4294967293));
    assert_i64_equal(r.step_ns, -6000);
    assert_status(accept(u, 4, &r), SNT_OK);
    assert_i64_equal(r.ticks, INT64_C(4294967300));
    snt_tick_unwrapper_destroy(u);
}

/* urg_stamped #64: a 24-bit counter read through three callbacks, 16777215, 0, 16777215, 0: one wrap, not two. */
static void interleaved_callbacks_count_one_rollover(void **state)
{
    (void)state;
    snt_tick_unwrapper *u = make(SNT_TICKS_U24_MS, 100);
    snt_tick_reading r;
    assert_status(accept(u, 16777215, &r), SNT_OK);
    assert_status(accept(u, 0, &r), SNT_OK);
    assert_i64_equal(r.ticks, 16777216);
    assert_status(accept(u, 16777215, &r), SNT_ERR_DUPLICATE);
    assert_status(accept(u, 0, &r), SNT_ERR_DUPLICATE);
    assert_status(accept(u, 1, &r), SNT_OK);
    assert_i64_equal(r.ticks, 16777217);
    snt_tick_unwrapper_destroy(u);
}

/* zed-ros-wrapper #577, LIO-SAM #303: the same stamp twice. */
static void a_repeated_reading_is_a_duplicate_and_changes_nothing(void **state)
{
    (void)state;
    snt_tick_unwrapper *u = make(SNT_TICKS_U64_NS, 1000);
    snt_tick_reading r = {0}, before;
    for (uint64_t t = 0; t < 20; t++)
        assert_status(accept(u, t * 100, &r), SNT_OK);
    before = r;
    assert_status(accept(u, 1900, &r), SNT_ERR_DUPLICATE);
    assert_status(accept(u, 1200, &r), SNT_ERR_DUPLICATE); /* not only the newest is remembered */
    assert_memory_equal(&r, &before, sizeof r);
    assert_status(accept(u, 1250, &r), SNT_OK);
    snt_tick_unwrapper_destroy(u);
}

static void half_the_modulus_without_prediction_is_ambiguous(void **state)
{
    (void)state;
    snt_tick_unwrapper *u = make(SNT_TICKS_U32_NS, 0);
    snt_tick_reading r;
    assert_status(accept(u, 1000, &r), SNT_OK);
    assert_status(accept(u, 1000 + (UINT64_C(1) << 31), &r), SNT_ERR_AMBIGUOUS);
    assert_status(accept(u, 999, &r), SNT_ERR_AMBIGUOUS); /* no reorder window was declared */
    assert_status(accept(u, 999 + (UINT64_C(1) << 31), &r), SNT_OK);
    snt_tick_unwrapper_destroy(u);
}

static void a_counter_that_cannot_wrap_fell_back(void **state)
{
    (void)state;
    snt_tick_unwrapper *u = make(SNT_TICKS_U64_NS, 50);
    snt_tick_reading r;
    assert_status(accept(u, 1000000, &r), SNT_OK);
    assert_status(accept(u, 0, &r), SNT_ERR_RESET_SUSPECT);
    assert_status(accept(u, UINT64_MAX, &r), SNT_ERR_RANGE);
    snt_tick_unwrapper_restart(u);
    assert_status(accept(u, 0, &r), SNT_OK);
    assert_int_equal(r.flags, SNT_TICK_FIRST);
    snt_tick_unwrapper_destroy(u);
}

/* velodyne #462: 3599.999999 s into the hour, received at 14:00:00.000001, was taken in the 13:00 hour. */
static void top_of_hour_is_resolved_by_the_host(void **state)
{
    (void)state;
    const int64_t hour = INT64_C(3600000000000),
                  two_pm = INT64_C(1453384800) * 1000000000; /* 2016-01-21 14:00 */
    snt_tick_unwrapper *u = make(SNT_TICKS_TOP_OF_HOUR_US, 0);
    snt_tick_reading r;
    const snt_interval second = {two_pm + 1000 - 1000000000, two_pm + 1000 + 1000000000};
    assert_status(snt_tick_unwrapper_accept(u, 3599999999u, &second, &r), SNT_OK);
    assert_i64_equal(r.device_ns, two_pm - 1000);
    assert_status(snt_tick_unwrapper_peek(u, 0, &second, &r), SNT_OK);
    assert_i64_equal(r.device_ns, two_pm);
    const snt_interval useless = {two_pm - hour / 2, two_pm + hour / 2}; /* the host may be off by 30 min */
    assert_status(snt_tick_unwrapper_peek(u, 5, &useless, &r), SNT_ERR_AMBIGUOUS);
    /* velodyne #218: 3600.01 s since the hour: not locked to it */
    assert_status(snt_tick_unwrapper_peek(u, 3600010000u, &second, &r), SNT_ERR_RANGE);
    snt_tick_unwrapper_destroy(u);
}

/* librealsense #4505: 50 years in the future after some hours. */
static void a_reading_outside_the_prediction_is_a_suspected_reset(void **state)
{
    (void)state;
    snt_tick_unwrapper *u = make(SNT_TICKS_U32_US, 0);
    snt_tick_reading r;
    const snt_interval near = {INT64_C(100000000000), INT64_C(100010000000)};
    assert_status(snt_tick_unwrapper_accept(u, 100005000, &near, &r), SNT_OK);
    assert_int_equal(r.flags, SNT_TICK_FIRST | SNT_TICK_PREDICTED);
    assert_status(snt_tick_unwrapper_accept(u, 7, &near, &r), SNT_ERR_RESET_SUSPECT);
    const snt_interval upside_down = {2, 1};
    assert_status(snt_tick_unwrapper_accept(u, 7, &upside_down, &r), SNT_ERR_INVALID_ARG);
    snt_tick_unwrapper_destroy(u);
    u = make(SNT_TICKS_U64_NS, 0);
    assert_status(snt_tick_unwrapper_accept(u, UINT64_C(1577836800000000000), &near, &r),
                  SNT_ERR_RESET_SUSPECT);
    assert_status(snt_tick_unwrapper_accept(u, UINT64_C(100000000005), &near, &r), SNT_OK);
    snt_tick_unwrapper_destroy(u);
}

static void a_late_reading_that_fits_the_prediction_is_backward(void **state)
{
    (void)state;
    snt_tick_unwrapper *u = make(SNT_TICKS_U32_US, 100);
    snt_tick_reading r;
    const snt_interval wide = {0, INT64_C(1000000000)};
    assert_status(snt_tick_unwrapper_accept(u, 500000, &wide, &r), SNT_OK);
    assert_status(snt_tick_unwrapper_accept(u, 499000, &wide, &r), SNT_ERR_BACKWARD);
    assert_status(snt_tick_unwrapper_accept(u, 499950, &wide, &r), SNT_OK);
    snt_tick_unwrapper_destroy(u);
}

static void peeking_remembers_nothing(void **state)
{
    (void)state;
    snt_tick_unwrapper *u = make(SNT_TICKS_U32_US, 0);
    snt_tick_reading r;
    assert_status(snt_tick_unwrapper_peek(u, 10, NULL, &r), SNT_OK);
    assert_status(snt_tick_unwrapper_peek(u, 10, NULL, &r), SNT_OK);
    assert_int_equal(r.flags, SNT_TICK_FIRST);
    assert_status(accept(u, 10, &r), SNT_OK);
    assert_status(snt_tick_unwrapper_peek(u, 20, NULL, &r), SNT_OK);
    assert_status(accept(u, 15, &r), SNT_OK); /* would be a step back had 20 been remembered */
    snt_tick_unwrapper_destroy(u);
}

/* Every modulus, rate and gap below M: the prediction finds the candidate a slow search finds. */
static void the_prediction_agrees_with_a_search(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 20000; round++) {
        const int64_t m = rng_int(&rng, 2, 50);
        snt_tick_unwrapper_config cfg;
        snt_tick_unwrapper_config_init(&cfg, sizeof cfg);
        cfg.modulus = (uint64_t)m;
        cfg.tick_num_ns = 7;
        cfg.tick_den = rng_int(&rng, 1, 3);
        snt_tick_unwrapper *u;
        assert_status(snt_tick_unwrapper_create(&cfg, NULL, &u), SNT_OK);
        const int64_t raw = rng_int(&rng, 0, m - 1), lo = rng_int(&rng, -500, 500),
                      hi = lo + rng_int(&rng, 0, 200);
        int64_t found = 0, hits = 0;
        for (int64_t k = -600; k <= 600; k++) {
            const int64_t tick = raw + k * m;
            const int64_t first = (int64_t)floor((double)(lo * cfg.tick_den) / 7) - 1;
            const int64_t last = (int64_t)floor((double)(hi * cfg.tick_den) / 7) + 1;
            if (tick >= first && tick <= last) {
                found = tick;
                hits++;
            }
        }
        const snt_interval predicted = {lo, hi};
        snt_tick_reading r;
        const snt_status status = snt_tick_unwrapper_accept(u, (uint64_t)raw, &predicted, &r);
        if (hits == 0)
            assert_status(status, SNT_ERR_RESET_SUSPECT);
        else if (hits > 1 || hi - lo >= m * 7 / cfg.tick_den)
            assert_status(status, SNT_ERR_AMBIGUOUS);
        else {
            assert_status(status, SNT_OK);
            assert_i64_equal(r.ticks, found);
        }
        snt_tick_unwrapper_destroy(u);
    }
}

static void ends_of_the_range_are_errors_not_wraps(void **state)
{
    (void)state;
    snt_tick_unwrapper *u = make(SNT_TICKS_U32_MS, 0);
    snt_tick_reading r;
    const snt_interval end = {INT64_MAX - 10, INT64_MAX}, start = {INT64_MIN, INT64_MIN + 10};
    assert_true(snt_tick_unwrapper_accept(u, 1, &end, &r) < 0);
    assert_true(snt_tick_unwrapper_accept(u, 1, &start, &r) < 0);
    snt_tick_unwrapper_destroy(u);
    u = make(SNT_TICKS_U32_NS, 0);
    const snt_interval all = {INT64_MIN, INT64_MAX};
    assert_status(snt_tick_unwrapper_accept(u, 1, &all, &r), SNT_ERR_AMBIGUOUS);
    assert_true(snt_tick_unwrapper_accept(u, 1, &end, &r) < 0);
    assert_true(snt_tick_unwrapper_accept(u, 1, &start, &r) < 0);
    snt_tick_unwrapper_destroy(u);
    snt_tick_unwrapper_config cfg;
    snt_tick_unwrapper_config_init(&cfg, sizeof cfg);
    cfg.tick_num_ns = INT64_MAX;
    assert_status(snt_tick_unwrapper_create(&cfg, NULL, &u), SNT_OK);
    assert_status(accept(u, 2, &r), SNT_ERR_OVERFLOW);
    snt_tick_unwrapper_destroy(u);
}

static void contradictory_descriptions_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits;
        uint64_t modulus;
        int64_t num, den;
        uint64_t reorder;
    } bad[] = {{0, 0, 1, 1, 0},   {65, 0, 1, 1, 0}, {32, 0, 0, 1, 0},  {32, 0, 1, 0, 0},
               {32, 0, -1, 1, 0}, {0, 1, 1, 1, 0},  {0, 100, 1, 1, 50}};
    for (size_t i = 0; i < SNT_COUNT_OF(bad); i++) {
        snt_tick_unwrapper_config cfg;
        snt_tick_unwrapper_config_init(&cfg, sizeof cfg);
        cfg.counter_bits = bad[i].bits;
        cfg.modulus = bad[i].modulus;
        cfg.tick_num_ns = bad[i].num;
        cfg.tick_den = bad[i].den;
        cfg.reorder_ticks = bad[i].reorder;
        snt_tick_unwrapper *u = (void *)&cfg;
        assert_status(snt_tick_unwrapper_create(&cfg, NULL, &u), SNT_ERR_INVALID_ARG);
        assert_null(u);
    }
    assert_status(snt_tick_unwrapper_create(NULL, NULL, NULL), SNT_ERR_INVALID_ARG);
    snt_tick_reading r;
    assert_status(snt_tick_unwrapper_accept(NULL, 0, NULL, &r), SNT_ERR_INVALID_ARG);
    snt_tick_unwrapper_destroy(NULL);
    snt_tick_unwrapper_restart(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaling_equals_long_division),
        cmocka_unit_test(a_rollover_is_one_tick),
        cmocka_unit_test(every_preset_has_its_period),
        cmocka_unit_test(a_small_step_back_is_no_rollover),
        cmocka_unit_test(a_step_back_across_the_rollover_is_seen_as_one),
        cmocka_unit_test(interleaved_callbacks_count_one_rollover),
        cmocka_unit_test(a_repeated_reading_is_a_duplicate_and_changes_nothing),
        cmocka_unit_test(half_the_modulus_without_prediction_is_ambiguous),
        cmocka_unit_test(a_counter_that_cannot_wrap_fell_back),
        cmocka_unit_test(top_of_hour_is_resolved_by_the_host),
        cmocka_unit_test(a_reading_outside_the_prediction_is_a_suspected_reset),
        cmocka_unit_test(a_late_reading_that_fits_the_prediction_is_backward),
        cmocka_unit_test(peeking_remembers_nothing),
        cmocka_unit_test(the_prediction_agrees_with_a_search),
        cmocka_unit_test(ends_of_the_range_are_errors_not_wraps),
        cmocka_unit_test(contradictory_descriptions_are_refused),
    };
    return cmocka_run_group_tests_name("tick_unwrapper", tests, NULL, NULL);
}
