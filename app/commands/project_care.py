"""``touchstone project edit``: give a project another title, archive it, or take it back into use."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.options import ProjectName
from domain.errors import SettingsError


def edit(
    project: ProjectName,
    title: Annotated[
        str | None, typer.Option(help="The new title. The project ID in addresses and commands does not change.")
    ] = None,
    archive: Annotated[
        bool,
        typer.Option(
            "--archive",
            help="Make a finished project read-only. People can still read and export the project. You cannot "
            "archive a project during a run or an exchange with Label Studio.",
        ),
    ] = False,
    unarchive: Annotated[
        bool,
        typer.Option("--unarchive", help="Restore an archived project, so that people can change the project again."),
    ] = False,
) -> None:
    """Give a project another title, archive it, or restore it.

    Example: touchstone project edit demo --title "Kitchen questions"
    """
    from app.services import opened
    from workflow.access import project_care

    if (title is not None) + archive + unarchive != 1:
        raise SettingsError("Use exactly one of these options: --title, --archive or --unarchive.")
    store = opened().store
    if title is not None:
        made = project_care.rename(store, by=None, project=project, title=title)
        typer.echo(f"The title of {made.name} is now {made.title}.")
    elif archive:
        done = project_care.archive(store, by=None, project=project)
        back = f"To restore the project: touchstone project edit {project} --unarchive"
        typer.echo(f"{project} {'is archived' if done else 'was archived already'}. {back}")
    else:
        done = project_care.unarchive(store, by=None, project=project)
        typer.echo(f"{project} is restored." if done else f"{project} is not archived, so there is nothing to restore.")
