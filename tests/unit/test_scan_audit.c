/* SPDX-License-Identifier: BSD-3-Clause */
#include "scan_cloud.h"

#define S SNT_NS_PER_S

/* A recording: ring-major clouds of 16 × 200 points at 10 Hz, 99.5 ms long, and an IMU at 200 Hz. */
typedef struct recording {
    snt_scan_auditor *auditor;
    snt_scan_report reports[400];
    uint32_t count;
    snt_scan_summary summary;
    snt_finding findings[32];
    uint32_t findings_count;
} recording;

enum { RINGS = 16, COLUMNS = 200, POINTS = RINGS * COLUMNS };
static const int64_t epoch = INT64_C(1700000000) * S;
static test_point points[POINTS];

static recording *open_recording(const snt_scan_auditor_config *config)
{
    static recording r;
    memset(&r, 0, sizeof r);
    assert_status(snt_scan_auditor_create(config, NULL, &r.auditor), SNT_OK);
    fill_points(points, RINGS, COLUMNS, 100 * MS, true);
    return &r;
}

static void take(recording *r)
{
    while (snt_scan_auditor_next(r->auditor, &r->reports[r->count]) == SNT_OK)
        r->count++;
}

static void give_scan(recording *r, int64_t header, int64_t receive)
{
    const snt_cloud c = cloud_of_points(points, POINTS, header);
    const snt_scan_input input = {.header_ns = header, .receive_ns = receive, .token = (uint64_t)header};
    assert_status(snt_scan_auditor_add_scan(r->auditor, &input, &c), SNT_OK);
}

static void give_times(recording *r, int64_t header, int64_t receive, const double *seconds, uint64_t count)
{
    const snt_cloud c =
        cloud_of_times(seconds, count, SNT_TYPE_F64, SNT_TIME_UNIT_S, SNT_TIME_REF_RELATIVE, header);
    const snt_scan_input input = {.header_ns = header, .receive_ns = receive};
    assert_status(snt_scan_auditor_add_scan(r->auditor, &input, &c), SNT_OK);
}

static void finish(recording *r)
{
    assert_status(snt_scan_auditor_finish(r->auditor), SNT_OK);
    take(r);
    assert_status(snt_scan_auditor_summary(r->auditor, &r->summary), SNT_OK);
    assert_status(snt_scan_auditor_findings(r->auditor, r->findings, 32, &r->findings_count), SNT_OK);
    snt_scan_auditor_destroy(r->auditor);
}

static const snt_finding *found(const recording *r, uint32_t code)
{
    for (uint32_t i = 0; i < r->findings_count; i++)
        if (r->findings[i].code == code)
            return &r->findings[i];
    return NULL;
}

static void no_other_than(const recording *r, const uint32_t *codes)
{
    for (uint32_t i = 0; i < r->findings_count; i++) {
        bool listed = false;
        for (uint32_t j = 0; codes[j]; j++)
            listed |= codes[j] == r->findings[i].code;
        if (!listed)
            fail_msg("%s is found but was not expected", snt_finding_name(r->findings[i].code));
    }
    for (uint32_t j = 0; codes[j]; j++)
        if (!found(r, codes[j]))
            fail_msg("%s is not among the findings", snt_finding_name(codes[j]));
}
#define EXPECT_ONLY(r, ...) no_other_than(r, (const uint32_t[]){__VA_ARGS__, 0})

/* Section 9: scan 10.000 … 10.100, IMU 9.995 … 10.105 and 9.995 … 10.080. */
static void margins_are_those_of_the_article(void **state)
{
    (void)state;
    static const double times[] = {0, 0.05, 0.1};
    for (int good = 0; good < 2; good++) {
        recording *r = open_recording(NULL);
        for (int64_t t = 9995; t <= (good ? 10105 : 10080); t += 5)
            assert_status(snt_scan_auditor_add_imu(r->auditor, t * MS), SNT_OK);
        give_times(r, 10 * S, 10125 * MS, times, 3);
        finish(r);
        assert_int_equal(r->count, 1);
        const snt_scan_report *s = &r->reports[0];
        assert_i64_equal(s->duration_ns, 100 * MS);
        assert_i64_equal(s->imu_start_margin_ns, 5 * MS);
        assert_i64_equal(s->imu_end_margin_ns, good ? 5 * MS : -20 * MS);
        assert_i64_equal(s->imu_start_nearest_ns, 0);
        assert_i64_equal(s->imu_end_nearest_ns, good ? 0 : SNT_UNKNOWN);
        assert_int_equal(s->imu_inside, good ? 21 : 17);
        assert_i64_equal(s->imu_largest_hole_ns, 5 * MS);
        assert_int_equal((s->flags & SNT_SCAN_IMU_BRACKETED) != 0, good);
        assert_int_equal((s->flags & SNT_SCAN_AFTER_IMU) != 0, !good);
        /* section 10.4: received at 10.125, 25 ms late */
        assert_i64_equal(s->latency_ns, 25 * MS);
        assert_int_equal(s->header_event, SNT_EVENT_SWEEP_START);
    }
}

