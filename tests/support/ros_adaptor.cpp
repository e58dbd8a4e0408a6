// SPDX-License-Identifier: BSD-3-Clause
// The ROS adaptor on the messages' own headers: compiled by tests/ros1 with SNT_TEST_ROS1, by tests/ros2 with
// SNT_TEST_ROS2. tests/unit/test_ros_hpp.cpp goes into the cases; this shows that the real messages have the members.
#include <sensortime/sensortime_ros.hpp>

#ifdef SNT_TEST_ROS1
#include <geometry_msgs/PoseStamped.h>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/Imu.h>
#include <sensor_msgs/LaserScan.h>
#include <sensor_msgs/PointCloud2.h>
#include <tf2_msgs/TFMessage.h>
namespace geometry = geometry_msgs;
namespace sensor = sensor_msgs;
namespace tf2m = tf2_msgs;
#define GENERATION "ROS 1"
#else
#include <geometry_msgs/msg/pose_stamped.hpp>
#include <rmw/qos_profiles.h>
#include <sensor_msgs/msg/image.hpp>
#include <sensor_msgs/msg/imu.hpp>
#include <sensor_msgs/msg/laser_scan.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <tf2_msgs/msg/tf_message.hpp>
namespace geometry = geometry_msgs::msg;
namespace sensor = sensor_msgs::msg;
namespace tf2m = tf2_msgs::msg;
#define GENERATION "ROS 2"
#endif

#include <cmath>
#include <cstdio>
#include <cstring>

