"""Imports that leads start on a page, and previews before them.

A small import runs within the request. A project has one running import at a time; a second press of the same import
changes nothing.
"""

from __future__ import annotations

from typing import Any

from app import jobs
from app.jobs.imports import IMPORT, LOOK, ImportOrder, ImportOutcome
from app.services import Services
from domain.errors import ConflictError
from domain.jobs import Job
from workflow.jobs import desk
from workflow.jobs.desk import SlotConflict


def begin(services: Services, order: ImportOrder) -> Job:
    """Begin an import. A second press of the same import changes nothing.

    Raises
    ------
    ConflictError
        Someone else's import into this project is running.
    """
    slot, small = _slot(order.project), order.is_small
    about: Any = {"slot": slot, "project": order.project, "input": order, "again": False}
    try:
        return jobs.begin(services, IMPORT.name, **about, here=small)
    except SlotConflict as taken:
        there = taken.job
        who = "You are" if there.person == services.person.id else f"{who_began(services, there)} is"
        raise ConflictError(
            f"{who} already importing {called(there)} into this project. Your files were not imported. Wait until "
            "the other import ends, then import your files again."
        ) from taken


def begin_look(services: Services, order: ImportOrder) -> Job:
    """Begin a preview of files. The preview is the job's result."""
    slot = f"look/{services.person.id}/{order.key}"
    return jobs.begin(services, LOOK.name, slot=slot, project=order.project, input=order, here=order.is_small)


def last_import(services: Services, project: str) -> Job | None:
    """Return the project's last import, or None if someone has closed its result."""
    there = desk.newest(services.store, slot=_slot(project))
    return None if there is None or there.is_read else there


def put_away(services: Services, job: Job) -> None:
    """Close the result of a finished import."""
    desk.mark_read(services.store, id=job.id)


def came_of(services: Services, job: Job) -> ImportOutcome:
    """Return the result of a finished import. The reason of a refusal is in the job."""
    outcome: ImportOutcome | None = desk.job(services.store, id=job.id).result
    return outcome or ImportOutcome()


def called(job: Job) -> str:
    """Return the name of an import's files."""
    order: ImportOrder = job.input
    return order.source.called


def who_began(services: Services, job: Job) -> str:
    """Return the name of the person who began an import."""
    return desk.names(services.store, [job]).get(job.person or 0, "Someone")


def _slot(project: str) -> str:
    return f"import/{project}"
