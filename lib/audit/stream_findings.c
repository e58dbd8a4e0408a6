/* SPDX-License-Identifier: BSD-3-Clause */
/* From numbers to verdicts: the signature table of timing faults. */
#include "finding_list.h"
#include "stream_internal.h"

#include <math.h>

typedef struct verdict_context {
    const snt_stream_monitor *m;
    const snt__stream_state *s;
    const snt__stream_counts *c;
    const snt_stream_report *r;
    bool fixed; /* static: old stamps and silence are right */
    bool event; /* sent on change: no rate */
} verdict_context;

static void verdict_presence(const verdict_context *v, snt__finding_list *list)
{
    const snt__stream_state *s = v->s;
    if (s->silent && !s->messages) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_NO_MESSAGES, 0.8, NULL);
        f->value_ns = snt_time_sub_sat(s->poll_now, s->poll_from);
    } else if (s->silent) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_SILENT, 1, NULL);
        f->value_ns = snt_time_sub_sat(s->poll_now, s->logged ? s->last_log : s->last_stamp);
        f->reference_ns = v->r->period_ns;
    }
}

static void verdict_gaps(const verdict_context *v, snt__finding_list *list)
{
    const snt__stream_counts *c = v->c;
    if (c->gaps) {
        /* times of arrival alone may as well be uneven delivery, or a topic that is sent on change */
        const double certainty = v->s->has_sequence ? 1 : v->s->stamps.steps ? 0.9 : 0.6;
        snt_finding *f = snt__finding_add(list, SNT_FINDING_GAP, certainty, &c->gap_first);
        f->severity = c->gaps_error     ? SNT_SEVERITY_ERROR
                      : c->gaps_warning ? SNT_SEVERITY_WARNING
                                        : SNT_SEVERITY_NOTE;
        f->count = c->gaps;
        f->total = v->s->stamps.steps ? v->s->stamps.steps : v->s->log.steps;
        f->value_ns = c->longest_gap;
        f->reference_ns = v->r->period_ns;
        f->lo = (int64_t)c->missing_lo;
        f->hi = c->missing_hi > INT64_MAX ? INT64_MAX : (int64_t)c->missing_hi;
    }
    if (v->s->lost) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_SEQUENCE_LOSS, 1, &v->s->lost_first);
        f->count = v->s->lost;
        f->total = v->s->lost > UINT64_MAX - v->s->messages ? UINT64_MAX : v->s->lost + v->s->messages;
        f->lo = f->hi = v->s->lost > INT64_MAX ? INT64_MAX : (int64_t)v->s->lost;
    }
    if (c->bursts) {
        const bool confirmed = c->burst_messages > 0;
        snt_finding *f = snt__finding_add(list, SNT_FINDING_BURST, confirmed ? 0.97 : 0.7, &c->burst_first);
        f->count = c->bursts;
        f->total = v->s->log.steps;
        f->value_ns = c->longest_hold;
        f->reference_ns = v->r->period_ns;
        f->lo = f->hi = (int64_t)c->burst_messages;
    }
}

/* Stamps that repeat the scatter of arrivals, or stay even where arrivals scatter. */
static void verdict_scatter(const verdict_context *v, snt__finding_list *list)
{
    const snt_interval_stats *stamps = &v->r->stamps, *log = &v->r->log;
    const snt_delay_stats *delay = &v->r->delay;
    if (stamps->forward < SNT__STREAM_WARMUP)
        return;
    const double median = (double)stamps->median_ns;
    const bool uneven = (double)stamps->jitter_p95_ns > 0.2 * median;
    if (uneven) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_JITTER, 1, NULL);
        f->value_ns = stamps->jitter_p95_ns;
        f->reference_ns = stamps->median_ns;
    }
    if (log->forward < SNT__STREAM_WARMUP || delay->count < 16)
        return;
    /* quantiles, so that a few gaps or steps that both clocks show do not count as scatter */
    const int64_t arrivals = log->jitter_p95_ns, scatter = snt_time_sub_sat(delay->p95_ns, delay->p05_ns);
    /* messages in pairs, or repeats: both clocks show the pattern, and that is no evidence */
    if (stamps->equal * 4 >= stamps->steps)
        return;
    const bool periodic = (double)arrivals < 0.5 * median;
    if (periodic && (double)arrivals > fmax(0.05 * median, 1e5) && (double)scatter < 0.1 * (double)arrivals) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_STAMPED_ON_ARRIVAL, 0.75, NULL);
        f->value_ns = scatter;
        f->reference_ns = arrivals;
    } else if (!uneven && !v->c->bursts && (double)log->jitter_p95_ns > 0.5 * median) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_DELIVERY_JITTER, 1, NULL);
        f->value_ns = log->jitter_p95_ns;
        f->reference_ns = stamps->jitter_p95_ns;
    }
}

