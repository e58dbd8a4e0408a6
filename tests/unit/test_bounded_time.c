/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals, bounded times and samples. */
#include "test.h"

#include "lib/base/internal.h"

#define MS SNT_NS_PER_MS

static void sums_of_intervals_are_rounded_outward(void **state)
{
    (void)state;
    const snt_interval a = {10, 20}, b = {-3, 4};
    snt_interval out;
    assert_status(snt_interval_add(&a, &b, &out), SNT_OK);
    assert_i64_equal(out.lo, 7);
    assert_i64_equal(out.hi, 24);
    assert_status(snt_interval_sub(&a, &b, &out), SNT_OK);
    assert_i64_equal(out.lo, 6);
    assert_i64_equal(out.hi, 23);
    /* near the end of the range a lower bound must not become +infinity, nor an upper one a number too small */
    const snt_interval high = {INT64_MAX - 5, INT64_MAX - 3}, ten = {10, 10};
    assert_status(snt_interval_add(&high, &ten, &out), SNT_OK);
    assert_i64_equal(out.lo, INT64_MAX - 1);
    assert_i64_equal(out.hi, SNT_TIME_INFINITE_FUTURE);
    const snt_interval low = {INT64_MIN + 3, INT64_MIN + 5};
    assert_status(snt_interval_sub(&low, &ten, &out), SNT_OK);
    assert_i64_equal(out.lo, SNT_TIME_INFINITE_PAST);
    assert_i64_equal(out.hi, INT64_MIN + 1);
    const snt_interval all = {SNT_TIME_INFINITE_PAST, SNT_TIME_INFINITE_FUTURE};
    assert_status(snt_interval_sub(&ten, &all, &out), SNT_OK);
    assert_true(out.lo == SNT_TIME_INFINITE_PAST && out.hi == SNT_TIME_INFINITE_FUTURE);
    const snt_interval since = {5, SNT_TIME_INFINITE_FUTURE};
    assert_status(snt_interval_sub(&ten, &since, &out), SNT_OK);
    assert_true(out.lo == SNT_TIME_INFINITE_PAST && out.hi == 5);
    const snt_interval bad = {2, 1};
    out.lo = 77;
    assert_status(snt_interval_add(&a, &bad, &out), SNT_ERR_RANGE);
    assert_status(snt_interval_add(&a, NULL, &out), SNT_ERR_INVALID_ARG);
    assert_i64_equal(out.lo, 77);
}

static void an_interval_around_a_time_takes_unknown_sides(void **state)
{
    (void)state;
    snt_interval out;
    assert_status(snt_interval_around(100, 3, 4, &out), SNT_OK);
    assert_true(out.lo == 97 && out.hi == 104);
    assert_status(snt_interval_around(100, SNT_UNKNOWN, 4, &out), SNT_OK);
    assert_true(out.lo == SNT_TIME_INFINITE_PAST && out.hi == 104);
    assert_status(snt_interval_around(100, 3, SNT_UNKNOWN, &out), SNT_OK);
    assert_true(out.lo == 97 && out.hi == SNT_TIME_INFINITE_FUTURE);
    assert_status(snt_interval_around(INT64_MIN + 2, 9, 0, &out), SNT_OK);
    assert_true(out.lo == SNT_TIME_INFINITE_PAST && out.hi == INT64_MIN + 2);
    assert_status(snt_interval_around(100, -1, 4, &out), SNT_ERR_RANGE);
    assert_status(snt_interval_around(SNT_UNKNOWN, 1, 4, &out), SNT_ERR_RANGE);
    assert_status(snt_interval_around(1, 1, 4, NULL), SNT_ERR_INVALID_ARG);
}

