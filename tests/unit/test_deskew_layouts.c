/* SPDX-License-Identifier: BSD-3-Clause */
/* Clouds as drivers lay them out: only coordinates change, and neither order, splitting nor alignment changes a bit. */
#include "test.h"

#define MS SNT_NS_PER_MS

enum { POINTS = 700 };

typedef struct layout {
    const char *name;
    uint32_t step, x, y, z, type; /* offsets in the record, coordinate type */
    uint32_t time, time_type, unit, nsec;
    uint32_t ref, flags; /* SNT_TIME_REF_*, SNT_FIELD_* of all fields */
} layout;

#define ABS SNT_TIME_REF_ABSOLUTE
#define REL SNT_TIME_REF_RELATIVE
#define NRM SNT_TIME_REF_NORMALISED
#define F32 SNT_TYPE_F32
#define F64 SNT_TYPE_F64
#define BE  SNT_FIELD_BIG_ENDIAN

static const layout layouts[] = {
    {"velodyne XYZIRT, f32 at odd offset", 22, 0, 4, 8, F32, 18, F32, SNT_TIME_UNIT_S, 0, REL, 0},
    {"hesai and robosense, unaligned f64", 26, 0, 4, 8, F32, 18, F64, SNT_TIME_UNIT_S, 0, ABS, 0},
    {"livox driver 2, ns in a double", 26, 0, 4, 8, F32, 18, F64, SNT_TIME_UNIT_NS, 0, ABS, 0},
    {"rslidar XYZIRTF", 27, 0, 4, 8, F32, 18, F64, SNT_TIME_UNIT_S, 0, ABS, 0},
    {"ouster", 48, 0, 4, 8, F32, 20, SNT_TYPE_U32, SNT_TIME_UNIT_NS, 0, REL, 0},
    {"pcl XYZIRT", 32, 0, 4, 8, F32, 24, F32, SNT_TIME_UNIT_S, 0, REL, 0},
    {"pcl XYZIRT in microseconds", 32, 0, 4, 8, F32, 24, F32, SNT_TIME_UNIT_US, 0, REL, 0},
    {"seyond, time before the rest", 48, 0, 4, 8, F32, 16, F64, SNT_TIME_UNIT_S, 0, ABS, 0},
    {"livox custom, time first, packed", 19, 4, 8, 12, F32, 0, SNT_TYPE_U32, SNT_TIME_UNIT_NS, 0, REL, 0},
    {"HeLiPR avia, packed", 19, 0, 4, 8, F32, 15, SNT_TYPE_U32, SNT_TIME_UNIT_NS, 0, REL, 0},
    {"aeva, signed", 25, 0, 4, 8, F32, 20, SNT_TYPE_I32, SNT_TIME_UNIT_NS, 0, REL, 0},
    {"hesai SDK, seconds and nanoseconds", 32, 0, 4, 8, F32, 16, SNT_TYPE_U64, SNT_TIME_UNIT_S, 24, ABS, 0},
    {"blickfeld, all big-endian u64", 24, 0, 4, 8, F32, 16, SNT_TYPE_U64, SNT_TIME_UNIT_NS, 0, REL, BE},
    {"big-endian f64 points", 40, 0, 8, 16, F64, 24, F64, SNT_TIME_UNIT_S, 0, ABS, BE},
    {"xyz at the end of the record", 24, 12, 16, 20, F32, 4, SNT_TYPE_U32, SNT_TIME_UNIT_NS, 0, REL, 0},
    {"coordinates apart", 28, 16, 2, 9, F32, 22, SNT_TYPE_U32, SNT_TIME_UNIT_NS, 0, REL, 0},
    {"z, y, x", 20, 8, 4, 0, F32, 12, SNT_TYPE_I64, SNT_TIME_UNIT_NS, 0, ABS, 0},
    {"XYZT in 16 bytes", 16, 0, 4, 8, F32, 12, SNT_TYPE_U32, SNT_TIME_UNIT_100NS, 0, REL, 0},
    {"Vector3d with normalised time", 32, 0, 8, 16, F64, 24, F64, 0, 0, NRM, 0},
    {"f64 in odd places", 37, 3, 11, 19, F64, 29, F64, SNT_TIME_UNIT_S, 0, REL, 0},
    {"u16 tenths of ms", 18, 0, 4, 8, F32, 14, SNT_TYPE_U16, SNT_TIME_UNIT_100NS, 0, REL, 0},
};

