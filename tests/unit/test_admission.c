/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "lib/base/internal.h"

#define MS SNT_NS_PER_MS
#define S  SNT_NS_PER_S
#define T0 (INT64_C(1700000000) * S)

static snt_sample sample_at(snt_time t, snt_duration before, snt_duration after)
{
    snt_sample s;
    snt_bounded_time at;
    assert_status(snt_bounded_time_init(t, before, after, SNT_DOMAIN_UNIX, 3, &at), SNT_OK);
    snt_sample_init(&s, 0, 0, 0);
    assert_status(snt_sample_set_times(&s, &at, NULL, SNT_EVENT_INSTANT), SNT_OK);
    s.sequence = 7;
    s.source = 2;
    s.version = 5;
    return s;
}

static snt_bounded_time now_at(snt_time t, snt_duration error)
{
    snt_bounded_time now;
    assert_status(snt_bounded_time_init(t, error, error, SNT_DOMAIN_UNIX, 0, &now), SNT_OK);
    return now;
}

static snt_admission_policy policy_of(snt_duration max_age, snt_duration max_uncertainty)
{
    snt_admission_policy policy;
    snt_admission_policy_init(&policy, sizeof policy);
    policy.max_age_ns = max_age;
    policy.max_uncertainty_ns = max_uncertainty;
    return policy;
}

/* spec 2: 28 ms old, known to 15 ms, at most 40 ms allowed: it could be 43 ms. */
static void an_observation_that_may_be_too_old_is_refused(void **state)
{
    (void)state;
    const snt_admission_policy policy = policy_of(40 * MS, SNT_UNKNOWN);
    const snt_sample s = sample_at(T0, 10 * MS, 10 * MS);
    const snt_bounded_time now = now_at(T0 + 28 * MS, 5 * MS);
    snt_admission_record why;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_STALE);
    assert_i64_equal(why.age_ns, 28 * MS);
    assert_i64_equal(why.age_lo_ns, 13 * MS);
    assert_i64_equal(why.age_hi_ns, 43 * MS);
    assert_i64_equal(why.uncertainty_ns, 15 * MS);
    assert_int_equal(why.reasons, SNT_REFUSED_MAYBE_STALE);
    assert_int_equal(why.notes, 0);
    char text[SNT_ADMISSION_TEXT_SIZE];
    assert_status(snt_admission_format_text(&why, text, sizeof text), SNT_OK);
    assert_string_equal(
        text, "refused, possibly stale: age 0.028000000 s, between 0.013000000 and 0.043000000 s; at most "
              "0.040000000 s");
    /* with 12 ms of uncertainty it reaches exactly the limit, which is allowed */
    const snt_sample better = sample_at(T0, 7 * MS, 7 * MS);
    assert_status(snt_admission_check(&policy, &better, &now, &why), SNT_OK);
    assert_i64_equal(why.age_hi_ns, 40 * MS);
    assert_int_equal(why.reasons, 0);
    const snt_bounded_time edge = now_at(T0 + 55 * MS, 5 * MS); /* 40 ms at least: may just be in time */
    assert_status(snt_admission_check(&policy, &s, &edge, &why), SNT_ERR_STALE);
    assert_int_equal(why.reasons, SNT_REFUSED_MAYBE_STALE);
    const snt_bounded_time later = now_at(T0 + 60 * MS, 5 * MS);
    assert_status(snt_admission_check(&policy, &s, &later, &why), SNT_ERR_STALE);
    assert_int_equal(why.reasons, SNT_REFUSED_STALE);
}

static void the_four_steps_are_taken_in_order_and_all_reasons_collected(void **state)
{
    (void)state;
    snt_admission_policy policy = policy_of(40 * MS, 20 * MS);
    const snt_bounded_time now = now_at(T0 + 10 * MS, MS);
    snt_admission_record why;
    snt_sample s = sample_at(T0, MS, MS);
    policy.session = 3;
    policy.least_version = 5;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_OK);
    s.session = 2;
    s.version = 4;
    s.event = SNT_EVENT_RECEIVE;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_SESSION);
    assert_int_equal(why.reasons, SNT_REFUSED_SESSION | SNT_REFUSED_VERSION | SNT_REFUSED_EVENT);
    s.session = 3;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_VERSION);
    s.version = 5;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_INCOMPATIBLE);
    policy.refused_events = 0;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_OK);
    /* step 2 */
    s.flags &= ~(uint32_t)SNT_TIME_BOUND_LO;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_UNCERTAIN);
    assert_true(why.reasons & SNT_REFUSED_NO_BOUND);
    assert_i64_equal(why.age_hi_ns, SNT_UNKNOWN);
    s.flags |= SNT_TIME_BOUND_LO | SNT_TIME_HOLDOVER;
    policy.forbidden_flags = SNT_TIME_HOLDOVER;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_UNCERTAIN);
    assert_int_equal(why.reasons, SNT_REFUSED_ASSUMPTION);
    policy.forbidden_flags = 0;
    /* step 3: a timestamp certainly in the future */
    snt_sample ahead = sample_at(T0 + 30 * MS, MS, MS);
    assert_status(snt_admission_check(&policy, &ahead, &now, &why), SNT_ERR_FUTURE);
    assert_i64_equal(why.age_hi_ns, -18 * MS);
    assert_int_equal(why.notes, 0);
    /* a bound of now counts as well */
    const snt_bounded_time unsure = now_at(T0 + 10 * MS, SNT_UNKNOWN);
    assert_status(snt_admission_check(&policy, &s, &unsure, &why), SNT_ERR_UNCERTAIN);
    /* another clock: there is no age at all */
    s.domain = SNT_DOMAIN_SIM;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_DOMAIN);
    assert_int_equal(why.reasons, SNT_REFUSED_DOMAIN);
    assert_true(why.age_hi_ns == SNT_UNKNOWN && why.age_lo_ns == INT64_MIN && why.age_ns == 0 &&
                why.uncertainty_ns == SNT_UNKNOWN);
    policy.domain = SNT_DOMAIN_SIM;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_DOMAIN); /* now is on unix */
    s.t1_ns = s.t0_ns - 1;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_RANGE);
    assert_int_equal(why.reasons, SNT_REFUSED_MALFORMED);
}

