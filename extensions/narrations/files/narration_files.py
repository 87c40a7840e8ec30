"""Reading narrations of videos: EPIC-KITCHENS' tables, any other table, and Ego4D's JSON.

Invalid rows are returned separately, each with its line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from domain import csv_rows, csv_text, json_text
from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.records import BadRow
from extensions.narrations.files import ego4d_files
from extensions.narrations.files.list_cells import numbers, texts
from extensions.narrations.files.narration_rows import (
    ReadNarrations,
    Unfit,
    fitting,
    known_video,
    named,
    of_file,
    seconds,
    spanned,
)
from extensions.narrations.rules.narration import Narration
from importers.list_cells import NotList

EPIC = {
    "id": "narration_id",
    "video": "video_id",
    "start": "start_timestamp",
    "stop": "stop_timestamp",
    "text": "narration",
    "moment": "narration_timestamp",
    "start_frame": "start_frame",
    "stop_frame": "stop_frame",
    "verb": "verb",
    "verb_class": "verb_class",
    "nouns": "all_nouns",
    "noun_classes": "all_noun_classes",
}
"""Fields of a narration, and EPIC-KITCHENS' column of each."""

NEEDED = ("video", "start", "stop", "text")
COLLECTIONS = {"epic": "EpicKitchens", "ego4d": "Ego4D", "csv": ""}
"""Forms of files, and the name of the collection in EgoPlan's files."""


@dataclass(frozen=True)
class Reading:
    """Settings for reading a file of narrations."""

    columns: Mapping[str, str] = field(default_factory=dict)
    """Columns by field of a narration."""
    durations: Mapping[str, Decimal] | None = None
    videos: frozenset[str] | None = None
    """Known videos; None accepts all videos of the file."""
    narrator: int = 1
    """Ego4D: the pass that is read; the other pass is read if a video lacks this one."""
    spacing: Decimal | None = None
    """Ego4D: the mean time between narrations over all videos; None takes Ego4D's own."""
    unsure: bool = False
    """Ego4D: whether narrations with ``#unsure`` are taken."""


def read_narrations(file: Path, how: Reading | None = None) -> ReadNarrations:
    """Return the narrations of a file in any of the forms.

    Raises
    ------
    InvalidFileError
        The file cannot be read, has another form, or has no valid narration.
    InvalidInputError
        The file lacks a named column.
    """
    how = how or Reading()
    text, sha256 = of_file(file)
    begins = text.removeprefix("\ufeff").lstrip()[:1]
    if not begins:
        raise InvalidFileError(f"{file.name} is empty.")
    if begins in "{[":
        narrations = ReadNarrations(file.name, sha256, "ego4d")
        ego4d_files.read(
            text,
            narrations,
            narrator=how.narrator,
            whole=how.spacing,
            unsure=how.unsure,
            videos=how.videos,
            durations=how.durations or {},
        )
    else:
        narrations = _Table(file.name, sha256, how).read(text)
    if not narrations.rows:
        first = (
            f". The first invalid row is line {narrations.bad[0].row}: {narrations.bad[0].reason}"
            if narrations.bad
            else ""
        )
        raise InvalidFileError(f"{file.name} has no valid narration{first}. Correct the file.")
    return narrations


