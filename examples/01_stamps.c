/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a stamp says, and what it does not.
 *
 *     01_stamps [leap-seconds.list]
 *
 * Reads a device's counter exactly, compares two times that are not exactly known, names a clock by its gap, and shows a
 * leap second on three scales. With a file, the leap seconds are taken from there.
 */
#include <stdio.h>
#include <stdlib.h>

#include <sensortime/sensortime.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const snt_status check_status = (call);                                                              \
        if (check_status < 0) {                                                                              \
            fprintf(stderr, "%s: %s\n", #call, snt_status_text(check_status));                               \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static void load_leap_seconds(const char *path, snt_leap_table *table)
{
    static char text[65536];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    const size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    uint32_t line;
    const snt_status status = snt_leap_table_parse(text, length, table, &line);
    if (status < 0) {
        fprintf(stderr, "%s:%u: %s\n", path, (unsigned)line, snt_status_text(status));
        exit(1);
    }
}

static void counters(void)
{
    snt_duration exact;
    int64_t rest;
    /* a camera at 30/1.001 frames per second, after a day */
    CHECK(snt_ticks_to_ns(2589411, INT64_C(1001000000000), 30000, SNT_ROUND_FLOOR, &exact, &rest));
    printf("frame 2589411 at 30/1.001 Hz: %lld ns and %lld/30000 ns more\n", (long long)exact,
           (long long)rest);
    int32_t sec;
    uint32_t nanosec;
    CHECK(snt_time_to_ros2(-1, &sec, &nanosec));
    printf("one nanosecond before 1970 in a ROS 2 message: sec %d, nanosec %u\n", (int)sec,
           (unsigned)nanosec);
    double seconds, error;
    CHECK(snt_time_to_seconds(INT64_C(1553575413247045598), &seconds, &error));
    printf("as a double: %.9f s, wrong by up to %.0f ns\n", seconds, error * 1e9);
}

static void bounds(void)
{
    snt_bounded_time now, image;
    snt_bounded_duration age;
    /* the host's clock is known to 5 ms, the mapped camera stamp to 10 ms */
    CHECK(snt_bounded_time_init(INT64_C(1700000000028000000), 5 * SNT_NS_PER_MS, 5 * SNT_NS_PER_MS,
                                SNT_DOMAIN_UNIX, 0, &now));
    CHECK(snt_bounded_time_init(INT64_C(1700000000000000000), 10 * SNT_NS_PER_MS, 10 * SNT_NS_PER_MS,
                                SNT_DOMAIN_UNIX, 0, &image));
    CHECK(snt_bounded_time_sub(&now, &image, &age));
    printf("age: about %lld ms, certainly between %lld and %lld ms\n", (long long)(age.d / SNT_NS_PER_MS),
           (long long)(age.lo / SNT_NS_PER_MS), (long long)(age.hi / SNT_NS_PER_MS));
    snt_delay_error cost;
    CHECK(snt_stamp_delay_error(100 * SNT_NS_PER_MS, 0.5, 1.0, 5.0, &cost));
    printf("a stamp 100 ms late at 0.5 m/s and 1 rad/s: %.2f m and %.1f degrees, a wall at 5 m %.2f m off\n",
           cost.position_m, cost.bearing_rad * 57.29577951308232, cost.point_m);
}

static void clocks(const snt_leap_table *table)
{
    static const snt_time stamps[] = {INT64_C(1700000036950000000), INT64_C(12500000000), 0,
                                      INT64_C(1699999999980000000)};
    for (size_t i = 0; i < sizeof stamps / sizeof stamps[0]; i++) {
        snt_clock_finding finding;
        char text[192];
        CHECK(snt_clock_classify(stamps[i], INT64_C(1700000000000000000), SNT_UNKNOWN, 0, table, &finding));
        CHECK(snt_clock_finding_format(&finding, text, sizeof text));
        printf("%s\n", text);
    }
}

static void leap_second(const snt_leap_table *table)
{
    snt_time tai;
    CHECK(snt_time_parse_rfc3339_tai("2016-12-31T23:59:59.5Z", 22, table, &tai, NULL));
    for (int i = 0; i < 3; i++) {
        char utc[SNT_RFC3339_SIZE];
        snt_time unix_time;
        uint32_t flags;
        CHECK(snt_time_format_rfc3339_tai(tai, table, 1, utc, sizeof utc, NULL));
        CHECK(snt_timescale_convert(table, tai, SNT_DOMAIN_TAI, SNT_DOMAIN_UNIX, &unix_time, &flags));
        printf("TAI %lld.%lld s  UTC %s  unix %lld%s\n", (long long)(tai / SNT_NS_PER_S),
               (long long)(tai % SNT_NS_PER_S / (SNT_NS_PER_S / 10)), utc, (long long)unix_time,
               flags & SNT_TIME_LEAP_AMBIGUOUS ? " (counted twice)" : "");
        CHECK(snt_time_add(tai, SNT_NS_PER_S, &tai));
    }
}

int main(int argc, char **argv)
{
    snt_leap_table table;
    snt_leap_table_init(&table);
    if (argc > 1)
        load_leap_seconds(argv[1], &table);
    counters();
    bounds();
    clocks(&table);
    leap_second(&table);
    return 0;
}
