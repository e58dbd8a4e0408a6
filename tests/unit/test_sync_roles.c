/* SPDX-License-Identifier: BSD-3-Clause */
/* Roles, intervals, uncertainty, deadlines, sessions, refusals and diagnosis. */
#include "sync_support.h"

#define MS SNT_NS_PER_MS

static snt_synchronizer *make(snt_sync_config *cfg, const snt_sync_input_config *inputs, uint32_t n)
{
    snt_synchronizer *sync;
    cfg->inputs = inputs;
    cfg->input_count = n;
    assert_status(snt_synchronizer_create(cfg, NULL, &sync), SNT_OK);
    return sync;
}

static snt_sync_config config(uint32_t policy, snt_duration separation)
{
    snt_sync_config cfg;
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.policy = policy;
    cfg.max_separation_ns = separation;
    return cfg;
}

static void put_at(snt_synchronizer *sync, uint32_t input, snt_time t, uint64_t token, snt_time now)
{
    snt_sample sample;
    snt_sample_init(&sample, t, SNT_DOMAIN_UNIX, token);
    assert_true(snt_synchronizer_add(sync, input, &sample, now) >= 0);
    sync_books(sync);
}

static bool take_at(snt_synchronizer *sync, sync_drain *got, snt_time now)
{
    const snt_status status =
        snt_synchronizer_poll(sync, now, SNT_UNKNOWN, &got->set, got->members, SUPPORT_MAX_MEMBERS);
    sync_books(sync);
    return status == SNT_OK;
}

/* tagslam_root #5, hdl_graph_slam #128: the IMU value AT the image's stamp. 200 Hz IMU, image at 12.3 ms. */
static void an_interpolated_input_gives_the_pair_and_an_exact_weight(void **state)
{
    (void)state;
    const snt_sync_input_config inputs[] = {{0}, {.role = SNT_ROLE_INTERPOLATED, .queue = 100}};
    snt_sync_config cfg = config(SNT_SYNC_APPROXIMATE, SNT_UNKNOWN);
    snt_synchronizer *sync = make(&cfg, inputs, 2);
    sync_drain got;
    for (int i = 0; i <= 2; i++)
        put_at(sync, 1, i * 5 * MS, (uint64_t)i, SNT_UNKNOWN);
    put_at(sync, 0, 12300000, 77, SNT_UNKNOWN);
    assert_false(sync_take(sync, &got)); /* nothing after 12.3 ms yet */
    put_at(sync, 1, 15 * MS, 3, SNT_UNKNOWN);
    assert_true(sync_take(sync, &got));
    assert_int_equal(got.set.member_count, 3);
    assert_i64_equal(got.set.reference_ns, 12300000);
    assert_int_equal(got.members[1].sample.token, 2);
    assert_int_equal(got.members[1].flags, SNT_MEMBER_LENT | SNT_MEMBER_BEFORE);
    assert_int_equal(got.members[2].sample.token, 3);
    assert_int_equal(got.members[2].flags, SNT_MEMBER_LENT | SNT_MEMBER_AFTER);
    assert_i64_equal(got.members[1].weight_num, 2300000);
    assert_i64_equal(got.members[1].weight_den, 5 * MS);
    /* the older two are past; the pair stays for the next image */
    snt_sync_drop drop;
    for (int i = 0; i < 2; i++) {
        assert_true(sync_take_drop(sync, &drop));
        assert_int_equal(drop.sample.token, i);
        assert_int_equal(drop.reason, SNT_DROP_SUPERSEDED);
    }
    assert_false(sync_take_drop(sync, &drop));
    put_at(sync, 0, 15 * MS, 78, SNT_UNKNOWN); /* exactly at a sample: the pair is that sample twice */
    assert_true(sync_take(sync, &got));
    assert_int_equal(got.members[1].sample.token, 3);
    assert_int_equal(got.members[2].sample.token, 3);
    assert_i64_equal(got.members[1].weight_num, 0);
    assert_true(sync_take_drop(sync, &drop));
    assert_int_equal(drop.sample.token, 2);
    assert_int_equal(drop.reason, SNT_DROP_RETIRED);
    assert_int_equal(drop.uses, 1);
    snt_synchronizer_destroy(sync);
}

static void an_interpolated_input_bridges_no_gap_and_no_missing_start(void **state)
{
    (void)state;
    const snt_sync_input_config inputs[] = {
        {0}, {.role = SNT_ROLE_INTERPOLATED, .queue = 100, .max_gap_ns = 20 * MS}};
    snt_sync_config cfg = config(SNT_SYNC_APPROXIMATE, SNT_UNKNOWN);
    snt_synchronizer *sync = make(&cfg, inputs, 2);
    snt_sync_drop drop;
    sync_drain got;
    put_at(sync, 1, 100 * MS, 0, SNT_UNKNOWN);
    put_at(sync, 0, 50 * MS, 1, SNT_UNKNOWN); /* before the first IMU sample */
    assert_true(sync_take_drop(sync, &drop));
    assert_int_equal(drop.sample.token, 1);
    assert_int_equal(drop.reason, SNT_DROP_NO_PARTNER);
    assert_int_equal(drop.partner, 1);
    put_at(sync, 0, 150 * MS, 2, SNT_UNKNOWN);
    put_at(sync, 1, 160 * MS, 3, SNT_UNKNOWN); /* 60 ms apart */
    assert_false(sync_take(sync, &got));
    assert_true(sync_take_drop(sync, &drop));
    assert_int_equal(drop.sample.token, 2);
    snt_synchronizer_destroy(sync);
}

