/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit and reference of a time column, from its spread, its magnitude and how it follows the header. */
#include "layout.h"

#include <math.h>

/* Scan durations [ns]: what exists at all, and what nearly every rotating or scanning device does (5…50 Hz). The usual
 * range spans one decade, so that of two units a factor of ten apart only one can fall into it. */
#define UNIT_SPAN_LEAST  1e6
#define UNIT_SPAN_MOST   1.5e9
#define UNIT_USUAL_LEAST 2e7
#define UNIT_USUAL_MOST  2e8
/* Unix times of 1998…2096 [ns]; their ends are less than a factor of ten apart, so that only one unit fits. */
#define UNIT_UNIX_LEAST   9e17
#define UNIT_UNIX_SPAN    1e10 /* a scan of absolute times is no longer than this [ns] */
#define UNIT_UNIX_MOST    4e18
#define UNIT_PERIOD_MOST  1.3  /* a scan longer than this many periods is the wrong unit */
#define UNIT_PERIOD_LEAST 0.02 /* shorter: likewise */

static double unit_ns(uint32_t unit)
{
    return (double)snt__unit_ns(unit);
}

static bool unit_span_exists(double span_ns)
{
    return span_ns >= UNIT_SPAN_LEAST && span_ns <= UNIT_SPAN_MOST;
}

static bool unit_span_is_usual(double span_ns)
{
    return span_ns >= UNIT_USUAL_LEAST && span_ns < UNIT_USUAL_MOST;
}

static bool unit_is_unix(double value, uint32_t unit)
{
    return value * unit_ns(unit) >= UNIT_UNIX_LEAST && value * unit_ns(unit) <= UNIT_UNIX_MOST;
}

/* Step of the type at `value`. */
static double unit_step(uint32_t type, double value)
{
    const double mantissa = type == SNT_TYPE_F32 ? 0x1p-23 : 0x1p-52;
    int exponent;
    if ((type != SNT_TYPE_F32 && type != SNT_TYPE_F64) || value == 0)
        return type == SNT_TYPE_F32 || type == SNT_TYPE_F64 ? 0 : 1;
    frexp(value, &exponent);
    return ldexp(mantissa, exponent - 1);
}

/*
 * The unit in which the values are times of our days; 0 = none. The scan must not last for minutes then: microseconds of
 * the hour are also seconds of some year. A float32's steps may be minutes, though.
 */
static uint32_t unit_by_magnitude(const snt__series *series)
{
    const double coarse = series->type == SNT_TYPE_F32 ? 8 * unit_step(series->type, series->hi) : 0;
    for (uint32_t unit = SNT_TIME_UNIT_S; unit <= SNT_TIME_UNIT_NS; unit++)
        if (unit_is_unix(series->lo, unit) && unit_is_unix(series->hi, unit) &&
            (series->span * unit_ns(unit) <= UNIT_UNIX_SPAN || series->span <= coarse))
            return unit;
    return 0;
}

/* Share of consecutive scans whose values advance by what the header does, or do not advance. */
static void unit_follow(const snt__series *series, double ns, double *follows, double *restarts)
{
    uint32_t n = 0, advance = 0, stay = 0;
    for (uint32_t i = 1; i < series->count; i++) {
        const double header = (double)(series->stamp[i] - series->stamp[i - 1]);
        const double value = (series->scan[i].lo - series->scan[i - 1].lo) * ns;
        if (!(header > 0 && header < 1e13))
            continue;
        n++;
        advance += fabs(value - header) < 0.25 * header;
        stay += fabs(value) < 0.25 * header;
    }
    *follows = n ? (double)advance / n : 0;
    *restarts = n ? (double)stay / n : 0;
}

static void unit_add(snt__reading *reading, const snt__series *series, uint32_t index, uint32_t unit,
                     uint32_t ref, double confidence)
{
    if (reading->candidate_count >= SNT_LAYOUT_CANDIDATES)
        return;
    const double span = series->span * unit_ns(unit);
    reading->candidates[reading->candidate_count++] =
        (snt_layout_candidate){.field = index,
                               .time_unit = unit,
                               .time_ref = ref,
                               .span_ns = span < 9e18 ? (snt_duration)span : SNT_UNKNOWN,
                               .confidence = confidence};
}

/* Units in which the scan could be that long. A tenth of a microsecond is so rare a unit that it
 * counts only where the duration is usual, or where no other does. */
