/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any layout over a buffer of exactly its size: a sanitizer sees a step outside, this file sees a byte changed that is no
 * coordinate, and a result that depends on how the cloud is split.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sensortime/sensortime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct source {
    const uint8_t *at;
    size_t left;
} source;

static uint64_t take(source *s, size_t n)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n && s->left; i++, s->left--)
        value = value << 8 | *s->at++;
    return value;
}

static double take_double(source *s, double scale)
{
    const uint64_t bits = take(s, 4);
    if ((bits & 0xf) == 0xf) { /* rarely anything at all */
        double value;
        const uint64_t all = bits << 32 | take(s, 4);
        memcpy(&value, &all, sizeof value);
        return value;
    }
    return scale * ((double)bits / 4294967295.0 - 0.5);
}

static const uint32_t float_types[4] = {SNT_TYPE_F32, SNT_TYPE_F64, SNT_TYPE_F32, SNT_TYPE_U16};

static snt_field take_field(source *s, uint8_t *buffer, size_t bytes, uint64_t count, uint32_t type,
                            bool *fits)
{
    snt_field field = {.stride = (int64_t)(take(s, 1) % 72) - 4, .type = type};
    const uint64_t offset = take(s, 1) % 64, extent = snt_type_size(type);
    field.flags = take(s, 1) % 8 == 0 ? SNT_FIELD_BIG_ENDIAN : 0;
    const int64_t last = (int64_t)(count ? count - 1 : 0) * field.stride;
    const int64_t low = (int64_t)offset + (last < 0 ? last : 0),
                  high = (int64_t)offset + (last > 0 ? last : 0);
    if (low < 0 || (uint64_t)high + extent > bytes)
        *fits = false;
    field.data = buffer + (offset < bytes ? offset : 0);
    return field;
}

static bool plan_any(snt_deskew *plan, source *s)
{
    snt_deskew_scan scan;
    snt_deskew_scan_init(&scan, sizeof scan);
    scan.begin_ns = (int64_t)take(s, 4) - (INT64_C(1) << 31);
    scan.end_ns = scan.begin_ns + (int64_t)take(s, 4);
    scan.reference = (uint32_t)take(s, 1) % 5;
    scan.reference_ns = (int64_t)take(s, 8);
    scan.outside = (uint32_t)take(s, 1) % 6;
    scan.outlier = (uint32_t)take(s, 1) % 5;
    scan.invalid_time = 2 + (uint32_t)take(s, 1) % 3;
    scan.inverse = (uint32_t)take(s, 1) % 2;
    scan.output = (uint32_t)take(s, 1) % 2;
    if (take(s, 1) % 2) {
        snt_twist twist;
        for (int k = 0; k < 3; k++) {
            twist.v[k] = take_double(s, 40);
            twist.w[k] = take_double(s, 20);
        }
        return snt_deskew_plan_twist(plan, &scan, &twist) == SNT_OK;
    }
    enum { KNOTS = 6 };
    snt_time stamps[KNOTS];
    snt_pose poses[KNOTS];
    const uint64_t knots = 1 + take(s, 1) % KNOTS;
    stamps[0] = scan.begin_ns + (int64_t)take(s, 4) - (INT64_C(1) << 30);
    for (uint64_t i = 0; i < knots; i++) {
        if (i)
            stamps[i] = stamps[i - 1] + (int64_t)take(s, i % 2 ? 1 : 4);
        double w[3];
        for (int k = 0; k < 3; k++) {
            w[k] = take_double(s, 6);
            poses[i].t[k] = take_double(s, 100);
        }
        snt_rotation_exp(w, poses[i].q);
    }
    return snt_deskew_plan_knots(plan, &scan, stamps, 0, poses, 0, knots, (uint32_t)take(s, 1) % 5) == SNT_OK;
}

static void mark(const snt_field *field, uint64_t count, const uint8_t *buffer, uint8_t *coordinate)
{
    for (uint64_t i = 0; i < count; i++)
        memset(coordinate + ((uint8_t *)field->data - buffer) + (int64_t)i * field->stride, 1,
               snt_type_size(field->type));
}

