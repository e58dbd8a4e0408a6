/* SPDX-License-Identifier: BSD-3-Clause */
/* Dates of the proleptic Gregorian calendar, and seconds as text. */
#include "stamp.h"

#include "../base/print.h"

static const int32_t civil_days_before_month[13] = {0,   31,  59,  90,  120, 151, 181,
                                                    212, 243, 273, 304, 334, 365};

static bool civil_leap_year(int32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from 1970-01-01 to the first of January. Counted from the year −399, so that nothing below is negative. */
static int64_t civil_year_start(int32_t year)
{
    const int64_t before = (int64_t)year + 399;
    return before * 365 + before / 4 - before / 100 + before / 400 - 865259;
}

static int32_t civil_month_start(int32_t year, int32_t month)
{
    return civil_days_before_month[month - 1] + (month > 2 && civil_leap_year(year));
}

int64_t snt__days_from_civil(int32_t year, int32_t month, int32_t day)
{
    return civil_year_start(year) + civil_month_start(year, month) + day - 1;
}

void snt__civil_from_days(int64_t days, int32_t *year, int32_t *month, int32_t *day)
{
    int32_t y = 1970 + (int32_t)(days * 400 / 146097); /* within one year of the truth */
    while (civil_year_start(y) > days)
        y--;
    while (civil_year_start(y + 1) <= days)
        y++;
    const int32_t of_year = (int32_t)(days - civil_year_start(y));
    int32_t m = 12;
    while (civil_month_start(y, m) > of_year)
        m--;
    *year = y;
    *month = m;
    *day = of_year - civil_month_start(y, m) + 1;
}

snt_status snt_duration_format(snt_duration d, uint32_t digits, char *text, size_t size)
{
    uint64_t unit = 1, per_second = SNT_NS_PER_S;
    if (!text)
        return SNT_ERR_INVALID_ARG;
    if (!snt__time_finite(d) || digits > 9)
        return SNT_ERR_RANGE;
    for (uint32_t i = digits; i < 9; i++, per_second /= 10)
        unit *= 10;
    /* rounded down, so away from zero below it */
    uint64_t value = d < 0 ? 0 - (uint64_t)d : (uint64_t)d;
    value = value / unit + (d < 0 && value % unit);
    snt__printer out = snt__print_begin(text, size);
    if (d < 0)
        snt__print_char(&out, '-');
    snt__print_unsigned(&out, value / per_second);
    if (digits) {
        snt__print_char(&out, '.');
        snt__print_padded(&out, value % per_second, (int)digits);
    }
    return snt__print_end(&out);
}
