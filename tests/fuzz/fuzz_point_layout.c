/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts and values at random: whatever the fields are, a detection stays inside the points, its confidences are
 * shares, and a layout that it calls good decodes.
 *
 * Input: bytes 0..7 options and sizes, then one block of 6 bytes per field, then points.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sensortime/sensortime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FIELDS = 12, MAX_POINTS = 512 };

static const char *const names[] = {"x",
                                    "y",
                                    "z",
                                    "t",
                                    "time",
                                    "timestamp",
                                    "ring",
                                    "channel",
                                    "time_stamp",
                                    "ts_ns",
                                    "lidar_sec",
                                    "lidar_nsec",
                                    "intensity",
                                    "timeSecond",
                                    "line",
                                    "timebase_low",
                                    "timebase_high",
                                    "time_offset",
                                    "timeNanosecond",
                                    "offset_time"};

static void require(int ok)
{
    if (!ok)
        abort();
}

static int is_share(double x)
{
    return x >= 0 && x <= 1;
}

static void check_good(const snt_pointcloud2_view *view, const snt_point_layout *layout)
{
    snt_cloud cloud;
    static snt_time times[MAX_POINTS];
    static uint32_t rings[MAX_POINTS];
    const snt_status status = snt_cloud_from_pointcloud2(view, layout, &cloud);
    if (status == SNT_ERR_OVERFLOW || status == SNT_ERR_UNSUPPORTED)
        return;
    require(status == SNT_OK);
    uint64_t invalid;
    const snt_status decoded = snt_cloud_times(&cloud, 0, cloud.count, 0, times, &invalid);
    require(decoded == SNT_OK && invalid <= cloud.count);
    if (cloud.ring.type != SNT_TYPE_NONE)
        require(snt_cloud_rings(&cloud, 0, cloud.count, rings, &invalid) == SNT_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 8)
        return 0;
    const uint32_t field_count = data[0] % MAX_FIELDS, step = data[1] % 64, scans = 1 + data[2] % 3;
    snt_layout_options options;
    snt_layout_options_init(&options, sizeof options);
    options.byte_order = data[3] % 3;
    options.period_ns = (snt_duration)data[4] * 1000000;
    options.max_points_per_scan = data[5];
    const snt_time stamp = data[6] % 2 ? INT64_C(1700000000000000000) : (snt_time)data[6] * 1000000;
    snt_point_field fields[MAX_FIELDS];
    const uint8_t *at = data + 8;
    if (size < 8 + 6 * (size_t)field_count)
        return 0;
    for (uint32_t i = 0; i < field_count; i++, at += 6) {
        const char *name = names[at[0] % (sizeof names / sizeof names[0])];
        fields[i] = (snt_point_field){{name, strlen(name)}, at[1], at[2] % 13, at[3] % 3, 0};
        if (at[4] == 255)
            fields[i].offset = UINT32_MAX - at[5];
    }
    const size_t rest = size - (size_t)(at - data);
    uint64_t points = step ? rest / step / scans : 0;
    points = points > MAX_POINTS ? MAX_POINTS : points;
    snt_pointcloud2_view views[3];
    const uint32_t rows = points && data[7] % 4 == 1 ? 2 : 1;
    const uint32_t width = (uint32_t)points / rows, row = width * step + (rows > 1 ? data[7] / 4 % 5 : 0);
    for (uint32_t s = 0; s < scans; s++) {
        const uint64_t bytes = points * step;
        if (snt_pointcloud2_view_init(fields, field_count, at + s * bytes, bytes, width, rows, step, row,
                                      stamp + (snt_time)s * 100000000, data[7] % 2, &views[s], NULL))
            return 0;
    }
    snt_point_layout layout;
    snt_layout_report report;
    const snt_status status =
        snt_point_layout_detect(fields, field_count, views, scans, &options, &layout, &report);
    if (status == SNT_ERR_INVALID_ARG)
        return 0;
    require(status == SNT_OK || status == SNT_ERR_NO_TIME || status == SNT_ERR_AMBIGUOUS ||
            status == SNT_ERR_PRECISION);
    require(report.status == status && (status == SNT_OK) == (layout.time.type != SNT_TYPE_NONE));
    require(is_share(report.unit_confidence) && is_share(report.role_confidence) &&
            is_share(report.reference_confidence) && is_share(report.ring_confidence));
    require(report.candidate_count <= SNT_LAYOUT_CANDIDATES && report.invalid <= report.points);
    char text[4096];
    require(snt_point_layout_format(&layout, &report, text, sizeof text) == SNT_OK);
    for (uint32_t s = 0; s < scans && status == SNT_OK; s++)
        check_good(&views[s], &layout);
    return 0;
}
