# SPDX-License-Identifier: BSD-3-Clause
"""Carries the shared library inside the package: $SENSORTIME_LIBRARY, the checkout's build/release, or compiled here."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parents[2]
NAME = {"darwin": "libsensortime.1.dylib", "win32": "sensortime.dll"}.get(sys.platform, "libsensortime.so.1")


def compile_library(target: Path) -> None:
    sources = [str(ROOT / line) for line in (ROOT / "lib" / "sources.txt").read_text().split()]
    compiler = shlex.split(os.environ.get("CC", "cc"))
    command = [
        *compiler, "-std=c11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-math-errno", "-ffp-contract=off",
        f"-Wl,-soname,{NAME}", f"-Wl,--version-script={ROOT / 'lib' / 'libsensortime.map'}",
        "-I", str(ROOT / "include"), "-o", str(target), *sources, "-lm", "-pthread",
    ]  # fmt: skip
    print("compiling", NAME)
    subprocess.run(command, check=True)


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if self.editable_mode:
            return  # the package finds build/release by itself
        target = Path(self.build_lib) / "sensortime" / NAME
        given = os.environ.get("SENSORTIME_LIBRARY")
        built = ROOT / "build" / "release" / NAME
        if given:
            shutil.copyfile(given, target)
        elif built.exists():
            shutil.copyfile(built, target)
        elif (ROOT / "lib" / "sources.txt").exists():
            compile_library(target)
        else:
            sys.exit("the library's sources are not here: install from a checkout, or set SENSORTIME_LIBRARY")


class PlatformDistribution(Distribution):
    """The wheel holds machine code, for any Python."""

    def has_ext_modules(self):
        return True


cmdclass = {"build_py": BuildWithLibrary}
try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # older setuptools
    try:
        from wheel.bdist_wheel import bdist_wheel
    except ImportError:
        bdist_wheel = None
if bdist_wheel is not None:

    class AnyPython(bdist_wheel):
        def get_tag(self):
            return ("py3", "none", super().get_tag()[2])

    cmdclass["bdist_wheel"] = AnyPython

setup(cmdclass=cmdclass, distclass=PlatformDistribution)
