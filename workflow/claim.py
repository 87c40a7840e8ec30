"""Claims: the next task goes to one person for a while, and comes back by itself if nothing is heard of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime

from annotation_schemas import registry
from db import events, items, tasks
from db.engine import Session, Store
from db.tables import TaskRow, WalkRow
from domain.errors import LeaseLost, NotAllowed, NotAvailable, NotFound
from domain.policies import LEASE
from domain.records import NothingLeft, Person, TaskView
from domain.states import ItemState, Stage, TaskState
from workflow import pool
from workflow.projects import Access, access_by_id, access_to, log, role_for, stages_of
from workflow.show import task_view

ATTEMPTS = 25
"""How often a claim looks again while others hold every task that it finds. It never waits for them in the database:
waiting while holding something is how two of them would wait for each other."""

LOST = "This task has gone to somebody else because its lease had ended; what you wrote is kept as a draft."


def next_task(
    store: Store,
    *,
    person: Person,
    project: str,
    stage: Stage,
    dimension: str | None = None,
    put_off: str | None = None,
) -> TaskView | NothingLeft:
    """The next task for a person: what they have in hand first, then one nobody has; or why there is none.

    ``put_off`` is the item that they have just given back: another slot of it is taken only if there is nothing else.
    """
    with store.write() as session:
        now = store.now()
        access = access_to(session, person=person, project=project)
        nothing = why_closed(access, stage, dimension)
        if nothing is not None:
            return nothing
        row = _in_hand(session, access, person, stage, dimension, now)
        if row is None and stage is not Stage.AUTHORING:
            row = _claim(session, access, person, stage, dimension, now, put_off=put_off)
        if row is None:
            return why_nothing(session, access=access, person=person, stage=stage, dimension=dimension, now=now)
        return task_view(session, access=access, row=row, person=person)


def peek(
    store: Store, *, person: Person, project: str, stage: Stage, dimension: str | None = None, limit: int = 2
) -> list[str]:
    """The ids of the assets of the tasks that would probably come next, so that a page can fetch them beforehand."""
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        if why_closed(access, stage, dimension) is not None or stage is Stage.AUTHORING:
            return []
        place = tasks.place(session, project_id=access.project_id, person_id=person.id, stage=stage)
        begin = tasks.offset_of(seed=access.seed, person_id=person.id, stage=stage)
        ahead = tasks.candidates(
            session,
            project_id=access.project_id,
            stage=stage,
            person_id=person.id,
            dimensions=_dimensions(access, dimension),
            after=place.cursor if place else begin,
            now=store.now(),
            limit=limit,
        )
        found = [
            asset.public_id
            for row in ahead
            for _, asset, _ in items.assets(session, item_id=row.item_id or 0)
            if asset.sha256 is not None
        ]
        return list(dict.fromkeys(found))


def release(store: Store, *, person: Person, task: str) -> None:
    """Give a task back for others to take. What was typed stays as a draft; a reopened one stands as it was
    submitted."""
    with store.write() as session:
        now = store.now()
        row, access = held_task(session, person=person, task=task)
        if row.person_id != person.id or row.state not in (TaskState.CLAIMED, TaskState.DONE):
            return
        if row.state is TaskState.DONE:
            row.correcting, row.lease_until = False, None
        elif row.stage is Stage.AUTHORING:
            pool.give_back(session, row=row)
        else:
            row.state, row.person_id, row.lease_until = TaskState.OPEN, None, None
        session.add(row)
        log(session, access, row, person, "task.released", now)


def heartbeat(store: Store, *, person: Person, task: str) -> datetime:
    """Say that the page is still open; the new end of the lease. ``LeaseLost`` if the task has gone to somebody
    else."""
    with store.write() as session:
        row, access = held_task(session, person=person, task=task)
        if not extend(session, access=access, row=row, person=person, now=store.now()) or row.lease_until is None:
            raise LeaseLost(LOST)
        return row.lease_until


# ---- what the other use cases ask ------------------------------------------------------------------------------------


def held_task(session: Session, *, person: Person, task: str, with_item: bool = False) -> tuple[TaskRow, Access]:
    """A task, locked, that a person has in hand or once had; ``NotFound`` for anything else.

    ``with_item`` holds its item as well, for whoever may change the item's state.
    """
    missing = NotFound("There is no such task of yours; go back to My work and take the next one.")
    if with_item:
        items.lock_of_task(session, task=task)
    row = tasks.lock(session, public_id=task)
    if row is None or row.id is None:
        raise missing
    try:
        access = access_by_id(session, person=person, project_id=row.project_id)
    except NotFound as error:
        raise missing from error
    if row.person_id != person.id and not events.held(session, task_id=row.id, person_id=person.id):
        raise missing
    if not access.may_do(row.stage) or not access.may_use(row.dimension):
        raise NotAllowed("This stage or dimension is no longer one of yours; ask a lead of the project.")
    return row, access


def extend(session: Session, *, access: Access, row: TaskRow, person: Person, now: datetime) -> bool:
    """Renew the lease of a locked task, also one that has ended if nobody took it; False if it is somebody else's."""
    if row.state is TaskState.OPEN and tasks.may_take(session, row=row, person_id=person.id):
        row.state, row.person_id = TaskState.CLAIMED, person.id
        log(session, access, row, person, "task.claimed", now)
    held = row.state is TaskState.CLAIMED or (row.state is TaskState.DONE and row.correcting)
    if row.person_id != person.id or not held:
        return False
    if row.stage is Stage.AUTHORING and row.state is TaskState.CLAIMED and not pool.keep(session, access, row):
        return False
    row.lease_until = now + LEASE
    session.add(row)
    session.flush()
    return True


