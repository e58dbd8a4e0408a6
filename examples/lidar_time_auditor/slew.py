# SPDX-License-Identifier: BSD-3-Clause
"""Stamps that a clock discipline corrects in small steps."""

from typing import Dict, Optional

import numpy as np


def slewed(stamps: np.ndarray) -> Optional[Dict[str, int]]:
    """Are the stamps a fixed step that a clock discipline shortens or lengthens now and then? The facts, or None."""
    steps = np.diff(stamps)
    if steps.size < 200:
        return None
    usual = int(np.median(steps))
    off = steps - usual
    grid = max(10_000, usual // 1000)  # what may be rounding
    corrected = np.flatnonzero(np.abs(off) > grid)
    if not 5 <= corrected.size <= 0.1 * steps.size or np.abs(off[corrected]).max() > usual // 2:
        return None
    if np.unique(np.sign(off[corrected])).size != 1:
        return None
    between = np.diff(corrected)
    every = int(np.median(between))
    if np.mean(np.abs(between - every) <= 1) < 0.8:
        return None
    return {
        "steps": int(steps.size),
        "usual_step_ns": usual,
        "equal_steps": int(steps.size - corrected.size),
        "corrections": int(corrected.size),
        "every": every,
        "total_ns": int(off[corrected].sum()),
    }
