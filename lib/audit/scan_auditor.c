/* SPDX-License-Identifier: BSD-3-Clause */
/* The auditor's life: scans and IMU stamps in, reports out when nothing can change them any more. */
#include "scan_internal.h"

#include <math.h>

_Static_assert(sizeof(snt_scan_input) == 72, "frozen");
_Static_assert(sizeof(snt_scan_report) == 424, "frozen");
_Static_assert(SNT_END_OF(snt_scan_auditor_config, interval_factor) == 112, "first release");

static const snt_scan_auditor_config scan_defaults = {
    .struct_size = sizeof(snt_scan_auditor_config),
    .imu_capacity = 4096,
    .scan_capacity = 64,
    .max_rings = 1024,
    .scratch_points = 262144,
    .warmup_scans = 5,
    .min_duration_ns = SNT_NS_PER_MS,
    .max_duration_ns = 1500 * SNT_NS_PER_MS,
    .imu_hole_ns = 50 * SNT_NS_PER_MS,
    .imu_reset_ns = 200 * SNT_NS_PER_MS,
    .count_factor = 0.7,
    .duration_factor = 0.2,
    .gap_factor = 5,
    .interval_factor = 1.5,
};

void snt_scan_auditor_config_init(snt_scan_auditor_config *config, size_t size)
{
    snt__config_init(config, size, &scan_defaults, sizeof scan_defaults);
}

static snt_status scan_config(const snt_scan_auditor_config *given, snt_scan_auditor_config *out)
{
    *out = scan_defaults;
    const snt_status status =
        snt__config_read(out, sizeof *out, SNT_END_OF(snt_scan_auditor_config, interval_factor), given);
    if (status < 0)
        return status;
    const double factors[] = {out->count_factor, out->duration_factor, out->gap_factor, out->interval_factor};
    for (size_t i = 0; i < SNT_COUNT_OF(factors); i++)
        if (!(factors[i] >= 0 && factors[i] <= 1e6)) /* also refuses NaN */
            return SNT_ERR_INVALID_ARG;
    const int64_t durations[] = {out->period_ns,       out->large_gap_ns, out->min_duration_ns,
                                 out->max_duration_ns, out->imu_hole_ns,  out->imu_reset_ns};
    for (size_t i = 0; i < SNT_COUNT_OF(durations); i++)
        if (durations[i] < 0)
            return SNT_ERR_INVALID_ARG;
    const uint32_t capacities[] = {out->imu_capacity, out->scan_capacity, out->max_rings,
                                   out->scratch_points};
    for (size_t i = 0; i < SNT_COUNT_OF(capacities); i++)
        if (!capacities[i] || capacities[i] > UINT32_C(1) << 24)
            return SNT_ERR_RANGE;
    return SNT_OK;
}

static size_t scan_layout(unsigned char *base, const snt_scan_auditor_config *config)
{
    snt__slab slab = {base, 0};
    snt_scan_auditor *a = snt__slab_take(&slab, 1, sizeof *a, SNT_CACHE_LINE);
    snt__scan_entry *entries =
        snt__slab_take(&slab, 2 * (size_t)config->scan_capacity, sizeof *entries, SNT_CACHE_LINE);
    int64_t *imu = snt__slab_take(&slab, config->imu_capacity, sizeof *imu, SNT_CACHE_LINE);
    snt__ring_state *rings = snt__slab_take(&slab, config->max_rings, sizeof *rings, SNT_CACHE_LINE);
    int64_t *times = snt__slab_take(&slab, config->scratch_points, sizeof *times, SNT_CACHE_LINE);
    int64_t *other = snt__slab_take(&slab, config->scratch_points, sizeof *other, SNT_CACHE_LINE);
    if (a) {
        a->entries = entries;
        a->imu = (snt__imu_ring){imu, config->imu_capacity, 0, 0};
        a->room.rings = rings;
        a->room.max_rings = config->max_rings;
        a->room.gap.times = times;
        a->room.gap.other = other;
        a->room.gap.capacity = config->scratch_points;
    }
    return slab.used;
}

snt_status snt_scan_auditor_size(const snt_scan_auditor_config *config, uint64_t *bytes)
{
    if (!bytes)
        return SNT_ERR_INVALID_ARG;
    snt_scan_auditor_config read;
    const snt_status status = scan_config(config, &read);
    if (status == SNT_OK)
        *bytes = scan_layout(NULL, &read);
    return status;
}