#define EACH_LAYOUT(l) for (const layout *l = layouts; l < layouts + sizeof layouts / sizeof *layouts; l++)

static const snt_time base_ns = INT64_C(1700000000050000000);

static void put(unsigned char *at, const void *value, size_t size, bool swapped)
{
    for (size_t i = 0; i < size; i++)
        at[i] = ((const unsigned char *)value)[swapped ? size - 1 - i : i];
}

static bool host_is_little(void)
{
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return low == 1;
}

static bool is_swapped(const layout *l)
{
    return ((l->flags & BE) != 0) == host_is_little();
}

static uint64_t whole_time(const layout *l, snt_time t)
{
    const int64_t after = l->ref == ABS ? t : t - base_ns;
    switch (l->unit) {
    case SNT_TIME_UNIT_S:
        return (uint64_t)(after / SNT_NS_PER_S);
    case SNT_TIME_UNIT_100NS:
        return (uint64_t)(after / 100);
    default:
        return (uint64_t)after;
    }
}

static double real_time(const layout *l, snt_time t)
{
    const int64_t after = l->ref == ABS ? t : t - base_ns;
    if (l->ref == NRM)
        return (double)after / (100.0 * (double)MS);
    if (l->unit == SNT_TIME_UNIT_S)
        return (double)(after / SNT_NS_PER_S) + 1e-9 * (double)(after % SNT_NS_PER_S);
    return (double)after / (l->unit == SNT_TIME_UNIT_US ? 1e3 : 1);
}

static void put_time(const layout *l, unsigned char *record, snt_time t)
{
    const uint64_t whole = whole_time(l, t);
    const double real = real_time(l, t);
    const float narrow = (float)real;
    const uint32_t u32 = (uint32_t)whole, nsec = (uint32_t)(t % SNT_NS_PER_S);
    const uint16_t u16 = (uint16_t)whole;
    const bool swapped = is_swapped(l);
    unsigned char *at = record + l->time;
    switch (l->time_type) {
    case F32:
        put(at, &narrow, 4, swapped);
        break;
    case F64:
        put(at, &real, 8, swapped);
        break;
    case SNT_TYPE_U16:
        put(at, &u16, 2, swapped);
        break;
    case SNT_TYPE_U32:
    case SNT_TYPE_I32:
        put(at, &u32, 4, swapped);
        break;
    default:
        put(at, &whole, 8, swapped);
    }
    if (l->nsec)
        put(record + l->nsec, &nsec, 4, swapped);
}

static void put_point(const layout *l, unsigned char *record, const float p[3])
{
    const uint32_t at[3] = {l->x, l->y, l->z};
    for (int k = 0; k < 3; k++) {
        const double wide = (double)p[k];
        if (l->type == F64)
            put(record + at[k], &wide, 8, is_swapped(l));
        else
            put(record + at[k], &p[k], 4, is_swapped(l));
    }
}

static double get_coordinate(const layout *l, const unsigned char *record, int k)
{
    const uint32_t at[3] = {l->x, l->y, l->z};
    float narrow;
    double wide;
    if (l->type == F32) {
        put((unsigned char *)&narrow, record + at[k], 4, is_swapped(l));
        return (double)narrow;
    }
    put((unsigned char *)&wide, record + at[k], 8, is_swapped(l));
    return wide;
}

static snt_field field_at(const layout *l, unsigned char *data, uint32_t offset, uint32_t type)
{
    return (snt_field){.stride = l->step, .data = data + offset, .type = type, .flags = l->flags};
}

