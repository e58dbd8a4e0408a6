/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deskew: 131 072 points, 20 knots unless a name says otherwise, one thread. The peer is the KISS way, one double
 * exponential of SE(3) per point, unless the name says otherwise: KISS-ICP's loop on one thread, on its own arrays of
 * Vector3d and double, with Sophus's formulas written out in Eigen. Where <sophus/se3.hpp> is found it is Sophus itself.
 */
#include "bench.h"

#include <pthread.h>
#include <stdbool.h>

#include "peers/deskew_peer.h"
#include "sensortime/sensortime.h"

enum { ROWS = 128, COLUMNS = 1024, POINTS = ROWS * COLUMNS, MAX_KNOTS = 129, COLD_CLOUDS = 16 };

static const snt_time scan_begin = INT64_C(1700000000000000000);
static const snt_duration scan_length = 100 * SNT_NS_PER_MS;
static const snt_twist twist = {{0.5, 0.1, 0}, {0.2, -0.5, 3}};

enum { TIME_MAJOR, RING_MAJOR, SHUFFLED };

typedef struct layout {
    const char *name;
    uint32_t step, time, type, coordinate; /* record, time offset, SNT_TYPE_* of time and of x, y, z */
    uint32_t ref;
} layout;

static const layout soa = {"soa", 0, 0, SNT_TYPE_U32, SNT_TYPE_F32, SNT_TIME_REF_RELATIVE};
static const layout aos16 = {"aos16", 16, 12, SNT_TYPE_U32, SNT_TYPE_F32, SNT_TIME_REF_RELATIVE};
static const layout xyzirt22 = {"xyzirt22", 22, 18, SNT_TYPE_F32, SNT_TYPE_F32, SNT_TIME_REF_RELATIVE};
static const layout hesai26 = {"hesai26", 26, 18, SNT_TYPE_F64, SNT_TYPE_F32, SNT_TIME_REF_ABSOLUTE};
static const layout pcl32 = {"pcl32", 32, 24, SNT_TYPE_F32, SNT_TYPE_F32, SNT_TIME_REF_RELATIVE};
static const layout ouster48 = {"ouster48", 48, 20, SNT_TYPE_U32, SNT_TYPE_F32, SNT_TIME_REF_RELATIVE};
static const layout vector3d = {"vector3d", 0, 0, SNT_TYPE_F64, SNT_TYPE_F64, SNT_TIME_REF_NORMALISED};

typedef struct bed {
    snt_deskew *plan;
    snt_cloud cloud;
    unsigned char *data, *other; /* records, or arrays one behind the other */
    size_t bytes, at;
    uint64_t clouds;
    uint32_t step;
    double *peer_xyz, *peer_times;
    double peer_twist[6], peer_q[4], peer_t[3], *matrices;
} bed;

static void *get(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 8191) & ~(size_t)4095);
    if (!memory)
        exit(1);
    memset(memory, 1, bytes);
    return memory;
}

static uint64_t random_state = 88172645463325252u;
static double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}

static void make_plan(bed *b, int knots)
{
    static snt_time stamps[MAX_KNOTS];
    static snt_pose poses[MAX_KNOTS];
    for (int i = 0; i < knots; i++) {
        stamps[i] = scan_begin + i * scan_length / (knots - 1);
        snt_pose_exp(&twist, 1e-9 * (double)(stamps[i] - scan_begin), &poses[i]);
    }
    if (!b->plan && snt_deskew_create(NULL, NULL, &b->plan) < 0)
        exit(1);
    snt_deskew_scan scan;
    snt_deskew_scan_init(&scan, sizeof scan);
    scan.begin_ns = scan_begin;
    scan.end_ns = scan_begin + scan_length;
    scan.reference = SNT_REF_END;
    if (snt_deskew_plan_knots(b->plan, &scan, stamps, 0, poses, 0, (uint64_t)knots, SNT_INTERPOLATE_LINEAR) <
        0)
        exit(1);
}

/* Nanoseconds into the scan of point i in the given order. */
static snt_duration time_of(int i, int order)
{
    const snt_duration column = scan_length / COLUMNS;
    if (order == TIME_MAJOR)
        return (i / ROWS) * column + i % ROWS;
    if (order == RING_MAJOR) /* destaggered: each row wraps round somewhere else */
        return ((i % COLUMNS + 7 * (i / COLUMNS)) % COLUMNS) * column;
    return (snt_duration)(uniform() * (double)scan_length);
}

