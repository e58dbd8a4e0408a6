/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every policy against a slow model: plain lists, searched from the front, moved element by element. Sets and drops
 * (token and reason) must be equal after every single add. Along the way: conservation, no token twice, ascending sets
 * that never cross, and the span limit.
 */
#include "sync_support.h"

enum { MAX_LIST = 64, MAX_IN = 6, MAX_OUT = 4096 };

typedef struct item {
    int64_t t;
    uint64_t token;
} item;

typedef struct list {
    item at[MAX_LIST];
    int n;
} list;

typedef struct model {
    uint32_t policy;
    bool compat;
    int n, limit, driver;
    int64_t separation;
    double penalty;
    int64_t bound[MAX_IN];
    list q[MAX_IN], past[MAX_IN];
    bool dropped[MAX_IN];
    int pivot;
    int64_t pivot_time, start, end;
    item candidate[MAX_IN];
    int64_t last_out[MAX_IN];
    bool any_out[MAX_IN];
    item held[MAX_IN]; /* LATEST */
    int uses[MAX_IN];
    bool has[MAX_IN];
    /* what came out of the last add */
    item sets[MAX_OUT][MAX_IN];
    int set_count;
    struct {
        uint64_t token;
        uint32_t reason;
    } drops[MAX_OUT];
    int drop_count;
} model;

static item list_pop(list *l)
{
    const item first = l->at[0];
    memmove(l->at, l->at + 1, sizeof(item) * (size_t)--l->n);
    return first;
}

static void list_insert(list *l, int at, item x)
{
    memmove(l->at + at + 1, l->at + at, sizeof(item) * (size_t)(l->n++ - at));
    l->at[at] = x;
}

static void model_drop(model *m, item x, uint32_t reason)
{
    m->drops[m->drop_count].token = x.token;
    m->drops[m->drop_count++].reason = reason;
}

static void model_emit(model *m, const item *set)
{
    memcpy(m->sets[m->set_count++], set, sizeof(item) * (size_t)m->n);
    for (int i = 0; i < m->n; i++) {
        m->last_out[i] = set[i].t;
        m->any_out[i] = true;
    }
}

static bool model_full(const model *m)
{
    for (int i = 0; i < m->n; i++)
        if (!m->q[i].n)
            return false;
    return true;
}

static int64_t model_scale(const model *m, int64_t x)
{
    return (int64_t)((long double)x * (long double)(1.0 + m->penalty));
}

static void model_bounds(const model *m, const int64_t *t, int *lo, int *hi)
{
    *lo = *hi = 0;
    for (int i = 0; i < m->n; i++) {
        if (t[i] < t[*lo])
            *lo = i;
        if (t[i] >= t[*hi])
            *hi = i;
    }
}

static void model_fronts(const model *m, int64_t *t)
{
    for (int i = 0; i < m->n; i++)
        t[i] = m->q[i].at[0].t;
}

static void model_hide(model *m, int i)
{
    m->past[i].at[m->past[i].n++] = list_pop(&m->q[i]);
}

static void model_unhide(model *m)
{
    for (int i = 0; i < m->n; i++)
        while (m->past[i].n)
            list_insert(&m->q[i], 0, m->past[i].at[--m->past[i].n]);
}

static void model_publish(model *m)
{
    model_emit(m, m->candidate);
    m->pivot = -1;
    model_unhide(m);
    for (int i = 0; i < m->n; i++)
        list_pop(&m->q[i]);
}

static void model_take(model *m, const int64_t *t, int lo, int hi)
{
    for (int i = 0; i < m->n; i++) {
        m->candidate[i] = m->q[i].at[0];
        for (int k = 0; k < m->past[i].n; k++)
            model_drop(m, m->past[i].at[k], SNT_DROP_SUPERSEDED);
        m->past[i].n = 0;
    }
    m->start = t[lo];
    m->end = t[hi];
}