static snt_cloud cloud_over(const layout *l, unsigned char *data, uint64_t n)
{
    static const int64_t units[] = {1, SNT_NS_PER_S, MS, SNT_NS_PER_US, 100, 1};
    snt_cloud c;
    snt_cloud_init(&c);
    c.count = n;
    c.x = field_at(l, data, l->x, l->type);
    c.y = field_at(l, data, l->y, l->type);
    c.z = field_at(l, data, l->z, l->type);
    c.time = field_at(l, data, l->time, l->time_type);
    if (l->nsec)
        c.time_nsec = field_at(l, data, l->nsec, SNT_TYPE_U32);
    c.time_ref = l->ref;
    c.time_unit_num = units[l->unit];
    c.time_base_ns = base_ns;
    c.time_span_ns = 100 * MS;
    return c;
}

/* Times on a 100 ns grid within what u16 tenths can hold where that is the field. */
static snt_time random_time(const layout *l, test_rng *rng)
{
    return base_ns + 100 * rng_int(rng, 0, l->time_type == SNT_TYPE_U16 ? 60000 : 1000000);
}

static void fill(const layout *l, unsigned char *data, test_rng *rng, float (*points)[3], snt_time *times)
{
    for (int i = 0; i < POINTS; i++) {
        unsigned char *record = data + i * (int)l->step;
        for (uint32_t b = 0; b < l->step; b++)
            record[b] = (unsigned char)rng_next(rng);
        times[i] = random_time(l, rng);
        for (int k = 0; k < 3; k++)
            points[i][k] = (float)rng_range(rng, -110, 110);
        put_point(l, record, points[i]);
        put_time(l, record, times[i]);
    }
}

static snt_deskew *make_plan(uint32_t kernel)
{
    snt_deskew_config config;
    snt_deskew_config_init(&config, sizeof config);
    config.kernel = kernel;
    snt_deskew *plan;
    assert_status(snt_deskew_create(&config, NULL, &plan), SNT_OK);
    snt_deskew_scan scan;
    snt_deskew_scan_init(&scan, sizeof scan);
    scan.begin_ns = base_ns - 1000; /* what half a step of the field may reach */
    scan.end_ns = base_ns + 100 * MS + 1000;
    scan.reference = SNT_REF_MID;
    const snt_twist twist = {{15, -8, 2}, {1, -2, 9}};
    assert_status(snt_deskew_plan_twist(plan, &scan, &twist), SNT_OK);
    return plan;
}

/* The right result, from poses of the exact motion. */
static void expect_points(const snt_deskew *plan, float (*points)[3], const snt_time *times, double (*out)[3])
{
    static snt_pose poses[POINTS];
    assert_status(snt_deskew_poses(plan, times, 0, POINTS, poses, 0, NULL), SNT_OK);
    for (int i = 0; i < POINTS; i++) {
        const double p[3] = {(double)points[i][0], (double)points[i][1], (double)points[i][2]};
        assert_status(snt_pose_apply_points(&poses[i], p, 0, out[i], 0, 1), SNT_OK);
    }
}

static bool is_coordinate(const layout *l, uint32_t byte)
{
    const uint32_t at[3] = {l->x, l->y, l->z}, size = l->type == F64 ? 8 : 4;
    for (int k = 0; k < 3; k++)
        if (byte >= at[k] && byte < at[k] + size)
            return true;
    return false;
}

static unsigned char *guarded(size_t size, unsigned char **block)
{
    *block = malloc(size + 128);
    assert_non_null(*block);
    memset(*block, 0xc5, size + 128);
    return *block + 64;
}

static void assert_guarded(const unsigned char *block, size_t size)
{
    for (size_t i = 0; i < 64; i++)
        assert_true(block[i] == 0xc5 && block[64 + size + i] == 0xc5);
}

static float points[POINTS][3];
static snt_time times[POINTS];
static double expected[POINTS][3];

