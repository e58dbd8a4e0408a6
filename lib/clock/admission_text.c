/* SPDX-License-Identifier: BSD-3-Clause */
/* Records as text: for people, as CSV and as JSON. One table of fields serves both formats. */
#include "../base/print.h"

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

/* A field's value as digits; `none` where it is an unknown time. */
static void admission_put_value(snt__printer *text, const snt_admission_record *record,
                                const admission_field *field, const char *none)
{
    const unsigned char *at = (const unsigned char *)record + field->offset;
    uint64_t u64;
    uint32_t u32;
    memcpy(&u32, at, sizeof u32);
    if (field->kind == ADMISSION_U32 || field->kind == ADMISSION_I32) {
        snt__print_integer(text, field->kind == ADMISSION_U32 ? (int64_t)u32 : (int32_t)u32);
        return;
    }
    memcpy(&u64, at, sizeof u64);
    if (field->kind == ADMISSION_TIME && (int64_t)u64 == SNT_UNKNOWN)
        snt__print_string(text, none);
    else if (field->kind == ADMISSION_U64)
        snt__print_unsigned(text, u64);
    else
        snt__print_integer(text, (int64_t)u64);
}

/* All reasons, each between `open` and `close`. */
static void admission_put_reasons(snt__printer *text, uint32_t reasons, const char *between,
                                  const char *quote)
{
    bool first = true;
    for (size_t i = 0; i < SNT_COUNT_OF(admission_reasons); i++) {
        if (!(reasons >> i & 1))
            continue;
        if (!first)
            snt__print_string(text, between);
        first = false;
        snt__print_string(text, quote);
        snt__print_string(text, admission_reasons[i].name);
        snt__print_string(text, quote);
    }
}

snt_status snt_admission_format_csv_header(char *out, size_t size)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    snt__printer text = snt__print_begin(out, size);
    snt__print_string(&text, "decision,why");
    for (size_t i = 0; i < SNT_COUNT_OF(admission_fields); i++) {
        snt__print_string(&text, ",");
        snt__print_string(&text, admission_fields[i].name);
    }
    return snt__print_end(&text);
}

snt_status snt_admission_format_csv(const snt_admission_record *record, char *out, size_t size)
{
    if (!record || !out)
        return SNT_ERR_INVALID_ARG;
    snt__printer text = snt__print_begin(out, size);
    snt__print_string(&text, snt_status_name(record->status));
    snt__print_string(&text, ",");
    admission_put_reasons(&text, record->reasons, "|", "");
    for (size_t i = 0; i < SNT_COUNT_OF(admission_fields); i++) {
        snt__print_string(&text, ",");
        admission_put_value(&text, record, &admission_fields[i], "");
    }
    return snt__print_end(&text);
}

snt_status snt_admission_format_json(const snt_admission_record *record, char *out, size_t size)
{
    if (!record || !out)
        return SNT_ERR_INVALID_ARG;
    snt__printer text = snt__print_begin(out, size);
    snt__print_string(&text, "{\"decision\":\"");
    snt__print_string(&text, snt_status_name(record->status));
    snt__print_string(&text, "\",\"why\":[");
    admission_put_reasons(&text, record->reasons, ",", "\"");
    snt__print_string(&text, "]");
    for (size_t i = 0; i < SNT_COUNT_OF(admission_fields); i++) {
        snt__print_string(&text, ",\"");
        snt__print_string(&text, admission_fields[i].name);
        snt__print_string(&text, "\":");
        admission_put_value(&text, record, &admission_fields[i], "null");
    }
    snt__print_string(&text, "}");
    return snt__print_end(&text);
}

static void admission_put_age(snt__printer *text, const snt_admission_record *r)
{
    snt__print_string(text, ": age ");
    snt__print_seconds(text, r->age_ns);
    if (r->age_lo_ns != INT64_MIN && r->age_hi_ns != SNT_UNKNOWN) {
        snt__print_string(text, " s, between ");
        snt__print_seconds(text, r->age_lo_ns);
        snt__print_string(text, " and ");
        snt__print_seconds(text, r->age_hi_ns);
    }
    snt__print_string(text, " s");
    if (r->max_age_ns != SNT_UNKNOWN) {
        snt__print_string(text, "; at most ");
        snt__print_seconds(text, r->max_age_ns);
        snt__print_string(text, " s");
    }
    if (r->reasons & SNT_REFUSED_UNCERTAIN) {
        snt__print_string(text, "; uncertain by at most ");
        snt__print_seconds(text, r->max_uncertainty_ns);
        snt__print_string(text, " s");
    }
}

snt_status snt_admission_format_text(const snt_admission_record *record, char *out, size_t size)
{
    if (!record || !out)
        return SNT_ERR_INVALID_ARG;
    snt__printer text = snt__print_begin(out, size);
    snt__print_string(&text, record->reasons ? "refused" : "admitted");
    for (size_t i = 0; i < SNT_COUNT_OF(admission_reasons); i++)
        if (record->reasons >> i & 1) {
            snt__print_string(&text, ", ");
            snt__print_string(&text, admission_reasons[i].text);
        }
    if (record->notes & SNT_NOTE_NO_TIME) {
        snt__print_string(&text, ": ");
        snt__print_string(&text, snt_status_text(record->status));
    } else if (!(record->reasons & (SNT_REFUSED_MALFORMED | SNT_REFUSED_DOMAIN))) {
        admission_put_age(&text, record);
    }
    return snt__print_end(&text);
}
