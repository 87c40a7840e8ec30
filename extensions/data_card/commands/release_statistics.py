"""``touchstone release describe``: print the statistics of a set, as papers report them about their benchmarks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import find_group
from app.commands.options import CountedItems, ProjectName


def register(cli: typer.Typer) -> None:
    """Add the subcommand to those of ``touchstone release``."""
    find_group(cli, "release").command("describe")(statistics)


def statistics(
    project: ProjectName,
    items: CountedItems = None,
    out: Annotated[
        Path | None, typer.Option(help="Write every number with its definition to this CSV file.", metavar="FILE.csv")
    ] = None,
) -> None:
    """Describe the items by dimension: media, text lengths, answer types, goals and shortcuts, as papers report them.

    Example: touchstone release describe demo
    """
    from app.services import opened
    from exporters.writing import write_files
    from extensions.data_card.set_statistics import as_csv, set_statistics
    from reports import markdown

    figures = set_statistics(opened().store, by=None, project=project, items_=items)
    if out is not None:
        write_files({out: as_csv(figures).encode()})
        print(f"{figures.title}: {figures.which} Numbers written to {out}.", file=sys.stderr)
        return
    typer.echo(f"{figures.title}. {figures.which}\n")
    for table in figures.tables:
        typer.echo("\n".join(markdown.table_lines(table)))
        typer.echo("")
    for note in figures.notes:
        typer.echo(note)
