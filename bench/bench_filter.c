/* SPDX-License-Identifier: BSD-3-Clause */
/* The message filter against the requests that tf2_ros::MessageFilter makes of tf2. */
#include "bench.h"
#include "peers/filter_peer.h"

#include "sensortime/sensortime.h"

typedef struct rig {
    snt_tf_buffer *tf;
    snt_message_filter *filter;
    snt_frame odom, base, other;
    filter_peer *peer;
    int64_t t, peer_t, bare_t;
    uint64_t released;
    snt_frame edges[64];
    int edge_count, told;
} rig;

static void insert(rig *r, snt_frame parent, snt_frame child, int64_t t)
{
    snt_tf_transform x;
    snt_tf_transform_init(&x, parent, child, t);
    x.pose.t[0] = 1;
    snt_tf_buffer_insert(r->tf, &x, NULL);
}

static void setup(rig *r, uint32_t capacity, int told)
{
    memset(r, 0, sizeof *r);
    snt_message_filter_config cfg;
    snt_tf_buffer_config tf;
    snt_tf_buffer_config_init(&tf, sizeof tf);
    snt_message_filter_config_init(&cfg, sizeof cfg);
    cfg.capacity = capacity;
    cfg.flags = told ? SNT_FILTER_NOTIFIED : 0;
    if (snt_tf_buffer_create(&tf, NULL, &r->tf) < 0 ||
        snt_message_filter_create(r->tf, &cfg, NULL, &r->filter) < 0)
        exit(1);
    snt_tf_buffer_frame(r->tf, "odom", &r->odom);
    snt_tf_buffer_frame(r->tf, "base", &r->base);
    snt_tf_buffer_frame(r->tf, "other", &r->other);
    snt_message_filter_set_targets(r->filter, &r->odom, 1);
    r->t = r->peer_t = r->bare_t = 1000000000;
    r->told = told;
}

static void teardown(rig *r)
{
    snt_message_filter_destroy(r->filter);
    snt_tf_buffer_destroy(r->tf);
    if (r->peer)
        filter_peer_destroy(r->peer);
}

/* A message waits, its transform comes, it is taken together with it. */
static void ours_add_release(void *context, int64_t calls)
{
    rig *r = context;
    snt_sample sample;
    snt_filter_release release;
    snt_tf_result results[2];
    snt_sample_init(&sample, 0, 0, 0);
    for (int64_t i = 0; i < calls; i++) {
        r->t += 10000000;
        sample.t0_ns = sample.t1_ns = r->t;
        snt_message_filter_add(r->filter, &sample, r->base, SNT_UNKNOWN);
        insert(r, r->odom, r->base, r->t);
        if (snt_message_filter_poll_edge(r->filter, r->base, r->t, SNT_UNKNOWN) == SNT_OK &&
            snt_message_filter_poll(r->filter, SNT_UNKNOWN, SNT_UNKNOWN, &release, results, 2) == SNT_OK)
            r->released++;
    }
    bench_sink(r->released);
}

static void peer_add_release(void *context, int64_t calls)
{
    rig *r = context;
    for (int64_t i = 0; i < calls; i++) {
        r->peer_t += 10000000;
        filter_peer_add(r->peer, r->peer_t);
        filter_peer_insert(r->peer, r->peer_t);
    }
    bench_sink(filter_peer_released(r->peer));
}

/* An insert on an edge on which nobody hangs, with the filter told, or polled. */
static void ours_update(void *context, int64_t calls)
{
    rig *r = context;
    snt_filter_release release;
    snt_tf_result results[2];
    for (int64_t i = 0; i < calls; i++) {
        r->t += 1000000;
        insert(r, r->odom, r->other, r->t);
        if (r->told)
            snt_message_filter_poll_edge(r->filter, r->other, r->t, SNT_UNKNOWN);
        else
            snt_message_filter_poll(r->filter, SNT_UNKNOWN, SNT_UNKNOWN, &release, results, 2);
    }
}

