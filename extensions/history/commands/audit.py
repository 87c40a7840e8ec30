"""``touchstone event list``: print who did what, when and from where."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group
from domain.english import with_noun


class Format(StrEnum):
    """The file formats of the log."""

    CSV = "csv"
    JSONL = "jsonl"


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    find_group(cli, "event", Panel.SERVER, "Show who did what, and when.").command("list")(audit)


def audit(
    project: Annotated[str | None, typer.Argument(help="The project. Default: all projects and the server.")] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            help="Show only events of this kind, such as task.submitted. To select all kinds with a prefix, write the "
            "prefix and a dot, as in `task.`. Repeat the option for more kinds."
        ),
    ] = None,
    person: Annotated[str | None, typer.Option(help="Show only events by this person.", metavar="LOGIN")] = None,
    item: Annotated[str | None, typer.Option(help="Show only events about the item with this ID.")] = None,
    since: Annotated[datetime | None, typer.Option(help="Show only events at or after this time, in UTC.")] = None,
    until: Annotated[datetime | None, typer.Option(help="Show only events up to this time, in UTC.")] = None,
    format: Annotated[
        Format, typer.Option(help="The output format: a table, or one JSON object per line.")
    ] = Format.CSV,
    out: Annotated[Path | None, typer.Option(help="Write the events to this file instead of standard output.")] = None,
) -> None:
    """List who did what and when, newest first.

    Example: touchstone event list demo --person ann
    """
    from app.services import opened
    from extensions.history import log_files
    from workflow.access import audit as log

    shared = opened()
    entries = log.entries(
        shared.store,
        by=None,
        project=project,
        kinds=kind or (),
        who=person,
        item=item,
        since=since.replace(tzinfo=UTC) if since else None,
        until=until.replace(tzinfo=UTC) if until else None,
    )
    text = log_files.as_csv(entries) if format is Format.CSV else log_files.as_jsonl(entries)
    if out is None:
        sys.stdout.write(text)
        return
    out.write_text(text, encoding="utf-8")
    typer.echo(f"{with_noun(len(entries), 'event')} written to {out}")
