/* SPDX-License-Identifier: BSD-3-Clause */
/* A detection in words. */
#include "layout.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const char *snt_layout_evidence_text(uint32_t bit)
{
    static const char *const texts[] = {
#define SNT_X(name, bit, text) [bit] = text,
        SNT_LAYOUT_EVIDENCE_MAP(SNT_X)
#undef SNT_X
    };
    return bit < SNT_COUNT_OF(texts) ? texts[bit] : NULL;
}

const char *snt_time_unit_name(uint32_t unit)
{
    static const char *const names[] = {"unknown", "s", "ms", "us", "0.1 us", "ns"};
    return unit < SNT_COUNT_OF(names) ? names[unit] : names[0];
}

const char *snt_header_role_name(uint32_t role)
{
    static const char *const names[] = {"unknown",     "scan start",           "scan middle", "scan end",
                                        "last packet", "reception (after it)", "unrelated"};
    return role < SNT_COUNT_OF(names) ? names[role] : names[0];
}

static const char *format_reference(uint32_t ref)
{
    static const char *const names[] = {"no usable time", "absolute", "relative to the header", "normalised",
                                        "relative to each packet"};
    return ref < SNT_COUNT_OF(names) ? names[ref] : "unknown";
}

static const char *format_type(uint32_t type)
{
    static const char *const names[] = {"-",   "i8",  "u8",  "i16", "u16", "i32",
                                        "u32", "f32", "f64", "i64", "u64"};
    return type < SNT_COUNT_OF(names) ? names[type] : "?";
}

/* Text that grows; `over` once it did not fit. */
typedef struct format_text {
    char made[4096];
    size_t length;
    bool over;
} format_text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
format_add(format_text *text, const char *format, ...)
{
    va_list args;
    if (text->over)
        return;
    va_start(args, format);
    const size_t room = sizeof text->made - text->length;
    const int n = vsnprintf(text->made + text->length, room, format, args);
    va_end(args);
    text->over = n < 0 || (size_t)n >= room;
    text->length += text->over ? 0 : (size_t)n;
}

static void format_time(format_text *text, const snt_point_layout *layout, const snt_layout_report *report)
{
    if (report->status) {
        format_add(text, "time: %s", snt_status_text(report->status));
        if (report->time_field >= 0)
            format_add(text, " (field '%s')", report->time_name);
        format_add(text, "\n");
        return;
    }
    format_add(text, "time: '%s' %s @%" PRIu32 ", %s (%.2f), ", report->time_name,
               format_type(layout->time.type), layout->time.offset, snt_time_unit_name(layout->time_unit),
               report->unit_confidence);
    format_add(text, "%s (%.2f); steps of %" PRId64 " ns\n",
               layout->time_base_low.type ? "relative to a base in the points"
                                          : format_reference(layout->time_ref),
               report->reference_confidence, report->resolution_ns);
    format_add(text, "header: %s (%.2f)", snt_header_role_name(layout->header_role), report->role_confidence);
    if (report->header_to_first_ns != SNT_UNKNOWN)
        format_add(text, "; points from %+.9f s to %+.9f s", (double)report->header_to_first_ns * 1e-9,
                   (double)report->header_to_last_ns * 1e-9);
    format_add(text, "\n");
}

static void format_numbers(format_text *text, const snt_layout_report *report)
{
    if (report->span_ns != SNT_UNKNOWN && !report->packet_span_ns)
        format_add(text, "scan: %.6f s", (double)report->span_ns * 1e-9);
    if (report->packet_span_ns)
        format_add(text, "packets: %" PRIu64 " restarts, up to %.6f s each", report->restarts,
                   (double)report->packet_span_ns * 1e-9);
    if (report->period_ns != SNT_UNKNOWN)
        format_add(text, "%speriod %.6f s",
                   report->span_ns != SNT_UNKNOWN ? ", " : "scan: ", (double)report->period_ns * 1e-9);
    format_add(text, "%s%" PRIu64 " points in %" PRIu32 " scans: %" PRIu64 " invalid, %" PRIu64 " outliers, ",
               report->span_ns != SNT_UNKNOWN || report->period_ns != SNT_UNKNOWN ? ", " : "", report->points,
               report->scans_used, report->invalid, report->outliers);
    format_add(text, "%" PRIu64 " zeros, %" PRIu64 " wrapped, %" PRIu64 " steps back\n", report->zeros,
               report->underflows, report->negative_jumps);
}

static void format_candidates(format_text *text, const snt_layout_report *report)
{
    if (report->status != SNT_ERR_AMBIGUOUS)
        return;
    for (uint32_t i = 0; i < report->candidate_count && i < SNT_LAYOUT_CANDIDATES; i++) {
        const snt_layout_candidate *c = &report->candidates[i];
        format_add(text, "reading %" PRIu32 ": %s, %s, header %s, scan of %.6f s (%.2f)\n", i + 1,
                   snt_time_unit_name(c->time_unit), format_reference(c->time_ref),
                   snt_header_role_name(c->header_role), (double)c->span_ns * 1e-9, c->confidence);
    }
}

snt_status snt_point_layout_format(const snt_point_layout *layout, const snt_layout_report *report,
                                   char *text, size_t size)
{
    if (!layout || !report || !text)
        return SNT_ERR_INVALID_ARG;
    format_text out = {.length = 0};
    format_time(&out, layout, report);
    format_candidates(&out, report);
    if (report->time_field >= 0)
        format_numbers(&out, report);
    if (report->ring_field >= 0)
        format_add(&out, "ring: '%s' %s @%" PRIu32 ", %" PRIu32 " distinct (%.2f)\n", report->ring_name,
                   format_type(layout->ring.type), layout->ring.offset, report->ring_count,
                   report->ring_confidence);
    if (report->producer)
        format_add(&out, "layout of: %s%s%s%s\n", report->producer,
                   report->producer_count > 1 ? " (and others)" : "", report->producer_note ? ": " : "",
                   report->producer_note ? report->producer_note : "");
    for (uint32_t bit = 0; bit < SNT_LAYOUT_EVIDENCE_COUNT; bit++)
        if (report->evidence >> bit & 1 && snt_layout_evidence_text(bit))
            format_add(&out, "- %s\n", snt_layout_evidence_text(bit));
    if (out.over || out.length >= size)
        return SNT_ERR_BUFFER_TOO_SMALL;
    memcpy(text, out.made, out.length + 1);
    return SNT_OK;
}
