/* SPDX-License-Identifier: BSD-3-Clause */
/* Small clouds for tests of the auditor. */
#ifndef SNT_TEST_SCAN_CLOUD_H
#define SNT_TEST_SCAN_CLOUD_H

#include <stdbool.h>
#include <stdlib.h>

#include "test.h"

#define MS SNT_NS_PER_MS
#define US SNT_NS_PER_US

/* A 48-byte point as Ouster's driver makes it. */
typedef struct test_point {
    float x, y, z, pad;
    float intensity;
    uint32_t t;
    uint16_t reflectivity, ring, ambient, pad2;
    uint32_t range;
    uint32_t rest[3];
} test_point;

_Static_assert(sizeof(test_point) == 48, "as published");

/* View of packed points whose times are nanoseconds after `base`. */
static inline snt_cloud cloud_of_points(const test_point *points, uint64_t count, int64_t base)
{
    snt_cloud c;
    snt_cloud_init(&c);
    assert_status(snt_cloud_set_points(&c, (void *)(uintptr_t)points, sizeof *points, SNT_TYPE_F32, count),
                  SNT_OK);
    const unsigned char *at = (const unsigned char *)points;
    assert_status(snt_cloud_set_times(&c, at + offsetof(test_point, t), sizeof *points, SNT_TYPE_U32,
                                      SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE, base, 0),
                  SNT_OK);
    assert_status(snt_cloud_set_rings(&c, at + offsetof(test_point, ring), sizeof *points, SNT_TYPE_U16),
                  SNT_OK);
    return c;
}

/* Times only: `count` packed values. */
static inline snt_cloud cloud_of_times(const void *times, uint64_t count, uint32_t type, uint32_t unit,
                                       uint32_t ref, int64_t base)
{
    snt_cloud c;
    snt_cloud_init(&c);
    c.count = count;
    assert_status(snt_cloud_set_times(&c, times, 0, type, unit, ref, base, 0), SNT_OK);
    return c;
}

/* `columns` × `rings` points over `span`, all of a column at one time; ring by ring as if destaggered, or column by column. */
static inline void fill_points(test_point *points, uint32_t rings, uint32_t columns, int64_t span,
                               bool ring_major)
{
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t r = 0; r < rings; r++) {
            test_point *p = &points[ring_major ? (uint64_t)r * columns + c : (uint64_t)c * rings + r];
            const double azimuth = 6.283185307179586 * c / columns;
            *p = (test_point){.x = (float)(10 * cos(azimuth)),
                              .y = (float)(10 * sin(azimuth)),
                              .z = (float)r,
                              .t = (uint32_t)(span * c / columns),
                              .ring = (uint16_t)r,
                              .range = 10000};
        }
}

#endif
