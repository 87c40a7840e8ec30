"""A report as one HTML file that loads nothing from other addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from html import escape
from pathlib import Path

from reports.charts import chart_of, parts_of
from reports.content import (
    Bars,
    Block,
    CalibrationReport,
    Dots,
    Heat,
    LineChart,
    Paragraph,
    ReportTable,
    Ruling,
    Rulings,
    Section,
    UnitSelection,
)
from reports.layout import spread
from reports.rendering import figure
from reports.vega import ChartSpec
from reports.words import name_list

LONG = 14
"""Rows beyond which a table has its own scroll bar. On paper, all rows are printed."""
MOST_PRINTED = 80
"""Rows of a table in a PDF. The CSV file has all rows."""
SHORT, WRAPPED = ' class="s"', ' class="w"'

Where = Callable[[UnitSelection], str]
"""Returns the address of the units behind a row."""


def page(report: CalibrationReport) -> str:
    """Return the whole report."""
    head = f'<h1>{escape(report.title)}</h1><p class="sub">{escape(report.subtitle)}</p>'
    return document(report.title, f"{head}{_contents(report)}{_sections(report)}")


def shortened(report: CalibrationReport) -> CalibrationReport:
    """Return the report with at most ``MOST_PRINTED`` rows in each table, and a note on the others."""
    sections = (
        replace(
            section,
            blocks=tuple(_short(block) if isinstance(block, ReportTable) else block for block in section.blocks),
        )
        for section in report.sections
    )
    return replace(report, sections=tuple(sections))


def _short(table: ReportTable) -> ReportTable:
    more = len(table.rows) - MOST_PRINTED
    if more <= 0:
        return table
    note = f"{more:,} more rows are in tables/{table.key}.csv. {table.note}".strip()
    return replace(table, rows=table.rows[:MOST_PRINTED], behind=(), note=note)


def fragment(html: str) -> str:
    """Return a part of a report with its style, for a page of the app."""
    return f'<style>{style()}</style><div class="report">{html}</div>'


def section(found: Section) -> str:
    """Return the HTML of a section below its heading, its charts drawn."""
    return "".join([_lead(found), *blocks(found.blocks)])


def section_parts(found: Section, where: Where) -> list[str | ChartSpec]:
    """Return a section below its heading as HTML and charts in turn, for a page that draws the charts itself.

    Its tables link to the answers behind them, at the addresses that ``where`` returns.
    """
    parts: list[str | ChartSpec] = [_lead(found)]
    for block in found.blocks:
        if isinstance(block, Dots | Heat | Bars | LineChart):
            parts.append(chart_of(block))
        elif isinstance(parts[-1], str):
            parts[-1] += "".join(_block(block, where))
        else:
            parts.append("".join(_block(block, where)))
    return parts


def _lead(found: Section) -> str:
    return f'<p class="lead">{escape(found.lead)}</p>'


def _contents(report: CalibrationReport) -> str:
    """Return a table of contents with links to the sections."""
    links = "".join(
        f'<a href="#{escape(each.key)}">{each.number}. {escape(each.title)}</a>' for each in report.sections
    )
    return f"<nav aria-label='Sections'>{links}</nav>"


def _sections(report: CalibrationReport) -> str:
    parts = []
    for found in report.sections:
        parts.append(f'<section id="{escape(found.key)}"><h2>{found.number}. {escape(found.title)}</h2>')
        parts.append(f"{section(found)}</section>")
    return "".join([*parts, footer(report)])


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


def footer(report: CalibrationReport) -> str:
    """Return the footer with the source of the numbers."""
    return (
        f"<footer>{escape(report.made_with)}. Ratings: {escape(report.source.what)} "
        f"{escape(report.source.name)}, SHA-256 {escape(report.source.sha256)}.</footer>"
    )


def blocks(found: Sequence[Block]) -> Iterator[str]:
    """Return the blocks of a section as HTML, charts as SVG."""
    for block in found:
        if isinstance(block, Dots | Heat | Bars | LineChart):
            yield figure(parts_of(block))
        else:
            yield from _block(block, None)


def _block(block: Block, where: Where | None) -> Iterator[str]:
    if isinstance(block, Paragraph):
        tone = "" if block.tone == "plain" else f' class="{block.tone}"'
        yield f"<p{tone}>{escape(block.words)}</p>"
    elif isinstance(block, ReportTable):
        yield from _table(block, where)
    elif isinstance(block, Rulings):
        yield from rulings(block)


def rulings(found: Rulings) -> Iterator[str]:
    """Yield the box with the verdicts."""
    yield '<div class="rulings">'
    for each in found.rulings:
        yield ruling(each)
    yield f"</div>{details(found)}"


def details(found: Rulings, *, opened: bool = True) -> str:
    """Return the rule of the verdicts, folded below the sentence that says when the rule was set."""
    lines = "".join(f"<li>{escape(line)}</li>" for line in found.rule)
    shown = " open" if opened else ""
    return f'<details class="rule"{shown}><summary>{escape(found.when)}</summary><ul>{lines}</ul></details>'


def ruling(each: Ruling) -> str:
    """Return one verdict."""
    about = " · ".join(filter(None, (each.about, each.counted)))
    why = "".join(f"<li>{escape(line)}</li>" for line in each.why)
    return f'<div class="ruling {each.verdict}"><b>{escape(each.words)}</b>{escape(about)}<ul>{why}</ul></div>'


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
        title, shown = f"All that is known of {behind.unit}", "item"
    elif behind.values is not None:
        most, last = behind.values
        title, shown = f"Where most people say {most}, and {behind.raters[-1]} {last}", "items"
    else:
        title, shown = f"What {name_list(behind.raters)} differ about", "differences"
    return f'<td><a href="{escape(where(behind))}" target="_self" title="{escape(title)}">{shown}</a></td>'


def _cell(text: str) -> str:
    first, _, second = text.partition("\n")
    return escape(first) + (f"<small{WRAPPED if len(second) > 44 else ''}>{escape(second)}</small>" if second else "")
