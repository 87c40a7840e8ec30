"""Draw the pictures of ``docs/operators.md``: what runs where on one machine, in a lab and on a cluster.

python tools/diagrams.py    writes docs/img/run-*.svg
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "img"
WIDTH, ROW, GAP, HIGH = 860, 112, 20, 64
STYLE = """
.ground { fill: #ffffff; } .box { fill: #f0f1ef; stroke: #0f6e84; stroke-width: 1.5; }
.data { fill: #e4f1f4; } .group { fill: none; stroke: #8a9499; stroke-dasharray: 5 4; }
text { font: 14px system-ui, sans-serif; fill: #1d2327; } .small { font-size: 12px; fill: #4a555b; }
line { stroke: #4a555b; stroke-width: 1.5; } #head path { fill: #4a555b; }
@media (prefers-color-scheme: dark) {
  .ground { fill: #14181a; } .box { fill: #1e2427; stroke: #4fb3c9; } .data { fill: #17353d; }
  .group { stroke: #6d787d; } text { fill: #e6e9ea; } .small { fill: #b4bdc1; }
  line { stroke: #b4bdc1; } #head path { fill: #b4bdc1; }
}
"""


@dataclass(frozen=True)
class Box:
    """A program or a store. ``at`` is its left edge, and ``wide`` its width, in pixels."""

    name: str
    about: str
    row: int
    at: int
    wide: int = 190
    is_data: bool = False

    @property
    def top(self) -> int:
        """The upper edge."""
        return 46 + self.row * ROW

    @property
    def middle(self) -> int:
        """The horizontal center."""
        return self.at + self.wide // 2


@dataclass(frozen=True)
class Diagram:
    """A picture: its boxes, the arrows between them by name, and the machines around the boxes of some rows."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[tuple[str, str], ...]
    groups: tuple[tuple[str, int, int, int, int], ...]
    """The label, the first and last row, the left edge and the width."""


ONE = Diagram(
    "Touchstone on one machine",
    (
        Box("Browsers", "people", 0, 335),
        Box("HTTPS proxy", "nginx, Caddy, HAProxy", 1, 335),
        Box("touchstone serve", "web process, job processes", 2, 120),
        Box("worker", "runs, emails; touchstone serve starts it", 2, 400, 270),
        Box("touchstone.db", "SQLite", 3, 60, is_data=True),
        Box("media/, releases/", "in TOUCHSTONE_HOME", 3, 270, is_data=True),
        Box("touchstone backup", "every night, to another disk", 3, 480, 210),
        Box("Models", "local or remote", 2, 725, 115),
    ),
    (
        ("Browsers", "HTTPS proxy"),
        ("HTTPS proxy", "touchstone serve"),
        ("touchstone serve", "touchstone.db"),
        ("touchstone serve", "media/, releases/"),
        ("worker", "media/, releases/"),
        ("worker", "touchstone.db"),
        ("worker", "Models"),
    ),
    (("one machine", 1, 3, 20, 688),),
)
LAB = Diagram(
    "Touchstone in a lab",
    (
        Box("Browsers", "through your HTTPS proxy", 0, 260),
        Box("Prometheus", "/metrics of each process", 0, 40),
        Box("HAProxy", "each person at one web process", 1, 230, 250),
        Box("web1", "touchstone serve --no-worker", 2, 40, 210),
        Box("web2", "touchstone serve --no-worker", 2, 270, 210),
        Box("worker", "touchstone worker", 2, 500, 150),
        Box("PostgreSQL", "all state", 3, 60, is_data=True),
        Box("TOUCHSTONE_HOME", "media, releases, keys", 3, 280, is_data=True),
        Box("touchstone backup", "every night, to another disk", 3, 485, 210),
        Box("Models", "vLLM with GPUs", 2, 725, 115),
    ),
    (
        ("Browsers", "HAProxy"),
        ("Prometheus", "web1"),
        ("HAProxy", "web1"),
        ("HAProxy", "web2"),
        ("web1", "PostgreSQL"),
        ("web2", "PostgreSQL"),
        ("web1", "TOUCHSTONE_HOME"),
        ("web2", "TOUCHSTONE_HOME"),
        ("worker", "PostgreSQL"),
        ("worker", "TOUCHSTONE_HOME"),
        ("worker", "Models"),
    ),
    (("one machine: deploy/compose.yaml", 1, 3, 20, 688),),
)
CLUSTER = Diagram(
    "Touchstone on a cluster",
    (
        Box("Browsers", "people", 0, 335),
        Box("HAProxy or nginx", "HTTPS; examples/front_servers", 1, 315, 230),
        Box("web machine 1", "touchstone serve --no-worker", 2, 40, 210),
        Box("web machine 2", "touchstone serve --no-worker", 2, 270, 210),
        Box("GPU machines", "a touchstone worker for each GPU", 2, 520, 250),
        Box("PostgreSQL", "all state", 3, 60, is_data=True),
        Box("TOUCHSTONE_HOME", "one folder for all, such as NFS", 3, 280, 230, is_data=True),
        Box("Batch engines", "vLLM and others, by files", 3, 570, 200),
    ),
    (
        ("Browsers", "HAProxy or nginx"),
        ("HAProxy or nginx", "web machine 1"),
        ("HAProxy or nginx", "web machine 2"),
        ("web machine 1", "PostgreSQL"),
        ("web machine 2", "PostgreSQL"),
        ("web machine 1", "TOUCHSTONE_HOME"),
        ("web machine 2", "TOUCHSTONE_HOME"),
        ("GPU machines", "PostgreSQL"),
        ("GPU machines", "TOUCHSTONE_HOME"),
        ("GPU machines", "Batch engines"),
    ),
    (),
)
DIAGRAMS = {"run-one-machine": ONE, "run-lab": LAB, "run-cluster": CLUSTER}


def svg(diagram: Diagram) -> str:
    """Return the picture, readable in light and dark."""
    boxes = {box.name: box for box in diagram.boxes}
    rows = 1 + max(box.row for box in diagram.boxes)
    height = 46 + rows * ROW - (ROW - HIGH) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(diagram.title)}</title><style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 8 4 0 8z"/></marker></defs>',
        f'<rect class="ground" width="{WIDTH}" height="{height}" rx="8"/>',
    ]
    for label, first, last, left, wide in diagram.groups:
        top, bottom = 46 + first * ROW - 24, 46 + last * ROW + HIGH + 10
        parts.append(f'<rect class="group" x="{left}" y="{top}" width="{wide}" height="{bottom - top}" rx="8"/>')
        parts.append(f'<text class="small" x="{left + 10}" y="{top + 16}">{escape(label)}</text>')
    parts += [_arrow(boxes[start], boxes[end]) for start, end in diagram.arrows]
    for box in diagram.boxes:
        style = "box data" if box.is_data else "box"
        parts.append(f'<rect class="{style}" x="{box.at}" y="{box.top}" width="{box.wide}" height="{HIGH}" rx="6"/>')
        for text, down, size in ((box.name, 27, ""), (box.about, 47, ' class="small"')):
            place = f'x="{box.middle}" y="{box.top + down}" text-anchor="middle"'
            parts.append(f"<text{size} {place}>{escape(text)}</text>")
    return "\n".join([*parts, "</svg>", ""])


def _arrow(start: Box, end: Box) -> str:
    if start.row == end.row:
        x1, y1, x2, y2 = start.at + start.wide, start.top + HIGH // 2, end.at, end.top + HIGH // 2
    else:
        x1, y1, x2, y2 = start.middle, start.top + HIGH, end.middle, end.top
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" marker-end="url(#head)"/>'


def main() -> int:
    """Write the pictures."""
    for name, diagram in DIAGRAMS.items():
        (FOLDER / f"{name}.svg").write_text(svg(diagram), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
