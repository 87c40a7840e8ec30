"""Commands and queries on runs and their answers.

The chunks of runs and their workers are in ``db.run_chunks``, the attempts in ``db.run_attempts``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.records import StoredRun
from db.tables import (
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

# ---- changing runs --------------------------------------------------------------------------------------------------


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
    """Add a run. A run whose ``state`` is done was made elsewhere: it starts and ends now."""
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
    """Record when work on a run first started."""
    row.started_at = row.started_at or now
    return _stored(session, row)


def take_up(session: Session, *, row: StoredRun, now: datetime) -> StoredRun:
    """Mark a run as running, because a worker works on it."""
    row.state = RunState.RUNNING
    return begin(session, row=row, now=now)


def put_down(session: Session, *, row: StoredRun) -> StoredRun:
    """Mark an unfinished run as waiting, because its last worker has left."""
    row.state = RunState.WAITING
    return _stored(session, row)


def pause(session: Session, *, row: StoredRun) -> StoredRun:
    """Pause a run, so that no worker takes any of it."""
    row.state, row.said = RunState.PAUSED, ""
    return _stored(session, row)


def resume(session: Session, *, row: StoredRun, state: RunState) -> StoredRun:
    """Reopen a run whose units have to be asked: by workers (``state`` WAITING), or in batch files (BATCH)."""
    row.state, row.said, row.ended_at = state, "", None
    return _stored(session, row)


def stop(session: Session, *, row: StoredRun, said: str) -> StoredRun:
    """Stop a run that cannot continue by itself. ``said`` is the reason."""
    row.state, row.said = RunState.STOPPED, said
    return _stored(session, row)


def cancel(session: Session, *, row: StoredRun, now: datetime) -> StoredRun:
    """End a run for good."""
    row.state, row.said, row.ended_at = RunState.CANCELLED, "", now
    return _stored(session, row)


def complete(session: Session, *, row: StoredRun, now: datetime) -> StoredRun:
    """Mark a run as done."""
    row.state, row.ended_at = RunState.DONE, now
    return begin(session, row=row, now=now)


def explain(session: Session, *, row: StoredRun, said: str) -> StoredRun:
    """Record the state of a run, as a sentence."""
    row.said = said
    return _stored(session, row)


def extend_by(session: Session, *, row: StoredRun, units: int, now: datetime) -> StoredRun:
    """Add more units, which all have been asked, to a run that is done."""
    row.wanted, row.ended_at = row.wanted + units, now
    return _stored(session, row)


def withdraw(session: Session, *, row: StoredRun, why: str, now: datetime) -> StoredRun:
    """Withdraw a run, so that it counts nowhere."""
    row.withdrawn_at, row.withdrawn_why = now, why
    return _stored(session, row)


def take_back(session: Session, *, row: StoredRun) -> StoredRun:
    """Let a withdrawn run count again."""
    row.withdrawn_at, row.withdrawn_why = None, ""
    return _stored(session, row)


def _stored(session: Session, row: StoredRun) -> StoredRun:
    session.add(row)
    session.flush()
    return row


# ---- finding runs ---------------------------------------------------------------------------------------------------


def by_public_id(session: Session, *, public_id: str, hold: bool = False) -> StoredRun | None:
    """Return a run. ``hold`` locks it until the transaction ends."""
    wanted = select(RunRow).where(RunRow.public_id == public_id)
    if hold:
        wanted = wanted.with_for_update(key_share=True).execution_options(populate_existing=True)
    return session.exec(wanted).first()


def project_of(session: Session, *, public_id: str) -> str | None:
    """Return the name of the project that a run belongs to."""
    wanted = select(ProjectRow.name).join(RunRow, col(RunRow.project_id) == ProjectRow.id)
    return session.exec(wanted.where(RunRow.public_id == public_id)).first()


def of_project(session: Session, *, project_id: int, kind: RunKind = RunKind.MODEL) -> Sequence[StoredRun]:
    """Return a project's runs of models or of judges, newest first."""
    wanted = select(RunRow).where(RunRow.project_id == project_id, RunRow.kind == kind)
    return session.exec(wanted.order_by(col(RunRow.id).desc())).all()


