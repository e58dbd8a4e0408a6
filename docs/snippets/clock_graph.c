/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/clock_graph.md: a lidar's reading on TAI, over a map, a chrony report and the leap seconds. */
#include "snippet.h"

int main(void)
{
    snt_clock_map *lidar_map;
    need(snt_clock_map_create(NULL, NULL, &lidar_map));
    const snt_time steady = 5000 * SNT_NS_PER_S;
    const snt_duration offset = INT64_C(1700000000) * SNT_NS_PER_S - steady;
    for (int64_t n = 20; n > 0; n--) /* a device 3 s behind; its stamps are read within 2 µs */
        need(snt_clock_map_observe_cross(lidar_map, 0, steady - n * SNT_NS_PER_MS - 1000,
                                         steady - n * SNT_NS_PER_MS - 3 * SNT_NS_PER_S,
                                         steady - n * SNT_NS_PER_MS + 1000, NULL));
    snt_bounded_time reading, out;
    need(snt_bounded_time_init(steady - 3 * SNT_NS_PER_S, 0, 0, SNT_DOMAIN_USER, 0, &reading));
    uint32_t edge;
    snt_clock_report report;
    /* [convert] */
    snt_clock_graph *graph;
    need(snt_clock_graph_create(NULL, NULL, &graph));      /* unix, TAI and GPS are connected already */
    need(snt_clock_graph_add_map(graph, lidar_map, NULL)); /* device counter -> host steady clock, live */
    const snt_clock_fact chrony = {.from = SNT_DOMAIN_STEADY,
                                   .to = SNT_DOMAIN_UNIX,
                                   .at_ns = steady,
                                   .offset_ns = offset,
                                   .error_ns = 500000,
                                   .drift_ppb = 50000,
                                   .valid_from = steady - 64 * SNT_NS_PER_S,
                                   .valid_until = steady + 64 * SNT_NS_PER_S};
    need(snt_clock_graph_add_fact(graph, &chrony, &edge)); /* and update_fact with each new report */

    need(snt_clock_graph_convert(graph, &reading, SNT_DOMAIN_TAI, &out, &report));
    /* [convert] */
    printf("%lld s TAI and %+lld … %+lld us\n", (long long)(out.t / SNT_NS_PER_S),
           (long long)((out.lo - out.t) / 1000), (long long)((out.hi - out.t) / 1000));
    expect(llabs(out.t - (steady + offset + 37 * SNT_NS_PER_S)) < 1000000);

    snt_clock_fact ptp = chrony; /* a PTP clock that serves TAI where UTC was expected */
    ptp.offset_ns += 37 * SNT_NS_PER_S;
    need(snt_clock_graph_add_fact(graph, &ptp, &edge));
    expect(snt_clock_graph_convert(graph, &reading, SNT_DOMAIN_TAI, &out, &report) == SNT_ERR_CONFLICT);
    char text[512];
    need(snt_clock_report_format(&report, text, sizeof text));
    puts(text);
    snt_clock_graph_destroy(graph);
    snt_clock_map_destroy(lidar_map);
    return 0;
}