static void scan_clear(snt_scan_auditor *a)
{
    a->imu.first = a->imu.count = 0;
    a->oldest = a->final = a->added = a->ring_scans = 0;
    a->imu_session = a->finished = 0;
    a->last_header = a->last_end = SNT_UNKNOWN;
    snt__histogram_reset(&a->duration);
    snt__histogram_reset(&a->gap);
    snt__histogram_reset(&a->interval);
    snt__histogram_reset(&a->valid);
    for (uint32_t i = 0; i < a->room.max_rings; i++)
        a->room.rings[i] = (snt__ring_state){0, 0, 0, 0, 0};
    a->room.pass = 0;
    snt__scan_totals_reset(&a->totals);
}

snt_status snt_scan_auditor_create(const snt_scan_auditor_config *config, const snt_allocator *allocator,
                                   snt_scan_auditor **out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_scan_auditor_config read;
    snt_allocator memory;
    snt_status status = scan_config(config, &read);
    if (status >= 0)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    unsigned char *slab = snt__alloc(&memory, scan_layout(NULL, &read), SNT_CACHE_LINE);
    if (!slab)
        return SNT_ERR_NO_MEMORY;
    snt_scan_auditor *a = (snt_scan_auditor *)(void *)slab;
    scan_layout(slab, &read);
    a->allocator = memory;
    a->config = read;
    scan_clear(a);
    *out = a;
    return SNT_OK;
}

void snt_scan_auditor_destroy(snt_scan_auditor *auditor)
{
    if (!auditor)
        return;
    const snt_allocator memory = auditor->allocator;
    snt__free(&memory, auditor);
}

void snt_scan_auditor_reset(snt_scan_auditor *auditor)
{
    if (auditor)
        scan_clear(auditor);
}

int64_t snt__scan_period(const snt_scan_auditor *a)
{
    if (a->config.period_ns)
        return a->config.period_ns;
    return (int64_t)snt__histogram_median(&a->interval);
}

/* Is nothing left to come that could change this report? */
static bool scan_ready(const snt_scan_auditor *a, uint64_t number)
{
    if (a->finished)
        return true;
    if (number + 1 == a->added && !(a->config.flags & SNT_SCAN_AUDIT_LIVE))
        return false; /* it may be the last */
    if (a->added < a->config.warmup_scans)
        return false;
    return snt__scan_entry_at(a, number)->covered != 0;
}

static void scan_make_final(snt_scan_auditor *a)
{
    snt__scan_entry *const entry = snt__scan_entry_at(a, a->final);
    if (!entry->covered) {
        if (!a->finished)
            entry->report.flags |= SNT_SCAN_IMU_FORCED;
        snt__scan_cover(a, entry);
    }
    snt__scan_judge(a, entry);
    a->final++;
}

static void scan_advance(snt_scan_auditor *a)
{
    while (a->final < a->added && scan_ready(a, a->final))
        scan_make_final(a);
}

/* Room for one more: the oldest waiting scan becomes final as it is, the oldest report not taken is dropped. */
static void scan_make_room(snt_scan_auditor *a)
{
    const uint64_t capacity = a->config.scan_capacity;
    if (a->added - a->final >= capacity)
        scan_make_final(a);
    if (a->added - a->oldest >= 2 * capacity) {
        a->oldest++;
        a->totals.reports_dropped++;
    }
}

/* Nobody waits for an IMU that will not come, or whose clock cannot be compared. */
static bool scan_settled(const snt_scan_auditor *a, const snt__scan_entry *entry)
{
    const snt_point_stats *points = &entry->report.points;
    if ((a->config.flags & SNT_SCAN_AUDIT_NO_IMU) || points->min_ns == SNT_UNKNOWN)
        return true;
    if (!a->imu.count)
        return false;
    const int64_t newest = snt__imu_at(&a->imu, a->imu.count - 1);
    return newest >= points->max_ns || !snt__clock_comparable(newest, points->max_ns);
}

static void scan_settle(snt_scan_auditor *a)
{
    for (uint64_t i = a->final; i < a->added; i++) {
        snt__scan_entry *const entry = snt__scan_entry_at(a, i);
        if (!entry->covered && scan_settled(a, entry)) {
            snt__scan_cover(a, entry);
            entry->covered = 1;
        }
    }
    scan_advance(a);
}

