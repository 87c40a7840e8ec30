"""``touchstone metric run`` and ``similarity run``: compute numbers for models' answers and items from their texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import CountedItems
from app.commands.runs_in_terminal import opened


def register(cli: typer.Typer) -> None:
    """Add the subcommands to ``touchstone run``."""
    group = find_group(cli, "metric", Panel.MODELS, "Compare answers with a reference, such as by ROUGE-L.")
    group.command("run")(metric)
    group = find_group(cli, "similarity", Panel.MODELS, "Measure how similar two texts of each item are.")
    group.command("run")(similarity)


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
    items: CountedItems = None,
) -> None:
    """Measure models' answers against a reference; the numbers are a rater's. Run the command again later to add new
    items.
    """
    from extensions.reference_metrics.measuring import measure

    measured = measure(
        opened().store, by=None, project=project, name=name, reference=reference, criterion=criterion, items=items
    )
    made = measured.metric
    by = f"{made.library} {made.library_version}" if made.library else "our own code"
    settings = json.dumps(dict(made.settings), ensure_ascii=False)
    typer.echo(
        f"{measured.name}, next to {measured.criterion}: {measured.new} answers measured, {measured.known} as they were"
    )
    typer.echo(f"  {measured.counted.sentence}")
    typer.echo(f"  by {by}, {settings}")
    typer.echo(f"  {measured.scored} of {measured.scored + sum(measured.left_out.values())} have a number")
    for why, n in measured.left_out.items():
        typer.echo(f"  {n} have none: {why}")


def similarity(
    project: Annotated[str, typer.Argument(help="The project.")],
    of: Annotated[str, typer.Option(help="Two texts of an item, such as question~answer.", metavar="FIELD~FIELD")],
    model: Annotated[Path, typer.Option(help="The folder of a model of texts, such as roberta-large.", metavar="DIR")],
    layer: Annotated[
        int | None, typer.Option(help="Whose vectors are compared, counted from 0; by default the last.")
    ] = None,
    name: Annotated[str, typer.Option(help="What the label of the items is called.")] = "bertscore",
) -> None:
    """Measure the similarity of two texts of each item by BERTScore. Then `result show --by` can split scores by it."""
    from extensions.reference_metrics.similarity_labels import measure

    first, _, second = of.partition("~")
    measured = measure(
        opened().store, by=None, project=project, fields=(first, second), folder=model, layer=layer, name=name
    )
    typer.echo(
        f"{measured.name} of {of}: {measured.new} items measured, "
        f"{measured.known} as they were, {measured.without} without"
    )
    typer.echo(f"  by {json.dumps(dict(measured.about), ensure_ascii=False)}")
    typer.echo(f"  cut by it: touchstone result show {project} --by {measured.name} --bins 3")
