"""Share PostgreSQL's connections between the processes of a server, so that their total stays below the limit."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

from app.jobs import processes as jobs
from app.jobs.process import CONNECTIONS as OF_A_JOB
from app.supervisor import CONNECTIONS_OF_WORKER as OF_THE_WORKER
from db.engine import MOST_CONNECTIONS, open_store
from domain.settings import DATABASE_CONNECTIONS, LEAST_CONNECTIONS, Settings

SPARE = 5
"""Connections for commands and monitoring while the server runs."""


@dataclass(frozen=True)
class ConnectionShares:
    """How many connections each kind of process may open."""

    limit: int
    """What PostgreSQL allows."""
    processes: int
    worker: bool
    of_web: int
    """The most connections of each web process."""

    @property
    def of_others(self) -> int:
        """Return the most connections of the worker and all job processes."""
        of_jobs = self.processes * sum(jobs.most(self.processes).values())
        of_worker = OF_THE_WORKER + len(jobs.MOST) * OF_A_JOB if self.worker else 0
        return of_jobs * OF_A_JOB + of_worker

    @property
    def total(self) -> int:
        """Return the most connections of all processes together."""
        return self.processes * self.of_web + self.of_others

    @property
    def problem(self) -> str | None:
        """Return a sentence if the total exceeds the limit, with the numbers. None if it fits."""
        if self.total + SPARE <= self.limit:
            return None
        web = "1 web process" if self.processes == 1 else f"{self.processes} web processes"
        return (
            f"PostgreSQL allows {self.limit} connections, but {web} with {self.of_web} each, the worker and the jobs "
            f"can open {self.total}, and Touchstone leaves {SPARE} free for commands. Set max_connections of "
            f"PostgreSQL to at least {self.total + SPARE + 3}, or start fewer processes."
        )

    def environment(self) -> Mapping[str, str]:
        """Return the variable that tells a web process its share."""
        return {DATABASE_CONNECTIONS: str(self.of_web)}


def shares(limit: int, *, processes: int, worker: bool, wanted: int | None = None) -> ConnectionShares:
    """Return the shares under a limit. ``wanted`` is the operator's setting, and otherwise web processes get the rest.

    A web process gets at least ``LEAST_CONNECTIONS``, so the total may exceed the limit: see ``problem``.
    """
    none = ConnectionShares(limit, processes, worker, 0)
    rest = (limit - SPARE - none.of_others) // processes
    of_web = wanted or max(LEAST_CONNECTIONS, min(MOST_CONNECTIONS, rest))
    return ConnectionShares(limit, processes, worker, of_web)


def ask(settings: Settings, *, processes: int, worker: bool) -> ConnectionShares | None:
    """Ask the database for its limit, and return the shares. None: the database is SQLite, which has no limit."""
    with closing(open_store(settings.database_url, settings.home, connections=2)) as store:
        limit = store.connection_limit()
    if limit is None:
        return None
    return shares(limit, processes=processes, worker=worker, wanted=settings.database_connections)
