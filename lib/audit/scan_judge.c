/* SPDX-License-Identifier: BSD-3-Clause */
/* What a scan's numbers mean by themselves, beside the IMU, and compared with the other scans. */
#include "scan_internal.h"

#include <math.h>

static bool judge_timed(const snt_scan_report *r)
{
    return !(r->flags & SNT_SCAN_NO_TIME);
}

static int64_t judge_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Which moment of the scan the header lies at: the nearest one, if it is near at all. */
static uint32_t judge_event(const snt_scan_report *r)
{
    if (r->header_ns == SNT_UNKNOWN || !judge_timed(r) ||
        !snt__clock_comparable(r->header_ns, r->points.min_ns))
        return SNT_EVENT_UNSPECIFIED;
    const int64_t start = r->points.min_ns, end = r->points.max_ns, half = r->duration_ns / 2;
    const int64_t near = judge_larger(SNT_NS_PER_MS, r->duration_ns / 50);
    /* received before its last point was measured: the times hang on the wrong end of the scan */
    if (r->latency_ns != SNT_UNKNOWN && r->latency_ns < -near &&
        snt__audit_abs(snt_time_sub_sat(r->latency_ns, -r->duration_ns)) <
            (uint64_t)judge_larger(5 * SNT_NS_PER_MS, r->duration_ns / 4))
        return SNT_EVENT_SWEEP_END;
    const struct {
        uint32_t event;
        uint64_t away;
    } moments[] = {
        {SNT_EVENT_SWEEP_START, snt__audit_abs(snt_time_sub_sat(r->header_ns, start))},
        {SNT_EVENT_SWEEP_END, snt__audit_abs(snt_time_sub_sat(r->header_ns, end))},
        {SNT_EVENT_SWEEP_MID, snt__audit_abs(snt_time_sub_sat(r->header_ns, start + half))},
    };
    uint32_t event = SNT_EVENT_UNSPECIFIED;
    uint64_t least = (uint64_t)near + 1;
    for (size_t i = 0; i < SNT_COUNT_OF(moments); i++)
        if (moments[i].away < least) {
            least = moments[i].away;
            event = moments[i].event;
        }
    if (!event && r->receive_ns != SNT_UNKNOWN &&
        snt__audit_abs(snt_time_sub_sat(r->receive_ns, r->header_ns)) <= (uint64_t)near)
        event = SNT_EVENT_RECEIVE;
    return event;
}

void snt__scan_place(const snt_scan_auditor *a, snt__scan_entry *entry)
{
    snt_scan_report *const r = &entry->report;
    r->duration_ns = r->header_interval_ns = r->header_offset_ns = r->latency_ns = r->overlap_ns =
        SNT_UNKNOWN;
    r->imu_arrival_margin_ns = SNT_UNKNOWN;
    r->usual_duration_ns = r->usual_gap_ns = r->usual_interval_ns = SNT_UNKNOWN;
    if (r->header_ns != SNT_UNKNOWN && a->last_header != SNT_UNKNOWN)
        r->header_interval_ns = snt_time_sub_sat(r->header_ns, a->last_header);
    if (r->points.min_ns != SNT_UNKNOWN)
        r->duration_ns = r->points.max_ns - r->points.min_ns;
    if (!judge_timed(r))
        return;
    const int64_t start = r->points.min_ns, end = r->points.max_ns;
    if (r->header_ns != SNT_UNKNOWN && snt__clock_comparable(r->header_ns, start))
        r->header_offset_ns = snt_time_sub_sat(start, r->header_ns);
    if (r->receive_ns != SNT_UNKNOWN && snt__clock_comparable(r->receive_ns, end))
        r->latency_ns = snt_time_sub_sat(r->receive_ns, end);
    if (a->last_end != SNT_UNKNOWN)
        r->overlap_ns = snt_time_sub_sat(a->last_end, start);
    if (a->imu.count) {
        const int64_t newest = snt__imu_at(&a->imu, a->imu.count - 1);
        if (snt__clock_comparable(newest, end))
            r->imu_arrival_margin_ns = snt_time_sub_sat(newest, end);
    }
    r->header_event = judge_event(r);
}

