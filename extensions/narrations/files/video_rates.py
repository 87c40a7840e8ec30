"""Frame rates of videos out of a CSV file with ``video_id,fps``, and their durations if it has them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from domain import csv_rows, json_text
from domain.errors import InvalidFileError
from domain.records import BadRow
from extensions.narrations.files.narration_rows import Unfit, fitting, of_file, seconds
from extensions.narrations.rules.frame_rates import rate

_VIDEO = ("video_id", "video", "video_uid")
_RATE = ("fps", "rate", "frame_rate")
_DURATION = ("duration", "duration_sec", "video_dur")


class Videos(NamedTuple):
    """Frame rates and durations of videos, by name."""

    rates: dict[str, Fraction]
    durations: dict[str, Decimal]
    bad: list[BadRow]
    path: str
    sha256: str


def read_videos(file: Path) -> Videos:
    """Return the videos of a table; invalid rows are in ``bad``.

    Raises
    ------
    InvalidFileError
        The file is no table, or lacks the column of the name or the rate.
    """
    text, sha256 = of_file(file)
    try:
        table = csv_rows.table(csv_rows.lines_of(text), [*_VIDEO, *_RATE, *_DURATION])
    except csv_rows.NotTable as error:
        raise InvalidFileError(f"{file.name}: {error}.") from error
    columns = table.layout.columns
    video, fps, duration = (
        next((name for name in names if name in columns), None) for names in (_VIDEO, _RATE, _DURATION)
    )
    if video is None or fps is None:
        raise InvalidFileError(
            f"{file.name} needs the columns video_id and fps, but has {json_text.printable(', '.join(columns))}. "
            "Rename or add the columns."
        )
    videos = Videos({}, {}, [], file.name, sha256)
    for row in table.rows():
        try:
            if row.problem:
                raise Unfit(row.problem)
            cells = dict(zip(columns, row.cells, strict=True))
            name, frames = fitting(cells[video]), rate(cells[fps])
            if not name or name in videos.rates:
                raise Unfit(f"{name} already has a row" if name else "the video's name is missing")
            if frames is None:
                raise Unfit(f"{cells[fps][:40]!r} is not a frame rate from 1 to 1000")
            if duration is not None and cells[duration].strip():
                videos.durations[name] = seconds(cells[duration])
            videos.rates[name] = frames
        except Unfit as error:
            videos.bad.append(BadRow(file.name, row.line, str(error), row.raw))
    return videos
