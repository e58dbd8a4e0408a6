/* SPDX-License-Identifier: BSD-3-Clause */
/* Points' times as whole nanoseconds. */
#include "element.h"

#include "../base/wide.h"

#include <math.h>

/* a + b, or false where it leaves int64. */
static bool times_add(int64_t a, int64_t b, int64_t *sum)
{
    if ((b > 0 && a > INT64_MAX - b) || (b < 0 && a < INT64_MIN - b))
        return false;
    *sum = a + b;
    return true;
}

/* The ends of int64 are infinities, and the upper one is also "unknown". */
static bool times_is_finite(int64_t t)
{
    return t != SNT_TIME_INFINITE_PAST && t != SNT_UNKNOWN;
}

/* Nearest whole number of a float, or false where it leaves int64. */
static bool times_round(double x, int64_t *out)
{
    if (!(x > -0x1p63 && x < 0x1p63)) /* also NaN */
        return false;
    if (fabs(x) < 0x1p52)
        x += x < 0 ? -0.5 : 0.5;
    *out = (int64_t)x;
    return true;
}

/* round(value·num/den) without losing digits, den >= 1. */
static bool times_scale(int64_t value, int64_t num, int64_t den, int64_t *out)
{
    if (den == 1 && num == 1) {
        *out = value;
        return true;
    }
    if (den == 1 && value >= -INT32_MAX && value <= INT32_MAX && num >= -INT32_MAX && num <= INT32_MAX) {
        *out = value * num;
        return true;
    }
    return snt__muldiv_i64(value, num, den, SNT_ROUND_NEAREST, out, NULL) == SNT_OK;
}

/* Whole and fractional part are scaled apart: a double's seconds·10⁹ would lose up to 128 ns today. */
static bool times_scale_real(double value, int64_t num, int64_t den, int64_t *out)
{
    if (!(value > -0x1p63 && value < 0x1p63))
        return false;
    const double whole = trunc(value);
    int64_t a, b;
    return times_scale((int64_t)whole, num, den, &a) &&
           times_round((value - whole) * (double)num / (double)den, &b) && times_add(a, b, out);
}

static bool times_snap(int64_t t, int64_t quantum, int64_t *out)
{
    int64_t rest = t % quantum;
    if (rest < 0)
        rest += quantum;
    return times_add(t, rest > quantum - rest ? quantum - rest : -rest, out);
}

/* Value of the time field in ns after its reference. */
static bool times_read(const snt_cloud *cloud, uint64_t i, int64_t *out)
{
    const snt_field *field = &cloud->time;
    snt__element element = {.whole = (int64_t)i, .is_valid = true};
    if (!(field->flags & SNT_FIELD_INDEX))
        element = snt__element_read((const unsigned char *)field->data + (int64_t)i * field->stride,
                                    field->type, field->flags & SNT_FIELD_BIG_ENDIAN);
    if (!element.is_valid)
        return false;
    if (cloud->time_ref == SNT_TIME_REF_NORMALISED)
        return times_round(
            (element.is_real ? element.real : (double)element.whole) * (double)cloud->time_span_ns, out);
    return element.is_real ? times_scale_real(element.real, cloud->time_unit_num, cloud->time_unit_den, out)
                           : times_scale(element.whole, cloud->time_unit_num, cloud->time_unit_den, out);
}

static bool times_add_nsec(const snt_cloud *cloud, uint64_t i, int64_t *t)
{
    const snt_field *field = &cloud->time_nsec;
    const snt__element element =
        snt__element_read((const unsigned char *)field->data + (int64_t)i * field->stride, field->type,
                          field->flags & SNT_FIELD_BIG_ENDIAN);
    int64_t nsec = element.whole;
    if (!element.is_valid || (element.is_real && !times_round(element.real, &nsec)))
        return false;
    return times_add(*t, nsec, t);
}

