"""``touchstone answer``: read models' answers again by rules."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.groups import Panel, find_group
from domain.english import with_noun

Project = Annotated[str, typer.Argument(help="The project.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    answer = find_group(cli, "answer", Panel.MODELS, "Read models' answers again, or send answers to refinement.")
    answer.command("read")(read)


def read(project: Project) -> None:
    """Read all stored answers again, after the reading rules or the schema changed. Earlier readings stay.

    Example: touchstone answer read demo
    """
    from app.commands.runs_in_terminal import opened
    from workflow.annotate import answer_readings

    seen, new = answer_readings.read_again(opened().store, by=None, project=project)
    typer.echo(f"Read {with_noun(seen, 'answer')} again: {with_noun(new, 'new reading')}.")