static void an_age_that_crosses_zero_is_reported_not_clamped(void **state)
{
    (void)state;
    snt_admission_policy policy = policy_of(40 * MS, SNT_UNKNOWN);
    const snt_sample s = sample_at(T0, 10 * MS, 10 * MS);
    const snt_bounded_time now = now_at(T0 - 3 * MS, 5 * MS);
    snt_admission_record why;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_OK);
    assert_i64_equal(why.age_ns, -3 * MS);
    assert_i64_equal(why.age_lo_ns, -18 * MS);
    assert_i64_equal(why.age_hi_ns, 12 * MS);
    assert_int_equal(why.notes, SNT_NOTE_CROSSES_ZERO);
    policy.max_uncertainty_ns = 14 * MS; /* fresh, and still too vague to fuse */
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_UNCERTAIN);
    assert_int_equal(why.reasons, SNT_REFUSED_UNCERTAIN);
    policy.max_uncertainty_ns = 15 * MS;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_OK);
}

static void only_times_of_measurement_are_admitted_unless_asked(void **state)
{
    (void)state;
    const snt_bounded_time now = now_at(T0, 0);
    snt_sample s = sample_at(T0, MS, MS), other = sample_at(T0, MS, MS);
    snt_admission_record why;
    for (uint32_t event = SNT_EVENT_UNSPECIFIED; event <= SNT_EVENT_INPUTS; event++) {
        const bool late =
            event == SNT_EVENT_TRANSFER || event == SNT_EVENT_RECEIVE || event == SNT_EVENT_PUBLISH;
        s.event = other.event = event;
        assert_status(snt_admission_check(NULL, &s, &now, &why), late ? SNT_ERR_INCOMPATIBLE : SNT_OK);
        assert_int_equal(why.reasons, late ? SNT_REFUSED_EVENT : 0);
        assert_int_equal(why.notes, SNT_NOTE_CROSSES_ZERO);
        assert_status(snt_admission_pair(&s, &other, S, NULL), late ? SNT_ERR_INCOMPATIBLE : SNT_OK);
        snt_admission_policy policy = policy_of(SNT_UNKNOWN, SNT_UNKNOWN);
        policy.refused_events = 1u << event;
        assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_INCOMPATIBLE);
        policy.refused_events = ~(1u << event);
        assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_OK);
    }
}

static void the_oldest_moment_of_a_scan_counts_unless_asked_otherwise(void **state)
{
    (void)state;
    snt_admission_policy policy = policy_of(120 * MS, SNT_UNKNOWN);
    snt_sample s = sample_at(T0, MS, MS);
    s.event = SNT_EVENT_SWEEP;
    s.t1_ns = T0 + 100 * MS;
    const snt_bounded_time now = now_at(T0 + 125 * MS, 0);
    snt_admission_record why;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_STALE);
    assert_i64_equal(why.age_ns, 125 * MS);
    policy.age_of = SNT_AT_LAST;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_OK);
    assert_i64_equal(why.age_ns, 25 * MS);
    policy.age_of = SNT_AT_MIDDLE;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_OK);
    assert_i64_equal(why.age_ns, 75 * MS);
    policy.age_of = 3;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_INVALID_ARG);
}

static void the_session_follows_the_epoch(void **state)
{
    (void)state;
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    snt_admission_policy policy = policy_of(SNT_UNKNOWN, SNT_UNKNOWN);
    policy.epoch = epoch;
    snt_sample s = sample_at(T0, MS, MS);
    const snt_bounded_time now = now_at(T0, 0);
    snt_admission_record why;
    s.session = 1;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_OK);
    assert_int_equal(why.expected_session, 1);
    snt_epoch_bump(epoch, SNT_EPOCH_DEVICE_BOOT);
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_SESSION);
    s.session = 0; /* claims no session: cannot be shown to be of this one */
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_SESSION);
    s.session = 2;
    assert_status(snt_admission_check(&policy, &s, &now, NULL), SNT_OK);
    snt_epoch_unref(epoch);
}

