/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include "lib/base/internal.h"

#define MS SNT_NS_PER_MS
#define S  SNT_NS_PER_S
#define T0 (INT64_C(1700000000) * S)

enum { DEVICE = 70, HOST = 71, PHC = 72, OTHER = 73 };

static snt_clock_graph *empty_graph(void)
{
    snt_clock_graph_config cfg;
    snt_clock_graph *graph;
    snt_clock_graph_config_init(&cfg, sizeof cfg);
    cfg.without_scales = 1;
    assert_status(snt_clock_graph_create(&cfg, NULL, &graph), SNT_OK);
    return graph;
}

static snt_clock_graph *default_graph(void)
{
    snt_clock_graph *graph;
    assert_status(snt_clock_graph_create(NULL, NULL, &graph), SNT_OK);
    return graph;
}

static snt_bounded_time time_on(uint32_t domain, snt_time t, snt_duration error)
{
    snt_bounded_time x;
    assert_status(snt_bounded_time_init(t, error, error, domain, 0, &x), SNT_OK);
    return x;
}

static snt_clock_fact fact_of(uint32_t from, uint32_t to, int64_t offset, int64_t error)
{
    return (snt_clock_fact){.from = from,
                            .to = to,
                            .at_ns = T0,
                            .offset_ns = offset,
                            .error_ns = error,
                            .valid_from = SNT_TIME_INFINITE_PAST,
                            .valid_until = SNT_TIME_INFINITE_FUTURE};
}

static uint32_t offset(snt_clock_graph *graph, uint32_t from, uint32_t to, int64_t ns, int64_t error)
{
    uint32_t edge = 0;
    assert_status(snt_clock_graph_add_offset(graph, from, to, ns, error, &edge), SNT_OK);
    assert_true(edge != 0);
    return edge;
}

static snt_bounded_time convert(const snt_clock_graph *graph, snt_bounded_time in, uint32_t to)
{
    snt_bounded_time out;
    snt_clock_report report;
    assert_status(snt_clock_graph_convert(graph, &in, to, &out, &report), SNT_OK);
    assert_status(report.status, SNT_OK);
    assert_int_equal(out.domain, to);
    assert_status(snt_bounded_time_check(&out), SNT_OK);
    return out;
}

static void scales_are_connected_from_the_start(void **state)
{
    (void)state;
    snt_clock_graph *graph = default_graph();
    snt_bounded_time x = convert(graph, time_on(SNT_DOMAIN_GPS, 0, 5), SNT_DOMAIN_UNIX);
    assert_i64_equal(x.t, SNT_GPS_EPOCH_UNIX_S * S);
    assert_i64_equal(x.lo, SNT_GPS_EPOCH_UNIX_S * S - 5);
    x = convert(graph, time_on(SNT_DOMAIN_UNIX, T0, 0), SNT_DOMAIN_TAI);
    assert_i64_equal(x.t, T0 + 37 * S);
    snt_clock_edge edges[4];
    uint32_t count;
    assert_status(snt_clock_graph_edges(graph, edges, 4, &count), SNT_OK);
    assert_int_equal(count, 2);
    assert_true(edges[0].edge == 1 && edges[0].kind == SNT_EDGE_SCALE && edges[0].from == SNT_DOMAIN_UNIX &&
                edges[0].to == SNT_DOMAIN_TAI && edges[1].edge == 2 && edges[1].to == SNT_DOMAIN_GPS);
    /* a newer leap table takes effect at once */
    static const char text[] = "#@ 8000000000\n2272060800 10\n";
    snt_leap_table table;
    assert_status(snt_leap_table_parse(text, sizeof text - 1, &table, NULL), SNT_OK);
    assert_status(snt_clock_graph_set_leap_table(graph, &table), SNT_OK);
    x = convert(graph, time_on(SNT_DOMAIN_UNIX, T0, 0), SNT_DOMAIN_TAI);
    assert_i64_equal(x.t, T0 + 10 * S);
    assert_status(snt_clock_graph_set_leap_table(graph, NULL), SNT_OK);
    x = convert(graph, time_on(SNT_DOMAIN_UNIX, INT64_C(1900000000) * S, 0), SNT_DOMAIN_TAI);
    assert_true(x.flags & SNT_TIME_LEAP_EXPIRED);
    snt_bounded_time out;
    snt_clock_report report;
    const snt_bounded_time early = time_on(SNT_DOMAIN_UNIX, 0, 0);
    assert_status(snt_clock_graph_convert(graph, &early, SNT_DOMAIN_TAI, &out, &report), SNT_ERR_PAST);
    assert_int_equal(report.blocked_edge, 1);
    table.count = 0;
    assert_status(snt_clock_graph_set_leap_table(graph, &table), SNT_ERR_INVALID_ARG);
    snt_clock_graph_destroy(graph);
}

