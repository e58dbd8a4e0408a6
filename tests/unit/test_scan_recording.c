/* SPDX-License-Identifier: BSD-3-Clause */
/* A real cloud: a VLP-16's 14 831 points whose times count from each packet. Skipped where the recordings are absent. */
#include "scan_cloud.h"

enum {
    STEP = 32,
    CHANNEL_AT = 14,
    TIME_AT = 28
}; /* x y z f32, intensity u8, return u8, channel u16, three f32, time u32 */

static unsigned char file[1 << 20];

static unsigned char *load(uint64_t *count)
{
    const char *root = getenv("SNT_SOURCE_ROOT");
    char path[4096];
    snprintf(path, sizeof path, "%s/../shared/data/tier4+nebula/velodyne_vlp16_1673400472138016708.pcd",
             root ? root : ".");
    FILE *in = fopen(path, "rb");
    if (!in) {
        printf("# skipped: %s is not there\n", path);
        return NULL;
    }
    const size_t size = fread(file, 1, sizeof file - 1, in);
    fclose(in);
    file[size] = '\0';
    char *points = strstr((char *)file, "POINTS "), *data = strstr((char *)file, "DATA binary\n");
    assert_non_null(points);
    assert_non_null(data);
    *count = strtoull(points + 7, NULL, 10);
    unsigned char *first = (unsigned char *)data + 12;
    assert_true((size_t)(first - file) + *count * STEP <= size);
    return first;
}

static void packet_times_of_a_real_cloud_are_seen_through(void **state)
{
    (void)state;
    uint64_t count;
    unsigned char *points = load(&count);
    if (!points) /* said above; cmocka's skip() would print a failure in TAP */
        return;
    snt_cloud c;
    snt_cloud_init(&c);
    assert_status(snt_cloud_set_points(&c, points, STEP, SNT_TYPE_F32, count), SNT_OK);
    assert_status(snt_cloud_set_times(&c, points + TIME_AT, STEP, SNT_TYPE_U32, SNT_TIME_UNIT_NS,
                                      SNT_TIME_REF_RELATIVE, 0, 0),
                  SNT_OK);
    assert_status(snt_cloud_set_rings(&c, points + CHANNEL_AT, STEP, SNT_TYPE_U16), SNT_OK);
    c.time_ref = SNT_TIME_REF_PACKET;
    snt_scan_auditor *auditor;
    snt_point_stats s;
    assert_status(snt_scan_auditor_create(NULL, NULL, &auditor), SNT_OK);
    assert_status(snt_scan_auditor_points(auditor, &c, 100 * MS, &s), SNT_OK);
    assert_int_equal(s.points, 14831);
    assert_int_equal(s.timed, 14831);
    assert_int_equal(s.negative_jumps, 149); /* 150 packets */
    assert_i64_equal(s.max_ns, 1306368);
    assert_int_equal(s.order, SNT_ORDER_AZIMUTH);
    assert_true(s.flags & SNT_SCAN_NO_TIME); /* unusable as times in the scan */
    assert_in_range(s.rings, 15, 16);
    snt_scan_auditor_destroy(auditor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packet_times_of_a_real_cloud_are_seen_through)};
    return cmocka_run_group_tests_name("scan_recording", tests, NULL, NULL);
}
