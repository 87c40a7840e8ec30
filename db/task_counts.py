"""Counting slots: a person's waiting and finished work, and the progress of a stage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import and_, bindparam, case, func, literal_column, or_, union_all
from sqlalchemy import select as sa_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import prepared
from db.tables import PredictionRow, TaskRow
from db.task_rules import may_take_conditions, of_stage, taker
from db.task_slots import unit_of_prediction
from db.withdrawn_runs import of_counting_runs
from domain.states import Purpose, Stage, TaskState

_AT_ONCE = 500


def open_units(session: Session, *, project_id: int, stage: Stage, dimension: str) -> dict[str, int]:
    """Count the open slots, by unit."""
    wanted = select(TaskRow.unit, func.count()).where(
        TaskRow.project_id == project_id,
        TaskRow.stage == stage,
        TaskRow.state == TaskState.OPEN,
        TaskRow.dimension == dimension,
        TaskRow.purpose == Purpose.LIVE,
    )
    return dict(session.exec(wanted.group_by(col(TaskRow.unit))).all())


def count_available(
    session: Session,
    *,
    project_id: int,
    stage: Stage,
    person_id: int,
    dimensions: Sequence[str] | None,
    now: datetime,
) -> dict[str, int]:
    """Count the waiting units that this person may take, by dimension."""
    given = {"project": project_id, "stage": stage, **taker(session, stage, person_id)}
    given |= {"dimensions": dimensions, "now": now}
    return dict(session.exec(_available(stage, dimensions is not None), params=given).all())


@cache
def _available(stage: Stage, within: bool) -> Any:
    waiting = or_(
        col(TaskRow.state) == TaskState.OPEN,
        and_(col(TaskRow.state) == TaskState.CLAIMED, col(TaskRow.lease_until) < bindparam("now")),
    )
    wanted = select(TaskRow.dimension, func.count(func.distinct(TaskRow.unit))).where(
        *of_stage(),
        col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED)),
        col(TaskRow.purpose) == Purpose.LIVE,
        waiting,
        *may_take_conditions(stage),
        col(TaskRow.awaits_media).is_(False),
    )
    if within:
        wanted = wanted.where(col(TaskRow.dimension).in_(bindparam("dimensions", expanding=True)))
    return wanted.group_by(col(TaskRow.dimension))


def count_done(session: Session, *, project_id: int, stage: Stage, person_id: int) -> dict[str, int]:
    """Count a person's finished slots in a stage, by dimension."""
    given = {"project": project_id, "stage": stage, "taker": person_id}
    return dict(session.exec(_in_state(TaskState.DONE), params=given).all())


def count_in_hand(session: Session, *, project_id: int, stage: Stage, person_id: int) -> dict[str, int]:
    """Count a person's claims in a stage, by dimension."""
    given = {"project": project_id, "stage": stage, "taker": person_id}
    return dict(session.exec(_in_state(TaskState.CLAIMED), params=given).all())


@cache
def _in_state(state: TaskState) -> Any:
    # The index ``ix_task_mine`` has all of these columns, so none of tens of thousands of rows is read.
    wanted = select(TaskRow.dimension, func.count()).where(
        col(TaskRow.person_id) == bindparam("taker"),
        *of_stage(),
        col(TaskRow.state) == state,
        col(TaskRow.purpose) != Purpose.QUALIFICATION,
    )
    return wanted.group_by(col(TaskRow.dimension))


def count_taken_back_and_done(
    session: Session, *, project_id: int, stage: Stage, person_id: int, now: datetime
) -> tuple[dict[str, int], dict[str, int]]:
    """Count a person's submissions that they are correcting, by dimension, and return ``count_done`` with it."""
    given = {"project": project_id, "stage": stage, "taker": person_id, "now": now}
    taken_back: dict[str, int] = {}
    done: dict[str, int] = {}
    for dimension, count, of_done in prepared.rows(session, _taken_back_and_done(), given):
        (done if of_done else taken_back)[dimension] = count
    return taken_back, done


@cache
def _taken_back_and_done() -> Any:
    taken_back = select(TaskRow.dimension, func.count()).where(
        col(TaskRow.person_id) == bindparam("taker"),
        col(TaskRow.correcting).is_(True),
        *of_stage(),
        col(TaskRow.lease_until) > bindparam("now"),
    )
    halves = (taken_back.group_by(col(TaskRow.dimension)), _in_state(TaskState.DONE))
    return union_all(*(half.add_columns(literal_column(str(at))) for at, half in enumerate(halves)))


def dimensions_in(
    session: Session, *, project_id: int, stage: Stage, dimensions: Iterable[str], states: Iterable[TaskState]
) -> set[str]:
    """Return the dimensions in which a stage has slots in one of the states. Each needs one look at an index."""
    present = set()
    for dimension in dimensions:
        for state in states:
            given = {"project": project_id, "stage": stage, "dimension": dimension, "state": state}
            if session.exec(_any_in(), params=given).first() is not None:
                present.add(dimension)
                break
    return present


@cache
def _any_in() -> Any:
    wanted = select(TaskRow.id).where(*of_stage(), col(TaskRow.state) == bindparam("state"))
    live = col(TaskRow.purpose) == Purpose.LIVE
    return wanted.where(live, col(TaskRow.dimension) == bindparam("dimension")).limit(1)


def count_by_state(session: Session, *, project_id: int, stage: Stage) -> dict[tuple[str, TaskState], int]:
    """Count the slots of a stage, by dimension and state."""
    wanted = (
        select(TaskRow.dimension, TaskRow.state, func.count())
        .where(TaskRow.project_id == project_id, TaskRow.stage == stage, TaskRow.purpose == Purpose.LIVE)
        .group_by(col(TaskRow.dimension), col(TaskRow.state))
    )
    return {(dimension, TaskState(state)): n for dimension, state, n in session.exec(wanted)}


