"""The next content of a working page: the task and the numbers above it, together if that is quick."""

from __future__ import annotations

from dataclasses import dataclass

from db.engine import Store
from domain.records import NoTask, Person, Progress, ProjectView, TaskView
from domain.states import Stage
from workflow.access.projects import access_to, view_of
from workflow.annotate import claims, progress


@dataclass(frozen=True)
class NextPage:
    """Contents of a working page."""

    view: ProjectView
    found: TaskView | NoTask
    numbers: Progress
    upcoming: TaskView | None = None
    """The task after this one, held for the person until they see it."""


def next_page(
    store: Store,
    *,
    person: Person,
    project: str,
    stage: Stage,
    dimension: str | None = None,
    postponed: str | None = None,
    fresh: bool = True,
    ahead: bool = False,
) -> NextPage:
    """Return the next task (``claims.next_task``) and the person's numbers (``progress.progress``).

    Without ``fresh``, recent numbers are enough as long as there is a task. Counting never happens inside a write
    transaction that others wait for. ``ahead`` also reserves the task that follows (``claims.reserve_next``).
    """
    while True:
        with store.write() as session:
            now = store.now()
            access = access_to(session, person=person, project=project)
            task = claims.take_next(
                session, access=access, person=person, stage=stage, dimension=dimension, postponed=postponed, now=now
            )
            numbers = upcoming = None
            if ahead and isinstance(task, TaskView):
                upcoming = claims.reserve_next(
                    session, access=access, person=person, stage=stage, dimension=dimension, now=now
                )
            if not fresh and isinstance(task, TaskView):
                numbers = progress.at_once(session, access=access, person=person, stage=stage, now=now)
        if task is not None:
            break
    if numbers is None:
        fresh = fresh or isinstance(task, NoTask)
        numbers = progress.progress(store, person=person, project=project, stage=stage, fresh=fresh)
    return NextPage(view_of(access), task, numbers, upcoming)