static void every_layout_is_right_and_no_other_byte_changes(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt_deskew *plan = make_plan(SNT_KERNEL_AUTO);
    EACH_LAYOUT(l)
    {
        const size_t size = POINTS * (size_t)l->step;
        unsigned char *block, *data = guarded(size, &block), *before = malloc(size);
        assert_non_null(before);
        fill(l, data, &rng, points, times);
        memcpy(before, data, size);
        expect_points(plan, points, times, expected);
        const snt_cloud cloud = cloud_over(l, data, POINTS);
        snt_deskew_report report;
        snt_deskew_bound bound;
        assert_status(snt_deskew_apply(plan, &cloud, &cloud, &report), SNT_OK);
        assert_status(snt_deskew_get_bound(plan, &cloud, 191, &bound), SNT_OK);
        assert_int_equal(report.moved, POINTS);
        assert_int_equal(report.outside + report.outlier + report.invalid_time + report.non_finite, 0);
        for (int i = 0; i < POINTS; i++) {
            double d2 = 0;
            for (int k = 0; k < 3; k++) {
                const double d = get_coordinate(l, data + i * (int)l->step, k) - expected[i][k];
                d2 += d * d;
            }
            if (!(sqrt(d2) <= bound.total_m))
                fail_msg("%s: point %d off by %g m, bound %g", l->name, i, sqrt(d2), bound.total_m);
            for (uint32_t b = 0; b < l->step; b++)
                if (!is_coordinate(l, b))
                    assert_int_equal(data[i * (int)l->step + (int)b], before[i * (int)l->step + (int)b]);
        }
        assert_guarded(block, size);
        free(block);
        free(before);
    }
    snt_deskew_destroy(plan);
}

typedef struct sample_case {
    size_t size;
    unsigned char *in, *want; /* records as they were, and deskewed in one call */
} sample_case;

static sample_case make_case(const layout *l, const snt_deskew *plan, test_rng *rng)
{
    sample_case c = {.size = POINTS * (size_t)l->step};
    c.in = malloc(c.size);
    c.want = malloc(c.size);
    assert_true(c.in && c.want);
    fill(l, c.in, rng, points, times);
    memcpy(c.want, c.in, c.size);
    const snt_cloud cloud = cloud_over(l, c.want, POINTS);
    assert_status(snt_deskew_apply(plan, &cloud, &cloud, NULL), SNT_OK);
    return c;
}

static void free_case(sample_case *c)
{
    free(c->in);
    free(c->want);
}

static void splitting_and_alignment_change_no_bit(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt_deskew *plan = make_plan(SNT_KERNEL_AUTO);
    EACH_LAYOUT(l)
    {
        sample_case c = make_case(l, plan, &rng);
        unsigned char *block = malloc(c.size + 8);
        assert_non_null(block);
        for (uint32_t shift = 0; shift < 8; shift++) {
            unsigned char *data = block + shift;
            memcpy(data, c.in, c.size);
            const snt_cloud cloud = cloud_over(l, data, POINTS);
            snt_deskew_report whole, part;
            for (uint64_t first = 0; first < POINTS;) {
                snt_deskew_options options;
                snt_deskew_options_init(&options, sizeof options);
                options.first = first;
                options.count = 1 + rng_below(&rng, 40);
                options.count = options.count > POINTS - first ? POINTS - first : options.count;
                options.audit = 1;
                assert_status(snt_deskew_apply_with(plan, &cloud, &cloud, &options, &part), SNT_OK);
                if (first)
                    assert_status(snt_deskew_report_merge(&whole, &part), SNT_OK);
                else
                    whole = part;
                first += options.count;
            }
            if (memcmp(data, c.want, c.size) != 0)
                fail_msg("%s: split at shift %u differs", l->name, shift);
            memcpy(data, c.in, c.size);
            snt_deskew_options options;
            snt_deskew_options_init(&options, sizeof options);
            options.audit = 1;
            assert_status(snt_deskew_apply_with(plan, &cloud, &cloud, &options, &part), SNT_OK);
            assert_memory_equal(&part, &whole, sizeof part);
        }
        free(block);
        free_case(&c);
    }
    snt_deskew_destroy(plan);
}

