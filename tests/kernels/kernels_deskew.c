/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every deskew kernel this processor has: the bits of its class's scalar kernel at every length, alignment, stride and
 * order, nothing written elsewhere, and the proven bound honoured by a long-double oracle.
 */
#include "se3_oracle.h"

#include <float.h>

#include "lib/deskew/kernel.h"
#include "lib/deskew/plan.h"

#define MS SNT_NS_PER_MS

static const uint32_t all_kernels[] = {SNT_KERNEL_SCALAR, SNT_KERNEL_SSE2,   SNT_KERNEL_SCALAR_FMA,
                                       SNT_KERNEL_AVX2,   SNT_KERNEL_AVX512, SNT_KERNEL_NEON};

#define EACH_KERNEL(id, kernel)                                                                              \
    for (size_t at_##id = 0; at_##id < SNT_COUNT_OF(all_kernels); at_##id++)                                 \
        for (uint32_t id = all_kernels[at_##id], once_##id = 1;                                              \
             once_##id && snt__deskew_kernel_get(id, &kernel); once_##id = 0)

static snt_deskew *plan_with(uint32_t kernel, const snt_twist *twist, snt_duration length, uint32_t reference)
{
    snt_deskew_config config;
    snt_deskew_config_init(&config, sizeof config);
    config.kernel = kernel;
    config.max_segments = 4096;
    snt_deskew *plan;
    assert_status(snt_deskew_create(&config, NULL, &plan), SNT_OK);
    snt_deskew_scan scan;
    snt_deskew_scan_init(&scan, sizeof scan);
    scan.end_ns = length;
    scan.reference = reference;
    assert_status(snt_deskew_plan_twist(plan, &scan, twist), SNT_OK);
    return plan;
}

/* Knots of a wobbly motion: `n` of them over 100 ms, evenly or at random. */
static snt_deskew *wobbly_plan(uint32_t kernel, int n, bool even, uint64_t seed)
{
    test_rng rng = {seed};
    static snt_time t[300];
    static snt_pose poses[300];
    for (int i = 0; i < n; i++) {
        t[i] = even ? i * 100 * MS / (n - 1)
               : i  ? t[i - 1] + 1 + (snt_time)rng_below(&rng, 200 * MS / (uint64_t)n)
                    : 0;
        const double w[3] = {0.3 * sin(i * 0.7), 0.2 * cos(i * 0.9), 0.02 * i};
        snt_rotation_exp(w, poses[i].q);
        for (int k = 0; k < 3; k++)
            poses[i].t[k] = 0.1 * i * (k == 0) + 0.05 * sin(i + k);
    }
    snt_deskew_config config;
    snt_deskew_config_init(&config, sizeof config);
    config.kernel = kernel;
    snt_deskew *plan;
    assert_status(snt_deskew_create(&config, NULL, &plan), SNT_OK);
    snt_deskew_scan scan;
    snt_deskew_scan_init(&scan, sizeof scan);
    scan.end_ns = t[n - 1] < 100 * MS ? t[n - 1] : 100 * MS;
    scan.reference = SNT_REF_MID;
    assert_status(snt_deskew_plan_knots(plan, &scan, t, 0, poses, 0, (uint64_t)n, 0), SNT_OK);
    return plan;
}

enum { MAX_N = 128 }; /* a multiple of every group, and more than the bits of one word */

static void random_block(const snt_deskew *plan, test_rng *rng, int order, int32_t *t, float (*p)[MAX_N])
{
    const int32_t low = plan->begin[0], high = plan->begin[plan->table.count] - 1;
    const uint32_t first = (uint32_t)rng_below(rng, plan->table.count);
    const uint32_t last = first + (uint32_t)rng_int(rng, 1, 64);
    const int64_t from = plan->begin[first], to = last < plan->table.count ? plan->begin[last] - 1 : high;
    for (int i = 0; i < MAX_N; i++) {
        switch (order) {
        case 0: /* all near */
            t[i] = low + i;
            break;
        case 1: /* in order over the scan */
            t[i] = (int32_t)(low + ((int64_t)high - low) * i / (MAX_N - 1));
            break;
        case 2: /* at the borders of segments */
            t[i] = plan->begin[rng_below(rng, plan->table.count)] + (int32_t)rng_below(rng, 3) - 1;
            t[i] = t[i] < low ? low : t[i] > high ? high : t[i];
            break;
        case 3: /* in order over about as many segments as a kernel looks up at once, wherever these are */
            t[i] = (int32_t)(from + (to - from) * i / (MAX_N - 1));
            break;
        default:
            t[i] = (int32_t)rng_int(rng, low, high);
        }
        for (int k = 0; k < 3; k++)
            p[k][i] = (float)rng_range(rng, -150, 150);
    }
    if (order == 4)
        for (int i = 0; i < 9; i++)
            p[rng_below(rng, 3)][rng_below(rng, MAX_N)] = i % 3 == 0   ? (float)INFINITY
                                                          : i % 3 == 1 ? (float)NAN
                                                                       : FLT_MAX;
}

typedef struct result {
    float p[3][MAX_N];
    uint64_t moved[SNT__DESKEW_WORDS];
} result;

static result reference_of(const snt_deskew *plan, bool fused, const int32_t *t, float (*p)[MAX_N], size_t n,
                           uint32_t flags)
{
    snt__deskew_kernel scalar;
    result r;
    assert_true(snt__deskew_kernel_get(fused ? SNT_KERNEL_SCALAR_FMA : SNT_KERNEL_SCALAR, &scalar));
    memset(r.p, 0x5a, sizeof r.p);
    memset(r.moved, 0, sizeof r.moved);
    const float *const in[3] = {p[0], p[1], p[2]};
    float *const out[3] = {r.p[0], r.p[1], r.p[2]};
    scalar.soa(&plan->table, t, in, out, n, flags, r.moved);
    return r;
}

static void check_soa(const snt_deskew *plan, const snt__deskew_kernel *kernel, const int32_t *t,
                      float (*p)[MAX_N], size_t n, uint32_t flags)
{
    const result want = reference_of(plan, kernel->fused, t, p, n, flags);
    float buffer[3][MAX_N + 16];
    for (size_t shift = 0; shift < 5; shift++) {
        uint64_t moved[SNT__DESKEW_WORDS];
        memset(buffer, 0x5a, sizeof buffer);
        const float *in[3];
        float *out[3];
        for (int k = 0; k < 3; k++) {
            in[k] = out[k] = buffer[k] + shift;
            memcpy(out[k], p[k], n * sizeof(float));
        }
        kernel->soa(&plan->table, t, in, out, n, flags, moved);
        for (int k = 0; k < 3; k++) {
            assert_memory_equal(out[k], want.p[k], n * sizeof(float));
            for (size_t i = n; i + shift < MAX_N + 16; i++)
                assert_memory_equal(&out[k][i], "\x5a\x5a\x5a\x5a", 4);
        }
        assert_memory_equal(moved, want.moved, sizeof moved);
    }
}

static void check_aos(const snt_deskew *plan, const snt__deskew_kernel *kernel, const int32_t *t,
                      float (*p)[MAX_N], size_t n, ptrdiff_t stride, uint32_t flags)
{
    const result want = reference_of(plan, kernel->fused, t, p, n, flags & SNT__DESKEW_DELTA);
    static unsigned char buffer[MAX_N * 64 + 64], before[sizeof buffer];
    for (size_t i = 0; i < sizeof buffer; i++)
        buffer[i] = (unsigned char)(i * 37 + 11);
    unsigned char *at = buffer + 3;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++)
            memcpy(at + (ptrdiff_t)i * stride + 4 * k, &p[k][i], 4);
    memcpy(before, buffer, sizeof buffer);
    uint64_t moved[SNT__DESKEW_WORDS];
    kernel->aos(&plan->table, t, at, stride, at, stride, n, flags, moved);
    assert_memory_equal(moved, want.moved, sizeof moved);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++) {
            unsigned char *c = at + (ptrdiff_t)i * stride + 4 * k;
            assert_memory_equal(c, &want.p[k][i], 4);
            memcpy(c, &p[k][i], 4);
        }
    assert_memory_equal(buffer, before, sizeof buffer);
}

static void check_all(const snt_deskew *plan, const snt__deskew_kernel *kernel, test_rng *rng)
{
    static const ptrdiff_t strides[] = {12, 13, 15, 16, 17, 19, 22, 26, 32, 48, 64};
    static float p[3][MAX_N];
    int32_t t[MAX_N];
    static const int orders[] = {0, 1, 2, 3, 3, 3, 4};
    for (size_t o = 0; o < SNT_COUNT_OF(orders); o++) {
        random_block(plan, rng, orders[o], t, p);
        for (size_t n = 1; n <= MAX_N; n++) {
            check_soa(plan, kernel, t, p, n, n % 3 == 0 ? SNT__DESKEW_DELTA : 0);
            for (size_t s = n % 4; s < SNT_COUNT_OF(strides); s += 4) {
                check_aos(plan, kernel, t, p, n, strides[s], 0);
                if (strides[s] >= 16)
                    check_aos(plan, kernel, t, p, n, strides[s], SNT__DESKEW_IN_PLACE);
            }
        }
    }
}

static void every_kernel_gives_the_bits_of_its_class(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt__deskew_kernel kernel;
    const uint64_t seed = rng_next(&rng);
    EACH_KERNEL(id, kernel)
    {
        printf("# %s\n", snt_deskew_kernel_name(id));
        for (int shape = 0; shape < 5; shape++) {
            snt_deskew *plan = NULL;
            const snt_twist slow = {{1, 2, 3}, {0.1, 0, 0}};
            if (shape == 0) /* one segment */
                plan = plan_with(id, &slow, 20 * MS, SNT_REF_START);
            else if (shape == 1)
                plan = wobbly_plan(id, 21, true, seed);
            else if (shape == 2) /* segments as long as slots, nearly: 2^20 ns */
                plan = wobbly_plan(id, 96, true, seed);
            else if (shape == 3) /* segments of all lengths, some of 1 ns: slots hold several borders */
                plan = wobbly_plan(id, 150, false, seed);
            else
                plan = wobbly_plan(id, 12, false, seed);
            check_all(plan, &kernel, &rng);
            snt_deskew_destroy(plan);
        }
    }
}

/*
 * A driver may mark "no return" with the greatest float. Where that would overflow, in whichever coordinate, the point stays
 * as it is, and its neighbours move as if it were not there.
 */
static void check_overflow(const snt_deskew *plan, int pair, const snt__deskew_kernel *kernel,
                           ptrdiff_t stride, uint32_t flags)
{
    enum { N = 120 };
    static const float huge[] = {FLT_MAX, -FLT_MAX, FLT_MAX / 2, 3e38f};
    float p[3][N], q[3][N];
    unsigned char records[N * 16 + 4];
    int32_t t[N];
    uint64_t moved[SNT__DESKEW_WORDS];
    int kept[8] = {0}, finite = 0;
    for (int i = 0; i < N; i++) {
        t[i] = i % 2 ? 50 * MS : -50 * MS;
        for (int k = 0; k < 3;
             k++) /* i / 3 % 8: which coordinates are huge; every third point is an ordinary one */
            p[k][i] = i % 3 && i / 3 % 8 >> k & 1 ? huge[(i / 24 + k * (i % 3)) % 4] : (float)(i + k);
    }
    if (stride) {
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 3; k++)
                memcpy(records + i * stride + 4 * k, &p[k][i], 4);
        kernel->aos(&plan->table, t, records, stride, records, stride, N, flags, moved);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 3; k++)
                memcpy(&q[k][i], records + i * stride + 4 * k, 4);
    } else {
        const float *const in[3] = {p[0], p[1], p[2]};
        float *const out[3] = {q[0], q[1], q[2]};
        kernel->soa(&plan->table, t, in, out, N, flags, moved);
    }
    for (int i = 0; i < N; i++) {
        const bool is_kept = !(moved[i / 64] >> (i % 64) & 1);
        const int which = i % 3 ? i / 3 % 8 : 0;
        kept[which] += is_kept;
        for (int k = 0; k < 3; k++) {
            const float still = flags & SNT__DESKEW_DELTA ? 0.0f : p[k][i];
            const float sum = flags & SNT__DESKEW_DELTA ? p[k][i] + q[k][i] : q[k][i];
            if (is_kept)
                assert_memory_equal(&q[k][i], &still, 4);
            else if (!isfinite(sum))
                fail_msg("point %d: coordinate %d became %g, said to have moved", i, k, (double)sum);
        }
        finite += !is_kept && which;
    }
    assert_int_equal(kept[0], 0);
    assert_true(kept[pair] > 0 && kept[7] > 0);
    assert_true(finite > 0); /* huge, but it fits: it moves */
}

