/* SPDX-License-Identifier: BSD-3-Clause */
#include "element.h"

#include <math.h>

_Static_assert(sizeof(void *) != 8 || sizeof(snt_field) == 24, "frozen");
_Static_assert(sizeof(void *) != 8 || sizeof(snt_text) == 16, "frozen");
_Static_assert(sizeof(void *) != 8 || sizeof(snt_point_field) == 32, "frozen");

uint32_t snt_type_size(uint32_t type)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8};
    return type < SNT_COUNT_OF(sizes) ? sizes[type] : 0;
}

int64_t snt__unit_ns(uint32_t unit)
{
    static const int64_t ns[] = {0, SNT_NS_PER_S, SNT_NS_PER_MS, SNT_NS_PER_US, 100, 1};
    return unit < SNT_COUNT_OF(ns) ? ns[unit] : 0;
}

snt__element snt__element_read(const unsigned char *at, uint32_t type, bool big_endian)
{
    const uint32_t size = snt_type_size(type);
    const uint64_t bits = snt__element_bits(at, size, big_endian);
    snt__element element = {.is_valid = true};
    switch (type) {
    case SNT_TYPE_I8:
        element.whole = (int64_t)(bits ^ 0x80) - 0x80;
        break;
    case SNT_TYPE_I16:
        element.whole = (int64_t)(bits ^ 0x8000) - 0x8000;
        break;
    case SNT_TYPE_I32:
        element.whole = (int64_t)(bits ^ 0x80000000u) - INT64_C(0x80000000);
        break;
    case SNT_TYPE_U8:
    case SNT_TYPE_U16:
    case SNT_TYPE_U32:
        element.whole = (int64_t)bits;
        break;
    case SNT_TYPE_I64:
        memcpy(&element.whole, &bits, sizeof bits);
        break;
    case SNT_TYPE_U64:
        element.is_valid = bits <= INT64_MAX;
        element.whole = element.is_valid ? (int64_t)bits : 0;
        break;
    case SNT_TYPE_F32: {
        const uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        element.real = (double)value;
        element.is_real = true;
        break;
    }
    case SNT_TYPE_F64:
        memcpy(&element.real, &bits, sizeof bits);
        element.is_real = true;
        break;
    default:
        element.is_valid = false;
    }
    return element;
}

double snt__element_f64(const unsigned char *at, uint32_t type, bool big_endian)
{
    const snt__element element = snt__element_read(at, type, big_endian);
    if (!element.is_valid)
        return (double)NAN;
    return element.is_real ? element.real : (double)element.whole;
}

#define CLOUD_READ_ALL(c_type)                                                                               \
    for (uint64_t i = 0; i < count; i++, at += stride) {                                                     \
        c_type value;                                                                                        \
        memcpy(&value, at, sizeof value);                                                                    \
        out[i] = (double)value;                                                                              \
    }

void snt__elements_f64(const unsigned char *at, int64_t stride, uint64_t count, uint32_t type,
                       bool big_endian, double *out)
{
    const bool plain = snt__host_is_little() && !big_endian;
    if (type == SNT_TYPE_U8) {
        CLOUD_READ_ALL(uint8_t)
    } else if (plain && type == SNT_TYPE_U16) {
        CLOUD_READ_ALL(uint16_t)
    } else if (plain && type == SNT_TYPE_U32) {
        CLOUD_READ_ALL(uint32_t)
    } else if (plain && type == SNT_TYPE_I32) {
        CLOUD_READ_ALL(int32_t)
    } else if (plain && type == SNT_TYPE_F32) {
        CLOUD_READ_ALL(float)
    } else if (plain && type == SNT_TYPE_F64) {
        CLOUD_READ_ALL(double)
    } else {
        for (uint64_t i = 0; i < count; i++, at += stride)
            out[i] = snt__element_f64(at, type, big_endian);
    }
}

#undef CLOUD_READ_ALL

bool snt__field_fits(const snt_field *field, uint64_t count)
{
    if (field->stride == INT64_MIN || count > INT64_MAX)
        return false;
    const uint64_t step = (uint64_t)(field->stride < 0 ? -field->stride : field->stride);
    return !step || count <= INT64_MAX / step;
}

void snt_cloud_init(snt_cloud *cloud)
{
    if (cloud)
        *cloud = (snt_cloud){.time_unit_num = 1, .time_unit_den = 1};
}

static snt_status cloud_make_field(const void *data, int64_t stride, uint32_t type, uint64_t count,
                                   snt_field *out)
{
    const uint32_t size = snt_type_size(type);
    if (!size || (!data && count))
        return SNT_ERR_INVALID_ARG;
    const snt_field field = {.stride = stride ? stride : (int64_t)size,
                             .data = (void *)(uintptr_t)data,
                             .type = type,
                             /* arrays of the caller's own are in the byte order of this machine */
                             .flags = snt__host_is_little() ? 0 : SNT_FIELD_BIG_ENDIAN};
    if (!snt__field_fits(&field, count))
        return SNT_ERR_OVERFLOW;
    *out = field;
    return SNT_OK;
}

