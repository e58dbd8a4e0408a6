/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stamps on real wires, from the recordings in ../shared/data (each test skips with a message without its file). The right
 * answers are in that folder's INDEX.md and were found by opening the files by hand.
 */
#include "test.h"

#include "pcap.h"

#define MS SNT_NS_PER_MS
#define S  SNT_NS_PER_S

enum { CAPTURE = 80, SERVER = 81 };

/* Six client/server exchanges: four-stamp offset −1.14 to −1.53 ms by capture time, round trip 37.8 to 40.8 ms. */
static void ntp_exchanges_agree_within_half_their_round_trips(void **state)
{
    (void)state;
    test_pcap pcap = {0};
    test_packet packet;
    if (!pcap_open(&pcap, "zeek+zeek/ntp.pcap"))
        skip();
    snt_clock_graph_config cfg;
    snt_clock_graph *graph;
    snt_clock_graph_config_init(&cfg, sizeof cfg);
    cfg.without_scales = 1;
    assert_status(snt_clock_graph_create(&cfg, NULL, &graph), SNT_OK);
    snt_time sent = 0, least = INT64_MAX, greatest = INT64_MIN, narrowest = INT64_MAX;
    int exchanges = 0;
    while (pcap_next(&pcap, &packet)) {
        uint32_t length, port;
        const uint8_t *ntp = pcap_udp(&packet, &length, &port);
        assert_true(ntp && length >= 48 && port == 123);
        if ((ntp[0] & 7) == 3) {
            sent = packet.capture_ns;
            snt_time reference; /* a client that knows nothing writes zero */
            assert_status(snt_time_from_ntp(pcap_be(ntp + 16, 8), sent, &reference), SNT_ERR_NO_TIME);
            continue;
        }
        assert_int_equal(ntp[0] & 7, 4);
        snt_time received, answered;
        assert_status(snt_time_from_ntp(pcap_be(ntp + 32, 8), packet.capture_ns, &received), SNT_OK);
        assert_status(snt_time_from_ntp(pcap_be(ntp + 40, 8), packet.capture_ns, &answered), SNT_OK);
        const int64_t offset = ((received - sent) + (answered - packet.capture_ns)) / 2;
        const int64_t round_trip = (packet.capture_ns - sent) - (answered - received);
        assert_true(round_trip > 37 * MS && round_trip < 41 * MS);
        least = offset < least ? offset : least;
        greatest = offset > greatest ? offset : greatest;
        narrowest = round_trip < narrowest ? round_trip : narrowest;
        const snt_clock_fact fact = {.from = CAPTURE,
                                     .to = SERVER,
                                     .at_ns = packet.capture_ns,
                                     .offset_ns = offset,
                                     .error_ns = (round_trip + 1) / 2,
                                     .drift_ppb = 100000,
                                     .valid_from = SNT_TIME_INFINITE_PAST,
                                     .valid_until = SNT_TIME_INFINITE_FUTURE};
        assert_status(snt_clock_graph_add_fact(graph, &fact, NULL), SNT_OK);
        exchanges++;
    }
    assert_int_equal(exchanges, 6);
    assert_true(least > -1540000 && least < -1500000 && greatest > -1150000 && greatest < -1100000);
    /* each is a fact with a bound; together they bound the offset more tightly than the best alone */
    snt_bounded_time in, out;
    snt_clock_report report;
    assert_status(snt_bounded_time_init(sent, 0, 0, CAPTURE, 0, &in), SNT_OK);
    assert_status(snt_clock_graph_convert(graph, &in, SERVER, &out, &report), SNT_OK);
    assert_int_equal(report.paths, 6);
    assert_true(out.hi - out.lo < narrowest + 2 * MS);
    assert_true(out.lo - sent < -MS && out.hi - sent > -MS);
    snt_clock_graph_destroy(graph);
    pcap_close(&pcap);
}

static const uint8_t *ptp_message(const test_packet *packet, uint32_t *length)
{
    uint32_t port;
    if (packet->length >= 14 + 34 && pcap_be(packet->bytes + 12, 2) == 0x88f7) {
        *length = packet->length - 14;
        return packet->bytes + 14;
    }
    const uint8_t *ptp = pcap_udp(packet, length, &port);
    return ptp && (port == 319 || port == 320) && *length >= 34 ? ptp : NULL;
}

/* One Sync of a master that serves TAI: 37.0 s ahead of the capture, and a correction of 105 045 ns. */
static void a_ptp_master_on_tai_is_called_that(void **state)
{
    (void)state;
    test_pcap pcap = {0};
    test_packet packet;
    if (!pcap_open(&pcap, "the-tcpdump-group+tcpdump/ptp_corrections.pcap"))
        skip();
    int syncs = 0;
    while (pcap_next(&pcap, &packet)) {
        uint32_t length;
        const uint8_t *ptp = ptp_message(&packet, &length);
        if (!ptp || (ptp[0] & 15) != 0 || length < 44)
            continue;
        snt_time master;
        snt_clock_finding finding;
        char text[192];
        assert_status(snt_time_from_ptp(pcap_be(ptp + 34, 6), (uint32_t)pcap_be(ptp + 40, 4), &master),
                      SNT_OK);
        if (master == 0)
            continue; /* a two-step master writes the time into the follow-up */
        assert_status(snt_clock_classify(master, packet.capture_ns, SNT_UNKNOWN, 0, NULL, &finding), SNT_OK);
        assert_int_equal(finding.kind, SNT_LOOKS_TAI);
        assert_int_equal(finding.comparable, 0);
        assert_true(llabs(finding.residual) < 20 * MS);
        assert_status(snt_clock_finding_format(&finding, text, sizeof text), SNT_OK);
        printf("# %s\n", text);
        snt_time utc;
        uint32_t flags;
        assert_status(snt_timescale_ptp_to_unix(NULL, master, SNT_PTP_TIMESCALE, 0, &utc, &flags), SNT_OK);
        assert_i64_equal(utc - packet.capture_ns, finding.residual);
        syncs++;
    }
    assert_true(syncs >= 1);
    pcap_close(&pcap);
}

