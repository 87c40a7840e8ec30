"""Commands and queries on batch files: their questions, and the problems of their lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, update
from sqlmodel import Session, col, select

from db.many_rows import insert_or_ignore
from db.records import StoredRunBatch, StoredRunBatchProblem, StoredRunBatchUnit, StoredRunChunk
from db.tables import AttemptRow, RunBatchProblemRow, RunBatchRow, RunBatchUnitRow, RunChunkRow
from domain.batches import OUT, BatchState
from domain.runs import Outcome, chunked

_AT_ONCE = 500
"""How many ids go into one query."""


def add(session: Session, *, run_id: int, worker_id: int, by_hand: bool, now: datetime) -> StoredRunBatch:
    """Add a batch with the next number of its run, before its file is written."""
    last = session.exec(select(func.max(RunBatchRow.number)).where(RunBatchRow.run_id == run_id)).one()
    row = RunBatchRow(
        run_id=run_id,
        number=(last or 0) + 1,
        worker_id=worker_id,
        by_hand=by_hand,
        state=BatchState.MAKING,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


def change(session: Session, *, id: int, only: Iterable[BatchState], **values: Any) -> bool:
    """Change a batch if it is in one of these states. Return whether it was."""
    wanted = update(RunBatchRow).where(col(RunBatchRow.id) == id, col(RunBatchRow.state).in_(tuple(only)))
    return int(session.exec(wanted.values(**values)).rowcount) == 1


def add_units(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add questions to a batch."""
    session.flush()
    if rows:
        session.connection().execute(insert(RunBatchUnitRow), [dict(row) for row in rows])


def keep_units(session: Session, *, batch_id: int, asked: Mapping[int, Mapping[str, Any]]) -> None:
    """Keep in a batch only the questions that its file contains, and store these values for each of them."""
    rows = session.exec(select(RunBatchUnitRow).where(RunBatchUnitRow.batch_id == batch_id)).all()
    for row in rows:
        values = asked.get(row.unit_id)
        if values is None:
            session.delete(row)
            continue
        for name, value in values.items():
            setattr(row, name, value)
        session.add(row)
    session.flush()


def units(session: Session, *, batch_id: int, unit_ids: Sequence[int]) -> dict[int, StoredRunBatchUnit]:
    """Return questions of a batch, by unit."""
    units_by_id: dict[int, StoredRunBatchUnit] = {}
    for lot in chunked(unit_ids):
        some = select(RunBatchUnitRow).where(
            RunBatchUnitRow.batch_id == batch_id, col(RunBatchUnitRow.unit_id).in_(lot)
        )
        units_by_id |= {row.unit_id: row for row in session.exec(some.execution_options(populate_existing=True))}
    return units_by_id


def without_line(session: Session, *, batch_id: int, limit: int = _AT_ONCE) -> Sequence[StoredRunBatchUnit]:
    """Return questions that have no result yet."""
    wanted = select(RunBatchUnitRow).where(
        RunBatchUnitRow.batch_id == batch_id, col(RunBatchUnitRow.attempt_id).is_(None)
    )
    return session.exec(wanted.order_by(col(RunBatchUnitRow.id)).limit(limit)).all()


def open_units(session: Session, *, batch_id: int) -> Sequence[int]:
    """Return the units of a batch that have no result yet, in order."""
    wanted = select(RunBatchUnitRow.unit_id).where(
        RunBatchUnitRow.batch_id == batch_id, col(RunBatchUnitRow.attempt_id).is_(None)
    )
    return session.exec(wanted.order_by(col(RunBatchUnitRow.id))).all()


def settle(session: Session, *, came: Mapping[int, int], digests: Mapping[int, str] | None = None) -> None:
    """Record the attempt that answers each question, by the question's id.

    ``digests``: the hash of the output line that the attempt was read from, where there was a line.
    """
    digests = digests or {}
    values = [
        {"id": id, "attempt_id": attempt_id, **({"digest": digests[id]} if id in digests else {})}
        for id, attempt_id in came.items()
    ]
    if values:
        session.flush()
        session.execute(update(RunBatchUnitRow), values)


def counts(session: Session, *, run_id: int) -> dict[int, tuple[int, int]]:
    """Count the questions of each batch of a run, and those with a result, by batch id."""
    wanted = (
        select(RunBatchUnitRow.batch_id, func.count(), func.count(col(RunBatchUnitRow.attempt_id)))
        .join(RunBatchRow, col(RunBatchRow.id) == RunBatchUnitRow.batch_id)
        .where(RunBatchRow.run_id == run_id)
        .group_by(col(RunBatchUnitRow.batch_id))
    )
    return {id: (n, came) for id, n, came in session.exec(wanted)}


def replied(session: Session, *, run_id: int) -> Counter[int]:
    """Count the questions of each batch of a run that got a reply, by batch id.

    An error, an expiry, or the end of the batch without a line is not a reply.
    """
    wanted = (
        select(RunBatchUnitRow.batch_id, func.count())
        .join(RunBatchRow, col(RunBatchRow.id) == RunBatchUnitRow.batch_id)
        .join(AttemptRow, col(AttemptRow.id) == RunBatchUnitRow.attempt_id)
        .where(RunBatchRow.run_id == run_id, AttemptRow.outcome != Outcome.TRANSPORT_ERROR)
        .group_by(col(RunBatchUnitRow.batch_id))
    )
    return Counter(dict(session.exec(wanted).all()))


def out(session: Session, *, run_id: int, unit_ids: Sequence[int] | None = None) -> set[int]:
    """Return the units of a run that were submitted, or are about to be, and that have no result yet.

    ``unit_ids``: only of these units.
    """
    if unit_ids is not None:
        lots = chunked(unit_ids)
        return {id for lot in lots for id in session.exec(_out(run_id).where(col(RunBatchUnitRow.unit_id).in_(lot)))}
    return set(session.exec(_out(run_id)))


def _out(run_id: int) -> Any:
    return (
        select(RunBatchUnitRow.unit_id)
        .join(RunBatchRow, col(RunBatchRow.id) == RunBatchUnitRow.batch_id)
        .where(
            RunBatchRow.run_id == run_id,
            col(RunBatchRow.state).in_(tuple(OUT)),
            col(RunBatchUnitRow.attempt_id).is_(None),
        )
    )


def chunks(session: Session, *, run_id: int) -> Sequence[StoredRunChunk]:
    """Return the unfinished chunks of a run, by number."""
    wanted = select(RunChunkRow).where(RunChunkRow.run_id == run_id, col(RunChunkRow.done).is_(False))
    return session.exec(wanted.order_by(col(RunChunkRow.number))).all()


def add_problems(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> int:
    """Store output lines that answer no question. Known lines stay unchanged. Return the number of new lines."""
    return insert_or_ignore(session, RunBatchProblemRow, rows)


def problems(session: Session, *, run_id: int) -> Sequence[StoredRunBatchProblem]:
    """Return the output lines of a run that answer no question."""
    wanted = select(RunBatchProblemRow).where(RunBatchProblemRow.run_id == run_id)
    return session.exec(wanted.order_by(col(RunBatchProblemRow.id))).all()


def n_problems(session: Session, *, run_id: int) -> int:
    """Count the output lines of a run that answer no question."""
    return session.exec(select(func.count()).where(RunBatchProblemRow.run_id == run_id)).one()
