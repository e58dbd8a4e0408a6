/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writers and readers of one transform buffer. Values are functions of stamp and session, so that a torn sample, a pair of
 * two sessions or a neighbour that is none shows in the sum; and of data that is certainly there nobody may say that it is
 * not.
 */
#include "tf_world.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static tf_world w;
static _Atomic int stop;
static _Atomic uint32_t session;
static _Atomic int64_t steady_newest;
static _Atomic int failures;
static _Atomic int64_t answers, resets_seen, busy;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition) && atomic_fetch_add(&failures, 1) < 5)                                              \
            printf("# line %d: %s\n", __LINE__, #condition);                                                 \
    } while (0)

static snt_pose value(double t_ns, double slope, double offset)
{
    return at_x(t_ns * slope + offset);
}

static _Atomic int64_t session_start;

static int64_t steady_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* map→odom: t + session·10^6; odom→base: 2t − session·10^6. Their sum knows no session. */
static void *write_session(void *context)
{
    const int edge = (int)(intptr_t)context;
    int64_t last = 0;
    for (int i = 0; !atomic_load(&stop); i++) {
        const uint32_t mine = atomic_load(&session);
        /* a ring of 1024 then reaches back farther than the slices of time that threads get in turns */
        const int64_t t = (steady_ns() - atomic_load(&session_start)) / 10000 * 10000;
        if (t == last) {
            sched_yield();
            continue;
        }
        last = t;
        snt_tf_transform in = sample_ns(&w, edge ? "odom" : "map", edge ? "base" : "odom", t, at_x(0));
        if (i % 16 == 7)
            in.stamp = t - 15000 - (i % 5) * 10000; /* late, between two others */
        if (i % 16 == 9)
            in.stamp = t - 20000; /* again */
        if (in.stamp < 0)
            continue;
        in.session = mine;
        in.pose = value((double)in.stamp, edge ? 2 : 1, (edge ? -1e6 : 1e6) * mine);
        const snt_status status = snt_tf_buffer_insert(w.b, &in, NULL);
        CHECK(status == SNT_OK || status == SNT_ERR_SESSION || status == SNT_ERR_PAST);
    }
    return NULL;
}

static void *reset_now_and_then(void *context)
{
    (void)context;
    for (uint32_t s = 2; !atomic_load(&stop); s++) {
        struct timespec pause = {0, 3000000};
        const int64_t before = atomic_load(&answers);
        for (int i = 0; i < 100 && !atomic_load(&stop);
             i++) { /* on a busy machine until somebody got an answer */
            nanosleep(&pause, NULL);
            if (atomic_load(&answers) > before + 50)
                break;
        }
        CHECK(snt_tf_buffer_reset(w.b, s) == SNT_OK);
        atomic_store(&session_start, steady_ns());
        atomic_store(&session, s);
    }
    return NULL;
}

static void *read_sessions(void *context)
{
    snt_tf_path *path = context;
    test_rng rng = {(uint64_t)(uintptr_t)&rng};
    snt_tf_cursor cursor;
    snt_tf_cursor_init(&cursor);
    while (!atomic_load(&stop)) {
        snt_tf_result r, r2;
        snt_tf_miss miss;
        snt_status status = snt_tf_path_lookup_latest(path, &r, &miss);
        if (status == SNT_OK) {
            CHECK(fabs(r.pose.t[0] - 3 * (double)r.stamp) < 1e-6);
            atomic_fetch_add(&answers, 1);
            const int64_t t = r.stamp - (int64_t)rng_below(&rng, 20000);
            status = snt_tf_path_lookup(path, t, &r2, &miss);
            if (status == SNT_OK)
                CHECK(fabs(r2.pose.t[0] - 3 * (double)t) < 1e-6);
            snt_tf_question q;
            snt_tf_question_init(&q, sizeof q);
            q.t = t;
            status = snt_tf_path_ask(path, &q, &cursor, &r2, &miss);
            if (status == SNT_OK)
                CHECK(fabs(r2.pose.t[0] - 3 * (double)t) < 1e-6);
            /* two times, one state: from base at t to odom at the stamp and back again */
            status = snt_tf_buffer_lookup_fixed(w.b, known(&w, "map"), r.stamp, known(&w, "base"), t,
                                                known(&w, "map"), &r2, &miss);
            if (status == SNT_OK)
                CHECK(fabs(r2.pose.t[0] - 3 * (double)t) < 1e-6);
        } else if (status == SNT_BUSY) {
            atomic_fetch_add(&busy, 1);
        } else {
            if (status != SNT_ERR_FUTURE && status != SNT_ERR_STALE && atomic_fetch_add(&failures, 1) < 5)
                printf("# latest gave %s, reason %u\n", snt_status_name(status), miss.reason);
            atomic_fetch_add(&resets_seen, 1);
        }
    }
    return NULL;
}