void snt__scan_cover(snt_scan_auditor *a, snt__scan_entry *entry)
{
    snt_scan_report *const r = &entry->report;
    snt__imu_cover cover = {SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, SNT_UNKNOWN, 0};
    const int64_t start = r->points.min_ns, end = r->points.max_ns;
    if (start == SNT_UNKNOWN) {
        /* no times: nothing to cover */
    } else if (a->imu.count) {
        if (snt__clock_comparable(snt__imu_at(&a->imu, a->imu.count - 1), end))
            snt__imu_cover_scan(&a->imu, start, end, &cover);
        else
            r->flags |= SNT_SCAN_IMU_CLOCK;
    } else if (!a->totals.imu_samples) {
        r->flags |= SNT_SCAN_NO_IMU;
    }
    r->imu_start_margin_ns = cover.start_margin;
    r->imu_end_margin_ns = cover.end_margin;
    r->imu_start_nearest_ns = cover.start_nearest;
    r->imu_end_nearest_ns = cover.end_nearest;
    r->imu_largest_hole_ns = cover.hole;
    r->imu_hole_at_ns = cover.hole_at;
    r->imu_inside = cover.inside;
    if (cover.start_nearest != SNT_UNKNOWN && cover.end_nearest != SNT_UNKNOWN)
        r->flags |= SNT_SCAN_IMU_BRACKETED;
}

/* Near the IMU's first and last stamps a scan is not covered and nobody is to blame. */
static void judge_edges(snt_scan_auditor *a, snt__scan_entry *entry)
{
    snt_scan_report *const r = &entry->report;
    if (judge_timed(r) && a->totals.imu_samples &&
        !(r->flags & (SNT_SCAN_IMU_CLOCK | SNT_SCAN_IMU_BRACKETED))) {
        const int64_t before = snt_time_sub_sat(a->totals.imu_first_ever, r->points.min_ns);
        if (before > 0 && before <= SNT__SCAN_EDGE_NS)
            r->flags |= SNT_SCAN_BEFORE_IMU;
        if (a->finished && a->imu.count && !(r->flags & SNT_SCAN_IMU_RESET)) {
            const int64_t newest = snt__imu_at(&a->imu, a->imu.count - 1);
            const int64_t after = snt_time_sub_sat(r->points.max_ns, newest);
            if (after > 0 && after <= SNT__SCAN_EDGE_NS)
                r->flags |= SNT_SCAN_AFTER_IMU;
        }
    }
    if (r->flags & (SNT_SCAN_FIRST | SNT_SCAN_LAST | SNT_SCAN_BEFORE_IMU | SNT_SCAN_AFTER_IMU))
        r->flags |= SNT_SCAN_EDGE;
}

static void judge_loss(const snt_scan_auditor *a, snt__scan_entry *entry)
{
    snt_scan_report *const r = &entry->report;
    const snt_scan_auditor_config *c = &a->config;
    if (a->added < c->warmup_scans || a->added < 3) {
        r->flags |= SNT_SCAN_WARMUP;
        return;
    }
    r->usual_points = snt__histogram_median(&a->valid);
    if (a->interval.count)
        r->usual_interval_ns = (int64_t)snt__histogram_median(&a->interval);
    if (a->duration.count) {
        r->usual_duration_ns = (int64_t)snt__histogram_median(&a->duration);
        r->usual_gap_ns = (int64_t)snt__histogram_median(&a->gap);
    }
    if (r->flags & (SNT_SCAN_FIRST | SNT_SCAN_LAST)) /* recordings start and end in the middle of a scan */
        return;
    uint32_t why = 0;
    if ((double)entry->valid < c->count_factor * (double)r->usual_points)
        why |= SNT_LOSS_POINT_COUNT;
    if (judge_timed(r) && a->duration.count) {
        const double usual = (double)r->usual_duration_ns;
        if (fabs((double)r->duration_ns - usual) > c->duration_factor * usual)
            why |= SNT_LOSS_DURATION;
        if ((double)r->points.sorted_gap_ns > c->gap_factor * (double)r->usual_gap_ns &&
            r->points.sorted_gap_ns > r->large_gap_limit_ns)
            why |= SNT_LOSS_TIME_GAP;
    }
    if (r->empty_rings)
        why |= SNT_LOSS_EMPTY_RINGS;
    if (r->header_interval_ns != SNT_UNKNOWN && a->interval.count &&
        (double)r->header_interval_ns > c->interval_factor * (double)r->usual_interval_ns)
        why |= SNT_LOSS_HEADER_INTERVAL;
    r->suspicion = why;
}

static void judge_tally(snt__scan_totals *t, uint32_t which, const snt_scan_report *r, int64_t size,
                        uint64_t amount)
{
    snt__scan_tally *const tally = &t->tally[which];
    if (!tally->count++) {
        tally->first_scan = r->scan_id;
        tally->first_header = r->header_ns;
        tally->first_receive = r->receive_ns;
        tally->worst = size;
    }
    tally->amount += amount;
    if (size > tally->worst)
        tally->worst = size;
}