static void both_margins_are_named_apart(void **state)
{
    (void)state;
    static const double times[] = {0, 0.05, 0.1};
    recording *r = open_recording(NULL);
    static const int64_t imu[] = {9000, 9997, 10040, 10070, 10103, 10500};
    for (int i = 0; i < 6; i++)
        assert_status(snt_scan_auditor_add_imu(r->auditor, imu[i] * MS), SNT_OK);
    give_times(r, 10 * S, SNT_UNKNOWN, times, 3);
    finish(r);
    const snt_scan_report *s = &r->reports[0];
    assert_i64_equal(s->imu_start_margin_ns, 1000 * MS);
    assert_i64_equal(s->imu_end_margin_ns, 400 * MS);
    assert_i64_equal(s->imu_start_nearest_ns, 3 * MS);
    assert_i64_equal(s->imu_end_nearest_ns, 3 * MS);
    assert_int_equal(s->imu_inside, 2);
    assert_i64_equal(s->imu_largest_hole_ns, 43 * MS); /* 9.997 … 10.040 */
    assert_i64_equal(s->imu_hole_at_ns, 9997 * MS);
    assert_i64_equal(s->latency_ns, SNT_UNKNOWN);
}

static void a_clean_recording_marks_its_edges_and_blames_nobody(void **state)
{
    (void)state;
    recording *r = open_recording(NULL);
    /* the IMU starts 30 ms after the first scan and ends 40 ms before the last scan's end */
    for (int64_t t = 0; t < 3000; t += 5) {
        if (t % 100 == 0)
            give_scan(r, epoch + t * MS, epoch + t * MS + 104 * MS);
        if (t >= 30 && t < 2960)
            assert_status(snt_scan_auditor_add_imu(r->auditor, epoch + t * MS), SNT_OK);
    }
    finish(r);
    assert_int_equal(r->count, 30);
    for (uint32_t i = 0; i < 30; i++) {
        const snt_scan_report *s = &r->reports[i];
        assert_int_equal(s->scan_id, i);
        assert_int_equal(s->token, (uint64_t)s->header_ns);
        assert_int_equal(s->suspicion, 0);
        assert_int_equal((s->flags & SNT_SCAN_EDGE) != 0, i == 0 || i == 29);
        assert_int_equal((s->flags & SNT_SCAN_FIRST) != 0, i == 0);
        assert_int_equal((s->flags & SNT_SCAN_LAST) != 0, i == 29);
        assert_int_equal((s->flags & SNT_SCAN_BEFORE_IMU) != 0, i == 0);
        assert_int_equal((s->flags & SNT_SCAN_AFTER_IMU) != 0, i == 29);
        assert_i64_equal(s->header_offset_ns, 0);
        assert_int_equal(s->points.order, SNT_ORDER_RING);
        if (i > 0)
            assert_i64_equal(s->overlap_ns, -500 * US);
    }
    assert_int_equal(r->summary.edge, 2);
    assert_int_equal(r->summary.uncovered, 0);
    assert_i64_equal(r->summary.duration_median_ns, 99500 * US);
    assert_i64_equal(r->summary.interval_median_ns, 100 * MS);
    assert_int_equal(r->summary.latency_constant, 1);
    assert_i64_equal(r->summary.latency_median_ns, 4500 * US);
    assert_int_equal(r->summary.header_event, SNT_EVENT_SWEEP_START);
    assert_near(r->summary.monotonic_ratio, 0, 0);
    assert_near(r->summary.suspected_ratio, 0, 0);
    assert_int_equal(r->summary.imu_inside_median, 20);
    EXPECT_ONLY(r, SNT_FINDING_NOT_TIME_ORDERED);
    assert_int_equal(r->findings[0].severity, SNT_SEVERITY_NOTE);
}

static void a_report_waits_for_the_imu_and_the_next_scan(void **state)
{
    (void)state;
    recording *r = open_recording(NULL);
    for (int i = 0; i < 8; i++) {
        give_scan(r, epoch + i * 100 * MS, SNT_UNKNOWN);
        assert_status(snt_scan_auditor_next(r->auditor, &r->reports[0]), SNT_PENDING);
    }
    assert_status(snt_scan_auditor_add_imu(r->auditor, epoch - MS), SNT_OK);
    assert_status(snt_scan_auditor_next(r->auditor, &r->reports[0]), SNT_PENDING);
    assert_status(snt_scan_auditor_add_imu(r->auditor, epoch + 250 * MS), SNT_OK);
    take(r);
    assert_int_equal(r->count, 2); /* those that end before 250 ms */
    assert_i64_equal(r->reports[0].imu_arrival_margin_ns, SNT_UNKNOWN);
    assert_status(snt_scan_auditor_add_imu(r->auditor, epoch + 2 * S), SNT_OK);
    take(r);
    assert_int_equal(r->count, 7); /* the newest may be the last */
    give_scan(r, epoch + 800 * MS, SNT_UNKNOWN);
    take(r);
    assert_int_equal(r->count, 8);
    finish(r);
    assert_int_equal(r->count, 9);
    assert_true(r->reports[8].flags & SNT_SCAN_LAST);
    assert_i64_equal(r->reports[8].imu_arrival_margin_ns, 2 * S - 899500 * US);
}

static void live_reports_do_not_wait_for_the_next_scan(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.flags = SNT_SCAN_AUDIT_LIVE | SNT_SCAN_AUDIT_NO_IMU;
    config.warmup_scans = 0;
    recording *r = open_recording(&config);
    for (uint32_t i = 0; i < 8; i++) {
        give_scan(r, epoch + i * 100 * MS, SNT_UNKNOWN);
        take(r);
        assert_int_equal(r->count, i + 1);
    }
    finish(r);
    assert_false(r->reports[7].flags & SNT_SCAN_LAST);
}