static void an_empty_intersection_is_a_status_of_its_own(void **state)
{
    (void)state;
    const snt_interval a = {10, 20}, b = {20, 30}, c = {21, 30};
    snt_interval out = {1, 2};
    assert_status(snt_interval_intersect(&a, &b, &out), SNT_OK);
    assert_true(out.lo == 20 && out.hi == 20);
    assert_status(snt_interval_intersect(&a, &c, &out), SNT_ERR_CONFLICT);
    assert_true(out.lo == 20 && out.hi == 20);
    assert_status(snt_interval_hull(&a, &c, &out), SNT_OK);
    assert_true(out.lo == 10 && out.hi == 30);
    assert_int_equal(snt_interval_contains(&a, 10), 1);
    assert_int_equal(snt_interval_contains(&a, 20), 1);
    assert_int_equal(snt_interval_contains(&a, 21), 0);
    assert_int_equal(snt_interval_contains(NULL, 21), 0);
}

static void improper_intervals_are_refused_by_every_operation(void **state)
{
    (void)state;
    const snt_interval good = {1, 2}, bad = {2, 1};
    static snt_status (*const operations[])(const snt_interval *, const snt_interval *, snt_interval *) = {
        snt_interval_add, snt_interval_sub, snt_interval_intersect, snt_interval_hull};
    for (size_t i = 0; i < SNT_COUNT_OF(operations); i++) {
        snt_interval out = {77, 78};
        assert_status(operations[i](&bad, &good, &out), SNT_ERR_RANGE);
        assert_status(operations[i](&good, &bad, &out), SNT_ERR_RANGE);
        assert_status(operations[i](NULL, &good, &out), SNT_ERR_INVALID_ARG);
        assert_status(operations[i](&good, NULL, &out), SNT_ERR_INVALID_ARG);
        assert_status(operations[i](&good, &good, NULL), SNT_ERR_INVALID_ARG);
        assert_true(out.lo == 77 && out.hi == 78);
    }
    int32_t order = 5;
    assert_status(snt_interval_compare(&bad, &good, &order), SNT_ERR_RANGE);
    assert_int_equal(order, 5);
}

static void order_is_claimed_only_where_it_is_certain(void **state)
{
    (void)state;
    static const struct {
        snt_interval a, b;
        int32_t order;
    } cases[] = {
        {{1, 2}, {3, 4}, SNT_ORDER_BEFORE},  {{3, 4}, {1, 2}, SNT_ORDER_AFTER},
        {{1, 3}, {3, 4}, SNT_ORDER_OVERLAP}, {{5, 5}, {5, 5}, SNT_ORDER_EQUAL},
        {{5, 5}, {5, 6}, SNT_ORDER_OVERLAP}, {{1, 9}, {4, 5}, SNT_ORDER_OVERLAP},
        {{4, 4}, {5, 5}, SNT_ORDER_BEFORE},
    };
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        int32_t order = 99;
        assert_status(snt_interval_compare(&cases[i].a, &cases[i].b, &order), SNT_OK);
        assert_int_equal(order, cases[i].order);
    }
    assert_status(snt_interval_compare(&cases[0].a, &cases[0].b, NULL), SNT_ERR_INVALID_ARG);
}

static snt_bounded_time bounded(snt_time t, snt_duration lo, snt_duration hi, uint32_t domain,
                                uint32_t session)
{
    snt_bounded_time out;
    assert_status(snt_bounded_time_init(t, lo, hi, domain, session, &out), SNT_OK);
    return out;
}

