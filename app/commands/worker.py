"""``touchstone worker``: start a process that works on runs of models and on repeated jobs."""

from __future__ import annotations

import threading
from typing import Annotated

import typer

from app.commands.groups import Panel
from domain.settings import STORED_IN


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.command("worker", rich_help_panel=Panel.SERVER)(worker)


def worker(
    threads: Annotated[
        int, typer.Option(min=1, help="Process this many runs at the same time. Each run loads its own model.")
    ] = 1,
    share: Annotated[
        bool,
        typer.Option("--share", help="Also help with runs of other workers on this machine."),
    ] = False,
    until_input_ends: Annotated[
        bool,
        typer.Option(
            "--until-input-ends",
            hidden=True,
            help="Stop when standard input ends. A server that starts a worker uses this option.",
        ),
    ] = False,
) -> None:
    """Start another process that does runs of models and repeated jobs.

    `touchstone serve` has one worker. Start more if runs wait, also on other machines.

    Example: touchstone worker --threads 2
    """
    from app.jobs import processes
    from app.jobs.kinds import KINDS
    from app.services import resources
    from app.serving import logs
    from app.supervisor import when_input_ends
    from workflow.runs import work_loop

    shared = resources()
    logs.configure(shared.settings)
    store, home, settings = shared.store, shared.settings.home, shared.settings
    store.upgrade()
    if not until_input_ends:
        typer.echo(f"{STORED_IN} {home}")
        typer.echo("The worker is waiting for runs. Press Ctrl+C to stop the worker.")
    more = [kind for kind in KINDS.values() if kind.repeats(settings)]
    ended = threading.Event()
    if until_input_ends:
        when_input_ends(ended.set)
    with processes.watching(store, home):
        work_loop.serve(store, home, settings, more=more, threads=threads, share=share, leave=ended.is_set)