static void bounds_add_along_a_path_in_both_directions(void **state)
{
    (void)state;
    snt_clock_graph *graph = empty_graph();
    offset(graph, DEVICE, HOST, 100 * S, 3);
    offset(graph, PHC, HOST, -5 * S, 4); /* PHC = HOST + 5 s */
    snt_bounded_time x = convert(graph, time_on(DEVICE, 10 * S, 10), PHC);
    assert_i64_equal(x.t, 115 * S);
    assert_i64_equal(x.lo, 115 * S - 17);
    assert_i64_equal(x.hi, 115 * S + 17);
    assert_true(x.flags & SNT_TIME_DECLARED);
    x = convert(graph, x, DEVICE);
    assert_i64_equal(x.t, 10 * S);
    assert_i64_equal(x.hi, 10 * S + 24);
    x = convert(graph, time_on(DEVICE, 7, 1), DEVICE);
    assert_i64_equal(x.t, 7);
    /* an open side stays open */
    snt_bounded_time open;
    assert_status(snt_bounded_time_init(10 * S, SNT_UNKNOWN, 1, DEVICE, 9, &open), SNT_OK);
    x = convert(graph, open, PHC);
    assert_i64_equal(x.lo, SNT_TIME_INFINITE_PAST);
    assert_i64_equal(x.hi, 115 * S + 8);
    assert_int_equal(x.flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI), SNT_TIME_BOUND_HI);
    assert_int_equal(x.session, 9);
    assert_status(snt_bounded_time_init(10 * S, 1, SNT_UNKNOWN, DEVICE, 9, &open), SNT_OK);
    x = convert(graph, open, PHC);
    assert_i64_equal(x.lo, 115 * S - 8);
    assert_i64_equal(x.hi, SNT_TIME_INFINITE_FUTURE);
    assert_int_equal(x.flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI), SNT_TIME_BOUND_LO);
    /* a bound that leaves the range is open from there on, in both directions */
    snt_bounded_time far = time_on(DEVICE, INT64_MAX - 100 * S - 100, 90);
    x = convert(graph, far, HOST);
    assert_i64_equal(x.hi, INT64_MAX - 7);
    far = time_on(DEVICE, INT64_MAX - 100 * S - 100, 98);
    x = convert(graph, far, HOST);
    assert_i64_equal(x.hi, SNT_TIME_INFINITE_FUTURE);
    assert_false(x.flags & SNT_TIME_BOUND_HI);
    far = time_on(HOST, INT64_MIN + 100 * S + 100, 98);
    x = convert(graph, far, DEVICE);
    assert_i64_equal(x.lo, SNT_TIME_INFINITE_PAST);
    assert_i64_equal(x.hi, INT64_MIN + 201);
    far = time_on(PHC, INT64_MAX - 5 * S - 100, 10);
    offset(graph, OTHER, PHC, -5 * S, 95);
    x = convert(graph, far, OTHER);
    assert_i64_equal(x.hi, SNT_TIME_INFINITE_FUTURE);
    snt_clock_graph_destroy(graph);
}

/* spec 2: 20 ppm over 60 s add 1.2 ms. */
static void a_fact_drifts_and_expires(void **state)
{
    (void)state;
    snt_clock_graph *graph = empty_graph();
    snt_clock_fact fact = fact_of(HOST, SNT_DOMAIN_UNIX, S, 100000);
    fact.drift_ppb = 20000;
    fact.valid_until = T0 + 60 * S;
    fact.valid_from = T0 - 10 * S;
    uint32_t edge;
    assert_status(snt_clock_graph_add_fact(graph, &fact, &edge), SNT_OK);
    snt_bounded_time x = convert(graph, time_on(HOST, T0, 0), SNT_DOMAIN_UNIX);
    assert_i64_equal(x.hi - x.t, 100000);
    x = convert(graph, time_on(HOST, T0 + 60 * S, 0), SNT_DOMAIN_UNIX);
    assert_i64_equal(x.t, T0 + 61 * S);
    assert_i64_equal(x.hi - x.t, 1300000);
    assert_i64_equal(x.t - x.lo, 1300000);
    assert_true((x.flags & SNT_TIME_ASSUMED_RATE) && (x.flags & SNT_TIME_RESTORED));
    x = convert(graph, time_on(HOST, T0 - 5 * S, 0), SNT_DOMAIN_UNIX);
    assert_i64_equal(x.hi - x.t, 200000);
    /* back: the bound has to cover times whose own drift is larger */
    x = convert(graph, time_on(SNT_DOMAIN_UNIX, T0 + 51 * S, 0), HOST);
    assert_i64_equal(x.t, T0 + 50 * S);
    assert_true(x.hi - x.t >= 1100000 && x.hi - x.t < 1100100);
    snt_bounded_time out = {.t = 4};
    snt_clock_report report;
    static const snt_duration outside[] = {60 * S + 1, -10 * S - 1};
    for (size_t i = 0; i < SNT_COUNT_OF(outside); i++) {
        const snt_bounded_time late = time_on(HOST, T0 + outside[i], 0);
        assert_status(snt_clock_graph_convert(graph, &late, SNT_DOMAIN_UNIX, &out, &report), SNT_ERR_EXPIRED);
        assert_int_equal(report.blocked_edge, edge);
        assert_status(report.blocked_status, SNT_ERR_EXPIRED);
        const snt_bounded_time back = time_on(SNT_DOMAIN_UNIX, T0 + S + outside[i], 0);
        assert_status(snt_clock_graph_convert(graph, &back, HOST, &out, &report), SNT_ERR_EXPIRED);
    }
    const snt_bounded_time wide =
        time_on(HOST, T0 + 59 * S, 2 * S); /* partly outside: nobody vouches for it */
    assert_status(snt_clock_graph_convert(graph, &wide, SNT_DOMAIN_UNIX, &out, &report), SNT_ERR_EXPIRED);
    assert_i64_equal(out.t, 4);
    snt_bounded_time open; /* where a side is unknown, the estimate has to lie in the validity */
    assert_status(snt_bounded_time_init(T0 + 59 * S, SNT_UNKNOWN, SNT_UNKNOWN, HOST, 0, &open), SNT_OK);
    x = convert(graph, open, SNT_DOMAIN_UNIX);
    assert_true(x.lo == SNT_TIME_INFINITE_PAST && x.hi == SNT_TIME_INFINITE_FUTURE);
    open.t = T0 + 61 * S;
    assert_status(snt_clock_graph_convert(graph, &open, SNT_DOMAIN_UNIX, &out, &report), SNT_ERR_EXPIRED);
    open.t = T0 - 11 * S;
    assert_status(snt_clock_graph_convert(graph, &open, SNT_DOMAIN_UNIX, &out, &report), SNT_ERR_EXPIRED);
    assert_status(snt_clock_graph_convert(graph, &wide, SNT_DOMAIN_UNIX, &out, &report), SNT_ERR_EXPIRED);
    char text[512];
    assert_status(snt_clock_report_format(&report, text, sizeof text), SNT_OK);
    assert_non_null(strstr(text, "0 of 1 paths"));
    assert_non_null(strstr(text, "edge 1: the table or validity interval has expired"));
    /* the next one, from the daemon's next report */
    fact.at_ns = T0 + 64 * S;
    fact.offset_ns = S + 5;
    fact.valid_until = T0 + 124 * S;
    assert_status(snt_clock_graph_update_fact(graph, edge, &fact), SNT_OK);
    x = convert(graph, time_on(HOST, T0 + 64 * S, 0), SNT_DOMAIN_UNIX);
    assert_i64_equal(x.t, T0 + 65 * S + 5);
    fact.to = SNT_DOMAIN_TAI;
    assert_status(snt_clock_graph_update_fact(graph, edge, &fact), SNT_ERR_DOMAIN);
    assert_status(snt_clock_graph_update_fact(graph, 77, &fact), SNT_ERR_NOT_FOUND);
    fact.error_ns = -1;
    assert_status(snt_clock_graph_update_fact(graph, edge, &fact), SNT_ERR_RANGE);
    assert_status(snt_clock_graph_update_fact(graph, edge, NULL), SNT_ERR_INVALID_ARG);
    snt_clock_graph_destroy(graph);
}

