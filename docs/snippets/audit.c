/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/audit.md: ten seconds of an IMU whose clock is set back once. */
#include "snippet.h"

int main(void)
{
    char line[1024];
    /* [create] */
    snt_stream_monitor *m;
    need(snt_stream_monitor_create(NULL, NULL, &m));
    /* [create] */
    for (int64_t k = 0; k < 1000; k++) {
        const snt_time received = INT64_C(1700000000) * SNT_NS_PER_S + k * 10 * SNT_NS_PER_MS;
        const snt_time stamp = received - SNT_NS_PER_MS - (k < 600 ? 0 : SNT_NS_PER_S);
        const uint64_t n = 324;
        /* [add] */
        const snt_stream_message msg = {.stamp_ns = stamp,
                                        .log_ns = received,
                                        .size_bytes = n,
                                        .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG};
        need(snt_stream_monitor_add(m, &msg));
        /* [add] */
    }
    /* [findings] */
    snt_finding f[32];
    uint32_t count;
    need(snt_stream_monitor_findings(m, f, 32, &count));
    for (uint32_t i = 0; i < count; i++)
        if (snt_finding_format(&f[i], line, sizeof line) == SNT_OK)
            puts(line);
    /* [findings] */
    expect(count > 0 && f[0].severity == SNT_SEVERITY_ERROR);
    snt_stream_monitor_destroy(m);
    return 0;
}
