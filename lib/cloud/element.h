/* SPDX-License-Identifier: BSD-3-Clause */
/* One element of a field, of any type, byte order and alignment. */
#ifndef SNT_LIB_CLOUD_ELEMENT_H
#define SNT_LIB_CLOUD_ELEMENT_H

#include "../base/internal.h"

#include "sensortime/cloud.h"

/* A value as whole number where its type is whole, else as float. */
typedef struct snt__element {
    int64_t whole;
    double real;
    bool is_real;
    bool is_valid; /* false: a u64 beyond int64, or an unknown type */
} snt__element;

static inline uint64_t snt__element_bits(const unsigned char *at, uint32_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; i++)
        bits = bits << 8 | at[big_endian ? i : size - 1 - i];
    return bits;
}

static inline bool snt__host_is_little(void)
{
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return low == 1;
}

snt__element snt__element_read(const unsigned char *at, uint32_t type, bool big_endian);

/* The same as a double; NaN where it is invalid. */
double snt__element_f64(const unsigned char *at, uint32_t type, bool big_endian);

/* `count` elements as doubles; the common types have loops of their own. */
void snt__elements_f64(const unsigned char *at, int64_t stride, uint64_t count, uint32_t type,
                       bool big_endian, double *out);

/* count·stride within int64, so that every element's address can be formed. */
bool snt__field_fits(const snt_field *field, uint64_t count);

/* [ns] per count of SNT_TIME_UNIT_*, or 0 for an unknown unit. */
int64_t snt__unit_ns(uint32_t unit);

#endif
