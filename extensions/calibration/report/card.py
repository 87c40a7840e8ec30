"""The judge card: a report on one page, for printing or for use next to a table of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from extensions.calibration.report import report_html
from extensions.calibration.report.rulings import Ruling, Rulings, ruling
from extensions.calibration.report.whole import CalibrationReport
from reports import html
from reports.charts import Dots
from reports.content import Cell, ReportTable
from reports.rendering import figure
from reports.words import number

MOST = 6
"""Number of verdicts on the page. The report has all of them."""
HIGH = 220
"""Height of the chart's rows in pixels. The report has all rows."""


def rulings(report: CalibrationReport) -> tuple[Sequence[Ruling], Sequence[str], str]:
    """Return the verdicts, the rule, and a sentence about when the rule was set."""
    boxes = [block for section in report.sections for block in section.blocks if isinstance(block, Rulings)]
    verdicts = [ruling for box in boxes for ruling in box.rulings]
    verdicts.sort(key=lambda each: each.dimension is not None)  # whole criteria first
    return verdicts, [line for box in boxes for line in box.rule], " ".join(box.when for box in boxes)


def chart(report: CalibrationReport) -> Dots | None:
    """Return the card's one chart: judges compared with people."""
    charts = [block for section in report.sections for block in section.blocks if isinstance(block, Dots)]
    return next((dots for dots in charts if dots.key.startswith("ceiling")), charts[0] if charts else None)


def facts(report: CalibrationReport) -> Sequence[str]:
    """Return a line for each judge: its identity, its scored share of requests, and the bounds of its means."""
    tables = {table.key: table for table in report.tables()}

    def rows(key: str, judge: str) -> Iterator[Mapping[str, Cell]]:
        for row in tables[key].rows if key in tables else ():
            named = dict(zip(tables[key].columns, row, strict=True))
            if named["judge"] == judge and named.get("dimension", "all") == "all":
                yield named

    lines = []
    for judge in report.judges:
        about = {str(row["what"]): str(row["is"]) for row in rows("judges_are", judge)}
        is_ = [f"{what} {about[what][:12] if 'SHA-256' in what else about[what]}" for what in about]
        scored = [f"{row['criterion']}: {_became(row)}" for row in rows("replies", judge)]
        means = [
            f"{row['criterion']}: {row['what']} {_number(row['of those scored'])}, or "
            f"{_number(row['the rest lowest'])} to {_number(row['the rest highest'])} if the other replies had the "
            "lowest or highest score"
            for row in rows("bounds", judge)
            if row["the rest lowest"] != row["the rest highest"]
        ]
        warnings = [str(row["warning"]) for row in _losses(tables, judge)]
        said_ = [", ".join(is_) or "model and prompt unknown", "; ".join([*scored, *means])]
        lines.append(f"{judge}: {'. '.join(clause for clause in said_ if clause)}.")
        lines += warnings
    return lines


def _losses(tables: Mapping[str, ReportTable], judge: str) -> Iterator[Mapping[str, Cell]]:
    """Yield the rows that warn of unreadable replies of a judge."""
    for row in tables["losses"].rows if "losses" in tables else ():
        named = dict(zip(tables["losses"].columns, row, strict=True))
        if named["warning"] and str(named["about"]).startswith(f"{judge}, "):
            yield named


def _became(row: Mapping[str, Cell]) -> str:
    """Return how many requests were scored, and why the others were not."""
    lost = row["not scored"]
    return f"{row['scored']} of {row['asked']} scored{f' ({lost})' if lost else ''}"


def _number(cell: Cell) -> str:
    return number(cell) if isinstance(cell, int | float) else "unknown"


def page(report: CalibrationReport) -> str:
    """Return the card as HTML."""
    verdicts, rule, when = rulings(report)
    shown = chart(report)
    parts = [
        f"<h1>Judge card: {escape(', '.join(report.judges))}</h1>",
        f'<p class="sub">{escape(report.subtitle)}</p>',
        f'<div class="rulings">{"".join(ruling(verdict) for verdict in verdicts[:MOST])}</div>',
        _more(len(verdicts) - MOST, "verdicts"),
    ]
    if shown is not None:
        part, left_out = shown.first_rows(HIGH)
        parts += [figure([part]), _more(left_out, "rows")]
    parts += [f'<p class="note">{escape(line)}</p>' for line in facts(report)]
    parts.append(f'<p class="note">{escape(when)}: {escape(" ".join(rule))}</p>')
    parts.append(report_html.footer(report))
    return html.document(f"Judge card: {', '.join(report.judges)}", "".join(parts), style_of="report card")


def _more(count: int, what: str) -> str:
    return f'<p class="note">{count} more {what} are in the report.</p>' if count > 0 else ""