static void model_virtual(model *m)
{
    int moves[MAX_IN] = {0};
    for (;;) {
        int64_t v[MAX_IN];
        int lo, hi;
        for (int i = 0; i < m->n; i++) {
            if (m->q[i].n) {
                v[i] = m->q[i].at[0].t;
                continue;
            }
            v[i] = m->past[i].at[m->past[i].n - 1].t + m->bound[i];
            if (v[i] < m->pivot_time)
                v[i] = m->pivot_time;
        }
        model_bounds(m, v, &lo, &hi);
        if (model_scale(m, v[hi] - m->end) >= m->pivot_time - m->start) {
            model_publish(m);
            return;
        }
        if (model_scale(m, v[hi] - m->end) < v[lo] - m->start) {
            for (int i = 0; i < m->n; i++)
                for (; moves[i]; moves[i]--)
                    list_insert(&m->q[i], 0, m->past[i].at[--m->past[i].n]);
            return;
        }
        model_hide(m, lo);
        moves[lo]++;
    }
}

static void model_process(model *m)
{
    while (model_full(m)) {
        int64_t t[MAX_IN];
        int lo, hi;
        model_fronts(m, t);
        model_bounds(m, t, &lo, &hi);
        for (int i = 0; i < m->n; i++)
            if (i != hi)
                m->dropped[i] = false;
        if (m->pivot < 0) {
            if (t[hi] - t[lo] > m->separation || (m->compat && m->dropped[hi])) {
                model_drop(m, list_pop(&m->q[lo]), SNT_DROP_NO_PARTNER);
                continue;
            }
            model_take(m, t, lo, hi);
            m->pivot = hi;
            m->pivot_time = t[hi];
        } else if (model_scale(m, t[hi] - m->end) < t[lo] - m->start)
            model_take(m, t, lo, hi);
        model_hide(m, lo);
        if (lo == m->pivot || model_scale(m, t[hi] - m->end) >= m->pivot_time - m->start)
            model_publish(m);
        else if (!model_full(m))
            model_virtual(m);
    }
}

/* Where a sorted insert goes: after equal ones. */
static int model_place(const list *l, int64_t t)
{
    int at = l->n;
    while (at && l->at[at - 1].t > t)
        at--;
    return at;
}

static void model_approximate(model *m, int i, item x)
{
    if (m->compat)
        m->q[i].at[m->q[i].n++] = x;
    else {
        if (m->any_out[i] && x.t < m->last_out[i]) {
            model_drop(m, x, SNT_DROP_LATE);
            return;
        }
        const item *seen = m->past[i].n ? &m->past[i].at[m->past[i].n - 1] : &m->q[i].at[0];
        if (m->pivot >= 0 && (m->past[i].n || m->q[i].n) &&
            seen->t > x.t) { /* the search saw it wrongly: anew */
            m->pivot = -1;
            model_unhide(m);
        }
        list_insert(&m->q[i], model_place(&m->q[i], x.t), x);
    }
    if (!m->compat || m->q[i].n == 1)
        if (m->pivot < 0 || m->q[i].n == 1)
            model_process(m);
    if (m->q[i].n + m->past[i].n <= m->limit)
        return;
    if (!m->compat && m->pivot >= 0) {
        model_unhide(m);
        model_publish(m);
        model_process(m);
        return;
    }
    model_unhide(m);
    model_drop(m, list_pop(&m->q[i]), SNT_DROP_OVERFLOW_OLDEST);
    m->dropped[i] = true;
    if (m->pivot >= 0) {
        m->pivot = -1;
        model_process(m);
    }
}

static int model_find(const list *l, int64_t t)
{
    for (int i = 0; i < l->n; i++)
        if (l->at[i].t == t)
            return i;
    return -1;
}

static void model_exact(model *m, int i, item x)
{
    if (m->any_out[i] && x.t == m->last_out[i]) {
        model_drop(m, x, SNT_DROP_DUPLICATE);
        return;
    }
    const int same = model_find(&m->q[i], x.t);
    if (same >= 0) {
        model_drop(m, m->q[i].at[same], SNT_DROP_SUPERSEDED);
        m->q[i].at[same] = x;
        return;
    }
    if (m->any_out[i] && x.t < m->last_out[i]) {
        model_drop(m, x, SNT_DROP_LATE);
        return;
    }
    list_insert(&m->q[i], model_place(&m->q[i], x.t), x);
    item set[MAX_IN];
    for (int k = 0; k < m->n; k++) {
        const int at = model_find(&m->q[k], x.t);
        if (at < 0) {
            if (m->q[i].n > m->limit)
                model_drop(m, list_pop(&m->q[i]), SNT_DROP_OVERFLOW_OLDEST);
            return;
        }
        set[k] = m->q[k].at[at];
    }
    for (int k = 0; k < m->n; k++) {
        while (m->q[k].at[0].t < x.t)
            model_drop(m, list_pop(&m->q[k]), SNT_DROP_NO_PARTNER);
        list_pop(&m->q[k]);
    }
    model_emit(m, set);
}

