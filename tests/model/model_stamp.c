/* SPDX-License-Identifier: BSD-3-Clause */
/* Time arithmetic against 128-bit integers, in which nothing of it can overflow. */
#include "test.h"

#include "lib/base/wide.h"

#if SNT_HAVE_INT128
__extension__ typedef __int128 wide;

static long rounds(void)
{
    return getenv("SNT_LONG") ? 50000000 : 1000000;
}

/* Values of all magnitudes, with the ends and small numbers over-represented. */
static int64_t any(test_rng *rng)
{
    static const int64_t special[] = {INT64_MIN, INT64_MIN + 1, INT64_MIN + 2, -1,       0, 1,
                                      2,         INT64_MAX - 2, INT64_MAX - 1, INT64_MAX};
    if (rng_below(rng, 8) == 0)
        return special[rng_below(rng, SNT_COUNT_OF(special))];
    return (int64_t)rng_next(rng) >> rng_below(rng, 64);
}

static bool fits(wide x)
{
    return x > INT64_MIN && x < INT64_MAX;
}

static bool is_finite(int64_t x)
{
    return x != INT64_MIN && x != INT64_MAX;
}

static int64_t clamp(wide x)
{
    return x <= INT64_MIN ? INT64_MIN : x >= INT64_MAX ? INT64_MAX : (int64_t)x;
}

static wide divide(wide n, wide d, uint32_t rounding)
{
    if (d < 0)
        n = -n, d = -d;
    wide q = n / d, r = n % d;
    if (r < 0) /* floor */
        q--, r += d;
    if (r == 0 || rounding == SNT_ROUND_FLOOR)
        return q;
    if (rounding == SNT_ROUND_CEIL)
        return q + 1;
    if (rounding == SNT_ROUND_ZERO)
        return n < 0 ? q + 1 : q;
    return 2 * r > d || (2 * r == d && (q & 1)) ? q + 1 : q;
}

static void expect(snt_status status, int64_t out, bool ranges, wide truth)
{
    if (!ranges)
        assert_status(status, SNT_ERR_RANGE);
    else if (!fits(truth))
        assert_status(status, SNT_ERR_OVERFLOW);
    else
        assert_status(status, SNT_OK);
    assert_i64_equal(out, ranges && fits(truth) ? (int64_t)truth : 12345);
}

static void sums_and_products_are_those_of_wider_integers(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (long i = rounds(); i; i--) {
        const int64_t a = any(&rng), b = any(&rng);
        int64_t out = 12345;
        snt_status status = snt_time_add(a, b, &out);
        expect(status, out, is_finite(a) && is_finite(b), (wide)a + b);
        out = 12345;
        status = snt_time_sub(a, b, &out);
        expect(status, out, is_finite(a) && is_finite(b), (wide)a - b);
        out = 12345;
        status = snt_duration_mul(a, b, &out);
        expect(status, out, is_finite(a), (wide)a * b);
        if (is_finite(a) && is_finite(b)) {
            assert_i64_equal(snt_time_add_sat(a, b), clamp((wide)a + b));
            assert_i64_equal(snt_time_sub_sat(a, b), clamp((wide)a - b));
            assert_i64_equal(snt_duration_mul_sat(a, b), clamp((wide)a * b));
        }
    }
}

static void scaling_is_exact_and_rounded_once(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (long i = rounds(); i; i--) {
        const int64_t d = any(&rng), num = any(&rng), den = any(&rng);
        const uint32_t rounding = (uint32_t)rng_below(&rng, 4);
        int64_t out = 12345;
        const snt_status status = snt_duration_scale(d, num, den, rounding, &out);
        if (den == 0) {
            assert_status(status, SNT_ERR_INVALID_ARG);
            continue;
        }
        const wide truth = divide((wide)d * num, den, rounding);
        expect(status, out, is_finite(d), truth);
        if (is_finite(d))
            assert_i64_equal(snt_duration_scale_sat(d, num, den, rounding), clamp(truth));
    }
}

static void ticks_and_their_remainders_add_up(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (long i = rounds(); i; i--) {
        const int64_t ticks = any(&rng), num = any(&rng), den = any(&rng);
        const uint32_t rounding = (uint32_t)rng_below(&rng, 4);
        int64_t ns = 12345, rest = 0;
        const snt_status status = snt_ticks_to_ns(ticks, num, den, rounding, &ns, &rest);
        if (num <= 0 || den <= 0) {
            assert_status(status, SNT_ERR_INVALID_ARG);
            continue;
        }
        expect(status, ns, true, divide((wide)ticks * num, den, rounding));
        if (status == SNT_OK)
            assert_true((wide)ticks * num == (wide)ns * den + rest && rest < den && rest > -den);
    }
}

