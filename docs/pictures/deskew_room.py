#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what examples/06_deskew_room wrote: one ring of a scan in a room, before and after deskewing.

    build/release/examples/06_deskew_room points.csv
    docs/pictures/deskew_room.py points.csv docs/pictures/deskew_room.svg
"""
import csv
import sys

from svg import Picture

WIDTH, HEIGHT, SCALE = 480, 372, 33.0
ROOM = (6.0, 4.0)


def panel(p, points, title, left):
    def at(x, y):
        return left + WIDTH / 2 + SCALE * x, HEIGHT / 2 + 12 - SCALE * y

    p.text(left + WIDTH / 2, 28, title, size=15)
    p.rect(*at(-ROOM[0], ROOM[1]), 2 * SCALE * ROOM[0], 2 * SCALE * ROOM[1], "s-soft", 'stroke-dasharray="5 4"')
    for x, y in points:
        p.dot(*at(x, y), 1.2, "blue")
    x, y = at(0, 0)
    p.add(f'<path d="M{x} {y} m-6 5 l6 -13 l6 13 z" class="red" transform="rotate(90 {x} {y})"/>')


def main():
    with open(sys.argv[1], newline="") as file:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
    p = Picture(2 * WIDTH, HEIGHT, "A ring of lidar points in a room: smeared as measured, on the walls after deskewing")
    panel(p, [(r["x_before"], r["y_before"]) for r in rows], "as measured, turning at 143°/s", 0)
    panel(p, [(r["x_after"], r["y_after"]) for r in rows], "deskewed to the end of the scan", WIDTH)
    p.save(sys.argv[2])


main()
