/* SPDX-License-Identifier: BSD-3-Clause */
/* The transform buffer against tf2's BufferCore, in one process and in turns. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "bench.h"
#include "peers/tf2_peer.h"
#include "sensortime/sensortime.h"

enum { EDGES = 5, TIMES = 1 << 14 };

typedef struct world {
    snt_tf_buffer *b;
    tf2_peer *peer;
    snt_frame frames[EDGES + 1];
    snt_tf_path *path;
    snt_tf_cursor cursor;
    int64_t start, end, step;
    int64_t times[TIMES];
    uint32_t at;
    int64_t next; /* stamp of the next insert */
    double sum;
} world;

static uint64_t random_state = 12345;

static uint64_t random_next(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static snt_pose pose_at(int edge, int64_t t)
{
    const double s = (double)t * 1e-9;
    const snt_twist w = {{1, 0.1, 0}, {0.1 * edge, 0.2, 0.5}};
    snt_pose p;
    snt_pose_exp(&w, s * 0.3, &p);
    p.t[0] = s + edge;
    return p;
}

static void insert(world *w, int edge, int64_t t)
{
    snt_tf_transform in;
    snt_tf_transform_init(&in, w->frames[edge], w->frames[edge + 1], t);
    in.pose = pose_at(edge, t);
    if (snt_tf_buffer_insert(w->b, &in, NULL) != SNT_OK)
        abort();
    if (w->peer)
        tf2_peer_set(w->peer, edge, edge + 1, t, in.pose.q, in.pose.t);
}

/* A chain f0 … f5, every edge at `hz` for `seconds`. */
static world *world_make(double hz, double seconds)
{
    world *w = calloc(1, sizeof *w);
    snt_tf_buffer_config cfg;
    snt_tf_buffer_config_init(&cfg, sizeof cfg);
    cfg.samples_per_edge = (uint32_t)(hz * seconds) + 64;
    cfg.max_samples = 1u << 18;
    if (!w || snt_tf_buffer_create(&cfg, NULL, &w->b) != SNT_OK)
        abort();
    w->peer = tf2_peer_create(seconds);
    for (int i = 0; i <= EDGES; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%d", i);
        snt_tf_buffer_frame(w->b, name, &w->frames[i]);
    }
    w->start = 100 * SNT_NS_PER_S;
    w->step = (int64_t)(1e9 / hz);
    const int n = (int)(hz * seconds);
    for (int i = 0; i <= n; i++)
        for (int e = 0; e < EDGES; e++)
            insert(w, e, w->start + i * w->step + e * w->step / EDGES);
    w->end = w->start + n * w->step; /* of the first edge; the others are newer by a fifth of a period each */
    w->next = w->end + w->step;
    if (snt_tf_path_create(w->b, w->frames[0], w->frames[EDGES], &w->path) != SNT_OK)
        abort();
    snt_tf_cursor_init(&w->cursor);
    return w;
}

static void world_free(world *w)
{
    snt_tf_path_destroy(w->path);
    snt_tf_buffer_destroy(w->b);
    if (w->peer)
        tf2_peer_destroy(w->peer);
    free(w);
}

static void times_random(world *w)
{
    for (int i = 0; i < TIMES; i++)
        w->times[i] = w->start + w->step + (int64_t)(random_next() % (uint64_t)(w->end - w->start - w->step));
}

static void times_around(world *w, int64_t t)
{
    for (int i = 0; i < TIMES; i++)
        w->times[i] = t + (int64_t)(random_next() % 1000000);
}

static int64_t next_time(world *w)
{
    return w->times[w->at++ % TIMES];
}

/* ---- what is timed ---- */

static void ours_insert(void *context, int64_t calls)
{
    world *w = context;
    snt_tf_transform in;
    snt_tf_transform_init(&in, w->frames[0], w->frames[1], 0);
    in.pose = pose_at(0, w->next);
    for (int64_t i = 0; i < calls; i++) {
        in.stamp = w->next += w->step;
        in.pose.t[0] = (double)i;
        snt_tf_buffer_insert(w->b, &in, NULL);
    }
}

static void ours_insert_named(void *context, int64_t calls)
{
    world *w = context;
    snt_tf_transform in;
    snt_tf_transform_init(&in, 0, 0, 0);
    in.pose = pose_at(0, w->next);
    for (int64_t i = 0; i < calls; i++) {
        in.stamp = w->next += w->step;
        in.pose.t[0] = (double)i;
        snt_tf_buffer_insert_named(w->b, "f0", "f1", &in, NULL);
    }
}

static void peer_insert(void *context, int64_t calls)
{
    static int64_t next;
    world *w = context;
    if (next < w->next)
        next = w->next;
    snt_pose p = pose_at(0, w->next);
    for (int64_t i = 0; i < calls; i++) {
        p.t[0] = (double)i;
        tf2_peer_set(w->peer, 0, 1, next += w->step, p.q, p.t);
    }
}

static void ours_lookup_path(void *context, int64_t calls)
{
    world *w = context;
    snt_tf_result r;
    for (int64_t i = 0; i < calls; i++) {
        if (snt_tf_path_lookup(w->path, next_time(w), &r, NULL) != SNT_OK)
            abort();
        w->sum += r.pose.t[0];
    }
}

static void ours_lookup_ids(void *context, int64_t calls)
{
    world *w = context;
    snt_tf_result r;
    for (int64_t i = 0; i < calls; i++) {
        if (snt_tf_buffer_lookup(w->b, w->frames[0], w->frames[EDGES], next_time(w), &r, NULL) != SNT_OK)
            abort();
        w->sum += r.pose.t[0];
    }
}

static void ours_lookup_cursor(void *context, int64_t calls)
{
    world *w = context;
    snt_tf_result r;
    snt_tf_question q;
    snt_tf_question_init(&q, sizeof q);
    for (int64_t i = 0; i < calls; i++) {
        q.t = next_time(w);
        if (snt_tf_path_ask(w->path, &q, &w->cursor, &r, NULL) != SNT_OK)
            abort();
        w->sum += r.pose.t[0];
    }
}

static void ours_latest(void *context, int64_t calls)
{
    world *w = context;
    snt_tf_result r;
    for (int64_t i = 0; i < calls; i++) {
        if (snt_tf_path_lookup_latest(w->path, &r, NULL) != SNT_OK)
            abort();
        w->sum += r.pose.t[0];
    }
}

static void ours_failed(void *context, int64_t calls)
{
    world *w = context;
    snt_tf_result r;
    snt_tf_miss miss;
    for (int64_t i = 0; i < calls; i++) {
        if (snt_tf_path_lookup(w->path, w->end + w->step + (i & 1023), &r, &miss) != SNT_ERR_FUTURE)
            abort();
        w->sum += (double)miss.missing_ns;
    }
}

static void peer_lookup(void *context, int64_t calls)
{
    world *w = context;
    double out[2] = {0, 0};
    for (int64_t i = 0; i < calls; i++) {
        if (!tf2_peer_lookup(w->peer, 0, EDGES, next_time(w), out))
            abort();
        w->sum += out[0];
    }
}

static void peer_latest(void *context, int64_t calls)
{
    world *w = context;
    double out[2] = {0, 0};
    for (int64_t i = 0; i < calls; i++) {
        tf2_peer_lookup(w->peer, 0, EDGES, 0, out);
        w->sum += out[0];
    }
}

static void peer_failed(void *context, int64_t calls)
{
    world *w = context;
    double out[2] = {0, 0};
    for (int64_t i = 0; i < calls; i++)
        w->sum += tf2_peer_lookup(w->peer, 0, EDGES, w->end + w->step + (i & 1023), out);
}

static void ours_batch(void *context, int64_t calls)
{
    static snt_pose poses[1024];
    static int64_t stamps[1024];
    world *w = context;
    for (int64_t i = 0; i < calls; i++) {
        const int64_t base = w->times[w->at++ % TIMES];
        for (int k = 0; k < 1024; k++) /* one scan of a spinning lidar: 100 ms */
            stamps[k] = base + k * 97656;
        if (snt_tf_path_lookup_many(w->path, NULL, &w->cursor, stamps, 0, 1024, poses, 0, NULL, NULL) !=
            SNT_OK)
            abort();
        w->sum += poses[1023].t[0];
    }
}

static int64_t calls_of(int64_t n)
{
    return bench_quick ? n / 8 : n;
}

static bench_fn peer_or_none(const world *w, bench_fn peer)
{
    return w->peer ? peer : NULL;
}

/* ---- lookups ---- */

static void lookups(double hz, const char *path, const char *ids)
{
    world *w = world_make(hz, 10);
    times_random(w);
    if (bench_wanted(path))
        bench_report(path, bench_compare(w, ours_lookup_path, peer_or_none(w, peer_lookup), calls_of(60000)));
    if (ids && bench_wanted(ids))
        bench_report(ids, bench_compare(w, ours_lookup_ids, peer_or_none(w, peer_lookup), calls_of(60000)));
    if (hz > 500) {
        times_around(w, w->end - 9900 * SNT_NS_PER_MS);
        bench_result old = {0}, recent = {0};
        if (bench_wanted("tf_lookup_old_1khz") || bench_wanted("tf_lookup_old_to_recent")) {
            old = bench_compare(w, ours_lookup_path, peer_or_none(w, peer_lookup), calls_of(60000));
            times_around(w, w->end - 100 * SNT_NS_PER_MS);
            recent = bench_compare(w, ours_lookup_path, NULL, calls_of(60000));
            bench_report("tf_lookup_old_1khz", old);
            bench_report_value("tf_lookup_old_to_recent", old.ours / recent.ours, NAN, NAN, "ratio");
        }
    } else {
        bench_result good = {0};
        if (bench_wanted("tf_lookup_latest_depth5"))
            bench_report("tf_lookup_latest_depth5",
                         bench_compare(w, ours_latest, peer_or_none(w, peer_latest), calls_of(60000)));
        if (bench_wanted("tf_lookup_failed")) {
            const bench_result failed =
                bench_compare(w, ours_failed, peer_or_none(w, peer_failed), calls_of(20000));
            good = bench_compare(w, ours_lookup_path, NULL, calls_of(60000));
            bench_report("tf_lookup_failed", failed);
            bench_report_value("tf_lookup_failed_to_good", failed.ours / good.ours, NAN, NAN, "ratio");
        }
        if (bench_wanted("tf_lookup_sequential")) {
            for (int i = 0; i < TIMES; i++)
                w->times[i] = w->start + w->step + (w->end - w->start - w->step) / TIMES * i;
            w->at = 0;
            bench_report(
                "tf_lookup_sequential",
                bench_compare(w, ours_lookup_cursor, peer_or_none(w, peer_lookup), calls_of(4 * TIMES)));
        }
    }
    const char *batch = hz > 500 ? "tf_lookup_batch_1khz" : "tf_lookup_batch";
    if (bench_wanted(batch)) {
        for (int i = 0; i < TIMES; i++)
            w->times[i] =
                w->start + w->step + (int64_t)(random_next() % (uint64_t)(w->end - w->start - SNT_NS_PER_S));
        bench_result r = bench_compare(w, ours_batch, NULL, calls_of(400));
        r.ours /= 1024 * EDGES;
        bench_report(batch, r);
    }
    bench_sink((uint64_t)w->sum);
    world_free(w);
}

static void inserts(void)
{
    world *w = world_make(1000, 10);
    if (bench_wanted("tf_insert_newest"))
        bench_report("tf_insert_newest",
                     bench_compare(w, ours_insert, peer_or_none(w, peer_insert), calls_of(200000)));
    if (bench_wanted("tf_insert_named"))
        bench_report("tf_insert_named",
                     bench_compare(w, ours_insert_named, peer_or_none(w, peer_insert), calls_of(200000)));
    world_free(w);
}

/* ---- threads ---- */

typedef struct reader {
    world *w;
    pthread_t thread;
    double rate;
    double seconds;
} reader;

static void *read_for(void *context)
{
    reader *r = context;
    const double until = bench_now_ns() + r->seconds * 1e9;
    int64_t n = 0;
    double sum = 0;
    snt_tf_result result;
    uint32_t at = 0;
    while (bench_now_ns() < until) {
        for (int i = 0; i < 256; i++) {
            snt_tf_path_lookup(r->w->path, r->w->times[at++ % TIMES], &result, NULL);
            sum += result.pose.t[0];
        }
        n += 256;
    }
    bench_sink((uint64_t)sum);
    r->rate = (double)n / r->seconds;
    return NULL;
}

/* Two readers of one buffer against two readers of a buffer each. */
static void scaling(void)
{
    if (!bench_wanted("tf_reader_scaling"))
        return;
    world *a = world_make(100, 10), *b = world_make(100, 10);
    times_random(a);
    memcpy(b->times, a->times, sizeof a->times);
    double ratios[9];
    const int rounds = bench_quick ? 3 : 9;
    for (int round = 0; round < rounds; round++) {
        double rate[2] = {0, 0};
        for (int shared = 0; shared < 2; shared++) {
            reader r[2] = {{.w = a, .seconds = 0.1}, {.w = shared ? a : b, .seconds = 0.1}};
            for (int i = 0; i < 2; i++)
                pthread_create(&r[i].thread, NULL, read_for, &r[i]);
            for (int i = 0; i < 2; i++) {
                pthread_join(r[i].thread, NULL);
                rate[shared] += r[i].rate;
            }
        }
        ratios[round] = rate[1] / rate[0];
    }
    bench_report_value("tf_reader_scaling", bench_median(ratios, rounds), NAN, NAN, "ratio");
    world_free(a);
    world_free(b);
}

typedef struct writer {
    world *w;
    pthread_t thread;
    _Atomic int stop;
    double hz;
} writer;

static void *write_at(void *context)
{
    writer *wr = context;
    world *w = wr->w;
    double next = bench_now_ns();
    int edge = 0;
    int64_t stamp = w->next;
    while (!atomic_load(&wr->stop)) {
        while (bench_now_ns() < next && !atomic_load(&wr->stop))
            usleep(20);
        next += 1e9 / wr->hz;
        snt_tf_transform in;
        snt_tf_transform_init(&in, w->frames[edge], w->frames[edge + 1], stamp);
        in.pose = pose_at(edge, stamp);
        snt_tf_buffer_insert(w->b, &in, NULL);
        edge = (edge + 1) % EDGES;
        if (edge == 0)
            stamp += w->step; /* each edge at hz/5, in real time */
    }
    return NULL;
}

/* 99.9th percentile of single lookups of recent data, alone and beside a 10 kHz writer. */
static void contended(void)
{
    if (!bench_wanted("tf_read_p999_contended"))
        return;
    const int n = bench_quick ? 200000 : 1000000;
    double *ns = malloc((size_t)n * sizeof *ns), p999[2] = {0, 0};
    uint64_t busy = 0;
    for (int with = 0; with < 2 && ns; with++) {
        world *w = world_make(10000.0 / EDGES, 10); /* the writer goes on as the history was */
        times_around(w, w->end - 500 * SNT_NS_PER_MS);
        writer wr = {.w = w, .hz = 10000};
        if (with)
            pthread_create(&wr.thread, NULL, write_at, &wr);
        snt_tf_result r;
        for (int i = 0; i < n; i++) {
            const int64_t t = w->times[i % TIMES];
            const double start = bench_now_ns();
            busy += snt_tf_path_lookup(w->path, t, &r, NULL) == SNT_BUSY;
            ns[i] = bench_now_ns() - start;
        }
        atomic_store(&wr.stop, 1);
        if (with)
            pthread_join(wr.thread, NULL);
        qsort(ns, (size_t)n, sizeof *ns, bench_less_);
        p999[with] = ns[(size_t)((double)n * 0.999)];
        fprintf(stderr, "# %s writer: p50 %.0f p99 %.0f p99.9 %.0f max %.0f ns, busy %llu\n",
                with ? "with" : "no", ns[n / 2], ns[(size_t)(n * 0.99)], p999[with], ns[n - 1],
                (unsigned long long)busy);
        world_free(w);
    }
    bench_report_value("tf_read_p999_contended", p999[1], p999[0], p999[0] / p999[1], "ns");
    bench_report_value("tf_read_busy", (double)busy, NAN, NAN, "count");
    free(ns);
}

/* ---- the rows tfl publishes, with our peer ---- */

enum { LONG_CHAIN = 10 };

typedef struct row {
    world *w; /* for its times */
    snt_tf_buffer *b;
    tf2_peer *peer;
    snt_frame f[LONG_CHAIN + 1];
    snt_tf_path *path;
    int depth;
    double sum;
} row;

static void row_lookup_path(void *context, int64_t calls)
{
    row *r = context;
    snt_tf_result result;
    for (int64_t i = 0; i < calls; i++) {
        if (snt_tf_path_lookup(r->path, next_time(r->w), &result, NULL) != SNT_OK)
            abort();
        r->sum += result.pose.t[0];
    }
}

static void row_can_path(void *context, int64_t calls)
{
    row *r = context;
    for (int64_t i = 0; i < calls; i++)
        r->sum += snt_tf_path_can(r->path, next_time(r->w), NULL) == SNT_OK;
}

static void row_lookup(void *context, int64_t calls)
{
    row *r = context;
    snt_tf_result result;
    for (int64_t i = 0; i < calls; i++) {
        if (snt_tf_buffer_lookup(r->b, r->f[0], r->f[r->depth], next_time(r->w), &result, NULL) != SNT_OK)
            abort();
        r->sum += result.pose.t[0];
    }
}

static void row_can(void *context, int64_t calls)
{
    row *r = context;
    for (int64_t i = 0; i < calls; i++)
        r->sum += snt_tf_buffer_can(r->b, r->f[0], r->f[r->depth], next_time(r->w), NULL) == SNT_OK;
}

static void row_peer_lookup(void *context, int64_t calls)
{
    row *r = context;
    double out[2] = {0, 0};
    for (int64_t i = 0; i < calls; i++) {
        tf2_peer_lookup(r->peer, 0, r->depth, next_time(r->w), out);
        r->sum += out[0];
    }
}

static void row_peer_can(void *context, int64_t calls)
{
    row *r = context;
    for (int64_t i = 0; i < calls; i++)
        r->sum += tf2_peer_can(r->peer, 0, r->depth, next_time(r->w));
}

/* Ten frames in a row: ten samples per edge, or static ones. */
static void row_make(row *r, world *w, int statics)
{
    *r = (row){.w = w, .depth = LONG_CHAIN};
    if (snt_tf_buffer_create(NULL, NULL, &r->b) != SNT_OK)
        abort();
    r->peer = tf2_peer_create(10);
    for (int i = 0; i <= LONG_CHAIN; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%d", i);
        snt_tf_buffer_frame(r->b, name, &r->f[i]);
    }
    for (int e = 0; e < LONG_CHAIN; e++) {
        for (int i = 0; i < 10; i++) {
            snt_tf_transform in;
            snt_tf_transform_init(&in, r->f[e], r->f[e + 1], (1 + i) * SNT_NS_PER_S);
            in.pose = pose_at(e, in.stamp);
            if ((statics ? snt_tf_buffer_insert_static(r->b, &in, NULL)
                         : snt_tf_buffer_insert(r->b, &in, NULL)) != SNT_OK)
                abort();
            if (r->peer)
                tf2_peer_set_kind(r->peer, e, e + 1, in.stamp, in.pose.q, in.pose.t, statics);
        }
    }
    if (snt_tf_path_create(r->b, r->f[0], r->f[LONG_CHAIN], &r->path) != SNT_OK)
        abort();
}

static void row_free(row *r)
{
    snt_tf_path_destroy(r->path);
    snt_tf_buffer_destroy(r->b);
    if (r->peer)
        tf2_peer_destroy(r->peer);
}

static void tfl_rows(void)
{
    if (!bench_wanted("tf_tfl_chain10") && !bench_wanted("tf_tfl_can10") && !bench_wanted("tf_tfl_static10"))
        return;
    world *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    for (int i = 0; i < TIMES; i++)
        w->times[i] = SNT_NS_PER_S + (int64_t)(random_next() % (uint64_t)(9 * SNT_NS_PER_S));
    row r;
    row_make(&r, w, 0);
    const bench_fn look = r.peer ? row_peer_lookup : NULL, can = r.peer ? row_peer_can : NULL;
    bench_report("tf_tfl_chain10", bench_compare(&r, row_lookup_path, look, calls_of(40000)));
    bench_report("tf_tfl_chain10_ids", bench_compare(&r, row_lookup, look, calls_of(40000)));
    bench_report("tf_tfl_can10", bench_compare(&r, row_can_path, can, calls_of(40000)));
    bench_report("tf_tfl_can10_ids", bench_compare(&r, row_can, can, calls_of(40000)));
    r.depth = 1;
    bench_report("tf_tfl_interpolate_ids", bench_compare(&r, row_lookup, look, calls_of(100000)));
    row_free(&r);
    row_make(&r, w, 1);
    bench_report("tf_tfl_static10", bench_compare(&r, row_lookup_path, look, calls_of(40000)));
    bench_report("tf_tfl_static10_ids", bench_compare(&r, row_lookup, look, calls_of(40000)));
    bench_sink((uint64_t)r.sum);
    row_free(&r);
    free(w);
}

/* ---- memory ---- */

static void memory(void)
{
    if (!bench_wanted("tf_bytes_per_sample") && !bench_wanted("tf_bytes_per_idle_edge"))
        return;
    world *w = world_make(100, 1);
    snt_tf_buffer_info info;
    snt_tf_buffer_get_info(w->b, &info);
    double per_sample = NAN, per_edge = NAN;
    if (w->peer) {
        tf2_peer *p = tf2_peer_create(1e6);
        const double q[4] = {0, 0, 0, 1}, t[3] = {1, 0, 0};
        for (int i = 1; i < 200; i++)
            tf2_peer_set(p, 0, i, SNT_NS_PER_S, q, t);
        tf2_peer *again = tf2_peer_create(1e6);
        const uint64_t before = tf2_peer_heap_bytes();
        for (int i = 1; i < 200; i++)
            tf2_peer_set(again, 0, i, SNT_NS_PER_S, q, t);
        const uint64_t edges = tf2_peer_heap_bytes();
        for (int i = 0; i < 20000; i++)
            tf2_peer_set(again, 0, 1, SNT_NS_PER_S + i + 1, q, t);
        per_sample = (double)(tf2_peer_heap_bytes() - edges) / 20000;
        per_edge = (double)(edges - before) / 199;
        tf2_peer_destroy(p);
        tf2_peer_destroy(again);
    }
    bench_report_value("tf_bytes_per_sample", info.bytes_per_sample, per_sample,
                       per_sample / info.bytes_per_sample, "bytes");
    bench_report_value("tf_bytes_per_idle_edge", info.bytes_per_frame, per_edge,
                       per_edge / info.bytes_per_frame, "bytes");
    world_free(w);
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    fprintf(stderr, "# calibration %.3f ns\n", bench_calibration_ns());
    if (bench_wanted("tf_insert_newest") || bench_wanted("tf_insert_named"))
        inserts();
    lookups(100, "tf_lookup_random_depth5", "tf_lookup_random_depth5_ids");
    lookups(1000, "tf_lookup_random_1khz", "tf_lookup_random_1khz_ids");
    tfl_rows();
    contended();
    scaling();
    memory();
    return 0;
}
