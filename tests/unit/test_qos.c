/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <stdbool.h>

static snt_qos_profile preset(uint32_t which)
{
    snt_qos_profile profile;
    assert_status(snt_qos_preset(which, &profile), SNT_OK);
    return profile;
}

/* The compatibility table of the article on sensor topics, row by row, and the rows it leaves out. */
static void the_table_of_the_article_holds(void **state)
{
    (void)state;
    static const struct {
        uint32_t offered_r, offered_d, requested_r, requested_d;
        snt_status status;
        uint32_t error;
    } rows[] = {
        {SNT_QOS_RELIABLE, SNT_QOS_VOLATILE, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE, SNT_OK, 0},
        {SNT_QOS_RELIABLE, SNT_QOS_VOLATILE, SNT_QOS_BEST_EFFORT, SNT_QOS_VOLATILE, SNT_OK, 0},
        {SNT_QOS_BEST_EFFORT, SNT_QOS_VOLATILE, SNT_QOS_BEST_EFFORT, SNT_QOS_VOLATILE, SNT_OK, 0},
        {SNT_QOS_BEST_EFFORT, SNT_QOS_VOLATILE, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE, SNT_ERR_INCOMPATIBLE,
         SNT_QOS_RELIABILITY_MISMATCH},
        {SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT_LOCAL, SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT_LOCAL, SNT_OK, 0},
        {SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT_LOCAL, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE, SNT_OK, 0},
        {SNT_QOS_RELIABLE, SNT_QOS_VOLATILE, SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT_LOCAL, SNT_ERR_INCOMPATIBLE,
         SNT_QOS_DURABILITY_MISMATCH},
        {SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT_LOCAL, SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT, SNT_ERR_INCOMPATIBLE,
         SNT_QOS_DURABILITY_MISMATCH},
        {SNT_QOS_RELIABLE, SNT_QOS_PERSISTENT, SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT, SNT_OK, 0},
        {SNT_QOS_BEST_EFFORT, SNT_QOS_VOLATILE, SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT_LOCAL,
         SNT_ERR_INCOMPATIBLE, SNT_QOS_RELIABILITY_MISMATCH | SNT_QOS_DURABILITY_MISMATCH},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snt_qos_profile o = preset(SNT_QOS_PRESET_DEFAULT), r = o;
        o.reliability = rows[i].offered_r;
        o.durability = rows[i].offered_d;
        r.reliability = rows[i].requested_r;
        r.durability = rows[i].requested_d;
        snt_qos_verdict verdict;
        assert_status(snt_qos_check(&o, &r, &verdict), rows[i].status);
        assert_int_equal(verdict.errors, rows[i].error);
        assert_int_equal(verdict.undecided, 0);
    }
}

/* Example 4: the lidar driver offers the sensor profile, the node asks for the default. */
static void a_default_subscription_gets_nothing_from_a_sensor_publisher(void **state)
{
    (void)state;
    const snt_qos_profile scan = preset(SNT_QOS_PRESET_SENSOR_DATA), node = preset(SNT_QOS_PRESET_DEFAULT);
    snt_qos_verdict verdict;
    assert_status(snt_qos_check(&scan, &node, &verdict), SNT_ERR_INCOMPATIBLE);
    assert_int_equal(verdict.errors, SNT_QOS_RELIABILITY_MISMATCH);
    char text[512];
    snt_qos_verdict_format(&verdict, text, sizeof text);
    assert_non_null(strstr(text, "they do not connect\nerror: reliability: "));
    assert_non_null(strstr(text, "sensor data profile"));
    /* the fix, and the command line tool whose profile adapts */
    assert_status(snt_qos_check(&scan, &scan, &verdict), SNT_OK);
    const snt_qos_profile tool = preset(SNT_QOS_PRESET_BEST_AVAILABLE);
    assert_status(snt_qos_check(&scan, &tool, &verdict), SNT_OK);
    assert_int_equal(verdict.requested.reliability, SNT_QOS_BEST_EFFORT);
    assert_int_equal(verdict.warnings, SNT_QOS_ADAPTS_ONCE);
}