class _Table:
    """Reads the rows of one table."""

    def __init__(self, name: str, sha256: str, how: Reading) -> None:
        self._how = how
        self._found = ReadNarrations(name, sha256, "csv")
        self._at: dict[str, int] = {}
        self._lines: dict[str, int] = {}
        self._same: dict[tuple[str, Decimal, Decimal, str], int] = {}

    def read(self, text: str) -> ReadNarrations:
        try:
            table = csv_rows.table(csv_rows.lines_of(text), [*EPIC, *EPIC.values(), *self._how.columns.values()])
        except csv_rows.NotTable as error:
            raise InvalidFileError(f"{self._found.path}: {error}.") from error
        self._columns(table.layout.columns)
        for row in table.rows():
            try:
                if row.problem:
                    raise Unfit(row.problem)
                if json_text.has_broken_bytes(row.raw):
                    raise Unfit("the text is not UTF-8")
                self._take(row.cells, row.line)
            except (Unfit, NotList) as error:
                raw = json_text.printable(row.raw)
                self._found.bad.append(BadRow(self._found.path, row.line, str(error), raw))
        if "id" not in self._at:
            self._found.rows = named(self._found.rows)
        return self._found

    def _columns(self, head: Sequence[str]) -> None:
        epic = all(EPIC[name] in head for name in ("id", *NEEDED))
        self._found.form = "epic" if epic else "csv"
        names = {**{name: name for name in EPIC}, **(EPIC if epic else {}), **self._how.columns}
        for name, column in self._how.columns.items():
            if name not in EPIC:
                raise InvalidInputError([Problem("column", f"Unknown name {name}. Choose from: {', '.join(EPIC)}.")])
            if column not in head:
                raise InvalidInputError(
                    [
                        Problem(
                            "column",
                            f"{self._found.path} has no column {column!r}. The file has the columns "
                            f"{json_text.printable(', '.join(head))}. Name one of these columns.",
                        )
                    ]
                )
        self._at = {name: head.index(column) for name, column in names.items() if column in head}
        if lacking := [name for name in NEEDED if name not in self._at]:
            there = json_text.printable(", ".join(filter(None, head))[:200])
            raise InvalidFileError(
                f"{self._found.path} has no column for {', '.join(lacking)}. The file has the columns {there}. Name "
                f"each missing column, such as {lacking[0]}=COLUMN."
            )

    def _cell(self, cells: Sequence[str], name: str) -> str:
        at = self._at.get(name)
        return "" if at is None else csv_text.unmarked(cells[at])

    def _take(self, cells: Sequence[str], line: int) -> None:
        video, text = fitting(self._cell(cells, "video")), fitting(self._cell(cells, "text"))
        known_video(video, self._how.videos)
        if not text:
            raise Unfit("the text is empty")
        start, stop = self._time(cells, "start"), self._time(cells, "stop")
        spanned(start, stop, (self._how.durations or {}).get(video))
        own = fitting(self._cell(cells, "id"))
        if "id" in self._at and not own:
            raise Unfit("the ID is empty")
        if own and own in self._lines:
            raise Unfit(f"the ID {own} is already used in line {self._lines[own]}")
        same = (video, start, stop, text)
        if same in self._same:
            raise Unfit(f"the row repeats line {self._same[same]}")
        row = Narration(
            id=own,
            video=video,
            start=start,
            stop=stop,
            text=text,
            start_frame=self._whole(cells, "start_frame"),
            stop_frame=self._whole(cells, "stop_frame"),
            verb=fitting(self._cell(cells, "verb")),
            verb_class=self._whole(cells, "verb_class"),
            nouns=texts(self._cell(cells, "nouns")),
            noun_classes=numbers(self._cell(cells, "noun_classes")),
            line=line,
        )
        if "moment" in self._at and not self._cell(cells, "moment").strip():
            self._found.note("without its time")
        self._lines[own] = self._same[same] = line
        self._found.rows.append(row)

    def _time(self, cells: Sequence[str], name: str) -> Decimal:
        try:
            return seconds(self._cell(cells, name))
        except Unfit as error:
            raise Unfit(f"its {name}: {error}") from error

    def _whole(self, cells: Sequence[str], name: str) -> int | None:
        """Return a whole number, or None if the cell is empty or has -1."""
        text = self._cell(cells, name).strip()
        if not text:
            return None
        if text == "-1":
            self._found.note(f"{name} is -1, which means no class")
            return None
        if not text.isascii() or not text.isdecimal() or len(text) > 12:
            raise Unfit(f"{name} must be a whole number, not {text[:40]!r}")
        return int(text)
