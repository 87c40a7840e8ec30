"""``touchstone comparison show``: draw the pairs of models' answers that people compare."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group


def register(cli: typer.Typer) -> None:
    """Add the command of this module."""
    find_group(cli, "comparison", Panel.PEOPLE, "Show or open the pairs of answers that people compare.").command(
        "show"
    )(comparison)


def comparison(
    project: Annotated[str, typer.Argument(help="The project.")],
    open_: Annotated[
        bool,
        typer.Option(
            "--open", help="Open the pairs for comparison. Without this option, the command only shows the progress."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a sentence.")] = False,
) -> None:
    """Show which pairs of models' answers people compare, and the progress. --open gives out the tasks.

    Example: touchstone comparison show demo --open
    """
    from app.services import opened
    from extensions.preferences import pair_intake

    shared = opened()
    if open_:
        done = pair_intake.open_pairs(shared.store, by=None, project=project)
        typer.echo(f"{done.opened:,} {'pair' if done.opened == 1 else 'pairs'} opened.", err=as_json)
    preview_pairs = pair_intake.preview_pairs(shared.store, by=None, project=project)
    typer.echo(
        json.dumps({**asdict(preview_pairs), "sentence": preview_pairs.sentence}) if as_json else preview_pairs.sentence
    )
