/* SPDX-License-Identifier: BSD-3-Clause */
#include "finding_list.h"
#include "scan_internal.h"
#include "../base/print.h"

#include <math.h>

_Static_assert(sizeof(snt_scan_summary) == 328, "frozen");

void snt__scan_totals_reset(snt__scan_totals *t)
{
    memset(t, 0, sizeof *t);
    t->start_nearest = t->end_nearest = t->hole = t->point_gap = t->sorted_gap = t->overlap = SNT_UNKNOWN;
    t->latency_min = t->latency_max = SNT_UNKNOWN;
    snt__fit_reset(&t->header);
}

static double scan_std(double m2, uint64_t count)
{
    return count > 1 ? sqrt(m2 / (double)(count - 1)) : (double)NAN;
}

/* The meaning most headers have: at least three of four. */
static uint32_t scan_usual_event(const snt__scan_totals *t)
{
    static const uint32_t kinds[4] = {SNT_EVENT_SWEEP_START, SNT_EVENT_SWEEP_MID, SNT_EVENT_SWEEP_END,
                                      SNT_EVENT_RECEIVE};
    for (int i = 0; i < 4; i++)
        if (t->timed && t->events[i] * 4 >= t->timed * 3)
            return kinds[i];
    return SNT_EVENT_UNSPECIFIED;
}

static uint32_t scan_usual_order(const snt__scan_totals *t)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < SNT_COUNT_OF(t->orders); i++)
        if (t->orders[i] > t->orders[best])
            best = i;
    return best;
}

snt_status snt_scan_auditor_summary(const snt_scan_auditor *auditor, snt_scan_summary *out)
{
    if (!auditor || !out)
        return SNT_ERR_INVALID_ARG;
    const snt_scan_auditor *const a = auditor;
    const snt__scan_totals *const t = &a->totals;
    const snt__fit_line line = snt__fit_solve(&t->header, 10 * SNT_NS_PER_S);
    memset(out, 0, sizeof *out);
    out->scans = t->scans;
    out->waiting = a->added - a->final;
    out->timed = t->timed;
    out->monotonic = t->monotonic;
    out->suspected = t->suspected;
    out->proven = t->proven;
    out->lost_packets = t->lost;
    out->edge = t->edge;
    out->uncovered = t->uncovered;
    out->reports_dropped = t->reports_dropped;
    out->imu_samples = t->imu_samples;
    out->imu_backward = t->imu_backward;
    out->imu_duplicate = t->imu_duplicate;
    out->imu_worst_back_ns = t->imu_worst_back;
    out->points_median = snt__histogram_median(&t->points);
    out->duration_median_ns = a->duration.count ? (int64_t)snt__histogram_median(&a->duration) : SNT_UNKNOWN;
    out->interval_median_ns = a->interval.count ? (int64_t)snt__histogram_median(&a->interval) : SNT_UNKNOWN;
    out->imu_start_nearest_max_ns = t->start_nearest;
    out->imu_end_nearest_max_ns = t->end_nearest;
    out->imu_inside_median = snt__histogram_median(&t->inside);
    out->imu_hole_max_ns = t->hole;
    out->point_gap_max_ns = t->point_gap;
    out->sorted_gap_max_ns = t->sorted_gap;
    out->sorted_gap_scan = t->sorted_gap_scan;
    out->overlap_max_ns = t->overlap;
    out->header_offset_median_ns =
        t->offset_count ? snt__histogram_signed_quantile(&t->offset, 0.5) : SNT_UNKNOWN;
    out->header_offset_std_ns = scan_std(t->offset_m2, t->offset_count);
    out->latency_min_ns = t->latency_min;
    out->latency_max_ns = t->latency_max;
    out->latency_median_ns =
        t->latency_count ? snt__histogram_signed_quantile(&t->latency, 0.5) : SNT_UNKNOWN;
    out->latency_std_ns = scan_std(t->latency_m2, t->latency_count);
    const double period = (double)snt__scan_period(a);
    out->latency_constant = t->latency_count > 1 && out->latency_std_ns < fmax(5e6, 0.1 * period);
    out->header_event = scan_usual_event(t);
    out->header_offset_b_ns = line.offset_ns;
    out->header_drift_ppb = line.slope_ppb;
    out->header_drift_error_ppb = line.slope_error;
    out->header_jitter_ns = line.residual_ns;
    out->order = scan_usual_order(t);
    out->rings_max = t->rings_max;
    out->monotonic_ratio = t->timed ? (double)t->monotonic / (double)t->timed : (double)NAN;
    out->suspected_ratio = t->scans ? (double)t->suspected / (double)t->scans : (double)NAN;
    out->unit_factor = t->units_wrong * 2 > t->timed ? t->unit_factor : 1;
    out->quantum_ns = t->quantum;
    return SNT_OK;
}