static void a_latched_input_is_lent_until_a_newer_one(void **state)
{
    (void)state;
    const snt_sync_input_config inputs[] = {{0}, {.role = SNT_ROLE_LATCHED}};
    snt_sync_config cfg = config(SNT_SYNC_APPROXIMATE, SNT_UNKNOWN);
    snt_synchronizer *sync = make(&cfg, inputs, 2);
    sync_drain got;
    snt_sync_drop drop;
    put_at(sync, 1, 0, 100, SNT_UNKNOWN);
    for (int i = 1; i <= 3; i++) {
        put_at(sync, 0, i * 100 * MS, (uint64_t)i, SNT_UNKNOWN);
        assert_true(sync_take(sync, &got));
        assert_int_equal(got.members[1].sample.token, 100);
        assert_int_equal(got.members[1].flags, SNT_MEMBER_LENT);
    }
    put_at(sync, 1, 350 * MS, 101, SNT_UNKNOWN);
    assert_false(sync_take_drop(sync, &drop)); /* an image of 340 ms could still come */
    put_at(sync, 0, 400 * MS, 4, SNT_UNKNOWN);
    assert_true(sync_take(sync, &got));
    assert_int_equal(got.members[1].sample.token, 101);
    assert_true(sync_take_drop(sync, &drop));
    assert_int_equal(drop.sample.token, 100);
    assert_int_equal(drop.reason, SNT_DROP_RETIRED);
    assert_int_equal(drop.uses, 3);
    snt_synchronizer_destroy(sync);
}

/* message_filters #63: A and B alive, C dead. */
static void an_optional_input_joins_or_is_missing_but_never_blocks(void **state)
{
    (void)state;
    const snt_sync_input_config inputs[] = {{0}, {0}, {.role = SNT_ROLE_OPTIONAL}};
    snt_sync_config cfg = config(SNT_SYNC_APPROXIMATE, 20 * MS);
    snt_synchronizer *sync = make(&cfg, inputs, 3);
    sync_drain got;
    for (int i = 0; i < 8; i++) {
        if (i >= 4)
            put_at(sync, 2, i * 100 * MS + 5 * MS, 2000 + (uint64_t)i, SNT_UNKNOWN);
        put_at(sync, 0, i * 100 * MS, (uint64_t)i, SNT_UNKNOWN);
        put_at(sync, 1, i * 100 * MS + MS, 1000 + (uint64_t)i, SNT_UNKNOWN);
        while (sync_take(sync, &got)) {
            const uint64_t n = got.members[0].sample.token;
            assert_int_equal(got.set.present, n < 4 ? 3 : 7);
            assert_int_equal(got.set.missing, n < 4 ? 4 : 0);
            assert_int_equal(got.set.flags, 0);
            if (n >= 4)
                assert_int_equal(got.members[2].sample.token, 2000 + n);
        }
    }
    snt_synchronizer_destroy(sync);
}

static void an_optional_input_is_waited_for_as_long_as_declared(void **state)
{
    (void)state;
    const snt_sync_input_config inputs[] = {{0}, {.role = SNT_ROLE_OPTIONAL}};
    snt_sync_config cfg = config(SNT_SYNC_APPROXIMATE, 20 * MS);
    cfg.optional_wait_ns = 30 * MS;
    snt_synchronizer *sync = make(&cfg, inputs, 2);
    sync_drain got;
    put_at(sync, 0, 100 * MS, 1, 1000 * MS);
    assert_false(take_at(sync, &got, 1029 * MS));
    assert_true(take_at(sync, &got, 1030 * MS));
    assert_int_equal(got.set.missing, 2);
    put_at(sync, 0, 200 * MS, 2, 1100 * MS);
    put_at(sync, 1, 195 * MS, 3, 1105 * MS);
    assert_false(take_at(sync, &got, 1106 * MS)); /* a nearer one may come */
    put_at(sync, 1, 203 * MS, 4, 1110 * MS);
    assert_true(take_at(sync, &got, 1110 * MS));
    assert_int_equal(got.members[1].sample.token, 4);
    snt_synchronizer_destroy(sync);
}

/* message_filters #154: a constant offset between sensors. B always 40 ms late by its stamps. */
static void an_offset_is_taken_off_before_matching(void **state)
{
    (void)state;
    const snt_sync_input_config inputs[] = {{0}, {.offset_ns = -40 * MS}};
    snt_sync_config cfg = config(SNT_SYNC_EPSILON, 5 * MS);
    snt_synchronizer *sync = make(&cfg, inputs, 2);
    sync_drain got;
    put_at(sync, 0, 100 * MS, 1, SNT_UNKNOWN);
    put_at(sync, 1, 140 * MS, 2, SNT_UNKNOWN);
    assert_true(sync_take(sync, &got));
    assert_i64_equal(got.set.separation_ns, 0);
    assert_i64_equal(got.members[1].key_ns, 100 * MS);
    assert_i64_equal(got.members[1].sample.t0_ns, 140 * MS);
    /* and at run time: the calibration says 30 ms */
    put_at(sync, 1, 240 * MS, 3, SNT_UNKNOWN); /* waits with key 200 */
    assert_status(snt_synchronizer_set_offset(sync, 1, -30 * MS, 0), SNT_OK);
    sync_books(sync);
    put_at(sync, 0, 210 * MS, 4, SNT_UNKNOWN);
    assert_true(sync_take(sync, &got));
    assert_i64_equal(got.members[1].key_ns, 210 * MS);
    snt_synchronizer_destroy(sync);
}

/* A scan [0, 100 ms] and a 20 ms exposure. */
static void intervals_match_on_start_middle_end_or_overlap(void **state)
{
    (void)state;
    static const struct {
        uint32_t match;
        snt_time scan, exposure;
        snt_duration separation;
    } cases[] = {{SNT_MATCH_START, 0, 40, 40},
                 {SNT_MATCH_MIDDLE, 50, 50, 0},
                 {SNT_MATCH_END, 100, 60, 40},
                 {SNT_MATCH_OVERLAP, 50, 50, 0}};
    for (size_t i = 0; i < 4; i++) {
        const snt_sync_input_config inputs[] = {{.match = cases[i].match}, {.match = cases[i].match}};
        snt_sync_config cfg = config(SNT_SYNC_EPSILON, 50 * MS);
        snt_synchronizer *sync = make(&cfg, inputs, 2);
        snt_sample scan, exposure;
        sync_drain got;
        snt_sample_init(&scan, 0, SNT_DOMAIN_UNIX, 1);
        scan.t1_ns = 100 * MS;
        snt_sample_init(&exposure, 40 * MS, SNT_DOMAIN_UNIX, 2);
        exposure.t1_ns = 60 * MS;
        snt_synchronizer_add(sync, 0, &scan, SNT_UNKNOWN);
        snt_synchronizer_add(sync, 1, &exposure, SNT_UNKNOWN);
        assert_true(sync_take(sync, &got));
        assert_i64_equal(got.members[0].key_ns, cases[i].scan * MS);
        assert_i64_equal(got.members[1].key_ns, cases[i].exposure * MS);
        assert_i64_equal(got.set.separation_ns, cases[i].separation * MS);
        snt_synchronizer_destroy(sync);
    }
}

