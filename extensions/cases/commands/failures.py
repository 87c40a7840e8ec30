"""``failure show``: count the faults that people coded in models' answers, and send more answers to coding."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import CountedItems
from app.commands.results import Format

if TYPE_CHECKING:
    from extensions.cases.failures import Count, Failures


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    find_group(cli, "failure", Panel.RESULTS, "Show the failures in models' answers.").command("show")(failures)


def failures(
    project: Annotated[str, typer.Argument(help="The project.")],
    send: Annotated[
        bool,
        typer.Option(
            "--send", help=("Send the answers selected by `coding: of` in the schema to coding, then count failures.")
        ),
    ] = False,
    outputs: Annotated[
        int | None,
        typer.Option(help="With --send: the new number of answers in the planned sample.", metavar="NUMBER", min=1),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            help=(
                "Also write coded answers to this CSV file, with the settled codes and each coder's "
                "codes. Coders have pseudonyms."
            ),
            metavar="FILE.csv",
        ),
    ] = None,
    items: CountedItems = None,
    format: Annotated[Format, typer.Option(help="The output format.")] = Format.TABLE,
) -> None:
    """Show how often each model fails in which way, by dimension, with intervals.

    Example: touchstone failure show demo
    """
    if outputs is not None and not send:
        raise typer.BadParameter("--outputs needs --send.")
    from app.services import opened
    from exporters.writing import write_files
    from extensions.cases import coding_intake, failure_files
    from extensions.cases import failures as codes
    from extensions.cases.coding import CodingProgress

    shared = opened()
    if send:
        sent = coding_intake.open_coding(shared.store, by=None, project=project, outputs=outputs)
        print(sent.sentence, file=sys.stderr)
    coded = codes.failures(shared.store, person=None, project=project, items=items)
    if answers is not None:
        write_files({answers: failure_files.answers_csv(coded).encode()})
        print(f"Coded answers written to {answers}: {len(coded.answers)}", file=sys.stderr)
    if format is not Format.TABLE:
        counted = f"Counted: {coded.counting.sentence} " if coded.counting is not None else ""
        print(f"{counted}{coded.sentence}", file=sys.stderr)
    if format is Format.CSV:
        typer.echo(failure_files.as_csv(coded), nl=False)
    elif format is Format.JSON:
        summary = {
            "project": coded.project,
            "answers": len(coded.answers),
            "standing": {progress.value: coded.standing(progress) for progress in CodingProgress},
            "counts": failure_files.rows(coded),
        }
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo("\n".join(table(coded)))


def table(found: Failures) -> Iterator[str]:
    """Yield the counts as lines for people: one block for each criterion."""
    if found.counting is not None:
        yield found.counting.sentence
    yield found.sentence
    for criterion in dict.fromkeys(count.criterion for count in found.counts):
        mine = [count for count in found.counts if count.criterion == criterion]
        models, parts = max(len(count.model) for count in mine), max(len(count.dimension or "all") for count in mine)
        codes = max(len(count.code or "no code") for count in mine)
        yield ""
        yield criterion
        yield f"  {'':<{models}}  {'':<{parts}}  {'':<{codes}}      n  settled  share  95 % interval"
        for count in mine:
            name = f"  {count.model:<{models}}  {count.dimension or 'all':<{parts}}  {count.code or 'no code':<{codes}}"
            yield f"{name}  {count.n:>5}  {count.of:>7}  {_share(count)}"


def _share(count: Count) -> str:
    return f"{count.share:.3f}  {count.low:.3f} to {count.high:.3f}" if count.of else "-"
