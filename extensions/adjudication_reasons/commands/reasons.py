"""``touchstone reasons``: why seniors had to settle items, and why verifiers skipped them."""

from __future__ import annotations

from typing import Annotated

import typer


def register(cli: typer.Typer) -> None:
    """Add the command of this module."""
    cli.command("reasons")(reasons)


def reasons(
    project: Annotated[str, typer.Argument(help="The project.")],
    skips: Annotated[bool, typer.Option("--skips", help="Instead: why verifiers skipped, one line a skip.")] = False,
) -> None:
    """Export as CSV why seniors had to settle items: one line for each decision, with the action on its reason."""
    from app.services import opened
    from extensions.adjudication_reasons import reason_overview
    from workflow.lead import adjudication_reasons as found

    store = opened().store
    if skips:
        typer.echo(reason_overview.skips_csv(found.skips(store, by=None, project=project)), nl=False)
    else:
        typer.echo(reason_overview.reasons_csv(found.reasons(store, by=None, project=project)), nl=False)
