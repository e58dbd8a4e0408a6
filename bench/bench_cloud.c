/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of one 131 072-point cloud (26-byte points) as int64 ns for the common types, and the detection of its layout. Nobody else
 * offers either, so there is no peer.
 */
#include "bench.h"

#include "sensortime/sensortime.h"

enum { POINTS = 131072, STEP = 26, T_AT = 18 };

typedef struct bench_context {
    unsigned char *points;
    snt_cloud cloud;
    snt_time *times;
    snt_pointcloud2_view view;
    snt_point_field fields[6];
} bench_context;

static void fill(bench_context *b, uint32_t type)
{
    for (uint32_t i = 0; i < POINTS; i++) {
        unsigned char *p = b->points + (size_t)i * STEP;
        const uint32_t u = i * 760;
        const float f = (float)u * 1e-9f;
        const double d = 1.7e9 + (double)u * 1e-9, angle = 6.28 * (i / 128) / 1024.0;
        const float xyz[4] = {(float)(20 * cos(angle)), (float)(20 * sin(angle)), 1, 2};
        const uint16_t ring = (uint16_t)(i % 128);
        memcpy(p, xyz, sizeof xyz);
        memcpy(p + 16, &ring, 2);
        memcpy(p + T_AT,
               type == SNT_TYPE_U32   ? (const void *)&u
               : type == SNT_TYPE_F32 ? (const void *)&f
                                      : &d,
               type == SNT_TYPE_F64 ? 8 : 4);
    }
    snt_cloud_init(&b->cloud);
    b->cloud.count = POINTS;
    snt_cloud_set_times(&b->cloud, b->points + T_AT, STEP, type,
                        type == SNT_TYPE_U32 ? SNT_TIME_UNIT_NS : SNT_TIME_UNIT_S,
                        type == SNT_TYPE_F64 ? SNT_TIME_REF_ABSOLUTE : SNT_TIME_REF_RELATIVE,
                        INT64_C(1700000000000000000), 0);
    const struct {
        const char *name;
        uint32_t offset, type;
    } fields[6] = {{"x", 0, SNT_TYPE_F32},          {"y", 4, SNT_TYPE_F32},     {"z", 8, SNT_TYPE_F32},
                   {"intensity", 12, SNT_TYPE_F32}, {"ring", 16, SNT_TYPE_U16}, {"timestamp", T_AT, type}};
    for (int i = 0; i < 6; i++)
        b->fields[i] = (snt_point_field){
            {fields[i].name, strlen(fields[i].name)}, fields[i].offset, fields[i].type, 1, 0};
    snt_pointcloud2_view_init(b->fields, 6, b->points, (uint64_t)POINTS * STEP, POINTS, 1, STEP, 0,
                              INT64_C(1700000000000000000), 0, &b->view, NULL);
}

static void decode(void *context, int64_t calls)
{
    bench_context *b = context;
    uint64_t invalid = 0;
    for (int64_t i = 0; i < calls; i++) {
        snt_cloud_times(&b->cloud, 0, POINTS, 0, b->times, &invalid);
        bench_sink((uint64_t)b->times[i % POINTS] + invalid);
    }
}

static void detect(void *context, int64_t calls)
{
    bench_context *b = context;
    for (int64_t i = 0; i < calls; i++) {
        snt_point_layout layout;
        bench_sink((uint64_t)snt_point_layout_detect(b->fields, 6, &b->view, 1, NULL, &layout, NULL));
    }
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    bench_context b = {.points = malloc((size_t)POINTS * STEP), .times = malloc(POINTS * sizeof(snt_time))};
    if (!b.points || !b.times)
        return 1;
    static const struct {
        const char *name;
        uint32_t type;
    } cases[] = {{"cloud_times_u32", SNT_TYPE_U32},
                 {"cloud_times_f32", SNT_TYPE_F32},
                 {"cloud_times_f64", SNT_TYPE_F64}};
    for (int i = 0; i < 3; i++) {
        if (!bench_wanted(cases[i].name))
            continue;
        fill(&b, cases[i].type);
        bench_report_rate(cases[i].name, bench_compare(&b, decode, NULL, 20), POINTS, "Mpt/s");
    }
    if (bench_wanted("layout_detect")) {
        fill(&b, SNT_TYPE_U32);
        bench_report_rate("layout_detect", bench_compare(&b, detect, NULL, 2), POINTS, "Mpt/s");
    }
    free(b.points);
    free(b.times);
    return 0;
}
