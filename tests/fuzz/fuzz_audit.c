/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The input is a program for a stream monitor, a scan auditor and the QoS rules: a byte names the operation, the bytes
 * after it its operands. After every report what must hold is checked.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sensortime/sensortime.h"

#define MUST(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            abort();                                                                                         \
    } while (0)

typedef struct program {
    const uint8_t *at, *end;
    snt_stream_monitor *monitor;
    snt_scan_auditor *auditor;
    uint64_t next_scan;
    int64_t stamp, log;
} program;

static uint8_t byte(program *p)
{
    return p->at < p->end ? *p->at++ : 0;
}

static uint64_t word(program *p)
{
    uint64_t w = 0;
    for (int i = 0; i < 8; i++)
        w = w << 8 | byte(p);
    return w;
}

/* Mostly small steps from the last value, at times anything. */
static int64_t step_from(program *p, int64_t *last)
{
    const uint8_t how = byte(p);
    if (how == 255)
        *last = (int64_t)word(p);
    else if (how == 254)
        *last = INT64_C(1700000000) * SNT_NS_PER_S;
    else if (how == 253)
        *last = 0;
    else
        *last = snt_time_add_sat(*last, (int64_t)(how < 200 ? how : 200 - (int)how) * 5 * SNT_NS_PER_MS);
    return *last;
}

static void say(const snt_finding *findings, uint32_t count)
{
    char text[700];
    for (uint32_t i = 0; i < count; i++) {
        MUST(snt_finding_format(&findings[i], text, sizeof text) >= SNT_ERR_BUFFER_TOO_SMALL);
        MUST(strlen(text) > 0 && strlen(text) < sizeof text);
        MUST(findings[i].certainty >= 0 && findings[i].certainty <= 1);
        MUST(strcmp(snt_finding_name(findings[i].code), "SNT_FINDING_NONE") != 0);
        MUST(i == 0 || findings[i - 1].severity >= findings[i].severity);
    }
}

static void check_steps(const snt_interval_stats *s)
{
    MUST(s->steps == s->forward + s->equal + s->backward);
    if (s->forward)
        MUST(s->min_ns > 0 && s->min_ns <= s->max_ns && s->rate_hz >= 0 && s->p05_ns <= s->p95_ns);
    else
        MUST(s->min_ns == SNT_UNKNOWN && s->median_ns == SNT_UNKNOWN);
}

static void check_monitor(program *p)
{
    snt_stream_report r;
    snt_finding findings[32];
    uint32_t count = 0;
    MUST(snt_stream_monitor_report(p->monitor, &r) == SNT_OK);
    check_steps(&r.stamps);
    check_steps(&r.log);
    MUST(r.delay.count + r.delay.incomparable <= r.messages);
    MUST(r.zero_stamps <= r.messages && r.missing_lo <= r.missing_hi);
    MUST(r.gaps_warning + r.gaps_error <= r.gaps);
    if (r.delay.count)
        MUST(r.delay.min_ns <= r.delay.max_ns && r.delay.p05_ns <= r.delay.p95_ns);
    MUST(snt_stream_monitor_findings(p->monitor, findings, 32, &count) == SNT_OK);
    say(findings, count);
}

static void add_message(program *p)
{
    snt_stream_message m;
    memset(&m, 0, sizeof m);
    m.flags = byte(p) & 15;
    m.stamp_ns = step_from(p, &p->stamp);
    m.log_ns = step_from(p, &p->log);
    m.size_bytes = byte(p);
    m.sequence = byte(p);
    m.content = byte(p) & 3;
    const snt_status status = snt_stream_monitor_add(p->monitor, &m);
    MUST(status == SNT_OK || !(m.flags & (SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG)));
}

