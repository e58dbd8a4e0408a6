/* SPDX-License-Identifier: BSD-3-Clause */
/* Text into a caller's buffer, cut to fit. Numbers are printed here because printf follows the program's locale. */
#ifndef SNT_LIB_PRINT_H
#define SNT_LIB_PRINT_H

#include "internal.h"

typedef struct snt__printer {
    char *at;
    size_t size;
    size_t length; /* of the whole text, also of what did not fit */
} snt__printer;

snt__printer snt__print_begin(char *at, size_t size);
/* Terminates the text; SNT_ERR_BUFFER_TOO_SMALL if it was cut (never inside a UTF-8 character). */
snt_status snt__print_end(snt__printer *text);

void snt__print_string(snt__printer *text, const char *string);
void snt__print_integer(snt__printer *text, int64_t value);
/* With so many digits behind the point; "unknown" for NaN. */
void snt__print_number(snt__printer *text, double value, int digits);
/* A duration in the unit that reads best: "12.345 ms". */
void snt__print_duration(snt__printer *text, int64_t ns);
/* A time in seconds with nine decimals and unit. */
void snt__print_time(snt__printer *text, int64_t ns);

#endif
