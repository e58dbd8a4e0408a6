/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The point pass and the IMU cover against a slow and obvious version: times in a list, sorted with qsort, rings in plain
 * arrays, the IMU searched from end to end. Clouds come in random types and orders, with NaN, repeats and strays.
 */
#include "scan_cloud.h"

enum { MOST = 3000, RINGS = 40, IMU = 600 };

typedef struct cloud_model {
    uint64_t count;
    int64_t times[MOST]; /* INT64_MAX = NaN */
    uint32_t rings[MOST];
    float xyz[MOST][3];
    unsigned char record[MOST * 48];
    snt_cloud view;
    int64_t base;
    bool relative;
} cloud_model;

static cloud_model the;

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Times of `span` in one of the orders drivers use, then shuffled a little or fully. */
static void make_times(test_rng *rng, int64_t span)
{
    const uint64_t rings = 1 + rng_below(rng, RINGS);
    const uint64_t columns = the.count / rings + 1;
    const uint64_t order = rng_below(rng, 4);
    for (uint64_t i = 0; i < the.count; i++) {
        uint64_t ring, column;
        if (order == 0) {
            ring = i % rings;
            column = i / rings;
        } else if (order == 1) {
            ring = i / columns;
            column = i % columns;
        } else if (order == 2) {
            ring = rng_below(rng, rings);
            column = i * 7919 % columns;
        } else { /* evenly spread and all different: the hard case for the largest gap */
            ring = rng_below(rng, rings);
            column = 0;
        }
        the.rings[i] = (uint32_t)ring;
        the.times[i] = order == 3 ? span * (int64_t)(i * 1471 % the.count) / (int64_t)the.count
                                  : span * (int64_t)column / (int64_t)columns;
    }
    for (uint64_t swaps = rng_below(rng, 3) ? 0 : rng_below(rng, 50); swaps && the.count; swaps--) {
        const uint64_t a = rng_below(rng, the.count), b = rng_below(rng, the.count);
        const int64_t t = the.times[a];
        the.times[a] = the.times[b];
        the.times[b] = t;
    }
    if (the.count && rng_below(rng, 4) == 0)
        for (uint64_t strays = rng_below(rng, 4); strays; strays--)
            the.times[rng_below(rng, the.count)] = rng_int(rng, -span, 3 * span);
}

/* Store the times as a driver would, and take back what such a field can hold. */
static void store_times(test_rng *rng)
{
    static const uint32_t types[] = {SNT_TYPE_U32, SNT_TYPE_F32, SNT_TYPE_F64, SNT_TYPE_I64, SNT_TYPE_I32};
    const uint32_t type = types[rng_below(rng, 5)];
    const bool absolute = type == SNT_TYPE_I64 && rng_below(rng, 2);
    the.relative = !absolute;
    for (uint64_t i = 0; i < the.count; i++) {
        unsigned char *p = the.record + i * 48;
        const int64_t t = the.times[i];
        const bool nan = (type == SNT_TYPE_F32 || type == SNT_TYPE_F64) && rng_below(rng, 200) == 0;
        const uint32_t u = (uint32_t)(uint64_t)t; /* negative ones wrap */
        const int32_t s = (int32_t)t;
        const int64_t l = absolute ? t + the.base : t;
        const float f = nan ? NAN : (float)(1e-9 * (double)t);
        const double d = nan ? (double)NAN : 1e-9 * (double)t;
        if (type == SNT_TYPE_U32)
            memcpy(p + 16, &u, sizeof u);
        if (type == SNT_TYPE_I32)
            memcpy(p + 16, &s, sizeof s);
        if (type == SNT_TYPE_I64)
            memcpy(p + 16, &l, sizeof l);
        if (type == SNT_TYPE_F32)
            memcpy(p + 16, &f, sizeof f);
        if (type == SNT_TYPE_F64)
            memcpy(p + 16, &d, sizeof d);
        if (type == SNT_TYPE_F32)
            the.times[i] = (int64_t)llround((double)f * 1e9);
        if (nan)
            the.times[i] = INT64_MAX;
    }
    /* if every offset lies in the upper half, none is taken for a negative one */
    bool all = type == SNT_TYPE_U32;
    for (uint64_t i = 0; i < the.count; i++)
        all = all && the.times[i] < 0;
    for (uint64_t i = 0; i < the.count && all; i++)
        the.times[i] += INT64_C(1) << 32;
    const uint32_t unit = type == SNT_TYPE_F32 || type == SNT_TYPE_F64 ? SNT_TIME_UNIT_S : SNT_TIME_UNIT_NS;
    assert_status(snt_cloud_set_times(&the.view, the.record + 16, 48, type, unit,
                                      absolute ? SNT_TIME_REF_ABSOLUTE : SNT_TIME_REF_RELATIVE, the.base, 0),
                  SNT_OK);
}

