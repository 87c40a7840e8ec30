"""Queries on a change of the schema: what it concerns, and what it stores anew."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, case, exists, func, or_, update
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import reworded
from db.records import StoredAnnotation, StoredGold, StoredItem, StoredTask
from db.tables import (
    AnnotationRow,
    DraftRow,
    GoldRow,
    ImportedRatingRow,
    ItemRow,
    JudgementRow,
    RevisionRow,
    RunRow,
    SchemaChangeRow,
    TaskRow,
)
from db.task_slots import Slot, moment, shuffle_key
from domain.run_kinds import RunKind
from domain.states import VERIFICATIONS, ItemState, Purpose, Stage, TaskState

_NEWER = aliased(AnnotationRow)


def everything(session: Session, *, project_id: int, stage: Stage) -> list[StoredGold]:
    """Return the gold of a stage that is not withdrawn."""
    wanted = select(GoldRow).where(
        GoldRow.project_id == project_id, GoldRow.stage == stage, col(GoldRow.withdrawn_at).is_(None)
    )
    return reworded.query(session, wanted.order_by(col(GoldRow.id)))


def note_progress(session: Session, *, id: int, done_to: int, finished_at: datetime | None) -> None:
    """Record up to which id the items were updated to a change."""
    values: dict[str, Any] = {"done_to": done_to}
    if finished_at is not None:
        values["finished_at"] = finished_at
    session.exec(update(SchemaChangeRow).where(col(SchemaChangeRow.id) == id).values(**values))


def n_up_to(session: Session, *, project_id: int, last: int) -> int:
    """Count the items of a project up to an id: the updated items."""
    wanted = select(func.count()).where(ItemRow.project_id == project_id, col(ItemRow.id) <= last)
    return session.exec(wanted).one()


class ItemBatch(NamedTuple):
    """A batch of a project's items with their contents, votes, decisions and slots."""

    items: Sequence[StoredItem]
    contents: Mapping[int, dict[str, Any]]
    votes: Mapping[int, list[StoredAnnotation]]
    decisions: Mapping[int, list[StoredAnnotation]]
    slots: Mapping[int, list[StoredTask]]
    """The live slots for votes on the current revision, or for answers to the item."""
    stages: Sequence[Stage] = VERIFICATIONS
    """The stages of the votes and slots."""


def lot(
    session: Session,
    *,
    project_id: int,
    after: int,
    limit: int,
    hold: bool,
    stages: Sequence[Stage] = VERIFICATIONS,
) -> ItemBatch:
    """Return the next batch of items after the id ``after``. ``hold`` locks them until the transaction ends.

    ``stages``: the stages of verification, or other stages. With other stages only items with slots in them are
    returned.
    """
    besides = stages != VERIFICATIONS
    wanted = select(ItemRow).where(ItemRow.project_id == project_id, col(ItemRow.id) > after)
    if besides:
        there = exists().where(col(TaskRow.item_id) == ItemRow.id, col(TaskRow.stage).in_(stages))
        wanted = wanted.where(there)
    wanted = wanted.order_by(col(ItemRow.id)).limit(limit)
    if hold:
        wanted = wanted.with_for_update(key_share=True).execution_options(populate_existing=True)
    rows = session.exec(wanted).all()
    ids = [row.id for row in rows]
    votes: dict[int, list[StoredAnnotation]] = {}
    decisions: dict[int, list[StoredAnnotation]] = {}
    counted = (
        select(AnnotationRow)
        .join(ItemRow, col(ItemRow.id) == AnnotationRow.item_id)
        .join(_NEWER, col(_NEWER.supersedes_id) == col(AnnotationRow.id), isouter=True)
        .where(
            col(AnnotationRow.item_id).in_(ids),
            col(AnnotationRow.stage).in_((*stages, Stage.ADJUDICATION)),
            AnnotationRow.purpose == Purpose.LIVE,
            *([] if besides else [AnnotationRow.revision == ItemRow.current_revision]),
            col(_NEWER.id).is_(None),
        )
        .order_by(col(AnnotationRow.id))
    )
    for vote in reworded.query(session, counted):
        by_item = decisions if vote.stage is Stage.ADJUDICATION else votes
        by_item.setdefault(vote.item_id, []).append(vote)
    stored = (
        select(RevisionRow.item_id, RevisionRow.content, RevisionRow.schema_version_id)
        .join(ItemRow, col(ItemRow.id) == RevisionRow.item_id)
        .where(col(RevisionRow.item_id).in_(ids), RevisionRow.number == ItemRow.current_revision)
    )
    contents = {
        item_id: reworded.content(session, version=version, given=given, item_id=item_id, project_id=project_id)
        for item_id, given, version in session.exec(stored).all()
    }
    slots: dict[int, list[StoredTask]] = {}
    of_items = (
        select(TaskRow)
        .join(ItemRow, col(ItemRow.id) == TaskRow.item_id)
        .where(
            col(TaskRow.item_id).in_(ids),
            col(TaskRow.stage).in_(stages),
            TaskRow.purpose == Purpose.LIVE,
            or_(
                col(TaskRow.revision) == ItemRow.current_revision,
                and_(col(TaskRow.revision).is_(None), col(TaskRow.prediction_id).is_not(None)),
            ),
        )
        .order_by(col(TaskRow.slot), col(TaskRow.id))
    )
    if hold:
        of_items = of_items.with_for_update(of=TaskRow, key_share=True).execution_options(populate_existing=True)
    for slot in session.exec(of_items):
        slots.setdefault(slot.item_id or 0, []).append(slot)
    return ItemBatch(rows, contents, votes, decisions, slots, stages)