static void a_declared_bound_is_flagged_as_declared(void **state)
{
    (void)state;
    snt_bounded_time x = bounded(100, 5, SNT_UNKNOWN, SNT_DOMAIN_STEADY, 3);
    assert_i64_equal(x.lo, 95);
    assert_i64_equal(x.hi, SNT_TIME_INFINITE_FUTURE);
    assert_int_equal(x.flags, SNT_TIME_DECLARED | SNT_TIME_BOUND_LO);
    assert_int_equal(x.session, 3);
    assert_status(snt_bounded_time_check(&x), SNT_OK);
    x.flags |= SNT_TIME_BOUND_HI; /* a flag without its end */
    assert_status(snt_bounded_time_check(&x), SNT_ERR_RANGE);
    x.hi = 99;
    assert_status(snt_bounded_time_check(&x), SNT_ERR_RANGE);
    assert_status(snt_bounded_time_check(NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_bounded_time_init(1, -1, 0, 0, 0, &x), SNT_ERR_RANGE);
    assert_status(snt_bounded_time_init(1, 0, 0, 0, 0, NULL), SNT_ERR_INVALID_ARG);
}

static void adding_a_duration_widens_by_its_error(void **state)
{
    (void)state;
    const snt_bounded_time x = bounded(100, 5, 7, SNT_DOMAIN_TAI, 1);
    snt_bounded_time out;
    assert_status(snt_bounded_time_add(&x, 50, 2, &out), SNT_OK);
    assert_i64_equal(out.t, 150);
    assert_i64_equal(out.lo, 143);
    assert_i64_equal(out.hi, 159);
    assert_int_equal(out.domain, SNT_DOMAIN_TAI);
    assert_status(snt_bounded_time_add(&x, 50, SNT_UNKNOWN, &out), SNT_OK);
    assert_int_equal(out.flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI), 0);
    assert_status(snt_bounded_time_check(&out), SNT_OK);
    assert_status(snt_bounded_time_add(&x, INT64_MAX - 106, 10, &out), SNT_OK);
    assert_i64_equal(out.hi, SNT_TIME_INFINITE_FUTURE);
    assert_true(out.flags & SNT_TIME_SATURATED);
    assert_false(out.flags & SNT_TIME_BOUND_HI);
    assert_status(snt_bounded_time_add(&x, INT64_MAX - 50, 0, &out), SNT_ERR_OVERFLOW);
    assert_status(snt_bounded_time_add(&x, 1, -1, &out), SNT_ERR_RANGE);
    assert_status(snt_bounded_time_add(NULL, 1, 1, &out), SNT_ERR_INVALID_ARG);
}

static void different_clocks_never_subtract(void **state)
{
    (void)state;
    const snt_bounded_time a = bounded(100 * MS, 5 * MS, 5 * MS, SNT_DOMAIN_UNIX, 1);
    const snt_bounded_time b = bounded(72 * MS, 10 * MS, 10 * MS, SNT_DOMAIN_UNIX, 1);
    const snt_bounded_time other = bounded(72 * MS, 1, 1, SNT_DOMAIN_SIM, 1);
    const snt_bounded_time rebooted = bounded(72 * MS, 1, 1, SNT_DOMAIN_UNIX, 2);
    const snt_bounded_time unkept = bounded(72 * MS, 1, 1, SNT_DOMAIN_UNIX, 0);
    snt_bounded_duration d = {.d = 7};
    int32_t order = 9;
    assert_status(snt_bounded_time_sub(&a, &other, &d), SNT_ERR_DOMAIN);
    assert_status(snt_bounded_time_sub(&a, &rebooted, &d), SNT_ERR_SESSION);
    assert_status(snt_bounded_time_compare(&a, &other, &order), SNT_ERR_DOMAIN);
    assert_status(snt_bounded_time_compare(&a, &rebooted, &order), SNT_ERR_SESSION);
    assert_status(snt_bounded_time_separation(&a, &other, NULL, NULL), SNT_ERR_DOMAIN);
    assert_int_equal(order, 9);
    assert_i64_equal(d.d, 7);
    assert_status(snt_bounded_time_sub(&a, &unkept, &d), SNT_OK);
    snt_bounded_time broken = b;
    broken.lo = broken.t + 1;
    assert_status(snt_bounded_time_sub(&a, &broken, &d), SNT_ERR_RANGE);
    assert_status(snt_bounded_time_sub(&broken, &a, &d), SNT_ERR_RANGE);
    assert_status(snt_bounded_time_compare(&a, &broken, &order), SNT_ERR_RANGE);
    const snt_bounded_time near = bounded(96 * MS, 2 * MS, 2 * MS, SNT_DOMAIN_UNIX, 1);
    assert_status(snt_bounded_time_compare(&a, &near, &order), SNT_OK); /* a reaches down to 95 ms */
    assert_int_equal(order, SNT_ORDER_OVERLAP);
    assert_status(snt_bounded_time_compare(&near, &a, &order), SNT_OK);
    assert_int_equal(order, SNT_ORDER_OVERLAP);
    /* spec 2: 28 ms apart, 15 ms of combined uncertainty: 13 to 43 ms */
    assert_status(snt_bounded_time_sub(&a, &b, &d), SNT_OK);
    assert_i64_equal(d.d, 28 * MS);
    assert_i64_equal(d.lo, 13 * MS);
    assert_i64_equal(d.hi, 43 * MS);
    assert_status(snt_bounded_time_compare(&a, &b, &order), SNT_OK);
    assert_int_equal(order, SNT_ORDER_AFTER);
    snt_duration least, greatest;
    assert_status(snt_bounded_time_separation(&b, &a, &least, &greatest), SNT_OK);
    assert_i64_equal(least, 13 * MS);
    assert_i64_equal(greatest, 43 * MS);
}

