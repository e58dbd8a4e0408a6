/* SPDX-License-Identifier: BSD-3-Clause */
/* Coordinates of points in any layout: hand fast ones to the kernels as they lie, gather the rest. */
#include "apply.h"

static bool coordinates_swapped(const snt_field *field)
{
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return ((field->flags & SNT_FIELD_BIG_ENDIAN) != 0) == (low == 1);
}

static bool coordinates_are_float(const snt_cloud *cloud)
{
    const snt_field *fields[3] = {&cloud->x, &cloud->y, &cloud->z};
    for (int k = 0; k < 3; k++) {
        const snt_field *f = fields[k];
        if ((f->type != SNT_TYPE_F32 && f->type != SNT_TYPE_F64) || (f->flags & SNT_FIELD_INDEX))
            return false;
        if (cloud->count > 1 && f->stride == 0)
            return false;
    }
    return true;
}

/* y and z follow x directly; compared as numbers, because an empty cloud may point nowhere. */
static bool coordinates_are_adjacent(const snt__deskew_axis *axis, uintptr_t size)
{
    for (uintptr_t k = 1; k < 3; k++)
        if ((uintptr_t)axis[k].in != (uintptr_t)axis[0].in + k * size ||
            (uintptr_t)axis[k].out != (uintptr_t)axis[0].out + k * size ||
            axis[k].in_stride != axis[0].in_stride || axis[k].out_stride != axis[0].out_stride)
            return false;
    return true;
}

/* Three floats side by side, 12 or more bytes from point to point. */
static bool coordinates_are_records(const snt__deskew_axis *axis)
{
    return coordinates_are_adjacent(axis, 4) && axis[0].in_stride >= 12 && axis[0].out_stride >= 12;
}

/* An array of Vector3d: three doubles per point, packed, in both clouds. */
static bool coordinates_are_vectors(const snt__deskew_axis *axis)
{
    for (int k = 0; k < 3; k++)
        if (!axis[k].in_double || !axis[k].out_double || axis[k].in_swapped || axis[k].out_swapped)
            return false;
    return coordinates_are_adjacent(axis, 8) && axis[0].in_stride == 24 && axis[0].out_stride == 24;
}

static bool coordinates_are_packed(const snt__deskew_axis *axis)
{
    return axis->in_stride == 4 && axis->out_stride == 4 && (uintptr_t)axis->in % 4 == 0 &&
           (uintptr_t)axis->out % 4 == 0;
}

/* Two passes touch the records of a block: they leave room for the rest in the first-level cache. */
static uint32_t coordinates_block(ptrdiff_t step)
{
    const ptrdiff_t n = SNT__DESKEW_BLOCK_BYTES / step / 64 * 64;
    return n < 64 ? 64 : n > SNT__DESKEW_BLOCK ? SNT__DESKEW_BLOCK : (uint32_t)n;
}

snt_status snt__deskew_coordinates_prepare(snt__deskew_job *job, const snt_cloud *out)
{
    const snt_cloud *in = job->in;
    if (in->count != out->count || !coordinates_are_float(in) || !coordinates_are_float(out))
        return SNT_ERR_LAYOUT;
    const snt_field *from[3] = {&in->x, &in->y, &in->z}, *to[3] = {&out->x, &out->y, &out->z};
    bool native = true, packed = true, in_place = true;
    for (int k = 0; k < 3; k++) {
        snt__deskew_axis *axis = &job->axis[k];
        *axis = (snt__deskew_axis){.in = from[k]->data,
                                   .out = to[k]->data,
                                   .in_stride = (ptrdiff_t)from[k]->stride,
                                   .out_stride = (ptrdiff_t)to[k]->stride,
                                   .in_double = from[k]->type == SNT_TYPE_F64,
                                   .out_double = to[k]->type == SNT_TYPE_F64,
                                   .in_swapped = coordinates_swapped(from[k]),
                                   .out_swapped = coordinates_swapped(to[k])};
        native = native && !axis->in_double && !axis->out_double && !axis->in_swapped && !axis->out_swapped;
        packed = packed && coordinates_are_packed(axis);
        in_place = in_place && axis->in == axis->out && axis->in_stride == axis->out_stride;
    }
    job->shape = SNT__DESKEW_SHAPE_ANY;
    if (native && packed)
        job->shape = SNT__DESKEW_SHAPE_SOA;
    else if (native && coordinates_are_records(job->axis))
        job->shape = SNT__DESKEW_SHAPE_AOS;
    else if (coordinates_are_vectors(job->axis))
        job->shape = SNT__DESKEW_SHAPE_VECTORS;
    job->block =
        job->shape == SNT__DESKEW_SHAPE_AOS ? coordinates_block(job->axis[0].in_stride) : SNT__DESKEW_BLOCK;
    /* The four bytes behind z are this record's or the next one's, and unchanged: only in place. */
    job->aos_flags = in_place && job->axis[0].in_stride >= 16 ? SNT__DESKEW_IN_PLACE : 0;
    return SNT_OK;
}

