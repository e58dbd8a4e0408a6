/* SPDX-License-Identifier: BSD-3-Clause */
/* The C++ program of docs/cpp.md: a device's clock, its packets and its path, owned. */
#include <cstdio>
#include <vector>

#include <sensortime/sensortime.hpp>

int main()
{
    /* [own] */
    auto settings = snt::config<snt_device_clock>(); // the defaults
    settings.counter_bits = 32;
    settings.tick_num_ns = 1000; // one tick is a microsecond
    settings.tick_den = 1;
    settings.rate_bound_ppb = 100000;
    const auto clock = snt::create<snt_device_clock>(settings);
    const uint32_t session = snt_device_clock_session(clock); // an owner is what C functions take
    /* [own] */
    for (uint64_t k = 0; k < 200; k++)
        snt_device_clock_observe_arrival(clock, session, 5000 + 1000 * k,
                                         static_cast<snt_time>(1000000000 + k * 1000000 + k % 7 * 20000),
                                         nullptr);

    /* [many] */
    const std::vector<uint64_t> ticks{150000, 151000, 152000};
    std::vector<snt_sample> samples(ticks.size());
    const snt_status status = snt::stamp_many(clock, session, ticks, SNT_UNKNOWN, 0, samples);
    /* [many] */
    if (status != SNT_OK) {
        std::printf("%s\n", snt_status_text(status));
        return 1;
    }

    /* [text] */
    const auto tf = snt::create<snt_tf_buffer>();
    const auto path = snt::create_path(tf, "odom", "lidar");
    snt_tf_result at;
    snt_tf_miss miss;
    if (snt_tf_path_lookup(path, samples[0].t0_ns, &at, &miss) != SNT_OK)
        std::printf("%s\n", snt::to_string(tf, miss).c_str());
    /* [text] */
    return 0;
}