/* An edge outside the sessions' tree, in a buffer of its own that is never reset: what was published must be found. */
static tf_world steady;

static void *write_steady(void *context)
{
    (void)context;
    int64_t t = 10000;
    for (int i = 0; !atomic_load(&stop); i++, t += 1000) {
        snt_tf_transform in = sample_ns(&steady, "a", "b", t, value((double)t, 1, 0));
        CHECK(snt_tf_buffer_insert(steady.b, &in, NULL) == SNT_OK);
        if (i % 8 == 3) { /* the newest again, changed in a way that the sum shows not */
            in.flags = i % 16 == 3 ? SNT_TF_DISCONTINUITY : 0;
            in.err_ns = i;
            CHECK(snt_tf_buffer_insert(steady.b, &in, NULL) == SNT_OK);
        }
        if (i % 8 == 5) {
            in.stamp -= 500;
            in.pose = value((double)in.stamp, 1, 0);
            CHECK(snt_tf_buffer_insert(steady.b, &in, NULL) == SNT_OK);
        }
        atomic_store_explicit(&steady_newest, t, memory_order_release);
    }
    return NULL;
}

static void *read_steady(void *context)
{
    (void)context;
    test_rng rng = {(uint64_t)(uintptr_t)&rng};
    const snt_frame a = known(&steady, "a"), b = known(&steady, "b");
    while (!atomic_load(&stop)) {
        const int64_t newest = atomic_load_explicit(&steady_newest, memory_order_acquire);
        if (newest < 20000)
            continue;
        /* a ring of 4096 keeps far more than the last 20 samples */
        const int64_t t = newest - (int64_t)rng_below(&rng, 10000);
        snt_tf_result r;
        snt_tf_miss miss;
        const snt_status status = snt_tf_buffer_lookup(steady.b, a, b, t, &r, &miss);
        if (status == SNT_BUSY) {
            atomic_fetch_add(&busy, 1);
            continue;
        }
        /* unless the writer went round the whole ring while this thread slept */
        const bool lapped = status == SNT_ERR_PAST && miss.oldest > t &&
                            atomic_load(&steady_newest) - newest > 3000 * INT64_C(1000);
        if (status != SNT_OK && !lapped && atomic_fetch_add(&failures, 1) < 5)
            printf("# %s although it is there\n", snt_status_name(status));
        /* a discontinuity holds the sample before, so the value lies at most one period back */
        CHECK(status != SNT_OK || (r.pose.t[0] <= (double)t && r.pose.t[0] > (double)t - 1001));
        snt_time stamp;
        const snt_status asked = snt_tf_buffer_newest(steady.b, b, &stamp);
        CHECK(asked == SNT_BUSY || (asked == SNT_OK && stamp >= newest));
    }
    return NULL;
}