static uint32_t unit_plausible(const snt__series *series, uint32_t fit[SNT__LAYOUT_UNITS])
{
    uint32_t n = 0;
    bool rare = false;
    for (uint32_t unit = SNT_TIME_UNIT_S; unit <= SNT_TIME_UNIT_NS; unit++) {
        const double span = series->span * unit_ns(unit);
        if (!unit_span_exists(span))
            continue;
        if (unit == SNT_TIME_UNIT_100NS && !unit_span_is_usual(span)) {
            rare = true;
            continue;
        }
        fit[n++] = unit;
    }
    if (!n && rare)
        fit[n++] = SNT_TIME_UNIT_100NS;
    return n;
}

/* Distance of a scan's length from the period, in factors; scans longer than their period count far more. */
static double unit_misfit(const snt__series *series, uint32_t unit)
{
    const double ratio = series->span * unit_ns(unit) / (double)series->period_ns;
    return fabs(log(ratio)) + (ratio > UNIT_PERIOD_MOST ? 10 : 0);
}

static bool unit_period_allows(const snt__series *series, uint32_t unit)
{
    if (series->period_ns == SNT_UNKNOWN)
        return true;
    const double ratio = series->span * unit_ns(unit) / (double)series->period_ns;
    return ratio <= 2 * UNIT_PERIOD_MOST && ratio >= UNIT_PERIOD_LEAST;
}

/* The period decides among all units that exist, also the rare one. */
static bool unit_by_period(const snt__series *series, snt__reading *reading)
{
    uint32_t best = 0, second = 0;
    for (uint32_t unit = SNT_TIME_UNIT_S; unit <= SNT_TIME_UNIT_NS; unit++) {
        if (!unit_span_exists(series->span * unit_ns(unit)) || !unit_period_allows(series, unit))
            continue;
        if (!best || unit_misfit(series, unit) < unit_misfit(series, best)) {
            second = best;
            best = unit;
        } else if (!second || unit_misfit(series, unit) < unit_misfit(series, second)) {
            second = unit;
        }
    }
    if (!best)
        return false;
    if (second && unit_misfit(series, second) - unit_misfit(series, best) < log(2))
        return false; /* too close to call */
    const double ratio = series->span * unit_ns(best) / (double)series->period_ns;
    reading->unit = best;
    reading->unit_confidence = ratio > 0.3 ? (second ? 0.93 : 0.97) : (second ? 0.7 : 0.8);
    reading->evidence |= SNT_LAYOUT_EVIDENCE(UNIT_BY_PERIOD);
    return true;
}

static bool unit_by_span(const snt__series *series, snt__reading *reading)
{
    uint32_t fit[SNT__LAYOUT_UNITS];
    if (unit_plausible(series, fit) != 1)
        return false;
    reading->unit = fit[0];
    reading->unit_confidence = unit_span_is_usual(series->span * unit_ns(fit[0])) ? 0.9 : 0.75;
    reading->evidence |= SNT_LAYOUT_EVIDENCE(UNIT_BY_SPAN);
    return true;
}

/* What name or table say, if the values do not contradict it. */
static bool unit_by_word(const snt__series *series, const snt__column *column,
                         const snt__producer *const *producers, uint32_t producer_count,
                         snt__reading *reading)
{
    uint32_t said = column->named_unit;
    const uint32_t by_name = said;
    for (uint32_t i = 0; !by_name && i < producer_count; i++) {
        said = producers[i]->unit;
        if (said && unit_span_exists(series->span * unit_ns(said)) && unit_period_allows(series, said))
            break;
    }
    if (!said)
        return false;
    if (!unit_span_exists(series->span * unit_ns(said)) || !unit_period_allows(series, said)) {
        reading->evidence |= SNT_LAYOUT_EVIDENCE(UNIT_CONTRADICTED);
        return false;
    }
    reading->unit = said;
    reading->unit_confidence = 0.98;
    reading->evidence |= by_name ? SNT_LAYOUT_EVIDENCE(UNIT_BY_NAME) : 0;
    return true;
}

/* Absolute in a float32: its steps are seconds to minutes, or at least wider than a millisecond. */
static bool unit_is_too_coarse(const snt__series *series, uint32_t unit)
{
    return series->type == SNT_TYPE_F32 && unit_step(series->type, series->lo) * unit_ns(unit) > 1e6;
}

