// SPDX-License-Identifier: BSD-3-Clause
// The robot: a lidar on its own clock, a camera, transforms that come late. Knows nothing of the library under test.
#include "scenario.h"

#include <cstring>
#include <string>

#include <geometry_msgs/TransformStamped.h>
#include <ros/ros.h>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/PointCloud2.h>
#include <std_msgs/Header.h>
#include <tf2_msgs/TFMessage.h>

namespace
{
using namespace scenario;

ros::Time to_ros(int64_t ns)
{
    ros::Time t;
    t.fromNSec(static_cast<uint64_t>(ns));
    return t;
}

int64_t now()
{
    return static_cast<int64_t>(ros::Time::now().toNSec());
}

void describe(sensor_msgs::PointCloud2 &cloud)
{
    const char *names[] = {"x", "y", "z", "t"};
    for (uint32_t i = 0; i < 4; i++) {
        sensor_msgs::PointField field;
        field.name = names[i];
        field.offset = 4 * i;
        field.datatype = i < 3 ? sensor_msgs::PointField::FLOAT32 : sensor_msgs::PointField::UINT32;
        field.count = 1;
        cloud.fields.push_back(field);
    }
    cloud.height = 1;
    cloud.width = points;
    cloud.point_step = 16;
    cloud.row_step = 16 * points;
    cloud.is_dense = 1;
    cloud.data.resize(16 * points);
}

sensor_msgs::PointCloud2 scan(int k)
{
    sensor_msgs::PointCloud2 cloud;
    describe(cloud);
    cloud.header.frame_id = "lidar";
    cloud.header.stamp = to_ros(scan_begin_device(k)); // the device's own time
    for (int i = 0; i < points; i++) {
        const uint32_t t = static_cast<uint32_t>(i * point_step_ns);
        const double host = static_cast<double>(host_of_device(scan_begin_device(k) + t)) * 1e-9;
        const spot p = seen_from(robot(host), landmark(i));
        const float xyz[3] = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
        std::memcpy(&cloud.data[16 * static_cast<size_t>(i)], xyz, 12);
        std::memcpy(&cloud.data[16 * static_cast<size_t>(i) + 12], &t, 4);
    }
    return cloud;
}

geometry_msgs::TransformStamped transform(int64_t start, int64_t t)
{
    const planar pose = robot(static_cast<double>(t) * 1e-9);
    geometry_msgs::TransformStamped out;
    out.header.frame_id = "odom";
    out.header.stamp = to_ros(start + t);
    out.child_frame_id = "base_link";
    out.transform.translation.x = pose.x;
    out.transform.translation.y = pose.y;
    out.transform.rotation.z = std::sin(pose.yaw / 2);
    out.transform.rotation.w = std::cos(pose.yaw / 2);
    return out;
}
} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "talker");
    ros::NodeHandle node;
    ros::Publisher tf = node.advertise<tf2_msgs::TFMessage>("/tf", 1000);
    ros::Publisher tf_static = node.advertise<tf2_msgs::TFMessage>("/tf_static", 1, true);
    ros::Publisher clouds = node.advertise<sensor_msgs::PointCloud2>("/points", 200);
    ros::Publisher rear = node.advertise<sensor_msgs::PointCloud2>("/points_rear", 200);
    ros::Publisher camera = node.advertise<sensor_msgs::Image>("/image", 200);
    ros::Publisher pong = node.advertise<std_msgs::Header>("/lidar/pong", 200);
    ros::Publisher begun = node.advertise<std_msgs::Header>("/start", 1, true);
    int64_t start = 0;
    // The device answers pings with its time. Before the drive its clock runs as well.
    ros::Subscriber ping = node.subscribe<std_msgs::Header>(
        "/lidar/ping", 200,
        [&](const std_msgs::Header::ConstPtr &asked) {
            std_msgs::Header answer;
            answer.frame_id = asked->frame_id;
            answer.stamp = to_ros(device_of_host(now() - start));
            if (start)
                pong.publish(answer);
        },
        ros::VoidConstPtr(), ros::TransportHints().tcpNoDelay());

    // /tf has two readers in the listener: its own, and that of tf2_ros
    const ros::Time patience = ros::Time::now() + ros::Duration(30);
    while (ros::ok() &&
           (tf.getNumSubscribers() < 1 || clouds.getNumSubscribers() < 1 || camera.getNumSubscribers() < 1 ||
            rear.getNumSubscribers() < 1 || ping.getNumPublishers() < 1 || pong.getNumSubscribers() < 1)) {
        if (ros::Time::now() > patience)
            return 1;
        ros::Duration(0.01).sleep();
    }
    tf2_msgs::TFMessage mount;
    mount.transforms.push_back(geometry_msgs::TransformStamped());
    mount.transforms[0].header.frame_id = "base_link";
    mount.transforms[0].child_frame_id = "lidar";
    mount.transforms[0].transform.translation.x = mount_x;
    mount.transforms[0].transform.translation.z = mount_z;
    mount.transforms[0].transform.rotation.w = 1;
    tf_static.publish(mount);
    ros::Duration(0.5).sleep(); // whoever is connecting gets the first message too
    start = now();
    std_msgs::Header beginning;
    beginning.stamp = to_ros(start);
    begun.publish(beginning);

    int k = 0, j = 0, m = -5, r = 0; // transforms begin 100 ms before the drive
    while (ros::ok() && (k < scans || j < images || m < tf_samples)) {
        const int64_t t = now() - start;
        while (k < scans && host_of_device(scan_begin_device(k) + sweep) + 2 * ms <= t)
            clouds.publish(scan(k++));
        while (j < images && image_time(j) + 30 * ms <= t) {
            sensor_msgs::Image image;
            image.header.frame_id = "camera";
            image.header.stamp = to_ros(start + image_time(j));
            image.width = static_cast<uint32_t>(j);
            if (!image_lost(j))
                camera.publish(image);
            j++;
        }
        while (m < tf_samples && m * tf_period + tf_delay <= t) {
            if (!silent(m * tf_period)) {
                tf2_msgs::TFMessage message;
                message.transforms.push_back(transform(start, m * tf_period));
                tf.publish(message);
            }
            m++;
        }
        while (r < unmounted + 2 && 2000 * ms + r * period <= t) {
            sensor_msgs::PointCloud2 cloud;
            describe(cloud);
            // ten from a lidar that nobody mounted, one without a frame, one a minute old
            cloud.header.frame_id = r < unmounted ? "rear_lidar" : r == unmounted ? "" : "lidar";
            cloud.header.stamp = to_ros(start + 2000 * ms + r * period - (r > unmounted ? 60000 * ms : 0));
            rear.publish(cloud);
            r++;
        }
        ros::spinOnce();
        ros::WallDuration(0.0005).sleep();
    }
    // stays until it is told to go, so that nothing in flight is lost
    ros::spin();
    return 0;
}
