/* SPDX-License-Identifier: BSD-3-Clause */
/* What one step of a stream means: gap, burst, clock step, jump, step back. */
#include "stream_internal.h"

#include <math.h>

int64_t snt__stream_period(const snt_stream_monitor *m, bool *even)
{
    const snt__stream_steps *steps = m->s.stamps.forward ? &m->s.stamps : &m->s.log;
    *even = true;
    if (m->config.expected_period_ns)
        return m->config.expected_period_ns;
    if (!steps->forward)
        return SNT_UNKNOWN;
    const int64_t median = (int64_t)snt__histogram_median(&steps->histogram);
    /*
     * Tiny, or a log most of whose steps are zero: messages come in bursts, and a multiple of their spacing says nothing.
     * Stamps that repeat still have a period, from each to the next that differs.
     */
    const bool bursts = steps == &m->s.log && steps->equal > steps->forward;
    *even = !bursts && median >= m->config.tiny_period_ns;
    return median;
}

typedef struct judge_limits {
    int64_t period; /* SNT_UNKNOWN = none */
    double note, warn, error, step;
} judge_limits;

static judge_limits judge_limits_of(const snt_stream_monitor *m)
{
    const snt_stream_monitor_config *c = &m->config;
    bool even;
    judge_limits l;
    l.period = snt__stream_period(m, &even);
    const double p = l.period == SNT_UNKNOWN ? 0 : (double)l.period;
    l.note = even ? c->gap_note_factor * p : (double)c->gap_warn_floor_ns;
    l.warn = fmax(even ? c->gap_warn_factor * p : 0.0, (double)c->gap_warn_floor_ns);
    l.error = fmax(even ? c->gap_error_factor * p : 0.0, (double)c->gap_error_floor_ns);
    l.step = fmax(100.0 * p, (double)c->step_floor_ns);
    if (!even)
        l.period = SNT_UNKNOWN;
    return l;
}

static void judge_emit(snt_stream_monitor *m, bool emit, const snt__stream_step *step, uint32_t code,
                       uint32_t severity, uint64_t lo, uint64_t hi)
{
    const uint32_t capacity = m->config.event_capacity;
    if (!emit || !capacity)
        return;
    snt__stream_state *s = &m->s;
    if (s->event_head - s->event_tail == capacity) {
        s->event_tail++;
        s->events_dropped++;
    }
    snt_stream_event *e = &m->events[s->event_head++ % capacity];
    *e = (snt_stream_event){.index = step->index,
                            .stamp_ns = step->stamp,
                            .log_ns = step->log,
                            .step_ns = step->stamp_step != SNT_UNKNOWN ? step->stamp_step : step->log_step,
                            .other_ns = step->stamp_step != SNT_UNKNOWN ? step->log_step : SNT_UNKNOWN,
                            .missing_lo = lo,
                            .missing_hi = hi,
                            .code = code,
                            .severity = severity};
}

static void judge_first(snt_finding *first, uint64_t count, const snt__stream_step *step)
{
    if (!count)
        *first = (snt_finding){
            .first_index = step->index, .first_stamp_ns = step->stamp, .first_log_ns = step->log};
}

static int64_t judge_abs(int64_t value)
{
    return value < 0 ? value == INT64_MIN ? INT64_MAX : -value : value;
}

static int64_t judge_main(const snt__stream_step *step)
{
    return step->stamp_step != SNT_UNKNOWN ? step->stamp_step : step->log_step;
}

/*
 * How many messages fit into a hole of r periods: with a quarter of a period of jitter allowed, 2.5 periods miss one or
 * two. `extra` short steps beside the hole are counted in.
 */
static void judge_missing(double r, double extra, uint64_t *lo, uint64_t *hi)
{
    const double least = floor(r + 0.25) - 1 - extra, most = ceil(r - 0.25) - 1 - extra;
    *lo = least > 0 ? least < 9e18 ? (uint64_t)least : (uint64_t)9e18 : 0;
    *hi = most > 0 ? most < 9e18 ? (uint64_t)most : (uint64_t)9e18 : 0;
    if (*hi < *lo)
        *hi = *lo;
}

