"""Goals of videos and the narrations under them, as a project keeps them: every version of each video's, in its log.

An event for each version: it is never changed, has who and when, and goes along when the project is archived or moved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from construction.goals import Goal, Step
from construction.narrations import Narration, Narrations
from db import events, projects
from db.engine import Session, Store
from db.events import GOALS_SAVED, NARRATED, VIDEO_GOALS
from db.records import StoredEvent
from domain.errors import Conflict, InvalidInput, Problem
from domain.records import Person
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead


class Source(NamedTuple):
    """Where narrations came from."""

    file: str
    sha256: str
    form: str
    """As ``importers.narrations`` calls it."""


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
class VideoGoals:
    """What a project has of videos."""

    newest: int
    """The event with which that came to be; the same as long as nothing changes."""
    narrations: Narrations = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)
    """By video."""
    versions: Mapping[str, Sequence[GoalVersion]] = field(default_factory=dict)
    """By video, the first one first."""

    def now(self, video: str) -> GoalVersion:
        """The goals of a video that hold."""
        return self.versions[video][-1] if video in self.versions else NONE_YET


@dataclass(frozen=True)
class Put:
    """What became of the videos of a file."""

    new: int = 0
    changed: int = 0
    equal: int = 0

    def plus(self, *, was: bool, same: bool) -> Put:
        """One more video, of which there was something already, or the same."""
        return Put(self.new + (not was), self.changed + (was and not same), self.equal + same)


def newest(store: Store, *, by: Person, project: str) -> int:
    """The event that changed goals or narrations last; 0: none has."""
    with store.read() as session:
        return _newest(session, require_lead(session, by=by, project=project))


def of_project(store: Store, *, by: Person, project: str) -> VideoGoals:
    """All narrations and all versions of goals, for the leads of a project."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return _of_project(session, access)


def narrate(store: Store, *, by: Person, project: str, narrations: Narrations, source: Source) -> Put:
    """Keep the narrations of videos. Those of other videos stay; goals stay as they are, and are held against these."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        known, done = _of_project(session, access).narrations, Put()
        for video, rows in narrations.items():
            same = list(known.get(video, ())) == list(rows)
            done = done.plus(was=video in known, same=same)
            if same:
                continue
            data = {"video": video, **source._asdict(), "narrations": [_row(row) for row in rows]}
            log(session, NARRATED, by=by, project=access, now=store.now(), data=data)
        return done


def put_file(store: Store, *, by: Person, project: str, goals: Mapping[str, Sequence[Goal]], file: str) -> Put:
    """Keep the goals of a file: for each of its videos a version, in place of the goals that the video has."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        projects.lock(session, id=access.project_id)
        known, done = _of_project(session, access), Put()
        for video, those in goals.items():
            _check(video, those, known)
            now = known.now(video)
            same = _said(now.goals) == _said(those) and now.number > 0
            done = done.plus(was=now.number > 0, same=same)
            if not same:
                _save(session, store, access, by, video, those, now.number + 1, file)
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
        known = _of_project(session, access)
        _check(video, goals, known)
        now = known.now(video)
        if now.number != based_on:
            who = now.by or "the command on the server's machine"
            raise Conflict(
                f"{who} has saved version {now.number} of the goals of {video} meanwhile. Nothing was stored, and your "
                "changes are still here: look at theirs below, then save yours again or take theirs."
            )
        _save(session, store, access, by, video, goals, now.number + 1, "")
        return GoalVersion(now.number + 1, tuple(goals), store.now(), by.login)


# ---- as the log keeps them ------------------------------------------------------------------------------------------


def _newest(session: Session, access: Access) -> int:
    return max(events.newest(session, project_id=access.project_id, kind=kind) for kind in VIDEO_GOALS)


def _of_project(session: Session, access: Access) -> VideoGoals:
    found = events.of_kinds(session, project_id=access.project_id, kinds=VIDEO_GOALS)
    narrations: dict[str, list[Narration]] = {}
    sources: dict[str, Source] = {}
    versions: dict[str, list[GoalVersion]] = {}
    for event, login in found:
        video = str(event.data["video"])
        if event.kind == NARRATED:
            narrations[video] = [_narration(video, said) for said in event.data["narrations"]]
            sources[video] = Source(*(str(event.data[name]) for name in Source._fields))
        else:
            versions.setdefault(video, []).append(_version(video, event, login))
    last = max((event.id or 0 for event, _ in found), default=0)
    return VideoGoals(last, dict(sorted(narrations.items())), sources, versions)


def _version(video: str, event: StoredEvent, login: str | None) -> GoalVersion:
    goals = [_goal(video, number, said) for number, said in enumerate(event.data["goals"], 1)]
    return GoalVersion(int(event.data["version"]), goals, event.at, login, str(event.data["file"]))


def _save(
    session: Session,
    store: Store,
    access: Access,
    by: Person,
    video: str,
    goals: Sequence[Goal],
    number: int,
    file: str,
) -> None:
    data = {"video": video, "version": number, "file": file, "goals": _said(goals)}
    log(session, GOALS_SAVED, by=by, project=access, now=store.now(), data=data)


def _check(video: str, goals: Sequence[Goal], known: VideoGoals) -> None:
    if video not in known.narrations:
        raise InvalidInput([Problem("video", f"{video} has no narrations here; keep those first.")])
    for goal in goals:
        if not goal.text.strip() or not goal.steps:
            raise InvalidInput(
                [Problem("goals", f"{goal.where} of {video} has no {'actions' if goal.text else 'words'}.")]
            )


def _said(goals: Sequence[Goal]) -> list[dict[str, Any]]:
    return [
        {
            "level": goal.level,
            "goal": goal.text,
            "actions": [[step.id, step.text, _written(step.start), _written(step.stop)] for step in goal.steps or ()],
        }
        for goal in goals
    ]


def _goal(video: str, number: int, said: Mapping[str, Any]) -> Goal:
    steps = tuple(Step(id, text, start=_read(start), stop=_read(stop)) for id, text, start, stop in said["actions"])
    return Goal(video, str(said["goal"]), f"Goal {number}", str(said["level"]), steps=steps)


def _written(time: Decimal | None) -> str | None:
    return None if time is None else f"{time:f}"


def _read(time: str | None) -> Decimal | None:
    return None if time is None else Decimal(time)


_TIMES, _TUPLES = ("start", "stop"), ("noun_classes", "nouns")
_USUAL = {each.name: each.default for each in fields(Narration) if each.default is not MISSING}


def _row(row: Narration) -> dict[str, Any]:
    """A narration without what has its usual value, and without its video, which stands above it."""
    said = {each.name: getattr(row, each.name) for each in fields(Narration) if each.name != "video"}
    kept = {name: value for name, value in said.items() if name not in _USUAL or value != _USUAL[name]}
    return kept | {name: _written(kept[name]) for name in _TIMES}


def _narration(video: str, said: Mapping[str, Any]) -> Narration:
    known = {name: value for name, value in said.items() if name in Narration.__dataclass_fields__}
    known |= {name: Decimal(known[name]) for name in _TIMES}
    known |= {name: tuple(known[name]) for name in _TUPLES if name in known}
    return Narration(video=video, **known)
