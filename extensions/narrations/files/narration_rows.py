"""What readers of narrations share: times in files, invalid rows, and the content of a file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from domain import json_text
from domain.errors import InvalidFileError
from domain.records import BadRow
from extensions.narrations.rules.narration import Narration
from extensions.narrations.rules.time_windows import to_microsecond
from importers.items import bytes_of

LATEST = Decimal(10_000_000)
"""The largest accepted time, in seconds; a later time is a mistake in the file."""
_SECONDS = re.compile(r"[0-9]{1,8}(?:\.[0-9]{0,40})?", re.ASCII)
_CLOCK = re.compile(r"([0-9]{1,3}):([0-5]?[0-9]):([0-5]?[0-9](?:\.[0-9]{0,40})?)", re.ASCII)
LONGEST_TEXT = 2000


class Unfit(ValueError):
    """A row is invalid; ``str(error)`` is the reason."""


@dataclass
class ReadNarrations:
    """The narrations of a file, its invalid rows, and what was noticed."""

    path: str
    sha256: str
    form: str
    rows: list[Narration] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    """Invalid rows; ``row`` is the line of the file."""
    passed_over: dict[str, int] = field(default_factory=dict)
    """Number of valid rows that were passed over, by reason."""
    notes: dict[str, int] = field(default_factory=dict)
    """Number of kept rows with a peculiarity, by peculiarity."""
    windows: Mapping[str, str] | None = None
    """The rule by which moments became spans; None if the file has spans."""

    def note(self, what: str) -> None:
        """Count one more row with a peculiarity."""
        self.notes[what] = self.notes.get(what, 0) + 1

    def pass_over(self, why: str) -> None:
        """Count one more row that is passed over."""
        self.passed_over[why] = self.passed_over.get(why, 0) + 1


def of_file(file: Path) -> tuple[str, str]:
    """Return the text and SHA-256 of a file. Bytes outside UTF-8 become lone surrogates, which ``fitting`` refuses."""
    data = bytes_of(file)
    try:
        return json_text.decode(data), hashlib.sha256(data).hexdigest()
    except json_text.NotJson as error:
        raise InvalidFileError(f"{file.name}: {error}.") from error


def seconds(text: str) -> Decimal:
    """Return a written time, such as 12.5 or 0:01:02.25, in seconds to the microsecond.

    >>> seconds("12.50"), seconds("00:01:02.25")
    (Decimal('12.5'), Decimal('62.25'))
    """
    text = text.strip()
    if _SECONDS.fullmatch(text):
        time = Decimal(text.rstrip("."))
    elif clock := _CLOCK.fullmatch(text):
        time = 3600 * Decimal(clock[1]) + 60 * Decimal(clock[2]) + Decimal(clock[3].rstrip("."))
    else:
        raise Unfit(
            f"{text[:40]!r} is not a time; write a time as seconds, such as 12.5, or as 0:01:02.25"
            if text
            else "a time is empty"
        )
    if time > LATEST:
        raise Unfit(f"{text[:40]!r} is too large for a time in a video")
    return to_microsecond(time)


def fitting(text: str) -> str:
    """Return a text of a file with normalized white space; raise ``Unfit`` if the text is invalid."""
    if json_text.has_broken_bytes(text):
        raise Unfit("the text is not UTF-8")
    line = " ".join(json_text.showable(text).split())
    if len(line) > LONGEST_TEXT:
        raise Unfit(f"the text has more than {LONGEST_TEXT:,} characters")
    return line


def spanned(start: Decimal, stop: Decimal, duration: Decimal | None) -> None:
    """Raise ``Unfit`` if a span is reversed, or begins after its video has ended."""
    if stop < start:
        raise Unfit(f"the stop ({stop} s) is before the start ({start} s)")
    if duration is not None and start > duration:
        raise Unfit(f"the start ({start} s) is after the end of the video ({duration} s)")


def known_video(video: str, videos: Collection[str] | None) -> None:
    """Raise ``Unfit`` if the video has no name, or is not in the list of videos."""
    if not video:
        raise Unfit("the video's name is missing")
    if videos is not None and video not in videos:
        raise Unfit(f"the video {video[:80]!r} is not in the list of videos")


def named(rows: list[Narration]) -> list[Narration]:
    """Return narrations without ids with ids made of their video and start; the order of rows makes no difference."""
    taken: dict[str, int] = {}
    narrations = []
    for row in sorted(rows, key=lambda row: (row.video, *row.place)):
        name = f"{row.video}@{row.start}"
        taken[name] = taken.get(name, 0) + 1
        narrations.append(replace(row, id=name if taken[name] == 1 else f"{name}#{taken[name]}"))
    return narrations