static void order_changes_no_bit(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt_deskew *plan = make_plan(SNT_KERNEL_AUTO);
    EACH_LAYOUT(l)
    {
        sample_case c = make_case(l, plan, &rng);
        unsigned char *shuffled = malloc(c.size);
        int order[POINTS];
        assert_non_null(shuffled);
        for (int i = 0; i < POINTS; i++)
            order[i] = i;
        for (int i = POINTS - 1; i > 0; i--) {
            const int j = (int)rng_below(&rng, (uint64_t)i + 1), swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        for (int i = 0; i < POINTS; i++)
            memcpy(shuffled + i * (int)l->step, c.in + order[i] * (int)l->step, l->step);
        const snt_cloud cloud = cloud_over(l, shuffled, POINTS);
        assert_status(snt_deskew_apply(plan, &cloud, &cloud, NULL), SNT_OK);
        for (int i = 0; i < POINTS; i++)
            if (memcmp(shuffled + i * (int)l->step, c.want + order[i] * (int)l->step, l->step) != 0)
                fail_msg("%s: point %d depends on its place", l->name, i);
        free(shuffled);
        free_case(&c);
    }
    snt_deskew_destroy(plan);
}

static void out_of_place_writes_coordinates_only(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt_deskew *plan = make_plan(SNT_KERNEL_AUTO);
    EACH_LAYOUT(l)
    {
        sample_case c = make_case(l, plan, &rng);
        unsigned char *block, *out = guarded(c.size, &block), *before = malloc(c.size), *in = malloc(c.size);
        assert_true(before && in);
        for (size_t i = 0; i < c.size; i++)
            out[i] = before[i] = (unsigned char)rng_next(&rng);
        memcpy(in, c.in, c.size);
        const snt_cloud from = cloud_over(l, in, POINTS), to = cloud_over(l, out, POINTS);
        assert_status(snt_deskew_apply(plan, &from, &to, NULL), SNT_OK);
        assert_memory_equal(in, c.in, c.size);
        for (size_t i = 0; i < c.size; i++) {
            const bool coordinate = is_coordinate(l, (uint32_t)(i % l->step));
            if (out[i] != (coordinate ? c.want[i] : before[i]))
                fail_msg("%s: byte %u of a record", l->name, (unsigned)(i % l->step));
        }
        assert_guarded(block, c.size);
        /* whole records: all other bytes are copied */
        assert_status(snt_deskew_apply_copy(plan, &from, in, out, l->step, NULL, NULL), SNT_OK);
        assert_memory_equal(out, c.want, c.size);
        assert_memory_equal(in, c.in, c.size);
        assert_guarded(block, c.size);
        free(block);
        free(before);
        free(in);
        free_case(&c);
    }
    snt_deskew_destroy(plan);
}

/* NaN and infinite points keep their payload, their neighbours and all other fields (row kernels: 0·NaN). */
static void points_that_are_not_finite_stay_bit_for_bit(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt_deskew *plan = make_plan(SNT_KERNEL_AUTO);
    static const uint32_t bad32[] = {0x7fc00000u, 0x7fa12345u, 0xffffffffu, 0x7f800000u, 0xff800000u};
    static const uint64_t bad64[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0x7ff0000000012345), UINT64_MAX,
                                     UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000)};
    EACH_LAYOUT(l)
    {
        sample_case c = make_case(l, plan, &rng);
        unsigned char *data = malloc(c.size);
        uint8_t flags[POINTS];
        uint64_t bad = 0;
        assert_non_null(data);
        memcpy(data, c.in, c.size);
        for (int i = 0; i < POINTS; i += 1 + (int)rng_below(&rng, 5), bad++) {
            const uint32_t at[3] = {l->x, l->y, l->z};
            const uint32_t axis = (uint32_t)rng_below(&rng, 3), which = (uint32_t)rng_below(&rng, 5);
            unsigned char *record = data + i * (int)l->step;
            if (l->type == F64)
                put(record + at[axis], &bad64[which], 8, is_swapped(l));
            else
                put(record + at[axis], &bad32[which], 4, is_swapped(l));
            memcpy(c.want + i * (int)l->step, record, l->step);
        }
        const snt_cloud cloud = cloud_over(l, data, POINTS);
        snt_deskew_options options;
        snt_deskew_options_init(&options, sizeof options);
        options.point_flags = flags;
        snt_deskew_report report;
        assert_status(snt_deskew_apply_with(plan, &cloud, &cloud, &options, &report), SNT_OK);
        assert_int_equal(report.non_finite, bad);
        assert_int_equal(report.moved, POINTS - bad);
        for (int i = 0; i < POINTS; i++)
            if (memcmp(data + i * (int)l->step, c.want + i * (int)l->step, l->step) != 0)
                fail_msg("%s: point %d", l->name, i);
        free(data);
        free_case(&c);
    }
    snt_deskew_destroy(plan);
}