def ask_again(session: Session, *, vote: StoredAnnotation, slot: StoredTask, change: int) -> None:
    """Stop counting a vote, and offer its locked slot to everyone, including the person who had filled it."""
    _replace(session, vote, change, Purpose.ASKED_AGAIN)
    slot.state, slot.person_id, slot.lease_until, slot.correcting = TaskState.OPEN, None, None, False
    slot.opened = moment()
    session.add(slot)
    session.flush()


def count_again(session: Session, *, vote: StoredAnnotation, slot: StoredTask, change: int) -> StoredAnnotation:
    """Let a vote that was asked again count as before, in its locked slot. Return the new row."""
    row = _replace(session, vote, change, Purpose.LIVE)
    slot.state, slot.person_id, slot.lease_until = TaskState.DONE, vote.person_id, None
    session.add(slot)
    session.flush()
    return row


def _replace(session: Session, vote: StoredAnnotation, change: int, purpose: Purpose) -> StoredAnnotation:
    """Replace a vote by a copy with another purpose, because a submission is never changed.

    The copy has no duration, so that the time is not counted twice.
    """
    stored = session.execute(  # the stored words, not the current ones
        select(AnnotationRow.answers, AnnotationRow.reasons).where(AnnotationRow.id == vote.id)
    ).one()
    row = AnnotationRow(
        project_id=vote.project_id,
        task_id=vote.task_id,
        person_id=vote.person_id,
        stage=vote.stage,
        purpose=purpose,
        dimension=vote.dimension,
        item_id=vote.item_id,
        revision=vote.revision,
        prediction_id=vote.prediction_id,
        submit_key=f"schema/{change}/{vote.public_id}",
        answers=stored[0],
        reasons=stored[1],
        shown=vote.shown,
        note=vote.note,
        weight=vote.weight,
        supersedes_id=vote.id,
        schema_version_id=vote.schema_version_id,
        schema_hash=vote.schema_hash,
        guideline_hash=vote.guideline_hash,
        schema_change=change,
        created_at=vote.created_at,
    )
    session.add(row)
    session.flush()
    return reworded.stored_now(session, row)


