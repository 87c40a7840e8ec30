"""``touchstone project rename``, ``archive``, ``unarchive`` and ``delete``: manage a project as a whole."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from app.commands.options import ProjectName
from app.commands.recorded import recorded
from domain.errors import SettingsError


def register(project: typer.Typer) -> None:
    """Add the subcommands of this module."""
    project.command("rename")(rename)
    project.command("archive")(archive)
    project.command("unarchive")(unarchive)
    project.command("delete")(delete)


def rename(project: ProjectName, title: Annotated[str, typer.Argument(help="As people read it from now on.")]) -> None:
    """Give a project another title. Its name stays: addresses, files and commands call it by that."""
    from app.services import opened
    from workflow.access import project_care

    made = project_care.rename(opened().store, by=None, project=project, title=title)
    typer.echo(f"{made.name} is called {made.title} from now on.")


def archive(project: ProjectName) -> None:
    """Archive a project. People can still read and export everything, but nobody can claim, vote or change anything.
    Refused while runs or Label Studio are at work.
    """
    from app.services import opened
    from workflow.access import project_care

    done = project_care.archive(opened().store, by=None, project=project)
    back = f"touchstone project unarchive {project} takes it back into use."
    typer.echo(f"{project} {'is archived' if done else 'was archived already'}. {back}")


def unarchive(project: ProjectName) -> None:
    """Take an archived project back into use."""
    from app.services import opened
    from workflow.access import project_care

    done = project_care.unarchive(opened().store, by=None, project=project)
    typer.echo(f"{project} is in use again." if done else f"{project} was not archived.")


def delete(
    project: ProjectName,
    yes: Annotated[
        str | None, typer.Option("--yes", metavar="NAME", help="The name again, instead of typing it when asked.")
    ] = None,
) -> None:
    """Delete a project for good: all work in it, its releases, and the media that no other project uses. The command
    first lists what it deletes. Refused while runs, Label Studio or a release are at work.
    """
    from app.services import opened
    from workflow.files import project_removal

    shared = opened()
    lost = project_removal.losses(shared.store, by=None, project=project)
    typer.echo(f"With {project} goes for good: {lost.words}. Accounts of people stay.", err=yes is not None)
    if yes is None:
        typer.echo(f"To keep a copy: touchstone project export {project} --out {project}.zip")
        yes = typer.prompt("Type the project's name to delete it", default="", show_default=False)
        if not yes.strip():
            raise SettingsError("No name was typed. Nothing was deleted.")
    home = shared.settings.home
    about: Any = {"project": project, "typed": yes, "home": home}
    done = recorded(
        shared,
        "project delete",
        project,
        lambda progress: project_removal.delete_project(
            shared.store, shared.media, by=None, progress=progress, **about
        ),
    )
    typer.echo(f"{project} is deleted: {done.words}.")
