/* SPDX-License-Identifier: BSD-3-Clause */
/* The policies on worked examples: the test inputs of message_filters and what its implementations did with edge cases. */
#include "sync_support.h"

#include "lib/sync/sync_scale.h"

typedef struct vector {
    const char *name;
    uint32_t inputs, queue;
    double separation; /* s, < 0 = none */
    double bound;      /* minimum period of input 0 [s] */
    double penalty;
    const char *script, *sets;
} vector;

static void run_vectors(const vector *v, size_t n, uint32_t policy, uint32_t flags)
{
    for (size_t i = 0; i < n; i++) {
        snt_sync_input_config inputs[4] = {{0}};
        snt_sync_config cfg;
        snt_synchronizer *sync;
        snt_synchronizer_config_init(&cfg, sizeof cfg);
        cfg.policy = policy;
        cfg.flags = flags;
        cfg.input_count = v[i].inputs;
        cfg.inputs = inputs;
        cfg.queue = v[i].queue;
        cfg.age_penalty = v[i].penalty;
        if (v[i].separation >= 0)
            cfg.max_separation_ns = llround(v[i].separation * 1e9);
        inputs[0].min_period_ns = llround(v[i].bound * 1e9);
        assert_status(snt_synchronizer_create(&cfg, NULL, &sync), SNT_OK);
        const char *sets = sync_script(sync, v[i].script, NULL);
        if (strcmp(sets, v[i].sets) != 0)
            fail_msg("%s: got %s, expected %s", v[i].name, sets, v[i].sets);
        snt_synchronizer_destroy(sync);
    }
}

#define DROPPED "A0 B1 B3 A4 B7 A8 A10 B11 A13 B14"

static void compat_approximate_gives_the_sets_of_message_filters(void **state)
{
    (void)state;
    static const vector v[] = {
        {"ExactMatch", 2, 10, -1, 0, .1, "A0 B0 A3 B3 A6 B6", "1:(0,0) 3:(3,3) 5:(6,6)"},
        {"PerfectMatch", 2, 10, -1, 0, .1, "A0 B1 A3 B4 A6 B7", "2:(0,1) 4:(3,4)"},
        {"ImperfectMatch", 2, 10, -1, 0, .1, "A0 B1 A2 A3 B5 A6 B7", "2:(0,1) 5:(6,5)"},
        {"Acceleration", 2, 10, -1, 0, .1, "A0 B7 A12 B15 A17 B18", "2:(12,7) 5:(17,18)"},
        {"DroppedMessages 1", 2, 1, -1, 0, .1, DROPPED, "4:(4,3) 8:(10,11)"},
        {"DroppedMessages 2", 2, 2, -1, 0, .1, DROPPED, "3:(0,1) 4:(4,3) 7:(8,7) 8:(10,11)"},
        {"LongQueue", 2, 5, -1, 0, .1, "A0 A1 A2 A3 A4 A5 A6 A7 A8 B3 A9 A10 A11 A12 B10 A13", "14:(10,10)"},
        {"DoublePublish", 2, 10, -1, 0, .1, "A0 B1 B3 A3", "3:(0,1) 3:(3,3)"},
        {"FourTopics", 4, 10, -1, 0, .1, "A0 B1 C2 D3 A5 D5 B6 C6 A8 B9 C10 D11 A10 A13 B14",
         "6:(0,1,2,3) 8:(5,6,6,5) 14:(10,9,10,11)"},
        {"EarlyPublish", 4, 10, -1, 0, .1, "A0 B1 C2 D3 A7", "4:(0,1,2,3)"},
        {"RateBound 1.5", 2, 10, -1, 1.5, .1, "A0 B1 A3 B4 A6 B7", "2:(0,1) 4:(3,4)"},
        {"RateBound 2", 2, 10, -1, 2, .1, "A0 B1 A3 B4 A6 B7", "1:(0,1) 3:(3,4) 5:(6,7)"},
        {"one period late", 2, 10, -1, 0, .1, "A0 B.001 A1 B1.001 A2 B2.001", "2:(0,0.001) 4:(1,1.001)"},
        {"bound", 2, 10, -1, .5, .1, "A0 B.001 A1 B1.001 A2 B2.001", "1:(0,0.001) 3:(1,1.001) 5:(2,2.001)"},
        {"duplicates", 2, 10, -1, 0, .1, "A0 A0 B0 B0 A1 B1", "2:(0,0) 3:(0,0) 5:(1,1)"},
        {"out of order", 2, 10, -1, 0, .1, "A2 A1 B1 B2 A3 B3", "3:(2,2) 5:(3,3)"},
        {"late", 2, 10, -1, 0, .1, "A0 A2 A1 B1 B2 B3", "3:(0,1) 4:(2,2)"},
        {"jump back", 2, 3, -1, 0, .1, "A100 B100 A101 A0 B0 A1 B1 A2 B2", "1:(100,100) 7:(1,1) 8:(2,2)"},
        {"dead topic", 2, 3, -1, 0, .1, "A0 A1 A2 A3 A4 A5 B4 A6 B6", "6:(4,4) 8:(6,6)"},
        {"interval", 2, 10, .1, 0, .1, "A0 B.2 A1 B1.05 A2", "4:(1,1.05)"},
        {"interval exactly", 2, 10, .1, 0, .1, "A0 B.1 A1", "2:(0,0.1)"},
        {"30 and 10 Hz", 2, 10, -1, 0, .1, "A0 B.01 A.033 A.066 A.1 B.11 A.133 A.166 A.2 B.21 A.233",
         "2:(0,0.01) 6:(0.1,0.11) 10:(0.2,0.21)"},
        {"age penalty .1", 2, 10, -1, 0, .1, "A0 B10 A19.5", "2:(0,10)"},
        {"age penalty 0", 2, 10, -1, 0, 0, "A0 B10 A19.5", "2:(19.5,10)"},
        {"age penalty tie", 2, 10, -1, 0, 0, "A0 B10 A20", "2:(0,10)"},
    };
    run_vectors(v, sizeof v / sizeof v[0], SNT_SYNC_APPROXIMATE, SNT_SYNC_COMPAT);
}