static void overlap_counts_the_gap_between_intervals(void **state)
{
    (void)state;
    const snt_sync_input_config inputs[] = {{.match = SNT_MATCH_OVERLAP}, {.match = SNT_MATCH_OVERLAP}};
    snt_sync_config cfg = config(SNT_SYNC_EARLIEST, 10 * MS);
    snt_synchronizer *sync = make(&cfg, inputs, 2);
    snt_sample a, b;
    sync_drain got;
    snt_sample_init(&a, 0, SNT_DOMAIN_UNIX, 1);
    a.t1_ns = 100 * MS;
    snt_sample_init(&b, 110 * MS, SNT_DOMAIN_UNIX, 2);
    b.t1_ns = 300 * MS; /* the middles are 155 ms apart, the intervals 10 */
    snt_synchronizer_add(sync, 0, &a, SNT_UNKNOWN);
    snt_synchronizer_add(sync, 1, &b, SNT_UNKNOWN);
    assert_true(sync_take(sync, &got));
    assert_i64_equal(got.set.separation_ns, 10 * MS);
    a.t0_ns = 400 * MS;
    a.t1_ns = 500 * MS;
    b.t0_ns = 510 * MS + 1;
    b.t1_ns = 600 * MS;
    snt_synchronizer_add(sync, 0, &a, SNT_UNKNOWN);
    snt_synchronizer_add(sync, 1, &b, SNT_UNKNOWN);
    assert_false(sync_take(sync, &got));
    snt_synchronizer_destroy(sync);
}

/* |ta − tb| ± (ua + ub) against max_separation = 10 ms. */
static void uncertainty_gives_three_answers(void **state)
{
    (void)state;
    static const struct {
        snt_time dt;
        snt_duration ua, ub;
        uint32_t verdict;
    } cases[] = {
        {8, 1, 1, SNT_SYNC_CERTAIN},  {8, 2, 1, SNT_SYNC_POSSIBLE}, {12, 1, 1, SNT_SYNC_POSSIBLE},
        {13, 1, 1, SNT_SYNC_NO},      {10, 0, 0, SNT_SYNC_CERTAIN}, {0, 5, 5, SNT_SYNC_CERTAIN},
        {0, 6, 5, SNT_SYNC_POSSIBLE}, {-8, 1, 1, SNT_SYNC_CERTAIN}, {-13, 1, 1, SNT_SYNC_NO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int certain = 0; certain < 2; certain++) {
            snt_sync_config cfg = config(SNT_SYNC_EPSILON, 10 * MS);
            cfg.flags = certain ? SNT_SYNC_REQUIRE_CERTAIN : 0;
            snt_synchronizer *sync = make(&cfg, NULL, 2);
            snt_sample a, b;
            snt_sample_init(&a, 1000 * MS, SNT_DOMAIN_UNIX, 1);
            snt_sample_init(&b, (1000 + cases[i].dt) * MS, SNT_DOMAIN_UNIX, 2);
            a.flags = b.flags = SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI;
            a.err_lo_ns = a.err_hi_ns = cases[i].ua * MS;
            b.err_lo_ns = b.err_hi_ns = cases[i].ub * MS;
            snt_synchronizer_add(sync, 0, &a, SNT_UNKNOWN);
            snt_synchronizer_add(sync, 1, &b, SNT_UNKNOWN);
            sync_drain got;
            const bool want =
                cases[i].verdict >= (certain ? (uint32_t)SNT_SYNC_CERTAIN : (uint32_t)SNT_SYNC_POSSIBLE);
            assert_int_equal(sync_take(sync, &got), want);
            if (want) {
                assert_int_equal(got.set.verdict, cases[i].verdict);
                const int64_t d = (cases[i].dt < 0 ? -cases[i].dt : cases[i].dt) * MS;
                const int64_t u = (cases[i].ua + cases[i].ub) * MS;
                assert_i64_equal(got.set.separation_ns, d);
                assert_i64_equal(got.set.separation_hi_ns, d + u);
                assert_i64_equal(got.set.separation_lo_ns, d > u ? d - u : 0);
            } else {
                snt_sync_drop drop;
                assert_true(sync_take_drop(sync, &drop));
                assert_int_equal(drop.reason, cases[i].dt > 10 || cases[i].dt < -10 ? SNT_DROP_NO_PARTNER
                                                                                    : SNT_DROP_UNCERTAIN);
            }
            snt_synchronizer_destroy(sync);
        }
    }
}

/* ros_comm #1059: A0 alone for 10 s must say something. */
static void a_deadline_gives_partial_sets_or_says_timeout(void **state)
{
    (void)state;
    for (uint32_t policy = SNT_SYNC_APPROXIMATE; policy <= SNT_SYNC_EARLIEST; policy++) {
        if (policy == SNT_SYNC_LATEST)
            continue;
        for (uint32_t least = 0; least <= 2; least += 2) {
            snt_sync_config cfg = config(policy, 20 * MS);
            cfg.deadline_ns = 50 * MS;
            cfg.min_members = least;
            snt_synchronizer *sync = make(&cfg, NULL, 3);
            sync_drain got;
            snt_sync_drop drop;
            put_at(sync, 0, 100 * MS, 1, 1000 * MS);
            put_at(sync, 2, 100 * MS, 2, 1010 * MS);
            assert_false(take_at(sync, &got, 1049 * MS));
            if (least) {
                assert_true(take_at(sync, &got, 1050 * MS));
                assert_int_equal(got.set.flags, SNT_SYNC_PARTIAL | SNT_SYNC_FORCED);
                assert_int_equal(got.set.present, 5);
                assert_int_equal(got.set.missing, 2);
                put_at(sync, 0, 200 * MS, 3, 2000 * MS); /* alone: one member is too few */
                assert_false(take_at(sync, &got, 12000 * MS));
            } else
                assert_false(take_at(sync, &got, 1050 * MS));
            assert_true(sync_take_drop(sync, &drop));
            assert_int_equal(drop.sample.token, least ? 3 : 1);
            assert_int_equal(drop.reason, SNT_DROP_TIMEOUT);
            assert_int_equal(drop.partner, 1);
            assert_i64_equal(drop.waited_ns, (least ? 10000 : 50) * MS);
            snt_synchronizer_destroy(sync);
        }
    }
}

