/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"

#include <math.h>

_Static_assert(sizeof(snt_layout_candidate) == 32 || sizeof(void *) != 8, "frozen");
_Static_assert(sizeof(snt_layout_report) == 416 || sizeof(void *) != 8, "frozen");

#define DETECT_MANY_ZEROS 0.05 /* a column or two may have time zero; this share is clamped or unfilled */

static snt_layout_options detect_defaults(void)
{
    return (snt_layout_options){.struct_size = sizeof(snt_layout_options)};
}

void snt_layout_options_init(snt_layout_options *options, size_t size)
{
    const snt_layout_options defaults = detect_defaults();
    snt__config_init(options, size, &defaults, sizeof defaults);
}

/* The scans as they are walked. Their points must have one size, and lie in their data. */
static snt_status detect_take_scans(const snt_pointcloud2_view *views, uint32_t count,
                                    const snt_layout_options *options, snt__scan *scans)
{
    for (uint32_t i = 0; i < count; i++) {
        const snt_pointcloud2_view *view = &views[i];
        if (view->point_step != views[0].point_step || (view->point_count && !view->data))
            return SNT_ERR_INVALID_ARG;
        const bool declared = view->flags & SNT_POINTCLOUD2_BIG_ENDIAN;
        scans[i] = (snt__scan){.view = view,
                               .count = view->point_count,
                               .step = 1,
                               .big_endian = options->byte_order ? options->byte_order == 2 : declared};
        if (options->max_points_per_scan && view->point_count > options->max_points_per_scan) {
            /* odd, so that it does not beat with the lasers, whose number is mostly even */
            scans[i].step = ((view->point_count - 1) / options->max_points_per_scan + 1) | 1;
            scans[i].count = (view->point_count - 1) / scans[i].step + 1;
        }
    }
    return SNT_OK;
}

static bool detect_declared_big(const snt_pointcloud2_view *view)
{
    return view->flags & SNT_POINTCLOUD2_BIG_ENDIAN;
}

/* Fields that end behind the point are refused by the views; lists made by hand are looked at here. */
static bool detect_fields_fit(const snt_point_field *fields, uint32_t count, uint32_t point_step)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!fields[i].name.data && fields[i].name.size)
            return false;
        const uint64_t elements = fields[i].count ? fields[i].count : 1;
        if (fields[i].offset + elements * snt_type_size(fields[i].datatype) > point_step)
            return false;
    }
    return true;
}

static bool detect_has_points(const snt__scan *scans, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (scans[i].count)
            return true;
    return false;
}

static const snt__scan *detect_first_scan(const snt__scan *scans, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (scans[i].count)
            return &scans[i];
    return NULL;
}

/* Among the rows that fit, the one that also expects what was found. */
static const snt__producer *detect_pick_producer(const snt__producer *const *found, uint32_t count,
                                                 const snt__reading *reading)
{
    const snt__producer *best = count ? found[0] : NULL;
    int best_score = -1;
    for (uint32_t i = 0; i < count; i++) {
        const int score = 4 * (found[i]->unit == reading->unit) +
                          2 * (found[i]->time_ref == reading->time_ref) + (found[i]->role == reading->role);
        if (score > best_score) {
            best = found[i];
            best_score = score;
        }
    }
    return best;
}

/* Everything about one column. */
typedef struct detect_result {
    snt__column column;
    snt__series series;
    snt__reading reading;
    double packet_run; /* raw; > 0: times restart in each packet */
} detect_result;

/* Times that restart in each packet: the unit follows from the packets filling a scan. */
static void detect_packet_unit(const snt__measure *m, const snt__column *column,
                               const snt__producer *producer, snt__reading *reading)
{
    const double total = m->max_run * (double)(m->restarts + 1);
    reading->unit = column->named_unit;
    if (!reading->unit && producer)
        reading->unit = producer->unit;
    for (uint32_t unit = SNT_TIME_UNIT_S; !reading->unit && unit <= SNT_TIME_UNIT_NS; unit++) {
        const double ns = total * (double)snt__unit_ns(unit);
        if (unit != SNT_TIME_UNIT_100NS && ns >= 1e7 && ns <= 1.5e9)
            reading->unit = unit;
    }
    reading->unit_confidence = reading->unit ? 0.8 : 0;
    reading->time_ref = SNT_TIME_REF_PACKET;
    reading->reference_confidence = 0.9;
    reading->evidence |= SNT_LAYOUT_EVIDENCE(PER_PACKET);
    reading->status = SNT_ERR_NO_TIME;
    reading->candidate_count = 1;
    reading->candidates[0] = (snt_layout_candidate){.field = column->index,
                                                    .time_unit = reading->unit,
                                                    .time_ref = SNT_TIME_REF_PACKET,
                                                    .span_ns = SNT_UNKNOWN,
                                                    .confidence = 0.9};
}