static void a_point_that_would_overflow_stays_as_it_is(void **state)
{
    (void)state;
    /* about each axis: it is the other two coordinates that grow */
    static const snt_twist twists[] = {
        {{1, 0, 0}, {0, 0, -1}}, {{0, 1, 0}, {2, 0, 0}}, {{0, 0, 1}, {0, 3, 0}}};
    static const int pairs[] = {3, 6, 5};
    snt__deskew_kernel kernel;
    EACH_KERNEL(id, kernel)
    {
        for (size_t i = 0; i < SNT_COUNT_OF(twists); i++) {
            snt_deskew *plan = plan_with(id, &twists[i], 100 * MS + 1, SNT_REF_MID);
            check_overflow(plan, pairs[i], &kernel, 0, 0);
            check_overflow(plan, pairs[i], &kernel, 0, SNT__DESKEW_DELTA);
            check_overflow(plan, pairs[i], &kernel, 12, 0);
            check_overflow(plan, pairs[i], &kernel, 12, SNT__DESKEW_DELTA);
            check_overflow(plan, pairs[i], &kernel, 16, 0);
            check_overflow(plan, pairs[i], &kernel, 16, SNT__DESKEW_IN_PLACE);
            snt_deskew_destroy(plan);
        }
    }
}

/* ---- times ---- */

