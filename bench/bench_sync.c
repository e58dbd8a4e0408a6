/* SPDX-License-Identifier: BSD-3-Clause */
/* The synchronizer against message_filters: nanoseconds per message, sets and drops taken as they come. */
#include "bench.h"
#include "peers/sync_peer.h"

#include <stdbool.h>

#include "sensortime/sensortime.h"

enum { TABLE = 4096, MAX_INPUTS = 64, BATCH = 16 };

/* Where in the stream a side is. Kept in locals while it is timed. */
typedef struct cursor {
    int64_t base;
    uint64_t count;
    uint32_t at;
} cursor;

/* One turn of the stream; it repeats `span` later. Both sides are given the same. */
typedef struct stream {
    snt_synchronizer *sync;
    sync_peer *peer;
    cursor ours, theirs;
    int64_t span;
    uint32_t length;
    uint64_t sets;
    uint32_t input[TABLE];
    int64_t t[TABLE];
} stream;

static void make_stream(stream *s, uint32_t inputs, bool exact, int64_t fast, int64_t slow)
{
    uint64_t x = 88172645463325252u;
    const uint32_t group = slow ? (uint32_t)(slow / fast) + 1 : inputs;
    s->length = TABLE / group * group;
    s->span = (int64_t)(TABLE / group) * (slow ? slow : 100000000);
    for (uint32_t i = 0; i < s->length; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        const int64_t jitter = (int64_t)(x % 1000000), round = i / group, k = i % group;
        if (slow) { /* the fast ones, then a slow one */
            s->input[i] = k == group - 1;
            s->t[i] = round * slow + (s->input[i] ? (k - 1) * fast + 1000000 : k * fast + jitter / 16);
        } else {
            s->input[i] = (uint32_t)k;
            s->t[i] = round * 100000000 + (exact ? 0 : k * 1000000 + jitter);
        }
    }
}

/* How many of `left` messages come before the stream starts over. */
static inline uint32_t stretch(const stream *s, const cursor *c, int64_t left)
{
    const uint32_t ahead = s->length - c->at;
    return left < (int64_t)ahead ? (uint32_t)left : ahead;
}

static inline void advance(const stream *s, cursor *c, uint32_t messages)
{
    c->count += messages;
    c->at += messages;
    if (c->at == s->length) {
        c->at = 0;
        c->base += s->span;
    }
}

static void take_drops(snt_synchronizer *sync)
{
    snt_sync_drop drops[16];
    uint32_t count;
    while (snt_synchronizer_poll_drops(sync, drops, 16, &count) == SNT_OK && count == 16)
        ;
}

/* After an add that gave a set or left drops to take. */
static inline void took(stream *s, snt_status status, snt_sync_set *set, snt_sync_member *members)
{
    bool drops = true;
    if (status == SNT_OK) {
        s->sets++;
        while (set->more &&
               snt_synchronizer_poll(s->sync, SNT_UNKNOWN, SNT_UNKNOWN, set, members, MAX_INPUTS) == SNT_OK)
            s->sets++;
        drops = set->undrained != 0;
    }
    if (drops)
        take_drops(s->sync);
}

/* One call for each message, as the peer's add that calls back. */
static void ours(void *context, int64_t calls)
{
    stream *s = context;
    cursor c = s->ours;
    snt_sync_set set;
    snt_sync_member members[MAX_INPUTS];
    snt_sample sample;
    snt_sample_init(&sample, 0, SNT_DOMAIN_UNIX, 0);
    for (int64_t left = calls; left;) {
        const uint32_t n = stretch(s, &c, left);
        for (uint32_t i = 0; i < n; i++) {
            sample.token = c.count + i;
            sample.t0_ns = sample.t1_ns = c.base + s->t[c.at + i];
            const snt_status status = snt_synchronizer_add_poll(s->sync, s->input[c.at + i], &sample,
                                                                SNT_UNKNOWN, &set, members, MAX_INPUTS);
            if (status != SNT_PENDING)
                took(s, status, &set, members);
        }
        advance(s, &c, n);
        left -= n;
    }
    s->ours = c;
    bench_sink(s->sets);
}

static void take_sets(stream *s)
{
    snt_sync_set set;
    snt_sync_member members[MAX_INPUTS];
    bool drained = false;
    while (snt_synchronizer_poll(s->sync, SNT_UNKNOWN, SNT_UNKNOWN, &set, members, MAX_INPUTS) == SNT_OK) {
        s->sets++;
        drained = !set.undrained;
        if (!set.more)
            break;
    }
    if (!drained)
        take_drops(s->sync);
}

/* Adding and polling apart. */
static void ours_polled(void *context, int64_t calls)
{
    stream *s = context;
    cursor c = s->ours;
    snt_sample sample;
    snt_sample_init(&sample, 0, SNT_DOMAIN_UNIX, 0);
    for (int64_t left = calls; left;) {
        const uint32_t n = stretch(s, &c, left);
        for (uint32_t i = 0; i < n; i++) {
            sample.token = c.count + i;
            sample.t0_ns = sample.t1_ns = c.base + s->t[c.at + i];
            if (snt_synchronizer_add(s->sync, s->input[c.at + i], &sample, SNT_UNKNOWN) == SNT_OK)
                take_sets(s);
        }
        advance(s, &c, n);
        left -= n;
    }
    s->ours = c;
    bench_sink(s->sets);
}