static const snt__producer *detect_row_with_unit(const snt__producer *const *found, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (found[i]->time_ref != SNT_TIME_REF_NONE)
            return found[i];
    return NULL;
}

static void detect_column(const snt__scan *scans, uint32_t count, const snt_layout_options *options,
                          const snt__producer *const *producers, uint32_t producer_count,
                          const snt_point_layout *layout, detect_result *r)
{
    const snt__column *column = &r->column;
    snt__series *series = &r->series;
    snt__series_measure(scans, count, column, options, series);
    r->reading = (snt__reading){.first_ns = SNT_UNKNOWN, .last_ns = SNT_UNKNOWN};
    r->packet_run = 0;
    r->reading.evidence = SNT_LAYOUT_EVIDENCE(NAMED_FIELD);
    r->reading.evidence |= column->nsec.type ? SNT_LAYOUT_EVIDENCE(SPLIT_TIME) : 0;
    if (!series->count) {
        r->reading.status = SNT_ERR_NO_TIME;
        return;
    }
    const snt__scan *first = detect_first_scan(scans, count);
    if (snt__is_per_packet(first, column, layout, series, &series->scan[0])) {
        r->packet_run = series->scan[0].max_run;
        detect_packet_unit(&series->scan[0], column, detect_row_with_unit(producers, producer_count),
                           &r->reading);
        return;
    }
    snt__reading_unit(series, column, producers, producer_count, &r->reading);
    if (r->reading.status)
        return;
    snt__reading probe = r->reading;
    snt__reading_role(series, NULL, &probe); /* which of several makers it is depends on the role */
    snt__reading_role(series, detect_pick_producer(producers, producer_count, &probe), &r->reading);
}

/* Which of two columns to use: one that is decided, then exact types, then the surer one. */
static int detect_rank(const detect_result *r)
{
    const bool whole = r->column.value.type != SNT_TYPE_F32 && r->column.value.type != SNT_TYPE_F64;
    int rank = 0;
    if (r->reading.status == SNT_OK)
        rank = 100;
    else if (r->reading.status == SNT_ERR_AMBIGUOUS)
        rank = 60;
    else if (r->reading.status == SNT_ERR_PRECISION)
        rank = 40;
    else if (r->packet_run > 0)
        rank = 20;
    return rank + (r->reading.time_ref == SNT_TIME_REF_RELATIVE ? 4 : 0) + (whole ? 2 : 0) +
           (r->column.value.type == SNT_TYPE_F64 ? 1 : 0);
}

static bool detect_is_wrapped(const detect_result *r)
{
    return r->series.type != r->column.value.type;
}

static void detect_count(const detect_result *r, snt_layout_report *report)
{
    const snt__series *series = &r->series;
    uint64_t changes = 0;
    for (uint32_t i = 0; i < series->count; i++) {
        const snt__measure *m = &series->scan[i];
        report->points += m->valid + m->invalid;
        report->invalid += m->invalid;
        report->zeros += m->zeros;
        report->outliers += m->outliers;
        report->underflows += detect_is_wrapped(r) ? m->wrapped : 0;
        report->negative_jumps += m->jumps;
        report->restarts += m->restarts;
        changes += m->changes;
    }
    uint64_t *evidence = &report->evidence;
    const double points = (double)report->points, zeros = (double)report->zeros;
    *evidence |= detect_is_wrapped(r) ? SNT_LAYOUT_EVIDENCE(UNSIGNED_UNDERFLOW) : 0;
    *evidence |= report->invalid ? SNT_LAYOUT_EVIDENCE(INVALID_VALUES) : 0;
    *evidence |= report->outliers ? SNT_LAYOUT_EVIDENCE(OUTLIERS) : 0;
    *evidence |= report->negative_jumps ? SNT_LAYOUT_EVIDENCE(NOT_MONOTONIC) : 0;
    if (series->span > 0 && zeros > DETECT_MANY_ZEROS * points && zeros * (double)(changes + 1) > 3 * points)
        *evidence |= SNT_LAYOUT_EVIDENCE(MANY_ZEROS);
    if (series->span > 0 && changes * 8 < report->points)
        *evidence |= SNT_LAYOUT_EVIDENCE(PACKET_STEPS);
}

