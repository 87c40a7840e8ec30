"""The desk of jobs, with functions to begin, find, list, cancel and repeat them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from db import jobs, people, projects
from db.engine import IntegrityError, Session, Store, utc_now
from db.records import StoredJob, StoredPerson
from domain import typed_json
from domain.errors import ConflictError, NotFoundError
from domain.jobs import Job, JobState
from domain.origin import origin
from domain.records import Person

TWICE = timedelta(seconds=3)
"""The time after a job's end in which an equal request counts as the second click of a double click."""
LISTED = 50
CANCELED = "Canceled. Partial results were discarded."


class SlotConflict(ConflictError):
    """Another job of the slot is open."""

    def __init__(self, job: Job) -> None:
        super().__init__("Another job blocks this job. Try again when the other job has ended.")
        self.job = job


def begin(
    store: Store,
    *,
    kind: str,
    slot: str,
    by: Person | None,
    project: str | None = None,
    of_project: bool = True,
    input: Any = None,
    files: Mapping[str, str] | None = None,
    again: bool = True,
    begun: Callable[[Job], None] = lambda job: None,
) -> Job:
    """Begin a job, or return the open job that does the same. Two clicks begin one job.

    Parameters
    ----------
    slot
        The name under which only one job can be open at a time, on all servers of the database.
    of_project
        Whether the job is deleted with its project.
    again
        Begin a new job even if an equal one has just ended with a result. False returns the ended job.
    begun
        Called with a new job.

    Raises
    ------
    SlotTaken
        Another job of the slot is open.
    """
    data = typed_json.encode(input)
    for _ in range(2):
        with store.read() as session:
            there = jobs.newest(session, slot=slot)
            row = projects.by_name(session, name=project) if project is not None and of_project else None
        if there is not None and there.ended_at is None:
            if (there.kind, there.input) == (kind, data):
                return _shown(there)
            raise SlotConflict(_shown(there))
        if not again and there is not None and _just_done(there, store) and (there.kind, there.input) == (kind, data):
            return _shown(there)
        try:
            with store.write(archived_too=True) as session:
                now = utc_now()
                made = jobs.add(
                    session,
                    kind=kind,
                    slot=slot,
                    project_id=row.id if row is not None else None,
                    project=project,
                    person_id=by.id if by is not None else None,
                    origin=origin(),
                    input=data,
                    files=files or {},
                    due_at=now,
                    now=now,
                )
        except IntegrityError:
            continue  # another process has just begun one
        job = _shown(made)
        begun(job)
        return job
    raise ConflictError("Another job began at the same moment. Try again.")


def _just_done(row: StoredJob, store: Store) -> bool:
    return row.state is JobState.DONE and row.ended_at is not None and utc_now() - row.ended_at < TWICE


def job(store: Store, *, id: str) -> Job:
    """Return a job with its result. Raises ``NotFoundError`` for an unknown id."""
    with store.read() as session:
        return shown_whole(_row(session, id, whole=True))


def newest(store: Store, *, slot: str, whole: bool = False) -> Job | None:
    """Return the newest job of a slot. ``whole`` includes its result."""
    with store.read() as session:
        row = jobs.newest(session, slot=slot, whole=whole)
    return None if row is None else shown_whole(row) if whole else _shown(row)


def newest_done(store: Store, *, slot: str) -> Job | None:
    """Return the newest finished job of a slot, without its result."""
    with store.read() as session:
        row = jobs.newest_done(session, slot=slot)
    return None if row is None else _shown(row)


def list_jobs(
    store: Store,
    *,
    project: str | None = None,
    by: Person | None = None,
    kinds: Collection[str] = (),
    unread: bool = False,
    only_open: bool = False,
    limit: int = LISTED,
) -> Sequence[Job]:
    """Return jobs without their results, newest first. ``by`` selects the jobs of one person."""
    with store.read() as session:
        stored_project = projects.by_name(session, name=project) if project is not None else None
        if project is not None and stored_project is None:
            raise NotFoundError(f"There is no project {project!r}. Check the project's ID.")
        rows = jobs.list_jobs(
            session,
            project_id=stored_project.id if stored_project is not None else None,
            person_id=by.id if by is not None else None,
            kinds=kinds,
            unread=unread,
            only_open=only_open,
            limit=limit,
        )
    return [_shown(row) for row in rows]


