/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints what the library computes, bit by bit. However library and program are compiled, it must print the same: the
 * scripts beside this one compare. The program itself computes nothing, since it may be compiled with -Ofast.
 */
#include <sensortime/sensortime.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)

static uint64_t state = 1;

/* a double of everyday size whose bits say where they come from */
static double number(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t bits = (UINT64_C(1019) << 52) + (state >> 8) % (UINT64_C(6) << 52) + (state << 63);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double special(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void print(const char *what, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    printf("%s ", what);
    for (size_t i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    puts("");
}

static void need(snt_status status, const char *what)
{
    if (status >= 0)
        return;
    printf("%s: %s\n", what, snt_status_name(status));
    exit(1);
}

static snt_pose any_pose(void)
{
    snt_pose pose;
    for (int i = 0; i < 4; i++)
        pose.q[i] = number();
    need(snt_quaternion_normalise(pose.q, 1e9, pose.q), "normalise");
    for (int i = 0; i < 3; i++)
        pose.t[i] = number();
    return pose;
}

static void poses(void)
{
    for (int i = 0; i < 40; i++) {
        const snt_pose a = any_pose(), b = any_pose();
        snt_pose c;
        snt_twist twist;
        need(snt_pose_interpolate(&a, &b, 0.25, SNT_INTERPOLATE_SCREW, &c), "interpolate");
        print("screw", &c, sizeof c);
        need(snt_pose_interpolate(&a, &b, 0.75, SNT_INTERPOLATE_LINEAR, &c), "interpolate");
        print("slerp", &c, sizeof c);
        snt_pose_log(&c, 0.1, &twist);
        print("log", &twist, sizeof twist);
        snt_pose_exp(&twist, 0.1, &c);
        print("exp", &c, sizeof c);
    }
}

static void refusals(void)
{
    const uint64_t no_numbers[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0x7ff0000000000000),
                                   UINT64_C(0xfff0000000000000)};
    for (int i = 0; i < 3; i++) {
        snt_pose pose = any_pose();
        snt_time t;
        pose.t[i] = special(no_numbers[i]);
        printf("pose %s\n", snt_status_name(snt_pose_check(&pose, 1e-6)));
        printf("seconds %s\n", snt_status_name(snt_time_from_seconds(special(no_numbers[i]), &t, NULL)));
    }
}

static void transforms(void)
{
    snt_tf_buffer *buffer;
    snt_frame map, base, sensor;
    snt_tf_transform x;
    snt_tf_result result;
    need(snt_tf_buffer_create(NULL, NULL, &buffer), "buffer");
    need(snt_tf_buffer_frame(buffer, "map", &map), "frame");
    need(snt_tf_buffer_frame(buffer, "base", &base), "frame");
    need(snt_tf_buffer_frame(buffer, "sensor", &sensor), "frame");
    snt_tf_transform_init(&x, base, sensor, 0);
    x.pose = any_pose();
    need(snt_tf_buffer_insert_static(buffer, &x, NULL), "static");
    for (int i = 0; i < 50; i++) {
        snt_tf_transform_init(&x, map, base, i * 20 * MS);
        x.pose = any_pose();
        need(snt_tf_buffer_insert(buffer, &x, NULL), "insert");
    }
    for (int i = 0; i < 40; i++) {
        need(snt_tf_buffer_lookup(buffer, map, sensor, i * 23 * MS + 12345, &result, NULL), "lookup");
        print("tf", &result.pose, sizeof result.pose);
        print("bound", &result.pos_err, 2 * sizeof(double));
    }
    snt_tf_buffer_destroy(buffer);
}

static void deskew(void)
{
    enum { N = 400 };
    static float xyz[N][3];
    static int64_t times[N];
    snt_cloud cloud;
    snt_deskew *plan;
    snt_deskew_scan scan;
    for (int i = 0; i < N; i++) {
        times[i] = i * MS / 4;
        for (int k = 0; k < 3; k++)
            xyz[i][k] = (float)number();
    }
    const uint32_t nan = 0x7fc00000;
    memcpy(&xyz[7][1], &nan, sizeof nan);
    snt_cloud_init(&cloud);
    need(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, N), "points");
    need(snt_cloud_set_times(&cloud, times, 0, SNT_TYPE_I64, SNT_TIME_UNIT_NS, SNT_TIME_REF_ABSOLUTE, 0, 0),
         "times");
    need(snt_deskew_create(NULL, NULL, &plan), "plan");
    snt_deskew_scan_init(&scan, sizeof scan);
    need(snt_deskew_scan_from_cloud(&cloud, NULL, 0, &scan, NULL), "scan");
    const snt_twist twist = {{10, 1, 0}, {0.1, 0.2, 2}};
    snt_deskew_report report;
    need(snt_deskew_plan_twist(plan, &scan, &twist), "twist");
    need(snt_deskew_apply(plan, &cloud, &cloud, &report), "apply");
    printf("not finite %" PRIu64 "\n", report.non_finite);
    for (int i = 0; i < N; i++)
        print("point", xyz[i], sizeof xyz[i]);
    snt_deskew_destroy(plan);
}

static void clocks(void)
{
    snt_clock_map *map;
    snt_clock_map_config config;
    snt_bounded_time out;
    snt_clock_map_config_init(&config, sizeof config);
    need(snt_clock_map_create(&config, NULL, &map), "map");
    for (int64_t i = 0; i < 300; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t device = i * 10 * MS + i * 37, late = (int64_t)(state >> 40) % (2 * MS);
        need(snt_clock_map_observe_arrival(map, snt_clock_map_session(map), device, i * 10 * MS + late, NULL),
             "arrival");
        if (snt_clock_map_to_host(map, device, &out) == SNT_OK)
            print("host", &out, sizeof out);
    }
    snt_clock_map_destroy(map);
}

int main(void)
{
    poses();
    refusals();
    transforms();
    deskew();
    clocks();
    return 0;
}