/* True values drawn from two intervals: their sum and difference lie in what the interval operations return. */
static void intervals_contain_what_their_members_make(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (long i = rounds(); i; i--) {
        const int64_t e[4] = {any(&rng), any(&rng), any(&rng), any(&rng)};
        const snt_interval a = {e[0] < e[1] ? e[0] : e[1], e[0] < e[1] ? e[1] : e[0]};
        const snt_interval b = {e[2] < e[3] ? e[2] : e[3], e[2] < e[3] ? e[3] : e[2]};
        if (a.lo == INT64_MAX || b.lo == INT64_MAX || a.hi == INT64_MIN || b.hi == INT64_MIN)
            continue;
        const int64_t x = rng_below(&rng, 3) ? rng_int(&rng, a.lo, a.hi - (a.hi > a.lo)) : a.hi;
        const int64_t y = rng_below(&rng, 3) ? rng_int(&rng, b.lo, b.hi - (b.hi > b.lo)) : b.lo;
        snt_interval out;
        assert_status(snt_interval_add(&a, &b, &out), SNT_OK);
        assert_true((out.lo == INT64_MIN || out.lo <= (wide)x + y) &&
                    (out.hi == INT64_MAX || (wide)x + y <= out.hi));
        if (is_finite(a.lo) && is_finite(b.lo) && fits((wide)a.lo + b.lo))
            assert_i64_equal(out.lo, (int64_t)((wide)a.lo + b.lo));
        assert_status(snt_interval_sub(&a, &b, &out), SNT_OK);
        assert_true((out.lo == INT64_MIN || out.lo <= (wide)x - y) &&
                    (out.hi == INT64_MAX || (wide)x - y <= out.hi));
        if (is_finite(a.hi) && is_finite(b.lo) && fits((wide)a.hi - b.lo))
            assert_i64_equal(out.hi, (int64_t)((wide)a.hi - b.lo));
        const snt_status common = snt_interval_intersect(&a, &b, &out);
        const bool both = snt_interval_contains(&a, x) && snt_interval_contains(&b, x);
        assert_true(!both || (common == SNT_OK && snt_interval_contains(&out, x)));
        if (common == SNT_OK) { /* nothing more than both, either */
            assert_true(snt_interval_contains(&a, out.lo) && snt_interval_contains(&b, out.lo));
            assert_true(snt_interval_contains(&a, out.hi) && snt_interval_contains(&b, out.hi));
        } else {
            assert_true(a.hi < b.lo || b.hi < a.lo);
        }
        assert_status(snt_interval_hull(&a, &b, &out), SNT_OK);
        assert_true(snt_interval_contains(&out, x) && snt_interval_contains(&out, y));
        int32_t order;
        assert_status(snt_interval_compare(&a, &b, &order), SNT_OK);
        assert_true(order == SNT_ORDER_BEFORE ? x < y : order == SNT_ORDER_AFTER ? x > y : common == SNT_OK);
    }
}

/* The truth moves with the bound, and the difference of two truths lies in the difference of the bounds. */
static void bounded_times_keep_the_truth(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (long i = rounds() / 2; i; i--) {
        snt_bounded_time a, b, moved;
        snt_bounded_duration gap;
        const int64_t ta = any(&rng), tb = any(&rng), d = any(&rng);
        const int64_t ea = any(&rng) & INT64_MAX, eb = any(&rng) & INT64_MAX, ed = any(&rng) & INT64_MAX;
        if (!is_finite(ta) || !is_finite(tb) || !is_finite(d))
            continue;
        assert_status(snt_bounded_time_init(ta, ea, eb, 1, 1, &a), SNT_OK);
        assert_status(snt_bounded_time_init(tb, eb, ed, 1, 1, &b), SNT_OK);
        assert_status(snt_bounded_time_check(&a), SNT_OK);
        const wide truth_a = rng_below(&rng, 2) ? (wide)ta - (ea == INT64_MAX ? 0 : ea)
                                                : (wide)ta + (eb == INT64_MAX ? 0 : eb);
        const wide truth_b = rng_below(&rng, 2) ? (wide)tb - (eb == INT64_MAX ? 0 : eb)
                                                : (wide)tb + (ed == INT64_MAX ? 0 : ed);
        if (snt_bounded_time_add(&a, d, ed, &moved) == SNT_OK) {
            assert_status(snt_bounded_time_check(&moved), SNT_OK);
            const wide far = ed == INT64_MAX ? 0 : ed;
            assert_true(!(moved.flags & SNT_TIME_BOUND_LO) || moved.lo <= truth_a + d - far);
            assert_true(!(moved.flags & SNT_TIME_BOUND_HI) || moved.hi >= truth_a + d + far);
        }
        if (snt_bounded_time_sub(&a, &b, &gap) == SNT_OK) {
            assert_true(gap.lo <= gap.d && gap.d <= gap.hi);
            assert_true(!(gap.flags & SNT_TIME_BOUND_LO) || gap.lo <= truth_a - truth_b);
            assert_true(!(gap.flags & SNT_TIME_BOUND_HI) || gap.hi >= truth_a - truth_b);
            snt_duration least, greatest;
            assert_status(snt_bounded_time_separation(&a, &b, &least, &greatest), SNT_OK);
            const wide apart = truth_a > truth_b ? truth_a - truth_b : truth_b - truth_a;
            assert_true(least <= apart && (greatest == SNT_UNKNOWN || apart <= greatest));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_are_those_of_wider_integers),
        cmocka_unit_test(scaling_is_exact_and_rounded_once),
        cmocka_unit_test(ticks_and_their_remainders_add_up),
        cmocka_unit_test(intervals_contain_what_their_members_make),
        cmocka_unit_test(bounded_times_keep_the_truth),
    };
    return cmocka_run_group_tests_name("model_stamp", tests, NULL, NULL);
}
#else
int main(void)
{
    puts("1..0 # SKIP no 128-bit integers here");
    return 0;
}
#endif
