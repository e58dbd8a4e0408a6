/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/transforms.md and docs/migration.md: insert, resolve a path once, ask; batches; a question in full. */
#include "snippet.h"

int main(void)
{
    const snt_pose pose = {{0, 0, 0, 1}, {1, 2, 0}}, mount = {{0, 0, 0, 1}, {0.3, 0, 0.8}};
    const snt_time stamp_ns = 100 * SNT_NS_PER_S, scan_ns = stamp_ns + 10 * SNT_NS_PER_MS;
    float points[4] = {10, 0, 0, 1};
    const uint64_t n = 1;
    /* [path] */
    snt_tf_buffer *tf;
    need(snt_tf_buffer_create(NULL, NULL, &tf)); /* all memory is taken here */
    snt_tf_path *path;
    need(snt_tf_buffer_path(tf, "odom", "lidar", &path)); /* the frames need not exist yet */
    /* [path] */
    snt_tf_transform fixed;
    snt_tf_transform_init(&fixed, 0, 0, 0);
    /* [static] */
    need(snt_tf_buffer_frame(tf, "base_link", &fixed.parent));
    need(snt_tf_buffer_frame(tf, "lidar", &fixed.child));
    fixed.pose = mount;
    need(snt_tf_buffer_insert_static(tf, &fixed, NULL));
    /* [static] */
    /* [insert] */
    snt_tf_transform in; /* one message of /tf */
    snt_tf_transform_init(&in, 0, 0, stamp_ns);
    in.pose = pose;
    need(snt_tf_buffer_insert_named(tf, "odom", "base_link", &in, NULL));
    /* [insert] */
    in.stamp += 20 * SNT_NS_PER_MS;
    need(snt_tf_buffer_insert_named(tf, "odom", "base_link", &in, NULL));
    /* [lookup] */
    snt_tf_result T;
    snt_tf_miss miss;
    char line[256];
    if (snt_tf_path_lookup(path, scan_ns, &T, &miss) != SNT_OK)
        snt_tf_miss_format(tf, &miss, line,
                           sizeof line); /* which edge, how much is missing, when it is due */
    else
        need(snt_pose_apply_points_f32(&T.pose, points, 16, points, 16, n));
    /* [lookup] */
    expect(points[0] > 11.29f && points[0] < 11.31f);

    snt_frame odom, lidar;
    need(snt_tf_buffer_frame(tf, "odom", &odom));
    need(snt_tf_buffer_frame(tf, "lidar", &lidar));
    /* [fixed] */
    need(snt_tf_buffer_lookup_fixed(tf, lidar, stamp_ns + 20 * SNT_NS_PER_MS, lidar, stamp_ns, odom, &T,
                                    &miss)); /* how the lidar moved in 20 ms */
    /* [fixed] */
    expect(T.pose.t[0] < 1e-9 && T.pose.t[0] > -1e-9);
    enum { TIMES = 3 };
    const snt_time stamps[TIMES] = {stamp_ns, scan_ns, stamp_ns + SNT_NS_PER_S};
    snt_pose poses[TIMES];
    snt_status statuses[TIMES];
    uint64_t answered;
    /* [many] */
    if (snt_tf_path_lookup_many(path, NULL, NULL, stamps, sizeof stamps[0], TIMES, poses, sizeof poses[0],
                                statuses, &answered) == SNT_ERR_FUTURE) /* here the last one: statuses[2] */
        printf("%u of %u answered\n", (unsigned)answered, (unsigned)TIMES);
    /* [many] */
    expect(answered == 2 && statuses[2] == SNT_ERR_FUTURE);
    /* [hold] */
    snt_tf_question ask;
    snt_tf_question_init(&ask, sizeof ask);
    ask.t = stamp_ns + 40 * SNT_NS_PER_MS;
    ask.extrapolation = SNT_TF_EXTRAPOLATE_HOLD; /* the newest pose, but not for longer than this */
    ask.extrapolate_ns = 50 * SNT_NS_PER_MS;
    need(snt_tf_path_ask(path, &ask, NULL, &T, &miss)); /* T.flags has SNT_TF_EXTRAPOLATED */
    /* [hold] */
    expect(T.flags & SNT_TF_EXTRAPOLATED);
    snt_tf_path_destroy(path);
    snt_tf_buffer_destroy(tf);
    return 0;
}
