"""``touchstone scorecard`` and ``touchstone paysheet``: tables of the work that people did."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from db.engine import Store

Out = Annotated[Path | None, typer.Option(help="Where to write; by default standard output.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.command("scorecard")(scorecard)
    cli.command("paysheet")(paysheet)


def scorecard(project: Annotated[str, typer.Argument(help="The project.")], out: Out = None) -> None:
    """How everyone works, by stage: pace, agreement with peers and with seniors, skips; and the same over time."""
    from extensions.scorecards.cards import scorecards
    from extensions.scorecards.csv_tables import as_csv

    _write(as_csv(scorecards(_store(), by=None, project=project)), out)


def paysheet(
    project: Annotated[str, typer.Argument(help="The project.")],
    since: Annotated[datetime | None, typer.Option(help="The first day, in UTC.", formats=["%Y-%m-%d"])] = None,
    until: Annotated[datetime | None, typer.Option(help="The last day, in UTC.", formats=["%Y-%m-%d"])] = None,
    out: Out = None,
) -> None:
    """Items and active minutes of everyone, by stage: a correction is no second item, but its minutes count."""
    from extensions.scorecards import pay_sheet
    from extensions.scorecards.csv_tables import pay_csv

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
