"""``touchstone project rename``, ``archive`` and ``unarchive``: manage a project as a whole."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.options import ProjectName


def register(project: typer.Typer) -> None:
    """Add the subcommands of this module."""
    project.command("rename")(rename)
    project.command("archive")(archive)
    project.command("unarchive")(unarchive)


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