static void check_times(const snt__deskew_kernel *kernel, const snt__deskew_clock *clock, const void *values,
                        size_t size)
{
    static const ptrdiff_t strides[] = {0, 16, 22, 26, 48, -24, -5}; /* 0: side by side */
    static unsigned char records[2 * MAX_N * 48 + 64];
    int32_t want[MAX_N], got[MAX_N + 1], want_range[2], range[2];
    for (size_t n = 1; n <= MAX_N; n++) {
        const ptrdiff_t chosen = strides[n % SNT_COUNT_OF(strides)];
        const ptrdiff_t stride =
            chosen && (chosen > 0 || -chosen >= (ptrdiff_t)size) ? chosen : (ptrdiff_t)size;
        unsigned char *at = records + MAX_N * 48 + n % 8;
        memset(records, 0xee, sizeof records);
        for (size_t i = 0; i < n; i++)
            memcpy(at + (ptrdiff_t)i * stride, (const unsigned char *)values + i * size, size);
        got[n] = 123;
        snt__deskew_times_plain(clock, values, (ptrdiff_t)size, n, want, want_range);
        kernel->times(clock, at, stride, n, got, range);
        assert_memory_equal(got, want, n * sizeof *got);
        assert_memory_equal(range, want_range, sizeof range);
        assert_int_equal(got[n], 123);
    }
}