static void several_paths_are_intersected(void **state)
{
    (void)state;
    snt_clock_graph *graph = empty_graph();
    offset(graph, DEVICE, HOST, 100 * S, 1000);
    const uint32_t second = offset(graph, DEVICE, HOST, 100 * S + 1500, 1000);
    const snt_bounded_time in = time_on(DEVICE, 0, 0);
    snt_bounded_time x;
    snt_clock_report report;
    assert_status(snt_clock_graph_convert(graph, &in, HOST, &x, &report), SNT_OK);
    assert_int_equal(report.paths, 2);
    assert_i64_equal(x.lo, 100 * S + 500);
    assert_i64_equal(x.hi, 100 * S + 1000);
    assert_i64_equal(x.t, 100 * S + 500); /* the estimate of one path, moved into what both allow */
    /* over a third clock, narrower than both: it supplies the estimate */
    offset(graph, DEVICE, OTHER, 0, 100);
    const uint32_t last = offset(graph, OTHER, HOST, 100 * S + 800, 100);
    assert_status(snt_clock_graph_convert(graph, &in, HOST, &x, &report), SNT_OK);
    assert_int_equal(report.paths, 3);
    assert_i64_equal(x.t, 100 * S + 800);
    assert_i64_equal(x.lo, 100 * S + 600);
    assert_i64_equal(x.hi, 100 * S + 1000);
    assert_true(report.a_count == 2 && report.a_edges[1] == last);
    assert_true(report.a.lo == 100 * S + 600 && report.a.hi == 100 * S + 1000);
    assert_status(snt_clock_graph_check(graph, &in, &report), SNT_OK);
    /* without an edge, without its bound; its number is not used again */
    assert_status(snt_clock_graph_remove(graph, second), SNT_OK);
    assert_status(snt_clock_graph_remove(graph, second), SNT_ERR_NOT_FOUND);
    x = convert(graph, in, HOST);
    assert_i64_equal(x.hi, 100 * S + 1000);
    snt_clock_edge edges[4];
    uint32_t count;
    assert_status(snt_clock_graph_edges(graph, edges, 4, &count), SNT_OK);
    assert_true(count == 3 && edges[0].edge == 1 && edges[1].edge == 3 && edges[2].edge == last);
    assert_true(edges[1].from == DEVICE && edges[1].to == OTHER && edges[2].from == OTHER &&
                edges[2].to == HOST);
    assert_true(offset(graph, DEVICE, HOST, 100 * S + 700, 10) > last);
    /* a one-sided time: each end from the path that knows it best */
    snt_bounded_time open;
    assert_status(snt_bounded_time_init(0, SNT_UNKNOWN, 0, DEVICE, 0, &open), SNT_OK);
    x = convert(graph, open, HOST);
    assert_i64_equal(x.lo, SNT_TIME_INFINITE_PAST);
    assert_i64_equal(x.hi, 100 * S + 710);
    assert_int_equal(x.flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI), SNT_TIME_BOUND_HI);
    assert_status(snt_bounded_time_init(0, 0, SNT_UNKNOWN, DEVICE, 0, &open), SNT_OK);
    x = convert(graph, open, HOST);
    assert_i64_equal(x.lo, 100 * S + 690);
    assert_i64_equal(x.hi, SNT_TIME_INFINITE_FUTURE);
    assert_int_equal(x.flags & (SNT_TIME_BOUND_LO | SNT_TIME_BOUND_HI), SNT_TIME_BOUND_LO);
    snt_clock_graph_destroy(graph);
}

