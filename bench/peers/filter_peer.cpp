// SPDX-License-Identifier: BSD-3-Clause
// What tf2_ros::MessageFilter does with a BufferCore for each message: one request, a callback, one lookup.
#include "filter_peer.h"

#include <unordered_map>

#include <boost/bind/bind.hpp>
#include <geometry_msgs/TransformStamped.h>
#include <tf2/buffer_core.h>

struct filter_peer {
    tf2::BufferCore buffer{ros::Duration(10)};
    tf2::TransformableCallbackHandle callback;
    std::unordered_map<tf2::TransformableRequestHandle, ros::Time> waiting;
    uint64_t released = 0;

    filter_peer()
    {
        callback = buffer.addTransformableCallback(
            boost::bind(&filter_peer::ready, this, boost::placeholders::_1, boost::placeholders::_2,
                        boost::placeholders::_3, boost::placeholders::_4, boost::placeholders::_5));
    }

    void ready(tf2::TransformableRequestHandle request, const std::string &, const std::string &, ros::Time,
               tf2::TransformableResult result)
    {
        const auto found = waiting.find(request);
        if (found == waiting.end())
            return;
        if (result == tf2::TransformAvailable) {
            buffer.lookupTransform("odom", "base", found->second);
            released++;
        }
        waiting.erase(found);
    }
};

extern "C" filter_peer *filter_peer_create(void)
{
    return new filter_peer;
}

extern "C" void filter_peer_insert(filter_peer *peer, int64_t t_ns)
{
    geometry_msgs::TransformStamped transform;
    transform.header.stamp.fromNSec(static_cast<uint64_t>(t_ns));
    transform.header.frame_id = "odom";
    transform.child_frame_id = "base";
    transform.transform.rotation.w = 1;
    transform.transform.translation.x = 1;
    peer->buffer.setTransform(transform, "bench");
}

extern "C" void filter_peer_add(filter_peer *peer, int64_t t_ns)
{
    ros::Time stamp;
    stamp.fromNSec(static_cast<uint64_t>(t_ns));
    const auto request = peer->buffer.addTransformableRequest(peer->callback, "odom", "base", stamp);
    if (request == 0) { /* at once */
        peer->buffer.lookupTransform("odom", "base", stamp);
        peer->released++;
    } else if (request != 0xffffffffffffffffULL)
        peer->waiting[request] = stamp;
}

extern "C" uint64_t filter_peer_released(const filter_peer *peer)
{
    return peer->released;
}

extern "C" void filter_peer_destroy(filter_peer *peer)
{
    delete peer;
}