static void verdict_rate(const verdict_context *v, snt__finding_list *list)
{
    const int64_t expected = v->m->config.expected_period_ns;
    const snt_interval_stats *steps = v->r->stamps.forward ? &v->r->stamps : &v->r->log;
    if (!expected || !steps->forward)
        return;
    const double off = fabs(steps->rate_hz * 1e-9 * (double)expected - 1);
    if (off * 1000 <= (double)v->m->config.rate_tolerance_permille)
        return;
    snt_finding *f = snt__finding_add(list, SNT_FINDING_RATE, 1, NULL);
    f->value_ns = steps->median_ns;
    f->reference_ns = expected;
    f->number = steps->rate_hz;
}

static void verdict_order(const verdict_context *v, snt__finding_list *list)
{
    const snt__stream_counts *c = v->c;
    const uint64_t steps = v->s->stamps.steps;
    if (c->backward) {
        const bool often = c->backward >= 5 && c->backward * 50 >= steps;
        snt_finding *f = snt__finding_add(list, often ? SNT_FINDING_INTERLEAVED : SNT_FINDING_BACKWARD,
                                          often ? 0.8 : 1, &c->back_first);
        f->count = c->backward;
        f->total = steps;
        f->value_ns = c->worst_back;
    }
    if (c->recorded_backward) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_RECORDED_BACKWARD, 1, &c->recorded_first);
        f->count = c->recorded_backward;
        f->total = v->s->log.steps;
        f->value_ns = c->worst_recorded_back;
    }
    if (c->host_steps) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_HOST_STEP, 0.9, &c->host_first);
        f->count = c->host_steps;
        f->total = v->s->log.steps;
        f->value_ns = c->host_step;
    }
    if (c->stamp_jumps) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_STAMP_JUMP, 0.95, &c->jump_first);
        f->count = c->stamp_jumps;
        f->total = steps;
        f->value_ns = c->stamp_jump;
    }
    const uint64_t equal = v->s->stamps.equal;
    const uint64_t repeats = equal > v->s->stamp_run.frozen ? equal - v->s->stamp_run.frozen : 0;
    if (repeats && !v->fixed &&
        (double)repeats * 1000 >= (double)v->m->config.duplicate_permille * (double)steps) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_DUPLICATE, 1, &v->s->duplicate_first);
        f->count = repeats;
        f->total = steps;
    }
}

static void verdict_values(const verdict_context *v, snt__finding_list *list)
{
    const snt__stream_state *s = v->s;
    if (s->zero) {
        /* a simulator starts at zero: its first stamp may be right */
        const bool start = s->zero_first.first_index == 0 && s->zero <= 2 && s->stamped &&
                           snt_clock_kind(s->first_stamp) == SNT_LOOKS_SIMULATED;
        snt_finding *f = snt__finding_add(list, SNT_FINDING_ZERO_STAMP,
                                          start        ? 0.3
                                          : s->stamped ? 1
                                                       : 0.95,
                                          &s->zero_first);
        f->severity = start ? SNT_SEVERITY_NOTE : SNT_SEVERITY_ERROR;
        f->count = s->zero;
        f->total = s->messages;
    }
    if (s->stamp_run.frozen && !v->fixed) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_FROZEN_STAMP, 1, &s->stamp_run.first);
        f->count = s->stamp_run.frozen;
        f->total = s->messages;
        f->value_ns = s->stamp_run.longest;
    }
    if (s->content_run.frozen && !v->fixed && !(v->m->config.flags & SNT_STREAM_CAN_REST)) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_FROZEN_CONTENT, 0.7, &s->content_run.first);
        f->count = s->content_run.frozen;
        f->total = s->messages;
        f->value_ns = s->content_run.longest;
    }
}

/* Kinds that are a constant between two clocks that both keep time. */
static bool verdict_is_scale(uint32_t kind)
{
    return (kind >= SNT_LOOKS_TAI && kind <= SNT_LOOKS_TOP_OF_HOUR) || kind == SNT_LOOKS_TIME_ZONE ||
           kind == SNT_LOOKS_UNIT;
}

static void verdict_clocks(const verdict_context *v, snt__finding_list *list)
{
    const snt_stream_report *r = v->r;
    const snt__stream_state *s = v->s;
    if (r->mixed_kinds) {
        const uint32_t most = r->stamp_kind == SNT_LOOKS_UPTIME ? SNT_LOOKS_SIMULATED : r->stamp_kind;
        uint32_t other = 0;
        for (uint32_t i = SNT_LOOKS_UNIX; i < SNT__STREAM_KINDS; i++)
            if (s->kinds[i] && i != most)
                other = i;
        snt_finding *f = snt__finding_add(list, SNT_FINDING_MIXED_CLOCKS, 0.95, &s->mixed_first);
        f->count = s->kinds[other];
        f->total = s->messages;
        f->lo = r->stamp_kind;
        f->hi = other;
    }
    const uint32_t kind = r->delay.clock_kind;
    const int64_t gap = r->delay.comparable ? snt_time_sub_sat(0, r->delay.median_ns) : s->apart_min;
    if (r->stamp_kind == SNT_LOOKS_UNSET_RTC || kind == SNT_LOOKS_UNSET_RTC) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_UNSET_CLOCK, 0.85, NULL);
        f->count = s->kinds[SNT_LOOKS_UNSET_RTC];
        f->total = s->messages;
    } else if (verdict_is_scale(kind)) {
        snt_finding *f =
            snt__finding_add(list, SNT_FINDING_TIME_SCALE,
                             kind == SNT_LOOKS_TOP_OF_HOUR || kind == SNT_LOOKS_GPS_TOW ? 0.8 : 0.9, NULL);
        f->value_ns = gap;
        f->lo = f->hi = kind;
    } else if (s->incomparable > s->compared) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_CLOCK_DOMAIN, 1, NULL);
        f->count = s->incomparable;
        f->total = s->messages;
        f->value_ns = snt_time_sub_sat(0, gap);
        f->lo = r->stamp_kind;
        f->hi = r->log_kind;
    }
}

