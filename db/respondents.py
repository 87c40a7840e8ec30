"""Queries on people who answer items like models do: their runs, and the items that they may answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import case, func
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from db.records import StoredRun
from db.tables import ItemRow, PredictionRow, RunRow, TaskRow
from db.task_slots import shuffle_key
from domain.run_kinds import RunKind
from domain.states import ItemState, Stage, TaskState

_PEOPLE = tuple(kind for kind in RunKind if kind.people)


def run_of(session: Session, *, project_id: int, person_id: int) -> StoredRun | None:
    """Return the newest run of a person's own answers, or None."""
    wanted = select(RunRow).where(
        RunRow.project_id == project_id, col(RunRow.kind).in_(_PEOPLE), RunRow.by_id == person_id
    )
    return session.exec(wanted.order_by(col(RunRow.id).desc())).first()


def has_answer(session: Session, *, run_id: int, item_id: int) -> bool:
    """Tell whether a run holds an answer to an item."""
    wanted = select(PredictionRow.id).where(PredictionRow.item_id == item_id, PredictionRow.run_id == run_id)
    return session.exec(wanted).first() is not None


def answers_to(session: Session, *, item_id: int, name: str) -> list[int]:
    """Return the answers (ids) to an item under a name."""
    wanted = select(PredictionRow.id).where(PredictionRow.item_id == item_id, PredictionRow.model == name)
    return [id for id in session.exec(wanted)]


def next_name(session: Session, *, project_id: int) -> str:
    """Return the name for the next person who answers: the first number that no person or model has."""
    taken = set(session.exec(select(RunRow.name).where(RunRow.project_id == project_id)))
    taken |= set(session.exec(select(PredictionRow.model).where(PredictionRow.project_id == project_id).distinct()))
    n = 1
    while f"respondent {n}" in taken:
        n += 1
    return f"respondent {n}"


def names(session: Session, *, project_id: int) -> frozenset[str]:
    """Return the names of the people who have answered items of a project."""
    wanted = select(RunRow.name).where(RunRow.project_id == project_id, col(RunRow.kind).in_(_PEOPLE))
    return frozenset(session.exec(wanted))


@dataclass(frozen=True, slots=True)
class AnswerUnit:
    """A revision of an item as something to answer."""

    unit: str
    current: bool
    """Whether it is the item's present revision."""
    kept: bool
    """Whether verification has kept the item, or the schema has no verification."""
    open: bool
    touched: bool
    """Whether someone has answered it or has claimed it."""

    def place(self, seed: int) -> int:
        """Return its position in the order in which a sample is drawn."""
        return shuffle_key(seed=seed, unit=self.unit, slot=0)


def units(session: Session, *, project_id: int, dimension: str) -> list[AnswerUnit]:
    """Return all units that people could answer in a dimension."""

    def n(*states: TaskState) -> Any:
        return func.sum(case((col(TaskRow.state).in_(states), 1), else_=0))

    wanted = (
        plain_select(
            col(TaskRow.unit),
            func.min(case((col(ItemRow.current_revision) == col(TaskRow.revision), 1), else_=0)),
            func.min(case((col(ItemRow.state).in_((ItemState.KEPT, ItemState.UNVERIFIED)), 1), else_=0)),
            n(TaskState.OPEN),
            n(TaskState.CLAIMED, TaskState.DONE),
        )
        .join(ItemRow, col(ItemRow.id) == col(TaskRow.item_id))
        .where(
            col(TaskRow.project_id) == project_id,
            col(TaskRow.stage) == Stage.ANSWERING,
            col(TaskRow.dimension) == dimension,
        )
        .group_by(col(TaskRow.unit))
        .order_by(col(TaskRow.unit))
    )
    return [
        AnswerUnit(unit, bool(current), bool(kept), bool(open_), bool(touched))
        for unit, current, kept, open_, touched in session.connection().execute(wanted)
    ]
