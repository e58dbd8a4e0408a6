# SPDX-License-Identifier: BSD-3-Clause
"""Which ends connect, and who comes too late: predicted from the profiles, then seen in the middleware."""

import itertools

import pytest
from rclpy.duration import Duration
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.qos import DurabilityPolicy, LivelinessPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from sensor_msgs.msg import PointCloud2
from std_msgs.msg import Header

import sensortime as st
from sensortime import abi


def profile(qos):
    """An rclpy profile as the library's."""
    def ns(duration):
        return duration.nanoseconds

    return st.qos.Profile(
        history=int(qos.history), depth=qos.depth, reliability=int(qos.reliability), durability=int(qos.durability),
        liveliness=int(qos.liveliness), deadline_ns=ns(qos.deadline), lifespan_ns=ns(qos.lifespan),
        lease_ns=ns(qos.liveliness_lease_duration),
    )  # fmt: skip


def actual(node, topic, subscriptions=False):
    """What the middleware says that the ends of a topic are."""
    ask = node.get_subscriptions_info_by_topic if subscriptions else node.get_publishers_info_by_topic
    return [profile(info.qos_profile) for info in ask(topic)]


def cases():
    """Every pair of reliability and durability, then deadlines, liveliness and leases."""
    reliabilities = (ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT)
    durabilities = (DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL)
    for a, b, c, d in itertools.product(reliabilities, durabilities, reliabilities, durabilities):
        yield dict(reliability=a, durability=b), dict(reliability=c, durability=d)
    times = (None, Duration(seconds=5), Duration(seconds=9))
    for a, b in itertools.product(times, times):
        yield ({"deadline": a} if a else {}), ({"deadline": b} if b else {})
    for a, b in itertools.product(times, times):
        yield ({"liveliness_lease_duration": a} if a else {}), ({"liveliness_lease_duration": b} if b else {})
    kinds = (LivelinessPolicy.AUTOMATIC, LivelinessPolicy.MANUAL_BY_TOPIC)
    for a, b in itertools.product(kinds, kinds):
        yield dict(liveliness=a), dict(liveliness=b)


def test_every_prediction_comes_true(listener):
    node, pairs = listener.node, []
    for number, (offered, requested) in enumerate(cases()):
        topic, got, refused = f"/pair_{number}", [], []
        events = SubscriptionEventCallbacks(incompatible_qos=refused.append, use_default_callbacks=False)
        offers = PublisherEventCallbacks(incompatible_qos=refused.append, use_default_callbacks=False)
        offered, requested = QoSProfile(depth=3, **offered), QoSProfile(depth=3, **requested)
        publisher = node.create_publisher(Header, topic, offered, event_callbacks=offers)
        node.create_subscription(Header, topic, got.append, requested, event_callbacks=events)
        pairs.append((topic, offered, requested, publisher, got, refused))
    connected = incompatible = 0
    # a pair is settled once it connected or both ends were told that they do not fit
    listener.until(lambda: all(p[3].get_subscription_count() or len(p[5]) >= 2 for p in pairs), 10)
    for *_, publisher, _got, _refused in pairs:
        publisher.publish(Header(frame_id="x"))
    listener.until(lambda: all(p[4] or p[5] for p in pairs), 5)
    listener.spin(0.3)
    for topic, offered, requested, publisher, got, refused in pairs:
        declared = st.qos.check_profiles(profile(offered), profile(requested))
        reported = st.qos.check_profiles(actual(node, topic)[0], actual(node, topic, subscriptions=True)[0])
        where = f"{topic}: {offered} → {requested}: {reported.reasons}"
        assert not reported.undecided, where
        # a profile may leave the liveliness to the middleware; where it does not, both predictions agree
        assert declared.undecided or declared.compatible == reported.compatible, where
        assert bool(publisher.get_subscription_count()) == reported.compatible, where
        assert bool(got) == reported.compatible, where
        assert bool(refused) != reported.compatible, where
        connected += reported.compatible
        incompatible += not reported.compatible
    assert connected >= 15 and incompatible >= 12


def test_a_default_subscription_gets_nothing_from_a_lidar(listener):
    """The lidar publishes best effort; the robot is another process."""
    silent, heard, refused = [], [], []
    node = listener.node
    events = SubscriptionEventCallbacks(incompatible_qos=refused.append, use_default_callbacks=False)
    node.create_subscription(PointCloud2, "/points", silent.append, QoSProfile(depth=10), event_callbacks=events)
    node.create_subscription(PointCloud2, "/points", heard.append, qos_profile_sensor_data)
    assert listener.until(lambda: refused and node.count_publishers("/points"), 20)
    offered = actual(node, "/points")
    assert len(offered) == 1
    verdict = st.qos.check_profiles(offered[0], profile(QoSProfile(depth=10)))
    assert verdict.has(abi.SNT_QOS_RELIABILITY_MISMATCH) and not verdict.compatible
    assert any("best effort" in reason for reason in verdict.reasons)
    assert refused[0].last_policy_kind.name.endswith("RELIABILITY")
    listener.spin(0.3)
    listener.tell("drive")
    assert listener.until(lambda: len(heard) >= 5, 15)
    assert silent == []


@pytest.mark.parametrize(
    "topic, durability, comes",
    [
        ("/map", DurabilityPolicy.TRANSIENT_LOCAL, True),
        ("/map", DurabilityPolicy.VOLATILE, False),
        ("/map_volatile", DurabilityPolicy.VOLATILE, False),
        ("/map_volatile", DurabilityPolicy.TRANSIENT_LOCAL, False),
    ],
)
def test_a_late_joiner_gets_what_was_predicted(listener, topic, durability, comes):
    """The robot published once on each topic, before this subscription existed."""
    got, node = [], listener.node
    requested = QoSProfile(depth=1, durability=durability)
    node.create_subscription(Header, topic, got.append, requested)
    assert listener.until(lambda: node.count_publishers(topic) == 1, 20)
    verdict = st.qos.check_profiles(actual(node, topic)[0], profile(requested))
    kept = topic == "/map"
    # the library: a volatile subscription to kept samples misses those from before it started
    assert verdict.has(abi.SNT_QOS_LATE_JOINER) == (kept and not comes)
    assert verdict.has(abi.SNT_QOS_DURABILITY_MISMATCH) == (not kept and durability == DurabilityPolicy.TRANSIENT_LOCAL)
    # the middleware
    listener.until(lambda: got, 5 if comes else 1.5)
    assert [m.frame_id for m in got] == (["the only one"] if comes else [])
