"""Reading Ego4D's narrations: one JSON object by video and narrator, each narration at a single moment.

The reader walks through the file instead of loading it. So it takes what stands before a break, and names the line of
every invalid narration.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from domain import json_text
from domain.errors import InvalidFileError
from domain.records import BadRow
from extensions.narrations.files.json_walk import JsonBreak, Walk
from extensions.narrations.files.narration_rows import LATEST, ReadNarrations, Unfit, fitting, known_video
from extensions.narrations.rules.ego4d_phrases import phrase_of
from extensions.narrations.rules.narration import Narration
from extensions.narrations.rules.time_windows import EGO4D_SPACING, spacing, to_microsecond, window

_PASS = "narration_pass_{}"


def read(
    text: str,
    found: ReadNarrations,
    *,
    narrator: int,
    whole: Decimal | None,
    unsure: bool,
    videos: Collection[str] | None,
    durations: Mapping[str, Decimal],
) -> None:
    """Add to ``found`` what the camera wearer does in each video, as one narrator says it."""
    whole = whole or EGO4D_SPACING
    reader = _Reader(text, found, unsure, videos)
    reader.read()
    moments = {name: passes for name, passes in reader.moments.items() if passes}
    for video in sorted({video for video, _ in moments}):  # as the file calls them
        passes = [number for number in (narrator, 3 - narrator) if (video, number) in moments]
        if passes[0] != narrator:
            found.note(f"from narrator {3 - narrator}, because the video has no narrations of narrator {narrator}")
        mean = spacing(reader.times[video, passes[0]]) or whole
        _windows(found, moments[video, passes[0]], mean, whole, durations.get(video))
        if len(passes) > 1:
            n = len(moments[video, passes[1]])
            why = f"from narrator {passes[1]}, but Touchstone reads only narrator {passes[0]}"
            found.passed_over[why] = found.passed_over.get(why, 0) + n
    found.windows = {"rule": "t - b / 2a to t + b / 2a", "a": str(whole), "b": "the mean spacing of the video"}


def _windows(
    found: ReadNarrations, rows: list[Narration], mean: Decimal, whole: Decimal, duration: Decimal | None
) -> None:
    """Add a narration with a time window for each moment of a video; its id is the same for any order of the file."""
    taken: dict[Decimal, int] = {}
    before = None
    for row in sorted(rows, key=lambda row: row.place):
        if before == (row.start, row.text):
            found.pass_over("repeated at the same moment")
            continue
        before = (row.start, row.text)
        start, stop = window(row.start, mean, whole)
        if duration is not None and start > duration:
            why = f"{row.video}: the narration begins ({start} s) after its video ends ({duration} s)"
            found.bad.append(BadRow(found.path, row.line, why, row.said))
            continue
        taken[row.start] = taken.get(row.start, 0) + 1
        id = row.id if taken[row.start] == 1 else f"{row.id}#{taken[row.start]}"
        found.rows.append(replace(row, id=id, start=start, stop=stop))


class _Reader:
    """Collects the moments of one file."""

    def __init__(self, text: str, found: ReadNarrations, unsure: bool, videos: Collection[str] | None) -> None:
        self._walk = Walk(text.removeprefix("\ufeff"))
        self._found, self._unsure, self._videos = found, unsure, videos
        self.moments: dict[tuple[str, int], list[Narration]] = {}
        """Moments at which the camera wearer does something, by video and narrator."""
        self.times: dict[tuple[str, int], list[Decimal]] = {}
        """Moments of all narrations, by video and narrator."""

    def read(self) -> None:
        """Read the file up to its end or a break."""
        walk = self._walk
        if walk.skip() != "{":
            raise InvalidFileError(
                f"{self._found.path} is a list, but Ego4D's narrations must be an object with a key for each "
                "video. Use Ego4D's original file."
            )
        try:
            for name in walk.members():
                if name == "videos" and walk.skip() == "{":
                    for video in walk.members():
                        self._video(video)
                else:
                    self._video(name)
            if walk.skip():
                raise JsonBreak(walk.at, "there is more text after the closing }")
        except JsonBreak as error:
            line = walk.line(min(error.at, len(walk.text)))
            why = f"{error}; Touchstone cannot read the rest of the file"
            self._found.bad.append(BadRow(self._found.path, line, why, ""))

    def _video(self, name: str) -> None:
        walk = self._walk
        if walk.skip() != "{":
            walk.value()
            return
        for key in walk.members():
            number = next((n for n in (1, 2) if key == _PASS.format(n)), None)
            if number is None or walk.skip() != "{":
                walk.value()
                continue
            for part in walk.members():
                if part == "narrations" and walk.skip() == "[":
                    for at in walk.elements():
                        self._take(name, number, at)
                else:
                    walk.value()

    def _take(self, video: str, number: int, at: int) -> None:
        walk, narrations = self._walk, self._found
        line = walk.line(at)
        value = walk.value()
        rows = self.moments.setdefault((video, number), [])
        try:
            row = self._narration(video, number, value, line)
        except Unfit as error:
            where = f"{json_text.showable(video[:80])}, narrator {number}: {error}"
            narrations.bad.append(BadRow(narrations.path, line, where, json_text.printable(walk.text[at : walk.at])))
            return
        if row is not None:
            rows.append(row)

    def _narration(self, video: str, number: int, value: Any, line: int) -> Narration | None:
        if not isinstance(value, dict):
            raise Unfit("the narration must be an object {...}")
        name = fitting(video)
        known_video(name, self._videos)
        text = value.get("narration_text")
        if not isinstance(text, str) or not text.strip():
            raise Unfit("narration_text is missing or empty")
        moment = _moment(value.get("timestamp_sec"))
        self.times.setdefault((video, number), []).append(moment)
        sentence = fitting(text)
        phrase = phrase_of(sentence)
        if phrase.actor == "other":
            self._found.pass_over("done by a person other than the camera wearer (#O and others)")
            return None
        if phrase.unsure and not self._unsure:
            self._found.pass_over("with an unknown object (#unsure)")
            return None
        if not phrase.phrase:
            raise Unfit("narration_text names no action")
        if phrase.actor == "unmarked":
            self._found.note("without a tag such as #C, counted as the camera wearer's")
        frame = value.get("timestamp_frame")
        if frame == -1:
            self._found.note("timestamp_frame is -1, which means no time")
        id = f"{name}@{moment}/{number}"
        return Narration(id, name, moment, moment, phrase.phrase, said=sentence, line=line)


def _moment(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise Unfit(f"timestamp_sec must be a number, not {str(value)[:40]!r}")
    if not 0 <= value <= LATEST:
        raise Unfit(f"timestamp_sec {str(value)[:40]} is not a valid time in a video")
    return to_microsecond(Decimal(value))
