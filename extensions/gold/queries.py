"""Queries on hidden gold: the items, the people who may be asked about them, and their answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, bindparam, exists, or_, update
from sqlalchemy import select as sa_select
from sqlmodel import Session, col, select

from db import missing_media, reworded
from db.records import StoredGold, StoredItem, StoredPrediction, StoredTask
from db.tables import (
    AnnotationRow,
    GoldPardonRow,
    GoldRow,
    InsightRow,
    ItemRow,
    PredictionRow,
    RevisionRow,
    RunRow,
    TaskRow,
)
from db.task_slots import Slot, open_for_person
from domain.states import VERIFICATIONS, ItemState, Purpose, Stage, TaskState

SETTLED = (ItemState.KEPT, ItemState.REJECTED)


class GoldAnswer(NamedTuple):
    """A person's current answer to a gold item."""

    id: int
    gold_id: int
    person_id: int
    answers: dict[str, Any]
    at: datetime


def unit_of(gold_id: int) -> str:
    """Return the unit name of a gold item."""
    return f"{Purpose.GOLD.value}/{gold_id}"


def make(
    session: Session,
    *,
    project_id: int,
    stage: Stage,
    item: StoredItem,
    prediction: StoredPrediction | None,
    answers: Mapping[str, Any],
    schema_version_id: int,
    by_id: int | None,
    now: datetime,
) -> StoredGold:
    """Make gold of an item's current revision or of a model's answer. ``answers`` use the words of the schema."""
    row = GoldRow(
        project_id=project_id,
        stage=stage.value,
        item_id=item.id,
        revision=item.current_revision,
        prediction_id=prediction.id if prediction else None,
        dimension=item.dimension,
        answers=dict(answers),
        schema_version_id=schema_version_id,
        made_by_id=by_id,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


def withdraw(session: Session, *, gold: StoredGold, why: str, now: datetime) -> None:
    """Withdraw a locked gold item: nobody is asked about it again, and no answer to it counts."""
    session.exec(update(GoldRow).where(col(GoldRow.id) == gold.id).values(withdrawn_at=now, why=why))


def pardon(
    session: Session, *, project_id: int, stage: Stage, person_id: int, by_id: int | None, why: str, now: datetime
) -> None:
    """Let a person continue who was stopped by wrong answers to gold."""
    session.add(
        GoldPardonRow(
            project_id=project_id, stage=stage.value, person_id=person_id, by_id=by_id, why=why, created_at=now
        )
    )
    session.flush()


def lock(session: Session, *, public_id: str) -> StoredGold | None:
    """Return a gold item by its public id, locked until the transaction ends."""
    wanted = select(GoldRow).where(GoldRow.public_id == public_id).with_for_update(key_share=True)
    return next(iter(reworded.query(session, wanted)), None)


def any_in(session: Session, *, project_id: int, stage: Stage) -> bool:
    """Tell whether a stage has gold that is not withdrawn. Called before all live work if the schema has a rate."""
    return session.exec(_any_in(), params={"project": project_id, "stage": stage.value}).first() is not None


@cache
def _any_in() -> Any:
    return select(GoldRow.id).where(*_of_stage()).limit(1)


def for_person(
    session: Session,
    *,
    project_id: int,
    stage: Stage,
    person_id: int,
    dimensions: Sequence[str] | None,
    needed: Sequence[str],
) -> list[tuple[int, int, str]]:
    """Return gold (id, item, dimension) that may be given to a person.

    The item has not changed since it became gold. The person has not authored, edited, inspected, answered or claimed
    it in this stage; all verification stages count as one. No image or clip in a ``needed`` role is missing.
    """
    given = {
        "project": project_id,
        "stage": stage.value,
        "stage_": stage,
        "taker": person_id,
        "dimensions": dimensions,
        "needed": needed,
    }
    return [
        (id, item, dimension) for id, item, dimension in session.exec(_for(stage, dimensions is not None), params=given)
    ]


@cache
def _for(stage: Stage, within: bool) -> Any:
    taker: Any = bindparam("taker")
    same_thing = or_(col(GoldRow.prediction_id).is_(None), col(TaskRow.prediction_id) == col(GoldRow.prediction_id))
    asked = exists().where(
        col(TaskRow.item_id) == col(GoldRow.item_id),
        col(TaskRow.person_id) + 0 == taker,
        col(TaskRow.stage).in_(VERIFICATIONS) if stage in VERIFICATIONS else col(TaskRow.stage) == bindparam("stage_"),
        same_thing,
    )
    wanted = (
        sa_select(col(GoldRow.id), col(GoldRow.item_id), col(GoldRow.dimension))
        .join(ItemRow, col(ItemRow.id) == col(GoldRow.item_id))
        .where(
            *_of_stage(),
            col(ItemRow.current_revision) == col(GoldRow.revision),
            or_(col(ItemRow.author_id).is_(None), col(ItemRow.author_id) != taker),
            ~exists().where(col(RevisionRow.item_id) == col(GoldRow.item_id), col(RevisionRow.editor_id) == taker),
            ~exists().where(col(InsightRow.item_id) == col(GoldRow.item_id), col(InsightRow.person_id) == taker),
            ~asked,
            ~missing_media.waits(GoldRow),
        )
        .order_by(col(GoldRow.id))
    )
    if stage in VERIFICATIONS:
        wanted = wanted.where(col(ItemRow.state).in_(SETTLED))
    if within:
        wanted = wanted.where(col(GoldRow.dimension).in_(bindparam("dimensions", expanding=True)))
    return wanted


def _of_stage() -> tuple[Any, ...]:
    return (
        col(GoldRow.project_id) == bindparam("project"),
        col(GoldRow.stage) == bindparam("stage"),
        col(GoldRow.withdrawn_at).is_(None),
        about_counting(col(GoldRow.prediction_id)),
    )


def assign(session: Session, *, gold_id: int, person_id: int, now: datetime, shuffle: int) -> StoredTask | None:
    """Return a claimed gold task for a person, or None if they have had this gold before."""
    (gold,) = reworded.query(session, select(GoldRow).where(GoldRow.id == gold_id))
    grading = gold.prediction_id is not None
    slot = Slot(
        project_id=gold.project_id,
        stage=Stage(gold.stage),
        purpose=Purpose.GOLD,
        unit=unit_of(gold_id),
        slot=person_id,
        item_id=gold.item_id,
        revision=None if grading else gold.revision,  # like the live slots of the stage
        prediction_id=gold.prediction_id,
        dimension=gold.dimension,
        person_id=person_id,
        shuffle=shuffle,
        at=now,
    )
    return open_for_person(session, slot=slot)


def answers(session: Session, *, project_id: int, stage: Stage, person_id: int | None = None) -> list[GoldAnswer]:
    """Return the current answers to gold, oldest first, including answers to withdrawn gold.

    ``person_id``: only the answers of this person.
    """
    given: dict[str, Any] = {"project": project_id, "stage": stage}
    if person_id is not None:
        given["person"] = person_id
    latest: dict[int, GoldAnswer] = {}
    for task_id, unit, person, id, stored, version, at in session.execute(_answers(person_id is not None), given).all():
        answers = reworded.answers(session, project_id=project_id, version=version, stage=stage, given=stored)
        latest.pop(task_id, None)
        latest[task_id] = GoldAnswer(id, int(unit.rpartition("/")[2]), person, answers, at)
    return list(latest.values())


@cache
def _answers(of_one: bool) -> Any:
    wanted = (
        sa_select(
            col(TaskRow.id),
            col(TaskRow.unit),
            col(AnnotationRow.person_id),
            col(AnnotationRow.id),
            col(AnnotationRow.answers),
            col(AnnotationRow.schema_version_id),
            col(AnnotationRow.created_at),
        )
        .join(AnnotationRow, col(AnnotationRow.task_id) == col(TaskRow.id))
        .where(
            col(TaskRow.project_id) == bindparam("project"),
            col(TaskRow.stage) == bindparam("stage"),
            col(TaskRow.state) == TaskState.DONE,
            col(TaskRow.purpose) == Purpose.GOLD,
        )
        .order_by(col(AnnotationRow.id))
    )
    return wanted.where(col(TaskRow.person_id) == bindparam("person")) if of_one else wanted


def expected(session: Session, *, ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return the right answers of gold that is not withdrawn, by gold id."""
    wanted = select(GoldRow).where(col(GoldRow.id).in_(sorted(set(ids))), col(GoldRow.withdrawn_at).is_(None))
    return {row.id: dict(row.answers) for row in reworded.query(session, wanted)}


def pardons(session: Session, *, project_id: int, stage: Stage, person_id: int | None = None) -> dict[int, datetime]:
    """Return when a lead last let each stopped person continue, by person id."""
    wanted = select(GoldPardonRow).where(GoldPardonRow.project_id == project_id, GoldPardonRow.stage == stage.value)
    if person_id is not None:
        wanted = wanted.where(GoldPardonRow.person_id == person_id)
    return {row.person_id: row.created_at for row in session.exec(wanted.order_by(col(GoldPardonRow.id)))}


def submission_before(session: Session, *, project_id: int, stage: Stage, person_id: int, back: int) -> int:
    """Return the id of a person's submission in a stage, counted ``back`` from the last one, or 0."""
    wanted = (
        select(AnnotationRow.id)
        .where(
            AnnotationRow.person_id == person_id, AnnotationRow.project_id == project_id, AnnotationRow.stage == stage
        )
        .order_by(col(AnnotationRow.id).desc())
        .offset(back)
        .limit(1)
    )
    return session.exec(wanted).first() or 0


def named(
    session: Session, *, project_id: int, stage: Stage
) -> list[tuple[StoredGold, StoredItem, StoredPrediction | None]]:
    """Return all gold of a stage with its item and, in grading, the model's answer, oldest first."""
    wanted = (
        select(GoldRow, ItemRow, PredictionRow)
        .join(ItemRow, col(ItemRow.id) == GoldRow.item_id)
        .join(PredictionRow, col(PredictionRow.id) == GoldRow.prediction_id, isouter=True)
        .where(GoldRow.project_id == project_id, GoldRow.stage == stage.value)
        .order_by(col(GoldRow.id))
    )
    return reworded.query(session, wanted)


def about_counting(answer: Any) -> ColumnElement[bool]:
    """Return the condition that the run of an answer (a column with its id) was not withdrawn.

    A row without an answer meets the condition.
    """
    return ~exists().where(
        col(PredictionRow.id) == answer,
        col(RunRow.id) == col(PredictionRow.run_id),
        col(RunRow.withdrawn_at).is_not(None),
    )
