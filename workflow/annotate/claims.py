"""Claims: a person gets the next task on a lease; the task is free again if they stop working on it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from db import items, task_claims, tasks
from db.engine import Session, Store
from db.records import StoredTask
from domain.errors import ConflictError, LeaseLostError, NotAllowedError
from domain.language import _
from domain.records import NoTask, Person, TaskView
from domain.states import Purpose, Stage, TaskState
from workflow.access.event_log import log
from workflow.access.projects import Access, access_to
from workflow.annotate import gates, stage_kinds
from workflow.annotate.leases import KEPT, extend, give_up, held_task, postpone_task, resume, why_lost
from workflow.annotate.task_views import task_view

LONG_AGO = datetime.min.replace(tzinfo=UTC)


def next_task(
    store: Store,
    *,
    person: Person,
    project: str,
    stage: Stage,
    dimension: str | None = None,
    postponed: str | None = None,
) -> TaskView | NoTask:
    """Return the next task for a person, or why there is no task.

    Claimed tasks come first, then free ones, then postponed ones. ``postponed`` is the item that the person has just
    postponed: it is not offered again at once, even if no other task is left.
    """
    answer = None
    while answer is None:
        with store.write() as session:
            access = access_to(session, person=person, project=project)
            answer = take_next(
                session,
                access=access,
                person=person,
                stage=stage,
                dimension=dimension,
                postponed=postponed,
                now=store.now(),
            )
    return answer


def take_next(
    session: Session,
    *,
    access: Access,
    person: Person,
    stage: Stage,
    dimension: str | None,
    postponed: str | None,
    now: datetime,
) -> TaskView | NoTask | None:
    """Do the same as ``next_task`` inside a transaction; return None if the search must continue in another one."""
    answer = gates.ask(gates.Visit(session, access, person, stage, now, dimension=dimension, postponed=postponed))
    if isinstance(answer, NoTask):
        return answer
    if isinstance(answer, gates.Continuation):
        return None
    return replace(task_view(session, access=access, row=answer.row, person=person), postponed=answer.postponed)


def take_more(
    session: Session, *, access: Access, person: Person, stage: Stage, now: datetime, postponed_before: datetime
) -> StoredTask | NoTask | None:
    """Claim one more slot for a person who keeps their other tasks.

    Returns why there is no slot, or None if the search is long and must continue in another transaction. The gates
    are those of ``take_next``. Only tasks postponed before ``postponed_before`` are offered again; otherwise a person
    who skips the last task would get it back at once.
    """
    answer = gates.ask(gates.Visit(session, access, person, stage, now, keeps=True, postponed_before=postponed_before))
    if isinstance(answer, NoTask):
        return answer
    return None if isinstance(answer, gates.Continuation) else answer.row


def reserve_next(
    session: Session, *, access: Access, person: Person, stage: Stage, dimension: str | None, now: datetime
) -> TaskView | None:
    """Return the task that follows the person's current one, held for them until they see it; None without one.

    The task is not logged as theirs, and its lease begins only when they get it (``leases.extend``).
    """
    visit = gates.Visit(
        session, access, person, stage, now, dimension=dimension, keeps=True, postponed_before=LONG_AGO, reserves=True
    )
    held = gates.held_besides(visit)
    row = tasks.lock(session, public_id=held[0].public_id) if held else None
    if row is not None and row.reserved and row.person_id == person.id:
        task_claims.reserve(session, row=row, now=now)
    elif not held:
        answer = gates.ask(visit)
        row = answer.row if isinstance(answer, gates.GivenTask) else None
    if row is None or row.person_id != person.id or not row.reserved:
        return None
    return task_view(session, access=access, row=row, person=person)


def peek(
    store: Store, *, person: Person, project: str, stage: Stage, dimension: str | None = None, limit: int = 2
) -> list[str]:
    """Return the asset ids of the tasks that probably come next, so that a page can load them early."""
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        visit = gates.Visit(session, access, person, stage, store.now(), dimension=dimension)
        item_ids, _ = gates.coming_items(visit, limit=limit)
        asset_ids = [
            asset.public_id
            for item_id in item_ids
            for _, asset, _ in items.assets(session, item_id=item_id)
            if asset.sha256 is not None
        ]
        return list(dict.fromkeys(asset_ids))


def release(store: Store, *, person: Person, task: str, unseen: bool = False) -> None:
    """Give a task back for others to take. ``unseen``: only if the person has not seen the task.

    The text stays as a draft, and this person is offered the task again after all others. A submission that was
    reopened for editing stays as it was, without a draft.
    """
    with store.write() as session:
        now = store.now()
        row, access = held_task(session, person=person, task=task)
        held = row.state is TaskState.CLAIMED or (row.state is TaskState.DONE and row.correcting)
        if row.person_id != person.id or not held or (unseen and not row.reserved):
            return
        give_up(session, access=access, row=row, person=person, now=now)


def postpone(store: Store, *, person: Person, task: str) -> None:
    """Postpone a task.

    The task stays with this person until its lease ends. They get it again after all others, or when they ask for it
    (``take_back``).
    """
    with store.write() as session:
        now = store.now()
        row, access = held_task(session, person=person, task=task)
        if row.state is TaskState.DONE and row.correcting and row.person_id == person.id:
            raise ConflictError(
                _("You have already submitted this answer. Submit your changes, or press “Keep my answer”.")
            )
        if row.stage is Stage.AUTHORING:
            raise ConflictError(
                _(
                    "You cannot postpone an item that you are writing. Leave the page and continue later, or give the "
                    "image back."
                )
            )
        if not extend(session, access=access, row=row, person=person, now=now):
            raise LeaseLostError(why_lost(session, access=access, row=row, person=person))
        postpone_task(session, access=access, row=row, person=person, now=now)


def take_back(store: Store, *, person: Person, task: str) -> tuple[str, Stage]:
    """Claim again a task that this person postponed, or lost while its draft was kept; return its project and stage.

    If another person has the slot now, the draft moves to another free slot of the same item.

    Raises
    ------
    LeaseLostError
        The item has no free slot.
    NotAllowedError
        The stage is closed to this person; or they lost the task and may not get new work.
    """
    with store.write() as session:
        now = store.now()
        row, access = held_task(session, person=person, task=task)
        visit = gates.Visit(session, access, person, row.stage, now, dimension=row.dimension)
        held = row.state is TaskState.CLAIMED and row.person_id == person.id
        nothing = gates.why_refused(visit) if row.purpose is Purpose.LIVE and not held else gates.why_closed(visit)
        if nothing is not None:
            raise NotAllowedError(nothing.sentence)
        mine = resume(session, access=access, row=row, person=person, now=now)
        if mine is None:
            raise LeaseLostError(_("Other people are working on this item now. Your text is saved."))
        kind = stage_kinds.of(mine.stage)
        if kind.is_replaced(session, row=mine):
            raise LeaseLostError(f"{_(kind.replaced)} {_(KEPT)}")
        for held_too in task_claims.in_hand(session, project_id=row.project_id, stage=row.stage, person_id=person.id):
            other = tasks.lock(session, public_id=held_too.public_id) if held_too.id != mine.id else None
            if other is None or other.person_id != person.id:
                continue
            if other.reserved:
                give_up(session, access=access, row=other, person=person, now=now)
            else:
                postpone_task(session, access=access, row=other, person=person, now=now)
        log(session, "task.taken_back", by=person, task=mine, now=now, data={"stage": mine.stage.value})
        return access.name, row.stage


def heartbeat(store: Store, *, person: Person, task: str) -> datetime:
    """Extend the lease because the page is still open, and return its new end.

    Raises ``LeaseLostError``, with the reason, if the person no longer holds the task.
    """
    with store.write() as session:
        row, access = held_task(session, person=person, task=task)
        if not extend(session, access=access, row=row, person=person, now=store.now()) or row.lease_until is None:
            raise LeaseLostError(why_lost(session, access=access, row=row, person=person))
        return row.lease_until
