"""Queries on the chunks of runs, and on the workers that share them.

A worker owns a chunk from its claim until someone else claims it, which is possible only after its lease has ended.
Results are written in a transaction that locks the chunk and checks its owner. So the results of a worker that lost
its lease never mix with those of its successor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import and_, func, insert, or_, update
from sqlmodel import Session, col, select

from db.records import StoredRunChunk, StoredRunWorker
from db.tables import AttemptRow, RunChunkRow, RunWorkerRow


def add_chunks(session: Session, *, run_id: int, chunks: Iterable[Sequence[int]]) -> None:
    """Add chunks after the existing ones. Units that failed before now are asked again in them."""
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
    """Lease the next free chunk to a worker. Return None if there is none."""
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
    chunk = session.exec(wanted).first()
    if chunk is not None:
        chunk.worker_id, chunk.lease_until = worker_id, until
        session.add(chunk)
        session.flush()
    return chunk


def undone(session: Session, *, run_id: int) -> int:
    """Count the unfinished chunks."""
    wanted = select(func.count()).where(RunChunkRow.run_id == run_id, col(RunChunkRow.done).is_(False))
    return session.exec(wanted).one()


def free_chunks(session: Session, *, run_id: int, now: datetime) -> bool:
    """Tell whether a worker could take a chunk of a run, or only has to mark the run as done."""
    free = or_(col(RunChunkRow.lease_until).is_(None), col(RunChunkRow.lease_until) < now)
    left = select(RunChunkRow.id).where(RunChunkRow.run_id == run_id, col(RunChunkRow.done).is_(False))
    return session.exec(left.where(free).limit(1)).first() is not None or not undone(session, run_id=run_id)


def owned(session: Session, *, chunk_id: int, worker_id: int) -> StoredRunChunk | None:
    """Return a chunk, locked until the transaction ends, if this worker still owns it."""
    wanted = select(RunChunkRow).where(
        RunChunkRow.id == chunk_id, RunChunkRow.worker_id == worker_id, col(RunChunkRow.done).is_(False)
    )
    return session.exec(wanted.with_for_update(key_share=True).execution_options(populate_existing=True)).first()


def extend(session: Session, *, worker_id: int, now: datetime, until: datetime) -> int:
    """Extend the leases of a worker's chunks. Return their number."""
    session.exec(update(RunWorkerRow).where(col(RunWorkerRow.id) == worker_id).values(seen_at=now, ended_at=None))
    mine = and_(col(RunChunkRow.worker_id) == worker_id, col(RunChunkRow.done).is_(False))
    return int(session.exec(update(RunChunkRow).where(mine).values(lease_until=until)).rowcount)


def release(session: Session, *, worker_id: int) -> None:
    """Release the unfinished chunks of a worker."""
    mine = and_(col(RunChunkRow.worker_id) == worker_id, col(RunChunkRow.done).is_(False))
    session.exec(update(RunChunkRow).where(mine).values(worker_id=None, lease_until=None))


def finish(session: Session, *, row: StoredRunChunk) -> None:
    """Mark a locked chunk as done."""
    row.done, row.lease_until = True, None
    session.add(row)
    session.flush()


# ---- workers --------------------------------------------------------------------------------------------------------


def add_worker(session: Session, *, run_id: int, name: str, about: Mapping[str, Any], now: datetime) -> int:
    """Add a worker to a run. Return its id."""
    row = RunWorkerRow(run_id=run_id, name=name, about=dict(about), started_at=now, seen_at=now)
    session.add(row)
    session.flush()
    return row.id


def note_about(session: Session, *, worker_id: int, about: Mapping[str, Any]) -> None:
    """Record a worker's environment."""
    session.exec(update(RunWorkerRow).where(col(RunWorkerRow.id) == worker_id).values(about=dict(about)))


def end_worker(session: Session, *, worker_id: int, now: datetime) -> None:
    """Record that a worker has left, and release its unfinished chunks."""
    release(session, worker_id=worker_id)
    mine = and_(col(RunWorkerRow.id) == worker_id, col(RunWorkerRow.ended_at).is_(None))
    session.exec(update(RunWorkerRow).where(mine).values(seen_at=now, ended_at=now))


def workers(session: Session, *, run_id: int, only_there: bool = False) -> Sequence[StoredRunWorker]:
    """Return the workers of a run, oldest first. ``only_there``: only those that have not left."""
    wanted = select(RunWorkerRow).where(RunWorkerRow.run_id == run_id).order_by(col(RunWorkerRow.id))
    if only_there:
        wanted = wanted.where(col(RunWorkerRow.ended_at).is_(None))
    return session.exec(wanted).all()