static uint64_t times_decode_any(const snt_cloud *cloud, uint64_t first, uint64_t count, int64_t base,
                                 int64_t *times)
{
    uint64_t invalid = 0;
    for (uint64_t i = 0; i < count; i++) {
        int64_t t;
        bool ok = times_read(cloud, first + i, &t);
        if (ok && cloud->time_nsec.type != SNT_TYPE_NONE)
            ok = times_add_nsec(cloud, first + i, &t);
        if (ok && cloud->time_quantum_ns > 1)
            ok = times_snap(t, cloud->time_quantum_ns, &t);
        ok = ok && times_add(t, base, &t) && times_is_finite(t);
        times[i] = ok ? t : SNT_UNKNOWN;
        invalid += !ok;
    }
    return invalid;
}

/* The common types take a loop of their own. Base and unit are small enough here that nothing overflows. */
static uint64_t times_decode_u32_ns(const unsigned char *at, int64_t stride, uint64_t count, int64_t base,
                                    int64_t *times)
{
    for (uint64_t i = 0; i < count; i++, at += stride) {
        uint32_t value;
        memcpy(&value, at, sizeof value);
        times[i] = base + value;
    }
    return 0;
}

enum { TIMES_BLOCK = 256 };

/* 1.5·2⁵²: added to a value below 2⁵¹ it leaves the nearest whole number in the low bits, without a branch or a cast. */
#define TIMES_MAGIC      0x1.8p52
#define TIMES_MAGIC_BITS UINT64_C(0x4338000000000000)

static inline uint64_t times_nearest(double x)
{
    const double sum = x + TIMES_MAGIC;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits - TIMES_MAGIC_BITS;
}

/* The size of a double as a whole number that orders like it; NaN and infinities are the greatest. */
static inline uint64_t times_magnitude(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits << 1;
}

/* False if a value of the block needs more care: NaN, infinities, times of weeks and years in nanoseconds. */
static bool times_block_f32(const unsigned char *at, int64_t stride, uint64_t count, int64_t base,
                            double unit, int64_t *times)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i < count; i++) {
        float value;
        memcpy(&value, at + (int64_t)i * stride, sizeof value);
        const double x = (double)value * unit; /* 24 + 30 bits: its rounding is far below a nanosecond */
        const uint64_t magnitude = times_magnitude(x);
        most = magnitude > most ? magnitude : most;
        times[i] = (int64_t)((uint64_t)base + times_nearest(x));
    }
    return most < times_magnitude(0x1p51);
}

static bool times_block_f64_s(const unsigned char *at, int64_t stride, uint64_t count, int64_t base,
                              int64_t *times)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, at + (int64_t)i * stride, sizeof value);
        const uint64_t magnitude = times_magnitude(value);
        most = magnitude > most ? magnitude : most;
        const double whole = value + TIMES_MAGIC - TIMES_MAGIC, rest = (value - whole) * 1e9;
        times[i] =
            (int64_t)((uint64_t)base + times_nearest(value) * (uint64_t)SNT_NS_PER_S + times_nearest(rest));
    }
    return most < times_magnitude(2e9); /* with the base, within int64 */
}

static bool times_one_real(double value, int64_t unit, int64_t base, int64_t *out)
{
    int64_t t;
    const bool ok = times_scale_real(value, unit, 1, &t) && times_add(t, base, &t) && times_is_finite(t);
    *out = ok ? t : SNT_UNKNOWN;
    return ok;
}

static uint64_t times_decode_real(const snt_field *field, uint64_t first, uint64_t count, int64_t base,
                                  int64_t unit, int64_t *times)
{
    uint64_t invalid = 0;
    const unsigned char *at = (const unsigned char *)field->data + (int64_t)first * field->stride;
    for (uint64_t done = 0; done < count; done += TIMES_BLOCK) {
        const uint64_t left = count - done, n = left < TIMES_BLOCK ? left : TIMES_BLOCK;
        const unsigned char *block = at + (int64_t)done * field->stride;
        const bool fast = field->type == SNT_TYPE_F32
                              ? times_block_f32(block, field->stride, n, base, (double)unit, times + done)
                              : times_block_f64_s(block, field->stride, n, base, times + done);
        for (uint64_t i = 0; !fast && i < n; i++) {
            const double value = snt__element_f64(block + (int64_t)i * field->stride, field->type, false);
            invalid += !times_one_real(value, unit, base, &times[done + i]);
        }
    }
    return invalid;
}