/* ouster-ros #53 and its kin: a lidar's PTP time is told to be UTC although the grandmaster serves TAI. */
static void a_disagreement_of_37_seconds_is_called_tai(void **state)
{
    (void)state;
    snt_clock_graph *graph = default_graph();
    const uint32_t wrong = offset(graph, PHC, SNT_DOMAIN_UNIX, 0, 1000); /* as somebody configured it */
    snt_clock_fact daemon = fact_of(PHC, HOST, 5 * S - 37 * S, 1 * MS);  /* as it is: HOST = UTC + 5 s */
    const snt_clock_fact chrony = fact_of(HOST, SNT_DOMAIN_UNIX, -5 * S, 2 * MS);
    uint32_t edges[2];
    assert_status(snt_clock_graph_add_fact(graph, &daemon, &edges[0]), SNT_OK);
    assert_status(snt_clock_graph_add_fact(graph, &chrony, &edges[1]), SNT_OK);
    const snt_bounded_time in = time_on(PHC, T0 + 37 * S, 0);
    snt_bounded_time out = {.t = 6};
    snt_clock_report report;
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_UNIX, &out, &report), SNT_ERR_CONFLICT);
    assert_i64_equal(out.t, 6);
    assert_int_equal(report.constant, SNT_LOOKS_TAI);
    assert_i64_equal(report.difference_ns, 37 * S);
    assert_i64_equal(report.gap_ns, 37 * S - 3 * MS - 1000);
    assert_true(report.a.lo == T0 + 37 * S - 1000 && report.a.hi == T0 + 37 * S + 1000);
    assert_true(report.b.lo == T0 - 3 * MS && report.b.hi == T0 + 3 * MS);
    assert_true(report.a_count == 1 && report.a_edges[0] == wrong);
    assert_true(report.b_count == 2 && report.b_edges[0] == edges[0] && report.b_edges[1] == edges[1]);
    assert_int_equal(report.suspect_edge, 0); /* of two, nobody knows which one lies */
    char text[512];
    assert_status(snt_clock_report_format(&report, text, sizeof text), SNT_OK);
    assert_string_equal(
        text, "contradicts what is already there: edge 3 against edges 4 5: 37.000000000 s apart, at least "
              "36.996999000 s of it wrong; as if TAI labelled as UTC");
    assert_status(snt_clock_graph_check(graph, &in, &report), SNT_ERR_CONFLICT);
    /* a third witness says which */
    const snt_clock_fact gps = fact_of(PHC, SNT_DOMAIN_TAI, 0, 3 * MS);
    assert_status(snt_clock_graph_add_fact(graph, &gps, NULL), SNT_OK);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_UNIX, &out, &report), SNT_ERR_CONFLICT);
    assert_int_equal(report.suspect_edge, wrong);
    assert_int_equal(report.paths, 3);
    assert_status(snt_clock_graph_remove(graph, wrong), SNT_OK);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_UNIX, &out, &report), SNT_OK);
    assert_i64_equal(out.t, T0);
    assert_i64_equal(out.hi, T0 + 3 * MS);
    snt_clock_graph_destroy(graph);
}

static void a_disagreement_of_18_or_19_seconds_is_called_gps(void **state)
{
    (void)state;
    static const struct {
        int64_t gap;
        uint32_t constant;
    } cases[] = {{18 * S, SNT_LOOKS_GPS},
                 {19 * S, SNT_LOOKS_TAI_FOR_GPS},
                 {37 * S + 200 * MS, SNT_LOOKS_TAI},
                 {20 * S, SNT_LOOKS_SAME},
                 {3600 * S, SNT_LOOKS_SAME}};
    for (size_t i = 0; i < SNT_COUNT_OF(cases); i++) {
        snt_clock_graph *graph = empty_graph();
        offset(graph, DEVICE, SNT_DOMAIN_UNIX, cases[i].gap, 10 * MS);
        offset(graph, DEVICE, SNT_DOMAIN_UNIX, 0, 10 * MS);
        const snt_bounded_time in = time_on(DEVICE, T0, 0);
        snt_bounded_time out;
        snt_clock_report report;
        assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_UNIX, &out, &report), SNT_ERR_CONFLICT);
        assert_int_equal(report.constant, cases[i].constant);
        assert_i64_equal(report.gap_ns, cases[i].gap - 20 * MS);
        snt_clock_graph_destroy(graph);
    }
}

