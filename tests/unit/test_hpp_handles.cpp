// SPDX-License-Identifier: BSD-3-Clause
// Every handle has an owner that C functions take; spans are checked; texts are whole; without exceptions a status tells.
#include "sensortime/sensortime_handles.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace
{
int number, failures, alive;

void ok(bool good, const char *what)
{
    std::printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, what);
    failures += !good;
}

constexpr snt_time ms = SNT_NS_PER_MS;

void *counted(size_t size, size_t align, void *)
{
    alive++;
    return std::aligned_alloc(align, (size + align - 1) / align * align);
}

void uncounted(void *memory, void *)
{
    alive--;
    std::free(memory);
}

const snt_allocator counting{counted, uncounted, nullptr};

template <class T> void owner_of(typename snt::handle_traits<T>::config c = snt::config<T>())
{
    {
        auto first = snt::create<T>(c, &counting);
        auto second = std::move(first);
        ok(!first && second && alive > 0, snt::handle_traits<T>::text);
        first = std::move(second);
        second = std::move(first);
        second.reset();
        ok(alive == 0, "given back once");
        second = snt::create<T>(c, &counting);
    }
    ok(alive == 0, "given back at the end");
}

void every_handle_has_an_owner()
{
    owner_of<snt_tick_unwrapper>();
    owner_of<snt_clock_map>();
    owner_of<snt_device_clock>();
    owner_of<snt_clock_graph>();
    owner_of<snt_clock_source>();
    owner_of<snt_tf_buffer>();
    auto sync = snt::config<snt_synchronizer>();
    snt_sync_input_config inputs[2] = {};
    sync.input_count = 2;
    sync.inputs = inputs;
    sync.max_separation_ns = 10 * ms;
    owner_of<snt_synchronizer>(sync);
    owner_of<snt_message_cache>();
    owner_of<snt_time_sequencer>();
    owner_of<snt_imu_buffer>();
    owner_of<snt_deskew>();
    owner_of<snt_stream_monitor>();
    owner_of<snt_scan_auditor>();
    auto epoch = snt::create_epoch();
    snt::handle<snt_epoch> shared(snt_epoch_ref(epoch));
    epoch.reset();
    ok(snt_epoch_bump(shared, SNT_EPOCH_USER) == snt_epoch_session(shared), "an epoch is shared");
    auto log = snt::create_admission_log(4);
    snt_admission_counts counts;
    ok(snt_admission_log_counts(log, &counts) == SNT_OK, "an admission log");
}

void a_failed_creation_says_why()
{
    auto c = snt::config<snt_tf_buffer>();
    c.struct_size = 1;
#if defined(SNT_NO_EXCEPTIONS)
    const auto none = snt::create<snt_tf_buffer>(c);
    ok(!none && none.status() == SNT_ERR_INVALID_ARG, "by its status");
#else
    try {
        snt::create<snt_tf_buffer>(c);
        ok(false, "by an exception");
    } catch (const snt::error &e) {
        ok(e.status == SNT_ERR_INVALID_ARG, "by an exception");
    }
#endif
}

void batches_are_spans()
{
    auto tf = snt::create<snt_tf_buffer>();
    snt_frame odom, base;
    snt_tf_buffer_frame(tf, "odom", &odom);
    snt_tf_buffer_frame(tf, "base_link", &base);
    std::array<snt_tf_transform, 3> moves;
    for (size_t i = 0; i < moves.size(); i++) {
        snt_tf_transform_init(&moves[i], odom, base, static_cast<snt_time>(i + 1) * 20 * ms);
        moves[i].pose.t[0] = static_cast<double>(i);
    }
    std::vector<snt_status> statuses(3, SNT_PENDING);
    ok(snt::insert_many(tf, moves, statuses) == SNT_OK && statuses[2] == SNT_OK, "transforms");
    const auto path = snt::create_path(tf, "odom", "base_link");
    const snt_time asked[] = {30 * ms, 50 * ms, 80 * ms};
    std::vector<snt_pose> poses(3);
    ok(snt::lookup_many(path, asked, poses, statuses) == SNT_ERR_FUTURE && statuses[1] == SNT_OK &&
           std::fabs(poses[1].t[0] - 1.5) < 1e-12,
       "poses at times");
    poses.resize(2);
    ok(snt::lookup_many(path, asked, poses) == SNT_ERR_INVALID_ARG, "too few places are refused");
    ok(snt::insert_many(tf, moves, snt::span<snt_status>(statuses.data(), 2)) == SNT_ERR_INVALID_ARG,
       "too few statuses too");

    snt_tf_result result;
    snt_tf_miss miss;
    ok(snt_tf_path_lookup(path, 80 * ms, &result, &miss) == SNT_ERR_FUTURE &&
           snt::to_string(tf, miss).find("odom->base_link: asked 0.080") == 0,
       "a refusal as a string");

    auto filter = snt::create_filter(tf, [] {
        snt_message_filter_config c;
        snt_message_filter_config_init(&c, sizeof c);
        return c;
    }());
    ok(snt_message_filter_set_targets(filter, &odom, 1) == SNT_OK, "a filter of tokens");

    auto imu = snt::create<snt_imu_buffer>();
    std::vector<snt_imu_sample> rates(2);
    rates[0].stamp_ns = 0;
    rates[1].stamp_ns = 5 * ms;
    rates[1].rate[2] = std::nan("");
    ok(snt::insert_many(imu, rates, statuses) == SNT_ERR_NON_FINITE && statuses[0] == SNT_OK,
       "IMU samples, one of them refused");
}

snt_status repeated(const size_t *length, char *out, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++)
        out[i] = i < *length ? 'x' : '\0';
    out[size - 1] = '\0';
    return *length < size ? SNT_OK : SNT_ERR_BUFFER_TOO_SMALL;
}

void texts_are_whole()
{
    for (const size_t length : {size_t{0}, size_t{255}, size_t{256}, size_t{5000}})
        ok(snt::text(repeated, &length) == std::string(length, 'x'), "a text of any length");
    snt_qos_profile offered, wanted;
    snt_qos_preset(SNT_QOS_PRESET_SENSOR_DATA, &offered);
    snt_qos_preset(SNT_QOS_PRESET_DEFAULT, &wanted);
    snt_qos_verdict verdict;
    snt_qos_check(&offered, &wanted, &verdict);
    ok(snt::to_string(verdict).size() > 40, "a verdict");
    ok(snt::from_chrono(snt::to_chrono(1700000000123456789)) == 1700000000123456789, "std::chrono");
}
} // namespace

int main()
{
    every_handle_has_an_owner();
    a_failed_creation_says_why();
    batches_are_spans();
    texts_are_whole();
    std::printf("1..%d\n", number);
    return failures != 0;
}
