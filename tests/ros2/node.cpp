// SPDX-License-Identifier: BSD-3-Clause
// A C++ node of ROS 2 that uses the library: on rcl, the layer below rclcpp, with the C++ messages that rclcpp hands out.
// Takes /tf_static, tells the robot to drive, lets clouds wait for their late transforms, deskews them. Prints TAP.
#include <sensortime/sensortime_ros.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

#include <rcl/error_handling.h>
#include <rcl/rcl.h>
#include <rmw/qos_profiles.h>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <std_msgs/msg/header.hpp>
#include <tf2_msgs/msg/tf_message.hpp>

namespace
{
using namespace std::chrono_literals;
using cloud_ptr = std::shared_ptr<const sensor_msgs::msg::PointCloud2>;
using tf_ptr = std::shared_ptr<const tf2_msgs::msg::TFMessage>;

/* as in scene.py */
constexpr int points = 600, scans = 15;
constexpr snt_time sweep = 599 * 165000;

int number, failures;

void ok(bool good, const std::string &what)
{
    std::printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, what.c_str());
    failures += !good;
}

void must(rcl_ret_t status, const char *what)
{
    if (status != RCL_RET_OK) {
        std::printf("Bail out! %s: %s\n", what, rcl_get_error_string().str);
        std::exit(1);
    }
}

template <class M> const rosidl_message_type_support_t *type()
{
    return rosidl_typesupport_cpp::get_message_type_support_handle<M>();
}

template <class M> class subscription
{
  public:
    subscription(rcl_node_t *node, const char *topic, const rmw_qos_profile_t &qos) : node_(node)
    {
        rcl_subscription_options_t options = rcl_subscription_get_default_options();
        options.qos = qos;
        must(rcl_subscription_init(&handle_, node, type<M>(), topic, &options), topic);
    }

    ~subscription()
    {
        must(rcl_subscription_fini(&handle_, node_), "closing a subscription");
    }

    std::shared_ptr<const M> take()
    {
        auto message = std::make_shared<M>();
        rmw_message_info_t info = rmw_get_zero_initialized_message_info();
        const rcl_ret_t status = rcl_take(&handle_, message.get(), &info, nullptr);
        if (status == RCL_RET_SUBSCRIPTION_TAKE_FAILED) // nothing there
            return nullptr;
        must(status, "taking a message");
        return message;
    }

  private:
    rcl_node_t *node_;
    rcl_subscription_t handle_ = rcl_get_zero_initialized_subscription();
};

/* Greatest distance between where the points are and what they hit, as scene.py has it [m]. */
double farthest(const std::vector<uint8_t> &data, const snt_pose &odom_lidar)
{
    double worst = 0;
    for (size_t i = 0; i < points; i++) {
        float p[3], q[3];
        std::memcpy(p, &data[18 * i], 12);
        snt_pose_apply_points_f32(&odom_lidar, p, 0, q, 0, 1);
        const double a = 2 * 3.14159265358979323846 * static_cast<double>(i) / points;
        worst =
            std::max(worst, std::hypot(q[0] - 9 * std::cos(a), q[1] - 9 * std::sin(a), q[2] - 0.5 - a / 10));
    }
    return worst;
}

struct outcome {
    int received = 0, released = 0, waited = 0, sweeps = 0, deskewed = 0, dropped = 0, refused = 0;
    double before = 0, after = 0;
};

void deskew(snt_deskew *plan, const snt_tf_path *path, const snt_point_layout &layout,
            const snt::released<cloud_ptr> &one, outcome &out)
{
    snt_cloud in, moved;
    if (snt::ros::cloud(*one.payload, layout, &in) != SNT_OK)
        return;
    std::vector<uint8_t> copy(one.payload->data);
    moved = in;
    for (snt_field *field : {&moved.x, &moved.y, &moved.z})
        field->data = copy.data() + (static_cast<uint8_t *>(field->data) - one.payload->data.data());
    snt_deskew_scan scan;
    snt_deskew_scan_init(&scan, sizeof scan);
    scan.reference = SNT_REF_END;
    snt_deskew_report report;
    snt_tf_result end;
    if (snt_deskew_scan_from_cloud(&in, nullptr, 0, &scan, nullptr) == SNT_OK &&
        snt_deskew_plan_path(plan, &scan, path, 0, 0) == SNT_OK &&
        snt_deskew_apply(plan, &in, &moved, &report) == SNT_OK &&
        snt_tf_path_lookup(path, report.reference_ns, &end, nullptr) == SNT_OK) {
        out.deskewed++;
        out.before = std::max(out.before, farthest(one.payload->data, end.pose));
        out.after = std::max(out.after, farthest(copy, end.pose));
    }
}

rmw_qos_profile_t with(rmw_qos_profile_t qos, size_t depth, rmw_qos_durability_policy_t durability)
{
    qos.depth = depth;
    qos.durability = durability;
    return qos;
}