/* The IMU never comes: scans become final when too many wait, and say so. */
static void a_silent_imu_does_not_hold_reports_for_ever(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.scan_capacity = 4;
    recording *r = open_recording(&config);
    assert_status(snt_scan_auditor_add_imu(r->auditor, epoch + 10 * MS), SNT_OK);
    for (int i = 0; i < 20; i++) {
        give_scan(r, epoch + i * 100 * MS, SNT_UNKNOWN);
        take(r);
    }
    assert_int_equal(r->count, 16);
    assert_true(r->reports[5].flags & SNT_SCAN_IMU_FORCED);
    assert_i64_equal(r->reports[5].imu_end_margin_ns, 10 * MS - 599500 * US);
    finish(r);
    assert_int_equal(r->count, 20);
    assert_non_null(found(r, SNT_FINDING_IMU_MISSING));
    assert_int_equal(r->summary.reports_dropped, 0);
}

static void reports_nobody_takes_are_dropped_and_counted(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.scan_capacity = 4;
    config.flags = SNT_SCAN_AUDIT_NO_IMU;
    recording *r = open_recording(&config);
    for (int i = 0; i < 30; i++)
        give_scan(r, epoch + i * 100 * MS, SNT_UNKNOWN);
    finish(r);
    assert_int_equal(r->count, 8);
    assert_int_equal(r->reports[0].scan_id, 22);
    assert_int_equal(r->summary.reports_dropped, 22);
    assert_int_equal(r->summary.scans, 30);
}

/* Section 10.3: five signals, each alone. */
static void each_loss_signal_is_a_reason_of_its_own(void **state)
{
    (void)state;
    for (uint32_t signal = 0; signal < 5; signal++) {
        snt_scan_auditor_config config;
        snt_scan_auditor_config_init(&config, sizeof config);
        config.flags = SNT_SCAN_AUDIT_NO_IMU;
        recording *r = open_recording(&config);
        int64_t header = epoch;
        for (int i = 0; i < 40; i++, header += 100 * MS) {
            fill_points(points, RINGS, COLUMNS, 100 * MS, false);
            uint64_t count = POINTS;
            if (i == 25) {
                if (signal == 0) /* fewer points, evenly taken away */
                    for (uint64_t p = 0; p < POINTS; p++)
                        points[p].x = p % 5 < 2 ? NAN : points[p].x;
                if (signal == 1) /* a shorter scan with as many points */
                    for (uint64_t p = 0; p < POINTS; p++)
                        points[p].t = points[p].t / 10 * 7;
                if (signal == 2) { /* 20 ms without points, then three packets of duplicates */
                    for (uint64_t p = 1600; p < 1600 + 640; p++)
                        points[p] = points[p - 1600];
                }
                if (signal == 3)
                    for (uint64_t p = 0; p < POINTS; p++)
                        points[p].ring = points[p].ring == 7 ? 8 : points[p].ring;
                if (signal == 4)
                    header += 100 * MS;
            }
            const snt_cloud c = cloud_of_points(points, count, header);
            const snt_scan_input input = {.header_ns = header, .receive_ns = header + 110 * MS};
            assert_status(snt_scan_auditor_add_scan(r->auditor, &input, &c), SNT_OK);
            take(r);
        }
        finish(r);
        for (uint32_t i = 0; i < 40; i++)
            assert_int_equal(r->reports[i].suspicion, i == 25 ? 1u << signal : 0);
        assert_int_equal(r->summary.suspected, 1);
        assert_int_equal(r->summary.proven, 0);
        const snt_finding *f = found(r, SNT_FINDING_SUSPECT_LOSS);
        assert_non_null(f);
        assert_int_equal(f->first_index, 25);
        assert_true(f->certainty < 0.8); /* a suspicion, never proof */
        assert_null(found(r, SNT_FINDING_PACKET_LOSS));
        if (signal == 2) {
            assert_i64_equal(r->reports[25].points.sorted_gap_ns, 20500 * US);
            assert_i64_equal(r->reports[25].points.sorted_gap_at_ns, r->reports[25].header_ns + 49500 * US);
        }
        char text[64];
        snt_loss_format(r->reports[25].suspicion, text, sizeof text);
        static const char *const names[] = {"point count", "duration", "time gap", "empty rings",
                                            "header interval"};
        assert_string_equal(text, names[signal]);
    }
}

/* A recording starts and ends within a scan; a ring that sees something now and then is not missed. */
static void cut_scans_and_rare_rings_are_not_suspected(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.flags = SNT_SCAN_AUDIT_NO_IMU;
    recording *r = open_recording(&config);
    for (int i = 0; i < 30; i++) {
        const int64_t header = epoch + i * 100 * MS;
        fill_points(points, RINGS, COLUMNS, 100 * MS, false);
        for (uint64_t p = 0; p < POINTS; p++)
            if (points[p].ring == 15 && i % 2)
                points[p].ring = 14;
        const uint64_t count = i == 0 || i == 29 ? POINTS / 3 : POINTS;
        const snt_cloud c = cloud_of_points(points, count, header);
        const snt_scan_input input = {.header_ns = header, .receive_ns = SNT_UNKNOWN};
        assert_status(snt_scan_auditor_add_scan(r->auditor, &input, &c), SNT_OK);
    }
    finish(r);
    for (uint32_t i = 0; i < 30; i++) {
        assert_int_equal(r->reports[i].suspicion, 0);
        assert_int_equal(r->reports[i].empty_rings, 0);
    }
    assert_int_equal(r->summary.suspected, 0);
}