/* message_filters #108: every stamp 0, one overflow of the last topic, and nothing ever comes out again. */
static const char starving[] = "B0 B0 B0 B0 B0 B0 A0 B0 A0 B0 A0 B0 A0 B0 A0 B0 A0 B0 A0 B0";

static void compat_starves_after_an_overflow_as_ros_does_and_says_so(void **state)
{
    (void)state;
    uint64_t drops[SNT_DROP_COUNT] = {0};
    snt_synchronizer *sync = sync_make(SNT_SYNC_APPROXIMATE, SNT_SYNC_COMPAT, 2, 5, -1);
    assert_string_equal(sync_script(sync, starving, drops), "");
    assert_true(drops[SNT_DROP_OVERFLOW_OLDEST] + drops[SNT_DROP_NO_PARTNER] >= 13);
    snt_synchronizer_destroy(sync);
}

static void fixed_mode_recovers_after_an_overflow(void **state)
{
    (void)state;
    uint64_t drops[SNT_DROP_COUNT] = {0};
    snt_synchronizer *sync = sync_make(SNT_SYNC_APPROXIMATE, 0, 2, 5, -1);
    assert_string_equal(sync_script(sync, starving, drops),
                        "6:(0,0) 8:(0,0) 10:(0,0) 12:(0,0) 14:(0,0) 16:(0,0) 18:(0,0)");
    assert_i64_equal((int64_t)drops[SNT_DROP_OVERFLOW_OLDEST], 1);
    snt_synchronizer_destroy(sync);
}

