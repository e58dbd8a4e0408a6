/* SPDX-License-Identifier: BSD-3-Clause */
#include "print.h"

#include "sensortime/stamp.h"

#include <math.h>

snt__printer snt__print_begin(char *at, size_t size)
{
    return (snt__printer){at, at ? size : 0, 0};
}

snt_status snt__print_end(snt__printer *text)
{
    if (text->size) {
        size_t end = text->length < text->size ? text->length : text->size - 1;
        /* do not cut a UTF-8 character in two: step back over its continuation bytes */
        if (end < text->length)
            while (end && ((unsigned char)text->at[end] & 0xc0) == 0x80)
                end--;
        text->at[end] = '\0';
    }
    return text->length < text->size ? SNT_OK : SNT_ERR_BUFFER_TOO_SMALL;
}

static void print_char(snt__printer *text, char c)
{
    if (text->length < text->size)
        text->at[text->length] = c;
    text->length++;
}

void snt__print_string(snt__printer *text, const char *string)
{
    for (; *string; string++)
        print_char(text, *string);
}

static void print_digits(snt__printer *text, uint64_t value, int least)
{
    char digits[20];
    int n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    for (int i = n; i < least; i++)
        print_char(text, '0');
    while (n)
        print_char(text, digits[--n]);
}

void snt__print_integer(snt__printer *text, int64_t value)
{
    if (value < 0)
        print_char(text, '-');
    print_digits(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

void snt__print_number(snt__printer *text, double value, int digits)
{
    static const double scale[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    if (value != value) {
        snt__print_string(text, "unknown");
        return;
    }
    if (value < 0)
        print_char(text, '-');
    const double rounded = floor(fabs(value) * scale[digits] + 0.5);
    if (rounded >= 9e18) {
        snt__print_string(text, "huge");
        return;
    }
    const uint64_t whole = (uint64_t)rounded, unit = (uint64_t)scale[digits];
    print_digits(text, whole / unit, 1);
    if (digits) {
        print_char(text, '.');
        print_digits(text, whole % unit, digits);
    }
}

/* Rounded to `digits` decimals of a unit of `unit` ns, in integers. */
static void print_scaled(snt__printer *text, uint64_t ns, uint64_t unit, uint64_t step, int digits)
{
    const uint64_t steps = ns / step + (ns % step >= (step + 1) / 2);
    const uint64_t per_unit = unit / step;
    print_digits(text, steps / per_unit, 1);
    print_char(text, '.');
    print_digits(text, steps % per_unit, digits);
}

void snt__print_duration(snt__printer *text, int64_t ns)
{
    if (ns == SNT_UNKNOWN) {
        snt__print_string(text, "unknown");
        return;
    }
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (ns < 0)
        print_char(text, '-');
    if (size < 1000) {
        print_digits(text, size, 1);
        snt__print_string(text, " ns");
    } else if (size < 999500) {
        print_scaled(text, size, 1000, 10, 2);
        snt__print_string(text, " µs");
    } else if (size < 999500000) {
        print_scaled(text, size, 1000000, 1000, 3);
        snt__print_string(text, " ms");
    } else {
        print_scaled(text, size, 1000000000, 1000000, 3);
        snt__print_string(text, " s");
    }
}

void snt__print_time(snt__printer *text, int64_t ns)
{
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (ns < 0)
        print_char(text, '-');
    print_digits(text, size / 1000000000u, 1);
    print_char(text, '.');
    print_digits(text, size % 1000000000u, 9);
    snt__print_string(text, " s");
}
