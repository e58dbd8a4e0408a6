/* SPDX-License-Identifier: BSD-3-Clause */
#include "print.h"

#include "sensortime/stamp.h"

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

void snt__print_char(snt__printer *text, char c)
{
    if (text->length < text->size)
        text->at[text->length] = c;
    text->length++;
}

void snt__print_bytes(snt__printer *text, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        snt__print_char(text, bytes[i]);
}

void snt__print_string(snt__printer *text, const char *string)
{
    snt__print_bytes(text, string, strlen(string));
}

/* ---- quoted text ---- */

/* Bytes of the well-formed UTF-8 character at s, of which `n` bytes are left; 0 if there is none. */
static size_t print_utf8(const unsigned char *s, size_t n)
{
    if (s[0] < 0x80)
        return 1;
    const size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    /* overlong, a surrogate, or beyond U+10FFFF */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

void snt__print_quoted(snt__printer *text, const char *bytes, size_t n, bool json)
{
    const unsigned char *s = (const unsigned char *)bytes;
    size_t length;
    snt__print_char(text, '"');
    for (size_t i = 0; i < n; i += length ? length : 1) {
        length = print_utf8(s + i, n - i);
        if (length == 0) {
            snt__print_string(text, "\xef\xbf\xbd");
        } else if (s[i] < 0x20 || s[i] == 0x7f) {
            snt__print_string(text, json ? "\\u" : "?");
            snt__print_hex(text, s[i], json ? 4 : 2);
        } else {
            if (s[i] == '"' || s[i] == '\\')
                snt__print_char(text, '\\');
            snt__print_bytes(text, bytes + i, length);
        }
    }
    snt__print_char(text, '"');
}

/* ---- integers ---- */

void snt__print_padded(snt__printer *text, uint64_t value, int least)
{
    char digits[20];
    int n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    for (int i = n; i < least; i++)
        snt__print_char(text, '0');
    while (n)
        snt__print_char(text, digits[--n]);
}

void snt__print_hex(snt__printer *text, uint64_t value, int least)
{
    int digits = 1;
    while (digits < 16 && value >> (4 * digits))
        digits++;
    for (int i = digits; i < least; i++)
        snt__print_char(text, '0');
    while (digits--)
        snt__print_char(text, "0123456789abcdef"[value >> (4 * digits) & 15]);
}

void snt__print_unsigned(snt__printer *text, uint64_t value)
{
    snt__print_padded(text, value, 1);
}

/* The sign, and the size that follows it. */
static uint64_t print_sign(snt__printer *text, int64_t value)
{
    if (value >= 0)
        return (uint64_t)value;
    snt__print_char(text, '-');
    return 0 - (uint64_t)value;
}

void snt__print_integer(snt__printer *text, int64_t value)
{
    const uint64_t size = print_sign(text, value);
    snt__print_padded(text, size, 1);
}

/* ---- floating point ---- */

/* A double is an integer times a power of two, so it has finitely many decimal digits: at most 767 of them, the
 * longest being those of 2^-1022 (2 - 2^-52). With all of them at hand, rounding is exact. */
#define PRINT_LIMBS 86
#define PRINT_BASE  1000000000u

typedef struct print_decimal {
    int count; /* of digits; all further ones are zeros */
    int point; /* digits before the decimal point; negative with as many zeros behind it */
    char digits[PRINT_LIMBS * 9];
} print_decimal;

/* Numbers are taken apart by their bits: the processor may have been told to take subnormal ones for zero. */
static uint64_t print_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Of the size of `value`, which is finite. */
static void print_decimal_of(print_decimal *d, double value)
{
    uint32_t limbs[PRINT_LIMBS];
    const uint64_t bits = print_bits(value), fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff), count = 0;
    uint64_t integer = exponent ? fraction | UINT64_C(1) << 52 : fraction;
    exponent = exponent ? exponent - 1075 : -1074;
    d->count = d->point = 0;
    if (integer == 0)
        return;
    for (; integer % 2 == 0; integer /= 2)
        exponent++;
    for (; integer; integer /= PRINT_BASE)
        limbs[count++] = (uint32_t)(integer % PRINT_BASE);
    /* m 2^-k is m 5^k with the point moved by k; 5^13 and 2^29 are what a limb times it leaves room for */
    const int most = exponent < 0 ? 13 : 29;
    for (int left = exponent < 0 ? -exponent : exponent, step; left; left -= step) {
        uint64_t factor = 1, carry = 0;
        step = left < most ? left : most;
        for (int i = 0; i < step; i++)
            factor *= exponent < 0 ? 5 : 2;
        for (int i = 0; i < count; i++, carry /= PRINT_BASE) {
            carry += limbs[i] * factor;
            limbs[i] = (uint32_t)(carry % PRINT_BASE);
        }
        for (; carry; carry /= PRINT_BASE)
            limbs[count++] = (uint32_t)(carry % PRINT_BASE);
    }
    while (count--)
        for (uint32_t unit = PRINT_BASE / 10; unit; unit /= 10) {
            const char digit = (char)('0' + limbs[count] / unit % 10);
            if (d->count || digit != '0')
                d->digits[d->count++] = digit;
        }
    d->point = d->count + (exponent < 0 ? exponent : 0);
}