static void judge_gap(snt_stream_monitor *m, snt__stream_counts *c, const judge_limits *l,
                      const snt__stream_step *step, int64_t next, bool emit)
{
    const int64_t length = judge_main(step);
    uint64_t lo = 0, hi = 0;
    if (step->sequence_step > 0) {
        lo = hi = (uint64_t)step->sequence_step - 1;
        if (!lo) /* numbers go on: nothing is missing, the message was only late */
            return;
    } else if (l->period != SNT_UNKNOWN) {
        const double p = (double)l->period;
        /* a stamp that is late makes its step long and the next one short, an early one the other way round */
        const bool early = c->before_pending > 0 && (double)c->before_pending < p;
        const bool late = next > 0 && (double)next < p;
        const double beside = (early ? (double)c->before_pending : 0) + (late ? (double)next : 0);
        judge_missing(((double)length + beside) / p, (double)early + (double)late, &lo, &hi);
        if ((early || late) && !lo)
            return;
    }
    const uint32_t severity = (double)length > l->error  ? SNT_SEVERITY_ERROR
                              : (double)length > l->warn ? SNT_SEVERITY_WARNING
                                                         : SNT_SEVERITY_NOTE;
    judge_first(&c->gap_first, c->gaps, step);
    c->gaps++;
    c->gaps_warning += severity == SNT_SEVERITY_WARNING;
    c->gaps_error += severity == SNT_SEVERITY_ERROR;
    c->missing_lo += lo;
    c->missing_hi = c->missing_hi > UINT64_MAX - hi ? UINT64_MAX : c->missing_hi + hi;
    if (length > c->longest_gap) {
        const int64_t at = step->stamp_step != SNT_UNKNOWN ? step->stamp : step->log;
        c->longest_gap = length;
        c->longest_gap_at = at - length;
    }
    judge_emit(m, emit, step, SNT_FINDING_GAP, severity, lo, hi);
}

void snt__stream_settle(snt_stream_monitor *m, snt__stream_counts *c, bool emit)
{
    if (!c->pending.index)
        return;
    const judge_limits l = judge_limits_of(m);
    const snt__stream_step step = c->pending;
    c->pending.index = 0;
    judge_gap(m, c, &l, &step, 0, emit);
}

static void judge_host_step(snt_stream_monitor *m, snt__stream_counts *c, const judge_limits *l,
                            const snt__stream_step *step, bool emit)
{
    /* the clock went by one period besides being set */
    const int64_t amount = snt_time_sub_sat(step->log_step, l->period == SNT_UNKNOWN ? 0 : l->period);
    judge_first(&c->host_first, c->host_steps, step);
    c->host_steps++;
    if (judge_abs(amount) > judge_abs(c->host_step)) {
        c->host_step = amount;
        c->host_step_at = step->log - step->log_step;
    }
    judge_emit(m, emit, step, SNT_FINDING_HOST_STEP, SNT_SEVERITY_ERROR, 0, 0);
}

/* Log and stamps moved alike, and by no amount that messages explain. */
static bool judge_is_host_step(const judge_limits *l, const snt__stream_step *step)
{
    if (step->log_step == SNT_UNKNOWN || step->stamp_step == SNT_UNKNOWN)
        return false;
    const double p = l->period == SNT_UNKNOWN ? 0 : (double)l->period;
    const double apart = fabs((double)step->log_step - (double)step->stamp_step);
    if (step->log_step < 0 && step->stamp_step < 0)
        return apart <= fmax(0.1 * (double)judge_abs(step->log_step), fmax(0.5 * p, 1e6));
    /* forward it looks like a gap, unless the sender's numbers go on */
    return step->sequence_step == 1 && (double)step->log_step > l->step &&
           (double)step->stamp_step > l->step && apart <= fmax(0.05 * (double)step->log_step, p);
}

/* How far apart the two messages really were: the period where the log agrees, since the log carries the jitter. */
static int64_t judge_interval(const judge_limits *l, const snt__stream_step *step)
{
    const bool usual = l->period != SNT_UNKNOWN && judge_abs(step->log_step - l->period) <= l->period;
    return usual ? l->period : step->log_step;
}

