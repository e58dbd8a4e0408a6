/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of an earlier release: compiled with the header recorded there, linked against the symbols recorded there,
 * run with the library of today (tests/abi/old_program.sh). It touches every kind of handle. Each result has a fence
 * behind it, so that a result struct that has grown since is noticed; fields are checked by value, so that one that has
 * moved is. Only what release 1.0.0 has may be used here.
 */
#include "sensortime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000

static int checks;

static void check(int right, const char *what, int line)
{
    checks++;
    if (right)
        return;
    printf("line %d: not so: %s\n", line, what);
    exit(1);
}

static void succeed(snt_status status, const char *what, int line)
{
    checks++;
    if (status == SNT_OK)
        return;
    printf("line %d: %s: %s\n", line, snt_status_name(status), what);
    exit(1);
}

#define CHECK(x)    check((x) != 0, #x, __LINE__)
#define OK(call)    succeed((call), #call, __LINE__)
#define TAKEN(call) CHECK((call) >= 0)
/* a result, and words behind it that nobody may write */
#define RESULT(type, name)                                                                                   \
    struct {                                                                                                 \
        type v;                                                                                              \
        uint64_t fence[8];                                                                                   \
    } name;                                                                                                  \
    memset(&name, 0x5a, sizeof name);                                                                        \
    memset(name.fence, 0xfe, sizeof name.fence)
#define CONFIG(type, name, init)                                                                             \
    RESULT(type, name);                                                                                      \
    init(&name.v, sizeof name.v);                                                                            \
    FENCED(name);                                                                                            \
    CHECK(name.v.struct_size == sizeof(type))
#define FENCED(name)                                                                                         \
    do                                                                                                       \
        for (int i_ = 0; i_ < 8; i_++)                                                                       \
            CHECK(name.fence[i_] == 0xfefefefefefefefeu);                                                    \
    while (0)

static uint64_t taken;

static void *take(size_t size, size_t align, void *user)
{
    (void)user;
    taken++;
    return aligned_alloc(align < sizeof(void *) ? sizeof(void *) : align, (size + align - 1) / align * align);
}

static void give(void *memory, void *user)
{
    (void)user;
    taken--;
    free(memory);
}

static const snt_allocator allocator = {take, give, NULL};
static snt_epoch *epoch;

static snt_sample sample_at(snt_time t, uint64_t token)
{
    RESULT(snt_sample, sample);
    snt_sample_init(&sample.v, t, SNT_DOMAIN_UNIX, token);
    FENCED(sample);
    CHECK(sample.v.t0_ns == t && sample.v.t1_ns == t && sample.v.token == token);
    sample.v.session = snt_epoch_session(epoch);
    return sample.v;
}

