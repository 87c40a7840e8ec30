"""Jobs of runs: a job ``run`` makes a worker work on a run, and a job ``worker`` represents a running worker."""

from __future__ import annotations

from db import jobs, runs
from db.engine import Store, utc_now
from workflow.jobs import desk
from workflow.jobs.live_process import is_gone
from workflow.jobs.working import lease

RUN, WORKER = "run", "worker"
_LATEST = 20
"""The number of workers among which the one seen last is searched."""


def wake(store: Store, run: str) -> None:
    """Queue a job that makes a worker work on a run. A run has one such job at a time."""
    with store.read() as session:
        project = runs.project_of(session, public_id=run)
    desk.begin(store, kind=RUN, slot=f"{RUN}/{run}", by=None, project=project, input={"run": run})


def worker_seen(store: Store) -> float | None:
    """Return how many seconds ago a waiting or working worker was last seen; None for none."""
    with store.read() as session:
        rows = jobs.list_jobs(session, kinds=[WORKER], limit=_LATEST)
    now, heard = utc_now(), []
    for row in rows:
        if row.ended_at is not None:
            heard.append(row.ended_at)
        elif row.lease_until is not None and not is_gone(row.process or {}):
            heard.append(min(row.lease_until - lease(store), now))
    return (now - max(heard)).total_seconds() if heard else None
