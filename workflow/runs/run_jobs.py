"""Jobs of runs: ``run`` has a worker work on a run, and ``worker`` stands for a worker as long as it is there."""

from __future__ import annotations

from db import jobs, runs
from db.engine import Store, utc_now
from workflow.jobs import desk
from workflow.jobs.live_process import is_gone
from workflow.jobs.working import lease

RUN, WORKER = "run", "worker"
_LATEST = 20
"""So many workers are looked at to find the one that was heard of last."""


def wake(store: Store, run: str) -> None:
    """Have a worker work on a run. A run has one such job at a time."""
    with store.read() as session:
        project = runs.project_of(session, public_id=run)
    desk.begin(store, kind=RUN, slot=f"{RUN}/{run}", by=None, project=project, input={"run": run})


def worker_seen(store: Store) -> float | None:
    """Return how many seconds ago a waiting or working worker was heard of. None: none was."""
    with store.read() as session:
        rows = jobs.listed(session, kinds=[WORKER], limit=_LATEST)
    now, heard = utc_now(), []
    for row in rows:
        if row.ended_at is not None:
            heard.append(row.ended_at)
        elif row.lease_until is not None and not is_gone(row.process or {}):
            heard.append(min(row.lease_until - lease(store), now))
    return (now - max(heard)).total_seconds() if heard else None
