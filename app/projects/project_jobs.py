"""Begin long actions on a whole project from pages. Each person has one such task for a project at a time."""

from __future__ import annotations

from typing import Any

from app import jobs
from app.services import Services
from domain.errors import ConflictError
from domain.jobs import Job
from workflow.jobs.desk import SlotConflict


def begin(services: Services, kind: str, project: str, *, of_project: bool = True, **args: Any) -> Job:
    """Begin such a task. A second press returns the running task.

    ``of_project``: the task goes away with the project.

    Raises
    ------
    ConflictError
        This person has another running task for the project.
    """
    slot = f"project/{project}/{services.person.id}"
    try:
        return jobs.begin(services, kind, slot=slot, project=project, of_project=of_project, input=args)
    except SlotConflict as taken:
        words = f"Another job that you started for {project} is running. Try again when that job has ended."
        raise ConflictError(words) from taken
