/* SPDX-License-Identifier: BSD-3-Clause */
/* Records as text: for people, as CSV and as JSON. One table of fields serves both formats. */
#include "../base/internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "../stamp/stamp.h"

#include "sensortime/admission.h"

enum { ADMISSION_U64, ADMISSION_I64, ADMISSION_TIME, ADMISSION_U32, ADMISSION_I32 };

typedef struct admission_field {
    const char *name;
    uint16_t offset;
    uint16_t kind;
} admission_field;

#define ADMISSION_FIELD(name, kind)                                                                          \
    {                                                                                                        \
#name, (uint16_t)offsetof(snt_admission_record, name), kind                                          \
    }
static const admission_field admission_fields[] = {
    ADMISSION_FIELD(source, ADMISSION_U32),
    ADMISSION_FIELD(session, ADMISSION_U32),
    ADMISSION_FIELD(sequence, ADMISSION_U64),
    ADMISSION_FIELD(raw_counter, ADMISSION_U64),
    ADMISSION_FIELD(version, ADMISSION_U32),
    ADMISSION_FIELD(event, ADMISSION_U32),
    ADMISSION_FIELD(domain, ADMISSION_U32),
    ADMISSION_FIELD(t0_ns, ADMISSION_I64),
    ADMISSION_FIELD(t1_ns, ADMISSION_I64),
    ADMISSION_FIELD(err_lo_ns, ADMISSION_I64),
    ADMISSION_FIELD(err_hi_ns, ADMISSION_I64),
    ADMISSION_FIELD(flags, ADMISSION_U32),
    ADMISSION_FIELD(receive_ns, ADMISSION_TIME),
    ADMISSION_FIELD(receive_domain, ADMISSION_U32),
    ADMISSION_FIELD(now_ns, ADMISSION_TIME),
    ADMISSION_FIELD(now_lo_ns, ADMISSION_I64),
    ADMISSION_FIELD(now_hi_ns, ADMISSION_I64),
    ADMISSION_FIELD(now_domain, ADMISSION_U32),
    ADMISSION_FIELD(now_flags, ADMISSION_U32),
    ADMISSION_FIELD(age_ns, ADMISSION_I64),
    ADMISSION_FIELD(age_lo_ns, ADMISSION_I64),
    ADMISSION_FIELD(age_hi_ns, ADMISSION_TIME),
    ADMISSION_FIELD(uncertainty_ns, ADMISSION_TIME),
    ADMISSION_FIELD(max_age_ns, ADMISSION_TIME),
    ADMISSION_FIELD(max_uncertainty_ns, ADMISSION_TIME),
    ADMISSION_FIELD(expected_domain, ADMISSION_U32),
    ADMISSION_FIELD(expected_session, ADMISSION_U32),
    ADMISSION_FIELD(least_version, ADMISSION_U32),
    ADMISSION_FIELD(forbidden_flags, ADMISSION_U32),
    ADMISSION_FIELD(refused_events, ADMISSION_U32),
    ADMISSION_FIELD(age_of, ADMISSION_U32),
    ADMISSION_FIELD(notes, ADMISSION_U32),
    ADMISSION_FIELD(reasons, ADMISSION_U32),
    ADMISSION_FIELD(status, ADMISSION_I32),
    ADMISSION_FIELD(token, ADMISSION_U64),
};
#undef ADMISSION_FIELD

static const struct {
    const char *name;
    const char *text;
} admission_reasons[] = {
    {"MALFORMED", "the sample contradicts itself"},
    {"DOMAIN", "another clock"},
    {"SESSION", "another session"},
    {"VERSION", "mapping version no longer valid"},
    {"EVENT", "not a time of measurement"},
    {"MAPPING", "the mapping gives no time"},
    {"NO_BOUND", "no bound"},
    {"ASSUMPTION", "bound rests on a forbidden assumption"},
    {"FUTURE", "certainly from the future"},
    {"STALE", "certainly stale"},
    {"MAYBE_STALE", "possibly stale"},
    {"UNCERTAIN", "too uncertain"},
    {"HORIZON", "beyond the mapping's horizon"},
    {"DUPLICATE", "duplicate"},
    {"BACKWARD", "counter went backwards"},
    {"AMBIGUOUS", "counter ambiguous"},
    {"RESET", "device seems to have restarted"},
    {"VIOLATION", "an assumption of the mapping is proven wrong"},
    {"OTHER", "other"},
};

const char *snt_admission_reason_name(uint32_t reason)
{
    if (reason == 0)
        return "ADMITTED";
    for (size_t i = 0; i < SNT_COUNT_OF(admission_reasons); i++)
        if (reason == UINT32_C(1) << i)
            return admission_reasons[i].name;
    return "UNKNOWN";
}

/* Text being made. What does not fit any more is counted all the same. */
typedef struct admission_text {
    size_t used;
    char made[SNT_ADMISSION_TEXT_SIZE];
} admission_text;

static void admission_put(admission_text *text, const char *more)
{
    const size_t length = strlen(more);
    if (text->used + length < sizeof text->made)
        memcpy(text->made + text->used, more, length);
    text->used += length;
}

static void admission_put_seconds(admission_text *text, int64_t ns)
{
    char digits[24];
    snt__format_seconds(ns, digits);
    admission_put(text, digits);
}