static void model_window(model *m, int i, item x)
{
    if (m->compat)
        m->q[i].at[m->q[i].n++] = x;
    else {
        if (m->any_out[i] && x.t < m->last_out[i]) {
            model_drop(m, x, SNT_DROP_LATE);
            return;
        }
        list_insert(&m->q[i], model_place(&m->q[i], x.t), x);
    }
    while (model_full(m)) {
        int64_t t[MAX_IN];
        int lo, hi;
        model_fronts(m, t);
        model_bounds(m, t, &lo, &hi);
        if (t[hi] - t[lo] > m->separation) {
            if (!m->compat) {
                model_drop(m, list_pop(&m->q[lo]), SNT_DROP_NO_PARTNER);
                continue;
            }
            for (int k = 0; k < m->n; k++)
                if (t[k] <= t[lo] + m->separation)
                    model_drop(m, list_pop(&m->q[k]), SNT_DROP_NO_PARTNER);
            continue;
        }
        int best[MAX_IN] = {0};
        if (m->policy == SNT_SYNC_EPSILON && !m->compat) {
            /* the narrowest of the sets on the way of the earliest front, up to the first latest member */
            int at[MAX_IN] = {0}, a = lo, b = hi;
            int64_t width = INT64_MAX;
            for (;;) {
                for (int k = 0; k < m->n; k++)
                    t[k] = m->q[k].at[at[k]].t;
                model_bounds(m, t, &a, &b);
                if (t[b] - t[a] < width) {
                    width = t[b] - t[a];
                    memcpy(best, at, sizeof at);
                }
                if (a == hi || at[a] + 1 == m->q[a].n)
                    break;
                at[a]++;
            }
        }
        item set[MAX_IN];
        for (int k = 0; k < m->n; k++) {
            while (best[k]--)
                model_drop(m, list_pop(&m->q[k]), SNT_DROP_SUPERSEDED);
            set[k] = list_pop(&m->q[k]);
        }
        model_emit(m, set);
    }
    if (m->q[i].n > m->limit)
        model_drop(m, list_pop(&m->q[i]), SNT_DROP_OVERFLOW_OLDEST);
}

static void model_latest(model *m, int i, item x)
{
    if (m->has[i] && x.t < m->held[i].t) {
        model_drop(m, x, SNT_DROP_LATE);
        return;
    }
    if (m->has[i])
        model_drop(m, m->held[i], m->uses[i] ? SNT_DROP_RETIRED : SNT_DROP_SUPERSEDED);
    m->held[i] = x;
    m->has[i] = true;
    m->uses[i] = 0;
    int64_t t[MAX_IN];
    int lo, hi;
    for (int k = 0; k < m->n; k++) {
        if (!m->has[k])
            return;
        t[k] = m->held[k].t;
    }
    model_bounds(m, t, &lo, &hi);
    if (i != m->driver || t[hi] - t[lo] > m->separation)
        return;
    memcpy(m->sets[m->set_count++], m->held, sizeof(item) * (size_t)m->n);
    for (int k = 0; k < m->n; k++)
        m->uses[k]++;
}

static void model_add(model *m, int i, item x)
{
    m->set_count = m->drop_count = 0;
    if (m->policy == SNT_SYNC_APPROXIMATE)
        model_approximate(m, i, x);
    else if (m->policy == SNT_SYNC_EXACT)
        model_exact(m, i, x);
    else if (m->policy == SNT_SYNC_LATEST)
        model_latest(m, i, x);
    else
        model_window(m, i, x);
}

