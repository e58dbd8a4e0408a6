/* SPDX-License-Identifier: BSD-3-Clause */
/* Text on request. */
#include "../base/internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "sync_text.h"

#include "sensortime/synchronizer.h"

const char *snt_drop_reason_name(uint32_t reason)
{
    switch (reason) {
#define SNT_X(name, number, text)                                                                            \
    case number:                                                                                             \
        return #name;
        SNT_DROP_MAP(SNT_X)
#undef SNT_X
    }
    return "SNT_DROP_UNKNOWN";
}

const char *snt_drop_reason_text(uint32_t reason)
{
    switch (reason) {
#define SNT_X(name, number, text)                                                                            \
    case number:                                                                                             \
        return text;
        SNT_DROP_MAP(SNT_X)
#undef SNT_X
    }
    return "unknown reason";
}

void snt__text_add(snt__text *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const size_t room = out->used < out->size ? out->size - out->used : 0;
    const int n = vsnprintf(room ? out->text + out->used : NULL, room, format, args);
    va_end(args);
    out->used += n > 0 ? (size_t)n : 0;
}

/* 1234567 -> "1.234567 s", every digit */
void snt__text_seconds(snt__text *out, int64_t ns)
{
    const uint64_t magnitude = ns < 0 ? 0u - (uint64_t)ns : (uint64_t)ns;
    snt__text_add(out, "%s%" PRIu64 ".%09" PRIu64 " s", ns < 0 ? "-" : "", magnitude / 1000000000u,
                  magnitude % 1000000000u);
}

snt_status snt__text_end(const snt__text *out)
{
    return out->used < out->size ? SNT_OK : SNT_ERR_BUFFER_TOO_SMALL;
}

snt_status snt_sync_drop_format(const snt_sync_drop *drop, char *text, size_t size)
{
    if (!drop || !text || !size)
        return SNT_ERR_INVALID_ARG;
    snt__text out = {text, size, 0};
    snt__text_add(&out, "input %" PRIu32 ", token %" PRIu64 ", ", drop->input, drop->sample.token);
    snt__text_seconds(&out, drop->key_ns);
    snt__text_add(&out, ": %s", snt_drop_reason_text(drop->reason));
    if (drop->cause)
        snt__text_add(&out, " (behind it: %s)", snt_drop_reason_text(drop->cause));
    if (drop->reason == SNT_DROP_RETIRED)
        snt__text_add(&out, "; was in %" PRIu32 " sets", drop->uses);
    if (drop->partner != SNT_SYNC_NO_INPUT)
        snt__text_add(&out, "; partner input %" PRIu32, drop->partner);
    if (drop->gap_ns != SNT_UNKNOWN) {
        snt__text_add(&out, "; gap ");
        snt__text_seconds(&out, drop->gap_ns);
    }
    if (drop->waited_ns != SNT_UNKNOWN) {
        snt__text_add(&out, "; waited ");
        snt__text_seconds(&out, drop->waited_ns);
    }
    return snt__text_end(&out);
}

snt_status snt_sync_diagnosis_format(const snt_sync_diagnosis *d, char *text, size_t size)
{
    if (!d || !text || !size)
        return SNT_ERR_INVALID_ARG;
    snt__text out = {text, size, 0};
    if (d->blocker == SNT_SYNC_NO_INPUT)
        snt__text_add(&out, "no input blocks");
    else if (d->never >> (d->blocker & 63) & 1)
        snt__text_add(&out,
                      "input %" PRIu32 " blocks: it never got a sample (publisher running? QoS compatible?)",
                      d->blocker);
    else
        snt__text_add(&out, "input %" PRIu32 " blocks: its queue is empty", d->blocker);
    if (d->blocked_since_ns != SNT_UNKNOWN) {
        snt__text_add(&out, " since ");
        snt__text_seconds(&out, d->blocked_since_ns);
    }
    if (d->oldest_age_ns != SNT_UNKNOWN) {
        snt__text_add(&out, "; oldest waiting is ");
        snt__text_seconds(&out, d->oldest_age_ns);
        snt__text_add(&out, " behind the newest");
    }
    if (d->suggested_slop_ns != SNT_UNKNOWN) {
        snt__text_add(&out, "; these rates need a max_separation of ");
        snt__text_seconds(&out, d->suggested_slop_ns);
    }
    return snt__text_end(&out);
}
