"""Count a project's items as ``domain.item_counts`` defines it. Every page, forecast and release asks here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from db import item_list, items, task_counts
from db.engine import Session, Store
from db.item_list import ListScope
from domain.item_counts import ItemCounts
from domain.records import Person
from domain.roles import Role, at_least
from domain.states import ItemState
from workflow.access.projects import Access, access_to


def count_by_dimension(session: Session, *, access: Access) -> Mapping[str, ItemCounts]:
    """Return the counts of a project's dimensions, in the order of the schema."""
    states: dict[str, dict[ItemState, int]] = defaultdict(dict)
    for (dimension, state), n in items.count_by_state(session, project_id=access.project_id).items():
        states[dimension][state] = n
    begun = task_counts.begun_items(session, project_id=access.project_id)
    without_media = item_list.count_without_media(session, project_id=access.project_id)
    return {
        dimension.id: ItemCounts.of_dimension(
            states[dimension.id],
            wanted=dimension.wanted,
            in_progress=begun.get(dimension.id, 0),
            without_media=without_media.get(dimension.id, 0),
        )
        for dimension in access.schema.dimensions
    }


def count_project(session: Session, *, access: Access, reader: ListScope | None = None) -> ItemCounts:
    """Return the counts of a whole project. Without a ``reader``, no item is hidden."""
    counts = ItemCounts.total(count_by_dimension(session, access=access).values())
    return counts if reader is None else replace(counts, hidden=item_list.count_hidden(session, within=reader))


def hidden_from(store: Store, *, person: Person, project: str) -> tuple[frozenset[int], ItemCounts]:
    """Return the ids of the items that a person's lists hide, and the counts of the project with these items."""
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        reader = ListScope(access.project_id, person.id, own=at_least(access.role, Role.LEAD))
        return item_list.hidden(session, within=reader), count_project(session, access=access, reader=reader)


def counts_of(store: Store, *, person: Person, project: str) -> ItemCounts:
    """Return the counts of a project of a person."""
    with store.read() as session:
        return count_project(session, access=access_to(session, person=person, project=project))
