"""Reading goals of videos: records of one goal each, overall goals with subgoals, or EgoPlan's published questions.

The files are JSON, JSON lines, CSV, or a folder of JSON files. Invalid goals are returned separately, with their line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from annotation_schemas.formats import item_keys
from annotation_schemas.kinds.segments import WORDS
from domain import csv_rows, json_text
from domain.errors import InvalidFileError
from domain.records import BadRow
from extensions.narrations.files.json_walk import JsonBreak, Walk
from extensions.narrations.files.list_cells import texts
from extensions.narrations.files.narration_rows import LATEST, Unfit, fitting, of_file, seconds
from extensions.narrations.files.published_questions import FORMAT, read_published
from extensions.narrations.rules.goals import LEVELS, Goal, Step
from extensions.narrations.rules.time_windows import to_microsecond
from importers.items import annotation_files
from importers.list_cells import NotList

_VIDEO = ("video", "video_id", "video_uid")
_GOAL = ("goal", *filter(None, [item_keys(FORMAT).goal]), "overall_goal")
_SPANS = (("start", "stop"), ("start_timestamp", "stop_timestamp"))
_FRAME = re.compile(r"-1|[0-9]{1,10}(?:\.0*)?", re.ASCII)
_BELOW = (("clips", "subgoal"), ("sub_clips", "secondary_subgoal"))

TimeUnit = Literal["seconds", "frames"]
"""The unit in which a file gives times of goals."""


@dataclass
class ReadGoals:
    """The goals of one or more files, and the rows that are invalid."""

    goals: list[Goal] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    """``row`` is the line of the file."""
    sha256: dict[str, str] = field(default_factory=dict)
    """SHA-256 of each file, by its name."""


@dataclass(frozen=True)
class Clock:
    """How times of goals are converted to seconds."""

    counted: TimeUnit = "seconds"
    rates: Mapping[str, Fraction] = field(default_factory=dict)
    rate: Fraction | None = None

    def time(self, value: Any, video: str) -> Decimal:
        """Return a time of a goal in seconds."""
        if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
            raise Unfit(f"{str(value)[:40]!r} is not a time")
        if self.counted == "seconds":
            moment = seconds(value) if isinstance(value, str) else Decimal(value)
        else:
            moment = self._of_frame(value, video)
        if not 0 <= moment <= LATEST:
            raise Unfit(f"{str(value)[:40]} is not a valid time in a video")
        return to_microsecond(moment)

    def _of_frame(self, value: int | Decimal | str, video: str) -> Decimal:
        rate = self.rates.get(video, self.rate)
        if rate is None:
            raise Unfit("the times are frames, but the frame rate of the video is unknown")
        text = str(value).strip()
        if not _FRAME.fullmatch(text):
            raise Unfit(f"{text[:40]!r} is not a frame number")
        at = max(int(text.partition(".")[0]), 0) / rate  # -1 stands for none: from the beginning
        return Decimal(at.numerator) / Decimal(at.denominator)


def read_goals(path: Path, clock: Clock | None = None) -> ReadGoals:
    """Return the goals of a file, or of all JSON files below a folder.

    Raises
    ------
    InvalidFileError
        There is no goal, or a file has another form.
    """
    result, clock = ReadGoals(), clock or Clock()
    for file in annotation_files(path, None) if path.is_dir() else [path]:
        text, sha256 = of_file(file)
        place = file.relative_to(path).as_posix() if path.is_dir() else file.name
        result.sha256[place] = sha256
        if text.removeprefix("\ufeff").lstrip()[:1] not in ("{", "["):
            _table(text, place, clock, result)
        elif _is_published(text):
            _published(file, place, result)
        else:
            _Json(place, file.stem, clock, result).read(text)
    if not result.goals:
        first = (
            f". The first invalid entry is in line {result.bad[0].row}: {result.bad[0].reason}" if result.bad else ""
        )
        raise InvalidFileError(f"{path.name} has no valid goal{first}. Correct the file.")
    return result


# ---- published questions --------------------------------------------------------------------------------------------


def _is_published(text: str) -> bool:
    """Tell whether the first record is a question in EgoPlan's format."""
    try:
        first = next(iter(json_text.split(text).pieces), None)
        return (
            first is not None and not first.problem and set(item_keys(FORMAT).needs) <= set(json_text.keys(first.raw))
        )
    except json_text.NotJson:
        return False


