"""``touchstone project export``, ``import``, ``clone`` and ``delete``: move, copy or delete whole projects."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.groups import find_group
from app.commands.options import ProjectName
from app.commands.recorded import recorded
from domain.english import with_noun
from domain.errors import SettingsError
from domain.project_parts import ProjectPart
from extensions.archives.parts import WhoIsWho

if TYPE_CHECKING:
    from extensions.archives.importing import ImportedProject

_PARTS = [part for part in ProjectPart if part is not ProjectPart.PROJECT]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    project = find_group(cli, "project")
    project.command("export")(export)
    project.command("import")(import_)
    project.command("clone")(clone)
    project.command("delete")(delete)


def export(
    project: ProjectName,
    out: Annotated[Path, typer.Option(help="Path of the new archive. The file must not exist yet.")],
    without_media: Annotated[
        bool,
        typer.Option(
            "--without-media",
            help=("Make a smaller archive that contains the hashes of images and clips, but not the files."),
        ),
    ] = False,
) -> None:
    """Write a whole project into one archive, to move it to another server or to keep a copy.

    The archive has everything but passwords and links, so it is as confidential as the database.

    Example: touchstone project export demo --out demo.zip
    """
    from app.services import opened
    from extensions.archives.exporting import export_project

    shared = opened()
    about: Any = {"project": project, "out": out, "with_media": not without_media}
    done = recorded(
        shared,
        "project export",
        project,
        lambda progress: export_project(shared.store, shared.media, by=None, progress=progress, **about),
    )
    named = f"; images and clips not included: {done.left_out:,}" if done.left_out else ""
    typer.echo(f"{out}: {_counted(done.rows, done.media)}{named}.")


def import_(
    file: Annotated[Path, typer.Argument(help="The archive.")],
    name: Annotated[
        str | None, typer.Option(help="A new name for the project. Default: the name in the archive.")
    ] = None,
    people: Annotated[
        WhoIsWho | None,
        typer.Option(
            help="How to handle logins that already exist on this server. match: the same login is the same person. "
            "new: create new accounts. map: use the accounts in a file."
        ),
    ] = None,
    map_: Annotated[
        Path | None,
        typer.Option(
            "--map",
            help="With --people map: a CSV file with the columns login and account. If account is empty, Touchstone "
            "creates a new account.",
        ),
    ] = None,
    media: Annotated[
        Path | None, typer.Option(help="A folder with the images and clips that are missing from the archive.")
    ] = None,
    old_schemas: Annotated[
        bool,
        typer.Option(
            "--old-schemas", help="Accept schemas with hashes that an older version of Touchstone computed differently."
        ),
    ] = False,
) -> None:
    """Create a project from an archive. If any part is invalid, nothing is imported.

    People without an account here get one. They sign in with a link of `touchstone person link`.

    Example: touchstone project import demo.zip --name demo2
    """
    from app.services import opened
    from extensions.archives.account_files import read_accounts
    from extensions.archives.importing import import_project
    from extensions.archives.storing import ArchiveOptions

    if (people is WhoIsWho.MAP) != (map_ is not None):
        raise SettingsError("Use --people map and --map FILE.csv together, or remove both options.")
    accounts = read_accounts(map_) if map_ is not None else {}
    shared = opened()
    how = ArchiveOptions(people=people, accounts=accounts, media=media, old_schemas=old_schemas)
    about: Any = {"path": file, "name": name, "how": how}
    _tell(
        recorded(shared, "project import", None, lambda progress: import_project(shared.store, shared.media, **about))
    )


def clone(
    project: Annotated[str, typer.Argument(help="The project to copy.")],
    new: Annotated[str, typer.Argument(help="The name of the copy.")],
    without: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Parts to omit: {', '.join(_PARTS)}. Repeat the option, or separate parts with commas. If you omit "
            "items, the copy also omits votes and runs.",
            metavar="PART",
        ),
    ] = None,
) -> None:
    """Copy a project on this server, in full or in part, for example to start a second round.

    Images and clips are not stored twice.

    Example: touchstone project clone demo round2 --without votes,runs
    """
    from app.services import opened
    from extensions.archives.copying import clone_project

    names = [name.strip() for text in without or () for name in text.split(",")]
    odd = next((name for name in names if name not in _PARTS), None)
    if odd is not None:
        raise SettingsError(f"--without {odd}: unknown part. Choose from {', '.join(_PARTS)}.")
    shared = opened()
    parts = frozenset(ProjectPart(name) for name in names)
    about: Any = {"project": project, "name": new, "without": parts}
    _tell(
        recorded(
            shared,
            "project clone",
            project,
            lambda progress: clone_project(shared.store, shared.media, progress=progress, **about),
        )
    )


def delete(
    project: ProjectName,
    yes: Annotated[
        str | None,
        typer.Option(
            "--yes",
            metavar="PROJECT",
            help="The project ID, to confirm the deletion. Without this option, the command asks for the project ID.",
        ),
    ] = None,
) -> None:
    """Delete a project for good: its work, its releases, and media that no other project uses.

    The command first lists what it deletes. Not possible while runs, Label Studio or a release are at work.

    Example: touchstone project delete old
    """
    from app.services import opened
    from extensions.archives import deletion

    shared = opened()
    lost = deletion.losses(shared.store, by=None, project=project)
    typer.echo(
        f"This command permanently deletes {project}: {lost.words}. People's accounts remain.", err=yes is not None
    )
    if yes is None:
        typer.echo(f"To keep a copy, run: touchstone project export {project} --out {project}.zip")
        yes = typer.prompt("To delete the project, type the project ID", default="", show_default=False)
        if not yes.strip():
            raise SettingsError(
                "You typed no project ID. Nothing was deleted. Run the command again, and type the project ID."
            )
    about: Any = {"project": project, "typed": yes, "home": shared.settings.home}
    done = recorded(
        shared,
        "project delete",
        project,
        lambda progress: deletion.delete_project(shared.store, shared.media, by=None, progress=progress, **about),
    )
    typer.echo(f"{project} is deleted: {done.words}.")


def _tell(made: ImportedProject) -> None:
    typer.echo(f"Imported the project {made.name}: {_counted(made.rows, None)}.")
    for note in made.notes:
        typer.echo(note)
    if made.new_accounts:
        names = ", ".join(made.new_accounts[:5]) + (", ..." if len(made.new_accounts) > 5 else "")
        typer.echo(
            f"{with_noun(len(made.new_accounts), 'new account')} ({names}). Before people can use these accounts, run "
            "`touchstone person link LOGIN` or `touchstone person edit LOGIN --password`."
        )
    typer.echo(f"To check the project, run: touchstone check {made.name}")


def _counted(rows: Mapping[str, int], media: int | None) -> str:
    counts = [
        with_noun(rows.get(table, 0), noun)
        for table, noun in (("item", "item"), ("annotation", "submission"), ("member", "member"), ("run", "run"))
    ]
    counts.append(f"{with_noun(rows.get('event', 0), 'line')} of history")
    return ", ".join([*counts, *([f"{with_noun(media, 'file')} (images and clips)"] if media is not None else [])])
