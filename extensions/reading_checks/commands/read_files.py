"""``touchstone reading check``: how the rules read the texts in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group


def register(cli: typer.Typer) -> None:
    """Add the subcommand of this module."""
    find_group(cli, "reading", Panel.MODELS, "Test the rules that read answers and replies.").command("check")(check)


def check(
    file: Annotated[Path, typer.Argument(help="A JSON Lines file with one text per line.", metavar="FILE.jsonl")],
    judge: Annotated[
        bool, typer.Option("--judge", help="Read the texts as judges' replies instead of models' answers.")
    ] = False,
) -> None:
    """Read a file of answers by the rules, and print the outcome, value, words and rule of each line.

    Use this to test whether your prompts lead to readable answers. No project is needed, no model is called, and
    nothing is stored. A line for an answer has `kind` (option, multi, order, yes_no, number or text), `answer`,
    `options` for the first three, and optionally `id`, `unit` and `finish_reason`. A line for a judge's reply has `id`,
    `parser`, `values`, `reply` and `finish_reason`. Either may have `expected`, the list of acceptable readings; the
    last line of the output then counts the lines that match.

    Example: touchstone reading check answers.jsonl
    """
    from extensions.reading_checks import answer_cases, case_file, judge_cases

    case_file.print_cases(file, judge_cases.reading_of if judge else answer_cases.reading_of)