static void every_kernel_reads_times_alike(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt__deskew_kernel kernel;
    EACH_KERNEL(id, kernel)
    {
        for (int round = 0; round < 20; round++) {
            double f64[MAX_N];
            float f32[MAX_N];
            uint32_t u32[MAX_N];
            for (int i = 0; i < MAX_N; i++) {
                f64[i] = 1.7e9 + rng_range(&rng, -0.2, 0.2);
                f32[i] = (float)rng_range(&rng, -0.2, 0.2);
                u32[i] = round % 2 ? (uint32_t)rng_next(&rng) : (uint32_t)rng_below(&rng, 100000000);
            }
            static const double odd[] = {NAN,   INFINITY, -INFINITY, 0,          -0.0,
                                         1e300, -1e300,   5e-324,    1.7e9 + 2.2};
            for (size_t i = 0; i < SNT_COUNT_OF(odd) && round % 4 != 3;
                 i++) { /* every fourth round is calm */
                f64[rng_below(&rng, MAX_N)] = odd[i];
                f32[rng_below(&rng, MAX_N)] = (float)(odd[i] < 1e38 && odd[i] > -1e38 ? odd[i] : (double)NAN);
            }
            const double scales[] = {1e9, 1e6, 1, 1e8 / 3, 100};
            snt__deskew_clock clock = {.kind = SNT_TYPE_F64,
                                       .origin = 1.7e9,
                                       .scale = scales[round % 5],
                                       .rest = rng_range(&rng, -1e8, 1e8)};
            check_times(&kernel, &clock, f64, 8);
            clock.kind = SNT_TYPE_F32;
            clock.origin = 0;
            check_times(&kernel, &clock, f32, 4);
            clock.kind = SNT_TYPE_U32;
            clock.low = (uint32_t)rng_below(&rng, 1000);
            clock.high = clock.low + (uint32_t)rng_below(&rng, UINT32_MAX - 1000);
            clock.add = (uint32_t)rng_next(&rng);
            check_times(&kernel, &clock, u32, 4);
            clock.kind = SNT_TYPE_I32;
            check_times(&kernel, &clock, u32, 4);
        }
    }
}

