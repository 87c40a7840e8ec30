"""A study through the touchstone command, in this process, and its tables held against what they have to say."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from app import services
from app.cli import cli
from benchmarks.manners_answers import unexplained_losses
from benchmarks.papers.study import Study
from benchmarks.papers.truth import NOTHING, Table
from extensions.paper_tables import drawn_tables, paper_tables

Names = Sequence[tuple[str, str]]
LOSSES = "unexplained losses"
"""Among the tables: the answers that are not read as their dice say, if there are any."""


@dataclass(frozen=True)
class Compared:
    """A table as it was printed next to what it has to say."""

    name: str
    cells: int
    wrong: tuple[str, ...]
    """A sentence each."""


def run(study: Study, home: Path) -> list[Compared]:
    """Bring everything in, print all tables, and compare each in three forms: as JSON, as CSV and as on its page."""
    home.mkdir(parents=True, exist_ok=True)
    before = os.environ.get("TOUCHSTONE_HOME")
    os.environ["TOUCHSTONE_HOME"] = str(home)
    services.resources.cache_clear()
    try:
        for step in study.steps:
            _said(*step)
        out = home / "tables"
        made = json.loads(_said("table", "export", study.schema, "--format", "json", "--out", str(out)))["tables"]
        page = paper_tables.of_project(services.resources().store, project=study.schema, items=None)
        drawn = {table.name: drawn_tables.html(table) for table in page.tables}
        losses = unexplained_losses(services.resources().store, study.schema, study.stated) if study.stated else []
    finally:
        services.resources.cache_clear()
        if before is None:
            del os.environ["TOUCHSTONE_HOME"]
        else:
            os.environ["TOUCHSTONE_HOME"] = before
    there = {table["name"]: table for table in made}
    found = [Compared(LOSSES, 0, tuple(losses))] if losses else []
    found += [_compared(table, there.get(table.name), out, drawn.get(table.name, "")) for table in study.tables]
    expected = {table.name for table in study.tables}
    for name, table in there.items():
        if name not in expected:
            why = study.left_out.get(name)
            good = why is not None and table["why"] is not None and why in table["why"]
            wrong = () if good else (f"{name}: nothing says what stands there; it says {table['why']!r}",)
            found.append(Compared(name, 0, wrong))
    return found


def _said(*arguments: str) -> str:
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    if done.exit_code:
        raise RuntimeError(f"touchstone {' '.join(arguments)}: {done.output}")
    return done.stdout


def _compared(table: Table, made: Mapping[str, Any] | None, out: Path, page: str) -> Compared:
    if made is None or made["why"]:
        why = made["why"] if made else "there is no such table"
        return Compared(table.name, len(table.cells), (f"{table.name}: not made: {why}",) * max(len(table.cells), 1))
    wrong: list[str] = []
    rows, columns = (_names(made[axis]) for axis in ("rows", "columns"))
    for axis, found, wanted in (("rows", rows, table.rows), ("columns", columns, table.columns)):
        if list(found) != wanted:
            wrong.append(f"{table.name}: {axis} {list(found)} instead of {wanted}")
    shown = {
        (row, column): cell["printed"]
        for row, line in zip(rows, made["rows"], strict=True)
        for column, cell in zip(columns, line["cells"], strict=True)
    }
    written = _of_csv((out / f"{table.name}.csv").read_text(encoding="utf-8"), rows, columns)
    on_page = _of_page(page, rows, columns)
    for place in dict.fromkeys([*table.cells, *shown]):
        wanted = table.cells.get(place, "no cell")
        forms = (shown.get(place, "no cell"), written.get(place, "no cell"), on_page.get(place, "no cell"))
        if forms != (wanted, "" if wanted == NOTHING else wanted, wanted):
            wrong.append(f"{table.name}, {place}: {forms} instead of {wanted}")
    return Compared(table.name, len(table.cells), tuple(wrong))


def _names(lines: Sequence[Mapping[str, Any]]) -> Names:
    return [(line["group"] or "", line["title"]) for line in lines]


def _of_csv(text: str, rows: Names, columns: Names) -> dict[tuple[tuple[str, str], tuple[str, str]], str]:
    lines = list(csv.reader(io.StringIO(text)))
    first = 2 if lines[0][0] == "group" else 1
    heads = [f"{group}: {title}" if group else title for group, title in columns]
    names = [(line[0] if first == 2 else "", line[first - 1]) for line in lines[1:]]
    if lines[0][first:] != heads or names != list(rows):
        return {}
    return {
        (row, column): cell
        for row, line in zip(rows, lines[1:], strict=True)
        for column, cell in zip(columns, line[first:], strict=True)
    }


def _of_page(html: str, rows: Names, columns: Names) -> dict[tuple[tuple[str, str], tuple[str, str]], str]:
    cells = [unescape(re.sub("<[^>]+>", "", each)) for each in re.findall(r"<td[^>]*>(.*?)</td>", html)]
    places = [(row, column) for row in rows for column in columns]
    return dict(zip(places, cells, strict=True)) if len(cells) == len(places) else {}