/* Rings that usually have points and have none now. The scan itself then counts towards what is usual. */
static uint64_t scan_rings(snt_scan_auditor *a)
{
    uint64_t empty = 0;
    const bool known = a->ring_scans >= a->config.warmup_scans && a->ring_scans > 0;
    for (uint32_t i = 0; i < a->room.max_rings; i++) {
        snt__ring_state *const ring = &a->room.rings[i];
        const bool has = ring->scan == a->room.pass && ring->points > 0;
        if (!has && known && (uint64_t)ring->present * 10 >= a->ring_scans * 9)
            empty++;
        ring->present += has && ring->present < UINT32_MAX;
    }
    a->ring_scans++;
    return empty;
}

static int64_t scan_large_gap(const snt_scan_auditor *a)
{
    if (a->config.large_gap_ns)
        return a->config.large_gap_ns;
    const int64_t least = 5 * SNT_NS_PER_MS;
    const int64_t usual = (int64_t)(snt__histogram_median(&a->duration) / 20);
    return usual > least ? usual : least;
}

static void scan_proof(const snt_scan_input *input, snt_scan_report *report)
{
    if ((input->flags & SNT_SCAN_INPUT_HAS_SEQUENCE) && input->lost_packets) {
        report->proof |= SNT_PROOF_SEQUENCE;
        report->lost_packets = input->lost_packets;
    }
    if ((input->flags & SNT_SCAN_INPUT_HAS_COLUMNS) && input->columns < input->columns_expected) {
        report->proof |= SNT_PROOF_COLUMNS;
        if (!report->lost_packets)
            report->lost_packets = input->columns_expected - input->columns;
    }
}

/* What is usual is learned from every scan at once, so that the first ones are judged by the ones after them. */
static void scan_learn(snt_scan_auditor *a, const snt__scan_entry *entry)
{
    const snt_scan_report *r = &entry->report;
    if (!(r->flags & SNT_SCAN_NO_TIME)) {
        snt__histogram_add(&a->duration, (uint64_t)r->duration_ns);
        snt__histogram_add(&a->gap, (uint64_t)r->points.sorted_gap_ns);
    }
    if (r->header_interval_ns != SNT_UNKNOWN && r->header_interval_ns > 0)
        snt__histogram_add(&a->interval, (uint64_t)r->header_interval_ns);
    snt__histogram_add(&a->valid, entry->valid);
}

snt_status snt_scan_auditor_add_scan(snt_scan_auditor *auditor, const snt_scan_input *input,
                                     const snt_cloud *cloud)
{
    if (!auditor || !input || !cloud)
        return SNT_ERR_INVALID_ARG;
    if (auditor->finished)
        return SNT_ERR_INVALID_STATE;
    const snt_status status = snt_cloud_check(cloud);
    if (status < 0)
        return status;
    snt_scan_auditor *const a = auditor;
    scan_make_room(a);
    snt__scan_entry *const entry = snt__scan_entry_at(a, a->added);
    memset(entry, 0, sizeof *entry);
    entry->period = input->period_ns > 0 ? input->period_ns : 0;
    entry->imu_session = a->imu_session;
    snt_scan_report *const r = &entry->report;
    r->scan_id = a->added;
    r->token = input->token;
    r->header_ns = input->header_ns;
    r->receive_ns = input->receive_ns;
    r->large_gap_limit_ns = scan_large_gap(a);
    const snt__point_wish wish = {entry->period ? entry->period : snt__scan_period(a), r->large_gap_limit_ns,
                                  a->config.min_duration_ns, a->config.max_duration_ns};
    snt__point_pass(&a->room, cloud, &wish, &r->points);
    if (cloud->ring.type != SNT_TYPE_NONE)
        r->empty_rings = scan_rings(a);
    r->flags = r->points.flags | (a->added == 0 ? (uint32_t)SNT_SCAN_FIRST : 0);
    entry->valid = input->flags & SNT_SCAN_INPUT_HAS_VALID_POINTS
                       ? input->valid_points
                       : r->points.points - r->points.nonfinite_points - r->points.zero_points;
    r->valid_points = entry->valid;
    scan_proof(input, r);
    snt__scan_place(a, entry);
    scan_learn(a, entry);
    if (r->header_ns != SNT_UNKNOWN)
        a->last_header = r->header_ns;
    if (!(r->flags & SNT_SCAN_NO_TIME))
        a->last_end = r->points.max_ns;
    a->added++;
    scan_settle(a);
    return SNT_OK;
}