static void missing_paths_and_clocks_have_their_own_status(void **state)
{
    (void)state;
    snt_clock_graph *graph = default_graph();
    snt_bounded_time out = {.t = 8};
    snt_clock_report report;
    offset(graph, DEVICE, HOST, 0, 0);
    const snt_bounded_time in = time_on(DEVICE, 0, 0), nowhere = time_on(OTHER, 0, 0);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_UNIX, &out, &report), SNT_ERR_NOT_CONNECTED);
    assert_status(report.status, SNT_ERR_NOT_CONNECTED);
    assert_status(snt_clock_graph_convert(graph, &in, OTHER, &out, &report), SNT_ERR_NOT_FOUND);
    assert_status(snt_clock_graph_convert(graph, &nowhere, DEVICE, &out, &report), SNT_ERR_NOT_FOUND);
    assert_status(snt_clock_graph_check(graph, &nowhere, &report), SNT_ERR_NOT_FOUND);
    assert_status(snt_clock_graph_check(graph, &in, NULL), SNT_OK);
    snt_bounded_time bad = in;
    bad.lo = 5;
    assert_status(snt_clock_graph_convert(graph, &bad, HOST, &out, &report), SNT_ERR_RANGE);
    assert_status(snt_clock_graph_convert(graph, NULL, HOST, &out, &report), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_graph_convert(graph, &in, HOST, NULL, &report), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_graph_convert(graph, &in, HOST, &out, NULL), SNT_OK);
    assert_i64_equal(out.t, 0);
    const snt_bounded_time far = time_on(DEVICE, INT64_MAX - 5, 0);
    offset(graph, HOST, PHC, 10, 0);
    assert_status(snt_clock_graph_convert(graph, &far, PHC, &out, &report), SNT_ERR_OVERFLOW);
    snt_clock_graph_destroy(graph);
}

static void edges_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    snt_clock_graph_config cfg;
    snt_clock_graph *graph;
    snt_clock_graph_config_init(&cfg, sizeof cfg);
    cfg.max_edges = 3;
    assert_status(snt_clock_graph_create(&cfg, NULL, &graph), SNT_OK);
    uint32_t edge = 5;
    assert_status(snt_clock_graph_add_offset(graph, DEVICE, DEVICE, 0, 0, &edge), SNT_ERR_CYCLE);
    assert_status(snt_clock_graph_add_offset(graph, 0, DEVICE, 0, 0, &edge), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_graph_add_offset(graph, HOST, DEVICE, SNT_UNKNOWN, 0, &edge), SNT_ERR_RANGE);
    assert_status(snt_clock_graph_add_offset(graph, HOST, DEVICE, 0, -1, &edge), SNT_ERR_RANGE);
    assert_status(snt_clock_graph_add_scale(graph, SNT_DOMAIN_UNIX, DEVICE, &edge), SNT_ERR_DOMAIN);
    assert_status(snt_clock_graph_add_scale(graph, SNT_DOMAIN_UNIX, SNT_DOMAIN_UNIX, &edge), SNT_ERR_CYCLE);
    snt_clock_fact fact = fact_of(HOST, DEVICE, 0, 0);
    fact.drift_ppb = 500000001;
    assert_status(snt_clock_graph_add_fact(graph, &fact, &edge), SNT_ERR_RANGE);
    fact = fact_of(HOST, DEVICE, 0, 0);
    fact.valid_from = 5;
    fact.valid_until = 4;
    assert_status(snt_clock_graph_add_fact(graph, &fact, &edge), SNT_ERR_RANGE);
    fact = fact_of(HOST, DEVICE, 0, 0);
    fact.reserved = 1;
    assert_status(snt_clock_graph_add_fact(graph, &fact, &edge), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_graph_add_fact(graph, NULL, &edge), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_graph_add_map(graph, NULL, &edge), SNT_ERR_INVALID_ARG);
    const snt_clock_mapping nothing = {.version = 1};
    assert_status(snt_clock_graph_add_mapping(graph, &nothing, &edge), SNT_ERR_FORMAT);
    assert_int_equal(edge, 5);
    offset(graph, HOST, DEVICE, 0, 0);
    assert_status(snt_clock_graph_add_offset(graph, HOST, DEVICE, 0, 0, &edge), SNT_ERR_FULL);
    assert_status(snt_clock_graph_update_fact(graph, 3, &(snt_clock_fact){.from = HOST, .to = DEVICE}),
                  SNT_ERR_NOT_FOUND);
    uint32_t count;
    assert_status(snt_clock_graph_edges(graph, NULL, 0, &count), SNT_OK);
    assert_int_equal(count, 3);
    assert_status(snt_clock_graph_edges(graph, NULL, 1, &count), SNT_ERR_INVALID_ARG);
    snt_clock_graph_destroy(graph);
    snt_clock_graph_destroy(NULL);
    cfg.max_edges = 1;
    assert_status(snt_clock_graph_create(&cfg, NULL, &graph), SNT_ERR_FULL);
    assert_null(graph);
    cfg.max_edges = 257;
    assert_status(snt_clock_graph_create(&cfg, NULL, &graph), SNT_ERR_INVALID_ARG);
    cfg.max_edges = 10;
    cfg.max_paths = 65;
    assert_status(snt_clock_graph_create(&cfg, NULL, &graph), SNT_ERR_INVALID_ARG);
    uint64_t bytes;
    assert_status(snt_clock_graph_size(&cfg, &bytes), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_graph_size(NULL, &bytes), SNT_OK);
    assert_true(bytes > 32 * 4 * sizeof(snt_clock_mapping));
    snt_leap_table none = {.count = 0};
    cfg.max_paths = 4;
    cfg.leap_table = &none;
    assert_status(snt_clock_graph_create(&cfg, NULL, &graph), SNT_ERR_INVALID_ARG);
}