static void what_approximate_skips_in_silence_is_reported(void **state)
{
    (void)state;
    uint64_t drops[SNT_DROP_COUNT] = {0};
    snt_synchronizer *sync = sync_make(SNT_SYNC_APPROXIMATE, SNT_SYNC_COMPAT, 2, 10, -1);
    sync_script(sync, "A0 B.01 A.033 A.066 A.1 B.11 A.133 A.166 A.2 B.21 A.233", drops);
    assert_i64_equal((int64_t)drops[SNT_DROP_SUPERSEDED], 4); /* .033 .066 .133 .166 */
    snt_synchronizer_destroy(sync);
    memset(drops, 0, sizeof drops);
    sync = sync_make(SNT_SYNC_APPROXIMATE, SNT_SYNC_COMPAT, 2, 1, -1);
    sync_script(sync, DROPPED, drops);
    assert_i64_equal((int64_t)drops[SNT_DROP_OVERFLOW_OLDEST], 2); /* B1, A8 */
    assert_i64_equal((int64_t)drops[SNT_DROP_NO_PARTNER], 2);      /* A0, B7 */
    snt_synchronizer_destroy(sync);
}

static void fixed_mode_keeps_the_sets_of_well_behaved_streams(void **state)
{
    (void)state;
    static const vector v[] = {
        {"ExactMatch", 2, 10, -1, 0, .1, "A0 B0 A3 B3 A6 B6", "1:(0,0) 3:(3,3) 5:(6,6)"},
        {"PerfectMatch", 2, 10, -1, 0, .1, "A0 B1 A3 B4 A6 B7", "2:(0,1) 4:(3,4)"},
        {"Acceleration", 2, 10, -1, 0, .1, "A0 B7 A12 B15 A17 B18", "2:(12,7) 5:(17,18)"},
        {"out of order is sorted", 2, 10, -1, 0, .1, "A2 A1 B1 B2 A3 B3", "2:(1,1) 3:(2,2) 5:(3,3)"},
        {"late in the search", 2, 10, -1, 0, .1, "A0 A2 A1 B1 B2 B3", "3:(1,1) 4:(2,2)"},
        {"interval", 2, 10, .1, 0, .1, "A0 B.2 A1 B1.05 A2", "4:(1,1.05)"},
    };
    run_vectors(v, sizeof v / sizeof v[0], SNT_SYNC_APPROXIMATE, SNT_SYNC_NO_LEARNING);
}

/* fkie_message_filters #2, rtabmap_ros #1054: with a learned period the pair is out at its second message. */
static void a_learned_period_saves_the_period_of_delay(void **state)
{
    (void)state;
    snt_synchronizer *sync = sync_make(SNT_SYNC_APPROXIMATE, 0, 2, 10, -1);
    assert_string_equal(sync_script(sync, "A0 B.001 A1 B1.001 A2 B2.001 A3 B3.001 A4 B4.001 A5 B5.001", NULL),
                        "2:(0,0.001) 4:(1,1.001) 6:(2,2.001) 7:(3,3.001) 9:(4,4.001) 11:(5,5.001)");
    snt_sync_input_info info;
    assert_status(snt_synchronizer_input_info(sync, 0, SNT_UNKNOWN, &info), SNT_OK);
    assert_i64_equal(info.period_ns, SNT_NS_PER_S);
    assert_i64_equal(info.min_period_ns, 875000000);
    snt_synchronizer_destroy(sync);
}

/* With the candidate at hand an overflow emits it: nothing is thrown away that made a set. */
static void fixed_mode_emits_its_candidate_when_a_queue_is_full(void **state)
{
    (void)state;
    snt_synchronizer *sync = sync_make(SNT_SYNC_APPROXIMATE, SNT_SYNC_NO_LEARNING, 2, 2, -1);
    assert_string_equal(sync_script(sync, "A0 B10 B11 B12", NULL), "3:(0,10)");
    snt_synchronizer_destroy(sync);
}