def models_in(session: Session, *, project_id: int, stage: Stage) -> set[str]:
    """Return the models with answers in a stage, except withdrawn runs."""
    wanted = (
        select(PredictionRow.model)
        .join(TaskRow, col(TaskRow.prediction_id) == col(PredictionRow.id))
        .where(TaskRow.project_id == project_id, TaskRow.stage == stage, TaskRow.purpose == Purpose.LIVE)
        .where(of_counting_runs())
        .distinct()
    )
    return set(session.exec(wanted))


def begun_items(session: Session, *, project_id: int) -> dict[str, int]:
    """Count the items that authors have begun and not submitted, by dimension. Items under correction do not count."""
    wanted = (
        select(TaskRow.dimension, func.count())
        .where(
            TaskRow.project_id == project_id,
            TaskRow.stage == Stage.AUTHORING,
            TaskRow.purpose == Purpose.LIVE,
            TaskRow.state == TaskState.CLAIMED,
            col(TaskRow.item_id).is_(None),
        )
        .group_by(col(TaskRow.dimension))
    )
    return dict(session.exec(wanted).all())


def any_unfinished(session: Session, *, project_id: int, stage: Stage) -> bool:
    """Tell whether a stage has an open or claimed slot."""
    wanted = select(TaskRow.id).where(
        TaskRow.project_id == project_id,
        TaskRow.stage == stage,
        TaskRow.purpose == Purpose.LIVE,
        col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED)),
    )
    return session.exec(wanted.limit(1)).first() is not None


@dataclass(frozen=True)
class AnswerSlots:
    """A model's answer that was sent to people, and the states of its slots."""

    unit: str
    prediction_id: int
    item_id: int
    model: str
    dimension: str
    open: int
    claimed: int
    done: int
    withdrawn: int
    slotless: bool = False
    """Whether it has no slots yet. Then ``withdrawn`` is the number of slots that it would get."""

    @property
    def touched(self) -> bool:
        """Whether someone has graded or claimed it."""
        return bool(self.claimed or self.done)

    def is_complete(self, raters: int, *, fewest: int | None = None) -> bool:
        """Tell whether enough people have done it, by the present number or the number at that time (``fewest``)."""
        waits = self.open or self.claimed
        return self.done >= raters or (fewest is not None and self.done >= fewest and not waits)

    def lacking(self, raters: int, *, fewest: int | None = None) -> int:
        """Return how many slots are missing for this number of raters."""
        if self.is_complete(raters, fewest=fewest):
            return 0
        return max(raters - self.open - self.claimed - self.done, 0)

    @property
    def place(self) -> tuple[str, str]:
        """The dimension and model, over which samples are balanced."""
        return self.dimension, self.model


def slotless(prediction_id: int, *, item_id: int, model: str, dimension: str, slots: int) -> AnswerSlots:
    """Return an answer that was sent to nobody, as if its slots had been withdrawn."""
    unit = unit_of_prediction(prediction_id=prediction_id)
    return AnswerSlots(unit, prediction_id, item_id, model, dimension, 0, 0, 0, slots, slotless=True)


def answer_slots(session: Session, *, project_id: int, stage: Stage, item_id: int | None = None) -> list[AnswerSlots]:
    """Return the answers in a stage, oldest first, for all items or one. Withdrawn runs do not count."""

    def n(state: TaskState) -> Any:
        return func.sum(case((col(TaskRow.state) == state, 1), else_=0))

    wanted = (
        sa_select(
            col(TaskRow.unit),
            func.min(TaskRow.prediction_id),
            func.min(TaskRow.item_id),
            func.min(PredictionRow.model),
            func.min(TaskRow.dimension),
            *(n(state) for state in (TaskState.OPEN, TaskState.CLAIMED, TaskState.DONE, TaskState.WITHDRAWN)),
        )
        .join(PredictionRow, col(PredictionRow.id) == col(TaskRow.prediction_id))
        .where(col(TaskRow.project_id) == project_id, col(TaskRow.stage) == stage, col(TaskRow.purpose) == Purpose.LIVE)
        .where(of_counting_runs())
        .group_by(col(TaskRow.unit))
    )
    if item_id is not None:
        wanted = wanted.where(col(TaskRow.item_id) == item_id)
    slots = [
        AnswerSlots(unit, int(id), int(item_id), model, dimension, int(open_), int(claimed), int(done), int(withdrawn))
        for unit, id, item_id, model, dimension, open_, claimed, done, withdrawn in session.execute(wanted)
    ]
    return sorted(slots, key=lambda each: each.prediction_id)


def any_waits_for_media(
    session: Session, *, project_id: int, stage: Stage, person_id: int, dimensions: Sequence[str] | None
) -> bool:
    """Tell whether a slot that a person may take waits for missing media. Only a few hundred slots are checked."""
    given = {"project": project_id, "stage": stage, **taker(session, stage, person_id), "dimensions": dimensions}
    return session.execute(_any_waits(stage, dimensions is not None), given).first() is not None


@cache
def _any_waits(stage: Stage, within: bool) -> Any:
    raw = select(TaskRow).where(*of_stage(), col(TaskRow.state) == TaskState.OPEN, col(TaskRow.awaits_media).is_(True))
    raw = raw.where(col(TaskRow.purpose) == Purpose.LIVE)
    if within:
        raw = raw.where(col(TaskRow.dimension).in_(bindparam("dimensions", expanding=True)))
    slot = aliased(TaskRow, raw.limit(_AT_ONCE).subquery("raw"))
    wanted: Any = sa_select(col(slot.id))
    return wanted.where(*may_take_conditions(stage, of=slot)).limit(1)
