# SPDX-License-Identifier: BSD-3-Clause
"""Plots of the report, as PNG text to be put into the page."""

import base64
import io
from typing import Any, List, Optional, Tuple

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402 (the backend comes first)
from matplotlib.ticker import MaxNLocator  # noqa: E402
import numpy as np  # noqa: E402

from sensortime import abi  # noqa: E402

WIDE = 8.4  # [inch]
_MOST = 20_000  # dots of one plot
BLUE, RED, GREY = "#2166ac", "#b2182b", "#777777"

plt.rcParams.update({
    "font.size": 8, "axes.grid": True, "grid.alpha": 0.25, "axes.spines.top": False, "axes.spines.right": False,
    "figure.constrained_layout.use": True, "savefig.dpi": 110,
})  # fmt: skip


def _png(figure: Any) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    plt.close(figure)
    return base64.b64encode(buffer.getvalue()).decode()


def thinned(values: np.ndarray, most: int = _MOST) -> np.ndarray:
    """Indices of at most `most` values, the extremes of every stretch among them."""
    n = values.size
    if n <= most:
        return np.arange(n)
    width = -(-n // (most // 2))
    padded = np.full(width * -(-n // width), np.nan)
    padded[:n] = values
    rows = padded.reshape(-1, width)
    start = np.arange(rows.shape[0]) * width
    low = np.nanargmin(rows, axis=1) + start
    high = np.nanargmax(rows, axis=1) + start
    return np.unique(np.concatenate([low, high]))


def intervals_and_delay(stream: Any, start_ns: int) -> Optional[str]:
    """Intervals of stamps and of log times, and log − stamp, over the recording."""
    stamps, logs = stream.curve.arrays()
    report = stream.report
    headered = report.stamps.steps > 0
    if logs.size < 3 or headered and np.count_nonzero(stamps) < 3:
        return None
    comparable = bool(report.delay.comparable and report.delay.count)
    figure, axes = plt.subplots(1, 2 if comparable else 1, figsize=(WIDE, 2.2), squeeze=False)
    seconds = (logs - start_ns) / 1e9
    left = axes[0, 0]
    for times, colour, label in ((logs, GREY, "log"), (stamps, BLUE, "stamps")):
        if colour == BLUE and not headered:
            continue
        filled = np.flatnonzero(times)  # a zero stamp is no time to measure from
        steps = np.diff(times[filled]) / 1e6
        at = thinned(steps)
        left.plot(seconds[filled][1:][at], steps[at], ".", markersize=2, color=colour, label=label, alpha=0.7)
    left.set(xlabel="recorded [s]", ylabel="interval [ms]")
    left.legend(loc="upper right", fontsize=7, markerscale=3)
    # a single wild step must not flatten the rest
    steps = np.diff(stamps[stamps != 0] if headered else logs) / 1e6
    low, high = np.percentile(steps, [0.5, 99.5])
    if np.ptp(steps) > 20 * max(high - low, 1e-6):
        left.set_yscale("symlog", linthresh=max(high, 1e-3))
    if comparable:
        delay = (logs - stamps) / 1e6
        usable = (stamps != 0) & (np.abs(delay) < 1e8)
        at = thinned(delay[usable])
        axes[0, 1].plot(seconds[usable][at], delay[usable][at], ".", markersize=2, color=BLUE)
        axes[0, 1].axhline(0, color=RED, linewidth=0.6)
        axes[0, 1].set(xlabel="recorded [s]", ylabel="log − stamp [ms]")
    return _png(figure)


def durations_and_margins(scans: Any, start_ns: int) -> Optional[str]:
    """Per scan: how long it took, and how far the IMU reaches beyond it."""
    reports = [r for r in scans.reports if r.duration_ns != abi.SNT_UNKNOWN]
    if not reports:
        return None
    at = np.array([(r.header_ns if r.header_ns != abi.SNT_UNKNOWN else r.points.min_ns) - start_ns for r in reports]) / 1e9
    took = np.array([r.duration_ns for r in reports]) / 1e6
    flagged = np.array([bool(r.suspicion or r.proof) for r in reports])
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDE, 2.2))
    left.plot(at, took, ".", markersize=3, color=BLUE, label="duration")
    if flagged.any():
        left.plot(at[flagged], took[flagged], "o", markersize=5, mfc="none", color=RED, label="suspected loss")
    left.set(xlabel="header stamp [s]", ylabel="scan duration [ms]")
    counts = left.twinx()
    counts.plot(at, [r.points.points for r in reports], "-", linewidth=0.6, color=GREY, label="points")
    counts.set_ylabel("points", color=GREY)
    counts.grid(False)
    left.legend(loc="lower left", fontsize=7, frameon=False)
    _margins(right, reports, at)
    return _png(figure)


def _margins(axes: Any, reports: List[Any], at: np.ndarray) -> None:
    def values(name: str) -> np.ndarray:
        found = np.array([getattr(r, name) for r in reports], dtype=np.float64)
        found[found == float(abi.SNT_UNKNOWN)] = np.nan
        return found / 1e6

    start, end = values("imu_start_nearest_ns"), values("imu_end_nearest_ns")
    if np.isnan(start).all() and np.isnan(end).all():
        axes.text(0.5, 0.5, "no IMU near these scans", ha="center", va="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    axes.plot(at, start, ".", markersize=3, color=BLUE, label="before the start")
    axes.plot(at, end, ".", markersize=3, color=RED, label="after the end")
    axes.set(xlabel="header stamp [s]", ylabel="nearest IMU sample [ms]")
    axes.legend(loc="upper right", fontsize=7, frameon=False)


def point_times(times_ms: np.ndarray, rings: Optional[np.ndarray], usual: Tuple[float, float]) -> str:
    """One scan: point times over the index, and per ring."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDE, 2.4))
    at = np.linspace(0, times_ms.size - 1, min(times_ms.size, _MOST)).astype(np.int64)
    left.plot(at, times_ms[at], ",", color=BLUE)
    left.set(xlabel="index of the point", ylabel="time after the first point [ms]", ylim=usual)
    if rings is None:
        ordered = np.sort(times_ms[np.isfinite(times_ms)])
        right.plot(ordered[1:], np.diff(ordered), linewidth=0.6, color=BLUE)
        right.set(xlabel="time after the first point [ms]", ylabel="gap to the next point [ms]")
    else:
        right.plot(times_ms[at], rings[at], ",", color=BLUE)
        right.set(xlabel="time after the first point [ms]", ylabel="ring")
        right.yaxis.set_major_locator(MaxNLocator(integer=True))
    return _png(figure)
