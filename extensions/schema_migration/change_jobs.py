"""Begin changes of a project's schema from pages. A project has one running change at a time."""

from __future__ import annotations

from app import jobs
from app.reruns import messages
from app.services import Services
from domain.errors import ConflictError
from domain.jobs import Job, JobState
from extensions.schema_migration import change_history
from extensions.schema_migration.schema_job import SCHEMA, SchemaOrder
from workflow.jobs import desk
from workflow.jobs.desk import SlotConflict

HERE = 200
"""Items up to which a change is made within the request, in about a second."""


def begin(services: Services, order: SchemaOrder) -> Job:
    """Begin a change. If one of this project is already running, return that one: two presses begin one change."""
    n = sum(change_history.in_each_state(services.store, by=services.person, project=order.project).values())
    slot, small = f"schema/{order.project}", n <= HERE
    try:
        return jobs.begin(services, SCHEMA.name, slot=slot, project=order.project, input=order, here=small)
    except SlotConflict as taken:
        return taken.job


def do_change(services: Services, order: SchemaOrder) -> None:
    """Begin a change. A small change is done at once, and the next drawing of the page shows its result.

    Raises
    ------
    ConflictError
        The change was refused at once.
    """
    job = begin(services, order)
    if job.is_open:
        return
    mark_seen(services, job)
    if job.state is not JobState.DONE:
        raise ConflictError(job.said)
    messages.keep("schema.done", job.said)


def current_change(services: Services, project: str) -> Job | None:
    """Return the project's running change, or its last change if the person has not seen the result yet.

    None otherwise.
    """
    job = desk.newest(services.store, slot=f"schema/{project}")
    if job is None or job.is_read or not (job.is_open or job.person == services.person.id):
        return None
    return job


def mark_seen(services: Services, job: Job) -> None:
    """Mark a change as seen by its person."""
    desk.mark_read(services.store, id=job.id)