static void proof_needs_numbers_and_stays_apart_from_suspicion(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.flags = SNT_SCAN_AUDIT_NO_IMU;
    recording *r = open_recording(&config);
    for (int i = 0; i < 10; i++) {
        const int64_t header = epoch + i * 100 * MS;
        const snt_cloud c = cloud_of_points(points, POINTS, header);
        const snt_scan_input input = {.header_ns = header,
                                      .receive_ns = SNT_UNKNOWN,
                                      .lost_packets = i == 4 ? 413 : 0,
                                      .columns = i == 6 ? 500 : 512,
                                      .columns_expected = 512,
                                      .flags = SNT_SCAN_INPUT_HAS_SEQUENCE | SNT_SCAN_INPUT_HAS_COLUMNS};
        assert_status(snt_scan_auditor_add_scan(r->auditor, &input, &c), SNT_OK);
    }
    finish(r);
    assert_int_equal(r->reports[4].proof, SNT_PROOF_SEQUENCE);
    assert_int_equal(r->reports[4].lost_packets, 413);
    assert_int_equal(r->reports[4].suspicion, 0);
    assert_int_equal(r->reports[6].proof, SNT_PROOF_COLUMNS);
    assert_int_equal(r->reports[6].lost_packets, 12);
    assert_int_equal(r->summary.proven, 2);
    assert_int_equal(r->summary.lost_packets, 425);
    const snt_finding *f = found(r, SNT_FINDING_PACKET_LOSS);
    assert_near(f->certainty, 1, 0);
    assert_i64_equal(f->lo, 425);
    assert_null(found(r, SNT_FINDING_SUSPECT_LOSS));
}