static void exact_on_worked_examples(void **state)
{
    (void)state;
    static const vector v[] = {
        {"ExactMatch", 2, 10, -1, 0, .1, "A0 B0 A3 B3 A6 B6", "1:(0,0) 3:(3,3) 5:(6,6)"},
        {"multipleTimes", 3, 2, -1, 0, .1, "A0 B.1 A.1 C.1", "3:(0.1,0.1,0.1)"},
        {"queueSize", 3, 1, -1, 0, .1, "A0 B0 B.1 B0 C0", ""},
        {"queue of 3", 2, 3, -1, 0, .1, "A100 A200 A300 A400 B300 B100", "4:(300,300)"},
        {"drop_old", 2, 10, -1, 0, .1, "A0 B1 A1 B0", "2:(1,1)"},
        {"shifted", 2, 10, -1, 0, .1, "A0 A1 B0 B1", "2:(0,0) 3:(1,1)"},
        {"a repeated stamp", 2, 10, -1, 0, .1, "A100 B100 A100 B100 A50 B50", "1:(100,100)"},
        {"message_filters #200", 2, 10, -1, 0, .1, "A0 B1 A1 B0", "2:(1,1)"},
        {"late half", 2, 10, -1, 0, .1, "A5 A3 B3 B5", "2:(3,3) 3:(5,5)"},
    };
    run_vectors(v, sizeof v / sizeof v[0], SNT_SYNC_EXACT, 0);
}

static void exact_accounts_for_what_found_no_partner(void **state)
{
    (void)state;
    uint64_t drops[SNT_DROP_COUNT] = {0};
    snt_synchronizer *sync = sync_make(SNT_SYNC_EXACT, 0, 2, 3, -1);
    sync_script(sync, "A100 A200 A300 A400 B300 B100 A300 A400", drops);
    assert_i64_equal((int64_t)drops[SNT_DROP_OVERFLOW_OLDEST], 1); /* A100 */
    assert_i64_equal((int64_t)drops[SNT_DROP_NO_PARTNER], 1);      /* A200 */
    assert_i64_equal((int64_t)drops[SNT_DROP_LATE], 1);            /* B100 */
    assert_i64_equal((int64_t)drops[SNT_DROP_DUPLICATE], 1);       /* A300 again */
    assert_i64_equal((int64_t)drops[SNT_DROP_SUPERSEDED], 1);      /* the first A400 */
    snt_synchronizer_destroy(sync);
}

/* time_synchronizer_unittest immediate2..9, and on to the limit of this library: message_filters #91. */
static void exact_completes_with_the_last_of_n_inputs(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= SNT_SYNC_MAX_INPUTS; n++) {
        snt_synchronizer *sync = sync_make(SNT_SYNC_EXACT, 0, n, 2, -1);
        sync_drain got;
        for (int round = 0; round < 3; round++) {
            for (uint32_t i = 0; i < n; i++) {
                assert_status(sync_put(sync, (i * 7 + (uint32_t)round) % n, 5 + round, i),
                              i + 1 < n && n % 7 ? SNT_PENDING
                              : i + 1 < n        ? SNT_PENDING
                                                 : SNT_OK);
                if (n % 7 == 0)
                    break;
            }
            if (n % 7 == 0)
                for (uint32_t i = 0; i < n; i++)
                    if (i != (uint32_t)round % n)
                        sync_put(sync, i, 5 + round, i);
            assert_true(sync_take(sync, &got));
            assert_int_equal(got.set.member_count, n);
            for (uint32_t i = 0; i < n; i++)
                assert_int_equal(got.members[i].input, i);
            assert_false(sync_take(sync, &got));
        }
        snt_synchronizer_destroy(sync);
    }
}

