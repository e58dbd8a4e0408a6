/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Were these two measured at the same moment? A lidar stamps with its own counter, a camera by PTP, that is in TAI. Neither
 * knows the host's clock, and neither the other's.
 *
 * The lidar's counter is mapped by arrivals and pings. The camera's time comes over the leap seconds and over what the
 * time daemon says of the host's wall clock. Both end on the host's steady clock with a bound, and only then they are
 * compared. Then the camera's PTP is set to UTC by mistake: 37 s appear, and are named.
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

#define MS SNT_NS_PER_MS
#define S  SNT_NS_PER_S

/* ---- what is simulated: the truth, on the host's steady clock ---- */

static const snt_time now = 5000 * S;                   /* steady */
static const snt_duration unix_offset = 1699995000 * S; /* unix − steady, in truth */

static uint64_t lidar_counter(snt_time host) /* microseconds, 32 bits, 20 ppm slow */
{
    const snt_time up = host - 2000 * S;
    return (uint64_t)((up - up / 1000000 * 20) / 1000) & UINT32_MAX;
}

static snt_time camera_ptp(snt_time host, snt_duration tai_minus_utc)
{
    return host + unix_offset + tai_minus_utc;
}

/* ---- what a program does ---- */

static snt_device_clock *make_lidar_clock(void)
{
    snt_device_clock_config cfg;
    snt_device_clock_config_init(&cfg, sizeof cfg);
    cfg.tick_num_ns = 1000;
    cfg.counter_bits = 32;
    cfg.event = SNT_EVENT_SWEEP;
    snt_device_clock *clock;
    CHECK(snt_device_clock_create(&cfg, NULL, &clock));
    for (int n = 0; n < 1000; n++) { /* ten seconds of packets, a ping each second */
        const snt_time sent = now - 10 * S + n * 10 * MS;
        CHECK(snt_device_clock_observe_arrival(clock, 0, lidar_counter(sent),
                                               sent + 200000 + n * 7919 % 31 * 20000, NULL));
        if (n % 100 == 0)
            CHECK(snt_device_clock_observe_exchange(clock, 0, sent + 1 * MS, lidar_counter(sent + 1200000),
                                                    lidar_counter(sent + 1200000), sent + 1400000, NULL));
    }
    return clock;
}

static snt_clock_graph *make_graph(void)
{
    snt_clock_graph *graph;
    CHECK(snt_clock_graph_create(NULL, NULL, &graph)); /* unix, TAI and GPS are connected already */
    const snt_clock_fact daemon = {
        .from = SNT_DOMAIN_STEADY,
        .to = SNT_DOMAIN_UNIX,
        .at_ns = now - 2 * S,
        .offset_ns = unix_offset + 140000, /* what chrony estimates; it says how wrong that may be */
        .error_ns = 300000,
        .drift_ppb = 20000,
        .valid_from = now - 60 * S,
        .valid_until = now + 60 * S,
    };
    CHECK(snt_clock_graph_add_fact(graph, &daemon, NULL));
    return graph;
}

/* The camera's exposure on the host's steady clock. */
static snt_status image_of(const snt_clock_graph *graph, snt_time opened_ptp, snt_time closed_ptp,
                           snt_sample *image)
{
    /* [image] */
    snt_bounded_time opened, closed, first, last;
    CHECK(snt_bounded_time_init(opened_ptp, 1000, 1000, SNT_DOMAIN_TAI, 0, &opened)); /* PTP: within 1 µs */
    CHECK(snt_bounded_time_init(closed_ptp, 1000, 1000, SNT_DOMAIN_TAI, 0, &closed));
    CHECK(snt_clock_graph_convert(graph, &opened, SNT_DOMAIN_STEADY, &first, NULL));
    CHECK(snt_clock_graph_convert(graph, &closed, SNT_DOMAIN_STEADY, &last, NULL));
    /* [image] */
    snt_sample_init(image, 0, SNT_DOMAIN_STEADY, 2);
    image->source = 2;
    return snt_sample_set_times(image, &first, &last, SNT_EVENT_EXPOSURE);
}

static void compare(const char *what, const snt_sample *sweep, const snt_sample *image)
{
    /* [pair] */
    snt_pair_separation pair;
    const snt_status status = snt_admission_pair(sweep, image, 150 * MS, &pair);
    /* [pair] */
    printf("%s: %s\n", what, status == SNT_OK ? "close enough, for certain" : snt_status_text(status));
    printf("  middles %.3f ms apart, no moment of one more than %.3f ms from the other\n",
           1e-6 * (double)pair.estimate_ns, 1e-6 * (double)pair.greatest_ns);
}

int main(void)
{
    snt_device_clock *lidar = make_lidar_clock();
    snt_clock_graph *graph = make_graph();

    snt_sample sweep, image; /* a sweep of 100 ms and an exposure of 8 ms in its middle */
    CHECK(snt_device_clock_stamp_interval(lidar, 0, lidar_counter(now - 100 * MS), lidar_counter(now),
                                          now + 1 * MS, 1, &sweep));
    sweep.source = 1;
    CHECK(image_of(graph, camera_ptp(now - 54 * MS, 37 * S), camera_ptp(now - 46 * MS, 37 * S), &image));
    printf("sweep begins %+.0f us from the truth, bound -%.0f … +%.0f us\n",
           1e-3 * (double)(sweep.t0_ns - (now - 100 * MS)), 1e-3 * (double)sweep.err_lo_ns,
           1e-3 * (double)sweep.err_hi_ns);
    printf("image begins %+.0f us from the truth, bound -%.0f … +%.0f us\n",
           1e-3 * (double)(image.t0_ns - (now - 54 * MS)), 1e-3 * (double)image.err_lo_ns,
           1e-3 * (double)image.err_hi_ns);
    compare("PTP in TAI, as it should be", &sweep, &image);
    const int bounded = llabs(sweep.t0_ns - (now - 100 * MS)) <= sweep.err_lo_ns + sweep.err_hi_ns &&
                        llabs(image.t0_ns - (now - 54 * MS)) <= image.err_lo_ns + image.err_hi_ns;

    CHECK(image_of(graph, camera_ptp(now - 54 * MS, 0), camera_ptp(now - 46 * MS, 0), &image));
    compare("PTP set to UTC by mistake", &sweep, &image);
    snt_leap_table table;
    snt_leap_table_init(&table);
    snt_clock_finding finding;
    char text[192];
    CHECK(snt_clock_classify(image.t0_ns + unix_offset, sweep.t0_ns + unix_offset, SNT_UNKNOWN, 0, &table,
                             &finding));
    CHECK(snt_clock_finding_format(&finding, text, sizeof text));
    printf("  %s\n", text);

    snt_clock_graph_destroy(graph);
    snt_device_clock_destroy(lidar);
    return bounded ? 0 : 1;
}
