"""What a working page shows next: the task and the numbers above it, together where that is quick."""

from __future__ import annotations

from dataclasses import dataclass

from db.engine import Store
from domain.records import NothingLeft, Person, Progress, ProjectView, TaskView
from domain.states import Stage
from workflow.access.projects import access_to, view_of
from workflow.annotate import claims, progress


@dataclass(frozen=True)
class NextPage:
    """What a page is made of."""

    view: ProjectView
    found: TaskView | NothingLeft
    numbers: Progress


def next_page(
    store: Store,
    *,
    person: Person,
    project: str,
    stage: Stage,
    dimension: str | None = None,
    postponed: str | None = None,
    fresh: bool = True,
) -> NextPage:
    """The next task (as ``claims.next_task``) and the person's numbers (as ``progress.progress``).

    Without ``fresh``, numbers of a moment ago will do as long as there is a task; counting is never done while
    others wait for the transaction to end.
    """
    while True:
        with store.write() as session:
            now = store.now()
            access = access_to(session, person=person, project=project)
            found = claims.take_next(
                session, access=access, person=person, stage=stage, dimension=dimension, postponed=postponed, now=now
            )
            numbers = None
            if not fresh and isinstance(found, TaskView):
                numbers = progress.at_once(session, access=access, person=person, stage=stage, now=now)
        if found is not None:
            break
    if numbers is None:
        fresh = fresh or isinstance(found, NothingLeft)
        numbers = progress.progress(store, person=person, project=project, stage=stage, fresh=fresh)
    return NextPage(view_of(access), found, numbers)
