/* SPDX-License-Identifier: BSD-3-Clause */
#include "../base/internal.h"
#include "finding_list.h"
#include "../base/print.h"

#include "sensortime/finding.h"
#include "sensortime/stream_monitor.h"

_Static_assert(sizeof(snt_finding) == 104, "frozen");

const char *snt_finding_name(uint32_t code)
{
    switch (code) {
#define SNT_X(name, number, severity, meaning, remedy)                                                       \
    case name:                                                                                               \
        return #name;
        SNT_FINDING_MAP(SNT_X)
#undef SNT_X
    default:
        return "SNT_FINDING_NONE";
    }
}

const char *snt_finding_meaning(uint32_t code)
{
    switch (code) {
#define SNT_X(name, number, severity, meaning, remedy)                                                       \
    case name:                                                                                               \
        return meaning;
        SNT_FINDING_MAP(SNT_X)
#undef SNT_X
    default:
        return "";
    }
}

const char *snt_finding_remedy(uint32_t code)
{
    switch (code) {
#define SNT_X(name, number, severity, meaning, remedy)                                                       \
    case name:                                                                                               \
        return remedy;
        SNT_FINDING_MAP(SNT_X)
#undef SNT_X
    default:
        return "";
    }
}

uint32_t snt_finding_severity(uint32_t code)
{
    switch (code) {
#define SNT_X(name, number, severity, meaning, remedy)                                                       \
    case name:                                                                                               \
        return severity;
        SNT_FINDING_MAP(SNT_X)
#undef SNT_X
    default:
        return 0;
    }
}

/* How a code's fields read; NULL = not used by it. */
typedef struct finding_words {
    uint32_t code;
    const char *value, *reference, *range, *number, *number_unit;
} finding_words;

