"""Commands and queries on runs, and on the answers that came of them.

What runs are cut into and who works on them is in ``db.run_chunks``, every time of asking in ``db.run_attempts``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.records import StoredItem, StoredPrediction, StoredRun
from db.tables import (
    AttemptRow,
    ImportedRatingRow,
    ItemRow,
    PersonRow,
    PredictionRow,
    ProjectRow,
    RunRow,
    TaskRow,
)
from domain.display_names import distinct_names
from domain.run_kinds import RunKind
from domain.runs import OPEN, RunState
from domain.states import Stage, TaskState

# ---- what becomes of a run ------------------------------------------------------------------------------------------


def add(
    session: Session,
    *,
    project_id: int,
    kind: RunKind,
    name: str,
    params: Mapping[str, Any],
    state: RunState,
    spec_hash: str,
    by_id: int | None,
    now: datetime,
    wanted: int = 0,
) -> StoredRun:
    """Add a run. One that is done from the beginning (``state``) was made elsewhere, and starts and ends now."""
    row = RunRow(
        project_id=project_id,
        kind=kind,
        name=name,
        params=dict(params),
        state=state,
        spec_hash=spec_hash,
        wanted=wanted,
        by_id=by_id,
        created_at=now,
        started_at=now if state is RunState.DONE else None,
        ended_at=now if state is RunState.DONE else None,
    )
    return _stored(session, row)


def begin(session: Session, *, row: StoredRun, now: datetime) -> StoredRun:
    """Note when a run was first worked on."""
    row.started_at = row.started_at or now
    return _stored(session, row)


def take_up(session: Session, *, row: StoredRun, now: datetime) -> StoredRun:
    """A worker is at a run."""
    row.state = RunState.RUNNING
    return begin(session, row=row, now=now)


def put_down(session: Session, *, row: StoredRun) -> StoredRun:
    """The last worker has left a run that is not done: it waits for another one."""
    row.state = RunState.WAITING
    return _stored(session, row)


def pause(session: Session, *, row: StoredRun) -> StoredRun:
    """No one takes anything of a run for now."""
    row.state, row.said = RunState.PAUSED, ""
    return _stored(session, row)


def resume(session: Session, *, row: StoredRun, state: RunState) -> StoredRun:
    """Something of a run is to be asked (again): by workers (``state`` WAITING), or in batch files (BATCH)."""
    row.state, row.said, row.ended_at = state, "", None
    return _stored(session, row)


def stop(session: Session, *, row: StoredRun, said: str) -> StoredRun:
    """A run cannot go on by itself, which ``said`` explains."""
    row.state, row.said = RunState.STOPPED, said
    return _stored(session, row)


def cancel(session: Session, *, row: StoredRun, now: datetime) -> StoredRun:
    """End a run for good."""
    row.state, row.said, row.ended_at = RunState.CANCELLED, "", now
    return _stored(session, row)


def complete(session: Session, *, row: StoredRun, now: datetime) -> StoredRun:
    """Nothing of a run is left to be asked."""
    row.state, row.ended_at = RunState.DONE, now
    return begin(session, row=row, now=now)


def explain(session: Session, *, row: StoredRun, said: str) -> StoredRun:
    """Note where a run stands, as a sentence."""
    row.said = said
    return _stored(session, row)


def extend_by(session: Session, *, row: StoredRun, units: int, now: datetime) -> StoredRun:
    """A run that is done has become about more units, which were all asked by now."""
    row.wanted, row.ended_at = row.wanted + units, now
    return _stored(session, row)


def withdraw(session: Session, *, row: StoredRun, why: str, now: datetime) -> StoredRun:
    """A run counts nowhere any more."""
    row.withdrawn_at, row.withdrawn_why = now, why
    return _stored(session, row)


def take_back(session: Session, *, row: StoredRun) -> StoredRun:
    """A run that was withdrawn counts again."""
    row.withdrawn_at, row.withdrawn_why = None, ""
    return _stored(session, row)


def _stored(session: Session, row: StoredRun) -> StoredRun:
    session.add(row)
    session.flush()
    return row


# ---- finding runs ---------------------------------------------------------------------------------------------------


def by_public_id(session: Session, *, public_id: str, hold: bool = False) -> StoredRun | None:
    """A run; ``hold`` keeps everyone else from changing it until the transaction ends."""
    wanted = select(RunRow).where(RunRow.public_id == public_id)
    if hold:
        wanted = wanted.with_for_update(key_share=True).execution_options(populate_existing=True)
    return session.exec(wanted).first()


def project_of(session: Session, *, public_id: str) -> str | None:
    """The name of the project that a run belongs to."""
    wanted = select(ProjectRow.name).join(RunRow, col(RunRow.project_id) == ProjectRow.id)
    return session.exec(wanted.where(RunRow.public_id == public_id)).first()


def of_project(session: Session, *, project_id: int, kind: RunKind = RunKind.MODEL) -> Sequence[StoredRun]:
    """A project's runs of models or of judges, the newest first."""
    wanted = select(RunRow).where(RunRow.project_id == project_id, RunRow.kind == kind)
    return session.exec(wanted.order_by(col(RunRow.id).desc())).all()


