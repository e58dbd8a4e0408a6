/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading points: times, rings and coordinates, each byte once, in chunks that stay in the first cache. */
#include "point_state.h"

#include "../cloud/element.h"

#include <math.h>

static bool pass_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return low == 1;
}

/* Steps between usable times that are all far from the ends of int64; count >= 1. */
static void pass_steps(snt__pass_state *p, const int64_t *times, uint64_t count)
{
    const uint64_t limit = (uint64_t)p->wish->large_gap_ns;
    if (p->out->timed) {
        const int64_t seam[2] = {p->previous, times[0]};
        snt__point_steps_add(seam, 2, limit, &p->steps);
    }
    snt__point_steps_add(times, count, limit, &p->steps);
    p->previous = times[count - 1];
    p->out->timed += count;
}

static snt__ring_state *pass_ring_enter(snt__pass_state *p, uint32_t ring, int64_t t)
{
    snt__ring_state *const state = &p->room->rings[ring];
    if (state->scan != p->room->pass) {
        state->scan = p->room->pass;
        state->points = 0;
        state->jumps = 0;
        state->last = t;
    }
    return state;
}

/* Rings of count points with usable times. A run of one ring stays in registers. */
static void pass_rings_of(snt__pass_state *p, const uint32_t *rings, const int64_t *times, uint64_t count)
{
    uint32_t last_ring = p->last_ring;
    uint64_t runs = 0;
    for (uint64_t i = 0; i < count;) {
        const uint32_t ring = rings[i];
        runs += ring != last_ring;
        last_ring = ring;
        uint64_t end = i + 1;
        if (ring >= p->room->max_rings) {
            p->untracked++;
            i = end;
            continue;
        }
        snt__ring_state *const state = pass_ring_enter(p, ring, times[i]);
        int64_t last = times[i];
        uint32_t jumps = last < state->last;
        for (; end < count && rings[end] == ring; end++) {
            jumps += times[end] < last;
            last = times[end];
        }
        state->last = last;
        state->points += (uint32_t)(end - i);
        state->jumps += jumps;
        i = end;
    }
    p->last_ring = last_ring;
    p->ring_runs += runs;
}

/* Ring numbers of a chunk. Common types have a loop of their own; the others go through the decoder. */
static void pass_decode_rings(const snt_cloud *cloud, uint64_t first, uint64_t count, uint32_t *rings)
{
    const snt_field *f = &cloud->ring;
    const unsigned char *at = (const unsigned char *)f->data + (int64_t)first * f->stride;
    const bool plain = !f->flags && pass_little_endian();
    if (plain && f->type == SNT_TYPE_U16) {
        for (uint64_t i = 0; i < count; i++, at += f->stride) {
            uint16_t value;
            memcpy(&value, at, sizeof value);
            rings[i] = value;
        }
    } else if (f->type == SNT_TYPE_U8 && !(f->flags & SNT_FIELD_INDEX)) {
        for (uint64_t i = 0; i < count; i++, at += f->stride)
            rings[i] = *at;
    } else if (snt_cloud_rings(cloud, first, count, rings, NULL) < 0) {
        for (uint64_t i = 0; i < count; i++)
            rings[i] = UINT32_MAX;
    }
}

/* Nanoseconds in a u32 reach 4.29 s; a scan does not, so what lies in the upper half is a negative number that wrapped. */
static void pass_unwrap(snt__pass_state *p, int64_t *times, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (times[i] != SNT_UNKNOWN && times[i] - p->base >= INT64_C(1) << 31) {
            times[i] -= INT64_C(1) << 32;
            p->out->wrapped_times++;
        }
}

static bool pass_is_nan(const snt__pass_state *p, uint64_t i)
{
    const snt_field *f = &p->cloud->time;
    if ((f->type != SNT_TYPE_F32 && f->type != SNT_TYPE_F64) || (f->flags & SNT_FIELD_INDEX))
        return false;
    return isnan(snt__element_f64((const unsigned char *)f->data + (int64_t)i * f->stride, f->type,
                                  f->flags & SNT_FIELD_BIG_ENDIAN));
}

/* Leaves out a chunk's unusable times, and their rings, and counts them. */
static uint64_t pass_sift(snt__pass_state *p, uint64_t first, int64_t *times, uint32_t *rings, uint64_t count)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (snt__pass_usable(times[i])) {
            rings[n] = rings[i];
            times[n++] = times[i];
        } else if (pass_is_nan(p, first + i)) {
            p->out->nan_times++;
        } else {
            p->out->invalid_times++;
        }
    }
    return n;
}

static void pass_take(snt__pass_state *p, uint64_t first, int64_t *times, uint32_t *rings, uint64_t count)
{
    int64_t min, max;
    snt__point_extremes(times, count, &min, &max);
    if (SNT_UNLIKELY(p->unsigned_ns && max - p->base >= INT64_C(1) << 31)) {
        pass_unwrap(p, times, count);
        snt__point_extremes(times, count, &min, &max);
    }
    if (SNT_UNLIKELY(!snt__pass_usable(min) || !snt__pass_usable(max))) {
        count = pass_sift(p, first, times, rings, count);
        if (!count)
            return;
        snt__point_extremes(times, count, &min, &max);
    }
    if (min < p->steps.min)
        p->steps.min = min;
    if (max > p->steps.max)
        p->steps.max = max;
    if (p->has_ring)
        pass_rings_of(p, rings, times, count);
    pass_steps(p, times, count);
    p->kept += count;
}