/* Drops may be reported in another order: count them by token. */
static void compare_drops(snt_synchronizer *sync, const model *m, int step)
{
    snt_sync_drop drop;
    int n = 0;
    while (sync_take_drop(sync, &drop)) {
        int found = -1;
        for (int k = 0; k < m->drop_count; k++)
            if (m->drops[k].token == drop.sample.token)
                found = k;
        if (found < 0 || m->drops[found].reason != drop.reason)
            fail_msg("step %d: token %d dropped with %s, the model says %s", step, (int)drop.sample.token,
                     snt_drop_reason_name(drop.reason),
                     found < 0 ? "kept" : snt_drop_reason_name(m->drops[found].reason));
        n++;
    }
    if (n != m->drop_count)
        fail_msg("step %d: %d drops, the model has %d (first token %d, %s)", step, n, m->drop_count,
                 (int)m->drops[0].token, snt_drop_reason_name(m->drops[0].reason));
}

static void run(test_rng *rng, uint32_t policy, bool compat)
{
    static model m;
    memset(&m, 0, sizeof m);
    m.policy = policy;
    m.compat = compat;
    m.n = (int)rng_int(rng, 1, 5);
    m.limit = (int)rng_int(rng, 1, 12);
    m.driver = (int)rng_below(rng, (uint64_t)m.n);
    m.separation = rng_below(rng, 2) ? rng_int(rng, 0, 60) : INT64_C(1) << 50;
    if (policy == SNT_SYNC_EPSILON || policy == SNT_SYNC_EARLIEST)
        m.separation = rng_int(rng, 0, 60);
    m.penalty = (double[]){.1, 0, .5, .037}[rng_below(rng, 4)];
    m.pivot = -1;
    snt_sync_input_config inputs[MAX_IN] = {{0}};
    int64_t clock[MAX_IN], period[MAX_IN];
    const bool equal_periods = rng_below(rng, 2) != 0, at_once = rng_below(rng, 2) != 0;
    for (int i = 0; i < m.n; i++) {
        if (rng_below(rng, 3) == 0)
            inputs[i].min_period_ns = m.bound[i] = rng_int(rng, 1, 20);
        period[i] = equal_periods ? 30 : rng_int(rng, 5, 60);
        clock[i] = rng_int(rng, 0, 30);
    }
    snt_sync_config cfg;
    snt_synchronizer *sync;
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.policy = policy;
    cfg.flags = compat ? SNT_SYNC_COMPAT : SNT_SYNC_NO_LEARNING;
    cfg.inputs = inputs;
    cfg.input_count = (uint32_t)m.n;
    cfg.queue = (uint32_t)m.limit;
    cfg.max_separation_ns = m.separation;
    cfg.age_penalty = m.penalty;
    cfg.driver = (uint32_t)m.driver;
    assert_status(snt_synchronizer_create(&cfg, NULL, &sync), SNT_OK);
    int64_t last[MAX_IN];
    bool first = true;
    static unsigned char delivered[4096];
    memset(delivered, 0, sizeof delivered);
    for (int step = 0; step < 160; step++) {
        /* mostly the input whose clock is behind; sometimes late, equal or from far behind */
        int i = (int)rng_below(rng, (uint64_t)m.n);
        for (int k = 0; k < m.n; k++)
            if (rng_below(rng, 4) && clock[k] < clock[i])
                i = k;
        clock[i] += rng_int(rng, period[i] / 2, period[i]);
        int64_t t = clock[i];
        if (rng_below(rng, 10) == 0)
            t -= rng_int(rng, 0, 3 * period[i]);
        if (rng_below(rng, 3) == 0)
            t = t / 10 * 10; /* ties */
        model_add(&m, i, (item){t, (uint64_t)step});
        sync_drain got;
        bool more;
        if (at_once) {
            assert_true(sync_put_take(sync, (uint32_t)i, t, (uint64_t)step, &got, &more) >= 0);
        } else {
            assert_true(sync_put(sync, (uint32_t)i, t, (uint64_t)step) >= 0);
            more = sync_take(sync, &got);
        }
        int sets = 0;
        for (; more; more = sync_take(sync, &got)) {
            if (sets >= m.set_count)
                fail_msg("policy %u step %d: a set that the model has not", policy, step);
            for (int k = 0; k < m.n; k++) {
                const item *want = &m.sets[sets][k];
                if (got.members[k].sample.token != want->token)
                    fail_msg("policy %u step %d set %d input %d: token %d, the model says %d", policy, step,
                             sets, k, (int)got.members[k].sample.token, (int)want->token);
                if (policy != SNT_SYNC_LATEST)
                    assert_int_equal(delivered[want->token]++, 0);
                if (!compat && !first)
                    assert_true(got.members[k].key_ns >= last[k]); /* ascending, never crossing */
                last[k] = got.members[k].key_ns;
            }
            if (!compat || policy == SNT_SYNC_EPSILON)
                assert_true(got.set.separation_ns <= m.separation);
            first = false;
            sets++;
        }
        if (sets != m.set_count)
            fail_msg("policy %u step %d: %d sets, the model has %d", policy, step, sets, m.set_count);
        compare_drops(sync, &m, step);
    }
    snt_synchronizer_destroy(sync);
}