static void kept_and_dropped_points_spare_their_records(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    EACH_LAYOUT(l)
    {
        for (uint32_t policy = SNT_DESKEW_KEEP; policy <= SNT_DESKEW_DROP; policy++) {
            snt_deskew *plan = make_plan(SNT_KERNEL_AUTO);
            sample_case c = make_case(l, plan, &rng);
            snt_deskew_scan scan;
            snt_deskew_scan_init(&scan, sizeof scan);
            scan.begin_ns = base_ns - 1000;
            scan.end_ns = base_ns + (l->time_type == SNT_TYPE_U16 ? 3 : 50) * MS;
            scan.outlier = policy;
            const snt_twist twist = {{15, -8, 2}, {1, -2, 9}};
            assert_status(snt_deskew_plan_twist(plan, &scan, &twist), SNT_OK);
            unsigned char *block, *data = guarded(c.size, &block);
            uint8_t flags[POINTS];
            memcpy(data, c.in, c.size);
            const snt_cloud cloud = cloud_over(l, data, POINTS);
            snt_deskew_options options;
            snt_deskew_options_init(&options, sizeof options);
            options.point_flags = flags;
            snt_deskew_report report;
            assert_status(snt_deskew_apply_with(plan, &cloud, &cloud, &options, &report), SNT_OK);
            assert_true(report.outlier > POINTS / 4 && report.outlier < POINTS - POINTS / 4);
            for (int i = 0; i < POINTS; i++) {
                const unsigned char *record = data + i * (int)l->step, *was = c.in + i * (int)l->step;
                const bool out = flags[i] & SNT_POINT_OUTLIER;
                for (uint32_t b = 0; b < l->step; b++)
                    if (!is_coordinate(l, b) || (out && policy == SNT_DESKEW_KEEP))
                        assert_int_equal(record[b], was[b]);
                for (int k = 0; k < 3; k++)
                    assert_true(isnan(get_coordinate(l, record, k)) == (out && policy == SNT_DESKEW_DROP));
            }
            assert_guarded(block, c.size);
            free(block);
            free_case(&c);
            snt_deskew_destroy(plan);
        }
    }
}

