/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file sensortime_ros.hpp
 * ROS messages in and out, for ROS 1 and ROS 2 alike.
 *
 * Nothing of ROS is included: the functions are templates over whatever has the members of the message, so that the same
 * code takes `sensor_msgs::PointCloud2` and `sensor_msgs::msg::PointCloud2`. What tells the two apart is the name of one
 * member, `nsec` or `nanosec`. No function copies points; none throws, except for the growth of a vector or string.
 *
 *     clouds.add(snt::ros::sample(*m, layout), m->header.frame_id, m);     a PointCloud2's sweep
 *     snt::ros::insert(tf, *m);                                            a TFMessage or TransformStamped
 *     snt::ros::insert(imu, *m);                                           an Imu
 */
#ifndef SENSORTIME_ROS_HPP
#define SENSORTIME_ROS_HPP

#include "sensortime.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace snt
{
/** ROS 1 and ROS 2 messages in and out; templates over the members a message has. */
namespace ros
{

namespace detail
{

#define SNT_ROS_HAS(name, expression)                                                                        \
    template <class M, class = void> struct name : std::false_type {                                         \
    };                                                                                                       \
    template <class M>                                                                                       \
    struct name<M, std::void_t<decltype(std::declval<const M &>().expression)>> : std::true_type {           \
    }
SNT_ROS_HAS(has_nanosec, nanosec);                // builtin_interfaces/Time
SNT_ROS_HAS(has_nsec, nsec);                      // ros::Time, rmw_time_t
SNT_ROS_HAS(has_stamp, stamp);                    // std_msgs/Header
SNT_ROS_HAS(has_header, header.stamp);            // every stamped message
SNT_ROS_HAS(has_sequence, header.seq);            // ROS 1 alone
SNT_ROS_HAS(has_transforms, transforms);          // tf2_msgs/TFMessage
SNT_ROS_HAS(has_rotation, rotation.w);            // geometry_msgs/Transform
SNT_ROS_HAS(has_orientation, position.x);         // geometry_msgs/Pose
SNT_ROS_HAS(is_cloud, point_step);                // sensor_msgs/PointCloud2
SNT_ROS_HAS(is_laser, time_increment);            // sensor_msgs/LaserScan
SNT_ROS_HAS(is_imu, angular_velocity_covariance); // sensor_msgs/Imu
#undef SNT_ROS_HAS

template <class T> inline constexpr bool unsupported = false;

inline snt_text text(const std::string &from)
{
    return {from.data(), static_cast<uint64_t>(from.size())};
}

/** A message, or what points to one: the elements of a list of clouds may be either. */
template <class M> const auto &message(const M &one)
{
    if constexpr (is_cloud<M>::value)
        return one;
    else
        return *one;
}

} // namespace detail

/* ---- stamps ---- */

/**
 * The stamp [ns] of a time, a header or a stamped message. Nanoseconds of a second and more, a rounding fault of some
 * drivers, are carried into the seconds, as the views of serialized messages do; is_normal() tells.
 */
template <class M> snt_time stamp(const M &from)
{
    if constexpr (detail::has_header<M>::value) {
        return stamp(from.header.stamp);
    } else if constexpr (detail::has_stamp<M>::value) {
        return stamp(from.stamp);
    } else {
        snt_time out = 0; // a second of 32 bits cannot overflow
        if constexpr (detail::has_nanosec<M>::value)
            snt_time_from_parts(static_cast<int64_t>(from.sec), static_cast<int64_t>(from.nanosec), &out);
        else if constexpr (detail::has_nsec<M>::value)
            snt_time_from_parts(static_cast<int64_t>(from.sec), static_cast<int64_t>(from.nsec), &out);
        else
            static_assert(detail::unsupported<M>, "neither a time, nor a header, nor a stamped message");
        return out;
    }
}

/** Whether the stamp is written as it should be: less than a second of nanoseconds. */
template <class M> bool is_normal(const M &from)
{
    if constexpr (detail::has_header<M>::value)
        return is_normal(from.header.stamp);
    else if constexpr (detail::has_stamp<M>::value)
        return is_normal(from.stamp);
    else if constexpr (detail::has_nanosec<M>::value)
        return from.nanosec < 1000000000u;
    else
        return from.nsec < 1000000000u;
}

/**
 * Write a time into a message's time. SNT_ERR_RANGE where it cannot hold it (before 1970 in ROS 1, after 2038 in ROS 2):
 * then it is untouched.
 */
template <class Time> snt_status set_stamp(Time &into, snt_time t)
{
    uint32_t fraction = 0;
    snt_status status;
    if constexpr (detail::has_nanosec<Time>::value) {
        int32_t seconds = 0;
        status = snt_time_to_ros2(t, &seconds, &fraction);
        if (status == SNT_OK) {
            into.sec = seconds;
            into.nanosec = fraction;
        }
    } else {
        uint32_t seconds = 0;
        status = snt_time_to_ros1(t, &seconds, &fraction);
        if (status == SNT_OK) {
            into.sec = seconds;
            into.nsec = fraction;
        }
    }
    return status;
}

/* ---- clouds ---- */

/** The descriptions of a PointCloud2's fields. Their names lie in the message. */
template <class PointCloud2> void fields(const PointCloud2 &message, std::vector<snt_point_field> &out)
{
    out.clear();
    out.reserve(message.fields.size());
    for (const auto &field : message.fields)
        out.push_back({detail::text(field.name), field.offset, field.datatype, field.count, 0});
}

/** As above, in a new vector. */
template <class PointCloud2> std::vector<snt_point_field> fields(const PointCloud2 &message)
{
    std::vector<snt_point_field> out;
    fields(message, out);
    return out;
}

/**
 * View a PointCloud2 where it is, with all sizes and offsets checked (::snt_pointcloud2_view_init). The view holds as long
 * as the message is neither changed nor freed.
 */
template <class PointCloud2>
snt_status view(const PointCloud2 &message, snt_pointcloud2_view *out, snt_message_error *error = nullptr)
{
    const std::vector<snt_point_field> described = fields(message);
    snt_pointcloud2_view made;
    const snt_status status = snt_pointcloud2_view_init(
        described.data(), static_cast<uint32_t>(described.size()), message.data.data(), message.data.size(),
        message.width, message.height, message.point_step, message.row_step, stamp(message),
        message.is_bigendian ? 1u : 0u, &made, error);
    if (status == SNT_OK) {
        made.header.frame_id = detail::text(message.header.frame_id);
        if constexpr (detail::has_sequence<PointCloud2>::value) {
            made.header.sequence = message.header.seq;
            made.header.flags |= SNT_HEADER_HAS_SEQUENCE;
        }
        if (!is_normal(message))
            made.header.flags |= SNT_HEADER_NSEC_OVERFLOW;
        if (message.is_dense)
            made.flags |= SNT_POINTCLOUD2_DENSE;
        *out = made;
    }
    return status;
}

/** What the fields of a lidar's clouds mean, how sure that is, and why. */
struct detected {
    snt_status status = SNT_ERR_INVALID_ARG; ///< of ::snt_point_layout_detect
    snt_point_layout layout{};               ///< without time unless status is SNT_OK
    snt_layout_report report{};              ///< the evidence

    std::string text() const
    {
        char buffer[4096];
        return snt_point_layout_format(&layout, &report, buffer, sizeof buffer) == SNT_OK ? buffer : "";
    }
};

/**
 * Find out what the fields mean from a list of consecutive clouds of one lidar (a dozen is plenty), given as messages or
 * as pointers to them. A cloud that contradicts itself is refused: `status` says how.
 */
template <class Clouds>
detected detect_layout(const Clouds &clouds, const snt_layout_options *options = nullptr)
{
    detected out;
    std::vector<snt_pointcloud2_view> views;
    std::vector<snt_point_field> described;
    for (const auto &one : clouds) {
        const auto &message = detail::message(one);
        if (views.empty())
            fields(message, described);
        views.emplace_back();
        out.status = view(message, &views.back());
        if (out.status < 0)
            return out;
    }
    if (!views.empty())
        out.status =
            snt_point_layout_detect(described.data(), static_cast<uint32_t>(described.size()), views.data(),
                                    static_cast<uint32_t>(views.size()), options, &out.layout, &out.report);
    return out;
}

/**
 * The points of a PointCloud2 as a cloud: no byte is copied. A cloud of a const message may be read, not written:
 * deskew into another. SNT_ERR_UNSUPPORTED where rows are padded (::snt_cloud_from_pointcloud2_row takes them singly).
 */
template <class PointCloud2>
snt_status cloud(const PointCloud2 &message, const snt_point_layout &layout, snt_cloud *out)
{
    snt_pointcloud2_view seen;
    const snt_status status = view(message, &seen);
    return status == SNT_OK ? snt_cloud_from_pointcloud2(&seen, &layout, out) : status;
}

/* ---- samples ---- */

/** What a message does not say about itself. */
struct origin {
    uint32_t domain = SNT_DOMAIN_UNIX;                ///< clock of the header stamp
    uint32_t source = 0;                              ///< the caller's id of the sensor
    uint32_t session = 0;                             ///< of the source; 0 = none kept
    uint32_t event = SNT_EVENT_UNSPECIFIED;           ///< what the stamp means; unspecified = by the type
    snt_time receive_ns = SNT_UNKNOWN;                ///< when it came
    uint32_t receive_domain = SNT_DOMAIN_UNSPECIFIED; ///< clock of `receive_ns`
    nanoseconds longest{1000000000}; ///< longest plausible sweep; wild times beyond are left out
};

namespace detail
{

template <class M> snt_sample instant(const M &message, const origin &from, uint32_t event)
{
    snt_sample out;
    snt_sample_init(&out, stamp(message), from.domain, 0);
    out.source = from.source;
    out.session = from.session;
    out.event = from.event != SNT_EVENT_UNSPECIFIED ? from.event : event;
    out.receive_ns = from.receive_ns;
    out.receive_domain = from.receive_domain;
    if constexpr (has_sequence<M>::value)
        out.sequence = message.header.seq;
    return out;
}

inline uint32_t event_of_role(uint32_t role)
{
    switch (role) {
    case SNT_HEADER_ROLE_START:
        return SNT_EVENT_SWEEP_START;
    case SNT_HEADER_ROLE_MIDDLE:
        return SNT_EVENT_SWEEP_MID;
    case SNT_HEADER_ROLE_END:
        return SNT_EVENT_SWEEP_END;
    case SNT_HEADER_ROLE_RECEIVE:
        return SNT_EVENT_RECEIVE;
    default:
        return SNT_EVENT_UNSPECIFIED;
    }
}

/** First and last point of all rows, padded or not. */
inline snt_status span_of(const snt_pointcloud2_view &seen, const snt_point_layout &layout,
                          snt_duration longest, snt_deskew_scan *scan)
{
    snt_cloud points;
    snt_deskew_scan_init(scan, sizeof *scan);
    snt_status status = snt_cloud_from_pointcloud2(&seen, &layout, &points);
    if (status != SNT_ERR_UNSUPPORTED)
        return status < 0 ? status : snt_deskew_scan_from_cloud(&points, nullptr, longest, scan, nullptr);
    snt_status found = SNT_ERR_NO_TIME;
    for (uint32_t row = 0; row < seen.height; row++) {
        snt_deskew_scan one;
        snt_deskew_scan_init(&one, sizeof one);
        status = snt_cloud_from_pointcloud2_row(&seen, &layout, row, &points);
        if (status == SNT_OK)
            status = snt_deskew_scan_from_cloud(&points, nullptr, longest, &one, nullptr);
        if (status == SNT_ERR_NO_TIME)
            continue; // a row without a valid point
        if (status < 0)
            return status;
        scan->begin_ns = found < 0 || one.begin_ns < scan->begin_ns ? one.begin_ns : scan->begin_ns;
        scan->end_ns = found < 0 || one.end_ns > scan->end_ns ? one.end_ns : scan->end_ns;
        scan->domain = one.domain;
        found = SNT_OK;
    }
    return found;
}

} // namespace detail

/**
 * A message as a sample, by its header alone: an Imu is an instant; a LaserScan sweeps from its header to its last ray; of
 * anything else the header says what `from.event` says. In ROS 1 the header's `seq` becomes the sequence.
 */
template <class M> snt_sample sample(const M &message, const origin &from = {})
{
    static_assert(detail::has_header<M>::value, "a message without a header has no stamp");
    if constexpr (detail::is_laser<M>::value) {
        const size_t rays = message.ranges.size();
        snt_duration step = 0, error = 0;
        snt_sample out = detail::instant(message, from, SNT_EVENT_SWEEP_START);
        const double length =
            static_cast<double>(message.time_increment) * static_cast<double>(rays ? rays - 1 : 0);
        if (std::abs(length) > 0 && snt_time_from_seconds(length, &step, &error) == SNT_OK) {
            // A laser that turns the other way counts time downwards.
            const snt_time end = snt_time_add_sat(out.t0_ns, step);
            (step < 0 ? out.t0_ns : out.t1_ns) = end;
            out.event = SNT_EVENT_SWEEP;
        }
        return out;
    } else if constexpr (detail::is_imu<M>::value) {
        return detail::instant(message, from, SNT_EVENT_INSTANT);
    } else {
        return detail::instant(message, from, SNT_EVENT_UNSPECIFIED);
    }
}

/**
 * A PointCloud2 as the sweep from its first to its last point. Where its times cannot be had, `status` says why and the
 * sample is that of the header, with the event that the layout says the header means. Linear in the points.
 */
template <class PointCloud2>
snt_sample sample(const PointCloud2 &message, const snt_point_layout &layout, const origin &from = {},
                  snt_status *status = nullptr)
{
    snt_sample out = detail::instant(message, from, detail::event_of_role(layout.header_role));
    snt_pointcloud2_view seen;
    snt_deskew_scan scan;
    snt_status found = view(message, &seen);
    if (found == SNT_OK)
        found = detail::span_of(seen, layout, from.longest.count(), &scan);
    if (found == SNT_OK) {
        out.t0_ns = scan.begin_ns;
        out.t1_ns = scan.end_ns;
        out.event = SNT_EVENT_SWEEP;
        if (scan.domain != SNT_DOMAIN_UNSPECIFIED)
            out.domain = scan.domain;
    }
    if (status)
        *status = found;
    return out;
}

/* ---- lasers and IMUs ---- */

/** View a LaserScan where it is, for ::snt_cloud_from_laserscan and ::snt_laserscan_project. */
template <class LaserScan> snt_laserscan_view laser(const LaserScan &message)
{
    snt_laserscan_view out{};
    out.header.stamp_ns = stamp(message);
    out.header.frame_id = detail::text(message.header.frame_id);
    out.count = message.ranges.size();
    out.intensity_count = message.intensities.size();
    // Fields are written only by calls that say so, and these are inputs.
    out.ranges = {sizeof(float), const_cast<float *>(message.ranges.data()), SNT_TYPE_F32, 0};
    out.intensities = {sizeof(float), const_cast<float *>(message.intensities.data()), SNT_TYPE_F32, 0};
    out.angle_min = message.angle_min;
    out.angle_max = message.angle_max;
    out.angle_increment = message.angle_increment;
    out.time_increment = message.time_increment;
    out.scan_time = message.scan_time;
    out.range_min = message.range_min;
    out.range_max = message.range_max;
    return out;
}

/** An Imu's numbers. Without SNT_IMU_HAS_ACCELERATION where the message says that it has none (covariance[0] = −1). */
template <class Imu> snt_imu_sample imu_sample(const Imu &message)
{
    const auto &w = message.angular_velocity;
    const auto &a = message.linear_acceleration;
    const bool accelerations = !(message.linear_acceleration_covariance[0] < 0);
    snt_imu_sample out{};
    out.stamp_ns = stamp(message);
    out.rate[0] = w.x, out.rate[1] = w.y, out.rate[2] = w.z;
    if (accelerations) {
        out.acceleration[0] = a.x, out.acceleration[1] = a.y, out.acceleration[2] = a.z;
        out.flags = SNT_IMU_HAS_ACCELERATION;
    }
    return out;
}

/** Add an Imu to a buffer. SNT_ERR_NOT_FOUND where the message says that it carries no angular rates. */
template <class Imu> snt_status insert(snt_imu_buffer *buffer, const Imu &message)
{
    if (message.angular_velocity_covariance[0] < 0)
        return SNT_ERR_NOT_FOUND;
    const snt_imu_sample one = imu_sample(message);
    return snt_imu_buffer_insert(buffer, &one);
}

/* ---- poses and transforms ---- */

/** A geometry_msgs Transform or Pose as it is written: neither normalised nor checked. */
template <class Pose> snt_pose pose(const Pose &from)
{
    if constexpr (detail::has_rotation<Pose>::value) {
        const auto &q = from.rotation;
        const auto &t = from.translation;
        return {{q.x, q.y, q.z, q.w}, {t.x, t.y, t.z}};
    } else {
        static_assert(detail::has_orientation<Pose>::value, "neither a Transform nor a Pose");
        const auto &q = from.orientation;
        const auto &t = from.position;
        return {{q.x, q.y, q.z, q.w}, {t.x, t.y, t.z}};
    }
}

/** Write a pose into a geometry_msgs Transform or Pose. */
template <class Pose> void set_pose(Pose &into, const snt_pose &from)
{
    const auto write = [&from](auto &q, auto &t) {
        q.x = from.q[0], q.y = from.q[1], q.z = from.q[2], q.w = from.q[3];
        t.x = from.t[0], t.y = from.t[1], t.z = from.t[2];
    };
    if constexpr (detail::has_rotation<Pose>::value)
        write(into.rotation, into.translation);
    else
        write(into.orientation, into.position);
}

/** What a transform does not say about itself. */
struct tf_origin {
    uint32_t authority = 0;                   ///< publisher, from ::snt_tf_buffer_authority; 0 = unnamed
    uint32_t domain = SNT_DOMAIN_UNSPECIFIED; ///< clock of the stamps
    uint32_t session = 0;                     ///< of the source; 0 = none kept
    snt_time now = SNT_UNKNOWN;               ///< that clock when it arrived [ns]
};

/**
 * Add a TransformStamped, or each of a TFMessage's: those of `/tf_static` with `is_static`. The result is that of the
 * first that was refused; the others are added all the same, and `inserted` counts them.
 */
template <class M>
snt_status insert(snt_tf_buffer *buffer, const M &message, bool is_static = false, const tf_origin &from = {},
                  uint32_t *inserted = nullptr)
{
    if (inserted)
        *inserted = 0;
    if constexpr (detail::has_transforms<M>::value) {
        snt_status first = SNT_OK;
        for (const auto &one : message.transforms) {
            uint32_t count = 0;
            const snt_status status = insert(buffer, one, is_static, from, &count);
            if (inserted)
                *inserted += count;
            if (first == SNT_OK)
                first = status;
        }
        return first;
    } else {
        snt_tf_transform one;
        snt_tf_transform_init(&one, 0, 0, stamp(message));
        one.pose = pose(message.transform);
        one.authority = from.authority;
        one.domain = from.domain;
        one.session = from.session;
        one.now = from.now;
        const char *parent = message.header.frame_id.c_str(), *child = message.child_frame_id.c_str();
        snt_status status;
        if (is_static) {
            status = snt_tf_buffer_frame(buffer, parent, &one.parent);
            if (status == SNT_OK)
                status = snt_tf_buffer_frame(buffer, child, &one.child);
            if (status == SNT_OK)
                status = snt_tf_buffer_insert_static(buffer, &one, nullptr);
        } else {
            status = snt_tf_buffer_insert_named(buffer, parent, child, &one, nullptr);
        }
        if (inserted && status >= 0)
            *inserted = 1;
        return status;
    }
}

/** As above for the C++ buffer, whose message filters hear of it. */
template <class M>
snt_status insert(tf_buffer &buffer, const M &message, bool is_static = false, const tf_origin &from = {},
                  uint32_t *inserted = nullptr)
{
    return insert(buffer.get(), message, is_static, from, inserted);
}

/**
 * Write the answer of a lookup into a TransformStamped. SNT_ERR_RANGE where the message cannot hold its stamp: then the
 * message is untouched.
 */
template <class TransformStamped>
snt_status to_message(const snt_tf_result &result, const std::string &target, const std::string &source,
                      TransformStamped &out)
{
    const snt_status status = set_stamp(out.header.stamp, result.stamp);
    if (status < 0)
        return status;
    out.header.frame_id = target;
    out.child_frame_id = source;
    set_pose(out.transform, result.pose);
    return SNT_OK;
}

/* ---- quality of service (ROS 2) ---- */

/** An rmw_qos_profile_t (rclcpp: `qos.get_rmw_qos_profile()`) for ::snt_qos_check; its numbers are the same. */
template <class RmwProfile> snt_qos_profile qos(const RmwProfile &from)
{
    const auto ns = [](const auto &time) {
        const uint64_t longest = static_cast<uint64_t>(INT64_MAX / SNT_NS_PER_S);
        snt_time out = SNT_QOS_INFINITE; // what does not fit is infinite
        if (static_cast<uint64_t>(time.sec) <= longest &&
            snt_time_from_parts(static_cast<int64_t>(time.sec), static_cast<int64_t>(time.nsec), &out) < 0)
            out = SNT_QOS_INFINITE;
        return out;
    };
    snt_qos_profile out{};
    out.history = static_cast<uint32_t>(from.history);
    out.depth = static_cast<uint32_t>(from.depth);
    out.reliability = static_cast<uint32_t>(from.reliability);
    out.durability = static_cast<uint32_t>(from.durability);
    out.liveliness = static_cast<uint32_t>(from.liveliness);
    out.deadline_ns = ns(from.deadline);
    out.lifespan_ns = ns(from.lifespan);
    out.lease_ns = ns(from.liveliness_lease_duration);
    return out;
}

} // namespace ros
} // namespace snt

#endif /* SENSORTIME_ROS_HPP */
