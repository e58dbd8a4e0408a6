# SPDX-License-Identifier: BSD-3-Clause
"""The C++ node of node.cpp against the same robot."""

import os
import subprocess
import sys
from pathlib import Path

PREFIX = Path(sys.prefix)


def test_a_cpp_node_filters_and_deskews(robot):
    # what the wheels bring with them lies beside their packages
    folders = [PREFIX / "lib", *PREFIX.glob("lib/python*/site-packages/ros_*.libs")]
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(map(str, folders)))
    run = subprocess.run([PREFIX / "node"], env=environment, capture_output=True, text=True, timeout=40)
    assert run.returncode == 0 and "1..7" in run.stdout, run.stdout + run.stderr
    assert "not ok" not in run.stdout
