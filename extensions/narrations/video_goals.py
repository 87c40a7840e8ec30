"""The narrations and goals of a project's videos: the log keeps every version.

Each version is an event with its author and time. Nothing changes it, and an archive of the project contains it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar

from db import events, projects
from db.engine import Session, Store
from db.events import GOALS_SAVED, NARRATED, VIDEO_GOALS
from db.records import StoredEvent
from domain.errors import ConflictError, InvalidInputError, Problem
from domain.records import Person
from extensions.narrations import queries
from extensions.narrations.rules.goal_check import check
from extensions.narrations.rules.goals import Goal, Limits, Step
from extensions.narrations.rules.narration import Narration, Narrations
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead

_T = TypeVar("_T")


class Source(NamedTuple):
    """The file that narrations came from."""

    file: str
    sha256: str
    form: str
    """The form, as ``files.narration_files`` calls it."""


@dataclass(frozen=True)
class GoalVersion:
    """One saved version of a video's goals."""

    number: int
    """Number within the video, from 1; 0 before the first version."""
    goals: Sequence[Goal] = ()
    at: datetime | None = None
    by: str | None = None
    """Login of the author; None for the command on the server's machine."""
    file: str = ""
    """File that the goals came from; empty if they were edited on the page."""


NONE_YET = GoalVersion(0)


@dataclass(frozen=True)
class VersionCounts:
    """Counts of a version, taken when it was saved."""

    goals: int
    faults: int
    narrated: int
    """Number of narrations events of the video at that time; the faults refer to the last of them."""


@dataclass(frozen=True)
class VideoGoals:
    """The narrations and goals of a project; each video is read when it is needed, as a project may have hundreds."""

    newest: int
    """Id of the newest event; it stays the same until something changes."""
    narrations: Narrations = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Source of the narrations, by video."""
    versions: Mapping[str, Sequence[GoalVersion]] = field(default_factory=dict)
    """Versions by video, oldest first."""
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Number of current goals and of their faults, by video."""

    def now(self, video: str) -> GoalVersion:
        """Return the current goals of a video."""
        return self.versions[video][-1] if video in self.versions else NONE_YET


@dataclass(frozen=True)
class FileChanges:
    """Number of videos of a file that are new, changed or equal."""

    new: int = 0
    changed: int = 0
    equal: int = 0

    def plus(self, *, was: bool, same: bool) -> FileChanges:
        """Return the counts with one more video, which may have had other or the same content before."""
        return FileChanges(self.new + (not was), self.changed + (was and not same), self.equal + same)


class _LazyVideos(Mapping[str, _T]):
    """A mapping by video that makes each value when it is first needed."""

    def __init__(self, videos: Iterable[str], make: Callable[[str], _T]) -> None:
        self._made: dict[str, _T | None] = dict.fromkeys(videos)
        self._make = make

    def __getitem__(self, video: str) -> _T:
        value = self._made[video]
        if value is None:
            value = self._made[video] = self._make(video)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __contains__(self, video: object) -> bool:
        return video in self._made


def newest(store: Store, *, by: Person, project: str) -> int:
    """Return the id of the newest event about goals or narrations, or 0; leads only."""
    with store.read() as session:
        return _newest(session, require_lead(session, by=by, project=project))


def of_project(store: Store, *, by: Person, project: str) -> VideoGoals:
    """Return all narrations and all versions of goals; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return _of_project(session, access)


def narrate(store: Store, *, by: Person, project: str, narrations: Narrations, source: Source) -> FileChanges:
    """Log narrations of videos; leads only. Narrations of other videos and all goals stay."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        known, done = _of_project(session, access).narrations, FileChanges()
        for video, rows in narrations.items():
            same = list(known.get(video, ())) == list(rows)
            done = done.plus(was=video in known, same=same)
            if same:
                continue
            data = {"video": video, **source._asdict(), "narrations": [_row(row) for row in rows]}
            log(session, NARRATED, by=by, project=access, now=store.now(), data=data)
        return done


def put_file(store: Store, *, by: Person, project: str, goals: Mapping[str, Sequence[Goal]], file: str) -> FileChanges:
    """Log the goals of a file as the next version of each of its videos; leads only."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        known, done = _of_project(session, access), FileChanges()
        narration_events = events.of_kinds(session, project_id=access.project_id, kinds=(NARRATED,))
        narrated = Counter(event.data["video"] for event, _ in narration_events)
        for video, those in goals.items():
            _check(video, those, narrated=video in known.narrations)
            now = known.now(video)
            same = _goals_as_json(now.goals) == _goals_as_json(those) and now.number > 0
            done = done.plus(was=now.number > 0, same=same)
            if not same:
                given = NextVersion(those, file, narrated[video])
                _save(session, store, access, by, video, given, now.number + 1, known.narrations[video])
        return done


def save(store: Store, *, by: Person, project: str, video: str, goals: Sequence[Goal], based_on: int) -> GoalVersion:
    """Log the goals of a video as its next version; leads only.

    Raises
    ------
    ConflictError
        Another person saved a version after the one that these goals are based on. Nothing is stored.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        about: dict[str, Any] = {"project_id": access.project_id, "video": video}  # those who vote wait meanwhile
        narrated = queries.of_video(session, kind=NARRATED, **about)
        _check(video, goals, narrated=bool(narrated))
        saved = queries.of_video(session, kind=GOALS_SAVED, **about)
        now = _version(video, *saved[-1]) if saved else NONE_YET
        if now.number != based_on:
            who = now.by or "A command on the server"
            raise ConflictError(
                f"{who} saved version {now.number} of the goals of {video} in the meantime. Your changes were not "
                "stored, but are still on this page. Compare your version with the other version below. Then save "
                "your version again, or use the other version."
            )
        given = NextVersion(goals, "", len(narrated))
        _save(session, store, access, by, video, given, now.number + 1, _rows(video, narrated[-1][0]))
        return GoalVersion(now.number + 1, tuple(goals), store.now(), by.login)


