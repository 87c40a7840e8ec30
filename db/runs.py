"""Queries on runs: the chunks that workers share, every attempt, and the answers that came of them.

A worker owns a chunk from claiming it until somebody else does, which nobody can before its lease has ended. What it
writes is written in a transaction that holds the chunk and finds it still its own: the work of a worker that was given
up never mixes with that of the one who took over.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, insert, or_, update
from sqlalchemy import select as sa_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.records import StoredAttempt, StoredItem, StoredPrediction, StoredRun, StoredRunChunk, StoredRunWorker
from db.tables import (
    AttemptRow,
    ImportedRatingRow,
    ItemRow,
    PersonRow,
    PredictionRow,
    ProjectRow,
    RunChunkRow,
    RunRow,
    RunWorkerRow,
    TaskRow,
)
from domain.display_names import apart
from domain.runs import ANSWERS, OPEN, Attempt, Outcome, RunKind, RunState
from domain.states import Stage, TaskState

_AT_ONCE = 500
"""As many ids as go into one query."""

# ---- runs -----------------------------------------------------------------------------------------------------------


def add(session: Session, *, row: StoredRun) -> StoredRun:
    """Add a run and give it its id."""
    session.add(row)
    session.flush()
    return row


def by_public_id(session: Session, *, public_id: str, hold: bool = False) -> StoredRun | None:
    """A run; ``hold`` keeps everybody else from changing it until the transaction ends."""
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


def open_runs(session: Session) -> Sequence[StoredRun]:
    """The runs of all projects that a worker may work on, the oldest first."""
    wanted = select(RunRow).where(RunRow.kind != RunKind.IMPORT, col(RunRow.state).in_(tuple(OPEN)))
    return session.exec(wanted.order_by(col(RunRow.id))).all()


def state(session: Session, *, run_id: int) -> RunState:
    """Where a run stands just now."""
    return RunState(session.exec(select(RunRow.state).where(RunRow.id == run_id)).one())


def person(session: Session, *, id: int | None) -> str | None:
    """What whoever started a run is called: by name, with the login in brackets where somebody else has the same."""
    row = session.get(PersonRow, id) if id is not None else None
    if row is None:
        return None
    of_the_name = session.exec(
        select(PersonRow.login, PersonRow.name).where(func.lower(PersonRow.name) == func.lower(row.name))
    )
    return apart({row.login: row.name, **dict(of_the_name.all())})[row.login]


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


# ---- chunks ---------------------------------------------------------------------------------------------------------


def add_chunks(session: Session, *, run_id: int, chunks: Iterable[Sequence[int]]) -> None:
    """Add chunks after those that are there; what failed before now is asked again in them."""
    first = session.exec(select(func.coalesce(func.max(RunChunkRow.number), -1)).where(RunChunkRow.run_id == run_id))
    since = session.exec(select(func.coalesce(func.max(AttemptRow.id), 0)).where(AttemptRow.run_id == run_id)).one()
    rows = [
        {"run_id": run_id, "number": number, "unit_ids": list(ids), "since": since, "done": False}
        for number, ids in enumerate(chunks, first.one() + 1)
    ]
    if rows:
        session.flush()
        session.connection().execute(insert(RunChunkRow), rows)


def claim(session: Session, *, run_id: int, worker_id: int, now: datetime, until: datetime) -> StoredRunChunk | None:
    """Give a worker the next chunk that nobody has; None if there is none just now."""
    wanted = (
        select(RunChunkRow)
        .where(
            RunChunkRow.run_id == run_id,
            col(RunChunkRow.done).is_(False),
            or_(col(RunChunkRow.lease_until).is_(None), col(RunChunkRow.lease_until) < now),
        )
        .order_by(col(RunChunkRow.number))
        .limit(1)
        .with_for_update(skip_locked=True, key_share=True)
        .execution_options(populate_existing=True)
    )
    found = session.exec(wanted).first()
    if found is not None:
        found.worker_id, found.lease_until = worker_id, until
        session.add(found)
        session.flush()
    return found


def undone(session: Session, *, run_id: int) -> int:
    """How many chunks are not done."""
    wanted = select(func.count()).where(RunChunkRow.run_id == run_id, col(RunChunkRow.done).is_(False))
    return session.exec(wanted).one()


def free_chunks(session: Session, *, run_id: int, now: datetime) -> bool:
    """Whether a worker could take something of a run, or nothing is left of it but to say that it is done."""
    free = or_(col(RunChunkRow.lease_until).is_(None), col(RunChunkRow.lease_until) < now)
    left = select(RunChunkRow.id).where(RunChunkRow.run_id == run_id, col(RunChunkRow.done).is_(False))
    return session.exec(left.where(free).limit(1)).first() is not None or not undone(session, run_id=run_id)


def owned(session: Session, *, chunk_id: int, worker_id: int) -> StoredRunChunk | None:
    """A chunk, held until the transaction ends, if it is still this worker's."""
    wanted = select(RunChunkRow).where(
        RunChunkRow.id == chunk_id, RunChunkRow.worker_id == worker_id, col(RunChunkRow.done).is_(False)
    )
    return session.exec(wanted.with_for_update(key_share=True).execution_options(populate_existing=True)).first()