/* ---- single elements ---- */

static uint64_t coordinates_swap(uint64_t bits, bool wide)
{
    uint64_t swapped = 0;
    for (int i = 0; i < (wide ? 8 : 4); i++, bits >>= 8)
        swapped = swapped << 8 | (bits & 0xff);
    return swapped;
}

static double coordinates_decode(const unsigned char *at, bool wide, bool swapped)
{
    uint64_t bits = 0;
    if (wide) {
        double value;
        memcpy(&bits, at, 8);
        bits = swapped ? coordinates_swap(bits, true) : bits;
        memcpy(&value, &bits, 8);
        return value;
    }
    uint32_t low;
    float value;
    memcpy(&low, at, 4);
    low = swapped ? (uint32_t)coordinates_swap(low, false) : low;
    memcpy(&value, &low, 4);
    return (double)value;
}

static void coordinates_encode(unsigned char *at, double value, bool wide, bool swapped)
{
    if (wide) {
        uint64_t bits;
        memcpy(&bits, &value, 8);
        bits = swapped ? coordinates_swap(bits, true) : bits;
        memcpy(at, &bits, 8);
        return;
    }
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, 4);
    bits = swapped ? (uint32_t)coordinates_swap(bits, false) : bits;
    memcpy(at, &bits, 4);
}

static const unsigned char *coordinates_in(const snt__deskew_axis *axis, uint64_t i)
{
    return axis->in + (ptrdiff_t)i * axis->in_stride;
}

static unsigned char *coordinates_out(const snt__deskew_axis *axis, uint64_t i)
{
    return axis->out + (ptrdiff_t)i * axis->out_stride;
}

double snt__deskew_coordinate(const snt__deskew_axis *axis, uint64_t i)
{
    return coordinates_decode(coordinates_in(axis, i), axis->in_double, axis->in_swapped);
}

void snt__deskew_coordinates_load(const snt__deskew_axis *axis, uint64_t i, unsigned char value[8])
{
    memcpy(value, coordinates_in(axis, i), axis->in_double ? 8 : 4);
}

/* Bit for bit where the types agree. */
void snt__deskew_coordinates_restore(const snt__deskew_axis *axis, uint64_t i, const unsigned char value[8])
{
    unsigned char *out = coordinates_out(axis, i);
    if (axis->in_double == axis->out_double && axis->in_swapped == axis->out_swapped)
        memcpy(out, value, axis->in_double ? 8 : 4);
    else
        coordinates_encode(out, coordinates_decode(value, axis->in_double, axis->in_swapped),
                           axis->out_double, axis->out_swapped);
}

void snt__deskew_coordinates_drop(const snt__deskew_axis *axis, uint64_t i)
{
    coordinates_encode(coordinates_out(axis, i), (double)NAN, axis->out_double, axis->out_swapped);
}

/* ---- blocks ---- */

static void coordinates_gather(const snt__deskew_axis *axis, uint64_t first, size_t n, float *to)
{
    const unsigned char *at = coordinates_in(axis, first);
    const ptrdiff_t stride = axis->in_stride;
    if (axis->in_swapped) {
        for (size_t i = 0; i < n; i++, at += stride)
            to[i] = (float)coordinates_decode(at, axis->in_double, true);
    } else if (axis->in_double) {
        for (size_t i = 0; i < n; i++, at += stride) {
            double value;
            memcpy(&value, at, sizeof value);
            to[i] = (float)value;
        }
    } else {
        for (size_t i = 0; i < n; i++, at += stride)
            memcpy(&to[i], at, sizeof *to);
    }
}

/* out = in + displacement, in double: the coordinate's own precision is kept. */
static void coordinates_add(const snt__deskew_axis *axis, uint64_t first, size_t n, const float *delta)
{
    const unsigned char *at = coordinates_in(axis, first);
    unsigned char *out = coordinates_out(axis, first);
    if (axis->in_double && axis->out_double && !axis->in_swapped && !axis->out_swapped) {
        for (size_t i = 0; i < n; i++, at += axis->in_stride, out += axis->out_stride) {
            double value;
            memcpy(&value, at, sizeof value);
            value += (double)delta[i];
            memcpy(out, &value, sizeof value);
        }
        return;
    }
    for (size_t i = 0; i < n; i++, at += axis->in_stride, out += axis->out_stride)
        coordinates_encode(out, coordinates_decode(at, axis->in_double, axis->in_swapped) + (double)delta[i],
                           axis->out_double, axis->out_swapped);
}

static void coordinates_put(const snt__deskew_axis *axis, uint64_t first, size_t n, const float *values)
{
    unsigned char *out = coordinates_out(axis, first);
    for (size_t i = 0; i < n; i++, out += axis->out_stride) {
        if (axis->out_swapped)
            coordinates_encode(out, (double)values[i], axis->out_double, true);
        else
            memcpy(out, &values[i], sizeof *values);
    }
}

