"""A person's progress: the numbers above a working page, and the waiting work in all of their projects."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from db import task_counts, work_counts
from db.engine import Session, Store
from db.records import StoredWorkCount
from domain.item_counts import ItemCounts
from domain.language import _, marked
from domain.records import NoTask, Person, Progress, StageWork
from domain.states import BLIND, WITHOUT_TASKS, Stage
from workflow.access.item_counts import count_by_dimension, count_project
from workflow.access.projects import Access, access_to, projects_of, stages_of
from workflow.annotate import claim_rules, gates, image_pool, qualification
from workflow.annotate.no_work import why_closed, why_no_task
from workflow.annotate.stage_kinds import STAGE_KINDS

MANY = 1000
"""From this number of waiting items on, the rest is not counted on every page."""

RECOUNT_AFTER = timedelta(minutes=1)

WORKING = timedelta(seconds=15)
"""For this long, a person's numbers change only by their own submissions."""

RECOUNT_COST = 2000
"""Counting takes at most 1/2000 of a person's time.

Otherwise a hundred people would fill the server: one count takes a quarter of a second at ten thousand items.
"""


def progress(store: Store, *, person: Person, project: str, stage: Stage, fresh: bool = True) -> Progress:
    """Return the numbers above a working page.

    The person's own work is always counted. Waiting work is counted again only after a while if counting is slow
    (thousands of items) or if ``fresh`` is false; the person's work since then is subtracted.
    """
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        qualifying = qualification.numbers(session, access=access, person=person, stage=stage)
        if qualifying is not None:
            return Progress(mine_done=qualifying[0], mine_left=qualifying[1], kept=0, decided=0)
        figures, counted = count_work(session, access=access, person=person, stage=stage, now=store.now(), fresh=fresh)
    if counted is not None:
        with store.write() as session:
            work_counts.keep(session, row=counted)
    return _in_all(figures)


def at_once(session: Session, *, access: Access, person: Person, stage: Stage, now: datetime) -> Progress | None:
    """Return ``progress`` without ``fresh``, inside a transaction; None if a count would be necessary."""
    if qualification.policy(access, stage) is not None:
        return None
    _, done = _done(session, access, person, stage, now)
    figures = _known(session, access, person, stage, done, now, fresh=False)
    return _in_all(figures) if figures is not None else None


def my_work(store: Store, *, person: Person) -> list[StageWork]:
    """Return the work that waits for a person in all of their active projects, by stage and dimension."""
    views = [view for view in projects_of(store, person=person) if not view.archived]
    counted: list[StoredWorkCount] = []
    with store.read() as session:
        now = store.now()
        lines = [
            line
            for view in views
            for line in _lines(session, access_to(session, person=person, project=view.name), person, now, counted)
        ]
    if counted:
        with store.write() as session:
            for row in counted:
                work_counts.keep(session, row=row)
    return lines


def count_waiting(store: Store, *, person: Person, project: str, stage: Stage, rows: Sequence[StageWork]) -> int:
    """Return how many tasks a person can do now in a stage.

    Each item to write needs a free image, unless the item is already begun.
    """
    waiting = sum(row.waiting for row in rows)
    if stage is not Stage.AUTHORING or not waiting:
        return waiting
    free = image_pool.pool(store, person=person, project=project, limit=1).total
    begun = sum(row.begun for row in rows)
    return begun + min(waiting - begun, free)  # dimensions share their images


@dataclass(frozen=True)
class Figures:
    """A person's waiting and finished work in a stage, by dimension, and the number of kept and decided items."""

    left: Mapping[str, int]
    done: Mapping[str, int]
    kept: int
    decided: int


def count_work(
    session: Session, *, access: Access, person: Person, stage: Stage, now: datetime, fresh: bool
) -> tuple[Figures, StoredWorkCount | None]:
    """Return a person's figures in a stage, and the row to store if they were counted just now."""
    correcting, done = _done(session, access, person, stage, now)
    known = _known(session, access, person, stage, done, now, fresh=fresh)
    if known is not None:
        return known, None
    began = time.perf_counter()
    waiting = _waiting(session, access, person, stage, now)
    left = {name: waiting.get(name, 0) + correcting.get(name, 0) for name in waiting | correcting}
    counts = ItemCounts({}) if stage in BLIND else count_project(session, access=access)
    kept, decided = counts.kept, counts.kept + counts.rejected
    cost = RECOUNT_COST * timedelta(seconds=time.perf_counter() - began)
    counted = StoredWorkCount(
        project_id=access.project_id,
        stage=stage,
        person_id=person.id,
        counted_at=now,
        fresh_until=now + max(RECOUNT_AFTER, cost),
        left=left,
        done=done,
        kept=kept,
        decided=decided,
    )
    return Figures(left, done, kept, decided), counted


def _done(
    session: Session, access: Access, person: Person, stage: Stage, now: datetime
) -> tuple[dict[str, int], dict[str, int]]:
    """Return a person's tasks reopened for correction and their finished tasks, by dimension."""
    where: dict[str, Any] = {"project_id": access.project_id, "stage": stage, "person_id": person.id}
    correcting, done = task_counts.count_taken_back_and_done(session, **where, now=now)
    return correcting, _less(done, correcting)


def _known(
    session: Session,
    access: Access,
    person: Person,
    stage: Stage,
    done: Mapping[str, int],
    now: datetime,
    *,
    fresh: bool,
) -> Figures | None:
    """Return the figures computed from recent ones, or None if a new count is necessary."""
    known = work_counts.of_person(session, project_id=access.project_id, person_id=person.id, stage=stage)
    if known is None or now >= known.fresh_until or not _still_good(known, done, now, fresh=fresh):
        return None
    return Figures(_less(known.left, _less(done, known.done)), done, known.kept, known.decided)