/* Batches of instants, as a recording is read. */
static void ours_batch(void *context, int64_t calls)
{
    stream *s = context;
    cursor c = s->ours;
    for (int64_t left = calls; left;) {
        uint32_t n = stretch(s, &c, left);
        n = n < BATCH ? n : BATCH;
        snt_time t[BATCH];
        uint64_t tokens[BATCH], added, done = 0;
        for (uint32_t i = 0; i < n; i++) {
            t[i] = c.base + s->t[c.at + i];
            tokens[i] = c.count + i;
        }
        while (done < n) {
            if (snt_synchronizer_add_many(s->sync, &s->input[c.at + done], t + done, tokens + done, n - done,
                                          SNT_DOMAIN_UNIX, SNT_UNKNOWN, &added) != SNT_PENDING)
                take_sets(s);
            done += added;
        }
        advance(s, &c, n);
        left -= n;
    }
    s->ours = c;
    bench_sink(s->sets);
}

static void theirs(void *context, int64_t calls)
{
    stream *s = context;
    cursor c = s->theirs;
    for (int64_t left = calls; left;) {
        const uint32_t n = stretch(s, &c, left);
        for (uint32_t i = 0; i < n; i++)
            sync_peer_add(s->peer, s->input[c.at + i], c.base + s->t[c.at + i]);
        advance(s, &c, n);
        left -= n;
    }
    s->theirs = c;
    bench_sink(sync_peer_sets(s->peer));
}

static void run_as(const char *name, bench_fn how, uint32_t policy, uint32_t flags, uint32_t inputs,
                   uint32_t queue, int64_t fast, int64_t slow)
{
    if (!bench_wanted(name))
        return;
    static stream s;
    memset(&s, 0, sizeof s);
    const bool exact = policy == SNT_SYNC_EXACT;
    make_stream(&s, inputs, exact, fast, slow);
    snt_sync_config cfg;
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.policy = policy;
    cfg.flags = flags;
    cfg.input_count = inputs;
    cfg.queue = queue;
    if (snt_synchronizer_create(&cfg, NULL, &s.sync) != SNT_OK) {
        fprintf(stderr, "# %s: create failed\n", name);
        return;
    }
    s.peer = sync_peer_create(exact, inputs, queue);
    const int64_t calls = (bench_quick ? 40000 : 400000) / (inputs > 4 ? inputs / 4 : 1);
    const bench_result result = bench_compare(&s, how, s.peer ? theirs : NULL, calls);
    fprintf(stderr, "# %s: %llu sets of %lld messages, peer %llu\n", name, (unsigned long long)s.sets,
            (long long)s.ours.count, (unsigned long long)(s.peer ? sync_peer_sets(s.peer) : 0));
    bench_report(name, result);
    sync_peer_destroy(s.peer);
    snt_synchronizer_destroy(s.sync);
}

static void run(const char *name, uint32_t policy, uint32_t flags, uint32_t inputs, uint32_t queue,
                int64_t fast, int64_t slow)
{
    run_as(name, ours, policy, flags, inputs, queue, fast, slow);
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    run("sync_approx_n2", SNT_SYNC_APPROXIMATE, SNT_SYNC_COMPAT, 2, 10, 0, 0);
    run("sync_approx_n4", SNT_SYNC_APPROXIMATE, SNT_SYNC_COMPAT, 4, 10, 0, 0);
    run("sync_approx_n16", SNT_SYNC_APPROXIMATE, SNT_SYNC_COMPAT, 16, 10, 0, 0);
    run("sync_approx_n64", SNT_SYNC_APPROXIMATE, SNT_SYNC_COMPAT, 64, 10, 0, 0);
    run("sync_rate_mismatch", SNT_SYNC_APPROXIMATE, SNT_SYNC_COMPAT, 2, 1000, 5000000, 200000000);
    run("sync_exact_n2", SNT_SYNC_EXACT, 0, 2, 10, 0, 0);
    run("sync_exact_n16", SNT_SYNC_EXACT, 0, 16, 10, 0, 0);
    run("sync_exact_n64", SNT_SYNC_EXACT, 0, 64, 10, 0, 0);
    run("sync_fixed_n2", SNT_SYNC_APPROXIMATE, 0, 2, 10, 0, 0);
    run("sync_fixed_n4", SNT_SYNC_APPROXIMATE, 0, 4, 10, 0, 0);
    /* the same without the lock: where the application serialises anyway */
    const uint32_t single = SNT_SYNC_SINGLE_THREAD, compat = SNT_SYNC_COMPAT | single;
    run("sync_approx_n2_single", SNT_SYNC_APPROXIMATE, compat, 2, 10, 0, 0);
    run("sync_approx_n4_single", SNT_SYNC_APPROXIMATE, compat, 4, 10, 0, 0);
    run("sync_rate_mismatch_single", SNT_SYNC_APPROXIMATE, compat, 2, 1000, 5000000, 200000000);
    run("sync_exact_n2_single", SNT_SYNC_EXACT, single, 2, 10, 0, 0);
    /* adding and polling apart, each with its lock */
    run_as("sync_approx_n2_polled", ours_polled, SNT_SYNC_APPROXIMATE, SNT_SYNC_COMPAT, 2, 10, 0, 0);
    run_as("sync_exact_n2_polled", ours_polled, SNT_SYNC_EXACT, 0, 2, 10, 0, 0);
    run_as("sync_approx_n2_many", ours_batch, SNT_SYNC_APPROXIMATE, SNT_SYNC_COMPAT, 2, 10, 0, 0);
    run_as("sync_exact_n2_many", ours_batch, SNT_SYNC_EXACT, 0, 2, 10, 0, 0);
    return 0;
}
