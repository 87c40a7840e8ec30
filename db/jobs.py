"""Queries on jobs: long tasks that processes take, one process at a time.

A process that takes a job gets the number of its attempt with it. Whatever it writes later counts only while the job
is still at this attempt, so a process that lost its lease changes nothing any more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, func, or_, update
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from db.records import StoredJob
from db.tables import JobRow
from domain.jobs import JobState

# ---- asked for -------------------------------------------------------------------------------------------------------


def add(
    session: Session,
    *,
    kind: str,
    slot: str,
    project_id: int | None,
    project: str | None,
    person_id: int | None,
    origin: str | None,
    input: Any,
    files: Mapping[str, str],
    due_at: datetime,
    now: datetime,
) -> StoredJob:
    """Add a job that waits. ``IntegrityError`` if a job of its slot is open."""
    row = JobRow(
        kind=kind,
        slot=slot,
        project_id=project_id,
        project=project,
        person_id=person_id,
        origin=origin,
        state=JobState.WAITING,
        input=input,
        files=dict(files),
        due_at=due_at,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


def newest(session: Session, *, slot: str, whole: bool = False) -> StoredJob | None:
    """Return the newest job of a slot. ``whole``: with its result, which may be large."""
    wanted = select(JobRow).where(JobRow.slot == slot).order_by(col(JobRow.id).desc()).limit(1)
    return session.exec(wanted if whole else wanted.options(_without_result())).first()


def newest_done(session: Session, *, slot: str) -> StoredJob | None:
    """Return the newest job of a slot that is done, without its result."""
    wanted = select(JobRow).where(JobRow.slot == slot, JobRow.state == JobState.DONE).order_by(col(JobRow.id).desc())
    return session.exec(wanted.options(_without_result()).limit(1)).first()


def by_public_id(session: Session, *, public_id: str, whole: bool = False) -> StoredJob | None:
    """Return a job by its random id."""
    wanted = select(JobRow).where(JobRow.public_id == public_id)
    return session.exec(wanted if whole else wanted.options(_without_result())).first()


def list_jobs(
    session: Session,
    *,
    project_id: int | None = None,
    person_id: int | None = None,
    kinds: Collection[str] = (),
    unread: bool = False,
    only_open: bool = False,
    limit: int,
) -> Sequence[StoredJob]:
    """Return jobs without their results, the newest first.

    ``unread`` leaves out the jobs whose person closed the message about the outcome.
    """
    wanted = select(JobRow).order_by(col(JobRow.id).desc()).limit(limit).options(_without_result())
    if project_id is not None:
        wanted = wanted.where(JobRow.project_id == project_id)
    if person_id is not None:
        wanted = wanted.where(JobRow.person_id == person_id)
    if kinds:
        wanted = wanted.where(col(JobRow.kind).in_(kinds))
    if unread:
        wanted = wanted.where(col(JobRow.read_at).is_(None))
    if only_open:
        wanted = wanted.where(col(JobRow.ended_at).is_(None))
    return session.exec(wanted).all()


def mark_read(session: Session, *, public_id: str, now: datetime) -> None:
    """Record that its person closed the message about the outcome of a job that has ended."""
    ended = (col(JobRow.public_id) == public_id, col(JobRow.ended_at).is_not(None))
    session.exec(update(JobRow).where(*ended).values(read_at=now))


def cancel(session: Session, *, public_id: str, said: str, now: datetime) -> None:
    """End a job that waits, and ask the process of a job that runs to end it."""
    this = col(JobRow.public_id) == public_id
    waits = and_(this, col(JobRow.state) == JobState.WAITING)
    session.exec(update(JobRow).where(waits).values(state=JobState.CANCELED, said=said, ended_at=now))
    session.exec(update(JobRow).where(this, col(JobRow.state) == JobState.RUNNING).values(canceling=True))


def delete_ended(session: Session, *, kind: str, but: int = 0, slot: str | None = None) -> list[str]:
    """Delete jobs of a kind that have ended, or those of a slot, but for the newest ones. Return their files."""
    ended = [col(JobRow.kind) == kind, col(JobRow.ended_at).is_not(None)]
    if slot is not None:
        ended.append(col(JobRow.slot) == slot)
    wanted = select(JobRow.id, JobRow.files).where(*ended).order_by(col(JobRow.id).desc()).offset(but)
    jobs = session.exec(wanted.limit(1_000)).all()
    if jobs:
        session.exec(delete(JobRow).where(col(JobRow.id).in_([id for id, _ in jobs])))
    return [sha256 for _, files in jobs for sha256 in (files or {}).values()]


def files(session: Session) -> set[str]:
    """Return the hashes of the files that jobs name."""
    return {sha256 for held in session.exec(select(JobRow.files)) for sha256 in (held or {}).values()}


# ---- worked on -------------------------------------------------------------------------------------------------------


def claim(
    session: Session,
    *,
    kinds: Collection[str],
    worker: str,
    process: Mapping[str, Any],
    now: datetime,
    until: datetime,
    public_id: str | None = None,
    but: Collection[str] = (),
) -> StoredJob | None:
    """Lease the next job that is due to a process. Return None if there is none.

    ``public_id``: this one, or none. ``but``: jobs that the process cannot do.
    """
    wanted = select(JobRow).where(col(JobRow.kind).in_(kinds), *_free(now))
    if public_id is not None:
        wanted = wanted.where(JobRow.public_id == public_id)
    if but:
        wanted = wanted.where(col(JobRow.public_id).not_in(but))
    wanted = wanted.order_by(col(JobRow.due_at), col(JobRow.id)).limit(1)
    locked = wanted.with_for_update(skip_locked=True, of=JobRow).execution_options(populate_existing=True)
    row = session.exec(locked).first()
    if row is None:
        return None
    if row.state is JobState.RUNNING:  # its lease has ended
        row.deaths += 1
    row.state, row.worker, row.process, row.lease_until = JobState.RUNNING, worker, dict(process), until
    row.attempts, row.started_at = row.attempts + 1, now
    session.add(row)
    session.flush()
    return row


def free_kinds(session: Session, *, now: datetime) -> dict[str, datetime]:
    """Return the kinds of which a job could be taken now, each with the time at which the oldest began to wait."""
    wanted = select(JobRow.kind, func.min(JobRow.due_at)).where(*_free(now)).group_by(JobRow.kind)
    return dict(session.exec(wanted).all())


def _free(now: datetime) -> tuple[Any, ...]:
    lost = and_(col(JobRow.state) == JobState.RUNNING, col(JobRow.lease_until) < now)
    waits = and_(col(JobRow.state) == JobState.WAITING, col(JobRow.due_at) <= now)
    return (or_(waits, lost),)


def running(session: Session) -> Sequence[StoredJob]:
    """Return the jobs that a process has taken."""
    wanted = select(JobRow).where(JobRow.state == JobState.RUNNING).options(_without_result())
    return session.exec(wanted).all()


def beat(session: Session, *, id: int, attempt: int, until: datetime, at: str, done: int, of: int) -> tuple[bool, bool]:
    """Extend the lease of a job and record how far it is. Return whether it is still this attempt's, and whether it is
    to be canceled.
    """
    mine = _mine(id, attempt)
    changed = session.exec(update(JobRow).where(*mine).values(lease_until=until, at=at, done=done, of=of)).rowcount
    canceling = session.exec(select(JobRow.canceling).where(col(JobRow.id) == id)).first()
    return bool(changed), bool(canceling)


def note(session: Session, *, id: int, attempt: int, result: Any) -> bool:
    """Keep what a job has to know if another process goes on with it. Return whether it is still this attempt's."""
    return bool(session.exec(update(JobRow).where(*_mine(id, attempt)).values(result=result)).rowcount)