/* agnocast, autoware #1254: more than nine topics. One period, stamps a millisecond apart, given in a shuffled order. */
static void approximate_takes_up_to_64_inputs(void **state)
{
    (void)state;
    static const uint32_t counts[] = {9, 12, 33, 64};
    for (int c = 0; c < 4; c++) {
        for (uint32_t flags = 0; flags <= SNT_SYNC_COMPAT; flags++) {
            const uint32_t n = counts[c];
            snt_synchronizer *sync = sync_make(SNT_SYNC_APPROXIMATE, flags, n, 10, -1);
            sync_drain got;
            int sets = 0;
            for (int round = 0; round < 4; round++) {
                for (uint32_t k = 0; k < n; k++) {
                    const uint32_t i =
                        (k * 5 + (uint32_t)round) % n; /* 5 shares no factor with any of the counts */
                    sync_put(sync, i, round * SNT_NS_PER_S + (int64_t)i * SNT_NS_PER_MS, (uint64_t)round);
                    while (sync_take(sync, &got)) {
                        for (uint32_t m = 0; m < n; m++)
                            assert_int_equal(got.members[m].sample.token, sets);
                        assert_i64_equal(got.set.separation_ns, (int64_t)(n - 1) * SNT_NS_PER_MS);
                        sets++;
                    }
                }
            }
            assert_in_range(sets, 3, 4);
            snt_synchronizer_destroy(sync);
        }
    }
}

static void compat_epsilon_gives_the_sets_of_message_filters(void **state)
{
    (void)state;
    static const vector v[] = {
        {"ExactMatch", 2, 10, .5, 0, .1, "A0 B0 A3 B3 A6 B6", "1:(0,0) 3:(3,3) 5:(6,6)"},
        {"PerfectMatch", 2, 10, 1.5, 0, .1, "A0 B1 A3 B4 A6 B7", "1:(0,1) 3:(3,4) 5:(6,7)"},
        {"ImperfectMatch", 2, 10, 1.5, 0, .1, "A0 B1 A2 A3 B4 A6 B7", "1:(0,1) 4:(3,4) 6:(6,7)"},
        {"eps 15", 2, 10, 15, 0, .1, "A0 B10 A20 A30 B40", "1:(0,10) 4:(30,40)"},
        {"greedy", 2, 3, 15, 0, .1, "A0 A10 A20 A30 A40 B30 B41", "5:(20,30) 6:(30,41)"},
        {"out of order", 2, 3, 15, 0, .1, "A100 B200 B210 B220 B230 A205", "5:(205,210)"},
    };
    run_vectors(v, sizeof v / sizeof v[0], SNT_SYNC_EPSILON, SNT_SYNC_COMPAT);
}

static void epsilon_takes_the_nearest_of_those_present_and_earliest_the_first(void **state)
{
    (void)state;
    static const vector nearest[] = {
        {"exact partner", 2, 10, 15, 0, .1, "A0 A10 A20 A30 A40 B30 B41", "5:(30,30) 6:(40,41)"},
        {"three", 3, 10, 15, 0, .1, "A0 B14 C16 A15", "3:(15,14,16)"},
    };
    static const vector first[] = {
        {"earliest", 2, 10, 15, 0, .1, "A0 A10 A20 A30 A40 B30 B41", "5:(20,30) 6:(30,41)"},
    };
    run_vectors(nearest, 2, SNT_SYNC_EPSILON, 0);
    run_vectors(first, 1, SNT_SYNC_EARLIEST, 0);
}

/* LatestTime's Leading and Trailing tests: p every step of 20 ms, q every 2nd, r every 4th. */
static void latest_follows_the_fastest_input(void **state)
{
    (void)state;
    for (int trailing = 0; trailing < 2; trailing++) {
        snt_synchronizer *sync = sync_make(SNT_SYNC_LATEST, 0, 3, 1, -1);
        int count = 0;
        for (int idx = 0; idx < 8; idx++) {
            const snt_time t = idx * 20 * SNT_NS_PER_MS;
            if (trailing ? idx % 2 == 1 : idx % 2 == 0)
                sync_put(sync, 1, t, (uint64_t)idx / 2);
            if (trailing ? idx % 4 == 3 : idx % 4 == 0)
                sync_put(sync, 2, t, (uint64_t)idx / 4);
            sync_put(sync, 0, t, (uint64_t)idx);
            sync_drain got;
            while (sync_take(sync, &got)) {
                count++;
                assert_int_equal(got.members[0].sample.token, idx);
                assert_int_equal(got.members[1].sample.token, trailing ? (idx - 1) / 2 : idx / 2);
                assert_int_equal(got.members[2].sample.token, trailing ? (idx - 3) / 4 : idx / 4);
            }
            assert_int_equal(count, trailing ? (idx < 3 ? 0 : idx - 2) : idx);
        }
        snt_sync_drop drop;
        while (sync_take_drop(sync, &drop))
            if (drop.reason == SNT_DROP_RETIRED)
                assert_true(drop.uses >= 1);
        snt_synchronizer_destroy(sync);
    }
}

