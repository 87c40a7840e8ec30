"""``touchstone shortcuts``: how far a set can be answered without a look at its images."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.commands.options import CountedItems

_NAMED = 20


def register(cli: typer.Typer) -> None:
    """Add the subcommand."""
    cli.command("shortcuts")(shortcuts)


def shortcuts(
    project: Annotated[str, typer.Argument(help="The project's name.")],
    counted: CountedItems = None,
    items: Annotated[
        Path | None,
        typer.Option("--scores", help="Write every item's score into this file; it tells keys.", metavar="FILE.csv"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of tables.")] = False,
) -> None:
    """How often rules that look at no image are right, how well a classifier does that reads question and options
    alone, and which items give their key away by their text. It tells keys: for leads."""
    from app.services import opened
    from exporters.writing import write_files
    from reports import data_card
    from reports.content import Table
    from workflow.releases import shortcuts as room

    found = room.shortcuts(opened().store, by=None, project=project, items_=counted)
    if items is not None:
        write_files({items: room.as_csv(found).encode()})
        print(f"{len(found.items):,} items written to {items}; they tell keys.", file=sys.stderr)
    if as_json:
        typer.echo(json.dumps(room.as_json(found), indent=2, ensure_ascii=False, allow_nan=False))
        return
    typer.echo(f"{found.title}. {found.which}\n")
    if not found.items:
        typer.echo("No item has options of which one is right: there is nothing to choose from.")
        return
    rules = Table("rules", "Rules that look at no image", ("Rule", "Right"), tuple(found.baselines))
    texts = Table("texts", "A classifier that reads texts alone", ("Dimension", "Right"), tuple(found.text_only))
    for table in (rules, texts, found.balance):
        if table is not None:
            typer.echo("\n".join(data_card.table_lines(table)) + "\n")
    typer.echo(f"An option drawn blindly is right in {100 * (found.chance or 0):.1f} %.")
    typer.echo(f"{len(found.flagged):,} of {len(found.items):,} items give their key away by their text.")
    for each in found.flagged:
        why = "; ".join(each.reasons) or "no single word, many together"
        typer.echo(f"  {each.choice.id}: key {100 * each.p_key:.0f} % likely; {why}")
    if found.skipped:
        more = f" and {len(found.skipped) - _NAMED:,} more" if len(found.skipped) > _NAMED else ""
        typer.echo(f"Left out, without options of which one is right: {', '.join(found.skipped[:_NAMED])}{more}.")
    if found.without_source:
        typer.echo(f"Of {found.without_source:,} items no source is known: each counts as one of its own.")