/*
 * Adding and polling at once is adding, then polling, to the last bit: two handles with the same settings are fed alike, one
 * in each way, with whatever settings, bounds, intervals, sessions and clocks there are.
 */
typedef struct twins {
    snt_synchronizer *a, *b;
    snt_sync_input_config inputs[MAX_IN];
    uint32_t n, fed, sets;
    int64_t clock, now;
} twins;

static void twins_make(test_rng *rng, twins *w, snt_epoch *epoch)
{
    snt_sync_config cfg;
    do {
        memset(w, 0, sizeof *w);
        snt_synchronizer_config_init(&cfg, sizeof cfg);
        const bool plain = rng_below(rng, 2) != 0;
        w->n = (uint32_t)rng_int(rng, 1, 5);
        cfg.policy = plain ? (uint32_t)rng_below(rng, 2) : (uint32_t)rng_below(rng, 5);
        cfg.flags = (uint32_t)rng_below(rng, 2) | (plain ? 0 : (uint32_t)rng_below(rng, 32));
        if (cfg.policy == SNT_SYNC_EXACT)
            cfg.flags &= ~(uint32_t)SNT_SYNC_COMPAT;
        cfg.input_count = w->n;
        cfg.inputs = w->inputs;
        cfg.queue = (uint32_t)rng_int(rng, 1, 8);
        cfg.ready = (uint32_t)rng_int(rng, 1, 3);
        cfg.max_separation_ns = rng_below(rng, 2) ? rng_int(rng, 0, 80) : SNT_UNKNOWN;
        cfg.epoch = rng_below(rng, 4) ? NULL : epoch;
        if (!plain) {
            cfg.deadline_ns = rng_below(rng, 3) ? 0 : rng_int(rng, 1, 300);
            cfg.min_members = rng_below(rng, 3) ? 0 : 1;
            cfg.max_age_ns = rng_below(rng, 3) ? 0 : 100;
            cfg.jump_back_ns = rng_below(rng, 3) ? 0 : 200;
            for (uint32_t i = 0; i < w->n; i++) {
                w->inputs[i].role = rng_below(rng, 3) ? SNT_ROLE_REQUIRED : (uint32_t)rng_below(rng, 4);
                w->inputs[i].match = rng_below(rng, 3) ? SNT_MATCH_START : (uint32_t)rng_below(rng, 4);
                w->inputs[i].offset_ns = rng_below(rng, 3) ? 0 : rng_int(rng, -20, 20);
                w->inputs[i].offset_err_ns = rng_below(rng, 4) ? 0 : rng_int(rng, 0, 5);
                w->inputs[i].flags = rng_below(rng, 3) ? 0 : SNT_SYNC_DROP_NEWEST;
            }
        }
    } while (snt_synchronizer_create(&cfg, NULL, &w->a) < 0);
    assert_status(snt_synchronizer_create(&cfg, NULL, &w->b), SNT_OK);
}

