/* SPDX-License-Identifier: BSD-3-Clause */
/* Text on request. */
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

static void text_number(snt__printer *out, const char *words, uint64_t number)
{
    snt__print_string(out, words);
    snt__print_unsigned(out, number);
}

void snt__print_known(snt__printer *out, const char *words, int64_t ns)
{
    if (ns == SNT_UNKNOWN)
        return;
    snt__print_string(out, words);
    snt__print_time(out, ns);
}

void snt__print_drop(snt__printer *out, uint32_t reason, uint32_t cause)
{
    snt__print_string(out, ": ");
    snt__print_string(out, snt_drop_reason_text(reason));
    if (!cause)
        return;
    snt__print_string(out, " (behind it: ");
    snt__print_string(out, snt_drop_reason_text(cause));
    snt__print_char(out, ')');
}

snt_status snt_sync_drop_format(const snt_sync_drop *drop, char *text, size_t size)
{
    if (!drop || !text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);
    text_number(&out, "input ", drop->input);
    text_number(&out, ", token ", drop->sample.token);
    snt__print_string(&out, ", ");
    snt__print_time(&out, drop->key_ns);
    snt__print_drop(&out, drop->reason, drop->cause);
    if (drop->reason == SNT_DROP_RETIRED) {
        text_number(&out, "; was in ", drop->uses);
        snt__print_string(&out, " sets");
    }
    if (drop->partner != SNT_SYNC_NO_INPUT)
        text_number(&out, "; partner input ", drop->partner);
    snt__print_known(&out, "; gap ", drop->gap_ns);
    snt__print_known(&out, "; waited ", drop->waited_ns);
    return snt__print_end(&out);
}

snt_status snt_sync_diagnosis_format(const snt_sync_diagnosis *d, char *text, size_t size)
{
    if (!d || !text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);
    if (d->blocker == SNT_SYNC_NO_INPUT) {
        snt__print_string(&out, "no input blocks");
    } else {
        text_number(&out, "input ", d->blocker);
        snt__print_string(&out, d->never >> (d->blocker & 63) & 1
                                    ? " blocks: it never got a sample (publisher running? QoS compatible?)"
                                    : " blocks: its queue is empty");
    }
    snt__print_known(&out, " since ", d->blocked_since_ns);
    snt__print_known(&out, "; oldest waiting is ", d->oldest_age_ns);
    if (d->oldest_age_ns != SNT_UNKNOWN)
        snt__print_string(&out, " behind the newest");
    snt__print_known(&out, "; these rates need a max_separation of ", d->suggested_slop_ns);
    return snt__print_end(&out);
}
