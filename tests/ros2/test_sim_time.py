# SPDX-License-Identifier: BSD-3-Clause
"""A simulator's /clock that runs, is paused and is reset: the library's source against a node with use_sim_time, and a
watchdog that does not sleep when simulated time stands."""

import ctypes
import time

import scene
from rclpy.clock import JumpThreshold
from rclpy.duration import Duration
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock

from sensortime import abi, lib
from sensortime._handle import config


def test_a_paused_clock_stands_and_the_watchdog_does_not(listener):
    node = listener.node
    node.set_parameters([Parameter("use_sim_time", Parameter.Type.BOOL, True)])
    epoch = ctypes.POINTER(abi.snt_epoch)()
    assert lib.snt_epoch_create(None, ctypes.byref(epoch)) == 0
    cfg = config(abi.snt_clock_source_config, lib.snt_clock_source_config_init, {"hold": 1})
    cfg.kind, cfg.epoch = abi.SNT_SOURCE_SIMULATED, epoch
    source = ctypes.POINTER(abi.snt_clock_source)()
    assert lib.snt_clock_source_create(ctypes.byref(cfg), None, ctypes.byref(source)) == 0
    before = lib.snt_epoch_session(epoch)

    now, jump = ctypes.c_int64(), ctypes.c_uint32()
    assert lib.snt_clock_source_now(source, ctypes.byref(now)) == abi.SNT_PENDING  # no time before the first /clock

    jumps, times, ros_jumps = [], [], []
    handle = node.get_clock().create_jump_callback(  # to be kept: the clock calls it
        JumpThreshold(min_forward=Duration(seconds=1), min_backward=Duration(nanoseconds=-1), on_clock_change=False),
        post_callback=ros_jumps.append,
    )
    watchdog = abi.snt_deadline()
    lib.snt_deadline_start(ctypes.byref(watchdog), time.monotonic_ns(), abi.SNT_UNKNOWN)
    expired_at = []

    def on_clock(raw):
        ns, error = ctypes.c_int64(), abi.snt_message_error()
        parsed = lib.snt_clock_message_parse(abi.SNT_ENCODING_CDR, raw, len(raw), ctypes.byref(ns), ctypes.byref(error))
        assert parsed == 0
        steady = time.monotonic_ns()
        assert lib.snt_clock_source_set(source, steady, ns, ctypes.byref(jump)) == 0
        jumps.append(jump.value)
        times.append(ns.value)
        lib.snt_deadline_start(ctypes.byref(watchdog), steady, 500_000_000)  # half a second without a sign of life

    node.create_subscription(Clock, "/clock", on_clock, QoSProfile(depth=10), raw=True)
    assert listener.until(lambda: node.count_publishers("/clock"), 20)
    listener.spin(0.5)
    listener.tell("clock")

    def source_now():
        assert lib.snt_clock_source_now(source, ctypes.byref(now)) == 0
        return now.value

    # runs
    assert listener.until(lambda: times and times[-1] == scene.CLOCK_RUN[1], 15)
    listener.spin(0.1)  # the node's own subscription to /clock has it too
    assert source_now() == scene.CLOCK_RUN[1] == node.get_clock().now().nanoseconds
    assert jumps[0] == abi.SNT_JUMP_FIRST and set(jumps[1:]) == {abi.SNT_JUMP_NONE}
    assert lib.snt_deadline_check(ctypes.byref(watchdog), time.monotonic_ns(), None) == abi.SNT_OK

    # paused: simulated time stands in both, steady time does not
    def over():
        if lib.snt_deadline_check(ctypes.byref(watchdog), time.monotonic_ns(), None) == abi.SNT_ERR_TIMEOUT:
            expired_at.append(time.monotonic_ns())
        return expired_at

    assert listener.until(over, 3)
    assert source_now() == scene.CLOCK_RUN[1] == node.get_clock().now().nanoseconds
    assert times[-1] == scene.CLOCK_RUN[1]

    # runs on: no jump, whatever the pause took
    assert listener.until(lambda: scene.CLOCK_RUN_ON[1] in times, 10)
    assert lib.snt_epoch_session(epoch) == before
    assert abi.SNT_JUMP_FORWARD not in jumps

    # reset: a jump back and a new session, in ROS as well
    assert listener.until(lambda: times[-1] == scene.CLOCK_RESET[1], 10)
    listener.spin(0.1)
    assert jumps.count(abi.SNT_JUMP_BACK) == 1 and times[jumps.index(abi.SNT_JUMP_BACK)] == scene.CLOCK_RESET[0]
    assert lib.snt_epoch_session(epoch) != before
    assert source_now() == scene.CLOCK_RESET[1] == node.get_clock().now().nanoseconds
    assert len([j for j in ros_jumps if j.delta.nanoseconds < 0]) == 1

    handle.unregister()
    lib.snt_clock_source_destroy(source)
    lib.snt_epoch_unref(epoch)