def asked_again(
    session: Session, *, item_ids: Collection[int], change: int, stages: Sequence[Stage]
) -> dict[int, list[StoredAnnotation]]:
    """Return the votes that a change has asked again and that do not count again yet, by item.

    They are votes on the current revisions of items, or on answers to items.
    """
    wanted = (
        select(AnnotationRow)
        .join(ItemRow, col(ItemRow.id) == AnnotationRow.item_id)
        .join(_NEWER, col(_NEWER.supersedes_id) == col(AnnotationRow.id), isouter=True)
        .where(
            col(AnnotationRow.item_id).in_(sorted(item_ids)),
            col(AnnotationRow.stage).in_(stages),
            AnnotationRow.purpose == Purpose.ASKED_AGAIN,
            *([AnnotationRow.revision == ItemRow.current_revision] if stages == VERIFICATIONS else []),
            AnnotationRow.schema_change == change,
            col(_NEWER.id).is_(None),
        )
        .order_by(col(AnnotationRow.id))
    )
    stored_annotations: dict[int, list[StoredAnnotation]] = {}
    for vote in reworded.query(session, wanted):
        stored_annotations.setdefault(vote.item_id, []).append(vote)
    return stored_annotations


def withdraw(session: Session, *, slots: Sequence[StoredTask]) -> None:
    """Withdraw locked slots that nobody has claimed."""
    for slot in slots:
        slot.state, slot.lease_until = TaskState.WITHDRAWN, None
        session.add(slot)
    session.flush()


def offer(session: Session, *, slots: Sequence[StoredTask]) -> None:
    """Offer locked slots that were withdrawn."""
    for slot in slots:
        slot.state, slot.person_id, slot.lease_until, slot.opened = TaskState.OPEN, None, None, moment()
        session.add(slot)
    session.flush()


class ExternalCriterion(NamedTuple):
    """A criterion that judges, metrics or imported ratings use."""

    by: RunKind | None
    """The kind of the run. None: imported ratings."""
    stored: str
    """The stored name."""
    now: str
    """The name in the schema in force."""


def named_elsewhere(session: Session, *, project_id: int) -> set[ExternalCriterion]:
    """Return the criteria that judges have rated, metrics have measured, or imported ratings use."""
    judged = (
        select(RunRow.id, RunRow.kind, JudgementRow.criterion)
        .join(JudgementRow, col(JudgementRow.run_id) == col(RunRow.id))
        .where(RunRow.project_id == project_id)
        .distinct()
    )
    brought = (
        select(ImportedRatingRow.schema_version_id, ImportedRatingRow.criterion)
        .where(ImportedRatingRow.project_id == project_id)
        .distinct()
    )
    criteria = {
        ExternalCriterion(RunKind(kind), name, reworded.judged(session, run_id=run_id, criterion=name)[0])
        for run_id, kind, name in session.exec(judged).all()
    }
    about: Any = {"project_id": project_id, "value": None}
    for version, name in session.exec(brought).all():
        criteria.add(
            ExternalCriterion(None, name, reworded.rating(session, version=version, criterion=name, **about)[0])
        )
    return criteria


def states(session: Session, *, project_id: int) -> dict[ItemState, int]:
    """Count the items in each state."""
    wanted = select(ItemRow.state, func.count()).where(ItemRow.project_id == project_id).group_by(col(ItemRow.state))
    return {ItemState(state): n for state, n in session.exec(wanted)}


def n_drafts(session: Session, *, project_id: int) -> tuple[int, int]:
    """Count the drafts of unsubmitted tasks, and the tasks that people have claimed."""
    drafts = (
        select(func.count())
        .select_from(DraftRow)
        .join(TaskRow, col(TaskRow.id) == DraftRow.task_id)
        .where(TaskRow.project_id == project_id, TaskRow.state == TaskState.CLAIMED)
    )
    held = select(func.coalesce(func.sum(case((col(TaskRow.state) == TaskState.CLAIMED, 1), else_=0)), 0)).where(
        TaskRow.project_id == project_id
    )
    return session.exec(drafts).one(), int(session.exec(held).one())


def like(row: StoredTask, *, slot: int, rank: int, seed: int, apart: bool, at: datetime) -> Slot:
    """Return a withdrawn slot for the unit of another slot.

    ``apart``: it has its own position in the shuffled order, not the position of the others.
    """
    return Slot(
        project_id=row.project_id,
        stage=row.stage,
        unit=row.unit,
        slot=slot,
        item_id=row.item_id,
        revision=row.revision,
        prediction_id=row.prediction_id,
        dimension=row.dimension,
        called_off=True,
        rank=rank,
        shuffle=shuffle_key(seed=seed, unit=row.unit, slot=slot if apart else 0),
        at=at,
    )
