"""``touchstone reason export``: export why seniors settled items, and why verifiers skipped."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.groups import Panel, find_group


def register(cli: typer.Typer) -> None:
    """Add the command of this module."""
    group = find_group(
        cli, "reason", Panel.PEOPLE, "Show why senior annotators settled items and why verifiers skipped items."
    )
    group.command("export")(reasons)


def reasons(
    project: Annotated[str, typer.Argument(help="The project.")],
    skips: Annotated[
        bool,
        typer.Option(
            "--skips",
            help="Export verifiers' reasons for skips instead of senior annotators' reasons. Each skip is one row.",
        ),
    ] = False,
) -> None:
    """Export as CSV why seniors had to settle items, to improve the guideline.

    Each row is one decision, with what was done about its reason.

    Example: touchstone reason export demo
    """
    from app.services import opened
    from extensions.adjudication_reasons import reason_lists
    from extensions.adjudication_reasons import reasons as adjudication_reasons

    store = opened().store
    if skips:
        csv_text = reason_lists.skips_csv(reason_lists.skips(store, by=None, project=project))
    else:
        csv_text = reason_lists.reasons_csv(adjudication_reasons.reasons(store, by=None, project=project))
    typer.echo(csv_text, nl=False)
