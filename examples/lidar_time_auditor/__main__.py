# SPDX-License-Identifier: BSD-3-Clause
import sys
from pathlib import Path

if __package__ in (None, ""):  # run as `python examples/lidar_time_auditor`
    examples = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(examples), str(examples / "python")]

from lidar_time_auditor.cli import main

sys.exit(main())