/* Section 3: what the header means, from the times themselves. */
static void the_headers_meaning_is_read_from_the_times(void **state)
{
    (void)state;
    static const struct {
        double first, last;
        uint32_t event;
        int64_t offset;
    } rows[] = {
        {0, 0.1, SNT_EVENT_SWEEP_START, 0},
        {-0.05, 0.05, SNT_EVENT_SWEEP_MID, -50 * MS},
        {-0.1, 0, SNT_EVENT_SWEEP_END, -100 * MS},
        {-0.10086, 0.00054, SNT_EVENT_SWEEP_END, -100860 * US}, /* velodyne: last packet */
        {0.03, 0.13, SNT_EVENT_UNSPECIFIED, 30 * MS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snt_scan_auditor_config config;
        snt_scan_auditor_config_init(&config, sizeof config);
        config.flags = SNT_SCAN_AUDIT_NO_IMU;
        recording *r = open_recording(&config);
        double times[101];
        for (int k = 0; k <= 100; k++)
            times[k] = rows[i].first + (rows[i].last - rows[i].first) * k / 100;
        for (int k = 0; k < 12; k++)
            give_times(r, epoch + k * 105 * MS, SNT_UNKNOWN, times, 101);
        finish(r);
        assert_int_equal(r->reports[5].header_event, rows[i].event);
        assert_i64_equal(r->reports[5].header_offset_ns, rows[i].offset);
        assert_int_equal(r->summary.header_event, rows[i].event);
        assert_i64_equal(r->summary.header_offset_median_ns, rows[i].offset);
        assert_int_equal(found(r, SNT_FINDING_HEADER_ROLE) != NULL, rows[i].event != SNT_EVENT_SWEEP_START);
        assert_null(found(r, SNT_FINDING_HEADER_UNSTEADY));
    }
}

/* ros2_ouster_drivers #127: LaserScan of 1024 rays, 97.66 us each, stamped on reception. */
static void a_scan_received_before_its_end_is_stamped_at_its_end(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.flags = SNT_SCAN_AUDIT_NO_IMU;
    recording *r = open_recording(&config);
    for (int i = 0; i < 30; i++) {
        const int64_t header = epoch + i * 100 * MS;
        snt_cloud c;
        snt_cloud_init(&c);
        c.count = 1024;
        c.time = (snt_field){.type = SNT_TYPE_U32, .flags = SNT_FIELD_INDEX};
        c.time_ref = SNT_TIME_REF_RELATIVE;
        c.time_unit_num = 97660;
        c.time_unit_den = 1;
        c.time_base_ns = header;
        const snt_scan_input input = {.header_ns = header, .receive_ns = header + 200 * US};
        assert_status(snt_scan_auditor_add_scan(r->auditor, &input, &c), SNT_OK);
    }
    finish(r);
    const snt_finding *f = found(r, SNT_FINDING_RECEIVED_BEFORE_END);
    assert_non_null(f);
    assert_near(f->certainty, 0.95, 0.06);
    assert_i64_equal(f->value_ns, 200 * US - 1023 * 97660);
    assert_int_equal(r->summary.header_event, SNT_EVENT_SWEEP_END);
    assert_int_equal(r->reports[3].points.points, 1024);
    assert_i64_equal(r->reports[3].duration_ns, 1023 * 97660);
}

/* ouster-ros #541: 20 Hz, the header lies one whole period before the first column. */
static void a_header_one_period_early_is_named(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.flags = SNT_SCAN_AUDIT_NO_IMU;
    recording *r = open_recording(&config);
    for (int i = 0; i < 30; i++) {
        const int64_t start = epoch + i * 50 * MS;
        double times[512];
        for (int k = 0; k < 512; k++)
            times[k] = 0.05 + 0.05 * k / 512; /* after the header */
        give_times(r, start - 50 * MS, start + 53 * MS, times, 512);
    }
    finish(r);
    assert_non_null(found(r, SNT_FINDING_PERIOD_EARLY));
    assert_i64_equal(r->reports[4].header_offset_ns, 50 * MS);
    assert_i64_equal(found(r, SNT_FINDING_PERIOD_EARLY)->value_ns, 50 * MS);
    assert_true(r->reports[4].overlap_ns < 0);
    assert_true(llabs((long long)(r->summary.latency_median_ns - 3 * MS)) < 200 * US);
    assert_near(r->summary.header_offset_b_ns, 103e6, 1); /* two periods and three */
}

/* Sections 8 and 10: offset, drift and jitter between header and log are told apart. */
static void offset_drift_and_jitter_are_told_apart(void **state)
{
    (void)state;
    test_rng rng = {9};
    static const struct {
        double offset, drift, jitter;
    } rows[] = {{20e6, 0, 0}, {20e6, 50e3, 0}, {20e6, 0, 1e6}};
    for (size_t i = 0; i < 3; i++) {
        snt_scan_auditor_config config;
        snt_scan_auditor_config_init(&config, sizeof config);
        config.flags = SNT_SCAN_AUDIT_NO_IMU;
        recording *r = open_recording(&config);
        const double times[] = {0, 0.01};
        for (int k = 0; k < 300; k++) {
            const int64_t receive = epoch + k * 100 * MS;
            const double delay = rows[i].offset + rows[i].drift * 0.1 * k + rows[i].jitter * rng_normal(&rng);
            give_times(r, receive - (int64_t)delay, receive, times, 2);
            take(r);
        }
        finish(r);
        assert_near(r->summary.header_offset_b_ns, rows[i].offset + rows[i].drift * 14.95, 3e5);
        assert_near(r->summary.header_drift_ppb, rows[i].drift, 2e4);
        assert_near(r->summary.header_jitter_ns, rows[i].jitter, 2e5);
        if (rows[i].jitter == 0)
            assert_near(r->summary.header_drift_ppb, rows[i].drift, 1);
        assert_true(fabs(r->summary.header_drift_ppb - rows[i].drift) <
                    4 * r->summary.header_drift_error_ppb + 1);
    }
}

static void unsteady_headers_and_latencies_are_named(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.flags = SNT_SCAN_AUDIT_NO_IMU;
    recording *r = open_recording(&config);
    test_rng rng = {4};
    for (int i = 0; i < 60; i++) {
        const int64_t late = rng_int(&rng, 0, 60 * MS);
        const double off = 1e-9 * (double)rng_int(&rng, 0, 40 * MS);
        double times[100];
        for (int k = 0; k < 100; k++)
            times[k] = off + 0.001 * k;
        give_times(r, epoch + i * 100 * MS, epoch + i * 100 * MS + 160 * MS + late, times, 100);
    }
    finish(r);
    assert_non_null(found(r, SNT_FINDING_HEADER_UNSTEADY));
    assert_non_null(found(r, SNT_FINDING_LATENCY));
    assert_int_equal(r->summary.latency_constant, 0);
}

/* FAST-LIO users' question: which of the two is wrong? Different clocks are not compared. */
static void an_imu_of_another_clock_gives_no_margins(void **state)
{
    (void)state;
    recording *r = open_recording(NULL);
    for (int i = 0; i < 20; i++) {
        give_scan(r, epoch + i * 100 * MS, epoch + i * 100 * MS + 105 * MS);
        for (int k = 0; k < 20; k++)
            assert_status(snt_scan_auditor_add_imu(r->auditor, 291 * S + i * 100 * MS + k * 5 * MS), SNT_OK);
    }
    finish(r);
    assert_true(r->reports[3].flags & SNT_SCAN_IMU_CLOCK);
    assert_i64_equal(r->reports[3].imu_end_margin_ns, SNT_UNKNOWN);
    EXPECT_ONLY(r, SNT_FINDING_IMU_CLOCK, SNT_FINDING_NOT_TIME_ORDERED);
    assert_int_equal(r->summary.uncovered, 0);
}

/* usage: "IMU clock steps back 1.000 s". */
static void an_imu_that_steps_back_starts_over(void **state)
{
    (void)state;
    recording *r = open_recording(NULL);
    for (int64_t t = 0; t < 4000; t += 5) {
        if (t % 100 == 0)
            give_scan(r, epoch + t * MS, epoch + t * MS + 104 * MS);
        assert_status(snt_scan_auditor_add_imu(r->auditor, epoch + (t >= 2050 ? t - 1000 : t) * MS), SNT_OK);
        take(r);
    }
    finish(r);
    const snt_finding *f = found(r, SNT_FINDING_IMU_BACKWARD);
    assert_non_null(f);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->first_index, 2050 / 5);
    assert_i64_equal(f->value_ns, 995 * MS);
    assert_int_equal(f->severity, SNT_SEVERITY_ERROR);
    assert_true(r->reports[20].flags & SNT_SCAN_IMU_RESET); /* 2.000 … 2.0995, waiting when it happened */
    assert_false(r->reports[19].flags & SNT_SCAN_IMU_RESET);
    assert_non_null(found(r, SNT_FINDING_IMU_MISSING));
}

