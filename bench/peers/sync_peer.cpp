// SPDX-License-Identifier: BSD-3-Clause
// The peer's side of bench_sync.
#include "sync_peer.h"

#include <memory>
#include <vector>

#include <message_filters/sync_policies/approximate_time.h>
#include <message_filters/sync_policies/exact_time.h>
#include <message_filters/synchronizer.h>

namespace
{
struct Msg {
    ros::Time stamp;
};
} // namespace

namespace ros
{
namespace message_traits
{
template <> struct TimeStamp<Msg> {
    static ros::Time value(const Msg &m)
    {
        return m.stamp;
    }
};
} // namespace message_traits
} // namespace ros

// Messages are made ahead: what is timed is handing one over, as message_filters' own tests do it.
struct sync_peer {
    using Pointer = boost::shared_ptr<Msg const>;
    enum { POOL = 8192 };
    std::vector<boost::shared_ptr<Msg>> messages;
    size_t next = 0;
    uint64_t sets = 0;

    sync_peer()
    {
        ros::Time::init();
        for (int i = 0; i < POOL; i++)
            messages.push_back(boost::make_shared<Msg>());
    }
    virtual ~sync_peer() = default;
    virtual void add(uint32_t input, const Pointer &message) = 0;
};

namespace
{
template <class Policy> struct Two : sync_peer {
    message_filters::Synchronizer<Policy> sync;
    explicit Two(uint32_t queue) : sync(Policy(queue))
    {
        sync.registerCallback(&Two::set, this);
    }
    void set(const boost::shared_ptr<Msg const> &, const boost::shared_ptr<Msg const> &)
    {
        sets++;
    }
    void add(uint32_t input, const Pointer &message) override
    {
        if (input)
            sync.template add<1>(message);
        else
            sync.template add<0>(message);
    }
};

template <class Policy> struct Four : sync_peer {
    message_filters::Synchronizer<Policy> sync;
    explicit Four(uint32_t queue) : sync(Policy(queue))
    {
        sync.registerCallback(&Four::set, this);
    }
    void set(const boost::shared_ptr<Msg const> &, const boost::shared_ptr<Msg const> &,
             const boost::shared_ptr<Msg const> &, const boost::shared_ptr<Msg const> &)
    {
        sets++;
    }
    void add(uint32_t input, const Pointer &message) override
    {
        switch (input) {
        case 0:
            sync.template add<0>(message);
            break;
        case 1:
            sync.template add<1>(message);
            break;
        case 2:
            sync.template add<2>(message);
            break;
        default:
            sync.template add<3>(message);
        }
    }
};
} // namespace

extern "C" sync_peer *sync_peer_create(uint32_t exact, uint32_t inputs, uint32_t queue)
{
    using namespace message_filters::sync_policies;
    if (inputs == 2 && exact)
        return new Two<ExactTime<Msg, Msg>>(queue);
    if (inputs == 2)
        return new Two<ApproximateTime<Msg, Msg>>(queue);
    if (inputs == 4 && !exact)
        return new Four<ApproximateTime<Msg, Msg, Msg, Msg>>(queue);
    return nullptr;
}

extern "C" void sync_peer_add(sync_peer *peer, uint32_t input, int64_t t_ns)
{
    const size_t i = peer->next++ % sync_peer::POOL;
    peer->messages[i]->stamp.fromNSec(static_cast<uint64_t>(t_ns) + 1000000000u);
    peer->add(input, peer->messages[i]);
}

extern "C" uint64_t sync_peer_sets(const sync_peer *peer)
{
    return peer ? peer->sets : 0;
}

extern "C" void sync_peer_destroy(sync_peer *peer)
{
    delete peer;
}
