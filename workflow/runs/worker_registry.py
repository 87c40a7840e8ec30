"""The registry of workers: their names, and whether each is alive."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from db import run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun, StoredRunWorker

LEASE = timedelta(seconds=60)
"""The time for which a silent worker keeps its chunks."""
_LEFT_ALONE = timedelta(seconds=5)


def worker_name() -> str:
    """Return the name of this worker for people: machine and process."""
    return f"{socket.gethostname()}, process {os.getpid()}"


def process() -> dict[str, Any]:
    """Return the identity of this process among all that ever ran on this machine."""
    return {"host": socket.gethostname(), "id": os.getpid(), "space": _space(), "born": _born(os.getpid())}


def is_alive(row: StoredRunWorker, store: Store) -> bool:
    """Return whether a worker was seen lately and its process, if visible from here, still runs."""
    return row.ended_at is None and row.seen_at > store.now() - LEASE and not is_dead(row)


def is_dead(row: StoredRunWorker) -> bool:
    """Return whether a worker's process ran on this machine and is gone. False if that is unknown."""
    return is_gone(row.about.get("process") or {})


def is_gone(known: Mapping[str, Any]) -> bool:
    """Return whether a process, as described by ``process``, ran on this machine and is gone. False if that is
    unknown.
    """
    space = _space()
    if space is None or known.get("host") != socket.gethostname() or known.get("space") != space:
        return False
    return known.get("born") is None or _born(int(known.get("id", 0))) != known["born"]


def is_taken(session: Session, store: Store, *, row: StoredRun) -> bool:
    """Return whether a worker of this machine works on a run, or any worker if the model is an endpoint with limits."""
    here = process()
    endpoint = row.params.get("spec", {}).get("adapter") == "endpoint"
    for each in run_chunks.workers(session, run_id=row.id, only_there=True):
        known: Mapping[str, Any] = each.about.get("process") or {}
        same = (known.get("host"), known.get("space")) == (here["host"], here["space"])
        if is_alive(each, store) and (endpoint or same):
            return True
    return False


def end_dead_workers(session: Session, store: Store, *, run_id: int) -> None:
    """Free the chunks of workers whose processes are gone."""
    for row in run_chunks.workers(session, run_id=run_id, only_there=True):
        if is_dead(row):
            run_chunks.end_worker(session, worker_id=row.id, now=store.now())


def _space() -> str | None:
    """Return the namespace in which process ids of this machine are valid; None if unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return None


def _born(pid: int) -> str | None:
    """Return the start time of a process, in ticks since boot; None without such a process."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = told.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[19]


def waiting(store: Store, *, share: bool = False) -> list[str]:
    """Return the public ids of runs that a worker of this machine should begin with, oldest first.

    A new run is left to the process that started it, because a command in the foreground works on the run itself.
    """
    with store.read() as session:
        found = runs.open_runs(session)
        dead = any(
            is_dead(each) for row in found for each in run_chunks.workers(session, run_id=row.id, only_there=True)
        )
    if dead:
        with store.write() as session:
            for row in found:
                end_dead_workers(session, store, run_id=row.id)
    now = store.now()
    with store.read() as session:
        return [
            row.public_id
            for row in found
            if row.created_at < now - _LEFT_ALONE
            and run_chunks.free_chunks(session, run_id=row.id, now=now)
            and (share or not is_taken(session, store, row=row))
        ]
