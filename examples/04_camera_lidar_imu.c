/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Camera (30 Hz, every seventh frame lost), lidar (10 Hz sweeps) and IMU (200 Hz), transforms that arrive 60 ms late, and
 * a reboot of the robot's clock in the middle. Every camera image and sweep waits in a message filter for odom <- sensor,
 * then the two are matched with the IMU interpolated at the image's stamp. Each set, each drop and the reason is printed.
 *
 * Time here is a simulated millisecond loop; a real program passes CLOCK_MONOTONIC where `steady` stands.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sensortime/sensortime.h"

#define MS SNT_NS_PER_MS

enum { CAMERA, LIDAR, IMU, INPUTS };
static const char *const name[INPUTS] = {"camera", "lidar", "imu"};

static void need(snt_status status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s: %s\n", what, snt_status_text(status));
    exit(1);
}

typedef struct robot {
    snt_epoch *epoch;
    snt_tf_buffer *tf;
    snt_message_filter *filter;
    snt_synchronizer *sync;
    snt_frame odom, frame[INPUTS];
    uint64_t count[INPUTS];
    int sets, drops;
} robot;

/* The buffer calls this after each insert that made an edge grow; the filter looks at that edge only. */
static void edge_grew(void *user, snt_frame child, snt_time newest)
{
    snt_message_filter_poll_edge(((robot *)user)->filter, child, newest, SNT_UNKNOWN);
}

static void start(robot *r)
{
    need(snt_epoch_create(NULL, &r->epoch), "epoch");
    snt_tf_buffer_config tf;
    snt_tf_buffer_config_init(&tf, sizeof tf);
    tf.epoch = r->epoch;
    tf.notify = edge_grew;
    tf.notify_user = r;
    need(snt_tf_buffer_create(&tf, NULL, &r->tf), "transform buffer");
    need(snt_tf_buffer_frame(r->tf, "odom", &r->odom), "odom");
    need(snt_tf_buffer_frame(r->tf, "camera", &r->frame[CAMERA]), "camera");
    need(snt_tf_buffer_frame(r->tf, "lidar", &r->frame[LIDAR]), "lidar");

    snt_message_filter_config filter;
    snt_message_filter_config_init(&filter, sizeof filter);
    /* both streams together: one sample every 25 ms, transforms 60 ms late, sweeps 100 ms long */
    filter.capacity = snt_message_filter_suggest_capacity(25 * MS, 160 * MS, 4);
    filter.wait_timeout_ns = 500 * MS;
    filter.epoch = r->epoch;
    need(snt_message_filter_create(r->tf, &filter, NULL, &r->filter), "message filter");
    need(snt_message_filter_set_targets(r->filter, &r->odom, 1), "target");

    snt_sync_input_config inputs[INPUTS] = {{0}};
    inputs[CAMERA].queue = 16;
    inputs[LIDAR].match = SNT_MATCH_MIDDLE;
    inputs[IMU].role = SNT_ROLE_INTERPOLATED;
    inputs[IMU].max_gap_ns = 20 * MS;
    inputs[IMU].queue = 128;
    snt_sync_config sync;
    snt_synchronizer_config_init(&sync, sizeof sync);
    sync.input_count = INPUTS;
    sync.inputs = inputs;
    sync.max_separation_ns = 20 * MS;
    sync.deadline_ns = 400 * MS;
    sync.epoch = r->epoch;
    need(snt_synchronizer_create(&sync, NULL, &r->sync), "synchronizer");
}

static void give(robot *r, uint32_t input, snt_time t0, snt_time t1, snt_time steady)
{
    snt_sample sample;
    snt_sample_init(&sample, t0, SNT_DOMAIN_SIM, ++r->count[input]);
    sample.t1_ns = t1;
    sample.source = input;
    sample.session = snt_epoch_session(r->epoch);
    if (input == IMU)
        need(snt_synchronizer_add(r->sync, IMU, &sample, steady), "add imu");
    else
        need(snt_message_filter_add(r->filter, &sample, r->frame[input], steady), "add");
}

static void transform(robot *r, snt_time t)
{
    for (int i = CAMERA; i <= LIDAR; i++) {
        snt_tf_transform x;
        snt_tf_transform_init(&x, r->odom, r->frame[i], t);
        x.pose.t[0] = 2.0 * (double)t * 1e-9; /* 2 m/s along x */
        x.session = snt_epoch_session(r->epoch);
        need(snt_tf_buffer_insert(r->tf, &x, NULL), "transform");
    }
}

