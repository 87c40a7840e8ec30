"""``touchstone pool``: add images and clips for authors to write about, on the server's machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from app.commands.groups import Panel, find_group
from domain import extensions
from domain.english import with_noun
from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.name_value_pairs import pairs

FOLDERS = "folders"
SHOWN = 50
"""Number of refused files, or of sources, that are listed."""


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    pool = find_group(cli, "pool", Panel.ITEMS, "Images and clips that authors write about.")
    pool.command("import")(add)


def add(
    project: Annotated[str, typer.Argument(help="The project.")],
    folder: Annotated[Path, typer.Argument(help="A file, or a folder with its subfolders.")],
    role: Annotated[
        str | None,
        typer.Option(help="The role of the files in an item. Touchstone adds only files that fit the role."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(help="The source of all files, such as a video or place. Default: each folder is a source."),
    ] = None,
    dimension: Annotated[
        str | None, typer.Option(help="The only dimension that may use the files. Default: any dimension.")
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|folders",
            help="Group files for items with several files. Give a CSV or JSON lines file with `group`, `role` and "
            "`file`, or with a column for each role. Give `folders` if each folder is a group and its files "
            "are named by role.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="With --groups: a column with a different name, as NAME=COLUMN. Repeat the option for more columns."
        ),
    ] = None,
) -> None:
    """Add images and clips to the pool that authors write items about.

    If the schema has a triage, people look at them first. Sources of frames from `touchstone frame create` are kept.

    Example: touchstone pool import demo photos
    """
    from app.services import opened
    from importers.media_files import files_below, folder_of
    from workflow.annotate import image_pool

    if not folder.exists():
        raise InvalidFileError(f"The file or folder {folder} does not exist. Check the path.")
    if groups is None and column:
        raise InvalidInputError([Problem("column", "--column needs --groups FILE. Add --groups, or remove --column.")])
    if groups is not None:
        _add_groups(project, folder, groups, pairs(column or (), "NAME=COLUMN", option="--column"), source, dimension)
        return
    files = files_below(folder)
    if not files:
        raise InvalidFileError(f"{folder} contains no file. Choose another folder.")
    here = opened()
    how: dict[str, Any] = {
        "by": None,
        "project": project,
        "source_of": (lambda _: source) if source else folder_of,
        "dimension": dimension,
        "role": role,
    }
    of_extensions = (
        add_folder(here.store, here.media, **how, folder=folder, files=files)
        for add_folder in extensions.rows("pool_folders")
    )
    added = next((added for added in of_extensions if added is not None), None)
    if added is None:
        added = image_pool.add_to_pool(here.store, here.media, **how, files=files)
    there = f"; {added.repeated:,} already in the project (identical files)" if added.repeated else ""
    typer.echo(f"{image_pool.files_in_words(added).capitalize()} added{there}.")
    for name, n in sorted(added.sources.items())[:SHOWN]:
        typer.echo(f"   {name or 'without a source'}: {n:,}")
    if (more := len(added.sources) - SHOWN) > 0:
        typer.echo(f"   and {with_noun(more, 'more source')}")
    if added.refused:
        typer.echo(f"Not taken: {len(added.refused):,}.")
    _tell(added.refused)


def _tell(refused: Sequence[tuple[str, str]]) -> None:
    for name, why in refused[:SHOWN]:
        typer.echo(f"   {name}: {why}")
    if (more := len(refused) - SHOWN) > 0:
        typer.echo(f"   and {more:,} more")


def _add_groups(
    project: str, folder: Path, groups: str, columns: Mapping[str, str], source: str | None, dimension: str | None
) -> None:
    from app.services import opened
    from extensions.image_pool import media_groups, pool_groups

    def read(roles: Sequence[str]) -> list[media_groups.MediaGroup]:
        if groups == FOLDERS:
            return media_groups.groups_of_folders(folder, roles=roles)
        return media_groups.groups_of_table(Path(groups), folder, roles=roles, columns=columns)

    here = opened()
    added = pool_groups.add_groups(
        here.store, here.media, by=None, project=project, groups_of=read, source=source, dimension=dimension
    )
    typer.echo(added.sentence)
    _tell(added.refused)
