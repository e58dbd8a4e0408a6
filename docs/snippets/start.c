/* SPDX-License-Identifier: BSD-3-Clause */
/* The first program of docs/start.md. */
/* [all] */
#include <stdio.h>

#include <sensortime/sensortime.h>

static void odometry(snt_tf_buffer *tf, int64_t ms) /* 1 m/s along x */
{
    snt_tf_transform in;
    snt_tf_transform_init(&in, 0, 0, ms * SNT_NS_PER_MS);
    in.pose.t[0] = (double)ms * 1e-3 - 100;
    snt_tf_buffer_insert_named(tf, "odom", "base_link", &in, NULL);
}

static void where_was_it(const snt_tf_buffer *tf, const snt_tf_path *path, snt_time t)
{
    snt_tf_result result;
    snt_tf_miss miss;
    char line[256];
    if (snt_tf_path_lookup(path, t, &result, &miss) == SNT_OK) {
        printf("x = %.3f m\n", result.pose.t[0]);
        return;
    }
    snt_tf_miss_format(tf, &miss, line, sizeof line);
    printf("%s\n", line);
}

int main(void)
{
    snt_tf_buffer *tf;
    snt_tf_path *path;
    if (snt_tf_buffer_create(NULL, NULL, &tf) < 0 || /* all memory is taken here */
        snt_tf_buffer_path(tf, "odom", "base_link", &path) < 0)
        return 1;
    for (int64_t ms = 99800; ms <= 100000; ms += 20) /* 50 Hz */
        odometry(tf, ms);

    const snt_time scan_ns = 100012 * SNT_NS_PER_MS;
    where_was_it(tf, path, scan_ns); /* 12 ms ahead of the newest odometry: no guess */
    odometry(tf, 100020);
    where_was_it(tf, path, scan_ns);

    snt_tf_path_destroy(path);
    snt_tf_buffer_destroy(tf);
    return 0;
}
/* [all] */
