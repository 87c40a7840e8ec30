"""Record the long task of a command as a job: ``touchstone job`` lists it, shows its progress and cancels it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import typer

from app.commands.progress import shown_progress
from domain.errors import ConflictError, TouchstoneError
from domain.jobs import JobState, Progress

if TYPE_CHECKING:
    from app.services import Resources
    from workflow.jobs.kinds import JobContext, JobOutcome

T = TypeVar("T")

CANCELED_ELSEWHERE = "`touchstone job cancel` canceled this command. Touchstone discarded partial results."


def recorded(shared: Resources, command: str, project: str | None, task: Callable[[Progress], T]) -> T:
    """Execute a task in this process while a row of ``jobs`` shows it, and return its result.

    The task receives a function for its progress, which is also shown on a terminal. If the process dies, the job ends
    with this reason; nothing repeats it.

    Parameters
    ----------
    command
        The command's name for those who read the row, without ``touchstone``: ``project import``.

    Raises
    ------
    ConflictError
        The job was canceled elsewhere.
    Exception
        Every error of the task. The job failed with its text.
    """
    from app.jobs.commands import COMMAND
    from app.jobs.kinds import KINDS
    from workflow.jobs import desk
    from workflow.jobs.kinds import JobFailure, JobOutcome, Lane
    from workflow.jobs.working import Worker

    results: list[T] = []
    errors: list[BaseException] = []

    def work(context: JobContext) -> JobOutcome:
        with _interrupts(errors), shown_progress() as show:

            def progress(what: str, done: int, of: int) -> None:
                context.progress(what, done, of)
                show(what, done, of)

            try:
                results.append(task(progress))
            except TouchstoneError as error:
                errors.append(error)
                raise
            except Exception as error:
                errors.append(error)
                raise JobFailure(f"{type(error).__name__}: {error}", None) from error
        return JobOutcome(f"touchstone {command} has ended.")

    store, settings = shared.store, shared.settings
    kinds = {**KINDS, COMMAND.name: replace(COMMAND, work=work)}
    slot = f"command:{secrets.token_hex(8)}"  # commands do not exclude each other
    job = desk.begin(
        store,
        kind=COMMAND.name,
        slot=slot,
        by=None,
        project=project,
        of_project=False,
        input={"command": f"touchstone {command}"},
    )
    worker = Worker(store, settings.home, settings, kinds, Lane.COMMANDS, leave=_leave, canceled=lambda: bool(errors))
    row = worker.take(public_id=job.id)
    if row is not None:
        worker.do(row)
    if errors:
        raise errors[0]
    if not results:
        assert desk.job(store, id=job.id).state is JobState.CANCELED
        raise ConflictError(CANCELED_ELSEWHERE)
    return results[0]


def _leave() -> None:
    """End a command that reports no progress, and so cannot be stopped in any other way."""
    typer.echo(f"\ntouchstone: {CANCELED_ELSEWHERE}", err=True)
    os._exit(1)


@contextmanager
def _interrupts(errors: list[BaseException]) -> Iterator[None]:
    """End the job as canceled after Ctrl+C, and keep the interrupt for the command."""
    from workflow.jobs.working import Cancellation

    try:
        yield
    except KeyboardInterrupt as error:
        errors.append(error)
        raise Cancellation from error
