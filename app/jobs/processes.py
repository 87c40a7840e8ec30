"""The job processes of this server. A new one starts when a job waits and none is free, up to a limit."""

from __future__ import annotations

import json
import logging
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from app.jobs.kinds import KINDS
from app.supervisor import environment
from db.engine import Store
from domain.module_names import process_of
from workflow.jobs.kinds import Lane
from workflow.jobs.working import waiting_lanes

MOST: Mapping[Lane, int] = {Lane.TASKS: 4, Lane.FIGURES: 1}
"""The most processes of this server in each lane."""
LOOK_SECONDS = 3.0
"""Seconds between two searches for jobs without a process."""
LEFT_ALONE = timedelta(seconds=5)
"""Age below which a job is left to the server that began it."""

log = logging.getLogger(__name__)


def most(web_processes: int) -> Mapping[Lane, int]:
    """Return the most processes that each of several web processes may start in each lane."""
    return {lane: max(1, n // web_processes) for lane, n in MOST.items()}


@dataclass
class _Process:
    """A process for jobs, busy or idle."""

    process: subprocess.Popen[bytes]
    lane: Lane
    busy: bool = True
    serves: dict[str, tuple[Store, Path]] = field(default_factory=dict)
    """The database of the last order."""
    pending: dict[str, tuple[Store, Path]] = field(default_factory=dict)
    """The databases to look for jobs in next, because a job was begun while the process was busy."""


@dataclass
class Processes:
    """The processes that one server has started."""

    guard: threading.RLock = field(default_factory=threading.RLock)
    there: list[_Process] = field(default_factory=list)
    limits: Mapping[Lane, int] = field(default_factory=lambda: MOST)

    def wake(self, store: Store, home: Path, lane: Lane, *, limit: int = 0) -> None:
        """Make a process look for jobs of a lane now. ``limit``: start no process if this number is already busy."""
        url = store.engine.url.render_as_string(hide_password=False)
        with self.guard:
            mine = [
                job_process
                for job_process in self.there
                if job_process.lane is lane and job_process.process.poll() is None
            ]
            idle = [job_process for job_process in mine if not job_process.busy]
            for job_process in idle:
                if self._order(job_process, url, store, home):
                    return
            if len(mine) - len(idle) < (limit or self.limits[lane]):
                self._start(url, store, home, lane)
                return
            for job_process in mine:
                job_process.pending[url] = (store, home)

    def _order(self, each: _Process, url: str, store: Store, home: Path) -> bool:
        order = {"url": url, "home": str(home), "lane": each.lane.value}  # command lines are public; this pipe is not
        assert each.process.stdin is not None
        try:
            each.process.stdin.write(json.dumps(order).encode() + b"\n")
            each.process.stdin.flush()
        except OSError:  # it has just ended after a long idle time
            return False
        each.busy, each.serves = True, {url: (store, home)}
        return True

    def _start(self, url: str, store: Store, home: Path, lane: Lane) -> None:
        process = subprocess.Popen(
            process_of("app.jobs.process"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
        )
        job_process = _Process(process, lane)
        self.there.append(job_process)
        self._order(job_process, url, store, home)
        threading.Thread(target=self._hear, args=(job_process,), name="jobs", daemon=True).start()

    def _hear(self, each: _Process) -> None:
        """Listen to a process until it ends. If it ended while busy, it has died, and another process continues."""
        assert each.process.stdout is not None
        for _ in each.process.stdout:
            with self.guard:
                each.busy, pending, each.pending = False, each.pending, {}
                for other, its_home in pending.values():
                    self.wake(other, its_home, each.lane)
        status = each.process.wait()
        if each.busy and each in self.there:  # ``close`` has not ended it
            log.error(
                "a job process (%s) ended with status %s; see the process's output above", each.lane.value, status
            )
            for store, home in (each.serves | each.pending).values():
                self._wake_for_waiting(store, home, each.lane)
        with self.guard:
            if each in self.there:
                self.there.remove(each)

    def _wake_for_waiting(self, store: Store, home: Path, lane: Lane) -> None:
        try:
            if lane in waiting_lanes(store, KINDS):
                self.wake(store, home, lane)
        except Exception:
            log.warning("cannot reach the database to look for jobs", exc_info=True)

    def close(self) -> None:
        """End the idle processes. The busy ones end by themselves."""
        with self.guard:
            there, self.there = self.there, []
        for job_process in there:
            with suppress(OSError):
                assert job_process.process.stdin is not None
                job_process.process.stdin.close()
            if not job_process.busy:
                job_process.process.wait()

    @property
    def at_work(self) -> list[int]:
        """Return the ids of the busy processes."""
        with self.guard:
            return [
                job_process.process.pid
                for job_process in self.there
                if job_process.busy and job_process.process.poll() is None
            ]

    @property
    def alive(self) -> list[int]:
        """Return the ids of all processes."""
        with self.guard:
            return [job_process.process.pid for job_process in self.there if job_process.process.poll() is None]

    def is_warm(self, lane: Lane) -> bool:
        """Tell whether a lane has an idle process, which starts a job faster than a new process."""
        with self.guard:
            return any(
                job_process.lane is lane and not job_process.busy and job_process.process.poll() is None
                for job_process in self.there
            )


_processes = Processes()
close, is_warm = _processes.close, _processes.is_warm


def wake(store: Store, home: Path, kind: str) -> None:
    """Make a process run a job of this kind soon. ``touchstone worker`` has its own threads for its lanes."""
    lane = KINDS[kind].lane
    if lane in MOST:
        _processes.wake(store, home, lane)


def share_with(web_processes: int) -> None:
    """Start fewer processes, because this is one of several web processes of a server."""
    _processes.limits = most(web_processes)


def job_processes() -> list[int]:
    """Return the ids of all job processes."""
    return _processes.alive


def at_work() -> list[int]:
    """Return the ids of the busy job processes."""
    return _processes.at_work


@contextmanager
def watching(store: Store, home: Path) -> Iterator[None]:
    """Search every few seconds for jobs without a process, such as those of a server or process that has died."""
    over = threading.Event()

    def look() -> None:
        first = True
        while not over.wait(0.0 if first else LOOK_SECONDS):
            first = False
            try:
                for lane in waiting_lanes(store, KINDS, longer_than=LEFT_ALONE):
                    if lane in MOST:
                        _processes.wake(store, home, lane, limit=1)
            except Exception:
                log.warning("cannot reach the database to look for jobs; trying again", exc_info=True)

    thread = threading.Thread(target=look, name="jobs look", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(LOOK_SECONDS)
        close()
