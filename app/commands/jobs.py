"""``touchstone job``: list, show, cancel and repeat the server's long tasks."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group
from domain.errors import ConflictError

if TYPE_CHECKING:
    from domain.jobs import Job

Id = Annotated[str, typer.Argument(help="The job's ID. `touchstone job list` shows it.", metavar="JOB")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    job = find_group(
        cli, "job", Panel.SERVER, "List, cancel and retry long-running jobs, such as imports, releases and runs."
    )
    for command in (list_, show, cancel, retry):
        job.command(command.__name__.rstrip("_"))(command)


def list_(
    project: Annotated[str | None, typer.Argument(help="Only jobs of this project.")] = None,
    kind: Annotated[
        list[str] | None, typer.Option(help="Only jobs of this kind, such as import. Repeat the option for more kinds.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Only jobs that are waiting or running.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="List at most this many jobs, newest first.")] = 50,
) -> None:
    """List long tasks of the server, newest first: imports, releases, copies, deletions, figures, runs and mail.

    Example: touchstone job list --open
    """
    from app.services import opened
    from workflow.jobs import desk

    store = opened().store
    jobs = desk.list_jobs(store, project=project, kinds=kind or (), only_open=open_, limit=limit)
    logins = desk.logins(store, jobs)
    for job in jobs:
        by = logins.get(job.person or 0, "-")
        cells = [job.id, job.kind, job.project or "-", by, job.state.value, _moment(job.created_at), _how_far(job)]
        typer.echo("  ".join(cells))
    if not jobs:
        typer.echo("No jobs.")


def show(id: Id) -> None:
    """Show a job: who started it, its progress and its result.

    Example: touchstone job show JOB
    """
    from app.services import opened
    from workflow.jobs import desk

    store = opened().store
    job = desk.job(store, id=id)
    by = desk.logins(store, [job]).get(job.person or 0, "-")
    for name, value in (
        ("job", job.id),
        ("kind", job.kind),
        ("project", job.project or "-"),
        ("started by", by),
        ("state", job.state.value + (", is being canceled" if job.canceling and job.is_open else "")),
        ("progress", _how_far(job) if job.is_open else "-"),
        ("outcome", "-" if job.is_open else job.said or "-"),
        ("process", job.worker or "-"),
        ("attempts", str(job.attempts)),
        ("created", _moment(job.created_at)),
        ("started", _moment(job.started_at)),
        ("ended", _moment(job.ended_at)),
        ("input", json.dumps(job.told, ensure_ascii=False)),
    ):
        typer.echo(f"{name:<9} {value}")


def cancel(id: Id) -> None:
    """Cancel a job. Partial results are discarded.

    Example: touchstone job cancel JOB
    """
    from app.services import opened
    from workflow.jobs import desk

    job = desk.cancel(opened().store, id=id)
    typer.echo(f"{id} is being canceled. The job ends within seconds." if job.is_open else f"{id} is canceled.")


def retry(id: Id) -> None:
    """Start a failed or canceled job again. A running server or worker does it.

    Example: touchstone job retry JOB
    """
    from app.jobs.commands import COMMAND
    from app.services import opened
    from workflow.jobs import desk

    store = opened().store
    if desk.job(store, id=id).kind == COMMAND.name:
        raise ConflictError("This job belongs to a command. Run the command again.")
    job = desk.retry(store, id=id)
    typer.echo(f"{job.id} is waiting. A server or worker starts the job within seconds.")


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at is not None else "-"


def _how_far(job: Job) -> str:
    from app.jobs.kinds import KINDS
    from domain import extensions

    if not job.is_open:
        return job.said.splitlines()[0] if job.said else "-"
    if job.kind not in KINDS:
        ours = extensions.missing("jobs", job.kind)
        return (
            f"waits. {ours}"
            if ours
            else "waits for an extension that is not installed; install the extension, or cancel the job"
        )
    n = f", {job.done:,} of {job.of:,}" if job.of > 1 else ""
    return f"{job.at or 'begins'}{n}" if job.worker else "waits to start"