/* Example 5: the map is published once; a viewer that starts later and asks for volatile sees nothing. */
static void a_late_volatile_subscription_misses_the_map(void **state)
{
    (void)state;
    const snt_qos_profile map = preset(SNT_QOS_PRESET_LATCHED_MAP);
    snt_qos_profile viewer = preset(SNT_QOS_PRESET_DEFAULT);
    snt_qos_verdict verdict;
    assert_status(snt_qos_check(&map, &viewer, &verdict), SNT_OK);
    assert_true(verdict.warnings & SNT_QOS_LATE_JOINER);
    viewer.durability = SNT_QOS_TRANSIENT_LOCAL;
    viewer.depth = 1;
    assert_status(snt_qos_check(&map, &viewer, &verdict), SNT_OK);
    assert_int_equal(verdict.warnings, 0);
    viewer.depth = 10; /* asks for more history than there is */
    assert_status(snt_qos_check(&map, &viewer, &verdict), SNT_OK);
    assert_int_equal(verdict.warnings, SNT_QOS_SHALLOW_HISTORY);
}

static void deadlines_and_leases_must_be_promised_as_short_as_asked(void **state)
{
    (void)state;
    static const struct {
        int64_t offered, requested;
        bool fits;
    } rows[] = {
        {0, 0, true},
        {0, 100, false},
        {100, 0, true},
        {100, 100, true},
        {99, 100, true},
        {101, 100, false},
        {INT64_MAX, 5, false},
        {5, INT64_MAX, true},
        {SNT_QOS_DURATION_BEST_AVAILABLE, 7, true},
        {9, SNT_QOS_DURATION_BEST_AVAILABLE, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snt_qos_profile o = preset(SNT_QOS_PRESET_DEFAULT), r = o;
        snt_qos_verdict verdict;
        o.deadline_ns = rows[i].offered;
        r.deadline_ns = rows[i].requested;
        assert_status(snt_qos_check(&o, &r, &verdict), rows[i].fits ? SNT_OK : SNT_ERR_INCOMPATIBLE);
        assert_int_equal(verdict.errors, rows[i].fits ? 0 : SNT_QOS_DEADLINE_MISMATCH);
        o = r = preset(SNT_QOS_PRESET_DEFAULT);
        o.lease_ns = rows[i].offered;
        r.lease_ns = rows[i].requested;
        assert_status(snt_qos_check(&o, &r, &verdict), rows[i].fits ? SNT_OK : SNT_ERR_INCOMPATIBLE);
        assert_int_equal(verdict.errors, rows[i].fits ? 0 : SNT_QOS_LEASE_MISMATCH);
    }
}

static void liveliness_kinds_are_ordered(void **state)
{
    (void)state;
    for (uint32_t offered = SNT_QOS_AUTOMATIC; offered <= SNT_QOS_MANUAL_BY_TOPIC; offered++)
        for (uint32_t requested = SNT_QOS_AUTOMATIC; requested <= SNT_QOS_MANUAL_BY_TOPIC; requested++) {
            snt_qos_profile o = preset(SNT_QOS_PRESET_DEFAULT), r = o;
            o.liveliness = offered;
            r.liveliness = requested;
            snt_qos_verdict verdict;
            assert_status(snt_qos_check(&o, &r, &verdict),
                          offered >= requested ? SNT_OK : SNT_ERR_INCOMPATIBLE);
            assert_int_equal(verdict.errors, offered >= requested ? 0 : SNT_QOS_LIVELINESS_MISMATCH);
        }
}

static void a_system_default_leaves_open_only_what_it_can_change(void **state)
{
    (void)state;
    const snt_qos_profile system = preset(SNT_QOS_PRESET_SYSTEM_DEFAULT);
    snt_qos_profile other = preset(SNT_QOS_PRESET_SENSOR_DATA);
    snt_qos_verdict verdict;
    /* best effort, volatile, automatic is satisfied by whatever the offer becomes */
    assert_status(snt_qos_check(&system, &other, &verdict), SNT_OK);
    /* but it does not satisfy whatever the request becomes */
    assert_status(snt_qos_check(&other, &system, &verdict), SNT_ERR_AMBIGUOUS);
    assert_int_equal(verdict.undecided, SNT_QOS_RELIABILITY_UNDECIDED | SNT_QOS_DURABILITY_UNDECIDED |
                                            SNT_QOS_LIVELINESS_UNDECIDED);
    other.reliability = SNT_QOS_RELIABLE;
    assert_status(snt_qos_check(&system, &other, &verdict), SNT_ERR_AMBIGUOUS);
    assert_int_equal(verdict.undecided, SNT_QOS_RELIABILITY_UNDECIDED);
    /* a certain mismatch outweighs an open question */
    other.durability = SNT_QOS_TRANSIENT_LOCAL;
    snt_qos_profile offer = system;
    offer.durability = SNT_QOS_VOLATILE;
    assert_status(snt_qos_check(&offer, &other, &verdict), SNT_ERR_INCOMPATIBLE);
}

static void lifespan_and_history_never_prevent_a_connection_but_warn(void **state)
{
    (void)state;
    snt_qos_profile o = preset(SNT_QOS_PRESET_LATCHED_MAP), r = o;
    o.lifespan_ns = SNT_NS_PER_S;
    snt_qos_verdict verdict;
    assert_status(snt_qos_check(&o, &r, &verdict), SNT_OK);
    assert_int_equal(verdict.warnings, SNT_QOS_LIFESPAN_LATE_JOINER);
    o = r = preset(SNT_QOS_PRESET_DEFAULT);
    o.history = SNT_QOS_KEEP_ALL;
    assert_status(snt_qos_check(&o, &r, &verdict), SNT_OK);
    assert_int_equal(verdict.warnings, SNT_QOS_KEEP_ALL_BACKPRESSURE);
    o = r = preset(SNT_QOS_PRESET_DEFAULT);
    o.deadline_ns = 100;
    o.lifespan_ns = 50;
    assert_status(snt_qos_check(&o, &r, &verdict), SNT_OK);
    assert_int_equal(verdict.warnings, SNT_QOS_LIFESPAN_DEADLINE);
}

static void presets_are_those_of_rep_2003_and_rmw(void **state)
{
    (void)state;
    static const struct {
        uint32_t preset, depth, reliability, durability;
    } rows[] = {
        {SNT_QOS_PRESET_DEFAULT, 10, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE},
        {SNT_QOS_PRESET_SENSOR_DATA, 5, SNT_QOS_BEST_EFFORT, SNT_QOS_VOLATILE},
        {SNT_QOS_PRESET_SERVICES, 10, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE},
        {SNT_QOS_PRESET_PARAMETERS, 1000, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE},
        {SNT_QOS_PRESET_PARAMETER_EVENTS, 1000, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE},
        {SNT_QOS_PRESET_LATCHED_MAP, 1, SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT_LOCAL},
        {SNT_QOS_PRESET_STATIC_TF, 1, SNT_QOS_RELIABLE, SNT_QOS_TRANSIENT_LOCAL},
        {SNT_QOS_PRESET_TF, 100, SNT_QOS_RELIABLE, SNT_QOS_VOLATILE},
        {SNT_QOS_PRESET_CLOCK, 1, SNT_QOS_BEST_EFFORT, SNT_QOS_VOLATILE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const snt_qos_profile p = preset(rows[i].preset);
        assert_int_equal(p.history, SNT_QOS_KEEP_LAST);
        assert_int_equal(p.depth, rows[i].depth);
        assert_int_equal(p.reliability, rows[i].reliability);
        assert_int_equal(p.durability, rows[i].durability);
    }
    for (uint32_t i = 0; i < SNT_QOS_PRESET_COUNT; i++) {
        const snt_qos_profile p = preset(i);
        snt_qos_verdict verdict;
        const snt_status status = snt_qos_check(&p, &p, &verdict);
        assert_true(status == SNT_OK || i == SNT_QOS_PRESET_SYSTEM_DEFAULT);
        assert_true(strlen(snt_qos_preset_use(i)) > 0);
    }
    snt_qos_profile untouched = {.depth = 77};
    assert_status(snt_qos_preset(SNT_QOS_PRESET_COUNT, &untouched), SNT_ERR_NOT_FOUND);
    assert_int_equal(untouched.depth, 77);
    assert_string_equal(snt_qos_preset_use(SNT_QOS_PRESET_COUNT), "");
}

static void nonsense_is_refused_and_leaves_the_verdict_alone(void **state)
{
    (void)state;
    const snt_qos_profile good = preset(SNT_QOS_PRESET_DEFAULT);
    const snt_qos_profile bad[] = {
        {.reliability = 5}, {.durability = 5},   {.durability = 63},  {.durability = 66},      {.history = 4},
        {.liveliness = 6},  {.deadline_ns = -1}, {.lifespan_ns = -1}, {.lease_ns = INT64_MIN},
    };
    snt_qos_verdict verdict, before;
    memset(&verdict, 0x5a, sizeof verdict);
    before = verdict;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_status(snt_qos_check(&bad[i], &good, &verdict), SNT_ERR_RANGE);
        assert_status(snt_qos_check(&good, &bad[i], &verdict), SNT_ERR_RANGE);
    }
    assert_status(snt_qos_check(NULL, &good, &verdict), SNT_ERR_INVALID_ARG);
    assert_status(snt_qos_check(&good, NULL, &verdict), SNT_ERR_INVALID_ARG);
    assert_memory_equal(&verdict, &before, sizeof verdict);
    assert_status(snt_qos_check(&good, &good, NULL), SNT_OK);
    char text[64];
    assert_status(snt_qos_profile_format(NULL, text, sizeof text), SNT_ERR_INVALID_ARG);
    assert_status(snt_qos_profile_format(&bad[0], text, sizeof text), SNT_OK);
    assert_string_equal(text, "not a valid profile");
}

static void profiles_are_said_in_words_and_cut_to_fit(void **state)
{
    (void)state;
    snt_qos_profile p = preset(SNT_QOS_PRESET_SENSOR_DATA);
    char text[128];
    snt_qos_profile_format(&p, text, sizeof text);
    assert_string_equal(text, "best effort, volatile, keep last 5");
    p.deadline_ns = 100 * SNT_NS_PER_MS;
    p.durability = SNT_QOS_PERSISTENT;
    p.liveliness = SNT_QOS_MANUAL_BY_TOPIC;
    snt_qos_profile_format(&p, text, sizeof text);
    assert_string_equal(text, "best effort, persistent, keep last 5, manual by topic, deadline 100.000 ms");
    const size_t whole = strlen(text);
    for (size_t size = 0; size <= whole + 1; size++) {
        char cut[128];
        memset(cut, '#', sizeof cut);
        assert_status(snt_qos_profile_format(&p, cut, size),
                      size > whole ? SNT_OK : SNT_ERR_BUFFER_TOO_SMALL);
        if (size) {
            assert_int_equal(strlen(cut), size - 1 < whole ? size - 1 : whole);
            assert_memory_equal(cut, text, strlen(cut));
        }
        assert_int_equal(cut[size], '#');
    }
    assert_status(snt_qos_profile_format(&p, NULL, 0), SNT_ERR_INVALID_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_the_article_holds),
        cmocka_unit_test(a_default_subscription_gets_nothing_from_a_sensor_publisher),
        cmocka_unit_test(a_late_volatile_subscription_misses_the_map),
        cmocka_unit_test(deadlines_and_leases_must_be_promised_as_short_as_asked),
        cmocka_unit_test(liveliness_kinds_are_ordered),
        cmocka_unit_test(a_system_default_leaves_open_only_what_it_can_change),
        cmocka_unit_test(lifespan_and_history_never_prevent_a_connection_but_warn),
        cmocka_unit_test(presets_are_those_of_rep_2003_and_rmw),
        cmocka_unit_test(nonsense_is_refused_and_leaves_the_verdict_alone),
        cmocka_unit_test(profiles_are_said_in_words_and_cut_to_fit),
    };
    return cmocka_run_group_tests_name("qos", tests, NULL, NULL);
}
