#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of docs/concepts.md and docs/index.md that need no data: docs/pictures/concepts.py"""
import os
import random

from svg import Picture

HERE = os.path.dirname(os.path.abspath(__file__))


def save(picture, name):
    picture.save(os.path.join(HERE, name))


def flow():
    p = Picture(900, 360, "How a sample flows: when, where, what else, and undoing the motion")

    def box(x, y, w, title, what, h=62):
        p.rect(x, y, w, h, "boxed", 'rx="6"')
        p.text(x + w / 2, y + 25, title, size=15, extra='font-weight="bold"')
        p.text(x + w / 2, y + 46, what, size=12, css="softtext")

    p.text(110, 36, "when?", size=18, css="blue", extra='font-weight="bold"')
    p.text(430, 36, "where?", size=18, css="blue", extra='font-weight="bold"')
    p.text(757, 36, "what else?", size=18, css="blue", extra='font-weight="bold"')
    box(25, 60, 170, "device clock", "ticks → time with bounds")
    box(225, 60, 110, "admission", "fresh? certain?", 62)
    box(365, 60, 170, "message filter", "waits for transforms")
    box(650, 60, 215, "synchronizer", "sets of samples")
    box(365, 180, 170, "transform buffer", "/tf, odometry")
    box(650, 180, 215, "deskew", "points of one instant")
    box(25, 180, 170, "point layout", "what the fields mean")
    p.arrow(195, 91, 223, 91)
    p.arrow(335, 91, 363, 91)
    p.arrow(535, 91, 648, 91)
    p.arrow(450, 180, 450, 124)
    p.arrow(535, 211, 648, 211)
    p.arrow(757, 122, 757, 178)
    p.path([(110, 242), (110, 262), (757, 262)], "s-soft", 1.4)
    p.arrow(757, 262, 757, 244, "soft")
    p.rect(25, 290, 840, 46, "boxed", 'rx="6" stroke-dasharray="5 4"')
    p.text(445, 318, "watching everything: stream monitor · scan auditor · QoS check", size=14)
    p.text(592, 82, "released", size=12, css="softtext")
    p.text(592, 202, "poses", size=12, css="softtext")
    save(p, "flow.svg")


def clocks():
    p = Picture(900, 370, "Arrivals and pings confine the device's clock between two lines")
    left, right, top, bottom = 64, 876, 40, 300
    rate = 0.55  # how fast the clock may run away, in units of the picture

    def x(t):
        return left + (right - left) * t / 100

    def y(v):
        return bottom - v * 2.1

    def truth(t):
        return 38 + 0.22 * t

    rng = random.Random(5)
    arrivals = [(t, truth(t) + 9 + rng.expovariate(1 / 13)) for t in range(3, 76, 3)]
    pings = [(20, truth(20) - 7, truth(20) + 8), (55, truth(55) - 9, truth(55) + 7)]

    def upper(t):
        return min([v + rate * abs(t - s) for s, v in arrivals] + [hi + rate * abs(t - s) for s, _, hi in pings])

    def lower(t):
        return max(lo - rate * abs(t - s) for s, lo, _ in pings)

    times = [i / 2 for i in range(0, 201)]
    band = [(x(t), y(min(upper(t), 118))) for t in times] + [(x(t), y(max(lower(t), 2))) for t in reversed(times)]
    p.path(band, "band", 0, close=True)
    p.path([(x(t), y(min(upper(t), 118))) for t in times], "s-blue", 1.5)
    p.path([(x(t), y(max(lower(t), 2))) for t in times], "s-blue", 1.5)
    p.path([(x(0), y(truth(0))), (x(100), y(truth(100)))], "s-red", 1.5, extra='stroke-dasharray="6 4"')
    for t, v in arrivals:
        p.line(x(t), y(truth(t)), x(t), y(min(v, 116)), "s-grid", 1)
        p.dot(x(t), y(min(v, 116)), 3.2, "ink")
    for t, lo, hi in pings:
        p.line(x(t), y(lo), x(t), y(hi), "s-green", 4)
    p.line(left, bottom, right, bottom, "s-soft")
    p.line(left, bottom, left, top - 10, "s-soft")
    p.text((left + right) / 2, bottom + 24, "device time", css="softtext")
    p.text(24, (top + bottom) / 2, "host time − device time", css="softtext", extra=f'transform="rotate(-90 24 {(top + bottom) / 2})"')
    p.line(x(76), y(0), x(76), top - 8, "s-soft", 1, 'stroke-dasharray="3 4"')
    p.text(x(88), top + 2, "holdover: it grows", size=13)
    p.dot(84, 346, 3.2, "ink")
    p.text(94, 351, "arrival: not after this", "start", 13)
    p.line(290, 338, 290, 354, "s-green", 4)
    p.text(300, 351, "ping: between these", "start", 13)
    p.rect(470, 338, 22, 14, "band")
    p.text(500, 351, "[lo, hi]: what is possible", "start", 13)
    p.line(704, 346, 732, 346, "s-red", 1.5, 'stroke-dasharray="6 4"')
    p.text(740, 351, "the truth", "start", 13)
    save(p, "clocks.svg")