static void apply_all_ways(const snt_deskew *plan, const snt_cloud *cloud, uint8_t *buffer, size_t bytes,
                           uint64_t cut)
{
    uint8_t *before = malloc(bytes + 1), *whole = malloc(bytes + 1), *coordinate = calloc(bytes + 1, 1);
    uint8_t *flags = malloc(cloud->count + 1);
    if (!before || !whole || !coordinate || !flags)
        abort();
    memcpy(before, buffer, bytes);
    const snt_field *fields[3] = {&cloud->x, &cloud->y, &cloud->z};
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.point_flags = flags;
    options.audit = 1;
    snt_deskew_report report;
    const snt_status status = snt_deskew_apply_with(plan, cloud, cloud, &options, &report);
    for (int k = 0; k < 3 && status == SNT_OK; k++)
        mark(fields[k], cloud->count, buffer, coordinate);
    for (size_t i = 0; i < bytes; i++)
        if (!coordinate[i] && buffer[i] != before[i])
            abort();
    /* Fields may overlap one another in a fuzzed layout; then order matters and only memory safety is asked for. */
    size_t marked = 0, expected = 0;
    for (size_t i = 0; i < bytes; i++)
        marked += coordinate[i];
    for (int k = 0; k < 3; k++)
        expected += cloud->count * snt_type_size(fields[k]->type);
    bool apart = status == SNT_OK && marked == expected;
    const uint32_t time_size = snt_type_size(cloud->time.type);
    for (uint64_t i = 0; i < cloud->count && apart; i++)
        for (uint32_t b = 0; b < time_size; b++)
            apart = apart &&
                    !coordinate[((uint8_t *)cloud->time.data - buffer) + (int64_t)i * cloud->time.stride + b];
    if (apart && cloud->count) {
        if (report.moved + report.non_finite > cloud->count)
            abort();
        memcpy(whole, buffer, bytes);
        memcpy(buffer, before, bytes);
        options.first = 0;
        options.count = cut % (cloud->count + 1);
        snt_deskew_report rest;
        if (snt_deskew_apply_with(plan, cloud, cloud, &options, &report) != SNT_OK)
            abort();
        options.first = options.count;
        options.count = UINT64_MAX;
        if (snt_deskew_apply_with(plan, cloud, cloud, &options, &rest) != SNT_OK)
            abort();
        if (memcmp(whole, buffer, bytes) != 0)
            abort();
    }
    free(before);
    free(whole);
    free(coordinate);
    free(flags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = {data, size};
    snt_deskew *plan;
    snt_deskew_config config;
    snt_deskew_config_init(&config, sizeof config);
    config.max_segments = 64;
    config.max_knots = 8;
    config.kernel = (uint32_t)take(&s, 1) % 7;
    if (!snt_deskew_kernel_available(config.kernel))
        config.kernel = SNT_KERNEL_AUTO;
    if (snt_deskew_create(&config, NULL, &plan) != SNT_OK)
        abort();
    if (plan_any(plan, &s)) {
        snt_cloud cloud;
        snt_cloud_init(&cloud);
        bool fits = true;
        uint8_t shape[32] = {0};
        for (size_t i = 0; i < sizeof shape; i++)
            shape[i] = (uint8_t)take(&s, 1);
        const size_t bytes = s.left;
        uint8_t *buffer = malloc(bytes ? bytes : 1);
        if (!buffer)
            abort();
        memcpy(buffer, s.at, bytes);
        source f = {shape, sizeof shape};
        cloud.count = take(&f, 1);
        const uint32_t type = float_types[take(&f, 1) % 4];
        cloud.x = take_field(&f, buffer, bytes, cloud.count, type, &fits);
        if (take(&f, 1) % 2) {
            cloud.y = cloud.z = cloud.x;
            cloud.y.data = (uint8_t *)cloud.x.data + snt_type_size(type);
            cloud.z.data = (uint8_t *)cloud.y.data + snt_type_size(type);
            snt_field last = cloud.z;
            const int64_t end =
                (uint8_t *)last.data - buffer + (int64_t)(cloud.count ? cloud.count - 1 : 0) * last.stride;
            fits = fits && cloud.x.stride >= 0 && end >= 0 && (uint64_t)end + snt_type_size(type) <= bytes;
        } else {
            cloud.y = take_field(&f, buffer, bytes, cloud.count, type, &fits);
            cloud.z = take_field(&f, buffer, bytes, cloud.count, type, &fits);
        }
        const uint32_t time_type = (uint32_t)take(&f, 1) % 11;
        cloud.time = take_field(&f, buffer, bytes, cloud.count, time_type, &fits);
        cloud.time_ref = (uint32_t)take(&f, 1) % 5;
        static const int64_t units[] = {1, 1000, 1000000, 1000000000, 100, 0};
        cloud.time_unit_num = units[take(&f, 1) % 6];
        cloud.time_unit_den = 1 + (int64_t)(take(&f, 1) % 3);
        cloud.time_base_ns = (int64_t)take(&f, 4) - (INT64_C(1) << 31);
        cloud.time_span_ns = (int64_t)take(&f, 4);
        cloud.time_quantum_ns = take(&f, 1) % 4 ? 0 : 1000;
        if (fits)
            apply_all_ways(plan, &cloud, buffer, bytes, take(&f, 2));
        free(buffer);
    }
    snt_deskew_destroy(plan);
    return 0;
}