static void judge_max(int64_t *most, int64_t value)
{
    if (value != SNT_UNKNOWN && (*most == SNT_UNKNOWN || value > *most))
        *most = value;
}

static void judge_welford(double value, double *mean, double *m2, uint64_t *count)
{
    const double away = value - *mean;
    ++*count;
    *mean += away / (double)*count;
    *m2 += away * (value - *mean);
}

static void judge_total_points(snt_scan_auditor *a, const snt__scan_entry *entry)
{
    const snt_scan_report *r = &entry->report;
    const snt_point_stats *p = &r->points;
    snt__scan_totals *const t = &a->totals;
    snt__histogram_add(&t->points, p->points);
    if (p->rings > t->rings_max)
        t->rings_max = p->rings;
    t->orders[p->order < SNT_COUNT_OF(t->orders) ? p->order : 0]++;
    if (p->nan_times || p->invalid_times)
        judge_tally(t, SNT__TALLY_INVALID, r, 0, p->nan_times + p->invalid_times);
    if (p->flags & SNT_SCAN_RINGS_UNTRACKED)
        judge_tally(t, SNT__TALLY_RINGS, r, 0, 0);
    if (!judge_timed(r)) {
        if (p->points)
            judge_tally(t, SNT__TALLY_NO_TIME, r, 0, 0);
        return;
    }
    t->timed++;
    t->monotonic += (r->flags & SNT_SCAN_MONOTONIC) != 0;
    judge_max(&t->point_gap, p->max_gap_ns);
    if (t->sorted_gap == SNT_UNKNOWN || p->sorted_gap_ns > t->sorted_gap)
        t->sorted_gap_scan = r->scan_id;
    judge_max(&t->sorted_gap, p->sorted_gap_ns);
    if (p->quantum_ns > t->quantum)
        t->quantum = p->quantum_ns;
    if (p->wrapped_times)
        judge_tally(t, SNT__TALLY_WRAPPED, r, 0, p->wrapped_times);
    if (p->negative_jumps)
        judge_tally(t, SNT__TALLY_UNORDERED, r, -p->min_step_ns, 0);
    if (p->rings > 1 && p->ring_jumps > p->rings) /* one turn-over per ring comes with destaggering */
        judge_tally(t, SNT__TALLY_RING_BACK, r, 0, 0);
    const bool stray = p->negative_times && !p->wrapped_times && p->negative_times * 5 < p->timed;
    if (p->beyond_period || stray)
        judge_tally(t, SNT__TALLY_FOREIGN, r, 0, p->beyond_period + (stray ? p->negative_times : 0));
    if (p->unit_factor != 1) {
        t->units_wrong++;
        t->unit_factor = p->unit_factor;
        judge_tally(t, SNT__TALLY_DURATION, r, r->duration_ns, 0);
    }
    if (p->quantum_ns >= 10 * SNT_NS_PER_US)
        judge_tally(t, SNT__TALLY_COARSE, r, p->quantum_ns, 0);
}

static void judge_total_imu(snt_scan_auditor *a, const snt__scan_entry *entry)
{
    const snt_scan_report *r = &entry->report;
    snt__scan_totals *const t = &a->totals;
    if (!judge_timed(r) || (r->flags & SNT_SCAN_NO_IMU) || (a->config.flags & SNT_SCAN_AUDIT_NO_IMU))
        return;
    if (r->flags & SNT_SCAN_IMU_CLOCK) {
        judge_tally(t, SNT__TALLY_IMU_CLOCK, r,
                    snt_time_sub_sat(snt__imu_at(&a->imu, a->imu.count - 1), r->points.max_ns), 0);
        return;
    }
    snt__histogram_add(&t->inside, r->imu_inside);
    if (r->imu_largest_hole_ns != SNT_UNKNOWN && r->imu_largest_hole_ns > a->config.imu_hole_ns)
        judge_tally(t, SNT__TALLY_IMU_HOLE, r, r->imu_largest_hole_ns, 0);
    judge_max(&t->hole, r->imu_largest_hole_ns);
    if (r->flags & SNT_SCAN_IMU_BRACKETED) {
        judge_max(&t->start_nearest, r->imu_start_nearest_ns);
        judge_max(&t->end_nearest, r->imu_end_nearest_ns);
    } else if (!(r->flags & (SNT_SCAN_BEFORE_IMU | SNT_SCAN_AFTER_IMU))) {
        /* the worst margin is the most negative one */
        int64_t margin = 0;
        if (r->imu_start_nearest_ns == SNT_UNKNOWN && r->imu_start_margin_ns != SNT_UNKNOWN)
            margin = judge_larger(margin, -r->imu_start_margin_ns);
        if (r->imu_end_nearest_ns == SNT_UNKNOWN && r->imu_end_margin_ns != SNT_UNKNOWN)
            margin = judge_larger(margin, -r->imu_end_margin_ns);
        t->uncovered++;
        judge_tally(t, SNT__TALLY_IMU_MISSING, r, margin, 0);
    }
}

