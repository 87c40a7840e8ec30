"""``touchstone preference show``: report how often people prefer one model's answer to another's."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import CountedItems
from app.commands.results import Format


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(cli, "preference", Panel.RESULTS, "Show how often people prefer each model's answers.")
    group.command("show")(preferences)


def preferences(
    project: Annotated[str, typer.Argument(help="The project.")],
    by: Annotated[
        str,
        typer.Option(
            help="Compare within slices: dimension, group, source, a field, or any value of --by in `touchstone "
            "result show`.",
            metavar="FIELD",
        ),
    ] = "dimension",
    cluster: Annotated[
        str | None,
        typer.Option(
            help=(
                "How to group dependent items for the intervals: source, a field, or none. Default: "
                "source, if items have a source."
            ),
            metavar="FIELD",
        ),
    ] = None,
    items: CountedItems = None,
    format: Annotated[Format, typer.Option(help="The output format.")] = Format.TABLE,
) -> None:
    """Show how often people prefer each model's answers, each model's strength, and how far people agree.

    Example: touchstone preference show demo
    """
    from app.services import opened
    from extensions.preferences import preference_files
    from extensions.preferences.preference_figures import preference_figures

    shared = opened()
    figures = preference_figures(shared.store, project=project, items=items, by=by, together=cluster)
    if format is not Format.TABLE and figures.counting is not None:
        print(f"Counted: {figures.counting.sentence}", file=sys.stderr)
    if format is Format.CSV:
        typer.echo(preference_files.as_csv(figures), nl=False)
    elif format is Format.JSON:
        typer.echo(json.dumps(preference_files.as_json(figures), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo("\n".join(preference_files.as_text(figures)))