namespace
{
int number, failures;

void ok(bool good, const char *what)
{
    std::printf("%s %d - %s, %s\n", good ? "ok" : "not ok", ++number, GENERATION, what);
    failures += !good;
}

constexpr snt_time t0 = 1700000000 * SNT_NS_PER_S + 250 * SNT_NS_PER_MS;

sensor::PointCloud2 cloud_of(uint32_t count)
{
    sensor::PointCloud2 cloud;
    snt::ros::set_stamp(cloud.header.stamp, t0);
    cloud.header.frame_id = "lidar";
    const char *names[] = {"x", "y", "z", "t"};
    for (uint32_t i = 0; i < 4; i++) {
        sensor::PointField field;
        field.name = names[i];
        field.offset = 4 * i;
        field.datatype = i < 3 ? SNT_TYPE_F32 : SNT_TYPE_U32;
        field.count = 1;
        cloud.fields.push_back(field);
    }
    cloud.height = 1;
    cloud.width = count;
    cloud.point_step = 16;
    cloud.row_step = 16 * count;
    cloud.data.resize(16 * static_cast<size_t>(count));
    for (uint32_t i = 0; i < count; i++) {
        const float xyz[3] = {1.0f + static_cast<float>(i % 7), 2.0f, 3.0f};
        const uint32_t t = i * 100000;
        std::memcpy(&cloud.data[16 * static_cast<size_t>(i)], xyz, 12);
        std::memcpy(&cloud.data[16 * static_cast<size_t>(i) + 12], &t, 4);
    }
    return cloud;
}

void clouds()
{
    const sensor::PointCloud2 cloud = cloud_of(1000);
    const auto found = snt::ros::detect_layout(std::vector<sensor::PointCloud2>{cloud});
    ok(found.status == SNT_OK && found.layout.time_unit == SNT_TIME_UNIT_NS, "PointCloud2: the layout");
    snt_cloud points;
    ok(snt::ros::cloud(cloud, found.layout, &points) == SNT_OK && points.count == 1000 &&
           points.x.data == cloud.data.data(),
       "PointCloud2: its points in place");
    const snt_sample sweep = snt::ros::sample(cloud, found.layout);
    ok(sweep.t0_ns == t0 && sweep.t1_ns == t0 + 999 * 100000, "PointCloud2: its sweep");
}

void lasers_and_imus()
{
    sensor::LaserScan laser;
    snt::ros::set_stamp(laser.header.stamp, t0);
    laser.ranges.assign(11, 2.0f);
    laser.time_increment = 0.001f;
    const snt_sample sweep = snt::ros::sample(laser);
    ok(sweep.t0_ns == t0 && std::llabs(sweep.t1_ns - t0 - 10 * SNT_NS_PER_MS) < 10, "LaserScan: its sweep");
    const snt_laserscan_view view = snt::ros::laser(laser);
    ok(view.count == 11 && view.ranges.data == laser.ranges.data(), "LaserScan: its rays in place");

    sensor::Imu imu;
    snt::ros::set_stamp(imu.header.stamp, t0);
    imu.angular_velocity.z = 0.25;
    imu.linear_acceleration_covariance[0] = -1;
    const snt_imu_sample one = snt::ros::imu_sample(imu);
    ok(one.stamp_ns == t0 && one.rate[2] == 0.25 && one.flags == 0, "Imu: its numbers");
    snt_imu_buffer *buffer = nullptr;
    snt_imu_buffer_create(nullptr, nullptr, &buffer);
    ok(snt::ros::insert(buffer, imu) == SNT_OK, "Imu: into a buffer");
    snt_imu_buffer_destroy(buffer);
}

void transforms()
{
    tf2m::TFMessage message;
    message.transforms.resize(2);
    for (size_t i = 0; i < 2; i++) {
        auto &one = message.transforms[i];
        snt::ros::set_stamp(one.header.stamp, t0 + static_cast<snt_time>(i) * SNT_NS_PER_S);
        one.header.frame_id = "odom";
        one.child_frame_id = "base_link";
        one.transform.rotation.w = 1;
        one.transform.translation.x = static_cast<double>(i);
    }
    snt::tf_buffer tf;
    uint32_t inserted = 0;
    ok(snt::ros::insert(tf, message, false, {}, &inserted) == SNT_OK && inserted == 2,
       "TFMessage: into a buffer");
    snt_tf_result result;
    const snt_status status = snt_tf_buffer_lookup(tf.get(), tf.frame("odom"), tf.frame("base_link"),
                                                   t0 + SNT_NS_PER_S / 4, &result, nullptr);
    geometry::TransformStamped answer;
    ok(status == SNT_OK && snt::ros::to_message(result, "odom", "base_link", answer) == SNT_OK &&
           std::fabs(answer.transform.translation.x - 0.25) < 1e-9 &&
           snt::ros::stamp(answer) == t0 + SNT_NS_PER_S / 4 && answer.child_frame_id == "base_link",
       "TransformStamped: the answer of a lookup");
    geometry::PoseStamped pose;
    snt::ros::set_pose(pose.pose, result.pose);
    ok(snt::ros::pose(pose.pose).t[0] == result.pose.t[0], "PoseStamped: the same pose");
    sensor::Image image;
    snt::ros::set_stamp(image.header.stamp, t0);
    ok(snt::ros::sample(image).t0_ns == t0 && snt::ros::stamp(image.header) == t0, "Image: a sample");
}

#ifdef SNT_TEST_ROS2
void qos()
{
    const snt_qos_profile offered = snt::ros::qos(rmw_qos_profile_sensor_data);
    const snt_qos_profile wanted = snt::ros::qos(rmw_qos_profile_default);
    snt_qos_profile preset;
    snt_qos_preset(SNT_QOS_PRESET_SENSOR_DATA, &preset);
    ok(offered.depth == preset.depth && offered.reliability == preset.reliability &&
           offered.durability == preset.durability && offered.history == preset.history,
       "rmw_qos_profile_sensor_data is the preset of that name");
    ok(snt_qos_check(&offered, &wanted, nullptr) == SNT_ERR_INCOMPATIBLE,
       "and does not suit a default subscription");
    // what an endpoint reports of itself: its liveliness is decided, in the profile it is not
    snt_qos_profile reported = offered;
    reported.liveliness = SNT_QOS_AUTOMATIC;
    const snt_qos_profile any = snt::ros::qos(rmw_qos_profile_best_available);
    ok(snt_qos_check(&reported, &any, nullptr) == SNT_OK, "but suits one that takes the best available");
    const snt_qos_profile system = snt::ros::qos(rmw_qos_profile_system_default);
    ok(snt_qos_check(&system, &wanted, nullptr) == SNT_ERR_AMBIGUOUS,
       "what the middleware decides is not guessed");
}
#endif
} // namespace

int main()
{
    clouds();
    lasers_and_imus();
    transforms();
#ifdef SNT_TEST_ROS2
    qos();
#endif
    std::printf("1..%d\n", number);
    return failures != 0;
}