static void use_clocks(void)
{
    CONFIG(snt_tick_unwrapper_config, counter, snt_tick_unwrapper_config_init);
    counter.v.counter_bits = 32;
    counter.v.tick_num_ns = 1000;
    snt_tick_unwrapper *unwrapper;
    OK(snt_tick_unwrapper_create(&counter.v, &allocator, &unwrapper));
    RESULT(snt_tick_reading, reading);
    OK(snt_tick_unwrapper_accept(unwrapper, 5, NULL, &reading.v));
    FENCED(reading);
    CHECK(reading.v.device_ns == 5000);
    snt_tick_unwrapper_destroy(unwrapper);

    CONFIG(snt_clock_map_config, config, snt_clock_map_config_init);
    config.v.device_domain = SNT_DOMAIN_USER;
    config.v.host_domain = SNT_DOMAIN_UNIX;
    config.v.warm_observations = 2;
    config.v.warm_span_ns = 0;
    config.v.epoch = epoch;
    snt_clock_map *map;
    OK(snt_clock_map_create(&config.v, &allocator, &map));
    RESULT(snt_clock_proof, proof);
    for (int64_t i = 0; i < 20; i++)
        OK(snt_clock_map_observe_cross(map, snt_clock_map_session(map), 7 * MS + i * MS - 100, i * MS,
                                       7 * MS + i * MS + 100, &proof.v));
    FENCED(proof);
    RESULT(snt_bounded_time, host);
    OK(snt_clock_map_to_host(map, 10 * MS, &host.v));
    FENCED(host);
    CHECK(host.v.lo <= 17 * MS && 17 * MS <= host.v.hi && host.v.domain == SNT_DOMAIN_UNIX);
    RESULT(snt_clock_health, health);
    OK(snt_clock_map_health(map, 10 * MS, &health.v));
    FENCED(health);
    RESULT(snt_clock_mapping, mapping);
    OK(snt_clock_map_export(map, snt_clock_map_version(map), &mapping.v));
    FENCED(mapping);

    CONFIG(snt_clock_graph_config, edges, snt_clock_graph_config_init);
    snt_clock_graph *graph;
    OK(snt_clock_graph_create(&edges.v, &allocator, &graph));
    uint32_t edge;
    OK(snt_clock_graph_add_mapping(graph, &mapping.v, &edge));
    RESULT(snt_bounded_time, device);
    OK(snt_bounded_time_init(10 * MS, 0, 0, SNT_DOMAIN_USER, mapping.v.session, &device.v));
    RESULT(snt_clock_report, report);
    OK(snt_clock_graph_convert(graph, &device.v, SNT_DOMAIN_UNIX, &host.v, &report.v));
    FENCED(report);
    CHECK(host.v.lo <= 17 * MS && 17 * MS <= host.v.hi);
    snt_clock_graph_destroy(graph);
    snt_clock_map_destroy(map);

    CONFIG(snt_clock_source_config, kind, snt_clock_source_config_init);
    kind.v.kind = SNT_SOURCE_SIMULATED;
    snt_clock_source *source;
    OK(snt_clock_source_create(&kind.v, &allocator, &source));
    uint32_t jump;
    snt_time now;
    OK(snt_clock_source_set(source, 0, 3 * MS, &jump));
    OK(snt_clock_source_at(source, 0, &now));
    CHECK(now == 3 * MS);
    snt_clock_source_destroy(source);
}

static void use_device(void)
{
    CONFIG(snt_device_clock_config, config, snt_device_clock_config_init);
    config.v.warm_observations = 2;
    config.v.warm_span_ns = 0;
    config.v.host_domain = SNT_DOMAIN_UNIX;
    config.v.delay_max_ns = MS;
    snt_device_clock *clock;
    OK(snt_device_clock_create(&config.v, &allocator, &clock));
    const uint32_t session = snt_device_clock_session(clock);
    for (uint64_t i = 1; i < 20; i++)
        OK(snt_device_clock_observe_arrival(clock, session, i * MS, (snt_time)i * MS + 500, NULL));
    CONFIG(snt_admission_policy, policy, snt_admission_policy_init);
    policy.v.max_age_ns = 5 * MS;
    RESULT(snt_bounded_time, now);
    OK(snt_bounded_time_init(21 * MS, 0, 0, SNT_DOMAIN_UNIX, 0, &now.v));
    RESULT(snt_sample, sample);
    RESULT(snt_admission_record, record);
    OK(snt_device_clock_admit(clock, session, 20 * MS, 20 * MS + 500, 1, &policy.v, &now.v, &sample.v,
                              &record.v));
    FENCED(sample);
    FENCED(record);
    CHECK(llabs(sample.v.t0_ns - 20 * MS) <= MS && sample.v.session == session);
    RESULT(snt_device_health, health);
    OK(snt_device_clock_health(clock, 20 * MS, &health.v));
    FENCED(health);
    CHECK(health.v.stamped == 1);
    snt_device_clock_destroy(clock);

    snt_admission_log *log;
    OK(snt_admission_log_create(4, &allocator, &log));
    OK(snt_admission_log_push(log, &record.v));
    RESULT(snt_admission_counts, counts);
    OK(snt_admission_log_counts(log, &counts.v));
    FENCED(counts);
    CHECK(counts.v.admitted == 1);
    snt_admission_log_destroy(log);
}

