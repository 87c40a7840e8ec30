"""The projects of a person as a list."""

from __future__ import annotations

from collections.abc import Mapping

from db.engine import Store
from domain.item_counts import ItemCounts
from domain.records import Person
from workflow.access.item_counts import count_project
from workflow.access.projects import access_to, projects_of


def item_counts(store: Store, *, person: Person) -> Mapping[str, ItemCounts]:
    """Return the counts of the items of each of a person's projects, by name."""
    names = [view.name for view in projects_of(store, person=person)]
    with store.read() as session:
        return {name: count_project(session, access=access_to(session, person=person, project=name)) for name in names}