def first_labelled(session: Session, *, project_id: int, kind: RunKind, label: str) -> StoredRun | None:
    """The first run of that kind whose name is the label itself."""
    wanted = select(RunRow).where(RunRow.project_id == project_id, RunRow.kind == kind, RunRow.name == label)
    return session.exec(wanted.order_by(col(RunRow.id)).limit(1)).first()


def names(session: Session, *, project_id: int) -> set[str]:
    """What runs and models of a project are called already."""
    runs = session.exec(select(RunRow.name).where(RunRow.project_id == project_id))
    models = session.exec(select(PredictionRow.model).where(PredictionRow.project_id == project_id).distinct())
    return {*runs, *models}


def public_ids(session: Session, *, project_id: int) -> Sequence[str]:
    """The ids by which the runs of a project are called."""
    return session.exec(select(RunRow.public_id).where(RunRow.project_id == project_id)).all()


def open_of(session: Session, *, project_id: int) -> Sequence[StoredRun]:
    """The runs of a project that wait or are at work, the oldest first."""
    wanted = select(RunRow).where(RunRow.project_id == project_id, col(RunRow.state).in_(tuple(OPEN)))
    return session.exec(wanted.order_by(col(RunRow.id))).all()


def open_runs(session: Session) -> Sequence[StoredRun]:
    """The runs of all projects that a worker may work on, the oldest first."""
    wanted = select(RunRow).where(
        col(RunRow.kind).in_([kind for kind in RunKind if kind.plan]), col(RunRow.state).in_(tuple(OPEN))
    )
    return session.exec(wanted.order_by(col(RunRow.id))).all()


def state(session: Session, *, run_id: int) -> RunState:
    """Where a run stands just now."""
    return RunState(session.exec(select(RunRow.state).where(RunRow.id == run_id)).one())


def person(session: Session, *, id: int | None) -> str | None:
    """What anyone who started a run is called: by name, with the login in brackets where someone else has the same."""
    row = session.get(PersonRow, id) if id is not None else None
    if row is None:
        return None
    of_the_name = session.exec(
        select(PersonRow.login, PersonRow.name).where(func.lower(PersonRow.name) == func.lower(row.name))
    )
    return distinct_names({row.login: row.name, **dict(of_the_name.all())})[row.login]


def first_reply(session: Session, *, project_id: int, judges: Sequence[str]) -> datetime | None:
    """When the first reply or rating of one of these judges came; None: there is none."""
    asked = (
        select(func.min(AttemptRow.created_at))
        .join(RunRow, col(RunRow.id) == AttemptRow.run_id)
        .where(RunRow.project_id == project_id, col(RunRow.name).in_(list(judges)))
    )
    rated = select(func.min(ImportedRatingRow.created_at)).where(
        ImportedRatingRow.project_id == project_id, col(ImportedRatingRow.rater).in_(list(judges))
    )
    return min((at for at in (session.exec(asked).one(), session.exec(rated).one()) if at is not None), default=None)


# ---- answers --------------------------------------------------------------------------------------------------------


def answers(session: Session, *, run_id: int) -> int:
    """How many answers a run has."""
    return session.exec(select(func.count()).where(PredictionRow.run_id == run_id)).one()


def last_answers(session: Session, *, run_id: int, limit: int) -> list[tuple[StoredPrediction, StoredItem]]:
    """The newest answers of a run with their items, the newest first."""
    wanted = (
        select(PredictionRow, ItemRow)
        .join(ItemRow, col(ItemRow.id) == PredictionRow.item_id)
        .where(PredictionRow.run_id == run_id)
        .order_by(col(PredictionRow.id).desc())
        .limit(limit)
    )
    return [(answer, item) for answer, item in session.exec(wanted)]


def to_grade(session: Session, *, run_id: int) -> list[tuple[int, int, str]]:
    """All answers of a run (prediction id, item id, dimension)."""
    wanted = (
        select(PredictionRow.id, PredictionRow.item_id, ItemRow.dimension)
        .join(ItemRow, col(ItemRow.id) == PredictionRow.item_id)
        .where(PredictionRow.run_id == run_id)
        .order_by(col(PredictionRow.id))
    )
    return [(id, item_id, dimension) for id, item_id, dimension in session.exec(wanted)]


def in_grading(session: Session, *, run_id: int) -> int:
    """How many answers of a run people can grade or have graded."""
    wanted = (
        select(func.count(func.distinct(TaskRow.prediction_id)))
        .join(PredictionRow, col(PredictionRow.id) == TaskRow.prediction_id)
        .where(PredictionRow.run_id == run_id, TaskRow.stage == Stage.GRADING, TaskRow.state != TaskState.WITHDRAWN)
    )
    return session.exec(wanted).one()


def items_of(
    session: Session, *, project_id: int, dimensions: Sequence[str] | None, states: Sequence[str] | None
) -> list[int]:
    """The items that a run may be about."""
    wanted = select(ItemRow.id).where(ItemRow.project_id == project_id).order_by(col(ItemRow.id))
    if dimensions is not None:
        wanted = wanted.where(col(ItemRow.dimension).in_(list(dimensions)))
    if states is not None:
        wanted = wanted.where(col(ItemRow.state).in_(list(states)))
    return [id for id in session.exec(wanted)]
