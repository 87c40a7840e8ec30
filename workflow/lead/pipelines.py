"""How the items of a project come to be: what is kept of each step, from narrations to the items of each file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from construction.goal_check import check
from construction.goals import Limits
from db import events, files, items
from db.engine import Store
from db.events import FRAMES_POOLED, QUESTIONS_MADE
from domain.records import Person
from domain.states import ItemState
from workflow.access.event_log import log
from workflow.access.projects import require_lead
from workflow.annotate import proposal_imports
from workflow.annotate.proposal_imports import ProposalsHere
from workflow.lead import video_goals


@dataclass(frozen=True)
class Narrated:
    """Narrations of one file, as far as they hold."""

    file: str
    videos: int
    rows: int


@dataclass(frozen=True)
class Goals:
    """The goals of all videos."""

    videos: int
    """That have any."""
    goals: int
    versions: int
    faulty: int
    """Goals with a fault."""
    faults: Sequence[tuple[str, str]]
    """The first of them: the goal, and what is wrong."""


@dataclass(frozen=True)
class Making:
    """Questions that were made of goals."""

    at: datetime
    by: str | None
    counts: Mapping[str, int]
    """How many there were at each step."""
    left_out: Sequence[Mapping[str, Any]]
    """``reason``, ``n`` and ``examples``."""
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Came:
    """Items that came in one file, or that people wrote."""

    file: str
    """Empty: people wrote them."""
    format: str
    at: datetime | None
    states: Mapping[ItemState, int]

    @property
    def n(self) -> int:
        """How many they are."""
        return sum(self.states.values())


@dataclass(frozen=True)
class Pooled:
    """Frames that came into the pool with one line of the log."""

    at: datetime
    by: str | None
    n: int
    sources: int


@dataclass(frozen=True)
class Pipelines:
    """What there is of each step."""

    narrations: Sequence[Narrated]
    goals: Goals
    makings: Sequence[Making]
    """The newest first."""
    came: Sequence[Came]
    pooled: Sequence[Pooled]
    proposals: ProposalsHere


_NAMED = 3
MAKINGS = 10
"""So many makings of questions are told, the newest."""


def of_project(store: Store, *, by: Person, project: str) -> Pipelines:
    """All steps of a project, for its leads."""
    known = video_goals.of_project(store, by=by, project=project)
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        about = {"project_id": access.project_id}
        made = events.of_kinds(session, **about, kinds=(QUESTIONS_MADE,))
        pooled = events.of_kinds(session, **about, kinds=(FRAMES_POOLED,))
        there = {each.id: each for each in files.files(session, **about)}
        states = items.states_by_file(session, **about)
        proposals = proposal_imports.found_in(session, access)
    narrated: dict[str, list[int]] = {}
    for video, rows in known.narrations.items():
        narrated.setdefault(known.sources[video].file, []).append(len(rows))
    came = [Came(file.path, file.format, file.created_at, states[id]) for id, file in there.items() if id in states]
    if None in states:
        came.append(Came("", "", None, states[None]))
    return Pipelines(
        narrations=[Narrated(file, len(rows), sum(rows)) for file, rows in narrated.items()],
        goals=_goals(known),
        makings=[_making(event.at, login, event.data) for event, login in reversed(made)][:MAKINGS],
        came=came,
        pooled=[_pooled(event.at, login, event.data["frames"]) for event, login in pooled],
        proposals=proposals,
    )


def _goals(known: video_goals.VideoGoals) -> Goals:
    versions = [version for each in known.versions.values() for version in each]
    now = {video: known.now(video).goals for video in known.narrations}
    faults = [each for video, goals in now.items() for each in check(goals, {video: known.narrations[video]}, Limits())]
    return Goals(
        videos=sum(bool(goals) for goals in now.values()),
        goals=sum(map(len, now.values())),
        versions=len(versions),
        faulty=len({each.where for each in faults}),
        faults=[(each.where, each.what) for each in faults[:_NAMED]],
    )


def _making(at: datetime, login: str | None, data: Mapping[str, Any]) -> Making:
    return Making(at, login, data["counts"], data["left_out"], data["settings"])


def _pooled(at: datetime, login: str | None, frames: Mapping[str, Mapping[str, Any]]) -> Pooled:
    return Pooled(at, login, len(frames), len({each.get("source") for each in frames.values()}))


def newest_making(store: Store, *, by: Person, project: str) -> Making | None:
    """How questions were made last, for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        found = events.newest_of(session, project_id=access.project_id, kind=QUESTIONS_MADE)
    return _making(found.at, None, found.data) if found is not None else None


def note_questions(store: Store, *, by: Person, project: str, told: Mapping[str, Any]) -> None:
    """Note that questions were made: ``counts``, ``left_out`` and ``settings``."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        log(session, QUESTIONS_MADE, by=by, project=access, now=store.now(), data=told)
