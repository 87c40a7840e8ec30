"""Do a job in a command, with its progress on standard error, or follow it while another process does it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import typer

from domain.errors import ConflictError

if TYPE_CHECKING:
    from app.services import Resources
    from domain.jobs import Job

LOOK_SECONDS = 0.5
"""Seconds between two looks at a job of another process."""


def work(shared: Resources, *, kind: str, slot: str, project: str | None, input: Any, signals: Sequence[int]) -> Job:
    """Begin a job and do it here, or continue the same open job. Return the job when it has ended.

    A signal cancels the job. A job of the slot that no process does, with another input, is canceled first.
    """
    from app.jobs.kinds import KINDS
    from workflow.jobs import working

    store, settings = shared.store, shared.settings
    working.free_dead(store, KINDS)
    job = _begun(store, kind=kind, slot=slot, by=None, project=project, input=input)
    typer.echo(f"Job {job.id}. Ctrl+C cancels the job. To continue, run the same command again.", err=True)
    canceled = lambda: bool(signals)  # noqa: E731
    working.do_here(store, settings.home, settings, KINDS, id=job.id, canceled=canceled, hear=_tell)
    return _followed(shared, job.id, signals)


def _begun(store: Any, **about: Any) -> Job:
    from domain.jobs import JobState
    from workflow.jobs import desk

    try:
        return desk.begin(store, **about)
    except desk.SlotConflict as error:
        if error.job.state is not JobState.WAITING:
            raise ConflictError(
                f"The job {error.job.id} already writes to the same destination with other options. Wait until the "
                f"job ends, or cancel the job: touchstone job cancel {error.job.id}."
            ) from error
        desk.cancel(store, id=error.job.id)
        return desk.begin(store, **about)


def _tell(what: str, done: int, of: int) -> None:
    typer.echo(f"   {what}", err=True)


def _followed(shared: Resources, id: str, signals: Sequence[int]) -> Job:
    from workflow.jobs import desk

    step = ""
    while (job := desk.job(shared.store, id=id)).is_open:
        if signals and not job.canceling:
            with suppress(ConflictError):
                desk.cancel(shared.store, id=id)
        if job.at not in ("", step):
            step = job.at
            _tell(step, job.done, job.of)
        time.sleep(LOOK_SECONDS)
    return job