/* LATEST lends; what the deadline takes while it is still lent must not be counted away meanwhile. */
static void a_lent_sample_that_the_deadline_takes_retires_with_its_set(void **state)
{
    (void)state;
    snt_sync_config cfg = config(SNT_SYNC_LATEST, 20 * MS);
    cfg.deadline_ns = 50 * MS;
    cfg.min_members = 1;
    cfg.driver = 1;
    snt_synchronizer *sync = make(&cfg, NULL, 2);
    sync_drain got;
    snt_sync_drop drop;
    put_at(sync, 0, 100 * MS, 1, 1000 * MS);
    put_at(sync, 1, 100 * MS, 2, 1000 * MS); /* a set, not taken yet */
    put_at(sync, 0, 120 * MS, 3, 1060 * MS); /* past the deadline of token 2, which the forced set takes */
    assert_true(take_at(sync, &got, 1060 * MS));
    assert_int_equal(got.set.flags, 0);
    while (take_at(sync, &got, 2000 * MS))
        assert_true(got.set.flags & SNT_SYNC_FORCED);
    int back = 0;
    while (sync_take_drop(sync, &drop))
        if (drop.reason == SNT_DROP_RETIRED)
            back += (int)drop.sample.token;
    assert_int_equal(back, 1 + 2); /* those that were lent */
    snt_synchronizer_destroy(sync);
}

/* A candidate that waits for something better goes out at the deadline. */
static void a_deadline_ends_the_wait_for_something_better(void **state)
{
    (void)state;
    snt_sync_config cfg = config(SNT_SYNC_APPROXIMATE, SNT_UNKNOWN);
    cfg.deadline_ns = 50 * MS;
    snt_synchronizer *sync = make(&cfg, NULL, 2);
    sync_drain got;
    put_at(sync, 0, 100 * MS, 1, 1000 * MS);
    put_at(sync, 1, 101 * MS, 2, 1001 * MS);
    assert_false(take_at(sync, &got, 1049 * MS));
    assert_true(take_at(sync, &got, 1050 * MS));
    assert_int_equal(got.set.flags, SNT_SYNC_FORCED);
    assert_int_equal(got.set.missing, 0);
    snt_synchronizer_destroy(sync);
}

/* rtabmap_ros #1054: a slow consumer must not work on ever older sets. */
static void what_is_too_old_expires_even_when_complete(void **state)
{
    (void)state;
    snt_sync_config cfg = config(SNT_SYNC_EXACT, SNT_UNKNOWN);
    cfg.max_age_ns = 100 * MS;
    snt_synchronizer *sync = make(&cfg, NULL, 2);
    sync_drain got;
    snt_sync_drop drop;
    for (int i = 0; i < 5; i++)
        for (uint32_t k = 0; k < 2; k++)
            put_at(sync, k, i * 50 * MS, (uint64_t)i, SNT_UNKNOWN);
    put_at(sync, 0, 250 * MS, 9, SNT_UNKNOWN);
    assert_status(snt_synchronizer_poll(sync, SNT_UNKNOWN, 260 * MS, &got.set, got.members, 2), SNT_OK);
    assert_i64_equal(got.set.reference_ns, 200 * MS); /* 0, 50, 100 and 150 are older than 100 ms */
    int expired = 0;
    while (sync_take_drop(sync, &drop))
        expired += drop.reason == SNT_DROP_EXPIRED;
    assert_int_equal(expired, 8);
    assert_status(snt_synchronizer_poll(sync, SNT_UNKNOWN, 360 * MS, &got.set, got.members, 2), SNT_EMPTY);
    assert_true(sync_take_drop(sync, &drop));
    assert_int_equal(drop.sample.token, 9);
    snt_synchronizer_destroy(sync);
}

/* message_filters exact, clock reset: the 1100 from before the reset must not meet the 1100 after it. */
static void no_set_spans_a_reset(void **state)
{
    (void)state;
    snt_epoch *epoch;
    snt_epoch_create(NULL, &epoch);
    for (uint32_t policy = SNT_SYNC_APPROXIMATE; policy <= SNT_SYNC_EARLIEST; policy++) {
        snt_sync_config cfg = config(policy, SNT_NS_PER_S);
        cfg.epoch = epoch;
        snt_synchronizer *sync = make(&cfg, NULL, 2);
        sync_drain got;
        snt_sync_drop drop;
        put_at(sync, 0, 1000, 1, SNT_UNKNOWN);
        put_at(sync, 1, 1000, 2, SNT_UNKNOWN);
        put_at(sync, 0, 1100, 3, SNT_UNKNOWN);
        while (sync_take(sync, &got))
            ;
        snt_epoch_bump(epoch, SNT_EPOCH_REPLAY_SEEK);
        put_at(sync, 1, 1100, 4, SNT_UNKNOWN);
        assert_false(sync_take(sync, &got));
        bool found = false;
        while (sync_take_drop(sync, &drop))
            found |= drop.sample.token == 3 && (drop.reason == SNT_DROP_RESET);
        assert_true(found);
        /* and a straggler that says which session it is of cannot get in */
        snt_sample old;
        snt_sample_init(&old, 1100, SNT_DOMAIN_UNIX, 5);
        old.session = snt_epoch_session(epoch) - 1;
        snt_synchronizer_add(sync, 0, &old, SNT_UNKNOWN);
        assert_false(sync_take(sync, &got));
        assert_true(sync_take_drop(sync, &drop));
        assert_int_equal(drop.reason, SNT_DROP_STRAGGLER);
        snt_sync_stats stats;
        snt_synchronizer_stats(sync, &stats);
        assert_int_equal(stats.resets, 1);
        snt_synchronizer_destroy(sync);
    }
    snt_epoch_unref(epoch);
}

