/* SPDX-License-Identifier: BSD-3-Clause */
/* The feasible set itself, against its definition by support functions. */
#include "test.h"

#include "lib/clock/polygon.h"

static double support(const snt__polygon *p, double a, double b)
{
    double most = -(double)INFINITY;
    for (uint32_t i = 0; i < p->count; i++)
        most = fmax(most, a * p->x[i] + b * p->y[i]);
    return most;
}

static bool contains(const snt__polygon *p, double x, double y, double slack)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const uint32_t j = (i + 1) % p->count;
        const double ex = p->x[j] - p->x[i], ey = p->y[j] - p->y[i];
        const double cross = ex * (y - p->y[i]) - ey * (x - p->x[i]);
        if (cross < -slack * (fabs(ex) + fabs(ey)))
            return false;
    }
    return true;
}

static snt__polygon random_set(test_rng *rng)
{
    snt__polygon p;
    const double lo = -rng_range(rng, 100, 1e6), hi = rng_range(rng, 100, 1e6);
    snt__polygon_begin(&p, 1e5, &lo, &hi);
    for (int i = 0; i < 30; i++) {
        const double at = -rng_range(rng, 0, 100), angle_hi = support(&p, 1, at),
                     angle_lo = -support(&p, -1, -at);
        const double cut = angle_lo + (angle_hi - angle_lo) * rng_range(rng, 0.6, 0.99);
        snt__polygon_clip(&p, at, rng_below(rng, 2) ? cut : angle_hi, true);
        snt__polygon_clip(&p, at, angle_lo + (angle_hi - angle_lo) * rng_range(rng, 0, 0.2), false);
        if (!snt__polygon_reduce(&p, SNT__POLYGON_MAX))
            fail();
    }
    return p;
}

/* A step is a shear, plus the lens: in no direction less than exact, in none more than wander·D²/4m. */
static void a_step_adds_at_least_the_lens_and_little_more(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 300; round++) {
        const snt__polygon before = random_set(&rng);
        snt__polygon p = before;
        const double D = rng_range(&rng, 0.01, 20), k = rng_range(&rng, 0, 300), guard = 1e-5;
        snt__polygon_step(&p, D, k, 1e9, guard); /* no clipping of the rate here */
        for (int i = 0; i < 200; i++) {
            const double a = rng_range(&rng, -1, 1),
                         b = rng_range(&rng, -1, 1) * (rng_below(&rng, 2) ? 30 : 1);
            const double zero = a != 0 ? -b / a : -1; /* k·∫|a·u + b| du over [0, D] */
            const double lens = zero <= 0 || zero >= D
                                    ? k * fabs(a * D * D / 2 + b * D)
                                    : k * fabs(a) * (zero * zero + (D - zero) * (D - zero)) / 2;
            const double exact = support(&before, a, b + a * D) + lens, got = support(&p, a, b);
            const double digits = 1e-9 * (fabs(exact) + 1);
            assert_true(got >= exact - digits);
            const bool brief =
                D < 0.002 * sqrt(2 * (before.x_max - before.x_min) / k); /* then a box will do */
            assert_true(got <= exact + fabs(a) * (k * D * D * (brief ? 1 : 0.25) + guard) + digits);
        }
        assert_true(p.count <= SNT__POLYGON_ROOM);
    }
}

