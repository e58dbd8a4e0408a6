// SPDX-License-Identifier: BSD-3-Clause
// docs/ros.md: clouds that wait for their transform and are paired with the image of their middle.
#include "ros_messages.hpp"

/* [include] */
#include <sensortime/sensortime_ros.hpp>
/* [include] */

#include <cstdio>
#include <cstring>

static int fused, logged;

static void fuse(const PointCloud2 &cloud, const Image &)
{
    std::printf("a cloud of %u points with its image\n", cloud.width);
    fused++;
}

static void log(const std::string &text)
{
    std::printf("%s\n", text.c_str());
    logged++;
}

using namespace std::chrono_literals;
static snt_point_layout layout;

/* [node] */
struct fusion {
    snt::tf_buffer tf;
    snt::message_filter<PointCloud2::ConstSharedPtr> clouds{tf, "odom", options()};
    snt::synchronizer<PointCloud2::ConstSharedPtr, Image::ConstSharedPtr> pairs{by_middle()};

    void on_cloud(PointCloud2::ConstSharedPtr m)
    {
        clouds.add(snt::ros::sample(*m, layout), m->header.frame_id, m);
    }
    void on_image(Image::ConstSharedPtr m)
    {
        pairs.add<1>(snt::ros::sample(*m), m);
    }
    void on_tf(TFMessage::ConstSharedPtr m)
    {
        snt::ros::insert(tf, *m);
    }
    void on_tf_static(TFMessage::ConstSharedPtr m)
    {
        snt::ros::insert(tf, *m, true);
    }

    void on_timer()
    {
        clouds.drain([this](auto &one) { pairs.add<0>(one.sample, one.payload); });
        for (auto &[cloud, image] : pairs.drain())
            fuse(*cloud, *image);
        for (auto &drop : clouds.drops())
            log(drop.text); // each message is released once or explained once
        for (auto &drop : pairs.drops())
            log(drop.text);
    }

    static snt::filter_options options()
    {
        snt::filter_options o;
        o.capacity = 10;
        o.wait_timeout = 200ms;
        return o;
    }
    static snt::sync_options by_middle() // the camera's stamp lies near the middle of the sweep
    {
        snt::sync_options o;
        o.max_separation = 20ms;
        o.inputs.resize(2);
        o.inputs[0].match = SNT_MATCH_MIDDLE;
        return o;
    }
};
/* [node] */

static PointCloud2::ConstSharedPtr cloud_of(snt_time stamp)
{
    auto cloud = std::make_shared<PointCloud2>();
    snt::ros::set_stamp(cloud->header.stamp, stamp);
    cloud->header.frame_id = "lidar";
    const char *const names[] = {"x", "y", "z", "t"};
    for (uint32_t i = 0; i < 4; i++)
        cloud->fields.push_back({names[i], 4 * i, uint8_t(i < 3 ? SNT_TYPE_F32 : SNT_TYPE_U32), 1});
    cloud->width = 500;
    cloud->point_step = 16;
    cloud->row_step = 500 * 16;
    cloud->data.resize(cloud->row_step);
    for (uint32_t i = 0; i < 500; i++) {
        const float xyz[3] = {5, 0.01f * float(i), 1};
        const uint32_t t = i * 200000;
        std::memcpy(&cloud->data[i * 16], xyz, 12);
        std::memcpy(&cloud->data[i * 16 + 12], &t, 4);
    }
    return cloud;
}

static TFMessage::ConstSharedPtr transform_at(snt_time stamp)
{
    auto message = std::make_shared<TFMessage>();
    message->transforms.resize(1);
    snt::ros::set_stamp(message->transforms[0].header.stamp, stamp);
    message->transforms[0].header.frame_id = "odom";
    message->transforms[0].child_frame_id = "lidar";
    return message;
}

int main()
{
    const snt_time start = INT64_C(1700000000) * SNT_NS_PER_S;
    fusion node;
    const PointCloud2::ConstSharedPtr m = cloud_of(start);
    /* [layout] */
    const auto found = snt::ros::detect_layout(std::vector<PointCloud2::ConstSharedPtr>{m}); // or several
    if (found.status != SNT_OK)
        return 1;
    layout = found.layout;
    /* [layout] */
    for (int n = 0; n < 5; n++) {
        const snt_time t = start + n * 100 * SNT_NS_PER_MS;
        auto image = std::make_shared<Image>();
        snt::ros::set_stamp(image->header.stamp, t + 47 * SNT_NS_PER_MS);
        node.on_image(image);
        node.on_cloud(cloud_of(t));
        node.on_timer();
        node.on_tf(transform_at(t));
        if (n == 2)
            node.on_cloud(cloud_of(start - 100 * SNT_NS_PER_S));
        node.on_timer();
    }
    return fused >= 2 && logged >= 1 ? 0 : 1;
}
