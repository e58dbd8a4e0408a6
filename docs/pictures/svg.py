# SPDX-License-Identifier: BSD-3-Clause
"""What the pictures share: a card that brings its own background, dark where the reader's system is dark."""

LIGHT = {
    "card": "#ffffff", "edge": "#d9dee5", "ink": "#24313f", "soft": "#66758a", "grid": "#e3e7ed", "blue": "#1f5fa8",
    "band": "#cfe0f5", "green": "#2f8f57", "greenband": "#d3ecdc", "red": "#c0392b", "redband": "#f6d7d3",
    "amber": "#b9770e", "amberband": "#f7e6c4", "violet": "#8e5bb0", "box": "#f3f6fa",
}  # fmt: skip
DARK = {
    "card": "#1d2329", "edge": "#3a444f", "ink": "#e3e9ef", "soft": "#9fb0c2", "grid": "#323b45", "blue": "#7ab4f0",
    "band": "#2b4665", "green": "#66c08a", "greenband": "#234a35", "red": "#f08a7c", "redband": "#5c2d28",
    "amber": "#e9b455", "amberband": "#574420", "violet": "#c59be0", "box": "#27303a",
}  # fmt: skip


def _rules(colours):
    lines = [f".card{{fill:{colours['card']};stroke:{colours['edge']}}}", f"text{{fill:{colours['ink']}}}"]
    for name, colour in colours.items():
        lines.append(f".{name}{{fill:{colour}}} .s-{name}{{stroke:{colour};fill:none}}")
    lines.append(f".softtext{{fill:{colours['soft']}}} .boxed{{fill:{colours['box']};stroke:{colours['soft']}}}")
    return "\n".join(lines)


class Picture:
    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def add(self, part):
        self.parts.append(part)

    def text(self, x, y, what, anchor="middle", size=14, css="", extra=""):
        what = str(what).replace("&", "&amp;").replace("<", "&lt;")
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" class="{css}" {extra}>{what}</text>')

    def line(self, x1, y1, x2, y2, css="s-ink", width=1.0, extra=""):
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{css}" stroke-width="{width}" {extra}/>')

    def arrow(self, x1, y1, x2, y2, css="ink", width=1.4, extra=""):
        self.line(x1, y1, x2, y2, "s-" + css, width, f'marker-end="url(#{css})" {extra}')

    def rect(self, x, y, w, h, css, extra=""):
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" class="{css}" {extra}/>')

    def dot(self, x, y, r=3.5, css="blue", extra=""):
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" class="{css}" {extra}/>')

    def cross(self, x, y, r=4.5, css="s-red"):
        self.line(x - r, y - r, x + r, y + r, css, 2)
        self.line(x - r, y + r, x + r, y - r, css, 2)

    def path(self, points, css, width=1.5, close=False, extra=""):
        shape = "polygon" if close else "polyline"
        where = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<{shape} points="{where}" class="{css}" stroke-width="{width}" {extra}/>')

    def save(self, path):
        heads = "".join(
            f'<marker id="{css}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="10" markerHeight="10" '
            f'markerUnits="userSpaceOnUse" orient="auto">'
            f'<path d="M0 0 L8 4 L0 8 z" class="{css}"/></marker>'
            for css in ("ink", "blue", "red", "soft", "green")
        )
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="Helvetica, Arial, sans-serif" role="img">\n'
                f"<title>{self.title}</title>\n<style>\n{_rules(LIGHT)}\n@media (prefers-color-scheme: dark) {{\n{_rules(DARK)}\n}}\n"
                f"</style>\n<defs>{heads}</defs>\n"
                f'<rect x="0.5" y="0.5" width="{self.width - 1}" height="{self.height - 1}" rx="8" class="card"/>\n'
                + "\n".join(self.parts)
                + "\n</svg>\n"
            )
