"""Jobs done in processes that are killed at a moment of their work.

A moment is a transaction that the process is about to write, or progress that it tells.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from typing import Any

from app.jobs.kinds import KINDS
from app.services import Services
from db.engine import Store, open_store
from domain.settings import Settings
from testkit.forked import PRELOADED
from workflow.jobs import working
from workflow.jobs.kinds import Lane
from workflow.jobs.working import Worker

MOMENTS = (0, 2, 4, 7, 11)


def work_until(url: str, home: Path, moment: int) -> None:
    """Do jobs, and kill this process at its n-th moment."""
    left = moment

    def count(*_: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    store = open_store(url, home)
    worker = Worker(store, home, Settings(home, url), KINDS, Lane.TASKS)
    row = next((row for lane in Lane if (row := Worker(store, home, worker.settings, KINDS, lane).take())), None)
    assert row is not None
    write, tell = Store.write, working._JobAttempt._progress

    def counted_write(self: Store, **how: Any) -> Any:
        count()
        return write(self, **how)

    def counted_tell(self: Any, *told: Any) -> None:
        count()
        tell(self, *told)

    Store.write = counted_write  # type: ignore[method-assign]
    working._JobAttempt._progress = counted_tell  # type: ignore[method-assign, assignment]
    worker.do(row)


def own_process(work: Callable[..., None], *about: Any) -> BaseProcess:
    """Start a process without the threads of this one: a fork of it would hang at times."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED, __name__, work.__module__])
    process = context.Process(target=work, args=about)
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")  # a page drawn here would be drawn again there, as its main module
    try:
        process.start()
    finally:
        sys.modules["__main__"] = main
    return process


def killed_at(services: Services, moment: int) -> bool:
    """Do a job in a process that is killed at a moment. Return False if it ended before."""
    about = (_url(services), services.settings.home, moment)
    child = own_process(work_until, *about)
    child.join()
    assert child.exitcode in (0, -signal.SIGKILL)
    return bool(child.exitcode)


def _url(services: Services) -> str:
    return services.store.engine.url.render_as_string(hide_password=False)


def work_off(services: Services) -> None:
    for lane in Lane:
        Worker(services.store, services.settings.home, services.settings, KINDS, lane).work_off()
