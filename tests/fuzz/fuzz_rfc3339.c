/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever parses as a date must say the same when written and read again. */
#include <stdlib.h>
#include <string.h>

#include "sensortime/timescale.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    snt_time t = 42, tai = 42, again;
    uint32_t flags = 99;
    char written[SNT_RFC3339_SIZE];
    const snt_status status = snt_time_parse_rfc3339(text, size, NULL, &t, &flags);
    if (snt_time_parse_rfc3339_tai(text, size, NULL, &tai, NULL) == SNT_OK) {
        require(status == SNT_OK);
        require(snt_time_format_rfc3339_tai(tai, NULL, 9, written, sizeof written, NULL) == SNT_OK);
        require(snt_time_parse_rfc3339_tai(written, strlen(written), NULL, &again, NULL) == SNT_OK);
        require(again == tai);
    }
    if (status != SNT_OK) {
        require(t == 42 && flags == 99);
        return 0;
    }
    const int32_t offset = size % 2 ? (int32_t)(data[size / 2] * 11) - 1400 : 0;
    require(snt_time_format_rfc3339(t, 9, offset > 1439 ? 1439 : offset, written, sizeof written) == SNT_OK);
    require(snt_time_parse_rfc3339(written, strlen(written), NULL, &again, NULL) == SNT_OK);
    require(again == t);
    return 0;
}
