/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the scan auditor: what its files share. */
#ifndef SNT_LIB_AUDIT_SCAN_INTERNAL_H
#define SNT_LIB_AUDIT_SCAN_INTERNAL_H

#include "../base/memory.h"
#include "clock_pair.h"
#include "fit.h"
#include "histogram.h"
#include "imu_ring.h"
#include "point_pass.h"

#include "sensortime/sample.h"
#include "sensortime/scan_audit.h"

/* A scan that lies no farther than this beyond the IMU's first or last stamp is at the recording's edge. */
#define SNT__SCAN_EDGE_NS SNT_NS_PER_S

/* A scan's report on its way. */
typedef struct snt__scan_entry {
    snt_scan_report report;
    uint64_t valid;       /* points that count for the usual number */
    int64_t period;       /* the caller's word; 0 = none */
    uint32_t covered;     /* the IMU part is measured and fixed */
    uint32_t imu_session; /* session of the IMU in which it was given */
} snt__scan_entry;

/* How often something was found, where first, and the worst of it. */
typedef struct snt__scan_tally {
    uint64_t count;
    uint64_t amount; /* points or packets concerned */
    int64_t worst;
    uint64_t first_scan;
    int64_t first_header, first_receive;
} snt__scan_tally;

/* One tally per finding that scans add up to. */
enum {
    SNT__TALLY_NO_TIME,
    SNT__TALLY_INVALID,
    SNT__TALLY_WRAPPED,
    SNT__TALLY_UNORDERED,
    SNT__TALLY_RING_BACK,
    SNT__TALLY_FOREIGN,
    SNT__TALLY_DURATION,
    SNT__TALLY_SUSPECT,
    SNT__TALLY_PACKETS,
    SNT__TALLY_IMU_MISSING,
    SNT__TALLY_IMU_HOLE,
    SNT__TALLY_IMU_CLOCK,
    SNT__TALLY_OVERLAP,
    SNT__TALLY_EARLY_RECEIVE,
    SNT__TALLY_PERIOD_EARLY,
    SNT__TALLY_COARSE,
    SNT__TALLY_RINGS,
    SNT__TALLIES
};

typedef struct snt__scan_totals {
    uint64_t scans, timed, monotonic, suspected, proven, lost, edge, uncovered, reports_dropped;
    uint64_t imu_samples, imu_backward, imu_duplicate, imu_resets;
    uint64_t imu_back_first; /* index of the first stamp that stepped back */
    int64_t imu_worst_back, imu_first_ever;
    int64_t start_nearest, end_nearest, hole, point_gap, sorted_gap, overlap; /* maxima; SNT_UNKNOWN = none */
    uint64_t sorted_gap_scan;
    uint64_t events[4]; /* start, middle, end, receive */
    uint64_t orders[6];
    uint64_t units_wrong;
    double unit_factor; /* of the latest scan whose unit was wrong */
    int64_t quantum;
    uint32_t rings_max;
    double offset_mean, offset_m2; /* header to first point */
    uint64_t offset_count;
    double latency_mean, latency_m2;
    uint64_t latency_count;
    int64_t latency_min, latency_max;
    snt__scan_tally tally[SNT__TALLIES];
    snt__histogram points, inside;
    snt__histogram_signed latency, offset;
    snt__fit header;
} snt__scan_totals;

struct snt_scan_auditor {
    snt_allocator allocator;
    snt_scan_auditor_config config;
    snt__imu_ring imu;
    snt__scan_entry *entries; /* 2·scan_capacity; number n lives at n % that */
    uint64_t oldest;          /* first report not taken */
    uint64_t final;           /* first scan not final: oldest <= final <= added */
    uint64_t added;
    uint32_t imu_session, finished;
    int64_t last_header, last_end;                 /* of the scan before; SNT_UNKNOWN = none */
    uint64_t ring_scans;                           /* scans whose rings were counted */
    snt__histogram duration, gap, interval, valid; /* what is usual, over all scans added */
    snt__point_room room;
    snt__scan_totals totals;
};

static inline snt__scan_entry *snt__scan_entry_at(const snt_scan_auditor *a, uint64_t number)
{
    return &a->entries[number % (2 * (uint64_t)a->config.scan_capacity)];
}

/* Usual distance from scan to scan: declared, or the median of header intervals; 0 = not known yet. */
int64_t snt__scan_period(const snt_scan_auditor *a);
/* Measure how the IMU covers the scan, as it stands now. */
void snt__scan_cover(snt_scan_auditor *a, snt__scan_entry *entry);
/* Judge a scan by what is usual, and add it to the totals. */
void snt__scan_judge(snt_scan_auditor *a, snt__scan_entry *entry);
/* Header meaning, offset, latency and overlap: what is known when the scan is given. */
void snt__scan_place(const snt_scan_auditor *a, snt__scan_entry *entry);
void snt__scan_totals_reset(snt__scan_totals *totals);

#endif