static snt_status admission_give(admission_text *text, char *out, size_t size)
{
    if (text->used >= size || text->used >= sizeof text->made)
        return SNT_ERR_BUFFER_TOO_SMALL;
    text->made[text->used] = 0;
    memcpy(out, text->made, text->used + 1);
    return SNT_OK;
}

/* A field's value as digits; `none` where it is an unknown time. */
static void admission_put_value(admission_text *text, const snt_admission_record *record,
                                const admission_field *field, const char *none)
{
    const unsigned char *at = (const unsigned char *)record + field->offset;
    char digits[24];
    uint64_t u64;
    uint32_t u32;
    memcpy(&u32, at, sizeof u32);
    if (field->kind == ADMISSION_U32)
        snprintf(digits, sizeof digits, "%" PRIu32, u32);
    else if (field->kind == ADMISSION_I32)
        snprintf(digits, sizeof digits, "%" PRId32, (int32_t)u32);
    else {
        memcpy(&u64, at, sizeof u64);
        if (field->kind == ADMISSION_TIME && (int64_t)u64 == SNT_UNKNOWN) {
            admission_put(text, none);
            return;
        }
        if (field->kind == ADMISSION_U64)
            snprintf(digits, sizeof digits, "%" PRIu64, u64);
        else
            snprintf(digits, sizeof digits, "%" PRId64, (int64_t)u64);
    }
    admission_put(text, digits);
}

/* All reasons, each between `open` and `close`. */
static void admission_put_reasons(admission_text *text, uint32_t reasons, const char *between,
                                  const char *quote)
{
    bool first = true;
    for (size_t i = 0; i < SNT_COUNT_OF(admission_reasons); i++) {
        if (!(reasons >> i & 1))
            continue;
        if (!first)
            admission_put(text, between);
        first = false;
        admission_put(text, quote);
        admission_put(text, admission_reasons[i].name);
        admission_put(text, quote);
    }
}

snt_status snt_admission_format_csv_header(char *out, size_t size)
{
    admission_text text = {0};
    if (!out)
        return SNT_ERR_INVALID_ARG;
    admission_put(&text, "decision,why");
    for (size_t i = 0; i < SNT_COUNT_OF(admission_fields); i++) {
        admission_put(&text, ",");
        admission_put(&text, admission_fields[i].name);
    }
    return admission_give(&text, out, size);
}

snt_status snt_admission_format_csv(const snt_admission_record *record, char *out, size_t size)
{
    admission_text text = {0};
    if (!record || !out)
        return SNT_ERR_INVALID_ARG;
    admission_put(&text, snt_status_name(record->status));
    admission_put(&text, ",");
    admission_put_reasons(&text, record->reasons, "|", "");
    for (size_t i = 0; i < SNT_COUNT_OF(admission_fields); i++) {
        admission_put(&text, ",");
        admission_put_value(&text, record, &admission_fields[i], "");
    }
    return admission_give(&text, out, size);
}

snt_status snt_admission_format_json(const snt_admission_record *record, char *out, size_t size)
{
    admission_text text = {0};
    if (!record || !out)
        return SNT_ERR_INVALID_ARG;
    admission_put(&text, "{\"decision\":\"");
    admission_put(&text, snt_status_name(record->status));
    admission_put(&text, "\",\"why\":[");
    admission_put_reasons(&text, record->reasons, ",", "\"");
    admission_put(&text, "]");
    for (size_t i = 0; i < SNT_COUNT_OF(admission_fields); i++) {
        admission_put(&text, ",\"");
        admission_put(&text, admission_fields[i].name);
        admission_put(&text, "\":");
        admission_put_value(&text, record, &admission_fields[i], "null");
    }
    admission_put(&text, "}");
    return admission_give(&text, out, size);
}

static void admission_put_age(admission_text *text, const snt_admission_record *r)
{
    admission_put(text, ": age ");
    admission_put_seconds(text, r->age_ns);
    if (r->age_lo_ns != INT64_MIN && r->age_hi_ns != SNT_UNKNOWN) {
        admission_put(text, " s, between ");
        admission_put_seconds(text, r->age_lo_ns);
        admission_put(text, " and ");
        admission_put_seconds(text, r->age_hi_ns);
    }
    admission_put(text, " s");
    if (r->max_age_ns != SNT_UNKNOWN) {
        admission_put(text, "; at most ");
        admission_put_seconds(text, r->max_age_ns);
        admission_put(text, " s");
    }
    if (r->reasons & SNT_REFUSED_UNCERTAIN) {
        admission_put(text, "; uncertain by at most ");
        admission_put_seconds(text, r->max_uncertainty_ns);
        admission_put(text, " s");
    }
}

snt_status snt_admission_format_text(const snt_admission_record *record, char *out, size_t size)
{
    admission_text text = {0};
    if (!record || !out)
        return SNT_ERR_INVALID_ARG;
    admission_put(&text, record->reasons ? "refused" : "admitted");
    for (size_t i = 0; i < SNT_COUNT_OF(admission_reasons); i++)
        if (record->reasons >> i & 1) {
            admission_put(&text, ", ");
            admission_put(&text, admission_reasons[i].text);
        }
    if (record->notes & SNT_NOTE_NO_TIME) {
        admission_put(&text, ": ");
        admission_put(&text, snt_status_text(record->status));
    } else if (!(record->reasons & (SNT_REFUSED_MALFORMED | SNT_REFUSED_DOMAIN))) {
        admission_put_age(&text, record);
    }
    return admission_give(&text, out, size);
}
