"""``touchstone demo``: build a project of made-up data, and serve it to try Touchstone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel
from app.commands.progress import shown_progress
from domain.errors import ConflictError
from domain.language import marked, ngettext
from domain.settings import STORED_IN
from domain.states import Stage

if TYPE_CHECKING:
    from app.services import Resources
    from app.serving.demo_people import DemoOffer


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.command("demo", rich_help_panel=Panel.START)(demo)


def demo(
    reset: Annotated[
        bool,
        typer.Option(
            "--reset", help="Build the demo again. Stop the server first. The database must contain only the demo."
        ),
    ] = False,
    questions: Annotated[
        bool, typer.Option("--questions", help="Also build a small project with a question of every kind.")
    ] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8501,
    start: Annotated[bool, typer.Option("--serve/--no-serve", help="Start a server with the demo.")] = True,
) -> None:
    """Build the demo project (made-up data) and serve it on this machine, to try everything.

    Visitors choose a person on the sign-in page. They need no password, so other machines cannot reach this server.

    Example: touchstone demo --port 8600
    """
    from app.commands import serve
    from app.services import resources
    from examples import demo as example

    if start:
        serve.check_free(serve.LOOPBACK, port)
    shared = resources()
    shared.store.upgrade()
    typer.echo(f"{STORED_IN} {shared.settings.home}")
    if example.complete(shared.store) and not reset:
        typer.echo("The demo project (made-up data) already exists. To build the demo again, add --reset.")
    else:
        if reset or example.exists(shared.store):  # an interrupted build is also repeated
            _forget(shared)
        typer.echo("Touchstone is building the demo project (made-up data), which takes about 15 seconds.")
        with shown_progress() as show:
            example.build(shared.store, shared.media, progress=show)
    _also(shared, questions)
    if start:
        from app.serving import demo_people

        demo_people.offer(_offer())
        serve.run(shared, host=serve.LOOPBACK, port=port)


def _offer() -> DemoOffer:
    """Return what the sign-in page of the demo offers: for each role, a person who has no item in hand."""
    from app.serving.demo_people import DemoOffer, DemoRole
    from examples import demo as example

    def items(n: int) -> str:
        return ngettext("{n} item waits", "{n} items wait", n)

    return DemoOffer(
        example.PROJECT,
        [
            DemoRole(
                "demo-hanna",
                marked("Verifier"),
                marked("Decide whether to keep an item"),
                "/verify",
                Stage.VERIFICATION,
                items,
            ),
            DemoRole(
                "demo-jonas",
                marked("Grader"),
                marked("Grade models' answers"),
                "/grade",
                Stage.GRADING,
                lambda n: ngettext("{n} answer waits", "{n} answers wait", n),
            ),
            DemoRole(
                "demo-dina",
                marked("Author"),
                marked("Write questions about an image"),
                "/author",
                Stage.AUTHORING,
                lambda n: ngettext("{n} item to write", "{n} items to write", n),
            ),
            DemoRole(
                "demo-noor",
                marked("Senior"),
                marked("Settle disagreements between people"),
                "/adjudicate",
                Stage.ADJUDICATION,
                items,
            ),
            DemoRole(
                "demo-mara",
                marked("Lead"),
                marked("Follow progress, compare models and create releases"),
                "/overview",
                None,
                lambda n: ngettext("{n} item kept", "{n} items kept", n),
            ),
        ],
        frozenset(member.login for member in example.PEOPLE),
    )


def _also(shared: Resources, wanted: bool) -> None:
    """Build the project with questions of every kind, if ``wanted`` and not built yet."""
    from examples import questions

    if wanted and not questions.exists(shared.store):
        n_items = questions.build(shared.store, shared.media)
        typer.echo(
            f"The project {questions.PROJECT} (made-up data) has {n_items} items. Its members are people from the demo."
        )


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
            f"The database in {shared.settings.home} contains more than the demo ({', '.join([*others, *people])}). "
            "Touchstone never deletes submissions. For a fresh demo, set TOUCHSTONE_HOME to another folder."
        )
    if not shared.store.is_sqlite:
        raise ConflictError(
            "Touchstone can rebuild the demo only in an SQLite file. With PostgreSQL, use an empty database."
        )
    shared.store.close()
    path = shared.store.engine.url.database or ""
    for ending in ("", "-wal", "-shm"):
        Path(path + ending).unlink(missing_ok=True)
    shared.store.upgrade()
