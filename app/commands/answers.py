"""``touchstone answers``: read models' answers by rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Project = Annotated[str, typer.Argument(help="The project.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    answers = typer.Typer(help="What models' answers state, and who reads it.", no_args_is_help=True)
    cli.add_typer(answers, name="answers")
    answers.command("read")(read)
    answers.command("reread")(reread)


def read(
    file: Annotated[Path, typer.Argument(help="JSON Lines: one answer a line.", metavar="FILE.jsonl")],
) -> None:
    """Read the answers in a file. For each line, print its id, outcome, value, the words that were read and the rule.

    A line is a JSON object with `kind` (option, multi, order, yes_no, number or text), `answer`, `options` (a list of
    texts, for the first three), and where known `id`, `unit`, `finish_reason` and `expected`: a list of all acceptable
    readings, {"read": VALUE}, {"outcome": "unreadable"} or {"outcome": "refused"}. If lines have `expected`, the last
    line of the output counts the lines that match. No project is needed.
    """
    from app.commands import answer_cases, case_files

    case_files.print_cases(file, answer_cases.reading_of)


def reread(project: Project) -> None:
    """Read all answers again, after the rules or the protocol changed. Earlier readings are kept."""
    from app.commands.runs_in_terminal import opened
    from workflow.annotate import answer_readings

    seen, new = answer_readings.read_again(opened().store, by=None, project=project)
    typer.echo(f"{seen:,} answers looked at, {new:,} new readings.")