/* message_filters #131: rates that fall together must not silence it. */
static void latest_keeps_publishing_when_rates_fall(void **state)
{
    (void)state;
    snt_synchronizer *sync = sync_make(SNT_SYNC_LATEST, 0, 2, 1, -1);
    double t = 0, period = .1;
    int sets = 0;
    for (int i = 0; i < 40; i++, t += period, period *= 1.05) {
        sync_drain got;
        sync_put(sync, 0, llround(t * 1e9), (uint64_t)i);
        sync_put(sync, 1, llround(t * 1e9) + 1000, (uint64_t)i);
        while (sync_take(sync, &got))
            sets++;
        snt_sync_drop drop;
        while (sync_take_drop(sync, &drop))
            ;
    }
    assert_in_range(sets, 37, 40);
    snt_synchronizer_destroy(sync);
}

/* The driver slows down: after two of its periods another takes over. */
static void latest_changes_its_driver_when_it_falls_behind(void **state)
{
    (void)state;
    snt_synchronizer *sync = sync_make(SNT_SYNC_LATEST, 0, 2, 1, -1);
    int sets = 0;
    for (int i = 0; i < 40; i++) {
        sync_drain got;
        if (i < 20)
            sync_put(sync, 0, i * 20 * SNT_NS_PER_MS, (uint64_t)i);
        if (i % 2 == 0)
            sync_put(sync, 1, i * 20 * SNT_NS_PER_MS + 1, (uint64_t)i);
        while (sync_take(sync, &got))
            sets += i >= 24;
        snt_sync_drop drop;
        while (sync_take_drop(sync, &drop))
            ;
    }
    assert_int_equal(sets, 8); /* every sample of input 1 from 480 ms on */
    snt_synchronizer_destroy(sync);
}

/* x87 on x86-64 computes it in hardware: compare where long double has 64 bits of mantissa. */
static void the_scaling_rule_is_that_of_a_64_bit_mantissa(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG != 64)
        skip();
    test_rng rng = rng_from_env();
    static const double penalties[] = {.1, 0, .5, .037, .3333, 2.7, 999.9};
    for (int i = 0; i < 400000; i++) {
        const double factor = 1.0 + penalties[i % 7];
        int exponent;
        const uint64_t mantissa = (uint64_t)ldexp(frexp(factor, &exponent), 53);
        int64_t x = (int64_t)rng_next(&rng) >> (11 + rng_below(&rng, 53));
        if (i % 5 == 0)
            x -= x % 10;
        const int64_t want = (int64_t)((long double)x * (long double)factor);
        assert_i64_equal(snt__sync_scale(x, mantissa, (uint32_t)(53 - exponent)), want);
    }
}

/* Products that lie exactly between two 64-bit mantissas, with nothing but ones down to the integer: the tie decides. */
static void ties_go_to_the_even_mantissa(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG != 64)
        skip();
    test_rng rng = rng_from_env();
    const uint64_t mask = (UINT64_C(1) << 52) - 1;
    int met = 0;
    for (int i = 0; i < 20000; i++) {
        const uint64_t mantissa = (UINT64_C(1) << 52) | (rng_next(&rng) & mask) | 1;
        uint64_t inverse = mantissa; /* Newton: right modulo 2^3, 2^6, … 2^96 */
        for (int k = 0; k < 5; k++)
            inverse *= 2 - mantissa * inverse;
        for (uint32_t extra = 39; extra <= 41; extra++) {
            const uint64_t x = (mask + 1 - (UINT64_C(1) << (extra - 1))) * inverse & mask;
            const snt__sync_wide p = snt__sync_multiply(x, mantissa);
            if (p.hi >> extra || !(p.hi >> (extra - 1)))
                continue; /* not of 64 + extra bits */
            met++;
            const double factor = ldexp((double)mantissa, -52);
            assert_i64_equal(snt__sync_scale((int64_t)x, mantissa, 52),
                             (int64_t)((long double)x * (long double)factor));
            assert_i64_equal(snt__sync_scale(-(int64_t)x, mantissa, 52),
                             (int64_t)(-(long double)x * (long double)factor));
        }
    }
    assert_true(met > 1000);
}

