/* SPDX-License-Identifier: BSD-3-Clause */
/* Just enough of <stdint.h> for a C parser without compiler extensions. */
#ifndef SNT_FAKE_STDINT_H
#define SNT_FAKE_STDINT_H
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
#define INT64_C(x)  x##LL
#define UINT64_C(x) x##ULL
#define INT32_MIN   (-2147483647 - 1)
#define INT32_MAX   2147483647
#define UINT32_MAX  4294967295U
#define INT64_MAX   9223372036854775807LL
#define INT64_MIN   (-9223372036854775807LL - 1)
#define UINT64_MAX  18446744073709551615ULL
#endif
