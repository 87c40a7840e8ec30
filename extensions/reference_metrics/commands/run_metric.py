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
    group = find_group(cli, "metric", Panel.MODELS, "Compare answers with a reference, for example with ROUGE-L.")
    group.command("run")(metric)
    group = find_group(cli, "similarity", Panel.MODELS, ("Measure the similarity of two text fields in each item."))
    group.command("run")(similarity)


def metric(
    project: Annotated[str, typer.Argument(help="The project.")],
    name: Annotated[
        str,
        typer.Option("--metric", help="The metric: rouge_l, rouge_1, rouge_2, bleu, chrf, token_f1 or exact_match."),
    ],
    reference: Annotated[
        str | None,
        typer.Option(help="The field to compare answers with. Default: the annotated answer."),
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option(
            help=("The grading criterion to compare the metric with. Required if the schema has several criteria.")
        ),
    ] = None,
    items: CountedItems = None,
) -> None:
    """Compute a text metric of models' answers against a reference. The metric becomes a rater, like a judge.

    Run the command again to add new items.

    Example: touchstone metric run demo --metric rouge_l
    """
    from extensions.reference_metrics.measuring import measure

    measured = measure(
        opened().store, by=None, project=project, name=name, reference=reference, criterion=criterion, items=items
    )
    made = measured.metric
    by = f"{made.library} {made.library_version}" if made.library else "our own code"
    settings = json.dumps(dict(made.settings), ensure_ascii=False)
    typer.echo(
        f"{measured.name}, compared with {measured.criterion}. Answers measured: {measured.new}. Answers already "
        f"measured: {measured.known}."
    )
    typer.echo(f"  {measured.counted.sentence}")
    typer.echo(f"  by {by}, {settings}")
    typer.echo(
        f"  answers with a metric value: {measured.scored} of {measured.scored + sum(measured.left_out.values())}"
    )
    for why, n in measured.left_out.items():
        typer.echo(f"  without a number: {n} ({why})")


def similarity(
    project: Annotated[str, typer.Argument(help="The project.")],
    of: Annotated[
        str,
        typer.Option(help="Two text fields of an item, joined by ~, such as question~answer.", metavar="FIELD~FIELD"),
    ],
    model: Annotated[Path, typer.Option(help="The folder of a text model, such as roberta-large.", metavar="DIR")],
    layer: Annotated[
        int | None,
        typer.Option(help="The model layer to take the vectors from, counted from 0. Default: the last layer."),
    ] = None,
    name: Annotated[str, typer.Option(help="Store the result as a label with this name.")] = "bertscore",
) -> None:
    """Compute the BERTScore similarity of two texts of each item, and store it as a label.

    `touchstone result show --by` can then split scores by it.

    Example: touchstone similarity run demo --of question~answer --model roberta-large
    """
    from extensions.reference_metrics.similarity_labels import measure

    first, _, second = of.partition("~")
    measured = measure(
        opened().store, by=None, project=project, fields=(first, second), folder=model, layer=layer, name=name
    )
    typer.echo(
        f"{measured.name} of {of}. Items measured: {measured.new}. Unchanged: {measured.known}. Without a text: "
        f"{measured.without}."
    )
    typer.echo(f"  by {json.dumps(dict(measured.about), ensure_ascii=False)}")
    typer.echo(f"  To split scores by this label, run: touchstone result show {project} --by {measured.name} --bins 3")
