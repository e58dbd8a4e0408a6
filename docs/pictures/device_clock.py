#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the run of examples/05_device_clock: the bound around the truth, the states, and what was refused.

    build/release/examples/05_device_clock --csv | docs/pictures/device_clock.py docs/pictures/device_clock.svg
"""
import csv
import sys

from svg import Picture

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 900, 430, 76, 24, 20, 104
SPAN, LIMIT = 240.0, 800.0  # seconds; microseconds either side of the truth
COLOURS = {
    "UNINIT": "grid", "WARMING": "amber", "VALID": "green", "HOLDOVER": "blue", "INVALID": "red", "REINITIALIZING": "violet",
}  # fmt: skip


def x(t):
    return LEFT + (WIDTH - LEFT - RIGHT) * t / SPAN


def y(us):
    us = max(-LIMIT, min(LIMIT, us))
    return TOP + (HEIGHT - TOP - BOTTOM) * (LIMIT - us) / (2 * LIMIT)


def bounded(rows):
    """Stretches without holes of (t, lo, estimate, hi) in microseconds, thinned."""
    runs, run, last = [], [], None
    for row in rows:
        t = float(row["t"])
        if row["lo"]:
            if last is not None and t - last > 1 and run:
                runs.append(run)
                run = []
            run.append((t, *(float(row[name]) / 1e3 for name in ("lo", "estimate", "hi"))))
            last = t
        elif run:
            runs.append(run)
            run = []
    runs.append(run)
    return [[p for i, p in enumerate(r) if i < 20 or i % 10 == 0 or i > len(r) - 3] for r in runs if len(r) > 1]


def states(p, rows, strip):
    start, state = 0.0, rows[0]["state"]
    for row in rows + [{"t": str(SPAN), "state": ""}]:
        if row["state"] != state:
            t = float(row["t"])
            p.rect(x(start), strip, max(x(t) - x(start), 1.5), 12, COLOURS[state])
            start, state = t, row["state"]
    shown = 0
    for name, css in COLOURS.items():
        if any(row["state"] == name for row in rows):
            p.rect(LEFT + 125 * shown, strip + 58, 12, 12, css)
            p.text(LEFT + 125 * shown + 17, strip + 68, name, "start", 12)
            shown += 1
    p.text(LEFT + 125 * shown, strip + 68, "red ticks: refused", "start", 12)


def main():
    rows = list(csv.DictReader(sys.stdin))
    p = Picture(WIDTH, HEIGHT, "The bound of a device clock around the truth, over four minutes")
    for us in range(-800, 801, 400):
        p.text(LEFT - 8, y(us) + 4, f"{us:+d}" if us else "truth", "end", 12)
        p.line(LEFT, y(us), x(SPAN), y(us), "s-grid", 0.7)
    runs = bounded(rows)
    for run in runs:
        upper = [(x(t), y(hi)) for t, _, _, hi in run]
        lower = [(x(t), y(lo)) for t, lo, _, _ in reversed(run)]
        p.path(upper + lower, "band", 0, close=True)
    for run in runs:
        p.path([(x(t), y(e)) for t, _, e, _ in run], "s-blue", 1.2)
    p.line(x(0), y(0), x(SPAN), y(0), "s-red", 1, 'stroke-dasharray="5 3"')
    p.text(18, y(0), "error of the acquisition time, µs", size=12, extra=f'transform="rotate(-90 18 {y(0):.1f})"')
    strip = HEIGHT - BOTTOM + 12
    states(p, rows, strip)
    for row in rows:
        if row["status"] not in ("SNT_OK", "SNT_EMPTY"):
            p.line(x(float(row["t"])), strip + 15, x(float(row["t"])), strip + 23, "s-red", 0.8)
    for t in range(0, 241, 30):
        p.text(x(t), strip + 42, f"{t} s", size=12)
    p.save(sys.argv[1])


main()
