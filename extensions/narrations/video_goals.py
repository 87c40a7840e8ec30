"""Goals of videos and the narrations under them, as a project keeps them: every version of each video's, in its log.

An event for each version: it is never changed, has who and when, and goes along when the project is archived or moved.
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
from domain.errors import Conflict, InvalidInput, Problem
from domain.records import Person
from extensions.narrations.rules.goal_check import check
from extensions.narrations.rules.goals import Goal, Limits, Step
from extensions.narrations.rules.narration import Narration, Narrations
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead

_T = TypeVar("_T")


class Source(NamedTuple):
    """Where narrations came from."""

    file: str
    sha256: str
    form: str
    """As ``extensions.narrations.files.narration_files`` calls it."""


@dataclass(frozen=True)
class GoalVersion:
    """The goals of a video as someone saved them."""

    number: int
    """Of the video, from 1 on; 0: it never had any."""
    goals: Sequence[Goal] = ()
    at: datetime | None = None
    by: str | None = None
    """The login; None: the command on the machine itself."""
    file: str = ""
    """Out of which file they came; empty: they were mended here."""


NONE_YET = GoalVersion(0)


@dataclass(frozen=True)
class VersionCounts:
    """What was counted of a version of a video's goals when it was saved."""

    goals: int
    faults: int
    narrated: int
    """How often the video had been narrated by then: the faults are those next to the last of these."""


@dataclass(frozen=True)
class VideoGoals:
    """What a project has of videos. Of each it is read when it is asked for: a project may have hundreds."""

    newest: int
    """The event with which that came to be; the same as long as nothing changes."""
    narrations: Narrations = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)
    """By video."""
    versions: Mapping[str, Sequence[GoalVersion]] = field(default_factory=dict)
    """By video, the first one first."""
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By video, how many goals it has now, and how many faults next to its narrations."""

    def now(self, video: str) -> GoalVersion:
        """The goals of a video that hold."""
        return self.versions[video][-1] if video in self.versions else NONE_YET


@dataclass(frozen=True)
class FileChanges:
    """What became of the videos of a file."""

    new: int = 0
    changed: int = 0
    equal: int = 0

    def plus(self, *, was: bool, same: bool) -> FileChanges:
        """One more video, of which there was something already, or the same."""
        return FileChanges(self.new + (not was), self.changed + (was and not same), self.equal + same)


class _LazyVideos(Mapping[str, _T]):
    """What is made of each of some videos when it is first asked for."""

    def __init__(self, videos: Iterable[str], make: Callable[[str], _T]) -> None:
        self._made: dict[str, _T | None] = dict.fromkeys(videos)
        self._make = make

    def __getitem__(self, video: str) -> _T:
        found = self._made[video]
        if found is None:
            found = self._made[video] = self._make(video)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __contains__(self, video: object) -> bool:
        return video in self._made


def newest(store: Store, *, by: Person, project: str) -> int:
    """The event that changed goals or narrations last; 0: none has."""
    with store.read() as session:
        return _newest(session, require_lead(session, by=by, project=project))


def of_project(store: Store, *, by: Person, project: str) -> VideoGoals:
    """All narrations and all versions of goals, for the leads of a project."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return _of_project(session, access)


def narrate(store: Store, *, by: Person, project: str, narrations: Narrations, source: Source) -> FileChanges:
    """Keep the narrations of videos. Those of other videos stay; goals stay as they are, and are held against these."""
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
    """Keep the goals of a file: for each of its videos a version, in place of the goals that the video has."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        known, done = _of_project(session, access), FileChanges()
        told = events.of_kinds(session, project_id=access.project_id, kinds=(NARRATED,))
        narrated = Counter(event.data["video"] for event, _ in told)
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
    """Keep the goals of a video as its next version.

    Raises
    ------
    Conflict
        Someone has saved another version than the one that these are based on; nothing is stored.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        about: dict[str, Any] = {"project_id": access.project_id, "video": video}  # those who vote wait meanwhile
        told = events.of_video(session, kind=NARRATED, **about)
        _check(video, goals, narrated=bool(told))
        saved = events.of_video(session, kind=GOALS_SAVED, **about)
        now = _version(video, *saved[-1]) if saved else NONE_YET
        if now.number != based_on:
            who = now.by or "the command on the server's machine"
            raise Conflict(
                f"{who} has saved version {now.number} of the goals of {video} meanwhile. Nothing was stored, and your "
                "changes are still here: look at theirs below, then save yours again or take theirs."
            )
        given = NextVersion(goals, "", len(told))
        _save(session, store, access, by, video, given, now.number + 1, _rows(video, told[-1][0]))
        return GoalVersion(now.number + 1, tuple(goals), store.now(), by.login)