static void strides_may_be_anything_but_zero(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt_deskew *plan = make_plan(SNT_KERNEL_AUTO);
    const layout *l = &layouts[0];
    sample_case c = make_case(l, plan, &rng);
    unsigned char *data = malloc(c.size);
    assert_non_null(data);
    memcpy(data, c.in, c.size);
    /* the same records from the last to the first */
    snt_cloud cloud = cloud_over(l, data + (POINTS - 1) * l->step, POINTS);
    snt_field *fields[4] = {&cloud.x, &cloud.y, &cloud.z, &cloud.time};
    for (int k = 0; k < 4; k++)
        fields[k]->stride = -(int64_t)l->step;
    assert_status(snt_deskew_apply(plan, &cloud, &cloud, NULL), SNT_OK);
    assert_memory_equal(data, c.want, c.size);
    cloud.y.stride = 0;
    assert_status(snt_deskew_apply(plan, &cloud, &cloud, NULL), SNT_ERR_LAYOUT);
    assert_memory_equal(data, c.want, c.size);
    free(data);
    free_case(&c);
    snt_deskew_destroy(plan);
}

static void arrays_of_their_own_give_the_bits_of_records(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    snt_deskew *plan = make_plan(SNT_KERNEL_AUTO);
    const layout *l = &layouts[4];
    sample_case c = make_case(l, plan, &rng);
    static float soa[3][POINTS], packed[POINTS][3];
    static uint32_t t[POINTS];
    for (int i = 0; i < POINTS; i++) {
        t[i] = (uint32_t)(times[i] - base_ns);
        for (int k = 0; k < 3; k++)
            soa[k][i] = packed[i][k] = points[i][k];
    }
    snt_cloud a, b;
    snt_cloud_init(&a);
    assert_status(snt_cloud_set_xyz(&a, soa[0], soa[1], soa[2], 0, F32, POINTS), SNT_OK);
    assert_status(snt_cloud_set_times(&a, t, 0, SNT_TYPE_U32, SNT_TIME_UNIT_NS, REL, base_ns, 0), SNT_OK);
    b = a;
    assert_status(snt_cloud_set_points(&b, packed, 0, F32, POINTS), SNT_OK);
    assert_status(snt_deskew_apply(plan, &a, &a, NULL), SNT_OK);
    assert_status(snt_deskew_apply(plan, &b, &b, NULL), SNT_OK);
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) {
            const float got = (float)get_coordinate(l, c.want + i * (int)l->step, k);
            assert_memory_equal(&soa[k][i], &got, 4);
            assert_memory_equal(&packed[i][k], &got, 4);
        }
    free_case(&c);
    snt_deskew_destroy(plan);
}

static void copies_need_fields_within_the_record(void **state)
{
    (void)state;
    snt_deskew *plan = make_plan(SNT_KERNEL_AUTO);
    static unsigned char in[POINTS * 22], out[POINTS * 22];
    snt_cloud cloud = cloud_over(&layouts[0], in, POINTS);
    assert_status(snt_deskew_apply_copy(plan, &cloud, in, out, 22, NULL, NULL), SNT_OK);
    assert_status(snt_deskew_apply_copy(plan, &cloud, in, out, 21, NULL, NULL), SNT_ERR_LAYOUT);
    assert_status(snt_deskew_apply_copy(plan, &cloud, in + 1, out, 22, NULL, NULL), SNT_ERR_LAYOUT);
    assert_status(snt_deskew_apply_copy(plan, &cloud, NULL, out, 22, NULL, NULL), SNT_ERR_INVALID_ARG);
    cloud.z.data = in + 19;
    assert_status(snt_deskew_apply_copy(plan, &cloud, in, out, 22, NULL, NULL), SNT_ERR_LAYOUT);
    snt_deskew_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_is_right_and_no_other_byte_changes),
        cmocka_unit_test(splitting_and_alignment_change_no_bit),
        cmocka_unit_test(order_changes_no_bit),
        cmocka_unit_test(out_of_place_writes_coordinates_only),
        cmocka_unit_test(points_that_are_not_finite_stay_bit_for_bit),
        cmocka_unit_test(kept_and_dropped_points_spare_their_records),
        cmocka_unit_test(strides_may_be_anything_but_zero),
        cmocka_unit_test(arrays_of_their_own_give_the_bits_of_records),
        cmocka_unit_test(copies_need_fields_within_the_record),
    };
    return cmocka_run_group_tests_name("deskew_layouts", tests, NULL, NULL);
}