static void put_time(const layout *l, unsigned char *at, snt_duration t)
{
    const uint32_t u32 = (uint32_t)t;
    const float f32 = (float)(1e-9 * (double)t);
    const double absolute = (double)(scan_begin / SNT_NS_PER_S) + 1e-9 * (double)t;
    const double normalised = (double)t / (double)scan_length;
    if (l->type == SNT_TYPE_U32)
        memcpy(at, &u32, 4);
    else if (l->type == SNT_TYPE_F32)
        memcpy(at, &f32, 4);
    else
        memcpy(at, l->ref == SNT_TIME_REF_ABSOLUTE ? &absolute : &normalised, 8);
}

static void fill_records(const layout *l, unsigned char *data, int order)
{
    for (int i = 0; i < POINTS; i++) {
        for (int k = 0; k < 3; k++) {
            const float c = (float)(200 * uniform() - 100);
            memcpy(data + (size_t)i * l->step + 4 * k, &c, 4);
        }
        put_time(l, data + (size_t)i * l->step + l->time, time_of(i, order));
    }
}

static void set_cloud(bed *b, const layout *l, unsigned char *data)
{
    const uint32_t unit = l->type == SNT_TYPE_U32 ? SNT_TIME_UNIT_NS : SNT_TIME_UNIT_S;
    snt_cloud *c = &b->cloud;
    snt_cloud_init(c);
    unsigned char *times = data + l->time;
    if (l->step) {
        snt_cloud_set_points(c, data, l->step, l->coordinate, POINTS);
    } else if (l->coordinate == SNT_TYPE_F64) {
        snt_cloud_set_points(c, data, 0, SNT_TYPE_F64, POINTS);
        times = data + 24 * POINTS;
    } else {
        snt_cloud_set_xyz(c, data, data + 4 * POINTS, data + 8 * POINTS, 0, SNT_TYPE_F32, POINTS);
        times = data + 12 * POINTS;
    }
    snt_cloud_set_times(c, times, l->step, l->type, unit, l->ref, scan_begin, scan_length);
}

static void prepare(bed *b, const layout *l, int order, int knots, uint64_t clouds)
{
    const size_t record = l->step ? l->step : l->coordinate == SNT_TYPE_F64 ? 32 : 16;
    *b = (bed){.bytes = record * POINTS, .clouds = clouds, .step = (uint32_t)record};
    b->data = get(b->bytes * clouds);
    b->other = get(b->bytes * clouds);
    for (uint64_t n = 0; n < clouds; n++) {
        unsigned char *data = b->data + n * b->bytes;
        if (l->step) {
            fill_records(l, data, order);
            continue;
        }
        const bool wide = l->coordinate == SNT_TYPE_F64;
        for (int i = 0; i < 3 * POINTS; i++) {
            const double c = 200 * uniform() - 100;
            const float narrow = (float)c;
            memcpy(data + (size_t)i * (wide ? 8 : 4), wide ? (const void *)&c : (const void *)&narrow,
                   wide ? 8 : 4);
        }
        for (int i = 0; i < POINTS; i++)
            put_time(l, data + 3 * (size_t)POINTS * (wide ? 8 : 4) + (size_t)i * (wide ? 8 : 4),
                     time_of(i, order));
    }
    set_cloud(b, l, b->data);
    make_plan(b, knots);
    b->peer_xyz = get(24 * POINTS);
    b->peer_times = get(8 * POINTS);
    b->matrices = get(16 * 8 * COLUMNS);
    for (int i = 0; i < POINTS; i++) {
        b->peer_times[i] = (double)time_of(i, order) / (double)scan_length;
        for (int k = 0; k < 3; k++)
            b->peer_xyz[3 * i + k] = 200 * uniform() - 100;
    }
    snt_pose end;
    snt_pose_exp(&twist, 0.1, &end);
    memcpy(b->peer_q, end.q, sizeof b->peer_q);
    memcpy(b->peer_t, end.t, sizeof b->peer_t);
    for (int k = 0; k < 3; k++) {
        b->peer_twist[k] = 0.1 * twist.v[k];
        b->peer_twist[3 + k] = 0.1 * twist.w[k];
    }
    static snt_pose columns[COLUMNS];
    snt_deskew_rows(b->plan, scan_begin, scan_length, COLUMNS, columns, 0, NULL);
    snt_deskew_matrices(columns, 0, COLUMNS, b->matrices);
}