static void one_devices_reboot_drops_only_its_own(void **state)
{
    (void)state;
    snt_sync_config cfg = config(SNT_SYNC_EXACT, SNT_UNKNOWN);
    snt_synchronizer *sync = make(&cfg, NULL, 2);
    sync_drain got;
    snt_sync_drop drop;
    snt_sample sample;
    snt_sample_init(&sample, 100, SNT_DOMAIN_UNIX, 1);
    sample.session = 7;
    snt_synchronizer_add(sync, 0, &sample, SNT_UNKNOWN);
    put_at(sync, 1, 50, 2, SNT_UNKNOWN);
    sample.session = 8; /* rebooted: its old sample goes, its stamps may start over */
    sample.t0_ns = sample.t1_ns = 50;
    sample.token = 3;
    snt_synchronizer_add(sync, 0, &sample, SNT_UNKNOWN);
    assert_true(sync_take(sync, &got));
    assert_int_equal(got.members[0].sample.token, 3);
    assert_true(sync_take_drop(sync, &drop));
    assert_int_equal(drop.sample.token, 1);
    assert_int_equal(drop.reason, SNT_DROP_RESET);
    sample.session = 7;
    snt_synchronizer_add(sync, 0, &sample, SNT_UNKNOWN);
    assert_true(sync_take_drop(sync, &drop));
    assert_int_equal(drop.reason, SNT_DROP_STRAGGLER);
    snt_synchronizer_destroy(sync);
}

/* ros_comm #1438: a looped bag, A100 B100 A101 | A0 B0 A1 B1. */
static void a_looped_bag_is_noticed_by_its_jump_or_reported_as_late(void **state)
{
    (void)state;
    snt_sync_config cfg = config(SNT_SYNC_EXACT, SNT_UNKNOWN);
    cfg.jump_back_ns = 10 * SNT_NS_PER_S;
    snt_synchronizer *sync = make(&cfg, NULL, 2);
    uint64_t drops[SNT_DROP_COUNT] = {0};
    assert_string_equal(sync_script(sync, "A100 B100 A101 A0 B0 A1 B1", drops),
                        "1:(100,100) 4:(0,0) 6:(1,1)");
    assert_i64_equal((int64_t)drops[SNT_DROP_RESET], 1);
    snt_synchronizer_destroy(sync);
    memset(drops, 0, sizeof drops);
    sync = sync_make(SNT_SYNC_EXACT, 0, 2, 10, -1);
    assert_string_equal(sync_script(sync, "A100 B100 A101 A0 B0 A1 B1", drops), "1:(100,100)");
    assert_i64_equal((int64_t)drops[SNT_DROP_LATE], 4);
    snt_synchronizer_destroy(sync);
}

/* message_filters #166 and #117: clocks are told apart by their domain, and never crash. */
static void a_foreign_clock_is_refused_with_its_name(void **state)
{
    (void)state;
    snt_sync_config cfg = config(SNT_SYNC_APPROXIMATE, SNT_UNKNOWN);
    snt_synchronizer *sync = make(&cfg, NULL, 2);
    snt_sample sim;
    snt_sync_drop drop;
    put_at(sync, 0, 100, 1, SNT_UNKNOWN); /* adopts the unix clock */
    snt_sample_init(&sim, 100, SNT_DOMAIN_SIM, 2);
    assert_status(snt_synchronizer_add(sync, 1, &sim, SNT_UNKNOWN), SNT_OK);
    assert_true(sync_take_drop(sync, &drop));
    assert_int_equal(drop.reason, SNT_DROP_WRONG_DOMAIN);
    snt_synchronizer_destroy(sync);

    snt_sync_input_config inputs[] = {{0}, {.domain = SNT_DOMAIN_TAI, .offset_ns = -37 * SNT_NS_PER_S}};
    cfg.domain = SNT_DOMAIN_UNIX;
    cfg.inputs = inputs;
    assert_status(snt_synchronizer_create(&cfg, NULL, &sync), SNT_ERR_DOMAIN);
    assert_null(sync);
    inputs[1].flags = SNT_SYNC_OFFSET_BRIDGES; /* now the offset is declared to be TAI − UTC */
    sync = make(&cfg, inputs, 2);
    sync_drain got;
    put_at(sync, 0, 1000 * SNT_NS_PER_S, 1, SNT_UNKNOWN);
    snt_sample tai;
    snt_sample_init(&tai, 1037 * SNT_NS_PER_S, SNT_DOMAIN_TAI, 2);
    snt_synchronizer_add(sync, 1, &tai, SNT_UNKNOWN);
    assert_true(sync_take(sync, &got));
    assert_i64_equal(got.set.separation_ns, 0);
    assert_int_equal(got.set.domain, SNT_DOMAIN_UNIX);
    snt_synchronizer_destroy(sync);
}

/* rtabmap #950: wall time on one input, a simulation's 12.5 s on the other (the article's example). */
static void stamps_years_apart_are_called_another_clock(void **state)
{
    (void)state;
    snt_sync_config cfg = config(SNT_SYNC_APPROXIMATE, SNT_NS_PER_S);
    snt_synchronizer *sync = make(&cfg, NULL, 2);
    snt_sync_drop drop;
    put_at(sync, 0, 1789000000 * SNT_NS_PER_S, 1, SNT_UNKNOWN);
    put_at(sync, 1, 12500 * MS, 2, SNT_UNKNOWN);
    assert_true(sync_take_drop(sync, &drop));
    assert_int_equal(drop.sample.token, 2);
    assert_int_equal(drop.reason, SNT_DROP_NO_PARTNER);
    assert_int_equal(drop.cause, SNT_DROP_CLOCK_MISMATCH);
    char text[256];
    assert_status(snt_sync_drop_format(&drop, text, sizeof text), SNT_OK);
    assert_non_null(strstr(text, "another clock"));
    snt_synchronizer_destroy(sync);
}