static snt_sample twins_sample(test_rng *rng, twins *w, uint32_t *input)
{
    snt_sample sample;
    *input = (uint32_t)rng_below(rng, w->n);
    if (rng_below(rng, 3) == 0)
        w->clock += rng_int(rng, 0, 30);
    w->now += rng_int(rng, 0, 10);
    int64_t t = w->clock;
    if (rng_below(rng, 12) == 0)
        t += rng_int(rng, -400, 40);
    if (rng_below(rng, 200) == 0)
        t = rng_below(rng, 2) ? INT64_MAX : INT64_MIN;
    snt_sample_init(&sample, t, rng_below(rng, 100) ? SNT_DOMAIN_UNIX : 9, w->fed++);
    if (rng_below(rng, 4) == 0 && t < INT64_MAX - 100)
        sample.t1_ns = t + rng_int(rng, 0, 20);
    if (rng_below(rng, 40) == 0) {
        sample.flags = SNT_TIME_BOUND_LO | (rng_below(rng, 2) ? (uint32_t)SNT_TIME_BOUND_HI : 0);
        sample.err_lo_ns = rng_int(rng, 0, 9);
        sample.err_hi_ns = rng_int(rng, 0, 9);
    }
    if (rng_below(rng, 100) == 0)
        sample.session = (uint32_t)rng_int(rng, 1, 3);
    return sample;
}

static void twins_equal(const twins *w)
{
    snt_sync_stats a, b;
    snt_sync_diagnosis d, e;
    assert_status(snt_synchronizer_check(w->a), SNT_OK);
    assert_status(snt_synchronizer_check(w->b), SNT_OK);
    snt_synchronizer_stats(w->a, &a);
    snt_synchronizer_stats(w->b, &b);
    assert_memory_equal(&a, &b, sizeof a);
    snt_synchronizer_diagnose(w->a, w->now, &d);
    snt_synchronizer_diagnose(w->b, w->now, &e);
    assert_memory_equal(&d, &e, sizeof d);
    for (uint32_t i = 0; i < w->n; i++) {
        snt_sync_input_info x, y;
        snt_synchronizer_input_info(w->a, i, w->now, &x);
        snt_synchronizer_input_info(w->b, i, w->now, &y);
        assert_memory_equal(&x, &y, sizeof x);
    }
}

static void twins_take(twins *w, bool sets)
{
    sync_drain a, b;
    snt_sync_drop x, y;
    uint32_t m, n;
    snt_status status = sets ? SNT_OK : SNT_EMPTY;
    while (status == SNT_OK) {
        status = snt_synchronizer_poll(w->a, w->now, w->clock, &a.set, a.members, SUPPORT_MAX_MEMBERS);
        assert_status(snt_synchronizer_poll(w->b, w->now, w->clock, &b.set, b.members, SUPPORT_MAX_MEMBERS),
                      status);
        if (status == SNT_OK) {
            assert_memory_equal(&a.set, &b.set, sizeof a.set);
            assert_memory_equal(a.members, b.members, sizeof a.members[0] * a.set.member_count);
        }
    }
    do {
        status = snt_synchronizer_poll_drops(w->a, &x, 1, &m);
        assert_status(snt_synchronizer_poll_drops(w->b, &y, 1, &n), status);
        if (status == SNT_OK)
            assert_memory_equal(&x, &y, sizeof x);
    } while (status == SNT_OK);
}

static void twins_step(test_rng *rng, twins *w)
{
    sync_drain a, b;
    uint32_t input;
    const snt_sample sample = twins_sample(rng, w, &input);
    const snt_time now = rng_below(rng, 8) ? w->now : SNT_UNKNOWN;
    if (rng_below(rng, 3) == 0) { /* so that sets are ready already when the next one is made */
        assert_status(snt_synchronizer_add(w->a, input, &sample, now),
                      snt_synchronizer_add(w->b, input, &sample, now));
        return;
    }
    memset(&a, 1, sizeof a);
    memset(&b, 1, sizeof b);
    a.members[w->n - 1].sample = sample; /* where the set is written: allowed */
    const snt_sample *given = rng_below(rng, 2) ? &sample : &a.members[w->n - 1].sample;
    const snt_status once =
        snt_synchronizer_add_poll(w->a, input, given, now, &a.set, a.members, SUPPORT_MAX_MEMBERS);
    snt_status apart = snt_synchronizer_add(w->b, input, &sample, now);
    if (apart >= 0) {
        apart = snt_synchronizer_poll(w->b, now, SNT_UNKNOWN, &b.set, b.members, SUPPORT_MAX_MEMBERS);
        snt_sync_diagnosis d;
        snt_synchronizer_diagnose(w->b, SNT_UNKNOWN, &d);
        apart = apart == SNT_OK ? SNT_OK : d.undrained ? SNT_EMPTY : SNT_PENDING;
    }
    assert_status(once, apart);
    assert_memory_equal(&a.set, &b.set, sizeof a.set); /* untouched where there is none */
    if (once == SNT_OK) {
        w->sets++;
        assert_memory_equal(a.members, b.members, sizeof a.members[0] * a.set.member_count);
    }
    twins_equal(w);
}