static void release(bed *b)
{
    snt_deskew_destroy(b->plan);
    free(b->data);
    free(b->other);
    free(b->peer_xyz);
    free(b->peer_times);
    free(b->matrices);
}

/* ---- what is timed: each call is one cloud ---- */

static void check(snt_status status)
{
    if (status < 0) {
        fprintf(stderr, "%s\n", snt_status_name(status));
        exit(1);
    }
}

static snt_cloud moved_cloud(const bed *b, uint64_t index)
{
    snt_cloud c = b->cloud;
    snt_field *fields[4] = {&c.x, &c.y, &c.z, &c.time};
    for (int k = 0; k < 4; k++)
        fields[k]->data = (unsigned char *)fields[k]->data + index * b->bytes;
    return c;
}

static void ours(void *context, int64_t calls)
{
    bed *b = context;
    for (int64_t i = 0; i < calls; i++) {
        const snt_cloud c = moved_cloud(b, b->at++ % b->clouds);
        check(snt_deskew_apply(b->plan, &c, &c, NULL));
    }
}

static void ours_copy(void *context, int64_t calls)
{
    bed *b = context;
    for (int64_t i = 0; i < calls; i++) {
        const uint64_t at = b->at++ % b->clouds;
        const snt_cloud c = moved_cloud(b, at);
        check(snt_deskew_apply_copy(b->plan, &c, b->data + at * b->bytes, b->other + at * b->bytes, b->step,
                                    NULL, NULL));
    }
}

static void copy_bytes(void *context, int64_t calls)
{
    bed *b = context;
    for (int64_t i = 0; i < calls; i++) {
        const uint64_t at = b->at++ % b->clouds;
        memcpy(b->other + at * b->bytes, b->data + at * b->bytes, b->bytes);
        bench_sink(b->other[at * b->bytes]);
    }
}

static void touch_bytes(void *context, int64_t calls)
{
    bed *b = context;
    for (int64_t i = 0; i < calls; i++) {
        uint64_t *at = (uint64_t *)(void *)(b->other + (b->at++ % b->clouds) * b->bytes);
        for (size_t k = 0; k < b->bytes / 8; k++)
            at[k] += 1;
        bench_sink(at[0]);
    }
}

static void kiss(void *context, int64_t calls)
{
    bed *b = context;
    for (int64_t i = 0; i < calls; i++)
        deskew_peer_kiss(b->peer_twist, b->peer_times, b->peer_xyz, POINTS);
}

static void slerp(void *context, int64_t calls)
{
    bed *b = context;
    for (int64_t i = 0; i < calls; i++)
        deskew_peer_slerp(b->peer_q, b->peer_t, b->peer_times, b->peer_xyz, POINTS);
}

static void rodrigues(void *context, int64_t calls)
{
    bed *b = context;
    for (int64_t i = 0; i < calls; i++)
        deskew_peer_rodrigues(b->peer_twist, b->peer_times, b->peer_xyz, POINTS);
}

static void columns(void *context, int64_t calls)
{
    bed *b = context;
    for (int64_t i = 0; i < calls; i++)
        deskew_peer_columns(b->matrices, b->peer_xyz, ROWS, COLUMNS);
}

static void build(void *context, int64_t calls)
{
    for (int64_t i = 0; i < calls; i++)
        make_plan(context, 129);
}

typedef struct half {
    const bed *b;
    uint64_t first;
} half;

static void *move_half(void *user)
{
    const half *h = user;
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.first = h->first;
    options.count = POINTS / 2;
    check(snt_deskew_apply_with(h->b->plan, &h->b->cloud, &h->b->cloud, &options, NULL));
    return NULL;
}

static void two_threads(void *context, int64_t calls)
{
    bed *b = context;
    half halves[2] = {{b, 0}, {b, POINTS / 2}};
    for (int64_t i = 0; i < calls; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, move_half, &halves[1]) != 0)
            exit(1);
        move_half(&halves[0]);
        pthread_join(thread, NULL);
    }
}

/* ---- cases ---- */

static const int64_t calls_per_batch = 20;
static bench_fn repeated;

