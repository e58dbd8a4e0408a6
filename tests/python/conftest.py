# SPDX-License-Identifier: BSD-3-Clause
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "examples" / "python"), str(Path(__file__).parent)]


def pytest_configure(config):
    from hypothesis import HealthCheck, settings

    # Judging a change, the inputs are the same each time; by hand and in long runs they are new ones.
    examples = 2000 if os.environ.get("SNT_LONG") else 60
    settings.register_profile(
        "snt", deadline=None, derandomize="SNT_SEED" in os.environ, max_examples=examples, database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )  # fmt: skip
    settings.load_profile("snt")
    config.addinivalue_line("markers", "slow: takes seconds or the network; left out of --quick")


class Auditor:
    """Runs the program as a user does."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *arguments, outputs=True):
        command = [sys.executable, str(ROOT / "examples" / "lidar_time_auditor"), "--no-progress"]
        jsonl, table, page = (self.folder / name for name in ("audit.jsonl", "scans.csv", "report.html"))
        for path in (jsonl, table, page):
            path.unlink(missing_ok=True)
        if outputs:
            command += ["--jsonl", jsonl, "--csv", table]
        run = subprocess.run([*map(str, command), *map(str, arguments)], capture_output=True, text=True, timeout=300)
        assert "Traceback" not in run.stderr, run.stderr
        run.records = []
        if jsonl.exists():
            run.records = [json.loads(line) for line in jsonl.read_text(encoding="utf-8").splitlines()]
        run.jsonl, run.csv, run.html = jsonl, table, page
        return run


@pytest.fixture
def auditor(tmp_path):
    return Auditor(tmp_path)


def simulate(folder, *arguments):
    command = [sys.executable, str(ROOT / "examples" / "simulate_recording.py"), str(folder), *arguments]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return folder


@pytest.fixture(scope="session")
def simulated(tmp_path_factory):
    """The recording of quickstart.sh."""
    return simulate(tmp_path_factory.mktemp("simulated") / "faulty")


@pytest.fixture(scope="session")
def clean(tmp_path_factory):
    """The same without a fault, as sqlite."""
    return simulate(tmp_path_factory.mktemp("simulated") / "clean", "--clean", "--storage", "sqlite3")