static void a_missing_bound_leaves_the_difference_open(void **state)
{
    (void)state;
    const snt_bounded_time upper =
        bounded(100, SNT_UNKNOWN, 5, SNT_DOMAIN_UNIX, 1); /* one-way: no lower bound */
    const snt_bounded_time both = bounded(50, 5, 5, SNT_DOMAIN_UNIX, 1);
    snt_bounded_duration d;
    snt_duration least, greatest;
    assert_status(snt_bounded_time_sub(&upper, &both, &d), SNT_OK);
    assert_i64_equal(d.lo, INT64_MIN);
    assert_i64_equal(d.hi, 60);
    assert_int_equal(d.flags, SNT_TIME_BOUND_HI | SNT_TIME_DECLARED); /* unknown is not saturated */
    assert_status(snt_bounded_time_sub(&both, &upper, &d), SNT_OK);
    assert_int_equal(d.flags, SNT_TIME_BOUND_LO | SNT_TIME_DECLARED);
    assert_i64_equal(d.lo, -60);
    assert_i64_equal(d.hi, INT64_MAX);
    assert_int_equal(d.flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI), SNT_TIME_BOUND_LO);
    assert_status(snt_bounded_time_separation(&upper, &both, &least, &greatest), SNT_OK);
    assert_i64_equal(least, 0);
    assert_i64_equal(greatest, SNT_UNKNOWN);
}

static void separation_overlapping_is_zero_at_least(void **state)
{
    (void)state;
    const snt_bounded_time a = bounded(100, 10, 20, SNT_DOMAIN_UNIX, 0),
                           b = bounded(110, 30, 5, SNT_DOMAIN_UNIX, 0);
    snt_duration least, greatest;
    assert_status(snt_bounded_time_separation(&a, &b, &least, &greatest), SNT_OK);
    assert_i64_equal(least, 0);
    assert_i64_equal(greatest, 40); /* 120 against 80: further than 115 against 90 */
}

static void a_sample_that_spans_time_needs_an_event_that_does(void **state)
{
    (void)state;
    snt_sample s;
    snt_sample_init(&s, 100, SNT_DOMAIN_UNIX, 1);
    assert_status(snt_sample_check(&s), SNT_OK);
    s.t1_ns = 200;
    assert_status(snt_sample_check(&s), SNT_ERR_RANGE);
    s.event = SNT_EVENT_SWEEP;
    assert_status(snt_sample_check(&s), SNT_OK);
    s.event = SNT_EVENT_EXPOSURE_MID;
    assert_status(snt_sample_check(&s), SNT_ERR_RANGE);
    s.event = 99;
    assert_status(snt_sample_check(&s), SNT_ERR_RANGE);
    s.event = SNT_EVENT_EXPOSURE;
    s.err_lo_ns = -1; /* ignored as long as no flag vouches for it */
    assert_status(snt_sample_check(&s), SNT_OK);
    s.flags = SNT_TIME_BOUND_LO;
    assert_status(snt_sample_check(&s), SNT_ERR_RANGE);
    s.err_lo_ns = 0;
    assert_status(snt_sample_check(&s), SNT_OK);
    s.err_hi_ns = -1;
    assert_status(snt_sample_check(&s), SNT_OK);
    s.flags = SNT_TIME_BOUND_HI;
    assert_status(snt_sample_check(&s), SNT_ERR_RANGE);
    s.err_hi_ns = 0;
    assert_status(snt_sample_check(&s), SNT_OK);
    s.t1_ns = 99;
    assert_status(snt_sample_check(&s), SNT_ERR_RANGE);
    assert_status(snt_sample_check(NULL), SNT_ERR_INVALID_ARG);
}