static void adding_can_take_the_set_that_it_completes(void **state)
{
    (void)state;
    snt_synchronizer *sync = sync_make(SNT_SYNC_EXACT, 0, 2, 2, -1);
    sync_drain got;
    bool any;
    memset(&got, 1, sizeof got);
    const sync_drain before = got;
    assert_status(sync_put_take(sync, 0, 100, 1, &got, &any), SNT_PENDING);
    assert_memory_equal(&got, &before, sizeof got);
    assert_status(sync_put_take(sync, 1, 100, 2, &got, &any), SNT_OK);
    assert_int_equal(got.set.member_count, 2);
    assert_int_equal(got.set.present, 3);
    assert_int_equal(got.set.more, 0);
    assert_int_equal(got.set.undrained, 0);
    assert_i64_equal(got.set.reference_ns, 100);
    assert_int_equal(got.members[0].sample.token, 1);
    assert_int_equal(got.members[1].sample.token, 2);
    assert_int_equal(got.members[1].input, 1);
    assert_i64_equal(got.members[1].key_ns, 100);
    assert_false(sync_take(sync, &got));
    /* nothing to take but what was dropped */
    assert_status(sync_put_take(sync, 0, 200, 3, &got, &any), SNT_PENDING);
    assert_status(sync_put_take(sync, 0, 300, 4, &got, &any), SNT_PENDING);
    assert_status(sync_put_take(sync, 0, 400, 5, &got, &any), SNT_EMPTY);
    assert_status(sync_put_take(sync, 1, 400, 6, &got, &any), SNT_OK);
    assert_int_equal(got.set.number, 1);
    assert_int_equal(got.set.undrained, 2);
    snt_synchronizer_destroy(sync);
}

static void adding_and_polling_refuses_as_adding_does(void **state)
{
    (void)state;
    snt_sync_config cfg;
    snt_synchronizer *sync;
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.policy = SNT_SYNC_EXACT;
    cfg.ready = 1;
    assert_status(snt_synchronizer_create(&cfg, NULL, &sync), SNT_OK);
    sync_drain got;
    memset(&got, 1, sizeof got);
    const sync_drain before = got;
    snt_sample sample;
    snt_sample_init(&sample, 5, 0, 1);
#define ADD_POLL(sync, input, sample, set, members, n)                                                       \
    snt_synchronizer_add_poll(sync, input, sample, SNT_UNKNOWN, set, members, n)
    assert_status(ADD_POLL(NULL, 0, &sample, &got.set, got.members, 2), SNT_ERR_INVALID_ARG);
    assert_status(ADD_POLL(sync, 2, &sample, &got.set, got.members, 2), SNT_ERR_INVALID_ARG);
    assert_status(ADD_POLL(sync, 0, NULL, &got.set, got.members, 2), SNT_ERR_INVALID_ARG);
    assert_status(ADD_POLL(sync, 0, &sample, NULL, got.members, 2), SNT_ERR_INVALID_ARG);
    assert_status(ADD_POLL(sync, 0, &sample, &got.set, NULL, 2), SNT_ERR_INVALID_ARG);
    assert_status(ADD_POLL(sync, 0, &sample, &got.set, got.members, 1), SNT_ERR_BUFFER_TOO_SMALL);
    sample.t1_ns = 4;
    assert_status(ADD_POLL(sync, 0, &sample, &got.set, got.members, 2), SNT_ERR_INVALID_ARG);
    sample.t1_ns = 5;
    sample.err_hi_ns = -1;
    sample.flags = SNT_TIME_BOUND_HI;
    assert_status(ADD_POLL(sync, 0, &sample, &got.set, got.members, 2), SNT_ERR_INVALID_ARG);
    sample.err_hi_ns = 0;
    assert_true(snt_synchronizer_add(sync, 0, &sample, SNT_UNKNOWN) >= 0);
    assert_true(snt_synchronizer_add(sync, 1, &sample, SNT_UNKNOWN) >= 0);
    assert_status(ADD_POLL(sync, 0, &sample, &got.set, got.members, 2), SNT_ERR_FULL);
#undef ADD_POLL
    assert_memory_equal(&got, &before, sizeof got);
    snt_sync_stats stats;
    assert_status(snt_synchronizer_stats(sync, &stats), SNT_OK);
    assert_int_equal(stats.in, 2);
    assert_int_equal(stats.refused, 1);
    snt_synchronizer_destroy(sync);
}

