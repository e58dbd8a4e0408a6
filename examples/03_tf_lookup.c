/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where was the lidar? A small tree, asked at awkward times; every refusal explains itself.
 *
 * Without arguments it simulates map→odom (10 Hz), odom→base_link (50 Hz) and base_link→lidar (static). With one it loads a
 * dump of /tf, one transform per line: "stamp_ns parent child x y z qx qy qz qw", "static" instead of a stamp for statics,
 * and asks for the second and third argument (target, source) at the end of the dump.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sensortime/sensortime.h"

static const int64_t ms = 1000000;

static void insert(snt_tf_buffer *tf, const char *parent, const char *child, int64_t stamp, double x,
                   double yaw)
{
    snt_tf_transform in;
    snt_tf_transform_init(&in, 0, 0, stamp);
    in.pose.t[0] = x;
    in.pose.q[2] = sin(yaw / 2);
    in.pose.q[3] = cos(yaw / 2);
    const snt_status status = snt_tf_buffer_insert_named(tf, parent, child, &in, NULL);
    if (status < 0)
        printf("  %s->%s refused: %s\n", parent, child, snt_status_text(status));
}

static void insert_static(snt_tf_buffer *tf, const char *parent, const char *child, const snt_pose *pose)
{
    snt_tf_transform in;
    snt_tf_transform_init(&in, 0, 0, 0);
    if (snt_tf_buffer_frame(tf, parent, &in.parent) < 0 || snt_tf_buffer_frame(tf, child, &in.child) < 0)
        return;
    in.pose = *pose;
    snt_tf_buffer_insert_static(tf, &in, NULL);
}

static void show(snt_tf_buffer *tf, const char *what, snt_status status, const snt_tf_result *r,
                 const snt_tf_miss *miss)
{
    char line[256];
    printf("%s\n", what);
    if (status == SNT_OK) {
        printf("  x %.3f m%s%s\n", r->pose.t[0], r->flags & SNT_TF_INTERPOLATED ? ", interpolated" : "",
               r->flags & SNT_TF_EXTRAPOLATED ? ", extrapolated" : "");
        return;
    }
    snt_tf_miss_format(tf, miss, line, sizeof line);
    printf("  %s\n  %s\n", snt_status_name(status), line);
}

static void ask(snt_tf_buffer *tf, const snt_tf_path *path, const char *what, int64_t t)
{
    snt_tf_result r;
    snt_tf_miss miss;
    const snt_status status = snt_tf_path_lookup(path, t, &r, &miss);
    show(tf, what, status, &r, &miss);
}

static void simulate(snt_tf_buffer *tf)
{
    const int64_t start = 96 * 1000 * ms;
    for (int i = 0; i <= 200; i++)
        insert(tf, "odom", "base_link", start + i * 20 * ms, i * 0.02, 0.001 * i);
    for (int i = 0; i <= 41; i++)
        insert(tf, "map", "odom", start + i * 100 * ms, 5, 0);
    const snt_pose mount = {{0, 0, 0, 1}, {0.3, 0, 0.8}};
    insert_static(tf, "base_link", "lidar", &mount);

    snt_tf_path *path;
    if (snt_tf_buffer_path(tf, "map", "lidar", &path) < 0)
        return;
    ask(tf, path, "a scan at 99.512: between two samples of either edge", 99512 * ms);
    ask(tf, path, "a scan at 100.012: the next odometry is not there yet", 100012 * ms);
    insert(tf, "odom", "base_link", 100020 * ms, 4.02, 0.201);
    ask(tf, path, "the same scan, after that odometry came", 100012 * ms);
    ask(tf, path, "a scan whose clock is half a second ahead", 100500 * ms);
    ask(tf, path, "a scan that waited too long", 90000 * ms);
    ask(tf, path, "a scan stamped by the wrong clock", INT64_C(1700000000000000000));

    printf("a jump of the sensor's clock, as the buffer sees it\n");
    insert(tf, "odom", "base_link", 80000 * ms, 0, 0);
    insert(tf, "lidar", "map", 100000 * ms, 0, 0);

    snt_tf_question latest;
    snt_tf_question_init(&latest, sizeof latest);
    latest.when = SNT_TF_LATEST_EACH;
    latest.now = 130000 * ms;
    latest.max_age_ns = 500 * ms;
    snt_tf_result r;
    snt_tf_miss miss;
    const snt_status status = snt_tf_path_ask(path, &latest, NULL, &r, &miss);
    show(tf, "the latest pose, 30 s after the odometry died", status, &r, &miss);
    snt_tf_path_destroy(path);
    if (snt_tf_buffer_path(tf, "map", "gripper", &path) < 0)
        return;
    ask(tf, path, "a frame nobody publishes", 100000 * ms);
    snt_tf_path_destroy(path);
}

/* One line of a dump. */
static int load_line(snt_tf_buffer *tf, const char *text, int64_t *newest)
{
    char when[24], parent[64], child[64];
    snt_pose p;
    if (sscanf(text, "%23s %63s %63s %lf %lf %lf %lf %lf %lf %lf", when, parent, child, &p.t[0], &p.t[1],
               &p.t[2], &p.q[0], &p.q[1], &p.q[2], &p.q[3]) != 10)
        return 0;
    if (strcmp(when, "static") == 0) {
        insert_static(tf, parent, child, &p);
        return 1;
    }
    snt_tf_transform in;
    snt_tf_transform_init(&in, 0, 0, strtoll(when, NULL, 10));
    in.pose = p;
    if (snt_tf_buffer_insert_named(tf, parent, child, &in, NULL) == SNT_OK && in.stamp > *newest)
        *newest = in.stamp;
    return 1;
}

static int load(snt_tf_buffer *tf, const char *file, const char *target, const char *source)
{
    FILE *in = fopen(file, "r");
    char line[512];
    int64_t newest = 0;
    int lines = 0;
    if (!in)
        return 1;
    while (fgets(line, sizeof line, in))
        lines += load_line(tf, line, &newest);
    fclose(in);
    printf("%d transforms, the newest at %" PRId64 " ns\n", lines, newest);
    snt_tf_path *path;
    if (snt_tf_buffer_path(tf, target, source, &path) < 0)
        return 1;
    ask(tf, path, "at the end of the dump", newest);
    ask(tf, path, "one second before", newest - 1000 * ms);
    ask(tf, path, "100 ms after", newest + 100 * ms);
    snt_tf_path_destroy(path);
    return 0;
}

int main(int argc, char **argv)
{
    snt_tf_buffer *tf;
    int failed = 0;
    if (snt_tf_buffer_create(NULL, NULL, &tf) < 0)
        return 1;
    if (argc > 1)
        failed = load(tf, argv[1], argc > 2 ? argv[2] : "map", argc > 3 ? argv[3] : "base_link");
    else
        simulate(tf);
    snt_tf_buffer_destroy(tf);
    return failed;
}