static void a_samples_times_come_from_bounded_times(void **state)
{
    (void)state;
    snt_bounded_time first = bounded(100, 5, 6, 70, 3), last = bounded(200, 9, 2, 70, 3);
    first.version = 4;
    last.version = 5;
    last.flags |= SNT_TIME_HOLDOVER;
    snt_sample s;
    snt_sample_init(&s, 0, SNT_DOMAIN_UNIX, 42);
    s.receive_ns = 999;
    assert_status(snt_sample_set_times(&s, &first, &last, SNT_EVENT_SWEEP), SNT_OK);
    assert_i64_equal(s.t0_ns, 100);
    assert_i64_equal(s.t1_ns, 200);
    assert_i64_equal(s.err_lo_ns, 9);
    assert_i64_equal(s.err_hi_ns, 6);
    assert_i64_equal(s.receive_ns, 999); /* never replaced by acquisition */
    assert_int_equal(s.token, 42);
    assert_int_equal(s.domain, 70);
    assert_int_equal(s.session, 3);
    assert_int_equal(s.version, 5);
    assert_true(s.flags & SNT_TIME_HOLDOVER);
    snt_bounded_time mid;
    assert_status(snt_sample_moment(&s, SNT_AT_MIDDLE, &mid), SNT_OK);
    assert_i64_equal(mid.t, 150);
    assert_i64_equal(mid.lo, 141);
    assert_i64_equal(mid.hi, 156);
    assert_int_equal(mid.version, 5);
    assert_true(mid.flags & SNT_TIME_HOLDOVER);
    snt_interval span;
    assert_status(snt_sample_span(&s, &span), SNT_OK);
    assert_i64_equal(span.lo, 91);
    assert_i64_equal(span.hi, 206);
    assert_status(snt_sample_moment(&s, 3, &mid), SNT_ERR_INVALID_ARG);
    assert_status(snt_sample_moment(NULL, SNT_AT_FIRST, &mid), SNT_ERR_INVALID_ARG);
    assert_status(snt_sample_moment(&s, SNT_AT_FIRST, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_sample_span(NULL, &span), SNT_ERR_INVALID_ARG);
    assert_status(snt_sample_span(&s, NULL), SNT_ERR_INVALID_ARG);
    /* the wider error of the two on each side */
    snt_sample other = s;
    const snt_bounded_time begin = bounded(100, 9, 2, 70, 3), end = bounded(200, 5, 6, 70, 3);
    assert_status(snt_sample_set_times(&other, &begin, &end, SNT_EVENT_SWEEP), SNT_OK);
    assert_i64_equal(other.err_lo_ns, 9);
    assert_i64_equal(other.err_hi_ns, 6);
    other.t1_ns = other.t0_ns - 1;
    span.lo = 4;
    assert_status(snt_sample_span(&other, &span), SNT_ERR_RANGE);
    assert_i64_equal(span.lo, 4);
    /* refusals change nothing */
    assert_status(snt_sample_set_times(&s, &last, &first, SNT_EVENT_SWEEP), SNT_ERR_RANGE);
    assert_status(snt_sample_set_times(&s, &first, &last, SNT_EVENT_INSTANT), SNT_ERR_RANGE);
    last.domain = 71;
    assert_status(snt_sample_set_times(&s, &first, &last, SNT_EVENT_SWEEP), SNT_ERR_DOMAIN);
    assert_status(snt_sample_set_times(&s, NULL, &last, SNT_EVENT_SWEEP), SNT_ERR_INVALID_ARG);
    assert_i64_equal(s.t0_ns, 100);
}

static void a_one_sided_moment_makes_a_one_sided_sample(void **state)
{
    (void)state;
    const snt_bounded_time first = bounded(100, SNT_UNKNOWN, 6, 70, 3), last = bounded(200, 9, 2, 70, 3);
    snt_sample s;
    snt_sample_init(&s, 0, 70, 0);
    assert_status(snt_sample_set_times(&s, &first, &last, SNT_EVENT_SWEEP), SNT_OK);
    assert_int_equal(s.flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI), SNT_TIME_BOUND_HI);
    assert_i64_equal(s.err_lo_ns, 0);
    snt_interval span;
    assert_status(snt_sample_span(&s, &span), SNT_OK);
    assert_i64_equal(span.lo, SNT_TIME_INFINITE_PAST);
    assert_i64_equal(span.hi, 206);
    assert_status(snt_sample_set_times(&s, &last, NULL, SNT_EVENT_INSTANT), SNT_OK);
    assert_i64_equal(s.t1_ns, 200);
    assert_i64_equal(s.err_lo_ns, 9);
}

