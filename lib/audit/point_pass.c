/* SPDX-License-Identifier: BSD-3-Clause */
/* Conclusions from the points that were read: largest gap, order, unit, strays. */
#include "point_state.h"

#include "../cloud/element.h"

#include <math.h>

_Static_assert(sizeof(snt_point_stats) == 208, "frozen");

static void pass_visit_gap(snt__pass_state *p, const int64_t *times, uint64_t count, void *context)
{
    snt__gap_add(&p->room->gap, p->steps.min, *(const uint32_t *)context, times, count);
}

typedef struct pass_search {
    int64_t step, previous, at;
    bool started, found;
} pass_search;

/* The first step of a given length. */
static void pass_visit_step(snt__pass_state *p, const int64_t *times, uint64_t count, void *context)
{
    pass_search *const s = context;
    (void)p;
    if (s->found || !count)
        return;
    const int64_t step = s->step;
    int64_t before = s->started ? s->previous : times[0];
    for (uint64_t i = 0; i < count; i++) {
        if (times[i] - before == step) {
            s->found = true;
            s->at = before;
            return;
        }
        before = times[i];
    }
    s->previous = before;
    s->started = true;
}

static void pass_sorted_gap(snt__pass_state *p, snt__gap_result *result)
{
    snt_point_stats *out = p->out;
    const bool ordered = p->steps.back == 0;
    if (ordered && p->keep) {
        const int64_t *times = p->room->gap.times;
        result->low = times[p->kept / 1000];
        result->median = times[p->kept / 2];
        result->high = times[p->kept - 1 - p->kept / 1000];
    } else {
        uint32_t shift;
        snt__gap_begin(&p->room->gap, p->steps.min, p->steps.max, &shift);
        snt__pass_again(p, pass_visit_gap, &shift);
        if (!snt__gap_end(&p->room->gap, p->steps.min, shift, out->timed, result) && !ordered) {
            if (p->keep)
                snt__gap_sort(&p->room->gap, p->steps.min, p->steps.max, p->kept, result);
            else
                out->flags |= SNT_SCAN_GAP_BOUND;
        }
    }
    if (!ordered)
        return;
    /* in order already: the largest step is the gap */
    pass_search search = {.step = p->steps.max_step, .at = p->steps.min};
    if (out->timed > 1 && search.step > 0)
        snt__pass_again(p, pass_visit_step, &search);
    result->gap = out->timed > 1 ? p->steps.max_step : 0;
    result->at = search.at;
}

static void pass_visit_counts(snt__pass_state *p, const int64_t *times, uint64_t count, void *context)
{
    (void)p;
    snt__point_counts_add(times, count,
                          context); /* a start over between two chunks is not seen: it is evidence only */
}

static bool pass_coordinate(const snt_field *f, uint64_t i, double *out)
{
    *out = snt__element_f64((const unsigned char *)f->data + (int64_t)i * f->stride, f->type,
                            f->flags & SNT_FIELD_BIG_ENDIAN);
    return isfinite(*out);
}

/* Do neighbours turn one way round the vertical axis? Seen from up to 1024 pairs spread over the cloud. */
static bool pass_turns(const snt_cloud *c)
{
    if (c->x.type == SNT_TYPE_NONE || c->y.type == SNT_TYPE_NONE || c->count < 64)
        return false;
    const uint64_t step = c->count / 1024 + 1;
    uint64_t left = 0, right = 0;
    for (uint64_t i = 0; i + 1 < c->count; i += step) {
        double ax, ay, bx, by;
        if (!pass_coordinate(&c->x, i, &ax) || !pass_coordinate(&c->y, i, &ay) ||
            !pass_coordinate(&c->x, i + 1, &bx) || !pass_coordinate(&c->y, i + 1, &by))
            continue;
        /* sine of the angle between them, squared: 1e-5 rad is rounding, not turning */
        const double cross = ax * by - ay * bx, least = 1e-10 * (ax * ax + ay * ay) * (bx * bx + by * by);
        left += cross > 0 && cross * cross > least;
        right += cross < 0 && cross * cross > least;
    }
    const uint64_t most = left > right ? left : right;
    return most >= 32 && most * 50 >= (left + right) * 49;
}

