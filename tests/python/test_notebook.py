# SPDX-License-Identifier: BSD-3-Clause
"""The notebook runs from top to bottom, says what it should, and draws its picture."""

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "examples" / "07_deskew_cloud.py"


def test_the_deskewed_cloud_is_straight_and_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "made" / "cloud.png"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MPLCONFIGDIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, str(NOTEBOOK), str(picture)], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    found = dict(re.findall(r"^(.+?) +RMS plane error +([\d.]+) mm$", run.stdout, re.M))
    straight = {name: float(error) for name, error in found.items()}
    assert straight["gyroscope and speed"] < 8.5 < straight["one twist"] < straight["as measured"] / 4
    assert "time: 'time' f32" in run.stdout and "scan start" in run.stdout
    raw = picture.read_bytes()
    width, height = struct.unpack(">II", raw[16:24])
    assert raw[:8] == b"\x89PNG\r\n\x1a\n" and width > 1000 and height > 350 and 20_000 < len(raw) < 150_000
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix in (".png", ".npy")) == [], "it leaves nothing else behind"


def test_its_cells_are_cells():
    text = NOTEBOOK.read_text()
    cells = re.split(r"^# %%", text, flags=re.M)[1:]
    assert len(cells) >= 10
    for cell in cells:
        if cell.startswith(" [markdown]"):
            body = cell.split("\n", 1)[1]
            assert all(line.startswith("#") or not line for line in body.splitlines()), body
        else:
            compile(cell.split("\n", 1)[1], "cell", "exec")


def test_the_picture_of_the_page_is_small():
    assert (ROOT / "docs" / "pictures" / "deskew_cloud.png").stat().st_size < 150_000