# ---- as the log keeps them ------------------------------------------------------------------------------------------


def _newest(session: Session, access: Access) -> int:
    return max(events.newest(session, project_id=access.project_id, kind=kind) for kind in VIDEO_GOALS)


def _of_project(session: Session, access: Access) -> VideoGoals:
    goal_events = events.of_kinds(session, project_id=access.project_id, kinds=VIDEO_GOALS)
    narrated: dict[str, list[StoredEvent]] = {}
    saved: dict[str, list[tuple[StoredEvent, str | None]]] = {}
    for event, login in goal_events:
        video = str(event.data["video"])
        if event.kind == NARRATED:
            narrated.setdefault(video, []).append(event)
        else:
            saved.setdefault(video, []).append((event, login))
    last = max((event.id or 0 for event, _ in goal_events), default=0)
    videos = sorted(narrated)
    narrations = _LazyVideos(videos, lambda video: _rows(video, narrated[video][-1]))
    versions = _LazyVideos(saved, lambda video: [_version(video, *saved_version) for saved_version in saved[video]])

    def counted(video: str) -> tuple[int, int]:
        if video not in saved:
            return 0, 0
        known = _counted(saved[video][-1][0])
        if known is not None and known.narrated == len(narrated[video]):
            return known.goals, known.faults
        goals = versions[video][-1].goals
        return len(goals), len(check(goals, {video: narrations[video]}, Limits()))

    sources = {video: Source(*(str(narrated[video][-1].data[name]) for name in Source._fields)) for video in videos}
    return VideoGoals(last, narrations, sources, versions, _LazyVideos(videos, counted))


def _rows(video: str, event: StoredEvent) -> list[Narration]:
    return [_narration(video, values) for values in event.data["narrations"]]


def _counted(event: StoredEvent) -> VersionCounts | None:
    """Return the counts of a version; None if an earlier program saved the version without counts."""
    values = event.data.get("counted")
    return None if values is None else VersionCounts(**values)


def _version(video: str, event: StoredEvent, login: str | None) -> GoalVersion:
    goals = [_goal(video, number, values) for number, values in enumerate(event.data["goals"], 1)]
    return GoalVersion(int(event.data["version"]), goals, event.at, login, str(event.data["file"]))


class NextVersion(NamedTuple):
    """The content of a video's next version."""

    goals: Sequence[Goal]
    file: str
    narrated: int
    """Number of narrations events of the video."""


def _save(
    session: Session,
    store: Store,
    access: Access,
    by: Person,
    video: str,
    given: NextVersion,
    number: int,
    rows: Sequence[Narration],
) -> None:
    faults = len(check(given.goals, {video: rows}, Limits()))
    counted = asdict(VersionCounts(len(given.goals), faults, given.narrated))
    data = {
        "video": video,
        "version": number,
        "file": given.file,
        "goals": _goals_as_json(given.goals),
        "counted": counted,
    }
    log(session, GOALS_SAVED, by=by, project=access, now=store.now(), data=data)


def _check(video: str, goals: Sequence[Goal], *, narrated: bool) -> None:
    if not narrated:
        raise InvalidInputError([Problem("video", f"{video} has no narrations. Import its narrations first.")])
    for goal in goals:
        if not goal.text.strip() or not goal.steps:
            raise InvalidInputError(
                [
                    Problem(
                        "goals",
                        f"{goal.where} of {video} has no {'actions' if goal.text else 'words'}. Complete the goal.",
                    )
                ]
            )


def _goals_as_json(goals: Sequence[Goal]) -> list[dict[str, Any]]:
    return [
        {
            "level": goal.level,
            "goal": goal.text,
            "actions": [
                [step.id, step.text, _time_text(step.start), _time_text(step.stop)] for step in goal.steps or ()
            ],
        }
        for goal in goals
    ]


def _goal(video: str, number: int, values: Mapping[str, Any]) -> Goal:
    steps = tuple(
        Step(id, text, start=_time_of(start), stop=_time_of(stop)) for id, text, start, stop in values["actions"]
    )
    return Goal(video, str(values["goal"]), f"Goal {number}", str(values["level"]), steps=steps)


def _time_text(time: Decimal | None) -> str | None:
    return None if time is None else f"{time:f}"


def _time_of(time: str | None) -> Decimal | None:
    return None if time is None else Decimal(time)


_TIMES, _TUPLES = ("start", "stop"), ("noun_classes", "nouns")
_USUAL = {part.name: part.default for part in fields(Narration) if part.default is not MISSING}


def _row(row: Narration) -> dict[str, Any]:
    """Return a narration as JSON, without its video and without fields that have their default."""
    values = {field.name: getattr(row, field.name) for field in fields(Narration) if field.name != "video"}
    kept = {name: value for name, value in values.items() if name not in _USUAL or value != _USUAL[name]}
    return kept | {name: _time_text(kept[name]) for name in _TIMES}


def _narration(video: str, values: Mapping[str, Any]) -> Narration:
    known = {name: value for name, value in values.items() if name in Narration.__dataclass_fields__}
    known |= {name: Decimal(known[name]) for name in _TIMES}
    known |= {name: tuple(known[name]) for name in _TUPLES if name in known}
    return Narration(video=video, **known)
