/* SPDX-License-Identifier: BSD-3-Clause */
/* The one way to write text into a caller's buffer. Numbers are printed here because printf follows the program's
 * locale: where that writes a decimal comma, "%.3f" breaks JSON and CSV. */
#ifndef SNT_LIB_PRINT_H
#define SNT_LIB_PRINT_H

#include "internal.h"

typedef struct snt__printer {
    char *at;
    size_t size;
    size_t length; /* of the whole text, also of what did not fit */
} snt__printer;

/* `at` may be NULL: then the text is only measured. */
snt__printer snt__print_begin(char *at, size_t size);
/* Terminates the text; SNT_ERR_BUFFER_TOO_SMALL if it was cut (never inside a UTF-8 character). */
snt_status snt__print_end(snt__printer *text);

void snt__print_char(snt__printer *text, char c);
void snt__print_string(snt__printer *text, const char *string);
/* The `n` bytes of a view, which needs no terminator. */
void snt__print_bytes(snt__printer *text, const char *bytes, size_t n);
/* In double quotes, escaped: of bytes from a network, what is not UTF-8 becomes U+FFFD. Control characters are
 * written as JSON has them (\u000a), or else, for DOT, as ?0a. */
void snt__print_quoted(snt__printer *text, const char *bytes, size_t n, bool json);

void snt__print_integer(snt__printer *text, int64_t value);
void snt__print_unsigned(snt__printer *text, uint64_t value);
/* With leading zeros up to `least` digits. */
void snt__print_padded(snt__printer *text, uint64_t value, int least);
/* In lower-case hexadecimal, with leading zeros up to `least` digits. */
void snt__print_hex(snt__printer *text, uint64_t value, int least);

/* As printf's %.<digits>f: correctly rounded, a tie to the even digit. But "unknown" for NaN, and zero has no sign. */
void snt__print_number(snt__printer *text, double value, int digits);
/* As printf's %.<digits>g: so many significant digits, without trailing zeros. */
void snt__print_significant(snt__printer *text, double value, int digits);

/* A duration in the unit that reads best: "12.345 ms". */
void snt__print_duration(snt__printer *text, int64_t ns);
/* Seconds with all nine decimals, exactly: "1.000000250". */
void snt__print_seconds(snt__printer *text, int64_t ns);
/* The same with its unit: "1.000000250 s". */
void snt__print_time(snt__printer *text, int64_t ns);

#endif
