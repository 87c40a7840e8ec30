"""``touchstone variant show``: compare models' scores on two variants of the same items, pair by pair."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import CountedItems
from app.commands.results import Format, ScoreSource
from domain.errors import InvalidInputError, Problem

if TYPE_CHECKING:
    from extensions.variants.item_pairs import PairedDifference


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(cli, "variant", Panel.RESULTS, "Compare models on two variants of the same items.")
    group.command("show")(variants)


def variants(
    project: Annotated[str, typer.Argument(help="The project.")],
    pair: Annotated[
        str | None,
        typer.Option(
            help="The field or label that the two items of a pair share. Default: the setting `report` in the schema."
        ),
    ] = None,
    variant: Annotated[
        str | None,
        typer.Option(
            help="The field or label that names the variant of an item. Default: the setting `report` in the schema."
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            help="Compare only grades of this criterion. Repeat the option for more criteria. Default: all criteria."
        ),
    ] = None,
    scores: Annotated[
        ScoreSource, typer.Option(help="Compare only scores from the key, from people or from judges.")
    ] = ScoreSource.ALL,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="How to group dependent pairs for the intervals: source, a field, or none. Default: source, if "
            "items have a source.",
            metavar="FIELD",
        ),
    ] = None,
    items: CountedItems = None,
    reader: Annotated[
        str,
        typer.Option(
            help=(
                "Read the answers with only the rules, or also with a second reader, as for `touchstone result show`."
            ),
            metavar="rules|rules+NAME",
        ),
    ] = "rules",
    format: Annotated[Format, typer.Option(help="The output format.")] = Format.TABLE,
) -> None:
    """Show how a change of the items affects each model: the mean difference over pairs, its interval and test.

    Example: touchstone variant show demo --pair scene --variant marks
    """
    from app.services import opened
    from extensions.variants import item_pairs
    from workflow.results import project_answers, score_choices

    shared = opened()
    read = project_answers.read_project(shared.store, person=None, project=project, items=items, reader=reader)
    by = item_pairs.named(read.schema, pair, variant)
    if by is None:
        problem = "Name one field or label for the pair, and another for the variant: --pair NAME --variant NAME."
        raise InvalidInputError([Problem("pair", problem)])
    wanted = score_choices.selected_scores(
        read, kinds=None if scores is ScoreSource.ALL else (scores.value,), criteria=criterion
    )
    rows = item_pairs.differences(read, by, wanted, together=cluster)
    if format is Format.CSV:
        typer.echo(item_pairs.as_csv(rows), nl=False)
    elif format is Format.JSON:
        document = {
            "project": read.project,
            "pair": by.pair,
            "variant": by.variant,
            "rows": [row.as_row() for row in rows],
        }
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        head = [read.counting.sentence, ""] if read.counting is not None else []
        typer.echo("\n".join([*head, *table(item_pairs.titled(read, rows))]))


def table(blocks: Mapping[str, Sequence[PairedDifference]]) -> Iterator[str]:
    """Yield the differences as lines for people: one block for each way of scoring."""
    from domain.replies import counted_reasons
    from extensions.variants.item_pairs import TESTS

    if not blocks:
        yield "There are no pairs to compare. Either no items are variants of each other, or no answer has a score."
    for title, rows in blocks.items():
        yield title
        width = max(len(row.model) for row in rows)
        names = [f"{row.second} less {row.first}" for row in rows]
        wide = max(map(len, names))
        yield f"  {'':<{width}}  {'':<{wide}}   mean    mean  difference  95 % interval     pairs  p (Holm)"
        for row, name in zip(rows, names, strict=True):
            at = row.difference
            if not at.defined:
                yield f"  {row.model:<{width}}  {name:<{wide}}  no pair: {counted_reasons(row.left_out)}"
                continue
            limits = f"{at.low:+.3f} to {at.high:+.3f}" if at.low == at.low else "-"
            p = f"{row.p_adjusted:.4f} ({TESTS[at.test.name]})" if at.test else "-"
            yield (
                f"  {row.model:<{width}}  {name:<{wide}}  {row.means[0]:.3f}   {row.means[1]:.3f}  {at.value:+10.3f}  "
                f"{limits:<16}  {at.n_units:>5}  {p}"
            )
            out = f"; left out: {counted_reasons(row.left_out)}" if row.left_out else ""
            yield f"  {'':<{width}}  higher in {row.higher}, lower in {row.lower}, equal in {row.equal}{out}"
