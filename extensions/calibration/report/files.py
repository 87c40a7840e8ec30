"""Write a report: the verdict as text, HTML, the judge card, optional PDF, tables as CSV, and all numbers as JSON."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

from domain.csv_text import Writer
from extensions.calibration.report import card, pdf, report_html
from extensions.calibration.report.rulings import Rulings
from extensions.calibration.report.whole import CalibrationReport
from reports.content import Cell, Figure, ReportTable, as_json

FIGURE = ("value", "low", "high", "n_units", "n_left_out", "n_raters", "method", "reason")
"""The columns of a figure in a CSV file, after the name of its column."""


def write(report: CalibrationReport, folder: Path, *, paper: bool = False) -> list[Path]:
    """Write all files of a report, in this order.

    Files of the same name are replaced. ``paper``: also write PDF files.
    """
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    made = contents(report)
    if paper:
        made += [("report.pdf", pdf.printed(report_html.page(report_html.shortened(report))))]
        made += [("card.pdf", pdf.printed(card.page(report)))]
    for name, content in made:
        beside = folder / f"{name}.part"
        beside.write_bytes(content)
        os.replace(beside, folder / name)
    return [folder / name for name, _ in made]


def contents(report: CalibrationReport) -> list[tuple[str, bytes]]:
    """Return the files of a report as pairs of path and content."""
    return [
        ("verdict.txt", text(report).encode()),
        ("report.html", report_html.page(report).encode()),
        ("card.html", card.page(report).encode()),
        ("report.json", numbers(report).encode()),
        *((f"tables/{table.key}.csv", csv_text(table).encode()) for table in report.tables()),
    ]


def text(report: CalibrationReport) -> str:
    """Return the verdicts on whole criteria as plain text, with their sentences."""
    rulings = [
        ruling
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Rulings)
        for ruling in block.rulings
    ]
    lines = []
    for ruling in rulings:
        lines += [f"{ruling.about}: {ruling.words}", *([f"  {ruling.counted}"] if ruling.counted else [])]
        lines += [f"  - {why}" for why in ruling.why]
    return "\n".join(lines) + "\n"


def numbers(report: CalibrationReport) -> str:
    """Return the whole report as JSON. The same ratings and settings give the same text."""
    return json.dumps(as_json(report), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def csv_text(table: ReportTable) -> str:
    """Return a table as CSV, without rounding."""
    out = io.StringIO(newline="")
    writer = Writer(out)
    holders = {at for row in table.rows for at, cell in enumerate(row) if isinstance(cell, Figure)}
    alone = len(holders) == 1
    head: list[str] = []
    for at, name in enumerate(table.columns):
        head += [part if alone else f"{name}: {part}" for part in FIGURE] if at in holders else [name]
    writer.writerow(head)
    for row in table.rows:
        cells: list[Any] = []
        for at, cell in enumerate(row):
            if at in holders:
                figure = cell if isinstance(cell, Figure) else None
                cells += [_plain(getattr(figure, part)) if figure else "" for part in FIGURE]
            else:
                cells.append(_plain(cell))
        writer.writerow(cells)
    return out.getvalue()


def _plain(cell: Cell) -> Any:
    return "" if cell is None else repr(cell) if isinstance(cell, float) else cell
