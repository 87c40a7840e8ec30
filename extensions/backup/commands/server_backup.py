"""``touchstone backup`` and ``touchstone restore``: everything that a server stores, as one file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from app.commands.groups import Panel
from app.commands.recorded import recorded
from domain.english import with_noun


def register(cli: typer.Typer) -> None:
    """Add the commands of this module."""
    cli.command("backup", rich_help_panel=Panel.SERVER)(backup)
    cli.command("restore", rich_help_panel=Panel.SERVER)(restore)


def backup(
    file: Annotated[Path, typer.Argument(help="Path of the new backup. The file must not exist yet.")],
    without_media: Annotated[
        bool,
        typer.Option(
            "--without-media", help="Leave out images and clips. To restore the backup, you need a copy of `media/`."
        ),
    ] = False,
) -> None:
    """Write everything that this server stores into one file, while people work.

    Only the file's owner can read it: the file contains hidden answers and password hashes. It contains no sessions,
    sign-in links or environment variables.

    Example: touchstone backup touchstone.tar
    """
    from app.services import opened
    from extensions.backup.creating import create_backup
    from workflow.access.server_counts import record_backup

    shared = opened()
    about: Any = {"out": file, "with_media": not without_media}
    done = recorded(
        shared,
        "backup",
        None,
        lambda progress: create_backup(shared.store, shared.media, shared.settings.home, progress=progress, **about),
    )
    record_backup(shared.store, bytes=done.bytes, media=done.media)
    left_out = f"; images and clips not included: {done.media_named:,}" if without_media else ""
    typer.echo(f"{file}: {_counted(done.rows, done.media)}, {done.bytes / 1e6:,.1f} MB{left_out}.")
    if done.missing:
        typer.echo(
            (
                f"The media store lacks {with_noun(len(done.missing), 'image or clip', 'images or clips')}, "
                "so the backup does not contain these files. To list the missing files, run `touchstone "
                "check --media`."
            ),
            err=True,
        )
        raise typer.Exit(1)


def restore(
    file: Annotated[Path, typer.Argument(help="The backup.")],
    media: Annotated[
        Path | None,
        typer.Option(
            help="A copy of the server's `media` folder, for a backup made with --without-media. With "
            "TOUCHSTONE_MEDIA, the default is the bucket."
        ),
    ] = None,
) -> None:
    """Fill an empty TOUCHSTONE_HOME, and an empty database, from a backup.

    The command first checks every file of the backup. A backup from SQLite can be restored onto PostgreSQL, and the
    other way round.

    Example: touchstone restore touchstone.tar
    """
    import os

    from app.commands.progress import shown_progress
    from domain.settings import STORED_IN, settings_from
    from extensions.backup.restoring import restore_backup

    settings = settings_from(os.environ, Path.cwd())
    typer.echo(f"{STORED_IN} {settings.home}", err=True)
    with shown_progress() as progress:
        done = restore_backup(settings, path=file, media=media, progress=progress)
    taken = f"{done.taken_at:%Y-%m-%d %H:%M} UTC"
    typer.echo(f"Restored the backup of {taken}: {_counted(done.rows, done.media)}.")
    if done.missing:
        typer.echo(f"Images and clips that were already missing when the backup was made: {len(done.missing):,}.")
    if done.open_runs:
        typer.echo(
            f"{with_noun(done.open_runs, 'run')} will continue with the next worker. To prevent this, start with "
            "`touchstone serve --no-worker`."
        )
    typer.echo("Everyone must sign in again. Sign-in links that were not used yet are void.")
    typer.echo(
        f"The backup still contains people, projects and media that were deleted after {taken}. Delete them again: "
        "`touchstone person delete`, `touchstone project delete`. To list erased people, run on the old server: "
        f"`touchstone event list --kind account.erased --since {done.taken_at:%Y-%m-%d}`"
    )
    typer.echo("To check the restored data, run: touchstone check --media")


def _counted(rows: Mapping[str, int], media: int) -> str:
    counts = [
        with_noun(rows.get(table, 0), noun)
        for table, noun in (("project", "project"), ("person", "account"), ("item", "item"))
    ]
    counts += [with_noun(rows.get("annotation", 0), "submission"), f"{media:,} images and clips"]
    return ", ".join(counts)
