"""Jobs for front ends: the register of kinds, the processes that run jobs, and how a page shows them.

A page starts a long task with ``begin``. ``processes`` starts the processes, and ``process`` runs in each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.jobs import processes
from app.jobs.kinds import KINDS
from app.services import Services
from domain.jobs import Job
from workflow.jobs import desk, working


def begin(
    services: Services,
    kind: str,
    *,
    slot: str,
    project: str | None = None,
    of_project: bool = True,
    input: Any = None,
    files: Mapping[str, str] | None = None,
    again: bool = True,
    here: bool = False,
) -> Job:
    """Begin a job and make a process run it. A second press of the same job returns the open job.

    ``here``: run the job in this process, for jobs that take no longer than starting another process.

    Raises
    ------
    SlotTaken
        Another job of the slot is open.
    """
    store, home = services.store, services.settings.home

    def start(job: Job) -> None:
        if here:
            working.do_here(store, home, services.settings, KINDS, id=job.id)
        else:
            processes.wake(store, home, kind)

    job = desk.begin(
        store,
        kind=kind,
        slot=slot,
        by=services.person,
        project=project,
        of_project=of_project,
        input=input,
        files=files,
        again=again,
        begun=start,
    )
    return desk.job(store, id=job.id) if here else job