def sessions():
    p = Picture(900, 310, "A rollover keeps the session, a reboot begins another")
    left, right, top, bottom = 60, 876, 40, 170

    def x(t):
        return left + (right - left) * t / 100

    def y(v):
        return bottom - (bottom - top) * v

    p.line(left, bottom, right, bottom, "s-soft")
    p.path([(x(0), y(0.55)), (x(22), y(1))], "s-blue", 2.2)
    p.line(x(22), y(1), x(22), y(0), "s-blue", 1, 'stroke-dasharray="3 3"')
    p.path([(x(22), y(0)), (x(58), y(0.74))], "s-blue", 2.2)
    p.path([(x(64), y(0)), (x(100), y(0.74))], "s-violet", 2.2)
    p.text(x(22), y(1) - 12, "rollover", size=13)
    p.text(x(61), y(0.88), "reboot", size=13)
    p.text(left - 8, y(1) + 5, "2³²", "end", 13, "softtext")
    p.text(left - 8, y(0) + 5, "0", "end", 13, "softtext")
    p.text(24, (top + bottom) / 2, "counter", css="softtext", size=13, extra=f'transform="rotate(-90 24 {(top + bottom) / 2})"')
    p.dot(x(72), y(0.7), 4.5, "blue")
    p.cross(x(72), y(0.7), 8)
    p.text(x(100), y(1) - 4, "late packet of session 1: SNT_ERR_SESSION", "end", 13)
    states = [
        (0, 8, "WARMING", "amberband"), (8, 58, "VALID", "greenband"), (58, 64, "", "redband"),
        (64, 75, "WARMING", "amberband"), (75, 100, "VALID", "greenband"),
    ]  # fmt: skip
    for a, b, name, css in states:
        p.rect(x(a), 196, x(b) - x(a), 26, css)
        p.text((x(a) + x(b)) / 2, 214, name, size=12)
    p.line(x(61), 222, x(61), 236, "s-soft")
    p.text(x(61), 250, "INVALID, REINITIALIZING", size=12)
    p.line(x(0), 268, x(58), 268, "s-blue", 2)
    p.line(x(64), 268, x(100), 268, "s-violet", 2)
    p.text(x(29), 290, "session 1", size=14)
    p.text(x(100), 290, "session 2: nothing of session 1 is combined with it", "end", 14)
    save(p, "sessions.svg")


def bounds():
    p = Picture(900, 270, "An age is an interval; it is admitted only if all of it is below the limit")
    left, right = 190, 860

    def x(ms):
        return left + (right - left) * ms / 50

    limit = 40
    p.rect(x(limit), 36, x(50) - x(limit), 168, "redband")
    p.line(x(limit), 28, x(limit), 208, "s-red", 2)
    p.text(x(limit), 20, "max_age = 40 ms", size=13)
    for row, (name, age, spread, verdict, css) in enumerate([
        ("known to ±15 ms", 28, 15, "may be 43 ms old: refused", "red"),
        ("known to ±8 ms", 28, 8, "36 ms at most: admitted", "green"),
        ("no upper bound", 28, None, "nobody knows: refused", "red"),
    ]):  # fmt: skip
        at = 70 + 52 * row
        p.text(24, at + 5, name, "start", 14)
        a, b = (x(age - spread), x(age + spread)) if spread else (x(age - 15), x(50))
        p.line(a, at, b, at, "s-" + css, 3)
        p.line(a, at - 9, a, at + 9, "s-" + css, 3)
        if spread:
            p.line(b, at - 9, b, at + 9, "s-" + css, 3)
        else:
            p.arrow(x(48), at, x(50) + 8, at, "red", 3)
        p.dot(x(age), at, 5, css)
        p.text(x(age), at - 13, verdict, size=12, css=css)
    p.line(left, 208, right, 208, "s-soft")
    for ms in range(0, 51, 10):
        p.line(x(ms), 208, x(ms), 214, "s-soft")
        p.text(x(ms), 230, f"{ms}", size=12, css="softtext")
    p.text((left + right) / 2, 252, "age of the observation now, ms", size=13, css="softtext")
    save(p, "bounds.svg")