static void late_and_repeated_imu_stamps_find_their_place(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.imu_capacity = 8;
    recording *r = open_recording(&config);
    assert_status(snt_scan_auditor_add_imu(r->auditor, 100 * MS), SNT_OK);
    assert_status(snt_scan_auditor_add_imu(r->auditor, 120 * MS), SNT_OK);
    assert_status(snt_scan_auditor_add_imu(r->auditor, 110 * MS), SNT_OK);
    assert_status(snt_scan_auditor_add_imu(r->auditor, 110 * MS), SNT_ERR_DUPLICATE);
    static const double times[] = {0, 0.01};
    give_times(r, 105 * MS, SNT_UNKNOWN, times, 2);
    finish(r);
    assert_i64_equal(r->reports[0].imu_start_nearest_ns, 5 * MS);
    assert_i64_equal(r->reports[0].imu_end_nearest_ns, 5 * MS);
    assert_i64_equal(r->reports[0].imu_largest_hole_ns, 10 * MS);
    assert_int_equal(r->summary.imu_backward, 2);
    assert_int_equal(r->summary.imu_duplicate, 1);
}

static void a_hole_inside_the_scan_is_found(void **state)
{
    (void)state;
    recording *r = open_recording(NULL);
    for (int64_t t = 0; t < 2000; t += 5) {
        if (t % 100 == 0)
            give_scan(r, epoch + t * MS, SNT_UNKNOWN);
        if (t < 1020 || t >= 1085)
            assert_status(snt_scan_auditor_add_imu(r->auditor, epoch + t * MS), SNT_OK);
    }
    finish(r);
    assert_i64_equal(r->reports[10].imu_largest_hole_ns, 70 * MS);
    assert_i64_equal(r->reports[10].imu_hole_at_ns, epoch + 1015 * MS);
    const snt_finding *f = found(r, SNT_FINDING_IMU_HOLE);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->first_index, 10);
    assert_i64_equal(r->summary.imu_hole_max_ns, 70 * MS);
}

/* Section 13: 64 ms scans every 67 ms. The duration is read, not assumed. */
static void duration_and_interval_are_read_not_assumed(void **state)
{
    (void)state;
    recording *r = open_recording(NULL);
    for (int64_t i = 0; i < 40; i++) {
        double times[1422];
        for (int k = 0; k < 1422; k++)
            times[k] = 0.063838 * k / 1421;
        give_times(r, epoch + i * 66969000, epoch + i * 66969000 + 70 * MS, times, 1422);
        for (int64_t k = 0; k < 16; k++)
            assert_status(snt_scan_auditor_add_imu(r->auditor, epoch + i * 66969000 + k * 4 * MS + 999),
                          SNT_OK);
    }
    finish(r);
    assert_true(llabs((long long)(r->summary.duration_median_ns - 63838000)) <= 1);
    assert_i64_equal(r->summary.interval_median_ns, 66969000);
    assert_int_equal(r->summary.points_median, 1422);
    assert_near(r->summary.monotonic_ratio, 1, 0);
    assert_int_equal(r->summary.imu_inside_median, 16);
    EXPECT_ONLY(r, 0);
}

static void a_misread_unit_is_named_with_the_factor(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.flags = SNT_SCAN_AUDIT_NO_IMU;
    recording *r = open_recording(&config);
    double times[100];
    for (int k = 0; k < 100; k++)
        times[k] = 1000 * k; /* microseconds read as seconds */
    for (int i = 0; i < 10; i++)
        give_times(r, epoch + i * 100 * MS, SNT_UNKNOWN, times, 100);
    finish(r);
    const snt_finding *f = found(r, SNT_FINDING_DURATION);
    assert_non_null(f);
    assert_near(f->number, 1e-6, 1e-12);
    assert_near(r->summary.unit_factor, 1e-6, 1e-12);
    assert_int_equal(f->severity, SNT_SEVERITY_ERROR);
    char text[512];
    snt_finding_format(f, text, sizeof text);
    assert_non_null(strstr(text, "the unit is misread"));
}

/* Each defect of point times, once among thirty good scans, is found in its scan and nowhere else. */
static void defects_of_point_times_are_found_where_they_are(void **state)
{
    (void)state;
    static const uint32_t codes[] = {SNT_FINDING_WRAPPED_POINT_TIME, SNT_FINDING_RING_BACKWARD,
                                     SNT_FINDING_FOREIGN_POINTS, SNT_FINDING_RINGS_UNTRACKED};
    for (int defect = 0; defect < 4; defect++) {
        snt_scan_auditor_config config;
        snt_scan_auditor_config_init(&config, sizeof config);
        config.flags = SNT_SCAN_AUDIT_NO_IMU;
        recording *r = open_recording(&config);
        for (int i = 0; i < 30; i++) {
            const int64_t header = epoch + i * 100 * MS;
            fill_points(points, RINGS, COLUMNS, 100 * MS, false);
            for (uint64_t p = 1000; p < 1400 && i == 17; p++) {
                test_point *at = &points[p];
                if (defect == 0 && p < 1010)
                    at->t = (uint32_t)(-(int32_t)(300 * US));
                if (defect == 1)
                    at->t = (uint32_t)(p % 3 * 30 * MS);
                if (defect == 2)
                    at->t += (uint32_t)(150 * MS);
                if (defect == 3 && p == 1000)
                    at->ring = 5000;
            }
            const snt_cloud c = cloud_of_points(points, POINTS, header);
            const snt_scan_input input = {.header_ns = header, .receive_ns = SNT_UNKNOWN};
            assert_status(snt_scan_auditor_add_scan(r->auditor, &input, &c), SNT_OK);
        }
        finish(r);
        for (int k = 0; k < 4; k++) {
            const snt_finding *f = found(r, codes[k]);
            if ((f != NULL) != (k == defect))
                fail_msg("defect %d: %s", defect, snt_finding_name(codes[k]));
            if (f) {
                assert_int_equal(f->first_index, 17);
                assert_int_equal(f->count, 1);
            }
        }
        if (defect == 0)
            assert_i64_equal(found(r, codes[0])->lo, 10);
        if (defect == 2)
            assert_in_range(found(r, codes[2])->lo, 390, 400);
    }
}