static bool judge_is_jump(const judge_limits *l, const snt__stream_step *step)
{
    const double least =
        0.9 * l->step; /* the usual interval lies on top of a step: −1.000 s shows as −0.995 s */
    return step->log_step != SNT_UNKNOWN && step->stamp_step != SNT_UNKNOWN && step->log_step >= 0 &&
           fabs((double)step->stamp_step - (double)step->log_step) > least &&
           (double)judge_abs(step->stamp_step) > least;
}

static void judge_burst(snt_stream_monitor *m, snt__stream_counts *c, const judge_limits *l,
                        const snt__stream_step *step, bool emit)
{
    if (step->log_step == SNT_UNKNOWN || step->stamp_step == SNT_UNKNOWN || step->stamp_step < 0)
        return;
    const double late = (double)step->log_step, stamp = (double)step->stamp_step;
    const double period = l->period == SNT_UNKNOWN ? 0 : (double)l->period;
    if (late > l->warn && stamp <= l->note) {
        judge_first(&c->burst_first, c->bursts, step);
        c->bursts++;
        c->in_burst = 1;
        if (step->log_step > c->longest_hold)
            c->longest_hold = step->log_step;
        judge_emit(m, emit, step, SNT_FINDING_BURST, SNT_SEVERITY_WARNING, 0, 0);
    } else if (c->in_burst && late < 0.25 * period) {
        c->burst_messages++;
    } else {
        c->in_burst = 0;
    }
}

static void judge_back(snt_stream_monitor *m, snt__stream_counts *c, const snt__stream_step *step, bool emit)
{
    if (step->log_step != SNT_UNKNOWN && step->log_step < 0) {
        judge_first(&c->recorded_first, c->recorded_backward, step);
        c->recorded_backward++;
        if (judge_abs(step->log_step) > c->worst_recorded_back)
            c->worst_recorded_back = judge_abs(step->log_step);
        judge_emit(m, emit, step, SNT_FINDING_RECORDED_BACKWARD, SNT_SEVERITY_ERROR, 0, 0);
    }
    if (step->stamp_step != SNT_UNKNOWN && step->stamp_step < 0) {
        judge_first(&c->back_first, c->backward, step);
        c->backward++;
        if (judge_abs(step->stamp_step) > c->worst_back)
            c->worst_back = judge_abs(step->stamp_step);
        judge_emit(m, emit, step, SNT_FINDING_BACKWARD, SNT_SEVERITY_ERROR, 0, 0);
    }
}

void snt__stream_judge(snt_stream_monitor *m, snt__stream_counts *c, const snt__stream_step *step, bool emit)
{
    const judge_limits l = judge_limits_of(m);
    const int64_t length = judge_main(step), last = c->last_step;
    c->last_step = 0;
    if (c->pending.index) {
        const snt__stream_step before = c->pending;
        c->pending.index = 0;
        judge_gap(m, c, &l, &before, length, emit);
    }
    if (judge_is_host_step(&l, step)) {
        judge_host_step(m, c, &l, step, emit);
        return;
    }
    if (judge_is_jump(&l, step)) {
        const int64_t amount = snt_time_sub_sat(step->stamp_step, judge_interval(&l, step));
        judge_first(&c->jump_first, c->stamp_jumps, step);
        c->stamp_jumps++;
        if (judge_abs(amount) > judge_abs(c->stamp_jump))
            c->stamp_jump = amount;
        judge_emit(m, emit, step, SNT_FINDING_STAMP_JUMP, SNT_SEVERITY_ERROR, 0, 0);
        return;
    }
    judge_back(m, c, step, emit);
    judge_burst(m, c, &l, step, emit);
    if (m->config.flags & (SNT_STREAM_STATIC | SNT_STREAM_EVENTUAL))
        return;
    c->last_step = length;
    if (length > 0 && (double)length > l.note && l.note > 0) {
        c->pending = *step; /* the next step may make up for it */
        c->before_pending = last;
    }
}
