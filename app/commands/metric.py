"""``touchstone run metric``: reference metrics over models' answers."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from domain.states import Items


def metric(
    project: Annotated[str, typer.Argument(help="The project.")],
    name: Annotated[
        str,
        typer.Option("--metric", help="Which: rouge_l, rouge_1, rouge_2, bleu, chrf, token_f1 or exact_match."),
    ],
    reference: Annotated[
        str | None,
        typer.Option(
            help="The item's field that answers are compared with; by default the one with the annotated answer."
        ),
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option(help="The criterion of grading that the numbers are compared with, where there are several."),
    ] = None,
    items: Annotated[
        Items | None,
        typer.Option(
            help="Which items count: kept (by verification; the default as soon as there are verdicts) or all."
        ),
    ] = None,
) -> None:
    """Measure models' answers against a reference; the numbers are a rater's. Again later: what is new is added."""
    from app.commands import runs_in_terminal as commands
    from workflow.results import reference_metrics

    shared = commands.opened()
    found = reference_metrics.measure(
        shared.store, by=None, project=project, name=name, reference=reference, criterion=criterion, items=items
    )
    made = found.metric
    by = f"{made.library} {made.library_version}" if made.library else "our own code"
    settings = json.dumps(dict(made.settings), ensure_ascii=False)
    typer.echo(f"{found.name}, next to {found.criterion}: {found.new} answers measured, {found.known} as they were")
    typer.echo(f"  {found.counted.sentence}")
    typer.echo(f"  by {by}, {settings}")
    typer.echo(f"  {found.scored} of {found.scored + sum(found.left_out.values())} have a number")
    for why, n in found.left_out.items():
        typer.echo(f"  {n} have none: {why}")
