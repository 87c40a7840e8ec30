"""A process that runs jobs at low priority, because the process that serves pages also serves voters.

The process reads orders from its standard input, one JSON line each: a database, a home folder and a lane. It runs the
lane's jobs until none waits, and then reports this in a line on its standard output. It stays for a while, because a
warm process starts the next job faster. When its input ends, its server is gone. The process then ends too, after a job
that outlives the server.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from app.jobs.kinds import KINDS
from app.serving import logs
from db.engine import open_store
from domain.settings import settings_from
from workflow.jobs.kinds import Lane
from workflow.jobs.working import Worker

NICE = {Lane.TASKS: 10, Lane.FIGURES: 19}
CONNECTIONS = 4
"""The most PostgreSQL connections of a job process."""
IDLE_SECONDS = 120.0
"""Seconds that an idle process stays."""
IDLE = "idle"
"""The reply when no job waits."""


class _Desk:
    """Shared state of the thread that reads orders and the thread that runs jobs."""

    def __init__(self) -> None:
        self.orders: queue.Queue[str] = queue.Queue()
        self.ended = threading.Event()
        self.worker: Worker | None = None

    def read(self) -> None:
        """Read orders until the input ends. Then end this process, unless its job outlives the server."""
        left = b""
        while part := os.read(0, 65_536):  # not sys.stdin: a thread waiting in it crashes Python's exit
            *lines, left = (left + part).split(b"\n")
            for line in lines:
                self.orders.put(line.decode())
        self.ended.set()
        kind = self.worker.current if self.worker is not None else None
        if kind is None or not kind.outlives:
            os._exit(0)


def work_in_process() -> int:
    """Run jobs as ordered through the standard input."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # output of other code must not count as a reply
    logs.configure(settings_from(os.environ, Path.cwd()))
    desk = _Desk()
    threading.Thread(target=desk.read, name="orders", daemon=True).start()
    nice: int | None = None
    while not desk.ended.is_set():
        try:
            order = json.loads(desk.orders.get(timeout=IDLE_SECONDS))
        except queue.Empty:
            break
        lane = Lane(order["lane"])
        if nice is None:
            nice = os.nice(NICE[lane])
        _work_off(desk, order, lane)
        _tell(replies)
    return 0


def _work_off(desk: _Desk, order: Any, lane: Lane) -> None:
    home = Path(order["home"])
    settings = replace(settings_from(os.environ, Path.cwd()), home=home, database_url=order["url"])
    store = open_store(order["url"], home, connections=CONNECTIONS)
    try:
        worker = Worker(store, home, settings, KINDS, lane, leave=lambda: os._exit(0), stop=desk.ended.is_set)
        desk.worker = worker
        worker.work_off()
    finally:
        desk.worker = None
        store.close()


def _tell(replies: TextIO) -> None:
    with suppress(BrokenPipeError):
        replies.write(f"{IDLE}\n")
        replies.flush()


if __name__ == "__main__":
    sys.exit(work_in_process())
