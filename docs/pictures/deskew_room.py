#!/usr/bin/env python3
"""Draw what examples/06_deskew_room wrote: one ring of a scan in a room, before and after deskewing, as SVG.

    build/release/examples/06_deskew_room points.csv
    docs/pictures/deskew_room.py points.csv docs/pictures/deskew_room.svg
"""
import csv
import sys

WIDTH, HEIGHT, SCALE = 520, 380, 33.0
ROOM = (6.0, 4.0)


def panel(points, title, left):
    def at(x, y):
        return f"{left + WIDTH / 2 + SCALE * x:.1f}", f"{HEIGHT / 2 + 10 - SCALE * y:.1f}"

    x0, y0 = at(-ROOM[0], ROOM[1])
    out = [
        f'<text x="{left + WIDTH / 2}" y="24" text-anchor="middle">{title}</text>',
        f'<rect x="{x0}" y="{y0}" width="{2 * SCALE * ROOM[0]}" height="{2 * SCALE * ROOM[1]}" class="wall"/>',
    ]
    for x, y in points:
        cx, cy = at(x, y)
        out.append(f'<circle cx="{cx}" cy="{cy}" r="1.1"/>')
    cx, cy = at(0, 0)
    out.append(f'<path d="M{cx} {cy} m-6 5 l6 -13 l6 13 z" class="robot" transform="rotate(90 {cx} {cy})"/>')
    return "\n".join(out)


def main():
    with open(sys.argv[1], newline="") as file:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
    before = [(r["x_before"], r["y_before"]) for r in rows]
    after = [(r["x_after"], r["y_after"]) for r in rows]
    svg = f"""<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH}" height="{HEIGHT}" \
viewBox="0 0 {2 * WIDTH} {HEIGHT}" font-family="sans-serif" font-size="15">
<style>.wall {{ fill: none; stroke: #999; stroke-dasharray: 5 4 }} circle {{ fill: #1f5fa8 }} .robot {{ fill: #c0392b }} \
text {{ fill: #333 }}</style>
<rect width="100%" height="100%" fill="#fff"/>
{panel(before, "as measured, turning at 143°/s", 0)}
{panel(after, "deskewed to the end of the scan", WIDTH)}
</svg>
"""
    with open(sys.argv[2], "w") as file:
        file.write(svg)


main()
