/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache and sequencer on the inputs of message_filters' own tests. */
#include "test.h"

static snt_message_cache *cache_of(uint32_t capacity)
{
    snt_message_cache_config cfg;
    snt_message_cache *cache;
    snt_message_cache_config_init(&cfg, sizeof cfg);
    cfg.capacity = capacity;
    assert_status(snt_message_cache_create(&cfg, NULL, &cache), SNT_OK);
    return cache;
}

static void cache_put(snt_message_cache *cache, snt_time t)
{
    snt_sample sample;
    snt_sample_init(&sample, t, SNT_DOMAIN_UNIX, (uint64_t)(t / 10));
    assert_status(snt_message_cache_add(cache, &sample, NULL, NULL), SNT_OK);
    snt_message_cache_stats s;
    snt_message_cache_get_stats(cache, &s);
    assert_int_equal(s.in, s.held + s.evicted + s.reset);
}

/* "1,2,3" */
static const char *tokens(const snt_sample *samples, uint32_t n)
{
    static char text[256];
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < n; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%d", i ? "," : "", (int)samples[i].token);
    return text;
}

static const char *interval(snt_message_cache *cache, snt_time a, snt_time b)
{
    snt_sample got[64];
    uint32_t n;
    assert_true(snt_message_cache_interval(cache, a, b, got, 64, &n) >= 0);
    return tokens(got, n);
}

static const char *surrounding(snt_message_cache *cache, snt_time a, snt_time b)
{
    snt_sample got[64];
    uint32_t n;
    assert_true(snt_message_cache_surrounding(cache, a, b, got, 64, &n) >= 0);
    return tokens(got, n);
}