/* Two columns that are both decided: do they speak of the same scan? */
static bool detect_agree(const detect_result *a, const detect_result *b)
{
    if (a->reading.status || b->reading.status)
        return false;
    const double x = a->series.span * (double)snt__unit_ns(a->reading.unit);
    const double y = b->series.span * (double)snt__unit_ns(b->reading.unit);
    return fabs(x - y) <= 0.01 * (x > y ? x : y);
}

/* The best of all columns is left in `best`. */
static void detect_best_column(const snt__scan *scans, uint32_t count, const snt_layout_options *options,
                               const snt__column *columns, uint32_t column_count,
                               const snt__producer *const *producers, uint32_t producer_count,
                               const snt_point_layout *layout, detect_result *best)
{
    bool agree = false;
    for (uint32_t i = 0; i < column_count; i++) {
        detect_result r = {.column = columns[i]};
        detect_column(scans, count, options, producers, producer_count, layout, &r);
        if (i == 0) {
            *best = r;
            continue;
        }
        agree |= detect_agree(&r, best);
        if (detect_rank(&r) > detect_rank(best))
            *best = r;
    }
    best->reading.evidence |= agree ? SNT_LAYOUT_EVIDENCE(MIXED_TYPES) : 0;
}

static void detect_report_clock(const detect_result *r, snt_layout_report *report)
{
    if (r->reading.time_ref != SNT_TIME_REF_ABSOLUTE || r->reading.status)
        return;
    const double first = r->series.scan[0].lo * (double)snt__unit_ns(r->reading.unit);
    if (!(fabs(first) < 9.2e18))
        return;
    if (snt_clock_classify((snt_time)first, r->series.stamp[0], SNT_UNKNOWN, 0, NULL, &report->clock) ==
            SNT_OK &&
        !report->clock.comparable)
        report->evidence |= SNT_LAYOUT_EVIDENCE(OTHER_CLOCK);
}

static void detect_fill(const snt_point_field *fields, const detect_result *r, snt_point_layout *layout,
                        snt_layout_report *report)
{
    const snt__reading *reading = &r->reading;
    const double ns = (double)snt__unit_ns(reading->unit), span = r->series.span * ns;
    report->time_field = (int32_t)r->column.index;
    report->evidence |= reading->evidence;
    report->unit_confidence = reading->unit_confidence;
    report->reference_confidence = reading->reference_confidence;
    report->role_confidence = reading->role_confidence;
    report->span_ns = reading->unit && span < 9e18 ? (snt_duration)span : SNT_UNKNOWN;
    report->period_ns = r->series.period_ns;
    report->header_to_first_ns = reading->first_ns;
    report->header_to_last_ns = reading->last_ns;
    report->resolution_ns = reading->resolution_ns;
    report->packet_span_ns = (snt_duration)(r->packet_run * ns);
    report->scans_used = r->series.count;
    report->candidate_count = reading->candidate_count;
    memcpy(report->candidates, reading->candidates, sizeof report->candidates);
    const snt_text name = fields[r->column.index].name;
    const size_t size = name.size < 23 ? (size_t)name.size : 23;
    memcpy(report->time_name, name.data, size);
    detect_count(r, report);
    detect_report_clock(r, report);
    layout->time_ref = r->packet_run > 0 ? SNT_TIME_REF_PACKET : SNT_TIME_REF_NONE;
    if (reading->status)
        return;
    layout->time = r->column.value;
    layout->time.type = r->series.type;
    layout->time_nsec = r->column.nsec;
    layout->time_base_low = r->column.base_low;
    layout->time_base_high = r->column.base_high;
    layout->time_ref = reading->time_ref;
    layout->time_unit = reading->unit;
    layout->header_role = reading->role;
}

static void detect_report_producer(const snt__producer *const *found, uint32_t count,
                                   const snt__reading *reading, snt_layout_report *report)
{
    const snt__producer *producer = detect_pick_producer(found, count, reading);
    report->producer_count = count;
    if (!producer)
        return;
    report->producer = producer->name;
    report->producer_note = producer->note;
    report->producer_role = producer->role;
    report->evidence |= SNT_LAYOUT_EVIDENCE(KNOWN_PRODUCER);
}

