"""The registry of workers: their names, and whether each is alive."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from db import run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun, StoredRunWorker
from workflow.jobs.live_process import is_gone, process

LEASE = timedelta(seconds=60)
"""The time for which a silent worker keeps its chunks."""
_LEFT_ALONE = timedelta(seconds=5)


def is_alive(row: StoredRunWorker, store: Store) -> bool:
    """Return whether a worker was seen lately and its process, if visible from here, still runs."""
    return row.ended_at is None and row.seen_at > store.now() - LEASE and not is_dead(row)


def is_dead(row: StoredRunWorker) -> bool:
    """Return whether a worker's process ran on this machine and is gone. False if that is unknown."""
    return is_gone(row.about.get("process") or {})


def is_taken(session: Session, store: Store, *, row: StoredRun) -> bool:
    """Return whether a worker of this machine works on a run, or any worker if the model is an endpoint with limits."""
    here = process()
    endpoint = row.params.get("spec", {}).get("adapter") == "endpoint"
    for worker in run_chunks.workers(session, run_id=row.id, only_there=True):
        known: Mapping[str, Any] = worker.about.get("process") or {}
        same = (known.get("host"), known.get("space")) == (here["host"], here["space"])
        if is_alive(worker, store) and (endpoint or same):
            return True
    return False


def end_dead_workers(session: Session, store: Store, *, run_id: int) -> None:
    """Free the chunks of workers whose processes are gone."""
    for row in run_chunks.workers(session, run_id=run_id, only_there=True):
        if is_dead(row):
            run_chunks.end_worker(session, worker_id=row.id, now=store.now())


def waiting(store: Store, *, share: bool = False) -> list[str]:
    """Return the public ids of runs that a worker of this machine should begin with, oldest first.

    A new run is left to the process that started it, because a command in the foreground works on the run itself.
    """
    with store.read() as session:
        open_runs = runs.open_runs(session)
        dead = any(
            is_dead(worker)
            for row in open_runs
            for worker in run_chunks.workers(session, run_id=row.id, only_there=True)
        )
    if dead:
        with store.write() as session:
            for row in open_runs:
                end_dead_workers(session, store, run_id=row.id)
    now = store.now()
    with store.read() as session:
        return [
            row.public_id
            for row in open_runs
            if row.created_at < now - _LEFT_ALONE
            and run_chunks.free_chunks(session, run_id=row.id, now=now)
            and (share or not is_taken(session, store, row=row))
        ]
