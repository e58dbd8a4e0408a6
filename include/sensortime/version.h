/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file version.h
 * Version of the headers (macros) and of the library that was loaded (functions).
 */
#ifndef SENSORTIME_VERSION_H
#define SENSORTIME_VERSION_H

#include "base.h"

#define SNT_VERSION_MAJOR  1
#define SNT_VERSION_MINOR  0
#define SNT_VERSION_PATCH  0
#define SNT_VERSION_STRING "1.0.0"
/** major·10 000 + minor·100 + patch of the headers. */
#define SNT_VERSION_NUMBER (SNT_VERSION_MAJOR * 10000 + SNT_VERSION_MINOR * 100 + SNT_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Version of the loaded library, comparable with SNT_VERSION_NUMBER.
 *
 * @return major·10 000 + minor·100 + patch
 * @thread P  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_version_number(void);

/**
 * Version of the loaded library as text.
 *
 * @return static text such as "1.0.0"
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_version_string(void);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_VERSION_H */
