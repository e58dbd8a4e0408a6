/* SPDX-License-Identifier: BSD-3-Clause */
#include "imu_ring.h"

static int64_t *imu_slot(const snt__imu_ring *ring, uint64_t i)
{
    const uint64_t at = ring->first + i;
    return &ring->stamps[at < ring->capacity ? at : at - ring->capacity];
}

int64_t snt__imu_at(const snt__imu_ring *ring, uint64_t i)
{
    return *imu_slot(ring, i);
}

uint64_t snt__imu_lower(const snt__imu_ring *ring, int64_t t)
{
    uint64_t low = 0, high = ring->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (snt__imu_at(ring, middle) < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

snt_status snt__imu_insert(snt__imu_ring *ring, int64_t t)
{
    const bool newest = !ring->count || t > snt__imu_at(ring, ring->count - 1);
    const uint64_t place = newest ? ring->count : snt__imu_lower(ring, t);
    if (place < ring->count && snt__imu_at(ring, place) == t)
        return SNT_ERR_DUPLICATE;
    if (ring->count == ring->capacity) {
        if (place == 0)
            return SNT_ERR_PAST;
        ring->first = ring->first + 1 == ring->capacity ? 0 : ring->first + 1; /* the oldest goes */
        ring->count--;
        for (uint64_t i = ring->count; i > place - 1; i--)
            *imu_slot(ring, i) = *imu_slot(ring, i - 1);
        *imu_slot(ring, place - 1) = t;
    } else {
        for (uint64_t i = ring->count; i > place; i--)
            *imu_slot(ring, i) = *imu_slot(ring, i - 1);
        *imu_slot(ring, place) = t;
    }
    ring->count++;
    return SNT_OK;
}

void snt__imu_cover_scan(const snt__imu_ring *ring, int64_t start, int64_t end, snt__imu_cover *out)
{
    *out = (snt__imu_cover){SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, 0};
    if (!ring->count)
        return;
    out->start_margin = snt_time_sub_sat(start, snt__imu_at(ring, 0));
    out->end_margin = snt_time_sub_sat(snt__imu_at(ring, ring->count - 1), end);
    uint64_t from = snt__imu_lower(ring, start);
    const uint64_t at_end = snt__imu_lower(ring, end);
    /* stamps within [start, end] are from … last - 1 */
    const uint64_t last = at_end < ring->count && snt__imu_at(ring, at_end) == end ? at_end + 1 : at_end;
    out->inside = last - from;
    if (at_end < ring->count)
        out->end_nearest = snt_time_sub_sat(snt__imu_at(ring, at_end), end);
    if (from < ring->count && snt__imu_at(ring, from) == start)
        out->start_nearest = 0;
    else if (from > 0)
        out->start_nearest = snt_time_sub_sat(start, snt__imu_at(ring, --from));
    /* holes between neighbours, from the bracket before the start to the bracket after the end */
    for (uint64_t i = from; i + 1 < ring->count && i < at_end; i++) {
        const int64_t hole = snt_time_sub_sat(snt__imu_at(ring, i + 1), snt__imu_at(ring, i));
        if (out->hole == SNT_UNKNOWN || hole > out->hole) {
            out->hole = hole;
            out->hole_at = snt__imu_at(ring, i);
        }
    }
}
