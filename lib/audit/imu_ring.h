/* SPDX-License-Identifier: BSD-3-Clause */
/* The latest IMU stamps in ascending order, and how they cover a scan. */
#ifndef SNT_LIB_AUDIT_IMU_RING_H
#define SNT_LIB_AUDIT_IMU_RING_H

#include "../base/internal.h"

#include "sensortime/timescale.h"

typedef struct snt__imu_ring {
    int64_t *stamps; /* capacity of them */
    uint64_t capacity;
    uint64_t first, count; /* stamps[(first + i) % capacity], i < count */
} snt__imu_ring;

typedef struct snt__imu_cover {
    int64_t start_margin, end_margin;   /* against what the ring holds; SNT_UNKNOWN where it is empty */
    int64_t start_nearest, end_nearest; /* SNT_UNKNOWN = none on that side */
    int64_t hole, hole_at;
    uint64_t inside;
} snt__imu_cover;

int64_t snt__imu_at(const snt__imu_ring *ring, uint64_t i);
/* Position of the first stamp >= t. O(log). */
uint64_t snt__imu_lower(const snt__imu_ring *ring, int64_t t);
/* Keeps a stamp, in its place. SNT_ERR_DUPLICATE, or SNT_ERR_PAST where it is older than all of a full ring. */
snt_status snt__imu_insert(snt__imu_ring *ring, int64_t t);
void snt__imu_cover_scan(const snt__imu_ring *ring, int64_t start, int64_t end, snt__imu_cover *out);

#endif
