"""``touchstone pool show``: show the progress of the triage of candidate frames, and export each decision."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group
from domain.errors import InvalidFileError


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    find_group(cli, "pool", Panel.ITEMS, "Images and clips that authors write about.").command("show")(triage)


def triage(
    project: Annotated[str, typer.Argument(help="The project.")],
    out: Annotated[Path | None, typer.Option(help="Write all decisions to this CSV file.")] = None,
) -> None:
    """Show how many images of the pool people kept, dropped and have not seen, with reasons.

    Example: touchstone pool show demo
    """
    from app.services import opened
    from extensions.image_pool import triage_report

    shared = opened()
    total = triage_report.progress(shared.store, by=None, project=project).total
    if out is not None:
        text = triage_report.as_csv(shared.store, by=None, project=project)
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InvalidFileError(
                f"Touchstone cannot write {out}. Nothing was changed. Choose another file."
            ) from error
    typer.echo(f"Frames: {total.left} left, {total.kept} kept, {sum(total.dropped.values())} dropped")
    for reason, n in sorted(total.dropped.items()):
        typer.echo(f"   dropped, {reason}: {n}")
    if total.surplus:
        typer.echo(f"   frames skipped, because their sources are at the limit: {total.surplus}")
