"""Tables of a paper as text, CSV, JSON and Markdown."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from domain import csv_text
from extensions.paper_tables.paper_tables import NOTHING, PaperCell, PaperTable, PaperTables
from workflow.results.loss_files import losses_as_csv


def as_text(found: PaperTables) -> Iterator[str]:
    """Yield all tables as lines of text."""
    if found.counting is not None:
        yield found.counting.sentence
        yield ""
    for number, table in enumerate(found.tables):
        if number:
            yield ""
        yield heading(table)
        if table.why:
            yield f"  Not made: {table.why}"
            continue
        yield from (f"  {sentence}" for sentence in table.loss_notes)
        yield from (f"  {line}".rstrip() for line in _grid(table))
        if any(cell.rank == 1 for row in table.rows for cell in row.cells):
            yield "  *: highest value of the column."
        if table.note:
            yield f"  {table.note}"
        if table.reasons:
            yield f"  {NOTHING}: {' '.join(table.reasons)}"


def heading(table: PaperTable) -> str:
    """Return the name of a table, its place in the paper, and its title."""
    return f"{table.name}{f' ({table.paper})' if table.paper else ''}: {table.title}"


def _grid(table: PaperTable) -> Iterator[str]:
    rows = [[row.head.title, *(_marked(cell) for cell in row.cells)] for row in table.rows]
    heads = [table.corner, *(column.title for column in table.columns)]
    widths = [max(len(line[at]) for line in [heads, *rows]) for at in range(len(heads))]
    over = [column.group for column in table.columns]
    if any(over):
        spread = [(name if at == 0 or over[at - 1] != name else "") for at, name in enumerate(over)]
        for first, end in runs(over):  # a group may need more room than its columns have
            short = len(over[first]) - (sum(widths[1 + first : 1 + end]) + 2 * (end - first - 1))
            widths[1 + first] += max(short, 0)
        yield f"{'':<{widths[0]}}  {_over(spread, widths[1:], runs(over))}"
    yield "  ".join([f"{heads[0]:<{widths[0]}}", *(f"{h:>{w}}" for h, w in zip(heads[1:], widths[1:], strict=True))])
    group = ""
    for row, line in zip(table.rows, rows, strict=True):
        if row.head.group != group:
            group = row.head.group
            yield group
        yield "  ".join([f"{line[0]:<{widths[0]}}", *(f"{c:>{w}}" for c, w in zip(line[1:], widths[1:], strict=True))])


def runs(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the start and the end of each run of equal names."""
    starts = [at for at, name in enumerate(names) if at == 0 or names[at - 1] != name]
    return list(zip(starts, [*starts[1:], len(names)], strict=True))


def _over(names: Sequence[str], widths: Sequence[int], groups: Sequence[tuple[int, int]]) -> str:
    parts = []
    for first, end in groups:
        width = sum(widths[first:end]) + 2 * (end - first - 1)
        parts.append(f"{names[first]:>{width}}")
    return "  ".join(parts)


def _marked(cell: PaperCell) -> str:
    return f"{cell.shown}{'*' if cell.rank == 1 else ''}"


def as_csv(table: PaperTable) -> str:
    """Return a table as a CSV file. Groups of columns prefix their titles, and groups of rows have a column.

    Numbers are as printed. A missing number is an empty cell.
    """
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    grouped = any(row.head.group for row in table.rows)
    heads = [f"{column.group}: {column.title}" if column.group else column.title for column in table.columns]
    writer.writerow([*(["group"] if grouped else []), table.corner or "row", *heads])
    for row in table.rows:
        cells = ["" if cell.shown == NOTHING else cell.shown for cell in row.cells]
        writer.writerow([*([row.head.group] if grouped else []), row.head.title, *cells])
    return out.getvalue()


def table_losses_as_csv(table: PaperTable) -> str:
    """Return the losses of a table's numbers, as the table itself keeps the paper's layout; empty without losses."""
    if not table.grades_left_out and not any(loss.lost for loss in table.losses):
        return ""
    return losses_as_csv(table.losses, table.grades_left_out)


_MARKS = re.compile(r"[\\`*\[\]<>|~&$]|(?<!\w)_|_(?!\w)")


def as_markdown(table: PaperTable) -> str:
    """Return a table as Markdown, with the highest number of a column in bold and the second highest underlined.

    Names and notes are text, so Markdown and HTML characters in them are escaped.
    """

    def text(words: str) -> str:
        return _MARKS.sub(r"\\\g<0>", " ".join(words.split()))

    heads = [f"{column.group}: {column.title}" if column.group else column.title for column in table.columns]
    lines = [f"**{text(table.title)}**{f' ({text(table.paper)})' if table.paper else ''}", ""]
    if table.why:
        return "\n".join([*lines, f"Not made: {text(table.why)}", ""])
    lines += [f"| {' | '.join(map(text, [table.corner, *heads]))} |", "|---|" + "---:|" * len(heads)]
    for row in table.rows:
        name = f"{row.head.group}: {row.head.title}" if row.head.group else row.head.title
        lines.append(f"| {' | '.join([text(name), *map(_in_markdown, row.cells)])} |")
    for words in filter(None, [table.note, *table.loss_notes]):
        lines += ["", text(words)]
    return "\n".join([*lines, ""])


def _in_markdown(cell: PaperCell) -> str:
    if not cell.rank:
        return cell.shown
    return f"**{cell.shown}**" if cell.rank == 1 else f"<u>{cell.shown}</u>"


def as_json(found: PaperTables) -> dict[str, Any]:
    """Return all tables as JSON values: each number as printed and unrounded, with its interval and counts."""
    return {
        "project": found.project,
        "title": found.title,
        "counted": found.counting.sentence if found.counting else None,
        "tables": [_table_as_json(table) for table in found.tables],
    }


def _counts_as_json(cell: PaperCell) -> dict[str, Any]:
    """Return the losses of a score and its bounds; empty for numbers that are not scores."""
    count = cell.number.count
    if count is None:
        return {}
    return {
        "unread": count.unread,
        "failed": count.failed,
        "missing": count.missing,
        "if_rest_lowest": count.lowest,
        "if_rest_highest": count.highest,
    }


def _table_as_json(table: PaperTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "paper": table.paper or None,
        "note": table.note or None,
        "why": table.why or None,
        "losses": [row for loss in table.losses if loss.lost for row in loss.rows()],
        "loss_notes": table.loss_notes,
        "columns": [{"group": column.group or None, "title": column.title} for column in table.columns],
        "rows": [
            {
                "group": row.head.group or None,
                "title": row.head.title,
                "cells": [
                    {
                        "printed": cell.shown,
                        "value": cell.number.value,
                        "low": cell.number.low,
                        "high": cell.number.high,
                        "n": cell.number.n,
                        **_counts_as_json(cell),
                        "reason": cell.number.reason or None,
                    }
                    for cell in row.cells
                ],
            }
            for row in table.rows
        ],
    }
