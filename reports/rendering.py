"""Render charts as SVG without a browser.

The converter (``vl_convert``) contains a JavaScript engine of about 70 MB. The process that serves pages never loads
the converter: ``svg_files`` runs it in a separate process, and reports are also made in one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Literal

from domain.module_names import PACKAGE, process_of
from reports.vega import QUIET, WIDTH, ChartSpec

VEGA_LITE = "6.4"
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first font comes with the converter, so that Latin text has the same width on every machine."""
ROOM = 1.15
"""Factor by which texts are measured larger than shown, because a reader's own font may be wider."""

Theme = Literal["page", "light", "dark"]
"""``page`` uses the colors of the page around the chart. The other themes have their own background."""
THEMES: Mapping[Theme, Mapping[str, str | None]] = {
    "page": {"paper": None, "ink": "var(--ink)", "muted": "var(--muted)", "grid": "var(--grid)"},
    "light": {"paper": "#ffffff", "ink": "#1a2228", "muted": "#59656e", "grid": "#dde3e7"},
    "dark": {"paper": "#11171b", "ink": "#e8edf0", "muted": "#a3afb7", "grid": "#2c363d"},
}
_HEAD = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"[^>]*>')
_HIDDEN = re.compile(r'<text [^>]*opacity="0"[^>]*>[^<]*</text>|<path [^>]*d=""[^>]*/>')
_IDLE = re.compile(r' (?:font-family|pointer-events|aria-\w+|role)="[^"]*"| opacity="1"')
"""Attributes that change nothing, because the whole chart is one picture with one font."""


def svg(chart: ChartSpec, theme: Theme = "page") -> str:
    """Return the chart as an ``<svg>`` element with its title and its numbers in words."""
    return _svg(_sized(chart), chart.key, chart.title, theme)


def figure(charts: Sequence[ChartSpec]) -> str:
    """Return a figure for a page: one chart, or the parts of a tall chart, below their title."""
    return f"<figure><figcaption>{escape(charts[0].title)}</figcaption>{''.join(map(svg, charts))}</figure>"


def svg_files(charts: Sequence[ChartSpec]) -> dict[str, bytes]:
    """Return two files of each chart: ``KEY.svg`` on light paper and ``KEY-dark.svg`` on dark paper."""
    if not charts:
        return {}
    order = json.dumps([[_sized(chart), chart.key, chart.title] for chart in charts])
    rooms = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, (rooms, os.environ.get("PYTHONPATH"))))
    env = {**os.environ} if PACKAGE else {**os.environ, "PYTHONPATH": path}
    command = process_of("reports.rendering")
    done = subprocess.run(command, input=order.encode(), stdout=subprocess.PIPE, check=True, env=env)
    return {name: text.encode() for name, text in json.loads(done.stdout).items()}


def _sized(chart: ChartSpec) -> dict[str, Any]:
    return {**chart.spec(), "width": chart.width or WIDTH}


def _svg(spec: Mapping[str, Any], key: str, title: str, theme: Theme) -> str:
    import vl_convert

    colors = THEMES[theme]
    whole = {**spec, "autosize": {"type": "fit", "contains": "padding"}, "config": _config(colors)}
    text = json.dumps(whole).replace(json.dumps(QUIET), json.dumps(colors["muted"]))
    drawn = vl_convert.vegalite_to_svg(text, vl_version=VEGA_LITE)
    head = _HEAD.search(drawn)
    assert head is not None, "the converter writes a header"
    width, height = head[1], head[2]
    name = escape(key, quote=True)
    drawn = _IDLE.sub("", _HIDDEN.sub("", drawn[head.end() :]))
    drawn = re.sub(r'font-size="([\d.]+)px"', lambda size: f'font-size="{float(size[1]) / ROOM:.4g}px"', drawn)
    drawn = re.sub(r'((?: id="|url\(#|href="#))', rf"\g<1>{name}-", drawn)
    size = f'width="{width}" height="{height}" font-family="{FONT}"'
    if theme == "page":
        size = f'style="max-width:{width}px"'
    described = str(spec["description"]).removeprefix(title).strip()
    return (
        f'<svg class="chart" role="img" aria-labelledby="{name}-t {name}-d" viewBox="0 0 {width} {height}" {size} '
        f'xmlns="http://www.w3.org/2000/svg"><title id="{name}-t">{escape(title)}</title>'
        f'<desc id="{name}-d">{escape(described)}</desc>{drawn}'
    )


def _config(colors: Mapping[str, str | None]) -> dict[str, Any]:
    ink, muted, grid = colors["ink"], colors["muted"], colors["grid"]
    words = {"labelFontSize": 11 * ROOM, "titleFontSize": 11 * ROOM, "titleFontWeight": "normal", "titleColor": muted}
    axis = {**words, "labelColor": muted, "gridColor": grid, "domainColor": grid, "tickColor": grid}
    return {
        "aria": False,
        "background": colors["paper"],
        "font": FONT,
        "view": {"stroke": None},
        "text": {"fontSize": 10 * ROOM},
        "axis": axis,
        "axisY": {"labelColor": ink},
        "legend": {**words, "labelColor": ink, "symbolSize": 70},
    }


def _render(order: Sequence[tuple[Mapping[str, Any], str, str]]) -> dict[str, str]:
    """Return the text of each file by its name."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    suffixes: Mapping[Theme, str] = {"light": "", "dark": "-dark"}
    return {
        f"{key}{suffix}.svg": f"{head}{_svg(spec, key, title, theme)}\n"
        for spec, key, title in order
        for theme, suffix in suffixes.items()
    }


if __name__ == "__main__":
    json.dump(_render(json.load(sys.stdin)), sys.stdout)
