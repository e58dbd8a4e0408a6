/* SPDX-License-Identifier: BSD-3-Clause */
/* Text into a caller's buffer, cut to fit. Numbers are printed here because printf follows the program's locale. */
#ifndef SNT_LIB_AUDIT_TEXT_H
#define SNT_LIB_AUDIT_TEXT_H

#include "../base/internal.h"

typedef struct snt__audit_text {
    char *at;
    size_t size;
    size_t length; /* of the whole text, also of what did not fit */
} snt__audit_text;

snt__audit_text snt__audit_text_begin(char *at, size_t size);
size_t snt__audit_text_end(snt__audit_text *text);

void snt__audit_text_string(snt__audit_text *text, const char *string);
void snt__audit_text_integer(snt__audit_text *text, int64_t value);
/* With so many digits behind the point; "unknown" for NaN. */
void snt__audit_text_number(snt__audit_text *text, double value, int digits);
/* A duration in the unit that reads best: "12.345 ms". */
void snt__audit_text_duration(snt__audit_text *text, int64_t ns);
/* A time in seconds with nine decimals and unit. */
void snt__audit_text_time(snt__audit_text *text, int64_t ns);

#endif
