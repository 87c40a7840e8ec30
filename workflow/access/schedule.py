"""The current deadlines and the order of stages of a project."""

from __future__ import annotations

from datetime import date

from db import projects, schedules
from db.engine import Session, Store
from db.records import StoredSchedule
from domain.records import Person
from domain.schedule import Schedule
from domain.states import Stage
from workflow.access.projects import require_lead

NOTHING = Schedule()


def schedule(store: Store, *, by: Person | None, project: str) -> Schedule:
    """Return the current schedule of a project; leads only."""
    with store.read() as session:
        return of_project(session, project_id=require_lead(session, by=by, project=project).project_id)


def of_person(store: Store, *, person: Person) -> dict[str, Schedule]:
    """Return the current schedule of each project that a person is a member of."""
    with store.read() as session:
        mine = {row.id: row.name for row, _ in projects.of_person(session, person_id=person.id)}
        return {mine[id]: read_schedule(row) for id, row in schedules.newest(session, projects=mine).items()}


def of_project(session: Session, *, project_id: int) -> Schedule:
    """Return the current schedule of a project, inside a transaction."""
    newest = schedules.newest(session, projects=[project_id]).get(project_id)
    return read_schedule(newest) if newest is not None else NOTHING


def read_schedule(row: StoredSchedule, by: str | None = None) -> Schedule:
    """Return a stored schedule; unknown stages are left out."""
    known = {stage.value: stage for stage in Stage}
    deadlines = {known[name]: date.fromisoformat(due) for name, due in row.deadlines.items() if name in known}
    order = tuple(known[name] for name in row.stage_order if name in known)
    return Schedule(row.number, deadlines, order, by, row.created_at)