static void check_scan(program *p, const snt_scan_report *r)
{
    const snt_point_stats *s = &r->points;
    MUST(r->scan_id >= p->next_scan);
    p->next_scan = r->scan_id + 1;
    MUST(s->timed + s->nan_times + s->invalid_times <= s->points);
    MUST(s->nonfinite_points + s->zero_points <= s->points);
    MUST(s->rings_monotonic <= s->rings);
    if (s->timed) {
        MUST(s->min_ns <= s->max_ns && r->duration_ns == s->max_ns - s->min_ns);
        MUST(s->sorted_gap_ns >= 0 && s->sorted_gap_ns <= r->duration_ns);
        MUST(s->sorted_gap_ns <= s->max_gap_ns || (s->flags & SNT_SCAN_GAP_BOUND));
        MUST(s->robust_span_ns >= 0 && s->robust_span_ns <= r->duration_ns);
        MUST(s->negative_jumps + s->equal_steps < s->timed);
        MUST(s->negative_times + s->zero_times <= s->timed && s->beyond_period <= s->timed);
        MUST(!(s->flags & SNT_SCAN_MONOTONIC) == (s->negative_jumps > 0));
    } else {
        MUST(s->flags & SNT_SCAN_NO_TIME);
    }
    if (r->flags & SNT_SCAN_IMU_BRACKETED)
        MUST(r->imu_start_nearest_ns >= 0 && r->imu_end_nearest_ns >= 0 && r->imu_start_margin_ns >= 0);
    char text[100];
    MUST(snt_loss_format(r->suspicion, text, sizeof text) == SNT_OK);
}

static void take_scans(program *p)
{
    snt_scan_report report;
    while (snt_scan_auditor_next(p->auditor, &report) == SNT_OK)
        check_scan(p, &report);
}

static void add_scan(program *p)
{
    /* the points' bytes are what comes next in the program */
    uint64_t data[64];
    snt_cloud c;
    snt_cloud_init(&c);
    const uint8_t shape = byte(p);
    c.count = shape % 40;
    c.time.type = byte(p) % 12;
    c.time_ref = byte(p) % 6;
    c.time.flags = byte(p) & 3;
    c.ring.type = byte(p) % 11;
    c.x.type = c.y.type = c.z.type = shape & 128 ? SNT_TYPE_F32 : SNT_TYPE_NONE;
    static const int64_t units[] = {1, 1000, 1000000, 1000000000, 100, 0, -1};
    c.time_unit_num = units[byte(p) % 7];
    c.time_unit_den = shape & 64 ? 3 : 1;
    c.time_base_ns = step_from(p, &p->stamp);
    c.time_span_ns = 100 * SNT_NS_PER_MS;
    c.time_quantum_ns = shape & 32 ? 1000 : 0;
    const size_t left = (size_t)(p->end - p->at);
    const size_t use = left < sizeof data ? left : sizeof data;
    memset(data, 0, sizeof data);
    memcpy(data, p->at, use);
    p->at += use;
    /* 40 elements of up to 8 bytes at a stride of 8, fields on top of one another */
    c.time.data = c.ring.data = c.x.data = c.y.data = c.z.data = data;
    c.time.stride = c.ring.stride = c.x.stride = c.y.stride = c.z.stride = byte(p) % 9;
    const snt_scan_input input = {.header_ns = step_from(p, &p->stamp),
                                  .receive_ns = step_from(p, &p->log),
                                  .lost_packets = byte(p),
                                  .columns = byte(p),
                                  .columns_expected = byte(p),
                                  .valid_points = byte(p),
                                  .period_ns = byte(p) * SNT_NS_PER_MS,
                                  .flags = byte(p) & 7};
    (void)snt_scan_auditor_add_scan(p->auditor, &input, &c);
}

static void check_auditor(program *p)
{
    snt_scan_summary s;
    snt_finding findings[32];
    uint32_t count = 0;
    MUST(snt_scan_auditor_summary(p->auditor, &s) == SNT_OK);
    MUST(s.timed <= s.scans && s.monotonic <= s.timed && s.suspected <= s.scans && s.edge <= s.scans);
    MUST(s.imu_backward <= s.imu_samples);
    MUST(snt_scan_auditor_findings(p->auditor, findings, 32, &count) == SNT_OK);
    say(findings, count);
}

