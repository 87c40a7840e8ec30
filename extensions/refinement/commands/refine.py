"""``touchstone answer refine``: have people look at models' answers for second right answers."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.groups import find_group
from app.commands.options import ProjectName
from app.markup import count


def register(cli: typer.Typer) -> None:
    """Add the command of this module."""
    find_group(cli, "answer").command("refine")(refine)


def refine(
    name: ProjectName,
    model: Annotated[str | None, typer.Option(help="Send only answers of this model. Default: all models.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also send answers that contain the annotated answer.")
    ] = False,
) -> None:
    """Have people look for second right answers among models' answers (the stage refinement).

    Example: touchstone answer refine demo --model big-1
    """
    from app.services import opened
    from extensions.refinement.intake import open_refinement

    done = open_refinement(opened().store, by=None, project=name, model=model, only_differing=not everything)
    typer.echo(f"{count(done.opened, 'answer')} of {done.answers:,} sent to refinement.")