static snt_finding *scan_from_tally(const snt_scan_auditor *a, snt__finding_list *list, uint32_t which,
                                    uint32_t code, double certainty)
{
    const snt__scan_tally *const tally = &a->totals.tally[which];
    if (!tally->count)
        return NULL;
    const snt_finding first = {.first_index = tally->first_scan,
                               .first_stamp_ns = tally->first_header,
                               .first_log_ns = tally->first_receive};
    snt_finding *f = snt__finding_add(list, code, certainty, &first);
    f->count = tally->count;
    f->total = a->totals.scans;
    f->value_ns = tally->worst;
    f->lo = f->hi = tally->amount > INT64_MAX ? INT64_MAX : (int64_t)tally->amount;
    return f;
}

static void scan_find_points(const snt_scan_auditor *a, const snt_scan_summary *s, snt__finding_list *list)
{
    snt_finding *f = scan_from_tally(a, list, SNT__TALLY_NO_TIME, SNT_FINDING_NO_POINT_TIME, 1);
    scan_from_tally(a, list, SNT__TALLY_INVALID, SNT_FINDING_INVALID_POINT_TIME, 1);
    scan_from_tally(a, list, SNT__TALLY_WRAPPED, SNT_FINDING_WRAPPED_POINT_TIME, 0.95);
    scan_from_tally(a, list, SNT__TALLY_UNORDERED, SNT_FINDING_NOT_TIME_ORDERED, 1);
    scan_from_tally(a, list, SNT__TALLY_RING_BACK, SNT_FINDING_RING_BACKWARD, 0.9);
    if ((f = scan_from_tally(a, list, SNT__TALLY_FOREIGN, SNT_FINDING_FOREIGN_POINTS, 0.8)))
        f->reference_ns = snt__scan_period(a);
    if ((f = scan_from_tally(a, list, SNT__TALLY_DURATION, SNT_FINDING_DURATION, 0.9))) {
        f->value_ns = s->duration_median_ns;
        f->number = a->totals.unit_factor;
        f->severity = a->totals.units_wrong * 2 > a->totals.timed ? SNT_SEVERITY_ERROR : SNT_SEVERITY_WARNING;
    }
    scan_from_tally(a, list, SNT__TALLY_COARSE, SNT_FINDING_COARSE_POINT_TIME, 1);
    scan_from_tally(a, list, SNT__TALLY_RINGS, SNT_FINDING_RINGS_UNTRACKED, 1);
}

static void scan_find_loss(const snt_scan_auditor *a, snt__finding_list *list)
{
    snt_finding *f = scan_from_tally(a, list, SNT__TALLY_SUSPECT, SNT_FINDING_SUSPECT_LOSS, 0.5);
    if (f)
        f->reference_ns = (int64_t)snt__histogram_median(&a->gap);
    scan_from_tally(a, list, SNT__TALLY_PACKETS, SNT_FINDING_PACKET_LOSS, 1);
}

