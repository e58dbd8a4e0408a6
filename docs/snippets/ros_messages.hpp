// SPDX-License-Identifier: BSD-3-Clause
// Messages with the members of ROS 2's, for programs that are compiled where ROS is not installed. The real messages are
// tested by tests/ros1 and tests/ros2.
#ifndef ROS_MESSAGES_HPP
#define ROS_MESSAGES_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct Time {
    int32_t sec = 0;
    uint32_t nanosec = 0;
};
struct Header {
    Time stamp;
    std::string frame_id;
};
struct PointField {
    std::string name;
    uint32_t offset = 0;
    uint8_t datatype = 0;
    uint32_t count = 1;
};
struct PointCloud2 {
    using ConstSharedPtr = std::shared_ptr<const PointCloud2>;
    Header header;
    uint32_t height = 1, width = 0;
    std::vector<PointField> fields;
    bool is_bigendian = false;
    uint32_t point_step = 0, row_step = 0;
    std::vector<uint8_t> data;
    bool is_dense = true;
};
struct Image {
    using ConstSharedPtr = std::shared_ptr<const Image>;
    Header header;
};
struct Vector3 {
    double x = 0, y = 0, z = 0;
};
struct Quaternion {
    double x = 0, y = 0, z = 0, w = 1;
};
struct Transform {
    Vector3 translation;
    Quaternion rotation;
};
struct TransformStamped {
    Header header;
    std::string child_frame_id;
    Transform transform;
};
struct TFMessage {
    using ConstSharedPtr = std::shared_ptr<const TFMessage>;
    std::vector<TransformStamped> transforms;
};

#endif
