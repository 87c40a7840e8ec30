"""``touchstone demo``: build a project of made-up data to try Touchstone with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel
from app.commands.progress import shown_progress
from domain.errors import ConflictError

if TYPE_CHECKING:
    from app.services import Resources


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.command("demo", rich_help_panel=Panel.START)(demo)


def demo(
    reset: Annotated[
        bool,
        typer.Option(
            "--reset", help="Make it again, where the database holds nothing but the demo. Stop the server first."
        ),
    ] = False,
    questions: Annotated[
        bool, typer.Option("--questions", help="Also a small project with a question of every kind, to try them.")
    ] = False,
) -> None:
    """Make the demo project (drawn images, invented people and models) if it is not there yet."""
    from app.services import resources
    from examples import demo as example

    shared = resources()
    shared.store.upgrade()
    typer.echo(f"Touchstone: everything is kept in {shared.settings.home}")
    if example.complete(shared.store) and not reset:
        _also(shared, questions)
        typer.echo("The demo project (made-up data) is there already. Start the screens with: touchstone serve")
        return
    if reset or example.exists(shared.store):  # an interrupted build is also repeated
        _forget(shared)
    typer.echo("Making the demo project (made-up data); this takes about fifteen seconds.")
    with shown_progress() as show:
        example.build(shared.store, shared.media, progress=show)
    _also(shared, questions)
    typer.echo("The demo project (made-up data) is ready. Start the screens with: touchstone serve")


def _also(shared: Resources, wanted: bool) -> None:
    """Build the project with questions of every kind, if ``wanted`` and not built yet."""
    from examples import questions

    if wanted and not questions.exists(shared.store):
        n_items = questions.build(shared.store, shared.media)
        typer.echo(f"The project {questions.PROJECT} (made-up data) has {n_items} items, and the demo's people.")


def _forget(shared: Resources) -> None:
    """Delete the database if it holds only the demo. Other projects and accounts are never deleted."""
    from examples import demo as example
    from examples import questions
    from workflow.access import accounts, projects

    ours = {member.login for member in example.PEOPLE} | {"admin"}
    others = [
        view.name
        for view in projects.all_projects(shared.store)
        if view.name not in (example.PROJECT, questions.PROJECT)
    ]
    people = [person.login for person in accounts.active_accounts(shared.store) if person.login not in ours]
    if others or people:
        raise ConflictError(
            f"The database in {shared.settings.home} holds more than the demo ({', '.join([*others, *people])}), and "
            "nothing that was submitted is ever deleted. For a fresh demo set TOUCHSTONE_HOME to another folder."
        )
    if not shared.store.is_sqlite:
        raise ConflictError(
            "The demo can be made anew only in an SQLite file. Make an empty PostgreSQL database instead."
        )
    shared.store.close()
    path = shared.store.engine.url.database or ""
    for ending in ("", "-wal", "-shm"):
        Path(path + ending).unlink(missing_ok=True)
    shared.store.upgrade()