static void unreadable_and_coarse_times_are_named(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.flags = SNT_SCAN_AUDIT_NO_IMU;
    recording *r = open_recording(&config);
    for (int i = 0; i < 10; i++) {
        float times[100]; /* seconds since a boot three hours ago: a millisecond apart at best */
        for (int k = 0; k < 100; k++)
            times[k] = 10800 + 0.1f * (float)i + 0.001f * (float)k;
        times[7] = NAN;
        times[8] = INFINITY;
        const snt_cloud c =
            cloud_of_times(times, 100, SNT_TYPE_F32, SNT_TIME_UNIT_S, SNT_TIME_REF_ABSOLUTE, 0);
        const snt_scan_input input = {.header_ns = 10800 * S + i * 100 * MS, .receive_ns = SNT_UNKNOWN};
        assert_status(snt_scan_auditor_add_scan(r->auditor, &input, &c), SNT_OK);
    }
    finish(r);
    assert_int_equal(found(r, SNT_FINDING_COARSE_POINT_TIME)->count, 10);
    assert_i64_equal(found(r, SNT_FINDING_COARSE_POINT_TIME)->value_ns, 976563); /* 2^-10 s */
    assert_i64_equal(found(r, SNT_FINDING_INVALID_POINT_TIME)->lo, 20);
    assert_int_equal(r->reports[3].points.nan_times, 1);
    assert_int_equal(r->reports[3].points.invalid_times, 1);
}

static void overlapping_scans_are_named(void **state)
{
    (void)state;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.flags = SNT_SCAN_AUDIT_NO_IMU;
    recording *r = open_recording(&config);
    for (int i = 0; i < 12; i++)
        give_scan(r, epoch + i * 90 * MS, SNT_UNKNOWN);
    finish(r);
    assert_i64_equal(r->reports[0].overlap_ns, SNT_UNKNOWN);
    assert_i64_equal(r->reports[1].overlap_ns, 9500 * US);
    assert_non_null(found(r, SNT_FINDING_SCAN_OVERLAP));
}

static void zero_scans_and_scans_without_points_work(void **state)
{
    (void)state;
    recording *r = open_recording(NULL);
    finish(r);
    assert_int_equal(r->count, 0);
    assert_int_equal(r->findings_count, 0);
    assert_true(isnan(r->summary.monotonic_ratio));
    assert_i64_equal(r->summary.duration_median_ns, SNT_UNKNOWN);
    r = open_recording(NULL);
    for (int i = 0; i < 10; i++) {
        snt_cloud c;
        snt_cloud_init(&c);
        const snt_scan_input input = {.header_ns = epoch + i * 100 * MS, .receive_ns = SNT_UNKNOWN};
        assert_status(snt_scan_auditor_add_scan(r->auditor, &input, &c), SNT_OK);
    }
    finish(r);
    assert_int_equal(r->count, 10);
    assert_true(r->reports[4].flags & SNT_SCAN_NO_TIME);
    assert_i64_equal(r->reports[4].duration_ns, SNT_UNKNOWN);
    assert_i64_equal(r->reports[4].header_interval_ns, 100 * MS);
    r = open_recording(NULL);
    const uint32_t constant[4] = {0, 0, 0, 0};
    for (int i = 0; i < 10; i++) {
        const snt_cloud c = cloud_of_times(constant, 4, SNT_TYPE_U32, SNT_TIME_UNIT_NS, SNT_TIME_REF_RELATIVE,
                                           epoch + i * 100 * MS);
        const snt_scan_input input = {.header_ns = epoch + i * 100 * MS, .receive_ns = SNT_UNKNOWN};
        assert_status(snt_scan_auditor_add_scan(r->auditor, &input, &c), SNT_OK);
    }
    finish(r);
    EXPECT_ONLY(r, SNT_FINDING_NO_POINT_TIME);
}

