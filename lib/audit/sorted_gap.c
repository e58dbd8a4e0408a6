/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Largest gap between times in ascending order without sorting them: each falls into one of 8192 buckets, which keep their
 * least and greatest. A gap within a bucket is shorter than the bucket, so if the largest gap between buckets is at least
 * that, it is the answer. Spinning sensors always take this path. Only evenly filled spans need a sort, by radix.
 */
#include "point_pass.h"

void snt__gap_begin(snt__gap_room *room, int64_t min, int64_t max, uint32_t *shift)
{
    const uint64_t span = (uint64_t)max - (uint64_t)min;
    *shift = 0;
    while (span >> *shift >= SNT__GAP_BUCKETS)
        ++*shift;
    room->used = (uint32_t)(span >> *shift) + 1;
    for (uint32_t i = 0; i < room->used; i++)
        room->buckets[i] = (snt__gap_bucket){UINT64_MAX, 0, 0};
}

void snt__gap_add(snt__gap_room *room, int64_t min, uint32_t shift, const int64_t *times, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t off = (uint64_t)times[i] - (uint64_t)min;
        snt__gap_bucket *const b = &room->buckets[off >> shift];
        if (off < b->lo)
            b->lo = off;
        if (off > b->hi)
            b->hi = off;
        b->count++;
    }
}

bool snt__gap_end(const snt__gap_room *room, int64_t min, uint32_t shift, uint64_t count,
                  snt__gap_result *out)
{
    const uint64_t low = count / 1000, middle = count / 2, high = count - 1 - count / 1000;
    uint64_t before = 0, last = 0, gap = 0, at = 0;
    for (uint32_t i = 0; i < room->used; i++) {
        const snt__gap_bucket *b = &room->buckets[i];
        if (!b->count)
            continue;
        if (before && b->lo - last > gap) {
            gap = b->lo - last;
            at = last;
        }
        last = b->hi;
        if (low >= before && low < before + b->count)
            out->low = min + (int64_t)b->lo;
        if (middle >= before && middle < before + b->count)
            out->median = min + (int64_t)b->lo;
        if (high >= before && high < before + b->count)
            out->high = min + (int64_t)b->hi;
        before += b->count;
    }
    out->gap = (int64_t)gap;
    out->at = min + (int64_t)at;
    return gap + 1 >= UINT64_C(1) << shift; /* within a bucket no more than its width less one */
}

enum { GAP_DIGIT = 11 };

void snt__gap_sort(snt__gap_room *room, int64_t min, int64_t max, uint64_t count, snt__gap_result *out)
{
    const uint64_t span = (uint64_t)max - (uint64_t)min;
    int64_t *from = room->times, *to = room->other;
    for (uint32_t shift = 0; shift < 64 && span >> shift; shift += GAP_DIGIT) {
        uint64_t start[1 << GAP_DIGIT] = {0};
        for (uint64_t i = 0; i < count; i++)
            start[((uint64_t)from[i] - (uint64_t)min) >> shift & ((1 << GAP_DIGIT) - 1)]++;
        uint64_t sum = 0;
        for (uint32_t d = 0; d < 1 << GAP_DIGIT; d++) {
            const uint64_t n = start[d];
            start[d] = sum;
            sum += n;
        }
        for (uint64_t i = 0; i < count; i++)
            to[start[((uint64_t)from[i] - (uint64_t)min) >> shift & ((1 << GAP_DIGIT) - 1)]++] = from[i];
        int64_t *const swap = from;
        from = to;
        to = swap;
    }
    out->gap = 0;
    out->at = min;
    for (uint64_t i = 1; i < count; i++)
        if (from[i] - from[i - 1] > out->gap) {
            out->gap = from[i] - from[i - 1];
            out->at = from[i - 1];
        }
    room->times = from; /* the two change roles; both have the same room */
    room->other = to;
}