static bool coordinates_all(const uint64_t moved[SNT__DESKEW_WORDS], size_t n)
{
    for (size_t i = 0; i < n; i += 64) {
        const size_t left = n - i < 64 ? n - i : 64;
        if (moved[i / 64] != UINT64_MAX >> (64 - left))
            return false;
    }
    return true;
}

static void coordinates_move_any(const snt__deskew_job *job, uint64_t first, size_t n, const int32_t *t,
                                 uint64_t moved[SNT__DESKEW_WORDS])
{
    float x[3][SNT__DESKEW_BLOCK];
    const float *const in[3] = {x[0], x[1], x[2]};
    float *const out[3] = {x[0], x[1], x[2]};
    const snt_deskew *plan = job->plan;
    bool wide = false, swapped = false;
    for (int k = 0; k < 3; k++) {
        const snt__deskew_axis *axis = &job->axis[k];
        wide = wide || axis->in_double || axis->out_double;
        swapped = swapped || axis->in_swapped || axis->out_swapped;
        coordinates_gather(axis, first, n, x[k]);
    }
    plan->kernel.soa(&plan->table, t, in, out, n, wide ? SNT__DESKEW_DELTA : 0, moved);
    const bool all = coordinates_all(moved, n);
    for (int k = 0; k < 3; k++) {
        const snt__deskew_axis *axis = &job->axis[k];
        if (all || (!wide && !swapped)) { /* a float that stays has kept its bits on the way */
            if (wide)
                coordinates_add(axis, first, n, x[k]);
            else
                coordinates_put(axis, first, n, x[k]);
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            unsigned char value[8];
            if (!(moved[i / 64] >> (i % 64) & 1)) {
                snt__deskew_coordinates_load(axis, first + i, value);
                snt__deskew_coordinates_restore(axis, first + i, value);
            } else if (wide) {
                coordinates_add(axis, first + i, 1, &x[k][i]);
            } else {
                coordinates_put(axis, first + i, 1, &x[k][i]);
            }
        }
    }
}

/* Vectors of doubles: displacements of their float copies, added in double. False where a point must stay as it is. */
static bool coordinates_move_vectors(const snt__deskew_job *job, uint64_t first, size_t n, const int32_t *t,
                                     uint64_t moved[SNT__DESKEW_WORDS])
{
    float p[3 * SNT__DESKEW_BLOCK + 1],
        d[3 * SNT__DESKEW_BLOCK + 1]; /* the kernel reads four bytes behind z */
    const snt_deskew *plan = job->plan;
    const unsigned char *in = coordinates_in(&job->axis[0], first);
    plan->kernel.narrow(in, p, 3 * n);
    p[3 * n] = 0;
    plan->kernel.aos(&plan->table, t, (const unsigned char *)p, 12, (unsigned char *)d, 12, n,
                     SNT__DESKEW_DELTA, moved);
    if (!coordinates_all(moved, n))
        return false;
    plan->kernel.add(in, d, coordinates_out(&job->axis[0], first), 3 * n);
    return true;
}

void snt__deskew_coordinates_move(const snt__deskew_job *job, uint64_t first, size_t n, bool last,
                                  const int32_t *t, uint64_t moved[SNT__DESKEW_WORDS])
{
    const snt_deskew *plan = job->plan;
    if (job->shape == SNT__DESKEW_SHAPE_SOA) {
        const float *in[3];
        float *out[3];
        for (int k = 0; k < 3; k++) {
            in[k] = (const float *)(const void *)job->axis[k].in + first;
            out[k] = (float *)(void *)job->axis[k].out + first;
        }
        plan->kernel.soa(&plan->table, t, in, out, n, 0, moved);
        return;
    }
    if (job->shape == SNT__DESKEW_SHAPE_VECTORS && coordinates_move_vectors(job, first, n, t, moved))
        return;
    if (job->shape != SNT__DESKEW_SHAPE_AOS) {
        coordinates_move_any(job, first, n, t, moved);
        return;
    }
    /* The record kernel reads and may write 4 bytes behind z: not at the end of the cloud or range. */
    const size_t body = last ? n - 1 : n;
    for (size_t w = 0; w < SNT__DESKEW_WORDS; w++)
        moved[w] = 0;
    plan->kernel.aos(&plan->table, t, coordinates_in(&job->axis[0], first), job->axis[0].in_stride,
                     coordinates_out(&job->axis[0], first), job->axis[0].out_stride, body, job->aos_flags,
                     moved);
    if (last) {
        uint64_t one[SNT__DESKEW_WORDS];
        coordinates_move_any(job, first + body, 1, t + body, one);
        moved[body / 64] |= (one[0] & 1) << (body % 64);
    }
}