static void loops_are_walked_once_and_long_ways_are_cut(void **state)
{
    (void)state;
    snt_clock_graph *graph = empty_graph();
    for (uint32_t i = 0; i < 8; i++) /* a chain of eight edges, closed to a ring by a ninth */
        offset(graph, DEVICE + i, DEVICE + i + 1, 1, 1);
    snt_bounded_time in = time_on(DEVICE, 0, 0), out;
    snt_clock_report report;
    assert_status(snt_clock_graph_convert(graph, &in, DEVICE + 8, &out, &report), SNT_OK);
    assert_int_equal(report.paths, 1);
    assert_int_equal(report.truncated, 0);
    assert_i64_equal(out.t, 8);
    assert_int_equal(report.a_count, 8);
    offset(graph, DEVICE + 8, DEVICE + 9, 1, 1);
    assert_status(snt_clock_graph_convert(graph, &in, DEVICE + 9, &out, &report), SNT_ERR_NOT_CONNECTED);
    offset(graph, DEVICE + 9, DEVICE, -9, 0);
    assert_status(snt_clock_graph_convert(graph, &in, DEVICE + 9, &out, &report), SNT_OK);
    assert_i64_equal(out.t, 9);
    assert_int_equal(report.paths, 1); /* the ring's other way has nine edges */
    assert_int_equal(report.truncated, 1);
    assert_status(snt_clock_graph_convert(graph, &in, DEVICE + 5, &out, &report), SNT_OK);
    assert_int_equal(report.paths, 2);
    assert_int_equal(report.truncated, 0);
    assert_status(snt_clock_graph_check(graph, &in, &report), SNT_OK);
    snt_clock_graph_destroy(graph);
    /* more parallel edges than paths are looked at */
    graph = empty_graph();
    for (int i = 0; i < 20; i++)
        offset(graph, DEVICE, HOST, i, 100);
    assert_status(snt_clock_graph_convert(graph, &in, HOST, &out, &report), SNT_OK);
    assert_int_equal(report.paths, 16);
    assert_int_equal(report.truncated, 1);
    snt_clock_graph_destroy(graph);
    /* a dense graph has far too many paths; the answer still comes, from the shortest */
    snt_clock_graph_config cfg;
    snt_clock_graph_config_init(&cfg, sizeof cfg);
    cfg.max_edges = 256;
    cfg.max_paths = 64;
    assert_status(snt_clock_graph_create(&cfg, NULL, &graph), SNT_OK);
    for (uint32_t i = 0; i < 20; i++)
        for (uint32_t j = i + 1; j < 20; j++)
            offset(graph, DEVICE + i, DEVICE + j, (int64_t)(j - i), 3);
    assert_status(snt_clock_graph_convert(graph, &in, DEVICE + 7, &out, &report), SNT_OK);
    assert_i64_equal(out.t, 7);
    assert_i64_equal(out.hi, 10);
    assert_true(report.truncated == 1 && report.paths == 64);
    snt_clock_graph_destroy(graph);
}

/* A device 20 ppm fast, mapped by cross-stamps, and the host's own offset to UTC from a daemon. */
static snt_clock_map *mapped_device(snt_epoch *epoch)
{
    snt_clock_map_config cfg;
    snt_clock_map *map;
    snt_clock_map_config_init(&cfg, sizeof cfg);
    cfg.device_domain = DEVICE;
    cfg.host_domain = SNT_DOMAIN_STEADY;
    cfg.epoch = epoch;
    assert_status(snt_clock_map_create(&cfg, NULL, &map), SNT_OK);
    return map;
}

static void observe(snt_clock_map *map, int from, int to)
{
    for (int i = from; i < to; i++) {
        const snt_time host = 1000 * S + i * 100 * MS;
        const int64_t device = i * 100 * MS + i * 2000; /* 20 ppm */
        assert_status(snt_clock_map_observe_cross(map, 0, host - 1000, device, host + 1000, NULL), SNT_OK);
    }
}

