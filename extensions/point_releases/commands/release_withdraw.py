"""``touchstone release withdraw``: create a point release without an item."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import find_group
from app.commands.options import ProjectName
from app.commands.recorded import recorded
from app.commands.release import must_be_new, tell_made


def register(cli: typer.Typer) -> None:
    """Add the subcommand to those of ``touchstone release``."""
    find_group(cli, "release").command("withdraw")(withdraw)


def withdraw(
    project: ProjectName,
    version: Annotated[
        str,
        typer.Argument(
            help=("The release number, such as 1. The command uses the newest point release of this release.")
        ),
    ],
    item: Annotated[str, typer.Argument(help="The ID of the item in the release's files.")],
    reason: Annotated[str, typer.Option(help="The reason for the withdrawal. The release publishes the reason.")],
    out: Annotated[
        Path | None, typer.Option(help="Also copy the new release to this folder. The folder must not exist yet.")
    ] = None,
) -> None:
    """Withdraw a wrong item from a release: create a point release without it, such as 1.1.

    The earlier release stays unchanged and still passes its check.

    Example: touchstone release withdraw demo 1 count/7 --reason "The answer is wrong."
    """
    from app.services import opened
    from extensions.point_releases.withdrawal import withdraw as take_out

    shared = opened()
    if out is not None:
        must_be_new(out)
    made = recorded(
        shared,
        "release withdraw",
        project,
        lambda progress: take_out(
            shared.store,
            shared.media,
            shared.settings.home,
            by=None,
            project=project,
            version=version,
            item=item,
            reason=reason,
            progress=progress,
        ),
    )
    tell_made(project, made, out)