static void a_clip_keeps_what_satisfies_it_and_nothing_else(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 500; round++) {
        const snt__polygon before = random_set(&rng);
        snt__polygon p = before;
        const double at = -rng_range(&rng, 0, 50);
        const double hi = support(&before, 1, at), lo = -support(&before, -1, -at);
        const bool upper = rng_below(&rng, 2);
        const double limit = lo + (hi - lo) * rng_range(&rng, 0.05, 0.95);
        assert_true(snt__polygon_clip(&p, at, limit, upper));
        for (int i = 0; i < 100; i++) { /* points of the set: convex combinations of its vertices */
            const uint32_t u = (uint32_t)rng_below(&rng, before.count),
                           v = (uint32_t)rng_below(&rng, before.count);
            const double f = rng_unit(&rng), x = f * before.x[u] + (1 - f) * before.x[v],
                         y = f * before.y[u] + (1 - f) * before.y[v];
            const double value = x + y * at;
            const bool wanted = upper ? value < limit - 1e-3 : value > limit + 1e-3;
            const bool unwanted = upper ? value > limit + 1e-3 : value < limit - 1e-3;
            assert_true(!wanted || contains(&p, x, y, 1e-6));
            assert_true(!unwanted || !contains(&p, x, y, -1e-9));
        }
        const snt__polygon untouched = p;
        assert_false(snt__polygon_clip(&p, at, upper ? lo - 1 : hi + 1, upper)); /* nothing would be left */
        assert_memory_equal(&p, &untouched, sizeof p);
        assert_true(snt__polygon_clip(&p, at, upper ? hi + 1 : lo - 1, upper)); /* nothing to do */
        assert_memory_equal(&p, &untouched, sizeof p);
    }
}

/* Reduction never loses a point, keeps convexity, obeys every cap, and with one edge to spare costs next to nothing. */
static void reduction_goes_outward(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 500; round++) {
        const snt__polygon before = random_set(&rng);
        for (uint32_t cap = 6; cap < 20; cap += 2) {
            snt__polygon p = before;
            if (!snt__polygon_reduce(&p, cap))
                continue;
            assert_true(p.count <= cap);
            for (uint32_t i = 0; i < before.count; i++)
                assert_true(contains(&p, before.x[i], before.y[i], 1e-7));
            for (uint32_t i = 0; i < p.count; i++) {
                const uint32_t j = (i + 1) % p.count, k = (i + 2) % p.count;
                assert_true((p.x[j] - p.x[i]) * (p.y[k] - p.y[j]) - (p.y[j] - p.y[i]) * (p.x[k] - p.x[j]) >=
                            0);
                assert_true(p.x[i] >= p.x_min && p.x[i] <= p.x_max && p.y[i] >= p.y_min && p.y[i] <= p.y_max);
            }
            if (cap >= 16)
                assert_true(p.x_max - p.x_min <= 1.02 * (before.x_max - before.x_min));
        }
    }
}

static void slivers_become_boxes_around_them(void **state)
{
    (void)state;
    const double lo = 5, hi = 5; /* no width at all */
    snt__polygon p;
    snt__polygon_begin(&p, 100, &lo, &hi);
    assert_true(snt__polygon_reduce(&p, 8));
    assert_true(p.count >= 3 && p.count <= 4);
    assert_true(contains(&p, 5, 0, 0) && contains(&p, 5, 100, 0) && contains(&p, 5, -100, 0));
    assert_true(p.x_max - p.x_min < 1e-3 && p.x_max > 5 && p.x_min < 5);
    assert_true(p.y_max > 100 && p.y_min < -100 && p.y_max < 100.001);
}

static void an_open_side_stays_open(void **state)
{
    (void)state;
    const double hi = 1000;
    snt__polygon p;
    snt__polygon_begin(&p, 100, NULL, &hi);
    for (int i = 0; i < 100; i++) {
        snt__polygon_step(&p, 10, 5, 100, 1e-5);
        assert_true(snt__polygon_clip(&p, 0, 1000, true));
        assert_true(snt__polygon_reduce(&p, 16));
        assert_true(p.open_lo && !p.open_hi);
        assert_true(p.x_min <= -SNT__POLYGON_FAR / 2);
    }
    assert_true(snt__polygon_clip(&p, 0, -1e6, false));
    assert_true(snt__polygon_reduce(&p, 16));
    assert_false(p.open_lo);
    assert_near(p.x_min, -1e6, 1e-3);
    assert_near(p.x_max, 1000, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_adds_at_least_the_lens_and_little_more),
        cmocka_unit_test(a_clip_keeps_what_satisfies_it_and_nothing_else),
        cmocka_unit_test(reduction_goes_outward),
        cmocka_unit_test(slivers_become_boxes_around_them),
        cmocka_unit_test(an_open_side_stays_open),
    };
    return cmocka_run_group_tests_name("clock_polygon", tests, NULL, NULL);
}