/* ---- points in double ---- */

static void every_kernel_narrows_and_adds_doubles(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt__deskew_kernel kernel;
    EACH_KERNEL(id, kernel)
    {
        for (size_t n = 1; n <= 3 * MAX_N; n++) {
            static unsigned char in[3 * MAX_N * 8 + 16], out[sizeof in];
            static float narrow[3 * MAX_N + 2], delta[3 * MAX_N];
            const size_t shift = n % 8; /* any alignment */
            memset(out, 0x5a, sizeof out);
            memset(narrow, 0x5a, sizeof narrow);
            for (size_t i = 0; i < n; i++) {
                const double value = rng_range(&rng, -200, 200);
                memcpy(in + shift + 8 * i, &value, 8);
                delta[i] = (float)rng_range(&rng, -1, 1);
            }
            kernel.narrow(in + shift, narrow + 1, n);
            kernel.add(in + shift, delta, out + shift, n);
            for (size_t i = 0; i < n; i++) {
                double value, sum;
                memcpy(&value, in + shift + 8 * i, 8);
                memcpy(&sum, out + shift + 8 * i, 8);
                const float expected = (float)value;
                assert_memory_equal(&narrow[1 + i], &expected, 4);
                assert_true(sum == value + (double)delta[i]);
            }
            assert_memory_equal(&narrow[0], "\x5a\x5a\x5a\x5a", 4);
            assert_memory_equal(&narrow[1 + n], "\x5a\x5a\x5a\x5a", 4);
            assert_memory_equal(out + shift + 8 * n, "\x5a\x5a\x5a\x5a\x5a\x5a\x5a\x5a", 8);
            for (size_t i = 0; i < shift; i++)
                assert_int_equal(out[i], 0x5a);
        }
    }
}

/* ---- accuracy ---- */

/* Constant twist in closed form, in long double. */
static void exact_point(const snt_twist *twist, long double s, const float p[3], long double out[3])
{
    long double w[3], v[3], x[3], n = 0;
    for (int i = 0; i < 3; i++) {
        w[i] = (long double)twist->w[i] * s;
        v[i] = (long double)twist->v[i] * s;
        x[i] = (long double)p[i];
        n += w[i] * w[i];
    }
    const long double angle = sqrtl(n);
    long double a = 1, b = 0.5L, c = 1 / 6.0L; /* sin θ/θ, (1 − cos θ)/θ², (θ − sin θ)/θ³ */
    if (angle > 1e-3L) {
        const long double half = sinl(angle / 2);
        a = sinl(angle) / angle;
        b = 2 * half * half / n;
        c = (angle - sinl(angle)) / (n * angle);
    } else {
        a = 1 - n / 6 + n * n / 120;
        b = 0.5L - n / 24 + n * n / 720;
        c = 1 / 6.0L - n / 120 + n * n / 5040;
    }
    long double wx[3], wwx[3], wv[3], wwv[3];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        wx[i] = w[j] * x[k] - w[k] * x[j];
        wv[i] = w[j] * v[k] - w[k] * v[j];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        wwx[i] = w[j] * wx[k] - w[k] * wx[j];
        wwv[i] = w[j] * wv[k] - w[k] * wv[j];
    }
    for (int i = 0; i < 3; i++)
        out[i] = x[i] + a * wx[i] + b * wwx[i] + v[i] + b * wv[i] + c * wwv[i];
}

static void random_direction(test_rng *rng, double length, double out[3])
{
    double n = 0;
    do {
        n = 0;
        for (int k = 0; k < 3; k++) {
            out[k] = rng_normal(rng);
            n += out[k] * out[k];
        }
    } while (!(n > 1e-6));
    for (int k = 0; k < 3; k++)
        out[k] *= length / sqrt(n);
}

