"""Queries on the answers received from another tool, and counts of sent tasks and their outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import exists, func
from sqlalchemy import select as sa_select
from sqlmodel import Session, col, select

from db.many_rows import insert_or_ignore
from db.records import StoredBridgeTask, StoredItem
from db.tables import BridgeAnswerRow, BridgeProjectRow, BridgeTaskRow, ItemRow, TaskRow
from domain.bridge import BridgeOutcome, BridgeState
from domain.runs import chunked
from domain.states import Stage


def note(session: Session, *, row: Mapping[str, Any]) -> bool:
    """Store a received annotation. Return whether it was new."""
    return insert_or_ignore(session, BridgeAnswerRow, [row]) == 1


def answers_known(session: Session, *, ids: Sequence[int]) -> dict[int, set[tuple[int, str]]]:
    """Return the annotations of tasks that were read before, by task id, each with its state at that time."""
    known_answers: dict[int, set[tuple[int, str]]] = {}
    for lot in chunked(ids):
        wanted = select(
            BridgeAnswerRow.bridge_task_id, BridgeAnswerRow.outside_annotation, BridgeAnswerRow.updated
        ).where(col(BridgeAnswerRow.bridge_task_id).in_(lot))
        for id, annotation, updated in session.exec(wanted):
            known_answers.setdefault(id, set()).add((annotation, updated))
    return known_answers


def counting(session: Session, *, ids: Sequence[int]) -> dict[int, tuple[int, str]]:
    """Return the annotation of each task that counts: its id on the server and the time of its last change."""
    counting_answers: dict[int, tuple[int, str]] = {}
    for lot in chunked(ids):
        wanted = select(
            BridgeAnswerRow.bridge_task_id, BridgeAnswerRow.outside_annotation, BridgeAnswerRow.updated
        ).where(
            col(BridgeAnswerRow.bridge_task_id).in_(lot),
            col(BridgeAnswerRow.outcome).in_((BridgeOutcome.STORED, BridgeOutcome.SUPERSEDED)),
        )
        for id, annotation, updated in session.exec(wanted.order_by(col(BridgeAnswerRow.id))):
            counting_answers[id] = (annotation, updated)
    return counting_answers


# ---- counting -------------------------------------------------------------------------------------------------------


def count_tasks(session: Session, *, bridge_id: int) -> dict[tuple[int, Stage, BridgeState], int]:
    """Count the sent tasks, by person, stage and state."""
    wanted = (
        sa_select(col(BridgeTaskRow.person_id), col(BridgeProjectRow.stage), col(BridgeTaskRow.state), func.count())
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .where(col(BridgeProjectRow.bridge_id) == bridge_id)
        .group_by(col(BridgeTaskRow.person_id), col(BridgeProjectRow.stage), col(BridgeTaskRow.state))
    )
    return {
        (person_id, Stage(stage), BridgeState(state)): n for person_id, stage, state, n in session.execute(wanted).all()
    }


def count_answers(session: Session, *, bridge_id: int) -> dict[tuple[int, Stage, BridgeOutcome], int]:
    """Count the received annotations, by person, stage and outcome."""
    wanted = (
        sa_select(
            col(BridgeAnswerRow.person_id), col(BridgeProjectRow.stage), col(BridgeAnswerRow.outcome), func.count()
        )
        .join(BridgeTaskRow, col(BridgeTaskRow.id) == BridgeAnswerRow.bridge_task_id)
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .where(col(BridgeAnswerRow.bridge_id) == bridge_id)
        .group_by(col(BridgeAnswerRow.person_id), col(BridgeProjectRow.stage), col(BridgeAnswerRow.outcome))
    )
    return {
        (person_id, Stage(stage), BridgeOutcome(outcome)): n
        for person_id, stage, outcome, n in session.execute(wanted).all()
    }


def stuck(
    session: Session, *, bridge_id: int, tries: int, limit: int
) -> list[tuple[StoredBridgeTask, StoredItem | None]]:
    """Return waiting tasks that were sent at least ``tries`` times and refused, with their items."""
    refused = exists().where(
        col(BridgeAnswerRow.bridge_task_id) == col(BridgeTaskRow.id),
        col(BridgeAnswerRow.outcome) == BridgeOutcome.REFUSED,
    )
    wanted = (
        select(BridgeTaskRow, ItemRow)
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
        .join(ItemRow, col(ItemRow.id) == TaskRow.item_id, isouter=True)
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            BridgeTaskRow.state == BridgeState.OUT,
            col(BridgeTaskRow.number) >= tries,
            refused,
        )
        .order_by(col(BridgeTaskRow.id))
        .limit(limit)
    )
    return [(row, item) for row, item in session.exec(wanted)]


def strangers(session: Session, *, bridge_id: int) -> dict[tuple[int, Stage], int]:
    """Count the tasks in our projects on the server that Touchstone did not send, by person and stage."""
    wanted = (
        select(BridgeProjectRow.person_id, BridgeProjectRow.stage, func.sum(BridgeProjectRow.strangers))
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            col(BridgeProjectRow.removed_at).is_(None),
            col(BridgeProjectRow.strangers) > 0,
        )
        .group_by(col(BridgeProjectRow.person_id), col(BridgeProjectRow.stage))
    )
    return {(person_id, Stage(stage)): int(n) for person_id, stage, n in session.exec(wanted)}
