"""Queries on pairs of answers: their slots, the votes of people, and the units of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select as plain_select
from sqlalchemy import update
from sqlmodel import Session, col, select

from db import reworded, task_slots
from db.files import counting
from db.tables import AnnotationRow, JudgeUnitRow, PersonRow, PredictionRow, TaskRow
from domain.runs import chunked
from domain.states import Purpose, Stage, TaskState

_AT_ONCE = 2_000


def unit_of_pair(first_id: int, second_id: int) -> str:
    """Return the unit name of two models' answers to an item to compare."""
    return f"{task_slots.unit_of_answer(Stage.COMPARISON, prediction_id=first_id)}/{second_id}"


def pair_of(unit: str) -> tuple[int, int]:
    """Return the two answers (ids) in a name of ``unit_of_pair``."""
    _, _, first, second = unit.split("/")
    return int(first), int(second)


def units_in(session: Session, *, project_id: int, stage: Stage, item_id: int | None = None) -> list[str]:
    """Return the units with live slots in a stage, in any state, or only those about an item."""
    wanted = select(TaskRow.unit).where(
        TaskRow.project_id == project_id, TaskRow.stage == stage, TaskRow.purpose == Purpose.LIVE
    )
    if item_id is not None:
        wanted = wanted.where(TaskRow.item_id == item_id)
    return sorted(session.exec(wanted.distinct()))


def call_off_idle(session: Session, *, unit: str) -> None:
    """Withdraw the open slots of a unit, except one that someone is taking."""
    idle = select(TaskRow.id).where(TaskRow.unit == unit, TaskRow.state == TaskState.OPEN).order_by(col(TaskRow.id))
    ids = list(session.exec(idle.with_for_update(skip_locked=True, key_share=True)))
    session.exec(update(TaskRow).where(col(TaskRow.id).in_(ids)).values(state=TaskState.WITHDRAWN))


def of_run(session: Session, *, run_id: int) -> dict[int, int]:
    """Return a run's answers: the item's id by the answer's id."""
    wanted = plain_select(col(PredictionRow.id), col(PredictionRow.item_id)).where(col(PredictionRow.run_id) == run_id)
    return {id: item_id for id, item_id in session.connection().execute(wanted)}


class PairVote(NamedTuple):
    """One person's current comparison of two models' answers."""

    item_id: int
    unit: str
    """The name of the pair of answers (``pair_of``)."""
    dimension: str
    answers: Mapping[str, Any]
    shown: Mapping[str, Any]
    note: str
    guideline_hash: str
    person_id: int
    login: str
    schema_version_id: int
    weight: float | None
    created_at: datetime


def counting_pair_votes(session: Session, *, project_id: int) -> list[PairVote]:
    """Return all comparisons that count, oldest first."""
    stage = Stage.COMPARISON
    columns: tuple[Any, ...] = (
        AnnotationRow.item_id,
        TaskRow.unit,
        TaskRow.dimension,
        AnnotationRow.answers,
        AnnotationRow.shown,
        AnnotationRow.note,
        AnnotationRow.guideline_hash,
        AnnotationRow.person_id,
        PersonRow.login,
        AnnotationRow.schema_version_id,
        AnnotationRow.weight,
        AnnotationRow.created_at,
    )
    wanted = counting(plain_select(*columns), project_id=project_id, stage=stage)
    wanted = wanted.join(TaskRow, col(TaskRow.id) == AnnotationRow.task_id).order_by(col(AnnotationRow.id))
    about: dict[str, Any] = {"project_id": project_id, "stage": stage}
    rows = map(PairVote._make, session.execute(wanted))
    return [
        row._replace(answers=reworded.answers(session, **about, version=row.schema_version_id, given=row.answers))
        for row in rows
    ]


def strange_pairs(session: Session, *, project_id: int) -> list[tuple[str, str, str]]:
    """Return comparison units that do not hold two models' answers to their item, sorted by model name.

    Each unit comes with the names of its models.
    """
    wanted = select(TaskRow.unit, TaskRow.prediction_id, TaskRow.item_id).where(
        TaskRow.project_id == project_id, TaskRow.stage == Stage.COMPARISON
    )
    units = list(session.exec(wanted.distinct()))
    ids = sorted({id for unit, _, _ in units for id in _ids_in(unit)})
    known: dict[int, tuple[int, str]] = {}
    for lot in chunked(ids, _AT_ONCE):
        of = select(PredictionRow.id, PredictionRow.item_id, PredictionRow.model).where(
            col(PredictionRow.id).in_(lot), PredictionRow.project_id == project_id
        )
        known |= {id: (item_id, model) for id, item_id, model in session.exec(of)}
    strange = []
    for unit, first, item_id in units:
        both = [known.get(id, (None, "no answer")) for id in _ids_in(unit)]
        models = [model for _, model in both]
        fits = len(both) == 2 and _ids_in(unit)[0] == first and all(item == item_id for item, _ in both)
        if not fits or models[0] >= models[1]:
            strange.append((unit, models[0] if models else "no answer", models[1] if models[1:] else "no answer"))
    return strange


def _ids_in(unit: str) -> list[int]:
    return [int(part) for part in unit.split("/")[2:] if part.isdecimal()]


def shown_in(session: Session, *, project_id: int, stage: Stage) -> list[tuple[str, Any]]:
    """Return the recorded layout of the page for every submission of a stage, by the submission's public id."""
    wanted = select(AnnotationRow.public_id, AnnotationRow.shown).where(
        AnnotationRow.project_id == project_id, AnnotationRow.stage == stage
    )
    return [(id, shown) for id, shown in session.exec(wanted)]


@dataclass(frozen=True)
class JudgeComparison:
    """One order of a comparison that a judge was to be asked about."""

    run_id: int
    item_id: int
    prediction_id: int
    other_id: int
    swapped: bool
    sample: int
    model: str
    other_model: str


def comparisons(session: Session, *, run_ids: Sequence[int]) -> list[JudgeComparison]:
    """Return the comparisons in runs of judges, with the models that answered, in the order of their units."""
    mine = (col(JudgeUnitRow.run_id).in_(list(run_ids)), col(JudgeUnitRow.attack).is_(None))
    of_pairs = (*mine, col(JudgeUnitRow.other_id).is_not(None))
    shown = [
        plain_select(column).where(*of_pairs)
        for column in (col(JudgeUnitRow.prediction_id), col(JudgeUnitRow.other_id))
    ]
    whose = plain_select(col(PredictionRow.id), col(PredictionRow.model))
    models: dict[int, str] = {}
    for ids in shown:
        for id, model in session.connection().execute(whose.where(col(PredictionRow.id).in_(ids))):
            models[id] = model
    wanted = (
        plain_select(
            col(JudgeUnitRow.run_id),
            col(JudgeUnitRow.item_id),
            col(JudgeUnitRow.prediction_id),
            col(JudgeUnitRow.other_id),
            col(JudgeUnitRow.swapped),
            col(JudgeUnitRow.sample),
        )
        .where(*of_pairs)
        .order_by(col(JudgeUnitRow.id))
    )
    return [
        JudgeComparison(run, item, one or 0, other or 0, swapped, sample, models[one or 0], models[other or 0])
        for run, item, one, other, swapped, sample in session.connection().execute(wanted)
    ]