/* Far away, at the ends of the scan and of segments: where errors are greatest. */
static void adversarial_block(const snt_deskew *plan, test_rng *rng, int32_t *t, float (*p)[MAX_N],
                              double range)
{
    const int32_t low = plan->begin[0], high = plan->begin[plan->table.count] - 1;
    for (int i = 0; i < MAX_N; i++) {
        double d[3];
        random_direction(rng, range * (i % 4 ? 1 : rng_unit(rng)), d);
        if (i % 8 == 1) { /* along an axis */
            d[0] = range;
            d[1] = d[2] = 0;
        }
        for (int k = 0; k < 3; k++)
            p[k][i] = (float)d[k];
        const uint32_t s = (uint32_t)rng_below(rng, plan->table.count);
        switch (i % 5) {
        case 0:
            t[i] = low;
            break;
        case 1:
            t[i] = high;
            break;
        case 2:
            t[i] = plan->begin[s];
            break;
        case 3:
            t[i] = plan->begin[s + 1] - 1;
            break;
        default:
            t[i] = (int32_t)rng_int(rng, low, high);
        }
    }
}

static double norm_of(float (*p)[MAX_N], int i)
{
    double n = 0;
    for (int k = 0; k < 3; k++)
        n += (double)p[k][i] * (double)p[k][i];
    return sqrt(n);
}

typedef struct worst {
    double error, share; /* [m]; of the bound */
} worst;

static void check_bound(const snt_deskew *plan, const snt_twist *twist, snt_time reference, test_rng *rng,
                        int blocks, double range, worst *w)
{
    static float p[3][MAX_N], q[3][MAX_N];
    int32_t t[MAX_N];
    const float *const in[3] = {p[0], p[1], p[2]};
    float *const out[3] = {q[0], q[1], q[2]};
    for (int block = 0; block < blocks; block++) {
        uint64_t moved[SNT__DESKEW_WORDS];
        adversarial_block(plan, rng, t, p, range);
        plan->kernel.soa(&plan->table, t, in, out, MAX_N, 0, moved);
        for (int i = 0; i < MAX_N; i++) {
            const float from[3] = {p[0][i], p[1][i], p[2][i]}, to[3] = {q[0][i], q[1][i], q[2][i]};
            long double expected[3];
            exact_point(twist, 1e-9L * (long double)(plan->origin_ns + t[i] - reference), from, expected);
            const double error = oracle_distance(expected, to);
            snt_deskew_bound bound;
            assert_status(snt_deskew_get_bound(plan, NULL, norm_of(p, i), &bound), SNT_OK);
            if (!(error <= bound.approximation_m + bound.rounding_m))
                fail_msg("error %g, bound %g + %g at t %d", error, bound.approximation_m, bound.rounding_m,
                         t[i]);
            w->error = error > w->error ? error : w->error;
            if (error / bound.total_m > w->share)
                w->share = error / bound.total_m;
        }
    }
}

static void the_proven_bound_is_honoured(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt__deskew_kernel kernel;
    const int rounds = getenv("SNT_LONG") ? 400 : getenv("SNT_QUICK") ? 2 : 20;
    EACH_KERNEL(id, kernel)
    {
        worst w = {0, 0};
        for (int round = 0; round < rounds; round++) {
            snt_twist twist;
            random_direction(&rng, pow(10, rng_range(&rng, -3, 1.5)), twist.v);
            random_direction(&rng, pow(10, rng_range(&rng, -4, 1.3)), twist.w);
            const snt_duration length = (snt_duration)pow(10, rng_range(&rng, 3, 8.3));
            snt_deskew *plan = plan_with(id, &twist, length, (uint32_t)rng_below(&rng, 3));
            snt_deskew_info info;
            assert_status(snt_deskew_get_info(plan, &info), SNT_OK);
            check_bound(plan, &twist, info.reference_ns, &rng, 200, pow(10, rng_range(&rng, -1, 3)), &w);
            snt_deskew_destroy(plan);
        }
        printf("# %s: %d points, greatest share of the bound %.2f\n", snt_deskew_kernel_name(id),
               rounds * 200 * MAX_N, w.share);
    }
}

static void coarse_tolerances_are_honoured_too(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 40; round++) {
        snt_deskew_config config;
        snt_deskew_config_init(&config, sizeof config);
        config.tolerance_m = pow(10, rng_range(&rng, -7, 0));
        config.range_m = 150;
        snt_deskew *plan;
        assert_status(snt_deskew_create(&config, NULL, &plan), SNT_OK);
        snt_deskew_scan scan;
        snt_deskew_scan_init(&scan, sizeof scan);
        scan.end_ns = 100 * MS;
        snt_twist twist;
        random_direction(&rng, 30, twist.v);
        random_direction(&rng, 30, twist.w);
        assert_status(snt_deskew_plan_twist(plan, &scan, &twist), SNT_OK);
        snt_deskew_bound bound;
        assert_status(snt_deskew_get_bound(plan, NULL, 150, &bound), SNT_OK);
        assert_true(bound.approximation_m <= config.tolerance_m);
        worst w = {0, 0};
        check_bound(plan, &twist, 0, &rng, 20, 150, &w);
        snt_deskew_destroy(plan);
    }
}