/* Twenty clouds of ours take as long as one of the slow peers': batches alternate, and what disturbs one disturbs both. */
static void twenty(void *context, int64_t calls)
{
    repeated(context, calls * calls_per_batch);
}

static bench_result against(bed *b, bench_fn us, bench_fn peer)
{
    repeated = us;
    bench_result r = bench_compare(b, twenty, peer, 1);
    r.ours /= (double)calls_per_batch;
    return r;
}

static bench_fn the_kiss_way(void)
{
    return deskew_peer_present() ? kiss : NULL;
}

static void hot(const char *name, const layout *l, int order, bench_fn peer)
{
    bed b;
    if (!bench_wanted(name))
        return;
    prepare(&b, l, order, 20, 1);
    bench_report_rate(name, against(&b, ours, peer), POINTS, "Mpt/s");
    release(&b);
}

static void ring_major(const char *name, int knots)
{
    bed a, b;
    if (!bench_wanted(name))
        return;
    prepare(&a, &ouster48, RING_MAJOR, knots, 1);
    prepare(&b, &ouster48, TIME_MAJOR, knots, 1);
    const bench_result rings = bench_compare(&a, ours, NULL, calls_per_batch);
    const bench_result times = bench_compare(&b, ours, NULL, calls_per_batch);
    bench_report_value(name, 1e3 * POINTS / rings.ours, 1e3 * POINTS / times.ours, times.ours / rings.ours,
                       "Mpt/s");
    release(&a);
    release(&b);
}

static void cold(const char *name, bench_fn us, bench_fn peer)
{
    bed b;
    if (!bench_wanted(name))
        return;
    prepare(&b, &ouster48, TIME_MAJOR, 20, COLD_CLOUDS);
    bench_report_rate(name, bench_compare(&b, us, peer, COLD_CLOUDS), POINTS, "Mpt/s");
    release(&b);
}

static void other_peer(const char *name, bench_fn peer)
{
    bed b;
    if (!bench_wanted(name) || !deskew_peer_present())
        return;
    prepare(&b, &vector3d, TIME_MAJOR, 20, 1);
    bench_report_rate(name, against(&b, ours, peer), POINTS, "Mpt/s");
    release(&b);
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    if (!deskew_peer_present())
        fprintf(stderr, "# deskew: Eigen (libeigen3-dev) was not found: no peers\n");
    hot("deskew_soa", &soa, TIME_MAJOR, the_kiss_way());
    hot("deskew_aos16", &aos16, TIME_MAJOR, the_kiss_way());
    hot("deskew_xyzirt22", &xyzirt22, TIME_MAJOR, the_kiss_way());
    hot("deskew_hesai26", &hesai26, TIME_MAJOR, the_kiss_way());
    hot("deskew_pcl32", &pcl32, TIME_MAJOR, the_kiss_way());
    hot("deskew_ouster48", &ouster48, TIME_MAJOR, the_kiss_way());
    hot("deskew_ouster48_memcpy", &ouster48, TIME_MAJOR, copy_bytes);
    hot("deskew_vector3d", &vector3d, TIME_MAJOR, the_kiss_way());
    hot("deskew_random", &aos16, SHUFFLED, the_kiss_way());
    hot("deskew_random48", &ouster48, SHUFFLED, the_kiss_way());
    ring_major("deskew_ring_major", 20);
    ring_major("deskew_ring_major_100knots", 100);
    cold("deskew_cold48", ours, copy_bytes);
    cold("deskew_cold48_rmw", ours, touch_bytes);
    cold("deskew_cold48_copy", ours_copy, copy_bytes);
    other_peer("deskew_vector3d_slerp", slerp);
    other_peer("deskew_vector3d_rodrigues", rodrigues);
    other_peer("deskew_vector3d_columns", columns);
    if (bench_wanted("deskew_plan_build")) {
        bed b = {0};
        bench_report("deskew_plan_build", bench_compare(&b, build, NULL, 200));
        snt_deskew_destroy(b.plan);
    }
    if (bench_wanted("deskew_two_threads")) {
        bed b;
        prepare(&b, &ouster48, TIME_MAJOR, 20, 1);
        bench_report_rate("deskew_two_threads", bench_compare(&b, two_threads, ours, calls_per_batch), POINTS,
                          "Mpt/s");
        release(&b);
    }
    return 0;
}