static void make_cloud(test_rng *rng, int64_t base, int64_t span)
{
    the.count = rng_below(rng, 8) ? rng_below(rng, MOST) + 1 : rng_below(rng, 4);
    the.base = base;
    memset(the.record, 0xee, sizeof the.record);
    make_times(rng, span);
    snt_cloud_init(&the.view);
    for (uint64_t i = 0; i < the.count; i++) {
        const uint64_t kind = rng_below(rng, 20);
        for (int k = 0; k < 3; k++)
            the.xyz[i][k] = kind == 0 ? NAN : kind == 1 ? 0 : (float)rng_range(rng, -50, 50);
        memcpy(the.record + i * 48, the.xyz[i], 12);
        const uint16_t ring = (uint16_t)the.rings[i];
        memcpy(the.record + i * 48 + 26, &ring, sizeof ring);
    }
    the.view.count = the.count;
    if (rng_below(rng, 4))
        assert_status(snt_cloud_set_points(&the.view, the.record, 48, SNT_TYPE_F32, the.count), SNT_OK);
    store_times(rng);
    if (rng_below(rng, 4))
        assert_status(snt_cloud_set_rings(&the.view, the.record + 26, 48, SNT_TYPE_U16), SNT_OK);
}

static void check_rings(const snt_point_stats *s)
{
    int64_t last[RINGS + 1];
    uint64_t jumps[RINGS + 1] = {0};
    bool seen[RINGS + 1] = {false};
    uint32_t rings = 0, monotonic = 0;
    uint64_t all = 0;
    if (the.view.ring.type == SNT_TYPE_NONE) {
        assert_int_equal(s->rings, 0);
        return;
    }
    for (uint64_t i = 0; i < the.count; i++) {
        const uint32_t r = the.rings[i];
        if (the.times[i] == INT64_MAX)
            continue;
        jumps[r] += seen[r] && the.times[i] < last[r];
        last[r] = the.times[i];
        seen[r] = true;
    }
    for (int r = 0; r <= RINGS; r++) {
        rings += seen[r];
        monotonic += seen[r] && !jumps[r];
        all += jumps[r];
    }
    assert_int_equal(s->rings, rings);
    assert_int_equal(s->rings_monotonic, monotonic);
    assert_int_equal(s->ring_jumps, all);
}