/* Keep the first `keep` digits: to nearest, a tie to even. */
static void print_round(print_decimal *d, int keep)
{
    if (keep >= d->count)
        return;
    bool up = false;
    if (keep >= 0) {
        bool more = false;
        for (int i = keep + 1; i < d->count && !more; i++)
            more = d->digits[i] != '0';
        up = d->digits[keep] > '5' ||
             (d->digits[keep] == '5' && (more || (keep && (d->digits[keep - 1] - '0') % 2)));
    }
    d->count = keep > 0 ? keep : 0;
    if (!up)
        return;
    while (keep && d->digits[keep - 1] == '9')
        d->digits[--keep] = '0';
    if (keep) {
        d->digits[keep - 1]++;
    } else { /* 99 became 00, so 100 */
        d->digits[0] = '1';
        d->point++;
        if (!d->count)
            d->count = 1;
    }
}

static void print_digits(snt__printer *text, const print_decimal *d, int from, int to)
{
    for (int i = from; i < to; i++)
        snt__print_char(text, i >= 0 && i < d->count ? d->digits[i] : '0');
}

static void print_fixed(snt__printer *text, const print_decimal *d, int decimals)
{
    if (d->point <= 0)
        snt__print_char(text, '0');
    print_digits(text, d, 0, d->point);
    if (decimals > 0) {
        snt__print_char(text, '.');
        print_digits(text, d, d->point, d->point + decimals);
    }
}

/* Whether `value` was none that has digits, and its sign. */
static bool print_special(snt__printer *text, double value)
{
    const uint64_t bits = print_bits(value), size = bits << 1 >> 1, infinite = UINT64_C(0x7ff) << 52;
    if (size > infinite) {
        snt__print_string(text, "unknown");
        return true;
    }
    if (bits >> 63 && size)
        snt__print_char(text, '-');
    if (size == infinite)
        snt__print_string(text, "inf");
    return size == infinite;
}

void snt__print_number(snt__printer *text, double value, int digits)
{
    print_decimal d;
    if (print_special(text, value))
        return;
    print_decimal_of(&d, value);
    print_round(&d, d.point + digits);
    print_fixed(text, &d, digits);
}

void snt__print_significant(snt__printer *text, double value, int digits)
{
    print_decimal d;
    if (print_special(text, value))
        return;
    print_decimal_of(&d, value);
    print_round(&d, digits);
    while (d.count && d.digits[d.count - 1] == '0')
        d.count--;
    const int exponent = d.count ? d.point - 1 : 0;
    if (exponent >= -4 && exponent < digits) {
        print_fixed(text, &d, d.count - d.point);
        return;
    }
    print_digits(text, &d, 0, 1);
    if (d.count > 1) {
        snt__print_char(text, '.');
        print_digits(text, &d, 1, d.count);
    }
    snt__print_string(text, exponent < 0 ? "e-" : "e+");
    snt__print_padded(text, (uint64_t)(exponent < 0 ? -exponent : exponent), 2);
}

#undef PRINT_LIMBS
#undef PRINT_BASE

/* ---- times ---- */

/* Rounded to `digits` decimals of a unit of `unit` ns, in integers. */
static void print_scaled(snt__printer *text, uint64_t ns, uint64_t unit, uint64_t step, int digits)
{
    const uint64_t steps = ns / step + (ns % step >= (step + 1) / 2);
    const uint64_t per_unit = unit / step;
    snt__print_padded(text, steps / per_unit, 1);
    snt__print_char(text, '.');
    snt__print_padded(text, steps % per_unit, digits);
}

void snt__print_duration(snt__printer *text, int64_t ns)
{
    if (ns == SNT_UNKNOWN) {
        snt__print_string(text, "unknown");
        return;
    }
    const uint64_t size = print_sign(text, ns);
    if (size < 1000) {
        snt__print_padded(text, size, 1);
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

void snt__print_seconds(snt__printer *text, int64_t ns)
{
    const uint64_t size = print_sign(text, ns);
    snt__print_padded(text, size / 1000000000u, 1);
    snt__print_char(text, '.');
    snt__print_padded(text, size % 1000000000u, 9);
}

void snt__print_time(snt__printer *text, int64_t ns)
{
    snt__print_seconds(text, ns);
    snt__print_string(text, " s");
}
