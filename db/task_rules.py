"""What the protocol asks of the person who takes a slot, as conditions of queries.

Statements on the annotator's path are made once and filled in by name (``taker``, ``project``, ``stage``, ``now``):
putting one together costs more than running it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, exists, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from db.tables import AnnotationRow, InsightRow, ItemRow, PostponedRow, RevisionRow, TaskRow
from domain.states import BLIND, UNSETTLED, VERIFICATIONS, Purpose, Stage, TaskState

_OTHER = aliased(TaskRow)
"""Another slot of the same unit. Made once: an alias costs more than the query that uses it."""


_AGAIN = "again"


def let_vote_again(session: Session, *, project_id: int, stages: Collection[str]) -> None:
    """From here on the session knows in which stages of verification of a project people may vote who have voted on an
    item in an earlier one."""
    known: dict[str, list[int]] = session.info.setdefault(_AGAIN, {})
    for stage in stages:
        known[stage] = [*(id for id in known.get(stage, ()) if id != project_id), project_id]


def taker(session: Session, stage: Stage, person_id: int) -> dict[str, Any]:
    """What ``may_take_conditions`` are about, as they name it."""
    return {"taker": person_id, _AGAIN: session.info.get(_AGAIN, {}).get(stage, [])}


def of_stage() -> list[ColumnElement[bool]]:
    """Slots of the ``stage`` of the ``project``."""
    return [col(TaskRow.project_id) == bindparam("project"), col(TaskRow.stage) == bindparam("stage")]


def on_offer() -> list[ColumnElement[bool]]:
    """Open slots of the ``stage`` of the ``project`` that do not wait for an image or clip.

    That is no part of ``may_take_conditions``: who may be asked about an item once its image is there must not look
    into it before.
    """
    return [*of_stage(), col(TaskRow.state) == TaskState.OPEN, col(TaskRow.awaits_media).is_(False)]


def may_take_conditions(stage: Stage, *, join: bool = True, of: Any = TaskRow) -> list[ColumnElement[bool]]:
    """What the protocol asks of the ``taker`` of a slot: no second slot of a unit, never one's own item; and
    blind only about what one has not looked into.

    Adding nothing to a person's id keeps PostgreSQL from going through all that the person has done: it looks at the
    few slots of the unit instead, whatever its statistics say.
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
    if stage is Stage.ANSWERING:  # whatever else they did about the item, also at an earlier revision
        conditions.append(~exists().where(*had, col(other.unit) != col(of.unit)))
    if stage in (Stage.ADJUDICATION, *BLIND - {Stage.ANSWERING}):
        took_part = col(other.stage) == Stage.ANSWERING
        if stage in VERIFICATIONS[:-1]:  # who voted in a later stage does not fill a slot of this one that opens again
            later = VERIFICATIONS[VERIFICATIONS.index(stage) + 1 :]
            took_part = or_(took_part, and_(col(other.stage).in_(later), col(other.revision) == col(of.revision)))
        conditions.append(~exists().where(*had, took_part))
    if stage in VERIFICATIONS[1:]:  # what was said before is not told to those who are asked now
        conditions.append(~exists().where(*had, col(other.stage) == Stage.ADJUDICATION))
        before = VERIFICATIONS[: VERIFICATIONS.index(stage)]
        first_time = ~exists().where(*had, col(other.stage).in_(before))
        conditions.append(or_(col(of.project_id).in_(bindparam(_AGAIN, [], expanding=True)), first_time))
    if stage is Stage.GRADING:  # what they graded to qualify, whose results they see
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
    """The person answers about the item of a slot blind just now, or may still take back what they answered."""
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
    """The ``taker`` has not put the unit of a slot off."""
    return ~exists().where(col(PostponedRow.person_id) == bindparam("taker"), col(PostponedRow.unit) == col(of.unit))
