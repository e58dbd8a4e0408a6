/* SPDX-License-Identifier: BSD-3-Clause */
/* What the header stamp says about the scan, from where it lies among the points' times. */
#include "layout.h"

#include <math.h>

#define ROLE_LAST_PACKET_LEAST 5e4 /* points later than the header by less are rounding [ns] */
#define ROLE_LAST_PACKET_MOST  3e6 /* no packet lasts longer [ns] */

/* First and last point against the header, one value a scan [ns]. */
typedef struct role_offsets {
    double first[SNT__LAYOUT_SCANS], last[SNT__LAYOUT_SCANS];
    double scatter; /* median |deviation| of `first` */
    double a, b;    /* medians */
    double span, tolerance;
    uint32_t count;
} role_offsets;

static void role_measure(const snt__series *series, const snt__reading *reading, role_offsets *o)
{
    const double ns = (double)snt__unit_ns(reading->unit);
    double work[SNT__LAYOUT_SCANS];
    o->count = series->count;
    for (uint32_t i = 0; i < series->count; i++) {
        double zero = 0;
        if (reading->time_ref == SNT_TIME_REF_ABSOLUTE)
            zero = (double)series->stamp[i];
        o->first[i] = series->scan[i].lo * ns - zero;
        o->last[i] = series->scan[i].hi * ns - zero;
    }
    memcpy(work, o->first, sizeof work);
    o->a = snt__median(work, o->count);
    memcpy(work, o->last, sizeof work);
    o->b = snt__median(work, o->count);
    for (uint32_t i = 0; i < o->count; i++)
        work[i] = fabs(o->first[i] - o->a);
    o->scatter = snt__median(work, o->count);
    o->span = series->span * ns;
    o->tolerance = o->span * 0.02 > 2e6 ? o->span * 0.02 : 2e6;
    if (o->tolerance > o->span / 4)
        o->tolerance = o->span / 4; /* a scan of a few ms must not be start and end at once */
}

static void role_set(snt__reading *reading, uint32_t role, double confidence)
{
    reading->role = role;
    reading->role_confidence = confidence;
}

/* The header lies outside the scan. */
static void role_outside(const snt__series *series, const role_offsets *o, snt__reading *reading)
{
    const double period = series->period_ns != SNT_UNKNOWN ? (double)series->period_ns : 0;
    if (o->a > 0 && period > 0 && fabs(o->a - period) < 0.05 * period) {
        reading->evidence |= SNT_LAYOUT_EVIDENCE(HEADER_PERIOD_EARLY);
        role_set(reading, SNT_HEADER_ROLE_UNRELATED, 0.8);
    } else if (o->a > 0 && o->a < 0.3 * o->span) {
        role_set(reading, SNT_HEADER_ROLE_START, 0.5); /* nothing was hit in the first directions */
    } else if (o->b < 0 && o->b > -1e9) {
        role_set(reading, SNT_HEADER_ROLE_RECEIVE, o->count > 2 ? 0.85 : 0.7);
    } else {
        role_set(reading, SNT_HEADER_ROLE_UNRELATED, 0.8);
    }
}

static void role_inside(const role_offsets *o, snt__reading *reading)
{
    const double to_start = fabs(o->a), to_end = fabs(o->b), to_middle = fabs(o->a + o->b) / 2;
    if (o->b > ROLE_LAST_PACKET_LEAST && o->b <= ROLE_LAST_PACKET_MOST && o->b < o->span / 10)
        role_set(reading, SNT_HEADER_ROLE_LAST_PACKET, 0.93);
    else if (to_end <= o->tolerance && to_end <= to_start)
        role_set(reading, SNT_HEADER_ROLE_END, 0.95);
    else if (to_start <= o->tolerance)
        role_set(reading, SNT_HEADER_ROLE_START, 0.95);
    else if (to_middle <= 0.1 * o->span)
        role_set(reading, SNT_HEADER_ROLE_MIDDLE, 0.85);
    else
        role_set(reading, SNT_HEADER_ROLE_UNKNOWN, 0.2);
}

