/* SPDX-License-Identifier: BSD-3-Clause */
/* The C++ program of docs/start.md. */
/* [all] */
#include <cstdio>
#include <memory>

#include <sensortime/sensortime.hpp>

using Cloud = std::shared_ptr<const char[]>; // your message, however you hold it

int main()
{
    using namespace std::chrono_literals;
    snt::tf_buffer tf;
    snt::filter_options options;
    options.capacity = 20;
    options.wait_timeout = 200ms;
    snt::message_filter<Cloud> clouds(tf, "odom", options);

    const snt_pose here = {{0, 0, 0, 1}, {4, 2, 0}};
    tf.insert("odom", "lidar", 100'000'000'000, here);
    clouds.add(snt::sample_at(100'010'000'000), "lidar", Cloud(new char[64])); // no transform yet: it waits
    std::printf("%zu released\n", clouds.drain().size());

    tf.insert("odom", "lidar", 100'020'000'000, here);
    for (const auto &cloud : clouds.drain())
        std::printf("at %.2f s from (%g, %g)\n", 1e-9 * double(cloud.sample.t0_ns), cloud.pose().t[0],
                    cloud.pose().t[1]);

    clouds.add(snt::sample_at(50'000'000'000), "lidar", Cloud(new char[64]));
    for (const auto &cloud : clouds.drops()) // what is not released comes back with its reason
        std::printf("%s\n", cloud.text.c_str());
}
/* [all] */
