/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/stamps.md: a newer leap-seconds.list, and a time on another scale. */
#include "snippet.h"

#include <string.h>

static void complain(const char *what, uint32_t line)
{
    fprintf(stderr, what, (unsigned)line);
    exit(1);
}

int main(void)
{
    const char text[] = "#@\t4007232000\n2272060800\t10\t# 1 Jan 1972\n2287785600\t11\t# 1 Jul 1972\n";
    const size_t length = strlen(text);
    const snt_time t = INT64_C(80000000) * SNT_NS_PER_S; /* July 1972 */
    snt_time tai;
    uint32_t flags;
    /* [leap] */
    snt_leap_table table; /* plain data: copy it, swap it, share it */
    uint32_t line;
    if (snt_leap_table_parse(text, length, &table, &line) < 0)
        complain("leap-seconds.list, line %u", line);
    need(snt_timescale_convert(&table, t, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, &tai, &flags));
    /* [leap] */
    expect(tai - t == 11 * SNT_NS_PER_S);
    printf("TAI - unix: %lld s\n", (long long)((tai - t) / SNT_NS_PER_S));
    return 0;
}
