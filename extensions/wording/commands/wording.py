"""``touchstone wording``: list the items that break the schema's wording rules."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.commands.options import ProjectName


def register(cli: typer.Typer) -> None:
    """Add the subcommand."""
    cli.command("wording")(wording)


def wording(
    project: ProjectName,
    field: Annotated[str | None, typer.Option(help="Rules of this field alone.")] = None,
    rule: Annotated[str | None, typer.Option(help="This rule alone, such as ends_with.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the lines into this file.", metavar="FILE.csv")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of lines.")] = False,
) -> None:
    """List the items whose texts break the schema's rules of wording, and how many break each. It shows keys: for
    leads. Rejected items are left out."""
    from app.services import opened
    from exporters.writing import write_files
    from extensions.wording import wording_list

    found = wording_list.unheld(opened().store, by=None, project=project, field=field, rule=rule)
    if out is not None:
        write_files({out: wording_list.as_csv(found).encode()})
        print(f"{len(found.lines):,} lines written to {out}.", file=sys.stderr)
    if as_json:
        typer.echo(json.dumps(wording_list.as_json(found), indent=2, ensure_ascii=False))
        return
    if not found.rules:
        typer.echo(f"{found.title}: its schema has no rules of wording (`wording` of a field).")
        return
    verb = "breaks" if found.n_unheld == 1 else "break"
    typer.echo(f"{found.title}: {found.n_unheld:,} of {found.n_items:,} items {verb} a rule of wording.")
    for each in found.rules:
        typer.echo(f"  {each.field}, {each.words}{', stops' if each.stops else ''}: {each.n_items:,}")
    if out is None:
        for line in found.lines:
            typer.echo(f"{line.item} ({line.state}), {line.field}, {line.rule}: {line.sentence}")
