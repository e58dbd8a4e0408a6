# SPDX-License-Identifier: BSD-3-Clause
"""docs/python.md: clocks, matching, poses and arrays of one's own."""
import numpy as np

S = 1_000_000_000
UNIX = 1_700_000_000 * S
DEVICE, HOST = 70, 71

# [clock]
import sensortime as st

clock = st.ClockMap(device_domain=DEVICE, host_domain=HOST, warm_observations=1)
clock.observe_cross(100 * S, 5 * S, 100 * S + 2000)  # the host's clock, the device's, the host's again
t = clock.to_host(6 * S)  # a BoundedTime; None while the map warms up
print(f"{t.t} ns, between {t.lo} and {t.hi}")
times, statuses = clock.to_host_many(np.arange(6, 9) * S)  # structured array: t, lo, hi, domain, session, …

try:
    clock.observe_cross(100 * S, 7 * S, 100 * S + 2000)  # a clock that jumped by two seconds
except st.errors.ViolationError as error:
    print(error.gap_ns, "ns that nothing declared explains")  # error.struct is the whole snt_clock_proof
# [clock]

clock = st.ClockMap(device_domain=DEVICE, host_domain=HOST, warm_observations=1)
clock.observe_cross(100 * S, 5 * S, 100 * S + 2000)
# [graph]
graph = st.ClockGraph()  # unix, TAI and GPS are connected from the start
graph.add_map(clock)  # kept alive by the graph
graph.add_offset(HOST, st.timescales.UTC, offset_ns=UNIX, error_ns=500)
exposure = graph.convert(st.BoundedTime(6 * S, domain=DEVICE), st.timescales.TAI)

policy = st.AdmissionPolicy(domain=st.timescales.TAI, max_age_ns=40_000_000)
record = policy.check(st.Sample.between(exposure), now=exposure + 50_000_000)
print(record)  # true where admitted; .reasons, .facts, .to_json(); .demand() raises instead
# [graph]

# [matching]
sync = st.Synchronizer(2, max_separation_ns=20_000_000)
sync.add_many([0, 1, 0, 1], UNIX + np.array([0, 5, 100, 104]) * 1_000_000, ["image 1", "cloud 1", "image 2", "cloud 2"])
for found in sync.sets():
    print(found.members, found.separation_ns)
for lost in sync.drops():  # every payload comes back once: in a set, or here with its reason
    print(lost.payload, lost)
print(sync.diagnose())
# [matching]

# [transforms]
tf = st.TransformBuffer()
stamps = UNIX + np.arange(100) * 10_000_000
poses = np.zeros((100, 7))  # x, y, z, w of the rotation, then x, y, z
poses[:, 3], poses[:, 4] = 1.0, 0.02 * np.arange(100)
assert not tf.insert_many("odom", "base_link", stamps, poses).any()  # one status for each
with tf.path("odom", "base_link") as path:
    answers, statuses = path.lookup_many(UNIX + np.arange(0, 1_000_000_000, 1_000_000))
    print(f"{np.count_nonzero(statuses == 0)} of {statuses.size} answered, {path.twist().twist.linear[0]:.1f} m/s")
# [transforms]

# [points]
xyz = np.random.default_rng(1).uniform(-20, 20, (1000, 3)).astype(np.float32)
seconds = np.linspace(0, 0.1, 1000)
cloud = st.Points(xyz, seconds, base_ns=UNIX)  # no copy; rows may be strided
plan = st.DeskewPlan()
plan.from_twist(plan.scan(cloud, reference="end"), linear=(2, 0, 0), angular=(0, 0, 0.5))
out = plan.apply(cloud, flags=True)  # new coordinates in out.points
plan.apply_in_place(cloud)  # or moved where they are
print(np.array_equal(xyz, out.points), out.facts["moved"], f"{out.error_bound(30) * 1e6:.0f} µm")
# [points]
assert statuses[-1] != 0 and record.reasons == ["STALE"]