/* A set that was ready before comes first. */
static void adding_and_polling_keeps_the_order_of_sets(void **state)
{
    (void)state;
    static const uint32_t policies[] = {SNT_SYNC_EXACT, SNT_SYNC_EARLIEST};
    for (int p = 0; p < 2; p++) {
        snt_synchronizer *sync = sync_make(policies[p], 0, 2, 4, 0);
        sync_drain got;
        bool any;
        for (int k = 1; k <= 2; k++) {
            sync_put(sync, 0, 10 * k, (uint64_t)k);
            if (k == 1)
                sync_put(sync, 1, 10, 1);
        }
        assert_status(sync_put_take(sync, 1, 20, 2, &got, &any), SNT_OK);
        assert_i64_equal(got.set.reference_ns, 10);
        assert_int_equal(got.set.more, 1);
        assert_true(sync_take(sync, &got));
        assert_i64_equal(got.set.reference_ns, 20);
        assert_int_equal(got.set.number, 1);
        snt_synchronizer_destroy(sync);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compat_approximate_gives_the_sets_of_message_filters),
        cmocka_unit_test(compat_starves_after_an_overflow_as_ros_does_and_says_so),
        cmocka_unit_test(fixed_mode_recovers_after_an_overflow),
        cmocka_unit_test(what_approximate_skips_in_silence_is_reported),
        cmocka_unit_test(fixed_mode_keeps_the_sets_of_well_behaved_streams),
        cmocka_unit_test(a_learned_period_saves_the_period_of_delay),
        cmocka_unit_test(fixed_mode_emits_its_candidate_when_a_queue_is_full),
        cmocka_unit_test(exact_on_worked_examples),
        cmocka_unit_test(exact_accounts_for_what_found_no_partner),
        cmocka_unit_test(exact_completes_with_the_last_of_n_inputs),
        cmocka_unit_test(approximate_takes_up_to_64_inputs),
        cmocka_unit_test(compat_epsilon_gives_the_sets_of_message_filters),
        cmocka_unit_test(epsilon_takes_the_nearest_of_those_present_and_earliest_the_first),
        cmocka_unit_test(latest_follows_the_fastest_input),
        cmocka_unit_test(latest_keeps_publishing_when_rates_fall),
        cmocka_unit_test(latest_changes_its_driver_when_it_falls_behind),
        cmocka_unit_test(adding_can_take_the_set_that_it_completes),
        cmocka_unit_test(adding_and_polling_refuses_as_adding_does),
        cmocka_unit_test(adding_and_polling_keeps_the_order_of_sets),
        cmocka_unit_test(the_scaling_rule_is_that_of_a_64_bit_mantissa),
        cmocka_unit_test(ties_go_to_the_even_mantissa),
    };
    return cmocka_run_group_tests_name("sync_policies", tests, NULL, NULL);
}
