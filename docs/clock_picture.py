# SPDX-License-Identifier: BSD-3-Clause
"""Draws the run of examples/05_device_clock: the bound around the truth, the states, and what was refused.

    build/release/examples/05_device_clock --csv | python3 docs/clock_picture.py > docs/device_clock.svg
"""
import csv
import sys

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 900, 420, 70, 24, 20, 96
SPAN, LIMIT = 240.0, 800.0  # seconds; microseconds either side of the truth
COLOURS = {
    "UNINIT": "#bbbbbb", "WARMING": "#e7c14c", "VALID": "#5aa469", "HOLDOVER": "#6f8fc9", "INVALID": "#c0504d",
    "REINITIALIZING": "#b07cc6",
}


def x(t):
    return LEFT + (WIDTH - LEFT - RIGHT) * t / SPAN


def y(us):
    us = max(-LIMIT, min(LIMIT, us))
    return TOP + (HEIGHT - TOP - BOTTOM) * (LIMIT - us) / (2 * LIMIT)


def text(at_x, at_y, what, anchor="middle", extra=""):
    return f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}" {extra}>{what}</text>'


def band(points):
    upper = [f"{x(t):.1f},{y(hi):.1f}" for t, _, _, hi in points]
    lower = [f"{x(t):.1f},{y(lo):.1f}" for t, lo, _, _ in reversed(points)]
    return f'<polygon points="{" ".join(upper + lower)}" fill="#cfe0f5" stroke="#6f8fc9" stroke-width="0.7"/>'


def main():
    rows = list(csv.DictReader(sys.stdin))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
           'font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
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
    runs = [[p for i, p in enumerate(r) if i < 20 or i % 10 == 0 or i > len(r) - 3] for r in runs]
    for points in runs:
        if len(points) > 1:
            out.append(band(points))
    for points in runs:
        if len(points) > 1:
            line = " ".join(f"{x(t):.1f},{y(e):.1f}" for t, _, e, _ in points)
            out.append(f'<polyline points="{line}" fill="none" stroke="#1f3f77" stroke-width="1"/>')
    out.append(f'<line x1="{x(0)}" y1="{y(0)}" x2="{x(SPAN)}" y2="{y(0)}" stroke="#c0504d" stroke-dasharray="5 3"/>')
    for us in range(-800, 801, 400):
        out.append(text(LEFT - 8, y(us) + 4, f"{us:+d}" if us else "truth", "end"))
        out.append(f'<line x1="{LEFT}" y1="{y(us):.1f}" x2="{x(SPAN):.1f}" y2="{y(us):.1f}" stroke="#dddddd" '
                   'stroke-width="0.5"/>')
    out.append(text(14, y(0), "error of the acquisition time, us", extra=f'transform="rotate(-90 14 {y(0):.1f})"'))
    strip = HEIGHT - BOTTOM + 12
    start, state = 0.0, rows[0]["state"]
    for row in rows + [{"t": str(SPAN), "state": ""}]:
        if row["state"] != state:
            t = float(row["t"])
            out.append(f'<rect x="{x(start):.1f}" y="{strip}" width="{max(x(t) - x(start), 1.5):.1f}" height="12" '
                       f'fill="{COLOURS.get(state, "#ffffff")}"/>')
            start, state = t, row["state"]
    for row in rows:
        if row["status"] not in ("SNT_OK", "SNT_EMPTY"):
            at = x(float(row["t"]))
            out.append(f'<line x1="{at:.1f}" y1="{strip + 15}" x2="{at:.1f}" y2="{strip + 23}" stroke="#c0504d" '
                       'stroke-width="0.8"/>')
    for t in range(0, 241, 30):
        out.append(text(x(t), strip + 40, f"{t} s"))
    shown = 0
    for name, colour in COLOURS.items():
        if any(row["state"] == name for row in rows):
            at = LEFT + 125 * shown
            out.append(f'<rect x="{at}" y="{strip + 54}" width="12" height="12" fill="{colour}"/>')
            out.append(text(at + 17, strip + 64, name, "start"))
            shown += 1
    out.append(text(LEFT + 125 * shown, strip + 64, "red ticks: refused", "start"))
    out.append("</svg>")
    print("\n".join(out))


main()
