/* SPDX-License-Identifier: BSD-3-Clause */
#include "sensortime/sample.h"
#include "stream_internal.h"

#include <math.h>

_Static_assert(sizeof(snt_interval_stats) == 112, "frozen");
_Static_assert(sizeof(snt_delay_stats) == 160, "frozen");
_Static_assert(sizeof(snt_stream_report) == 632, "frozen");

snt__stream_counts snt__stream_settled(snt_stream_monitor *m)
{
    snt__stream_counts counts = m->s.counts;
    if (!m->s.warm)
        for (uint32_t i = 0; i < m->s.held_count; i++)
            snt__stream_judge(m, &counts, &m->s.held[i], false);
    snt__stream_settle(m, &counts, false);
    return counts;
}

static void report_intervals(const snt__stream_steps *steps, snt_interval_stats *out)
{
    *out = (snt_interval_stats){.steps = steps->steps,
                                .forward = steps->forward,
                                .equal = steps->equal,
                                .backward = steps->backward,
                                .worst_back_ns = steps->worst_back,
                                .min_ns = SNT_UNKNOWN,
                                .max_ns = SNT_UNKNOWN,
                                .median_ns = SNT_UNKNOWN,
                                .p05_ns = SNT_UNKNOWN,
                                .p95_ns = SNT_UNKNOWN,
                                .jitter_p95_ns = SNT_UNKNOWN,
                                .mean_ns = NAN,
                                .std_ns = NAN,
                                .rate_hz = (double)NAN};
    if (!steps->forward)
        return;
    const snt__histogram *h = &steps->histogram;
    const uint64_t median = snt__histogram_median(h);
    out->min_ns = steps->min;
    out->max_ns = steps->max;
    out->median_ns = (int64_t)median;
    out->p05_ns = (int64_t)snt__histogram_quantile(h, 0.05);
    out->p95_ns = (int64_t)snt__histogram_quantile(h, 0.95);
    out->jitter_p95_ns = (int64_t)snt__histogram_spread(h, median, 0.95);
    out->mean_ns = steps->mean;
    if (steps->forward > 1)
        out->std_ns = sqrt(steps->m2 / (double)(steps->forward - 1));
    out->rate_hz = 1e9 * (double)(steps->forward + steps->equal) / steps->sum;
}

/*
 * What the gap between stamps and log is, where it is no delay: a constant of the calendar (only if it is constant, and
 * the log is of a calendar's clock), or another clock.
 */
static uint32_t report_gap(const snt_stream_monitor *m, const snt_delay_stats *delay)
{
    const snt__stream_state *s = &m->s;
    snt_time log = s->last_log;
    snt_duration gap;
    if (delay->comparable) {
        if (snt_clock_kind(log) != SNT_LOOKS_UNIX ||
            snt_time_sub_sat(delay->p95_ns, delay->p05_ns) > SNT_NS_PER_S / 2)
            return SNT_LOOKS_SAME;
        gap = snt_time_sub_sat(0, delay->median_ns);
    } else {
        if (s->incomparable <= s->compared)
            return SNT_LOOKS_SAME;
        log = s->apart_log;
        gap = s->apart_min;
    }
    snt_clock_finding finding;
    if (snt_clock_classify(snt_time_add_sat(log, gap), log, SNT_UNKNOWN, 0, NULL, &finding) < 0)
        return SNT_LOOKS_FOREIGN;
    if (delay->comparable)
        return finding.kind;
    const bool constant = snt_time_sub_sat(s->apart_max, s->apart_min) < SNT_NS_PER_S;
    const bool needs_constant = finding.kind != SNT_LOOKS_SIMULATED && finding.kind != SNT_LOOKS_UNSET_RTC;
    return constant || !needs_constant ? finding.kind : SNT_LOOKS_FOREIGN;
}

