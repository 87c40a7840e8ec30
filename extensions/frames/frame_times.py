"""Reading times of frames from a CSV file with the columns ``source`` and ``time``."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from domain import csv_text, json_text
from domain.errors import InvalidFileError, InvalidRowsError
from domain.json_text import NotJson
from importers.media_files import CLIPS, LEVELS

SOURCE, TIME = "source", "time"
_TIME = re.compile(r"[0-9]{1,12}(\.[0-9]{1,24})?|[0-9]{1,18}/0*[1-9][0-9]{0,17}", re.ASCII)
_NAMED = 20
"""Number of invalid rows that are named."""


def read_times(table: Path, videos: Mapping[str, Path]) -> dict[str, tuple[str, ...]]:
    """Return the requested times of each video by name, as written: seconds, as a decimal or a fraction.

    A source is the video's name in ``videos``, with or without its ending, or its bare name if no other video has this
    bare name. Other columns are ignored. With one video, ``source`` may be missing.

    Raises
    ------
    InvalidFileError
        The file is no table with these columns.
    InvalidRowsError
        A row has an unknown video, or no time.
    """
    rows = _rows(table)
    head = [name.strip().casefold() for name in rows[0][1]] if rows else []
    needed = [TIME] if len(videos) == 1 and SOURCE not in head else [SOURCE, TIME]
    if any(head.count(name) != 1 for name in needed):
        raise InvalidFileError(
            f"{table.name}: the first row must have the columns {' and '.join(needed)}, each once. Correct the first "
            "row."
        )
    called = [_called(videos, form) for form in LEVELS]
    only = next(iter(videos), "")
    bad: list[str] = []
    by_video: dict[str, dict[str, None]] = {}
    for line, cells in rows[1:]:
        if len(cells) != len(head):
            bad.append(
                f"{table.name}, line {line}: this row has {len(cells)} cells, but the first row has "
                f"{len(head)}. Correct the row."
            )
            continue
        row = {name: csv_text.unmarked(cell).strip() for name, cell in zip(head, cells, strict=True)}
        names = _meant(called, row[SOURCE]) if SOURCE in needed else (only,)
        if len(names) != 1:
            what = "several videos have the name" if names else "no video has the name"
            bad.append(f"{table.name}, line {line}: {what} {row[SOURCE]!r}. Correct the name.")
        elif not _TIME.fullmatch(row[TIME]):
            bad.append(
                f"{table.name}, line {line}: {row[TIME]!r} is not a time. Write seconds, such as 12.5 or 1001/80."
            )
        else:
            by_video.setdefault(names[0], {})[row[TIME]] = None
    if bad:
        raise InvalidRowsError(bad[:_NAMED], n=len(bad), end="Nothing was taken.")
    if not by_video:
        raise InvalidFileError(f"{table.name} has no times. Add at least one row.")
    return {name: tuple(times) for name, times in by_video.items()}


def _rows(table: Path) -> list[tuple[int, list[str]]]:
    """Yield the last line of each row, and its cells; skip empty rows."""
    try:
        text = json_text.decode(table.read_bytes()).removeprefix("\ufeff")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        return [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except (NotJson, csv.Error) as error:
        raise InvalidFileError(f"{table.name} is not a table: {error}. Correct the file.") from error
    except OSError as error:
        raise InvalidFileError(f"Touchstone cannot read {table}: {error.strerror}. Check the path.") from error


def _meant(called: Sequence[Mapping[str, tuple[str, ...]]], source: str) -> tuple[str, ...]:
    """Return the videos that a name may mean, by the first of ``LEVELS`` that finds any."""
    return next((hit for form, names in zip(LEVELS, called, strict=True) if (hit := names.get(form(source)))), ())


def _called(videos: Mapping[str, Path], form: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    """Return the videos of each name in one form of comparison; the longer name decides."""
    by_name: dict[str, tuple[str, ...]] = {}
    for of in (_whole, _without_ending, _bare, _bare_without_ending):
        level: dict[str, tuple[str, ...]] = {}
        for name in videos:
            level[form(of(name))] = (*level.get(form(of(name)), ()), name)
        by_name = level | by_name
    return by_name


def _whole(name: str) -> str:
    return name


def _without_ending(name: str) -> str:
    ending = Path(name).suffix
    return name.removesuffix(ending) if ending.lower() in CLIPS else name


def _bare(name: str) -> str:
    return name.rpartition("/")[2]


def _bare_without_ending(name: str) -> str:
    return _bare(_without_ending(name))