# ---- as the log keeps them ------------------------------------------------------------------------------------------


def _newest(session: Session, access: Access) -> int:
    return max(events.newest(session, project_id=access.project_id, kind=kind) for kind in VIDEO_GOALS)


def _of_project(session: Session, access: Access) -> VideoGoals:
    found = events.of_kinds(session, project_id=access.project_id, kinds=VIDEO_GOALS)
    told: dict[str, list[StoredEvent]] = {}
    saved: dict[str, list[tuple[StoredEvent, str | None]]] = {}
    for event, login in found:
        video = str(event.data["video"])
        if event.kind == NARRATED:
            told.setdefault(video, []).append(event)
        else:
            saved.setdefault(video, []).append((event, login))
    last = max((event.id or 0 for event, _ in found), default=0)
    videos = sorted(told)
    narrations = _LazyVideos(videos, lambda video: _rows(video, told[video][-1]))
    versions = _LazyVideos(saved, lambda video: [_version(video, *each) for each in saved[video]])

    def counted(video: str) -> tuple[int, int]:
        if video not in saved:
            return 0, 0
        known = _counted(saved[video][-1][0])
        if known is not None and known.narrated == len(told[video]):
            return known.goals, known.faults
        goals = versions[video][-1].goals
        return len(goals), len(check(goals, {video: narrations[video]}, Limits()))

    sources = {video: Source(*(str(told[video][-1].data[name]) for name in Source._fields)) for video in videos}
    return VideoGoals(last, narrations, sources, versions, _LazyVideos(videos, counted))


def _rows(video: str, event: StoredEvent) -> list[Narration]:
    return [_narration(video, said) for said in event.data["narrations"]]


def _counted(event: StoredEvent) -> VersionCounts | None:
    """None: it was saved before anyone counted."""
    said = event.data.get("counted")
    return None if said is None else VersionCounts(**said)


def _version(video: str, event: StoredEvent, login: str | None) -> GoalVersion:
    goals = [_goal(video, number, said) for number, said in enumerate(event.data["goals"], 1)]
    return GoalVersion(int(event.data["version"]), goals, event.at, login, str(event.data["file"]))


class NextVersion(NamedTuple):
    """What is to be a video's next version."""

    goals: Sequence[Goal]
    file: str
    narrated: int
    """How often the video has been narrated."""


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
        raise InvalidInput([Problem("video", f"{video} has no narrations here; keep those first.")])
    for goal in goals:
        if not goal.text.strip() or not goal.steps:
            raise InvalidInput(
                [Problem("goals", f"{goal.where} of {video} has no {'actions' if goal.text else 'words'}.")]
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


def _goal(video: str, number: int, said: Mapping[str, Any]) -> Goal:
    steps = tuple(
        Step(id, text, start=_time_of(start), stop=_time_of(stop)) for id, text, start, stop in said["actions"]
    )
    return Goal(video, str(said["goal"]), f"Goal {number}", str(said["level"]), steps=steps)


def _time_text(time: Decimal | None) -> str | None:
    return None if time is None else f"{time:f}"


def _time_of(time: str | None) -> Decimal | None:
    return None if time is None else Decimal(time)


_TIMES, _TUPLES = ("start", "stop"), ("noun_classes", "nouns")
_USUAL = {each.name: each.default for each in fields(Narration) if each.default is not MISSING}


def _row(row: Narration) -> dict[str, Any]:
    """A narration without what has its usual value, and without its video, which stands above it."""
    said = {each.name: getattr(row, each.name) for each in fields(Narration) if each.name != "video"}
    kept = {name: value for name, value in said.items() if name not in _USUAL or value != _USUAL[name]}
    return kept | {name: _time_text(kept[name]) for name in _TIMES}


def _narration(video: str, said: Mapping[str, Any]) -> Narration:
    known = {name: value for name, value in said.items() if name in Narration.__dataclass_fields__}
    known |= {name: Decimal(known[name]) for name in _TIMES}
    known |= {name: tuple(known[name]) for name in _TUPLES if name in known}
    return Narration(video=video, **known)
