/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The message filter against a list: after every insert the model asks the buffer about every waiting sample anew, the
 * filter looks only where it hangs. The same must be released by the same poll, in the same order. A sample that can never
 * be transformed any more may be noticed later by the filter, but must not be released.
 */
#include "test.h"

enum { FRAMES = 6, MAX_WAITING = 4096 };

typedef struct waiting {
    snt_sample sample;
    snt_frame source;
    int64_t tolerance, added;
    uint64_t order;
    bool doomed;
} waiting;

typedef struct model {
    snt_tf_buffer *tf;
    snt_message_filter *filter;
    snt_frame frames[FRAMES], targets[2];
    uint32_t target_count;
    waiting list[MAX_WAITING];
    int count;
    int64_t timeout;
    int released, timeouts, gone;
} model;

static snt_status model_can(const model *m, const waiting *w, uint32_t *permanent)
{
    const int64_t t[4] = {w->sample.t1_ns + (w->tolerance > 0 ? w->tolerance : 0), w->sample.t1_ns,
                          w->sample.t0_ns, w->sample.t0_ns + (w->tolerance < 0 ? w->tolerance : 0)};
    snt_status first = SNT_OK;
    *permanent = 0;
    for (uint32_t k = 0; k < m->target_count; k++)
        for (int i = 0; i < 4; i++) {
            snt_tf_miss miss;
            const snt_status status = snt_tf_buffer_can(m->tf, m->targets[k], w->source, t[i], &miss);
            if (status == SNT_OK)
                continue;
            first = first ? first : status;
            *permanent |= miss.permanent || miss.reason == SNT_TF_MISS_PAST;
        }
    return first;
}

static void model_remove(model *m, int at)
{
    memmove(m->list + at, m->list + at + 1, sizeof(waiting) * (size_t)(--m->count - at));
}

/* What a poll must give now, least stamp first; -1 = nothing. */
static int model_next(model *m)
{
    int best = -1;
    for (int i = 0; i < m->count; i++) {
        uint32_t permanent;
        if (m->list[i].doomed)
            continue;
        if (model_can(m, &m->list[i], &permanent) != SNT_OK) {
            m->list[i].doomed = permanent != 0;
            continue;
        }
        if (best < 0 || m->list[i].sample.t0_ns < m->list[best].sample.t0_ns)
            best = i;
    }
    return best;
}

static void poll_all(model *m, int64_t now)
{
    snt_filter_release release;
    snt_tf_result results[4];
    for (;;) {
        const int want = model_next(m);
        const snt_status status = snt_message_filter_poll(m->filter, now, SNT_UNKNOWN, &release, results, 4);
        if (want < 0 && status == SNT_EMPTY)
            break;
        if (want < 0)
            fail_msg("token %d released, the model would not", (int)release.sample.token);
        if (status != SNT_OK)
            fail_msg("token %d not released, the model would", (int)m->list[want].sample.token);
        if (release.sample.token != m->list[want].sample.token)
            fail_msg("token %d released, the model says %d", (int)release.sample.token,
                     (int)m->list[want].sample.token);
        snt_tf_result again;
        assert_status(
            snt_tf_buffer_lookup(m->tf, m->targets[0], release.source, release.sample.t0_ns, &again, NULL),
            SNT_OK);
        assert_near(results[0].pose.t[0], again.pose.t[0], 1e-9);
        m->released++;
        model_remove(m, want);
    }
    snt_filter_drop drop;
    while (snt_message_filter_poll_drop(m->filter, &drop) == SNT_OK) {
        int at = 0;
        while (at < m->count && m->list[at].sample.token != drop.sample.token)
            at++;
        assert_true(at < m->count);
        const bool late = m->timeout && now - m->list[at].added >= m->timeout;
        if (drop.reason == SNT_DROP_TIMEOUT) {
            assert_true(late);
            m->timeouts++;
        } else {
            assert_int_equal(drop.reason, SNT_DROP_TOO_OLD);
            assert_true(m->list[at].doomed);
            m->gone++;
        }
        model_remove(m, at);
    }
    for (int i = 0; i < m->count; i++) /* nobody outstays the timeout */
        assert_true(!m->timeout || now - m->list[i].added < m->timeout);
    assert_status(snt_message_filter_check(m->filter), SNT_OK);
}

static void run(test_rng *rng)
{
    static model m;
    memset(&m, 0, sizeof m);
    snt_message_filter_config cfg;
    snt_message_filter_config_init(&cfg, sizeof cfg);
    const bool told = rng_below(rng, 2) != 0;
    cfg.capacity = MAX_WAITING;
    cfg.flags = told ? SNT_FILTER_NOTIFIED : 0;
    m.timeout = cfg.wait_timeout_ns = rng_below(rng, 2) ? rng_int(rng, 10, 200) : 0;
    assert_status(snt_tf_buffer_create(NULL, NULL, &m.tf), SNT_OK);
    assert_status(snt_message_filter_create(m.tf, &cfg, NULL, &m.filter), SNT_OK);
    for (int i = 0; i < FRAMES; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%d", i);
        snt_tf_buffer_frame(m.tf, name, &m.frames[i]);
    }
    m.target_count = 1 + (uint32_t)rng_below(rng, 2);
    m.targets[0] = m.frames[0];
    m.targets[1] = m.frames[rng_below(rng, FRAMES)];
    assert_status(snt_message_filter_set_targets(m.filter, m.targets, m.target_count), SNT_OK);
    int64_t clock[FRAMES] = {0}, now = 0;
    for (int step = 0; step < 250; step++) {
        const int i = (int)rng_below(rng, FRAMES);
        now += rng_int(rng, 0, 4);
        if (rng_below(rng, 2) && i) { /* frame i under its fixed parent: trees grow together bit by bit */
            snt_tf_transform x;
            clock[i] += rng_int(rng, 1, 12);
            snt_tf_transform_init(&x, m.frames[(i - 1) / 2], m.frames[i], clock[i]);
            x.pose.t[0] = (double)clock[i];
            assert_status(snt_tf_buffer_insert(m.tf, &x, NULL), SNT_OK);
            if (told)
                snt_message_filter_poll_edge(m.filter, x.child, x.stamp, now);
        } else {
            waiting *w = &m.list[m.count++];
            memset(w, 0, sizeof *w);
            snt_sample_init(&w->sample, clock[i] + rng_int(rng, -10, 30), 0, (uint64_t)step);
            w->sample.t1_ns += rng_below(rng, 3) ? 0 : rng_int(rng, 0, 20);
            w->source = m.frames[i];
            w->tolerance = rng_below(rng, 3) ? 0 : rng_int(rng, -15, 15);
            w->added = now;
            assert_true(snt_message_filter_add_tolerant(m.filter, &w->sample, w->source, w->tolerance, now) >=
                        0);
        }
        poll_all(&m, now);
    }
    snt_filter_stats stats;
    snt_message_filter_stats(m.filter, &stats);
    assert_int_equal(stats.out, m.released);
    assert_int_equal(stats.held, m.count);
    snt_message_filter_destroy(m.filter);
    snt_tf_buffer_destroy(m.tf);
}

static void the_filter_releases_what_asking_everything_anew_would(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    const int rounds = getenv("SNT_LONG") ? 20000 : 150;
    for (int i = 0; i < rounds; i++)
        run(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_filter_releases_what_asking_everything_anew_would)};
    return cmocka_run_group_tests_name("model_filter", tests, NULL, NULL);
}
