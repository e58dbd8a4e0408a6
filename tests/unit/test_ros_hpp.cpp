// SPDX-License-Identifier: BSD-3-Clause
// The ROS adaptor on messages of both generations: the same code, the same answers. The structs below have the members of
// the real messages and nothing else; tests/ros1 and tests/ros2 use the real ones.
#include "sensortime/sensortime_ros.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace
{
int number, failures;

void ok(bool good, const char *generation, const char *what)
{
    std::printf("%s %d - %s: %s\n", good ? "ok" : "not ok", ++number, generation, what);
    failures += !good;
}

/* ---- what the generations differ in ---- */

struct ros1 {
    struct time {
        uint32_t sec = 0, nsec = 0;
    };
    struct head {
        uint32_t seq = 0;
        time stamp;
        std::string frame_id;
    };
    using flag = uint8_t;
    static constexpr const char *name = "ROS 1";
};

struct ros2 {
    struct time {
        int32_t sec = 0;
        uint32_t nanosec = 0;
    };
    struct head {
        time stamp;
        std::string frame_id;
    };
    using flag = bool;
    static constexpr const char *name = "ROS 2";
};

/* ---- what they share ---- */

struct vector3 {
    double x = 0, y = 0, z = 0;
};
struct quaternion {
    double x = 0, y = 0, z = 0, w = 1;
};
struct point_field {
    std::string name;
    uint32_t offset = 0;
    uint8_t datatype = 0;
    uint32_t count = 1;
};
template <class R> struct point_cloud2 {
    typename R::head header;
    uint32_t height = 1, width = 0;
    std::vector<point_field> fields;
    typename R::flag is_bigendian = 0;
    uint32_t point_step = 0, row_step = 0;
    std::vector<uint8_t> data;
    typename R::flag is_dense = 1;
};
template <class R> struct laser_scan {
    typename R::head header;
    float angle_min = 0, angle_max = 0, angle_increment = 0, time_increment = 0, scan_time = 0, range_min = 0,
          range_max = 0;
    std::vector<float> ranges, intensities;
};
template <class R> struct imu {
    typename R::head header;
    quaternion orientation;
    std::array<double, 9> orientation_covariance{};
    vector3 angular_velocity;
    std::array<double, 9> angular_velocity_covariance{};
    vector3 linear_acceleration;
    std::array<double, 9> linear_acceleration_covariance{};
};
struct transform {
    vector3 translation;
    quaternion rotation;
};
struct placement {
    vector3 position;
    quaternion orientation;
};
template <class R> struct transform_stamped {
    typename R::head header;
    std::string child_frame_id;
    ::transform transform;
};
template <class R> struct tf_message {
    std::vector<transform_stamped<R>> transforms;
};
struct image {
    ros2::head header;
};

constexpr snt_time ms = SNT_NS_PER_MS, second = SNT_NS_PER_S;

template <class R> void set(typename R::head &header, snt_time t, const char *frame)
{
    snt::ros::set_stamp(header.stamp, t);
    header.frame_id = frame;
}

/* ---- tests ---- */

template <class R> void stamps()
{
    typename R::head header;
    const snt_time t = 1700000000 * second + 123456789;
    ok(snt::ros::set_stamp(header.stamp, t) == SNT_OK && snt::ros::stamp(header) == t &&
           snt::ros::stamp(header.stamp) == t && snt::ros::is_normal(header),
       R::name, "a stamp survives the way there and back");
    typename R::time written = header.stamp;
    ok(snt::ros::set_stamp(written, SNT_TIME_INFINITE_FUTURE) == SNT_ERR_RANGE &&
           snt::ros::stamp(written) == t,
       R::name, "a time that no message holds is refused and leaves it alone");
    if constexpr (snt::ros::detail::has_nanosec<typename R::time>::value) {
        written.nanosec = 1000000005;
        ok(snt::ros::set_stamp(header.stamp, -1) == SNT_OK && header.stamp.sec == -1 &&
               header.stamp.nanosec == 999999999 && snt::ros::stamp(header) == -1,
           R::name, "before 1970");
    } else {
        written.nsec = 1000000005;
        ok(snt::ros::set_stamp(header.stamp, -1) == SNT_ERR_RANGE, R::name, "nothing before 1970");
    }
    ok(snt::ros::stamp(written) == 1700000001 * second + 5 && !snt::ros::is_normal(written), R::name,
       "a second of nanoseconds is carried, and told");
}

template <class R>
point_cloud2<R> scan(snt_time header, uint32_t points, uint32_t rows = 1, uint32_t padding = 0)
{
    point_cloud2<R> cloud;
    set<R>(cloud.header, header, "lidar");
    cloud.fields = {{"x", 0, 7, 1}, {"y", 4, 7, 1}, {"z", 8, 7, 1}, {"t", 12, 6, 1}, {"ring", 16, 4, 1}};
    cloud.point_step = 20;
    cloud.width = points / rows;
    cloud.height = rows;
    cloud.row_step = cloud.width * 20 + padding;
    cloud.data.resize(size_t{cloud.row_step} * rows);
    for (uint32_t i = 0; i < points; i++) {
        uint8_t *at = &cloud.data[size_t{i / cloud.width} * cloud.row_step + size_t{i % cloud.width} * 20];
        const double a = 6.2831853 * i / points;
        const float xyz[3] = {static_cast<float>(10 * std::cos(a)), static_cast<float>(10 * std::sin(a)), 1};
        const uint32_t t = i * 100000;
        const uint16_t ring = static_cast<uint16_t>(i % 16);
        std::memcpy(at, xyz, 12);
        std::memcpy(at + 12, &t, 4);
        std::memcpy(at + 16, &ring, 2);
    }
    return cloud;
}

template <class R> void clouds()
{
    const snt_time t = 1700000000 * second;
    std::vector<std::shared_ptr<const point_cloud2<R>>> scans;
    for (int i = 0; i < 4; i++)
        scans.push_back(std::make_shared<const point_cloud2<R>>(scan<R>(t + i * 100 * ms, 1000)));
    const auto found = snt::ros::detect_layout(scans);
    ok(found.status == SNT_OK && found.layout.time_unit == SNT_TIME_UNIT_NS &&
           found.layout.time_ref == SNT_TIME_REF_RELATIVE &&
           found.layout.header_role == SNT_HEADER_ROLE_START && found.text().find("'t'") != std::string::npos,
       R::name, "the layout is found from pointers to clouds");

    const auto &first = *scans[0];
    snt_cloud cloud;
    ok(snt::ros::cloud(first, found.layout, &cloud) == SNT_OK && cloud.count == 1000 &&
           cloud.x.data == first.data.data() && cloud.time.data == first.data.data() + 12,
       R::name, "a cloud of the message's own bytes");

    snt_status status;
    snt::ros::origin from;
    from.source = 7;
    from.session = 3;
    from.receive_ns = 5;
    const snt_sample sweep = snt::ros::sample(first, found.layout, from, &status);
    ok(status == SNT_OK && sweep.t0_ns == t && sweep.t1_ns == t + 999 * 100000 &&
           sweep.event == SNT_EVENT_SWEEP && sweep.domain == SNT_DOMAIN_UNIX && sweep.source == 7 &&
           sweep.session == 3 && sweep.receive_ns == 5 && snt_sample_check(&sweep) == SNT_OK,
       R::name, "a cloud is the sweep from its first to its last point");

    const auto padded = scan<R>(t, 1000, 10, 13);
    const snt_sample rows = snt::ros::sample(padded, found.layout, {}, &status);
    ok(status == SNT_OK && rows.t0_ns == sweep.t0_ns && rows.t1_ns == sweep.t1_ns, R::name,
       "padded rows give the same sweep");

    auto cut = scan<R>(t, 100);
    cut.data.resize(cut.data.size() - 1);
    const snt_sample alone = snt::ros::sample(cut, found.layout, {}, &status);
    ok(status == SNT_ERR_LAYOUT && alone.t0_ns == t && alone.t1_ns == t &&
           alone.event == SNT_EVENT_SWEEP_START,
       R::name, "a cloud that is cut short has only its header");
    ok(snt::ros::detect_layout(std::vector<point_cloud2<R>>{cut}).status == SNT_ERR_LAYOUT, R::name,
       "and no layout");
    ok(snt::ros::detect_layout(std::vector<point_cloud2<R>>{}).status == SNT_ERR_INVALID_ARG, R::name,
       "nor has a list of none");
    ok(snt::ros::sample(first).t1_ns == t && snt::ros::sample(first).event == SNT_EVENT_UNSPECIFIED, R::name,
       "without a layout a cloud is its header");

    auto odd = scan<R>(t, 10);
    odd.header.frame_id = "os_sensor";
    snt_pointcloud2_view view;
    snt_message_error error;
    ok(snt::ros::view(odd, &view) == SNT_OK &&
           std::string(view.header.frame_id.data, view.header.frame_id.size) == "os_sensor" &&
           (view.flags & SNT_POINTCLOUD2_DENSE),
       R::name, "the view knows frame and density");
    odd.is_bigendian = true;
    ok(snt::ros::view(odd, &view) == SNT_OK && (view.flags & SNT_POINTCLOUD2_BIG_ENDIAN), R::name,
       "and the byte order");
    odd.fields[3].offset = 17;
    ok(snt::ros::view(odd, &view, &error) == SNT_ERR_LAYOUT && error.index == 3, R::name,
       "a field beyond the point is refused by number");
}

template <class R> void lasers()
{
    laser_scan<R> message;
    const snt_time t = 100 * second;
    set<R>(message.header, t, "laser");
    message.ranges.assign(401, 2.0f);
    message.time_increment = 0.000125f; // 401 rays: 50 ms
    message.range_max = 10;
    message.angle_increment = 0.01f;
    const snt_sample sweep = snt::ros::sample(message);
    ok(sweep.t0_ns == t && std::llabs(sweep.t1_ns - t - 50 * ms) < 10 && sweep.event == SNT_EVENT_SWEEP,
       R::name, "a laser scan ends with its last ray");
    snt_cloud times;
    const snt_laserscan_view view = snt::ros::laser(message);
    snt_time last = 0;
    float xyz[3];
    ok(snt_cloud_from_laserscan(&view, &times) == SNT_OK &&
           snt_cloud_times(&times, 400, 1, 0, &last, nullptr) == SNT_OK &&
           std::llabs(last - sweep.t1_ns) < 10 && snt_laserscan_project(&view, 0, 1, xyz, 0) == SNT_OK &&
           std::fabs(xyz[0] - 2) < 1e-6,
       R::name, "its rays are a cloud");
    message.time_increment = -0.000125f;
    const snt_sample backward = snt::ros::sample(message);
    ok(backward.t1_ns == t && std::llabs(backward.t0_ns - t + 50 * ms) < 10 &&
           snt_sample_check(&backward) == SNT_OK,
       R::name, "a laser that turns the other way begins with it");
    message.time_increment = 0;
    ok(snt::ros::sample(message).event == SNT_EVENT_SWEEP_START, R::name, "one that does not say is a start");
    message.time_increment = std::numeric_limits<float>::quiet_NaN();
    ok(snt::ros::sample(message).t1_ns == t, R::name, "not-a-number tells nothing");
}

template <class R> void imus()
{
    snt_imu_buffer *buffer = nullptr;
    snt_imu_buffer_create(nullptr, nullptr, &buffer);
    imu<R> message;
    set<R>(message.header, 50 * second, "imu");
    message.angular_velocity.z = 0.5;
    message.linear_acceleration.z = 9.81;
    const snt_imu_sample one = snt::ros::imu_sample(message);
    ok(snt::ros::insert(buffer, message) == SNT_OK && one.rate[2] == 0.5 && one.acceleration[2] == 9.81 &&
           one.flags == SNT_IMU_HAS_ACCELERATION && snt::ros::sample(message).event == SNT_EVENT_INSTANT,
       R::name, "an IMU's numbers");
    ok(snt::ros::insert(buffer, message) == SNT_ERR_DUPLICATE, R::name, "the buffer's verdict comes back");
    message.linear_acceleration_covariance[0] = -1;
    ok(snt::ros::imu_sample(message).flags == 0, R::name, "an IMU without accelerometer");
    message.angular_velocity_covariance[0] = -1;
    ok(snt::ros::insert(buffer, message) == SNT_ERR_NOT_FOUND, R::name,
       "an IMU without gyroscope is refused");
    snt_imu_buffer_destroy(buffer);
}

template <class R> transform_stamped<R> edge(snt_time t, const char *parent, const char *child, double x)
{
    transform_stamped<R> out;
    set<R>(out.header, t, parent);
    out.child_frame_id = child;
    out.transform.translation.x = x;
    return out;
}

template <class R> void transforms()
{
    snt::tf_buffer tf;
    snt::message_filter<int> waiting(tf, "odom");
    waiting.add(snt::sample_at(1050 * ms, 0), "lidar", 42, 0);
    tf_message<R> moving, fixed;
    moving.transforms = {edge<R>(1000 * ms, "odom", "base", 1), edge<R>(1100 * ms, "odom", "base", 3),
                         edge<R>(1100 * ms, "odom", "odom", 0), edge<R>(1100 * ms, "odom", "other", 0)};
    fixed.transforms = {edge<R>(0, "base", "lidar", 10)};
    uint32_t inserted = 0;
    ok(snt::ros::insert(tf, fixed, true, {}, &inserted) == SNT_OK && inserted == 1, R::name, "/tf_static");
    ok(snt::ros::insert(tf, moving, false, {}, &inserted) == SNT_ERR_CYCLE && inserted == 3, R::name,
       "/tf: a bad transform does not keep out the others");
    auto got = waiting.drain(snt_time{0});
    ok(got.size() == 1 && got[0].payload == 42 && std::fabs(got[0].pose().t[0] - 12) < 1e-12, R::name,
       "a waiting message hears of it");
    if (got.empty())
        return;
    transform_stamped<R> answer;
    ok(snt::ros::to_message(got[0].transforms[0], "odom", "lidar", answer) == SNT_OK &&
           answer.header.frame_id == "odom" && answer.child_frame_id == "lidar" &&
           snt::ros::stamp(answer) == 1050 * ms && std::fabs(answer.transform.translation.x - 12) < 1e-12 &&
           answer.transform.rotation.w == 1,
       R::name, "the answer as a TransformStamped");
    snt_tf_result far = got[0].transforms[0];
    far.stamp = int64_t{1} << 62;
    ok(snt::ros::to_message(far, "a", "b", answer) == SNT_ERR_RANGE && answer.child_frame_id == "lidar",
       R::name, "an answer in another century leaves the message alone");
    snt_status status = snt::ros::insert(tf.get(), edge<R>(1200 * ms, "odom", "", 0));
    ok(status == SNT_ERR_INVALID_ARG, R::name, "a transform without child is refused");
}

/* A buffer is told who published a transform, on which clock, and when it came. */
template <class R> void origins()
{
    snt::tf_buffer tf;
    snt::ros::tf_origin from;
    from.domain = SNT_DOMAIN_SIM;
    from.session = 4;
    from.now = 1002 * ms;
    snt_tf_buffer_authority(tf.get(), "localization", &from.authority);
    snt::ros::insert(tf, edge<R>(1000 * ms, "odom", "base", 1), false, from);
    snt_tf_edge_info info;
    const snt_status status = snt_tf_buffer_edge_info(tf.get(), tf.frame("base"), &info);
    ok(status == SNT_OK && info.domain == SNT_DOMAIN_SIM && info.session == 4 && info.publishers == 1 &&
           info.publisher[0].authority == from.authority && info.delay_mean_ns == 2 * ms,
       R::name, "a transform's publisher, clock, session and delay");
}

void sequences()
{
    imu<ros1> message;
    message.header.seq = 77;
    snt_pointcloud2_view view;
    auto cloud = scan<ros1>(0, 10);
    cloud.header.seq = 78;
    ok(snt::ros::sample(message).sequence == 77 && snt::ros::view(cloud, &view) == SNT_OK &&
           view.header.sequence == 78 && (view.header.flags & SNT_HEADER_HAS_SEQUENCE) &&
           snt::ros::sample(imu<ros2>()).sequence == 0,
       "ROS 1", "the sequence number of the header");
}

void poses()
{
    placement there;
    there.position.y = 5;
    there.orientation = {0, 0, 1, 0};
    const snt_pose pose = snt::ros::pose(there);
    transform same;
    snt::ros::set_pose(same, pose);
    placement back;
    snt::ros::set_pose(back, pose);
    ok(pose.t[1] == 5 && pose.q[2] == 1 && same.translation.y == 5 && same.rotation.z == 1 &&
           same.rotation.w == 0 && back.position.y == 5 && back.orientation.z == 1,
       "both", "Pose and Transform hold the same");
    image picture;
    picture.header.stamp.sec = 3;
    snt::ros::origin from;
    from.event = SNT_EVENT_EXPOSURE_START;
    ok(snt::ros::sample(picture, from).event == SNT_EVENT_EXPOSURE_START &&
           snt::ros::sample(picture).t0_ns == 3 * second,
       "both", "any stamped message is a sample");
}

struct rmw_time {
    uint64_t sec, nsec;
};
struct rmw_profile {
    int history = 1;
    size_t depth = 5;
    int reliability = 2, durability = 2, liveliness = 1;
    rmw_time deadline{0, 0}, lifespan{9223372036, 854775807},
        liveliness_lease_duration{9223372036, 854775806};
};

void qos()
{
    rmw_profile profile;
    profile.deadline = {1, 500000000};
    const snt_qos_profile offered = snt::ros::qos(profile);
    ok(offered.deadline_ns == 1500 * ms && offered.lifespan_ns == SNT_QOS_INFINITE && offered.depth == 5 &&
           offered.lease_ns == SNT_QOS_DURATION_BEST_AVAILABLE && offered.reliability == SNT_QOS_BEST_EFFORT,
       "ROS 2", "an rmw profile");
    snt_qos_profile wanted;
    snt_qos_preset(SNT_QOS_PRESET_DEFAULT, &wanted);
    ok(snt_qos_check(&offered, &wanted, nullptr) == SNT_ERR_INCOMPATIBLE, "ROS 2", "is judged");
    profile.lifespan = {UINT64_MAX, 0};
    ok(snt::ros::qos(profile).lifespan_ns == SNT_QOS_INFINITE, "ROS 2", "absurdly long is for ever");
}

template <class R> void generation()
{
    stamps<R>();
    clouds<R>();
    lasers<R>();
    imus<R>();
    transforms<R>();
    origins<R>();
}
} // namespace

int main()
{
    const int planned = 2 * 31 + 6;
    std::printf("1..%d\n", planned);
    generation<ros1>();
    generation<ros2>();
    sequences();
    poses();
    qos();
    if (number != planned)
        std::printf("not ok - planned %d, ran %d\n", planned, number);
    return failures || number != planned;
}
