"""``touchstone duplicate list``: find near-duplicate items in a project, or between a project and another set."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import CountedItems
from domain.english import with_noun

_SHOWN = 20


def register(cli: typer.Typer) -> None:
    """Add the subcommand."""
    group = find_group(cli, "duplicate", Panel.ITEMS, "Find items that repeat an image or a question.")
    group.command("list")(duplicates)


def duplicates(
    project: Annotated[str, typer.Argument(help="The project ID.")],
    against: Annotated[
        str | None,
        typer.Option(
            help="Compare with another project or with a file of items. Default: compare the items with each other.",
            metavar="PROJECT|FILE",
        ),
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="The format of the file in --against. Default: the format in the schema.")
    ] = None,
    counted: CountedItems = None,
    text: Annotated[float, typer.Option(help="Texts are similar if they share this fraction of their content.")] = 0.8,
    alike: Annotated[
        int,
        typer.Option(help="Images are similar if at most this many of the 64 bits of their perceptual hashes differ."),
    ] = 6,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write every pair to this CSV file.", metavar="FILE.csv")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of lists.")] = False,
) -> None:
    """List pairs of items with similar images, questions or answers, within a project or against another one.

    Use this before a release, so that no item is in two splits. The output shows keys.

    Example: touchstone duplicate list demo
    """
    from app.services import opened
    from exporters.writing import write_files
    from extensions.duplicates import search

    shared = opened()
    place = Path(against) if against is not None and Path(against).exists() else against
    report = search.find_duplicates(
        shared.store,
        shared.media,
        by=None,
        project=project,
        items_=counted,
        against=place,
        format=format,
        text=text,
        bits=alike,
    )
    if out is not None:
        write_files({out: search.as_csv(report).encode()})
        print(f"Pairs written to {out}: {len(report.pairs):,}.", file=sys.stderr)
    if as_json:
        typer.echo(json.dumps(search.as_json(report), indent=2, ensure_ascii=False, allow_nan=False))
        return
    next_to = f" with {report.others:,} of {report.against}" if report.against else " with each other"
    typer.echo(f"{report.title}. {report.which} Compared{next_to}.")
    for kind, words in search.KINDS.items():
        pairs = report.of(kind)
        apart = sum(pair.one.where != pair.other.where for pair in pairs)
        splits = f", {apart:,} across splits" if apart and not report.against else ""
        typer.echo(f"\nPairs with {words}: {len(pairs):,}{splits}")
        for pair in pairs[:_SHOWN]:
            one, other = (f"{side.id} ({side.where})" for side in (pair.one, pair.other))
            typer.echo(f"  {one}  {other}  {pair.said}")
        if len(pairs) > _SHOWN:
            typer.echo(f"  and {with_noun(len(pairs) - _SHOWN, 'more pair')}. To write all pairs, use --out FILE.csv")
    for note in report.notes:
        typer.echo(f"\n{note}")
