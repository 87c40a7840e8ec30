"""``touchstone media copy``: copy images and clips between a folder and a bucket."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.groups import Panel, find_group

SHOWN = 20
"""Number of failures that the command prints."""


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    find_group(cli, "media", Panel.SERVER, "Images and clips.").command("copy")(copy)


def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A folder `media`, or s3://BUCKET/PREFIX.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="A folder, or s3://BUCKET/PREFIX.")],
) -> None:
    """Copy all images and clips to another storage, and compare the SHA-256 of each.

    If the command stops early, run it again: it skips what the target already has. It deletes nothing. Buckets need
    the environment variables that the reference lists under `TOUCHSTONE_MEDIA`.

    Example: touchstone media copy data/media s3://annotation/media
    """
    from app.commands.progress import shown_progress
    from domain.errors import SettingsError
    from media.copying import copy_media
    from media.opening import open_storage

    storages = open_storage(source, must_exist=True), open_storage(target)
    if storages[0].address == storages[1].address:
        raise SettingsError("FROM and TO are the same storage. Give two storages.")
    with shown_progress() as progress:
        done = copy_media(*storages, progress=progress)
    for sentence in list(done.failed.values())[:SHOWN]:
        typer.echo(sentence, err=True)
    typer.echo(f"Copied: {done.copied:,}. Already there: {done.there:,}. Failed: {len(done.failed):,}.")
    if done.failed:
        raise typer.Exit(1)
    if done.copied + done.there == 0:
        typer.echo(f"{storages[0].address} has no images or clips. Check FROM.", err=True)