static void use_transforms(void)
{
    CONFIG(snt_tf_buffer_config, config, snt_tf_buffer_config_init);
    config.v.epoch = epoch;
    snt_tf_buffer *buffer;
    OK(snt_tf_buffer_create(&config.v, &allocator, &buffer));
    snt_frame odom, base;
    OK(snt_tf_buffer_frame(buffer, "odom", &odom));
    OK(snt_tf_buffer_frame(buffer, "base", &base));
    RESULT(snt_tf_transform, transform);
    for (int i = 0; i < 3; i++) {
        snt_tf_transform_init(&transform.v, odom, base, i * 100 * MS);
        FENCED(transform);
        transform.v.pose.t[0] = i;
        transform.v.session = snt_epoch_session(epoch);
        OK(snt_tf_buffer_insert(buffer, &transform.v, NULL));
    }
    RESULT(snt_tf_result, result);
    RESULT(snt_tf_miss, miss);
    OK(snt_tf_buffer_lookup(buffer, odom, base, 150 * MS, &result.v, &miss.v));
    FENCED(result);
    CHECK(result.v.pose.t[0] > 1.49 && result.v.pose.t[0] < 1.51 && result.v.stamp == 150 * MS);
    CHECK(snt_tf_buffer_lookup(buffer, odom, base, 500 * MS, &result.v, &miss.v) == SNT_ERR_FUTURE);
    FENCED(miss);
    CHECK(miss.v.newest == 200 * MS);
    CONFIG(snt_tf_question, question, snt_tf_question_init);
    question.v.when = SNT_TF_LATEST_COMMON;
    snt_tf_path *path;
    OK(snt_tf_path_create(buffer, odom, base, &path));
    RESULT(snt_tf_cursor, cursor);
    snt_tf_cursor_init(&cursor.v);
    OK(snt_tf_path_ask(path, &question.v, &cursor.v, &result.v, &miss.v));
    FENCED(cursor);
    FENCED(result);
    CHECK(result.v.stamp == 200 * MS);
    snt_tf_path_destroy(path);
    CONFIG(snt_tf_edge_config, edge, snt_tf_edge_config_init);
    edge.v.max_gap_ns = 50 * MS;
    OK(snt_tf_buffer_edge_configure(buffer, base, &edge.v));
    CHECK(snt_tf_buffer_lookup(buffer, odom, base, 150 * MS, &result.v, &miss.v) == SNT_ERR_GAP);
    RESULT(snt_tf_edge_info, info);
    OK(snt_tf_buffer_edge_info(buffer, base, &info.v));
    FENCED(info);
    CHECK(info.v.newest == 200 * MS);
    RESULT(snt_tf_buffer_info, whole);
    OK(snt_tf_buffer_get_info(buffer, &whole.v));
    FENCED(whole);

    CONFIG(snt_message_filter_config, waiting, snt_message_filter_config_init);
    waiting.v.capacity = 4;
    snt_message_filter *filter;
    OK(snt_message_filter_create(buffer, &waiting.v, &allocator, &filter));
    OK(snt_message_filter_set_targets(filter, &odom, 1));
    const snt_sample early = sample_at(200 * MS, 41), late = sample_at(0, 42);
    TAKEN(snt_message_filter_add(filter, &early, base, 0));
    TAKEN(snt_message_filter_add(filter, &late, 0, 0));
    RESULT(snt_filter_release, release);
    snt_tf_result results[2];
    OK(snt_message_filter_poll(filter, 0, 0, &release.v, results, 2));
    FENCED(release);
    CHECK(release.v.sample.token == 41 && results[0].pose.t[0] == 2);
    RESULT(snt_filter_drop, drop);
    OK(snt_message_filter_poll_drop(filter, &drop.v));
    FENCED(drop);
    CHECK(drop.v.sample.token == 42 && drop.v.reason != 0);
    RESULT(snt_filter_stats, stats);
    OK(snt_message_filter_stats(filter, &stats.v));
    FENCED(stats);
    snt_message_filter_destroy(filter);
    snt_tf_buffer_destroy(buffer);
}

