"""Manage a project as a whole: change its title, archive it, and take it back into use."""

from __future__ import annotations

from datetime import datetime

from db import outside_work, projects, runs
from db.engine import Session, Store
from domain import extensions
from domain.errors import ConflictError, InvalidInputError
from domain.records import Person, ProjectView
from workflow.access.event_log import log
from workflow.access.project_names import title_problems
from workflow.access.projects import Access, lead_alone, view_of


def rename(store: Store, *, by: Person | None, project: str, title: str) -> ProjectView:
    """Change a project's title; leads only.

    Its name stays, because addresses, files and commands use it.

    Raises
    ------
    InvalidInputError
        The title is empty or too long.
    """
    if problems := title_problems(title):
        raise InvalidInputError(problems)
    with store.write(archived_too=True) as session:
        access = lead_alone(session, by=by, project=project)
        if access.title != title.strip():
            row = projects.lock(session, id=access.project_id)
            projects.rename(session, row=row, title=title.strip())
            data = {"title": title.strip(), "before": access.title}
            log(session, "project.renamed", by=by, project=access, now=store.now(), data=data)
        return view_of(lead_alone(session, by=by, project=project))


def archive(store: Store, *, by: Person | None, project: str) -> bool:
    """Archive a project, so that nothing in it changes any more; return whether it was in use; leads only.

    People keep the tasks that they hold, but a submission is refused.

    Raises
    ------
    ConflictError
        A run or an exchange with Label Studio is in progress.
    """
    with store.write(archived_too=True) as session:
        access = lead_alone(session, by=by, project=project)
        if access.archived:
            return False
        must_be_still(session, access, now=store.now(), to="archive the project")
        projects.archive(session, row=projects.lock(session, id=access.project_id), at=store.now())
        log(session, "project.archived", by=by, project=access, now=store.now())
        return True


def unarchive(store: Store, *, by: Person | None, project: str) -> bool:
    """Take a project back into use and return whether it was archived; leads only."""
    with store.write(archived_too=True) as session:
        access = lead_alone(session, by=by, project=project)
        if access.archived:
            projects.archive(session, row=projects.lock(session, id=access.project_id), at=None)
            log(session, "project.unarchived", by=by, project=access, now=store.now())
        return access.archived


def must_be_still(session: Session, access: Access, *, now: datetime, to: str) -> None:
    """Raise ``ConflictError`` while a run or an exchange with Label Studio is in progress; ``to`` completes the
    message.
    """
    going = [run.name for run in runs.open_of(session, project_id=access.project_id)]
    if going:
        more = f" and {len(going) - 1} more" if len(going) > 1 else ""
        raise ConflictError(
            f"A run of {access.title} is in progress: {going[0]}{more}. Pause or cancel the run on the "
            f"Runs or Judges page, or use `touchstone run pause`. Then {to}."
        )
    out = [
        row.address
        for row in outside_work.servers(session, project_id=access.project_id)
        if row.stages or (row.busy_until is not None and row.busy_until > now)
    ]
    if out:
        away = extensions.missing("pages", "label_studio")
        raise ConflictError(
            f"Label Studio at {out[0]} has tasks of {access.title}. To end the exchange, choose no stage "
            f"on the Label Studio page, and synchronize. Then {to}.{f' {away}' if away else ''}"
        )