def _published(file: Path, place: str, result: ReadGoals) -> None:
    """Add a goal for each question; goals with the same words become one goal with the actions of all."""
    read = read_published(file)
    result.bad += read.bad
    for question in read.questions:
        steps = [Step(text=text, start_frame=first, stop_frame=last) for text, first, last in question.progress]
        where = f"{place}, question {question.id}"
        result.goals.append(Goal(question.video, question.goal, where, steps=(*steps, Step(text=question.answer))))


# ---- tables ---------------------------------------------------------------------------------------------------------


def _table(text: str, place: str, clock: Clock, result: ReadGoals) -> None:
    known = [*_VIDEO, *_GOAL, *(name for span in _SPANS for name in span), "actions", "level"]
    try:
        table = csv_rows.table(csv_rows.lines_of(text), known)
    except csv_rows.NotTable as error:
        raise InvalidFileError(f"{place}: {error}.") from error
    head = table.layout.columns
    if not set(_VIDEO) & set(head) or not set(_GOAL) & set(head):
        raise InvalidFileError(
            f"{place}: a table of goals needs the columns video and goal. The table also needs start and stop, "
            "or actions."
        )
    for row in table.rows():
        try:
            if row.problem:
                raise Unfit(row.problem)
            record: dict[str, Any] = {name: cell for name, cell in zip(head, row.cells, strict=True) if cell.strip()}
            if "actions" in record:
                record["actions"] = list(texts(record["actions"]))
            result.goals.append(_goal({**record, "": row.line}, place, _text(record, _VIDEO), clock))
        except (Unfit, NotList) as error:
            result.bad.append(BadRow(place, row.line, str(error), json_text.printable(row.raw)))


# ---- JSON -----------------------------------------------------------------------------------------------------------


class _Json:
    """Reads one JSON file: a list of records, a record per line, an object by video, or one overall goal."""

    def __init__(self, place: str, stem: str, clock: Clock, found: ReadGoals) -> None:
        self._place, self._stem, self._clock, self._found = place, stem, clock, found

    def read(self, text: str) -> None:
        """Read everything before a break; in JSON lines, read every line that is not broken."""
        text = text.removeprefix("\ufeff")
        if text.lstrip().startswith("["):
            self._guarded(Walk(text), self._list)
            return
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if not lines[0][1].rstrip().endswith("}"):
            lines = [(1, text)]
        for number, line in lines:
            self._guarded(Walk(line, number), self._one if len(lines) == 1 else self._one_of_many)

    def _guarded(self, walk: Walk, read: Callable[[Walk], None]) -> None:
        try:
            read(walk)
            if walk.skip():
                raise JsonBreak(walk.at, "there is more text after the end of the JSON")
        except JsonBreak as error:
            line = walk.line(min(error.at, len(walk.text)))
            self._found.bad.append(
                BadRow(self._place, line, f"{error}; Touchstone does not read the rest of the file", "")
            )

    def _list(self, walk: Walk) -> None:
        for at in walk.elements():
            line = walk.line(at)
            self._record(walk.tree(), "", line)

    def _one(self, walk: Walk) -> None:
        self._top(walk, self._stem)

    def _one_of_many(self, walk: Walk) -> None:
        self._top(walk, "")

    def _top(self, walk: Walk, video: str) -> None:
        walk.skip()
        line, tree = walk.line(walk.at), walk.tree()
        if not isinstance(tree, dict) or any(name in tree for name in _GOAL):
            self._record(tree, video, line)
            return
        for name, value in tree.items():
            for record in value if isinstance(value, list) else [value] if name else []:
                self._record(record, name, line)

    def _record(self, tree: Any, video: str, line: int) -> None:
        line = tree[""] if isinstance(tree, dict) else line
        try:
            if not isinstance(tree, dict):
                raise Unfit("the entry must be an object {...}")
            named = _text(tree, _VIDEO) or fitting(video)
            top = _goal(tree, self._place, named, self._clock)
        except Unfit as error:
            self._found.bad.append(BadRow(self._place, line, str(error), ""))
            return
        self._found.goals.append(top)
        self._below(tree, top, 0)

    def _below(self, tree: Mapping[str, Any], parent: Goal, depth: int) -> None:
        """Add the subgoals of a goal, and their subgoals."""
        if depth == len(_BELOW):
            return
        key, name = _BELOW[depth]
        parts = tree.get(key) or []
        if not isinstance(parts, list):
            self._found.bad.append(BadRow(self._place, tree[""], f"{key} must be a list", ""))
            return
        for part in parts:
            line = part.get("", 0) if isinstance(part, dict) else tree[""]
            try:
                if not isinstance(part, dict):
                    raise Unfit(f"each entry of {key} must be an object {{...}}")
                goal = _goal(part, self._place, parent.video, self._clock, (name,), LEVELS[depth + 2], parent)
            except Unfit as error:
                self._found.bad.append(BadRow(self._place, line, str(error), ""))
                goal = parent
            else:
                self._found.goals.append(goal)
            if isinstance(part, dict):
                self._below(part, goal, depth + 1)