static void use_matching(void)
{
    CONFIG(snt_sync_config, config, snt_synchronizer_config_init);
    snt_sync_input_config inputs[2] = {{0}};
    inputs[1].offset_ns = 5 * MS;
    config.v.policy = SNT_SYNC_EXACT;
    config.v.input_count = 2;
    config.v.inputs = inputs; /* and input_size stays 0, as this program does not know of longer ones */
    snt_synchronizer *sync;
    OK(snt_synchronizer_create(&config.v, &allocator, &sync));
    snt_sample a = sample_at(100 * MS, 1), b = sample_at(95 * MS, 2);
    TAKEN(snt_synchronizer_add(sync, 0, &a, 0));
    TAKEN(snt_synchronizer_add(sync, 1, &b, 0));
    RESULT(snt_sync_set, set);
    snt_sync_member members[2];
    OK(snt_synchronizer_poll(sync, 0, 0, &set.v, members, 2));
    FENCED(set);
    CHECK(members[0].sample.token == 1 && members[1].sample.token == 2 && set.v.reference_ns == 100 * MS);
    RESULT(snt_sync_stats, stats);
    OK(snt_synchronizer_stats(sync, &stats.v));
    FENCED(stats);
    snt_synchronizer_destroy(sync);

    CONFIG(snt_message_cache_config, keep, snt_message_cache_config_init);
    snt_message_cache *cache;
    OK(snt_message_cache_create(&keep.v, &allocator, &cache));
    RESULT(snt_sample, out);
    TAKEN(snt_message_cache_add(cache, &a, &out.v, NULL));
    OK(snt_message_cache_latest(cache, &out.v));
    FENCED(out);
    CHECK(out.v.token == 1);
    snt_message_cache_destroy(cache);

    CONFIG(snt_time_sequencer_config, order, snt_time_sequencer_config_init);
    snt_time_sequencer *sequencer;
    OK(snt_time_sequencer_create(&order.v, &allocator, &sequencer));
    TAKEN(snt_time_sequencer_add(sequencer, &a));
    TAKEN(snt_time_sequencer_add(sequencer, &b));
    OK(snt_time_sequencer_poll(sequencer, 1000 * MS, &out.v));
    CHECK(out.v.token == 2);
    snt_time_sequencer_destroy(sequencer);
}

static void use_points(void)
{
    float xyz[2][3] = {{1, 0, 0}, {1, 0, 0}};
    int64_t times[2] = {0, 100 * MS};
    RESULT(snt_cloud, cloud);
    snt_cloud_init(&cloud.v);
    OK(snt_cloud_set_points(&cloud.v, xyz, 0, SNT_TYPE_F32, 2));
    OK(snt_cloud_set_times(&cloud.v, times, 0, SNT_TYPE_I64, SNT_TIME_UNIT_NS, SNT_TIME_REF_ABSOLUTE, 0, 0));
    FENCED(cloud);
    CONFIG(snt_deskew_config, config, snt_deskew_config_init);
    snt_deskew *plan;
    OK(snt_deskew_create(&config.v, &allocator, &plan));
    CONFIG(snt_deskew_scan, scan, snt_deskew_scan_init);
    OK(snt_deskew_scan_from_cloud(&cloud.v, NULL, 0, &scan.v, NULL));
    FENCED(scan);
    CHECK(scan.v.begin_ns == 0 && scan.v.end_ns == 100 * MS);
    const snt_twist forward = {{10, 0, 0}, {0, 0, 0}};
    OK(snt_deskew_plan_twist(plan, &scan.v, &forward));
    CONFIG(snt_deskew_options, options, snt_deskew_options_init);
    RESULT(snt_deskew_report, report);
    OK(snt_deskew_apply_with(plan, &cloud.v, &cloud.v, &options.v, &report.v));
    FENCED(report);
    CHECK(report.v.points == 2 && xyz[0][0] == 1 && xyz[1][0] > 1.99f && xyz[1][0] < 2.01f);
    RESULT(snt_deskew_info, info);
    OK(snt_deskew_get_info(plan, &info.v));
    FENCED(info);
    CONFIG(snt_deskew_times, table, snt_deskew_times_init);
    CONFIG(snt_laser_scan, laser, snt_laser_scan_init);
    CONFIG(snt_layout_options, detect, snt_layout_options_init);

    CONFIG(snt_imu_buffer_config, imu, snt_imu_buffer_config_init);
    imu.v.domain = scan.v.domain;
    snt_imu_buffer *buffer;
    OK(snt_imu_buffer_create(&imu.v, &allocator, &buffer));
    for (int i = 0; i < 13; i++) {
        snt_imu_sample sample = {0};
        sample.stamp_ns = (i - 1) * 10 * MS;
        OK(snt_imu_buffer_insert(buffer, &sample));
    }
    RESULT(snt_imu_margins, margins);
    OK(snt_imu_buffer_margins(buffer, 0, 100 * MS, &margins.v));
    FENCED(margins);
    OK(snt_deskew_plan_imu(plan, &scan.v, buffer, NULL));
    snt_imu_buffer_destroy(buffer);
    snt_deskew_destroy(plan);
}

