/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/point_layouts.md: from the bytes of a PointCloud2 to the times of its points. */
#include "snippet.h"

#include <string.h>

enum { POINTS = 500, STEP = 20 };
static uint8_t message[16384];

static size_t put(size_t at, const void *from, size_t size)
{
    memcpy(message + at, from, size);
    return at + size;
}

static size_t number(size_t at, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    return put((at + 3) / 4 * 4, bytes, 4); /* the payload begins at 4, so alignment is the same */
}

static size_t string(size_t at, const char *text)
{
    return put(number(at, (uint32_t)strlen(text) + 1), text, strlen(text) + 1);
}

/* A PointCloud2 in CDR, as rclpy hands it out with raw=True: x, y, z as float, t as uint32 nanoseconds. */
static size_t serialize(void)
{
    static const char *const names[] = {"x", "y", "z", "t"};
    size_t at = put(0, "\0\1\0\0", 4);
    at = number(number(at, 1700000000), 0);
    at = string(at, "lidar");
    at = number(number(number(at, 1), POINTS), 4);
    for (uint32_t i = 0; i < 4; i++) {
        at = number(string(at, names[i]), 4 * i);
        message[at++] = i < 3 ? 7 : 6;
        at = number(at, 1);
    }
    message[at++] = 0; /* little-endian */
    at = number(number(number(at, STEP), POINTS * STEP), POINTS * STEP);
    for (uint32_t i = 0; i < POINTS; i++) {
        const float xyz[3] = {(float)cos(i * 0.0125), (float)sin(i * 0.0125), 0};
        put(at + (size_t)i * STEP, xyz, sizeof xyz);
        number(at + (size_t)i * STEP + 12, i * 200000);
    }
    at += (size_t)POINTS * STEP;
    message[at++] = 1;
    return at;
}

static int say(const snt_message_error *error)
{
    char text[256];
    snt_message_error_format(error, text, sizeof text);
    return fprintf(stderr, "%s\n", text);
}

int main(void)
{
    const size_t size = serialize();
    const void *bytes = message;
    static snt_time times_ns[POINTS];
    uint64_t invalid;
    /* [view] */
    snt_pointcloud2_view view;
    snt_message_error error;
    if (snt_pointcloud2_view_parse(SNT_ENCODING_CDR, bytes, size, &view, &error) < 0)
        return say(&error); /* field, byte offset, needed, available */
    snt_point_field fields[64];
    uint32_t count;
    need(snt_pointcloud2_fields(&view, fields, 64, &count));
    /* [view] */
    const snt_pointcloud2_view *views = &view;
    const uint32_t scans = 1;
    /* [layout] */
    snt_point_layout layout; /* once per topic, from the first dozen scans */
    snt_layout_report report;
    need(snt_point_layout_detect(fields, count, views, scans, NULL, &layout, &report));

    snt_cloud cloud; /* each scan */
    need(snt_cloud_from_pointcloud2(&view, &layout, &cloud));
    need(snt_cloud_times(&cloud, 0, cloud.count, 0, times_ns, &invalid));
    /* [layout] */
    char text[4096];
    need(snt_point_layout_format(&layout, &report, text, sizeof text));
    puts(text);
    expect(invalid == 0 && times_ns[POINTS - 1] - times_ns[0] == 99800000);
    return 0;
}
