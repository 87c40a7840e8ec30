"""The execution of jobs. A process claims a job, renews its lease every few seconds, and ends it with a result or a
reason.

If a process dies, the next one takes its job over: at once if it can see that the process is gone, or otherwise when
the lease ends. After ``ATTEMPTS`` dead processes the job fails, so that a job that kills its processes ends too.
"""

from __future__ import annotations

import contextvars
import errno
import logging
import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from db import jobs, people
from db.engine import Store, utc_now
from db.records import StoredJob
from domain import typed_json
from domain.errors import TouchstoneError
from domain.jobs import JobState, Progress, unheard
from domain.log_facts import add_log_facts, logged_with
from domain.origin import acting_from
from domain.settings import Settings
from workflow.access.accounts import person_of
from workflow.jobs.desk import CANCELED, shown_whole
from workflow.jobs.kinds import JobContext, JobFailure, JobKind, JobOutcome, Lane
from workflow.jobs.live_process import is_gone, process, worker_name

LEASE = timedelta(seconds=60)
LEASE_IN_FILE = timedelta(minutes=15)
"""The lease if the database is a file. A job may hold the file's only write lock for minutes, and cannot renew its
lease then. All processes are on one machine in this case, where a dead process is seen at once.
"""
BEAT_SECONDS = 5.0
TELL_SECONDS = 0.4
"""The shortest time in seconds between two writes of progress."""
CANCEL_SECONDS = 3.0
"""The time in seconds in which a canceled job may end by itself. After that its process exits, because a job may die
anywhere.
"""
ATTEMPTS = 3
BROKEN_OFF = (
    "The process of this job ended early. See the server log for the reason, then try again. Touchstone deletes the "
    "partial results first."
)
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
DISK_FULL = "The disk is full. Free some space, then try again."
TOO_OFTEN = f"{ATTEMPTS} processes of this job ended early. See the server log for the reasons, then try again."

_log = logging.getLogger(__name__)
_ended = logging.getLogger("touchstone.jobs")


class Cancellation(BaseException):  # no `except Exception` of a task may take it
    """A person canceled the job, or another process has taken the job over."""


@dataclass(frozen=True)
class _Step:
    """The progress of a job."""

    at: str = ""
    done: int = 0
    of: int = 0

    @property
    def key(self) -> tuple[str, int]:
        """Return a key that is equal for steps too close to be written separately."""
        return self.at, 100 * self.done // max(self.of, 1)


