# SPDX-License-Identifier: BSD-3-Clause
"""pip installs the package from the checkout, with the library inside."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["given", "compiled"])
def test_pip_installs_a_package_that_carries_the_library(tmp_path, how):
    # from a copy, since setuptools writes beside its sources
    checkout = tmp_path / "checkout"
    for name in ("include", "lib", "examples/python"):
        target = checkout / name
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", str(ROOT / name), str(target)], check=True)
    for left in (checkout / "examples/python").glob("build"):
        subprocess.run(["rm", "-r", str(left)], check=True)
    venv.create(tmp_path / "venv", with_pip=True, system_site_packages=False)
    python = tmp_path / "venv" / "bin" / "python"
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "SENSORTIME_LIBRARY")}
    if how == "given":
        from sensortime import library_path

        environment["SENSORTIME_LIBRARY"] = os.path.realpath(library_path)
    run = subprocess.run(
        [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", str(checkout / "examples" / "python")],
        env=environment, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    if run.returncode and "No matching distribution" in run.stderr:
        pytest.skip("no package index is reachable")
    assert run.returncode == 0, run.stderr
    environment.pop("SENSORTIME_LIBRARY", None)
    code = "import sensortime; print(sensortime.library_path); print(sensortime.stamps.from_ros2(1, 2))"
    shown = subprocess.run([python, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    path, stamp = shown.stdout.split()
    assert Path(path).parent.name == "sensortime" and str(tmp_path) in path
    assert stamp == "1000000002"
    assert sys.version_info >= (3, 9)
