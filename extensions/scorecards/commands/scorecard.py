"""``touchstone scorecard show``: tables of the work that people did."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.groups import Panel, find_group

if TYPE_CHECKING:
    from db.engine import Store

Out = Annotated[Path | None, typer.Option(help="Write to this file instead of standard output.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(cli, "scorecard", Panel.PEOPLE, "Show the pace, agreement and paid hours of each person.")
    group.command("show")(scorecard)


def scorecard(
    project: Annotated[str, typer.Argument(help="The project.")],
    pay: Annotated[
        bool, typer.Option("--pay", help="Show each person's items and active minutes instead, as a basis for pay.")
    ] = False,
    since: Annotated[
        datetime | None, typer.Option(help="With --pay: the first day, in UTC.", formats=["%Y-%m-%d"])
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(help="With --pay: the last day, in UTC.", formats=["%Y-%m-%d"])
    ] = None,
    out: Out = None,
) -> None:
    """Show how each person works, by stage and over time, as CSV: pace, skips, agreement with peers and seniors.

    With --pay, a corrected item counts once, but all of its minutes count.

    Example: touchstone scorecard show demo --pay --since 2026-11-01
    """
    from extensions.scorecards import pay_sheet
    from extensions.scorecards.cards import scorecards
    from extensions.scorecards.csv_tables import as_csv, pay_csv

    if not pay:
        if since or until:
            raise typer.BadParameter("--since and --until need --pay. Add --pay, or remove these options.")
        _write(as_csv(scorecards(_store(), by=None, project=project)), out)
        return
    lines = pay_sheet.pay_sheet(
        _store(),
        by=None,
        project=project,
        since=since.date() if since else None,
        until=until.date() if until else None,
    )
    _write(pay_csv(lines), out)


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8")


def _store() -> Store:
    from app.services import opened

    return opened().store