static void judge_total_header(snt_scan_auditor *a, const snt__scan_entry *entry)
{
    const snt_scan_report *r = &entry->report;
    snt__scan_totals *const t = &a->totals;
    const uint32_t kinds[4] = {SNT_EVENT_SWEEP_START, SNT_EVENT_SWEEP_MID, SNT_EVENT_SWEEP_END,
                               SNT_EVENT_RECEIVE};
    for (int i = 0; i < 4; i++)
        t->events[i] += r->header_event == kinds[i];
    if (r->receive_ns != SNT_UNKNOWN && r->header_ns != SNT_UNKNOWN &&
        snt__clock_comparable(r->receive_ns, r->header_ns))
        snt__fit_add(&t->header, r->receive_ns, snt_time_sub_sat(r->receive_ns, r->header_ns));
    if (!judge_timed(r))
        return;
    const int64_t slack = judge_larger(SNT_NS_PER_MS, r->duration_ns / 50);
    if (r->header_offset_ns != SNT_UNKNOWN) {
        snt__histogram_signed_add(&t->offset, r->header_offset_ns);
        judge_welford((double)r->header_offset_ns, &t->offset_mean, &t->offset_m2, &t->offset_count);
        const int64_t period = entry->period ? entry->period : snt__scan_period(a);
        if (period > 2 * slack && snt__audit_abs(snt_time_sub_sat(r->header_offset_ns, period)) <=
                                      (uint64_t)judge_larger(slack, period / 20))
            judge_tally(t, SNT__TALLY_PERIOD_EARLY, r, r->header_offset_ns, 0);
    }
    if (r->latency_ns != SNT_UNKNOWN) {
        snt__histogram_signed_add(&t->latency, r->latency_ns);
        judge_welford((double)r->latency_ns, &t->latency_mean, &t->latency_m2, &t->latency_count);
        if (t->latency_min == SNT_UNKNOWN || r->latency_ns < t->latency_min)
            t->latency_min = r->latency_ns;
        judge_max(&t->latency_max, r->latency_ns);
        if (r->latency_ns < -slack)
            judge_tally(t, SNT__TALLY_EARLY_RECEIVE, r, -r->latency_ns, 0);
    }
    judge_max(&t->overlap, r->overlap_ns);
    if (r->overlap_ns != SNT_UNKNOWN &&
        r->overlap_ns > judge_larger(100 * SNT_NS_PER_US, r->duration_ns / 100))
        judge_tally(t, SNT__TALLY_OVERLAP, r, r->overlap_ns, 0);
}

void snt__scan_judge(snt_scan_auditor *a, snt__scan_entry *entry)
{
    snt_scan_report *const r = &entry->report;
    snt__scan_totals *const t = &a->totals;
    if (a->imu.count && entry->covered && entry->imu_session == a->imu_session &&
        r->points.max_ns != SNT_UNKNOWN &&
        r->imu_end_margin_ns != SNT_UNKNOWN) /* more IMU may have come since it was covered */
        r->imu_end_margin_ns = snt_time_sub_sat(snt__imu_at(&a->imu, a->imu.count - 1), r->points.max_ns);
    judge_edges(a, entry);
    judge_loss(a, entry);
    t->scans++;
    t->edge += (r->flags & SNT_SCAN_EDGE) != 0;
    if (r->suspicion) {
        t->suspected++;
        judge_tally(t, SNT__TALLY_SUSPECT, r, judge_timed(r) ? r->points.sorted_gap_ns : 0, 0);
    }
    if (r->proof) {
        t->proven++;
        t->lost += r->lost_packets;
        judge_tally(t, SNT__TALLY_PACKETS, r, 0, r->lost_packets);
    }
    judge_total_points(a, entry);
    judge_total_imu(a, entry);
    judge_total_header(a, entry);
}