static void check_points(const snt_point_stats *s, int64_t large, int64_t period)
{
    static int64_t usable[MOST], sorted[MOST];
    uint64_t n = 0, nan = 0, back = 0, equal = 0, many = 0, negative = 0, zero = 0, bad = 0, nothing = 0;
    int64_t least = INT64_MAX, most = INT64_MIN, widest = 0;
    for (uint64_t i = 0; i < the.count; i++) {
        if (the.times[i] == INT64_MAX) {
            nan++;
            continue;
        }
        usable[n++] = the.times[i];
        negative += the.relative && the.times[i] < 0;
        zero += the.relative && the.times[i] == 0;
    }
    for (uint64_t i = 0; i < the.count && the.view.x.type != SNT_TYPE_NONE; i++) {
        bad += isnan(the.xyz[i][0]) != 0;
        nothing += the.xyz[i][0] == 0 && the.xyz[i][1] == 0 && the.xyz[i][2] == 0;
    }
    for (uint64_t i = 1; i < n; i++) {
        const int64_t step = usable[i] - usable[i - 1];
        back += step < 0;
        equal += step == 0;
        many += llabs((long long)step) > large;
        least = step < least ? step : least;
        most = step > most ? step : most;
        if (llabs((long long)step) > widest)
            widest = llabs((long long)step);
    }
    assert_int_equal(s->points, the.count);
    assert_int_equal(s->timed, n);
    assert_int_equal(s->nan_times, nan);
    assert_int_equal(s->invalid_times, 0);
    assert_int_equal(s->nonfinite_points, bad);
    assert_int_equal(s->zero_points, nothing);
    check_rings(s);
    if (!n) {
        assert_true(s->flags & SNT_SCAN_NO_TIME);
        return;
    }
    memcpy(sorted, usable, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
    int64_t gap = 0, at = sorted[0];
    for (uint64_t i = 1; i < n; i++)
        if (sorted[i] - sorted[i - 1] > gap) {
            gap = sorted[i] - sorted[i - 1];
            at = sorted[i - 1];
        }
    const int64_t base = the.base;
    assert_int_equal(s->negative_jumps, back);
    assert_int_equal(s->equal_steps, equal);
    assert_int_equal(s->large_gaps, many);
    if (!s->wrapped_times)
        assert_int_equal(s->negative_times, negative);
    assert_int_equal(s->zero_times, zero);
    assert_i64_equal(s->min_ns, base + sorted[0]);
    assert_i64_equal(s->max_ns, base + sorted[n - 1]);
    assert_i64_equal(s->min_step_ns, n > 1 ? least : 0);
    assert_i64_equal(s->max_step_ns, n > 1 ? most : 0);
    assert_i64_equal(s->max_gap_ns, widest);
    assert_i64_equal(s->sorted_gap_ns, gap);
    if (gap) {
        /* of several gaps of this length any may be named */
        const int64_t from = s->sorted_gap_at_ns - base, to = from + gap;
        assert_non_null(bsearch(&from, sorted, n, sizeof *sorted, ascending));
        assert_non_null(bsearch(&to, sorted, n, sizeof *sorted, ascending));
    } else {
        assert_i64_equal(s->sorted_gap_at_ns, base + at);
    }
    assert_int_equal((s->flags & SNT_SCAN_MONOTONIC) != 0, back == 0);
    /* quantiles are off by less than a bucket */
    const int64_t span = sorted[n - 1] - sorted[0], bucket = span / 4096 + 1;
    const int64_t robust = sorted[n - 1 - n / 1000] - sorted[n / 1000];
    assert_near((double)s->robust_span_ns, (double)robust, (double)(2 * bucket));
    uint64_t surely = 0, maybe = 0;
    for (uint64_t i = 0; i < n; i++) {
        const int64_t away = llabs((long long)(sorted[i] - sorted[n / 2]));
        surely += away > period + bucket;
        maybe += away > period - bucket;
    }
    assert_in_range(s->beyond_period, surely, maybe);
}

static void the_pass_agrees_with_sorting_everything(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt_scan_auditor *auditor;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.large_gap_ns = 3 * MS;
    assert_status(snt_scan_auditor_create(&config, NULL, &auditor), SNT_OK);
    const int rounds = getenv("SNT_LONG") ? 200000 : 4000;
    for (int round = 0; round < rounds; round++) {
        make_cloud(&rng, rng_int(&rng, 0, INT64_C(1700000000) * SNT_NS_PER_S), rng_int(&rng, 1, 300 * MS));
        const int64_t period = rng_int(&rng, 10 * MS, 500 * MS);
        snt_point_stats stats;
        assert_status(snt_scan_auditor_points(auditor, &the.view, period, &stats), SNT_OK);
        check_points(&stats, config.large_gap_ns, period);
    }
    snt_scan_auditor_destroy(auditor);
}

/* --- IMU cover --- */

typedef struct cover {
    int64_t start_margin, end_margin, start_nearest, end_nearest, hole;
    uint64_t inside;
} cover;

static cover slow_cover(const int64_t *imu, int n, int64_t start, int64_t end)
{
    cover c = {SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, 0};
    if (!n)
        return c;
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (int i = 0; i < n; i++) {
        if (imu[i] < first)
            first = imu[i];
        if (imu[i] > last)
            last = imu[i];
        if (imu[i] <= start && start - imu[i] < c.start_nearest)
            c.start_nearest = start - imu[i];
        if (imu[i] >= end && imu[i] - end < c.end_nearest)
            c.end_nearest = imu[i] - end;
        c.inside += imu[i] >= start && imu[i] <= end;
    }
    c.start_margin = start - first;
    c.end_margin = last - end;
    /* each stamp's nearest successor; a hole counts if any of the scan lies in it */
    for (int i = 0; i < n; i++) {
        int64_t next = INT64_MAX;
        for (int j = 0; j < n; j++)
            if (imu[j] > imu[i] && imu[j] < next)
                next = imu[j];
        if (next == INT64_MAX || next <= start || imu[i] >= end)
            continue;
        if (c.hole == SNT_UNKNOWN || next - imu[i] > c.hole)
            c.hole = next - imu[i];
    }
    return c;
}

static void the_imu_cover_agrees_with_looking_at_every_stamp(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 300; round++) {
        static int64_t imu[IMU];
        const int64_t step = rng_int(&rng, MS, 40 * MS), epoch = INT64_C(1700000000) * SNT_NS_PER_S;
        const int samples = (int)rng_int(&rng, 1, IMU);
        snt_scan_auditor *auditor;
        snt_scan_auditor_config config;
        snt_scan_auditor_config_init(&config, sizeof config);
        config.scratch_points = 16;
        assert_status(snt_scan_auditor_create(&config, NULL, &auditor), SNT_OK);
        int64_t t = epoch + rng_int(&rng, -300 * MS, 300 * MS);
        int n = 0, scans = 0;
        static int64_t starts[64], ends[64];
        while (n < samples || scans < 40) {
            if (n < samples && (scans == 40 || rng_below(&rng, 8))) {
                t += rng_below(&rng, 50) ? rng_int(&rng, step / 2, step) : rng_int(&rng, 0, 300 * MS);
                /* now and then one comes late, but within the reorder window */
                imu[n] = rng_below(&rng, 20) ? t : t - rng_int(&rng, 0, 2 * step);
                bool repeated = false;
                for (int i = 0; i < n; i++)
                    repeated |= imu[i] == imu[n];
                assert_status(snt_scan_auditor_add_imu(auditor, imu[n]),
                              repeated ? SNT_ERR_DUPLICATE : SNT_OK);
                if (!repeated)
                    n++;
            } else if (scans < 40) {
                const double times[2] = {0, 0.08};
                starts[scans] = epoch + scans * 100 * MS + rng_int(&rng, 0, 1000);
                ends[scans] = starts[scans] + 80 * MS;
                const snt_cloud c = cloud_of_times(times, 2, SNT_TYPE_F64, SNT_TIME_UNIT_S,
                                                   SNT_TIME_REF_RELATIVE, starts[scans]);
                const snt_scan_input input = {.header_ns = starts[scans], .receive_ns = SNT_UNKNOWN};
                assert_status(snt_scan_auditor_add_scan(auditor, &input, &c), SNT_OK);
                scans++;
            }
        }
        assert_status(snt_scan_auditor_finish(auditor), SNT_OK);
        snt_scan_report r;
        for (int i = 0; i < scans; i++) {
            assert_status(snt_scan_auditor_next(auditor, &r), SNT_OK);
            const cover truth = slow_cover(imu, n, starts[i], ends[i]);
            assert_int_equal(r.scan_id, i);
            assert_i64_equal(r.duration_ns, ends[i] - starts[i]);
            /* a late stamp may still slip in after the scan was measured; those scans are left out */
            if (r.imu_inside != truth.inside || r.imu_largest_hole_ns != truth.hole) {
                assert_true(r.imu_inside <= truth.inside);
                continue;
            }
            if (r.imu_start_nearest_ns != SNT_UNKNOWN && r.imu_end_nearest_ns != SNT_UNKNOWN)
                assert_true(r.flags & SNT_SCAN_IMU_BRACKETED);
            assert_i64_equal(r.imu_start_nearest_ns, truth.start_nearest);
            if (r.flags & SNT_SCAN_IMU_BRACKETED)
                assert_true(r.imu_end_nearest_ns >= truth.end_nearest);
        }
        assert_status(snt_scan_auditor_next(auditor, &r), SNT_EMPTY);
        snt_scan_auditor_destroy(auditor);
    }
}

