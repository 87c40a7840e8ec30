"""A report as one HTML file that asks nobody for anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path

from reports.charts import svg
from reports.content import Bars, Block, Dots, Heat, Lines, Report, Ruling, Rulings, Table, Text
from reports.layout import spread


def page(report: Report) -> str:
    """The whole report."""
    links = "".join(
        f'<a href="#{escape(each.key)}">{each.number}. {escape(each.title)}</a>' for each in report.sections
    )
    parts = [
        f"<h1>{escape(report.title)}</h1>",
        f'<p class="sub">{escape(report.subtitle)}</p>',
        f"<nav aria-label='Sections'>{links}</nav>",
    ]
    for section in report.sections:
        parts.append(f'<section id="{escape(section.key)}"><h2>{section.number}. {escape(section.title)}</h2>')
        parts.append(f'<p class="lead">{escape(section.lead)}</p>')
        parts += blocks(section.blocks)
        parts.append("</section>")
    parts.append(footer(report))
    return document(report.title, "".join(parts))


def document(title: str, body: str) -> str:
    """A page with its style inside. The policy in its head keeps a browser from asking anybody for anything."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style()}</style></head><body><main>{body}</main></body></html>\n"
    )


@cache
def style() -> str:
    """The style sheet."""
    return (Path(__file__).parent / "report.css").read_text(encoding="utf-8")


def footer(report: Report) -> str:
    """Where the numbers came from."""
    return (
        f"<footer>{escape(report.made_with)}. Ratings: {escape(report.source.what)} "
        f"{escape(report.source.name)}, SHA-256 {escape(report.source.sha256)}.</footer>"
    )


def blocks(found: Sequence[Block]) -> Iterator[str]:
    """The blocks of a section as HTML."""
    for block in found:
        if isinstance(block, Text):
            tone = "" if block.tone == "plain" else f' class="{block.tone}"'
            yield f"<p{tone}>{escape(block.words)}</p>"
        elif isinstance(block, Table):
            yield from _table(block)
        elif isinstance(block, Rulings):
            yield from rulings(block)
        elif isinstance(block, Dots | Heat | Bars | Lines):
            yield f"<figure><figcaption>{escape(block.title)}</figcaption>{svg(block)}</figure>"


def rulings(found: Rulings) -> Iterator[str]:
    """The verdict box."""
    yield '<div class="rulings">'
    for each in found.rulings:
        yield ruling(each)
    yield '</div><details class="rule"><summary>The rule that was set beforehand</summary><ul>'
    yield from (f"<li>{escape(line)}</li>" for line in found.rule)
    yield "</ul></details>"


def ruling(each: Ruling) -> str:
    """One verdict."""
    about = " · ".join(filter(None, (each.judge, each.criterion, each.dimension)))
    why = "".join(f"<li>{escape(line)}</li>" for line in each.why)
    return f'<div class="ruling {each.verdict}"><b>{escape(each.words)}</b>{escape(about)}<ul>{why}</ul></div>'


def _table(table: Table) -> Iterator[str]:
    shown = spread(table)
    yield f"<h3>{escape(table.title)}</h3>"
    if table.unit:
        yield f'<p class="unit">{escape(table.unit)}</p>'
    kinds = {"number": ' class="n"', "interval": ' class="interval"', "why": ' class="why"', "text": ""}
    yield '<div class="scroll"><table><thead><tr>'
    for name, kind in zip(shown.columns, shown.kinds, strict=True):
        yield f"<th{kinds[kind] if kind == 'number' else ''}>{escape(name)}</th>"
    yield "</tr></thead><tbody>"
    for row in shown.rows:
        cells = (f"<td{kinds[kind]}>{_cell(cell)}</td>" for cell, kind in zip(row, shown.kinds, strict=True))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"
    if table.note:
        yield f'<p class="note">{escape(table.note)}</p>'


def _cell(text: str) -> str:
    first, _, second = text.partition("\n")
    return escape(first) + (f"<small>{escape(second)}</small>" if second else "")
