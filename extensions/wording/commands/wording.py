"""``touchstone wording check``: list the items that break the schema's wording rules."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import ProjectName
from domain.english import with_noun


def register(cli: typer.Typer) -> None:
    """Add the subcommand."""
    group = find_group(cli, "wording", Panel.ITEMS, "Find items that break the wording rules of the schema.")
    group.command("check")(wording)


def wording(
    project: ProjectName,
    field: Annotated[str | None, typer.Option(help="Check only rules of this field.")] = None,
    rule: Annotated[str | None, typer.Option(help="Check only this rule, such as ends_with.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the list of broken rules to this CSV file.", metavar="FILE.csv")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of lines.")] = False,
) -> None:
    """List the items that break the schema's wording rules, with counts. The output shows keys.

    Example: touchstone wording check demo
    """
    from app.services import opened
    from exporters.writing import write_files
    from extensions.wording import wording_list

    listing = wording_list.unheld(opened().store, by=None, project=project, field=field, rule=rule)
    if out is not None:
        write_files({out: wording_list.as_csv(listing).encode()})
        print(f"{with_noun(len(listing.lines), 'line')} written to {out}.", file=sys.stderr)
    if as_json:
        typer.echo(json.dumps(wording_list.as_json(listing), indent=2, ensure_ascii=False))
        return
    if not listing.rules:
        typer.echo(f"{listing.title}: the schema has no wording rules. To add rules, set `wording` in a field.")
        return
    verb = "breaks" if listing.n_unheld == 1 else "break"
    items = with_noun(listing.n_items, "item")
    typer.echo(f"{listing.title}: {listing.n_unheld:,} of {items} {verb} a wording rule.")
    for wording_rule in listing.rules:
        stops = ", stops" if wording_rule.stops else ""
        typer.echo(f"  {wording_rule.field}, {wording_rule.words}{stops}: {wording_rule.n_items:,}")
    if out is None:
        for line in listing.lines:
            typer.echo(f"{line.item} ({line.state}), {line.field}, {line.rule}: {line.sentence}")
