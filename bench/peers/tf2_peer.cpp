/* SPDX-License-Identifier: BSD-3-Clause */
#include "tf2_peer.h"

#include <malloc.h>

#include <string>
#include <vector>

#include <tf2/buffer_core.h>
#include <tf2/exceptions.h>

struct tf2_peer {
    tf2::BufferCore core;
    std::vector<std::string> names;
    std::vector<geometry_msgs::TransformStamped> messages; /* one per child, names filled in once */
    explicit tf2_peer(double cache) : core(ros::Duration(cache)), messages(256)
    {
        for (int i = 0; i < 256; i++)
            names.push_back("f" + std::to_string(i));
    }
};

static ros::Time ros_time(int64_t ns)
{
    return ros::Time(static_cast<uint32_t>(ns / 1000000000), static_cast<uint32_t>(ns % 1000000000));
}

tf2_peer *tf2_peer_create(double cache_seconds)
{
    return new tf2_peer(cache_seconds);
}

void tf2_peer_set(tf2_peer *peer, int parent, int child, int64_t stamp_ns, const double *q, const double *t)
{
    tf2_peer_set_kind(peer, parent, child, stamp_ns, q, t, 0);
}

void tf2_peer_set_kind(tf2_peer *peer, int parent, int child, int64_t stamp_ns, const double *q,
                       const double *t, int is_static)
{
    geometry_msgs::TransformStamped &m = peer->messages[static_cast<size_t>(child)];
    if (m.child_frame_id.empty()) {
        m.header.frame_id = peer->names[static_cast<size_t>(parent)];
        m.child_frame_id = peer->names[static_cast<size_t>(child)];
    }
    m.header.stamp = ros_time(stamp_ns);
    m.transform.rotation.x = q[0];
    m.transform.rotation.y = q[1];
    m.transform.rotation.z = q[2];
    m.transform.rotation.w = q[3];
    m.transform.translation.x = t[0];
    m.transform.translation.y = t[1];
    m.transform.translation.z = t[2];
    static const std::string authority = "bench";
    peer->core.setTransform(m, authority, is_static != 0);
}

int tf2_peer_lookup(tf2_peer *peer, int target, int source, int64_t t_ns, double *out)
{
    try {
        const geometry_msgs::TransformStamped m =
            peer->core.lookupTransform(peer->names[static_cast<size_t>(target)],
                                       peer->names[static_cast<size_t>(source)], ros_time(t_ns));
        out[0] = m.transform.translation.x;
        out[1] = m.transform.rotation.w;
        return 1;
    } catch (const tf2::TransformException &) {
        return 0;
    }
}

int tf2_peer_can(tf2_peer *peer, int target, int source, int64_t t_ns)
{
    return peer->core.canTransform(peer->names[static_cast<size_t>(target)],
                                   peer->names[static_cast<size_t>(source)], ros_time(t_ns));
}

uint64_t tf2_peer_heap_bytes(void)
{
    return mallinfo2().uordblks;
}

void tf2_peer_destroy(tf2_peer *peer)
{
    delete peer;
}