static void intervals_as_in_message_filters(void **state)
{
    (void)state;
    snt_message_cache *cache = cache_of(10);
    assert_string_equal(surrounding(cache, 5, 9), ""); /* emptySurroundingInterval */
    for (int i = 0; i <= 4; i++)
        cache_put(cache, i * 10);
    assert_string_equal(interval(cache, 5, 35), "1,2,3"); /* easyInterval */
    assert_string_equal(interval(cache, 55, 65), "");
    assert_string_equal(interval(cache, 10, 30), "1,2,3"); /* inclusive */
    assert_string_equal(interval(cache, 35, 5), "");
    for (int i = 5; i <= 19; i++)
        cache_put(cache, i * 10);
    assert_string_equal(interval(cache, 5, 35), "");
    snt_message_cache_destroy(cache);

    cache = cache_of(10); /* easySurroundingInterval */
    for (int i = 1; i <= 5; i++)
        cache_put(cache, i * 10);
    assert_string_equal(surrounding(cache, 15, 35), "1,2,3,4");
    assert_string_equal(surrounding(cache, 0, 35), "1,2,3,4");
    assert_string_equal(surrounding(cache, 35, 35), "3,4");
    assert_string_equal(surrounding(cache, 55, 55), "5");
    snt_sample two[2];
    uint32_t n;
    assert_status(snt_message_cache_surrounding(cache, 0, 35, two, 2, &n), SNT_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(n, 4);
    snt_message_cache_destroy(cache);

    cache = cache_of(10); /* easyUnsorted */
    static const int order[] = {10, 30, 70, 5, 20};
    for (int i = 0; i < 5; i++)
        cache_put(cache, order[i]);
    assert_string_equal(interval(cache, 3, 15), "0,1");
    assert_string_equal(interval(cache, 0, 80), "0,1,2,3,7");
    snt_message_cache_destroy(cache);
}

static void before_and_after_know_both_conventions(void **state)
{
    (void)state;
    snt_message_cache *cache = cache_of(10);
    snt_sample got;
    assert_status(snt_message_cache_latest(cache, &got), SNT_EMPTY);
    for (int i = 5; i <= 9; i++)
        cache_put(cache, i * 10);
    assert_status(snt_message_cache_after(cache, 85, SNT_CACHE_OPEN, &got), SNT_OK); /* easyElemBeforeAfter */
    assert_i64_equal(got.t0_ns, 90);
    assert_status(snt_message_cache_before(cache, 85, SNT_CACHE_OPEN, &got), SNT_OK);
    assert_i64_equal(got.t0_ns, 80);
    assert_status(snt_message_cache_before(cache, 45, SNT_CACHE_OPEN, &got), SNT_EMPTY);
    /* at a stamp: C++ excludes it, Python includes it */
    snt_message_cache_after(cache, 70, SNT_CACHE_OPEN, &got);
    assert_i64_equal(got.t0_ns, 80);
    snt_message_cache_after(cache, 70, SNT_CACHE_CLOSED, &got);
    assert_i64_equal(got.t0_ns, 70);
    snt_message_cache_before(cache, 70, SNT_CACHE_OPEN, &got);
    assert_i64_equal(got.t0_ns, 60);
    snt_message_cache_before(cache, 70, SNT_CACHE_CLOSED, &got);
    assert_i64_equal(got.t0_ns, 70);
    assert_status(snt_message_cache_after(cache, 90, SNT_CACHE_OPEN, &got), SNT_EMPTY);
    snt_message_cache_latest(cache, &got);
    assert_i64_equal(got.t0_ns, 90);
    snt_message_cache_oldest(cache, &got);
    assert_i64_equal(got.t0_ns, 50);
    snt_message_cache_destroy(cache);
}

/* size 2 [10, 20] add 5: message_filters gives [5, 20], having evicted a newer sample for an older one. */
static void a_full_cache_gives_up_its_oldest_even_if_that_is_the_new_one(void **state)
{
    (void)state;
    snt_message_cache *cache = cache_of(2);
    snt_sample five, gone = {0};
    uint32_t has = 9;
    cache_put(cache, 10);
    cache_put(cache, 20);
    snt_sample_init(&five, 5, SNT_DOMAIN_UNIX, 55);
    assert_status(snt_message_cache_add(cache, &five, &gone, &has), SNT_OK);
    assert_int_equal(has, 1);
    assert_int_equal(gone.token, 55);
    assert_string_equal(interval(cache, 0, 100), "1,2");
    snt_message_cache_destroy(cache);
}

static void a_cache_forgets_an_old_session_and_refuses_foreign_clocks(void **state)
{
    (void)state;
    snt_message_cache_config cfg;
    snt_message_cache *cache;
    snt_epoch *epoch;
    snt_epoch_create(NULL, &epoch);
    snt_message_cache_config_init(&cfg, sizeof cfg);
    cfg.epoch = epoch;
    assert_status(snt_message_cache_create(&cfg, NULL, &cache), SNT_OK);
    cache_put(cache, 10);
    snt_epoch_bump(epoch, SNT_EPOCH_REPLAY_SEEK);
    assert_string_equal(interval(cache, 0, 100), "");
    snt_sample sample;
    snt_sample_init(&sample, 10, SNT_DOMAIN_UNIX, 0);
    sample.session = 1;
    assert_status(snt_message_cache_add(cache, &sample, NULL, NULL), SNT_ERR_SESSION);
    sample.session = 2;
    assert_status(snt_message_cache_add(cache, &sample, NULL, NULL), SNT_OK);
    sample.domain = SNT_DOMAIN_TAI;
    assert_status(snt_message_cache_add(cache, &sample, NULL, NULL), SNT_ERR_DOMAIN);
    snt_message_cache_stats stats;
    snt_message_cache_get_stats(cache, &stats);
    assert_int_equal(stats.reset, 1);
    assert_int_equal(stats.refused, 2);
    snt_message_cache_destroy(cache);
    snt_epoch_unref(epoch);
    cfg.capacity = 0;
    assert_status(snt_message_cache_create(&cfg, NULL, &cache), SNT_ERR_RANGE);
}

static snt_time_sequencer *sequencer_of(uint32_t capacity, snt_duration delay)
{
    snt_time_sequencer_config cfg;
    snt_time_sequencer *s;
    snt_time_sequencer_config_init(&cfg, sizeof cfg);
    cfg.capacity = capacity;
    cfg.delay_ns = delay;
    assert_status(snt_time_sequencer_create(&cfg, NULL, &s), SNT_OK);
    return s;
}

static void sequencer_put(snt_time_sequencer *s, snt_time t, uint64_t token)
{
    snt_sample sample;
    snt_sample_init(&sample, t, SNT_DOMAIN_UNIX, token);
    assert_status(snt_time_sequencer_add(s, &sample), SNT_OK);
}

static void sequencer_books(snt_time_sequencer *s)
{
    snt_time_sequencer_stats stats;
    snt_time_sequencer_get_stats(s, &stats);
    uint64_t sum = stats.out + stats.held;
    for (int i = 0; i < SNT_DROP_COUNT; i++)
        sum += stats.dropped[i];
    assert_int_equal(sum, stats.in);
}

/* simple: delay 0.25 s, not after 0.1 s, delivered after 0.33 s more. */
static void a_sample_comes_out_after_its_delay(void **state)
{
    (void)state;
    snt_time_sequencer *s = sequencer_of(10, 250 * SNT_NS_PER_MS);
    snt_sample got;
    assert_status(snt_time_sequencer_poll(s, 0, &got), SNT_EMPTY);
    sequencer_put(s, 0, 7);
    assert_status(snt_time_sequencer_poll(s, 100 * SNT_NS_PER_MS, &got), SNT_PENDING);
    assert_status(snt_time_sequencer_poll(s, 250 * SNT_NS_PER_MS - 1, &got), SNT_PENDING);
    assert_status(snt_time_sequencer_poll(s, 250 * SNT_NS_PER_MS, &got), SNT_OK);
    assert_int_equal(got.token, 7);
    snt_time_sequencer_destroy(s);
}

static void samples_come_out_in_order_and_the_late_are_named(void **state)
{
    (void)state;
    snt_time_sequencer *s = sequencer_of(3, 0);
    snt_sample got;
    snt_time_sequencer_drop drop;
    sequencer_put(s, 30, 1);
    sequencer_put(s, 10, 2);
    sequencer_put(s, 10, 3); /* ties by arrival */
    sequencer_put(s, 20, 4); /* one too many: exactly one of the two oldest goes */
    sequencer_books(s);
    assert_status(snt_time_sequencer_poll_drop(s, &drop), SNT_OK);
    assert_int_equal(drop.sample.token, 2);
    assert_int_equal(drop.reason, SNT_DROP_OVERFLOW_OLDEST);
    assert_status(snt_time_sequencer_poll_drop(s, &drop), SNT_EMPTY);
    static const uint64_t order[] = {3, 4, 1};
    for (int i = 0; i < 3; i++) {
        assert_status(snt_time_sequencer_poll(s, SNT_TIME_INFINITE_FUTURE, &got), SNT_OK);
        assert_int_equal(got.token, order[i]);
    }
    sequencer_put(s, 30, 5); /* equal passes */
    sequencer_put(s, 29, 6);
    assert_status(snt_time_sequencer_poll_drop(s, &drop), SNT_OK);
    assert_int_equal(drop.reason, SNT_DROP_LATE);
    assert_i64_equal(drop.behind_ns, 1);
    snt_time_sequencer_clear(s); /* after a jump back: start over instead of dropping for ever */
    assert_status(snt_time_sequencer_poll_drop(s, &drop), SNT_OK);
    assert_int_equal(drop.reason, SNT_DROP_CLEARED);
    sequencer_put(s, 0, 8);
    assert_status(snt_time_sequencer_poll(s, 0, &got), SNT_OK);
    sequencer_books(s);
    snt_time_sequencer_destroy(s);
}

static void a_sequencer_equals_a_stable_sort(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    enum { N = 200 };
    for (int round = 0; round < 50; round++) {
        snt_time_sequencer *s = sequencer_of(N, 0);
        snt_time t[N];
        int order[N];
        for (int i = 0; i < N; i++) {
            t[i] = rng_int(&rng, 0, 60);
            int at = i;
            while (at && t[order[at - 1]] > t[i]) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = i;
            sequencer_put(s, t[i], (uint64_t)i);
        }
        for (int i = 0; i < N; i++) {
            snt_sample got;
            assert_status(snt_time_sequencer_poll(s, SNT_TIME_INFINITE_FUTURE, &got), SNT_OK);
            assert_int_equal(got.token, order[i]);
        }
        snt_time_sequencer_destroy(s);
    }
}

static void a_sequencer_refuses_when_nobody_drains(void **state)
{
    (void)state;
    snt_time_sequencer *s = sequencer_of(2, 0);
    snt_sample sample;
    snt_status status = SNT_OK;
    int taken = 0;
    for (int i = 0; i < 100 && status == SNT_OK; i++) {
        snt_sample_init(&sample, i, SNT_DOMAIN_UNIX, 0);
        status = snt_time_sequencer_add(s, &sample);
        taken += status == SNT_OK;
    }
    assert_status(status, SNT_ERR_FULL);
    assert_int_equal(taken, 5);
    sequencer_books(s);
    sample.t1_ns = sample.t0_ns - 1;
    assert_status(snt_time_sequencer_add(s, &sample), SNT_ERR_INVALID_ARG);
    snt_time_sequencer_destroy(s);
    snt_time_sequencer_destroy(NULL);
}

/*
 * message_filters' InputAligner over a sequencer without delay: polled with the earliest stamp that can still come, the
 * least of newest + period over the inputs that are alive. One that is due for `timeout` is not waited for.
 */
typedef struct aligner {
    snt_time_sequencer *sequencer;
    snt_time newest[4], period, timeout, last_in;
    uint64_t dropped;
    int out;
    snt_time stamps[32];
} aligner;

static void aligner_add(aligner *a, uint32_t input, snt_time t)
{
    snt_time_sequencer_drop drop;
    sequencer_put(a->sequencer, t, input);
    if (snt_time_sequencer_poll_drop(a->sequencer, &drop) ==
        SNT_OK) { /* late: says nothing about what comes */
        assert_int_equal(drop.reason, SNT_DROP_LATE);
        assert_int_equal(drop.sample.token, input);
        a->dropped++;
        return;
    }
    a->newest[input] = a->newest[input] > t ? a->newest[input] : t;
    a->last_in = a->last_in > t ? a->last_in : t;
}

static void aligner_dispatch(aligner *a)
{
    snt_time watermark = SNT_TIME_INFINITE_FUTURE;
    snt_sample got;
    for (int i = 0; i < 4; i++) {
        const snt_time due = a->newest[i] + a->period;
        if (a->newest[i] && a->last_in - due < a->timeout && due < watermark)
            watermark = due;
    }
    while (snt_time_sequencer_poll(a->sequencer, watermark, &got) == SNT_OK)
        a->stamps[a->out++] = got.t0_ns;
    sequencer_books(a->sequencer);
}

static void a_sequencer_with_a_watermark_aligns_inputs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        snt_time period;
        const char *script; /* input:stamp in ms, '/' = dispatch */
        int after_first;    /* how many were out after the first dispatch */
        uint64_t dropped;
        const char *out;
    } v[] = {
        {"dispatch_inputs_in_order", 4, "2:3 0:1 2:7 0:5 3:2 0:9 1:4 1:8 3:6 /", 9, 0, "1 2 3 4 5 6 7 8 9"},
        {"ignores_inactive_inputs", 2, "1:1 1:3 1:5 2:2 2:4 /", 5, 0, "1 2 3 4 5"},
        {"input_timeout", 2, "0:1 0:3 0:5 0:7 0:9 0:11 0:13 0:15 1:2 1:4 / 0:17 /", 5, 0,
         "1 2 3 4 5 7 9 11 13 15 17"},
        {"drops_msgs", 2, "1:4 0:3 / 0:1 0:5 0:7 1:2 1:6 /", 2, 2, "3 4 5 6 7"},
        {"no_period_information", 0, "0:6 2:2 2:4 1:1 1:3 1:5 / 0:16 /", 4, 0, "1 2 3 4 5 6 16"},
    };
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        aligner a = {.sequencer = sequencer_of(16, 0), .period = v[i].period, .timeout = 10};
        int dispatches = 0;
        for (const char *at = v[i].script; *at; at++) {
            if (*at == '/') {
                aligner_dispatch(&a);
                if (!dispatches++)
                    assert_int_equal(a.out, v[i].after_first);
            } else if (*at != ' ') {
                char *end;
                const uint32_t input = (uint32_t)strtoul(at, &end, 10);
                aligner_add(&a, input, strtol(end + 1, &end, 10));
                at = end - 1;
            }
        }
        char text[128] = "";
        size_t used = 0;
        for (int n = 0; n < a.out; n++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", n ? " " : "",
                                     (long long)a.stamps[n]);
        if (strcmp(text, v[i].out) != 0)
            fail_msg("%s: got %s, expected %s", v[i].name, text, v[i].out);
        assert_i64_equal((int64_t)a.dropped, (int64_t)v[i].dropped);
        snt_time_sequencer_destroy(a.sequencer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_as_in_message_filters),
        cmocka_unit_test(before_and_after_know_both_conventions),
        cmocka_unit_test(a_full_cache_gives_up_its_oldest_even_if_that_is_the_new_one),
        cmocka_unit_test(a_cache_forgets_an_old_session_and_refuses_foreign_clocks),
        cmocka_unit_test(a_sample_comes_out_after_its_delay),
        cmocka_unit_test(samples_come_out_in_order_and_the_late_are_named),
        cmocka_unit_test(a_sequencer_equals_a_stable_sort),
        cmocka_unit_test(a_sequencer_refuses_when_nobody_drains),
        cmocka_unit_test(a_sequencer_with_a_watermark_aligns_inputs),
    };
    return cmocka_run_group_tests_name("message_cache", tests, NULL, NULL);
}