static void a_device_reaches_utc_through_its_map(void **state)
{
    (void)state;
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    snt_clock_map *map = mapped_device(epoch);
    snt_clock_graph *graph = default_graph();
    uint32_t of_map;
    assert_status(snt_clock_graph_add_map(graph, map, &of_map), SNT_OK);
    snt_clock_fact chrony = fact_of(SNT_DOMAIN_STEADY, SNT_DOMAIN_UNIX, T0 - 1000 * S, 500000);
    chrony.at_ns = 1000 * S;
    assert_status(snt_clock_graph_add_fact(graph, &chrony, NULL), SNT_OK);
    snt_bounded_time in = time_on(DEVICE, 0, 0), out;
    snt_clock_report report;
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_TAI, &out, &report), SNT_PENDING);
    assert_int_equal(report.blocked_edge, of_map);
    observe(map, 0, 100);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_TAI, &out, &report), SNT_OK);
    assert_int_equal(report.a_count, 3);
    assert_int_equal(out.session, snt_clock_map_session(map));
    assert_int_equal(out.version, snt_clock_map_version(map));
    const snt_time truth = T0 + 37 * S;
    assert_true(out.lo <= truth && truth <= out.hi && out.hi - out.lo < 1100000);
    /* a wide input: the map is asked for both of its ends */
    in = time_on(DEVICE, 5 * S, S);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_STEADY, &out, &report), SNT_OK);
    assert_true(out.lo <= 1004 * S - 80000 && out.lo > 1004 * S - 90000);
    assert_true(out.hi >= 1006 * S - 120000 && out.hi < 1006 * S - 110000);
    /* one open side of the input leaves the other closed */
    assert_status(snt_bounded_time_init(5 * S, SNT_UNKNOWN, S, DEVICE, 0, &in), SNT_OK);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_STEADY, &out, &report), SNT_OK);
    assert_true(out.lo == SNT_TIME_INFINITE_PAST && out.hi >= 1006 * S - 120000 &&
                out.hi < 1006 * S - 110000);
    assert_status(snt_bounded_time_init(5 * S, S, SNT_UNKNOWN, DEVICE, 0, &in), SNT_OK);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_STEADY, &out, &report), SNT_OK);
    assert_true(out.hi == SNT_TIME_INFINITE_FUTURE && out.lo <= 1004 * S - 80000 &&
                out.lo > 1004 * S - 90000);
    /* an end that the map cannot place blocks it */
    assert_status(snt_bounded_time_init(5 * S, INT64_MAX - 1, S, DEVICE, 0, &in), SNT_OK);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_STEADY, &out, &report), SNT_ERR_OVERFLOW);
    assert_status(snt_bounded_time_init(5 * S, S, INT64_MAX - 6 * S, DEVICE, 0, &in), SNT_OK);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_STEADY, &out, &report), SNT_ERR_OVERFLOW);
    /* and back: TAI to the device's own counter */
    in = time_on(SNT_DOMAIN_TAI, T0 + 38 * S, 0);
    assert_status(snt_clock_graph_convert(graph, &in, DEVICE, &out, &report), SNT_OK);
    assert_true(out.lo <= S + 20000 && S + 20000 <= out.hi);
    assert_int_equal(out.domain, DEVICE);
    /* the mapping as plain data gives the same, for replay */
    snt_clock_mapping mapping;
    assert_status(snt_clock_map_export(map, 0, &mapping), SNT_OK);
    snt_clock_graph *replay = default_graph();
    uint32_t of_mapping;
    assert_status(snt_clock_graph_add_mapping(replay, &mapping, &of_mapping), SNT_OK);
    assert_status(snt_clock_graph_add_fact(replay, &chrony, NULL), SNT_OK);
    in = time_on(DEVICE, 3 * S, 10);
    snt_bounded_time live;
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_GPS, &live, NULL), SNT_OK);
    assert_status(snt_clock_graph_convert(replay, &in, SNT_DOMAIN_GPS, &out, NULL), SNT_OK);
    assert_memory_equal(&live, &out, sizeof live);
    assert_status(snt_clock_graph_update_mapping(replay, of_mapping, &mapping), SNT_OK);
    mapping.host_domain = OTHER;
    assert_status(snt_clock_graph_update_mapping(replay, of_mapping, &mapping), SNT_ERR_DOMAIN);
    assert_status(snt_clock_graph_update_mapping(replay, 1, &mapping), SNT_ERR_NOT_FOUND);
    assert_status(snt_clock_graph_update_mapping(replay, of_mapping, NULL), SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_graph_add_mapping(replay, NULL, NULL), SNT_ERR_INVALID_ARG);
    mapping.vertex_count = 4000;
    assert_status(snt_clock_graph_update_mapping(replay, of_mapping, &mapping), SNT_ERR_FORMAT);
    snt_clock_graph_destroy(replay);
    snt_clock_graph_destroy(graph);
    snt_clock_map_destroy(map);
    snt_epoch_unref(epoch);
}

static void a_restarted_device_blocks_its_edge_until_it_is_mapped_again(void **state)
{
    (void)state;
    snt_epoch *epoch;
    assert_status(snt_epoch_create(NULL, &epoch), SNT_OK);
    snt_clock_map *map = mapped_device(epoch);
    snt_clock_graph *graph = default_graph();
    assert_status(snt_clock_graph_add_map(graph, map, NULL), SNT_OK);
    observe(map, 0, 100);
    snt_bounded_time in = time_on(DEVICE, S, 0), out;
    snt_clock_report report;
    in.session = snt_clock_map_session(map);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_STEADY, &out, &report), SNT_OK);
    assert_status(snt_clock_map_invalidate(map, SNT_EPOCH_DEVICE_BOOT), SNT_OK);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_STEADY, &out, &report),
                  SNT_ERR_INVALID_STATE);
    assert_status(snt_clock_map_restart(map, SNT_EPOCH_DEVICE_BOOT, NULL), SNT_OK);
    observe(map, 100, 200);
    /* a reading of the old session can never be taken for one of the new */
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_STEADY, &out, &report), SNT_ERR_SESSION);
    in.session = snt_clock_map_session(map);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_STEADY, &out, &report), SNT_OK);
    /* another way around the blocked edge is used, and the blocked one reported */
    offset(graph, DEVICE, SNT_DOMAIN_STEADY, 1000 * S, S);
    assert_status(snt_clock_map_invalidate(map, SNT_EPOCH_USER), SNT_OK);
    assert_status(snt_clock_graph_convert(graph, &in, SNT_DOMAIN_STEADY, &out, &report), SNT_OK);
    assert_true(report.paths == 1 && report.blocked == 1 && report.blocked_status == SNT_ERR_INVALID_STATE);
    char text[512], small[4] = "x";
    assert_status(snt_clock_report_format(&report, text, sizeof text), SNT_OK);
    assert_non_null(strstr(text, "1 of 2 paths answers, the best over edge 4; edge 3: "));
    assert_status(snt_clock_report_format(&report, small, sizeof small), SNT_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(strlen(small), sizeof small - 1);
    assert_memory_equal(small, text, sizeof small - 1);
    assert_status(snt_clock_report_format(NULL, text, sizeof text), SNT_ERR_INVALID_ARG);
    snt_clock_graph_destroy(graph);
    snt_clock_map_destroy(map);
    snt_epoch_unref(epoch);
}