static void unit_ambiguous(const snt__series *series, const snt__column *column, snt__reading *reading)
{
    uint32_t fit[SNT__LAYOUT_UNITS];
    const uint32_t n = unit_plausible(series, fit);
    for (uint32_t i = 0; i < n; i++)
        unit_add(reading, series, column->index, fit[i], SNT_TIME_REF_RELATIVE, 1.0 / (n + 1));
    reading->status = n ? SNT_ERR_AMBIGUOUS : SNT_ERR_NO_TIME;
    reading->evidence |= n ? 0 : SNT_LAYOUT_EVIDENCE(IMPLAUSIBLE_SPAN);
}

/* A name such as time_offset_ns against values that cannot be that: neither is believed. */
static bool unit_name_is_contradicted(const snt__series *series, const snt__column *column,
                                      snt__reading *reading)
{
    if (!column->named_unit || !(reading->evidence & SNT_LAYOUT_EVIDENCE(UNIT_CONTRADICTED)))
        return false;
    unit_add(reading, series, column->index, reading->unit, reading->time_ref, 0.5);
    unit_add(reading, series, column->index, column->named_unit, reading->time_ref, 0.3);
    reading->status = SNT_ERR_AMBIGUOUS;
    return true;
}

static void unit_decide(const snt__series *series, const snt__column *column,
                        const snt__producer *const *producers, uint32_t producer_count, snt__reading *reading)
{
    const uint32_t by_magnitude = unit_by_magnitude(series);
    if (by_magnitude) {
        reading->unit = by_magnitude;
        reading->unit_confidence = unit_span_exists(series->span * unit_ns(by_magnitude)) ? 0.99 : 0.6;
        reading->evidence |= SNT_LAYOUT_EVIDENCE(UNIT_BY_MAGNITUDE);
        if (column->named_unit && column->named_unit != by_magnitude)
            reading->evidence |= SNT_LAYOUT_EVIDENCE(UNIT_CONTRADICTED);
        return;
    }
    if (unit_by_word(series, column, producers, producer_count, reading))
        return;
    if (series->period_ns != SNT_UNKNOWN ? unit_by_period(series, reading) : unit_by_span(series, reading))
        return;
    if (series->period_ns != SNT_UNKNOWN && unit_by_span(series, reading)) {
        reading->unit_confidence *= 0.6; /* plausible in itself, but it does not fit the period */
        return;
    }
    unit_ambiguous(series, column, reading);
}

/* Relative values lie around zero; values far from it are absolute on some clock. */
static bool unit_is_near_zero(const snt__series *series, double ns)
{
    const double reach = series->span * ns * 3 > 1.6e9 ? series->span * ns * 3 : 1.6e9;
    return series->lo * ns > -reach && series->hi * ns < reach;
}

static bool unit_holds_header(const snt__series *series, double ns)
{
    for (uint32_t i = 0; i < series->count; i++) {
        const double header = (double)series->stamp[i];
        if (header < series->scan[i].lo * ns - 1e7 || header > series->scan[i].hi * ns + 1e9)
            return false;
    }
    return series->count > 0;
}

static void unit_set_reference(snt__reading *reading, uint32_t ref, double confidence, uint64_t evidence)
{
    reading->time_ref = ref;
    reading->reference_confidence = confidence;
    reading->evidence |= evidence;
}

static void unit_reference(const snt__series *series, const snt__column *column,
                           const snt__producer *const *producers, uint32_t producer_count,
                           snt__reading *reading)
{
    const double ns = unit_ns(reading->unit);
    double follows, restarts;
    unit_follow(series, ns, &follows, &restarts);
    const bool near_zero = unit_is_near_zero(series, ns), holds = unit_holds_header(series, ns);
    if (column->base_low.type != SNT_TYPE_NONE) {
        unit_set_reference(reading, SNT_TIME_REF_RELATIVE, 0.95, SNT_LAYOUT_EVIDENCE(BASE_IN_POINTS));
    } else if (unit_is_unix(series->lo, reading->unit)) {
        const uint64_t near = holds ? SNT_LAYOUT_EVIDENCE(ABSOLUTE_NEAR_HEADER) : 0;
        unit_set_reference(reading, SNT_TIME_REF_ABSOLUTE, 0.99, near);
    } else if (follows > 0.7 && restarts < 0.3) {
        unit_set_reference(reading, SNT_TIME_REF_ABSOLUTE, 0.97, SNT_LAYOUT_EVIDENCE(VALUES_FOLLOW_HEADER));
    } else if (restarts > 0.7 && follows < 0.3) {
        unit_set_reference(reading, SNT_TIME_REF_RELATIVE, near_zero ? 0.98 : 0.7,
                           SNT_LAYOUT_EVIDENCE(VALUES_RESTART));
    } else if (near_zero && holds && producer_count && producers[0]->time_ref) {
        unit_set_reference(reading, producers[0]->time_ref, 0.8, SNT_LAYOUT_EVIDENCE(HEADER_SMALL));
    } else if (near_zero && holds) {
        reading->evidence |= SNT_LAYOUT_EVIDENCE(HEADER_SMALL);
        unit_add(reading, series, column->index, reading->unit, SNT_TIME_REF_RELATIVE, 0.5);
        unit_add(reading, series, column->index, reading->unit, SNT_TIME_REF_ABSOLUTE, 0.5);
        reading->status = SNT_ERR_AMBIGUOUS;
    } else if (near_zero) {
        unit_set_reference(reading, SNT_TIME_REF_RELATIVE, 0.93, 0);
    } else if (holds) {
        unit_set_reference(reading, SNT_TIME_REF_ABSOLUTE, 0.9, SNT_LAYOUT_EVIDENCE(ABSOLUTE_NEAR_HEADER));
    } else {
        unit_set_reference(reading, SNT_TIME_REF_ABSOLUTE, 0.6,
                           0); /* a clock of its own: uptime, hour, week */
    }
}