static uint32_t pass_order(const snt__pass_state *p, uint64_t restarts)
{
    const snt_point_stats *out = p->out;
    if (p->has_time && out->timed > 1 && out->negative_jumps == 0 && p->steps.min < p->steps.max &&
        p->cloud->time_ref != SNT_TIME_REF_PACKET)
        return SNT_ORDER_TIME;
    if (out->rings > 1 && !p->untracked && p->ring_runs <= 2 * (uint64_t)out->rings)
        return SNT_ORDER_RING;
    if (out->timed > 1 && restarts >= 1 && restarts <= 3 && out->negative_jumps <= 2 * restarts)
        return SNT_ORDER_ECHO;
    if (pass_turns(p->cloud))
        return SNT_ORDER_AZIMUTH;
    if (out->negative_jumps && out->negative_jumps * 8 <= out->timed)
        return SNT_ORDER_PACKET;
    return SNT_ORDER_UNKNOWN;
}

static void pass_rings(snt__pass_state *p)
{
    const uint32_t pass = p->room->pass;
    for (uint32_t i = 0; p->has_ring && i < p->room->max_rings; i++) {
        const snt__ring_state *state = &p->room->rings[i];
        if (state->scan != pass)
            continue;
        p->out->rings++;
        p->out->rings_monotonic += state->jumps == 0;
        p->out->ring_jumps += state->jumps;
    }
    if (p->untracked)
        p->out->flags |= SNT_SCAN_RINGS_UNTRACKED;
}

/* Step of the time's type at its largest value [ns], rounded up. */
static int64_t pass_quantum(const snt__pass_state *p)
{
    const snt_cloud *c = p->cloud;
    if (c->time.flags & SNT_FIELD_INDEX)
        return 1; /* computed from the ray's number: nothing is stored that could be coarse */
    const bool normalised = c->time_ref == SNT_TIME_REF_NORMALISED;
    const double unit =
        normalised ? (double)c->time_span_ns : fabs((double)c->time_unit_num / (double)c->time_unit_den);
    const int64_t zero = p->relative ? p->base : 0;
    const double size = fmax(fabs((double)(p->steps.min - zero)), fabs((double)(p->steps.max - zero)));
    double step = unit;
    if (c->time.type == SNT_TYPE_F32 || c->time.type == SNT_TYPE_F64) {
        int exponent = 0;
        (void)frexp(unit > 0 ? size / unit : 0, &exponent);
        step = size > 0 ? ldexp(unit, exponent - (c->time.type == SNT_TYPE_F32 ? 24 : 53)) : 0;
    }
    return step <= 1 ? 1 : step < 9e18 ? (int64_t)ceil(step) : INT64_MAX;
}

/* What factor would make the declared unit believable? 1 = it is; 0 = none of the usual ones would. */
static double pass_unit_factor(const snt__pass_state *p)
{
    static const double factors[] = {1e-3, 1e3, 1e-6, 1e6, 1e-9, 1e9, 1e-2, 1e2, 1e-1, 1e1};
    const double span = (double)(p->steps.max - p->steps.min);
    const double least = (double)p->wish->min_duration_ns, most = (double)p->wish->max_duration_ns;
    const double period = (double)p->wish->period_ns;
    if (!(span > 0))
        return 1;
    if (span >= least && span <= most && (period <= 0 || (span > 0.05 * period && span < 2 * period)))
        return 1;
    double best = 0, off = (double)INFINITY;
    for (size_t i = 0; i < SNT_COUNT_OF(factors); i++) {
        const double s = span * factors[i];
        if (s < least || s > most || (period > 0 && (s < 0.3 * period || s > 1.2 * period)))
            continue;
        /* the period decides; without one a tenth of a second is the usual scan */
        const double away = fabs(log(s / (period > 0 ? period : 1e8)));
        if (away < off) {
            off = away;
            best = factors[i];
        }
    }
    /* short or long, but no unit explains it better: partial scans are no misread unit */
    return best > 0 ? best : span >= least && span <= most ? 1 : 0;
}