def _in_all(figures: Figures) -> Progress:
    return Progress(
        mine_done=sum(figures.done.values()),
        mine_left=sum(figures.left.values()),
        kept=figures.kept,
        decided=figures.decided,
    )


def _still_good(known: StoredWorkCount, done: Mapping[str, int], now: datetime, *, fresh: bool) -> bool:
    """Return whether recent figures are good enough: if many items wait, or for a moment while the person works."""
    if sum(known.left.values()) - sum(done.values()) + sum(known.done.values()) >= MANY // 2:
        return sum(known.left.values()) >= MANY or not fresh
    return not fresh and now < known.counted_at + WORKING


def _less(some: Mapping[str, int], others: Mapping[str, int]) -> dict[str, int]:
    return {name: max(some.get(name, 0) - others.get(name, 0), 0) for name in {**some, **others}}


def _lines(
    session: Session, access: Access, person: Person, now: datetime, counted: list[StoredWorkCount]
) -> list[StageWork]:
    lines = []
    for stage in stages_of(access.schema):
        if not access.may_do(stage):
            continue
        if stage in WITHOUT_TASKS:
            lines.append(_line_without_tasks(session, access, person, stage))
            continue
        closed = gates.why_refused(gates.Visit(session, access, person, stage, now))
        figures, new = count_work(session, access=access, person=person, stage=stage, now=now, fresh=True)
        if new is not None and sum(new.left.values()) >= MANY:
            counted.append(new)
        begun = _begun(session, access, person, now) if stage is Stage.AUTHORING else {}
        waiting, done = _beyond(session, access, person, stage, closed) if closed else figures.left, figures.done
        for dimension in _own_dimensions(access, stage):
            nothing = closed
            if nothing is None and not waiting.get(dimension):
                nothing = why_no_task(session, access=access, person=person, stage=stage, dimension=dimension, now=now)
            lines.append(
                StageWork(
                    project=access.name,
                    title=access.title,
                    stage=stage,
                    dimension=dimension,
                    waiting=waiting.get(dimension, 0),
                    mine_done=done.get(dimension, 0),
                    available=bool(waiting.get(dimension)),
                    why=_sentence(nothing),
                    code=nothing.code if nothing else "",
                    begun=min(begun.get(dimension, 0), waiting.get(dimension, 0)),
                )
            )
    return lines


def _begun(session: Session, access: Access, person: Person, now: datetime) -> Mapping[str, int]:
    """Count an author's items in work, new ones and reopened ones, by dimension."""
    where: dict[str, Any] = {"project_id": access.project_id, "stage": Stage.AUTHORING, "person_id": person.id}
    correcting, _ = task_counts.count_taken_back_and_done(session, **where, now=now)
    return Counter(task_counts.count_in_hand(session, **where)) + Counter(correcting)


def _beyond(session: Session, access: Access, person: Person, stage: Stage, closed: NoTask) -> Mapping[str, int]:
    """Count by dimension the tasks that a person may still finish when they get no new work."""
    if closed.code != claim_rules.STOPPED:
        return {}
    return task_counts.count_in_hand(session, project_id=access.project_id, stage=stage, person_id=person.id)


def _line_without_tasks(session: Session, access: Access, person: Person, stage: Stage) -> StageWork:
    """Return the work of a person in a stage without tasks, which has no dimension."""
    closed = why_closed(session, access=access, person=person, stage=stage, dimension=None)
    kind = STAGE_KINDS.get(stage)
    left = kind.waiting(session, access=access) if kind is not None and closed is None else 0
    return StageWork(
        project=access.name,
        title=access.title,
        stage=stage,
        dimension="",
        waiting=left,
        mine_done=kind.done_by(session, access=access, person=person) if kind is not None else 0,
        available=left > 0,
        why=_sentence(closed) or ("" if left or kind is None else _(kind.nothing_yet)),
    )


ENOUGH = marked("All planned items are written.")


def _sentence(nothing: NoTask | None) -> str:
    if nothing is None:
        return ""
    return _(ENOUGH) if nothing.code == "pick_first" else nothing.sentence


def _own_dimensions(access: Access, stage: Stage) -> list[str]:
    asked = getattr(getattr(access.schema.stages, stage.value), "dimensions", None)
    return [
        dimension.id
        for dimension in access.schema.dimensions
        if access.may_use(dimension.id) and (asked is None or dimension.id in asked)
    ]


def _waiting(session: Session, access: Access, person: Person, stage: Stage, now: datetime) -> dict[str, int]:
    """Return how many tasks a person could do now, by dimension: free tasks and their own.

    In authoring this is the number of unwritten items that nobody has started, or of free images if that is smaller.
    """
    if stage is Stage.AUTHORING:
        waiting = _to_write(session, access)
    else:
        waiting = task_counts.count_available(
            session,
            project_id=access.project_id,
            stage=stage,
            person_id=person.id,
            dimensions=access.dimensions,
            now=now,
        )
        more = claim_rules.count_left(session, access=access, person=person, stage=stage, live=waiting)
        waiting = {name: waiting.get(name, 0) + more.get(name, 0) for name in waiting | more}
    in_hand = task_counts.count_in_hand(session, project_id=access.project_id, stage=stage, person_id=person.id)
    return {dimension: waiting.get(dimension, 0) + in_hand.get(dimension, 0) for dimension in waiting | in_hand}


def _to_write(session: Session, access: Access) -> dict[str, int]:
    left = {}
    for dimension, counts in count_by_dimension(session, access=access).items():
        if access.may_use(dimension):
            free = image_pool.count(session, access=access, dimensions=(dimension,))
            left[dimension] = free if counts.wanted is None else min(free, counts.to_begin)
    return left