static void scan_find_imu(const snt_scan_auditor *a, snt__finding_list *list)
{
    const snt__scan_totals *const t = &a->totals;
    snt_finding *f = scan_from_tally(a, list, SNT__TALLY_IMU_MISSING, SNT_FINDING_IMU_MISSING, 0.95);
    if (f)
        f->value_ns = -f->value_ns;
    if ((f = scan_from_tally(a, list, SNT__TALLY_IMU_HOLE, SNT_FINDING_IMU_HOLE, 1)))
        f->reference_ns = a->config.imu_hole_ns;
    scan_from_tally(a, list, SNT__TALLY_IMU_CLOCK, SNT_FINDING_IMU_CLOCK, 1);
    if (t->imu_backward) {
        const snt_finding first = {
            .first_index = t->imu_back_first, .first_stamp_ns = SNT_UNKNOWN, .first_log_ns = SNT_UNKNOWN};
        f = snt__finding_add(list, SNT_FINDING_IMU_BACKWARD, 1, &first);
        f->count = t->imu_backward;
        f->total = t->imu_samples;
        f->value_ns = t->imu_worst_back;
        f->severity = t->imu_resets ? SNT_SEVERITY_ERROR : SNT_SEVERITY_WARNING;
    }
}

static void scan_find_header(const snt_scan_auditor *a, const snt_scan_summary *s, snt__finding_list *list)
{
    const snt__scan_totals *const t = &a->totals;
    snt_finding *f = scan_from_tally(a, list, SNT__TALLY_OVERLAP, SNT_FINDING_SCAN_OVERLAP, 0.9);
    const bool early = t->tally[SNT__TALLY_EARLY_RECEIVE].count * 2 > t->latency_count;
    if (early &&
        (f = scan_from_tally(a, list, SNT__TALLY_EARLY_RECEIVE, SNT_FINDING_RECEIVED_BEFORE_END, 0.95))) {
        f->value_ns = s->latency_median_ns;
        f->reference_ns = s->duration_median_ns;
    }
    const bool period = t->tally[SNT__TALLY_PERIOD_EARLY].count * 2 > t->offset_count;
    if (period && (f = scan_from_tally(a, list, SNT__TALLY_PERIOD_EARLY, SNT_FINDING_PERIOD_EARLY, 0.85)))
        f->reference_ns = snt__scan_period(a);
    if (!t->offset_count)
        return;
    if (!period && s->header_event != SNT_EVENT_SWEEP_START && !early) {
        f = snt__finding_add(list, SNT_FINDING_HEADER_ROLE, s->header_event ? 0.9 : 0.6, NULL);
        f->value_ns = s->header_offset_median_ns;
        f->reference_ns = s->duration_median_ns;
        f->lo = f->hi = s->header_event;
    }
    if (s->header_offset_std_ns > fmax(2e6, 0.05 * (double)s->duration_median_ns)) {
        f = snt__finding_add(list, SNT_FINDING_HEADER_UNSTEADY, 0.9, NULL);
        f->value_ns = (int64_t)s->header_offset_std_ns;
    }
    if (t->latency_count > 2 && !s->latency_constant) {
        f = snt__finding_add(list, SNT_FINDING_LATENCY, 1, NULL);
        f->value_ns = (int64_t)s->latency_std_ns;
        f->reference_ns = s->latency_median_ns;
    }
}

snt_status snt_scan_auditor_findings(const snt_scan_auditor *auditor, snt_finding *out, uint32_t capacity,
                                     uint32_t *count)
{
    if (!auditor || !count || (!out && capacity))
        return SNT_ERR_INVALID_ARG;
    snt__finding_list list = {.count = 0};
    snt_scan_summary summary;
    (void)snt_scan_auditor_summary(auditor, &summary);
    scan_find_points(auditor, &summary, &list);
    scan_find_loss(auditor, &list);
    scan_find_imu(auditor, &list);
    scan_find_header(auditor, &summary, &list);
    return snt__finding_give(&list, out, capacity, count);
}

const char *snt_order_text(uint32_t order)
{
    static const char *const texts[] = {"unknown",    "by time",      "ring by ring",
                                        "by azimuth", "echo by echo", "packets out of order"};
    return order < SNT_COUNT_OF(texts) ? texts[order] : "unknown";
}

snt_status snt_loss_format(uint32_t suspicion, char *text, size_t size)
{
    static const char *const names[] = {"point count", "duration", "time gap", "empty rings",
                                        "header interval"};
    if (!text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);
    for (size_t i = 0; i < SNT_COUNT_OF(names); i++) {
        if (!(suspicion >> i & 1))
            continue;
        if (out.length)
            snt__print_string(&out, ", ");
        snt__print_string(&out, names[i]);
    }
    return snt__print_end(&out);
}