static void a_finished_recording_takes_nothing_until_reset(void **state)
{
    (void)state;
    recording *r = open_recording(NULL);
    give_scan(r, epoch, SNT_UNKNOWN);
    assert_status(snt_scan_auditor_finish(r->auditor), SNT_OK);
    assert_status(snt_scan_auditor_finish(r->auditor), SNT_OK);
    take(r);
    assert_int_equal(r->count, 1);
    assert_true(r->reports[0].flags & SNT_SCAN_WARMUP);
    assert_true(r->reports[0].flags & SNT_SCAN_NO_IMU);
    const snt_cloud c = cloud_of_points(points, POINTS, epoch);
    const snt_scan_input input = {.header_ns = epoch};
    assert_status(snt_scan_auditor_add_scan(r->auditor, &input, &c), SNT_ERR_INVALID_STATE);
    assert_status(snt_scan_auditor_add_imu(r->auditor, 5), SNT_ERR_INVALID_STATE);
    assert_status(snt_scan_auditor_add_imu_many(r->auditor, &epoch, 8, 1), SNT_ERR_INVALID_STATE);
    assert_status(snt_scan_auditor_next(r->auditor, &r->reports[1]), SNT_EMPTY);
    snt_scan_auditor_reset(r->auditor);
    assert_status(snt_scan_auditor_summary(r->auditor, &r->summary), SNT_OK);
    assert_int_equal(r->summary.scans, 0);
    give_scan(r, epoch, SNT_UNKNOWN);
    finish(r);
    assert_int_equal(r->reports[1].scan_id, 0);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    snt_scan_auditor *a = (void *)8;
    snt_scan_auditor_config config;
    snt_scan_auditor_config_init(&config, sizeof config);
    config.gap_factor = NAN;
    assert_status(snt_scan_auditor_create(&config, NULL, &a), SNT_ERR_INVALID_ARG);
    assert_null(a);
    snt_scan_auditor_config_init(&config, sizeof config);
    config.max_rings = 0;
    assert_status(snt_scan_auditor_create(&config, NULL, &a), SNT_ERR_RANGE);
    uint64_t bytes = 7;
    assert_status(snt_scan_auditor_size(&config, &bytes), SNT_ERR_RANGE);
    assert_int_equal(bytes, 7);
    snt_scan_auditor_config_init(&config, sizeof config);
    config.period_ns = -1;
    assert_status(snt_scan_auditor_create(&config, NULL, &a), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_create(NULL, NULL, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_size(NULL, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_size(NULL, &bytes), SNT_OK);
    assert_in_range(bytes, 4000000, 5500000);
    assert_status(snt_scan_auditor_create(NULL, NULL, &a), SNT_OK);
    const snt_scan_input input = {.header_ns = 1};
    snt_cloud c;
    snt_cloud_init(&c);
    assert_status(snt_scan_auditor_add_scan(a, NULL, &c), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_add_scan(a, &input, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_add_scan(NULL, &input, &c), SNT_ERR_INVALID_ARG);
    c.count = 1;
    c.time.type = 99;
    assert_true(snt_scan_auditor_add_scan(a, &input, &c) < 0);
    assert_status(snt_scan_auditor_add_imu(NULL, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_add_imu_many(a, NULL, 8, 1), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_next(a, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_summary(a, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_findings(a, NULL, 0, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_scan_auditor_finish(NULL), SNT_ERR_INVALID_ARG);
    snt_scan_report report;
    assert_status(snt_scan_auditor_next(a, &report), SNT_EMPTY);
    snt_scan_auditor_destroy(a);
    snt_scan_auditor_destroy(NULL);
    snt_scan_auditor_reset(NULL);
    assert_string_equal(snt_order_text(SNT_ORDER_RING), "ring by ring");
    assert_string_equal(snt_order_text(77), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_are_those_of_the_article),
        cmocka_unit_test(both_margins_are_named_apart),
        cmocka_unit_test(a_clean_recording_marks_its_edges_and_blames_nobody),
        cmocka_unit_test(a_report_waits_for_the_imu_and_the_next_scan),
        cmocka_unit_test(live_reports_do_not_wait_for_the_next_scan),
        cmocka_unit_test(a_silent_imu_does_not_hold_reports_for_ever),
        cmocka_unit_test(reports_nobody_takes_are_dropped_and_counted),
        cmocka_unit_test(each_loss_signal_is_a_reason_of_its_own),
        cmocka_unit_test(cut_scans_and_rare_rings_are_not_suspected),
        cmocka_unit_test(proof_needs_numbers_and_stays_apart_from_suspicion),
        cmocka_unit_test(the_headers_meaning_is_read_from_the_times),
        cmocka_unit_test(a_scan_received_before_its_end_is_stamped_at_its_end),
        cmocka_unit_test(a_header_one_period_early_is_named),
        cmocka_unit_test(offset_drift_and_jitter_are_told_apart),
        cmocka_unit_test(unsteady_headers_and_latencies_are_named),
        cmocka_unit_test(an_imu_of_another_clock_gives_no_margins),
        cmocka_unit_test(an_imu_that_steps_back_starts_over),
        cmocka_unit_test(late_and_repeated_imu_stamps_find_their_place),
        cmocka_unit_test(a_hole_inside_the_scan_is_found),
        cmocka_unit_test(duration_and_interval_are_read_not_assumed),
        cmocka_unit_test(a_misread_unit_is_named_with_the_factor),
        cmocka_unit_test(defects_of_point_times_are_found_where_they_are),
        cmocka_unit_test(unreadable_and_coarse_times_are_named),
        cmocka_unit_test(overlapping_scans_are_named),
        cmocka_unit_test(zero_scans_and_scans_without_points_work),
        cmocka_unit_test(a_finished_recording_takes_nothing_until_reset),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests_name("scan_audit", tests, NULL, NULL);
}