static snt_status detect_run(const snt_point_field *fields, uint32_t field_count, const snt__scan *scans,
                             uint32_t scan_count, const snt_layout_options *options, snt_point_layout *layout,
                             snt_layout_report *report)
{
    const snt__producer *producers[SNT__LAYOUT_PRODUCERS];
    snt__column columns[SNT__LAYOUT_COLUMNS];
    const uint32_t producer_count =
        snt__producers_match(fields, field_count, scans[0].view->point_step, producers);
    snt__fields_xyz(fields, field_count, layout);
    snt__fields_ring(fields, field_count, scans, scan_count, layout, report);
    const uint32_t column_count = snt__columns_find(fields, field_count, columns);
    const snt__scan *first = detect_first_scan(scans, scan_count);
    detect_result best = {.reading = {.status = SNT_ERR_NO_TIME}};
    if (!column_count)
        report->evidence |= SNT_LAYOUT_EVIDENCE(NO_TIME_FIELD);
    if (column_count && first) {
        detect_best_column(scans, scan_count, options, columns, column_count, producers, producer_count,
                           layout, &best);
        detect_fill(fields, &best, layout, report);
    }
    detect_report_producer(producers, producer_count, &best.reading, report);
    if (first && best.reading.status == SNT_ERR_NO_TIME)
        report->evidence |= snt__layout_hints(fields, field_count, first, layout);
    if (!options->byte_order && snt__byte_order_contradicted(layout, scans, scan_count)) {
        report->evidence |= SNT_LAYOUT_EVIDENCE(BYTE_ORDER_CONTRADICTED);
        return SNT_ERR_AMBIGUOUS;
    }
    return best.reading.status;
}

static void detect_drop_time(snt_point_layout *layout)
{
    layout->time = layout->time_nsec = (snt_layout_field){0};
    layout->time_base_low = layout->time_base_high = (snt_layout_field){0};
    layout->time_unit = SNT_TIME_UNIT_UNKNOWN;
    layout->header_role = SNT_HEADER_ROLE_UNKNOWN;
    if (layout->time_ref != SNT_TIME_REF_PACKET)
        layout->time_ref = SNT_TIME_REF_NONE;
}

snt_status snt_point_layout_detect(const snt_point_field *fields, uint32_t field_count,
                                   const snt_pointcloud2_view *scans, uint32_t scan_count,
                                   const snt_layout_options *options, snt_point_layout *layout,
                                   snt_layout_report *report)
{
    snt_layout_options known = detect_defaults();
    snt__scan taken[SNT__LAYOUT_SCANS];
    if ((!fields && field_count) || !scans || !scan_count || !layout)
        return SNT_ERR_INVALID_ARG;
    snt_status status =
        snt__config_read(&known, sizeof known, SNT_END_OF(snt_layout_options, reserved), options);
    if (status || known.byte_order > 2 || known.period_ns < 0)
        return SNT_ERR_INVALID_ARG;
    const uint32_t used = scan_count < SNT__LAYOUT_SCANS ? scan_count : SNT__LAYOUT_SCANS;
    status = detect_take_scans(scans, used, &known, taken);
    if (status)
        return status;
    if (detect_has_points(taken, used) && !detect_fields_fit(fields, field_count, scans[0].point_step))
        return SNT_ERR_INVALID_ARG;
    snt_point_layout made = {0};
    snt_layout_report found = {.time_field = -1,
                               .ring_field = -1,
                               .span_ns = SNT_UNKNOWN,
                               .period_ns = SNT_UNKNOWN,
                               .header_to_first_ns = SNT_UNKNOWN,
                               .header_to_last_ns = SNT_UNKNOWN};
    for (uint32_t i = 0; i < used; i++)
        found.evidence |= taken[i].count ? 0 : SNT_LAYOUT_EVIDENCE(EMPTY_SCANS);
    found.status = detect_run(fields, field_count, taken, used, &known, &made, &found);
    if (found.status)
        detect_drop_time(&made);
    if (known.byte_order && detect_declared_big(&scans[0]) != (known.byte_order == 2))
        made.flags |= SNT_LAYOUT_SWAP;
    *layout = made;
    if (report)
        *report = found;
    return found.status;
}

#undef DETECT_MANY_ZEROS