/* With all IMU stamps given first nothing can slip in: every number must be the slow one's. */
static void margins_are_exact_when_the_imu_is_there(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 300; round++) {
        static int64_t imu[IMU];
        const int64_t epoch = INT64_C(1700000000) * SNT_NS_PER_S;
        snt_scan_auditor *auditor;
        snt_scan_auditor_config config;
        snt_scan_auditor_config_init(&config, sizeof config);
        config.scratch_points = 16;
        assert_status(snt_scan_auditor_create(&config, NULL, &auditor), SNT_OK);
        const int n = (int)rng_int(&rng, 1, IMU);
        int64_t t = epoch + rng_int(&rng, -500 * MS, 500 * MS);
        for (int i = 0; i < n; i++)
            imu[i] = t += rng_int(&rng, 1, 20 * MS);
        assert_status(snt_scan_auditor_add_imu_many(auditor, imu, sizeof *imu, (uint64_t)n), SNT_OK);
        for (int i = 0; i < 20; i++) {
            const double times[2] = {0, 1e-9 * (double)rng_int(&rng, 1, 90 * MS)};
            const int64_t start = epoch + i * 100 * MS;
            const snt_cloud c =
                cloud_of_times(times, 2, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, start);
            const snt_scan_input input = {.header_ns = start, .receive_ns = SNT_UNKNOWN};
            assert_status(snt_scan_auditor_add_scan(auditor, &input, &c), SNT_OK);
        }
        assert_status(snt_scan_auditor_finish(auditor), SNT_OK);
        snt_scan_report r;
        while (snt_scan_auditor_next(auditor, &r) == SNT_OK) {
            const cover truth = slow_cover(imu, n, r.points.min_ns, r.points.max_ns);
            assert_i64_equal(r.imu_start_margin_ns, truth.start_margin);
            assert_i64_equal(r.imu_end_margin_ns, truth.end_margin);
            assert_i64_equal(r.imu_start_nearest_ns, truth.start_nearest);
            assert_i64_equal(r.imu_end_nearest_ns, truth.end_nearest);
            assert_i64_equal(r.imu_largest_hole_ns, truth.hole);
            assert_int_equal(r.imu_inside, truth.inside);
            assert_i64_equal(r.imu_arrival_margin_ns, truth.end_margin);
        }
        snt_scan_auditor_destroy(auditor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pass_agrees_with_sorting_everything),
        cmocka_unit_test(the_imu_cover_agrees_with_looking_at_every_stamp),
        cmocka_unit_test(margins_are_exact_when_the_imu_is_there),
    };
    return cmocka_run_group_tests_name("model_scan_audit", tests, NULL, NULL);
}