/* G2#895: lookups beside the first insert, and the removal, of other frames. */
static void *come_and_go(void *context)
{
    (void)context;
    for (int i = 0; !atomic_load(&stop); i++) {
        char name[24];
        snprintf(name, sizeof name, "f%d", i % 50);
        snt_frame f;
        CHECK(snt_tf_buffer_frame(w.b, name, &f) == SNT_OK);
        snt_tf_transform in;
        snt_tf_transform_init(&in, known(&w, i % 3 ? "base" : "map"), f, 1000 * (i + 1));
        const snt_status status =
            i % 4 ? snt_tf_buffer_insert(w.b, &in, NULL) : snt_tf_buffer_insert_static(w.b, &in, NULL);
        CHECK(status == SNT_OK || status == SNT_ERR_CONFLICT || status == SNT_ERR_PAST ||
              status == SNT_ERR_FULL);
        if (i % 5 == 0)
            CHECK(snt_tf_buffer_remove_frame(w.b, f) == SNT_OK);
        if (i % 500 == 0)
            CHECK(snt_tf_buffer_gc(w.b, 0, NULL) == SNT_OK);
    }
    return NULL;
}

static void *ask_names(void *context)
{
    (void)context;
    static char text[65536];
    for (int i = 0; !atomic_load(&stop); i++) {
        char name[24];
        snprintf(name, sizeof name, "f%d", i % 50);
        snt_frame f = 0, map = known(&w, "map");
        CHECK(map != 0);
        if (snt_tf_buffer_find(w.b, name, &f) != SNT_OK)
            continue;
        char back[64];
        if (snt_tf_buffer_frame_name(w.b, f, back, sizeof back) == SNT_OK)
            CHECK(strcmp(back, name) == 0);
        snt_tf_miss miss;
        const snt_status status = snt_tf_buffer_can(w.b, map, f, 1000, &miss);
        if (status < 0)
            CHECK(snt_tf_miss_format(w.b, &miss, back, sizeof back) != SNT_ERR_INVALID_ARG && *back);
        if (i % 200 == 0)
            CHECK(snt_tf_buffer_dump_json(w.b, text, sizeof text) > 0);
    }
    return NULL;
}

static void readers_and_writers_agree(void **state)
{
    (void)state;
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.samples_per_edge = 1024;
    cfg.max_frames = 64;
    w = world_with(&cfg);
    cfg.samples_per_edge = 4096;
    steady = world_with(&cfg);
    frame(&w, "map");
    frame(&w, "odom");
    frame(&w, "base");
    put(&w, "map", "odom", 0, 0);
    put(&w, "odom", "base", 0, 0);
    put_static(&w, "base", "lidar", at_x(0)); /* a child keeps base from being collected while it is empty */
    frame(&steady, "a");
    frame(&steady, "b");
    assert_status(snt_tf_buffer_reset(w.b, 1), SNT_OK);
    atomic_store(&session_start, steady_ns());
    atomic_store(&session, 1);
    snt_tf_path *path;
    assert_status(snt_tf_buffer_path(w.b, "map", "base", &path), SNT_OK);
    pthread_t threads[12];
    int n = 0;
    pthread_create(&threads[n++], NULL, write_session, (void *)0);
    pthread_create(&threads[n++], NULL, write_session, (void *)1);
    pthread_create(&threads[n++], NULL, write_session, (void *)1); /* two on one edge */
    pthread_create(&threads[n++], NULL, reset_now_and_then, NULL);
    pthread_create(&threads[n++], NULL, read_sessions, path);
    pthread_create(&threads[n++], NULL, read_sessions, path);
    pthread_create(&threads[n++], NULL, write_steady, NULL);
    pthread_create(&threads[n++], NULL, read_steady, NULL);
    pthread_create(&threads[n++], NULL, come_and_go, NULL);
    pthread_create(&threads[n++], NULL, ask_names, NULL);
    const struct timespec run = {getenv("SNT_LONG") ? 60 : 2, 0};
    nanosleep(&run, NULL);
    atomic_store(&stop, 1);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    printf("# %lld answers, %lld between sessions, %lld busy\n", (long long)atomic_load(&answers),
           (long long)atomic_load(&resets_seen), (long long)atomic_load(&busy));
    assert_int_equal(atomic_load(&failures), 0);
    assert_true(atomic_load(&answers) > 100);
    snt_tf_path_destroy(path);
    world_end(&w);
    world_end(&steady);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(readers_and_writers_agree)};
    return cmocka_run_group_tests_name("threads_tf_buffer", tests, NULL, NULL);
}
