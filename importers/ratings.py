"""Ratings in: CSV with the columns ``unit,rater,criterion,value`` and perhaps ``dimension``."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from domain import json_text
from domain.errors import FileRefused
from domain.json_text import NotJson
from domain.records import BadRow, Rating

COLUMNS = ("unit", "rater", "criterion", "value")
_LONGEST = {"unit": 400, "rater": 100, "criterion": 100}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?")


@dataclass(frozen=True)
class ReadRatings:
    """The ratings that were found, each with its row, and the rows that do not fit."""

    rows: Sequence[tuple[Rating, BadRow]]
    """The second says where the first came from; its reason is empty."""
    bad: Sequence[BadRow] = ()


def read_ratings(path: Path) -> ReadRatings:
    """All ratings of a CSV file; ``FileRefused`` if it is not one or lacks a column."""
    try:
        text = json_text.decode(path.read_bytes()).removeprefix("\ufeff")
    except NotJson as error:
        raise FileRefused(f"{path.name}, row 1: {error}.") from error
    except OSError as error:
        raise FileRefused(f"{path} cannot be read: {error.strerror}.") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[Rating, BadRow]] = []
    bad: list[BadRow] = []
    seen: dict[tuple[str, str, str], int] = {}
    number = 0  # of the row that was read last
    try:
        number, head = 1, [name.strip().lower() for name in next(reader, [])]
        missing = [name for name in COLUMNS if name not in head]
        if missing or len(set(head)) < len(head):
            raise FileRefused(
                f"{path.name}, row 1: the first row must name the columns unit, rater, criterion, value (and dimension "
                "if you like), each once; "
                f"{', '.join(missing) or 'a name'} is {'missing' if missing else 'there twice'}."
            )
        for number, cells in enumerate(reader, 2):
            if not cells:
                continue
            here = BadRow(path.name, number, "", json_text.printable(_line(cells)))
            reason = _problem(cells, head, seen, number)
            if reason:
                bad.append(BadRow(path.name, number, reason, here.raw))
            else:
                rows.append((_rating(dict(zip(head, cells, strict=True))), here))
    except csv.Error as error:
        raise FileRefused(f"{path.name}, row {number + 1}: {error}.") from error
    return ReadRatings(rows, bad)


def _problem(cells: list[str], head: list[str], seen: dict[tuple[str, str, str], int], number: int) -> str | None:
    if len(cells) != len(head):
        return f"it has {len(cells)} cells, not {len(head)}"
    if json_text.has_broken_bytes("".join(cells)):
        return "it is not UTF-8"
    if any("\x00" in cell for cell in cells):
        return "it holds a zero character"
    cell = dict(zip(head, cells, strict=True))
    for name in COLUMNS:
        if not cell[name].strip():
            return f"{name} is empty"
    for name in ("unit", "rater", "criterion"):
        if len(cell[name]) > _LONGEST[name]:
            return f"{name} is longer than {_LONGEST[name]} characters"
    key = (cell["unit"].strip(), cell["rater"].strip(), cell["criterion"].strip())
    if key in seen:
        return f"{cell['rater']} has rated {cell['criterion']} of {cell['unit']} in row {seen[key]} already"
    seen[key] = number
    return None


def _rating(cell: dict[str, str]) -> Rating:
    value = cell["value"].strip()
    return Rating(
        unit=cell["unit"].strip(),
        rater=cell["rater"].strip(),
        criterion=cell["criterion"].strip(),
        value=json.loads(value) if _NUMBER.fullmatch(value) else value,
        dimension=cell.get("dimension", "").strip() or None,
    )


def _line(cells: list[str]) -> str:
    return ",".join(f'"{cell}"' if set(cell) & set(',"\n\r') else cell for cell in cells)