static void report_delay(const snt_stream_monitor *m, snt_delay_stats *out)
{
    const snt__stream_state *s = &m->s;
    const snt__fit_line line = snt__fit_solve(&s->fit, m->config.drift_span_ns);
    *out = (snt_delay_stats){.count = s->compared,
                             .incomparable = s->incomparable,
                             .min_ns = SNT_UNKNOWN,
                             .max_ns = SNT_UNKNOWN,
                             .median_ns = SNT_UNKNOWN,
                             .p05_ns = SNT_UNKNOWN,
                             .p95_ns = SNT_UNKNOWN,
                             .mean_ns = NAN,
                             .std_ns = line.std_ns,
                             .span_s = line.span_s,
                             .offset_ns = line.offset_ns,
                             .drift_ppb = line.slope_ppb,
                             .drift_error_ppb = line.slope_error,
                             .jitter_ns = line.residual_ns,
                             .floor_ppb = line.floor_ppb,
                             .floor_first_ppb = line.floor_first_ppb,
                             .floor_second_ppb = line.floor_second_ppb,
                             .floor_error_ns = line.floor_error_ns,
                             .future = s->future,
                             .comparable = s->compared > s->incomparable};
    if (s->compared) {
        out->min_ns = s->delay_min;
        out->max_ns = s->delay_max;
        out->median_ns = snt__histogram_signed_quantile(&s->delay, 0.5);
        out->p05_ns = snt__histogram_signed_quantile(&s->delay, 0.05);
        out->p95_ns = snt__histogram_signed_quantile(&s->delay, 0.95);
        out->mean_ns = (double)s->fit.y0 + s->fit.mean_y;
    }
    out->clock_kind = report_gap(m, out);
}

/*
 * The kind most times have. Small ones in steps of a tenth of a millisecond or more are a simulator's, others count from
 * boot.
 */
static uint32_t report_kind(const uint64_t *kinds, uint64_t gcd, uint32_t domain)
{
    if (domain == SNT_DOMAIN_SIM)
        return SNT_LOOKS_SIMULATED;
    uint32_t best = SNT_LOOKS_ZERO;
    for (uint32_t i = 0; i < SNT__STREAM_KINDS; i++) /* zeros beside a real clock say nothing about it */
        if (i != SNT_LOOKS_ZERO && kinds[i] && (best == SNT_LOOKS_ZERO || kinds[i] > kinds[best]))
            best = i;
    if (best == SNT_LOOKS_ZERO && !kinds[SNT_LOOKS_ZERO])
        return SNT_LOOKS_FOREIGN;
    if (best == SNT_LOOKS_SIMULATED && (kinds[best] < 4 || gcd < 100000))
        return SNT_LOOKS_UPTIME;
    return best;
}

static uint32_t report_mixed(const uint64_t *kinds)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < SNT__STREAM_KINDS; i++)
        seen += i != SNT_LOOKS_ZERO && kinds[i] > 0;
    return seen > 1;
}

void snt__stream_report(snt_stream_monitor *m, const snt__stream_counts *c, snt_stream_report *out)
{
    const snt__stream_state *s = &m->s;
    bool even;
    memset(out, 0, sizeof *out);
    out->messages = s->messages;
    out->bytes = s->bytes;
    out->first_stamp_ns = s->first_stamp;
    out->last_stamp_ns = s->last_stamp;
    out->first_log_ns = s->first_log;
    out->last_log_ns = s->last_log;
    report_intervals(&s->stamps, &out->stamps);
    report_intervals(&s->log, &out->log);
    report_delay(m, &out->delay);
    out->bandwidth_bps =
        s->log.sum > 0 ? 1e9 * (double)(s->bytes - s->first_bytes) / s->log.sum : (double)NAN;
    out->period_ns = snt__stream_period(m, &even);
    out->zero_stamps = s->zero;
    out->frozen_stamps = s->stamp_run.frozen;
    out->frozen_contents = s->content_run.frozen;
    out->gaps = c->gaps;
    out->gaps_warning = c->gaps_warning;
    out->gaps_error = c->gaps_error;
    out->missing_lo = c->missing_lo;
    out->missing_hi = c->missing_hi;
    out->longest_gap_ns = c->longest_gap;
    out->longest_gap_at_ns = c->longest_gap_at;
    out->bursts = c->bursts;
    out->burst_messages = c->burst_messages;
    out->longest_hold_ns = c->longest_hold;
    out->host_steps = c->host_steps;
    out->host_step_ns = c->host_step;
    out->host_step_at_ns = c->host_step_at;
    out->stamp_jumps = c->stamp_jumps;
    out->stamp_jump_ns = c->stamp_jump;
    out->lost = s->lost;
    out->reordered = s->reordered;
    out->events_dropped = s->events_dropped;
    out->stamp_kind = report_kind(s->kinds, s->stamp_gcd, m->config.stamp_domain);
    out->log_kind = report_kind(s->log_kinds, s->log_gcd, m->config.log_domain);
    out->mixed_kinds = report_mixed(s->kinds);
    out->silent = s->silent;
}