snt_status snt_cloud_set_xyz(snt_cloud *cloud, void *x, void *y, void *z, int64_t stride, uint32_t type,
                             uint64_t count)
{
    if (!cloud || (type != SNT_TYPE_F32 && type != SNT_TYPE_F64))
        return SNT_ERR_INVALID_ARG;
    snt_field made[3];
    void *const data[3] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        const snt_status status = cloud_make_field(data[i], stride, type, count, &made[i]);
        if (status)
            return status;
    }
    cloud->x = made[0];
    cloud->y = made[1];
    cloud->z = made[2];
    cloud->count = count;
    return SNT_OK;
}

snt_status snt_cloud_set_points(snt_cloud *cloud, void *xyz, int64_t stride, uint32_t type, uint64_t count)
{
    const uint32_t size = snt_type_size(type);
    unsigned char *x = xyz;
    if (!x)
        return snt_cloud_set_xyz(cloud, NULL, NULL, NULL, stride, type, count);
    return snt_cloud_set_xyz(cloud, x, x + size, x + 2 * (size_t)size, stride ? stride : 3 * (int64_t)size,
                             type, count);
}

snt_status snt_cloud_set_times(snt_cloud *cloud, const void *times, int64_t stride, uint32_t type,
                               uint32_t unit, uint32_t time_ref, snt_time base_ns, snt_duration span_ns)
{
    if (!cloud || time_ref < SNT_TIME_REF_ABSOLUTE || time_ref > SNT_TIME_REF_NORMALISED)
        return SNT_ERR_INVALID_ARG;
    const bool normalised = time_ref == SNT_TIME_REF_NORMALISED;
    if (normalised && (span_ns < 0 || (type != SNT_TYPE_F32 && type != SNT_TYPE_F64)))
        return SNT_ERR_INVALID_ARG;
    const int64_t unit_ns = normalised ? 1 : snt__unit_ns(unit);
    if (!unit_ns)
        return SNT_ERR_INVALID_ARG;
    snt_field made;
    const snt_status status = cloud_make_field(times, stride, type, cloud->count, &made);
    if (status)
        return status;
    cloud->time = made;
    cloud->time_nsec = (snt_field){0};
    cloud->time_ref = time_ref;
    cloud->time_unit_num = unit_ns;
    cloud->time_unit_den = 1;
    cloud->time_base_ns = time_ref == SNT_TIME_REF_ABSOLUTE ? 0 : base_ns;
    cloud->time_span_ns = normalised ? span_ns : 0;
    return SNT_OK;
}

snt_status snt_cloud_set_rings(snt_cloud *cloud, const void *rings, int64_t stride, uint32_t type)
{
    if (!cloud)
        return SNT_ERR_INVALID_ARG;
    return cloud_make_field(rings, stride, type, cloud->count, &cloud->ring);
}

static snt_status cloud_check_field(const snt_field *field, uint64_t count, bool must_be_float)
{
    if (field->type == SNT_TYPE_NONE || (field->flags & SNT_FIELD_INDEX))
        return SNT_OK;
    if (!snt_type_size(field->type) || (!field->data && count))
        return SNT_ERR_INVALID_ARG;
    if (must_be_float && field->type != SNT_TYPE_F32 && field->type != SNT_TYPE_F64)
        return SNT_ERR_INVALID_ARG;
    return snt__field_fits(field, count) ? SNT_OK : SNT_ERR_OVERFLOW;
}

snt_status snt_cloud_check(const snt_cloud *cloud)
{
    if (!cloud || cloud->time_ref > SNT_TIME_REF_PACKET || cloud->count > INT64_MAX)
        return SNT_ERR_INVALID_ARG;
    if (cloud->width && cloud->height && (uint64_t)cloud->width * cloud->height != cloud->count)
        return SNT_ERR_INVALID_ARG;
    if (cloud->time_ref != SNT_TIME_REF_NONE &&
        (cloud->time_unit_den < 1 || cloud->time_span_ns < 0 || cloud->time_quantum_ns < 0))
        return SNT_ERR_INVALID_ARG;
    const snt_field *const fields[] = {&cloud->x,    &cloud->y,         &cloud->z,
                                       &cloud->time, &cloud->time_nsec, &cloud->ring};
    for (size_t i = 0; i < SNT_COUNT_OF(fields); i++) {
        const snt_status status = cloud_check_field(fields[i], cloud->count, i < 3);
        if (status)
            return status;
    }
    return SNT_OK;
}
