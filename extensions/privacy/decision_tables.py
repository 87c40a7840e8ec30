"""The tables in which people decide what to cover: one for pictures and one for clips."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from domain import csv_rows, csv_text
from domain.errors import InvalidFileError, InvalidRowsError
from extensions.privacy.boxes import CLIP_COLUMNS, COLUMNS, HAND, At, Box, CoverChoice
from extensions.privacy.detection import DetectionResult

SAYS = {"yes": True, "no": False, "": None}
"""The values of the column ``cover``."""
_NAMED = 20
_END = "Nothing was changed. Correct the table, then import the table again."
_LARGEST = 64 * 1024 * 1024

Cells = dict[str, str]


@dataclass(frozen=True)
class _TableKind:
    """One of the two kinds of table."""

    columns: Sequence[str]
    """The first column has the name of the picture or clip."""
    problem: Callable[[Cells], str]
    """Returns the problem with the position in a row; empty if there is none."""
    box: Callable[[Cells, str, bool | None], Box]

    @property
    def of(self) -> str:
        return self.columns[0]


def write_pictures(looked: DetectionResult) -> str:
    """Return the table of pictures to decide in: a row for each box, and one for each picture without a box."""
    out = io.StringIO(newline="")
    rows = csv_text.Writer(out)
    rows.writerow(COLUMNS)
    for seen in looked.pictures:
        for box in seen.boxes:
            cover = {True: "yes", False: "no", None: ""}[box.cover]
            rows.writerow([seen.name, seen.file, box.kind, *(f"{part:.6f}" for part in box.place), box.by, cover])
        if not seen.boxes:
            rows.writerow([seen.name, seen.file, "", "", "", "", "", "", "no" if seen.decision else ""])
    return out.getvalue()


def write_clips(looked: DetectionResult) -> str:
    """Return the table of clips to decide in: a row for each box, and one for each clip without a box."""
    out = io.StringIO(newline="")
    rows = csv_text.Writer(out)
    rows.writerow(CLIP_COLUMNS)
    for seen in looked.clips:
        for box in seen.boxes:
            cover = {True: "yes", False: "no", None: ""}[box.cover]
            span = [f"{at:.3f}" for at in (box.begin or 0.0, box.end or 0.0)]
            rows.writerow([seen.name, seen.file, box.kind, *span, format_positions(box), box.by, cover])
        if not seen.boxes:
            rows.writerow([seen.name, seen.file, "", "", "", "", "", "no" if seen.decision else ""])
    return out.getvalue()


def format_positions(box: Box) -> str:
    """Return the positions of a box as the table has them: ``x y w h``, or ``seconds x y w h; ...`` if it moves."""
    if not box.path:
        return " ".join(f"{part:.6f}" for part in box.place[:4])
    return "; ".join(" ".join([f"{at[0]:.3f}", *(f"{part:.6f}" for part in at[1:])]) for at in box.path)


def read_decisions(path: Path) -> tuple[list[CoverChoice], int]:
    """Return the decision about each picture or clip of a table, and the number of those without a decision.

    A picture has a decision about all of its boxes, or about none. A row without a box and with ``no`` says that there
    is nothing to cover. The first column tells which table it is.

    Raises
    ------
    InvalidFileError
        The file is not such a table, or a row is wrong. The message names the rows.
    """
    table, sort = _table(path)
    wrong: list[str] = []
    places: dict[str, int] = {}
    names: dict[str, str] = {}
    boxes: dict[str, list[Box]] = {}
    answers_by_file: dict[str, list[bool | None]] = {}
    for row in table.rows():
        cells = dict(zip(table.layout.columns, map(csv_text.unmarked, row.cells), strict=False))
        why = row.problem or _problem(cells, sort)
        file = cells.get("file", "").strip()
        if not why and names.setdefault(file, cells[sort.of]) != cells[sort.of]:
            why = f"an earlier line gives the file {file[:12]}... another name; use one name for each file"
        if why:
            wrong.append(f"{path.name}, line {row.line}: {why}.")
            continue
        places.setdefault(file, row.line)
        cover = SAYS[cells["cover"].strip().lower()]
        answers_by_file.setdefault(file, []).append(cover)
        mine = boxes.setdefault(file, [])
        if cells["kind"].strip():
            mine.append(sort.box(cells, cells.get("found_by", "").strip() or HAND, cover))
    for file, answers in answers_by_file.items():
        if None in answers and any(answer is not None for answer in answers):
            wrong.append(
                f"{path.name}, line {places[file]}: only some boxes of {names[file]} have a decision. Write yes or "
                "no for each box in the column cover."
            )
    if wrong:
        raise InvalidRowsError(wrong[:_NAMED], n=len(wrong), end=_END)
    choices = [
        CoverChoice(names[file], file, tuple(mine), f"{path.name}, line {places[file]}")
        for file, mine in boxes.items()
        if None not in answers_by_file[file]
    ]
    return choices, len(boxes) - len(choices)


def _table(path: Path) -> tuple[csv_rows.Table, _TableKind]:
    try:
        if path.stat().st_size > _LARGEST:
            raise InvalidFileError(
                f"{path} is larger than {_LARGEST // 1024**2} MiB, which is too large for a table of boxes. Name a "
                "table that `touchstone privacy check` wrote."
            )
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InvalidFileError(f"There is no file {path}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise InvalidFileError(f"{path} is not UTF-8. Save the file as UTF-8.") from error
    except OSError as error:
        raise InvalidFileError(f"Touchstone cannot read {path}: {error.strerror}. Check the path.") from error
    lines = csv_rows.lines_of(text)
    head = re.findall(r"\w+", text.strip().partition("\n")[0].lower())
    sort = _CLIPS if CLIP_COLUMNS[0] in head else _PICTURES
    try:
        table = csv_rows.table(lines, sort.columns)
    except csv_rows.NotTable as error:
        raise InvalidFileError(f"{path}: {error}.") from error
    lacks = [name for name in sort.columns if name not in table.layout.columns and name != "found_by"]
    if lacks:
        raise InvalidFileError(f"{path} has no column {_and(lacks)}. The table needs the columns {_and(sort.columns)}.")
    return table, sort


def _and(names: Sequence[str]) -> str:
    return ", ".join(names)


def _problem(cells: Cells, sort: _TableKind) -> str:
    """Return the problem with a row; empty if there is none."""
    if not cells[sort.of] or not cells["file"].strip():
        return f"`{sort.of}` or `file` is empty; copy both values from a line that `touchstone privacy check` wrote"
    if cells["cover"].strip().lower() not in SAYS:
        return f"`cover` is {cells['cover']!r}; write yes or no, or leave the cell empty until someone decides"
    if not cells["kind"].strip():
        if any(cells[name].strip() for name in sort.columns[3:-2]):
            return "`kind` is empty; write face, plate or other"
        boxless = "`cover` is yes, but the line has no box; add a box or write no"
        return boxless if cells["cover"].strip().lower() == "yes" else ""
    return sort.problem(cells)


def _number(name: str, text: str) -> str:
    """Return the problem with a value; empty if it is a number."""
    try:
        if math.isfinite(float(text)):
            return ""
    except ValueError:
        pass
    return f"`{name}` is {text!r}; write a number instead"


# ---- of pictures ----------------------------------------------------------------------------------------------------


def _no_box(cells: Cells) -> str:
    return next((why for name in "xywh" if (why := _number(name, cells[name].strip()))), "")


def _box(cells: Cells, by: str, cover: bool | None) -> Box:
    x, y, w, h = (float(cells[name]) for name in "xywh")
    return Box(cells["kind"].strip(), x, y, w, h, by, cover)


_PICTURES = _TableKind(COLUMNS, _no_box, _box)

# ---- of clips -------------------------------------------------------------------------------------------------------


def _no_track(cells: Cells) -> str:
    for name in ("begin", "end"):
        if why := _number(name, cells[name].strip()):
            return why
    begin, end = float(cells["begin"]), float(cells["end"])
    if end < begin:
        return f"the box ends at {end:g} s, before it begins at {begin:g} s; correct `begin` or `end`"
    places = [place.split() for place in cells["boxes"].split(";") if place.strip()]
    if why := next((why for place in places for part in place if (why := _number("boxes", part))), ""):
        return why
    lengths = {len(place) for place in places}
    if not (lengths == {5} or (lengths == {4} and len(places) == 1)):
        return "`boxes` must be `x y w h` for a fixed box, or `seconds x y w h; ...` for a moving box"
    times = [float(place[0]) for place in places] if lengths == {5} else []
    if times != sorted(set(times)):
        return "the seconds in `boxes` must be in ascending order"
    return ""


def _track(cells: Cells, by: str, cover: bool | None) -> Box:
    begin, end = float(cells["begin"]), float(cells["end"])
    kind = cells["kind"].strip()
    places = [tuple(map(float, place.split())) for place in cells["boxes"].split(";") if place.strip()]
    if len(places[0]) == len("xywh"):
        x, y, w, h = places[0]
        return Box(kind, x, y, w, h, by, cover, begin, end)
    path: list[At] = [(t, x, y, w, h) for t, x, y, w, h in places]
    return replace(Box.moving(kind, path, by, begin=begin, end=end), cover=cover)


_CLIPS = _TableKind(CLIP_COLUMNS, _no_track, _track)
