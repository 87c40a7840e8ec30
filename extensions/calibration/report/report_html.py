"""The calibration report as HTML: one page, or its sections for a page of the app."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from domain.english import with_noun
from extensions.calibration.report.whole import CalibrationReport
from reports.content import ChartBlock, ReportTable, Section
from reports.html import Where, blocks, document, part
from reports.vega import ChartSpec

MOST_PRINTED = 80
"""Rows of a table in a PDF. The CSV file has all rows."""


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
    note = f"{with_noun(more, 'more row is', 'more rows are')} in tables/{table.key}.csv. {table.note}".strip()
    return replace(table, rows=table.rows[:MOST_PRINTED], behind=(), note=note)


def section(found: Section) -> str:
    """Return the HTML of a section below its heading, its charts drawn."""
    return "".join([_lead(found), *blocks(found.blocks)])


def section_parts(found: Section, where: Where) -> list[str | ChartSpec]:
    """Return a section below its heading as HTML and charts in turn, for a page that draws the charts itself.

    Its tables link to the answers behind them, at the addresses that ``where`` returns.
    """
    parts: list[str | ChartSpec] = [_lead(found)]
    for block in found.blocks:
        if isinstance(block, ChartBlock):
            parts.append(block.spec())
        elif isinstance(parts[-1], str):
            parts[-1] += "".join(part(block, where))
        else:
            parts.append("".join(part(block, where)))
    return parts


def _lead(found: Section) -> str:
    return f'<p class="lead">{escape(found.lead)}</p>'


def _contents(report: CalibrationReport) -> str:
    """Return a table of contents with links to the sections."""
    links = "".join(
        f'<a href="#{escape(chapter.key)}">{chapter.number}. {escape(chapter.title)}</a>' for chapter in report.sections
    )
    return f"<nav aria-label='Sections'>{links}</nav>"


def _sections(report: CalibrationReport) -> str:
    parts = []
    for chapter in report.sections:
        parts.append(f'<section id="{escape(chapter.key)}"><h2>{chapter.number}. {escape(chapter.title)}</h2>')
        parts.append(f"{section(chapter)}</section>")
    return "".join([*parts, footer(report)])


def footer(report: CalibrationReport) -> str:
    """Return the footer with the source of the numbers."""
    return (
        f"<footer>{escape(report.made_with)}. Ratings: {escape(report.source.what)} "
        f"{escape(report.source.name)}, SHA-256 {escape(report.source.sha256)}.</footer>"
    )