outcome listen(rcl_node_t *node)
{
    const rmw_qos_profile_t plain = rmw_qos_profile_default;
    subscription<sensor_msgs::msg::PointCloud2> clouds(node, "/points", rmw_qos_profile_sensor_data);
    subscription<tf2_msgs::msg::TFMessage> moving(node, "/tf", with(plain, 100, plain.durability));
    subscription<tf2_msgs::msg::TFMessage> fixed(node, "/tf_static",
                                                 with(plain, 1, RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL));
    rcl_publisher_t command = rcl_get_zero_initialized_publisher();
    const rcl_publisher_options_t options = rcl_publisher_get_default_options();
    must(rcl_publisher_init(&command, node, type<std_msgs::msg::Header>(), "/command", &options), "/command");

    snt::tf_buffer tf;
    snt::filter_options patient;
    patient.capacity = 30;
    patient.wait_timeout = 3s;
    snt::message_filter<cloud_ptr> filter(tf, "odom", patient);
    snt::ros::detected layout;
    snt_deskew *plan = nullptr;
    snt_tf_path *path = nullptr;
    snt::check(snt_deskew_create(nullptr, nullptr, &plan), "plan");
    snt::check(snt_tf_buffer_path(tf.get(), "odom", "lidar", &path), "path");

    outcome out;
    bool mounted = false, told = false;
    const auto end = std::chrono::steady_clock::now() + 25s;
    auto settled = end;
    while (std::chrono::steady_clock::now() < settled) {
        while (const tf_ptr m = fixed.take()) {
            out.refused += snt::ros::insert(tf, *m, true) < 0;
            mounted = true;
        }
        size_t listeners = 0;
        must(rcl_publisher_get_subscription_count(&command, &listeners), "counting");
        if (mounted && listeners && !told) {
            std::this_thread::sleep_for(500ms); // the other topics connect
            std_msgs::msg::Header drive;
            drive.frame_id = "drive";
            must(rcl_publish(&command, &drive, nullptr), "telling the robot");
            told = true;
        }
        while (const cloud_ptr m = clouds.take()) {
            out.received++;
            if (layout.status != SNT_OK)
                layout = snt::ros::detect_layout(std::vector<cloud_ptr>{m});
            snt_status status;
            const snt_sample sample = snt::ros::sample(*m, layout.layout, {}, &status);
            out.sweeps += status == SNT_OK && sample.t1_ns - sample.t0_ns == sweep;
            out.waited += filter.add(sample, m->header.frame_id, m) == SNT_PENDING;
        }
        while (const tf_ptr m = moving.take())
            out.refused += snt::ros::insert(tf, *m) < 0;
        out.released +=
            static_cast<int>(filter.drain([&](auto &one) { deskew(plan, path, layout.layout, one, out); }));
        for (const auto &drop : filter.drops()) {
            out.dropped++;
            std::printf("# %s\n", drop.text.c_str());
        }
        if (settled == end && out.received >= scans)
            settled = std::chrono::steady_clock::now() + 1s;
        std::this_thread::sleep_for(1ms);
    }
    snt_tf_path_destroy(path);
    snt_deskew_destroy(plan);
    must(rcl_publisher_fini(&command, node), "closing a publisher");
    return out;
}
} // namespace

int main(int argc, char **argv)
{
    rcl_init_options_t options = rcl_get_zero_initialized_init_options();
    must(rcl_init_options_init(&options, rcl_get_default_allocator()), "options");
    rcl_context_t context = rcl_get_zero_initialized_context();
    must(rcl_init(argc, argv, &options, &context), "rcl");
    rcl_node_t node = rcl_get_zero_initialized_node();
    const rcl_node_options_t node_options = rcl_node_get_default_options();
    must(rcl_node_init(&node, "cpp_listener", "", &context, &node_options), "node");
    const outcome out = listen(&node);
    must(rcl_node_fini(&node), "closing the node");
    must(rcl_shutdown(&context), "shutting down");
    must(rcl_context_fini(&context), "closing");
    must(rcl_init_options_fini(&options), "closing");

    // the clouds are best effort: some may be lost on a busy machine
    ok(out.received > scans / 2 && out.received <= scans, std::to_string(out.received) + " clouds came");
    ok(out.refused == 0, "every transform is taken");
    ok(out.sweeps == out.received, "each is a sweep of 98.835 ms");
    ok(out.waited > out.received / 2, std::to_string(out.waited) + " came before their transforms");
    ok(out.released == out.received && out.dropped == 0, "all are released");
    ok(out.deskewed == out.released, "and deskewed");
    char text[96];
    std::snprintf(text, sizeof text, "to %.2f mm of what they hit, from %.0f mm", out.after * 1e3,
                  out.before * 1e3);
    ok(out.after < 0.001 && out.before > 0.5, text);
    std::printf("1..%d\n", number);
    return failures != 0;
}