class Worker:
    """A process that executes one job after the other.

    Parameters
    ----------
    kinds
        The register of kinds. The worker takes jobs of ``lane`` only.
    leave
        Ends this process in the middle of a job that was canceled or taken over. None: the process must not end there.
    canceled
        Return whether the person at this process cancels its job.
    hear
        Receives the progress of each job in this process.
    """

    def __init__(
        self,
        store: Store,
        home: Path,
        settings: Settings,
        kinds: Mapping[str, JobKind],
        lane: Lane,
        *,
        leave: Callable[[], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
        canceled: Callable[[], bool] = lambda: False,
        hear: Progress = unheard,
    ) -> None:
        self.store, self.home, self.settings, self.kinds, self.stop = store, home, settings, kinds, stop
        self.lane, self.leave, self.canceled, self.hear = lane, leave, canceled, hear
        self.current: JobKind | None = None
        """The kind of the present job."""

    def work_off(self, *, but: Collection[str] = ()) -> int:
        """Execute jobs until no waiting job fits this worker. Return the number of jobs."""
        done = 0
        while not self.stop():
            row = self.take(but=but)
            if row is None:
                break
            self.do(row)
            done += 1
        return done

    def take(self, *, public_id: str | None = None, but: Collection[str] = ()) -> StoredJob | None:
        """Claim the next job, or the given one. Return None if no job can be claimed."""
        free_dead(self.store, self.kinds)
        names = [row.name for row in self.kinds.values() if public_id is not None or row.lane is self.lane]
        while True:
            with self.store.write(archived_too=True) as session:
                now = utc_now()
                row = jobs.claim(
                    session,
                    kinds=names,
                    worker=worker_name(),
                    process=process(),
                    now=now,
                    until=now + lease(self.store),
                    public_id=public_id,
                    but=but,
                )
                reason = self._no_more(row) if row is not None else ""
                if row is None or not reason:
                    return row
                state = JobState.CANCELED if row.canceling else JobState.FAILED
                jobs.end(session, id=row.id, attempt=row.attempts, state=state, said=reason, result=row.result, now=now)

    def _no_more(self, row: StoredJob) -> str:
        """Return why a claimed job must not be executed; empty if it may."""
        if row.canceling:
            return CANCELED
        if row.deaths and not self.kinds[row.kind].resumes:
            return BROKEN_OFF
        return TOO_OFTEN if row.deaths >= ATTEMPTS else ""

    def do(self, row: StoredJob) -> None:
        """Execute a job that this process has claimed."""
        self.current = kind = self.kinds[row.kind]
        _JobAttempt(self, row, kind).do()
        self.current = None


class _JobAttempt:
    """One attempt at one job."""

    def __init__(self, worker: Worker, row: StoredJob, kind: JobKind) -> None:
        self.worker, self.store, self.row, self.kind = worker, worker.store, row, kind
        self.step = self.written = _Step()
        self.over, self.left = threading.Event(), threading.Event()
        """Events: the attempt has ended; the attempt has to end."""
        self.canceled_elsewhere = False

    @property
    def is_canceled(self) -> bool:
        """Tell whether a person has canceled the job, here or elsewhere."""
        return self.canceled_elsewhere or self.worker.canceled()

    def do(self) -> None:
        with logged_with(job=self.row.public_id, kind=self.kind.name, person=self.row.person_id) as facts:
            begun = time.monotonic()
            self._do(contextvars.copy_context())
            if "state" in facts:
                ms = round((time.monotonic() - begun) * 1000)
                _ended.info("Job ended: %s", facts["state"], extra={"facts": {"ms": ms}})

    def _do(self, facts: contextvars.Context) -> None:
        beating = threading.Thread(target=facts.run, args=(self._beat,), name=f"job-{self.row.id}", daemon=True)
        beating.start()
        try:
            with acting_from(self.row.origin):
                outcome = self.kind.work(self._context())
        except Cancellation:
            self._end(JobState.CANCELED if self.is_canceled else None, CANCELED)
        except TouchstoneError as error:
            self._end(JobState.FAILED, str(error), value=error.value if isinstance(error, JobFailure) else None)
        except Exception as error:
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                self._end(JobState.FAILED, DISK_FULL)
                return
            number = secrets.token_hex(3)
            _log.exception("error %s in the job %s (%s)", number, self.row.public_id, self.kind.name)
            self._end(
                JobState.FAILED,
                f"The job failed with an unknown error (number {number}). See the server log for details.",
            )
        else:
            self._came(outcome)
        finally:
            self.over.set()
            beating.join(BEAT_SECONDS)

    def _context(self) -> JobContext:
        with self.store.read() as session:
            known = people.by_id(session, id=self.row.person_id) if self.row.person_id is not None else None
        return JobContext(
            job=shown_whole(self.row),
            store=self.store,
            home=self.worker.home,
            settings=self.worker.settings,
            by=person_of(known) if known is not None else None,
            progress=self._progress,
            note=self._note,
            name_files=self._name_files,
            stop=lambda: self.left.is_set() or self.worker.stop() or self.worker.canceled(),
            canceled=lambda: self.is_canceled,
        )

    def _came(self, outcome: JobOutcome) -> None:
        if self.is_canceled:
            self._end(JobState.CANCELED, outcome.said or CANCELED, value=outcome.value)
            return
        if outcome.again_in is not None:
            with self.store.write(archived_too=True) as session:
                due = utc_now() + outcome.again_in
                jobs.put_back(session, id=self.row.id, attempt=self.row.attempts, due_at=due, said=outcome.said)
            return
        self._end(JobState.DONE, outcome.said, value=outcome.value)

    def _end(self, state: JobState | None, said: str, *, value: Any = None) -> None:
        if state is None:  # another process has taken the job over
            return
        add_log_facts(state=state.value)
        for again in (0.5, 2.0, 8.0, None):
            try:
                with self.store.write(archived_too=True) as session:
                    jobs.end(
                        session,
                        id=self.row.id,
                        attempt=self.row.attempts,
                        state=state,
                        said=said,
                        result=typed_json.encode(value),
                        now=utc_now(),
                    )
                    if self.kind.newest and state is JobState.DONE:
                        jobs.delete_ended(session, kind=self.kind.name, but=1, slot=self.row.slot)
                    jobs.delete_ended(session, kind=self.kind.name, but=self.kind.kept)
                return
            except Exception:
                if again is None:
                    raise
                _log.warning("could not store the outcome of a job; trying again", exc_info=True)
                time.sleep(again)

    # ---- what the work calls ----

    def _progress(self, what: str, done: int, of: int) -> None:
        self.step = _Step(what, done, of)
        self.worker.hear(what, done, of)
        if self.left.is_set():
            raise Cancellation

    def _note(self, value: Any) -> None:
        with self.store.write(archived_too=True) as session:
            held = jobs.note(session, id=self.row.id, attempt=self.row.attempts, result=typed_json.encode(value))
        if not held:
            self.left.set()
            raise Cancellation

    def _name_files(self, files: dict[str, str]) -> None:
        with self.store.write(archived_too=True) as session:
            jobs.name_files(session, id=self.row.id, attempt=self.row.attempts, files=files)

    # ---- the thread ----

    def _beat(self) -> None:
        last = time.monotonic()
        while not self.over.wait(TELL_SECONDS):
            news = self.step.key != self.written.key
            if not news and time.monotonic() - last < BEAT_SECONDS:
                continue
            last = time.monotonic()
            try:
                self._say()
            except Exception:
                _log.warning("could not store a job's progress; trying again", exc_info=True)
            if self.left.is_set() and not self.over.wait(CANCEL_SECONDS):
                self._leave()

    def _say(self) -> None:
        step = self.step
        with self.store.write(archived_too=True, unhurried=True) as session:
            held, canceling = jobs.beat(
                session,
                id=self.row.id,
                attempt=self.row.attempts,
                until=utc_now() + lease(self.store),
                at=step.at,
                done=step.done,
                of=step.of,
            )
        self.written = step
        if not self.over.is_set() and (not held or canceling):
            self.canceled_elsewhere = held
            self.left.set()

    def _leave(self) -> None:
        """End this process in the middle of a job. Work that reports no progress cannot be stopped in any other way."""
        if self.worker.leave is None:
            return
        if self.is_canceled:
            with suppress(Exception):
                self._end(JobState.CANCELED, CANCELED)
        self.worker.leave()


def lease(store: Store) -> timedelta:
    """Return the time for which a process keeps a job without renewing its lease."""
    return LEASE_IN_FILE if store.is_sqlite else LEASE


def free_dead(store: Store, kinds: Mapping[str, JobKind]) -> None:
    """Free the jobs of processes on this machine that are gone. Jobs that cannot be resumed end."""
    now = utc_now()
    with store.read() as session:
        running = jobs.running(session)
    for row in running:
        resumes = row.kind not in kinds or kinds[row.kind].resumes
        lost = not resumes and row.lease_until is not None and row.lease_until < now
        if not lost and not is_gone(row.process or {}):
            continue
        with store.write(archived_too=True) as session:
            if resumes:
                jobs.free(session, id=row.id, attempt=row.attempts)
            else:
                about: Any = {"state": JobState.FAILED, "said": BROKEN_OFF, "result": None, "now": now}
                jobs.end(session, id=row.id, attempt=row.attempts, **about)


def waiting_lanes(store: Store, kinds: Mapping[str, JobKind], *, longer_than: timedelta = timedelta()) -> set[Lane]:
    """Return the lanes in which a job has been waiting longer than a given time."""
    free_dead(store, kinds)
    now = utc_now()
    with store.read() as session:
        free_kinds = jobs.free_kinds(session, now=now)
    return {kinds[name].lane for name, since in free_kinds.items() if name in kinds and since <= now - longer_than}


def do_here(
    store: Store,
    home: Path,
    settings: Settings,
    kinds: Mapping[str, JobKind],
    *,
    id: str,
    canceled: Callable[[], bool] = lambda: False,
    hear: Progress = unheard,
) -> None:
    """Execute a job in this process: one that is faster than starting another process, or that a command waits for."""
    worker = Worker(store, home, settings, kinds, Lane.TASKS, canceled=canceled, hear=hear)
    row = worker.take(public_id=id)
    if row is not None:
        worker.do(row)