static void verdict_late(const verdict_context *v, snt__finding_list *list)
{
    const snt_delay_stats *d = &v->r->delay;
    const snt_stream_monitor_config *config = &v->m->config;
    const int64_t spread = snt_time_sub_sat(d->p95_ns, d->p05_ns);
    /* constant: delivery scatters by much less than it is late */
    const bool constant = (double)spread < fmax(0.25 * fabs((double)d->median_ns), 1e6);
    const uint32_t severity =
        d->median_ns > config->delay_error_ns ? SNT_SEVERITY_ERROR : SNT_SEVERITY_WARNING;
    if (d->count >= 3 && d->median_ns > config->delay_warn_ns && constant) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_LATE_CONSTANT, 0.85, NULL);
        f->severity = severity;
        f->value_ns = d->median_ns;
        f->reference_ns = spread;
    } else if (d->median_ns > config->delay_warn_ns || d->p95_ns > config->delay_warn_ns) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_LATE, 0.9, NULL);
        f->severity = severity;
        f->value_ns = d->median_ns;
        f->reference_ns = d->p95_ns;
    }
}

static void verdict_delay(const verdict_context *v, snt__finding_list *list)
{
    const snt_delay_stats *d = &v->r->delay;
    const snt_stream_monitor_config *config = &v->m->config;
    if (v->fixed || !d->comparable || d->clock_kind != SNT_LOOKS_SAME)
        return;
    if (d->future) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_FUTURE, 1, &v->s->future_first);
        f->count = d->future;
        f->total = d->count;
        f->value_ns = d->min_ns == INT64_MIN ? INT64_MAX : -d->min_ns;
        f->reference_ns = d->median_ns;
        f->severity = config->flags & SNT_STREAM_POST_DATED  ? SNT_SEVERITY_NOTE
                      : d->min_ns < -config->future_error_ns ? SNT_SEVERITY_ERROR
                                                             : SNT_SEVERITY_WARNING;
    }
    verdict_late(v, list);
    const double change = d->drift_ppb * d->span_s;
    if (fabs(d->drift_ppb) > 5 * d->drift_error_ppb && fabs(change) > fmax(5e6, 2 * d->jitter_ns)) {
        snt_finding *f = snt__finding_add(list, SNT_FINDING_DELAY_TREND, 0.9, NULL);
        f->severity = fabs(change) > (double)config->delay_warn_ns ? SNT_SEVERITY_WARNING : SNT_SEVERITY_NOTE;
        f->value_ns = (int64_t)change;
        f->reference_ns = (int64_t)(1e9 * d->span_s);
        f->number = d->drift_ppb;
        f->number_error = d->drift_error_ppb;
    }
}

snt_status snt_stream_monitor_findings(snt_stream_monitor *monitor, snt_finding *out, uint32_t capacity,
                                       uint32_t *count)
{
    if (!monitor || !count || (!out && capacity))
        return SNT_ERR_INVALID_ARG;
    snt__finding_list list = {.count = 0};
    snt__lock_acquire(&monitor->lock);
    const snt__stream_counts counts = snt__stream_settled(monitor);
    snt_stream_report report;
    snt__stream_report(monitor, &counts, &report);
    const verdict_context v = {.m = monitor,
                               .s = &monitor->s,
                               .c = &counts,
                               .r = &report,
                               .fixed = (monitor->config.flags & SNT_STREAM_STATIC) != 0,
                               .event = (monitor->config.flags & SNT_STREAM_EVENTUAL) != 0};
    verdict_presence(&v, &list);
    if (!v.fixed && !v.event) {
        verdict_gaps(&v, &list);
        verdict_rate(&v, &list);
        verdict_scatter(&v, &list);
    }
    verdict_order(&v, &list);
    verdict_values(&v, &list);
    verdict_clocks(&v, &list);
    verdict_delay(&v, &list);
    snt__lock_release(&monitor->lock);
    return snt__finding_give(&list, out, capacity, count);
}
