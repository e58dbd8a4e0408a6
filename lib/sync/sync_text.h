/* SPDX-License-Identifier: BSD-3-Clause */
/* Appending formatted text to a caller's buffer; `used` counts what would have been written. */
#ifndef SNT_LIB_SYNC_TEXT_H
#define SNT_LIB_SYNC_TEXT_H

#include "../base/internal.h"

typedef struct snt__text {
    char *text;
    size_t size, used;
} snt__text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void snt__text_add(snt__text *out, const char *format, ...);
void snt__text_seconds(snt__text *out, int64_t ns);
snt_status snt__text_end(const snt__text *out);

#endif
