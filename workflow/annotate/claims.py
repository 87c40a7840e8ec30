"""Claims: the next task goes to one person for a while, and comes back by itself if nothing is heard of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from db import items, task_claims
from db.engine import Session, Store
from db.records import StoredTask
from domain.errors import Conflict, LeaseLost, NotAllowed
from domain.records import NothingLeft, Person, TaskView
from domain.states import Purpose, Stage, TaskState
from workflow.access.event_log import log
from workflow.access.projects import Access, access_to
from workflow.annotate import comparison, gates
from workflow.annotate.leases import KEPT, extend, give_up, held_task, postpone_task, resume, why_lost
from workflow.annotate.task_views import task_view


def next_task(
    store: Store,
    *,
    person: Person,
    project: str,
    stage: Stage,
    dimension: str | None = None,
    postponed: str | None = None,
) -> TaskView | NothingLeft:
    """The next task for a person: what they have in hand first, then one no one has, then what they had postponed; or
    why there is none.

    ``postponed`` is the item that they have postponed just now: it does not come back at once, even if nothing else is
    left.
    """
    found = None
    while found is None:
        with store.write() as session:
            access = access_to(session, person=person, project=project)
            found = take_next(
                session,
                access=access,
                person=person,
                stage=stage,
                dimension=dimension,
                postponed=postponed,
                now=store.now(),
            )
    return found


def take_next(
    session: Session,
    *,
    access: Access,
    person: Person,
    stage: Stage,
    dimension: str | None,
    postponed: str | None,
    now: datetime,
) -> TaskView | NothingLeft | None:
    """As ``next_task``, in a transaction of others; None if the search is long and goes on in another transaction."""
    said = gates.ask(gates.Visit(session, access, person, stage, now, dimension=dimension, postponed=postponed))
    if isinstance(said, NothingLeft):
        return said
    if isinstance(said, gates.Later):
        return None
    return replace(task_view(session, access=access, row=said.row, person=person), postponed=said.postponed)


def take_more(
    session: Session, *, access: Access, person: Person, stage: Stage, now: datetime, postponed_before: datetime
) -> StoredTask | NothingLeft | None:
    """One more slot for someone who has others in hand and keeps them; why there is none; or None if the search is
    long and goes on in another transaction.

    The gates are those of ``take_next``; of what is postponed only what was so before ``postponed_before`` comes, or
    someone who skips the last of it would get it back at once.
    """
    said = gates.ask(gates.Visit(session, access, person, stage, now, keeps=True, postponed_before=postponed_before))
    if isinstance(said, NothingLeft):
        return said
    return None if isinstance(said, gates.Later) else said.row


def peek(
    store: Store, *, person: Person, project: str, stage: Stage, dimension: str | None = None, limit: int = 2
) -> list[str]:
    """The ids of the assets of the tasks that would probably come next, so that a page can fetch them beforehand."""
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        visit = gates.Visit(session, access, person, stage, store.now(), dimension=dimension)
        item_ids, _ = gates.coming(visit, limit=limit)
        found = [
            asset.public_id
            for item_id in item_ids
            for _, asset, _ in items.assets(session, item_id=item_id)
            if asset.sha256 is not None
        ]
        return list(dict.fromkeys(found))


def release(store: Store, *, person: Person, task: str) -> None:
    """Give a task back for others to take. What was typed stays as a draft, and it is offered to this person again
    after everything else; a reopened one stands as it was submitted."""
    with store.write() as session:
        now = store.now()
        row, access = held_task(session, person=person, task=task)
        if row.person_id != person.id or row.state not in (TaskState.CLAIMED, TaskState.DONE):
            return
        give_up(session, access=access, row=row, person=person, now=now)


def postpone(store: Store, *, person: Person, task: str) -> None:
    """Postpone a task: it stays with this person until its lease ends, and is offered to them again after everything
    else, or when they ask for it (``take_back``)."""
    with store.write() as session:
        now = store.now()
        row, access = held_task(session, person=person, task=task)
        if row.state is TaskState.DONE and row.correcting and row.person_id == person.id:
            raise Conflict("This is submitted already: submit it again, or give it back to leave it as it was.")
        if row.stage is Stage.AUTHORING:
            raise Conflict("An item that you write stays yours by itself: leave the page, or give its image back.")
        if not extend(session, access=access, row=row, person=person, now=now):
            raise LeaseLost(why_lost(session, access=access, row=row, person=person))
        postpone_task(session, access=access, row=row, person=person, now=now)


def take_back(store: Store, *, person: Person, task: str) -> tuple[str, Stage]:
    """Take in hand again what one has postponed, or has lost while its draft was kept; its project and
    stage.

    If the slot has gone to someone else, another free one of the same item takes the text.

    Raises
    ------
    LeaseLost
        No slot of it is free.
    NotAllowed
        The stage is closed to them; or it is no longer theirs, and they get no new work.
    """
    with store.write() as session:
        now = store.now()
        row, access = held_task(session, person=person, task=task)
        visit = gates.Visit(session, access, person, row.stage, now, dimension=row.dimension)
        held = row.state is TaskState.CLAIMED and row.person_id == person.id
        nothing = gates.why_refused(visit) if row.purpose is Purpose.LIVE and not held else gates.why_closed(visit)
        if nothing is not None:
            raise NotAllowed(nothing.sentence)
        mine = resume(session, access=access, row=row, person=person, now=now)
        if mine is None:
            raise LeaseLost("Others have all of its slots now, so it is not free for you; your text stays here.")
        if comparison.is_replaced(session, row=mine):
            raise LeaseLost(f"{comparison.REPLACED} {KEPT}")
        for other in task_claims.in_hand(session, project_id=row.project_id, stage=row.stage, person_id=person.id):
            if other.id != mine.id:
                postpone_task(session, access=access, row=other, person=person, now=now)
        log(session, "task.taken_back", by=person, task=mine, now=now, data={"stage": mine.stage.value})
        return access.name, row.stage


def heartbeat(store: Store, *, person: Person, task: str) -> datetime:
    """Say that the page is still open; the new end of the lease. ``LeaseLost``, with the reason, if the task is no
    longer theirs."""
    with store.write() as session:
        row, access = held_task(session, person=person, task=task)
        if not extend(session, access=access, row=row, person=person, now=store.now()) or row.lease_until is None:
            raise LeaseLost(why_lost(session, access=access, row=row, person=person))
        return row.lease_until
