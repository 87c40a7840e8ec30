"""Queries on attempts: each request about a unit, and its outcome."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, insert
from sqlalchemy import select as sa_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.records import StoredAttempt, StoredItem
from db.run_chunks import owned
from db.tables import AttemptRow, ItemRow, PredictionRow, RunChunkRow
from domain.runs import ANSWERS, NO_REQUEST, Attempt, Outcome, chunked


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
    """Store attempts. Return the stored attempts with their ids.

    Return None and store nothing if the worker no longer owns the chunk. ``unless_there`` skips units with a final
    attempt: use it to repeat a write whose success is unknown.

    Parameters
    ----------
    item_ids
        The item of each unit.
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
    """Add attempts, each with the next number of its unit. Return them with their ids."""
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
    """Return a model's text without NUL and half characters, which no database holds."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _json(value: Any) -> Any:
    """Return JSON values that every database accepts. A log-probability may be minus infinity, which JSON lacks."""
    if isinstance(value, Mapping):
        return {storable(str(key)): _json(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_json(child) for child in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return storable(value) if isinstance(value, str) else value


def finished(session: Session, *, run_id: int, unit_ids: Sequence[int], since: int = 0) -> set[int]:
    """Return the units that need not be asked: answered, or with a final attempt after the attempt ``since``."""
    units: set[int] = set()
    for some in chunked(sorted(set(unit_ids))):
        asked = select(AttemptRow.unit_id).where(
            AttemptRow.run_id == run_id,
            col(AttemptRow.unit_id).in_(some),
            col(AttemptRow.final).is_(True),
            col(AttemptRow.id) > since,
        )
        answered = select(PredictionRow.item_id).where(
            PredictionRow.run_id == run_id, col(PredictionRow.item_id).in_(some)
        )
        units |= {*session.exec(asked), *session.exec(answered)}
    return units


def failed(session: Session, *, run_id: int) -> list[int]:
    """Return the units whose last attempt ended without an answer."""
    wanted = select(AttemptRow.unit_id).where(
        AttemptRow.run_id == run_id,
        col(AttemptRow.final).is_(True),
        col(AttemptRow.outcome).not_in(tuple(ANSWERS)),
        is_last(AttemptRow),
    )
    return list(session.exec(wanted.order_by(col(AttemptRow.id))))


def asked_again_ids(session: Session, *, run_id: int) -> set[int]:
    """Return the units that have failed and wait to be asked again."""
    wanted = select(RunChunkRow.unit_ids, RunChunkRow.since).where(
        RunChunkRow.run_id == run_id, col(RunChunkRow.done).is_(False), col(RunChunkRow.since) > 0
    )
    units: set[int] = set()
    for ids, since in session.exec(wanted).all():
        units |= set(ids) - finished(session, run_id=run_id, unit_ids=ids, since=since)
    return units


def last_outcomes(session: Session, *, run_id: int, unit_ids: Iterable[int]) -> Counter[Outcome]:
    """Count units by the outcome of their last final attempt."""
    counts: Counter[Outcome] = Counter()
    for some in chunked(sorted(set(unit_ids))):
        wanted = (
            select(AttemptRow.outcome, func.count())
            .where(
                AttemptRow.run_id == run_id,
                col(AttemptRow.unit_id).in_(some),
                col(AttemptRow.final).is_(True),
                is_last(AttemptRow),
            )
            .group_by(col(AttemptRow.outcome))
        )
        counts.update({Outcome(outcome): n for outcome, n in session.exec(wanted)})
    return counts


_OTHER = aliased(AttemptRow)


def is_last(of: Any) -> ColumnElement[bool]:
    """Return the condition that an attempt is the last one at its unit."""
    later = select(_OTHER.id).where(
        col(_OTHER.run_id) == col(of.run_id),
        col(_OTHER.unit_id) == col(of.unit_id),
        col(_OTHER.number) > col(of.number),
    )
    return ~later.exists()


@dataclass(frozen=True)
class Figures:
    """The totals of a run's attempts."""

    by_outcome: Mapping[Outcome, int]
    """The number of units by the outcome of their last final attempt."""
    attempts: int
    calls: int
    """The number of attempts that sent a request."""
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    without_cost: int
    """The number of calls with unknown cost."""


def figures(session: Session, *, run_id: int) -> Figures:
    """Return the totals of a run's attempts."""
    by_outcome = (
        select(AttemptRow.outcome, func.count())
        .where(AttemptRow.run_id == run_id, col(AttemptRow.final).is_(True), is_last(AttemptRow))
        .group_by(col(AttemptRow.outcome))
    )
    sums = sa_select(
        func.count(),
        func.coalesce(func.sum(case((col(AttemptRow.outcome).not_in(NO_REQUEST), 1), else_=0)), 0),
        func.sum(AttemptRow.tokens_in),
        func.sum(AttemptRow.tokens_out),
        func.sum(AttemptRow.cost),
        func.coalesce(
            func.sum(
                case((and_(col(AttemptRow.cost).is_(None), col(AttemptRow.outcome).not_in(NO_REQUEST)), 1), else_=0)
            ),
            0,
        ),
    ).where(col(AttemptRow.run_id) == run_id)
    counted = {Outcome(outcome): n for outcome, n in session.exec(by_outcome)}
    attempts, calls, tokens_in, tokens_out, cost, unknown = session.execute(sums).one()
    return Figures(counted, attempts, calls, tokens_in, tokens_out, cost, unknown)


def served_models(session: Session, *, run_id: int) -> dict[str, int]:
    """Count a run's replies that name another model than the requested one, by that name."""
    name = col(AttemptRow.detail)["model"].as_string()
    wanted = sa_select(name, func.count()).where(col(AttemptRow.run_id) == run_id, name.is_not(None)).group_by(name)
    return {str(model): n for model, n in session.execute(wanted.order_by(func.count().desc(), name))}


def pace(session: Session, *, run_id: int, since: datetime, limit: int = 200) -> tuple[int, datetime, datetime] | None:
    """Return how many units were finished since a moment (at most ``limit``), with the first and the last time."""
    wanted = (
        select(AttemptRow.created_at)
        .where(AttemptRow.run_id == run_id, col(AttemptRow.final).is_(True), col(AttemptRow.created_at) >= since)
        .order_by(col(AttemptRow.id).desc())
        .limit(limit)
    )
    moments = list(session.exec(wanted))
    return (len(moments), min(moments), max(moments)) if moments else None


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
    """Return attempts with their items, newest first. ``before``: only attempts before this id."""
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
        wanted = wanted.where(col(AttemptRow.final).is_(True), is_last(AttemptRow))
    if before is not None:
        wanted = wanted.where(col(AttemptRow.id) < before)
    return [(attempt, item) for attempt, item in session.exec(wanted)]


def reasons(session: Session, *, run_id: int) -> list[tuple[Outcome, str, int, int]]:
    """Return why units have no answer: outcome, error, number of units, and the id of one item; most frequent first."""
    wanted = (
        select(AttemptRow.outcome, AttemptRow.error, func.count(), func.min(ItemRow.id))
        .join(ItemRow, col(ItemRow.id) == AttemptRow.item_id)
        .where(
            AttemptRow.run_id == run_id,
            col(AttemptRow.final).is_(True),
            col(AttemptRow.outcome).not_in(tuple(ANSWERS)),
            is_last(AttemptRow),
        )
        .group_by(col(AttemptRow.outcome), col(AttemptRow.error))
        .order_by(func.count().desc(), col(AttemptRow.outcome), col(AttemptRow.error))
    )
    return [(Outcome(outcome), error, n, item) for outcome, error, n, item in session.execute(wanted)]