/*
 * A master that announces the PTP timescale and an offset of 37 s (not marked valid), and whose time is 2.284 s behind the
 * capture: it does not serve TAI whatever it says. Believing it would put every stamp 39.28 s into the past.
 */
static void an_announced_timescale_is_held_against_the_clock(void **state)
{
    (void)state;
    test_pcap pcap = {0};
    test_packet packet;
    if (!pcap_open(&pcap, "the-tcpdump-group+tcpdump/ptp_v2_1.pcap"))
        skip();
    int announces = 0, follow_ups = 0;
    while (pcap_next(&pcap, &packet)) {
        uint32_t length;
        const uint8_t *ptp = ptp_message(&packet, &length);
        if (!ptp)
            continue;
        if ((ptp[0] & 15) == 11) {
            assert_int_equal(ptp[7] & 0x0c, 0x08); /* ptpTimescale, without currentUtcOffsetValid */
            assert_int_equal(pcap_be(ptp + 44, 2), 37);
            announces++;
        }
        if ((ptp[0] & 15) != 8)
            continue;
        snt_time master, utc;
        snt_clock_finding finding;
        assert_status(snt_time_from_ptp(pcap_be(ptp + 34, 6), (uint32_t)pcap_be(ptp + 40, 4), &master),
                      SNT_OK);
        assert_status(snt_clock_classify(master, packet.capture_ns, SNT_UNKNOWN, 0, NULL, &finding), SNT_OK);
        assert_int_equal(finding.kind,
                         SNT_LOOKS_SAME); /* an offset of one and the same scale, no 37 s in it */
        assert_true(finding.gap < -2 * S && finding.gap > -3 * S);
        assert_status(snt_timescale_ptp_to_unix(NULL, master, SNT_PTP_TIMESCALE, 37, &utc, NULL), SNT_OK);
        assert_status(snt_clock_classify(utc, packet.capture_ns, SNT_UNKNOWN, 3 * S, NULL, &finding), SNT_OK);
        assert_int_equal(finding.kind, SNT_LOOKS_UTC_FOR_TAI);
        follow_ups++;
    }
    assert_true(announces >= 1 && follow_ups == 11);
    pcap_close(&pcap);
}

/* A VLP-16 locked to GPS: µs since the hour, 18 min 02.342 s at the start; the host is ahead by 0.367 to 0.368 s. */
static void a_velodyne_counts_from_the_top_of_the_hour(void **state)
{
    (void)state;
    test_pcap pcap = {0};
    test_packet packet;
    if (!pcap_open(&pcap, "MRPT+mrpt/sample_velodyne_vlp16_gps.pcap"))
        skip();
    int data = 0, positions = 0;
    int64_t first = 0;
    while (pcap_next(&pcap, &packet)) {
        uint32_t length, port;
        const uint8_t *p = pcap_udp(&packet, &length, &port);
        if (!p || !((port == 2368 && length == 1206) || (port == 8308 && length == 512)))
            continue;
        const bool scan = port == 2368;
        snt_time of_hour;
        snt_clock_finding finding;
        assert_status(
            snt_ticks_to_ns(pcap_le32(p + (scan ? 1200 : 198)), 1000, 1, SNT_ROUND_FLOOR, &of_hour, NULL),
            SNT_OK);
        if (scan && data == 0)
            first = of_hour;
        assert_status(snt_clock_classify(of_hour, packet.capture_ns, SNT_UNKNOWN, 0, NULL, &finding), SNT_OK);
        assert_int_equal(finding.kind, SNT_LOOKS_TOP_OF_HOUR);
        assert_true(finding.residual < -366 * MS && finding.residual > -369 * MS);
        /* taken apart from the hour, it is an ordinary time of day */
        char text[SNT_RFC3339_SIZE];
        assert_status(snt_time_format_rfc3339(of_hour - finding.constant, 0, 0, text, sizeof text), SNT_OK);
        assert_true(strncmp(text, "2016-01-21T08:18:0", 18) == 0);
        data += scan;
        positions += !scan;
    }
    assert_int_equal(data, 293);
    assert_int_equal(positions, 57);
    assert_true(llabs(first - (18 * 60 * S + 2342 * MS)) < 2 * MS);
    pcap_close(&pcap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ntp_exchanges_agree_within_half_their_round_trips),
        cmocka_unit_test(a_ptp_master_on_tai_is_called_that),
        cmocka_unit_test(an_announced_timescale_is_held_against_the_clock),
        cmocka_unit_test(a_velodyne_counts_from_the_top_of_the_hour),
    };
    return cmocka_run_group_tests_name("recorded_stamps", tests, NULL, NULL);
}