static const finding_words finding_table[] = {
    {SNT_FINDING_NO_MESSAGES, "waited ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_SILENT, "silent for ", "usual interval ", NULL, NULL, NULL},
    {SNT_FINDING_GAP, "longest ", "usual interval ", "messages missing: ", NULL, NULL},
    {SNT_FINDING_RATE, "median interval ", "expected ", NULL, "rate ", " Hz"},
    {SNT_FINDING_JITTER, "95 % within ", "usual interval ", NULL, NULL, NULL},
    {SNT_FINDING_BACKWARD, "longest step back ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_INTERLEAVED, "longest step back ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_RECORDED_BACKWARD, "longest step back ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_FROZEN_STAMP, "for ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_FROZEN_CONTENT, "for ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_BURST, "longest stop of delivery ", "usual interval ", "messages at once: ", NULL, NULL},
    {SNT_FINDING_SEQUENCE_LOSS, NULL, NULL, "messages lost: ", NULL, NULL},
    {SNT_FINDING_FUTURE, "farthest ahead ", "median delay ", NULL, NULL, NULL},
    {SNT_FINDING_LATE_CONSTANT, "median delay ", "scatter ", NULL, NULL, NULL},
    {SNT_FINDING_LATE, "median delay ", "95 % below ", NULL, NULL, NULL},
    {SNT_FINDING_DELAY_TREND, "change of delay ", "over ", NULL, "slope ", " ns/s"},
    {SNT_FINDING_STAMPED_ON_ARRIVAL, "scatter of delay ", "scatter of arrivals ", NULL, NULL, NULL},
    {SNT_FINDING_DELIVERY_JITTER, "scatter of arrivals ", "scatter of stamps ", NULL, NULL, NULL},
    {SNT_FINDING_STAMP_JUMP, "largest ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_CLOCK_DOMAIN, "log - stamp ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_TIME_SCALE, "stamp - log ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_HOST_STEP, "largest step ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_WRAPPED_POINT_TIME, NULL, NULL, "points: ", NULL, NULL},
    {SNT_FINDING_INVALID_POINT_TIME, NULL, NULL, "points: ", NULL, NULL},
    {SNT_FINDING_NOT_TIME_ORDERED, "largest step back ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_FOREIGN_POINTS, NULL, "period ", "points: ", NULL, NULL},
    {SNT_FINDING_DURATION, "usual duration ", NULL, NULL, "the unit would fit if it were times ", ""},
    {SNT_FINDING_SUSPECT_LOSS, "largest gap between point times ", "usual ", NULL, NULL, NULL},
    {SNT_FINDING_PACKET_LOSS, NULL, NULL, "packets lost: ", NULL, NULL},
    {SNT_FINDING_IMU_MISSING, "worst margin ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_IMU_HOLE, "longest ", "limit ", NULL, NULL, NULL},
    {SNT_FINDING_IMU_BACKWARD, "longest step back ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_IMU_CLOCK, "IMU - scan ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_SCAN_OVERLAP, "largest overlap ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_HEADER_ROLE, "first point - header ", "usual duration ", NULL, NULL, NULL},
    {SNT_FINDING_HEADER_UNSTEADY, "scatter of first point - header ", NULL, NULL, NULL, NULL},
    {SNT_FINDING_RECEIVED_BEFORE_END, "received - scan end ", "usual duration ", NULL, NULL, NULL},
    {SNT_FINDING_PERIOD_EARLY, "first point - header ", "period ", NULL, NULL, NULL},
    {SNT_FINDING_LATENCY, "scatter ", "median latency ", NULL, NULL, NULL},
    {SNT_FINDING_COARSE_POINT_TIME, "step of the type ", NULL, NULL, NULL, NULL},
};

static void finding_detail(snt__printer *out, const snt_finding *f)
{
    const finding_words *words = NULL;
    for (size_t i = 0; i < SNT_COUNT_OF(finding_table); i++)
        if (finding_table[i].code == f->code)
            words = &finding_table[i];
    if (words && words->value) {
        snt__print_string(out, "; ");
        snt__print_string(out, words->value);
        snt__print_duration(out, f->value_ns);
    }
    if (words && words->reference) {
        snt__print_string(out, ", ");
        snt__print_string(out, words->reference);
        snt__print_duration(out, f->reference_ns);
    }
    if (words && words->range) {
        snt__print_string(out, "; ");
        snt__print_string(out, words->range);
        snt__print_integer(out, f->lo);
        if (f->hi != f->lo) {
            snt__print_string(out, " to ");
            snt__print_integer(out, f->hi);
        }
    }
    if (words && words->number) {
        snt__print_string(out, "; ");
        snt__print_string(out, words->number);
        snt__print_number(out, f->number, 3);
        if (f->number_error > 0) {
            snt__print_string(out, " ± ");
            snt__print_number(out, f->number_error, 3);
        }
        snt__print_string(out, words->number_unit);
    }
    if (f->code == SNT_FINDING_TIME_SCALE) {
        snt__print_string(out, "; ");
        snt__print_string(out, snt_clock_kind_text((uint32_t)f->lo));
    }
    if (f->code == SNT_FINDING_CLOCK_DOMAIN || f->code == SNT_FINDING_MIXED_CLOCKS) {
        snt__print_string(out, "; stamps: ");
        snt__print_string(out, snt_clock_kind_text((uint32_t)f->lo));
        snt__print_string(out, f->code == SNT_FINDING_CLOCK_DOMAIN ? ", log: " : " and ");
        snt__print_string(out, snt_clock_kind_text((uint32_t)f->hi));
    }
}

static void finding_certainty(snt__printer *out, double certainty)
{
    snt__print_string(out, certainty >= 0.995  ? " Certain"
                           : certainty >= 0.8  ? " Very likely"
                           : certainty >= 0.55 ? " Likely"
                                               : " Possible");
    snt__print_string(out, " (");
    snt__print_number(out, certainty, 2);
    snt__print_string(out, ").");
}

snt_status snt_finding_format(const snt_finding *finding, char *text, size_t size)
{
    if (!finding || !text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);

    snt__print_string(&out, finding->severity == SNT_SEVERITY_ERROR     ? "error: "
                            : finding->severity == SNT_SEVERITY_WARNING ? "warning: "
                                                                        : "note: ");
    snt__print_string(&out, snt_finding_meaning(finding->code));
    if (finding->total) {
        snt__print_string(&out, "; ");
        snt__print_integer(&out, (int64_t)finding->count);
        snt__print_string(&out, " of ");
        snt__print_integer(&out, (int64_t)finding->total);
    }
    finding_detail(&out, finding);
    if (finding->total && finding->count) {
        snt__print_string(&out, "; first at no. ");
        snt__print_integer(&out, (int64_t)finding->first_index);
        if (finding->first_stamp_ns != SNT_UNKNOWN) {
            snt__print_string(&out, " (stamp ");
            snt__print_time(&out, finding->first_stamp_ns);
            snt__print_string(&out, ")");
        }
    }
    snt__print_string(&out, ".");
    finding_certainty(&out, finding->certainty);
    snt__print_string(&out, " What to do: ");
    snt__print_string(&out, snt_finding_remedy(finding->code));
    snt__print_string(&out, ".");
    return snt__print_end(&out);
}

snt_finding *snt__finding_add(snt__finding_list *list, uint32_t code, double certainty,
                              const snt_finding *first)
{
    snt_finding *f = &list->items[list->count < SNT__FINDING_MOST ? list->count++ : SNT__FINDING_MOST];
    *f = (snt_finding){.code = code,
                       .severity = snt_finding_severity(code),
                       .certainty = certainty,
                       .first_stamp_ns = SNT_UNKNOWN,
                       .first_log_ns = SNT_UNKNOWN};
    if (first) {
        f->first_index = first->first_index;
        f->first_stamp_ns = first->first_stamp_ns;
        f->first_log_ns = first->first_log_ns;
    }
    return f;
}

snt_status snt__finding_give(snt__finding_list *list, snt_finding *out, uint32_t capacity, uint32_t *count)
{
    uint32_t given = 0;
    for (uint32_t severity = SNT_SEVERITY_ERROR; severity >= SNT_SEVERITY_NOTE; severity--)
        for (uint32_t i = 0; i < list->count; i++)
            if (list->items[i].severity == severity && given < capacity)
                out[given++] = list->items[i];
    *count = list->count;
    return list->count > capacity ? SNT_ERR_BUFFER_TOO_SMALL : SNT_OK;
}
