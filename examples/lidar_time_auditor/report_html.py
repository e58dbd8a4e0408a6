# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained page: the findings, and plots of what they rest on."""

from html import escape
from typing import Any, List

from .report_text import finding_text, scans_text, stream_row
from .result import Result
from .units import duration, moment

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #ddd; } h3 { font-size: 1rem; }
.error { color: #b2182b; } .warning { color: #b35806; } .note { color: #555; }
ol.findings li { margin: .6rem 0; } .where { color: #555; }
table { border-collapse: collapse; font-size: 13px; } th, td { padding: .15rem .6rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } tr:nth-child(even) { background: #f6f6f6; }
img { max-width: 100%; } .scroll { overflow-x: auto; } footer { color: #777; font-size: 12px; margin-top: 3rem; }
"""
_COLUMNS = ["stream", "messages", "rate [Hz]", "data [kB/s]", "period median [ms]", "jitter p95 [ms]", "longest [ms]",
            "delay median [ms]", "delay p95 [ms]", "delay max [ms]", ""]  # fmt: skip
_MOST_STREAMS = 24  # with a plot


def _image(png: str, text: str) -> str:
    return f'<img alt="{escape(text)}" src="data:image/png;base64,{png}">'


def _findings(result: Result) -> List[str]:
    out = ["<h2>Findings</h2>"]
    out += [f'<p class="error">{escape(str(problem))}</p>' for problem in result.problems]
    if not result.findings:
        out.append("<p>Nothing wrong was found.</p>")
    else:
        out.append('<ol class="findings">')
        for item in result.findings:
            label = f'<b class="{item.severity_name}">{item.severity_name}</b>'
            out.append(f"<li>{label} {escape(finding_text(item))}</li>")
        out.append("</ol>")
    if result.fine:
        out.append(f"<p>Fine: {escape(', '.join(result.fine))}.</p>")
    if result.remarks:
        out.append("<h3>Worth knowing</h3><ul>")
        out += [f'<li class="note">{escape(finding_text(item))}</li>' for item in result.remarks]
        out.append("</ul>")
    return out


def _scans(result: Result, start_ns: int) -> List[str]:
    from . import plots

    out = []
    for scans in result.scans:
        out.append(f"<h2>{escape(scans.topic)}</h2><ul>")
        out += [f"<li>{escape(line)}</li>" for line in scans_text(scans)]
        out.append("</ul>")
        png = plots.durations_and_margins(scans, start_ns)
        if png:
            out.append(_image(png, f"duration and IMU margins of each scan of {scans.topic}"))
        for shown in scans.drawn:
            out.append(f"<h3>{escape(shown.title)}</h3>")
            png = plots.point_times(shown.times_ms, shown.rings, shown.limits)
            out.append(_image(png, f"point times of {shown.title}"))
    return out


def _streams(result: Result, start_ns: int) -> List[str]:
    from . import plots

    out = ["<h2>Topics</h2>", '<div class="scroll"><table><tr>']
    out += [f"<th>{escape(c)}</th>" for c in _COLUMNS]
    out.append("</tr>")
    streams = [s for s in result.streams if s.report is not None]
    for stream in streams:
        out.append("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in stream_row(stream)) + "</tr>")
    out.append("</table></div>")
    troubled = {t for i in result.findings for t in (i.topics or [i.topic])}
    drawn = [s for s in streams if s.curve is not None and not s.static]
    drawn.sort(key=lambda s: (s.name not in troubled, s.name))
    for stream in drawn[:_MOST_STREAMS]:
        png = plots.intervals_and_delay(stream, start_ns)
        if png:
            out.append(f"<h3>{escape(stream.name)}</h3>")
            out.append(_image(png, f"intervals and delay of {stream.name}"))
    if len(drawn) > _MOST_STREAMS:
        out.append(f"<p>{len(drawn) - _MOST_STREAMS} more streams are in the table only.</p>")
    return out


def page(result: Any) -> str:
    """The part of the page that belongs to one recording."""
    out = [f"<h1>{escape(result.path)}</h1>"]
    if result.first_log_ns is not None:
        start, end = result.first_log_ns or 0, result.last_log_ns or 0
        out.append(
            f'<p class="where">{escape(result.format)}, {result.messages} messages in {escape(duration(end - start))}, from '
            f"{escape(moment(start, result.log_is_unix))} (log clock: {escape(result.log_clock)})</p>"
        )
    out += _findings(result)
    if result.messages:
        start = result.first_log_ns or 0
        out += _scans(result, start) + _streams(result, start)
    return "\n".join(out)


def write_html(path: str, results: List[Result]) -> None:
    body = "\n<hr>\n".join(page(r) for r in results)
    text = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n<title>Time stamps of a recording</title>\n'
        f"<style>{_STYLE}</style></head><body>\n{body}\n"
        "<footer>lidar_time_auditor. A suspicion is not proof; times are those of the recording's clocks.</footer>\n"
        "</body></html>\n"
    )
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