/* What the issue asks for: 200 m, 10 rad/s, 20 m/s, 0.1 s, reference in the middle. */
static void measured_errors_stay_within_30_micrometres(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt__deskew_kernel kernel;
    EACH_KERNEL(id, kernel)
    {
        worst w = {0, 0};
        for (int round = 0; round < 10; round++) {
            snt_twist twist;
            random_direction(&rng, 20, twist.v);
            random_direction(&rng, 10, twist.w);
            snt_deskew *plan = plan_with(id, &twist, 100 * MS, SNT_REF_MID);
            check_bound(plan, &twist, 50 * MS, &rng,
                        getenv("SNT_LONG")    ? 8000
                        : getenv("SNT_QUICK") ? 10
                                              : 200,
                        200, &w);
            snt_deskew_destroy(plan);
        }
        printf("# %s: greatest error %.3g m\n", snt_deskew_kernel_name(id), w.error);
        assert_true(w.error <= 3e-5);
    }
}

/* The same through float32 relative and float64 absolute seconds. */
static double error_by_field(uint32_t type, snt_time base, test_rng *rng)
{
    enum { N = 20000 };
    static float p[N][3], q[N][3], f32[N];
    static double f64[N];
    static snt_time t[N];
    const snt_twist twist = {{0, 20, 0}, {0, 0, 10}};
    snt_deskew *plan;
    assert_status(snt_deskew_create(NULL, NULL, &plan), SNT_OK);
    snt_deskew_scan scan;
    snt_deskew_scan_init(&scan, sizeof scan);
    scan.begin_ns = base;
    scan.end_ns = base + 100 * MS;
    scan.reference = SNT_REF_MID;
    assert_status(snt_deskew_plan_twist(plan, &scan, &twist), SNT_OK);
    for (int i = 0; i < N; i++) {
        double d[3];
        random_direction(rng, 200, d);
        t[i] = base + (i % 3 ? rng_int(rng, 99 * MS, 100 * MS - 300) : rng_int(rng, 300, MS));
        f64[i] = (double)(t[i] / SNT_NS_PER_S) + 1e-9 * (double)(t[i] % SNT_NS_PER_S);
        f32[i] = (float)(1e-9 * (double)(t[i] - base));
        for (int k = 0; k < 3; k++)
            p[i][k] = q[i][k] = (float)d[k];
    }
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, q, 0, SNT_TYPE_F32, N), SNT_OK);
    const bool wide = type == SNT_TYPE_F64;
    assert_status(snt_cloud_set_times(&cloud, wide ? (const void *)f64 : (const void *)f32, 0, type,
                                      SNT_TIME_UNIT_S, wide ? SNT_TIME_REF_ABSOLUTE : SNT_TIME_REF_RELATIVE,
                                      base, 0),
                  SNT_OK);
    assert_status(snt_deskew_apply(plan, &cloud, &cloud, NULL), SNT_OK);
    double most = 0;
    for (int i = 0; i < N; i++) {
        long double expected[3];
        exact_point(&twist, 1e-9L * (long double)(t[i] - base - 50 * MS), p[i], expected);
        const double error = oracle_distance(expected, q[i]);
        most = error > most ? error : most;
    }
    snt_deskew_bound bound;
    assert_status(snt_deskew_get_bound(plan, &cloud, 200, &bound), SNT_OK);
    assert_true(most <= bound.total_m);
    snt_deskew_destroy(plan);
    return most;
}

static void time_fields_cost_what_the_bound_says(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    const snt_time base = INT64_C(1700000000123456789);
    const double f32 = error_by_field(SNT_TYPE_F32, base, &rng),
                 f64 = error_by_field(SNT_TYPE_F64, base, &rng);
    printf("# float32 relative %.3g m, absolute double seconds %.3g m\n", f32, f64);
    assert_true(f32 <= 3.5e-5);
    assert_true(f64 <= 2.7e-4 && f64 > 1.5e-4);
}

