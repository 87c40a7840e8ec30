"""The next content of a working page: the task and the numbers above it, together if that is quick."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from db.engine import Session, Store
from domain.errors import ConflictError
from domain.records import NoTask, Person, Progress, ProjectView, Submission, SubmissionReceipt, TaskView
from domain.states import Stage
from workflow.access.projects import access_to, view_of
from workflow.annotate import claims, progress, submissions

log = logging.getLogger("touchstone")
NO_PAGE = "A submission is stored without the next page."


@dataclass(frozen=True)
class PageRequest:
    """The page that a person asks for."""

    project: str
    stage: Stage
    dimension: str | None = None
    postponed: str | None = None
    fresh: bool = True
    """Whether the numbers must be new even if there is a task."""
    ahead: bool = False
    """Whether to reserve the task that follows, too (``claims.reserve_next``)."""


@dataclass(frozen=True)
class NextPage:
    """Contents of a working page."""

    view: ProjectView
    found: TaskView | NoTask
    numbers: Progress
    upcoming: TaskView | None = None
    """The task after this one, held for the person until they see it."""


@dataclass(frozen=True)
class _Turn:
    """What one transaction found."""

    view: ProjectView
    found: TaskView | NoTask | None
    numbers: Progress | None
    upcoming: TaskView | None


def next_page(store: Store, *, person: Person, wanted: PageRequest) -> NextPage:
    """Return the next task (``claims.next_task``) and the person's numbers (``progress.progress``).

    Counting never happens inside a write transaction that others wait for.
    """
    page = None
    while page is None:
        with store.write() as session:
            turn = _turn(session, person, wanted, store.now())
        page = _finished(store, person, wanted, turn)
    return page


def submit_and_go_on(
    store: Store, *, person: Person, task: str, key: str, given: Submission, wanted: PageRequest | None
) -> tuple[SubmissionReceipt, NextPage | None]:
    """Store a submission (``submissions.submit``) and return the next page, in one transaction.

    The page is None if the search for a task takes long, or if no page can be made. The submission is stored anyway.
    """
    turn, done = None, None
    try:
        with store.write() as session:
            now = store.now()
            done = submissions.submit_within(session, person=person, task=task, key=key, given=given, now=now)
            if wanted is not None and not isinstance(done, ConflictError):
                turn = _turn(session, person, wanted, now)
    except Exception as error:
        if done is None:
            raise
        log.warning(NO_PAGE, exc_info=error)
        turn = None
        with store.write() as session:
            done = submissions.submit_within(session, person=person, task=task, key=key, given=given, now=store.now())
    if isinstance(done, ConflictError):
        raise done
    if wanted is None or turn is None:
        return done, None
    try:
        return done, _finished(store, person, wanted, turn)
    except Exception as error:
        log.warning(NO_PAGE, exc_info=error)
        return done, None


def _turn(session: Session, person: Person, wanted: PageRequest, now: datetime) -> _Turn:
    access = access_to(session, person=person, project=wanted.project)
    stage, dimension = wanted.stage, wanted.dimension
    task = claims.take_next(
        session,
        access=access,
        person=person,
        stage=stage,
        dimension=dimension,
        postponed=wanted.postponed,
        now=now,
    )
    numbers = upcoming = None
    if isinstance(task, TaskView):
        if wanted.ahead:
            upcoming = claims.reserve_next(
                session, access=access, person=person, stage=stage, dimension=dimension, now=now
            )
        if not wanted.fresh:
            numbers = progress.at_once(session, access=access, person=person, stage=stage, now=now)
    return _Turn(view_of(access), task, numbers, upcoming)


def _finished(store: Store, person: Person, wanted: PageRequest, turn: _Turn) -> NextPage | None:
    if turn.found is None:
        return None
    numbers = turn.numbers
    if numbers is None:
        fresh = wanted.fresh or isinstance(turn.found, NoTask)
        numbers = progress.progress(store, person=person, project=wanted.project, stage=wanted.stage, fresh=fresh)
    return NextPage(turn.view, turn.found, numbers, turn.upcoming)