def _text(record: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the first of these texts that a record has, or an empty text."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return fitting(value)
    return ""


def _goal(
    record: Mapping[str, Any],
    place: str,
    video: str,
    clock: Clock,
    names: Sequence[str] = _GOAL,
    level: str = "",
    parent: Goal | None = None,
) -> Goal:
    text = _text(record, names)
    if not text:
        raise Unfit(f"{names[0]} is missing")
    if not video:
        raise Unfit("the video's name is missing")
    start, stop = next(
        ((record.get(first), record.get(last)) for first, last in _SPANS if first in record or last in record),
        (None, None),
    )
    if (start is None) != (stop is None):
        raise Unfit(f"{'start' if start is None else 'stop'} is missing")
    actions = record.get("actions")
    if actions is not None and not isinstance(actions, list):
        raise Unfit("actions must be a list")
    return Goal(
        video,
        text,
        f"{place}, line {record.get('', 0)}",
        level or _level(record),
        None if start is None else clock.time(start, video),
        None if stop is None else clock.time(stop, video),
        None if actions is None else tuple(_steps(actions)),
        parent,
    )


def _level(record: Mapping[str, Any]) -> str:
    level = record.get("level")
    if level is None:
        return LEVELS[1] if "overall_goal" in record else LEVELS[0]
    if level not in LEVELS:
        raise Unfit(f"level must be one of {', '.join(LEVELS)}, not {str(level)[:40]!r}")
    return str(level)


def _steps(actions: Sequence[Any]) -> Iterator[Step]:
    for action in actions:
        if isinstance(action, str):
            yield Step(text=fitting(action))
            continue
        if not isinstance(action, dict):
            raise Unfit("each action must be text or an object {...}")
        id, text = _text(action, ("id", "narration_id")), _text(action, WORDS)
        if not id and not text:
            raise Unfit("each action needs an ID or words")
        frames = [action.get(key) for key in ("start_frame", "stop_frame")]
        if not all(frame is None or (isinstance(frame, int) and not isinstance(frame, bool)) for frame in frames):
            raise Unfit("the frames of actions must be whole numbers")
        start, stop = (
            next((Clock().time(action[span[at]], "") for span in _SPANS if action.get(span[at]) is not None), None)
            for at in (0, 1)
        )
        yield Step(id, text, frames[0], frames[1], start, stop)


def sha256_of(read: ReadGoals) -> str:
    """Return one SHA-256 for all files of goals."""
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(read.sha256.items()))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
