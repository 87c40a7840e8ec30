"""``touchstone check``: check a project's stored states against its votes and rules."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.groups import Panel
from domain.errors import DatabaseUnavailableError, MediaUnavailableError


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.command("check", rich_help_panel=Panel.SERVER)(check)


def check(
    project: Annotated[str | None, typer.Argument(help="The project. Default: all projects.")] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Correct the stored states, without changing votes.")
    ] = False,
    media: Annotated[
        bool,
        typer.Option(
            "--media",
            help="Read every image and clip in full. By default, the check reads 200 files in full, and checks only "
            "the sizes of other files.",
        ),
    ] = False,
) -> None:
    """Check that stored states follow from the votes, that media files are intact, and that the disk is writable.

    Each difference is a line, and the exit status is then 1. Run this after a crash or a restored backup.

    Example: touchstone check demo
    """
    from app.services import opened
    from app.serving.disk import find_write_error
    from workflow.files.media_check import check_media
    from workflow.files.project_check import check as differences
    from workflow.files.project_check import remarks

    shared = opened()
    mismatches = differences(shared.store, project=project, rebuild=rebuild)
    try:
        damaged = check_media(shared.store, shared.media, project=project, whole=media)
    except MediaUnavailableError as error:  # what is known of the states is still printed
        damaged = [str(error)]
    for sentence in [*mismatches, *damaged]:
        typer.echo(sentence)
    if not mismatches:
        typer.echo("All stored states match the votes.")
    elif rebuild:
        typer.echo("Touchstone corrected the stored states.")
    for sentence in remarks(shared.store, project=project):
        typer.echo(f"Note: {sentence}")
    trouble = shared.store.trouble() or find_write_error(shared.settings.home)
    if trouble:
        raise DatabaseUnavailableError(trouble)
    raise typer.Exit(1 if damaged or (mismatches and not rebuild) else 0)