/* Constant in a float32, and yet the date of today: it was a time before it lost its digits. */
static bool unit_lost_precision(const snt__series *series, snt__reading *reading)
{
    const uint32_t unit = unit_by_magnitude(series);
    if (!unit || !unit_is_too_coarse(series, unit))
        return false;
    reading->unit = unit;
    reading->time_ref = SNT_TIME_REF_ABSOLUTE;
    reading->evidence |= SNT_LAYOUT_EVIDENCE(TOO_COARSE);
    reading->status = SNT_ERR_PRECISION;
    return true;
}

/* Nearly all scans are about as long as the median. */
static bool unit_scans_agree(const snt__series *series)
{
    uint32_t alike = 0;
    for (uint32_t i = 0; i < series->count; i++)
        alike += fabs(series->scan[i].hi - series->scan[i].lo - series->span) <= 0.2 * series->span;
    return series->count > 1 && alike * 5 >= series->count * 4;
}

void snt__reading_unit(const snt__series *series, const snt__column *column,
                       const snt__producer *const *producers, uint32_t producer_count, snt__reading *reading)
{
    if (unit_lost_precision(series, reading))
        return;
    if (!(series->span > 0)) {
        reading->evidence |= series->lo == 0 ? SNT_LAYOUT_EVIDENCE(ALL_ZERO) : SNT_LAYOUT_EVIDENCE(CONSTANT);
        reading->status = SNT_ERR_NO_TIME;
        return;
    }
    unit_decide(series, column, producers, producer_count, reading);
    if (reading->status)
        return;
    unit_reference(series, column, producers, producer_count, reading);
    if (reading->status || unit_name_is_contradicted(series, column, reading))
        return;
    const double step =
        unit_step(series->type, fabs(series->lo) > fabs(series->hi) ? series->lo : series->hi);
    const double step_ns = step * unit_ns(reading->unit);
    reading->resolution_ns = step_ns < 1 ? 1 : step_ns < 9e18 ? (snt_duration)ceil(step_ns) : SNT_UNKNOWN;
    if (step_ns > 1e4)
        reading->evidence |= SNT_LAYOUT_EVIDENCE(COARSE);
    if (reading->time_ref == SNT_TIME_REF_ABSOLUTE && unit_is_too_coarse(series, reading->unit)) {
        reading->evidence |= SNT_LAYOUT_EVIDENCE(TOO_COARSE);
        reading->status = SNT_ERR_PRECISION;
        return;
    }
    if (series->period_ns != SNT_UNKNOWN &&
        series->span * unit_ns(reading->unit) < 0.5 * (double)series->period_ns)
        reading->evidence |= SNT_LAYOUT_EVIDENCE(SHORT_SCANS);
    if (unit_scans_agree(series))
        reading->evidence |= SNT_LAYOUT_EVIDENCE(SCANS_AGREE);
    unit_add(reading, series, column->index, reading->unit, reading->time_ref,
             reading->unit_confidence * reading->reference_confidence);
}

#undef UNIT_SPAN_LEAST
#undef UNIT_SPAN_MOST
#undef UNIT_USUAL_LEAST
#undef UNIT_USUAL_MOST
#undef UNIT_UNIX_LEAST
#undef UNIT_UNIX_MOST
#undef UNIT_UNIX_SPAN
#undef UNIT_PERIOD_MOST
#undef UNIT_PERIOD_LEAST
