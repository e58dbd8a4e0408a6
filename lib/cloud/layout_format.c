/* SPDX-License-Identifier: BSD-3-Clause */
/* A detection in words. */
#include "layout.h"

#include "../base/print.h"

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

static void format_share(snt__printer *out, double share)
{
    snt__print_string(out, " (");
    snt__print_number(out, share, 2);
    snt__print_char(out, ')');
}

static void format_span(snt__printer *out, const char *words, int64_t ns)
{
    snt__print_string(out, words);
    snt__print_number(out, (double)ns * 1e-9, 6);
    snt__print_string(out, " s");
}

/* Relative to the header: the sign is what matters. */
static void format_offset(snt__printer *out, const char *words, int64_t ns)
{
    snt__print_string(out, words);
    if (ns >= 0)
        snt__print_char(out, '+');
    snt__print_time(out, ns);
}

static void format_count(snt__printer *out, uint64_t count, const char *words)
{
    snt__print_unsigned(out, count);
    snt__print_string(out, words);
}

/* 'name' type @offset */
static void format_field(snt__printer *out, const char *name, uint32_t type, uint32_t offset)
{
    snt__print_char(out, '\'');
    snt__print_string(out, name);
    snt__print_string(out, "' ");
    snt__print_string(out, format_type(type));
    snt__print_string(out, " @");
    snt__print_unsigned(out, offset);
}

static void format_no_time(snt__printer *out, const snt_layout_report *report)
{
    snt__print_string(out, "time: ");
    snt__print_string(out, snt_status_text(report->status));
    if (report->time_field >= 0) {
        snt__print_string(out, " (field '");
        snt__print_string(out, report->time_name);
        snt__print_string(out, "')");
    }
    snt__print_char(out, '\n');
}

static void format_time(snt__printer *out, const snt_point_layout *layout, const snt_layout_report *report)
{
    snt__print_string(out, "time: ");
    format_field(out, report->time_name, layout->time.type, layout->time.offset);
    snt__print_string(out, ", ");
    snt__print_string(out, snt_time_unit_name(layout->time_unit));
    format_share(out, report->unit_confidence);
    snt__print_string(out, ", ");
    snt__print_string(out, layout->time_base_low.type ? "relative to a base in the points"
                                                      : format_reference(layout->time_ref));
    format_share(out, report->reference_confidence);
    snt__print_string(out, "; steps of ");
    snt__print_integer(out, report->resolution_ns);
    snt__print_string(out, " ns\nheader: ");
    snt__print_string(out, snt_header_role_name(layout->header_role));
    format_share(out, report->role_confidence);
    if (report->header_to_first_ns != SNT_UNKNOWN) {
        format_offset(out, "; points from ", report->header_to_first_ns);
        format_offset(out, " to ", report->header_to_last_ns);
    }
    snt__print_char(out, '\n');
}

static void format_numbers(snt__printer *out, const snt_layout_report *report)
{
    const bool spanned = report->span_ns != SNT_UNKNOWN, periodic = report->period_ns != SNT_UNKNOWN;
    if (spanned && !report->packet_span_ns)
        format_span(out, "scan: ", report->span_ns);
    if (report->packet_span_ns) {
        snt__print_string(out, "packets: ");
        format_count(out, report->restarts, " restarts");
        format_span(out, ", up to ", report->packet_span_ns);
        snt__print_string(out, " each");
    }
    if (periodic)
        format_span(out, spanned ? ", period " : "scan: period ", report->period_ns);
    if (spanned || periodic)
        snt__print_string(out, ", ");
    format_count(out, report->points, " points in ");
    format_count(out, report->scans_used, " scans: ");
    format_count(out, report->invalid, " invalid, ");
    format_count(out, report->outliers, " outliers, ");
    format_count(out, report->zeros, " zeros, ");
    format_count(out, report->underflows, " wrapped, ");
    format_count(out, report->negative_jumps, " steps back\n");
}

static void format_candidates(snt__printer *out, const snt_layout_report *report)
{
    if (report->status != SNT_ERR_AMBIGUOUS)
        return;
    for (uint32_t i = 0; i < report->candidate_count && i < SNT_LAYOUT_CANDIDATES; i++) {
        const snt_layout_candidate *c = &report->candidates[i];
        snt__print_string(out, "reading ");
        format_count(out, i + 1, ": ");
        snt__print_string(out, snt_time_unit_name(c->time_unit));
        snt__print_string(out, ", ");
        snt__print_string(out, format_reference(c->time_ref));
        snt__print_string(out, ", header ");
        snt__print_string(out, snt_header_role_name(c->header_role));
        format_span(out, ", scan of ", c->span_ns);
        format_share(out, c->confidence);
        snt__print_char(out, '\n');
    }
}

static void format_producer(snt__printer *out, const snt_layout_report *report)
{
    snt__print_string(out, "layout of: ");
    snt__print_string(out, report->producer);
    if (report->producer_count > 1)
        snt__print_string(out, " (and others)");
    if (report->producer_note) {
        snt__print_string(out, ": ");
        snt__print_string(out, report->producer_note);
    }
    snt__print_char(out, '\n');
}

snt_status snt_point_layout_format(const snt_point_layout *layout, const snt_layout_report *report,
                                   char *text, size_t size)
{
    if (!layout || !report || !text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);
    if (report->status)
        format_no_time(&out, report);
    else
        format_time(&out, layout, report);
    format_candidates(&out, report);
    if (report->time_field >= 0)
        format_numbers(&out, report);
    if (report->ring_field >= 0) {
        snt__print_string(&out, "ring: ");
        format_field(&out, report->ring_name, layout->ring.type, layout->ring.offset);
        snt__print_string(&out, ", ");
        format_count(&out, report->ring_count, " distinct");
        format_share(&out, report->ring_confidence);
        snt__print_char(&out, '\n');
    }
    if (report->producer)
        format_producer(&out, report);
    for (uint32_t bit = 0; bit < SNT_LAYOUT_EVIDENCE_COUNT; bit++) {
        if (!(report->evidence >> bit & 1) || !snt_layout_evidence_text(bit))
            continue;
        snt__print_string(&out, "- ");
        snt__print_string(&out, snt_layout_evidence_text(bit));
        snt__print_char(&out, '\n');
    }
    return snt__print_end(&out);
}
