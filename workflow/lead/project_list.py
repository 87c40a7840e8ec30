"""The projects of a person as a list."""

from __future__ import annotations

from collections.abc import Mapping

from db import items
from db.engine import Store
from domain.records import Person
from domain.states import ItemState
from workflow.access.projects import access_to, projects_of


def item_counts(store: Store, *, person: Person) -> Mapping[str, Mapping[ItemState, int]]:
    """Return the number of items in each state, for each of a person's projects by name."""
    names = [view.name for view in projects_of(store, person=person)]
    with store.read() as session:
        ids = {access_to(session, person=person, project=name).project_id: name for name in names}
        counted = items.states_by_project(session, project_ids=list(ids))
    return {name: counted[id] for id, name in ids.items()}