/* The opening of spec 2: 10 ms of real delay look like 80 because two clocks differ by 70 ms. */
static void a_clock_difference_is_told_apart_from_latency(void **state)
{
    (void)state;
    snt_clock_graph *graph = empty_graph();
    const snt_clock_fact ptp = fact_of(PHC, HOST, 70 * MS, 1 * MS); /* the camera computer is 70 ms behind */
    assert_status(snt_clock_graph_add_fact(graph, &ptp, NULL), SNT_OK);
    const snt_bounded_time exposure = time_on(PHC, T0 - 70 * MS, 0), now = time_on(HOST, T0 + 10 * MS, 0);
    snt_bounded_duration age;
    assert_status(snt_bounded_time_sub(&now, &exposure, &age),
                  SNT_ERR_DOMAIN); /* 80 ms is not a number to have */
    const snt_bounded_time mapped = convert(graph, exposure, HOST);
    assert_status(snt_bounded_time_sub(&now, &mapped, &age), SNT_OK);
    assert_i64_equal(age.d, 10 * MS);
    assert_i64_equal(age.lo, 9 * MS);
    assert_i64_equal(age.hi, 11 * MS);
    snt_clock_graph_destroy(graph);
}

static void many_times_are_converted_one_by_one(void **state)
{
    (void)state;
    snt_clock_graph *graph = default_graph();
    offset(graph, DEVICE, SNT_DOMAIN_UNIX, T0, 3);
    snt_bounded_time times[3] = {time_on(DEVICE, 5 * S, 1), time_on(OTHER, 0, 0),
                                 time_on(SNT_DOMAIN_GPS, T0, 2)};
    snt_bounded_time expected[3] = {convert(graph, times[0], SNT_DOMAIN_TAI), times[1],
                                    convert(graph, times[2], SNT_DOMAIN_TAI)};
    snt_status statuses[3];
    assert_status(snt_clock_graph_convert_many(graph, times, 3, SNT_DOMAIN_TAI, times, statuses),
                  SNT_ERR_NOT_FOUND);
    assert_memory_equal(times, expected, sizeof times);
    assert_true(statuses[0] == SNT_OK && statuses[1] == SNT_ERR_NOT_FOUND && statuses[2] == SNT_OK);
    assert_status(snt_clock_graph_convert_many(graph, times, 1, SNT_DOMAIN_TAI, times, NULL), SNT_OK);
    assert_status(snt_clock_graph_convert_many(graph, NULL, 0, SNT_DOMAIN_TAI, NULL, NULL), SNT_OK);
    assert_status(snt_clock_graph_convert_many(graph, NULL, 1, SNT_DOMAIN_TAI, times, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_graph_convert_many(graph, times, 1, SNT_DOMAIN_TAI, NULL, NULL),
                  SNT_ERR_INVALID_ARG);
    assert_status(snt_clock_graph_convert_many(NULL, times, 1, SNT_DOMAIN_TAI, times, NULL),
                  SNT_ERR_INVALID_ARG);
    snt_clock_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_are_connected_from_the_start),
        cmocka_unit_test(bounds_add_along_a_path_in_both_directions),
        cmocka_unit_test(a_fact_drifts_and_expires),
        cmocka_unit_test(several_paths_are_intersected),
        cmocka_unit_test(a_disagreement_of_37_seconds_is_called_tai),
        cmocka_unit_test(a_disagreement_of_18_or_19_seconds_is_called_gps),
        cmocka_unit_test(missing_paths_and_clocks_have_their_own_status),
        cmocka_unit_test(edges_that_make_no_sense_are_refused),
        cmocka_unit_test(loops_are_walked_once_and_long_ways_are_cut),
        cmocka_unit_test(a_device_reaches_utc_through_its_map),
        cmocka_unit_test(a_restarted_device_blocks_its_edge_until_it_is_mapped_again),
        cmocka_unit_test(a_clock_difference_is_told_apart_from_latency),
        cmocka_unit_test(many_times_are_converted_one_by_one),
    };
    return cmocka_run_group_tests_name("clock_graph", tests, NULL, NULL);
}
