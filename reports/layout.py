"""Arrange a table for reading: the same columns on a page, on paper and in a CSV file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from reports.content import Cell, Figure, ReportTable
from reports.words import number

NOTHING = "\N{EN DASH}"

Kind = Literal["text", "number", "interval", "why"]


@dataclass(frozen=True)
class SplitTable:
    """A table whose figures are split into separate columns."""

    columns: tuple[str, ...]
    kinds: tuple[Kind, ...]
    rows: tuple[tuple[str, ...], ...]


def spread(table: ReportTable) -> SplitTable:
    """Return the table for reading.

    A single column of figures becomes value, interval, n, left out and remark. Several columns of figures keep one cell
    each, with a second line. Empty columns are hidden, and so is a criterion or dimension that is the same in all rows.
    """
    table = _without_repetition(table)
    holders = [at for at in range(len(table.columns)) if any(isinstance(row[at], Figure) for row in table.rows)]
    whole = len(holders) != 1
    columns: list[str] = []
    kinds: list[Kind] = []
    for at, name in enumerate(table.columns):
        if at in holders and not whole:
            columns += [name, "95 % interval", "n", "left out", "remark"]
            kinds += ["number", "interval", "number", "number", "why"]
        else:
            columns.append(name)
            plain = all(isinstance(row[at], int | float | Figure | None) for row in table.rows)
            kinds.append("number" if plain and table.rows else "text")
    rows = tuple(_row(row, holders, whole) for row in table.rows)
    kept = [at for at in range(len(columns)) if any(row[at] not in ("", NOTHING) for row in rows)]
    return SplitTable(
        tuple(columns[at] for at in kept),
        tuple(kinds[at] for at in kept),
        tuple(tuple(row[at] for at in kept) for row in rows),
    )


def _without_repetition(table: ReportTable) -> ReportTable:
    same = {
        at
        for at, name in enumerate(table.columns)
        if name in ("criterion", "dimension") and len({row[at] for row in table.rows}) == 1
    }
    kept = [at for at in range(len(table.columns)) if at not in same]
    rows = tuple(tuple(row[at] for at in kept) for row in table.rows)
    return replace(table, columns=tuple(table.columns[at] for at in kept), rows=rows)


def _row(row: tuple[Cell, ...], holders: list[int], whole: bool) -> tuple[str, ...]:
    cells: list[str] = []
    for at, cell in enumerate(row):
        if at in holders and not whole:
            figure = cell if isinstance(cell, Figure) else Figure.without("")
            cells += [
                value(figure),
                limits(figure),
                f"{figure.n_units:,}",
                f"{figure.n_left_out:,}",
                figure.reason or "",
            ]
        else:
            cells.append(cell_in_words(cell))
    return tuple(cells)


def cell_in_words(cell: Cell) -> str:
    """Return a cell in words. The text after a line break is less important."""
    if cell is None:
        return NOTHING
    if isinstance(cell, Figure):
        lost = f", {cell.n_left_out:,} left out" if cell.n_left_out else ""
        second = (
            cell.reason if cell.value is None else f"{limits(cell, bare=True)} n\u00a0{cell.n_units:,}{lost}".strip()
        )
        return f"{value(cell)}\n{second}"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return number(cell)
    return cell


def value(found: Figure) -> str:
    """Return only the value of a figure."""
    if found.value is None:
        return NOTHING
    return f"{number(100 * found.value, 1)} %" if found.share else number(found.value)


def limits(found: Figure, *, bare: bool = False) -> str:
    """Return the interval of a figure."""
    if found.low is None or found.high is None:
        return "" if bare else NOTHING
    many, digits = (100.0, 1) if found.share else (1.0, 3)
    unit = " %" if found.share else ""
    return f"[{number(many * found.low, digits)}, {number(many * found.high, digits)}]{unit}"