static void unusable_arguments_leave_no_record(void **state)
{
    (void)state;
    snt_admission_policy policy = policy_of(-1, SNT_UNKNOWN);
    const snt_sample s = sample_at(T0, MS, MS);
    snt_bounded_time now = now_at(T0, 0);
    snt_admission_record why = {.token = 99};
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_check(NULL, NULL, &now, &why), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_check(NULL, &s, NULL, &why), SNT_ERR_INVALID_ARG);
    now.lo = now.t + 1;
    assert_status(snt_admission_check(NULL, &s, &now, &why), SNT_ERR_RANGE);
    assert_status(snt_admission_refuse(SNT_OK, &s, NULL, &why), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_refuse(SNT_PENDING, NULL, NULL, &why), SNT_ERR_INVALID_ARG);
    assert_int_equal(why.token, 99);
    policy.struct_size = 4;
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_INVALID_ARG);
}

static void observations_without_a_time_are_recorded_too(void **state)
{
    (void)state;
    static const struct {
        snt_status status;
        uint32_t reason;
    } cases[] = {{SNT_PENDING, SNT_REFUSED_MAPPING},
                 {SNT_ERR_INVALID_STATE, SNT_REFUSED_MAPPING},
                 {SNT_ERR_HORIZON, SNT_REFUSED_HORIZON},
                 {SNT_ERR_DUPLICATE, SNT_REFUSED_DUPLICATE},
                 {SNT_ERR_BACKWARD, SNT_REFUSED_BACKWARD},
                 {SNT_ERR_AMBIGUOUS, SNT_REFUSED_AMBIGUOUS},
                 {SNT_ERR_RESET_SUSPECT, SNT_REFUSED_RESET},
                 {SNT_ERR_VIOLATION, SNT_REFUSED_VIOLATION},
                 {SNT_ERR_SESSION, SNT_REFUSED_SESSION},
                 {SNT_ERR_VERSION, SNT_REFUSED_VERSION},
                 {SNT_ERR_DOMAIN, SNT_REFUSED_DOMAIN},
                 {SNT_ERR_STALE, SNT_REFUSED_STALE},
                 {SNT_ERR_FUTURE, SNT_REFUSED_FUTURE},
                 {SNT_ERR_UNCERTAIN, SNT_REFUSED_NO_BOUND},
                 {SNT_BUSY, SNT_REFUSED_OTHER}};
    snt_sample s;
    char text[SNT_ADMISSION_TEXT_SIZE];
    snt_sample_init(&s, 0, SNT_DOMAIN_UNIX, 12);
    s.receive_ns = T0;
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        const snt_bounded_time now = now_at(T0, MS);
        snt_admission_record why, again;
        assert_status(snt_admission_refuse(cases[i].status, &s, &now, &why), SNT_OK);
        assert_int_equal(why.reasons, cases[i].reason);
        assert_int_equal(why.status, cases[i].status);
        assert_int_equal(why.notes, SNT_NOTE_NO_TIME);
        assert_i64_equal(why.receive_ns, T0);
        assert_i64_equal(why.now_ns, T0);
        assert_status(snt_admission_redo(&why, &again), SNT_OK);
        assert_memory_equal(&why, &again, sizeof why);
        assert_status(snt_admission_format_text(&why, text, sizeof text), SNT_OK);
        assert_non_null(strstr(text, snt_status_text(cases[i].status)));
        why.reasons ^= 1;
        assert_status(snt_admission_redo(&why, &again), SNT_ERR_FORMAT);
    }
}

static void every_reason_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(snt_admission_reason_name(0), "ADMITTED");
    assert_string_equal(snt_admission_reason_name(SNT_REFUSED_MAYBE_STALE), "MAYBE_STALE");
    assert_string_equal(snt_admission_reason_name(SNT_REFUSED_OTHER), "OTHER");
    assert_string_equal(snt_admission_reason_name(SNT_REFUSED_MALFORMED), "MALFORMED");
    assert_string_equal(snt_admission_reason_name(SNT_REFUSED_RESET), "RESET");
    assert_string_equal(snt_admission_reason_name(3), "UNKNOWN");
    assert_string_equal(snt_admission_reason_name(SNT_REFUSED_OTHER << 1), "UNKNOWN");
}

/* ---- text ---- */