static void use_audit(void)
{
    CONFIG(snt_stream_monitor_config, config, snt_stream_monitor_config_init);
    snt_stream_monitor *monitor;
    OK(snt_stream_monitor_create(&config.v, &allocator, &monitor));
    for (int i = 0; i < 100; i++) {
        RESULT(snt_stream_message, message);
        memset(&message.v, 0, sizeof message.v);
        message.v.stamp_ns = (snt_time)(i + 1) * 10 * MS;
        message.v.flags = SNT_STREAM_HAS_STAMP | SNT_STREAM_HAS_LOG;
        message.v.log_ns = message.v.stamp_ns + MS;
        CHECK(snt_stream_monitor_add(monitor, &message.v) >= 0);
    }
    OK(snt_stream_monitor_finish(monitor));
    RESULT(snt_stream_report, stream);
    OK(snt_stream_monitor_report(monitor, &stream.v));
    FENCED(stream);
    CHECK(stream.v.messages == 100);
    snt_finding found[8];
    uint32_t count;
    CHECK(snt_stream_monitor_findings(monitor, found, 8, &count) >= 0);
    snt_stream_monitor_destroy(monitor);

    CONFIG(snt_scan_auditor_config, scans, snt_scan_auditor_config_init);
    snt_scan_auditor *auditor;
    OK(snt_scan_auditor_create(&scans.v, &allocator, &auditor));
    RESULT(snt_scan_summary, summary);
    OK(snt_scan_auditor_finish(auditor));
    CHECK(snt_scan_auditor_summary(auditor, &summary.v) >= 0);
    FENCED(summary);
    snt_scan_auditor_destroy(auditor);

    RESULT(snt_qos_profile, offered);
    RESULT(snt_qos_profile, wanted);
    RESULT(snt_qos_verdict, verdict);
    OK(snt_qos_preset(SNT_QOS_PRESET_SENSOR_DATA, &offered.v));
    OK(snt_qos_preset(SNT_QOS_PRESET_DEFAULT, &wanted.v));
    CHECK(snt_qos_check(&offered.v, &wanted.v, &verdict.v) == SNT_ERR_INCOMPATIBLE);
    FENCED(offered);
    FENCED(verdict);
}

int main(void)
{
    CHECK(snt_version_number() >= SNT_VERSION_NUMBER);
    CHECK(snt_version_number() / 10000 == SNT_VERSION_MAJOR);
    OK(snt_epoch_create(&allocator, &epoch));
    CHECK(snt_epoch_session(epoch) == 1);
    use_clocks();
    use_device();
    use_transforms();
    use_matching();
    use_points();
    use_audit();
    snt_epoch_unref(epoch);
    CHECK(taken == 0);
    printf("a program of %s runs with %s: %d checks\n", SNT_VERSION_STRING, snt_version_string(), checks);
    return 0;
}
