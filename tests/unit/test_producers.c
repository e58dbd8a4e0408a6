/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "synth_cloud.h"

#include "lib/base/internal.h"

typedef struct row {
    const char *name, *fields;
    uint32_t step, unit, ref, role;
} row;

#define X(name, fields, step, unit, reference, role, note)                                                   \
    {name, fields, step, SNT_TIME_UNIT_##unit, SNT_TIME_REF_##reference, SNT_HEADER_ROLE_##role},
static const row rows[] = {
#include "lib/cloud/producers.inc"
};
#undef X

static const char *row_time_field(const synth_cloud *c)
{
    static const char *const names[] = {
        "t",         "time",        "timestamp",      "time_stamp",      "offset_time",
        "offset_ns", "time_offset", "time_offset_ns", "start_offset_ns", "stamps"};
    for (size_t i = 0; i < SNT_COUNT_OF(names); i++)
        if (synth_find(c, names[i]))
            return names[i];
    return NULL;
}

static void row_fill(synth_cloud *c, const row *r, uint32_t s, int64_t stamp)
{
    const double first = r->role == SNT_HEADER_ROLE_END           ? -0.0995
                         : r->role == SNT_HEADER_ROLE_LAST_PACKET ? -0.0989
                         : r->role == SNT_HEADER_ROLE_MIDDLE      ? -0.0497
                                                                  : 0.0;
    const synth_model m = {
        r->fields, row_time_field(c), synth_unit_ns[r->unit], r->ref == SNT_TIME_REF_ABSOLUTE, 0, 0, r->step,
        1};
    for (uint32_t i = 0; i < c->points; i++) {
        const int64_t t = (int64_t)((first + 0.0995 * (i / 16) / (double)((c->points - 1) / 16)) * 1e9);
        if (m.time_field)
            synth_put_time(c, s, i, &m, stamp, t);
        synth_put(c, s, i, "ts", (double)t * 1e-9, 0);
        synth_put(c, s, i, "lidar_sec", 0, stamp / 1000000000);
        synth_put(c, s, i, "timeSecond", 0, (stamp + t) / 1000000000);
        synth_put(c, s, i, "lidar_nsec", 0, (stamp + t) % 1000000000);
        synth_put(c, s, i, "timeNanosecond", 0, (stamp + t) % 1000000000);
        synth_put(c, s, i, "timebase_low", 0, stamp & 0xffffffff);
        synth_put(c, s, i, "timebase_high", 0, stamp >> 32);
    }
}

static void every_known_producer_is_detected(void **state)
{
    (void)state;
    for (size_t k = 0; k < SNT_COUNT_OF(rows); k++) {
        const row *r = &rows[k];
        synth_cloud c;
        synth_init(&c, r->fields, r->step, 1600);
        for (uint32_t s = 0; s < 4; s++) {
            const int64_t stamp = synth_today + s * INT64_C(100000000);
            assert_int_equal(synth_add_scan(&c, stamp), s);
            synth_turn(&c, s, 16);
            row_fill(&c, r, s, stamp);
        }
        snt_point_layout layout;
        snt_layout_report report;
        const snt_status status = synth_detect(&c, 0, &layout, &report);
        if (status != (r->ref == SNT_TIME_REF_NONE ? SNT_ERR_NO_TIME : SNT_OK) || !report.producer ||
            strcmp(report.producer, r->name) != 0 || layout.time_ref != r->ref || layout.time_unit != r->unit)
            fail_msg("%s: %s, taken for %s, %s, reference %u", r->name, snt_status_name(status),
                     report.producer ? report.producer : "nobody", snt_time_unit_name(layout.time_unit),
                     layout.time_ref);
        if (r->ref != SNT_TIME_REF_NONE && r->role != SNT_HEADER_ROLE_UNKNOWN)
            if (layout.header_role != r->role || report.role_confidence < 0.85)
                fail_msg("%s: header %s (%.2f)", r->name, snt_header_role_name(layout.header_role),
                         report.role_confidence);
        synth_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_known_producer_is_detected),
    };
    return cmocka_run_group_tests_name("producers", tests, NULL, NULL);
}