/* ros_comm #1716: one input always stamped zero. */
static void a_zero_stamp_is_a_time_unless_refused(void **state)
{
    (void)state;
    for (int refuse = 0; refuse < 2; refuse++) {
        snt_sync_config cfg = config(SNT_SYNC_EXACT, SNT_UNKNOWN);
        cfg.flags = refuse ? SNT_SYNC_REFUSE_ZERO : 0;
        snt_synchronizer *sync = make(&cfg, NULL, 2);
        sync_drain got;
        snt_sync_drop drop;
        put_at(sync, 0, 0, 1, SNT_UNKNOWN);
        put_at(sync, 1, 0, 2, SNT_UNKNOWN);
        assert_int_equal(sync_take(sync, &got), !refuse);
        assert_int_equal(sync_take_drop(sync, &drop), refuse);
        if (refuse)
            assert_int_equal(drop.reason, SNT_DROP_ZERO_STAMP);
        snt_synchronizer_destroy(sync);
    }
}

/* message_filters #79: no message ever on B. viso2: which one is it? */
static void the_diagnosis_names_who_blocks_and_what_would_help(void **state)
{
    (void)state;
    snt_sync_config cfg = config(SNT_SYNC_APPROXIMATE, 10 * MS);
    cfg.queue = 64;
    snt_synchronizer *sync = make(&cfg, NULL, 2);
    snt_sync_diagnosis d;
    snt_sync_input_info info;
    char text[256];
    put_at(sync, 0, 0, 0, 5000 * MS);
    assert_status(snt_synchronizer_diagnose(sync, 6000 * MS, &d), SNT_OK);
    assert_int_equal(d.blocker, 1);
    assert_int_equal(d.never, 2);
    assert_int_equal(d.empty, 2);
    assert_status(snt_sync_diagnosis_format(&d, text, sizeof text), SNT_OK);
    assert_non_null(strstr(text, "never got a sample"));
    assert_status(snt_synchronizer_input_info(sync, 0, 6000 * MS, &info), SNT_OK);
    assert_i64_equal(info.waiting_since_ns, 1000 * MS);
    assert_int_equal(info.waiting, 1);

    /* 20 Hz and 10 Hz that miss each other by 20 ms, with 10 ms allowed */
    snt_sync_drop drop;
    for (int i = 0; i < 40; i++) {
        put_at(sync, 0, i * 50 * MS, (uint64_t)i, 7000 * MS + i * 50 * MS);
        if (i % 2)
            put_at(sync, 1, (i - 1) * 50 * MS + 20 * MS, (uint64_t)i, 7000 * MS + i * 50 * MS);
        while (sync_take_drop(sync, &drop))
            ;
    }
    snt_synchronizer_input_info(sync, 1, SNT_UNKNOWN, &info);
    assert_i64_equal(info.nearest_miss_ns, 20 * MS);
    assert_int_equal(info.miss_partner, 0);
    assert_i64_equal(info.period_ns, 100 * MS);
    assert_int_equal(info.in_sets, 0);
    snt_synchronizer_diagnose(sync, SNT_UNKNOWN, &d);
    assert_i64_equal(d.suggested_slop_ns, 25 * MS); /* half the faster period */
    snt_synchronizer_input_info(sync, 0, SNT_UNKNOWN, &info);
    assert_in_range(info.suggested_queue, 3, 8);
    /* with what it suggests it works */
    assert_status(snt_synchronizer_set_max_separation(sync, d.suggested_slop_ns), SNT_OK);
    sync_drain got;
    int sets = 0;
    for (int i = 40; i < 60; i++) {
        put_at(sync, 0, i * 50 * MS, (uint64_t)i, SNT_UNKNOWN);
        if (i % 2)
            put_at(sync, 1, (i - 1) * 50 * MS + 20 * MS, (uint64_t)i, SNT_UNKNOWN);
        while (sync_take(sync, &got))
            sets++;
    }
    assert_in_range(sets, 9, 11);
    snt_synchronizer_destroy(sync);
}

static void an_overflow_names_the_input_it_waited_for(void **state)
{
    (void)state;
    snt_synchronizer *sync = sync_make(SNT_SYNC_APPROXIMATE, 0, 2, 3, -1);
    snt_sync_drop drop;
    for (int i = 0; i < 4; i++)
        sync_put(sync, 0, i, (uint64_t)i);
    assert_true(sync_take_drop(sync, &drop));
    assert_int_equal(drop.sample.token, 0);
    assert_int_equal(drop.reason, SNT_DROP_OVERFLOW_OLDEST);
    assert_int_equal(drop.partner, 1);
    assert_int_equal(drop.cause, SNT_DROP_NO_PARTNER);
    snt_synchronizer_destroy(sync);
    const snt_sync_input_config inputs[] = {{.flags = SNT_SYNC_DROP_NEWEST}, {0}};
    snt_sync_config cfg = config(SNT_SYNC_EXACT, SNT_UNKNOWN);
    cfg.queue = 3;
    sync = make(&cfg, inputs, 2);
    for (int i = 0; i < 4; i++)
        sync_put(sync, 0, i, (uint64_t)i);
    assert_true(sync_take_drop(sync, &drop));
    assert_int_equal(drop.sample.token, 3);
    assert_int_equal(drop.reason, SNT_DROP_OVERFLOW_NEWEST);
    snt_synchronizer_destroy(sync);
}

