"""What becomes of a project as a whole: its title, and whether it is in use or archived."""

from __future__ import annotations

from datetime import datetime

from db import bridge, projects, runs
from db.engine import Session, Store
from domain import extensions
from domain.errors import Conflict, InvalidInput
from domain.records import Person, ProjectView
from workflow.access.event_log import log
from workflow.access.project_names import title_problems
from workflow.access.projects import Access, lead_alone, require_lead, view_of


def rename(store: Store, *, by: Person | None, project: str, title: str) -> ProjectView:
    """Give a project another title, for its leads. Its name stays: addresses, files and commands call it by that.

    Raises
    ------
    InvalidInput
        The title is empty or too long.
    """
    if problems := title_problems(title):
        raise InvalidInput(problems)
    with store.write(archived_too=True) as session:
        access = lead_alone(session, by=by, project=project)
        if access.title != title.strip():
            row = projects.lock(session, id=access.project_id)
            projects.rename(session, row=row, title=title.strip())
            data = {"title": title.strip(), "before": access.title}
            log(session, "project.renamed", by=by, project=access, now=store.now(), data=data)
        return view_of(lead_alone(session, by=by, project=project))


def archive(store: Store, *, by: Person | None, project: str) -> bool:
    """Keep everything in a project as it is from now on, for its leads; whether it was in use until now.

    What people have in hand stays with them and is refused when they send it.

    Raises
    ------
    Conflict
        Runs or the exchange with Label Studio are under way.
    """
    with store.write(archived_too=True) as session:
        access = lead_alone(session, by=by, project=project)
        if access.archived:
            return False
        must_be_still(session, access, now=store.now(), to="archive it")
        projects.archive(session, row=projects.lock(session, id=access.project_id), at=store.now())
        log(session, "project.archived", by=by, project=access, now=store.now())
        return True


def unarchive(store: Store, *, by: Person | None, project: str) -> bool:
    """Take a project back into use, for its leads; whether it was archived."""
    with store.write(archived_too=True) as session:
        access = lead_alone(session, by=by, project=project)
        if access.archived:
            projects.archive(session, row=projects.lock(session, id=access.project_id), at=None)
            log(session, "project.unarchived", by=by, project=access, now=store.now())
        return access.archived


def note_export(store: Store, *, by: Person, project: str) -> None:
    """Note in the log of the server that someone has the archive of a project. It is of no project there: the same
    state of a project makes the same archive."""
    with store.write(archived_too=True) as session:
        access = require_lead(session, by=by, project=project)
        log(session, "project.exported", by=by, now=store.now(), data={"name": access.name})


def must_be_still(session: Session, access: Access, *, now: datetime, to: str) -> None:
    """Refuse (``Conflict``) while a run is under way or work is out in Label Studio; ``to`` says what for."""
    going = [run.name for run in runs.open_of(session, project_id=access.project_id)]
    if going:
        more = f" and {len(going) - 1} more" if len(going) > 1 else ""
        raise Conflict(
            f"A run of {access.title} is under way: {going[0]}{more}. Pause or cancel it, on the page Models or Judges "
            f"or with `touchstone run pause`, then {to}."
        )
    out = [
        row.address
        for row in bridge.of_project(session, project_id=access.project_id)
        if row.stages or (row.busy_until is not None and row.busy_until > now)
    ]
    if out:
        away = extensions.missing("pages", "label_studio")
        raise Conflict(
            f"Work of {access.title} goes out to Label Studio at {out[0]}. Call it back first: on the page Label "
            f"Studio choose no stage and synchronise, then {to}.{f' {away}' if away else ''}"
        )