def why_closed(access: Access, stage: Stage, dimension: str | None) -> NothingLeft | None:
    """Why somebody cannot work in a stage at all; None if they can."""
    if stage not in stages_of(access.schema):
        return NothingLeft("no_stage", f"This project has no {stage.value}; look at My work for what it has.")
    if not access.may_do(stage):
        who = role_for(access.schema, stage).value
        return NothingLeft("not_member", f"You have no part in the {stage.value}; a lead can make you a {who} for it.")
    if dimension is not None and dimension not in {known.id for known in access.schema.dimensions}:
        return NothingLeft("not_your_dimension", f"This project has no dimension {dimension!r}.")
    if dimension is not None and not access.may_use(dimension):
        return NothingLeft("not_your_dimension", f"{dimension!r} is not one of your dimensions; ask a lead for it.")
    try:
        registry.require_available(access.schema, stage.value)
    except NotAvailable as error:
        return NothingLeft("not_available", str(error))
    return None


def why_nothing(
    session: Session, *, access: Access, person: Person, stage: Stage, dimension: str | None, now: datetime
) -> NothingLeft:
    """Why nothing waits for somebody who may work in a stage."""
    mine = _dimensions(access, dimension)
    if stage is Stage.AUTHORING:
        if pool.count(session, access=access, dimensions=mine):
            return NothingLeft("pick_first", "Pick an image from the pool to write about it.")
        return NothingLeft("pool_empty", "The pool has no free image for you; a lead can add more.")
    slots = tasks.count_by_state(session, project_id=access.project_id, stage=stage)
    unfinished = {where for where, state in slots if state in (TaskState.OPEN, TaskState.CLAIMED)}
    within = unfinished if mine is None else unfinished & set(mine)
    if within:
        return NothingLeft(
            "waiting_for_others", "You have done your part; what is left waits for others. Come back later."
        )
    if unfinished and dimension is not None:
        return NothingLeft("all_done", "Nothing is left in this dimension; there is work in others.")
    if unfinished:
        return NothingLeft("not_your_dimension", "Nothing is left in your dimensions; there is work in others.")
    pending = {state for _, state in items.count_by_state(session, project_id=access.project_id)} & {
        ItemState.IN_VERIFICATION,
        ItemState.IN_ADJUDICATION,
    }
    if stage is Stage.ADJUDICATION and pending:
        return NothingLeft("waiting_for_others", "Nothing to settle now; votes are still coming in.")
    if slots:
        return NothingLeft("all_done", "All done here. Thank you.")
    return NothingLeft("all_done", _NOTHING_YET[stage])


_NOTHING_YET = {
    Stage.VERIFICATION: "There is nothing to verify yet; items come from authoring or from an import.",
    Stage.ADJUDICATION: "There is nothing to settle: no votes have differed.",
    Stage.GRADING: "There is nothing to grade yet; a lead imports models' answers.",
    Stage.TRIAGE: "There is nothing to sift yet.",
    Stage.REFINEMENT: "There is nothing to refine yet.",
}


def _in_hand(
    session: Session, access: Access, person: Person, stage: Stage, dimension: str | None, now: datetime
) -> TaskRow | None:
    found = tasks.mine(
        session,
        project_id=access.project_id,
        stage=stage,
        person_id=person.id,
        dimension=dimension,
        now=now,
    )
    row = tasks.lock(session, public_id=found.public_id) if found else None
    if row is None or row.person_id != person.id or not access.may_use(row.dimension):
        return None
    return row if extend(session, access=access, row=row, person=person, now=now) else None


def _claim(
    session: Session,
    access: Access,
    person: Person,
    stage: Stage,
    dimension: str | None,
    now: datetime,
    *,
    put_off: str | None = None,
) -> TaskRow | None:
    place = tasks.walk(session, project_id=access.project_id, person_id=person.id, stage=stage, seed=access.seed)
    for attempt in range(ATTEMPTS):
        found = tasks.candidates(
            session,
            project_id=access.project_id,
            stage=stage,
            person_id=person.id,
            dimensions=_dimensions(access, dimension),
            after=place.cursor,
            now=now,
        )
        if not found:
            return None
        for row in _later(session, access, found, put_off):
            before = row.person_id
            if tasks.take(session, row=row, person_id=person.id, lease_until=now + LEASE, now=now):
                _note_claim(session, access, row, person, before, place, now)
                return row
        time.sleep(0.002 * (attempt + 1))  # others hold all of these just now; they are done with them in a moment
    return None


def _later(session: Session, access: Access, found: list[TaskRow], put_off: str | None) -> list[TaskRow]:
    """The candidates, those of one item last."""
    item = items.by_public_id(session, project_id=access.project_id, public_id=put_off) if put_off else None
    return found if item is None else sorted(found, key=lambda row: row.item_id == item.id)


def _note_claim(
    session: Session,
    access: Access,
    row: TaskRow,
    person: Person,
    before: int | None,
    place: WalkRow,
    now: datetime,
) -> None:
    if before is not None:
        events.record(
            session,
            at=now,
            kind="task.expired",
            project_id=access.project_id,
            person_id=before,
            item_id=row.item_id,
            task_id=row.id,
        )
    else:
        place.cursor = row.shuffle
        session.add(place)
    log(session, access, row, person, "task.claimed", now)


def _dimensions(access: Access, dimension: str | None) -> Sequence[str] | None:
    return (dimension,) if dimension is not None else access.dimensions