/* True where the loops above apply: plain little-endian values, one field, no grid, a base far from the ends. */
static bool times_is_plain(const snt_cloud *cloud, int64_t base)
{
    return snt__host_is_little() && cloud->time_unit_den == 1 && cloud->time_quantum_ns <= 1 &&
           !cloud->time.flags && cloud->time_nsec.type == SNT_TYPE_NONE &&
           cloud->time_ref != SNT_TIME_REF_NORMALISED && base > INT64_MIN / 4 && base < INT64_MAX / 4;
}

static uint64_t times_decode(const snt_cloud *cloud, uint64_t first, uint64_t count, int64_t base,
                             int64_t *times)
{
    const snt_field *field = &cloud->time;
    if (!times_is_plain(cloud, base))
        return times_decode_any(cloud, first, count, base, times);
    const unsigned char *at = (const unsigned char *)field->data + (int64_t)first * field->stride;
    const int64_t unit = cloud->time_unit_num;
    if (field->type == SNT_TYPE_U32 && unit == 1)
        return times_decode_u32_ns(at, field->stride, count, base, times);
    if ((field->type == SNT_TYPE_F64 && unit == SNT_NS_PER_S) ||
        (field->type == SNT_TYPE_F32 && unit >= 1 && unit <= SNT_NS_PER_S))
        return times_decode_real(field, first, count, base, unit, times);
    return times_decode_any(cloud, first, count, base, times);
}

static snt_status times_check_range(const snt_cloud *cloud, uint64_t first, uint64_t count, const void *out)
{
    const snt_status status = snt_cloud_check(cloud);
    if (status)
        return status;
    if (first > cloud->count || count > cloud->count - first)
        return SNT_ERR_RANGE;
    return out || !count ? SNT_OK : SNT_ERR_INVALID_ARG;
}

snt_status snt_cloud_times(const snt_cloud *cloud, uint64_t first, uint64_t count, snt_time origin_ns,
                           snt_time *times, uint64_t *invalid)
{
    const snt_status status = times_check_range(cloud, first, count, times);
    if (status)
        return status;
    if (cloud->time.type == SNT_TYPE_NONE || cloud->time_ref == SNT_TIME_REF_NONE ||
        cloud->time_ref == SNT_TIME_REF_PACKET)
        return SNT_ERR_NO_TIME;
    int64_t base = cloud->time_ref == SNT_TIME_REF_ABSOLUTE ? 0 : cloud->time_base_ns;
    if (origin_ns == INT64_MIN || !times_add(base, -origin_ns, &base))
        return SNT_ERR_OVERFLOW;
    const uint64_t bad = count ? times_decode(cloud, first, count, base, times) : 0;
    if (invalid)
        *invalid = bad;
    return SNT_OK;
}

snt_status snt_cloud_rings(const snt_cloud *cloud, uint64_t first, uint64_t count, uint32_t *rings,
                           uint64_t *invalid)
{
    const snt_status status = times_check_range(cloud, first, count, rings);
    if (status)
        return status;
    const snt_field *field = &cloud->ring;
    if (field->type == SNT_TYPE_NONE)
        return SNT_ERR_NOT_FOUND;
    if (field->flags & SNT_FIELD_INDEX)
        return SNT_ERR_INVALID_ARG;
    uint64_t bad = 0;
    const unsigned char *at = (const unsigned char *)field->data + (int64_t)first * field->stride;
    for (uint64_t i = 0; i < count; i++) {
        const double value = snt__element_f64(at + (int64_t)i * field->stride, field->type,
                                              field->flags & SNT_FIELD_BIG_ENDIAN);
        const bool ok = value >= 0 && value < (double)UINT32_MAX && value == floor(value);
        rings[i] = ok ? (uint32_t)value : UINT32_MAX;
        bad += !ok;
    }
    if (invalid)
        *invalid = bad;
    return SNT_OK;
}

#undef TIMES_MAGIC
#undef TIMES_MAGIC_BITS