/* The IMU's clock was set back: what waits is measured by the stamps before that, and they are let go. */
static void scan_imu_reset(snt_scan_auditor *a)
{
    for (uint64_t i = a->final; i < a->added; i++) {
        snt__scan_entry *const entry = snt__scan_entry_at(a, i);
        if (entry->covered)
            continue;
        snt__scan_cover(a, entry);
        entry->report.flags |= SNT_SCAN_IMU_RESET;
        entry->covered = 1;
    }
    a->imu.first = a->imu.count = 0;
    a->imu_session++;
    a->totals.imu_resets++;
}

static snt_status scan_add_imu(snt_scan_auditor *a, snt_time stamp)
{
    snt__scan_totals *const t = &a->totals;
    if (!t->imu_samples++)
        t->imu_first_ever = stamp;
    if (a->imu.count) {
        const int64_t back = snt_time_sub_sat(snt__imu_at(&a->imu, a->imu.count - 1), stamp);
        if (back > 0) {
            if (!t->imu_backward++)
                t->imu_back_first = t->imu_samples - 1;
            if (back > t->imu_worst_back)
                t->imu_worst_back = back;
            if (back > a->config.imu_reset_ns)
                scan_imu_reset(a);
        }
    }
    const snt_status status = snt__imu_insert(&a->imu, stamp);
    t->imu_duplicate += status == SNT_ERR_DUPLICATE;
    return status;
}

snt_status snt_scan_auditor_add_imu(snt_scan_auditor *auditor, snt_time stamp)
{
    if (!auditor)
        return SNT_ERR_INVALID_ARG;
    if (auditor->finished)
        return SNT_ERR_INVALID_STATE;
    const snt_status status = scan_add_imu(auditor, stamp);
    scan_settle(auditor);
    return status;
}

snt_status snt_scan_auditor_add_imu_many(snt_scan_auditor *auditor, const void *stamps, int64_t stride,
                                         uint64_t count)
{
    if (!auditor || (!stamps && count))
        return SNT_ERR_INVALID_ARG;
    if (auditor->finished)
        return SNT_ERR_INVALID_STATE;
    const unsigned char *at = stamps;
    for (uint64_t i = 0; i < count; i++, at += stride) {
        snt_time stamp;
        memcpy(&stamp, at, sizeof stamp);
        (void)scan_add_imu(auditor, stamp);
        scan_settle(auditor);
    }
    return SNT_OK;
}

snt_status snt_scan_auditor_finish(snt_scan_auditor *auditor)
{
    if (!auditor)
        return SNT_ERR_INVALID_ARG;
    if (auditor->finished)
        return SNT_OK;
    auditor->finished = 1;
    if (auditor->added > auditor->final) /* it has been held back for this */
        snt__scan_entry_at(auditor, auditor->added - 1)->report.flags |=
            auditor->config.flags & SNT_SCAN_AUDIT_LIVE ? 0 : (uint32_t)SNT_SCAN_LAST;
    scan_settle(auditor);
    return SNT_OK;
}

snt_status snt_scan_auditor_next(snt_scan_auditor *auditor, snt_scan_report *out)
{
    if (!auditor || !out)
        return SNT_ERR_INVALID_ARG;
    if (auditor->oldest == auditor->final)
        return auditor->final < auditor->added ? SNT_PENDING : SNT_EMPTY;
    *out = snt__scan_entry_at(auditor, auditor->oldest++)->report;
    return SNT_OK;
}

snt_status snt_scan_auditor_points(snt_scan_auditor *auditor, const snt_cloud *cloud, snt_duration period_ns,
                                   snt_point_stats *out)
{
    if (!auditor || !cloud || !out)
        return SNT_ERR_INVALID_ARG;
    const snt_status status = snt_cloud_check(cloud);
    if (status < 0)
        return status;
    const snt__point_wish wish = {period_ns > 0 ? period_ns : 0, scan_large_gap(auditor),
                                  auditor->config.min_duration_ns, auditor->config.max_duration_ns};
    snt__point_pass(&auditor->room, cloud, &wish, out);
    return SNT_OK;
}
