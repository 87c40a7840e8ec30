"""The protocol's rules for the person who takes a slot, as conditions of queries.

Statements on the annotator's path are built once and run with named parameters (``taker``, ``project``, ``stage``,
``now``), because building costs more than running.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, exists, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from db.tables import AnnotationRow, InsightRow, ItemRow, PostponementRow, RevisionRow, TaskRow
from domain.states import BLIND, UNSETTLED, VERIFICATIONS, Purpose, Stage, TaskState

_OTHER = aliased(TaskRow)
"""Another slot of the same unit. It is built once because an alias costs more than the query that uses it."""


_AGAIN = "again"


def let_vote_again(session: Session, *, project_id: int, stages: Collection[str]) -> None:
    """Record in the session the stages of verification in which people may vote again.

    In these stages of the project people may vote who have voted on the item in an earlier stage.
    """
    known: dict[str, list[int]] = session.info.setdefault(_AGAIN, {})
    for stage in stages:
        known[stage] = [*(id for id in known.get(stage, ()) if id != project_id), project_id]


def taker(session: Session, stage: Stage, person_id: int) -> dict[str, Any]:
    """Return the parameters of ``may_take_conditions``."""
    return {"taker": person_id, _AGAIN: session.info.get(_AGAIN, {}).get(stage, [])}


def of_stage() -> list[ColumnElement[bool]]:
    """Return the conditions for slots of the ``stage`` of the ``project``."""
    return [col(TaskRow.project_id) == bindparam("project"), col(TaskRow.stage) == bindparam("stage")]


def on_offer() -> list[ColumnElement[bool]]:
    """Return the conditions for open slots of the ``stage`` of the ``project`` without missing media.

    Missing media are not part of ``may_take_conditions``: a person who may get the item later must not look into it
    now.
    """
    return [*of_stage(), col(TaskRow.state) == TaskState.OPEN, col(TaskRow.awaits_media).is_(False)]


def may_take_conditions(stage: Stage, *, join: bool = True, of: Any = TaskRow) -> list[ColumnElement[bool]]:
    """Return the protocol's conditions on the ``taker`` of a slot.

    The taker gets no second slot of a unit and never their own item, and is asked blind only about uninspected items.
    Adding zero to a person's id keeps PostgreSQL from scanning everything that the person has done. It looks at the few
    slots of the unit instead, whatever its statistics are.
    """
    other = _OTHER
    person_id: ColumnElement[int] = bindparam("taker")
    second = [col(other.unit) == col(of.unit), col(other.person_id) + 0 == person_id]
    if not join:
        second.append(col(other.id) != col(of.id))
    conditions: list[ColumnElement[bool]] = [~exists().where(*second)]
    if stage in (*VERIFICATIONS, Stage.ADJUDICATION, Stage.ANSWERING):
        conditions.append(~exists().where(col(ItemRow.id) == col(of.item_id), col(ItemRow.author_id) + 0 == person_id))
        conditions.append(
            ~exists().where(col(RevisionRow.item_id) == col(of.item_id), col(RevisionRow.editor_id) == person_id)
        )
    if stage in BLIND:
        conditions.append(
            ~exists().where(col(InsightRow.item_id) == col(of.item_id), col(InsightRow.person_id) == person_id)
        )
    had = (col(other.item_id) == col(of.item_id), col(other.person_id) + 0 == person_id)
    if stage is Stage.ANSWERING:  # nobody who did other work on the item, at any revision
        conditions.append(~exists().where(*had, col(other.unit) != col(of.unit)))
    if stage in (Stage.ADJUDICATION, *BLIND - {Stage.ANSWERING}):
        took_part = col(other.stage) == Stage.ANSWERING
        if stage in VERIFICATIONS[:-1]:  # voters of a later stage get no reopened slot of this one
            later = VERIFICATIONS[VERIFICATIONS.index(stage) + 1 :]
            took_part = or_(took_part, and_(col(other.stage).in_(later), col(other.revision) == col(of.revision)))
        conditions.append(~exists().where(*had, took_part))
    if stage in VERIFICATIONS[1:]:  # these raters must not know the earlier decision
        conditions.append(~exists().where(*had, col(other.stage) == Stage.ADJUDICATION))
        before = VERIFICATIONS[: VERIFICATIONS.index(stage)]
        first_time = ~exists().where(*had, col(other.stage).in_(before))
        conditions.append(or_(col(of.project_id).in_(bindparam(_AGAIN, [], expanding=True)), first_time))
    if stage is Stage.GRADING:  # not the answers of their qualification, whose results they see
        graded = (col(other.prediction_id) == col(of.prediction_id), col(other.person_id) + 0 == person_id)
        conditions.append(~exists().where(*graded, col(other.purpose) == Purpose.QUALIFICATION))
    if stage is Stage.REFINEMENT:  # its page shows the key
        conditions.append(~exists().where(col(ItemRow.id) == col(of.item_id), col(ItemRow.author_id) + 0 == person_id))
        conditions.append(~_asked_blind(of, person_id))
    if stage is Stage.ARBITRATION:
        theirs = (col(other.person_id) + 0 == person_id, col(other.stage) == Stage.CODING)
        conditions.append(~exists().where(col(other.prediction_id) == col(of.prediction_id), *theirs))
    if stage is Stage.ADJUDICATION:
        conditions.append(
            ~exists().where(
                col(AnnotationRow.item_id) == col(of.item_id),
                col(AnnotationRow.stage).in_(VERIFICATIONS),
                col(AnnotationRow.person_id) + 0 == person_id,
            )
        )
    return conditions


def _asked_blind(of: Any, person_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that the person has an open blind task about a slot's item, or may still take an answer
    back.
    """
    unsettled = exists().where(
        col(ItemRow.id) == col(_OTHER.item_id),
        col(ItemRow.state).in_(UNSETTLED),
        col(ItemRow.current_revision) == col(_OTHER.revision),
    )
    return exists().where(
        col(_OTHER.item_id) == col(of.item_id),
        col(_OTHER.person_id) + 0 == person_id,
        col(_OTHER.stage).in_(BLIND),
        or_(
            col(_OTHER.state) == TaskState.CLAIMED,
            col(_OTHER.correcting).is_(True),
            and_(col(_OTHER.stage).in_(VERIFICATIONS), col(_OTHER.state) == TaskState.DONE, unsettled),
        ),
    )


def not_postponed(of: Any) -> ColumnElement[bool]:
    """Return the condition that the ``taker`` has not postponed the unit of a slot."""
    return ~exists().where(
        col(PostponementRow.person_id) == bindparam("taker"), col(PostponementRow.unit) == col(of.unit)
    )
