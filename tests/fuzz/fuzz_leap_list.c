/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever parses as a leap-seconds.list is a table that keeps every promise of one. */
#include <stdlib.h>

#include "sensortime/timescale.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snt_leap_table table;
    uint32_t line = 0;
    size_t lines = 1;
    table.count = 7777;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    if (snt_leap_table_parse((const char *)data, size, &table, &line) != SNT_OK) {
        require(table.count == 7777 && line <= lines);
        return 0;
    }
    require(line == 0 && table.count >= 1 && table.count <= SNT_LEAP_CAPACITY);
    for (uint32_t i = 0; i < table.count; i++) {
        const snt_time at = table.steps[i].unix_s * SNT_NS_PER_S;
        require(table.steps[i].unix_s % 86400 == 0 && table.steps[i].reserved == 0);
        require(i == 0 || table.steps[i].unix_s > table.steps[i - 1].unix_s);
        for (snt_time t = at - 3 * SNT_NS_PER_S; t <= at + 3 * SNT_NS_PER_S; t += SNT_NS_PER_S / 2) {
            snt_time tai, back;
            uint32_t flags;
            const snt_status status =
                snt_timescale_convert(&table, t, SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI, &tai, &flags);
            if (status == SNT_ERR_PAST || status == SNT_ERR_OVERFLOW)
                continue;
            require(status == SNT_OK);
            require(snt_timescale_convert(&table, tai, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, &back, NULL) ==
                    SNT_OK);
            require(back == t || (flags & SNT_TIME_LEAP_AMBIGUOUS));
            snt_bounded_time x;
            require(snt_bounded_time_init(t, 0, 0, SNT_DOMAIN_UNIX, 0, &x) == SNT_OK);
            require(snt_timescale_convert_bounded(&table, &x, SNT_DOMAIN_TAI, &x) == SNT_OK);
            require(x.lo <= tai && tai <= x.hi);
            require(snt_timescale_convert_bounded(&table, &x, SNT_DOMAIN_UNIX, &x) == SNT_OK);
            require(x.lo <= t && t <= x.hi);
        }
    }
    return 0;
}