static void check_qos(program *p)
{
    snt_qos_profile ends[2];
    for (int i = 0; i < 2; i++)
        ends[i] = (snt_qos_profile){.history = byte(p) % 5,
                                    .depth = byte(p),
                                    .reliability = byte(p) % 6,
                                    .durability = byte(p) % 7 == 6 ? 64 : byte(p) % 6,
                                    .liveliness = byte(p) % 7,
                                    .deadline_ns = byte(p) == 255 ? (int64_t)word(p) : byte(p),
                                    .lifespan_ns = byte(p),
                                    .lease_ns = byte(p) == 255 ? SNT_QOS_DURATION_BEST_AVAILABLE : byte(p)};
    snt_qos_verdict verdict;
    const snt_status status = snt_qos_check(&ends[0], &ends[1], &verdict);
    if (status == SNT_ERR_RANGE)
        return;
    MUST((status == SNT_ERR_INCOMPATIBLE) == (verdict.errors != 0));
    MUST(status != SNT_OK || !verdict.undecided);
    char text[2000];
    MUST(snt_qos_verdict_format(&verdict, text, sizeof text) == SNT_OK);
    for (int i = 0; i < 2; i++)
        MUST(snt_qos_profile_format(&ends[i], text, sizeof text) == SNT_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    program p = {.at = data, .end = data + size};
    snt_stream_monitor_config monitor;
    snt_stream_monitor_config_init(&monitor, sizeof monitor);
    monitor.event_capacity = 3;
    monitor.flags = byte(&p) & 15;
    monitor.expected_period_ns = byte(&p) & 1 ? 100 * SNT_NS_PER_MS : 0;
    snt_scan_auditor_config auditor;
    snt_scan_auditor_config_init(&auditor, sizeof auditor);
    auditor.scratch_points = 1 + byte(&p) % 40;
    auditor.max_rings = 1 + byte(&p) % 40;
    auditor.imu_capacity = 1 + byte(&p) % 8;
    auditor.scan_capacity = 1 + byte(&p) % 4;
    auditor.flags = byte(&p) & 3;
    MUST(snt_stream_monitor_create(&monitor, NULL, &p.monitor) == SNT_OK);
    MUST(snt_scan_auditor_create(&auditor, NULL, &p.auditor) == SNT_OK);
    for (int steps = 0; p.at < p.end && steps < 500; steps++) {
        snt_stream_event event;
        switch (byte(&p) % 12) {
        case 0:
        case 1:
        case 2:
            add_message(&p);
            break;
        case 3:
            (void)snt_stream_monitor_poll(p.monitor, step_from(&p, &p.log));
            check_monitor(&p);
            break;
        case 4:
            while (snt_stream_monitor_next_event(p.monitor, &event) == SNT_OK)
                MUST(event.severity >= 1 && event.severity <= 3 && event.missing_lo <= event.missing_hi);
            break;
        case 5:
        case 6:
            add_scan(&p);
            break;
        case 7:
            (void)snt_scan_auditor_add_imu(p.auditor, step_from(&p, &p.log));
            break;
        case 8:
            take_scans(&p);
            break;
        case 9:
            check_auditor(&p);
            break;
        case 10:
            check_qos(&p);
            break;
        default:
            if (byte(&p) % 8 == 0) {
                snt_stream_monitor_reset(p.monitor);
                snt_scan_auditor_reset(p.auditor);
                p.next_scan = 0;
            } else if (byte(&p) % 8 == 0) {
                (void)snt_stream_monitor_finish(p.monitor);
                (void)snt_scan_auditor_finish(p.auditor);
            }
        }
    }
    check_monitor(&p);
    MUST(snt_scan_auditor_finish(p.auditor) == SNT_OK);
    take_scans(&p);
    check_auditor(&p);
    snt_stream_monitor_destroy(p.monitor);
    snt_scan_auditor_destroy(p.auditor);
    return 0;
}
