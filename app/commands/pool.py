"""``touchstone pool``: images and clips for authors to write about, from the server's own machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from domain.errors import FileRefused

pool = typer.Typer(help="The pool of images and clips that authors write about.", no_args_is_help=True)

SHOWN = 50
"""So many files that were not taken, or sources, are named."""


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.add_typer(pool, name="pool")


@pool.callback()
def _group() -> None:
    """Keeps ``add`` a command of its own while it is the only one."""


@pool.command("add")
def add(
    project: Annotated[str, typer.Argument(help="The project.")],
    folder: Annotated[Path, typer.Argument(help="A folder, with all folders in it, or one file.")],
    role: Annotated[
        str | None,
        typer.Option(help="The place in an item that they are for, by its role: only files of its kind are taken."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(help="Where all of them are from: a video, a place. By default each folder is a source."),
    ] = None,
    dimension: Annotated[str | None, typer.Option(help="The only dimension that may use them; by default any.")] = None,
) -> None:
    """Add images and clips to the pool; where the schema has a triage, to those that go through it first."""
    from app.services import opened
    from importers.media_files import files_below, folder_of
    from workflow.annotate import image_pool

    if not folder.exists():
        raise FileRefused(f"There is no file or folder {folder}.")
    files = files_below(folder)
    if not files:
        raise FileRefused(f"{folder} holds no file.")
    here = opened()
    added = image_pool.add_to_pool(
        here.store,
        here.media,
        by=None,
        project=project,
        files=files,
        source_of=(lambda _: source) if source else folder_of,
        dimension=dimension,
        role=role,
    )
    there = f"; {added.repeated:,} in the project already, byte for byte" if added.repeated else ""
    typer.echo(f"{image_pool.counted(added).capitalize()} added{there}.")
    for name, n in sorted(added.sources.items())[:SHOWN]:
        typer.echo(f"   {name or 'without a source'}: {n:,}")
    if (more := len(added.sources) - SHOWN) > 0:
        typer.echo(f"   and {more:,} more sources")
    if added.refused:
        typer.echo(f"Not taken: {len(added.refused):,}.")
    for name, why in added.refused[:SHOWN]:
        typer.echo(f"   {name}: {why}")
    if (more := len(added.refused) - SHOWN) > 0:
        typer.echo(f"   and {more:,} more")