static void adding_and_polling_at_once_is_both(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    const int rounds = getenv("SNT_LONG") ? 40000 : 1200;
    uint64_t sets = 0;
    for (int round = 0; round < rounds; round++) {
        static twins w;
        snt_epoch *epoch;
        assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
        twins_make(&rng, &w, epoch);
        for (int step = 0; step < 120; step++) {
            twins_step(&rng, &w);
            if (rng_below(&rng, 3) == 0)
                twins_take(&w, rng_below(&rng, 2) != 0);
            if (rng_below(&rng, 100) == 0)
                snt_epoch_bump(epoch, SNT_EPOCH_USER);
            if (rng_below(&rng, 100) == 0) {
                const int64_t separation = rng_int(&rng, 0, 60);
                assert_status(snt_synchronizer_set_max_separation(w.a, separation), SNT_OK);
                assert_status(snt_synchronizer_set_max_separation(w.b, separation), SNT_OK);
            }
        }
        twins_take(&w, true);
        sets += w.sets;
        snt_synchronizer_destroy(w.a);
        snt_synchronizer_destroy(w.b);
        snt_epoch_unref(epoch);
    }
    assert_true(sets > (uint64_t)rounds * 10);
}

/* The learned least period against all gaps kept in lists: the least of this block of 16 and of the one before, less an eighth. */
static void the_learned_period_is_that_of_the_last_blocks(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    for (int round = 0; round < 300; round++) {
        snt_synchronizer *sync = sync_make(SNT_SYNC_EXACT, 0, 2, 4, -1);
        int64_t t = 0, newest = 0, least[2] = {INT64_MAX, INT64_MAX}, bound = 0;
        const int64_t period = rng_int(&rng, 20, 1000);
        int gaps = 0, blocks = 0;
        bool any = false;
        for (int k = 0; k < 120; k++) {
            t += rng_below(&rng, 60) ? rng_int(&rng, period / 2, period) : 0;
            if (rng_below(&rng, 150) == 0)
                t += INT64_C(2) * 31536000 * SNT_NS_PER_S; /* a hole of years: nothing to learn from */
            const int64_t given = rng_below(&rng, 12) ? t : t - rng_int(&rng, 0, 3 * period);
            sync_put(sync, 0, given, (uint64_t)k);
            if (!any || given - newest > INT64_C(31536000) * SNT_NS_PER_S) {
                newest = given;
                gaps = 0;
                any = true;
            } else if (given > newest) {
                const int64_t gap = given - newest;
                newest = given;
                least[0] = gap < least[0] ? gap : least[0];
                if (++gaps == 16) {
                    least[1] = least[0];
                    least[0] = INT64_MAX;
                    gaps = 0;
                    blocks = 1;
                }
            }
            if (blocks || gaps >= 3) { /* before that, what was known stays */
                const int64_t l = least[0] < least[1] ? least[0] : least[1];
                bound = l - l / 8;
            }
            snt_sync_input_info info;
            assert_status(snt_synchronizer_input_info(sync, 0, SNT_UNKNOWN, &info), SNT_OK);
            assert_i64_equal(info.min_period_ns, bound);
            assert_i64_equal(info.newest_ns, newest);
            snt_sync_drop drop;
            while (sync_take_drop(sync, &drop))
                ;
        }
        snt_synchronizer_destroy(sync);
    }
}

static void run_many(uint32_t policy, bool compat)
{
    test_rng rng = rng_from_env();
    const int rounds = getenv("SNT_LONG") ? 100000 : 1500;
    for (int i = 0; i < rounds; i++)
        run(&rng, policy, compat);
}

static void approximate_compat(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG != 64)
        skip();
    run_many(SNT_SYNC_APPROXIMATE, true);
}

static void approximate_fixed(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG != 64)
        skip();
    run_many(SNT_SYNC_APPROXIMATE, false);
}