static void the_longest_record_fits_its_buffer(void **state)
{
    (void)state;
    snt_admission_record r;
    char text[SNT_ADMISSION_TEXT_SIZE], small[8] = "x";
    memset(&r, 0x80, sizeof r); /* large negative times, large counts, all kinds of bits */
    r.reasons = UINT32_MAX;
    r.notes = 0;
    r.status = SNT_ERR_CLOCK_MISMATCH;
    assert_status(snt_admission_format_csv(&r, text, sizeof text), SNT_OK);
    assert_status(snt_admission_format_json(&r, text, sizeof text), SNT_OK);
    r.reasons &= ~(uint32_t)(SNT_REFUSED_MALFORMED | SNT_REFUSED_DOMAIN);
    assert_status(snt_admission_format_text(&r, text, sizeof text), SNT_OK);
    assert_status(snt_admission_format_csv_header(text, sizeof text), SNT_OK);
    assert_status(snt_admission_format_csv(&r, small, sizeof small), SNT_ERR_BUFFER_TOO_SMALL);
    assert_status(snt_admission_format_json(&r, small, sizeof small), SNT_ERR_BUFFER_TOO_SMALL);
    assert_status(snt_admission_format_text(&r, small, sizeof small), SNT_ERR_BUFFER_TOO_SMALL);
    assert_status(snt_admission_format_csv_header(small, sizeof small), SNT_ERR_BUFFER_TOO_SMALL);
    assert_memory_equal(small, "decision,why", strlen(small));
    assert_int_equal(strlen(small), sizeof small - 1);
    assert_status(snt_admission_format_csv(&r, text, sizeof text), SNT_OK);
    const size_t length = strlen(text);
    text[length + 1] = 'y'; /* what lies behind the NUL is not touched */
    assert_status(snt_admission_format_csv(&r, text, length), SNT_ERR_BUFFER_TOO_SMALL);
    assert_status(snt_admission_format_csv(&r, text, length + 1), SNT_OK);
    assert_int_equal(text[length + 1], 'y');
    assert_status(snt_admission_format_json(NULL, text, sizeof text), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_format_csv(NULL, text, sizeof text), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_format_text(&r, NULL, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_format_json(&r, NULL, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_format_csv_header(NULL, 0), SNT_ERR_INVALID_ARG);
    r = (snt_admission_record){.reasons = SNT_REFUSED_MALFORMED, .status = SNT_ERR_RANGE};
    assert_status(snt_admission_format_text(&r, text, sizeof text), SNT_OK);
    assert_string_equal(text, "refused, the sample contradicts itself");
    r = (snt_admission_record){
        .reasons = SNT_REFUSED_NO_BOUND, .age_ns = 5, .age_lo_ns = INT64_MIN, .age_hi_ns = 7};
    r.max_age_ns = SNT_UNKNOWN;
    assert_status(snt_admission_format_text(&r, text, sizeof text), SNT_OK);
    assert_string_equal(text, "refused, no bound: age 0.000000005 s");
    r.age_lo_ns = 0;
    r.age_hi_ns = SNT_UNKNOWN;
    assert_status(snt_admission_format_text(&r, text, sizeof text), SNT_OK);
    assert_string_equal(text, "refused, no bound: age 0.000000005 s");
    assert_status(snt_admission_format_text(NULL, text, sizeof text), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_format_csv(&r, NULL, 0), SNT_ERR_INVALID_ARG);
}

static void json_is_one_object_with_names(void **state)
{
    (void)state;
    const snt_admission_policy policy = policy_of(40 * MS, SNT_UNKNOWN);
    const snt_sample s = sample_at(T0, 10 * MS, 10 * MS);
    const snt_bounded_time now = now_at(T0 + 28 * MS, 5 * MS);
    snt_admission_record why;
    char text[SNT_ADMISSION_TEXT_SIZE];
    assert_status(snt_admission_check(&policy, &s, &now, &why), SNT_ERR_STALE);
    assert_status(snt_admission_format_json(&why, text, sizeof text), SNT_OK);
    assert_true(
        strncmp(text, "{\"decision\":\"SNT_ERR_STALE\",\"why\":[\"MAYBE_STALE\"],\"source\":2,\"session\":3,",
                71) == 0);
    assert_non_null(strstr(text, "\"age_hi_ns\":43000000,"));
    assert_non_null(strstr(text, "\"max_uncertainty_ns\":null,"));
    assert_non_null(strstr(text, "\"receive_ns\":null,"));
    assert_int_equal(text[strlen(text) - 1], '}');
}

/* A record from the header line and a line of values, as somebody with a spreadsheet would. */
static snt_admission_record from_csv(const char *header, const char *values)
{
    static const struct {
        const char *name;
        size_t offset, size;
    } fields[] = {
#define FIELD(name) {#name, offsetof(snt_admission_record, name), sizeof(((snt_admission_record *)0)->name)}
        FIELD(raw_counter),
        FIELD(sequence),
        FIELD(token),
        FIELD(t0_ns),
        FIELD(t1_ns),
        FIELD(err_lo_ns),
        FIELD(err_hi_ns),
        FIELD(receive_ns),
        FIELD(now_ns),
        FIELD(now_lo_ns),
        FIELD(now_hi_ns),
        FIELD(max_age_ns),
        FIELD(max_uncertainty_ns),
        FIELD(age_ns),
        FIELD(age_lo_ns),
        FIELD(age_hi_ns),
        FIELD(uncertainty_ns),
        FIELD(source),
        FIELD(event),
        FIELD(domain),
        FIELD(session),
        FIELD(version),
        FIELD(flags),
        FIELD(receive_domain),
        FIELD(now_domain),
        FIELD(now_flags),
        FIELD(expected_domain),
        FIELD(expected_session),
        FIELD(least_version),
        FIELD(forbidden_flags),
        FIELD(refused_events),
        FIELD(age_of),
        FIELD(notes),
        FIELD(reasons),
        FIELD(status),
#undef FIELD
    };
    snt_admission_record r = {0};
    size_t seen = 0;
    while (*header) {
        const size_t name = strcspn(header, ","), value = strcspn(values, ",");
        for (size_t i = 0; i < SNT_COUNT_OF(fields); i++) {
            if (strlen(fields[i].name) != name || strncmp(fields[i].name, header, name) != 0)
                continue;
            const uint64_t number =
                value ? (*values == '-' ? (uint64_t)strtoll(values, NULL, 10) : strtoull(values, NULL, 10))
                      : (uint64_t)SNT_UNKNOWN;
            const uint32_t narrow = (uint32_t)number;
            memcpy((char *)&r + fields[i].offset,
                   fields[i].size == 8 ? (const void *)&number : (const void *)&narrow, fields[i].size);
            seen++;
        }
        header += name + (header[name] == ',');
        values += value + (values[value] == ',');
    }
    assert_int_equal(seen, SNT_COUNT_OF(fields));
    assert_int_equal(*values, 0);
    return r;
}

/*
 * A fault, replayed from its evidence. A camera with a µs counter is mapped by cross-stamps; its load spikes, it restarts in
 * the middle, one frame of the old session arrives late, then it warms up again. Afterwards every decision is made again
 * from the CSV alone, and every mapped stamp from the raw counter and the mapping version of the time.
 */
enum { FRAMES = 600, REBOOT = 300 };

static void every_decision_of_a_fault_can_be_rebuilt_from_its_record(void **state)
{
    (void)state;
    snt_epoch *epoch;
    snt_clock_map *map;
    snt_admission_log *log;
    snt_clock_map_config cfg;
    snt_clock_map_config_init(&cfg, sizeof cfg);
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    cfg.epoch = epoch;
    cfg.versions = 4096;
    cfg.device_quantum_ns = 1000;
    assert_status(snt_clock_map_create(&cfg, NULL, &map), SNT_OK);
    assert_status(snt_admission_log_create(FRAMES + 1, NULL, &log), SNT_OK);
    snt_admission_policy policy = policy_of(40 * MS, 5 * MS);
    policy.domain = SNT_DOMAIN_STEADY;
    policy.epoch = epoch;
    snt_sample in_flight = {0};
    snt_time truth[FRAMES + 1];
    uint64_t raw_in_flight = 0;
    long mapped = 0, refused_without_time = 0;
    for (int i = 0; i < FRAMES; i++) {
        const snt_time t = 1000 * S + i * 10 * MS; /* exposure, host time */
        const snt_time booted = i < REBOOT ? 900 * S : 1000 * S + (REBOOT - 2) * 10 * MS;
        const int64_t age_of_device = t - booted;
        const uint64_t raw =
            (uint64_t)((age_of_device + age_of_device / 50000) / 1000); /* 20 ppm fast, in µs */
        if (i == REBOOT) { /* the driver saw the counter restart */
            assert_status(snt_clock_map_invalidate(map, SNT_EPOCH_DEVICE_BOOT), SNT_OK);
        } else if (i == REBOOT + 20) {
            assert_status(snt_clock_map_restart(map, SNT_EPOCH_DEVICE_BOOT, NULL), SNT_OK);
        }
        if (i % 5 == 0 && !(i >= REBOOT && i < REBOOT + 20))
            assert_status(
                snt_clock_map_observe_cross(map, 0, t - 50000, (int64_t)raw * 1000, t + 50000, NULL), SNT_OK);
        const snt_duration load = i % 37 == 0 ? 60 * MS : i % 11 == 0 ? 38 * MS : 8 * MS;
        snt_bounded_time now, at;
        assert_status(snt_bounded_time_init(t + load, 10000, 10000, SNT_DOMAIN_STEADY, 0, &now), SNT_OK);
        snt_sample s;
        snt_admission_record why;
        snt_sample_init(&s, 0, SNT_DOMAIN_STEADY, (uint64_t)i);
        s.sequence = (uint64_t)i + 1;
        s.source = 4;
        s.receive_ns = t + load - MS;
        const snt_status status = snt_clock_map_to_host(map, (int64_t)raw * 1000, &at);
        if (status == SNT_OK) {
            assert_status(snt_sample_set_times(&s, &at, NULL, SNT_EVENT_EXPOSURE_MID), SNT_OK);
            snt_admission_check(&policy, &s, &now, &why);
            mapped++;
        } else {
            assert_status(snt_admission_refuse(status, &s, &now, &why), SNT_OK);
            refused_without_time++;
        }
        if (i == REBOOT - 1) {
            in_flight = s;
            raw_in_flight = raw;
        }
        truth[i] = t;
        why.raw_counter = raw;
        why.token |= UINT64_C(0xf000000000000000); /* a pointer of the caller's: all 64 bits count */
        why.notes |= SNT_NOTE_RAW_COUNTER;
        assert_status(snt_admission_log_push(log, &why), SNT_OK);
    }
    assert_true(mapped > FRAMES / 2 && refused_without_time >= 20);
    snt_admission_record
        late; /* the frame that was in flight during the restart: fresh by its age, and refused */
    const snt_bounded_time soon = {.t = in_flight.t0_ns + 5 * MS,
                                   .lo = in_flight.t0_ns + 4 * MS,
                                   .hi = in_flight.t0_ns + 6 * MS,
                                   .domain = SNT_DOMAIN_STEADY,
                                   .flags = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI};
    assert_status(snt_admission_check(&policy, &in_flight, &soon, &late), SNT_ERR_SESSION);
    late.raw_counter = raw_in_flight;
    late.token = FRAMES;
    truth[FRAMES] = truth[REBOOT - 1];
    assert_status(snt_admission_log_push(log, &late), SNT_OK);

    char header[SNT_ADMISSION_TEXT_SIZE], line[SNT_ADMISSION_TEXT_SIZE];
    assert_status(snt_admission_format_csv_header(header, sizeof header), SNT_OK);
    snt_admission_counts counts;
    assert_status(snt_admission_log_counts(log, &counts), SNT_OK);
    assert_int_equal(counts.end, FRAMES + 1);
    assert_int_equal(counts.admitted + counts.refused, counts.end);
    assert_true(counts.admitted > FRAMES / 2 && counts.refused > 40);
    uint32_t all_reasons = 0;
    for (uint64_t n = counts.first; n < counts.end; n++) {
        snt_admission_record r, read, again;
        assert_status(snt_admission_log_get(log, n, &r), SNT_OK);
        assert_status(snt_admission_format_csv(&r, line, sizeof line), SNT_OK);
        read = from_csv(header, line);
        assert_memory_equal(&read, &r, sizeof r);
        snt_admission_record inputs = read; /* with the outcome wiped out, it comes back */
        if (!(read.notes & SNT_NOTE_NO_TIME)) {
            inputs.reasons = UINT32_MAX;
            inputs.status = 77;
            inputs.age_ns = inputs.age_lo_ns = inputs.age_hi_ns = inputs.uncertainty_ns = 5;
        }
        assert_status(snt_admission_redo(&inputs, &again), SNT_OK);
        assert_memory_equal(&again, &r, sizeof r);
        all_reasons |= r.reasons;
        if (r.notes & SNT_NOTE_NO_TIME)
            continue;
        snt_bounded_time at; /* the mapped stamp, from what was believed then */
        assert_status(snt_clock_map_to_host_at(map, r.version, (int64_t)r.raw_counter * 1000, &at), SNT_OK);
        assert_i64_equal(at.t, r.t0_ns);
        assert_i64_equal(at.t - at.lo, r.err_lo_ns);
        assert_i64_equal(at.hi - at.t, r.err_hi_ns);
        /* and what was admitted was really fresh */
        const snt_duration real_age = r.now_ns - truth[r.token & 0xffff];
        assert_true(r.age_lo_ns <= real_age + 10000 && real_age - 10000 <= r.age_hi_ns);
        assert_true(r.reasons || real_age <= r.max_age_ns);
    }
    assert_true(all_reasons & SNT_REFUSED_STALE);
    assert_true(all_reasons & SNT_REFUSED_MAPPING);
    assert_true(all_reasons & SNT_REFUSED_SESSION);
    snt_admission_log_destroy(log);
    snt_clock_map_destroy(map);
    snt_epoch_unref(epoch);
}

static void a_damaged_record_is_not_decided(void **state)
{
    (void)state;
    const snt_sample s = sample_at(T0, MS, MS);
    const snt_bounded_time now = now_at(T0, 0);
    snt_admission_record r, broken, out = {.token = 5};
    assert_status(snt_admission_check(NULL, &s, &now, &r), SNT_OK);
    broken = r;
    broken.now_lo_ns = broken.now_hi_ns + 1;
    assert_status(snt_admission_redo(&broken, &out), SNT_ERR_FORMAT);
    broken = r;
    broken.age_of = 7;
    assert_status(snt_admission_redo(&broken, &out), SNT_ERR_FORMAT);
    broken = r;
    broken.max_age_ns = -1;
    assert_status(snt_admission_redo(&broken, &out), SNT_ERR_FORMAT);
    assert_status(snt_admission_redo(NULL, &out), SNT_ERR_INVALID_ARG);
    assert_int_equal(out.token, 5);
    broken = r;
    broken.event = 4000; /* decided, as what it is */
    assert_status(snt_admission_redo(&broken, &out), SNT_OK);
    assert_int_equal(out.reasons, SNT_REFUSED_MALFORMED);
}

/* ---- pairs ---- */

static void two_fresh_observations_can_still_be_badly_aligned(void **state)
{
    (void)state;
    const snt_sample a = sample_at(T0, 4 * MS, 4 * MS);
    snt_sample b = sample_at(T0 + 10 * MS, 3 * MS, 3 * MS);
    b.source = 9;
    b.session = 8;
    snt_pair_separation pair;
    assert_status(snt_admission_pair(&a, &b, 17 * MS, &pair), SNT_OK);
    assert_i64_equal(pair.estimate_ns, 10 * MS);
    assert_i64_equal(pair.greatest_ns, 17 * MS); /* |ta − tb| + ua + ub */
    assert_i64_equal(pair.least_ns, 3 * MS);
    assert_status(snt_admission_pair(&b, &a, 17 * MS - 1, &pair), SNT_ERR_UNCERTAIN);
    assert_status(snt_admission_pair(&a, &b, 3 * MS, &pair), SNT_ERR_UNCERTAIN);
    assert_status(snt_admission_pair(&a, &b, 3 * MS - 1, &pair), SNT_ERR_GAP);
    assert_int_equal(pair.status, SNT_ERR_GAP);
    assert_status(snt_admission_pair(&a, &b, SNT_UNKNOWN, NULL), SNT_OK);
    b.flags &= ~(uint32_t)SNT_TIME_BOUND_HI;
    assert_status(snt_admission_pair(&a, &b, 100 * S, &pair), SNT_ERR_UNCERTAIN);
    assert_i64_equal(pair.greatest_ns, SNT_UNKNOWN);
    b.source = a.source;
    assert_status(snt_admission_pair(&a, &b, S, &pair), SNT_ERR_SESSION);
    b.session = a.session;
    b.domain = SNT_DOMAIN_TAI;
    assert_status(snt_admission_pair(&a, &b, S, &pair), SNT_ERR_DOMAIN);
    assert_status(snt_admission_pair(&a, &a, -1, &pair), SNT_ERR_RANGE);
    assert_status(snt_admission_pair(&a, NULL, S, &pair), SNT_ERR_INVALID_ARG);
}

static void an_exposure_midpoint_and_a_scan_start_are_not_interchangeable(void **state)
{
    (void)state;
    snt_sample image = sample_at(T0, MS, MS), scan = sample_at(T0 + 2 * MS, MS, MS);
    snt_pair_separation pair = {.estimate_ns = 5};
    scan.source = 9;
    image.event = SNT_EVENT_EXPOSURE_MID;
    scan.event = SNT_EVENT_SWEEP_START;
    assert_status(snt_admission_pair(&image, &scan, S, &pair), SNT_ERR_INCOMPATIBLE);
    assert_i64_equal(pair.estimate_ns, 5);
    /* the same moment of two of a kind is fine, a whole acquisition against a part of one is not */
    scan.event = SNT_EVENT_EXPOSURE_MID;
    assert_status(snt_admission_pair(&image, &scan, S, &pair), SNT_OK);
    scan.event = SNT_EVENT_INSTANT;
    assert_status(snt_admission_pair(&image, &scan, S, &pair), SNT_ERR_INCOMPATIBLE);
    /* with their intervals the answer covers all of both: 10 ms exposure, 100 ms scan */
    image.event = SNT_EVENT_EXPOSURE;
    image.t0_ns = T0 - 5 * MS;
    image.t1_ns = T0 + 5 * MS;
    scan.event = SNT_EVENT_SWEEP;
    scan.t1_ns = T0 + 102 * MS;
    assert_status(snt_admission_pair(&image, &scan, S, &pair), SNT_OK);
    assert_i64_equal(pair.estimate_ns, 52 * MS);
    assert_i64_equal(pair.greatest_ns,
                     109 * MS); /* first row of the image, last ray of the scan, and both bounds */
    assert_i64_equal(pair.least_ns, 0);
    assert_status(snt_admission_pair(&scan, &image, S, &pair), SNT_OK);
    assert_true(pair.estimate_ns == 52 * MS && pair.greatest_ns == 109 * MS && pair.least_ns == 0);
    scan.t0_ns += 20 * MS; /* 22 ms − 5 ms − two bounds */
    scan.t1_ns += 20 * MS;
    assert_status(snt_admission_pair(&scan, &image, S, &pair), SNT_OK);
    assert_i64_equal(pair.least_ns, 15 * MS);
    assert_status(snt_admission_pair(&image, &scan, S, &pair), SNT_OK);
    assert_i64_equal(pair.least_ns, 15 * MS);
    /* two times of receipt say nothing about the acquisitions */
    image = scan = sample_at(T0, MS, MS);
    image.event = scan.event = SNT_EVENT_RECEIVE;
    assert_status(snt_admission_pair(&image, &scan, S, &pair), SNT_ERR_INCOMPATIBLE);
}

/* ---- the ring ---- */

static void the_ring_keeps_the_last_and_counts_all(void **state)
{
    (void)state;
    snt_admission_log *log;
    snt_admission_counts counts;
    snt_admission_record r = {.source = 1, .session = 1}, out;
    uint64_t one, many;
    assert_status(snt_admission_log_size(1, &one), SNT_OK);
    assert_status(snt_admission_log_size(1001, &many), SNT_OK);
    assert_int_equal(many - one, 1000 * sizeof(snt_admission_record));
    assert_status(snt_admission_log_size(0, &one), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_log_create(3, NULL, &log), SNT_OK);
    assert_status(snt_admission_log_get(log, 0, &out), SNT_ERR_NOT_FOUND);
    assert_status(snt_admission_log_find(log, 0, 0, 0, &out), SNT_ERR_NOT_FOUND);
    assert_status(snt_admission_log_counts(log, &counts), SNT_OK);
    assert_true(counts.first == 0 && counts.end == 0);
    for (uint64_t i = 0; i < 5; i++) {
        r.sequence = i / 2;
        r.token = i;
        r.reasons = i % 2 ? SNT_REFUSED_STALE : 0;
        assert_status(snt_admission_log_push(log, &r), SNT_OK);
    }
    assert_status(snt_admission_log_counts(log, &counts), SNT_OK);
    assert_true(counts.first == 2 && counts.end == 5 && counts.admitted == 3 && counts.refused == 2);
    assert_status(snt_admission_log_get(log, 1, &out), SNT_ERR_NOT_FOUND);
    assert_status(snt_admission_log_get(log, 5, &out), SNT_ERR_NOT_FOUND);
    assert_status(snt_admission_log_get(log, 2, &out), SNT_OK);
    assert_int_equal(out.token, 2);
    assert_status(snt_admission_log_find(log, 1, 1, 1, &out), SNT_OK);
    assert_int_equal(out.token, 3); /* the newer of two */
    assert_status(snt_admission_log_find(log, 1, 1, 2, &out), SNT_OK);
    assert_int_equal(out.token, 4);
    r.sequence = 9;
    assert_status(snt_admission_log_push(log, &r), SNT_OK);
    assert_status(snt_admission_log_find(log, 1, 1, 1, &out), SNT_OK); /* the oldest one kept */
    assert_int_equal(out.token, 3);
    assert_status(snt_admission_log_get(log, 0, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_log_find(log, 1, 1, 1, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_log_counts(log, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_log_find(log, 1, 2, 1, &out), SNT_ERR_NOT_FOUND);
    assert_status(snt_admission_log_find(log, 1, 1, 0, &out), SNT_ERR_NOT_FOUND);
    assert_status(snt_admission_log_push(log, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_log_counts(NULL, &counts), SNT_ERR_INVALID_ARG);
    snt_admission_log_destroy(log);
    snt_admission_log_destroy(NULL);
    assert_status(snt_admission_log_create(0, NULL, &log), SNT_ERR_INVALID_ARG);
    assert_null(log);
    assert_status(snt_admission_log_create((1u << 20) + 1, NULL, &log), SNT_ERR_INVALID_ARG);
    assert_status(snt_admission_log_size(1u << 20, &many), SNT_OK);
    assert_status(snt_admission_log_create(1, NULL, &log), SNT_OK);
    assert_status(snt_admission_log_push(log, &r), SNT_OK);
    assert_status(snt_admission_log_push(log, &r), SNT_OK);
    assert_status(snt_admission_log_counts(log, &counts), SNT_OK);
    assert_true(counts.first == 1 && counts.end == 2);
    snt_admission_log_destroy(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_observation_that_may_be_too_old_is_refused),
        cmocka_unit_test(the_four_steps_are_taken_in_order_and_all_reasons_collected),
        cmocka_unit_test(an_age_that_crosses_zero_is_reported_not_clamped),
        cmocka_unit_test(only_times_of_measurement_are_admitted_unless_asked),
        cmocka_unit_test(the_oldest_moment_of_a_scan_counts_unless_asked_otherwise),
        cmocka_unit_test(the_session_follows_the_epoch),
        cmocka_unit_test(unusable_arguments_leave_no_record),
        cmocka_unit_test(observations_without_a_time_are_recorded_too),
        cmocka_unit_test(every_reason_has_a_name),
        cmocka_unit_test(the_longest_record_fits_its_buffer),
        cmocka_unit_test(json_is_one_object_with_names),
        cmocka_unit_test(every_decision_of_a_fault_can_be_rebuilt_from_its_record),
        cmocka_unit_test(a_damaged_record_is_not_decided),
        cmocka_unit_test(two_fresh_observations_can_still_be_badly_aligned),
        cmocka_unit_test(an_exposure_midpoint_and_a_scan_start_are_not_interchangeable),
        cmocka_unit_test(the_ring_keeps_the_last_and_counts_all),
    };
    return cmocka_run_group_tests_name("admission", tests, NULL, NULL);
}
