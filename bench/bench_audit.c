/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The auditor's pass over the points of one 131 072-point cloud (128 rings × 1024 columns, 48-byte points), and what a
 * message costs in the stream monitor. The peer in numpy is bench_audit.py.
 */
#include "bench.h"

#include "sensortime/sensortime.h"

enum { RINGS = 128, COLUMNS = 1024, POINTS = RINGS * COLUMNS, STRIDE = 48, T_AT = 20, RING_AT = 26 };

typedef struct bench_context {
    snt_scan_auditor *auditor;
    snt_stream_monitor *monitor;
    unsigned char *points;
    snt_cloud cloud;
    int64_t stamp;
} bench_context;

static uint64_t bench_random;

static uint64_t bench_next(void)
{
    bench_random ^= bench_random << 13;
    bench_random ^= bench_random >> 7;
    bench_random ^= bench_random << 17;
    return bench_random;
}

/* Where point (ring, column) lies: 0 column by column, 1 ring by ring, 2 anywhere. */
static void bench_fill(bench_context *b, int order)
{
    static uint32_t place[POINTS];
    for (uint32_t i = 0; i < POINTS; i++)
        place[i] = i;
    bench_random = 88172645463325252u;
    for (uint32_t i = POINTS - 1; order == 2 && i > 0; i--) {
        const uint32_t j = (uint32_t)(bench_next() % (i + 1)), other = place[i];
        place[i] = place[j];
        place[j] = other;
    }
    for (uint32_t r = 0; r < RINGS; r++)
        for (uint32_t c = 0; c < COLUMNS; c++) {
            const uint32_t at = order == 1 ? r * COLUMNS + c : place[c * RINGS + r];
            unsigned char *p = b->points + (size_t)at * STRIDE;
            const float angle = 6.2831853f * (float)c / COLUMNS;
            const float xyz[3] = {20 * cosf(angle), 20 * sinf(angle), 0.1f * (float)r};
            const uint32_t t = c * 97656;
            const uint16_t ring = (uint16_t)r;
            memcpy(p, xyz, sizeof xyz);
            memcpy(p + T_AT, &t, sizeof t);
            memcpy(p + RING_AT, &ring, sizeof ring);
        }
}

static void bench_pass(void *context, int64_t calls)
{
    bench_context *b = context;
    snt_point_stats stats;
    for (int64_t i = 0; i < calls; i++) {
        snt_scan_auditor_points(b->auditor, &b->cloud, 100 * SNT_NS_PER_MS, &stats);
        bench_sink((uint64_t)stats.sorted_gap_ns);
    }
}

static void bench_add(void *context, int64_t calls)
{
    bench_context *b = context;
    for (int64_t i = 0; i < calls; i++) {
        b->stamp += 10 * SNT_NS_PER_MS;
        const snt_stream_message m = {.stamp_ns = b->stamp,
                                      .log_ns = b->stamp + (int64_t)(bench_next() & 0xfffff),
                                      .size_bytes = 320,
                                      .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG};
        snt_stream_monitor_add(b->monitor, &m);
    }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"audit_points_time_major", "audit_points_ring_major",
                                        "audit_points_random"};
    static bench_context b;
    bench_begin(argc, argv);
    b.points = calloc(POINTS, STRIDE);
    if (!b.points || snt_scan_auditor_create(NULL, NULL, &b.auditor) < 0 ||
        snt_stream_monitor_create(NULL, NULL, &b.monitor) < 0)
        return 1;
    snt_cloud_init(&b.cloud);
    snt_cloud_set_points(&b.cloud, b.points, STRIDE, SNT_TYPE_F32, POINTS);
    snt_cloud_set_times(&b.cloud, b.points + T_AT, STRIDE, SNT_TYPE_U32, SNT_TIME_UNIT_NS,
                        SNT_TIME_REF_RELATIVE, INT64_C(1700000000) * SNT_NS_PER_S, 0);
    snt_cloud_set_rings(&b.cloud, b.points + RING_AT, STRIDE, SNT_TYPE_U16);
    for (int order = 0; order < 3; order++) {
        if (!bench_wanted(names[order]))
            continue;
        bench_fill(&b, order);
        bench_report_rate(names[order], bench_compare(&b, bench_pass, NULL, 40), POINTS, "Mpt/s");
    }
    if (bench_wanted("audit_stream_add")) {
        b.stamp = INT64_C(1700000000) * SNT_NS_PER_S;
        bench_report("audit_stream_add", bench_compare(&b, bench_add, NULL, 100000));
    }
    snt_stream_monitor_destroy(b.monitor);
    snt_scan_auditor_destroy(b.auditor);
    free(b.points);
    return 0;
}