static void print_drops(robot *r)
{
    snt_filter_drop waiting;
    snt_sync_drop unmatched[16];
    char line[512];
    uint32_t n;
    while (snt_message_filter_poll_drop(r->filter, &waiting) == SNT_OK) {
        snt_filter_drop_format(r->tf, &waiting, line, sizeof line);
        printf("  dropped by the filter  %s %s\n", name[waiting.sample.source], line);
        r->drops++;
    }
    while (snt_synchronizer_poll_drops(r->sync, unmatched, 16, &n) == SNT_OK) {
        for (uint32_t i = 0; i < n; i++) {
            if (unmatched[i].input == IMU && unmatched[i].reason != SNT_DROP_RESET)
                continue; /* between two images, or lent and past: 200 lines a second */
            snt_sync_drop_format(&unmatched[i], line, sizeof line);
            printf("  dropped by the matcher %s %s\n", name[unmatched[i].input], line);
            r->drops++;
        }
    }
}

static void turn(robot *r, snt_time steady)
{
    snt_filter_release release;
    snt_tf_result pose[2];
    while (snt_message_filter_poll(r->filter, steady, SNT_UNKNOWN, &release, pose, 2) == SNT_OK)
        need(snt_synchronizer_add(r->sync, release.sample.source, &release.sample, steady), "match");
    snt_sync_set set;
    snt_sync_member member[INPUTS + 1];
    while (snt_synchronizer_poll(r->sync, steady, SNT_UNKNOWN, &set, member, INPUTS + 1) == SNT_OK) {
        printf("set %" PRIu64 " at %.3f s (session %" PRIu32 "): camera #%" PRIu64 ", lidar #%" PRIu64
               ", %.1f ms apart, "
               "imu #%" PRIu64 "+%.2f\n",
               set.number, (double)set.reference_ns * 1e-9, set.session, member[0].sample.token,
               member[1].sample.token, (double)set.separation_ns * 1e-6, member[2].sample.token,
               (double)member[2].weight_num / (double)member[2].weight_den);
        r->sets++;
    }
    print_drops(r);
}

/* One run of the robot's clock from zero. */
static void drive(robot *r, snt_time *steady, int ms)
{
    int frame = 0;
    for (int t = 0; t < ms; t++, *steady += MS) {
        if (t % 5 == 0)
            give(r, IMU, t * MS, t * MS, *steady);
        if (t % 33 == 0 && ++frame % 7)
            give(r, CAMERA, t * MS, t * MS, *steady);
        if (t % 100 == 99) /* a sweep arrives at its end */
            give(r, LIDAR, (t - 99) * MS, t * MS, *steady);
        if (t % 20 == 0 && t >= 60)
            transform(r, (t - 60) * MS);
        turn(r, *steady);
    }
}

int main(void)
{
    robot r = {0};
    snt_time steady = 1000 * SNT_NS_PER_S;
    start(&r);
    drive(&r, &steady, 800);
    printf("-- the robot reboots: its clock starts over --\n");
    snt_epoch_bump(r.epoch, SNT_EPOCH_DEVICE_BOOT);
    drive(&r, &steady, 800);
    printf("-- end: what is still held is handed back --\n");
    snt_message_filter_clear(r.filter);
    snt_synchronizer_clear(r.sync);
    print_drops(&r);

    snt_filter_stats waiting;
    snt_sync_stats matched;
    snt_message_filter_stats(r.filter, &waiting);
    snt_synchronizer_stats(r.sync, &matched);
    printf("%d sets, %d drops printed; filter in %" PRIu64 " out %" PRIu64 ", matcher in %" PRIu64
           " out %" PRIu64 "\n",
           r.sets, r.drops, waiting.in, waiting.out, matched.in, matched.out);
    const int good = snt_message_filter_check(r.filter) == SNT_OK &&
                     snt_synchronizer_check(r.sync) == SNT_OK && waiting.held == 0 && matched.held == 0 &&
                     r.sets >= 10;
    snt_synchronizer_destroy(r.sync);
    snt_message_filter_destroy(r.filter);
    snt_tf_buffer_destroy(r.tf);
    snt_epoch_unref(r.epoch);
    return good ? 0 : 1;
}
