# SPDX-License-Identifier: BSD-3-Clause
import subprocess
import sys
import time
from pathlib import Path

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import Header

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]


class Listener:
    """A node of its own context's, and a way to spin it until something is so."""

    def __init__(self):
        self.node = rclpy.create_node("listener")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.command = self.node.create_publisher(Header, "/command", 10)

    def until(self, condition, seconds):
        """Spin until `condition()` or the time is over; what the condition says then."""
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)
        return condition()

    def spin(self, seconds):
        self.until(lambda: False, seconds)

    def tell(self, what):
        """Command the robot."""
        assert self.until(lambda: self.command.get_subscription_count() > 0, 20), "the robot does not listen"
        self.command.publish(Header(frame_id=what))


@pytest.fixture(scope="session")
def robot():
    """The talker: another process."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / "robot.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    yield process
    process.stdin.close()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.fixture
def listener(robot):
    rclpy.init()
    made = Listener()
    yield made
    made.executor.shutdown()
    made.node.destroy_node()
    rclpy.shutdown()
