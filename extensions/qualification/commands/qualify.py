"""``touchstone qualification``: make the qualification set of a stage, and show who has passed it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import IDS_IN_FILE, item_ids

if TYPE_CHECKING:
    from db.engine import Store
    from domain.states import Stage

OfStage = Annotated[
    str, typer.Option("--stage", help="The stage of the qualification: a verification stage or grading.")
]
Project = Annotated[str, typer.Argument(help="The project.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(cli, "qualification", Panel.PEOPLE, "Manage the tests that people must pass before a stage.")
    group.command("create")(make_set)
    group.command("list")(status)
    group.command("exempt")(exempt)


def make_set(
    project: Project,
    items: Annotated[
        Path | None, typer.Option(help=f"Use these items instead of drawing a set. {IDS_IN_FILE}", metavar="FILE|-")
    ] = None,
    number: Annotated[
        int | None, typer.Option("--number", "-n", help="Draw this many items. Default: the number in the schema.")
    ] = None,
    requalify: Annotated[
        bool, typer.Option("--requalify", help="People who passed an earlier set must also pass this set.")
    ] = False,
    stage: OfStage = "verification",
) -> None:
    """Create the test that people pass before a stage, from drawn or named items.

    Example: touchstone qualification create demo --number 20
    """
    from extensions.qualification import sets

    names = () if items is None else item_ids(items)
    of = _stage(stage)
    made = sets.make_set(_store(), by=None, project=project, names=names, n=number, requalify=requalify, stage=of)
    thing = "answers" if of == "grading" else "items"
    typer.echo(f"Qualification set {made.number} of {project} has {len(made.items)} {thing}. {made.few}".strip())
    for name in made.items:
        typer.echo(name)


def status(project: Project, stage: OfStage = "verification") -> None:
    """List all attempts at the qualification as CSV.

    Example: touchstone qualification list demo
    """
    from extensions.qualification import results, tries

    typer.echo(
        results.as_csv(tries.tries(_store(), person=None, project=project, stage=_stage(stage))),
        nl=False,
    )


def exempt(
    project: Project,
    login: Annotated[str, typer.Argument(help="The person's login.")],
    why: Annotated[str, typer.Option(help="The reason. It is stored.")],
    stage: OfStage = "verification",
) -> None:
    """Let a person work in a stage without its qualification.

    Example: touchstone qualification exempt demo ann --why "Wrote the guideline."
    """
    from workflow.annotate import qualification

    qualification.exempt(_store(), by=None, project=project, login=login, why=why, stage=_stage(stage))
    typer.echo(f"{login} is now exempt from the qualification in {project}.")


def _stage(name: str) -> Stage:
    from domain.states import VERIFICATIONS, Stage

    if name not in (*VERIFICATIONS, Stage.GRADING):
        raise typer.BadParameter(f"--stage must name a verification stage or grading, not {name!r}.")
    return Stage(name)


def _store() -> Store:
    from app.services import opened

    return opened().store
