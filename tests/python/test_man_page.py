# SPDX-License-Identifier: BSD-3-Clause
"""The manual page says what the program's --help says. Seen to fail: with an option left out of either."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "man" / "lidar_time_auditor.1"
OPTION = r"(?<![\w-])--[a-z][a-z-]*"


def test_every_option_is_in_the_manual_page_and_no_other():
    command = [sys.executable, str(ROOT / "examples" / "lidar_time_auditor"), "--help"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    options = PAGE.read_text().split(".SH OPTIONS")[1].split(".SH")[0].replace("\\-", "-")
    assert set(re.findall(OPTION, options)) == set(re.findall(OPTION, told))


def test_the_manual_page_is_of_this_version():
    version = re.search(r'SNT_VERSION_STRING "(.*)"', (ROOT / "include/sensortime/version.h").read_text()).group(1)
    assert f'"sensortime {version}"' in PAGE.read_text()


def test_the_manual_page_is_formatted_without_warnings():
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff was not found")
    run = subprocess.run([groff, "-man", "-ww", "-z", "-Tutf8", str(PAGE)], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