def extend(session: Session, *, worker_id: int, now: datetime, until: datetime) -> int:
    """A worker is still there: its chunks stay its own for a while longer. How many it has."""
    session.exec(update(RunWorkerRow).where(col(RunWorkerRow.id) == worker_id).values(seen_at=now, ended_at=None))
    mine = and_(col(RunChunkRow.worker_id) == worker_id, col(RunChunkRow.done).is_(False))
    return int(session.exec(update(RunChunkRow).where(mine).values(lease_until=until)).rowcount)


def release(session: Session, *, worker_id: int) -> None:
    """Give back what a worker has not done."""
    mine = and_(col(RunChunkRow.worker_id) == worker_id, col(RunChunkRow.done).is_(False))
    session.exec(update(RunChunkRow).where(mine).values(worker_id=None, lease_until=None))


def finish(session: Session, *, row: StoredRunChunk) -> None:
    """A chunk that is held is done."""
    row.done, row.lease_until = True, None
    session.add(row)
    session.flush()


# ---- workers --------------------------------------------------------------------------------------------------------


def add_worker(session: Session, *, run_id: int, name: str, about: Mapping[str, Any], now: datetime) -> int:
    """A worker takes part in a run; its id."""
    row = RunWorkerRow(run_id=run_id, name=name, about=dict(about), started_at=now, seen_at=now)
    session.add(row)
    session.flush()
    return row.id


def tell_about(session: Session, *, worker_id: int, about: Mapping[str, Any]) -> None:
    """Note what a worker works with."""
    session.exec(update(RunWorkerRow).where(col(RunWorkerRow.id) == worker_id).values(about=dict(about)))


def end_worker(session: Session, *, worker_id: int, now: datetime) -> None:
    """A worker has left; what it had not done is free."""
    release(session, worker_id=worker_id)
    mine = and_(col(RunWorkerRow.id) == worker_id, col(RunWorkerRow.ended_at).is_(None))
    session.exec(update(RunWorkerRow).where(mine).values(seen_at=now, ended_at=now))


def workers(session: Session, *, run_id: int, only_there: bool = False) -> Sequence[StoredRunWorker]:
    """The workers of a run, in the order in which they came; only those that have not said goodbye."""
    wanted = select(RunWorkerRow).where(RunWorkerRow.run_id == run_id).order_by(col(RunWorkerRow.id))
    if only_there:
        wanted = wanted.where(col(RunWorkerRow.ended_at).is_(None))
    return session.exec(wanted).all()


# ---- attempts and answers -------------------------------------------------------------------------------------------


def append(
    session: Session,
    *,
    run_id: int,
    chunk_id: int,
    worker_id: int,
    attempts: Sequence[Attempt],
    item_ids: Mapping[int, int],
    now: datetime,
    unless_there: bool = False,
) -> list[tuple[int, Attempt]] | None:
    """Write what became of asking about units; the attempts that were written, with their ids.

    None, and nothing is written, if the chunk is no longer this worker's. ``unless_there`` leaves out units that were
    asked to the end: it is for writing again after nobody knows whether writing succeeded.

    Parameters
    ----------
    item_ids
        The item that each unit is about.
    """
    chunk = owned(session, chunk_id=chunk_id, worker_id=worker_id)
    if chunk is None:
        return None
    if unless_there:
        there = finished(session, run_id=run_id, unit_ids=chunk.unit_ids, since=chunk.since)
        attempts = [attempt for attempt in attempts if attempt.unit_id not in there]
    return add_attempts(session, run_id=run_id, worker_id=worker_id, attempts=attempts, item_ids=item_ids, now=now)


def add_attempts(
    session: Session,
    *,
    run_id: int,
    worker_id: int,
    attempts: Sequence[Attempt],
    item_ids: Mapping[int, int],
    now: datetime,
) -> list[tuple[int, Attempt]]:
    """Add attempts, each with the next number of its unit; with their ids."""
    if not attempts:
        return []
    numbers = _numbers(session, run_id=run_id, unit_ids=[attempt.unit_id for attempt in attempts])
    rows = []
    for attempt in attempts:
        numbers[attempt.unit_id] = number = numbers.get(attempt.unit_id, 0) + 1
        item_id = item_ids[attempt.unit_id]
        rows.append(_row(attempt, run_id=run_id, worker_id=worker_id, item_id=item_id, number=number, now=now))
    session.flush()
    statement = insert(AttemptRow).returning(col(AttemptRow.id), sort_by_parameter_order=True)
    ids = [row[0] or 0 for row in session.connection().execute(statement, rows)]
    return list(zip(ids, attempts, strict=True))