static void pass_finish_times(snt__pass_state *p)
{
    snt_point_stats *out = p->out;
    snt__gap_result gap = {0, 0, 0, 0, 0};
    if (!out->timed) {
        out->flags |= SNT_SCAN_NO_TIME;
        out->order = pass_order(p, 0);
        return;
    }
    out->negative_jumps = p->steps.back;
    out->equal_steps = p->steps.equal;
    out->large_gaps = p->steps.large;
    pass_sorted_gap(p, &gap);
    out->robust_span_ns = gap.high - gap.low;
    out->sorted_gap_ns = gap.gap;
    const int64_t period = p->wish->period_ns > 0 ? p->wish->period_ns : INT64_MAX / 2;
    const int64_t span = p->steps.max - p->steps.min;
    snt__point_counts counts = {.base = p->relative ? p->base : INT64_MIN,
                                .low = snt_time_sub_sat(gap.median, period),
                                .high = snt_time_add_sat(gap.median, period),
                                .half = span / 2};
    const bool signs = p->relative && p->steps.min <= p->base;
    if (signs || p->steps.min < counts.low || p->steps.max > counts.high || out->negative_jumps)
        snt__pass_again(p, pass_visit_counts, &counts);
    out->zero_times = counts.zero;
    out->negative_times = counts.negative;
    out->beyond_period = counts.beyond;
    out->order = pass_order(p, counts.restarts);
    /* if all of them lie in the upper half nothing wrapped: the offsets are simply long */
    int64_t shift = 0;
    if (out->wrapped_times == out->timed && out->wrapped_times) {
        out->wrapped_times = 0;
        out->negative_times = 0;
        shift = INT64_C(1) << 32;
    }
    if (out->wrapped_times)
        out->flags |= SNT_SCAN_UNSIGNED_WRAP;
    out->min_ns = p->steps.min + shift;
    out->max_ns = p->steps.max + shift;
    out->sorted_gap_at_ns = gap.at + shift;
    if (out->timed > 1) {
        out->min_step_ns = p->steps.min_step;
        out->max_step_ns = p->steps.max_step;
        out->max_gap_ns = p->steps.max_step > -p->steps.min_step ? p->steps.max_step : -p->steps.min_step;
    }
    if (out->negative_jumps == 0)
        out->flags |= SNT_SCAN_MONOTONIC;
    if (out->timed > 1 && span == 0)
        out->flags |= SNT_SCAN_NO_TIME | SNT_SCAN_CONSTANT_TIME;
    out->quantum_ns = pass_quantum(p);
    out->unit_factor = pass_unit_factor(p);
    if (p->cloud->time_ref == SNT_TIME_REF_PACKET)
        out->flags |= SNT_SCAN_NO_TIME;
}

void snt__point_pass(snt__point_room *room, const snt_cloud *cloud, const snt__point_wish *wish,
                     snt_point_stats *out)
{
    memset(out, 0, sizeof *out);
    out->points = cloud->count;
    out->min_ns = out->max_ns = out->sorted_gap_at_ns = SNT_UNKNOWN;
    out->unit_factor = 1;
    if (++room->pass == 0) { /* wrapped: forget whose states these are */
        for (uint32_t i = 0; i < room->max_rings; i++)
            room->rings[i].scan = 0;
        room->pass = 1;
    }
    snt__pass_state p = {.room = room,
                         .cloud = cloud,
                         .wish = wish,
                         .out = out,
                         .steps = {INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, 0, 0, 0},
                         .keep = cloud->count <= room->gap.capacity,
                         .has_time =
                             cloud->time.type != SNT_TYPE_NONE && cloud->time_ref != SNT_TIME_REF_NONE,
                         .has_ring = cloud->ring.type != SNT_TYPE_NONE,
                         .relative = cloud->time_ref != SNT_TIME_REF_ABSOLUTE,
                         .last_ring = UINT32_MAX};
    p.base = p.relative ? cloud->time_base_ns : 0;
    p.unsigned_ns = cloud->time.type == SNT_TYPE_U32 && p.relative && cloud->time_unit_num == 1 &&
                    cloud->time_unit_den == 1 && !(cloud->time.flags & SNT_FIELD_INDEX) &&
                    snt__pass_usable(p.base);
    snt__pass_read(&p);
    pass_rings(&p);
    pass_finish_times(&p);
}
