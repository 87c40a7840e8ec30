"""The steps from narrations to questions: what a project has of each, and the log of how questions were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from db import events
from db.engine import Store
from db.events import QUESTIONS_MADE
from domain.records import Person
from extensions.narrations import video_goals
from extensions.narrations.rules.goal_check import check
from extensions.narrations.rules.goals import Limits
from workflow.access.event_log import log
from workflow.access.projects import require_lead


@dataclass(frozen=True)
class NarrationFile:
    """Narrations of one file that are still current."""

    file: str
    videos: int
    rows: int


@dataclass(frozen=True)
class GoalCounts:
    """The number of goals of all videos, with their faults."""

    videos: int
    """Number of videos with goals."""
    goals: int
    versions: int
    faulty: int
    """Number of goals with a fault."""
    faults: Sequence[tuple[str, str]]
    """The first faults: the goal, and what is wrong."""


@dataclass(frozen=True)
class QuestionRun:
    """One time that questions were made from goals."""

    at: datetime
    by: str | None
    counts: Mapping[str, int]
    """Number at each step."""
    left_out: Sequence[Mapping[str, Any]]
    """Rows with ``reason``, ``n`` and ``examples``."""
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class GoalSteps:
    """What a project has of each step from narrations to questions."""

    narrations: Sequence[NarrationFile]
    goals: GoalCounts
    makings: Sequence[QuestionRun]
    """Newest first."""


_NAMED = 3
MAKINGS = 10
"""Number of runs that are returned."""


def of_project(store: Store, *, by: Person, project: str) -> GoalSteps:
    """Return the narrations, goals and question makings of a project; leads only."""
    known = video_goals.of_project(store, by=by, project=project)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        made = events.of_kinds(session, project_id=access.project_id, kinds=(QUESTIONS_MADE,))
    narrated: dict[str, list[int]] = {}
    for video, rows in known.narrations.items():
        narrated.setdefault(known.sources[video].file, []).append(len(rows))
    return GoalSteps(
        narrations=[NarrationFile(file, len(rows), sum(rows)) for file, rows in narrated.items()],
        goals=_goals(known),
        makings=[_making(event.at, login, event.data) for event, login in reversed(made)][:MAKINGS],
    )


def _goals(known: video_goals.VideoGoals) -> GoalCounts:
    versions = [version for of_video in known.versions.values() for version in of_video]
    now = {video: known.now(video).goals for video in known.narrations}
    faults = [
        fault for video, goals in now.items() for fault in check(goals, {video: known.narrations[video]}, Limits())
    ]
    return GoalCounts(
        videos=sum(bool(goals) for goals in now.values()),
        goals=sum(map(len, now.values())),
        versions=len(versions),
        faulty=len({fault.where for fault in faults}),
        faults=[(fault.where, fault.what) for fault in faults[:_NAMED]],
    )


def _making(at: datetime, login: str | None, data: Mapping[str, Any]) -> QuestionRun:
    return QuestionRun(at, login, data["counts"], data["left_out"], data["settings"])


def newest_making(store: Store, *, by: Person, project: str) -> QuestionRun | None:
    """Return how questions were made last; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        event = events.newest_of(session, project_id=access.project_id, kind=QUESTIONS_MADE)
    return _making(event.at, None, event.data) if event is not None else None


def note_questions(store: Store, *, by: Person, project: str, facts: Mapping[str, Any]) -> None:
    """Log that questions were made: ``counts``, ``left_out`` and ``settings``; leads only."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        log(session, QUESTIONS_MADE, by=by, project=access, now=store.now(), data=facts)
