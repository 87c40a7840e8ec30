"""``touchstone answers read`` and ``touchstone judge read``: how the rules read the texts in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import find_group


def register(cli: typer.Typer) -> None:
    """Add the subcommand of ``touchstone answers``, and the group ``touchstone judge``."""
    find_group(cli, "answers").command("read")(read_answers)
    judge = typer.Typer(help="How judges' replies are read.", no_args_is_help=True)
    cli.add_typer(judge, name="judge")
    judge.command("read")(read_replies)


def read_answers(
    file: Annotated[Path, typer.Argument(help="JSON Lines: one answer a line.", metavar="FILE.jsonl")],
) -> None:
    """Read the answers in a file. For each line, print its id, outcome, value, the words that were read and the rule.

    A line is a JSON object with `kind` (option, multi, order, yes_no, number or text), `answer`, `options` (a list of
    texts, for the first three), and where known `id`, `unit`, `finish_reason` and `expected`: a list of all acceptable
    readings, {"read": VALUE}, {"outcome": "unreadable"} or {"outcome": "refused"}. If lines have `expected`, the last
    line of the output counts the lines that match. No project is needed.
    """
    from extensions.reading_checks import answer_cases, case_file

    case_file.print_cases(file, answer_cases.reading_of)


def read_replies(
    file: Annotated[
        Path,
        typer.Argument(help="JSON lines, each with id, parser, values, reply and finish_reason; expected if known."),
    ],
) -> None:
    """Read a file of judges' replies with the parsers, and print what each line means.

    This command needs no project, calls no model and stores nothing. If lines have `expected`, the last line of the
    output counts the lines that match, the lines that do not, and the silently wrong ones: a score that is not
    among the expected scores.
    """
    from extensions.reading_checks import case_file, judge_cases

    case_file.print_cases(file, judge_cases.reading_of)