static void the_two_classes_differ_by_less_than_40_micrometres(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    static float p[3][MAX_N];
    int32_t t[MAX_N];
    double most = 0;
    for (int round = 0; round < 20; round++) {
        snt_twist twist;
        random_direction(&rng, 20, twist.v);
        random_direction(&rng, 10, twist.w);
        snt_deskew *plan = plan_with(SNT_KERNEL_AUTO, &twist, 100 * MS, SNT_REF_MID);
        for (int block = 0; block < 200; block++) {
            adversarial_block(plan, &rng, t, p, 200);
            const result a = reference_of(plan, true, t, p, MAX_N, 0),
                         b = reference_of(plan, false, t, p, MAX_N, 0);
            for (int i = 0; i < MAX_N; i++) {
                double d2 = 0;
                for (int k = 0; k < 3; k++) {
                    const double d = (double)a.p[k][i] - (double)b.p[k][i];
                    d2 += d * d;
                }
                most = sqrt(d2) > most ? sqrt(d2) : most;
            }
        }
        snt_deskew_destroy(plan);
    }
    printf("# between the classes: %.3g m\n", most);
    assert_true(most > 0 && most <= 4e-5);
}

/* Constants, not a comparison: x86, ARM and every compiler must come to these. */
static void the_bits_are_the_same_on_every_machine(void **state)
{
    (void)state;
    static const uint64_t expected[2] = {UINT64_C(0xdb0c5ea4cb9476e3),
                                         UINT64_C(0xcd7097f35381d0cb)}; /* not fused, fused */
    snt__deskew_kernel kernel;
    EACH_KERNEL(id, kernel)
    {
        test_rng rng = {42};
        uint64_t hash = UINT64_C(1469598103934665603);
        const snt_twist twist = {{12, -7, 1}, {0.5, -1.5, 8}};
        snt_deskew *plan = plan_with(id, &twist, 100 * MS, SNT_REF_MID);
        for (int block = 0; block < 50; block++) {
            float p[3][MAX_N];
            int32_t t[MAX_N];
            uint64_t moved[SNT__DESKEW_WORDS];
            for (int i = 0; i < MAX_N; i++) {
                t[i] = (int32_t)rng_int(&rng, -50 * MS, 50 * MS);
                for (int k = 0; k < 3; k++)
                    p[k][i] = (float)rng_range(&rng, -115, 115);
            }
            const float *const in[3] = {p[0], p[1], p[2]};
            float *const out[3] = {p[0], p[1], p[2]};
            kernel.soa(&plan->table, t, in, out, MAX_N, 0, moved);
            for (int k = 0; k < 3; k++)
                for (int i = 0; i < MAX_N; i++) {
                    uint32_t bits;
                    memcpy(&bits, &p[k][i], sizeof bits);
                    hash = (hash ^ bits) * UINT64_C(1099511628211);
                }
        }
        snt_deskew_destroy(plan);
        if (hash != expected[kernel.fused])
            fail_msg("%s: %016" PRIx64, snt_deskew_kernel_name(id), hash);
    }
}

static void kernels_that_do_not_run_here_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < SNT_COUNT_OF(all_kernels); i++)
        printf("# kernel %s: %s\n", snt_deskew_kernel_name(all_kernels[i]),
               snt_deskew_kernel_available(all_kernels[i]) ? "tested" : "not available here, NOT tested");
    snt__deskew_kernel kernel;
    assert_true(snt__deskew_kernel_get(SNT_KERNEL_AUTO, &kernel));
    assert_false(snt__deskew_kernel_get(1000, &kernel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_gives_the_bits_of_its_class),
        cmocka_unit_test(a_point_that_would_overflow_stays_as_it_is),
        cmocka_unit_test(every_kernel_reads_times_alike),
        cmocka_unit_test(every_kernel_narrows_and_adds_doubles),
        cmocka_unit_test(the_proven_bound_is_honoured),
        cmocka_unit_test(coarse_tolerances_are_honoured_too),
        cmocka_unit_test(measured_errors_stay_within_30_micrometres),
        cmocka_unit_test(time_fields_cost_what_the_bound_says),
        cmocka_unit_test(the_two_classes_differ_by_less_than_40_micrometres),
        cmocka_unit_test(the_bits_are_the_same_on_every_machine),
        cmocka_unit_test(kernels_that_do_not_run_here_are_named),
    };
    return cmocka_run_group_tests_name("kernels_deskew", tests, NULL, NULL);
}
