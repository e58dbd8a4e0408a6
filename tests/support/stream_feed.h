/* SPDX-License-Identifier: BSD-3-Clause */
/* Feeding a stream monitor and looking at its findings. */
#ifndef SNT_TEST_STREAM_FEED_H
#define SNT_TEST_STREAM_FEED_H

#include <stdbool.h>

#include "test.h"

#define MS SNT_NS_PER_MS
#define S  SNT_NS_PER_S

/* A plausible date for logs and stamps of a synchronised robot. */
static const int64_t epoch = INT64_C(1700000000) * S;

typedef struct stream {
    snt_stream_monitor *monitor;
    snt_stream_report report;
    snt_finding findings[32];
    uint32_t count;
} stream;

static inline stream open_stream(const snt_stream_monitor_config *config)
{
    stream s = {.count = 0};
    assert_status(snt_stream_monitor_create(config, NULL, &s.monitor), SNT_OK);
    return s;
}

static inline void give(stream *s, int64_t stamp, int64_t log)
{
    const snt_stream_message m = {.stamp_ns = stamp,
                                  .log_ns = log,
                                  .size_bytes = 100,
                                  .flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG};
    assert_status(snt_stream_monitor_add(s->monitor, &m), SNT_OK);
}

static inline void give_stamp(stream *s, int64_t stamp)
{
    const snt_stream_message m = {.stamp_ns = stamp, .flags = SNT_STREAM_HAS_STAMP};
    assert_status(snt_stream_monitor_add(s->monitor, &m), SNT_OK);
}

static inline void judge(stream *s)
{
    assert_status(snt_stream_monitor_report(s->monitor, &s->report), SNT_OK);
    assert_status(snt_stream_monitor_findings(s->monitor, s->findings, 32, &s->count), SNT_OK);
}

static const snt_finding *found(const stream *s, uint32_t code)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->findings[i].code == code)
            return &s->findings[i];
    return NULL;
}

static inline void expect(const stream *s, uint32_t code)
{
    if (!found(s, code))
        fail_msg("%s is not among the findings", snt_finding_name(code));
}

/* Nothing but these, ending with 0. */
static inline void expect_only(const stream *s, const uint32_t *codes)
{
    uint32_t n = 0;
    for (; codes[n]; n++)
        expect(s, codes[n]);
    for (uint32_t i = 0; i < s->count; i++) {
        bool listed = false;
        for (uint32_t j = 0; j < n; j++)
            listed |= codes[j] == s->findings[i].code;
        if (!listed)
            fail_msg("%s is found but was not expected", snt_finding_name(s->findings[i].code));
    }
}
#define EXPECT_ONLY(s, ...) expect_only(s, (const uint32_t[]){__VA_ARGS__, 0})

static inline void close_stream(stream *s)
{
    snt_stream_monitor_destroy(s->monitor);
}

#endif
