/* SPDX-License-Identifier: BSD-3-Clause */
#include "../base/internal.h"

#include "sensortime/message_view.h"

/* Package and type; the types of one package are separated by spaces. */
typedef struct kind_row {
    const char *package;
    const char *types;
    uint32_t kind;
} kind_row;

static const kind_row kind_rows[] = {
    {"sensor_msgs", "PointCloud2", SNT_MESSAGE_POINTCLOUD2},
    {"sensor_msgs", "LaserScan", SNT_MESSAGE_LASERSCAN},
    {"sensor_msgs", "Imu", SNT_MESSAGE_IMU},
    {"tf2_msgs", "TFMessage", SNT_MESSAGE_TF},
    {"tf", "tfMessage", SNT_MESSAGE_TF},
    {"livox_ros_driver", "CustomMsg", SNT_MESSAGE_LIVOX},
    {"livox_ros_driver2", "CustomMsg", SNT_MESSAGE_LIVOX},
    {"nav_msgs", "Odometry", SNT_MESSAGE_ODOMETRY},
    {"rosgraph_msgs", "Clock", SNT_MESSAGE_CLOCK},
    /* Types that begin with a std_msgs/Header. */
    {"sensor_msgs",
     "BatteryState CameraInfo CompressedImage FluidPressure Illuminance Image JointState Joy MagneticField "
     "MultiDOFJointState MultiEchoLaserScan NavSatFix PointCloud Range RelativeHumidity Temperature "
     "TimeReference",
     SNT_MESSAGE_HEADERED},
    {"geometry_msgs",
     "AccelStamped AccelWithCovarianceStamped InertiaStamped PointStamped PolygonInstanceStamped "
     "PolygonStamped "
     "PoseArray PoseStamped PoseWithCovarianceStamped QuaternionStamped TransformStamped TwistStamped "
     "TwistWithCovarianceStamped Vector3Stamped VelocityStamped WrenchStamped",
     SNT_MESSAGE_HEADERED},
    {"nav_msgs", "GridCells OccupancyGrid Path", SNT_MESSAGE_HEADERED},
    {"std_msgs", "Header", SNT_MESSAGE_HEADERED},
    {"rosgraph_msgs", "Log",
     SNT_MESSAGE_HEADERED}, /* of ROS 1; ROS 2 has rcl_interfaces/Log without header */
    {"stereo_msgs", "DisparityImage", SNT_MESSAGE_HEADERED},
    {"diagnostic_msgs", "DiagnosticArray", SNT_MESSAGE_HEADERED},
    {"visualization_msgs", "ImageMarker Marker", SNT_MESSAGE_HEADERED},
    {"trajectory_msgs", "JointTrajectory MultiDOFJointTrajectory", SNT_MESSAGE_HEADERED},
    {"vision_msgs",
     "BoundingBox2DArray BoundingBox3DArray Classification Detection2D Detection2DArray Detection3D "
     "Detection3DArray "
     "LabelInfo VisionInfo",
     SNT_MESSAGE_HEADERED},
    {"velodyne_msgs", "VelodyneScan", SNT_MESSAGE_HEADERED},
    {"pandar_msgs", "PandarScan", SNT_MESSAGE_HEADERED},
    {"robosense_msgs", "RobosenseScan", SNT_MESSAGE_HEADERED},
    {"nebula_msgs", "NebulaPackets", SNT_MESSAGE_HEADERED},
    {"nmea_msgs", "Gpgga Gpgsa Gpgst Gpgsv Gprmc Sentence", SNT_MESSAGE_HEADERED},
    {"gps_common", "GPSFix GPSStatus", SNT_MESSAGE_HEADERED},
    {"gps_msgs", "GPSFix GPSStatus", SNT_MESSAGE_HEADERED},
    {"radar_msgs", "RadarScan RadarTracks", SNT_MESSAGE_HEADERED},
    {"grid_map_msgs", "GridMap", SNT_MESSAGE_HEADERED},
};

/* Take `word` off the front of the name. */
static bool kind_skip(const char **name, uint64_t *size, const char *word)
{
    const size_t length = strlen(word);
    if (*size < length || memcmp(*name, word, length) != 0)
        return false;
    *name += length;
    *size -= length;
    return true;
}

/* "package/", "package/msg/" or "package::msg::dds_::" */
static bool kind_skip_package(const char **name, uint64_t *size, const char *package, bool *dds)
{
    if (!kind_skip(name, size, package))
        return false;
    *dds = kind_skip(name, size, "::msg::dds_::");
    if (*dds)
        return true;
    if (!kind_skip(name, size, "/"))
        return false;
    kind_skip(name, size, "msg/");
    return true;
}

static bool kind_has_type(const char *types, const char *name, uint64_t size)
{
    for (const char *word = types; *word;) {
        const char *end = strchr(word, ' ');
        const size_t length = end ? (size_t)(end - word) : strlen(word);
        if (length == size && memcmp(word, name, length) == 0)
            return true;
        word += length + (end ? 1 : 0);
    }
    return false;
}

uint32_t snt_message_kind(const char *type_name, uint64_t size)
{
    if (!type_name)
        return SNT_MESSAGE_UNKNOWN;
    for (size_t i = 0; i < SNT_COUNT_OF(kind_rows); i++) {
        const char *name = type_name;
        uint64_t left = size;
        bool dds;
        if (!kind_skip_package(&name, &left, kind_rows[i].package, &dds))
            continue;
        if (dds) {
            if (!left || name[left - 1] != '_')
                continue;
            left--;
        }
        if (kind_has_type(kind_rows[i].types, name, left))
            return kind_rows[i].kind;
    }
    return SNT_MESSAGE_UNKNOWN;
}
