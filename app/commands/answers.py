"""``touchstone answers``: read models' answers again by rules."""

from __future__ import annotations

from typing import Annotated

import typer

Project = Annotated[str, typer.Argument(help="The project.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    answers = typer.Typer(help="What models' answers state, and who reads it.", no_args_is_help=True)
    cli.add_typer(answers, name="answers")
    answers.command("reread")(reread)


def reread(project: Project) -> None:
    """Read all answers again, after the rules or the protocol changed. Earlier readings are kept."""
    from app.commands.runs_in_terminal import opened
    from workflow.annotate import answer_readings

    seen, new = answer_readings.read_again(opened().store, by=None, project=project)
    typer.echo(f"{seen:,} answers looked at, {new:,} new readings.")