/* message_filters #49: whoever does not drain is refused, and loses nothing. */
static void undrained_results_are_kept_and_further_adds_refused(void **state)
{
    (void)state;
    snt_synchronizer *sync = sync_make(SNT_SYNC_EXACT, 0, 2, 4, -1);
    uint64_t given = 0, taken = 0;
    snt_status status = SNT_OK;
    for (int i = 0; i < 1000 && status >= 0; i++) {
        status = sync_put(sync, (uint32_t)i & 1, i / 2, (uint64_t)i);
        given += status >= 0;
    }
    assert_status(status, SNT_ERR_FULL);
    assert_int_equal(given, 32); /* 16 ready sets */
    sync_drain got;
    while (sync_take(sync, &got)) {
        assert_int_equal(got.members[0].sample.token, taken);
        taken += got.set.member_count;
    }
    assert_int_equal(taken, given);
    for (int i = 0; i < 1000; i++) /* the other way: drops pile up */
        if (sync_put(sync, 0, 100 + i, 0) < 0)
            break;
    snt_sync_stats stats;
    snt_synchronizer_stats(sync, &stats);
    assert_true(stats.dropped[SNT_DROP_OVERFLOW_OLDEST] >= 8);
    assert_int_equal(stats.refused, 2);
    assert_status(snt_synchronizer_clear(sync), SNT_OK);
    sync_books(sync);
    snt_synchronizer_stats(sync, &stats);
    assert_int_equal(stats.held, 0);
    snt_synchronizer_destroy(sync);
}

static void many_at_once_equal_one_by_one(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    enum { N = 500 };
    uint32_t inputs[N];
    snt_time t[N];
    uint64_t tokens[N], added;
    for (int i = 0; i < N; i++) {
        inputs[i] = (uint32_t)rng_below(&rng, 3);
        t[i] = i * 10 + rng_int(&rng, 0, 30);
        tokens[i] = (uint64_t)i;
    }
    snt_sync_config cfg = config(SNT_SYNC_APPROXIMATE, SNT_UNKNOWN);
    cfg.ready = 1000;
    cfg.undrained = 1000;
    snt_synchronizer *one = make(&cfg, NULL, 3), *many = make(&cfg, NULL, 3);
    for (int i = 0; i < N; i++)
        sync_put(one, inputs[i], t[i], tokens[i]);
    assert_true(snt_synchronizer_add_many(many, inputs, t, tokens, N, SNT_DOMAIN_UNIX, SNT_UNKNOWN, &added) >=
                0);
    assert_int_equal(added, N);
    sync_drain a, b;
    int sets = 0;
    while (sync_take(one, &a)) {
        assert_true(sync_take(many, &b));
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(a.members[k].sample.token, b.members[k].sample.token);
        sets++;
    }
    assert_false(sync_take(many, &b));
    assert_true(sets > 50);
    inputs[1] = 9;
    t[0] = t[1] = 100000;
    assert_status(snt_synchronizer_add_many(many, inputs, t, tokens, 2, SNT_DOMAIN_UNIX, SNT_UNKNOWN, &added),
                  SNT_ERR_INVALID_ARG);
    assert_int_equal(added, 1);
    snt_synchronizer_destroy(one);
    snt_synchronizer_destroy(many);
}

