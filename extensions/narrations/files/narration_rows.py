"""What readers of narrations share: times as files write them, rows that do not fit, and what a file came to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from domain import json_text
from domain.errors import FileRefused
from domain.records import BadRow
from extensions.narrations.rules.narration import Narration
from extensions.narrations.rules.time_windows import to_microsecond
from importers.items import bytes_of

LATEST = Decimal(10_000_000)
"""Seconds; a time beyond is a slip."""
_SECONDS = re.compile(r"[0-9]{1,8}(?:\.[0-9]{0,40})?", re.ASCII)
_CLOCK = re.compile(r"([0-9]{1,3}):([0-5]?[0-9]):([0-5]?[0-9](?:\.[0-9]{0,40})?)", re.ASCII)
LONGEST_TEXT = 2000


class Unfit(ValueError):
    """A row is no narration; ``str(error)`` says why."""


@dataclass
class ReadNarrations:
    """What a file of narrations came to."""

    path: str
    sha256: str
    form: str
    rows: list[Narration] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    """Rows that are left out; ``row`` is the line of the file."""
    passed_over: dict[str, int] = field(default_factory=dict)
    """How many that fit are none all the same, by why."""
    notes: dict[str, int] = field(default_factory=dict)
    """How many are particular in some way, and stay."""
    windows: Mapping[str, str] | None = None
    """By which rule single moments became spans; None: the file gives spans."""

    def note(self, what: str) -> None:
        """One more is particular."""
        self.notes[what] = self.notes.get(what, 0) + 1

    def pass_over(self, why: str) -> None:
        """One more is none."""
        self.passed_over[why] = self.passed_over.get(why, 0) + 1


def of_file(file: Path) -> tuple[str, str]:
    """The text of a file, and its SHA-256; bytes that are not UTF-8 are lone surrogates, which ``fitting`` finds."""
    data = bytes_of(file)
    try:
        return json_text.decode(data), hashlib.sha256(data).hexdigest()
    except json_text.NotJson as error:
        raise FileRefused(f"{file.name}: {error}.") from error


def seconds(text: str) -> Decimal:
    """A time as it is written: 12.5, or 0:01:02.25; to the microsecond.

    >>> seconds("12.50"), seconds("00:01:02.25")
    (Decimal('12.5'), Decimal('62.25'))
    """
    text = text.strip()
    if _SECONDS.fullmatch(text):
        found = Decimal(text.rstrip("."))
    elif clock := _CLOCK.fullmatch(text):
        found = 3600 * Decimal(clock[1]) + 60 * Decimal(clock[2]) + Decimal(clock[3].rstrip("."))
    else:
        raise Unfit(
            f"{text[:40]!r} is no time; write seconds, such as 12.5, or 0:01:02.25" if text else "a time is empty"
        )
    if found > LATEST:
        raise Unfit(f"{text[:40]!r} is later than any video lasts")
    return to_microsecond(found)


def fitting(text: str) -> str:
    """A text of a file as it is kept: white space in a line put right. ``Unfit`` where it is none."""
    if json_text.has_broken_bytes(text):
        raise Unfit("it is not UTF-8")
    found = " ".join(json_text.showable(text).split())
    if len(found) > LONGEST_TEXT:
        raise Unfit(f"its text has more than {LONGEST_TEXT:,} characters")
    return found


def spanned(start: Decimal, stop: Decimal, duration: Decimal | None) -> None:
    """``Unfit`` if a span is none, or begins after its video has ended."""
    if stop < start:
        raise Unfit(f"it stops ({stop} s) before it starts ({start} s)")
    if duration is not None and start > duration:
        raise Unfit(f"it starts ({start} s) after its video has ended ({duration} s)")


def known_video(video: str, videos: Collection[str] | None) -> None:
    """``Unfit`` if there is a list of videos, and this is none of them."""
    if not video:
        raise Unfit("it names no video")
    if videos is not None and video not in videos:
        raise Unfit(f"its video {video[:80]!r} is not among the videos that were given")


def named(rows: list[Narration]) -> list[Narration]:
    """Narrations of which none is given an id, each called by its video and start; where rows stand says nothing."""
    taken: dict[str, int] = {}
    found = []
    for row in sorted(rows, key=lambda row: (row.video, *row.place)):
        name = f"{row.video}@{row.start}"
        taken[name] = taken.get(name, 0) + 1
        found.append(replace(row, id=name if taken[name] == 1 else f"{name}#{taken[name]}"))
    return found
