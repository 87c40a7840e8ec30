"""A report as one HTML file that loads nothing from other addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path

from reports.content import Block, ChartBlock, HtmlBlock, Paragraph, ReportTable, UnitSelection
from reports.layout import spread
from reports.rendering import figure
from reports.words import name_list

LONG = 14
"""Rows beyond which a table has its own scroll bar. On paper, all rows are printed."""
SHORT, WRAPPED = ' class="s"', ' class="w"'

Where = Callable[[UnitSelection], str]
"""Returns the address of the units behind a row."""


def fragment(html: str) -> str:
    """Return a part of a report with its style, for a page of the app."""
    return f'<style>{style()}</style><div class="report">{html}</div>'


def document(title: str, body: str, *, style_of: str = "report") -> str:
    """Return a page with its style. The policy in its head keeps the browser from loading anything else."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style()}</style></head>"
        f'<body><main class="{style_of}">{body}</main></body></html>\n'
    )


@cache
def style() -> str:
    """Return the style sheet."""
    return (Path(__file__).parent / "report.css").read_text(encoding="utf-8")


def blocks(found: Sequence[Block]) -> Iterator[str]:
    """Return the blocks of a section as HTML, charts as SVG."""
    for block in found:
        if isinstance(block, ChartBlock):
            yield figure(block.parts())
        else:
            yield from part(block, None)


def part(block: Block, where: Where | None) -> Iterator[str]:
    """Yield a block that is no chart as HTML. Tables link to the units behind their rows, where ``where`` says."""
    if isinstance(block, Paragraph):
        tone = "" if block.tone == "plain" else f' class="{block.tone}"'
        yield f"<p{tone}>{escape(block.words)}</p>"
    elif isinstance(block, ReportTable):
        yield from _table(block, where)
    elif isinstance(block, HtmlBlock):
        yield from block.html()


def _table(table: ReportTable, where: Where | None) -> Iterator[str]:
    shown = spread(table)
    leads = [_way(behind, where) for behind in table.behind] if where and any(table.behind) else []
    yield f"<h3>{escape(table.title)}</h3>"
    if table.unit:
        yield f'<p class="unit">{escape(table.unit)}</p>'
    kinds = {"number": ' class="n"', "interval": ' class="interval"', "why": ' class="why"', "text": ""}
    long = len(shown.rows) > LONG
    reached = f' tabindex="0" role="region" aria-label="{escape(table.title)}"'  # a wide table also scrolls
    yield f'<div class="scroll{" long" if long else ""}"{reached}><table><thead><tr>'
    for name, kind in zip(shown.columns, shown.kinds, strict=True):
        yield f"<th{kinds[kind] if kind == 'number' else ''}>{escape(name)}</th>"
    yield f"{'<th></th>' if leads else ''}</tr></thead><tbody>"
    for row, way in zip(shown.rows, leads or [""] * len(shown.rows), strict=True):
        cells = (
            f"<td{kinds[kind] or (SHORT if len(cell) <= 32 else '')}>{_cell(cell)}</td>"
            for cell, kind in zip(row, shown.kinds, strict=True)
        )
        yield f"<tr>{''.join(cells)}{way}</tr>"
    yield "</tbody></table></div>"
    if table.note:
        yield f'<p class="note">{escape(table.note)}</p>'


def _way(behind: UnitSelection | None, where: Where | None) -> str:
    if behind is None or where is None:
        return "<td></td>"
    if behind.unit is not None:
        title, shown = f"All data about {behind.unit}", "item"
    elif behind.values is not None:
        most, last = behind.values
        title, shown = f"Items that most people rated {most} and {behind.raters[-1]} rated {last}", "items"
    else:
        title, shown = f"Units that {name_list(behind.raters)} rated differently", "differences"
    return f'<td><a href="{escape(where(behind))}" target="_self" title="{escape(title)}">{shown}</a></td>'


def _cell(text: str) -> str:
    first, _, second = text.partition("\n")
    return escape(first) + (f"<small{WRAPPED if len(second) > 44 else ''}>{escape(second)}</small>" if second else "")