def first_labelled(session: Session, *, project_id: int, kind: RunKind, label: str) -> StoredRun | None:
    """Return the first run of a kind whose name is this label."""
    wanted = select(RunRow).where(RunRow.project_id == project_id, RunRow.kind == kind, RunRow.name == label)
    return session.exec(wanted.order_by(col(RunRow.id)).limit(1)).first()


def names(session: Session, *, project_id: int) -> set[str]:
    """Return the names of a project's runs and models."""
    runs = session.exec(select(RunRow.name).where(RunRow.project_id == project_id))
    models = session.exec(select(PredictionRow.model).where(PredictionRow.project_id == project_id).distinct())
    return {*runs, *models}


def public_ids(session: Session, *, project_id: int) -> Sequence[str]:
    """Return the public ids of a project's runs."""
    return session.exec(select(RunRow.public_id).where(RunRow.project_id == project_id)).all()


def open_of(session: Session, *, project_id: int) -> Sequence[StoredRun]:
    """Return the runs of a project that wait or are running, oldest first."""
    wanted = select(RunRow).where(RunRow.project_id == project_id, col(RunRow.state).in_(tuple(OPEN)))
    return session.exec(wanted.order_by(col(RunRow.id))).all()


def open_runs(session: Session) -> Sequence[StoredRun]:
    """Return the runs of all projects that a worker may work on, oldest first."""
    wanted = select(RunRow).where(
        col(RunRow.kind).in_([kind for kind in RunKind if kind.plan]), col(RunRow.state).in_(tuple(OPEN))
    )
    return session.exec(wanted.order_by(col(RunRow.id))).all()


def state(session: Session, *, run_id: int) -> RunState:
    """Return the current state of a run."""
    return RunState(session.exec(select(RunRow.state).where(RunRow.id == run_id)).one())


def person(session: Session, *, id: int | None) -> str | None:
    """Return the name of the person who started a run, with the login if another person has the same name."""
    row = session.get(PersonRow, id) if id is not None else None
    if row is None:
        return None
    of_the_name = session.exec(
        select(PersonRow.login, PersonRow.name).where(func.lower(PersonRow.name) == func.lower(row.name))
    )
    return distinct_names({row.login: row.name, **dict(of_the_name.all())})[row.login]


# ---- answers --------------------------------------------------------------------------------------------------------


def answers(session: Session, *, run_id: int) -> int:
    """Count the answers of a run."""
    return session.exec(select(func.count()).where(PredictionRow.run_id == run_id)).one()


def to_grade(session: Session, *, run_id: int) -> list[tuple[int, int, str]]:
    """Return all answers of a run (prediction id, item id, dimension)."""
    wanted = (
        select(PredictionRow.id, PredictionRow.item_id, ItemRow.dimension)
        .join(ItemRow, col(ItemRow.id) == PredictionRow.item_id)
        .where(PredictionRow.run_id == run_id)
        .order_by(col(PredictionRow.id))
    )
    return [(id, item_id, dimension) for id, item_id, dimension in session.exec(wanted)]


def in_grading(session: Session, *, run_id: int) -> int:
    """Count the answers of a run that people can grade or have graded."""
    wanted = (
        select(func.count(func.distinct(TaskRow.prediction_id)))
        .join(PredictionRow, col(PredictionRow.id) == TaskRow.prediction_id)
        .where(PredictionRow.run_id == run_id, TaskRow.stage == Stage.GRADING, TaskRow.state != TaskState.WITHDRAWN)
    )
    return session.exec(wanted).one()


def items_of(
    session: Session, *, project_id: int, dimensions: Sequence[str] | None, states: Sequence[str] | None
) -> list[int]:
    """Return the items that a run may be about."""
    wanted = select(ItemRow.id).where(ItemRow.project_id == project_id).order_by(col(ItemRow.id))
    if dimensions is not None:
        wanted = wanted.where(col(ItemRow.dimension).in_(list(dimensions)))
    if states is not None:
        wanted = wanted.where(col(ItemRow.state).in_(list(states)))
    return [id for id in session.exec(wanted)]