static void bad_arguments_and_contradicting_settings_are_refused(void **state)
{
    (void)state;
    snt_synchronizer *sync = NULL;
    snt_sync_config cfg;
#define REFUSED(what, status)                                                                                \
    do {                                                                                                     \
        snt_synchronizer_config_init(&cfg, sizeof cfg);                                                      \
        what;                                                                                                \
        sync = (snt_synchronizer *)1;                                                                        \
        assert_status(snt_synchronizer_create(&cfg, NULL, &sync), status);                                   \
        assert_null(sync);                                                                                   \
    } while (0)
    REFUSED(cfg.input_count = 0, SNT_ERR_RANGE);
    REFUSED(cfg.input_count = 65, SNT_ERR_RANGE);
    REFUSED(cfg.queue = 0, SNT_ERR_RANGE);
    REFUSED(cfg.policy = 5, SNT_ERR_INVALID_ARG);
    REFUSED(cfg.flags = 1u << 20, SNT_ERR_INVALID_ARG);
    REFUSED(cfg.age_penalty = -0.1, SNT_ERR_RANGE);
    REFUSED(cfg.age_penalty = (double)NAN, SNT_ERR_RANGE);
    REFUSED(cfg.policy = SNT_SYNC_EPSILON, SNT_ERR_INVALID_ARG);
    REFUSED(cfg.max_separation_ns = -1, SNT_ERR_RANGE);
    REFUSED(cfg.driver = 2, SNT_ERR_INVALID_ARG);
    REFUSED(cfg.min_members = 3, SNT_ERR_RANGE);
    REFUSED((cfg.flags = SNT_SYNC_COMPAT, cfg.policy = SNT_SYNC_EXACT), SNT_ERR_INVALID_ARG);
    REFUSED((cfg.flags = SNT_SYNC_COMPAT, cfg.deadline_ns = 1), SNT_ERR_INVALID_ARG);
    REFUSED(cfg.struct_size = 8, SNT_ERR_INVALID_ARG);
    snt_sync_input_config inputs[2] = {{.role = SNT_ROLE_OPTIONAL}, {.role = SNT_ROLE_LATCHED}};
    REFUSED(cfg.inputs = inputs, SNT_ERR_RANGE); /* nothing is required */
    inputs[0] = (snt_sync_input_config){.role = 9};
    REFUSED(cfg.inputs = inputs, SNT_ERR_INVALID_ARG);

    sync = sync_make(SNT_SYNC_EXACT, 0, 2, 4, -1);
    snt_sample sample;
    snt_sample_init(&sample, 10, SNT_DOMAIN_UNIX, 0);
    assert_status(snt_synchronizer_add(sync, 2, &sample, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_synchronizer_add(sync, 0, NULL, 0), SNT_ERR_INVALID_ARG);
    assert_status(snt_synchronizer_add(NULL, 0, &sample, 0), SNT_ERR_INVALID_ARG);
    sample.t1_ns = 9;
    assert_status(snt_synchronizer_add(sync, 0, &sample, 0), SNT_ERR_INVALID_ARG);
    sample.t1_ns = 10;
    sample.err_lo_ns = -1;
    sample.flags = SNT_TIME_BOUND_LO;
    assert_status(snt_synchronizer_add(sync, 0, &sample, 0), SNT_ERR_INVALID_ARG);
    sync_drain got;
    assert_status(snt_synchronizer_poll(sync, 0, 0, &got.set, got.members, 1), SNT_ERR_BUFFER_TOO_SMALL);
    uint64_t bytes;
    assert_status(snt_synchronizer_size(NULL, &bytes), SNT_OK);
    assert_in_range(bytes, 4000, 40000);
    snt_sync_stats stats;
    snt_synchronizer_stats(sync, &stats);
    assert_int_equal(stats.in, 0);
    sample.flags = SNT_TIME_BOUND_HI; /* without its flag an error is ignored */
    assert_status(snt_synchronizer_add(sync, 0, &sample, 0), SNT_PENDING);
    snt_synchronizer_destroy(sync);
    snt_synchronizer_destroy(NULL);
}

/* Periods are those of stamps on one scale, not of a jump between two. */
static void a_reset_or_an_offset_is_no_period(void **state)
{
    (void)state;
    snt_synchronizer *sync = sync_make(SNT_SYNC_EXACT, 0, 2, 40, -1);
    snt_sync_input_info info;
    snt_sample sample;
    for (int k = 0; k < 60; k++) {
        if (k == 7)
            assert_status(snt_synchronizer_set_offset(sync, 0, 6 * SNT_NS_PER_S, 0), SNT_OK);
        if (k == 30)
            assert_status(snt_synchronizer_reset(sync), SNT_OK);
        assert_status(snt_synchronizer_input_info(sync, 0, SNT_UNKNOWN, &info), SNT_OK);
        assert_true(info.period_ns == SNT_UNKNOWN || info.period_ns == 10 * SNT_NS_PER_MS);
        snt_sample_init(&sample, SNT_NS_PER_S + k * 10 * SNT_NS_PER_MS, SNT_DOMAIN_UNIX, 0);
        assert_true(snt_synchronizer_add(sync, 0, &sample, SNT_UNKNOWN) >= 0);
    }
    assert_status(snt_synchronizer_input_info(sync, 0, SNT_UNKNOWN, &info), SNT_OK);
    assert_i64_equal(info.period_ns, 10 * SNT_NS_PER_MS);
    snt_synchronizer_destroy(sync);
}

/* Hostile stamps: the ends of int64 are times too. */
static void the_ends_of_the_range_do_not_overflow(void **state)
{
    (void)state;
    static const snt_time t[] = {INT64_MIN, INT64_MAX, 0,         INT64_MIN + 1, INT64_MAX - 1,
                                 -1,        1,         INT64_MIN, INT64_MAX};
    for (uint32_t policy = SNT_SYNC_APPROXIMATE; policy <= SNT_SYNC_EARLIEST; policy++) {
        for (uint32_t flags = 0; flags < 2; flags++) {
            if (flags && policy != SNT_SYNC_APPROXIMATE && policy != SNT_SYNC_EPSILON)
                continue;
            const snt_sync_input_config inputs[] = {{.match = SNT_MATCH_MIDDLE, .offset_ns = INT64_MAX},
                                                    {.offset_ns = INT64_MIN}};
            snt_sync_config cfg = config(policy, 5);
            cfg.flags = flags;
            cfg.queue = 3;
            for (int offsets = 0; offsets < 2; offsets++) {
                snt_synchronizer *sync = make(&cfg, offsets ? inputs : NULL, 2);
                sync_drain got;
                snt_sync_drop drop;
                for (size_t i = 0; i < sizeof t / sizeof t[0]; i++)
                    for (uint32_t k = 0; k < 2; k++) {
                        sync_put(sync, k, t[i], 0);
                        while (sync_take(sync, &got))
                            ;
                        while (sync_take_drop(sync, &drop))
                            ;
                    }
                snt_synchronizer_destroy(sync);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interpolated_input_gives_the_pair_and_an_exact_weight),
        cmocka_unit_test(an_interpolated_input_bridges_no_gap_and_no_missing_start),
        cmocka_unit_test(a_latched_input_is_lent_until_a_newer_one),
        cmocka_unit_test(an_optional_input_joins_or_is_missing_but_never_blocks),
        cmocka_unit_test(an_optional_input_is_waited_for_as_long_as_declared),
        cmocka_unit_test(an_offset_is_taken_off_before_matching),
        cmocka_unit_test(intervals_match_on_start_middle_end_or_overlap),
        cmocka_unit_test(overlap_counts_the_gap_between_intervals),
        cmocka_unit_test(uncertainty_gives_three_answers),
        cmocka_unit_test(a_deadline_gives_partial_sets_or_says_timeout),
        cmocka_unit_test(a_deadline_ends_the_wait_for_something_better),
        cmocka_unit_test(a_lent_sample_that_the_deadline_takes_retires_with_its_set),
        cmocka_unit_test(what_is_too_old_expires_even_when_complete),
        cmocka_unit_test(no_set_spans_a_reset),
        cmocka_unit_test(one_devices_reboot_drops_only_its_own),
        cmocka_unit_test(a_looped_bag_is_noticed_by_its_jump_or_reported_as_late),
        cmocka_unit_test(a_foreign_clock_is_refused_with_its_name),
        cmocka_unit_test(stamps_years_apart_are_called_another_clock),
        cmocka_unit_test(a_zero_stamp_is_a_time_unless_refused),
        cmocka_unit_test(the_diagnosis_names_who_blocks_and_what_would_help),
        cmocka_unit_test(an_overflow_names_the_input_it_waited_for),
        cmocka_unit_test(undrained_results_are_kept_and_further_adds_refused),
        cmocka_unit_test(many_at_once_equal_one_by_one),
        cmocka_unit_test(bad_arguments_and_contradicting_settings_are_refused),
        cmocka_unit_test(a_reset_or_an_offset_is_no_period),
        cmocka_unit_test(the_ends_of_the_range_do_not_overflow),
    };
    return cmocka_run_group_tests_name("sync_roles", tests, NULL, NULL);
}