/* Decodes a chunk of times to where it is kept, or to the chunk's own room. */
static int64_t *pass_decode(snt__pass_state *p, uint64_t first, uint64_t count)
{
    int64_t *times = p->keep ? p->room->gap.times + p->kept : p->room->chunk;
    snt_cloud view = *p->cloud;
    if (view.time_ref == SNT_TIME_REF_PACKET)
        view.time_ref = SNT_TIME_REF_RELATIVE;
    uint64_t invalid;
    if (snt_cloud_times(&view, first, count, 0, times, &invalid) < 0)
        for (uint64_t i = 0; i < count; i++)
            times[i] = SNT_UNKNOWN;
    return times;
}

/* Coordinates that are no return: one loop for x, y, z side by side in floats, as nearly every cloud has them. */
static void pass_float_triples(snt__pass_state *p, const unsigned char *at, int64_t stride, uint64_t count)
{
    uint64_t nonfinite = 0, zero = 0;
    for (uint64_t i = 0; i < count; i++, at += stride) {
        uint64_t xy;
        uint32_t z;
        memcpy(&xy, at, sizeof xy);
        memcpy(&z, at + sizeof xy, sizeof z);
        xy &= UINT64_C(0x7fffffff7fffffff);
        z &= UINT32_C(0x7fffffff);
        /* an exponent of all ones runs over into the sign bit */
        nonfinite += (((xy + UINT64_C(0x0080000000800000)) & UINT64_C(0x8000000080000000)) |
                      ((z + UINT32_C(0x00800000)) & UINT32_C(0x80000000))) != 0;
        zero += (xy | z) == 0;
    }
    p->out->nonfinite_points += nonfinite;
    p->out->zero_points += zero;
}

static void pass_coordinates(snt__pass_state *p, uint64_t first, uint64_t count)
{
    const snt_cloud *c = p->cloud;
    const snt_field *fields[3] = {&c->x, &c->y, &c->z};
    const unsigned char *at[3];
    bool triples = pass_little_endian();
    for (int k = 0; k < 3; k++) {
        if (fields[k]->type == SNT_TYPE_NONE)
            return;
        at[k] = (const unsigned char *)fields[k]->data + (int64_t)first * fields[k]->stride;
        triples = triples && fields[k]->type == SNT_TYPE_F32 && !fields[k]->flags &&
                  fields[k]->stride == c->x.stride && at[k] == at[0] + 4 * k;
    }
    if (triples) {
        pass_float_triples(p, at[0], c->x.stride, count);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        double v[3];
        for (int k = 0; k < 3; k++) {
            v[k] = snt__element_f64(at[k], fields[k]->type, fields[k]->flags & SNT_FIELD_BIG_ENDIAN);
            at[k] += fields[k]->stride;
        }
        p->out->nonfinite_points += !(isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]));
        p->out->zero_points += v[0] == 0 && v[1] == 0 && v[2] == 0;
    }
}

/* Ask for the next points while these are worked on: records this long outrun the hardware's own look-ahead. */
static void pass_prefetch(const snt_cloud *c, uint64_t first, uint64_t count)
{
#if SNT_GNU
    const snt_field *f =
        c->time.type != SNT_TYPE_NONE && !(c->time.flags & SNT_FIELD_INDEX) ? &c->time : &c->x;
    if (f->type == SNT_TYPE_NONE || f->stride < 16 || f->stride > 256)
        return;
    const unsigned char *at = (const unsigned char *)f->data + (int64_t)first * f->stride;
    const unsigned char *const end = at + (int64_t)count * f->stride;
    for (; at < end; at += 64)
        __builtin_prefetch(at, 0, 3);
#else
    (void)c, (void)first, (void)count;
#endif
}

void snt__pass_read(snt__pass_state *p)
{
    uint32_t rings[SNT__POINT_CHUNK] = {0};
    if (!p->has_time) /* rings are then judged by equal times */
        memset(p->room->chunk, 0, sizeof p->room->chunk);
    for (uint64_t first = 0; first < p->cloud->count; first += SNT__POINT_CHUNK) {
        const uint64_t left = p->cloud->count - first;
        const uint64_t count = left < SNT__POINT_CHUNK ? left : SNT__POINT_CHUNK;
        pass_prefetch(p->cloud, first + count,
                      left - count < SNT__POINT_CHUNK ? left - count : SNT__POINT_CHUNK);
        if (p->has_ring)
            pass_decode_rings(p->cloud, first, count, rings);
        if (p->has_time)
            pass_take(p, first, pass_decode(p, first, count), rings, count);
        else if (p->has_ring)
            pass_rings_of(p, rings, p->room->chunk, count);
        pass_coordinates(p, first, count);
    }
}

void snt__pass_again(snt__pass_state *p, snt__pass_visit visit, void *context)
{
    if (p->keep) {
        visit(p, p->room->gap.times, p->kept, context);
        return;
    }
    const uint64_t wrapped = p->out->wrapped_times;
    for (uint64_t first = 0; first < p->cloud->count; first += SNT__POINT_CHUNK) {
        const uint64_t left = p->cloud->count - first;
        const uint64_t count = left < SNT__POINT_CHUNK ? left : SNT__POINT_CHUNK;
        int64_t *times = pass_decode(p, first, count);
        if (p->unsigned_ns)
            pass_unwrap(p, times, count);
        uint64_t n = 0;
        for (uint64_t i = 0; i < count; i++)
            if (snt__pass_usable(times[i]))
                times[n++] = times[i];
        visit(p, times, n, context);
    }
    p->out->wrapped_times = wrapped;
}