def _numbers(session: Session, *, run_id: int, unit_ids: Sequence[int]) -> dict[int, int]:
    wanted = (
        select(AttemptRow.unit_id, func.max(AttemptRow.number))
        .where(AttemptRow.run_id == run_id, col(AttemptRow.unit_id).in_(sorted(set(unit_ids))))
        .group_by(col(AttemptRow.unit_id))
    )
    return dict(session.exec(wanted).all())


def _row(attempt: Attempt, *, run_id: int, worker_id: int, item_id: int, number: int, now: datetime) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "worker_id": worker_id,
        "unit_id": attempt.unit_id,
        "item_id": item_id,
        "number": number,
        "outcome": attempt.outcome,
        "final": attempt.final,
        "text": storable(attempt.text),
        "finish_reason": attempt.finish_reason,
        "tokens_in": attempt.tokens_in,
        "tokens_out": attempt.tokens_out,
        "seconds": attempt.seconds,
        "waited": attempt.waited,
        "status": attempt.status,
        "error": storable(attempt.error),
        "request_id": storable(attempt.request_id) if attempt.request_id is not None else None,
        "prompt_hash": attempt.prompt_hash,
        "image_hashes": list(attempt.image_hashes),
        "cost": attempt.cost,
        "detail": _json(attempt.detail),
        "created_at": now,
    }