/* A header that wanders within its scan is no property of the scan but the moment at which a host looked at a clock. */
static bool role_is_unsteady(const role_offsets *o)
{
    return o->count >= 4 && o->scatter > o->tolerance;
}

/*
 * Points from zero on could also count from the start of a scan whose END the header stamps. If the message was received
 * before its last point could be measured, the header cannot be the start: both readings stay.
 */
static void role_check_receive(const snt__series *series, const role_offsets *o, snt__reading *reading)
{
    uint32_t late = 0, known = 0;
    for (uint32_t i = 0; i < series->count; i++) {
        const double delay = (double)series->receive[i] - (double)series->stamp[i];
        if (series->receive[i] == SNT_UNKNOWN || fabs(delay) > 2e9) /* beyond that it is another clock */
            continue;
        known++;
        late += delay < o->last[i] - o->tolerance;
    }
    if (!known || late * 2 <= known)
        return;
    reading->evidence |= SNT_LAYOUT_EVIDENCE(POINTS_AFTER_RECEIVE);
    if (reading->time_ref != SNT_TIME_REF_RELATIVE || reading->role != SNT_HEADER_ROLE_START)
        return;
    snt_layout_candidate candidate = reading->candidates[0];
    candidate.confidence = 0.5;
    candidate.header_role =
        SNT_HEADER_ROLE_END; /* times from the scan's start, header at its end: shift by −span */
    reading->candidates[0] = candidate;
    candidate.header_role = SNT_HEADER_ROLE_START;
    candidate.confidence = 0.3;
    reading->candidates[1] = candidate;
    reading->candidate_count = 2;
    reading->role = SNT_HEADER_ROLE_UNKNOWN;
    reading->role_confidence = 0;
    reading->status = SNT_ERR_AMBIGUOUS;
}

static void role_weigh_producer(const snt__producer *producer, snt__reading *reading)
{
    if (!producer || producer->role == SNT_HEADER_ROLE_UNKNOWN || reading->role == SNT_HEADER_ROLE_UNKNOWN)
        return;
    if (producer->role == reading->role) {
        reading->evidence |= SNT_LAYOUT_EVIDENCE(ROLE_BY_PRODUCER);
        reading->role_confidence += (1 - reading->role_confidence) * 0.6;
    } else {
        reading->evidence |= SNT_LAYOUT_EVIDENCE(ROLE_NOT_AS_PRODUCER);
    }
}

void snt__reading_role(const snt__series *series, const snt__producer *producer, snt__reading *reading)
{
    role_offsets o = {.count = 0};
    role_measure(series, reading, &o);
    if (fabs(o.a) < 9e18 && fabs(o.b) < 9e18) {
        reading->first_ns = (snt_duration)o.a;
        reading->last_ns = (snt_duration)o.b;
    }
    if (o.a < 0 && o.b > -9e18)
        reading->evidence |= SNT_LAYOUT_EVIDENCE(NEGATIVE_TIMES);
    if (role_is_unsteady(&o) && fabs(o.a) < 2e9) {
        reading->evidence |= SNT_LAYOUT_EVIDENCE(HEADER_UNSTEADY);
        role_set(reading, SNT_HEADER_ROLE_RECEIVE, 0.7);
    } else if (o.a > o.tolerance || o.b < -o.tolerance) {
        role_outside(series, &o, reading);
    } else {
        role_inside(&o, reading);
    }
    /* Times that count from zero may do so by convention only: where the header lies is then said by nobody. */
    if (reading->time_ref == SNT_TIME_REF_RELATIVE && reading->role == SNT_HEADER_ROLE_START && o.a >= 0)
        reading->role_confidence = reading->role_confidence < 0.75 ? reading->role_confidence : 0.75;
    role_weigh_producer(producer, reading);
    if (reading->candidate_count)
        reading->candidates[0].header_role = reading->role;
    role_check_receive(series, &o, reading);
}

#undef ROLE_LAST_PACKET_LEAST
#undef ROLE_LAST_PACKET_MOST