/* Two measurements at once: `ours` = with the filter, `peer` = the bare insert. */
static void bare_update(void *context, int64_t calls)
{
    rig *r = context;
    for (int64_t i = 0; i < calls; i++) {
        r->t += 1000000;
        insert(r, r->odom, r->other, r->t);
    }
}

/* Messages far in the future of `edges` edges, none ever released. */
static void hang(rig *r, int count, int edges)
{
    for (int e = 0; e < edges; e++) {
        char name[16];
        snprintf(name, sizeof name, "sensor%d", e);
        snt_tf_buffer_frame(r->tf, name, &r->edges[e]);
        insert(r, r->odom, r->edges[e], 1000000000);
    }
    for (int i = 0; i < count; i++) {
        snt_sample sample;
        snt_sample_init(&sample, INT64_C(100000000000000) + i, 0, (uint64_t)i);
        snt_message_filter_add(r->filter, &sample, r->edges[i % edges], SNT_UNKNOWN);
    }
}

static void peer_update(void *context, int64_t calls)
{
    rig *r = context;
    for (int64_t i = 0; i < calls; i++) {
        r->peer_t += 1000000;
        filter_peer_insert(r->peer, r->peer_t);
    }
}

static double overhead(const char *what, int waiting, int edges, int told)
{
    rig r;
    setup(&r, 2000, told);
    hang(&r, waiting, edges);
    const bench_result result = bench_compare(&r, ours_update, bare_update, bench_quick ? 20000 : 200000);
    fprintf(stderr, "# %s: %.1f ns with the filter, %.1f ns bare, spread %.1f %%\n", what, result.ours,
            result.peer, 100 * result.ours_spread);
    teardown(&r);
    return result.ours - result.peer;
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    rig r;
    if (bench_wanted("filter_add_release")) {
        setup(&r, 10, 1);
        r.peer = filter_peer_create();
        const bench_result result = bench_compare(&r, ours_add_release, r.peer ? peer_add_release : NULL,
                                                  bench_quick ? 20000 : 100000);
        fprintf(stderr, "# filter_add_release: released %llu, peer %llu\n", (unsigned long long)r.released,
                (unsigned long long)(r.peer ? filter_peer_released(r.peer) : 0));
        bench_report("filter_add_release", result);
        teardown(&r);
    }
    if (bench_wanted("filter_tf_update_1000_waiting")) { /* ns over the bare insert, the edge told */
        double peer = (double)NAN;
        setup(&r, 2000, 1);
        r.peer = filter_peer_create();
        if (r.peer) {
            filter_peer_insert(r.peer, r.peer_t);
            const double bare = bench_compare(&r, peer_update, NULL, 2000).ours;
            for (int i = 0; i < 1000; i++)
                filter_peer_add(r.peer, INT64_C(100000000000000) + i);
            peer = bench_compare(&r, peer_update, NULL, bench_quick ? 20 : 100).ours - bare;
        }
        teardown(&r);
        const double ours = overhead("1000 waiting, told", 1000, 1, 1);
        bench_report_value("filter_tf_update_1000_waiting", ours, peer, ours > 0 ? peer / ours : (double)NAN,
                           "ns");
    }
    if (bench_wanted("filter_tf_update_10_waiting"))
        bench_report_value("filter_tf_update_10_waiting", overhead("10 waiting, told", 10, 1, 1), (double)NAN,
                           (double)NAN, "ns");
    if (bench_wanted("filter_poll_per_edge")) { /* a plain poll: the slope over 1 and 61 blocking edges */
        const double few = overhead("polled, 1 edge", 1000, 1, 0),
                     many = overhead("polled, 61 edges", 1000, 61, 0);
        bench_report_value("filter_poll_per_edge", (many - few) / 60, (double)NAN, (double)NAN, "ns");
    }
    return 0;
}