def storable(text: str) -> str:
    """What a model wrote, without what no database holds: NUL and halves of characters."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _json(value: Any) -> Any:
    """JSON values as every database takes them: a log-probability may be minus infinity, which JSON does not know."""
    if isinstance(value, Mapping):
        return {storable(str(key)): _json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return storable(value) if isinstance(value, str) else value


def finished(session: Session, *, run_id: int, unit_ids: Sequence[int], since: int = 0) -> set[int]:
    """The units that need not be asked (again): answered, or asked to the end after the attempt ``since``."""
    found: set[int] = set()
    for some in _lots(unit_ids):
        asked = select(AttemptRow.unit_id).where(
            AttemptRow.run_id == run_id,
            col(AttemptRow.unit_id).in_(some),
            col(AttemptRow.final).is_(True),
            col(AttemptRow.id) > since,
        )
        answered = select(PredictionRow.item_id).where(
            PredictionRow.run_id == run_id, col(PredictionRow.item_id).in_(some)
        )
        found |= {*session.exec(asked), *session.exec(answered)}
    return found


def failed(session: Session, *, run_id: int) -> list[int]:
    """The units whose last attempt ended without an answer."""
    wanted = select(AttemptRow.unit_id).where(
        AttemptRow.run_id == run_id,
        col(AttemptRow.final).is_(True),
        col(AttemptRow.outcome).not_in(tuple(ANSWERS)),
        _is_last(AttemptRow),
    )
    return list(session.exec(wanted.order_by(col(AttemptRow.id))))


def asked_again_ids(session: Session, *, run_id: int) -> set[int]:
    """The units that have failed once and wait to be asked again."""
    wanted = select(RunChunkRow.unit_ids, RunChunkRow.since).where(
        RunChunkRow.run_id == run_id, col(RunChunkRow.done).is_(False), col(RunChunkRow.since) > 0
    )
    found: set[int] = set()
    for ids, since in session.exec(wanted).all():
        found |= set(ids) - finished(session, run_id=run_id, unit_ids=ids, since=since)
    return found


def last_outcomes(session: Session, *, run_id: int, unit_ids: Iterable[int]) -> Counter[Outcome]:
    """How often units ended as what, by their last attempt that was asked to the end."""
    found: Counter[Outcome] = Counter()
    for some in _lots(list(unit_ids)):
        wanted = (
            select(AttemptRow.outcome, func.count())
            .where(
                AttemptRow.run_id == run_id,
                col(AttemptRow.unit_id).in_(some),
                col(AttemptRow.final).is_(True),
                _is_last(AttemptRow),
            )
            .group_by(col(AttemptRow.outcome))
        )
        found.update({Outcome(outcome): n for outcome, n in session.exec(wanted)})
    return found


_OTHER = aliased(AttemptRow)


def _is_last(of: Any) -> ColumnElement[bool]:
    """Nothing came after an attempt about the same unit."""
    later = select(_OTHER.id).where(
        col(_OTHER.run_id) == col(of.run_id),
        col(_OTHER.unit_id) == col(of.unit_id),
        col(_OTHER.number) > col(of.number),
    )
    return ~later.exists()


@dataclass(frozen=True)
class Figures:
    """What the attempts of a run add up to."""

    by_outcome: Mapping[Outcome, int]
    """Units by what became of their last attempt, of those that were asked to the end."""
    attempts: int
    calls: int
    """Attempts at which something was asked."""
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    without_cost: int
    """Calls whose cost is not known."""


def figures(session: Session, *, run_id: int) -> Figures:
    """What the attempts of a run add up to."""
    by_outcome = (
        select(AttemptRow.outcome, func.count())
        .where(AttemptRow.run_id == run_id, col(AttemptRow.final).is_(True), _is_last(AttemptRow))
        .group_by(col(AttemptRow.outcome))
    )
    sums = sa_select(
        func.count(),
        func.coalesce(func.sum(case((col(AttemptRow.outcome) != Outcome.SKIPPED, 1), else_=0)), 0),
        func.sum(AttemptRow.tokens_in),
        func.sum(AttemptRow.tokens_out),
        func.sum(AttemptRow.cost),
        func.coalesce(
            func.sum(
                case((and_(col(AttemptRow.cost).is_(None), col(AttemptRow.outcome) != Outcome.SKIPPED), 1), else_=0)
            ),
            0,
        ),
    ).where(col(AttemptRow.run_id) == run_id)
    counted = {Outcome(outcome): n for outcome, n in session.exec(by_outcome)}
    attempts, calls, tokens_in, tokens_out, cost, unknown = session.execute(sums).one()
    return Figures(counted, attempts, calls, tokens_in, tokens_out, cost, unknown)


def pace(session: Session, *, run_id: int, since: datetime, limit: int = 200) -> tuple[int, datetime, datetime] | None:
    """How many units were asked to the end last (``limit`` at most), and when the first and the last of them was."""
    wanted = (
        select(AttemptRow.created_at)
        .where(AttemptRow.run_id == run_id, col(AttemptRow.final).is_(True), col(AttemptRow.created_at) >= since)
        .order_by(col(AttemptRow.id).desc())
        .limit(limit)
    )
    moments = list(session.exec(wanted))
    return (len(moments), min(moments), max(moments)) if moments else None


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


def attempts(
    session: Session,
    *,
    run_id: int,
    outcomes: Sequence[Outcome] | None = None,
    item_id: int | None = None,
    dimension: str | None = None,
    id: int | None = None,
    only_last: bool = False,
    before: int | None = None,
    limit: int = 50,
) -> list[tuple[StoredAttempt, StoredItem]]:
    """Attempts with their items, the newest first; ``before`` the attempt with that id."""
    wanted = (
        select(AttemptRow, ItemRow)
        .join(ItemRow, col(ItemRow.id) == AttemptRow.item_id)
        .where(AttemptRow.run_id == run_id)
        .order_by(col(AttemptRow.id).desc())
        .limit(limit)
    )
    if outcomes is not None:
        wanted = wanted.where(col(AttemptRow.outcome).in_(list(outcomes)))
    if item_id is not None:
        wanted = wanted.where(AttemptRow.item_id == item_id)
    if dimension is not None:
        wanted = wanted.where(ItemRow.dimension == dimension)
    if id is not None:
        wanted = wanted.where(AttemptRow.id == id)
    if only_last:
        wanted = wanted.where(col(AttemptRow.final).is_(True), _is_last(AttemptRow))
    if before is not None:
        wanted = wanted.where(col(AttemptRow.id) < before)
    return [(attempt, item) for attempt, item in session.exec(wanted)]


def reasons(session: Session, *, run_id: int) -> list[tuple[Outcome, str, int, str]]:
    """Why units have no answer: outcome, error, how many of them, and one of the items; the most frequent first."""
    wanted = (
        select(AttemptRow.outcome, AttemptRow.error, func.count(), func.min(ItemRow.external_id))
        .join(ItemRow, col(ItemRow.id) == AttemptRow.item_id)
        .where(
            AttemptRow.run_id == run_id,
            col(AttemptRow.final).is_(True),
            col(AttemptRow.outcome).not_in(tuple(ANSWERS)),
            _is_last(AttemptRow),
        )
        .group_by(col(AttemptRow.outcome), col(AttemptRow.error))
        .order_by(func.count().desc(), col(AttemptRow.outcome), col(AttemptRow.error))
    )
    return [(Outcome(outcome), error, n, item) for outcome, error, n, item in session.execute(wanted)]


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


def _lots(ids: Sequence[int]) -> list[list[int]]:
    found = sorted(set(ids))
    return [found[start : start + _AT_ONCE] for start in range(0, len(found), _AT_ONCE)]
