"""The table in which people have decided what is covered in pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from domain import csv_rows, csv_text
from domain.errors import FileRefused, RowsRefused
from domain.privacy import COLUMNS, HAND, Box, Told

SAYS = {"yes": True, "no": False, "": None}
"""What may stand under ``cover``."""
_NAMED = 20
_END = "Nothing was changed. Mend the table, then give it again."
_LARGEST = 64 * 1024 * 1024


def read(path: Path) -> tuple[list[Told], int]:
    """What was decided about each picture, and about how many nothing was.

    Of a picture all boxes are decided, or none is. A line without a box that says ``no``: there is nothing to cover in
    that picture.

    Raises
    ------
    FileRefused
        It is no such table, or a line does not fit; the lines are named.
    """
    table = _table(path)
    wrong: list[str] = []
    places: dict[str, int] = {}
    names: dict[str, str] = {}
    boxes: dict[str, list[Box]] = {}
    said: dict[str, list[bool | None]] = {}
    for row in table.rows():
        cells = dict(zip(table.layout.columns, map(csv_text.unmarked, row.cells), strict=False))
        why = row.problem or _problem(cells)
        file = cells.get("file", "").strip()
        if not why and names.setdefault(file, cells["picture"]) != cells["picture"]:
            why = f"the file {file[:12]}... has another name in an earlier line"
        if why:
            wrong.append(f"{path.name}, line {row.line}: {why}.")
            continue
        places.setdefault(file, row.line)
        cover = SAYS[cells["cover"].strip().lower()]
        said.setdefault(file, []).append(cover)
        mine = boxes.setdefault(file, [])
        if cells["kind"].strip():
            x, y, w, h = (float(cells[name]) for name in "xywh")
            mine.append(Box(cells["kind"].strip(), x, y, w, h, cells.get("found_by", "").strip() or HAND, cover))
    for file, answers in said.items():
        if None in answers and any(each is not None for each in answers):
            wrong.append(
                f"{path.name}, line {places[file]}: of {names[file]} some boxes are decided and some are not; write "
                "yes or no for each."
            )
    if wrong:
        raise RowsRefused(wrong[:_NAMED], n=len(wrong), end=_END)
    told = [
        Told(names[file], file, tuple(mine), f"{path.name}, line {places[file]}")
        for file, mine in boxes.items()
        if None not in said[file]
    ]
    return told, len(boxes) - len(told)


def _table(path: Path) -> csv_rows.Table:
    try:
        if path.stat().st_size > _LARGEST:
            raise FileRefused(f"{path} is larger than {_LARGEST // 1024**2} MiB; that is no table of boxes.")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise FileRefused(f"There is no file {path}.") from error
    except UnicodeDecodeError as error:
        raise FileRefused(f"{path} is not UTF-8; save it as UTF-8.") from error
    except OSError as error:
        raise FileRefused(f"{path} cannot be read: {error.strerror}.") from error
    try:
        table = csv_rows.table(csv_rows.lines_of(text), COLUMNS)
    except csv_rows.NotTable as error:
        raise FileRefused(f"{path}: {error}.") from error
    lacks = [name for name in COLUMNS if name not in table.layout.columns and name != "found_by"]
    if lacks:
        raise FileRefused(f"{path} has no column {_and(lacks)}; it needs {_and(COLUMNS)}.")
    return table


def _and(names: Sequence[str]) -> str:
    return ", ".join(names)


def _problem(cells: dict[str, str]) -> str:
    """What is wrong with a line; empty if nothing is."""
    if not cells["picture"] or not cells["file"].strip():
        return "it names no picture and file; take both from a line that `touchstone privacy look` wrote"
    if cells["cover"].strip().lower() not in SAYS:
        return f"`cover` is {cells['cover']!r}; it is yes or no, or empty as long as no one has decided"
    numbers = [cells[name].strip() for name in "xywh"]
    if not cells["kind"].strip():
        if any(numbers):
            return "it has a box and no kind: face, plate or other"
        return "there is no box to be covered" if cells["cover"].strip().lower() == "yes" else ""
    for name, text in zip("xywh", numbers, strict=True):
        try:
            if not math.isfinite(float(text)):
                raise ValueError
        except ValueError:
            return f"`{name}` is {text!r}, which is no number"
    return ""