def name_files(session: Session, *, id: int, attempt: int, files: Mapping[str, str]) -> None:
    """Record which files a job has taken."""
    session.exec(update(JobRow).where(*_mine(id, attempt)).values(files=dict(files)))


def end(
    session: Session,
    *,
    id: int,
    attempt: int,
    state: JobState,
    said: str,
    result: Any,
    now: datetime,
    files: Mapping[str, str] | None = None,
) -> bool:
    """End a job. Return False if it is not this attempt's any more."""
    values: dict[str, Any] = {"state": state, "said": said, "result": result, "ended_at": now, "lease_until": None}
    if files is not None:
        values["files"] = dict(files)
    return bool(session.exec(update(JobRow).where(*_mine(id, attempt)).values(**values)).rowcount)


def put_back(session: Session, *, id: int, attempt: int, due_at: datetime, said: str | None = None) -> None:
    """Let a job wait again, for another process or for its next time."""
    values: dict[str, Any] = {"state": JobState.WAITING, "lease_until": None, "due_at": due_at}
    if said is not None:
        values |= {"said": said, "at": "", "done": 0, "of": 0}
    session.exec(update(JobRow).where(*_mine(id, attempt)).values(**values))


def free(session: Session, *, id: int, attempt: int) -> None:
    """Let a job wait again whose process has died."""
    values = {"state": JobState.WAITING, "lease_until": None, "deaths": col(JobRow.deaths) + 1}
    session.exec(update(JobRow).where(*_mine(id, attempt)).values(**values))


def _mine(id: int, attempt: int) -> tuple[Any, ...]:
    running_ = col(JobRow.state) == JobState.RUNNING
    return (col(JobRow.id) == id, col(JobRow.attempts) == attempt, running_)


def _without_result() -> Any:
    return defer(col(JobRow.result))  # type: ignore[arg-type]