def transforms():
    p = Picture(900, 270, "A lookup needs every moving edge to cover the time asked for")
    left, right = 190, 870
    start, end = 99.78, 100.075

    def x(t):
        return left + (right - left) * (t - start) / (end - start)

    asked = 100.012
    rows = [("map → odom, 10 Hz", 62), ("odom → base_link, 50 Hz", 122), ("base_link → lidar, static", 182)]
    for name, y in rows:
        p.text(20, y + 5, name, "start", 13)
        p.line(left, y, right, y, "s-grid")
    y = rows[0][1]
    for t in (99.85, 99.95, 100.05):
        p.dot(x(t), y, 5)
    p.line(x(99.95), y, x(100.05), y, "s-green", 3)
    p.dot(x(asked), y, 4, "green")
    p.text(x(asked) + 8, y - 12, "interpolated", "start", 12, "green")
    y = rows[1][1]
    for i in range(11):
        p.dot(x(99.8 + 0.02 * i), y, 5)
    p.dot(x(100.02), y, 5, "s-blue", 'stroke-width="1.5" stroke-dasharray="3 2"')
    p.arrow(x(100.0) + 7, y, x(asked) - 1, y, "red", 3)
    p.text(x(100.0) - 10, y - 12, "12 ms short", "end", 12, "red")
    p.text(x(100.02) + 10, y - 12, "next due 100.020", "start", 12)
    y = rows[2][1]
    p.line(left, y, right, y, "s-blue", 4)
    p.line(x(asked), 34, x(asked), 206, "s-red", 1.5, 'stroke-dasharray="5 4"')
    p.text(x(asked), 26, "asked: 100.012", size=13)
    p.line(left, 208, right, 208, "s-soft")
    for t in (99.8, 99.85, 99.9, 99.95, 100.0, 100.05):
        p.line(x(t), 208, x(t), 214, "s-soft")
        p.text(x(t), 230, f"{t:.2f}", size=12, css="softtext")
    p.text((left + right) / 2, 252, "stamp, s", size=13, css="softtext")
    save(p, "transforms.svg")


def sets():
    p = Picture(900, 320, "Sets of a sweep, an image and interpolated IMU samples; what is left over comes back with a reason")
    left, right = 120, 876

    def x(ms):
        return left + (right - left) * (ms + 20) / 440

    rows = {"lidar": 80, "camera": 150, "IMU": 220}
    for name, y in rows.items():
        p.text(24, y + 5, name, "start", 14)
        p.line(left, y, right, y, "s-grid")
    images = [16 + 33.3 * i for i in range(12)]
    lost = 7
    chosen = {0: 1, 1: 4, 3: 10}
    for sweep, image in chosen.items():
        at = images[image]
        p.rect(x(at) - 13, 48, 26, 192, "greenband", 'rx="8"')
        p.text(x(at), 40, f"set {list(chosen).index(sweep)}", size=13, css="green")
    for i in range(4):
        y = rows["lidar"]
        p.rect(x(100 * i), y - 8, x(100 * i + 96) - x(100 * i), 16, "blue" if i in chosen else "s-red", 'rx="3"')
        p.dot(x(100 * i + 48), y, 4, "card" if i in chosen else "red")
    for i, at in enumerate(images):
        y = rows["camera"]
        if i == lost:
            p.cross(x(at), y, 5)
            p.text(x(at), y - 14, "lost", size=12, css="red")
        elif i in chosen.values():
            p.dot(x(at), y, 6)
        else:
            p.dot(x(at), y, 6, "s-soft", 'stroke-width="1.8"')
    for i in range(42):
        p.line(x(10 * i), rows["IMU"] - 6, x(10 * i), rows["IMU"] + 6, "s-soft", 1.5)
    for image in chosen.values():
        first = images[image] // 10 * 10
        for at in (first, first + 10):
            p.line(x(at), rows["IMU"] - 9, x(at), rows["IMU"] + 9, "s-blue", 3)
    p.text(x(248), rows["lidar"] - 16, "no image within 10 ms: NO_PARTNER", size=12, css="red")
    p.dot(140, 286, 6)
    p.text(152, 291, "in a set", "start", 13)
    p.dot(250, 286, 6, "s-soft", 'stroke-width="1.8"')
    p.text(262, 291, "comes back with its reason", "start", 13)
    p.line(478, 277, 478, 295, "s-blue", 3)
    p.line(486, 277, 486, 295, "s-blue", 3)
    p.text(496, 291, "interpolated pair", "start", 13)
    p.dot(660, 286, 4, "blue")
    p.text(672, 291, "middle of a sweep is matched", "start", 13)
    save(p, "sets.svg")


for draw in (flow, clocks, sessions, bounds, transforms, sets):
    draw()
