/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of an IMU buffer, for the planner that integrates it. */
#ifndef SNT_LIB_POSE_IMU_BUFFER_H
#define SNT_LIB_POSE_IMU_BUFFER_H

#include "../base/lock.h"
#include "../base/memory.h"
#include "pose_math.h"
#include "sensortime/imu_buffer.h"

struct snt_imu_buffer {
    snt_allocator allocator;
    snt__lock lock;
    snt_imu_buffer_config config;
    double rate_bias[3], acceleration_bias[3];
    snt_imu_counters counters;
    uint32_t session;
    uint32_t capacity; /* of the ring: a power of two */
    uint32_t head;     /* place of the oldest sample */
    uint32_t count;
    snt_imu_sample *ring;
};

/* With the lock held: the i-th oldest sample. */
static inline const snt_imu_sample *snt__imu_buffer_at(const snt_imu_buffer *buffer, uint32_t i)
{
    return &buffer->ring[(buffer->head + i) & (buffer->capacity - 1)];
}

/* With the lock held: notice a bumped epoch. */
void snt__imu_buffer_follow_epoch(snt_imu_buffer *buffer);

/* With the lock held: how many samples are at or before t. */
uint32_t snt__imu_buffer_count_until(const snt_imu_buffer *buffer, snt_time t);

#endif