static void samples_of_two_sensors_may_have_their_own_sessions(void **state)
{
    (void)state;
    snt_sample a, b;
    snt_sample_init(&a, 1, SNT_DOMAIN_UNIX, 0);
    snt_sample_init(&b, 2, SNT_DOMAIN_UNIX, 0);
    a.session = 3;
    b.session = 4;
    assert_status(snt_sample_comparable(&a, &b), SNT_ERR_SESSION); /* one source, two sessions */
    b.source = 7;
    assert_status(snt_sample_comparable(&a, &b), SNT_OK);
    b.domain = SNT_DOMAIN_SIM;
    assert_status(snt_sample_comparable(&a, &b), SNT_ERR_DOMAIN);
    assert_status(snt_sample_comparable(&a, NULL), SNT_ERR_INVALID_ARG);
}

static void the_middle_of_the_widest_sample_does_not_overflow(void **state)
{
    (void)state;
    snt_sample s;
    snt_bounded_time mid;
    snt_sample_init(&s, INT64_MIN + 1, SNT_DOMAIN_UNIX, 0);
    s.t1_ns = INT64_MAX - 1;
    s.event = SNT_EVENT_INPUTS;
    assert_status(snt_sample_moment(&s, SNT_AT_MIDDLE, &mid), SNT_OK);
    assert_i64_equal(mid.t, -1); /* of −2⁶³+1 and 2⁶³−2, rounded down */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_intervals_are_rounded_outward),
        cmocka_unit_test(an_interval_around_a_time_takes_unknown_sides),
        cmocka_unit_test(an_empty_intersection_is_a_status_of_its_own),
        cmocka_unit_test(improper_intervals_are_refused_by_every_operation),
        cmocka_unit_test(order_is_claimed_only_where_it_is_certain),
        cmocka_unit_test(a_declared_bound_is_flagged_as_declared),
        cmocka_unit_test(adding_a_duration_widens_by_its_error),
        cmocka_unit_test(different_clocks_never_subtract),
        cmocka_unit_test(a_missing_bound_leaves_the_difference_open),
        cmocka_unit_test(separation_overlapping_is_zero_at_least),
        cmocka_unit_test(a_sample_that_spans_time_needs_an_event_that_does),
        cmocka_unit_test(a_samples_times_come_from_bounded_times),
        cmocka_unit_test(a_one_sided_moment_makes_a_one_sided_sample),
        cmocka_unit_test(samples_of_two_sensors_may_have_their_own_sessions),
        cmocka_unit_test(the_middle_of_the_widest_sample_does_not_overflow),
    };
    return cmocka_run_group_tests_name("bounded_time", tests, NULL, NULL);
}