def names(store: Store, found: Collection[Job]) -> dict[int, str]:
    """Return the names of the people who began jobs, by their ids."""
    return {id: row.name for id, row in _people(store, found).items()}


def logins(store: Store, found: Collection[Job]) -> dict[int, str]:
    """Return the logins of the people who began jobs, by their ids."""
    return {id: row.login for id, row in _people(store, found).items()}


def _people(store: Store, found: Collection[Job]) -> dict[int, StoredPerson]:
    ids = {job.person for job in found if job.person is not None}
    with store.read() as session:
        rows = [people.by_id(session, id=id) for id in sorted(ids)]
    return {row.id: row for row in rows if row is not None}


def mark_read(store: Store, *, id: str) -> None:
    """Close the message about the outcome of a job that has ended."""
    with store.write(archived_too=True) as session:
        jobs.mark_read(session, public_id=id, now=utc_now())


def cancel(store: Store, *, id: str) -> Job:
    """Cancel a job. A waiting job ends now, and a running one within seconds.

    Raises
    ------
    NotFoundError
        The job does not exist.
    ConflictError
        The job has ended.
    """
    with store.write(archived_too=True) as session:
        row = _row(session, id)
        if row.ended_at is not None:
            raise ConflictError(f"The job {id} has already ended ({row.state.value}), so you cannot cancel the job.")
        jobs.cancel(session, public_id=id, said=CANCELED, now=utc_now())
    with store.read() as session:
        return _shown(_row(session, id))


def retry(store: Store, *, id: str) -> Job:
    """Begin a failed or canceled job again.

    Raises
    ------
    NotFoundError
        The job does not exist.
    ConflictError
        The job is open or done, or another job of its slot is open.
    """
    with store.write(archived_too=True) as session:
        row, now = _row(session, id), utc_now()
        if row.state not in (JobState.FAILED, JobState.CANCELED):
            raise ConflictError(f"The job {id} is {row.state.value}. Only a failed or canceled job can be retried.")
        open_ = jobs.newest(session, slot=row.slot)
        if open_ is not None and open_.ended_at is None:
            raise SlotConflict(_shown(open_))
        made = jobs.add(
            session,
            kind=row.kind,
            slot=row.slot,
            project_id=row.project_id,
            project=row.project,
            person_id=row.person_id,
            origin=row.origin,
            input=row.input,
            files=row.files,
            due_at=now,
            now=now,
        )
        jobs.mark_read(session, public_id=id, now=now)
        return _shown(made)


def _row(session: Session, id: str, *, whole: bool = False) -> StoredJob:
    row = jobs.by_public_id(session, public_id=id, whole=whole)
    if row is None:
        raise NotFoundError(f"There is no job {id!r}. To see all jobs, run `touchstone job list`.")
    return row


def _shown(row: StoredJob) -> Job:
    """Return a job without its result."""
    return _job(row, None)


def shown_whole(row: StoredJob) -> Job:
    """Return a job with its result."""
    return _job(row, row.result)


def _job(row: StoredJob, came: Any) -> Job:
    return Job(
        id=row.public_id,
        kind=row.kind,
        slot=row.slot,
        project=row.project,
        person=row.person_id,
        state=row.state,
        at=row.at,
        done=row.done,
        of=row.of,
        said=row.said,
        told=row.input,
        came=came,
        attempts=row.attempts,
        deaths=row.deaths,
        canceling=row.canceling,
        worker=row.worker,
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        due_at=row.due_at,
        is_read=row.read_at is not None,
    )