static void exact(void **state)
{
    (void)state;
    run_many(SNT_SYNC_EXACT, false);
}

static void epsilon_compat(void **state)
{
    (void)state;
    run_many(SNT_SYNC_EPSILON, true);
}

static void epsilon_fixed(void **state)
{
    (void)state;
    run_many(SNT_SYNC_EPSILON, false);
}

static void earliest(void **state)
{
    (void)state;
    run_many(SNT_SYNC_EARLIEST, false);
}

static void latest(void **state)
{
    (void)state;
    run_many(SNT_SYNC_LATEST, false);
}

/*
 * What arrives in which order across inputs must not matter where this is claimed: each input in its own order, queues
 * long enough, no learning. EXACT and EARLIEST give the same sets; APPROXIMATE the same sets up to the end, where one may
 * still be waiting.
 */
enum { WOVEN = 60 };

static int weave(test_rng *rng, uint32_t policy, int n, int64_t t[][WOVEN], uint64_t sets[][MAX_IN])
{
    snt_sync_config cfg;
    snt_synchronizer *sync;
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.policy = policy;
    cfg.flags = SNT_SYNC_NO_LEARNING;
    cfg.input_count = (uint32_t)n;
    cfg.queue = WOVEN;
    cfg.ready = WOVEN;
    cfg.undrained = WOVEN * MAX_IN;
    if (policy == SNT_SYNC_EARLIEST)
        cfg.max_separation_ns = 20;
    assert_status(snt_synchronizer_create(&cfg, NULL, &sync), SNT_OK);
    int at[MAX_IN] = {0}, count = 0;
    for (int left = n * WOVEN; left;) {
        const int i = (int)rng_below(rng, (uint64_t)n);
        if (at[i] == WOVEN)
            continue;
        sync_put(sync, (uint32_t)i, t[i][at[i]], (uint64_t)at[i]);
        at[i]++;
        left--;
    }
    sync_drain got;
    while (sync_take(sync, &got)) {
        for (int i = 0; i < n; i++)
            sets[count][i] = got.members[i].sample.token;
        count++;
    }
    snt_synchronizer_destroy(sync);
    return count;
}

static void arrival_across_inputs_does_not_matter(void **state)
{
    (void)state;
    test_rng rng = rng_from_env();
    static const uint32_t policies[] = {SNT_SYNC_APPROXIMATE, SNT_SYNC_EXACT, SNT_SYNC_EARLIEST};
    int total = 0;
    for (int round = 0; round < 60; round++) {
        const uint32_t policy = policies[round % 3];
        const int n = (int)rng_int(&rng, 2, 4);
        int64_t t[MAX_IN][WOVEN];
        for (int i = 0; i < n; i++) {
            int64_t clock = rng_int(&rng, 0, 10);
            for (int k = 0; k < WOVEN; k++) {
                clock += rng_int(&rng, 1, 30);
                t[i][k] = policy == SNT_SYNC_EXACT ? clock / 8 * 8 : clock;
                if (k && t[i][k] <= t[i][k - 1])
                    t[i][k] = t[i][k - 1] + 8;
            }
        }
        uint64_t a[WOVEN][MAX_IN], b[WOVEN][MAX_IN];
        memset(a, 0, sizeof a);
        memset(b, 0, sizeof b);
        const int first = weave(&rng, policy, n, t, a), second = weave(&rng, policy, n, t, b);
        const int common = first < second ? first : second;
        assert_in_range(abs(first - second), 0, policy == SNT_SYNC_APPROXIMATE ? 1 : 0);
        total += common;
        if (common)
            assert_memory_equal(a, b, sizeof a[0] * (size_t)common);
    }
    assert_true(total > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adding_and_polling_at_once_is_both),
        cmocka_unit_test(arrival_across_inputs_does_not_matter),
        cmocka_unit_test(the_learned_period_is_that_of_the_last_blocks),
        cmocka_unit_test(approximate_compat),
        cmocka_unit_test(approximate_fixed),
        cmocka_unit_test(exact),
        cmocka_unit_test(epsilon_compat),
        cmocka_unit_test(epsilon_fixed),
        cmocka_unit_test(earliest),
        cmocka_unit_test(latest),
    };
    return cmocka_run_group_tests_name("model_sync", tests, NULL, NULL);
}
