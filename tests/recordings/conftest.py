# SPDX-License-Identifier: BSD-3-Clause
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "examples" / "python")]
